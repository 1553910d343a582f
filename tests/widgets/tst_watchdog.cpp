// SPDX-License-Identifier: GPL-3.0-or-later
// The GUI thread never blocks for long while a real session streams into the real window.
//
// Every event's own time is measured: wall time minus the time in which the thread was ready but had no core (the
// kernel counts that in schedstat). What is left is work, waiting for a lock, a disk or another thread: what a person
// would feel on a machine that is not overloaded, and what a busy test machine cannot make up. Where the kernel keeps
// no schedstat, only the thread's CPU time is judged.
#include "bridge/app_context.h"
#include "bridge/run_bridge.h"
#include "main_window.h"
#include "plots/frame_ticker.h"
#include "run/run_page.h"
#include "support/patience.h"
#include "theme.h"

#include <dyno/plan.h>

#include <QApplication>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

namespace dyno::tst_watchdog {

namespace {

//! Twice what a person still takes for at once (Nielsen, Usability Engineering, 1993): laying a page out takes 30 to 50
//! ms of the processor, and beside programs that share its caches it took 106.
constexpr double kMostMs = 200;

double milliseconds(clockid_t clock)
{
    timespec now{};
    clock_gettime(clock, &now);
    return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
}

//! Time on the run queue of the calling thread so far; −1 where the kernel does not tell.
double queuedMs()
{
    thread_local const int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    char text[96] = {};
    if (file < 0 || pread(file, text, sizeof text - 1, 0) <= 0)
        return -1;
    unsigned long long run = 0, wait = 0;
    return std::sscanf(text, "%llu %llu", &run, &wait) == 2 ? double(wait) / 1e6 : -1;
}

//! Measures each outermost event of the GUI thread.
class WatchedApplication : public QApplication
{
public:
    using QApplication::QApplication;
    bool notify(QObject* receiver, QEvent* event) override
    {
        if (m_depth > 0 || !m_watching)
            return QApplication::notify(receiver, event);
        ++m_depth;
        const QByteArray what = QByteArray(receiver->metaObject()->className()) + ' ' +
                                receiver->objectName().toUtf8() + " event " + QByteArray::number(int(event->type()));
        const double wall = milliseconds(CLOCK_MONOTONIC), cpu = milliseconds(CLOCK_THREAD_CPUTIME_ID),
                     queued = queuedMs();
        const bool result = QApplication::notify(receiver, event);
        const double used = milliseconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
        const double waited = queuedMs() - queued;
        // Clocks of different sources: never less than the CPU time, never more than the wall time.
        const double own = queued < 0 ? used : std::max(used, milliseconds(CLOCK_MONOTONIC) - wall - waited);
        --m_depth;
        ++m_events;
        if (own > m_longest) {
            m_longest = own;
            m_worst = what;
        }
        return result;
    }
    void watch(bool on)
    {
        m_watching = on;
        m_longest = 0;
        m_events = 0;
        m_worst.clear();
    }
    [[nodiscard]] double longest() const { return m_longest; }
    [[nodiscard]] int events() const { return m_events; }
    [[nodiscard]] QByteArray worst() const { return m_worst; }

private:
    double m_longest = 0;
    int m_depth = 0, m_events = 0;
    bool m_watching = false;
    QByteArray m_worst;
};

WatchedApplication& app()
{
    return *static_cast<WatchedApplication*>(qApp);
}

Plan planFor(const char* uri)
{
    std::string text = R"(title = "watched"
[target]
uri = "URI"
[workload]
name = "oltp_point_select"
params = { tables = 1, table_size = 2000 }
[load]
users = [1, 2]
time = "2s"
warmup = "0.4s"
interval = "0.1s"
repeats = 1
)";
    text.replace(text.find("URI"), 3, uri);
    const ParsedPlan parsed = parsePlan(text, "watchdog");
    if (!parsed.plan)
        qFatal("%s: %s", parsed.faults.front().where.c_str(), parsed.faults.front().what.c_str());
    return *parsed.plan;
}

} // namespace

class TestWatchdog : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

private slots:
    void initTestCase()
    {
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_dir.path());
        qputenv("XDG_DATA_HOME", m_dir.path().toLocal8Bit());
        Theme::instance().apply(*qApp);
    }
    void watchdogSeesABlockedThread() // the test can fail: work and sleep are both found
    {
        app().watch(true);
        QTimer::singleShot(0, this, [] { std::this_thread::sleep_for(std::chrono::milliseconds(int(kMostMs) + 30)); });
        QTest::qWait(5);
        QTRY_VERIFY(app().events() > 0);
        if (queuedMs() >= 0)
            QVERIFY2(app().longest() > kMostMs, qPrintable(QString::number(app().longest())));
        app().watch(true);
        QTimer::singleShot(0, this, [] {
            const double until = milliseconds(CLOCK_THREAD_CPUTIME_ID) + kMostMs + 30;
            while (milliseconds(CLOCK_THREAD_CPUTIME_ID) < until) {
            }
        });
        QTRY_VERIFY(app().longest() > kMostMs);
        app().watch(false);
    }
    void streamingNeverBlocks_data()
    {
        QTest::addColumn<QByteArray>("uri");
        QTest::newRow("null") << QByteArray("null:");
        QTest::newRow("sqlite") << QByteArray("sqlite:");
    }
    void streamingNeverBlocks()
    {
        QFETCH(QByteArray, uri);
        AppContext context(m_dir.filePath(QStringLiteral("library.dynolib")).toStdString());
        MainWindow window(context);
        window.resize(1440, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        auto* page = qobject_cast<RunPage*>(window.page(QStringLiteral("runPage")));
        window.showPage(QStringLiteral("runPage"));
        QSignalSpy samples(&context.run(), &RunFeed::sampled);
        QSignalSpy finished(&context.run(), &RunFeed::sessionFinished);
        QTRY_VERIFY(FrameTicker::instance().idle());
        const int framesBefore = FrameTicker::instance().framesDrawn();
        app().watch(true);
        context.startPlan(planFor(uri.constData()));
        QVERIFY(finished.wait(90000));
        const auto* summary = page->model().result();
        QVERIFY(summary);
        QVERIFY2(summary->status == RunStatus::Done, summary->reason.c_str());
        const double longest = app().longest();
        const QByteArray worst = app().worst();
        app().watch(false);
        QVERIFY2(samples.size() >= 20, qPrintable(QString::number(samples.size())));
        // A machine that is busy with other things draws several samples at once.
        QVERIFY2(FrameTicker::instance().framesDrawn() > framesBefore + 3, "the plots were not drawn");
        qInfo("longest event %.1f ms (%s), %lld samples", longest, worst.constData(),
              static_cast<long long>(samples.size()));
        QVERIFY2(longest <= kMostMs,
                 qPrintable(QStringLiteral("%1 ms in %2").arg(longest).arg(QString::fromUtf8(worst))));
    }
};

} // namespace dyno::tst_watchdog

int tst_watchdog(int argc, char** argv)
{
    using namespace dyno::tst_watchdog;
    WatchedApplication application(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("dynobench-test"));
    TestWatchdog test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_watchdog.moc"
