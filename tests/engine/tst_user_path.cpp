// SPDX-License-Identifier: GPL-3.0-or-later
// The path of the users: plans and their faults, agreements, a real HAProxy before a real MariaDB, and an address that
// leads there.
#include "driver/control_calls.h"
#include "driver/counter_details.h"
#include "load/target/user_path.h"
#include "managed_test.h"
#include "metrics/host_usage.h"
#include "metrics/process_event.h"
#include "plan/plan_fields.h"
#include "recording_sink.h"
#include "server/lifecycle/free_port.h"
#include "server/lifecycle/private_folder.h"
#include "server/proxy/managed_proxy.h"
#include "store/codec/session_codec.h"
#include "support/dyno_process.h"
#include "support/fault_proxy.h"
#include "support/mariadb_fixture.h"
#include "support/network_links.h"
#include "support/suite.h"

#include <dyno/path.h>
#include <dyno/preflight.h>
#include <dyno/report.h>
#include <dyno/run_fields.h>
#include <dyno/trust.h>
#include <dyno/uri_form.h>
#include <fmt/format.h>

#include <QTemporaryDir>

#include <thread>

namespace dyno::tst_user_path {
using namespace dyno::test;
namespace fs = std::filesystem;

namespace {

Plan planWith(const std::string& uri, const std::string& path)
{
    Plan plan = smallPlan(uri, uri.starts_with("mongodb") ? "ycsb" : "oltp_point_select");
    if (uri.starts_with("mongodb"))
        plan.workload.params.clear();
    plan.target.path = path;
    return plan;
}

bool says(const Faults& faults, const char* where, const char* part)
{
    return std::ranges::any_of(
        faults, [&](const Fault& one) { return one.where == where && one.what.find(part) != std::string::npos; });
}

double cpuOf(const RunSummary& run, const std::string& process)
{
    const auto found = std::ranges::find(run.processes, process, &ProcessUse::name);
    return found == run.processes.end() ? -1 : found->cores;
}

//! Kills the proxy as soon as the users work.
class KillingSink final : public RecordingSink
{
public:
    void onSample(const IntervalSample& sample) override
    {
        RecordingSink::onSample(sample);
        if (m_killed || runs.empty() || sample.transaction.count == 0)
            return;
        for (const fs::directory_entry& one : fs::directory_iterator("/proc")) {
            const std::string pid = one.path().filename().string();
            std::ifstream in(one.path() / "cmdline", std::ios::binary);
            const std::string command((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
            if (pid.find_first_not_of("0123456789") == std::string::npos && command.find(folder) != std::string::npos &&
                command.find("proxy.cfg") != std::string::npos)
                m_killed = ::kill(pid_t(std::stol(pid)), SIGKILL) == 0;
        }
    }
    std::string folder;

private:
    bool m_killed = false;
};

} // namespace

class TestUserPath : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    bool m_hasServer = false, m_hasProxy = false;

    RunnerOptions options() const
    {
        RunnerOptions result;
        result.workDir = m_dir.path().toStdString();
        result.consent.allow("all");
        return result;
    }
    static Plan managedPlan(const std::string& uri, const std::string& path)
    {
        Plan plan = planWith(uri, path);
        plan.workload.params["tables"] = std::int64_t(1);
        for (const auto& [name, value] : uri.starts_with("managed:m") ? smallKnobs() : Settings()) // of InnoDB
            plan.set["server." + name] = value;
        return plan;
    }

private slots:
    void initTestCase()
    {
        m_hasServer = findServer({}).has_value();
        m_hasProxy = !missingProxy("haproxy");
        shareTemplates(m_dir.path());
    }

    void paths_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("kind"); // "" = none
        QTest::newRow("direct") << "direct"
                                << "direct";
        QTest::newRow("empty") << ""
                               << "direct";
        QTest::newRow("proxy") << "haproxy"
                               << "haproxy";
        QTest::newRow("host") << "db.example:6033"
                              << "db.example:6033";
        QTest::newRow("IPv4") << "127.0.0.1:1"
                              << "127.0.0.1:1";
        QTest::newRow("IPv6") << "[::1]:6033"
                              << "[::1]:6033";
        QTest::newRow("socket") << "/run/a b.sock"
                                << "/run/a b.sock";
        QTest::newRow("unknown proxy") << "hproxy"
                                       << "";
        QTest::newRow("no port") << "db.example"
                                 << "";
        QTest::newRow("port 0") << "db.example:0"
                                << "";
        QTest::newRow("large port") << "db.example:65536"
                                    << "";
        QTest::newRow("options in the host") << "a;plugin-dir=x:1"
                                             << "";
        QTest::newRow("line break") << "/run/a\nstats"
                                    << "";
        QTest::newRow("relative") << "run/a.sock"
                                  << "";
        QTest::newRow("too long") << QString(108, '/') << "";
        QTest::newRow("brackets") << "[x]:1"
                                  << "";
    }
    void paths()
    {
        QFETCH(QString, text);
        QFETCH(QString, kind);
        const auto path = parsePath(text.toStdString());
        QCOMPARE(path.has_value(), !kind.isEmpty());
        if (!path) {
            QVERIFY(path.error().remedy.find("haproxy") != std::string::npos);
            return;
        }
        const std::string found = path->kind == TargetPath::Kind::Direct  ? kDirectPath
                                  : path->kind == TargetPath::Kind::Proxy ? path->proxy
                                                                          : path->address.display();
        QCOMPARE(found, kind.toStdString());
    }

