// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/largevalues/large_values.h"

#include "workload/loading.h"
#include "workload/option_makers.h"
#include "workload/table_suffix.h"
#include "workload/ycsb/field_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace dyno::largevalues {

namespace {

constexpr std::int64_t kLargest = 8 * 1024 * 1024;
constexpr std::int64_t kMostValues = 100;

//! "data", and "data2" and so on after it.
std::string columnOf(std::size_t number)
{
    return number == 0 ? "data" : fmt::format("data{}", number + 1);
}
constexpr std::uint64_t kRowStreams = std::uint64_t(1) << 43;
constexpr std::int64_t kSliceBytes = 4 * 1024 * 1024;
const char* const kSizes = "Sizes";
const char* const kMix = "Mix";

class LargeValuesWorkload final : public Workload
{
public:
    LargeValuesWorkload()
    {
        m_info.id = "large_values";
        m_info.name = "Large values";
        m_info.purpose = WorkloadPurpose::Feature;
        m_info.summary = "Rows with long values: read whole, in part, or left where they are";
        m_info.description =
            "Rows with one long value each, or several, which is read whole, in part, or left where it is while other "
            "columns are "
            "read "
            "and changed. Shows what row formats and compression make of values larger than a page, in rates and on "
            "disk. "
            "The size of the data is rows times the mean size: 1000 rows of the log-normal 8 KiB are about 13 MB "
            "of values, and 25 MB in InnoDB, which gives a long value pages of its own.";
        m_info.source = "A workload of our own, after comparisons of row formats for BLOBs";
        m_info.options = options();
        m_info.operations = {{"read", OpClass::Read},          {"read_part", OpClass::Read},
                             {"read_other", OpClass::Read},    {"update", OpClass::Write},
                             {"update_other", OpClass::Write}, {"insert", OpClass::Write},
                             {"refused", OpClass::Write}};
    }

    [[nodiscard]] const WorkloadInfo& info() const override { return m_info; }

    [[nodiscard]] Expected<std::shared_ptr<const WorkloadInstance>>
    bind(const Settings& settings, const DriverInfo& driver, const Settings& tableKnobs) const override
    {
        const auto params = parse(settings);
        if (!params)
            return tl::unexpected(params.error());
        auto suffix = tableSuffix(driver.sql, DataModel::Sql, tableKnobs, "KEY (id)");
        if (!suffix)
            return tl::unexpected(suffix.error());
        return std::make_shared<const LargeValuesInstance>(*params, driver, *suffix);
    }

private:
    WorkloadInfo m_info;
};

OptionSpec weight(const char* name, const char* label, const char* help, std::int64_t value)
{
    return integerOption(name, label, help, value, "", 0, 1e6, kMix);
}

} // namespace

OptionSpecs options()
{
    return {
        ofData(integerOption("rows", "Rows",
                             "Rows that the load makes. 0: the table begins empty, and all transactions insert; a row "
                             "that is too large for the engine is counted as refused then, and is no error.",
                             1000, "rows", 0, 1e9, "")),
        ofData(integerOption("values", "Values of a row",
                             "Long values in each row, all of the same length, in columns of their own.", 1, "values",
                             1, double(kMostValues), "")),
        ofData(choiceOption("size_distribution", "Sizes of values",
                            "constant: all are `size`. uniform: all sizes from size_min to size_max alike. lognormal: "
                            "half are above `size`, "
                            "some far above, within the limits.",
                            "lognormal", {"constant", "uniform", "lognormal"}, "")),
        ofData(integerOption("size", "Size", "Of a value; the median of log-normal ones.", 8192, "bytes", 1,
                             double(kLargest), "")),
        ofData(integerOption("size_min", "Smallest", "uniform and lognormal: no value is smaller.", 64, "bytes", 1,
                             double(kLargest), kSizes)),
        ofData(integerOption("size_max", "Largest", "uniform and lognormal: no value is larger.", 1'000'000, "bytes", 1,
                             double(kLargest), kSizes)),
        ofData(realOption("sigma", "Spread", "lognormal: standard deviation of the logarithm of the size.", 1, "", 0, 4,
                          kSizes)),
        ofData(realOption("random_share", "Random part",
                          "Percentage of a value that is random characters, the rest repeats a motif: how well it "
                          "compresses. Random and motif "
                          "take turns every 256 bytes.",
                          50, "%", 0, 100, "")),
        integerOption("part", "Part",
                      "Bytes that a partial read fetches, from a random place in the value; a shorter value whole.",
                      1000, "bytes", 1, double(kLargest), ""),
        weight("read", "Read the value", "Share of the transactions that fetch a value whole.", 30),
        weight("read_part", "Read a part", "Share of those that fetch a part of a value.", 30),
        weight("read_other", "Read other columns", "Share of those that read the row without its value.", 20),
        weight("update", "Change the value", "Share of those that replace a value by one of another size.", 10),
        weight("update_other", "Change other columns", "Share of those that change the row but not its value.", 5),
        weight("insert", "Insert", "Share of those that add a row.", 5),
    };
}

