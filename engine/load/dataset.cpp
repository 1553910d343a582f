// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/dataset.h"

#include "load/features.h"

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

using Names = std::vector<std::string>;

bool holds(const Names& names, const std::string& name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

//! Looks at one table: true when it must be loaded.
Expected<bool> needsLoad(const DatasetJob& job, const TableSpec& table, const Names& unfinished, Names& warnings)
{
    auto columns = job.admin.describe(table.name);
    if (!columns)
        return tl::unexpected(columns.error());
    if (columns->empty()) {
        if (job.policy == PreparePolicy::Never)
            return fail({ErrorKind::Refused, fmt::format("the table {} is not there", table.name), table.name,
                         "load the data first: `dyno prepare` with the same parameters, or `dyno run … --prepare`"});
        return true;
    }
    if (const auto found = namesOf(*columns); found != table.columns)
        return fail(otherShape(table, found));
    if (job.policy == PreparePolicy::Always)
        return true;
    if (holds(unfinished, table.name)) {
        if (job.policy == PreparePolicy::Never)
            return fail({ErrorKind::Refused, fmt::format("the table {} is incomplete: its load was interrupted", table.name),
                         table.name, "load it with `dyno prepare`, which replaces it"});
        warnings.push_back(fmt::format("{} was incomplete, because its load was interrupted, and was loaded again", table.name));
        return true;
    }
    auto rows = job.admin.rowCount(table.name);
    if (!rows)
        return tl::unexpected(rows.error());
    if (*rows == table.rows)
        return false;
    if (job.ours && job.policy == PreparePolicy::Auto)
        return true;
    if (*rows == 0 && table.rows > 0)
        return fail({ErrorKind::Refused, fmt::format("the table {} is empty", table.name), table.name,
                     "load it with `dyno prepare`, which replaces it"});
    warnings.push_back(fmt::format("{} holds {} rows, the parameters say {}", table.name, *rows, table.rows));
    return false;
}

//! Makes the wanted tables anew, empty.
Expected<void> createTables(Admin& admin, const std::vector<TableSpec>& tables, const std::vector<bool>& wanted)
{
    for (std::size_t i = 0; i < tables.size(); ++i) {
        if (!wanted[i])
            continue;
        if (auto dropped = admin.drop(tables[i].name); !dropped)
            return dropped;
        if (auto created = admin.execute(tables[i].create); !created)
            return created;
        if (tables[i].rows > 0)
            continue;
        for (const std::string& after : tables[i].afterLoad) {
            if (auto done = admin.execute(after); !done)
                return done;
        }
    }
    return {};
}

//! After a load that failed: drops the tables that are not complete. `others` are unfinished loads that are not ours. The
//! error for the caller says what became of them.
Error cleanUp(Admin& admin, const Names& incomplete, const Names& others, bool busy, Error error)
{
    Names left = incomplete;
    // A server that is still building an index would keep us waiting for its lock.
    for (const std::string& table : incomplete) {
        if (busy || !admin.drop(table))
            break;
        std::erase(left, table);
    }
    const bool removed = left.empty();
    left.insert(left.end(), others.begin(), others.end());
    const bool marked = admin.setUnfinishedLoads(left).has_value(); // else the mark still names all of them
    if (incomplete.empty())
        return error;
    const char* what = removed && marked ? "the incomplete tables were removed"
                                         : "the tables are incomplete; the next load replaces them";
    error.remedy = error.remedy.empty() ? what : fmt::format("{}; {}", error.remedy, what);
    return error;
}

} // namespace

