// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The eleven transactions of the full model, with as many statements as were counted beside tpce-mysql: 11 reads, a
//! little over one change, 0.8 inserts and 0.1 deletes for each.
#include "workload/brokerage/brokerage.h"

#include <array>
#include <chrono>
#include <ctime>
#include <fmt/format.h>
#include <span>

namespace dyno::brokerage {

namespace {

constexpr std::int64_t kFeeCents = 100;
constexpr std::size_t kWatchedOnes = 5; //!< securities whose prices a market_watch asks for
constexpr std::int32_t kNotThere = -404;
constexpr const char* kNotThereText = "a row that must be there is not";
constexpr std::string_view kPlaced = "PNDG", kSubmitted = "SBMT", kCompleted = "CMPT";

Task<Reply> askFull(UserContext& user, std::uint8_t statement, std::span<const Param> params)
{
    const Request request = Request::execute(StatementId(statement), params);
    const Reply reply = co_await user.step(request);
    user.countRows(reply.affected);
    co_return reply;
}

template<std::size_t n>
std::array<Param, n> numbers(const std::int64_t (&values)[n])
{
    std::array<Param, n> params;
    for (std::size_t i = 0; i < n; ++i)
        params[i] = Param::of(values[i]);
    return params;
}

Outcome foundFull(UserContext& user, const Reply& reply)
{
    return reply.outcome == Outcome::Ok && reply.rows == 0 ? user.reject(kNotThere, kNotThereText) : reply.outcome;
}

using Clock = std::array<char, 20>;
//! "2010-02-08 14:03:59", UTC.
std::string_view clockOf(std::int64_t time, Clock& out)
{
    using namespace std::chrono;
    const sys_seconds at{seconds(time)};
    const sys_days day = floor<days>(at);
    const year_month_day date(day);
    const hh_mm_ss clock(at - day);
    const auto written = fmt::format_to_n(out.data(), out.size(), "{:04}-{:02}-{:02} {:02}:{:02}:{:02}",
                                          int(date.year()), unsigned(date.month()), unsigned(date.day()),
                                          clock.hours().count(), clock.minutes().count(), clock.seconds().count());
    return {out.data(), written.size};
}

} // namespace

std::string_view dateTime(std::int64_t time, std::array<char, 20>& out)
{
    return clockOf(time, out);
}

Task<Outcome> BrokerageInstance::performFull(UserContext& user, Kind kind, std::int64_t order) const
{
    const Request begin = Request::step(RequestKind::Begin);
    Reply reply = co_await user.step(begin);
    Outcome outcome = reply.outcome;
    std::int64_t sold = 0; // the security of a trade
    if (outcome == Outcome::Ok) {
        switch (kind) {
        case Kind::TradeOrder:
            outcome = co_await giveFullOrder(user, order);
            break;
        case Kind::TradeResult:
            outcome = co_await fillFullOrder(user, order, sold);
            break;
        case Kind::TradeLookup:
        case Kind::TradeUpdate:
            outcome = co_await lookUpTrades(user, kind == Kind::TradeUpdate);
            break;
        case Kind::MarketWatch:
            outcome = co_await watchMarket(user);
            break;
        default:
            outcome = co_await readFull(user, kind);
            break;
        }
    }
    if (outcome == Outcome::Ok) {
        const Request commit = Request::step(RequestKind::Commit);
        reply = co_await user.step(commit);
        outcome = reply.outcome;
    }
    if (outcome == Outcome::Ok && sold > 0)
        traded(sold);
    co_return outcome;
}

//! A list of reads of which each must find something.
Task<Outcome> BrokerageInstance::readEach(UserContext& user, std::span<const Read> reads) const
{
    for (const Read& read : reads) {
        const std::array<Param, 1> key{Param::of(read.key)};
        const Reply reply = co_await askFull(user, read.statement, key);
        const Outcome outcome = read.mustBe ? foundFull(user, reply) : reply.outcome;
        if (outcome != Outcome::Ok)
            co_return outcome;
    }
    co_return Outcome::Ok;
}

Task<Outcome> BrokerageInstance::readFull(UserContext& user, Kind kind) const
{
    Random& random = user.random();
    Outcome outcome = Outcome::Ok;
    switch (kind) {
    case Kind::TradeStatus: {
        const std::int64_t owner = account(random);
        const std::array<Read, 2> reads{{{kOwnerOf, owner}, {kStatusOf, owner, false}}};
        outcome = co_await readEach(user, reads);
        break;
    }
    case Kind::SecurityDetail: {
        const std::int64_t one = security(random);
        const std::array<Read, 6> reads{{{kSecurityOf, one},
                                         {kCompanyOf, one},
                                         {kCompetitors, one % kIndustries},
                                         {kDailyOf, one},
                                         {kLastTrades, one, false},
                                         {kPriceOf, one}}};
        outcome = co_await readEach(user, reads);
        break;
    }
    case Kind::CustomerPosition: {
        const std::int64_t one = random.uniform(1, m_params.customers);
        const std::array<Read, 3> reads{{{kCustomerOf, one}, {kPositionOf, one}, {kRecentOf, 5 * one, false}}};
        outcome = co_await readEach(user, reads);
        break;
    }
    case Kind::BrokerVolume: {
        const std::array<Read, 1> reads{{{kVolumeOf, random.uniform(1, m_params.brokers()), false}}};
        outcome = co_await readEach(user, reads);
        break;
    }
    default: { // data maintenance
        const auto change = numbers({random.uniform(1, 3), random.uniform(1, m_params.customers)});
        const Reply reply = co_await askFull(user, kMaintain, change);
        outcome = reply.outcome;
        break;
    }
    }
    co_return outcome;
}

Task<Outcome> BrokerageInstance::watchMarket(UserContext& user) const
{
    Random& random = user.random();
    const auto who = numbers({random.uniform(1, m_params.customers)});
    Reply reply = co_await askFull(user, kListOf, who);
    if (const Outcome there = foundFull(user, reply); there != Outcome::Ok)
        co_return there;
    std::array<std::int64_t, kWatchedOnes> watched{};
    for (std::size_t i = 0; i < watched.size(); ++i)
        watched[i] = user.kept().integer(i, 0, 1);
    const std::int64_t day = random.uniform(0, m_params.days - 1);
    for (const std::int64_t one : watched) {
        const auto price = numbers({one});
        reply = co_await askFull(user, kPriceOf, price);
        if (const Outcome there = foundFull(user, reply); there != Outcome::Ok)
            co_return there;
        const auto close = numbers({one, day});
        reply = co_await askFull(user, kCloseOf, close);
        if (const Outcome there = foundFull(user, reply); there != Outcome::Ok)
            co_return there;
    }
    co_return Outcome::Ok;
}

//! Twenty trades that follow each other, each with its settlement, payment and states; an update changes each, too.
Task<Outcome> BrokerageInstance::lookUpTrades(UserContext& user, bool changes) const
{
    Random& random = user.random();
    const std::int64_t most = std::max<std::int64_t>(1, m_params.trades() - std::int64_t(kPage) + 1);
    const auto first = numbers({random.uniform(1, most)});
    Reply reply = co_await askFull(user, kPageOf, first);
    if (const Outcome there = foundFull(user, reply); there != Outcome::Ok)
        co_return there;
    std::array<std::int64_t, kPage> trades{};
    const std::size_t count = std::min(trades.size(), user.kept().rows());
    for (std::size_t i = 0; i < count; ++i)
        trades[i] = user.kept().integer(i, 0, 1);
    for (std::size_t i = 0; i < count; ++i) {
        const auto key = numbers({trades[i]});
        for (const std::uint8_t statement : {kSettlementOf, kCashOf, kStatesOf}) {
            reply = co_await askFull(user, statement, key);
            if (reply.outcome != Outcome::Ok)
                co_return reply.outcome;
        }
        if (!changes)
            continue;
        reply = co_await askFull(user, kNote, key);
        if (reply.outcome != Outcome::Ok)
            co_return reply.outcome;
    }
    co_return Outcome::Ok;
}

Task<Outcome> BrokerageInstance::addState(UserContext& user, std::int64_t order, std::string_view state,
                                          std::string_view now) const
{
    const std::array<Param, 3> row{Param::of(order), Param::of(state), Param::of(now)};
    const Reply reply = co_await askFull(user, kAddState, row);
    co_return reply.outcome;
}

Task<Outcome> BrokerageInstance::giveFullOrder(UserContext& user, std::int64_t order) const
{
    Random& random = user.random();
    const std::int64_t owner = account(random), what = security(random), buys = random.uniform(0, 1),
                       quantity = 100 * random.uniform(1, 8);
    const std::array<Read, 2> account{{{kOwnerOf, owner}, {kAccountOf, owner}}};
    Outcome outcome = co_await readEach(user, account);
    if (outcome != Outcome::Ok)
        co_return outcome;
    const std::int64_t broker = user.kept().integer(0, 0, 1);
    const std::array<Read, 5> reads{
        {{kBrokerOf, broker}, {kSecurityOf, what}, {kCompanyOf, what}, {kRecentOf, owner, false}, {kPriceOf, what}}};
    outcome = co_await readEach(user, reads);
    if (outcome != Outcome::Ok)
        co_return outcome;
    const std::int64_t price = user.kept().integer(0, 0, 2500);
    const auto holding = numbers({owner, what});
    Reply reply = co_await askFull(user, kHoldingOf, holding);
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    const std::int64_t time = std::time(nullptr);
    Clock clock;
    const std::string_view now = clockOf(time, clock), type = buys == 1 ? "TMB" : "TMS";
    const std::array<Param, 9> row{Param::of(order), Param::of(owner),    Param::of(what),
                                   Param::of(buys),  Param::of(quantity), Param::of(price),
                                   Param::of(time),  Param::of(type),     Param::of(now)};
    reply = co_await askFull(user, kGiveOrder, row);
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    const std::array<Param, 4> waits{Param::of(order), Param::of(what), Param::of(type),
                                     Param::of(double(price) / 100)};
    reply = co_await askFull(user, kAddRequest, waits);
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    outcome = co_await addState(user, order, kPlaced, now);
    if (outcome == Outcome::Ok)
        outcome = co_await addState(user, order, kSubmitted, now);
    co_return outcome;
}

//! What is known of an order that is filled.
struct BrokerageInstance::Filled
{
    std::int64_t order = 0, owner = 0, what = 0, sign = 1, quantity = 0, price = 0, broker = 0, held = 0;
};

Task<Outcome> BrokerageInstance::fillFullOrder(UserContext& user, std::int64_t order, std::int64_t& sold) const
{
    Filled filled;
    filled.order = order;
    const auto key = numbers({order});
    Reply reply = co_await askFull(user, kTakeOrder, key);
    if (const Outcome there = foundFull(user, reply); there != Outcome::Ok)
        co_return there;
    const KeptRows& kept = user.kept();
    filled.owner = kept.integer(0, 0, 1);
    filled.what = kept.integer(0, 1); // 0: the null target keeps no order
    filled.sign = kept.integer(0, 2) == 1 ? 1 : -1;
    filled.quantity = kept.integer(0, 3);
    filled.price = kept.integer(0, 4);
    const std::array<Read, 4> reads{
        {{kRequestOf, order}, {kOwnerOf, filled.owner}, {kPriceOf, filled.what}, {kAccountOf, filled.owner}}};
    Outcome outcome = co_await readEach(user, reads);
    if (outcome != Outcome::Ok)
        co_return outcome;
    filled.broker = user.kept().integer(0, 0, 1);
    const auto holding = numbers({filled.owner, filled.what});
    reply = co_await askFull(user, kHoldingOf, holding);
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    filled.held = reply.rows > 0 ? user.kept().integer(0, 0) : 0;
    outcome = co_await changeFilled(user, filled);
    if (outcome == Outcome::Ok)
        outcome = co_await recordFilled(user, filled);
    if (outcome == Outcome::Ok)
        sold = filled.what;
    co_return outcome;
}

Task<Outcome> BrokerageInstance::changeFilled(UserContext& user, const Filled& filled) const
{
    const std::int64_t moved = filled.sign * filled.quantity;
    const auto key = numbers({filled.order});
    Reply reply = co_await askFull(user, kFill, key);
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    const std::array<Param, 2> fee{Param::of(double(kFeeCents) / 100), Param::of(filled.order)};
    reply = co_await askFull(user, kFees, fee);
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    const auto hold = numbers({moved, filled.owner, filled.what});
    reply = co_await askFull(user, kHold, hold);
    if (reply.outcome == Outcome::Ok && reply.affected == 0) {
        const auto first = numbers({filled.owner, filled.what, moved});
        reply = co_await askFull(user, kHoldFirst, first);
    }
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    const auto settle = numbers({-moved * filled.price - kFeeCents, filled.owner});
    reply = co_await askFull(user, kSettle, settle);
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    const auto commission = numbers({kFeeCents, filled.broker});
    reply = co_await askFull(user, kCommission, commission);
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    const auto volume = numbers({filled.quantity, filled.what}); // the last lock: feeds take several of these
    reply = co_await askFull(user, kTradedVolume, volume);
    co_return reply.outcome;
}

Task<Outcome> BrokerageInstance::recordFilled(UserContext& user, const Filled& filled) const
{
    Clock clock, dueClock;
    const std::int64_t time = std::time(nullptr);
    const std::string_view now = clockOf(time, clock), due = clockOf(time + 2 * 86'400, dueClock).substr(0, 10);
    const auto key = numbers({filled.order});
    Reply reply = co_await askFull(user, kDropRequest, key);
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    const Outcome state = co_await addState(user, filled.order, kCompleted, now);
    if (state != Outcome::Ok)
        co_return state;
    const double amount = double(filled.quantity * filled.price) / 100;
    const std::array<Param, 4> settlement{Param::of(filled.order), Param::of(std::string_view("Cash Account")),
                                          Param::of(due), Param::of(amount)};
    reply = co_await askFull(user, kAddSettlement, settlement);
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    const std::array<Param, 4> cash{Param::of(filled.order), Param::of(now), Param::of(-double(filled.sign) * amount),
                                    Param::of(std::string_view(filled.sign > 0 ? "bought shares" : "sold shares"))};
    reply = co_await askFull(user, kAddCash, cash);
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    const auto log = numbers({filled.order, filled.owner, filled.held, filled.held + filled.sign * filled.quantity});
    reply = co_await askFull(user, kLogHolding, log);
    co_return reply.outcome;
}

} // namespace dyno::brokerage
