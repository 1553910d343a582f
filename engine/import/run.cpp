// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/collector.h"

#include "import/text.h"
#include <dyno/run_fields.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace dyno::import {

namespace {

struct Percentile
{
    double percent;
    double Latency::*field;
    double LatencySummary::*ours;
    const char* id; //!< in the ids of measures
};
constexpr std::array kPercentiles = {
    Percentile{50, &Latency::p50, &LatencySummary::p50Ms, "p50"},
    Percentile{90, &Latency::p90, &LatencySummary::p90Ms, "p90"},
    Percentile{95, &Latency::p95, &LatencySummary::p95Ms, "p95"},
    Percentile{99, &Latency::p99, &LatencySummary::p99Ms, "p99"},
    Percentile{99.9, &Latency::p999, &LatencySummary::p999Ms, "p999"},
    Percentile{-1, &Latency::mean, &LatencySummary::meanMs, "mean"},
    Percentile{100, &Latency::max, &LatencySummary::maxMs, "max"},
};

//! A count of intervals and of whole runs, as files tell it.
struct Count
{
    const char* id; //!< of its RunField
    double Interval::*field;
    double Run::*total;
};
constexpr Count kCounts[] = {
    {"transactions", &Interval::transactions, &Run::transactions},
    {"failed", &Interval::errors, &Run::failed},
    {"retried", &Interval::retried, &Run::retried},
    {"dropped", &Interval::dropped, &Run::dropped},
    {"reconnects", &Interval::reconnects, &Run::reconnects},
    {"rows", &Interval::rows, &Run::rows},
};

constexpr LatencySummary kNothing = {kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone};

std::uint64_t counted(double value)
{
    return std::isfinite(value) ? wholeOf(value).value_or(0) : 0;
}

LatencySummary summaryOf(const Latency& latency)
{
    LatencySummary summary = kNothing;
    for (const Percentile& one : kPercentiles)
        summary.*one.ours = latency.*one.field;
    return summary;
}

std::int64_t nanoseconds(double seconds)
{
    constexpr double kMost = 9e9; // 285 years
    return std::isfinite(seconds) ? std::llround(std::clamp(seconds, -kMost, kMost) * 1e9) : 0;
}

} // namespace

bool Latency::set(double percentile, double ms)
{
    for (const Percentile& one : kPercentiles) {
        if (one.percent == percentile) {
            this->*one.field = ms;
            return true;
        }
    }
    return false;
}

bool Latency::any() const
{
    return std::ranges::any_of(kPercentiles, [this](const auto& one) { return std::isfinite(this->*one.field); });
}

void Run::add(const Interval& interval)
{
    if (m_folded > 1 && m_tail == m_folded) {
        join(m_rows.size() - m_tail, m_rows.size(), m_tail);
        m_tail = 0;
    }
    m_rows.push_back(interval);
    if (m_folded > 1)
        ++m_tail;
}

void Run::firstBegan(double start, bool rates)
{
    if (m_rows.size() != 1 || !(start > m_rows.front().start))
        return;
    Interval& first = m_rows.front();
    const double length = first.start + first.seconds - start;
    constexpr double kCut = 1.75; // less is a slow start: a head that was cut off is a whole interval or more
    if (!(length > 0) || first.seconds < kCut * length)
        return;
    const double part = rates ? length / first.seconds : 1;
    first.start = start;
    first.seconds = length;
    for (const Count& count : kCounts)
        first.*count.field *= part;
    for (Counts& counts : m_counts) {
        for (std::array<double, 2>& one : counts.values)
            one = {one[0] * part, one[1] * part};
    }
}

Run::Counts* Run::countsOf(std::string_view name, OpClass opClass)
{
    auto found = std::ranges::find(m_counts, name, &Counts::name);
    if (found == m_counts.end()) {
        if (m_counts.size() >= kMostColumns)
            return nullptr;
        found = m_counts.insert(found, Counts{std::string(name), opClass, {}});
    }
    return &*found;
}

void Run::operation(std::string_view name, OpClass opClass, double count, double failures)
{
    Counts* counts = m_rows.empty() ? nullptr : countsOf(name, opClass);
    if (!counts)
        return;
    counts->values.resize(m_rows.size());
    counts->values.back()[0] += count;
    counts->values.back()[1] += failures;
}

