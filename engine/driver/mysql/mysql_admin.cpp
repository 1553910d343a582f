// SPDX-License-Identifier: GPL-3.0-or-later
#include "mysql_admin.h"

#include "base/clock.h"
#include "base/secret_names.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <thread>

namespace dyno::mysql {

namespace {

constexpr unsigned kUnknownVariable = 1193;
constexpr unsigned kWrongValue = 1231;
constexpr unsigned kWrongType = 1232;
constexpr unsigned kReadOnly = 1238;
constexpr std::size_t kShownCommand = 120;

bool contains(std::string_view text, std::string_view part)
{
    return lowered(text).find(part) != std::string::npos;
}

//! Same setting, two names: MariaDB before 11.1 and MySQL 5.7 say tx_…, the others transaction_….
std::string otherName(std::string_view name)
{
    if (name == "transaction_isolation")
        return "tx_isolation";
    if (name == "tx_isolation")
        return "transaction_isolation";
    if (name == "transaction_read_only")
        return "tx_read_only";
    if (name == "tx_read_only")
        return "transaction_read_only";
    return {};
}

std::string nameQuoted(std::string_view name)
{
    std::string text = "`";
    for (const char c : name)
        text += c == '`' ? std::string("``") : std::string(1, c);
    return text + "`";
}

//! "`a`, `b`"
std::string namesOf(const std::vector<std::string>& tables)
{
    std::string names;
    for (const std::string& table : tables)
        names += (names.empty() ? "" : ", ") + nameQuoted(table);
    return names;
}

//! " AND column IN ('a', 'b')"; "" for all.
std::string among(std::string_view column, const std::vector<std::string>& names)
{
    std::string list;
    for (const std::string& name : names)
        list += fmt::format("{}{}", list.empty() ? "" : ", ", sqlQuoted(name));
    return list.empty() ? list : fmt::format(" AND {} IN ({})", column, list);
}

//! Of a tablespace's name, without the database: a table, or "table#P#partition".
constexpr const char* kInDatabase = "SUBSTRING(NAME, CHAR_LENGTH(DATABASE()) + 2)";
//! A condition of among() that takes tables of full-text indexes too, which have names of their own.
std::string orFullText(std::string_view condition)
{
    constexpr std::string_view kAnd = " AND ";
    return condition.empty()
               ? std::string()
               : fmt::format("{}({} OR LOWER({}) LIKE 'fts\\_%')", kAnd, condition.substr(kAnd.size()), kInDatabase);
}

bool looksNumeric(std::string_view text)
{
    return !text.empty() && text.find_first_not_of("0123456789.-") == std::string_view::npos &&
           text.find_first_of("0123456789") != std::string_view::npos;
}

//! The ways to write `value` in SET GLOBAL, best first. The server takes ON for switches and words, numbers for
//! counts; which kind a variable is, it says by error 1232 or 1231.
std::vector<std::string> literalsOf(const Value& value)
{
    if (const auto* flag = std::get_if<bool>(&value))
        return {*flag ? "ON" : "OFF", *flag ? "1" : "0"};
    const auto* text = std::get_if<std::string>(&value);
    if (!text)
        return {toText(value), sqlQuoted(toText(value))};
    std::vector<std::string> literals;
    if (looksNumeric(*text))
        literals.push_back(*text);
    literals.push_back(sqlQuoted(*text));
    if (const auto bytes = parseBytes(*text))
        literals.push_back(fmt::format("{}", *bytes));
    if (lowered(*text) == "default")
        literals.insert(literals.begin(), "DEFAULT");
    return literals;
}

std::string productOf(const std::string& version, const std::string& comment, bool aurora)
{
    if (aurora)
        return "Aurora MySQL";
    if (contains(version, "mariadb") || contains(comment, "mariadb"))
        return "MariaDB";
    if (contains(comment, "percona"))
        return "Percona Server";
    if (contains(version, "tidb") || contains(comment, "tidb"))
        return "TiDB";
    return "MySQL";
}

std::string transportOf(const char* hostInfo)
{
    const std::string_view info = hostInfo ? hostInfo : "";
    return contains(info, "unix socket") ? "Unix socket" : contains(info, "tcp") ? "TCP" : std::string(info);
}

std::uint64_t numberOf(const std::string& text)
{
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

} // namespace

MysqlAdmin::MysqlAdmin(TargetUri uri, ConnectOptions options, Connection connection)
    : m_uri(std::move(uri))
    , m_options(std::move(options))
    , m_connection(std::move(connection))
{
    m_cutter.attach(socketOf(m_connection.get()));
}

Error MysqlAdmin::commandError(MYSQL* mysql, std::string_view command) const
{
    const unsigned code = mysql_errno(mysql);
    Error error;
    error.kind = outcomeOf(code) == Outcome::Disconnected ? ErrorKind::Unreachable : ErrorKind::Refused;
    error.message = fmt::format("error {}: {}", code, mysql_error(mysql));
    error.where = fmt::format("{}: {}{}", m_uri.display(), command.substr(0, kShownCommand),
                              command.size() > kShownCommand ? "…" : "");
    if (error.kind == ErrorKind::Unreachable)
        error.remedy = "see whether the server still runs";
    else if (code == 1044 || code == 1142 || code == 1227 || code == 1370)
        error.remedy = "grant the user the right that the message names";
    else if (code == 1046)
        error.remedy = "name a database in the URI: mysql://user@host/DATABASE";
    return error;
}

Expected<void> MysqlAdmin::execute(std::string_view command)
{
    auto rows = query(command);
    if (!rows)
        return fail(std::move(rows.error()));
    return {};
}

Expected<TextRows> MysqlAdmin::query(std::string_view command)
{
    return query(command, nullptr);
}

Expected<TextRows> MysqlAdmin::query(std::string_view command, std::vector<std::string>* names)
{
    useLibraryOnThisThread();
    MYSQL* mysql = m_connection.get();
    if (mysql_real_query(mysql, command.data(), command.size()) != 0)
        return fail(commandError(command));
    return readRows(mysql, command, names);
}

Expected<TextRows> MysqlAdmin::readRows(MYSQL* mysql, std::string_view command, std::vector<std::string>* names)
{
    TextRows rows;
    int next = 0;
    while (next == 0) {
        if (MYSQL_RES* result = mysql_store_result(mysql)) {
            const unsigned columns = mysql_num_fields(result);
            if (names)
                names->clear();
            for (unsigned i = 0; names && i < columns; ++i)
                names->emplace_back(mysql_fetch_field_direct(result, i)->name);
            while (MYSQL_ROW row = mysql_fetch_row(result)) {
                const unsigned long* lengths = mysql_fetch_lengths(result);
                std::vector<std::string>& cells = rows.emplace_back();
                for (unsigned i = 0; i < columns; ++i)
                    cells.emplace_back(row[i] ? std::string(row[i], lengths[i]) : std::string());
            }
            mysql_free_result(result);
        }
        if (mysql_errno(mysql) != 0)
            return fail(commandError(mysql, command));
        next = mysql_next_result(mysql);
    }
    if (next > 0)
        return fail(commandError(mysql, command));
    return rows;
}

std::string MysqlAdmin::cell(std::string_view command)
{
    const auto rows = query(command);
    return rows && !rows->empty() && !rows->front().empty() ? rows->front().front() : std::string();
}

Expected<std::vector<std::string>> MysqlAdmin::firstColumn(std::string_view select)
{
    auto rows = query(select);
    if (!rows)
        return fail(std::move(rows.error()));
    std::vector<std::string> values;
    for (std::vector<std::string>& row : *rows)
        values.push_back(std::move(row.at(0)));
    return values;
}

Expected<std::vector<std::string>> MysqlAdmin::tableNames()
{
    return firstColumn(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY table_name");
}

Expected<std::vector<std::string>> MysqlAdmin::tablesElsewhere()
{
    return firstColumn(
        "SELECT CONCAT(table_schema, '.', table_name) FROM information_schema.tables WHERE table_schema <> "
        "COALESCE(DATABASE(), '') AND table_schema NOT IN ('mysql', 'sys', 'information_schema', "
        "'performance_schema') ORDER BY 1");
}

Expected<std::vector<ColumnShape>> MysqlAdmin::describe(std::string_view table)
{
    auto rows = query("SELECT column_name, column_type FROM information_schema.columns WHERE table_schema = DATABASE() "
                      "AND table_name = " +
                      sqlQuoted(table) + " ORDER BY ordinal_position");
    if (!rows)
        return fail(std::move(rows.error()));
    std::vector<ColumnShape> columns;
    for (std::vector<std::string>& row : *rows)
        columns.push_back({lowered(row.at(0)), lowered(row.at(1))});
    return columns;
}

Expected<ServerFacts> MysqlAdmin::facts()
{
    auto variables = query("SHOW GLOBAL VARIABLES");
    if (!variables)
        return fail(std::move(variables.error()));
    ServerFacts facts;
    for (std::vector<std::string>& row : *variables) {
        if (!namesSecret(row.at(0)))
            facts.variables.emplace(std::move(row.at(0)), std::move(row.at(1)));
    }
    facts.version = textOf(facts.variables, "version");
    if (constexpr std::string_view kLogging = "-log"; facts.version.ends_with(kLogging))
        facts.version.resize(facts.version.size() - kLogging.size()); // says that some log is on: no other version
    facts.product = productOf(facts.version, textOf(facts.variables, "version_comment"),
                              facts.variables.contains("aurora_version"));
    facts.transport = transportOf(mysql_get_host_info(m_connection.get()));
    if (auto cipher = query("SHOW SESSION STATUS LIKE 'Ssl_cipher'"); cipher && !cipher->empty())
        facts.cipher = cipher->front().at(1);
    facts.unverified =
        !facts.cipher.empty() && m_options.tls != ConnectOptions::Tls::Verify && (m_options.distant || !isLocal(m_uri));
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

Expected<std::string> MysqlAdmin::lookUp(std::string_view name)
{
    auto rows = query("SHOW GLOBAL VARIABLES WHERE Variable_name = " + sqlQuoted(name));
    if (!rows)
        return fail(std::move(rows.error()));
    if (rows->empty())
        return fail({ErrorKind::BadInput, fmt::format("the server has no global variable \"{}\"", name),
                     m_uri.display(), "correct the name, or leave it out for this server and version"});
    return rows->front().at(1);
}

Expected<std::string> MysqlAdmin::variable(std::string_view name)
{
    if (namesInstruments(name))
        return instrumentState(name);
    auto value = lookUp(name);
    if (!value && value.error().kind == ErrorKind::BadInput) {
        if (const std::string other = otherName(name); !other.empty()) {
            if (auto known = lookUp(other))
                return known;
        }
    }
    return value;
}

unsigned MysqlAdmin::trySet(std::string_view name, const std::string& literal)
{
    const auto result = execute(fmt::format("SET GLOBAL {}={}", name, literal));
    return result ? 0 : mysql_errno(m_connection.get());
}

Expected<void> MysqlAdmin::setVariable(std::string_view name, const Value& value)
{
    if (namesInstruments(name))
        return setInstruments(name, toText(value));
    if (!isVariableName(name))
        return fail({ErrorKind::BadInput, fmt::format("\"{}\" is not a name of a server variable", name),
                     m_uri.display(), "use the letters a to z, digits and _"});
    std::string known(name);
    unsigned code = 0;
    Error first;
    const std::vector<std::string> literals = literalsOf(value);
    for (std::size_t i = 0; i < literals.size(); ++i) {
        code = trySet(known, literals[i]);
        if (code == kUnknownVariable && known == name && !otherName(name).empty()) {
            known = otherName(name);
            code = trySet(known, literals[i]);
        }
        if (code == 0)
            return {};
        if (i == 0)
            first = commandError(fmt::format("SET GLOBAL {}={}", known, literals[i]));
        if (code != kWrongType && code != kWrongValue)
            break;
    }
    const Error last = commandError({});
    if (code == kReadOnly)
        return fail({ErrorKind::Refused,
                     fmt::format("{} cannot be changed while the server runs; it needs a restart", name),
                     m_uri.display(), "set it in the server's option file and restart, or use a managed server"});
    if (code == kUnknownVariable)
        return fail({ErrorKind::BadInput, fmt::format("the server has no global variable \"{}\"", name),
                     m_uri.display(), "correct the name, or leave it out for this server and version"});
    if (code == kWrongType || code == kWrongValue)
        return fail(first);
    return fail({last.kind, fmt::format("{}={} was refused: {}", name, toText(value), last.message), m_uri.display(),
                 last.remedy});
}

//! `how`: what FLUSH TABLES does beside. Nobody can write to the tables meanwhile, and transactions that hold them are
//! waited for, but not for ever.
Expected<void> MysqlAdmin::flushLocked(const std::vector<std::string>& tables, const char* how)
{
    if (auto patient = execute("SET SESSION lock_wait_timeout=10"); !patient)
        return patient;
    // In one message: a connection that is lost in between would leave the tables locked until the server misses us.
    return execute(fmt::format("FLUSH TABLES {} {}; UNLOCK TABLES", namesOf(tables), how));
}

//! Writes what the buffer pool holds of changed pages of these InnoDB tables. FLUSH TABLES alone does not.
Expected<void> MysqlAdmin::writePages(const std::vector<std::string>& tables)
{
    return tables.empty() ? Expected<void>() : flushLocked(tables, "FOR EXPORT");
}

//! MyRocks keeps what was written last in memory and in its log, up to 64 MiB a column family; its files have the rest.
Expected<void> MysqlAdmin::writeMemtables(const std::vector<std::string>& tables)
{
    const std::string count =
        cell("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND engine = 'ROCKSDB'" +
             among("table_name", tables));
    return numberOf(count) > 0 ? execute("SET GLOBAL rocksdb_force_flush_memtable_now = ON") : Expected<void>();
}

//! Aria keeps changed pages in its cache until a checkpoint, and MyISAM changed blocks of indexes where their writing
//! is delayed: files of a table that was just loaded may be a thousand times smaller than it is. With a lock for
//! reading what is written stays in the cache too, so that the next run begins as warm as before; FLUSH TABLES alone
//! empties it.
Expected<void> MysqlAdmin::writeCaches(const std::vector<std::string>& tables)
{
    const auto cached = firstColumn("SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() "
                                    "AND (engine = 'Aria' OR (engine = 'MyISAM' AND (create_options LIKE "
                                    "'%delay_key_write=1%' OR @@GLOBAL.delay_key_write = 'ALL')))" +
                                    among("table_name", tables));
    if (!cached)
        return fail(cached.error());
    return cached->empty() ? Expected<void>() : flushLocked(*cached, "WITH READ LOCK");
}

//! The file of a compressed page has its size only when the page is written: a table that was just loaded seems to be
//! many times smaller than it is.
void MysqlAdmin::writeLate(const std::vector<std::string>& tables)
{
    if (tables.empty()) // others' tables are nobody's to lock
        return;
    const auto compressed = firstColumn(fmt::format(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND engine = 'InnoDB' AND "
        "(create_options LIKE '%page_compressed%' OR create_options LIKE '%compression=%'){}",
        among("table_name", tables)));
    if (compressed)
        (void)writePages(*compressed); // without the right to it the size is that of what is written
    (void)writeMemtables(tables);
    (void)writeCaches(tables);
}

std::uint64_t MysqlAdmin::dataBytes(const std::vector<std::string>& tables)
{
    // What really lies on disk: page compression and freed extents make files smaller than their nominal size. A
    // partition's name is "database/table#P#partition".
    static constexpr std::array<std::string_view, 2> kTablespaces = {"INNODB_SYS_TABLESPACES", "INNODB_TABLESPACES"};
    std::uint64_t innodb = 0;
    for (const std::string_view table : kTablespaces) {
        innodb = numberOf(cell(
            fmt::format("SELECT CAST(SUM(ALLOCATED_SIZE) AS UNSIGNED) FROM information_schema.{} WHERE LEFT(NAME, "
                        "CHAR_LENGTH(DATABASE()) + 1) = CONCAT(DATABASE(), '/'){}",
                        table, orFullText(among(fmt::format("SUBSTRING_INDEX({}, '#', 1)", kInDatabase), tables)))));
        if (innodb > 0)
            break;
    }
    const std::string sum = "SELECT CAST(SUM(data_length + index_length) AS UNSIGNED) FROM information_schema.tables "
                            "WHERE table_schema = DATABASE()" +
                            among("table_name", tables);
    if (innodb == 0) // no right to see tablespaces, or one shared tablespace
        return numberOf(cell(sum));
    return innodb + numberOf(cell(sum + " AND engine <> 'InnoDB'"));
}

std::vector<DataPart> MysqlAdmin::dataParts(const std::vector<std::string>& tables)
{
    writeLate(tables);
    return {};
}

Expected<void> MysqlAdmin::settle(const std::vector<std::string>& tables)
{
    if (tables.empty())
        return {};
    const auto innodb =
        firstColumn("SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND "
                    "engine = 'InnoDB'" +
                    among("table_name", tables));
    if (!innodb)
        return fail(innodb.error());
    // Purge changes pages, so it comes first. On a server with other work it never ends.
    constexpr std::chrono::seconds kPatience(120), kStands(2);
    constexpr std::uint64_t kFew = 128; // of one batch of the purge: it does not come at once for so few
    const auto begin = std::chrono::steady_clock::now();
    auto fellAt = begin;
    std::uint64_t shortest = std::numeric_limits<std::uint64_t>::max();
    for (auto now = begin; now - begin < kPatience && now - fellAt < kStands; now = std::chrono::steady_clock::now()) {
        const std::string length =
            cell("SELECT COUNT FROM information_schema.INNODB_METRICS WHERE NAME = 'trx_rseg_history_len'");
        if (length.empty() || numberOf(length) <= kFew) // no right to ask
            break;
        if (numberOf(length) < shortest) {
            shortest = numberOf(length);
            fellAt = now;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    (void)writeMemtables(tables); // without the right to it they stay in memory
    (void)writeCaches(tables);
    return writePages(*innodb);
}

Expected<void> MysqlAdmin::prewarm(const std::vector<std::string>& tables)
{
    for (const std::string& table : tables) {
        // A table without a primary key has no index to be named; a full-text index cannot be read in order.
        const auto indexes = query(fmt::format(
            "SELECT index_name, column_name FROM information_schema.statistics WHERE table_schema = "
            "DATABASE() AND table_name = {} AND seq_in_index = 1 AND index_type IN ('BTREE', 'LSMTREE') AND "
            "column_name IS NOT NULL",
            sqlQuoted(table)));
        if (!indexes)
            return fail(indexes.error());
        // Only the index's own column, so that nothing else is read; a sum, as a count may be known without reading.
        for (const std::vector<std::string>& index : *indexes) {
            if (auto read = query(fmt::format("SELECT SUM(CRC32({})) FROM {} FORCE INDEX ({})", nameQuoted(index.at(1)),
                                              nameQuoted(table), nameQuoted(index.at(0))));
                !read)
                return fail(std::move(read.error()));
        }
        const bool whole = std::ranges::any_of(*indexes, [](const auto& index) { return index.at(0) == "PRIMARY"; });
        if (!whole) {
            if (const auto counted = rowCount(table); !counted)
                return fail(counted.error());
        }
    }
    return {};
}

} // namespace dyno::mysql
