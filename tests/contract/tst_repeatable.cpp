// SPDX-License-Identifier: GPL-3.0-or-later
// The same plan does the same work: two runs with a fixed number of operations leave identical tables, whatever the
// threads did, and whether users live on threads or on event loops.
#include "engine/recording_sink.h"
#include "support/mariadb_fixture.h"

#include <QTest>

using namespace dyno;
using namespace dyno::test;
using namespace Qt::StringLiterals;

class TstRepeatable : public QObject
{
    Q_OBJECT
    MariadbFixture m_server;
    std::unique_ptr<Admin> m_admin;

    //! Loads the tables anew, runs the plan, and gives the checksums of the tables.
    QString checksumsAfter(const Plan& plan)
    {
        RecordingSink sink;
        runPlan(plan, {}, sink);
        if (sink.summaries.empty() || sink.summaries.front().status != RunStatus::Done)
            return u"failed: "_s + QString::fromStdString(sink.session.reason);
        if (sink.summaries.front().transactions != plan.load.events)
            return u"another number of transactions"_s;
        const auto rows = m_admin->query("CHECKSUM TABLE sbtest1, sbtest2 EXTENDED");
        if (!rows)
            return QString::fromStdString(rows.error().text());
        QStringList sums;
        for (const auto& row : *rows)
            sums << QString::fromStdString(row.back());
        return sums.join(u'/');
    }

    Plan planFor(const char* workload, int users, ExecutorKind executor, std::uint64_t seed)
    {
        Plan plan = smallPlan(m_server.uriText(), workload);
        plan.workload.params["tables"] = std::int64_t(2);
        plan.workload.params["table_size"] = std::int64_t(1000);
        plan.workload.prepare = PreparePolicy::Always;
        plan.load.users = {users};
        plan.load.timeSeconds = 0;
        plan.load.events = 997;
        plan.load.executor = executor;
        plan.load.seed = seed;
        return plan;
    }

private slots:
    void initTestCase()
    {
        DYNO_START_MARIADB(m_server);
        auto admin = m_server.admin();
        QVERIFY(admin);
        m_admin = std::move(*admin);
        if (!driverFor("mysql")->info().eventLoop)
            QSKIP("event loops do not run under the sanitizers, see mysql_async_session.h");
    }

    void sameSeedSameTables_data()
    {
        QTest::addColumn<QString>("workload");
        QTest::addColumn<int>("users");
        // k = k + 1 commutes, so that many users may do it in any order; where the last writer wins, one user does.
        QTest::newRow("k = k + 1, 8 users") << u"oltp_update_index"_s << 8;
        QTest::newRow("all kinds of writes, 1 user") << u"oltp_write_only"_s << 1;
        QTest::newRow("reads and writes, 1 user") << u"oltp_read_write"_s << 1;
    }
    void sameSeedSameTables()
    {
        QFETCH(QString, workload);
        QFETCH(int, users);
        const QByteArray name = workload.toLatin1();
        const QString first = checksumsAfter(planFor(name.constData(), users, ExecutorKind::Threads, 7));
        QVERIFY2(first.contains(u'/'), qPrintable(first));
        QCOMPARE(checksumsAfter(planFor(name.constData(), users, ExecutorKind::Threads, 7)), first);
        QCOMPARE(checksumsAfter(planFor(name.constData(), users, ExecutorKind::Loops, 7)), first);
        const QString other = checksumsAfter(planFor(name.constData(), users, ExecutorKind::Threads, 8));
        QVERIFY2(other.contains(u'/') && other != first, qPrintable(other));
    }
};

QTEST_GUILESS_MAIN(TstRepeatable)
#include "tst_repeatable.moc"
