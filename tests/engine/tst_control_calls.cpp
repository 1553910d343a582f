// SPDX-License-Identifier: GPL-3.0-or-later
// Calls of the control plane on a real server that is frozen, slow, or well.
#include "driver/control_calls.h"
#include "support/frozen.h"
#include "support/mariadb_fixture.h"
#include "support/suite.h"

#include <QTest>

#include <atomic>
#include <thread>

namespace dyno::tst_control_calls {
using namespace dyno::test;

class TestControlCalls : public QObject
{
    Q_OBJECT
    MariadbFixture m_server;

    Expected<std::unique_ptr<Admin>> connect(std::function<bool()> stopped, StopPatience patience = {}) const
    {
        return controlAdmin(*driverFor("mysql"), *m_server.target(), std::move(stopped), patience);
    }
    //! As long as it takes, for a machine with other things to do.
    static constexpr StopPatience kPatient{.connect = 200, .call = 250};

private slots:
    void initTestCase()
    {
        if (const std::string why = MariadbFixture::whyMissing(true); !why.empty())
            QSKIP(why.c_str());
        const auto started = m_server.start();
        QVERIFY2(started, started ? "" : started.error().text().c_str());
    }

    void answersAsTheDriversOwn()
    {
        auto admin = connect([] { return false; });
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        QVERIFY((*admin)->execute("CREATE TABLE t (id INT PRIMARY KEY)"));
        QVERIFY((*admin)->execute("INSERT INTO t VALUES (1), (2)"));
        QCOMPARE((*admin)->rowCount("t").value_or(-1), std::int64_t(2));
        QCOMPARE((*admin)->query("SELECT 6 * 7").value_or(TextRows()), (TextRows{{"42"}}));
        QCOMPARE((*admin)->describe("t").value_or(std::vector<ColumnShape>()).size(), std::size_t(1));
        QVERIFY((*admin)->setVariable("sync_binlog", std::int64_t(7)));
        QCOMPARE((*admin)->variable("sync_binlog").value_or(""), std::string("7"));
        QVERIFY((*admin)->setUnfinishedLoads({"t"}));
        QCOMPARE((*admin)->unfinishedLoads().value_or(std::vector<std::string>()), std::vector<std::string>{"t"});
        QVERIFY((*admin)->setUnfinishedLoads({}));
        QVERIFY((*admin)->setDataNotes({{"t", "note"}}));
        QCOMPARE((*admin)->dataNotes().value_or(DataNotes()), (DataNotes{{"t", "note"}}));
        QVERIFY((*admin)->setDataNotes({{"t", ""}}));
        QVERIFY(!(*admin)->counters().empty());
        QCOMPARE((*admin)->counterValues().value_or(std::vector<double>()).size(), (*admin)->counters().size());
        QVERIFY((*admin)->facts()->product.size() > 0);
        QVERIFY(!(*admin)->dataFolder().empty() && (*admin)->dataBytes({}) > 0);
        QVERIFY((*admin)->settle({}));
        QVERIFY((*admin)->drop("t"));
        const auto wrong = (*admin)->query("SELECT nothing");
        QVERIFY(!wrong && wrong.error().kind != ErrorKind::Interrupted);
        TargetUri nowhere = m_server.uri();
        nowhere.query["socket"] = "/nowhere/socket";
        ConnectTarget target = *m_server.target();
        target.uri = nowhere;
        const auto gone = controlAdmin(*driverFor("mysql"), target, [] { return false; });
        QVERIFY(!gone);
        QCOMPARE(gone.error().kind, ErrorKind::Unreachable);
    }

    //! What works in this process has nobody to wait for.
    void embeddedOnesAreTheDriversOwn()
    {
        ConnectTarget target;
        target.uri = *parseUri("null:");
        bool asked = false;
        const auto admin = controlAdmin(*driverFor("null"), target, [&asked] { return asked = true; });
        QVERIFY(admin);
        QVERIFY((*admin)->facts());
        QVERIFY(!asked);
    }

    void aFrozenServerIsGivenUp()
    {
        std::atomic<bool> stop{false};
        auto admin = connect([&stop] { return stop.load(); });
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        Frozen frozen(m_server.managed()->process());
        QVERIFY(frozen.holds());
        std::thread user([&stop] { stop = true; });
        const auto answer = (*admin)->query("SELECT 1"); // would last for ever
        user.join();
        QVERIFY(!answer);
        QCOMPARE(answer.error().kind, ErrorKind::Interrupted);
        QVERIFY2(answer.error().text().find("does not answer") != std::string::npos, answer.error().text().c_str());
        QCOMPARE((*admin)->execute("DO 1").error().kind, ErrorKind::Interrupted); // at once, as all others
        QCOMPARE((*admin)->variable("sync_binlog").error().kind, ErrorKind::Interrupted);
        QVERIFY((*admin)->dataParts({}).empty());
        // A connection that would last for ten minutes.
        ConnectTarget slow = *m_server.target({}, {{"connect_timeout", 600.0}});
        const auto connected = controlAdmin(*driverFor("mysql"), slow, [] { return true; });
        QVERIFY(!connected);
        QCOMPARE(connected.error().kind, ErrorKind::Interrupted);
        admin->reset();
        frozen.thaw();
        auto again = connect([] { return true; }, kPatient); // whoever has stopped may still put things back
        QVERIFY2(again, again ? "" : again.error().text().c_str());
        QCOMPARE((*again)->query("SELECT 1").value_or(TextRows()), (TextRows{{"1"}}));
    }

    //! Nobody watches, and nobody stops it.
    void aFrozenServerEndsByItself()
    {
        auto admin = connect([] { return false; }, {.quiet = 0.5, .silent = 2});
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        Frozen frozen(m_server.managed()->process());
        QVERIFY(frozen.holds());
        const auto answer = (*admin)->query("SELECT 1");
        QVERIFY(!answer);
        QCOMPARE(answer.error().kind, ErrorKind::Unreachable);
        QVERIFY2(answer.error().text().find("neither a call nor a new connection") != std::string::npos,
                 answer.error().text().c_str());
        QCOMPARE((*admin)->execute("DO 1").error().kind, ErrorKind::Unreachable); // at once
    }

    void aSlowCallIsWaitedForWhileTheServerLives()
    {
        auto admin = connect([] { return false; }, {.quiet = 0.1, .silent = 200});
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        const auto slept = (*admin)->query("SELECT SLEEP(3)");
        QVERIFY2(slept, slept ? "" : slept.error().text().c_str());
        QCOMPARE(*slept, (TextRows{{"0"}}));
    }

    //! After a stop too: its server answers other connections.
    void aSlowCallOfALivingServerIsWaitedFor()
    {
        auto admin = connect([] { return true; }, kPatient);
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        const auto slept = (*admin)->query("SELECT SLEEP(4)");
        QVERIFY2(slept, slept ? "" : slept.error().text().c_str());
        QCOMPARE(*slept, (TextRows{{"0"}}));
        QCOMPARE((*admin)->query("SELECT 1").value_or(TextRows()), (TextRows{{"1"}}));
    }

    //! But not for ever.
    void aCallHasALimitAfterAStop()
    {
        auto admin = connect([] { return true; }, {.connect = 200, .call = 2});
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        const auto slept = (*admin)->query("SELECT SLEEP(600)");
        QVERIFY(!slept);
        QCOMPARE(slept.error().kind, ErrorKind::Interrupted);
    }
};

} // namespace dyno::tst_control_calls

DYNO_SUITE(tst_control_calls, dyno::tst_control_calls::TestControlCalls)
#include "tst_control_calls.moc"