void Run::stated(std::string_view name, std::string_view unit, double value, Fold rule)
{
    if (m_rows.empty() || !std::isfinite(value))
        return;
    auto found = std::ranges::find(m_series, name, &Series::name);
    if (found == m_series.end()) {
        if (m_series.size() >= kMostColumns)
            return;
        found = m_series.insert(found, Series{std::string(name), std::string(unit), rule, {}});
    }
    found->values.resize(m_rows.size(), kNone);
    found->values.back() = value;
}

void Run::latencyPercentile(double percentile, double ms, std::string_view of)
{
    // Called for every line of a long log: the usual name is not put together again.
    if (of.empty() && percentile == 95)
        return stated("latency p95", "ms", ms, Fold::Highest);
    stated(fmt::format("{}{}latency p{}", of, of.empty() ? "" : " ", percentile), "ms", ms, Fold::Highest);
}

void Run::histogram(std::string_view of, OpClass opClass, const Histogram& values)
{
    if (m_rows.empty() || values.empty())
        return;
    std::size_t column = 0;
    if (!of.empty()) {
        const Counts* counts = countsOf(of, opClass);
        if (!counts)
            return;
        column = static_cast<std::size_t>(counts - m_counts.data()) + 1;
    }
    m_histograms[{m_rows.size() - 1, column}].merge(values);
}

OperationTotal& Run::totalOf(std::string_view name, OpClass opClass)
{
    const auto found = std::ranges::find(operations, name, &OperationTotal::name);
    if (found != operations.end())
        return *found;
    if (operations.size() >= kMostColumns) // a file of nothing but names: the last one gets what is left
        return operations.back();
    return operations.emplace_back(OperationTotal{std::string(name), opClass, kNone, kNone, {}});
}

void Run::figure(std::string_view name, std::string_view value, std::string_view unit)
{
    constexpr std::size_t kMostFigures = 1000;
    const std::string text = shown(value);
    for (ImportFigure& one : figures) {
        if (one.name == name) {
            one.value = text;
            return;
        }
    }
    if (figures.size() < kMostFigures)
        figures.push_back({shown(name), text, std::string(unit)});
}

std::vector<OperationInfo> Run::operationInfos() const
{
    std::vector<OperationInfo> infos;
    for (const Counts& counts : m_counts)
        infos.push_back({counts.name, counts.opClass});
    for (const OperationTotal& kind : operations) {
        if (std::ranges::find(m_counts, kind.name, &Counts::name) == m_counts.end())
            infos.push_back({kind.name, kind.opClass});
    }
    return infos;
}

std::vector<CounterInfo> Run::counterInfos() const
{
    std::vector<CounterInfo> infos;
    for (const Series& series : m_series) {
        std::string name = series.name;
        if (m_folded > 1 && (series.fold == Fold::Highest || series.fold == Fold::Lowest))
            name += fmt::format(" ({} of {} intervals)", series.fold == Fold::Highest ? "highest" : "lowest", m_folded);
        infos.push_back({kStatedSource, std::move(name), series.unit, false});
    }
    return infos;
}

IntervalSample Run::sample(std::size_t index) const
{
    const Interval& row = m_rows[index];
    IntervalSample sample;
    sample.tNs = nanoseconds(row.start);
    sample.lengthNs = std::max<std::int64_t>(0, nanoseconds(row.seconds));
    sample.phase = row.phase;
    sample.users = row.users != 0 ? row.users : users;
    sample.transaction.count = counted(row.transactions);
    sample.transaction.errors = counted(row.errors);
    for (const Count& count : kCounts) {
        if (const RunField* field = findRunField(count.id))
            field->interval.with(sample, [value = counted(row.*count.field)](auto& place) {
                place = static_cast<std::remove_reference_t<decltype(place)>>(value);
            });
    }
    sample.backlog = counted(row.backlog);
    sample.ops.resize(operationInfos().size());
    for (std::size_t i = 0; i < m_counts.size(); ++i) {
        if (index < m_counts[i].values.size()) {
            sample.ops[i].count = counted(m_counts[i].values[index][0]);
            sample.ops[i].errors = counted(m_counts[i].values[index][1]);
        }
    }
    for (auto at = m_histograms.lower_bound({index, 0}); at != m_histograms.end() && at->first.first == index; ++at) {
        OpInterval& place = at->first.second == 0 ? sample.transaction : sample.ops[at->first.second - 1];
        const bool response = clock == Clock::Response ||
                              (at->first.second > 0 && m_counts[at->first.second - 1].name.starts_with(kIntended));
        (response ? place.response : place.service) = at->second;
    }
    for (const Series& series : m_series)
        sample.counters.push_back(index < series.values.size() ? series.values[index] : kNone);
    return sample;
}

