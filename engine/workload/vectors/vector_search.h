// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Search for nearest neighbours: a table of vectors with an index over them, and users who ask for the k vectors that
//! are nearest to another one. Each answer is compared with the exact neighbours, so a run tells which share of them
//! the index finds (recall) beside how many searches it does a second. Shape of the default data: the data set
//! fashion-mnist-784-euclidean of ann-benchmarks has 60 000 vectors of 784 numbers from 0 to 255 in ten classes, and
//! 10 000 queries.
#pragma once

#include "driver/size_model.h"
#include "workload/vectors/neighbours.h"
#include "workload/workload.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

namespace dyno::vectors {

struct Params
{
    ClusterShape shape; //!< of a file: its dimension, rows and queries
    std::int64_t k = 10;
    VectorIndex index;
    std::string file, queryFile; //!< "": made by seed; "": the vectors of `file` after its rows
};
[[nodiscard]] OptionSpecs options();
[[nodiscard]] Params parse(const Settings& settings);

class VectorSearchInstance final : public WorkloadInstance
{
public:
    //! `suffix`: what follows the closing bracket of CREATE TABLE.
    VectorSearchInstance(const Params& params, const DriverInfo& driver, const std::string& suffix);

    [[nodiscard]] std::vector<TableSpec> tables() const override { return {m_table}; }
    [[nodiscard]] StatementSet statements() const override { return {m_search}; }
    [[nodiscard]] StatementSet loaderStatements() const override;
    [[nodiscard]] Settings sessionVariables() const override;
    //! The vectors of a file are looked at; for a run, texts and exact neighbours of the queries are made. What is
    //! wrong with the file, the first slice or transaction reports.
    [[nodiscard]] bool makeReady(Use use, const std::function<bool()>& goOn, std::uint64_t seed) const override;
    [[nodiscard]] Task<Outcome> load(UserContext& user, LoadSlice slice) const override;
    [[nodiscard]] Task<Outcome> transaction(UserContext& user) const override;
    //! Other vectors in the table: no answer of the run would be worth anything.
    [[nodiscard]] bool fatal(Outcome outcome, std::int32_t code) const override;
    [[nodiscard]] std::vector<FeatureProbe> probes() const override;
    [[nodiscard]] std::vector<DataCheck> checks() const override;
    [[nodiscard]] std::uint64_t estimatedBytes() const override;

private:
    //! What is made of the vectors of one seed. Immutable once it is there, but for `compared`.
    struct Ready
    {
        std::uint64_t seed = 0;
        VectorSets sets;
        std::string problem;                  //!< why there are no sets: outlives all users
        std::vector<std::string> queries;     //!< as texts; of a run
        std::optional<Neighbours> nearest;    //!< of a run
        mutable std::atomic<int> compared{0}; //!< answers without a neighbour whose first row was compared
    };
    [[nodiscard]] StatementSpec insert(std::int64_t rows) const;
    [[nodiscard]] Expected<VectorSets> setsOf(std::uint64_t seed, const std::function<bool()>& goOn) const;
    [[nodiscard]] bool readRows(std::uint64_t seed, const LoadSlice& slice, std::vector<float>& out,
                                const char*& problem) const;
    [[nodiscard]] Outcome judge(UserContext& user, std::int64_t query) const;

    Params m_params;
    SqlDialect m_sql;
    const SizeModel& m_sizes;
    TableSpec m_table;
    StatementSpec m_search;
    std::string m_usual; //!< a vector as text, as long as usual ones
    mutable std::mutex m_making;
    mutable std::shared_ptr<const Ready> m_ready; //!< with m_making; a run only reads it, while nothing writes
};

[[nodiscard]] const std::vector<const Workload*>& workloads();

} // namespace dyno::vectors
