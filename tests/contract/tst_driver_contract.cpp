// SPDX-License-Identifier: GPL-3.0-or-later
// What every driver promises (driver/driver.h), asked of each of them. A new driver is one row in candidates().
#include "base/clock.h"
#include "config.h"
#include "driver_candidate.h"
#include "support/suite.h"
#if DYNO_HAVE_CLICKHOUSE
#include "support/clickhouse_fixture.h"
#endif
#if DYNO_HAVE_MYSQL
#include "support/mariadb_fixture.h"
#endif
#if DYNO_HAVE_MONGODB
#include "support/fault_proxy.h"
#include "support/mongo_fixture.h"
#endif
#if DYNO_HAVE_POSTGRESQL
#include "support/postgresql_fixture.h"
#endif

#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <fmt/format.h>
#include <functional>
#include <poll.h>
#include <thread>

namespace dyno::tst_driver_contract {
using namespace dyno::test;

class TstDriverContract : public QObject
{
    Q_OBJECT

    //! A connected session of the current candidate; fails the test and gives nullptr if there is none.
    std::unique_ptr<Session> connected(const ConnectTargetPtr& target)
    {
        Expected<std::unique_ptr<Session>> session = m_candidate->driver->open(target);
        if (!session) {
            QTest::qFail(session.error().text().c_str(), __FILE__, __LINE__);
            return {};
        }
        const Reply reply = step(**session, RequestKind::Connect);
        if (reply.outcome != Outcome::Ok) {
            QTest::qFail((*session)->lastError().c_str(), __FILE__, __LINE__);
            return {};
        }
        return std::move(*session);
    }
    std::unique_ptr<Session> connected() { return connected(m_candidate->target); }

    //! As wide as any: keys are ordered as texts.
    static std::string keyOf(std::int64_t id) { return fmt::format("{:010}", id); }

    Reply insert(Session& session, std::int64_t id, std::string_view word = "w", double amount = 0) const
    {
        if (!m_candidate->language.keyValue)
            return test::insert(session, id, word, amount);
        const std::string key = keyOf(id);
        const Param params[] = {Param::of(std::string_view(key)), Param::of(word)};
        return perform(session, Request::execute(kInsert, params));
    }

    //! `pendings`: see perform().
    Reply select(Session& session, std::int64_t low, std::int64_t high, int* pendings = nullptr) const
    {
        const std::string key = keyOf(low);
        const bool keyValue = m_candidate->language.keyValue;
        const Param params[] = {keyValue ? Param::of(std::string_view(key)) : Param::of(low),
                                Param::of(keyValue ? high - low + 1 : high)};
        return perform(session, Request::execute(kSelect, params), pendings);
    }

    //! Of all rows, as the control plane sees them.
    TextRows ids()
    {
        TextRows all = rows(m_candidate->language.ids);
        if (m_candidate->language.keyValue) {
            for (std::vector<std::string>& row : all)
                row = {std::to_string(std::stoll(row.front()))};
        }
        return all;
    }

    //! The rows as the control plane sees them.
    TextRows rows(const std::string& query)
    {
        const Expected<TextRows> result = m_admin->query(query);
        if (!result)
            QTest::qFail(result.error().text().c_str(), __FILE__, __LINE__);
        return result.value_or(TextRows());
    }

    //! Makes this driver the current one, with an empty table.
    void use(const Candidate& candidate)
    {
        m_candidate = &candidate;
        Expected<std::unique_ptr<Admin>> admin = candidate.driver->admin(*candidate.target);
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        m_admin = std::move(*admin);
        const Expected<void> dropped = m_admin->drop("contract");
        QVERIFY2(dropped, dropped ? "" : dropped.error().text().c_str());
        const Expected<void> created = m_admin->execute(candidate.language.create);
        QVERIFY2(created, created ? "" : created.error().text().c_str());
    }

    void forEveryDriver()
    {
        QTest::addColumn<int>("row");
        for (std::size_t i = 0; i < m_candidates.size(); ++i)
            QTest::newRow(m_candidates[i].name.c_str()) << int(i);
    }

