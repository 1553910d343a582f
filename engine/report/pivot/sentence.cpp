// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/figures.h>
#include <dyno/plan_refs.h>
#include <dyno/report.h>

#include "report/format.h"
#include "report/pivot/labels.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>

namespace dyno {

namespace {

//! "REPEATABLE READ, 10 warehouses": a number says nothing by itself, and what stands along x is said already.
std::string facetOf(const Pivot& pivot, const std::string& facet)
{
    const std::vector<std::string> axes = report::splitAxes(pivot.request.facet);
    std::vector<std::string> parts{facet};
    for (std::size_t at; axes.size() > 1 && (at = parts.back().find(", ")) != std::string::npos;) {
        parts.push_back(parts.back().substr(at + 2));
        parts[parts.size() - 2].resize(at);
    }
    if (parts.size() != axes.size()) // a label with a comma of its own
        return facet;
    std::string text;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i] == pivot.request.x)
            continue;
        text += text.empty() ? "" : ", ";
        text += wordsOfCase({axes[i], parts[i]});
    }
    return text;
}

//! What stands behind a figure in one pair of brackets: " (REPEATABLE READ; one of 6 comparisons)"; "" for nothing.
using Notes = std::vector<std::string>;
std::string bracketed(Notes notes)
{
    std::erase(notes, std::string());
    return notes.empty() ? std::string() : fmt::format(" ({})", fmt::join(notes, "; "));
}

//! " at 4 users (REPEATABLE READ)", " at users 4 to 8": where in the table the cell is. `more`: further notes.
std::string placeOf(const Pivot& pivot, const PivotCell& cell, HeldAxes held, Notes more = {})
{
    std::string place;
    if (pivot.request.x == "users")
        place = fmt::format(" at {}", cell.x == "1" ? "1 user" : cell.x + " users");
    else if (pivot.xs.size() > 1 && !cell.x.empty())
        place = fmt::format(" at {} = {}", pivot.request.x, cell.x);
    Notes notes{pivot.facets.size() > 1 ? facetOf(pivot, cell.facet) : std::string()};
    if (held == HeldAxes::Named) {
        Notes cases;
        for (const CaseRef& one : pivot.request.fixed)
            cases.push_back(fmt::format("{} = {}", one.axis, one.label));
        notes.push_back(fmt::format("{}", fmt::join(cases, ", ")));
    }
    notes.insert(notes.end(), more.begin(), more.end());
    return place + bracketed(std::move(notes));
}

std::string nameOf(const MeasureInfo& measure)
{
    std::string name = measure.label;
    // "p95 service time", "CPU" and "Innodb_data_reads" keep their letters; "Throughput" becomes "throughput".
    if (name.size() > 1 && name.find('_') == std::string::npos && std::islower(static_cast<unsigned char>(name[1])))
        name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
    return name;
}

constexpr double kFactorFrom = 1.995;            //!< from "2.00×" on a ratio is said as a factor, not in percent
constexpr double kFactorBelow = 1 / kFactorFrom; //!< and so is its inverse

std::string capitalised(std::string name)
{
    if (!name.empty() && name.find('_') == std::string::npos && name[0] >= 'a' && name[0] <= 'z' &&
        !(name.size() > 1 && std::isdigit(static_cast<unsigned char>(name[1])))) // "p95 service time" stays
        name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    return name;
}

std::string percent(double share)
{
    const double value = 100 * share;
    return report::plain(value, std::fabs(value) < 9.95 ? 1 : 0);
}

