// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/library/library_private.h"

#include "store/library/dyno_file.h"
#include "store/library/new_file.h"
#include "store/library/progress_share.h"
#include "store/library/search_index.h"
#include "store/session/anonymizer.h"
#include "store/session/artefacts.h"
#include "store/session/interval_reader.h"
#include "store/session/session_copy.h"
#include "store/session/warmup_end.h"

#include <algorithm>
#include <array>
#include <fmt/ranges.h>
#include <functional>
#include <iterator>
#include <set>
#include <unistd.h>

namespace dyno {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kKeepRemovedMs = std::int64_t(30) * 24 * 3600 * 1000;
constexpr std::size_t kShortestPrefix = 4;

//! An error of an import that had taken over `taken` sessions of `wanted` by then.
Error afterSome(Error error, std::size_t taken, std::int64_t wanted)
{
    error.message += fmt::format("; {} of the {} sessions are in the library already", taken, wanted);
    error.remedy = "import it again for the others: what is there already is left alone";
    return error;
}

//! True when each row that `sql` gives in the one library is a row in the other; ?1 is the key of the session.
bool holdsAll(Database& from, std::int64_t comes, Database& to, std::int64_t there, const char* sql)
{
    const auto rowsOf = [sql](Database& database, std::int64_t session) {
        std::set<std::string> rows;
        Statement select(database, sql);
        select << session;
        while (select.row())
            rows.emplace(select.text(0));
        return rows;
    };
    return std::ranges::includes(rowsOf(from, comes), rowsOf(to, there));
}

//! True for a session that the library has in part and that comes with more: the library was full or gone, or somebody
//! ran what was missing. Whatever else differs (plan, points, a run that ended here, its seals) shows another session,
//! or one that was changed: it does not take the place of what is there.
bool completes(Database& from, const SessionRow& comes, Database& to, const SessionRow& there)
{
    const auto isOver = [](RunStatus status) { return status == RunStatus::Failed || status == RunStatus::Stopped; };
    const RunStatus status = comes.info.status;
    const bool cut = there.info.status == RunStatus::Cut;
    if ((status != RunStatus::Done && !isOver(status)) || (!cut && !isOver(there.info.status)))
        return false;
    const auto runs = [](Database& database, const SessionRow& row) {
        return database.number(fmt::format("SELECT count(*) FROM run WHERE session = {}", row.key));
    };
    if (!cut && runs(from, comes) <= runs(to, there))
        return false;
    if (Seals(to, there.key).sealed() && !Seals(from, comes.key).sealed())
        return false;
    const std::string sealsOfRuns = fmt::format("SELECT e.part || ' ' || e.idx || ' ' || e.value FROM seal e JOIN run "
                                                "r ON r.session = e.session AND r.idx = e.idx"
                                                " WHERE e.session = ?1 AND e.part >= {} AND r.summary IS NOT NULL",
                                                static_cast<int>(SealPart::Run));
    return std::ranges::all_of(
        std::array{"SELECT workload || char(10) || target || char(10) || software || char(10) || host || char(10) || "
                   "started_ms"
                   " || char(10) || plan FROM session WHERE key = ?1",
                   "SELECT idx || ' ' || label || char(10) || spec FROM point WHERE session = ?1",
                   "SELECT idx || ' ' || point || ' ' || repeat FROM slot WHERE session = ?1",
                   "SELECT idx || ' ' || point || ' ' || repeat || char(10) || summary FROM run WHERE session = ?1"
                   " AND summary IS NOT NULL",
                   sealsOfRuns.c_str()},
        [&](const char* sql) { return holdsAll(from, comes.key, to, there.key, sql); });
}

//! In the notes of a session that was just copied, unless these are damaged themselves.
constexpr std::string_view kDamageNote = "Imported with damage: "; //!< begins a line of the notes

void noteDamage(Database& database, const SessionInfo& session, const std::vector<std::string>& damage)
{
    Statement select(database, "SELECT key FROM session WHERE id = ?");
    select << session.id;
    Seals seals(database, select.row() ? select.integer(0) : 0);
    if (!seals.holds(SealPart::Notes))
        return;
    Statement update(database, "UPDATE session SET notes = ? WHERE id = ?");
    update << fmt::format("{}{}{}{}.", session.notes, session.notes.empty() ? "" : "\n", kDamageNote,
                          fmt::join(damage, "; "))
           << session.id;
    update.run();
    seals.set(SealPart::Notes);
}

//! Notes of a damaged copy, whose place a whole one takes.
std::string withoutDamage(std::string notes)
{
    const std::size_t at = notes.starts_with(kDamageNote) ? 0 : notes.find("\n" + std::string(kDamageNote));
    if (at != std::string::npos)
        notes.erase(at, notes.find('\n', at + 1) - at);
    return notes;
}

//! True when a damaged session here is the recording of which a whole file comes: what was sealed while it was measured
//! is the same. What a person changes later is not looked at.
bool heals(Database& from, const SessionRow& comes, Database& to, const SessionRow& there)
{
    if (damagedParts(to, there.key).empty())
        return false;
    const auto sealsOf = [](Database& database, std::int64_t session) {
        Statement select(database, "SELECT part, idx, value FROM seal WHERE session = ? ORDER BY part, idx");
        select << session;
        std::vector<std::array<std::int64_t, 3>> seals;
        while (select.row()) {
            const auto part = SealPart(select.integer(0));
            const bool recorded = part == SealPart::Setup || part == SealPart::State || part == SealPart::Order ||
                                  part == SealPart::Point || part >= SealPart::Run;
            if (recorded && part != SealPart::Result && part != SealPart::Warmup) // a moved warm-up's end changes both
                seals.push_back({select.integer(0), select.integer(1), select.integer(2)});
        }
        return seals;
    };
    const auto whole = sealsOf(from, comes.key);
    return !whole.empty() && whole == sealsOf(to, there.key);
}

//! After what a person wrote was moved from a part whose seals were right in `held`; nullptr: it had none.
void sealWords(Database& database, const std::string& id, const std::vector<Seals::Held>* held)
{
    std::int64_t key = 0;
    {
        Statement select(database, "SELECT key FROM session WHERE id = ?");
        select << id;
        key = select.row() ? select.integer(0) : 0;
    }
    Seals seals(database, key);
    for (const SealPart part :
         {SealPart::Title, SealPart::Notes, SealPart::Tags, SealPart::Views, SealPart::Annotations, SealPart::Place}) {
        if (!held || std::ranges::find(*held, part, &Seals::Held::part) != held->end())
            seals.set(part);
    }
}

//! Puts the whole session into the place of its part; what a person wrote to the part stays. In the caller's
//! transaction.
void replaceSession(Database& from, const SessionRow& comes, Database& to, const SessionRow& there)
{
    const auto run = [&to](const char* sql, const auto&... values) {
        Statement statement(to, sql);
        (statement << ... << values);
        statement.run();
    };
    Seals part(to, there.key);
    const std::vector<Seals::Held> held = part.held();
    run("UPDATE session SET id = id || '-part' WHERE key = ?", there.key);
    copySession(from, comes, to);
    const std::int64_t whole =
        to.number("SELECT key FROM session WHERE id = (SELECT substr(id, 1, length(id) - 5) FROM session WHERE key = " +
                  std::to_string(there.key) + ")");
    run("DELETE FROM tag WHERE session = ? AND text IN (SELECT text FROM tag WHERE session = ?)", there.key, whole);
    run("DELETE FROM annotation WHERE session = ?1 AND EXISTS(SELECT 1 FROM annotation a WHERE a.session = ?2"
        " AND a.run IS annotation.run AND a.t_ns IS annotation.t_ns AND a.text = annotation.text)",
        there.key, whole);
    run("DELETE FROM view WHERE session = ? AND text IN (SELECT text FROM view WHERE session = ?)", there.key, whole);
    for (const char* table : {"tag", "annotation", "view"}) // behind what comes
        run(fmt::format("UPDATE {0} SET session = ?1, idx = idx + (SELECT coalesce(max(idx), -1) + 1 FROM {0} WHERE "
                        "session = ?1)"
                        " WHERE session = ?2",
                        table)
                .c_str(),
            whole, there.key);
    run("UPDATE session SET archived_ms = (SELECT archived_ms FROM session WHERE key = ?) WHERE key = ?", there.key,
        whole);
    run("UPDATE session SET title = ?, notes = ? WHERE id = ?", there.info.title, withoutDamage(there.info.notes),
        comes.info.id);
    sealWords(to, comes.info.id, part.sealed() ? &held : nullptr);
    run("DELETE FROM session WHERE key = ?", there.key);
    forgetGoneSessions(to);
}

//! Deletes removed sessions that were removed before `before`; gives their pages back.
Expected<void> purge(Database& database, std::int64_t before)
{
    std::vector<std::int64_t> keys;
    {
        Statement found(database, "SELECT key FROM session WHERE removed_ms < ?");
        found << before;
        while (found.row())
            keys.push_back(found.integer(0));
    }
    // A mark that nobody made deletes nothing.
    std::erase_if(keys, [&](std::int64_t key) { return !Seals(database, key).holds(SealPart::Place); });
    if (keys.empty())
        return database.result();
    Transaction transaction(database);
    for (const std::int64_t key : keys) {
        Statement erase(database, "DELETE FROM session WHERE key = ? AND removed_ms < ?");
        erase << key << before;
        erase.run();
    }
    forgetGoneSessions(database);
    if (auto done = transaction.commit(); !done)
        return done;
    database.exec("PRAGMA incremental_vacuum");
    return database.result();
}

} // namespace

