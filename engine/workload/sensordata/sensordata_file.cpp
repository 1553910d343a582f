// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/sensordata/sensordata_file.h"

#include "workload/loading.h"
#include "workload/option_makers.h"
#include "workload/table_suffix.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace dyno::sensordata {

namespace {

constexpr std::int64_t kInsertBatch = 500;
constexpr std::int64_t kLongestList = 1'000'000; //!< of loads
constexpr std::int32_t kNoFile = -1;             //!< the code of a run whose file could not be made

OptionSpecs fileOptions()
{
    OptionSpecs all{
        integerOption("rows", "Readings", "Readings in the file.", 1'000'000, "rows", 1, 1e12, ""),
        integerOption("rows_per_load", "Readings of a load",
                      "Readings that one statement loads, so that the rate over rows shows. 0: all of the file.", 0,
                      "rows", 0, 1e12, ""),
        choiceOption(
            "by", "Loaded by",
            "file: the server's own statement for a file of the client. inserts: prepared inserts of 500 readings, "
            "one transaction a load. auto: file where the target has such a statement, else inserts.",
            "auto", {"auto", "file", "inserts"}, ""),
    };
    for (OptionSpec& one : options()) {
        if (one.name == "sensors" || one.name == "key" || one.name == "values")
            all.push_back(std::move(one));
    }
    return all;
}

class SensordataFileWorkload final : public Workload
{
public:
    SensordataFileWorkload()
    {
        m_info.id = "sensordata_file";
        m_info.name = "Time series from a file";
        m_info.purpose = WorkloadPurpose::Growth;
        m_info.summary = "Loads a file of readings into an empty table: parallel loads in slices";
        m_info.description =
            "A file of readings, made by seed before the run, is loaded into the empty table of the time series, by "
            "the "
            "statement that the server has for files of a client (LOAD DATA LOCAL INFILE), or by inserts. Shows what a "
            "bulk load is worth. A reading takes about 85 bytes in the file, which lies in the folder for temporary "
            "files "
            "(TMPDIR) without a name, and is gone after the run.";
        m_info.source = "Percona's posts on bulk insertion of time series, 2013";
        m_info.options = fileOptions();
        m_info.operations = {{"load", OpClass::Write}};
        m_info.steps = true;
        m_info.appends = true; // by the file, see bind()
    }

    [[nodiscard]] const WorkloadInfo& info() const override { return m_info; }

    [[nodiscard]] Expected<std::shared_ptr<const WorkloadInstance>>
    bind(const Settings& settings, const DriverInfo& driver, const Settings& tableKnobs) const override
    {
        const auto readings = parse(settings);
        if (!readings)
            return tl::unexpected(readings.error());
        FileParams params;
        params.rows = integerOf(settings, "rows", params.rows);
        params.rowsPerLoad = integerOf(settings, "rows_per_load", 0);
        const std::string by = textOf(settings, "by", "auto");
        params.file = by == "file" || (by == "auto" && !driver.sql.takesFiles.empty());
        if (by == "file" && driver.sql.takesFiles.empty())
            return wrongParameter(fmt::format("{} has no statement that loads a file", driver.name), "by",
                                  "use inserts, or a target that has one");
        if (driver.appendsOnly && !params.file)
            return wrongParameter(fmt::format("{} has no transactions, which a load by inserts is", driver.name), "by",
                                  "use file");
        if (const std::int64_t most = mostReadings(driver.sql, readings->sensors); params.rows > most)
            return wrongParameter(fmt::format("{} readings of {} sensors have times that the column does not hold",
                                              params.rows, readings->sensors),
                                  "rows", fmt::format("use at most {}, or more sensors", most));
        if (params.loads() > kLongestList)
            return wrongParameter(fmt::format("the file would be loaded by {} statements", params.loads()),
                                  "rows_per_load", fmt::format("use {} at most", kLongestList));
        auto suffix = tableSuffix(driver.sql, DataModel::Sql, tableKnobs, "KEY (sensor_id)");
        if (!suffix)
            return tl::unexpected(suffix.error());
        return std::make_shared<const SensordataFileInstance>(params, *readings, driver, *suffix);
    }

private:
    WorkloadInfo m_info;
};

} // namespace

