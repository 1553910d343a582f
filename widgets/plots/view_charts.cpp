// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/view_charts.h"

#include "models/comparison.h"
#include "models/pivot_gaps.h"
#include "models/pivot_table_model.h"
#include "plots/pivot_plot.h"
#include "plots/scaling_plot.h"
#include "plots/series_labels.h"
#include "plots/strip_plot.h"
#include "plots/time_overlay_plot.h"
#include "plots/trace_reader.h"
#include "qt_text.h"

#include <dyno/analysis.h>

#include <QCoreApplication>

#include <algorithm>
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

//! The labels of a point on the axes of a pivot, without those that lie in its runs.
QStringList caseNames(const Comparison& alone, const Pivot& laidOut, const PointSpec& point)
{
    QStringList names;
    for (const std::string* axes : {&laidOut.request.series, &laidOut.request.facet, &laidOut.request.x}) {
        for (const QString& axis : qtText(*axes).split(QStringLiteral(" × "), Qt::SkipEmptyParts)) {
            const std::string name = axis.toStdString();
            const auto planned = axesOf(alone.sessions);
            if (std::find(planned.begin(), planned.end(), name) == planned.end() ||
                (axes == &laidOut.request.x && (name == "users" || laidOut.xs.size() < 2)))
                continue;
            names += qtText(caseLabelOf(alone, 0, point, name));
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
    return {at(laidOut.series, laidOut.request.series), int(laidOut.series.size()), at(laidOut.facets, laidOut.request.facet),
            int(laidOut.facets.size())};
}

//! The first repeat of each case, at the most users where these are not among the lines; kinds of operations, where the
//! view asks for them, are the lines of a chart for each case. `which`: that in words.
Expected<std::vector<TraceGroup>> tracesOf(const View& view, const StoredSession& session, Library& library, QString& which)
{
    const SessionHeader& header = session.header;
    // The axes as the Compare page lays them out: those that the view leaves open as well.
    Comparison alone;
    alone.sessions = {session};
    alone.axes = pivotAxesOf(alone.sessions);
    const Pivot laidOut = pivot(alone.sessions, requestOf(view));
    const auto& [x, series, facet] = std::tie(laidOut.request.x, laidOut.request.series, laidOut.request.facet);
    const auto isOn = [](const std::string& axes) { return (" × " + axes + " × ").find(" × users × ") != std::string::npos; };
    const bool everyLevel = isOn(series) || isOn(facet);
    const int most = mostUsers(header);
    which = everyLevel ? QCoreApplication::translate("dyno::gui", "first repeat of each")
                       : QCoreApplication::translate("dyno::gui", "%n user(s), first repeat of each", nullptr, most);
    TraceParts parts;
    parts.percentiles = view.chart == "percentiles";
    parts.heat = view.chart == "heat";
    const bool arrivals = hasArrivals(alone.sessions);
    parts.response = showsResponse(laidOut.request.measure, arrivals);
    std::vector<std::string> operations;
    for (const PivotCell& cell : laidOut.cells) {
        if (!cell.operation.empty() && !parts.percentiles && !parts.heat &&
            std::find(operations.begin(), operations.end(), cell.operation) == operations.end())
            operations.push_back(cell.operation);
    }
    const bool ofKinds = !operations.empty();
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
        const QStringList names = caseNames(alone, laidOut, point);
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
            const int next = int(ofKinds ? i : traces.size());
            auto trace = reader.read({run.id, run.header.operations,
                                      courseMeasuresOf(laidOut.request.measure, operations[i], arrivals), name,
                                      ofKinds || overX ? next : lineColor(placeOf(alone, laidOut, point), next), session.info.id});
            if (!trace)
                return fail(trace.error());
            traces.push_back(std::move(*trace));
        }
    }
    return groups;
}

template<class Card>
Card& add(ViewCharts& charts)
{
    auto card = std::make_unique<Card>();
    Card& made = *card;
    charts.cards.push_back(&made);
    charts.owned.push_back(std::move(card));
    return made;
}

