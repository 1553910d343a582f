// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The databases that workloads are tested against, and a workload bound to one of them.
#pragma once

#include "config.h"
#include "support/workload_harness.h"

#if DYNO_HAVE_CLICKHOUSE
#include "support/clickhouse_fixture.h"
#endif
#if DYNO_HAVE_MYSQL
#include "support/mariadb_fixture.h"
#endif
#if DYNO_HAVE_MONGODB
#include "support/mongo_fixture.h"
#endif
#if DYNO_HAVE_POSTGRESQL
#include "support/postgresql_fixture.h"
#endif

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <map>

namespace dyno::test {

inline constexpr std::int64_t kRows = 3000; // more than one slice on the MySQL family
inline constexpr int kTransactions = 100;   // of each user
inline constexpr int kUsers = 2;

inline ConnectTarget targetFor(Driver& driver, std::string_view uri)
{
    ConnectTarget target;
    target.uri = *parseUri(uri);
    Faults faults;
    // Nothing here is measured, and nothing must outlive a power cut.
    Settings wanted;
    if (driver.info().id == "sqlite")
        wanted.emplace("synchronous", std::string("OFF"));
    target.connection = resolve(driver.info().connection, wanted, "connection", faults);
    target.busyTimeoutMs = 5000;
    return target;
}

inline std::string cell(Admin& admin, const std::string& query)
{
    const auto rows = admin.query(query);
    if (!rows)
        return rows.error().text();
    return rows->empty() || rows->front().empty() ? std::string() : rows->front().front();
}

//! Columns that tell the rows of a table apart.
inline std::string orderOf(const std::string& table)
{
    static const std::map<std::string, std::string> several{
        {"linktable", "1, 2, 3"},
        {"counttable", "1, 2"},
        {"history", "1, 2, 3"},
        {"new_orders", "1, 2, 3"},
        {"orders", "1, 2, 3"},
        {"order_line", "1, 2, 3, 4"},
        {"customer", "1, 2, 3"},
        {"district", "1, 2"},
        {"stock", "1, 2"},
        {"sensordata", "1, 2"},
        {"be_holding", "1, 2"},
        {"be_daily", "1, 2"},
        {"be_watch", "1, 2"},
        {"be_state", "1, 2"},
        {"key_sets", "1, 2"},
        {"column_types", "digest, db_server, db_username, db_schema, client_host, period_start, nq_uint32"}};
    const auto found = several.find(table);
    return found == several.end() ? "1" : found->second;
}

//! All of a table as text, in that order.
inline std::string contents(Admin& admin, const std::string& table, DataModel model)
{
    std::string query = "SELECT * FROM " + table + " ORDER BY " + orderOf(table);
    if (model == DataModel::Document)
        query = R"({"find":")" + table + R"(","sort":{"_id":1}})";
    else if (model == DataModel::KeyValue)
        query = "scan " + table + " ! 1000000"; // the first of the printable characters
    auto rows = admin.query(query);
    if (!rows)
        return rows.error().text();
    // An old ClickHouse takes the number of a column for a constant, and sorts by nothing.
    std::ranges::sort(*rows);
    std::string all;
    for (const auto& row : *rows) {
        for (const std::string& field : row)
            all += field + '|';
        all += '\n';
    }
    return all;
}

//! Skips what a machine lacks. Base of a test; initTestCase() calls startTargets().
class WorkloadTargets
{
protected:
    //! One workload bound to one target.
    struct Bench
    {
        Driver* driver = nullptr;
        ConnectTarget target;
        std::unique_ptr<Admin> admin;
        const WorkloadInfo* info = nullptr;
        DataModel model = DataModel::Sql;
        std::int64_t rows = kRows;
        int transactions = kTransactions;
        std::shared_ptr<const WorkloadInstance> instance;

        ConnectTargetPtr with(StatementSet statements) const
        {
            auto shared = std::make_shared<ConnectTarget>(target);
            shared->statements = std::move(statements);
            shared->bulk = instance && instance->bulkInRuns();
            if (instance)
                shared->connectionExtra.merge(instance->sessionVariables());
            return shared;
        }
        std::unique_ptr<TestUser> user(StatementSet statements, UserPlace place) const
        {
            auto session = driver->open(with(std::move(statements)));
            if (!session)
                return nullptr;
            auto made = std::make_unique<TestUser>(std::move(*session), info->operations.size(), place);
            const Reply reply =
                complete(test::stepOf(made->context, Request::step(RequestKind::Connect)), made->context);
            return reply.outcome == Outcome::Ok ? std::move(made) : nullptr;
        }
    };

