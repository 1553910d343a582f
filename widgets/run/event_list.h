// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The list of a session's events on the Run page, and what of them is shown. GUI thread.
#pragma once

#include "parts/card.h"
#include "run/session_log.h"

#include <QAbstractListModel>
#include <QListView>
#include <QTimer>

#include <memory>
#include <vector>

namespace dyno {

class ChoicePill;
class LiveRunModel;

//! Newest event first; of the whole session, of the run shown, or of one kind.
class EventListModel : public QAbstractListModel
{
    Q_OBJECT
public:
    enum Role { TimeRole = Qt::UserRole + 1, ToneRole, IconRole }; //!< IconRole: the name of the kind's icon
    explicit EventListModel(const LiveRunModel& model, QObject* parent = nullptr);
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] const LoggedEvent* eventAt(int row) const; //!< nullptr: no such row
    //! "": all; "run": of the run shown; else toText() of an EventKind.
    void setFilter(const QString& filter);

private:
    static constexpr int kNoRun = -1;
    //! What the rows are taken from.
    struct Source
    {
        std::shared_ptr<const SessionLog> log; //!< of a replay
        QString filter;
        int run = kNoRun; //!< where the filter asks for it
        bool operator==(const Source&) const = default;
    };
    void refresh();
    void show(std::vector<LoggedEvent> rows);
    [[nodiscard]] bool isShown(const LoggedEvent& event, int run) const;

    const LiveRunModel& m_model;
    QString m_filter;
    Source m_source;
    QTimer m_refresh; //!< once for all that changes at a time
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
    void eventChosen(const dyno::LoggedEvent& event);  //!< by a click, or Return
    void eventEntered(const dyno::LoggedEvent& event); //!< by Return, after it was chosen

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void choose(const QModelIndex& index);

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