    //! Reader, writer, --set, cases; a plan without the field reads as direct, and is written without it.
    void plansHoldIt()
    {
        Plan plan = planWith("mysql://root@127.0.0.1:3306/test", "haproxy");
        const std::string text = writePlan(plan);
        QVERIFY(text.find("path = \"haproxy\"") != std::string::npos);
        const ParsedPlan read = parsePlan(text, "plan");
        QVERIFY(read.plan);
        QCOMPARE(read.plan->target.path, std::string("haproxy"));
        QVERIFY(setField(plan, "target.path", "direct"));
        const std::string direct = writePlan(plan);
        QVERIFY(direct.find("path") == std::string::npos);
        QCOMPARE(parsePlan(direct, "plan").plan->target.path, std::string(kDirectPath));
        QVERIFY(!setField(plan, "target.path", "nonsense"));
        plan.axes.push_back({"path",
                             {{"direct", {{"target.path", std::string("direct")}}, 0},
                              {"proxy", {{"target.path", std::string("haproxy")}}, 0}}});
        QVERIFY(checkPlan(plan).empty());
        const Expansion expansion = expand(plan);
        QCOMPARE(expansion.points.size(), std::size_t(2));
        QCOMPARE(expansion.points[0].target.path, std::string(kDirectPath));
        QCOMPARE(expansion.points[1].target.path, std::string("haproxy"));
        QCOMPARE(targetText(expansion.points[1].target),
                 std::string("mysql://root@127.0.0.1:3306/test through HAProxy"));
        QCOMPARE(targetText(expansion.points[0].target), std::string("mysql://root@127.0.0.1:3306/test"));
    }

    void faults_data()
    {
        QTest::addColumn<QString>("uri");
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("part"); // "" = none
        QTest::newRow("file") << "sqlite:"
                              << "haproxy"
                              << "has no server";
        QTest::newRow("null") << "null:"
                              << "haproxy"
                              << "has no server";
        QTest::newRow("finds its servers") << "mongodb://127.0.0.1:27017/t"
                                           << "haproxy"
                                           << "find their servers";
        QTest::newRow("unknown place") << "mysql://root@localhost/t"
                                       << "haproxy"
                                       << "where";
        QTest::newRow("socket") << "mysql://root@localhost/t?socket=/run/s"
                                << "haproxy"
                                << "";
        QTest::newRow("usual port") << "mysql://root@db.example/t"
                                    << "haproxy"
                                    << "";
        QTest::newRow("address") << "mysql://root@localhost/t"
                                 << "127.0.0.1:6033"
                                 << "";
        QTest::newRow("address before ours") << "managed:mariadb"
                                             << "127.0.0.1:6033"
                                             << "started for the session";
        QTest::newRow("managed") << "managed:mariadb"
                                 << "haproxy"
                                 << "";
        QTest::newRow("nonsense") << "managed:mariadb"
                                  << "nonsense"
                                  << "not a path";
    }
    void faults()
    {
        QFETCH(QString, uri);
        QFETCH(QString, path);
        QFETCH(QString, part);
        const Faults found = checkPlan(planWith(uri.toStdString(), path.toStdString()));
        if (part.isEmpty())
            QVERIFY2(found.empty(), found.empty() ? "" : found.front().what.c_str());
        else
            QVERIFY(says(found, "target.path", part.toStdString().c_str()));
    }

    //! An address is asked about like the target itself, and never looked at before that; a proxy of ours is not.
    void addressesAreAskedAbout()
    {
        const std::string uri = "mysql://root@db.example:3306/t";
        QVERIFY(risksOf(planWith(uri, "haproxy")).empty());
        const Plan plan = planWith(uri, "evil.example:3306");
        const std::vector<Risk> risks = risksOf(plan);
        QCOMPARE(risks.size(), std::size_t(1));
        QCOMPARE(risks[0].key, std::string(kPathKey));
        QCOMPARE(risks[0].value, std::string("evil.example:3306"));
        QVERIFY(!risks[0].atLook && risks[0].wants.find("db.example") != std::string::npos);
        QVERIFY(refusalOf(plan, Consent()));
        Plan inCase = planWith(uri, "direct");
        inCase.axes.push_back({"path", {{"a", {{"target.path", std::string("evil.example:3306")}}, 0}}});
        QCOMPARE(risksOf(inCase).size(), std::size_t(1));
        // Typed, it is agreed to; what stands in the file as well is not.
        QVERIFY(!refusalOf(plan, typedIn(planWith(uri, "direct"), plan)));
        QVERIFY(refusalOf(plan, typedIn(plan, plan)));
    }

    void whereServersListen()
    {
        const auto place = [](const char* text) { return endpointOf(*parseUri(text)); };
        QCOMPARE(place("mysql://u@h:3307/d")->display(), std::string("h:3307"));
        QCOMPARE(place("mysql://u@h/d")->display(), std::string("h:3306"));
        QCOMPARE(place("mysql://u@localhost/d?socket=/run/s")->display(), std::string("/run/s"));
        QVERIFY(!place("mysql://u@localhost/d"));
        QVERIFY(!place("sqlite:a.db"));
        TargetUri uri = *parseUri("mysql://u@h:3307/d?tls=required");
        setEndpoint(uri, {{}, 0, "/tmp/x"});
        QCOMPARE(endpointOf(uri)->display(), std::string("/tmp/x"));
        setEndpoint(uri, {"127.0.0.1", 9});
        QCOMPARE(uri.display(), std::string("mysql://u@127.0.0.1:9/d?tls=required"));
    }

