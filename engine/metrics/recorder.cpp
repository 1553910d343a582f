// SPDX-License-Identifier: GPL-3.0-or-later
#include "metrics/recorder.h"

#include <algorithm>
#include <utility>

namespace dyno {

namespace {
constexpr auto kRelaxed = std::memory_order_relaxed;
} // namespace

void AtomicHistogram::raiseMax(std::uint64_t ns)
{
    std::uint64_t seen = m_maxNs.load(kRelaxed);
    while (seen < ns && !m_maxNs.compare_exchange_weak(seen, ns, kRelaxed)) {
    }
}

RecorderShard::RecorderShard(std::size_t operations, bool separateResponse, const std::vector<OpId>& openGroups)
    : m_response(separateResponse ? std::make_unique<AtomicHistogram>() : nullptr)
    , m_ops(operations)
{
    for (const OpId group : openGroups)
        m_ops[indexOf(group)].response = std::make_unique<AtomicHistogram>();
}

void RecorderShard::recordCode(std::int32_t code)
{
    for (CodeSlot& slot : m_codes) {
        std::int64_t seen = slot.code.load(kRelaxed);
        // A free slot is claimed once and never given back; a lost race leaves the winner's code in `seen`.
        if (seen == kFree && slot.code.compare_exchange_strong(seen, code, kRelaxed))
            seen = code;
        if (seen == code) {
            slot.count.fetch_add(1, kRelaxed);
            return;
        }
    }
    m_otherCodes.fetch_add(1, kRelaxed);
}

Recorder::Recorder(std::size_t shards, std::size_t operations, bool separateResponse,
                   const std::vector<OpId>& openGroups)
    : m_operations(operations)
    , m_separateResponse(separateResponse)
    , m_openGroups(openGroups)
{
    m_shards.reserve(std::max<std::size_t>(1, shards));
    do
        m_shards.push_back(std::make_unique<RecorderShard>(operations, separateResponse, openGroups));
    while (m_shards.size() < shards);
}

//! What the sampler has already handed out of one histogram (summed over the shards) and of its error counts.
struct IntervalSampler::Previous
{
    std::vector<AtomicHistogram*> sources;
    std::vector<std::atomic<std::uint64_t>*> errorSources, rowSources;
    std::vector<std::uint64_t> counts = std::vector<std::uint64_t>(hdr::kBuckets);
    std::uint64_t sumNs = 0, saturated = 0, errors = 0, rows = 0;
};

IntervalSampler::IntervalSampler(Recorder& recorder)
    : m_recorder(recorder)
{
    for (std::size_t i = 0; i < 2 + recorder.m_operations + recorder.m_openGroups.size(); ++i)
        m_previous.push_back(std::make_unique<Previous>());
    for (const auto& shard : recorder.m_shards) {
        m_previous[0]->sources.push_back(&shard->m_transaction.service);
        m_previous[0]->errorSources.push_back(&shard->m_transaction.errors);
        if (shard->m_response)
            m_previous[1]->sources.push_back(shard->m_response.get());
        for (std::size_t op = 0; op < recorder.m_operations; ++op) {
            m_previous[2 + op]->sources.push_back(&shard->m_ops[op].service);
            m_previous[2 + op]->errorSources.push_back(&shard->m_ops[op].errors);
            m_previous[2 + op]->rowSources.push_back(&shard->m_ops[op].rows);
        }
        for (std::size_t i = 0; i < recorder.m_openGroups.size(); ++i)
            m_previous[2 + recorder.m_operations + i]->sources.push_back(
                shard->m_ops[indexOf(recorder.m_openGroups[i])].response.get());
    }
}

IntervalSampler::~IntervalSampler() = default;

Histogram IntervalSampler::difference(Previous& previous)
{
    std::vector<Histogram::Bucket> buckets;
    for (std::size_t i = 0; i < hdr::kBuckets; ++i) {
        std::uint64_t count = 0;
        for (const AtomicHistogram* source : previous.sources)
            count += source->m_counts[i].load(std::memory_order_acquire);
        if (count != previous.counts[i]) {
            buckets.push_back({std::uint32_t(i), count - previous.counts[i]});
            previous.counts[i] = count;
        }
    }
    if (buckets.empty())
        return {};
    // The sum, the maximum and the count of one operation are separate adds, the count last, and this may run between
    // them. Counts are read first, so none is handed out whose sum or maximum is not: these may be handed out one
    // interval early, and in total nothing is lost. The maximum is never below the bucket that it must lie in.
    std::uint64_t sumNs = 0;
    std::uint64_t saturated = 0;
    std::uint64_t maxNs = hdr::lowestOf(buckets.back().index);
    for (AtomicHistogram* source : previous.sources) {
        maxNs = std::max(maxNs, source->m_maxNs.exchange(0, kRelaxed));
        sumNs += source->m_sumNs.load(kRelaxed);
        saturated += source->m_saturated.load(kRelaxed);
    }
    return Histogram::fromBuckets(std::move(buckets), sumNs - std::exchange(previous.sumNs, sumNs), maxNs,
                                  saturated - std::exchange(previous.saturated, saturated));
}

OpInterval IntervalSampler::interval(Previous& previous)
{
    OpInterval interval;
    interval.service = difference(previous);
    interval.count = interval.service.count();
    const auto sum = [](const std::vector<std::atomic<std::uint64_t>*>& sources) {
        std::uint64_t all = 0;
        for (const std::atomic<std::uint64_t>* source : sources)
            all += source->load(kRelaxed);
        return all;
    };
    const std::uint64_t errors = sum(previous.errorSources), rows = sum(previous.rowSources);
    interval.errors = errors - std::exchange(previous.errors, errors);
    if (!previous.rowSources.empty())
        interval.rows = rows - std::exchange(previous.rows, rows);
    return interval;
}

IntervalSample IntervalSampler::take()
{
    IntervalSample sample;
    sample.transaction = interval(*m_previous[0]);
    sample.transaction.response = difference(*m_previous[1]);
    for (std::size_t op = 0; op < m_recorder.m_operations; ++op)
        sample.ops.push_back(interval(*m_previous[2 + op]));
    for (std::size_t i = 0; i < m_recorder.m_openGroups.size(); ++i)
        sample.ops[indexOf(m_recorder.m_openGroups[i])].response =
            difference(*m_previous[2 + m_recorder.m_operations + i]);

    std::map<std::int32_t, std::uint64_t> codes;
    Counts now;
    for (const auto& shard : m_recorder.m_shards) {
        now.retried += shard->m_retried.load(kRelaxed);
        now.reconnects += shard->m_reconnects.load(kRelaxed);
        now.rows += shard->m_rows.load(kRelaxed);
        now.rollbacks += shard->m_rollbacks.load(kRelaxed);
        now.lateStarts += shard->m_lateStarts.load(kRelaxed);
        now.found += shard->m_found.load(kRelaxed);
        now.wanted += shard->m_wanted.load(kRelaxed);
        for (const RecorderShard::CodeSlot& slot : shard->m_codes) {
            const std::int64_t code = slot.code.load(kRelaxed);
            if (code != RecorderShard::kFree)
                codes[std::int32_t(code)] += slot.count.load(kRelaxed);
        }
        if (const std::uint64_t others = shard->m_otherCodes.load(kRelaxed); others != 0)
            codes[-1] += others;
    }
    const Counts before = std::exchange(m_previousCounts, now);
    sample.retried = now.retried - before.retried;
    sample.reconnects = now.reconnects - before.reconnects;
    sample.rows = now.rows - before.rows;
    sample.rollbacks = now.rollbacks - before.rollbacks;
    sample.found = now.found - before.found;
    sample.wanted = now.wanted - before.wanted;
    sample.client.lateStarts = now.lateStarts - before.lateStarts;
    for (const auto& [code, count] : codes) {
        std::uint64_t& known = m_previousCodes[code];
        if (count != known)
            sample.errors[code] = count - known;
        known = count;
    }
    return sample;
}

} // namespace dyno
