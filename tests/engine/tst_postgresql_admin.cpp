// SPDX-License-Identifier: GPL-3.0-or-later
// The control plane of a real PostgreSQL: what it says of itself, its settings and that they go back without a trace,
// its tables and their sizes.
#include "server/knobs/knob_guard.h"
#include "session_test.h"
#include "support/patience.h"
#include "support/postgresql_fixture.h"
#include "support/suite.h"

#include <QDeadlineTimer>
#include <QFile>
#include <QTest>

#include <algorithm>
#include <chrono>
#include <thread>

namespace dyno::tst_postgresql_admin {
using namespace dyno::test;

class TestPostgresqlAdmin : public QObject
{
    Q_OBJECT

    PostgresqlFixture m_server;
    std::unique_ptr<Admin> m_admin;

    std::string cell(std::string_view query)
    {
        const auto rows = m_admin->query(query);
        return rows && !rows->empty() ? rows->front().front() : std::string("(no row)");
    }
    //! What ALTER SYSTEM has left behind: its file, but for the remark at its head.
    QByteArray altered() const
    {
        QFile file(QString::fromStdString((m_server.folder() / "data/postgresql.auto.conf").string()));
        if (!file.open(QIODevice::ReadOnly))
            return "no file";
        QByteArray lines;
        while (!file.atEnd()) {
            if (const QByteArray line = file.readLine(); !line.startsWith('#'))
                lines += line;
        }
        return lines;
    }
    void makeRows(int rows)
    {
        QVERIFY(m_admin->execute("CREATE TABLE rows_here (id INTEGER PRIMARY KEY, c CHAR(120) NOT NULL)"));
        QVERIFY(m_admin->execute("INSERT INTO rows_here SELECT i, 'x' FROM generate_series(1, " + std::to_string(rows) +
                                 ") i"));
    }
    static std::uint64_t sumOf(const std::vector<DataPart>& parts, std::string_view kind)
    {
        std::uint64_t sum = 0;
        for (const DataPart& part : parts)
            sum += part.kind == kind ? part.bytes : 0;
        return sum;
    }

private slots:
    void initTestCase()
    {
        DYNO_START_POSTGRESQL(m_server, {.tls = true});
        auto admin = m_server.admin();
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        m_admin = std::move(*admin);
    }
    void cleanup()
    {
        QVERIFY(m_admin->drop("rows_here"));
        QVERIFY(m_admin->execute("ALTER SYSTEM RESET ALL"));
        QVERIFY(m_admin->execute("SELECT pg_reload_conf()"));
    }

    void facts()
    {
        const auto facts = m_admin->facts();
        QVERIFY(facts);
        QCOMPARE(facts->product, std::string("PostgreSQL"));
        QCOMPARE(facts->version, cell("SHOW server_version"));
        QCOMPARE(facts->transport, std::string("Unix socket"));
        QVERIFY(facts->cipher.empty() && !facts->unverified && facts->roundTripMs > 0);
        // Sizes are bytes whatever the server counts them in, everything else is as it says.
        QCOMPARE(toText(facts->variables.at("shared_buffers")), std::to_string(32 << 20));
        QCOMPARE(toText(facts->variables.at("work_mem")), std::to_string(4 << 20));
        QCOMPARE(toText(facts->variables.at("checkpoint_timeout")), std::string("300"));
        QCOMPARE(toText(facts->variables.at("fsync")), std::string("off"));
        QVERIFY(!facts->variables.contains("primary_conninfo")); // it may hold a password
        const Driver& driver = *driverFor("postgresql");
        const std::string identity = driver.serverIdentity(facts->variables);
        QVERIFY(identity.find("port=" + std::to_string(m_server.port())) != std::string::npos);
        QVERIFY(driver.serverIdentity({}).empty());
        auto other = facts->variables;
        other["system_identifier"] = std::string("1");
        QVERIFY(driver.serverIdentity(other) != identity);
    }