Expected<ViewCharts> chartsOfIntervals(const View& view, const StoredSession& session, Library& library)
{
    ViewCharts charts;
    QString second;
    const auto groups = tracesOf(view, session, library, second);
    if (!groups)
        return fail(groups.error());
    for (const auto& [group, traces] : *groups) {
        if (traces.empty())
            continue;
        if (view.chart == "percentiles") {
            add<SpectrumPlot>(charts).setTraces(traces, second);
        } else if (view.chart == "heat") {
            for (const RunTrace& trace : traces) {
                auto& plot = add<HeatPlot>(charts);
                plot.setTrace(trace, second, HeatPlot::spanOf(traces));
                showPart(plot, view.from, view.to);
            }
        } else {
            auto overlay = std::make_unique<TimeOverlayPlot>();
            TracePlot::Look look;
            look.dots = view.chart == "dots";
            look.overRows = view.over == "rows";
            overlay->setTraces(traces, second, look);
            if (!look.overRows)
                showPart(overlay->throughput(), view.from, view.to); // and with it the other
            for (TracePlot* plot : {&overlay->throughput(), &overlay->latency()}) {
                plot->setLogY(view.log.find('y') != std::string::npos);
                if (!group.isEmpty())
                    plot->setTitle(QStringLiteral("%1, %2").arg(plot->title(), group));
                charts.cards.push_back(plot);
            }
            charts.owned.push_back(std::move(overlay));
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
    if (view.chart == "time" || view.chart == "dots" || view.chart == "percentiles" || view.chart == "heat")
        return chartsOfIntervals(view, session, library);
    ViewCharts charts;
    const bool logX = view.log.find('x') != std::string::npos, logY = view.log.find('y') != std::string::npos;
    PivotRequest request = requestOf(view);
    if (view.chart == "scaling") {
        const std::vector<Scaling> scaling = scalingOf({session}, request);
        std::vector<std::string> facets;
        for (const Scaling& one : scaling) {
            if (std::find(facets.begin(), facets.end(), one.facet) != facets.end())
                continue;
            facets.push_back(one.facet);
            auto& plot = add<ScalingPlot>(charts);
            plot.setLogAxes(logX, logY);
            plot.setScaling(scaling, qtText(one.facet));
        }
        return charts;
    }
    IntervalFigures figures{request.measure, {}};
    if (const MeasureInfo* measure = findMeasure(request.measure); measure && measure->fromIntervals) {
        auto values = intervalFigures(library, session, request.measure);
        if (!values)
            return fail(values.error());
        figures.values.push_back(std::move(*values));
    }
    Pivot throughput;
    if (view.chart == "latency") {
        request.measure = "tps";
        throughput = pivot({session}, request);
        const bool isLatency = view.measure.starts_with("service_") || view.measure.starts_with("response_");
        request.measure = isLatency ? view.measure : usualLatency({session});
    }
    const Pivot result = pivot({session}, request, &figures);
    std::vector<std::string> facets = drawnFacets(result);
    if (facets.empty())
        facets.emplace_back();
    const auto captions = captionsOf({session}, result);
    for (const std::string& facet : facets) {
        if (view.chart == "latency") {
            auto& plot = add<LoadCurvePlot>(charts);
            plot.setLogY(logY);
            plot.setCurves(loadCurvesOf(throughput, result, facet), PivotTableModel::measureLabel(result.measure()),
                           qtText(facet));
        } else if (view.chart == "runs") {
            auto& plot = add<StripPlot>(charts);
            plot.setSharedHighest(facets.size() > 1 ? StripPlot::highestOf(result) : 0);
            plot.setLogY(logY);
            plot.setPivot(result, qtText(facet));
        } else {
            auto& plot = add<PivotPlot>(charts);
            plot.setSharedHighest(facets.size() > 1 ? PivotPlot::highestOf(result) : 0);
            plot.setChart(PivotPlot::chartFromText(view.chart));
            plot.setLogAxes(logX, logY);
            plot.setPivot(result, qtText(facet));
            if (const auto caption = captions.find(facet); caption != captions.end())
                plot.setExportCaption(caption->second);
        }
    }
    return charts;
}

} // namespace

Expected<ViewCharts> viewChartsOf(const View& view, const StoredSession& session, Library& library)
{
    auto charts = chartsWithoutName(view, session, library);
    if (!charts || view.name.empty())
        return charts;
    const QString name = qtText(view.name);
    for (PlotCard* card : charts->cards) // of several, what tells them apart stays
        card->setTitle(charts->cards.size() == 1 ? name : QStringLiteral("%1: %2").arg(name, card->title()));
    return charts;
}

} // namespace dyno