//! The effect in words: what a reader would say of a ratio and its interval.
std::string effectOf(const PivotCell& cell, const std::string& baseline, const MeasureInfo& measure)
{
    const Ratio& ratio = cell.ratio;
    const auto range = [&ratio](auto text, bool swapped) {
        if (!ratio.shownLow() || !ratio.shownHigh())
            return std::string();
        const std::string low = text(*ratio.shownLow());
        const std::string high = text(*ratio.shownHigh());
        return swapped ? fmt::format(" [{}, {}]", high, low) : fmt::format(" [{}, {}]", low, high);
    };
    const std::string name = nameOf(measure);
    if (std::fabs(ratio.value - 1) < 0.0005 && !ratio.shownLow()) // "0.0 %"
        return fmt::format("{} has the same {} as {}", cell.series, name, baseline);
    if (ratio.value >= kFactorFrom || ratio.value < 0 || !measure.judged) {
        return fmt::format("{} has {}×{} the {} of {}", cell.series, report::ratio(ratio.value),
                           range(report::ratio, false), name, baseline);
    }
    if (ratio.value <= kFactorBelow && ratio.value > 0) { // "99.8 %" hides how much it is
        const auto factor = [](double r) { return r > 0 ? report::ratio(1 / r) : std::string("∞"); };
        return fmt::format("{} is {}×{} lower with {} than with {}", capitalised(name), factor(ratio.value),
                           range(factor, true), cell.series, baseline);
    }
    const auto more = [](double r) { return percent(r - 1); };
    const auto less = [](double r) { return percent(1 - r); };
    if (ratio.value >= 1) {
        return fmt::format("{} is {} %{} higher with {} than with {}", capitalised(name), more(ratio.value),
                           range(more, false), cell.series, baseline);
    }
    return fmt::format("{} is {} %{} lower with {} than with {}", capitalised(name), less(ratio.value),
                       range(less, true), cell.series, baseline);
}

//! "one of 6 comparisons": the largest of several effects is larger than it would be alone.
std::string familyOf(const PivotCell& cell)
{
    return cell.ratio.comparisons > 1 ? fmt::format("one of {} comparisons", cell.ratio.comparisons) : std::string();
}

double sizeOf(const Ratio& ratio)
{
    return ratio.value > 0 && std::isfinite(ratio.value) ? std::fabs(std::log(ratio.value)) : 0;
}

//! What the plan asks (PivotRequest::verdict): the series at the place, else the series, else all cells.
std::vector<const PivotCell*> cellsAsked(const Pivot& pivot)
{
    const PivotRequest& request = pivot.request;
    std::vector<const PivotCell*> all, ofSeries, there;
    for (const PivotCell& cell : pivot.cells) {
        if (cell.estimate.runs.empty())
            continue;
        all.push_back(&cell);
        if (!request.verdict.empty() && cell.series != request.verdict)
            continue;
        ofSeries.push_back(&cell);
        std::vector<CaseRef> cases = report::casesAlong(request.x, cell.x);
        std::ranges::move(report::casesAlong(request.facet, cell.facet), std::back_inserter(cases));
        cases.insert(cases.end(), request.fixed.begin(), request.fixed.end());
        const bool atPlace = std::ranges::all_of(
            request.verdictAt, [&cases](const CaseRef& one) { return std::ranges::find(cases, one) != cases.end(); });
        if (atPlace)
            there.push_back(&cell);
    }
    const auto compared = [&](const std::vector<const PivotCell*>& cells) {
        return std::ranges::any_of(cells, [&](const PivotCell* cell) { return cell->series != request.baseline; });
    };
    return compared(there) ? there : compared(ofSeries) ? ofSeries : all;
}

//! The cell with the largest effect among those that are asked about and have one of these verdicts.
template<class Accept>
const PivotCell* largest(const Pivot& pivot, Accept accept)
{
    const PivotCell* best = nullptr;
    for (const PivotCell* one : cellsAsked(pivot)) {
        const PivotCell& cell = *one;
        if (cell.estimate.runs.empty() || cell.series == pivot.request.baseline || !std::isfinite(cell.ratio.value) ||
            cell.ratio.value == 0 || !accept(cell.ratio.verdict))
            continue;
        if (!best || sizeOf(cell.ratio) > sizeOf(best->ratio))
            best = &cell;
    }
    return best;
}

