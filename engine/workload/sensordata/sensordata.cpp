// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/sensordata/sensordata.h"

#include "workload/loading.h"
#include "workload/option_makers.h"
#include "workload/table_suffix.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

namespace dyno::sensordata {

namespace {

constexpr std::uint64_t kRowStreams = std::uint64_t(1) << 44;
constexpr std::int64_t kColumns = 2 + kValues + 1;
constexpr std::int64_t kMostRows = 32000 / kColumns; //!< SQLite allows 32 766 parameters
constexpr std::int64_t kLoadBatch = 500, kBulkRows = 20'000;
constexpr std::int64_t kLastTime = 4'294'967'295; //!< of INT UNSIGNED, as the MySQL family has it
constexpr double kValueRange = 1'000'000;
constexpr double kParetoPower =
    7.2126; //!< ln h / ln(1 − h) with h = 0.2: a fifth of the range gets four fifths of the values

class SensordataWorkload final : public Workload
{
public:
    SensordataWorkload()
    {
        m_info.id = "sensordata";
        m_info.name = "Time series of sensors";
        m_info.purpose = WorkloadPurpose::Growth;
        m_info.summary = "Readings of sensors in batches: how steady inserts stay as the table grows";
        m_info.description =
            "Readings of many sensors arrive in batches, in the order of time, into a table whose key begins with the "
            "sensor or with the time; aggregates and deletes of old readings may go on beside it. Shows how steady "
            "inserts are, and what the order of a key is worth. A loaded reading takes about 125 bytes in InnoDB and "
            "80 in "
            "SQLite: a million are about 130 MB and 80 MB.";
        m_info.source = "Percona's posts on bulk insertion of time series, 2013";
        m_info.options = options();
        m_info.operations = {{"insert", OpClass::Write}, {"aggregate", OpClass::Read}, {"delete", OpClass::Write}};
        m_info.appends = true; // without deletes, see bind()
    }

    [[nodiscard]] const WorkloadInfo& info() const override { return m_info; }

