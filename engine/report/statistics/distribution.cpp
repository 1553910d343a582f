// SPDX-License-Identifier: GPL-3.0-or-later
// Latencies as a curve of percentiles and as counts over time, from stored histograms.
#include <dyno/analysis.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dyno {

namespace {

constexpr double kRowFactor = 1.0905077326652577; // 2^(1/8): eight rows to a doubling

const Histogram& histogramOf(const OpInterval& op, bool response)
{
    return response ? op.responseOrService() : op.service;
}

bool isShown(const IntervalSample& sample)
{
    return (sample.phase == Phase::Warmup || sample.phase == Phase::Measure) && sample.lengthNs > 0;
}

//! The row of each of a histogram's buckets; row 0 begins at 1 ns.
int rowOf(std::uint32_t bucket)
{
    static const std::vector<int> table = [] {
        std::vector<int> rows;
        for (std::size_t i = 0; i < hdr::kBuckets; ++i) {
            const auto ns = static_cast<double>(std::max<std::uint64_t>(1, hdr::middleOf(i)));
            rows.push_back(static_cast<int>(std::floor(std::log(ns) / std::log(kRowFactor))));
        }
        return rows;
    }();
    return table[std::min<std::size_t>(bucket, table.size() - 1)];
}

} // namespace

std::vector<SpectrumPoint> spectrumOf(const Histogram& histogram, std::size_t most)
{
    std::vector<SpectrumPoint> curve;
    const auto n = static_cast<double>(histogram.count());
    const double end = 100 * (1 - 1 / (2 * std::max(1.0, n)));
    double below = 0, last = -1;
    const double step = std::log10(2 * std::max(1.0, n)) / static_cast<double>(std::max<std::size_t>(2, most) - 1);
    const auto& buckets = histogram.buckets();
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        below += static_cast<double>(buckets[i].count);
        const double percentile = std::min(100 * below / n, end);
        const double place = -std::log10(1 - percentile / 100);
        if (i > 0 && i + 1 < buckets.size() && place - last < step)
            continue;
        last = place;
        const auto ns = std::min(hdr::highestOf(buckets[i].index), histogram.maxNs());
        curve.push_back({percentile, static_cast<double>(ns) * 1e-6});
    }
    return curve;
}

Histogram mergedOf(const std::vector<IntervalSample>& intervals, bool response, std::optional<std::size_t> operation)
{
    Histogram all;
    for (const IntervalSample& sample : intervals) {
        if (sample.phase != Phase::Measure || (operation && *operation >= sample.ops.size()))
            continue;
        all.merge(histogramOf(operation ? sample.ops[*operation] : sample.transaction, response));
    }
    return all;
}

HeatMap heatMapOf(const std::vector<IntervalSample>& intervals, std::size_t mostColumns, bool response)
{
    HeatMap map;
    std::vector<const IntervalSample*> shown;
    int lowest = std::numeric_limits<int>::max(), highest = 0;
    std::int64_t zero = -1;
    for (const IntervalSample& sample : intervals) {
        if (!isShown(sample))
            continue;
        shown.push_back(&sample);
        if (zero < 0 && sample.phase == Phase::Measure)
            zero = sample.tNs;
        for (const Histogram::Bucket& bucket : histogramOf(sample.transaction, response).buckets()) {
            lowest = std::min(lowest, rowOf(bucket.index));
            highest = std::max(highest, rowOf(bucket.index));
        }
    }
    if (shown.empty() || lowest > highest)
        return map;
    const std::int64_t begin = shown.front()->tNs, end = shown.back()->tNs + shown.back()->lengthNs;
    if (zero < 0)
        zero = end;
    map.columns = std::clamp<std::size_t>(shown.size(), 1, std::max<std::size_t>(1, mostColumns));
    map.rows = static_cast<std::size_t>(highest - lowest + 1);
    map.fromSeconds = static_cast<double>(begin - zero) * 1e-9;
    map.columnSeconds = static_cast<double>(end - begin) * 1e-9 / static_cast<double>(map.columns);
    map.lowestMs = std::pow(kRowFactor, lowest) * 1e-6;
    map.rowFactor = kRowFactor;
    map.counts.assign(map.columns * map.rows, 0);
    for (const IntervalSample* sample : shown) {
        const double middle = static_cast<double>(sample->tNs + sample->lengthNs / 2 - begin) * 1e-9;
        const auto column =
            std::min(map.columns - 1, static_cast<std::size_t>(std::max(0.0, middle / map.columnSeconds)));
        for (const Histogram::Bucket& bucket : histogramOf(sample->transaction, response).buckets()) {
            const auto row = static_cast<std::size_t>(rowOf(bucket.index) - lowest);
            map.counts[column * map.rows + row] += static_cast<double>(bucket.count);
        }
    }
    return map;
}

} // namespace dyno
