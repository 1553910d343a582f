// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/vectors/vector_search.h"

#include "workload/loading.h"
#include "workload/option_makers.h"
#include "workload/table_suffix.h"
#include "workload/vectors/vector_file.h"
#include <dyno/runner.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dyno::vectors {

namespace {

constexpr std::int32_t kNoVectors = -1, kOtherVectors = -2;
constexpr const char* kOtherVectorsText =
    "a distance is not that of these vectors: the table holds others, so load it again (--existing rebuild)";
constexpr const char* kCutText = "the file of vectors cannot be read any more";
constexpr double kWorthKeepingSeconds = 1;
constexpr int kMostCompared = 16; //!< answers of a run that are compared with the vectors themselves
constexpr std::int64_t kMostQueryNumbers = std::int64_t(1) << 31, kGoOnQueries = 256;
constexpr std::int64_t kBulkBytes = 8'000'000, kStatementVectorBytes = 1'000'000;
constexpr std::int64_t kNumberText = 5; //!< usual bytes of a number with its comma: "123," or "0.25,"
constexpr float kUsualNumber = 0.123456789F;
const char* const kOfIndex = "Index";
const char* const kOfFile = "File";
constexpr const char* kReadsFile = "read a file of yours and send the numbers in it to the target";

OptionSpec fileOption(std::string name, std::string label, std::string help)
{
    OptionSpec option = textOption(std::move(name), std::move(label), std::move(help), "", kOfFile);
    option.risk = kReadsFile;
    return option;
}

//! Whether a distance that a server told, in numbers of 4 bytes, is not this one. Not a number tells nothing.
bool isOther(double told, double distance)
{
    constexpr double kRelative = 1e-3, kAbsolute = 1e-5;
    return std::abs(told - distance) > kRelative * std::abs(distance) + kAbsolute;
}

//! Not a number where there is none, or the vectors cannot be read.
double distanceOf(const VectorSets& sets, VectorMetric metric, std::int64_t query, std::int64_t row)
{
    std::vector<float> a(std::size_t(sets.rows->dimension())), b(a.size());
    if (row < 0 || row >= sets.rows->size() || !sets.queries->read(query, a) || !sets.rows->read(row, b))
        return std::numeric_limits<double>::quiet_NaN();
    double difference = 0, product = 0, squareA = 0, squareB = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference += (double(a[i]) - double(b[i])) * (double(a[i]) - double(b[i]));
        product += double(a[i]) * double(b[i]);
        squareA += double(a[i]) * double(a[i]);
        squareB += double(b[i]) * double(b[i]);
    }
    return metric == VectorMetric::Euclidean ? std::sqrt(difference) : 1 - product / std::sqrt(squareA * squareB);
}

class VectorSearchWorkload final : public Workload
{
public:
    VectorSearchWorkload()
    {
        m_info.id = "vector_search";
        m_info.name = "Vector search";
        m_info.purpose = WorkloadPurpose::Feature;
        m_info.summary = "Searches for the nearest vectors: recall of an index and its speed";
        m_info.description =
            "Users ask a table for the vectors that are nearest to another one. Each answer is compared with the exact "
            "neighbours, which are worked out before the run, so the result has the share that the index finds "
            "(recall) beside its searches a second, the time to make it and its size. The vectors are made by seed "
            "around centres, or read from a file. 20 000 vectors of 128 numbers take about 12 MB, and their index as "
            "much again.";
        m_info.source = "ann-benchmarks; the data set fashion-mnist-784-euclidean has 60 000 vectors of 784 numbers";
        m_info.options = options();
        m_info.operations = {{"search", OpClass::Read}};
        m_info.vectors = true;
    }

    [[nodiscard]] const WorkloadInfo& info() const override { return m_info; }

