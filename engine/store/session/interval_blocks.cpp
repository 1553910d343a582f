// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/session/interval_blocks.h"

#include "base/none.h"
#include "store/session/interval_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace dyno {

namespace {

constexpr std::size_t kMostValues = std::size_t(128) << 20; //!< of one run's blocks: a day at 1 s with 1 500 series
constexpr std::size_t kExtraValues = 8;                     //!< of an interval, beside its operations and counters
constexpr std::size_t kShortRest = 60; //!< fewer are left in plain rows: packed they would hardly be smaller
//! But with many counters: rows of theirs are wide, and what stands still is packed to next to nothing.
constexpr std::size_t kShortRestOfMany = 10, kManyCounters = 200;

//! Puts blocks of one run into the store, with their seals.
class BlockWriter
{
public:
    BlockWriter(Database& database, const SealedRun& place, Seals& seals, std::int64_t first, std::size_t intervals)
        : m_place(place)
        , m_seals(seals)
        , m_first(first)
        , m_intervals(static_cast<std::int64_t>(intervals))
        , m_insert(database,
                   "INSERT INTO block(run, part, series, first, intervals, content, seal) VALUES(?, ?, ?, ?, ?, ?, ?)")
    {
    }
    void add(BlockPart part, std::int64_t series, const std::string& bytes)
    {
        const int kind = static_cast<int>(part);
        m_insert << m_place.key << kind << series << m_first << m_intervals;
        m_insert.blob(bytes);
        if (m_place.sealed) {
            m_insert << sealOfBlock(m_place, kind, series, m_first, m_intervals, bytes);
            m_seals.addBlock(kind, series, m_first, m_place.index);
        } else {
            m_insert << nullptr;
        }
        m_insert.run();
    }

private:
    const SealedRun& m_place;
    Seals& m_seals;
    std::int64_t m_first, m_intervals;
    Statement m_insert;
};

bool isNothing(const block::Figures& one)
{
    return one == block::Figures();
}

void insertBlocks(BlockWriter& writer, const IntervalShape& shape, const std::vector<IntervalSample>& samples)
{
    writer.add(BlockPart::Times, 0, block::writeTimes(samples));
    for (std::int64_t op = -1; op < static_cast<std::int64_t>(shape.operations); ++op) {
        std::vector<const OpInterval*> values;
        std::vector<block::Figures> figures;
        for (const IntervalSample& sample : samples) {
            values.push_back(op < 0 ? &sample.transaction : &sample.ops[static_cast<std::size_t>(op)]);
            figures.push_back(block::Figures::of(*values.back()));
        }
        if (std::ranges::all_of(figures, isNothing))
            continue;
        writer.add(BlockPart::Figures, op, block::writeFigures(figures));
        writer.add(BlockPart::Histograms, op, block::writeHistograms(values));
    }
    for (std::size_t k = 0; k < shape.counters; ++k) {
        std::vector<double> values;
        for (const IntervalSample& sample : samples)
            values.push_back(sample.counters[k]);
        if (!std::ranges::all_of(values, [](double value) { return value != value; }))
            writer.add(BlockPart::Counter, static_cast<std::int64_t>(k), block::writeValues(values));
    }
}

void erasePlain(Database& database, std::int64_t run, std::int64_t first, const std::vector<IntervalSample>& samples)
{
    const std::int64_t last = first + static_cast<std::int64_t>(samples.size()) - 1;
    for (const char* sql : {"DELETE FROM interval WHERE run = ? AND idx BETWEEN ? AND ?",
                            "DELETE FROM interval_op WHERE run = ? AND interval BETWEEN ? AND ?"}) {
        Statement erase(database, sql);
        erase << run << first << last;
        erase.run();
    }
    for (const char* sql : {"DELETE FROM counter_sample WHERE counter IN (SELECT key FROM counter WHERE run = ?)"
                            " AND t_ns BETWEEN ? AND ?",
                            "DELETE FROM hidden_sample WHERE run = ? AND t_ns BETWEEN ? AND ?"}) {
        Statement erase(database, sql);
        erase << run << samples.front().tNs << samples.back().tNs;
        erase.run();
    }
}

//! How many of the oldest plain rows follow each other, in number and in time; at most a block's.
std::size_t rowsInOrder(Database& database, std::int64_t run, std::int64_t& first)
{
    Statement select(database, "SELECT idx, t_ns FROM interval WHERE run = ? ORDER BY idx LIMIT ?");
    select << run << static_cast<std::int64_t>(block::kIntervals + 1);
    std::size_t rows = 0;
    std::int64_t tNs = -1;
    while (select.row()) {
        if (rows == 0)
            first = select.integer(0);
        // A later row at an earlier time: neither can be told apart from the other's counters.
        if (select.integer(0) != first + static_cast<std::int64_t>(rows) || select.integer(1) <= tNs)
            return 0;
        tNs = select.integer(1);
        ++rows;
    }
    return std::min(rows, block::kIntervals);
}

//! False when nothing was packed.
bool packBlock(Database& database, const SealedRun& place, Seals& seals, const IntervalShape& shape, bool rest)
{
    const std::int64_t run = place.key;
    std::int64_t first = 0;
    const std::size_t rows = shape.possible() ? rowsInOrder(database, run, first) : 0;
    const std::size_t shortRest = shape.counters >= kManyCounters ? kShortRestOfMany : kShortRest;
    if (rows < (rest ? shortRest : block::kIntervals))
        return false;
    bool damaged = false;
    {
        const RunBlocks blocks(database, run, shape.operations + shape.counters);
        // More than a reader takes would make the whole run unreadable; plain rows have no such limit.
        if (blocks.damaged() || first < blocks.end() ||
            blocks.size() + rows > kMostValues / (shape.operations + shape.counters + kExtraValues))
            return false;
    }
    // Last, since it reads all plain rows, of which there are ever more once a run has as many blocks as it may.
    for (const SealPart part : {SealPart::Series, SealPart::Rows, SealPart::Counters}) {
        if (!seals.holds(part, place.index, run))
            return false;
    }
    std::vector<IntervalSample> samples;
    readPlainIntervals(database, run, shape, first, static_cast<std::int64_t>(rows), IntervalDetail::Everything,
                       samples, &damaged);
    if (damaged || samples.size() != rows || !database.ok())
        return false;
    {
        BlockWriter writer(database, place, seals, first, samples.size());
        insertBlocks(writer, shape, samples);
    }
    erasePlain(database, run, first, samples);
    seals.set(SealPart::Rows, place.index, run);
    seals.set(SealPart::Counters, place.index, run);
    return database.ok();
}

std::string problemOf(RunBlocks& blocks, const IntervalShape& shape)
{
    std::vector<OpInterval> values(blocks.size());
    std::vector<OpInterval*> places;
    for (OpInterval& one : values)
        places.push_back(&one);
    for (std::int64_t op = -1; op < static_cast<std::int64_t>(shape.operations); ++op) {
        const std::vector<block::Figures> figures = blocks.figures(op);
        blocks.forgetBuckets();
        blocks.histograms(op, figures, places);
        for (std::size_t i = 0; i < values.size() && !blocks.damaged(); ++i) {
            values[i].count = figures[i].count;
            values[i].errors = figures[i].errors;
            if (block::Figures::of(values[i]) != figures[i])
                return fmt::format("the percentiles of interval {} are not those of its histogram", i);
            values[i] = {};
        }
    }
    for (std::size_t k = 0; k < shape.counters; ++k)
        (void)blocks.counter(static_cast<std::int64_t>(k));
    return {};
}

} // namespace

