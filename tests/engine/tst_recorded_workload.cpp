// SPDX-License-Identifier: GPL-3.0-or-later
// Workload "recorded": what of a log is sent, when and by whom; whole runs on SQLite, where differences are counted;
// agreements. Logs of real servers are run by tst_recorded_logs.
#include "executor_rig.h"
#include "support/must.h"
#include "support/recording_rig.h"
#include "support/suite.h"
#include "workload/recorded/replay.h"

#include <dyno/agreements.h>
#include <dyno/trust.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace dyno::tst_recorded_workload {
using namespace dyno::test;
using namespace dyno::recorded;

namespace {

//! A line of PostgreSQL's csvlog: a statement that took no time, or an error's.
QByteArray csvRow(const char* seconds, const QByteArray& session, const QByteArray& statement, bool failed = false,
                  const char* database = "shop")
{
    const QByteArray quoted = QByteArray(statement).replace("\"", "\"\"");
    const QByteArray message = failed ? QByteArray("it failed") : "duration: 0.000 ms  statement: " + quoted;
    return QByteArray("2026-11-28 05:50:") + seconds + " UTC,\"u\",\"" + database + "\",77,\"[local]\"," + session +
           ",1,\"SELECT\",2026-11-28 05:00:00 UTC,3/2,0," + (failed ? "ERROR" : "LOG") + ",00000,\"" + message +
           "\",,,,,,\"" + (failed ? quoted : QByteArray()) + "\",,,\"psql\",\"client backend\",,0\n";
}

bool goOn()
{
    return true;
}

std::vector<std::string> textsOf(const Replay& replay)
{
    std::vector<std::string> texts;
    for (const ReplayEntry& entry : replay.entries)
        texts.push_back(replay.texts[entry.text].text);
    return texts;
}

std::int64_t skippedOf(const Replay& replay, std::string_view why)
{
    const auto found = std::ranges::find(replay.skipped, why, &SkippedEntries::why);
    return found == replay.skipped.end() ? 0 : found->entries;
}

std::string errorOf(const ReplayWish& wish)
{
    const auto read = readReplay(wish, goOn);
    return read ? std::string() : read.error().message;
}

QString notesOf(const RecordingSink& sink)
{
    QString notes;
    for (const RunEvent& event : sink.events.front()) {
        if (event.kind == EventKind::Note)
            notes += QString::fromStdString(event.text) + "\n";
    }
    return notes;
}

} // namespace

class TstRecordedWorkload : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    std::string written(const QByteArray& text)
    {
        static int number = 0;
        QFile file(m_folder.filePath(QString("log%1.csv").arg(++number)));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("the file cannot be written");
        return file.fileName().toStdString();
    }
    //! A database with rows 1, 2, 3 in t.
    std::string made(const char* name)
    {
        const std::string uri = "sqlite:" + m_folder.filePath(name).toStdString();
        const auto admin = must(driverFor("sqlite")->admin(ConnectTarget{.uri = *parseUri(uri)}));
        if (!admin->execute("CREATE TABLE t (id INTEGER PRIMARY KEY)") ||
            !admin->execute("INSERT INTO t VALUES (1), (2), (3)"))
            qFatal("the table cannot be made");
        return uri;
    }
    static std::string rowsOf(const std::string& uri)
    {
        const auto admin = must(driverFor("sqlite")->admin(ConnectTarget{.uri = *parseUri(uri)}));
        return must(admin->query("SELECT COUNT(*) FROM t")).front().front();
    }
    static Plan planOf(const std::string& uri, const Settings& params, int users)
    {
        Plan plan = smallPlan(uri, "recorded");
        plan.workload.params = params;
        plan.load.users = {users};
        plan.load.timeSeconds = 30;
        return plan;
    }
    static void run(const Plan& plan, RecordingSink& sink)
    {
        RunnerOptions options;
        options.consent.allow("all");
        runPlan(plan, options, sink);
        QCOMPARE(sink.summaries.size(), std::size_t(1));
    }