    void factsOverTls()
    {
        TargetUri uri = m_server.networkUri();
        uri.query["tls"] = "required";
        const auto admin = driverFor("postgresql")->admin(*PostgresqlFixture::targetAt(uri));
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        const auto facts = (*admin)->facts();
        QVERIFY(facts);
        QCOMPARE(facts->transport, std::string("TCP"));
        QVERIFY2(facts->cipher.find("TLSv1.") != std::string::npos, facts->cipher.c_str());
        QVERIFY(!facts->unverified); // of this machine
        ConnectTarget distant = *PostgresqlFixture::targetAt(uri);
        distant.distant = true;
        const auto far = driverFor("postgresql")->admin(distant);
        QVERIFY(far);
        QVERIFY((*far)->facts()->unverified);
    }

    void settings()
    {
        QCOMPARE(altered(), QByteArray());
        const auto set = [this](const char* name, const Value& value) {
            const auto done = m_admin->setVariable(name, value);
            return done ? *m_admin->variable(name) : done.error().text();
        };
        QCOMPARE(set("work_mem", std::string("16MiB")), std::to_string(16 << 20));
        QCOMPARE(set("work_mem", std::int64_t(8 << 20)), std::to_string(8 << 20));
        QCOMPARE(set("autovacuum", false), std::string("off"));
        QCOMPARE(set("checkpoint_timeout", std::string("10min")), std::string("600"));
        QCOMPARE(set("checkpoint_timeout", std::int64_t(900)), std::string("900"));
        QCOMPARE(set("synchronous_commit", std::string("off")), std::string("off"));
        QCOMPARE(set("random_page_cost", 1.1), std::string("1.1"));
        QCOMPARE(altered().count('\n'), 5);
        QCOMPARE(set("work_mem", std::string("default")), std::to_string(4 << 20));
        QCOMPARE(altered().count('\n'), 4);
        // Whoever connects now has them too.
        const auto another = m_server.admin();
        QVERIFY(another);
        QCOMPARE(*(*another)->variable("checkpoint_timeout"), std::string("900"));
    }

    void refusedSettingsChangeNothing()
    {
        const auto refused = [this](const char* name, const Value& value) {
            const auto done = m_admin->setVariable(name, value);
            return done ? std::string() : done.error().text();
        };
        QVERIFY(refused("shared_buffers", std::string("64MB")).find("needs a restart") != std::string::npos);
        QVERIFY(refused("server_version_num", std::int64_t(1)).find("property of the server") != std::string::npos);
        QVERIFY(refused("no_such_setting", std::int64_t(1)).find("no setting \"no_such_setting\"") !=
                std::string::npos);
        QVERIFY(refused("work_mem; DROP TABLE t", std::int64_t(1)).find("not a name") != std::string::npos);
        const std::string text = refused("work_mem", std::string("lots"));
        QVERIFY2(text.find("work_mem=lots was refused") != std::string::npos, text.c_str());
        QCOMPARE(altered(), QByteArray());
        QVERIFY(!m_admin->variable("no_such_setting"));
    }

    //! As a run does with a server that somebody else runs.
    void goBackWithoutATrace()
    {
        KnobGuard guard({});
        for (const char* size : {"16MB", "32MB"}) {
            const auto set = guard.apply(*m_admin, {{"work_mem", std::string(size)}, {"autovacuum", false}});
            QVERIFY2(set, set ? "" : set.error().text().c_str());
        }
        QCOMPARE(altered().count('\n'), 2);
        QVERIFY(guard.restore(*m_admin));
        QCOMPARE(altered(), QByteArray());
        QCOMPARE(*m_admin->variable("work_mem"), std::to_string(4 << 20));
        // A line of the owner's comes back as what it was.
        QVERIFY(m_admin->execute("ALTER SYSTEM SET work_mem = '8MB'"));
        QVERIFY(m_admin->execute("SELECT pg_reload_conf()"));
        QVERIFY(
            QTest::qWaitFor([&] { return *m_admin->variable("work_mem") == std::to_string(8 << 20); }, kPatienceMs));
        QVERIFY(guard.apply(*m_admin, {{"work_mem", std::string("64MB")}}));
        QCOMPARE(*m_admin->variable("work_mem"), std::to_string(64 << 20));
        QVERIFY(guard.restore(*m_admin));
        QCOMPARE(*m_admin->variable("work_mem"), std::to_string(8 << 20));
        QCOMPARE(altered().count('\n'), 1);
        QVERIFY(altered().startsWith("work_mem = '8MB'"));
    }

