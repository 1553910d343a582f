// SPDX-License-Identifier: GPL-3.0-or-later
#include "postgresql_admin.h"

#include "driver/sql_text.h"
#include "postgresql_units.h"

#include <chrono>
#include <fmt/format.h>
#include <thread>

namespace dyno::postgresql {

PostgresqlAdmin::PostgresqlAdmin(TargetUri uri, Connection connection)
    : m_uri(std::move(uri))
    , m_connection(std::move(connection))
{
}

Expected<Result> PostgresqlAdmin::run(std::string_view command)
{
    Result result(PQexec(m_connection.get(), std::string(command).c_str()));
    if (!succeeded(result.get())) {
        const Failure failure = failureOf(m_connection.get(), result.get());
        return fail({ErrorKind::Refused,
                     fmt::format("error {}: {}", sqlStateOf(failure.code), failure.text),
                     m_uri.display(),
                     {}});
    }
    return result;
}

Expected<void> PostgresqlAdmin::execute(std::string_view command)
{
    auto result = run(command);
    if (!result)
        return fail(std::move(result.error()));
    return {};
}

Expected<TextRows> PostgresqlAdmin::query(std::string_view command)
{
    auto result = run(command);
    if (!result)
        return fail(std::move(result.error()));
    TextRows rows;
    for (int row = 0; row < PQntuples(result->get()); ++row) {
        rows.emplace_back();
        for (int column = 0; column < PQnfields(result->get()); ++column)
            rows.back().emplace_back(PQgetvalue(result->get(), row, column));
    }
    return rows;
}

Expected<std::vector<std::string>> PostgresqlAdmin::tableNames()
{
    auto rows = query("SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() "
                      "ORDER BY 1");
    if (!rows)
        return fail(std::move(rows.error()));
    std::vector<std::string> names;
    for (const auto& row : *rows)
        names.push_back(row.at(0));
    return names;
}

Expected<std::vector<ColumnShape>> PostgresqlAdmin::describe(std::string_view table)
{
    auto rows = query(fmt::format("SELECT lower(column_name), lower(data_type) FROM information_schema.columns WHERE "
                                  "table_schema = current_schema() AND table_name = {} ORDER BY ordinal_position",
                                  sqlText(table)));
    if (!rows)
        return fail(std::move(rows.error()));
    std::vector<ColumnShape> shape;
    for (const auto& row : *rows)
        shape.push_back({row.at(0), row.at(1)});
    return shape;
}

Expected<ServerFacts> PostgresqlAdmin::facts()
{
    auto rows = query(fmt::format("SELECT name, {} FROM pg_settings", inBytes("setting")));
    if (!rows)
        return fail(std::move(rows.error()));
    ServerFacts facts;
    facts.product = "PostgreSQL";
    for (const auto& row : *rows)
        facts.variables.emplace(row.at(0), row.at(1));
    facts.version = textOf(facts.variables, "server_version");
    return facts;
}

Expected<std::string> PostgresqlAdmin::variable(std::string_view name)
{
    auto rows = query(fmt::format("SELECT {} FROM pg_settings WHERE name = {}", inBytes("setting"), sqlText(name)));
    if (!rows)
        return fail(std::move(rows.error()));
    if (rows->empty())
        return fail({ErrorKind::BadInput, fmt::format("the server has no variable \"{}\"", name), m_uri.display(),
                     "correct the name"});
    return rows->front().at(0);
}

Expected<void> PostgresqlAdmin::setVariable(std::string_view name, const Value& value)
{
    const auto before = query(fmt::format("SELECT coalesce((SELECT unit FROM pg_settings WHERE name = {}), ''), "
                                          "pg_conf_load_time()",
                                          sqlText(name)));
    if (!before)
        return fail(before.error());
    std::string text = toText(value);
    if (const auto bytes = parseBytes(text); bytes && *bytes > 0 && before->at(0).at(0).ends_with('B'))
        text = fmt::format("{}B", *bytes);
    if (auto set = execute(fmt::format("ALTER SYSTEM SET {} = {}", name, sqlText(text))); !set)
        return set;
    if (auto told = execute("SELECT pg_reload_conf()"); !told)
        return told;
    // The server tells its processes one after the other; this one has it when it has read its settings again.
    constexpr std::chrono::seconds kPatience{10};
    for (const auto until = std::chrono::steady_clock::now() + kPatience; std::chrono::steady_clock::now() < until;) {
        const auto now = query("SELECT pg_conf_load_time()");
        if (!now)
            return fail(now.error());
        if (now->at(0).at(0) != before->at(0).at(1))
            break;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return {};
}

void PostgresqlAdmin::checkpoint()
{
    static_cast<void>(execute("CHECKPOINT")); // needs a right that not everyone has
}

} // namespace dyno::postgresql
