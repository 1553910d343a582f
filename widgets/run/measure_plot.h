// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A small plot of one measure of a run, chosen by a person or by what matters most. GUI thread.
#pragma once

#include "plots/plot_card.h"
#include "run/run_measures.h"

#include <optional>

class QAction;
class QActionGroup;
class QLabel;
class QMimeData;

namespace dyno {

class MeasurePlot;

//! What is dragged with the mouse: series by their RunMeasure::id, or a plot.
inline constexpr const char* kSeriesMime = "application/x-dynobench-series"; //!< ids, a zero between them
inline constexpr const char* kPlotMime = "application/x-dynobench-plot";
[[nodiscard]] QByteArray plotToDrag(const MeasurePlot& plot); //!< of this process alone, while it is there
[[nodiscard]] QByteArray seriesToDrag(const QStringList& ids);
[[nodiscard]] QStringList draggedSeries(const QMimeData& data); //!< empty: none are dragged

//! Where there is no measure for it, a sentence stands in the plot's place. Its head can be dragged; Ctrl+Shift+Left
//! and Right move it, Delete removes it.
class MeasurePlot : public PlotCard
{
    Q_OBJECT
public:
    //! `number`: of the plot among its neighbours, from 1; it is in its object names. `color`: of its line.
    MeasurePlot(int number, int color, QWidget* parent = nullptr);
    void setNumber(int number);
    [[nodiscard]] int number() const { return m_number; }
    //! RunMeasure::id of what it shows in each run that has it; "": what the others leave. Counts from setMeasures().
    void want(const QString& id) { m_wanted = id; }
    //! Of the run that is shown, and which of them it shows unless another one is wanted; −1 = none.
    void setMeasures(RunMeasures measures, int usual);
    [[nodiscard]] int chosen() const { return m_chosen; }            //!< index into the measures, −1 = none
    [[nodiscard]] const RunMeasure* measure() const;                 //!< the chosen one; nullptr for none
    [[nodiscard]] const QString& wanted() const { return m_wanted; } //!< RunMeasure::id that a person chose, or ""
    void choose(int measure);
    //! CPU time of whatever it is in cores, so that plots beside each other have one axis.
    void setInCores(bool on);
    void clearValues();
    //! Those it has not got yet, all after another choice; what is not known is a gap in the line.
    void addValues(const RunSeries& series);
    [[nodiscard]] double highest() const { return m_highest; } //!< of all drawn values, and the least end of the axis
    [[nodiscard]] QString valueText(double value) const override; //!< of a drawn value
    [[nodiscard]] QWidget& chooser() const;                       //!< the button of its menu
    void setRemovable(bool on) { m_removable = on; }

signals:
    void measureChosen(); //!< other values are to be drawn
    void formulaWanted(); //!< its own is to be changed
    void removeWanted();
    void moveWanted(int by); //!< places

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] bool isInCores() const;
    [[nodiscard]] QString shownUnit() const;
    [[nodiscard]] double shownScale() const;
    [[nodiscard]] double ceiling() const;
    void update();
    void showValue(); //!< that is under the crosshair, in the place of the unit
    void fillMenu(QMenu* menu);
    void addPlaces(QMenu* menu); //!< to move it to, and away
    void addSearch(QMenu* menu, QActionGroup* group);
    //! Entries of the open menu that have all these words: of what is offered anyway, and of what is kept beside it.
    void find(QMenu* menu, QActionGroup* group, const QString& text);
    QAction* addEntry(QMenu* menu, QActionGroup* group, int measure, QAction* before);
    void startDrag();

    RunMeasures m_measures;
    int m_number = 0;
    int m_chosen = -1;
    bool m_inCores = false, m_removable = true;
    double m_highest = 0;
    qsizetype m_drawn = 0; //!< entries of the series that it has
    QString m_drawnId;     //!< RunMeasure::id of what they are
    QString m_wanted;
    QPushButton* m_button;
    QMenu* m_menu;
    QLabel* m_none;                  //!< in the plot's place when there is no measure
    std::optional<QPoint> m_pressed; //!< on its head
};

} // namespace dyno
