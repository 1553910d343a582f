// SPDX-License-Identifier: GPL-3.0-or-later
// The faults of a server that is asked for its counters: slow, failing, reset. What a real one tells:
// tst_mysql_counters.
#include "base/clock.h"
#include "driver/counter_details.h"
#include "monitor/counter_monitor.h"
#include "monitor/counter_rates.h"
#include "support/patience.h"
#include "support/suite.h"

#include <QTest>

#include <atomic>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>

namespace dyno::tst_counter_monitor {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

const std::vector<CounterInfo> kTwo{{"server", "written", "bytes", true}, {"server", "dirty", "pages", false}};

//! A server whose answers a test gives.
struct Server
{
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<double> values{100, 7};
    std::vector<CounterInfo> counters = kTwo; //!< what it tells, in the order of `values`
    std::vector<std::int64_t> toldNs;         //!< when it says that it read them
    std::int64_t askedNs = 0, answeredNs = 0;
    bool held = false, failing = false, unreachable = false;
    bool snapshotHeld = false;
    std::atomic<int> asked{0}, answered{0}, opened{0}, snapshots{0}, process{0};

    template<class Change>
    void set(Change change)
    {
        {
            const std::lock_guard lock(mutex);
            change(*this);
        }
        changed.notify_all();
    }
};

class FakeAdmin final : public Admin, public CounterDetails
{
public:
    explicit FakeAdmin(std::shared_ptr<Server> server)
        : m_server(std::move(server))
    {
    }
    Expected<void> execute(std::string_view) override { return {}; }
    Expected<TextRows> query(std::string_view) override { return TextRows(); }
    Expected<std::vector<ColumnShape>> describe(std::string_view) override { return std::vector<ColumnShape>(); }
    Expected<ServerFacts> facts() override { return ServerFacts(); }
    Expected<std::string> variable(std::string_view) override { return std::string(); }
    Expected<void> setVariable(std::string_view, const Value&) override { return {}; }
    std::vector<CounterInfo> counters() override
    {
        const std::lock_guard lock(m_server->mutex);
        return m_server->counters;
    }
    std::vector<UnseenCounters> unseenCounters() override { return {}; }
    std::int64_t servingThread() override { return 0; }
    LocalServer localServer() override { return {m_server->process.load(), {}}; }
    std::vector<std::int64_t> counterTimes() override
    {
        const std::lock_guard lock(m_server->mutex);
        return m_server->toldNs;
    }
    Expected<std::vector<DigestEntry>> statementDigest() override
    {
        m_server->set([](Server& it) { it.values[0] += 5000; }); // by the reading itself
        return std::vector<DigestEntry>();
    }
    Expected<std::vector<double>> counterValues() override
    {
        std::unique_lock lock(m_server->mutex);
        m_server->askedNs = nowNs();
        ++m_server->asked;
        m_server->changed.wait(lock, [this] { return !m_server->held; });
        m_server->answeredNs = nowNs();
        ++m_server->answered;
        if (m_server->failing)
            return fail({ErrorKind::Unreachable, "the server has gone away", {}, {}});
        return m_server->values;
    }

    Expected<std::vector<SnapshotPart>> snapshot() override
    {
        std::unique_lock lock(m_server->mutex);
        ++m_server->snapshots;
        m_server->changed.wait(lock, [this] { return !m_server->snapshotHeld; });
        return std::vector<SnapshotPart>{{"Status", "status", "all well\n"}};
    }

private:
    std::shared_ptr<Server> m_server;
};

CounterMonitor::OpenAdmin opening(const std::shared_ptr<Server>& server)
{
    return [server]() -> Expected<std::unique_ptr<Admin>> {
        const std::lock_guard lock(server->mutex);
        ++server->opened;
        if (server->unreachable)
            return fail({ErrorKind::Unreachable, "connection refused", {}, {}});
        return std::make_unique<FakeAdmin>(server);
    };
}

//! What the monitor learns next; a level is always known. Each answer is told once, so it must be asked for once.
std::vector<double> nextOf(CounterMonitor& monitor)
{
    std::vector<double> got;
    (void)QTest::qWaitFor([&] { return !std::isnan((got = monitor.take())[1]); }, 20000);
    return got;
}

std::vector<std::string> notesOf(CounterMonitor& monitor)
{
    std::vector<std::string> notes;
    (void)QTest::qWaitFor([&] { return !(notes = monitor.takeNotes()).empty(); }, 20000);
    return notes;
}

bool unknown(const std::vector<double>& values)
{
    return values.size() == 2 && std::isnan(values[0]) && std::isnan(values[1]);
}

} // namespace

