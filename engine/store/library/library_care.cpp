// SPDX-License-Identifier: GPL-3.0-or-later
// What keeps a library in order: archive, annotations, named views, checks, copies, moving.
#include "store/library/library_private.h"

#include "base/private_files.h"
#include "store/codec/session_codec.h"
#include "store/library/dyno_file.h"
#include "store/library/new_file.h"
#include "store/library/progress_share.h"
#include "store/library/search_index.h"
#include "store/session/interval_blocks.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dyno {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostProblems = 100;

Expected<void> needIdle(Database& database)
{
    for (const SessionRow& row : readSessions(database)) {
        if (row.info.status == RunStatus::Running)
            return fail(
                {ErrorKind::BadInput, "a session is being recorded", row.info.title, "wait for its end, or stop it"});
    }
    return database.result();
}

Expected<void> copyWhole(Database& database, const fs::path& file)
{
    if (ProgressShare::ended())
        return fail(ProgressShare::cancelled(database.file()));
    // VACUUM fills an empty file; one that it made itself could be read by everybody.
    const int made = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (made < 0)
        return fail({ErrorKind::Storage, fmt::format("the file cannot be made ({})", std::strerror(errno)),
                     file.string(), "choose another folder"});
    ::close(made);
    Statement vacuum(database, "VACUUM INTO ?");
    vacuum << file.string();
    vacuum.run();
    return database.result();
}

//! Rows of `sql`, each as one problem.
void findProblems(Database& database, const std::string& sql, LibraryCheck& check)
{
    Statement select(database, sql);
    while (check.problems.size() < kMostProblems && select.row()) {
        if (select.text(0) != "ok")
            check.problems.push_back(select.text(0));
    }
    if (auto read = database.result(); !read && check.problems.size() < kMostProblems)
        check.problems.push_back(read.error().message);
}

void findBrokenBlocks(Database& database, LibraryCheck& check, SealedDamage sealed)
{
    findProblems(
        database,
        "SELECT 'run ' || run || ': packed intervals and rows overlap' FROM block b WHERE part = 0 AND EXISTS (SELECT 1"
        " FROM interval i WHERE i.run = b.run AND i.idx < b.first + b.intervals) GROUP BY run",
        check);
    findProblems(
        database,
        "SELECT 'run ' || run || ' has a block of a series that is not there' FROM block b WHERE part NOT BETWEEN 0 "
        "AND 3"
        " OR part IN (1, 2) AND series NOT BETWEEN -1 AND (SELECT count(*) FROM op WHERE run = b.run) - 1"
        " OR part = 3 AND series NOT BETWEEN 0 AND (SELECT count(*) FROM counter WHERE run = b.run) - 1 GROUP BY run",
        check);
    Statement select(database, "SELECT DISTINCT run FROM block");
    while (check.problems.size() < kMostProblems && select.row()) {
        const std::int64_t run = select.integer(0);
        const std::string problem = blockProblem(database, run);
        const bool passedOver =
            sealed == SealedDamage::PassedOver && problem == kDamagedBlock && SealedRun::of(database, run).sealed;
        if (!problem.empty() && !passedOver)
            check.problems.push_back(fmt::format("run {}: {}", run, problem));
    }
}

//! As Library::session() reads them: a summary names its point too.
void findStraySummaries(Database& database, LibraryCheck& check)
{
    Statement select(database,
                     "SELECT r.idx, r.summary, (SELECT count(*) FROM point p WHERE p.session = r.session) FROM run r"
                     " WHERE r.summary IS NOT NULL");
    while (check.problems.size() < kMostProblems && select.row()) {
        const int point = codec::readSummary(select.bytes(1)).point;
        if (point < 0 || point >= select.integer(2))
            check.problems.push_back(
                fmt::format("the summary of run {} is of a point that is not there", select.integer(0) + 1));
    }
}

