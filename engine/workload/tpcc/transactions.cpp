// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The five transactions, in the order of the specification's clauses 2.4 to 2.8. Where the target keeps no data (null)
//! each read finds something plausible.
#include "workload/tpcc/tpcc.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace dyno::tpcc {

namespace {

constexpr std::int32_t kMissing = -404;
constexpr const char* kMissingText =
    "a row that must be there is not: the data are of another size, or another load is under way";
constexpr std::int32_t kRolledBack = -1;
constexpr const char* kRolledBackText =
    "a new order was rolled back because of its item, which the profile counts as an error";
constexpr std::size_t kDataLength = 500; //!< of c_data
//! Think times and decks have their own random streams, apart from those of the users and of the load's rows.
constexpr std::uint64_t kThinkStreams = std::uint64_t(1) << 41;
constexpr std::uint64_t kDeckStreams = std::uint64_t(1) << 42;
constexpr std::int64_t kDeck = 23;   //!< cards of tpcc-mysql's mix
constexpr int kPurges = 10;          //!< of a purge, each a transaction
constexpr double kLongestThink = 10; //!< means: clause 5.2.5.4 lets the distribution be cut there

//! The mix of the other programs: Params::cards().
Kind kindOf(std::int64_t card)
{
    return card <= 10 ? Kind::NewOrder : card <= 20 ? Kind::Payment : Kind(card - 21 + std::int64_t(Kind::OrderStatus));
}

//! The card of this transaction; decks are shuffled as Fisher and Yates do it.
Kind dealtKind(const UserContext& user)
{
    std::array<std::int64_t, kDeck> cards;
    std::iota(cards.begin(), cards.end(), 1);
    Random random = Random::forItem(user.seed(), kDeckStreams + user.stream(), user.sequence() / kDeck);
    for (std::size_t left = cards.size() - 1; left > 0; --left)
        std::swap(cards[left], cards[std::size_t(random.uniform(0, std::int64_t(left)))]);
    return kindOf(cards[user.sequence() % kDeck]);
}

Task<Reply> ask(UserContext& user, std::uint32_t statement, std::span<const Param> params)
{
    const Request request = Request::execute(StatementId(statement), params);
    const Reply reply = co_await user.step(request);
    co_return reply;
}

Param of(std::int64_t value)
{
    return Param::of(value);
}

Task<Outcome> frame(UserContext& user, RequestKind kind)
{
    const Request request = Request::step(kind);
    const Reply reply = co_await user.step(request);
    co_return reply.outcome;
}

//! A read that found nothing, or what an answer says.
Outcome found(UserContext& user, const Reply& reply)
{
    if (reply.outcome == Outcome::Ok && reply.rows == 0)
        return user.reject(kMissing, kMissingText);
    return reply.outcome;
}

std::string_view clockText(std::array<char, 20>& out)
{
    using namespace std::chrono;
    const auto now = floor<seconds>(system_clock::now());
    const sys_days day = floor<days>(now);
    const year_month_day date(day);
    const hh_mm_ss time(now - day);
    const auto written = fmt::format_to_n(out.data(), out.size(), "{:04}-{:02}-{:02} {:02}:{:02}:{:02}",
                                          int(date.year()), unsigned(date.month()), unsigned(date.day()),
                                          time.hours().count(), time.minutes().count(), time.seconds().count());
    return {out.data(), written.size};
}

} // namespace

Kind TpccInstance::drawKind(UserContext& user) const
{
    Random& random = user.random();
    if (m_params.sysbench())
        return kindOf(random.uniform(1, m_params.cards()));
    if (m_params.compat())
        return dealtKind(user);
    const std::int64_t drawn = random.uniform(1, 100);
    return drawn <= 45   ? Kind::NewOrder
           : drawn <= 88 ? Kind::Payment
           : drawn <= 92 ? Kind::OrderStatus
           : drawn <= 96 ? Kind::Delivery
                         : Kind::StockLevel;
}

Pauses TpccInstance::pauses(UserContext& user) const
{
    const auto kind = std::size_t(drawKind(user)); // the first draw of transaction() too
    Random random = Random::forItem(user.seed(), kThinkStreams + user.number(), user.sequence());
    const double means = std::min(-std::log1p(-random.unit()), kLongestThink);
    return {std::int64_t(m_params.keying * kKeyingSeconds[kind] * 1e9),
            std::int64_t(m_params.thinking * kThinkSeconds[kind] * means * 1e9)};
}

