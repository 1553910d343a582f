// SPDX-License-Identifier: GPL-3.0-or-later
// Whole runs against a real server in both executors, where connections are the matter: too many of them, lost ones,
// encrypted ones.
#include "engine/recording_sink.h"
#include "support/mariadb_fixture.h"
#include "support/suite.h"

#include <QTest>

namespace dyno::tst_executors_mysql {
using namespace dyno::test;

class TstExecutorsMysql : public QObject
{
    Q_OBJECT
    MariadbFixture m_server;
    std::unique_ptr<Admin> m_admin;

    void bothExecutors()
    {
        QTest::addColumn<ExecutorKind>("executor");
        QTest::newRow("threads") << ExecutorKind::Threads;
        if (driverFor("mysql")->info().eventLoop) // not under the sanitizers, see mysql_async_session.h
            QTest::newRow("loops") << ExecutorKind::Loops;
    }
    Plan planFor(ExecutorKind executor, int users)
    {
        Plan plan = smallPlan(m_server.uriText());
        plan.workload.prepare = PreparePolicy::Auto;
        plan.load.executor = executor;
        plan.load.users = {users};
        return plan;
    }

private slots:
    void initTestCase()
    {
        if (const std::string why = MariadbFixture::whyMissing(); !why.empty())
            QSKIP(why.c_str());
        const auto started = m_server.startOnNetwork({.tls = true, .options = {"--max-connections=30"}});
        QVERIFY2(started, started ? "" : started.error().text().c_str());
        auto admin = m_server.admin();
        QVERIFY(admin);
        m_admin = std::move(*admin);
    }

    //! Users that are connected must not wait for a start that never comes.
    void aServerThatTakesFewerUsersEndsTheRun_data() { bothExecutors(); }
    void aServerThatTakesFewerUsersEndsTheRun()
    {
        QFETCH(ExecutorKind, executor);
        RecordingSink sink;
        runPlan(planFor(executor, 60), {}, sink);
        QCOMPARE(sink.summaries.front().status, RunStatus::Failed);
        QVERIFY2(sink.summaries.front().reason.find("could not connect") != std::string::npos,
                 sink.summaries.front().reason.c_str());
        RecordingSink after; // the server is as it was
        runPlan(planFor(executor, 8), {}, after);
        QCOMPARE(after.summaries.front().status, RunStatus::Done);
    }

    void killedConnectionsComeBack_data() { bothExecutors(); }
    void killedConnectionsComeBack()
    {
        QFETCH(ExecutorKind, executor);
        Plan plan = planFor(executor, 8);
        plan.load.timeSeconds = 2;
        RecordingSink sink;
        int killed = 0;
        sink.sampleHook = [&](const IntervalSample&) {
            if (killed > 0)
                return;
            const auto rows = m_admin->query("SELECT ID FROM information_schema.PROCESSLIST WHERE DB = '" +
                                             m_server.database() + "' AND ID <> CONNECTION_ID()");
            for (const auto& row : rows.value_or(TextRows()))
                killed += m_admin->execute("KILL " + row.front()).has_value() ? 1 : 0;
        };
        runPlan(plan, {}, sink);
        const RunSummary& run = sink.summaries.front();
        QVERIFY(killed >= 8);
        QVERIFY2(run.status == RunStatus::Done, run.reason.c_str());
        QVERIFY2(run.reconnects >= 8, qPrintable(QString::number(run.reconnects)));
        bool told = false;
        for (const RunEvent& event : sink.events.front())
            told = told || (event.kind == EventKind::Reconnect && event.lengthNs > 0);
        QVERIFY(told);
        QVERIFY(sink.samples.front().back().transaction.count > 0); // and they work again
    }

    void tls_data() { bothExecutors(); }
    void tls()
    {
        QFETCH(ExecutorKind, executor);
        Plan plan = planFor(executor, 20);
        plan.set["connection.tls"] = std::string("required");
        plan.set["connection.tls_ca"] = m_server.certificates().ca.string();
        plan.workload.name = "oltp_read_write";
        plan.load.timeSeconds = 60; // 21 transactions end it, however slow a sanitizer makes them
        plan.load.events = 21;
        RecordingSink sink;
        RunnerOptions options;
        options.consent.allow("connection.tls_ca");
        runPlan(plan, options, sink);
        QVERIFY2(sink.summaries.front().status == RunStatus::Done, sink.summaries.front().reason.c_str());
        QVERIFY(sink.summaries.front().transactions > 20);
        QVERIFY2(!sink.runs.front().server.transport.empty(), "the cipher is not known");
    }
};

} // namespace dyno::tst_executors_mysql

DYNO_SUITE(tst_executors_mysql, dyno::tst_executors_mysql::TstExecutorsMysql)
#include "tst_executors_mysql.moc"
