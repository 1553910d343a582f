// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The plot of response times, with its switches: response or service time, linear or logarithmic. GUI thread.
#pragma once

#include "plots/plot_card.h"

namespace dyno {

//! Response times, in the unit of time that fits, with plain numbers on a logarithmic axis.
class LatencyPlot : public PlotCard
{
    Q_OBJECT
public:
    explicit LatencyPlot(QWidget* parent = nullptr);
    [[nodiscard]] QString valueText(double value) const override;
    void updateRanges() override;
    void setLogarithmic(bool on);
    //! Response times are measured apart from service times: shows the choice between them, else it is hidden and what
    //! is drawn is both.
    void setSeparate(bool on);
    void setShowsService(bool on);
    [[nodiscard]] bool showsService() const { return m_separate && m_showsService; }

signals:
    void latencyChosen(); //!< other values are to be drawn; see showsService()

private:
    void updateTitles();
    void followUnit();
    [[nodiscard]] bool graphsHaveData() const;
    bool m_separate = false, m_showsService = false;
    QPushButton* m_response;
    QPushButton* m_service;
    QPushButton* m_linear;
    QPushButton* m_log;
};

} // namespace dyno