    //! What the configuration holds is one word of it, whatever it is called.
    void configurationIsQuoted()
    {
        const ProxyRecipe* recipe = proxyRecipeFor("haproxy");
        QVERIFY(recipe && recipe->speaks("mysql"));
        const std::string text =
            recipe->configuration({{{}, 0, "/tmp/a b's"}, {"db.example", 3306}, ConnectTarget(), 1024});
        QVERIFY2(text.find("bind 'unix@/tmp/a b'\\''s' mode 600\n") != std::string::npos, text.c_str());
        QVERIFY(text.find("server target 'db.example:3306'\n") != std::string::npos);
        QVERIFY(text.find("maxconn 1024\n") != std::string::npos && text.find("mode tcp") != std::string::npos);
        QVERIFY(text.find("stats") == std::string::npos);
        QVERIFY(text.find("noreuseport\n") != std::string::npos); // nobody else shares its port
        QCOMPARE(recipe->readVersion("HA-Proxy version 2.2.9-2+deb11u6 2023/12/14\n"), std::string("2.2.9-2+deb11u6"));
        QCOMPARE(recipe->readVersion("HAProxy version 2.6.12-1 2023/01/01 - https://haproxy.org/\n"),
                 std::string("2.6.12-1"));
        QVERIFY(recipe->readVersion("something else 1.0").empty());
    }

    //! A path is percent-encoded where a list of servers stands, so it stays one server.
    void routerIsToldOneServer()
    {
        const ProxyRecipe* recipe = proxyRecipeFor("mysqlrouter");
        QVERIFY(recipe && recipe->speaks("mysql") && !recipe->speaks("mongodb"));
        const std::string local =
            recipe->configuration({{{}, 0, "/tmp/p.sock"}, {{}, 0, "/tmp/a b,c%"}, ConnectTarget(), 2048});
        QVERIFY2(local.find("\nsocket = /tmp/p.sock\n") != std::string::npos, local.c_str());
        QVERIFY2(local.find("\ndestinations = local:/tmp/a%20b%2Cc%25\n") != std::string::npos, local.c_str());
        QVERIFY(local.find("max_total_connections = 2048\n") != std::string::npos);
        QVERIFY(local.find("bind") == std::string::npos && local.find("http") == std::string::npos);
        const std::string remote = recipe->configuration({{"127.0.0.1", 4000}, {"::1", 3306}, ConnectTarget(), 1024});
        QVERIFY2(remote.find("\nbind_address = 127.0.0.1\nbind_port = 4000\ndestinations = [::1]:3306\n") !=
                     std::string::npos,
                 remote.c_str());
        QCOMPARE(recipe->readVersion("MySQL Router  Ver 9.7.4-2 for Linux on x86_64 ((Debian))\n"),
                 std::string("9.7.4-2"));
        QVERIFY(recipe->readVersion("mysql  Ver 8.0.31 for Linux").empty());
    }

    void aMissingProxyIsNamed()
    {
        const ProxyRecipe* recipe = proxyRecipeFor("haproxy");
        VERIFY_SAYS(findProxy(*recipe, {}), "found no HAProxy (haproxy)");
        QVERIFY(findProxy(*recipe, {}).error().remedy.find("install the package haproxy") != std::string::npos);
        // A program of that name that is another one.
        QTemporaryDir dir;
        const fs::path other = fs::path(dir.path().toStdString()) / "haproxy";
        std::ofstream(other) << "#!/bin/sh\necho something else 1.0\n";
        fs::permissions(other, fs::perms::owner_all);
        VERIFY_SAYS(findProxy(*recipe, {other.parent_path()}), "found no HAProxy");
    }

    //! A point and a run that were stored before paths and processes were kept read as direct and without; those of
    //! today come back as they were.
    void storedPointsAndRuns()
    {
        PointSpec point;
        point.target.uri = "managed:mariadb";
        const std::string direct = codec::write(point);
        QVERIFY(direct.find("\"path\"") == std::string::npos);
        QCOMPARE(codec::readPoint(direct).target.path, std::string(kDirectPath));
        point.target.path = "haproxy";
        QCOMPARE(codec::readPoint(codec::write(point)).target.path, std::string("haproxy"));
        RunSummary run;
        QVERIFY(codec::readSummary(codec::write(run)).processes.empty());
        run.processes = {{kGeneratorProcess, 0.5}, {"HAProxy", 0.25}};
        const RunSummary read = codec::readSummary(codec::write(run));
        QCOMPARE(read.processes.size(), std::size_t(2));
        QCOMPARE(read.processes[1].name, std::string("HAProxy"));
        QCOMPARE(read.processes[1].cores, 0.25);
    }

    //! By a summary's intervals: the generator, the server and the proxy, each with the cores that it kept busy.
    void processesAreSummedUp()
    {
        SummaryBuilder builder({{"read", OpClass::Read}});
        std::vector<CounterInfo> counters = {{"server", "threads", "threads", false}};
        for (const char* source : {kProcessSource, "HAProxy process"})
            counters.push_back({source, kProcessCpu, "cores", false});
        builder.setCounters(counters);
        IntervalSample sample;
        sample.lengthNs = 2'000'000'000;
        sample.client.cpuSeconds = 1;
        sample.counters = {7, 1.5, 0.25};
        builder.add(sample);
        sample.counters = {7, 0.5, std::numeric_limits<double>::quiet_NaN()};
        builder.add(sample);
        const RunSummary run = builder.summary();
        QCOMPARE(run.processes.size(), std::size_t(3));
        QCOMPARE(run.processes[0].name, std::string(kGeneratorProcess));
        QCOMPARE(run.processes[0].cores, 0.5);
        QCOMPARE(cpuOf(run, "server"), 1.0);
        QCOMPARE(cpuOf(run, "HAProxy"), 0.25);
        QCOMPARE(measureOf(run, {}, "process_cpu:HAProxy"), std::optional(0.25));
        QCOMPARE(measureOf(run, {}, "process_cpu"), std::optional(1.75));
        QVERIFY(!measureOf(run, {}, "process_cpu:nobody"));
    }

