// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/rocksdb/rocksdb_driver.h"

#include "driver/rocksdb/rocksdb_admin.h"
#include "driver/rocksdb/rocksdb_counters.h"
#include "driver/rocksdb/rocksdb_session.h"
#include "driver/rocksdb/rocksdb_sizes.h"

#include <fmt/format.h>
#include <rocksdb/version.h>

namespace dyno {

namespace {

//! Of the phrases only those that hold for key-value calls too.
SqlDialect rocksdbDialect()
{
    SqlDialect phrases;
    phrases.loadsPrepared = true;
    phrases.outcomeTells = true;
    return phrases;
}

class RocksdbDriver final : public Driver
{
public:
    [[nodiscard]] DriverInfo info() const override
    {
        return {.id = "rocksdb",
                .name = "RocksDB (embedded)",
                .uriForm = "rocksdb:PATH",
                .library = fmt::format("RocksDB {}.{}.{}", ROCKSDB_MAJOR, ROCKSDB_MINOR, ROCKSDB_PATCH),
                .connection = rocksdbOptions(),
                .models = {DataModel::KeyValue},
                .sql = rocksdbDialect(),
                .sizes = &rocksdbSizes()};
    }
    [[nodiscard]] std::vector<MainCounter> mainCounters() const override { return rocksdbMainCounters(); }
    [[nodiscard]] std::vector<MoveReading> moveReadings() const override { return rocksdbMoveReadings(); }
    [[nodiscard]] std::vector<EventRule> eventRules() const override { return rocksdbEventRules(); }
    [[nodiscard]] std::vector<CounterGroup> counterGroups() const override { return rocksdbCounterGroups(); }
    [[nodiscard]] Expected<std::unique_ptr<Session>> open(ConnectTargetPtr target) override
    {
        return std::make_unique<RocksdbSession>(std::move(target));
    }
    [[nodiscard]] Expected<std::unique_ptr<Admin>> admin(const ConnectTarget& target) override
    {
        return RocksdbAdmin::open(target);
    }
    [[nodiscard]] Expected<std::unique_ptr<Admin>> watcher(const ConnectTarget& target) override
    {
        return RocksdbAdmin::watcher(target);
    }
    [[nodiscard]] std::shared_ptr<void> hold(const TargetUri& uri) override { return RocksdbFolder::of(uri.path); }
};

} // namespace

Driver& rocksdbDriver()
{
    static RocksdbDriver driver;
    return driver;
}

} // namespace dyno