bool Run::fold()
{
    if (m_rows.size() - m_tail < 2)
        return false;
    const std::size_t before = m_rows.size();
    join(0, m_rows.size() - m_tail, 2);
    m_folded *= 2;
    return m_rows.size() < before;
}

void Run::join(std::size_t first, std::size_t last, std::size_t group)
{
    std::vector<Interval> joined; // from `first` on
    std::vector<std::size_t> to;  // new place of each of them, less `first`
    for (std::size_t i = first; i < m_rows.size(); ++i) {
        const bool joins = i < last && (i - first) % group != 0 && m_rows[i].phase == joined.back().phase;
        to.push_back(joins ? joined.size() - 1 : joined.size());
        if (!joins) {
            joined.push_back(m_rows[i]);
            continue;
        }
        Interval& sum = joined.back();
        const Interval& next = m_rows[i];
        sum.seconds += next.seconds;
        sum.users = std::max(sum.users, next.users);
        sum.backlog = next.backlog;
        for (const Count& count : kCounts)
            sum.*count.field += next.*count.field;
    }
    for (Counts& counts : m_counts) {
        std::vector<std::array<double, 2>> values(joined.size());
        for (std::size_t i = first; i < counts.values.size(); ++i) {
            values[to[i - first]][0] += counts.values[i][0];
            values[to[i - first]][1] += counts.values[i][1];
        }
        counts.values.resize(first);
        counts.values.insert(counts.values.end(), values.begin(), values.end());
    }
    for (Series& series : m_series)
        joinSeries(series, first, to, joined.size());
    std::map<std::pair<std::size_t, std::size_t>, Histogram> histograms;
    const auto from = m_histograms.lower_bound({first, 0});
    for (auto at = from; at != m_histograms.end(); ++at)
        histograms[{first + to[at->first.first - first], at->first.second}].merge(at->second);
    m_histograms.erase(from, m_histograms.end());
    m_histograms.merge(histograms);
    m_rows.resize(first);
    m_rows.insert(m_rows.end(), joined.begin(), joined.end());
}

void Run::joinSeries(Series& series, std::size_t first, const std::vector<std::size_t>& to, std::size_t size) const
{
    std::vector<double> values(size, kNone);
    std::vector<double> weights(size, 0);
    for (std::size_t i = first; i < series.values.size(); ++i) {
        const double value = series.values[i];
        if (!std::isfinite(value))
            continue;
        double& sum = values[to[i - first]];
        double& weight = weights[to[i - first]];
        // A mean latency is of its transactions; where they are not told, of its time.
        const double more = m_rows[i].transactions > 0 ? m_rows[i].transactions : m_rows[i].seconds;
        if (!std::isfinite(sum) || series.fold == Fold::Last)
            sum = value;
        else if (series.fold == Fold::Highest)
            sum = std::max(sum, value);
        else if (series.fold == Fold::Lowest)
            sum = std::min(sum, value);
        else if (weight + more > 0)
            sum = (sum * weight + value * more) / (weight + more);
        weight += more;
    }
    series.values.resize(first, kNone);
    series.values.insert(series.values.end(), values.begin(), values.end());
}

