// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Pre-flight against a real server: each check fires when it should, with both figures, and stays quiet otherwise.
#include "driver/preflight_list.h"
#include "load/preflight/preflight_host.h"
#include "load/preflight/preflight_needs.h"
#include "preflight_rig.h"
#include "recording_sink.h"
#include "server/lifecycle/server_binaries.h"
#include "server/lifecycle/start_check.h"
#include "support/suite.h"

#include <dyno/machine_settings.h>
#include <dyno/preflight.h>

#include <QTemporaryDir>

#include <fmt/format.h>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <thread>
#include <unistd.h>

namespace dyno::tst_preflight {
using namespace dyno::test;

class TestPreflight : public QObject, PreflightRig
{
    Q_OBJECT
private slots:
    void initTestCase() { start(); }
    void cleanup() { restore(); }
    void aSmallPlanIsFine();
    void aLookSendsNoSqlOfThePlan();
    void connections();
    void connectionsInUseCount();
    void aPlannedVariableCounts();
    void userConnections();
    void userConnectionsOfTheServer();
    void preparedStatements();
    void textProtocolPreparesNothing();
    void tableCache();
    void serverFiles();
    void clientFiles();
    void packet();
    void dataAgainstBufferPool();
    void durability();
    void otherLoad();
    void cipher();
    void threadHandling();
    void tablesThatAreMissing();
    void localPorts();
    void schedulerOfTheDataDisk();
    void clockAndGovernor();
    void disk();
    void unreachable();
    void noPasswordAnywhere();
    void fixesRemoveTheCause();
    void sqlite();
    void managed();
    void needsOverAllPoints();
};

void TestPreflight::aSmallPlanIsFine()
{
    const PreflightReport report = look(plan(4));
    QVERIFY2(!report.blocked(), qPrintable(textOf(report)));
    for (const char* id :
         {"max_connections", "max_prepared_stmt_count", "table_open_cache", "open_files_limit", "max_allowed_packet",
          "data_size", "rights", "tables", "client_files", "local_ports", "free_disk", "other_load"})
        COMPARE_LEVEL(report, id, PreflightLevel::Ok);
    QCOMPARE(report.server.product, std::string("MariaDB"));
    QVERIFY(report.roundTripMs > 0);
    QVERIFY(report.missingRights.empty());
    QVERIFY(!find(report, "thread_handling")); // says nothing about 4 users
}

void TestPreflight::connections()
{
    COMPARE_LEVEL(look(plan(90)), "max_connections", PreflightLevel::Ok);
    const PreflightReport report = look(plan(200));
    COMPARE_LEVEL(report, "max_connections", PreflightLevel::Blocker);
    QVERIFY(report.blocked());
    const PreflightItem& item = *find(report, "max_connections");
    QVERIFY2(item.what.find("200 users need 200 connections; max_connections is 100") == 0, item.what.c_str());
    QCOMPARE(item.fix.name, std::string("max_connections"));
    QVERIFY(std::get<std::int64_t>(item.fix.value) > 200);
}

//! Also with an agreement to it, which is one to a run.
void TestPreflight::aLookSendsNoSqlOfThePlan()
{
    const auto before = m_admin->variable("innodb_io_capacity");
    QVERIFY(before);
    QVERIFY(*before != "777");
    m_changed.emplace_back("innodb_io_capacity", *before); // whatever comes of it
    Plan eager = plan(4);
    eager.set["connection.init_sql"] = std::string("SET GLOBAL innodb_io_capacity = 777");
    const PreflightReport report = look(eager);
    QVERIFY2(!report.blocked(), qPrintable(textOf(report)));
    QCOMPARE(m_admin->variable("innodb_io_capacity").value_or("?"), *before);
}

void TestPreflight::connectionsInUseCount()
{
    std::vector<SessionPtr> others(20);
    for (SessionPtr& other : others) {
        other = openSession(m_server.target());
        COMPARE_OK(*other, run(*other, Request::step(RequestKind::Connect)));
    }
    const PreflightReport report = look(plan(90));
    COMPARE_LEVEL(report, "max_connections", PreflightLevel::Blocker);
    // The test's own control connection is the twenty-first.
    const std::string& what = find(report, "max_connections")->what;
    QVERIFY2(what.find("21 of them in use") != std::string::npos, what.c_str());
}

void TestPreflight::aPlannedVariableCounts()
{
    Plan raised = plan(200);
    raised.set["server.max_connections"] = std::int64_t(400);
    COMPARE_LEVEL(look(raised), "max_connections", PreflightLevel::Ok);
    // Only some points raise it: the others would fail.
    raised.set.clear();
    raised.axes.push_back({"limit", {{"as it is", {}}, {"raised", {{"server.max_connections", std::int64_t(400)}}}}});
    COMPARE_LEVEL(look(raised), "max_connections", PreflightLevel::Blocker);
}

void TestPreflight::userConnections()
{
    const std::string uri = userWith("GRANT ALL ON *.* TO ann@'%' WITH MAX_USER_CONNECTIONS 10");
    COMPARE_LEVEL(look(plan(4, uri), "s3cret"), "max_user_connections", PreflightLevel::Ok);
    const PreflightReport report = look(plan(50, uri), "s3cret");
    COMPARE_LEVEL(report, "max_user_connections", PreflightLevel::Blocker);
    QVERIFY(find(report, "max_user_connections")->fix.name.empty()); // belongs to the account
}

void TestPreflight::userConnectionsOfTheServer()
{
    set("max_user_connections", std::int64_t(20));
    COMPARE_LEVEL(look(plan(10)), "max_user_connections", PreflightLevel::Ok);
    const PreflightReport report = look(plan(40));
    COMPARE_LEVEL(report, "max_user_connections", PreflightLevel::Blocker);
    QCOMPARE(find(report, "max_user_connections")->fix.name, std::string("max_user_connections"));
    Plan fixed = plan(40);
    fixed.set["server.max_user_connections"] = find(report, "max_user_connections")->fix.value;
    COMPARE_LEVEL(look(fixed), "max_user_connections", PreflightLevel::Ok);
}

void TestPreflight::preparedStatements()
{
    // (9 kinds of statements for each of two tables and BEGIN and COMMIT are sent without preparing)
    const std::vector<TargetNeeds> needs = needsOf(plan(10), {});
    QCOMPARE(needs.size(), std::size_t(1));
    const int each = needs.front().needs.statementsPerUser;
    QCOMPARE(each, 18);
    set("max_prepared_stmt_count", std::int64_t(10 * each));
    COMPARE_LEVEL(look(plan(10)), "max_prepared_stmt_count", PreflightLevel::Ok);
    const PreflightReport report = look(plan(11));
    COMPARE_LEVEL(report, "max_prepared_stmt_count", PreflightLevel::Blocker);
    const PreflightItem& item = *find(report, "max_prepared_stmt_count");
    QVERIFY2(item.what.find("198") != std::string::npos && item.what.find("180") != std::string::npos,
             item.what.c_str());
    QVERIFY(std::get<std::int64_t>(item.fix.value) >= 198);
}

void TestPreflight::textProtocolPreparesNothing()
{
    set("max_prepared_stmt_count", std::int64_t(10));
    for (const char* protocol : {"text", "multi"}) {
        Plan text = plan(50);
        text.set["connection.protocol"] = std::string(protocol);
        QVERIFY(!find(look(text), "max_prepared_stmt_count"));
    }
}

void TestPreflight::tableCache()
{
    set("table_open_cache", std::int64_t(50));
    COMPARE_LEVEL(look(plan(48)), "table_open_cache", PreflightLevel::Ok);
    const PreflightReport report = look(plan(49));
    COMPARE_LEVEL(report, "table_open_cache", PreflightLevel::Warning);
    QVERIFY(!report.blocked());
}

void TestPreflight::serverFiles()
{
    const auto limit = std::stoi(*m_admin->variable("open_files_limit"));
    COMPARE_LEVEL(look(plan(limit)), "open_files_limit", PreflightLevel::Blocker);
}

void TestPreflight::clientFiles()
{
    rlimit before{};
    QCOMPARE(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const int tooMany = int(std::min<rlim_t>(before.rlim_max, 2'000'000)) + 1;
    if (before.rlim_max == RLIM_INFINITY || before.rlim_max > 2'000'000)
        QSKIP("files are not limited here");
    const PreflightReport report = look(plan(tooMany));
    COMPARE_LEVEL(report, "client_files", PreflightLevel::Blocker);
}

void TestPreflight::packet()
{
    COMPARE_LEVEL(look(plan(1)), "max_allowed_packet", PreflightLevel::Ok);
    set("max_allowed_packet", std::int64_t(64 * 1024));
    const PreflightReport report = look(plan(1));
    // 1 000 rows of about 190 bytes go in one statement.
    COMPARE_LEVEL(report, "max_allowed_packet", PreflightLevel::Blocker);
    QVERIFY2(find(report, "max_allowed_packet")->what.find("64 KiB") != std::string::npos, qPrintable(textOf(report)));
    Plan never = plan(1);
    never.workload.prepare = PreparePolicy::Never; // nothing is loaded
    COMPARE_LEVEL(look(never), "max_allowed_packet", PreflightLevel::Ok);
}

void TestPreflight::dataAgainstBufferPool()
{
    Plan large = plan(1);
    large.workload.params["table_size"] = std::int64_t(1'000'000);
    const PreflightReport report = look(large);
    COMPARE_LEVEL(report, "data_size", PreflightLevel::Warning); // the pool has 32 MiB
    QVERIFY2(find(report, "data_size")->what.find("32 MiB") != std::string::npos, qPrintable(textOf(report)));
    QVERIFY(!report.blocked());
}

void TestPreflight::durability()
{
    set("innodb_flush_log_at_trx_commit", std::int64_t(2));
    const PreflightReport report = look(plan(1));
    COMPARE_LEVEL(report, "durability", PreflightLevel::Note);
    const std::string& what = find(report, "durability")->what;
    for (const char* part :
         {"innodb_flush_log_at_trx_commit=2", "sync_binlog=0", "log_bin=OFF", "innodb_doublewrite=ON"})
        QVERIFY2(what.find(part) != std::string::npos, what.c_str());
    QVERIFY2(what.find("the plan sets") == std::string::npos, what.c_str());

    // What the plan will set is not in force yet.
    Plan changing = plan(1);
    changing.set = {{"server.innodb_flush_log_at_trx_commit", std::int64_t(1)},
                    {"server.sync_binlog", std::int64_t(0)}};
    changing.axes.push_back({"binlog", {{"0", {}}, {"7", {{"server.sync_binlog", std::int64_t(7)}}}}});
    const PreflightReport planned = look(changing);
    COMPARE_LEVEL(planned, "durability", PreflightLevel::Note);
    const std::string& told = find(planned, "durability")->what;
    for (const char* part : {"innodb_flush_log_at_trx_commit=2", "sync_binlog=0",
                             "; the plan sets innodb_flush_log_at_trx_commit to 1, sync_binlog to 0 or 7 for its runs"})
        QVERIFY2(told.find(part) != std::string::npos, told.c_str());
}

void TestPreflight::otherLoad()
{
    const SessionPtr other = openSession(m_server.target());
    COMPARE_OK(*other, run(*other, Request::step(RequestKind::Connect)));
    std::thread busy([&other] { static_cast<void>(sql(*other, "SELECT SLEEP(30)")); });
    const auto joined = qScopeGuard([&] {
        // The server notices a lost connection only when it answers.
        const auto rows =
            m_admin->query("SELECT id FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'");
        if (rows && !rows->empty())
            static_cast<void>(m_admin->execute("KILL " + rows->front().front()));
        busy.join();
    });
    QVERIFY(QTest::qWaitFor([this] {
        const auto rows =
            m_admin->query("SELECT 1 FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'");
        return rows && !rows->empty();
    }));
    COMPARE_LEVEL(look(plan(1)), "other_load", PreflightLevel::Warning);
}

void TestPreflight::cipher()
{
    const PreflightReport plain = look(plan(1));
    COMPARE_LEVEL(plain, "cipher", PreflightLevel::Note);
    QCOMPARE(plain.server.cipher, std::string());
    Plan encrypted = plan(1);
    encrypted.set["connection.tls"] = std::string("required");
    encrypted.set["connection.tls_ciphers"] = std::string("ECDHE-RSA-AES128-GCM-SHA256");
    const PreflightReport report = look(encrypted);
    COMPARE_LEVEL(report, "cipher", PreflightLevel::Note);
    QCOMPARE(report.server.cipher, std::string("ECDHE-RSA-AES128-GCM-SHA256"));
    QVERIFY(find(report, "cipher")->what.find("ECDHE-RSA-AES128-GCM-SHA256") != std::string::npos);
    QVERIFY(!find(report, "tls_ca"));
    encrypted.load.users = {100};
    const PreflightReport many = look(encrypted);
    COMPARE_LEVEL(many, "tls_ca", PreflightLevel::Warning);
    QVERIFY(find(many, "tls_ca")->remedy.find("connection.tls_ca") != std::string::npos);
    TargetUri socket = m_server.uri();
    socket.host = "localhost";
    socket.port = 0;
    socket.query["socket"] = m_server.socket();
    COMPARE_LEVEL(look(plan(1, socket.display())), "cipher", PreflightLevel::Ok);
}

void TestPreflight::threadHandling()
{
    const PreflightReport report = look(plan(1001));
    COMPARE_LEVEL(report, "thread_handling", PreflightLevel::Warning);
    QVERIFY(find(report, "thread_handling")->remedy.find("pool-of-threads") != std::string::npos);
}

void TestPreflight::tablesThatAreMissing()
{
    Plan never = plan(1);
    never.workload.prepare = PreparePolicy::Never;
    const PreflightReport report = look(never);
    COMPARE_LEVEL(report, "tables", PreflightLevel::Blocker);
    QVERIFY(find(report, "tables")->what.find("sbtest1") != std::string::npos);
    for (const char* table : {"sbtest1", "sbtest2"})
        QVERIFY(m_admin->execute(fmt::format("CREATE TABLE {} (id INT PRIMARY KEY)", table)));
    COMPARE_LEVEL(look(never), "tables", PreflightLevel::Ok);
    for (const char* table : {"sbtest1", "sbtest2"})
        QVERIFY(m_admin->drop(table));
}

void TestPreflight::localPorts()
{
    QTemporaryDir root;
    HostFiles files{root.path().toStdString()};
    std::filesystem::create_directories(files.root / "proc/sys/net/ipv4");
    std::ofstream(files.root / "proc/sys/net/ipv4/ip_local_port_range") << "32768\t60999\n";
    const auto level = [&](int users, int sources) {
        TargetNeeds needs;
        needs.needs.users = users;
        PreflightReport report;
        checkHost(needs, true, sources, report, files);
        return find(report, "local_ports")->level;
    };
    QCOMPARE(level(20'000, 0), PreflightLevel::Ok);
    QCOMPARE(level(28'000, 0), PreflightLevel::Warning);
    QCOMPARE(level(28'233, 0), PreflightLevel::Blocker); // 28 232 ports
    QCOMPARE(level(28'233, 2), PreflightLevel::Ok);
}

//! Of the disk that holds the target's data, not of another one.
void TestPreflight::schedulerOfTheDataDisk()
{
    const std::filesystem::path work = "/data";
    const auto place = [&work](const char* uri) { return placeOf(*parseUri(uri), work).string(); };
    QCOMPARE(place("sqlite:/fast/a.db"), std::string("/fast/a.db"));
    QCOMPARE(place("sqlite:"), std::string("/data"));
    QCOMPARE(place("sqlite:bench.db"), (std::filesystem::current_path() / "bench.db").string());
    QCOMPARE(place("managed:mariadb"), std::string("/data"));
    QCOMPARE(place("managed:mariadb?name=mine"), std::string("/data/instances/mine"));
    QCOMPARE(place("mysql://root@127.0.0.1:3306/test"), std::string());

    QTemporaryDir root;
    HostFiles files{root.path().toStdString()};
    struct stat info
    {
    };
    QCOMPARE(::stat(files.root.c_str(), &info), 0);
    const std::filesystem::path disk =
        files.root / fmt::format("sys/dev/block/{}:{}/queue", major(info.st_dev), minor(info.st_dev));
    std::filesystem::create_directories(disk);
    std::ofstream(disk / "scheduler") << "[none] mq-deadline\n";
    const auto level = [&](const std::filesystem::path& data, const char* scheduler) {
        TargetNeeds needs;
        needs.place = data;
        needs.machine = {{"io_scheduler", scheduler}};
        PreflightReport report;
        checkHost(needs, false, 0, report, files);
        return find(report, "host_settings")->level;
    };
    QCOMPARE(level(files.root / "data" / "not there yet", "none"), PreflightLevel::Ok); // in force
    QCOMPARE(level("/proc", "none"), PreflightLevel::Blocker);                          // in memory: no disk
    QCOMPARE(level({}, "none"), PreflightLevel::Blocker);
}

void TestPreflight::clockAndGovernor()
{
    QTemporaryDir root;
    HostFiles files{root.path().toStdString()};
    const std::filesystem::path clock = files.root / "sys/devices/system/clocksource/clocksource0";
    const std::filesystem::path cpu = files.root / "sys/devices/system/cpu/cpu0/cpufreq";
    std::filesystem::create_directories(clock);
    std::filesystem::create_directories(cpu);
    const auto levels = [&](const char* source, const char* governor) {
        std::ofstream(clock / "current_clocksource") << source << '\n';
        std::ofstream(cpu / "scaling_governor") << governor << '\n';
        PreflightReport report;
        checkHost({}, false, 0, report, files);
        return std::pair(find(report, "clock_source")->level, find(report, "cpu_governor")->level);
    };
    QCOMPARE(levels("tsc", "performance"), std::pair(PreflightLevel::Ok, PreflightLevel::Ok));
    QCOMPARE(levels("hpet", "powersave"), std::pair(PreflightLevel::Warning, PreflightLevel::Warning));
}

void TestPreflight::disk()
{
    TargetNeeds target;
    target.needs.creates = true;
    const auto level = [&](std::uint64_t bytes, const char* folder = "/tmp") {
        target.needs.dataBytes = bytes;
        PreflightReport report;
        checkDisk(folder, target, 2, report);
        return find(report, "free_disk")->level;
    };
    const std::uint64_t free = std::filesystem::space("/tmp").available;
    QCOMPARE(level(free / 100), PreflightLevel::Ok);
    QCOMPARE(level(free / 3), PreflightLevel::Warning); // two copies
    QCOMPARE(level(free), PreflightLevel::Blocker);
    QCOMPARE(level(std::uint64_t(1) << 63), PreflightLevel::Blocker); // twice as much is more than 64 bits hold
    QCOMPARE(level(1000, "/no/such/folder"), PreflightLevel::Note);
    // What a run needs for a while counts once, whether anything is loaded or not.
    target.scratchBytes = free / 3;
    QCOMPARE(level(free / 100), PreflightLevel::Ok);    // 1/3 + 2/100
    QCOMPARE(level(free / 8), PreflightLevel::Warning); // 1/3 + 2/8
    QCOMPARE(level(free / 2), PreflightLevel::Blocker);
    target.needs.creates = false;
    QCOMPARE(level(free / 2), PreflightLevel::Ok);
    target.scratchBytes = free / 3 * 2;
    QCOMPARE(level(0), PreflightLevel::Warning);
    target.scratchBytes = free * 2;
    QCOMPARE(level(0), PreflightLevel::Blocker);
    target.scratchBytes = 3'000'000'000;
    target.needs.creates = true;
    target.needs.dataBytes = 1'000'000'000;
    const std::string writes = writesText(target, 2, "the binary log");
    QCOMPARE(writes,
             fmt::format("loading writes about {} with the binary log, and the run needs about {} more for a while",
                         sizeText(2'000'000'000), sizeText(3'000'000'000)));
}

void TestPreflight::unreachable()
{
    const auto reports = preflight(plan(1, "mysql://root@127.0.0.1:1/db"), {});
    QVERIFY(!reports);
    QCOMPARE(reports.error().kind, ErrorKind::Unreachable);
}

void TestPreflight::noPasswordAnywhere()
{
    const std::string uri = userWith("GRANT SELECT ON *.* TO ann@'%'");
    const PreflightReport report = look(plan(1000, uri), "s3cret");
    QVERIFY(textOf(report).contains("ann"));
    QVERIFY(!textOf(report).contains("s3cret"));
    QVERIFY(report.target.find("s3cret") == std::string::npos);
    const auto wrong = preflight(plan(1, uri), RunnerOptions{.password = "not-s3cret"});
    QVERIFY(!wrong);
    QVERIFY(wrong.error().text().find("s3cret") == std::string::npos);
}

//! Each fix put into the plan makes its item fine.
void TestPreflight::fixesRemoveTheCause()
{
    set("max_prepared_stmt_count", std::int64_t(100));
    set("table_open_cache", std::int64_t(50));
    set("max_allowed_packet", std::int64_t(64 * 1024));
    Plan fixed = plan(200);
    int fixes = 0;
    for (const PreflightItem& item : look(fixed).items) {
        if (item.fix.name.empty())
            continue;
        fixed.set["server." + item.fix.name] = item.fix.value;
        ++fixes;
        // The server takes it while it runs.
        set(item.fix.name, item.fix.value);
        m_changed.pop_back();
    }
    QCOMPARE(fixes, 4);
    const PreflightReport report = look(fixed);
    QVERIFY2(!report.blocked(), qPrintable(textOf(report)));
    for (const char* name : {"max_connections", "max_prepared_stmt_count", "table_open_cache", "max_allowed_packet"})
        COMPARE_LEVEL(report, name, PreflightLevel::Ok);
    QVERIFY(m_admin->setVariable("max_connections", std::int64_t(100)));
}

void TestPreflight::sqlite()
{
    const std::string folder = m_dir.path().toStdString();
    PreflightReport report = look(plan(1, "sqlite:" + folder + "/new.db"));
    COMPARE_LEVEL(report, "writable", PreflightLevel::Ok);
    COMPARE_LEVEL(report, "free_disk", PreflightLevel::Ok);
    QVERIFY(!std::filesystem::exists(folder + "/new.db")); // looking makes nothing
    COMPARE_LEVEL(look(plan(1, "sqlite:" + folder + "/none/new.db")), "writable", PreflightLevel::Blocker);
    if (::geteuid() != 0) {
        std::ofstream(folder + "/fixed.db") << "";
        std::filesystem::permissions(folder + "/fixed.db", std::filesystem::perms::owner_read);
        COMPARE_LEVEL(look(plan(1, "sqlite:" + folder + "/fixed.db")), "writable", PreflightLevel::Blocker);
    }
    QVERIFY(!look(plan(1, "sqlite:")).blocked());
}

void TestPreflight::managed()
{
    QVERIFY2(!look(plan(4, "managed:mariadb")).blocked(), qPrintable(textOf(look(plan(4, "managed:mariadb")))));
    Plan small = plan(300, "managed:mariadb");
    small.set["server.max_connections"] = std::int64_t(200);
    COMPARE_LEVEL(look(small), "max_connections", PreflightLevel::Blocker);
    const PreflightReport many = look(plan(2000, "managed:mariadb"));
    COMPARE_LEVEL(many, "thread_handling", PreflightLevel::Warning);
    QCOMPARE(find(many, "thread_handling")->fix.name, std::string("thread_handling"));
    COMPARE_LEVEL(look(plan(4, "managed:mariadb?basedir=/no/such")), "server_program", PreflightLevel::Blocker);

    // Encryption at rest, in whatever point it is, needs a plugin that not every package has.
    QVERIFY(!find(look(small), "encryption"));
    small.axes.push_back({"encryption",
                          {{"off", {{"server.encryption", std::string("off")}}, 0},
                           {"on", {{"server.encryption", std::string("all")}}, 0}},
                          0});
    const auto server = findServer({});
    QVERIFY(server);
    COMPARE_LEVEL(look(small), "encryption", canEncrypt(*server) ? PreflightLevel::Ok : PreflightLevel::Blocker);

    // What a later point wants is looked at before the first one runs, point by point.
    Plan knobs = plan(4, "managed:mariadb");
    knobs.axes.push_back({"knob",
                          {{"fine", {{"server.sync_binlog", std::int64_t(1)}}, 0},
                           {"unknown", {{"server.no_such_variable", std::int64_t(1)}}, 0}},
                          0});
    COMPARE_LEVEL(look(knobs), "server_knobs", PreflightLevel::Blocker);
    const std::string told = find(look(knobs), "server_knobs")->what;
    QVERIFY2(told.find("no_such_variable") != std::string::npos && told.find("unknown") != std::string::npos,
             told.c_str());
    RunnerOptions options;
    const auto start = lookBeforeStart(knobs, options);
    QVERIFY(start.size() == 1 && start.front().blocked());
    QVERIFY(find(start.front(), "server_knobs"));
    QVERIFY(lookBeforeStart(plan(4, "managed:mariadb"), options).front().items.empty()); // nothing stands in the way

    // Pages are compressed by plug-ins, which come in packages of their own.
    if (server->atLeast({10, 7, 0})) {
        Plan compressed = plan(4, "managed:mariadb");
        compressed.set["server.innodb_compression_algorithm"] = std::string("bzip2");
        const bool there = exists(server->pluginFolder() / "provider_bzip2.so");
        COMPARE_LEVEL(look(compressed), "server_knobs", there ? PreflightLevel::Ok : PreflightLevel::Blocker);
        QVERIFY(there || find(look(compressed), "server_knobs")->remedy.find("mariadb-plugin-provider-bzip2") !=
                             std::string::npos);
        compressed.set["server.innodb_compression_algorithm"] = std::string("zlib");
        COMPARE_LEVEL(look(compressed), "server_knobs", PreflightLevel::Ok);
    }

    // A copy of the data takes as much space again.
    Plan copied = plan(4, "managed:mariadb");
    copied.load.data = DataPolicy::Restore;
    QVERIFY(find(look(copied), "free_disk")->what.find("with the copy that is put back") != std::string::npos);
}

void TestPreflight::needsOverAllPoints()
{
    Plan several = plan(4);
    several.load.users = {1, 64, 8};
    several.axes.push_back(
        {"tables", {{"1", {{"workload.tables", std::int64_t(1)}}}, {"8", {{"workload.tables", std::int64_t(8)}}}}});
    several.axes.push_back({"where", {{"a", {}}, {"b", {{"target.uri", std::string("sqlite:")}}}}});
    const std::vector<TargetNeeds> needs = needsOf(several, {});
    QCOMPARE(needs.size(), std::size_t(2));
    for (const TargetNeeds& one : needs) {
        QCOMPARE(one.needs.users, 64);
        QCOMPARE(one.needs.tables, 8);
        QVERIFY(!one.needs.changesGlobals);
    }
    QCOMPARE(needs[0].needs.statementsPerUser, 72);
    // The processor counts of a process of the server's own.
    Plan watched = plan(2);
    watched.views.emplace_back().measure = processorSeries().front().measures.front();
    for (const char* uri : {"mysql://root@localhost/test", "managed:mariadb"}) {
        watched.target.uri = uri;
        QCOMPARE(needsOf(watched, {}).front().processor.size(), wantedOfProcessor(watched).size());
    }
    TargetNeeds counting;
    counting.processor = wantedOfProcessor(watched);
    PreflightReport report;
    checkProcessorCounters(counting, {0, "it is far away"}, report);
    QCOMPARE(report.items.size(), std::size_t(1));
    QCOMPARE(report.items.front().level, PreflightLevel::Warning);
    QVERIFY(report.items.front().what.ends_with(" of the server cannot be counted: it is far away"));
    watched.target.uri = "sqlite:";
    QVERIFY(needsOf(watched, {}).front().processor.empty());
    QVERIFY(!wantedOfProcessor(watched).empty());
    // A search over users ends at its upper end.
    Plan search = plan(2);
    search.load.search.what = Search::What::Users;
    search.load.search.from = 1;
    search.load.search.to = 500;
    QCOMPARE(needsOf(search, {}).front().needs.users, 500);
}

} // namespace dyno::tst_preflight

DYNO_SUITE(tst_preflight, dyno::tst_preflight::TestPreflight)
#include "tst_preflight.moc"