Expected<Params> parse(const Settings& settings)
{
    Params params;
    params.rows = integerOf(settings, "rows", params.rows);
    params.values = std::size_t(integerOf(settings, "values", 1));
    const std::string sizes = textOf(settings, "size_distribution");
    params.sizes = sizes == "constant" ? Sizes::Constant : sizes == "uniform" ? Sizes::Uniform : Sizes::LogNormal;
    params.size = integerOf(settings, "size", params.size);
    params.least = integerOf(settings, "size_min", params.least);
    params.most = integerOf(settings, "size_max", params.most);
    params.sigma = realOf(settings, "sigma", params.sigma);
    params.randomBytes = std::size_t(realOf(settings, "random_share", 50) * double(kChunk) / 100);
    params.part = integerOf(settings, "part", params.part);
    constexpr std::array<const char*, kOps> kNames{"read",   "read_part",    "read_other",
                                                   "update", "update_other", "insert"};
    for (std::size_t i = 0; i < kOps; ++i)
        params.weights[i] = integerOf(settings, kNames[i]);
    if (std::accumulate(params.weights.begin(), params.weights.end(), std::int64_t(0)) == 0)
        return wrongParameter("no kind of transaction has a share", "read",
                              "give at least one of them a number above 0");
    const std::int64_t others = std::accumulate(params.weights.begin(), params.weights.end(), std::int64_t(0)) -
                                params.weights[std::size_t(Op::Insert)];
    if (params.rows == 0 && others > 0)
        return wrongParameter("a table that begins empty has nothing to read or to change", "rows",
                              "use 1 or more, or give all kinds of transactions but the insert the share 0");
    if (params.sizes != Sizes::Constant && params.least > params.most)
        return wrongParameter(fmt::format("the smallest size, {}, is above the largest, {}", params.least, params.most),
                              "size_min", "make it smaller, or size_max larger");
    if (params.sizes == Sizes::LogNormal && (params.size < params.least || params.size > params.most))
        return wrongParameter("the median lies outside the limits", "size", "choose it between size_min and size_max");
    return params;
}

LargeValuesInstance::LargeValuesInstance(const Params& params, const DriverInfo& driver, const std::string& suffix)
    : m_params(params)
    , m_sql(driver.sql)
    , m_sizes(*driver.sizes)
    , m_logNormal(double(params.size), params.sigma, params.least, params.most)
    , m_allWeights(std::accumulate(params.weights.begin(), params.weights.end(), std::int64_t(0)))
{
    Random fixed(4711); // the same motif in every run
    (void)ycsb::writeFieldText(m_motif.data(), m_motif.size(), fixed);
    m_table.name = "large_values";
    m_table.columns = {"id", "version", "size"};
    std::string values;
    for (std::size_t i = 0; i < m_params.values; ++i) {
        m_table.columns.push_back(columnOf(i));
        values += fmt::format(", {} {} NOT NULL", columnOf(i), m_sql.longBytes);
    }
    const bool rowId = m_sql.keyIsRowId;
    m_table.create =
        fmt::format("CREATE TABLE large_values (id {}, version INTEGER NOT NULL, size INTEGER NOT NULL{}{}){}",
                    rowId ? "INTEGER PRIMARY KEY NOT NULL" : "BIGINT NOT NULL" + m_sql.autoIncrement, values,
                    rowId ? "" : ", PRIMARY KEY (id)", suffix);
    m_table.rows = m_params.rows;
    countOn(m_table, m_sql, "id");
    m_table.freshEachRun = m_params.weights[std::size_t(Op::Insert)] > 0;
    m_table.rowsPerSlice =
        std::clamp<std::int64_t>(std::int64_t(double(kSliceBytes) / meanSize() / double(m_params.values)), 1, 1000);
}