//! "B has 500 errors, A none at 4 users." Where the baseline's figure is 0 there is no ratio to name.
std::string sentenceOfSomeAgainstNone(const Pivot& pivot, const MeasureInfo& measure, HeldAxes held)
{
    const PivotCell* most = nullptr;
    for (const PivotCell* one : cellsAsked(pivot)) {
        const PivotCell& cell = *one;
        if (std::isnan(cell.ratio.value) &&
            (cell.ratio.verdict == Verdict::Better || cell.ratio.verdict == Verdict::Worse ||
             cell.ratio.verdict == Verdict::Differs) &&
            (!most || cell.estimate.mean > most->estimate.mean))
            most = &cell;
    }
    return most ? fmt::format("{} has {}, {} none{}.", most->series, amountText(most->estimate.mean, measure.unit),
                              pivot.request.baseline, placeOf(pivot, *most, held, {familyOf(*most)}))
                : std::string();
}

double centreOf(const Pivot& pivot, const PivotCell& cell)
{
    return pivot.request.centre == Centre::Median ? cell.estimate.median : cell.estimate.mean;
}

//! "B is best at 4 users: 51 400 transactions/$; A reaches 62 % of it, within the noise; C reaches 48 % of it." For
//! several facets: of the first with figures.
std::string sentenceOfTheBest(const Pivot& pivot, const MeasureInfo& measure, HeldAxes held)
{
    for (const std::string& facet : pivot.facets) {
        const PivotCell* best = pivot.best(facet);
        if (!best)
            continue;
        std::string text = fmt::format("{} is best{}: {}{}", best->series, placeOf(pivot, *best, held),
                                       pivot.request.centre == Centre::Median ? "median " : "",
                                       amountText(centreOf(pivot, *best), measure.unit));
        std::string others;
        for (const std::string& series : pivot.series) {
            const PivotCell* nearest = nullptr;
            for (const PivotCell& cell : pivot.cells) {
                if (cell.facet != facet || cell.series != series || series == best->series ||
                    !std::isfinite(pivot.figure(cell).value))
                    continue;
                if (!nearest || (cell.ratio.value > nearest->ratio.value) == measure.higherIsBetter)
                    nearest = &cell;
            }
            if (nearest) {
                others += fmt::format("; {} {} {} % of it{}", series, measure.higherIsBetter ? "reaches" : "takes",
                                      report::human(100 * nearest->ratio.value),
                                      nearest->ratio.verdict == Verdict::NoDifferenceShown ? ", within the noise"
                                      : nearest->ratio.verdict == Verdict::TooFewRuns      ? ", too few runs to tell"
                                                                                           : "");
            }
        }
        return text + others + ".";
    }
    return pivot.hint().empty() ? std::string("No run is complete yet.") : pivot.hint();
}

//! "Throughput is 812 transactions/s [801, 823] at 4 users (one of 3 points)."
std::string sentenceOfOneSeries(const Pivot& pivot, const MeasureInfo& measure, HeldAxes held)
{
    const PivotCell* best = nullptr;
    for (const PivotCell& cell : pivot.cells) {
        if (cell.estimate.runs.empty())
            continue;
        const bool better = best && (measure.higherIsBetter ? centreOf(pivot, cell) > centreOf(pivot, *best)
                                                            : centreOf(pivot, cell) < centreOf(pivot, *best));
        if (!best || better)
            best = &cell;
    }
    if (!best)
        return pivot.hint().empty() ? std::string("No run is complete yet.") : pivot.hint();
    // The best of several means looks better than it is: its interval holds for all of them together.
    const auto points = std::size_t(
        std::ranges::count_if(pivot.cells, [](const PivotCell& cell) { return cell.estimate.runs.size() > 1; }));
    const Estimate joint = estimateOfFigures(best->estimate.shares, points);
    const bool median = pivot.request.centre == Centre::Median;
    std::string text = fmt::format("{} is {}", measure.label, amountText(centreOf(pivot, *best), measure.unit));
    if (median && best->estimate.runs.size() > 1)
        text += placeOf(pivot, *best, held, {fmt::format("median of {} runs", best->estimate.runs.size())});
    else if (joint.low && joint.high)
        text += fmt::format(
            " {}{}", boundsText(*joint.low, *joint.high, centreOf(pivot, *best), measure.unit),
            placeOf(pivot, *best, held, {points > 1 ? fmt::format("one of {} points", points) : std::string()}));
    else
        text += placeOf(pivot, *best, held) + " in 1 run; repeat it to see how much it varies";
    return text + ".";
}

