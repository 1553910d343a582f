// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Options of the brokerage workload, its load, and its place in the list of workloads.
#include "workload/brokerage/brokerage.h"

#include "workload/engine_needs.h"
#include "workload/loading.h"
#include "workload/option_makers.h"
#include "workload/table_suffix.h"

namespace dyno::brokerage {

namespace {

constexpr std::int64_t kBatch = 500; //!< rows of a statement of the load
constexpr std::uint64_t kRowStreams = std::uint64_t(1) << 45;
constexpr std::int64_t kFirstTime = 1'104'537'600; //!< 2005-01-01 UTC

class BrokerageWorkload final : public Workload
{
public:
    BrokerageWorkload()
    {
        m_info.id = "brokerage";
        m_info.name = "Brokerage (TPC-E-like)";
        m_info.description = "A brokerage house: customers ask for positions, prices and trades and give orders, a "
                             "market fills them and moves "
                             "the prices of what was traded. Eleven kinds of transactions, most of which read; shows "
                             "how steady their response "
                             "times are. The market's work and the maintenance of data go by their shares of the mix, "
                             "not by a clock. A reduced "
                             "model of its own: its results are no TPC-E results. 1000 customers with 300 days are "
                             "about 12 MB in InnoDB, and "
                             "each trade more a day and hundred customers another 0.6 MB.";
        m_info.source = "A model of our own, with the kinds and the mix of tpce-mysql";
        m_info.options = options();
        m_info.operations = {{"trade_status", OpClass::Read},     {"market_watch", OpClass::Read},
                             {"security_detail", OpClass::Read},  {"customer_position", OpClass::Read},
                             {"trade_order", OpClass::Write},     {"trade_result", OpClass::Write},
                             {"trade_lookup", OpClass::Read},     {"broker_volume", OpClass::Read},
                             {"trade_update", OpClass::Write},    {"market_feed", OpClass::Write},
                             {"data_maintenance", OpClass::Write}};
    }

    [[nodiscard]] const WorkloadInfo& info() const override { return m_info; }

    [[nodiscard]] Expected<std::shared_ptr<const WorkloadInstance>>
    bind(const Settings& settings, const DriverInfo& driver, const Settings& tableKnobs) const override
    {
        if (integerOf(tableKnobs, "partitions") > 0)
            return fail({ErrorKind::BadInput, "the tables of this workload have no column in common to partition by",
                         "table.partitions", "set it to 0"});
        const auto suffix = tableSuffix(driver.sql, DataModel::Sql, tableKnobs, "");
        if (!suffix)
            return tl::unexpected(suffix.error());
        return std::make_shared<const BrokerageInstance>(parse(settings), driver, *suffix);
    }

private:
    WorkloadInfo m_info;
};

} // namespace

OptionSpecs options()
{
    return {
        ofData(integerOption("customers", "Customers",
                             "The size of the house: each has five accounts with four holdings; a broker for every "
                             "hundred, 685 securities "
                             "for every thousand.",
                             1000, "customers", 20, 1e6, "")),
        ofData(
            integerOption("days", "Days of trading", "Days whose trades the load makes.", 300, "days", 1, 10000, "")),
        ofData(integerOption("trades_per_day", "Trades a day", "Of a hundred customers, on each of these days.", 1,
                             "trades", 1, 10000, "")),
    };
}

Params parse(const Settings& settings)
{
    Params params;
    params.customers = integerOf(settings, "customers", params.customers);
    params.days = integerOf(settings, "days", params.days);
    params.tradesPerDay = integerOf(settings, "trades_per_day", params.tradesPerDay);
    return params;
}

BrokerageInstance::BrokerageInstance(const Params& params, const DriverInfo& driver, const std::string& suffix)
    : m_params(params)
    , m_sql(driver.sql)
    , m_sizes(*driver.sizes)
    , m_tables(tableSpecs(params, m_sql, suffix))
    , m_statements(requestStatements(m_sql))
    , m_nextOrder(params.trades() + 1)
    , m_ring(kRing)
{
}

StatementSet BrokerageInstance::loaderStatements() const
{
    StatementSet all = m_statements;
    for (std::size_t table = 0; table < kTables; ++table) {
        all.push_back(insertSpec(Table(table), 1));
        all.push_back(insertSpec(Table(table), kBatch));
    }
    return all;
}

std::vector<FeatureProbe> BrokerageInstance::probes() const
{
    return transactionProbes(m_tables, m_sql);
}

std::uint64_t BrokerageInstance::estimatedBytes() const
{
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kTables; ++i)
        sum += m_sizes.table(rowFacts(Table(i), KeyOrder::Runs), m_params.rows(Table(i)));
    return sum;
}

Growth BrokerageInstance::growth() const
{
    // Of the mix: a tenth gives an order, a tenth fills one, and most of these need a holding that was not there.
    constexpr double kOrders = 0.101, kFilled = 0.1;
    constexpr double kRows = kOrders + kFilled * 4 + 0.02 * 3 + 0.009 * 10;
    const double bytes = kOrders * m_sizes.row(rowFacts(kTrade, KeyOrder::Any)) +
                         kFilled * m_sizes.row(rowFacts(kHolding, KeyOrder::Any));
    return {bytes / kRows, kRows};
}

void BrokerageInstance::bindRow(Table table, std::int64_t row, std::uint64_t seed, std::vector<Param>& params) const
{
    Random random = Random::forItem(seed, kRowStreams + table, std::uint64_t(row));
    const auto put = [&params](std::initializer_list<std::int64_t> values) {
        for (const std::int64_t value : values)
            params.push_back(Param::of(value));
    };
    switch (table) {
    case kCustomer:
        return put({row, random.uniform(1, 3), 0});
    case kBroker:
        return put({row, 0, 0});
    case kAccount: {
        const std::int64_t balance = random.uniform(100'000, 10'000'000);
        return put({row, (row - 1) / 5 + 1, random.uniform(1, m_params.brokers()), balance, balance});
    }
    case kSecurity: {
        const std::int64_t price = random.uniform(2000, 3000);
        return put({row, random.uniform(1, 4), price, price, 0});
    }
    case kTrade: {
        const std::int64_t day = (row - 1) * m_params.days / m_params.trades();
        const std::int64_t time = kFirstTime + day * 86'400 + random.uniform(0, 8 * 3600 - 1);
        const std::int64_t buys = random.uniform(0, 1), quantity = 100 * random.uniform(1, 8);
        return put({row, account(random), security(random), buys, quantity, random.uniform(2000, 3000), 1, time, 0});
    }
    case kHolding: {
        const std::int64_t owner = (row - 1) / 4 + 1, securities = m_params.securities();
        const std::int64_t held = (owner * 7 + (row - 1) % 4 * (securities / 4)) % securities + 1,
                           quantity = 100 * random.uniform(1, 8);
        return put({owner, held, quantity, quantity});
    }
    }
}

Task<Outcome> BrokerageInstance::load(UserContext& user, LoadSlice slice) const
{
    const auto table = Table(slice.table - 1);
    const std::size_t one = m_statements.size() + 2 * std::size_t(table);
    const auto bind = [this, &user, table](std::int64_t row, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i)
            bindRow(table, row + i, user.seed(), user.params());
    };
    const Outcome loaded = co_await loadRows(user, slice, {StatementId(one), StatementId(one + 1), kBatch}, bind);
    co_return loaded;
}

const std::vector<const Workload*>& workloads()
{
    static const BrokerageWorkload workload;
    static const std::vector<const Workload*> list{&workload};
    return list;
}

} // namespace dyno::brokerage
