// SPDX-License-Identifier: GPL-3.0-or-later
// Managed servers of MongoDB's protocol: a real FerretDB (DYNO_TEST_FERRETDB names the program), a real mongod where
// DYNO_TEST_MONGOD names one, and what both are told, which needs neither.
#include "managed_test.h"
#include "recording_sink.h"

#include "driver/mongodb/server/mongo_options.h"
#include "driver/mongodb/server/mongo_server.h"
#include "driver/mongodb/server/mongodb_recipes.h"
#include "load/target/kept_server.h"
#include "server/knobs/knob_guard.h"
#include "server/lifecycle/data_parts.h"
#include "server/lifecycle/private_folder.h"
#include "support/suite.h"

#include <dyno/preflight.h>

#include <QProcess>
#include <QTemporaryDir>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>

namespace dyno::tst_managed_mongo {
using namespace dyno::test;
namespace fs = std::filesystem;

namespace {

using Query = std::map<std::string, std::string, std::less<>>;

//! The folder of the program that an environment variable names.
std::string folderIn(const char* variable)
{
    return fs::path(basedirIn(variable)).parent_path().string();
}

TargetUri ferretdbUri(Query query = {})
{
    query.emplace("basedir", folderIn("DYNO_TEST_FERRETDB"));
    return managedUri("ferretdb", std::move(query));
}

Settings connectionDefaults(Settings more = {})
{
    for (const OptionSpec& option : driverFor("mongodb")->info().connection)
        more.try_emplace(option.name, option.defaultValue);
    return more;
}

Expected<void> insert(const ManagedServer& server, int id)
{
    auto admin = adminOf(server, connectionDefaults());
    if (!admin)
        return fail(std::move(admin.error()));
    return (*admin)->execute(fmt::format(R"({{"insert":"things","documents":[{{"_id":{},"a":"x"}}]}})", id));
}

std::int64_t countOf(const ManagedServer& server)
{
    auto admin = adminOf(server, connectionDefaults());
    return admin ? (*admin)->rowCount("things").value_or(-2) : -1;
}

//! A session of YCSB that needs next to no time.
Plan ycsbPlan(const TargetUri& uri)
{
    Plan plan;
    plan.title = "test";
    plan.target.uri = uri.display();
    plan.workload.name = "ycsb";
    plan.workload.params = {{"recordcount", std::int64_t(100)}, {"fieldlength", std::int64_t(10)}};
    plan.load.users = {2};
    plan.load.timeSeconds = 0;
    plan.load.events = 20;
    plan.load.intervalSeconds = 0.1;
    return plan;
}

bool hasEvent(const std::vector<RunEvent>& events, const char* text)
{
    return std::any_of(events.begin(), events.end(),
                       [&](const RunEvent& event) { return event.text.find(text) != std::string::npos; });
}

ServerBinaries mongod(const std::string& version, const std::string& build = {})
{
    ServerBinaries server;
    server.recipe = &mongodbRecipe();
    server.name = "MongoDB";
    server.version = version;
    server.build = build;
    return server;
}

} // namespace

#define NEEDS_FERRETDB()                                                                                               \
    do {                                                                                                               \
        if (basedirIn("DYNO_TEST_FERRETDB").empty())                                                                   \
            QSKIP("DYNO_TEST_FERRETDB does not name FerretDB's program");                                              \
        if (!driverFor("mongodb"))                                                                                     \
            QSKIP("this build has no MongoDB driver");                                                                 \
    } while (false)

class TestManagedMongo : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    fs::path m_work;

    std::unique_ptr<ManagedServer> create(const TargetUri& uri)
    {
        auto server = ManagedServer::create(uri, m_work);
        if (!server)
            qWarning("%s", server.error().text().c_str());
        return server ? std::move(*server) : nullptr;
    }

private slots:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        m_work = m_dir.path().toStdString();
        // Orphans become our children, so that their end can be waited for.
        QCOMPARE(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    }

