// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The side column of the Run page: bars of the points so far, and the event log. GUI thread.
#pragma once

#include "run/run_baseline.h"

#include <QAbstractListModel>
#include <QListView>

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

class EventListModel : public QAbstractListModel
{
    Q_OBJECT
public:
    enum Role { TimeRole = Qt::UserRole + 1, ToneRole };
    explicit EventListModel(const LiveRunModel& model, QObject* parent = nullptr);
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    void refresh(); //!< the live model has another list of events

private:
    const LiveRunModel& m_model;
    int m_rows = 0;
};

//! Newest event first: time, text in the colour of its kind; the tooltip holds the whole text.
class EventList : public QListView
{
    Q_OBJECT
public:
    explicit EventList(EventListModel* model, QWidget* parent = nullptr);
};

//! Both in cards, one above the other.
class RunSide : public QWidget
{
    Q_OBJECT
public:
    RunSide(const LiveRunModel& model, const RunBaseline& baseline,
            QWidget* parent = nullptr); //!< both must outlive it
    [[nodiscard]] EventList& events() const { return *m_events; }
    void setAlone(bool alone); //!< as wide as the page, else a column of its own width

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void showPoints();
    void fitPoints();

    const LiveRunModel& m_model;
    const RunBaseline& m_baseline;
    PointBars* m_bars;
    QScrollArea* m_scroll;
    EventList* m_events;
};

} // namespace dyno
