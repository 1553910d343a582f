// SPDX-License-Identifier: GPL-3.0-or-later
// What only a real mongod does (DYNO_TEST_MONGOD names the program): its counters and sizes, access control, TLS for
// everybody, replica sets of one and of three with a primary that steps down or dies, writes without acknowledgement.
#include "driver/mongodb/mongodb_admin.h"
#include "driver/mongodb/mongodb_command.h"
#include "mongodb_test.h"
#include "recording_sink.h"
#include "support/patience.h"
#include "support/suite.h"

#include <dyno/preflight.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <fmt/format.h>
#include <thread>

namespace dyno::tst_mongod {
using namespace dyno::test;

namespace {

constexpr unsigned kInsert = 0, kFind = 1;

StatementSet statements()
{
    StatementSpec insert;
    insert.text = R"({"insert": "t", "documents": [{"_id": "?", "v": "x"}]})";
    insert.parameters = {Param::Type::Integer};
    StatementSpec find;
    find.text = R"({"find": "t", "filter": {}})";
    find.returnsRows = true;
    return {insert, find};
}

Reply insert(Session& session, std::int64_t id)
{
    const std::array params = {Param::of(id)};
    return execute(session, kInsert, params);
}

PreflightItem itemOf(const PreflightReport& report, std::string_view id)
{
    for (const PreflightItem& one : report.items) {
        if (one.id == id)
            return one;
    }
    return {};
}

double valueOf(Admin& admin, std::string_view counter)
{
    const auto infos = admin.counters();
    const auto values = admin.counterValues();
    for (std::size_t i = 0; values && i < infos.size(); ++i) {
        if (infos[i].name == counter)
            return (*values)[i];
    }
    return -1;
}

//! A session of YCSB A whose users wait for a connection longer than an election lasts.
Plan ycsbPlan(const TargetUri& uri)
{
    Plan plan;
    plan.target.uri = uri.display();
    plan.workload.name = "ycsb";
    plan.workload.params = {
        {"workload", std::string("a")}, {"recordcount", std::int64_t(200)}, {"fieldlength", std::int64_t(10)}};
    plan.load.users = {3};
    plan.load.intervalSeconds = 0.25;
    plan.load.reconnectSeconds = 30;
    return plan;
}

#define NEEDS_MONGOD()                                                                                                 \
    do {                                                                                                               \
        if (const std::string why = MongoFixture::whyMissing(MongoProduct::Mongod); !why.empty())                      \
            QSKIP(why.c_str());                                                                                        \
    } while (false)

} // namespace

class TstMongod : public QObject
{
    Q_OBJECT

    //! Runs the plan and does `fault` once the load has lasted for a second; the run must come to its end with work
    //! done before and after.
    void runThrough(const TargetUri& uri, double seconds, const std::function<void()>& fault, RecordingSink& sink)
    {
        Plan plan = ycsbPlan(uri);
        plan.load.timeSeconds = seconds;
        std::atomic<bool> begun{false}, over{false};
        std::thread other;
        sink.sampleHook = [&](const IntervalSample& sample) {
            if (sample.tNs > 900'000'000 && !begun.exchange(true))
                other = std::thread([&] {
                    fault();
                    over.wait(false); // a server goes with the thread that started it
                });
        };
        runPlan(plan, {}, sink);
        over = true;
        over.notify_all();
        if (other.joinable())
            other.join();
        QStringList events;
        for (const RunEvent& event : sink.events.empty() ? std::vector<RunEvent>() : sink.events.front())
            events << QString::number(double(event.tNs) / 1e9) + u' ' + QString::fromStdString(event.text);
        QVERIFY2(sink.session.status == RunStatus::Done,
                 qPrintable(QString::fromStdString(sink.session.reason) + u'\n' + events.join(u'\n')));
        QVERIFY(begun);
        QCOMPARE(sink.summaries.size(), std::size_t(1));
        const auto& samples = sink.samples.front();
        QVERIFY(samples.size() > 8);
        QVERIFY(samples.front().transaction.count > 0);
        QVERIFY2(samples.back().transaction.count > 0, qPrintable("it did not come back\n" + events.join(u'\n')));
        QVERIFY(sink.summaries.front().transactions > 100);
    }

private slots:
    void initTestCase() { NEEDS_MONGOD(); }

