// SPDX-License-Identifier: GPL-3.0-or-later
// How fast the Compare page's charts are, on a library that big_library made:
//   bench_compare FILE day      from opening the file to the first plot of a day at 1 s, and frames a second when panned
//   bench_compare FILE pivot    from 700 stored runs to a drawn chart
// Run it with QT_QPA_PLATFORM=offscreen.
#include "plots/pivot_plot.h"
#include "plots/time_overlay_plot.h"
#include "theme.h"

#include <dyno/library.h>

#include <QApplication>
#include <QElapsedTimer>

#include <algorithm>
#include <cstdio>

using namespace dyno;

namespace {

double millisecondsOf(const QElapsedTimer& timer)
{
    return double(timer.nsecsElapsed()) / 1e6;
}

int day(Library& library, const StoredSession& session, const QElapsedTimer& sinceOpen)
{
    const double opened = millisecondsOf(sinceOpen);
    const auto intervals = library.columns(session.runs.front().id);
    if (!intervals) {
        std::fprintf(stderr, "%s\n", intervals.error().text().c_str());
        return 1;
    }
    const double read = millisecondsOf(sinceOpen);
    const RunTrace trace = traceOf(*intervals, QStringLiteral("a day"), 0);
    const double traced = millisecondsOf(sinceOpen);
    TimeOverlayPlot plot;
    plot.resize(1100, 620);
    plot.show();
    plot.setTraces({trace}, {});
    plot.throughput().refreshNow();
    plot.latency().refreshNow();
    std::printf("a day of %zu intervals: session read %.0f ms, its columns %.0f ms, worked out %.0f ms, drawn %.0f ms: "
                "first plot after %.0f ms, %zu stalls\n",
                trace.seconds.size(), opened, read - opened, traced - read, millisecondsOf(sinceOpen) - traced,
                millisecondsOf(sinceOpen), trace.stalls.size());
    constexpr int kFrames = 200;
    QElapsedTimer pan;
    pan.start();
    for (int i = 0; i < kFrames; ++i) {
        const double from = 86400.0 * 0.4 * i / kFrames;
        plot.throughput().plot().xAxis->setRange(from, from + 86400.0 / 2); // the other plot follows
        plot.throughput().plot().replot(QCustomPlot::rpImmediateRefresh);
        plot.latency().plot().replot(QCustomPlot::rpImmediateRefresh);
    }
    std::printf("panning over half a day, two plots: %.0f frames a second\n", kFrames * 1000 / millisecondsOf(pan));
    return 0;
}

int pivots(const StoredSession& session)
{
    PivotPlot plot;
    plot.resize(900, 460);
    plot.show();
    for (int i = 0; i < 3; ++i) {
        QElapsedTimer timer;
        timer.start();
        PivotRequest request;
        request.measure = i == 1 ? "service_p95" : "tps";
        const Pivot result = pivot({session}, request);
        const double worked = millisecondsOf(timer);
        plot.setChart(i == 2 ? PivotPlot::Chart::Bars : PivotPlot::Chart::Lines);
        plot.setPivot(result);
        plot.refreshNow();
        std::printf("pivot of %zu runs into %zu cells: worked out %.1f ms, drawn %.1f ms\n", session.runs.size(),
                    result.cells.size(), worked, millisecondsOf(timer) - worked);
    }
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    QApplication app(argc, argv);
    if (argc < 3) {
        std::fprintf(stderr, "bench_compare FILE day|pivot\n");
        return 2;
    }
    Theme::instance().apply(app);
    QElapsedTimer timer;
    timer.start();
    auto library = Library::open(argv[1], Library::Mode::ReadOnly);
    auto session = library ? (*library)->session((*library)->resolveId("last").value()) : fail(library.error());
    if (!session) {
        std::fprintf(stderr, "%s\n", session.error().text().c_str());
        return 1;
    }
    return std::string(argv[2]) == "day" ? day(**library, *session, timer) : pivots(*session);
}
