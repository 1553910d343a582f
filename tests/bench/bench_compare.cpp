// SPDX-License-Identifier: GPL-3.0-or-later
// How fast the Compare page's charts and a replay are, on a library that big_library made:
//   bench_compare FILE day      from opening the file to the first plot of a day at 1 s, and frames a second when panned
//   bench_compare FILE replay   from asking for a session's replay to the lines of a position in it, and to all of it
//   bench_compare FILE pivot    from 700 stored runs to a drawn chart
// Run it with QT_QPA_PLATFORM=offscreen.
#include "bridge/replay_source.h"
#include "models/live_run_model.h"
#include "plots/pivot_plot.h"
#include "plots/time_overlay_plot.h"
#include "theme.h"

#include <dyno/library.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>

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

int replayed(const char* file, const StoredSession& session)
{
    ReplaySource replay;
    LiveRunModel model;
    model.attach(&replay);
    QEventLoop loop;
    double linesMs = 0;
    QElapsedTimer timer;
    QObject::connect(&replay, &ReplaySource::ready, &loop, [&] {
        if (linesMs > 0 || !replay.loaded())
            return;
        QMetaObject::invokeMethod(&loop, [&] {
            replay.seek(replay.length() * 0.9);
            linesMs = millisecondsOf(timer);
            if (replay.data()->whole())
                loop.quit();
        }, Qt::QueuedConnection);
    });
    QObject::connect(&replay, &ReplaySource::completed, &loop, &QEventLoop::quit);
    QObject::connect(&replay, &ReplaySource::failed, &loop, [&](const QString& text) {
        std::fprintf(stderr, "%s\n", text.toUtf8().constData());
        loop.exit(1);
    });
    timer.start();
    replay.load(file, QString::fromStdString(session.info.id));
    const int failed = loop.exec();
    std::printf("replay at 90 %% of the session: %lld values of each line after %.0f ms, everything after %.0f ms\n",
                static_cast<long long>(model.series().size()), linesMs, millisecondsOf(timer));
    return failed;
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
        std::fprintf(stderr, "bench_compare FILE day|replay|pivot\n");
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
    if (std::string(argv[2]) == "replay")
        return replayed(argv[1], *session);
    return std::string(argv[2]) == "day" ? day(**library, *session, timer) : pivots(*session);
}