Library::Library(std::unique_ptr<Private> p)
    : d(std::move(p))
{
}

Library::~Library() = default;

Expected<std::unique_ptr<Library>> Library::open(const fs::path& file, Mode mode)
{
    auto database = openStore(file, mode);
    if (!database)
        return fail(std::move(database.error()));
    // What cannot be deleted now, on a full disk or while another program writes, is at a later opening.
    if (mode == Mode::ReadWrite)
        (void)purge(**database, nowMs() - kKeepRemovedMs);
    auto p = std::make_unique<Private>();
    p->database = std::move(*database);
    p->file = file;
    p->writable = mode == Mode::ReadWrite;
    return std::unique_ptr<Library>(new Library(std::move(p)));
}

Expected<std::vector<SessionInfo>> Library::sessions(Listing listing)
{
    SearchCondition condition{"s.removed_ms IS NULL", {}, {}};
    if (listing != Listing::All)
        condition.where +=
            listing == Listing::Archived ? " AND s.archived_ms IS NOT NULL" : " AND s.archived_ms IS NULL";
    return d->list(condition);
}

Expected<std::vector<SessionInfo>> Library::search(std::string_view query)
{
    const auto condition = parseSearch(query);
    if (!condition)
        return fail(condition.error());
    return d->list(*condition);
}

