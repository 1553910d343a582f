// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/session_digest.h"

#include "format.h"
#include "plots/comparison.h"
#include "plots/series_labels.h"
#include "qt_text.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

constexpr std::size_t kCoursePoints = 80; //!< a preview is not wider than this many steps that can be seen

struct DigestWords
{
    Q_DECLARE_TR_FUNCTIONS(SessionDigest)
};

//! The facet that is shown: the first with a figure.
std::string facetOf(const Pivot& pivot)
{
    for (const std::string& facet : pivot.facets) {
        if (std::ranges::any_of(pivot.cells, [&](const PivotCell& cell) {
                return cell.facet == facet && std::isfinite(pivot.figure(cell).value);
            }))
            return facet;
    }
    return pivot.facets.empty() ? std::string() : pivot.facets.front();
}

//! The place of x that the plan asks about, where bars stand: there its series are one row each.
std::optional<std::string> askedPlace(const Pivot& pivot)
{
    for (const CaseRef& one : pivot.request.verdictAt) {
        if (one.axis == pivot.request.x && std::ranges::find(pivot.xs, one.label) != pivot.xs.end())
            return one.label;
    }
    return {};
}

//! Each `step` values averaged into one; what is no number counts in none.
std::vector<double> thinned(const std::vector<double>& values, std::size_t step)
{
    std::vector<double> out;
    for (std::size_t first = 0; first < values.size(); first += step) {
        double sum = 0;
        int count = 0;
        for (std::size_t at = first; at < std::min(first + step, values.size()); ++at) {
            if (std::isfinite(values[at])) {
                sum += values[at];
                ++count;
            }
        }
        out.push_back(count > 0 ? sum / count : kNone);
    }
    return out;
}

void fillFromCells(SessionDigest& digest, const Pivot& pivot)
{
    ChartPreview& chart = digest.chart;
    const std::string facet = facetOf(pivot);
    std::vector<std::string> xs = pivot.xs;
    const auto asked = askedPlace(pivot);
    if (asked && chart.sketch == ChartSketch::Bars && pivot.series.size() > 1)
        xs = {*asked};
    for (const std::string& x : xs)
        chart.xs << qtText(x);
    for (const std::string& label : pivot.series) {
        if (chart.series.size() == kPreviewSeries)
            break;
        ChartPreview::Series series;
        series.label = shortLabel(caseWords(qtText(pivot.request.series), qtText(label)));
        for (const std::string& x : xs) {
            const PivotCell* cell = pivot.cell(x, label, facet);
            series.values.push_back(cell ? pivot.figure(*cell).value : kNone);
        }
        if (std::ranges::any_of(series.values, [](double value) { return std::isfinite(value); }))
            chart.series.push_back(std::move(series));
    }
    const MeasureInfo measure = pivot.shown();
    chart.unit = qtText(measure.unit);
    const QString x = qtText(pivot.request.x);
    digest.measure = previewMeasure(measure, chart.sketch, chart.xs.size() > 1 ? x : QString());
    if (asked && chart.xs.size() == 1 && pivot.xs.size() > 1)
        digest.measure =
            DigestWords::tr("%1, %2", "measure, case").arg(digest.measure, casesWords(x, chart.xs.front()));
}

