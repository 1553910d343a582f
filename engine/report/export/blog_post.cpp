// SPDX-License-Identifier: GPL-3.0-or-later
// The skeleton of a post, as Markdown and as one HTML file.
#include <dyno/analysis.h>
#include <dyno/chart_kinds.h>
#include <dyno/export.h>
#include <dyno/figures.h>

#include "report/export/course_tables.h"
#include "report/export/html_text.h"
#include "report/export/markdown_parts.h"
#include "report/export/markdown_text.h"
#include "report/export/page_style.h"
#include "report/export/texts.h"
#include "report/format.h"
#include "report/pivot/labels.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace dyno {

namespace {

using report::addDistinct;
using report::escaped;
using report::joinedBy;

//! Longer than any row of backticks in the text.
std::string fenced(const std::string& text)
{
    std::size_t longest = 0, row = 0;
    for (const char c : text) {
        row = c == '`' ? row + 1 : 0;
        longest = std::max(longest, row);
    }
    const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
    return fmt::format("{}\n{}{}{}\n", fence, text, text.ends_with('\n') ? "" : "\n", fence);
}

//! A table of the same figures and ratios, whatever they are drawn as.
bool isThere(const std::vector<PivotRequest>& requests, const PivotRequest& request)
{
    return std::ranges::any_of(requests, [&request](const PivotRequest& one) {
        return one.measure == request.measure && one.x == request.x && one.series == request.series &&
               one.facet == request.facet && one.baseline == request.baseline && one.centre == request.centre &&
               one.relativeTo == request.relativeTo && one.knee == request.knee;
    });
}

//! What one user waits beside what is missing to linear scaling, with the law; "" unless a view draws it.
std::string scalingTable(const StoredSession& session)
{
    const std::vector<View>& views = session.header.plan.views;
    const auto view = std::ranges::find_if(views, [](const View& one) { return hasChart(one.chart, &ChartKind::law); });
    if (view == views.end())
        return {};
    std::string rows;
    for (const Scaling& one : scalingOf({session}, requestOf(*view))) {
        const std::string name = one.series + (one.series.empty() || one.facet.empty() ? "" : ", ") + one.facet;
        rows += fmt::format(
            "| {} | {} | {} | {} |\n", name.empty() ? "all runs" : escaped(name),
            one.singleUserMs ? timeText(*one.singleUserMs) : "–",
            one.gapToLinear ? fmt::format("{} % at {:g} users", report::human(100 * *one.gapToLinear), one.mostUsers)
                            : "–",
            one.fit ? escaped(toText(*one.fit, "transactions/s"))
                    : fmt::format("not fitted: it needs {} numbers of users", kFewestUslUsers));
    }
    if (rows.empty())
        return {};
    return "\n### " + (view->name.empty() ? std::string("Scaling") : escaped(view->name)) +
           "\n\n| series | one user, mean response | below linear | Universal Scalability Law, least squares over "
           "all runs |\n"
           "|---|---:|---:|---|\n" +
           rows;
}

//! The line of each series with what is left over at each size; "" unless a view draws it.
std::string syncTable(const StoredSession& session, const RunFigures& figures)
{
    const std::vector<View>& views = session.header.plan.views;
    const auto view = std::ranges::find_if(views, [](const View& one) {
        const ChartKind* kind = findChartKind(one.chart);
        return kind && kind->along == kLogBytes;
    });
    if (view == views.end() || !figures)
        return {};
    IntervalFigures read{kLogBytes, {figures(session, kLogBytes)}};
    read.values.back().resize(session.runs.size(), std::numeric_limits<double>::quiet_NaN());
    const Pivot bytes = pivot({session}, requestOf(*view), &read);
    const SyncCosts costs = syncCostsOf({session}, bytes);
    std::string lines, sizes;
    for (const SyncCost& one : costs.list) {
        const std::string joined = one.series + (one.series.empty() || one.facet.empty() ? "" : ", ") + one.facet;
        const std::string name = joined.empty() ? "all runs" : escaped(joined);
        lines += fmt::format("| {} | {} |\n", name, escaped(toText(one)));
        for (const SyncPoint& point : one.means) {
            sizes += fmt::format("| {} | {} | {} | {} | {} |\n", name, escaped(point.x), report::human(point.bytes),
                                 timeText(point.ms), one.fit ? timeText(point.ms - one.fit->at(point.bytes)) : "–");
        }
    }
    if (lines.empty())
        return {};
    using What = SyncCosts::What;
    const char* timed = costs.what == What::Commits        ? "commit"
                        : costs.what == What::Transactions ? "transaction"
                                                           : "commit or transaction";
    return fmt::format("\n### {}\n\n| series | N/R + K, least squares over all runs; 95 % intervals |\n|---|---|\n{}\n"
                       "| series | {} | log of a commit [bytes] | {} | left over |\n"
                       "|---|---:|---:|---:|---:|\n{}",
                       view->name.empty() ? std::string("What a sync costs") : escaped(view->name), lines,
                       escaped(bytes.request.x), timed, sizes);
}

//! The plan's views that tables can show; `request` when it has none.
std::vector<PivotRequest> requestsOf(const std::vector<StoredSession>& sessions, const PivotRequest& request,
                                     bool intervals)
{
    std::vector<PivotRequest> requests;
    if (sessions.size() == 1) {
        for (const View& view : sessions.front().header.plan.views) {
            const MeasureInfo* measure = findMeasure(view.measure);
            const bool ofRuns = hasChart(view.chart, &ChartKind::table);
            if (ofRuns && measure && (intervals || !measure->fromIntervals) && !isThere(requests, requestOf(view)))
                requests.push_back(requestOf(view));
        }
    }
    if (requests.empty())
        requests.push_back(request);
    return requests;
}

Pivot pivotWith(const std::vector<StoredSession>& sessions, const PivotRequest& request, const RunFigures& figures)
{
    const MeasureInfo* measure = findMeasure(request.measure);
    if (!figures || !measure || !measure->fromIntervals)
        return pivot(sessions, request);
    IntervalFigures read{request.measure, {}};
    for (const StoredSession& session : sessions) {
        read.values.push_back(figures(session, request.measure));
        read.values.back().resize(session.runs.size(), std::numeric_limits<double>::quiet_NaN());
    }
    return pivot(sessions, request, &read);
}

//! Of the views that ask for it, the table of maxima; each figure once.
std::string peaksTables(const std::vector<StoredSession>& sessions, const RunFigures& figures)
{
    std::string text;
    if (sessions.size() != 1)
        return text;
    std::vector<PivotRequest> told;
    for (const View& view : sessions.front().header.plan.views) {
        const MeasureInfo* measure = findMeasure(view.measure);
        if (view.table != kTableMaxima || !measure || (measure->fromIntervals && !figures) ||
            isThere(told, requestOf(view)))
            continue;
        told.push_back(requestOf(view));
        if (const std::string table = peaksTable(pivotWith(sessions, told.back(), figures)); !table.empty())
            text += "\n" + table;
    }
    return text.empty() ? text : text + "\n";
}

std::string question(const StoredSession& session)
{
    std::string text;
    if (!session.header.plan.description.empty())
        text += escaped(session.header.plan.description) + "\n\n";
    if (!session.header.plan.departs.empty()) {
        text += "How this departs from the published experiment:\n\n";
        for (const std::string& one : session.header.plan.departs)
            text += "- " + escaped(one) + "\n";
        text += "\n";
    }
    if (!session.info.notes.empty()) // the author's own Markdown
        text += session.info.notes + "\n\n";
    return text;
}

} // namespace

