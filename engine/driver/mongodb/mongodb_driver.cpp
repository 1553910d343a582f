// SPDX-License-Identifier: GPL-3.0-or-later
#include "mongodb_driver.h"

#include "mongodb_admin.h"
#include "mongodb_session.h"
#include "mongodb_sizes.h"

#include <fmt/format.h>

namespace dyno {

namespace {

class MongodbDriver final : public Driver
{
public:
    [[nodiscard]] DriverInfo info() const override
    {
        DriverInfo info;
        info.id = "mongodb";
        info.name = "MongoDB";
        info.uriForm = "mongodb://user@host:port/db?replicaSet=…&tls=…";
        info.library = fmt::format("libmongoc {}", mongoc_get_version());
        info.connection = mongodb::connectionOptions();
        info.warnsBeforeStart = true; // of what its protocol does not promise
        info.models = {DataModel::Document};
        info.sizes = &documentSizes();
        return info;
    }

    //! Of one start of the server: what is set while it runs is gone with it.
    [[nodiscard]] std::string serverIdentity(const Settings& variables) const override
    {
        const std::string process = textOf(variables, fmt::format("hello.{}", mongodb::kProcessId));
        return process.empty() ? std::string() : fmt::format("mongodb process={}", process);
    }

    [[nodiscard]] std::vector<MainCounter> mainCounters() const override { return mongodb::mainCounters(); }
    [[nodiscard]] std::vector<MoveReading> moveReadings() const override { return mongodb::moveReadings(); }
    [[nodiscard]] std::vector<EventRule> eventRules() const override { return mongodb::eventRules(); }
    [[nodiscard]] std::vector<CounterGroup> counterGroups() const override { return mongodb::counterGroups(); }

    [[nodiscard]] std::string explaining(std::string_view statement) const override
    {
        return statement.starts_with('{') ? fmt::format(R"({{"explain": {}, "verbosity": "queryPlanner"}})", statement)
                                          : std::string();
    }
    [[nodiscard]] PlanStep planStep(const KeptRows& answer, std::size_t row) const override
    {
        return {std::string(answer.at(row, 0).text), std::string(answer.at(row, 1).text)};
    }

    Expected<std::unique_ptr<Session>> open(ConnectTargetPtr target) override
    {
        auto pool = mongodb::Pool::of(target);
        if (!pool)
            return fail(std::move(pool.error()));
        return std::make_unique<mongodb::MongodbSession>(std::move(*pool));
    }

    Expected<std::unique_ptr<Admin>> admin(const ConnectTarget& target) override
    {
        return mongodb::MongodbAdmin::connect(target);
    }
};

} // namespace

Driver& mongodbDriver()
{
    // Never destroyed: a call that nobody waits for any more may still be under way when the process ends.
    static MongodbDriver& driver = *new MongodbDriver;
    return driver;
}

} // namespace dyno
