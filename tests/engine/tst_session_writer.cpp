// SPDX-License-Identifier: GPL-3.0-or-later
// Recording while it runs: what is written, what is there after the process was killed, and who else may write.
#include "store/library/knob_changes.h"
#include "store/library/writer_process.h"
#include "store/session/session_writer.h"
#include "store_sample.h"
#include "support/must.h"
#include "support/suite.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <csignal>
#include <thread>

namespace dyno::tst_session_writer {
using dyno::test::must;

namespace {

//! Starts store_child and waits until it says that everything is flushed.
void startChild(QProcess& child, const QStringList& arguments)
{
    child.start(DYNO_STORE_CHILD, arguments);
    QVERIFY(child.waitForStarted());
    QByteArray said;
    while (!said.contains("flushed") && child.waitForReadyRead(60000))
        said += child.readAllStandardOutput();
    QVERIFY2(said.contains("flushed"), said.constData());
}

void killChild(QProcess& child)
{
    child.kill(); // SIGKILL
    QVERIFY(child.waitForFinished());
    QCOMPARE(child.exitStatus(), QProcess::CrashExit);
}

bool same(const LatencySummary& a, const LatencySummary& b)
{
    return a.meanMs == b.meanMs && a.p50Ms == b.p50Ms && a.p90Ms == b.p90Ms && a.p95Ms == b.p95Ms &&
           a.p99Ms == b.p99Ms && a.p999Ms == b.p999Ms && a.maxMs == b.maxMs && a.minMs == b.minMs;
}

void compareOp(const OpInterval& got, const OpInterval& wanted)
{
    QCOMPARE(got.count, wanted.count);
    QCOMPARE(got.errors, wanted.errors);
    QVERIFY(got.service == wanted.service);
    QVERIFY(got.response == wanted.response);
}

void compareSample(const IntervalSample& got, const IntervalSample& wanted)
{
    QCOMPARE(got.tNs, wanted.tNs);
    QCOMPARE(got.lengthNs, wanted.lengthNs);
    QVERIFY(got.phase == wanted.phase);
    compareOp(got.transaction, wanted.transaction);
    QCOMPARE(got.ops.size(), wanted.ops.size());
    for (std::size_t i = 0; i < got.ops.size(); ++i)
        compareOp(got.ops[i], wanted.ops[i]);
    QCOMPARE(got.retried, wanted.retried);
    QCOMPARE(got.dropped, wanted.dropped);
    QCOMPARE(got.reconnects, wanted.reconnects);
    QCOMPARE(got.lockWaits, wanted.lockWaits);
    QVERIFY(got.errors == wanted.errors);
    QCOMPARE(got.users, wanted.users);
    QCOMPARE(got.counters.size(), wanted.counters.size());
    for (std::size_t i = 0; i < got.counters.size(); ++i)
        QVERIFY(std::isnan(wanted.counters[i]) ? std::isnan(got.counters[i]) : got.counters[i] == wanted.counters[i]);
    QCOMPARE(got.client.cpuSeconds, wanted.client.cpuSeconds);
    QCOMPARE(got.client.rssBytes, wanted.client.rssBytes);
    QCOMPARE(got.client.hostBusy, wanted.client.hostBusy);
    QCOMPARE(got.client.schedDelaySeconds, wanted.client.schedDelaySeconds);
    QCOMPARE(got.arrivals, wanted.arrivals);
    QCOMPARE(got.backlog, wanted.backlog);
    QCOMPARE(got.rows, wanted.rows);
    QCOMPARE(got.rollbacks, wanted.rollbacks);
    QCOMPARE(got.client.allowedBusy, wanted.client.allowedBusy);
    QCOMPARE(got.client.allowedCores, wanted.client.allowedCores);
    QCOMPARE(got.client.busiestThread, wanted.client.busiestThread);
    QCOMPARE(got.client.switches, wanted.client.switches);
    QCOMPARE(got.client.lateStarts, wanted.client.lateStarts);
    QCOMPARE(got.client.loopLagMs, wanted.client.loopLagMs);
}

//! Passes on to the writer and remembers.
class Tee : public SampleSink
{
public:
    explicit Tee(SampleSink& next)
        : m_next(next)
    {
    }
    void onSessionStarted(const SessionHeader& v) override { m_next.onSessionStarted(v); }
    void onRunStarted(const RunHeader& v) override
    {
        runs.push_back({v, {}, {}, {}, {}});
        m_next.onRunStarted(v);
    }
    void onSample(const IntervalSample& v) override
    {
        runs.back().samples.push_back(v);
        m_next.onSample(v);
    }
    void onEvent(const RunEvent& v) override
    {
        runs.back().events.push_back(v);
        m_next.onEvent(v);
    }
    void onRunAftermath(const RunAftermath& v) override
    {
        runs.back().aftermath = v;
        m_next.onRunAftermath(v);
    }
    void onRunFinished(const RunSummary& v) override
    {
        runs.back().summary = v;
        m_next.onRunFinished(v);
    }
    void onSessionFinished(const SessionSummary& v) override { m_next.onSessionFinished(v); }

