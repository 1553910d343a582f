// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a plan that speak of its axes and cases by name: skips, published figures, views.
#include "plan/plan_check.h"

#include "plan/plan_fields.h"
#include "workload/workload.h"
#include <dyno/view_fields.h>

#include <dyno/catalog.h>
#include <dyno/chart_kinds.h>
#include <dyno/device_limits.h>
#include <dyno/formula.h>
#include <dyno/plan_refs.h>
#include <dyno/run_fields.h>

#include <algorithm>
#include <fmt/format.h>
#include <tuple>
#include <utility>

namespace dyno {

namespace {

const std::vector<std::string> kLogs{"x", "y", "xy", kLinearAxes};

std::vector<std::string> chartIds()
{
    std::vector<std::string> ids;
    for (const ChartKind& kind : chartKinds())
        ids.push_back(kind.id);
    return ids;
}

//! "service_p95:point_select" → {"service_p95", "point_select"}; no part: "".
std::pair<std::string, std::string> baseAndPart(const std::string& measure)
{
    const std::size_t colon = measure.find(':');
    return {measure.substr(0, colon), colon == std::string::npos ? std::string() : measure.substr(colon + 1)};
}

//! A measure, or a part of one that has parts: "service_p95:point_select".
bool isMeasure(std::string_view measure)
{
    const std::size_t colon = measure.find(':');
    const std::string_view base = measure.substr(0, colon);
    using Parts = RunField::Parts;
    const RunField* field = findRunField(base);
    if (!field || field->info.label.empty())
        return false;
    if (field->parts == Parts::Formula)
        return colon != std::string_view::npos && Formula::parse(measure.substr(colon + 1)).has_value();
    if ((field->parts == Parts::Counters || field->parts == Parts::Columns) && colon == std::string_view::npos)
        return false;                                                     // it has no figure of its own
    if (field->parts == Parts::Rows && colon != std::string_view::npos) { // the rate over the last N rows
        const std::string_view number = measure.substr(colon + 1);
        constexpr std::size_t kMostDigits = 18;
        return !number.empty() && number.size() <= kMostDigits && number.front() != '0' &&
               number.find_first_not_of("0123456789") == std::string_view::npos;
    }
    return colon == std::string_view::npos || (field->parts != Parts::None && colon + 1 < measure.size());
}

bool isInRuns(std::string_view axis)
{
    return axis == kOperationAxis || axis == kSpreadAxis || axis == kProcessAxis;
}

class NameChecker
{
public:
    NameChecker(const Plan& plan, Faults& faults)
        : m_plan(plan)
        , m_faults(faults)
    {
    }
    void checkSkips();
    void checkPublished();
    void checkRelative(const Published& published, const std::string& where);
    void checkIsOnlyOne(const Published& published, std::size_t value, const std::string& where);
    void checkViews();
    void checkViewAxes(const View& view, const std::string& where);
    void checkLimits(const View& view, const std::string& where);
    void checkLook(const View& view, const std::string& where);
    void checkPlace(const View& view, const std::string& where);
    void checkSeriesNamed(const View& view, const std::string& where);
    void checkMeasure(const std::string& measure, const std::string& where);
    [[nodiscard]] bool hasParts() const { return !m_plan.load.groups.empty() || !m_plan.load.phases.empty(); }
    void checkOperation(const std::string& measure, const std::string& where);
    void checkPart(const View& view, const std::string& where);

private:
    std::vector<Settings> parametersOfCases(const Workload& workload, const Settings& params) const;
    void fault(std::string where, std::string what, std::string remedy)
    {
        m_faults.push_back({.where = std::move(where), .what = std::move(what), .remedy = std::move(remedy)});
    }
    void checkCases(const std::vector<CaseRef>& cases, const std::string& where, bool arePublished);
    std::vector<std::string> axisNames() const;
    std::vector<std::string> viewAxisNames() const;
    bool isNoAxis(const std::string& name) const;

