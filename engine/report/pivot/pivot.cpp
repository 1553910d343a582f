// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/chart_kinds.h>
#include <dyno/plan_refs.h>
#include <dyno/report.h>
#include <dyno/run_fields.h>
#include <dyno/uri_form.h>

#include "base/none.h"
#include "report/format.h"
#include "report/pivot/knees.h"
#include "report/pivot/labels.h"
#include "report/pivot/side_by_side.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace dyno {

namespace report {

namespace {

bool contains(const std::vector<std::string>& list, std::string_view text)
{
    return std::find(list.begin(), list.end(), text) != list.end();
}

} // namespace

std::vector<std::string> sessionLabels(const std::vector<StoredSession>& sessions)
{
    std::map<std::string, int> count;
    for (const StoredSession& session : sessions)
        ++count[session.info.title];
    std::vector<std::string> labels;
    for (const StoredSession& session : sessions) {
        std::string label = session.info.title;
        if (count[label] > 1 || label.empty())
            label += (label.empty() ? "" : " · ") + session.info.id.substr(0, 8);
        labels.push_back(std::move(label));
    }
    return labels;
}

std::string driverOf(const StoredSession& session, const RunSummary& run)
{
    const auto point = std::size_t(run.point);
    return point < session.header.points.size() ? driverNamedBy(session.header.points[point].target.uri)
                                                : std::string();
}

std::string caseLabel(const PointSpec& point, std::string_view axis)
{
    for (const CaseRef& reference : point.cases) {
        if (reference.axis == axis)
            return reference.label;
    }
    return axis == "users" ? std::to_string(point.users()) : std::string(kNoCase);
}

std::vector<std::string> splitAxes(std::string_view axes)
{
    std::vector<std::string> names;
    while (!axes.empty()) {
        const std::size_t at = axes.find(kAxisJoin);
        names.emplace_back(axes.substr(0, at));
        axes = at == std::string_view::npos ? std::string_view() : axes.substr(at + kAxisJoin.size());
    }
    return names;
}

std::vector<CaseRef> casesAlong(std::string_view axes, std::string_view label)
{
    std::vector<CaseRef> cases;
    const std::vector<std::string> names = splitAxes(axes);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::size_t end = i + 1 < names.size() ? label.find(", ") : std::string_view::npos;
        cases.push_back({names[i], std::string(label.substr(0, end))});
        label = end == std::string_view::npos ? std::string_view() : label.substr(end + 2);
    }
    return cases;
}

