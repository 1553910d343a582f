// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A database that holds what Dynobench did not make: nothing is made or changed there before somebody agreed to it.
#include "managed_test.h"
#include "recording_sink.h"
#include "support/frozen.h"
#include "support/mariadb_fixture.h"
#include "support/mongo_fixture.h"
#include "support/suite.h"

#include <dyno/kept_data.h>
#include <dyno/preflight.h>
#include <dyno/runner.h>
#include <dyno/trust.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <thread>

namespace dyno::tst_others_data {
using namespace dyno::test;

namespace {

constexpr const char* kSbtest1 =
    "CREATE TABLE sbtest1 (id INTEGER NOT NULL AUTO_INCREMENT PRIMARY KEY, k INTEGER NOT NULL DEFAULT 0, "
    "c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT NULL DEFAULT '')";

Plan planOn(const std::string& uri, const char* workload = "oltp_read_write")
{
    Plan plan;
    plan.target.uri = uri;
    plan.workload.name = workload;
    plan.workload.params = {{"tables", std::int64_t(1)}, {"table_size", std::int64_t(100)}};
    plan.load.timeSeconds = plan.load.intervalSeconds = 0.2;
    plan.load.users = {1};
    return plan;
}

std::string textOfFile(const std::filesystem::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

bool says(const Error& error, std::string_view part)
{
    return error.text().find(part) != std::string::npos;
}

} // namespace

class TestOthersData : public QObject
{
    Q_OBJECT

    MariadbFixture m_server;
    std::unique_ptr<Admin> m_admin;
    std::string m_uri;

    void sql(const std::string& command)
    {
        const auto done = m_admin->execute(command);
        QVERIFY2(done, done ? "" : done.error().text().c_str());
    }
    std::size_t tables()
    {
        const auto names = m_admin->query("SHOW TABLES IN shop");
        return names ? names->size() : 999;
    }
    static std::vector<Risk> seen(const Plan& plan, const Consent& consent = {})
    {
        RunnerOptions options;
        options.consent = consent;
        const auto reports = preflight(plan, options);
        if (!reports)
            qWarning("%s", reports.error().text().c_str());
        return reports && reports->size() == 1 ? reports->front().risks : std::vector<Risk>{{"no", "report", ""}};
    }

private slots:
    void initTestCase()
    {
        DYNO_START_MARIADB(m_server);
        auto admin = m_server.admin();
        QVERIFY(admin);
        m_admin = std::move(*admin);
        TargetUri uri = m_server.uri();
        uri.database = "shop";
        m_uri = uri.display();
    }
    void init()
    {
        if (!m_admin)
            QSKIP("no server");
        sql("DROP DATABASE IF EXISTS shop");
        sql("CREATE DATABASE shop");
    }

    void anEmptyDatabaseIsNobodys()
    {
        QVERIFY(seen(planOn(m_uri)).empty());
        const auto loaded = prepareData(planOn(m_uri), {}, {});
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        QVERIFY(seen(planOn(m_uri)).empty()); // ours now
    }

    void tablesOfOthersAreAskedAbout()
    {
        for (const char* table : {"customers", "invoices", "orders", "parts"})
            sql(std::string("CREATE TABLE shop.") + table + " (id INT)");
        const Plan plan = planOn(m_uri);
        const auto risks = seen(plan);
        QCOMPARE(risks.size(), std::size_t(1));
        QCOMPARE(risks.front().key, std::string(kTargetKey));
        QCOMPARE(risks.front().value, m_uri);
        QVERIFY2(risks.front().wants.find("(customers, invoices, orders and 1 more)") != std::string::npos,
                 risks.front().wants.c_str());
        // The run refuses too, before anything is changed, settings included.
        Plan changing = plan;
        changing.set["server.innodb_io_capacity"] = std::int64_t(321);
        RunnerOptions options;
        QTemporaryDir dir;
        options.library = dir.filePath("l.dynolib").toStdString();
        options.consent.allow("server.innodb_io_capacity");
        RecordingSink sink;
        SessionRunner runner(changing, options, {&sink});
        runner.start();
        runner.wait();
        QCOMPARE(sink.session.status, RunStatus::Failed);
        QCOMPARE(sink.session.errorKind, ErrorKind::BadInput);
        QVERIFY2(sink.session.reason.find("customers") != std::string::npos, sink.session.reason.c_str());
        QVERIFY(m_admin->variable("innodb_io_capacity").value_or("") != "321");
        const auto refused = prepareData(plan, {}, {});
        QVERIFY(!refused && refused.error().kind == ErrorKind::BadInput && refused.error().where == kTargetKey);
        QCOMPARE(tables(), std::size_t(4));
        // Agreed to for what it is, it is done; and what Dynobench made there is known afterwards.
        RunnerOptions agreed;
        agreed.consent.allow(risks.front());
        const auto loaded = prepareData(plan, agreed, {});
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        QVERIFY(seen(plan).empty());
    }

