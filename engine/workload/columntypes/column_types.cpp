// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/columntypes/column_types.h"

#include "workload/loading.h"
#include "workload/option_makers.h"
#include "workload/table_suffix.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace dyno::columntypes {

namespace {

constexpr std::int64_t kInsertBatch = 500;
constexpr std::int64_t kBulkRows = 50'000; //!< about 5 MB of lines
constexpr std::int32_t kWrongSum = -1, kWrongTop = -2;
constexpr const char* kWrongSumText = "the sum is not that of the rows of this seed";
constexpr const char* kWrongTopText = "the greatest sums by period are not those of the rows of this seed";
constexpr std::array<const char*, kTypes> kColumns{"nq_uint32", "nq_uint64", "nq_float32", "nq_float64"};
const char* const kData = "Data";
constexpr fmt::format_string<const int&> kServerForm = "server{:02}", kUserForm = "user{:02}",
                                         kSchemaForm = "schema{:02}", kHostForm = "10.0.0.{}";
constexpr std::size_t kTextsOfRow = 64; //!< bytes, at least as many as a row's texts have

std::string typeName(const SqlDialect& sql, NumberType type)
{
    switch (type) {
    case NumberType::UInt32:
        return sql.unsignedInteger;
    case NumberType::UInt64:
        return sql.unsignedBig;
    case NumberType::Float32:
        return sql.type("FLOAT");
    case NumberType::Float64:
        break;
    }
    return sql.type("DOUBLE");
}

std::vector<StepSpec> stepsOf(const Params& params)
{
    std::vector<StepSpec> steps;
    for (const auto& [first, again] : {std::pair(Op::FirstSum, Op::Sum), std::pair(Op::FirstTop, Op::Top)}) {
        steps.push_back({OpId(first), 1});
        steps.push_back({OpId(again), params.rounds});
    }
    return steps;
}

class ColumnTypesWorkload final : public Workload
{
public:
    ColumnTypesWorkload()
    {
        m_info.id = "column_types";
        m_info.name = "Column types";
        m_info.purpose = WorkloadPurpose::Reads;
        m_info.summary = "Sums over a column: what its type and its compressibility are worth";
        m_info.description =
            "One user adds up a column of a large table, all of it and by period, several times each. The number is "
            "stored in four types, of which the queries read one, and may compress very well, somewhat or poorly. "
            "Every answer is checked. The post had 386 million rows; the default of a million fits any cache and "
            "takes about 80 MB before compression.";
        m_info.source = "Percona's post on column types in ClickHouse, 2019; rows of our own";
        m_info.options = options();
        m_info.operations = {
            {"first_sum", OpClass::Read}, {"sum", OpClass::Read}, {"first_top", OpClass::Read}, {"top", OpClass::Read}};
        m_info.steps = true;
        m_info.appends = true;
    }

    [[nodiscard]] const WorkloadInfo& info() const override { return m_info; }

    [[nodiscard]] Expected<std::shared_ptr<const WorkloadInstance>>
    bind(const Settings& settings, const DriverInfo& driver, const Settings& tableKnobs) const override
    {
        auto suffix = tableSuffix(driver.sql, DataModel::Sql, tableKnobs, "KEY (period_start)");
        if (!suffix)
            return tl::unexpected(suffix.error());
        const Params params = parse(settings);
        if (const std::int64_t most = params.months * kMonth; params.periods > most)
            return fail({ErrorKind::BadInput,
                         fmt::format("{} periods do not fit into {} × 30 days: a period has at least a second",
                                     params.periods, params.months),
                         "workload.periods", fmt::format("set more months, or at most {} periods", most)});
        return std::make_shared<const ColumnTypesInstance>(params, driver, *suffix);
    }

private:
    WorkloadInfo m_info;
};

} // namespace

