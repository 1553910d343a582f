// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The engine's UTF-8 as Qt's text. Any thread.
#pragma once

#include <QString>
#include <QStringList>

#include <string>
#include <string_view>
#include <vector>

namespace dyno {

[[nodiscard]] inline QString qtText(const std::string& text)
{
    return QString::fromStdString(text);
}
[[nodiscard]] inline QString qtText(std::string_view text)
{
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

[[nodiscard]] inline QStringList qtTexts(const std::vector<std::string>& texts)
{
    QStringList list;
    for (const std::string& text : texts)
        list << qtText(text);
    return list;
}

//! "transactions/s · users = 4": the parts that say something.
[[nodiscard]] inline QString dotted(QStringList parts)
{
    parts.removeAll(QString());
    return parts.join(QStringLiteral(" · "));
}

} // namespace dyno
