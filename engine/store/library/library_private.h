// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the parts of Library share.
#pragma once

#include "base/wall_clock.h"
#include "store/library/database.h"
#include "store/library/progress_share.h"
#include "store/session/interval_blocks.h"
#include "store/session/interval_reader.h"
#include "store/session/seals.h"
#include "store/session/session_reader.h"
#include <dyno/library.h>

#include <algorithm>
#include <fmt/format.h>

namespace dyno {

enum class SealedDamage { Found, PassedOver };
//! Histograms that cannot be read, and rows that no run of ours leaves; adds to the problems. PassedOver: without what
//! damagedParts() names.
void findBrokenSamples(Database& database, LibraryCheck& check, SealedDamage sealed = SealedDamage::Found);
//! What of a session does not fit its seal, a phrase each; nothing of one without seals.
[[nodiscard]] std::vector<std::string> damagedParts(Database& database, std::int64_t session);

struct Library::Private
{
    std::unique_ptr<Database> database;
    std::filesystem::path file;
    bool writable = false;

    Error noSession(std::string_view id) const
    {
        return {ErrorKind::BadInput, fmt::format("there is no session \"{}\"", id), file.string(),
                "`dyno sessions` lists them"};
    }

    Error unreadableRun(std::int64_t run, Reading reading) const
    {
        if (reading == Reading::Changed)
            return {ErrorKind::Storage,
                    fmt::format("the series of run {} have changed since the session was read", run), file.string(),
                    "read it again"};
        if (reading == Reading::TooLarge) {
            return {ErrorKind::Storage,
                    fmt::format("run {} has more intervals or histograms than are read at a time (4 GiB)", run),
                    file.string(), "nothing is damaged: its summary, and exports to .dyno, are there"};
        }
        return damageError(fmt::format("the intervals of run {} are damaged", run), file);
    }

    Expected<void> needWritable() const
    {
        if (writable)
            return {};
        return fail({ErrorKind::Storage, "the file is open for reading only", file.string(),
                     "import it into a library to change it"});
    }

    Expected<SessionRow> find(std::string_view id, bool removedToo)
    {
        std::vector<SessionRow> rows = readSessions(*database, id);
        if (auto read = database->result(); !read)
            return fail(std::move(read.error()));
        if (rows.empty() || (rows.front().removed && !removedToo))
            return fail(noSession(id));
        return std::move(rows.front());
    }

    Expected<std::vector<SessionInfo>> list(const SearchCondition& condition)
    {
        Transaction snapshot(*database, Transaction::Kind::Read);
        std::vector<SessionInfo> infos;
        for (SessionRow& row : readSessions(*database, condition))
            infos.push_back(std::move(row.info));
        if (auto read = snapshot.commit(); !read)
            return fail(std::move(read.error()));
        return infos;
    }

    //! Plain rows of sessions that have ended, as an older version or a killed process left them; the first part of a
    //! watched whole, up to `share`.
    Expected<void> packAll(double share)
    {
        const std::vector<SessionRow> rows = readSessions(*database);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (rows[i].info.status == RunStatus::Running)
                continue;
            const double done = share * double(i) / double(rows.size());
            const ProgressShare part(*database, done, done);
            if (ProgressShare::ended())
                return fail(ProgressShare::cancelled(file));
            Transaction transaction(*database);
            packSession(*database, rows[i].key);
            if (auto packed = transaction.commit(); !packed)
                return packed;
        }
        return database->result();
    }

    //! Runs `change` on a run of a session that has ended, in one transaction; the run as it is then.
    template<class Change>
    Expected<StoredRun> changeRun(std::int64_t key, const Change& change)
    {
        const auto runOf = [key](const StoredSession& session) {
            return std::ranges::find(session.runs, key, &StoredRun::id);
        };
        const auto changed = changeSession(
            key, [&](const StoredSession& session) -> Expected<void> { return change(session, *runOf(session)); });
        if (!changed)
            return fail(changed.error());
        return *runOf(*changed);
    }

    //! Several runs of the session that this run is of, all or none; likewise.
    template<class Change>
    Expected<StoredSession> changeSession(std::int64_t key, const Change& change)
    {
        if (auto writableNow = needWritable(); !writableNow)
            return fail(std::move(writableNow.error()));
        Transaction transaction(*database);
        const auto row = find(sessionOfRun(*database, key), false);
        if (!row)
            return fail({ErrorKind::BadInput, "there is no such run", file.string(), "`dyno show` lists them"});
        if (row->info.status == RunStatus::Running) {
            return fail(
                {ErrorKind::BadInput, "the session is still running", row->info.title, "wait for its end, or stop it"});
        }
        StoredSession session = readSession(*database, *row);
        if (Expected<void> changed = change(session); !changed)
            return fail(std::move(changed.error()));
        session = readSession(*database, *row);
        if (auto done = transaction.commit(); !done)
            return fail(std::move(done.error()));
        return session;
    }

    //! UPDATE session SET `assignment` (one place for a value) WHERE id, and seals the part that this replaces.
    template<class T>
    Expected<void> update(std::string_view id, const char* assignment, SealPart part, T value)
    {
        if (auto writableNow = needWritable(); !writableNow)
            return writableNow;
        Transaction transaction(*database);
        {
            Statement statement(*database, fmt::format("UPDATE session SET {} WHERE id = ? RETURNING key", assignment));
            statement << value << id;
            std::int64_t key = 0;
            while (statement.row())
                key = statement.integer(0);
            if (database->ok() && key == 0)
                return fail(noSession(id));
            Seals(*database, key).set(part);
        }
        return transaction.commit();
    }

    Error damagedPart(SealPart part, std::int64_t index = 0) const
    {
        return damageError(Seals::damageOf(part, index), file);
    }
};

} // namespace dyno
