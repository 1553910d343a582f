// SPDX-License-Identifier: GPL-3.0-or-later
// Pre-flight of a real PostgreSQL: each check fires when it should, with both figures, and stays quiet otherwise.
#include "support/postgresql_fixture.h"
#include "support/suite.h"

#include <dyno/preflight.h>

#include <QTest>

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <thread>

namespace dyno::tst_postgresql_preflight {
using namespace dyno::test;
using Level = PreflightLevel;

class TestPostgresqlPreflight : public QObject
{
    Q_OBJECT

    PostgresqlFixture m_server;
    std::unique_ptr<Admin> m_admin;

    static PreflightNeeds needs(int users = 4)
    {
        PreflightNeeds needs;
        needs.users = users;
        needs.dataBytes = 1 << 20;
        needs.creates = true;
        needs.rights = {"CREATE", "INSERT", "SELECT"};
        return needs;
    }
    //! What one check says; its level is Ok and its text empty when it says nothing.
    static PreflightItem itemOf(Admin& admin, const char* id, const PreflightNeeds& needs)
    {
        const auto report = admin.preflight(needs);
        if (!report)
            qFatal("%s", report.error().text().c_str());
        const auto found = std::ranges::find(report->items, std::string(id), &PreflightItem::id);
        return found == report->items.end() ? PreflightItem() : *found;
    }
    std::unique_ptr<Admin> as(const std::string& user, const std::string& database = {})
    {
        TargetUri uri = m_server.uri();
        uri.user = user;
        if (!database.empty())
            uri.database = database;
        auto admin = driverFor("postgresql")->admin(*PostgresqlFixture::targetAt(uri));
        if (!admin)
            qFatal("%s", admin.error().text().c_str());
        return std::move(*admin);
    }

private slots:
    void initTestCase()
    {
        DYNO_START_POSTGRESQL(m_server, {.settings = {"max_connections=20", "autovacuum=off"}});
        auto admin = m_server.admin();
        QVERIFY(admin);
        m_admin = std::move(*admin);
        QVERIFY(m_admin->execute("CREATE ROLE ann LOGIN"));
    }

