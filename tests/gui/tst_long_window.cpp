// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A run with the window open: every interval of it reaches the library, and memory does not grow with time. Short
//! here; `tests/campaign window` sets DYNO_TEST_MINUTES=120 and then memory is judged too.
#include "bridge/app_context.h"
#include "bridge/run_bridge.h"
#include "main_window.h"
#include "run/live_run_model.h"
#include "run/run_page.h"
#include "support/own_settings.h"
#include "support/suite.h"
#include "theme.h"

#include <dyno/library.h>
#include <dyno/plan.h>

#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <algorithm>
#include <cmath>

namespace dyno::tst_long_window {
using namespace Qt::StringLiterals;

namespace {

constexpr int kShortSeconds = 6;
constexpr int kSettledSeconds = 600; //!< memory is judged from there on: caches are full and every page was seen
constexpr double kGrowthPerHour = 5.0 * 1024 * 1024; //!< bytes
constexpr int kPatienceMs = 120'000;                 //!< for what comes before and after the run, on a busy machine

Plan steadyPlan(int seconds)
{
    const ParsedPlan parsed = parsePlan(R"(title = "Long run"
[target]
uri = "sqlite:"
[workload]
name = "oltp_read_write"
params = { tables = 1, table_size = 1000 }
[load]
users = 2
rate = 100
time = ")" + std::to_string(seconds) + R"(s"
interval = "1s"
)",
                                        "test");
    if (!parsed.plan)
        qFatal("%s", parsed.faults.front().what.c_str());
    return *parsed.plan;
}

//! Bytes a second: the slope of a line through the resident memory of these intervals (least squares).
double growth(const std::vector<IntervalSample>& samples)
{
    double t = 0, m = 0, tt = 0, tm = 0;
    const double n = double(samples.size());
    for (const IntervalSample& one : samples) {
        const double x = double(one.tNs) / 1e9, y = double(one.client.rssBytes);
        t += x, m += y, tt += x * x, tm += x * y;
    }
    return (n * tm - t * m) / (n * tt - t * t);
}

} // namespace

class TestLongWindow : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

private slots:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        test::ownHome(m_dir);
        Theme::instance().apply(*qApp);
    }
    void keepsEveryInterval()
    {
        const int minutes = qEnvironmentVariableIntValue("DYNO_TEST_MINUTES");
        const int seconds = minutes > 0 ? minutes * 60 : kShortSeconds;
        const std::filesystem::path file = m_dir.filePath(u"library.dynolib"_s).toStdString();
        AppContext context(file);
        MainWindow window(context);
        window.resize(1440, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        // A person looks at other pages now and then, too.
        QTimer turning;
        const QStringList pages = {u"sessionsPage"_s, u"planPage"_s, u"comparePage"_s, u"serversPage"_s,
                                   u"startPage"_s};
        int turns = 0;
        connect(&turning, &QTimer::timeout, &window, [&] {
            window.showPage(turns % 2 == 0 ? pages[turns / 2 % pages.size()] : u"runPage"_s);
            ++turns;
        });
        turning.start(minutes > 0 ? 20'000 : 400);
        context.startPlan(steadyPlan(seconds));
        QTRY_VERIFY_WITH_TIMEOUT(context.run().active(), kPatienceMs);
        const int limit = seconds * 1000 + kPatienceMs;
        QTRY_VERIFY_WITH_TIMEOUT(!context.run().active(), limit);
        turning.stop();

        auto library = Library::open(file, Library::Mode::ReadOnly);
        QVERIFY(library);
        const auto session = (*library)->session(context.run().sessionId().toStdString());
        QVERIFY(session && session->runs.size() == 1);
        const StoredRun& run = session->runs.front();
        QVERIFY2(run.summary.status == RunStatus::Done, run.summary.reason.c_str());
        auto samples = (*library)->intervals(run.id, IntervalDetail::Transactions);
        QVERIFY(samples);
        std::erase_if(*samples, [](const IntervalSample& one) { return one.phase != Phase::Measure; });
        // One after the other without a gap, over the whole time, and every transaction in one of them.
        std::int64_t covered = 0;
        std::uint64_t transactions = 0;
        for (std::size_t i = 0; i < samples->size(); ++i) {
            const IntervalSample& one = (*samples)[i];
            if (i > 0)
                QCOMPARE(one.tNs, (*samples)[i - 1].tNs + (*samples)[i - 1].lengthNs);
            covered += one.lengthNs;
            transactions += one.transaction.count;
        }
        QVERIFY2(double(covered) / 1e9 >= seconds - 0.001, qPrintable(QString::number(double(covered) / 1e9)));
        QCOMPARE(transactions, run.summary.transactions);
        QVERIFY(transactions > 0);
        auto* page = qobject_cast<RunPage*>(window.page(u"runPage"_s));
        QCOMPARE(std::size_t(page->model().series().size()), samples->size()); // and the page saw them all

        if (seconds <= kSettledSeconds)
            return;
        std::erase_if(*samples, [](const IntervalSample& one) {
            return one.tNs < std::int64_t(kSettledSeconds) * 1'000'000'000;
        });
        const double perHour = growth(*samples) * 3600;
        qInfo("%zu intervals of %d min; memory %.1f MiB after 10 min, %.1f MiB at the end, %.2f MiB an hour",
              samples->size(), minutes, double(samples->front().client.rssBytes) / 1048576,
              double(samples->back().client.rssBytes) / 1048576, perHour / 1048576);
        QVERIFY2(perHour <= kGrowthPerHour, "memory grows by more than 5 MiB an hour");
    }
};

} // namespace dyno::tst_long_window

DYNO_WIDGET_SUITE(tst_long_window, dyno::tst_long_window::TestLongWindow)
#include "tst_long_window.moc"
