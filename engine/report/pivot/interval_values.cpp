// SPDX-License-Identifier: GPL-3.0-or-later
// What a run did interval by interval: the lines of charts over time.
#include "base/none.h"
#include "report/export/row_rates.h"
#include <dyno/run_fields.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

namespace dyno {

namespace {

//! A measure of intervals, taken apart.
struct Asked
{
    std::string base, operation;
    const RunField* latency = nullptr;     //!< "service_p95:new_order": the field of service_p95
    std::optional<std::uint64_t> lastRows; //!< "rows:1000": 1000, and no operation
    explicit Asked(std::string_view measure)
        : lastRows(report::lastRowsOf(measure))
    {
        std::tie(base, operation) = splitMeasure(measure);
        if (lastRows)
            operation.clear();
        if (const RunField* field = findRunField(base); field && field->latency)
            latency = field;
    }
    [[nodiscard]] bool ofResponse() const { return latency && latency->times == &RunSummary::response; }
    [[nodiscard]] bool isAmount() const
    {
        return base == "tps" || base == "qps" || base == "per_minute" || base == "transactions" || ofRows();
    }
    [[nodiscard]] bool ofRows() const { return base == "rows" && operation.empty(); } //!< changed, a second
    //! Operation ids that are counted; none = transactions.
    [[nodiscard]] std::vector<std::size_t> ids(const std::vector<OperationInfo>& operations, bool& known) const
    {
        std::vector<std::size_t> ids;
        for (std::size_t i = 0; i < operations.size(); ++i) {
            if (operation.empty() ? base == "qps" && isSummed(operations[i].opClass) : operations[i].name == operation)
                ids.push_back(i);
        }
        known = operation.empty() || !ids.empty();
        return ids;
    }
    [[nodiscard]] double amount(double count, std::int64_t lengthNs) const
    {
        if (base == "transactions")
            return count;
        const double seconds = static_cast<double>(lengthNs) * 1e-9;
        return seconds > 0 ? count / seconds * (base == "per_minute" ? kSecondsPerMinute : 1) : kNone;
    }
};

//! "rows:N" of the measured time; nothing of what lies before or after it.
template<class At>
std::vector<double> lastRowRates(std::size_t intervals, double last, At at)
{
    report::RowCourse course;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < intervals; ++i) {
        const auto [phase, lengthNs, rows] = at(i);
        if (phase != Phase::Measure || lengthNs <= 0)
            continue;
        course.rows.push_back(rows);
        course.seconds.push_back(static_cast<double>(lengthNs) * 1e-9);
        places.push_back(i);
    }
    const std::vector<double> rates = report::ratesOfLastRows(course, last);
    std::vector<double> values(intervals, kNone);
    for (std::size_t i = 0; i < places.size(); ++i)
        values[places[i]] = rates[i];
    return values;
}

} // namespace

std::optional<std::uint64_t> report::lastRowsOf(std::string_view measure)
{
    constexpr std::string_view kBase = "rows:";
    if (!measure.starts_with(kBase))
        return {};
    const std::string_view part = measure.substr(kBase.size());
    std::uint64_t number = 0;
    const auto read = std::from_chars(part.data(), part.data() + part.size(), number);
    const bool whole = read.ec == std::errc() && read.ptr == part.data() + part.size();
    return whole && number > 0 ? std::optional(number) : std::nullopt;
}

std::vector<double> report::ratesOfLastRows(const RowCourse& course, double last)
{
    std::vector<double> rates;
    rates.reserve(course.rows.size());
    double rows = 0, seconds = 0;             // up to the end of the interval
    double rowsBefore = 0, secondsBefore = 0; // up to the start of `first`
    std::size_t first = 0;                    // the interval in which the stretch begins
    for (std::size_t i = 0; i < course.rows.size(); ++i) {
        rows += static_cast<double>(course.rows[i]);
        seconds += course.seconds[i];
        const double from = rows - last;
        while (first < i && rowsBefore + static_cast<double>(course.rows[first]) <= from) {
            rowsBefore += static_cast<double>(course.rows[first]);
            secondsBefore += course.seconds[first];
            ++first;
        }
        const auto own = static_cast<double>(course.rows[first]);
        const double skipped = own > 0 ? course.seconds[first] * (from - rowsBefore) / own : 0;
        rates.push_back(from >= 0 ? last / (seconds - secondsBefore - skipped) : kNone);
    }
    return rates;
}

