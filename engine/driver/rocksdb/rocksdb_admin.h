// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The control plane of a RocksDB database: tables are column families.
#pragma once

#include "driver/rocksdb/rocksdb_store.h"

#include <atomic>

namespace dyno {

//! Keeps the database open as long as it lives, but for a watcher, and a look at one that others in this process have
//! open: these end with the others.
class RocksdbAdmin final : public Admin
{
public:
    //! Makes the database if it is not there, unless it is to be looked at only.
    static Expected<std::unique_ptr<Admin>> open(const ConnectTarget& target);
    //! See Driver::watcher().
    static std::unique_ptr<Admin> watcher(const ConnectTarget& target);

    void abort() noexcept override { m_aborted.store(true); }
    //! "create FAMILY", "drop FAMILY", and writes as sessions take them.
    Expected<void> execute(std::string_view command) override;
    //! "get FAMILY KEY", "scan FAMILY FIRST LIMIT": rows of key and value.
    Expected<TextRows> query(std::string_view command) override;
    //! Column families but for "default" while that is empty, and Dynobench's own.
    Expected<std::vector<std::string>> tableNames() override;
    //! Each has "key" and "value".
    Expected<std::vector<ColumnShape>> describe(std::string_view table) override;
    //! Variables: the library's options in force, and those knobs that are the sessions'. Of options that give data
    //! their form: what the column families were made with, which may not be what the database is open with now.
    Expected<ServerFacts> facts() override;
    //! Also a property, such as "rocksdb.stats".
    Expected<std::string> variable(std::string_view name) override;
    //! Options that the library changes while the database is open; of all column families.
    Expected<void> setVariable(std::string_view name, const Value& value) override;
    Expected<std::int64_t> rowCount(std::string_view table) override;
    Expected<void> drop(std::string_view table) override;
    Expected<std::vector<std::string>> unfinishedLoads() override;
    Expected<void> setUnfinishedLoads(const std::vector<std::string>& tables) override;
    Expected<DataNotes> dataNotes() override;
    Expected<void> setDataNotes(const DataNotes& notes) override;
    std::vector<CounterInfo> counters() override;
    Expected<std::vector<double>> counterValues() override;
    //! The library's statistics and its column families'.
    Expected<std::vector<SnapshotPart>> snapshot() override;
    std::string dataFolder() override { return m_target.uri.path; }
    std::uint64_t dataBytes(const std::vector<std::string>& tables) override;
    std::vector<DataPart> dataParts(const std::vector<std::string>& tables) override;
    //! Flushes memtables.
    void checkpoint() override;
    //! Flushes, and waits until no flush or compaction is due, or none was running for a second.
    Expected<void> settle(const std::vector<std::string>& tables) override;
    //! Reads all values.
    Expected<void> prewarm(const std::vector<std::string>& tables) override;

private:
    explicit RocksdbAdmin(const ConnectTarget& target);
    using Store = std::shared_ptr<RocksdbStore>;
    //! For the length of one call.
    [[nodiscard]] Expected<Store> store();
    //! The family of Dynobench's notes, made where `create` says so; nullptr when it is not there.
    [[nodiscard]] Expected<rocksdb::ColumnFamilyHandle*> notes(RocksdbStore& store, bool create);
    //! Makes a column family, and notes the form that its data get.
    [[nodiscard]] Expected<void> create(RocksdbStore& store, const std::string& name);
    [[nodiscard]] Expected<void> tellForm(const RocksdbStore& store, Settings& variables);
    [[nodiscard]] Expected<DataNotes> noted(std::string_view prefix);
    [[nodiscard]] Expected<void> note(rocksdb::WriteBatch& batch, RocksdbStore& store);
    [[nodiscard]] Expected<std::int64_t> readThrough(std::string_view table, bool values);

    ConnectTarget m_target; //!< without statements and password
    RocksdbFolder::Use m_folder;
    Store m_look; //!< opened to be read only; goes before m_folder
    std::atomic<bool> m_aborted{false};
};

} // namespace dyno
