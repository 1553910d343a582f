// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The command line as scripts see it: sessions in the library, their care, comparisons, exports and imports.
#include "cli_test.h"
#include "store/library/database.h"
#include "support/dyno_process.h"
#include "support/suite.h"

#include <dyno/library.h>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QSysInfo>
#include <QTest>
#include <cmath>
#include <csignal>

namespace dyno::tst_cli_library {

namespace {

using Result = test::DynoResult;

//! What a run prints is what `dyno show` prints, with where it is.
bool isShown(const QString& run, const QString& shown)
{
    QJsonObject document = QJsonDocument::fromJson(run.toUtf8()).object();
    document.remove("stored_in");
    return !document.isEmpty() && document == QJsonDocument::fromJson(shown.toUtf8()).object();
}

} // namespace

class TestCliLibrary : public QObject, private test::CliRig
{
    Q_OBJECT

    //! Two repeats of two points, here and at `elsewhere`.
    QString planOfTwoPlaces(const char* title, const QString& elsewhere) const
    {
        const QString text = QStringLiteral(R"([target]
uri = "null:"
[workload]
name = "oltp_point_select"
params = { table_size = 100 }
[load]
time = "0.2s"
interval = "0.1s"
repeats = 2
[[axis]]
name = "place"
cases = [ { label = "here" }, { label = "there", set = { "target.uri" = "%1" } } ]
)")
                                 .arg(elsewhere);
        return write(QString(title) + ".toml", "title = \"" + QByteArray(title) + "\"\n" + text.toUtf8());
    }

private slots:
    void initTestCase() { QVERIFY(m_dir.isValid()); }

    void theResultIsInTheLibrary()
    {
        const Result run = dyno(quickRun({"--json", "--quiet"}));
        QCOMPARE(run.code, 0);
        const QString id = QJsonDocument::fromJson(run.out.toUtf8())["session"].toString();
        QCOMPARE(id.size(), 36);
        const Result sessions = dyno({"sessions", "--library", library()});
        QVERIFY(sessions.out.contains(id.left(8)));
        for (const QString& name : {id, id.left(8), QString("last")}) {
            const Result shown = dyno({"show", name, "--json", "--library", library()});
            QVERIFY2(isShown(run.out, shown.out), qPrintable(name + shown.err));
        }
        QCOMPARE(QJsonDocument::fromJson(run.out.toUtf8())["stored_in"].toString(), library());
        QVERIFY(dyno({"show", id, "--library", library()}).out.contains("oltp_read_write"));
    }

    //! The end of a warm-up is moved and put back without running again.
    void warmupIsMoved()
    {
        const Result run = dyno({"run", "--target", "null:?service_us=200", "--workload", "oltp_point_select", "--time",
                                 "0.6", "--warmup", "0.2", "--interval", "0.1", "--repeats", "2", "--json", "--quiet",
                                 "--library", library()});
        QVERIFY2(run.code == 0, qPrintable(run.err));
        const auto document = [this] {
            return QJsonDocument::fromJson(dyno({"show", "last", "--json", "--library", library()}).out.toUtf8());
        };
        QVERIFY(std::abs(document()["points"][0]["runs"][0]["warmup_s"].toDouble() - 0.2) < 0.15);
        const QString before = dyno({"show", "last", "--json", "--library", library()}).out;
        const QJsonValue whole = document()["points"][0]["runs"][1];

        const Result moved = dyno({"warmup", "last", "--run", "2", "--to", "500ms", "--library", library()});
        QVERIFY2(moved.code == 0, qPrintable(moved.err));
        QVERIFY2(moved.out.startsWith("run  point"), qPrintable(moved.out));
        const QJsonValue other = document()["points"][0]["runs"][0];
        const QJsonValue one = document()["points"][0]["runs"][1];
        QCOMPARE(other["warmup_moved"].toBool(), false);
        QCOMPARE(one["warmup_moved"].toBool(), true);
        QVERIFY(std::abs(one["warmup_s"].toDouble() - 0.5) < 0.15);
        QVERIFY(one["seconds"].toDouble() < whole["seconds"].toDouble() - 0.1);
        QVERIFY(one["transactions"].toDouble() < whole["transactions"].toDouble());
        const Result shown = dyno({"show", "last", "--library", library()});
        QVERIFY2(shown.out.contains("the measured time begins at 0."), qPrintable(shown.out));

        QCOMPARE(dyno({"warmup", "last", "--to", "0.4", "--library", library()}).code, 0); // all runs
        QCOMPARE(document()["points"][0]["runs"][0]["warmup_moved"].toBool(), true);
        const Result back = dyno({"warmup", "last", "--reset", "--library", library()});
        QVERIFY2(back.code == 0, qPrintable(back.err));
        QCOMPARE(dyno({"show", "last", "--json", "--library", library()}).out, before);

        for (const auto& [arguments, words] :
             {std::pair(QStringList{"--to", "900s"}, QString("is not within the run")),
              std::pair(QStringList{"--to", "soon"}, QString("is not a time")),
              std::pair(QStringList{"--to", "-1"}, QString("")), std::pair(QStringList{}, QString("--reset")),
              std::pair(QStringList{"--to", "1", "--reset"}, QString("either")),
              std::pair(QStringList{"--run", "3", "--reset"}, QString("runs 1 to 2"))}) {
            const Result refused = dyno(QStringList{"warmup", "last", "--library", library()} + arguments);
            QVERIFY2(refused.code == 2, qPrintable(arguments.join(' ') + refused.out));
            QVERIFY2(refused.err.contains(words), qPrintable(refused.err));
        }
    }

