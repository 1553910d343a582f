// SPDX-License-Identifier: GPL-3.0-or-later
#include "preferences.h"

#include <dyno/plan.h>

namespace dyno {

const Preference<int> Preferences::theme{"theme", 0};
const Preference<QString> Preferences::language{"language", {}};
// A first answer does not take long; the button says the size, and how long it takes.
const Preference<QString> Preferences::size{"recipes/size", QStringLiteral("quick"), [](const QString& name) {
                                                return name == QLatin1String("quick") ||
                                                       name == QLatin1String("laptop") ||
                                                       name == QLatin1String("published");
                                            }};
const Preference<double> Preferences::interval{"plan/interval", LoadProfile().intervalSeconds,
                                               [](const double& seconds) { return seconds >= 0.1 && seconds <= 10; }};
const Preference<bool> Preferences::notices{"notices/on", true};
const Preference<int> Preferences::noticeAfter{"notices/afterSeconds", 60,
                                               [](const int& seconds) { return seconds >= 0; }};

Preferences& Preferences::instance()
{
    static Preferences preferences;
    return preferences;
}

} // namespace dyno