Task<Outcome> TpccInstance::transaction(UserContext& user) const
{
    Random& random = user.random();
    if (user.buffer().size() < 2 * kDataLength)
        user.buffer().resize(2 * kDataLength);
    const Kind kind = drawKind(user);
    Work work;
    work.warehouse = m_params.homeWarehouse ? std::int64_t(indexOf(user.user())) % m_params.warehouses + 1
                                            : random.uniform(1, m_params.warehouses);
    work.district = random.uniform(1, kDistricts);
    work.time = clockText(work.now);
    const std::int64_t startNs = nowNs();
    Outcome outcome = co_await frame(user, RequestKind::Begin);
    if (outcome == Outcome::Ok) {
        switch (kind) {
        case Kind::NewOrder:
            outcome = co_await newOrder(user, work);
            break;
        case Kind::Payment:
            outcome = co_await payment(user, work);
            break;
        case Kind::OrderStatus:
            outcome = co_await orderStatus(user, work);
            break;
        case Kind::Delivery:
            outcome = co_await delivery(user, work);
            break;
        case Kind::StockLevel:
            outcome = co_await stockLevel(user, work);
            break;
        case Kind::Purge:
            outcome = co_await purge(user, work);
            break;
        }
    }
    if (outcome == Outcome::Ok)
        outcome = co_await frame(user, work.rolledBack ? RequestKind::Rollback : RequestKind::Commit);
    if (outcome == Outcome::Ok && work.rolledBack) {
        if (m_params.sysbench())
            outcome = user.reject(kRolledBack, kRolledBackText);
        else
            user.noteRollback();
        work.affected = 0;
    }
    user.recordOperation(OpId(kind), std::uint64_t(nowNs() - startNs), outcome == Outcome::Ok);
    if (outcome == Outcome::Ok)
        user.countRows(work.affected);
    co_return outcome;
}

Task<Outcome> TpccInstance::newOrder(UserContext& user, Work& work) const
{
    Random& random = user.random();
    const std::int64_t customer = m_values.customer(random), lines = random.uniform(5, 15);
    const bool rollsBack = random.uniform(1, 100) == 1;
    const std::array<Param, 3> who{of(work.warehouse), of(work.district), of(customer)};
    const Reply taxed = co_await ask(user, kCustomerTax, who);
    if (const Outcome outcome = found(user, taxed); outcome != Outcome::Ok)
        co_return outcome;
    const double discount = user.kept().real(0, 0, 0), warehouseTax = user.kept().real(0, 3, 0);
    const Reply next = co_await ask(user, kDistrictNext, std::span(who).first(2));
    if (const Outcome outcome = found(user, next); outcome != Outcome::Ok)
        co_return outcome;
    const std::int64_t order = user.kept().integer(0, 0, m_params.customers + 1);
    const double charge = m_params.compat() ? (1 + warehouseTax + user.kept().real(0, 1, 0)) * (1 - discount) : 1;
    const std::array<Param, 3> count{of(order + 1), who[0], who[1]};
    Reply done = co_await ask(user, kDistrictCount, count);
    if (done.outcome != Outcome::Ok)
        co_return done.outcome;
    // Where each line is delivered from has to be known before the order is written.
    std::array<Line, 15> all;
    const std::span<Line> ordered = std::span(all).first(std::size_t(lines));
    bool local = true;
    for (Line& line : ordered) {
        const bool remote = random.uniform(1, 100) == 1;
        line.supplier = remote ? m_values.otherWarehouse(random, work.warehouse) : work.warehouse;
        line.order = order;
        line.charge = charge;
        local = local && (m_params.compat() ? !remote : line.supplier == work.warehouse);
    }
    const std::array<Param, 7> head{of(order),        of(work.district),    of(work.warehouse),
                                    of(customer),     Param::of(work.time), of(lines),
                                    of(local ? 1 : 0)};
    done = co_await ask(user, kAddOrder, head);
    if (done.outcome != Outcome::Ok)
        co_return done.outcome;
    done = co_await ask(user, kAddNewOrder, std::span(head).first(3));
    if (done.outcome != Outcome::Ok)
        co_return done.outcome;
    work.affected += 3;
    drawLines(random, ordered, rollsBack);
    for (Line& line : ordered) {
        const Outcome outcome = co_await orderLine(user, work, line);
        if (outcome != Outcome::Ok)
            co_return outcome;
        if (line.missing) {
            work.rolledBack = true;
            co_return Outcome::Ok;
        }
    }
    co_return Outcome::Ok;
}