    [[nodiscard]] Expected<std::shared_ptr<const WorkloadInstance>>
    bind(const Settings& settings, const DriverInfo& driver, const Settings& tableKnobs) const override
    {
        const Params params = parse(settings);
        const VectorDialect& sql = driver.sql.vectors;
        if (sql.type.empty())
            return fail({ErrorKind::BadInput, fmt::format("{} has no vectors", driver.name), "target.uri",
                         "use a target that `dyno workloads vector_search` lists"});
        if (params.file.empty() && !params.queryFile.empty())
            return wrongParameter("queries come from a file, and vectors do not", "query_file",
                                  "set workload.file too, or leave both empty");
        if (params.index.kind != VectorIndexKind::None) {
            const std::string kind = textOf(settings, "index");
            VectorIndex usual;
            usual.kind = params.index.kind;
            if (!sql.index || sql.index(usual).empty())
                return wrongParameter(fmt::format("{} has no vector index {}", driver.name, kind), "index",
                                      "use another kind of index");
            if (sql.index(params.index).empty())
                return wrongParameter(fmt::format("{} has no vector index {} with m = {} and ef_construction = {}",
                                                  driver.name, kind, params.index.m, params.index.efConstruction),
                                      "m", "use 3 to 100, and an ef_construction of at least 2 × m");
            if (params.shape.dimension > sql.mostIndexed)
                return wrongParameter(
                    fmt::format("an index of {} takes vectors of at most {} numbers", driver.name, sql.mostIndexed),
                    "dimension", "use fewer, or index = none");
            if (integerOf(tableKnobs, "partitions") > 0)
                return fail({ErrorKind::BadInput, "partitioned tables have no vector indexes", "table.partitions",
                             "set it to 0"});
        }
        if (params.shape.queries > kMostQueryNumbers / params.shape.dimension)
            return wrongParameter(fmt::format("{} queries of {} numbers are too many to be kept in memory",
                                              params.shape.queries, params.shape.dimension),
                                  "queries", fmt::format("use at most {}", kMostQueryNumbers / params.shape.dimension));
        auto suffix = tableSuffix(driver.sql, DataModel::Sql, tableKnobs, "KEY (id)");
        if (!suffix)
            return tl::unexpected(suffix.error());
        return std::make_shared<const VectorSearchInstance>(params, driver, *suffix);
    }

private:
    WorkloadInfo m_info;
};

} // namespace

