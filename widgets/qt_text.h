// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The engine's UTF-8 as Qt's text. Any thread.
#pragma once

#include <QString>

#include <string>
#include <string_view>

namespace dyno {

[[nodiscard]] inline QString qtText(const std::string& text)
{
    return QString::fromStdString(text);
}
[[nodiscard]] inline QString qtText(std::string_view text)
{
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

} // namespace dyno
