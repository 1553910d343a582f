// SPDX-License-Identifier: GPL-3.0-or-later
// Mixed loads: groups of users with a workload and a pace of their own in one run, from the plan to the figures.
#include "executor_rig.h"
#include "load/executor/executor.h"
#include "plan/load_groups.h"
#include "plan/plan_order.h"
#include "plan_fault_rows.h"
#include "store/codec/session_codec.h"
#include "support/about.h"
#include "support/suite.h"
#include "workload/workload.h"

#include <dyno/catalog.h>
#include <dyno/data_check.h>
#include <dyno/plan_refs.h>
#include <dyno/report.h>
#include <dyno/trust.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace dyno::tst_load_groups {
using namespace dyno::test;

namespace {

LoadGroup group(const char* name, std::optional<int> users, const char* workload, double rate = 0)
{
    LoadGroup made;
    made.name = name;
    made.users = users;
    made.workload = workload;
    made.pace.rate = rate;
    made.pace.model = rate > 0 ? ArrivalModel::Fixed : ArrivalModel::Closed;
    return made;
}

//! Look-ups by three users as fast as they can, beside updates of two users at 200 a second.
Plan mixedPlan(ExecutorKind executor, const std::string& uri = "null:?pending=1&service_us=500")
{
    Plan plan = planFor(executor, uri);
    plan.workload.name = "oltp_read_write";
    plan.load.timeSeconds = 1;
    plan.load.groups = {group("reads", 3, "oltp_point_select"), group("writes", 2, "oltp_update_index", 200)};
    return plan;
}

Plan insertsOfTwoGroups(const std::string& uri)
{
    Plan plan = smallPlan(uri, "ycsb");
    plan.workload.params = {
        {"workload", std::string("d")}, {"recordcount", std::int64_t(200)}, {"insert_proportion", 0.5}};
    plan.load.groups = {group("some", 2, ""), group("others", 2, "")};
    plan.load.timeSeconds = 1;
    return plan;
}

const OperationSummary* find(const RunSummary& run, std::string_view name)
{
    const auto found = std::ranges::find(run.operations, name, &OperationSummary::name);
    return found == run.operations.end() ? nullptr : &*found;
}

constexpr const char* kPlan = R"(title = "t"
[target]
uri = "sqlite:a.db"
[workload]
name = "oltp_write_only"
params = { tables = 2, table_size = 1000 }
[load]
users = [2, 4]
time = "5s"
[[load.group]]
name = "scans"
workload = "select_random_ranges"
params = { number_of_ranges = 3 }
[[load.group]]
name = "writes"
users = 3
rate = 250.5
arrival = "fixed"
[[axis]]
name = "what"
cases = [
  { label = "scans", set = { "load.group.writes.users" = 0 } },
  { label = "both", set = { "load.group.writes.params.delete_inserts" = 2 } },
]
[[view]]
chart = "lines"
measure = "tps:scans"
x = "users"
series = "what"
)";

} // namespace

class TstLoadGroups : public QObject
{
    Q_OBJECT

private slots:
    void bothWorkAtOnce_data() { addExecutors(); }
    void bothWorkAtOnce()
    {
        QFETCH(ExecutorKind, executor);
        RecordingSink sink;
        runPlan(mixedPlan(executor), {}, sink);
        const RunSummary& run = only(sink);
        QVERIFY2(run.status == RunStatus::Done, run.reason.c_str());
        const OperationSummary* reads = find(run, "reads");
        const OperationSummary* writes = find(run, "writes");
        QVERIFY(reads && writes && find(run, "reads.point_select") && find(run, "writes.index_update"));
        QVERIFY(!find(run, "point_select"));

        // Each counts its own: a look-up is one operation, and so is an update.
        QVERIFY(about(reads->count + writes->count, run.transactions));
        QVERIFY(about(find(run, "reads.point_select")->count, reads->count));
        QVERIFY(about(find(run, "writes.index_update")->count, writes->count));
        QVERIFY(about(run.queries, reads->count + writes->count)); // groups are no operations
        // The rate holds beside users that do what they can.
        const double due = 200 * run.seconds;
        QVERIFY2(std::abs(double(writes->count) - due) <= 20, qPrintable(QString::number(writes->count)));
        QVERIFY2(reads->count > 3 * writes->count, qPrintable(QString::number(reads->count)));
        QVERIFY2(std::abs(double(run.arrivals) - due) <= 20, qPrintable(QString::number(run.arrivals)));
        QCOMPARE(run.dropped, std::uint64_t(0));
        QCOMPARE(sink.samples.front().front().users, 5);
        QVERIFY(hasEvent(sink, EventKind::Phase, "5 users (3 reads, 2 writes at 200 a second)"));

        // Response time from the arrival for the one, service time for the other: who works as fast as it can has
        // response times of its own only for what was under way at the end, at most one a user.
        QVERIFY(!writes->times.response.empty());
        if (!reads->times.response.empty()) {
            QVERIFY(reads->times.response.count() >= reads->times.service.count());
            QVERIFY2(reads->times.response.count() - reads->times.service.count() <= 3,
                     qPrintable(QString::number(reads->times.response.count())));
        }
        QVERIFY(writes->response.p50Ms >= writes->service.p50Ms * 0.98);
        QCOMPARE(measureOf(run, {}, "tps:writes").value_or(0), double(writes->count) / run.seconds);
        QVERIFY(!measureOf(run, {}, "tps:writes.index_update"));

        std::uint64_t inIntervals = 0;
        for (const IntervalSample& sample : sink.samples.front())
            inIntervals += sample.phase == Phase::Measure ? operationCount(sample, sink.runs.front().operations) : 0;
        QCOMPARE(inIntervals, run.queries);
        const std::vector<double> rates =
            intervalValues(sink.samples.front(), sink.runs.front().operations, "tps:writes");
        QVERIFY(!rates.empty() && std::ranges::all_of(rates, [](double rate) { return rate < 400; }));
    }

