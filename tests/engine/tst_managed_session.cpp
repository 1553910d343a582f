// SPDX-License-Identifier: GPL-3.0-or-later
// Whole sessions on servers and files of our own: restarts that the plan asks for, data that is put back, what is told
// after each run, named servers that keep what was loaded.
#include "managed_test.h"
#include "recording_sink.h"
#include "support/dyno_process.h"
#include "support/suite.h"

#include <dyno/report.h>

#include <QTemporaryDir>

namespace dyno::tst_managed_session {
using namespace dyno::test;
namespace fs = std::filesystem;

namespace {

bool hasEvent(const std::vector<RunEvent>& events, const char* text)
{
    return std::any_of(events.begin(), events.end(), [&](const RunEvent& event) {
        return event.kind == EventKind::Server && event.text.find(text) != std::string::npos;
    });
}

std::uint64_t bytesOf(const RunAftermath& after, const char* kind)
{
    std::uint64_t sum = 0;
    for (const DataPart& part : after.dataParts)
        sum += part.kind == kind ? part.bytes : 0;
    return sum;
}

} // namespace

class TestManagedSession : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

    RunnerOptions options() const
    {
        RunnerOptions result;
        result.workDir = m_dir.path().toStdString();
        result.consent.allow("all");
        return result;
    }
    static Plan plan(const std::string& uri, const std::string& workload)
    {
        Plan made = smallPlan(uri, workload);
        made.workload.params["tables"] = std::int64_t(1);
        made.load.timeSeconds = 0;
        made.load.events = 40;
        for (const auto& [name, value] : smallKnobs())
            made.set["server." + name] = value;
        return made;
    }

private slots:
    void initTestCase()
    {
        if (const auto found = findServer({}); !found)
            QSKIP(found.error().text().c_str());
        shareTemplates(m_dir.path());
    }