    //! A series a path, a facet a process: what one of them does not have stays empty.
    void processesAreAnAxis()
    {
        StoredSession session;
        session.info.title = "paths";
        for (const char* path : {"direct", "haproxy"}) {
            PointSpec point;
            point.cases = {{"path", path}};
            session.header.points.push_back(point);
            StoredRun run;
            run.summary.status = RunStatus::Done;
            run.summary.point = run.header.point = int(session.header.points.size()) - 1;
            run.summary.processes = {{kGeneratorProcess, 0.5}, {"server", 1.5}};
            if (session.header.points.size() == 2)
                run.summary.processes.push_back({"HAProxy", 0.25});
            session.runs.push_back(run);
        }
        const std::vector<std::string> axes = pivotAxesOf({session});
        QVERIFY(std::ranges::count(axes, kProcessAxis) == 1);
        const Pivot shown = pivot({session}, {.measure = "tps", .x = "users", .series = "path", .facet = "process"});
        QCOMPARE(shown.request.measure, std::string("process_cpu"));
        QCOMPARE(shown.facets, (std::vector<std::string>{kGeneratorProcess, "server", "HAProxy"}));
        const auto figure = [&shown](const char* path, const char* process) {
            const PivotCell* cell = shown.cell("1", path, process);
            return cell && !cell->estimate.runs.empty() ? cell->estimate.mean : -1;
        };
        QCOMPARE(figure("haproxy", "HAProxy"), 0.25);
        QCOMPARE(figure("haproxy", "server"), 1.5);
        QCOMPARE(figure("direct", kGeneratorProcess), 0.5);
        QCOMPARE(figure("direct", "HAProxy"), -1.0);
        QCOMPARE(measureParts("process_cpu", {session}), shown.facets);
    }

    //! On a socket and on TCP: the users go through it, its process is measured, what it was told is recorded; and the
    //! axis of processes lays them out.
    void usersGoThroughAProxy_data()
    {
        QTest::addColumn<QString>("proxy");
        QTest::addColumn<QString>("uri");
        QTest::addColumn<QString>("bind");
        QTest::newRow("HAProxy, socket") << "haproxy"
                                         << "managed:mariadb"
                                         << "bind 'unix@/";
        QTest::newRow("HAProxy, TCP") << "haproxy"
                                      << "managed:mariadb?transport=tcp"
                                      << "bind '127.0.0.1:";
        QTest::newRow("MySQL Router, socket") << "mysqlrouter"
                                              << "managed:mariadb"
                                              << "socket = /";
        QTest::newRow("MySQL Router, TCP") << "mysqlrouter"
                                           << "managed:mariadb?transport=tcp"
                                           << "bind_address = 127.0.0.1\nbind_port = ";
        QTest::newRow("MySQL Router before MySQL")
            << "mysqlrouter"
            << QString::fromStdString(managedUri("mysql", {{"basedir", basedirIn("DYNO_TEST_MYSQL80")}}).display())
            << "socket = /";
        const fs::path clickhouse = basedirIn("DYNO_TEST_CLICKHOUSE"); // its program
        QTest::newRow("HAProxy before ClickHouse")
            << "haproxy"
            << QString::fromStdString(
                   managedUri("clickhouse", {{"basedir", clickhouse.parent_path().string()}}).display())
            << "bind '127.0.0.1:";
    }
    void usersGoThroughAProxy()
    {
        QFETCH(QString, proxy);
        QFETCH(QString, uri);
        QFETCH(QString, bind);
        const std::string id = proxy.toStdString(), name = pathName(id);
        if (const auto missing = missingProxy(id))
            QSKIP(missing->text().c_str());
        if (const auto missing = findServer(wishOf(*parseUri(uri.toStdString()))); !missing)
            QSKIP(missing.error().text().c_str());
        Plan plan = managedPlan(uri.toStdString(), "direct");
        plan.load.timeSeconds = 1;
        plan.load.intervalSeconds = 0.25;
        plan.load.repeats = 2;
        plan.load.order = RunOrder::Interleaved;
        plan.load.users = {4};
        if (uri.contains("tcp"))
            plan.set["connection.tls"] = std::string("verify");
        plan.axes.push_back(
            {"path", {{"direct", {{"target.path", std::string("direct")}}, 0}, {"proxy", {{"target.path", id}}, 0}}});
        RecordingSink sink;
        runPlan(plan, options(), sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        QCOMPARE(sink.summaries.size(), std::size_t(4));
        for (std::size_t i = 0; i < sink.summaries.size(); ++i) {
            const RunSummary& run = sink.summaries[i];
            const bool through = run.point == 1;
            QVERIFY(run.transactions > 0 && run.failed == 0 && run.reconnects == 0);
            QCOMPARE(run.processes.size(), std::size_t(through ? 3 : 2));
            QVERIFY(cpuOf(run, "server") > 0);
            QCOMPARE(cpuOf(run, name) > 0, through);
            const RunHeader& header = sink.runs[i];
            QCOMPARE(header.effective.contains("target.path"), through);
            QCOMPARE(header.optionFile.find(bind.toStdString()) != std::string::npos, through);
            const auto noted = std::ranges::any_of(sink.events[i], [&name](const RunEvent& event) {
                return event.text.starts_with("users go through " + name + ' ');
            });
            QCOMPARE(noted, through);
            if (through)
                QVERIFY(toText(header.effective.at("target.path")).starts_with(name + ' '));
        }
        // Nothing is left of them.
        const fs::path managed = fs::path(m_dir.path().toStdString()) / "managed";
        for (const fs::directory_entry& one : fs::directory_iterator(managed))
            QVERIFY2(one.path().filename().string().find(id) == std::string::npos, one.path().c_str());
    }

    void links_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("rate");
        QTest::addColumn<double>("delay");
        QTest::addColumn<QString>("name");
        const auto row = [](const char* text, double rate, double delay, const char* name) {
            QTest::newRow(text) << text << rate << delay << name;
        };
        row("link", 0, 0, "a network link");
        row("link:1Gbit", 1e9, 0, "a network link of 1 Gbit/s");
        row("link:2.5Gbit", 2.5e9, 0, "a network link of 2.5 Gbit/s");
        row("link:100Mbit/5ms", 1e8, 5, "a network link of 100 Mbit/s with 5 ms more a round trip");
        row("link:200us", 0, 0.2, "a network link with 200 µs more a round trip");
        row("link:56kbit", 56e3, 0, "a network link of 56 kbit/s");
    }
    void links()
    {
        QFETCH(QString, text);
        QFETCH(double, rate);
        QFETCH(double, delay);
        QFETCH(QString, name);
        const auto path = parsePath(text.toStdString());
        VERIFY_OK(path);
        QCOMPARE(path->kind, TargetPath::Kind::Link);
        QCOMPARE(path->link.bitsPerSecond, rate);
        QCOMPARE(path->link.delayMs, delay);
        QCOMPARE(QString::fromStdString(linkText(path->link)), text);
        QCOMPARE(QString::fromStdString(pathName(text.toStdString())), name);
    }

