// SPDX-License-Identifier: GPL-3.0-or-later
// Kills dyno at moments drawn by chance, and asks each time what must hold then: the library is whole, a server's
// settings are as its owner had them after the next run, no server and no file of ours is left. Two rounds of each kind
// here; DYNO_TEST_ROUNDS asks for more (tests/campaign faults). The moments are the same each time (DYNO_TEST_SEED
// draws others); no round depends on how far dyno had come.
#include "support/dyno_process.h"
#include "support/mariadb_fixture.h"
#include "support/patience.h"
#include "support/suite.h"

#include <dyno/library.h>

#include <QDirIterator>
#include <QElapsedTimer>
#include <QTest>

#include <csignal>
#include <random>

using namespace dyno;
using namespace dyno::test;

namespace {

int rounds()
{
    const int asked = qEnvironmentVariableIntValue("DYNO_TEST_ROUNDS");
    return asked > 0 ? asked : 2;
}

//! Processes whose command line names `folder`, those of this test aside.
QStringList processesBelow(const QString& folder)
{
    QStringList found;
    for (const QString& name : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        bool isPid = false;
        if (name.toLongLong(&isPid) == QCoreApplication::applicationPid() || !isPid)
            continue;
        QFile commandLine(QStringLiteral("/proc/%1/cmdline").arg(name));
        if (commandLine.open(QIODevice::ReadOnly) && commandLine.readAll().contains(folder.toUtf8()))
            found << name;
    }
    return found;
}

} // namespace

class TstCampaign : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const int seed = qEnvironmentVariableIntValue("DYNO_TEST_SEED");
        m_random.seed(seed > 0 ? unsigned(seed) : 19U);
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
        if (target != QStringLiteral("sqlite:") && target != QStringLiteral("sqlite:named.db")) {
            if (const std::string why = MariadbFixture::whyMissing(); !why.empty())
                QSKIP(why.c_str());
        }
        const bool remote = target.isEmpty();
        if (remote) {
            const auto started = server.start();
            QVERIFY2(started, started ? "" : started.error().text().c_str());
            target = QString::fromStdString(server.uriText());
            more << "--prepare"
                 << "--knob"
                 << "server.innodb_flush_log_at_trx_commit=2";
        }
        for (int round = 0; round < rounds(); ++round) {
            QTemporaryDir dir;
            const QStringList run = QStringList{"run",     "--target", target,    "--workload",      "oltp_read_write",
                                                "--users", "1,2",      "--param", "table_size=1000", "--existing",
                                                "rebuild", "--allow",  "all",     "--interval",      "0.2"} +
                                    more;
            const int moment = std::uniform_int_distribution<int>(0, 4000)(m_random); // ms
            QProcess dyno;
            prepareDyno(dyno, dir, run + QStringList{"--time", "600"});
            dyno.setProcessChannelMode(QProcess::MergedChannels);
            dyno.start();
            QVERIFY(dyno.waitForStarted());
            QVERIFY2(!dyno.waitForFinished(moment), dyno.readAll().constData());
            QVERIFY(signalTo(dyno, SIGKILL));
            QVERIFY(dyno.waitForFinished(kPatienceMs));
            const QByteArray at =
                "killed after " + QByteArray::number(moment) + " ms, round " + QByteArray::number(round);
            QTRY_VERIFY2_WITH_TIMEOUT(processesBelow(dir.path()).isEmpty(), at.constData(), 120'000);

            // The next one finds a whole library, and measures.
            const QString library = dir.filePath(QStringLiteral("data/dynobench/library.dynolib"));
            if (QFile::exists(library)) {
                const DynoResult check = runDyno(dir, {"library", "check"});
                QVERIFY2(check.code == 0, (at + check.out.toUtf8() + check.err.toUtf8()).constData());
            }
            QStringList calm = run;
            if (remote)
                calm.remove(calm.indexOf("--knob"), 2); // it changes nothing itself, and puts back what was left
            const DynoResult again = runDyno(dir, calm + QStringList{"--time", "1"});
            QVERIFY2(again.code == 0, (at + again.err.toUtf8()).constData());
            const DynoResult check = runDyno(dir, {"library", "check"});
            QVERIFY2(check.code == 0, (at + check.out.toUtf8() + check.err.toUtf8()).constData());
            QVERIFY(processesBelow(dir.path()).isEmpty());
            QVERIFY2(leftFiles(dir).isEmpty(), (at + leftFiles(dir).join(' ').toUtf8()).constData());

            const auto opened = Library::open(library.toStdString(), Library::Mode::ReadOnly);
            QVERIFY(opened.has_value());
            const auto last = (*opened)->resolveId("last");
            QVERIFY(last.has_value());
            const auto session = (*opened)->session(*last);
            QVERIFY(session.has_value());
            QCOMPARE(session->info.status, RunStatus::Done);
            if (remote) {
                const auto admin = server.admin();
                QVERIFY(admin.has_value());
                const auto value = (*admin)->variable("innodb_flush_log_at_trx_commit");
                QVERIFY2(value.has_value(), value ? "" : value.error().text().c_str());
                QCOMPARE(*value, std::string("1"));
            }
        }
        qInfo("%s: %d kills survived", QTest::currentDataTag(), rounds());
    }

    void twoProcessesOnOneLibrary()
    {
        for (int round = 0; round < rounds(); ++round) {
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
                QVERIFY(dyno->waitForFinished(120'000));
                QVERIFY2(dyno->exitStatus() == QProcess::NormalExit && dyno->exitCode() == 0,
                         dyno->readAll().constData());
            }
            const DynoResult check = runDyno(dir, {"library", "check"});
            QVERIFY2(check.code == 0, (check.out + check.err).toUtf8().constData());
            const auto library = Library::open(
                dir.filePath(QStringLiteral("data/dynobench/library.dynolib")).toStdString(), Library::Mode::ReadOnly);
            QVERIFY(library.has_value());
            const auto sessions = (*library)->sessions();
            QVERIFY(sessions.has_value());
            QCOMPARE(sessions->size(), std::size_t(2));
            for (const auto& info : *sessions) {
                QCOMPARE(info.status, RunStatus::Done);
                const auto session = (*library)->session(info.id);
                QVERIFY(session.has_value());
                QCOMPARE(session->runs.size(), std::size_t(2));
                for (const auto& run : session->runs) {
                    const auto intervals = (*library)->intervals(run.id);
                    QVERIFY(intervals.has_value());
                    QVERIFY(!intervals->empty());
                }
            }
        }
    }

private:
    //! Private database files and folders of servers that nobody uses any more.
    static QStringList leftFiles(const QTemporaryDir& dir)
    {
        QStringList found;
        for (const char* folder : {"sqlite", "managed"}) {
            const QDir own(dir.filePath(QStringLiteral("data/dynobench/%1").arg(folder)));
            for (const QString& name : own.entryList(QDir::AllEntries | QDir::NoDotAndDotDot))
                found << own.filePath(name);
        }
        return found;
    }

    std::mt19937 m_random;
};

DYNO_SUITE(tst_campaign, TstCampaign)
#include "tst_campaign.moc"
