// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/session/interval_reader.h"

#include "base/none.h"
#include "store/codec/session_codec.h"
#include "store/library/schema.h"
#include "store/session/interval_blocks.h"
#include "store/session/interval_columns.h"

#include <dyno/run_fields.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace dyno {

namespace {

std::optional<std::int64_t> movedWarmupEnd(Database& database, std::int64_t run)
{
    Statement select(database, "SELECT warmup_end_ns FROM run WHERE key = ?");
    select << run;
    return select.row() && !select.isNull(0) ? std::optional(select.integer(0)) : std::nullopt;
}

void movePhase(Phase& phase, std::int64_t tNs, const std::optional<std::int64_t>& warmupEnd)
{
    if (warmupEnd && (phase == Phase::Warmup || phase == Phase::Measure))
        phase = tNs < *warmupEnd ? Phase::Warmup : Phase::Measure;
}

//! One row of the table interval; its columns in the order of intervalColumns().
IntervalSample intervalOf(const Statement& select)
{
    int column = 1;
    IntervalSample sample;
    sample.tNs = select.integer(column++);
    sample.lengthNs = select.integer(column++);
    sample.phase = codec::phaseFromText(select.bytes(column++));
    bool errorsRead = false;
    for (const RunField* field : intervalFields()) {
        if (field->interval.ofClient() && !std::exchange(errorsRead, true))
            sample.errors = codec::readCounts(select.bytes(column++));
        field->interval.with(sample, [&select, at = column++](auto& value) {
            using Value = std::remove_reference_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, double>)
                value = select.real(at);
            else if constexpr (std::is_same_v<Value, int>)
                value = static_cast<int>(select.integer(at));
            else
                value = select.count(at);
        });
    }
    return sample;
}

//! The one that begins at `tNs`, at or behind `from`; `from` goes there.
IntervalSample* sampleAt(std::span<IntervalSample> samples, std::size_t& from, std::int64_t tNs)
{
    while (from < samples.size() && samples[from].tNs < tNs)
        ++from;
    return from < samples.size() && samples[from].tNs == tNs ? &samples[from] : nullptr;
}

//! `places`: of the hidden counters among all. False: a row of them is damaged.
bool addHiddenValues(Database& database, std::int64_t run, const std::vector<std::size_t>& places,
                     std::span<IntervalSample> samples)
{
    if (places.empty())
        return true;
    bool whole = true;
    std::vector<double> values(places.size());
    Statement select(database, "SELECT t_ns, content FROM hidden_sample WHERE run = ? AND t_ns BETWEEN ? AND ?"
                               " ORDER BY t_ns");
    select << run << samples.front().tNs << samples.back().tNs;
    std::size_t from = 0;
    while (select.row()) {
        IntervalSample* sample = sampleAt(samples, from, select.integer(0));
        if (!sample)
            continue;
        if (!block::readValues(select.bytes(1), values)) {
            whole = false;
            continue;
        }
        for (std::size_t i = 0; i < places.size(); ++i)
            sample->counters[places[i]] = std::isfinite(values[i]) ? values[i] : kNone;
    }
    return whole;
}

//! Into the intervals that begin at the samples' times; what is not there is not a number. False: some is damaged.
bool addCounterValues(Database& database, std::int64_t run, std::size_t counters, std::span<IntervalSample> samples)
{
    if (counters == 0 || samples.empty())
        return true;
    for (IntervalSample& sample : samples)
        sample.counters.assign(counters, kNone);
    std::vector<std::size_t> hidden;
    Statement keys(database, "SELECT key, hidden FROM counter WHERE run = ? ORDER BY key");
    keys << run;
    for (std::size_t index = 0; keys.row() && index < counters; ++index) {
        if (keys.integer(1) != 0) {
            hidden.push_back(index);
            continue;
        }
        Statement select(database, "SELECT t_ns, value FROM counter_sample WHERE counter = ? AND t_ns BETWEEN ? AND ?"
                                   " ORDER BY t_ns");
        select << keys.integer(0) << samples.front().tNs << samples.back().tNs;
        std::size_t from = 0;
        while (select.row()) {
            if (IntervalSample* sample = sampleAt(samples, from, select.integer(0)))
                sample->counters[index] = select.real(1);
        }
    }
    return addHiddenValues(database, run, hidden, samples);
}

void readOperation(RunBlocks& blocks, std::int64_t op, bool whole, std::span<IntervalSample> samples)
{
    const std::vector<block::Figures> figures = blocks.figures(op);
    std::vector<OpInterval*> values;
    values.reserve(samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
        values.push_back(op < 0 ? &samples[i].transaction : &samples[i].ops[static_cast<std::size_t>(op)]);
        values.back()->count = figures[i].count;
        values.back()->errors = figures[i].errors;
    }
    if (whole)
        blocks.histograms(op, figures, values);
}