    void aWarmUpChangesNoRate_data() { addExecutors(); }
    void aWarmUpChangesNoRate()
    {
        QFETCH(ExecutorKind, executor);
        Plan plan = mixedPlan(executor);
        plan.load.warmupSeconds = 0.4;
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QCOMPARE(only(sink).status, RunStatus::Done);
        QVERIFY(std::abs(double(find(only(sink), "writes")->count) - 200 * only(sink).seconds) <= 20);
    }

    //! Answers after the end count in the response times of the group with arrivals, of its operations and of the run.
    void lateAnswersCount_data() { addExecutors(); }
    void lateAnswersCount()
    {
        QFETCH(ExecutorKind, executor);
        for (const bool beside : {false, true}) {
            Plan plan = planFor(executor, "null:?pending=1&service_us=420000");
            plan.workload.name = "oltp_read_write";
            plan.load.timeSeconds = 1;
            plan.load.groups = {group("writes", 16, "oltp_update_index", 20)};
            if (beside)
                plan.load.groups.insert(plan.load.groups.begin(), group("reads", 2, "oltp_point_select"));
            RecordingSink sink;
            runPlan(plan, {}, sink);
            const RunSummary& run = only(sink);
            QVERIFY2(run.status == RunStatus::Done, run.reason.c_str());
            const OperationSummary* writes = find(run, "writes");
            QVERIFY(writes && run.late > 0);
            // Those of the last 0.42 s: 8 of 20.
            const std::uint64_t all = writes->times.response.count();
            QVERIFY2(all >= writes->count + 5, qPrintable(QString("%1 of %2").arg(writes->count).arg(all)));
            const std::uint64_t ofOperation = find(run, "writes.index_update")->times.responseOrService().count();
            QVERIFY2(ofOperation + 2 >= all, qPrintable(QString("%1 of %2").arg(ofOperation).arg(all)));
            const std::uint64_t ofReads = beside ? find(run, "reads")->times.responseOrService().count() : 0;
            // Both readers and a writer may end a transaction between two counters; the late ones are more.
            const std::uint64_t ofRun = run.times.response.count(), ofGroups = all + ofReads;
            QVERIFY2(std::max(ofRun, ofGroups) - std::min(ofRun, ofGroups) <= 3,
                     qPrintable(QString("%1 of %2").arg(ofRun).arg(ofGroups)));
        }
    }

    //! Arrivals begin a moment after the users are let go: what a group without them did before it would be too much.
    void noGroupBeginsEarly_data() { addExecutors(); }
    void noGroupBeginsEarly()
    {
        QFETCH(ExecutorKind, executor);
        constexpr std::int64_t kServiceNs = 33'400'000; // three take a little longer than an interval
        Plan plan = mixedPlan(executor, "null:?pending=1&service_us=33400");
        plan.load.groups[1].pace.rate = 5;
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QVERIFY2(only(sink).status == RunStatus::Done, only(sink).reason.c_str());
        const IntervalSample& first = sink.samples.front().front();
        QCOMPARE(sink.runs.front().operations.front().name, std::string("reads"));
        const auto most = std::uint64_t(3 * (first.lengthNs / kServiceNs));
        QVERIFY2(first.ops.front().count <= most,
                 qPrintable(QString("%1 of %2").arg(first.ops.front().count).arg(most)));
        QVERIFY(first.ops.front().count > 0);
    }

    //! The p95 beside the rate of a group is that group's: from the arrival where its transactions arrive.
    void percentilesAreOfTheGroup()
    {
        Plan plan = mixedPlan(ExecutorKind::Threads);
        plan.load.groups[1].users = 1;
        plan.load.groups[1].pace.rate = 4000; // one user does at most 2000 a second: a queue grows
        RecordingSink sink;
        runPlan(plan, {}, sink);
        StoredSession session;
        session.header = sink.header;
        StoredRun& run = session.runs.emplace_back();
        run.summary = only(sink);
        QVERIFY2(run.summary.status == RunStatus::Done, run.summary.reason.c_str());
        const OperationSummary* writes = find(run.summary, "writes");
        QVERIFY(writes);
        // Else the one could stand for the other.
        QVERIFY2(writes->response.p95Ms > 3 * writes->service.p95Ms,
                 qPrintable(QString("%1, %2 ms").arg(writes->response.p95Ms).arg(writes->service.p95Ms)));
        for (const auto& [measure, p95] : {std::pair("tps:reads", "service_p95:reads"),
                                           {"tps:writes", "response_p95:writes"},
                                           {"tps", "response_p95"}}) {
            PivotRequest request;
            request.measure = measure;
            const Pivot shown = pivot({session}, request);
            QCOMPARE(shown.cells.size(), std::size_t(1));
            const auto wanted = measureOf(run.summary, {}, p95);
            QVERIFY(wanted && *wanted > 0);
            QVERIFY2(std::abs(shown.cells.front().p95Ms - *wanted) <= 0.02 * *wanted, measure);
            QCOMPARE(shown.responseTimes, measure != std::string("tps:reads"));
        }
    }

