// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The only place that names a colour, a font size or a distance. GUI thread.
#pragma once

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QObject>
#include <QString>

#include <array>

class QApplication;

namespace dyno {

enum class ThemeMode { Light, Dark, Print };

//! Colours of one theme. Series colours follow the Okabe–Ito idea (safe for colour-blind eyes).
struct ThemeColors
{
    QColor window, surface, border, grid, text, secondText, accent, onAccent, good, warn, bad;
    std::array<QColor, 6> series;
};

namespace space {
constexpr int grid = 4, pageMargin = 20, cardGap = 12, cardPadding = 14, cardRadius = 8, controlRadius = 6,
              controlHeight = 32, tableRow = 30, railWidth = 84, foldWidth = 1100;
}

enum class TextRole { PageTitle, Section, Body, Secondary, Label, KeyFigure };

class Theme : public QObject
{
    Q_OBJECT
public:
    enum class Choice { System, Light, Dark };

    static Theme& instance();
    static const ThemeColors& colors(ThemeMode mode);

    [[nodiscard]] ThemeMode mode() const { return m_mode; } //!< Light or Dark
    [[nodiscard]] const ThemeColors& colors() const { return colors(m_mode); }
    [[nodiscard]] Choice choice() const { return m_choice; }
    void setChoice(Choice choice); //!< remembered in the settings; emits changed()
    //! Fusion style, palette, style sheet, fonts. Once at start; later changes go through setChoice().
    void apply(QApplication& app);

    [[nodiscard]] static QFont font(TextRole role); //!< tabular figures where the font has them
    //! Icon from resources/icons/NAME.svg in a colour (default: the second text colour, accent when checked).
    [[nodiscard]] QIcon icon(const QString& name) const;
    //! The same in one colour of the theme, whatever its state: icon("check", &ThemeColors::good).
    [[nodiscard]] QIcon icon(const QString& name, QColor ThemeColors::*color) const;
    //! Colour of series `index`; beyond six the colours repeat and the dash pattern changes (see plots).
    [[nodiscard]] QColor series(int index) const { return colors().series[std::size_t(index) % 6]; }

signals:
    void changed();

private:
    Theme() = default;
    [[nodiscard]] QString styleSheet() const;
    ThemeMode m_mode = ThemeMode::Light;
    Choice m_choice = Choice::System;
};

} // namespace dyno
