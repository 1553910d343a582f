// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Where workers put what they measured: cumulative counters and histograms that are never reset, with atomic adds.
//! The sampler subtracts two snapshots. A shard is shared by a few workers at most (no histogram per user), padded to
//! its own cache lines.
#pragma once

#include "base/ids.h"
#include <dyno/histogram.h>
#include <dyno/samples.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace dyno {

//! Cumulative histogram of atomic adds. Any number of writers and readers.
class AtomicHistogram
{
public:
    void record(std::uint64_t ns)
    {
        m_sumNs.fetch_add(ns, std::memory_order_relaxed);
        if (ns > m_maxNs.load(std::memory_order_relaxed)) [[unlikely]]
            raiseMax(ns);
        if (ns > hdr::kMaxValue) [[unlikely]]
            m_saturated.fetch_add(1, std::memory_order_relaxed);
        // Last, and released: who sees the count sees the rest.
        m_counts[hdr::bucketOf(ns)].fetch_add(1, std::memory_order_release);
    }

private:
    friend class IntervalSampler;
    void raiseMax(std::uint64_t ns);
    std::array<std::atomic<std::uint64_t>, hdr::kBuckets> m_counts{};
    std::atomic<std::uint64_t> m_sumNs{0};
    std::atomic<std::uint64_t> m_maxNs{0}; //!< taken (set to 0) by the sampler at each interval
    std::atomic<std::uint64_t> m_saturated{0};
};

//! An operation that was begun, and how long ago.
struct CallUnderWay
{
    OpId op{};
    std::int64_t ageNs = 0;
};

//! Counts of one operation kind or of transactions.
struct alignas(64) RecorderSlot
{
    std::atomic<std::uint64_t> errors{0};
    AtomicHistogram service;
    std::atomic<std::uint64_t> rows{0};        //!< beside the histogram's sum: one line of the cache
    std::unique_ptr<AtomicHistogram> response; //!< of a group whose transactions arrive by themselves
};

class alignas(64) RecorderShard
{
public:
    //! `separateResponse`: open loop; the response time of transactions is recorded beside the service time. So is that
    //! of the groups that `openGroups` names by their operation ids.
    RecorderShard(std::size_t operations, bool separateResponse, const std::vector<OpId>& openGroups = {});

    //! `rows`: OpInterval::rows.
    void recordOperation(OpId op, std::uint64_t serviceNs, bool ok, std::uint64_t rows = 0)
    {
        RecorderSlot& slot = m_ops[indexOf(op)];
        if (!ok) [[unlikely]] {
            slot.errors.fetch_add(1, std::memory_order_relaxed);
            return;
        }
        if (rows > 0)
            slot.rows.fetch_add(rows, std::memory_order_relaxed); // before the count, as the histogram's sum
        slot.service.record(serviceNs);
    }
    //! A transaction that succeeded.
    void recordTransaction(std::uint64_t serviceNs, std::uint64_t responseNs)
    {
        m_transaction.service.record(serviceNs);
        if (m_response)
            m_response->record(responseNs);
    }
    //! A transaction of a group, beside recordTransaction() or recordFailure().
    void recordGroup(OpId group, std::uint64_t serviceNs, std::uint64_t responseNs)
    {
        RecorderSlot& slot = m_ops[indexOf(group)];
        slot.service.record(serviceNs);
        if (slot.response)
            slot.response->record(responseNs);
    }
    void recordFailure() { m_transaction.errors.fetch_add(1, std::memory_order_relaxed); } //!< a transaction given up
    void recordRetry() { m_retried.fetch_add(1, std::memory_order_relaxed); }
    void recordReconnect() { m_reconnects.fetch_add(1, std::memory_order_relaxed); }
    void recordRows(std::uint64_t n)
    {
        m_rows.fetch_add(n, std::memory_order_relaxed);
    }                                                                              //!< rows changed, and committed
    void recordRollback() { m_rollbacks.fetch_add(1, std::memory_order_relaxed); } //!< one that the definition asks for
    //! Of the right answers of an operation, how many it found, and how many there are.
    void recordFound(std::uint64_t found, std::uint64_t wanted)
    {
        m_found.fetch_add(found, std::memory_order_relaxed);
        m_wanted.fetch_add(wanted, std::memory_order_relaxed);
    }
    //! An arrival that a free user took up more than 1 ms late; see ClientHealth::lateStarts.
    void recordLateStart() { m_lateStarts.fetch_add(1, std::memory_order_relaxed); }
    //! Counts an error code; the first kCodes different codes are told apart, the rest are counted under code −1.
    void recordCode(std::int32_t code);

private:
    friend class IntervalSampler;
    static constexpr std::size_t kCodes = 16;
    struct CodeSlot
    {
        std::atomic<std::int64_t> code{kFree};
        std::atomic<std::uint64_t> count{0};
    };
    static constexpr std::int64_t kFree = INT64_MIN;
    RecorderSlot m_transaction;
    std::unique_ptr<AtomicHistogram> m_response;
    std::vector<RecorderSlot> m_ops;
    std::atomic<std::uint64_t> m_retried{0}, m_reconnects{0};
    std::atomic<std::uint64_t> m_rows{0}, m_rollbacks{0}, m_lateStarts{0};
    std::atomic<std::uint64_t> m_found{0}, m_wanted{0};
    std::array<CodeSlot, kCodes> m_codes;
    std::atomic<std::uint64_t> m_otherCodes{0}; //!< codes that found no free slot
};

//! All shards of a run. Immutable shape after construction.
class Recorder
{
public:
    Recorder(std::size_t shards, std::size_t operations, bool separateResponse,
             const std::vector<OpId>& openGroups = {});
    [[nodiscard]] RecorderShard& shard(std::size_t index) { return *m_shards[index % m_shards.size()]; }
    [[nodiscard]] std::size_t shards() const { return m_shards.size(); }
    [[nodiscard]] std::size_t operations() const { return m_operations; }

private:
    friend class IntervalSampler;
    std::size_t m_operations;
    bool m_separateResponse;
    std::vector<OpId> m_openGroups;
    std::vector<std::unique_ptr<RecorderShard>> m_shards;
};

//! Turns cumulative counts into intervals by subtraction: every recorded operation lands in exactly one interval.
//! Control thread only.
class IntervalSampler
{
public:
    //! `recorder` must outlive the sampler.
    explicit IntervalSampler(Recorder& recorder);
    ~IntervalSampler();
    //! What was recorded since the last call; fills transaction, ops, retried, reconnects, rows,
    //! rollbacks, errors and client.lateStarts. Times, phase, users, arrivals and the rest of client are the caller's:
    //! keep lateStarts when SelfHealth::take() fills client.
    [[nodiscard]] IntervalSample take();

private:
    struct Previous;
    static Histogram difference(Previous& previous);
    static OpInterval interval(Previous& previous);
    Recorder& m_recorder;
    std::vector<std::unique_ptr<Previous>> m_previous; //!< transaction, response, then operations, open groups
    std::map<std::int32_t, std::uint64_t> m_previousCodes;
    //! Events that are only counted, summed over the shards.
    struct Counts
    {
        std::uint64_t retried = 0, reconnects = 0, rows = 0, rollbacks = 0, lateStarts = 0;
        std::uint64_t found = 0, wanted = 0;
    };
    Counts m_previousCounts;
};

} // namespace dyno
