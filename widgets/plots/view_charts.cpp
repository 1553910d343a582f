// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/view_charts.h"

#include "plots/chart.h"
#include "plots/comparison.h"
#include "plots/pivot_table_model.h"
#include "plots/series_labels.h"
#include "plots/trace_reader.h"
#include "qt_text.h"

#include <dyno/analysis.h>

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

namespace dyno {

namespace {

int mostUsers(const SessionHeader& header)
{
    int most = 0;
    for (const PointSpec& point : header.points)
        most = std::max(most, point.users());
    return most;
}

//! Lines that belong into one chart.
struct TraceGroup
{
    QString name; //!< what tells the groups apart; "" for a single one
    std::vector<RunTrace> traces;
};

bool isAmong(const std::string& axis, const std::string& axes)
{
    return (" × " + axes + " × ").find(" × " + axis + " × ") != std::string::npos;
}

//! The labels of a point on the axes of a pivot, without those that lie in its runs. `withFacet`: false where it stands
//! over the chart.
QStringList caseNames(const Comparison& alone, const Pivot& laidOut, const PointSpec& point, bool withFacet)
{
    QStringList names;
    for (const std::string* axes : {&laidOut.request.series, &laidOut.request.facet, &laidOut.request.x}) {
        if (axes == &laidOut.request.facet && !withFacet)
            continue;
        for (const QString& axis : qtText(*axes).split(QStringLiteral(" × "), Qt::SkipEmptyParts)) {
            const std::string name = axis.toStdString();
            const auto planned = axesOf(alone.sessions);
            if (std::find(planned.begin(), planned.end(), name) == planned.end() ||
                (axes == &laidOut.request.x && (name == "users" || laidOut.xs.size() < 2)))
                continue;
            // An axis may stand along x and among the series or facets as well.
            if (axes == &laidOut.request.x && !withFacet && isAmong(name, laidOut.request.facet))
                continue;
            const QString words = caseWords(axis, qtText(caseLabelOf(alone, 0, point, name)));
            if (axes != &laidOut.request.x || !names.contains(words))
                names += words;
        }
    }
    return names;
}

LinePlace placeOf(const Comparison& alone, const Pivot& laidOut, const PointSpec& point)
{
    const auto at = [&](const std::vector<std::string>& labels, const std::string& axes) {
        const auto found = std::ranges::find(labels, axes.empty() ? std::string() : caseLabelOf(alone, 0, point, axes));
        return found == labels.end() ? 0 : int(found - labels.begin());
    };
    return {at(laidOut.series, laidOut.request.series), int(laidOut.series.size()),
            at(laidOut.facets, laidOut.request.facet), int(laidOut.facets.size())};
}

//! Whether all numbers of users are shown: they are among the lines or charts, or come with their cases.
bool showsEveryLevel(const Comparison& alone, const PivotRequest& request)
{
    const auto isOn = [](const std::string& axes) { return isAmong("users", axes); };
    const auto setsUsers = [&](const std::string& axes) {
        std::map<std::string, std::set<int>> users; // by case
        std::set<int> all;
        for (const PointSpec& point : alone.sessions.front().header.points) {
            users[axes.empty() ? std::string() : caseLabelOf(alone, 0, point, axes)].insert(point.users());
            all.insert(point.users());
        }
        return all.size() > 1 && std::ranges::all_of(users, [](const auto& one) { return one.second.size() == 1; });
    };
    return std::ranges::any_of(std::array{request.series, request.facet},
                               [&](const std::string& axes) { return isOn(axes) || setsUsers(axes); });
}

//! Kinds of operations that are the lines of a chart; none where its lines are cases.
std::vector<std::string> operationsAmong(const Pivot& laidOut, const Chart& chart)
{
    std::vector<std::string> operations;
    for (const PivotCell& cell : laidOut.cells) {
        if (!cell.operation.empty() && chart.kind().measure &&
            std::find(operations.begin(), operations.end(), cell.operation) == operations.end())
            operations.push_back(cell.operation);
    }
    return operations;
}

//! The first repeat of each case, at the most users where these are not among the lines; kinds of operations, where the
//! view asks for them, are the lines of a chart for each case. `which`: that in words.
Expected<std::vector<TraceGroup>> tracesOf(const Chart& chart, const View& view, const StoredSession& session,
                                           Library& library, QString& which)
{
    const SessionHeader& header = session.header;
    // The axes as the Compare page lays them out: those that the view leaves open as well.
    Comparison alone;
    alone.sessions = {session};
    alone.axes = pivotAxesOf(alone.sessions);
    const Pivot laidOut = pivot(alone.sessions, requestOf(view));
    const auto& [x, series, facet] = std::tie(laidOut.request.x, laidOut.request.series, laidOut.request.facet);
    const bool everyLevel = showsEveryLevel(alone, laidOut.request);
    const int most = mostUsers(header);
    which = everyLevel ? QCoreApplication::translate("dyno::gui", "first repeat of each")
                       : QCoreApplication::translate("dyno::gui", "%n user(s), first repeat of each", nullptr, most);
    TraceParts parts = chart.parts();
    const bool arrivals = hasArrivals(alone.sessions);
    parts.response = showsResponse(laidOut.request.measure, arrivals);
    std::vector<std::string> operations = operationsAmong(laidOut, chart);
    const bool ofKinds = !operations.empty();
    // Facets are small multiples where lines of their own series fit into each.
    const bool multiples = !ofKinds && chart.kind().rows && !facet.empty() && laidOut.facets.size() > 1;
    QStringList looks; // of small multiples: a line has the look of its name, in each of them
    const bool overX = x != "users" && laidOut.xs.size() > 1; // what stands along x is among the lines
    if (!ofKinds)
        operations.emplace_back();
    TraceReader reader(library, parts);
    std::vector<TraceGroup> groups;
    for (const StoredRun& run : session.runs) {
        if (run.header.repeat != 1 || run.summary.status != RunStatus::Done || run.header.point < 0 ||
            std::size_t(run.header.point) >= header.points.size())
            continue;
        const PointSpec& point = header.points[std::size_t(run.header.point)];
        if (!everyLevel && point.users() != most)
            continue;
        const QStringList names = caseNames(alone, laidOut, point, !multiples);
        if (ofKinds || groups.empty())
            groups.push_back({ofKinds ? names.join(QStringLiteral(", ")) : QString(), {}});
        std::vector<RunTrace>& traces = groups.back().traces;
        for (std::size_t i = 0; i < operations.size(); ++i) {
            if (ofKinds && std::ranges::none_of(run.summary.operations, [&](const OperationSummary& one) {
                    return one.name == operations[i] && one.count > 0;
                }))
                continue;
            const QString name = ofKinds           ? qtText(operations[i])
                                 : names.isEmpty() ? qtText(point.label())
                                                   : names.join(QStringLiteral(", "));
            int next = int(ofKinds ? i : traces.size());
            if (multiples) {
                if (!looks.contains(name))
                    looks << name;
                next = int(looks.indexOf(name));
            }
            auto trace = reader.read(
                {run.id,
                 run.header.operations,
                 courseMeasuresOf(laidOut.request.measure, operations[i], arrivals),
                 name,
                 ofKinds || overX || multiples ? next : lineColor(placeOf(alone, laidOut, point), next),
                 session.info.id,
                 {},
                 multiples ? PivotTableModel::facetLabel(facet, caseLabelOf(alone, 0, point, facet)) : QString(),
                 {},
                 {},
                 countersFor(laidOut.request.measure, run.header)});
            if (!trace)
                return fail(trace.error());
            traces.push_back(std::move(*trace));
        }
    }
    return groups;
}

ChartInput inputOf(const View& view, const std::vector<StoredSession>& sessions, const Pivot& pivot,
                   const std::vector<RunTrace>& traces)
{
    const ViewAxes axes = viewAxes(view.log);
    return {.sessions = sessions,
            .pivot = pivot,
            .traces = traces,
            .logX = axes.logX,
            .logY = axes.logY,
            .logOpen = axes.open,
            .overRows = view.over == "rows",
            .from = view.from,
            .to = view.to};
}

//! Adds the cards to `charts`, and returns them.
std::vector<PlotCard*> drawInto(ViewCharts& charts, const Chart& chart, const ChartInput& input)
{
    ChartSheet sheet;
    chart.draw(input, sheet);
    std::vector<PlotCard*> cards = sheet.cards();
    std::ranges::copy(cards, std::back_inserter(charts.cards));
    std::ranges::move(sheet.take(), std::back_inserter(charts.owned));
    return cards;
}

Expected<ViewCharts> chartsOfIntervals(const Chart& chart, const View& view, const StoredSession& session,
                                       Library& library)
{
    ViewCharts charts;
    QString which;
    const auto groups = tracesOf(chart, view, session, library, which);
    if (!groups)
        return fail(groups.error());
    const std::vector<StoredSession> sessions{session};
    const Pivot pivot;
    for (const auto& [group, traces] : *groups) {
        if (traces.empty())
            continue;
        ChartInput input = inputOf(view, sessions, pivot, traces);
        input.which = which;
        input.words = exportWordsOf(sessions, nullptr);
        for (PlotCard* card : drawInto(charts, chart, input)) {
            if (!group.isEmpty())
                card->setTitle(QStringLiteral("%1, %2").arg(card->title(), group));
        }
    }
    return charts;
}

} // namespace

Expected<std::vector<View>> viewsOf(const StoredSession& session, Library& library)
{
    std::vector<View> views = session.header.plan.views;
    auto kept = library.namedViews(session.info.id);
    if (!kept)
        return fail(kept.error());
    for (const NamedView& one : *kept) {
        if (auto view = viewFromText(one.text)) {
            view->name = one.name;
            views.push_back(std::move(*view));
        }
    }
    if (views.empty())
        views.emplace_back();
    return views;
}

namespace {

Expected<ViewCharts> chartsWithoutName(const View& view, const StoredSession& session, Library& library)
{
    const Chart& chart = chartOf(view.chart);
    if (chart.kind().intervals)
        return chartsOfIntervals(chart, view, session, library);
    const PivotRequest request = requestOf(view);
    IntervalFigures figures{request.measure, {}};
    if (const MeasureInfo* measure = findMeasure(request.measure); measure && measure->fromIntervals) {
        auto values = intervalFigures(library, session, request.measure);
        if (!values)
            return fail(values.error());
        figures.values.push_back(std::move(*values));
    }
    const std::vector<StoredSession> sessions{session};
    const Pivot shown = pivot(sessions, request, &figures);
    const std::vector<RunTrace> none;
    ChartInput input = inputOf(view, sessions, shown, none);
    input.data = chart.workOut(sessions, shown);
    input.words = exportWordsOf(sessions, &shown);
    if (view.published)
        input.published = publishedFor(shown, session.header.plan);
    ViewCharts charts;
    drawInto(charts, chart, input);
    return charts;
}

} // namespace

Expected<ViewCharts> viewChartsOf(const View& view, const StoredSession& session, Library& library)
{
    auto charts = chartsWithoutName(view, session, library);
    if (!charts || view.name.empty())
        return charts;
    const QString name = qtText(view.name);
    for (PlotCard* card : charts->cards) { // of several, what tells them apart stays
        if (charts->cards.size() == 1 && view.relativeTo != RelativeTo::Nothing)
            card->setSecondary(QStringLiteral("%1, %2").arg(card->title(), card->secondary())); // of what it is percent
        card->setTitle(charts->cards.size() == 1 ? name : QStringLiteral("%1: %2").arg(name, card->title()));
    }
    return charts;
}

} // namespace dyno