    //! The same on every connection, so that a second session finds the lock on its settings.
    void hasAnIdentity()
    {
        MongoFixture server, other;
        for (MongoFixture* one : {&server, &other})
            VERIFY_OK(one->startOwn({.product = MongoProduct::Mongod}));
        const auto identityOf = [](MongoFixture& one) -> std::string {
            auto admin = one.admin();
            const auto facts = admin ? (*admin)->facts() : tl::unexpected(admin.error());
            return facts ? driverFor("mongodb")->serverIdentity(facts->variables) : facts.error().text();
        };
        const std::string identity = identityOf(server);
        QVERIFY2(identity.starts_with("mongodb process="), identity.c_str());
        QCOMPARE(identityOf(server), identity);
        QVERIFY(identityOf(other) != identity);
    }

    void countersOfWiredTiger()
    {
        MongoFixture server;
        VERIFY_OK(server.startOwn({.product = MongoProduct::Mongod}));
        auto admin = server.admin();
        VERIFY_OK(admin);
        QStringList names;
        for (const CounterInfo& counter : (*admin)->counters())
            names << QString::fromStdString(counter.name);
        for (const char* name :
             {"opcounters.insert", "wiredTiger.cache.tracked dirty bytes in the cache",
              "wiredTiger.cache.bytes currently in the cache", "wiredTiger.cache.modified pages evicted",
              "wiredTiger.cache.unmodified pages evicted", "wiredTiger.log.log bytes written",
              "wiredTiger.log.log sync operations", "wiredTiger.connection.total fsync I/Os",
              "wiredTiger.transaction.transaction checkpoints", "connections.current"})
            QVERIFY2(names.contains(QLatin1String(name)), name);
        const auto counters = (*admin)->counters(); // with all numbers of the document, of sections within sections
        QVERIFY(counters.size() > 400 && counters.size() <= kMostCounters);
        const auto lookUps =
            std::ranges::find(counters, std::string("wiredTiger.cursor.cursor insert calls"), &CounterInfo::name);
        QVERIFY(lookUps != counters.end() && lookUps->hidden && lookUps->rate);
        const double inserts = valueOf(**admin, "opcounters.insert");
        const double journal = valueOf(**admin, "wiredTiger.log.log bytes written");
        const double syncs = valueOf(**admin, "wiredTiger.log.log sync operations");
        const SessionPtr session = connectedSession(server.target(statements(), {{"journal", std::string("on")}}));
        for (int i = 0; i < 50; ++i)
            COMPARE_OK(*session, insert(*session, i));
        QCOMPARE(valueOf(**admin, "opcounters.insert") - inserts, 50.0);
        QVERIFY(valueOf(**admin, "wiredTiger.log.log bytes written") > journal);
        QVERIFY(valueOf(**admin, "wiredTiger.log.log sync operations") - syncs >= 50); // j: true waits for one each
        QVERIFY(valueOf(**admin, "wiredTiger.cache.tracked dirty bytes in the cache") > 0);
        const double checkpoints = valueOf(**admin, "wiredTiger.transaction.transaction checkpoints");
        VERIFY_OK((*admin)->execute(R"({"fsync": 1})"));
        QVERIFY(valueOf(**admin, "wiredTiger.transaction.transaction checkpoints") > checkpoints);
    }