//! "Mean service time is largest for phrase: 12.3 ms at 4 users." Of series that are no alternatives, and of
//! operations.
std::string sentenceOfTheLargest(const Pivot& pivot, const MeasureInfo& measure, HeldAxes held)
{
    const PivotCell* most = nullptr;
    for (const PivotCell& cell : pivot.cells) {
        if (!cell.estimate.runs.empty() && (!most || centreOf(pivot, cell) > centreOf(pivot, *most)))
            most = &cell;
    }
    if (!most)
        return "No run is complete yet.";
    return fmt::format("{} is largest for {}: {}{}.", measure.label,
                       most->operation.empty() ? most->series : most->operation,
                       amountText(centreOf(pivot, *most), measure.unit),
                       pivot.request.x == kOperationAxis ? std::string() : placeOf(pivot, *most, held));
}

//! "Differences in throughput between A and B are within the noise: every 95 % interval of the ratio includes 1; C has
//! too few runs to tell (0.30)." Of what the plan asks only.
std::string sentenceOfNoDifference(const Pivot& pivot, const MeasureInfo& measure, HeldAxes held)
{
    const std::vector<const PivotCell*> asked = cellsAsked(pivot);
    std::string tested, others;
    const PivotCell* only = nullptr; // the one that is tested
    int testedCells = 0;
    for (const std::string& series : pivot.series) {
        const bool isAsked =
            pivot.request.verdict.empty() ||
            std::ranges::any_of(asked, [&series](const PivotCell* cell) { return cell->series == series; });
        if (series == pivot.request.baseline || !isAsked)
            continue;
        const auto ofSeries = [&](Verdict verdict) {
            const PivotCell* found = nullptr;
            for (const PivotCell* cell : asked) {
                if (cell->series == series && cell->ratio.verdict == verdict && std::isfinite(cell->ratio.value) &&
                    (!found || sizeOf(cell->ratio) > sizeOf(found->ratio)))
                    found = cell;
            }
            return found;
        };
        const PivotCell* const within = ofSeries(Verdict::NoDifferenceShown);
        if (within) {
            tested += (tested.empty() ? "" : ", ") + series;
            only = within;
            testedCells += int(std::ranges::count_if(asked, [&](const PivotCell* cell) {
                return cell->series == series && cell->ratio.verdict == Verdict::NoDifferenceShown;
            }));
        }
        if (const PivotCell* few = ofSeries(Verdict::TooFewRuns)) {
            const std::string ratio = report::ratio(few->ratio.value);
            others += fmt::format("; {} has too few runs to tell{}", series,
                                  within ? placeOf(pivot, *few, held, {ratio}) : bracketed({ratio}));
        } else if (!within) {
            others += fmt::format("; {} has no figure to compare", series);
        }
    }
    const bool asks = !pivot.request.verdict.empty() || !pivot.request.verdictAt.empty();
    if (asks && only && testedCells == 1)
        return fmt::format(
            "The difference in {} between {} and {}{} is within the noise: the 95 % interval of the ratio "
            "includes 1{}.",
            nameOf(measure), pivot.request.baseline, tested, placeOf(pivot, *only, held), others);
    std::string family;
    if (pivot.comparisons > 1 && !asks)
        family = fmt::format(", for all {} comparisons together", pivot.comparisons);
    return fmt::format(
        "Differences in {} between {} and {} are within the noise: every 95 % interval of the ratio includes 1{}{}.",
        nameOf(measure), pivot.request.baseline, tested, family, others);
}

