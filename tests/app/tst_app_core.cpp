// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the window and the command line share.
#include "../../app/core/option_file.h"
#include "../../app/core/plan_source.h"
#include "../../app/core/session_text.h"
#include "../../app/core/text_table.h"
#include "support/suite.h"

#include <dyno/catalog.h>
#include <dyno/library.h>

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <fstream>

namespace dyno::tst_app_core {

class TestAppCore : public QObject
{
    Q_OBJECT

private slots:
    void tableAlignsUtf8()
    {
        TextTable table({"name", ">value"});
        table.add({"µ", "1"});
        table.add({"ab", "22\n3"});
        QCOMPARE(table.text(), std::string("name  value\nµ         1\nab     22 3\n"));
    }

    //! Percentiles in the table are of all transactions of a point, as everywhere else, and it says so.
    void tableMergesTheTimesOfRepeats()
    {
        StoredSession session;
        PointSpec point;
        point.workload.name = "w";
        point.load.users = {4};
        session.header.points = {point};
        // p95 of 100 transactions of 10 ms; of 90 and 10 of 100 ms it is 100 ms; of all 200 it is 10 ms.
        for (const std::uint64_t slow : {0U, 10U}) {
            StoredRun run;
            run.summary.repeat = slow > 0 ? 2 : 1;
            run.summary.status = RunStatus::Done;
            run.summary.tps = 100;
            run.summary.transactions = 100;
            run.summary.times.service.record(10'000'000, 100 - slow);
            if (slow > 0)
                run.summary.times.service.record(100'000'000, slow);
            run.summary.service = run.summary.response = summarize(run.summary.times.service);
            session.runs.push_back(run);
        }
        const QString text = QString::fromStdString(pointTable(session));
        QVERIFY2(text.contains(QStringLiteral("latencies: of all transactions of the runs together")),
                 qPrintable(text));
        const QStringList cells = text.section('\n', 1, 1).simplified().split(' ');
        const double p95 = cells.at(7).toDouble();
        QVERIFY2(p95 > 9.8 && p95 < 10.2, qPrintable(text));
    }

    //! What figures cannot tell stands below them.
    void warningsTellWhatIsMissing()
    {
        StoredSession session;
        PointSpec point;
        point.cases = {{"engine", "B"}};
        point.load.users = {8};
        point.load.rows = 4'000'000;
        session.header.points = {point};
        StoredRun run;
        run.summary.status = RunStatus::Done;
        run.summary.seconds = 120;
        run.summary.rows = 4'000'000;
        run.summary.transactions = 700;
        run.summary.arrivals = 708;
        session.runs = {run};
        QCOMPARE(warningsText(session), std::string());
        session.runs[0].summary.rows = 1'200'000;
        session.runs[0].summary.arrivals = 1700;
        session.runs[0].summary.backlog = 1000;
        QCOMPARE(QString::fromStdString(warningsText(session)),
                 QStringLiteral(
                     "run 1 of B: stopped at 120 s with 1\u202f200\u202f000 of 4\u202f000\u202f000 rows; how long all "
                     "of them take is not known\n"
                     "run 1 of B: 1000 of 1700 arrivals not served by the end; their times are in no percentile\n"));
    }

    void shortensByCharacters()
    {
        QCOMPARE(shortened("äöü", 3), std::string("äöü"));
        QCOMPARE(shortened("äöüß", 3), std::string("äö…"));
    }

    void figures_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("zero") << 0.0 << "0";
        QTest::newRow("small") << 0.01234 << "0.0123";
        QTest::newRow("one") << 1.234 << "1.23";
        QTest::newRow("ten") << 12.34 << "12.3";
        QTest::newRow("hundred") << 123.4 << "123";
        QTest::newRow("thousand") << 1234.5 << "1 234";
        QTest::newRow("million") << 1234567.0 << "1 234 567";
        QTest::newRow("negative") << -1234.0 << "-1 234";
        QTest::newRow("nothing") << double(NAN) << "-";
    }
    void figures()
    {
        QFETCH(double, value);
        QFETCH(QString, text);
        QCOMPARE(QString::fromStdString(figure(value)), text);
    }

    void durations()
    {
        QCOMPARE(durationText(1.25), std::string("1.2 s"));
        QCOMPARE(durationText(59), std::string("59 s"));
        QCOMPARE(durationText(60), std::string("1 min"));
        QCOMPARE(durationText(75), std::string("1 min 15 s"));
        QCOMPARE(durationText(3660), std::string("1 h 1 min"));
        QCOMPARE(bytesText(10.0 * 1024 * 1024), std::string("10.0 MiB"));
    }