std::optional<double> numberOf(std::string_view label)
{
    double value = 0;
    const auto read = std::from_chars(label.data(), label.data() + label.size(), value);
    if (label.empty() || read.ec != std::errc() || read.ptr != label.data() + label.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

} // namespace report

namespace {

using report::contains;

//! What of a run a cell shows, where these axes are laid out; "" where they are not.
struct Part
{
    std::string operation, spread, process;
};

//! The kinds of operations of which some run has figures, in the workload's order.
std::vector<std::string> operationsOf(const std::vector<StoredSession>& sessions)
{
    std::vector<std::string> known, counted;
    const auto add = [](std::vector<std::string>& list, const std::string& name) {
        if (!name.empty() && !contains(list, name))
            list.push_back(name);
    };
    for (const StoredSession& session : sessions) {
        for (const StoredRun& run : session.runs) {
            for (const OperationInfo& operation : run.header.operations)
                add(known, operation.name);
            for (const OperationSummary& operation : run.summary.operations) {
                add(known, operation.name);
                if (operation.count > 0)
                    add(counted, operation.name);
            }
        }
    }
    std::erase_if(known, [&counted](const std::string& name) { return !contains(counted, name); });
    return known;
}

//! The processes of which some run tells the CPU: in the order in which runs have them.
std::vector<std::string> processesOf(const std::vector<StoredSession>& sessions)
{
    std::vector<std::string> names;
    for (const StoredSession& session : sessions) {
        for (const StoredRun& run : session.runs) {
            for (const ProcessUse& process : run.summary.processes) {
                if (!contains(names, process.name))
                    names.push_back(process.name);
            }
        }
    }
    return names;
}

//! True when the axis lies in the runs, and is not one of a plan.
bool isInRuns(const std::vector<StoredSession>& sessions, std::string_view axis)
{
    return (axis == kOperationAxis || axis == kSpreadAxis || axis == kProcessAxis) && !contains(axesOf(sessions), axis);
}

//! The sessions' points with the labels of the axes that are asked for.
class Labels
{
public:
    explicit Labels(const std::vector<StoredSession>& sessions)
        : m_sessions(sessions)
        , m_titles(report::sessionLabels(sessions))
        , m_operationsInRuns(isInRuns(sessions, kOperationAxis))
        , m_spreadInRuns(isInRuns(sessions, kSpreadAxis))
        , m_processesInRuns(isInRuns(sessions, kProcessAxis))
    {
    }

    [[nodiscard]] bool hasOperations(std::string_view axes) const
    {
        return m_operationsInRuns && contains(report::splitAxes(axes), kOperationAxis);
    }
    [[nodiscard]] bool hasSpread(std::string_view axes) const
    {
        return m_spreadInRuns && contains(report::splitAxes(axes), kSpreadAxis);
    }
    [[nodiscard]] bool hasProcesses(std::string_view axes) const
    {
        return m_processesInRuns && contains(report::splitAxes(axes), kProcessAxis);
    }
    //! Says which axes are asked for: all() and of() then know the parts of the runs.
    void layOut(const PivotRequest& request)
    {
        std::vector<std::string> operations{""}, spreads{""}, processes{""};
        const auto any = [&request](auto has) { return has(request.x) || has(request.series) || has(request.facet); };
        if (any([this](const std::string& axes) { return hasOperations(axes); }))
            operations = operationsOf(m_sessions);
        if (any([this](const std::string& axes) { return hasSpread(axes); }))
            spreads = {"min", "mean", "max"};
        if (any([this](const std::string& axes) { return hasProcesses(axes); }))
            processes = processesOf(m_sessions);
        m_request = request;
        m_parts.clear();
        for (const std::string& operation : operations) {
            for (const std::string& spread : spreads) {
                for (const std::string& process : processes)
                    m_parts.push_back({operation, spread, process});
            }
        }
    }
    [[nodiscard]] const std::vector<Part>& parts() const { return m_parts; }

    [[nodiscard]] std::string of(std::size_t session, const PointSpec& point, std::string_view axes,
                                 const Part& part) const
    {
        std::string label;
        for (const std::string& axis : report::splitAxes(axes)) {
            if (!label.empty())
                label += ", ";
            if (m_operationsInRuns && axis == kOperationAxis)
                label += part.operation;
            else if (m_spreadInRuns && axis == kSpreadAxis)
                label += part.spread;
            else if (m_processesInRuns && axis == kProcessAxis)
                label += part.process;
            else
                label += axis == "session" ? m_titles[session] : report::caseLabel(point, axis);
        }
        return label;
    }

    //! Distinct labels in plan order; numbers ascend.
    [[nodiscard]] std::vector<std::string> all(std::string_view axes) const
    {
        std::vector<std::string> labels;
        for (std::size_t s = 0; s < m_sessions.size(); ++s) {
            for (const PointSpec& point : m_sessions[s].header.points) {
                if (!isShown(m_request, point))
                    continue;
                for (const Part& part : m_parts) {
                    std::string label = of(s, point, axes, part);
                    if (!contains(labels, label))
                        labels.push_back(std::move(label));
                }
            }
        }
        if (allNumbers(labels)) {
            std::stable_sort(labels.begin(), labels.end(), [](const std::string& a, const std::string& b) {
                return *report::numberOf(a) < *report::numberOf(b);
            });
        }
        return labels;
    }

    [[nodiscard]] static bool allNumbers(const std::vector<std::string>& labels)
    {
        return !labels.empty() &&
               std::all_of(labels.begin(), labels.end(), [](const auto& l) { return report::numberOf(l).has_value(); });
    }

private:
    const std::vector<StoredSession>& m_sessions;
    std::vector<std::string> m_titles;
    bool m_operationsInRuns, m_spreadInRuns, m_processesInRuns;
    std::vector<Part> m_parts{Part()};
    PivotRequest m_request; //!< of which all() leaves points out
};

//! Axes that lie in the runs show those measures that they have.
void fitMeasure(PivotRequest& request, const Labels& labels)
{
    const auto any = [&request](auto has) { return has(request.x) || has(request.series) || has(request.facet); };
    auto [base, part] = splitMeasure(request.measure);
    const std::string time = base.starts_with("response_") ? "response_" : "service_";
    const bool isLatency = base.starts_with(time);
    if (any([&labels](const std::string& axes) { return labels.hasSpread(axes); }) && !isLatency) {
        base = "service_mean";
        if (const RunField* field = findRunField(splitMeasure(request.measure).first);
            !field || field->parts != RunField::Parts::Operations)
            part.clear(); // is no operation
    } else if (any([&labels](const std::string& axes) { return labels.hasSpread(axes); }))
        base = time + "mean";
    if (any([&labels](const std::string& axes) { return labels.hasOperations(axes); })) {
        part.clear();
        const bool read = base == kRowsReadPerSecond || base == kBytesReadPerSecond;
        if (!base.starts_with(time) && base != "per_minute" && base != "transactions" && !read)
            base = "qps";
    }
    if (any([&labels](const std::string& axes) { return labels.hasProcesses(axes); })) {
        base = "process_cpu";
        part.clear();
    }
    request.measure = part.empty() ? base : base + ":" + part;
}

//! The measure of one cell.
std::string measureOfPart(std::string_view measure, const Part& part)
{
    auto [base, own] = splitMeasure(measure);
    if (!part.spread.empty())
        base = base.substr(0, base.find('_') + 1) + part.spread;
    if (!part.operation.empty())
        own = part.operation;
    if (!part.process.empty())
        own = part.process;
    return own.empty() ? base : base + ":" + own;
}

//! Fills in what was left open. Axes that vary and are not asked for become facets: runs of different cases must never
//! be taken for repeats of each other.
PivotRequest completed(PivotRequest request, const std::vector<StoredSession>& sessions, const Labels& labels)
{
    if (!findMeasure(request.measure))
        request.measure = "tps";
    fitMeasure(request, labels);
    std::vector<std::string> varying;
    for (const std::string& axis : axesOf(sessions)) {
        if (labels.all(axis).size() > 1)
            varying.push_back(axis);
    }
    const auto taken = [&request, &sessions](const std::string& axis) {
        const auto in = [&axis](const std::string& axes) { return contains(report::splitAxes(axes), axis); };
        if (in(request.x) || in(request.series) || in(request.facet) ||
            std::ranges::find(request.fixed, axis, &CaseRef::axis) != request.fixed.end())
            return true;
        std::vector<std::string> axes;
        for (const std::string* one : {&request.x, &request.series, &request.facet}) {
            const std::vector<std::string> names = report::splitAxes(*one);
            axes.insert(axes.end(), names.begin(), names.end());
        }
        return axis == "users" && report::tellUsers(sessions, axes);
    };
    if (request.x.empty()) {
        const auto free = std::ranges::find_if(varying, [&taken](const std::string& axis) { return !taken(axis); });
        const bool users = free == varying.end() || (contains(varying, "users") && !taken("users"));
        request.x = users ? std::string("users") : *free;
    }
    if (request.series.empty()) {
        // Two sessions are compared with each other, and one session's first axis by its cases.
        if (contains(varying, "session") && !taken("session"))
            request.series = "session";
        for (const std::string& axis : varying) {
            if (request.series.empty() && !taken(axis))
                request.series = axis;
        }
    }
    for (const std::string& axis : varying) {
        if (taken(axis))
            continue;
        if (!request.facet.empty())
            request.facet += report::kAxisJoin;
        request.facet += axis;
    }
    return request;
}

using Key = std::tuple<std::string, std::string, std::string>; // x, series, facet

struct Collected
{
    std::vector<RunFigure> values, p95s;
    std::vector<int> repeats, sittings; //!< of the values
    int failed = 0, skipped = 0, damaged = 0;
    bool responses = false; //!< p95s are from the arrival
    bool unknownP95 = false;
    bool limited = false;
    bool noPrice = false;
    bool open = false; //!< some run had arrivals
    std::vector<std::string> shortRuns;
    Part part;
};

//! True when the run has done such an operation, or has failed to.
bool wasTried(const RunSummary& run, const std::string& operation)
{
    const auto isPhase = [&operation](const PhaseSummary& one) {
        return one.name == operation && one.transactions + one.failed > 0;
    };
    return std::ranges::any_of(run.phases, isPhase) ||
           std::ranges::any_of(run.operations, [&operation](const OperationSummary& one) {
               return one.name == operation && (one.count > 0 || one.errors > 0);
           });
}

//! The 95th percentile that a user of the system would see: in an open loop from the arrival.
std::string p95MeasureOf(bool fromArrival)
{
    return fromArrival ? "response_p95" : "service_p95";
}

//! The group of users in "tps:GROUP", the phase of the load in "tps:PHASE"; "" where the measure is of neither in this
//! run.
std::string stretchIn(const RunSummary& run, std::string_view measure)
{
    const std::size_t colon = measure.find(':');
    const std::string_view part = colon == std::string_view::npos ? std::string_view() : measure.substr(colon + 1);
    if (std::ranges::find(run.phases, part, &PhaseSummary::name) != run.phases.end())
        return std::string(part);
    const auto found = std::ranges::find(run.operations, part, &OperationSummary::name);
    return found != run.operations.end() && found->opClass == OpClass::Group ? found->name : std::string();
}

//! True for a group whose transactions arrive by themselves.
bool isOpenGroup(const StoredSession& session, const StoredRun& run, const std::string& group)
{
    const auto point = static_cast<std::size_t>(run.summary.point);
    if (run.summary.point < 0 || point >= session.header.points.size())
        return false;
    return std::ranges::any_of(session.header.points[point].load.groups,
                               [&group](const LoadGroup& one) { return one.name == group && one.pace.open(); });
}

//! `figure`: the run's own of a measure that only intervals tell.
void addRun(Collected& cell, const StoredSession& session, const StoredRun& run, const MeasureInfo& measure,
            std::optional<double> figure)
{
    const RunStatus status = run.summary.status;
    if (status != RunStatus::Done) {
        cell.failed += status == RunStatus::Failed || status == RunStatus::Cut ? 1 : 0;
        cell.damaged += status == RunStatus::Damaged ? 1 : 0;
        cell.skipped += status == RunStatus::Skipped || status == RunStatus::Stopped ? 1 : 0;
        return;
    }
    const RunSetting setting = settingOf(session, run);
    std::optional<RunFigure> value;
    const auto shortfall = report::isOfAll(measure.id) ? shortfallOf(session, run) : std::nullopt;
    if (!hasPriceFor(measure, setting.price))
        cell.noPrice = true;
    else if (shortfall)
        cell.shortRuns.push_back(toText(*shortfall));
    else if (!measure.fromIntervals)
        value = figureOfRun(run.summary, setting, measureOfPart(measure.id, cell.part));
    else if (figure)
        value = RunFigure{*figure};
    if (value && value->value == 0 && !cell.part.operation.empty() && !wasTried(run.summary, cell.part.operation))
        value.reset(); // not done, which is more than a count of 0
    if (value) {
        cell.values.push_back(*value);
        cell.repeats.push_back(run.summary.repeat);
        cell.sittings.push_back(run.summary.sitting);
    }
    const std::string operation =
        cell.part.operation.empty() ? stretchIn(run.summary, measure.id) : cell.part.operation;
    const bool whole = operation.empty();
    const bool ofAll = whole || std::ranges::find(run.summary.phases, operation, &PhaseSummary::name) !=
                                    run.summary.phases.end(); // users of all groups
    const bool arrivals = ofAll ? hasArrivals(run.summary) : isOpenGroup(session, run, operation);
    const std::string p95Measure = p95MeasureOf(arrivals) + (whole ? std::string() : ":" + operation);
    if (const auto p95 = figureOfRun(run.summary, setting, p95Measure);
        p95 && (whole || wasTried(run.summary, operation)))
        cell.p95s.push_back(*p95);
    else if (whole && run.summary.transactions > 0)
        cell.unknownP95 = true;
    cell.responses = cell.responses || arrivals;
    cell.limited = cell.limited || run.summary.clientLimited;
    cell.open = cell.open || arrivals;
}

std::map<Key, Collected> collect(const std::vector<StoredSession>& sessions, const PivotRequest& request,
                                 const Labels& labels, const IntervalFigures* figures)
{
    const MeasureInfo& measure = *findMeasure(request.measure);
    const bool given = figures && figures->measure == request.measure && figures->values.size() == sessions.size();
    std::map<Key, Collected> cells;
    for (std::size_t s = 0; s < sessions.size(); ++s) {
        const StoredSession& session = sessions[s];
        std::vector<std::vector<Collected*>> byPoint; // each with its parts
        for (const PointSpec& point : session.header.points) {
            byPoint.emplace_back();
            if (!isShown(request, point))
                continue;
            for (const Part& part : labels.parts()) {
                Collected& cell =
                    cells[{labels.of(s, point, request.x, part), labels.of(s, point, request.series, part),
                           labels.of(s, point, request.facet, part)}];
                cell.part = part;
                byPoint.back().push_back(&cell);
            }
        }
        const std::set<std::int64_t> triedAgain = report::runsTriedAgain(session);
        for (std::size_t r = 0; r < session.runs.size(); ++r) {
            const StoredRun& run = session.runs[r];
            if (triedAgain.contains(run.header.index))
                continue;
            const auto point = static_cast<std::size_t>(run.summary.point);
            if (run.summary.point < 0 || point >= byPoint.size())
                continue;
            std::optional<double> figure;
            if (given && r < figures->values[s].size() && std::isfinite(figures->values[s][r]))
                figure = figures->values[s][r];
            for (Collected* cell : byPoint[point])
                addRun(*cell, session, run, measure, figure);
        }
    }
    return cells;
}

//! The distinct currencies of the points that have a price of this kind.
std::vector<std::string> currenciesOf(const std::vector<StoredSession>& sessions, const MeasureInfo& measure)
{
    std::vector<std::string> currencies;
    if (measure.needs != PriceNeed::CostPerHour)
        return currencies;
    for (const StoredSession& session : sessions) {
        for (const PointSpec& point : session.header.points) {
            const Price& price = point.target.price;
            if (hasPriceFor(measure, price) && !contains(currencies, price.currency))
                currencies.push_back(price.currency);
        }
    }
    return currencies;
}

//! Of medians no test is made: they have a ratio only.
Ratio ratioOfMedians(const Estimate& value, const Estimate& reference)
{
    Ratio ratio;
    ratio.value = reference.median != 0 ? value.median / reference.median : std::numeric_limits<double>::quiet_NaN();
    if (value.runs.size() > 1 && reference.runs.size() > 1)
        ratio.verdict = Verdict::Untested;
    return ratio;
}

//! True when repeat i of all points ran side by side: one session, and its plan says so.
bool runsArePaired(const std::vector<StoredSession>& sessions)
{
    return sessions.size() == 1 && sessions.front().header.plan.load.order == RunOrder::Interleaved;
}

//! The shares of the repeats that both cells have, from the same sitting: others did not run side by side.
std::pair<std::vector<double>, std::vector<double>> pairsOf(const PivotCell& cell, const PivotCell& reference)
{
    std::pair<std::vector<double>, std::vector<double>> pairs;
    for (std::size_t i = 0; i < cell.repeats.size(); ++i) {
        for (std::size_t j = 0; j < reference.repeats.size(); ++j) {
            if (reference.repeats[j] != cell.repeats[i] || reference.sittings[j] != cell.sittings[i])
                continue;
            pairs.first.push_back(cell.estimate.shares[i]);
            pairs.second.push_back(reference.estimate.shares[j]);
            break;
        }
    }
    return pairs;
}

//! Of cells that the best is chosen from: each with each, whichever of them it turns out to be.
std::size_t pairsAmongCells(const Pivot& pivot)
{
    std::size_t pairs = 0;
    for (const std::string& facet : pivot.facets) {
        const auto cells = std::size_t(std::ranges::count_if(pivot.cells, [&facet](const PivotCell& cell) {
            return cell.facet == facet && cell.estimate.runs.size() > 1;
        }));
        pairs += cells > 1 ? cells * (cells - 1) / 2 : 0;
    }
    return pairs;
}

//! Ratios of every cell to the baseline series in the same place, or to the best cell of the facet. All verdicts are of
//! one family: whoever looks for the largest effect has looked at all of them.
void addRatios(Pivot& pivot, bool mayPair)
{
    const MeasureInfo& measure = *findMeasure(pivot.request.measure);
    const bool toBest = pivot.request.relativeTo == RelativeTo::Best;
    std::map<std::string, const PivotCell*> bests;
    for (const std::string& facet : pivot.facets)
        bests[facet] = toBest ? pivot.best(facet) : nullptr;
    std::vector<PivotCell*> compared;
    std::vector<ComparedRuns> family;
    for (PivotCell& cell : pivot.cells) {
        const PivotCell* reference =
            toBest ? bests[cell.facet] : pivot.cell(cell.x, pivot.request.baseline, cell.facet);
        if (reference == &cell)
            cell.ratio = {1, std::nullopt, std::nullopt, Verdict::Baseline};
        else if (!reference || pivot.mixedCurrencies || reference->estimate.runs.empty() || cell.estimate.runs.empty())
            continue;
        else if (pivot.request.centre == Centre::Median)
            cell.ratio = ratioOfMedians(cell.estimate, reference->estimate);
        else {
            ComparedRuns& runs = family.emplace_back(ComparedRuns{cell.estimate.shares, reference->estimate.shares});
            if (mayPair)
                std::tie(runs.pairedValue, runs.pairedBaseline) = pairsOf(cell, *reference);
            compared.push_back(&cell);
        }
    }
    const std::vector<Ratio> ratios =
        compareTogether(family, measure.higherIsBetter, toBest ? pairsAmongCells(pivot) : 0);
    for (std::size_t i = 0; i < compared.size(); ++i) {
        Ratio& ratio = compared[i]->ratio;
        ratio = ratios[i];
        pivot.paired = pivot.paired || ratio.pairs > 0;
        pivot.comparisons = std::max(pivot.comparisons, ratio.comparisons);
        if (!measure.judged && (ratio.verdict == Verdict::Better || ratio.verdict == Verdict::Worse))
            ratio.verdict = Verdict::Differs;
    }
}

//! Of the first run that has the counter.
std::string unitOfCounter(const std::vector<StoredSession>& sessions, std::string_view measure)
{
    for (const StoredSession& session : sessions) {
        for (const StoredRun& run : session.runs) {
            if (std::string unit = counterUnitOf(run.header.counters, measure); !unit.empty())
                return unit;
        }
    }
    return {};
}

//! Of each disk that was measured, those that its request names and its figures can be held against.
std::vector<DeviceLimit> limitsOf(const std::vector<StoredSession>& sessions, const Pivot& pivot)
{
    std::vector<DeviceLimit> limits;
    const std::string unit = pivot.shown().unit;
    const std::vector<std::string> names = report::sessionLabels(sessions);
    std::vector<std::vector<DeviceFigures>> disks;
    for (std::size_t s = 0; s < (pivot.request.limits.empty() ? 0 : sessions.size()); ++s)
        disks.push_back(disksOf(sessions[s]));
    std::map<std::string, int> labels;                   // several measurings of one disk, or of disks without a name
    for (const DeviceLimitInfo& info : deviceLimits()) { // whatever is named, each once
        const std::string name(info.name);
        if (std::ranges::find(pivot.request.limits, name) == pivot.request.limits.end() || !hasUnitOf(info, unit))
            continue;
        for (std::size_t s = 0; s < disks.size(); ++s) {
            for (const DeviceFigures& disk : disks[s]) {
                const double value = info.value(disk);
                if (!(value > 0))
                    continue;
                const std::string where = disk.source.empty() ? disk.fileSystem : disk.source;
                std::string label = name;
                if (disks[s].size() > 1)
                    label += where.empty() ? " of a disk" : " of " + where;
                if (sessions.size() > 1)
                    label += fmt::format(" ({})", names[s]);
                if (const int count = ++labels[label]; count > 1)
                    label += fmt::format(" #{}", count);
                limits.push_back({std::move(label), value, info.bytes});
            }
        }
    }
    return limits;
}

} // namespace

bool report::tellUsers(const std::vector<StoredSession>& sessions, const std::vector<std::string>& axes)
{
    return std::ranges::any_of(axes, [&sessions](const std::string& axis) {
        std::map<std::string, int> usersOf;
        for (const StoredSession& session : sessions) {
            for (const PointSpec& point : session.header.points) {
                if (std::ranges::find(point.cases, axis, &CaseRef::axis) == point.cases.end() ||
                    usersOf.emplace(report::caseLabel(point, axis), point.users()).first->second != point.users())
                    return false;
            }
        }
        return true;
    });
}

namespace {

//! A time of a load stands with the run that loaded: runs that found the data there have no place in its chart.
void keepLoads(Pivot& pivot)
{
    const auto isEmpty = [](const PivotCell& cell) {
        return cell.estimate.runs.empty() && cell.failedRuns + cell.skippedRuns + cell.damagedRuns == 0;
    };
    if (pivot.request.measure != "index_seconds" || std::ranges::all_of(pivot.cells, isEmpty))
        return;
    std::erase_if(pivot.cells, isEmpty);
    report::dropUnusedLabels(pivot);
    std::erase_if(pivot.series, [&pivot](const std::string& label) {
        return std::ranges::find(pivot.cells, label, &PivotCell::series) == pivot.cells.end();
    });
    if (!contains(pivot.series, pivot.request.baseline))
        pivot.request.baseline = pivot.series.front();
}

bool isImportedTarget(std::string_view uri)
{
    return uri.starts_with("imported:");
}

} // namespace

bool isImported(const StoredSession& session)
{
    return std::ranges::any_of(session.runs, [](const StoredRun& run) { return !run.summary.origin.empty(); });
}

bool wasImported(const SessionInfo& session)
{
    return isImportedTarget(session.target);
}

bool wasImported(const Plan& plan)
{
    return isImportedTarget(plan.target.uri);
}

std::vector<std::string> axesOf(const std::vector<StoredSession>& sessions)
{
    std::vector<std::string> axes;
    for (const StoredSession& session : sessions) {
        for (const PointSpec& point : session.header.points) {
            for (const CaseRef& reference : point.cases) {
                if (reference.axis != "users" && !contains(axes, reference.axis))
                    axes.push_back(reference.axis);
            }
        }
    }
    axes.emplace_back("users");
    if (sessions.size() > 1)
        axes.emplace_back("session");
    return axes;
}

std::vector<std::string> pivotAxesOf(const std::vector<StoredSession>& sessions)
{
    std::vector<std::string> axes = axesOf(sessions);
    const bool any = std::ranges::any_of(sessions, [](const StoredSession& one) { return !one.runs.empty(); });
    if (isInRuns(sessions, kOperationAxis) && !operationsOf(sessions).empty())
        axes.emplace_back(kOperationAxis);
    if (isInRuns(sessions, kSpreadAxis) && any)
        axes.emplace_back(kSpreadAxis);
    if (isInRuns(sessions, kProcessAxis) && !processesOf(sessions).empty())
        axes.emplace_back(kProcessAxis);
    return axes;
}

PivotRequest requestOf(const View& view)
{
    PivotRequest request{view.measure, view.x, view.series, view.facet, view.baseline, view.centre, view.relativeTo};
    if (const ChartKind* kind = findChartKind(view.chart); kind && !kind->along.empty())
        request.measure = kind->along;
    request.verdict = view.verdict;
    request.verdictAt = casesIn(view.verdictAt);
    request.limits = limitNames(view.limit);
    request.knee = view.knee;
    return request;
}

Pivot pivot(const std::vector<StoredSession>& sessions, PivotRequest request, const IntervalFigures* figures)
{
    Labels labels(sessions);
    Pivot pivot;
    pivot.request = completed(std::move(request), sessions, labels);
    labels.layOut(pivot.request);
    pivot.ratios = !labels.hasOperations(pivot.request.series) && !labels.hasSpread(pivot.request.series) &&
                   !labels.hasProcesses(pivot.request.series);
    const std::map<Key, Collected> collected = collect(sessions, pivot.request, labels, figures);
    pivot.xs = labels.all(pivot.request.x);
    pivot.series = labels.all(pivot.request.series);
    pivot.facets = labels.all(pivot.request.facet);
    pivot.numericX = Labels::allNumbers(pivot.xs);
    std::string& baseline = pivot.request.baseline;
    if (!contains(pivot.series, baseline))
        baseline = pivot.series.empty() ? std::string() : pivot.series.front();

    const std::vector<std::string> currencies = currenciesOf(sessions, *findMeasure(pivot.request.measure));
    pivot.currency = currencies.size() == 1 ? currencies.front() : std::string();
    pivot.mixedCurrencies = currencies.size() > 1;
    for (const std::string& facet : pivot.facets) {
        for (const std::string& series : pivot.series) {
            for (const std::string& x : pivot.xs) {
                const auto found = collected.find({x, series, facet});
                if (found == collected.end())
                    continue; // this combination is in no plan
                PivotCell cell{.x = x, .series = series, .facet = facet, .estimate = {}, .ratio = {}};
                const Collected& of = found->second;
                cell.estimate = figureOfPoint(of.values, measureOfPart(pivot.request.measure, of.part));
                const Estimate p95 = figureOfPoint(of.p95s, p95MeasureOf(of.responses));
                cell.p95Ms = !of.p95s.empty() ? p95.mean : of.unknownP95 ? kNone : 0;
                cell.p95Merged = p95.merged;
                cell.failedRuns = of.failed;
                cell.skippedRuns = of.skipped;
                cell.damagedRuns = of.damaged;
                cell.sittings = of.sittings;
                cell.clientLimited = found->second.limited;
                cell.noPrice = found->second.noPrice;
                cell.repeats = found->second.repeats;
                cell.outliers = outliersOf(cell.estimate.runs);
                cell.operation = found->second.part.operation;
                cell.spread = found->second.part.spread;
                cell.process = found->second.part.process;
                cell.shortRuns = found->second.shortRuns;
                pivot.responseTimes = pivot.responseTimes || found->second.open;
                cell.ratio.verdict = pivot.ratios ? cell.ratio.verdict : Verdict::Untested;
                pivot.cells.push_back(std::move(cell));
            }
        }
    }
    keepLoads(pivot);
    if (pivot.request.commonOnly)
        report::keepCommon(pivot, sessions);
    pivot.counterUnit = unitOfCounter(sessions, pivot.request.measure);
    pivot.limits = limitsOf(sessions, pivot);
    if (pivot.ratios)
        addRatios(pivot, runsArePaired(sessions));
    if (pivot.request.knee)
        pivot.knees = report::kneesOf(sessions, pivot);
    return pivot;
}

} // namespace dyno
