// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/view_charts.h"

#include "models/comparison.h"
#include "models/pivot_table_model.h"
#include "plots/pivot_plot.h"
#include "plots/scaling_plot.h"
#include "plots/strip_plot.h"
#include "plots/time_overlay_plot.h"

#include <dyno/analysis.h>

#include <QCoreApplication>

#include <algorithm>
#include <tuple>

namespace dyno {

namespace {

QString qs(const std::string& text)
{
    return QString::fromStdString(text);
}

int mostUsers(const SessionHeader& header)
{
    int most = 0;
    for (const PointSpec& point : header.points)
        most = std::max(most, point.users());
    return most;
}

//! The first repeat of each case, at the most users where these are not among the lines. `which`: that in words.
Expected<std::vector<RunTrace>> tracesOf(const View& view, const StoredSession& session, Library& library, QString& which)
{
    const SessionHeader& header = session.header;
    // The axes as the Compare page lays them out: those that the view leaves open as well.
    Comparison alone;
    alone.sessions = {session};
    alone.axes = axesOf(alone.sessions);
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
    const auto notes = library.annotations(session.info.id);
    if (!notes)
        return fail(notes.error());
    std::vector<RunTrace> traces;
    for (const StoredRun& run : session.runs) {
        if (run.header.repeat != 1 || run.summary.status != RunStatus::Done || run.header.point < 0 ||
            std::size_t(run.header.point) >= header.points.size())
            continue;
        const PointSpec& point = header.points[std::size_t(run.header.point)];
        if (!everyLevel && point.users() != most)
            continue;
        QStringList name;
        for (const std::string* axis : {&series, &facet, &x}) {
            if (!axis->empty() && (axis != &x || (*axis != "users" && laidOut.xs.size() > 1)))
                name += qs(caseLabelOf(alone, 0, point, *axis));
        }
        if (name.isEmpty())
            name += qs(point.label());
        auto trace = readTrace(library, run.id, name.join(QStringLiteral(", ")), int(traces.size()), parts);
        if (!trace)
            return fail(trace.error());
        traces.push_back(std::move(*trace));
        addNotes(traces.back(), *notes, run.id);
    }
    return traces;
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
    const auto traces = tracesOf(view, session, library, second);
    if (!traces)
        return fail(traces.error());
    if (traces->empty())
        return charts;
    if (view.chart == "percentiles") {
        add<SpectrumPlot>(charts).setTraces(*traces, second);
    } else if (view.chart == "heat") {
        for (const RunTrace& trace : *traces)
            add<HeatPlot>(charts).setTrace(trace, second, HeatPlot::spanOf(*traces));
    } else {
        auto overlay = std::make_unique<TimeOverlayPlot>();
        TracePlot::Look look;
        look.dots = view.chart == "dots";
        look.overRows = view.over == "rows";
        for (TracePlot* plot : {&overlay->throughput(), &overlay->latency()}) {
            plot->setLogY(view.log.find('y') != std::string::npos);
            charts.cards.push_back(plot);
        }
        overlay->setTraces(*traces, second, look);
        charts.owned.push_back(std::move(overlay));
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
            plot.setScaling(scaling, qs(one.facet));
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
        request.measure = isLatency ? view.measure : std::string("service_p95");
    }
    const Pivot result = pivot({session}, request, &figures);
    std::vector<std::string> facets = result.facets;
    if (facets.empty())
        facets.emplace_back();
    for (const std::string& facet : facets) {
        if (view.chart == "latency") {
            auto& plot = add<LoadCurvePlot>(charts);
            plot.setLogY(logY);
            plot.setCurves(loadCurvesOf(throughput, result, facet), PivotTableModel::measureLabel(result.measure()), qs(facet));
        } else if (view.chart == "runs") {
            auto& plot = add<StripPlot>(charts);
            plot.setSharedHighest(facets.size() > 1 ? StripPlot::highestOf(result) : 0);
            plot.setLogY(logY);
            plot.setPivot(result, qs(facet));
        } else {
            auto& plot = add<PivotPlot>(charts);
            plot.setSharedHighest(facets.size() > 1 ? PivotPlot::highestOf(result) : 0);
            plot.setChart(PivotPlot::chartFromText(view.chart));
            plot.setLogAxes(logX, logY);
            plot.setPivot(result, qs(facet));
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
    const QString name = qs(view.name);
    for (PlotCard* card : charts->cards) // of several, what tells them apart stays
        card->setTitle(charts->cards.size() == 1 ? name : QStringLiteral("%1: %2").arg(name, card->title()));
    return charts;
}

} // namespace dyno
