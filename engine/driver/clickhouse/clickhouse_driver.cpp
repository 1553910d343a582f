// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/clickhouse/clickhouse_driver.h"

#include "clickhouse_admin.h"
#include "clickhouse_dialect.h"
#include "clickhouse_session.h"
#include "clickhouse_sizes.h"

#include <fmt/format.h>

namespace dyno {

namespace {

class ClickhouseDriver final : public Driver
{
public:
    [[nodiscard]] DriverInfo info() const override
    {
        DriverInfo info;
        info.id = "clickhouse";
        info.name = "ClickHouse";
        info.uriForm = "clickhouse://user@host:port/database?tls=…&compression=…";
        info.library = fmt::format("libcurl {}", curl_version_info(CURLVERSION_NOW)->version);
        info.connection = clickhouse::connectionOptions();
        info.freeVariables = true;
        info.appendsOnly = true;
        info.sql = clickhouseDialect();
        info.sizes = &clickhouseSizes();
        return info;
    }

    [[nodiscard]] std::string serverIdentity(const Settings& variables) const override
    {
        return clickhouse::serverIdentity(variables);
    }
    [[nodiscard]] std::vector<MainCounter> mainCounters() const override { return clickhouse::mainCounters(); }
    [[nodiscard]] std::vector<EventRule> eventRules() const override { return clickhouse::eventRules(); }
    [[nodiscard]] std::vector<CounterGroup> counterGroups() const override { return clickhouse::counterGroups(); }

    Expected<std::unique_ptr<Session>> open(ConnectTargetPtr target) override
    {
        auto options = clickhouse::sharedOptions(target);
        if (!options)
            return fail(std::move(options.error()));
        return std::make_unique<clickhouse::ClickhouseSession>(std::move(target), std::move(*options));
    }

    Expected<std::unique_ptr<Admin>> admin(const ConnectTarget& target) override
    {
        // Settings of the load's connections are not the control plane's business.
        auto options = clickhouse::readOptions(target, false);
        if (!options)
            return fail(std::move(options.error()));
        return clickhouse::ClickhouseAdmin::open(target, std::make_shared<const clickhouse::ConnectOptions>(*options));
    }
};

} // namespace

Driver& clickhouseDriver()
{
    // Never destroyed: a call that nobody waits for any more may still be under way when the process ends.
    static ClickhouseDriver& driver = *new ClickhouseDriver;
    return driver;
}

} // namespace dyno