    //! What one group leaves undone is no fault of the data.
    void conditionsThatAllGroupsKeep()
    {
        QTemporaryDir folder;
        Plan plan = smallPlan("sqlite:" + folder.filePath("a.db").toStdString(), "tpcb");
        plan.workload.params = {{"scale", std::int64_t(1)}, {"accounts_per_branch", std::int64_t(100)}};
        plan.load.groups = {group("all", 1, ""), group("some", 1, "")};
        const auto conditions = [&plan] {
            return conditionsOf(expand(plan).points.front()).value_or(std::vector<std::string>());
        };
        QCOMPARE(conditions().size(), std::size_t(3));
        plan.load.groups[1].params = {{"script", std::string("simple-update")}};
        QCOMPARE(conditions().size(), std::size_t(1));
        const Faults faults = checkPlan(plan);
        QVERIFY2(faults.empty(), qPrintable(told(faults)));
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QVERIFY2(only(sink).status == RunStatus::Done, only(sink).reason.c_str());
        const auto reports = checkData(plan, {}, {});
        QVERIFY2(reports, reports ? "" : reports.error().message.c_str());
        QCOMPARE(reports->size(), std::size_t(1));
        QCOMPARE(reports->front().conditions.size(), std::size_t(1));
        QVERIFY(reports->front().holds());
        plan.load.groups[1].users = 0; // takes no part
        QCOMPARE(conditions().size(), std::size_t(3));
        // Statements of one's own that only read leave them as they are.
        plan.load.groups[1] = group("own", 1, "script");
        plan.load.groups[1].params = {{"scripts", std::string("SELECT tid FROM pgbench_tellers;")},
                                      {"schema", std::string("none")}};
        QCOMPARE(conditions().size(), std::size_t(3));
        plan.load.groups[1].params["scripts"] = std::string("DELETE FROM pgbench_history;");
        QCOMPARE(conditions().size(), std::size_t(0));
        plan.load.groups[1] = group("own", 1, "lua");
        const std::string lua = "function thread_init() con = sysbench.sql.driver():connect() end\n"
                                "function event() con:query('SELECT 1') end -- no updates\n";
        plan.load.groups[1].params = {{"script", lua}};
        QCOMPARE(conditions().size(), std::size_t(3));
        plan.load.groups[1].params = {{"script", lua + "function more() con:query('Update t SET a = 1') end\n"}};
        QCOMPARE(conditions().size(), std::size_t(0));
    }

    //! What a plan says of a group or a phase follows it to its new name, where no other one can be meant.
    void whatSpeaksOfAPartFollowsIt()
    {
        Plan plan = mixedPlan(ExecutorKind::Threads);
        LoadPhase spike;
        spike.name = "spike";
        spike.seconds = 1;
        spike.groups["reads"].users = 1;
        plan.load.phases = {spike};
        plan.set["load.group.reads.users"] = std::int64_t(2);
        plan.set["load.phase.spike.groups.reads.users"] = std::int64_t(2);
        plan.views.resize(5);
        plan.views.front().measure = "tps:reads";
        plan.views[1].measure = "counter:reads"; // not of the group
        plan.views[2].measure = "column_bytes:reads.c";
        plan.views[3].measure = "formula:Loss = tps:reads / qps";
        plan.views[4].measure = "formula:Load=qps/users"; // as it was written
        plan.sizes.resize(1);
        plan.sizes.front().fields = {{"axis.a[b].load.group.reads.users", "2"}, {"view.v.measure", "tps:reads"}};
        Published figure;
        figure.measure = "tps:reads.point_select";
        plan.published = {figure};
        plan.load.groups.front().name = "looks";
        renameLoadPart(plan, "group", "reads", "looks");
        QVERIFY(plan.set.contains("load.group.looks.users"));
        QVERIFY(plan.set.contains("load.phase.spike.groups.looks.users"));
        QCOMPARE(plan.set.size(), std::size_t(2));
        QCOMPARE(plan.views.front().measure, std::string("tps:looks"));
        QCOMPARE(plan.views[1].measure, std::string("counter:reads"));
        QCOMPARE(plan.views[2].measure, std::string("column_bytes:reads.c"));
        QCOMPARE(plan.sizes.front().fields.front().first, std::string("axis.a[b].load.group.looks.users"));
        QCOMPARE(plan.sizes.front().fields.back().second, std::string("tps:looks"));
        QCOMPARE(plan.views[3].measure, std::string("formula:Loss = tps:looks / qps"));
        QCOMPARE(plan.views[4].measure, std::string("formula:Load=qps/users"));
        QCOMPARE(plan.published.front().measure, std::string("tps:looks.point_select"));
        QVERIFY(plan.load.phases.front().groups.contains("looks"));
        plan.published.front().measure = "tps:spike";
        plan.load.phases.front().name = "peak";
        renameLoadPart(plan, "phase", "spike", "peak");
        QCOMPARE(plan.published.front().measure, std::string("tps:peak"));
        QVERIFY(plan.set.contains("load.phase.peak.groups.looks.users"));
        // Of two by one name neither takes what is said of the other.
        plan.load.groups.front().name = "writes";
        renameLoadPart(plan, "group", "looks", "writes");
        QVERIFY(plan.set.contains("load.group.looks.users"));
        plan.load.groups.front().name = "scans";
        renameLoadPart(plan, "group", "writes", "scans");
        QVERIFY(plan.set.contains("load.group.looks.users"));
        QCOMPARE(plan.views.front().measure, std::string("tps:looks"));
    }

