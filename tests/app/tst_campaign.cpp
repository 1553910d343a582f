// SPDX-License-Identifier: GPL-3.0-or-later
// Kills, freezes, fills and damages at moments drawn by chance, and asks each time what must hold then: the library is
// whole, a server's settings are as its owner had them after the next run, no server and no file of ours is left. Two
// rounds of each kind here; DYNO_TEST_ROUNDS asks for more (tests/campaign faults). The moments are the same each time
// (DYNO_TEST_SEED draws others); no round depends on how far dyno had come. All rounds of a kind are made whatever
// comes of them, and counted.
#include "support/dyno_process.h"
#include "support/mariadb_fixture.h"
#include "support/patience.h"
#include "support/small_disk.h"
#include "support/suite.h"

#include <dyno/library.h>

#include <QDirIterator>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <csignal>
#include <functional>
#include <random>

namespace dyno::tst_campaign {
using namespace dyno::test;

namespace {

QString g_noDisks; //!< why nothing can be mounted here

int rounds()
{
    const int asked = qEnvironmentVariableIntValue("DYNO_TEST_ROUNDS");
    return asked > 0 ? asked : 2;
}

//! Processes whose command line names `folder`, those of this test aside; `program`: only of that one.
QList<pid_t> processesBelow(const QString& folder, const QByteArray& program = {})
{
    QList<pid_t> found;
    for (const QString& name : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        bool isPid = false;
        if (name.toLongLong(&isPid) == QCoreApplication::applicationPid() || !isPid)
            continue;
        QFile commandLine(QStringLiteral("/proc/%1/cmdline").arg(name));
        const QByteArray text = commandLine.open(QIODevice::ReadOnly) ? commandLine.readAll() : QByteArray();
        if (text.contains(folder.toUtf8()) && (program.isEmpty() || text.left(text.indexOf('\0')).endsWith(program)))
            found << pid_t(name.toLongLong());
    }
    return found;
}

//! Private database files and folders of servers that nobody uses any more.
QStringList leftFiles(const QTemporaryDir& dir)
{
    QStringList found;
    for (const char* folder : {"sqlite", "managed"}) {
        const QDir own(dir.filePath(QStringLiteral("data/dynobench/%1").arg(folder)));
        for (const QString& name : own.entryList(QDir::AllEntries | QDir::NoDotAndDotDot))
            found << own.filePath(name);
    }
    return found;
}

QString libraryOf(const QTemporaryDir& dir)
{
    return dir.filePath(QStringLiteral("data/dynobench/library.dynolib"));
}

//! "" when `file` is a whole library, or none.
QString wholeLibrary(const QTemporaryDir& dir, const QString& file)
{
    if (!QFile::exists(file))
        return {};
    const DynoResult check = runDyno(dir, {"library", "check", "--library", file});
    return check.code == 0 ? QString() : "the library is damaged: " + check.out + check.err;
}

//! What of `dir` is left when all have ended: "" for nothing.
QString leftIn(const QTemporaryDir& dir)
{
    QElapsedTimer waited;
    for (waited.start(); !processesBelow(dir.path()).isEmpty() && waited.elapsed() < kPatienceMs;)
        QTest::qWait(20);
    if (!processesBelow(dir.path()).isEmpty())
        return QStringLiteral("a process is left");
    const QStringList files = leftFiles(dir);
    return files.isEmpty() ? QString() : "left behind: " + files.join(' ');
}

QStringList runOf(const QString& target, const char* users = "1,2")
{
    return {"run",     "--target", target,    "--workload",      "oltp_read_write",
            "--users", users,      "--param", "table_size=1000", "--existing",
            "rebuild", "--allow",  "all",     "--interval",      "0.2"};
}

} // namespace

class TstCampaign : public QObject
{
    Q_OBJECT

    std::mt19937 m_random;
    struct Kind
    {
        QString name;
        int tries, lost;
    };
    QList<Kind> m_kinds;

    int drawn(int from, int to) { return std::uniform_int_distribution<int>(from, to)(m_random); }

    //! Makes all rounds; each says what was lost, "" for nothing.
    void campaign(const QString& name, const std::function<QString(int round)>& round)
    {
        QStringList lost;
        for (int i = 0; i < rounds(); ++i) {
            if (const QString problem = round(i); !problem.isEmpty())
                lost << QStringLiteral("round %1: %2").arg(i).arg(problem);
        }
        m_kinds.push_back({name, rounds(), int(lost.size())});
        QVERIFY2(lost.isEmpty(), qPrintable(lost.join('\n')));
    }

