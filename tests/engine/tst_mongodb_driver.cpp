// SPDX-License-Identifier: GPL-3.0-or-later
// The MongoDB driver against a real server that speaks its protocol.
#include "mongo_servers.h"
#include "mongodb_test.h"
#include "support/suite.h"

#include <dyno/preflight.h>

#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QUrl>
#include <algorithm>
#include <fmt/format.h>
#include <thread>

namespace dyno::tst_mongodb_driver {
using namespace dyno::test;

namespace {

enum Statement : unsigned { kInsert, kFind, kFindAll, kSet, kUpsert, kDelete, kNested, kMissing, kBroken, kTwice };

StatementSet statements()
{
    using Type = Param::Type;
    const auto spec = [](std::string text, std::vector<Type> parameters = {}, bool rows = false) {
        StatementSpec result;
        result.text = std::move(text);
        result.parameters = std::move(parameters);
        result.returnsRows = rows;
        return result;
    };
    return {
        spec(R"({"insert": "t", "documents": [{"_id": "?", "v": "?", "w": "?"}]})"),
        spec(R"({"find": "t", "filter": {"_id": "?"}, "limit": 1})", {Type::Integer}, true),
        spec(R"({"find": "t", "filter": {}, "batchSize": 100})", {}, true),
        spec(R"({"update": "t", "updates": [{"q": {"_id": "?"}, "u": {"$set": {"v": "?"}}}]})"),
        spec(R"({"update": "t", "updates": [{"q": {"_id": "?"}, "u": {"$set": {"v": "?"}}, "upsert": true}]})"),
        spec(R"({"delete": "t", "deletes": [{"q": {"_id": "?"}, "limit": 1}]})"),
        spec(R"({"insert": "t", "documents": [{"_id": "?", "a": [1, "?", {"b": "?"}, "x?"], "n": {"$numberLong": "5"},
                     "d": {"e": [{"f": "?"}]}}]})"),
        spec(R"({"find": "t", "filter": {"_id": "?"}})"),
        spec(R"({"find": "t", "filter": )"),
        spec(R"({"find": "t", "filter": {"_id": "?"}})", {Type::Integer, Type::Integer})};
}

} // namespace

class TstMongodbDriver : public QObject
{
    Q_OBJECT

    std::string cell(std::string_view command)
    {
        const auto rows = m_admin->query(command);
        if (!rows)
            qWarning("%s", rows.error().text().c_str());
        return rows && !rows->empty() && !rows->front().empty() ? rows->front().front() : std::string("(no row)");
    }
    SessionPtr connected(const Settings& connection = {})
    {
        return connectedSession(server().target(statements(), connection));
    }
    static Reply insert(Session& session, std::int64_t id, Param value = {})
    {
        const Param params[] = {Param::of(id), value, Param::of(std::string_view("w"))};
        return execute(session, kInsert, params);
    }

    [[nodiscard]] const MongoFixture& server() const { return *m_servers.server(); }
    [[nodiscard]] bool ferretdb() const { return server().own() && !server().mongod(); }

    MongoServers m_servers;
    Admin* m_admin = nullptr;

private slots:
    void initTestCase_data() { MongoServers::addRows(false); }
    void initTestCase()
    {
        if (const std::string why = MongoFixture::whyMissing(); !why.empty())
            QSKIP(why.c_str());
    }
    void init()
    {
        DYNO_TAKE_MONGO(m_servers);
        m_admin = m_servers.admin();
        VERIFY_OK(m_admin->drop("t"));
    }

