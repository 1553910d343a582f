// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The plot of response times, with its switch between linear and logarithmic. GUI thread.
#pragma once

#include "plots/plot_card.h"

namespace dyno {

//! Response times, drawn in milliseconds with plain numbers on a logarithmic axis.
class LatencyPlot : public PlotCard
{
    Q_OBJECT
public:
    explicit LatencyPlot(QWidget* parent = nullptr);
    [[nodiscard]] QString valueText(double value) const override;
    void setLogarithmic(bool on);

private:
    QPushButton* m_linear;
    QPushButton* m_log;
};

} // namespace dyno
