// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison as a document for scripts.
#include <dyno/analysis.h>

#include "report/pivot/labels.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace dyno {

namespace {

using CompareJson = nlohmann::ordered_json;

CompareJson figureJson(std::optional<double> value)
{
    return value && std::isfinite(*value) ? CompareJson(*value) : CompareJson(nullptr);
}

CompareJson ratioJson(const Ratio& ratio)
{
    return {{"value", figureJson(ratio.value)},
            {"low", figureJson(ratio.low)},
            {"high", figureJson(ratio.high)},
            {"joint_low", figureJson(ratio.shownLow())},
            {"joint_high", figureJson(ratio.shownHigh())},
            {"p", figureJson(ratio.p)},
            {"adjusted_p", figureJson(ratio.adjustedP)},
            {"pairs", ratio.pairs}};
}

//! `ratios`: see Pivot::ratios; without them, and for what has no figure, there is no ratio and no verdict.
CompareJson cellJson(const PivotCell& cell, bool ratios, Centre centre)
{
    const Estimate& e = cell.estimate;
    const bool any = !e.runs.empty();
    const bool median = centre == Centre::Median;
    const bool compared =
        ratios && any && cell.ratio.verdict != Verdict::Baseline && (cell.ratio.value != 0 || cell.ratio.p);
    return {{"x", cell.x},
            {"series", cell.series},
            {"facet", cell.facet},
            {"runs", e.runs},
            {"value", any ? figureJson(median ? e.median : e.mean) : CompareJson(nullptr)},
            {"low", median ? CompareJson(nullptr) : figureJson(e.low)},
            {"high", median ? CompareJson(nullptr) : figureJson(e.high)},
            {"failed_runs", cell.failedRuns},
            {"skipped_runs", cell.skippedRuns},
            {"damaged_runs", cell.damagedRuns},
            {"client_limited", cell.clientLimited},
            {"ratio", compared ? ratioJson(cell.ratio) : CompareJson(nullptr)},
            {"verdict", ratios && any ? CompareJson(toText(cell.ratio.verdict)) : CompareJson(nullptr)}};
}

} // namespace

std::string comparisonJson(const std::vector<StoredSession>& sessions, const Pivot& pivot)
{
    const MeasureInfo measure = pivot.measure();
    const std::vector<std::string> names = report::sessionLabels(sessions);
    CompareJson compared = CompareJson::array();
    for (std::size_t i = 0; i < sessions.size(); ++i) {
        const Drift drift = driftOf(sessions[i], pivot.request.measure);
        CompareJson of = nullptr;
        if (drift.tested()) {
            of = {{"runs", drift.runs},
                  {"p", figureJson(drift.p)},
                  {"change", figureJson(drift.perSession)},
                  {"shown", drift.shown()}};
        }
        compared.push_back({{"session", sessions[i].info.id},
                            {"series", names[i]},
                            {"started_ms", sessions[i].info.startedMs}, // since 1970
                            {"drift", of},
                            {"sealed", sessions[i].sealed},
                            {"damaged", sessions[i].damage}});
    }
    CompareJson cells = CompareJson::array();
    for (const PivotCell& cell : pivot.cells)
        cells.push_back(cellJson(cell, pivot.ratios, pivot.request.centre));
    CompareJson differing = CompareJson::array();
    for (const Difference& one : differences(sessions))
        differing.push_back({{"name", one.name}, {"values", one.values}});
    CompareJson gaps = CompareJson::array();
    for (const DurabilityGap& one : durabilityGaps(sessions))
        gaps.push_back({{"text", one.text}, {"decides", one.decides}});
    const bool toBest = pivot.request.relativeTo == RelativeTo::Best;
    const CompareJson document = {
        {"measure", pivot.request.measure},
        {"unit", measure.unit},
        {"higher_is_better", measure.judged ? CompareJson(measure.higherIsBetter) : CompareJson(nullptr)},
        {"centre", toText(pivot.request.centre)},
        {"relative_to", toBest ? "best" : "baseline"},
        {"baseline", toBest ? CompareJson(nullptr) : CompareJson(pivot.request.baseline)},
        {"x", pivot.request.x},
        {"series", pivot.request.series},
        {"facet", pivot.request.facet},
        {"comparisons", pivot.comparisons},
        {"headline", verdictSentence(pivot)},
        {"hint", pivot.hint()},
        {"one_after_the_other", ranApart(sessions)},
        {"time_note", timeText(sessions, pivot.request.measure)},
        {"sessions", compared},
        {"cells", cells},
        {"differences", differing},
        {"durability_gaps", gaps},
        {"equal_variables", equalVariables(sessions)},
        {"one_sided_variables", oneSidedVariables(sessions)}};
    return document.dump(2, ' ', false, CompareJson::error_handler_t::replace) + "\n";
}

} // namespace dyno
