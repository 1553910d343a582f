// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Pre-flight of a MySQL-family server: what it says of itself against what a plan needs.
#include "driver/mysql/mysql_limits.h"
#include "driver/preflight_list.h"
#include "mysql_admin.h"
#include "mysql_grants.h"

#include <dyno/runner.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <optional>
#include <thread>

namespace dyno::mysql {

namespace {

using Level = PreflightLevel;

constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr auto kWatch = std::chrono::milliseconds(500); //!< how long other load is watched
constexpr double kQuietRate = 20;                       //!< questions a second that a monitoring agent may ask
constexpr std::uint64_t kOwnFiles = 60;                 //!< logs, system and temporary tablespaces of a server
constexpr int kManyUsers = 1000;
constexpr int kManyBundles = 100; //!< users for whom loading the system's authorities one by one is worth a warning

std::uint64_t wholeNumberIn(std::string_view text)
{
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

class Check
{
public:
    Check(MysqlAdmin& admin, const ConnectOptions& options, const PreflightNeeds& needs, PreflightReport& report)
        : m_admin(admin)
        , m_options(options)
        , m_needs(needs)
        , m_report(report)
        , m_list(report.items)
    {
    }
    Expected<void> run();

private:
    //! The value that will be in force: the plan's, else the server's. nullopt when the server has no such variable.
    [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
    [[nodiscard]] std::optional<std::uint64_t> number(std::string_view name) const;
    [[nodiscard]] std::uint64_t status(std::string_view name);
    [[nodiscard]] std::string users() const { return counted(std::uint64_t(m_needs.users), "user", "users"); }
    [[nodiscard]] bool isMariadb() const { return m_report.server.product == "MariaDB"; }

    void connections();
    void userConnections();
    void preparedStatements();
    void tableCache();
    void openFiles();
    void packet();
    void bufferPool();
    void durability();
    void otherLoad();
    void cipher();
    void authorities();
    void threads();
    void rights();

    MysqlAdmin& m_admin;
    const ConnectOptions& m_options;
    const PreflightNeeds& m_needs;
    PreflightReport& m_report;
    PreflightList m_list;
    std::uint64_t m_inUse = 0; //!< connections of others
};

std::optional<std::string> Check::text(std::string_view name) const
{
    if (const auto planned = m_needs.server.find(name); planned != m_needs.server.end())
        return toText(planned->second);
    const auto found = m_report.server.variables.find(name);
    return found == m_report.server.variables.end() ? std::nullopt : std::optional(toText(found->second));
}

std::optional<std::uint64_t> Check::number(std::string_view name) const
{
    const auto value = text(name);
    if (!value)
        return std::nullopt;
    if (const auto bytes = parseBytes(*value); bytes && *bytes >= 0)
        return std::uint64_t(*bytes);
    return wholeNumberIn(*value);
}

std::uint64_t Check::status(std::string_view name)
{
    const auto rows = m_admin.query("SHOW GLOBAL STATUS WHERE Variable_name = " + sqlQuoted(name));
    return rows && !rows->empty() && rows->front().size() > 1 ? wholeNumberIn(rows->front()[1]) : 0;
}

void Check::connections()
{
    const auto limit = number("max_connections");
    if (!limit)
        return;
    const std::uint64_t connected = status("Threads_connected");
    m_inUse = connected > 0 ? connected - 1 : 0; // without this one
    const std::uint64_t needed = std::uint64_t(m_needs.users) + m_inUse;
    std::string what =
        fmt::format("{} need{} {}; max_connections is {}", users(), m_needs.users == 1 ? "s" : "",
                    counted(std::uint64_t(m_needs.users), "connection", "connections"), groupedNumber(*limit));
    if (m_inUse > 0)
        what += fmt::format(", {} of them in use", groupedNumber(m_inUse));
    const std::uint64_t wanted = roundedUp(needed + 10, 50);
    if (needed > *limit)
        m_list.add("max_connections", Level::Blocker, std::move(what),
                   fmt::format("raise max_connections to {}, or use fewer users", wanted),
                   {"max_connections", std::int64_t(wanted)});
    else if (needed == *limit)
        m_list.add("max_connections", Level::Warning, std::move(what), // nobody else can look at the server then
                   fmt::format("raise max_connections to {}: none is left for others", wanted),
                   {"max_connections", std::int64_t(wanted)});
    else
        m_list.ok("max_connections", std::move(what));
}

void Check::userConnections()
{
    const auto rows = m_admin.query("SELECT @@session.max_user_connections, @@global.max_user_connections, "
                                    "(SELECT COUNT(*) FROM information_schema.processlist WHERE user = "
                                    "SUBSTRING_INDEX(CURRENT_USER(), '@', 1))");
    if (!rows || rows->empty() || rows->front().size() < 3)
        return;
    const std::vector<std::string>& row = rows->front();
    const std::uint64_t global = number("max_user_connections").value_or(wholeNumberIn(row[1]));
    // The session's value is the account's own limit, or the global one where it has none.
    const bool own = row[0] != row[1];
    const std::uint64_t limit = own ? wholeNumberIn(row[0]) : global;
    if (limit == 0)
        return; // no limit
    const std::uint64_t used = std::max<std::uint64_t>(wholeNumberIn(row[2]), 1) - 1;
    const std::uint64_t needed = std::uint64_t(m_needs.users) + used;
    std::string what = fmt::format("{} connect as one account, which may have {}; {} in use", users(),
                                   counted(limit, "connection", "connections"), groupedNumber(used));
    if (needed <= limit)
        return m_list.ok("max_user_connections", std::move(what));
    const std::uint64_t wanted = roundedUp(needed + 10, 50);
    if (own)
        m_list.add("max_user_connections", Level::Blocker, std::move(what),
                   fmt::format("ALTER USER CURRENT_USER WITH MAX_USER_CONNECTIONS {}, or use fewer users", wanted));
    else
        m_list.add("max_user_connections", Level::Blocker, std::move(what),
                   fmt::format("raise max_user_connections to {}, or use fewer users", wanted),
                   {"max_user_connections", std::int64_t(wanted)});
}

void Check::preparedStatements()
{
    const auto limit = number("max_prepared_stmt_count");
    if (!limit || !m_needs.prepared || m_needs.statementsPerUser == 0)
        return;
    const std::uint64_t inUse = status("Prepared_stmt_count");
    const std::uint64_t own = std::uint64_t(m_needs.statementsPerUser) * std::uint64_t(m_needs.users);
    std::string what = fmt::format("{} with {} each prepare {}; max_prepared_stmt_count is {}", users(),
                                   counted(std::uint64_t(m_needs.statementsPerUser), "statement", "statements"),
                                   groupedNumber(own), groupedNumber(*limit));
    if (inUse > 0)
        what += fmt::format(", {} of them in use", groupedNumber(inUse));
    if (own + inUse <= *limit)
        return m_list.ok("max_prepared_stmt_count", std::move(what));
    const std::uint64_t most = (isMariadb() ? kMariadbLimits : kMysqlLimits).statements;
    const std::uint64_t wanted = std::min(roundedUp(own + inUse + 1000, 1000), most);
    if (own + inUse > most)
        m_list.add("max_prepared_stmt_count", Level::Blocker, std::move(what),
                   "use protocol=text, fewer tables or fewer users: the variable cannot be that large");
    else
        m_list.add("max_prepared_stmt_count", Level::Blocker, std::move(what),
                   fmt::format("raise max_prepared_stmt_count to {}, or use protocol=text", wanted),
                   {"max_prepared_stmt_count", std::int64_t(wanted)});
}

void Check::tableCache()
{
    const auto limit = number("table_open_cache");
    if (!limit || m_needs.tables == 0)
        return;
    // Each statement under way holds a table of its own, and each table one that is kept open.
    const std::uint64_t needed = std::uint64_t(m_needs.users) + std::uint64_t(m_needs.tables);
    std::string what = fmt::format("{} on {} open up to {} at a time; table_open_cache is {}", users(),
                                   counted(std::uint64_t(m_needs.tables), "table", "tables"), groupedNumber(needed),
                                   groupedNumber(*limit));
    if (needed <= *limit)
        return m_list.ok("table_open_cache", std::move(what));
    const std::uint64_t wanted = roundedUp(needed, 500);
    m_list.add("table_open_cache", Level::Warning, std::move(what),
               fmt::format("raise table_open_cache to {}: tables are opened and closed all the time otherwise", wanted),
               {"table_open_cache", std::int64_t(wanted)});
}

void Check::openFiles()
{
    const auto limit = number("open_files_limit");
    if (!limit || *limit == 0)
        return;
    const std::uint64_t needed = std::uint64_t(m_needs.users) + m_inUse + std::uint64_t(m_needs.tables) + kOwnFiles;
    std::string what = fmt::format("{} and {} need about {} on the server; open_files_limit is {}", users(),
                                   counted(std::uint64_t(m_needs.tables), "table", "tables"),
                                   counted(needed, "file", "files"), groupedNumber(*limit));
    if (needed <= *limit)
        return m_list.ok("open_files_limit", std::move(what));
    m_list.add("open_files_limit", Level::Blocker, std::move(what),
               fmt::format("start the server with open_files_limit={} (and LimitNOFILE of its service)",
                           roundedUp(needed * 2, 1024)));
}

void Check::packet()
{
    const auto limit = number("max_allowed_packet");
    if (!limit || m_needs.largestRequest == 0)
        return;
    std::string what = fmt::format("the longest statement has {}; max_allowed_packet is {}",
                                   sizeText(m_needs.largestRequest), sizeText(*limit));
    if (m_needs.largestRequest + 64 <= *limit) // with the packet's head
        return m_list.ok("max_allowed_packet", std::move(what));
    const std::uint64_t wanted = std::min(roundedUp(m_needs.largestRequest * 2, kMiB), 1024 * kMiB);
    m_list.add("max_allowed_packet", Level::Blocker, std::move(what),
               fmt::format("raise max_allowed_packet to {}", sizeText(wanted)),
               {"max_allowed_packet", std::int64_t(wanted)});
}

void Check::bufferPool()
{
    const auto pool = number("innodb_buffer_pool_size");
    const std::uint64_t data = m_needs.creates ? m_needs.dataBytes : std::max(m_needs.dataBytes, m_admin.dataBytes({}));
    if (!pool || data == 0)
        return;
    std::string what = fmt::format("about {} of data; innodb_buffer_pool_size is {}", sizeText(data), sizeText(*pool));
    if (data <= *pool)
        return m_list.ok("data_size", std::move(what));
    const std::uint64_t wanted = roundedUp(data + data / 4, 128 * kMiB);
    PreflightFix fix;
    // Safe where we know the server's memory, and where it can grow while it runs (MariaDB 10.11.12 and later say so).
    const std::uint64_t largest =
        number("innodb_buffer_pool_size_max").value_or(std::numeric_limits<std::uint64_t>::max());
    if (m_report.server.transport == "Unix socket" && wanted <= hostFacts().memoryBytes / 2 && wanted <= largest)
        fix = {"innodb_buffer_pool_size", std::int64_t(wanted)};
    m_list.add("data_size", Level::Warning, std::move(what),
               fmt::format("the disk is measured too: raise innodb_buffer_pool_size to {}, or use less data, unless "
                           "that is meant",
                           sizeText(wanted)),
               std::move(fix));
}

void Check::durability()
{
    std::vector<std::pair<std::string, std::string>> now;
    for (const char* name : {"innodb_flush_log_at_trx_commit", "sync_binlog", "log_bin", "innodb_doublewrite"}) {
        const auto found = m_report.server.variables.find(name);
        if (found != m_report.server.variables.end())
            now.emplace_back(name, toText(found->second));
    }
    if (now.empty())
        return;
    m_list.add("durability", Level::Note, fmt::format("durability in force: {}", durabilityText(now, m_needs.planned)),
               "name these settings beside the result");
}

void Check::otherLoad()
{
    const std::uint64_t before = status("Questions");
    const std::uint64_t runningBefore = status("Threads_running");
    const auto start = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(kWatch); // a rate needs a time; nothing tells when others have asked enough
    const std::uint64_t after = status("Questions");
    const std::uint64_t runningAfter = status("Threads_running");
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::uint64_t ours = 2; // the two statements between the figures
    const double rate = double(after - std::min(after, before + ours)) / seconds;
    const std::uint64_t both = std::min(runningBefore, runningAfter);
    const std::uint64_t running = both > 0 ? both - 1 : 0; // without this connection
    std::string what = fmt::format("{} from other clients active, {} statements/s now",
                                   counted(running, "connection", "connections"), groupedNumber(std::uint64_t(rate)));
    if (running == 0 && rate <= kQuietRate)
        return m_list.ok("other_load", std::move(what));
    m_list.add("other_load", Level::Warning, std::move(what),
               "measure when nobody else uses the server: SHOW PROCESSLIST tells who does");
}

void Check::cipher()
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

//! The library loads the system's whole list of authorities into each connection without a CA, even where it verifies
//! nothing, one connection after the other.
void Check::authorities()
{
    constexpr double kSecondsEach = 0.027;
    constexpr std::uint64_t kBytesEach = 800 * 1024;
    if (m_options.tls != ConnectOptions::Tls::Required || !m_options.tlsCa.empty() || m_needs.users < kManyBundles)
        return;
    m_list.add(
        "tls_ca", Level::Warning,
        fmt::format("without tls_ca {} load the system's list of authorities each: about {:.0f} s and {} to connect",
                    users(), m_needs.users * kSecondsEach, sizeText(std::uint64_t(m_needs.users) * kBytesEach)),
        "name the PEM file of the server's authority in connection.tls_ca");
}

void Check::threads()
{
    const auto handling = text("thread_handling");
    if (!handling || m_needs.users <= kManyUsers)
        return;
    std::string what = fmt::format("{}; thread_handling is {}", users(), *handling);
    if (handling->find("pool") != std::string::npos || handling->find("loaded-dynamically") != std::string::npos)
        return m_list.ok("thread_handling", std::move(what));
    m_list.add("thread_handling", Level::Warning, std::move(what),
               isMariadb() ? "start the server with thread_handling=pool-of-threads"
                           : "use a server with a thread pool, or up to 1 000 users");
}

void Check::rights()
{
    const auto lines = m_admin.query("SHOW GRANTS");
    if (!lines)
        return; // started without grant tables: everybody may do all
    Grants grants;
    for (const std::vector<std::string>& line : *lines)
        grants.add(line.empty() ? std::string_view() : std::string_view(line.front()));
    std::vector<std::string> missing;
    for (const std::string& right : m_needs.rights) {
        if (grants.has(right, m_options.database) ||
            (right == "REFERENCES" && isMariadb())) // which takes any right on the table for it
            continue;
        missing.push_back(right);
        m_report.missingRights.push_back(fmt::format("{} on {}.*", right, m_options.database));
    }
    std::vector<std::string> remedies;
    const auto who = m_admin.query("SELECT CURRENT_USER()");
    const std::string account = who && !who->empty() ? who->front().front() : std::string("user@%");
    if (!missing.empty())
        remedies.push_back(fmt::format("GRANT {} ON `{}`.* TO {}", fmt::join(missing, ", "), m_options.database,
                                       quotedAccount(account)));
    if (m_needs.changesGlobals && !grants.maySetGlobals()) {
        const char* right = isMariadb() ? "SUPER" : "SYSTEM_VARIABLES_ADMIN";
        m_report.missingRights.push_back(fmt::format("{} on *.*", right));
        remedies.push_back(
            fmt::format("GRANT {} ON *.* TO {}, or set no server variables", right, quotedAccount(account)));
    }
    if (m_report.missingRights.empty())
        return m_list.ok("rights", fmt::format("the user {} may do what the plan needs", account));
    m_list.add("rights", Level::Blocker,
               fmt::format("the user {} has no {}", account, fmt::join(m_report.missingRights, ", no ")),
               fmt::format("{}", fmt::join(remedies, "; ")));
}

Expected<void> Check::run()
{
    auto facts = m_admin.facts();
    if (!facts)
        return fail(std::move(facts.error()));
    m_report.server = std::move(*facts);
    m_report.roundTripMs = m_report.server.roundTripMs;
    connections();
    userConnections();
    preparedStatements();
    tableCache();
    openFiles();
    packet();
    bufferPool();
    threads();
    rights();
    cipher();
    authorities();
    durability();
    otherLoad();
    return {};
}

} // namespace

Expected<PreflightReport> MysqlAdmin::preflight(const PreflightNeeds& needs)
{
    PreflightReport report;
    report.target = m_uri.display();
    Check check(*this, m_options, needs, report);
    if (auto done = check.run(); !done)
        return fail(std::move(done.error()));
    return report;
}

} // namespace dyno::mysql
