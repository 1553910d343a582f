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

RecorderShard::RecorderShard(std::size_t operations, bool separateResponse)
    : m_response(separateResponse ? std::make_unique<AtomicHistogram>() : nullptr)
    , m_ops(operations)
{}

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

Recorder::Recorder(std::size_t shards, std::size_t operations, bool separateResponse)
    : m_operations(operations)
    , m_separateResponse(separateResponse)
{
    m_shards.reserve(std::max<std::size_t>(1, shards));
    do
        m_shards.push_back(std::make_unique<RecorderShard>(operations, separateResponse));
    while (m_shards.size() < shards);
}

//! What the sampler has already handed out of one histogram (summed over the shards) and of its error counts.
struct IntervalSampler::Previous
{
    std::vector<AtomicHistogram*> sources;
    std::vector<std::atomic<std::uint64_t>*> errorSources;
    std::vector<std::uint64_t> counts = std::vector<std::uint64_t>(hdr::kBuckets);
    std::uint64_t sumNs = 0, saturated = 0, errors = 0;
    std::uint64_t maxNs = 0; //!< taken from a shard, not handed out yet
};

IntervalSampler::IntervalSampler(Recorder& recorder)
    : m_recorder(recorder)
{
    for (std::size_t i = 0; i < 2 + recorder.m_operations; ++i)
        m_previous.push_back(std::make_unique<Previous>());
    for (const auto& shard : recorder.m_shards) {
        m_previous[0]->sources.push_back(&shard->m_transaction.service);
        m_previous[0]->errorSources.push_back(&shard->m_transaction.errors);
        if (shard->m_response)
            m_previous[1]->sources.push_back(shard->m_response.get());
        for (std::size_t op = 0; op < recorder.m_operations; ++op) {
            m_previous[2 + op]->sources.push_back(&shard->m_ops[op].service);
            m_previous[2 + op]->errorSources.push_back(&shard->m_ops[op].errors);
        }
    }
}

IntervalSampler::~IntervalSampler() = default;

Histogram IntervalSampler::difference(Previous& previous)
{
    std::uint64_t sumNs = 0;
    std::uint64_t saturated = 0;
    for (AtomicHistogram* source : previous.sources) {
        previous.maxNs = std::max(previous.maxNs, source->m_maxNs.exchange(0, kRelaxed));
        sumNs += source->m_sumNs.load(kRelaxed);
        saturated += source->m_saturated.load(kRelaxed);
    }
    std::vector<Histogram::Bucket> buckets;
    for (std::size_t i = 0; i < hdr::kBuckets; ++i) {
        std::uint64_t count = 0;
        for (const AtomicHistogram* source : previous.sources)
            count += source->m_counts[i].load(kRelaxed);
        if (count != previous.counts[i]) {
            buckets.push_back({std::uint32_t(i), count - previous.counts[i]});
            previous.counts[i] = count;
        }
    }
    // The count, the sum and the maximum of one operation are three separate adds, and this may have run between them.
    // Then the sum or the maximum is handed out one interval later; in total nothing is lost. An interval without
    // counts hands out nothing, and the maximum is never below the bucket that it must lie in.
    if (buckets.empty())
        return {};
    const std::uint64_t maxNs = std::max(std::exchange(previous.maxNs, 0), hdr::lowestOf(buckets.back().index));
    return Histogram::fromBuckets(std::move(buckets), sumNs - std::exchange(previous.sumNs, sumNs), maxNs,
                                  saturated - std::exchange(previous.saturated, saturated));
}

OpInterval IntervalSampler::interval(Previous& previous)
{
    OpInterval interval;
    interval.service = difference(previous);
    interval.count = interval.service.count();
    std::uint64_t errors = 0;
    for (const std::atomic<std::uint64_t>* source : previous.errorSources)
        errors += source->load(kRelaxed);
    interval.errors = errors - std::exchange(previous.errors, errors);
    return interval;
}

IntervalSample IntervalSampler::take()
{
    IntervalSample sample;
    sample.transaction = interval(*m_previous[0]);
    sample.transaction.response = difference(*m_previous[1]);
    for (std::size_t op = 0; op < m_recorder.m_operations; ++op)
        sample.ops.push_back(interval(*m_previous[2 + op]));

    std::map<std::int32_t, std::uint64_t> codes;
    std::uint64_t retried = 0;
    std::uint64_t dropped = 0;
    std::uint64_t reconnects = 0;
    for (const auto& shard : m_recorder.m_shards) {
        retried += shard->m_retried.load(kRelaxed);
        dropped += shard->m_dropped.load(kRelaxed);
        reconnects += shard->m_reconnects.load(kRelaxed);
        for (const RecorderShard::CodeSlot& slot : shard->m_codes) {
            const std::int64_t code = slot.code.load(kRelaxed);
            if (code != RecorderShard::kFree)
                codes[std::int32_t(code)] += slot.count.load(kRelaxed);
        }
        if (const std::uint64_t others = shard->m_otherCodes.load(kRelaxed); others != 0)
            codes[-1] += others;
    }
    sample.retried = retried - std::exchange(m_previousRetried, retried);
    sample.dropped = dropped - std::exchange(m_previousDropped, dropped);
    sample.reconnects = reconnects - std::exchange(m_previousReconnects, reconnects);
    for (const auto& [code, count] : codes) {
        std::uint64_t& before = m_previousCodes[code];
        if (count != before)
            sample.errors[code] = count - before;
        before = count;
    }
    return sample;
}

} // namespace dyno
