// SPDX-License-Identifier: GPL-3.0-or-later
// The ratio table of a pivot, in each form that can be pasted somewhere.
#include "report/export/csv_writer.h"
#include "report/export/markdown_text.h"
#include "report/format.h"
#include "report/pivot/knees.h"

#include <dyno/figures.h>
#include <dyno/report.h>

#include <algorithm>
#include <fmt/format.h>

namespace dyno {

namespace {

using report::human;

//! Plain texts; each form escapes them its own way.
struct Grid
{
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> rows;
};

//! `unit`: that of the measure; it stands behind the figure only where it follows from its size.
std::string estimateText(const PivotCell& cell, Centre centre, const std::string& unit, bool intervals)
{
    const Estimate& e = cell.estimate;
    const auto number = [&unit](double v) { return unitFollowsSize(unit) ? amountText(v, unit) : human(v); };
    std::string text = "–";
    if (centre == Centre::Median && !e.runs.empty())
        text = number(e.median);
    else if (e.low && e.high && intervals)
        text = number(e.mean) + " " + boundsText(*e.low, *e.high, e.mean, unit);
    else if (!e.runs.empty())
        text = number(e.mean);
    if (cell.noPrice)
        text += " (no price)";
    if (cell.failedRuns > 0)
        text += fmt::format(" ({} failed)", cell.failedRuns);
    if (cell.skippedRuns > 0)
        text += fmt::format(" ({} skipped or stopped)", cell.skippedRuns);
    if (cell.damagedRuns > 0)
        text += fmt::format(" ({} damaged)", cell.damagedRuns);
    if (!cell.shortRuns.empty())
        text += fmt::format(" ({} fell short)",
                            report::counted(static_cast<long long>(cell.shortRuns.size()), "run", "runs"));
    if (const auto marked = std::count(cell.outliers.begin(), cell.outliers.end(), true); marked > 0)
        text += fmt::format(" ({})", report::counted(marked, "outlier", "outliers"));
    if (cell.clientLimited)
        text += " ⚠";
    return text;
}

std::string ratioText(const PivotCell& cell, bool percent, bool intervals)
{
    if (cell.estimate.runs.empty() || cell.ratio.value == 0)
        return "–";
    const auto number = [percent](double r) { return percent ? human(100 * r) : report::ratio(r); };
    std::string text = number(cell.ratio.value);
    if (percent)
        text += " %";
    if (const auto low = cell.ratio.shownLow(), high = cell.ratio.shownHigh(); low && high && intervals)
        text += fmt::format(" [{}, {}]", number(*low), number(*high));
    switch (cell.ratio.verdict) {
    case Verdict::Better:
        return text + " better";
    case Verdict::Worse:
        return text + " worse";
    case Verdict::NoDifferenceShown:
        return text + " no difference shown";
    case Verdict::TooFewRuns:
        return text + " (too few runs)";
    case Verdict::Differs:
        return text + " differs";
    case Verdict::Untested:
    case Verdict::Baseline:
        break;
    }
    return text;
}

//! Each series' figures, and beside them the ratios to the baseline or the shares of the best.
Grid gridOfFacet(const Pivot& pivot, const std::string& facet, bool intervals)
{
    const MeasureInfo measure = pivot.measure();
    const PivotRequest& request = pivot.request;
    const bool toBest = request.relativeTo == RelativeTo::Best;
    const bool percent = request.relativeTo != RelativeTo::Nothing;
    const auto isBaseline = [&](const std::string& series) { return !toBest && series == request.baseline; };
    const bool ratios = pivot.ratios && (pivot.series.size() > 1 || toBest);
    Grid grid;
    grid.head = {request.x};
    for (const std::string& series : pivot.series) {
        const std::string name = series.empty() ? measure.label : series;
        grid.head.push_back(ratios && isBaseline(series) ? name + " (baseline)" : name);
        if (!ratios || isBaseline(series))
            continue;
        if (toBest)
            grid.head.push_back(series.empty() ? std::string("of the best") : fmt::format("{}, of the best", name));
        else if (percent)
            grid.head.push_back(fmt::format("{}, of {}", name, request.baseline));
        else
            grid.head.push_back(fmt::format("{} ÷ {}", name, request.baseline));
    }
    const auto isOther = [&](const std::string& x) { // a step that no run of this facet has
        return std::ranges::all_of(pivot.series, [&](const std::string& series) {
            const PivotCell* cell = pivot.cell(x, series, facet);
            return cell && !cell->operation.empty() && cell->estimate.runs.empty() && cell->failedRuns == 0 &&
                   cell->skippedRuns == 0 && cell->damagedRuns == 0 && cell->shortRuns.empty();
        });
    };
    for (const std::string& x : pivot.xs) {
        if (isOther(x))
            continue;
        std::vector<std::string>& cells = grid.rows.emplace_back();
        cells.push_back(x);
        for (const std::string& series : pivot.series) {
            const PivotCell* cell = pivot.cell(x, series, facet);
            cells.push_back(cell ? estimateText(*cell, request.centre, measure.unit, intervals) : "–");
            if (ratios && !isBaseline(series))
                cells.push_back(cell ? ratioText(*cell, percent, intervals) : "–");
        }
    }
    return grid;
}

//! True when no run of this facet has a figure though none failed or fell short, and others have: of another operation
//! than its own.
bool isOther(const Pivot& pivot, const std::string& facet)
{
    bool own = false, others = false;
    for (const PivotCell& cell : pivot.cells) {
        const bool any = !cell.estimate.runs.empty();
        const bool missed = cell.failedRuns > 0 || cell.skippedRuns > 0 || cell.damagedRuns > 0 ||
                            !cell.shortRuns.empty() || cell.noPrice;
        own = own || (cell.facet == facet && (any || missed || cell.p95Ms <= 0));
        others = others || (cell.facet != facet && any);
    }
    return others && !own;
}

//! Columns that a person sees, of UTF-8: every code point is one.
std::size_t widthOf(const std::string& text)
{
    return std::size_t(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string textBox(const Grid& grid)
{
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < grid.head.size(); ++i) {
        widths.push_back(widthOf(grid.head[i]));
        for (const auto& row : grid.rows)
            widths[i] = std::max(widths[i], widthOf(row[i]));
    }
    const auto line = [&](const std::vector<std::string>& cells) {
        std::string text = "|";
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::string room(widths[i] - widthOf(cells[i]), ' ');
            text += i == 0 ? " " + cells[i] + room + " |" : " " + room + cells[i] + " |";
        }
        return text + "\n";
    };
    std::string rule = "+";
    for (const std::size_t width : widths)
        rule += std::string(width + 2, '-') + "+";
    rule += "\n";
    std::string text = rule + line(grid.head) + rule;
    for (const auto& row : grid.rows)
        text += line(row);
    return text + rule;
}

std::string htmlText(const std::string& text)
{
    std::string out;
    for (const char c : text) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else
            out += c;
    }
    return out;
}

std::string htmlTable(const Grid& grid)
{
    const auto line = [](const std::vector<std::string>& cells, const char* element) {
        std::string text = "<tr>";
        for (std::size_t i = 0; i < cells.size(); ++i)
            text += fmt::format("<{0}{1}>{2}</{0}>", element, i == 0 ? "" : " align=\"right\"", htmlText(cells[i]));
        return text + "</tr>\n";
    };
    std::string text = "<table>\n<thead>\n" + line(grid.head, "th") + "</thead>\n<tbody>\n";
    for (const auto& row : grid.rows)
        text += line(row, "td");
    return text + "</tbody>\n</table>\n";
}

std::string markdownGrid(const Grid& grid)
{
    const auto line = [](std::vector<std::string> cells) {
        for (std::string& cell : cells)
            cell = report::escaped(cell);
        return report::row(cells);
    };
    std::string text = line(grid.head) + report::rule(grid.head.size());
    for (const auto& row : grid.rows)
        text += line(row);
    return text;
}

std::string csvLine(const std::vector<std::string>& cells)
{
    report::CsvWriter line;
    for (const std::string& cell : cells)
        line << cell;
    line.endRow();
    return line.take();
}

//! "Limits: disk reads 21 400/s."; "" for none.
std::string limitsText(const Pivot& pivot)
{
    std::string text;
    for (const DeviceLimit& limit : pivot.limits)
        text += fmt::format("{}{} {}/s", text.empty() ? "Limits: " : ", ", limit.name,
                            limit.bytes ? report::bytes(limit.value) : report::human(limit.value));
    return text.empty() ? text : text + ".";
}

//! One line a row and a column a figure, for a spreadsheet: plain numbers with the unit in the header.
std::string csvTable(const Pivot& pivot, bool intervals)
{
    const MeasureInfo measure = pivot.measure();
    const bool median = pivot.request.centre == Centre::Median;
    const bool facets = pivot.facets.size() > 1;
    std::vector<std::string> head;
    if (facets)
        head.push_back(pivot.request.facet);
    head.push_back(pivot.request.x);
    for (const std::string& series : pivot.series) {
        const std::string name = series.empty() ? measure.label : series;
        head.push_back(fmt::format("{} ({})", name, measure.unit));
        if (intervals) {
            head.push_back(name + " low");
            head.push_back(name + " high");
        }
        if (!pivot.ratios)
            continue;
        head.push_back(name + " ratio");
        if (intervals) {
            head.push_back(name + " ratio low");
            head.push_back(name + " ratio high");
        }
    }
    for (const DeviceLimit& limit : pivot.limits)
        head.push_back(fmt::format("{} ({})", limit.name, measure.unit));
    std::string text = csvLine(head);
    const auto number = [](std::optional<double> v) { return v ? fmt::format("{:.8g}", *v) : std::string(); };
    for (const std::string& facet : pivot.facets) {
        for (const std::string& x : pivot.xs) {
            std::vector<std::string> cells;
            if (facets)
                cells.push_back(facet);
            cells.push_back(x);
            for (const std::string& series : pivot.series) {
                const PivotCell* cell = pivot.cell(x, series, facet);
                const bool any = cell && !cell->estimate.runs.empty();
                const auto add = [&](std::optional<double> v) { cells.push_back(any ? number(v) : std::string()); };
                const Estimate none;
                const Estimate& e = any ? cell->estimate : none;
                add(median ? e.median : e.mean);
                if (intervals) {
                    add(median ? std::nullopt : e.low);
                    add(median ? std::nullopt : e.high);
                }
                if (!pivot.ratios)
                    continue;
                add(any && cell->ratio.value > 0 ? std::optional(cell->ratio.value) : std::nullopt);
                if (intervals) {
                    add(any ? cell->ratio.shownLow() : std::nullopt);
                    add(any ? cell->ratio.shownHigh() : std::nullopt);
                }
            }
            for (const DeviceLimit& limit : pivot.limits)
                cells.push_back(number(limit.value));
            text += csvLine(cells);
        }
    }
    return text;
}

} // namespace

