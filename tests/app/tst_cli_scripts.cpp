// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The command line for scripts and shells: documents of listings, exit codes, messages, completion, manual pages.
#include "cli_test.h"
#include "support/suite.h"

#include <dyno/catalog.h>
#include <dyno/report.h>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTest>

#include <fcntl.h>
#include <unistd.h>

namespace dyno::tst_cli_scripts {

namespace {

using Result = test::DynoResult;

constexpr int kPatienceMs = 240'000;

//! What a program prints that reads `input`; its exit code.
Result told(const QString& program, const QStringList& arguments, const QByteArray& input = {})
{
    QProcess process;
    process.start(program, arguments);
    process.write(input);
    process.closeWriteChannel();
    Result result;
    if (process.waitForFinished(kPatienceMs))
        result.code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2;
    else
        process.kill();
    result.out = QString::fromUtf8(process.readAllStandardOutput());
    result.err = QString::fromUtf8(process.readAllStandardError());
    return result;
}

QByteArray utf16(const QString& text, bool bigEndian)
{
    QByteArray bytes(bigEndian ? "\xfe\xff" : "\xff\xfe", 2);
    for (const QChar unit : text) {
        const char high = char(unit.unicode() >> 8), low = char(unit.unicode() & 0xff);
        bytes.append(bigEndian ? high : low);
        bytes.append(bigEndian ? low : high);
    }
    return bytes;
}

} // namespace

class TestCliScripts : public QObject, private test::CliRig
{
    Q_OBJECT

    //! `dyno` with its standard output sent where the shell's words say.
    Result redirected(const QStringList& arguments, const char* where) const
    {
        QProcess process;
        test::prepareDyno(process, m_dir, {});
        process.setArguments(QStringList{"-c", QString("exec \"$0\" \"$@\" %1").arg(where), process.program()} +
                             arguments);
        process.setProgram("/bin/sh");
        process.start();
        Result result;
        if (process.waitForFinished(kPatienceMs))
            result.code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2;
        else
            process.kill();
        result.err = QString::fromUtf8(process.readAllStandardError());
        return result;
    }

    QJsonObject document(const QStringList& arguments, int code = 0) const
    {
        const Result result = dyno(arguments);
        if (result.code != code)
            qWarning("%s", qPrintable(arguments.join(' ') + ": " + result.err));
        return result.code == code ? QJsonDocument::fromJson(result.out.toUtf8()).object() : QJsonObject();
    }

    static QStringList named(const QJsonValue& list, const char* key)
    {
        QStringList names;
        for (const QJsonValue& one : list.toArray())
            names.append(one[QLatin1String(key)].toString());
        return names;
    }

private slots:
    void initTestCase() { QVERIFY(m_dir.isValid()); }

