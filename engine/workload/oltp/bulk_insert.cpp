// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! bulk_insert: each user fills a table of its own with rows (1, 1), (2, 2) … A transaction only appends one row to a
//! buffer; a full buffer (512 KiB) goes out as one multi-row INSERT, or as one insert command of many documents.
//! As in sysbench a transaction counts when its row is in the buffer: nearly all latencies are next to nothing, and up
//! to a buffer of each user (some 40 000 rows) is counted before it is sent. Changed rows are those that the server
//! acknowledged. Rows of an INSERT that failed and is not tried again are counted as transactions and are not there;
//! their ids are not given again, so that checksFor() sees the gap.
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
    {
    }

    [[nodiscard]] std::vector<TableSpec> tables() const override { return specsFor(1); }
    [[nodiscard]] std::vector<TableSpec> tablesFor(int users) const override { return specsFor(users); }
    [[nodiscard]] std::vector<DataCheck> checks() const override { return checksFor(1); }
    //! Of SQL only.
    [[nodiscard]] std::vector<DataCheck> checksFor(int users) const override
    {
        if (documents())
            return {};
        std::string wrong, missing;
        constexpr int kTogether =
            50; // in parentheses: SQLite takes no expression that is nested 1000 deep, as a long sum is
        for (int table = 1; table <= users; ++table) {
            const char* const before = table == 1 ? "SELECT (" : table % kTogether == 1 ? ") + (" : " + ";
            wrong += fmt::format("{}(SELECT COUNT(*) FROM {} WHERE id < 1 OR k <> id)", before, tableName(table));
            missing += fmt::format("{}(SELECT COALESCE(MAX(id), 0) - COUNT(*) FROM {} WHERE id >= 1)", before,
                                   tableName(table));
        }
        for (std::string* query : {&wrong, &missing})
            *query += ')';
        const std::string where = users == 1 ? tableName(1) : fmt::format("{} to {}", tableName(1), tableName(users));
        return {{fmt::format("ids of {} are at least 1, and k is the id", where), wrong},
                {fmt::format("ids of {} count from 1 without a gap", where), missing}};
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
        const std::string key = documents() ? "_id" : "id";
        return {m_binding.sizes.row({{numberColumn(key, 4, 3), numberColumn("k", 4, 3)}, key, !documents()}), 1};
    }

private:
    [[nodiscard]] std::vector<TableSpec> specsFor(int users) const;
    [[nodiscard]] Task<Outcome> flush(UserContext& user) const;
    [[nodiscard]] bool documents() const { return m_binding.model == DataModel::Document; }

    Binding m_binding;
};

std::vector<TableSpec> BulkInsertInstance::specsFor(int users) const
{
    std::vector<TableSpec> specs;
    for (int user = 0; user < users; ++user) {
        TableSpec spec;
        if (documents()) {
            spec = documentTable(user + 1, m_binding.suffix, false);
            spec.columns = {"_id", "k"};
        } else {
            spec.name = tableName(user + 1);
            spec.create = m_binding.sql.createTable(
                fmt::format("CREATE TABLE {} (id INTEGER NOT NULL, k INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (id)){}",
                            spec.name, m_binding.suffix));
            spec.columns = {"id", "k"};
        }
        spec.freshEachRun = spec.keysRepeat = true; // the ids begin at 1 again
        specs.push_back(std::move(spec));
    }
    return specs;
}

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
    // Rows are numbered by user, as in sysbench: the number of an arrival would leave gaps in each table.
    if (user.params().empty())
        user.params().push_back(Param::of(std::int64_t(0)));
    std::int64_t& rows = user.params().front().integer;
    constexpr std::array<std::string_view, 3> kRow{"(", ",", ")"}, kDocument{R"({"_id":)", R"(,"k":)", "}"};
    const auto& around = documents() ? kDocument : kRow;
    std::array<char, 64> row;
    const std::int64_t number = rows + 1;
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
        const auto table = user.number() + 1;
        if (documents())
            fmt::format_to(std::back_inserter(buffer), R"({{"insert":"sbtest{}","documents":[)", table);
        else
            fmt::format_to(std::back_inserter(buffer), "INSERT INTO sbtest{} VALUES ", table);
    } else {
        buffer += ',';
    }
    buffer += text;
    rows = number; // a retry keeps it
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
