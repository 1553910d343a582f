// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One virtual user of a RocksDB database.
#pragma once

#include "driver/rocksdb/rocksdb_statement.h"
#include "driver/rocksdb/rocksdb_store.h"

#include <atomic>
#include <rocksdb/utilities/transaction.h>
#include <rocksdb/write_batch.h>

namespace dyno {

//! Always Done. The reply's code is the status' code × 256 plus its subcode.
class RocksdbSession final : public Session
{
public:
    explicit RocksdbSession(ConnectTargetPtr target);

    Progress start(const Request& request) override;
    //! The library cannot be interrupted: what it does now ends first.
    void abort() noexcept override { m_aborted.store(true); }
    [[nodiscard]] std::string lastError() const override { return m_error; }

private:
    //! A statement and the column family that it names.
    struct Prepared
    {
        RocksdbStatement statement;
        rocksdb::ColumnFamilyHandle* family = nullptr;
    };

    void run(const Request& request);
    void connect();
    void begin();
    void commit();
    void rollback();
    bool prepare(std::string_view text, Prepared& into);
    void execute(const Request& request);
    void executeText(std::string_view text);
    void perform(const Prepared& prepared, const RocksdbArguments& arguments, Keep keep);
    void get(const Prepared& prepared, std::string_view key, Keep keep);
    void scan(const Prepared& prepared, const RocksdbArguments& arguments, Keep keep);
    void write(const Prepared& prepared, const RocksdbArguments& arguments);
    void keepRow(std::string_view key, std::string_view value);
    [[nodiscard]] rocksdb::ReadOptions reading() const;
    bool check(const rocksdb::Status& status);
    void refuse(Outcome outcome, std::int32_t code, std::string text);
    void disconnect();

    ConnectTargetPtr m_target;
    RocksdbFolder::Use m_folder;
    std::shared_ptr<RocksdbStore> m_store; //!< goes before m_folder
    RocksdbTransactions m_transactions;
    rocksdb::ReadOptions m_read;
    rocksdb::WriteOptions m_write;
    rocksdb::OptimisticTransactionOptions m_optimistic;
    rocksdb::TransactionOptions m_pessimistic;
    std::unique_ptr<rocksdb::Transaction> m_transaction; //!< kept for the next one
    rocksdb::WriteBatch m_batch;
    bool m_inTransaction = false;
    std::vector<Prepared> m_statements; //!< by StatementId
    RocksdbArguments m_arguments;
    rocksdb::PinnableSlice m_value;
    std::atomic<bool> m_aborted{false};
    std::string m_error;
    std::uint64_t m_bytesRead = 0; //!< keeps the compiler from removing that values are read
};

} // namespace dyno