    //! The same documents under each compressor: the size before compression is the same, that on disk is not.
    void sizesOfCompressors()
    {
        MongoFixture server;
        VERIFY_OK(server.startOwn({.product = MongoProduct::Mongod}));
        auto admin = server.admin();
        VERIFY_OK(admin);
        constexpr int kDocuments = 3000;
        for (const char* compressor : {"none", "snappy", "zlib"}) {
            VERIFY_OK((*admin)->execute(fmt::format(
                R"({{"create": "{0}", "storageEngine": {{"wiredTiger": {{"configString": "block_compressor={0}"}}}}}})",
                compressor)));
            std::string command = fmt::format(R"({{"insert": "{}", "documents": [)", compressor);
            for (int id = 0; id < kDocuments; ++id) {
                std::string text;
                while (text.size() < 400)
                    text += fmt::format("{} and ", (id * 7919 + int(text.size()) * 31) % 1000);
                command += fmt::format(R"({}{{"_id": {}, "v": "{}"}})", id == 0 ? "" : ",", id, text);
            }
            VERIFY_OK((*admin)->execute(command + "]}"));
        }
        const std::uint64_t stale = (*admin)->dataBytes({}); // as of the last checkpoint
        QVERIFY((*admin)->settle({}));
        const std::uint64_t loaded = (*admin)->dataBytes({});
        QVERIFY2(loaded > stale && loaded > kDocuments * 400,
                 qPrintable(QString("%1, then %2").arg(stale).arg(loaded)));
        for (const char* compressor :
             {"none", "snappy", "zlib"}) // what a run changed is on disk when its sizes are told
            VERIFY_OK((*admin)->execute(fmt::format(R"({{"insert": "{}", "documents": [{{"_id": -1, "v": "{}"}}]}})",
                                                    compressor, std::string(2'000'000, 'x'))));
        std::map<std::string, std::uint64_t> parts;
        for (const DataPart& part : (*admin)->dataParts({}))
            parts[part.kind + " " + part.name] = part.bytes;
        const std::uint64_t plain = parts["before compression none"];
        QVERIFY(plain > kDocuments * 400);
        QCOMPARE(parts["before compression snappy"], plain);
        QCOMPARE(parts["before compression zlib"], plain);
        QVERIFY2(parts["collection none"] >= plain * 9 / 10, qPrintable(QString::number(parts["collection none"])));
        QVERIFY(parts["collection snappy"] > 0 && parts["collection snappy"] < parts["collection none"] * 9 / 10);
        QVERIFY(parts["collection zlib"] > 0 && parts["collection zlib"] < parts["collection snappy"]);
        QVERIFY(parts["index none._id_"] > 0);
        QVERIFY((*admin)->dataBytes({}) >= parts["collection none"]);
    }

    void preflightLines()
    {
        MongoFixture server;
        VERIFY_OK(server.startOwn({.product = MongoProduct::Mongod}));
        auto admin = server.admin();
        VERIFY_OK(admin);
        PreflightNeeds needs;
        needs.users = 4;
        needs.creates = true;
        needs.dataBytes = 10 << 20;
        auto report = (*admin)->preflight(needs);
        VERIFY_OK(report);
        QVERIFY(!report->blocked());
        for (const char* id : {"product", "connections", "open_files", "data_size"})
            QVERIFY2(itemOf(*report, id).level == PreflightLevel::Ok, (id + itemOf(*report, id).what).c_str());
        QVERIFY(itemOf(*report, "product").what.starts_with("MongoDB " + report->server.version));
        QVERIFY(itemOf(*report, "product").what.find("wiredTiger") != std::string::npos);
        QVERIFY(itemOf(*report, "durability").what.find("the journal is on") != std::string::npos);
        needs.dataBytes = std::uint64_t(1) << 30;
        needs.users = 100000;
        needs.largestRequest = std::uint64_t(1) << 30;
        needs.transactions = true;
        report = (*admin)->preflight(needs);
        VERIFY_OK(report);
        QCOMPARE(itemOf(*report, "data_size").level, PreflightLevel::Warning);
        QVERIFY(itemOf(*report, "data_size").what.find("256 MiB") != std::string::npos);
        for (const char* id : {"connections", "open_files", "request_size", "transactions"})
            QVERIFY2(itemOf(*report, id).level == PreflightLevel::Blocker, (id + itemOf(*report, id).what).c_str());
        const PreflightItem transactions = itemOf(*report, "transactions");
        QVERIFY2(transactions.what.find("replica set") != std::string::npos, transactions.what.c_str());
        QVERIFY2(transactions.remedy.find("4.0") != std::string::npos, transactions.remedy.c_str());
    }