Expected<std::vector<SessionInfo>> Library::removed()
{
    return d->list({"s.removed_ms IS NOT NULL", {}, {}});
}

Expected<SessionInfo> Library::info(std::string_view id)
{
    Transaction snapshot(*d->database, Transaction::Kind::Read);
    auto row = d->find(id, false);
    if (!row)
        return fail(row.error());
    if (auto read = snapshot.commit(); !read)
        return fail(std::move(read.error()));
    return std::move(row->info);
}

Expected<std::string> Library::resolveId(std::string_view idOrPrefix)
{
    const auto all = sessions(Listing::All);
    if (!all)
        return fail(all.error());
    if (idOrPrefix == "last") {
        if (all->empty())
            return fail({ErrorKind::BadInput, "there is no session yet", d->file.string(), "run a plan first"});
        return all->front().id;
    }
    std::vector<std::string> found;
    for (const SessionInfo& info : *all) {
        if (info.id == idOrPrefix)
            return info.id;
        if (info.id.starts_with(idOrPrefix))
            found.push_back(info.id);
    }
    if (idOrPrefix.size() < kShortestPrefix && !found.empty()) {
        return fail({ErrorKind::BadInput, fmt::format("\"{}\" is too short to name a session", idOrPrefix),
                     d->file.string(), fmt::format("give at least {} characters", kShortestPrefix)});
    }
    if (found.size() > 1) {
        std::string list;
        for (const std::string& id : found)
            list += (list.empty() ? "" : ", ") + id;
        return fail({ErrorKind::BadInput, fmt::format("\"{}\" can mean {} sessions", idOrPrefix, found.size()),
                     d->file.string(), "give more characters of one of: " + list});
    }
    if (found.empty())
        return fail(d->noSession(idOrPrefix));
    return found.front();
}

