// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of a run that its summary does not hold.
#include "base/none.h"
#include "base/text.h"
#include "report/export/row_rates.h"
#include "report/pivot/labels.h"
#include <dyno/analysis.h>
#include <dyno/report.h>
#include <dyno/server_variables.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace dyno {

namespace {

constexpr double kLastShare = 0.1; //!< of the rows: exit_rate without a number

bool counts(const IntervalSample& sample)
{
    return sample.phase == Phase::Measure && sample.lengthNs > 0;
}

double secondsOf(const IntervalSample& sample)
{
    return static_cast<double>(sample.lengthNs) * 1e-9;
}

double counterMean(const StoredRun& run, const std::vector<IntervalSample>& intervals, std::string_view part)
{
    const auto& counters = run.header.counters;
    const auto found = std::find_if(counters.begin(), counters.end(),
                                    [&part](const CounterInfo& one) { return report::counterPart(one) == part; });
    if (found == counters.end() || found->source == kStatedSource)
        return kNone; // what another tool stated of an interval (a percentile) has no mean
    const auto index = static_cast<std::size_t>(found - counters.begin());
    double sum = 0, seconds = 0;
    for (const IntervalSample& sample : intervals) {
        if (!counts(sample) || index >= sample.counters.size() || !std::isfinite(sample.counters[index]))
            continue;
        sum += sample.counters[index] * secondsOf(sample);
        seconds += secondsOf(sample);
    }
    return seconds > 0 ? sum / seconds : kNone;
}

//! What a sample's bytes are divided by.
enum class Share { Operation, Transaction };

//! `names`: counters of the server, all of which it must have.
double writtenBy(const StoredRun& run, const std::vector<IntervalSample>& intervals,
                 const std::vector<std::string>& names, Share share)
{
    std::vector<std::size_t> indexes;
    for (std::size_t i = 0; i < run.header.counters.size(); ++i) {
        const CounterInfo& counter = run.header.counters[i];
        if (counter.source == "server" && std::find(names.begin(), names.end(), counter.name) != names.end())
            indexes.push_back(i);
    }
    if (names.empty() || indexes.size() != names.size())
        return kNone;
    double bytes = 0, shares = 0;
    for (const IntervalSample& sample : intervals) {
        const auto unknown = [&sample](std::size_t i) {
            return i >= sample.counters.size() || !std::isfinite(sample.counters[i]);
        };
        if (!counts(sample) || std::any_of(indexes.begin(), indexes.end(), unknown))
            continue;
        for (const std::size_t i : indexes)
            bytes += sample.counters[i] * secondsOf(sample);
        if (share == Share::Transaction)
            shares += static_cast<double>(sample.transaction.count);
        if (share == Share::Operation)
            shares += static_cast<double>(operationCount(sample, run.header.operations));
    }
    return shares > 0 ? bytes / shares : kNone;
}

//! False where the tables have an engine whose log the server's counters leave out.
bool isLogOf(const ServerVariables& variables, std::string_view engine)
{
    const auto named = [engine](const std::string& one) { return lowered(one) == lowered(engine); };
    return engine.empty() || variables.logEngines.empty() || std::ranges::any_of(variables.logEngines, named);
}

std::string engineOf(const StoredSession& session, const StoredRun& run)
{
    const auto point = static_cast<std::size_t>(run.summary.point);
    return run.summary.point >= 0 && point < session.header.points.size()
               ? textOf(session.header.points[point].table, "engine")
               : std::string();
}

//! `last`: 0 for the last tenth.
double exitRate(const std::vector<IntervalSample>& intervals, double last)
{
    report::RowCourse course;
    double all = 0;
    for (const IntervalSample& sample : intervals) {
        if (!counts(sample))
            continue;
        course.rows.push_back(sample.rows);
        course.seconds.push_back(secondsOf(sample));
        all += static_cast<double>(sample.rows);
    }
    const std::vector<double> rates =
        report::ratesOfLastRows(course, last == 0 ? std::max(1.0, kLastShare * all) : last);
    return rates.empty() ? kNone : rates.back();
}

} // namespace

double intervalFigure(const StoredRun& run, const std::vector<IntervalSample>& intervals, std::string_view measure,
                      std::string_view engine)
{
    const auto [base, part] = splitMeasure(measure);
    if (base == "counter")
        return counterMean(run, intervals, part);
    if (const bool ofLog = measure == kLogBytes; ofLog || measure == "bytes_written_per_op") {
        for (const ServerVariables& one : serverVariables()) {
            if (ofLog && !isLogOf(one, engine))
                continue;
            const double written = ofLog ? writtenBy(run, intervals, one.logWritten, Share::Transaction)
                                         : writtenBy(run, intervals, one.written, Share::Operation);
            if (std::isfinite(written))
                return written;
        }
        return kNone;
    }
    if (const auto last = report::lastRowsOf(measure))
        return exitRate(intervals, double(*last));
    if (base == "exit_rate") {
        double last = 0;
        std::from_chars(part.data(), part.data() + part.size(), last);
        return exitRate(intervals, last);
    }
    return kNone;
}

Expected<std::vector<double>> intervalFigures(Library& library, const StoredSession& session, std::string_view measure)
{
    std::vector<double> values;
    for (const StoredRun& run : session.runs) {
        values.push_back(kNone);
        if (run.summary.status != RunStatus::Done || (report::isOfAll(measure) && shortfallOf(session, run)))
            continue;
        const auto intervals = library.intervals(run.id);
        if (!intervals)
            return fail(intervals.error());
        values.back() = intervalFigure(run, *intervals, measure, engineOf(session, run));
    }
    return values;
}

} // namespace dyno