    void tellsWhatARunLeftBehind()
    {
        RecordingSink sink;
        Plan two = plan("managed:mariadb", "oltp_insert");
        two.set["server.log_bin"] = true;
        two.load.repeats = 2;
        runPlan(two, options(), sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        QCOMPARE(sink.aftermaths.size(), std::size_t(2));
        QVERIFY(sink.runs[0].optionFile.find("log_bin=binlog") != std::string::npos);
        const RunAftermath& first = sink.aftermaths[0];
        QCOMPARE(first.server.product, std::string("MariaDB"));
        QVERIFY(first.server.variables.contains("log_bin"));
        QVERIFY(bytesOf(first, "table") > 0 && bytesOf(first, "binlog") > 0 && bytesOf(first, "redo log") > 0);
        const auto table = std::find_if(first.dataParts.begin(), first.dataParts.end(),
                                        [](const DataPart& part) { return part.name == "sbtest1"; });
        QVERIFY(table != first.dataParts.end());
        // The log since the preparation of that run: the first one started the server, the second one did not.
        QVERIFY(first.errorLog.find("ready for connections") != std::string::npos);
        QVERIFY(sink.aftermaths[1].errorLog.find("ready for connections") == std::string::npos);
    }

    //! Between the load and the run, each as an event; and the tables of another point have no part in the size.
    void settlesReadsAndWeighsItsOwnTables()
    {
        RecordingSink sink;
        Plan two = plan("managed:mariadb", "oltp_update_index");
        two.load.settle = two.load.prewarm = true;
        two.axes.push_back({"tables",
                            {{"three", {{"workload.tables", std::int64_t(3)}}, 0},
                             {"one", {{"workload.tables", std::int64_t(1)}}, 0}}});
        runPlan(two, options(), sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        QCOMPARE(sink.events.size(), std::size_t(2));
        for (const std::vector<RunEvent>& events : sink.events) {
            QVERIFY(hasEvent(events, "waited for the target to settle"));
            QVERIFY(hasEvent(events, "tables read once"));
        }
        QVERIFY(sink.runs[1].dataBytes < sink.runs[0].dataBytes);
        const auto tablesOf = [](const RunAftermath& after) {
            return std::ranges::count_if(after.dataParts, [](const DataPart& part) { return part.kind == "table"; });
        };
        QCOMPARE(tablesOf(sink.aftermaths[0]), 3);
        QCOMPARE(tablesOf(sink.aftermaths[1]), 1);
    }

    //! What its cases claim is held against what the server counts: all of these rows lie in its memory.
    void aCaseThatReadsNothingIsMarked()
    {
        RecordingSink sink;
        Plan two = plan("managed:mariadb", "oltp_point_select");
        two.load.events = 10'000; // several intervals, of which one or another may end without an answer
        two.load.intervalSeconds = 0.1;
        const Settings same = {{"server.innodb_lru_scan_depth", std::int64_t(1024)}};
        two.axes.push_back({"pool", {{"IO-bound", same, 0, kExpectReads}, {"cached", same, 0, kExpectNoReads}}});
        two.load.warmupEvents = 500;
        runPlan(two, options(), sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        StoredSession session;
        session.header = sink.header;
        for (std::size_t i = 0; i < 2; ++i) {
            StoredRun run;
            run.header = sink.runs[i];
            run.summary = sink.summaries[i];
            QVERIFY(run.summary.storageReadsPerOp);
            const std::string missed = missedExpectation(session, run);
            QCOMPARE(missed.find("\"IO-bound\" is to read from storage") == 0, i == 0);
            QCOMPARE(missed.empty(), i == 1);
            run.summary.storageReadsPerOp = 0.5; // a pool that is too small for the rows
            QCOMPARE(missedExpectation(session, run).empty(), i == 0);
            run.summary.storageReadsPerOp.reset(); // a server that does not tell
            QVERIFY(missedExpectation(session, run).empty());
        }
    }

    void restartsWhenThePlanSaysSo_data()
    {
        QTest::addColumn<int>("policy");
        QTest::addColumn<QList<bool>>("restarted");
        QTest::newRow("when needed") << int(RestartPolicy::WhenNeeded) << QList<bool>{false, false, false, false};
        QTest::newRow("each point") << int(RestartPolicy::EachPoint) << QList<bool>{false, false, true, false};
        QTest::newRow("each run") << int(RestartPolicy::EachRun) << QList<bool>{false, true, true, true};
    }
    void restartsWhenThePlanSaysSo()
    {
        QFETCH(int, policy);
        QFETCH(QList<bool>, restarted);
        RecordingSink sink;
        Plan four = plan("managed:mariadb", "oltp_point_select");
        four.load.users = {1, 2};
        four.load.repeats = 2;
        four.load.restart = RestartPolicy(policy);
        runPlan(four, options(), sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        QCOMPARE(sink.events.size(), std::size_t(4));
        QVERIFY(hasEvent(sink.events[0], "server started in"));
        for (std::size_t i = 0; i < 4; ++i) {
            QCOMPARE(hasEvent(sink.events[i], "because the plan restarts it"), restarted[int(i)]);
            QCOMPARE(hasEvent(sink.events[i], "server started in"), i == 0 || restarted[int(i)]);
            QVERIFY(sink.summaries[i].transactions > 0);
        }
    }

    //! Each run tells whether it went past the client library's public calls, also where the plan leaves that open.
    void thePathOfTheConnectionIsRecorded()
    {
        Plan open = plan("managed:mariadb", "oltp_point_select");
        Plan closed = open, always = open;
        closed.set["connection.direct"] = std::string("off");
        always.set["connection.direct"] = std::string("always");
        for (const Plan& each : {open, closed, always}) {
            RecordingSink sink;
            runPlan(each, options(), sink);
            QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
            ConnectTarget target;
            target.connection["direct"] = textOf(each.set, "connection.direct", "auto");
            target.statements = {{"SELECT c FROM t WHERE id=?", {Param::Type::Integer}}};
            const Settings wanted = driverFor("mysql")->inForce(target);
            QCOMPARE(textOf(sink.runs.at(0).effective, "connection.direct"), textOf(wanted, "direct"));
            QVERIFY(!sink.runs.at(0).effective.contains("direct"));
        }
    }

    void everyRunStartsFromTheSameData_data()
    {
        QTest::addColumn<QString>("uri");
        QTest::newRow("server") << "managed:mariadb";
        QTest::newRow("private file") << "sqlite:";
    }
    void everyRunStartsFromTheSameData()
    {
        QFETCH(QString, uri);
        for (const bool restore : {false, true}) {
            RecordingSink sink;
            Plan three = plan(uri.toStdString(), "oltp_insert");
            if (uri.startsWith("sqlite"))
                three.set.clear();
            three.load.repeats = 3;
            three.load.users = {1};
            three.load.data = restore ? DataPolicy::Restore : DataPolicy::Keep;
            runPlan(three, options(), sink);
            QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
            QCOMPARE(sink.summaries.size(), std::size_t(3));
            for (std::size_t i = 0; i < 3; ++i) {
                QCOMPARE(sink.summaries[i].transactions, std::uint64_t(40));
                QCOMPARE(hasEvent(sink.events[i], "copied in"), restore && i == 0);
                QCOMPARE(hasEvent(sink.events[i], "put back as it was loaded in"), restore && i > 0);
            }
            if (restore) {
                const auto event = std::find_if(sink.events[1].begin(), sink.events[1].end(), [](const RunEvent& one) {
                    return one.text.find("put back") != std::string::npos;
                });
                QVERIFY(event->lengthNs > 0 && event->tNs < 0);
            }
        }
        // Nothing of the session stays, the copies neither.
        std::error_code ignored;
        for (const char* folder : {"managed", "sqlite"}) {
            for (const fs::directory_entry& left : fs::directory_iterator(options().workDir / folder, ignored))
                QVERIFY2(left.path().filename() == ".lock", left.path().c_str());
        }
    }

    void whatIsPutBackIsWhatWasLoaded()
    {
        ManagedInstances keeper(options().workDir);
        for (const bool restore : {false, true}) {
            RecordingSink sink;
            Plan three = plan("managed:mariadb?name=rows", "oltp_insert");
            three.load.repeats = 3;
            three.load.users = {1};
            three.load.data = restore ? DataPolicy::Restore : DataPolicy::Keep;
            runPlan(three, options(), sink);
            QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
            const auto started = keeper.start(*parseUri("managed:mariadb?name=rows"), smallKnobs());
            VERIFY_OK(started);
            ConnectTarget target;
            target.uri = *parseUri("mysql://root@localhost/dyno?socket=" + started->socket);
            const auto count = (*driverFor("mysql")->admin(target))->rowCount("sbtest1");
            VERIFY_OK(count);
            QCOMPARE(*count, std::int64_t(500 + (restore ? 40 : 3 * 40))); // only the last run's rows are left
            VERIFY_OK(keeper.stop("rows"));
            VERIFY_OK(keeper.remove("rows"));
        }
    }

    void othersDataIsNotPutBack()
    {
        const fs::path file = options().workDir / "mine.db";
        RecordingSink first;
        Plan keep = plan("sqlite:" + file.string(), "oltp_insert");
        keep.set.clear();
        runPlan(keep, options(), first);
        QVERIFY2(first.session.status == RunStatus::Done, first.session.reason.c_str());
        RecordingSink sink;
        keep.load.data = DataPolicy::Restore;
        runPlan(keep, options(), sink);
        QCOMPARE(sink.session.status, RunStatus::Failed);
        QVERIFY2(sink.session.reason.find("was there before") != std::string::npos, sink.session.reason.c_str());
    }

    void tlsIsOneWordInThePlan()
    {
        RecordingSink sink;
        Plan tls = plan("managed:mariadb?transport=tcp", "oltp_point_select");
        tls.set["connection.tls"] = std::string("required");
        runPlan(tls, options(), sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        QCOMPARE(sink.runs[0].server.transport, std::string("TCP"));
        QVERIFY(!sink.runs[0].server.cipher.empty());
        QCOMPARE(sink.summaries[0].transactions, std::uint64_t(40));
        // By the socket there is none, and the message says what to write.
        RecordingSink other;
        tls.target.uri = "managed:mariadb";
        runPlan(tls, options(), other);
        QCOMPARE(other.session.status, RunStatus::Failed);
        QVERIFY2(other.session.reason.find("transport=tcp") != std::string::npos, other.session.reason.c_str());
    }

    void namedServerKeepsWhatWasLoaded()
    {
        const std::string uri = "managed:mariadb?name=keeps";
        std::vector<std::uint64_t> rows;
        for (int i = 0; i < 2; ++i) {
            RecordingSink sink;
            runPlan(plan(uri, "oltp_insert"), options(), sink);
            QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
            const bool loaded =
                std::any_of(sink.progress.begin(), sink.progress.end(), [](const ProgressReport& report) {
                    return report.phase == Phase::Prepare && report.total > 0;
                });
            QCOMPARE(loaded, i == 0);
        }
        ManagedInstances keeper(options().workDir);
        const auto started = keeper.start(*parseUri(uri), smallKnobs());
        VERIFY_OK(started);
        ConnectTarget target;
        target.uri = *parseUri("mysql://root@localhost/dyno?socket=" + started->socket);
        const auto count = (*driverFor("mysql")->admin(target))->rowCount("sbtest1");
        VERIFY_OK(count);
        QCOMPARE(*count, std::int64_t(500 + 40 + 40)); // loaded once, and both sessions' rows
        // While it is in use, a session says by whom.
        RecordingSink sink;
        runPlan(plan(uri, "oltp_insert"), options(), sink);
        QCOMPARE(sink.session.status, RunStatus::Failed);
        QVERIFY2(sink.session.reason.find("in use by this Dynobench") != std::string::npos,
                 sink.session.reason.c_str());
        VERIFY_OK(keeper.stop("keeps"));
        VERIFY_OK(keeper.remove("keeps"));
    }

    void anotherPageSizeIsLoadedAgain()
    {
        RecordingSink sink;
        Plan sizes = plan("managed:mariadb", "oltp_point_select");
        sizes.axes.push_back({"page size", {}, 0});
        for (const int size : {16384, 8192, 16384})
            sizes.axes[0].cases.push_back({std::to_string(sizes.axes[0].cases.size()) + ": " + std::to_string(size),
                                           {{"server.innodb_page_size", std::int64_t(size)}},
                                           0});
        sizes.load.users = {1};
        sizes.load.data = DataPolicy::Restore;
        runPlan(sizes, options(), sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        QCOMPARE(sink.runs.size(), std::size_t(3));
        for (std::size_t i = 0; i < 3; ++i) {
            QCOMPARE(toText(sink.runs[i].effective.at("innodb_page_size")), std::string(i == 1 ? "8192" : "16384"));
            QVERIFY(hasEvent(sink.events[i], "copied in"));
        }
    }

    void twoVersionsInOnePlan()
    {
        const std::string old = basedirIn("DYNO_TEST_MYSQL57"), young = basedirIn("DYNO_TEST_MYSQL80");
        if (old.empty() || young.empty())
            QSKIP("DYNO_TEST_MYSQL57 and DYNO_TEST_MYSQL80 do not both name folders of MySQL servers");
        RecordingSink sink;
        Plan both = plan("managed:mysql?basedir=" + old, "oltp_point_select");
        both.axes.push_back({"version",
                             {{"5.7", {{"target.uri", "managed:mysql?basedir=" + old}}, 0},
                              {"8.0", {{"target.uri", "managed:mysql?basedir=" + young}}, 0}},
                             0});
        both.load.users = {1};
        both.load.repeats = 2;
        both.load.order = RunOrder::Interleaved;
        RunnerOptions here = options();
        here.workDir = DYNO_TEST_WORK_DIR;
        runPlan(both, here, sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        QCOMPARE(sink.runs.size(), std::size_t(4));
        for (const RunHeader& run : sink.runs)
            QVERIFY(run.server.version.starts_with(run.point == 0 ? "5.7" : "8.0"));
    }
};

} // namespace dyno::tst_managed_session

DYNO_SUITE(tst_managed_session, dyno::tst_managed_session::TestManagedSession)
#include "tst_managed_session.moc"