void findBrokenSeals(Database& database, LibraryCheck& check)
{
    Statement select(database, "SELECT key, id FROM session ORDER BY key");
    while (check.problems.size() < kMostProblems && select.row()) {
        Seals seals(database, select.integer(0));
        for (const auto& [part, index] : seals.broken()) {
            if (check.problems.size() < kMostProblems)
                check.problems.push_back(
                    fmt::format("session {}: {}", select.text(1).substr(0, 8), Seals::damageOf(part, index)));
        }
    }
    Statement change(database, "SELECT key, name, target FROM knob_change ORDER BY key");
    while (check.problems.size() < kMostProblems && change.row()) {
        if (!knobChangeHolds(database, change.integer(0)))
            check.problems.push_back(
                fmt::format("the record of the changed setting {} of {} is damaged", change.text(1), change.text(2)));
    }
    if (auto read = database.result(); !read && check.problems.size() < kMostProblems)
        check.problems.push_back(read.error().message);
}

} // namespace

std::vector<std::string> damagedParts(Database& database, std::int64_t session)
{
    std::vector<std::string> parts;
    Seals seals(database, session);
    if (!seals.sealed())
        return parts;
    const auto broken = seals.broken();
    for (const auto& [part, index] : broken)
        parts.push_back(Seals::damageOf(part, index));
    Statement runs(database, "SELECT key, idx FROM run WHERE session = ? ORDER BY idx");
    runs << session;
    while (runs.row()) { // the content of blocks has seals of its own
        const auto isOfIntervals = [index = runs.integer(1)](const std::pair<SealPart, std::int64_t>& one) {
            return one.second == index && one.first >= SealPart::Rows;
        };
        if (std::ranges::none_of(broken, isOfIntervals) && blockProblem(database, runs.integer(0)) == kDamagedBlock)
            parts.push_back(fmt::format("the intervals of run {} are damaged", runs.integer(1) + 1));
    }
    return parts;
}

void findBrokenSamples(Database& database, LibraryCheck& check, SealedDamage sealed)
{
    const bool all = sealed == SealedDamage::Found;
    Statement select(database, fmt::format("SELECT run, interval, service, response FROM interval_op{}",
                                           all ? ""
                                               : " i JOIN run r ON r.key = i.run JOIN session s ON s.key = r.session"
                                                 " WHERE s.seals IS NULL AND NOT EXISTS"
                                                 " (SELECT 1 FROM seal WHERE session = s.key)"));
    std::int64_t told = 0;
    while (check.problems.size() < kMostProblems && select.row()) {
        for (const int column : {2, 3}) {
            bool whole = select.isNull(column);
            if (!whole)
                (void)Histogram::fromBlob(select.bytes(column), &whole);
            if (!whole && told != select.integer(0)) { // one of a run is enough
                told = select.integer(0);
                check.problems.push_back(
                    fmt::format("run {}: a histogram of interval {} is damaged", told, select.integer(1)));
            }
        }
    }
    if (all)
        findBrokenSeals(database, check);
    findBrokenBlocks(database, check, sealed);
    findProblems(
        database,
        "SELECT 'run ' || idx || ' of a session belongs to a point that is not there' FROM run r WHERE NOT EXISTS"
        " (SELECT 1 FROM point p WHERE p.session = r.session AND p.idx = r.point)",
        check);
    findProblems(
        database,
        "SELECT 'planned run ' || (idx + 1) || ' of a session belongs to a point that is not there' FROM slot s"
        " WHERE NOT EXISTS (SELECT 1 FROM point p WHERE p.session = s.session AND p.idx = s.point)",
        check);
    findStraySummaries(database, check);
    findProblems(database,
                 "SELECT 'run ' || run || ': interval ' || idx || ' has an impossible time' FROM interval"
                 " WHERE t_ns NOT BETWEEN 0 AND 1000000000000000000 OR length_ns NOT BETWEEN 1 AND 1000000000000000000",
                 check);
    findProblems(database,
                 "SELECT 'run ' || run || ' has too many operation kinds' FROM op GROUP BY run HAVING count(*) > 1000",
                 check);
    findProblems(database,
                 "SELECT 'run ' || run || ' has too many counters' FROM counter GROUP BY run HAVING count(*) > 10000",
                 check);
    if (auto read = database.result(); !read)
        check.problems.push_back(read.error().message);
}