    void tables()
    {
        QVERIFY(m_admin->tableNames()->empty());
        makeRows(10);
        QVERIFY(m_admin->execute("CREATE SCHEMA elsewhere CREATE TABLE theirs (i INTEGER)"));
        QCOMPARE(*m_admin->tableNames(), std::vector<std::string>{"rows_here"});
        QCOMPARE(*m_admin->tablesElsewhere(), std::vector<std::string>{"elsewhere.theirs"});
        QVERIFY(m_admin->execute("DROP SCHEMA elsewhere CASCADE"));
        const auto shape = m_admin->describe("rows_here");
        QCOMPARE(shape->size(), std::size_t(2));
        QCOMPARE(shape->at(0).type, std::string("integer"));
        QCOMPARE(shape->at(1).name + " " + shape->at(1).type, std::string("c character(120)"));
        QVERIFY(m_admin->describe("theirs")->empty());
        QCOMPARE(*m_admin->rowCount("rows_here"), std::int64_t(10));
        QVERIFY(m_admin->dataFolder() == (m_server.folder() / "data").string());
    }

    void sizes()
    {
        makeRows(20'000);
        QVERIFY(m_admin->execute("ALTER TABLE rows_here ADD COLUMN long TEXT"));
        QVERIFY(m_admin->execute("ALTER TABLE rows_here ALTER COLUMN long SET STORAGE EXTERNAL"));
        QVERIFY(m_admin->execute("UPDATE rows_here SET long = repeat('y', 100000) WHERE id <= 10"));
        const std::uint64_t bytes = m_admin->dataBytes({"rows_here"});
        QCOMPARE(std::to_string(bytes), cell("SELECT pg_total_relation_size('rows_here')"));
        QVERIFY(bytes > 20'000u * 120 && m_admin->dataBytes({}) > bytes);
        const auto parts = m_admin->dataParts({"rows_here"});
        QCOMPARE(sumOf(parts, "collection") + sumOf(parts, "index"), bytes);
        QVERIFY(
            std::ranges::any_of(parts, [](const DataPart& part) { return part.name == "rows_here.rows_here_pkey"; }));
        const std::uint64_t apart = sumOf(parts, "off-page");
        QVERIFY(apart > 1'000'000 && apart < 1'200'000);
        for (const DataPart& part : m_admin->dataParts({"another"}))
            QCOMPARE(part.kind, std::string("redo log"));
        std::error_code none;
        std::uint64_t log = 0;
        for (const auto& file : std::filesystem::directory_iterator(m_server.folder() / "data/pg_wal", none))
            log += file.is_regular_file(none) ? file.file_size(none) : 0;
        const std::uint64_t told = sumOf(parts, "redo log");
        QVERIFY2(told > 0 && told % (std::uint64_t(16) << 20) == 0 && told <= log, std::to_string(told).c_str());
        // Who may not see the folder of the log is told all else.
        auto other = m_server.admin();
        QVERIFY(other && m_admin->execute("CREATE ROLE reader"));
        QVERIFY(m_admin->execute("GRANT SELECT ON rows_here TO reader") && (*other)->execute("SET ROLE reader"));
        QVERIFY(!(*other)->query("SELECT 1 FROM pg_ls_waldir()"));
        QCOMPARE(sumOf((*other)->dataParts({"rows_here"}), "redo log"), std::uint64_t(0));
        QCOMPARE(sumOf((*other)->dataParts({"rows_here"}), "collection"), sumOf(parts, "collection"));
        QVERIFY(m_admin->execute("GRANT pg_monitor TO reader"));
        QVERIFY(sumOf((*other)->dataParts({"rows_here"}), "redo log") > 0);
        QVERIFY(m_admin->execute("REVOKE SELECT ON rows_here FROM reader") && m_admin->execute("DROP ROLE reader"));
    }

    //! The planner knows of a load's rows before autovacuum has come by; settling removes what it left.
    void knowsNewRows()
    {
        makeRows(5000);
        const auto known = [this] {
            return cell("SELECT reltuples::bigint FROM pg_class WHERE oid = 'rows_here'::regclass");
        };
        QVERIFY(known() != "5000");
        // What a session has counted is there after a second at the latest.
        QVERIFY(QTest::qWaitFor(
            [&] {
                m_admin->checkpoint();
                return known() == "5000";
            },
            kPatienceMs));
        QVERIFY(m_admin->execute("DELETE FROM rows_here WHERE id > 100"));
        QVERIFY(m_admin->settle({"rows_here"}));
        QCOMPARE(known(), std::string("100"));
        QVERIFY(m_admin->dataBytes({"rows_here"}) < 200'000);
        QVERIFY(!m_admin->settle({"missing"}));
    }

    void prewarms()
    {
        makeRows(5000);
        QVERIFY(m_server.restart());
        auto admin = m_server.admin();
        QVERIFY(admin);
        m_admin = std::move(*admin);
        QVERIFY(m_admin->prewarm({"rows_here"}));
        QCOMPARE(cell("SELECT COUNT(*) FROM pg_extension WHERE extname = 'pg_prewarm'"), std::string("0"));
        const std::string plan = [&] {
            std::string text;
            const auto rows = m_admin->query("EXPLAIN (ANALYZE, BUFFERS) SELECT COUNT(c) FROM rows_here");
            for (const auto& row : rows.value_or(TextRows()))
                text += row.front() + "\n";
            return text;
        }();
        QVERIFY2(plan.find("shared hit=") != std::string::npos, plan.c_str());
        // Nobody else may make extensions: the tables are read then.
        QVERIFY(m_admin->execute("CREATE ROLE reader LOGIN"));
        QVERIFY(m_admin->execute("GRANT SELECT ON rows_here TO reader"));
        TargetUri uri = m_server.uri();
        uri.user = "reader";
        const auto other = driverFor("postgresql")->admin(*PostgresqlFixture::targetAt(uri));
        QVERIFY(other);
        QVERIFY((*other)->prewarm({"rows_here"}));
        QVERIFY(m_admin->execute("DROP OWNED BY reader"));
        QVERIFY(m_admin->execute("DROP ROLE reader"));
    }

    void errorsSayWhereAndWhatToDo()
    {
        const auto missing = m_admin->query("SELECT * FROM no_such_table");
        QVERIFY(!missing);
        QVERIFY(missing.error().message.find("42P01") != std::string::npos);
        QVERIFY(missing.error().where.find("no_such_table") != std::string::npos);
        QVERIFY(m_admin->execute("CREATE ROLE nobody_here LOGIN"));
        TargetUri uri = m_server.uri();
        uri.user = "nobody_here";
        const auto other = driverFor("postgresql")->admin(*PostgresqlFixture::targetAt(uri));
        QVERIFY(other);
        const auto refused = (*other)->execute("CREATE ROLE another");
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::Refused);
        QVERIFY(refused.error().remedy.find("grant") != std::string::npos);
        QVERIFY(m_admin->execute("DROP ROLE nobody_here"));
    }

    void aCallCanBeBroken()
    {
        auto admin = m_server.admin();
        QVERIFY(admin);
        std::thread other([&] {
            constexpr const char* kAsleep =
                "SELECT COUNT(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(300)' AND wait_event = 'PgSleep'";
            const QDeadlineTimer until(kPatienceMs);
            while (cell(kAsleep) != "1" && !until.hasExpired())
                std::this_thread::yield();
            (*admin)->abort();
        });
        const auto slept = (*admin)->query("SELECT pg_sleep(300)");
        other.join();
        QVERIFY(!slept);
        QCOMPARE(slept.error().kind, ErrorKind::Unreachable);
    }
};

} // namespace dyno::tst_postgresql_admin

DYNO_SUITE(tst_postgresql_admin, dyno::tst_postgresql_admin::TestPostgresqlAdmin)
#include "tst_postgresql_admin.moc"