void readBlocks(RunBlocks& blocks, const IntervalShape& shape, IntervalDetail detail,
                std::vector<IntervalSample>& samples)
{
    samples.resize(blocks.size());
    for (IntervalSample& sample : samples) {
        sample.ops.resize(shape.operations);
        sample.counters.resize(shape.counters, kNone);
    }
    blocks.each(BlockPart::Times, 0, [&samples](const RunBlocks::Block& one, std::string_view bytes) {
        return block::readTimes(bytes, std::span(samples).subspan(one.at, one.intervals), false);
    });
    for (std::int64_t op = -1; op < static_cast<std::int64_t>(shape.operations); ++op)
        readOperation(blocks, op, op < 0 || detail == IntervalDetail::Everything, samples);
    for (std::size_t k = 0; k < shape.counters; ++k) {
        const std::vector<double> values = blocks.counter(static_cast<std::int64_t>(k));
        for (std::size_t i = 0; i < samples.size(); ++i)
            samples[i].counters[k] = values[i];
    }
}

LatencyPoint pointOf(bool known, const block::Point& point)
{
    if (!known)
        return LatencyPoint::none();
    const auto at = [](std::uint64_t ns) { return knownNs(double(ns)); };
    return {at(point.p50), at(point.p95), at(point.p99), at(point.p999), double(point.max)};
}

void addFigures(IntervalColumns::Operation& operation, const std::vector<block::Figures>& figures)
{
    for (const block::Figures& one : figures) {
        const LatencyPoint response = pointOf(one.hasResponse, one.response);
        append(operation, one.count, one.errors, pointOf(one.hasService, one.service),
               one.hasResponse ? &response : nullptr);
    }
}

//! `only`: the counters that the columns are of; empty: all.
void addBlocks(IntervalColumns& columns, RunBlocks& blocks, const std::vector<std::size_t>& only)
{
    std::vector<IntervalSample> scratch;
    blocks.each(BlockPart::Times, 0, [&](const RunBlocks::Block& one, std::string_view bytes) {
        scratch.resize(one.intervals);
        const bool whole = block::readTimes(bytes, scratch, true);
        for (const IntervalSample& sample : scratch) {
            columns.tNs.push_back(sample.tNs);
            columns.lengthNs.push_back(sample.lengthNs);
            columns.phase.push_back(sample.phase);
            columns.rows.push_back(sample.rows);
        }
        return whole;
    });
    addFigures(columns.transaction, blocks.figures(-1));
    for (std::size_t i = 0; i < columns.ops.size(); ++i)
        addFigures(columns.ops[i], blocks.figures(static_cast<std::int64_t>(i)));
    for (std::size_t i = 0; i < columns.counters.size(); ++i)
        columns.counters[i] = blocks.counter(static_cast<std::int64_t>(only.empty() ? i : only[i]));
}

void keepOnly(std::vector<double>& counters, const std::vector<std::size_t>& only)
{
    std::vector<double> kept;
    kept.reserve(only.size());
    for (const std::size_t index : only)
        kept.push_back(index < counters.size() ? counters[index] : kNone);
    counters = std::move(kept);
}

void tell(Reading* reading, Reading outcome)
{
    if (reading)
        *reading = outcome;
}

//! What intervals are read by, beside their blocks: the end of the warm-up, names of series, plain rows.
bool areSealsBroken(Database& database, std::int64_t run, bool counters)
{
    const SealedRun place = SealedRun::of(database, run);
    if (!place.sealed)
        return false;
    Seals seals(database, place.session);
    const auto holds = [&](SealPart part) { return seals.holds(part, place.index, run); };
    return !holds(SealPart::Warmup) || !holds(SealPart::Series) || !holds(SealPart::Rows) ||
           (counters && !holds(SealPart::Counters));
}

Reading outcomeOf(const RunBlocks& blocks, bool plainDamaged)
{
    return blocks.tooLarge() ? Reading::TooLarge : blocks.damaged() || plainDamaged ? Reading::Damaged : Reading::Whole;
}

} // namespace

IntervalShape IntervalShape::of(Database& database, std::int64_t run)
{
    const auto count = [&](const char* sql) {
        Statement select(database, sql);
        select << run;
        return select.row() ? static_cast<std::size_t>(select.count(0)) : 0;
    };
    return {count("SELECT count(*) FROM op WHERE run = ?"), count("SELECT count(*) FROM counter WHERE run = ?")};
}

