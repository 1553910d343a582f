// SPDX-License-Identifier: GPL-3.0-or-later
#include "plurals.h"

#include <cstring>

namespace dyno {

QString SourcePlurals::translate(const char*, const char* sourceText, const char*, int n) const
{
    if (n < 0 || !sourceText || !std::strstr(sourceText, "(s)"))
        return {};
    return QString::fromUtf8(sourceText).replace(QLatin1String("(s)"), n == 1 ? QLatin1String() : QLatin1String("s"));
}

} // namespace dyno
