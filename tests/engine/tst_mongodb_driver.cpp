// SPDX-License-Identifier: GPL-3.0-or-later
// The MongoDB driver against a real server that speaks its protocol.
#include "mongodb_test.h"

#include <fmt/format.h>

using namespace dyno;
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
    return {spec(R"({"insert": "t", "documents": [{"_id": "?", "v": "?", "w": "?"}]})"),
            spec(R"({"find": "t", "filter": {"_id": "?"}, "limit": 1})", {Type::Integer}, true),
            spec(R"({"find": "t", "filter": {}, "batchSize": 100})", {}, true),
            spec(R"({"update": "t", "updates": [{"q": {"_id": "?"}, "u": {"$set": {"v": "?"}}}]})"),
            spec(R"({"update": "t", "updates": [{"q": {"_id": "?"}, "u": {"$set": {"v": "?"}}, "upsert": true}]})"),
            spec(R"({"delete": "t", "deletes": [{"q": {"_id": "?"}, "limit": 1}]})"),
            spec(R"({"insert": "t", "documents": [{"_id": "?", "a": [1, ["?", {"b": "?"}], "x?"], "n": {"$numberLong": "5"},
                     "d": {"e": {"f": "?"}}}]})"),
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
        return connectedSession(m_server.target(statements(), connection));
    }
    static Reply insert(Session& session, std::int64_t id, Param value = {})
    {
        const Param params[] = {Param::of(id), value, Param::of(std::string_view("w"))};
        return execute(session, kInsert, params);
    }

    MongoFixture m_server;
    std::unique_ptr<Admin> m_admin;

private slots:
    void initTestCase()
    {
        DYNO_START_MONGO(m_server);
        auto admin = m_server.admin();
        VERIFY_DONE(admin);
        m_admin = std::move(*admin);
    }
    void init() { VERIFY_DONE(m_admin->drop("t")); }

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
};

QTEST_GUILESS_MAIN(TstMongodbDriver)
#include "tst_mongodb_driver.moc"