    void linksThatAreNone()
    {
        for (const char* text :
             {"link:", "link:fast", "link:1Gbit/", "link:/5ms", "link:-1Gbit", "link:0Mbit", "link:5ms/1Gbit",
              "link:1Gbit/5ms/5ms", "link:1e99Gbit", "link:nanGbit", "link:infms", "link:20000ms", "link:1Gbits"}) {
            const auto path = parsePath(text);
            QVERIFY2(!path, text);
            QVERIFY2(path.error().remedy.find("link:1Gbit") != std::string::npos, path.error().remedy.c_str());
        }
        // A host may have that name.
        const auto host = parsePath("link:3306");
        VERIFY_OK(host);
        QCOMPARE(host->kind, TargetPath::Kind::Address);
        // Only what is started here, and by TCP, can be put at the end of one.
        QVERIFY(checkPlan(planWith("managed:mariadb?transport=tcp", "link:1Gbit")).empty());
        for (const auto& [uri, remedy] : {std::pair{"managed:mariadb", "managed:mariadb?transport=tcp"},
                                          {"mysql://ann@db1:3306/x", "by hand: tc"}}) {
            const Faults faults = checkPlan(planWith(uri, "link:1Gbit"));
            QVERIFY2(says(faults, "target.path", "is not reached by a network link"), uri);
            QVERIFY2(faults.front().remedy.find(remedy) != std::string::npos, faults.front().remedy.c_str());
        }
    }

