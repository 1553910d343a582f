// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A brokerage house, like TPC-E: customers with accounts give orders to buy and sell securities, a market fills them
//! and moves prices. Two models of our own with the eleven kinds of transactions that experiments tell apart; nothing
//! of the TPC's generator is in them, and their results are no TPC-E results:
//! - reduced: six tables of whole numbers, one statement in most transactions.
//! - full: the same tables with columns of other types too, and eight more. Each transaction stands between BEGIN and
//!   COMMIT and has as many statements of each sort as were counted beside tpce-mysql (13 on average); an order that
//!   waits is a row that is deleted when it is filled.
//!
//! Money is in cents where it is a whole number, time in seconds. Rows of the load are a function of (seed, table,
//! row). Orders are numbered by one counter; the market's side is the load's own: an order that was given waits in a
//! ring until a trade_result takes it, and where none waits an order is given instead; a market_feed moves the prices
//! of the securities that were traded last, each trade's once, and of some that it draws where there are fewer than
//! ten. How many trade_results and market_feeds there are follows from their shares of the mix, as does
//! data_maintenance, which TPC-E does once a minute.
#pragma once

#include "driver/size_model.h"
#include "workload/workload.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <string_view>

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

enum Table : std::uint8_t {
    kCustomer,
    kBroker,
    kAccount,
    kSecurity,
    kTrade,
    kHolding,
    kCompany, //!< from here on of the full model
    kDaily,
    kWatchList,
    kStates,
    kSettlements,
    kPayments,
    kRequests,
    kHoldingLogs
};
constexpr std::size_t kTables = 6, kFullTables = 14;
constexpr std::int64_t kWatchedSecurities = 10; //!< of a customer's list
constexpr std::int64_t kIndustries = 100;
constexpr std::size_t kPage = 20; //!< trades of a look-up or an update

struct Params
{
    std::int64_t customers = 1000;
    std::int64_t days = 300;       //!< of trading that the load makes
    std::int64_t tradesPerDay = 1; //!< of a hundred customers' accounts
    bool full = false;             //!< model = full
    [[nodiscard]] std::size_t tables() const { return full ? kFullTables : kTables; }
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
    kOwnerOf, //!< from here on of the full model
    kBrokerOf,
    kCustomerOf,
    kRecentOf,
    kHoldingOf,
    kCompanyOf,
    kCompetitors,
    kDailyOf,
    kCloseOf,
    kListOf,
    kPageOf,
    kSettlementOf,
    kCashOf,
    kStatesOf,
    kRequestOf,
    kRequestsOf,
    kAddRequest,
    kDropRequest,
    kAddState,
    kAddSettlement,
    kAddCash,
    kLogHolding,
    kFees,
    kTradedVolume,
};
//! "2010-02-08 14:03:59", UTC.
[[nodiscard]] std::string_view dateTime(std::int64_t time, std::array<char, 20>& out);
[[nodiscard]] std::vector<TableSpec> tableSpecs(const Params& params, const SqlDialect& sql, const std::string& suffix);
//! `order`: how its rows come, and their entries in its indexes.
[[nodiscard]] RowFacts rowFacts(const Params& params, Table table, KeyOrder order);
[[nodiscard]] StatementSet requestStatements(const Params& params, const SqlDialect& sql);
[[nodiscard]] StatementSpec insertSpec(const Params& params, Table table, std::int64_t rows);
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
    //! Writes the row's texts to `out`, and what follows them.
    char* bindRow(char* out, Table table, std::int64_t row, std::uint64_t seed, std::vector<Param>& params) const;
    char* bindTexts(char* out, Table table, std::int64_t row, Random& random, std::vector<Param>& params) const;
    [[nodiscard]] Task<Outcome> readOnly(UserContext& user, Kind kind) const;
    [[nodiscard]] Task<Outcome> perform(UserContext& user, Kind kind, std::int64_t order) const;
    [[nodiscard]] Task<Outcome> giveOrder(UserContext& user, std::int64_t order) const;
    [[nodiscard]] Task<Outcome> fillOrder(UserContext& user, std::int64_t order) const;
    [[nodiscard]] Task<Outcome> moveMarket(UserContext& user) const;
    [[nodiscard]] Task<Outcome> movePrices(UserContext& user, std::array<std::int64_t, kTicks> securities) const;
    [[nodiscard]] Task<Outcome> updateTrades(UserContext& user) const;
    // The full model.
    struct Read
    {
        std::uint8_t statement = 0;
        std::int64_t key = 0;
        bool mustBe = true; //!< else it may find nothing
    };
    struct Filled;
    [[nodiscard]] Task<Outcome> performFull(UserContext& user, Kind kind, std::int64_t order) const;
    [[nodiscard]] Task<Outcome> readEach(UserContext& user, std::span<const Read> reads) const;
    [[nodiscard]] Task<Outcome> readFull(UserContext& user, Kind kind) const;
    [[nodiscard]] Task<Outcome> watchMarket(UserContext& user) const;
    [[nodiscard]] Task<Outcome> lookUpTrades(UserContext& user, bool changes) const;
    [[nodiscard]] Task<Outcome> addState(UserContext& user, std::int64_t order, std::string_view state,
                                         std::string_view now) const;
    [[nodiscard]] Task<Outcome> giveFullOrder(UserContext& user, std::int64_t order) const;
    [[nodiscard]] Task<Outcome> fillFullOrder(UserContext& user, std::int64_t order, std::int64_t& sold) const;
    [[nodiscard]] Task<Outcome> changeFilled(UserContext& user, const Filled& filled) const;
    [[nodiscard]] Task<Outcome> recordFilled(UserContext& user, const Filled& filled) const;
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
