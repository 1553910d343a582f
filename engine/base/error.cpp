// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/error.h>

namespace dyno {

std::string Error::text() const
{
    std::string text;
    if (!where.empty())
        text += where + ": ";
    text += message;
    if (!remedy.empty())
        text += " (" + remedy + ")";
    return text;
}

} // namespace dyno
