// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A small plot of one counter of the server, chosen from those that the target tells of. GUI thread.
#pragma once

#include "plots/plot_card.h"

#include <dyno/samples.h>

#include <vector>

class QLabel;

namespace dyno {

//! Where no counter is told, a sentence stands in the plot's place.
class CounterPlot : public PlotCard
{
    Q_OBJECT
public:
    explicit CounterPlot(QWidget* parent = nullptr);
    //! Of the run that is shown; none: says so. The counter that was chosen stays where a run has it too.
    void setCounters(const std::vector<CounterInfo>& counters);
    [[nodiscard]] int chosen() const { return m_chosen; } //!< index into the counters, −1 = none
    void choose(int counter);
    //! A value of the chosen counter as it is drawn: bytes in MiB.
    [[nodiscard]] double scaled(double value) const;
    [[nodiscard]] QString valueText(double value) const override; //!< of a drawn value
    //! "Innodb_data_written" and "MiB/s".
    [[nodiscard]] QString counterName() const;
    [[nodiscard]] QString unitText() const;

signals:
    void counterChosen(); //!< other values are to be drawn

private:
    void update();
    void fillMenu(QMenu* menu);

    std::vector<CounterInfo> m_counters;
    int m_chosen = -1;
    std::string m_wanted; //!< name that a person chose
    QPushButton* m_button;
    QLabel* m_none; //!< in the plot's place when there is no counter
};

} // namespace dyno