Expected<void> Library::setArchived(std::string_view id, bool archived)
{
    return archived ? d->update(id, "archived_ms = ?", SealPart::Place, nowMs())
                    : d->update(id, "archived_ms = ?", SealPart::Place, nullptr);
}

Expected<std::vector<Annotation>> Library::annotations(std::string_view id)
{
    Transaction snapshot(*d->database, Transaction::Kind::Read);
    const auto row = d->find(id, false);
    if (!row)
        return fail(row.error());
    std::vector<Annotation> found;
    Statement select(*d->database, "SELECT a.idx, r.key, a.t_ns, a.created_ms, a.text FROM annotation a"
                                   " JOIN run r ON r.session = a.session AND r.idx = a.run"
                                   " WHERE a.session = ? AND a.t_ns IS NOT NULL ORDER BY a.run, a.t_ns, a.idx");
    select << row->key;
    while (select.row())
        found.push_back({select.integer(0), select.integer(1), select.integer(2), select.integer(3), select.text(4)});
    if (!Seals(*d->database, row->key).holds(SealPart::Annotations) && d->database->ok())
        return fail(d->damagedPart(SealPart::Annotations));
    if (auto read = snapshot.commit(); !read)
        return fail(std::move(read.error()));
    return found;
}

Expected<Annotation> Library::annotate(std::int64_t run, std::int64_t tNs, std::string_view text)
{
    if (auto writableNow = d->needWritable(); !writableNow)
        return fail(std::move(writableNow.error()));
    Transaction transaction(*d->database);
    std::int64_t session = 0, index = 0, end = 0;
    {
        Statement select(*d->database,
                         "SELECT session, idx, (SELECT max(t_ns + length_ns) FROM phase WHERE run = r.key)"
                         " FROM run r WHERE key = ?");
        select << run;
        if (!select.row())
            return fail({ErrorKind::BadInput, "there is no such run", d->file.string(), "`dyno show` lists them"});
        session = select.integer(0);
        index = select.integer(1);
        end = select.integer(2);
    }
    Seals seals(*d->database, session);
    if (!seals.holds(SealPart::Phases, index, run)) // they say how long the run is
        return fail(d->damagedPart(SealPart::Phases, index));
    if (text.empty() || tNs < 0 || tNs > end) {
        return fail({ErrorKind::BadInput,
                     text.empty() ? std::string("there is nothing to write")
                                  : fmt::format("{:.1f} s is not within the run, which is {:.1f} s long",
                                                static_cast<double>(tNs) * 1e-9, static_cast<double>(end) * 1e-9),
                     fmt::format("run {}", index + 1),
                     "give a text, and a time between the run's beginning and its end"});
    }
    if (!seals.holds(SealPart::Annotations)) // a new seal would hide the damage
        return fail(d->damagedPart(SealPart::Annotations));
    Annotation made{0, run, tNs, nowMs(), std::string(text)};
    {
        Statement next(*d->database, "SELECT coalesce(max(idx) + 1, 0) FROM annotation WHERE session = ?");
        next << session;
        made.id = next.row() ? next.integer(0) : 0;
    }
    Statement insert(*d->database,
                     "INSERT INTO annotation(session, idx, run, t_ns, created_ms, text) VALUES(?, ?, ?, ?, ?, ?)");
    insert << session << made.id << index << tNs << made.createdMs << text;
    insert.run();
    seals.set(SealPart::Annotations);
    if (auto done = transaction.commit(); !done)
        return fail(std::move(done.error()));
    return made;
}

