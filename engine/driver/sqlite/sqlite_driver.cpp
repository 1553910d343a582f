// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/sqlite/sqlite_driver.h"

#include "driver/sqlite/sqlite_admin.h"
#include "driver/sqlite/sqlite_session.h"

namespace dyno {

namespace {

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
                .sql = {.autoIncrement = "",
                        .keyIsRowId = true,
                        .keysInTable = false,
                        .namedOptions = false,
                        .loadsPrepared = true,
                        .outcomeTells = true}};
    }
    [[nodiscard]] Expected<std::unique_ptr<Session>> open(ConnectTargetPtr target) override
    {
        return std::make_unique<SqliteSession>(std::move(target));
    }
    [[nodiscard]] Expected<std::unique_ptr<Admin>> admin(const ConnectTarget& target) override
    {
        return SqliteAdmin::open(target);
    }
};

} // namespace

Driver& sqliteDriver()
{
    static SqliteDriver driver;
    return driver;
}

} // namespace dyno