class TestCounterMonitor : public QObject
{
    Q_OBJECT

private slots:
    void rates()
    {
        CounterRates rates(kTwo);
        std::vector<double> got = rates.add(1'000'000'000, {100, 7});
        QVERIFY(std::isnan(got[0])); // nothing to count from yet
        QCOMPARE(got[1], 7.0);
        got = rates.add(3'000'000'000, {400, 9});
        QCOMPARE(got[0], 150.0); // 300 in 2 s
        QCOMPARE(got[1], 9.0);
        got = rates.add(4'000'000'000, {50, 3}); // the server was restarted
        QVERIFY(rates.wentDown());
        QVERIFY(std::isnan(got[0]));
        QCOMPARE(got[1], 3.0);
        got = rates.add(5'000'000'000, {80, 3});
        QVERIFY(!rates.wentDown());
        QCOMPARE(got[0], 30.0);
        QVERIFY(unknown(rates.add(6'000'000'000, {1}))); // of another length
        got = rates.add(7'000'000'000, {200, 4});
        QVERIFY(std::isnan(got[0])); // counts from here
        QCOMPARE(rates.add(8'000'000'000, {kUnknown, 4})[1], 4.0);
        QVERIFY(std::isnan(rates.add(9'000'000'000, {300, 4})[0])); // the value before is not known
        QCOMPARE(rates.add(10'000'000'000, {301, 4})[0], 1.0);
    }

    //! Each is a rate over the time between its own readings.
    void readAtTimesOfTheirOwn()
    {
        CounterRates rates({{"server", "a", "x", true}, {"server", "b", "x", true}});
        (void)rates.add(1'000'000'000, {100, 100}, {1'000'000'000, 1'100'000'000});
        std::vector<double> got = rates.add(2'000'000'000, {200, 200}, {2'000'000'000, 3'100'000'000}); // b came late
        QCOMPARE(got[0], 100.0);
        QCOMPARE(got[1], 50.0);
        got = rates.add(3'000'000'000, {300, 300}, {3'000'000'000, 3'100'000'000}); // no time has passed
        QVERIFY(got[0] == 100.0 && std::isnan(got[1]));
        QCOMPARE(rates.add(5'000'000'000, {500, 490})[0], 100.0);
    }

    //! An Admin that says when it read: the slower answers that it waited for do not count.
    void timesOfTheAdmin()
    {
        const auto server = std::make_shared<Server>();
        server->set([](Server& it) { it.toldNs = {1'000'000'000, 2'000'000'000}; });
        CounterMonitor monitor(kTwo, opening(server));
        monitor.start();
        (void)nextOf(monitor);
        server->set([](Server& it) {
            it.toldNs = {3'000'000'000, 2'000'000'000};
            it.values = {500, 8};
        });
        monitor.intervalEndsAt(nowNs());
        QCOMPARE(nextOf(monitor)[0], 200.0); // 400 in 2 s
    }

    //! Users begin after a reading before the first interval: what was counted until then is in no rate.
    void aReadingBeforeTheFirstInterval()
    {
        const auto server = std::make_shared<Server>();
        CounterMonitor monitor(kTwo, opening(server));
        monitor.start();
        (void)nextOf(monitor);
        monitor.wantDigest(0);
        QVERIFY(monitor.awaitDigests(std::chrono::seconds(20)));
        QCOMPARE(server->answered.load(), 2); // once more after it
        QVERIFY(std::isnan(monitor.take()[0]));
        monitor.intervalEndsAt(nowNs() + 20'000'000);
        QCOMPARE(nextOf(monitor)[0], 0.0);
    }

    void snapshots()
    {
        const auto server = std::make_shared<Server>();
        CounterMonitor monitor(kTwo, opening(server));
        monitor.start();
        QVERIFY(!monitor.takeSnapshot(std::chrono::milliseconds(0)));
        monitor.wantSnapshot();
        const auto reading = monitor.takeSnapshot(std::chrono::seconds(20));
        QVERIFY(reading && reading->parts);
        QCOMPARE(reading->parts->at(0).text, std::string("all well\n"));
        QVERIFY(reading->endedNs >= reading->beganNs && reading->beganNs > 0);
        QVERIFY(!monitor.takeSnapshot(std::chrono::milliseconds(0))); // told once
    }

    //! Neither whoever asks, nor the end of the run; and no second question waits behind it.
    void aSnapshotThatHangsHoldsUpNobody()
    {
        const auto server = std::make_shared<Server>();
        server->snapshotHeld = true;
        {
            CounterMonitor monitor(kTwo, opening(server));
            monitor.start();
            (void)nextOf(monitor);
            monitor.wantSnapshot();
            QTRY_COMPARE(server->snapshots.load(), 1);
            const std::int64_t begunNs = nowNs();
            for (int i = 0; i < 3; ++i)
                monitor.wantSnapshot();
            QVERIFY(!monitor.takeSnapshot(std::chrono::milliseconds(0)));
            monitor.intervalEndsAt(nowNs() + 1'000'000);
            monitor.intervalEndsAt(nowNs() + 2'000'000);
            const std::vector<std::string> notes = monitor.takeNotes();
            QVERIFY(!notes.empty());
            QVERIFY2(notes.front().find("to report a snapshot") != std::string::npos, notes.front().c_str());
            QVERIFY(nowNs() - begunNs < 1'000'000'000);
            QCOMPARE(server->snapshots.load(), 1);
        } // leaves its thread behind after a moment
        server->set([](Server& one) { one.snapshotHeld = false; });
    }

    //! A server on another machine counts on while this one is suspended: no rate of a time that is not known.
    void suspended()
    {
        static std::atomic<std::int64_t> suspendedNs;
        suspendedNs = 0;
        const auto server = std::make_shared<Server>();
        CounterMonitor::Teller teller;
        teller.suspended = [] { return suspendedNs.load(); };
        CounterMonitor monitor(kTwo, opening(server), teller);
        monitor.start();
        (void)nextOf(monitor);
        const auto next = [&](double written) {
            server->set([written](Server& one) { one.values[0] = written; });
            monitor.intervalEndsAt(nowNs());
            return nextOf(monitor)[0];
        };
        QVERIFY(next(200) > 0);
        suspendedNs += 3'600'000'000'000;
        QVERIFY(std::isnan(next(1e12)));
        QVERIFY(next(1e12) == 0);
        // Between a question and its answer: when the server looked is not known.
        server->set([](Server& one) { one.held = true; });
        const int asked = server->asked;
        monitor.intervalEndsAt(nowNs());
        QVERIFY(QTest::qWaitFor([&] { return server->asked > asked; }, 20000));
        suspendedNs += 3'600'000'000'000;
        server->set([](Server& one) { one.held = false; });
        QVERIFY(std::isnan(nextOf(monitor)[0]));
        QVERIFY(std::isnan(next(2e12)));
        QVERIFY(next(2e12) == 0);
        QVERIFY(monitor.takeNotes().empty());
    }

    //! A server that was started again has another process, which a new connection finds; one that is not found is
    //! that of before.
    void processOfTheServer()
    {
        const auto server = std::make_shared<Server>();
        server->process = 42;
        CounterMonitor::Teller teller;
        teller.process = std::make_shared<std::atomic<int>>(7);
        CounterMonitor monitor(kTwo, opening(server), teller);
        monitor.start();
        (void)nextOf(monitor);
        QCOMPARE(teller.process->load(), 42);
        for (const int now : {43, 0}) {
            server->process = now;
            const int answered = server->answered;
            server->set([](Server& one) { one.failing = true; });
            monitor.intervalEndsAt(nowNs());
            QVERIFY(QTest::qWaitFor([&] { return server->answered > answered; }, 20000));
            const int opened = server->opened;
            server->set([](Server& one) { one.failing = false; });
            QVERIFY(QTest::qWaitFor(
                [&] {
                    monitor.intervalEndsAt(nowNs());
                    (void)monitor.take();
                    return server->opened > opened;
                },
                20000));
            // The new connection has answered: whose process it is was asked before.
            const int before = server->answered;
            QVERIFY(QTest::qWaitFor(
                [&] {
                    monitor.intervalEndsAt(nowNs());
                    (void)monitor.take();
                    return server->answered > before;
                },
                20000));
            QCOMPARE(teller.process->load(), 43);
        }
    }

    //! At the time of the answers that show it; a server that was restarted did nothing of it.
    void events()
    {
        const auto server = std::make_shared<Server>();
        CounterMonitor::Teller teller;
        teller.events = {{.sentence = "wrote", .counts = {"written"}, .amount = "written", .unit = "bytes"}};
        CounterMonitor monitor(kTwo, opening(server), teller);
        monitor.start();
        (void)nextOf(monitor);
        const std::int64_t begunNs = nowNs();
        for (const double written : {150.0, 150.0, 20.0, 20.0}) {
            server->set([written](Server& one) { one.values[0] = written; });
            monitor.intervalEndsAt(nowNs());
            (void)nextOf(monitor);
        }
        const auto events = monitor.takeEvents();
        QCOMPARE(events.size(), std::size_t(1));
        QVERIFY(events[0].amount == 50.0);
        QVERIFY(events[0].fromNs <= begunNs && events[0].toNs >= begunNs && events[0].toNs <= nowNs());
        QVERIFY(monitor.takeEvents(true).empty());
    }

    //! A reset between two rates is seen by one of them: the other one's difference is no more right.
    void oneResetSpoilsAllRates()
    {
        CounterRates rates({{"server", "a", "x", true}, {"server", "b", "x", true}, {"server", "c", "x", false}});
        (void)rates.add(1'000'000'000, {10, 1000, 5});
        const std::vector<double> got = rates.add(2'000'000'000, {20, 3, 6});
        QVERIFY(std::isnan(got[0]) && std::isnan(got[1]));
        QCOMPARE(got[2], 6.0);
    }

    //! Of counters that nobody chose it is not known for sure that they only count up: one that falls spoils no other.
    void oneThatFalls()
    {
        CounterRates rates({{"server", "a", "x", true}, {"server", "gauge", "", true, true}});
        (void)rates.add(1'000'000'000, {10, 500});
        std::vector<double> got = rates.add(2'000'000'000, {30, 400});
        QVERIFY(!rates.wentDown());
        QCOMPARE(got[0], 20.0);
        QVERIFY(std::isnan(got[1]));
        got = rates.add(3'000'000'000, {30, 450});
        QCOMPARE(got[0], 0.0);
        QCOMPARE(got[1], 50.0);
        got = rates.add(4'000'000'000, {5, 460}); // all of them began again
        QVERIFY(rates.wentDown());
        QVERIFY(std::isnan(got[0]) && std::isnan(got[1]));
    }

    //! 64 bits that wrapped, values below zero that were told without a sign, and what is no number.
    void absurdValues()
    {
        constexpr double kMost = 18446744073709551615.0;
        CounterRates rates({{"server", "count", "", true, true}, {"server", "level", "pages", false}});
        (void)rates.add(1'000'000'000, {kMost - 1e6, 3});
        std::vector<double> got = rates.add(2'000'000'000, {100, kMost}); // −1 page
        QVERIFY(unknown(got));
        got = rates.add(3'000'000'000, {150, 2});
        QCOMPARE(got[0], 50.0);
        QCOMPARE(got[1], 2.0);
        got = rates.add(4'000'000'000, {kUnknown, -2}); // a level may be below zero
        QVERIFY(std::isnan(got[0]));
        QCOMPARE(got[1], -2.0);
        got = rates.add(5'000'000'000, {std::numeric_limits<double>::infinity(), 2});
        QVERIFY(std::isnan(got[0]));
        QVERIFY(std::isnan(rates.add(6'000'000'000, {400, 2})[0]));
        QCOMPARE(rates.add(7'000'000'000, {404, 2})[0], 4.0);
    }

    //! The server was restarted as another version: it tells the same by name in another order, one of them no more,
    //! and others that the run has no series for.
    void anotherVersionAfterARestart()
    {
        auto server = std::make_shared<Server>();
        CounterMonitor monitor(kTwo, opening(server));
        monitor.start();
        QCOMPARE(nextOf(monitor)[1], 7.0);
        server->set([](Server& s) { s.failing = true; });
        monitor.intervalEndsAt(nowNs());
        QTRY_COMPARE(server->answered.load(), 2);
        server->set([](Server& s) {
            s.failing = false;
            s.counters = {
                {"server", "new", "", true}, {"server", "dirty", "pages", false}, {"host", "written", "", true}};
            s.values = {1e6, 4, 12};
        });
        std::vector<double> got;
        const auto known = [&] {
            monitor.intervalEndsAt(nowNs());
            got = monitor.take();
            return !std::isnan(got[1]);
        };
        QVERIFY(QTest::qWaitFor(known, 20000));
        QCOMPARE(got.size(), std::size_t(2));
        QCOMPARE(got[1], 4.0);
        QVERIFY(std::isnan(got[0])); // not the host's
        monitor.stop();
    }

    //! Of an exporter some counts fall a little; when many fall far, it was restarted, and none is to be trusted.
    void restartOfAnExporter()
    {
        std::vector<CounterInfo> eight(8, CounterInfo{"box", "a", "x", true});
        CounterRates rates(eight, CounterRates::Resets::Apart);
        (void)rates.add(1'000'000'000, {100, 100, 100, 100, 100, 100, 100, 1});
        std::vector<double> got = rates.add(2'000'000'000, {99, 98, 97, 110, 110, 110, 110, 2});
        QVERIFY(!rates.wentDown());
        QVERIFY(std::isnan(got[0]));
        QCOMPARE(got[3], 10.0);
        got = rates.add(3'000'000'000, {5, 5, 120, 120, 120, 120, 120, 9});
        QVERIFY(rates.wentDown());
        QVERIFY(std::isnan(got[7])); // 9 since the restart, and not 7 more than before
        (void)rates.add(4'000'000'000, {6, 6, 130, 130, 130, 130, 130, 10});
        got = rates.add(5'000'000'000, {1, 7, 140, 140, 140, 140, 140, 11});
        QVERIFY(!rates.wentDown()); // one alone
        QCOMPARE(got[7], 1.0);
    }

    //! When the server looked lies between question and answer; a slow one is asked earlier the next time.
    void slowAnswers()
    {
        auto server = std::make_shared<Server>();
        CounterMonitor monitor(kTwo, opening(server));
        monitor.start();
        QVERIFY(!std::isnan(nextOf(monitor)[1]));
        const std::int64_t firstNs = (server->askedNs + server->answeredNs) / 2;
        server->set([](Server& s) {
            s.values = {1100, 8};
            s.held = true;
        });
        monitor.intervalEndsAt(nowNs());
        QTRY_COMPARE(server->asked.load(), 2);
        std::this_thread::sleep_for(std::chrono::milliseconds(600)); // the answer's way
        server->set([](Server& s) { s.held = false; });
        const std::vector<double> got = nextOf(monitor);
        const double seconds = double((server->askedNs + server->answeredNs) / 2 - firstNs) * 1e-9;
        // Half of it, if the time were that of the answer.
        QVERIFY2(std::fabs(got[0] * seconds / 1000 - 1) < 0.35, qPrintable(QString::number(got[0] * seconds)));
        const std::int64_t borderNs = nowNs() + 1'800'000'000;
        monitor.intervalEndsAt(borderNs);
        QVERIFY(!std::isnan(nextOf(monitor)[1]));
        const double ahead = double(borderNs - server->askedNs) * 1e-9;
        // 0.05, if the last answer had been quick.
        QVERIFY2(ahead > 0.1 && ahead < 1.2, qPrintable(QString::number(ahead)));
        monitor.stop();
    }

    //! Intervals may be short; an exporter is asked once a second. An event tells of one that is late again and again.
    void keepsThePace()
    {
        auto server = std::make_shared<Server>();
        CounterMonitor monitor(kTwo, opening(server),
                               {"the exporter \"box\"", CounterRates::Resets::Apart, 300'000'000, nullptr});
        const std::int64_t fromNs = nowNs();
        monitor.start();
        QVERIFY(!std::isnan(nextOf(monitor)[1]));
        while (server->asked < 3 && nowNs() - fromNs < 20'000'000'000) {
            monitor.intervalEndsAt(nowNs()); // each is over when it is asked for
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        QVERIFY2(nowNs() - fromNs > 350'000'000, qPrintable(QString::number(nowNs() - fromNs)));
        const std::vector<std::string> notes = notesOf(monitor);
        QCOMPARE(notes.size(), std::size_t(1));
        QVERIFY2(notes[0].find("stored with the next one") != std::string::npos, notes[0].c_str());
        monitor.stop();
    }

    void asksOnceAnInterval()
    {
        auto server = std::make_shared<Server>();
        CounterMonitor monitor(kTwo, opening(server));
        QCOMPARE(server->opened.load(), 0); // connects when the users have
        monitor.start();
        std::vector<double> got = nextOf(monitor);
        QVERIFY(!std::isnan(got[1]));
        QVERIFY(std::isnan(got[0]));
        QVERIFY(unknown(monitor.take())); // each answer is told once
        QCOMPARE(server->asked.load(), 1);
        server->set([](Server& s) { s.values = {5100, 8}; });
        monitor.intervalEndsAt(nowNs());
        got = nextOf(monitor);
        QVERIFY(got[0] > 0);
        QCOMPARE(got[1], 8.0);
        QCOMPARE(server->asked.load(), 2);
        QCOMPARE(server->opened.load(), 1);
        monitor.stop();
        QVERIFY(monitor.takeNotes().empty());
    }

    void slowServer()
    {
        auto server = std::make_shared<Server>();
        server->held = true;
        CounterMonitor monitor(kTwo, opening(server));
        monitor.start();
        QTRY_COMPARE(server->asked.load(), 1);
        QVERIFY(unknown(monitor.take())); // and does not wait
        monitor.intervalEndsAt(nowNs());  // still without an answer
        QVERIFY(unknown(monitor.take()));
        QVERIFY(monitor.takeNotes().empty());
        monitor.intervalEndsAt(nowNs()); // a whole interval later too
        monitor.intervalEndsAt(nowNs());
        const std::vector<std::string> notes = monitor.takeNotes();
        QCOMPARE(notes.size(), std::size_t(1)); // said once
        QVERIFY(notes[0].find("longer than an interval") != std::string::npos);
        server->set([](Server& s) { s.held = false; });
        QVERIFY(!std::isnan(nextOf(monitor)[1]));
        monitor.stop();
    }

    void failingServer()
    {
        auto server = std::make_shared<Server>();
        CounterMonitor monitor(kTwo, opening(server));
        monitor.start();
        QVERIFY(!std::isnan(nextOf(monitor)[1]));
        server->set([](Server& s) { s.failing = s.unreachable = true; });
        monitor.intervalEndsAt(nowNs());
        QTRY_COMPARE(server->answered.load(), 2);
        const std::vector<std::string> notes = notesOf(monitor);
        QVERIFY(!notes.empty());
        QVERIFY2(notes[0].find("the server has gone away") != std::string::npos, notes[0].c_str());
        QVERIFY(unknown(monitor.take()));
        server->set([](Server& s) {
            s.failing = s.unreachable = false;
            s.values = {1'000'000, 3};
        });
        std::vector<double> got;
        const auto known = [&] {
            monitor.intervalEndsAt(nowNs());
            got = monitor.take();
            return !std::isnan(got[1]);
        };
        QVERIFY(QTest::qWaitFor(known, 20000)); // it connects again
        QCOMPARE(got[1], 3.0);
        // Perhaps another process: nothing to count from. On a busy machine a second answer may have come: the same
        // values.
        QVERIFY2(!(std::fabs(got[0]) > 0), qPrintable(QString::number(got[0])));
        QVERIFY(server->opened.load() >= 2);
        for (const std::string& note : monitor.takeNotes())
            QVERIFY2(note.find("could not be read") == std::string::npos, "a failure is said once");
        monitor.stop();
    }

    void unreachableFromTheStart()
    {
        auto server = std::make_shared<Server>();
        server->unreachable = true;
        CounterMonitor monitor(kTwo, opening(server));
        monitor.start();
        const std::vector<std::string> notes = notesOf(monitor);
        QVERIFY(!notes.empty());
        QVERIFY2(notes[0].find("connection refused") != std::string::npos, notes[0].c_str());
        QVERIFY(unknown(monitor.take()));
        monitor.stop();
    }

    void resetServer()
    {
        auto server = std::make_shared<Server>();
        CounterMonitor monitor(kTwo, opening(server));
        monitor.start();
        QVERIFY(!std::isnan(nextOf(monitor)[1]));
        server->set([](Server& s) { s.values = {5, 1}; });
        monitor.intervalEndsAt(nowNs());
        std::vector<double> got = nextOf(monitor);
        QVERIFY(!std::isnan(got[1]));
        QVERIFY(std::isnan(got[0]));
        const std::vector<std::string> notes = monitor.takeNotes();
        QCOMPARE(notes.size(), std::size_t(1));
        QVERIFY2(notes[0].find("started again") != std::string::npos, notes[0].c_str());
        monitor.stop();
    }

    //! The run's end does not wait for a server that never answers; the thread ends with the answer.
    void stopsWithoutAnAnswer()
    {
        auto server = std::make_shared<Server>();
        server->held = true;
        {
            CounterMonitor monitor(kTwo, opening(server));
            monitor.start();
            QTRY_COMPARE(server->asked.load(), 1);
        }
        QCOMPARE(server->answered.load(), 0);
        server->set([](Server& s) { s.held = false; });
        QTRY_COMPARE(server->answered.load(), 1);
        QTRY_COMPARE(server.use_count(), 1L); // nothing of the monitor is left
    }
};

} // namespace dyno::tst_counter_monitor

DYNO_SUITE(tst_counter_monitor, dyno::tst_counter_monitor::TestCounterMonitor)
#include "tst_counter_monitor.moc"