    void readsOptionFiles()
    {
        QTemporaryDir dir;
        const auto file = [&](const char* text) {
            const std::filesystem::path path = dir.filePath("my.cnf").toStdString();
            std::ofstream(path) << text;
            return passwordFromOptionFile(path);
        };
        QCOMPARE(*file("[mysqld]\npassword=wrong\n[client]\n# password=no\nuser = u\npassword = \"p w\\\\x\"\n"),
                 std::string("p w\\x"));
        QCOMPARE(*file("[client]\npassword=a\n[dyno]\npassword=b=c\n"), std::string("b=c"));
        const auto none = file("[mysqld]\npassword=s3cret\n");
        QVERIFY(!none.has_value());
        QVERIFY(none.error().text().find("s3cret") == std::string::npos);
        QVERIFY(!passwordFromOptionFile(dir.path().toStdString()).has_value());
        QVERIFY(!passwordFromOptionFile(dir.filePath("missing").toStdString()).has_value());
        const std::string library = dir.filePath("l.dynolib").toStdString();
        QVERIFY(Library::open(library, Library::Mode::ReadWrite));
        const auto sessions = passwordFromOptionFile(library);
        QVERIFY(!sessions.has_value() && sessions.error().text().find("holds sessions") != std::string::npos);
    }

    //! A plan says whom it connects to; it does not say whose password a file holds.
    void optionFilesAreForTheirAccount_data()
    {
        QTest::addColumn<QString>("lines");
        QTest::addColumn<QString>("target");
        QTest::addColumn<bool>("given");
        const auto row = [](const char* lines, const char* target, bool given) {
            QTest::addRow("%s | %s", lines, target) << lines << target << given;
        };
        row("", "mysql://ann@db1/d", true);
        row("user=ann", "mysql://ann@db1/d", true);
        row("user=ann", "mysql://bob@db1/d", false);
        row("user=ann", "mysql://db1/d", false);
        row("user=ann", "mysql://ann@/d?socket=/run/s", true);
        row("host=db1", "mysql://ann@DB1/d", true);
        row("host=db1", "mysql://ann@db2/d", false);
        row("host=db1", "mysql://ann@localhost/d", false);
        row("host=db1", "mysql://ann@/d?socket=/tmp/evil", false);
        row("host=localhost", "mysql://ann@127.0.0.1:3306/d", true);
        row("host=localhost", "mysql://ann@db1/d", false);
        row("host=localhost", "mysql://ann@localhost/d?socket=/tmp/evil", false);
        row("port=3306", "mysql://ann@db1/d", true);
        row("port=3307", "mysql://ann@db1/d", false);
        row("host=db1\nport=3307\nuser=ann", "mysql://ann@db1:3307/d", true);
        row("host=db1\nport=3307\nuser=ann", "mysql://ann@db1:3308/d", false);
        row("port=many", "mysql://ann@db1/d", false);
        row("socket=/run/s", "mysql://ann@/d?socket=/run/s", true);
        row("socket=/run/s", "mysql://ann@/d?socket=/tmp/evil", false);
        row("socket=/run/s", "mysql://ann@localhost/d", true);
        row("socket=/run/s", "mysql://ann@db1/d", false);
    }
    void optionFilesAreForTheirAccount()
    {
        QFETCH(QString, lines);
        QFETCH(QString, target);
        QFETCH(bool, given);
        const auto uri = parseUri(target.toStdString());
        if (!uri)
            QSKIP("this build has no driver of that kind");
        QTemporaryDir dir;
        const std::filesystem::path file = dir.filePath("my.cnf").toStdString();
        std::ofstream(file) << "[client]\n" << lines.toStdString() << "\npassword=s3cret\n";
        const auto password = passwordFromOptionFile(file, *uri);
        QCOMPARE(password.has_value(), given);
        QCOMPARE(passwordFromOptionFile(file, std::nullopt).has_value(), lines.isEmpty());
        if (!password) {
            QVERIFY2(password.error().message.find("is for") != std::string::npos, password.error().text().c_str());
            QVERIFY(password.error().text().find("s3cret") == std::string::npos);
        }
        // A password of our own section is not of the other section's account.
        std::ofstream(file) << "[client]\n" << lines.toStdString() << "\npassword=s3cret\n[dyno]\npassword=ours\n";
        QCOMPARE(passwordFromOptionFile(file, *uri).value_or(""), std::string("ours"));
    }

    void guessesTheScopeOfAKnob()
    {
        QCOMPARE(*qualifiedKnob("sqlite", "synchronous"), std::string("connection.synchronous"));
        QCOMPARE(*qualifiedKnob("sqlite", "connection.synchronous"), std::string("connection.synchronous"));
        const auto unknown = qualifiedKnob("sqlite", "no_such_knob");
        QVERIFY(!unknown.has_value());
        QVERIFY(unknown.error().kind == ErrorKind::BadInput);
    }

