// SPDX-License-Identifier: GPL-3.0-or-later
//
// Blob format, version 1: one byte 1, then one deflate stream (zlib) of unsigned LEB128 numbers:
//   sumNs, maxNs, saturated, n, then n times (index − previous index, count); the first index counts from −1, so that
//   every step is at least 1 and every count is at least 1.
// All numbers are independent of the machine's byte order and word size.
#include <dyno/histogram.h>

#include "base/packing.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dyno {

namespace {

constexpr char kVersion = 1;
constexpr std::size_t kVarintBytes = 10; // ceil(64 / 7)
//! Nothing honest unpacks to more: four numbers and two for each bucket.
constexpr std::size_t kMaxPlain = kVarintBytes * (4 + 2 * hdr::kBuckets);

void putVarint(std::string& out, std::uint64_t value)
{
    while (value >= 0x80) {
        out += static_cast<char>(static_cast<unsigned char>(value & 0x7f) | 0x80u);
        value >>= 7;
    }
    out += static_cast<char>(static_cast<unsigned char>(value));
}

//! Reads the next number and shortens `in`; false at the end of the data or for a number above 2^64 − 1.
bool getVarint(std::string_view& in, std::uint64_t& value)
{
    value = 0;
    for (std::size_t i = 0; i < kVarintBytes && i < in.size(); ++i) {
        const auto byte = static_cast<unsigned char>(in[i]);
        const std::uint64_t bits = byte & 0x7fu;
        if (i == kVarintBytes - 1 && bits > 1)
            return false;
        value |= bits << (7 * i);
        if ((byte & 0x80u) == 0) {
            in.remove_prefix(i + 1);
            return true;
        }
    }
    return false;
}

//! One of the values above kMaxValue, counted from 1 over all values. Of these only the largest is kept, and with it,
//! of two values in all, the other one.
double saturatedAt(const Histogram& histogram, std::uint64_t number)
{
    if (number == histogram.count())
        return double(histogram.maxNs());
    if (histogram.count() == 2)
        return double(histogram.sumNs() - histogram.maxNs());
    return double(hdr::kMaxValue);
}

} // namespace

void Histogram::record(std::uint64_t ns, std::uint64_t count)
{
    if (count == 0)
        return;
    const auto index = std::uint32_t(hdr::bucketOf(ns));
    const auto at = std::lower_bound(m_buckets.begin(), m_buckets.end(), index,
                                     [](const Bucket& bucket, std::uint32_t i) { return bucket.index < i; });
    if (at != m_buckets.end() && at->index == index)
        at->count += count;
    else
        m_buckets.insert(at, {index, count});
    m_count += count;
    m_sumNs += ns * count;
    m_maxNs = std::max(m_maxNs, ns);
    if (ns > hdr::kMaxValue)
        m_saturated += count;
}

void Histogram::merge(const Histogram& other)
{
    std::vector<Bucket> merged;
    merged.reserve(m_buckets.size() + other.m_buckets.size());
    auto a = m_buckets.cbegin();
    auto b = other.m_buckets.cbegin();
    while (a != m_buckets.cend() || b != other.m_buckets.cend()) {
        if (b == other.m_buckets.cend() || (a != m_buckets.cend() && a->index < b->index)) {
            merged.push_back(*a++);
        } else if (a == m_buckets.cend() || b->index < a->index) {
            merged.push_back(*b++);
        } else {
            merged.push_back({a->index, a->count + b->count});
            ++a;
            ++b;
        }
    }
    m_buckets = std::move(merged);
    m_count += other.m_count;
    m_sumNs += other.m_sumNs;
    m_maxNs = std::max(m_maxNs, other.m_maxNs);
    m_saturated += other.m_saturated;
}

double Histogram::percentileNs(double p) const
{
    if (m_count == 0)
        return 0;
    // 99.9 is not a binary fraction: without the tolerance, 99.9 % of 1000 could be the 1000th value instead of the
    // 999th. It is far below 1/n for every count that occurs.
    const double share = std::clamp(p, 0.0, 100.0) * double(m_count) / 100.0;
    const double rank = std::ceil(share - share * 1e-12);
    const auto wanted = rank < 1 ? 1 : rank >= double(m_count) ? m_count : static_cast<std::uint64_t>(rank);
    std::uint64_t seen = 0;
    for (const Bucket& bucket : m_buckets) {
        seen += bucket.count;
        if (seen < wanted)
            continue;
        // The saturated values are the largest ones, at the end of the last bucket.
        if (bucket.index + 1 == hdr::kBuckets && wanted + m_saturated > m_count)
            return saturatedAt(*this, wanted);
        return double(std::min(hdr::middleOf(bucket.index), m_maxNs));
    }
    return double(m_maxNs);
}

Histogram Histogram::fromBuckets(std::vector<Bucket> buckets, std::uint64_t sumNs, std::uint64_t maxNs,
                                 std::uint64_t saturated)
{
    Histogram histogram;
    histogram.m_buckets = std::move(buckets);
    for (const Bucket& bucket : histogram.m_buckets)
        histogram.m_count += bucket.count;
    histogram.m_sumNs = sumNs;
    histogram.m_maxNs = maxNs;
    histogram.m_saturated = saturated;
    return histogram;
}

std::string Histogram::toBlob() const
{
    std::string plain;
    plain.reserve(16 + m_buckets.size() * 4);
    putVarint(plain, m_sumNs);
    putVarint(plain, m_maxNs);
    putVarint(plain, m_saturated);
    putVarint(plain, m_buckets.size());
    std::uint64_t next = 0;
    for (const Bucket& bucket : m_buckets) {
        putVarint(plain, bucket.index + 1 - next);
        putVarint(plain, bucket.count);
        next = bucket.index + 1;
    }
    // Level 1: these are a few hundred bytes, written each interval; higher levels gain almost nothing.
    std::string blob = deflated(plain, 1);
    if (!blob.empty())
        blob.insert(blob.begin(), kVersion);
    return blob;
}

Histogram Histogram::fromBlob(std::string_view blob, bool* ok)
{
    if (ok)
        *ok = false;
    if (blob.empty() || blob.front() != kVersion)
        return {};
    const std::string plain = inflated(blob.substr(1), kMaxPlain).value_or(std::string());
    std::string_view in = plain;
    Histogram histogram;
    std::uint64_t buckets = 0;
    if (!getVarint(in, histogram.m_sumNs) || !getVarint(in, histogram.m_maxNs) ||
        !getVarint(in, histogram.m_saturated) || !getVarint(in, buckets) || buckets > hdr::kBuckets)
        return {};
    histogram.m_buckets.reserve(buckets);
    std::uint64_t next = 0;
    for (std::uint64_t i = 0; i < buckets; ++i) {
        std::uint64_t step = 0;
        std::uint64_t count = 0;
        if (!getVarint(in, step) || !getVarint(in, count) || step == 0 || step > hdr::kBuckets - next || count == 0 ||
            count > std::numeric_limits<std::uint64_t>::max() - histogram.m_count)
            return {};
        next += step;
        histogram.m_buckets.push_back({std::uint32_t(next - 1), count});
        histogram.m_count += count;
    }
    if (!in.empty())
        return {};
    if (ok)
        *ok = true;
    return histogram;
}

} // namespace dyno
