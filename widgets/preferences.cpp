// SPDX-License-Identifier: GPL-3.0-or-later
#include "preferences.h"

#include <dyno/plan.h>

namespace dyno {

const Preference<int> Preferences::theme{"theme", 0};
const Preference<QString> Preferences::language{"language", {}};
// Short enough to wait for, long enough to mean something.
const Preference<QString> Preferences::size{"recipes/size", QStringLiteral("laptop")};
const Preference<double> Preferences::interval{"plan/interval", LoadProfile().intervalSeconds};
const Preference<bool> Preferences::notices{"notices/on", true};
const Preference<int> Preferences::noticeAfter{"notices/afterSeconds", 60};

Preferences& Preferences::instance()
{
    static Preferences preferences;
    return preferences;
}

} // namespace dyno