SensordataFileInstance::SensordataFileInstance(const FileParams& params, const Params& readings,
                                               const DriverInfo& driver, const std::string& suffix)
    : StepsInstance({{OpId(0), int(params.loads())}})
    , m_params(params)
    , m_dialect(driver.sql)
    , m_readings(readings, driver, suffix)
    , m_into(fmt::format("{} ({})", m_readings.table().name, fmt::join(m_readings.table().columns, ", ")))
{
}

StatementSet SensordataFileInstance::statements() const
{
    return m_params.file ? StatementSet() : StatementSet{m_readings.insert(1), m_readings.insert(kInsertBatch)};
}

bool SensordataFileInstance::makeReady(Use use, const std::function<bool()>& goOn, std::uint64_t seed) const
{
    const std::lock_guard lock(m_making);
    if (use != Use::Run || !m_params.file || (m_file.isThere() && m_seed == seed))
        return true;
    m_seed = seed;
    const RowsFile::Content content{m_params.rows, m_params.step(), [this, seed](std::string& out, std::int64_t row) {
                                        m_readings.appendLine(out, seed, row);
                                    }};
    return m_file.make(content, goOn) || !m_file.error().empty(); // the first load tells the error
}

Task<Outcome> SensordataFileInstance::load(UserContext& /*user*/, LoadSlice /*slice*/) const
{
    co_return Outcome::Ok;
}

std::vector<FeatureProbe> SensordataFileInstance::probes() const
{
    if (!m_params.file)
        return {};
    return {{m_dialect.takesFiles, "this server takes no files from its clients",
             m_dialect.takesFilesRemedy + ", or workload.by = \"inserts\""}};
}

std::vector<DataCheck> SensordataFileInstance::checks() const
{
    std::vector<DataCheck> checks = m_readings.checks();
    std::erase_if(checks, [](const DataCheck& one) { return one.name == "whole inserts are there"; });
    checks.push_back(
        {"all readings are there", fmt::format("SELECT abs(COUNT(*) - {}) FROM sensordata", m_params.rows)});
    return checks;
}

Task<Outcome> SensordataFileInstance::runStep(UserContext& user, std::size_t /*step*/, int round) const
{
    Outcome outcome = Outcome::Ok;
    if (m_params.file)
        outcome = co_await sendPiece(user, round);
    else
        outcome = co_await insertPiece(user, round);
    co_return outcome;
}

Task<Outcome> SensordataFileInstance::sendPiece(UserContext& user, int round) const
{
    if (!m_file.isThere())
        co_return user.reject(kNoFile, m_file.error().empty() ? "the file was not made" : m_file.error().c_str());
    const Request bulk{.kind = RequestKind::Bulk, .text = m_into, .value = m_file.piece(std::size_t(round))};
    const Reply reply = co_await user.step(bulk);
    if (reply.outcome == Outcome::Ok)
        user.countRows(reply.affected);
    co_return reply.outcome;
}

Task<Outcome> SensordataFileInstance::insertPiece(UserContext& user, int round) const
{
    const std::int64_t first = round * m_params.step();
    const std::int64_t last = std::min(m_params.rows, first + m_params.step());
    const RowInserts inserts{StatementId(0), StatementId(1), kInsertBatch};
    const auto bind = [this, &user](std::int64_t row, std::int64_t count) {
        m_readings.bindReadings(user, row - 1, count);
    };
    const LoadSlice slice{1, first + 1, last};
    const Outcome loaded = co_await loadRows(user, slice, inserts, bind);
    if (loaded == Outcome::Ok)
        user.countRows(last - first);
    co_return loaded;
}

const Workload& fileWorkload()
{
    static const SensordataFileWorkload workload;
    return workload;
}

} // namespace dyno::sensordata
