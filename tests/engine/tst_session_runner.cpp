// SPDX-License-Identifier: GPL-3.0-or-later
// Whole sessions against the null driver and real SQLite files.
#include "base/clock.h"
#include "driver/driver.h"
#include "recording_sink.h"
#include "support/suite.h"

#include <dyno/library.h>
#include <dyno/report.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include <string>
#include <thread>

namespace dyno::tst_session_runner {
using namespace dyno::test;

namespace {

std::string pathIn(const QTemporaryDir& dir, const char* name)
{
    return dir.filePath(QString::fromLatin1(name)).toStdString();
}

std::uint64_t countOf(const std::vector<IntervalSample>& samples, Phase phase)
{
    std::uint64_t count = 0;
    for (const IntervalSample& sample : samples) {
        if (sample.phase == phase)
            count += sample.transaction.count;
    }
    return count;
}

bool hasEvent(const std::vector<RunEvent>& events, EventKind kind, const char* text)
{
    for (const RunEvent& event : events) {
        if (event.kind == kind && event.text.find(text) != std::string::npos)
            return true;
    }
    return false;
}

void execute(const std::string& file, const char* sql)
{
    sqlite3* database = nullptr;
    QCOMPARE(sqlite3_open(file.c_str(), &database), SQLITE_OK);
    QCOMPARE(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
}

} // namespace

class TstSessionRunner : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

    RunnerOptions options(bool record = false)
    {
        RunnerOptions result;
        result.workDir = m_dir.path().toStdString();
        if (record)
            result.library = pathIn(m_dir, "library.dynolib");
        return result;
    }

private slots:
    void tellsThingsInOrder()
    {
        RecordingSink sink;
        Plan plan = smallPlan("null:");
        plan.load.users = {1, 3};
        plan.load.repeats = 2;
        runPlan(plan, options(), sink);
        QCOMPARE(sink.session.status, RunStatus::Done);
        QCOMPARE(sink.runs.size(), std::size_t(4));
        QCOMPARE(sink.order.front(), std::string("session"));
        QCOMPARE(sink.order.back(), std::string("end"));
        for (std::size_t i = 1; i + 1 < sink.order.size(); i += 2) {
            QCOMPARE(sink.order[i], std::string("run"));
            QCOMPARE(sink.order[i + 1], std::string("finished"));
        }
    }

    void intervalsCoverTheRunWithoutGapsAndAddUp()
    {
        RecordingSink sink;
        Plan plan = smallPlan("null:?service_us=200");
        plan.load.warmupSeconds = 0.25;
        runPlan(plan, options(), sink);
        const auto& samples = sink.samples.at(0);
        std::int64_t t = 0;
        for (const IntervalSample& sample : samples) {
            QCOMPARE(sample.tNs, t);
            QVERIFY(sample.lengthNs > 0);
            t += sample.lengthNs;
            QCOMPARE(sample.users, 2);
        }
        const RunSummary& summary = sink.summaries.at(0);
        QCOMPARE(summary.transactions, countOf(samples, Phase::Measure));
        QVERIFY(countOf(samples, Phase::Warmup) > 0); // measured, marked, left out
        QVERIFY(summary.seconds > 0.45);              // a busy machine ends it late, never early
        // A transaction of the null target takes at least its scripted 200 µs.
        QVERIFY2(summary.service.p50Ms >= 0.195, qPrintable(QString::number(summary.service.p50Ms)));
        QVERIFY(std::abs(summary.tps - double(summary.transactions) / summary.seconds) < 1e-6 * summary.tps);
    }