    void nothingIsKeptWithoutALibrary()
    {
        const Result run = dyno({"run", "--target", "null:", "--workload", "oltp_point_select", "--time", "0.3",
                                 "--interval", "0.1", "--no-library", "--json", "--out", "kept.dyno"});
        QVERIFY2(run.code == 0, qPrintable(run.err));
        QVERIFY(!QFile::exists(path("data/dynobench/library.dynolib")));
        const Result shown = dyno({"show", "kept.dyno", "--json"});
        QVERIFY2(isShown(run.out, shown.out), qPrintable(shown.err));
        QCOMPARE(QJsonDocument::fromJson(run.out.toUtf8())["stored_in"].toString(), QString("kept.dyno"));
    }

    void comparesAndExports()
    {
        QCOMPARE(dyno(quickRun({"--quiet", "--out", "a.dyno", "--repeats", "2"})).code, 0);
        QCOMPARE(dyno(quickRun({"--quiet", "--out", "b.dyno", "--repeats", "2", "--knob", "synchronous=OFF"})).code, 0);
        const Result compared = dyno({"compare", "a.dyno", "b.dyno", "--baseline", "b.dyno"});
        QVERIFY2(compared.code == 0, qPrintable(compared.err));
        QVERIFY2(compared.out.contains("|"), "a Markdown table");
        QVERIFY2(compared.out.contains("synchronous"), qPrintable(compared.out));
        QCOMPARE(dyno({"run", "--target", "null:", "--workload", "oltp_point_select", "--time", "0.2", "--no-library",
                       "--quiet", "--out", "c.dyno"})
                     .code,
                 0);
        QVERIFY(dyno({"compare", "a.dyno", "b.dyno", "--baseline", "c.dyno"}).err.contains("none of the sessions"));
        QCOMPARE(dyno({"compare", "a.dyno", "b.dyno", "--measure", "tpss"}).code, 2);
        const Result exported = dyno({"export", "a.dyno", "--csv", "csv", "--markdown", "a.md", "--out", "copy.dyno"});
        QVERIFY2(exported.code == 0, qPrintable(exported.err));
        QVERIFY(QFile::exists(path("csv/runs.csv")));
        QVERIFY(QDir(path("csv")).entryList({"intervals-*.csv"}).size() == 2);
        QVERIFY(QFile(path("a.md")).size() > 100);
        QCOMPARE(dyno({"show", "copy.dyno", "--json"}).out, dyno({"show", "a.dyno", "--json"}).out);
    }