    //! The server is at the other end in those points alone; the rate holds for users and not for the load; TLS is
    //! verified for its address; nothing is left of it.
    void usersComeByALink_data()
    {
        QTest::addColumn<QString>("uri");
        QTest::newRow("MariaDB") << "managed:mariadb?transport=tcp";
        if (const std::string folder = basedirIn("DYNO_TEST_POSTGRESQL"); !folder.empty())
            QTest::newRow("PostgreSQL") << QString::fromStdString(
                managedUri("postgresql", {{"basedir", folder}, {"transport", "tcp"}}).display());
    }
    void usersComeByALink()
    {
        QFETCH(QString, uri);
        if (const std::string why = whyNoLinks(); !why.empty())
            QSKIP(why.c_str());
        if (const auto missing = findServer(wishOf(*parseUri(uri.toStdString()))); !missing)
            QSKIP(missing.error().text().c_str());
        Plan plan = planWith(uri.toStdString(), "direct");
        plan.workload.name = "oltp_read_only";
        plan.workload.params = {{"tables", std::int64_t(1)}, {"table_size", std::int64_t(2000)}};
        if (uri.contains("mariadb")) {
            for (const auto& [name, value] : smallKnobs())
                plan.set["server." + name] = value;
        }
        plan.set["connection.tls"] = std::string("verify");
        plan.load.timeSeconds = 1.5;
        plan.load.intervalSeconds = 0.25;
        plan.load.users = {4};
        plan.axes.push_back({"path",
                             {{"direct", {{"target.path", std::string("direct")}}, 0},
                              {"slow", {{"target.path", std::string("link:2Mbit")}}, 0}}});
        RecordingSink sink;
        runPlan(plan, options(), sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        QCOMPARE(sink.summaries.size(), std::size_t(2));
        for (std::size_t i = 0; i < sink.summaries.size(); ++i) {
            const RunSummary& run = sink.summaries[i];
            const bool slow = run.point == 1;
            QVERIFY(run.transactions > 0 && run.failed == 0 && run.reconnects == 0);
            QCOMPARE(sink.runs[i].effective.contains("target.path"), slow);
            const auto& told = sink.runs[i].counters;
            const auto link = std::ranges::find(told, kLinkReceived, &CounterInfo::name);
            QCOMPARE(link != told.end(), slow);
            if (!slow)
                continue;
            QCOMPARE(toText(sink.runs[i].effective.at("target.path")), std::string("a network link of 2 Mbit/s"));
            // A transaction reads 404 rows of more than 120 bytes: whatever the machine, no more fit through. (The
            // queue may hold a burst of 64 KiB more.)
            const double bytes = double(run.transactions) * 404 * 120;
            QVERIFY2(bytes <= 2e6 / 8 * (run.seconds + 1) + 65'536 * 2, qPrintable(QString::number(bytes)));
            // What passed is counted at the users' end, interval by interval, and is no more either.
            double passed = 0;
            for (const IntervalSample& one : sink.samples[i]) {
                const double received = one.counters.at(std::size_t(link - told.begin()));
                passed += std::isfinite(received) ? received * double(one.lengthNs) * 1e-9 : 0;
            }
            QVERIFY2(passed > bytes / 2 && passed <= 2e6 / 8 * (run.seconds + 1) + 65'536 * 2,
                     qPrintable(QString::number(passed)));
        }
        const std::string ours = "dynobench-" + std::to_string(::getpid()) + "-";
        QVERIFY(!std::ranges::any_of(fs::directory_iterator("/run/netns"), [&ours](const fs::directory_entry& one) {
            return one.path().filename().string().starts_with(ours);
        }));
    }

    void aKilledProxyIsNamed()
    {
        if (!m_hasServer || !m_hasProxy)
            QSKIP("no MariaDB server or no HAProxy is installed");
        Plan plan = managedPlan("managed:mariadb", "haproxy");
        plan.load.timeSeconds = 60;
        plan.load.intervalSeconds = 0.1;
        KillingSink sink;
        sink.folder = m_dir.path().toStdString();
        runPlan(plan, options(), sink);
        QCOMPARE(sink.summaries.size(), std::size_t(1));
        const RunSummary& run = sink.summaries.front();
        QCOMPARE(run.status, RunStatus::Failed);
        QVERIFY2(run.reason.find("HAProxy ended in the middle of the run: killed by signal 9") != std::string::npos,
                 run.reason.c_str());
        QVERIFY2(run.remedy.find("starts HAProxy again") != std::string::npos, run.remedy.c_str());
        QVERIFY(run.seconds < 30);
    }

    //! Loading, facts and counters go to the server; an address before it sees the users, and a look before the load
    //! and before they come.
    void onlyUsersGoToAnAddress()
    {
        MariadbFixture server;
        if (const std::string why = MariadbFixture::whyMissing(true); !why.empty())
            QSKIP(why.c_str());
        VERIFY_OK(server.startOnNetwork({}));
        FaultProxy before;
        VERIFY_OK(before.start({.port = server.uri().port}));
        Plan plan = planWith(server.uriText(), "127.0.0.1:" + std::to_string(before.port()));
        plan.workload.prepare = PreparePolicy::Auto;
        plan.workload.params["tables"] = std::int64_t(2);
        plan.load.users = {5};
        plan.load.timeSeconds = 0.5;
        RecordingSink sink;
        runPlan(plan, options(), sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        QCOMPARE(before.facts().accepted, std::uint64_t(5 + 2));
        QCOMPARE(toText(sink.runs.front().effective.at("target.path")), plan.target.path);
        QVERIFY(!sink.runs.front().counters.empty());
        // Nobody listens there any more: nothing is measured, and the error says which way was tried.
        before.stop();
        RecordingSink second;
        runPlan(plan, options(), second);
        QCOMPARE(second.session.status, RunStatus::Failed);
        QVERIFY2(second.session.reason.find("through " + plan.target.path) != std::string::npos,
                 second.session.reason.c_str());
    }

    //! It is tried before anything is loaded, by pre-flight too, but not before somebody has agreed to it.
    void aDeadPathIsFoundBeforeTheLoad()
    {
        MariadbFixture server;
        if (const std::string why = MariadbFixture::whyMissing(true); !why.empty())
            QSKIP(why.c_str());
        VERIFY_OK(server.startOnNetwork({}));
        FaultProxy before;
        VERIFY_OK(before.start({.port = server.uri().port}));
        Plan plan = planWith(server.uriText(), "127.0.0.1:" + std::to_string(before.port()));
        plan.workload.prepare = PreparePolicy::Auto;
        const auto item = [&plan](const RunnerOptions& options) {
            const auto reports = preflight(plan, options);
            PreflightItem found;
            found.id = reports ? "none" : reports.error().text();
            for (const PreflightItem& one : reports ? reports->front().items : std::vector<PreflightItem>()) {
                if (one.id == "users_path")
                    found = one;
            }
            return found;
        };
        QCOMPARE(item({}).id, std::string("none")); // not agreed
        QCOMPARE(before.facts().accepted, std::uint64_t(0));
        QCOMPARE(item(options()).id, std::string("users_path"));
        QCOMPARE(item(options()).level, PreflightLevel::Ok);
        QVERIFY(before.facts().accepted > 0);
        // Behind a proxy the server says the number of its thread, and has no end of the connection.
        auto direct = server.admin();
        VERIFY_OK(direct);
        const LocalServer known = localServer(**direct);
        QVERIFY2(known.process > 0, known.unseen.c_str());
        const auto file = (*direct)->query("SELECT @@pid_file");
        VERIFY_OK(file);
        std::string number;
        std::ifstream(file->front().front()) >> number;
        QCOMPARE(std::to_string(known.process), number);
        ConnectTarget behind = *server.target();
        behind.uri.port = before.port();
        auto through = driverFor("mysql")->admin(behind);
        VERIFY_OK(through);
        QVERIFY(servingThread(**through) > 0);
        const LocalServer unseen = localServer(**through);
        QVERIFY2(unseen.process == 0 && unseen.unseen.starts_with("no process mariadbd or mysqld of this machine"),
                 unseen.unseen.c_str());
        Plan hidden = planWith(behind.uri.display(), std::string(kDirectPath));
        hidden.views.emplace_back().measure = kServerInstructionsPerOp;
        const auto reports = preflight(hidden, options());
        const auto uncounted = [](const auto& found) {
            std::string text;
            for (const PreflightItem& one : found ? found->front().items : std::vector<PreflightItem>())
                text += one.id == "processor_counters" && one.level == PreflightLevel::Warning ? one.what : "";
            return text;
        };
        QVERIFY2(uncounted(reports).find(unseen.unseen) != std::string::npos, uncounted(reports).c_str());
        hidden.load.counters = false;
        const std::string unasked = uncounted(preflight(hidden, options()));
        QVERIFY2(unasked.find("load.counters is false") != std::string::npos, unasked.c_str());
        QVERIFY(reports && std::ranges::any_of(reports->front().items, [](const PreflightItem& one) {
                    return one.id == "server_process" && one.level == PreflightLevel::Note;
                }));
        through->reset();
        before.stop();
        const PreflightItem dead = item(options());
        QCOMPARE(dead.id, std::string("users_path"));
        QCOMPARE(dead.level, PreflightLevel::Blocker);
        QVERIFY2(dead.what.starts_with("through " + plan.target.path) && dead.remedy.starts_with("target.path = "),
                 (dead.what + " / " + dead.remedy).c_str());
        RecordingSink sink;
        runPlan(plan, options(), sink);
        QCOMPARE(sink.session.status, RunStatus::Failed);
        QCOMPARE(sink.summaries.front().place, std::string("while bringing up the users' path"));
        auto admin = server.admin();
        VERIFY_OK(admin);
        const auto columns = (*admin)->describe("sbtest1");
        QVERIFY(columns && columns->empty());
    }

    //! A path that is down takes nothing from the runs that go by another.
    void aDeadPathLeavesTheOthers()
    {
        MariadbFixture server;
        if (const std::string why = MariadbFixture::whyMissing(true); !why.empty())
            QSKIP(why.c_str());
        VERIFY_OK(server.startOnNetwork({}));
        Plan plan = planWith(server.uriText(), "direct");
        plan.workload.prepare = PreparePolicy::Auto;
        plan.load.users = {2};
        plan.load.timeSeconds = 0.3;
        plan.load.repeats = 2;
        const int nobody = freeLocalPort();
        plan.axes.push_back({"path",
                             {{"dead", {{"target.path", fmt::format("127.0.0.1:{}", nobody)}}, 0},
                              {"direct", {{"target.path", std::string("direct")}}, 0}}});
        RecordingSink sink;
        runPlan(plan, options(), sink);
        QCOMPARE(sink.session.status, RunStatus::Failed);
        int measured = 0;
        for (const RunSummary& run : sink.summaries) {
            QCOMPARE(run.status, run.point == 0 ? RunStatus::Failed : RunStatus::Done);
            measured += run.point == 1 && run.transactions > 0 ? 1 : 0;
        }
        QCOMPARE(measured, 2);
    }

    //! Where a path leads to another server, what others have there is theirs.
    void aPathToAnotherServerWritesNothing()
    {
        MariadbFixture server, other;
        if (const std::string why = MariadbFixture::whyMissing(true); !why.empty())
            QSKIP(why.c_str());
        VERIFY_OK(server.startOnNetwork({}));
        VERIFY_OK(other.startOnNetwork({}));
        auto admin = other.admin();
        VERIFY_OK(admin);
        VERIFY_OK((*admin)->execute("CREATE DATABASE IF NOT EXISTS " + server.database()));
        const std::string table = server.database() + ".sbtest1";
        VERIFY_OK((*admin)->execute("DROP TABLE IF EXISTS " + table));
        VERIFY_OK(
            (*admin)->execute("CREATE TABLE " + table + " (id INT PRIMARY KEY, k INT, c CHAR(120), pad CHAR(60))"));
        VERIFY_OK((*admin)->execute("INSERT INTO " + table + " SELECT seq, 0, '', '' FROM seq_1_to_1000"));
        Plan plan = smallPlan(server.uriText(), "oltp_update_index");
        plan.target.path = fmt::format("127.0.0.1:{}", other.uri().port);
        plan.workload.prepare = PreparePolicy::Auto;
        plan.load.users = {2};
        plan.load.timeSeconds = 0.3;
        RunnerOptions agreed = options();
        agreed.consent = {};
        agreed.consent.allow(std::string(kPathKey)); // the path, and nothing of what is done there
        const auto reports = preflight(plan, agreed);
        QVERIFY(reports && std::ranges::any_of(reports->front().risks, [&plan](const Risk& risk) {
                    return toText(risk).find(plan.target.path) != std::string::npos;
                }));
        RecordingSink sink;
        runPlan(plan, agreed, sink);
        QCOMPARE(sink.session.status, RunStatus::Failed);
        QVERIFY2(sink.session.reason.find("what you have not allowed") != std::string::npos,
                 sink.session.reason.c_str());
        const auto sum = (*admin)->query("SELECT SUM(k) FROM " + table);
        QVERIFY(sum && sum->front().front() == "0");
    }

    //! Over a proxy of this machine to another one the rules of a network hold, though the address is loopback.
    void loopbackIsNoExcuse()
    {
        ConnectTarget target;
        target.uri = *parseUri("mysql://u@127.0.0.1:3306/d");
        QVERIFY(isLocal(target));
        target.distant = true;
        QVERIFY(!isLocal(target));
        Driver* driver = driverFor("mysql");
        if (!driver)
            QSKIP("this build has no driver");
        MariadbFixture server;
        if (const std::string why = MariadbFixture::whyMissing(true); !why.empty())
            QSKIP(why.c_str());
        VERIFY_OK(server.startOnNetwork({}));
        ConnectTarget plain = *server.target();
        VERIFY_OK(driver->admin(plain));
        plain.distant = true;
        VERIFY_SAYS(driver->admin(plain), "TLS"); // verified by default: this server has none
    }

    //! A certificate is for the server's name, not for the address before it: that is the path's matter, not the URI's.
    void aCertificateOfAnotherName()
    {
        MariadbFixture server;
        if (const std::string why = MariadbFixture::whyMissing(true); !why.empty())
            QSKIP(why.c_str());
        VERIFY_OK(server.startOnNetwork({.tls = true, .options = {"--tls-version=TLSv1.2"}}));
        Plan plan = planWith(fmt::format("mysql://root@localhost:{}/{}?tls=verify&tls_ca={}&tls_min_version=1.2",
                                         server.uri().port, server.database(), server.certificates().ca.string()),
                             fmt::format("127.0.0.1:{}", server.uri().port));
        plan.workload.prepare = PreparePolicy::Auto;
        plan.load.timeSeconds = 0.2;
        RecordingSink sink;
        runPlan(plan, options(), sink);
        QCOMPARE(sink.session.status, RunStatus::Failed);
        const std::string reason = sink.session.reason;
        QVERIFY2(reason.starts_with("through 127.0.0.1:") || reason.find(": through 127.0.0.1:") != std::string::npos,
                 reason.c_str());
        const std::string remedy =
            fmt::format("target.path = \"{}\": the certificate is not for the name \"127.0.0.1\"", plan.target.path);
        QVERIFY2(reason.find(remedy) != std::string::npos, reason.c_str());
        plan.target.path = fmt::format("localhost:{}", server.uri().port);
        RecordingSink good;
        runPlan(plan, options(), good);
        QVERIFY2(good.session.status == RunStatus::Done, good.session.reason.c_str());
    }

    //! SIGINT, and the end that nobody can handle: no proxy and no folder of one stays.
    void nothingStaysBehind_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("SIGINT") << SIGINT;
        QTest::newRow("SIGKILL") << SIGKILL;
    }
    void nothingStaysBehind()
    {
        QFETCH(int, signal);
        if (!m_hasServer || !m_hasProxy)
            QSKIP("no MariaDB server or no HAProxy is installed");
        QTemporaryDir dir;
        QProcess process;
        prepareDyno(process, dir,
                    {"run", "--target", "managed:mariadb", "--path", "haproxy", "--workload", "oltp_point_select",
                     "--param", "tables=1", "--param", "table_size=100", "--knob",
                     "server.innodb_buffer_pool_size=33554432", "--time", "60", "--library",
                     dir.filePath("l.dynolib")});
        process.start();
        QVERIFY(process.waitForStarted());
        const auto proxies = [&dir] {
            int count = 0;
            for (const fs::directory_entry& one : fs::directory_iterator("/proc")) {
                std::ifstream in(one.path() / "cmdline", std::ios::binary);
                const std::string command((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
                count += command.find(dir.path().toStdString()) != std::string::npos &&
                                 command.find("proxy.cfg") != std::string::npos
                             ? 1
                             : 0;
            }
            return count;
        };
        // Asked once when it is true: the script before an unpacked HAProxy is two processes for a moment, or none.
        QVERIFY(QTest::qWaitFor([&] { return proxies() > 0 || process.state() != QProcess::Running; }, 60'000));
        QVERIFY2(process.state() == QProcess::Running, process.readAllStandardError().constData());
        QVERIFY(signalTo(process, signal));
        QVERIFY(process.waitForFinished(60'000));
        if (signal == SIGINT)
            QCOMPARE(process.exitCode(), 130);
        QTRY_COMPARE_WITH_TIMEOUT(proxies(), 0, 10'000);
        const fs::path managed = fs::path(dir.path().toStdString()) / "data/dynobench/managed";
        QVERIFY(fs::exists(managed));
        PrivateFolder::removeStale(managed); // as the next session does
        for (const fs::directory_entry& one : fs::directory_iterator(managed))
            QVERIFY2(!one.path().filename().string().starts_with("haproxy-"), one.path().c_str());
    }
};

} // namespace dyno::tst_user_path

DYNO_SUITE(tst_user_path, dyno::tst_user_path::TestUserPath)
#include "tst_user_path.moc"
