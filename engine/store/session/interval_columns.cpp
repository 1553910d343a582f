// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/session/interval_columns.h"

#include "base/none.h"

namespace dyno {

namespace {

void append(IntervalColumns::Latency& latency, const LatencyPoint& point)
{
    latency.p50Ms.push_back(point.p50 * 1e-6);
    latency.p95Ms.push_back(point.p95 * 1e-6);
    latency.p99Ms.push_back(point.p99 * 1e-6);
    latency.p999Ms.push_back(point.p999 * 1e-6);
    latency.maxMs.push_back(point.max * 1e-6);
}

void append(IntervalColumns::Operation& operation, const OpInterval& values)
{
    const LatencyPoint response = LatencyPoint::of(values.response);
    append(operation, values.count, values.errors, LatencyPoint::of(values.service),
           values.response.empty() ? nullptr : &response);
}

} // namespace

LatencyPoint LatencyPoint::none()
{
    return {kNone, kNone, kNone, kNone, kNone};
}

LatencyPoint LatencyPoint::of(const Histogram& histogram)
{
    if (histogram.empty())
        return none();
    const auto at = [&histogram](double percentile) { return knownNs(histogram.percentileNs(percentile)); };
    return {at(50), at(95), at(99), at(99.9), static_cast<double>(histogram.maxNs())};
}

void append(IntervalColumns::Operation& operation, std::uint64_t count, std::uint64_t errors,
            const LatencyPoint& service, const LatencyPoint* response)
{
    // Measured apart from here on: before, it was the service time.
    if (response && operation.response.p50Ms.empty())
        operation.response = operation.service;
    if (response || !operation.response.p50Ms.empty())
        append(operation.response, response ? *response : service);
    append(operation.service, service);
    operation.count.push_back(count);
    operation.errors.push_back(errors);
}

void append(IntervalColumns& columns, const IntervalSample& sample)
{
    columns.tNs.push_back(sample.tNs);
    columns.lengthNs.push_back(sample.lengthNs);
    columns.phase.push_back(sample.phase);
    columns.rows.push_back(sample.rows);
    append(columns.transaction, sample.transaction);
    for (std::size_t i = 0; i < columns.ops.size(); ++i)
        append(columns.ops[i], i < sample.ops.size() ? sample.ops[i] : OpInterval());
    for (std::size_t i = 0; i < columns.counters.size(); ++i)
        columns.counters[i].push_back(i < sample.counters.size() ? sample.counters[i] : kNone);
}

} // namespace dyno
