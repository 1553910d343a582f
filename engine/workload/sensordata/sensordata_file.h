// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The readings of sensordata loaded from a file into the empty table (Percona's first post of 2013: LOAD DATA of a CSV
//! file). The file is made by seed before the run begins: its rows are the readings that sensordata would insert, in
//! the same order. Its bytes go to the server as the driver's bulk requests, which give a server nothing else.
#pragma once

#include "workload/sensordata/rows_file.h"
#include "workload/sensordata/sensordata.h"

#include <mutex>

namespace dyno::sensordata {

struct FileParams
{
    std::int64_t rows = 1'000'000;
    std::int64_t rowsPerLoad = 0; //!< 0 = all by one statement
    bool file = true;             //!< else by prepared inserts, one transaction a load
    [[nodiscard]] std::int64_t step() const { return rowsPerLoad > 0 ? std::min(rowsPerLoad, rows) : rows; }
    [[nodiscard]] std::int64_t loads() const { return (rows + step() - 1) / step(); }
};

class SensordataFileInstance final : public StepsInstance
{
public:
    SensordataFileInstance(const FileParams& params, const Params& readings, const DriverInfo& driver,
                           const std::string& suffix);

    [[nodiscard]] std::vector<TableSpec> tables() const override { return m_readings.tables(); }
    [[nodiscard]] StatementSet statements() const override;
    //! The file.
    [[nodiscard]] bool makeReady(Use use, const std::function<bool()>& goOn, std::uint64_t seed) const override;
    [[nodiscard]] bool bulkInRuns() const override { return m_params.file; }
    //! There is nothing to load before the run.
    [[nodiscard]] Task<Outcome> load(UserContext& user, LoadSlice slice) const override;
    //! A load that began again could meet its own rows.
    [[nodiscard]] bool retryable(Outcome /*outcome*/, std::int32_t /*code*/) const override { return false; }
    [[nodiscard]] std::vector<FeatureProbe> probes() const override;
    [[nodiscard]] std::vector<DataCheck> checks() const override;
    [[nodiscard]] std::uint64_t estimatedBytes() const override { return m_readings.bytesOf(m_params.rows); }

protected:
    [[nodiscard]] Task<Outcome> runStep(UserContext& user, std::size_t step, int round) const override;

private:
    [[nodiscard]] Task<Outcome> sendPiece(UserContext& user, int round) const;
    [[nodiscard]] Task<Outcome> insertPiece(UserContext& user, int round) const;

    FileParams m_params;
    SqlDialect m_dialect;
    SensordataInstance m_readings;
    std::string m_into; //!< table and columns
    mutable std::mutex m_making;
    mutable RowsFile m_file;
    mutable std::uint64_t m_seed = 0; //!< of the file
};

} // namespace dyno::sensordata