    //! A file could have any number; each costs memory in each point.
    void notTooMany()
    {
        std::string text = kPlan;
        for (std::size_t i = 2; i <= kMostGroups; ++i)
            text += "[[load.group]]\nname = \"more" + std::to_string(i) + "\"\nusers = 1\n";
        const ParsedPlan parsed = parsePlan(text, "plan");
        QVERIFY2(told(parsed.faults).contains("17 groups of users are too many"), qPrintable(told(parsed.faults)));
    }

    //! Steps end by themselves, groups by the time: together nothing would end.
    void noStepsUnderGroups()
    {
        Plan plan = smallPlan("sqlite:a.db", "oltp_ddl");
        plan.load.users = {1};
        QVERIFY2(checkPlan(plan).empty(), qPrintable(told(checkPlan(plan))));
        plan.load.groups = {group("reads", 1, "oltp_point_select")};
        const Faults faults = checkPlan(plan);
        const auto found = std::ranges::find(faults, std::string("workload.name"), &Fault::where);
        QVERIFY2(found != faults.end() && found->what.find("list of steps") != std::string::npos,
                 qPrintable(told(faults)));
    }

    //! Statements of one's own fit any tables; a script with tables of its own gives its head to those without one.
    void ownStatementsFitAnyTables_data()
    {
        QTest::addColumn<QString>("workload");
        QTest::addColumn<QString>("scripts"); //!< of the plan's workload
        QTest::addColumn<QString>("own");     //!< of the group
        QTest::addColumn<QString>("schema");  //!< that the group gives
        QTest::addColumn<QString>("says");
        const char* head = "+++\ndefine = \"n=3\"\n[[tables]]\nname = \"t\"\nrows = 5\n[tables.columns]\n"
                           "a = { type = \"INT\", sequence = 1 }\n+++\n";
        const QString other = QString(head).replace("\"t\"", "\"u\"");
        const char* reads = "SELECT a FROM t WHERE a = :n;";
        QTest::newRow("beside sysbench's") << "oltp_write_only"
                                           << ""
                                           << "SELECT c FROM sbtest1;"
                                           << ""
                                           << "";
        QTest::newRow("beside TPC-C") << "tpcc"
                                      << ""
                                      << "SELECT 1;"
                                      << "none"
                                      << "";
        QTest::newRow("a head for both") << "script" << QString(head) + "SELECT 1;" << reads << ""
                                         << "";
        QTest::newRow("the same head") << "script" << QString(head) + "SELECT 1;" << QString(head) + reads << ""
                                       << "";
        QTest::newRow("pgbench's") << "script"
                                   << ""
                                   << "SELECT 1;"
                                   << ""
                                   << "";
        QTest::newRow("another head") << "script" << QString(head) + "SELECT 1;" << other + "SELECT 2;"
                                      << ""
                                      << "other data than";
        QTest::newRow("pgbench's beside sysbench's") << "oltp_write_only"
                                                     << ""
                                                     << "SELECT 1;"
                                                     << "pgbench"
                                                     << "other data than";
        QTest::newRow("a head beside sysbench's") << "oltp_write_only"
                                                  << "" << QString(head) + "SELECT 1;"
                                                  << ""
                                                  << "other data than";
    }
    void ownStatementsFitAnyTables()
    {
        QFETCH(QString, workload);
        QFETCH(QString, scripts);
        QFETCH(QString, own);
        QFETCH(QString, schema);
        QFETCH(QString, says);
        Plan plan = smallPlan("sqlite:a.db", workload.toStdString());
        plan.workload.params.clear();
        if (!scripts.isEmpty())
            plan.workload.params = {{"scripts", scripts.toStdString()}};
        plan.load.timeSeconds = 1;
        plan.load.events = 0;
        plan.load.groups = {group("base", 1, ""), group("own", 1, "script", 20)};
        plan.load.groups[1].params = {{"scripts", own.toStdString()}};
        if (!schema.isEmpty())
            plan.load.groups[1].params["schema"] = schema.toStdString();
        const Faults faults = checkPlan(plan);
        if (says.isEmpty())
            QVERIFY2(faults.empty(), qPrintable(told(faults)));
        else
            QVERIFY2(told(faults).contains(says), qPrintable(told(faults)));
    }
    //! Nobody loads what the group needs.
    void statementsOfOnesOwnLoadNothing()
    {
        Plan plan = smallPlan("sqlite:a.db", "script");
        plan.workload.params = {{"scripts", std::string("SELECT 1;")}, {"schema", std::string("none")}};
        plan.load.timeSeconds = 1;
        plan.load.events = 0;
        plan.load.groups = {group("own", 1, ""), group("writes", 1, "oltp_write_only")};
        const Faults faults = checkPlan(plan);
        QCOMPARE(faults.size(), std::size_t(1));
        QVERIFY2(told(faults).contains("needs tables of its own") && told(faults).contains("make oltp_write_only"),
                 qPrintable(told(faults)));
    }
    //! A script's statements beside those of sysbench, at a rate; since they change rows that nobody counts, each run
    //! begins with tables as they were loaded.
    void aScriptWorksBesideABuiltinWorkload()
    {
        Plan plan = smallPlan("sqlite:", "oltp_write_only");
        plan.workload.params = {{"tables", std::int64_t(1)}, {"table_size", std::int64_t(100)}};
        plan.set["connection.synchronous"] = std::string("OFF");
        plan.load.timeSeconds = 1;
        plan.load.events = 0;
        plan.load.repeats = 2;
        plan.load.groups = {group("writes", 1, "", 50), group("own", 1, "script", 20)};
        const auto loadsAgain = [&plan](const char* script) {
            plan.load.groups[1].params = {{"scripts", std::string(script)}};
            return expand(plan).runs.at(1).loads;
        };
        QVERIFY(!loadsAgain("SELECT c FROM sbtest1 WHERE id = 5;"));
        QVERIFY(loadsAgain("UPDATE sbtest1 SET k = -1 WHERE id = 5;"));
        RecordingSink sink;
        RunnerOptions options;
        options.consent.allow("all");
        runPlan(plan, options, sink);
        QCOMPARE(sink.summaries.size(), std::size_t(2));
        for (const RunSummary& run : sink.summaries) {
            QVERIFY2(run.status == RunStatus::Done, run.reason.c_str());
            const OperationSummary* own = find(run, "own.update_sbtest1");
            QVERIFY(find(run, "writes") && own && own->count > 0);
            QVERIFY2(own->count <= 25, qPrintable(QString::number(own->count)));
        }
    }