    //! Views and what a client shows as tables count: they are somebody's.
    void aViewIsSomebodys()
    {
        sql("CREATE VIEW shop.totals AS SELECT 1 AS one");
        QCOMPARE(seen(planOn(m_uri)).size(), std::size_t(1));
    }

    void readingNeedsNoAgreement()
    {
        sql("USE shop");
        sql(kSbtest1);
        sql("CREATE INDEX k_1 ON sbtest1(k)");
        std::string rows = "INSERT INTO sbtest1 (k) VALUES (1)";
        for (int i = 2; i <= 100; ++i)
            rows += ", (1)";
        sql(rows);
        Plan reads = planOn(m_uri, "oltp_point_select");
        reads.workload.prepare = PreparePolicy::Never;
        QVERIFY(seen(reads).empty());
        reads.workload.prepare = PreparePolicy::Auto; // nothing is missing
        QVERIFY(seen(reads).empty());
        Plan locks = reads; // its tables, while their pages are written
        locks.load.settle = true;
        QCOMPARE(seen(locks).size(), std::size_t(1));
        Plan writes = planOn(m_uri, "oltp_update_index");
        writes.workload.prepare = PreparePolicy::Never;
        const auto risks = seen(writes);
        QCOMPARE(risks.size(), std::size_t(1));
        QVERIFY2(risks.front().wants.find("sbtest1") != std::string::npos, risks.front().wants.c_str());
        const auto refused = prepareData(writes, {}, {});
        QVERIFY(!refused && says(refused.error(), "sbtest1"));
        Plan more = planOn(m_uri, "oltp_point_select"); // one table of two is there
        more.workload.params["tables"] = std::int64_t(2);
        QCOMPARE(seen(more).size(), std::size_t(1));
    }

    //! Where Dynobench has been before, tables of the workload that it did not make are somebody's all the same.
    void amongOurOwn()
    {
        QVERIFY(prepareData(planOn(m_uri), {}, {}));
        sql("USE shop");
        sql("CREATE TABLE notes (id INT)"); // not of the workload: the database is known
        QVERIFY(seen(planOn(m_uri)).empty());
        sql("CREATE TABLE sbtest2 LIKE sbtest1");
        sql("INSERT INTO sbtest2 SELECT * FROM sbtest1");
        Plan two = planOn(m_uri);
        two.workload.params["tables"] = std::int64_t(2);
        const auto risks = seen(two);
        QCOMPARE(risks.size(), std::size_t(1));
        QVERIFY2(risks.front().wants.find("(sbtest2)") != std::string::npos, risks.front().wants.c_str());
        QVERIFY(seen(planOn(m_uri)).empty());
    }

    //! Whoever types a server means its database; a plan that is moved there by a flag brings nothing else along.
    void aTypedTargetIsAgreedTo()
    {
        sql("CREATE TABLE shop.customers (id INT)");
        const Plan file = planOn("managed:mariadb"), run = planOn(m_uri);
        QVERIFY(seen(run, typedIn(file, run)).empty());
        QCOMPARE(seen(run, typedIn(run, run)).size(), std::size_t(1));
        Consent otherDeed; // an agreement to what the URI asks for is none to write there
        otherDeed.allow(Risk{std::string(kTargetKey), m_uri, "reach it without TLS"});
        QCOMPARE(seen(run, otherDeed).size(), std::size_t(1));
    }

    //! What the consent covers of that which shows on the server is told too, so that it can be remembered.
    void whatIsCoveredIsTold()
    {
        sql("CREATE TABLE shop.customers (id INT)");
        RunnerOptions options;
        options.consent.allow("all");
        const auto reports = preflight(planOn(m_uri), options);
        QVERIFY(reports && reports->size() == 1);
        QVERIFY(reports->front().risks.empty());
        QCOMPARE(reports->front().agreed.size(), std::size_t(1));
    }

