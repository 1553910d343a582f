// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/rocksdb/rocksdb_session.h"

#include <algorithm>
#include <fmt/format.h>

namespace dyno {

namespace {

using rocksdb::Status;

constexpr std::int32_t kSubCodes = 256;
constexpr std::int32_t kOwnCode = -1; //!< what the library was not asked for

std::int32_t codeOf(const Status& status)
{
    return std::int32_t(status.code()) * kSubCodes + std::int32_t(status.subcode());
}

Outcome outcomeOf(const Status& status)
{
    const bool again = status.IsBusy() || status.IsTryAgain() || status.IsTimedOut() || status.IsExpired();
    return again ? Outcome::Retryable : Outcome::Rejected;
}

rocksdb::Slice sliceOf(std::string_view text)
{
    return {text.data(), text.size()};
}

} // namespace

RocksdbSession::RocksdbSession(ConnectTargetPtr target)
    : m_target(std::move(target))
    , m_statements(m_target->statements.size())
{
    const Settings& knobs = m_target->connection;
    // A load needs no protection against others, and waits for the disk once, at its end.
    m_transactions = m_target->loader ? RocksdbTransactions::None : transactionsOf(knobs);
    m_write.sync = !m_target->loader && boolOf(knobs, "sync");
    m_write.disableWAL = !m_target->loader && boolOf(knobs, "disable_wal");
    m_read.verify_checksums = boolOf(knobs, "verify_checksums", true);
    m_read.fill_cache = boolOf(knobs, "fill_cache", true);
    m_optimistic.set_snapshot = m_pessimistic.set_snapshot = boolOf(knobs, "snapshot", true);
    m_pessimistic.deadlock_detect = boolOf(knobs, "deadlock_detect");
    m_pessimistic.lock_timeout = integerOf(knobs, "lock_timeout", 1000);
}

Progress RocksdbSession::start(const Request& request)
{
    m_reply = {};
    if (request.kind == RequestKind::Connect)
        connect();
    else if (m_aborted.load(std::memory_order_relaxed))
        refuse(Outcome::Disconnected, kOwnCode, "the request was aborted");
    else if (!m_store)
        refuse(Outcome::Disconnected, kOwnCode, "the session is not connected");
    else
        run(request);
    if (m_reply.outcome == Outcome::Disconnected)
        disconnect();
    return Progress::Done;
}

void RocksdbSession::run(const Request& request)
{
    switch (request.kind) {
    case RequestKind::Connect:
        break;
    case RequestKind::Prepare: {
        const std::size_t index = indexOf(request.statement);
        if (index < m_statements.size())
            prepare(m_target->statements[index].text, m_statements[index]);
        break;
    }
    case RequestKind::Begin:
        begin();
        break;
    case RequestKind::Commit:
        commit();
        break;
    case RequestKind::Rollback:
        rollback();
        break;
    case RequestKind::Execute:
        execute(request);
        break;
    case RequestKind::Text:
        executeText(request.text);
        break;
    case RequestKind::Bulk:
        refuse(Outcome::Rejected, kOwnCode, "this driver has no form of load of its own");
        break;
    }
}

void RocksdbSession::connect()
{
    disconnect();
    m_aborted.store(false);
    m_folder = RocksdbFolder::of(m_target->uri.path);
    auto store = m_folder->open(*m_target, false, false);
    if (!store)
        return refuse(Outcome::Disconnected, kOwnCode, store.error().text());
    m_store = std::move(*store);
}

void RocksdbSession::disconnect()
{
    for (Prepared& statement : m_statements)
        statement = {};
    m_value.Reset();
    m_batch.Clear();
    m_transaction.reset(); // rolls back
    m_inTransaction = false;
    m_store.reset();
    m_folder.reset();
}

void RocksdbSession::begin()
{
    if (m_inTransaction)
        return refuse(Outcome::Rejected, kOwnCode, "there is a transaction already");
    m_inTransaction = true;
    switch (m_transactions) {
    case RocksdbTransactions::None:
        m_batch.Clear();
        break;
    case RocksdbTransactions::Optimistic:
        m_transaction.reset(m_store->optimistic()->BeginTransaction(m_write, m_optimistic, m_transaction.release()));
        break;
    case RocksdbTransactions::Pessimistic:
        m_transaction.reset(m_store->pessimistic()->BeginTransaction(m_write, m_pessimistic, m_transaction.release()));
        break;
    }
}

void RocksdbSession::commit()
{
    if (!m_inTransaction)
        return refuse(Outcome::Rejected, kOwnCode, "there is no transaction to commit");
    const bool batch = m_transactions == RocksdbTransactions::None;
    const Status status = batch ? m_store->db()->Write(m_write, &m_batch) : m_transaction->Commit();
    // One that failed is over too: nothing of it is kept.
    if (!status.ok() && !batch)
        m_transaction->Rollback().PermitUncheckedError();
    m_batch.Clear();
    m_inTransaction = false;
    check(status);
}

void RocksdbSession::rollback()
{
    if (!m_inTransaction)
        return;
    m_inTransaction = false;
    m_batch.Clear();
    if (m_transactions != RocksdbTransactions::None)
        check(m_transaction->Rollback());
}

bool RocksdbSession::prepare(std::string_view text, Prepared& into)
{
    auto parsed = parseRocksdbStatement(text);
    if (!parsed) {
        refuse(Outcome::Rejected, kOwnCode, parsed.error().message);
        return false;
    }
    const bool makes = parsed->verb == RocksdbVerb::Create || parsed->verb == RocksdbVerb::Drop;
    into.family = makes ? nullptr : m_store->family(parsed->family);
    if (!makes && !into.family) {
        refuse(Outcome::Rejected, kOwnCode, fmt::format("there is no column family \"{}\"", parsed->family));
        return false;
    }
    into.statement = std::move(*parsed);
    return true;
}

void RocksdbSession::execute(const Request& request)
{
    const std::size_t index = indexOf(request.statement);
    if (index >= m_statements.size())
        return refuse(Outcome::Rejected, kOwnCode, fmt::format("there is no statement {}", index));
    const StatementSpec& spec = m_target->statements[index];
    Prepared& prepared = m_statements[index];
    if (!prepared.family && !prepare(spec.text, prepared))
        return;
    if (!m_arguments.take(prepared.statement, request.params))
        return refuse(Outcome::Rejected, kOwnCode,
                      fmt::format("{} parameters were given, the call has {}; none may be null", request.params.size(),
                                  prepared.statement.parameters));
    perform(prepared, m_arguments, spec.keep);
}

void RocksdbSession::executeText(std::string_view text)
{
    Prepared once;
    if (!prepare(text, once))
        return;
    if (!m_arguments.take(once.statement, {}))
        return refuse(Outcome::Rejected, kOwnCode, "a text has no parameters");
    perform(once, m_arguments, Keep::Nothing);
}

void RocksdbSession::perform(const Prepared& prepared, const RocksdbArguments& arguments, Keep keep)
{
    if (keep != Keep::Nothing)
        m_kept.begin(keep);
    switch (prepared.statement.verb) {
    case RocksdbVerb::Get:
    case RocksdbVerb::GetForUpdate:
        return get(prepared, arguments.first(), keep);
    case RocksdbVerb::Scan:
        return scan(prepared, arguments, keep);
    case RocksdbVerb::Put:
    case RocksdbVerb::Delete:
        return write(prepared, arguments);
    case RocksdbVerb::Create:
    case RocksdbVerb::Drop: {
        const Expected<void> done = prepared.statement.verb == RocksdbVerb::Create
                                        ? m_store->create(prepared.statement.family)
                                        : m_store->drop(prepared.statement.family);
        if (!done)
            refuse(Outcome::Rejected, kOwnCode, done.error().text());
    }
    }
}

rocksdb::ReadOptions RocksdbSession::reading() const
{
    rocksdb::ReadOptions how = m_read;
    if (m_inTransaction && m_transaction)
        how.snapshot = m_transaction->GetSnapshot();
    return how;
}

void RocksdbSession::get(const Prepared& prepared, std::string_view key, Keep keep)
{
    m_value.Reset();
    const bool inside = m_inTransaction && m_transactions != RocksdbTransactions::None;
    Status status;
    if (!inside)
        status = m_store->db()->Get(m_read, prepared.family, sliceOf(key), &m_value);
    else if (prepared.statement.verb == RocksdbVerb::GetForUpdate)
        status = m_transaction->GetForUpdate(reading(), prepared.family, sliceOf(key), &m_value);
    else
        status = m_transaction->Get(reading(), prepared.family, sliceOf(key), &m_value);
    if (status.IsNotFound() || !check(status))
        return;
    m_reply.rows = 1;
    m_bytesRead += m_value.size();
    if (keep != Keep::Nothing)
        keepRow(key, {m_value.data(), m_value.size()});
}

void RocksdbSession::scan(const Prepared& prepared, const RocksdbArguments& arguments, Keep keep)
{
    const bool inside = m_inTransaction && m_transactions != RocksdbTransactions::None;
    const std::unique_ptr<rocksdb::Iterator> rows(inside ? m_transaction->GetIterator(reading(), prepared.family)
                                                         : m_store->db()->NewIterator(m_read, prepared.family));
    std::int64_t left = arguments.limit();
    std::int64_t found = 0;
    for (rows->Seek(sliceOf(arguments.first())); left > 0 && rows->Valid(); rows->Next(), --left) {
        if (m_aborted.load(std::memory_order_relaxed))
            return refuse(Outcome::Disconnected, kOwnCode, "the request was aborted");
        ++found;
        const rocksdb::Slice value = rows->value();
        m_bytesRead += value.size();
        if (keep != Keep::Nothing)
            keepRow(rows->key().ToStringView(), value.ToStringView());
    }
    if (check(rows->status()))
        m_reply.rows = found;
}

void RocksdbSession::write(const Prepared& prepared, const RocksdbArguments& arguments)
{
    const rocksdb::Slice key = sliceOf(arguments.first());
    const rocksdb::Slice value = sliceOf(arguments.second());
    const bool puts = prepared.statement.verb == RocksdbVerb::Put;
    rocksdb::DB& db = *m_store->db();
    Status status;
    if (!m_inTransaction)
        status = puts ? db.Put(m_write, prepared.family, key, value) : db.Delete(m_write, prepared.family, key);
    else if (m_transactions == RocksdbTransactions::None)
        status = puts ? m_batch.Put(prepared.family, key, value) : m_batch.Delete(prepared.family, key);
    else
        status = puts ? m_transaction->Put(prepared.family, key, value) : m_transaction->Delete(prepared.family, key);
    if (check(status))
        m_reply.affected = 1;
}

void RocksdbSession::keepRow(std::string_view key, std::string_view value)
{
    m_kept.beginRow();
    m_kept.add(Param::of(key));
    m_kept.add(Param::of(value));
}

bool RocksdbSession::check(const Status& status)
{
    if (status.ok())
        return true;
    refuse(outcomeOf(status), codeOf(status), status.ToString());
    return false;
}

void RocksdbSession::refuse(Outcome outcome, std::int32_t code, std::string text)
{
    m_reply = {.outcome = outcome, .code = code};
    m_error = std::move(text);
}

} // namespace dyno