    //! Users of two instances do not know of each other's rows; those that only query insert nothing.
    void groupsThatCountRows_data()
    {
        QTest::addColumn<QString>("uri");
        QTest::addColumn<bool>("byKey");
        QTest::addColumn<bool>("deletes");
        QTest::addColumn<int>("queryUsers");
        QTest::addColumn<QString>("says");
        QTest::newRow("queries beside inserts") << "sqlite:a.db" << false << false << 2 << "";
        QTest::newRow("queries beside deletes") << "sqlite:a.db" << false << true << 2 << "";
        QTest::newRow("queries by key") << "sqlite:a.db" << true << false << 2 << "would not know";
        QTest::newRow("deletes in both") << "sqlite:a.db" << false << true << 1 << "would not know";
        QTest::newRow("documents, queries alone") << "mongodb://localhost/test" << false << false << 2 << "";
        QTest::newRow("documents, both insert") << "mongodb://localhost/test" << false << false << 1 << "same keys";
    }
    void groupsThatCountRows()
    {
        QFETCH(QString, uri);
        QFETCH(bool, byKey);
        QFETCH(bool, deletes);
        QFETCH(int, queryUsers);
        QFETCH(QString, says);
        if (!findDriver(uri.section(u':', 0, 0).toStdString()))
            QSKIP("without this driver");
        Plan plan = smallPlan(uri.toStdString(), "iibench");
        plan.workload.params = {{"query_primary_key", byKey}, {"delete_mode", deletes}};
        plan.load.rows = 1000;
        plan.load.groups = {group("inserts", 1, ""), group("queries", 2, "")};
        plan.load.groups[1].params = {{"query_users", std::int64_t(queryUsers)}};
        const Faults faults = checkPlan(plan);
        if (says.isEmpty()) {
            QVERIFY2(faults.empty(), qPrintable(told(faults)));
            plan.load.groups[0].users = 0; // nobody inserts the rows that the run waits for
            QVERIFY2(told(checkPlan(plan)).contains("load.rows"), qPrintable(told(checkPlan(plan))));
        } else {
            QVERIFY2(told(faults).contains("load.group[1].workload") && told(faults).contains(says),
                     qPrintable(told(faults)));
        }
    }

    //! A workload and its parameters by a case, or for the whole plan.
    void aCaseChoosesAWorkload()
    {
        const Plan parsed = *parsePlan(kPlan, "plan").plan;
        const Settings chosen{{"load.group.scans.workload", std::string("oltp_write_only")},
                              {"load.group.scans.params.delete_inserts", std::int64_t(2)}};
        Plan plan = parsed;
        plan.axes[0].cases[1].set = chosen;
        QVERIFY2(checkPlan(plan).empty(), qPrintable(told(checkPlan(plan))));
        QCOMPARE(toText(expand(plan).points[2].load.groups[0].params.at("delete_inserts")), std::string("2"));
        // A parameter that only the workload of another case has.
        plan.axes[0].cases[1].set = {{"load.group.writes.workload", std::string("select_random_ranges")},
                                     {"load.group.writes.params.query", std::string("join")}};
        QVERIFY2(told(checkPlan(plan)).contains("no parameter \"query\""), qPrintable(told(checkPlan(plan))));
        plan.axes[0].cases[1].set = {{"load.group.writes.workload", std::string("oltp_analytic")},
                                     {"load.group.writes.params.query", std::string("join")}};
        QVERIFY2(checkPlan(plan).empty(), qPrintable(told(checkPlan(plan))));
        Plan whole = parsed;
        whole.set = chosen;
        whole.views[0].measure = "qps:scans.index_update";
        QVERIFY2(checkPlan(whole).empty(), qPrintable(told(checkPlan(whole))));
    }

