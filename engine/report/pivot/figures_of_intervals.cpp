// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of a run that its summary does not hold.
#include "base/none.h"
#include "base/text.h"
#include "metrics/host_usage.h"
#include "metrics/process_event.h"
#include "report/export/row_rates.h"
#include "report/pivot/labels.h"
#include <dyno/analysis.h>
#include <dyno/formula.h>
#include <dyno/report.h>
#include <dyno/run_fields.h>
#include <dyno/server_variables.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace dyno {

namespace {

constexpr std::string_view kWritten = "bytes_written_per_op";
constexpr std::string_view kIngested = "bytes_ingested_per_op";
constexpr std::string_view kAmplification = "write_amplification";
constexpr std::string_view kLinkBytes = "link_bytes_per_second";
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
    const auto found = report::indexOfCounter(run.header.counters, part);
    if (!found || !hasMean(run.header.counters[*found]))
        return kNone;
    const std::size_t index = *found;
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

//! `names`: counters of that source, all of which there must be.
double countedBy(const StoredRun& run, const std::vector<IntervalSample>& intervals, std::string_view source,
                 const std::vector<std::string>& names, Share share)
{
    std::vector<std::size_t> indexes;
    for (std::size_t i = 0; i < run.header.counters.size(); ++i) {
        const CounterInfo& counter = run.header.counters[i];
        if (counter.source == source && std::find(names.begin(), names.end(), counter.name) != names.end())
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

double writtenBy(const StoredRun& run, const std::vector<IntervalSample>& intervals,
                 const std::vector<std::string>& names, Share share)
{
    return countedBy(run, intervals, "server", names, share);
}

//! What the processor counted of the server's process, for each operation.
double ofProcessor(const StoredRun& run, const std::vector<IntervalSample>& intervals, const char* name)
{
    return countedBy(run, intervals, kProcessSource, {name}, Share::Operation);
}

//! Both ways together, a second.
double overLink(const StoredRun& run, const std::vector<IntervalSample>& intervals)
{
    const auto by = [](const char* name) { return fmt::format("{}/{}", kHostSource, name); };
    return counterMean(run, intervals, by(kLinkReceived)) + counterMean(run, intervals, by(kLinkSent));
}

//! Over the intervals in which both were counted.
double instructionsPerCycle(const StoredRun& run, const std::vector<IntervalSample>& intervals)
{
    const auto indexOf = [&run](std::string_view name) {
        const auto& all = run.header.counters;
        return static_cast<std::size_t>(
            std::ranges::find_if(
                all, [name](const CounterInfo& one) { return one.source == kProcessSource && one.name == name; }) -
            all.begin());
    };
    const std::size_t instructions = indexOf(kProcessInstructions), cycles = indexOf(kProcessCycles);
    if (std::max(instructions, cycles) >= run.header.counters.size())
        return kNone;
    double done = 0, passed = 0;
    for (const IntervalSample& sample : intervals) {
        if (!counts(sample) || std::max(instructions, cycles) >= sample.counters.size())
            continue;
        const double more = sample.counters[instructions] * secondsOf(sample);
        const double longer = sample.counters[cycles] * secondsOf(sample);
        if (!std::isfinite(more) || !std::isfinite(longer))
            continue;
        done += more;
        passed += longer;
    }
    return passed > 0 ? done / passed : kNone;
}

//! True where counters of these engines, or of any where none is named, count what is done to tables of `engine`.
bool isOf(const std::vector<std::string>& engines, std::string_view engine)
{
    const auto named = [engine](const std::string& one) { return lowered(one) == lowered(engine); };
    return engines.empty() || std::ranges::any_of(engines, named);
}

//! What one server's counters say of bytes written, or not a number.
double bytesBy(const ServerVariables& server, const StoredRun& run, const std::vector<IntervalSample>& intervals,
               std::string_view measure, std::string_view engine)
{
    if (measure == kLogBytes)
        return engine.empty() || isOf(server.logEngines, engine)
                   ? writtenBy(run, intervals, server.logWritten, Share::Transaction)
                   : kNone;
    const bool storing = !server.stored.empty() && isOf(server.storedEngines, engine);
    const double ingested = storing ? writtenBy(run, intervals, server.ingested, Share::Operation) : kNone;
    const double stored = storing ? writtenBy(run, intervals, server.stored, Share::Operation) : kNone;
    if (measure == kIngested)
        return ingested;
    if (measure == kAmplification)
        return ingested > 0 ? stored / ingested : kNone;
    return storing ? stored : writtenBy(run, intervals, server.written, Share::Operation);
}

std::string engineOf(const StoredSession& session, const StoredRun& run)
{
    const auto point = static_cast<std::size_t>(run.summary.point);
    return run.summary.point >= 0 && point < session.header.points.size()
               ? textOf(session.header.points[point].table, "engine")
               : std::string();
}

//! Not a number where nothing tells stalls: of what another tool measured, and of a run without transactions.
double ofStalls(const StoredRun& run, const std::vector<IntervalSample>& intervals, std::string_view measure)
{
    // Of a run that did nothing at all nobody knows what would have been usual.
    const auto did = [](const IntervalSample& one) { return counts(one) && one.transaction.count > 0; };
    if (!run.summary.origin.empty() || std::ranges::none_of(intervals, did))
        return kNone;
    double stalls = 0, dips = 0, seconds = 0, longest = 0, missing = 0, slow = 0, slowSeconds = 0;
    for (const Stall& stall : findStalls(intervals, stallRuleOf(run.summary))) {
        const double length = static_cast<double>(stall.lengthNs) * 1e-9;
        if (stall.isSlow()) {
            slow += 1;
            slowSeconds += length;
            continue;
        }
        (stall.stalled ? stalls : dips) += 1;
        seconds += length;
        longest = std::max(longest, length);
        missing += stall.missing;
    }
    const std::pair<std::string_view, double> figures[] = {{"stalls", stalls},
                                                           {"dips", dips},
                                                           {"stall_seconds", seconds},
                                                           {"longest_stall", longest},
                                                           {"stall_missing", missing},
                                                           {"latency_stalls", slow},
                                                           {"latency_stall_seconds", slowSeconds}};
    const auto* const found = std::ranges::find(figures, measure, &std::pair<std::string_view, double>::first);
    return found == std::end(figures) ? kNone : found->second;
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
                      const RunSetting& setting, std::string_view engine)
{
    const auto [base, part] = splitMeasure(measure);
    if (base == kFormulaMeasure) {
        const auto formula = Formula::parse(part);
        const auto figureOf = [&](const std::string& one) {
            const MeasureInfo* info = findMeasure(one);
            if (!info)
                return kNone;
            return info->fromIntervals ? intervalFigure(run, intervals, one, setting, engine)
                                       : measureOf(run.summary, setting, one).value_or(kNone);
        };
        return formula ? formula->value(figureOf) : kNone;
    }
    if (const RunField* field = findRunField(measure); field && field->topic == RunField::Topic::Stalls)
        return ofStalls(run, intervals, measure);
    if (base == "counter")
        return counterMean(run, intervals, part);
    if (measure == kLogBytes || measure == kWritten || measure == kIngested || measure == kAmplification) {
        for (const ServerVariables& one : serverVariables()) {
            if (const double bytes = bytesBy(one, run, intervals, measure, engine); std::isfinite(bytes))
                return bytes;
        }
        return kNone;
    }
    if (measure == kLinkBytes)
        return overLink(run, intervals);
    if (measure == kServerInstructionsPerOp)
        return ofProcessor(run, intervals, kProcessInstructions);
    if (measure == kServerTlbMissesPerOp)
        return ofProcessor(run, intervals, kProcessTlbMisses);
    if (measure == kServerIpc)
        return instructionsPerCycle(run, intervals);
    if (const auto last = report::lastRowsOf(measure))
        return exitRate(intervals, double(*last));
    if (base == "exit_rate") {
        double last = 0;
        std::from_chars(part.data(), part.data() + part.size(), last);
        return exitRate(intervals, last);
    }
    return kNone;
}

namespace {

//! What of a run a measure needs, where that is less than its intervals: single counters over the measured time.
//! Nothing where it needs more.
std::optional<std::vector<std::size_t>> countersNeeded(const StoredRun& run, std::string_view measure)
{
    std::vector<std::string> parts;
    const auto add = [&parts](std::string_view one) {
        auto [base, part] = splitMeasure(one);
        const MeasureInfo* info = findMeasure(one);
        if (base == "counter")
            parts.push_back(std::move(part));
        return base == "counter" || (info && !info->fromIntervals);
    };
    const auto [base, text] = splitMeasure(measure);
    if (base == kFormulaMeasure) {
        const auto formula = Formula::parse(text);
        if (!formula || !std::ranges::all_of(formula->measures(), add))
            return std::nullopt;
    } else if (!add(measure) || parts.empty()) {
        return std::nullopt;
    }
    std::vector<std::size_t> needed;
    for (const std::string& part : parts) {
        const auto index = report::indexOfCounter(run.header.counters, part);
        if (index && std::ranges::find(needed, *index) == needed.end())
            needed.push_back(*index);
    }
    return needed;
}

//! The measure of a run as if it had no counters but these.
Expected<double> figureOfCounters(Library& library, const StoredSession& session, const StoredRun& run,
                                  std::string_view measure, const std::vector<std::size_t>& counters)
{
    StoredRun thin;
    thin.summary = run.summary;
    std::vector<IntervalSample> samples;
    if (!counters.empty()) {
        const auto columns = library.columns(run.id, {.counters = true, .only = counters});
        if (!columns)
            return fail(columns.error());
        for (const std::size_t index : counters)
            thin.header.counters.push_back(run.header.counters[index]);
        samples.resize(columns->size());
        for (std::size_t i = 0; i < samples.size(); ++i) {
            samples[i].lengthNs = columns->lengthNs[i];
            samples[i].phase = columns->phase[i];
            for (const std::vector<double>& column : columns->counters)
                samples[i].counters.push_back(column[i]);
        }
    }
    return intervalFigure(thin, samples, measure, settingOf(session, run));
}

} // namespace

Expected<std::vector<double>> intervalFigures(Library& library, const StoredSession& session, std::string_view measure)
{
    std::vector<double> values;
    for (const StoredRun& run : session.runs) {
        values.push_back(kNone);
        if (run.summary.status != RunStatus::Done || (report::isOfAll(measure) && shortfallOf(session, run)))
            continue;
        if (const auto needed = countersNeeded(run, measure)) {
            const auto figure = figureOfCounters(library, session, run, measure, *needed);
            if (!figure)
                return fail(figure.error());
            values.back() = *figure;
            continue;
        }
        const auto intervals = library.intervals(run.id);
        if (!intervals)
            return fail(intervals.error());
        values.back() = intervalFigure(run, *intervals, measure, settingOf(session, run), engineOf(session, run));
    }
    return values;
}

} // namespace dyno