    void ferretdbStartsAndLeavesNothing()
    {
        NEEDS_FERRETDB();
        auto server = create(ferretdbUri());
        QVERIFY(server);
        QVERIFY(!server->running());
        VERIFY_OK(server->ensure({}));
        QVERIFY(server->running());
        std::error_code unread;
        QCOMPARE(fs::read_symlink(fmt::format("/proc/{}/cwd", serverPid(server->folder())), unread).string(),
                 fs::canonical(server->folder()).string()); // relative names in settings mean files of its own
        QCOMPARE(server->binaries().name, std::string("FerretDB"));
        auto admin = adminOf(*server, connectionDefaults());
        VERIFY_OK(admin);
        const auto facts = (*admin)->facts();
        VERIFY_OK(facts);
        QVERIFY2(facts->product.find("FerretDB") != std::string::npos, facts->product.c_str());
        VERIFY_OK(insert(*server, 1));
        QCOMPARE(countOf(*server), std::int64_t(1));
        QVERIFY(server->logTail(50).find("Listening on Unix") != std::string::npos);
        QVERIFY(server->logTail(50).find("Listening on TCP") == std::string::npos);
        QVERIFY(server->optionFile().find("--handler=sqlite\n") != std::string::npos);
        // By its socket only, which nobody else reaches.
        const fs::path socketFolder = fs::path(server->connectUri().host).parent_path();
        QCOMPARE(fs::status(socketFolder).permissions(), fs::perms::owner_all);
        const pid_t pid = server->process();
        const fs::path folder = server->folder();
        QVERIFY(processExists(pid));
        server.reset();
        QVERIFY(!processExists(pid));
        QVERIFY(!fs::exists(folder) && !fs::exists(socketFolder));
    }

    void otherKnobsRestartIt()
    {
        NEEDS_FERRETDB();
        const auto server = create(ferretdbUri());
        QVERIFY(server);
        Settings knobs = {{"insert_batch_size", std::int64_t(10)}, {"log_level", std::string("ERROR")}};
        VERIFY_OK(server->ensure(knobs));
        const int first = server->process();
        VERIFY_OK(insert(*server, 1));
        VERIFY_OK(server->ensure(knobs));
        QCOMPARE(server->process(), first);
        knobs["sqlite_journal_mode"] = std::string("delete");
        knobs["sqlite_synchronous"] = std::string("off");
        VERIFY_OK(server->ensure(knobs));
        QVERIFY(server->process() != first);
        QVERIFY(!processExists(first));
        QCOMPARE(server->dataFolderNumber(), 1);
        QCOMPARE(countOf(*server), std::int64_t(1));
        // SQLite has them: a database without a write-ahead log says so in its file, bytes 18 and 19.
        VERIFY_OK(insert(*server, 2));
        VERIFY_OK(server->stop());
        std::ifstream in(server->folder() / "data" / "dyno.sqlite", std::ios::binary);
        in.seekg(18);
        QCOMPARE(in.get(), 1);
    }

    //! Each value that the catalogue proposes is one that the server takes.
    void everyProposedValueStartsIt()
    {
        NEEDS_FERRETDB();
        const auto server = create(ferretdbUri());
        QVERIFY(server);
        int started = 0;
        for (const KnobInfo& knob : knobCatalog()) {
            if (knob.driver != "mongodb" || knob.scope != "server" || !editionFor(knob, "FerretDB", "1.24.0"))
                continue;
            QVERIFY2(!knob.values.empty() && knob.restart, knob.option.name.c_str());
            for (const std::string& text : knob.values) {
                const auto value = coerce(knob.option, parseValue(text));
                VERIFY_OK(value);
                VERIFY_OK(server->ensure({{knob.option.name, *value}}));
                VERIFY_OK(insert(*server, ++started));
            }
        }
        QVERIFY(started > 10);
        QCOMPARE(countOf(*server), std::int64_t(started));
    }

    void knobsOfOthersAreRefused()
    {
        NEEDS_FERRETDB();
        const auto server = create(ferretdbUri());
        QVERIFY(server);
        VERIFY_SAYS(server->ensure({{"cacheSizeGB", 1.0}}), "FerretDB 1.24.0 has no cacheSizeGB");
        VERIFY_SAYS(server->ensure({{"no_such_knob", 1.0}}), "no_such_knob");
        VERIFY_SAYS(server->ensure({{"sqlite_synchronous", std::string("sometimes")}}), "sometimes");
        QVERIFY(!server->running());
        VERIFY_OK(server->ensure({}));
    }

    void deadServerIsNoticedAndStartedAgain()
    {
        NEEDS_FERRETDB();
        const auto server = create(ferretdbUri());
        QVERIFY(server);
        VERIFY_OK(server->ensure({}));
        VERIFY_OK(insert(*server, 1));
        const int pid = server->process();
        QVERIFY(pid > 1);
        QCOMPARE(::kill(pid, SIGKILL), 0);
        QVERIFY(QTest::qWaitFor([&] { return !server->running(); }, 20000));
        QCOMPARE(server->process(), 0);
        VERIFY_OK(server->ensure({}));
        QVERIFY(server->process() != pid);
        QCOMPARE(countOf(*server), std::int64_t(1));
    }

