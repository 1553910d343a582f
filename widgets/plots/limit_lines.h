// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plots/plot_items.h"

#include <dyno/device_limits.h>

#include <QStringList>

#include <vector>

namespace dyno {

//! What a disk can do, as dashed lines across the chart with names and figures. One above what is shown is an arrow
//! with its figure at the upper edge. Drawn on the screen and in exported pictures alike. GUI thread.
class LimitLines : public CardItem
{
public:
    explicit LimitLines(PlotCard& card);

    void setLimits(const std::vector<DeviceLimit>& limits) { m_limits = limits; }
    void dress(const ThemeColors& colors) { m_colors = &colors; } //!< of the theme drawn in; they stay
    //! Whether the axis makes room for such a line beside figures up to `highest`: not where it would press them to
    //! the ground.
    [[nodiscard]] static bool fits(double limit, double highest);
    //! "disk reads: 21 400/s"
    [[nodiscard]] static QString text(const DeviceLimit& limit);

    struct Drawn
    {
        QString text;
        QRectF place; //!< of the text, in pixels
        bool line;    //!< false: it lies above what is shown
    };
    [[nodiscard]] const std::vector<Drawn>& drawn() const { return m_drawn; } //!< at the last drawing

protected:
    void draw(QCPPainter* painter) override;

private:
    void write(QCPPainter* painter, const QString& text, double bottom, bool line);

    const ThemeColors* m_colors;
    std::vector<DeviceLimit> m_limits;
    std::vector<Drawn> m_drawn;
};

} // namespace dyno
