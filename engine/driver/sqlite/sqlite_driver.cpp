// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/sqlite/sqlite_driver.h"

#include "driver/sqlite/sqlite_admin.h"
#include "driver/sqlite/sqlite_session.h"
#include "driver/sqlite/sqlite_sizes.h"
#include "driver/sqlite/sqlite_tables.h"

namespace dyno {

namespace {

SqlDialect sqliteDialect()
{
    SqlDialect sql;
    sql.wideIntegers = true;
    sql.keyIsRowId = true;
    sql.fullText = FullTextIndex::Table;
    sql.rebuild =
        "VACUUM"; // the whole file of both tables, for which it asks for twice its size more ("How VACUUM works")
    sql.rebuildSpace = 5;
    sql.foreignKeysOn = "SELECT 1 FROM pragma_foreign_keys WHERE foreign_keys = 1";
    sql.foreignKeysOff = "PRAGMA foreign_keys = OFF";
    sql.foreignKeysIdle =
        "SQLite would not enforce the foreign keys: it does so only where each connection asks for it";
    sql.foreignKeysRemedy = "set connection.foreign_keys = true";
    sql.readOnly = "PRAGMA query_only = ON";
    sql.rowLock = ""; // a writer has the file for itself
    sql.useIndex = " INDEXED BY {}";
    sql.loadsPrepared = true;
    sql.outcomeTells = true;
    sql.rowTooLarge = {SQLITE_TOOBIG};
    return sql;
}

class SqliteDriver final : public Driver
{
public:
    [[nodiscard]] DriverInfo info() const override
    {
        return {.id = "sqlite",
                .name = "SQLite (embedded)",
                .uriForm = "sqlite:PATH",
                .library = std::string("SQLite ") + sqlite3_libversion(),
                .connection = sqliteOptions(),
                .concurrentWriters = false,
                .sql = sqliteDialect(),
                .sizes = &sqliteSizes()};
    }
    [[nodiscard]] std::vector<CounterGroup> counterGroups() const override
    {
        return {{"Page cache and log",
                 {"server/wal_bytes_written", "server/wal_size", "server/cache_hits", "server/cache_misses",
                  "server/cache_spills", "server/cache_bytes", "server/busy_waits"}}};
    }
    [[nodiscard]] std::string explaining(std::string_view statement) const override
    {
        return "EXPLAIN QUERY PLAN " + std::string(statement);
    }
    [[nodiscard]] PlanStep planStep(const KeptRows& answer, std::size_t row) const override
    {
        return sqlitePlanStep(answer, row);
    }
    [[nodiscard]] Expected<std::unique_ptr<Session>> open(ConnectTargetPtr target) override
    {
        return std::make_unique<SqliteSession>(std::move(target));
    }
    [[nodiscard]] Expected<std::unique_ptr<Admin>> admin(const ConnectTarget& target) override
    {
        return SqliteAdmin::open(target);
    }
    [[nodiscard]] Expected<std::unique_ptr<Admin>> watcher(const ConnectTarget& target) override
    {
        return SqliteAdmin::watcher(target);
    }
};

} // namespace

Driver& sqliteDriver()
{
    static SqliteDriver driver;
    return driver;
}

} // namespace dyno