OptionSpecs options()
{
    return {
        ofData(integerOption("rows", "Rows", "Rows of the table. The post had 386 478 308.", 1'000'000, "rows", 1, 1e9,
                             "")),
        ofData(choiceOption(
            "values", "Values",
            "How well the numbers compress. very: all are 1. somewhat: uniform from 1 to 1000. poorly: uniform from 1 "
            "to 1 000 000.",
            "very", {"very", "somewhat", "poorly"}, "")),
        choiceOption("type", "Type",
                     "Of the column that the queries add up. The table has the number in all four types; a server "
                     "without unsigned or short types has the next larger one.",
                     "uint32", {"uint32", "uint64", "float32", "float64"}, ""),
        integerOption("rounds", "Rounds",
                      "How often each query is asked after its first time, which is an operation of its own: it may "
                      "read from disk what the others find in memory.",
                      10, "queries", 1, 1e6, ""),
        ofData(integerOption("periods", "Periods",
                             "Different start times of the rows, which Q2 groups by. At most one for each row.", 10'000,
                             "periods", 1, 1e7, kData)),
        ofData(integerOption("months", "Months",
                             "Number of 30-day months that the periods are spread over. A table partitioned by month "
                             "has about as many partitions.",
                             1, "months", 1, 120, kData)),
    };
}

Params parse(const Settings& settings)
{
    Params params;
    params.rows = integerOf(settings, "rows", params.rows);
    const std::string values = textOf(settings, "values");
    params.largest = values == "poorly" ? 1'000'000 : values == "somewhat" ? 1000 : 1;
    params.periods = std::min(params.rows, integerOf(settings, "periods", params.periods));
    params.months = integerOf(settings, "months", params.months);
    const std::string type = textOf(settings, "type");
    params.type = type == "uint64"    ? NumberType::UInt64
                  : type == "float32" ? NumberType::Float32
                  : type == "float64" ? NumberType::Float64
                                      : NumberType::UInt32;
    params.rounds = int(integerOf(settings, "rounds", params.rounds));
    return params;
}

//! Each query goes through all rows: the sum through one column, the sums by period through that of the periods too.
//! Where rows are stored whole it reads their other columns as well, and a type may be wider than the one asked for.
std::vector<OperationReads> readsOf(const Settings& settings, bool columns)
{
    const Params params = parse(settings);
    const auto rows = double(params.rows);
    const bool wide = params.type == NumberType::UInt64 || params.type == NumberType::Float64;
    const double sum = columns ? rows * (wide ? 8 : 4) : 0, top = columns ? sum + rows * 4 : 0;
    return {{"first_sum", rows, sum}, {"sum", rows, sum}, {"first_top", rows, top}, {"top", rows, top}};
}

ColumnTypesInstance::ColumnTypesInstance(const Params& params, const DriverInfo& driver, const std::string& suffix)
    : StepsInstance(stepsOf(params))
    , m_params(params)
    , m_sql(driver.sql)
    , m_sizes(*driver.sizes)
    , m_transactions(!driver.appendsOnly)
{
    m_table.name = "column_types";
    m_table.columns = {"digest", "db_server", "db_username", "db_schema", "client_host", "period_start"};
    std::string numbers;
    for (std::size_t i = 0; i < kTypes; ++i) {
        m_table.columns.emplace_back(kColumns[i]);
        numbers += fmt::format(", {} {} NOT NULL", kColumns[i], typeName(m_sql, NumberType(i)));
    }
    // Where keys are not unique they say how rows are sorted. Elsewhere two rows may have the same dimensions: no key.
    const char* const key = driver.appendsOnly
                                ? ", PRIMARY KEY (digest, db_server, db_username, db_schema, client_host, period_start)"
                                : "";
    m_table.create = m_sql.createTable(fmt::format("CREATE TABLE column_types (digest CHAR(16) NOT NULL, "
                                                   "db_server VARCHAR(16) NOT NULL, db_username VARCHAR(16) NOT NULL, "
                                                   "db_schema VARCHAR(16) NOT NULL, client_host VARCHAR(16) NOT NULL, "
                                                   "period_start {} NOT NULL{}{})",
                                                   m_sql.unsignedInteger, numbers, key)) +
                     suffix;
    m_table.rows = m_params.rows;
    m_table.rowsPerSlice = kInsertBatch * (m_sql.loadsPrepared ? 40 : 4);
    m_table.bulkRowsPerSlice = m_sql.loadsPrepared ? 0 : kBulkRows;

    const char* const column = kColumns[std::size_t(m_params.type)];
    // What keeps rows whole may add up REAL in 4 bytes, which holds no sum above 2^24 exactly: it is widened for that.
    // A store of columns is measured for what it does with the type itself, and adds it up in 8 bytes.
    const bool widened = m_params.type == NumberType::Float32 && !driver.appendsOnly;
    const std::string sum = fmt::format("SUM({}{})", column, widened ? " + 0e0" : "");
    StatementSpec all, top;
    all.text = fmt::format("SELECT {} FROM column_types", sum);
    top.text = fmt::format("SELECT period_start, {} AS total FROM column_types GROUP BY period_start ORDER BY total "
                           "DESC LIMIT 10",
                           sum);
    for (StatementSpec* query : {&all, &top}) {
        query->returnsRows = true;
        query->keep = Keep::All;
        m_statements.push_back(*query);
    }
}