std::string appendixOf(const std::vector<StoredSession>& sessions)
{
    std::string text;
    const std::vector<std::string> names = report::sessionLabels(sessions);
    for (std::size_t s = 0; s < sessions.size(); ++s) {
        const StoredSession& session = sessions[s];
        const std::string of = sessions.size() > 1 ? " of " + escaped(names[s]) : std::string();
        if (!report::isImported(session)) {
            Plan plan = session.header.plan;
            plan.files.clear(); // megabytes that nobody reads; their digits are in the settings
            text += fmt::format("\n### Plan{}\n\n{}", of, fenced(writePlan(plan)));
        }
        if (const std::string knobs = report::knobsReadBack(session); !knobs.empty())
            text += fmt::format("\n### Settings as read back{}\n\n{}\n", of, escaped(knobs));
        // The same file of several runs is shown once, with the points that had it.
        std::vector<std::pair<std::string, std::vector<std::string>>> files;
        for (const StoredRun& run : session.runs) {
            if (run.header.optionFile.empty())
                continue;
            auto file = std::ranges::find(files, run.header.optionFile,
                                          &std::pair<std::string, std::vector<std::string>>::first);
            if (file == files.end())
                file = files.insert(file, {run.header.optionFile, {}});
            const auto point = static_cast<std::size_t>(run.header.point);
            if (point < session.header.points.size())
                addDistinct(file->second, session.header.points[point].label());
        }
        for (const auto& [content, points] : files) {
            text +=
                fmt::format("\n### Option file{}{}\n\n{}", of,
                            files.size() > 1 ? ": " + escaped(joinedBy(points, "; ")) : std::string(), fenced(content));
        }
    }
    return text.empty() ? text : "\n## Appendix\n" + text;
}

