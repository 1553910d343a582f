// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Sums over one column of a large table, whose number is stored in four types (facts from Percona's post on column
//! types in an analytic store): Q1 adds up all of it, Q2 adds it up by period and gives the ten greatest sums. A run is
//! a list of steps, the queries one after the other, and each answer is compared with the sums of the rows.
//!
//! A row is a function of (seed, number): its period follows from the number, since rows come in the order of time, and
//! everything else is drawn. The number is whole and below 2^24, so that each type holds it exactly, and the sum of all
//! is below 2^53: whatever type a server adds up in, and in whatever order, there is one right answer.
#pragma once

#include "driver/size_model.h"
#include "workload/workload.h"

#include <dyno/operation_reads.h>

#include <array>
#include <mutex>
#include <optional>

namespace dyno::columntypes {

enum class Op : std::uint8_t { FirstSum, Sum, FirstTop, Top };
//! One of the types, in the order of the table's columns.
enum class NumberType : std::uint8_t { UInt32, UInt64, Float32, Float64 };
constexpr std::size_t kTypes = 4;
constexpr std::int64_t kMonth = 30LL * 24 * 60 * 60; //!< seconds

struct Params
{
    std::int64_t rows = 1'000'000;
    std::int64_t largest = 1;      //!< numbers are uniform from 1 to this one
    std::int64_t periods = 10'000; //!< at most one for each second of the months
    std::int64_t months = 1;       //!< that the periods are spread over
    NumberType type = NumberType::UInt32;
    int rounds = 10; //!< of each query, after its first time
};
[[nodiscard]] OptionSpecs options();
[[nodiscard]] Params parse(const Settings& settings);
//! See operationReads(). `columns`: the server stores columns one by one, each with just the type that is asked for.
[[nodiscard]] std::vector<OperationReads> readsOf(const Settings& settings, bool columns);

//! One row. Texts lie in it.
struct Row
{
    std::array<char, 16> digest{}; //!< hexadecimal digits
    int server = 0, user = 0, schema = 0;
    int host = 0;
    std::int64_t period = 0; //!< its start, in seconds since 1970
    std::int64_t number = 0;
};
//! `number`: from 1 to params.rows.
[[nodiscard]] Row rowOf(const Params& params, std::uint64_t seed, std::int64_t number);

//! What the queries must answer.
struct Answers
{
    double sum = 0;
    std::vector<double> byPeriod; //!< of each period that has rows, in their order
    std::vector<double> greatest; //!< of those: ten, or as many as there are, the greatest first
};
//! Goes through all rows: about 5 s for 400 million. None: goOn() said no.
[[nodiscard]] std::optional<Answers> answersOf(const Params& params, std::uint64_t seed,
                                               const std::function<bool()>& goOn);
//! The place in Answers::byPeriod of a period that begins at `start`; none where there is no such period.
[[nodiscard]] std::optional<std::size_t> periodAt(const Params& params, std::int64_t start);

class ColumnTypesInstance final : public StepsInstance
{
public:
    //! `suffix`: what follows the closing bracket of CREATE TABLE.
    ColumnTypesInstance(const Params& params, const DriverInfo& driver, const std::string& suffix);

    [[nodiscard]] std::vector<TableSpec> tables() const override { return {m_table}; }
    [[nodiscard]] StatementSet statements() const override { return m_statements; }
    [[nodiscard]] StatementSet loaderStatements() const override;
    //! The answers.
    [[nodiscard]] bool makeReady(Use use, const std::function<bool()>& goOn, std::uint64_t seed) const override;
    [[nodiscard]] Task<Outcome> load(UserContext& user, LoadSlice slice) const override;
    [[nodiscard]] std::vector<DataCheck> checks() const override;
    [[nodiscard]] std::uint64_t estimatedBytes() const override;

protected:
    [[nodiscard]] Task<Outcome> runStep(UserContext& user, std::size_t step, int round) const override;

private:
    [[nodiscard]] StatementSpec insert(std::int64_t rows) const;
    //! The parameters of `count` rows from number `first` on to user.params(), with their texts in user.buffer().
    void bindRows(UserContext& user, std::int64_t first, std::int64_t count) const;
    //! Appends a row as a line of RequestKind::Bulk.
    void appendLine(std::string& out, std::uint64_t seed, std::int64_t number) const;
    [[nodiscard]] Task<Outcome> loadLines(UserContext& user, LoadSlice slice) const;
    [[nodiscard]] Outcome judge(UserContext& user, Op op) const;
    [[nodiscard]] bool rightTop(const KeptRows& rows) const;

    Params m_params;
    SqlDialect m_sql;
    const SizeModel& m_sizes;
    bool m_transactions; //!< the database has them
    TableSpec m_table;
    StatementSet m_statements;
    mutable std::mutex m_making;
    mutable std::optional<Answers> m_answers; //!< written by makeReady() alone
    mutable std::uint64_t m_seed = 0;         //!< that they are of
};

[[nodiscard]] const std::vector<const Workload*>& workloads();

} // namespace dyno::columntypes