Expected<bool> ensureDataset(const DatasetJob& job, const LoadProgressCallback& progress, std::vector<std::string>& warnings)
{
    if (auto able = checkFeatures(job.admin, job.workload); !able)
        return tl::unexpected(able.error());
    // Look at all tables first: nothing is dropped while another one cannot be used.
    std::vector<TableSpec> tables = job.workload.tablesFor(job.users);
    auto unfinished = job.admin.unfinishedLoads();
    if (!unfinished)
        return tl::unexpected(unfinished.error());
    std::vector<bool> wanted;
    Names loading;
    for (const TableSpec& table : tables) {
        auto needs = needsLoad(job, table, *unfinished, warnings);
        if (!needs)
            return tl::unexpected(needs.error());
        wanted.push_back(*needs);
        if (*needs)
            loading.push_back(table.name);
    }
    if (loading.empty())
        return false;
    std::erase_if(*unfinished, [&](const std::string& name) { return holds(loading, name); });
    const Names others = *unfinished;
    unfinished->insert(unfinished->begin(), loading.begin(), loading.end());
    if (auto marked = job.admin.setUnfinishedLoads(*unfinished); !marked)
        return tl::unexpected(marked.error());

    LoadResult result;
    Expected<void> done = createTables(job.admin, tables, wanted);
    if (done) {
        LoaderJob load {job.driver, {}, job.workload, std::move(tables), 1, job.seed};
        for (std::size_t i = 0; i < load.tables.size(); ++i) {
            if (wanted[i])
                continue;
            load.tables[i].rows = 0; // keeps its place: a slice names its table by number
            load.tables[i].afterLoad.clear();
        }
        auto target = std::make_shared<ConnectTarget>(job.target);
        target->statements = job.workload.loaderStatements();
        target->loader = true;
        load.target = std::move(target);
        const int cores = std::max(1, int(std::thread::hardware_concurrency()));
        // Two sessions a core: one makes rows while the server works on the other's.
        load.sessions = job.driver.info().concurrentWriters ? (job.loaders > 0 ? job.loaders : 2 * cores) : 1;
        done = loadTables(load, progress, result);
        for (std::size_t i = 0; i < load.tables.size() && i < result.complete.size(); ++i) {
            if (result.complete[i])
                std::erase(loading, load.tables[i].name);
        }
    }
    if (!done)
        return fail(cleanUp(job.admin, loading, others, result.abandoned, done.error()));
    if (!result.note.empty())
        warnings.push_back("the data was loaded " + result.note);
    if (auto unmarked = job.admin.setUnfinishedLoads(others); !unmarked)
        return tl::unexpected(unmarked.error());
    job.admin.settle();
    return true;
}

Expected<std::vector<ConditionResult>> checkDataset(Admin& admin, const WorkloadInstance& workload, int users,
                                                    const std::function<bool()>& goOn)
{
    for (const TableSpec& table : workload.tablesFor(users)) {
        auto columns = admin.describe(table.name);
        if (!columns)
            return tl::unexpected(columns.error());
        if (columns->empty())
            return fail({ErrorKind::Refused, fmt::format("the table {} is not there", table.name), table.name,
                         "load the data first: `dyno prepare` with the same parameters"});
        if (const auto found = namesOf(*columns); found != table.columns)
            return fail(otherShape(table, found));
    }
    std::vector<ConditionResult> results;
    for (const DataCheck& check : workload.checks()) {
        ConditionResult result {check.name, {}, {}};
        if (goOn && !goOn()) {
            result.error = "not asked: stopped by the user";
        } else if (const auto rows = admin.query(check.query); !rows) {
            result.error = rows.error().text();
        } else {
            const std::string number = rows->empty() || rows->front().empty() ? std::string() : rows->front().front();
            std::int64_t count = 0;
            const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), count);
            if (problem == std::errc() && end == number.data() + number.size() && !number.empty())
                result.violations = count;
            else
                result.error = fmt::format("the answer \"{}\" is no number of rows", number);
        }
        results.push_back(std::move(result));
    }
    return results;
}

Expected<void> dropDataset(Admin& admin, const WorkloadInstance& workload, int users)
{
    auto unfinished = admin.unfinishedLoads();
    if (!unfinished)
        return tl::unexpected(unfinished.error());
    const std::size_t marked = unfinished->size();
    for (const TableSpec& table : workload.tablesFor(users)) {
        auto columns = admin.describe(table.name);
        if (!columns)
            return tl::unexpected(columns.error());
        if (columns->empty())
            continue;
        if (const auto found = namesOf(*columns); found != table.columns)
            return fail(otherShape(table, found));
        if (auto dropped = admin.drop(table.name); !dropped)
            return dropped;
        std::erase(*unfinished, table.name);
    }
    return unfinished->size() == marked ? Expected<void>() : admin.setUnfinishedLoads(*unfinished);
}

} // namespace dyno
