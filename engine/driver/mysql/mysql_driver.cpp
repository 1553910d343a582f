// SPDX-License-Identifier: GPL-3.0-or-later
#include "mysql_driver.h"

#include "config.h"
#include "mysql_admin.h"
#include "mysql_dialect.h"
#include "mysql_direct.h"
#include "mysql_options.h"
#include "mysql_session.h"
#include "mysql_sizes.h"
#include "mysql_tables.h"

#include <fmt/format.h>

#if !DYNO_ORACLE_CLIENT
#include "mysql_async_session.h"
#endif

namespace dyno {

namespace {

// The library switches stacks in its non-blocking calls, and these two tools are not told of it.
constexpr bool kEventLoops = mysql::kHasLoops && !DYNO_SANITIZED;

class MysqlDriver final : public Driver
{
public:
    [[nodiscard]] DriverInfo info() const override
    {
        mysql::useLibraryOnThisThread();
        DriverInfo info;
        info.id = "mysql";
        info.name = "MySQL and MariaDB";
        info.uriForm = "mysql://user@host:port/db?socket=…&tls=…&compression=…";
        info.library = fmt::format("{} {}", mysql::kLibrary, mysql_get_client_info());
        info.connection = mysql::connectionOptions();
        info.eventLoop = kEventLoops;
        info.freeVariables = true;
        info.sql = mysqlDialect();
        info.sizes = &innodbSizes();
        return info;
    }

    [[nodiscard]] Settings inForce(const ConnectTarget& target) const override
    {
        return {{"direct", mysql::directPath(target)}};
    }

    [[nodiscard]] std::string serverIdentity(const Settings& variables) const override
    {
        std::string identity = "mysql";
        int told = 0;
        for (const char* name : {"server_uuid", "server_uid", "hostname", "port", "datadir"}) {
            const std::string value = textOf(variables, name);
            told += value.empty() ? 0 : 1;
            identity += fmt::format(" {}={}", name, value);
        }
        constexpr int kEnough = 3; // host, port and folder
        return told >= kEnough ? identity : std::string();
    }

    [[nodiscard]] std::vector<MainCounter> mainCounters() const override { return mysql::mainCounters(); }
    [[nodiscard]] std::vector<MoveReading> moveReadings() const override { return mysql::moveReadings(); }
    [[nodiscard]] std::vector<EventRule> eventRules() const override { return mysql::eventRules(); }
    [[nodiscard]] std::vector<CounterGroup> counterGroups() const override { return mysql::counterGroups(); }
    [[nodiscard]] std::string explaining(std::string_view statement) const override
    {
        return "EXPLAIN " + std::string(statement);
    }
    [[nodiscard]] PlanStep planStep(const KeptRows& answer, std::size_t row) const override
    {
        return mysql::planStepOf(answer, row);
    }

    [[nodiscard]] bool hasDigest() const override { return true; }

    Expected<std::unique_ptr<Session>> open(ConnectTargetPtr target) override
    {
        auto options = mysql::sharedOptions(target);
        if (!options)
            return fail(std::move(options.error()));
#if !DYNO_ORACLE_CLIENT
        if (kEventLoops && target->eventLoop)
            return std::make_unique<mysql::AsyncMysqlSession>(std::move(target), std::move(*options));
#endif
        return std::make_unique<mysql::MysqlSession>(std::move(target), std::move(*options));
    }

    Expected<std::unique_ptr<Admin>> admin(const ConnectTarget& target) override
    {
        auto options = mysql::readOptions(target);
        if (!options)
            return fail(std::move(options.error()));
        // Knobs of the load's connections are not the control plane's business.
        options->atConnect.clear();
        // A run's own connections load files; those that control and watch it never do.
        options->bulk = false;
        mysql::Connection connection = mysql::newConnection(*options);
        if (!connection)
            return fail({ErrorKind::Failed, "out of memory", target.uri.display(), {}});
        if (const auto connected = mysql::connect(connection.get(), *options); !connected)
            return fail(mysql::connectError(target.uri, *options, connected.error()));
        return std::make_unique<mysql::MysqlAdmin>(target.uri, std::move(*options), std::move(connection));
    }
};

} // namespace

Driver& mysqlDriver()
{
    // Never destroyed: a call that nobody waits for any more may still be under way when the process ends.
    static MysqlDriver& driver = *new MysqlDriver;
    return driver;
}

} // namespace dyno