double LargeValuesInstance::meanSize() const
{
    switch (m_params.sizes) {
    case Sizes::Constant:
        return double(m_params.size);
    case Sizes::Uniform:
        return double(m_params.least + m_params.most) / 2;
    case Sizes::LogNormal:
        break;
    }
    return std::min(m_logNormal.mean(), double(m_params.most));
}

StatementSet LargeValuesInstance::statements() const
{
    using enum Param::Type;
    const std::string value = fmt::format(fmt::runtime(m_sql.bytesOf), "?");
    std::string columns, changes, marks;
    for (std::size_t i = 0; i < m_params.values; ++i) {
        columns += (i > 0 ? ", " : "") + columnOf(i);
        changes += fmt::format(", {}={}", columnOf(i), value);
        marks += ", " + value;
    }
    std::vector<Param::Type> change{Integer}, row{Integer};
    for (std::vector<Param::Type>* types : {&change, &row})
        types->insert(types->end(), m_params.values, Text);
    change.push_back(Integer);
    return {{fmt::format("SELECT {} FROM large_values WHERE id=?", columns), {Integer}, true},
            {"SELECT SUBSTR(data, 1 + CASE WHEN size > ? THEN (size - ?) * ? / 1000 ELSE 0 END, ?) FROM large_values "
             "WHERE id=?",
             {Integer, Integer, Integer, Integer, Integer},
             true},
            {"SELECT version, size FROM large_values WHERE id=?", {Integer}, true},
            {fmt::format("UPDATE large_values SET size=?{} WHERE id=?", changes), change},
            {"UPDATE large_values SET version=version+1 WHERE id=?", {Integer}},
            {fmt::format("INSERT INTO large_values (version, size, {}) VALUES (0, ?{})", columns, marks), row}};
}

StatementSet LargeValuesInstance::loaderStatements() const
{
    using enum Param::Type;
    StatementSet all = statements();
    const std::string value = fmt::format(fmt::runtime(m_sql.bytesOf), "?");
    std::string columns, marks;
    std::vector<Param::Type> types{Integer, Integer};
    for (std::size_t i = 0; i < m_params.values; ++i) {
        columns += ", " + columnOf(i);
        marks += ", " + value;
        types.push_back(Text);
    }
    all.push_back(
        {fmt::format("INSERT INTO large_values (id, version, size{}) VALUES (?, 0, ?{})", columns, marks), types});
    return all;
}

std::vector<DataCheck> LargeValuesInstance::checks() const
{
    std::string lengths;
    for (std::size_t i = 0; i < m_params.values; ++i)
        lengths += fmt::format("{}LENGTH({}) <> size", i > 0 ? " OR " : "", columnOf(i));
    return {{"each value is as long as its row says", "SELECT COUNT(*) FROM large_values WHERE " + lengths},
            {"no row of the load is missing",
             fmt::format("SELECT {} - COUNT(*) FROM large_values WHERE id <= {}", m_params.rows, m_params.rows)}};
}

double LargeValuesInstance::meanRow() const
{
    constexpr int kDraws = 2000;
    Random fixed(4711);
    RowFacts facts{
        {numberColumn("id", 4, 3), numberColumn("version", 4, 1), numberColumn("size", 4, 2), textColumn("data", 0)},
        "id",
        true};
    double sum = 0;
    for (std::size_t i = 1; i < m_params.values; ++i)
        facts.columns.push_back(textColumn(columnOf(i), 0));
    for (int i = 0; i < kDraws; ++i) {
        const auto size = double(drawSize(fixed));
        for (ColumnFacts& column : facts.columns)
            if (column.text)
                column.width = column.used = size;
        sum += m_sizes.row(facts);
    }
    return sum / kDraws;
}

std::uint64_t LargeValuesInstance::estimatedBytes() const
{
    return m_sizes.file(double(m_params.rows) * meanRow());
}

Growth LargeValuesInstance::growth() const
{
    const auto weight = [this](Op op) { return double(m_params.weights[std::size_t(op)]) / double(m_allWeights); };
    const double rows = weight(Op::Update) + weight(Op::UpdateOther) + weight(Op::Insert);
    return weight(Op::Insert) > 0 ? Growth{meanRow() * weight(Op::Insert) / rows, rows} : Growth();
}