    //! A group without users takes no part, and nothing is told of it.
    void aGroupAlone()
    {
        Plan plan = mixedPlan(ExecutorKind::Threads);
        plan.load.groups[1].users = 0;
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QCOMPARE(only(sink).status, RunStatus::Done);
        QVERIFY(!find(only(sink), "writes"));
        QVERIFY(about(find(only(sink), "reads")->count, only(sink).transactions));
        QCOMPARE(only(sink).arrivals, std::uint64_t(0));
        QVERIFY(!measureOf(only(sink), {}, "tps:writes"));
    }

    //! Groups have numbers of their own for what a workload divides among its users, and one number in all for what no
    //! two users may share.
    void everyUserHasItsPlace()
    {
        const Plan plan = mixedPlan(ExecutorKind::Threads, "null:");
        const Expansion expansion = expand(plan);
        const PointSpec& point = expansion.points.front();
        QCOMPARE(point.mostUsers(), 5);
        QCOMPARE(point.allUsers(), 5);
        PointSpec searching = expand(planFor(ExecutorKind::Threads, "null:")).points.front();
        searching.load.search = {.what = Search::What::Users, .from = 1, .to = 64};
        QCOMPARE(searching.allUsers(), searching.users()); // not those that it may come to
        const auto base = bindPoint(point);
        QVERIFY(base);
        const auto bound = bindGroups(point, *base);
        QVERIFY(bound && bound->size() == 2);
        Signal signal;
        RunState state(signal);
        Recorder recorder(1, 4, true);
        Driver& driver = *driverFor("null");
        ExecutorJob job{driver, nullptr, **base, recorder, state, 5, 7};
        for (std::size_t i = 0; i < 2; ++i)
            job.groups.push_back({.target = nullptr,
                                  .workload = (*bound)[i].workload.get(),
                                  .users = (*bound)[i].users,
                                  .counts = OpId(std::uint16_t(2 * i)),
                                  .firstOp = OpId(std::uint16_t(2 * i + 1))});
        std::vector<std::pair<std::size_t, int>> own;
        for (int user = 0; user < 5; ++user) {
            const UserPart part = partOf(job, user);
            QCOMPARE(int(indexOf(part.place.user)) + part.place.before, user);
            QCOMPARE(part.place.everyone, 5);
            QCOMPARE(part.workload, (*bound)[user < 3 ? 0 : 1].workload.get());
            own.emplace_back(indexOf(part.place.user), part.place.users);
        }
        const std::vector<std::pair<std::size_t, int>> wanted{{0, 3}, {1, 3}, {2, 3}, {0, 2}, {1, 2}};
        QVERIFY(own == wanted);
    }

    void everyGroupInserts_data() { addExecutors(); }
    void everyGroupInserts()
    {
        QFETCH(ExecutorKind, executor);
        Plan plan = insertsOfTwoGroups("null:?pending=1&service_us=500");
        plan.load.executor = executor;
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QVERIFY2(only(sink).status == RunStatus::Done, only(sink).reason.c_str());
        const OperationSummary *some = find(only(sink), "some.insert"), *others = find(only(sink), "others.insert");
        QVERIFY(some && others && some->count > 0 && others->count > 0);
    }

    //! Two groups that insert make no key twice, and share what they have inserted.
    void groupsInsertDifferentKeys()
    {
        Plan plan = insertsOfTwoGroups("sqlite:");
        plan.set["connection.synchronous"] = std::string("OFF");
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QVERIFY2(only(sink).status == RunStatus::Done, only(sink).reason.c_str());
        QCOMPARE(only(sink).failed, std::uint64_t(0));
        // One at a time writes to the file, and who waits sleeps: it may be that one group never has its turn.
        const OperationSummary *some = find(only(sink), "some.insert"), *others = find(only(sink), "others.insert");
        QVERIFY((some && some->count > 0) || (others && others->count > 0));
    }