    //! Lets dyno work until `moment` ms have passed; "" or why it did not go on for so long.
    static QString started(QProcess& dyno, const QTemporaryDir& dir, const QStringList& arguments, int moment)
    {
        prepareDyno(dyno, dir, arguments);
        dyno.setProcessChannelMode(QProcess::MergedChannels);
        dyno.start();
        if (!dyno.waitForStarted())
            return QStringLiteral("dyno does not start");
        return dyno.waitForFinished(moment) ? "it ended: " + dyno.readAll() : QString();
    }

    //! Waits for its end; "" or what is wrong with it. `codes`: those that are right. What is frozen may be the program
    //! that makes a data folder, which has five minutes.
    static constexpr int kLongestMs = 330'000;
    static QString ended(QProcess& dyno, const QList<int>& codes)
    {
        if (dyno.state() != QProcess::NotRunning && !dyno.waitForFinished(kLongestMs)) {
            dyno.kill();
            dyno.waitForFinished();
            return "it did not end: " + dyno.readAll();
        }
        if (dyno.exitStatus() != QProcess::NormalExit)
            return "it crashed: " + dyno.readAll();
        return codes.contains(dyno.exitCode()) ? QString()
                                               : QStringLiteral("exit code %1: ").arg(dyno.exitCode()) + dyno.readAll();
    }

private slots:
    void initTestCase()
    {
        const int seed = qEnvironmentVariableIntValue("DYNO_TEST_SEED");
        m_random.seed(seed > 0 ? unsigned(seed) : 19U);
    }

    void cleanupTestCase()
    {
        for (const Kind& kind : m_kinds)
            qInfo("%-32s tries %4d  survived %4d  lost %4d", qPrintable(kind.name), kind.tries, kind.tries - kind.lost,
                  kind.lost);
    }

    void dynoKilled_data()
    {
        QTest::addColumn<QString>("target");
        QTest::addRow("private SQLite file") << "sqlite:";
        QTest::addRow("named SQLite file") << "sqlite:named.db";
        QTest::addRow("managed server") << "managed:mariadb";
        QTest::addRow("remote server") << "";
    }
    void dynoKilled()
    {
        QFETCH(QString, target);
        MariadbFixture server;
        QStringList more;
        if (!target.startsWith(QStringLiteral("sqlite:"))) {
            if (const std::string why = MariadbFixture::whyMissing(); !why.empty())
                QSKIP(why.c_str());
        }
        const bool remote = target.isEmpty();
        if (remote) {
            const auto up = server.start();
            QVERIFY2(up, up ? "" : up.error().text().c_str());
            target = QString::fromStdString(server.uriText());
            more << "--prepare"
                 << "--knob"
                 << "server.innodb_flush_log_at_trx_commit=2";
        }
        campaign(QStringLiteral("dyno killed, ") + QTest::currentDataTag(), [&](int) -> QString {
            QTemporaryDir dir;
            const QStringList run = runOf(target) + more;
            const int moment = drawn(0, 4000);
            const QString at = QStringLiteral("killed after %1 ms: ").arg(moment);
            QProcess dyno;
            if (const QString problem = started(dyno, dir, run + QStringList{"--time", "600"}, moment);
                !problem.isEmpty())
                return at + problem;
            if (!signalTo(dyno, SIGKILL) || !dyno.waitForFinished(kPatienceMs))
                return at + "it cannot be killed";
            QElapsedTimer waited;
            for (waited.start(); !processesBelow(dir.path()).isEmpty() && waited.elapsed() < kPatienceMs;)
                QTest::qWait(20);
            if (!processesBelow(dir.path()).isEmpty())
                return at + "a process outlived it";
            // The next one finds a whole library, and measures.
            if (const QString problem = wholeLibrary(dir, libraryOf(dir)); !problem.isEmpty())
                return at + problem;
            QStringList calm = run;
            if (remote)
                calm.remove(calm.indexOf("--knob"), 2); // it changes nothing itself, and puts back what was left
            const DynoResult again = runDyno(dir, calm + QStringList{"--time", "1"});
            if (again.code != 0)
                return at + "the next run fails: " + again.err;
            for (const QString& problem : {wholeLibrary(dir, libraryOf(dir)), leftIn(dir)}) {
                if (!problem.isEmpty())
                    return at + problem;
            }
            const auto opened = Library::open(libraryOf(dir).toStdString(), Library::Mode::ReadOnly);
            const auto last = opened ? (*opened)->resolveId("last") : Expected<std::string>(fail({}));
            const auto session = last ? (*opened)->session(*last) : Expected<StoredSession>(fail({}));
            if (!session || session->info.status != RunStatus::Done || !session->damage.empty())
                return at + "the next session is not whole";
            if (!remote)
                return {};
            const auto admin = server.admin();
            const auto value =
                admin ? (*admin)->variable("innodb_flush_log_at_trx_commit") : Expected<std::string>(fail({}));
            return value && *value == "1" ? QString() : at + "the owner's setting is lost";
        });
    }

