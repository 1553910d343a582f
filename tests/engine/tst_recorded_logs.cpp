// SPDX-License-Identifier: GPL-3.0-or-later
// Logs that real servers write of known statements, logs in the forms of others, and what tells kinds apart.
#include "support/mariadb_fixture.h"
#include "support/must.h"
#include "support/postgresql_fixture.h"
#include "support/suite.h"
#include "workload/recorded/digest.h"

#include <dyno/recording.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace dyno::tst_recorded_logs {
using namespace dyno::test;
using recorded::digestOf;
using recorded::Quoting;

namespace {

RecordedKind kindOf(const RecordingSummary& summary, std::string_view digest)
{
    const auto found = std::ranges::find(summary.kinds, digest, &RecordedKind::digest);
    return found == summary.kinds.end() ? RecordedKind() : *found;
}

std::int64_t skippedOf(const RecordingSummary& summary, std::string_view why)
{
    const auto found = std::ranges::find(summary.skipped, why, &SkippedEntries::why);
    return found == summary.skipped.end() ? 0 : found->entries;
}

} // namespace

class TstRecordedLogs : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    std::string written(const char* name, const QByteArray& text)
    {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("the file cannot be written");
        return file.fileName().toStdString();
    }

private slots:
    void digests_data()
    {
        QTest::addColumn<bool>("standard");
        QTest::addColumn<QString>("statement");
        QTest::addColumn<QString>("digest");
        // The example of MySQL's manual, "Performance Schema Statement Digests and Sampling", in small letters.
        QTest::newRow("manual's first") << false << "SELECT * FROM orders WHERE customer_id=10 AND quantity>20"
                                        << "select * from orders where customer_id = ? and quantity > ?";
        QTest::newRow("manual's second") << false << "SELECT * FROM orders WHERE customer_id = 20 AND quantity > 100"
                                         << "select * from orders where customer_id = ? and quantity > ?";
        QTest::newRow("list") << false << "select a from t where b in (1, -2,'x')"
                              << "select a from t where b in (...)";
        QTest::newRow("list of one") << false << "select a from t where b in (1)"
                                     << "select a from t where b in (...)";
        QTest::newRow("rows") << false << "insert into t values (1,'a'), (2,'b'),(3,NULL);"
                              << "insert into t values (...)";
        QTest::newRow("comments") << false << "select /* 1 */ 1 -- x\n, 2 # y"
                                  << "select ?, ?";
        QTest::newRow("escapes") << false << "select 'it\\'s', \"a\"\"b\", 'c''d' from `A b`"
                                 << "select ?, ?, ? from `A b`";
        QTest::newRow("numbers") << false << "select 1e-5, .5, 0x1F, x'1f' from t1"
                                 << "select ?, ?, ?, ? from t1";
        QTest::newRow("null") << false << "select 1 where a is not null and b = null"
                              << "select ? where a is not null and b = ?";
        QTest::newRow("cut off") << false << "select 'abc"
                                 << "select ?";
        QTest::newRow("names in quotes") << true
                                         << "SELECT \"Name\" FROM T WHERE a = E'\\'' AND b = $tag$x'y$tag$ AND c = $1"
                                         << "select \"Name\" from t where a = ? and b = ? and c = ?";
        QTest::newRow("backslash") << true << "select 'a\\', 5"
                                   << "select ?, ?";
        QTest::newRow("cast") << true << "select '5'::int"
                              << "select ? :: int";
    }
    void digests()
    {
        QFETCH(bool, standard);
        QFETCH(QString, statement);
        QFETCH(QString, digest);
        const Quoting quoting = standard ? Quoting::Standard : Quoting::BackslashAndBackquote;
        QCOMPARE(QString::fromStdString(digestOf(statement.toStdString(), quoting)), digest);
    }

    void parametersBecomeValues()
    {
        QCOMPARE(recorded::withParameters("select '$1', $2, $1 from a$1 -- $1", "$1 = 'it''s, ok', $2 = NULL"),
                 std::string("select '$1', NULL, 'it''s, ok' from a$1 -- $1"));
        QCOMPARE(recorded::withParameters("select $3", "$1 = '1'"), std::string("select $3"));
    }

    // The form of MySQL 8: a time in each line.
    void generalLog()
    {
        const std::string file = written(
            "general.log", "/usr/sbin/mysqld, Version: 8.0.36 (Server). started with:\nTcp port: 3306  Unix socket: x\n"
                           "Time                 Id Command    Argument\n"
                           "2026-11-28T05:50:00.000000Z\t    8 Connect\troot@localhost on test using Socket\n"
                           "2026-11-28T05:50:00.500000Z\t    8 Query\tselect a\nfrom t\nwhere b = 1\n"
                           "2026-11-28T05:50:01.000000Z\t    9 Prepare\tselect a from t where b = ?\n"
                           "2026-11-28T05:50:02.250000Z\t    9 Execute\tselect a from t where b = 7\n"
                           "2026-11-28T05:50:03.000000Z\t    8 Quit\t\n"
                           "2026-11-28T05:50:04.000000Z\t    9 Query\tselect 'cut o");
        const RecordingSummary summary = must(summariseRecording(file));
        QCOMPARE(summary.format, std::string("mysql-general"));
        QCOMPARE(summary.statements, 2);
        QCOMPARE(summary.sessions, 2);
        QCOMPARE(summary.length, 1.75);
        QVERIFY(!summary.timed);
        QCOMPARE(kindOf(summary, "select a from t where b = ?").statements, 2);
        QCOMPARE(summary.kinds.front().name, std::string("select_t"));
        QCOMPARE(skippedOf(summary, "Prepare"), 1);
        QCOMPARE(skippedOf(summary, "Quit"), 1);
        QCOMPARE(skippedOf(summary, "cut off at the end of the file"), 1);
    }

    // Percona's form has more lines and the error's number.
    void slowLog()
    {
        const std::string file =
            written("slow.log",
                    "# Time: 2026-11-28T05:50:10.500000Z\n# User@Host: root[root] @ localhost []  Id:    12\n"
                    "# Schema: test  Last_errno: 0  Killed: 0\n"
                    "# Query_time: 0.500000  Lock_time: 0.000001  Rows_sent: 3  Rows_examined: 10  Rows_affected: 0\n"
                    "# Bytes_sent: 70\nuse test;\nSET timestamp=1795845010;\nselect a from t\n# why: so\nwhere b = 5;\n"
                    "# Time: 2026-11-28T05:50:12.000000Z\n# User@Host: root[root] @ localhost []  Id:    13\n"
                    "# Schema: test  Last_errno: 1146  Killed: 0\n"
                    "# Query_time: 0.250000  Lock_time: 0.000000  Rows_sent: 0  Rows_examined: 0\n"
                    "SET timestamp=1795845012;\nselect a from none;\n"
                    "# User@Host: root[root] @ localhost []  Id:    13\n"
                    "# Query_time: 0.000001  Lock_time: 0.000000  Rows_sent: 0  Rows_examined: 0\n"
                    "SET timestamp=1795845012;\n# administrator command: Quit;\n");
        const RecordingSummary summary = must(summariseRecording(file));
        QCOMPARE(summary.format, std::string("mysql-slow"));
        QCOMPARE(summary.statements, 2);
        QCOMPARE(summary.sessions, 2);
        QCOMPARE(summary.length, 1.75); // from 10.0 to 11.75
        QCOMPARE(summary.kinds.size(), std::size_t(2));
        QCOMPARE(summary.kinds.front().digest, std::string("select a from t where b = ?"));
        QCOMPARE(summary.kinds.front().seconds, 0.5);
        QCOMPARE(summary.kinds.front().failed, 0);
        QCOMPARE(kindOf(summary, "select a from none").failed, 1);
        QCOMPARE(skippedOf(summary, "administrator command"), 1);
    }

    // Values of an execution, a duration in a row of its own, an error after its statement, a row that is cut off.
    void csvLog()
    {
        const auto row = [](const char* time, const char* session, const char* severity, const QByteArray& message,
                            const QByteArray& detail = {}, const QByteArray& query = {}) {
            return QByteArray("2026-11-28 05:50:") + time + " UTC,\"u\",\"d\",77,\"[local]\"," + session +
                   ",1,\"SELECT\",2026-11-28 05:00:00 UTC,3/2,0," + severity + ",00000,\"" + message + "\",\"" +
                   detail + "\",,,,,\"" + query + "\",,,\"psql\",\"client backend\",,0\n";
        };
        QByteArray text =
            row("10.250", "a.1", "LOG", "duration: 250.000 ms  statement: select \"\"A\"\"\nfrom t where b = 1");
        text += row("11.000", "a.2", "LOG", "duration: 0.1 ms  parse s: select $1");
        text += row("11.000", "a.2", "LOG", "execute s: select x from t where y = $1", "parameters: $1 = '5'");
        text += row("11.500", "a.2", "LOG", "duration: 500.0 ms");
        text += row("12.000", "a.1", "LOG", "statement: select * from none");
        text += row("12.000", "a.1", "ERROR", "relation does not exist", {}, "select * from none");
        text += row("12.000", "a.1", "LOG", "checkpoint starting: time");
        text += "2026-11-28 05:50:13.000 UTC,\"u\",\"d\",77,\"[local";
        const RecordingSummary summary = must(summariseRecording(written("log.csv", text)));
        QCOMPARE(summary.format, std::string("postgresql-csv"));
        QCOMPARE(summary.statements, 3);
        QCOMPARE(summary.sessions, 2);
        QCOMPARE(summary.length, 2.0); // from 10.0 to 12.0
        QCOMPARE(kindOf(summary, "select \"A\" from t where b = ?").seconds, 0.25);
        QCOMPARE(kindOf(summary, "select x from t where y = ?").seconds, 0.5);
        QCOMPARE(kindOf(summary, "select * from none").failed, 1);
        QCOMPARE(skippedOf(summary, "steps before a statement's execution"), 1);
        QCOMPARE(skippedOf(summary, "other messages"), 1);
        QCOMPARE(skippedOf(summary, "cut off at the end of the file"), 1);
    }

    void othersAreRefused()
    {
        QVERIFY(!summariseRecording(written("other.txt", "a letter\nof two lines\n")));
        QVERIFY(!summariseRecording(m_folder.filePath("missing").toStdString()));
        QVERIFY(!summariseRecording(m_folder.path().toStdString()));
        QVERIFY(!summariseRecording(written("empty.log", {}), "no-such-form"));
        QCOMPARE(must(summariseRecording(written("empty.log", {}), "mysql-slow")).statements, 0);
    }

    void logsOfMariadb()
    {
        if (const std::string why = MariadbFixture::whyMissing(true); !why.empty())
            QSKIP(why.c_str());
        MariadbFixture server;
        const auto started = server.startOnNetwork(
            {.options = {"--general-log=1", "--general-log-file=general.log", "--slow-query-log=1",
                         "--slow-query-log-file=slow.log", "--long-query-time=0"}});
        QVERIFY2(started, started ? "" : started.error().text().c_str());
        const auto admin = must(server.admin());
        QVERIFY(admin->execute("CREATE TABLE recorded_t (id INT PRIMARY KEY, word VARCHAR(20))"));
        QVERIFY(admin->execute("INSERT INTO recorded_t VALUES (1, 'it''s'), (2, 'a\nb')"));
        for (const char* id : {"1", "2", "3"})
            QVERIFY(admin->query(std::string("SELECT word FROM recorded_t WHERE id = ") + id));
        QVERIFY(admin->query("SELECT word, SLEEP(0.2) FROM recorded_t WHERE id = 2"));
        const std::string folder = must(admin->variable("datadir"));
        for (const char* name : {"general", "slow"}) {
            const RecordingSummary summary = must(summariseRecording(folder + "/" + name + ".log"));
            QCOMPARE(summary.format, std::string("mysql-") + name);
            const RecordedKind reads = kindOf(summary, "select word from recorded_t where id = ?");
            QCOMPARE(reads.statements, 3);
            QCOMPARE(reads.name, std::string("select_recorded_t"));
            QCOMPARE(kindOf(summary, "insert into recorded_t values (...)").statements, 1);
            const double slept = kindOf(summary, "select word, sleep (?) from recorded_t where id = ?").seconds;
            QVERIFY(summary.timed ? slept >= 0.2 && slept < 5 : slept == 0);
            QCOMPARE(summary.timed, std::string_view(name) == "slow");
        }
    }

    void logOfPostgresql()
    {
        PostgresqlFixture server;
        DYNO_START_POSTGRESQL(server, {.settings = {"logging_collector=on", "log_destination=csvlog",
                                                    "log_filename='recorded.log'", "log_min_duration_statement=0"}});
        const auto admin = must(server.admin());
        QVERIFY(admin->execute("CREATE TABLE recorded_t (id INT PRIMARY KEY, word TEXT)"));
        QVERIFY(admin->execute("INSERT INTO recorded_t VALUES (1, 'it''s \"so\"'), (2, E'a\nb')"));
        for (const char* id : {"1", "2", "3"})
            QVERIFY(admin->query(std::string("SELECT word FROM recorded_t WHERE id = ") + id));
        QVERIFY(!admin->query("SELECT nothing FROM recorded_t"));
        const std::string file = (server.folder() / "data" / "log" / "recorded.csv").string();
        RecordingSummary summary;
        const auto seen = [&] {
            summary = must(summariseRecording(file, "postgresql-csv"));
            return kindOf(summary, "select nothing from recorded_t").failed == 1;
        };
        QTRY_VERIFY(QFile::exists(QString::fromStdString(file)));
        QTRY_VERIFY(seen()); // another process writes it
        const RecordedKind reads = kindOf(summary, "select word from recorded_t where id = ?");
        QCOMPARE(reads.statements, 3);
        QVERIFY(reads.seconds > 0 && reads.seconds < 5);
        QCOMPARE(kindOf(summary, "insert into recorded_t values (...)").statements, 1);
    }
};

} // namespace dyno::tst_recorded_logs

DYNO_SUITE(tst_recorded_logs, dyno::tst_recorded_logs::TstRecordedLogs)
#include "tst_recorded_logs.moc"