void TpccInstance::drawLines(Random& random, std::span<Line> lines, bool rollsBack) const
{
    for (Line& line : lines) {
        line.item = m_values.item(random);
        line.quantity = random.uniform(1, 10);
    }
    if (rollsBack && m_params.sysbench())
        lines[lines.size() - 2].item = -1;
    else if (rollsBack)
        lines.back().item = m_params.items + 1;
    if (m_params.sortedLines)
        std::ranges::sort(lines, {}, [](const Line& line) { return std::pair(line.supplier, line.item); });
    for (std::size_t i = 0; i < lines.size(); ++i)
        lines[i].number = std::int64_t(i) + 1;
}

Task<Outcome> TpccInstance::orderLine(UserContext& user, Work& work, Line& line) const
{
    const bool exists = line.item >= 1 && line.item <= m_params.items;
    const std::array<Param, 1> item{of(line.item)};
    const Reply priced = co_await ask(user, kItemPrice, item);
    if (priced.outcome != Outcome::Ok)
        co_return priced.outcome;
    if (!exists) {
        line.missing = true;
        co_return Outcome::Ok;
    }
    if (const Outcome outcome = found(user, priced); outcome != Outcome::Ok)
        co_return outcome;
    const double price = user.kept().real(0, 0, 1);
    const std::array<Param, 2> stock{of(line.supplier), item[0]};
    const Reply stocked = co_await ask(user, kStockOfDistrict + std::uint32_t(work.district - 1), stock);
    if (const Outcome outcome = found(user, stocked); outcome != Outcome::Ok)
        co_return outcome;
    const std::int64_t quantity = user.kept().integer(0, 0, 50);
    std::array<char, 24> info{};
    const std::string_view kept = user.kept().at(0, m_params.tpccMysql() ? std::size_t(1 + work.district) : 2).text;
    const std::size_t infoLength = kept.copy(info.data(), info.size());
    const bool enough = m_params.compat() ? quantity > line.quantity : quantity >= line.quantity + 10;
    const Param left = of(quantity - line.quantity + (enough ? 0 : 91));
    const std::array<Param, 5> full{left, of(line.quantity), of(line.supplier == work.warehouse ? 0 : 1), stock[0],
                                    stock[1]};
    const std::array<Param, 3> shortForm{left, stock[0], stock[1]};
    const std::span<const Param> change =
        m_params.compat() ? std::span<const Param>(shortForm) : std::span<const Param>(full);
    Reply done = co_await ask(user, kStockChange, change);
    if (done.outcome != Outcome::Ok)
        co_return done.outcome;
    const double charged = price * double(line.quantity) * line.charge;
    const double amount = m_params.sysbench() ? std::trunc(charged)
                          : m_params.compat() ? std::round(charged * 100) / 100
                                              : charged; // as columns have it
    const std::array<Param, 9> row{
        of(line.order),    of(work.district), of(work.warehouse),
        of(line.number),   item[0],           stock[0],
        of(line.quantity), Param::of(amount), Param::of(std::string_view(info.data(), infoLength))};
    done = co_await ask(user, kAddLine, row);
    work.affected += 2;
    co_return done.outcome;
}

Task<Outcome> TpccInstance::findCustomer(UserContext& user, Customer& customer, bool status) const
{
    Random& random = user.random();
    if (random.uniform(1, 100) > 60) {
        customer.id = m_values.customer(random);
        co_return Outcome::Ok;
    }
    std::array<char, 16> name;
    char* const end = Values::lastName(name.data(), m_values.name(random));
    const std::string_view text(name.data(), std::size_t(end - name.data()));
    const std::array<Param, 3> params{of(customer.warehouse), of(customer.district), Param::of(text)};
    const bool whole = m_params.compat() && status; // the list has what a status shows
    if (m_params.compat()) {
        const Reply counted = co_await ask(user, kCountByName, params);
        if (counted.outcome != Outcome::Ok)
            co_return counted.outcome;
    }
    const Reply named = co_await ask(user, whole ? kStatusByName : kCustomersByName, params);
    if (const Outcome outcome = found(user, named); outcome != Outcome::Ok)
        co_return outcome;
    customer.byName = true;
    if (whole && !m_params.sysbench()) { // tpcc-mysql's list is without numbers
        customer.id = m_values.customer(random);
        co_return Outcome::Ok;
    }
    // The one in the middle; sysbench-tpcc takes the one behind it, whether their number is even or odd, unless there
    // is one only.
    const std::size_t rows = std::max<std::size_t>(1, user.kept().rows());
    const std::size_t even = rows % 2 == 1 && rows > 1 ? rows + 1 : rows;
    const std::size_t place = m_params.sysbench() ? std::min(even / 2, rows - 1) : (rows - 1) / 2;
    customer.id = user.kept().integer(place, whole ? 3 : 0, 1);
    co_return Outcome::Ok;
}