    void open(Bench& bench, const QString& driver, const QString& workload, const Settings& params = {})
    {
        bench.driver = driverFor(driver.toStdString());
        if (!bench.driver)
            QSKIP("this build has no such driver");
        if (driver == "mysql") {
#if DYNO_HAVE_MYSQL
            if (!m_whyNoServer.isEmpty())
                QSKIP(qPrintable(m_whyNoServer));
            bench.target = *m_mariadb.target();
#endif
        } else if (driver == "mongodb") {
#if DYNO_HAVE_MONGODB
            if (!m_whyNoMongo.isEmpty())
                QSKIP(qPrintable(m_whyNoMongo));
            bench.target = *m_mongo.target();
            // FerretDB reads the whole collection for each range: less has to do.
            bench.rows = kRows / 10;
            bench.transactions = kTransactions / 10;
#endif
        } else if (driver == "postgresql" && workloadFor(workload.toStdString())->info().vectors) {
#if DYNO_HAVE_POSTGRESQL
            if (const std::string why = test::PostgresqlFixture::whyMissing(test::kVectorServer); !why.empty())
                QSKIP(why.c_str());
            if (m_vectors.folder().empty()) {
                const auto started = m_vectors.start({.variable = test::kVectorServer});
                QVERIFY2(started, started ? "" : started.error().text().c_str());
                const auto admin = m_vectors.admin();
                QVERIFY(admin && (*admin)->execute(bench.driver->info().sql.vectors.setup));
            }
            bench.target = *m_vectors.target();
#endif
        } else if (driver == "postgresql") {
#if DYNO_HAVE_POSTGRESQL
            if (!m_whyNoPostgresql.isEmpty())
                QSKIP(qPrintable(m_whyNoPostgresql));
            bench.target = *m_postgresql.target();
#endif
        } else if (driver == "clickhouse") {
#if DYNO_HAVE_CLICKHOUSE
            if (!m_whyNoClickhouse.isEmpty())
                QSKIP(qPrintable(m_whyNoClickhouse));
            bench.target = *m_clickhouse.target();
            bench.transactions = kTransactions / 2; // each insert is a folder of files
#endif
        } else if (driver == "sqlite") {
            bench.target = targetFor(*bench.driver, "sqlite:" + m_folder.filePath("contract.db").toStdString());
        } else if (driver == "rocksdb") {
            bench.target = targetFor(*bench.driver, "rocksdb:" + m_folder.filePath("contract").toStdString());
        } else {
            bench.target = targetFor(*bench.driver, "null:");
        }
        auto admin = bench.driver->admin(bench.target);
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        bench.admin = std::move(*admin);
        bench.info = &workloadFor(workload.toStdString())->info();
        bench.model = commonModel(*bench.info, bench.driver->info()).value();
        Settings all = params, tableKnobs;
        if (const auto engine = all.find("table.engine"); engine != all.end()) {
            if (driver == "mysql")
                tableKnobs.emplace("engine", engine->second);
            all.erase(engine);
        }
        for (const OptionSpec& option : bench.info->options) {
            if (option.name == "table_size" || option.name == "recordcount" || option.name == "initial_rows")
                all.emplace(option.name, bench.rows);
            if (option.name == "nodes")
                all.emplace(option.name, bench.rows / 3);
            if (option.name == "tables" && option.maximum.value_or(2) >= 2)
                all.emplace("tables", std::int64_t(2));
        }
        if (driver == "mongodb" && workload.startsWith("oltp_")) {
            all.emplace("skip_trx", true); // FerretDB has no transactions
            all.erase("reads_outside");
        }
        bench.instance = test::bind(workload.toStdString(), all, driver.toStdString(), tableKnobs);
    }