//! "flush=1, users=4": a series as the subject of a sentence, in the singular ("users=4 has twice the throughput").
std::string wordsOfSeries(const Pivot& pivot, const std::string& series)
{
    std::vector<std::string> words;
    for (const CaseRef& one : report::casesAlong(pivot.request.series, series))
        words.push_back(wordsOfCase(one) == one.label ? one.label : one.axis + "=" + one.label);
    return words.empty() ? series : fmt::format("{}", fmt::join(words, ", "));
}

} // namespace

std::string verdictSentence(const Pivot& figures, HeldAxes held)
{
    Pivot pivot = figures;
    for (std::string* name : {&pivot.request.baseline, &pivot.request.verdict})
        *name = wordsOfSeries(figures, *name);
    for (std::string& name : pivot.series)
        name = wordsOfSeries(figures, name);
    for (PivotCell& cell : pivot.cells)
        cell.series = wordsOfSeries(figures, cell.series);
    if (!findMeasure(pivot.request.measure))
        return {};
    const MeasureInfo info = pivot.measure();
    const MeasureInfo* const measure = &info;
    const bool ofOperations =
        std::ranges::any_of(pivot.cells, [](const PivotCell& cell) { return !cell.operation.empty(); });
    if (!pivot.ratios || (pivot.series.size() < 2 && ofOperations))
        return sentenceOfTheLargest(pivot, *measure, held);
    if (pivot.series.size() < 2)
        return sentenceOfOneSeries(pivot, *measure, held);
    if (pivot.request.relativeTo == RelativeTo::Best)
        return sentenceOfTheBest(pivot, *measure, held);
    const std::string& baseline = pivot.request.baseline;
    if (const PivotCell* shown = largest(
            pivot, [](Verdict v) { return v == Verdict::Better || v == Verdict::Worse || v == Verdict::Differs; })) {
        return effectOf(*shown, baseline, *measure) + placeOf(pivot, *shown, held, {familyOf(*shown)}) + ".";
    }
    if (std::string text = sentenceOfSomeAgainstNone(pivot, *measure, held); !text.empty())
        return text;
    if (const PivotCell* shown = largest(pivot, [](Verdict v) { return v == Verdict::Untested; })) {
        return effectOf(*shown, baseline, *measure) + placeOf(pivot, *shown, held, {"medians, not tested"}) + ".";
    }
    if (largest(pivot, [](Verdict v) { return v == Verdict::NoDifferenceShown; })) {
        return sentenceOfNoDifference(pivot, *measure, held);
    }
    if (const PivotCell* single = largest(pivot, [](Verdict v) { return v == Verdict::TooFewRuns; })) {
        const bool one = std::all_of(pivot.cells.begin(), pivot.cells.end(),
                                     [](const PivotCell& cell) { return cell.estimate.runs.size() < 2; });
        return fmt::format("{}{}. Too few runs to tell: {}.", effectOf(*single, baseline, *measure),
                           placeOf(pivot, *single, held), one ? "1 per point" : "repeat them on both sides");
    }
    const auto none = [](const PivotCell& cell) { return cell.estimate.runs.empty() || cell.estimate.mean == 0; };
    if (std::ranges::all_of(pivot.cells, none) &&
        std::ranges::any_of(pivot.cells, [](const PivotCell& cell) { return !cell.estimate.runs.empty(); }))
        return fmt::format("All figures of {} are 0.", nameOf(*measure));
    if (std::ranges::any_of(pivot.cells, [](const PivotCell& cell) { return !cell.estimate.runs.empty(); }) &&
        pivot.hint().empty())
        return fmt::format("There is no ratio in {} to {}: its figures are 0, or there are none.", nameOf(*measure),
                           baseline);
    return pivot.hint().empty() ? std::string("No complete run to compare yet.") : pivot.hint();
}

} // namespace dyno