    void aBudgetOfTransactionsIsKeptExactly()
    {
        RecordingSink sink;
        Plan plan = smallPlan("null:");
        plan.load.events = 12'345;
        plan.load.timeSeconds = 0;
        plan.load.users = {4};
        runPlan(plan, options(), sink);
        QCOMPARE(sink.session.status, RunStatus::Done);
        QCOMPARE(sink.summaries.at(0).transactions, std::uint64_t(12'345));
    }

    void stopKeepsWhatWasMeasured()
    {
        RecordingSink sink;
        Plan plan = smallPlan("null:");
        plan.load.timeSeconds = 600;
        plan.load.repeats = 3;
        SessionRunner runner(plan, options(), {&sink});
        sink.sampleHook = [&](const IntervalSample&) {
            if (sink.samples.back().size() == 3)
                runner.stop();
        };
        runner.start();
        runner.wait();
        QCOMPARE(sink.session.status, RunStatus::Stopped);
        QCOMPARE(sink.summaries.size(), std::size_t(1));
        QCOMPARE(sink.summaries[0].status, RunStatus::Stopped);
        QVERIFY(sink.summaries[0].transactions > 0);
        QVERIFY(sink.samples[0].size() >= 3);
    }

    void skipGoesOnWithTheNextPoint()
    {
        RecordingSink sink;
        Plan plan = smallPlan("null:");
        plan.load.timeSeconds = 600;
        plan.load.users = {1, 2};
        SessionRunner runner(plan, options(), {&sink});
        sink.sampleHook = [&](const IntervalSample&) { runner.skipPoint(); };
        runner.start();
        runner.wait();
        QCOMPARE(sink.summaries.size(), std::size_t(2));
        QCOMPARE(sink.summaries[0].status, RunStatus::Skipped);
        QCOMPARE(sink.summaries[0].reason, std::string("skipped by the user"));
        QCOMPARE(sink.session.status, RunStatus::Done);
    }
    //! "Skip run" ends one run; "Skip point" also keeps the point's other runs from beginning.
    void skippingARunIsNotSkippingItsPoint()
    {
        RecordingSink sink;
        Plan plan = smallPlan("null:");
        plan.load.timeSeconds = 600;
        plan.load.users = {1, 2};
        plan.load.repeats = 3;
        plan.load.order = RunOrder::AsListed;
        SessionRunner runner(plan, options(), {&sink});
        sink.sampleHook = [&](const IntervalSample&) {
            const RunHeader& run = sink.runs.back();
            if (run.point == 0 && run.repeat == 2)
                runner.skipPoint();
            else
                runner.skipRun();
        };
        runner.start();
        runner.wait();
        QCOMPARE(sink.summaries.size(), std::size_t(6));
        for (const RunSummary& run : sink.summaries)
            QCOMPARE(run.status, RunStatus::Skipped);
        QCOMPARE(sink.runs.size(), std::size_t(5)); // the first point's third run never began
        QCOMPARE(sink.summaries[2].reason, std::string("skipped by the user, with its point"));
        QCOMPARE(sink.summaries[2].seconds, 0.0);
    }

    void pauseHoldsBetweenRunsAndNotesBecomeEvents()
    {
        RecordingSink sink;
        Plan plan = smallPlan("null:");
        plan.load.users = {1, 2};
        SessionRunner runner(plan, options(), {&sink});
        bool pausedSeen = false;
        sink.sampleHook = [&](const IntervalSample&) {
            if (sink.runs.size() == 1 && sink.samples.back().size() == 1) {
                runner.annotate("backup started");
                runner.setPaused(true);
            }
        };
        sink.progressHook = [&](const ProgressReport& report) {
            if (report.text == "paused") {
                pausedSeen = true;
                runner.setPaused(false);
            }
        };
        runner.start();
        runner.wait();
        QVERIFY(pausedSeen);
        QVERIFY(hasEvent(sink.events.at(0), EventKind::Note, "backup started"));
        QCOMPARE(sink.session.status, RunStatus::Done);
    }

    //! Each in the run, and at the moment, in which it was begun: also those of a run's last moment.
    void notesStandWhereTheyWereBegun()
    {
        RecordingSink sink;
        Plan plan = smallPlan("null:");
        plan.load.users = {1, 2};
        SessionRunner runner(plan, options(), {&sink});
        const std::int64_t beforeNs = nowNs();
        bool staleWasTaken = false, allWereTaken = true;
        std::vector<std::int64_t> begunNs; // since before the start
        sink.sampleHook = [&](const IntervalSample&) {
            const std::int64_t now = nowNs();
            staleWasTaken = runner.annotate("stale", beforeNs) || staleWasTaken;
            allWereTaken = runner.annotate("note " + std::to_string(begunNs.size()), now) && allWereTaken;
            begunNs.push_back(now - beforeNs);
        };
        runner.start();
        runner.wait();
        QVERIFY(allWereTaken && !staleWasTaken);
        QVERIFY(!runner.annotate("too late", nowNs()));
        std::size_t told = 0;
        for (std::size_t run = 0; run < 2; ++run) {
            std::size_t here = 0;
            for (const RunEvent& event : sink.events.at(run)) {
                if (event.kind != EventKind::Note || !event.text.starts_with("note "))
                    continue;
                ++here;
                const auto index = std::size_t(std::stoul(event.text.substr(5)));
                QCOMPARE(index, told++); // in the order in which they were written
                QVERIFY(event.tNs >= 0 && event.tNs <= begunNs.at(index));
            }
            QCOMPARE(here, sink.samples.at(run).size()); // none is lost, none is in the other run
        }
    }

    void sqliteKnobsAreInForceAndReadBack()
    {
        RecordingSink sink;
        Plan plan = smallPlan("sqlite:" + pathIn(m_dir, "knobs.db"), "oltp_update_index");
        Axis axis{"synchronous", {}, 0};
        for (const char* value : {"OFF", "NORMAL", "FULL"})
            axis.cases.push_back({value, {{"connection.synchronous", std::string(value)}}, 0});
        plan.axes = {axis};
        plan.set["connection.page_size"] = std::int64_t(8192);
        runPlan(plan, options(), sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        QCOMPARE(sink.runs.size(), std::size_t(3));
        for (const RunHeader& run : sink.runs) {
            QCOMPARE(textOf(run.effective, "page_size"), std::string("8192"));
            QVERIFY(run.dataBytes > 0);
            QCOMPARE(run.server.product, std::string("SQLite"));
        }
        for (const RunSummary& summary : sink.summaries)
            QVERIFY(summary.transactions > 0);
    }

    void anAxisOverPageSizeMakesTheFileAgain()
    {
        RecordingSink sink;
        Plan plan = smallPlan("sqlite:");
        Axis axis{"page", {}, 0};
        for (const int size : {1024, 16384})
            axis.cases.push_back({std::to_string(size), {{"connection.page_size", std::int64_t(size)}}, 0});
        plan.axes = {axis};
        runPlan(plan, options(), sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        QCOMPARE(textOf(sink.runs.at(0).effective, "page_size"), std::string("1024"));
        QCOMPARE(textOf(sink.runs.at(1).effective, "page_size"), std::string("16384"));
        // A private file is gone after the session.
        QCOMPARE(QDir(m_dir.filePath("sqlite")).entryList(QDir::Files).size(), 0);
    }

    void workloadParametersAsAnAxisLoadAgain()
    {
        RecordingSink sink;
        Plan plan = smallPlan("sqlite:");
        plan.workload.params.clear();
        Axis axis{"rows", {}, 0};
        for (const int rows : {100, 3000})
            axis.cases.push_back({std::to_string(rows), {{"workload.table_size", std::int64_t(rows)}}, 0});
        plan.axes = {axis};
        runPlan(plan, options(), sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        QVERIFY(sink.runs.at(1).dataBytes > 2 * sink.runs.at(0).dataBytes);
    }

    void aTableOfAnotherShapeIsLeftAlone()
    {
        const std::string file = pathIn(m_dir, "shape.db");
        execute(file, "CREATE TABLE sbtest1 (id INTEGER, precious TEXT); INSERT INTO sbtest1 VALUES (1, 'keep me')");
        RecordingSink sink;
        RunnerOptions agreed = options();
        agreed.consent.allow("target.uri");
        runPlan(smallPlan("sqlite:" + file), agreed, sink);
        QCOMPARE(sink.session.status, RunStatus::Failed);
        QVERIFY2(sink.session.reason.find("precious") != std::string::npos, sink.session.reason.c_str());
        QVERIFY(sink.session.reason.find("sbtest1") != std::string::npos);
        execute(file, "UPDATE sbtest1 SET precious = precious"); // still there
    }

    void aFileThatIsNoDatabaseIsNamed()
    {
        const std::string file = pathIn(m_dir, "notes.txt");
        QFile text(QString::fromStdString(file));
        QVERIFY(text.open(QIODevice::WriteOnly));
        text.write(QByteArray(5000, 'x'));
        text.close();
        RecordingSink sink;
        RunnerOptions agreed = options();
        agreed.consent.allow("target.uri"); // it cannot be looked into
        runPlan(smallPlan("sqlite:" + file), agreed, sink);
        QCOMPARE(sink.session.status, RunStatus::Failed);
        QVERIFY2(sink.session.reason.find("notes.txt") != std::string::npos, sink.session.reason.c_str());
    }

    void everyTransactionFailingEndsTheRunWithTheReason()
    {
        const std::string file = pathIn(m_dir, "failing.db");
        Plan plan = smallPlan("sqlite:" + file, "oltp_insert");
        RecordingSink first;
        runPlan(plan, options(), first);
        QCOMPARE(first.session.status, RunStatus::Done);
        execute(file, "CREATE TRIGGER no_inserts BEFORE INSERT ON sbtest1 BEGIN SELECT RAISE(ABORT, 'not today'); END");
        plan.load.timeSeconds = 60;
        RecordingSink sink;
        runPlan(plan, options(), sink);
        QCOMPARE(sink.session.status, RunStatus::Failed);
        QVERIFY2(sink.session.reason.find("not today") != std::string::npos, sink.session.reason.c_str());
    }

    void lockWaitsAreCounted()
    {
        RecordingSink sink;
        Plan plan = smallPlan("sqlite:", "oltp_update_index");
        plan.load.users = {4};
        plan.set["connection.synchronous"] = std::string("FULL");
        plan.load.timeSeconds = 1;
        runPlan(plan, options(), sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        QVERIFY(sink.summaries.at(0).lockWaits > 0); // four writers, one lock
    }

    void aReadOnlyLibraryIsSaidBeforeAnythingRuns()
    {
        // Root may write anywhere, so the folder is made unusable in a way that binds root too: it is a file.
        RecordingSink sink;
        RunnerOptions bad = options();
        const std::string blocker = pathIn(m_dir, "blocker");
        QFile file(QString::fromStdString(blocker));
        QVERIFY(file.open(QIODevice::WriteOnly));
        bad.library = blocker + "/library.dynolib";
        runPlan(smallPlan("null:"), bad, sink);
        QCOMPARE(sink.session.status, RunStatus::Failed);
        QCOMPARE(sink.session.errorKind, ErrorKind::Storage);
        QVERIFY(sink.runs.empty());
    }

    void recordedSessionEqualsWhatTheSinksSaw()
    {
        RecordingSink sink;
        Plan plan = smallPlan("sqlite:", "oltp_read_write");
        plan.load.users = {1, 2};
        runPlan(plan, options(true), sink);
        auto library = Library::open(pathIn(m_dir, "library.dynolib"), Library::Mode::ReadOnly);
        QVERIFY2(library.has_value(), library ? "" : library.error().text().c_str());
        auto session = (*library)->session(sink.header.id);
        QVERIFY2(session.has_value(), session ? "" : session.error().text().c_str());
        QCOMPARE(session->info.status, RunStatus::Done);
        QCOMPARE(session->runs.size(), sink.summaries.size());
        for (std::size_t i = 0; i < sink.summaries.size(); ++i) {
            QCOMPARE(session->runs[i].summary.transactions, sink.summaries[i].transactions);
            QCOMPARE(session->runs[i].summary.queries, sink.summaries[i].queries);
            auto intervals = (*library)->intervals(session->runs[i].id);
            QVERIFY(intervals.has_value());
            QCOMPARE(intervals->size(), sink.samples[i].size());
            QCOMPARE(intervals->back().transaction.service, sink.samples[i].back().transaction.service);
        }
    }

    //! They belong to the run that the data was loaded for.
    void retriesOfTheLoadAreKept()
    {
        RecordingSink sink;
        Plan plan = smallPlan("null:?fail_every=3");
        plan.workload.params["tables"] = std::int64_t(6);
        plan.load.loaders = 1;
        plan.load.repeats = 2;
        runPlan(plan, options(true), sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        QCOMPARE(sink.summaries.size(), std::size_t(2));
        QVERIFY(sink.summaries[0].loadRetries.has_value());
        const auto retries = *sink.summaries[0].loadRetries;
        QCOMPARE(retries.size(), std::size_t(1));
        const auto [code, count] = *retries.begin();
        QCOMPARE(code, int(Outcome::Retryable));
        QVERIFY(count >= 2);
        QVERIFY(!sink.summaries[1].loadRetries);
        auto library = Library::open(pathIn(m_dir, "library.dynolib"), Library::Mode::ReadOnly);
        QVERIFY2(library, library ? "" : library.error().text().c_str());
        auto session = (*library)->session(sink.header.id);
        QVERIFY2(session, session ? "" : session.error().text().c_str());
        QVERIFY(session->runs.at(0).summary.loadRetries == retries);
        QVERIFY(!session->runs.at(1).summary.loadRetries);
        QCOMPARE(measureOf(session->runs[0].summary, {}, "load_retries").value_or(-1), double(count));
        QVERIFY(!measureOf(session->runs[1].summary, {}, "load_retries"));
        const auto runs = nlohmann::json::parse(sessionJson(*session))["points"][0]["runs"];
        QCOMPARE(runs[0]["load_retries"].dump(), nlohmann::json({{std::to_string(code), count}}).dump());
        QVERIFY(runs[1]["load_retries"].is_null());
    }

    void aSecondSessionReusesTheDataOfTheFirst()
    {
        const Plan plan = smallPlan("sqlite:" + pathIn(m_dir, "reuse.db"));
        RecordingSink first, second;
        runPlan(plan, options(), first);
        runPlan(plan, options(), second);
        const auto loads = [](const RecordingSink& sink) {
            return std::any_of(sink.progress.begin(), sink.progress.end(),
                               [](const ProgressReport& report) { return report.text.find("loading") == 0; });
        };
        QCOMPARE(first.session.status, RunStatus::Done);
        QCOMPARE(second.session.status, RunStatus::Done);
        QVERIFY(!loads(second));
    }

    void prepareNeverMeansNever()
    {
        RecordingSink sink;
        Plan plan = smallPlan("sqlite:" + pathIn(m_dir, "never.db"));
        plan.workload.prepare = PreparePolicy::Never;
        runPlan(plan, options(), sink);
        QCOMPARE(sink.session.status, RunStatus::Failed);
        QVERIFY2(sink.session.reason.find("sbtest1") != std::string::npos, sink.session.reason.c_str());
        QVERIFY(sink.session.reason.find("prepare") != std::string::npos);
    }
};

} // namespace dyno::tst_session_runner

DYNO_SUITE(tst_session_runner, dyno::tst_session_runner::TstSessionRunner)
#include "tst_session_runner.moc"
