// SPDX-License-Identifier: GPL-3.0-or-later
// The same plan does the same work: two runs with a fixed number of operations leave identical tables, whatever the
// threads did, whether users live on threads or on event loops, and however statements reach the server.
#include "engine/recording_sink.h"
#include "support/mariadb_fixture.h"
#include "support/suite.h"

#include <QTest>

#include <map>

namespace dyno::tst_repeatable {
using namespace dyno::test;
using namespace Qt::StringLiterals;

class TstRepeatable : public QObject
{
    Q_OBJECT
    MariadbFixture m_server;
    std::unique_ptr<Admin> m_admin;

    using Counts = std::map<std::string, std::int64_t>;
    //! How often the server has done each kind of write and commit.
    Counts serverCounts()
    {
        Counts counts;
        const auto rows =
            m_admin->query("SHOW GLOBAL STATUS WHERE Variable_name IN ('Com_begin', 'Com_update', 'Com_delete', "
                           "'Com_insert', 'Com_commit')");
        for (const auto& row : rows.value_or(TextRows()))
            counts[row.front()] = std::stoll(row.back());
        return counts;
    }

    //! Loads the tables anew, runs the plan, and gives the checksums of the tables.
    QString checksumsAfter(const Plan& plan)
    {
        RecordingSink sink;
        return checksumsAfter(plan, sink);
    }
    QString checksumsAfter(const Plan& plan, RecordingSink& sink)
    {
        RunnerOptions options;
        options.consent.allow("connection.init_sql");
        runPlan(plan, options, sink);
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

    //! Prepared, as text, or all of a transaction in one packet: the same statements are done, counted and kept.
    void sameWorkInEveryProtocol_data()
    {
        QTest::addColumn<QString>("workload");
        QTest::addColumn<int>("users");
        QTest::addColumn<bool>("skipTransactions");
        QTest::newRow("one statement, 8 users") << u"oltp_update_index"_s << 8 << false;
        QTest::newRow("reads and writes, 1 user") << u"oltp_read_write"_s << 1 << false;
        QTest::newRow("no explicit transactions, 1 user") << u"oltp_read_write"_s << 1 << true;
    }
    void sameWorkInEveryProtocol()
    {
        QFETCH(QString, workload);
        QFETCH(int, users);
        QFETCH(bool, skipTransactions);
        const std::pair<const char*, ExecutorKind> ways[] = {{"prepared", ExecutorKind::Threads},
                                                             {"text", ExecutorKind::Threads},
                                                             {"multi", ExecutorKind::Threads},
                                                             {"multi", ExecutorKind::Loops}};
        QString firstSums;
        Counts firstDone, firstOperations;
        for (const auto& [protocol, executor] : ways) {
            Plan plan = planFor(workload.toLatin1().constData(), users, executor, 7);
            plan.load.events = 199;
            plan.set["connection.protocol"] = std::string(protocol);
            if (skipTransactions)
                plan.workload.params["skip_trx"] = true;
            const Counts before = serverCounts();
            RecordingSink sink;
            const QString sums = checksumsAfter(plan, sink);
            QVERIFY2(sums.contains(u'/'), qPrintable(sums));
            Counts done = serverCounts(), operations;
            for (auto& [name, count] : done)
                count -= before.at(name);
            for (const OperationSummary& operation : sink.summaries.front().operations)
                operations[operation.name] = std::int64_t(operation.count);
            if (firstSums.isEmpty()) {
                firstSums = sums;
                firstDone = done;
                firstOperations = operations;
                QVERIFY(done.at("Com_update") >= 199 && !operations.empty());
            }
            QCOMPARE(sums, firstSums);
            QCOMPARE(done, firstDone);
            QCOMPARE(operations, firstOperations);
        }
    }

    //! A lock that somebody else holds makes statements fail in the middle of a transaction: what it had done is rolled
    //! back, and it is done again, so that the tables end as if nothing had been.
    void sameTablesAfterRetries_data()
    {
        QTest::addColumn<QString>("protocol");
        QTest::addColumn<ExecutorKind>("executor");
        QTest::newRow("prepared") << u"prepared"_s << ExecutorKind::Threads;
        QTest::newRow("multi, threads") << u"multi"_s << ExecutorKind::Threads;
        QTest::newRow("multi, loops") << u"multi"_s << ExecutorKind::Loops;
    }
    void sameTablesAfterRetries()
    {
        QFETCH(QString, protocol);
        QFETCH(ExecutorKind, executor);
        Plan plan = planFor("oltp_write_only", 1, executor, 7);
        plan.load.events = 99;
        plan.set["connection.protocol"] = protocol.toStdString();
        plan.set["connection.init_sql"] = std::string("SET SESSION innodb_lock_wait_timeout = 1");
        const QString undisturbed = checksumsAfter(plan);
        QVERIFY2(undisturbed.contains(u'/'), qPrintable(undisturbed));

        auto other = m_server.admin();
        QVERIFY(other);
        bool locked = false, released = false;
        RecordingSink sink;
        sink.runHook = [&](const RunHeader&) {
            locked = (*other)->execute("BEGIN") && (*other)->query("SELECT SUM(k) FROM sbtest2 FOR UPDATE").has_value();
        };
        sink.sampleHook = [&](const IntervalSample& sample) {
            if (!released && sample.retried > 0)
                released = (*other)->execute("ROLLBACK").has_value();
        };
        const QString sums = checksumsAfter(plan, sink);
        QVERIFY(locked && released);
        const RunSummary& run = sink.summaries.front();
        QVERIFY2(run.retried > 0 && run.failed == 0, run.reason.c_str());
        QCOMPARE(run.errors.count(1205), std::size_t(1));
        QCOMPARE(sums, undisturbed);
    }
};

} // namespace dyno::tst_repeatable

DYNO_SUITE(tst_repeatable, dyno::tst_repeatable::TstRepeatable)
#include "tst_repeatable.moc"
