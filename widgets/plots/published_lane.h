// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plots/plot_items.h"

#include <QString>

#include <vector>

namespace dyno {

//! Published figures whose place along x was not published: hollow diamonds at their height in a shaded lane at the
//! right edge of the chart, with their values. Drawn on the screen and in exported pictures alike. GUI thread.
class PublishedLane : public CardItem
{
public:
    struct Figure
    {
        int series; //!< of the card
        double value;
        QString text; //!< the value in words
    };
    explicit PublishedLane(PlotCard& card);

    void setFigures(std::vector<Figure> figures);
    void dress(const ThemeColors& colors) { m_colors = &colors; } //!< of the theme drawn in; they stay
    [[nodiscard]] const std::vector<Figure>& figures() const { return m_figures; }
    [[nodiscard]] int width() const;   //!< pixels of the right margin that it takes; 0 without figures
    [[nodiscard]] QRectF area() const; //!< in pixels of the picture
    //! Where the values stood at the last drawing.
    [[nodiscard]] const std::vector<QRectF>& texts() const { return m_texts; }
    [[nodiscard]] static QString label();

protected:
    void draw(QCPPainter* painter) override;

private:
    const ThemeColors* m_colors;
    std::vector<Figure> m_figures;
    std::vector<QRectF> m_texts;
};

} // namespace dyno
