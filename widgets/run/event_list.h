// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The list of a session's events on the Run page, and what of them is shown. GUI thread.
#pragma once

#include "parts/card.h"
#include "run/session_log.h"

#include <QAbstractListModel>
#include <QListView>

#include <vector>

namespace dyno {

class ChoicePill;
class LiveRunModel;

//! Newest event first; of the whole session, of the run shown, or of one kind.
class EventListModel : public QAbstractListModel
{
    Q_OBJECT
public:
    enum Role { TimeRole = Qt::UserRole + 1, ToneRole };
    explicit EventListModel(const LiveRunModel& model, QObject* parent = nullptr);
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] const LoggedEvent* eventAt(int row) const; //!< nullptr: no such row
    //! "": all; "run": of the run shown; else toText() of an EventKind.
    void setFilter(const QString& filter);

private:
    void refresh();
    [[nodiscard]] bool isShown(const LoggedEvent& event) const;

    const LiveRunModel& m_model;
    QString m_filter;
    std::vector<LoggedEvent> m_rows;
};

//! Time since the session's start, and text in the colour of its kind; the tooltip holds the whole text and the place.
class EventList : public QListView
{
    Q_OBJECT
public:
    explicit EventList(EventListModel* model, QWidget* parent = nullptr);
    [[nodiscard]] const LoggedEvent* eventAt(int row) const { return m_events->eventAt(row); }

signals:
    void eventChosen(const dyno::LoggedEvent& event); //!< by a click, or Return

private:
    EventListModel* m_events;
};

//! The list in a card, with the choice of what it shows.
class EventsCard : public Card
{
    Q_OBJECT
public:
    explicit EventsCard(const LiveRunModel& model, QWidget* parent = nullptr); //!< `model` must outlive it
    [[nodiscard]] EventList& list() const { return *m_list; }

private:
    ChoicePill* m_filter;
    EventList* m_list;
};

} // namespace dyno