    void relativePathsMeanTheFolderOneIsIn()
    {
        Plan plan;
        plan.target.uri = "sqlite:data/a.db";
        plan.axes = {{"file",
                      {{"b", {{"target.uri", std::string("sqlite:../b.db")}}, 0},
                       {"c", {{"target.uri", std::string("null:")}}, 0}},
                      0}};
        resolvePaths(plan, "/some/folder");
        QCOMPARE(plan.target.uri, std::string("sqlite:/some/folder/data/a.db"));
        QCOMPARE(toText(plan.axes[0].cases[0].set.at("target.uri")), std::string("sqlite:/some/b.db"));
        QCOMPARE(toText(plan.axes[0].cases[1].set.at("target.uri")), std::string("null:"));
        plan.target.uri = "sqlite:";
        resolvePaths(plan, "/some/folder");
        QCOMPARE(plan.target.uri, std::string("sqlite:"));
    }

    //! What was done, with its times; what was not done has no line, what is not told a dash.
    void runTextListsOperations()
    {
        StoredRun run;
        OperationSummary load, search, never;
        load.name = "load";
        load.count = 1;
        load.service = {.meanMs = 150, .p95Ms = 150, .maxMs = 150, .minMs = std::nan("")};
        search.name = "phrase";
        search.count = 10;
        search.errors = 2;
        search.service = {.meanMs = 2.5, .p95Ms = 4, .maxMs = 5, .minMs = 1.25};
        never.name = "never";
        run.summary.operations = {load, search, never};
        const QString text = QString::fromStdString(runText({}, run, {})).simplified();
        QVERIFY2(text.contains("operation count min ms mean ms p95 ms max ms errors load 1 - 150 150 150 0 phrase 10 "
                               "1.25 2.50 4.00 5.00 2"),
                 qPrintable(text));
        QVERIFY(!text.contains("never"));
    }

    //! Counters that nobody chose are counted, and listed for who names them.
    void runTextListsCounters()
    {
        StoredRun run;
        run.header.counters = {{"server", "Questions", "statements", true, false},
                               {"server", "Com_insert", "statements", true, true},
                               {"server", "Com_delete", "statements", true, true}};
        IntervalSample sample;
        sample.lengthNs = 1'000'000'000;
        sample.phase = Phase::Measure;
        sample.counters = {100, 7, 0};
        const auto text = [&](const std::vector<std::string>& names) {
            return QString::fromStdString(runText({}, run, {sample, sample}, names)).simplified();
        };
        QVERIFY2(text({}).contains("Questions statements/s 100 100 2 2 more counters are kept"), qPrintable(text({})));
        QVERIFY(!text({}).contains("Com_insert"));
        const QString named = text({"com_ins*", "Com_inert"});
        QVERIFY2(named.contains("Com_insert statements/s 7"), qPrintable(named));
        QVERIFY(named.contains("\"Com_inert\"; near it: Com_insert") && named.contains(" 1 more counters"));
        QVERIFY(!text({"*"}).contains("more counters"));
    }

    void loadsPlansAndRecipes()
    {
        const LoadedPlan recipe = loadPlan({"durability-sqlite", "quick", {"load.users=2", "axis.synchronous=OFF"}});
        QVERIFY(recipe.plan.has_value());
        QCOMPARE(recipe.plan->load.users.size(), std::size_t(1));
        QCOMPARE(recipe.plan->axes[0].cases.size(), std::size_t(1));
        const auto refused = [](const PlanRequest& request, const char* says) {
            const LoadedPlan loaded = loadPlan(request);
            return !loaded.plan && !loaded.faults.empty() &&
                   faultText(loaded.name, loaded.faults.front()).find(says) != std::string::npos;
        };
        QVERIFY(refused({"durability", {}, {}}, "durability-sqlite"));
        QVERIFY(refused({"durability-sqlite", "huge", {}}, "quick"));
        QVERIFY(refused({"durability-sqlite", {}, {"load.users"}}, "NAME=VALUE"));
        QVERIFY(refused({"durability-sqlite", {}, {"load.users=0"}}, "100000"));
        QVERIFY(refused({"durability-sqlite", {}, {"workload.no_such=1"}}, "no_such"));
        QVERIFY(refused({"sqlite:a.db", {}, {}}, "--target"));
        const LoadedPlan secret = loadPlan({"mysql://u:s3cret@h/d", {}, {}});
        QVERIFY(!secret.faults.empty());
        QVERIFY(faultText(secret.name, secret.faults.front()).find("s3cret") == std::string::npos);
    }
};

} // namespace dyno::tst_app_core

DYNO_SUITE(tst_app_core, dyno::tst_app_core::TestAppCore)
#include "tst_app_core.moc"
