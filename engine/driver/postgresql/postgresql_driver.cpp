// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/postgresql/postgresql_driver.h"

#include "postgresql_admin.h"
#include "postgresql_dialect.h"
#include "postgresql_environment.h"
#include "postgresql_options.h"
#include "postgresql_session.h"
#include "postgresql_sizes.h"
#include "postgresql_tables.h"

#include <fmt/format.h>

namespace dyno {

namespace {

std::string libraryVersion()
{
    constexpr int kMajor = 10'000;
    return fmt::format("libpq {}.{}", PQlibVersion() / kMajor, PQlibVersion() % kMajor);
}

class PostgresqlDriver final : public Driver
{
public:
    PostgresqlDriver() { postgresql::forgetEnvironment(); }
    [[nodiscard]] DriverInfo info() const override
    {
        DriverInfo info;
        info.id = "postgresql";
        info.name = "PostgreSQL";
        info.uriForm = "postgresql://user@host:port/db?socket=…&tls=…";
        info.library = libraryVersion();
        info.connection = postgresql::connectionOptions();
        info.eventLoop = true;
        info.loopsFrom = 16; // its library waits with poll() beside each recv(): a thread more is dear, see
                             // tests/bench/vs_pgbench.sh
        info.freeVariables = true;
        info.sql = postgresqlDialect();
        info.sizes = &postgresqlSizes();
        return info;
    }

    [[nodiscard]] std::string serverIdentity(const Settings& variables) const override
    {
        return postgresql::serverIdentity(variables);
    }
    [[nodiscard]] std::vector<MainCounter> mainCounters() const override { return postgresql::mainCounters(); }
    [[nodiscard]] std::vector<MoveReading> moveReadings() const override { return postgresql::moveReadings(); }
    [[nodiscard]] std::vector<EventRule> eventRules() const override { return postgresql::eventRules(); }
    [[nodiscard]] std::vector<CounterGroup> counterGroups() const override { return postgresql::counterGroups(); }
    [[nodiscard]] std::string explaining(std::string_view statement) const override
    {
        return "EXPLAIN " + std::string(statement);
    }
    [[nodiscard]] PlanStep planStep(const KeptRows& answer, std::size_t row) const override
    {
        return postgresql::planStepOf(answer, row);
    }

    [[nodiscard]] bool hasDigest() const override { return true; }

    Expected<std::unique_ptr<Session>> open(ConnectTargetPtr target) override
    {
        auto options = postgresql::sharedOptions(target);
        if (!options)
            return fail(std::move(options.error()));
        return std::make_unique<postgresql::PostgresqlSession>(std::move(target), std::move(*options));
    }

    Expected<std::unique_ptr<Admin>> admin(const ConnectTarget& target) override
    {
        auto options = postgresql::readOptions(target);
        if (!options)
            return fail(std::move(options.error()));
        auto connection = postgresql::connect(*options);
        if (!connection)
            return fail(postgresql::connectError(target.uri, *options, connection.error()));
        return std::make_unique<postgresql::PostgresqlAdmin>(target, std::move(*connection));
    }
};

} // namespace

Driver& postgresqlDriver()
{
    // Never destroyed: a call that nobody waits for any more may still be under way when the process ends.
    static PostgresqlDriver& driver = *new PostgresqlDriver;
    return driver;
}

} // namespace dyno
