// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The eleven transactions of the brokerage workload. Each is one operation, whose time is that of all its statements.
#include "workload/brokerage/brokerage.h"

#include <algorithm>
#include <ctime>
#include <span>

namespace dyno::brokerage {

namespace {

constexpr std::int64_t kCommissionCents = 100;
constexpr std::int64_t kWatched = 20;
constexpr std::int32_t kMissing = -404;
constexpr const char* kMissingText = "a row that must be there is not";

//! Of 1000 transactions, in the order of Kind: tpce-mysql's weights of the customers' side, a tenth and a hundredth for
//! the market's, and one for the maintenance.
constexpr std::array<std::int64_t, kKinds> kMix{190, 180, 140, 130, 101, 100, 80, 49, 20, 9, 1};

Kind drawKind(Random& random)
{
    std::int64_t left = random.uniform(0, 999);
    std::size_t kind = 0;
    while (left >= kMix[kind])
        left -= kMix[kind++];
    return Kind(kind);
}

template<std::size_t n>
Task<Reply> ask(UserContext& user, Statement statement, std::array<std::int64_t, n> values)
{
    std::array<Param, n> params;
    std::transform(values.begin(), values.end(), params.begin(), [](std::int64_t value) { return Param::of(value); });
    const Request request = Request::execute(StatementId(statement), params);
    const Reply reply = co_await user.step(request);
    user.countRows(reply.affected);
    co_return reply;
}

Task<Reply> frame(UserContext& user, RequestKind kind)
{
    const Request request = Request::step(kind);
    const Reply reply = co_await user.step(request);
    co_return reply;
}

//! A read that found nothing where something must be.
Outcome found(UserContext& user, const Reply& reply)
{
    return reply.outcome == Outcome::Ok && reply.rows == 0 ? user.reject(kMissing, kMissingText) : reply.outcome;
}

} // namespace

void BrokerageInstance::queue(std::int64_t order) const
{
    // Where 65 536 orders wait already the oldest is forgotten: it stays open in the table.
    m_ring[m_given.fetch_add(1, std::memory_order_relaxed) % kRing].store(order, std::memory_order_release);
}

std::int64_t BrokerageInstance::takeQueued() const
{
    std::uint64_t place = m_taken.load(std::memory_order_relaxed);
    while (place < m_given.load(std::memory_order_relaxed)) {
        if (m_ring[place % kRing].load(std::memory_order_acquire) == 0)
            return 0; // about to be given
        if (m_taken.compare_exchange_weak(place, place + 1, std::memory_order_relaxed))
            return m_ring[place % kRing].exchange(0, std::memory_order_acquire);
    }
    return 0;
}

void BrokerageInstance::traded(std::int64_t security) const
{
    m_traded[m_trades.fetch_add(1, std::memory_order_relaxed) % kTrades].store(security, std::memory_order_release);
}

// Two users that meet here may tell a trade twice or not at all: prices move all the same.
std::int64_t BrokerageInstance::takeTraded() const
{
    std::uint64_t place = m_told.load(std::memory_order_relaxed);
    for (;;) {
        const std::uint64_t trades = m_trades.load(std::memory_order_relaxed);
        if (place >= trades)
            return 0;
        const std::uint64_t first = trades - place > kTrades ? trades - kTrades : place;
        if (m_told.compare_exchange_weak(place, first + 1, std::memory_order_relaxed))
            return m_traded[first % kTrades].load(std::memory_order_acquire);
    }
}

Task<Outcome> BrokerageInstance::transaction(UserContext& user) const
{
    Kind kind = drawKind(user.random());
    std::int64_t order = 0;
    if (kind == Kind::TradeResult) {
        order = takeQueued();
        if (order == 0)
            kind = Kind::TradeOrder; // the market has nothing to fill
    }
    if (kind == Kind::TradeOrder)
        order = m_nextOrder.fetch_add(1, std::memory_order_relaxed);
    const std::int64_t startNs = nowNs();
    Outcome outcome = Outcome::Ok;
    if (m_params.full && kind != Kind::MarketFeed)
        outcome = co_await performFull(user, kind, order);
    else
        outcome = co_await perform(user, kind, order);
    user.recordOperation(OpId(kind), std::uint64_t(nowNs() - startNs), outcome == Outcome::Ok);
    const bool given = kind == Kind::TradeOrder && outcome == Outcome::Ok;
    const bool unfilled = kind == Kind::TradeResult && outcome != Outcome::Ok && outcome != Outcome::Rejected;
    if (given || unfilled)
        queue(order);
    co_return outcome;
}

Task<Outcome> BrokerageInstance::perform(UserContext& user, Kind kind, std::int64_t order) const
{
    Outcome outcome = Outcome::Ok;
    switch (kind) {
    case Kind::TradeOrder:
        outcome = co_await giveOrder(user, order);
        break;
    case Kind::TradeResult:
        outcome = co_await fillOrder(user, order);
        break;
    case Kind::TradeUpdate:
        outcome = co_await updateTrades(user);
        break;
    case Kind::MarketFeed:
        outcome = co_await moveMarket(user);
        break;
    default:
        outcome = co_await readOnly(user, kind);
        break;
    }
    co_return outcome;
}

//! One statement without BEGIN, or two.
Task<Outcome> BrokerageInstance::readOnly(UserContext& user, Kind kind) const
{
    Random& random = user.random();
    Reply reply;
    switch (kind) {
    case Kind::TradeStatus:
        reply = co_await ask<1>(user, kStatusOf, {account(random)});
        co_return reply.outcome;
    case Kind::MarketWatch: {
        const std::int64_t first = security(random);
        reply = co_await ask<2>(user, kWatch, {first, first + kWatched - 1});
        break;
    }
    case Kind::SecurityDetail: {
        const std::int64_t one = security(random);
        reply = co_await ask<1>(user, kSecurityOf, {one});
        if (const Outcome there = found(user, reply); there != Outcome::Ok)
            co_return there;
        reply = co_await ask<1>(user, kLastTrades, {one});
        co_return reply.outcome;
    }
    case Kind::CustomerPosition:
        reply = co_await ask<1>(user, kPositionOf, {random.uniform(1, m_params.customers)});
        break;
    case Kind::TradeLookup:
        reply = co_await ask<1>(user, kLookUp, {account(random)});
        co_return reply.outcome;
    case Kind::BrokerVolume:
        reply = co_await ask<1>(user, kVolumeOf, {random.uniform(1, m_params.brokers())});
        co_return reply.outcome;
    default: // data maintenance
        reply = co_await ask<2>(user, kMaintain, {random.uniform(1, 3), random.uniform(1, m_params.customers)});
        co_return reply.outcome;
    }
    co_return found(user, reply);
}

Task<Outcome> BrokerageInstance::giveOrder(UserContext& user, std::int64_t order) const
{
    Random& random = user.random();
    const std::int64_t owner = account(random), what = security(random), buys = random.uniform(0, 1),
                       quantity = 100 * random.uniform(1, 8);
    Reply reply = co_await frame(user, RequestKind::Begin);
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    reply = co_await ask<1>(user, kAccountOf, {owner});
    if (const Outcome there = found(user, reply); there != Outcome::Ok)
        co_return there;
    reply = co_await ask<1>(user, kPriceOf, {what});
    if (const Outcome there = found(user, reply); there != Outcome::Ok)
        co_return there;
    const std::int64_t price = user.kept().integer(0, 0);
    reply = co_await ask<7>(user, kGiveOrder,
                            {order, owner, what, buys, quantity, price, std::int64_t(std::time(nullptr))});
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    reply = co_await frame(user, RequestKind::Commit);
    co_return reply.outcome;
}

Task<Outcome> BrokerageInstance::fillOrder(UserContext& user, std::int64_t order) const
{
    Reply reply = co_await frame(user, RequestKind::Begin);
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    reply = co_await ask<1>(user, kTakeOrder, {order});
    if (const Outcome there = found(user, reply); there != Outcome::Ok)
        co_return there;
    const KeptRows& kept = user.kept();
    const std::int64_t owner = kept.integer(0, 0), what = kept.integer(0, 1), sign = kept.integer(0, 2) == 1 ? 1 : -1;
    const std::int64_t quantity = kept.integer(0, 3), price = kept.integer(0, 4);
    reply = co_await ask<1>(user, kFill, {order});
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    reply = co_await ask<3>(user, kHold, {sign * quantity, owner, what});
    if (reply.outcome == Outcome::Ok && reply.affected == 0)
        reply = co_await ask<3>(user, kHoldFirst, {owner, what, sign * quantity});
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    reply = co_await ask<2>(user, kSettle, {-sign * quantity * price - kCommissionCents, owner});
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    reply = co_await ask<1>(user, kAccountOf, {owner});
    if (const Outcome there = found(user, reply); there != Outcome::Ok)
        co_return there;
    const std::int64_t broker = user.kept().integer(0, 0);
    reply = co_await ask<2>(user, kCommission, {kCommissionCents, broker});
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    reply = co_await frame(user, RequestKind::Commit);
    if (reply.outcome == Outcome::Ok && what > 0) // the null target keeps no order
        traded(what);
    co_return reply.outcome;
}

Task<Outcome> BrokerageInstance::moveMarket(UserContext& user) const
{
    std::array<std::int64_t, kTicks> told, moved;
    for (std::size_t i = 0; i < kTicks; ++i) {
        told[i] = takeTraded();
        moved[i] = told[i] != 0 ? told[i] : security(user.random());
    }
    std::sort(moved.begin(), moved.end()); // feeds that meet wait for each other in one order
    const Outcome outcome = co_await movePrices(user, moved);
    for (std::size_t i = 0; outcome != Outcome::Ok && i < kTicks; ++i) {
        if (told[i] != 0)
            traded(told[i]); // for the next one
    }
    co_return outcome;
}

Task<Outcome> BrokerageInstance::movePrices(UserContext& user, std::array<std::int64_t, kTicks> securities) const
{
    Random& random = user.random();
    Reply reply = co_await frame(user, RequestKind::Begin);
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    for (const std::int64_t one : securities) {
        if (m_params.full) { // orders that wait for a price
            reply = co_await ask<1>(user, kRequestsOf, {one});
            if (reply.outcome != Outcome::Ok)
                co_return reply.outcome;
        }
        reply = co_await ask<3>(user, kMovePrice, {random.uniform(2000, 3000), 100 * random.uniform(1, 50), one});
        if (reply.outcome != Outcome::Ok)
            co_return reply.outcome;
    }
    reply = co_await frame(user, RequestKind::Commit);
    co_return reply.outcome;
}

Task<Outcome> BrokerageInstance::updateTrades(UserContext& user) const
{
    Random& random = user.random();
    Reply reply = co_await frame(user, RequestKind::Begin);
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    reply = co_await ask<1>(user, kNewest, {account(random)});
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    std::array<std::int64_t, 3> trades{};
    const std::size_t count = std::min(trades.size(), user.kept().rows());
    for (std::size_t i = 0; i < count; ++i)
        trades[i] = user.kept().integer(i, 0);
    for (std::size_t i = 0; i < count; ++i) {
        reply = co_await ask<1>(user, kNote, {trades[i]});
        if (reply.outcome != Outcome::Ok)
            co_return reply.outcome;
    }
    reply = co_await frame(user, RequestKind::Commit);
    co_return reply.outcome;
}

} // namespace dyno::brokerage