StatementSpec ColumnTypesInstance::insert(std::int64_t rows) const
{
    using enum Param::Type;
    StatementSpec spec;
    const std::vector<std::string> one(std::size_t(rows), "(?,?,?,?,?,?,?,?,?,?)");
    spec.text = fmt::format("INSERT INTO {} ({}) VALUES {}", m_table.name, fmt::join(m_table.columns, ","),
                            fmt::join(one, ","));
    for (std::int64_t row = 0; row < rows; ++row) {
        for (const Param::Type type : {Text, Text, Text, Text, Text, Integer, Integer, Integer, Real, Real})
            spec.parameters.push_back(type);
    }
    return spec;
}

StatementSet ColumnTypesInstance::loaderStatements() const
{
    StatementSet all = m_statements;
    all.push_back(insert(1));
    all.push_back(insert(kInsertBatch));
    return all;
}

bool ColumnTypesInstance::makeReady(Use use, const std::function<bool()>& goOn, std::uint64_t seed) const
{
    const std::lock_guard lock(m_making);
    if (use != Use::Run || (m_answers && m_seed == seed))
        return true;
    m_answers = answersOf(m_params, seed, goOn);
    m_seed = seed;
    return m_answers.has_value();
}

std::vector<DataCheck> ColumnTypesInstance::checks() const
{
    std::string other;
    for (std::size_t i = 1; i < kTypes; ++i)
        other += fmt::format("{}{} <> {}", i > 1 ? " OR " : "", kColumns[i], kColumns[0]);
    return {
        {"all rows of the load are there", fmt::format("SELECT abs(COUNT(*) - {}) FROM column_types", m_params.rows)},
        {"each type has the same number", fmt::format("SELECT COUNT(*) FROM column_types WHERE {}", other)},
        {"numbers lie in their range",
         fmt::format("SELECT COUNT(*) FROM column_types WHERE {0} < 1 OR {0} > {1}", kColumns[0], m_params.largest)}};
}

std::uint64_t ColumnTypesInstance::estimatedBytes() const
{
    const double used = m_params.largest == 1 ? 1 : m_params.largest == 1000 ? 2 : 3;
    const RowFacts facts{{textColumn("digest", 16), textColumn("db_server", 8), textColumn("db_username", 6),
                          textColumn("db_schema", 8), textColumn("client_host", 9), numberColumn("period_start", 4, 4),
                          numberColumn(kColumns[0], 4, used), numberColumn(kColumns[1], 8, used),
                          numberColumn(kColumns[2], 4, used), numberColumn(kColumns[3], 8, used)},
                         "",
                         false};
    return m_sizes.table(facts, m_params.rows);
}

void ColumnTypesInstance::appendLine(std::string& out, std::uint64_t seed, std::int64_t number) const
{
    const Row row = rowOf(m_params, seed, number);
    const auto end = std::back_inserter(out);
    out.append(row.digest.data(), row.digest.size());
    out += '\t';
    fmt::format_to(end, kServerForm, row.server);
    out += '\t';
    fmt::format_to(end, kUserForm, row.user);
    out += '\t';
    fmt::format_to(end, kSchemaForm, row.schema);
    out += '\t';
    fmt::format_to(end, kHostForm, row.host);
    fmt::format_to(end, "\t{}\t{}\t{}\t{}\t{}\n", row.period, row.number, row.number, row.number, row.number);
}

