// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A brokerage house, like TPC-E: customers with accounts give orders to buy and sell securities, a market fills them
//! and moves prices. A reduced model of our own with six tables and the eleven kinds of transactions that experiments
//! tell apart; nothing of the TPC's generator is in it, and its results are no TPC-E results.
//!
//! Money is in cents, time in seconds. Rows of the load are a function of (seed, table, row). Orders are numbered by
//! one counter; the market's side is the load's own: an order that was given waits in a ring until a trade_result takes
//! it, and where none waits an order is given instead; a market_feed moves the prices of the securities that were
//! traded last, each trade's once, and of some that it draws where there are fewer than ten. How many trade_results and
//! market_feeds there are follows from their shares of the mix, as does data_maintenance, which TPC-E does once a
//! minute.
#pragma once

#include "driver/size_model.h"
#include "workload/workload.h"

#include <algorithm>
#include <array>
#include <atomic>

namespace dyno::brokerage {

enum class Kind : std::uint8_t {
    TradeStatus,
    MarketWatch,
    SecurityDetail,
    CustomerPosition,
    TradeOrder,
    TradeResult,
    TradeLookup,
    BrokerVolume,
    TradeUpdate,
    MarketFeed,
    DataMaintenance,
};
constexpr std::size_t kKinds = 11;
constexpr std::size_t kTicks = 10; //!< prices that one market feed moves

enum Table : std::uint8_t { kCustomer, kBroker, kAccount, kSecurity, kTrade, kHolding };
constexpr std::size_t kTables = 6;

struct Params
{
    std::int64_t customers = 1000;
    std::int64_t days = 300;       //!< of trading that the load makes
    std::int64_t tradesPerDay = 1; //!< of a hundred customers' accounts
    [[nodiscard]] std::int64_t accounts() const { return customers * 5; }
    [[nodiscard]] std::int64_t brokers() const { return std::max<std::int64_t>(1, customers / 100); }
    [[nodiscard]] std::int64_t securities() const { return std::max<std::int64_t>(20, customers * 685 / 1000); }
    [[nodiscard]] std::int64_t trades() const
    {
        return std::max<std::int64_t>(1, days * tradesPerDay * customers / 100);
    }
    [[nodiscard]] std::int64_t rows(Table table) const;
};
[[nodiscard]] OptionSpecs options();
[[nodiscard]] Params parse(const Settings& settings);

//! Statements of the transactions, in this order.
enum Statement : std::uint8_t {
    kStatusOf,
    kWatch,
    kSecurityOf,
    kLastTrades,
    kPositionOf,
    kAccountOf,
    kPriceOf,
    kGiveOrder,
    kTakeOrder,
    kFill,
    kHold,
    kHoldFirst,
    kSettle,
    kCommission,
    kLookUp,
    kVolumeOf,
    kNewest,
    kNote,
    kMovePrice,
    kMaintain,
};
[[nodiscard]] std::vector<TableSpec> tableSpecs(const Params& params, const SqlDialect& sql, const std::string& suffix);
//! `order`: how its rows come, and their entries in its indexes.
[[nodiscard]] RowFacts rowFacts(Table table, KeyOrder order);
[[nodiscard]] StatementSet requestStatements(const SqlDialect& sql);
[[nodiscard]] StatementSpec insertSpec(Table table, std::int64_t rows);
[[nodiscard]] std::vector<DataCheck> dataChecks(const Params& params);

class BrokerageInstance final : public WorkloadInstance
{
public:
    BrokerageInstance(const Params& params, const DriverInfo& driver, const std::string& suffix);

    [[nodiscard]] std::vector<TableSpec> tables() const override { return m_tables; }
    [[nodiscard]] StatementSet statements() const override { return m_statements; }
    [[nodiscard]] StatementSet loaderStatements() const override;
    [[nodiscard]] Task<Outcome> load(UserContext& user, LoadSlice slice) const override;
    [[nodiscard]] Task<Outcome> transaction(UserContext& user) const override;
    [[nodiscard]] std::vector<DataCheck> checks() const override { return dataChecks(m_params); }
    [[nodiscard]] std::vector<FeatureProbe> probes() const override;
    [[nodiscard]] std::uint64_t estimatedBytes() const override;
    [[nodiscard]] Growth growth() const override;

private:
    void bindRow(Table table, std::int64_t row, std::uint64_t seed, std::vector<Param>& params) const;
    [[nodiscard]] Task<Outcome> readOnly(UserContext& user, Kind kind) const;
    [[nodiscard]] Task<Outcome> perform(UserContext& user, Kind kind, std::int64_t order) const;
    [[nodiscard]] Task<Outcome> giveOrder(UserContext& user, std::int64_t order) const;
    [[nodiscard]] Task<Outcome> fillOrder(UserContext& user, std::int64_t order) const;
    [[nodiscard]] Task<Outcome> moveMarket(UserContext& user) const;
    [[nodiscard]] Task<Outcome> movePrices(UserContext& user, std::array<std::int64_t, kTicks> securities) const;
    [[nodiscard]] Task<Outcome> updateTrades(UserContext& user) const;
    [[nodiscard]] std::int64_t account(Random& random) const { return random.uniform(1, m_params.accounts()); }
    [[nodiscard]] std::int64_t security(Random& random) const { return random.uniform(1, m_params.securities()); }
    void queue(std::int64_t order) const;
    //! 0: none waits.
    [[nodiscard]] std::int64_t takeQueued() const;
    //! A security that was traded waits for a market_feed.
    void traded(std::int64_t security) const;
    //! 0: all trades were told.
    [[nodiscard]] std::int64_t takeTraded() const;

    static constexpr std::size_t kRing = 65536;
    static constexpr std::uint64_t kTrades = 1024; //!< the last ones; older ones that no market_feed took are forgotten
    Params m_params;
    SqlDialect m_sql;
    const SizeModel& m_sizes;
    std::vector<TableSpec> m_tables;
    StatementSet m_statements;
    mutable std::atomic<std::int64_t> m_nextOrder;
    mutable std::vector<std::atomic<std::int64_t>> m_ring;
    mutable std::atomic<std::uint64_t> m_given{0}, m_taken{0};
    mutable std::array<std::atomic<std::int64_t>, kTrades> m_traded{};
    mutable std::atomic<std::uint64_t> m_trades{0}, m_told{0};
};

[[nodiscard]] const std::vector<const Workload*>& workloads();

} // namespace dyno::brokerage