Expected<void> Library::removeAnnotation(std::string_view id, std::int64_t annotation)
{
    if (auto writableNow = d->needWritable(); !writableNow)
        return writableNow;
    Transaction transaction(*d->database);
    const auto row = d->find(id, false);
    if (!row)
        return fail(row.error());
    Seals seals(*d->database, row->key);
    if (!seals.holds(SealPart::Annotations))
        return fail(d->damagedPart(SealPart::Annotations));
    Statement erase(*d->database, "DELETE FROM annotation WHERE session = ? AND idx = ?");
    erase << row->key << annotation;
    erase.run();
    if (d->database->ok() && d->database->changes() == 0)
        return fail({ErrorKind::BadInput, "there is no such annotation", row->info.title, "it may be gone already"});
    seals.set(SealPart::Annotations);
    return transaction.commit();
}

Expected<std::vector<NamedView>> Library::namedViews(std::string_view id)
{
    Transaction snapshot(*d->database, Transaction::Kind::Read);
    const auto row = d->find(id, false);
    if (!row)
        return fail(row.error());
    std::vector<NamedView> views;
    Statement select(*d->database, "SELECT name, text FROM view WHERE session = ? ORDER BY idx");
    select << row->key;
    while (select.row())
        views.push_back({select.text(0), select.text(1)});
    if (!Seals(*d->database, row->key).holds(SealPart::Views) && d->database->ok())
        return fail(d->damagedPart(SealPart::Views));
    if (auto read = snapshot.commit(); !read)
        return fail(std::move(read.error()));
    return views;
}

Expected<void> Library::setNamedViews(std::string_view id, const std::vector<NamedView>& views)
{
    if (auto writableNow = d->needWritable(); !writableNow)
        return writableNow;
    Transaction transaction(*d->database);
    const auto row = d->find(id, false);
    if (!row)
        return fail(row.error());
    Statement erase(*d->database, "DELETE FROM view WHERE session = ?");
    erase << row->key;
    erase.run();
    Statement insert(*d->database, "INSERT INTO view(session, idx, name, text) VALUES(?, ?, ?, ?)");
    for (std::size_t i = 0; i < views.size(); ++i) {
        insert << row->key << static_cast<std::int64_t>(i) << views[i].name << views[i].text;
        insert.run();
    }
    Seals(*d->database, row->key).set(SealPart::Views);
    return transaction.commit();
}

Expected<LibraryCheck> Library::check()
{
    LibraryCheck check;
    Transaction snapshot(*d->database, Transaction::Kind::Read);
    check.sessions = d->database->number("SELECT count(*) FROM session");
    check.runs = d->database->number("SELECT count(*) FROM run");
    check.unsealed = Seals::countUnsealed(*d->database);
    check.bytes = d->database->number("PRAGMA page_count") * d->database->number("PRAGMA page_size");
    if (auto read = d->database->result(); !read)
        return fail(std::move(read.error()));
    {
        const ProgressShare part(*d->database, 0, 0.5, 2);
        findProblems(*d->database, fmt::format("PRAGMA integrity_check({})", kMostProblems), check);
        // One line for all of a table: what is found later has room, too.
        findProblems(*d->database,
                     "SELECT CASE count(*) WHEN 1 THEN 'a row of ' || \"table\" || ' belongs'"
                     " ELSE count(*) || ' rows of ' || \"table\" || ' belong' END"
                     " || ' to a ' || \"parent\" || ' that is not there'"
                     " FROM pragma_foreign_key_check GROUP BY \"table\", \"parent\"",
                     check);
    }
    const ProgressShare part(*d->database, 0.5, 1);
    if (!ProgressShare::ended())
        findBrokenSamples(*d->database, check);
    if (ProgressShare::ended())
        return fail(ProgressShare::cancelled(d->file));
    return check;
}

Expected<void> Library::vacuum()
{
    if (auto writableNow = d->needWritable(); !writableNow)
        return writableNow;
    // What was deleted within the time in which it can be had back stays; opening has deleted what is older. The new
    // file is written under a lock for which a recording session would wait in vain.
    if (auto idle = needIdle(*d->database); !idle)
        return idle;
    // Seldom anything; then it is most of the work.
    const double packing = d->database->number("SELECT EXISTS(SELECT 1 FROM interval)") != 0 ? 0.5 : 0;
    if (auto packed = d->packAll(packing); !packed)
        return packed;
    const ProgressShare part(*d->database, packing, 1, 2);
    if (ProgressShare::ended())
        return fail(ProgressShare::cancelled(d->file));
    d->database->exec("VACUUM");
    (void)d->database->text("PRAGMA wal_checkpoint(TRUNCATE)");
    return d->database->result();
}

