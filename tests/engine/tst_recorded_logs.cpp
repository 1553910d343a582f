// SPDX-License-Identifier: GPL-3.0-or-later
// Logs that real servers write of known statements, logs in the forms of others, and what tells kinds apart.
#include "recording_sink.h"
#include "support/mariadb_fixture.h"
#include "support/mongo_fixture.h"
#include "support/must.h"
#include "support/postgresql_fixture.h"
#include "support/suite.h"
#include "workload/recorded/digest.h"

#include <dyno/recording.h>

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <fmt/format.h>

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

    //! The notes of a run of the log `file` on a server.
    static QString notesOfRun(const std::string& uri, Settings params, const std::string& file)
    {
        Plan plan = smallPlan(uri, "recorded");
        params.emplace("file", file);
        params.emplace("speed", 100.0);
        plan.workload.params = std::move(params);
        plan.load.users = {1};
        plan.load.timeSeconds = 30; // it ends by itself
        RunnerOptions options;
        options.consent.allow("all");
        RecordingSink sink;
        runPlan(plan, options, sink);
        QString notes;
        for (const RunSummary& summary : sink.summaries) {
            if (summary.status != RunStatus::Done || summary.seconds > 20)
                notes += QString("ended otherwise: %1\n").arg(summary.reason.c_str());
        }
        for (const auto& events : sink.events) {
            for (const RunEvent& event : events)
                notes += QString::fromStdString(event.text) + "\n";
        }
        return notes;
    }
    std::string copied(const std::string& file)
    {
        const QString copy = m_folder.filePath(QString::fromStdString(file).section('/', -1) + ".copy");
        if (!QFile::copy(QString::fromStdString(file), copy))
            qFatal("the log cannot be copied");
        return copy.toStdString();
    }
    std::string written(const char* name, const QByteArray& text)
    {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("the file cannot be written");
        return file.fileName().toStdString();
    }

    //! Two reads of a kind, and one of each other operation. Written with ' for ".
    std::string profileFile(bool canonical)
    {
        const auto number = [&](const char* kind, const std::string& value) {
            return canonical ? fmt::format("{{'${}':'{}'}}", kind, value) : value;
        };
        const auto line = [&](const std::string& milliseconds, const char* operation, const std::string& command,
                              const std::string& more = {}, const char* account = "app@admin",
                              const char* space = "shop.words") {
            const std::string date =
                canonical ? fmt::format("{{'$numberLong':'17958450{}'}}", milliseconds)
                          : fmt::format("'2026-11-28T05:50:{}.{}Z'", milliseconds.substr(0, 2), milliseconds.substr(2));
            return fmt::format("{{'op':'{}','ns':'{}','command':{}{},'numYield':{},'protocol':'op_msg',"
                               "'ts':{{'$date':{}}},'client':'127.0.0.1','allUsers':[],'user':'{}'}}\n",
                               operation, space, command, more, number("numberInt", "0"), date, account);
        };
        const auto session = [](const char* id) {
            return fmt::format(
                "'lsid':{{'id':{{'$binary':{{'base64':'{}','subType':'04'}}}}}},"
                "'$clusterTime':{{'clusterTime':{{'$timestamp':{{'t':1795845001,'i':1}}}}}},'$db':'shop'}}",
                id);
        };
        const std::string one = number("numberInt", "1"), none = number("numberInt", "0");
        const std::string find = "{'find':'words','filter':{'_id':" + one +
                                 ",'seen':{'$gt':" + number("numberLong", "3") + "}},'limit':" + one + "," +
                                 session("AAAA");
        const std::string whole = ",'cursorExhausted':true,'nreturned':" + one;
        std::string text = line("10000", "query", find, whole + ",'millis':" + number("numberInt", "250"));
        text += line("10100", "query", find, ",'millis':" + none, "else@admin");
        text += line("10200", "command",
                     "{'aggregate':'words','pipeline':[{'$match':{'_id':{'$in':[" + one + "," + one +
                         "]}}},{'$out':'copy'}],'cursor':{}," + session("AAAA"));
        text += line("10300", "command", "{'count':'words','query':{'none':null}," + session("BBBB"),
                     ",'errMsg':'interrupted','errCode':" + number("numberInt", "11601"));
        text += line("10400", "command", "{'distinct':'words','key':'seen'," + session("BBBB"));
        text += line("10500", "insert", "{'insert':'words','ordered':true," + session("BBBB"));
        text += line("10600", "update",
                     "{'q':{'_id':" + one + "},'u':{'$set':{'word':'it is'}},'multi':false,'upsert':false}");
        text += line("10700", "getmore", "{'getMore':" + number("numberLong", "5") + ",'collection':'words'}");
        text += line("10800", "query", "{'$truncated':'{ find: \\'words\\', filter: { a: 1'}");
        text += line("10900", "query", "{'find':'words','tailable':true," + session("BBBB"));
        text += line("11000", "command", "{'aggregate':'words','pipeline':[{'$changeStream':{}}],'cursor':{}}");
        text += line("11100", "query", "{'find':'system.profile','filter':{}}", {}, "app@admin", "shop.system.profile");
        text += line("11200", "command", "{'explain':{'find':'words'}}");
        text += line("12750", "remove", "{'q':{'_id':" + one + "},'limit':" + one + "}");
        text += "{'op':'query','ns':'shop.wor";
        std::ranges::replace(text, '\'', '"');
        return written(canonical ? "canonical.json" : "relaxed.json", QByteArray::fromStdString(text));
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

    //! Each operation that a profile of MongoDB has, in both forms that mongoexport writes. The form is that of the
    //! manual's page "Database Profiler Output".
    void profile_data()
    {
        QTest::addColumn<bool>("canonical");
        QTest::newRow("relaxed") << false;
        QTest::newRow("canonical") << true;
    }
    void profile()
    {
        QFETCH(bool, canonical);
        const RecordingSummary summary = must(summariseRecording(profileFile(canonical)));
        QCOMPARE(summary.format, std::string("mongodb-profile"));
        QCOMPARE(summary.statements, 7);
        QCOMPARE(summary.sessions, 3); // updates and deletes do not say whose they are
        QCOMPARE(summary.length, 3.0); // from 9.75 to 12.75
        const RecordedKind find = kindOf(summary, "find words {filter: {_id: ?, seen: {$gt: ?}}, limit: ?}");
        QCOMPARE(find.statements, 2);
        QCOMPARE(find.name, std::string("find_words"));
        QCOMPARE(find.seconds, 0.25);
        QCOMPARE(find.failed, 0);
        QCOMPARE(
            kindOf(summary, "aggregate words {pipeline: [{$match: {_id: {$in: [?]}}}, {$out: ?}], cursor: {}}").name,
            std::string("aggregate_words"));
        QCOMPARE(kindOf(summary, "count words {query: {none: ?}}").failed, 1);
        QCOMPARE(kindOf(summary, "distinct words {key: ?}").statements, 1);
        QCOMPARE(
            kindOf(summary, "update words {updates: [{q: {_id: ?}, u: {$set: {word: ?}}, multi: ?, upsert: ?}]}").name,
            std::string("update_words"));
        QCOMPARE(kindOf(summary, "delete words {deletes: [{q: {_id: ?}, limit: ?}]}").statements, 1);
        QCOMPARE(skippedOf(summary, "inserts of which the log has no documents"), 1);
        QCOMPARE(skippedOf(summary, "later parts of answers"), 1);
        QCOMPARE(skippedOf(summary, "commands that the server cut short"), 1);
        QCOMPARE(skippedOf(summary, "queries that wait for more"), 2);
        QCOMPARE(skippedOf(summary, "other operations"), 1);
        QCOMPARE(skippedOf(summary, "other commands"), 1);
        QCOMPARE(skippedOf(summary, "cut off at the end of the file"), 1);
    }

    void profileIsRunAgain()
    {
        MongoFixture server;
        DYNO_START_MONGO(server);
        const auto admin = must(server.admin());
        const std::string insert =
            R"({"insert": "words", "documents": [{"_id": 1, "seen": 5}, {"_id": 2, "seen": 1}]})";
        QVERIFY(admin->execute(insert));
        const std::string log = profileFile(true);
        QString notes = notesOfRun(server.uriText(), {{"account", std::string("app")}}, log);
        QVERIFY2(notes.contains("skipped from the recording: "), qPrintable(notes));
        QVERIFY2(notes.contains("statements that may do more than read (3)"), qPrintable(notes));
        QVERIFY2(notes.contains("statements of other accounts (1)"), qPrintable(notes));
        QVERIFY2(notes.contains("failed, and not in the recording: 0 of 3"), qPrintable(notes));
        QVERIFY2(notes.contains("failed only in the recording: 1 of 3, such as count_words"), qPrintable(notes));
        QVERIFY2(notes.contains("another number of rows than recorded: 0 of 1"), qPrintable(notes));
        QVERIFY2(!notes.contains("ended otherwise"), qPrintable(notes));
        const auto count = [&] { return must(admin->query(R"({"find": "words", "filter": {}})")).size(); };
        QCOMPARE(count(), std::size_t(2));
        notes = notesOfRun(server.uriText(), {{"writes", true}, {"database", std::string("shop")}}, log);
        QCOMPARE(count(), std::size_t(1)); // one is deleted
        const auto started = std::string("sqlite:") + m_folder.filePath("other.db").toStdString();
        notes = notesOfRun(started, {}, log);
        QVERIFY2(notes.contains("the log holds commands on documents, and the target takes SQL"), qPrintable(notes));
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

        // Run again on the same rows, nothing differs; without one of them, its query does.
        const std::string slow = copied(folder + "/slow.log");
        const Settings params{{"database", server.database()}};
        QString notes = notesOfRun(server.uriText(), params, slow);
        QVERIFY2(notes.contains("another number of rows than recorded: 0 of "), qPrintable(notes));
        QVERIFY2(!notes.contains("ended otherwise"), qPrintable(notes));
        QVERIFY2(notes.contains("statements that may do more than read ("), qPrintable(notes));
        QVERIFY(admin->execute("DELETE FROM recorded_t WHERE id = 1"));
        notes = notesOfRun(server.uriText(), params, slow);
        QVERIFY2(notes.contains(
                     QRegularExpression("another number of rows than recorded: 1 of \\d+, such as select_recorded_t")),
                 qPrintable(notes));
        // What is not told to write cannot.
        const std::string reads = written(
            "read-only.log",
            "# Time: 261128  5:50:01\n# User@Host: root[root] @ localhost []\n# Thread_id: 9  Schema:   QC_hit: No\n"
            "# Query_time: 0.000100  Lock_time: 0.000000  Rows_sent: 1  Rows_examined: 0\n"
            "SET timestamp=1795845001;\nSELECT 1 FROM DUAL WHERE @@tx_read_only = 1;\n");
        notes = notesOfRun(server.uriText(), {}, reads);
        QVERIFY2(notes.contains("another number of rows than recorded: 0 of 1"), qPrintable(notes));
        notes = notesOfRun(server.uriText(), {{"writes", true}}, reads);
        QVERIFY2(notes.contains("another number of rows than recorded: 1 of 1"), qPrintable(notes));
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

        // What failed then fails again, and what only reads does not; keys that are there already are refused.
        const std::string copy = copied(file);
        Settings params{{"database", server.database()}};
        QString notes = notesOfRun(server.uriText(), params, copy);
        QVERIFY2(notes.contains("that failed, and not in the recording: 0 of "), qPrintable(notes));
        QVERIFY2(notes.contains("that failed only in the recording: 0 of "), qPrintable(notes));
        QVERIFY2(!notes.contains("ended otherwise"), qPrintable(notes));
        QVERIFY(admin->execute("ALTER TABLE recorded_t ADD COLUMN nothing INT"));
        params.emplace("writes", true);
        notes = notesOfRun(server.uriText(), params, copy);
        QVERIFY2(notes.contains("that failed only in the recording: 1 of "), qPrintable(notes));
        QVERIFY2(!notes.contains("that failed, and not in the recording: 0 of "), qPrintable(notes));
        QCOMPARE(must(admin->query("SELECT COUNT(*) FROM recorded_t")).front().front(), std::string("2"));
    }
};

} // namespace dyno::tst_recorded_logs

DYNO_SUITE(tst_recorded_logs, dyno::tst_recorded_logs::TstRecordedLogs)
#include "tst_recorded_logs.moc"