    //! A server that Dynobench keeps for its user may hold what that user put there: neither a look nor a refused run
    //! starts it with a plan's settings.
    void aKeptServer()
    {
        QTemporaryDir dir;
        const std::filesystem::path work = dir.path().toStdString();
        const std::filesystem::path folder = work / "instances" / "mine";
        constexpr std::int64_t kLog = 8 << 20, kOtherLog = 16 << 20;
        {
            auto server = ManagedServer::create(managedUri("mariadb", {{"name", "mine"}}), work);
            VERIFY_OK(server);
            VERIFY_OK((*server)->ensure(smallKnobs({{"innodb_log_file_size", kLog}, {"log_bin", false}})));
            auto admin = adminOf(**server);
            VERIFY_OK(admin);
            VERIFY_OK((*admin)->execute("CREATE TABLE customers (id INT)"));
            VERIFY_OK((*admin)->execute("CREATE DATABASE shop"));
            VERIFY_OK((*admin)->execute("CREATE TABLE shop.orders (id INT)"));
        }
        const auto optionsOf = [](const std::filesystem::path& of) { // its socket is another at each start
            return QString::fromStdString(textOfFile(of / "server.cnf"))
                .remove(QRegularExpression(QStringLiteral("^socket=.*$"), QRegularExpression::MultilineOption));
        };
        const auto isAsBefore = [&folder, &optionsOf, options = optionsOf(folder)] {
            return std::filesystem::file_size(folder / "data" / "ib_logfile0") == std::uintmax_t(kLog) &&
                   optionsOf(folder) == options;
        };
        QVERIFY(isAsBefore());
        RunnerOptions options;
        options.workDir = work;
        Plan plan = planOn("managed:mariadb?name=mine");
        QVERIFY(changesKeptSettings(plan, options)); // without what it was started with
        plan.set["server.innodb_log_file_size"] = kOtherLog;
        plan.set["server.innodb_buffer_pool_size"] = std::int64_t(32) << 20; // as it is
        const auto looked = lookAtKeptData(plan, options);
        QVERIFY(isAsBefore());
        QCOMPARE(looked.size(), std::size_t(1));
        QVERIFY(looked.front().blocked());
        const auto& risks = looked.front().risks;
        const auto about = [&risks](const char* key, const char* part) {
            return std::ranges::count_if(
                risks, [&](const Risk& risk) { return risk.key == key && risk.wants.find(part) != std::string::npos; });
        };
        QCOMPARE(risks.size(), std::size_t(3));
        QCOMPARE(about("server.innodb_log_file_size", "(customers, shop.orders)"), 1);
        QCOMPARE(about("target.uri", "last started with (log_bin)"), 1);
        QCOMPARE(about("target.uri", "write into a database that holds tables which Dynobench did not make"), 1);
        const auto refused = prepareData(plan, options, {});
        QVERIFY(!refused);
        QVERIFY2(says(refused.error(), "customers") && refused.error().where == "server.innodb_log_file_size",
                 refused.error().text().c_str());
        QVERIFY(isAsBefore());
        for (const Risk& risk : risks)
            options.consent.allow(risk);
        VERIFY_OK(prepareData(plan, options, {}));
        QCOMPARE(std::filesystem::file_size(folder / "data" / "ib_logfile0"), std::uintmax_t(kOtherLog));
        options.consent = {};
        QVERIFY(!changesKeptSettings(plan, options));
        VERIFY_OK(prepareData(plan, options, {})); // known now, under the same settings
        VERIFY_OK(prepareData(planOn("managed:mariadb?name=new"), options, {}));
        // What is typed, and what a recipe of ours sets where its target is typed, is not asked about.
        Plan file = plan;
        file.set.erase("server.innodb_log_file_size");
        QVERIFY(
            typedIn(file, plan).covers(Risk{"server.innodb_log_file_size", std::to_string(kOtherLog), "change it"}));
        QVERIFY(
            !typedIn(plan, plan).covers(Risk{"server.innodb_log_file_size", std::to_string(kOtherLog), "change it"}));
    }