RunBlocks::RunBlocks(Database& database, std::int64_t run, std::size_t perInterval, std::size_t mostBuckets)
    : m_database(database)
    , m_run(run)
    , m_mostBuckets(mostBuckets)
    , m_place(SealedRun::of(database, run))
{
    Statement select(database,
                     "SELECT first, intervals FROM block WHERE run = ? AND part = 0 AND series = 0 ORDER BY first");
    select << run;
    while (select.row()) {
        const Block one{select.integer(0), static_cast<std::size_t>(select.count(1)), m_size};
        m_tooLarge = one.intervals <= block::kMostIntervals &&
                     m_size + one.intervals > kMostValues / (perInterval + kExtraValues);
        if (one.first < end() || one.first > (std::int64_t(1) << 40) || one.intervals == 0 ||
            one.intervals > block::kMostIntervals || m_tooLarge) {
            m_damaged = true;
            m_blocks.clear(); // nothing is made room for
            m_size = 0;
            break;
        }
        m_size += one.intervals;
        m_blocks.push_back(one);
    }
}

void RunBlocks::lookAt(std::size_t block)
{
    m_only = m_blocks[block];
    m_only->at = 0;
    m_size = m_only->intervals;
    // With what lies before it, and behind the last one: rows that belong to no block are damage, and are not to be
    // passed over.
    m_from = block == 0 ? std::numeric_limits<std::int64_t>::min() : m_blocks[block - 1].first + 1;
    m_to = block + 1 == m_blocks.size() ? std::numeric_limits<std::int64_t>::max() : m_only->first;
}