//! The course of the first run of each series.
Expected<void> fillFromIntervals(SessionDigest& digest, Library& library, const Comparison& comparison,
                                 const Pivot& pivot)
{
    ChartPreview& chart = digest.chart;
    const std::string facet = facetOf(pivot);
    const MeasureInfo shown = pivot.shown();
    const std::string amount = intervalMeasuresOf(pivot.request.measure).amount;
    std::size_t longest = 0;
    for (const std::string& label : pivot.series) {
        if (chart.series.size() == kPreviewSeries)
            break;
        for (const std::string& x : pivot.xs) {
            const PivotCell* cell = pivot.cell(x, label, facet);
            const auto runs = cell ? runsOf(comparison, pivot.request, *cell) : std::vector<CellRun>();
            const auto done = std::ranges::find_if(
                runs, [](const CellRun& run) { return run.run->summary.status == RunStatus::Done; });
            if (done == runs.end())
                continue;
            const RunHeader& header = done->run->header;
            std::optional<std::vector<double>> values;
            if (isOfCounters(amount)) {
                auto read = counterValues(library, done->run->id, header.operations, header.counters, amount);
                if (!read)
                    return fail(read.error());
                values = std::move(*read);
            } else {
                const auto columns = library.columns(done->run->id);
                if (!columns)
                    return fail(columns.error());
                values = intervalValues(*columns, header.operations, amount);
            }
            if (!values)
                break;
            chart.series.push_back(
                {shortLabel(caseWords(qtText(pivot.request.series), qtText(label))), std::move(*values)});
            longest = std::max(longest, chart.series.back().values.size());
            break;
        }
    }
    // One step for all, so that a shorter run stays shorter.
    const std::size_t step = std::max<std::size_t>(1, (longest + kCoursePoints - 1) / kCoursePoints);
    for (ChartPreview::Series& series : chart.series)
        series.values = thinned(series.values, step);
    chart.xs = QStringList(qsizetype((longest + step - 1) / step), QString());
    const MeasureInfo* measure = findMeasure(amount);
    digest.measure = previewMeasure(measure ? *measure : shown, chart.sketch, {});
    return {};
}

} // namespace

Expected<SessionDigest> digestOf(Library& library, StoredSession session)
{
    SessionDigest digest;
    const bool measured =
        std::ranges::any_of(session.runs, [](const StoredRun& run) { return run.summary.status == RunStatus::Done; });
    Comparison comparison;
    comparison.sessions.push_back(std::move(session));
    if (!measured)
        return digest;
    comparison.axes = pivotAxesOf(comparison.sessions);
    const PivotRequest request = defaultRequest(comparison);
    IntervalFigures figures;
    if (const MeasureInfo* measure = findMeasure(request.measure); measure && measure->fromIntervals) {
        auto values = intervalFigures(library, comparison.sessions.front(), request.measure);
        if (!values)
            return fail(values.error());
        figures = {request.measure, {std::move(*values)}};
    }
    const Pivot pivot = dyno::pivot(comparison.sessions, request, figures.values.empty() ? nullptr : &figures);
    digest.verdict = qtText(verdictSentence(pivot, HeldAxes::Shown));
    const ChartKind* kind = findChartKind(defaultChart(comparison));
    digest.chart.sketch = kind ? kind->sketch : ChartSketch::Lines;
    digest.chart.figures = true;
    if (digest.chart.sketch == ChartSketch::Course) {
        if (const auto filled = fillFromIntervals(digest, library, comparison, pivot); !filled)
            return fail(filled.error());
        if (!digest.chart.isEmpty())
            return digest;
        digest.chart.series.clear();
        digest.chart.sketch = ChartSketch::Lines;
    }
    fillFromCells(digest, pivot);
    return digest;
}

QString previewMeasure(const MeasureInfo& measure, ChartSketch sketch, const QString& by)
{
    const std::string& text = measure.unit.empty() ? measure.label : measure.unit;
    const QString unit = QCoreApplication::translate("Measure", text.c_str());
    if (sketch == ChartSketch::Course)
        return DigestWords::tr("%1 over time").arg(unit);
    return by.isEmpty() ? unit : DigestWords::tr("%1 by %2", "measure by axis").arg(unit, by);
}

QString verdictHtml(const QString& verdict)
{
    // "A has 9.8× [9.1, 10.5] the throughput of B at 4 users (REPEATABLE READ; one of 6 comparisons)."
    static const QRegularExpression aside(QStringLiteral(
        "(?: \\(one of \\d+ (?:comparisons|points)\\)|; one of \\d+ (?:comparisons|points)(\\)))?\\.?$"));
    static const QRegularExpression factor(
        QStringLiteral("(?<=\\bhas |\\bis )[\\d.,\\x{202F}]+(?:×|[ \\x{00A0}]%)(?! interval)"));
    QString text = verdict;
    text.replace(aside, QStringLiteral("\\1"));
    text = text.toHtmlEscaped();
    const QRegularExpressionMatch match = factor.match(text);
    if (match.hasMatch())
        text.replace(match.capturedStart(), match.capturedLength(), QStringLiteral("<b>%1</b>").arg(match.captured()));
    return text;
}

} // namespace dyno
