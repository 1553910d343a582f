// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Log-linear latency histogram (the HdrHistogram idea, hdrhistogram.org): 64 sub-buckets per power of two, so a
//! bucket is at most 1/64 = 1.5625 % wide; values in nanoseconds from 0 to 2^42 − 1 ns (73 minutes). Larger values are
//! counted in the last bucket and in `saturated`.
//! A value that one thread at a time may change: a load thread has its own, which the control thread takes over.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

namespace hdr {
constexpr unsigned kSubBits = 6;  //!< 2^6 linear sub-buckets per octave
constexpr unsigned kMaxBits = 42; //!< largest value is 2^42 − 1 ns
constexpr std::uint64_t kMaxValue = (std::uint64_t(1) << kMaxBits) - 1;
constexpr std::size_t kBuckets = std::size_t(kMaxBits - kSubBits + 1) << kSubBits;

//! Bucket of a value; values above kMaxValue fall into the last bucket.
constexpr std::size_t bucketOf(std::uint64_t ns)
{
    if (ns > kMaxValue)
        ns = kMaxValue;
    const auto bits = unsigned(std::bit_width(ns));
    if (bits <= kSubBits)
        return std::size_t(ns);
    const unsigned shift = bits - kSubBits - 1;
    // ns >> shift lies in [64, 128): the octave's linear part
    return (std::size_t(shift) << kSubBits) + std::size_t(ns >> shift);
}
//! Smallest value of a bucket.
constexpr std::uint64_t lowestOf(std::size_t bucket)
{
    if (bucket < (std::size_t(2) << kSubBits))
        return bucket;
    const std::size_t shift = (bucket >> kSubBits) - 1;
    const std::uint64_t mantissa = (bucket & ((std::size_t(1) << kSubBits) - 1)) + (std::uint64_t(1) << kSubBits);
    return mantissa << shift;
}
//! Largest value of a bucket.
constexpr std::uint64_t highestOf(std::size_t bucket)
{
    return bucket + 1 >= kBuckets ? kMaxValue : lowestOf(bucket + 1) - 1;
}
//! Value that stands for a bucket: its middle.
constexpr std::uint64_t middleOf(std::size_t bucket)
{
    return lowestOf(bucket) + (highestOf(bucket) - lowestOf(bucket)) / 2;
}
} // namespace hdr

//! Value type: sparse, mergeable counts of one interval, one run or any window. Not for the hot path (see
//! metrics/recorder.h). Percentiles come from merged counts, never from averaged percentiles.
class Histogram
{
public:
    struct Bucket
    {
        std::uint32_t index;
        std::uint64_t count;
        bool operator==(const Bucket&) const = default;
    };

    void record(std::uint64_t ns, std::uint64_t count = 1); //!< for tests and importers; O(log n)
    void merge(const Histogram& other);

    [[nodiscard]] std::uint64_t count() const { return m_count; }
    [[nodiscard]] bool empty() const { return m_count == 0; }
    [[nodiscard]] double meanNs() const { return m_count ? double(m_sumNs) / double(m_count) : 0.0; } //!< exact
    [[nodiscard]] std::uint64_t sumNs() const { return m_sumNs; }
    [[nodiscard]] std::uint64_t maxNs() const { return m_maxNs; } //!< exact
    [[nodiscard]] std::uint64_t saturated() const { return m_saturated; }
    //! Value at percentile p (0…100]: the middle of the smallest bucket with ceil(p/100·n) values up to it, at most the
    //! exact maximum; 0 when empty. Of saturated values the maximum is told; kMaxValue stands for those that are only
    //! known to be above.
    [[nodiscard]] double percentileNs(double p) const;
    [[nodiscard]] const std::vector<Bucket>& buckets() const { return m_buckets; }

    //! Used by the sampler and the store: buckets sorted by index, without zero counts.
    static Histogram fromBuckets(std::vector<Bucket> buckets, std::uint64_t sumNs, std::uint64_t maxNs,
                                 std::uint64_t saturated);

    //! Compressed form (varint deltas, then deflate); stable across machines. See metrics/histogram.cpp.
    [[nodiscard]] std::string toBlob() const;
    //! Reads toBlob(); an empty or damaged blob gives an empty histogram and `ok = false`.
    static Histogram fromBlob(std::string_view blob, bool* ok = nullptr);

    bool operator==(const Histogram&) const = default;

private:
    std::vector<Bucket> m_buckets;
    std::uint64_t m_count = 0;
    std::uint64_t m_sumNs = 0;
    std::uint64_t m_maxNs = 0;
    std::uint64_t m_saturated = 0;
};

} // namespace dyno
