// SPDX-License-Identifier: GPL-3.0-or-later
#include "document_style.h"

#include "theme.h"

#include <QFontDatabase>

namespace dyno {

namespace {

constexpr int kLarger = 1; //!< pixels more than a form's text: this is read line by line

// @names are replaced by the theme's; longer names first.
constexpr const char* kDocumentStyle = R"css(
body { color: @text; }
h1 { font-size: @titlepx; font-weight: 600; margin-top: 0; margin-bottom: 14px; }
h2 { font-size: @headingpx; font-weight: 600; margin-top: 28px; margin-bottom: 8px; }
h3 { font-size: @sectionpx; font-weight: 600; margin-top: 20px; margin-bottom: 6px; }
p { line-height: 150%; margin-top: 0; margin-bottom: 11px; }
ul, ol { margin-top: 2px; margin-bottom: 12px; }
li { line-height: 145%; margin-bottom: 4px; }
a { color: @accent; text-decoration: underline; }
code { font-family: "@mono"; background-color: @window; }
table { border-collapse: collapse; margin-top: 4px; margin-bottom: 16px; }
th { text-align: left; font-weight: 600; color: @second; border-bottom: 1px solid @border; }
td { vertical-align: top; border-bottom: 1px solid @grid; }
th, td { font-size: @cellpx; }
th.r, td.r { text-align: right; }
td.code { background-color: @window; border: 0; }
td.code pre { font-family: "@mono"; line-height: 135%; margin: 0; white-space: pre-wrap; }
blockquote { color: @second; margin-left: 16px; }
)css";

} // namespace

QFont documentFont()
{
    QFont font = Theme::font(TextRole::Body);
    font.setPixelSize(font.pixelSize() + kLarger);
    return font;
}

QString documentStyle()
{
    const ThemeColors& colors = Theme::instance().colors();
    const auto pixels = [](TextRole role, int more = 0) {
        return QString::number(Theme::font(role).pixelSize() + more);
    };
    const std::pair<const char*, QString> names[] = {
        {"@window", colors.window.name()},
        {"@text", colors.text.name()},
        {"@second", colors.secondText.name()},
        {"@accent", colors.accent.name()},
        {"@border", colors.border.name()},
        {"@grid", colors.grid.name()},
        {"@title", pixels(TextRole::KeyFigure, 2)},
        {"@heading", pixels(TextRole::Section, 3)},
        {"@section", pixels(TextRole::Section, kLarger)},
        {"@cell", pixels(TextRole::Body)},
        {"@mono", QFontDatabase::systemFont(QFontDatabase::FixedFont).family()},
    };
    QString style = QString::fromLatin1(kDocumentStyle);
    for (const auto& [name, value] : names)
        style.replace(QString::fromLatin1(name), value);
    return style;
}

} // namespace dyno
