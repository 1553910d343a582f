// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! bulk_insert: each user fills a table of its own with rows (1, 1), (2, 2) … A transaction only appends one row to a
//! buffer; a full buffer (512 KiB) goes out as one multi-row INSERT, or as one insert command of many documents. Transactions per second are rows per second, and
//! nearly all latencies are next to nothing, as in sysbench.
#include "workload/oltp/oltp.h"

#include "workload/oltp/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace dyno::oltp {

namespace {

constexpr std::size_t kBufferBytes = 512 * 1024;
constexpr std::size_t kEnd = 1 + 2; //!< a comma, and what closes a command

class BulkInsertInstance final : public WorkloadInstance
{
public:
    explicit BulkInsertInstance(Binding binding)
        : m_binding(std::move(binding))
    {}

    [[nodiscard]] std::vector<TableSpec> tables() const override { return tablesFor(1); }
    [[nodiscard]] std::vector<TableSpec> tablesFor(int users) const override
    {
        std::vector<TableSpec> specs;
        for (int user = 0; user < users; ++user) {
            TableSpec spec;
            if (documents()) {
                spec = documentTable(user + 1, m_binding.suffix, false);
                spec.columns = {"_id", "k"};
                spec.freshEachRun = spec.keysRepeat = true;
                specs.push_back(std::move(spec));
                continue;
            }
            spec.name = tableName(user + 1);
            spec.create =
                fmt::format("CREATE TABLE {} (id INTEGER NOT NULL, k INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (id)){}",
                            spec.name, m_binding.suffix);
            spec.columns = {"id", "k"};
            spec.freshEachRun = spec.keysRepeat = true; // the ids begin at 1 again
            specs.push_back(std::move(spec));
        }
        return specs;
    }
    [[nodiscard]] StatementSet statements() const override { return {}; }
    [[nodiscard]] Task<Outcome> load(UserContext& /*user*/, LoadSlice /*slice*/) const override
    {
        co_return Outcome::Ok;
    }
    [[nodiscard]] Task<Outcome> transaction(UserContext& user) const override;
    [[nodiscard]] Task<Outcome> finish(UserContext& user) const override;
    [[nodiscard]] bool fatal(Outcome outcome, std::int32_t code) const override
    {
        return isFatal(m_binding.params, m_binding.sql, outcome, code);
    }
    [[nodiscard]] bool retryable(Outcome outcome, std::int32_t code) const override
    {
        return isRetryable(m_binding.params, m_binding.sql, outcome, code);
    }
    [[nodiscard]] bool retriesInSample() const override { return m_binding.params.retriesInSample; }
    //! The load makes no rows; how many a run makes depends on its length.
    [[nodiscard]] std::uint64_t estimatedBytes() const override { return 0; }
    [[nodiscard]] Growth growth() const override
    {
        constexpr double kInnodb = 33, kSqlite = 12; // measured with two million rows
        constexpr double kDocument = 40;             // not measured: BSON and the entry of its key
        return {documents() ? kDocument : m_binding.sql.keyIsRowId ? kSqlite : kInnodb, 1};
    }

private:
    [[nodiscard]] Task<Outcome> flush(UserContext& user) const;
    [[nodiscard]] bool documents() const { return m_binding.model == DataModel::Document; }

    Binding m_binding;
};

//! Sends the buffer. It is kept only for a retry: otherwise it would fail again and again.
Task<Outcome> BulkInsertInstance::flush(UserContext& user) const
{
    const std::size_t rows = user.buffer().size();
    user.buffer() += documents() ? "]}" : "";
    const Request request = Request::sql(user.buffer());
    const Reply reply = co_await user.execute(m_binding.ops[std::size_t(Op::BulkInsert)], request);
    const bool again = reply.outcome != Outcome::Ok && retryable(reply.outcome, reply.code);
    user.buffer().resize(again ? rows : 0);
    co_return reply.outcome;
}

Task<Outcome> BulkInsertInstance::transaction(UserContext& user) const
{
    // A user's transactions are numbered without gaps, and a retry keeps its number.
    constexpr std::array<std::string_view, 3> kRow {"(", ",", ")"}, kDocument {R"({"_id":)", R"(,"k":)", "}"};
    const auto& around = documents() ? kDocument : kRow;
    std::array<char, 64> row;
    const auto number = static_cast<std::int64_t>(user.sequence() + 1);
    char* end = std::ranges::copy(around[0], row.data()).out;
    end = std::to_chars(end, end + 20, number).ptr;
    end = std::ranges::copy(around[1], end).out;
    end = std::to_chars(end, end + 20, number).ptr;
    end = std::ranges::copy(around[2], end).out;
    const std::string_view text(row.data(), std::size_t(end - row.data()));

    std::string& buffer = user.buffer();
    if (buffer.size() + text.size() + kEnd > kBufferBytes) {
        const Outcome sent = co_await flush(user);
        if (sent != Outcome::Ok)
            co_return sent;
    }
    if (buffer.empty()) {
        buffer.reserve(kBufferBytes);
        const auto table = indexOf(user.user()) + 1;
        if (documents())
            fmt::format_to(std::back_inserter(buffer), R"({{"insert":"sbtest{}","documents":[)", table);
        else
            fmt::format_to(std::back_inserter(buffer), "INSERT INTO sbtest{} VALUES ", table);
    } else {
        buffer += ',';
    }
    buffer += text;
    co_return Outcome::Ok;
}

Task<Outcome> BulkInsertInstance::finish(UserContext& user) const
{
    if (user.buffer().empty())
        co_return Outcome::Ok;
    const Outcome sent = co_await flush(user);
    co_return sent;
}

} // namespace

Expected<InstancePtr> makeBulkInsert(std::string_view /*workload*/, Binding binding)
{
    return std::make_shared<const BulkInsertInstance>(std::move(binding));
}

} // namespace dyno::oltp