    //! What the server was started with is told under the names of the knobs.
    void optionsAreReadBack()
    {
        MongoFixture server;
        VERIFY_OK(server.startOwn({.product = MongoProduct::Mongod, .options = {"--syncdelay", "30"}}));
        auto admin = server.admin();
        VERIFY_OK(admin);
        QCOMPARE((*admin)->variable("cacheSizeGB").value_or("?"), std::string("0.25"));
        QCOMPARE((*admin)->variable("storage.wiredTiger.engineConfig.cacheSizeGB").value_or("?"), std::string("0.25"));
        QCOMPARE((*admin)->variable("syncPeriodSecs").value_or("?"), std::string("30"));
        QCOMPARE((*admin)->variable("net.bindIp").value_or("?"), std::string("127.0.0.1"));
        const auto untold = (*admin)->variable("blockCompressor");
        QVERIFY(!untold);
        QVERIFY2(untold.error().message.find("started without") != std::string::npos, untold.error().text().c_str());
        const auto unknown = (*admin)->variable("no.such.option");
        QVERIFY(!unknown && unknown.error().message.find("no.such.option") != std::string::npos);
    }

    //! Nobody answers, nobody tells errors, and what was sent is there.
    void unacknowledgedWrites()
    {
        MongoFixture server;
        VERIFY_OK(server.startOwn({.product = MongoProduct::Mongod}));
        auto admin = server.admin();
        VERIFY_OK(admin);
        const SessionPtr session = connectedSession(server.target(statements(), {{"write_concern", std::string("0")}}));
        for (int i = 0; i < 500; ++i)
            COMPARE_OK(*session, insert(*session, i));
        COMPARE_OK(*session, insert(*session, 1));      // is there already: only the server knows
        COMPARE_OK(*session, execute(*session, kFind)); // the answer belongs to this question
        QTRY_COMPARE((*admin)->rowCount("t").value_or(-1), std::int64_t(500));
        COMPARE_OK(*session, execute(*session, kFind));
        QCOMPARE(session->reply().rows, std::int64_t(500));
        const auto quiet = driverFor("mongodb")->admin(*server.target({}, {{"write_concern", std::string("0")}}));
        VERIFY_OK(quiet);
        const auto report = (*quiet)->preflight({});
        VERIFY_OK(report);
        QVERIFY(!report->blocked());
        QCOMPARE(itemOf(*report, "write_concern").level, PreflightLevel::Warning);
    }