bool RunBlocks::areAllThere(BlockPart part)
{
    bool& looked = m_looked.at(static_cast<std::size_t>(part));
    if (looked || !m_place.sealed)
        return true;
    looked = Seals(m_database, m_place.session)
                 .holds(SealPart(static_cast<int>(SealPart::Times) + static_cast<int>(part)), m_place.index, m_run);
    return looked;
}

void RunBlocks::each(BlockPart part, std::int64_t series,
                     const std::function<bool(const Block&, std::string_view)>& take)
{
    m_damaged = m_damaged || !areAllThere(part);
    Statement select(m_database, "SELECT first, intervals, content, seal FROM block WHERE run = ? AND part = ?"
                                 " AND series = ? AND first BETWEEN ? AND ? ORDER BY first");
    const int kind = static_cast<int>(part);
    select << m_run << kind << series << m_from << m_to;
    const std::span<const Block> blocks = m_only ? std::span(&*m_only, 1) : std::span<const Block>(m_blocks);
    const auto isSealed = [&] {
        return !m_place.sealed ||
               (!select.isNull(3) && select.integer(3) == sealOfBlock(m_place, kind, series, select.integer(0),
                                                                      select.integer(1), select.bytes(2)));
    };
    auto known = blocks.begin();
    while (!m_damaged && select.row()) {
        const std::int64_t first = select.integer(0);
        known = std::find_if(known, blocks.end(), [first](const Block& one) { return one.first >= first; });
        m_damaged = known == blocks.end() || known->first != first || known->intervals != select.count(1) ||
                    !isSealed() || !take(*known, select.bytes(2));
    }
}

std::vector<block::Figures> RunBlocks::figures(std::int64_t series)
{
    std::vector<block::Figures> all(m_size);
    each(BlockPart::Figures, series, [&all](const Block& one, std::string_view bytes) {
        return block::readFigures(bytes, std::span(all).subspan(one.at, one.intervals));
    });
    return all;
}

void RunBlocks::histograms(std::int64_t series, std::span<const block::Figures> figures,
                           std::span<OpInterval* const> values)
{
    each(BlockPart::Histograms, series, [&](const Block& one, std::string_view bytes) {
        const auto own = values.subspan(one.at, one.intervals);
        if (!block::readHistograms(bytes, figures.subspan(one.at, one.intervals), own))
            return false;
        for (const OpInterval* value : own)
            m_buckets += value->service.buckets().size() + value->response.buckets().size();
        m_tooLarge = m_buckets > m_mostBuckets;
        return !m_tooLarge;
    });
    // A block that is not there.
    for (std::size_t i = 0; i < m_size && !m_damaged; ++i)
        m_damaged = figures[i].hasService == values[i]->service.empty() ||
                    figures[i].hasResponse == values[i]->response.empty();
}