    //! The server of a session dies, or stops answering. What was measured is kept, and the next run has a server
    //! again.
    void serverGone_data()
    {
        QTest::addColumn<int>("signal");
        QTest::addRow("killed") << SIGKILL;
        QTest::addRow("frozen") << SIGSTOP;
    }
    void serverGone()
    {
        QFETCH(int, signal);
        if (const std::string why = MariadbFixture::whyMissing(true); !why.empty())
            QSKIP(why.c_str());
        campaign(QStringLiteral("server ") + QTest::currentDataTag(), [&](int round) -> QString {
            QTemporaryDir dir;
            const QStringList run = runOf(QStringLiteral("managed:mariadb"), "2");
            const int moment = drawn(0, 3000);
            const QString at = QStringLiteral("after %1 ms of the server: ").arg(moment);
            QProcess dyno;
            if (const QString problem = started(dyno, dir, run + QStringList{"--time", "3"}, 1); !problem.isEmpty())
                return at + problem;
            QElapsedTimer waited;
            QList<pid_t> servers;
            for (waited.start();
                 servers.isEmpty() && dyno.state() == QProcess::Running && waited.elapsed() < kPatienceMs;) {
                QTest::qWait(5);
                servers = processesBelow(dir.path(), "mariadbd");
            }
            if (servers.isEmpty())
                return at + "no server came: " + dyno.readAll();
            static_cast<void>(dyno.waitForFinished(moment));
            servers = processesBelow(dir.path(), "mariadbd");
            for (const pid_t server : servers)
                static_cast<void>(::kill(server, signal));
            // One Ctrl-C ends a run on a frozen server; without it the run ends by itself, which takes its time of
            // grace.
            if (signal == SIGSTOP && (rounds() <= 2 || round % 2 == 0))
                static_cast<void>(signalTo(dyno, SIGINT));
            if (const QString problem = ended(dyno, {0, 1, 3, 130}); !problem.isEmpty()) // 0: it was through already
                return at + problem;
            for (const QString& problem : {wholeLibrary(dir, libraryOf(dir)), leftIn(dir)}) {
                if (!problem.isEmpty())
                    return at + problem;
            }
            const DynoResult again = runDyno(dir, run + QStringList{"--time", "1"});
            return again.code == 0 ? leftIn(dir) : at + "the next run fails: " + again.err;
        });
    }

