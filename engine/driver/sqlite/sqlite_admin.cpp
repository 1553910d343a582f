// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/sqlite/sqlite_admin.h"

#include "base/clock.h"
#include "base/sqlite_file.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <thread>

namespace dyno {

namespace {

//! Pragmas worth keeping with a result. All of them answer with one value and change nothing.
constexpr std::array kPragmas = {
    "journal_mode",   "synchronous",   "cache_size", "page_size",    "mmap_size",          "wal_autocheckpoint",
    "auto_vacuum",    "cache_spill",   "encoding",   "foreign_keys", "journal_size_limit", "page_count",
    "freelist_count", "secure_delete", "temp_store", "threads",      "user_version",       "application_id"};

std::string upper(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
    return text;
}

//! Pragma values in the spelling of the knobs, so that wanted and effective values compare as text.
std::string asKnob(std::string_view name, std::string value)
{
    struct Words
    {
        std::string_view name;
        std::array<std::string_view, 4> of; //!< of 0, 1, …; "" = no such number
    };
    constexpr std::array<Words, 3> kWords = {{{"synchronous", {"OFF", "NORMAL", "FULL", "EXTRA"}},
                                              {"auto_vacuum", {"NONE", "FULL", "INCREMENTAL"}},
                                              {"temp_store", {"DEFAULT", "FILE", "MEMORY"}}}};
    for (const Words& words : kWords) {
        const bool known = words.name == name && value.size() == 1 && value[0] >= '0' && value[0] <= '3';
        if (known && !words.of[std::size_t(value[0] - '0')].empty())
            return std::string(words.of[std::size_t(value[0] - '0')]);
    }
    if (name == "foreign_keys")
        return value == "1" ? "ON" : "OFF";
    return name == "journal_mode" ? upper(std::move(value)) : value;
}

bool isName(std::string_view name)
{
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
}

} // namespace

SqliteAdmin::SqliteAdmin(const ConnectTarget& target)
    : m_counts(countsOf(target.uri.path))
    , m_wal(lowered(textOf(target.connection, "journal_mode", "WAL")) == "wal")
    , m_target(target)
{
    m_target.statements.clear();
    m_target.uri.password.clear();
}

Expected<std::unique_ptr<Admin>> SqliteAdmin::open(const ConnectTarget& target)
{
    std::unique_ptr<SqliteAdmin> admin(new SqliteAdmin(target));
    // A read shows whether the file is a database at all; SQLite opens any file without looking into it.
    if (const Expected<TextRows> read = admin->run("SELECT count(*) FROM sqlite_master"); !read)
        return fail(read.error());
    return admin;
}

std::unique_ptr<Admin> SqliteAdmin::watcher(const ConnectTarget& target)
{
    return std::unique_ptr<Admin>(new SqliteAdmin(target));
}

Expected<TextRows> SqliteAdmin::run(std::string_view sql)
{
    SqliteConnection connection;
    if (const Expected<void> open = connection.open(m_target, role()); !open)
        return fail(open.error());
    return connection.rows(sql);
}

Expected<void> SqliteAdmin::execute(std::string_view command)
{
    const Expected<TextRows> done = run(command);
    if (!done)
        return fail(done.error());
    return {};
}

Expected<TextRows> SqliteAdmin::query(std::string_view command)
{
    return run(command);
}

Expected<std::vector<ColumnShape>> SqliteAdmin::describe(std::string_view table)
{
    const Expected<TextRows> rows =
        run(fmt::format("SELECT lower(name), lower(type) FROM pragma_table_info({}) ORDER BY cid", sqliteText(table)));
    if (!rows)
        return fail(rows.error());
    std::vector<ColumnShape> columns;
    for (const std::vector<std::string>& row : *rows)
        columns.push_back({row[0], row[1]});
    return columns;
}

Expected<std::string> SqliteAdmin::tableText(std::string_view table)
{
    const Expected<TextRows> rows =
        run(fmt::format("SELECT sql FROM sqlite_master WHERE lower(tbl_name) = lower({}) AND sql IS NOT NULL ORDER BY "
                        "type = 'table' DESC, name",
                        sqliteText(table)));
    if (!rows)
        return fail(rows.error());
    std::string text;
    for (const std::vector<std::string>& row : *rows)
        text += (text.empty() ? "" : ";\n") + row[0];
    return text;
}

Expected<ServerFacts> SqliteAdmin::facts()
{
    SqliteConnection connection;
    if (const Expected<void> open = connection.open(m_target, role()); !open)
        return fail(open.error());
    ServerFacts facts;
    facts.product = "SQLite";
    facts.version = sqlite3_libversion();
    facts.transport = "in process";
    for (const char* name : kPragmas) {
        const Expected<std::string> value = connection.value(fmt::format("PRAGMA {}", name));
        if (!value)
            return fail(value.error());
        facts.variables[name] = asKnob(name, *value);
    }
    if (m_target.look && isWalFile(m_target.uri.path))
        facts.variables["journal_mode"] = std::string("WAL"); // a file opened as immutable has none
    // These hold for each user's connection; what the control plane's own connection has does not matter.
    for (const char* name : {"locking_mode", "busy_timeout", "begin"})
        facts.variables[name] = textOf(m_target.connection, name);
    const Expected<TextRows> options = connection.rows("PRAGMA compile_options");
    if (!options)
        return fail(options.error());
    for (const std::vector<std::string>& row : *options) {
        const std::size_t equals = std::min(row[0].find('='), row[0].size());
        const bool hasValue = equals < row[0].size();
        facts.variables["compile." + row[0].substr(0, equals)] = hasValue ? row[0].substr(equals + 1) : "1";
    }
    const std::int64_t start = nowNs();
    if (const Expected<std::string> one = connection.value("SELECT 1"); !one)
        return fail(one.error());
    facts.roundTripMs = double(nowNs() - start) * 1e-6;
    return facts;
}

Expected<std::string> SqliteAdmin::variable(std::string_view name)
{
    Expected<ServerFacts> all = facts();
    if (!all)
        return fail(all.error());
    if (const auto it = all->variables.find(name); it != all->variables.end())
        return toText(it->second);
    if (isName(name)) {
        // The list first: some pragmas do something even when they are only named.
        const Expected<TextRows> rows =
            run(fmt::format("SELECT name FROM pragma_pragma_list WHERE name = lower({})", sqliteText(name)));
        if (!rows)
            return fail(rows.error());
        const bool harmless =
            name != "incremental_vacuum" && name != "optimize" && name != "wal_checkpoint" && name != "shrink_memory";
        if (!rows->empty() && harmless) {
            const Expected<TextRows> value = run(fmt::format("PRAGMA {}", name));
            if (!value)
                return fail(value.error());
            if (!value->empty() && !value->front().empty())
                return value->front().front();
        }
    }
    return fail({ErrorKind::BadInput,
                 fmt::format("SQLite {} has no pragma \"{}\" with a value", sqlite3_libversion(), name),
                 m_target.uri.display(), "see `dyno knobs sqlite`"});
}

Expected<void> SqliteAdmin::setVariable(std::string_view name, const Value&)
{
    return fail({ErrorKind::BadInput, fmt::format("SQLite has no server, so \"{}\" cannot be set on it", name),
                 m_target.uri.display(), fmt::format("set it for each user's connection: connection.{}", name)});
}

std::uint64_t SqliteAdmin::dataBytes(const std::vector<std::string>& /*tables*/)
{
    std::uint64_t bytes = 0;
    for (const char* suffix : {"", "-wal", "-journal"}) {
        std::error_code problem;
        const std::uintmax_t size = std::filesystem::file_size(realFile() + suffix, problem);
        bytes += problem ? 0 : size;
    }
    return bytes;
}

//! SQLite has its logs beside the file itself, not beside a link to it.
std::string SqliteAdmin::realFile() const
{
    std::error_code ignored;
    const std::string real = std::filesystem::weakly_canonical(m_target.uri.path, ignored).string();
    return real.empty() ? m_target.uri.path : real;
}

std::vector<CounterInfo> SqliteAdmin::counters()
{
    std::vector<CounterInfo> counters;
    const auto hidden = [&counters](const char* name, const char* unit, bool rate) {
        counters.push_back({"server", name, unit, rate, true});
    };
    if (m_wal) {
        counters.push_back({"server", "wal_bytes_written", "bytes", true});
        hidden("wal_size", "bytes", false);
    }
    hidden("cache_hits", "pages", true);
    hidden("cache_misses", "pages", true);
    hidden("cache_spills", "pages", true);
    hidden("cache_bytes", "bytes", false);
    hidden("busy_waits", "waits", true);
    return counters;
}

Expected<std::vector<double>> SqliteAdmin::counterValues()
{
    // What takes longer than this is in the next answer.
    constexpr std::chrono::milliseconds kForUsers(1);
    m_counts->asked.fetch_add(1, std::memory_order_relaxed);
    std::this_thread::sleep_for(kForUsers);
    std::vector<double> values;
    if (m_wal) {
        std::error_code problem;
        const std::uintmax_t size = std::filesystem::file_size(realFile() + "-wal", problem);
        const double none = problem == std::errc::no_such_file_or_directory ? 0 : std::nan("");
        values = {double(m_counts->walBytes), problem ? none : double(size)};
    }
    values.insert(values.end(), {double(m_counts->hits), double(m_counts->misses), double(m_counts->spills),
                                 double(m_counts->cacheBytes), double(m_counts->busyWaits)});
    return values;
}

void SqliteAdmin::checkpoint()
{
    // Best effort: with users still connected, a checkpoint may not reach the end of the log.
    (void)run("PRAGMA wal_checkpoint(TRUNCATE)");
}

} // namespace dyno
