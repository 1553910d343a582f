// SPDX-License-Identifier: GPL-3.0-or-later
// What errors of a server and of libmongoc come to, what an answer counts, and which product is recognised. Answers are
// as the servers give them.
#include "driver/mongodb/mongodb_admin.h"
#include "driver/mongodb/mongodb_command.h"
#include "driver/mongodb/mongodb_product.h"
#include "driver/mongodb/mongodb_reply.h"
#include "support/suite.h"
#include "workload/document_command.h"

#include <QTest>

#include <algorithm>

namespace dyno::tst_mongodb_outcomes {

namespace {

//! JSON → document, freed with it.
struct Json
{
    explicit Json(const char* text)
    {
        bson_error_t error;
        if (!bson_init_from_json(&bson, text, -1, &error))
            qFatal("%s: %s", text, error.message);
    }
    Json(const Json&) = delete;
    Json& operator=(const Json&) = delete;
    ~Json() { bson_destroy(&bson); }
    bson_t bson;
};

bson_error_t errorOf(std::uint32_t domain, std::uint32_t code)
{
    bson_error_t error{};
    error.domain = domain;
    error.code = code;
    return error;
}

} // namespace

class TstMongodbOutcomes : public QObject
{
    Q_OBJECT

private slots:
    //! Answers to explain as MongoDB's manual shows them, and one of a server with plans of its own.
    void plansOfAnswers_data()
    {
        QTest::addColumn<QString>("answer");
        QTest::addColumn<QStringList>("steps"); // with the collection that is read whole
        QTest::newRow("index")
            << R"({"queryPlanner": {"namespace": "test.a.b", "winningPlan": {"stage": "FETCH", "inputStage":
            {"stage": "IXSCAN", "keyPattern": {"n": 1}, "indexName": "n_1"}}, "rejectedPlans": []}, "ok": 1})"
            << QStringList{"FETCH", "  IXSCAN n_1"};
        QTest::newRow("whole collection") << R"({"queryPlanner": {"namespace": "test.a.b", "winningPlan":
            {"stage": "COLLSCAN", "direction": "forward"}}})"
                                          << QStringList{"COLLSCAN: a.b"};
        QTest::newRow("two engines") << R"({"queryPlanner": {"namespace": "test.c", "winningPlan": {"queryPlan":
            {"stage": "COLLSCAN", "planNodeId": 1}, "slotBasedPlan": {"stages": "…"}}}})"
                                     << QStringList{"COLLSCAN: c"};
        QTest::newRow("several inputs") << R"({"queryPlanner": {"namespace": "test.c", "winningPlan": {"stage": "OR",
            "inputStages": [{"stage": "IXSCAN", "indexName": "a_1"}, {"stage": "IXSCAN", "indexName": "b_1"}]}}})"
                                        << QStringList{"OR", "  IXSCAN a_1", "  IXSCAN b_1"};
        QTest::newRow("aggregation")
            << R"({"stages": [{"$cursor": {"queryPlanner": {"namespace": "test.c", "winningPlan":
            {"stage": "COLLSCAN"}}}}, {"$group": {}}]})"
            << QStringList{"COLLSCAN: c"};
        QTest::newRow("cluster")
            << R"({"queryPlanner": {"mongosPlannerVersion": 1, "winningPlan": {"stage": "SHARD_MERGE",
            "shards": [{"shardName": "s0", "namespace": "test.c", "winningPlan": {"stage": "COLLSCAN"}}, {"shardName":
            "s1", "namespace": "test.c", "winningPlan": {"queryPlan": {"stage": "IXSCAN", "indexName": "n_1"}}}]}}})"
            << QStringList{"SHARD_MERGE", "  COLLSCAN: c", "  IXSCAN n_1"};
        QTest::newRow("aggregation on a cluster")
            << R"({"splitPipeline": {}, "shards": {"s0": {"stages": [{"$cursor": {"queryPlanner": {
            "namespace": "test.c", "winningPlan": {"stage": "COLLSCAN"}}}}]}, "s1": {"queryPlanner": {"namespace": "test.c", "winningPlan":
            {"stage": "EOF"}}}}})"
            << QStringList{"COLLSCAN: c", "EOF"};
        QTest::newRow("another server") << R"({"queryPlanner": {"Plan": "SCAN t"}})"
                                        << QStringList{R"({ "queryPlanner" : { "Plan" : "SCAN t" } })"};
        QTest::newRow("none") << R"({"ok": 1})" << QStringList{};
    }
    void plansOfAnswers()
    {
        QFETCH(QString, answer);
        const Json json(answer.toUtf8().constData());
        KeptRows kept;
        kept.begin(Keep::All);
        mongodb::keepPlan(json.bson, kept);
        QStringList steps;
        for (std::size_t row = 0; row < kept.rows(); ++row) {
            const auto text = [&kept, row](std::size_t column) {
                const Param value = kept.at(row, column);
                return QString::fromUtf8(value.text.data(), qsizetype(value.text.size()));
            };
            steps << text(0) + (text(1).isEmpty() ? "" : ": " + text(1));
        }
        QTEST(steps, "steps");
    }
    //! What the check of a script takes, the driver takes too: the two read JSON each in its own way.
    void commandsOfScriptsCompile_data()
    {
        QTest::addColumn<QByteArray>("filter");
        constexpr int kLevels = 96; // with the command itself, 97
        QTest::newRow("deepest") << QByteArray("{\"a\":").repeated(kLevels - 1) + "{\"a\": \":v\"}" +
                                        QByteArray("}").repeated(kLevels - 1);
        for (const char* filter :
             {R"({"a": ":v", "b": {"$regex": "x", "$options": "i"}})", R"({"a": {"$in": [":v", {"$oid":
             "0123456789abcdef01234567"}]}})",
              R"({"$or": [{"a": {"$gt": ":v"}}, {"b": {"$options": "i", "$regex": "x"}}]})",
              R"({"a": {"$exists": true, "$type": ":v"}})", R"({"\u0061": {"n": ":v", "$regex": "x"}})"})
            QTest::newRow(filter) << QByteArray(filter);
    }
    void commandsOfScriptsCompile()
    {
        QFETCH(QByteArray, filter);
        const QByteArray text = "{\"find\": \"c\", \"filter\": " + filter + "}";
        const auto read = readDocumentCommand(text.toStdString(), 0);
        QVERIFY2(read, read ? "" : read.error().what.c_str());
        QCOMPARE(read->variables.size(), std::size_t(1));
        StatementSpec spec;
        spec.text = QByteArray(text).replace(":v", "?").toStdString();
        spec.parameters = {Param::Type::Integer};
        for (const char* form : {"", R"({"explain": )"}) {
            if (*form != 0)
                spec.text = form + spec.text + "}";
            const auto compiled = mongodb::CommandTemplate::compile(spec);
            QVERIFY2(compiled, compiled ? "" : compiled.error().message.c_str());
            QCOMPARE(compiled->parameters(), std::size_t(1));
        }
    }
    //! findAndModify gives one document, or null.
    void modifiedDocumentsAreKept()
    {
        KeptRows kept;
        kept.begin(Keep::LastNamed);
        mongodb::keepDocuments(Json(R"({"value": {"_id": 3, "n": 1.5}, "ok": 1})").bson, kept);
        QCOMPARE(kept.rows(), std::size_t(1));
        QCOMPARE(kept.at(0, kept.find(0, "_id")).integer, std::int64_t(3));
        QCOMPARE(kept.at(0, kept.find(0, "n")).real, 1.5);
        kept.begin(Keep::LastNamed);
        mongodb::keepDocuments(Json(R"({"value": null, "ok": 1})").bson, kept);
        QCOMPARE(kept.rows(), std::size_t(0));
    }
    //! As a variable, binary data would go back as a text, which is another value.
    void binaryDataAreNoVariables()
    {
        const Json answer(
            R"({"cursor": {"firstBatch": [{"a": {"$binary": {"base64": "AQI=", "subType": "00"}}}], "id": 0}})");
        KeptRows kept;
        kept.begin(Keep::LastNamed);
        mongodb::keepDocuments(answer.bson, kept);
        QVERIFY(kept.at(0, kept.find(0, "a")).type == Param::Type::Null);
        kept.begin(Keep::Last);
        mongodb::keepDocuments(answer.bson, kept);
        QCOMPARE(kept.at(0, 0).text, std::string_view("\x01\x02"));
    }
    //! Names of serverStatus as mongod 4.4 to 8.0 tell them, and of WiredTiger as its dist/stat_data.py has them.
    void kindsOfCounters()
    {
        const std::vector<const char*> levels{
            "mem.resident",
            "uptimeMillis",
            "connections.threaded",
            "metrics.cursor.open.total",
            "metrics.repl.buffer.sizeBytes",
            "queues.execution.write.out",
            "wiredTiger.cache.bytes belonging to page images in the cache",
            "wiredTiger.cache.bytes not belonging to page images in the cache",
            "wiredTiger.cache.bytes belonging to the history store table in the cache",
            "wiredTiger.cache.tracked dirty pages in the cache",
            "wiredTiger.cache.pages currently held in the cache",
            "wiredTiger.cache.maximum bytes configured",
            "wiredTiger.cache.eviction state",
            "wiredTiger.cache.eviction empty score",
            "wiredTiger.cache.eviction worker thread active",
            "wiredTiger.cache.files with active eviction walks",
            "wiredTiger.cursor.cached cursor count",
            "wiredTiger.cursor.open cursor count",
            "wiredTiger.data-handle.connection data handle size",
            "wiredTiger.log.total log buffer size",
            "wiredTiger.session.open session count",
            "wiredTiger.thread-state.active filesystem write calls",
            "wiredTiger.transaction.transaction read timestamp of the oldest active reader",
            "wiredTiger.transaction.transaction range of timestamps pinned by the oldest timestamp",
        };
        const std::vector<const char*> counts{
            "flowControl.isLaggedCount",
            "metrics.commands.currentOp.total",
            "metrics.commands.shardingState.total",
            "metrics.aggStageCounters.$currentOp",
            "wiredTiger.cache.bytes dirty in the cache cumulative",
            "wiredTiger.cache.eviction walk target pages histogram - 0-9",
            "wiredTiger.cache.eviction walk target strategy both clean and dirty pages",
            "wiredTiger.cache.operations timed out waiting for space in cache",
            "wiredTiger.cache.pages evicted because they exceeded the in-memory maximum",
            "wiredTiger.cache.pages read into cache after truncate in prepare state",
            "wiredTiger.lock.read timestamp queue lock application thread time waiting (usecs)",
            "wiredTiger.log.log files manually zero-filled",
            "wiredTiger.reconciliation.pages written including an aggregated oldest start timestamp ",
            "wiredTiger.session.session query timestamp calls",
            "wiredTiger.thread-yield.page acquire eviction blocked",
            "wiredTiger.transaction.set timestamp calls",
            "wiredTiger.transaction.set timestamp durable updates",
            "wiredTiger.transaction.transaction checkpoint total time (msecs)",
        };
        for (const bool rate : {false, true}) {
            for (const char* path : rate ? counts : levels) {
                std::string text = "1"; // a document in a document for each part of the path
                for (QStringList parts = QString(path).split('.'); !parts.isEmpty(); parts.removeLast())
                    text = "{\"" + parts.back().toStdString() + "\": " + text + "}";
                const Json status(text.c_str());
                const std::vector<CounterInfo> counters = mongodb::countersOf(status.bson);
                QCOMPARE(counters.size(), std::size_t(1));
                QCOMPARE(counters.front().name, std::string(path));
                QVERIFY2(counters.front().rate == rate, path);
            }
        }
    }

    //! The server's list of commands takes no place from what is of more use behind it.
    void mostCounters()
    {
        std::string commands;
        for (std::size_t i = 0; i < kMostCounters; ++i)
            commands += (i == 0 ? "\"c" : ", \"c") + std::to_string(i) + "\": {\"failed\": 0, \"total\": 1}";
        const std::string text = "{\"metrics\": {\"commands\": {" + commands +
                                 "}, \"ttl\": {\"deletedDocuments\": 1}, \"operation\": {\"writeConflicts\": 2}}}";
        const Json status(text.c_str());
        const std::vector<CounterInfo> counters = mongodb::countersOf(status.bson);
        QCOMPARE(counters.size(), kMostCounters);
        QCOMPARE(counters.at(0).name, std::string("metrics.operation.writeConflicts"));
        QVERIFY(!counters.at(0).hidden);
        QCOMPARE(counters.at(1).name, std::string("metrics.ttl.deletedDocuments"));
        QVERIFY(counters.at(1).hidden);
        QCOMPARE(counters.at(2).name, std::string("metrics.commands.c0.failed"));
    }

    void serverCodes_data()
    {
        QTest::addColumn<int>("code");
        QTest::addColumn<int>("outcome");
        QTest::addColumn<bool>("primaryLost");
        const auto row = [](const char* name, int code, Outcome outcome, bool primaryLost = false) {
            QTest::newRow(name) << code << int(outcome) << primaryLost;
        };
        row("duplicate key", 11000, Outcome::Rejected);
        row("BadValue", 2, Outcome::Rejected);
        row("Unauthorized", 13, Outcome::Rejected);
        row("AuthenticationFailed", 18, Outcome::Rejected);
        row("NamespaceNotFound", 26, Outcome::Rejected);
        row("CommandNotFound", 59, Outcome::Rejected);
        row("UnsatisfiableWriteConcern", 100, Outcome::Rejected);
        row("BSONObjectTooLarge", 10334, Outcome::Rejected);
        row("IllegalOperation", 20, Outcome::Rejected);
        row("WriteConflict", 112, Outcome::Retryable);
        row("LockTimeout", 24, Outcome::Retryable);
        row("SnapshotUnavailable", 246, Outcome::Retryable);
        row("CursorNotFound", 43, Outcome::Retryable);
        row("CursorKilled", 237, Outcome::Retryable);
        row("HostUnreachable", 6, Outcome::Retryable);
        row("HostNotFound", 7, Outcome::Retryable);
        row("NetworkTimeout", 89, Outcome::Retryable);
        row("SocketException", 9001, Outcome::Retryable);
        row("ExceededTimeLimit", 262, Outcome::Retryable);
        row("ReadConcernMajorityNotAvailableYet", 134, Outcome::Retryable);
        row("ShutdownInProgress", 91, Outcome::Retryable, true);
        row("PrimarySteppedDown", 189, Outcome::Retryable, true);
        row("NotWritablePrimary", 10107, Outcome::Retryable, true);
        row("InterruptedAtShutdown", 11600, Outcome::Retryable, true);
        row("InterruptedDueToReplStateChange", 11602, Outcome::Retryable, true);
        row("NotPrimaryNoSecondaryOk", 13435, Outcome::Retryable, true);
        row("NotPrimaryOrSecondary", 13436, Outcome::Retryable, true);
        row("MaxTimeMSExpired", 50, Outcome::TimedOut);
        row("WriteConcernFailed", 64, Outcome::TimedOut);
        row("NetworkInterfaceExceededTimeLimit", 202, Outcome::TimedOut);
    }
    void serverCodes()
    {
        QFETCH(int, code);
        QFETCH(int, outcome);
        QFETCH(bool, primaryLost);
        QCOMPARE(int(mongodb::outcomeOfServer(code)), outcome);
        QCOMPARE(int(mongodb::outcomeOf(errorOf(MONGOC_ERROR_SERVER, std::uint32_t(code)), nullptr)), outcome);
        QCOMPARE(mongodb::lostPrimary(code), primaryLost);
    }

    void libraryErrors_data()
    {
        QTest::addColumn<int>("domain");
        QTest::addColumn<int>("code");
        QTest::addColumn<int>("outcome");
        const auto row = [](const char* name, int domain, int code, Outcome outcome) {
            QTest::newRow(name) << domain << code << int(outcome);
        };
        row("socket", MONGOC_ERROR_STREAM, MONGOC_ERROR_STREAM_SOCKET, Outcome::Disconnected);
        row("connect", MONGOC_ERROR_STREAM, MONGOC_ERROR_STREAM_CONNECT, Outcome::Disconnected);
        row("name", MONGOC_ERROR_STREAM, MONGOC_ERROR_STREAM_NAME_RESOLUTION, Outcome::Disconnected);
        row("no server", MONGOC_ERROR_SERVER_SELECTION, MONGOC_ERROR_SERVER_SELECTION_FAILURE, Outcome::Disconnected);
        row("unreadable", MONGOC_ERROR_PROTOCOL, MONGOC_ERROR_PROTOCOL_INVALID_REPLY, Outcome::Disconnected);
        row("too old", MONGOC_ERROR_PROTOCOL, MONGOC_ERROR_PROTOCOL_BAD_WIRE_VERSION, Outcome::Rejected);
        row("password", MONGOC_ERROR_CLIENT, MONGOC_ERROR_CLIENT_AUTHENTICATE, Outcome::Rejected);
        row("scram", MONGOC_ERROR_SCRAM, MONGOC_ERROR_SCRAM_PROTOCOL_ERROR, Outcome::Rejected);
        row("argument", MONGOC_ERROR_COMMAND, MONGOC_ERROR_COMMAND_INVALID_ARG, Outcome::Rejected);
        row("transaction", MONGOC_ERROR_TRANSACTION, MONGOC_ERROR_TRANSACTION_INVALID_STATE, Outcome::Rejected);
    }
    void libraryErrors()
    {
        QFETCH(int, domain);
        QFETCH(int, code);
        QFETCH(int, outcome);
        QCOMPARE(int(mongodb::outcomeOf(errorOf(std::uint32_t(domain), std::uint32_t(code)), nullptr)), outcome);
    }

    //! A label goes before the number; without a connection it is of no use.
    void labels()
    {
        const Json labelled(R"({"ok": 0, "code": 251, "errorLabels": ["TransientTransactionError"]})");
        const Json other(R"({"ok": 0, "code": 251, "errorLabels": ["UnknownTransactionCommitResult"]})");
        const bson_error_t noSuchTransaction = errorOf(MONGOC_ERROR_SERVER, 251);
        QVERIFY(mongodb::outcomeOf(noSuchTransaction, &labelled.bson) == Outcome::Retryable);
        QVERIFY(mongodb::outcomeOf(noSuchTransaction, &other.bson) == Outcome::Rejected);
        QVERIFY(mongodb::outcomeOf(noSuchTransaction, nullptr) == Outcome::Rejected);
        QVERIFY(mongodb::outcomeOf(errorOf(MONGOC_ERROR_STREAM, 4), &labelled.bson) == Outcome::Disconnected);
    }

    void answers_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("documents");
        QTest::addColumn<int>("affected");
        QTest::addColumn<int>("code");
        const auto row = [](const char* name, const char* text, int documents, int affected, int code) {
            QTest::newRow(name) << text << documents << affected << code;
        };
        row("insert", R"({"n": 3, "ok": 1})", 0, 3, 0);
        row("update", R"({"n": 5, "nModified": 2, "ok": 1})", 0, 2, 0);
        row("upsert",
            R"({"n": 2, "nModified": 0, "upserted": [{"index": 0, "_id": 1}, {"index": 1, "_id": 2}], "ok": 1})", 0, 2,
            0);
        row("find", R"({"cursor": {"firstBatch": [{"_id": 1}, {"_id": 2}], "id": 0, "ns": "d.t"}, "ok": 1})", 2, 0, 0);
        row("getMore", R"({"cursor": {"nextBatch": [{"_id": 1}], "id": 0, "ns": "d.t"}, "ok": 1})", 1, 0, 0);
        row("distinct", R"({"values": [1, 2, 3], "ok": 1})", 3, 0, 0);
        row("findAndModify", R"({"lastErrorObject": {"n": 1, "updatedExisting": true}, "value": {"_id": 1}, "ok": 1})",
            1, 1, 0);
        row("nothing found", R"({"lastErrorObject": {"n": 0, "updatedExisting": false}, "value": null, "ok": 1})", 0, 0,
            0);
        row("unknown fields",
            R"({"new": {"n": 7, "cursor": 1}, "n": 1, "electionId": {"$oid": "7fffffff0000000000000001"},
            "$clusterTime": {"clusterTime": 5}, "cursor": 12, "upserted": "x", "writeErrors": {}, "ok": 1})",
            0, 1, 0);
        row("write errors", R"({"n": 1, "writeErrors": [{"index": 1, "code": 11000, "errmsg": "E11000 dup"},
            {"index": 2, "code": 2, "errmsg": "x"}], "ok": 1})",
            0, 1, 11000);
        row("write concern", R"({"n": 1, "writeConcernError": {"code": 64, "errmsg": "timed out"}, "ok": 1})", 0, 1,
            64);
        row("error without a number", R"({"n": 0, "writeErrors": [{"index": 0}], "ok": 1})", 0, 0, -1);
        row("empty", "{}", 0, 0, 0);
    }
    void answers()
    {
        QFETCH(QString, text);
        QFETCH(int, documents);
        QFETCH(int, affected);
        QFETCH(int, code);
        const Json json(qPrintable(text));
        const mongodb::Answer answer = mongodb::readAnswer(json.bson);
        QCOMPARE(answer.documents, std::int64_t(documents));
        QCOMPARE(answer.affected, std::int64_t(affected));
        QCOMPARE(answer.errorCode, code);
        QCOMPARE(answer.error.empty(), code == 0);
    }
    void openCursor()
    {
        const Json json(R"({"cursor": {"id": {"$numberLong": "7"}, "ns": "my_db.a.b", "firstBatch": []}, "ok": 1})");
        const mongodb::Answer answer = mongodb::readAnswer(json.bson);
        QCOMPARE(answer.cursor, std::int64_t(7));
        QCOMPARE(std::string(answer.collection), std::string("a.b"));
    }

    void products_data()
    {
        QTest::addColumn<QString>("build");
        QTest::addColumn<QString>("hello");
        QTest::addColumn<QString>("status");
        QTest::addColumn<QString>("host");
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("transactions");
        QTest::addColumn<bool>("unacknowledged");
        const char* mongod = R"({"version": "6.0.12", "gitVersion": "21e6e8e11a45dfbdb7ca6cf95fa8c5f859e2b118",
            "modules": [], "allocator": "tcmalloc", "storageEngines": ["devnull", "wiredTiger"]})";
        const char* none = "{}";
        QTest::newRow("mongod") << mongod << none << R"({"storageEngine": {"name": "wiredTiger"}})"
                                << "h"
                                << "MongoDB 6.0.12" << false << true;
        QTest::newRow("replica set") << mongod << R"({"setName": "rs0"})" << none << "h"
                                     << "MongoDB 6.0.12" << true << true;
        QTest::newRow("mongos") << mongod << R"({"msg": "isdbgrid"})" << none << "h"
                                << "MongoDB 6.0.12" << true << true;
        QTest::newRow("FerretDB 1")
            << R"({"version": "7.0.42", "gitVersion": "21e6e8e11a45dfbdb7ca6cf95fa8c5f859e2b118",
            "modules": [], "ferretdbVersion": "v1.24.0", "ferretdbFeatures": {}})"
            << none << none << "h"
            << "FerretDB 1.24.0 (speaks as MongoDB 7.0.42)" << false << false;
        QTest::newRow("FerretDB 2")
            << R"({"version": "7.0.77", "gitVersion": "21e6e8e11a45dfbdb7ca6cf95fa8c5f859e2b118",
            "modules": [], "allocator": "x", "ferretdb": {"version": "v2.7.0", "package": "unknown"}})"
            << R"({"setName": "x"})" << none << "h"
            << "FerretDB 2.7.0 (speaks as MongoDB 7.0.77)" << false << false;
        QTest::newRow("mongo-java-server")
            << R"({"version": "5.0.0", "maxBsonObjectSize": 16777216})" << none << R"({"process": "java"})"
            << "h"
            << "mongo-java-server (speaks as MongoDB 5.0.0)" << false << false;
        QTest::newRow("Amazon") << mongod << none << none << "c.cluster-x.eu-west-1.docdb.amazonaws.com"
                                << "Amazon DocumentDB (speaks as MongoDB 6.0.12)" << true << false;
        QTest::newRow("Cosmos") << R"({"_t": "BuildInfoResponse", "version": "4.2.0"})" << none << none << "h"
                                << "Azure Cosmos DB (speaks as MongoDB 4.2.0)" << false << false;
        QTest::newRow("unknown") << R"({"version": "4.4.0"})" << none << none << "h"
                                 << "MongoDB-compatible server (speaks as MongoDB 4.4.0)" << false << false;
    }
    void products()
    {
        QFETCH(QString, build);
        QFETCH(QString, hello);
        QFETCH(QString, status);
        QFETCH(QString, host);
        QFETCH(QString, text);
        QFETCH(bool, transactions);
        QFETCH(bool, unacknowledged);
        const Json buildInfo(qPrintable(build));
        const Json helloAnswer(qPrintable(hello));
        const Json statusAnswer(qPrintable(status));
        const mongodb::Product product =
            mongodb::productOf(buildInfo.bson, helloAnswer.bson, statusAnswer.bson, host.toStdString());
        QCOMPARE(QString::fromStdString(product.text()), text);
        QCOMPARE(product.noTransactions.empty(), transactions);
        QCOMPARE(product.honoursUnacknowledged, unacknowledged);
    }

    //! A member of a set, by its name there and its role; a server that is in none tells no role.
    void whoAnswers()
    {
        const Json primary("{\"host\": \"box:27017\", \"repl\": {\"setName\": \"rs0\", \"isWritablePrimary\": true,"
                           " \"secondary\": false, \"me\": \"db1:27017\", \"primary\": \"db1:27017\"}}");
        const Json older("{\"host\": \"db2:27017\", \"repl\": {\"ismaster\": false, \"secondary\": true}}");
        const Json alone("{\"host\": \"db3\", \"uptime\": 7}");
        const ServerSelf first = mongodb::selfOf(primary.bson), second = mongodb::selfOf(older.bson),
                         third = mongodb::selfOf(alone.bson);
        QVERIFY(first.name == "db1:27017" && first.writes == true && !first.asked);
        // Restarted, without a valid configuration yet: the same one.
        const Json restarted(
            "{\"host\": \"box:27017\", \"repl\": {\"setName\": \"rs0\", \"isWritablePrimary\": false}}");
        const ServerSelf again = mongodb::selfOf(restarted.bson);
        QVERIFY(again.identity == first.identity && again.identity != second.identity && again.name == "box:27017");
        QVERIFY(second.name == "db2:27017" && second.writes == false);
        QVERIFY(third.name == "db3" && !third.writes && third.identity != second.identity);
    }
};

} // namespace dyno::tst_mongodb_outcomes

DYNO_SUITE(tst_mongodb_outcomes, dyno::tst_mongodb_outcomes::TstMongodbOutcomes)
#include "tst_mongodb_outcomes.moc"