    //! A session given twice, a copy of it, or one log imported twice is one measurement: it is not compared with
    //! itself.
    void countsOneMeasurementOnce()
    {
        const QStringList repeats{"--quiet", "--repeats", "2", "--json"};
        const Result first = dyno(quickRun(repeats + QStringList{"--out", "once.dyno"}));
        QVERIFY2(first.code == 0, qPrintable(first.err));
        const QString id = QJsonDocument::fromJson(first.out.toUtf8())["session"].toString();
        QVERIFY(!id.isEmpty());
        QCOMPARE(dyno({"export", "once.dyno", "--out", "once-copy.dyno"}).code, 0);
        const QStringList others[] = {
            {"once.dyno"}, {"once-copy.dyno"}, {id.left(8), "--library", library()}, {"last", "--library", library()}};
        for (const QStringList& other : others) {
            const Result refused = dyno(QStringList{"compare", "once.dyno"} + other);
            QVERIFY2(refused.code == 2, qPrintable(other.join(' ') + refused.out));
            QVERIFY2(refused.err.contains("one and the same") && refused.out.isEmpty(), qPrintable(refused.err));
        }
        const Result second = dyno(quickRun(repeats + QStringList{"--out", "twice.dyno", "--knob", "synchronous=OFF"}));
        QVERIFY2(second.code == 0, qPrintable(second.err));
        const Result counted =
            dyno({"compare", "once.dyno", "twice.dyno", "once-copy.dyno", "--baseline", "once-copy.dyno", "--json"});
        QVERIFY2(counted.code == 0, qPrintable(counted.err));
        QVERIFY2(counted.err.contains("\"once-copy.dyno\" holds the same runs as \"once.dyno\": they count once"),
                 qPrintable(counted.err));
        const QJsonDocument document = QJsonDocument::fromJson(counted.out.toUtf8());
        QVERIFY2(document.isObject(), qPrintable(counted.out));
        QCOMPARE(document["sessions"].toArray().size(), 2);
        QCOMPARE(document["sessions"][0]["session"].toString(), id);
        QCOMPARE(document["comparisons"].toInt(), 1);
        QCOMPARE(document["cells"].toArray().size(), 2);
        for (const QJsonValue cell : document["cells"].toArray())
            QVERIFY(cell["runs"].toArray().size() == 2 && cell["value"].toDouble() > 0);
        QVERIFY(document["cells"][1]["ratio"]["p"].isDouble() && document["cells"][0]["ratio"].isNull());
        QVERIFY(!document["headline"].toString().isEmpty());
        QVERIFY(document["one_after_the_other"].toBool());
        const Result table = dyno({"compare", "once.dyno", "twice.dyno"});
        QVERIFY2(table.out.contains("one after the other, not interleaved, so time itself may explain a difference"),
                 qPrintable(table.out));

        const QString log = QStringLiteral(DYNO_TEST_DATA "/import/sysbench-oltp.log"), own = path("logs.dynolib");
        const QString one = dyno({"import", log, "--library", own}).out.trimmed();
        const QString again = dyno({"import", log, "--library", own}).out.trimmed();
        QVERIFY(!one.isEmpty() && !again.isEmpty() && one != again);
        QCOMPARE(dyno({"compare", one, again, "--library", own}).code, 2);
    }

    //! A post's repository can keep what comes out: the same bytes each time, of every kind.
    void exportsOfAllKinds()
    {
        QVERIFY(dyno(quickRun({"--out", "post.dyno", "--quiet"})).code == 0);
        const auto exportTo = [this](const QString& dir, const QStringList& more) {
            QDir(m_dir.path()).mkdir(dir);
            return dyno(QStringList{"export", "post.dyno", "--csv", dir + "/csv", "--markdown", dir + "/post.md",
                                    "--html", dir + "/post.html", "--hdr", dir + "/hdr", "--json", dir + "/s.json",
                                    "--out", dir + "/s.dyno"} +
                        more);
        };
        for (const QStringList& more : {QStringList{}, QStringList{"--anonymous"}}) {
            const Result one = exportTo("one", more), two = exportTo("two", more);
            QVERIFY2(one.code == 0 && two.code == 0, qPrintable(one.err));
            // In a closed loop response times differ from service times only where a call came back late, by less than
            // is written into the JSON perhaps.
            QFile told(path("one/s.json"));
            QVERIFY(told.open(QIODevice::ReadOnly));
            const QJsonValue run = QJsonDocument::fromJson(told.readAll())["points"][0]["runs"][0];
            const bool late = QFile::exists(path("one/hdr/run-1-response.hlog"));
            QVERIFY(late || run["response_ms"] == run["service_ms"]);
            QCOMPARE(one.err.count("written: "), late ? 9 : 8);
            for (const char* name : {"csv/runs.csv", "csv/runs-long.csv", "csv/intervals-1.csv", "post.md", "post.html",
                                     "hdr/run-1-service.hlog", "s.json", "s.dyno"}) {
                QFile a(path(QString("one/") + name)), b(path(QString("two/") + name));
                QVERIFY2(a.open(QIODevice::ReadOnly) && b.open(QIODevice::ReadOnly), name);
                const QByteArray bytes = a.readAll();
                QVERIFY2(bytes.size() > 100 && bytes == b.readAll(), name);
                // A short name ("vm") is in compressed bytes by chance; tst_anonymizer looks for names of its own
                // making.
                if (const QByteArray host = QSysInfo::machineHostName().toUtf8(); !more.isEmpty() && host.size() >= 6)
                    QVERIFY2(!bytes.contains(host), name);
            }
        }
        QVERIFY(dyno({"export", "post.dyno", "--html", "/dev/full"}).code == 1);
        const Result nowhere = dyno({"export", "post.dyno", "--html", "no/such/place.html"});
        QVERIFY(nowhere.code == 1 && nowhere.err.contains("no/such/place.html"));
    }

