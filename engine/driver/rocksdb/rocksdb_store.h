// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A folder that RocksDB keeps a database in: opened once, shared by all sessions and control planes of this process.
#pragma once

#include "driver/driver.h"
#include "driver/rocksdb/rocksdb_options.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <rocksdb/db.h>
#include <rocksdb/utilities/optimistic_transaction_db.h>
#include <rocksdb/utilities/transaction_db.h>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! The column family that keeps what Dynobench remembers of the others.
inline constexpr std::string_view kRocksdbNotes = "dynobench";

//! What a status means for a person, with the folder. `folder`: where it happened.
[[nodiscard]] Error rocksdbError(const rocksdb::Status& status, const std::string& folder);

//! An open database with its column families. Any thread.
class RocksdbStore
{
public:
    //! `look`: reads only, changes nothing on disk, and another process may have it open.
    static Expected<std::shared_ptr<RocksdbStore>> open(const std::string& folder, const ConnectTarget& target,
                                                        bool look);
    ~RocksdbStore();
    RocksdbStore(const RocksdbStore&) = delete;
    RocksdbStore& operator=(const RocksdbStore&) = delete;

    [[nodiscard]] rocksdb::DB* db() const { return m_db.get(); }
    //! The same database; nullptr when it was opened without such transactions.
    [[nodiscard]] rocksdb::TransactionDB* pessimistic() const { return m_pessimistic; }
    [[nodiscard]] rocksdb::OptimisticTransactionDB* optimistic() const { return m_optimistic; }
    [[nodiscard]] rocksdb::Statistics& statistics() const { return *m_options.statistics; }
    //! What it was opened with.
    [[nodiscard]] const rocksdb::Options& options() const { return m_options; }
    //! formOf() the settings that it was opened with.
    [[nodiscard]] const Settings& form() const { return m_form; }
    [[nodiscard]] const std::string& folder() const { return m_folder; }

    //! nullptr when there is none. Valid as long as the store, also when the family is dropped.
    [[nodiscard]] rocksdb::ColumnFamilyHandle* family(std::string_view name) const;
    //! All of them, by name: that of Dynobench's notes too.
    [[nodiscard]] std::map<std::string, rocksdb::ColumnFamilyHandle*, std::less<>> families() const;
    Expected<void> create(std::string_view name);
    //! No error when it is not there. The family "default" cannot be dropped: it is emptied.
    Expected<void> drop(std::string_view name);

private:
    RocksdbStore() = default;

    std::string m_folder;
    rocksdb::Options m_options;
    Settings m_form;
    std::unique_ptr<rocksdb::DB> m_db;
    rocksdb::TransactionDB* m_pessimistic = nullptr;
    rocksdb::OptimisticTransactionDB* m_optimistic = nullptr;
    mutable std::shared_mutex m_mutex; //!< of the two below
    std::map<std::string, rocksdb::ColumnFamilyHandle*, std::less<>> m_families;
    std::vector<rocksdb::ColumnFamilyHandle*> m_dropped;
};

//! A folder as this process uses it. The database is open while anybody has what of() gave; whoever has a store of it
//! lets go of that first. Any thread.
class RocksdbFolder
{
public:
    using Use = std::shared_ptr<RocksdbFolder>;
    [[nodiscard]] static Use of(const std::string& path);
    //! The database as this process has it open, to be looked at: it stays open as long as the result lives. nullptr
    //! when it is not open.
    [[nodiscard]] static std::shared_ptr<RocksdbStore> lookedAt(const std::string& path);
    //! Reads something short from it without counting as one who uses it. False when it is not open.
    static bool whileOpen(const std::string& path, const std::function<void(const RocksdbStore&)>& read);

    //! The database, opened with the settings of `target`. One that is open with others is opened again, unless it is
    //! in use: then `anyhow` takes it as it is, and others get an error. Makes a new one where `create` says so.
    Expected<std::shared_ptr<RocksdbStore>> open(const ConnectTarget& target, bool create, bool anyhow);

    explicit RocksdbFolder(std::string path)
        : m_path(std::move(path))
    {
    }

private:
    [[nodiscard]] static RocksdbFolder* known(const std::string& path, bool make);
    //! nullptr when nobody in this process has the database open.
    [[nodiscard]] static Use used(const std::string& path);
    [[nodiscard]] bool isOpen();
    Use use();
    void leave();

    std::string m_path;
    std::mutex m_mutex; //!< of all below; held while the database is opened or closed
    int m_uses = 0;
    std::string m_key; //!< openKeyOf() of m_store
    std::shared_ptr<RocksdbStore> m_store;
};

} // namespace dyno
