// SPDX-License-Identifier: GPL-3.0-or-later
// With sysbench itself on one PostgreSQL: its runs on our tables, our transactions on its tables, equal schemas, and
// equal statements as the server counts them. Skipped with a message where sysbench or a server is missing.
#include "contract/catalog_of.h"
#include "contract/small_data.h"
#include "contract/statement_counts.h"
#include "contract/sysbench_program.h"
#include "load/data/dataset.h"
#include "support/postgresql_fixture.h"
#include "support/suite.h"
#include "support/workload_harness.h"

#include <QRegularExpression>
#include <QTest>

namespace dyno::tst_sysbench_postgresql {
using namespace dyno::test;

namespace {

constexpr int kTables = 2;
constexpr int kRows = 1000;

const char* const kWorkloads[] = {
    "oltp_read_write",   "oltp_read_only",        "oltp_write_only", "oltp_point_select",    "oltp_insert",
    "oltp_update_index", "oltp_update_non_index", "oltp_delete",     "select_random_points", "select_random_ranges"};

} // namespace

class TstSysbenchPostgresql : public QObject
{
    Q_OBJECT

    SysbenchProgram m_sysbench;
    PostgresqlFixture m_server;
    std::unique_ptr<Admin> m_admin;

    void dropTables()
    {
        for (int i = 1; i <= kTables; ++i)
            QVERIFY(m_admin->drop("sbtest" + std::to_string(i)));
    }
    void prepareBySysbench(const QString& workload, const QString& params)
    {
        dropTables();
        (void)m_sysbench.run(workload, "prepare", sysbenchArguments(params));
    }
    void prepareByUs(const QString& workload, const QString& params)
    {
        dropTables();
        const auto instance = test::bind(workload.toStdString(), settingsOf(params), "postgresql");
        std::vector<std::string> warnings;
        const ConnectTargetPtr target = m_server.target();
        const DatasetJob job{.driver = *driverFor("postgresql"),
                             .admin = *m_admin,
                             .target = *target,
                             .workload = *instance,
                             .policy = PreparePolicy::Always,
                             .seed = 11};
        const auto loaded = ensureDataset(job, {}, warnings);
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
    }
    void runByUs(const QString& workload, const QString& params, int transactions)
    {
        const auto instance = test::bind(workload.toStdString(), settingsOf(params), "postgresql");
        auto session = driverFor("postgresql")->open(m_server.target(instance->statements()));
        QVERIFY(session);
        TestUser user(std::move(*session), workloadFor(workload.toStdString())->info().operations.size());
        QVERIFY(complete(stepOf(user.context, Request::step(RequestKind::Connect)), user.context).outcome ==
                Outcome::Ok);
        for (int i = 0; i < transactions; ++i)
            QVERIFY2(user.run(*instance, std::uint64_t(i)) == Outcome::Ok, user.session->lastError().c_str());
    }
    void forgetStatements() { QVERIFY(m_admin->query("SELECT pg_stat_statements_reset()")); }
    //! "3 × SELECTCFROMSBTESTNWHEREID=?": statements without their values, spaces and letter case. Not BEGIN and
    //! COMMIT, which sysbench prepares: the extension counts such a one the first time only.
    QStringList counted()
    {
        const auto rows =
            m_admin->query("SELECT query, calls FROM pg_stat_statements WHERE query ~* "
                           "'^(SELECT|INSERT|UPDATE|DELETE)' AND query !~* 'pg_stat_statements|pg_catalog|version'");
        std::map<QString, qint64> calls;
        static const QRegularExpression table("sbtest\\d+"), value("\\$\\d+|'[^']*'"), space("\\s+");
        for (const auto& row : rows.value_or(TextRows())) {
            QString text = QString::fromStdString(row.at(0));
            text.replace(table, "sbtestN").replace(value, "?").replace(space, "");
            calls[text.toUpper()] += std::stoll(row.at(1));
        }
        QStringList lines;
        for (const auto& [text, count] : calls)
            lines << QString("%1 × %2").arg(count).arg(text);
        return lines;
    }

private slots:
    void initTestCase()
    {
        if (const QString why = SysbenchProgram::whyMissing(); !why.isEmpty())
            QSKIP(qPrintable(why));
        DYNO_START_POSTGRESQL(m_server, {.settings = countingSettings()});
        auto admin = m_server.admin();
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        m_admin = std::move(*admin);
        QVERIFY(m_admin->execute("CREATE EXTENSION pg_stat_statements"));
        m_sysbench.server = {"--db-driver=pgsql", "--pgsql-host=" + QString::fromStdString(m_server.folder().string()),
                             QString("--pgsql-port=%1").arg(m_server.port()),
                             QString("--pgsql-user=") + kPostgresqlUser,
                             "--pgsql-db=" + QString::fromStdString(m_server.database())};
    }
    void cleanupTestCase() { m_admin.reset(); }

    void schemasAreEqual_data()
    {
        QTest::addColumn<QString>("params");
        for (const char* params : {"auto_inc=on", "auto_inc=off", "create_secondary=off"})
            QTest::newRow(params) << params;
    }
    void schemasAreEqual()
    {
        QFETCH(QString, params);
        const QString all = params + QString(" tables=%1 table_size=10").arg(kTables);
        prepareBySysbench("oltp_read_write", all);
        const QStringList theirs = catalogOf(*m_admin, "sbtest%");
        prepareByUs("oltp_read_write", all);
        QCOMPARE(catalogOf(*m_admin, "sbtest%").join('\n'), theirs.join('\n'));
        QVERIFY2(theirs.contains("sbtest2 | 3 | c | character | 120 | NO | ''::bpchar"), qPrintable(theirs.join('\n')));
    }

    void bothRunOnEachOthersTables_data()
    {
        QTest::addColumn<QString>("workload");
        for (const char* workload : kWorkloads)
            QTest::newRow(workload) << workload;
    }
    //! Of each 50 transactions on the other's tables. One of ours, and one of sysbench's, on fresh tables: the server
    //! counts the same statements.
    void bothRunOnEachOthersTables()
    {
        QFETCH(QString, workload);
        const int tables = workload.startsWith("select_random") ? 1 : kTables;
        const QString params = QString("tables=%1 table_size=%2").arg(tables).arg(kRows);
        prepareByUs(workload, params);
        if (QTest::currentTestFailed())
            return;
        forgetStatements();
        (void)m_sysbench.run(workload, "run", sysbenchArguments(params + " threads=1 events=50 time=0"));
        const QStringList theirs = counted();
        prepareBySysbench(workload, params);
        for (int i = 1; i <= tables; ++i)
            QCOMPARE(*m_admin->rowCount("sbtest" + std::to_string(i)), std::int64_t(kRows));
        forgetStatements();
        runByUs(workload, params, 50);
        if (QTest::currentTestFailed())
            return;
        QCOMPARE(counted().join('\n'), theirs.join('\n'));
        QVERIFY(!theirs.isEmpty());
        // A delete and an insert each time: as many rows as before.
        if (workload == "oltp_read_write")
            QCOMPARE(*m_admin->rowCount("sbtest1") + *m_admin->rowCount("sbtest2"), std::int64_t(kTables * kRows));
    }
};

} // namespace dyno::tst_sysbench_postgresql

DYNO_SUITE(tst_sysbench_postgresql, dyno::tst_sysbench_postgresql::TstSysbenchPostgresql)
#include "tst_sysbench_postgresql.moc"