    void careForTheLibrary()
    {
        const QString own = path("care.dynolib");
        QStringList run = quickRun({"--quiet", "--json"});
        run[run.indexOf("--library") + 1] = own;
        const QString id = QJsonDocument::fromJson(dyno(run).out.toUtf8())["session"].toString();
        QVERIFY(!id.isEmpty());
        const auto care = [&](const QStringList& arguments) { return dyno(arguments + QStringList{"--library", own}); };
        QCOMPARE(care({"rename", id.left(8), "Cared for"}).code, 0);
        QCOMPARE(care({"tag", "last", "ssd, blog post"}).code, 0);
        QCOMPARE(care({"note", "last", "It was **late**"}).code, 0);
        QCOMPARE(care({"annotate", "last", "checkpoint", "--at", "200ms"}).code, 0);
        QVERIFY(care({"annotate", "last", "--list"}).out.contains("checkpoint"));
        QCOMPARE(care({"annotate", "last", "late", "--at", "2h"}).code, 2);
        for (const QStringList& query :
             {QStringList{"cared"}, {"tag:blog post"}, {"table_size=200", "late"}, {"!nothing"}})
            QVERIFY2(care(QStringList{"sessions"} + query).out.contains(id.left(8)), qPrintable(query.join(' ')));
        for (const QStringList& query : {QStringList{"tag:hdd"}, {"table_size=201"}, {"date:2001"}})
            QVERIFY2(!care(QStringList{"sessions"} + query).out.contains(id.left(8)), qPrintable(query.join(' ')));
        QCOMPARE(care({"sessions", "date:soon"}).code, 2);
        QCOMPARE(care({"archive", "last"}).code, 0);
        QVERIFY(!care({"sessions"}).out.contains("Cared for"));
        QVERIFY(care({"sessions", "is:archived"}).out.contains("Cared for"));
        QCOMPARE(care({"archive", "--undo", "last"}).code, 0);
        QCOMPARE(care({"delete", "last"}).code, 0);
        QVERIFY(!care({"sessions"}).out.contains("Cared for"));
        QCOMPARE(care({"delete", "--undo", id.left(8)}).code, 0);
        QVERIFY(care({"library", "check"}).out.contains("nothing is wrong"));
        QCOMPARE(care({"library", "vacuum"}).code, 0);
        QCOMPARE(care({"library", "backup", "care-copy.dynolib"}).code, 0);
        QCOMPARE(care({"library", "move", "elsewhere"}).code, 0);
        QVERIFY(QFileInfo(own).isSymLink() && care({"sessions"}).out.contains("Cared for"));
        // Again, with a change, and with what is not the same told.
        const Result again = care({"run", "session:" + id, "--set", "load.time=0.3s", "--out", "again.dyno"});
        QVERIFY2(again.code == 0, qPrintable(again.err));
        QVERIFY2(again.err.contains("not the same: the target was SQLite"), qPrintable(again.err));
        QCOMPARE(care({"run", "session:ffffffff"}).code, 2);
    }