    const Plan& m_plan;
    Faults& m_faults;
};

std::vector<std::string> NameChecker::axisNames() const
{
    std::vector<std::string> names;
    for (const Axis& axis : m_plan.axes) {
        if (!axis.name.empty() && axis.name != "users")
            names.push_back(axis.name);
    }
    names.emplace_back("users");
    return names;
}

//! `arePublished`: figures may be of cases and numbers of users that this plan does not run.
void NameChecker::checkCases(const std::vector<CaseRef>& cases, const std::string& where, bool arePublished)
{
    const std::vector<std::string> names = axisNames();
    for (const CaseRef& one : cases) {
        const std::string at = fmt::format("{}.cases.{}", where, one.axis);
        if (std::find(names.begin(), names.end(), one.axis) == names.end()) {
            if (arePublished && one.axis == kOperationAxis) // figures of steps
                continue;
            fault(at, fmt::format("the plan has no axis \"{}\"", one.axis), suggestion(one.axis, names));
            continue;
        }
        std::vector<std::string> labels;
        if (one.axis == "users") {
            for (const int users : m_plan.load.users)
                labels.push_back(fmt::format("{}", users));
            if (arePublished && usersFrom(one.label))
                continue;
        }
        for (const Axis& axis : m_plan.axes) {
            for (const Case& c : axis.cases) {
                if (axis.name == one.axis)
                    labels.push_back(c.label);
            }
        }
        if (std::find(labels.begin(), labels.end(), one.label) != labels.end())
            continue;
        const bool isMistyped = one.axis == "users" || one.label.empty() || !nearest(one.label, labels).empty();
        if (!arePublished || isMistyped)
            fault(at, fmt::format("the axis \"{}\" has no case \"{}\"", one.axis, one.label),
                  suggestion(one.label, labels));
    }
}

void NameChecker::checkSkips()
{
    for (std::size_t i = 0; i < m_plan.skips.size(); ++i) {
        const std::string where = fmt::format("skip[{}]", i);
        if (m_plan.skips[i].cases.empty())
            fault(where + ".cases", "it names no case, so it would leave out everything or nothing",
                  "write cases = { AXIS = \"LABEL\", … }, or remove it");
        checkCases(m_plan.skips[i].cases, where, false);
    }
}

void NameChecker::checkPublished()
{
    for (std::size_t i = 0; i < m_plan.published.size(); ++i) {
        const Published& published = m_plan.published[i];
        const std::string where = fmt::format("published[{}]", i);
        if (published.source.empty())
            fault(where + ".source", "nobody is named who published this", "add source = \"WHO, WHERE\"");
        checkMeasure(published.measure, where);
        checkRelative(published, where);
        for (std::size_t v = 0; v < published.values.size(); ++v) {
            checkCases(published.values[v].cases, fmt::format("{}.values[{}]", where, v), true);
            checkIsOnlyOne(published, v, where);
        }
    }
}

void NameChecker::checkMeasure(const std::string& measure, const std::string& where)
{
    const auto [base, part] = baseAndPart(measure);
    if (base == kFormulaMeasure) {
        const auto formula = Formula::parse(part);
        if (!formula)
            return fault(where + ".measure", fmt::format("this formula cannot be read: {}", formula.error().message),
                         formula.error().remedy);
        for (const std::string& one : formula->measures())
            checkMeasure(one, where);
        return;
    }
    if (isMeasure(measure) && (base != "tps" || part.empty() || hasParts())) { // only groups and phases have it
        checkOperation(measure, where);
        return;
    }
    const RunField* field = findRunField(base);
    const bool known = field && !field->info.label.empty();
    std::string remedy;
    if (known && field->parts == RunField::Parts::Rows) {
        remedy =
            fmt::format("{0}:N is the rate over the last N rows, N a whole number above 0, such as {0}:2000000", base);
    } else if (known && field->parts == RunField::Parts::Counters) {
        remedy = "name a counter of the server: counter:NAME";
    } else if (known && field->parts == RunField::Parts::Columns) {
        remedy = fmt::format("name a column: {}:TABLE.COLUMN", base);
    } else if (known) {
        remedy = part.empty() ? fmt::format("name the part after the colon, or write \"{}\"", base)
                              : fmt::format("\"{0}\" has no parts: write \"{0}\"", base);
    } else {
        std::vector<std::string> all;
        for (const RunField& one : runFields()) {
            if (!one.info.label.empty())
                all.push_back(one.info.id);
        }
        const std::string near = nearest(base, all);
        remedy = (near.empty() ? std::string()
                               : fmt::format("did you mean \"{}\"? ", near + (part.empty() ? "" : ":" + part))) +
                 "`dyno measures` lists them";
    }
    fault(where + ".measure", fmt::format("there is no measure \"{}\"", measure), std::move(remedy));
}

//! Parameters as the plan has them, and as each case changes them, where the operations depend on that.
std::vector<Settings> NameChecker::parametersOfCases(const Workload& workload, const Settings& params) const
{
    std::vector<Settings> all{params};
    if (!workload.operationsVary())
        return all;
    const auto add = [&all](const Settings& settings) {
        Settings changed = all.front();
        for (const auto& [key, value] : settings) {
            if (const auto [scope, name] = splitScope(key); scope == "workload")
                changed.insert_or_assign(std::string(name), value);
        }
        all.push_back(std::move(changed));
    };
    add(m_plan.set);
    for (const Axis& axis : m_plan.axes) {
        for (const Case& one : axis.cases)
            add(one.set);
    }
    return all;
}

//! The operation in "service_p95:point_select" is one of a workload of the plan.
void NameChecker::checkOperation(const std::string& measure, const std::string& where)
{
    const auto [base, part] = baseAndPart(measure);
    const RunField* field = findRunField(base);
    if (part.empty() || !field || field->parts != RunField::Parts::Operations)
        return;
    std::vector<std::string> workloads{m_plan.workload.name};
    const auto add = [&workloads](const Settings& settings) {
        if (const auto found = settings.find("workload.name"); found != settings.end())
            workloads.push_back(toText(found->second));
    };
    add(m_plan.set);
    for (const Axis& axis : m_plan.axes) {
        for (const Case& one : axis.cases)
            add(one.set);
    }
    std::vector<std::string> operations;
    const auto addOperations = [&operations, this](const std::string& name, const std::string& prefix,
                                                   const Settings& params) {
        const Workload* workload = workloadFor(name);
        // One that is missing is a fault of its own, and what was meant may have the operation; of a file nobody knows
        // yet.
        if (!workload || workload->operationsOfFile())
            return false;
        for (const Settings& some : parametersOfCases(*workload, params)) {
            for (const OperationInfo& operation : workload->operations(some))
                operations.push_back(prefix + operation.name);
        }
        return true;
    };
    if (base == "tps" || base == "transactions" || field->latency) {
        for (const LoadPhase& phase : m_plan.load.phases)
            operations.push_back(phase.name);
    }
    if (std::ranges::find(operations, part) != operations.end())
        return;
    for (const LoadGroup& group : m_plan.load.groups) {
        operations.push_back(group.name);
        if (base == "tps")
            continue;
        std::vector<std::string> own = group.workload.empty() ? workloads : std::vector{group.workload};
        const std::string key = fmt::format("load.group.{}.workload", group.name);
        const auto addOwn = [&own, &key, &workloads](const Settings& settings) {
            const auto found = settings.find(key);
            const std::string name = found == settings.end() ? std::string() : toText(found->second);
            if (!name.empty())
                own.push_back(name);
            else if (found != settings.end())
                own.insert(own.end(), workloads.begin(), workloads.end());
        };
        addOwn(m_plan.set);
        for (const Axis& axis : m_plan.axes) {
            for (const Case& one : axis.cases)
                addOwn(one.set);
        }
        Settings params = m_plan.workload.params;
        for (const auto& [name, value] : group.params)
            params.insert_or_assign(name, value);
        for (const std::string& name : own) {
            if (!addOperations(name, group.name + ".", params))
                return;
        }
    }
    for (const std::string& name : workloads) {
        if (m_plan.load.groups.empty() && !addOperations(name, {}, m_plan.workload.params))
            return;
    }
    if (std::find(operations.begin(), operations.end(), part) != operations.end())
        return;
    const std::string near = nearest(part, operations);
    if (!m_plan.load.groups.empty())
        return fault(where + ".measure", fmt::format("no group is or has \"{}\"", part),
                     near.empty() ? fmt::format("write {}:GROUP, or {}:GROUP.OPERATION", base, base)
                                  : fmt::format("did you mean \"{}:{}\"?", base, near));
    fault(where + ".measure", fmt::format("the workload has no operation \"{}\"", part),
          near.empty() ? fmt::format("`dyno workloads {}` lists its operations", m_plan.workload.name)
                       : fmt::format("did you mean \"{}:{}\"?", base, near));
}

//! Of two values with the same cases no chart could show more than one.
void NameChecker::checkIsOnlyOne(const Published& published, std::size_t value, const std::string& where)
{
    const std::vector<CaseRef>& cases = published.values[value].cases;
    for (std::size_t first = 0; first < value; ++first) {
        const std::vector<CaseRef>& others = published.values[first].cases;
        if (!std::is_permutation(cases.begin(), cases.end(), others.begin(), others.end()))
            continue;
        fault(fmt::format("{}.values[{}].cases", where, value), fmt::format("values[{}] has the same cases", first),
              "leave one of them out, or give it a [[published]] of its own");
        return;
    }
}

//! Percent of a case that is there to be compared with, on an axis that each value names.
void NameChecker::checkRelative(const Published& published, const std::string& where)
{
    if (published.relativeTo.empty() || published.values.empty() || !relativeAxisOf(m_plan, published).empty())
        return;
    std::vector<std::string> labels, owners;
    for (const Axis& axis : m_plan.axes) {
        for (const Case& one : axis.cases) {
            labels.push_back(one.label);
            if (one.label == published.relativeTo)
                owners.push_back(axis.name);
        }
    }
    for (const int users : m_plan.load.users) {
        labels.push_back(fmt::format("{}", users));
        if (labels.back() == published.relativeTo)
            owners.emplace_back("users");
    }
    if (owners.empty()) {
        if (nearest(published.relativeTo, labels).empty()) // percent of a case that nobody can run here
            return;
        fault(where + ".relative_to", fmt::format("no axis has a case \"{}\"", published.relativeTo),
              suggestion(published.relativeTo, labels));
        return;
    }
    for (std::size_t v = 0; v < published.values.size(); ++v) {
        const auto& cases = published.values[v].cases;
        if (std::ranges::none_of(cases, [&](const CaseRef& one) { return one.axis == owners.front(); }))
            fault(fmt::format("{}.values[{}].cases", where, v),
                  fmt::format("the value is percent of \"{}\", and does not say of which case of the axis \"{}\" it is",
                              published.relativeTo, owners.front()),
                  fmt::format("name it: cases = {{ {} = \"LABEL\" }}", owners.front()));
    }
}

//! The part of the time that is shown.
void NameChecker::checkPart(const View& view, const std::string& where)
{
    if (view.from == 0 && view.to == 0)
        return;
    View scratch;
    for (const ViewField& one : viewFields()) {
        if (one.type != ViewField::Type::Seconds)
            continue;
        if (const auto set = one.set(scratch, one.value(view)); !set)
            return fault(where + "." + one.name, "this is no time of a run", set.error().remedy);
    }
    const std::string field = where + (view.to != 0 ? ".to" : ".from");
    if (!hasChart(view.chart, &ChartKind::seconds))
        fault(field, fmt::format("a chart of the kind \"{}\" has no time of which a part could be shown", view.chart),
              "write chart = \"time\", \"dots\" or \"heat\", or leave from and to out");
    else if (!view.over.empty())
        fault(field, "from and to are seconds, and this chart stands over rows", "leave them out, or leave out over");
    else if (view.to != 0 && view.to <= view.from)
        fault(where + ".to", fmt::format("it ends at {:g} s and begins at {:g} s", view.to, view.from),
              "give a to after from, or leave it out: until the end");
}

void NameChecker::checkViews()
{
    for (std::size_t v = 0; v < m_plan.views.size(); ++v) {
        const View& view = m_plan.views[v];
        const std::string where = fmt::format("view[{}]", v);
        if (!findChartKind(view.chart))
            fault(where + ".chart", fmt::format("there is no chart \"{}\"", view.chart),
                  suggestion(view.chart, chartIds()));
        checkMeasure(view.measure, where);
        checkPart(view, where);
        checkViewAxes(view, where);
        checkLimits(view, where);
        checkLook(view, where);
        checkPlace(view, where);
        checkSeriesNamed(view, where);
    }
}

//! An axis whose own name is at fault may be the one that a view means.
bool NameChecker::isNoAxis(const std::string& name) const
{
    const bool namesAreSound = std::none_of(m_faults.begin(), m_faults.end(), [](const Fault& one) {
        return one.where.starts_with("axis[") && one.where.ends_with("].name");
    });
    const std::vector<std::string> all = viewAxisNames();
    return namesAreSound && std::find(all.begin(), all.end(), name) == all.end();
}

//! Those that a view may name.
std::vector<std::string> NameChecker::viewAxisNames() const
{
    std::vector<std::string> all = axisNames();
    all.emplace_back(kOperationAxis);
    all.emplace_back(kSpreadAxis);
    all.emplace_back(kProcessAxis);
    return all;
}

void NameChecker::checkViewAxes(const View& view, const std::string& where)
{
    const bool ofIntervals = hasChart(view.chart, &ChartKind::intervals);
    const auto axis = [&](const char* field, const std::string& name, bool mayBeEmpty) {
        if (name.empty() && !mayBeEmpty)
            fault(fmt::format("{}.{}", where, field), "it names no axis", suggestion(name, viewAxisNames()));
        for (const std::string& one : axesIn(name)) {
            if (isNoAxis(one))
                fault(fmt::format("{}.{}", where, field), fmt::format("the plan has no axis \"{}\"", one),
                      suggestion(one, viewAxisNames()));
        }
    };
    axis("x", view.x, ofIntervals);
    axis("series", view.series, true);
    axis("facet", view.facet, true);
}

//! Limits of the disk, in a chart of figures that can be held against them.
void NameChecker::checkLimits(const View& view, const std::string& where)
{
    std::vector<std::string> known;
    for (const DeviceLimitInfo& limit : deviceLimits())
        known.push_back(limit.name);
    const std::string at = where + ".limit";
    const RunField* measure = findRunField(baseAndPart(view.measure).first); // of a counter or formula the run tells it
    const bool hasUnit = measure && !measure->info.unit.empty();
    for (const std::string& name : limitNames(view.limit)) {
        const DeviceLimitInfo* limit = findDeviceLimit(name);
        if (!limit)
            fault(at, fmt::format("the disk has no limit \"{}\"", name), suggestion(name, known));
        else if (hasUnit && !hasUnitOf(*limit, measure->info.unit))
            fault(at, fmt::format("{} has another unit than {}", view.measure, name),
                  "remove the limit, or show a counter or a rate");
    }
    if (!view.limit.empty() && !hasChart(view.chart, &ChartKind::summary))
        fault(at, fmt::format("a chart of {} has no place for a limit", view.chart),
              "chart = \"lines\" or \"bars\", or remove the limit");
}

//! What the chart shows of its figures: ratios, means, scales, tables.
void NameChecker::checkLook(const View& view, const std::string& where)
{
    const bool ofIntervals = hasChart(view.chart, &ChartKind::intervals);
    if (view.relativeTo == RelativeTo::Best && !view.baseline.empty())
        fault(where + ".baseline", "ratios refer to the best of the chart, or to a baseline, not to both",
              "leave out baseline, or write relative_to = \"baseline\"");
    if (view.relativeTo == RelativeTo::Baseline && view.series.empty())
        fault(where + ".relative_to", "figures relative to a baseline need a series",
              "name the axis in series = \"…\"");
    if (ofIntervals && (view.relativeTo != RelativeTo::Nothing || view.centre != Centre::Mean))
        fault(where + (view.relativeTo != RelativeTo::Nothing ? ".relative_to" : ".centre"),
              "a chart over time shows one run as it was measured", "leave it out, or write chart = \"lines\"");
    if (!view.log.empty() && std::find(kLogs.begin(), kLogs.end(), view.log) == kLogs.end())
        fault(where + ".log", fmt::format("\"{}\" names no axes", view.log), suggestion(view.log, kLogs));
    if (!view.over.empty() && (view.over != "rows" || !hasChart(view.chart, &ChartKind::rows)))
        fault(where + ".over", "only charts over time and of dots can stand over the rows changed so far",
              "over = \"rows\" with chart = \"time\" or \"dots\", or leave it out");
    if (view.knee && view.chart != "lines")
        fault(where + ".knee", fmt::format("a chart of {} has no lines with a knee", view.chart),
              "write chart = \"lines\", or remove knee");
    static const std::vector<std::string> kReportTables{kTableMaxima, kTableSpread};
    if (!view.table.empty() && std::ranges::find(kReportTables, view.table) == kReportTables.end())
        fault(where + ".table", fmt::format("there is no table \"{}\"", view.table),
              suggestion(view.table, kReportTables));
    else if (view.table == kTableMaxima && !hasChart(view.chart, &ChartKind::table))
        fault(where + ".table",
              fmt::format("a chart of the kind \"{}\" has no figure of which a maximum could be found", view.chart),
              "leave it out, or write chart = \"lines\" or \"bars\"");
}

void NameChecker::checkPlace(const View& view, const std::string& where)
{
    if (!view.verdictAt.empty() && casesIn(view.verdictAt).size() != caseLabelsIn(view.verdictAt).size())
        fault(where + ".verdict_at", fmt::format("\"{}\" names no place", view.verdictAt),
              "write it as \"users = 16; pool = IO-bound\"");
    for (const CaseRef& one : casesIn(view.verdictAt)) {
        if (isNoAxis(one.axis))
            fault(where + ".verdict_at", fmt::format("the plan has no axis \"{}\"", one.axis),
                  suggestion(one.axis, viewAxisNames()));
    }
}

//! The series that the view names as baseline and for its verdict.
void NameChecker::checkSeriesNamed(const View& view, const std::string& where)
{
    if (view.baseline.empty() && view.verdict.empty())
        return;
    const std::vector<std::string> names = axisNames();
    std::vector<std::string> labels;
    for (const Axis& one : m_plan.axes) {
        for (const Case& c : one.cases) {
            if (one.name == view.series)
                labels.push_back(c.label);
        }
    }
    for (const int users : m_plan.load.users) {
        if (view.series == "users")
            labels.push_back(fmt::format("{}", users));
    }
    for (const auto& [field, what, label] :
         {std::tuple(".baseline", "a baseline", &view.baseline), std::tuple(".verdict", "a verdict", &view.verdict)}) {
        if (label->empty())
            continue;
        if (view.series.empty())
            fault(where + field, fmt::format("{} needs a series", what), "name the axis in series = \"…\"");
        else if (std::find(names.begin(), names.end(), view.series) != names.end() && !isInRuns(view.series) &&
                 std::find(labels.begin(), labels.end(), *label) == labels.end())
            fault(where + field, fmt::format("the axis \"{}\" has no case \"{}\"", view.series, *label),
                  suggestion(*label, labels));
    }
}

} // namespace

void checkNames(const Plan& plan, Faults& faults)
{
    NameChecker checker(plan, faults);
    checker.checkSkips();
    checker.checkPublished();
    checker.checkViews();
}

} // namespace dyno
