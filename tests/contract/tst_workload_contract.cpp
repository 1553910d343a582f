// SPDX-License-Identifier: GPL-3.0-or-later
// The contract of every workload, against every driver it can speak to: tables are made and loaded, transactions of two
// users in turn succeed and are counted, the same seed gives the same rows, and what the workload did can be seen in
// the data. Another workload joins by being in builtin_workloads.cpp; what its data must look like afterwards is
// checkData().
#include "contract/data_faults.h"
#include "load/preflight/server_features.h"
#include "support/long_form.h"
#include "support/suite.h"
#include "workload_targets.h"

namespace dyno::tst_workload_contract {
using namespace dyno::test;

namespace {

constexpr std::int64_t kBatch = 10;     // rows of an iiBench commit
constexpr std::int64_t kCustomers = 30; // of a TPC-C district, as many as its orders

//! Parameters that a workload is run with, each with what it is called: those that take other ways through it.
std::map<std::string, Settings> variantsOf(const std::string& workload)
{
    if (workload == "iibench") {
        const Settings common{{"rows_per_commit", kBatch}, {"query_users", std::int64_t(1)}};
        std::map<std::string, Settings> variants{{"", common}, {" as for MongoDB", common}, {" in partitions", common}};
        variants[" in partitions"].insert({{"range_partitions", std::int64_t(3)},
                                           {"rows_per_partition", std::int64_t(1200)},
                                           {"secondary_at", std::string("start")}});
        variants[" as the first one"] = common;
        variants[" as the first one"].insert({{"form", std::string("purchases")}, {"query_primary_key", true}});
        variants[" as for MongoDB"].insert({{"form", std::string("mongodb")},
                                            {"text_length", std::int64_t(100)},
                                            {"secondary_indexes", std::int64_t(3)}});
        return variants;
    }
    if (workload == "brokerage")
        return {{"", {{"customers", std::int64_t(100)}, {"days", std::int64_t(100)}}},
                {" of the full model",
                 {{"customers", std::int64_t(100)}, {"days", std::int64_t(100)}, {"model", std::string("full")}}}};
    if (workload == "sensordata") {
        const Settings common{{"sensors", std::int64_t(20)}, {"rows_per_insert", kBatch}};
        std::map<std::string, Settings> variants{{"", common},
                                                 {" with the time first, aggregates and deletes", common}};
        (variants[" with aggregates"] = common).emplace("query_users", std::int64_t(1));
        variants[" with the time first, aggregates and deletes"].insert({{"key", std::string("time")},
                                                                         {"values", std::string("pareto")},
                                                                         {"query_users", std::int64_t(1)},
                                                                         {"retention", std::int64_t(150)}});
        return variants;
    }
    if (workload == "sensordata_file") {
        const Settings common{{"rows", std::int64_t(1234)}, {"rows_per_load", std::int64_t(500)}};
        std::map<std::string, Settings> variants{{"", common}, {" by inserts", common}};
        variants[" by inserts"].insert({{"by", std::string("inserts")}, {"key", std::string("time")}});
        return variants;
    }
    if (workload == "large_values") {
        std::map<std::string, Settings> variants{{"", {{"rows", std::int64_t(300)}}}};
        variants[" in rows of three"] = {{"rows", std::int64_t(60)}, {"values", std::int64_t(3)}};
        for (const char* sizes : {"constant", "uniform"})
            variants[std::string(" of ") + sizes + " size"] = {{"rows", std::int64_t(50)},
                                                               {"size_distribution", std::string(sizes)},
                                                               {"size_max", std::int64_t(50'000)}};
        return variants;
    }
    if (workload == "column_types") {
        std::map<std::string, Settings> variants;
        for (const char* type : {"uint32", "uint64", "float32", "float64"})
            variants[std::string(" of ") + type] = {{"rows", std::int64_t(2600)},
                                                    {"periods", std::int64_t(40)},
                                                    {"rounds", std::int64_t(2)},
                                                    {"values", std::string("poorly")},
                                                    {"type", std::string(type)}};
        return variants;
    }
    if (workload == "fulltext") {
        std::map<std::string, Settings> variants{{"", {{"documents", std::int64_t(600)}, {"rounds", std::int64_t(3)}}}};
        for (const char* engine : {"MyISAM", "Aria"})
            variants[std::string(" in ") + engine] = {
                {"documents", std::int64_t(300)}, {"rounds", std::int64_t(2)}, {"table.engine", std::string(engine)}};
        variants[" by the posts' queries"] = {{"documents", std::int64_t(300)},
                                              {"rounds", std::int64_t(2)},
                                              {"queries", std::string("post")},
                                              {"initials", true}};
        variants[" of pages, the index first"] = {{"shape", std::string("seo")},
                                                  {"documents", std::int64_t(200)},
                                                  {"passes", std::string("one")},
                                                  {"rounds", std::int64_t(3)},
                                                  {"terms", std::string("rare")}};
        return variants;
    }
    if (workload == "vector_search") {
        std::map<std::string, Settings> variants;
        for (const char* index : {"hnsw", "none"})
            variants[std::string(" with the index ") + index] = {{"vectors", std::int64_t(400)},
                                                                 {"dimension", std::int64_t(20)},
                                                                 {"queries", std::int64_t(30)},
                                                                 {"index", std::string(index)}};
        return variants;
    }
    if (workload == "linkbench")
        return {{"", {}},
                {" as LinkBench does it", {{"profile", std::string("linkbench")}, {"list_limit", std::int64_t(3)}}},
                {" with counts of their own", {{"counts", std::string("two_step")}}},
                {" by ascending id", {{"load_order", std::string("id")}}}};
    if (workload == "tpcb") {
        std::map<std::string, Settings> variants;
        for (const char* script : {"tpcb-like", "simple-update", "select-only"})
            variants[std::string(" ") + script] = {{"scale", std::int64_t(2)},
                                                   {"accounts_per_branch", std::int64_t(700)},
                                                   {"script", std::string(script)}};
        return variants;
    }
    if (workload == "script") {
        std::map<std::string, Settings> variants;
        for (const char* protocol : {"simple", "prepared"})
            variants[std::string(" ") + protocol] = {{"scale", std::int64_t(2)},
                                                     {"accounts_per_branch", std::int64_t(700)},
                                                     {"protocol", std::string(protocol)}};
        return variants;
    }
    if (workload == "randomtransaction") {
        std::map<std::string, Settings> variants;
        for (const std::int64_t sets : {1, 3})
            variants[" of " + std::to_string(sets)] = {{"keys", kRows / 2}, {"sets", sets}};
        return variants;
    }
    if (workload == "tpcc") {
        const Settings small{{"warehouses", std::int64_t(2)}, {"customers", kCustomers}, {"items", std::int64_t(100)}};
        std::map<std::string, Settings> variants;
        for (const char* profile : {"dynobench", "sysbench-tpcc", "tpcc-mysql"})
            (variants[std::string(" as ") + profile + " does it"] = small).emplace("profile", std::string(profile));
        Settings& other = variants[" with sorted lines, districts apart and a list of items"] = small;
        other.insert({{"order_lines", std::string("sorted")},
                      {"delivery", std::string("districts")},
                      {"stock_level", std::string("distinct")}});
        return variants;
    }
    if (workload == "oltp_read_write")
        return {{"", {}},
                {" with reads outside", {{"reads_outside", true}}},
                {" in tables of their own", {{"table_of_user", std::string("own")}, {"tables", std::int64_t(2)}}}};
    if (workload != "ycsb")
        return {{"", {}}};
    std::map<std::string, Settings> variants;
    for (const char* core : {"a", "c", "d", "e", "f"})
        variants[std::string(" ") + core] = {{"workload", std::string(core)}};
    variants[" of single and of all fields"] = {
        {"workload", std::string("custom")}, {"read_proportion", 1.0},           {"scan_proportion", 1.0},
        {"update_proportion", 1.0},          {"readallfields", false},           {"writeallfields", true},
        {"fieldcount", std::int64_t(3)},     {"fieldlength", std::int64_t(2000)}};
    return variants;
}

} // namespace

class TstWorkloadContract : public QObject, test::WorkloadTargets
{
    Q_OBJECT

    //! Of the tables that all users of the test have.
    static std::vector<DataCheck> checksOf(const Bench& bench) { return bench.instance->checksFor(kUsers); }
    //! What is true at any time holds.
    void checkConditions(const Bench& bench)
    {
        QVERIFY(!checksOf(bench).empty());
        QCOMPARE(broken(bench), std::string());
    }

    //! Each step once, or as often as it says, and the data afterwards.
    void checkSteps(const Bench& bench, bool real, const std::map<std::string, std::string>& before)
    {
        const auto user = bench.user(bench.instance->statements(), {UserId(0), 1, 7});
        QVERIFY(user);
        if (real)
            QVERIFY(checkFeatures(*bench.admin, bench.instance->probes()));
        std::uint64_t sequence = 0;
        QVERIFY(bench.instance->makeReady(
            WorkloadInstance::Use::Run, [] { return true; }, 7));
        for (const StepSpec& step : bench.instance->steps()) {
            for (int i = 0; i < step.times; ++i, ++sequence)
                QVERIFY2(user->run(*bench.instance, sequence) == Outcome::Ok,
                         (bench.info->operations[indexOf(step.op)].name + ": " + user->session->lastError()).c_str());
        }
        const IntervalSample sample = IntervalSampler(user->recorder).take();
        std::map<OpId, std::uint64_t> done;
        for (const StepSpec& step : bench.instance->steps())
            done[step.op] += std::uint64_t(step.times);
        for (const auto& [op, times] : done)
            QCOMPARE(sample.ops[indexOf(op)].count, times);
        if (real)
            checkConditions(bench);
        if (real && bench.info->id == "column_types" && !bench.driver->info().appendsOnly)
            seesEach(bench, columnTypesFaults());
        if (real && bench.info->id == "fulltext")
            seesFulltextFaults(*bench.admin, *bench.instance, bench.driver->info().sql.fullText);
        if (!real || bench.info->id != "oltp_ddl")
            return;
        QCOMPARE(contents(*bench.admin, "sbtest1", bench.model), before.at("sbtest1"));
        const auto copy = bench.admin->describe("dynobench_copy");
        QVERIFY(copy && copy->empty());
        seesEach(bench, oltpFaults(*bench.admin, "sbtest1", true));
    }

    //! Every transaction was counted, by the operations it is made of.
    void checkCounts(const Bench& bench, const QString& workload, const std::map<std::string, std::uint64_t>& counts)
    {
        const auto transactions = std::uint64_t(kUsers * bench.transactions);
        if (workload == "tpcb") {
            QCOMPARE(counts.at("select_balance"), transactions);
            return;
        }
        if (workload == "lua") { // its own script, without tables
            QCOMPARE(counts.at("select"), transactions);
            return;
        }
        if (workload == "randomtransaction") {
            QVERIFY(counts.at("begin") == transactions && counts.at("commit") == transactions);
            QCOMPARE(counts.at("write"), counts.at("read"));
            QCOMPARE(counts.at("read") % transactions, std::uint64_t(0));
            return;
        }
        if (workload == "sensordata") {
            QVERIFY(counts.at("insert") > 0 && counts.at("insert") + counts.at("aggregate") == transactions);
            return;
        }
        if (workload == "vector_search") {
            QCOMPARE(counts.at("search"), transactions);
            return;
        }
        if (workload == "ycsb" || workload == "iibench" || workload == "linkbench" || workload == "tpcc" ||
            workload == "large_values" || workload == "oltp_analytic" || workload == "brokerage") {
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
                QCOMPARE(count, operation == "point_select" && workload != "oltp_point_select" ? 10 * transactions
                                                                                               : transactions);
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
        else if (workload == "script")
            checkScript(bench, counts);
        else if (workload == "lua")
            QVERIFY(before.empty());
        else if (workload == "randomtransaction")
            checkRandomTransaction(bench, before.begin()->second);
        else if (workload == "tpcc")
            checkTpcc(bench);
        else if (workload == "large_values")
            checkLargeValues(bench);
        else if (workload == "brokerage")
            checkBrokerage(bench, counts);
        else if (workload == "sensordata")
            checkSensordata(bench, counts);
        else if (workload == "iibench")
            checkIibench(bench, counts);
        else if (workload == "vector_search")
            seesEach(bench, {{"INSERT INTO vector_data SELECT 401, embedding FROM vector_data WHERE id = 9",
                              "DELETE FROM vector_data WHERE id = 401", "1=1 2=1 "}});
        else
            checkOltp(bench, workload, before);
    }

    //! The conditions hold, see what is wrong, and orders that were given are there, filled or not.
    void checkBrokerage(Bench& bench, std::map<std::string, std::uint64_t>& counts)
    {
        checkConditions(bench);
        QVERIFY(counts["trade_result"] > 0 && counts["trade_order"] > counts["trade_result"]);
        QCOMPARE(cell(*bench.admin, "SELECT COUNT(*) FROM be_trade WHERE t_id > 100"),
                 std::to_string(counts["trade_order"]));
        QCOMPARE(cell(*bench.admin, "SELECT COUNT(*) FROM be_trade WHERE t_done = 1 AND t_id > 100"),
                 std::to_string(counts["trade_result"]));
        seesEach(bench, brokerageFaults(*bench.admin, checksOf(bench).size() == 7));
    }

    static void seesEach(const Bench& bench, const std::vector<DataFault>& faults, bool all = true)
    {
        // Where rows are only added, nothing can be made wrong and right again: the conditions hold, and that is all.
        const bool changes = !bench.driver->info().appendsOnly;
        test::seesEach(*bench.admin, checksOf(bench), changes ? faults : std::vector<DataFault>(), all && changes);
    }
    static std::string broken(const Bench& bench) { return test::broken(*bench.admin, checksOf(bench)); }

    void checkIibench(const Bench& bench, std::map<std::string, std::uint64_t>& counts)
    {
        QCOMPARE(*bench.admin->rowCount("purchases_index"), bench.rows + kBatch * std::int64_t(counts["insert"]));
        if (bench.model == DataModel::Document)
            return;
        checkConditions(bench);
        seesEach(bench, iibenchFaults(*bench.admin, bench.instance->tables().front().columns));
    }

    void checkLargeValues(const Bench& bench)
    {
        seesEach(bench, {{"UPDATE large_values SET size = size + 1 WHERE id = 7",
                          "UPDATE large_values SET size = size - 1 WHERE id = 7", "1=1 "},
                         {"UPDATE large_values SET id = 90000 WHERE id = 9",
                          "UPDATE large_values SET id = 9 WHERE id = 90000", "2=1 "}});
    }

    //! Readings that came, without those that were deleted: of 3000 readings of 20 sensors 150 times are kept.
    void checkSensordata(Bench& bench, std::map<std::string, std::uint64_t>& counts)
    {
        checkConditions(bench);
        const std::int64_t came = bench.rows + kBatch * std::int64_t(counts["insert"]),
                           there = *bench.admin->rowCount("sensordata");
        if (counts["delete"] == 0)
            QCOMPARE(there, came);
        else
            QVERIFY2(there < came && there >= 20 * 150, std::to_string(there).c_str());
        const std::string time = cell(*bench.admin, "SELECT MAX(ts) FROM sensordata WHERE sensor_id = 3");
        const std::string update = "UPDATE sensordata SET ", it = " WHERE sensor_id = 3 AND ts = " + time;
        std::vector<DataFault> faults{
            {update + "sensor_id = 21" + it, update + "sensor_id = 3 WHERE sensor_id = 21", "1=1 "},
            {update + "sensor_id = 0" + it, update + "sensor_id = 3 WHERE sensor_id = 0", "1=1 "},
            {update + "ts = 1" + it, update + "ts = " + time + " WHERE ts = 1", "1=1 "},
            {"DELETE FROM sensordata" + it, "INSERT INTO sensordata VALUES (" + time + ", 3, 1, 2, 3, 4, 5, 6)",
             counts["delete"] == 0 ? "3=9 " : ""}};
        for (const char* value : {"data1", "data2", "data3", "data4", "data5"}) {
            const std::string name = value;
            faults.push_back(
                {update + name + " = " + name + " + 1000000" + it, update + name + " = 999999" + it, "2=1 "});
            faults.push_back({update + name + " = -1" + it, update + name + " = 0" + it, "2=1 "});
        }
        seesEach(bench, faults);
    }

    void checkYcsb(Bench& bench, const std::string& before, std::map<std::string, std::uint64_t>& counts)
    {
        QCOMPARE(*bench.admin->rowCount("usertable"), bench.rows + std::int64_t(counts["insert"]));
        const std::string after = contents(*bench.admin, "usertable", bench.model);
        QCOMPARE(after == before, counts["update"] + counts["insert"] + counts["read_modify_write"] == 0);
    }

    //! All sets have the same sum, and one that has another is seen.
    void checkRandomTransaction(const Bench& bench, const std::string& before)
    {
        QVERIFY(contents(*bench.admin, "key_sets", bench.model) != before);
        checkConditions(bench);
        if (bench.instance->tables().front().rows <= kRows / 2)
            return; // one set
        if (bench.model == DataModel::KeyValue) {
            const std::string number = bench.admin->query("get key_sets 000249")->at(0).at(1);
            seesEach(bench, {{"put key_sets 000249 1000000", "put key_sets 000249 " + number, "1=1 "}});
            return;
        }
        const std::string update = "UPDATE key_sets SET total = total ", second = " WHERE set_no = 2 AND key_no = 49";
        seesEach(bench, {{update + "+ 1" + second, update + "- 1" + second, "1=1 "},
                         {update + "- 1 WHERE set_no = 1 AND key_no = 0",
                          update + "+ 1 WHERE set_no = 1 AND key_no = 0", "1=2 "}});
    }

    //! pgbench's own script, with numbers of accounts that are there or not.
    void checkScript(Bench& bench, std::map<std::string, std::uint64_t>& counts)
    {
        QCOMPARE(*bench.admin->rowCount("pgbench_history"), std::int64_t(counts["insert_pgbench_history"]));
        QVERIFY(checksOf(bench).size() == 3);
        checkConditions(bench);
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
        const std::vector<DataCheck> checks = checksOf(bench);
        QCOMPARE(checks.size(), std::size_t(tellers == 0 ? 1 : 3));
        for (const DataCheck& check : checks)
            QCOMPARE(cell(*bench.admin, check.query) + " " + check.name, "0 " + check.name);
        QCOMPARE(cell(*bench.admin, "SELECT COUNT(*) FROM pgbench_accounts WHERE (bid = 1) <> (aid <= 700)"),
                 std::string("0"));
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
        // Where districts are delivered apart, nothing is said of balances.
        const bool balances = checksOf(bench).size() == 10;
        QVERIFY(balances || checksOf(bench).size() == 8);
        const std::string order =
            cell(*bench.admin, "SELECT MAX(no_o_id) - 1 FROM new_orders WHERE no_w_id = 1 AND no_d_id = 1");
        const std::string district = " WHERE d_w_id = 2 AND d_id = 4",
                          customer = " WHERE c_w_id = 1 AND c_d_id = 6 AND c_id = 3";
        const std::string balance = "UPDATE customer SET c_balance = c_balance ",
                          paid = "c_ytd_payment = c_ytd_payment ";
        std::vector<DataFault> mended{
            {"DELETE FROM new_orders WHERE no_w_id = 1 AND no_d_id = 1 AND no_o_id = " + order,
             "INSERT INTO new_orders (no_o_id, no_d_id, no_w_id) VALUES (" + order + ", 1, 1)", "3=1 5=1 "},
            {"UPDATE district SET d_ytd = d_ytd + 1" + district, "UPDATE district SET d_ytd = d_ytd - 1" + district,
             "1=1 9=1 "}};
        const std::vector<DataFault> ofBalances{
            {balance + "+ 1" + customer, balance + "- 1" + customer, "10=1 12=1 "},
            {balance + "+ 1, " + paid + "- 1" + customer, balance + "- 1, " + paid + "+ 1" + customer, "10=1 "},
            {"UPDATE customer SET " + paid + "+ 1" + customer, "UPDATE customer SET " + paid + "- 1" + customer,
             "12=1 "}};
        if (balances)
            mended.insert(mended.end(), ofBalances.begin(), ofBalances.end());
        seesEach(bench, mended, false); // the others follow
        QVERIFY(*bench.admin->rowCount("orders") > 2 * 10 * kCustomers);
        const std::vector<std::pair<std::string, std::string>> faults{
            {"UPDATE warehouse SET w_ytd = w_ytd + 1 WHERE w_id = 2", "1=1 8=1 "},
            {"UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = 1 AND d_id = 3", "1=1 2=1 8=1 "},
            {"DELETE FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 30 AND ol_number = 1",
             "1=1 2=1 4=1 8=1 "},
            {"UPDATE orders SET o_carrier_id = NULL WHERE o_w_id = 2 AND o_d_id = 2 AND o_id = 1",
             "1=1 2=1 4=1 5=1 7="}};
        for (const auto& [fault, seen] : faults) {
            QVERIFY(bench.admin->execute(fault));
            QVERIFY2(broken(bench).starts_with(seen), (fault + ": " + broken(bench)).c_str());
        }
    }

    //! What the counts say is what is there to be seen.
    void checkLinkbench(Bench& bench, std::map<std::string, std::uint64_t>& counts)
    {
        if (bench.model == DataModel::Sql) {
            seesEach(bench, graphFaults(*bench.admin, checksOf(bench).size() == 2 ? GraphConditions::CountsApart
                                                                                  : GraphConditions::Requests));
            checkNodes(bench, counts);
            return;
        }
        QVERIFY(checksOf(bench).empty());
        const auto links = bench.admin->query(
            R"({"find":"linktable","filter":{"visibility":1},"projection":{"_id":1},"batchSize":1000})");
        const auto counted =
            bench.admin->query(R"({"find":"counttable","projection":{"_id":0,"count":1},"batchSize":1000})");
        QVERIFY(links && counted);
        std::size_t sum = 0;
        for (const auto& row : *counted)
            sum += std::stoul(row.at(0));
        QCOMPARE(sum, links->size());
        checkNodes(bench, counts);
    }

    void checkNodes(Bench& bench, std::map<std::string, std::uint64_t>& counts)
    {
        const std::int64_t nodes = *bench.admin->rowCount("nodetable"),
                           most = bench.rows / 3 + std::int64_t(counts["add_node"]);
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
        const bool reads = workload == "oltp_read_only" || workload == "oltp_point_select" ||
                           workload == "oltp_point_query" || workload == "oltp_analytic" ||
                           workload.startsWith("select");
        QCOMPARE(same, reads);
        if (workload == "oltp_insert")
            QCOMPARE(rows, loaded + kUsers * bench.transactions);
        else if (workload == "oltp_delete")
            QVERIFY(rows < loaded && rows >= loaded - kUsers * bench.transactions);
        else if (workload == "bulk_insert")
            QCOMPARE(rows, std::int64_t(kUsers * bench.transactions));
        else
            QCOMPARE(rows, loaded);
        if (bench.model == DataModel::Sql) {
            checkConditions(bench);
            const std::size_t conditions = checksOf(bench).size();
            const bool bulk = workload == "bulk_insert";
            QCOMPARE(conditions, std::size_t(bulk || workload == "oltp_delete" ? 2 : 3)); // whose rows go
            for (const auto& [table, text] : before)
                seesEach(bench, bulk ? bulkInsertFaults(table, bench.transactions)
                                     : oltpFaults(*bench.admin, table, conditions == 3));
        } else if (workload == "bulk_insert") {
            QVERIFY(checksOf(bench).empty());
            QCOMPARE(
                cell(*bench.admin, R"({"find":"sbtest2","sort":{"_id":-1},"limit":1,"projection":{"_id":0,"k":1}})"),
                std::to_string(bench.transactions));
        }
    }

private slots:
    void initTestCase() { startTargets(); }

    void contract_data()
    {
        QTest::addColumn<QString>("driver");
        QTest::addColumn<QString>("workload");
        QTest::addColumn<Settings>("params");
        for (const Workload* workload : builtinWorkloads()) {
            if (workload->operationsOfFile())
                continue; // has no data of its own, see tst_recorded_workload
            for (const std::string& driver : driversFor(workload->info())) {
                for (const auto& [name, params] : variantsOf(workload->info().id)) {
                    if (params.contains("range_partitions") && driver != "mysql")
                        continue;
                    if (workload->info().id == "script" && driver == "mongodb")
                        continue; // its built-in ones are SQL, see tst_document_script
                    if (textOf(params, "queries") == "post" && driver != "mysql" && driver != "null")
                        continue; // a search there has a condition
                    if (params.contains("table.engine") && driver == "postgresql")
                        continue; // tables of one kind
                    if (name == " with aggregates" && driver != "clickhouse")
                        continue; // others have them beside deletes
                    if (driver == "clickhouse" &&
                        (integerOf(params, "retention") > 0 || textOf(params, "by") == "inserts"))
                        continue; // which it refuses, see tst_clickhouse_answer
                    if (!name.empty() && driver == "mongodb" && !longForm())
                        continue; // FerretDB takes seconds for each; the other drivers have it
                    QTest::addRow("%s%s on %s", workload->info().id.c_str(), name.c_str(), driver.c_str())
                        << QString::fromStdString(driver) << QString::fromStdString(workload->info().id) << params;
                }
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
        if (real && bench.info->vectors) {
            const auto able = checkFeatures(*bench.admin, bench.instance->probes());
            if (!able && driver == "mysql") // not every version has them
                QSKIP(bench.instance->probes().front().missing.c_str());
            QVERIFY2(able, able ? "" : able.error().text().c_str());
        }
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
            checkSteps(bench, real, first);
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
                const bool ownRollback =
                    outcome != Outcome::Ok && bench.info->id == "tpcc" && user->session->lastError().empty();
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

    //! LinkBench's load as a run makes what the ordinary load makes, and the same on each server.
    void aRunLoadsTheSameGraph_data()
    {
        QTest::addColumn<QString>("order");
        for (const char* order : {"degree", "id"})
            QTest::newRow(order) << order;
    }
    void aRunLoadsTheSameGraph()
    {
        constexpr std::int64_t kPerInsert = 64;
        std::map<std::string, std::string> first;
        QFETCH(QString, order);
        for (const char* driver : {"sqlite", "mysql", "mongodb", "postgresql"}) {
            const QString name = driver;
            if (!driverFor(driver) || !whyMissing(name).isEmpty())
                continue;
            // FerretDB takes seconds for a thousand; what it has is compared with its own load alone.
            const std::int64_t nodes = name == "mongodb" && !longForm() ? 600 : 6000;
            const Settings common{{"load_order", order.toStdString()}, {"nodes", nodes}};
            Settings ofRun = common;
            ofRun.insert({{"phase", std::string("load")}, {"rows_per_insert", kPerInsert}});
            Bench loaded, bench;
            open(loaded, driver, "linkbench", common);
            open(bench, driver, "linkbench", ofRun);
            QVERIFY(loaded.instance && bench.instance);
            std::map<std::string, std::string> wanted, made;
            std::int64_t batches = 0;
            load(loaded, 7);
            for (const TableSpec& table : loaded.instance->tables()) {
                wanted[table.name] = contents(*loaded.admin, table.name, loaded.model);
                batches += (table.rows + kPerInsert - 1) / kPerInsert;
            }
            load(bench, 7);
            checkShape(bench);
            std::array<std::unique_ptr<TestUser>, kUsers> users;
            for (unsigned i = 0; i < kUsers; ++i)
                QVERIFY((users[i] = bench.user(bench.instance->statements(), {UserId(i), kUsers, 7})));
            std::uint64_t rows = 0, wantedRows = 0;
            for (std::int64_t i = 0; i < batches; ++i)
                QVERIFY(users[std::size_t(i) % kUsers]->run(*bench.instance, std::uint64_t(i)) == Outcome::Ok);
            for (const auto& user : users)
                rows += IntervalSampler(user->recorder).take().rows;
            for (const TableSpec& table : loaded.instance->tables()) {
                made[table.name] = contents(*bench.admin, table.name, bench.model);
                wantedRows += std::uint64_t(table.rows);
            }
            QVERIFY2(made == wanted, driver);
            QCOMPARE(rows, wantedRows);
            if (bench.model == DataModel::Document)
                continue;
            if (first.empty())
                first = made;
            QVERIFY2(made == first, driver);
            seesEach(bench, graphFaults(*bench.admin, GraphConditions::Load));
        }
        QVERIFY(!first.empty());
    }
};

} // namespace dyno::tst_workload_contract

DYNO_SUITE(tst_workload_contract, dyno::tst_workload_contract::TstWorkloadContract)
#include "tst_workload_contract.moc"
