// SPDX-License-Identifier: GPL-3.0-or-later
// How fast the window is with a library that big_library made; its real pages, offscreen:
//   bench_window DAY compare        from the choice of a day at 1 s to its first plots, and frames when it is panned
//   bench_window DAY run            the same of the Run page's replay, with all of its six plots
//   bench_window SESSIONS sessions  from showing the page to the painted list, from a key to the painted result
//   bench_window PIVOT pivot        from 700 stored runs to a drawn chart
//   bench_window SESSIONS plots     a live run with 10 samples a second of 1 500 series, over 4 and over 24 small plots
// Times are of the wall; CPU is that of all threads of the program, of a frame that of the thread that draws: other
// programs on the machine make these hardly longer. Run it with QT_QPA_PLATFORM=offscreen.
#include "bridge/app_context.h"
#include "compare/compare_page.h"
#include "main_window.h"
#include "plots/frame_ticker.h"
#include "plots/pivot_plot.h"
#include "run/run_page.h"
#include "sessions/sessions_page.h"
#include "theme.h"

#include <dyno/library.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QMouseEvent>
#include <QTableView>
#include <QTimer>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <vector>

using namespace dyno;

namespace {

double cpuMs(clockid_t clock)
{
    timespec now{};
    clock_gettime(clock, &now);
    return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
}

//! Wall and CPU time since it was made.
class Stopwatch
{
public:
    Stopwatch() { m_wall.start(); }
    [[nodiscard]] double wall() const { return double(m_wall.nsecsElapsed()) / 1e6; }
    [[nodiscard]] double cpu() const { return cpuMs(CLOCK_THREAD_CPUTIME_ID) - m_cpu; } //!< of the thread that draws
    [[nodiscard]] double allCpu() const { return cpuMs(CLOCK_PROCESS_CPUTIME_ID) - m_allCpu; } //!< of all threads

private:
    QElapsedTimer m_wall;
    double m_cpu = cpuMs(CLOCK_THREAD_CPUTIME_ID), m_allCpu = cpuMs(CLOCK_PROCESS_CPUTIME_ID);
};

//! Handles events until `done`; false after a minute without.
bool until(const std::function<bool()>& done)
{
    QElapsedTimer timer;
    timer.start();
    QTimer wake; // what is waited for may come without an event
    wake.start(2);
    while (!done()) {
        if (timer.elapsed() > 60'000) {
            std::fprintf(stderr, "gave up waiting\n");
            return false;
        }
        QApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents); // asleep in between
    }
    return true;
}

bool untilDrawn(const std::function<bool()>& ready)
{
    return until([&ready] { return ready() && FrameTicker::instance().idle(); });
}

void sendMouse(QWidget& widget, QEvent::Type type, QPointF at)
{
    const bool move = type == QEvent::MouseMove;
    QMouseEvent event(type, at, widget.mapToGlobal(at), move ? Qt::NoButton : Qt::LeftButton,
                      type == QEvent::MouseButtonRelease ? Qt::NoButton : Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&widget, &event);
}

//! Shows half of what `card` can show and drags it to and fro for three seconds, with a mouse that tells where it is
//! 250 times a second.
void pan(PlotCard& card, int plots)
{
    QCustomPlot& plot = card.plot();
    const QCPRange all = plot.xAxis->range();
    plot.xAxis->setRange(all.lower + 0.25 * all.size(), all.lower + 0.75 * all.size());
    untilDrawn([] { return true; });
    const QPointF middle = plot.axisRect()->center();
    sendMouse(plot, QEvent::MouseButtonPress, middle);
    const int before = FrameTicker::instance().framesDrawn();
    int moves = 0;
    QTimer mouse;
    QObject::connect(&mouse, &QTimer::timeout, &plot, [&] {
        const double along = 0.4 * std::sin(0.01 * ++moves) * plot.axisRect()->width();
        sendMouse(plot, QEvent::MouseMove, middle + QPointF(along, 0));
    });
    mouse.setTimerType(Qt::PreciseTimer);
    mouse.start(4);
    const Stopwatch watch;
    until([&watch] { return watch.wall() > 3000; });
    const double frames = double(FrameTicker::instance().framesDrawn() - before) / plots;
    const double cpu = watch.cpu();
    sendMouse(plot, QEvent::MouseButtonRelease, middle);
    std::printf("panned over half of it, %d plots a frame: %.1f frames a second (at most %.1f), CPU %.1f ms a frame: "
                "enough for "
                "%.0f frames a second\n",
                plots, frames * 1000 / watch.wall(), 1000.0 / FrameTicker::kHandFrameMs, cpu / frames,
                1000 * frames / cpu);
}