OptionSpecs options()
{
    return {
        ofData(integerOption("vectors", "Vectors", "Vectors in the table. fashion-mnist has 60 000.", 20'000, "vectors",
                             1, 1e9, "")),
        ofData(integerOption("dimension", "Dimensions", "Numbers of a vector. fashion-mnist has 784.", 128, "numbers",
                             1, 16'000, "")),
        ofData(integerOption("clusters", "Clusters",
                             "Centres that vectors are made around. The more there are, the fewer vectors are near "
                             "each other. Of no effect with a file.",
                             10, "clusters", 1, 1000, "")),
        integerOption("queries", "Queries",
                      "Different vectors that are searched for; users draw one each time. fashion-mnist has 10 000.",
                      1000, "queries", 1, 1e6, ""),
        integerOption("k", "Neighbours", "Nearest vectors that a search fetches.", 10, "vectors", 1, 10'000, ""),
        ofData(choiceOption("metric", "Metric",
                            "euclidean: the length of the difference. cosine: one minus the cosine of the angle.",
                            "euclidean", {"euclidean", "cosine"}, "")),
        ofData(choiceOption("index", "Index",
                            "none: a search compares all vectors, so its recall is 1. hnsw: a graph of neighbours in "
                            "layers. ivfflat: lists of vectors around centres. With an index, searches use it even "
                            "where the server would rather read all rows.",
                            "hnsw", {"none", "hnsw", "ivfflat"}, kOfIndex)),
        ofData(
            integerOption("m", "Links (M)", "Of hnsw: links of a vector in a layer.", 16, "links", 2, 200, kOfIndex)),
        ofData(integerOption("ef_construction", "Candidates while it is made (ef_construction)",
                             "Of hnsw, where the server has it: candidates for the links of a vector; at least 2 × M.",
                             64, "vectors", 4, 1000, kOfIndex)),
        integerOption("ef_search", "Candidates of a search (ef_search)",
                      "Of hnsw: more find more of the neighbours and take longer. At least as many as neighbours.", 40,
                      "vectors", 1, 1000, kOfIndex),
        ofData(integerOption("lists", "Lists", "Of ivfflat: centres whose lists the vectors are in.", 100, "lists", 1,
                             32'768, kOfIndex)),
        integerOption(
            "probes", "Lists of a search (probes)",
            "Of ivfflat: nearest lists that a search reads. More find more of the neighbours and take longer.", 1,
            "lists", 1, 32'768, kOfIndex),
        ofData(fileOption("file", "File of vectors",
                          "A file of the format fvecs or HDF5 (as ann-benchmarks has it: its set \"train\"); its first "
                          "vectors are loaded, as many as `vectors` says. Empty: vectors are made by seed.")),
        ofData(fileOption("query_file", "File of queries",
                          "A file of the format fvecs or HDF5 (its set \"test\") whose first vectors are searched for. "
                          "Empty: the set \"test\" of the file of vectors, or those that follow the loaded ones.")),
    };
}

Params parse(const Settings& settings)
{
    Params params;
    params.shape.rows = integerOf(settings, "vectors", 20'000);
    params.shape.dimension = int(integerOf(settings, "dimension", params.shape.dimension));
    params.shape.clusters = int(integerOf(settings, "clusters", params.shape.clusters));
    params.shape.queries = integerOf(settings, "queries", 1000);
    params.k = integerOf(settings, "k", params.k);
    VectorIndex& index = params.index;
    index.table = "vector_data";
    index.column = "embedding";
    index.metric = textOf(settings, "metric") == "cosine" ? VectorMetric::Cosine : VectorMetric::Euclidean;
    const std::string kind = textOf(settings, "index");
    index.kind = kind == "ivfflat" ? VectorIndexKind::IvfFlat
                 : kind == "none"  ? VectorIndexKind::None
                                   : VectorIndexKind::Hnsw;
    index.m = integerOf(settings, "m", index.m);
    index.efConstruction = integerOf(settings, "ef_construction", index.efConstruction);
    index.efSearch = integerOf(settings, "ef_search", index.efSearch);
    index.lists = integerOf(settings, "lists", index.lists);
    index.probes = integerOf(settings, "probes", index.probes);
    params.file = textOf(settings, "file");
    params.queryFile = textOf(settings, "query_file");
    return params;
}

VectorSearchInstance::VectorSearchInstance(const Params& params, const DriverInfo& driver, const std::string& suffix)
    : m_params(params)
    , m_sql(driver.sql)
    , m_sizes(*driver.sizes)
{
    const VectorDialect& sql = m_sql.vectors;
    const VectorIndex& index = m_params.index;
    const bool indexed = index.kind != VectorIndexKind::None;
    const std::int64_t rowText = kNumberText * m_params.shape.dimension;
    m_table.name = index.table;
    m_table.columns = {"id", index.column};
    m_table.create =
        fmt::format("CREATE TABLE {} (id INTEGER NOT NULL, {} {} NOT NULL, PRIMARY KEY (id)){}", index.table,
                    index.column, fmt::format(fmt::runtime(sql.type), m_params.shape.dimension), suffix);
    if (indexed)
        m_table.afterLoad.push_back(sql.index(index));
    m_table.rows = m_params.shape.rows;
    m_table.rowsPerSlice = std::clamp<std::int64_t>(kStatementVectorBytes / rowText, 1, 100);
    m_table.bulkRowsPerSlice = sql.textIsValue ? std::clamp<std::int64_t>(kBulkBytes / rowText, 1, 50'000) : 0;

    const std::string& phrase = index.metric == VectorMetric::Cosine ? sql.cosine : sql.euclidean;
    const std::string use = indexed && !m_sql.useIndex.empty()
                                ? fmt::format(fmt::runtime(m_sql.useIndex), index.table + "_" + index.column)
                                : std::string();
    m_search.text =
        fmt::format("SELECT id, {} AS distance FROM {}{} ORDER BY distance LIMIT {}",
                    fmt::format(fmt::runtime(phrase), index.column, fmt::format(fmt::runtime(sql.value), "?")),
                    index.table, use, m_params.k);
    m_search.parameters = {Param::Type::Text};
    m_search.returnsRows = true;
    m_search.keep = Keep::All;
    appendVector(m_usual, std::vector<float>(std::size_t(m_params.shape.dimension), kUsualNumber));
}

StatementSpec VectorSearchInstance::insert(std::int64_t rows) const
{
    const std::string one = fmt::format("(?,{})", fmt::format(fmt::runtime(m_sql.vectors.value), "?"));
    StatementSpec spec;
    spec.text = fmt::format("INSERT INTO {} ({}) VALUES {}", m_table.name, fmt::join(m_table.columns, ","),
                            fmt::join(std::vector<std::string>(std::size_t(rows), one), ","));
    for (std::int64_t row = 0; row < rows; ++row) {
        spec.parameters.push_back(Param::Type::Integer);
        spec.parameters.push_back(Param::Type::Text);
    }
    return spec;
}

StatementSet VectorSearchInstance::loaderStatements() const
{
    return {m_search, insert(1), insert(m_table.rowsPerSlice)};
}

Settings VectorSearchInstance::sessionVariables() const
{
    return m_params.index.kind == VectorIndexKind::None ? Settings() : m_sql.vectors.session(m_params.index);
}

//! The rows and queries of the files, or those of this seed.
Expected<VectorSets> VectorSearchInstance::setsOf(std::uint64_t seed, const std::function<bool()>& goOn) const
{
    const ClusterShape& shape = m_params.shape;
    if (m_params.file.empty())
        return clusteredVectors(shape, seed);
    const auto opened = [&](const std::string& path, VectorSet set, const char* option) -> Expected<VectorSourcePtr> {
        auto file = openVectors(path, set, goOn);
        if (!file)
            file.error().where = fmt::format("workload.{}", option);
        if (file && (*file)->dimension() != shape.dimension)
            return wrongParameter(fmt::format("{} has vectors of {} numbers, and {} are wanted", path,
                                              (*file)->dimension(), shape.dimension),
                                  "dimension", fmt::format("set it to {}", (*file)->dimension()));
        return file;
    };
    const auto fits = [](const std::string& path, const VectorSource& file, std::int64_t wanted,
                         const char* option) -> Expected<void> {
        if (file.size() >= wanted)
            return {};
        return wrongParameter(fmt::format("{} holds {} vectors, and {} are wanted", path, file.size(), wanted), option,
                              "use fewer vectors or queries, or another file");
    };
    auto file = opened(m_params.file, VectorSet::Rows, "file");
    if (!file)
        return tl::unexpected(file.error());
    const bool follow = m_params.queryFile.empty() && !hasBothSets(m_params.file);
    if (auto enough = fits(m_params.file, **file, shape.rows + (follow ? shape.queries : 0), "vectors"); !enough)
        return tl::unexpected(enough.error());
    if (follow)
        return VectorSets{partOf(*file, 0, shape.rows), partOf(*file, shape.rows, shape.queries)};
    const std::string& queryFile = m_params.queryFile.empty() ? m_params.file : m_params.queryFile;
    auto queries = opened(queryFile, VectorSet::Queries, m_params.queryFile.empty() ? "file" : "query_file");
    if (!queries)
        return tl::unexpected(queries.error());
    if (auto enough = fits(queryFile, **queries, shape.queries, "queries"); !enough)
        return tl::unexpected(enough.error());
    return VectorSets{partOf(*file, 0, shape.rows), partOf(*queries, 0, shape.queries)};
}

bool VectorSearchInstance::makeReady(Use use, const std::function<bool()>& goOn, std::uint64_t seed) const
{
    const std::lock_guard lock(m_making);
    const bool same = m_ready && m_ready->seed == seed;
    if (same && (use == Use::Load || m_ready->nearest || !m_ready->problem.empty()))
        return true;
    auto ready = std::make_shared<Ready>();
    ready->seed = seed;
    if (same) {
        ready->sets = m_ready->sets;
    } else if (auto sets = setsOf(seed, goOn)) {
        ready->sets = std::move(*sets);
    } else if (sets.error().kind == ErrorKind::Interrupted) {
        return false;
    } else {
        ready->problem = sets.error().text();
    }
    if (use == Use::Run && ready->problem.empty()) {
        const VectorSource& queries = *ready->sets.queries;
        std::vector<float> vector(std::size_t(queries.dimension()));
        std::string text; // with room for long numbers: what is kept has no more than it needs
        for (std::int64_t i = 0; i < queries.size() && ready->problem.empty(); ++i) {
            if (i % kGoOnQueries == 0 && !goOn())
                return false;
            if (!queries.read(i, vector))
                ready->problem = kCutText;
            text.clear();
            appendVector(text, vector);
            ready->queries.push_back(text);
        }
        ready->nearest = knownNeighbours(ready->sets, {m_params.k, m_params.index.metric}, cacheFolder() / "neighbours",
                                         kWorthKeepingSeconds, goOn);
        if (!ready->nearest && !goOn())
            return false;
        if (!ready->nearest && ready->problem.empty())
            ready->problem = kCutText;
    }
    m_ready = std::move(ready);
    return true;
}

//! As floats; false where the file cannot be read.
bool VectorSearchInstance::readRows(std::uint64_t seed, const LoadSlice& slice, std::vector<float>& out,
                                    const char*& problem) const
{
    out.assign(std::size_t(slice.lastRow - slice.firstRow + 1) * std::size_t(m_params.shape.dimension), kUsualNumber);
    std::shared_ptr<const Ready> ready;
    {
        const std::lock_guard lock(m_making);
        if ((!m_ready || m_ready->seed != seed) && m_params.file.empty()) {
            auto made = std::make_shared<Ready>();
            made->seed = seed;
            made->sets = clusteredVectors(m_params.shape, seed);
            m_ready = std::move(made);
        }
        ready = m_ready;
    }
    if (!ready)
        return true; // a look, which reads no file: as long as usual ones
    if (!ready->problem.empty()) {
        problem = ready->problem.c_str(); // of m_ready, which stays
        return false;
    }
    problem = kCutText;
    return ready->sets.rows->read(slice.firstRow - 1, out);
}

Task<Outcome> VectorSearchInstance::load(UserContext& user, LoadSlice slice) const
{
    std::vector<float> numbers;
    const char* problem = nullptr;
    if (!readRows(user.seed(), slice, numbers, problem))
        co_return user.reject(kNoVectors, problem);
    const auto dimension = std::size_t(m_params.shape.dimension);
    std::string& texts = user.buffer();
    texts.clear();
    if (slice.bulk) {
        for (std::int64_t row = slice.firstRow; row <= slice.lastRow; ++row) {
            fmt::format_to(std::back_inserter(texts), "{}\t", row);
            appendVector(texts, std::span(numbers).subspan(std::size_t(row - slice.firstRow) * dimension, dimension));
            texts += '\n';
        }
        const std::string into = fmt::format("{} ({})", m_table.name, fmt::join(m_table.columns, ", "));
        const Request bulk{.kind = RequestKind::Bulk, .text = into, .value = texts};
        const Reply reply = co_await user.step(bulk);
        co_return reply.outcome;
    }
    const RowInserts inserts{StatementId(1), StatementId(2), m_table.rowsPerSlice};
    const auto bind = [&](std::int64_t first, std::int64_t count) {
        texts.clear();
        std::vector<std::size_t> ends{0};
        for (std::int64_t row = first; row < first + count; ++row) {
            appendVector(texts, std::span(numbers).subspan(std::size_t(row - slice.firstRow) * dimension, dimension));
            ends.push_back(texts.size());
        }
        for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
            user.params().push_back(Param::of(first + std::int64_t(i)));
            user.params().push_back(Param::of(std::string_view(texts).substr(ends[i], ends[i + 1] - ends[i])));
        }
    };
    const Outcome loaded = co_await loadRows(user, slice, inserts, bind);
    co_return loaded;
}

Task<Outcome> VectorSearchInstance::transaction(UserContext& user) const
{
    const Ready* ready = m_ready.get();
    if (ready && !ready->problem.empty()) [[unlikely]]
        co_return user.reject(kNoVectors, ready->problem.c_str());
    const std::int64_t query = user.random().uniform(0, m_params.shape.queries - 1);
    const bool known = ready && ready->nearest; // not at a look
    const Param text = Param::of(std::string_view(known ? ready->queries[std::size_t(query)] : m_usual));
    const Request search = Request::execute(StatementId(0), {&text, 1});
    const Reply reply = co_await user.execute(OpId(0), search);
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    // A driver without data says that rows came, and keeps none.
    if (!known || (reply.rows > 0 && user.kept().rows() == 0))
        co_return Outcome::Ok;
    co_return judge(user, query);
}

Outcome VectorSearchInstance::judge(UserContext& user, std::int64_t query) const
{
    constexpr double kUntold = std::numeric_limits<double>::quiet_NaN();
    const KeptRows& rows = user.kept();
    double farthest = -std::numeric_limits<double>::infinity();
    for (const Neighbour& one : m_ready->nearest->of(query))
        farthest = std::max(farthest, double(one.distance));
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
        const double told = rows.real(i, 1, kUntold);
        const Neighbour* near = m_ready->nearest->find(query, rows.integer(i, 0) - 1);
        const bool wrong =
            near ? std::isnan(told) || isOther(told, near->distance) : told < farthest && isOther(told, farthest);
        if (wrong)
            return user.reject(kOtherVectors, kOtherVectorsText);
        found += near ? 1 : 0;
    }
    // No neighbour at all: what an index misses, or other vectors, which are farther away.
    if (found == 0 && rows.rows() > 0 && m_ready->compared.load(std::memory_order_relaxed) < kMostCompared) {
        m_ready->compared.fetch_add(1, std::memory_order_relaxed);
        const double distance = distanceOf(m_ready->sets, m_params.index.metric, query, rows.integer(0, 0) - 1);
        if (isOther(rows.real(0, 1, kUntold), distance))
            return user.reject(kOtherVectors, kOtherVectorsText);
    }
    // A query of zeros has no direction, hence no neighbours by cosine.
    const auto wanted = std::min<std::uint64_t>(std::uint64_t(m_params.k), m_ready->nearest->of(query).size());
    user.countFound(std::min(found, wanted), wanted);
    return Outcome::Ok;
}

bool VectorSearchInstance::fatal(Outcome outcome, std::int32_t code) const
{
    return outcome == Outcome::Rejected && code == kOtherVectors;
}

std::vector<FeatureProbe> VectorSearchInstance::probes() const
{
    const VectorDialect& sql = m_sql.vectors;
    if (sql.found.empty())
        return {};
    return {{sql.found, sql.missing, sql.remedy}};
}

std::vector<DataCheck> VectorSearchInstance::checks() const
{
    return {
        {"all vectors are there", fmt::format("SELECT ABS(COUNT(*) - {}) FROM {}", m_params.shape.rows, m_table.name)},
        {"vectors have their numbers",
         fmt::format("SELECT COUNT(*) FROM {} WHERE id < 1 OR id > {}", m_table.name, m_params.shape.rows)}};
}

std::uint64_t VectorSearchInstance::estimatedBytes() const
{
    constexpr double kOfEntry = 100, kOfLink = 12, kFilled = 0.8; // bytes, and the filled share of a page
    const double vector = 4.0 * m_params.shape.dimension + 8;
    const RowFacts facts{{numberColumn("id", 4, 3), textColumn(m_params.index.column, vector)}, "id"};
    double index = 0;
    if (m_params.index.kind == VectorIndexKind::Hnsw)
        index = vector + kOfEntry + kOfLink * double(m_params.index.m);
    else if (m_params.index.kind == VectorIndexKind::IvfFlat)
        index = vector;
    return m_sizes.table(facts, m_params.shape.rows) + std::uint64_t(index / kFilled * double(m_params.shape.rows));
}

const std::vector<const Workload*>& workloads()
{
    static const VectorSearchWorkload workload;
    static const std::vector<const Workload*> list{&workload};
    return list;
}

} // namespace dyno::vectors