void ColumnTypesInstance::bindRows(UserContext& user, std::int64_t first, std::int64_t count) const
{
    std::string& texts = user.buffer();
    texts.clear();
    texts.reserve(std::size_t(count) * kTextsOfRow); // parameters point into it
    const auto add = [&texts, &user]<class... Args>(fmt::format_string<Args...> form, Args&&... args) {
        const std::size_t begin = texts.size();
        fmt::format_to(std::back_inserter(texts), form, std::forward<Args>(args)...);
        user.params().push_back(Param::of(std::string_view(texts).substr(begin)));
    };
    for (std::int64_t number = first; number < first + count; ++number) {
        const Row row = rowOf(m_params, user.seed(), number);
        add("{}", std::string_view(row.digest.data(), row.digest.size()));
        add(kServerForm, row.server);
        add(kUserForm, row.user);
        add(kSchemaForm, row.schema);
        add(kHostForm, row.host);
        for (const std::int64_t whole : {row.period, row.number, row.number})
            user.params().push_back(Param::of(whole));
        user.params().push_back(Param::of(double(row.number)));
        user.params().push_back(Param::of(double(row.number)));
    }
}

Task<Outcome> ColumnTypesInstance::load(UserContext& user, LoadSlice slice) const
{
    if (slice.bulk) {
        const Outcome sent = co_await loadLines(user, slice);
        co_return sent;
    }
    const bool prepared = m_sql.loadsPrepared;
    const auto one = StatementId(std::uint32_t(m_statements.size()));
    const RowInserts inserts{one, StatementId(indexOf(one) + 1), prepared ? 1 : kInsertBatch, m_transactions};
    const auto bind = [this, &user](std::int64_t first, std::int64_t count) { bindRows(user, first, count); };
    const Outcome loaded = co_await loadRows(user, slice, inserts, bind);
    co_return loaded;
}

Task<Outcome> ColumnTypesInstance::loadLines(UserContext& user, LoadSlice slice) const
{
    const std::string into = fmt::format("{} ({})", m_table.name, fmt::join(m_table.columns, ", "));
    for (std::int64_t number = slice.firstRow; number <= slice.lastRow;) {
        const std::int64_t end = std::min(slice.lastRow + 1, number + kBulkRows);
        std::string& lines = user.buffer();
        lines.clear();
        for (; number < end; ++number)
            appendLine(lines, user.seed(), number);
        const Request bulk{.kind = RequestKind::Bulk, .text = into, .value = lines};
        const Reply reply = co_await user.step(bulk);
        if (reply.outcome != Outcome::Ok)
            co_return reply.outcome;
    }
    co_return Outcome::Ok;
}

Task<Outcome> ColumnTypesInstance::runStep(UserContext& user, std::size_t step, int /*round*/) const
{
    const auto op = Op(indexOf(steps()[step].op));
    const bool sum = op == Op::FirstSum || op == Op::Sum;
    const Request request = Request::execute(StatementId(sum ? 0 : 1), {});
    const Reply reply = co_await user.step(request);
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    // A driver without data says that rows came, and keeps none.
    if (reply.rows > 0 && user.kept().rows() == 0)
        co_return Outcome::Ok;
    co_return judge(user, op);
}

Outcome ColumnTypesInstance::judge(UserContext& user, Op op) const
{
    if (op == Op::FirstSum || op == Op::Sum)
        return m_answers && user.kept().real(0, 0, -1) == m_answers->sum ? Outcome::Ok
                                                                         : user.reject(kWrongSum, kWrongSumText);
    return m_answers && rightTop(user.kept()) ? Outcome::Ok : user.reject(kWrongTop, kWrongTopText);
}

//! Periods with the same sum may come in any order, and which of them come last is open.
bool ColumnTypesInstance::rightTop(const KeptRows& rows) const
{
    if (rows.rows() != m_answers->greatest.size())
        return false;
    std::vector<std::size_t> seen;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
        const double sum = rows.real(i, 1, -1);
        const std::optional<std::size_t> period = periodAt(m_params, rows.integer(i, 0));
        if (!period || sum != m_answers->greatest[i] || sum != m_answers->byPeriod[*period] ||
            std::ranges::find(seen, *period) != seen.end())
            return false;
        seen.push_back(*period);
    }
    return true;
}

const std::vector<const Workload*>& workloads()
{
    static const ColumnTypesWorkload workload;
    static const std::vector<const Workload*> list{&workload};
    return list;
}

} // namespace dyno::columntypes
