// SPDX-License-Identifier: GPL-3.0-or-later
// What must survive: a server killed in mid-run, and Dynobench itself killed with -9.
#include "engine/recording_sink.h"
#include "support/dyno_process.h"
#include "support/frozen.h"
#include "support/suite.h"

#include <dyno/library.h>

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <memory>
#include <unistd.h>

namespace dyno::tst_faults {
using namespace dyno::test;

namespace {

QString mariadbd()
{
    return QStandardPaths::findExecutable("mariadbd", {"/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"});
}

//! Process ids of servers whose command line names `folder`.
std::vector<pid_t> serversBelow(const QString& folder)
{
    std::vector<pid_t> found;
    for (const QString& name : QDir("/proc").entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        bool isPid = false;
        const int pid = name.toInt(&isPid);
        if (!isPid || pid == ::getpid())
            continue;
        QFile commandLine("/proc/" + name + "/cmdline");
        if (!commandLine.open(QIODevice::ReadOnly))
            continue;
        const QByteArray words = commandLine.readAll();
        if (words.split('\0').value(0).endsWith("mariadbd") && words.contains(folder.toUtf8()))
            found.push_back(pid);
    }
    return found;
}

} // namespace

class TstFaults : public QObject
{
    Q_OBJECT

private slots:
    void aServerKilledInMidRunFailsThatRunOnly()
    {
        if (mariadbd().isEmpty())
            QSKIP("no mariadbd is installed");
        QTemporaryDir dir;
        RunnerOptions options;
        options.workDir = dir.path().toStdString();
        shareTemplates(dir.path());
        options.library = dir.filePath("library.dynolib").toStdString();
        Plan plan = smallPlan("managed:mariadb");
        plan.load.users = {1, 2};
        plan.load.timeSeconds = 2;
        RecordingSink sink;
        sink.sampleHook = [&](const IntervalSample&) {
            if (sink.runs.size() == 1 && sink.samples.back().size() == 3) {
                for (const pid_t pid : serversBelow(dir.path()))
                    ::kill(pid, SIGKILL);
            }
        };
        runPlan(plan, options, sink);

        QCOMPARE(sink.summaries.size(), std::size_t(2));
        const RunSummary& killed = sink.summaries[0];
        QCOMPARE(killed.status, RunStatus::Failed);
        QVERIFY2(killed.reason.find("killed by signal 9") != std::string::npos, killed.reason.c_str());
        QVERIFY2(killed.reason.find("its log ends with") != std::string::npos, killed.reason.c_str());
        QVERIFY(killed.transactions > 0); // what was measured is kept
        QVERIFY2(sink.summaries[1].status == RunStatus::Done, sink.summaries[1].reason.c_str());
        QVERIFY(sink.summaries[1].transactions > 0);
        QCOMPARE(sink.session.status, RunStatus::Failed);

        auto library = Library::open(options.library, Library::Mode::ReadOnly);
        QVERIFY(library.has_value());
        auto session = (*library)->session(sink.header.id);
        QVERIFY(session.has_value());
        QCOMPARE(session->runs.at(0).summary.status, RunStatus::Failed);
        QVERIFY((*library)->intervals(session->runs.at(0).id)->size() >= 3);
        QVERIFY(serversBelow(dir.path()).empty());
    }