    //! The library's disk fills up, may only be read any more, or is gone, at some moment of a session: its document
    //! comes, and all that was measured is in the file that it names.
    void disk_data()
    {
        QTest::addColumn<QString>("how");
        for (const char* how : {"full", "read-only", "gone"})
            QTest::addRow("%s", how) << how;
    }
    void disk()
    {
        QFETCH(QString, how);
        if (!g_noDisks.isEmpty())
            QSKIP(qPrintable(g_noDisks));
        campaign(QStringLiteral("disk of the library ") + how, [&](int) -> QString {
            QTemporaryDir dir;
            auto disk = std::make_unique<SmallDisk>(8 << 20);
            if (!disk->isMounted())
                return QStringLiteral("no disk");
            const QString library = QString::fromStdString(disk->file("library.dynolib").string());
            const int moment = drawn(0, 1500);
            const QString at = QStringLiteral("after %1 ms: ").arg(moment);
            QProcess dyno;
            prepareDyno(dyno, dir, runOf("sqlite:", "2") + QStringList{"--time", "2", "--library", library, "--json"});
            dyno.start();
            if (!dyno.waitForStarted())
                return at + "dyno does not start";
            static_cast<void>(dyno.waitForFinished(moment));
            const bool began = QFile::exists(library);
            if (how == QStringLiteral("full"))
                disk->leave(0);
            else if (how == QStringLiteral("gone"))
                disk.reset(); // unmounted; who has files open there keeps them
            else if (!disk->makeReadOnly())
                disk->leave(0); // a file that is open for writing forbids it
            if (!dyno.waitForFinished(120'000))
                return at + "it did not end";
            const QByteArray out = dyno.readAllStandardOutput();
            if (dyno.exitStatus() != QProcess::NormalExit || dyno.exitCode() > 3)
                return at + "it crashed: " + dyno.readAllStandardError();
            const QJsonDocument document = QJsonDocument::fromJson(out);
            if (!document.isObject()) // before anything was measured there may be nothing to tell
                return dyno.exitCode() != 0 && !began ? QString() : at + "no document: " + dyno.readAllStandardError();
            const QString stored = document.object()["stored_in"].toString();
            if (stored.isEmpty() && how != QStringLiteral("gone"))
                return at + "it is stored nowhere: " + dyno.readAllStandardError();
            if (!stored.isEmpty() && how != QStringLiteral("gone") && !QFile::exists(stored))
                return at + "there is no file " + stored;
            if (!stored.isEmpty() && QFile::exists(stored)) {
                if (const QString problem = wholeLibrary(dir, stored); !problem.isEmpty())
                    return at + problem;
                const auto opened = Library::open(stored.toStdString(), Library::Mode::ReadOnly);
                const auto session = opened ? (*opened)->session(document.object()["session"].toString().toStdString())
                                            : Expected<StoredSession>(fail({}));
                if (!session || !session->damage.empty() || session->runs.empty())
                    return at + "the session is not whole in " + stored;
                double told = 0, kept = 0;
                for (const QJsonValue& point : document["points"].toArray()) {
                    for (const QJsonValue& run : point["runs"].toArray())
                        told += run["transactions"].toDouble();
                }
                for (const StoredRun& run : session->runs)
                    kept += double(run.summary.transactions);
                if (kept != told)
                    return at + QStringLiteral("%1 transactions are told, %2 are stored").arg(told).arg(kept);
                if (stored.contains("rescued"))
                    QFile::remove(stored);
            }
            return leftIn(dir);
        });
    }

    //! Bits turn in a library: it is read as far as it is whole, or refused, and a damaged part is named.
    void damagedLibrary()
    {
        QTemporaryDir dir;
        const DynoResult made =
            runDyno(dir, runOf("sqlite:", "2") + QStringList{"--time", "1", "--out", dir.filePath("good.dyno")});
        QVERIFY2(made.code == 0, qPrintable(made.err));
        QFile file(dir.filePath("good.dyno"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray good = file.readAll();
        const QString bad = dir.filePath("bad.dyno");
        const DynoResult whole = runDyno(dir, {"show", dir.filePath("good.dyno"), "--json"});
        QCOMPARE(whole.code, 0);
        campaign(QStringLiteral("bits of a file turned"), [&](int) -> QString {
            QByteArray bytes = good;
            QString at;
            for (int bit = 0; bit < 3; ++bit) {
                const int place = drawn(0, int(bytes.size()) - 1);
                bytes[place] = char(bytes[place] ^ char(1 << drawn(0, 7)));
                at += QStringLiteral("byte %1, ").arg(place);
            }
            QFile out(bad);
            if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size())
                return QStringLiteral("it cannot be written");
            out.close();
            const DynoResult shown = runDyno(dir, {"show", bad, "--json"});
            if (shown.code < 0 || shown.code > 3)
                return at + "it crashed: " + shown.err;
            if (shown.code != 0)
                return shown.err.isEmpty() ? at + "refused without a word" : QString();
            const QJsonObject document = QJsonDocument::fromJson(shown.out.toUtf8()).object();
            if (!document["damaged"].toArray().isEmpty() || shown.out.contains("\"unreadable\"") ||
                shown.out == whole.out)
                return {};
            return at + "other figures without a word";
        });
    }

    void twoProcessesOnOneLibrary()
    {
        campaign(QStringLiteral("two processes, one library"), [&](int) -> QString {
            QTemporaryDir dir;
            QProcess one, two;
            for (QProcess* dyno : {&one, &two}) {
                prepareDyno(*dyno, dir,
                            {"run", "--target", "sqlite:", "--workload", "oltp_read_write", "--users", "1,2", "--param",
                             "table_size=1000", "--time", "1", "--interval", "0.1"});
                dyno->setProcessChannelMode(QProcess::MergedChannels);
                dyno->start();
            }
            for (QProcess* dyno : {&one, &two}) {
                if (const QString problem = ended(*dyno, {0}); !problem.isEmpty())
                    return problem;
            }
            if (const QString problem = wholeLibrary(dir, libraryOf(dir)); !problem.isEmpty())
                return problem;
            const auto library = Library::open(libraryOf(dir).toStdString(), Library::Mode::ReadOnly);
            const auto sessions = library ? (*library)->sessions() : Expected<std::vector<SessionInfo>>(fail({}));
            if (!sessions || sessions->size() != 2)
                return QStringLiteral("not both sessions are there");
            for (const auto& info : *sessions) {
                const auto session = (*library)->session(info.id);
                if (!session || info.status != RunStatus::Done || session->runs.size() != 2)
                    return QStringLiteral("a session is not whole");
                for (const auto& run : session->runs) {
                    const auto intervals = (*library)->intervals(run.id);
                    if (!intervals || intervals->empty())
                        return QStringLiteral("intervals are lost");
                }
            }
            return {};
        });
    }
};

} // namespace dyno::tst_campaign

int tst_campaign(int argc, char** argv)
{
    using namespace dyno::tst_campaign;
    g_noDisks = QString::fromStdString(mayMount()); // before there are threads
    QCoreApplication app(argc, argv);
    TstCampaign test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_campaign.moc"