    void users()
    {
        MongoFixture server;
        VERIFY_OK(server.startOwn({.product = MongoProduct::Mongod, .users = true}));
        auto admin = server.admin();
        VERIFY_OK(admin);
        QVERIFY(server.uriText().find(server.uri().password) == std::string::npos);
        VERIFY_OK((*admin)->execute(fmt::format(
            R"({{"createUser": "ann", "pwd": "s3cret-Pa55", "roles": [{{"role": "readWrite", "db": "{}"}}]}})",
            server.uri().database)));
        TargetUri uri = server.uri();
        uri.user = "ann";
        uri.password = "s3cret-Pa55";
        uri.query = {{"authSource", uri.database}};
        for (const char* mechanism : {"", "SCRAM-SHA-1"}) {
            const SessionPtr session =
                connectedSession(mongoTarget(uri, statements(), {{"auth_mechanism", std::string(mechanism)}}));
            COMPARE_OK(*session, execute(*session, kFind));
        }
        // who may only read and write is not told more than that
        auto ann = driverFor("mongodb")->admin(*mongoTarget(uri));
        VERIFY_OK(ann);
        const auto facts = (*ann)->facts();
        VERIFY_OK(facts);
        QCOMPARE(facts->product, std::string("MongoDB"));
        const auto set = (*ann)->setVariable("notablescan", Value(false));
        QVERIFY(!set);
        QVERIFY2(set.error().remedy.find("grant") != std::string::npos, set.error().text().c_str());
        const auto option = (*ann)->variable("cacheSizeGB");
        QVERIFY(!option);
        QVERIFY2(option.error().remedy.find("clusterMonitor") != std::string::npos, option.error().text().c_str());
        VERIFY_OK((*ann)->preflight({}));
        // nor may she ask for a checkpoint: sizes are told, but nothing of compression
        VERIFY_OK((*ann)->execute(R"({"insert": "t", "documents": [{"_id": 1}]})"));
        const std::vector<DataPart> parts = (*ann)->dataParts({});
        QVERIFY(std::ranges::any_of(
            parts, [](const DataPart& part) { return part.kind == "collection" && part.name == "t"; }));
        QVERIFY(std::ranges::none_of(parts, [](const DataPart& part) { return part.kind == "before compression"; }));
        // wrong password, wrong place, nobody
        TargetUri wrong = uri;
        wrong.password = "wr0ng-Pa55";
        TargetUri elsewhere = uri;
        elsewhere.query = {{"authSource", "admin"}};
        for (const TargetUri& one : {wrong, elsewhere}) {
            const auto refused = driverFor("mongodb")->admin(*mongoTarget(one));
            QVERIFY(!refused);
            QCOMPARE(refused.error().kind, ErrorKind::Refused);
            const std::string text = refused.error().text();
            QVERIFY2(text.find("Pa55") == std::string::npos && text.find("127.0.0.1") != std::string::npos &&
                         refused.error().remedy.find("password") != std::string::npos &&
                         refused.error().remedy.find("auth_source") != std::string::npos,
                     text.c_str());
            const SessionPtr session = openMongoSession(mongoTarget(one, statements()));
            QVERIFY(run(*session, Request::step(RequestKind::Connect)).outcome == Outcome::Rejected);
            QVERIFY2(session->lastError().find("Pa55") == std::string::npos, session->lastError().c_str());
        }
        TargetUri nobody = uri;
        nobody.user.clear();
        nobody.password.clear();
        nobody.query.clear();
        const SessionPtr session = openMongoSession(mongoTarget(nobody, statements()));
        QVERIFY(run(*session, Request::step(RequestKind::Connect)).outcome == Outcome::Rejected);
        QVERIFY2(session->lastError().find("error 13") != std::string::npos, session->lastError().c_str());
        auto asked = driverFor("mongodb")->admin(*mongoTarget(nobody));
        VERIFY_OK(asked);
        const auto count = (*asked)->rowCount("t");
        QVERIFY(!count);
        QVERIFY2(count.error().remedy.find("name a user") != std::string::npos, count.error().text().c_str());
    }