IntervalMeasures intervalMeasuresOf(std::string_view measure, std::string_view operation)
{
    const Asked asked(measure);
    std::string of = operation.empty() ? asked.operation : std::string(operation);
    IntervalMeasures both;
    if (isOfCounters(measure)) { // of the server: no kind of operation has counters of its own
        both.amount = std::string(measure);
        return both;
    }
    if (asked.isAmount())
        both.amount = asked.lastRows ? std::string(measure) : asked.base;
    if (asked.latency)
        both.latency = asked.base;
    if (!asked.isAmount() && !asked.latency)
        of = operation; // the part of another measure is no operation
    if (of.empty())
        return both;
    // tps:GROUP stays: only groups of users have it. Rows are not told by operation.
    const bool ofGroup = asked.base == "tps" && operation.empty();
    if ((both.amount == "tps" && !ofGroup) || asked.ofRows())
        both.amount = "qps";
    both.amount += ":" + of;
    both.latency += ":" + of;
    return both;
}

std::vector<double> intervalValues(const std::vector<IntervalSample>& intervals,
                                   const std::vector<OperationInfo>& operations, std::string_view measure)
{
    const Asked asked(measure);
    bool known = false;
    const std::vector<std::size_t> ids = asked.ids(operations, known);
    known = known && (asked.isAmount() || asked.latency);
    if (asked.lastRows) {
        return lastRowRates(intervals.size(), double(*asked.lastRows), [&intervals](std::size_t i) {
            return std::tuple(intervals[i].phase, intervals[i].lengthNs, intervals[i].rows);
        });
    }
    std::vector<double> values;
    values.reserve(intervals.size());
    for (const IntervalSample& sample : intervals) {
        std::uint64_t count = ids.empty() && asked.base != "qps" ? sample.transaction.count : 0;
        const OpInterval* one = &sample.transaction;
        for (const std::size_t id : ids) {
            if (id < sample.ops.size()) {
                one = &sample.ops[id];
                count += one->count;
            }
        }
        if (asked.ofRows())
            count = sample.rows;
        if (!known)
            values.push_back(kNone);
        else if (asked.isAmount())
            values.push_back(asked.amount(static_cast<double>(count), sample.lengthNs));
        else {
            const Histogram& times = asked.ofResponse() ? one->responseOrService() : one->service;
            values.push_back(times.empty() ? kNone : summarize(times).*asked.latency->latency->member);
        }
    }
    return values;
}

std::optional<std::vector<double>>
intervalValues(const IntervalColumns& intervals, const std::vector<OperationInfo>& operations, std::string_view measure)
{
    const Asked asked(measure);
    bool known = false;
    const std::vector<std::size_t> ids = asked.ids(operations, known);
    if (!known || (!asked.isAmount() && !asked.latency))
        return std::vector<double>(intervals.size(), kNone);
    if (asked.lastRows) {
        return lastRowRates(intervals.size(), double(*asked.lastRows), [&intervals](std::size_t i) {
            return std::tuple(intervals.phase[i], intervals.lengthNs[i], intervals.rows[i]);
        });
    }
    if (std::ranges::any_of(ids, [&intervals](std::size_t id) { return id >= intervals.ops.size(); }))
        return {};
    const IntervalColumns::Operation& one = ids.empty() ? intervals.transaction : intervals.ops[ids.front()];
    if (asked.latency) {
        const bool apart = asked.ofResponse() && !one.response.p95Ms.empty();
        const auto column = asked.latency->latency->column;
        return column ? std::optional((apart ? one.response : one.service).*column) : std::nullopt;
    }
    std::vector<double> values;
    values.reserve(intervals.size());
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        std::uint64_t count = ids.empty() && asked.base != "qps" ? intervals.transaction.count[i] : 0;
        if (asked.ofRows())
            count = intervals.rows[i];
        for (const std::size_t id : ids)
            count += intervals.ops[id].count[i];
        values.push_back(asked.amount(static_cast<double>(count), intervals.lengthNs[i]));
    }
    return values;
}

} // namespace dyno