    //! A session with failed runs is completed in place, and what failed is told in text and JSON.
    void missingRunsAreRunIntoTheSession()
    {
        const QString own = path("missing.dynolib"), folder = path("later");
        const QString plan = planOfTwoPlaces("missing", "sqlite:" + folder + "/x.db");
        const auto dynoThere = [&](QStringList arguments) { return dyno(arguments << "--library" << own); };
        const Result first = dynoThere({"run", plan, "--quiet"});
        QCOMPARE(first.code, 1);
        QVERIFY2(first.out.contains("2 of 4 runs complete: 2 failed"), qPrintable(first.out));
        QVERIFY2(first.out.contains("run 1 of there: failed while "), qPrintable(first.out));
        const QJsonDocument listed = QJsonDocument::fromJson(dynoThere({"export", "last", "--json", "-"}).out.toUtf8());
        QCOMPARE(listed["run_counts"]["failed"].toInt(), 2);
        const QString id = listed["session"].toString();
        for (const QStringList& wrong : {QStringList{"run", plan, "--missing"},
                                         {"run", "session:" + id, "--missing", "--set", "load.time=1s"},
                                         {"run", "session:x.dyno", "--missing"}})
            QCOMPARE(dynoThere(wrong).code, 2);
        QVERIFY(QDir().mkpath(folder));
        const Result second = dynoThere({"run", "session:" + id, "--missing", "--json"});
        QVERIFY2(second.code == 0, qPrintable(second.err));
        const QJsonDocument document = QJsonDocument::fromJson(second.out.toUtf8());
        QCOMPARE(document["session"].toString(), id);
        QCOMPARE(document["run_counts"]["done"].toInt(), 4);
        QVERIFY(document["sittings"].toString().startsWith("2 of 4 runs were measured in the second sitting"));
        const QJsonArray runs = document["points"][1]["runs"].toArray();
        QCOMPARE(runs.size(), 4); // the two that failed stay, with their reasons
        QCOMPARE(runs.last()["sitting"].toInt(), 2);
        const Result none = dynoThere({"run", "session:" + id, "--missing"});
        QCOMPARE(none.code, 2);
        QVERIFY2(none.err.contains("nothing is missing"), qPrintable(none.err));
    }

    //! A server that is down leaves the session as it was, however many of its runs are missing.
    void missingRunsOfAServerThatIsDown()
    {
        const QString own = path("down.dynolib");
        const QString plan = planOfTwoPlaces("down", "mysql://bench@127.0.0.1:1/x");
        const auto dynoThere = [&](QStringList arguments) { return dyno(arguments << "--library" << own); };
        const auto stored = [&] {
            return QJsonDocument::fromJson(dynoThere({"export", "last", "--json", "-"}).out.toUtf8());
        };
        QCOMPARE(dynoThere({"run", plan, "--quiet"}).code, 1);
        const QJsonDocument before = stored();
        QCOMPARE(before["run_counts"]["done"].toInt(), 2);
        const Result down = dynoThere({"run", "session:" + before["session"].toString(), "--missing", "--json"});
        QCOMPARE(down.code, 3);
        QVERIFY2(down.err.contains("nothing was measured: the session is as it was"), qPrintable(down.err));
        QCOMPARE(stored(), before);
        // What is printed has the earlier runs, and one try.
        const QJsonDocument printed = QJsonDocument::fromJson(down.out.toUtf8());
        QCOMPARE(printed["run_counts"]["done"].toInt(), 2);
        QCOMPARE(printed["run_counts"]["failed"].toInt(), 2);
        QCOMPARE(printed["points"][0]["runs"].toArray().size(), 2);
        QCOMPARE(printed["points"][1]["runs"].toArray().size(), 3);
    }