    [[nodiscard]] Expected<std::shared_ptr<const WorkloadInstance>>
    bind(const Settings& settings, const DriverInfo& driver, const Settings& tableKnobs) const override
    {
        const auto params = parse(settings);
        if (!params)
            return tl::unexpected(params.error());
        if (driver.appendsOnly && params->retention > 0)
            return wrongParameter(fmt::format("{} deletes no single rows", driver.name), "retention", "set it to 0");
        // The first insert of a run must have room too.
        if (const std::int64_t most = mostReadings(driver.sql, params->sensors) - params->rowsPerInsert;
            params->initialRows > most)
            return wrongParameter(
                fmt::format(
                    "after {} readings of {} sensors the times of the next insert are none that the column holds",
                    params->initialRows, params->sensors),
                "initial_rows", fmt::format("use at most {}, or more sensors", most));
        auto suffix = tableSuffix(driver.sql, DataModel::Sql, tableKnobs, "KEY (sensor_id)");
        if (!suffix)
            return tl::unexpected(suffix.error());
        return std::make_shared<const SensordataInstance>(*params, driver, *suffix);
    }

private:
    WorkloadInfo m_info;
};

} // namespace

OptionSpecs options()
{
    return {
        ofData(integerOption("sensors", "Sensors", "How many there are; each has a reading at each time.", 1000,
                             "sensors", 1, 1e6, "")),
        integerOption("rows_per_insert", "Readings of an insert",
                      "Readings that one transaction inserts by one statement.", 1000, "rows", 1, double(kMostRows),
                      ""),
        ofData(choiceOption(
            "key", "Primary key",
            "sensor: (sensor_id, ts), where inserts go to as many places as there are sensors. time: (ts, sensor_id), "
            "where they go to the end, with a second key (sensor_id, ts).",
            "sensor", {"sensor", "time"}, "")),
        ofData(choiceOption(
            "values", "Values",
            "uniform: five random numbers with all their digits. pareto: whole numbers most of which are small, which "
            "compress better.",
            "uniform", {"uniform", "pareto"}, "")),
        ofData(integerOption("initial_rows", "Readings at the start", "Readings that the load makes before the run.", 0,
                             "rows", 0, 1e12, "")),
        integerOption("query_users", "Users that query",
                      "So many of the users, the last ones, ask for aggregates; the others insert.", 0, "users", 0, 1e6,
                      ""),
        integerOption("range", "Times of an aggregate",
                      "How many times, one reading each, an aggregate of one sensor spans.", 100, "times", 1, 1e9, ""),
        integerOption("retention", "Times that are kept",
                      "Older readings are deleted: after each insert those of the next sensor, so that all had their "
                      "turn after as many "
                      "inserts as there are sensors. 0: none are.",
                      0, "times", 0, 1e9, ""),
    };
}

std::int64_t mostReadings(const SqlDialect& sql, std::int64_t sensors)
{
    return sql.wideIntegers ? std::numeric_limits<std::int64_t>::max() : (kLastTime - kFirstTime + 1) * sensors;
}

Expected<Params> parse(const Settings& settings)
{
    Params params;
    params.sensors = integerOf(settings, "sensors", params.sensors);
    params.rowsPerInsert = integerOf(settings, "rows_per_insert", params.rowsPerInsert);
    params.timeFirst = textOf(settings, "key") == "time";
    params.pareto = textOf(settings, "values") == "pareto";
    params.initialRows = integerOf(settings, "initial_rows", params.initialRows);
    params.queryUsers = int(integerOf(settings, "query_users", 0));
    params.range = integerOf(settings, "range", params.range);
    params.retention = integerOf(settings, "retention", 0);
    if (params.retention > 0 && params.retention < params.range && params.queryUsers > 0)
        return wrongParameter(fmt::format("aggregates span {} times, and {} are kept", params.range, params.retention),
                              "retention", "keep as many times as range says, or more");
    return params;
}

SensordataInstance::SensordataInstance(const Params& params, const DriverInfo& driver, const std::string& suffix)
    : m_params(params)
    , m_sql(driver.sql)
    , m_appends(driver.appendsOnly)
    , m_sizes(*driver.sizes)
    , m_next(params.initialRows)
{
    using enum Param::Type;
    m_table.name = "sensordata";
    m_table.columns = {"ts", "sensor_id", "data1", "data2", "data3", "data4", "data5", "cnt"};
    std::string values;
    for (int i = 1; i <= kValues; ++i)
        values += fmt::format("data{} {} NOT NULL, ", i, m_sql.type("DOUBLE"));
    std::string keys = m_params.timeFirst ? "PRIMARY KEY (ts, sensor_id)" : "PRIMARY KEY (sensor_id, ts)";
    if (m_params.timeFirst && m_sql.keysInTable)
        keys += ", KEY by_sensor (sensor_id, ts)";
    else if (m_params.timeFirst && !m_appends)
        m_table.afterCreate.push_back("CREATE INDEX by_sensor ON sensordata (sensor_id, ts)");
    m_table.create = m_sql.createTable(
        fmt::format("CREATE TABLE sensordata (ts {0} NOT NULL, sensor_id {0} NOT NULL, {1}cnt {0}, {2}){3}",
                    m_sql.unsignedInteger, values, keys, suffix));
    m_table.rows = m_params.initialRows;
    m_table.rowsPerSlice = kLoadBatch * (m_sql.loadsPrepared ? 40 : 1);
    if (m_appends) // each insert makes files of its own there: few and large ones
        m_table.bulkRowsPerSlice = kBulkRows;
    m_table.freshEachRun = m_table.keysRepeat = true; // the numbers of readings begin again
    m_statements.push_back(insert(m_params.rowsPerInsert));
    m_statements.push_back({"SELECT COUNT(*), AVG(data1), MIN(data2), MAX(data3), SUM(cnt) FROM sensordata WHERE "
                            "sensor_id=? AND ts BETWEEN ? "
                            "AND ?",
                            {Integer, Integer, Integer},
                            true});
    if (!m_appends)
        m_statements.push_back({"DELETE FROM sensordata WHERE sensor_id=? AND ts<?", {Integer, Integer}});
}

StatementSpec SensordataInstance::insert(std::int64_t rows) const
{
    using enum Param::Type;
    StatementSpec spec;
    const std::vector<std::string> one(std::size_t(rows), "(?,?,?,?,?,?,?,?)");
    spec.text =
        fmt::format("INSERT INTO sensordata ({}) VALUES {}", fmt::join(m_table.columns, ","), fmt::join(one, ","));
    for (std::int64_t row = 0; row < rows; ++row) {
        for (const Param::Type type : {Integer, Integer, Real, Real, Real, Real, Real, Integer})
            spec.parameters.push_back(type);
    }
    return spec;
}

StatementSet SensordataInstance::loaderStatements() const
{
    StatementSet all = m_statements;
    all.push_back(insert(1));
    all.push_back(insert(kLoadBatch));
    return all;
}

std::vector<DataCheck> SensordataInstance::checks() const
{
    std::string outside;
    for (int i = 1; i <= kValues; ++i)
        outside += fmt::format("{0}data{1} < 0 OR data{1} >= {2}", i > 1 ? " OR " : "", i, kValueRange);
    std::vector<DataCheck> checks{
        {"each reading is of a sensor that there is",
         fmt::format("SELECT COUNT(*) FROM sensordata WHERE sensor_id < 1 OR sensor_id > {} OR ts < {}",
                     m_params.sensors, kFirstTime)},
        {"values lie in their range", fmt::format("SELECT COUNT(*) FROM sensordata WHERE {}", outside)}};
    if (m_params.retention == 0) // an insert is one statement: all its readings or none
        checks.push_back({"whole inserts are there", fmt::format("SELECT abs(COUNT(*) - {}) % {} FROM sensordata",
                                                                 m_params.initialRows, m_params.rowsPerInsert)});
    return checks;
}

RowFacts SensordataInstance::rowFacts(KeyOrder sensors) const
{
    const double digits = m_params.pareto ? 2 : 8; // most of these values are small whole numbers
    RowFacts facts{{numberColumn("ts", 4, 4), numberColumn("sensor_id", 4, 2)},
                   m_params.timeFirst ? "ts, sensor_id" : "sensor_id, ts",
                   false,
                   m_params.timeFirst ? KeyOrder::Runs : sensors};
    for (int i = 1; i <= kValues; ++i)
        facts.columns.push_back(numberColumn(fmt::format("data{}", i), 8, digits));
    facts.columns.push_back(numberColumn("cnt", 4, 2));
    if (m_params.timeFirst)
        facts.indexes = {{"sensor_id, ts", KeyOrder::Any}};
    return facts;
}

std::uint64_t SensordataInstance::estimatedBytes() const
{
    return bytesOf(m_params.initialRows);
}

std::uint64_t SensordataInstance::bytesOf(std::int64_t readings) const
{
    return m_sizes.table(rowFacts(KeyOrder::Runs), readings);
}

void SensordataInstance::appendLine(std::string& out, std::uint64_t seed, std::int64_t number) const
{
    std::array<Param, 2 + kValues + 1> reading;
    bindReading(reading.data(), seed, number);
    for (const Param& one : reading) {
        if (one.type == Param::Type::Real)
            fmt::format_to(std::back_inserter(out), "{}\t", one.real); // as many digits as give the same number back
        else
            fmt::format_to(std::back_inserter(out), "{}\t", one.integer);
    }
    out.back() = '\n';
}

Growth SensordataInstance::growth() const
{
    if (m_params.retention > 0) // old readings go as new ones come
        return {};
    return {m_sizes.row(rowFacts(KeyOrder::Any)), double(m_params.rowsPerInsert)};
}

Param* SensordataInstance::bindReading(Param* out, std::uint64_t seed, std::int64_t number) const
{
    Random random = Random::forItem(seed, kRowStreams, std::uint64_t(number));
    *out++ = Param::of(kFirstTime + number / m_params.sensors);
    *out++ = Param::of(1 + number % m_params.sensors);
    for (int i = 0; i < kValues; ++i) {
        const double value = random.unit();
        *out++ =
            Param::of(m_params.pareto ? std::floor(kValueRange * std::pow(value, kParetoPower)) : kValueRange * value);
    }
    *out++ = Param::of(random.uniform(0, 999));
    return out;
}

void SensordataInstance::bindReadings(UserContext& user, std::int64_t first, std::int64_t count) const
{
    Param* out = user.paramsToWrite(std::size_t(count) * m_table.columns.size());
    for (std::int64_t i = 0; i < count; ++i)
        out = bindReading(out, user.seed(), first + i);
}

Task<Outcome> SensordataInstance::loadBulk(UserContext& user, LoadSlice slice) const
{
    std::string& lines = user.buffer();
    lines.clear();
    for (std::int64_t row = slice.firstRow; row <= slice.lastRow; ++row)
        appendLine(lines, user.seed(), row - 1);
    const std::string table = fmt::format("{} ({})", m_table.name, fmt::join(m_table.columns, ", "));
    const Request bulk{.kind = RequestKind::Bulk, .text = table, .value = lines};
    const Reply reply = co_await user.step(bulk);
    co_return reply.outcome;
}

Task<Outcome> SensordataInstance::load(UserContext& user, LoadSlice slice) const
{
    return slice.bulk ? loadBulk(user, slice) : loadInserts(user, slice);
}

Task<Outcome> SensordataInstance::loadInserts(UserContext& user, LoadSlice slice) const
{
    const std::size_t one = m_statements.size();
    const RowInserts inserts{StatementId(one), StatementId(one + 1), kLoadBatch, !m_appends};
    const auto bind = [this, &user](std::int64_t row, std::int64_t count) { bindReadings(user, row - 1, count); };
    const Outcome loaded = co_await loadRows(user, slice, inserts, bind);
    co_return loaded;
}

Task<Outcome> SensordataInstance::insertBatch(UserContext& user) const
{
    const std::int64_t first = m_next.fetch_add(m_params.rowsPerInsert, std::memory_order_relaxed);
    bindReadings(user, first, m_params.rowsPerInsert);
    const Request batch = Request::execute(StatementId(Op::Insert), user.params());
    const Reply reply = co_await user.execute(OpId(Op::Insert), batch);
    if (reply.outcome != Outcome::Ok || m_params.retention == 0)
        co_return reply.outcome;
    const Outcome deleted = co_await deleteOld(user, kFirstTime + first / m_params.sensors);
    co_return deleted;
}

Task<Outcome> SensordataInstance::deleteOld(UserContext& user, std::int64_t newest) const
{
    const std::int64_t sensor = 1 + m_deletes.fetch_add(1, std::memory_order_relaxed) % m_params.sensors;
    const std::array<Param, 2> params{Param::of(sensor), Param::of(newest - m_params.retention)};
    const Request remove = Request::execute(StatementId(Op::Delete), params);
    const Reply reply = co_await user.execute(OpId(Op::Delete), remove);
    co_return reply.outcome;
}

Task<Outcome> SensordataInstance::transaction(UserContext& user) const
{
    if (int(indexOf(user.user())) < user.users() - m_params.queryUsers) {
        const Outcome outcome = co_await insertBatch(user);
        co_return outcome;
    }
    Random& random = user.random();
    const std::int64_t newest =
        kFirstTime + std::max<std::int64_t>(0, m_next.load(std::memory_order_relaxed) - 1) / m_params.sensors;
    const std::int64_t oldest = m_params.retention > 0 ? std::max(kFirstTime, newest - m_params.retention) : kFirstTime;
    const std::int64_t from = random.uniform(oldest, std::max(oldest, newest - m_params.range + 1));
    const std::array<Param, 3> params{Param::of(random.uniform(1, m_params.sensors)), Param::of(from),
                                      Param::of(from + m_params.range - 1)};
    const Request ask = Request::execute(StatementId(Op::Aggregate), params);
    const Reply reply = co_await user.execute(OpId(Op::Aggregate), ask);
    co_return reply.outcome;
}

const std::vector<const Workload*>& workloads()
{
    static const SensordataWorkload workload;
    static const std::vector<const Workload*> list{&workload, &fileWorkload()};
    return list;
}

} // namespace dyno::sensordata
