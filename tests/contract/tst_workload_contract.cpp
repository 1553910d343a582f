// SPDX-License-Identifier: GPL-3.0-or-later
// The contract of every workload, against every driver it can speak to: tables are made and loaded, transactions of two
// users in turn succeed and are counted, the same seed gives the same rows, and what the workload did can be seen in
// the data. Another workload joins by being in builtin_workloads.cpp; what its data must look like afterwards is
// checkData().
#include "config.h"
#include "load/features.h"
#include "support/workload_harness.h"

#if DYNO_HAVE_MYSQL
#include "support/mariadb_fixture.h"
#endif
#if DYNO_HAVE_MONGODB
#include "support/mongo_fixture.h"
#endif

#include <QTemporaryDir>
#include <QTest>

#include <map>

using namespace dyno;
using dyno::test::complete;
using dyno::test::TestUser;

namespace {

constexpr std::int64_t kRows = 3000; // more than one slice on the MySQL family
constexpr int kTransactions = 100;   // of each user
constexpr int kUsers = 2;
constexpr std::int64_t kBatch = 10;  // rows of an iiBench commit
constexpr std::int64_t kCustomers = 30; // of a TPC-C district, as many as its orders

ConnectTarget targetFor(Driver& driver, std::string_view uri)
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

std::string cell(Admin& admin, const std::string& query)
{
    const auto rows = admin.query(query);
    if (!rows)
        return rows.error().text();
    return rows->empty() || rows->front().empty() ? std::string() : rows->front().front();
}

//! Columns that tell the rows of a table apart.
std::string orderOf(const std::string& table)
{
    static const std::map<std::string, std::string> several {
        {"linktable", "1, 2, 3"}, {"counttable", "1, 2"}, {"history", "1, 2, 3"}, {"new_orders", "1, 2, 3"}, {"orders", "1, 2, 3"},
        {"order_line", "1, 2, 3, 4"}, {"customer", "1, 2, 3"}, {"district", "1, 2"}, {"stock", "1, 2"}, {"sensordata", "1, 2"}, {"be_holding", "1, 2"}};
    const auto found = several.find(table);
    return found == several.end() ? "1" : found->second;
}

//! All of a table as text, in that order.
std::string contents(Admin& admin, const std::string& table, DataModel model)
{
    const auto rows = admin.query(model == DataModel::Document ? R"({"find":")" + table + R"(","sort":{"_id":1}})"
                                                               : "SELECT * FROM " + table + " ORDER BY " +
                                      orderOf(table));
    if (!rows)
        return rows.error().text();
    std::string all;
    for (const auto& row : *rows) {
        for (const std::string& field : row)
            all += field + '|';
        all += '\n';
    }
    return all;
}

//! Parameters that a workload is run with, each with what it is called: those that take other ways through it.
std::map<std::string, Settings> variantsOf(const std::string& workload)
{
    if (workload == "iibench") {
        const Settings common {{"rows_per_commit", kBatch}, {"query_users", std::int64_t(1)}};
        std::map<std::string, Settings> variants {{"", common}, {" as for MongoDB", common}};
        variants[" as the first one"] = common;
        variants[" as the first one"].insert({{"form", std::string("purchases")}, {"query_primary_key", true}});
        variants[" as for MongoDB"].insert({{"form", std::string("mongodb")}, {"secondary_indexes", std::int64_t(3)}});
        return variants;
    }
    if (workload == "brokerage")
        return {{"", {{"customers", std::int64_t(100)}, {"days", std::int64_t(100)}}}};
    if (workload == "sensordata") {
        const Settings common {{"sensors", std::int64_t(20)}, {"rows_per_insert", kBatch}};
        std::map<std::string, Settings> variants {{"", common}, {" with the time first, aggregates and deletes", common}};
        variants[" with the time first, aggregates and deletes"].insert({{"key", std::string("time")}, {"values", std::string("pareto")},
                                                                         {"query_users", std::int64_t(1)}, {"retention", std::int64_t(150)}});
        return variants;
    }
    if (workload == "large_values") {
        std::map<std::string, Settings> variants {{"", {{"rows", std::int64_t(300)}}}};
        for (const char* sizes : {"constant", "uniform"})
            variants[std::string(" of ") + sizes + " size"] = {{"rows", std::int64_t(50)}, {"size_distribution", std::string(sizes)},
                                                               {"size_max", std::int64_t(50'000)}};
        return variants;
    }
    if (workload == "fulltext") {
        std::map<std::string, Settings> variants {{"", {{"documents", std::int64_t(600)}, {"rounds", std::int64_t(3)}}}};
        for (const char* engine : {"MyISAM", "Aria"})
            variants[std::string(" in ") + engine] = {{"documents", std::int64_t(300)}, {"rounds", std::int64_t(2)}, {"table.engine", std::string(engine)}};
        variants[" of pages, the index first"] = {{"shape", std::string("seo")}, {"documents", std::int64_t(200)}, {"passes", std::string("one")},
                                                  {"rounds", std::int64_t(3)}, {"terms", std::string("rare")}};
        return variants;
    }
    if (workload == "linkbench")
        return {{"", {}}, {" as LinkBench does it", {{"profile", std::string("linkbench")}, {"list_limit", std::int64_t(3)}}}};
    if (workload == "tpcb") {
        std::map<std::string, Settings> variants;
        for (const char* script : {"tpcb-like", "simple-update", "select-only"})
            variants[std::string(" ") + script] = {{"scale", std::int64_t(2)}, {"accounts_per_branch", std::int64_t(700)}, {"script", std::string(script)}};
        return variants;
    }
    if (workload == "tpcc") {
        const Settings small {{"warehouses", std::int64_t(2)}, {"customers", kCustomers}, {"items", std::int64_t(100)}};
        std::map<std::string, Settings> variants;
        for (const char* profile : {"dynobench", "sysbench-tpcc", "tpcc-mysql"})
            (variants[std::string(" as ") + profile + " does it"] = small).emplace("profile", std::string(profile));
        return variants;
    }
    if (workload == "oltp_read_write")
        return {{"", {}}, {" with reads outside", {{"reads_outside", true}}}};
    if (workload != "ycsb")
        return {{"", {}}};
    std::map<std::string, Settings> variants;
    for (const char* core : {"a", "c", "d", "e", "f"})
        variants[std::string(" ") + core] = {{"workload", std::string(core)}};
    variants[" of single and of all fields"] = {{"workload", std::string("custom")}, {"read_proportion", 1.0},
                                                {"scan_proportion", 1.0},            {"update_proportion", 1.0},
                                                {"readallfields", false},            {"writeallfields", true},
                                                {"fieldcount", std::int64_t(3)},     {"fieldlength", std::int64_t(2000)}};
    return variants;
}

} // namespace

Q_DECLARE_METATYPE(dyno::Settings)

class TstWorkloadContract : public QObject
{
    Q_OBJECT

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
        } else if (driver == "sqlite") {
            bench.target = targetFor(*bench.driver, "sqlite:" + m_folder.filePath("contract.db").toStdString());
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

    //! What is true at any time holds.
    void checkConditions(const Bench& bench)
    {
        QVERIFY(!bench.instance->checks().empty());
        for (const DataCheck& check : bench.instance->checks())
            QCOMPARE(cell(*bench.admin, check.query) + " " + check.name, "0 " + check.name);
    }

    //! Each step once, or as often as it says, and the data afterwards.
    void checkSteps(const Bench& bench, bool real)
    {
        const auto user = bench.user(bench.instance->statements(), {UserId(0), 1, 7});
        QVERIFY(user);
        if (real)
            QVERIFY(checkFeatures(*bench.admin, *bench.instance));
        std::uint64_t sequence = 0;
        for (const StepSpec& step : bench.instance->steps()) {
            for (int i = 0; i < step.times; ++i, ++sequence)
                QVERIFY2(user->run(*bench.instance, sequence) == Outcome::Ok,
                         (bench.info->operations[indexOf(step.op)].name + ": " + user->session->lastError()).c_str());
        }
        const IntervalSample sample = IntervalSampler(user->recorder).take();
        for (const StepSpec& step : bench.instance->steps())
            QCOMPARE(sample.ops[indexOf(step.op)].count, std::uint64_t(step.times));
        if (real)
            checkConditions(bench);
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

    //! Every transaction was counted, by the operations it is made of.
    void checkCounts(const Bench& bench, const QString& workload, const std::map<std::string, std::uint64_t>& counts)
    {
        const auto transactions = std::uint64_t(kUsers * bench.transactions);
        if (workload == "tpcb") {
            QCOMPARE(counts.at("select_balance"), transactions);
            return;
        }
        if (workload == "sensordata") {
            QVERIFY(counts.at("insert") > 0 && counts.at("insert") + counts.at("aggregate") == transactions);
            return;
        }
        if (workload == "ycsb" || workload == "iibench" || workload == "linkbench" || workload == "tpcc" || workload == "large_values" ||
            workload == "oltp_analytic" || workload == "brokerage") {
            std::uint64_t all = 0;
            for (const auto& [operation, count] : counts)
                all += count;
            QCOMPARE(all, transactions);
            if (workload == "iibench")
                QCOMPARE(counts.at("insert"), transactions / 2); // the other user queries
            return;
        }
        for (const auto& [operation, count] : counts) {
            if (bench.model == DataModel::Document && (operation == "begin" || operation == "commit") && count == 0)
                continue; // skip_trx
            if (operation == "bulk_insert")
                QCOMPARE(count, std::uint64_t(kUsers)); // the last flush of each
            else
                QCOMPARE(count, operation == "point_select" && workload != "oltp_point_select" ? 10 * transactions : transactions);
        }
    }

    //! What `workload` did to the data, given what it says it did.
    void checkData(Bench& bench, const QString& workload, const std::map<std::string, std::string>& before,
                   std::map<std::string, std::uint64_t>& counts)
    {
        if (workload == "ycsb")
            checkYcsb(bench, before.begin()->second, counts);
        else if (workload == "linkbench")
            checkLinkbench(bench, counts);
        else if (workload == "tpcb")
            checkTpcb(bench, counts);
        else if (workload == "tpcc")
            checkTpcc(bench);
        else if (workload == "large_values")
            checkConditions(bench);
        else if (workload == "brokerage")
            checkBrokerage(bench, counts);
        else if (workload == "sensordata")
            checkSensordata(bench, counts);
        else if (workload == "iibench")
            QCOMPARE(*bench.admin->rowCount("purchases_index"), bench.rows + kBatch * std::int64_t(counts["insert"]));
        else
            checkOltp(bench, workload, before);
    }

    //! The conditions hold, see what is wrong, and orders that were given are there, filled or not.
    void checkBrokerage(Bench& bench, std::map<std::string, std::uint64_t>& counts)
    {
        checkConditions(bench);
        QVERIFY(counts["trade_result"] > 0 && counts["trade_order"] > counts["trade_result"]);
        QCOMPARE(cell(*bench.admin, "SELECT COUNT(*) FROM be_trade WHERE t_id > 100"), std::to_string(counts["trade_order"]));
        QCOMPARE(cell(*bench.admin, "SELECT COUNT(*) FROM be_trade WHERE t_done = 1 AND t_id > 100"), std::to_string(counts["trade_result"]));
        const std::vector<DataCheck> checks = bench.instance->checks();
        const char* const faults[] = {"UPDATE be_broker SET b_trades = b_trades + 1 WHERE b_id = 1",
                                      "UPDATE be_account SET ca_balance = ca_balance + 1 WHERE ca_id = 3",
                                      "UPDATE be_holding SET h_qty = h_qty - 100 WHERE h_ca_id = 5",
                                      "UPDATE be_trade SET t_s_id = 0 WHERE t_id = 7"};
        for (std::size_t i = 0; i < checks.size(); ++i) {
            QVERIFY(bench.admin->execute(faults[i]));
            QVERIFY2(cell(*bench.admin, checks[i].query) != "0", faults[i]);
        }
    }

    //! Readings that came, without those that were deleted: of 3000 readings of 20 sensors 150 times are kept.
    void checkSensordata(Bench& bench, std::map<std::string, std::uint64_t>& counts)
    {
        checkConditions(bench);
        const std::int64_t came = bench.rows + kBatch * std::int64_t(counts["insert"]), there = *bench.admin->rowCount("sensordata");
        if (counts["delete"] == 0)
            QCOMPARE(there, came);
        else
            QVERIFY2(there < came && there >= 20 * 150, std::to_string(there).c_str());
    }

    void checkYcsb(Bench& bench, const std::string& before, std::map<std::string, std::uint64_t>& counts)
    {
        QCOMPARE(*bench.admin->rowCount("usertable"), bench.rows + std::int64_t(counts["insert"]));
        const std::string after = contents(*bench.admin, "usertable", bench.model);
        QCOMPARE(after == before, counts["update"] + counts["insert"] + counts["read_modify_write"] == 0);
    }

    //! Balances are what history says, and a wrong one is seen.
    void checkTpcb(Bench& bench, std::map<std::string, std::uint64_t>& counts)
    {
        const std::uint64_t written = counts["insert_history"], tellers = counts["update_teller"];
        QCOMPARE(counts["begin"], written);
        QCOMPARE(counts["commit"], written);
        QCOMPARE(counts["update_account"], written);
        QCOMPARE(counts["update_branch"], tellers);
        QVERIFY(tellers == 0 || tellers == written);
        QCOMPARE(*bench.admin->rowCount("pgbench_history"), std::int64_t(written));
        const std::vector<DataCheck> checks = bench.instance->checks();
        QCOMPARE(checks.size(), std::size_t(tellers == 0 ? 1 : 3));
        for (const DataCheck& check : checks)
            QCOMPARE(cell(*bench.admin, check.query) + " " + check.name, "0 " + check.name);
        QCOMPARE(cell(*bench.admin, "SELECT COUNT(*) FROM pgbench_accounts WHERE (bid = 1) <> (aid <= 700)"), std::string("0"));
        for (const char* fault : {"UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = 3",
                                  "UPDATE pgbench_tellers SET tbalance = tbalance - 1 WHERE tid = 20",
                                  "UPDATE pgbench_branches SET bbalance = bbalance + 7 WHERE bid = 2"})
            QVERIFY(bench.admin->execute(fault));
        for (const DataCheck& check : checks)
            QCOMPARE(cell(*bench.admin, check.query), std::string("1"));
    }

    //! The consistency conditions hold, and see what is wrong.
    void checkTpcc(Bench& bench)
    {
        const std::vector<DataCheck> checks = bench.instance->checks();
        QCOMPARE(checks.size(), std::size_t(10));
        const auto broken = [&] {
            std::string names;
            for (const DataCheck& check : checks) {
                const std::string found = cell(*bench.admin, check.query);
                if (found != "0")
                    names += check.name.substr(0, check.name.find(':')) + "=" + found + " ";
            }
            return names;
        };
        QCOMPARE(broken(), std::string());
        QVERIFY(*bench.admin->rowCount("orders") > 2 * 10 * kCustomers);
        const std::vector<std::pair<std::string, std::string>> faults {
            {"UPDATE warehouse SET w_ytd = w_ytd + 1 WHERE w_id = 2", "1=1 8=1 "},
            {"UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = 1 AND d_id = 3", "1=1 2=1 8=1 "},
            {"DELETE FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 30 AND ol_number = 1", "1=1 2=1 4=1 8=1 "},
            {"UPDATE orders SET o_carrier_id = NULL WHERE o_w_id = 2 AND o_d_id = 2 AND o_id = 1", "1=1 2=1 4=1 5=1 7="}};
        for (const auto& [fault, seen] : faults) {
            QVERIFY(bench.admin->execute(fault));
            QVERIFY2(broken().starts_with(seen), (fault + ": " + broken()).c_str());
        }
    }

    //! What the counts say is what is there to be seen.
    void checkLinkbench(Bench& bench, std::map<std::string, std::uint64_t>& counts)
    {
        if (bench.model == DataModel::Sql) {
            QCOMPARE(cell(*bench.admin, "SELECT COUNT(*) FROM counttable c WHERE c.count <> (SELECT COUNT(*) FROM linktable l WHERE "
                                        "l.id1 = c.id AND l.link_type = c.link_type AND l.visibility = 1)"),
                     std::string("0"));
            QCOMPARE(cell(*bench.admin, "SELECT COUNT(*) FROM linktable WHERE visibility = 1"),
                     cell(*bench.admin, "SELECT SUM(count) FROM counttable"));
            checkNodes(bench, counts);
            return;
        }
        const auto links = bench.admin->query(R"({"find":"linktable","filter":{"visibility":1},"projection":{"_id":1},"batchSize":1000})");
        const auto counted = bench.admin->query(R"({"find":"counttable","projection":{"_id":0,"count":1},"batchSize":1000})");
        QVERIFY(links && counted);
        std::size_t sum = 0;
        for (const auto& row : *counted)
            sum += std::stoul(row.at(0));
        QCOMPARE(sum, links->size());
        checkNodes(bench, counts);
    }

    void checkNodes(Bench& bench, std::map<std::string, std::uint64_t>& counts)
    {
        const std::int64_t nodes = *bench.admin->rowCount("nodetable"), most = bench.rows / 3 + std::int64_t(counts["add_node"]);
        QVERIFY(nodes <= most && nodes >= most - std::int64_t(counts["delete_node"]));
    }

    void checkOltp(Bench& bench, const QString& workload, const std::map<std::string, std::string>& before)
    {
        const std::int64_t loaded = std::int64_t(before.size()) * bench.rows;
        std::int64_t rows = 0, badRows = 0;
        bool same = true;
        for (const auto& [table, text] : before) {
            rows += *bench.admin->rowCount(table);
            same = same && contents(*bench.admin, table, bench.model) == text;
            if (workload != "bulk_insert" && bench.model == DataModel::Sql)
                badRows += std::stoll(cell(*bench.admin, "SELECT COUNT(*) FROM " + table +
                                                             " WHERE LENGTH(c) <> 119 OR LENGTH(pad) <> 59"));
        }
        QCOMPARE(badRows, std::int64_t(0));
        const bool reads =
            workload == "oltp_read_only" || workload == "oltp_point_select" || workload == "oltp_point_query" || workload == "oltp_analytic" || workload.startsWith("select");
        QCOMPARE(same, reads);
        if (workload == "oltp_insert")
            QCOMPARE(rows, loaded + kUsers * bench.transactions);
        else if (workload == "oltp_delete")
            QVERIFY(rows < loaded && rows >= loaded - kUsers * bench.transactions);
        else if (workload == "bulk_insert")
            QCOMPARE(rows, std::int64_t(kUsers * bench.transactions));
        else
            QCOMPARE(rows, loaded);
        if (workload == "bulk_insert") {
            const bool documents = bench.model == DataModel::Document;
            QCOMPARE(cell(*bench.admin, documents ? R"({"find":"sbtest2","sort":{"_id":-1},"limit":1,"projection":{"_id":0,"k":1}})"
                                                  : "SELECT MAX(id) FROM sbtest2 WHERE id = k"),
                     std::to_string(bench.transactions));
        }
    }

    QTemporaryDir m_folder;
    QString m_whyNoServer, m_whyNoMongo;
#if DYNO_HAVE_MYSQL
    test::MariadbFixture m_mariadb;
#endif
#if DYNO_HAVE_MONGODB
    test::MongoFixture m_mongo;
#endif

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
#if DYNO_HAVE_MYSQL
        m_whyNoServer = QString::fromStdString(test::MariadbFixture::whyMissing());
        if (m_whyNoServer.isEmpty()) {
            const auto started = m_mariadb.start({{ "innodb_flush_log_at_trx_commit", std::int64_t(0) }});
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
    }

    void contract_data()
    {
        QTest::addColumn<QString>("driver");
        QTest::addColumn<QString>("workload");
        QTest::addColumn<Settings>("params");
        for (const Workload* workload : builtinWorkloads()) {
            for (const std::string& driver : driversFor(workload->info())) {
                for (const auto& [name, params] : variantsOf(workload->info().id))
                    QTest::addRow("%s%s on %s", workload->info().id.c_str(), name.c_str(), driver.c_str())
                        << QString::fromStdString(driver) << QString::fromStdString(workload->info().id) << params;
            }
        }
    }
    void contract()
    {
        QFETCH(QString, driver);
        QFETCH(QString, workload);
        QFETCH(Settings, params);
        Bench bench;
        open(bench, driver, workload, params);
        if (!bench.instance)
            return; // skipped or failed above
        const bool real = driver != "null";
        std::map<std::string, std::string> first, second;
        for (auto* rows : {&first, &second}) {
            load(bench, 7);
            if (QTest::currentTestFailed())
                return;
            if (!real)
                continue;
            checkShape(bench);
            for (const TableSpec& table : bench.instance->tablesFor(kUsers))
                (*rows)[table.name] = contents(*bench.admin, table.name, bench.model);
        }
        QCOMPARE(first, second);
        if (!bench.instance->steps().empty()) {
            checkSteps(bench, real);
            return;
        }

        std::vector<std::unique_ptr<TestUser>> users;
        for (unsigned i = 0; i < kUsers; ++i) {
            users.push_back(bench.user(bench.instance->statements(), {UserId(i), kUsers, 7}));
            QVERIFY(users.back());
            for (std::size_t s = 0; s < bench.instance->statements().size(); ++s) {
                const Request prepare = Request::prepare(StatementId(s));
                const Reply reply = complete(test::stepOf(users.back()->context, prepare), users.back()->context);
                QVERIFY2(reply.outcome == Outcome::Ok, users.back()->session->lastError().c_str());
            }
        }
        std::uint64_t rolledBack = 0, errors = 0;
        for (int i = 0; i < bench.transactions; ++i) {
            for (auto& user : users) {
                const Outcome outcome = user->run(*bench.instance, std::uint64_t(i));
                // sysbench-tpcc counts as failed what it rolls back by itself: the server has nothing against it.
                const bool ownRollback = outcome != Outcome::Ok && bench.info->id == "tpcc" && user->session->lastError().empty();
                QVERIFY2(outcome == Outcome::Ok || ownRollback, user->session->lastError().c_str());
                rolledBack += ownRollback ? 1 : 0;
            }
        }
        std::map<std::string, std::uint64_t> counts;
        for (auto& user : users) {
            QVERIFY(complete(bench.instance->finish(user->context), user->context) == Outcome::Ok);
            const IntervalSample sample = IntervalSampler(user->recorder).take();
            for (std::size_t op = 0; op < sample.ops.size(); ++op) {
                counts[bench.info->operations[op].name] += sample.ops[op].count + sample.ops[op].errors;
                errors += sample.ops[op].errors;
            }
        }
        QCOMPARE(errors, rolledBack);
        checkCounts(bench, workload, counts);
        if (real)
            checkData(bench, workload, first, counts);
    }

    void deletesKeepTheSize()
    {
        for (const char* driver : {"sqlite", "mysql"}) {
            if (QString(driver) == "mysql" && !m_whyNoServer.isEmpty())
                continue;
            Bench bench;
            open(bench, driver, "iibench", {{"delete_mode", true}, {"rows_per_commit", std::int64_t(10)}});
            QVERIFY(bench.instance);
            load(bench, 5);
            const auto user = bench.user(bench.instance->statements(), {UserId(0), 1, 5});
            QVERIFY(user);
            for (std::uint64_t i = 0; i < 40; ++i)
                QVERIFY2(user->run(*bench.instance, i) == Outcome::Ok, user->session->lastError().c_str());
            QCOMPARE(*bench.admin->rowCount("purchases_index"), bench.rows);
            QCOMPARE(cell(*bench.admin, "SELECT MIN(transactionid) FROM purchases_index"), std::string("201"));
        }
    }

    void aMissingFeatureIsToldBeforeAnythingIsMade()
    {
        Bench bench;
        open(bench, "mysql", "fulltext", {{"table.engine", std::string("Mroonga")}});
        if (!bench.instance)
            return;
        const auto able = checkFeatures(*bench.admin, *bench.instance);
        QVERIFY(!able);
        QCOMPARE(able.error().message, std::string("this server has no storage engine Mroonga"));
    }

    //! The records too, whatever model they are in.
    void sameRecordsInEveryModel()
    {
        std::map<QString, std::string> rows;
        for (const char* driver : {"sqlite", "mysql", "mongodb"}) {
            if ((QString(driver) == "mysql" && !m_whyNoServer.isEmpty()) || (QString(driver) == "mongodb" && !m_whyNoMongo.isEmpty()))
                continue;
            Bench bench;
            open(bench, driver, "ycsb", {{"recordcount", std::int64_t(500)}});
            QVERIFY(bench.instance);
            load(bench, 21);
            rows[driver] = contents(*bench.admin, "usertable", bench.model);
            QVERIFY(rows[driver].size() > std::size_t(500 * 1000));
            QVERIFY(rows[driver].find("\nuser6284781860667377211|") != std::string::npos);
            QCOMPARE(rows[driver], rows.begin()->second);
        }
        if (rows.size() < 2)
            QSKIP("there is no other target than SQLite");
    }

    //! The rows are the same whatever the target is.
    void sameRowsOnEveryTarget()
    {
        std::map<QString, std::string> rows;
        for (const char* driver : {"sqlite", "mysql", "mongodb"}) {
            if (QString(driver) == "mysql" && !m_whyNoServer.isEmpty())
                QSKIP(qPrintable(m_whyNoServer));
            if (QString(driver) == "mongodb" && !m_whyNoMongo.isEmpty())
                continue;
            Bench bench;
            open(bench, driver, "oltp_read_write", {{"table_size", kRows}});
            QVERIFY(bench.instance);
            load(bench, 21);
            rows[driver] = contents(*bench.admin, "sbtest2", bench.model);
        }
        QVERIFY(rows["sqlite"].size() > std::size_t(kRows) * 180);
        QCOMPARE(rows["sqlite"], rows["mysql"]);
        if (rows.contains("mongodb"))
            QCOMPARE(rows["sqlite"], rows["mongodb"]);
    }

    //! Ways to make tables that are off the beaten track.
    void otherTables_data()
    {
        QTest::addColumn<QString>("driver");
        QTest::addColumn<bool>("autoInc");
        QTest::addColumn<bool>("secondary");
        for (const char* driver : {"sqlite", "mysql"}) {
            QTest::addRow("%s, ids by the client", driver) << driver << false << false;
            QTest::addRow("%s, no primary key", driver) << driver << false << true;
            QTest::addRow("%s, no primary key, ids by the server", driver) << driver << true << true;
        }
    }
    void otherTables()
    {
        QFETCH(QString, driver);
        QFETCH(bool, autoInc);
        QFETCH(bool, secondary);
        for (const QString workload : {"oltp_read_write", "oltp_insert"}) {
            if (workload == "oltp_insert" && driver == "sqlite" && autoInc && secondary)
                continue; // refused by bind()
            Bench bench;
            open(bench, driver, workload, {{"auto_inc", autoInc}, {"secondary", secondary}});
            if (!bench.instance)
                return;
            load(bench, 3);
            checkShape(bench);
            const auto before = *bench.admin->rowCount("sbtest1") + *bench.admin->rowCount("sbtest2");
            const auto user = bench.user(bench.instance->statements(), {UserId(0), 1, 3});
            QVERIFY(user);
            for (std::uint64_t i = 0; i < 50; ++i)
                QVERIFY2(user->run(*bench.instance, i) == Outcome::Ok, user->session->lastError().c_str());
            const auto after = *bench.admin->rowCount("sbtest1") + *bench.admin->rowCount("sbtest2");
            QCOMPARE(after - before, std::int64_t(workload == "oltp_insert" ? 50 : 0));
        }
    }
};

QTEST_GUILESS_MAIN(TstWorkloadContract)
#include "tst_workload_contract.moc"