    //! TLS for everybody, with certificates on both sides, and a user that is a certificate.
    void certificatesForEverybody()
    {
        MongoFixture server;
        VERIFY_OK(server.startOwn({.product = MongoProduct::Mongod, .tls = true, .clientCertificates = true}));
        TargetUri uri = server.uri();
        const auto plain = driverFor("mongodb")->admin(*mongoTarget(uri, {}, {{"server_selection_timeout", 2.0}}));
        QVERIFY(!plain);
        QCOMPARE(plain.error().kind, ErrorKind::Unreachable);
        QVERIFY2(plain.error().remedy.find("TLS") != std::string::npos, plain.error().text().c_str());
        auto admin = server.admin();
        VERIFY_OK(admin);
        QCOMPARE((*admin)->facts()->cipher, std::string("TLS"));
        TargetUri external = uri;
        Settings knobs = server.neededKnobs();
        knobs.emplace("auth_mechanism", std::string("MONGODB-X509"));
        external.user = "CN=nobody";
        const auto stranger = driverFor("mongodb")->admin(*mongoTarget(external, {}, knobs));
        QVERIFY(!stranger);
        QVERIFY2(!stranger.error().remedy.empty(), stranger.error().text().c_str());

        // The user whose name is the certificate's subject, named or left for the certificate to say.
        const auto create =
            mongodb::JsonCommand::parse(R"({"createUser": "CN=client", "roles": [{"role": "root", "db": "admin"}]})");
        VERIFY_OK(create);
        VERIFY_OK(static_cast<mongodb::MongodbAdmin&>(**admin).run(create->bson(), "$external"));
        for (const char* name : {"CN=client", ""}) {
            external.user = name;
            const auto known = driverFor("mongodb")->admin(*mongoTarget(external, {}, knobs));
            VERIFY_OK(known);
            const auto who = (*known)->query(R"({"connectionStatus": 1})");
            VERIFY_OK(who);
            QVERIFY2(who->at(0).at(0).find("CN=client") != std::string::npos, who->at(0).at(0).c_str());
            const SessionPtr session = connectedSession(mongoTarget(external, statements(), knobs));
            COMPARE_OK(*session, insert(*session, name[0] == 'C' ? 1 : 2));
        }
    }

    //! Alone in its set it is a primary; what needs others cannot be had, and says so.
    void setOfOne()
    {
        MongoFixture server;
        VERIFY_OK(server.startOwn({.product = MongoProduct::Mongod, .members = 1}));
        auto admin = server.admin();
        VERIFY_OK(admin);
        const auto report = (*admin)->preflight({});
        VERIFY_OK(report);
        QCOMPARE(itemOf(*report, "replica_set").level, PreflightLevel::Ok);
        QVERIFY2(itemOf(*report, "replica_set").what.find("PRIMARY") != std::string::npos,
                 itemOf(*report, "replica_set").what.c_str());
        const SessionPtr all = connectedSession(
            server.target(statements(), {{"write_concern", std::string("majority")}, {"journal", std::string("on")}}));
        COMPARE_OK(*all, insert(*all, 1));
        const SessionPtr two = connectedSession(
            server.target(statements(), {{"write_concern", std::string("2")}, {"write_timeout", 1.0}}));
        QVERIFY(insert(*two, 2).outcome != Outcome::Ok);
        QCOMPARE(two->reply().code, 100); // UnsatisfiableWriteConcern
        QVERIFY(!two->lastError().empty());
        const bool old = report->server.version.starts_with("3.");
        const Reply begun = run(*all, Request::step(RequestKind::Begin));
        QCOMPARE(begun.outcome, old ? Outcome::Rejected : Outcome::Ok);
        if (!old)
            return;
        QVERIFY2(all->lastError().find("4.0") != std::string::npos, all->lastError().c_str());
        PreflightNeeds needs;
        needs.transactions = true;
        const PreflightItem item = itemOf(*(*admin)->preflight(needs), "transactions");
        QCOMPARE(item.level, PreflightLevel::Blocker);
        QVERIFY2(item.what.find("4.0") != std::string::npos, item.what.c_str());
    }