    //! A kept server that hangs while it is started for the look, or when it is to end after it: who stops waits no
    //! more than some seconds, and is told.
    void aLookIsGivenUp_data()
    {
        QTest::addColumn<bool>("atStart");
        QTest::newRow("at its start") << true;
        QTest::newRow("at its end") << false;
    }
    void aLookIsGivenUp()
    {
        QFETCH(const bool, atStart);
        QTemporaryDir dir;
        const std::filesystem::path work = dir.path().toStdString();
        {
            auto server = ManagedServer::create(managedUri("mariadb", {{"name", "mine"}}), work);
            VERIFY_OK(server);
            VERIFY_OK((*server)->ensure(smallKnobs({{"log_bin", false}})));
        }
        const auto endsIn = [](const std::filesystem::path& folder) {
            return QString::fromStdString(textOfFile(folder / "error.log")).count("Normal shutdown");
        };
        const std::filesystem::path folder = work / "instances" / "mine";
        const Plan plan = planOn("managed:mariadb?name=mine");
        std::atomic<bool> stopped = false;
        RunnerOptions options;
        options.workDir = work;
        options.stopped = [&stopped] { return stopped.load(); };
        std::unique_ptr<KeptFrozen> hangs;
        std::vector<PreflightReport> looked;
        qint64 took = -1;
        // A small server ends within some milliseconds: on a busy machine it may be gone before it can be frozen. Then
        // that look was an undisturbed one, and the next one is tried.
        for (int tries = 0; tries < 50 && !hangs; ++tries) {
            const auto endsBefore = endsIn(folder);
            std::atomic<bool> over = false;
            QElapsedTimer sinceStop;
            std::thread breaker([&] {
                while (!over && !hangs) {
                    const std::vector<pid_t> servers = processesNaming(folder.string());
                    // Its log says when it is told to end.
                    if (!servers.empty() && (atStart || endsIn(folder) > endsBefore)) {
                        auto freeze = std::make_unique<KeptFrozen>(servers.front());
                        if (processesNaming(folder.string()).empty())
                            break;
                        sinceStop.start();
                        hangs = std::move(freeze);
                        stopped = true;
                    }
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
            });
            looked = lookAtKeptData(plan, options);
            took = sinceStop.isValid() ? sinceStop.elapsed() : -1;
            over = true;
            breaker.join();
            QVERIFY(hangs || looked.empty());
        }
        QVERIFY(hangs);
        hangs.reset();
        QVERIFY2(took < 10'000, qPrintable(QString::number(took)));
        QCOMPARE(looked.size(), std::size_t(1));
        const auto told = std::ranges::find(looked.front().items, "server", &PreflightItem::id);
        QVERIFY(told != looked.front().items.end());
        QVERIFY2(told->what.find("the stop") != std::string::npos, told->what.c_str());
        QVERIFY(processesNaming((work / "instances" / "mine").string()).empty());
        options.stopped = {};
        QVERIFY(lookAtKeptData(plan, options).empty()); // it answers again, and nothing is in the way
    }

    void documents()
    {
        if (!driverFor("mongodb"))
            QSKIP("this build has no MongoDB driver");
        if (const std::string why = MongoFixture::whyMissing(true); !why.empty())
            QSKIP(why.c_str());
        MongoFixture server;
        VERIFY_OK(server.startOwn());
        Plan plan = planOn(server.uriText(), "ycsb");
        plan.workload.params = {{"recordcount", std::int64_t(50)}};
        auto admin = server.admin();
        VERIFY_OK(admin);
        QVERIFY(seen(plan).empty());
        VERIFY_OK((*admin)->execute(R"({"insert": "customers", "documents": [{"_id": 1}]})"));
        const auto risks = seen(plan);
        QCOMPARE(risks.size(), std::size_t(1));
        QVERIFY2(risks.front().wants.find("(customers)") != std::string::npos, risks.front().wants.c_str());
        const auto refused = prepareData(plan, {}, {});
        QVERIFY(!refused && says(refused.error(), "customers"));
        RunnerOptions agreed;
        agreed.consent.allow(risks.front());
        VERIFY_OK(prepareData(plan, agreed, {}));
        QVERIFY(seen(plan).empty());
    }
};

} // namespace dyno::tst_others_data

DYNO_SUITE(tst_others_data, dyno::tst_others_data::TestOthersData)
#include "tst_others_data.moc"