    void commandsAndCounts()
    {
        const SessionPtr session = connected();
        for (std::int64_t id = 1; id <= 3; ++id) {
            COMPARE_OK(*session, insert(*session, id, Param::of(id * 10)));
            QCOMPARE(session->reply().affected, std::int64_t(1));
        }
        const Param one[] = {Param::of(std::int64_t(1))};
        COMPARE_OK(*session, execute(*session, kFind, one));
        QCOMPARE(session->reply().rows, std::int64_t(1));
        const Param none[] = {Param::of(std::int64_t(99))};
        COMPARE_OK(*session, execute(*session, kFind, none));
        QCOMPARE(session->reply().rows, std::int64_t(0));
        COMPARE_OK(*session, execute(*session, kFindAll));
        QCOMPARE(session->reply().rows, std::int64_t(3));
        QCOMPARE(session->reply().affected, std::int64_t(0));

        const Param set[] = {Param::of(std::int64_t(2)), Param::of(std::string_view("new"))};
        COMPARE_OK(*session, execute(*session, kSet, set));
        QCOMPARE(session->reply().affected, std::int64_t(1));
        COMPARE_OK(*session, execute(*session, kSet, set)); // matched, not modified
        QCOMPARE(session->reply().affected, std::int64_t(0));
        const Param fresh[] = {Param::of(std::int64_t(50)), Param::of(std::string_view("new"))};
        COMPARE_OK(*session, execute(*session, kSet, fresh));
        QCOMPARE(session->reply().affected, std::int64_t(0));
        COMPARE_OK(*session, execute(*session, kUpsert, fresh));
        QCOMPARE(session->reply().affected, std::int64_t(1));
        COMPARE_OK(*session, execute(*session, kDelete, std::span(fresh).first(1)));
        QCOMPARE(session->reply().affected, std::int64_t(1));
        QCOMPARE(*m_admin->rowCount("t"), std::int64_t(3));
    }

    //! Operations under way with the names of their fields alone.
    void snapshots()
    {
        if (ferretdb()) { // it tells of no operation that it does not know
            const auto parts = m_admin->snapshot();
            QVERIFY(!parts || parts->at(0).title == "Operations");
            return;
        }
        const SessionPtr session = connected();
        COMPARE_OK(*session, insert(*session, 1));
        auto other = server().admin();
        VERIFY_OK(other);
        for (const bool large : {false, true}) { // of a large one the server tells a text, with its values
            const std::string values = "\"geheim" + std::string(large ? 4000 : 1, 'x') + '"';
            std::thread busy([&] {
                (void)(*other)->query(fmt::format(R"({{"find": "t", "filter": {{"$where": "sleep(500) || 'geheim'", )"
                                                  R"("k": {{"$nin": [{}]}}}}, "limit": 4711}})",
                                                  values));
            });
            std::string command;
            (void)QTest::qWaitFor([&] {
                const auto parts = m_admin->snapshot();
                for (const std::vector<std::string>& row : parts ? parts->at(0).rows : TextRows())
                    command = row.back().starts_with(large ? "$truncated" : "find") ? row.back() : command;
                return !command.empty();
            });
            busy.join();
            const std::string told = large ? "$truncated {" : "find t {filter: {$where, k: {$nin}}, limit";
            QVERIFY2(command.starts_with(told), command.c_str());
            QVERIFY2(command.find("geheim") == std::string::npos && command.find("4711") == std::string::npos,
                     command.c_str());
        }
    }