    struct Run
    {
        RunHeader header;
        std::vector<IntervalSample> samples;
        std::vector<RunEvent> events;
        RunSummary summary;
        std::optional<RunAftermath> aftermath;
    };
    std::vector<Run> runs;

private:
    SampleSink& m_next;
};

} // namespace

class TestSessionWriter : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        QVERIFY(m_dir->isValid());
        m_file = m_dir->filePath("deep/library #1%.dynolib").toStdString();
    }

    void everythingComesBack()
    {
        auto writer = must(SessionWriter::open(m_file));
        Tee tee(*writer);
        const SessionHeader sent = sample::feed(tee);
        QVERIFY(writer->flush());
        auto library = must(Library::open(m_file, Library::Mode::ReadOnly));
        const auto list = must(library->sessions());
        QCOMPARE(list.size(), std::size_t(1));
        QVERIFY(list[0].status == RunStatus::Done);
        QCOMPARE(list[0].runsDone, 12);
        QCOMPARE(list[0].runsPlanned, 12);
        QCOMPARE(list[0].workload, std::string("oltp_update_non_index"));
        QCOMPARE(list[0].target, std::string("sqlite:durability.db"));
        QCOMPARE(list[0].product, std::string("SQLite 3.40.1"));
        QCOMPARE(list[0].source, std::string("durability-sqlite"));

        const StoredSession got = must(library->session(sent.id));
        QCOMPARE(got.header.id, sent.id);
        QCOMPARE(got.header.startedMs, sent.startedMs);
        QCOMPARE(got.header.software, sent.software);
        QCOMPARE(got.header.host.cpu, sent.host.cpu);
        QCOMPARE(got.header.host.memoryBytes, sent.host.memoryBytes);
        QCOMPARE(writePlan(got.header.plan), writePlan(sent.plan));
        QCOMPARE(got.header.plan.views.size(), sent.plan.views.size());
        QCOMPARE(got.header.points.size(), sent.points.size());
        for (std::size_t i = 0; i < sent.points.size(); ++i) {
            const PointSpec& a = got.header.points[i];
            const PointSpec& b = sent.points[i];
            QVERIFY(a.cases == b.cases);
            QCOMPARE(a.target.uri, b.target.uri);
            QVERIFY(a.workload.params == b.workload.params);
            QVERIFY(a.connection == b.connection && a.server == b.server && a.table == b.table);
            QCOMPARE(a.users(), b.users());
            QCOMPARE(a.load.seed, b.load.seed);
            QCOMPARE(a.load.warmupSeconds, b.load.warmupSeconds);
            QCOMPARE(a.label(), b.label());
        }
        QCOMPARE(got.header.runs.size(), sent.runs.size());
        QCOMPARE(got.runs.size(), tee.runs.size());
        for (std::size_t i = 0; i < got.runs.size(); ++i)
            compareRun(*library, got.runs[i], tee.runs[i]);
    }

    //! Both latencies, arrivals and all that is counted with them, and the load that asked for it.
    void openLoopComesBack()
    {
        auto writer = must(SessionWriter::open(m_file));
        Tee tee(*writer);
        SessionHeader sent = sample::header();
        LoadProfile& load = sent.points[1].load;
        load.loops = 2;
        load.arrival = {.model = ArrivalModel::Poisson,
                        .rate = 1500,
                        .rateTo = 3000,
                        .steps = {{100, 2}, {200.5, 3}},
                        .thinkSeconds = 0.25,
                        .backlog = 77};
        load.objective = {.percentile = 99, .limitMs = 20};
        load.search = {
            .what = Search::What::Rate, .from = 100, .to = 9000, .probeSeconds = 3, .precision = 0.1, .confirm = 4};
        load.warmupEvents = 123;
        load.warmupUntilSteady = true;
        load.warmupMaxSeconds = 40;
        load.steady = {.windowSeconds = 4, .slope = 0.1, .deviation = 0.3};
        load.rows = 5000;
        load.stopAfterSteady = 3;
        load.stopOnObjective = true;
        load.reconnectSeconds = 1.5;
        load.counters = false;
        sent.points[1].target.price = {0.35, 120, "€"};
        tee.onSessionStarted(sent);
        sample::Options options;
        options.openLoop = true;
        options.counters = true;
        for (int i = 0; i < 3; ++i)
            sample::feedRun(tee, sent, i, options);
        tee.onSessionFinished({.status = RunStatus::Done, .reason = {}, .finishedMs = sent.startedMs + 5});
        QVERIFY(writer->flush());

        auto library = must(Library::open(m_file, Library::Mode::ReadOnly));
        const StoredSession got = must(library->session(sent.id));
        QCOMPARE(got.runs.size(), std::size_t(3));
        for (std::size_t i = 0; i < got.runs.size(); ++i) {
            compareRun(*library, got.runs[i], tee.runs[i]);
            const RunSummary& summary = got.runs[i].summary;
            QCOMPARE(summary.found, 1000.0 + double(i));
            QVERIFY(summary.arrivals > 0 && summary.rows > 0 && summary.rollbacks > 0 && summary.lateStarts > 0);
            QCOMPARE(summary.backlog, std::uint64_t(3)); // of the last of twenty intervals: 19 modulo 4
            QVERIFY(summary.response.p50Ms > summary.service.p50Ms + 0.3); // 0.4 ms and more of waiting
        }
        const LoadProfile& back = got.header.points[1].load;
        QCOMPARE(back.loops, load.loops);
        QVERIFY(back.arrival == load.arrival);
        QVERIFY(back.objective == load.objective);
        QVERIFY(back.search == load.search);
        QVERIFY(back.steady == load.steady);
        QCOMPARE(back.warmupEvents, load.warmupEvents);
        QCOMPARE(back.warmupUntilSteady, load.warmupUntilSteady);
        QCOMPARE(back.warmupMaxSeconds, load.warmupMaxSeconds);
        QCOMPARE(back.rows, load.rows);
        QCOMPARE(back.stopAfterSteady, load.stopAfterSteady);
        QCOMPARE(back.stopOnObjective, load.stopOnObjective);
        QCOMPARE(back.reconnectSeconds, load.reconnectSeconds);
        QVERIFY(got.header.points[0].load.arrival == Arrival());
        QVERIFY(!back.counters && got.header.points[0].load.counters);
        QVERIFY((got.header.points[1].target.price == Price{0.35, 120, "€"}));
        QVERIFY(got.header.points[0].target.price == Price());

        // It travels complete.
        const std::filesystem::path out = m_dir->filePath("open.dyno").toStdString();
        QVERIFY(library->exportSession(sent.id, out));
        auto travelled = must(Library::open(out, Library::Mode::ReadOnly));
        const StoredSession copy = must(travelled->session(sent.id));
        for (std::size_t i = 0; i < copy.runs.size(); ++i)
            compareRun(*travelled, copy.runs[i], tee.runs[i]);
    }

    void runWithoutStart()
    {
        auto writer = must(SessionWriter::open(m_file));
        const SessionHeader session = sample::header();
        writer->onSessionStarted(session);
        writer->onEvent({0, 0, EventKind::Server, "mariadbd does not start"});
        RunSummary summary;
        summary.point = session.runs[0].point;
        summary.repeat = session.runs[0].repeat;
        summary.status = RunStatus::Failed;
        summary.reason = "no server";
        writer->onRunFinished(summary);
        sample::feedRun(*writer, session, 1);
        writer->onSessionFinished({.status = RunStatus::Failed, .reason = "no server", .finishedMs = 5});
        QVERIFY(writer->flush());
        const StoredSession got = must(must(Library::open(m_file, Library::Mode::ReadOnly))->session(session.id));
        QCOMPARE(got.runs.size(), std::size_t(2));
        QVERIFY(got.runs[0].summary.status == RunStatus::Failed);
        QCOMPARE(got.runs[0].summary.reason, std::string("no server"));
        QVERIFY(got.runs[1].summary.status == RunStatus::Done);
        QVERIFY(got.info.status == RunStatus::Failed);
        QCOMPARE(got.info.runsDone, 1);
    }

    void separateResponseTimes()
    {
        auto writer = must(SessionWriter::open(m_file));
        const SessionHeader session = sample::header();
        writer->onSessionStarted(session);
        const RunHeader run = sample::runHeader(session, 0);
        writer->onRunStarted(run);
        Random random(1);
        IntervalSample sent = sample::interval(session, run, 5, random);
        sent.transaction.response = sent.transaction.service;
        sent.transaction.response.record(5'000'000'000);
        sent.dropped = 17;
        sent.reconnects = 2;
        sent.errors = {{-1, 4}, {1213, std::uint64_t(1) << 40}};
        writer->onSample(sent);
        QVERIFY(writer->flush());
        auto library = must(Library::open(m_file, Library::Mode::ReadOnly));
        const auto stored = must(library->session(session.id));
        const auto got = must(library->intervals(stored.runs[0].id));
        QCOMPARE(got.size(), std::size_t(1));
        compareSample(got[0], sent);
        QVERIFY(stored.runs[0].summary.response.maxMs > 4999); // computed: the run has no end
    }

    //! While this process lives, its unfinished session is running; to others too.
    void runningWhileAlive()
    {
        QProcess child;
        startChild(child, {"write", QString::fromStdString(m_file), "2"});
        auto library = must(Library::open(m_file, Library::Mode::ReadOnly));
        const auto list = must(library->sessions());
        QCOMPARE(list.size(), std::size_t(1));
        QVERIFY(list[0].status == RunStatus::Running);
        QCOMPARE(list[0].runsDone, 2);
        const auto session = must(library->session(list[0].id));
        QVERIFY(session.runs.at(2).summary.status == RunStatus::Running);
        auto writable = must(Library::open(m_file, Library::Mode::ReadWrite));
        const auto removed = writable->remove(list[0].id);
        QVERIFY(!removed);
        QVERIFY(removed.error().message.find("still running") != std::string::npos);
        killChild(child);
    }

    //! `dyno` killed with -9 in mid-run: the session is there up to the last interval and says it was cut off.
    void killed()
    {
        QProcess child;
        startChild(child, {"write", QString::fromStdString(m_file), "2"});
        killChild(child);
        auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
        const auto list = must(library->sessions());
        QCOMPARE(list.size(), std::size_t(1));
        QVERIFY(list[0].status == RunStatus::Cut);
        QVERIFY(list[0].reason.find("ended before the session did") != std::string::npos);
        QCOMPARE(list[0].runsDone, 2);
        QCOMPARE(list[0].runsPlanned, 12);
        const auto session = must(library->session(list[0].id));
        QCOMPARE(session.runs.size(), std::size_t(3));
        QVERIFY(session.runs[1].summary.status == RunStatus::Done);
        const StoredRun& cut = session.runs[2];
        QVERIFY(cut.summary.status == RunStatus::Cut);
        QVERIFY(!cut.summary.reason.empty());
        const auto samples = must(library->intervals(cut.id));
        QCOMPARE(samples.size(), std::size_t(9)); // all that were flushed
        std::uint64_t measured = 0;
        for (const IntervalSample& sample : samples)
            measured += sample.phase == Phase::Measure ? sample.transaction.count : 0;
        QCOMPARE(cut.summary.transactions, measured);
        QCOMPARE(cut.summary.seconds, 3.5);
        QVERIFY(cut.summary.service.p95Ms > 0);
        QCOMPARE(cut.summary.operations.size(), cut.header.operations.size());

        // It stays cut in a file that travels.
        const std::filesystem::path out = m_dir->filePath("cut.dyno").toStdString();
        QVERIFY(library->exportSession(list[0].id, out));
        const auto travelled = must(must(Library::open(out, Library::Mode::ReadOnly))->session(list[0].id));
        QVERIFY(travelled.info.status == RunStatus::Cut);
        QVERIFY(travelled.runs[2].summary.status == RunStatus::Cut);
        QCOMPARE(travelled.runs[2].summary.transactions, measured);
    }

    //! The process goes on, but nobody records the session any more.
    void abandoned()
    {
        QProcess child;
        startChild(child, {"abandon", QString::fromStdString(m_file)});
        const auto list = must(must(Library::open(m_file, Library::Mode::ReadOnly))->sessions());
        QVERIFY(list.at(0).status == RunStatus::Cut);
        killChild(child);
    }

    //! Given up on a full disk, say; then there is room, and it goes on in the same process.
    void takenUpAgain()
    {
        auto writer = must(SessionWriter::open(m_file));
        SessionHeader header = sample::feed(*writer);
        QVERIFY(writer->flush());
        giveUpRecording(header.id);
        header.sitting = 2;
        header.firstRun = header.runs.size();
        header.runs.push_back(header.runs.front());
        writer->onSessionStarted(header);
        QVERIFY(writer->flush());
        QVERIFY(!gaveUpRecording(header.id));
        const auto list = must(must(Library::open(m_file, Library::Mode::ReadOnly))->sessions());
        QVERIFY2(list.at(0).status == RunStatus::Running, toText(list.at(0).status));
    }

    void severalWritersAtOnce()
    {
        std::vector<std::thread> threads;
        std::vector<Expected<void>> results(4);
        for (std::size_t i = 0; i < results.size(); ++i) {
            threads.emplace_back([this, i, &results] {
                auto writer = SessionWriter::open(m_file); // all of them make the library
                if (!writer) {
                    results[i] = fail(writer.error());
                    return;
                }
                sample::Options options;
                options.id[0] = static_cast<char>('a' + i);
                options.seed = i;
                sample::feed(**writer, options);
                results[i] = (*writer)->flush();
            });
        }
        for (std::thread& thread : threads)
            thread.join();
        for (const auto& result : results)
            QVERIFY2(result.has_value(), result ? "" : result.error().text().c_str());
        auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
        const auto list = must(library->sessions());
        QCOMPARE(list.size(), std::size_t(4));
        for (const SessionInfo& info : list) {
            QCOMPARE(info.runsDone, 12);
            for (const StoredRun& run : must(library->session(info.id)).runs)
                QCOMPARE(must(library->intervals(run.id)).size(), std::size_t(20));
        }
        for (const auto& entry : std::filesystem::directory_iterator(m_file.parent_path()))
            QVERIFY2(entry.path().string().find(".new-") == std::string::npos, entry.path().c_str());
    }

    void knobChanges()
    {
        QProcess child;
        startChild(child, {"knob", QString::fromStdString(m_file)});
        auto writer = must(SessionWriter::open(m_file));
        QVERIFY(must(openChanges(m_file)).front().ownerAlive); // its process lives and will put them back
        QVERIFY(must(claimChanges(m_file, must(openChanges(m_file)))).empty());
        killChild(child);
        const auto left = must(openChanges(m_file));
        QCOMPARE(left.size(), std::size_t(1));
        QVERIFY(!left[0].ownerAlive);
        QCOMPARE(left[0].target, std::string("mysql://root@db1:3306/"));
        QCOMPARE(left[0].name, std::string("sync_binlog"));
        QCOMPARE(left[0].oldValue, std::string("1")); // before the first change
        QCOMPARE(left[0].newValue, std::string("2")); // after the last
        // A session of the same target puts back what it changed itself, nothing else.
        writer->onSessionStarted(sample::header());
        QVERIFY(writer->recordKnobChange(left[0].target, "innodb_io_capacity", "200", "300"));
        QVERIFY(writer->recordKnobChange(left[0].target, "max_connections", "151", "500"));
        QCOMPARE(must(openChanges(m_file)).size(), std::size_t(3));
        QVERIFY(writer->recordKnobsRestored(left[0].target, {"max_connections"}));
        QCOMPARE(must(openChanges(m_file)).size(), std::size_t(2));
        QVERIFY(writer->recordKnobsRestored(left[0].target));
        QCOMPARE(must(openChanges(m_file)).size(), std::size_t(1));
        // One process at a time puts it back.
        const auto claimed = must(claimChanges(m_file, left));
        QCOMPARE(claimed.size(), std::size_t(1));
        QVERIFY(must(openChanges(m_file)).front().ownerAlive);
        QVERIFY(must(claimChanges(m_file, left)).empty());
        QVERIFY(releaseChanges(m_file, claimed));
        QVERIFY(!must(openChanges(m_file)).front().ownerAlive);
        QVERIFY(closeChanges(m_file, left));
        QVERIFY(must(openChanges(m_file)).empty());
    }

    void knobChangesOfAnEndedSession()
    {
        auto writer = must(SessionWriter::open(m_file));
        writer->onSessionStarted(sample::header());
        QVERIFY(writer->recordKnobChange("mysql://db1/", "sync_binlog", "1", "0"));
        QVERIFY(must(openChanges(m_file)).front().ownerAlive);
        SessionSummary end;
        writer->onSessionFinished(end);
        QVERIFY(writer->flush());
        // This process lives, but its session will not put it back any more.
        QVERIFY(!must(openChanges(m_file)).front().ownerAlive);
        QCOMPARE(must(claimChanges(m_file, must(openChanges(m_file)))).size(), std::size_t(1));
    }

    void knobChangesWithAnothersValueBetween()
    {
        {
            auto writer = must(SessionWriter::open(m_file));
            QVERIFY(writer->recordKnobChange("t", "a", "1", "2"));
        }
        auto writer = must(SessionWriter::open(m_file));
        QVERIFY(writer->recordKnobChange("t", "a", "7", "8")); // somebody else had set 7
        const auto open = must(openChanges(m_file));
        QCOMPARE(open.size(), std::size_t(1));
        QCOMPARE(open[0].oldValue, std::string("7"));
        QCOMPARE(open[0].newValue, std::string("8"));
        QVERIFY(must(openChanges(m_file.string() + ".no-such-library")).empty());
    }

    void readOnly_data()
    {
        QTest::addColumn<bool>("folder");
        QTest::newRow("file") << false;
        QTest::newRow("folder") << true;
    }

    void readOnly()
    {
        QFETCH(bool, folder);
        namespace fs = std::filesystem;
        {
            auto writer = must(SessionWriter::open(m_file));
            sample::feed(*writer);
        }
        // Another user may look, but not write.
        fs::permissions(m_dir->path().toStdString(), fs::perms(0755));
        fs::permissions(m_file.parent_path(), folder ? fs::perms(0555) : fs::perms(0777));
        fs::permissions(m_file, folder ? fs::perms(0666) : fs::perms(0444));
        const QString path = QString::fromStdString(m_file);
        QProcess child;
        child.start(DYNO_STORE_CHILD, {"open-writer", path});
        QVERIFY(child.waitForFinished());
        const QByteArray refused = child.readAllStandardOutput();
        QVERIFY2(refused.startsWith(QByteArray::number(int(ErrorKind::Storage)) + ' '), refused.constData());
        QVERIFY2(refused.contains("--library"), refused.constData());
        child.start(DYNO_STORE_CHILD, {"open-read", path});
        QVERIFY(child.waitForFinished());
        QCOMPARE(child.readAllStandardOutput(), QByteArray("sessions 1\n"));
        fs::permissions(m_file.parent_path(), fs::perms(0755));
    }

    void errorsAreKept()
    {
        auto writer = must(SessionWriter::open(m_file));
        SessionHeader session = sample::header();
        writer->onSessionStarted(session);
        QVERIFY(writer->flush());
        writer->onSessionStarted(session); // the same id again: refused by the library
        sample::feedRun(*writer, session, 0);
        for (int i = 0; i < 2; ++i) {
            const auto flushed = writer->flush();
            QVERIFY(!flushed);
            QVERIFY(flushed.error().kind == ErrorKind::Storage);
        }
        // A setting must not be changed when that cannot be written down.
        QVERIFY(!writer->recordKnobChange("t", "n", "1", "2"));
    }

private:
    static void compareRun(Library& library, const StoredRun& got, const Tee::Run& wanted)
    {
        QCOMPARE(got.header.index, wanted.header.index);
        QCOMPARE(got.header.point, wanted.header.point);
        QCOMPARE(got.header.repeat, wanted.header.repeat);
        QCOMPARE(got.header.dataBytes, wanted.header.dataBytes);
        QVERIFY(got.header.effective == wanted.header.effective);
        QVERIFY(got.header.server.variables == wanted.header.server.variables);
        QCOMPARE(got.header.server.version, wanted.header.server.version);
        QCOMPARE(got.header.optionFile, wanted.header.optionFile);
        QCOMPARE(got.aftermath.has_value(), wanted.aftermath.has_value());
        if (wanted.aftermath) {
            QVERIFY(got.aftermath->server.variables == wanted.aftermath->server.variables);
            QCOMPARE(got.aftermath->errorLog, wanted.aftermath->errorLog);
            QCOMPARE(got.aftermath->dataParts.size(), wanted.aftermath->dataParts.size());
            for (std::size_t i = 0; i < wanted.aftermath->dataParts.size(); ++i) {
                QCOMPARE(got.aftermath->dataParts[i].kind, wanted.aftermath->dataParts[i].kind);
                QCOMPARE(got.aftermath->dataParts[i].name, wanted.aftermath->dataParts[i].name);
                QCOMPARE(got.aftermath->dataParts[i].bytes, wanted.aftermath->dataParts[i].bytes);
            }
        }
        QVERIFY(got.header.counters == wanted.header.counters);
        QCOMPARE(got.header.operations.size(), wanted.header.operations.size());
        QCOMPARE(got.summary.tps, wanted.summary.tps);
        QCOMPARE(got.summary.arrivals, wanted.summary.arrivals);
        QCOMPARE(got.summary.backlog, wanted.summary.backlog);
        QCOMPARE(got.summary.dropped, wanted.summary.dropped);
        QCOMPARE(got.summary.rows, wanted.summary.rows);
        QCOMPARE(got.summary.rollbacks, wanted.summary.rollbacks);
        QCOMPARE(got.summary.lateStarts, wanted.summary.lateStarts);
        QCOMPARE(got.summary.found, wanted.summary.found);
        QCOMPARE(got.summary.clientLimited, wanted.summary.clientLimited);
        QCOMPARE(got.summary.clientReason, wanted.summary.clientReason);
        QVERIFY(got.summary.errors == wanted.summary.errors);
        QVERIFY(got.summary.errorTexts == wanted.summary.errorTexts);
        QVERIFY(same(got.summary.service, wanted.summary.service));
        QVERIFY(same(got.summary.response, wanted.summary.response));
        QCOMPARE(got.summary.operations.size(), wanted.summary.operations.size());
        for (std::size_t i = 0; i < got.summary.operations.size(); ++i) {
            QCOMPARE(got.summary.operations[i].count, wanted.summary.operations[i].count);
            QVERIFY(got.summary.operations[i].opClass == wanted.summary.operations[i].opClass);
            QVERIFY(same(got.summary.operations[i].service, wanted.summary.operations[i].service));
        }
        const auto samples = must(library.intervals(got.id));
        QCOMPARE(samples.size(), wanted.samples.size());
        for (std::size_t i = 0; i < samples.size(); ++i)
            compareSample(samples[i], wanted.samples[i]);
        const auto events = must(library.events(got.id));
        QCOMPARE(events.size(), wanted.events.size());
        for (std::size_t i = 0; i < events.size(); ++i) {
            QCOMPARE(events[i].tNs, wanted.events[i].tNs);
            QCOMPARE(events[i].lengthNs, wanted.events[i].lengthNs);
            QVERIFY(events[i].kind == wanted.events[i].kind);
            QCOMPARE(events[i].text, wanted.events[i].text);
        }
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::filesystem::path m_file;
};

} // namespace dyno::tst_session_writer

DYNO_SUITE(tst_session_writer, dyno::tst_session_writer::TestSessionWriter)
#include "tst_session_writer.moc"
