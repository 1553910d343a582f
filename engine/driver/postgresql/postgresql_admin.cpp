// SPDX-License-Identifier: GPL-3.0-or-later
#include "postgresql_admin.h"

#include "base/clock.h"
#include "base/secret_names.h"
#include "base/text.h"
#include "driver/sql_text.h"
#include "postgresql_names.h"
#include "postgresql_units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace dyno::postgresql {

namespace {

constexpr std::size_t kLongestShown = 120; //!< of a command in an error

//! Of version(): who answers. The first that is there counts; PostgreSQL's own name is in nearly all of them.
constexpr std::array<std::pair<std::string_view, const char*>, 11> kProducts{{
    {"CockroachDB", "CockroachDB"},
    {"-YB-", "YugabyteDB"},
    {"Redshift", "Amazon Redshift"},
    {"Greenplum", "Greenplum"},
    {"EnterpriseDB", "EDB Postgres Advanced Server"},
    {"Materialize", "Materialize"},
    {"RisingWave", "RisingWave"},
    {"QuestDB", "QuestDB"},
    {"CrateDB", "CrateDB"},
    {"openGauss", "openGauss"},
    {"PostgreSQL", "PostgreSQL"},
}};

std::string productOf(std::string_view version)
{
    for (const auto& [word, product] : kProducts) {
        if (version.find(word) != version.npos)
            return product;
    }
    return std::string(version.substr(0, version.find(' ')));
}

//! Settings whose value may be or hold a secret though their name does not say so: connection strings and commands.
bool mayHoldSecret(std::string_view name)
{
    return namesSecret(name) || name == "primary_conninfo" || name.ends_with("_command");
}

std::uint64_t wholeOf(const std::string& text)
{
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

//! A size as a person writes it in the server's files: "8MB".
std::string inOptionFile(std::int64_t bytes)
{
    constexpr std::array kUnits{"B", "kB", "MB", "GB", "TB"};
    std::size_t unit = 0;
    for (; unit + 1 < kUnits.size() && bytes % 1024 == 0; ++unit)
        bytes /= 1024;
    return fmt::format("{}{}", bytes, kUnits[unit]);
}

//! " AND c.relname IN ('a', 'b')"; "" for all.
std::string amongTables(const std::vector<std::string>& tables)
{
    std::string list;
    for (const std::string& table : tables)
        list += (list.empty() ? "" : ", ") + sqlText(lowered(table));
    return list.empty() ? list : fmt::format(" AND c.relname IN ({})", list);
}

//! Tables of the current schema that have rows of their own, with their partitions.
std::string storedTables(const std::vector<std::string>& tables)
{
    return fmt::format(
        "(SELECT c.relname AS name, t.oid, t.reltoastrelid FROM pg_class c LEFT JOIN LATERAL "
        "pg_partition_tree(c.oid) p ON true JOIN pg_class t ON t.oid = COALESCE(p.relid, c.oid) WHERE "
        "c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind IN ('r', 'p', 'm') AND NOT "
        "c.relispartition AND t.relkind IN ('r', 'm'){})",
        amongTables(tables));
}

} // namespace

//! One of pg_settings.
struct PostgresqlAdmin::Setting
{
    std::string value;   //!< in this program's units
    std::string context; //!< when it can be changed
    bool size = false;   //!< in bytes
    bool flag = false;
    bool altered = false; //!< a line of postgresql.auto.conf says so, or we may not see which file does
};

PostgresqlAdmin::PostgresqlAdmin(const ConnectTarget& target, Connection connection)
    : m_uri(target.uri)
    , m_local(isLocal(target))
    , m_connection(std::move(connection))
    , m_socket(::fcntl(PQsocket(m_connection.get()), F_DUPFD_CLOEXEC, 0))
{
}

PostgresqlAdmin::~PostgresqlAdmin()
{
    if (m_socket >= 0)
        ::close(m_socket);
}

void PostgresqlAdmin::abort() noexcept
{
    if (m_socket >= 0)
        ::shutdown(m_socket, SHUT_RDWR);
}

Error PostgresqlAdmin::commandError(const PGresult* result, std::string_view command) const
{
    const Failure failure = failureOf(m_connection.get(), result);
    const std::string state = sqlStateOf(failure.code);
    const bool gone =
        outcomeOf(failure.code) == Outcome::Disconnected || PQstatus(m_connection.get()) == CONNECTION_BAD;
    Error error;
    error.kind = gone ? ErrorKind::Unreachable : ErrorKind::Refused;
    error.message = fmt::format("error {}: {}", state, failure.text);
    error.where = fmt::format("{}: {}{}", m_uri.display(), command.substr(0, kLongestShown),
                              command.size() > kLongestShown ? "…" : "");
    if (gone)
        error.remedy = "see whether the server still runs";
    else if (state == "42501") // insufficient_privilege
        error.remedy = "grant the user the right that the message names";
    else if (state == "3F000") // invalid_schema_name
        error.remedy = "make a schema that the user's search_path names";
    else if (state == "55P03" || state == "57014")
        error.remedy = "see who holds the table: SELECT * FROM pg_stat_activity";
    return error;
}

Expected<void> PostgresqlAdmin::execute(std::string_view command)
{
    auto rows = query(command);
    if (!rows)
        return fail(std::move(rows.error()));
    return {};
}

Expected<TextRows> PostgresqlAdmin::query(std::string_view command)
{
    ++m_asked;
    const Result result(PQexec(m_connection.get(), std::string(command).c_str()));
    if (!succeeded(result.get()))
        return fail(commandError(result.get(), command));
    TextRows rows;
    const int columns = PQnfields(result.get());
    for (int row = 0; row < PQntuples(result.get()); ++row) {
        std::vector<std::string>& cells = rows.emplace_back();
        for (int column = 0; column < columns; ++column)
            cells.emplace_back(PQgetvalue(result.get(), row, column),
                               std::size_t(PQgetlength(result.get(), row, column)));
    }
    return rows;
}

std::string PostgresqlAdmin::cell(std::string_view command)
{
    const auto rows = query(command);
    return rows && !rows->empty() && !rows->front().empty() ? rows->front().front() : std::string();
}

Expected<std::vector<std::string>> PostgresqlAdmin::firstColumn(std::string_view select)
{
    auto rows = query(select);
    if (!rows)
        return fail(std::move(rows.error()));
    std::vector<std::string> values;
    for (std::vector<std::string>& row : *rows)
        values.push_back(std::move(row.at(0)));
    return values;
}

Expected<std::vector<std::string>> PostgresqlAdmin::tableNames()
{
    return firstColumn(
        "SELECT relname FROM pg_class WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relkind IN "
        "('r', 'p', 'v', 'm', 'f') ORDER BY 1");
}

Expected<std::vector<std::string>> PostgresqlAdmin::tablesElsewhere()
{
    return firstColumn("SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = "
                       "c.relnamespace WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> "
                       "COALESCE(current_schema(), '') AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_' "
                       "ORDER BY 1");
}

Expected<std::vector<ColumnShape>> PostgresqlAdmin::describe(std::string_view table)
{
    auto rows =
        query(fmt::format("SELECT lower(a.attname), lower(format_type(a.atttypid, a.atttypmod)) FROM "
                          "pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE c.relnamespace = "
                          "quote_ident(current_schema())::regnamespace AND c.relname = {} AND a.attnum > 0 AND NOT "
                          "a.attisdropped ORDER BY a.attnum",
                          sqlText(lowered(table))));
    if (!rows)
        return fail(std::move(rows.error()));
    std::vector<ColumnShape> shape;
    for (std::vector<std::string>& row : *rows)
        shape.push_back({std::move(row.at(0)), std::move(row.at(1))});
    return shape;
}

Expected<ServerFacts> PostgresqlAdmin::facts()
{
    auto rows = query(fmt::format("SELECT name, COALESCE({}, '') FROM pg_settings", inBytes("setting")));
    if (!rows)
        return fail(std::move(rows.error()));
    ServerFacts facts;
    for (std::vector<std::string>& row : *rows) {
        if (!mayHoldSecret(row.at(0)))
            facts.variables.emplace(std::move(row.at(0)), std::move(row.at(1)));
    }
    if (const std::string cluster = cell("SELECT system_identifier FROM pg_control_system()"); !cluster.empty())
        facts.variables.emplace("system_identifier", cluster);
    const std::string version = cell("SELECT version()");
    facts.product = productOf(version);
    facts.version = textOf(facts.variables, "server_version");
    if (facts.product != "PostgreSQL") // which of PostgreSQL's versions it says it is, tells nothing
        facts.version = version;
    else if (!cell("SELECT 1 FROM pg_proc WHERE proname = 'aurora_version'").empty())
        facts.product = "Aurora PostgreSQL";
    PGconn* const connection = m_connection.get();
    const char* const host = PQhost(connection);
    facts.transport = host && *host == '/' ? "Unix socket" : "TCP";
    if (PQsslInUse(connection)) {
        const char *cipher = PQsslAttribute(connection, "cipher"), *protocol = PQsslAttribute(connection, "protocol");
        facts.cipher = fmt::format("{} ({})", cipher ? cipher : "unknown", protocol ? protocol : "TLS");
        bool verified = false;
        PQconninfoOption* const options = PQconninfo(connection);
        for (const PQconninfoOption* one = options; one && one->keyword; ++one)
            verified = verified || (one->val && std::string_view(one->keyword) == "sslmode" &&
                                    std::string_view(one->val) == "verify-full");
        PQconninfoFree(options);
        facts.unverified = !verified && !m_local;
    }
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

Expected<PostgresqlAdmin::Setting> PostgresqlAdmin::settingOf(std::string_view name)
{
    auto rows =
        query(fmt::format("SELECT COALESCE({}, ''), context, COALESCE(unit, '') ~ 'B$', vartype = 'bool', source = "
                          "'configuration file' AND COALESCE(sourcefile, 'auto.conf') ~ 'auto.conf$' FROM "
                          "pg_settings WHERE name = {}",
                          inBytes("setting"), sqlText(lowered(name))));
    if (!rows)
        return fail(std::move(rows.error()));
    if (rows->empty())
        return fail({ErrorKind::BadInput, fmt::format("the server has no setting \"{}\"", name), m_uri.display(),
                     "correct the name, or remove it for this server and version"});
    std::vector<std::string>& row = rows->front();
    return Setting{std::move(row.at(0)), std::move(row.at(1)), row.at(2) == "t", row.at(3) == "t", row.at(4) == "t"};
}

Expected<std::string> PostgresqlAdmin::variable(std::string_view name)
{
    auto setting = settingOf(name);
    if (!setting)
        return fail(std::move(setting.error()));
    return std::move(setting->value);
}

Expected<void> PostgresqlAdmin::reload()
{
    constexpr std::chrono::seconds kPatience{10};
    const std::string before = cell("SELECT pg_conf_load_time()");
    if (auto told = execute("SELECT pg_reload_conf()"); !told)
        return told;
    // The server tells its processes one after the other; ours has read the settings when the time has changed.
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (cell("SELECT pg_conf_load_time()") == before) {
        if (std::chrono::steady_clock::now() > until)
            return fail({ErrorKind::Refused, "the server has not read its settings again within 10 s", m_uri.display(),
                         "see its log for an error in its option files: it changes nothing while they have one"});
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return {};
}

Expected<void> PostgresqlAdmin::setVariable(std::string_view name, const Value& value)
{
    if (!isSettingName(name))
        return fail({ErrorKind::BadInput, fmt::format("\"{}\" is not a name of a server setting", name),
                     m_uri.display(), "use the letters a to z, digits, _ and a dot after an extension's name"});
    const auto now = settingOf(name);
    if (!now)
        return fail(now.error());
    if (now->context == "internal")
        return fail({ErrorKind::Refused, fmt::format("{} cannot be changed: it is a property of the server", name),
                     m_uri.display(), "remove it from the plan"});
    if (now->context == "postmaster")
        return fail({ErrorKind::Refused,
                     fmt::format("{} cannot be changed while the server runs; it needs a restart", name),
                     m_uri.display(), "set it in the server's option file and restart, or use a managed server"});
    std::string text = toText(value);
    const auto* const switched = std::get_if<bool>(&value);
    if (now->flag && switched)
        text = *switched ? "on" : "off";
    const auto bytes = now->size ? parseBytes(text) : std::nullopt;
    const std::string shown = bytes ? fmt::format("{}", *bytes) : text; // as variable() has it
    if (bytes && *bytes > 0)
        text = inOptionFile(*bytes);
    const std::string set = fmt::format("ALTER SYSTEM SET {} = {}", name, sqlText(text)),
                      reset = fmt::format("ALTER SYSTEM RESET {}", name);
    const auto alter = [this](const std::string& command) {
        auto done = execute(command);
        return done ? reload() : done;
    };
    if (lowered(text) == "default")
        return alter(reset);
    if (lowered(shown) == lowered(now->value))
        return {};
    if (auto valid = execute(set); !valid) {
        Error error = std::move(valid.error());
        error.message = fmt::format("{}={} was refused: {}", name, toText(value), error.message);
        error.where = m_uri.display();
        return fail(std::move(error));
    }
    if (!now->altered)
        return reload();
    // Perhaps the value comes back that the server has without this line: then nothing of it may stay.
    if (auto without = alter(reset); !without)
        return without;
    const auto plain = settingOf(name);
    if (!plain)
        return fail(plain.error());
    return lowered(plain->value) == lowered(shown) ? Expected<void>() : alter(set);
}

std::uint64_t PostgresqlAdmin::dataBytes(const std::vector<std::string>& tables)
{
    if (tables.empty())
        return wholeOf(cell("SELECT pg_database_size(current_database())"));
    return wholeOf(
        cell(fmt::format("SELECT COALESCE(SUM(pg_total_relation_size(oid)), 0) FROM {} one", storedTables(tables))));
}

std::vector<DataPart> PostgresqlAdmin::dataParts(const std::vector<std::string>& tables)
{
    std::vector<DataPart> parts;
    const std::string stored = storedTables(tables);
    const auto add = [&](const char* kind, const std::string& select) {
        for (const std::vector<std::string>& row : query(select).value_or(TextRows()))
            parts.push_back({kind, row.at(0), wholeOf(row.at(1))});
    };
    add("collection",
        fmt::format("SELECT name, SUM(pg_table_size(oid)) FROM {} one GROUP BY name ORDER BY name", stored));
    add("index", fmt::format("SELECT name || '.' || relname, pg_relation_size(indexrelid) FROM {} one JOIN pg_index ON "
                             "indrelid = one.oid JOIN pg_class i ON i.oid = indexrelid ORDER BY 1",
                             stored));
    if (!tables.empty())
        add("off-page", fmt::format("SELECT name, SUM(pg_total_relation_size(reltoastrelid)) FROM {} one WHERE "
                                    "pg_relation_size(reltoastrelid) > 0 GROUP BY name ORDER BY name",
                                    stored));
    // Of whom the right to call it is missing the server would write an error into its log.
    if (cell("SELECT has_function_privilege('pg_ls_waldir()', 'EXECUTE')") == "t")
        add("redo log", "SELECT '', SUM(size) FROM pg_ls_waldir()");
    return parts;
}

void PostgresqlAdmin::checkpoint()
{
    // As autovacuum decides with its usual settings: a tenth of the rows is new.
    const auto changed =
        firstColumn("SELECT c.relname FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid WHERE "
                    "c.relnamespace = quote_ident(current_schema())::regnamespace AND pg_has_role(c.relowner, "
                    "'USAGE') AND n_mod_since_analyze > 50 + 0.1 * n_live_tup");
    for (const std::string& table : changed.value_or(std::vector<std::string>()))
        (void)execute("ANALYZE " + exactlyQuoted(table));
    (void)execute("CHECKPOINT");
}

Expected<void> PostgresqlAdmin::settle(const std::vector<std::string>& tables)
{
    for (const std::string& table : tables) {
        if (auto cleaned = execute("VACUUM (ANALYZE) " + nameQuoted(table)); !cleaned)
            return cleaned;
    }
    (void)execute("CHECKPOINT"); // not everyone may
    return {};
}

Expected<void> PostgresqlAdmin::prewarm(const std::vector<std::string>& tables)
{
    if (tables.empty())
        return {};
    if (auto begun = execute("BEGIN"); !begun)
        return begun;
    Expected<void> warmed = execute("CREATE EXTENSION IF NOT EXISTS pg_prewarm");
    if (warmed) {
        warmed = execute(fmt::format(
            "WITH one AS {} SELECT pg_prewarm(oid::regclass) FROM (SELECT oid FROM one UNION ALL SELECT reltoastrelid "
            "FROM one WHERE reltoastrelid <> 0 UNION ALL SELECT indexrelid FROM pg_index WHERE indrelid IN (SELECT oid "
            "FROM one UNION ALL SELECT reltoastrelid FROM one)) parts",
            storedTables(tables)));
    }
    if (auto ended = execute("ROLLBACK"); !ended)
        return ended;
    return warmed ? Expected<void>() : Admin::prewarm(tables);
}

std::string serverIdentity(const Settings& variables)
{
    // A copy of a cluster keeps its identifier, and replicas of one have the same folder and port on other machines:
    // those are told apart by their being replicas, and by their names and addresses where somebody has given them
    // some.
    std::string identity = "postgresql";
    for (const char* name :
         {"system_identifier", "data_directory", "port", "cluster_name", "listen_addresses", "in_hot_standby"})
        identity += fmt::format(" {}={}", name, textOf(variables, name));
    return textOf(variables, "system_identifier").empty() ? std::string() : identity;
}

} // namespace dyno::postgresql
