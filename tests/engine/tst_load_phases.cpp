// SPDX-License-Identifier: GPL-3.0-or-later
// Phases of the load: who takes part and how often transactions arrive while a run lasts, from the plan to the figures.
#include "config.h"
#include "executor_rig.h"
#include "load/phase_times.h"
#include "plan/load_phases.h"
#include "plan_fault_rows.h"
#include "store/codec/session_codec.h"
#include "store/session/session_writer.h"
#include "store_sample.h"
#include "support/must.h"
#include "support/suite.h"

#include <dyno/analysis.h>
#include <dyno/library.h>
#include <dyno/report.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

namespace dyno::tst_load_phases {
using namespace dyno::test;

namespace {

constexpr double kServiceSeconds = 0.005;
constexpr const char* kSlow = "null:?pending=1&service_us=5000";
//! What happens when is checked by builds without sanitizers: in theirs threads wake a tenth of a second late where the
//! machine is busy. They look for races and for what is counted twice or lost.
constexpr bool kOnTime = !DYNO_SANITIZED;

LoadPhase phase(const char* name, double seconds, std::optional<int> users = {}, std::optional<double> rate = {})
{
    LoadPhase made;
    made.name = name;
    made.seconds = seconds;
    made.pace.users = users;
    made.pace.rate = rate;
    return made;
}

void setPhases(Plan& plan, std::vector<LoadPhase> phases)
{
    plan.load.phases = std::move(phases);
    plan.load.intervalSeconds = 0.1;
    takePhaseTimes(plan.load);
}

const PhaseSummary& at(const RunSummary& run, std::string_view name)
{
    static const PhaseSummary none;
    const auto found = std::ranges::find(run.phases, name, &PhaseSummary::name);
    return found == run.phases.end() ? none : *found;
}

//! Whether an interval shows what a phase is like. A phase begins when the control thread has woken, and has the end of
//! what began before it: where the machine is busy both take their time.
bool isInner(const IntervalSample& sample, const PhaseSummary& phase)
{
    constexpr std::int64_t kBeginsNs = 90'000'000; // the first of its intervals of 0.1 s
    const std::int64_t begins = sample.tNs - phase.fromNs;
    return sample.phase == Phase::Measure && begins >= kBeginsNs && double(begins) < phase.seconds * 1e9;
}
constexpr double kLateShare = 0.2; //!< of transactions that an inner part may still have from the phase before

//! What users who do one transaction after the other do at most, with those under way when the phase began.
std::uint64_t mostOf(int users, const PhaseSummary& phase)
{
    return std::uint64_t(users * std::ceil(phase.seconds / kServiceSeconds) + 8);
}

const char* const kPlan = R"(title = "t"
[target]
uri = "sqlite:a.db"
[workload]
name = "oltp_point_select"
params = { table_size = 1000 }
[load]
users = [8, 16]
arrival = "fixed"
rate = 100
[[load.phase]]
name = "calm"
time = "10s"
users = "12.5%"
[[load.phase]]
name = "spike"
time = "5s"
ramp = "2s"
rate = 2000.5
[[load.phase]]
name = "rest"
time = "0.5s"
users = 0
[[axis]]
name = "how"
cases = [
  { label = "as it is", set = {} },
  { label = "longer", set = { "load.phase.spike.time" = "8s", "load.phase.spike.users" = 3 } },
]
[[view]]
chart = "lines"
measure = "response_p99:spike"
x = "users"
series = "how"
)";

const char* const kGroupPlan = R"(title = "t"
[target]
uri = "sqlite:a.db"
[workload]
name = "oltp_write_only"
[load]
users = 4
[[load.group]]
name = "scans"
workload = "select_random_ranges"
[[load.group]]
name = "writes"
users = 2
arrival = "poisson"
rate = 50
[[load.phase]]
name = "both"
time = "3s"
users = "50%"
[[load.phase]]
name = "writes_alone"
time = "3s"
groups = { scans = { users = 0 }, writes = { rate = 500.0 } }
)";

const char* const kScriptPlan = R"(title = "t"
[target]
uri = "null:"
[workload]
name = "script"
params = { scripts = "\\transaction read 3\nSELECT 1;\n\\transaction write\nUPDATE t SET a = 1;\n", schema = "none" }
[load]
users = 2
[[load.phase]]
name = "busy"
time = "1s"
weights = { read = 9, write = 1 }
[[load.phase]]
name = "rest"
time = "1s"
weights = "write=2"
[[load.phase]]
name = "own"
time = "1s"
[[axis]]
name = "mix"
cases = [
  { label = "as it is", set = {} },
  { label = "whole", set = { "load.phase.busy.weights" = "read=1, write=4" } },
  { label = "one", set = { "load.phase.busy.weights.write" = 0 } },
]
)";

} // namespace