Expected<void> Library::backUp(const fs::path& file)
{
    std::error_code error;
    if (fs::exists(file, error))
        return fail({ErrorKind::BadInput, "there is a file of this name already", file.string(), "name another file"});
    const Draft draft(file);
    const ProgressShare part(*d->database, 0, 1);
    if (auto copied = copyWhole(*d->database, draft.file()); !copied) {
        copied.error().where = file.string();
        return copied;
    }
    return draft.takeName();
}

Expected<fs::path> moveLibrary(const fs::path& file, const fs::path& folder)
{
    std::error_code error;
    const fs::path from = fs::canonical(file, error);
    if (error)
        return fail(
            {ErrorKind::BadInput, "there is no such library", file.string(), "`dyno library` says where it is"});
    error = makeFolders(folder);
    const fs::path to = fs::weakly_canonical(folder, error) / file.filename();
    if (error || !fs::is_directory(folder, error))
        return fail({ErrorKind::Storage, "the folder cannot be made", folder.string(), "choose another folder"});
    if (to == from)
        return fail(
            {ErrorKind::BadInput, "the library is in this folder already", to.string(), "choose another folder"});
    if (fs::exists(to, error))
        return fail({ErrorKind::BadInput, "there is a library of this name already", to.string(),
                     "choose another folder, or merge the two with `dyno import`"});
    auto database = openStore(from, Library::Mode::ReadWrite);
    if (!database)
        return fail(std::move(database.error()));
    const Draft draft(to);
    {
        // The lock keeps other programs from writing to a file that is about to go.
        Transaction lock(**database);
        if (auto idle = needIdle(**database); !idle)
            return fail(std::move(idle.error()));
        // Copied over another connection: VACUUM INTO does not work inside a transaction.
        auto reader = openStore(from, Library::Mode::ReadOnly);
        if (!reader)
            return fail(std::move(reader.error()));
        const ProgressShare part(**reader, 0, 0.5);
        if (auto copied = copyWhole(**reader, draft.file()); !copied) {
            copied.error().where = to.string();
            return fail(std::move(copied.error()));
        }
        {
            auto copy = Database::open(draft.file(), Database::Access::ReadWrite);
            if (!copy)
                return fail(std::move(copy.error()));
            (void)(*copy)->text("PRAGMA journal_mode = WAL");
            const ProgressShare check(**copy, 0.5, 1);
            if (auto whole = checkPages(**copy); !whole)
                return fail(std::move(whole.error()));
        }
        if (ProgressShare::ended())
            return fail(ProgressShare::cancelled(from));
        const FolderLock names(to.parent_path());
        if (fs::exists(to, error))
            return fail({ErrorKind::BadInput, "there is a library of this name already", to.string(),
                         "choose another folder, or merge the two with `dyno import`"});
        removeLogs(to);
        if (auto named = draft.takeName(); !named)
            return fail(std::move(named.error()));
        // The link takes the old file's place in one step; who has it open goes on with what is then nobody's.
        const fs::path link = fs::path(file) += fmt::format(".link-{}", ::getpid());
        fs::create_symlink(to, link, error);
        if (!error)
            fs::rename(link, file, error);
        if (error) {
            Error problem{ErrorKind::Storage,
                          fmt::format("the link at the old place cannot be made ({})", error.message()), file.string(),
                          fmt::format("the library is still there; a copy is at {}", to.string())};
            fs::remove(link, error);
            return fail(std::move(problem));
        }
        if (!fs::is_symlink(from, error)) // what was given was a link already
            fs::remove(from, error);
    }
    database->reset();
    removeLogs(from);
    return to;
}

} // namespace dyno
