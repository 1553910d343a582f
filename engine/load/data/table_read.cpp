// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/control_calls.h"
#include "load/data/running_target.h"
#include "load/preflight/server_look.h"

#include <dyno/passwords.h>
#include <dyno/scripts.h>
#include <dyno/table_script.h>
#include <dyno/uri_form.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace dyno {

namespace {

constexpr std::size_t kMostTablesRead = 1000, kMostColumnsRead = 20'000;

struct SchemaLook
{
    std::unique_ptr<Admin> admin;
    std::string target;
};

//! A control connection that changes nothing.
Expected<SchemaLook> lookAtTarget(const Plan& plan, const RunnerOptions& options)
{
    if (auto refusal = refusalOf(plan, options.consent))
        return fail(std::move(*refusal));
    Plan without = plan; // what is being typed may have mistakes, and none of it is sent
    without.workload.params[kScriptsParam] = std::string("SELECT 1;");
    Plan other = without; // for a target that takes the other language alone
    other.workload.params[kScriptsParam] = std::string(R"({"ping": 1})");
    auto point = firstScriptPoint(checkPlan(other).size() < checkPlan(without).size() ? other : without);
    if (!point)
        return tl::unexpected(point.error());
    auto uri = parseUri(point->target.uri);
    if (!uri)
        return tl::unexpected(uri.error());
    uri->password = passwordFor(*uri, passwordOwner(plan), options.password);
    if (const auto target = runningTarget(*uri, options); !target)
        return tl::unexpected(target.error());
    Driver* driver = driverFor(uri->driver);
    if (!driver)
        return fail({ErrorKind::BadInput, fmt::format("this build has no driver for {}", uri->display()), {}, {}});
    auto admin = controlAdmin(*driver, lookTarget(*uri, point->connection, driver->info()), options.stopped);
    if (!admin)
        return tl::unexpected(admin.error());
    return SchemaLook{std::move(*admin), uri->display()};
}

} // namespace

Expected<TablesRead> readTables(const Plan& plan, const RunnerOptions& options)
{
    auto look = lookAtTarget(plan, options);
    if (!look)
        return tl::unexpected(look.error());
    auto tables = look->admin->tableInfos();
    if (!tables)
        return tl::unexpected(tables.error());
    TablesRead read{look->target, std::move(*tables), 0};
    std::size_t kept = 0, columns = 0;
    while (kept < std::min(read.tables.size(), kMostTablesRead)) {
        columns += read.tables[kept].columns.size();
        if (columns > kMostColumnsRead)
            break;
        ++kept;
    }
    read.more = read.tables.size() - kept;
    read.tables.resize(kept);
    return read;
}

Expected<std::string> readTableScript(const Plan& plan, const RunnerOptions& options, const TableInfo& table)
{
    if (auto made = scriptForTable(table, {}); !made) // before anything is asked
        return made;
    auto look = lookAtTarget(plan, options);
    if (!look)
        return tl::unexpected(look.error());
    const auto key = std::ranges::find(table.columns, 1, &ColumnInfo::keyPlace);
    auto rows = look->admin->query(
        fmt::format("SELECT COALESCE(MIN({0}), 0), COALESCE(MAX({0}), -1) FROM {1}", key->written, table.written));
    if (!rows)
        return tl::unexpected(rows.error());
    KeyRange keys{0, -1};
    if (!rows->empty() && rows->front().size() == 2) {
        const auto number = [](const std::string& text, std::int64_t& value) {
            const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
            return read.ec == std::errc() && read.ptr == text.data() + text.size();
        };
        if (!number(rows->front()[0], keys.first) || !number(rows->front()[1], keys.last))
            return fail({ErrorKind::BadInput,
                         fmt::format("the table {} has keys that are no whole numbers of 64 bits", table.name),
                         table.name, "choose another table, or write the statements by hand"});
    }
    if (keys.last < keys.first)
        return fail({ErrorKind::BadInput, fmt::format("the table {} has no rows", table.name), table.name,
                     "load its rows first, or choose another table"});
    return scriptForTable(table, keys);
}

} // namespace dyno