Task<Outcome> TpccInstance::payment(UserContext& user, Work& work) const
{
    Random& random = user.random();
    const double amount = m_params.sysbench() ? double(random.uniform(1, 5000)) : m_values.money(random, 100, 500'000);
    Customer customer{work.warehouse, work.district, 0};
    if (random.uniform(1, 100) > 85) {
        customer.warehouse = m_values.otherWarehouse(random, work.warehouse);
        customer.district = random.uniform(1, kDistricts);
    }
    const std::array<Param, 3> pay{Param::of(amount), of(work.warehouse), of(work.district)};
    const std::span<const Param> place = std::span(pay).last(2);
    Reply done = co_await ask(user, kWarehousePay, std::span(pay).first(2));
    if (done.outcome != Outcome::Ok)
        co_return done.outcome;
    done = co_await ask(user, kWarehouseAddress, place.first(1));
    if (const Outcome outcome = found(user, done); outcome != Outcome::Ok)
        co_return outcome;
    std::array<char, 10> name{};
    const std::string_view warehouse(name.data(), user.kept().at(0, 5).text.copy(name.data(), name.size()));
    done = co_await ask(user, kDistrictPay, pay);
    if (done.outcome != Outcome::Ok)
        co_return done.outcome;
    done = co_await ask(user, kDistrictAddress, place);
    if (const Outcome outcome = found(user, done); outcome != Outcome::Ok)
        co_return outcome;
    std::array<char, 24> names{};
    const std::string_view district = user.kept().at(0, 5).text;
    const auto named = m_params.sysbench()
                           ? fmt::format_to_n(names.data(), names.size(), "{:>10} {:>10}   ", warehouse, district)
                           : fmt::format_to_n(names.data(), names.size(), "{}    {}", warehouse, district);
    const std::size_t length = std::min(named.size, names.size());
    Outcome outcome = co_await findCustomer(user, customer, false);
    if (outcome != Outcome::Ok)
        co_return outcome;
    outcome = co_await payCustomer(user, work, customer, amount);
    if (outcome != Outcome::Ok)
        co_return outcome;
    const std::array<Param, 8> history{of(customer.district), of(customer.warehouse),
                                       of(customer.id),       of(work.district),
                                       of(work.warehouse),    Param::of(work.time),
                                       Param::of(amount),     Param::of(std::string_view(names.data(), length))};
    done = co_await ask(user, kAddHistory, history);
    work.affected += 4;
    co_return done.outcome;
}

Task<Outcome> TpccInstance::payCustomer(UserContext& user, Work& work, Customer customer, double amount) const
{
    const std::array<Param, 3> key{of(customer.warehouse), of(customer.district), of(customer.id)};
    const Reply who = co_await ask(user, kCustomerForPayment, key);
    if (const Outcome outcome = found(user, who); outcome != Outcome::Ok)
        co_return outcome;
    // sysbench-tpcc writes the sums, the others what they differ by.
    const Param balance = Param::of(m_params.sysbench() ? user.kept().real(0, 12) - amount : amount);
    const Param sum = Param::of(m_params.sysbench() ? user.kept().real(0, 13) + amount : amount);
    if (user.kept().at(0, 0).text != "BC") {
        const std::array<Param, 5> paid{balance, sum, key[0], key[1], key[2]};
        const Reply done = co_await ask(user, kCustomerPay, paid);
        co_return done.outcome;
    }
    const Reply data = co_await ask(user, kCustomerData, key);
    if (const Outcome outcome = found(user, data); outcome != Outcome::Ok)
        co_return outcome;
    char* const text = user.buffer().data();
    const auto written =
        m_params.sysbench()
            ? fmt::format_to_n(text, kDataLength, "| {:4} {:2} {:4} {:2} {:4} ${:7.2f} {:12} ", customer.id,
                               customer.district, customer.warehouse, work.district, work.warehouse, amount,
                               std::time(nullptr))
            : fmt::format_to_n(text, kDataLength, "{} {} {} {} {} {:.2f} | ", customer.id, customer.district,
                               customer.warehouse, work.district, work.warehouse, amount);
    const std::size_t length =
        written.size + user.kept().at(0, 0).text.copy(text + written.size, kDataLength - written.size);
    const std::array<Param, 6> paid{balance, sum, Param::of(std::string_view(text, length)), key[0], key[1], key[2]};
    const Reply done = co_await ask(user, kCustomerPayData, paid);
    co_return done.outcome;
}

Task<Outcome> TpccInstance::orderStatus(UserContext& user, Work& work) const
{
    Customer customer{work.warehouse, work.district, 0};
    const Outcome who = co_await findCustomer(user, customer, true);
    if (who != Outcome::Ok)
        co_return who;
    const Param warehouse = of(work.warehouse), district = of(work.district), id = of(customer.id);
    const std::array<Param, 6> twice{warehouse, district, id, warehouse, district, id};
    const std::span<const Param> key = std::span(twice).first(3);
    Reply done;
    if (!customer.byName || !m_params.compat()) {
        done = co_await ask(user, kCustomerStatus, key);
        if (const Outcome outcome = found(user, done); outcome != Outcome::Ok)
            co_return outcome;
    }
    done = co_await ask(user, kLastOrder, m_params.tpccMysql() ? std::span<const Param>(twice) : key);
    if (const Outcome outcome = found(user, done); outcome != Outcome::Ok)
        co_return outcome;
    const std::int64_t order = user.kept().integer(0, 0, 1);
    const std::array<Param, 3> lines{key[0], key[1], of(m_params.sysbench() ? work.district : order)};
    done = co_await ask(user, kOrderLines, lines);
    co_return done.outcome;
}

Task<Outcome> TpccInstance::delivery(UserContext& user, Work& work) const
{
    const std::int64_t carrier = user.random().uniform(1, 10);
    for (std::int64_t district = 1; district <= kDistricts; ++district) {
        // tpcc-mysql stays in a transaction that has delivered nothing.
        if (std::exchange(work.delivered, false) && m_params.deliversByDistrict) {
            const Outcome next = co_await nextTransaction(user, work);
            if (next != Outcome::Ok)
                co_return next;
        }
        const Outcome outcome = co_await deliver(user, work, district, carrier);
        if (outcome != Outcome::Ok)
            co_return outcome;
    }
    co_return Outcome::Ok;
}

//! What was done so far stays, whatever becomes of the rest.
Task<Outcome> TpccInstance::nextTransaction(UserContext& user, Work& work) const
{
    Outcome outcome = co_await frame(user, RequestKind::Commit);
    if (outcome == Outcome::Ok) {
        user.countRows(std::exchange(work.affected, 0));
        outcome = co_await frame(user, RequestKind::Begin);
    }
    co_return outcome;
}

Task<Outcome> TpccInstance::deliver(UserContext& user, Work& work, std::int64_t district, std::int64_t carrier) const
{
    const Param warehouse = of(work.warehouse);
    std::array<Param, 3> key{warehouse, of(district), {}};
    Reply done = co_await ask(user, kOldestNewOrder, std::span(key).first(2));
    if (done.outcome != Outcome::Ok || done.rows == 0) // none is left: the specification skips the district
        co_return done.outcome;
    const std::int64_t order = user.kept().integer(0, 0, 1);
    if (order == 0) // as MIN says it
        co_return Outcome::Ok;
    work.delivered = true;
    key[2] = of(order);
    done = co_await ask(user, kDeleteNewOrder, key);
    if (done.outcome != Outcome::Ok)
        co_return done.outcome;
    work.affected += done.affected; // none where, without a lock, another user was faster
    done = co_await ask(user, kOrderCustomer, key);
    if (const Outcome outcome = found(user, done); outcome != Outcome::Ok)
        co_return outcome;
    const std::int64_t customer = user.kept().integer(0, 0, 1);
    const std::array<Param, 4> carried{of(carrier), key[0], key[1], key[2]};
    done = co_await ask(user, kOrderCarrier, carried);
    if (done.outcome != Outcome::Ok)
        co_return done.outcome;
    const std::array<Param, 4> delivered{Param::of(work.time), key[0], key[1], key[2]};
    done = co_await ask(user, kLinesDelivered, delivered);
    if (done.outcome != Outcome::Ok)
        co_return done.outcome;
    work.affected += 2 + done.affected;
    done = co_await ask(user, kLinesAmount, key);
    if (const Outcome outcome = found(user, done); outcome != Outcome::Ok)
        co_return outcome;
    const std::array<Param, 4> credited{Param::of(user.kept().real(0, 0)), key[0], key[1], of(customer)};
    done = co_await ask(user, kCustomerDelivered, credited);
    co_return done.outcome;
}

Task<Outcome> TpccInstance::stockLevel(UserContext& user, Work& work) const
{
    const std::int64_t threshold = user.random().uniform(10, 20);
    const std::array<Param, 2> place{of(work.warehouse), of(work.district)};
    Reply done = co_await ask(user, kDistrictOrders, place);
    if (const Outcome outcome = found(user, done); outcome != Outcome::Ok)
        co_return outcome;
    const std::int64_t next = user.kept().integer(0, 0, m_params.customers + 1);
    if (m_params.listsItems) {
        const Outcome each = co_await stockOfEach(user, work, next, threshold);
        co_return each;
    }
    const std::array<Param, 6> params{place[0], place[1], of(next), of(next - 20), place[0], of(threshold)};
    done = co_await ask(user, kLowStock, params);
    co_return done.outcome;
}

Task<Outcome> TpccInstance::stockOfEach(UserContext& user, const Work& work, std::int64_t next,
                                        std::int64_t threshold) const
{
    const std::array<Param, 4> recent{of(work.warehouse), of(work.district), of(next), of(next - 20)};
    Reply done = co_await ask(user, listStatement(m_params, kRecentItems), recent);
    for (std::size_t i = 0; done.outcome == Outcome::Ok && i < user.kept().rows(); ++i) {
        const std::array<Param, 3> low{recent[0], of(user.kept().integer(i, 0, 1)), of(threshold)};
        done = co_await ask(user, listStatement(m_params, kLowStockOf), low);
    }
    co_return done.outcome;
}

//! Each of the ten is a transaction of a district of its own, the first of which has begun.
Task<Outcome> TpccInstance::purge(UserContext& user, Work& work) const
{
    for (int i = 0; i < kPurges; ++i) {
        Outcome outcome = Outcome::Ok;
        if (i > 0) {
            outcome = co_await nextTransaction(user, work);
            if (!m_params.homeWarehouse)
                work.warehouse = user.random().uniform(1, m_params.warehouses);
            work.district = user.random().uniform(1, kDistricts);
        }
        if (outcome == Outcome::Ok)
            outcome = co_await purgeOne(user, work);
        if (outcome != Outcome::Ok)
            co_return outcome;
    }
    co_return Outcome::Ok;
}

Task<Outcome> TpccInstance::purgeOne(UserContext& user, Work& work) const
{
    std::array<Param, 3> key{of(work.warehouse), of(work.district), {}};
    const std::span<const Param> district = std::span(key).first(2);
    Reply done = co_await ask(user, purgeStatement(m_params, kPurgeBefore), district);
    if (done.outcome != Outcome::Ok || user.kept().rows() == 0 ||
        user.kept().at(0, 0).type == Param::Type::Null) // no new order is left
        co_return done.outcome;
    key[2] = of(user.kept().integer(0, 0, 1));
    done = co_await ask(user, purgeStatement(m_params, kPurgeOrder), key);
    if (done.outcome != Outcome::Ok || user.kept().rows() == 0) // nobody has two
        co_return done.outcome;
    key[2] = of(user.kept().integer(0, 0, 1));
    for (const Statement remove : {kPurgeLines, kPurgeOrders}) {
        done = co_await ask(user, purgeStatement(m_params, remove), key);
        if (done.outcome != Outcome::Ok)
            co_return done.outcome;
        work.affected += done.affected;
    }
    done = co_await ask(user, purgeStatement(m_params, kPurgeHistory), district);
    work.affected += done.affected;
    co_return done.outcome;
}

} // namespace dyno::tpcc