    //! Frozen for good: the run fails and tells the calls that never came back, the next one asks once more, and the
    //! third is left out.
    void aServerThatStaysFrozenIsLeftAlone()
    {
        if (mariadbd().isEmpty())
            QSKIP("no mariadbd is installed");
        QTemporaryDir dir;
        struct Thaw
        {
            std::vector<pid_t> processes;
            ~Thaw()
            {
                for (const pid_t process : processes)
                    ::kill(process, SIGCONT);
            }
        } frozen;
        RunnerOptions options;
        options.workDir = dir.path().toStdString();
        shareTemplates(dir.path());
        options.library = dir.filePath("library.dynolib").toStdString();
        Plan plan = smallPlan("managed:mariadb");
        plan.load.users = {2};
        plan.load.repeats = 3;
        plan.load.timeSeconds = 5; // it is frozen when something was measured
        RecordingSink sink;
        sink.sampleHook = [&](const IntervalSample& sample) {
            if (!frozen.processes.empty() || sample.transaction.count == 0)
                return;
            frozen.processes = serversBelow(dir.path());
            for (const pid_t process : frozen.processes)
                ::kill(process, SIGSTOP);
        };
        runPlan(plan, options, sink);

        QVERIFY(!frozen.processes.empty());
        QCOMPARE(sink.summaries.size(), std::size_t(2));
        const RunSummary& first = sink.summaries[0];
        QCOMPARE(first.status, RunStatus::Failed);
        QVERIFY2(first.reason.find("never came back") != std::string::npos, first.reason.c_str());
        QVERIFY(first.transactions > 0);
        QVERIFY(first.unanswered >= 1 && first.unanswered <= 2);
        QCOMPARE(sink.summaries[1].status, RunStatus::Failed);
        QCOMPARE(sink.summaries[1].transactions, std::uint64_t(0));
        const auto told = [&](const RunEvent& event) {
            return event.text.find("runs not started: 1") != std::string::npos;
        };
        QCOMPARE(std::ranges::count_if(sink.events.back(), told), 1);
        QCOMPARE(sink.session.status, RunStatus::Failed);

        auto library = Library::open(options.library, Library::Mode::ReadOnly);
        QVERIFY(library.has_value());
        const auto session = (*library)->session(sink.header.id);
        QVERIFY(session.has_value());
        const RunSummary& stored = session->runs.at(0).summary;
        QCOMPARE(stored.unanswered, first.unanswered);
        QCOMPARE(stored.response.maxMs, first.response.maxMs);
        QVERIFY(stored.response.maxMs >= 9'900); // as old as the time of grace at least
        const auto intervals = (*library)->intervals(session->runs.at(0).id);
        QVERIFY(intervals.has_value());
        std::uint64_t responses = 0;
        for (const IntervalSample& interval : *intervals)
            responses += interval.transaction.responseOrService().count();
        QCOMPARE(responses, stored.transactions + stored.unanswered);
    }

    //! A kept server that hangs when somebody stops: what was measured is there in some seconds, and what became of the
    //! server is told.
    void aKeptServerThatHangsHoldsUpNoStop()
    {
        if (mariadbd().isEmpty())
            QSKIP("no mariadbd is installed");
        QTemporaryDir dir;
        RunnerOptions options;
        options.workDir = dir.path().toStdString();
        shareTemplates(dir.path());
        options.library = dir.filePath("library.dynolib").toStdString();
        Plan plan = smallPlan("managed:mariadb?name=mine");
        plan.load.users = {1};
        plan.load.repeats = 1;
        plan.load.timeSeconds = 600;
        RecordingSink sink;
        SessionRunner* running = nullptr;
        std::unique_ptr<KeptFrozen> hangs;
        QElapsedTimer sinceStop;
        sink.sampleHook = [&](const IntervalSample& sample) {
            const std::vector<pid_t> servers = serversBelow(dir.path());
            if (hangs || sample.transaction.count == 0 || servers.empty())
                return;
            hangs = std::make_unique<KeptFrozen>(servers.front());
            sinceStop.start();
            running->stop();
        };
        SessionRunner runner(plan, options, {&sink});
        running = &runner;
        runner.start();
        runner.wait();
        const qint64 took = sinceStop.isValid() ? sinceStop.elapsed() : -1;
        QVERIFY(hangs);
        hangs.reset();
        QVERIFY2(took < 12'000, qPrintable(QString::number(took)));
        QCOMPARE(sink.session.status, RunStatus::Stopped);
        QVERIFY(sink.summaries.at(0).transactions > 0);
        QVERIFY2(sink.session.reason.find("was killed") != std::string::npos, sink.session.reason.c_str());
        QVERIFY(serversBelow(dir.path()).empty());
        auto library = Library::open(options.library, Library::Mode::ReadOnly);
        QVERIFY(library.has_value());
        const auto session = (*library)->session(sink.header.id);
        QVERIFY(session.has_value());
        QCOMPARE(session->info.reason, sink.session.reason);
        QVERIFY(session->runs.at(0).summary.transactions > 0);
    }

    void dynoKilledLeavesItsMeasurementsAndNoServer()
    {
        if (mariadbd().isEmpty())
            QSKIP("no mariadbd is installed");
        QTemporaryDir dir;
        const QString libraryFile = dir.filePath("library.dynolib");
        QProcess dyno;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("XDG_DATA_HOME", dir.path());
        shareInitialisedServers(dir.path());
        dyno.setProcessEnvironment(environment);
        dyno.setProcessChannelMode(QProcess::MergedChannels);
        dyno.start(DYNO_BIN_DIR "/dyno",
                   {"run", "--target", "managed:mariadb", "--workload", "oltp_point_select", "--users", "2", "--time",
                    "600", "--interval", "0.2", "--param", "table_size=1000", "--library", libraryFile});
        QVERIFY(dyno.waitForStarted());

        // Wait for the fact: three intervals are on disk.
        std::string id;
        const auto stored = [&]() -> std::size_t {
            auto library = Library::open(libraryFile.toStdString(), Library::Mode::ReadOnly);
            if (!library)
                return 0;
            auto last = (*library)->resolveId("last");
            if (!last)
                return 0;
            id = *last;
            auto session = (*library)->session(id);
            if (!session || session->runs.empty())
                return 0;
            auto intervals = (*library)->intervals(session->runs.front().id);
            return intervals ? intervals->size() : 0;
        };
        QTRY_VERIFY2_WITH_TIMEOUT(stored() >= 3 || dyno.state() == QProcess::NotRunning, "no interval was stored",
                                  60'000);
        QVERIFY2(dyno.state() == QProcess::Running, dyno.readAll().constData());
        QVERIFY(!serversBelow(dir.path()).empty());

        QVERIFY(signalTo(dyno, SIGKILL));
        QVERIFY(dyno.waitForFinished());
        QTRY_VERIFY2_WITH_TIMEOUT(serversBelow(dir.path()).empty(), "the managed server outlived Dynobench", 20'000);

        auto library = Library::open(libraryFile.toStdString(), Library::Mode::ReadOnly);
        QVERIFY2(library.has_value(), library ? "" : library.error().text().c_str());
        auto session = (*library)->session(id);
        QVERIFY(session.has_value());
        QCOMPARE(session->info.status, RunStatus::Cut);
        QCOMPARE(session->runs.size(), std::size_t(1));
        QCOMPARE(session->runs.front().summary.status, RunStatus::Cut);
        QVERIFY(session->runs.front().summary.transactions > 0);
        QVERIFY(!session->runs.front().summary.reason.empty());
    }
};

} // namespace dyno::tst_faults

DYNO_SUITE(tst_faults, dyno::tst_faults::TstFaults)
#include "tst_faults.moc"
