// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Pre-flight of a PostgreSQL server: what it says of itself against what a plan needs.
#include "driver/preflight_list.h"
#include "driver/sql_text.h"
#include "postgresql_admin.h"
#include "postgresql_names.h"

#include <dyno/runner.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <thread>

namespace dyno::postgresql {

namespace {

using Level = PreflightLevel;

constexpr auto kWatched = std::chrono::milliseconds(500); //!< how long other load is watched
constexpr double kAgentRate = 20;                         //!< transactions a second that a monitoring agent may make

std::uint64_t countIn(std::string_view text)
{
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

class Look
{
public:
    //! `ownProcess`: of the server, as the connection was told when it was made.
    Look(PostgresqlAdmin& admin, int ownProcess, const PreflightNeeds& needs, PreflightReport& report)
        : m_admin(admin)
        , m_ownProcess(ownProcess)
        , m_needs(needs)
        , m_report(report)
        , m_list(report.items)
    {
    }
    Expected<void> run();

private:
    //! The value that will be in force: the plan's, else the server's. Sizes are in bytes.
    [[nodiscard]] std::optional<std::uint64_t> number(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> row(std::string_view select); //!< the first, empty when there is none
    //! Fewer connections than users where a pooler shares them.
    [[nodiscard]] std::string usersNeed() const
    {
        return "the users need " + counted(std::uint64_t(m_needs.users), "connection", "connections");
    }
    [[nodiscard]] bool writes() const;

    void pooler();
    void connections();
    void ownLimits();
    void readOnly();
    void memory();
    void rights();
    void tableRights(const std::string& account, const std::string& schema);
    void cipher();
    void durability();
    void cleaning();
    void otherLoad();

    PostgresqlAdmin& m_admin;
    int m_ownProcess;
    const PreflightNeeds& m_needs;
    PreflightReport& m_report;
    PreflightList m_list;
    bool m_superuser = false;
};

std::optional<std::uint64_t> Look::number(std::string_view name) const
{
    std::string text;
    if (const auto planned = m_needs.server.find(name); planned != m_needs.server.end())
        text = toText(planned->second);
    else if (const auto found = m_report.server.variables.find(name); found != m_report.server.variables.end())
        text = toText(found->second);
    else
        return std::nullopt;
    if (const auto bytes = parseBytes(text); bytes && *bytes >= 0)
        return std::uint64_t(*bytes);
    return countIn(text);
}

std::vector<std::string> Look::row(std::string_view select)
{
    auto rows = m_admin.query(select);
    return rows && !rows->empty() ? std::move(rows->front()) : std::vector<std::string>();
}

bool Look::writes() const
{
    return m_needs.creates || std::ranges::any_of(m_needs.rights, [](const auto& one) { return one != "SELECT"; });
}

//! The process that answers is not the one that the connection was made with: somebody stands in between.
void Look::pooler()
{
    const auto answered = row("SELECT pg_backend_pid()");
    if (answered.empty() || countIn(answered.front()) == std::uint64_t(m_ownProcess))
        return;
    m_list.add("pooler", Level::Warning,
               "a connection pooler answers for the server: it is part of the figures, and its own limits count",
               m_needs.prepared
                   ? "connect to the server itself, or see that the pooler keeps prepared statements apart (PgBouncer "
                     "does from 1.21 on with max_prepared_statements), else use protocol=text"
                   : "connect to the server itself, unless the pooler is meant");
}

void Look::connections()
{
    const auto limit = number("max_connections");
    if (!limit)
        return;
    // What kind of process another user's is, not everyone may see.
    const auto open = row("SELECT COUNT(*) FROM pg_stat_activity WHERE datid IS NOT NULL AND usesysid IS NOT NULL");
    const std::uint64_t all = open.empty() ? 1 : countIn(open.front());
    const std::uint64_t inUse = all > 0 ? all - 1 : 0; // without this one
    const std::uint64_t kept =
        m_superuser ? 0
                    : number("superuser_reserved_connections").value_or(0) + number("reserved_connections").value_or(0);
    const std::uint64_t needed = std::uint64_t(m_needs.users) + inUse + kept;
    std::string what = fmt::format("{}; max_connections is {}", usersNeed(), groupedNumber(*limit));
    if (inUse > 0)
        what += fmt::format(", {} of them in use", groupedNumber(inUse));
    if (kept > 0)
        what += fmt::format(", {} kept for administrators", groupedNumber(kept));
    const std::uint64_t wanted = roundedUp(needed + 10, 50);
    if (needed > *limit)
        m_list.add("max_connections", Level::Blocker, std::move(what),
                   fmt::format("start the server with max_connections = {}, or use fewer users", wanted));
    else if (needed == *limit)
        m_list.add("max_connections", Level::Warning, std::move(what), // nobody else can look at the server then
                   fmt::format("start the server with max_connections = {}: none is left for others", wanted));
    else
        m_list.ok("max_connections", std::move(what));
}

//! Of the account and of the database.
void Look::ownLimits()
{
    const auto limits =
        row("SELECT rolconnlimit, (SELECT COUNT(*) FROM pg_stat_activity WHERE usename = current_user), "
            "datconnlimit, (SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()) "
            "FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()");
    if (limits.size() < 4 || m_superuser) // whom no limit holds
        return;
    const auto check = [&](const char* id, const char* whose, const std::string& limit, const std::string& used,
                           const char* remedy) {
        if (limit.starts_with('-')) // none
            return;
        const std::uint64_t others = std::max<std::uint64_t>(countIn(used), 1) - 1;
        const std::uint64_t needed = std::uint64_t(m_needs.users) + others;
        std::string what = fmt::format("{}; the {} may have {}, {} of them in use", usersNeed(), whose,
                                       counted(countIn(limit), "connection", "connections"), groupedNumber(others));
        if (needed <= countIn(limit))
            return m_list.ok(id, std::move(what));
        m_list.add(id, Level::Blocker, std::move(what),
                   fmt::format("{} CONNECTION LIMIT {}, or use fewer users", remedy, roundedUp(needed + 10, 50)));
    };
    check("role_connections", "account", limits[0], limits[1], "ALTER ROLE CURRENT_USER");
    check("database_connections", "database", limits[2], limits[3], "ALTER DATABASE …");
}

void Look::readOnly()
{
    const auto state = row("SELECT pg_is_in_recovery(), current_setting('default_transaction_read_only')");
    if (state.size() < 2 || !writes())
        return;
    if (state[0] == "t")
        m_list.add("read_only", Level::Blocker, "the server is a replica: it takes no changes",
                   "use the primary, or a workload that only reads and data that is there");
    else if (state[1] == "on")
        m_list.add("read_only", Level::Blocker, "transactions are read-only: default_transaction_read_only is on",
                   "set default_transaction_read_only = off for this user or database");
}

void Look::memory()
{
    const auto buffers = number("shared_buffers");
    const std::uint64_t data = m_needs.creates ? m_needs.dataBytes : std::max(m_needs.dataBytes, m_admin.dataBytes({}));
    if (!buffers || data == 0)
        return;
    std::string what = fmt::format("about {} of data; shared_buffers is {}", sizeText(data), sizeText(*buffers));
    if (data <= *buffers)
        return m_list.ok("data_size", std::move(what));
    // The server leaves the rest to the system: more buffers than memory allows would be worse.
    const bool here = m_report.server.transport == "Unix socket";
    const std::uint64_t machine = hostFacts().memoryBytes;
    if (here && data < machine / 2)
        return m_list.add("data_size", Level::Note, std::move(what),
                          "the rest is read from the system's cache: name shared_buffers beside the result");
    m_list.add("data_size", Level::Warning, std::move(what),
               "the system's cache and the disk are measured too: use less data or raise shared_buffers, unless that "
               "is meant");
}

void Look::rights()
{
    const auto who = row("SELECT current_user, COALESCE(current_schema(), ''), COALESCE(has_schema_privilege("
                         "current_schema(), 'USAGE'), false), COALESCE(has_schema_privilege(current_schema(), "
                         "'CREATE'), false), has_function_privilege('pg_reload_conf()', 'EXECUTE')");
    if (who.size() < 5)
        return;
    const std::string &account = who[0], &schema = who[1];
    if (schema.empty())
        return m_list.add("rights", Level::Blocker, "there is no schema for tables: search_path names none that exists",
                          fmt::format("CREATE SCHEMA AUTHORIZATION {}", exactlyQuoted(account)));
    std::vector<std::string> remedies;
    const auto lacks = [&](const std::string& right, const std::string& on) {
        m_report.missingRights.push_back(fmt::format("{} on {}", right, on));
        remedies.push_back(fmt::format("GRANT {} ON {} TO {}", right, on, exactlyQuoted(account)));
    };
    const bool makes =
        m_needs.creates || std::ranges::find(m_needs.rights, std::string("CREATE")) != m_needs.rights.end();
    if (who[2] != "t")
        lacks("USAGE", "SCHEMA " + exactlyQuoted(schema));
    if (makes && who[3] != "t")
        lacks("CREATE", "SCHEMA " + exactlyQuoted(schema));
    if (m_needs.changesGlobals && !m_superuser) {
        for (const auto& [name, values] : m_needs.planned) {
            const auto may = row(fmt::format("SELECT has_parameter_privilege({}, 'ALTER SYSTEM')", sqlText(name)));
            if (may.empty()) { // the question is an error, and there is no such GRANT
                m_report.missingRights.emplace_back("ALTER SYSTEM");
                remedies.emplace_back("only a superuser may change settings before version 15: connect as one");
                break;
            }
            if (may.front() != "t")
                lacks("ALTER SYSTEM", "PARAMETER " + name);
        }
        if (who[4] != "t")
            lacks("EXECUTE", "FUNCTION pg_reload_conf");
    }
    if (m_report.missingRights.empty())
        return m_needs.creates ? m_list.ok("rights", fmt::format("the user {} may do what the plan needs", account))
                               : tableRights(account, schema);
    m_list.add("rights", Level::Blocker,
               fmt::format("the user {} has no {}", account, fmt::join(m_report.missingRights, ", no ")),
               fmt::format("{}", fmt::join(remedies, "; ")));
}

//! On the tables that are there. Which of them the plan uses is not known here: what the account may do on none of them
//! stops the run, what it may not do on some may be of no matter.
void Look::tableRights(const std::string& account, const std::string& schema)
{
    std::string granted, owned; // as SQL has lists
    for (const std::string& right : m_needs.rights) {
        if (right == "SELECT" || right == "INSERT" || right == "UPDATE" || right == "DELETE")
            granted += (granted.empty() ? "" : ", ") + sqlText(right);
        else if (right == "DROP" || right == "ALTER" || right == "INDEX") // of the owner alone
            owned = "'ownership'";
    }
    const auto asked = m_admin.query(fmt::format(
        "SELECT wanted, COUNT(*) FILTER (WHERE may), MIN(relname) FILTER (WHERE NOT may) FROM (SELECT "
        "wanted, relname::text, CASE wanted WHEN "
        "'ownership' THEN pg_has_role(relowner, 'USAGE') ELSE has_table_privilege(oid, wanted) END AS may FROM "
        "pg_class, unnest(ARRAY[{}]::text[] || ARRAY[{}]::text[]) AS wanted WHERE relnamespace = "
        "quote_ident(current_schema())::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition) one GROUP BY "
        "wanted HAVING NOT bool_and(may) ORDER BY wanted",
        granted, owned));
    if (!asked || asked->empty())
        return m_list.ok("rights", fmt::format("the user {} may do what the plan needs", account));
    Level level = Level::Warning;
    std::vector<std::string> lacking, remedies;
    for (const std::vector<std::string>& one : *asked) {
        const std::string& right = one.at(0);
        const bool owns = right == "ownership";
        const std::string table = exactlyQuoted(schema) + "." + exactlyQuoted(one.at(2));
        lacking.push_back(fmt::format("{} {} {}", right, owns ? "of" : "on", table));
        if (one.at(1) == "0") { // may on no table
            level = Level::Blocker;
            m_report.missingRights.push_back(lacking.back());
        }
        remedies.push_back(owns ? fmt::format("ALTER TABLE {} OWNER TO {}", table, exactlyQuoted(account))
                                : fmt::format("GRANT {} ON {} TO {}", right, table, exactlyQuoted(account)));
    }
    m_list.add("rights", level, fmt::format("the user {} has no {}", account, fmt::join(lacking, ", no ")),
               fmt::format("{}{}", level == Level::Warning ? "where the plan uses the table: " : "",
                           fmt::join(remedies, "; ")));
}

void Look::cipher()
{
    if (m_report.server.unverified)
        return m_list.add("cipher", Level::Warning, kUnverifiedServer,
                          "use tls=verify, with tls_ca for an authority of your own");
    if (!m_report.server.cipher.empty())
        return m_list.add("cipher", Level::Note,
                          fmt::format("the connection is encrypted with {}", m_report.server.cipher),
                          "encryption is part of the figures: name it beside the result");
    if (m_report.server.transport == "TCP")
        return m_list.add("cipher", Level::Note, "the connection is not encrypted",
                          "add tls=verify to the URI to measure with TLS");
    m_list.ok("cipher", fmt::format("the connection is not encrypted: {}", m_report.server.transport));
}

void Look::durability()
{
    std::vector<std::pair<std::string, std::string>> now;
    for (const char* name : {"fsync", "synchronous_commit", "full_page_writes", "synchronous_standby_names"}) {
        const auto found = m_report.server.variables.find(name);
        if (found != m_report.server.variables.end() && !toText(found->second).empty())
            now.emplace_back(name, toText(found->second));
    }
    if (now.empty())
        return;
    m_list.add("durability", Level::Note, fmt::format("durability in force: {}", durabilityText(now, m_needs.planned)),
               "name these settings beside the result");
}

void Look::cleaning()
{
    const auto busy = row("SELECT COUNT(*) FROM pg_stat_progress_vacuum");
    if (busy.empty() || countIn(busy.front()) == 0)
        return;
    m_list.add("vacuum", Level::Warning,
               fmt::format("{} being vacuumed now", countIn(busy.front()) == 1 ? "a table is" : "tables are"),
               "wait until SELECT * FROM pg_stat_progress_vacuum shows nothing");
}

void Look::otherLoad()
{
    const auto state = [this]() -> std::pair<std::uint64_t, std::uint64_t> {
        const auto now = row("SELECT (SELECT SUM(xact_commit + xact_rollback) FROM pg_stat_database), (SELECT COUNT(*) "
                             "FROM pg_stat_activity WHERE state = 'active' AND backend_type = 'client backend' AND pid "
                             "<> pg_backend_pid())");
        return now.size() < 2 ? std::pair<std::uint64_t, std::uint64_t>() : std::pair(countIn(now[0]), countIn(now[1]));
    };
    // What this connection has done itself the server adds to its figures later, in the time that is watched.
    const bool flushed = !row("SELECT pg_stat_force_next_flush()").empty();
    const std::uint64_t own = flushed ? 0 : m_admin.asked(); // before version 15
    const auto before = state();
    const auto start = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(kWatched); // a rate needs a time; nothing tells when others have asked enough
    const auto after = state();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double rate = double(after.first - std::min(after.first, before.first + own)) / seconds;
    const std::uint64_t running = std::min(before.second, after.second);
    std::string what = fmt::format("{} from other clients active, {} transactions/s now",
                                   counted(running, "connection", "connections"), groupedNumber(std::uint64_t(rate)));
    if (running == 0 && rate <= kAgentRate)
        return m_list.ok("other_load", std::move(what));
    m_list.add("other_load", Level::Warning, std::move(what),
               "measure when nobody else uses the server: SELECT * FROM pg_stat_activity shows who does");
}

Expected<void> Look::run()
{
    auto facts = m_admin.facts();
    if (!facts)
        return fail(std::move(facts.error()));
    m_report.server = std::move(*facts);
    m_report.roundTripMs = m_report.server.roundTripMs;
    const auto super = row("SELECT current_setting('is_superuser')"); // not among those that are listed
    m_superuser = !super.empty() && super.front() == "on";
    pooler();
    connections();
    ownLimits();
    readOnly();
    memory();
    rights();
    cipher();
    durability();
    cleaning();
    otherLoad();
    return {};
}

} // namespace

Expected<PreflightReport> PostgresqlAdmin::preflight(const PreflightNeeds& needs)
{
    PreflightReport report;
    report.target = m_uri.display();
    Look look(*this, PQbackendPID(m_connection.get()), needs, report);
    if (auto done = look.run(); !done)
        return fail(std::move(done.error()));
    return report;
}

} // namespace dyno::postgresql