    void outputThatCannotBeWritten_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("where");
        QTest::newRow("a short listing") << QStringList{"drivers"} << ">/dev/full";
        QTest::newRow("a long document") << QStringList{"knobs", "--json"} << ">/dev/full";
        QTest::newRow("help") << QStringList{"--help"} << ">/dev/full";
        QTest::newRow("version") << QStringList{"--version"} << ">/dev/full";
        QTest::newRow("no output at all") << QStringList{"drivers"} << ">&-";
    }
    void outputThatCannotBeWritten()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, where);
        if (where.contains("full") && !QFile::exists("/dev/full"))
            QSKIP("there is no /dev/full");
        const Result result = redirected(arguments, where.toUtf8().constData());
        QCOMPARE(result.code, 1);
        QVERIFY2(result.err.contains("standard output could not be written"), qPrintable(result.err));
    }

    //! `dyno … | head -1`: whoever has read enough need not be told.
    void aReaderThatIsGone_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("a short listing") << QStringList{"drivers"};
        QTest::newRow("a long document") << QStringList{"knobs", "--json"};
        QTest::newRow("help") << QStringList{"--help"};
    }
    void aReaderThatIsGone()
    {
        QFETCH(QStringList, arguments);
        int ends[2];
        QVERIFY(::pipe2(ends, O_CLOEXEC) == 0);
        ::close(ends[0]);
        QProcess process;
        test::prepareDyno(process, m_dir, arguments);
        process.setChildProcessModifier([write = ends[1]] { ::dup2(write, STDOUT_FILENO); });
        process.start();
        const bool ended = process.waitForFinished(kPatienceMs);
        ::close(ends[1]);
        QVERIFY(ended && process.exitStatus() == QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 1);
        QCOMPARE(process.readAllStandardError(), QByteArray());
    }

    //! What was measured is in the library all the same, also where the library's file could get the number of the
    //! output.
    void aRunWhoseOutputCannotBeWritten()
    {
        if (!QFile::exists("/dev/full"))
            QSKIP("there is no /dev/full");
        for (const char* where : {">/dev/full", ">&-"}) {
            const QString mine = path("unwritten.dynolib");
            QFile::remove(mine);
            const QStringList run{"run",    "--target", "null:",      "--workload", "oltp_point_select",
                                  "--time", "0.3",      "--interval", "0.1",        "--library",
                                  mine,     "--json"};
            const Result result = redirected(run, where);
            QVERIFY2(result.code == 1, qPrintable(result.err));
            QVERIFY2(result.err.contains("standard output could not be written"), qPrintable(result.err));
            const QJsonArray sessions = document({"sessions", "--json", "--library", mine})["sessions"].toArray();
            QCOMPARE(sessions.size(), 1);
            QCOMPARE(sessions[0]["status"].toString(), QString("done"));
            QCOMPARE(document({"library", "check", "--json", "--library", mine})["problems"].toArray().size(), 0);
        }
    }

    void workloadsOfOnesOwn()
    {
        const QString mine = m_dir.filePath("mine.dynolib"), file = m_dir.filePath("My Shop.sql");
        QFile script(file);
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write("+++\ndefine = \"n=2\"\n[[checks]]\nsql = \"SELECT 2\"\nexpression = \":n\"\n+++\n-- Of the "
                     "shop\nSELECT :n;\n");
        script.close();
        const auto own = [&](const QStringList& more) {
            return dyno(QStringList{"workloads", "--library", mine} + more);
        };
        QCOMPARE(own({"--add", file}).out.trimmed(), QString("my-shop"));
        QVERIFY(own({}).out.contains("Of the shop"));
        QVERIFY(own({"my-shop"}).out.contains("SELECT :n;"));
        const QJsonArray listed = document({"workloads", "--json", "--library", mine})["own"].toArray();
        QCOMPARE(listed.size(), 1);
        QCOMPARE(listed[0]["name"].toString(), QString("my-shop"));
        QStringList run{"run", "--target", "sqlite:", "--workload", "my-shop", "--library", mine, "--time", "0.2s"};
        // In a library that is named it may be anybody's.
        const Result asked = dyno(run);
        QVERIFY2(asked.code == 2 && asked.err.contains("--allow workload.scripts"), qPrintable(asked.err));
        run += {"--allow", "workload.scripts"};
        const Result done = dyno(run);
        QVERIFY2(done.code == 0, qPrintable(done.err));
        const Result near = dyno({"run", "--target", "sqlite:", "--workload", "my-sop", "--library", mine});
        QVERIFY2(near.code == 2 && near.err.contains("\"my-shop\""), qPrintable(near.err));
        QCOMPARE(document({"sessions", "--json", "--library", mine})["sessions"][0]["title"].toString(),
                 QString("my-shop"));
        // What is typed counts more than what the file defines: then its check does not hold.
        const Result wrong = dyno(run + QStringList{"--define", "n=3"});
        QVERIFY(wrong.code != 0);
        QVERIFY2((wrong.out + wrong.err).contains("and 3 was expected"), qPrintable(wrong.out + wrong.err));
        QCOMPARE(dyno(run + QStringList{"--script", file}).code, 2);
        QCOMPARE(own({"--remove", "my-shop"}).code, 0);
        QCOMPARE(dyno(run).code, 2);
        QCOMPARE(own({"--remove", "my-shop"}).code, 2);
        QCOMPARE(own({"--add", file, "--json"}).code, 2);
    }

    void listings()
    {
        QStringList ids;
        for (const WorkloadInfo& one : workloads())
            ids.append(QString::fromStdString(one.id));
        const QJsonObject all = document({"workloads", "--json"});
        QCOMPARE(named(all["workloads"], "id"), ids);
        const QJsonObject one = document({"workloads", "oltp_read_write", "--json"})["workloads"][0].toObject();
        QVERIFY(named(one["params"], "name").contains("table_size"));
        QVERIFY(one["operations"].toArray().contains(QJsonValue("point_select")));
        ids.clear();
        for (const RecipeInfo& recipe : recipes())
            ids.append(QString::fromStdString(recipe.id));
        QCOMPARE(named(document({"recipes", "--json"})["recipes"], "id"), ids);
        QCOMPARE(document({"recipes", "--experiments", "--json"})["experiments"].toArray().size(), 34);
        QVERIFY(!document({"recipes", "commits-sqlite", "--json"})["recipes"][0]["departs"].toArray().isEmpty());
        QVERIFY(document({"recipes", "durability-sqlite", "--json"})["recipes"][0]["plan"].toString().contains(
            "[workload]"));
        QVERIFY(named(document({"drivers", "--json"})["drivers"], "id").contains("sqlite"));
        QVERIFY(named(document({"knobs", "sqlite", "--json"})["knobs"], "path").contains("connection.synchronous"));
        const QJsonArray knob = document({"knobs", "sqlite", "synchronous", "--json"})["knobs"].toArray();
        QCOMPARE(knob.size(), 1);
        QVERIFY(knob[0]["choices"].toArray().contains(QJsonValue("OFF")));
    }

    //! A file of somebody else becomes one of one's own, which can be listed, checked, run and removed like a recipe.
    void ownRecipes()
    {
        const QString file = write(
            "theirs.toml", "title = \"What does it cost?\"\n[target]\nuri = \"null:\"\n[workload]\n"
                           "name = \"oltp_point_select\"\n[load]\nusers = 1\ntime = \"0.2s\"\ninterval = \"0.1s\"\n"
                           "[recipe]\nid = \"durability-sqlite\"\nsummary = \"Theirs\"\n");
        const QStringList beside{"--library", library()};
        const Result added = dyno(QStringList{"recipes", "--add", file} + beside);
        QVERIFY2(added.code == 0, qPrintable(added.err));
        const QString id = added.out.trimmed();
        QCOMPARE(id, QString("added-durability-sqlite")); // never that of one that comes along
        const QJsonArray all = document(QStringList{"recipes", "--json"} + beside)["recipes"].toArray();
        QCOMPARE(all.size(), qsizetype(recipes().size()) + 1);
        QCOMPARE(all.last()["id"].toString(), id);
        QCOMPARE(all.last()["origin"].toString(), QString("added"));
        QCOMPARE(all.first()["origin"].toString(), QString("program"));
        QVERIFY(dyno(QStringList{"recipes"} + beside).out.contains("What does it cost?"));
        QVERIFY(dyno(QStringList{"recipes", id} + beside).out.contains("[workload]"));
        const Result run = dyno(QStringList{"run", id} + beside);
        QVERIFY2(run.code == 0, qPrintable(run.err));

        QCOMPARE(
            dyno(QStringList{"recipes", "--add", write("bad.toml", "[target]\nuri = \"null:\"\ntiem = 1\n")} + beside)
                .code,
            2);
        QCOMPARE(dyno(QStringList{"recipes", "--add", file, "--remove", id} + beside).code, 2);
        QCOMPARE(dyno(QStringList{"recipes", "--remove", "durability-sqlite"} + beside).code, 2);
        QVERIFY(dyno(QStringList{"recipes", "--remove", ""} + beside).code != 0);
        QCOMPARE(dyno(QStringList{"recipes", "--remove", id} + beside).code, 0);
        QCOMPARE(document(QStringList{"recipes", "--json"} + beside)["recipes"].toArray().size(),
                 qsizetype(recipes().size()));
        QCOMPARE(dyno(QStringList{"run", id} + beside).code, 2);
    }

    //! The page in the manual is what the program says today.
    void theManualsPageOfExperimentsIsCurrent()
    {
        const Result now = dyno({"recipes", "--experiments", "--markdown"});
        QCOMPARE(now.code, 0);
        QFile page(DYNO_SOURCE_DIR "/resources/manual/experiments.md");
        QVERIFY(page.open(QIODevice::ReadOnly));
        QVERIFY2(now.out == QString::fromUtf8(page.readAll()),
                 "write `dyno recipes --experiments --markdown` to resources/manual/experiments.md again");
        QCOMPARE(now.out.count("\n## E"), 34);
        QCOMPARE(dyno({"recipes", "--markdown"}).code, 2);
    }

    void measuresAreListed()
    {
        const QJsonArray list = document({"measures", "--json"})["measures"].toArray();
        QCOMPARE(list.size(), qsizetype(measures().size()));
        for (const QJsonValue& one : list)
            QVERIFY(!one["name"].toString().isEmpty() && !one["meaning"].toString().isEmpty());
        const QString table = dyno({"measures"}).out;
        QVERIFY(table.contains("service_p95") && table.contains("p95 service time") && table.contains("counter:NAME"));
    }

    void aPlanIsCheckedAsADocument()
    {
        const QJsonObject good = document({"check", "durability-sqlite", "--json"});
        QCOMPARE(good["faults"].toArray().size(), 0);
        QCOMPARE(good["points"].toArray().size(), 6);
        QCOMPARE(good["runs"].toInt(), 18);
        QVERIFY(good["estimated_s"].toDouble() > 0);
        const QString plan = write(
            "faulty.toml", "[target]\nuri = \"sqlite:\"\n[workload]\nname = \"oltp_raed_only\"\n[load]\nusers = 0\n");
        const QJsonArray faults = document({"check", plan, "--json"}, 2)["faults"].toArray();
        QCOMPARE(faults.size(), 2);
        QCOMPARE(faults[0]["line"].toInt(), 4);
        QVERIFY(faults[0]["remedy"].toString().contains("oltp_read_only"));
    }

    void wrongMeasuresAreFaults_data()
    {
        QTest::addColumn<QString>("measure");
        QTest::addColumn<QString>("says");
        QTest::newRow("mistyped") << "servce_p95"
                                  << "service_p95";
        QTest::newRow("mistyped base") << "servce_p95:point_select"
                                       << "service_p95:point_select";
        QTest::newRow("mistyped operation") << "service_p95:point_selct"
                                            << "service_p95:point_select";
        QTest::newRow("another workload's operation") << "qps:new_order"
                                                      << "dyno workloads oltp_point_select";
        QTest::newRow("nothing like it") << "qqqqqqqq"
                                         << "dyno measures";
        QTest::newRow("no counter") << "counter"
                                    << "counter:NAME";
        QTest::newRow("no rows") << "exit_rate:many"
                                 << "exit_rate:2000000";
        QTest::newRow("no parts") << "rollbacks:purge"
                                  << "\"rollbacks\"";
    }
    void wrongMeasuresAreFaults()
    {
        QFETCH(QString, measure);
        QFETCH(QString, says);
        const auto checked = [this](const QString& name) {
            return dyno(
                {"check",
                 write("measure.toml", "[target]\nuri = \"null:\"\n[workload]\nname = \"oltp_point_select\"\n[[view]]\n"
                                       "chart = \"bars\"\nx = \"users\"\nmeasure = \"" +
                                           name.toUtf8() + "\"\n")});
        };
        const Result wrong = checked(measure);
        QCOMPARE(wrong.code, 2);
        QVERIFY2(wrong.err.contains("view[0].measure") && wrong.err.contains(says), qPrintable(wrong.err));
        const Result right = checked("service_p95:point_select");
        QVERIFY2(right.code == 0, qPrintable(right.err));
        const Result compared = dyno({"compare", "a", "b", "--measure", "servce_p95"});
        QVERIFY2(compared.code == 2 && compared.err.contains("\"service_p95\"") && !compared.err.contains("reconnects"),
                 qPrintable(compared.err));
    }

    void setTakesThePathThatCheckPrints()
    {
        const Result misspelt = dyno({"check", "durability-sqlite", "--set", "workload.tabel_size=100"});
        QCOMPARE(misspelt.code, 2);
        QVERIFY2(misspelt.err.contains("workload.params.tabel_size"), qPrintable(misspelt.err));
        const Result set = dyno({"check", "durability-sqlite", "--set", "workload.params.table_size=100"});
        QVERIFY2(set.code == 0, qPrintable(set.err));
        const QString plan =
            write("axis.toml",
                  "[target]\nuri = \"null:\"\n[workload]\nname = \"oltp_point_select\"\n[[axis]]\nname = \"rows\"\n"
                  "cases = [{ label = \"a\", set = { \"workload.table_size\" = 10 } }]\n");
        QCOMPARE(dyno({"check", plan}).code, 0);
        QVERIFY(dyno({"check", plan, "--set", "workload.params.table_size=100"}).err.contains("axis"));
    }

    void messages_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("says");
        QTest::newRow("unknown command") << QStringList{"runn"} << "no command \"runn\" (did you mean \"run\"?";
        QTest::newRow("unknown command of library")
            << QStringList{"library", "chek"} << "dyno library has no command \"chek\" (did you mean \"check\"?";
        QTest::newRow("unknown command of servers") << QStringList{"servers", "lefft"} << "did you mean \"left\"?";
        QTest::newRow("a file for a command")
            << QStringList{"plan.toml"} << "dyno needs a command, and what stands in its place is none";
        QTest::newRow("an option for a command") << QStringList{"--target", "x"} << "unknown option: --target";
        QTest::newRow("no command of library") << QStringList{"library"} << "dyno library needs a command";
        QTest::newRow("workload") << QStringList{"workloads", "tpccc"} << "did you mean \"tpcc\"?";
        QTest::newRow("knob") << QStringList{"knobs", "sqlite", "synchronos"} << "did you mean \"synchronous\"?";
        QTest::newRow("recipe") << QStringList{"run", "durability-sqlit"} << "did you mean \"durability-sqlite\"?";
        QTest::newRow("manual page") << QStringList{"man", "library", "vacum"} << "did you mean \"vacuum\"?";
        QTest::newRow("shell") << QStringList{"completion", "tcsh"} << "bash, zsh, fish";
        QTest::newRow("run 0") << QStringList{"show", "last", "--run", "0"} << "range 1 to";
        QTest::newRow("parameter like none")
            << QStringList{"check", "durability-sqlite", "--set", "workload.qqqqqqq=1"} << "no parameter \"qqqqqqq\"";
    }
    void messages()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, says);
        const Result result = dyno(arguments);
        QCOMPARE(result.code, 2);
        QVERIFY2(result.err.contains(says), qPrintable(result.err));
        QVERIFY2(result.err.size() < 300, qPrintable(result.err)); // one likely word, not all there are
        QVERIFY(result.out.isEmpty());
    }

    //! Choices that have no name yet are none.
    void emptyChoicesAreNotListed()
    {
        const QString plan =
            write("unnamed.toml",
                  "[target]\nuri = \"null:\"\n[workload]\nname = \"oltp_point_select\"\n[[axis]]\nname = \"rows\"\n"
                  "cases = [{ label = \"\", set = { \"workload.table_size\" = 10 } },"
                  " { label = \"\", set = { \"workload.table_size\" = 20 } }]\n"
                  "[[skip]]\ncases = { rows = \"big\" }\n");
        const Result result = dyno({"check", plan});
        QCOMPARE(result.code, 2);
        QVERIFY2(result.err.contains("no case \"big\"") && !result.err.contains(", ,") &&
                     !result.err.contains("one of: )") && !result.err.contains("one of: ,"),
                 qPrintable(result.err));
    }

    void aTargetThatWasNeverReachedLeavesNothing()
    {
        const QString mine = path("unreached.dynolib");
        const QStringList run{"run",        "--target",          "sqlite:no-such-folder/x.db",
                              "--workload", "oltp_point_select", "--time",
                              "0.2",        "--library",         mine};
        const Result plain = dyno(run);
        QVERIFY2(plain.code == 3, qPrintable(plain.err));
        QVERIFY2(plain.err.contains("no-such-folder") && !plain.err.contains(" tps"), qPrintable(plain.err));
        QCOMPARE(document({"sessions", "--json", "--library", mine})["sessions"].toArray().size(), 0);
        const Result json = dyno(run + QStringList{"--json"});
        QCOMPARE(json.code, 3);
        QCOMPARE(QJsonDocument::fromJson(json.out.toUtf8())["points"][0]["runs"][0]["status"].toString(),
                 QString("failed"));
        QCOMPARE(document({"sessions", "is:any", "--json", "--library", mine})["sessions"].toArray().size(), 0);
    }

    void sessionsHaveTitlesAndTags()
    {
        const QString mine = path("titled.dynolib");
        const auto run = [&](const QString& title, const QStringList& more) {
            return dyno(QStringList{"run", "--target", "null:", "--workload", "oltp_point_select", "--time", "0.2",
                                    "--interval", "0.1", "--quiet", "--library", mine, "--title", title} +
                        more)
                .code;
        };
        QCOMPARE(run("first", {}), 0);
        QCOMPARE(run("second of three", {"--tag", "nightly", "--tag", "main, small", "--out", path("tagged.dyno")}), 0);
        QCOMPARE(run("third", {}), 0);
        const QJsonArray all = document({"sessions", "--json", "--library", mine})["sessions"].toArray();
        QCOMPARE(named(all, "title"), (QStringList{"third", "second of three", "first"}));
        QStringList tags;
        for (const QJsonValue& tag : all[1]["tags"].toArray())
            tags.append(tag.toString());
        tags.sort();
        QCOMPARE(tags, (QStringList{"main", "nightly", "small"}));
        QCOMPARE(all[0]["tags"].toArray().size(), 0);
        QCOMPARE(named(document({"sessions", "tag:nightly", "--json", "--library", mine})["sessions"], "title"),
                 QStringList{"second of three"});
        const QJsonArray exported =
            document({"sessions", "--json", "--library", path("tagged.dyno")})["sessions"].toArray();
        QCOMPARE(named(exported, "title"), QStringList{"second of three"});
        QCOMPARE(exported[0]["tags"].toArray().size(), 3);
        QCOMPARE(named(document({"sessions", "--limit", "2", "--json", "--library", mine})["sessions"], "title"),
                 (QStringList{"third", "second of three"}));
        const Result table = dyno({"sessions", "--limit", "1", "--library", mine});
        QVERIFY2(table.out.contains("third") && !table.out.contains("second") && table.err.contains("1 of 3"),
                 qPrintable(table.out + table.err));
        QCOMPARE(dyno({"sessions", "--limit", "0", "--library", mine}).code, 2);
        const QJsonObject checked = document({"library", "check", "--json", "--library", mine});
        QCOMPARE(checked["sessions"].toInt(), 3);
        QCOMPARE(checked["problems"].toArray().size(), 0);

        const Result json = dyno({"export", "last", "--json", "-", "--library", mine});
        QVERIFY2(json.code == 0, qPrintable(json.err));
        QCOMPARE(json.out.trimmed(), dyno({"show", "last", "--json", "--library", mine}).out.trimmed());
        const Result csv = dyno({"export", "last", "--csv", "-", "--json", path("beside.json"), "--library", mine});
        QVERIFY2(csv.code == 0, qPrintable(csv.err));
        QCOMPARE(csv.out.count('\n'), 2); // names, and one run
        QVERIFY(QFile::exists(path("beside.json")) && !QFile::exists(path("-")));
        QCOMPARE(dyno({"export", "last", "--csv", "-", "--json", "-", "--library", mine}).code, 2);
        QCOMPARE(dyno({"export", "last", "--out", "-", "--library", mine}).code, 2);
    }

    void logsInUtf16AreRead()
    {
        QFile file(QStringLiteral(DYNO_TEST_DATA "/import/sysbench-oltp.log"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        const auto understood = [this](const QString& name) {
            QJsonObject told = document({"import", name, "--dry-run", "--json"});
            return told;
        };
        const QJsonObject plain = understood(write("sysbench.log", text));
        QVERIFY(plain["runs"].toArray().size() > 0);
        for (const bool bigEndian : {false, true}) {
            QCOMPARE(understood(write("sysbench.log", utf16(QString::fromUtf8(text), bigEndian))), plain);
            QByteArray lines = text;
            lines.replace('\n', "\r\n");
            QCOMPARE(understood(write("sysbench.log", utf16(QString::fromUtf8(lines), bigEndian))), plain);
        }
    }

    //! bash itself completes.
    void bashCompletes_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QStringList>("wanted");
        QTest::newRow("command") << QStringList{"sess"} << QStringList{"sessions"};
        QTest::newRow("command of a command") << QStringList{"library", "v"} << QStringList{"vacuum"};
        QTest::newRow("option") << QStringList{"run", "--obj"} << QStringList{"--objective"};
        QTest::newRow("option of a command of a command")
            << QStringList{"library", "check", "--js"} << QStringList{"--json"};
        QTest::newRow("choices") << QStringList{"run", "--existing", ""} << QStringList{"refuse", "use", "rebuild"};
        QTest::newRow("workload") << QStringList{"prepare", "--workload", "oltp_point_s"}
                                  << QStringList{"oltp_point_select"};
        QTest::newRow("recipe") << QStringList{"run", "durability-sq"} << QStringList{"durability-sqlite"};
        QTest::newRow("a value that is a command")
            << QStringList{"run", "--library", "check", "--objec"} << QStringList{"--objective"};
        QTest::newRow("shell") << QStringList{"completion", "f"} << QStringList{"fish"};
    }
    void bashCompletes()
    {
        QFETCH(QStringList, words);
        QFETCH(QStringList, wanted);
        const QString bash = QStandardPaths::findExecutable("bash");
        if (bash.isEmpty())
            QSKIP("bash is not installed");
        const Result script = dyno({"completion", "bash"});
        QCOMPARE(script.code, 0);
        const QString file = write("completion.bash", script.out.toUtf8());
        const Result result = told(
            bash, QStringList{"--norc", "--noprofile", "-c",
                              "cd \"$1\" && source \"$2\" || exit 9; shift 2; COMP_WORDS=(dyno \"$@\"); COMP_CWORD=$#; "
                              "complete -p dyno >/dev/null || exit 8; _dyno; printf '%s\\n' \"${COMPREPLY[@]}\"",
                              "bash", m_dir.path(), file} +
                      words);
        QVERIFY2(result.code == 0, qPrintable(result.err));
        QCOMPARE(result.out.split('\n', Qt::SkipEmptyParts), wanted);
    }

    //! Names of one's own are asked for then; what else lies in their folder is none, and nothing in it runs.
    void bashCompletesOwnWorkloads()
    {
        const QString bash = QStandardPaths::findExecutable("bash");
        if (bash.isEmpty())
            QSKIP("bash is not installed");
        const QString data = m_dir.filePath("data");
        const QString folder = data + "/dynobench/library.workloads";
        const QString made = m_dir.filePath("made");
        QVERIFY(QDir().mkpath(folder));
        for (const QString& name : {QString("oltp-of-mine"), QString("$(touch made)"), QString("two words")}) {
            QFile file(folder + "/" + name + ".workload");
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write("SELECT 1;\n") > 0);
        }
        const QString script = write("own.bash", dyno({"completion", "bash"}).out.toUtf8());
        for (const char* words : {"run --workload oltp-o", "workloads oltp-o", "workloads --remove oltp-o"}) {
            const Result result =
                told(bash, {"--norc", "--noprofile", "-c",
                            "export XDG_DATA_HOME=\"$1\"; cd \"$2\" && source \"$3\" || exit 9; "
                            "COMP_WORDS=(\"$4\" $5); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "
                            "_dyno; printf '%s\\n' \"${COMPREPLY[@]}\"",
                            "bash", data, m_dir.path(), script, QStringLiteral(DYNO_BIN_DIR "/dyno"), words});
            QVERIFY2(result.code == 0, qPrintable(result.err));
            QCOMPARE(result.out, QString("oltp-of-mine\n"));
        }
        QVERIFY(!QFile::exists(made));
    }

    void otherShellsAcceptTheirScript_data()
    {
        QTest::addColumn<QString>("shell");
        QTest::newRow("zsh") << "zsh";
        QTest::newRow("fish") << "fish";
    }
    void otherShellsAcceptTheirScript()
    {
        QFETCH(QString, shell);
        const Result script = dyno({"completion", shell});
        QCOMPARE(script.code, 0);
        for (const char* word : {"durability-sqlite", "objective", "vacuum"})
            QVERIFY2(script.out.contains(word), word);
        const QString program = QStandardPaths::findExecutable(shell);
        if (program.isEmpty())
            QSKIP(qPrintable(shell + " is not installed"));
        const Result read =
            told(program, {"-n", write("completion." + shell, script.out.toUtf8())}); // reads it, runs nothing
        QVERIFY2(read.code == 0, qPrintable(read.err));
    }

    void manualPages_data()
    {
        QTest::addColumn<QStringList>("command");
        QTest::addColumn<QStringList>("says");
        QTest::newRow("dyno") << QStringList{} << QStringList{"dyno", "sessions", "DYNO_PASSWORD"};
        QTest::newRow("run") << QStringList{"run"} << QStringList{"dyno run", "--objective", "--tag", "PLAN"};
        QTest::newRow("library check") << QStringList{"library", "check"}
                                       << QStringList{"dyno library check", "--json"};
        QTest::newRow("import") << QStringList{"import"} << QStringList{"--dry-run", "sysbench"};
    }
    void manualPages()
    {
        QFETCH(QStringList, command);
        QFETCH(QStringList, says);
        const Result page = dyno(QStringList{"man"} + command);
        QCOMPARE(page.code, 0);
        QVERIFY2(page.out.startsWith(".TH DYNO"), qPrintable(page.out.left(80)));
        for (const char* section : {"\n.SH NAME\n", "\n.SH SYNOPSIS\n", "\n.SH DESCRIPTION\n", "\n.SH OPTIONS\n"})
            QVERIFY2(page.out.contains(section), section);
        for (const QString& line : page.out.split('\n')) // nothing but what the page itself asks for is a request
            QVERIFY2(!line.startsWith('\'') &&
                         (!line.startsWith('.') || line.startsWith(".TH ") || line.startsWith(".SH ") ||
                          line == ".TP" || line == ".nf" || line == ".fi"),
                     qPrintable(line));
        for (const QChar c : page.out)
            QVERIFY(c.unicode() < 0x80);
        const QString groff = QStandardPaths::findExecutable("groff");
        if (groff.isEmpty())
            QSKIP("groff is not installed");
        const Result shown =
            told(groff, {"-man", "-Tutf8", "-P-cbou"}, page.out.toUtf8()); // without bold and underlined letters
        if (shown.code != 0 || shown.out.isEmpty())
            QSKIP("groff is there without its macros");
        for (const QString& word : says)
            QVERIFY2(QString(shown.out).replace(QChar(0x2010), '-').replace(QChar(0x2212), '-').contains(word),
                     qPrintable(word + "\n" + shown.out));
    }
};

} // namespace dyno::tst_cli_scripts

DYNO_SUITE(tst_cli_scripts, dyno::tst_cli_scripts::TestCliScripts)
#include "tst_cli_scripts.moc"