//! What the intervals say of the whole: sums, where the file has no total.
void Run::sumUp(RunSummary& summary, std::vector<std::string>& told) const
{
    double length = 0, queriesSum = 0;
    Interval sums;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const Interval& row = m_rows[i];
        if (row.phase != Phase::Measure)
            continue;
        length += row.seconds;
        for (const Count& count : kCounts)
            sums.*count.field += row.*count.field;
        for (const Counts& counts : m_counts)
            queriesSum += i < counts.values.size() ? counts.values[i][0] : 0;
    }
    const double sum = sums.transactions;
    const auto take = [&summary, &told](const char* id, double given, double summed) {
        const RunField* field = findRunField(id);
        if (field && field->count)
            summary.*field->count = counted(std::isfinite(given) ? given : summed);
        if (std::isfinite(given) || summed > 0)
            told.emplace_back(id);
    };
    summary.seconds = std::isfinite(seconds) ? seconds : length;
    for (const Count& count : kCounts)
        take(count.id, this->*count.total, sums.*count.field);
    take("rollbacks", rollbacks, 0);
    take("queries", queries, queriesSum);
    summary.tps = std::isfinite(tps)                                   ? tps
                  : std::isfinite(transactions) && summary.seconds > 0 ? transactions / summary.seconds
                  : sum > 0 && length > 0                              ? sum / length
                                                                       : kNone;
    summary.qps = std::isfinite(qps)                              ? qps
                  : std::isfinite(queries) && summary.seconds > 0 ? queries / summary.seconds
                  : queriesSum > 0 && length > 0                  ? queriesSum / length
                                                                  : kNone;
    if (std::isfinite(summary.tps))
        told.emplace_back("tps");
    if (std::isfinite(summary.qps))
        told.emplace_back("qps");
    if (std::isfinite(errors)) {
        told.emplace_back("errors");
        if (counted(errors) > 0) {
            summary.errors[0] = counted(errors);
            summary.errorTexts[0] = errorText;
        }
    }
}

ImportedRun Run::summarized(const std::string& origin, int point, int repeat) const
{
    ImportedRun out;
    RunSummary& summary = out.summary;
    summary.point = point;
    summary.repeat = repeat;
    summary.status = status;
    summary.reason = reason;
    summary.origin = origin;
    summary.found = kNone;
    summary.cpuUsPerOp = kNone;
    summary.told = {};
    sumUp(summary, summary.told);

    // Percentiles that the tool itself states come first; histograms give the others.
    std::vector<Histogram> merged(m_counts.size() + 1);
    for (const auto& [key, values] : m_histograms) {
        if (m_rows[key.first].phase == Phase::Measure)
            merged[key.second].merge(values);
    }
    if (!total.empty())
        merged[0] = total;
    const auto complete = [](Latency given, const Histogram& values) {
        if (values.empty())
            return given;
        const LatencySummary all = summarize(values);
        for (const Percentile& one : kPercentiles) {
            if (!std::isfinite(given.*one.field))
                given.*one.field = all.*one.ours;
        }
        return given;
    };
    const Latency whole = complete(latency, merged[0]);
    const bool response = clock == Clock::Response;
    summary.service = response ? kNothing : summaryOf(whole);
    summary.response = response ? summaryOf(whole) : kNothing;
    for (const Percentile& one : kPercentiles) {
        if (std::isfinite(whole.*one.field))
            summary.told.push_back(fmt::format("{}_{}", response ? "response" : "service", one.id));
    }
    const std::vector<OperationInfo> infos = operationInfos();
    for (std::size_t i = 0; i < infos.size(); ++i) {
        OperationSummary one{
            .name = infos[i].name, .opClass = infos[i].opClass, .service = kNothing, .response = kNothing, .times = {}};
        Latency times;
        if (i < m_counts.size()) {
            for (std::size_t row = 0; row < m_counts[i].values.size(); ++row) {
                if (m_rows[row].phase == Phase::Measure) {
                    one.count += counted(m_counts[i].values[row][0]);
                    one.errors += counted(m_counts[i].values[row][1]);
                }
            }
        }
        const auto stated = std::ranges::find(operations, one.name, &OperationTotal::name);
        if (stated != operations.end()) {
            one.count = std::isfinite(stated->count) ? counted(stated->count) : one.count;
            one.errors = std::isfinite(stated->errors) ? counted(stated->errors) : one.errors;
            times = stated->latency;
        }
        times = complete(times, i < m_counts.size() ? merged[i + 1] : Histogram());
        (response || one.name.starts_with(kIntended) ? one.response : one.service) = summaryOf(times);
        summary.operations.push_back(std::move(one));
    }
    out.users = users;
    out.intervals = m_rows.size();
    out.folded = m_folded;
    out.figures = figures;
    for (const CounterInfo& series : counterInfos())
        out.series.push_back(series.unit.empty() ? series.name : fmt::format("{} ({})", series.name, series.unit));
    return out;
}

} // namespace dyno::import