    void aPlanComesBack()
    {
        const ParsedPlan parsed = parsePlan(kPlan, "plan");
        QVERIFY2(parsed.plan.has_value(), qPrintable(told(parsed.faults)));
        const std::vector<LoadGroup>& groups = parsed.plan->load.groups;
        QCOMPARE(groups.size(), std::size_t(2));
        QVERIFY(groups[0].name == "scans" && !groups[0].users && groups[0].workload == "select_random_ranges");
        QCOMPARE(groups[1].users.value_or(0), 3);
        QVERIFY(groups[1].pace.model == ArrivalModel::Fixed && groups[1].pace.rate == 250.5);
        const std::string written = writePlan(*parsed.plan);
        const ParsedPlan again = parsePlan(written, "written");
        QVERIFY2(again.plan.has_value(), qPrintable(told(again.faults)));
        QVERIFY2(again.plan->load.groups == groups, written.c_str());
        QCOMPARE(writePlan(*again.plan), written);

        // Points: as many as the list says, all parameters of their own workload, and back from the store.
        const Expansion expansion = expand(*parsed.plan);
        QCOMPARE(expansion.points.size(), std::size_t(4));
        const PointSpec& alone = expansion.points[1];
        QCOMPARE(alone.mostUsers(), 4);
        QCOMPARE(expansion.points[3].mostUsers(), 4 + 3);
        const LoadGroup& scans = alone.load.groups[0];
        QCOMPARE(toText(scans.params.at("number_of_ranges")), std::string("3"));
        QCOMPARE(toText(scans.params.at("table_size")), std::string("1000"));
        QCOMPARE(toText(expansion.points[2].load.groups[1].params.at("delete_inserts")), std::string("2"));
        QVERIFY(codec::readPoint(codec::write(alone)).load.groups == alone.load.groups);
        // A plan without groups is stored and written as ever.
        Plan plain = *parsed.plan;
        plain.load.groups.clear();
        plain.axes.clear();
        plain.views.clear();
        QVERIFY(writePlan(plain).find("group") == std::string::npos);
        QVERIFY(codec::write(expand(plain).points.front()).find("group") == std::string::npos);
    }

    void whatIsWrongNamesItsPlace_data()
    {
        addFaultColumns();
        const auto& row = addFault;
        row("no name", "name = \"scans\"", "name = \"\"", 11, "load.group[0].name", "no name");
        row("a name with a dot", "name = \"scans\"", "name = \"sc.ans\"", 11, "load.group[0].name", "letters");
        row("a size of its own", "{ number_of_ranges = 3 }", "{ table_size = \"4 x cache\" }", 13,
            "load.group[0].params.table_size", "another size");
        row("two of one name", "name = \"writes\"", "name = \"scans\"", 15, "load.group[1].name", "two groups");
        row("a key", "users = 3", "user = 3", 16, "load.group[1].user", "users");
        row("users", "users = 3", "users = -1", 16, "load.group[1].users", "0 leaves the group out");
        row("no rate", "rate = 250.5\n", "", 14, "load.group[1].rate", "needs a rate");
        row("rate and think time", "rate = 250.5", "rate = 250.5\nthink_time = \"1s\"", 18, "load.group[1].think_time",
            "no think time");
        row("closed with a rate", "\"fixed\"", "\"closed\"", 18, "load.group[1].arrival", "closed loop has no rate");
        row("a workload", "select_random_ranges", "select_random_range", 12, "load.group[0].workload",
            "select_random_ranges");
        row("other data", "select_random_ranges\"\nparams = { number_of_ranges = 3 }", "tpcb\"", 12,
            "load.group[0].workload", "other data");
        row("a list of steps", "select_random_ranges\"\nparams = { number_of_ranges = 3 }", "oltp_ddl\"", 12,
            "load.group[0].workload", "list of steps");
        row("a workload that uses its tables up", "select_random_ranges\"\nparams = { number_of_ranges = 3 }",
            "oltp_delete\"", 12, "load.group[0].workload", "uses them up");
        row("a parameter", "number_of_ranges", "number_of_range", 13, "load.group[0].params.number_of_range",
            "number_of_ranges");
        row("a parameter of the data", "number_of_ranges = 3", "table_size = 3", 12, "load.group[0].workload",
            "other data");
        row("a case's group", "load.group.writes.users", "load.group.write.users", 22,
            "axis[0].cases[0].set.load.group.write.users", "writes");
        row("a case's field", "load.group.writes.users", "load.group.writes.user", 22,
            "axis[0].cases[0].set.load.group.writes.user", "users");
        row("a case's parameter", "params.delete_inserts", "params.deletes", 23,
            "axis[0].cases[1].set.load.group.writes.params.deletes", "no parameter");
        row("nobody works", "{ \"load.group.writes.users\" = 0 }",
            "{ \"load.group.writes.users\" = 0, \"load.group.scans.users\" = 0 }", 10, "load.group",
            "no group has users");
        row("a rate of all", "time = \"5s\"", "time = \"5s\"\nrate = 5", 10, "load.rate", "pace of its own");
        row("a think time of all", "time = \"5s\"", "time = \"5s\"\nthink_time = 5", 10, "load.think_time",
            "pace of its own");
        row("transactions", "time = \"5s\"", "time = \"5s\"\nevents = 5", 10, "load.events", "different times");
        row("arrivals without a rate in a case", "{ \"load.group.writes.users\" = 0 }",
            "{ \"load.group.scans.arrival\" = \"fixed\" }", 10, "load.group[0].rate",
            "none in the point scans, 2 users");
        row("a think time in a case", "{ \"load.group.writes.users\" = 0 }", "{ \"load.group.writes.think_time\" = 1 }",
            14, "load.group[1].think_time", "in the point scans, 2 users");
        row("rows that nobody changes", "time = \"5s\"", "time = \"5s\"\nrows = 100", 10, "load.rows",
            "no group changes rows in the point scans");
        row("a measure", "tps:scans", "tps:scan", 27, "view[0].measure", "tps:scans");
        row("tps of operations", "tps:scans", "tps:scans.random_ranges", 27, "view[0].measure", "no group");
        row("an operation of another group", "tps:scans", "qps:scans.insert", 27, "view[0].measure", "no group");
        row("a list that nobody follows", "workload = \"select", "users = 2\nworkload = \"select", 8, "load.users",
            "changes nothing");
        row("no list of tables",
            "[[load.group]]\nname = \"scans\"\nworkload = \"select_random_ranges\"\n"
            "params = { number_of_ranges = 3 }\n[[load.group]]",
            "[load.group]", 10, "load.group", "[[load.group]]");
    }
    void whatIsWrongNamesItsPlace() { checkFault(kPlan, false); }

