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
        m_info.purpose = WorkloadPurpose::Application;
        m_info.summary = "Customers, orders and a market: eleven kinds of transactions, mostly reads";
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
        ofData(choiceOption(
            "model", "Model",
            "reduced: six tables of whole numbers, and one statement in most transactions. full: fourteen tables with "
            "columns of several types, and about 13 statements in a transaction, 11 of which read; orders that wait "
            "are rows that are deleted when they are filled. As many as were counted beside tpce-mysql.",
            "reduced", {"reduced", "full"}, "")),
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
    params.full = textOf(settings, "model") == "full";
    params.days = integerOf(settings, "days", params.days);
    params.tradesPerDay = integerOf(settings, "trades_per_day", params.tradesPerDay);
    return params;
}

BrokerageInstance::BrokerageInstance(const Params& params, const DriverInfo& driver, const std::string& suffix)
    : m_params(params)
    , m_sql(driver.sql)
    , m_sizes(*driver.sizes)
    , m_tables(tableSpecs(params, m_sql, suffix))
    , m_statements(requestStatements(m_params, m_sql))
    , m_nextOrder(params.trades() + 1)
    , m_ring(kRing)
{
}

StatementSet BrokerageInstance::loaderStatements() const
{
    StatementSet all = m_statements;
    for (std::size_t table = 0; table < m_params.tables(); ++table) {
        all.push_back(insertSpec(m_params, Table(table), 1));
        all.push_back(insertSpec(m_params, Table(table), kBatch));
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
    for (std::size_t i = 0; i < m_params.tables(); ++i)
        sum += m_sizes.table(rowFacts(m_params, Table(i), KeyOrder::Runs), m_params.rows(Table(i)));
    return sum;
}

Growth BrokerageInstance::growth() const
{
    // Of the mix: a tenth gives an order, a tenth fills one, and most of these need a holding that was not there.
    constexpr double kOrders = 0.101, kFilled = 0.1;
    constexpr double kRows = kOrders + kFilled * 4 + 0.02 * 3 + 0.009 * 10;
    const auto row = [this](Table table) { return m_sizes.row(rowFacts(m_params, table, KeyOrder::Any)); };
    double bytes = kOrders * row(kTrade) + kFilled * row(kHolding);
    if (m_params.full) { // with states, settlements, payments and logs; a trade_update changes twenty trades
        constexpr double kAll = kOrders * 4 + kFilled * 11 + 0.02 * 20 + 0.009 * 10;
        bytes += kOrders * (2 * row(kStates) + row(kRequests)) +
                 kFilled * (2 * row(kStates) + row(kSettlements) + row(kPayments) + row(kHoldingLogs));
        return {bytes / kAll, kAll};
    }
    return {bytes / kRows, kRows};
}

char* BrokerageInstance::bindRow(char* out, Table table, std::int64_t row, std::uint64_t seed,
                                 std::vector<Param>& params) const
{
    Random random = Random::forItem(seed, kRowStreams + table, std::uint64_t(row));
    const auto put = [&params](std::initializer_list<std::int64_t> values) {
        for (const std::int64_t value : values)
            params.push_back(Param::of(value));
    };
    switch (table) {
    case kCustomer:
        put({row, random.uniform(1, 3), 0});
        break;
    case kBroker:
        put({row, 0, 0});
        break;
    case kAccount: {
        const std::int64_t balance = random.uniform(100'000, 10'000'000);
        put({row, (row - 1) / 5 + 1, random.uniform(1, m_params.brokers()), balance, balance});
        break;
    }
    case kSecurity: {
        const std::int64_t price = random.uniform(2000, 3000);
        put({row, random.uniform(1, 4), price, price, 0});
        break;
    }
    case kTrade: {
        const std::int64_t day = (row - 1) * m_params.days / m_params.trades();
        const std::int64_t time = kFirstTime + day * 86'400 + random.uniform(0, 8 * 3600 - 1);
        const std::int64_t buys = random.uniform(0, 1), quantity = 100 * random.uniform(1, 8);
        put({row, account(random), security(random), buys, quantity, random.uniform(2000, 3000), 1, time, 0});
        break;
    }
    case kHolding: {
        const std::int64_t owner = (row - 1) / 4 + 1, securities = m_params.securities();
        const std::int64_t held = (owner * 7 + (row - 1) % 4 * (securities / 4)) % securities + 1,
                           quantity = 100 * random.uniform(1, 8);
        put({owner, held, quantity, quantity});
        break;
    }
    case kCompany:
        put({row, row % kIndustries});
        break;
    case kDaily:
        put({(row - 1) / m_params.days + 1, (row - 1) % m_params.days, 100 * random.uniform(1, 100'000)});
        break;
    case kWatchList: { // no security twice: they lie a tenth of all apart
        const std::int64_t who = (row - 1) / kWatchedSecurities + 1, place = (row - 1) % kWatchedSecurities,
                           securities = m_params.securities();
        put({who, (who * 7 + place * (securities / kWatchedSecurities)) % securities + 1});
        break;
    }
    case kStates:
        put({(row - 1) / 2 + 1});
        break;
    default: // of a trade
        put({row});
        break;
    }
    return m_params.full ? bindTexts(out, table, row, random, params) : out;
}

namespace {

//! Texts of a row; `params` get what was written.
class RowTexts
{
public:
    RowTexts(char* out, Random& random, std::vector<Param>& params)
        : m_out(out)
        , m_random(random)
        , m_params(params)
    {
    }
    [[nodiscard]] char* end() const { return m_out; }
    void fixed(std::string_view text) { m_params.push_back(Param::of(text)); } //!< that lasts
    void copied(std::string_view text)
    {
        m_params.push_back(Param::of(std::string_view(m_out, text.size())));
        m_out = std::ranges::copy(text, m_out).out;
    }
    //! Words of four letters with a space between them, and none at the end, which CHAR would lose.
    void words(std::int64_t least, std::int64_t most)
    {
        const std::int64_t length = m_random.uniform(least, most);
        char* const begin = m_out;
        std::uint64_t bits = 0;
        for (std::int64_t i = 0; i < length; ++i) {
            if (i % 10 == 0)
                bits = m_random.next();
            *m_out++ = i % 5 == 4 && i + 1 < length ? ' ' : char('a' + bits % 26);
            bits >>= 6;
        }
        m_params.push_back(Param::of(std::string_view(begin, std::size_t(length))));
    }
    void time(std::int64_t seconds, bool dateOnly)
    {
        std::array<char, 20> text;
        copied(dateTime(seconds, text).substr(0, dateOnly ? 10 : 19));
    }
    void cents(std::int64_t least, std::int64_t most)
    {
        m_params.push_back(Param::of(double(m_random.uniform(least, most)) / 100));
    }

private:
    char* m_out;
    Random& m_random;
    std::vector<Param>& m_params;
};

constexpr std::int64_t kDay = 86'400;
constexpr std::size_t kTextsOfRow = 320; //!< bytes, at most

} // namespace

char* BrokerageInstance::bindTexts(char* out, Table table, std::int64_t row, Random& random,
                                   std::vector<Param>& params) const
{
    RowTexts texts(out, random, params);
    const auto timeOf = [this](std::int64_t trade) {
        return kFirstTime + (trade - 1) * m_params.days / m_params.trades() * kDay;
    };
    switch (table) {
    case kCustomer:
        texts.words(10, 46);
        texts.words(15, 50);
        texts.time(kFirstTime - random.uniform(18 * 365, 90 * 365) * kDay, true);
        texts.fixed(row % 5 == 0 ? "CA" : "US");
        break;
    case kBroker:
        texts.words(10, 60);
        break;
    case kAccount:
        texts.words(10, 50);
        break;
    case kSecurity:
        texts.words(4, 8);
        texts.words(10, 70);
        texts.cents(0, 1000);
        texts.time(kFirstTime - random.uniform(0, 50 * 365) * kDay, true);
        break;
    case kTrade:
        texts.fixed(params[params.size() - 6].integer == 1 ? "TMB" : "TMS");
        texts.time(params[params.size() - 3].integer, false);
        texts.cents(100, 1000);
        texts.words(10, 49);
        break;
    case kCompany:
        texts.words(10, 60);
        texts.words(10, 46);
        texts.words(50, 150);
        break;
    case kDaily: {
        texts.time(kFirstTime + (row - 1) % m_params.days * kDay, true);
        for (int i = 0; i < 3; ++i)
            texts.cents(2000, 3000);
        break;
    }
    case kStates:
        texts.fixed(row % 2 == 1 ? "SBMT" : "CMPT");
        texts.time(timeOf((row - 1) / 2 + 1) + row % 2, false);
        break;
    case kSettlements:
        texts.fixed("Cash Account");
        texts.time(timeOf(row) + 2 * kDay, true);
        texts.cents(100'000, 2'400'000);
        break;
    case kPayments:
        texts.time(timeOf(row), false);
        texts.cents(-2'400'000, 2'400'000);
        texts.words(20, 60);
        break;
    default:
        break;
    }
    return texts.end();
}

Task<Outcome> BrokerageInstance::load(UserContext& user, LoadSlice slice) const
{
    const auto table = Table(slice.table - 1);
    const std::size_t one = m_statements.size() + 2 * std::size_t(table);
    const auto bind = [this, &user, table](std::int64_t row, std::int64_t count) {
        std::string& texts = user.buffer();
        if (const std::size_t room = m_params.full ? std::size_t(count) * kTextsOfRow : 0; texts.size() < room)
            texts.resize(room);
        char* out = texts.data();
        for (std::int64_t i = 0; i < count; ++i)
            out = bindRow(out, table, row + i, user.seed(), user.params());
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