Expected<StoredSession> Library::session(std::string_view id)
{
    Transaction snapshot(*d->database, Transaction::Kind::Read);
    const auto row = d->find(id, false);
    if (!row)
        return fail(row.error());
    StoredSession stored = readSession(*d->database, *row);
    if (auto read = snapshot.commit(); !read)
        return fail(std::move(read.error()));
    const auto points = static_cast<int>(stored.header.points.size());
    for (const StoredRun& run : stored.runs) {
        for (const int point : {run.header.point, run.summary.point}) {
            if (point >= 0 && point < points)
                continue;
            return fail({ErrorKind::Storage,
                         fmt::format("run {} belongs to a point that is not there", run.header.index + 1),
                         d->file.string(), "the file is damaged or was made by hand; restore a backup"});
        }
    }
    return stored;
}

Expected<IntervalColumns> Library::columns(std::int64_t run, ColumnParts parts)
{
    Transaction snapshot(*d->database, Transaction::Kind::Read);
    Reading reading = Reading::Whole;
    IntervalColumns columns = readColumns(*d->database, run, parts, &reading);
    if (auto read = snapshot.commit(); !read)
        return fail(std::move(read.error()));
    if (reading != Reading::Whole)
        return fail(d->unreadableRun(run, reading));
    return columns;
}

Expected<std::vector<IntervalSample>> Library::intervals(std::int64_t run, IntervalDetail detail)
{
    Transaction snapshot(*d->database, Transaction::Kind::Read);
    Reading reading = Reading::Whole;
    std::vector<IntervalSample> samples = readIntervals(*d->database, run, detail, &reading);
    if (auto read = snapshot.commit(); !read)
        return fail(std::move(read.error()));
    if (reading != Reading::Whole)
        return fail(d->unreadableRun(run, reading));
    return samples;
}

Expected<std::vector<RunEvent>> Library::events(std::int64_t run)
{
    Transaction snapshot(*d->database, Transaction::Kind::Read);
    std::vector<RunEvent> events = readEvents(*d->database, run);
    const SealedRun place = SealedRun::of(*d->database, run);
    Seals seals(*d->database, place.session);
    // Annotations that are damaged (StoredSession::damage says so) are left out; they are the session's, not the run's.
    std::vector<RunEvent> annotations = readAnnotations(*d->database, run);
    if (seals.holds(SealPart::Annotations, 0, run))
        std::ranges::move(annotations, std::back_inserter(events));
    std::ranges::stable_sort(events, {}, &RunEvent::tNs);
    for (const SealPart part : {SealPart::Events, SealPart::Warmup}) {
        if (!seals.holds(part, place.index, run) && d->database->ok())
            return fail(d->damagedPart(part, place.index));
    }
    if (auto read = snapshot.commit(); !read)
        return fail(std::move(read.error()));
    return events;
}

Expected<std::vector<ArtefactInfo>> Library::artefacts(std::string_view id)
{
    Transaction snapshot(*d->database, Transaction::Kind::Read);
    const auto row = d->find(id, false);
    if (!row)
        return fail(row.error());
    std::vector<ArtefactInfo> infos = readArtefacts(*d->database, row->key);
    if (auto read = snapshot.commit(); !read)
        return fail(std::move(read.error()));
    return infos;
}

Expected<void> Library::artefact(std::string_view id, std::string_view name,
                                 const std::function<bool(std::string_view)>& take)
{
    Transaction snapshot(*d->database, Transaction::Kind::Read);
    const auto row = d->find(id, false);
    if (!row)
        return fail(row.error());
    if (auto given = readArtefact(*d->database, row->key, name, take); !given)
        return given;
    return snapshot.commit();
}