    void fieldsCanBeSet()
    {
        Plan plan = *parsePlan(kPlan, "plan").plan;
        plan.axes.clear();
        plan.views.clear();
        for (const auto& [path, value] : {std::pair("load.group.scans.users", "7"),
                                          {"load.group.writes.rate", "0"},
                                          {"load.group.scans.params.number_of_ranges", "9"}}) {
            const auto set = setField(plan, path, value);
            QVERIFY2(set, set ? "" : set.error().message.c_str());
        }
        QCOMPARE(plan.load.groups[0].users.value_or(0), 7);
        QVERIFY(!plan.load.groups[1].pace.open()); // as much as it can
        QCOMPARE(std::get<std::int64_t>(plan.load.groups[0].params.at("number_of_ranges")), std::int64_t(9));
        plan.load.users = {1};
        plan.load.groups[1].pace = {.model = ArrivalModel::Fixed, .rate = 500, .steps = {}};
        QVERIFY(setField(plan, "load.group.writes.arrival", "closed"));
        const ParsedPlan closed = parsePlan(writePlan(plan), "written");
        QVERIFY2(closed.plan.has_value(), qPrintable(told(closed.faults)));
        QVERIFY(!closed.plan->load.groups[1].pace.open());
        QVERIFY(closed.plan->load.groups == plan.load.groups);
        const auto unknown = setField(plan, "load.group.scan.users", "1");
        QVERIFY(!unknown && unknown.error().remedy.find("scans") != std::string::npos);
    }

    //! A case may choose the workload that asks.
    void aWorkloadOfACaseAsks()
    {
        Plan plan;
        plan.workload.name = "tpcb";
        plan.load.groups = {group("writes", 1, "")};
        const Settings asks{{"load.group.writes.workload", std::string("oltp_write_only")},
                            {"load.group.writes.params.create_table_options", std::string("COMMENT='x'")}};
        QVERIFY(risksOf(plan).empty());
        for (const bool inCase : {false, true}) {
            Plan asking = plan;
            if (inCase)
                asking.axes = {{"what", {{"both", asks}}}};
            else
                asking.set = asks;
            const std::vector<Risk> risks = risksOf(asking);
            QVERIFY(std::ranges::find(risks, std::string("workload.create_table_options"), &Risk::key) != risks.end());
        }
    }

    //! Somebody else's statements beside a workload of ours run only after an agreement, wherever the plan has them.
    void ownStatementsAskInAGroup()
    {
        for (const auto& [workload, parameter, key] :
             {std::tuple("script", "scripts", "workload.scripts"), std::tuple("lua", "script", "workload.script")}) {
            for (const bool inCase : {false, true}) {
                Plan plan = smallPlan("sqlite:a.db", "oltp_write_only");
                plan.load.groups = {group("base", 1, ""), group("own", 1, inCase ? "oltp_read_only" : workload)};
                const std::string text = "function event() end";
                if (inCase)
                    plan.axes = {{"what",
                                  {{"own",
                                    {{"load.group.own.workload", std::string(workload)},
                                     {std::string("load.group.own.params.") + parameter, text}}}}}};
                else
                    plan.load.groups[1].params = {{parameter, text}};
                const std::vector<Risk> risks = risksOf(plan);
                const auto asked = std::ranges::find(risks, std::string(key), &Risk::key);
                QVERIFY2(asked != risks.end(), key);
                const auto refused = refusalOf(plan, {});
                QVERIFY(refused);
                QCOMPARE(refused->where, std::string(key));
                Consent consent;
                for (const Risk& risk : risks)
                    consent.allow(risk);
                QVERIFY(!refusalOf(plan, consent));
            }
        }
    }

    //! What asks in [workload] asks in a group, and a file does not answer for itself.
    void aGroupAsksToo()
    {
        for (const bool inCase : {false, true}) {
            Plan plan;
            plan.workload.name = "oltp_write_only";
            plan.load.groups = {group("scans", 1, "select_random_ranges"), group("writes", 1, "")};
            const Settings asks{{inCase ? "load.group.writes.params.create_table_options" : "create_table_options",
                                 std::string("COMMENT='x'")}};
            if (inCase)
                plan.axes = {{"what", {{"both", asks}}}};
            else
                plan.load.groups[0].params = asks;
            const std::vector<Risk> risks = risksOf(plan);
            QVERIFY(std::ranges::find(risks, std::string("workload.create_table_options"), &Risk::key) != risks.end());
            QVERIFY(!typedIn(plan, plan).covers(risks.front()));
            Plan bare = plan;
            bare.load.groups[0].params.clear();
            bare.axes.clear();
            QVERIFY(typedIn(bare, plan).covers(risks.front()));
        }
    }
};

} // namespace dyno::tst_load_groups

DYNO_SUITE(tst_load_groups, dyno::tst_load_groups::TstLoadGroups)
#include "tst_load_groups.moc"