std::string comparisonsText(const Pivot& pivot)
{
    if (pivot.comparisons < 2)
        return {};
    const auto shown = std::ranges::count_if(pivot.cells, [](const PivotCell& cell) {
        const Verdict verdict = cell.ratio.verdict;
        return verdict == Verdict::Better || verdict == Verdict::Worse || verdict == Verdict::Differs;
    });
    const bool toBest = pivot.request.relativeTo == RelativeTo::Best;
    return fmt::format("Of {}{}, {} a difference (Holm's method); the 95 % intervals of the ratios hold for all {} "
                       "together.",
                       report::counted(pivot.comparisons, "comparison", "comparisons"),
                       toBest ? " (each figure with each, since the best is chosen from them)" : "",
                       shown == 0   ? std::string("none shows")
                       : shown == 1 ? std::string("1 shows")
                                    : fmt::format("{} show", shown),
                       pivot.comparisons);
}

std::string ratioTable(const Pivot& pivot, TableForm form, bool intervals)
{
    if (form == TableForm::Csv)
        return csvTable(pivot, intervals);
    const bool html = form == TableForm::Html, markdown = form == TableForm::Markdown;
    const auto escaped = [&](const std::string& text) {
        return html ? htmlText(text) : markdown ? report::escaped(text) : text;
    };
    const auto paragraph = [&](const std::string& text) { return html ? "<p>" + text + "</p>\n" : text + "\n"; };
    std::string text;
    if (findMeasure(pivot.request.measure)) {
        const MeasureInfo measure = pivot.measure();
        const std::string centre = centreText(pivot);
        const std::string unit = unitFollowsSize(measure.unit) ? std::string() : fmt::format(" ({})", measure.unit);
        text = paragraph(fmt::format("{}{}, {}{} is better", escaped(measure.label), escaped(unit),
                                     centre.empty() ? centre : centre + ", ",
                                     !measure.judged          ? "neither higher nor lower"
                                     : measure.higherIsBetter ? "higher"
                                                              : "lower"));
        if (const std::string scope = pivot.scope(); !scope.empty())
            text += (html ? "" : "\n") + paragraph(escaped(scope));
        text += html ? "" : "\n";
    }
    for (const std::string& facet : pivot.facets) {
        if (pivot.facets.size() > 1) {
            const std::string name = fmt::format("{}: {}", escaped(pivot.request.facet), escaped(facet));
            text += html ? "<h4>" + name + "</h4>\n" : markdown ? fmt::format("**{}**\n\n", name) : name + "\n\n";
        }
        if (isOther(pivot, facet)) {
            text += paragraph("Not measured in these runs.");
        } else {
            const Grid grid = gridOfFacet(pivot, facet, intervals);
            text += html ? htmlTable(grid) : markdown ? markdownGrid(grid) : textBox(grid);
        }
        if (&facet != &pivot.facets.back())
            text += html ? "" : "\n";
    }
    if (const std::string limits = limitsText(pivot); !limits.empty())
        text += (html ? "" : "\n") + paragraph(escaped(limits));
    if (const std::string knees = report::kneesText(pivot); !knees.empty())
        text += (html ? "" : "\n") + paragraph(escaped(knees));
    if (const std::string note = comparisonsText(pivot); !note.empty())
        text += (html ? "" : "\n") + paragraph(escaped(note));
    if (const std::string hint = pivot.hint(); !hint.empty())
        text += (html ? "" : "\n") + paragraph(escaped(hint));
    return text;
}

std::string markdownTable(const Pivot& pivot)
{
    return ratioTable(pivot, TableForm::Markdown);
}

} // namespace dyno