class TstLoadPhases : public QObject
{
    Q_OBJECT

private slots:
    void aPlanComesBack_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("users and rate") << kPlan;
        QTest::newRow("groups") << kGroupPlan;
        QTest::newRow("weights") << kScriptPlan;
        QTest::newRow("weights of a group") << QString(kGroupPlan)
                                                   .replace("select_random_ranges", "ycsb")
                                                   .replace("oltp_write_only", "ycsb")
                                                   .replace("{ users = 0 }", "{ weights = { update = 1, read = 3 } }");
        QTest::newRow("a share with many digits") << QString(kPlan).replace("12.5%", "33.3333333%");
    }
    void aPlanComesBack()
    {
        QFETCH(QString, text);
        const ParsedPlan parsed = parsePlan(text.toStdString(), "plan");
        QVERIFY2(parsed.plan.has_value(), qPrintable(told(parsed.faults)));
        const std::string written = writePlan(*parsed.plan);
        const ParsedPlan again = parsePlan(written, "written");
        QVERIFY2(again.plan.has_value(), qPrintable(told(again.faults)));
        QVERIFY2(again.plan->load.phases == parsed.plan->load.phases, written.c_str());
        QCOMPARE(writePlan(*again.plan), written);
        QVERIFY(written.find("\ntime = \"15.5s\"") == std::string::npos); // the sum is nobody's field
        const PointSpec point = expand(*parsed.plan).points.front();
        const PointSpec stored = codec::readPoint(codec::write(point));
        QVERIFY(stored.load.phases == point.load.phases);
        QCOMPARE(stored.load.timeSeconds, point.load.timeSeconds);
        Plan plain = *parsed.plan;
        plain.load.phases.clear();
        plain.views.clear();
        plain.axes.clear();
        QVERIFY(writePlan(plain).find("phase") == std::string::npos);
        QVERIFY(codec::write(expand(plain).points.front()).find("phase") == std::string::npos);
    }

    void casesAndSetsReachThem()
    {
        Plan plan = *parsePlan(kPlan, "plan").plan;
        QCOMPARE(plan.load.timeSeconds, 15.5);
        const Expansion expansion = expand(plan);
        QCOMPARE(expansion.points.size(), std::size_t(4));
        const PointSpec &small = expansion.points[0], &longer = expansion.points[3];
        QCOMPARE(longer.load.timeSeconds, 18.5);
        QVERIFY(expansion.estimatedSeconds >= 2 * (15.5 + 18.5));
        QCOMPARE(phaseText(small.load, small.load.phases[0]), std::string("1 of 8 users, 100 a second"));
        QCOMPARE(phaseText(small.load, small.load.phases[1]), std::string("8 of 8 users, 2000.5 a second"));
        QCOMPARE(phaseText(small.load, small.load.phases[2]), std::string("0 of 8 users, 0 a second"));
        QCOMPARE(phaseText(longer.load, longer.load.phases[0]), std::string("2 of 16 users, 100 a second"));
        QCOMPARE(phaseText(longer.load, longer.load.phases[1]), std::string("3 of 16 users, 2000.5 a second"));
        for (const auto& [path, value] : {std::pair("load.phase.calm.time", "2s"), {"load.phase.rest.users", "25%"}}) {
            const auto set = setField(plan, path, value);
            QVERIFY2(set, set ? "" : set.error().message.c_str());
        }
        QCOMPARE(plan.load.timeSeconds, 7.5);
        QCOMPARE(plan.load.phases[2].pace.percent.value_or(0), 25.0);
        QVERIFY(!plan.load.phases[2].pace.users);
        const auto time = setField(plan, "load.time", "20s");
        QVERIFY(!time && time.error().message.find("sum of the phases") != std::string::npos);
        const auto unknown = setField(plan, "load.phase.clam.users", "1");
        QVERIFY(!unknown && unknown.error().remedy.find("calm") != std::string::npos);

        const Plan mixed = *parsePlan(kGroupPlan, "plan").plan;
        const LoadProfile load = expand(mixed).points.front().load;
        QCOMPARE(phaseText(load, load.phases[0]),
                 std::string("scans: 2 of 4 users; writes: 1 of 2 users, 50 a second"));
        QCOMPARE(phaseText(load, load.phases[1]),
                 std::string("scans: 0 of 4 users; writes: 2 of 2 users, 500 a second"));
        Plan changed = mixed;
        QVERIFY(setField(changed, "load.phase.both.groups.writes.rate", "70"));
        QCOMPARE(changed.load.phases[0].groups.at("writes").rate.value_or(0), 70.0);
    }

    void whatIsWrongNamesItsPlace_data()
    {
        addFaultColumns();
        const auto& row = addFault;
        row("no name", "name = \"calm\"", "name = \"\"", 12, "load.phase[0].name", "no name");
        row("a number", "name = \"calm\"", "name = \"1000\"", 12, "load.phase[0].name", "number alone");
        row("two of one name", "name = \"rest\"", "name = \"calm\"", 21, "load.phase[2].name", "two phases");
        row("an operation", "name = \"rest\"", "name = \"point_select\"", 21, "load.phase[2].name", "operation");
        row("no time", "time = \"5s\"\n", "", 15, "load.phase[1].time", "no time");
        row("too short", "time = \"0.5s\"", "time = \"0.05s\"", 22, "load.phase[2].time", "0.1");
        row("a long ramp", "ramp = \"2s\"", "ramp = \"6s\"", 18, "load.phase[1].ramp", "longer than its phase");
        row("a key", "ramp =", "rmap =", 18, "load.phase[1].rmap", "ramp");
        row("a share", "\"12.5%\"", "\"125%\"", 14, "load.phase[0].users", "share");
        row("more than there are", "\"12.5%\"", "9", 14, "load.phase[0].users", "more than the 8 there are");
        row("a rate for nobody", "users = 0", "users = 0\nrate = 5", 24, "load.phase[2].rate", "no users");
        row("a ramp in a case", "time\" = \"8s\"", "time\" = \"1s\"", 18, "load.phase[1].ramp",
            "longer than its phase");
        row("a closed loop", "arrival = \"fixed\"\nrate = 100\n", "", 17, "load.phase[1].rate", "closed loop");
        row("a time of all", "rate = 100", "rate = 100\ntime = \"15s\"", 11, "load.time", "sum of the phases");
        row("transactions", "rate = 100", "rate = 100\nevents = 5", 11, "load.events", "phases end");
        row("steps", "rate = 100", "steps = \"10:5s\"", 10, "load.steps", "rate of its own");
        row("a case's phase", "load.phase.spike.users", "load.phase.spke.users", 28,
            "axis[0].cases[1].set.load.phase.spke.users", "spike");
        row("a time in a case", "load.phase.spike.users\" = 3", "load.time\" = 3", 28, "axis[0].cases[1].set.load.time",
            "sum of the phases");
        row("a measure", "response_p99:spike", "response_p99:spikes", 32, "view[0].measure", "spike");
        row("qps of a phase", "response_p99:spike", "qps:spike", 32, "view[0].measure", "no operation");
    }
    void whatIsWrongNamesItsPlace() { checkFault(kPlan, false); }

    void faultsOfWeights_data()
    {
        addFaultColumns();
        const auto& row = addFault;
        const char* const given = "{ read = 9, write = 1 }";
        row("no sections", "scripts = \"\\\\transaction read 3\\nSELECT 1;\\n\\\\transaction write\\n", "scripts = \"",
            12, "load.phase[0].weights", "no sections");
        row("a section", given, "{ read = 9, wirte = 1 }", 12, "load.phase[0].weights.wirte", "read, write");
        row("a section in text", "write=2", "wirte=2", 16, "load.phase[1].weights.wirte", "no section \"wirte\"");
        row("nothing", given, "{ read = 0 }", 12, "load.phase[0].weights", "above 0");
        row("below 0", given, "{ read = -1 }", 12, "load.phase[0].weights.read", "0 to");
        row("no number", given, "{ read = \"x\" }", 12, "load.phase[0].weights.read", "number");
        row("no weight", "write=2", "write", 16, "load.phase[1].weights", "no weight of a section");
        row("twice", "write=2", "write=2,write=3", 16, "load.phase[1].weights", "two weights");
        row("a number alone", given, "9", 12, "load.phase[0].weights", "names of sections");
        row("a case", "weights.write\" = 0", "weights.wirte\" = 0", 12, "load.phase[0].weights.wirte",
            "in the point one");
        row("one of none", "load.phase.busy.weights.write\" = 0", "load.phase.own.weights.write\" = 0", 25,
            "axis[0].cases[2].set.load.phase.own.weights.write", "has no weights");
        row("of all groups", "[[load.phase]]\nname = \"busy\"",
            "[[load.group]]\nname = \"a\"\n[[load.phase]]\nname = \"busy\"", 14, "load.phase[0].weights", "groups");
    }
    void faultsOfWeights() { checkFault(kScriptPlan, false); }

    void weightsAreRead()
    {
        const Plan plan = *parsePlan(kScriptPlan, "plan").plan;
        const SectionWeights nineToOne{{"read", 9}, {"write", 1}};
        QVERIFY(plan.load.phases[0].pace.weights == nineToOne);
        QVERIFY(writePlan(plan).find("weights = { read = 9, write = 1 }") != std::string::npos);
        const Expansion expansion = expand(plan);
        const auto busy = [&expansion](std::size_t point) {
            const LoadProfile& load = expansion.points[point].load;
            return phaseText(load, load.phases[0]);
        };
        QCOMPARE(busy(0), std::string("2 of 2 users, read=9, write=1"));
        QCOMPARE(busy(1), std::string("2 of 2 users, read=1, write=4"));
        QCOMPARE(busy(2), std::string("2 of 2 users, read=9, write=0"));
        QVERIFY(changesLoad(expansion.points[0].load));
        // Without any the phase has the workload's own again; what a case sets is the case's.
        Plan cleared = plan;
        const auto none = setField(cleared, "load.phase.rest.weights", "");
        QVERIFY2(none, none ? "" : none.error().text().c_str());
        QVERIFY(cleared.load.phases[1].pace.weights.empty());
        const auto taken = setField(cleared, "load.phase.busy.weights", "");
        QVERIFY(!taken);
        QVERIFY2(taken.error().message.find("the axis \"mix\" sets it") != std::string::npos,
                 taken.error().text().c_str());
        // One weight changes those that there are; alone it would switch the other section off.
        QVERIFY(setField(cleared, "load.phase.busy.weights.read", "2"));
        QCOMPARE(cleared.load.phases[0].pace.weights.at("read"), std::int64_t(2));
        for (const char* path : {"load.phase.rest.weights.read", "load.phase.own.groups.mine.weights.read"}) {
            const auto alone = setField(cleared, path, "2");
            QVERIFY(!alone);
            QVERIFY2(alone.error().remedy.find("weights = \"read=2, write=1\"") != std::string::npos,
                     alone.error().text().c_str());
        }
        QVERIFY(setField(cleared, "load.phase.rest.weights", "read=2, write=1"));
        QVERIFY(setField(cleared, "load.phase.rest.weights.read", "3"));
        QCOMPARE(weightsText(cleared.load.phases[1].pace.weights), std::string("read=3, write=1"));
    }

    //! Both would lead to the load of the first phase.
    void noRampAfterAWarmUp()
    {
        Plan plan = *parsePlan(kPlan, "plan").plan;
        plan.load.phases.front().rampSeconds = 1;
        QVERIFY2(checkPlan(plan).empty(), qPrintable(told(checkPlan(plan))));
        plan.load.warmupSeconds = 1;
        QVERIFY2(told(checkPlan(plan)).contains("load.phase[0].ramp"), qPrintable(told(checkPlan(plan))));
    }

    void faultsOfGroups_data()
    {
        addFaultColumns();
        const auto& row = addFault;
        row("no table", "{ scans = { users = 0 }, writes = { rate = 500.0 } }", "5", 23, "load.phase[1].groups",
            "a table");
        row("a number of nobody", "users = \"50%\"", "users = 2", 19, "load.phase[0].users", "whole run");
        row("a rate of nobody", "users = \"50%\"", "rate = 2", 19, "load.phase[0].rate", "whole run");
        const char* const last = "writes = { rate = 500.0 } }";
        row("a number in a case", last,
            "writes = { rate = 500.0 } }\n[[axis]]\nname = \"a\"\n"
            "cases = [ { label = \"b\", set = { \"load.phase.both.users\" = 3 } } ]",
            26, "axis[0].cases[0].set.load.phase.both.users", "whole run");
        row("a group in a case", last,
            "writes = { rate = 500.0 } }\n[[axis]]\nname = \"a\"\n"
            "cases = [ { label = \"b\", set = { \"load.phase.both.groups.wirtes.rate\" = 3 } } ]",
            26, "axis[0].cases[0].set.load.phase.both.groups.wirtes.rate", "writes");
        row("a group", "scans = { users = 0 }", "scan = { users = 0 }", 23, "load.phase[1].groups.scan", "scans");
        row("a group's name", "name = \"both\"", "name = \"writes\"", 17, "load.phase[0].name", "group of users");
        row("a key", "rate = 500.0", "rates = 500.0", 23, "load.phase[1].groups.writes.rates", "rate");
        row("more than there are", "users = 0 }", "users = 5 }", 23, "load.phase[1].groups.scans.users", "more than");
        row("a closed loop", "{ users = 0 }", "{ rate = 5 }", 23, "load.phase[1].groups.scans.rate", "closed loop");
    }
    void faultsOfGroups() { checkFault(kGroupPlan, false); }

    //! What a case may say of phases in a plan with groups, and an open loop in which only phases have rates.
    void noFaults()
    {
        QString text = kGroupPlan;
        text += "[[axis]]\nname = \"a\"\ncases = [ { label = \"b\", set = { \"load.phase.both.users\" = \"25%\", "
                "\"load.phase.both.groups.writes.rate\" = 3 } } ]\n";
        QVERIFY2(parsePlan(text.toStdString(), "plan").plan,
                 qPrintable(told(parsePlan(text.toStdString(), "plan").faults)));
        Plan open = smallPlan("sqlite:a.db");
        open.load.arrival.model = ArrivalModel::Poisson;
        setPhases(open, {phase("busy", 1, {}, 5), phase("rest", 1, 0)});
        QVERIFY2(checkPlan(open).empty(), qPrintable(told(checkPlan(open))));
    }

    //! Phases without users of their own are everybody's, and what a file has too many of is refused.
    void notTooMany()
    {
        std::string text = kPlan;
        for (std::size_t i = 3; i <= kMostPhases; ++i)
            text += "[[load.phase]]\nname = \"more" + std::to_string(i) + "\"\ntime = 1\n";
        QVERIFY(told(parsePlan(text, "plan").faults).contains("33 phases are too many"));
        Plan steps = smallPlan("sqlite:a.db", "oltp_ddl");
        steps.load.users = {1};
        setPhases(steps, {phase("one", 1)});
        QVERIFY2(told(checkPlan(steps)).contains("load.phase"), qPrintable(told(checkPlan(steps))));
    }

    //! A ramp of 4 users in 2 s: one joins each half second, the last at its end.
    void rampsAreSteps()
    {
        LoadProfile load;
        load.users = {8};
        load.phases = {phase("a", 1, 2), phase("b", 4, 6), phase("c", 1, 0)};
        load.phases[1].rampSeconds = 2;
        const PhaseTimes times(load, {{{}, 8, {}}});
        QCOMPARE(times.usersBefore(0), 2);
        QCOMPARE(times.endNs(), std::int64_t(6'000'000'000));
        std::vector<std::pair<std::int64_t, int>> changes;
        for (const PhaseTimes::Change& one : times.changes())
            changes.emplace_back(one.atNs / 1'000'000, one.users);
        const std::vector<std::pair<std::int64_t, int>> wanted{{1500, 3}, {2000, 4}, {2500, 5}, {3000, 6}, {5000, 0}};
        QVERIFY(changes == wanted);
        // Intervals are counted from the start of their phase and end with it.
        QCOMPARE(times.borderAfter(0, 400'000'000), std::int64_t(400'000'000));
        QCOMPARE(times.borderAfter(800'000'000, 400'000'000), std::int64_t(1'000'000'000));
        QCOMPARE(times.borderAfter(1'000'000'000, 400'000'000), std::int64_t(1'400'000'000));
        QCOMPARE(times.borderAfter(1'400'100'000, 400'000'000), std::int64_t(1'800'000'000));
        // However many users there are, a ramp wakes them a hundred times at most.
        load.users = {10'000};
        load.phases[1].pace.users = 10'000;
        const PhaseTimes many(load, {{{}, 10'000, {}}});
        QVERIFY(many.changes().size() <= 102 && many.changes()[99].users == 10'000);
        load.phases[0].rampSeconds = 1;
        QCOMPARE(PhaseTimes(load, {{{}, 8, {}}}).usersBefore(0), 0);
    }

    //! In an open loop somebody is there before the first arrival of a ramp, and nobody leaves before its last.
    void rampsOfAnOpenLoop()
    {
        LoadProfile load;
        load.users = {4};
        load.arrival.model = ArrivalModel::Fixed;
        load.arrival.rate = 100;
        load.phases = {phase("a", 10), phase("b", 5, 2)};
        load.phases[0].rampSeconds = 8;
        load.phases[1].rampSeconds = 2;
        const PhaseTimes times(load, {{{}, 4, load.arrival}});
        std::vector<std::pair<std::int64_t, int>> changes;
        for (const PhaseTimes::Change& one : times.changes())
            changes.emplace_back(one.atNs / 1'000'000, one.users);
        const std::vector<std::pair<std::int64_t, int>> wanted{{0, 1},    {2000, 2},  {4000, 3},
                                                               {6000, 4}, {11000, 3}, {12000, 2}};
        QVERIFY(changes == wanted);
        QCOMPARE(times.usersOver(0).front().users, 0);
        QCOMPARE(times.usersOver(0).size(), wanted.size() + 1);
        QVERIFY(times.profile(0).timeOf(0) >= 0);
        // A stranger's file may have a ramp that is longer than its phase.
        load.phases[0].rampSeconds = 30;
        const PhaseTimes clamped(load, {{{}, 4, load.arrival}});
        QVERIFY(clamped.changes()[3].atNs < 10'000'000'000 && clamped.changes().back().users == 2);
        QVERIFY(std::abs(clamped.profile(0).timeOf(500) - 10) < 1e-9);
    }

    //! 100 a second for 1 s; to 300 in 1 s, as it stays for 1 s; then nothing.
    void ratesFollowTheirIntegral()
    {
        LoadProfile load;
        load.users = {8};
        load.arrival.model = ArrivalModel::Fixed;
        load.arrival.rate = 100;
        load.phases = {phase("a", 1), phase("b", 2, {}, 300), phase("c", 1, 0)};
        load.phases[1].rampSeconds = 1;
        const PhaseTimes times(load, {{{}, 8, load.arrival}});
        const RateProfile profile = times.profile(0);
        for (const double t : {0.2, 0.7, 1.0})
            QVERIFY2(std::abs(profile.timeOf(100 + 100 * t + 100 * t * t) - 1 - t) < 1e-9, "in the ramp");
        QVERIFY(std::abs(profile.timeOf(450) - 2.5) < 1e-9); // 100 + 200 + half of 300
        QVERIFY(std::isinf(profile.timeOf(601)));
        QCOMPARE(times.highestRate(0), 300.0);
        QCOMPARE(times.rateBefore(0), 100.0);
    }

    void usersJoinAndRest_data() { addExecutors(); }
    void usersJoinAndRest()
    {
        QFETCH(ExecutorKind, executor);
        Plan plan = planFor(executor, kSlow);
        plan.load.users = {8};
        plan.load.warmupSeconds = 0.1;
        setPhases(plan, {phase("calm", 0.35, 2), phase("all", 0.3), phase("rest", 0.3, 0), phase("again", 0.2, 1)});
        RecordingSink sink;
        runPlan(plan, {}, sink);
        const RunSummary& run = only(sink);
        QVERIFY2(run.status == RunStatus::Done, run.reason.c_str());
        QCOMPARE(run.phases.size(), std::size_t(4));
        std::uint64_t sum = 0;
        for (const PhaseSummary& one : run.phases)
            sum += one.transactions;
        QCOMPARE(sum, run.transactions);
        QVERIFY(hasEvent(sink, EventKind::Phase, "phase calm: 2 of 8 users"));
        const auto inBounds = [&run](const char* name, int users) {
            const PhaseSummary& one = at(run, name);
            const std::uint64_t most = mostOf(users, one);
            return one.transactions <= most && one.transactions >= std::uint64_t(users) * 5;
        };
        QVERIFY2(!kOnTime || (inBounds("calm", 2) && inBounds("again", 1)),
                 qPrintable(QString::number(at(run, "calm").transactions)));
        QVERIFY2(!kOnTime || at(run, "all").transactions > 2 * at(run, "calm").transactions,
                 qPrintable(QString::number(at(run, "all").transactions)));
        QVERIFY2(!kOnTime || at(run, "rest").transactions <= 8,
                 qPrintable(QString::number(at(run, "rest").transactions)));
        // Each interval belongs to one phase: the borders are exact up to the time that waking takes.
        const std::int64_t begin = at(run, "calm").fromNs;
        double restCpu = 0, rest = 0;
        for (const IntervalSample& sample : sink.samples.front()) {
            if (sample.phase != Phase::Measure)
                continue;
            const double from = double(sample.tNs - begin) * 1e-9, to = from + double(sample.lengthNs) * 1e-9;
            for (const double border : {0.35, 0.65, 0.95})
                QVERIFY2(!kOnTime || from >= border - 1e-6 || to <= border + 0.15,
                         qPrintable(QString("%1 to %2").arg(from).arg(to)));
            if (from > 0.65 - 1e-6 && to < 0.95) {
                restCpu += sample.client.cpuSeconds;
                rest += to - from;
                QVERIFY(!kOnTime || sample.users == 0);
            }
        }
        QVERIFY2(!kOnTime || (rest > 0.1 && restCpu < 0.3 * rest),
                 qPrintable(QString("%1 s of %2").arg(restCpu).arg(rest)));
    }

    void ratesFollowThePhases_data() { addExecutors(); }
    void ratesFollowThePhases()
    {
        QFETCH(ExecutorKind, executor);
        Plan plan = openPlan(executor, "null:?pending=1&service_us=500", 8, 100);
        setPhases(plan, {phase("calm", 0.5), phase("spike", 0.4, {}, 1000), phase("few", 0.3, 2, 200)});
        RecordingSink sink;
        runPlan(plan, {}, sink);
        const RunSummary& run = only(sink);
        QVERIFY2(run.status == RunStatus::Done, run.reason.c_str());
        // What was due by the end of each interval is the integral of the rate, whenever the interval really ended.
        const auto offered = [](double t) {
            return 100 * std::min(t, 0.5) + 1000 * std::clamp(t - 0.5, 0.0, 0.4) + 200 * std::max(t - 0.9, 0.0);
        };
        double due = 0;
        for (const IntervalSample& sample : sink.samples.front()) {
            const double end = double(sample.tNs + sample.lengthNs) * 1e-9;
            due += double(sample.arrivals);
            QVERIFY2(!kOnTime || std::abs(due - offered(end)) <= 5 + 0.05 * due,
                     qPrintable(QString("%1 s: %2 of %3").arg(end).arg(due).arg(offered(end))));
        }
        // From when they were due; nothing is lost where the rate changes.
        const std::uint64_t served = run.transactions + run.late + run.backlog;
        QVERIFY2(std::abs(double(served) - due) <= 8, qPrintable(QString("%1 of %2").arg(served).arg(due)));
        QVERIFY2(!kOnTime || at(run, "spike").transactions > 3 * at(run, "calm").transactions,
                 qPrintable(QString::number(at(run, "spike").transactions)));
        QVERIFY(!at(run, "spike").times.response.empty());
        QCOMPARE(run.dropped, std::uint64_t(0));
    }

    //! Users that are to rest have not claimed what arrives then: 100 arrivals a second, each takes 50 ms.
    void whoRestsServesNothing_data() { addExecutors(); }
    void whoRestsServesNothing()
    {
        QFETCH(ExecutorKind, executor);
        Plan plan = openPlan(executor, "null:?pending=1&service_us=50000", 32, 100);
        setPhases(plan, {phase("many", 0.2), phase("few", 0.4, 1)});
        RecordingSink sink;
        runPlan(plan, {}, sink);
        const RunSummary& run = only(sink);
        QVERIFY2(run.status == RunStatus::Done, run.reason.c_str());
        QVERIFY(at(run, "many").transactions >= 8);
        const std::uint64_t done = at(run, "few").transactions; // 8 of its own, some that were under way
        QVERIFY2(!kOnTime || (done >= 4 && done <= 22), qPrintable(QString::number(done)));
    }

    //! Nothing arrives any more: nobody asks.
    void noRateIsNoWork_data() { addExecutors(); }
    void noRateIsNoWork()
    {
        QFETCH(ExecutorKind, executor);
        Plan plan = openPlan(executor, "null:?pending=1&service_us=500", 64, 100);
        setPhases(plan, {phase("busy", 0.2), phase("still", 0.4, {}, 0)});
        RecordingSink sink;
        runPlan(plan, {}, sink);
        const RunSummary& run = only(sink);
        QVERIFY2(run.status == RunStatus::Done, run.reason.c_str());
        QVERIFY2(!kOnTime || at(run, "still").transactions <= 10,
                 qPrintable(QString::number(at(run, "still").transactions)));
        double cpu = 0, seconds = 0;
        for (const IntervalSample& sample : sink.samples.front()) {
            if (sample.phase != Phase::Measure || sample.tNs < at(run, "still").fromNs + 50'000'000)
                continue;
            cpu += sample.client.cpuSeconds;
            seconds += double(sample.lengthNs) * 1e-9;
        }
        QVERIFY2(!kOnTime || (seconds > 0.1 && cpu < 0.15 * seconds),
                 qPrintable(QString("%1 s of %2").arg(cpu).arg(seconds)));
    }

    //! A warm-up has the load of the first phase, and the rates of the phases begin with the measured time.
    void groupsFollowThePhases_data() { addExecutors(); }
    void groupsFollowThePhases()
    {
        QFETCH(ExecutorKind, executor);
        Plan plan = planFor(executor, "null:?pending=1&service_us=2000");
        plan.workload.name = "oltp_read_write";
        plan.load.warmupSeconds = 0.2;
        LoadGroup reads, writes;
        reads.name = "reads";
        reads.users = 3;
        reads.workload = "oltp_point_select";
        writes = reads;
        writes.name = "writes";
        writes.workload = "oltp_update_index";
        writes.pace.model = ArrivalModel::Fixed;
        writes.pace.rate = 50;
        plan.load.groups = {reads, writes};
        LoadPhase both = phase("both", 0.4), alone = phase("alone", 0.4);
        alone.groups["reads"].users = 0;
        alone.groups["writes"].rate = 400;
        setPhases(plan, {both, alone});
        RecordingSink sink;
        runPlan(plan, {}, sink);
        const RunSummary& run = only(sink);
        QVERIFY2(run.status == RunStatus::Done, run.reason.c_str());
        std::uint64_t readsIn[2] = {}, writesIn[2] = {};
        for (const IntervalSample& sample : sink.samples.front()) {
            if (sample.phase != Phase::Measure)
                continue;
            const bool second = sample.tNs + sample.lengthNs / 2 >= at(run, "alone").fromNs;
            readsIn[second] += sample.ops[0].count; // "reads", "reads.point_select", "writes", …
            writesIn[second] += sample.ops[2].count;
        }
        QVERIFY2(!kOnTime || (readsIn[0] > 60 && readsIn[1] <= 3),
                 qPrintable(QString("%1, %2").arg(readsIn[0]).arg(readsIn[1])));
        QVERIFY2(!kOnTime || (std::abs(double(writesIn[0]) - 20) <= 10 && std::abs(double(writesIn[1]) - 160) <= 50),
                 qPrintable(QString("%1, %2").arg(writesIn[0]).arg(writesIn[1])));
        // The sampler reads one count after the other while users go on: what is done between two of them belongs to
        // another interval of the second.
        const double groups = double(readsIn[0] + writesIn[0]), all = double(at(run, "both").transactions);
        QVERIFY2(!kOnTime || std::abs(all - groups) <= 4 + 0.3 * all,
                 qPrintable(QString("%1, %2").arg(all).arg(groups)));
    }

    //! Each section as often as its weight says, and those without one not at all, from the phase's start on.
    void weightsFollowThePhases_data() { addExecutors(); }
    void weightsFollowThePhases()
    {
        QFETCH(ExecutorKind, executor);
        Plan plan = planFor(executor, "null:?pending=1&service_us=200");
        plan.workload.name = "script";
        plan.workload.params = {
            {"scripts", std::string("\\transaction read\nSELECT 1;\n\\transaction write\nUPDATE t SET a = 1;\n")},
            {"schema", std::string("none")}};
        plan.load.users = {4};
        plan.load.warmupSeconds = 0.1;
        LoadPhase reads = phase("reads", 0.8), mixed = phase("mixed", 0.8), writes = phase("writes", 0.8);
        reads.pace.weights = {{"read", 7}};
        mixed.pace.weights = {{"read", 3}, {"write", 1}};
        writes.pace.weights = {{"read", 0}, {"write", 2}};
        setPhases(plan, {reads, mixed, phase("own", 0.8), writes});
        RecordingSink sink;
        RunnerOptions options;
        options.consent.allow("all"); // the script is the test's own
        runPlan(plan, options, sink);
        const RunSummary& run = only(sink);
        QVERIFY2(run.status == RunStatus::Done, run.reason.c_str());
        QVERIFY(hasEvent(sink, EventKind::Phase, "phase mixed: 4 of 4 users, read=3, write=1"));
        const auto inPhase = [&](std::string_view name, std::size_t op) {
            const PhaseSummary& one = at(run, name);
            std::uint64_t count = 0;
            for (const IntervalSample& sample : sink.samples.front()) {
                if (isInner(sample, one))
                    count += sample.ops[op].count;
            }
            return double(count);
        };
        const auto tell = [&](const char* name) {
            return QString("%1: %2 reads, %3 writes").arg(name).arg(inPhase(name, 0)).arg(inPhase(name, 1));
        };
        for (const IntervalSample& sample : sink.samples.front())
            QVERIFY(sample.phase != Phase::Warmup || sample.ops[1].count == 0);
        for (const auto& [name, share] :
             {std::pair("reads", 0.0), std::pair("mixed", 0.25), std::pair("own", 0.5), std::pair("writes", 1.0)}) {
            const double all = inPhase(name, 0) + inPhase(name, 1);
            const double deviation = std::sqrt(all * share * (1 - share));
            QVERIFY2(!kOnTime ||
                         (all > 20 && std::abs(inPhase(name, 1) - share * all) <= 5 * deviation + kLateShare * all),
                     qPrintable(tell(name)));
        }
    }

    //! Of groups each has its own, also in a workload whose weights are parameters.
    void groupsHaveWeights_data() { addExecutors(); }
    void groupsHaveWeights()
    {
        QFETCH(ExecutorKind, executor);
        Plan plan = planFor(executor, "null:?pending=1&service_us=500");
        plan.workload.name = "ycsb";
        plan.workload.params = {{"recordcount", std::int64_t(100)}};
        LoadGroup one, other;
        one.name = "one";
        one.users = 2;
        other = one;
        other.name = "other";
        plan.load.groups = {one, other};
        LoadPhase only1 = phase("apart", 0.8), even = phase("even", 0.8); // a busy machine is late
        only1.groups["one"].weights = {{"read", 1}};
        only1.groups["other"].weights = {{"update", 1}};
        even.groups["one"].weights = {{"update", 1}};
        setPhases(plan, {only1, even});
        RecordingSink sink;
        runPlan(plan, {}, sink);
        const RunSummary& run = only(sink);
        QVERIFY2(run.status == RunStatus::Done, run.reason.c_str());
        const auto count = [&](const char* operation, const char* in) {
            const auto found = std::ranges::find(run.operations, operation, &OperationSummary::name);
            const auto op = std::size_t(found - run.operations.begin());
            std::uint64_t sum = 0;
            for (const IntervalSample& sample : sink.samples.front()) {
                sum += isInner(sample, at(run, in)) ? sample.ops.at(op).count : 0;
            }
            return sum;
        };
        const auto holds = [&count](const char* many, const char* none, const char* in) {
            return !kOnTime ||
                   (count(many, in) > 10 && double(count(none, in)) <= kLateShare * double(count(many, in)));
        };
        QVERIFY(holds("one.read", "one.update", "apart"));
        QVERIFY(holds("other.update", "other.read", "apart"));
        QVERIFY(holds("one.update", "one.read", "even"));
        // Half each again.
        QVERIFY(!kOnTime || (count("other.update", "even") > 5 && count("other.read", "even") > 5));
    }

    //! The end of the warm-up moves into the first phase: what is left of it is shorter and begins there.
    void aMovedWarmUpLeavesThemWhereTheyWere()
    {
        QTemporaryDir dir;
        const std::filesystem::path file = dir.filePath("library.dynolib").toStdString();
        sample::Options options;
        const std::string time = "time = \"9s\"\n";
        options.plan.replace(options.plan.find(time), time.size(), "");
        options.plan.insert(options.plan.find("[[axis]]"), "[[load.phase]]\nname = \"calm\"\ntime = 4\nusers = 1\n"
                                                           "[[load.phase]]\nname = \"all\"\ntime = 5\n");
        {
            auto writer = must(SessionWriter::open(file));
            (void)sample::feed(*writer, options);
            QVERIFY(writer->flush());
        }
        auto library = must(Library::open(file, Library::Mode::ReadWrite));
        const StoredSession before = must(library->session(options.id));
        QCOMPARE(before.header.points.at(0).load.phases.size(), std::size_t(2));
        const StoredRun moved = must(library->moveWarmupEnd(before.runs.at(0).id, 3'000'000'000));
        QCOMPARE(moved.summary.phases.size(), std::size_t(2));
        QCOMPARE(at(moved.summary, "calm").fromNs, std::int64_t(3'000'000'000));
        const StallRule rule = stallRuleOf(moved.summary);
        QCOMPARE(rule.stretches.at(0).fromNs, std::int64_t(3'000'000'000));
        QCOMPARE(rule.stretches.at(0).toNs, std::int64_t(5'000'000'000));
        QCOMPARE(rule.stretches.at(1).toNs, std::int64_t(10'000'000'000));
        QCOMPARE(at(moved.summary, "calm").seconds, 2.0);
        QCOMPARE(at(moved.summary, "all").fromNs, std::int64_t(5'000'000'000));
        QCOMPARE(at(moved.summary, "all").seconds, 5.0);
        QCOMPARE(at(moved.summary, "calm").transactions + at(moved.summary, "all").transactions,
                 moved.summary.transactions);
        const StoredRun again = must(library->moveWarmupEnd(before.runs.at(0).id, 6'000'000'000));
        QCOMPARE(again.summary.phases.size(), std::size_t(1)); // nothing of the first is measured
        QCOMPARE(at(again.summary, "all").seconds, 4.0);
        // The plan's own phases are no unevenness of the target.
        const auto course = must(coursesIn(*library)(moved));
        QVERIFY(course && !course->evenness);
        QVERIFY(evennessOf(must(library->columns(before.runs.at(0).id))));
    }

    //! 1000 transactions of 1 ms in the one phase, 100 of 4 ms in the other.
    void measuresOfPhases()
    {
        SummaryBuilder builder({{"read", OpClass::Read}});
        builder.setPhases({{"fast", 1'000'000'000, 2'000'000'000, 0},
                           {"slow", 2'000'000'000, 4'000'000'000, 500'000'000},
                           {"never", 4'000'000'000, 5'000'000'000, 0}});
        std::vector<IntervalSample> samples;
        for (int i = 0; i < 4; ++i) {
            IntervalSample sample;
            sample.tNs = i * 1'000'000'000ll + 2000; // the clock is read a moment after the border
            sample.lengthNs = 1'000'000'000;
            sample.phase = i == 0 ? Phase::Warmup : Phase::Measure;
            sample.transaction.count = i < 2 ? 1000 : 50;
            sample.transaction.errors = i == 3 ? 7 : 0;
            sample.transaction.service.record(i < 2 ? 1'000'000 : 4'000'000, sample.transaction.count);
            builder.add(sample);
            samples.push_back(sample);
        }
        const RunSummary run = codec::readSummary(codec::write(builder.summary()));
        QCOMPARE(run.phases.size(), std::size_t(2));
        const auto value = [&run](const char* measure) { return measureOf(run, {}, measure).value_or(-1); };
        QCOMPARE(value("tps:fast"), 1000.0);
        QCOMPARE(value("tps:slow"), 50.0);
        QCOMPARE(value("transactions:slow"), 100.0);
        QVERIFY(std::abs(value("service_p99:fast") - 1) < 0.02 && std::abs(value("response_p50:slow") - 4) < 0.05);
        QVERIFY(!measureOf(run, {}, "tps:never") && !measureOf(run, {}, "qps:fast"));
        QCOMPARE(at(run, "slow").failed, std::uint64_t(7));
        QCOMPARE(at(run, "slow").times.service.count(), std::uint64_t(100));
        StoredSession session;
        session.runs.emplace_back().summary = run;
        const std::vector<std::string> parts = measureParts("tps", {session});
        QVERIFY(parts == (std::vector<std::string>{"fast", "slow"}));

        // A calm phase beside a busy one is no dip; a stall within a phase stays one.
        const StallRule rule = stallRuleOf(run);
        QCOMPARE(rule.stretches.size(), std::size_t(2));
        QCOMPARE(rule.stretches[1].fromNs, std::int64_t(2'500'000'000));
        std::vector<IntervalSample> course;
        for (int i = 0; i < 60; ++i) {
            IntervalSample sample;
            sample.tNs = i * 1'000'000'000ll;
            sample.lengthNs = 1'000'000'000;
            sample.transaction.count = i == 45 ? 0 : i < 40 ? 1000 : 100;
            course.push_back(sample);
        }
        StallRule phases;
        phases.stretches = {{"a", 0, 40'000'000'000, 0}, {"b", 40'000'000'000, 60'000'000'000, 0}};
        const std::vector<Stall> stalls = findStalls(course, phases);
        QCOMPARE(stalls.size(), std::size_t(1));
        QCOMPARE(stalls.front().tNs, std::int64_t(45'000'000'000));
    }

    //! A stranger's file may hold any number.
    void numbersOfAFileStayInBounds()
    {
        const RunSummary run = codec::readSummary(
            R"({"phases": [{"name": "a", "from_ns": 9223372036854775807, "ramp_ns": -5, "seconds": 1e300},
                           {"name": "b", "from_ns": -9223372036854775807, "ramp_ns": 9223372036854775807,
                            "seconds": -1}]})");
        QCOMPARE(run.phases.size(), std::size_t(2));
        const StallRule rule = stallRuleOf(run);
        QVERIFY(rule.stretches[0].toNs > rule.stretches[0].fromNs && rule.stretches[0].fromNs > 0);
        QCOMPARE(rule.stretches[1].toNs, std::int64_t(0));
        QVERIFY(rule.stretches[1].fromNs > 0);
        QCOMPARE(run.phases[1].seconds, 0.0);
    }

    //! Such runs are of no one number of users.
    void loadsThatChange()
    {
        LoadProfile load;
        load.users = {8};
        load.phases = {phase("a", 1), phase("b", 1, 8)};
        QVERIFY(!changesLoad(load));
        load.phases[1].pace.users = 7;
        QVERIFY(changesLoad(load));
        load.phases[1].pace.users = 8;
        load.arrival.model = ArrivalModel::Fixed;
        load.arrival.rate = 10;
        QVERIFY(!changesLoad(load));
        load.phases[1].pace.rate = 11;
        QVERIFY(changesLoad(load));
    }
};

} // namespace dyno::tst_load_phases

DYNO_SUITE(tst_load_phases, dyno::tst_load_phases::TstLoadPhases)
#include "tst_load_phases.moc"