Expected<void> Library::rename(std::string_view id, std::string_view title)
{
    return d->update(id, "title = ?", SealPart::Title, title);
}

Expected<void> Library::setNotes(std::string_view id, std::string_view notes)
{
    return d->update(id, "notes = ?", SealPart::Notes, notes);
}

Expected<void> Library::setTags(std::string_view id, const std::vector<std::string>& tags)
{
    if (auto writableNow = d->needWritable(); !writableNow)
        return writableNow;
    Transaction transaction(*d->database);
    const auto row = d->find(id, false);
    if (!row)
        return fail(row.error());
    Statement erase(*d->database, "DELETE FROM tag WHERE session = ?");
    erase << row->key;
    erase.run();
    Statement insert(*d->database, "INSERT INTO tag(session, idx, text) VALUES(?, ?, ?)");
    for (std::size_t i = 0; i < tags.size(); ++i) {
        // A tag given twice is one tag.
        if (std::find(tags.begin(), tags.begin() + static_cast<std::ptrdiff_t>(i), tags[i]) !=
            tags.begin() + static_cast<std::ptrdiff_t>(i))
            continue;
        insert << row->key << static_cast<std::int64_t>(i) << tags[i];
        insert.run();
    }
    Seals(*d->database, row->key).set(SealPart::Tags);
    return transaction.commit();
}

Expected<void> Library::remove(std::string_view id)
{
    const auto row = d->find(id, true);
    if (!row)
        return fail(row.error());
    if (row->info.status == RunStatus::Running) {
        return fail(
            {ErrorKind::BadInput, "the session is still running", row->info.title, "stop it before you delete it"});
    }
    return row->removed ? Expected<void>() : d->update(id, "removed_ms = ?", SealPart::Place, nowMs());
}

Expected<void> Library::restore(std::string_view id)
{
    return d->update(id, "removed_ms = ?", SealPart::Place, nullptr);
}

Expected<void> Library::erase(std::string_view id)
{
    if (auto writableNow = d->needWritable(); !writableNow)
        return writableNow;
    const auto row = d->find(id, true);
    if (!row)
        return fail(row.error());
    if (row->info.status == RunStatus::Running)
        return fail(
            {ErrorKind::BadInput, "the session is still running", row->info.title, "stop it before you delete it"});
    Transaction transaction(*d->database);
    Statement erase(*d->database, "DELETE FROM session WHERE key = ?");
    erase << row->key;
    erase.run();
    forgetGoneSessions(*d->database);
    return transaction.commit();
}

Expected<void> Library::purgeRemoved()
{
    if (auto writableNow = d->needWritable(); !writableNow)
        return writableNow;
    return purge(*d->database, INT64_MAX);
}

Expected<StoredRun> Library::moveWarmupEnd(std::int64_t run, std::int64_t endNs)
{
    return d->changeRun(run, [this, endNs](const StoredSession& session, const StoredRun& stored) {
        return dyno::moveWarmupEnd(*d->database, session, stored, endNs);
    });
}

Expected<StoredRun> Library::restoreWarmupEnd(std::int64_t run)
{
    return d->changeRun(run, [this](const StoredSession&, const StoredRun& stored) {
        return dyno::restoreWarmupEnd(*d->database, stored.id);
    });
}

Expected<void> Library::exportSession(std::string_view id, const fs::path& file, Privacy privacy)
{
    std::error_code error;
    if (fs::is_directory(file, error)) {
        return fail({ErrorKind::BadInput, "this is a folder", file.string(), "name a file in it"});
    }
    if (fs::equivalent(file, d->file, error)) {
        return fail({ErrorKind::BadInput, "the session is in this file already", file.string(), "name another file"});
    }
    const Draft draft(file);
    const auto write = [&]() -> Expected<void> {
        if (auto made = createStore(draft.file(), FileKind::DynoFile); !made)
            return made;
        auto target = Database::open(draft.file(), Database::Access::ReadWrite);
        if (!target)
            return fail(std::move(target.error()));
        Transaction snapshot(*d->database, Transaction::Kind::Read);
        const auto row = d->find(id, false);
        if (!row)
            return fail(row.error());
        Transaction transaction(**target);
        copySession(*d->database, *row, **target);
        if (auto read = snapshot.commit(); !read)
            return read;
        if (auto written = transaction.commit(); !written)
            return written;
        if (privacy == Privacy::Anonymous) {
            if (auto changed = anonymize(**target); !changed)
                return changed;
        }
        (*target)->exec("VACUUM");
        return (*target)->result();
    };
    if (auto written = write(); !written)
        return fail(draft.named(std::move(written.error())));
    return draft.takeName();
}

