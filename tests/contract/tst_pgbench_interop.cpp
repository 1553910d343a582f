// SPDX-License-Identifier: GPL-3.0-or-later
// With pgbench itself on one PostgreSQL: its runs on our tables, our transactions on its tables, equal schemas and
// rows, and balances that agree after both. Skipped with a message where pgbench or a server is missing.
#include "contract/catalog_of.h"
#include "contract/small_data.h"
#include "load/data/dataset.h"
#include "support/patience.h"
#include "support/postgresql_fixture.h"
#include "support/suite.h"
#include "support/workload_harness.h"

#include <QProcess>
#include <QTest>

#include <map>

namespace dyno::tst_pgbench_interop {
using namespace dyno::test;

class TstPgbenchInterop : public QObject
{
    Q_OBJECT

    PostgresqlFixture m_server;
    std::unique_ptr<Admin> m_admin;

    [[nodiscard]] static QString program()
    {
        return QString::fromStdString((PostgresqlFixture::programs() / "pgbench").string());
    }
    //! What it prints in a run that ends well; fails the test otherwise.
    QString pgbench(const QStringList& more) const
    {
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        const QStringList arguments =
            QStringList{"--host=" + QString::fromStdString(m_server.folder().string()),
                        QString("--port=%1").arg(m_server.port()), QString("--username=") + kPostgresqlUser} +
            more + QStringList{QString::fromStdString(m_server.database())};
        process.start(program(), arguments);
        if (!process.waitForFinished(4 * kPatienceMs) || process.exitCode() != 0) {
            QTest::qFail(process.readAll() + "\nof pgbench " + arguments.join(' ').toUtf8(), __FILE__, __LINE__);
            return {};
        }
        return QString::fromUtf8(process.readAll());
    }
    void loadByPgbench() const { pgbench({"--initialize", "--scale=1", "--quiet"}); }
    void loadByUs() const
    {
        const auto instance = test::bind("tpcb", {}, "postgresql");
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
    void runByUs(const QString& script, int transactions) const
    {
        const auto instance = test::bind("tpcb", {{"script", script.toStdString()}}, "postgresql");
        auto session = driverFor("postgresql")->open(m_server.target(instance->statements()));
        QVERIFY(session);
        TestUser user(std::move(*session), workloadFor("tpcb")->info().operations.size());
        QVERIFY(complete(stepOf(user.context, Request::step(RequestKind::Connect)), user.context).outcome ==
                Outcome::Ok);
        for (int i = 0; i < transactions; ++i)
            QVERIFY2(user.run(*instance, std::uint64_t(i)) == Outcome::Ok, user.session->lastError().c_str());
    }
    [[nodiscard]] std::string cell(const std::string& query) const
    {
        const auto rows = m_admin->query(query);
        return !rows ? rows.error().text() : rows->empty() ? std::string("(no row)") : rows->front().front();
    }
    [[nodiscard]] std::int64_t number(const std::string& query) const { return std::stoll(cell(query)); }
    //! Of all rows of each table, but for the time in the history.
    [[nodiscard]] std::map<std::string, std::string> contents() const
    {
        std::map<std::string, std::string> sums;
        for (const auto& [table, key] : {std::pair{"pgbench_accounts", "aid"},
                                         {"pgbench_tellers", "tid"},
                                         {"pgbench_branches", "bid"},
                                         {"pgbench_history", "aid"}})
            sums[table] = cell(std::string("SELECT COUNT(*) || ' rows ' || coalesce(md5(string_agg(t::text, '|' ORDER "
                                           "BY ") +
                               key + ")), '') FROM " + table + " t");
        return sums;
    }

private slots:
    void initTestCase()
    {
        DYNO_START_POSTGRESQL(m_server);
        if (!QFile::exists(program()))
            QSKIP("pgbench is not beside the server");
        auto admin = m_server.admin();
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        m_admin = std::move(*admin);
    }
    void cleanupTestCase() { m_admin.reset(); }

    //! Columns, keys and fill factors as the catalogue has them, and all rows.
    void tablesAreEqual()
    {
        loadByPgbench();
        const QStringList theirs = catalogOf(*m_admin, "pgbench\\_%");
        const auto theirRows = contents();
        loadByUs();
        QCOMPARE(catalogOf(*m_admin, "pgbench\\_%"), theirs);
        QCOMPARE(contents(), theirRows);
        QVERIFY2(theirs.contains("pgbench_accounts | 4 | filler | character | 84 | YES | "),
                 qPrintable(theirs.join('\n')));
        QVERIFY(theirs.contains("pgbench_accounts | r | p | 100"));
        QVERIFY2(theirRows.at("pgbench_accounts").starts_with("100000 rows "),
                 theirRows.at("pgbench_accounts").c_str());
    }

    void bothRunOnEachOthersTables_data()
    {
        QTest::addColumn<bool>("ours");
        QTest::newRow("our tables") << true;
        QTest::newRow("pgbench's tables") << false;
    }
    //! All scripts, by both programs, one after another: what each leaves is what the others find.
    void bothRunOnEachOthersTables()
    {
        QFETCH(bool, ours);
        if (ours)
            loadByUs();
        else
            loadByPgbench();
        if (QTest::currentTestFailed())
            return;
        constexpr int kEach = 100;
        for (const char* script : {"tpcb-like", "select-only", "simple-update"}) {
            const std::int64_t before = number("SELECT COUNT(*) FROM pgbench_history");
            const QString said = pgbench({"--no-vacuum", "--protocol=prepared", QString("--builtin=") + script,
                                          QString("--transactions=%1").arg(kEach)});
            QVERIFY2(said.contains(QString("actually processed: %1/%1").arg(kEach)), qPrintable(said));
            runByUs(script, kEach);
            if (QTest::currentTestFailed())
                return;
            const bool writes = QString(script) != "select-only";
            QCOMPARE(number("SELECT COUNT(*) FROM pgbench_history") - before, std::int64_t(writes ? 2 * kEach : 0));
            const std::int64_t moved = number("SELECT SUM(delta) FROM pgbench_history");
            QCOMPARE(number("SELECT SUM(abalance) FROM pgbench_accounts"), moved);
            if (QString(script) == "simple-update") // leaves tellers and branches alone
                continue;
            QCOMPARE(number("SELECT SUM(tbalance) FROM pgbench_tellers"), moved);
            QCOMPARE(number("SELECT SUM(bbalance) FROM pgbench_branches"), moved);
            // Not only the sums: those of each account, teller and branch.
            const auto checked =
                checkDataset(*m_admin, *test::bind("tpcb", {{"script", std::string(script)}}, "postgresql"), 1, {});
            QVERIFY(checked && !checked->empty());
            for (const ConditionResult& one : *checked)
                QVERIFY2(one.error.empty() && one.violations == 0, one.name.c_str());
        }
    }
};

} // namespace dyno::tst_pgbench_interop

DYNO_SUITE(tst_pgbench_interop, dyno::tst_pgbench_interop::TstPgbenchInterop)
#include "tst_pgbench_interop.moc"
