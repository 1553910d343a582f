// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/data/dataset.h"

#include <dyno/trust.h>
#include <dyno/uri_form.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <thread>

namespace dyno {

namespace {

std::vector<std::string> namesOf(const std::vector<ColumnShape>& columns)
{
    std::vector<std::string> names;
    for (const ColumnShape& column : columns)
        names.push_back(column.name);
    return names;
}

Error otherShape(const TableSpec& table, const std::vector<std::string>& found)
{
    return {ErrorKind::Refused,
            fmt::format("the table {} exists with the columns ({}); the workload needs ({})", table.name,
                        fmt::join(found, ", "), fmt::join(table.columns, ", ")),
            table.name, "use another database, or move or drop that table yourself; Dynobench leaves it alone"};
}

Error incomplete(const TableSpec& table)
{
    return {ErrorKind::Refused, fmt::format("the table {} is incomplete: its load was interrupted", table.name),
            table.name, "load it with `dyno prepare`, which replaces it"};
}

using Names = std::vector<std::string>;

bool holds(const Names& names, const std::string& name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

//! Documents are recognised by their key; their fields have no order.
bool sameColumns(Names found, Names wanted)
{
    if (!wanted.empty() && wanted.front() == "_id" && !found.empty() && found.front() == "_id") {
        std::ranges::sort(found);
        std::ranges::sort(wanted);
    }
    return found == wanted;
}

using Notes = std::map<std::string, std::optional<DataNote>>; //!< nothing: there is one that cannot be read

const DataNote* noteOf(const Notes& notes, const std::string& table)
{
    const auto found = notes.find(table);
    return found == notes.end() || !found->second ? nullptr : &*found->second;
}

Expected<Notes> readNotes(Admin& admin)
{
    auto texts = admin.dataNotes();
    if (!texts)
        return tl::unexpected(texts.error());
    Notes notes;
    for (const auto& [table, text] : *texts)
        notes.emplace(table, readDataNote(text));
    return notes;
}

//! What was found out before the first table is touched.
struct Known
{
    Names unfinished;
    Notes notes;
};

//! Looks at the rows of a table that is there, has its columns and is complete: true when it must be loaded.
Expected<bool> rowsNeedLoad(const DatasetJob& job, const TableSpec& table, const DataNote* note, Names& warnings)
{
    auto rows = job.admin.rowCount(table.name);
    if (!rows)
        return tl::unexpected(rows.error());
    const bool replaces = job.ours && job.policy == PreparePolicy::Auto;
    if (note && !job.origin.data.empty()) {
        const Names other = differences(note->origin, job.origin);
        // Another program has put a table of the same name in its place.
        const bool stale = *rows == table.rows && note->rows != *rows;
        if (stale) {
            warnings.push_back(
                fmt::format("{} holds {} {}, {} were loaded into it: a run or another program has changed it, and"
                            " it is used as it is",
                            table.name, *rows, *rows == 1 ? "row" : "rows", note->rows));
        }
        if (!other.empty() && !stale) {
            if (replaces)
                return true;
            if (job.policy != PreparePolicy::Use)
                return fail(otherParameters(table.name, other));
            warnings.push_back(
                fmt::format("{} was loaded with {} and is used all the same", table.name, fmt::join(other, ", ")));
        } else if (other.empty() && !stale && note->origin.seed != job.origin.seed) {
            warnings.push_back(fmt::format("{} was loaded with the seed {}, the plan's is {}", table.name,
                                           note->origin.seed, job.origin.seed));
        }
    }
    if (*rows == table.rows || table.derived)
        return false;
    if (replaces)
        return true;
    if (*rows == 0 && table.rows > 0)
        return fail({ErrorKind::Refused, fmt::format("the table {} is empty", table.name), table.name,
                     "load it with `dyno prepare --existing rebuild`, in a plan prepare = \"always\""});
    if (auto met = keysInTheWay(table, *rows); met && job.policy != PreparePolicy::Use)
        return fail(std::move(*met));
    warnings.push_back(fmt::format("{} holds {} {}, the parameters say {}", table.name, *rows,
                                   *rows == 1 ? "row" : "rows", table.rows));
    return false;
}

//! Looks at one table: true when it must be loaded.
Expected<bool> needsLoad(const DatasetJob& job, const TableSpec& table, const Known& known, Names& warnings)
{
    const bool loads = job.policy == PreparePolicy::Auto || job.policy == PreparePolicy::Always;
    auto columns = job.admin.describe(table.name);
    if (!columns)
        return tl::unexpected(columns.error());
    if (columns->empty()) {
        if (!loads)
            return fail({ErrorKind::Refused, fmt::format("the table {} is not there", table.name), table.name,
                         "load the data first: `dyno prepare` with the same parameters, or `dyno run … --prepare`"});
        return true;
    }
    const Names found = namesOf(*columns);
    const DataNote* const note = noteOf(known.notes, table.name);
    if (!sameColumns(found, table.columns) && note && sameColumns(found, note->columns) && loads &&
        (job.policy == PreparePolicy::Always || job.ours))
        return true; // we made it
    if (auto unfit = unfitTable(table, found, note, job.origin, PreparePolicy::Use))
        return fail(std::move(*unfit));
    if (job.policy == PreparePolicy::Always) {
        const bool noted =
            job.origin.data.empty() || known.notes.contains(table.name) || holds(known.unfinished, table.name);
        if (!noted && !job.replaceOthers)
            return fail(madeByOthers(table.name, kReplaceTables));
        return true;
    }
    if (holds(known.unfinished, table.name)) {
        if (!loads)
            return fail(incomplete(table));
        warnings.push_back(
            fmt::format("{} was incomplete, because its load was interrupted, and was loaded again", table.name));
        return true;
    }
    if (!note && known.notes.contains(table.name))
        warnings.push_back(
            fmt::format("the load note of {} is unreadable: only its columns and rows were compared", table.name));
    return rowsNeedLoad(job, table, note, warnings);
}

//! What the workload sends before its tables are dropped, where any of them is there.
Expected<void> sendBeforeDrop(Admin& admin, const WorkloadInstance& workload, const std::vector<TableSpec>& tables)
{
    const std::vector<std::string> commands = workload.beforeDrop();
    bool there = false;
    for (std::size_t i = 0; !commands.empty() && !there && i < tables.size(); ++i) {
        const auto columns = admin.describe(tables[i].name);
        if (!columns)
            return tl::unexpected(columns.error());
        there = !columns->empty();
    }
    for (const std::string& command : there ? commands : std::vector<std::string>()) {
        if (auto done = admin.execute(command); !done) {
            done.error().message = fmt::format("cleanup, \"{}\": {}", command, done.error().message);
            done.error().remedy = "no table was dropped; change the statement, or add IF EXISTS";
            return done;
        }
    }
    return {};
}

//! Only a load of all of them makes again what a drop, or what is sent before it, removes.
Expected<void> loadAllTogether(const DatasetJob& job, const std::vector<TableSpec>& tables, const Known& known,
                               std::vector<bool>& wanted, Names& loading)
{
    for (std::size_t i = 0; i < tables.size(); ++i) {
        const std::string& table = tables[i].name;
        if (wanted[i])
            continue;
        const bool noted = job.origin.data.empty() || known.notes.contains(table);
        if (!noted && !job.ours && !job.replaceOthers)
            return fail(madeByOthers(table, kReplaceTables));
        wanted[i] = true;
        loading.push_back(table);
    }
    return {};
}

//! In an order that servers take: a table goes after those that refer to it. `left`: those that are still there.
Expected<void> dropTogether(Admin& admin, Names tables, Names& left)
{
    left = std::move(tables);
    while (!left.empty()) {
        Names kept;
        Expected<void> last;
        for (const std::string& table : left) {
            if (auto dropped = admin.drop(table); !dropped) {
                last = std::move(dropped);
                kept.push_back(table);
            }
        }
        if (kept.size() == left.size()) {
            if (last.error().remedy.empty())
                last.error().remedy = "drop the foreign keys that refer to these tables, then try again";
            return last;
        }
        left = std::move(kept);
    }
    return {};
}

//! Makes the wanted tables anew, empty. `together`: they may refer to each other.
Expected<void> createTables(Admin& admin, const std::vector<TableSpec>& tables, const std::vector<bool>& wanted,
                            bool together)
{
    if (together) {
        Names names, left; // those that went have no note any more, and the mark names them all
        for (std::size_t i = 0; i < tables.size(); ++i) {
            if (wanted[i])
                names.push_back(tables[i].name);
        }
        if (auto dropped = dropTogether(admin, std::move(names), left); !dropped)
            return dropped;
    }
    for (std::size_t i = 0; i < tables.size(); ++i) {
        if (!wanted[i])
            continue;
        if (auto dropped = together ? Expected<void>() : admin.drop(tables[i].name); !dropped)
            return dropped;
        if (auto created = admin.execute(tables[i].create); !created)
            return created;
        std::vector<std::string> commands = tables[i].afterCreate;
        if (tables[i].rows == 0)
            commands.insert(commands.end(), tables[i].afterLoad.begin(), tables[i].afterLoad.end());
        for (const std::string& after : commands) {
            if (auto done = admin.execute(after); !done)
                return done;
        }
    }
    return {};
}

//! What was loaded before into tables that will be made anew.
Expected<void> forget(Admin& admin, const Names& tables, const Notes& notes)
{
    DataNotes gone;
    for (const std::string& table : tables) {
        if (notes.contains(table))
            gone[table] = {};
    }
    return gone.empty() ? Expected<void>() : admin.setDataNotes(gone);
}

//! Where a server that may be on this machine keeps its files; "" for others.
std::filesystem::path folderOf(const DatasetJob& job)
{
    const TargetUri& uri = job.target.uri;
    const bool here = uri.query.contains("socket") || uri.host.empty() || uri.host == "localhost" ||
                      uri.host == "::1" || uri.host.starts_with("127.");
    return here ? job.admin.dataFolder() : std::string();
}

Expected<void> fill(const DatasetJob& job, const std::vector<TableSpec>& tables, const std::vector<bool>& wanted,
                    const LoadProgressCallback& progress, LoadResult& result)
{
    LoaderJob load{job.driver, {}, job.workload, tables, 1, job.seed};
    for (std::size_t i = 0; i < load.tables.size(); ++i) {
        if (wanted[i])
            continue;
        load.tables[i].rows = 0; // keeps its place: a slice names its table by number
        load.tables[i].afterLoad.clear();
        load.tables[i].afterAll.clear();
    }
    if (std::ranges::none_of(load.tables, [](const TableSpec& table) { return table.rows > 0; })) {
        for (const TableSpec& table : load.tables) {
            for (const std::string& after : table.afterAll) {
                if (auto done = job.admin.execute(after); !done)
                    return done;
            }
        }
        return {};
    }
    auto target = std::make_shared<ConnectTarget>(job.target);
    target->statements = job.workload.loaderStatements();
    target->loader = true;
    load.target = std::move(target);
    load.folder = folderOf(job);
    const int cores = std::max(1, int(std::thread::hardware_concurrency()));
    // Two sessions a core: one makes rows while the server works on the other's.
    load.sessions = job.driver.info().concurrentWriters ? (job.loaders > 0 ? job.loaders : 2 * cores) : 1;
    return loadTables(load, progress, result);
}

//! "the load repeated statements or transactions that the server had ended: 3 after error 1213".
std::string retriesText(const LoadResult& result, std::string_view driver)
{
    std::string text;
    for (const auto& [code, count] : result.retries)
        text += fmt::format("{}{} after error {}", text.empty() ? "" : ", ", count, errorName(driver, code));
    return fmt::format("the load repeated statements or transactions that the server had ended: {}", text);
}

//! After a load that failed: drops the tables that are not complete. `others` are unfinished loads that are not ours.
//! The error for the caller says what became of them.
Error cleanUp(Admin& admin, bool together, const Names& incomplete, const Names& others, const LoadResult& result,
              Error error)
{
    const char* const kept = "the tables are incomplete; the next load replaces them";
    if (result.noRoom) { // the mark names all of them
        error.remedy = fmt::format("{}; {}", error.remedy, kept);
        return error;
    }
    Names left = incomplete;
    // A server that is still building an index would keep us waiting for its lock.
    for (const std::string& table : together ? Names() : incomplete) {
        if (result.abandoned || !admin.drop(table))
            break;
        std::erase(left, table);
    }
    if (together && !result.abandoned)
        (void)dropTogether(admin, incomplete, left);
    const bool removed = left.empty();
    left.insert(left.end(), others.begin(), others.end());
    const bool marked = admin.setUnfinishedLoads(left).has_value(); // else the mark still names all of them
    if (incomplete.empty())
        return error;
    const char* what = removed && marked ? "the incomplete tables were removed" : kept;
    error.remedy = error.remedy.empty() ? what : fmt::format("{}; {}", error.remedy, what);
    return error;
}

} // namespace

Error madeByOthers(const std::string& table, std::string_view key)
{
    return {
        ErrorKind::BadInput,
        fmt::format(
            "the table {} is there and carries no note of Dynobench's: somebody else made it, and it would be dropped",
            table),
        std::string(key), "use another database, move the table, or allow this once"};
}

std::optional<Error> keysInTheWay(const TableSpec& table, std::int64_t rows)
{
    if (!table.keysRepeat || rows == 0 || rows == table.rows)
        return {};
    // A run that deletes what is old may leave fewer rows than were loaded, with the keys that it inserted.
    const char* what = rows > table.rows ? "the keys that a run inserts are there already"
                                         : "a run has changed it, and keys that a run inserts may be there already";
    return Error{ErrorKind::Refused,
                 fmt::format("the table {} holds {} {}, the load makes {}: {}", table.name, rows,
                             rows == 1 ? "row" : "rows", table.rows, what),
                 table.name,
                 "load it again (`--existing rebuild`, in a plan prepare = \"always\"), use it as it is (`--existing "
                 "use`, prepare = \"use\"), "
                 "or remove it with `dyno cleanup`"};
}

std::optional<Error> unfitTable(const TableSpec& table, const std::vector<std::string>& columns, const DataNote* note,
                                const DataOrigin& wanted, PreparePolicy policy)
{
    const Names other = note && !wanted.data.empty() ? differences(note->origin, wanted) : Names();
    if (!sameColumns(columns, table.columns)) {
        const bool ours = note && sameColumns(columns, note->columns);
        if (ours && policy == PreparePolicy::Always)
            return {};
        return ours && !other.empty() ? otherParameters(table.name, other) : otherShape(table, columns);
    }
    if (other.empty() || policy == PreparePolicy::Use || policy == PreparePolicy::Always)
        return {};
    return otherParameters(table.name, other);
}

Expected<bool> ensureDataset(const DatasetJob& job, const LoadProgressCallback& progress,
                             std::vector<std::string>& warnings)
{
    // Look at all tables first: nothing is dropped while another one cannot be used.
    std::vector<TableSpec> tables = job.workload.tablesFor(job.users);
    auto unfinished = job.admin.unfinishedLoads();
    if (!unfinished)
        return tl::unexpected(unfinished.error());
    auto notes = readNotes(job.admin);
    if (!notes)
        return tl::unexpected(notes.error());
    const Known known{*unfinished, std::move(*notes)};
    std::vector<bool> wanted;
    Names loading;
    for (const TableSpec& table : tables) {
        auto needs = needsLoad(job, table, known, warnings);
        if (!needs)
            return tl::unexpected(needs.error());
        wanted.push_back(*needs);
        if (*needs)
            loading.push_back(table.name);
    }
    if (loading.empty())
        return false;
    const bool together = job.workload.loadsTogether();
    if (together) {
        if (auto joined = loadAllTogether(job, tables, known, wanted, loading); !joined)
            return tl::unexpected(joined.error());
        // Before anything else: what the server refuses leaves the tables and their notes as they are.
        if (auto sent = sendBeforeDrop(job.admin, job.workload, tables); !sent)
            return tl::unexpected(sent.error());
    }
    std::erase_if(*unfinished, [&](const std::string& name) { return holds(loading, name); });
    const Names others = *unfinished;
    unfinished->insert(unfinished->begin(), loading.begin(), loading.end());
    if (auto marked = job.admin.setUnfinishedLoads(*unfinished); !marked)
        return tl::unexpected(marked.error());

    LoadResult result;
    if (auto forgotten = forget(job.admin, loading, known.notes); !forgotten)
        return tl::unexpected(forgotten.error());
    Expected<void> done = createTables(job.admin, tables, wanted, together);
    if (done)
        done = fill(job, tables, wanted, progress, result);
    if (std::ranges::find(wanted, false) != wanted.end())
        result.indexSeconds.reset(); // of some of the tables: no figure to lay beside that of all
    if (job.result)
        *job.result = result;
    DataNotes made;
    for (std::size_t i = 0; i < tables.size(); ++i) {
        if (!wanted[i] || !(done || (i < result.complete.size() && result.complete[i])))
            continue;
        std::erase(loading, tables[i].name);
        if (!job.origin.data.empty())
            made[tables[i].name] = toText(DataNote{job.origin, tables[i].rows, tables[i].columns});
    }
    const auto noted = made.empty() || result.noRoom ? Expected<void>() : job.admin.setDataNotes(made);
    if (!done)
        return fail(cleanUp(job.admin, together, loading, others, result, done.error()));
    if (!result.note.empty())
        warnings.push_back("the data was loaded " + result.note);
    if (!result.retries.empty())
        warnings.push_back(retriesText(result, job.target.uri.driver));
    if (auto unmarked = job.admin.setUnfinishedLoads(others); !unmarked)
        return tl::unexpected(unmarked.error());
    if (!noted)
        warnings.push_back("what the data was loaded with could not be noted beside it: " + noted.error().text());
    job.admin.checkpoint();
    return true;
}

Expected<std::int64_t> violationsOf(Admin& admin, const DataCheck& check)
{
    if (check.count)
        return check.count(admin);
    if (check.fault) {
        const auto fault = check.fault(admin);
        return fault ? Expected<std::int64_t>(fault->empty() ? 0 : 1) : tl::unexpected(fault.error());
    }
    const auto rows = admin.query(check.query);
    if (!rows)
        return tl::unexpected(rows.error());
    const std::string number = rows->empty() || rows->front().empty() ? std::string() : rows->front().front();
    std::int64_t count = 0;
    const char* const end = number.data() + number.size();
    const auto [last, problem] = std::from_chars(number.data(), end, count);
    if (problem != std::errc() || last != end || number.empty())
        return fail({ErrorKind::Failed, fmt::format("the answer \"{}\" is no number of rows", number), "", ""});
    return count;
}

Expected<std::vector<ConditionResult>> checkDataset(Admin& admin, const WorkloadInstance& workload, int users,
                                                    const std::function<bool()>& goOn)
{
    return checkDataset(admin, workload, users, workload.checksFor(users), goOn);
}

Expected<std::vector<ConditionResult>> checkDataset(Admin& admin, const WorkloadInstance& workload, int users,
                                                    const std::vector<DataCheck>& checks,
                                                    const std::function<bool()>& goOn)
{
    const auto unfinished = admin.unfinishedLoads();
    if (!unfinished)
        return tl::unexpected(unfinished.error());
    for (const TableSpec& table : workload.tablesFor(users)) {
        auto columns = admin.describe(table.name);
        if (!columns)
            return tl::unexpected(columns.error());
        if (columns->empty())
            return fail({ErrorKind::Refused, fmt::format("the table {} is not there", table.name), table.name,
                         "load the data first: `dyno prepare` with the same parameters"});
        if (const auto found = namesOf(*columns); !sameColumns(found, table.columns))
            return fail(otherShape(table, found));
        if (holds(*unfinished, table.name))
            return fail(incomplete(table));
    }
    std::vector<ConditionResult> results;
    for (const DataCheck& check : checks) {
        ConditionResult result{check.name, {}, {}};
        if (goOn && !goOn()) {
            result.error = "not asked: stopped by the user";
        } else if (check.fault) {
            if (auto fault = check.fault(admin)) {
                result.violations = fault->empty() ? 0 : 1;
                result.found = std::move(*fault);
            } else {
                result.error = fault.error().text();
            }
        } else if (const auto count = violationsOf(admin, check)) {
            result.violations = *count;
        } else {
            result.error = count.error().text();
        }
        results.push_back(std::move(result));
    }
    return results;
}

namespace {

//! What is known of the workload's tables goes with each of them, also where a later one stays.
Expected<void> dropTables(Admin& admin, const WorkloadInstance& workload, int users, bool dropOthers,
                          const Notes& notes, Names& unfinished)
{
    const std::vector<TableSpec> tables = workload.tablesFor(users);
    const auto look = [&](const TableSpec& table) -> Expected<bool> {
        auto columns = admin.describe(table.name);
        if (!columns)
            return tl::unexpected(columns.error());
        if (columns->empty())
            return false;
        if (auto unfit = unfitTable(table, namesOf(*columns), noteOf(notes, table.name), {}, PreparePolicy::Always))
            return fail(std::move(*unfit));
        if (!dropOthers && !notes.contains(table.name) && !holds(unfinished, table.name))
            return fail(madeByOthers(table.name, kDropTables));
        return true;
    };
    const auto forgetTable = [&](const std::string& table) -> Expected<void> {
        std::erase(unfinished, table);
        return forget(admin, {table}, notes);
    };
    if (workload.loadsTogether()) { // only where all of them may go
        Names there, left;
        for (const TableSpec& table : tables) {
            const auto found = look(table);
            if (!found)
                return tl::unexpected(found.error());
            if (*found)
                there.push_back(table.name);
        }
        if (auto sent = sendBeforeDrop(admin, workload, tables); !sent)
            return sent;
        const auto dropped = dropTogether(admin, there, left);
        for (const std::string& table : there) {
            if (holds(left, table))
                continue;
            if (auto forgotten = forgetTable(table); !forgotten)
                return forgotten;
        }
        if (!dropped)
            return dropped;
    }
    for (const TableSpec& table : tables) {
        const auto found = look(table);
        if (!found)
            return tl::unexpected(found.error());
        if (*found) {
            if (auto dropped = admin.drop(table.name); !dropped)
                return dropped;
        }
        if (auto forgotten = forgetTable(table.name); !forgotten)
            return forgotten;
    }
    for (const std::string& table : workload.scratchTables()) {
        auto columns = admin.describe(table);
        if (!columns)
            return tl::unexpected(columns.error());
        if (columns->empty())
            continue;
        if (auto dropped = admin.drop(table); !dropped)
            return dropped;
    }
    return {};
}

} // namespace

Expected<void> dropDataset(Admin& admin, const WorkloadInstance& workload, int users, bool dropOthers)
{
    auto unfinished = admin.unfinishedLoads();
    if (!unfinished)
        return tl::unexpected(unfinished.error());
    const auto notes = readNotes(admin);
    if (!notes)
        return tl::unexpected(notes.error());
    const std::size_t marked = unfinished->size();
    auto dropped = dropTables(admin, workload, users, dropOthers, *notes, *unfinished);
    if (unfinished->size() == marked)
        return dropped;
    auto unmarked = admin.setUnfinishedLoads(*unfinished);
    return dropped ? unmarked : dropped;
}

} // namespace dyno