void readPlainIntervals(Database& database, std::int64_t run, const IntervalShape& shape, std::int64_t first,
                        std::int64_t most, IntervalDetail detail, std::vector<IntervalSample>& samples, bool* damaged)
{
    const std::size_t before = samples.size();
    Statement ops(database, "SELECT interval, op, count, errors, service, response FROM interval_op"
                            " WHERE run = ? AND interval >= ? ORDER BY interval, op");
    ops << run << first;
    bool more = ops.row();
    Statement select(database, fmt::format("SELECT {} FROM interval WHERE run = ? AND idx >= ? ORDER BY idx LIMIT ?",
                                           intervalColumns()));
    select << run << first << most;
    while (select.row()) {
        const std::int64_t index = select.integer(0);
        IntervalSample sample = intervalOf(select);
        sample.ops.resize(shape.operations);
        for (; more && ops.integer(0) <= index; more = ops.row()) {
            const std::int64_t op = ops.integer(1);
            if (ops.integer(0) < index || op < -1 || op >= static_cast<std::int64_t>(shape.operations))
                continue;
            OpInterval& target = op < 0 ? sample.transaction : sample.ops[static_cast<std::size_t>(op)];
            target.count = ops.count(2);
            target.errors = ops.count(3);
            for (const int blob : {4, 5}) {
                if (ops.isNull(blob) || (op >= 0 && detail == IntervalDetail::Transactions))
                    continue;
                bool readable = true;
                (blob == 4 ? target.service : target.response) = Histogram::fromBlob(ops.bytes(blob), &readable);
                if (!readable && damaged)
                    *damaged = true;
            }
        }
        samples.push_back(std::move(sample));
    }
    if (!addCounterValues(database, run, shape.counters, std::span(samples).subspan(before)) && damaged)
        *damaged = true;
}

std::vector<IntervalSample> readIntervals(Database& database, std::int64_t run, IntervalDetail detail, Reading* reading,
                                          std::size_t mostBuckets)
{
    const IntervalShape shape = IntervalShape::of(database, run);
    if (!shape.possible()) {
        tell(reading, Reading::Damaged);
        return {};
    }
    RunBlocks blocks(database, run, shape.operations + shape.counters, mostBuckets);
    constexpr std::size_t kMostBytes = std::size_t(4) << 30; // a few small blocks can claim a great many intervals
    const std::size_t interval =
        sizeof(IntervalSample) + shape.operations * sizeof(OpInterval) + shape.counters * sizeof(double);
    if (blocks.size() > kMostBytes / interval) {
        tell(reading, Reading::TooLarge);
        return {};
    }
    std::vector<IntervalSample> samples;
    readBlocks(blocks, shape, detail, samples);
    bool damaged = areSealsBroken(database, run, true);
    readPlainIntervals(database, run, shape, blocks.end(), -1, detail, samples, &damaged);
    tell(reading, outcomeOf(blocks, damaged));
    const std::optional<std::int64_t> moved = movedWarmupEnd(database, run);
    for (IntervalSample& sample : samples)
        movePhase(sample.phase, sample.tNs, moved);
    return samples;
}

Reading eachInterval(Database& database, std::int64_t run, const std::function<void(const IntervalSample&)>& take,
                     std::size_t mostBuckets)
{
    const IntervalShape shape = IntervalShape::of(database, run);
    if (!shape.possible())
        return Reading::Damaged;
    const std::optional<std::int64_t> moved = movedWarmupEnd(database, run);
    std::vector<IntervalSample> samples;
    const auto give = [&] {
        for (IntervalSample& sample : samples) {
            movePhase(sample.phase, sample.tNs, moved);
            take(sample);
        }
        samples.clear();
    };
    RunBlocks blocks(database, run, shape.operations + shape.counters, mostBuckets);
    for (std::size_t i = 0; i < blocks.count() && !blocks.damaged(); ++i) {
        blocks.lookAt(i);
        blocks.forgetBuckets();
        readBlocks(blocks, shape, IntervalDetail::Everything, samples);
        give();
    }
    bool damaged = areSealsBroken(database, run, true);
    readPlainIntervals(database, run, shape, blocks.end(), -1, IntervalDetail::Everything, samples, &damaged);
    give();
    return outcomeOf(blocks, damaged);
}

IntervalColumns readColumns(Database& database, std::int64_t run, ColumnParts parts, Reading* reading)
{
    const IntervalShape shape = IntervalShape::of(database, run);
    IntervalColumns columns;
    if (!shape.possible()) {
        tell(reading, Reading::Damaged);
        return columns;
    }
    columns.ops.resize(parts.operations ? shape.operations : 0);
    const bool some = parts.counters && !parts.only.empty();
    if (some && std::ranges::any_of(parts.only, [&shape](std::size_t index) { return index >= shape.counters; })) {
        tell(reading, Reading::Changed);
        return columns;
    }
    columns.counters.resize(some ? parts.only.size() : parts.counters ? shape.counters : 0);
    RunBlocks blocks(database, run, columns.ops.size() + columns.counters.size());
    addBlocks(columns, blocks, parts.only);
    std::vector<IntervalSample> samples;
    IntervalShape wanted = shape;
    wanted.counters = parts.counters ? shape.counters : 0; // rows that are not packed yet are few
    bool damaged = areSealsBroken(database, run, parts.counters);
    readPlainIntervals(database, run, wanted, blocks.end(), -1,
                       parts.operations ? IntervalDetail::Everything : IntervalDetail::Transactions, samples, &damaged);
    for (IntervalSample& sample : samples) {
        if (some)
            keepOnly(sample.counters, parts.only);
        append(columns, sample);
    }
    tell(reading, outcomeOf(blocks, damaged));
    const std::optional<std::int64_t> moved = movedWarmupEnd(database, run);
    for (std::size_t i = 0; i < columns.size(); ++i)
        movePhase(columns.phase[i], columns.tNs[i], moved);
    return columns;
}

} // namespace dyno
