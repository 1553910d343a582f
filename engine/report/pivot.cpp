// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/report.h>

#include "report/format.h"
#include "report/labels.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <tuple>

namespace dyno {

namespace report {

namespace {

bool contains(const std::vector<std::string>& list, std::string_view text)
{
    return std::find(list.begin(), list.end(), text) != list.end();
}

} // namespace

bool isImported(const StoredSession& session)
{
    return std::ranges::any_of(session.runs, [](const StoredRun& run) { return !run.summary.origin.empty(); });
}

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

//! The sessions' points with the labels of the axes that are asked for.
class Labels
{
public:
    explicit Labels(const std::vector<StoredSession>& sessions)
        : m_sessions(sessions)
        , m_titles(report::sessionLabels(sessions))
    {}

    [[nodiscard]] std::string of(std::size_t session, const PointSpec& point, std::string_view axes) const
    {
        std::string label;
        for (const std::string& axis : report::splitAxes(axes)) {
            if (!label.empty())
                label += ", ";
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
                std::string label = of(s, point, axes);
                if (!contains(labels, label))
                    labels.push_back(std::move(label));
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
};

//! Fills in what was left open. Axes that vary and are not asked for become facets: runs of different cases must never
//! be taken for repeats of each other.
PivotRequest completed(PivotRequest request, const std::vector<StoredSession>& sessions, const Labels& labels)
{
    if (!findMeasure(request.measure))
        request.measure = "tps";
    std::vector<std::string> varying;
    for (const std::string& axis : axesOf(sessions)) {
        if (labels.all(axis).size() > 1)
            varying.push_back(axis);
    }
    if (request.x.empty())
        request.x = varying.empty() || contains(varying, "users") ? std::string("users") : varying.front();
    const auto taken = [&request](const std::string& axis) {
        const auto in = [&axis](const std::string& axes) { return contains(report::splitAxes(axes), axis); };
        return in(request.x) || in(request.series) || in(request.facet);
    };
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

double medianOf(std::vector<double> values)
{
    return estimate(std::move(values)).median;
}

using Key = std::tuple<std::string, std::string, std::string>; // x, series, facet

struct Collected
{
    std::vector<double> values, p95s;
    std::vector<int> repeats; //!< of the values
    int failed = 0;
    bool limited = false;
    bool noPrice = false;
};

std::map<Key, Collected> collect(const std::vector<StoredSession>& sessions, const PivotRequest& request,
                                 const Labels& labels, const IntervalFigures* figures)
{
    const MeasureInfo& measure = *findMeasure(request.measure);
    const bool given = figures && figures->measure == request.measure && figures->values.size() == sessions.size();
    std::map<Key, Collected> cells;
    for (std::size_t s = 0; s < sessions.size(); ++s) {
        const StoredSession& session = sessions[s];
        std::vector<Collected*> byPoint;
        for (const PointSpec& point : session.header.points) {
            byPoint.push_back(&cells[{labels.of(s, point, request.x), labels.of(s, point, request.series),
                                      labels.of(s, point, request.facet)}]);
        }
        for (std::size_t r = 0; r < session.runs.size(); ++r) {
            const StoredRun& run = session.runs[r];
            const auto point = static_cast<std::size_t>(run.summary.point);
            if (run.summary.point < 0 || point >= byPoint.size())
                continue;
            Collected& cell = *byPoint[point];
            const RunStatus status = run.summary.status;
            if (status == RunStatus::Done) {
                const RunSetting setting = settingOf(session, run);
                std::optional<double> value;
                if (!hasPriceFor(measure, setting.price))
                    cell.noPrice = true;
                else if (!measure.fromIntervals)
                    value = measureOf(run.summary, setting, request.measure);
                else if (given && r < figures->values[s].size() && std::isfinite(figures->values[s][r]))
                    value = figures->values[s][r];
                if (value) {
                    cell.values.push_back(*value);
                    cell.repeats.push_back(run.summary.repeat);
                }
                cell.p95s.push_back(run.summary.service.p95Ms);
                cell.limited = cell.limited || run.summary.clientLimited;
            } else if (status == RunStatus::Failed || status == RunStatus::Stopped || status == RunStatus::Cut) {
                ++cell.failed;
            }
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

double centreOf(const Estimate& estimate, Centre centre)
{
    return centre == Centre::Median ? estimate.median : estimate.mean;
}

Ratio ratioBy(Centre centre, const Estimate& value, const Estimate& reference, bool higherIsBetter)
{
    Ratio ratio = ratioOf(value, reference, higherIsBetter);
    if (centre == Centre::Mean)
        return ratio;
    ratio.value = reference.median != 0 ? value.median / reference.median : std::numeric_limits<double>::quiet_NaN();
    ratio.low.reset();
    ratio.high.reset();
    if (ratio.verdict != Verdict::TooFewRuns)
        ratio.verdict = Verdict::Untested;
    return ratio;
}

//! True when repeat i of all points ran side by side: one session, and its plan says so.
bool runsArePaired(const std::vector<StoredSession>& sessions)
{
    return sessions.size() == 1 && sessions.front().header.plan.load.order == RunOrder::Interleaved;
}

//! The figures of the repeats that both cells have.
std::pair<std::vector<double>, std::vector<double>> pairsOf(const PivotCell& cell, const PivotCell& reference)
{
    std::pair<std::vector<double>, std::vector<double>> pairs;
    for (std::size_t i = 0; i < cell.repeats.size(); ++i) {
        const auto same = std::find(reference.repeats.begin(), reference.repeats.end(), cell.repeats[i]);
        if (same == reference.repeats.end())
            continue;
        pairs.first.push_back(cell.estimate.runs[i]);
        pairs.second.push_back(reference.estimate.runs[std::size_t(same - reference.repeats.begin())]);
    }
    return pairs;
}

//! Ratios of every cell to the baseline series in the same place, or to the best cell of the facet.
void addRatios(Pivot& pivot, bool mayPair)
{
    const MeasureInfo& measure = *findMeasure(pivot.request.measure);
    const bool higherIsBetter = measure.higherIsBetter;
    const bool toBest = pivot.request.relativeTo == RelativeTo::Best;
    std::map<std::string, const PivotCell*> bests;
    for (const std::string& facet : pivot.facets)
        bests[facet] = toBest ? pivot.best(facet) : nullptr;
    for (PivotCell& cell : pivot.cells) {
        const PivotCell* reference =
            toBest ? bests[cell.facet] : pivot.cell(cell.x, pivot.request.baseline, cell.facet);
        if (reference == &cell)
            cell.ratio = {1, std::nullopt, std::nullopt, Verdict::Baseline};
        else if (reference && !pivot.mixedCurrencies && !reference->estimate.runs.empty() &&
                 !cell.estimate.runs.empty())
            cell.ratio = ratioBy(pivot.request.centre, cell.estimate, reference->estimate, higherIsBetter);
        else
            continue;
        if (mayPair && reference != &cell && pivot.request.centre == Centre::Mean) {
            const auto [own, others] = pairsOf(cell, *reference);
            Ratio paired = own.size() >= kFewestPairs ? pairedRatio(own, others, higherIsBetter) : Ratio();
            if (paired.low) {
                cell.ratio = paired;
                pivot.paired = true;
            }
        }
        if (!measure.judged && (cell.ratio.verdict == Verdict::Better || cell.ratio.verdict == Verdict::Worse))
            cell.ratio.verdict = Verdict::Differs;
    }
}

//! "bytes/s" of a counter's rate, "threads" of a level; "" for another measure.
std::string counterUnitOf(const std::vector<StoredSession>& sessions, std::string_view measure)
{
    const auto [base, part] = splitMeasure(measure);
    if (base != "counter")
        return {};
    for (const StoredSession& session : sessions) {
        for (const StoredRun& run : session.runs) {
            for (const CounterInfo& counter : run.header.counters) {
                if (report::counterPart(counter) == part)
                    return counter.rate ? counter.unit + "/s" : counter.unit;
            }
        }
    }
    return {};
}

} // namespace

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

const PivotCell* Pivot::cell(std::string_view x, std::string_view oneSeries, std::string_view facet) const
{
    for (const PivotCell& candidate : cells) {
        if (candidate.x == x && candidate.series == oneSeries && candidate.facet == facet)
            return &candidate;
    }
    return nullptr;
}

const PivotCell* Pivot::best(std::string_view facet) const
{
    const bool higherIsBetter = measure().higherIsBetter;
    const PivotCell* best = nullptr;
    double most = 0;
    for (const PivotCell& candidate : cells) {
        if (candidate.facet != facet || candidate.estimate.runs.empty() || mixedCurrencies)
            continue;
        const double value = centreOf(candidate.estimate, request.centre);
        if (!best || (higherIsBetter ? value > most : value < most)) {
            best = &candidate;
            most = value;
        }
    }
    return best;
}

Figure Pivot::figure(const PivotCell& cell) const
{
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    if (cell.estimate.runs.empty())
        return {kNone, {}, {}};
    const double centre = centreOf(cell.estimate, request.centre);
    if (request.relativeTo != RelativeTo::Nothing) {
        if (cell.ratio.value == 0 && centre != 0)
            return {kNone, {}, {}}; // nothing to compare it with
        const auto percent = [](double share) { return 100 * share; };
        Figure figure{percent(cell.ratio.value), {}, {}};
        if (cell.ratio.low && cell.ratio.high) {
            figure.low = percent(*cell.ratio.low);
            figure.high = percent(*cell.ratio.high);
        }
        return figure;
    }
    if (request.centre == Centre::Median)
        return {centre, {}, {}};
    return {centre, cell.estimate.low, cell.estimate.high};
}

MeasureInfo Pivot::measure() const
{
    const MeasureInfo* known = findMeasure(request.measure);
    if (!known)
        return {request.measure, request.measure, {}, true, PriceNeed::Nothing};
    MeasureInfo info = *known;
    if (!counterUnit.empty())
        info.unit = counterUnit;
    if (info.needs != PriceNeed::CostPerHour || currency.empty())
        return info;
    for (std::string* text : {&info.label, &info.unit}) {
        constexpr std::string_view kUnit = "unit of cost";
        if (const std::size_t at = text->find(kUnit); at != std::string::npos)
            text->replace(at, kUnit.size(), currency);
    }
    return info;
}

MeasureInfo Pivot::shown() const
{
    MeasureInfo info = measure();
    if (request.relativeTo == RelativeTo::Nothing)
        return info;
    info.unit = "%";
    info.label += request.relativeTo == RelativeTo::Best ? ", % of the best" : ", % of " + request.baseline;
    return info;
}

std::string Pivot::hint() const
{
    const MeasureInfo info = measure();
    if (mixedCurrencies)
        return "The prices are in different currencies: the figures cannot be compared with each other.";
    const auto without = std::count_if(cells.begin(), cells.end(), [](const PivotCell& cell) { return cell.noPrice; });
    if (without == 0)
        return {};
    const bool watts = info.needs == PriceNeed::Watts;
    return fmt::format("{} {} left out: {} {} given for the target (target.{} in the plan).",
                       report::counted(without, "cell", "cells"), without == 1 ? "is" : "are",
                       watts ? "no watts" : "no cost per hour", watts ? "are" : "is",
                       watts ? "watts" : "cost_per_hour");
}

PivotRequest requestOf(const View& view)
{
    return {view.measure, view.x, view.series, view.facet, view.baseline, view.centre, view.relativeTo};
}

Pivot pivot(const std::vector<StoredSession>& sessions, PivotRequest request, const IntervalFigures* figures)
{
    const Labels labels(sessions);
    Pivot pivot;
    pivot.request = completed(std::move(request), sessions, labels);
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
                PivotCell cell{x, series, facet, estimate(found->second.values), {}, 0, 0, false, false};
                cell.p95Ms = medianOf(found->second.p95s);
                cell.failedRuns = found->second.failed;
                cell.clientLimited = found->second.limited;
                cell.noPrice = found->second.noPrice;
                cell.repeats = found->second.repeats;
                cell.outliers = outliersOf(cell.estimate.runs);
                pivot.cells.push_back(std::move(cell));
            }
        }
    }
    pivot.counterUnit = counterUnitOf(sessions, pivot.request.measure);
    addRatios(pivot, runsArePaired(sessions));
    return pivot;
}

} // namespace dyno
