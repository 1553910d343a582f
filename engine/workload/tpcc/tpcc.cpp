// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Options of the TPC-C-like workload, its instance, and its place in the list of workloads.
#include "workload/tpcc/tpcc.h"

#include "workload/engine_needs.h"
#include "workload/option_makers.h"
#include "workload/table_suffix.h"

#include <fmt/format.h>

namespace dyno::tpcc {

namespace {

class TpccWorkload final : public Workload
{
public:
    TpccWorkload()
    {
        m_info.id = "tpcc";
        m_info.name = "TPC-C-like";
        m_info.purpose = WorkloadPurpose::Application;
        m_info.summary = "Order entry in long transactions: locks, the log and data larger than memory";
        m_info.description =
            "An order-entry business: new orders, payments, states of orders, deliveries and stock levels, in "
            "transactions of many statements over nine tables. Shows what locks, the log and a data set larger than "
            "memory do to mixed transactions. Its results are no TPC-C results.";
        m_info.source = "TPC-C specification 5.11; Percona-Lab/sysbench-tpcc and tpcc-mysql for their profiles";
        m_info.options = options();
        m_info.operations = {{"new_order", OpClass::Write},   {"payment", OpClass::Write},
                             {"order_status", OpClass::Read}, {"delivery", OpClass::Write},
                             {"stock_level", OpClass::Read},  {"purge", OpClass::Write}};
        m_info.dataVersion = 2; // sysbench-tpcc's prices and amounts have cents
    }

    [[nodiscard]] const WorkloadInfo& info() const override { return m_info; }

