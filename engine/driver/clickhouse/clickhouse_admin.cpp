// SPDX-License-Identifier: GPL-3.0-or-later
#include "clickhouse_admin.h"

#include "base/clock.h"
#include "base/secret_names.h"
#include "base/text.h"
#include "clickhouse_statement.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <thread>

namespace dyno::clickhouse {

namespace {

constexpr std::size_t kLongestShown = 120; //!< of a command in an error
constexpr std::string_view kLoading = "dynobench_loading", kNotes = "dynobench_meta";

std::uint64_t wholeOf(const std::string& text)
{
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

//! " AND table IN ('a', 'b')"; "" for all.
std::string amongTables(const std::vector<std::string>& tables)
{
    std::string list;
    for (const std::string& table : tables)
        list += (list.empty() ? "" : ", ") + textQuoted(table);
    return list.empty() ? list : fmt::format(" AND table IN ({})", list);
}

} // namespace

Expected<std::unique_ptr<Admin>> ClickhouseAdmin::open(const ConnectTarget& target,
                                                       std::shared_ptr<const ConnectOptions> options)
{
    auto admin = std::make_unique<ClickhouseAdmin>(target, options);
    admin->m_connection.connect(admin->m_result);
    if (admin->m_result.code != 0)
        return fail(connectError(target.uri, *options, admin->m_result));
    return admin;
}

ClickhouseAdmin::ClickhouseAdmin(const ConnectTarget& target, std::shared_ptr<const ConnectOptions> options)
    : m_uri(target.uri)
    , m_local(isLocal(target))
    , m_options(std::move(options))
    , m_connection(m_options)
{
}

Error ClickhouseAdmin::commandError(std::string_view command) const
{
    Error error;
    error.kind = m_result.broken ? ErrorKind::Unreachable : ErrorKind::Refused;
    error.message = fmt::format("error {}: {}", m_result.code, m_result.text);
    error.where = fmt::format("{}: {}{}", m_uri.display(), command.substr(0, kLongestShown),
                              command.size() > kLongestShown ? "…" : "");
    if (m_result.broken)
        error.remedy = "see whether the server still runs";
    else if (m_result.code == 497) // ACCESS_DENIED
        error.remedy = "grant the user the right that the message names";
    else if (m_result.code == 164) // READONLY
        error.remedy = "connect as a user whose profile has no readonly setting";
    return error;
}

Expected<TextRows> ClickhouseAdmin::query(std::string_view command)
{
    m_kept.begin(Keep::All);
    m_reader.begin(Keep::All, &m_kept, true);
    m_connection.post(command, {}, m_reader, m_result);
    if (m_result.code != 0)
        return fail(commandError(command));
    TextRows rows(m_kept.rows());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        for (std::size_t column = 0; column < m_kept.columns(row); ++column)
            rows[row].emplace_back(m_kept.at(row, column).text);
    }
    return rows;
}

Expected<void> ClickhouseAdmin::execute(std::string_view command)
{
    auto rows = query(command);
    if (!rows)
        return fail(std::move(rows.error()));
    return {};
}

std::string ClickhouseAdmin::cell(std::string_view command)
{
    const auto rows = query(command);
    return rows && !rows->empty() && !rows->front().empty() ? rows->front().front() : std::string();
}

Expected<std::vector<std::string>> ClickhouseAdmin::firstColumn(std::string_view select)
{
    auto rows = query(select);
    if (!rows)
        return fail(std::move(rows.error()));
    std::vector<std::string> values;
    for (std::vector<std::string>& row : *rows)
        values.push_back(std::move(row.at(0)));
    return values;
}

Expected<std::vector<std::string>> ClickhouseAdmin::tableNames()
{
    return firstColumn("SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name");
}

Expected<std::vector<std::string>> ClickhouseAdmin::tablesElsewhere()
{
    return firstColumn("SELECT concat(database, '.', name) AS place FROM system.tables WHERE database NOT IN "
                       "(currentDatabase(), 'system', 'INFORMATION_SCHEMA', 'information_schema') ORDER BY place");
}

Expected<std::vector<ColumnShape>> ClickhouseAdmin::describe(std::string_view table)
{
    auto rows = query(fmt::format(
        "SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = {}", textQuoted(table)));
    if (!rows)
        return fail(std::move(rows.error()));
    std::vector<ColumnShape> shape;
    for (const std::vector<std::string>& row : *rows)
        shape.push_back({lowered(row.at(0)), lowered(row.at(1))});
    return shape;
}

Expected<ServerFacts> ClickhouseAdmin::facts()
{
    auto rows = query("SELECT name, value FROM system.settings");
    if (!rows)
        return fail(std::move(rows.error()));
    ServerFacts facts;
    const auto take = [&facts](TextRows& settings) {
        for (std::vector<std::string>& row : settings) {
            if (!namesSecret(row.at(0)))
                facts.variables.emplace(std::move(row.at(0)), std::move(row.at(1)));
        }
    };
    take(*rows);
    if (auto servers = query("SELECT name, value FROM system.server_settings")) // since 23.3, and not for everyone
        take(*servers);
    for (const auto& [name, select] :
         {std::pair{"server_uuid", "SELECT toString(serverUUID())"}, // since 21.12
          {"host_name", "SELECT hostName()"},
          {"data_path", "SELECT data_path FROM system.databases WHERE name = currentDatabase()"}}) {
        if (std::string value = cell(select); !value.empty())
            facts.variables.emplace(name, std::move(value));
    }
    facts.product = "ClickHouse";
    facts.version = cell("SELECT version()");
    facts.transport = "TCP";
    facts.cipher = m_connection.cipher();
    facts.unverified = m_options->tls && !m_options->verify && !m_local;
    std::array<std::int64_t, 5> trips{};
    for (std::int64_t& trip : trips) {
        const std::int64_t begin = nowNs();
        if (auto answer = query("SELECT 1"); !answer)
            return fail(std::move(answer.error()));
        trip = nowNs() - begin;
    }
    std::sort(trips.begin(), trips.end());
    facts.roundTripMs = double(trips[trips.size() / 2]) / 1e6;
    return facts;
}

Expected<std::string> ClickhouseAdmin::variable(std::string_view name)
{
    for (const char* list : {"system.settings", "system.server_settings"}) {
        const auto found = query(fmt::format("SELECT value FROM {} WHERE name = {}", list, textQuoted(name)));
        if (found && !found->empty())
            return found->front().at(0);
        if (!found && m_result.broken)
            return fail(found.error());
    }
    return fail({ErrorKind::BadInput, fmt::format("the server has no setting \"{}\"", name), m_uri.display(),
                 "correct the name, or remove it for this server and version"});
}

Expected<void> ClickhouseAdmin::setVariable(std::string_view name, const Value& /*value*/)
{
    return fail({ErrorKind::Refused,
                 fmt::format("{} cannot be changed: ClickHouse takes settings of the server from its files only", name),
                 m_uri.display(),
                 "set it in the server's files; a setting of queries can be set for the connections of the load: "
                 "connection." +
                     std::string(name)});
}

Expected<void> ClickhouseAdmin::replaceTable(std::string_view name, std::string_view columns, std::string_view values)
{
    // The new one is complete before the old one goes: who is killed in between leaves one of them.
    const std::string next = fmt::format("{}_next", name);
    std::vector<std::string> commands{fmt::format("DROP TABLE IF EXISTS {}", next)};
    if (!values.empty()) {
        commands.push_back(fmt::format("CREATE TABLE {} ({}) ENGINE = MergeTree ORDER BY name", next, columns));
        commands.push_back(fmt::format("INSERT INTO {} VALUES {}", next, values));
    }
    commands.push_back(fmt::format("DROP TABLE IF EXISTS {}", name));
    if (!values.empty())
        commands.push_back(fmt::format("RENAME TABLE {} TO {}", next, name));
    for (const std::string& command : commands) {
        if (auto done = execute(command); !done)
            return done;
    }
    return {};
}

Expected<void> ClickhouseAdmin::setUnfinishedLoads(const std::vector<std::string>& tables)
{
    std::string values;
    for (const std::string& table : tables)
        values += fmt::format("{}({})", values.empty() ? "" : ", ", textQuoted(table));
    return replaceTable(kLoading, "name String", values);
}

Expected<void> ClickhouseAdmin::setDataNotes(const DataNotes& notes)
{
    auto all = dataNotes();
    if (!all)
        return fail(std::move(all.error()));
    for (const auto& [table, note] : notes)
        (*all)[table] = note;
    std::string values;
    for (const auto& [table, note] : *all) {
        if (!note.empty())
            values += fmt::format("{}({}, {})", values.empty() ? "" : ", ", textQuoted(table), textQuoted(note));
    }
    return replaceTable(kNotes, "name String, note String", values);
}

std::string ClickhouseAdmin::dataFolder()
{
    const std::string disk = cell("SELECT path FROM system.disks WHERE name = 'default'"); // since 19.15
    if (!disk.empty() || m_result.broken)
        return disk;
    // PATH/data/DATABASE/ before
    const std::string database = cell("SELECT data_path FROM system.databases WHERE name = 'system'");
    const std::size_t end = database.find("/data/system");
    return end == std::string::npos ? std::string() : database.substr(0, end + 1);
}

std::uint64_t ClickhouseAdmin::dataBytes(const std::vector<std::string>& tables)
{
    return wholeOf(
        cell(fmt::format("SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = currentDatabase(){}",
                         amongTables(tables))));
}

std::vector<DataPart> ClickhouseAdmin::dataParts(const std::vector<std::string>& tables)
{
    std::vector<DataPart> parts;
    const auto add = [&](const char* kind, const std::string& select) {
        for (const std::vector<std::string>& row : query(select).value_or(TextRows()))
            parts.push_back({kind, row.at(0), wholeOf(row.at(1))});
    };
    const std::string from = " FROM system.parts WHERE active AND database = currentDatabase()" + amongTables(tables) +
                             " GROUP BY table ORDER BY table";
    add("collection", "SELECT table, sum(bytes_on_disk)" + from);
    add("before compression", "SELECT table, sum(data_uncompressed_bytes)" + from);
    // Parts of the kind "compact" keep their columns in one file, and say 0 of each.
    for (const auto& [kind, size] :
         {std::pair{"column", "data_compressed_bytes"}, {"before compression", "data_uncompressed_bytes"}})
        add(kind, fmt::format("SELECT concat(table, '.', name) AS place, {0} FROM system.columns WHERE database = "
                              "currentDatabase() AND {0} > 0{1} ORDER BY place",
                              size, amongTables(tables)));
    return parts;
}

Expected<void> ClickhouseAdmin::settle(const std::vector<std::string>& tables)
{
    using namespace std::chrono_literals;
    constexpr auto kPatience = 10min; // of waiting: the merges that this asks for take as long as they need
    std::chrono::milliseconds waited{0};
    const auto pause = [&](std::chrono::milliseconds time) -> Expected<void> {
        if (waited >= kPatience)
            return fail({ErrorKind::Refused, "the server has not merged all parts after 10 min", m_uri.display(),
                         "see SELECT * FROM system.merges and the free space on its disk, and begin when it has"});
        waited += time;
        std::this_thread::sleep_for(time);
        return {};
    };
    const auto awaitNone = [&](const std::string& count) -> Expected<void> {
        for (;;) {
            auto left = firstColumn(count);
            if (!left)
                return fail(std::move(left.error()));
            if (left->empty() || left->front() == "0")
                return {};
            if (auto more = pause(50ms); !more)
                return more;
        }
    };
    const std::string of = " WHERE database = currentDatabase()" + amongTables(tables);
    std::string busy = fmt::format("SELECT (SELECT count() FROM system.merges{})", of);
    // OPTIMIZE does nothing, and says so nowhere, where the server has begun a merge by itself.
    for (std::vector<std::string> todo = tables; !todo.empty();) {
        if (auto done = awaitNone(busy); !done)
            return done;
        for (const std::string& table : todo) {
            if (auto merged = execute(fmt::format("OPTIMIZE TABLE {} FINAL", nameQuoted(table))); !merged)
                return merged;
        }
        auto left = firstColumn(fmt::format("SELECT DISTINCT table FROM (SELECT table, partition FROM system.parts{} "
                                            "AND active GROUP BY table, partition HAVING count() > 1)",
                                            of));
        if (!left)
            return fail(std::move(left.error()));
        todo = std::move(*left);
        if (todo.empty())
            break;
        if (auto more = pause(1s); !more)
            return more;
    }
    // Merged parts where the server removes them soon: usually after 480 s.
    const auto soon =
        firstColumn("SELECT count() FROM system.merge_tree_settings WHERE name = 'old_parts_lifetime' AND "
                    "toUInt64OrZero(value) <= 5");
    if (soon && !soon->empty() && soon->front() == "1")
        busy += fmt::format(" + (SELECT count() FROM system.parts{} AND NOT active)", of);
    return awaitNone(busy);
}

Expected<void> ClickhouseAdmin::prewarm(const std::vector<std::string>& tables)
{
    for (const std::string& table : tables) {
        if (auto read = execute(fmt::format("SELECT * FROM {} FORMAT Null", nameQuoted(table))); !read)
            return read;
    }
    return {};
}

std::string serverIdentity(const Settings& variables)
{
    const std::string uuid = textOf(variables, "server_uuid");
    if (!uuid.empty())
        return "clickhouse uuid=" + uuid;
    const std::string host = textOf(variables, "host_name"), path = textOf(variables, "data_path");
    return host.empty() || path.empty() ? std::string() : fmt::format("clickhouse host={} path={}", host, path);
}

} // namespace dyno::clickhouse