    void dataIsPutBack()
    {
        NEEDS_FERRETDB();
        const auto server = create(ferretdbUri());
        QVERIFY(server);
        VERIFY_OK(server->ensure({}));
        VERIFY_OK(insert(*server, 1));
        VERIFY_OK(server->keepCopy());
        QVERIFY(!server->running());
        VERIFY_OK(server->ensure({}));
        VERIFY_OK(insert(*server, 2));
        QCOMPARE(countOf(*server), std::int64_t(2));
        VERIFY_OK(server->putBack());
        VERIFY_OK(server->ensure({}));
        QCOMPARE(countOf(*server), std::int64_t(1));
    }

    void namedServerKeepsItsData()
    {
        NEEDS_FERRETDB();
        auto server = create(ferretdbUri({{"name", "shelf"}}));
        QVERIFY(server);
        QVERIFY(!server->wasThere());
        VERIFY_OK(server->ensure({}));
        VERIFY_OK(insert(*server, 1));
        VERIFY_SAYS(ManagedServer::create(ferretdbUri({{"name", "shelf"}}), m_work), "in use");
        server.reset();
        ManagedInstances keeper(m_work);
        const auto listed = keeper.list();
        const auto shelf =
            std::find_if(listed.begin(), listed.end(), [](const auto& one) { return one.name == "shelf"; });
        QVERIFY(shelf != listed.end());
        QCOMPARE(shelf->uri, std::string("managed:ferretdb?name=shelf"));
        QCOMPARE(shelf->version, std::string("1.24.0"));
        QVERIFY(shelf->state == InstanceState::Stopped);
        // It knows what made it: no basedir is needed any more.
        const auto again = keeper.start(managedUri("ferretdb", {{"name", "shelf"}}));
        VERIFY_OK(again);
        QVERIFY(again->process > 0);
        QVERIFY(fs::exists(again->socket));
        bool collections = false;
        for (const DataPart& part : keeper.dataParts("shelf"))
            collections = collections || (part.kind == "table" && part.name == "(collections)" && part.bytes > 0);
        QVERIFY(collections);
        VERIFY_OK(keeper.stop("shelf"));
        server = create(ferretdbUri({{"name", "shelf"}}));
        QVERIFY(server && server->wasThere());
        VERIFY_OK(server->ensure({}));
        QCOMPARE(countOf(*server), std::int64_t(1));
        server.reset();
        VERIFY_SAYS(ManagedServer::create(managedUri("mariadb", {{"name", "shelf"}}), m_work), "was made by ferretdb");
        VERIFY_OK(keeper.remove("shelf"));
    }

    //! A look at a kept server's data starts it with the knobs of its last start and sees every database.
    void aLookAtAKeptServer()
    {
        NEEDS_FERRETDB();
        const TargetUri uri = ferretdbUri({{"name", "looked-at"}});
        auto server = create(uri);
        QVERIFY(server);
        QVERIFY(!keptKnobs(server->folder()).last); // never started: nothing to start it with
        QVERIFY(!othersOn(*server, uri));
        QVERIFY(!server->running());
        Settings wanted;
        for (const KnobInfo& knob : knobCatalog()) {
            if (wanted.empty() && knob.driver == "mongodb" && knob.scope == "server" && !knob.values.empty() &&
                editionFor(knob, "FerretDB", "1.24.0"))
                wanted.emplace(knob.option.name, *coerce(knob.option, parseValue(knob.values.back())));
        }
        QVERIFY(!wanted.empty());
        VERIFY_OK(server->ensure(wanted));
        ConnectTarget elsewhere;
        elsewhere.uri = server->connectUri();
        elsewhere.uri.database = "shop";
        elsewhere.connection = connectionDefaults();
        auto admin = driverFor("mongodb")->admin(elsewhere);
        VERIFY_OK(admin);
        VERIFY_OK((*admin)->execute(R"({"insert": "customers", "documents": [{"_id": 1}]})"));
        VERIFY_OK(insert(*server, 1));
        const auto others = othersOn(*server, uri);
        VERIFY_OK(others);
        QCOMPARE(*others, (std::vector<std::string>{"things", "shop.customers"}));
        const KeptKnobs kept = keptKnobs(server->folder());
        QVERIFY(kept.last && kept.last->size() == wanted.size() && kept.last->contains(wanted.begin()->first));
        QVERIFY(knobChanges(kept, uri.driver, wanted).empty());
        QCOMPARE(knobChanges(kept, uri.driver, {}).gone, std::vector<std::string>{wanted.begin()->first});
    }

