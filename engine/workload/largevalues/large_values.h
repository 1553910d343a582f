// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Large values: a table of rows with one long value each, or with several of the same length, read whole, in part or
//! not at all, and changed. What a storage engine does with values that do not fit into a page (row formats, pages off
//! the row, compression) shows in the rates of these and in the size on disk. Whether it takes a row at all shows in a
//! table that begins empty: a row that is too large for it is counted as refused there, an answer and no error.
//!
//! A row of the load is a function of (seed, row); a transaction is one statement.
#pragma once

#include "driver/size_model.h"
#include "workload/size_distribution.h"
#include "workload/workload.h"

#include <array>

namespace dyno::largevalues {

enum class Op : std::uint8_t { Read, ReadPart, ReadOther, Update, UpdateOther, Insert, Refused };
constexpr std::size_t kOps = 6; //!< that are drawn
enum class Sizes : std::uint8_t { Constant, Uniform, LogNormal };

struct Params
{
    std::int64_t rows = 1000;
    std::size_t values = 1; //!< of a row
    Sizes sizes = Sizes::LogNormal;
    std::int64_t size = 8192, least = 64, most = 1'000'000; //!< bytes
    double sigma = 1;
    std::size_t randomBytes = 128; //!< of each kChunk bytes of a value
    std::int64_t part = 1000;      //!< bytes of a partial read
    std::array<std::int64_t, kOps> weights{};
};
[[nodiscard]] OptionSpecs options();
[[nodiscard]] Expected<Params> parse(const Settings& settings);
constexpr std::size_t kChunk = 256;

class LargeValuesInstance final : public WorkloadInstance
{
public:
    LargeValuesInstance(const Params& params, const DriverInfo& driver, const std::string& suffix);

    [[nodiscard]] std::vector<TableSpec> tables() const override { return {m_table}; }
    [[nodiscard]] StatementSet statements() const override;
    [[nodiscard]] StatementSet loaderStatements() const override;
    [[nodiscard]] Task<Outcome> load(UserContext& user, LoadSlice slice) const override;
    [[nodiscard]] Task<Outcome> transaction(UserContext& user) const override;
    [[nodiscard]] bool keepsLongValues() const override { return true; }
    [[nodiscard]] std::vector<DataCheck> checks() const override;
    [[nodiscard]] std::uint64_t estimatedBytes() const override;
    [[nodiscard]] Growth growth() const override;

    [[nodiscard]] std::int64_t drawSize(Random& random) const;
    //! Writes `length` bytes, of each chunk the random ones first; returns the end.
    char* writeValue(char* out, std::size_t length, Random& random) const;

private:
    [[nodiscard]] double meanSize() const;
    [[nodiscard]] double meanRow() const;                        //!< bytes on disk
    [[nodiscard]] Task<Outcome> tryRow(UserContext& user) const; //!< that user.params() hold
    //! The values of a row, of one length of their own, one after the other in the user's buffer.
    [[nodiscard]] std::string_view drawValues(UserContext& user, Random& random) const;
    [[nodiscard]] std::string_view valueOf(std::string_view all, std::size_t number) const
    {
        const std::size_t each = all.size() / m_params.values;
        return all.substr(number * each, each);
    }

    Params m_params;
    SqlDialect m_sql;
    const SizeModel& m_sizes;
    TableSpec m_table;
    LogNormal m_logNormal;
    std::int64_t m_allWeights = 0;
    std::array<char, kChunk> m_motif;
};

[[nodiscard]] const std::vector<const Workload*>& workloads();

} // namespace dyno::largevalues