private slots:
    void whatIsSentOfALog()
    {
        QByteArray log = csvRow("10.000", "a.1", "BEGIN");
        log += csvRow("10.500", "a.1", "SELECT id FROM t WHERE id = 1");
        log += csvRow("11.000", "b.2", "SELECT id FROM t WHERE id = 2");
        log += csvRow("11.000", "c.3", "SELECT 1", false, "other");
        log += csvRow("11.250", "a.1", "SELECT id FROM t WHERE id = 1");
        log += csvRow("11.500", "a.1", "INSERT INTO t VALUES (9)");
        log += csvRow("11.750", "a.1", "COMMIT");
        log += csvRow("12.000", "b.2", "SELECT \"x\" FROM none", true);
        log += csvRow("12.500", "b.2", "SELECT id FROM t LIMIT 1 /* ! */");
        ReplayWish wish{.file = written(log), .format = {}, .database = "shop"};
        const Replay reads = must(readReplay(wish, goOn));
        QCOMPARE(textsOf(reads),
                 (std::vector<std::string>{"SELECT id FROM t WHERE id = 1", "SELECT id FROM t WHERE id = 2",
                                           "SELECT id FROM t WHERE id = 1", "SELECT \"x\" FROM none",
                                           "SELECT id FROM t LIMIT 1 /* ! */"}));
        QCOMPARE(reads.texts.size(), std::size_t(4)); // each once
        QCOMPARE(reads.sessions, (std::vector<std::vector<std::uint32_t>>{{0, 2}, {1, 3, 4}}));
        QCOMPARE(reads.entries[4].atUs, std::int64_t(2'000'000));
        QVERIFY(reads.entries[3].ending == ReplayEntry::Ending::Failed);
        QVERIFY(reads.entries[0].ending == ReplayEntry::Ending::Ok);
        QCOMPARE(reads.kinds, std::size_t(3));
        QCOMPARE(reads.operations.size(), std::size_t(3));
        QCOMPARE(reads.operations[0].name, std::string("select_t")); // the most frequent
        QCOMPARE(reads.operations[1].name, std::string("select_none"));
        QCOMPARE(reads.operations[2].name, std::string("select_t_2"));
        QCOMPARE(skippedOf(reads, "statements of other databases"), 1);
        QCOMPARE(skippedOf(reads, "begins and ends of transactions, settings"), 2);
        QCOMPARE(skippedOf(reads, "statements that may do more than read"), 1);
        wish.writes = true;
        QCOMPARE(must(readReplay(wish, goOn)).entries.size(), std::size_t(6));
        wish.sessions = true;
        const Replay all = must(readReplay(wish, goOn));
        QCOMPARE(all.entries.size(), std::size_t(8));
        QVERIFY(all.texts[all.entries.front().text].request == RequestKind::Begin);
        QVERIFY(all.operations[indexOf(all.texts[all.entries[5].text].op)].opClass == OpClass::Other);
        const Replay again = must(readReplay(wish, goOn));
        QCOMPARE(again.sha256.size(), std::size_t(64));
        QCOMPARE(again.sha256, all.sha256);
        QVERIFY(reads.sha256 != all.sha256);
        wish.database = "nobody's";
        QCOMPARE(errorOf(wish), std::string("the log holds no statement to run"));
        wish.file = m_folder.path().toStdString();
        QCOMPARE(errorOf(wish), std::string("the file cannot be read"));
    }

    //! The account and the database of a session, as each form of log tells them.
    void whoseStatementsAreSent()
    {
        const auto textsFor = [this](const QByteArray& log, const char* account, const char* database) {
            return textsOf(must(readReplay({.file = written(log), .database = database, .account = account}, goOn)));
        };
        using Texts = std::vector<std::string>;
        const QByteArray general = "2026-11-28T05:50:00.000000Z\t    8 Connect\tapp@localhost on shop using Socket\n"
                                   "2026-11-28T05:50:00.000000Z\t    9 Connect\troot@localhost on  using Socket\n"
                                   "2026-11-28T05:50:00.100000Z\t    8 Query\tselect 1\n"
                                   "2026-11-28T05:50:00.200000Z\t    9 Query\tselect 2\n"
                                   "2026-11-28T05:50:00.300000Z\t    8 Query\tUSE `other`\n"
                                   "2026-11-28T05:50:00.400000Z\t    8 Query\tselect 3\n"
                                   "2026-11-28T05:50:00.500000Z\t    9 Change user\tapp@localhost on shop\n"
                                   "2026-11-28T05:50:00.600000Z\t    9 Query\tselect 4\n";
        QCOMPARE(textsFor(general, "app", ""), (Texts{"select 1", "select 3", "select 4"}));
        QCOMPARE(textsFor(general, "app", "shop"), (Texts{"select 1", "select 4"}));
        QCOMPARE(textsFor(general, "", "other"), (Texts{"select 3"}));
        const QByteArray slow =
            "# Time: 2026-11-28T05:50:10.500000Z\n# User@Host: app[app] @ localhost []  Id:    12\n"
            "# Query_time: 0.5  Lock_time: 0.1  Rows_sent: 3  Rows_examined: 10\n"
            "use shop;\nSET timestamp=1795845010;\nselect 1;\n"
            "# Time: 2026-11-28T05:50:11.500000Z\n# User@Host: root[root] @  [127.0.0.1]  Id:    13\n"
            "# Query_time: 0.5  Lock_time: 0.1  Rows_sent: 3  Rows_examined: 10\n"
            "SET timestamp=1795845011;\nselect 2;\n";
        QCOMPARE(textsFor(slow, "app", ""), (Texts{"select 1;"}));
        QCOMPARE(textsFor(slow, "root", "shop"), (Texts{"select 2;"}));
        const QByteArray csv = csvRow("10.000", "a.1", "select 1") + csvRow("10.000", "a.2", "select 2", true);
        QCOMPARE(textsFor(csv, "u", ""), (Texts{"select 2", "select 1"})); // the first waits for its duration
        const auto none = readReplay({.file = written(csv), .account = "nobody"}, goOn);
        QVERIFY(!none);
        QCOMPARE(none.error().remedy, std::string("skipped: statements of other accounts"));
    }

    //! MariaDB writes times to the second, and only where the second is another one.
    void statementsOfASecondAreSpread()
    {
        const QByteArray log = "261128  5:50:01\t    8 Query\tselect 1\n\t\t    8 Query\tselect 2\n"
                               "261128  5:50:03\t    8 Query\tselect 3\n\t\t    8 Query\tselect 4\n"
                               "\t\t    8 Query\tselect 5\n\t\t    8 Query\tselect 6\n";
        std::vector<std::int64_t> times;
        for (const ReplayEntry& entry : must(readReplay({.file = written(log)}, goOn)).entries)
            times.push_back(entry.atUs);
        QCOMPARE(times, (std::vector<std::int64_t>{0, 500'000, 2'000'000, 2'250'000, 2'500'000, 2'750'000}));
        const QByteArray facts =
            "# User@Host: a[a] @ b []\n# Query_time: 0.300000  Lock_time: 0.000000  Rows_sent: 1\n";
        const QByteArray slow = "# Time: 261128  5:50:01\n" + facts + "select 1;\n" + facts + "select 2;\n" +
                                "# Time: 261128  5:50:02\n" + facts + "select 3;\n";
        times.clear();
        for (const ReplayEntry& entry : must(readReplay({.file = written(slow)}, goOn)).entries)
            times.push_back(entry.atUs);
        QCOMPARE(times, (std::vector<std::int64_t>{0, 500'000, 1'000'000}));
        // What is before the first time is not known to have come when.
        const Replay cut = must(readReplay({.file = written("\t\t    8 Query\tselect 0\n" + log)}, goOn));
        QCOMPARE(cut.entries.size(), std::size_t(6));
        QCOMPARE(skippedOf(cut, "before the first time in the log"), 1);
        QCOMPARE(skippedOf(must(readReplay({.file = written(facts + "select 0;\n" + slow)}, goOn)),
                           "before the first time in the log"),
                 1);
    }

    void rareKindsShareAnOperation()
    {
        QByteArray log;
        for (int i = 0; i < 120; ++i)
            log += csvRow("10.000", "a.1", "SELECT a" + QByteArray::number(i) + " FROM t");
        log += csvRow("10.000", "a.1", "SELECT a119 FROM t");
        const Replay replay = must(readReplay({.file = written(log)}, goOn));
        QCOMPARE(replay.kinds, std::size_t(120));
        QCOMPARE(replay.operations.size(), std::size_t(100));
        QCOMPARE(replay.operations.back().name, std::string("other"));
        QVERIFY(replay.texts[119].op == OpId(0)); // twice
        QVERIFY(replay.texts[0].op == OpId(1));
        QVERIFY(replay.texts[97].op == OpId(98));
        QVERIFY(replay.texts[98].op == OpId(99));
        QVERIFY(replay.texts[118].op == OpId(99));
        QVERIFY(readReplay({.file = written(log.repeated(40))}, [] { return false; }).error().kind ==
                ErrorKind::Interrupted);
    }

    //! In a loop each user begins at a place of its own and goes on from the beginning. The first thing that it sends
    //! makes its session read only.
    void usersOfALoopBeginApart()
    {
        QByteArray log;
        for (const char* id : {"1", "2", "3", "4"})
            log += csvRow("10.000", QByteArray("a.") + id, QByteArray("SELECT ") + id + " FROM t");
        const Settings params{{"file", written(log)}, {"replay", std::string("loop")}};
        const auto instance = test::bind("recorded", params, "null");
        QVERIFY(instance->makeReady(WorkloadInstance::Use::Run, goOn, 1));
        TestUser user(std::make_unique<RecordingSession>(), instance->operationsOfRun().size(), {UserId(1), 2, 1});
        auto& session = static_cast<RecordingSession&>(*user.session);
        for (std::uint64_t i = 0; i < 3; ++i)
            QVERIFY(user.run(*instance, i) == Outcome::Ok);
        QCOMPARE(session.requests.size(), std::size_t(4));
        QCOMPARE(session.requests[0].text, std::string("SET SESSION TRANSACTION READ ONLY"));
        QCOMPARE(session.requests[1].text, std::string("SELECT 3 FROM t"));
        QCOMPARE(session.requests[2].text, std::string("SELECT 4 FROM t"));
        QCOMPARE(session.requests[3].text, std::string("SELECT 1 FROM t"));
        // After an error the connection may be another one.
        session.failAt = session.seen + 1;
        QVERIFY(user.run(*instance, 3) == Outcome::Retryable);
        QVERIFY(!instance->retryable(Outcome::Retryable, 1213));
        session.requests.clear();
        QVERIFY(user.run(*instance, 4) == Outcome::Ok);
        QCOMPARE(session.requests.size(), std::size_t(2));
        QCOMPARE(session.requests[0].text, std::string("SET SESSION TRANSACTION READ ONLY"));
        // A server that does not take it gets nothing.
        session.failAt = session.seen + 1;
        session.failure = {Outcome::Rejected, 1064};
        QVERIFY(user.run(*instance, 5) == Outcome::Rejected); // a statement, which resets it
        session.failAt = session.seen + 1;
        QVERIFY(user.run(*instance, 6) == Outcome::Rejected);
        QVERIFY(instance->fatal(Outcome::Rejected, user.context.lastCode()));
    }

    //! Sessions at their times, and an end of the run's own. The reads find what is recorded, but for two.
    void sessionsComeAtTheirTimes()
    {
        QByteArray log = csvRow("10.000", "a.1", "SELECT id FROM t WHERE id = 1");
        log += csvRow("10.000", "b.2", "SELECT id FROM t WHERE id = 2");
        log += csvRow("10.400", "a.1", "SELECT id FROM missing");     // fails now
        log += csvRow("10.400", "b.2", "SELECT id FROM t", true);     // failed then
        log += csvRow("10.800", "b.2", "SELECT id FROM never", true); // then and now
        log += csvRow("11.000", "c.3", "DELETE FROM t");
        log += csvRow("11.200", "c.3", "SELECT MAX(id) FROM t");
        const std::string uri = made("times.db");
        RecordingSink sink;
        run(planOf(uri, {{"file", written(log)}, {"speed", 4.0}}, 2), sink);
        const RunSummary& summary = sink.summaries.front();
        QVERIFY2(summary.status == RunStatus::Done, summary.reason.c_str());
        QVERIFY2(summary.seconds >= 0.29 && summary.seconds < 5, QByteArray::number(summary.seconds));
        QVERIFY2(summary.response.maxMs < 5000, QByteArray::number(summary.response.maxMs));
        QCOMPARE(summary.transactions, std::uint64_t(5)); // with the one that failed as it did then
        QCOMPARE(summary.failed, std::uint64_t(1));
        QCOMPARE(rowsOf(uri), std::string("3"));
        const QString notes = notesOf(sink);
        QVERIFY2(notes.contains("the recording: 6 statements of 5 kinds in 3 sessions over 1.2 s"), qPrintable(notes));
        QVERIFY2(notes.contains("skipped from the recording: statements that may do more than read (1)"),
                 qPrintable(notes));
        QVERIFY2(notes.contains("statements that failed, and not in the recording: 1 of 6, such as select_missing"),
                 qPrintable(notes));
        QVERIFY2(notes.contains("statements that failed only in the recording: 1 of 6, such as select_t_2"),
                 qPrintable(notes));
        QVERIFY(!notes.contains("number of rows")); // the log has none
        QVERIFY2(notes.contains("2 users for 3 recorded sessions: some sent the statements of several, in the order of "
                                "their times; give 3 users"),
                 qPrintable(notes));
        QVERIFY(!notes.contains("mixed")); // reads only
        QCOMPARE(integerOf(sink.runs.front().effective, "workload.recorded_sessions"), std::int64_t(3));
        QCOMPARE(sink.runs.front().operations.size(), std::size_t(5));
        QCOMPARE(sink.runs.front().operations.front().name, std::string("select_t"));
        QCOMPARE(summary.operations.front().count, std::uint64_t(2));
    }

    //! A session that cannot keep up is late from the recorded time on.
    void responseTimesCountFromTheRecordedTimes_data() { addExecutors(); }
    void responseTimesCountFromTheRecordedTimes()
    {
        QFETCH(ExecutorKind, executor);
        QByteArray log;
        for (int i = 0; i < 5; ++i)
            log += csvRow("10.000", "a.1", "SELECT 1");
        RecordingSink sink;
        Plan plan = planOf("null:?service_us=20000", {{"file", written(log)}}, 1);
        plan.load.executor = executor;
        run(plan, sink);
        const RunSummary& summary = sink.summaries.front();
        QVERIFY2(summary.status == RunStatus::Done, summary.reason.c_str());
        QCOMPARE(summary.transactions, std::uint64_t(5));
        QVERIFY2(summary.service.meanMs >= 19 && summary.service.meanMs < 40,
                 QByteArray::number(summary.service.meanMs));
        QVERIFY2(summary.response.maxMs >= 99, QByteArray::number(summary.response.maxMs));
    }

    //! With the agreement, writes are sent, in the transactions that they were in.
    void writesAreSentWhereThatIsWanted()
    {
        QByteArray log = csvRow("10.000", "a.1", "BEGIN");
        log += csvRow("10.000", "a.1", "DELETE FROM t WHERE id = 1");
        log += csvRow("10.001", "a.1", "ROLLBACK");
        log += csvRow("10.002", "a.1", "INSERT INTO t VALUES (8)");
        const std::string uri = made("writes.db");
        const Settings params{{"file", written(log)}, {"writes", true}};
        RecordingSink sink;
        run(planOf(uri, params, 1), sink);
        QVERIFY2(sink.summaries.front().status == RunStatus::Done, sink.summaries.front().reason.c_str());
        QCOMPARE(sink.summaries.front().transactions, std::uint64_t(4));
        QCOMPARE(rowsOf(uri), std::string("4"));
        QVERIFY2(!notesOf(sink).contains("recorded sessions"), qPrintable(notesOf(sink)));
        RecordingSink again; // the key is there now
        run(planOf(uri, params, 1), again);
        QVERIFY(notesOf(again).contains("statements that failed, and not in the recording: 1 of 4, such as insert_t"));
    }

    void aMissingLogEndsTheRun()
    {
        RecordingSink sink;
        run(planOf("null:", {{"file", m_folder.filePath("missing.log").toStdString()}}, 1), sink);
        QVERIFY(sink.summaries.front().status == RunStatus::Failed);
        QVERIFY2(sink.summaries.front().reason.find("the file cannot be read") != std::string::npos,
                 sink.summaries.front().reason.c_str());
    }

    void logsAndWritesNeedAnAgreement()
    {
        Plan plan = planOf("null:", {{"file", std::string("general.log")}, {"writes", false}}, 1);
        auto risks = risksOf(plan);
        QCOMPARE(risks.size(), std::size_t(1));
        QCOMPARE(risks.front().key, std::string("workload.file"));
        plan.workload.params["writes"] = true;
        risks = risksOf(plan);
        QCOMPARE(risks.size(), std::size_t(2));
        QCOMPARE(risks.back().key, std::string("workload.writes"));
        QVERIFY(refusalOf(plan, {}));
        Consent consent;
        consent.allow(std::string("workload.file"));
        QVERIFY(refusalOf(plan, consent));
        consent.allow(std::string("workload.writes"));
        QVERIFY(!refusalOf(plan, consent));
    }

    //! A transaction that fails now where it did not then ends as it ended then.
    void transactionsEndAsRecorded()
    {
        QByteArray log = csvRow("10.000", "a.1", "BEGIN");
        log += csvRow("10.000", "a.1", "INSERT INTO t VALUES (1)"); // is there already
        log += csvRow("10.001", "a.1", "INSERT INTO t VALUES (77)");
        log += csvRow("10.002", "a.1", "ROLLBACK");
        log += csvRow("10.003", "a.1", "BEGIN");
        log += csvRow("10.004", "a.1", "INSERT INTO t VALUES (2)");
        log += csvRow("10.005", "a.1", "INSERT INTO t VALUES (78)");
        log += csvRow("10.006", "a.1", "COMMIT");
        const std::string uri = made("ends.db");
        RecordingSink sink;
        run(planOf(uri, {{"file", written(log)}, {"writes", true}}, 1), sink);
        QVERIFY2(notesOf(sink).contains("failed, and not in the recording: 2 of 8, such as insert_t"),
                 qPrintable(notesOf(sink)));
        QCOMPARE(rowsOf(uri), std::string("4"));
        QCOMPARE(sink.summaries.front().transactions, std::uint64_t(8));
    }

    void aRunThatEndsBeforeItsRecordingSaysSo()
    {
        RecordingSink sink;
        Plan plan = planOf(
            "null:", {{"file", written(csvRow("10.000", "a.1", "SELECT 1") + csvRow("40.000", "a.1", "SELECT 1"))}}, 1);
        plan.load.timeSeconds = 0.2;
        run(plan, sink);
        QVERIFY2(notesOf(sink).contains("the run ended before the recording: 1 of 2 statements were sent"),
                 qPrintable(notesOf(sink)));
    }

    //! An agreement to a log is one to its statements.
    void anotherLogIsAnotherAgreement()
    {
        const std::string log = written(csvRow("10.000", "a.1", "SELECT 1"));
        const std::filesystem::path known = m_folder.filePath("agreements").toStdString();
        const Plan plan = planOf("null:", {{"file", log}}, 1);
        rememberAgreed(plan, risksOf(plan), known);
        Consent consent;
        recallAgreed(plan, risksOf(plan), consent, known);
        QVERIFY(!refusalOf(plan, consent));
        QFile file(QString::fromStdString(log));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(csvRow("10.000", "a.1", "SELECT 22"));
        file.close();
        Consent other;
        recallAgreed(plan, risksOf(plan), other, known);
        QVERIFY(refusalOf(plan, other));
    }

    void readingCanBeStopped()
    {
        // A log of other messages, of more bytes than are read between two questions
        const QByteArray other = csvRow("10.000", "a.1", "SELECT 1").replace("statement: ", "x: ");
        const std::string log = written(csvRow("10.000", "a.1", "SELECT 1") + other.repeated(60'000));
        int asked = 0;
        const auto read = readReplay({.file = log}, [&asked] { return ++asked < 3; });
        QVERIFY(!read);
        QVERIFY(read.error().kind == ErrorKind::Interrupted);
        QCOMPARE(asked, 3);
    }

    void faultsOfAPlan()
    {
        Plan plan = planOf("sqlite:x.db", {}, 1);
        Faults faults = checkPlan(plan);
        QCOMPARE(faults.size(), std::size_t(1));
        QCOMPARE(faults.front().where, std::string("workload.params.file"));
        plan.workload.params = {{"file", std::string("general.log")}};
        QVERIFY(checkPlan(plan).empty()); // it is not opened before somebody agrees
        View view;
        view.measure = "service_p95:select_orders"; // only the log tells which operations there are
        plan.views = {view};
        QVERIFY(checkPlan(plan).empty());
        plan.load.arrival.model = ArrivalModel::Fixed;
        plan.load.arrival.rate = 10;
        faults = checkPlan(plan);
        QCOMPARE(faults.size(), std::size_t(1));
        QVERIFY2(faults.front().what.starts_with("statements as recorded come at their own times"),
                 faults.front().what.c_str());
        plan.workload.params["replay"] = std::string("loop");
        QVERIFY(checkPlan(plan).empty());
        plan.load.arrival = {};
        plan.workload.params["replay"] = std::string("recorded");
        plan.load.search.what = Search::What::Users;
        plan.load.search.from = 1;
        plan.load.search.to = 8;
        plan.load.objective = {99, 20};
        faults = checkPlan(plan);
        QCOMPARE(faults.size(), std::size_t(1));
        QVERIFY2(faults.front().what.starts_with("statements as recorded come at their own times, so there is no load"),
                 faults.front().what.c_str());
        plan.workload.params["replay"] = std::string("loop");
        QVERIFY(checkPlan(plan).empty());
        plan.load.search = {};
        plan.workload.params["replay"] = std::string("recorded");
        plan.load.warmupSeconds = 1;
        QCOMPARE(checkPlan(plan).size(), std::size_t(1));
        plan.load.warmupSeconds = 0;
        plan.load.arrival.thinkSeconds = 1;
        QCOMPARE(checkPlan(plan).size(), std::size_t(1));
        plan.load.arrival = {};
        plan.load.objective = {};
        plan.views.clear();
        LoadGroup group;
        group.name = "g";
        plan.load.groups = {group};
        faults = checkPlan(plan);
        QVERIFY(!faults.empty());
        QVERIFY2(faults.front().what.find("groups") != std::string::npos, faults.front().what.c_str());
    }
};

} // namespace dyno::tst_recorded_workload

DYNO_SUITE(tst_recorded_workload, dyno::tst_recorded_workload::TstRecordedWorkload)
#include "tst_recorded_workload.moc"