std::string markdownPost(const std::vector<StoredSession>& sessions, const PivotRequest& request,
                         const std::vector<ReportPicture>& pictures, const RunFigures& figures,
                         const CoursesOf& courses, Appendix appendix)
{
    if (sessions.empty())
        return "No session.\n";
    std::vector<std::string> titles;
    for (const StoredSession& session : sessions)
        addDistinct(titles, session.info.title);
    const std::vector<PivotRequest> requests = requestsOf(sessions, request, bool(figures));
    std::vector<Pivot> pivots;
    for (const PivotRequest& one : requests)
        pivots.push_back(pivotWith(sessions, one, figures));
    std::string text = fmt::format("# {}\n\n", escaped(joinedBy(titles, "; ")));
    for (const StoredSession& session : sessions)
        text += question(session);
    if (const std::string answer = verdictSentence(pivots.front()); !answer.empty())
        text += fmt::format("**{}**\n\n", escaped(answer));
    for (const ReportPicture& picture : pictures)
        text += fmt::format("![{}]({})\n\n", escaped(picture.title), picture.file);
    text += escaped(captionOf(sessions, pivots)) + "\n\n## Figures\n\n";
    for (const Pivot& one : pivots)
        text += markdownTable(one) + "\n";
    text += peaksTables(sessions, figures);
    for (const StoredSession& session : sessions)
        text += report::courseTables(session, courses);
    for (const StoredSession& session : sessions)
        text += scalingTable(session);
    for (const StoredSession& session : sessions)
        text += syncTable(session, figures);
    for (const StoredSession& session : sessions)
        text += publishedTables(session, figures);
    return text + report::setUp(sessions) + report::differenceTable(sessions) +
           report::honestNotes(sessions, pivots.front()) +
           (appendix == Appendix::Yes ? appendixOf(sessions) : std::string());
}

std::string htmlPost(const std::vector<StoredSession>& sessions, const PivotRequest& request,
                     const std::vector<ReportPicture>& pictures, const RunFigures& figures, const CoursesOf& courses,
                     Appendix appendix)
{
    const std::string title = sessions.empty() ? std::string("No session") : sessions.front().info.title;
    // The policy holds even if a text got through as a tag: nothing runs, nothing is fetched.
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src"
        " 'unsafe-inline'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
        report::htmlEscaped(title), report::kPageStyle,
        htmlOfMarkdown(markdownPost(sessions, request, pictures, figures, courses, appendix), pictures));
}

} // namespace dyno
