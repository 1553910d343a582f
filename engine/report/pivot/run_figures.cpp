// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/figures.h>

#include "report/format.h"

namespace dyno {

std::string figureText(double value)
{
    return report::human(value);
}

std::string ratioText(double value)
{
    return report::ratio(value);
}

} // namespace dyno
