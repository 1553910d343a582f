// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! `dyno servers …` and what a `dyno run` leaves behind when it is killed with -9, against a real server.
#include "server/remote/settings_lock.h"
#include "support/about.h"
#include "support/dyno_process.h"
#include "support/frozen.h"
#include "support/mariadb_fixture.h"
#include "support/suite.h"

#include <dyno/library.h>
#include <dyno/runner.h>
#include <dyno/servers.h>

#include <cmath>

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <sys/stat.h>

namespace dyno::tst_cli_servers {
using namespace dyno::test;

namespace {

struct Result
{
    int code = -1;
    QString out, err;
};

} // namespace

class TestCliServers : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    MariadbFixture m_server;
    std::unique_ptr<Admin> m_admin;
    QString m_uri;

    void prepare(QProcess& process) const
    {
        process.setWorkingDirectory(m_dir.path());
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("XDG_DATA_HOME", m_dir.filePath("data"));
        environment.remove("DYNO_PASSWORD");
        process.setProcessEnvironment(environment);
    }
    Result dyno(const QStringList& arguments, const QByteArray& typed = {}) const
    {
        QProcess process;
        prepare(process);
        process.start(QString(DYNO_BIN_DIR) + "/dyno", arguments);
        process.write(typed);
        process.closeWriteChannel();
        Result result;
        if (!process.waitForFinished(120'000)) {
            process.kill();
            process.waitForFinished();
            return result;
        }
        result.code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2;
        result.out = QString::fromUtf8(process.readAllStandardOutput());
        result.err = QString::fromUtf8(process.readAllStandardError());
        return result;
    }
    QStringList runArguments(const QString& seconds, const QStringList& more = {}) const
    {
        return QStringList{"run",       "--target", m_uri,      "--workload", "oltp_point_select",
                           "--prepare", "--param",  "tables=1", "--param",    "table_size=100",
                           "--time",    seconds,    "--quiet"} +
               more;
    }
    QString planFile(const QString& uri) const
    {
        QFile plan(m_dir.filePath("price.toml"));
        if (!plan.open(QIODevice::WriteOnly))
            qFatal("cannot write the plan");
        plan.write("[target]\nuri = \"" + uri.toUtf8() + "\"\n[workload]\nname = \"oltp_point_select\"\n");
        return plan.fileName();
    }
    QString value(const char* name) const
    {
        return QString::fromStdString(m_admin->variable(name).value_or("(unknown)"));
    }
    QJsonObject json(const QStringList& arguments) const
    {
        const Result result = dyno(arguments);
        return QJsonDocument::fromJson(result.out.toUtf8()).object();
    }
    //! Starts a run that changes two knobs, and kills it when both are changed and it measures.
    void killInTheMiddle() const
    {
        QProcess process;
        prepare(process);
        process.start(QString(DYNO_BIN_DIR) + "/dyno",
                      runArguments("300", {"--knob", "sync_binlog=7", "--knob", "innodb_io_capacity=300"}));
        QVERIFY(process.waitForStarted());
        QTRY_COMPARE_WITH_TIMEOUT(value("sync_binlog"), QString("7"), 60'000);
        QTRY_COMPARE_WITH_TIMEOUT(value("innodb_io_capacity"), QString("300"), 60'000);
        // While it lives, nobody puts anything back.
        const QJsonArray left = json({"servers", "left", "--json"})["left"].toArray();
        QCOMPARE(left.size(), 2);
        QVERIFY(left[0].toObject()["owner_alive"].toBool());
        QCOMPARE(dyno({"servers", "restore"}).code, 0);
        QCOMPARE(value("sync_binlog"), QString("7"));
        QVERIFY(dyno({"servers", "forget-changes", m_uri}).code != 0);
        QVERIFY(signalTo(process, SIGKILL));
        QVERIFY(process.waitForFinished(30'000));
        QCOMPARE(value("sync_binlog"), QString("7"));
    }

    //! Of "kept": asked for, refused while it runs, told with its size, gone.
    void namedServerIsRemoved()
    {
        const QString folder = m_dir.filePath("data/dynobench/instances/kept");
        QVERIFY(QFileInfo(folder).isDir());
        QCOMPARE(dyno({"servers", "remove", "none", "--yes"}).code, 2);
        QCOMPARE(dyno({"servers", "remove", "managed:mariadb", "--yes"}).code, 2);
        const Result ofAnother = dyno({"servers", "remove", "managed:mysql?name=kept", "--yes"});
        QVERIFY2(ofAnother.code == 2 && ofAnother.err.contains("managed:mariadb?name=kept"), qPrintable(ofAnother.err));
        QVERIFY(QFileInfo(folder).isDir());
        for (const char* answer : {"", "n\n"}) {
            const Result kept = dyno({"servers", "remove", "kept"}, answer);
            QCOMPARE(kept.code, 2);
            QVERIFY2(kept.err.contains("kept") && kept.err.contains("[y/N]") && kept.err.contains("MiB"),
                     qPrintable(kept.err));
            QVERIFY(QFileInfo(folder).isDir());
        }
        {
            // The owner's lock on the folder is what "it runs" means.
            ManagedInstances other(m_dir.filePath("data/dynobench").toStdString());
            const auto uri = parseUri("managed:mariadb?name=kept");
            QVERIFY(uri && other.start(*uri));
            const Result refused = dyno({"servers", "remove", "kept", "--yes"});
            QVERIFY2(refused.code != 0 && refused.err.contains("running"), qPrintable(refused.err));
            QVERIFY(QFileInfo(folder).isDir());
        }
        const Result removed = dyno({"servers", "remove", "kept"}, "Yes\n");
        QVERIFY2(removed.code == 0, qPrintable(removed.err));
        QVERIFY2(removed.out.contains("kept") && removed.out.contains("MiB") && removed.out.contains(folder),
                 qPrintable(removed.out));
        QVERIFY(!QFileInfo::exists(folder));
        QCOMPARE(json({"servers", "--json"})["instances"].toArray().size(), 0);
    }

private slots:
    void initTestCase()
    {
        DYNO_START_MARIADB(m_server);
        m_uri = QString::fromStdString(m_server.uriText());
        auto admin = m_server.admin();
        QVERIFY(admin);
        m_admin = std::move(*admin);
    }
    void init()
    {
        if (!m_admin)
            return;
        for (const char* set : {"sync_binlog=0", "innodb_io_capacity=200"})
            QVERIFY(m_admin->execute(std::string("SET GLOBAL ") + set));
    }

    //! A plan that says no price has that of the server that it leads to, as in a run.
    void checkShowsKnownPrices()
    {
        const QString plan = planFile(m_uri);
        QVERIFY(!dyno({"check", plan, "--points"}).out.contains("cost/h"));
        QCOMPARE(dyno({"servers", "add", m_uri, "--cost-per-hour", "1.25", "--currency", "EUR ", "--watts", "90"}).code,
                 0);
        const Result check = dyno({"check", plan, "--points"});
        QVERIFY2(check.out.contains("cost/h") && check.out.contains("EUR 1.25") && check.out.contains("90"),
                 qPrintable(check.out));
        QCOMPARE(dyno({"servers", "forget", m_uri}).code, 0);
    }

    //! Scans beside writes at a rate, on a real server: told apart in every document, and each alone by --set.
    void groupsOfUsersAtOnce()
    {
        QFile plan(m_dir.filePath("groups.toml"));
        QVERIFY(plan.open(QIODevice::WriteOnly));
        plan.write("title = \"mixed\"\n[target]\nuri = \"" + m_uri.toUtf8() +
                   "\"\n[workload]\nname = \"oltp_write_only\"\nparams = { table_size = 2000 }\ncleanup = true\n"
                   "[load]\nusers = 2\ntime = \"2s\"\nwarmup = \"0.5s\"\ninterval = 0.5\n"
                   "[[load.group]]\nname = \"scans\"\nworkload = \"select_random_ranges\"\n"
                   "[[load.group]]\nname = \"writes\"\nusers = 3\nrate = 40\narrival = \"fixed\"\n"
                   "params = { index_updates = 2 }\n");
        plan.close();
        const QJsonObject check = json({"check", plan.fileName(), "--json"});
        const QJsonArray told = check["points"].toArray().first().toObject()["groups"].toArray();
        QCOMPARE(told.size(), 2);
        QCOMPARE(check["points"].toArray().first().toObject()["all_users"].toInt(), 5);
        QCOMPARE(told[0].toObject()["users"].toInt(), 2);
        QCOMPARE(told[1].toObject()["rate"].toDouble(), 40.0);

        const QStringList run{"run",     plan.fileName(), "--json",
                              "--quiet", "--library",     m_dir.filePath("groups.dynolib")};
        const Result both = dyno(run);
        QVERIFY2(both.code == 0, qPrintable(both.out + both.err));
        const QJsonObject point =
            QJsonDocument::fromJson(both.out.toUtf8()).object()["points"].toArray().first().toObject();
        QCOMPARE(point["users"].toInt(), 2);
        QCOMPARE(point["all_users"].toInt(), 5);
        const auto firstRun = [](const Result& result) {
            const QJsonObject document = QJsonDocument::fromJson(result.out.toUtf8()).object();
            return document["points"].toArray().first().toObject()["runs"].toArray().first().toObject();
        };
        const QJsonObject done = firstRun(both);
        const QJsonObject scans = done["groups"].toObject()["scans"].toObject();
        const QJsonObject writes = done["groups"].toObject()["writes"].toObject();
        // Not that of each user, nor without bounds; a machine without a free core serves a part of it.
        QVERIFY2(std::abs(writes["tps"].toDouble() - 40) < 15, qPrintable(both.out));
        QVERIFY(scans["transactions"].toDouble() > 100);
        QVERIFY(about(scans["transactions"].toDouble() + writes["transactions"].toDouble(),
                      done["transactions"].toDouble()));
        QVERIFY(writes["response_ms"].toObject()["p95"].toDouble() > 0);
        const QJsonObject operations = done["operations"].toObject();
        QVERIFY(
            about(operations["scans.random_ranges"].toObject()["count"].toDouble(), scans["transactions"].toDouble()));
        QVERIFY(about(operations["writes.index_update"].toObject()["count"].toDouble(),
                      2 * writes["transactions"].toDouble()));
        QVERIFY(!operations.contains("scans"));

        const Result alone = dyno(run + QStringList{"--set", "load.group.writes.users=0"});
        QVERIFY2(alone.code == 0, qPrintable(alone.out + alone.err));
        QVERIFY(!firstRun(alone)["groups"].toObject().contains("writes"));
        const Result shown = dyno({"show", "last", "--run", "1", "--library", m_dir.filePath("groups.dynolib")});
        QVERIFY2(shown.out.contains("scans.random_ranges"), qPrintable(shown.out));
        const Result wrong = dyno(run + QStringList{"--set", "load.group.scan.users=1"});
        QVERIFY(wrong.code == 2 && wrong.err.contains("scans"));
    }

    void killedAndRestoredOnDemand()
    {
        killInTheMiddle();
        const QJsonArray left = json({"servers", "left", "--json"})["left"].toArray();
        QCOMPARE(left.size(), 2);
        for (const QJsonValue& change : left) {
            QCOMPARE(change.toObject()["target"].toString(), m_uri);
            QVERIFY(!change.toObject()["owner_alive"].toBool());
        }
        QVERIFY(dyno({"servers", "left"}).out.contains("sync_binlog"));
        QVERIFY(dyno({"servers"}).err.contains("dyno servers left"));
        const Result restored = dyno({"servers", "restore"});
        QVERIFY2(restored.code == 0, qPrintable(restored.out + restored.err));
        QVERIFY2(restored.out.contains("sync_binlog put back to 0"), qPrintable(restored.out));
        QCOMPARE(value("sync_binlog"), QString("0"));
        QCOMPARE(value("innodb_io_capacity"), QString("200"));
        QVERIFY(dyno({"servers", "left"}).out.contains("Nothing"));
        QVERIFY(dyno({"servers", "restore"}).out.contains("Nothing"));
    }

    void killedAndRestoredByTheNextRun()
    {
        killInTheMiddle();
        // Of another target: even so what was left comes back before it begins.
        const Result next = dyno({"run", "--target", "sqlite:", "--workload", "oltp_point_select", "--param",
                                  "tables=1", "--param", "table_size=100", "--time", "0.2", "--quiet"});
        QVERIFY2(next.code == 0, qPrintable(next.out + next.err));
        QVERIFY2(next.err.contains("sync_binlog put back to 0"), qPrintable(next.err));
        QCOMPARE(value("sync_binlog"), QString("0"));
        QCOMPARE(value("innodb_io_capacity"), QString("200"));
        QVERIFY(dyno({"servers", "left"}).out.contains("Nothing"));
    }

    //! One session at a time: the second would take the first one's test value for the owner's.
    void twoSessionsThatChangeTheSameServer()
    {
        QProcess first;
        prepare(first);
        first.start(QString(DYNO_BIN_DIR) + "/dyno", runArguments("600", {"--knob", "sync_binlog=7"}));
        QVERIFY(first.waitForStarted());
        QTRY_COMPARE_WITH_TIMEOUT(value("sync_binlog"), QString("7"), 120'000);
        // Into another library too.
        for (const QStringList& more : {QStringList{}, QStringList{"--library", m_dir.filePath("other.dynolib")}}) {
            const Result second = dyno(runArguments("0.2", QStringList{"--knob", "sync_binlog=8"} + more));
            QVERIFY2(second.code == 2, qPrintable(QString::number(second.code) + second.out + second.err));
            const QString process = QString("process %1, session ").arg(first.processId());
            for (const QString& part : {process, QString("nothing was changed"), QString("--wait")})
                QVERIFY2(second.err.contains(part), qPrintable(second.err));
            QCOMPARE(value("sync_binlog"), QString("7"));
        }
        // One that changes nothing is not hindered.
        QCOMPARE(dyno(runArguments("0.2")).code, 0);

        QProcess waiting;
        prepare(waiting);
        QStringList patient = runArguments("0.2", {"--knob", "sync_binlog=8", "--wait"});
        patient.removeAll("--quiet");
        waiting.start(QString(DYNO_BIN_DIR) + "/dyno", patient);
        QString said;
        const auto saysThatItWaits = [&] {
            said += QString::fromUtf8(waiting.readAllStandardError());
            return said.contains("waiting for another session") || waiting.state() == QProcess::NotRunning;
        };
        QTRY_VERIFY_WITH_TIMEOUT(saysThatItWaits(), 120'000);
        QVERIFY2(waiting.state() == QProcess::Running, qPrintable(said));
        QCOMPARE(value("sync_binlog"), QString("7"));
        // Whoever waits can be told to end.
        QProcess impatient;
        prepare(impatient);
        impatient.start(QString(DYNO_BIN_DIR) + "/dyno", patient);
        QString hurried;
        const auto waitsToo = [&] {
            hurried += QString::fromUtf8(impatient.readAllStandardError());
            return hurried.contains("waiting for another session") || impatient.state() == QProcess::NotRunning;
        };
        QTRY_VERIFY_WITH_TIMEOUT(waitsToo(), 120'000);
        QVERIFY(signalTo(impatient, SIGINT));
        QVERIFY(impatient.waitForFinished(120'000));
        QCOMPARE(impatient.exitCode(), 130);

        QVERIFY(signalTo(first, SIGINT));
        QVERIFY(first.waitForFinished(120'000));
        QCOMPARE(first.exitCode(), 130);
        QVERIFY(waiting.state() == QProcess::NotRunning || waiting.waitForFinished(120'000));
        said += QString::fromUtf8(waiting.readAllStandardError());
        QVERIFY2(waiting.exitCode() == 0, qPrintable(said));
        QCOMPARE(value("sync_binlog"), QString("0"));
        QVERIFY(dyno({"servers", "left"}).out.contains("Nothing"));
    }

    //! A socket reached by another path stands for a socket and a port: two URIs, one server.
    void oneServerByTwoUris()
    {
        const QString link = m_dir.filePath("s");
        QFile::remove(link);
        QVERIFY(QFile::link(QString::fromStdString(m_server.socket()), link));
        QString other = m_uri;
        other.replace(QString::fromStdString(m_server.socket()), link);
        QVERIFY(other != m_uri);
        const auto onOther = [&](QStringList arguments) {
            arguments[arguments.indexOf("--target") + 1] = other;
            return arguments;
        };
        QProcess first;
        prepare(first);
        first.start(QString(DYNO_BIN_DIR) + "/dyno", runArguments("600", {"--knob", "sync_binlog=7"}));
        QVERIFY(first.waitForStarted());
        QTRY_COMPARE_WITH_TIMEOUT(value("sync_binlog"), QString("7"), 120'000);
        const Result second = dyno(onOther(runArguments("0.2", {"--knob", "sync_binlog=8"})));
        QCOMPARE(second.code, 2);
        QVERIFY2(second.err.contains(QString("process %1, session ").arg(first.processId())), qPrintable(second.err));
        QCOMPARE(value("sync_binlog"), QString("7"));
        // After a kill, the owner's value comes back by the other URI too, whichever library remembers it.
        QVERIFY(signalTo(first, SIGKILL));
        QVERIFY(first.waitForFinished(120'000));
        const Result next = dyno(
            onOther(runArguments("0.2", {"--knob", "sync_binlog=8", "--library", m_dir.filePath("by-link.dynolib")})));
        QVERIFY2(next.code == 0, qPrintable(next.out + next.err));
        QCOMPARE(value("sync_binlog"), QString("0"));
        QVERIFY(dyno({"servers", "left"}).out.contains("Nothing"));
    }

    //! Nothing is put back while a session, of whatever library, changes the same server.
    void nothingIsPutBackUnderASession()
    {
        killInTheMiddle();
        const QStringList calm{"run",     "--target", "sqlite:", "--workload",     "oltp_point_select",
                               "--param", "tables=1", "--param", "table_size=100", "--time",
                               "0.2",     "--quiet"};
        {
            const auto server = parseUri(m_uri.toStdString());
            QVERIFY(server);
            auto lock = SettingsLock::attempt(LockedThing::ofServer(*server),
                                              m_dir.filePath("data/dynobench").toStdString(), "of the test", {});
            QVERIFY(lock && lock->held());
            const Result next = dyno(calm);
            QVERIFY2(next.code == 0, qPrintable(next.out + next.err));
            QVERIFY2(next.err.contains("a session that runs now changes settings of the same server"),
                     qPrintable(next.err));
            QCOMPARE(value("sync_binlog"), QString("7"));
            lock->release(lock->libraries());
        }
        QCOMPARE(dyno(calm).code, 0);
        QCOMPARE(value("sync_binlog"), QString("0"));
        QCOMPARE(value("innodb_io_capacity"), QString("200"));
        QVERIFY(dyno({"servers", "left"}).out.contains("Nothing"));
    }

    //! What a killed session set is not the owner's value, whichever library remembers it.
    void theOwnersValueComesBackAfterAKill()
    {
        killInTheMiddle();
        const QString other = m_dir.filePath("another.dynolib");
        const Result next = dyno(runArguments("0.2", {"--knob", "sync_binlog=8", "--library", other}));
        QVERIFY2(next.code == 0, qPrintable(next.out + next.err));
        QCOMPARE(value("sync_binlog"), QString("0"));
        QCOMPARE(value("innodb_io_capacity"), QString("200"));
        QVERIFY(dyno({"servers", "left"}).out.contains("Nothing"));
    }

    //! One Ctrl-C ends a run on a server that answers nothing any more; its settings stay written down.
    void aFrozenServerHoldsNobodyUp()
    {
        if (!m_server.managed())
            QSKIP("somebody else's server is not frozen");
        const QString file = m_dir.filePath("frozen.dynolib");
        const auto intervals = [&file]() -> std::size_t {
            auto opened = Library::open(file.toStdString(), Library::Mode::ReadOnly);
            const auto id = opened ? (*opened)->resolveId("last") : Expected<std::string>(fail({}));
            const auto session = opened && id ? (*opened)->session(*id) : Expected<StoredSession>(fail({}));
            if (!session || session->runs.empty())
                return 0;
            const auto found = (*opened)->intervals(session->runs.front().id);
            return found ? found->size() : 0;
        };
        QProcess process;
        prepare(process);
        // A connection that puts settings back would be tried for ten minutes.
        process.start(QString(DYNO_BIN_DIR) + "/dyno",
                      runArguments("600", {"--knob", "sync_binlog=7", "--knob", "connection.connect_timeout=600",
                                           "--interval", "0.1", "--library", file}));
        QVERIFY(process.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(intervals() >= 2, 120'000);
        Frozen frozen(m_server.managed()->process());
        QVERIFY(frozen.holds());
        QVERIFY(signalTo(process, SIGINT));
        const bool ended = process.waitForFinished(200'000);
        frozen.thaw();
        const QString said = QString::fromUtf8(process.readAllStandardError());
        QVERIFY2(ended, "it still waits for the server");
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 130);
        QVERIFY2(said.contains("still changed") && said.contains("dyno servers restore"), qPrintable(said));
        QVERIFY(intervals() >= 2); // what was measured is kept
        QCOMPARE(value("sync_binlog"), QString("7"));
        const auto left = leftChanges(file.toStdString());
        QVERIFY(left);
        QCOMPARE(left->size(), std::size_t(1));
        QCOMPARE(left->front().oldValue, std::string("0"));
        QVERIFY(!left->front().ownerAlive);
        // The next run has another library, and puts them back all the same.
        QCOMPARE(dyno(runArguments("0.2", {"--knob", "sync_binlog=8"})).code, 0);
        QCOMPARE(value("sync_binlog"), QString("0"));
    }

    void whatSomebodyElseSetIsShown()
    {
        killInTheMiddle();
        QVERIFY(m_admin->execute("SET GLOBAL innodb_io_capacity=555"));
        const Result next = dyno(runArguments("0.2"));
        QVERIFY2(next.code == 0, qPrintable(next.out + next.err));
        QVERIFY2(next.err.contains("555") && next.err.contains("left alone"), qPrintable(next.err));
        QCOMPARE(value("innodb_io_capacity"), QString("555"));
        QCOMPARE(value("sync_binlog"), QString("0"));
        const Result again = dyno({"servers", "restore", m_uri, "--json"});
        QCOMPARE(again.code, 1);
        const QJsonArray results = QJsonDocument::fromJson(again.out.toUtf8()).object()["restored"].toArray();
        QCOMPARE(results.size(), 1);
        QCOMPARE(results[0].toObject()["outcome"].toString(), QString("others-value"));
        QCOMPARE(results[0].toObject()["found"].toString(), QString("555"));
        QCOMPARE(dyno({"servers", "restore", m_uri, "--overwrite"}).code, 0);
        QCOMPARE(value("innodb_io_capacity"), QString("200"));
    }

    void aProductionServerIsNotPutBackUnasked()
    {
        killInTheMiddle();
        QCOMPARE(dyno({"servers", "add", m_uri, "--production"}).code, 0);
        const Result other = dyno({"run", "--target", "sqlite:", "--workload", "oltp_point_select", "--param",
                                   "tables=1", "--param", "table_size=100", "--time", "0.2", "--quiet"});
        QVERIFY2(other.code == 0, qPrintable(other.out + other.err));
        QVERIFY2(other.err.contains("production") && other.err.contains("dyno servers restore \"" + m_uri),
                 qPrintable(other.err));
        QCOMPARE(dyno(runArguments("0.2")).code, 2); // refused before anything is changed
        QCOMPARE(value("sync_binlog"), QString("7"));
        QCOMPARE(dyno({"servers", "restore", m_uri}).code, 0);
        QCOMPARE(value("sync_binlog"), QString("0"));
        QCOMPARE(dyno({"servers", "forget", m_uri}).code, 0);
    }

    void aServerThatIsGone()
    {
        killInTheMiddle();
        const Result other = dyno({"servers", "restore", "mysql://root@127.0.0.1:1/"});
        QVERIFY(other.out.contains("Nothing")); // of another server
        QCOMPARE(value("sync_binlog"), QString("7"));
        if (!m_server.managed())
            QSKIP("the server is somebody else's: it cannot be stopped");
        m_admin.reset();
        m_server.stop();
        // The run goes on and tells the command that puts it back.
        const Result next = dyno({"run", "--target", "sqlite:", "--workload", "oltp_point_select", "--param",
                                  "tables=1", "--param", "table_size=100", "--time", "0.2", "--quiet"});
        QVERIFY2(next.code == 0, qPrintable(next.out + next.err));
        QVERIFY2(next.err.contains("dyno servers restore \"" + m_uri), qPrintable(next.err));
        QCOMPARE(dyno({"servers", "restore"}).code, 1);
        QVERIFY(dyno({"servers", "left"}).out.contains("sync_binlog")); // it stays on the list
        QCOMPARE(dyno({"servers", "forget-changes", m_uri}).code, 0);
        QVERIFY(dyno({"servers", "left"}).out.contains("Nothing"));
        initTestCase();
    }

    void remembersServers()
    {
        QCOMPARE(dyno({"servers", "add", m_uri, "--name", "shop", "--apply", "tee a.cnf", "--restart", "true"}).code,
                 0);
        QCOMPARE(dyno({"servers", "add", m_uri, "--production"}).code, 0); // what is not named stays
        const QJsonArray remote = json({"servers", "list", "--json"})["remote"].toArray();
        QCOMPARE(remote.size(), 1);
        QCOMPARE(remote[0].toObject()["name"].toString(), QString("shop"));
        QCOMPARE(remote[0].toObject()["apply"].toString(), QString("tee a.cnf"));
        QVERIFY(remote[0].toObject()["production"].toBool());
        QVERIFY(dyno({"servers"}).out.contains("production"));
        QCOMPARE(dyno({"servers", "add", m_uri, "--apply", ""}).code, 2);
        QCOMPARE(dyno({"servers", "add", "sqlite:a.db"}).code, 2);
        const Result secret = dyno({"servers", "add", "mysql://root:hunter2@db1/"});
        QCOMPARE(secret.code, 2);
        QVERIFY(!secret.err.contains("hunter2"));
    }

    void productionAsksFirst()
    {
        QCOMPARE(dyno({"servers", "add", m_uri, "--production"}).code, 0);
        const Result refused = dyno(runArguments("0.2", {"--knob", "sync_binlog=7"}));
        QCOMPARE(refused.code, 2);
        QVERIFY2(refused.err.contains("production") && refused.err.contains("--yes-production"),
                 qPrintable(refused.err));
        QCOMPARE(value("sync_binlog"), QString("0"));
        for (const char* command : {"prepare", "cleanup"}) {
            const Result data =
                dyno({command, "--target", m_uri, "--workload", "oltp_point_select", "--param", "tables=1"});
            QCOMPARE(data.code, 2);
            QVERIFY(data.err.contains("--yes-production"));
        }
        // Reading is allowed.
        QCOMPARE(dyno({"check", "--target", m_uri}).code, 0);
        QCOMPARE(dyno({"servers", "variables", m_uri}).code, 0);
        const Result agreed = dyno(runArguments("0.2", {"--knob", "sync_binlog=7", "--yes-production"}));
        QVERIFY2(agreed.code == 0, qPrintable(agreed.out + agreed.err));
        QCOMPARE(value("sync_binlog"), QString("0"));
        // A file that cannot be understood might have said so.
        QFile file(m_dir.filePath("data/dynobench/servers.toml"));
        QVERIFY(file.open(QIODevice::Append));
        file.write("[[server]\n");
        file.close();
        const Result unsure = dyno(runArguments("0.2"));
        QCOMPARE(unsure.code, 2);
        QVERIFY2(unsure.err.contains("servers.toml:"), qPrintable(unsure.err));
        QCOMPARE(dyno({"servers"}).code, 2);
        QVERIFY(file.remove());
    }

    void aNamedServerIsPreparedPricedAndCleanedUp()
    {
        if (!m_server.managed())
            QSKIP("no server can be started here");
        const QStringList what{"--workload", "oltp_point_select", "--param", "tables=1", "--param", "table_size=100"};
        const QStringList named = QStringList{"--target", "managed:mariadb?name=kept"} + what;
        const QStringList pages{"--knob", "innodb_page_size=8192"};
        const Result prepared = dyno(QStringList{"prepare"} + named + pages);
        QVERIFY2(prepared.code == 0, qPrintable(prepared.err));
        // The data was made as the plan says, or the run would be refused.
        const Result run = dyno(QStringList{"run"} + named + pages + QStringList{"--time", "0.2", "--quiet"});
        QVERIFY2(run.code == 0, qPrintable(run.err));
        // Its price is kept with it, and runs have it.
        QVERIFY(!dyno({"servers"}).out.contains("0.35"));
        const QString uri = "managed:mariadb?name=kept";
        const Result priced = dyno({"servers", "add", uri, "--cost-per-hour", "0.35", "--currency", "CHF"});
        QVERIFY2(priced.code == 0, qPrintable(priced.err));
        QCOMPARE(dyno({"servers", "add", uri, "--watts", "40"}).code, 0); // what is not named stays
        const QJsonArray instances = json({"servers", "--json"})["instances"].toArray();
        QCOMPARE(instances.size(), 1);
        QCOMPARE(instances[0].toObject()["uri"].toString(), uri);
        QCOMPARE(instances[0].toObject()["cost_per_hour"].toDouble(), 0.35);
        QVERIFY(dyno({"servers"}).out.contains("0.35 CHF/h, 40 W"));
        const Result check = dyno({"check", planFile(uri), "--points"});
        QVERIFY2(check.out.contains("CHF0.35") && check.out.contains("40"), qPrintable(check.out + check.err));
        const QJsonObject point =
            json(QStringList{"run"} + named + pages + QStringList{"--time", "0.2", "--quiet", "--json"})["points"]
                .toArray()[0]
                .toObject();
        QCOMPARE(point["price"].toObject()["cost_per_hour"].toDouble(), 0.35);
        QCOMPARE(point["price"].toObject()["watts"].toDouble(), 40.0);
        const QJsonObject figures = point["runs"].toArray()[0].toObject();
        QVERIFY(std::abs(figures["tx_per_cost"].toDouble() - figures["tps"].toDouble() * 3600 / 0.35) < 10);
        for (const QStringList& wrong :
             {QStringList{uri, "--production"}, QStringList{"managed:mariadb", "--watts", "1"},
              QStringList{"managed:mysql?name=kept", "--watts", "1"},
              QStringList{"managed:mariadb?name=none", "--watts", "1"}, QStringList{uri, "--cost-per-hour", "-1"}}) {
            const Result refused = dyno(QStringList{"servers", "add"} + wrong);
            QVERIFY2(refused.code == 2 && !refused.err.isEmpty(), qPrintable(wrong.join(' ') + refused.err));
        }
        const Result cleaned = dyno(QStringList{"cleanup"} + named);
        QVERIFY2(cleaned.code == 0, qPrintable(cleaned.err));
        for (const char* command : {"prepare", "cleanup"}) {
            const Result refused = dyno(QStringList{command, "--target", "managed:mariadb"} + what);
            QCOMPARE(refused.code, 2);
            QVERIFY2(refused.err.contains("?name="), qPrintable(refused.err));
        }
        namedServerIsRemoved();
    }

    void restartOnlyKnobIsRefusedBeforehand()
    {
        const Result refused =
            dyno(runArguments("0.2", {"--knob", "innodb_log_buffer_size=8M", "--knob", "sync_binlog=7"}));
        QVERIFY(refused.code == 2 || refused.code == 3);
        QVERIFY2(refused.err.contains("needs a restart") && refused.err.contains("--apply"), qPrintable(refused.err));
        QCOMPARE(value("sync_binlog"), QString("0"));
        QVERIFY(dyno({"servers", "left"}).out.contains("Nothing"));
    }

    void withoutALibraryNothingIsChanged()
    {
        const Result refused = dyno(runArguments("0.2", {"--knob", "sync_binlog=7", "--no-library"}));
        QCOMPARE(refused.code, 2);
        QVERIFY(refused.err.contains("--no-library"));
        QCOMPARE(dyno(runArguments("0.2", {"--no-library"})).code, 0);
    }

    void variables()
    {
        QVERIFY(m_admin->execute("SET GLOBAL sync_binlog=7"));
        const QJsonObject document = json({"servers", "variables", m_uri, "--json"});
        QCOMPARE(document["target"].toString(), m_uri);
        bool found = false;
        for (const QJsonValue& entry : document["variables"].toArray()) {
            const QJsonObject variable = entry.toObject();
            if (variable["name"] != "sync_binlog")
                continue;
            found = true;
            QCOMPARE(variable["value"].toString(), QString("7"));
            QCOMPARE(variable["default"].toString(), QString("0"));
            QVERIFY(variable["knob"].toBool() && variable["dynamic"].toBool());
        }
        QVERIFY(found);
        const Result changed = dyno({"servers", "variables", m_uri, "--changed"});
        QVERIFY(changed.out.contains("sync_binlog"));
        QVERIFY(!changed.out.contains("innodb_adaptive_flushing "));
        QCOMPARE(dyno({"servers", "variables", "mysql://root@127.0.0.1:1/"}).code, 3);
        QCOMPARE(dyno({"servers", "variables", "nonsense"}).code, 2);
    }

    void knobsOfEveryDriverAreListed()
    {
        const Result knobs = dyno({"knobs", "mysql"});
        for (const char* name : {"server.innodb_page_cleaners", "table.partitions", "host.cpu_governor"})
            QVERIFY2(knobs.out.contains(name), name);
        QVERIFY(dyno({"knobs", "sqlite"}).out.contains("host.io_scheduler"));
        const Result one = dyno({"knobs", "mysql", "innodb_page_cleaners"});
        QCOMPARE(one.code, 0);
        for (const char* part : {"MariaDB before 10.6", "MySQL from 5.7.4", "needs a restart", "worth a try"})
            QVERIFY2(one.out.contains(part), qPrintable(one.out));
        QVERIFY(dyno({"knobs", "mysql", "table.encryption"}).out.contains("keyring"));
        QCOMPARE(dyno({"knobs", "mysql", "no_such"}).code, 2);
        QCOMPARE(dyno({"knobs", "no_such", "sync_binlog"}).code, 2);
    }
};

} // namespace dyno::tst_cli_servers

DYNO_SUITE(tst_cli_servers, dyno::tst_cli_servers::TestCliServers)
#include "tst_cli_servers.moc"