    std::vector<Candidate> m_candidates;
    const Candidate* m_candidate = nullptr;
    std::unique_ptr<Admin> m_admin;
    QTemporaryDir m_folder;
#if DYNO_HAVE_MYSQL
    test::MariadbFixture m_mariadb;
#endif
#if DYNO_HAVE_POSTGRESQL
    test::PostgresqlFixture m_postgresql;
#endif
#if DYNO_HAVE_CLICKHOUSE
    test::ClickhouseFixture m_clickhouse;
#endif
#if DYNO_HAVE_MONGODB
    test::MongoFixture m_mongo;
    test::FaultProxy m_mongoProxy;
#endif

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        m_candidates.push_back({.name = "null",
                                .driver = driverFor("null"),
                                .target = targetOf("null:"),
                                .hasTables = false,
                                .endless = "wait",
                                .slowTarget = targetOf("null:?service_us=60000000")});
        m_candidates.push_back({.name = "null, pending",
                                .driver = driverFor("null"),
                                .target = targetOf("null:?pending=1&service_us=20"),
                                .hasTables = false,
                                .answersLater = true,
                                .endless = "wait",
                                .slowTarget = targetOf("null:?pending=1&service_us=60000000")});
        for (const char* journal : {"WAL", "DELETE"}) {
            const std::string file = m_folder.filePath(QString(journal) + ".db").toStdString();
            m_candidates.push_back({.name = std::string("sqlite, ") + journal,
                                    .driver = driverFor("sqlite"),
                                    .target = targetOf("sqlite:" + file, {{"journal_mode", std::string(journal)},
                                                                          {"synchronous", std::string("OFF")}}),
                                    .endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) "
                                               "SELECT count(*) FROM c",
                                    .slowTarget = {},
                                    .unreachable = targetOf("sqlite:" + file + ".missing/x.db")});
        }
#if DYNO_HAVE_ROCKSDB
        for (const char* transactions : {"optimistic", "pessimistic"}) {
            const Language language = keyValueLanguage();
            const std::string folder = m_folder.filePath(transactions).toStdString();
            m_candidates.push_back(
                {.name = std::string("rocksdb, ") + transactions,
                 .driver = driverFor("rocksdb"),
                 .target =
                     targetOf("rocksdb:" + folder, {{"transactions", std::string(transactions)}}, language.statements),
                 .language = language,
                 .endless = "",
                 .unreachable = targetOf("rocksdb:" + folder + ".missing/x", {}, language.statements)});
        }
#endif
#if DYNO_HAVE_MYSQL
        if (test::MariadbFixture::whyMissing().empty()) {
            const Expected<void> started = m_mariadb.start();
            QVERIFY2(started, started ? "" : started.error().text().c_str());
            m_candidates.push_back(
                {.name = "mysql",
                 .driver = driverFor("mysql"),
                 .target = m_mariadb.target(sqlLanguage().statements),
                 .endless = "SELECT SLEEP(60)",
                 .slowTarget = {},
                 .unreachable = targetOf("mysql://root@/x?socket=" + m_folder.path().toStdString() + "/no.sock")});
            // Not under the sanitizers: the library switches stacks behind their back.
            if (driverFor("mysql")->info().eventLoop) {
                Candidate loops = m_candidates.back();
                loops.name = "mysql, event loop";
                loops.answersLater = true;
                for (ConnectTargetPtr* target : {&loops.target, &loops.unreachable}) {
                    auto copy = std::make_shared<ConnectTarget>(**target);
                    copy->eventLoop = true;
                    *target = std::move(copy);
                }
                m_candidates.push_back(std::move(loops));
            }
            // By the client library's private parts, and without them.
            const auto setDirect = [](Candidate& candidate, const char* way) {
                for (ConnectTargetPtr* target : {&candidate.target, &candidate.unreachable}) {
                    auto copy = std::make_shared<ConnectTarget>(**target);
                    copy->connection["direct"] = std::string(way);
                    *target = std::move(copy);
                }
            };
            for (std::size_t i = 0, count = m_candidates.size(); i < count; ++i) {
                if (m_candidates[i].driver != driverFor("mysql"))
                    continue;
                Candidate plain = m_candidates[i];
                plain.name += ", public calls";
                setDirect(plain, "off");
                setDirect(m_candidates[i], "always");
                m_candidates.push_back(std::move(plain));
            }
        }
#endif
#if DYNO_HAVE_POSTGRESQL
        if (test::PostgresqlFixture::whyMissing().empty()) {
            const Expected<void> started = m_postgresql.start();
            QVERIFY2(started, started ? "" : started.error().text().c_str());
            Candidate postgresql{.name = "postgresql", .driver = driverFor("postgresql")};
            Language& language = postgresql.language;
            language.create = "CREATE TABLE contract (id INTEGER NOT NULL PRIMARY KEY, word VARCHAR(200), amount "
                              "DOUBLE PRECISION)";
            language.shape = {{"id", ""}, {"word", "character varying(200)"}, {"amount", "double precision"}};
            postgresql.target = m_postgresql.target(language.statements);
            postgresql.endless = "SELECT pg_sleep(60)";
            postgresql.unreachable =
                targetOf("postgresql://postgres@/x?socket=" + m_folder.path().toStdString() + "/.s.PGSQL.1");
            for (const char* protocol : {"prepared", "pipeline"}) {
                for (const bool loops : {false, true}) {
                    Candidate candidate = postgresql;
                    candidate.name = std::string("postgresql, ") + protocol + (loops ? ", event loop" : "");
                    candidate.answersLater = loops;
                    for (ConnectTargetPtr* target : {&candidate.target, &candidate.unreachable}) {
                        auto copy = std::make_shared<ConnectTarget>(**target);
                        copy->eventLoop = loops;
                        copy->connection["protocol"] = std::string(protocol);
                        *target = std::move(copy);
                    }
                    m_candidates.push_back(std::move(candidate));
                }
            }
        }
#endif
#if DYNO_HAVE_CLICKHOUSE
        if (test::ClickhouseFixture::whyMissing().empty()) {
            const Expected<void> started = m_clickhouse.start();
            QVERIFY2(started, started ? "" : started.error().text().c_str());
            Candidate clickhouse{.name = "clickhouse", .driver = driverFor("clickhouse")};
            Language& language = clickhouse.language;
            language.create = clickhouse.driver->info().sql.createTable(language.create);
            language.createOther = "CREATE TABLE contract (x Int32) ENGINE = Log";
            language.shape = {{"id", "int32"}, {"word", "nullable(string)"}, {"amount", "nullable(float64)"}};
            clickhouse.target = m_clickhouse.target(language.statements);
            clickhouse.hasTransactions = clickhouse.prepares = clickhouse.uniqueKeys = false;
            clickhouse.endless = "SELECT sum(sleep(1)) FROM (SELECT * FROM system.numbers LIMIT 60) SETTINGS "
                                 "max_block_size = 1";
            clickhouse.unreachable = targetOf("clickhouse://127.0.0.1:1/x");
            m_candidates.push_back(std::move(clickhouse));
        }
#endif
#if DYNO_HAVE_MONGODB
        if (test::MongoFixture::whyMissing().empty()) {
            const Expected<void> started = m_mongo.start();
            QVERIFY2(started, started ? "" : started.error().text().c_str());
            Candidate mongodb{.name = "mongodb", .driver = driverFor("mongodb"), .language = documentLanguage()};
            mongodb.target = m_mongo.target(mongodb.language.statements);
            const auto admin = m_mongo.admin();
            QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
            const auto facts = (*admin)->facts();
            QVERIFY2(facts, facts ? "" : facts.error().text().c_str());
            // FerretDB's transactions are none, and a mongod that stands alone has none.
            mongodb.hasTransactions =
                facts->product == "MongoDB" && textOf(facts->variables, "topology") != "standalone";
            auto slow = std::make_shared<ConnectTarget>(*mongodb.target);
            const std::string host = slow->uri.host == "localhost" ? "127.0.0.1" : slow->uri.host;
            if (host == "127.0.0.1") {
                const int port = slow->uri.port == 0 ? 27017 : slow->uri.port;
                const Expected<void> between = m_mongoProxy.start({.host = host, .port = port});
                QVERIFY2(between, between ? "" : between.error().text().c_str());
                mongodb.endless = R"({"ping": 1})";
                slow->uri.host = host;
                slow->uri.port = m_mongoProxy.port();
                slow->uri.query["directConnection"] = "true"; // a member of a set would name its own address
                slow->uri.query.erase("replicaSet");
                mongodb.slowTarget = slow;
                mongodb.hold = [this](bool on) { on ? m_mongoProxy.freeze() : m_mongoProxy.thaw(); };
            }
            mongodb.unreachable = targetOf("mongodb://127.0.0.1:1/x");
            m_candidates.push_back(std::move(mongodb));
        }
#endif
    }

    void connectPrepareExecute_data() { forEveryDriver(); }
    void connectPrepareExecute()
    {
        QFETCH(int, row);
        use(m_candidates[std::size_t(row)]);
        const auto session = connected();
        QVERIFY(session);
        for (const StatementId id : {kInsert, kSelect, kUpdate}) {
            const Reply prepared = perform(*session, Request::prepare(id));
            VERIFY_REPLY(prepared, *session);
        }
        for (std::int64_t id = 1; id <= 5; ++id) {
            const Reply inserted = insert(*session, id);
            VERIFY_REPLY(inserted, *session);
            QCOMPARE(inserted.affected, std::int64_t(1));
            QCOMPARE(inserted.code, 0);
        }
        const Reply found = select(*session, 2, 4);
        VERIFY_REPLY(found, *session);
        if (m_candidate->hasTables) {
            QCOMPARE(found.rows, std::int64_t(3));
            QCOMPARE(select(*session, 100, 200).rows, std::int64_t(0));
            QCOMPARE(*m_admin->rowCount("contract"), std::int64_t(5));
        } else {
            QCOMPARE(found.rows, std::int64_t(1));
        }
    }

    //! A statement that nobody prepared is prepared at its first use.
    void executeWithoutPrepare_data() { forEveryDriver(); }
    void executeWithoutPrepare()
    {
        QFETCH(int, row);
        use(m_candidates[std::size_t(row)]);
        const auto session = connected();
        QVERIFY(session);
        const Reply first = insert(*session, 1);
        VERIFY_REPLY(first, *session);
        const Reply second = insert(*session, 2);
        VERIFY_REPLY(second, *session);
    }

    void parametersArriveAsTheyAre_data() { forEveryDriver(); }
    void parametersArriveAsTheyAre()
    {
        QFETCH(int, row);
        use(m_candidates[std::size_t(row)]);
        if (!m_candidate->hasTables || m_candidate->language.keyValue)
            QSKIP("this target keeps nothing, or keys and texts only");
        const auto session = connected();
        QVERIFY(session);
        const std::string quotes = "it's \"quoted\" \\ back; -- and % ?";
        const std::string longText(199, 'x');
        VERIFY_REPLY(insert(*session, 1, quotes, -0.5), *session);
        VERIFY_REPLY(insert(*session, -2147483648, longText, 1e300), *session);
        VERIFY_REPLY(insert(*session, 2147483647, "", 0.1), *session);
        const Param nulls[] = {Param::of(std::int64_t(7)), Param{}, Param{}};
        VERIFY_REPLY(perform(*session, Request::execute(kInsert, nulls)), *session);
        const Language& language = m_candidate->language;
        QCOMPARE(rows(language.words),
                 (TextRows{{"-2147483648", longText}, {"1", quotes}, {"7", ""}, {"2147483647", ""}}));
        QCOMPARE(rows(language.wordIsNull), (TextRows{{"7"}})); // the empty text is no NULL
        QCOMPARE(rows(language.amountIsNull), (TextRows{{"7"}}));
        for (const auto& [amount, id] : {std::pair{"-0.5", "1"}, {"1e300", "-2147483648"}, {"0.1", "2147483647"}}) {
            std::string query = language.amountIs;
            QCOMPARE(rows(query.replace(query.find("{}"), 2, amount)), (TextRows{{id}}));
        }
    }

    //! What a statement says that it keeps can be looked at, in each protocol.
    void rowsAreKept_data() { forEveryDriver(); }
    void rowsAreKept()
    {
        QFETCH(int, row);
        use(m_candidates[std::size_t(row)]);
        if (m_candidate->language.keyValue)
            QSKIP("rows are keys and texts: see the driver's own test");
        const std::string longText(199, 'x');
        std::vector<std::string> protocols{"prepared"};
        if (m_candidate->driver->info().id == "mysql")
            protocols.insert(protocols.end(), {"text", "multi"});
        if (m_candidate->driver->info().id == "postgresql")
            protocols.insert(protocols.end(), {"text", "pipeline"});
        bool inserted = false;
        for (const std::string& protocol : protocols) {
            for (const Keep keep : {Keep::All, Keep::Last, Keep::Nothing}) {
                auto target = std::make_shared<ConnectTarget>(*m_candidate->target);
                target->statements[indexOf(kSelect)].keep = keep;
                if (protocols.size() > 1)
                    target->connection["protocol"] = protocol;
                const auto session = connected(target);
                QVERIFY(session);
                if (!std::exchange(inserted, true)) {
                    VERIFY_REPLY(insert(*session, 1, "it's", -0.5), *session);
                    VERIFY_REPLY(insert(*session, 2, longText, 1e300), *session);
                    const Param nulls[] = {Param::of(std::int64_t(3)), Param{}, Param{}};
                    VERIFY_REPLY(perform(*session, Request::execute(kInsert, nulls)), *session);
                }
                for (int again = 0; again < 2; ++again) {
                    VERIFY_REPLY(select(*session, 1, 3), *session);
                    const KeptRows& kept = session->kept();
                    if (keep == Keep::Nothing || !m_candidate->hasTables) {
                        QCOMPARE(kept.rows(), std::size_t(0));
                        continue;
                    }
                    QCOMPARE(kept.rows(), std::size_t(keep == Keep::All ? 3 : 1));
                    const std::size_t last = kept.rows() - 1;
                    QCOMPARE(kept.columns(last), std::size_t(3));
                    QVERIFY(kept.at(last, 0).type == Param::Type::Integer);
                    QCOMPARE(kept.integer(last, 0), std::int64_t(3));
                    QVERIFY(kept.at(last, 1).type == Param::Type::Null && kept.at(last, 2).type == Param::Type::Null);
                    QVERIFY(kept.at(last, 7).type == Param::Type::Null);
                    if (keep == Keep::Last)
                        continue;
                    QCOMPARE(kept.at(0, 1).text, std::string_view("it's"));
                    QCOMPARE(kept.at(1, 1).text, std::string_view(longText));
                    QCOMPARE(kept.real(0, 2), -0.5);
                    QCOMPARE(kept.real(1, 2), 1e300);
                }
            }
        }
    }

    void text_data() { forEveryDriver(); }
    void text()
    {
        QFETCH(int, row);
        use(m_candidates[std::size_t(row)]);
        if (m_candidate->language.keyValue)
            QSKIP("a call is about one key");
        const auto session = connected();
        QVERIFY(session);
        const Reply inserted = sql(*session, m_candidate->language.insertThree);
        VERIFY_REPLY(inserted, *session);
        const Reply found = sql(*session, m_candidate->language.selectTwo);
        VERIFY_REPLY(found, *session);
        if (m_candidate->hasTables) {
            QCOMPARE(inserted.affected, std::int64_t(3));
            QCOMPARE(found.rows, std::int64_t(2));
        }
    }

    void transactions_data() { forEveryDriver(); }
    void transactions()
    {
        QFETCH(int, row);
        use(m_candidates[std::size_t(row)]);
        const auto session = connected();
        QVERIFY(session);
        if (!m_candidate->hasTransactions) {
            // Never a transaction in name only.
            QVERIFY(step(*session, RequestKind::Begin).outcome == Outcome::Rejected);
            QVERIFY2(session->lastError().find("transaction") != std::string::npos, session->lastError().c_str());
            VERIFY_REPLY(step(*session, RequestKind::Rollback), *session);
            VERIFY_REPLY(insert(*session, 1), *session);
            return;
        }
        VERIFY_REPLY(step(*session, RequestKind::Begin), *session);
        VERIFY_REPLY(insert(*session, 1), *session);
        VERIFY_REPLY(step(*session, RequestKind::Commit), *session);
        VERIFY_REPLY(step(*session, RequestKind::Begin), *session);
        VERIFY_REPLY(insert(*session, 2), *session);
        if (m_candidate->hasTables) {
            // its own change is seen by itself; nobody else sees it yet
            QCOMPARE(select(*session, 1, 9).rows, std::int64_t(2));
            QCOMPARE(ids(), (TextRows{{"1"}}));
        }
        VERIFY_REPLY(step(*session, RequestKind::Rollback), *session);
        if (m_candidate->hasTables) {
            QCOMPARE(select(*session, 1, 9).rows, std::int64_t(1));
            QCOMPARE(ids(), (TextRows{{"1"}}));
        }
        // a rollback without a transaction is what a user does after an error that ended it
        VERIFY_REPLY(step(*session, RequestKind::Rollback), *session);
        VERIFY_REPLY(insert(*session, 3), *session);
    }

    void rejectedLeavesTheSessionUsable_data() { forEveryDriver(); }
    void rejectedLeavesTheSessionUsable()
    {
        QFETCH(int, row);
        use(m_candidates[std::size_t(row)]);
        if (!m_candidate->hasTables)
            QSKIP("this target rejects nothing by itself");
        const auto session = connected();
        QVERIFY(session);
        const Reply missing = selectMissing(*session);
        QVERIFY(missing.outcome == Outcome::Rejected);
        QVERIFY(missing.code != 0);
        QVERIFY2(session->lastError().find("no_such_table") != std::string::npos, session->lastError().c_str());

        const Reply prepared = perform(*session, Request::prepare(kMissing));
        QVERIFY(prepared.outcome == (m_candidate->prepares ? Outcome::Rejected : Outcome::Ok));

        VERIFY_REPLY(insert(*session, 1), *session);
        if (!m_candidate->language.keyValue && m_candidate->uniqueKeys) {
            const Reply duplicate = insert(*session, 1);
            QVERIFY(duplicate.outcome == Outcome::Rejected);
            QVERIFY(duplicate.code != 0 && duplicate.code != missing.code);
            QVERIFY(!session->lastError().empty());
        }

        const Reply syntax = sql(*session, "SELEKT 1");
        QVERIFY(syntax.outcome == Outcome::Rejected);
        QVERIFY2(session->lastError().find("SELEKT") != std::string::npos, session->lastError().c_str());

        VERIFY_REPLY(insert(*session, 2), *session);
        QCOMPARE(select(*session, 1, 9).rows, std::int64_t(2));
    }

    //! Before Connect, and after a connection was lost, there is only Connect.
    void onlyConnectFirst_data() { forEveryDriver(); }
    void onlyConnectFirst()
    {
        QFETCH(int, row);
        use(m_candidates[std::size_t(row)]);
        Expected<std::unique_ptr<Session>> session = m_candidate->driver->open(m_candidate->target);
        QVERIFY(session);
        QVERIFY(insert(**session, 1).outcome == Outcome::Disconnected);
        QVERIFY(!(*session)->lastError().empty());
        QVERIFY(step(**session, RequestKind::Begin).outcome == Outcome::Disconnected);
        VERIFY_REPLY(step(**session, RequestKind::Connect), **session);
        VERIFY_REPLY(insert(**session, 1), **session);
        // connecting again starts afresh, and prepared statements come back by themselves
        VERIFY_REPLY(step(**session, RequestKind::Connect), **session);
        VERIFY_REPLY(insert(**session, 2), **session);
    }

    void abort_data() { forEveryDriver(); }
    void abort()
    {
        QFETCH(int, row);
        use(m_candidates[std::size_t(row)]);
        if (m_candidate->endless.empty())
            QSKIP("the server is on another machine, or no call takes a minute");
        const auto session = connected(m_candidate->slowTarget ? m_candidate->slowTarget : m_candidate->target);
        QVERIFY(session);
        std::atomic<bool> begun{false};
        std::thread other([&] {
            begun.wait(false);
            session->abort();
        });
        const std::int64_t start = nowNs();
        if (m_candidate->hold)
            m_candidate->hold(true);
        begun = true;
        begun.notify_one();
        const Reply reply = sql(*session, m_candidate->endless);
        other.join();
        if (m_candidate->hold)
            m_candidate->hold(false);
        QVERIFY(nowNs() - start < 30'000'000'000);
        QVERIFY(reply.outcome == Outcome::Disconnected);
        QVERIFY(!session->lastError().empty());
        // broken for good, until it connects again
        QVERIFY(sql(*session, "SELECT 1").outcome == Outcome::Disconnected);
        // A client library that watches its servers may need a moment to believe that one is back.
        Reply connected = step(*session, RequestKind::Connect);
        for (int tries = 0; tries < 40 && connected.outcome == Outcome::Disconnected && m_candidate->hold; ++tries) {
            QTest::qWait(50);
            connected = step(*session, RequestKind::Connect);
        }
        VERIFY_REPLY(connected, *session);
        if (m_candidate->hasTransactions)
            VERIFY_REPLY(step(*session, RequestKind::Begin), *session);
    }

    void unreachable_data() { forEveryDriver(); }
    void unreachable()
    {
        QFETCH(int, row);
        m_candidate = &m_candidates[std::size_t(row)];
        if (!m_candidate->unreachable)
            QSKIP("this target is always there");
        const Expected<std::unique_ptr<Admin>> admin = m_candidate->driver->admin(*m_candidate->unreachable);
        QVERIFY(!admin);
        QCOMPARE(admin.error().kind, ErrorKind::Unreachable);
        QVERIFY2(!admin.error().remedy.empty(), admin.error().text().c_str());
        Expected<std::unique_ptr<Session>> session = m_candidate->driver->open(m_candidate->unreachable);
        QVERIFY(session);
        const Reply reply = step(**session, RequestKind::Connect);
        QVERIFY(reply.outcome == Outcome::Disconnected);
        QVERIFY(reply.code != 0);
        QVERIFY(!(*session)->lastError().empty());
    }

    void controlPlane_data() { forEveryDriver(); }
    void controlPlane()
    {
        QFETCH(int, row);
        use(m_candidates[std::size_t(row)]);
        const Expected<ServerFacts> facts = m_admin->facts();
        QVERIFY2(facts, facts ? "" : facts.error().text().c_str());
        QVERIFY(!facts->product.empty());
        QVERIFY(!facts->version.empty());
        QVERIFY(!facts->transport.empty());

        const Expected<std::string> unknown = m_admin->variable("no_such_variable");
        QVERIFY(!unknown);
        QVERIFY2(unknown.error().text().find("no_such_variable") != std::string::npos, unknown.error().text().c_str());
        QVERIFY(!m_admin->setVariable("no_such_variable", Value(std::int64_t(1))));

        const auto none = m_admin->describe("no_such_table");
        QVERIFY(none && none->empty());
        if (!m_candidate->hasTables)
            return;
        const Language& language = m_candidate->language;
        if (language.shapeFromRows) {
            QVERIFY(m_admin->describe("contract")->empty());
            const auto session = connected();
            VERIFY_REPLY(insert(*session, 1), *session);
        }
        const auto columns = m_admin->describe("contract");
        QVERIFY2(columns, columns ? "" : columns.error().text().c_str());
        QCOMPARE(columns->size(), language.shape.size());
        for (std::size_t i = 0; i < columns->size(); ++i) {
            QCOMPARE((*columns)[i].name, language.shape[i].name);
            if (!language.shape[i].type.empty())
                QCOMPARE((*columns)[i].type, language.shape[i].type);
        }
        QVERIFY(facts->variables.size() > 10);
        if (m_admin->dataBytes({}) == 0) { // an empty table need not take anything
            const auto session = connected();
            VERIFY_REPLY(insert(*session, 1), *session);
        }
        QVERIFY(m_admin->dataBytes({}) > 0);

        const Expected<void> wrong = m_admin->execute(language.createOther);
        QVERIFY(!wrong);
        QVERIFY2(wrong.error().text().find("contract") != std::string::npos, wrong.error().text().c_str());
        QVERIFY(m_admin->drop("contract"));
        QVERIFY(m_admin->drop("contract")); // no table, no fault
        QVERIFY(m_admin->describe("contract")->empty());
    }

    void pendingIsReal_data() { forEveryDriver(); }
    void pendingIsReal()
    {
        QFETCH(int, row);
        use(m_candidates[std::size_t(row)]);
        const auto session = connected();
        QVERIFY(session);
        int pendings = 0;
        // On a busy machine an answer may be there before this thread looks for it: that one is not pending.
        constexpr int kWanted = 20, kMost = 10'000;
        for (int i = 0; i < kWanted || (m_candidate->answersLater && pendings < kWanted && i < kMost); ++i) {
            const Reply reply = select(*session, 1, 2, &pendings);
            VERIFY_REPLY(reply, *session);
        }
        if (m_candidate->answersLater)
            QVERIFY2(pendings >= kWanted, qPrintable(QString::number(pendings)));
        else
            QCOMPARE(pendings, 0);
    }
};

} // namespace dyno::tst_driver_contract

DYNO_SUITE(tst_driver_contract, dyno::tst_driver_contract::TstDriverContract)
#include "tst_driver_contract.moc"
