// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plots/qcp.h"

#include <QPointer>

namespace dyno {

//! The colours of a bar chart's series, in lines above its bars. GUI thread.
class BarLegend
{
public:
    explicit BarLegend(QCustomPlot& plot);
    //! `series`: what is drawn of each, bars or published figures; none: no legend.
    void show(const std::vector<QCPAbstractPlottable*>& series);
    void layOut(double width); //!< as many in a line as fit, close to each other at the left
    void dress(const QColor& text);
    [[nodiscard]] int height() const { return m_legend ? m_legend->maximumSize().height() : 0; }

private:
    QCustomPlot& m_plot;
    QPointer<QCPLegend> m_legend;
};

} // namespace dyno