int compareDay(MainWindow& window, AppContext& context, const QString& id)
{
    auto* page = dynamic_cast<ComparePage*>(window.page(QStringLiteral("comparePage")));
    page->setChart("time");
    const Stopwatch watch;
    context.compareSessions({id});
    if (!untilDrawn([&] { return !page->busy() && page->frontPlot().isVisible(); }))
        return 1;
    const double chart = watch.wall();
    page->setChart("time");
    const Stopwatch lines;
    if (!untilDrawn([&] {
            PlotCard& plot = page->frontPlot();
            return !page->busy() && plot.isVisible() && plot.seriesCount() > 0 && plot.graph(0).dataCount() > 0;
        }))
        return 1;
    std::printf("Compare page: first chart after %.0f ms; over time, %d intervals, %.0f ms later (CPU %.0f ms)\n",
                chart, page->frontPlot().graph(0).dataCount(), lines.wall(), lines.allCpu());
    pan(page->frontPlot(), 2);
    return 0;
}

int replayDay(MainWindow& window, AppContext& context, const QString& id)
{
    auto* page = dynamic_cast<RunPage*>(window.page(QStringLiteral("runPage")));
    const Stopwatch watch;
    context.replaySession(id);
    if (!untilDrawn([&] { return page->replay().loaded(); }))
        return 1;
    page->replay().pause();
    page->replay().seek(page->replay().length() * 0.9);
    if (!untilDrawn([&] { return page->throughputPlot().graph(0).dataCount() > 1000; }))
        return 1;
    std::printf("Run page: lines of 90 %% of the day after %.0f ms (CPU %.0f ms)\n", watch.wall(), watch.allCpu());
    if (!untilDrawn([&] { return page->replay().data()->whole(); }))
        return 1;
    std::printf("          everything after %.0f ms (CPU %.0f ms)\n", watch.wall(), watch.allCpu());
    pan(page->throughputPlot(), 6);
    return 0;
}

int sessions(MainWindow& window)
{
    auto* page = dynamic_cast<SessionsPage*>(window.page(QStringLiteral("sessionsPage")));
    auto* table = page->findChild<QTableView*>(QStringLiteral("sessionTable"));
    auto* search = page->findChild<QLineEdit*>(QStringLiteral("sessionSearch"));
    const QAbstractItemModel* model = table->model();
    bool changed = false; // what the details tell of a session comes later
    for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        QObject::connect(model, signal, page, [&changed] { changed = true; });
    QObject::connect(model, &QAbstractItemModel::modelReset, page, [&changed] { changed = true; });
    const Stopwatch shown;
    window.showPage(page->objectName());
    if (!until([&] { return model->rowCount() > 0; }))
        return 1;
    table->viewport()->grab(); // what is there, painted
    std::printf("Sessions page: %d sessions listed after %.0f ms (CPU %.0f ms)\n", model->rowCount(), shown.wall(),
                shown.allCpu());
    until([&] { return !page->busy(); });
    std::vector<double> took, cpu;
    const QString words = QStringLiteral("session 4711");
    for (qsizetype keys = 1; keys <= words.size(); ++keys) {
        changed = false;
        const Stopwatch key;
        search->setText(words.left(keys));
        until([&] { return page->busy(); });
        if (!until([&] { return changed || !page->busy(); })) // many a key changes nothing
            return 1;
        table->viewport()->grab();
        took.push_back(key.wall());
        cpu.push_back(key.allCpu());
        until([&] { return !page->busy(); });
    }
    std::sort(took.begin(), took.end());
    std::sort(cpu.begin(), cpu.end());
    std::printf("               searched %zu times, from key to painted result: median %.0f ms, longest %.0f ms (CPU "
                "%.0f and %.0f "
                "ms); at last %d found\n",
                took.size(), took[took.size() / 2], took.back(), cpu[cpu.size() / 2], cpu.back(), model->rowCount());
    return 0;
}

