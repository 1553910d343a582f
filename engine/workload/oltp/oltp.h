// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The sysbench OLTP family (facts from sysbench 1.0.20's scripts and documents): what its workloads share, and the
//! list of them. Tables sbtest1 … sbtestN have the columns id, k, c, pad and can be used by sysbench itself, and the
//! other way round.
#pragma once

#include "driver/size_model.h"
#include "workload/oltp/params.h"
#include "workload/workload.h"

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dyno::oltp {

//! Kinds of operations of the family. A workload's OperationInfo list holds those it uses, in its own order.
enum class Op : std::uint8_t {
    PointSelect,
    SimpleRange,
    SumRange,
    OrderRange,
    DistinctRange,
    IndexUpdate,
    NonIndexUpdate,
    Delete,
    PointQuery,
    Increment,
    Insert,
    Begin,
    Commit,
    RandomPoints,
    RandomRanges,
    Aggregate,
    Group,
    Join,
    Order,
    BulkInsert,
    Copy,
    Scan,
    AddIndex,
    AddColumn,
    Analyze,
    Rebuild,
    DropColumn,
    DropIndex,
    DropTable,
};
constexpr std::size_t kOps = std::size_t(Op::DropTable) + 1;
constexpr std::size_t kStatementKinds = std::size_t(Op::Insert) + 1; //!< the first ones, made for each table

[[nodiscard]] OperationInfo infoOf(Op op);
//! OpId of each kind in a workload that lists `ops`; kinds that it does not list must not be used.
using OpIds = std::array<OpId, kOps>;
[[nodiscard]] OpIds idsOf(const std::vector<Op>& ops);

[[nodiscard]] std::string tableName(int table); //!< 1-based
//! What follows the closing bracket of CREATE TABLE: engine, table knobs, create_table_options; begins with a space
//! unless it is empty. Errors: an engine or knob that is not a plain word or number.
[[nodiscard]] Expected<std::string> tableSuffix(const Params& params, const SqlDialect& sql,
                                                const Settings& tableKnobs);

//! What one bound workload of the family is made from.
struct Binding
{
    Params params;
    SqlDialect sql;
    const SizeModel& sizes;
    std::string suffix = {}; //!< tableSuffix()
    DataModel model = DataModel::Sql;
    OpIds ops{};
};

//! Tables, load and error rules, the same for all but bulk_insert.
class OltpInstance : public WorkloadInstance
{
public:
    [[nodiscard]] std::vector<TableSpec> tables() const override;
    //! Rows [firstRow, lastRow] with explicit ids. MySQL family: one bulk request of at most 2 MiB a slice, or one
    //! multi-row INSERT of at most 512 KiB, in autocommit, so that a slice is there wholly or not at all. SQLite: a
    //! transaction of prepared single-row INSERTs (1.7 times as fast as multi-row text, which its parser slows down).
    [[nodiscard]] Task<Outcome> load(UserContext& user, LoadSlice slice) const override;
    [[nodiscard]] bool fatal(Outcome outcome, std::int32_t code) const override;
    [[nodiscard]] bool retryable(Outcome outcome, std::int32_t code) const override;
    [[nodiscard]] bool retriesInSample() const override { return m_binding.params.retriesInSample; }
    [[nodiscard]] std::uint64_t estimatedBytes() const override;
    //! Of SQL: no row of the load is missing (where nothing but pairs of delete and insert in one transaction takes
    //! rows away), texts have their length, k is at least 1 (updates count it up).
    [[nodiscard]] std::vector<DataCheck> checks() const override;
    [[nodiscard]] StatementSet statements() const final;
    [[nodiscard]] std::size_t statementCount() const { return m_statementCount; } //!< of statements()
    [[nodiscard]] StatementSet loaderStatements() const final;

protected:
    OltpInstance(Binding binding, const std::vector<Op>& statementKinds);

    [[nodiscard]] const Params& params() const { return m_binding.params; }
    [[nodiscard]] const SqlDialect& sql() const { return m_binding.sql; }
    [[nodiscard]] bool documents() const { return m_binding.model == DataModel::Document; }
    [[nodiscard]] const SizeModel& sizes() const { return m_binding.sizes; }
    //! Of a table into which rows come in `ids` order of their ids, and in `ks` order of k.
    [[nodiscard]] RowFacts rowFacts(KeyOrder ids, KeyOrder ks) const;
    [[nodiscard]] OpId id(Op op) const { return m_binding.ops[std::size_t(op)]; }
    [[nodiscard]] const Distribution& ids() const { return m_ids; } //!< 1…table_size
    [[nodiscard]] int drawTable(Random& random) const { return int(random.uniform(1, m_binding.params.tables)); }
    //! Statement of a kind given to the constructor.
    [[nodiscard]] StatementId statement(Op kind, int table) const
    {
        return StatementId(std::uint32_t(m_first[std::size_t(kind)]) + std::uint32_t(table - 1));
    }
    //! `count` statements, made by their place among them when statements() is asked for: a plan is bound many times
    //! before it runs, and there may be 100 000 tables. Returns the first.
    StatementId addStatements(std::size_t count, std::function<StatementSpec(std::size_t)> make);
    //! oltp_insert's tables are empty when the client makes the ids.
    [[nodiscard]] virtual bool loadsRows() const { return true; }
    [[nodiscard]] virtual bool freshEachRun() const { return false; }
    [[nodiscard]] virtual bool keysRepeat() const { return false; }

private:
    enum class RowForm : std::uint8_t { Sql, Line };
    [[nodiscard]] Task<Outcome> loadBulk(UserContext& user, LoadSlice slice) const;
    [[nodiscard]] Task<Outcome> loadText(UserContext& user, LoadSlice slice) const;
    [[nodiscard]] Task<Outcome> loadPrepared(UserContext& user, LoadSlice slice) const;
    [[nodiscard]] Task<Outcome> loadDocuments(UserContext& user, LoadSlice slice) const;
    //! Appends one row, "(id,k,'c','pad')," or a line of tab-separated values; returns its end. The same draws in all
    //! forms: a row is the same whatever the way it takes.
    template<RowForm form>
    char* writeRow(char* out, std::uint64_t seed, int table, std::int64_t row) const;
    [[nodiscard]] std::string createTable(int table) const;

    Binding m_binding;
    Distribution m_ids;
    struct StatementGroup
    {
        std::size_t count = 0;
        std::function<StatementSpec(std::size_t)> make;
    };
    std::vector<StatementGroup> m_groups;
    std::size_t m_statementCount = 0;
    std::array<StatementId, kStatementKinds> m_first{};
    bool m_hasInsert = false; //!< statements() holds the prepared INSERT of each table
};

//! Error rules shared with bulk_insert: an error is retried when its code is in ignore_errors; embedded engines also
//! when they answer Retryable.
[[nodiscard]] bool isRetryable(const Params& params, const SqlDialect& sql, Outcome outcome, std::int32_t code);
//! sysbench 1.0.20 ends the run at any error that is not ignored.
[[nodiscard]] bool isFatal(const Params& params, const SqlDialect& sql, Outcome outcome, std::int32_t code);

using InstancePtr = std::shared_ptr<const WorkloadInstance>;
//! Makers of the instances; `workload` is the id. Errors: a combination of parameters that cannot run.
[[nodiscard]] Expected<InstancePtr> makeMixed(std::string_view workload, Binding binding);
[[nodiscard]] Expected<InstancePtr> makeInsert(std::string_view workload, Binding binding);
[[nodiscard]] Expected<InstancePtr> makeRandomPoints(std::string_view workload, Binding binding);
[[nodiscard]] Expected<InstancePtr> makeRandomRanges(std::string_view workload, Binding binding);
[[nodiscard]] Expected<InstancePtr> makeAnalytic(std::string_view workload, Binding binding);
[[nodiscard]] Expected<InstancePtr> makeDdl(std::string_view workload, Binding binding);
[[nodiscard]] Expected<InstancePtr> makeBulkInsert(std::string_view workload, Binding binding);

//! All of them.
[[nodiscard]] const std::vector<const Workload*>& workloads();

} // namespace dyno::oltp
