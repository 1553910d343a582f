// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Time series: readings of many sensors arrive in batches, in the order of time, into a table whose key begins with
//! the sensor or with the time (facts from Percona's posts of 2013 on insertion of time series). Beside it some users
//! may ask for aggregates of one sensor over a range of time, and old readings may be deleted sensor by sensor.
//!
//! Reading number n (from 0) is of the sensor 1 + n mod sensors at the time first + n / sensors: one counter for all
//! users gives the numbers, so that times rise as they do in life and no key comes twice. Its values are a function of
//! (seed, n).
#pragma once

#include "driver/size_model.h"
#include "workload/workload.h"

#include <atomic>

namespace dyno::sensordata {

enum class Op : std::uint8_t { Insert, Aggregate, Delete };
constexpr int kValues = 5;                         //!< data1 … data5
constexpr std::int64_t kFirstTime = 1'356'998'400; //!< 2013-01-01 UTC, in seconds

struct Params
{
    std::int64_t sensors = 1000;
    std::int64_t rowsPerInsert = 1000;
    bool timeFirst = false; //!< of the primary key
    bool pareto = false;    //!< values; else uniform
    std::int64_t initialRows = 0;
    int queryUsers = 0;
    std::int64_t range = 100;   //!< times of an aggregate
    std::int64_t retention = 0; //!< times that are kept; 0 = all
};
[[nodiscard]] OptionSpecs options();
//! Readings that have a time which the column holds.
[[nodiscard]] std::int64_t mostReadings(const SqlDialect& sql, std::int64_t sensors);
[[nodiscard]] Expected<Params> parse(const Settings& settings);

class SensordataInstance final : public WorkloadInstance
{
public:
    SensordataInstance(const Params& params, const DriverInfo& driver, const std::string& suffix);

    [[nodiscard]] std::vector<TableSpec> tables() const override { return {m_table}; }
    [[nodiscard]] StatementSet statements() const override { return m_statements; }
    [[nodiscard]] StatementSet loaderStatements() const override;
    [[nodiscard]] Task<Outcome> load(UserContext& user, LoadSlice slice) const override;
    [[nodiscard]] Task<Outcome> transaction(UserContext& user) const override;
    [[nodiscard]] std::vector<DataCheck> checks() const override;
    [[nodiscard]] std::uint64_t estimatedBytes() const override;
    [[nodiscard]] Growth growth() const override;

    [[nodiscard]] StatementSpec insert(std::int64_t rows) const;
    //! As many readings from number `first` on to user.params().
    void bindReadings(UserContext& user, std::int64_t first, std::int64_t count) const;
    //! Appends reading number `number` as a line of RequestKind::Bulk.
    void appendLine(std::string& out, std::uint64_t seed, std::int64_t number) const;
    [[nodiscard]] const TableSpec& table() const { return m_table; }
    //! Of so many readings that came in the order of their numbers.
    [[nodiscard]] std::uint64_t bytesOf(std::int64_t readings) const;

private:
    //! `sensors`: how rows come into a key that begins with the sensor.
    [[nodiscard]] RowFacts rowFacts(KeyOrder sensors) const;
    //! Writes the parameters of reading number `number`; returns what follows them.
    Param* bindReading(Param* out, std::uint64_t seed, std::int64_t number) const;
    [[nodiscard]] Task<Outcome> loadBulk(UserContext& user, LoadSlice slice) const;
    [[nodiscard]] Task<Outcome> loadInserts(UserContext& user, LoadSlice slice) const;
    [[nodiscard]] Task<Outcome> insertBatch(UserContext& user) const;
    [[nodiscard]] Task<Outcome> deleteOld(UserContext& user, std::int64_t newest) const;

    Params m_params;
    SqlDialect m_sql;
    bool m_appends; //!< the target only appends and reads rows
    const SizeModel& m_sizes;
    TableSpec m_table;
    StatementSet m_statements;
    mutable std::atomic<std::int64_t> m_next;       //!< number of the next reading
    mutable std::atomic<std::int64_t> m_deletes{0}; //!< sensors that old readings were deleted of, round and round
};

//! "sensordata_file", see sensordata_file.h.
[[nodiscard]] const Workload& fileWorkload();
[[nodiscard]] const std::vector<const Workload*>& workloads();

} // namespace dyno::sensordata
