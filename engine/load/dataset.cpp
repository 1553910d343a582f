// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/dataset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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

//! Looks at one table: true when it must be loaded.
Expected<bool> needsLoad(const DatasetJob& job, const TableSpec& table, std::vector<std::string>& warnings)
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

} // namespace

Expected<bool> ensureDataset(const DatasetJob& job, const LoadProgressCallback& progress, std::vector<std::string>& warnings)
{
    // Look at all tables first: nothing is dropped while another one cannot be used.
    LoaderJob load {job.driver, {}, job.workload, {}, 1, job.seed};
    bool any = false;
    std::vector<TableSpec> tables = job.workload.tablesFor(job.users);
    std::vector<bool> wanted;
    for (const TableSpec& table : tables) {
        auto needs = needsLoad(job, table, warnings);
        if (!needs)
            return tl::unexpected(needs.error());
        wanted.push_back(*needs);
        any = any || *needs;
    }
    if (!any)
        return false;
    for (std::size_t i = 0; i < tables.size(); ++i) {
        if (!wanted[i]) {
            tables[i].rows = 0; // keeps its place: a slice names its table by number
            tables[i].afterLoad.clear();
            continue;
        }
        if (auto dropped = job.admin.drop(tables[i].name); !dropped)
            return tl::unexpected(dropped.error());
        if (auto created = job.admin.execute(tables[i].create); !created)
            return tl::unexpected(created.error());
        if (tables[i].rows == 0) {
            for (const std::string& after : tables[i].afterLoad) {
                if (auto done = job.admin.execute(after); !done)
                    return tl::unexpected(done.error());
            }
        }
    }
    load.tables = std::move(tables);
    auto target = std::make_shared<ConnectTarget>(job.target);
    target->statements = job.workload.loaderStatements();
    load.target = std::move(target);
    const int cores = std::max(1, int(std::thread::hardware_concurrency()));
    // Two sessions a core: one makes rows while the server works on the other's.
    load.sessions = job.driver.info().concurrentWriters ? (job.loaders > 0 ? job.loaders : 2 * cores) : 1;
    if (auto loaded = loadTables(load, progress); !loaded)
        return tl::unexpected(loaded.error());
    job.admin.settle();
    return true;
}

Expected<void> dropDataset(Admin& admin, const WorkloadInstance& workload, int users)
{
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
    }
    return {};
}

} // namespace dyno