    void load(const Bench& bench, std::uint64_t seed)
    {
        const auto user = bench.user(bench.instance->loaderStatements(), {UserId(0), 1, seed});
        QVERIFY(user);
        for (const std::string& setup : bench.instance->loaderSessionSetup())
            QVERIFY2(complete(test::stepOf(user->context, Request::sql(setup)), user->context).outcome == Outcome::Ok,
                     setup.c_str());
        int number = 0;
        for (const TableSpec& table : bench.instance->tablesFor(kUsers)) {
            ++number;
            QVERIFY(bench.admin->drop(table.name));
            const auto created = bench.admin->execute(table.create);
            QVERIFY2(created, created ? "" : created.error().text().c_str());
            for (const std::string& after : table.afterCreate) {
                const auto done = bench.admin->execute(after);
                QVERIFY2(done, done ? "" : done.error().text().c_str());
            }
            for (std::int64_t first = 1; first <= table.rows; first += table.rowsPerSlice) {
                const LoadSlice slice{number, first, std::min(table.rows, first + table.rowsPerSlice - 1)};
                const Outcome outcome = complete(bench.instance->load(user->context, slice), user->context);
                QVERIFY2(outcome == Outcome::Ok, user->session->lastError().c_str());
            }
            for (const std::string& after : table.afterLoad) {
                const auto done = bench.admin->execute(after);
                QVERIFY2(done, done ? "" : done.error().text().c_str());
            }
        }
    }

    void checkShape(const Bench& bench)
    {
        for (const TableSpec& table : bench.instance->tablesFor(kUsers)) {
            const auto columns = bench.admin->describe(table.name);
            QVERIFY(columns);
            std::vector<std::string> names;
            for (const ColumnShape& column : *columns)
                names.push_back(column.name);
            if (bench.model == DataModel::Document && table.rows == 0)
                QVERIFY(names.empty()); // an empty collection has no fields
            else
                QCOMPARE(names, table.columns);
            const auto rows = bench.admin->rowCount(table.name);
            QVERIFY(rows);
            QCOMPARE(*rows, table.rows);
        }
    }

    void startTargets()
    {
        QVERIFY(m_folder.isValid());
#if DYNO_HAVE_MYSQL
        m_whyNoServer = QString::fromStdString(test::MariadbFixture::whyMissing());
        if (m_whyNoServer.isEmpty()) {
            const auto started = m_mariadb.start({{"innodb_flush_log_at_trx_commit", std::int64_t(0)}});
            QVERIFY2(started, started ? "" : started.error().text().c_str());
        }
#else
        m_whyNoServer = "this build has no MySQL-family driver";
#endif
#if DYNO_HAVE_MONGODB
        m_whyNoMongo = QString::fromStdString(test::MongoFixture::whyMissing());
        if (m_whyNoMongo.isEmpty()) {
            const auto started = m_mongo.start();
            QVERIFY2(started, started ? "" : started.error().text().c_str());
        }
#else
        m_whyNoMongo = "this build has no MongoDB driver";
#endif
#if DYNO_HAVE_POSTGRESQL
        m_whyNoPostgresql = QString::fromStdString(test::PostgresqlFixture::whyMissing());
        if (m_whyNoPostgresql.isEmpty()) {
            const auto started = m_postgresql.start();
            QVERIFY2(started, started ? "" : started.error().text().c_str());
        }
#else
        m_whyNoPostgresql = "this build has no PostgreSQL driver";
#endif
#if DYNO_HAVE_CLICKHOUSE
        m_whyNoClickhouse = QString::fromStdString(test::ClickhouseFixture::whyMissing());
        if (m_whyNoClickhouse.isEmpty()) {
            const auto started = m_clickhouse.start();
            QVERIFY2(started, started ? "" : started.error().text().c_str());
        }
#else
        m_whyNoClickhouse = "this build has no ClickHouse driver";
#endif
    }

    //! Why nothing can be tried on a driver's server; "" when it can.
    [[nodiscard]] QString whyMissing(const QString& driver) const
    {
        return driver == "mysql"        ? m_whyNoServer
               : driver == "mongodb"    ? m_whyNoMongo
               : driver == "postgresql" ? m_whyNoPostgresql
               : driver == "clickhouse" ? m_whyNoClickhouse
                                        : QString();
    }

    QTemporaryDir m_folder;
    QString m_whyNoServer, m_whyNoMongo, m_whyNoPostgresql, m_whyNoClickhouse;
#if DYNO_HAVE_MYSQL
    test::MariadbFixture m_mariadb;
#endif
#if DYNO_HAVE_MONGODB
    test::MongoFixture m_mongo;
#endif
#if DYNO_HAVE_POSTGRESQL
    test::PostgresqlFixture m_postgresql, m_vectors;
#endif
#if DYNO_HAVE_CLICKHOUSE
    test::ClickhouseFixture m_clickhouse;
#endif
};

} // namespace dyno::test