std::int64_t LargeValuesInstance::drawSize(Random& random) const
{
    switch (m_params.sizes) {
    case Sizes::Constant:
        return m_params.size;
    case Sizes::Uniform:
        return random.uniform(m_params.least, m_params.most);
    case Sizes::LogNormal:
        break;
    }
    return m_logNormal.draw(random);
}

char* LargeValuesInstance::writeValue(char* out, std::size_t length, Random& random) const
{
    while (length > 0) {
        const std::size_t chunk = std::min(length, kChunk), fresh = std::min(chunk, m_params.randomBytes);
        out = ycsb::writeFieldText(out, fresh, random);
        out = std::copy_n(m_motif.data(), chunk - fresh, out);
        length -= chunk;
    }
    return out;
}

std::string_view LargeValuesInstance::drawValues(UserContext& user, Random& random) const
{
    const auto each = static_cast<std::size_t>(drawSize(random)), size = each * m_params.values;
    std::string& buffer = user.buffer();
    if (buffer.size() < size) {
        const auto longest = std::size_t(m_params.sizes == Sizes::Constant ? m_params.size : m_params.most);
        buffer.reserve(longest * m_params.values); // once: pages come as they are used
        buffer.resize(size);
    }
    char* out = buffer.data();
    for (std::size_t i = 0; i < m_params.values; ++i)
        out = writeValue(out, each, random);
    return {buffer.data(), size};
}

Task<Outcome> LargeValuesInstance::load(UserContext& user, LoadSlice slice) const
{
    const auto bind = [this, &user](std::int64_t id, std::int64_t /*one*/) {
        Random random = Random::forItem(user.seed(), kRowStreams, std::uint64_t(id));
        const std::string_view values = drawValues(user, random);
        user.params().push_back(Param::of(id));
        user.params().push_back(Param::of(std::int64_t(values.size() / m_params.values)));
        for (std::size_t i = 0; i < m_params.values; ++i)
            user.params().push_back(Param::of(valueOf(values, i)));
    };
    const Outcome loaded = co_await loadRows(user, slice, RowInserts{.one = StatementId(kOps)}, bind);
    co_return loaded;
}

//! An insert, or a row that is refused for its size: both are what was asked.
Task<Outcome> LargeValuesInstance::tryRow(UserContext& user) const
{
    const Request request = Request::execute(StatementId(std::size_t(Op::Insert)), user.params());
    const std::int64_t startNs = nowNs();
    const Reply reply = co_await user.step(request);
    const bool refused = reply.outcome == Outcome::Rejected &&
                         std::ranges::find(m_sql.rowTooLarge, reply.code) != m_sql.rowTooLarge.end();
    const Outcome outcome = refused ? Outcome::Ok : reply.outcome;
    user.recordOperation(OpId(refused ? Op::Refused : Op::Insert), std::uint64_t(nowNs() - startNs),
                         outcome == Outcome::Ok);
    user.countRows(reply.affected);
    co_return outcome;
}

Task<Outcome> LargeValuesInstance::transaction(UserContext& user) const
{
    Random& random = user.random();
    std::int64_t left = random.uniform(0, m_allWeights - 1);
    std::size_t kind = 0;
    while (left >= m_params.weights[kind])
        left -= m_params.weights[kind++];
    const Param id = Param::of(random.uniform(1, std::max<std::int64_t>(1, m_params.rows)));
    std::vector<Param>& params = user.params();
    params.clear();
    if (Op(kind) == Op::ReadPart) {
        const Param part = Param::of(m_params.part);
        params.insert(params.end(), {part, part, Param::of(random.uniform(0, 1000)), part}); // all within the value
    } else if (Op(kind) == Op::Update || Op(kind) == Op::Insert) {
        const std::string_view values = drawValues(user, random);
        params.push_back(Param::of(std::int64_t(values.size() / m_params.values)));
        for (std::size_t i = 0; i < m_params.values; ++i)
            params.push_back(Param::of(valueOf(values, i)));
    }
    if (Op(kind) != Op::Insert)
        params.push_back(id);
    if (m_params.rows == 0) { // all are inserts
        const Outcome tried = co_await tryRow(user);
        co_return tried;
    }
    const Request request = Request::execute(StatementId(kind), params);
    const Reply reply = co_await user.execute(OpId(kind), request);
    co_return reply.outcome;
}

const std::vector<const Workload*>& workloads()
{
    static const LargeValuesWorkload workload;
    static const std::vector<const Workload*> list{&workload};
    return list;
}

} // namespace dyno::largevalues
