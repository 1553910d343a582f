// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What is said of a plan while it is edited: with figures of this machine, and changes that remove the cause.
#include "load/preflight/preflight_host.h"
#include "support/suite.h"

#include <dyno/catalog.h>
#include <dyno/plan.h>
#include <dyno/preflight.h>
#include <dyno/runner.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace dyno::tst_plan_look {

namespace {

Plan planOn(const std::string& uri)
{
    Plan plan;
    plan.title = "look";
    plan.target.uri = uri;
    plan.workload.name = "oltp_read_write";
    plan.workload.params = {{"table_size", std::int64_t(100)}};
    return plan;
}

const PlanFinding* find(const PlanFindings& findings, std::string_view id)
{
    const auto found = std::ranges::find_if(findings, [id](const PlanFinding& one) { return one.item.id == id; });
    return found == findings.end() ? nullptr : &*found;
}

PreflightLevel levelOf(const Plan& plan, std::string_view id)
{
    const PlanFindings findings = lookAtPlan(plan, {});
    const PlanFinding* found = find(findings, id);
    return found ? found->item.level : PreflightLevel::Note; // which none of these has
}

void applyTo(Plan& plan, const PlanFinding& finding)
{
    QVERIFY(!finding.changes.empty());
    for (const auto& [path, value] : finding.changes)
        QVERIFY2(setField(plan, path, value), path.c_str());
    QVERIFY(checkPlan(plan).empty());
}

} // namespace

class TestPlanLook : public QObject
{
    Q_OBJECT
private slots:
    void dataAgainstMemoryAndDisk();
    void openFiles();
    void coresOfTheServer();
    void aFixOfTheServerRemovesTheCause();
    void aCaseThatSetsItHasNoFix();
    void durabilityOfUnlikeServers();
    void nothingOfARemoteServer();
    void noFileSystemOfAnotherMachine();
};

