// SPDX-License-Identifier: GPL-3.0-or-later
// Names of hosts and users and addresses do not leave in an anonymous file, wherever they stood.
#include "base/secret_names.h"
#include "base/text.h"
#include "metrics/phase_events.h"
#include "plan/load_groups.h"
#include "store/session/anonymizer.h"
#include "store/session/artefacts.h"
#include "store/session/observing_file.h"
#include "store/session/session_writer.h"
#include "store/session/snapshots_file.h"
#include "store/session/statements_file.h"
#include "store_sample.h"
#include "support/must.h"
#include "support/suite.h"
#include <dyno/analysis.h>
#include <dyno/library.h>
#include <dyno/packed_file.h>
#include <dyno/scripts.h>
#include <dyno/server_variables.h>

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <fmt/format.h>
#include <fstream>

using namespace dyno;
using dyno::test::must;
namespace fs = std::filesystem;

namespace {

//! Hosts and users of this session are called as words of ours are.
constexpr const char* kPlanOfWords = R"(title = "Does the server matter?"

[target]
uri = "mysql://warm-up@server:3306/db"

[workload]
name = "oltp_read_only"
params = { tables = 1, table_size = 1000 }

[set]
"server.innodb_flush_log_at_trx_commit" = 1
"server.innodb_io_capacity" = 300
"server.innodb_io_capacity_max" = "same as server.innodb_io_capacity"

[load]
users = [1, 2]
time = "9s"
warmup = "1s"
interval = "0.5s"
order = "interleaved"

[[axis]]
name = "server"
cases = [
  { label = "on server", set = { "server.sync_binlog" = 1, "server.binlog_format" = "ROW" } },
  { label = "off", set = { "server.sync_binlog" = 0 } },
]

[[skip]]
cases = { server = "off", users = "2" }

[[view]]
chart = "bars"
measure = "tps"
x = "users"
series = "server"
baseline = "on server"
)";