    void tcpWithAndWithoutTls()
    {
        NEEDS_FERRETDB();
        const auto server = create(ferretdbUri({{"transport", "tcp"}}));
        QVERIFY(server);
        VERIFY_OK(server->ensure({}));
        const TargetUri plain = server->connectUri(), tls = server->connectUri(true);
        QCOMPARE(plain.host, std::string("127.0.0.1"));
        QVERIFY(plain.port > 0 && tls.port > 0 && plain.port != tls.port);
        VERIFY_OK(insert(*server, 1));
        // Everybody on this machine reaches the port, and gets nowhere without the password.
        QVERIFY(plain.password.size() > 30);
        QVERIFY(server->optionFile().find(plain.password) == std::string::npos);
        for (const char* password : {"", "wrong"}) {
            for (TargetUri other : {plain, tls}) {
                ConnectTarget stranger;
                stranger.uri = std::move(other);
                stranger.uri.password = password;
                if (!*password)
                    stranger.uri.user.clear();
                stranger.connection = connectionDefaults();
                if (stranger.uri.port == tls.port)
                    stranger.connection = connectionDefaults({{"tls", std::string("required")}});
                auto in = driverFor("mongodb")->admin(stranger);
                QVERIFY(!in || !(*in)->query(R"({"find": "things"})"));
                if (*password) {
                    QVERIFY(!in && in.error().kind == ErrorKind::Refused);
                    QVERIFY2(in.error().message.find("answers, but refuses the user or password") != std::string::npos,
                             in.error().text().c_str());
                }
            }
        }
        ConnectTarget target;
        target.uri = tls;
        target.connection = connectionDefaults({{"tls", std::string("verify")}});
        for (const auto& [name, value] : server->connectionDefaults())
            target.connection.insert_or_assign(name, value);
        auto admin = driverFor("mongodb")->admin(target);
        VERIFY_OK(admin);
        QCOMPARE((*admin)->rowCount("things").value_or(-1), std::int64_t(1));
        // Over restarts it keeps its ports, for who is connected.
        VERIFY_OK(server->ensure({{"log_level", std::string("WARN")}}));
        QCOMPARE(server->connectUri().port, plain.port);
        QCOMPARE(server->connectUri().password, plain.password);
        VERIFY_OK(insert(*server, 2));
    }

    //! A named server is reached again, also one that was without TCP before.
    void tcpOfANamedServer()
    {
        NEEDS_FERRETDB();
        for (const char* transport : {"socket", "tcp", "tcp"}) {
            std::map<std::string, std::string, std::less<>> query = {{"name", "byport"}};
            if (transport == std::string("tcp"))
                query["transport"] = "tcp";
            auto server = create(ferretdbUri(query));
            QVERIFY(server);
            VERIFY_OK(server->ensure({}));
            const std::int64_t before = countOf(*server);
            VERIFY_OK(insert(*server, int(before < 0 ? 1 : before + 1)));
        }
        const auto last = create(ferretdbUri({{"name", "byport"}, {"transport", "tcp"}}));
        VERIFY_OK(last->ensure({}));
        QCOMPARE(countOf(*last), std::int64_t(3));
    }

    void killedOwnerLeavesNothingRunning()
    {
        NEEDS_FERRETDB();
        QProcess owner;
        owner.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        owner.start(QStringLiteral(DYNO_SERVER_CHILD),
                    {QString::fromStdString(m_work.string()), QString::fromStdString(ferretdbUri().display())});
        QVERIFY(owner.waitForReadyRead(60000));
        const fs::path folder = QString::fromUtf8(owner.readLine()).trimmed().toStdString();
        const pid_t pid = serverPid(folder);
        QVERIFY(processExists(pid));
        QCOMPARE(folderState(folder).server, int(pid));
        QCOMPARE(::kill(pid_t(owner.processId()), SIGKILL), 0);
        int status = 0;
        QVERIFY(QTest::qWaitFor([&] { return ::waitpid(pid, &status, WNOHANG) == pid; }, 20000));
        QVERIFY(WIFSIGNALED(status));
        QTRY_COMPARE_WITH_TIMEOUT(owner.state(), QProcess::NotRunning, 20000);
        // What it left lying about goes at the next start.
        QVERIFY(fs::exists(folder));
        QVERIFY(create(ferretdbUri()));
        QVERIFY(!fs::exists(folder));
    }