    //! Every type arrives as it is, in nested documents and arrays too.
    void typesAndNesting()
    {
        const SessionPtr session = connected();
        const std::string unicode = "Gr\u00fc\u00dfe, \u4e16\u754c \U0001F600 \"?\" \\";
        const Param values[] = {Param::of(std::int64_t(7)), Param::of(std::int64_t(3'000'000'000)), Param::of(0.25),
                                Param::of(std::string_view(unicode)), Param{}};
        const char* texts[] = {"7", "3000000000", "0.25", unicode.c_str(), ""};
        const char* types[] = {"int", "long", "double", "string", "null"};
        for (std::size_t i = 0; i < std::size(values); ++i) {
            VERIFY_OK(m_admin->drop("t"));
            COMPARE_OK(*session, insert(*session, 1, values[i]));
            const auto columns = m_admin->describe("t");
            VERIFY_OK(columns);
            QCOMPARE(columns->at(1).type, std::string(types[i]));
            QCOMPARE(m_admin->query(R"({"find": "t", "filter": {"_id": 1}})")->front().at(1), std::string(texts[i]));
        }
        const Param nested[] = {Param::of(std::int64_t(9)), Param::of(std::string_view("in an array")), Param::of(1.5),
                                Param{}};
        COMPARE_OK(*session, execute(*session, kNested, nested));
        const auto row = m_admin->query(R"({"find": "t", "filter": {"_id": 9}})");
        VERIFY_OK(row);
        QCOMPARE(row->front().at(1), std::string(R"([ 1, "in an array", { "b" : 1.5 }, "x?" ])"));
        QCOMPARE(row->front().at(2), std::string("5"));
        QCOMPARE(row->front().at(3), std::string(R"({ "e" : [ { "f" : null } ] })"));
    }

    void cursorsAreReadToTheirEnd()
    {
        const SessionPtr session = connected();
        std::string command = R"({"insert": "t", "documents": [)";
        for (int i = 0; i < 1000; ++i)
            command += fmt::format(R"({}{{"_id": {}, "v": "value {}"}})", i == 0 ? "" : ",", i, i);
        COMPARE_OK(*session, json(*session, command + "]}"));
        QCOMPARE(session->reply().affected, std::int64_t(1000));
        COMPARE_OK(*session, execute(*session, kFindAll)); // ten batches
        QCOMPARE(session->reply().rows, std::int64_t(1000));
        COMPARE_OK(*session,
                   json(*session, R"({"aggregate": "t", "pipeline": [{"$match": {}}], "cursor": {"batchSize": 300}})"));
        QCOMPARE(session->reply().rows, std::int64_t(1000));
        COMPARE_OK(*session, json(*session, R"({"find": "t", "filter": {}, "limit": 250, "batchSize": 100})"));
        QCOMPARE(session->reply().rows, std::int64_t(250));
        QCOMPARE(m_admin->query(R"({"find": "t", "filter": {}, "batchSize": 70})")->size(), std::size_t(1000));
        QCOMPARE(*m_admin->rowCount("t"), std::int64_t(1000));
    }

    void otherCommands()
    {
        const SessionPtr session = connected();
        for (std::int64_t id = 1; id <= 4; ++id)
            COMPARE_OK(*session, insert(*session, id, Param::of(id % 2)));
        COMPARE_OK(*session,
                   json(*session, R"({"findAndModify": "t", "query": {"_id": 1}, "update": {"$set": {"v": 9}}})"));
        QCOMPARE(session->reply().rows, std::int64_t(1));
        QCOMPARE(session->reply().affected, std::int64_t(1));
        COMPARE_OK(*session, json(*session, R"({"distinct": "t", "key": "w"})"));
        QCOMPARE(session->reply().rows, std::int64_t(1));
        COMPARE_OK(
            *session,
            json(*session, R"({"update": "t", "updates": [{"q": {}, "u": {"$set": {"x": 1}}, "multi": true}]})"));
        QCOMPARE(session->reply().affected, std::int64_t(4));
        COMPARE_OK(*session, json(*session, R"({"delete": "t", "deletes": [{"q": {"v": 0}, "limit": 0}]})"));
        QCOMPARE(session->reply().affected, std::int64_t(2));
    }

    void rejections()
    {
        const SessionPtr session = connected();
        const Param id[] = {Param::of(std::int64_t(1))};
        // the workload's fault, told before anything is sent
        QVERIFY(execute(*session, kBroken).outcome == Outcome::Rejected);
        QVERIFY2(session->lastError().find("JSON") != std::string::npos, session->lastError().c_str());
        QVERIFY(run(*session, Request::prepare(StatementId{kBroken})).outcome == Outcome::Rejected);
        QVERIFY(execute(*session, kTwice, id).outcome == Outcome::Rejected);
        QVERIFY2(session->lastError().find("parameters") != std::string::npos, session->lastError().c_str());
        QVERIFY(execute(*session, kSet, id).outcome == Outcome::Rejected);
        QVERIFY(execute(*session, 1000).outcome == Outcome::Rejected);
        QVERIFY(session->reply().code != 0);
        const Request bulk{.kind = RequestKind::Bulk, .text = "t (a)", .value = "1\n"};
        QVERIFY(run(*session, bulk).outcome == Outcome::Rejected);
        QVERIFY(!session->lastError().empty());
        // the server's
        COMPARE_OK(*session, insert(*session, 1));
        const Reply duplicate = insert(*session, 1);
        QVERIFY(duplicate.outcome == Outcome::Rejected);
        QCOMPARE(duplicate.code, 11000);
        QVERIFY2(session->lastError().find("uplicate key") != std::string::npos, session->lastError().c_str());
        // of many, the rest is counted
        QVERIFY(
            json(*session, R"({"insert": "t", "documents": [{"_id": 5}, {"_id": 1}, {"_id": 6}], "ordered": false})")
                .outcome == Outcome::Rejected);
        QCOMPARE(session->reply().affected, std::int64_t(2));
        QCOMPARE(session->reply().code, 11000);
        QVERIFY(json(*session, R"({"noSuchCommand": 1})").outcome == Outcome::Rejected);
        QCOMPARE(session->reply().code, 59);
        COMPARE_OK(*session, insert(*session, 2));
    }

    //! Larger than a message may be, or a document on this server: an error, and the session goes on.
    void oversizeDocument()
    {
        const SessionPtr session = connected();
        const std::string message(50 * 1024 * 1024, 'x');
        const Reply refused = insert(*session, 1, Param::of(std::string_view(message)));
        QVERIFY2(refused.outcome == Outcome::Rejected, session->lastError().c_str());
        QVERIFY(refused.code != 0);
        QVERIFY(session->lastError().size() < 1000);
        const std::string_view document = std::string_view(message).substr(0, 17 * 1024 * 1024);
        const Reply large = insert(*session, 2, Param::of(document));
        const bool taken = large.outcome == Outcome::Ok; // FerretDB 1 does
        QVERIFY2(taken || large.outcome == Outcome::Rejected, session->lastError().c_str());
        QVERIFY(!taken || m_admin->facts()->product != "MongoDB");
        COMPARE_OK(*session, insert(*session, 3));
        COMPARE_OK(*session, execute(*session, kFindAll));
        QCOMPARE(session->reply().rows, std::int64_t(taken ? 2 : 1));
    }

    void describeAndCreate()
    {
        QVERIFY(m_admin->describe("t")->empty());
        VERIFY_OK(m_admin->execute(R"({"create": "t"})"));
        QVERIFY(m_admin->describe("t")->empty());
        VERIFY_OK(m_admin->execute(R"({"create": "t"})")); // there and empty is as good
        VERIFY_OK(m_admin->execute(R"({"createIndexes": "t", "indexes": [{"key": {"K": 1}, "name": "k"}]})"));
        VERIFY_OK(m_admin->execute(
            R"({"insert": "t", "documents": [{"_id": 1, "K": 2.5, "text": "x", "list": [1], "sub": {"a": 1}}]})"));
        const auto columns = m_admin->describe("t");
        VERIFY_OK(columns);
        std::string shape;
        for (const ColumnShape& column : *columns)
            shape += column.name + " " + column.type + ",";
        QCOMPARE(shape, std::string("_id int,k double,text string,list array,sub object,"));
        const auto again = m_admin->execute(R"({"create": "t"})");
        QVERIFY(!again);
        QVERIFY2(again.error().text().find("\"t\"") != std::string::npos, again.error().text().c_str());
        QVERIFY(m_admin->dataBytes({}) > 0);
        std::map<std::string, std::uint64_t> parts;
        for (const DataPart& part : m_admin->dataParts({}))
            parts[part.kind + " " + part.name] = part.bytes;
        QVERIFY(parts["collection t"] > 0);
        QVERIFY(parts["before compression t"] > 0);
        QVERIFY(parts.contains("index t._id_") && parts.contains("index t.k"));
        VERIFY_OK(m_admin->drop("t"));
        QVERIFY(std::ranges::none_of(m_admin->dataParts({}), [](const DataPart& part) { return part.name == "t"; }));
        VERIFY_OK(m_admin->drop("t"));
        QCOMPARE(*m_admin->rowCount("t"), std::int64_t(0));
        const auto unusable = m_admin->execute("DROP TABLE t");
        QVERIFY(!unusable);
        QVERIFY2(unusable.error().text().find("DROP TABLE t") != std::string::npos, unusable.error().text().c_str());
    }

    void unfinishedLoads()
    {
        using Names = std::vector<std::string>;
        const auto sorted = [this] {
            auto names = m_admin->unfinishedLoads().value_or(Names{"error"});
            std::sort(names.begin(), names.end());
            return names;
        };
        QCOMPARE(sorted(), Names());
        VERIFY_OK(m_admin->setUnfinishedLoads({"a", "b"}));
        QCOMPARE(sorted(), (Names{"a", "b"}));
        VERIFY_OK(m_admin->setUnfinishedLoads({"b", "c"}));
        QCOMPARE(sorted(), (Names{"b", "c"}));
        VERIFY_OK(m_admin->setUnfinishedLoads({}));
        QCOMPARE(sorted(), Names());
        const auto left =
            m_admin->query(R"({"listCollections": 1, "nameOnly": true, "filter": {"name": "dynobench_loading"}})");
        VERIFY_OK(left);
        QVERIFY(left->empty());
    }

    //! What was loaded is remembered in a collection that goes with its last note and is no part of the data.
    void dataNotes()
    {
        const auto notes = [this] { return m_admin->dataNotes().value_or(DataNotes{{"error", ""}}); };
        QCOMPARE(notes(), DataNotes());
        VERIFY_OK(m_admin->setDataNotes({{"a", "form&x=1%202"}, {"b", "form&y=2"}}));
        VERIFY_OK(m_admin->setDataNotes({{"a", "form&x=3"}}));
        QCOMPARE(notes(), (DataNotes{{"a", "form&x=3"}, {"b", "form&y=2"}}));
        QVERIFY(std::ranges::none_of(m_admin->dataParts({}),
                                     [](const DataPart& part) { return part.name.starts_with("dynobench_meta"); }));
        VERIFY_OK(m_admin->setDataNotes({{"a", ""}, {"c", ""}}));
        QCOMPARE(notes(), (DataNotes{{"b", "form&y=2"}}));
        VERIFY_OK(m_admin->setDataNotes({{"b", ""}}));
        const auto left =
            m_admin->query(R"({"listCollections": 1, "nameOnly": true, "filter": {"name": "dynobench_meta"}})");
        VERIFY_OK(left);
        QVERIFY(left->empty());
    }

    void factsNameTheProduct()
    {
        const auto facts = m_admin->facts();
        VERIFY_OK(facts);
        QVERIFY(!facts->version.empty());
        QVERIFY(facts->roundTripMs > 0);
        QVERIFY(facts->variables.size() > 5);
        QCOMPARE(facts->transport, std::string("TCP"));
        for (const auto& [name, value] : facts->variables)
            QVERIFY2(QString::fromStdString(name).contains("pass", Qt::CaseInsensitive) == false, name.c_str());
        if (ferretdb()) {
            QCOMPARE(facts->product, std::string("FerretDB"));
            QVERIFY2(facts->version.starts_with("1."), facts->version.c_str());
            QVERIFY(facts->variables.contains("claimed MongoDB version"));
            QCOMPARE(driverFor("mongodb")->serverIdentity(facts->variables), std::string()); // it tells none
        }
        const auto counters = m_admin->counters();
        const auto values = m_admin->counterValues();
        VERIFY_OK(values);
        QCOMPARE(values->size(), counters.size());
        const auto hidden = std::ranges::find(counters, true, &CounterInfo::hidden);
        QVERIFY(hidden != counters.end() && counters.size() <= kMostCounters);
        QVERIFY(std::all_of(hidden, counters.end(), [](const CounterInfo& one) { return one.hidden; }));
        for (std::size_t i = 0; i < counters.size(); ++i)
            QVERIFY2(std::isfinite(values->at(i)), counters[i].name.c_str());
        const auto uptime = std::ranges::find(counters, std::string("uptime"), &CounterInfo::name);
        QVERIFY(uptime != counters.end() && uptime->hidden && !uptime->rate);
    }

    void parametersOfTheServer()
    {
        const auto unknown = m_admin->variable("no_such_parameter");
        QVERIFY(!unknown);
        QVERIFY2(unknown.error().text().find("no_such_parameter") != std::string::npos, unknown.error().text().c_str());
        const auto set = m_admin->setVariable("no_such_parameter", Value(std::int64_t(1)));
        QVERIFY(!set);
        QVERIFY2(set.error().text().find("no_such_parameter") != std::string::npos, set.error().text().c_str());
        QVERIFY(!m_admin->setVariable("a b", Value(true)));
        if (ferretdb()) {
            QCOMPARE(set.error().kind, ErrorKind::Refused);
            QVERIFY2(set.error().message.find("FerretDB") != std::string::npos, set.error().text().c_str());
        }
    }

    //! What the product does not honour is refused, not measured.
    void refusedProducts()
    {
        if (m_admin->facts()->product == "MongoDB")
            QSKIP("this server is a MongoDB, which honours both");
        const SessionPtr session = connected();
        QVERIFY(run(*session, Request::step(RequestKind::Begin)).outcome == Outcome::Rejected);
        QVERIFY2(session->lastError().find("transactions") != std::string::npos, session->lastError().c_str());
        COMPARE_OK(*session, run(*session, Request::step(RequestKind::Rollback)));
        const SessionPtr quiet = openMongoSession(server().target(statements(), {{"write_concern", std::string("0")}}));
        QVERIFY(run(*quiet, Request::step(RequestKind::Connect)).outcome == Outcome::Rejected);
        QVERIFY2(quiet->lastError().find("w=0") != std::string::npos, quiet->lastError().c_str());
        QVERIFY(insert(*quiet, 1).outcome == Outcome::Disconnected);
    }

    //! Where the server has transactions, what is rolled back is gone.
    void transactions()
    {
        const SessionPtr session = connected();
        if (run(*session, Request::step(RequestKind::Begin)).outcome == Outcome::Rejected)
            QSKIP(session->lastError().c_str());
        VERIFY_OK(m_admin->execute(R"({"create": "t"})"));
        COMPARE_OK(*session, insert(*session, 1));
        COMPARE_OK(*session, execute(*session, kFindAll));
        QCOMPARE(session->reply().rows, std::int64_t(1));
        QCOMPARE(*m_admin->rowCount("t"), std::int64_t(0));
        COMPARE_OK(*session, run(*session, Request::step(RequestKind::Rollback)));
        QCOMPARE(*m_admin->rowCount("t"), std::int64_t(0));
        COMPARE_OK(*session, run(*session, Request::step(RequestKind::Begin)));
        COMPARE_OK(*session, insert(*session, 2));
        // two users in each other's way
        const SessionPtr other = connected();
        COMPARE_OK(*other, run(*other, Request::step(RequestKind::Begin)));
        QVERIFY2(insert(*other, 2).outcome == Outcome::Retryable, other->lastError().c_str());
        COMPARE_OK(*other, run(*other, Request::step(RequestKind::Rollback)));
        COMPARE_OK(*session, run(*session, Request::step(RequestKind::Commit)));
        QCOMPARE(*m_admin->rowCount("t"), std::int64_t(1));
        COMPARE_OK(*session, run(*session, Request::step(RequestKind::Commit))); // nothing to do
    }

    void preflight()
    {
        const auto item = [](const PreflightReport& report, std::string_view id) {
            for (const PreflightItem& one : report.items) {
                if (one.id == id)
                    return one;
            }
            return PreflightItem{};
        };
        PreflightNeeds needs;
        needs.users = 4;
        const auto report = m_admin->preflight(needs);
        VERIFY_OK(report);
        QVERIFY(!report->blocked());
        QVERIFY(report->roundTripMs > 0);
        for (const PreflightItem& one : report->items)
            QVERIFY2(one.remedy.empty() == (one.level == PreflightLevel::Ok), one.id.c_str());
        const PreflightItem product = item(*report, "product");
        if (ferretdb()) {
            QCOMPARE(product.level, PreflightLevel::Warning);
            QVERIFY2(product.what.find("FerretDB 1.") != std::string::npos, product.what.c_str());
        }
        QVERIFY(!product.what.empty());
        needs.largestRequest = std::uint64_t(1) << 30;
        QCOMPARE(item(*m_admin->preflight(needs), "request_size").level, PreflightLevel::Blocker);
        if (report->server.product == "MongoDB")
            return;
        auto quiet = driverFor("mongodb")->admin(*server().target({}, {{"write_concern", std::string("0")}}));
        VERIFY_OK(quiet);
        const auto refused = (*quiet)->preflight(needs);
        VERIFY_OK(refused);
        QVERIFY(refused->blocked());
        QCOMPARE(item(*refused, "write_concern").level, PreflightLevel::Blocker);
        auto journalled = driverFor("mongodb")->admin(*server().target({}, {{"journal", std::string("on")}}));
        VERIFY_OK(journalled);
        QCOMPARE(item(*(*journalled)->preflight({}), "write_concern").level, PreflightLevel::Warning);
    }

    //! The library's command monitoring is there when it is asked for.
    void commandLog()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath("commands.log");
        {
            const SessionPtr session = connected({{"command_log", path.toStdString()}});
            COMPARE_OK(*session, insert(*session, 1));
            QVERIFY(json(*session, R"({"noSuchCommand": 1})").outcome == Outcome::Rejected);
        }
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        QVERIFY2(QRegularExpression(R"((^|\n)insert \d+ us \S+ ok\n)").match(QString::fromUtf8(text)).hasMatch(),
                 text.constData());
        QVERIFY2(
            QRegularExpression(R"(\nnoSuchCommand \d+ us \S+ failed: .+\n)").match(QString::fromUtf8(text)).hasMatch(),
            text.constData());
        QVERIFY(
            !driverFor("mongodb")->open(server().target({}, {{"command_log", folder.path().toStdString() + "/no/x"}})));
    }

    void concernsAndPreferences()
    {
        const SessionPtr session = connected({{"write_concern", std::string("majority")},
                                              {"journal", std::string("on")},
                                              {"write_timeout", 5.0},
                                              {"read_concern", std::string("local")},
                                              {"read_preference", std::string("nearest")},
                                              {"compressors", std::string("zlib")},
                                              {"retry_reads", std::string("on")},
                                              {"retry_writes", std::string("on")}});
        COMPARE_OK(*session, insert(*session, 1));
        COMPARE_OK(*session, execute(*session, kFindAll));
        QCOMPARE(session->reply().rows, std::int64_t(1));
        COMPARE_OK(*session, json(*session, R"({"find": "t", "filter": {}, "readConcern": {"level": "majority"}})"));
    }

    void badOptions_data()
    {
        QTest::addColumn<QString>("uri");
        QTest::addColumn<QString>("knob");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("says");
        QTest::newRow("w") << "mongodb://h/d"
                           << "write_concern"
                           << "-1"
                           << "majority";
        QTest::newRow("w and j") << "mongodb://h/d?w=0"
                                 << "journal"
                                 << "on"
                                 << "exclude";
        QTest::newRow("tls") << "mongodb://h/d?tls=maybe"
                             << ""
                             << ""
                             << "required";
        QTest::newRow("file") << "mongodb://h/d?tls=verify"
                              << "tls_ca"
                              << "/no/such/file"
                              << "/no/such/file";
        QTest::newRow("key without TLS") << "mongodb://localhost/d"
                                         << "tls_cert_key"
                                         << "/dev/null"
                                         << "TLS is off";
        QTest::newRow("compressor") << "mongodb://h/d"
                                    << "compressors"
                                    << "zlib,lzma"
                                    << "lzma";
        QTest::newRow("read preference") << "mongodb://h/d?readPreference=first"
                                         << ""
                                         << ""
                                         << "nearest";
        QTest::newRow("read concern") << "mongodb://h/d?readConcernLevel=low"
                                      << ""
                                      << ""
                                      << "majority";
        QTest::newRow("mechanism") << "mongodb://u@h/d?authMechanism=ROT13"
                                   << ""
                                   << ""
                                   << "SCRAM";
        QTest::newRow("retry") << "mongodb://h/d?retryWrites=maybe"
                               << ""
                               << ""
                               << "on or off";
        QTest::newRow("database") << "mongodb://h/a.b"
                                  << ""
                                  << ""
                                  << "database";
        QTest::newRow("direct") << "mongodb://h,i/d?directConnection=true"
                                << ""
                                << ""
                                << "one host";
    }
    void badOptions()
    {
        QFETCH(QString, uri);
        QFETCH(QString, knob);
        QFETCH(QString, value);
        QFETCH(QString, says);
        const auto parsed = parseUri(uri.toStdString());
        VERIFY_OK(parsed);
        Settings settings;
        if (!knob.isEmpty())
            settings.emplace(knob.toStdString(), value.toStdString());
        const auto target = mongoTarget(*parsed, {}, settings);
        std::const_pointer_cast<ConnectTarget>(target)->connection.insert_or_assign(knob.toStdString(),
                                                                                    value.toStdString());
        const auto session = driverFor("mongodb")->open(target);
        QVERIFY(!session);
        QCOMPARE(session.error().kind, ErrorKind::BadInput);
        QVERIFY2(QString::fromStdString(session.error().text()).contains(says), session.error().text().c_str());
        QVERIFY(!driverFor("mongodb")->admin(*target));
    }

    //! The pool lives as long as a session of its target.
    void sessionsShareOneTarget()
    {
        const auto target = server().target(statements());
        for (int round = 0; round < 2; ++round) {
            std::vector<SessionPtr> sessions;
            for (int i = 0; i < 8; ++i)
                sessions.push_back(connectedSession(target));
            for (int i = 0; i < 8; ++i)
                COMPARE_OK(*sessions[std::size_t(i)], insert(*sessions[std::size_t(i)], round * 8 + i));
        }
        QCOMPARE(*m_admin->rowCount("t"), std::int64_t(16));
    }

    void unixSocket()
    {
        if (const std::string why = MongoFixture::whyMissing(true); !why.empty())
            QSKIP(why.c_str());
        MongoFixture own;
        VERIFY_OK(own.startOwn({.unixSocket = true}));
        TargetUri uri = *parseUri("mongodb://" +
                                  QUrl::toPercentEncoding(QString::fromStdString(own.socket())).toStdString() + "/d");
        QCOMPARE(uri.host, own.socket());
        QCOMPARE(parseUri(uri.display())->host, own.socket());
        auto admin = driverFor("mongodb")->admin(*mongoTarget(uri));
        VERIFY_OK(admin);
        QCOMPARE((*admin)->facts()->transport, std::string("Unix socket"));
        const SessionPtr session = connectedSession(mongoTarget(uri, statements()));
        COMPARE_OK(*session, insert(*session, 1));
        QCOMPARE(*(*admin)->rowCount("t"), std::int64_t(1));
    }
};

} // namespace dyno::tst_mongodb_driver

DYNO_SUITE(tst_mongodb_driver, dyno::tst_mongodb_driver::TstMongodbDriver)
#include "tst_mongodb_driver.moc"
