// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The side column of the Run page: what moved, bars of the points so far, and the list of events. GUI thread.
#pragma once

#include "run/event_list.h"
#include "run/moved_card.h"
#include "run/run_baseline.h"

class QScrollArea;

namespace dyno {

//! One bar a point, growing while it is measured; a tick where the baseline session was.
class PointBars : public QWidget
{
    Q_OBJECT
public:
    explicit PointBars(QWidget* parent = nullptr);
    void setPoints(std::vector<PointProgress> points);
    [[nodiscard]] int shownCount() const { return int(m_points.size()); } //!< points with a figure, or current
    [[nodiscard]] int tickCount() const;                                  //!< of the baseline
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QRect currentRect() const; //!< place of the point under way, null if there is none

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] static QString valueOf(const PointProgress& point);
    std::vector<PointProgress> m_points;
};

//! In cards, one above the other.
class RunSide : public QWidget
{
    Q_OBJECT
public:
    RunSide(const LiveRunModel& model, const RunBaseline& baseline,
            QWidget* parent = nullptr); //!< both must outlive it
    [[nodiscard]] MovedCard& moved() const { return *m_moved; }
    [[nodiscard]] EventList& events() const { return m_events->list(); }
    void addCard(QWidget* card); //!< above the events
    void setAlone(bool alone);   //!< as wide as the page, else a column of its own width

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void showPoints();
    void fitPoints();

    const LiveRunModel& m_model;
    const RunBaseline& m_baseline;
    PointBars* m_bars;
    QScrollArea* m_scroll;
    MovedCard* m_moved;
    EventsCard* m_events;
};

} // namespace dyno