//! The page of a run that goes on, after ten minutes of it, for ten seconds.
int stackOfPlots(MainWindow& window, AppContext& context, const StoredSession& session)
{
    constexpr int kSeries = 1500, kPerSecond = 10, kBefore = 6000, kSeconds = 10;
    auto* page = dynamic_cast<RunPage*>(window.page(QStringLiteral("runPage")));
    window.showPage(page->objectName());
    RunFeed& feed = context.run();
    emit feed.sessionStarted(std::make_shared<const SessionHeader>(session.header));
    RunHeader run = session.runs.front().header;
    run.counters.clear();
    for (int i = 0; i < kSeries; ++i)
        run.counters.push_back({"server", "Counter_" + std::to_string(i), "calls", true, i >= 40});
    emit feed.runStarted(std::make_shared<const RunHeader>(run));
    int at = 0;
    const auto send = [&] {
        IntervalSample one;
        one.tNs = at++ * (1'000'000'000LL / kPerSecond);
        one.lengthNs = 1'000'000'000 / kPerSecond;
        one.transaction.count = 500 + std::uint64_t(at % 17);
        one.ops.resize(run.operations.size());
        for (int i = 0; i < kSeries; ++i)
            one.counters.push_back(100 + 50 * std::sin(0.01 * at * (1 + i % 7)));
        emit feed.sampled(std::make_shared<const IntervalSample>(std::move(one)));
    };
    emit feed.manyBegin();
    while (at < kBefore)
        send();
    emit feed.manyEnd();
    for (const int plots : {4, 24}) {
        QStringList ids;
        for (int i = 0; i < plots; ++i)
            ids << QStringLiteral("server: Counter_%1").arg(i);
        PlotPreset preset;
        preset.title = QStringLiteral("%1 plots").arg(plots);
        preset.ids = ids;
        page->smallPlots().showPreset(preset);
        untilDrawn([] { return true; });
        QTimer samples;
        QObject::connect(&samples, &QTimer::timeout, page, send);
        samples.start(1000 / kPerSecond);
        const int before = FrameTicker::instance().framesDrawn();
        const Stopwatch watch;
        until([&watch] { return watch.wall() > kSeconds * 1000; });
        std::printf("%d small plots, %d samples a second of %d series: the thread that draws used %.1f %% of a core, "
                    "%d plots drawn a second\n",
                    plots, kPerSecond, kSeries, 100 * watch.cpu() / watch.wall(),
                    int((FrameTicker::instance().framesDrawn() - before) * 1000 / watch.wall()));
    }
    page->smallPlots().showUsual();
    return 0;
}

int pivots(const StoredSession& session)
{
    PivotPlot plot;
    plot.resize(900, 460);
    plot.show();
    for (int i = 0; i < 3; ++i) {
        const Stopwatch watch;
        PivotRequest request;
        request.measure = i == 1 ? "service_p95" : "tps";
        const Pivot result = pivot({session}, request);
        const double worked = watch.wall();
        plot.setChart(i == 2 ? PivotPlot::Chart::Bars : PivotPlot::Chart::Lines);
        plot.setPivot(result);
        plot.refreshNow();
        std::printf("pivot of %zu runs into %zu cells: worked out %.1f ms, drawn %.1f ms\n", session.runs.size(),
                    result.cells.size(), worked, watch.wall() - worked);
    }
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    QApplication app(argc, argv);
    if (argc < 3) {
        std::fprintf(stderr, "bench_window FILE compare|run|sessions|pivot|plots\n");
        return 2;
    }
    Theme::instance().apply(app);
    const std::string what = argv[2];
    auto library = Library::open(argv[1], Library::Mode::ReadOnly);
    auto session = library ? (*library)->session((*library)->resolveId("last").value()) : fail(library.error());
    if (!session) {
        std::fprintf(stderr, "%s\n", session.error().text().c_str());
        return 1;
    }
    if (what == "pivot")
        return pivots(*session);
    library->reset();
    AppContext context(argv[1]);
    MainWindow window(context);
    window.resize(1440, 900);
    window.show();
    QElapsedTimer settled;
    settled.start();
    until([&settled] { return settled.elapsed() > 1500; }); // the Start page reads the library, too
    const QString id = QString::fromStdString(session->info.id);
    return what == "plots"     ? stackOfPlots(window, context, *session)
           : what == "compare" ? compareDay(window, context, id)
           : what == "run"     ? replayDay(window, context, id)
                               : sessions(window);
}