    //! Connections that were closed before are gone.
    void init()
    {
        QVERIFY(QTest::qWaitFor(
            [this] {
                const auto open = m_admin->query("SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client "
                                                 "backend'");
                return open && open->front().front() == "1";
            },
            30'000));
    }

    void aSmallPlanIsFine()
    {
        const auto report = m_admin->preflight(needs());
        QVERIFY(report);
        QCOMPARE(report->server.product, std::string("PostgreSQL"));
        for (const PreflightItem& item : report->items)
            QVERIFY2(item.level == Level::Ok || item.level == Level::Note, (item.id + ": " + item.what).c_str());
        QVERIFY(report->missingRights.empty());
    }

    void connections()
    {
        QCOMPARE(itemOf(*m_admin, "max_connections", needs(20)).level, Level::Warning);
        const PreflightItem many = itemOf(*m_admin, "max_connections", needs(21));
        QCOMPARE(many.level, Level::Blocker);
        QVERIFY2(many.what.find("21 connections") != std::string::npos && many.what.find("is 20") != std::string::npos,
                 many.what.c_str());
        QVERIFY(many.remedy.find("max_connections = 50") != std::string::npos);
        // Three are kept for administrators, and one is in use.
        const auto ann = as("ann");
        const PreflightItem hers = itemOf(*ann, "max_connections", needs(16));
        QCOMPARE(hers.level, Level::Warning);
        QVERIFY2(hers.what.find("1 of them in use, 3 kept for administrators") != std::string::npos, hers.what.c_str());
        QCOMPARE(itemOf(*ann, "max_connections", needs(17)).level, Level::Blocker);
        // A plan that sets it counts with its own value.
        PreflightNeeds planned = needs(30);
        planned.server["max_connections"] = std::int64_t(100);
        QCOMPARE(itemOf(*m_admin, "max_connections", planned).level, Level::Ok);
    }

    void limitsOfTheAccount()
    {
        QVERIFY(m_admin->execute("ALTER ROLE ann CONNECTION LIMIT 5"));
        const auto ann = as("ann");
        QCOMPARE(itemOf(*ann, "role_connections", needs(5)).level, Level::Ok);
        QCOMPARE(itemOf(*ann, "role_connections", needs(6)).level, Level::Blocker);
        QVERIFY(m_admin->execute("ALTER ROLE ann CONNECTION LIMIT -1"));
        QVERIFY(itemOf(*ann, "role_connections", needs(6)).what.empty());
    }

    //! Since 15 not everyone may make tables in the schema public.
    void rights()
    {
        QVERIFY(m_admin->execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC"));
        const auto ann = as("ann");
        PreflightItem item = itemOf(*ann, "rights", needs());
        QCOMPARE(item.level, Level::Blocker);
        QVERIFY2(item.remedy.find("GRANT CREATE ON SCHEMA \"public\" TO \"ann\"") != std::string::npos,
                 item.remedy.c_str());
        QVERIFY(m_admin->execute(item.remedy));
        QCOMPARE(itemOf(*ann, "rights", needs()).level, Level::Ok);
        PreflightNeeds changes = needs();
        changes.changesGlobals = true;
        changes.planned["work_mem"] = {"8MB"};
        item = itemOf(*ann, "rights", changes);
        QCOMPARE(item.level, Level::Blocker);
        QVERIFY2(item.what.find("ALTER SYSTEM on PARAMETER work_mem") != std::string::npos, item.what.c_str());
        QCOMPARE(itemOf(*m_admin, "rights", changes).level, Level::Ok);
        // Who was granted what the remedy names can do it.
        if (!m_admin->execute("GRANT ALTER SYSTEM ON PARAMETER work_mem TO ann"))
            return; // a server before 15
        QVERIFY(m_admin->execute("GRANT EXECUTE ON FUNCTION pg_reload_conf TO ann"));
        QCOMPARE(itemOf(*ann, "rights", changes).level, Level::Ok);
        const auto set = ann->setVariable("work_mem", std::string("8MB"));
        QVERIFY2(set, set ? "" : set.error().text().c_str());
        QCOMPARE(*ann->variable("work_mem"), std::to_string(8 << 20));
        QVERIFY(ann->setVariable("work_mem", std::string("4MB")));
        QCOMPARE(*ann->variable("work_mem"), std::to_string(4 << 20));
        QVERIFY(m_admin->execute("ALTER ROLE ann SET search_path = nowhere"));
        QVERIFY(itemOf(*as("ann"), "rights", needs()).what.find("search_path") != std::string::npos);
        QVERIFY(m_admin->execute("ALTER ROLE ann RESET search_path"));
    }

    //! On tables that are there already.
    void rightsOnTables()
    {
        QVERIFY(m_admin->execute("CREATE TABLE a (id INTEGER)"));
        QVERIFY(m_admin->execute("CREATE TABLE b (id INTEGER)"));
        const auto ann = as("ann");
        PreflightNeeds uses = needs();
        uses.creates = false;
        uses.rights = {"SELECT", "INSERT"};
        PreflightItem item = itemOf(*ann, "rights", uses);
        QCOMPARE(item.level, Level::Blocker);
        QVERIFY2(item.what.find("no INSERT on \"public\".\"a\", no SELECT on") != std::string::npos, item.what.c_str());
        QCOMPARE(ann->preflight(uses)->missingRights.size(), std::size_t(2));
        QVERIFY(m_admin->execute(item.remedy));
        // The other table may be of no matter.
        item = itemOf(*ann, "rights", uses);
        QCOMPARE(item.level, Level::Warning);
        QVERIFY2(item.what.find("\"public\".\"b\"") != std::string::npos, item.what.c_str());
        QVERIFY(ann->preflight(uses)->missingRights.empty());
        QVERIFY(m_admin->execute("GRANT SELECT, INSERT ON b TO ann"));
        QCOMPARE(itemOf(*ann, "rights", uses).level, Level::Ok);
        uses.rights = {"SELECT", "DROP"};
        item = itemOf(*ann, "rights", uses);
        QCOMPARE(item.level, Level::Blocker);
        QVERIFY2(item.remedy.find("ALTER TABLE \"public\".\"a\" OWNER TO \"ann\"") != std::string::npos,
                 item.remedy.c_str());
        QCOMPARE(itemOf(*m_admin, "rights", uses).level, Level::Ok);
        QVERIFY(m_admin->execute("DROP TABLE a"));
        QVERIFY(m_admin->execute("DROP TABLE b"));
    }

    //! The server tells names as they are.
    void namesKeepTheirCase()
    {
        QVERIFY(m_admin->execute("CREATE ROLE \"Bench\" LOGIN"));
        QVERIFY(m_admin->execute("CREATE SCHEMA \"Bench\""));
        QVERIFY(m_admin->execute("GRANT USAGE ON SCHEMA \"Bench\" TO \"Bench\""));
        const auto bench = as("Bench");
        const PreflightItem item = itemOf(*bench, "rights", needs());
        QCOMPARE(item.remedy, std::string("GRANT CREATE ON SCHEMA \"Bench\" TO \"Bench\""));
        QVERIFY(m_admin->execute(item.remedy));
        QCOMPARE(itemOf(*bench, "rights", needs()).level, Level::Ok);
        QVERIFY(bench->execute("CREATE TABLE t (id INTEGER)"));
        QCOMPARE(bench->tableNames().value_or(std::vector<std::string>()), std::vector<std::string>{"t"});
        QVERIFY(m_admin->execute("DROP OWNED BY \"Bench\""));
        QVERIFY(m_admin->execute("DROP SCHEMA \"Bench\""));
        QVERIFY(m_admin->execute("DROP ROLE \"Bench\""));
    }

    //! As before version 15, where the question for this right is an error.
    void settingsOfOldServers()
    {
        QVERIFY(m_admin->execute("GRANT CREATE ON SCHEMA public TO ann"));
        if (!m_admin->execute("REVOKE EXECUTE ON FUNCTION has_parameter_privilege(text, text) FROM PUBLIC"))
            QVERIFY(!m_admin->query("SELECT has_parameter_privilege('work_mem', 'SET')"));
        PreflightNeeds changes = needs();
        changes.changesGlobals = true;
        changes.planned["work_mem"] = {"8MB"};
        const PreflightItem item = itemOf(*as("ann"), "rights", changes);
        (void)m_admin->execute("GRANT EXECUTE ON FUNCTION has_parameter_privilege(text, text) TO PUBLIC");
        QCOMPARE(item.level, Level::Blocker);
        QVERIFY2(item.remedy.find("only a superuser may change settings before version 15") != std::string::npos,
                 item.remedy.c_str());
    }

    void dataAgainstTheBuffers()
    {
        PreflightNeeds large = needs();
        large.dataBytes = 40 << 20;
        const PreflightItem item = itemOf(*m_admin, "data_size", large);
        QVERIFY2(item.level != Level::Ok && item.what.find("40 MiB") != std::string::npos &&
                     item.what.find("32 MiB") != std::string::npos,
                 item.what.c_str());
        large.dataBytes = std::uint64_t(1) << 50;
        QCOMPARE(itemOf(*m_admin, "data_size", large).level, Level::Warning);
    }

    void durability()
    {
        PreflightNeeds planned = needs();
        planned.planned["synchronous_commit"] = {"off"};
        const PreflightItem item = itemOf(*m_admin, "durability", planned);
        QCOMPARE(item.level, Level::Note);
        QVERIFY2(item.what.find("fsync=off, synchronous_commit=on, full_page_writes=off; the plan sets "
                                "synchronous_commit to off") != std::string::npos,
                 item.what.c_str());
    }

    void readOnly()
    {
        QVERIFY(m_admin->execute("ALTER ROLE ann SET default_transaction_read_only = on"));
        const auto ann = as("ann");
        QCOMPARE(itemOf(*ann, "read_only", needs()).level, Level::Blocker);
        PreflightNeeds reads = needs();
        reads.creates = false;
        reads.rights = {"SELECT"};
        QVERIFY(itemOf(*ann, "read_only", reads).what.empty());
        QVERIFY(m_admin->execute("ALTER ROLE ann RESET default_transaction_read_only"));
    }

    void otherLoad()
    {
        QCOMPARE(itemOf(*m_admin, "other_load", needs()).level, Level::Ok);
        auto sleeper = m_server.admin();
        QVERIFY(sleeper);
        std::thread other([&] { (void)(*sleeper)->query("SELECT pg_sleep(300)"); });
        const bool seen =
            QTest::qWaitFor([&] { return itemOf(*m_admin, "other_load", needs()).level == Level::Warning; }, 30'000);
        (*sleeper)->abort();
        other.join();
        QVERIFY(seen);
    }
};

} // namespace dyno::tst_postgresql_preflight

DYNO_SUITE(tst_postgresql_preflight, dyno::tst_postgresql_preflight::TestPostgresqlPreflight)
#include "tst_postgresql_preflight.moc"
