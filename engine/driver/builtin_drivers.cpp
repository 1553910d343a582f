// SPDX-License-Identifier: GPL-3.0-or-later
// The list of drivers. Explicit, so that what a build can do is read in one place and no start-up order matters.
#include "config.h"
#include "driver/null/null_driver.h"
#include "driver/sqlite/sqlite_driver.h"
#if DYNO_HAVE_MYSQL
#include "driver/mysql/mysql_driver.h"
#endif
#if DYNO_HAVE_MONGODB
#include "driver/mongodb/mongodb_driver.h"
#endif
#if DYNO_HAVE_POSTGRESQL
#include "driver/postgresql/postgresql_driver.h"
#endif
#if DYNO_HAVE_CLICKHOUSE
#include "driver/clickhouse/clickhouse_driver.h"
#endif
#if DYNO_HAVE_ROCKSDB
#include "driver/rocksdb/rocksdb_driver.h"
#endif

#include <dyno/counter_groups.h>
#include <dyno/main_counters.h>

#include <algorithm>

namespace dyno {

const std::vector<Driver*>& builtinDrivers()
{
    static const std::vector<Driver*> kDrivers = {
        &sqliteDriver(),
#if DYNO_HAVE_MYSQL
        &mysqlDriver(),
#endif
#if DYNO_HAVE_MONGODB
        &mongodbDriver(),
#endif
#if DYNO_HAVE_POSTGRESQL
        &postgresqlDriver(),
#endif
#if DYNO_HAVE_CLICKHOUSE
        &clickhouseDriver(),
#endif
#if DYNO_HAVE_ROCKSDB
        &rocksdbDriver(),
#endif
        &nullDriver(),
    };
    return kDrivers;
}

Driver* driverFor(std::string_view id)
{
    for (Driver* driver : builtinDrivers()) {
        if (driver->info().id == id)
            return driver;
    }
    return nullptr;
}

std::vector<MainCounter> mainCounters(std::string_view driver)
{
    const Driver* found = driverFor(driver);
    return found ? found->mainCounters() : std::vector<MainCounter>();
}

std::vector<MoveReading> moveReadings(std::string_view driver)
{
    const Driver* found = driverFor(driver);
    return found ? found->moveReadings() : std::vector<MoveReading>();
}

std::vector<CounterGroup> counterGroups(std::string_view driver)
{
    const Driver* found = driverFor(driver);
    return found ? found->counterGroups() : std::vector<CounterGroup>();
}

std::vector<PlayedRole> rolesOf(const std::vector<CounterInfo>& counters, std::string_view driver)
{
    std::vector<PlayedRole> played;
    for (const MainCounter& main : mainCounters(driver)) {
        if (std::ranges::find(played, main.role, &PlayedRole::role) != played.end())
            continue;
        const auto found = std::ranges::find_if(counters, [&main](const CounterInfo& counter) {
            return counter.source == main.source && counter.name == main.name;
        });
        if (found != counters.end())
            played.push_back({main.role, std::size_t(found - counters.begin())});
    }
    return played;
}

} // namespace dyno