    void setOfThree()
    {
        MongoFixture server;
        VERIFY_OK(server.startOwn({.product = MongoProduct::Mongod, .members = 3}));
        QCOMPARE(server.primary(), 0);
        for (const char* concern : {"majority", "2", "3"}) {
            const SessionPtr session = connectedSession(server.target(
                statements(),
                {{"write_concern", std::string(concern)}, {"journal", std::string("on")}, {"write_timeout", 10.0}}));
            COMPARE_OK(*session, insert(*session, concern[0]));
        }
        // Reads go where the preference says: the members count them.
        const auto queries = [&server](std::size_t member) {
            auto admin = driverFor("mongodb")->admin(*mongoTarget(server.memberUri(member)));
            return admin ? valueOf(**admin, "opcounters.query") : -1;
        };
        for (const bool secondary : {false, true}) {
            const SessionPtr session = connectedSession(
                server.target(statements(), {{"read_preference", std::string(secondary ? "secondary" : "primary")}}));
            std::array<double, 3> before{queries(0), queries(1), queries(2)};
            for (int i = 0; i < 40; ++i) {
                COMPARE_OK(*session, execute(*session, kFind));
                QCOMPARE(session->reply().rows, std::int64_t(3));
            }
            const double atPrimary = queries(0) - before[0];
            const double atOthers = queries(1) - before[1] + queries(2) - before[2];
            QVERIFY2(secondary ? atOthers >= 40 && atPrimary < 40 : atPrimary >= 40 && atOthers < 40,
                     qPrintable(QString("%1 at the primary, %2 at others").arg(atPrimary).arg(atOthers)));
        }
        steppedDown(server);
        primaryKilled(server);
    }

    //! A mongod that stands alone dies under load and comes back.
    void killedAndRestarted()
    {
        MongoFixture server;
        VERIFY_OK(server.startOwn({.product = MongoProduct::Mongod}));
        RecordingSink sink;
        runThrough(
            server.uri(), 4,
            [&server] {
                server.kill();
                static_cast<void>(server.restart());
            },
            sink);
        if (QTest::currentTestFailed())
            return;
        QVERIFY(sink.summaries.front().reconnects > 0);
        // Its counters came with the intervals before; what its process uses is not ours to ask.
        const auto& counters = sink.runs.front().counters;
        const auto queries = std::find_if(counters.begin(), counters.end(),
                                          [](const CounterInfo& one) { return one.name == "opcounters.query"; });
        QVERIFY(queries != counters.end());
        const auto index = std::size_t(queries - counters.begin());
        QVERIFY(std::any_of(sink.samples.front().begin(), sink.samples.front().end(),
                            [index](const IntervalSample& sample) {
                                return index < sample.counters.size() && sample.counters[index] > 0;
                            }));
        QVERIFY(!sink.summaries.front().serverCpuUsPerOp && !sink.summaries.front().serverSwitchesPerOp);
    }

private:
    void steppedDown(MongoFixture& server)
    {
        RecordingSink sink;
        runThrough(
            server.uri(), 9,
            [&server] {
                // The connection of whoever asks may end with it.
                if (auto admin = driverFor("mongodb")->admin(*mongoTarget(server.memberUri(0))))
                    static_cast<void>((*admin)->execute(R"({"replSetStepDown": 10, "secondaryCatchUpPeriodSecs": 5})"));
            },
            sink);
        if (QTest::currentTestFailed())
            return;
        const RunSummary& summary = sink.summaries.front();
        QVERIFY2(summary.retried + summary.reconnects > 0, "nobody noticed");
        QVERIFY(server.primary() >= 0);
    }

    void primaryKilled(MongoFixture& server)
    {
        const int primary = server.primary();
        QVERIFY(primary >= 0);
        RecordingSink sink;
        runThrough(
            server.uri(), 9, [&server, primary] { server.kill(std::size_t(primary)); }, sink);
        if (QTest::currentTestFailed())
            return;
        QVERIFY(sink.summaries.front().reconnects > 0);
        const int next = server.primary();
        QVERIFY(next >= 0 && next != primary);
        auto admin = server.admin();
        VERIFY_OK(admin);
        const auto report = (*admin)->preflight({});
        VERIFY_OK(report);
        QCOMPARE(itemOf(*report, "replica_set").level, PreflightLevel::Warning); // one is down
        VERIFY_OK(server.restart(std::size_t(primary)));
    }
};

} // namespace dyno::tst_mongod

DYNO_SUITE(tst_mongod, dyno::tst_mongod::TstMongod)
#include "tst_mongod.moc"