    void startThatFailsSaysWhy()
    {
        NEEDS_FERRETDB();
        // A program that says that it is a server and is none.
        const fs::path folder = m_work / "broken";
        fs::create_directories(folder);
        std::ofstream(folder / "ferretdb") << "#!/bin/sh\n[ \"$1\" = --version ] && echo 'version: v1.24.0' && exit 0\n"
                                              "echo 'ferretdb: error: unknown flag --x'\nexit 3\n";
        fs::permissions(folder / "ferretdb", fs::perms::owner_all);
        const auto server = create(managedUri("ferretdb", {{"basedir", folder.string()}}));
        QVERIFY(server);
        const auto started = server->ensure({});
        VERIFY_SAYS(started, "exit code 3");
        VERIFY_SAYS(started, "unknown flag --x");
        VERIFY_SAYS(started, "take it out of the plan");
    }

    void sessionSetsKnobsAndPutsDataBack()
    {
        NEEDS_FERRETDB();
        Plan plan = ycsbPlan(ferretdbUri());
        plan.axes.push_back({"flushes",
                             {{"off", {{"server.sqlite_synchronous", std::string("off")}}},
                              {"full", {{"server.sqlite_synchronous", std::string("full")}}}}});
        plan.load.repeats = 2;
        plan.load.data = DataPolicy::Restore;
        RunnerOptions options;
        options.consent.allow("target.uri"); // its program
        options.workDir = m_work / "session";
        RecordingSink sink;
        runPlan(plan, options, sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        QCOMPARE(sink.summaries.size(), std::size_t(4));
        QVERIFY(hasEvent(sink.events[0], "server started in"));
        QVERIFY(hasEvent(sink.events[0], "data copied"));
        QVERIFY(hasEvent(sink.events[1], "put back as it was loaded"));
        for (std::size_t i = 0; i < 4; ++i) {
            QVERIFY(sink.summaries[i].transactions > 0);
            QVERIFY(sink.summaries[i].serverCpuUsPerOp.value_or(0) > 0);
            QVERIFY(sink.summaries[i].serverSwitchesPerOp.value_or(0) > 0);
            QVERIFY2(sink.aftermaths[i].server.product.find("FerretDB") != std::string::npos,
                     sink.aftermaths[i].server.product.c_str());
            const bool off = textOf(sink.runs[i].effective, "sqlite_synchronous") == "off";
            QCOMPARE(sink.runs[i].optionFile.find("synchronous(off)") != std::string::npos, off);
            QCOMPARE(sink.runs[i].optionFile.find("synchronous(full)") != std::string::npos, !off);
        }
        QVERIFY(sink.aftermaths[0].errorLog.find("Listening on Unix") != std::string::npos);
        QVERIFY(!sink.aftermaths[0].dataParts.empty());
        // Nothing of the session stays.
        for (const fs::directory_entry& left : fs::directory_iterator(options.workDir / "managed"))
            QVERIFY2(left.path().filename() == ".lock", left.path().c_str());
    }

    void serverKilledInARunIsThereForTheNext()
    {
        NEEDS_FERRETDB();
        Plan plan = ycsbPlan(ferretdbUri());
        plan.load.timeSeconds = 1;
        plan.load.events = 0;
        plan.load.repeats = 2;
        RunnerOptions options;
        options.consent.allow("target.uri"); // its program
        options.workDir = m_work / "killed";
        RecordingSink sink;
        bool killed = false;
        sink.sampleHook = [&](const IntervalSample&) {
            if (killed)
                return;
            for (const fs::directory_entry& one : fs::directory_iterator(options.workDir / "managed")) {
                // The file may not be written yet: kill(0) would be this whole process group.
                if (const pid_t pid = one.is_directory() ? serverPid(one.path()) : 0; pid > 1)
                    killed = ::kill(pid, SIGKILL) == 0;
            }
        };
        runPlan(plan, options, sink);
        QVERIFY(killed);
        QCOMPARE(sink.summaries.size(), std::size_t(2));
        QVERIFY(!sink.summaries[0].errors.empty() || sink.summaries[0].status != RunStatus::Done);
        QVERIFY(hasEvent(sink.events[1], "server started in"));
        QVERIFY(sink.summaries[1].transactions > 0);
        QVERIFY2(sink.summaries[1].status == RunStatus::Done, sink.summaries[1].reason.c_str());
    }

    void preflightKnowsWhatFerretdbIs()
    {
        NEEDS_FERRETDB();
        RunnerOptions options;
        options.consent.allow("target.uri"); // its program
        options.workDir = m_work;
        Plan plan = ycsbPlan(ferretdbUri());
        const auto blockers = [&] {
            const auto reports = preflight(plan, options);
            QString text = reports ? QString() : QString::fromStdString(reports.error().text());
            for (const PreflightItem& item : reports ? reports->front().items : std::vector<PreflightItem>()) {
                if (item.level == PreflightLevel::Blocker)
                    text += QString::fromStdString(item.id);
                if (item.what.find("innodb") != std::string::npos)
                    text += QString::fromStdString(item.what);
            }
            return text;
        };
        QCOMPARE(blockers(), QString());
        plan.set["connection.write_concern"] = std::string("0");
        QCOMPARE(blockers(), QStringLiteral("write_concern"));
        plan = ycsbPlan(ferretdbUri());
        plan.workload = WorkloadSpec();
        plan.workload.name = "oltp_read_write";
        plan.workload.params = {{"table_size", std::int64_t(100)}};
        QCOMPARE(blockers(), QStringLiteral("transactions"));
        plan.workload.params["skip_trx"] = true;
        QCOMPARE(blockers(), QString());
    }

    void ferretdbArgumentsSayWhatIsAsked()
    {
        const MongoNeeds needs{"/a b/c", "/tmp/s.sock"};
        auto arguments = ferretdbArguments(needs, {{"sqlite_synchronous", std::string("off")}, {"pushdown", false}});
        VERIFY_OK(arguments);
        const auto has = [&](const char* one) {
            return std::find(arguments->begin(), arguments->end(), one) != arguments->end();
        };
        QVERIFY(has("--sqlite-url=file:/a%20b/c/data/?_pragma=busy_timeout(10000)&_pragma=synchronous(off)"));
        QVERIFY(has("--listen-unix=/tmp/s.sock") && has("--listen-addr=") && has("--test-disable-pushdown"));
        QVERIFY(!has("--test-enable-nested-pushdown"));
        arguments =
            ferretdbArguments({"/d", "/tmp/s.sock", 4000, 4001}, {{"pushdown", true}, {"nested_pushdown", true}});
        VERIFY_OK(arguments);
        QVERIFY(has("--listen-addr=127.0.0.1:4000") && has("--listen-tls=127.0.0.1:4001") && has("--listen-unix="));
        QVERIFY(has("--sqlite-url=file:/d/data/") && has("--test-enable-nested-pushdown"));
        QVERIFY(!has("--test-disable-pushdown"));
    }

    void mongodConfigurationFile()
    {
        const MongoNeeds needs{"/a b/c", "/tmp/d/s.sock"};
        const auto text = mongodConfig(mongod("7.0.14"), needs,
                                       {{"cacheSizeGB", 0.25},
                                        {"blockCompressor", std::string("zstd")},
                                        {"directoryPerDB", true},
                                        {"journalCommitInterval", std::int64_t(5)},
                                        {"notablescan", true},
                                        {"profilingMode", std::string("off")},
                                        {"internalQueryMaxBlockingSortMemoryUsageBytes", std::string("32M")}});
        VERIFY_OK(text);
        QCOMPARE(QString::fromStdString(text->substr(text->find("net:"))),
                 QStringLiteral("net:\n"
                                "  bindIp: \"/tmp/d/s.sock\"\n"
                                "  unixDomainSocket:\n"
                                "    pathPrefix: \"/tmp/d\"\n"
                                "operationProfiling:\n"
                                "  mode: \"off\"\n"
                                "setParameter:\n"
                                "  internalQueryMaxBlockingSortMemoryUsageBytes: 33554432\n"
                                "  notablescan: true\n"
                                "storage:\n"
                                "  dbPath: \"/a b/c/data\"\n"
                                "  directoryPerDB: true\n"
                                "  journal:\n"
                                "    commitIntervalMs: 5\n"
                                "  wiredTiger:\n"
                                "    collectionConfig:\n"
                                "      blockCompressor: \"zstd\"\n"
                                "    engineConfig:\n"
                                "      cacheSizeGB: 0.25\n"));
        const auto tcp = mongodConfig(mongod("7.0.14"), {"/d", "/tmp/d/s.sock", 4000}, {});
        VERIFY_OK(tcp);
        QVERIFY(tcp->find("  bindIp: 127.0.0.1\n  port: 4000\n  tls:\n") != std::string::npos);
        QVERIFY(tcp->find("certificateKeyFile: \"/d/tls/both.pem\"\n") != std::string::npos);
        QVERIFY(tcp->find("mode: allowTLS\n  unixDomainSocket:\n    enabled: false\n") != std::string::npos);
        QVERIFY(tcp->find("security:\n  authorization: enabled\nsetParameter:\n  enableLocalhostAuthBypass: false\n") !=
                std::string::npos);
        QVERIFY(text->find("authorization") == std::string::npos);
        QVERIFY(mongodConfig(mongod("4.0.28"), {"/d", "/s", 4000}, {})->find("mode: allowSSL") != std::string::npos);
    }

    //! A set of one: on TCP only, with the key that its members share.
    void replicaSets()
    {
        const Settings set = {{"replSetName", std::string("rs-1")}};
        const MongoNeeds tcp{"/d", "/tmp/d/s.sock", 4000}, socket{"/d", "/tmp/d/s.sock"};
        const auto text = mongodConfig(mongod("7.0.14"), tcp, set);
        VERIFY_OK(text);
        QVERIFY2(text->find("replication:\n  replSetName: \"rs-1\"\nsecurity:\n  authorization: enabled\n  keyFile: "
                            "\"/d/keys/set.key\"\n") != std::string::npos,
                 text->c_str());
        VERIFY_SAYS(mongodConfig(mongod("7.0.14"), socket, set), "by host and port");
        VERIFY_SAYS(mongodConfig(mongod("7.0.14"), tcp, {{"replSetName", std::string("a\"b")}}),
                    "is no name of a replica set");
        const auto alone = mongodConfig(mongod("7.0.14"), tcp, {{"replSetName", std::string()}});
        VERIFY_OK(alone);
        QVERIFY(alone->find("repl") == std::string::npos && alone->find("keyFile") == std::string::npos);
        VERIFY_OK(mongoCanStart(mongod("7.0.14"), set, true));
        VERIFY_SAYS(mongoCanStart(mongod("7.0.14"), set, false), "by host and port");
    }

    //! What only the configuration file says needs a restart; a server parameter does not.
    void catalogueAndOptionsAgree()
    {
        int options = 0;
        for (const KnobInfo& knob : knobCatalog()) {
            if (knob.driver != "mongodb" || knob.scope != "server" || !editionFor(knob, "MongoDB", {}))
                continue;
            const bool both = knob.option.name == "journalCommitInterval";
            QVERIFY2(knob.restart == (isMongodOption(knob.option.name) && !both), knob.option.name.c_str());
            options += isMongodOption(knob.option.name) ? 1 : 0;
        }
        QCOMPARE(options, 18); // all that there are
    }

    void mongodFaults()
    {
        const MongoNeeds needs{"/d", "/tmp/s.sock"};
        VERIFY_SAYS(mongodConfig(mongod("7.0.14"), needs, {{"a b", true}, {"x", std::string("1\n2")}}), "a b");
        VERIFY_SAYS(mongodConfig(mongod("7.0.14"), needs, {{"a b", true}, {"x", std::string("1\n2")}}), "line break");
        VERIFY_SAYS(mongodConfig(mongod("7.0.14"), needs, {{"enableEncryption", true}}), "no encryption at rest");
        VERIFY_SAYS(mongodConfig(mongod("7.0.14"), needs, {{"processUmask", std::string("000")}}), "cannot be set");
        VERIFY_SAYS(mongodConfig(mongod("7.0.14"), needs, {{"enableTestCommands", true}}), "cannot be set");
        VERIFY_SAYS(mongodConfig(mongod("7.0.14"), needs, {{"cacheSizeGB", std::string("1, x: [")}}), "cannot be");
        const auto encrypted =
            mongodConfig(mongod("7.0.14", "Enterprise, ubuntu2204"), needs, {{"enableEncryption", true}});
        VERIFY_OK(encrypted);
        QVERIFY(encrypted->find("  enableEncryption: true\n  encryptionKeyFile: \"/d/keys/mongodb.key\"\n") !=
                std::string::npos);
    }

    void dataPartsOfWiredTiger()
    {
        const fs::path data = m_work / "wt";
        for (const char* file : {"WiredTiger.wt", "_mdb_catalog.wt", "journal/WiredTigerLog.0000000001", "mongod.lock",
                                 "dyno/collection-7-1.wt", "dyno/index-8-1.wt", "admin/collection-0-1.wt",
                                 "other/collection-9-1.wt", "diagnostic.data/metrics.interim"}) {
            fs::create_directories((data / file).parent_path());
            std::ofstream(data / file) << std::string(5000, 'x');
        }
        QStringList parts;
        for (const DataPart& part : dataPartsOf("mongodb", data, {}, "dyno")) {
            QVERIFY(part.bytes >= 5000);
            parts << QString::fromStdString(part.kind + " " + part.name);
        }
        QCOMPARE(parts.join(u'\n'), QStringLiteral("table (collections)\ntable (indexes)\ntable other.(collections)\n"
                                                   "redo log \nsystem \nother "));
    }

    void mongodStartsWithItsKnobs()
    {
        if (basedirIn("DYNO_TEST_MONGOD").empty())
            QSKIP("DYNO_TEST_MONGOD does not name a mongod");
        if (!driverFor("mongodb"))
            QSKIP("this build has no MongoDB driver");
        const auto server = create(managedUri("mongodb", {{"basedir", folderIn("DYNO_TEST_MONGOD")}}));
        QVERIFY(server);
        VERIFY_OK(server->ensure({{"cacheSizeGB", 0.25}, {"notablescan", false}}));
        const int first = server->process();
        VERIFY_OK(insert(*server, 1));
        QVERIFY(server->logTail(200).find("aiting for connections") != std::string::npos);
        VERIFY_OK(server->ensure({{"cacheSizeGB", 0.25}, {"notablescan", true}}));
        QCOMPARE(server->process(), first);
        QVERIFY(adminOf(*server, connectionDefaults()));
        VERIFY_OK(server->ensure({{"cacheSizeGB", 0.5}}));
        QVERIFY(server->process() != first);
        QCOMPARE(countOf(*server), std::int64_t(1));
        VERIFY_OK(server->ensure({{"directoryPerDB", true}}));
        QCOMPARE(server->dataFolderNumber(), 2);
        QCOMPARE(countOf(*server), std::int64_t(0));
        const auto wrong = server->ensure({{"noSuchParameter", std::int64_t(1)}});
        VERIFY_SAYS(wrong, "noSuchParameter");
        // What the file says is read back from the server.
        VERIFY_OK(server->ensure({{"blockCompressor", std::string("zlib")}, {"journal", true}}));
        const auto admin = adminOf(*server, connectionDefaults());
        VERIFY_OK(admin);
        QCOMPARE((*admin)->variable("blockCompressor").value_or("?"), std::string("zlib"));
        const auto facts = (*admin)->facts();
        VERIFY_OK(facts);
        QCOMPARE(toText(facts->variables.at("blockCompressor")), std::string("zlib"));
    }

    //! As a set of its own it takes writes at once, after a restart too.
    void mongodIsASetOfOne()
    {
        if (basedirIn("DYNO_TEST_MONGOD").empty())
            QSKIP("DYNO_TEST_MONGOD does not name a mongod");
        if (!driverFor("mongodb"))
            QSKIP("this build has no MongoDB driver");
        const auto server = create(
            managedUri("mongodb", {{"basedir", folderIn("DYNO_TEST_MONGOD")}, {"transport", std::string("tcp")}}));
        QVERIFY(server);
        for (const double cache : {0.25, 0.5}) {
            VERIFY_OK(server->ensure({{"replSetName", std::string("rs")}, {"cacheSizeGB", cache}}));
            VERIFY_OK(insert(*server, cache < 0.5 ? 1 : 2));
            const auto admin = adminOf(*server, connectionDefaults());
            VERIFY_OK(admin);
            const auto facts = (*admin)->facts();
            VERIFY_OK(facts);
            QCOMPARE(toText(facts->variables.at("hello.setName")), std::string("rs"));
        }
        QCOMPARE(countOf(*server), std::int64_t(2));
    }
};

} // namespace dyno::tst_managed_mongo

DYNO_SUITE(tst_managed_mongo, dyno::tst_managed_mongo::TestManagedMongo)
#include "tst_managed_mongo.moc"