std::vector<double> RunBlocks::counter(std::int64_t series)
{
    std::vector<double> all(m_size, kNone);
    each(BlockPart::Counter, series, [&all](const Block& one, std::string_view bytes) {
        return block::readValues(bytes, std::span(all).subspan(one.at, one.intervals));
    });
    return all;
}

void packIntervals(Database& database, std::int64_t run, bool rest, int most)
{
    const IntervalShape shape = IntervalShape::of(database, run);
    const SealedRun place = SealedRun::of(database, run);
    Seals seals(database, place.session);
    for (int packed = 0; packed < most && packBlock(database, place, seals, shape, rest); ++packed) {
    }
}

void packSession(Database& database, std::int64_t session)
{
    std::vector<std::int64_t> runs;
    {
        Statement select(database, "SELECT key FROM run WHERE session = ?");
        select << session;
        while (select.row())
            runs.push_back(select.integer(0));
    }
    for (const std::int64_t run : runs)
        packIntervals(database, run, true, std::numeric_limits<int>::max());
}

void writeCounters(Database& database, const SealedRun& place, std::size_t first, const std::vector<std::int64_t>& keys,
                   const std::vector<std::span<const double>>& values)
{
    const auto isKnown = [](double value) { return value == value; };
    {
        Statement erase(database, "DELETE FROM block WHERE run = ? AND part = ? AND series >= ?");
        erase << place.key << static_cast<int>(BlockPart::Counter) << std::int64_t(first);
        erase.run();
    }
    Seals seals(database, place.session);
    std::size_t at = 0; // of the first interval that is in no block
    {
        Statement select(database,
                         "SELECT first, intervals FROM block WHERE run = ? AND part = 0 AND series = 0 ORDER BY first");
        select << place.key;
        for (; select.row(); at += std::size_t(select.count(1))) {
            BlockWriter writer(database, place, seals, select.integer(0), std::size_t(select.count(1)));
            for (std::size_t k = 0; k < values.size(); ++k) {
                const auto own = values[k].subspan(at, std::size_t(select.count(1)));
                if (std::ranges::any_of(own, isKnown))
                    writer.add(BlockPart::Counter, std::int64_t(first + k), block::writeValues(own));
            }
        }
    }
    Statement select(database, "SELECT t_ns FROM interval WHERE run = ? ORDER BY idx");
    Statement insert(database, "INSERT OR IGNORE INTO counter_sample(counter, t_ns, value) VALUES(?, ?, ?)");
    select << place.key;
    for (; select.row(); ++at) {
        for (std::size_t k = 0; k < values.size(); ++k) {
            if (at >= values[k].size() || !isKnown(values[k][at]))
                continue;
            insert << keys[k] << select.integer(0) << block::kept(values[k][at]);
            insert.run();
        }
    }
}

std::string blockProblem(Database& database, std::int64_t run)
{
    const IntervalShape shape = IntervalShape::of(database, run);
    if (!shape.possible())
        return {}; // told of already
    RunBlocks blocks(database, run, shape.operations + shape.counters);
    std::vector<IntervalSample> samples;
    blocks.each(BlockPart::Times, 0, [&samples](const RunBlocks::Block& one, std::string_view bytes) {
        samples.assign(one.intervals, {});
        constexpr std::int64_t kLongest = 1'000'000'000'000'000'000;
        const auto possible = [](const IntervalSample& sample) {
            return sample.tNs >= 0 && sample.tNs <= kLongest && sample.lengthNs >= 1 && sample.lengthNs <= kLongest;
        };
        return block::readTimes(bytes, samples, false) && std::ranges::all_of(samples, possible);
    });
    std::string problem = problemOf(blocks, shape);
    if (problem.empty() && blocks.damaged())
        problem = blocks.tooLarge() ? "it has more intervals than can be read" : kDamagedBlock;
    return problem;
}

} // namespace dyno
