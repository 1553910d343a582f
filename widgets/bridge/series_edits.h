// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Series of a Prometheus server that are stored beside a session's own counters, and taken away again. GUI thread.
#pragma once

#include "bridge/library_worker.h"

#include <dyno/added_series.h>

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <vector>

namespace dyno {

class AppContext;

//! Writes in the background; each change can be undone (LibraryUndo). Asks no server: a redo stores what was read.
class SeriesEdits : public QObject
{
    Q_OBJECT
public:
    using Done = std::function<void(const Expected<void>& result)>;

    //! Of this window; made when it is first asked for.
    static SeriesEdits& of(AppContext& context);

    //! All runs get theirs, or none does. `done` follows. A very large step cannot be undone, and says so.
    void add(const QString& session, std::shared_ptr<const SessionAdditions> all, Done done);
    //! All that was added to any run; says in a message what was done, or why not.
    void remove(const QString& session);
    [[nodiscard]] bool busy() const { return m_worker.busy(); }

signals:
    //! The session may have other added series now; `added`: those it did not have.
    void changed(const QString& session, const std::vector<dyno::CounterInfo>& added);

private:
    using Changes = std::shared_ptr<const SeriesChanges>;
    using NotDone = std::function<void(const Error& error)>;
    explicit SeriesEdits(AppContext& context);
    //! Does it again, or takes it back; a step of LibraryUndo.
    [[nodiscard]] std::function<void(NotDone notDone)> act(const QString& session, Changes changes, bool back,
                                                           std::vector<CounterInfo> added);
    //! Tells what was done, and keeps the step.
    void finish(const QString& session, const Changes& changes, bool adding);
    void tell(const QString& session, const std::vector<CounterInfo>& added);

    AppContext& m_context;
    LibraryWorker m_worker;
};

} // namespace dyno