    void vacuumRemovesWhatKilledSessionsLeft()
    {
        QCOMPARE(dyno(quickRun({"--quiet"})).code, 0);
        const QString folder = path("data/dynobench/sqlite");
        QVERIFY(QDir().mkpath(folder));
        for (const char* end : {".db", ".db-wal"}) { // no process has such a number
            QFile file(folder + "/session-2147483000-1" + end);
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(QByteArray(10'000, 'x')) == 10'000);
        }
        const Result vacuum = dyno({"library", "vacuum", "--library", library()});
        QVERIFY2(vacuum.code == 0, qPrintable(vacuum.err));
        QVERIFY2(vacuum.err.contains("left by ended sessions and removed: 2 files"), qPrintable(vacuum.err));
        QCOMPARE(QDir(folder).entryList(QDir::Files).size(), 0);
        QVERIFY(!dyno({"library", "vacuum", "--library", library()}).err.contains("left by ended"));
    }

    //! Deleted while a session is recorded into it: nothing is lost, and the result is printed.
    void aDeletedLibraryLosesNothing()
    {
        const QString file = path("deleted.dynolib");
        QProcess process;
        test::prepareDyno(process, m_dir,
                          {"run", "--target", "null:?service_us=200", "--workload", "oltp_point_select", "--time",
                           "600", "--interval", "0.1", "--library", file, "--json", "--quiet"});
        process.start();
        QVERIFY(process.waitForStarted());
        const auto measured = [&] {
            auto opened = Library::open(file.toStdString(), Library::Mode::ReadOnly);
            if (!opened)
                return false;
            const auto id = (*opened)->resolveId("last");
            const auto session = id ? (*opened)->session(*id) : tl::unexpected(id.error());
            if (!session || session->runs.empty())
                return false;
            const auto intervals = (*opened)->intervals(session->runs.front().id);
            return intervals && intervals->size() >= 2;
        };
        QTRY_VERIFY_WITH_TIMEOUT(measured(), 120'000);
        QVERIFY(QFile::remove(file));
        QVERIFY(test::signalTo(process, SIGINT));
        QVERIFY(process.waitForFinished(120'000));
        QCOMPARE(process.exitCode(), 130);
        const QByteArray told = process.readAllStandardError();
        const QString out = QString::fromUtf8(process.readAllStandardOutput());
        const QJsonDocument document = QJsonDocument::fromJson(out.toUtf8());
        const QString rescued = document["stored_in"].toString();
        QCOMPARE(rescued, path("rescued-" + document["session"].toString() + ".dyno"));
        QVERIFY2(told.contains("all of it is in " + rescued.toUtf8()), told.constData());
        QVERIFY(document["points"][0]["runs"][0]["transactions"].toDouble() > 0);
        const Result shown = dyno({"show", rescued, "--json"});
        QVERIFY2(isShown(out, shown.out), qPrintable(shown.err));
    }

    //! What came damaged is named, in the document and for good.
    void importsADamagedFile()
    {
        QCOMPARE(dyno(quickRun({"--quiet", "--out", "whole.dyno"})).code, 0);
        QVERIFY(QFile::copy(path("whole.dyno"), path("damaged.dyno")));
        {
            auto file = Database::open(path("damaged.dyno").toStdString(), Database::Access::ReadWrite);
            QVERIFY(file);
            (*file)->exec("UPDATE event SET text = text || '.' WHERE run = 1");
            QVERIFY((*file)->result());
        }
        const QString other = path("damaged.dynolib"), named = "the list of events of run 1 is damaged";
        const Result imported = dyno({"import", "damaged.dyno", "--library", other, "--json"});
        QVERIFY2(imported.code == 0, qPrintable(imported.err));
        QVERIFY2(imported.err.contains(named), qPrintable(imported.err));
        const QJsonDocument document = QJsonDocument::fromJson(imported.out.toUtf8());
        QCOMPARE(document["damaged"].toArray(), QJsonArray{named});
        QVERIFY(document["runs"][0]["transactions"].toDouble() > 0);
        const Result checked = dyno({"library", "check", "--library", other});
        QVERIFY2(checked.code != 0 && (checked.out + checked.err).contains(named),
                 qPrintable(checked.out + checked.err));
        QVERIFY(dyno({"show", "last", "--library", other}).out.contains("Imported with damage: " + named));
    }

    void importsDynoFiles()
    {
        QCOMPARE(dyno(quickRun({"--quiet", "--out", "imported.dyno"})).code, 0);
        const QString other = path("other.dynolib");
        // A dry run writes nothing, and says what is in the file.
        const Result dry = dyno({"import", "imported.dyno", "--library", other, "--dry-run"});
        QVERIFY2(dry.code == 0, qPrintable(dry.err));
        QVERIFY(!QFileInfo::exists(other));
        const Result json =
            dyno({"import", "imported.dyno", "--library", other, "--dry-run", "--json", "--title", "new name"});
        const QJsonDocument document = QJsonDocument::fromJson(json.out.toUtf8());
        QVERIFY2(document.isObject(), qPrintable(json.out));
        QVERIFY(!QFileInfo::exists(other));
        QCOMPARE(document["title"].toString(), QString("new name"));
        QVERIFY(dry.out.contains(document["session"].toString()) && !document["session"].toString().isEmpty());
        QCOMPARE(document["runs"].toArray().size(), 1);
        QVERIFY(document["runs"][0]["tps"].toDouble() > 0);
        const Result imported = dyno({"import", "imported.dyno", "--library", other, "--title", "new name"});
        QVERIFY2(imported.code == 0, qPrintable(imported.err));
        QCOMPARE(imported.out.trimmed(), document["session"].toString());
        QVERIFY2(!imported.err.contains("left as it is"), qPrintable(imported.err));
        QVERIFY(document["left_as_it_was"].isNull()); // nobody looked into the library
        const QString fresh = path("fresh.dynolib");
        for (const bool there : {false, true}) {
            const Result once = dyno({"import", "imported.dyno", "--library", fresh, "--json"});
            QCOMPARE(once.code, 0);
            QCOMPARE(once.err.contains("is in the library already and was left as it is"), there);
            QCOMPARE(QJsonDocument::fromJson(once.out.toUtf8())["left_as_it_was"], QJsonValue(there));
        }
        QVERIFY(dyno({"sessions", "--library", other}).out.contains("new name"));
        // A document stays whole whatever is in a line that was not understood.
        const Result odd =
            dyno({"import",
                  write("odd.log", "sysbench 1.0.20\n[ 1s ] thds: 4 eps: 12.50 lat (ms,95%): 1.00\na \"q\" \\ \xff\n"),
                  "--dry-run", "--json"});
        const QJsonDocument understood = QJsonDocument::fromJson(odd.out.toUtf8());
        QCOMPARE(understood["unknown"][0]["text"].toString(), QString("a \"q\" \\ ?"));
        QVERIFY(understood["session"].isNull() && understood["runs"][0]["qps"].isNull());
        QCOMPARE(understood["runs"][0]["tps"].toDouble(), 12.5);
        QVERIFY(dyno({"sessions", "--library", other}).out.contains(imported.out.trimmed().left(8)));
        const Result log = dyno({"import", write("sysbench.log", "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n"),
                                 "--library", other});
        QCOMPARE(log.code, 2);
        QVERIFY2(log.err.contains("nothing in it was understood"), qPrintable(log.err));
        QFile whole(path("imported.dyno"));
        QVERIFY(whole.open(QIODevice::ReadOnly));
        const QByteArray bytes = whole.readAll();
        const Result half = dyno({"import", write("half.dyno", bytes.left(bytes.size() / 2)), "--library", other});
        QVERIFY2(half.code == 2 && !half.err.isEmpty(), qPrintable(half.err));
    }

    void aLibraryThatCannotBeOpened()
    {
        // A file in place of its folder fails for every user, also for one to whom permissions mean nothing.
        write("plain", "x");
        QVERIFY(QDir(m_dir.path()).mkpath("folder.dynolib"));
        write("foreign.dynolib", "neither a library nor anything else");
        const std::vector<std::pair<QString, int>> cases{
            {"plain/library.dynolib", 1}, {"folder.dynolib", 2}, {"foreign.dynolib", 2}};
        for (const auto& [file, code] : cases) {
            const Result result = dyno({"run", "--target", "null:", "--workload", "oltp_point_select", "--time", "0.2",
                                        "--library", path(file)});
            QVERIFY2(result.code == code, qPrintable(QString("%1: %2").arg(result.code).arg(result.err)));
            QVERIFY2(result.err.contains(path(file).section('/', 0, -2)), qPrintable(result.err));
            QVERIFY2(result.out.isEmpty(), "nothing is measured for nothing");
        }
    }
};

} // namespace dyno::tst_cli_library

DYNO_SUITE(tst_cli_library, dyno::tst_cli_library::TestCliLibrary)
#include "tst_cli_library.moc"