Expected<std::vector<std::string>> Library::importFile(const fs::path& file, std::vector<std::string>* left,
                                                       DamagedParts* damaged)
{
    if (auto writableNow = d->needWritable(); !writableNow)
        return fail(std::move(writableNow.error()));
    auto source = openStore(file, Mode::ReadOnly);
    if (!source)
        return fail(std::move(source.error()));
    LibraryCheck check;
    {
        const ProgressShare part(**source, 0, 0.5, 2);
        if (auto checked = checkPages(**source); !checked)
            return fail(std::move(checked.error()));
        findBrokenSamples(**source, check, SealedDamage::PassedOver);
    }
    const Error cancelled = ProgressShare::cancelled(d->file);
    if (ProgressShare::ended())
        return fail(cancelled);
    if (!check.problems.empty()) {
        return fail({ErrorKind::BadInput, "the file is damaged: " + check.problems.front(), file.string(),
                     "restore a backup or copy the file again; nothing was imported"});
    }
    Transaction snapshot(**source, Transaction::Kind::Read);
    std::vector<std::string> ids;
    std::vector<SessionRow> rows = readSessions(**source);
    std::reverse(rows.begin(), rows.end()); // oldest first, as they came
    // A mark that nobody made hides nothing.
    const auto skipped = [&source](const SessionRow& row) {
        return row.removed && Seals(**source, row.key).holds(SealPart::Place);
    };
    const auto wanted = std::ranges::count_if(rows, std::not_fn(skipped));
    for (const SessionRow& row : rows) {
        if (skipped(row))
            continue;
        const double done = 0.5 + 0.5 * double(ids.size()) / double(wanted);
        const ProgressShare part(**source, done, done);
        if (ProgressShare::ended())
            return fail(ids.empty() ? cancelled : afterSome(cancelled, ids.size(), wanted));
        // One transaction a session: a program that records into this library waits for no more than one.
        const std::vector<std::string> damage = damagedParts(**source, row.key);
        Transaction transaction(*d->database);
        const std::vector<SessionRow> there = readSessions(*d->database, row.info.id);
        bool stays = false;
        if (there.empty()) {
            copySession(**source, row, *d->database);
            if (!damage.empty())
                noteDamage(*d->database, row.info, damage);
        } else if (damage.empty() && (completes(**source, row, *d->database, there.front()) ||
                                      heals(**source, row, *d->database, there.front()))) {
            replaceSession(**source, row, *d->database, there.front());
        } else {
            stays = true;
            // Whoever imports it wants to see it, also when it was removed here before.
            Seals seals(*d->database, there.front().key);
            const bool whole = seals.holds(SealPart::Place);
            Statement restore(*d->database, "UPDATE session SET removed_ms = NULL WHERE id = ?");
            restore << row.info.id;
            restore.run();
            if (whole)
                seals.set(SealPart::Place);
        }
        auto copied = (*source)->result();
        if (copied)
            copied = transaction.commit();
        if (!copied) {
            return fail(ids.empty() ? std::move(copied.error())
                                    : afterSome(std::move(copied.error()), ids.size(), wanted));
        }
        ids.push_back(row.info.id);
        if (stays && left)
            left->push_back(row.info.id);
        if (!stays && !damage.empty() && damaged)
            damaged->emplace(row.info.id, damage);
    }
    if (auto read = snapshot.commit(); !read)
        return fail(std::move(read.error()));
    return ids;
}

} // namespace dyno