void TestPlanLook::dataAgainstMemoryAndDisk()
{
    Plan plan = planOn("sqlite:");
    QCOMPARE(levelOf(plan, "data_memory"), PreflightLevel::Ok);
    QCOMPARE(levelOf(plan, "free_disk"), PreflightLevel::Ok);
    plan.workload.params["table_size"] = std::int64_t(2'000'000'000);
    plan.workload.params["tables"] = std::int64_t(1000);
    const PlanFindings findings = lookAtPlan(plan, {});
    const PlanFinding* disk = find(findings, "free_disk");
    QVERIFY(disk && disk->item.level == PreflightLevel::Blocker);
    QVERIFY2(disk->item.what.find("TiB") != std::string::npos, disk->item.what.c_str());
    QCOMPARE(disk->where, std::string("workload.params"));
    QCOMPARE(findings.front().item.id, disk->item.id); // the gravest first
    QCOMPARE(levelOf(plan, "data_memory"), PreflightLevel::Warning);
    plan.workload.prepare = PreparePolicy::Use; // what is there needs no room
    QCOMPARE(levelOf(plan, "free_disk"), PreflightLevel::Ok);
}

void TestPlanLook::openFiles()
{
    Plan plan = planOn("sqlite:");
    const PlanFindings findings = lookAtPlan(plan, {});
    const PlanFinding* files = find(findings, "client_files");
    if (!files)
        QSKIP("this process may open any number of files");
    QCOMPARE(files->item.level, PreflightLevel::Ok);
    QCOMPARE(files->where, std::string("load.users"));
}

void TestPlanLook::coresOfTheServer()
{
    const int cores = hostFacts().cores;
    QVERIFY(cores > 0);
    Plan plan = planOn("null:?service_us=1000");
    plan.workload.name = "oltp_point_select";
    plan.load.users = {1, cores};
    // It stores nothing, however much there were.
    plan.workload.params["table_size"] = std::int64_t(2'000'000'000);
    const PlanFindings nothing = lookAtPlan(plan, {});
    QVERIFY(!find(nothing, "free_disk") && !find(nothing, "data_memory") && !find(nothing, "data_in_memory"));
    plan.workload.params["table_size"] = std::int64_t(100);
    QVERIFY(!find(lookAtPlan(planOn("sqlite:"), {}), "shared_cores")); // the load generator does its work
    if (!findDriver("mysql"))
        QSKIP("built without the MySQL-family driver");
    plan.target.uri = "managed:mariadb";
    QCOMPARE(levelOf(plan, "shared_cores"), PreflightLevel::Warning);
    if (cores > 1) { // the fix leaves a core to the server
        const PlanFindings findings = lookAtPlan(plan, {});
        Plan fewer = plan;
        applyTo(fewer, *find(findings, "shared_cores"));
        QCOMPARE(fewer.load.users, std::vector<int>{1});
        QCOMPARE(levelOf(fewer, "shared_cores"), PreflightLevel::Ok);
        plan.load.users = {4 * cores};
        const PlanFindings none = lookAtPlan(plan, {});
        applyTo(plan, *find(none, "shared_cores"));
        QCOMPARE(plan.load.users, std::vector<int>{cores - 1});
        QCOMPARE(levelOf(plan, "shared_cores"), PreflightLevel::Ok);
    }
    plan.load.users = {1};
    if (cores > 1)
        QCOMPARE(levelOf(plan, "shared_cores"), PreflightLevel::Ok);
}

void TestPlanLook::aFixOfTheServerRemovesTheCause()
{
    if (!findDriver("mysql"))
        QSKIP("built without the MySQL-family driver");
    Plan plan = planOn("managed:mariadb");
    plan.load.users = {400};
    const PlanFindings findings = lookAtPlan(plan, {});
    const PlanFinding* most = find(findings, "max_connections");
    QVERIFY(most);
    QCOMPARE(most->item.level, PreflightLevel::Ok); // Dynobench's own servers take many
    plan.set["server.max_connections"] = std::int64_t(100);
    const PlanFindings few = lookAtPlan(plan, {});
    const PlanFinding* found = find(few, "max_connections");
    QVERIFY(found && found->item.level == PreflightLevel::Blocker);
    applyTo(plan, *found);
    QCOMPARE(levelOf(plan, "max_connections"), PreflightLevel::Ok);
    // A fix that the plan's other target does not take is none.
    plan.set["server.max_connections"] = std::int64_t(100);
    plan.axes = {{"product", {{"server", {{"target.uri", "managed:mariadb"}}}, {"file", {{"target.uri", "sqlite:"}}}}}};
    plan.set.clear();
    plan.axes[0].cases[0].set["server.max_connections"] = std::int64_t(100);
    const PlanFindings unlike = lookAtPlan(plan, {});
    const PlanFinding* inCase = find(unlike, "max_connections");
    QVERIFY(inCase && inCase->changes.empty());
    QCOMPARE(inCase->where, std::string("axis[0].cases[0].set.server.max_connections"));
    plan.axes[0].cases[0].set.erase("server.max_connections");
    plan.workload.params["table_size"] = std::int64_t(1'000'000); // more than the pool is by default
    const PlanFindings both = lookAtPlan(plan, {});
    const PlanFinding* noPool = find(both, "data_size");
    QVERIFY(noPool && noPool->item.level == PreflightLevel::Warning && noPool->changes.empty());
    // More statements than a server can be told to take.
    plan = planOn("managed:mariadb");
    plan.workload.params["tables"] = std::int64_t(100);
    plan.load.users = {4000};
    const PlanFindings many = lookAtPlan(plan, {});
    const PlanFinding* statements = find(many, "max_prepared_stmt_count");
    QVERIFY(statements && statements->item.level == PreflightLevel::Blocker && statements->changes.empty());
    QVERIFY(find(many, "thread_handling"));
    plan.target.uri = "managed:mysql"; // its pool is a plug-in
    QVERIFY(!find(lookAtPlan(plan, {}), "thread_handling"));
    // More data than the pool holds, on a machine that has room for a larger one.
    if (hostFacts().memoryBytes < std::uint64_t(512) << 20)
        QSKIP("too little memory for a larger pool");
    plan = planOn("managed:mariadb");
    plan.set["server.innodb_buffer_pool_size"] = std::int64_t(8) << 20;
    plan.workload.params["table_size"] = std::int64_t(200'000);
    const PlanFindings large = lookAtPlan(plan, {});
    const PlanFinding* pool = find(large, "data_size");
    QVERIFY(pool && pool->item.level == PreflightLevel::Warning);
    applyTo(plan, *pool);
    QCOMPARE(levelOf(plan, "data_size"), PreflightLevel::Ok);
}

void TestPlanLook::aCaseThatSetsItHasNoFix()
{
    if (!findDriver("mysql"))
        QSKIP("built without the MySQL-family driver");
    Plan plan = planOn("managed:mariadb");
    plan.workload.params["table_size"] = std::int64_t(200'000);
    plan.axes = {{"pool", {{"small", {{"server.innodb_buffer_pool_size", std::int64_t(8) << 20}}}}}};
    const PlanFindings findings = lookAtPlan(plan, {});
    const PlanFinding* pool = find(findings, "data_size");
    QVERIFY(pool && pool->item.level == PreflightLevel::Warning);
    QVERIFY(pool->changes.empty());
    QVERIFY(!pool->where.empty());
}

void TestPlanLook::durabilityOfUnlikeServers()
{
    if (!findDriver("mysql"))
        QSKIP("built without the MySQL-family driver");
    Plan plan = planOn("sqlite:");
    plan.axes = {{"product", {{"file", {{"target.uri", "sqlite:"}}}, {"server", {{"target.uri", "managed:mariadb"}}}}}};
    plan.axes[0].cases[0].set["connection.synchronous"] = "OFF";
    QVERIFY(checkPlan(plan).empty());
    const PlanFindings findings = lookAtPlan(plan, {});
    const PlanFinding* unlike = find(findings, "durability");
    QVERIFY(unlike && unlike->item.level == PreflightLevel::Warning);
    QVERIFY2(unlike->item.what.find("SQLite: nothing waits for the disk") != std::string::npos,
             unlike->item.what.c_str());
    QVERIFY2(unlike->item.what.find("MariaDB: every commit is on disk") != std::string::npos,
             unlike->item.what.c_str());
    QCOMPARE(unlike->where, std::string("set"));
    Plan fixed = plan;
    applyTo(fixed, *unlike);
    QCOMPARE(levelOf(fixed, "durability"), PreflightLevel::Ok);
    QCOMPARE(toText(fixed.axes[0].cases[0].set.at("connection.synchronous")), std::string("FULL"));
    Plan alike = plan;
    alike.axes[0].cases[0].set["connection.synchronous"] = "FULL";
    QCOMPARE(levelOf(alike, "durability"), PreflightLevel::Ok);
    // What the plan says of each of them is meant.
    plan.axes[0].cases[1].set["server.innodb_flush_log_at_trx_commit"] = std::int64_t(1);
    QCOMPARE(levelOf(plan, "durability"), PreflightLevel::Ok);
    QVERIFY(!find(lookAtPlan(planOn("sqlite:"), {}), "durability"));
    // All points of a product count, in any order.
    plan.axes[0].cases[1].set.clear();
    plan.axes[0].cases[1].set["target.uri"] = "managed:mariadb";
    plan.axes[0].cases[0].set["connection.synchronous"] = "FULL";
    plan.axes[0].cases.push_back(
        {"fast", {{"target.uri", "managed:mariadb"}, {"server.innodb_flush_log_at_trx_commit", std::int64_t(0)}}});
    const PlanFindings mixed = lookAtPlan(plan, {});
    const PlanFinding* two = find(mixed, "durability");
    QVERIFY(two && two->item.level == PreflightLevel::Warning);
    QVERIFY2(two->item.what.find(" or ") != std::string::npos, two->item.what.c_str());
    QVERIFY(two->changes.empty());            // the cases compare just that
    plan.workload.name = "oltp_point_select"; // nothing commits a change
    QVERIFY(!find(lookAtPlan(plan, {}), "durability"));
}

//! Nobody is asked: what only the server knows is not said.
void TestPlanLook::nothingOfARemoteServer()
{
    if (!findDriver("mysql"))
        QSKIP("built without the MySQL-family driver");
    const PlanFindings findings = lookAtPlan(planOn("mysql://me@192.0.2.1/db"), {});
    QVERIFY(!find(findings, "free_disk") && !find(findings, "data_memory") && !find(findings, "shared_cores"));
    Plan beside = planOn("sqlite:");
    beside.axes = {
        {"product", {{"file", {{"target.uri", "sqlite:"}}}, {"theirs", {{"target.uri", "mysql://me@192.0.2.1/db"}}}}}};
    QVERIFY(!find(lookAtPlan(beside, {}), "durability"));
}

//! A plan may come from a stranger: what its path names is not even looked at where another machine would answer.
void TestPlanLook::noFileSystemOfAnotherMachine()
{
    QTemporaryDir root;
    const HostFiles files{root.path().toStdString()};
    std::filesystem::create_directories(files.root / "proc/self");
    std::ofstream(files.root / "proc/self/mounts") << "/dev/sda1 / ext4 rw 0 0\n"
                                                      "tmpfs /tmp tmpfs rw 0 0\n"
                                                      "/etc/auto.net /net autofs rw 0 0\n"
                                                      "nas:/data /srv/nas nfs4 rw 0 0\n"
                                                      "/dev/sdb1 /srv/nas/own xfs rw 0 0\n"
                                                      "//nas/share /mnt/a\\040share cifs rw 0 0\n";
    for (const char* place : {"/", "/home/me/a.db", "/tmp/a.db", "/network/a.db", "/srv/nas2/a.db", "/srv/nas/own/a.db",
                              "/srv/nas/../a.db"})
        QVERIFY2(isOfThisMachine(place, files), place);
    for (const char* place :
         {"/net", "/net/host/a.db", "/srv/nas/a.db", "/srv/./nas/a.db", "/home/../net/host/a.db", "/mnt/a share/a.db"})
        QVERIFY2(!isOfThisMachine(place, files), place);
    QVERIFY(isOfThisMachine(root.path().toStdString())); // the real table
    QVERIFY(!isOfThisMachine("/", HostFiles{files.root / "none"}));
}

} // namespace dyno::tst_plan_look

DYNO_SUITE(tst_plan_look, dyno::tst_plan_look::TestPlanLook)
#include "tst_plan_look.moc"
