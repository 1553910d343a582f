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

} // namespace dyno