    [[nodiscard]] Expected<std::shared_ptr<const WorkloadInstance>>
    bind(const Settings& settings, const DriverInfo& driver, const Settings& tableKnobs) const override
    {
        auto params = parse(settings);
        if (!params)
            return tl::unexpected(params.error());
        if (params->purge && !params->sysbench())
            return fail({ErrorKind::BadInput, "only the profile sysbench-tpcc has a purge", "workload.purge",
                         "set it to false, or workload.profile to sysbench-tpcc"});
        if (params->foreignKeysByProfile) {
            const std::string engine = textOf(tableKnobs, "engine");
            params->foreignKeys =
                params->sysbench() && driver.sql.foreignKeysLater && (engine.empty() || keepsForeignKeys(engine));
        }
        if (const std::string engine = textOf(tableKnobs, "engine");
            params->foreignKeys && !engine.empty() && !keepsForeignKeys(engine))
            return fail({ErrorKind::BadInput,
                         fmt::format("{} forgets foreign keys: it reads them and keeps none", engine), "table.engine",
                         "use InnoDB, or set workload.foreign_keys to false"});
        if (integerOf(tableKnobs, "partitions") > 0)
            return fail({ErrorKind::BadInput, "the tables of this workload have no column in common to partition by",
                         "table.partitions", "set it to 0"});
        const auto suffix = tableSuffix(driver.sql, DataModel::Sql, tableKnobs, "");
        if (!suffix)
            return tl::unexpected(suffix.error());
        return std::make_shared<const TpccInstance>(*params, driver, *suffix);
    }

private:
    WorkloadInfo m_info;
};

} // namespace

OptionSpecs options()
{
    return {
        ofData(integerOption(
            "warehouses", "Warehouses",
            "The size of the business: about 100 MB for each, with ten districts, 30 000 customers and 100 000 "
            "articles on stock.",
            1, "warehouses", 1, 32'767, "")),
        ofData(choiceOption(
            "profile", "Profile",
            "dynobench: as specified; keying and think times only when asked for. sysbench-tpcc and tpcc-mysql: what "
            "those "
            "programs really do, for comparisons with their figures: 10:10:1:1:1 of the transactions, and keys with "
            "hardly any skew; sysbench-tpcc in addition has no remote warehouses, texts of one letter, and foreign "
            "keys, and "
            "counts its rollbacks as errors. It also sends its statements as text, which connection.protocol = "
            "\"text\" "
            "does here; of its options `tables`, several sets of the tables, and `splittable` are not here.",
            "dynobench", {"dynobench", "sysbench-tpcc", "tpcc-mysql"}, "")),
        flagOption("purge", "Purge",
                   "Of the profile sysbench-tpcc (its enable_purge): one transaction in 24 is a purge, which removes "
                   "up to ten delivered "
                   "orders of customers who have several, with their lines, and ten rows of the history for each, so "
                   "that the data grow "
                   "less. The conditions about sums of history and lines do not hold afterwards and are not checked.",
                   false, ""),
        choiceOption("warehouse", "Warehouse of a user",
                     "home: user n always works for warehouse n (modulo their number), as specified; with fewer users "
                     "than warehouses "
                     "the other warehouses' data are hardly touched, so that less than what was loaded is in use. "
                     "random: one is "
                     "drawn for each transaction. default: random in the profiles of other programs, else home.",
                     "default", {"default", "home", "random"}, ""),
        choiceOption("order_lines", "Lines of an order",
                     "drawn: a new order locks the stocks of its lines in the order in which they were drawn, as "
                     "specified. sorted: by supplying warehouse and item, so that orders do not deadlock on stocks. "
                     "default: sorted in the profile tpcc-mysql, else drawn.",
                     "default", {"default", "drawn", "sorted"}, ""),
        choiceOption("delivery", "Delivery",
                     "one: the ten districts in one transaction, which locks their oldest new orders. districts: a "
                     "transaction for each district, which finds the oldest new order by MIN without a lock; two users "
                     "that deliver for one warehouse at the same time then credit an order twice, and the conditions "
                     "about balances are not checked. default: districts in the profile tpcc-mysql, else one.",
                     "default", {"default", "one", "districts"}, ""),
        choiceOption("stock_level", "Stock level",
                     "join: one join counts the items whose stock is low, as specified. distinct: SELECT DISTINCT "
                     "lists the items of the last twenty orders, and the stock of each is asked for by itself. "
                     "default: distinct in the profile tpcc-mysql, else join.",
                     "default", {"default", "join", "distinct"}, ""),
        realOption("keying_time", "Keying times",
                   "What a user waits before a transaction, as a share of the specification's times: 18 s before a new "
                   "order, 3 s "
                   "before a payment, 2 s before the others. 0: none. It is in no response time. Closed loop only.",
                   0, "× specified", 0, 1, ""),
        realOption("think_time", "Think times",
                   "What a user waits after a transaction, as a share of the specification's mean times: 12 s after a "
                   "new order and a "
                   "payment, 10 s after an order's status, 5 s after the others; exponentially distributed, at most "
                   "ten times the "
                   "mean. 0: none. It is in no response time. With both at 1, ten users of a warehouse do at most "
                   "12.86 new orders "
                   "a minute. Closed loop only.",
                   0, "× specified", 0, 1, ""),
        ofData(choiceOption(
            "foreign_keys", "Foreign keys",
            "The ten of sysbench-tpcc and tpcc-mysql. default: as the profile's program does by itself: true in "
            "sysbench-tpcc's on the MySQL family in InnoDB, else false (tpcc-mysql has a script of its own for them; "
            "the "
            "indexes below them are made in both profiles anyway). MySQL family: made after the load, so that they are "
            "checked then. SQLite: made with the tables, and enforced only with connection.foreign_keys = true: a run "
            "without it is refused.",
            "default", {"default", "true", "false"}, "")),
        ofData(flagOption("history_key", "Key of the history",
                          "Off, as specified: the table history has none. On: it has a number that counts by itself as "
                          "its primary key, "
                          "which Galera and group replication ask for; sysbench-tpcc calls it force_pk.",
                          false, "")),
        ofData(integerOption(
            "customers", "Customers of a district",
            "And orders that the load makes in it. The specification has 3000; fewer make another workload, for "
            "trying things out.",
            3000, "customers", 30, 3000, "advanced")),
        ofData(integerOption("items", "Articles",
                             "The specification has 100 000; fewer make another workload, for trying things out.",
                             100'000, "articles", 100, 100'000, "advanced")),
    };
}

Expected<Params> parse(const Settings& settings)
{
    Params params;
    params.warehouses = integerOf(settings, "warehouses", params.warehouses);
    params.customers = integerOf(settings, "customers", params.customers);
    params.items = integerOf(settings, "items", params.items);
    const std::string keys = textOf(settings, "foreign_keys", "default");
    params.foreignKeysByProfile = keys == "default";
    params.foreignKeys = keys == "true";
    params.purge = boolOf(settings, "purge");
    params.historyKey = boolOf(settings, "history_key");
    params.keying = realOf(settings, "keying_time");
    params.thinking = realOf(settings, "think_time");
    const std::string profile = textOf(settings, "profile"), warehouse = textOf(settings, "warehouse");
    params.profile = profile == "sysbench-tpcc" ? Profile::SysbenchTpcc
                     : profile == "tpcc-mysql"  ? Profile::TpccMysql
                                                : Profile::Dynobench;
    const auto chosen = [&settings, &params](const char* option, const char* value) {
        const std::string text = textOf(settings, option, "default");
        return text == value || (text == "default" && params.tpccMysql());
    };
    params.sortedLines = chosen("order_lines", "sorted");
    params.deliversByDistrict = chosen("delivery", "districts");
    params.listsItems = chosen("stock_level", "distinct");
    params.homeWarehouse = warehouse == "home" || (warehouse != "random" && !params.compat());
    return params;
}

TpccInstance::TpccInstance(const Params& params, const DriverInfo& driver, const std::string& suffix)
    : m_params(params)
    , m_sql(driver.sql)
    , m_sizes(*driver.sizes)
    , m_values(params)
    , m_tables(tableSpecs(params, m_sql, suffix))
    , m_lineEnds(std::size_t(params.customers) + 1, 0)
    , m_statements(requestStatements(params, m_sql))
{
    for (std::size_t order = 1; order < m_lineEnds.size(); ++order)
        m_lineEnds[order] = m_lineEnds[order - 1] + OrderPlan::linesOf(m_params, std::int64_t(order));
}

//! Loader sessions work on a warehouse each; with fewer than this, on a district.
constexpr std::int64_t kFewWarehouses = 8;

std::vector<TableSpec> TpccInstance::tables() const
{
    std::vector<TableSpec> specs(m_tables.begin(), m_tables.end());
    for (std::size_t i = 0; i < specs.size(); ++i) {
        specs[i].rows = rowsOf(Table(i));
        specs[i].rowsPerSlice = batchOf(Table(i)) * (m_sql.loadsPrepared ? 20 : 1);
        const bool whole = m_params.warehouses >= kFewWarehouses;
        if (i == kItem || i == kWarehouse || i == kDistrict || (i == kStock && !whole))
            continue; // small, or of no district
        specs[i].rowsPerPart = specs[i].rows / m_params.warehouses / (whole ? 1 : kDistricts);
        specs[i].part = whole ? "warehouse" : "district";
    }
    return specs;
}

StatementSet TpccInstance::loaderStatements() const
{
    StatementSet all = m_statements;
    for (std::size_t table = 0; table < kTables; ++table) {
        all.push_back(insertSpec(Table(table), 1));
        all.push_back(insertSpec(Table(table), batchOf(Table(table))));
    }
    return all;
}

std::vector<FeatureProbe> TpccInstance::probes() const
{
    std::vector<FeatureProbe> all = transactionProbes(tables(), m_sql);
    if (m_params.foreignKeys && !m_sql.foreignKeysOn.empty())
        all.push_back({m_sql.foreignKeysOn, m_sql.foreignKeysIdle,
                       fmt::format("{}, or workload.foreign_keys = false", m_sql.foreignKeysRemedy)});
    return all;
}

//! Tables are loaded side by side, each at its own pace.
std::vector<std::string> TpccInstance::loaderSessionSetup() const
{
    if (!m_params.foreignKeys || m_sql.foreignKeysLater) // those are made afterwards
        return {};
    return {m_sql.foreignKeysOff};
}

std::uint64_t TpccInstance::estimatedBytes() const
{
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kTables; ++i)
        sum += m_sizes.table(rowFacts(Table(i), m_params), rowsOf(Table(i)));
    return sum;
}

Growth TpccInstance::growth() const
{
    // Of the mix: new orders that are not rolled back, payments, deliveries; each changes so many rows (10 lines, 10
    // districts). What a purge removes leaves room in the tables, at some time; it is not taken off.
    const double card = 1.0 / double(m_params.cards());
    const double orders = (m_params.compat() ? 10 * card : 0.45) * 0.99,
                 payments = m_params.compat() ? 10 * card : 0.43, deliveries = m_params.compat() ? card : 0.04;
    const double rows = orders * 23 + payments * 4 + deliveries * 130;
    const auto row = [this](Table table) { return m_sizes.row(rowFacts(table, m_params, KeyOrder::Any)); };
    const double bytes = orders * (row(kOrders) + 10 * row(kOrderLine)) + payments * row(kHistory);
    return {bytes / rows, rows};
}

const std::vector<const Workload*>& workloads()
{
    static const TpccWorkload workload;
    static const std::vector<const Workload*> list{&workload};
    return list;
}

} // namespace dyno::tpcc
