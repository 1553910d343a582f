// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A small plot of one measure of a run, chosen by a person or by what matters most. GUI thread.
#pragma once

#include "plots/plot_card.h"
#include "run/run_measures.h"

#include <vector>

class QAction;
class QActionGroup;
class QLabel;

namespace dyno {

//! Where there is no measure left for it, a sentence stands in the plot's place.
class MeasurePlot : public PlotCard
{
    Q_OBJECT
public:
    //! `number`: of the plot among its neighbours, from 1; it is in its object names. `color`: of its line.
    MeasurePlot(int number, int color, QWidget* parent = nullptr);
    //! Of the run that is shown, and which of them it shows unless the one that a person chose is there; −1 = none.
    void setMeasures(const std::vector<RunMeasure>& measures, int usual);
    [[nodiscard]] int chosen() const { return m_chosen; }            //!< index into the measures, −1 = none
    [[nodiscard]] const RunMeasure* measure() const;                 //!< the chosen one; nullptr for none
    [[nodiscard]] const QString& wanted() const { return m_wanted; } //!< RunMeasure::id that a person chose, or ""
    void choose(int measure);
    [[nodiscard]] QString valueText(double value) const override; //!< of a drawn value

signals:
    void measureChosen(); //!< other values are to be drawn

private:
    void update();
    void showValue(); //!< that is under the crosshair, in the place of the unit
    void fillMenu(QMenu* menu);
    void addSearch(QMenu* menu, QActionGroup* group);
    //! Entries of the open menu that have all these words: of what is offered anyway, and of what is kept beside it.
    void find(QMenu* menu, QActionGroup* group, const QString& text);
    QAction* addEntry(QMenu* menu, QActionGroup* group, int measure);

    std::vector<RunMeasure> m_measures;
    int m_chosen = -1;
    QString m_wanted;
    QPushButton* m_button;
    QLabel* m_none; //!< in the plot's place when there is no measure
};

} // namespace dyno