//! A library with such a session.
void recordSessionOfWords(const fs::path& library, const std::string& id)
{
    auto writer = must(SessionWriter::open(library));
    sample::Options options;
    options.id = id;
    options.plan = kPlanOfWords;
    options.intervals = 5;
    options.counters = true;
    SessionHeader session = sample::header(options);
    session.host.name = "load";
    writer->onSessionStarted(session);
    RunHeader run = sample::runHeader(session, 0);
    run.server.product = "MySQL";
    run.server.variables.insert_or_assign("hostname", std::string("client"));
    run.server.variables.insert_or_assign("binlog_format", std::string("ROW"));
    run.server.variables.insert_or_assign(
        "wsrep_cluster_address",
        std::string("gcomm://measure,measuring,interleaved:4567,users,bars,read,failed,tps,oltp_read_only,row"));
    run.server.variables.insert_or_assign("report_user", std::string("threads"));
    run.effective = session.points[static_cast<std::size_t>(run.point)].server;
    if (options.counters)
        run.counters = {{"server", "threads", "", false}, {"server", "reads", "", true}};
    writer->onRunStarted(run);
    Random random(5);
    for (int i = 0; i < 5; ++i)
        writer->onSample(sample::interval(session, run, i, random, options));
    writer->onEvent({0, 0, EventKind::Phase, toText(Phase::Warmup)});
    writer->onEvent({1'000'000'000, 0, EventKind::Phase, kMeasuring});
    writer->onEvent({2'000'000'000, 0, EventKind::Server, "client said so"});
    RunAftermath after;
    after.server = run.server;
    after.dataParts = {{"read", "read", 10}};
    writer->onRunAftermath(after);
    RunSummary summary;
    summary.point = run.point;
    summary.repeat = run.repeat;
    summary.status = RunStatus::Failed;
    summary.reason = "client failed";
    summary.told = {"tps"};
    summary.origin = "read";
    summary.operations = {{.name = run.operations.front().name, .opClass = OpClass::Read}};
    writer->onRunFinished(summary);
    must(writer->flush() ? Expected<int>(0) : Expected<int>(fail({ErrorKind::Storage, "not written"})));
}

std::string keptFile(Library& library, const std::string& session, std::string_view name)
{
    std::string text;
    const auto read = library.artefact(session, name, [&text](std::string_view piece) {
        text += piece;
        return true;
    });
    if (!read)
        qFatal("%s", read.error().text().c_str());
    return text;
}

std::string lowerContentOf(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    std::ranges::transform(bytes, bytes.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return bytes;
}

} // namespace

class TestAnonymizer : public QObject
{
    Q_OBJECT

private slots:
    void texts_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("expected");
        const auto row = [](const char* text, const char* expected) {
            QTest::newRow(text) << QByteArray(text) << QByteArray(expected);
        };
        row("", "");
        row("nothing here", "nothing here");
        row("host db7 said", "host anon-host-2 said");
        row("DB7", "anon-host-2");
        row("db77 and xdb7 stay", "db77 and xdb7 stay");
        row("db7.corp.example.org:3306", "anon-host-1:3306");
        row("replica.corp.example.org", "replica.anon-domain-1");
        row("mysql://alice@db7.corp.example.org:3306/sbtest", "mysql://anon-user-1@anon-host-1:3306/sbtest");
        row("/home/alice/data, ~alice", "/home/anon-user-1/data, ~anon-user-1");
        row("/var/lib/db7.pid", "/var/lib/anon-host-2.pid");
        row("'alice'@'10.1.2.3'", "'anon-user-1'@'192.0.2.1'");
        row("10.1.2.3 to 10.1.2.4 to 10.1.2.3", "192.0.2.1 to 192.0.2.2 to 192.0.2.1");
        row("listening on 127.0.0.1, 0.0.0.0, ::1 and ::", "listening on 127.0.0.1, 0.0.0.0, ::1 and ::");
        row("fe80::1c2d:3eff:fe4f:5a6b.", "2001:db8::1.");
        row("at 12:34:56 on 2026-11-22T10:00:00", "at 12:34:56 on 2026-11-22T10:00:00");
        row("00:1a:2b:3c:4d:5e", "2001:db8::1");
        row("MariaDB 10.11.6, 8.0.31-23.1, 5.6.24.1-log", "MariaDB 10.11.6, 8.0.31-23.1, 5.6.24.1-log");
        row("mail Bob.Smith+x@example.org!", "mail anon-mail-1!");
        row("root@localhost", "root@localhost");
        row("std::string a::b", "std::string 2001:db8::1"); // rather too much than too little
        row("\xc3\xa4"
            "db7",
            "\xc3\xa4"
            "db7");
    }
    void texts()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, expected);
        Anonymizer names;
        names.learnUri("mysql://alice@db7.corp.example.org:3306/sbtest");
        names.learnUri("mysql://root@localhost/sbtest");
        names.learnUser("root");
        names.learnHost("127.0.0.1");
        QCOMPARE(QByteArray::fromStdString(names.replaced(text.toStdString())), expected);
    }

    void severalHostsOfOneUri()
    {
        Anonymizer names;
        names.learnUri("mongodb://carol@rs1.lan:27017,rs2.lan:27018/test?replicaSet=x");
        const std::string text = names.replaced("carol rs1.lan rs2.lan rs2");
        for (const char* name : {"carol", "rs1", "rs2"})
            QVERIFY2(text.find(name) == std::string::npos, text.c_str());
    }

    void clusterNodes()
    {
        // What a server calls them stands in its catalogue alone.
        const auto lists = [](const ServerVariables& one) {
            return one.driver == "mysql" && one.hostOptions == std::vector<std::string>{"wsrep_provider_options"};
        };
        QCOMPARE(std::ranges::count_if(serverVariables(), lists), 1);
        Anonymizer names;
        names.learn(
            {{"wsrep_cluster_address", std::string("gcomm://node7,node8:4567,[fe80::1]:4567?pc.recovery=true")},
             {"wsrep_sst_donor", std::string("node9,")},
             {"wsrep_provider_options", std::string("base_dir = /var/lib/mysql/; base_host = node10; base_port = 4567;"
                                                    " gmcast.listen_addr = tcp://node11:4567")},
             {"group_replication_group_seeds", std::string("seed1:33061,seed2:33061")},
             {"sharding.configDB", std::string("rs0/cfg1:27019,cfg2:27019")}});
        const std::string text =
            names.replaced("gcomm://node7,node8 node9 node10 node11 seed1:33061 seed2 cfg1 cfg2 base_port mysql rs0");
        for (const char* name : {"node", "seed", "cfg"})
            QVERIFY2(text.find(name) == std::string::npos, text.c_str());
        for (const char* word : {"gcomm://", "base_port", "mysql", "rs0"})
            QVERIFY2(text.find(word) != std::string::npos, text.c_str());
    }

    void schemesAndUsualLabelsStay()
    {
        Anonymizer names;
        names.learnUri("mysql://oltp@mysql.corp.example.org:3306/db");
        names.learnHost("mongodb+srv");
        QCOMPARE(names.replaced("mysql://oltp@mysql.corp.example.org/db of mysql"),
                 std::string("mysql://anon-user-1@anon-host-1/db of mysql"));
    }

    //! A host called "server" must not take our own words with it: keys, states, phases, kinds, the plan's grammar.
    void ownWordsStay()
    {
        QTemporaryDir dir;
        const fs::path library = dir.filePath("library.dynolib").toStdString();
        const fs::path file = dir.filePath("anonymous.dyno").toStdString();
        const std::string id = "5e551011-0000-4000-8000-00000000a0a1";
        recordSessionOfWords(library, id);
        auto opened = must(Library::open(library, Library::Mode::ReadWrite));
        QVERIFY(opened->setNamedViews(id, {{"mine", R"({"chart":"bars","series":"server","baseline":"on server"})"}}));
        QVERIFY(opened->exportSession(id, file, Library::Privacy::Anonymous));
        auto read = must(Library::open(file, Library::Mode::ReadOnly));
        const StoredSession before = must(opened->session(id));
        const StoredSession after = must(read->session(id));
        QCOMPARE(after.info.status, before.info.status);
        QCOMPARE(after.info.workload, before.info.workload);
        QCOMPARE(after.header.plan.load.order, RunOrder::Interleaved);
        QCOMPARE(after.header.plan.load.users, before.header.plan.load.users);
        QCOMPARE(after.header.plan.set, before.header.plan.set);
        QCOMPARE(after.header.plan.workload.name, before.header.plan.workload.name);
        QCOMPARE(after.header.points.size(), before.header.points.size());
        for (std::size_t i = 0; i < before.header.points.size(); ++i) {
            const PointSpec &old = before.header.points[i], &now = after.header.points[i];
            QCOMPARE(now.server, old.server);
            QCOMPARE(now.workload.name, old.workload.name);
            QCOMPARE(now.workload.params, old.workload.params);
            QCOMPARE(now.load.users, old.load.users);
            QCOMPARE(now.load.timeSeconds, old.load.timeSeconds);
            QVERIFY2(now.target.uri.starts_with("mysql://anon-user-"), now.target.uri.c_str());
            QVERIFY(now.target.uri.find("server") == std::string::npos);
            QCOMPARE(now.cases.back().axis, std::string("users"));
        }
        // The axis, which is called as the host, has one new name everywhere.
        const Axis &axis = after.header.plan.axes.at(0), &oldAxis = before.header.plan.axes.at(0);
        QCOMPARE(after.header.points[0].cases[0].axis, axis.name);
        QCOMPARE(after.header.points[0].cases[0].label, axis.cases[0].label);
        QCOMPARE(axis.cases[0].set, oldAxis.cases[0].set);
        QCOMPARE(after.header.plan.skips.at(0).cases, (std::vector<CaseRef>{{axis.name, "off"}, {"users", "2"}}));
        QCOMPARE(after.header.plan.views.at(0).series, axis.name);
        QCOMPARE(after.header.plan.views.at(0).x, std::string("users"));
        QCOMPARE(after.header.plan.views.at(0).chart, std::string("bars"));
        QCOMPARE(after.header.plan.views.at(0).measure, std::string("tps"));
        const View kept = must(viewFromText(must(read->namedViews(id)).at(0).text));
        QCOMPARE(kept.series, axis.name);
        QCOMPARE(kept.chart, std::string("bars"));
        QCOMPARE(kept.baseline, axis.cases[0].label);
        const StoredRun &old = before.runs[0], &now = after.runs[0];
        QCOMPARE(now.header.effective, old.header.effective);
        QCOMPARE(textOf(now.header.server.variables, "binlog_format"), std::string("ROW"));
        QCOMPARE(now.header.operations.size(), old.header.operations.size());
        for (std::size_t i = 0; i < old.header.operations.size(); ++i) {
            QCOMPARE(now.header.operations[i].name, old.header.operations[i].name);
            QCOMPARE(now.header.operations[i].opClass, old.header.operations[i].opClass);
        }
        QCOMPARE(now.header.counters.at(0).source, std::string("server"));
        QCOMPARE(now.header.counters.at(0).name, std::string("threads"));
        QCOMPARE(now.summary.status, RunStatus::Failed);
        QCOMPARE(now.summary.told, old.summary.told);
        QCOMPARE(now.summary.operations.at(0).name, old.summary.operations.at(0).name);
        QVERIFY(now.aftermath.has_value());
        QCOMPARE(now.aftermath->dataParts.at(0).kind, std::string("read"));
        const auto events = must(opened->events(old.id)), newEvents = must(read->events(now.id));
        QCOMPARE(newEvents.size(), events.size());
        for (std::size_t i = 0; i < events.size(); ++i) {
            QCOMPARE(newEvents[i].kind, events[i].kind);
            if (events[i].kind == EventKind::Phase)
                QCOMPARE(newEvents[i].text, events[i].text);
        }
        const auto samples = must(opened->intervals(old.id)), newSamples = must(read->intervals(now.id));
        for (std::size_t i = 0; i < samples.size(); ++i)
            QCOMPARE(newSamples.at(i).phase, samples[i].phase);
    }

    //! A group of users that is called as a host has one new name in keys, points, operations and measures, and so has
    //! a phase that is called as a user.
    void groupsHaveOneNewName()
    {
        QTemporaryDir dir;
        const fs::path library = dir.filePath("library.dynolib").toStdString();
        const fs::path file = dir.filePath("anonymous.dyno").toStdString();
        sample::Options options;
        options.id = "5e551011-0000-4000-8000-00000000a0a2";
        options.plan = R"(title = "t"
[target]
uri = "mysql:!!fredflint@node7/d"
[workload]
name = "oltp_read_write"
[load]
users = [1, 2]
[[load.group]]
name = "node7"
workload = "oltp_point_select"
[[load.phase]]
name = "fredflint"
time = "5s"
groups = { node7 = { users = 1 } }
[[axis]]
name = "a"
cases = [
  { label = "x", set = { "load.group.node7.users" = 2, "load.phase.fredflint.groups.node7.users" = 1 } },
  { label = "y", set = {} },
]
[[view]]
chart = "bars"
measure = "tps:node7"
[[view]]
chart = "bars"
measure = "service_p95:fredflint"

[[view]]
measure = "formula:Of node7 = tps:node7 / Com_commit"
)";
        options.plan.replace(options.plan.find("!!"), 2, "//");
        {
            auto writer = must(SessionWriter::open(library));
            const SessionHeader session = sample::header(options);
            writer->onSessionStarted(session);
            RunHeader run = sample::runHeader(session, 0);
            run.operations = operationsOf(session.points.front());
            writer->onRunStarted(run);
            // Sections of a script may be called so, too.
            writer->onEvent({0, 0, EventKind::Phase, "phase fredflint: node7: 1 of 2 users, node7.x=9, read=1"});
            RunSummary summary;
            summary.status = RunStatus::Done;
            for (const OperationInfo& one : run.operations)
                summary.operations.push_back({.name = one.name, .opClass = one.opClass});
            summary.phases.push_back({.name = "fredflint", .seconds = 5});
            writer->onRunFinished(summary);
            must(writer->flush() ? Expected<int>(0) : Expected<int>(fail({ErrorKind::Storage, "not written"})));
        }
        QVERIFY(must(Library::open(library, Library::Mode::ReadWrite))
                    ->exportSession(options.id, file, Library::Privacy::Anonymous));
        auto read = must(Library::open(file, Library::Mode::ReadOnly));
        const StoredSession after = must(read->session(options.id));
        const std::string name = after.header.plan.load.groups.at(0).name;
        QVERIFY2(name != "node7" && !name.empty(), name.c_str());
        for (const PointSpec& point : after.header.points)
            QCOMPARE(point.load.groups.at(0).name, name);
        QVERIFY(after.header.plan.axes.at(0).cases.at(0).set.contains("load.group." + name + ".users"));
        QCOMPARE(after.header.plan.views.at(0).measure, "tps:" + name);
        QCOMPARE(after.runs.at(0).header.operations.at(0).name, name);
        QCOMPARE(after.runs.at(0).header.operations.at(1).name, name + ".point_select");
        QCOMPARE(after.runs.at(0).summary.operations.at(1).name, name + ".point_select");
        QVERIFY(lowerContentOf(file).find("node7") == std::string::npos);
        const std::string phase = after.header.plan.load.phases.at(0).name;
        QVERIFY2(phase != "fredflint" && !phase.empty(), phase.c_str());
        QVERIFY(after.header.points.at(0).load.phases.at(0).name == phase);
        QVERIFY(after.header.points.at(0).load.phases.at(0).groups.contains(name));
        QVERIFY(after.header.plan.axes.at(0).cases.at(0).set.contains("load.phase." + phase + ".groups." + name +
                                                                      ".users"));
        QCOMPARE(after.header.plan.views.at(1).measure, "service_p95:" + phase);
        QCOMPARE(after.header.plan.views.at(2).measure, fmt::format("formula:Of {0} = 'tps:{0}' / Com_commit", name));
        QCOMPARE(after.runs.at(0).summary.phases.at(0).name, phase);
        const std::vector<RunEvent> events = must(read->events(after.runs.at(0).id));
        QCOMPARE(events.size(), std::size_t(1));
        QVERIFY2(events.front().text.starts_with("phase " + phase + ": " + name + ": 1 of 2 users, ") &&
                     events.front().text.ends_with("=9, read=1"),
                 events.front().text.c_str());
        QVERIFY(lowerContentOf(file).find("fredflint") == std::string::npos);
    }

    //! They are a person's rows: nothing of their content leaves, whether the plan can be read or not.
    void filesInsideThePlan_data()
    {
        QTest::addColumn<QString>("sql");
        QTest::newRow("a plan") << "";
        QTest::newRow("an unknown driver") << "UPDATE session SET plan = replace(plan, 'mysql:', 'nosuch:')";
        QTest::newRow("an unknown key") << "UPDATE session SET plan = 'nosuch = 1' || char(10) || plan";
        QTest::newRow("no TOML") << "UPDATE session SET plan = plan || 'x = [' || char(10) || 'y = \"'";
        QTest::newRow("a heading that is no TOML") << "UPDATE session SET plan = replace(plan, '[files]', '[files')";
        QTest::newRow("a quoted heading that is no TOML")
            << "UPDATE session SET plan = replace(plan, '[files]', '[\"files\"')";
        QTest::newRow("quoted headings")
            << "UPDATE session SET plan = 'nosuch = 1' || char(10) || replace(plan, '[files]', '[ \"files\" ]')";
    }
    void filesInsideThePlan()
    {
        QFETCH(QString, sql);
        QTemporaryDir dir;
        const fs::path library = dir.filePath("library.dynolib").toStdString();
        const fs::path file = dir.filePath("anonymous.dyno").toStdString();
        const auto named = PackedFile::pack("Wilhelmina,Quicksilver\nin no folder\n");
        const auto rows = PackedFile::pack("a\nQuicksilver\n"); // of a table that says no number of rows
        const std::string lines = fmt::format("n.txt = 2 {}\nc.csv = 1 {}", named->sha256(), rows->sha256());
        Plan plan;
        plan.title = "t";
        plan.target.uri = "mysql://fredflint@db1.acme.example/sb";
        plan.workload.name = kScriptWorkload;
        plan.workload.params = {
            {"schema", std::string("none")},
            {kFilesParam, lines},
            {kScriptsParam,
             std::string("+++\n[[tables]]\nname = \"t\"\nrows = 2\n[tables.columns]\n"
                         "a = { type = \"TEXT\", words = \"n.txt\" }\n[[tables]]\nname = \"u\"\n"
                         "csv = \"c.csv\"\n[tables.columns]\na = { type = \"TEXT\", csv = \"a\" }\n+++\nSELECT 1;\n")}};
        plan.files = {{named->sha256(), named}, {rows->sha256(), rows}};
        sample::Options options;
        options.id = "5e551011-0000-4000-8000-00000000a0a4";
        options.plan = writePlan(plan);
        {
            auto writer = must(SessionWriter::open(library));
            writer->onSessionStarted(sample::header(options));
            must(writer->flush() ? Expected<int>(0) : Expected<int>(fail({ErrorKind::Storage, "not written"})));
        }
        const std::string packed = named->text().substr(0, 30), lowerPacked = lowered(packed);
        QVERIFY(lowerContentOf(library).find(lowerPacked) != std::string::npos ||
                lowerContentOf(library.string() + "-wal").find(lowerPacked) != std::string::npos);
        if (!sql.isEmpty()) {
            auto database = must(Database::open(library, Database::Access::ReadWrite));
            database->exec("DELETE FROM seal; UPDATE session SET seals = NULL; " + sql.toStdString());
        }
        QVERIFY(must(Library::open(library, Library::Mode::ReadWrite))
                    ->exportSession(options.id, file, Library::Privacy::Anonymous));
        const std::string content = lowerContentOf(file);
        QVERIFY(content.find(lowerPacked) == std::string::npos);
        QVERIFY(content.find("quicksilver") == std::string::npos);
        const StoredSession after = must(must(Library::open(file, Library::Mode::ReadOnly))->session(options.id));
        QVERIFY(after.header.plan.files.empty());
        QCOMPARE(textOf(after.header.points.at(0).workload.params, kFilesParam), lines);
        if (!sql.isEmpty())
            return;
        // The rest of the plan is there; running it says what is missing.
        QCOMPARE(textOf(after.header.plan.workload.params, kFilesParam), lines);
        QCOMPARE(after.header.plan.title, std::string("t"));
        const Faults faults = checkPlan(after.header.plan);
        QCOMPARE(faults.size(), std::size_t(1));
        QCOMPARE(faults[0].what, std::string("the plan does not have the content of n.txt, c.csv"));
        const std::string line = "n.txt = 2 " + named->sha256() + " /PATH";
        QVERIFY2(faults[0].remedy.find("--set $'workload.files=" + line + "\\nc.csv = 1 ") != std::string::npos,
                 faults[0].remedy.c_str());
        Plan located = after.header.plan;
        QVERIFY(setField(located, "workload.files", line + "\nc.csv = 1 " + rows->sha256() + " /somewhere/c.csv"));
        QVERIFY(checkPlan(located).empty());
    }

    //! Names of exporters, their hosts and what their labels say of them.
    void exportersHaveOneNewName()
    {
        QTemporaryDir dir;
        const fs::path library = dir.filePath("library.dynolib").toStdString();
        const fs::path file = dir.filePath("anonymous.dyno").toStdString();
        sample::Options options;
        options.id = "5e551011-0000-4000-8000-00000000a0a3";
        options.plan = "title = \"t\"\n[target]\nuri = \"null:\"\n[workload]\nname = \"oltp_read_write\"\n"
                       "[set]\n\"exporter.node7\" = \"http:/"
                       "/node7:9100/metrics up*\"\n\"machine.wilmas\" = \"ssh wilma@node8:2222\"\n"
                       "\"machine.hostname\" = \"ssh wilma@ssh.node8.example\"\n[[view]]\nchart = \"bars\"\n"
                       "measure = \"counter:node7/up\"\n";
        {
            auto writer = must(SessionWriter::open(library));
            const SessionHeader session = sample::header(options);
            writer->onSessionStarted(session);
            RunHeader run = sample::runHeader(session, 0);
            run.counters = {{"node7", "up{instance=\"node7\"}", "", false}, {"server", "node7", "", true}};
            run.device.emplace();
            run.device->source = "/dev/mapper/acme--db1--vg-root";
            run.device->sync.perSecond = 7;
            writer->onRunStarted(run);
            RunSummary summary;
            summary.status = RunStatus::Done;
            writer->onRunFinished(summary);
            writer->keepFile(observingFile(0), "{\"seconds\": 1, \"sources\": [{\"source\": \"of node8\", \"what\": "
                                               "\"asked of node8\"}, {\"source\": \"server\"}]}");
            writer->keepFile(snapshotsFile(0), "[\"InnoDB status\", \"geheim\"]\n"); // of another program
            must(writer->flush() ? Expected<int>(0) : Expected<int>(fail({ErrorKind::Storage, "not written"})));
        }
        QVERIFY(must(Library::open(library, Library::Mode::ReadWrite))
                    ->exportSession(options.id, file, Library::Privacy::Anonymous));
        const StoredSession after = must(must(Library::open(file, Library::Mode::ReadOnly))->session(options.id));
        QVERIFY(after.runs.at(0).header.device);
        QCOMPARE(after.runs[0].header.device->source, std::string("/dev/mapper"));
        std::string snapshots;
        QVERIFY(must(Library::open(file, Library::Mode::ReadOnly))
                    ->artefact(options.id, snapshotsFile(0), [&snapshots](std::string_view piece) {
                        snapshots += piece;
                        return true;
                    }));
        QVERIFY2(!snapshots.empty() && snapshots.find("geheim") == std::string::npos, snapshots.c_str());
        const std::vector<CounterInfo> counters = after.runs.at(0).header.counters;
        const std::string name = counters.at(0).source;
        QVERIFY2(name != "node7" && !name.empty(), name.c_str());
        QCOMPARE(counters.at(0).name, "up{instance=\"" + name + "\"}");
        QCOMPARE(counters.at(1).name, std::string("node7")); // a server's own word
        QCOMPARE(toText(after.header.plan.set.at("exporter." + name)), "http:/"
                                                                       "/" +
                                                                           name + ":9100/metrics up*");
        QCOMPARE(after.header.plan.views.at(0).measure, "counter:" + name + "/up");
        QVERIFY(lowerContentOf(file).find("node8") == std::string::npos &&
                lowerContentOf(file).find("wilma@") == std::string::npos);
        std::string observed;
        QVERIFY(must(Library::open(file, Library::Mode::ReadOnly))
                    ->artefact(options.id, observingFile(0), [&observed](std::string_view piece) {
                        observed += piece;
                        return true;
                    }));
        QVERIFY2(observed.find("node8") == std::string::npos && observed.find("asked of anon-") != std::string::npos &&
                     observed.find("\"server\"") != std::string::npos,
                 observed.c_str());
        // It stays what a plan may say.
        int machines = 0;
        for (const auto& [key, value] : after.header.plan.set) {
            machines += key.starts_with("machine.") ? 1 : 0;
            QVERIFY2(!key.starts_with("machine.") || toText(value).starts_with("ssh anon-user-1@anon-host-"),
                     toText(value).c_str());
        }
        QCOMPARE(machines, 2);
        const Faults faults = checkPlan(after.header.plan);
        QVERIFY2(faults.empty(), faults.empty() ? "" : faults.front().what.c_str());
    }

    //! The originals of an imported session are kept packed.
    void packedFiles()
    {
        QTemporaryDir dir;
        const fs::path library = dir.filePath("library.dynolib").toStdString();
        const fs::path file = dir.filePath("anonymous.dyno").toStdString();
        const std::string id = "5e551011-0000-4000-8000-00000000a0a2";
        recordSessionOfWords(library, id);
        {
            auto database = must(Database::open(library, Database::Access::ReadWrite));
            const std::int64_t key = database->number("SELECT key FROM session");
            const std::string_view pieces[] = {"connected to wilma.bedrock.example\n", "from /home/fredflint/x\n"};
            for (const std::string_view piece : pieces)
                writeArtefact(*database, key, "run.log", kGzip, packed(piece));
            writeArtefact(*database, key, "binary", kGzip, packed(std::string_view("fredflint\0", 10)));
            writeArtefact(*database, key, "broken", kGzip, "fredflint, not packed at all");
            writeArtefact(
                *database, key, "import.json", "application/json",
                R"({"format":"read","files":["/home/fredflint/run.log"],"lines":3,"notes":["of fredflint"]})");
            RunStatements statements;
            statements.tables = {{"t", "CREATE TABLE t (\nfredflint INT) -- \n10.1.2.3\nb", false}};
            statements.plans = {{"point_select", "SELECT 1 FROM fredflint", {}, {}, "\nfredflint"}};
            writeArtefact(*database, key, statementsFile(3), kGzip, packed(writeStatements(statements)));
            QVERIFY(database->result());
        }
        auto opened = must(Library::open(library, Library::Mode::ReadWrite));
        QVERIFY(opened->exportSession(id, file, Library::Privacy::Anonymous));
        auto read = must(Library::open(file, Library::Mode::ReadOnly));
        const RunStatements kept = readStatements(keptFile(*read, id, statementsFile(3)));
        QCOMPARE(kept.plans.at(0).operation, std::string("point_select"));
        const std::string words = kept.tables.at(0).text + kept.plans.at(0).text + kept.plans.at(0).noPlan;
        QVERIFY2(words.find("fredflint") == std::string::npos && words.find("10.1.2.3") == std::string::npos,
                 words.c_str());
        const std::string log = keptFile(*read, id, "run.log");
        QVERIFY2(log.starts_with("connected to ") && log.find("/home/anon-user-") != std::string::npos, log.c_str());
        QVERIFY(log.find("fredflint") == std::string::npos);
        for (const char* name : {"binary", "broken"})
            QVERIFY(keptFile(*read, id, name).starts_with("left out"));
        const std::string origin = keptFile(*read, id, "import.json");
        QVERIFY(origin.find(R"("format":"read")") != std::string::npos);
        QVERIFY(origin.find(R"("lines":3)") != std::string::npos);
        QVERIFY(origin.find("fredflint") == std::string::npos);
        QCOMPARE(must(read->artefacts(id)).front().mediaType, std::string(kGzip));
    }

    void secretNames_data()
    {
        QTest::addColumn<bool>("secret");
        for (const char* name :
             {"report_password", "REPORT_PASSWORD", "wsrep_sst_auth", "authentication_ldap_simple_bind_root_pwd",
              "net.tls.certificateKeyFilePassword", "security.ldap.bind.queryPassword", "client_secret"})
            QTest::newRow(name) << true;
        for (const char* name :
             {"report_user", "old_passwords", "default_password_lifetime", "validate_password_length",
              "validate_password.policy", "caching_sha2_password_auto_generate_rsa_keys", "hostname"})
            QTest::newRow(name) << false;
    }
    void secretNames()
    {
        QFETCH(bool, secret);
        QCOMPARE(namesSecret(QTest::currentDataTag()), secret);
    }

    //! Older versions stored them: they do not leave with a session, be it anonymous or not.
    void secretsStay()
    {
        QTemporaryDir dir;
        const fs::path library = dir.filePath("library.dynolib").toStdString();
        const std::string id = "5e551011-0000-4000-8000-00000000a0a3";
        recordSessionOfWords(library, id);
        {
            auto database = must(Database::open(library, Database::Access::ReadWrite));
            database->exec("UPDATE fact_set SET variables = json_set(variables, '$.report_password', 'Sesame9',"
                           " '$.old_passwords', '0')");
            database->exec("DELETE FROM seal; UPDATE session SET seals = NULL"); // they had none
            QVERIFY(database->result());
        }
        QVERIFY(lowerContentOf(library).find("sesame9") != std::string::npos);
        auto opened = must(Library::open(library, Library::Mode::ReadWrite));
        for (const auto privacy : {Library::Privacy::AsRecorded, Library::Privacy::Anonymous}) {
            const fs::path file = dir.filePath("copy.dyno").toStdString();
            QVERIFY(opened->exportSession(id, file, privacy));
            QVERIFY(lowerContentOf(file).find("sesame9") == std::string::npos);
            auto read = must(Library::open(file, Library::Mode::ReadOnly));
            QCOMPARE(textOf(must(read->session(id)).runs[0].header.server.variables, "old_passwords"),
                     std::string("0"));
        }
    }

    //! Everywhere: facts, variables, option file, plan, log, notes, tags, events, artefacts. The file is searched byte
    //! by byte.
    void nothingOfThemIsInTheFile()
    {
        QTemporaryDir dir;
        const fs::path library = dir.filePath("library.dynolib").toStdString();
        const std::string id = "5e551011-0000-4000-8000-00000000a0a0";
        {
            auto writer = must(SessionWriter::open(library));
            sample::Options options;
            options.id = id;
            options.intervals = 5;
            SessionHeader session = sample::header(options);
            session.title = "On wilma-db3 by fredflint";
            session.host.name = "loadgen9.bedrock.example";
            session.plan.source = "/home/fredflint/plans/cost.toml";
            session.plan.target.uri =
                "mysql://pebbles@wilma-db3.bedrock.example:3306/shop?socket=/home/fredflint/run/s.sock";
            for (PointSpec& point : session.points)
                point.target.uri = session.plan.target.uri;
            writer->onSessionStarted(session);
            RunHeader run = sample::runHeader(session, 0);
            run.server.variables.insert_or_assign("hostname", std::string("wilma-db3"));
            run.server.variables.insert_or_assign("report_host", std::string("barneyreplica"));
            run.server.variables.insert_or_assign("bind_address", std::string("10.20.30.40"));
            run.server.variables.insert_or_assign("datadir", std::string("/home/dinosaurus/mysql"));
            run.server.variables.insert_or_assign("pid_file", std::string("/run/wilma-db3.pid"));
            run.server.transport = "TCP to wilma-db3.bedrock.example (10.20.30.41)";
            run.optionFile = "[mysqld]\nuser = slate\nbind-address = 10.20.30.40\ndatadir = /home/dinosaurus/mysql\n";
            run.effective.insert_or_assign("report_user", std::string("replpebbles"));
            writer->onRunStarted(run);
            Random random(5);
            for (int i = 0; i < 5; ++i)
                writer->onSample(sample::interval(session, run, i, random, options));
            writer->onEvent({1'000'000'000, 0, EventKind::Server, "wilma-db3 restarted by pebbles@10.20.30.42"});
            writer->onEvent({2'000'000'000, 0, EventKind::Server,
                             "another server answers: stoneage7.quarry.example:3306, was wilma-db3:3306"});
            writer->onEvent(
                {3'000'000'000, 0, EventKind::Server,
                 "another server answers: old gravel 10.20.30.44:5432, was port 5432, and it is read-only"});
            writer->onEvent({4'000'000'000, 0, EventKind::Note, "script: vault holds Opensesame"});
            RunAftermath after;
            after.server = run.server;
            after.errorLog = "Access denied for 'pebbles'@'fe80::aaaa:1' on WILMA-DB3\n";
            after.dataParts = {{"other", "wilma-db3.err", 10}};
            writer->onRunAftermath(after);
            RunSummary summary;
            summary.point = run.point;
            summary.repeat = run.repeat;
            summary.status = RunStatus::Failed;
            summary.reason = "wilma-db3.bedrock.example does not answer";
            summary.errors[1045] = 1;
            summary.errorTexts[1045] = "Access denied for user 'pebbles'@'loadgen9'";
            writer->onRunFinished(summary);
            QVERIFY(writer->flush());
        }
        auto opened = must(Library::open(library, Library::Mode::ReadWrite));
        QVERIFY(opened->setNotes(id, "asked betty@bedrock.example about WILMA-DB3"));
        QVERIFY(opened->setTags(id, {"wilma-db3", "ssd"}));
        const std::int64_t run = must(opened->session(id)).runs[0].id;
        QVERIFY(opened->annotate(run, 0, "fredflint looked"));
        QVERIFY(opened->setNamedViews(id, {{"of fredflint", "wilma-db3"}}));
        {
            auto database = must(Database::open(library, Database::Access::ReadWrite));
            const std::int64_t key = database->number("SELECT key FROM session");
            for (const std::string_view content :
                 {std::string_view("host: wilma-db3\nuser: pebbles\nfrom: 10.20.30.43\n"),
                  std::string_view("packed\0wilma-db3", 16)})
                writeArtefact(*database, key, "log-of-wilma-db3.txt", "text/plain", content);
            QVERIFY(database->result());
        }
        const fs::path as = dir.filePath("as.dyno").toStdString(),
                       anonymous = dir.filePath("anonymous.dyno").toStdString();
        QVERIFY(opened->exportSession(id, as));
        QVERIFY(opened->exportSession(id, anonymous, Library::Privacy::Anonymous));
        const std::string before = lowerContentOf(as);
        const std::string bytes = lowerContentOf(anonymous);
        for (const char* name :
             {"wilma-db3", "fredflint", "pebbles", "loadgen9", "bedrock", "barneyreplica", "10.20.30.", "dinosaurus",
              "replpebbles", "fe80::", "betty", "slate", "stoneage7", "quarry", "gravel", "opensesame"}) {
            QVERIFY2(before.find(name) != std::string::npos, name);
            QVERIFY2(bytes.find(name) == std::string::npos, name);
        }
        // What was measured, and what names nobody, is the same.
        auto read = must(Library::open(anonymous, Library::Mode::ReadOnly));
        QCOMPARE(must(read->check()).problems, std::vector<std::string>());
        const StoredSession session = must(read->session(id));
        const StoredSession original = must(opened->session(id));
        QCOMPARE(session.info.tags.at(1), std::string("ssd"));
        QCOMPARE(session.header.host.cpu, original.header.host.cpu);
        QCOMPARE(session.runs[0].header.server.version, original.runs[0].header.server.version);
        QCOMPARE(must(read->intervals(session.runs[0].id)).size(), std::size_t(5));
        QVERIFY(session.header.points[0].target.uri.starts_with("mysql://anon-user-"));
        // The same name became the same everywhere.
        const std::string host = textOf(session.runs[0].header.server.variables, "hostname");
        QVERIFY(session.info.title.find(host) != std::string::npos);
        QVERIFY(session.runs[0].aftermath->errorLog.find(host) != std::string::npos);
        QCOMPARE(must(read->search("hostname=" + host)).size(), std::size_t(1));
    }
};

DYNO_SUITE(tst_anonymizer, TestAnonymizer)
#include "tst_anonymizer.moc"
