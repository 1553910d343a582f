// SPDX-License-Identifier: GPL-3.0-or-later
// What sysbench-tpcc and tpcc-mysql do otherwise than the specification, each fact by itself, beside what the
// specification's own profile does at the same place.
#include "support/recording_rig.h"
#include "support/suite.h"
#include "workload/tpcc/tpcc.h"

#include <QTest>

#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace dyno::tst_tpcc_profiles {
using namespace dyno::test;
using namespace dyno::tpcc;

namespace {

constexpr std::int64_t kWarehouses = 5;

Settings small(const char* profile, Settings params)
{
    params.insert({{"profile", std::string(profile)},
                   {"warehouses", kWarehouses},
                   {"customers", std::int64_t(60)},
                   {"items", std::int64_t(200)}});
    return params;
}

struct Rig : RecordingRig
{
    explicit Rig(const char* profile, const Settings& params = {}, std::uint32_t number = 2)
        : RecordingRig("tpcc", small(profile, params), UserPlace{UserId(number), 4, 1})
    {
    }
    //! Transactions of the given kind, which is told by a statement that only it has; calls `look` with the requests of
    //! each.
    template<class Look>
    int each(std::uint32_t statement, int transactions, Look look)
    {
        int found = 0;
        for (int i = 0; i < transactions; ++i) {
            const auto& requests = run(std::uint64_t(i));
            const auto asks = [statement](const Recorded& one) {
                return one.kind == RequestKind::Execute && one.statement == statement;
            };
            if (std::ranges::none_of(requests, asks))
                continue;
            ++found;
            look(requests);
        }
        return found;
    }
};

std::vector<const Recorded*> asked(const std::vector<Recorded>& requests, std::uint32_t statement)
{
    std::vector<const Recorded*> found;
    for (const Recorded& one : requests) {
        if (one.kind == RequestKind::Execute && one.statement == statement)
            found.push_back(&one);
    }
    return found;
}

//! The rows of a table as the load would send them.
std::vector<Recorded> loaded(const char* profile, Table table, std::int64_t rows, std::uint64_t seed)
{
    const Rig rig(profile);
    TestUser user(std::make_unique<RecordingSession>(), kKinds, {UserId(0), 1, seed});
    if (complete(rig.instance->load(user.context, {int(table) + 1, 1, rows}), user.context) != Outcome::Ok)
        return {};
    return static_cast<RecordingSession*>(user.session.get())->requests;
}

} // namespace

class TstTpccProfiles : public QObject
{
    Q_OBJECT

    void profiles()
    {
        QTest::addColumn<QString>("profile");
        for (const char* name : {"dynobench", "sysbench-tpcc", "tpcc-mysql"})
            QTest::newRow(name) << name;
    }

private slots:
    //! 10 : 10 : 1 : 1 : 1 by a number from 1 to 23 or a deck of 23 (then exactly, see decks()), and one purge where
    //! the number is from 1 to 24; the specification's share of payments is 43 %, of the rare ones 4 %.
    void mix_data()
    {
        QTest::addColumn<QString>("profile");
        QTest::addColumn<bool>("purge");
        for (const char* name : {"dynobench", "sysbench-tpcc", "tpcc-mysql"})
            QTest::newRow(name) << name << false;
        QTest::newRow("sysbench-tpcc, purge") << "sysbench-tpcc" << true;
    }
    void mix()
    {
        QFETCH(QString, profile);
        QFETCH(bool, purge);
        const double cards = purge ? 24 : 23;
        const std::array<double, kKinds> shares =
            profile == "dynobench" ? std::array<double, kKinds>{.45, .43, .04, .04, .04, 0}
                                   : std::array<double, kKinds>{10 / cards, 10 / cards, 1 / cards,
                                                                1 / cards,  1 / cards,  purge ? 1 / cards : 0};
        Rig rig(qPrintable(profile), {{"purge", purge}});
        rig.session.keep = false;
        constexpr int kTransactions = 30'000;
        for (int i = 0; i < kTransactions; ++i)
            rig.user.run(*rig.instance, std::uint64_t(i));
        const IntervalSample sample = IntervalSampler(rig.user.recorder).take();
        double chi = 0;
        for (std::size_t kind = 0; kind < kKinds; ++kind) {
            const double wanted = kTransactions * shares[kind],
                         seen = double(sample.ops[kind].count + sample.ops[kind].errors);
            if (wanted == 0)
                QCOMPARE(seen, 0.0);
            else
                chi += (seen - wanted) * (seen - wanted) / wanted;
        }
        QVERIFY2(chi < (purge ? 25.7 : 23.5),
                 qPrintable(QString::number(chi))); // χ² with 4 or 5 degrees of freedom: one in 10 000
        // One new order in a hundred is rolled back: an error to sysbench-tpcc, counted apart by the others.
        const double orders = double(sample.ops[0].count + sample.ops[0].errors);
        const double back = double(profile == "sysbench-tpcc" ? sample.ops[0].errors : sample.rollbacks);
        QVERIFY2(std::abs(back - orders / 100) < 4 * std::sqrt(orders / 100 * .99), qPrintable(QString::number(back)));
        QCOMPARE(double(sample.rollbacks), profile == "sysbench-tpcc" ? 0.0 : back);
        QCOMPARE(double(sample.ops[0].errors), profile == "sysbench-tpcc" ? back : 0.0);
    }

    //! tpcc-mysql deals from a shuffled deck: each 23 transactions of a user have the mix exactly, in orders that
    //! differ.
    void decks()
    {
        std::set<std::vector<std::size_t>> orders;
        for (std::uint32_t number = 0; number < 4; ++number) {
            Rig rig("tpcc-mysql", {}, number);
            IntervalSampler sampler(rig.user.recorder);
            for (std::uint64_t deck = 0; deck < 50; ++deck) {
                std::array<std::uint64_t, kKinds> dealt{};
                std::vector<std::size_t> order;
                for (std::uint64_t card = 0; card < 23; ++card) {
                    rig.user.run(*rig.instance, 23 * deck + card);
                    const IntervalSample sample = sampler.take();
                    for (std::size_t kind = 0; kind < kKinds; ++kind) {
                        if (sample.ops[kind].count + sample.ops[kind].errors == 0)
                            continue;
                        ++dealt[kind];
                        order.push_back(kind);
                    }
                }
                QCOMPARE(dealt, (std::array<std::uint64_t, kKinds>{10, 10, 1, 1, 1}));
                orders.insert(order);
            }
        }
        QCOMPARE(orders.size(), std::size_t(200));
    }

    //! Drawn for each transaction, all alike; the specification's users stay at home.
    void warehouse_data() { profiles(); }
    void warehouse()
    {
        QFETCH(QString, profile);
        for (const char* wanted : {"default", "home", "random"}) {
            Rig rig(qPrintable(profile), {{"warehouse", std::string(wanted)}});
            std::map<std::int64_t, double> seen;
            const int orders = rig.each(kDistrictNext, 4000, [&](const auto& requests) {
                ++seen[asked(requests, kDistrictNext).front()->number(0)];
            });
            if (QString(wanted) == "home" || (QString(wanted) == "default" && profile == "dynobench")) {
                QCOMPARE(seen.size(), std::size_t(1));
                QCOMPARE(seen.begin()->first, std::int64_t(3)); // of the third user
                continue;
            }
            QCOMPARE(seen.size(), std::size_t(kWarehouses));
            double chi = 0;
            for (const auto& [number, count] : seen)
                chi += (count - double(orders) / kWarehouses) * (count - double(orders) / kWarehouses) /
                       (double(orders) / kWarehouses);
            QVERIFY2(chi < 23.5, qPrintable(QString::number(chi)));
        }
    }

    //! NURand with the constant drawn at each call, against all constants, masks and numbers that it is made of; with
    //! one constant the most frequent name is another thing altogether.
    void namesHaveHardlyAnySkew_data() { profiles(); }
    void namesHaveHardlyAnySkew()
    {
        QFETCH(QString, profile);
        Params params;
        params.profile = profile == "dynobench"    ? Profile::Dynobench
                         : profile == "tpcc-mysql" ? Profile::TpccMysql
                                                   : Profile::SysbenchTpcc;
        std::vector<double> masked(1000, 0), expected(1000, 0);
        for (int a = 0; a < 256; ++a) {
            for (int b = 0; b < 1000; ++b)
                masked[std::size_t((a | b) % 1000)] += 1 / 256'000.0;
        }
        for (std::size_t i = 0; i < 1000; ++i) {
            for (std::size_t c = 0; c < 256; ++c)
                expected[(i + c) % 1000] += masked[i] / 256;
        }
        const Values values(params);
        Random random(11);
        constexpr int kDraws = 500'000;
        std::vector<double> seen(1000, 0);
        for (int i = 0; i < kDraws; ++i)
            ++seen.at(std::size_t(values.name(random)));
        double chi = 0;
        for (std::size_t i = 0; i < 1000; ++i)
            chi += (seen[i] - expected[i] * kDraws) * (seen[i] - expected[i] * kDraws) / (expected[i] * kDraws);
        const bool fits = std::abs(chi - 999) < 5 * std::sqrt(2 * 999.0);
        QVERIFY2(fits == (profile != "dynobench"), qPrintable(QString::number(chi)));
    }

    //! The stock gets 91 when the quantity would be used up; in the specification when less than 10 would be left.
    void stockIsFilledUp_data() { profiles(); }
    void stockIsFilledUp()
    {
        QFETCH(QString, profile);
        for (const std::int64_t stock : {1, 5, 10, 11, 15, 19, 20, 60}) {
            Rig rig(qPrintable(profile));
            rig.session.rows = {
                {Param::of(stock), Param::of(std::string_view("data")), Param::of(std::string_view("info"))}};
            rig.each(kStockChange, 40, [&](const auto& requests) {
                const auto changes = asked(requests, kStockChange), lines = asked(requests, kAddLine);
                QCOMPARE(changes.size(), lines.size());
                for (std::size_t i = 0; i < changes.size(); ++i) {
                    const std::int64_t quantity = lines[i]->number(6);
                    const bool enough = profile == "dynobench" ? stock - quantity >= 10 : stock > quantity;
                    QCOMPARE(changes[i]->number(0), stock - quantity + (enough ? 0 : 91));
                }
            });
        }
    }

    //! One line in a hundred and 15 payments in a hundred are of another warehouse; none of sysbench-tpcc's.
    void otherWarehouses_data() { profiles(); }
    void otherWarehouses()
    {
        QFETCH(QString, profile);
        Rig rig(qPrintable(profile));
        double lines = 0, remoteLines = 0, payments = 0, remotePayments = 0, notLocal = 0, meantElsewhere = 0;
        rig.each(kDistrictNext, 20'000, [&](const auto& requests) {
            bool local = true;
            for (const Recorded* line : asked(requests, kAddLine)) {
                ++lines;
                remoteLines += line->number(5) != line->number(2) ? 1 : 0;
                local = local && line->number(5) == line->number(2);
            }
            const Recorded& order = *asked(requests, kAddOrder).front();
            if (profile == "sysbench-tpcc") { // its loop ends at home, but the order is marked before
                notLocal += double(1 - order.number(6));
                meantElsewhere += 1 - std::pow(.99, double(order.number(5)));
            } else if (requests.back().kind == RequestKind::Commit) {
                QCOMPARE(order.number(6), std::int64_t(local));
            }
        });
        rig.each(kAddHistory, 20'000, [&](const auto& requests) {
            ++payments;
            const Recorded& row = *asked(requests, kAddHistory).front();
            remotePayments += row.number(1) != row.number(4) ? 1 : 0;
        });
        QVERIFY2(std::abs(notLocal - meantElsewhere) <= 4.5 * std::sqrt(meantElsewhere),
                 qPrintable(QString::number(notLocal)));
        const double share = profile == "sysbench-tpcc" ? 0 : 1;
        QVERIFY2(std::abs(remoteLines - share * lines * .01) <= share * 4.5 * std::sqrt(lines * .01 * .99),
                 qPrintable(QString::number(remoteLines)));
        QVERIFY2(std::abs(remotePayments - share * payments * .15) <= share * 4.5 * std::sqrt(payments * .15 * .85),
                 qPrintable(QString::number(remotePayments)));
    }

    //! The lines of the order with the number of the district, instead of the customer's last one.
    void linesOfAStatus_data() { profiles(); }
    void linesOfAStatus()
    {
        QFETCH(QString, profile);
        Rig rig(qPrintable(profile));
        rig.session.rows = {{Param::of(std::int64_t(57))}};
        const int found = rig.each(kOrderLines, 2000, [&](const auto& requests) {
            const Recorded& lines = *asked(requests, kOrderLines).front();
            QCOMPARE(lines.number(2), profile == "sysbench-tpcc" ? lines.number(1) : std::int64_t(57));
        });
        QVERIFY(found > 30);
    }

    //! The last line but one with the item −1; elsewhere the last one, with an item behind all.
    void theItemThatDoesNotExist_data() { profiles(); }
    void theItemThatDoesNotExist()
    {
        QFETCH(QString, profile);
        Rig rig(qPrintable(profile));
        int wrong = 0;
        rig.each(kDistrictNext, 20'000, [&](const auto& requests) {
            if (requests.back().kind != RequestKind::Rollback)
                return;
            ++wrong;
            const std::int64_t lines = asked(requests, kAddOrder).front()->number(5);
            const auto items = asked(requests, kItemPrice);
            const bool sysbench = profile == "sysbench-tpcc";
            if (profile != "tpcc-mysql") // sorted there: lines of a warehouse with a greater number come behind it
                QCOMPARE(std::int64_t(items.size()), sysbench ? lines - 1 : lines);
            QVERIFY(std::int64_t(items.size()) <= lines);
            QCOMPARE(items.back()->number(0), std::int64_t(sysbench ? -1 : 201));
            QVERIFY(rig.outcome == (sysbench ? Outcome::Rejected : Outcome::Ok));
        });
        QVERIFY2(wrong > 40, qPrintable(QString::number(wrong)));
    }

    //! Of a stock only the quantity; of sysbench-tpcc's customer that pays not the number of payments.
    void columnsThatStay_data() { profiles(); }
    void columnsThatStay()
    {
        QFETCH(QString, profile);
        const StatementSet all = Rig(qPrintable(profile)).statements;
        const auto has = [&](std::uint32_t statement, const char* column) {
            return all.at(statement).text.find(column) != std::string::npos;
        };
        const bool changed = profile != "sysbench-tpcc";
        for (const char* column : {"s_ytd", "s_order_cnt", "s_remote_cnt"})
            QCOMPARE(has(kStockChange, column), profile == "dynobench");
        QVERIFY(has(kStockChange, "s_quantity"));
        QCOMPARE(has(kCustomerPay, "c_payment_cnt"), changed);
        QCOMPARE(has(kCustomerPayData, "c_payment_cnt"), changed);
    }

    //! Prices from 1 to 100 and lines of 0.01 to 9999.99, in cents. sysbench-tpcc draws them as real numbers (100 u + 1
    //! and 9999.99 u), so that its columns hold cents too, and prices go up to 101. In ten bins each is uniform.
    void loadedMoney_data() { profiles(); }
    void loadedMoney()
    {
        QFETCH(QString, profile);
        const bool sysbench = profile == "sysbench-tpcc";
        for (const bool lines : {false, true}) {
            std::vector<double> drawn;
            for (std::uint64_t seed = 1; seed <= (lines ? 40 : 60); ++seed) {
                for (const Recorded& request :
                     loaded(qPrintable(profile), lines ? kOrderLine : kItem, lines ? 590 : 200, seed)) {
                    for (std::size_t i = lines ? 8 : 3; i < request.params.size(); i += lines ? 10 : 5) {
                        if (!lines || request.params[i - 2].type == Param::Type::Null) // delivered: 0
                            drawn.push_back(request.params[i].real);
                    }
                }
            }
            QVERIFY2(drawn.size() > 5000, qPrintable(QString::number(drawn.size())));
            const double least = lines ? 0 : 1, span = lines ? 9999.99 : sysbench ? 100 : 99;
            double whole = 0, chi = 0;
            std::array<double, 10> bins{};
            for (const double amount : drawn) {
                QVERIFY(amount >= least && amount <= least + span);
                QVERIFY(std::abs(100 * amount - std::round(100 * amount)) < 1e-6);
                whole += amount == std::floor(amount) ? 1 : 0;
                ++bins[std::min<std::size_t>(9, std::size_t((amount - least) / span * 10))];
            }
            const double all = double(drawn.size()), wanted = all / 10;
            for (const double seen : bins)
                chi += (seen - wanted) * (seen - wanted) / wanted;
            QVERIFY2(chi < 33.7, qPrintable(QString::number(chi))); // χ² with 9 degrees of freedom: one in 10 000
            QVERIFY2(std::abs(whole - all / 100) < 4.5 * std::sqrt(all / 100),
                     qPrintable(QString("%1 of %2").arg(whole).arg(all)));
        }
    }

    //! Amounts of payments and of lines: from 1.00 to 5000.00 with cents, or whole.
    void amounts_data() { profiles(); }
    void amounts()
    {
        QFETCH(QString, profile);
        Rig rig(qPrintable(profile));
        rig.session.rows = {{Param::of(12.34), Param::of(std::string_view("x")), Param::of(std::string_view("x"))}};
        int fractions = 0, all = 0;
        const auto look = [&](double amount) {
            ++all;
            fractions += std::abs(amount - std::round(amount)) > 0.001 ? 1 : 0;
        };
        rig.each(kAddHistory, 3000, [&](const auto& requests) {
            const double paid = asked(requests, kAddHistory).front()->params.at(6).real;
            QVERIFY(paid >= 1 && paid <= 5000);
            look(paid);
        });
        rig.each(kAddLine, 500, [&](const auto& requests) {
            for (const Recorded* line : asked(requests, kAddLine))
                look(line->params.at(7).real);
        });
        if (profile == "sysbench-tpcc")
            QCOMPARE(fractions, 0);
        else
            QVERIFY2(fractions > all / 2, qPrintable(QString("%1 of %2").arg(fractions).arg(all)));
    }

    //! Of new lines: quantity times price; the other programs add taxes and take the discount off, sysbench-tpcc sends
    //! what is whole of it.
    void amountsOfLines_data() { profiles(); }
    void amountsOfLines()
    {
        QFETCH(QString, profile);
        Rig rig(qPrintable(profile));
        const double price = 0.25, discount = price, districtTax = 0.1,
                     warehouseTax = 0.05; // the row is that of each answer
        rig.session.rows = {
            {Param::of(price), Param::of(districtTax), Param::of(std::string_view("x")), Param::of(warehouseTax)}};
        QVERIFY(rig.each(kAddLine, 200, [&](const auto& requests) {
            for (const Recorded* line : asked(requests, kAddLine)) {
                const double plain = double(line->number(6)) * price,
                             charged = plain * (1 + warehouseTax + districtTax) * (1 - discount);
                const double wanted = profile == "dynobench"    ? plain
                                      : profile == "tpcc-mysql" ? std::round(charged * 100) / 100
                                                                : std::floor(charged);
                QCOMPARE(line->params.at(7).real, wanted);
            }
        }) > 50);
    }

    //! A line gets the text of its district, and tpcc-mysql reads those of all ten with it (neword.c).
    void textOfALine_data() { profiles(); }
    void textOfALine()
    {
        QFETCH(QString, profile);
        Rig rig(qPrintable(profile));
        const std::vector<std::string> texts{"one", "two",   "three", "four", "five",
                                             "six", "seven", "eight", "nine", "ten"};
        std::vector<Param> row{Param::of(std::int64_t(50)), Param::of(std::string_view("data"))};
        for (const std::string& text : texts)
            row.push_back(Param::of(std::string_view(text)));
        rig.session.rows = {row};
        std::set<std::int64_t> districts;
        rig.each(kAddLine, 300, [&](const auto& requests) {
            for (const Recorded* line : asked(requests, kAddLine)) {
                districts.insert(line->number(1));
                QCOMPARE(line->texts.at(8), texts.at(profile == "tpcc-mysql" ? std::size_t(line->number(1) - 1) : 0));
            }
        });
        QCOMPARE(districts.size(), std::size_t(10));
        for (std::size_t district = 1; district <= 10; ++district) {
            const std::string& text = rig.statements.at(kStockOfDistrict + district - 1).text;
            QCOMPARE(std::ranges::count(text.substr(0, text.find(" FROM")), ','), profile == "tpcc-mysql" ? 11 : 2);
            QVERIFY(text.find(QString("s_dist_%1").arg(district, 2, 10, QChar('0')).toStdString()) !=
                    std::string::npos);
        }
    }

    //! The last order of a customer: sysbench-tpcc reads all of them (query_row of a SELECT without a limit),
    //! tpcc-mysql the one whose number is the greatest.
    void lastOrder_data() { profiles(); }
    void lastOrder()
    {
        QFETCH(QString, profile);
        Rig rig(qPrintable(profile));
        rig.session.rows = {std::vector<Param>(4, Param::of(std::int64_t(7)))};
        const std::string& text = rig.statements.at(kLastOrder).text;
        QCOMPARE(text.find("LIMIT 1") != std::string::npos, profile == "dynobench");
        QCOMPARE(text.find("ORDER BY o_id DESC") != std::string::npos, profile != "tpcc-mysql");
        QCOMPARE(text.find("SELECT MAX(o_id)") != std::string::npos, profile == "tpcc-mysql");
        QVERIFY(rig.each(kLastOrder, 2000, [&](const auto& requests) {
            const Recorded& order = *asked(requests, kLastOrder).front();
            QCOMPARE(order.params.size(), std::size_t(profile == "tpcc-mysql" ? 6 : 3));
            for (std::size_t i = 3; i < order.params.size(); ++i)
                QCOMPARE(order.number(i), order.number(i - 3));
        }) > 20);
    }

    //! sysbench-tpcc writes sums that it made of what it read, a remark that begins with a bar, and a text of the
    //! history that is always 24 letters wide ("%10s %10s   "); the others let the server add.
    void payments_data() { profiles(); }
    void payments()
    {
        QFETCH(QString, profile);
        const bool sysbench = profile == "sysbench-tpcc";
        for (const char* credit : {"GC", "BC"}) {
            Rig rig(qPrintable(profile));
            std::vector<Param> row(16, Param::of(std::string_view("abcdef")));
            row[0] = Param::of(std::string_view(credit));
            row[12] = Param::of(1000.5);
            row[13] = Param::of(20.25);
            rig.session.rows = {row};
            const std::string& text = rig.statements.at(kCustomerForPayment).text;
            QCOMPARE(text.find("c_balance, c_ytd_payment, c_since FROM") != std::string::npos, sysbench);
            const std::uint32_t pays = credit[0] == 'B' ? kCustomerPayData : kCustomerPay;
            QCOMPARE(rig.statements.at(pays).text.find("c_balance = ?, c_ytd_payment = ?") != std::string::npos,
                     sysbench);
            QVERIFY(rig.each(pays, 200, [&](const auto& requests) {
                const Recorded &history = *asked(requests, kAddHistory).front(), &paid = *asked(requests, pays).front();
                const double amount = history.params.at(6).real;
                QCOMPARE(paid.params.at(0).real, sysbench ? 1000.5 - amount : amount);
                QCOMPARE(paid.params.at(1).real, sysbench ? 20.25 + amount : amount);
                QCOMPARE(history.texts.at(7), std::string(sysbench ? "    abcdef     abcdef   " : "abcdef    abcdef"));
                if (pays == kCustomerPayData)
                    QCOMPARE(paid.texts.at(2).starts_with("| "), sysbench);
            }) > 20);
        }
    }

    //! Ten transactions of districts that are drawn, each of which looks for an order to remove and for ten rows of the
    //! history (purge() of tpcc_run.lua); what is not there ends it before.
    void purge()
    {
        using Kinds = std::vector<int>;
        for (const int rows : {0, 1, 2}) { // none; a number; NULL, as MIN says of nothing
            Rig rig("sysbench-tpcc", {{"purge", true}});
            if (rows > 0)
                rig.session.rows = {{rows == 1 ? Param::of(std::int64_t(2150)) : Param{}}};
            Kinds one{-int(RequestKind::Begin) - 1, int(kPurgeBefore)}, all;
            if (rows == 1)
                one.insert(one.end(), {int(kPurgeOrder), int(kPurgeLines), int(kPurgeOrders), int(kPurgeHistory)});
            one.push_back(-int(RequestKind::Commit) - 1);
            for (int i = 0; i < 10; ++i)
                all.insert(all.end(), one.begin(), one.end());
            std::set<std::pair<std::int64_t, std::int64_t>> places;
            const int purges = rig.each(kPurgeBefore, 600, [&](const auto& requests) {
                Kinds kinds;
                for (const Recorded& request : requests) {
                    kinds.push_back(request.kind == RequestKind::Execute ? int(request.statement)
                                                                         : -int(request.kind) - 1);
                    if (request.kind == RequestKind::Execute)
                        places.insert({request.number(0), request.number(1)});
                }
                QCOMPARE(kinds, all);
            });
            QVERIFY(purges > 8 && purges < 50);
            QVERIFY(places.size() > 40 && places.size() <= std::size_t(10 * kWarehouses)); // of at least 90 draws
        }
        for (const char* profile : {"dynobench", "tpcc-mysql"})
            QVERIFY_THROWS_EXCEPTION(std::runtime_error, Rig(profile, {{"purge", true}}));
    }

    //! The other programs count before they read customers by name and read no customer twice for a status; tpcc-mysql
    //! asks for the stock of each item of a level (payment and orderstatus of tpcc_run.lua; payment.c, ordstat.c and
    //! slev.c), sysbench-tpcc by the specification's join ("case1" of its stocklevel).
    void statementsOfTheOthers_data() { profiles(); }
    void statementsOfTheOthers()
    {
        QFETCH(QString, profile);
        const bool ours = profile == "dynobench";
        Rig rig(qPrintable(profile));
        rig.session.rows = std::vector<std::vector<Param>>(3, {Param::of(std::int64_t(7)), Param::of(std::int64_t(7)),
                                                               Param::of(std::int64_t(7)), Param::of(std::int64_t(7))});
        const auto times = [](const auto& requests, std::uint32_t statement) {
            return asked(requests, statement).size();
        };
        std::set<std::pair<std::size_t, std::size_t>> payments, states;
        rig.each(kCustomerForPayment, 400, [&](const auto& requests) {
            payments.insert({ours ? 0 : times(requests, kCountByName), times(requests, kCustomersByName)});
        });
        QCOMPARE(payments, (std::set<std::pair<std::size_t, std::size_t>>{{0, 0}, {ours ? 0 : 1, 1}}));
        rig.each(kLastOrder, 2000, [&](const auto& requests) {
            const std::size_t lists = times(requests, ours ? kCustomersByName : kStatusByName);
            QVERIFY(ours || times(requests, kCountByName) == lists);
            states.insert({lists, times(requests, kCustomerStatus)});
        });
        QCOMPARE(states, (std::set<std::pair<std::size_t, std::size_t>>{{0, 1}, {1, ours ? 1 : 0}}));
        const bool each = profile == "tpcc-mysql";
        QVERIFY(rig.each(each ? kRecentItems : kLowStock, 2000, [&](const auto& requests) {
            if (!each)
                QCOMPARE(requests.size(), std::size_t(4)); // with BEGIN and COMMIT
            else
                QCOMPARE(times(requests, kLowStockOf), std::size_t(3));
        }) > 20);
    }

    //! The lines of an order: as drawn, or by supplying warehouse and then by item and numbered so ("sort orders to
    //! avoid DeadLock" of neword.c), which is tpcc-mysql's way by itself. The lines are the same ones.
    void linesOfAnOrder_data() { profiles(); }
    void linesOfAnOrder()
    {
        QFETCH(QString, profile);
        using Supplied = std::array<std::int64_t, 3>; // supplier, item, quantity
        std::map<std::string, std::vector<std::vector<Supplied>>> orders;
        for (const char* wanted : {"default", "drawn", "sorted"}) {
            Rig rig(qPrintable(profile), {{"order_lines", std::string(wanted)}});
            rig.each(kDistrictNext, 3000, [&](const auto& requests) {
                if (requests.back().kind == RequestKind::Rollback)
                    return;
                std::vector<Supplied>& order = orders[wanted].emplace_back();
                for (const Recorded* line : asked(requests, kAddLine)) {
                    QCOMPARE(line->number(3), std::int64_t(order.size()) + 1);
                    order.push_back({line->number(5), line->number(4), line->number(6)});
                }
            });
        }
        QCOMPARE(orders["default"], orders[profile == "tpcc-mysql" ? "sorted" : "drawn"]);
        int remote = 0, moved = 0;
        for (const auto& order : orders["sorted"]) {
            QVERIFY(
                std::ranges::is_sorted(order, {}, [](const Supplied& line) { return std::pair(line[0], line[1]); }));
            remote += order.front()[0] != order.back()[0] ? 1 : 0;
        }
        QVERIFY2(profile == "sysbench-tpcc" ? remote == 0 : remote > 20, qPrintable(QString::number(remote)));
        for (auto& order : orders["drawn"])
            moved += std::ranges::is_sorted(order) ? 0 : 1;
        QVERIFY(moved > int(orders["drawn"].size()) * 9 / 10);
        for (const char* each : {"drawn", "sorted"}) {
            for (auto& order : orders[each])
                std::ranges::sort(order);
        }
        QCOMPARE(orders["drawn"], orders["sorted"]);
    }

    //! tpcc-mysql commits each district's delivery by itself and finds its order by MIN, without a lock (delivery.c);
    //! where MIN finds none it goes on in the same transaction. Elsewhere, or where it is asked for, all ten are one.
    void deliveries_data() { profiles(); }
    void deliveries()
    {
        QFETCH(QString, profile);
        using Kinds = std::vector<int>;
        const auto frame = [](RequestKind kind) { return -int(kind) - 1; };
        const Kinds one{int(kDeleteNewOrder), int(kOrderCustomer), int(kOrderCarrier),
                        int(kLinesDelivered), int(kLinesAmount),   int(kCustomerDelivered)};
        for (const char* wanted : {"default", "one", "districts"}) {
            const bool each =
                QString(wanted) == "districts" || (QString(wanted) == "default" && profile == "tpcc-mysql");
            for (const std::int64_t oldest : {2101, 0}) { // MIN of no row, which is COALESCEd
                if (oldest == 0 && !each)
                    continue;
                Rig rig(qPrintable(profile), {{"delivery", std::string(wanted)}});
                rig.session.rows = {{Param::of(oldest)}};
                const std::string& find = rig.statements.at(kOldestNewOrder).text;
                QCOMPARE(find.find("COALESCE(MIN(no_o_id), 0)") != std::string::npos, each);
                QCOMPARE(find.find("FOR UPDATE") == std::string::npos, each);
                Kinds all{frame(RequestKind::Begin)};
                for (int district = 1; district <= 10; ++district) {
                    if (district > 1 && each && oldest != 0)
                        all.insert(all.end(), {frame(RequestKind::Commit), frame(RequestKind::Begin)});
                    all.push_back(int(kOldestNewOrder));
                    if (oldest != 0)
                        all.insert(all.end(), one.begin(), one.end());
                }
                all.push_back(frame(RequestKind::Commit));
                QVERIFY(rig.each(kOldestNewOrder, 1000, [&](const auto& requests) {
                    Kinds kinds;
                    for (const Recorded& request : requests)
                        kinds.push_back(request.kind == RequestKind::Execute ? int(request.statement)
                                                                             : frame(request.kind));
                    QCOMPARE(kinds, all);
                    for (const Recorded* gone : asked(requests, kDeleteNewOrder))
                        QCOMPARE(gone->number(2), oldest);
                }) > 20);
                // Deliveries that meet credit an order twice: what balances add up to is not promised.
                const auto checks = rig.instance->checks();
                QCOMPARE(std::ranges::count_if(checks,
                                               [](const DataCheck& check) {
                                                   return check.name.starts_with("10") || check.name.starts_with("12");
                                               }),
                         each ? 0 : 2);
            }
        }
    }

    //! A stock level by one join, or by a list of distinct items whose stocks are counted one by one; beside a purge
    //! too, whose statements come after those of the list.
    void stockLevels_data() { profiles(); }
    void stockLevels()
    {
        QFETCH(QString, profile);
        const std::uint32_t list = profile == "dynobench" ? kRecentItems - 2 : kRecentItems;
        for (const char* wanted : {"default", "join", "distinct"}) {
            for (const bool purge : {false, true}) {
                if (purge && profile != "sysbench-tpcc")
                    continue;
                const bool lists =
                    QString(wanted) == "distinct" || (QString(wanted) == "default" && profile == "tpcc-mysql");
                Rig rig(qPrintable(profile), {{"stock_level", std::string(wanted)}, {"purge", purge}});
                rig.session.rows =
                    std::vector<std::vector<Param>>(3, std::vector<Param>(4, Param::of(std::int64_t(7))));
                const auto selects = [&rig](const char* text) {
                    return std::ranges::count_if(rig.statements, [text](const StatementSpec& one) {
                        return one.text.find(text) != std::string::npos;
                    });
                };
                QCOMPARE(selects("SELECT DISTINCT ol_i_id"), lists ? 1 : 0);
                QCOMPARE(selects("DELETE FROM history"), purge ? 1 : 0);
                QVERIFY(rig.each(kDistrictOrders, 2000, [&](const auto& requests) {
                    QCOMPARE(asked(requests, kLowStock).size(), std::size_t(lists ? 0 : 1));
                    std::vector<std::string> texts;
                    for (const Recorded& request : requests) {
                        if (request.kind == RequestKind::Execute)
                            texts.push_back(rig.statements.at(request.statement).text.substr(0, 15));
                    }
                    QCOMPARE(texts.size(), std::size_t(lists ? 5 : 2));
                    if (!lists)
                        return;
                    QCOMPARE(asked(requests, list).size(), std::size_t(1));
                    QCOMPARE(texts.at(1), std::string("SELECT DISTINCT"));
                    QCOMPARE(texts.at(2), std::string("SELECT COUNT(*)"));
                }) > 20);
                if (!purge)
                    continue;
                const auto deletes = std::ranges::find_if(rig.statements, [](const StatementSpec& one) {
                    return one.text.starts_with("DELETE FROM history");
                });
                QVERIFY(rig.each(std::uint32_t(deletes - rig.statements.begin()), 600, [](const auto&) {}) > 8);
            }
        }
    }

    //! Of n customers of a name, ordered by first names, the one in the middle: number n/2 rounded up (clause 2.5.2.2).
    //! sysbench-tpcc rounds an odd n above 1 up, and then takes number n/2 + 1: the one behind it.
    void theCustomerInTheMiddle_data() { profiles(); }
    void theCustomerInTheMiddle()
    {
        QFETCH(QString, profile);
        for (const std::size_t n : {1u, 2u, 3u, 4u, 5u, 8u, 9u}) {
            Rig rig(qPrintable(profile));
            for (std::size_t i = 1; i <= n; ++i)
                rig.session.rows.push_back(std::vector<Param>(4, Param::of(std::int64_t(i))));
            const std::size_t rounded =
                n % 2 == 1 && n > 1 ? n + 1 : n; // then number n/2 + 1, where the count begins at 0
            const std::size_t wanted = profile == "sysbench-tpcc" ? std::min(rounded / 2 + 1, n) : (n + 1) / 2;
            int found = 0;
            rig.each(kCustomersByName, 100, [&](const auto& requests) { // payments, and states of our own profile
                ++found;
                const auto paid = asked(requests, kCustomerForPayment), shown = asked(requests, kCustomerStatus);
                QCOMPARE((paid.empty() ? shown : paid).at(0)->number(2), std::int64_t(wanted));
            });
            QVERIFY(found > 0);
            if (profile != "sysbench-tpcc") // tpcc-mysql's status is of a number that is drawn
                continue;
            found = 0;
            rig.each(kStatusByName, 400, [&](const auto& requests) {
                ++found;
                QCOMPARE(asked(requests, kLastOrder).at(0)->number(2), std::int64_t(wanted));
            });
            QVERIFY(found > 0);
        }
    }

    //! One letter over and over; elsewhere letters and digits, and in one text of ten the word that condition 1.4.2.3
    //! names.
    void texts_data() { profiles(); }
    void texts()
    {
        QFETCH(QString, profile);
        int runs = 0, original = 0;
        const std::vector<Recorded> rows = loaded(qPrintable(profile), kItem, 200, 9);
        for (const Recorded& request : rows) {
            for (std::size_t i = 4; i < request.texts.size(); i += 5) { // i_data
                const std::string& text = request.texts[i];
                QVERIFY(text.size() >= 26 && text.size() <= 50);
                runs += std::set<char>(text.begin(), text.end()).size() == 1 ? 1 : 0;
                original += text.find("ORIGINAL") != std::string::npos ? 1 : 0;
            }
        }
        QCOMPARE(runs, profile == "sysbench-tpcc" ? 200 : 0);
        if (profile == "sysbench-tpcc")
            QCOMPARE(original, 0);
        else
            QVERIFY2(original > 4 && original < 40, qPrintable(QString::number(original)));
    }

    //! Which customer has which order: the same in each load, or of the seed.
    void customersOfTheOrders_data() { profiles(); }
    void customersOfTheOrders()
    {
        QFETCH(QString, profile);
        const auto customers = [&](std::uint64_t seed) {
            std::vector<std::int64_t> all;
            for (const Recorded& request : loaded(qPrintable(profile), kOrders, 60, seed)) {
                for (std::size_t i = 3; i < request.params.size(); i += 8)
                    all.push_back(request.number(i));
            }
            return all;
        };
        const auto first = customers(1), second = customers(2);
        QCOMPARE(first.size(), std::size_t(60));
        QCOMPARE(first == second, profile == "sysbench-tpcc");
        auto sorted = first;
        std::ranges::sort(sorted);
        for (std::size_t i = 0; i < sorted.size(); ++i)
            QCOMPARE(sorted[i], std::int64_t(i) + 1); // each once
    }
};

} // namespace dyno::tst_tpcc_profiles

DYNO_SUITE(tst_tpcc_profiles, dyno::tst_tpcc_profiles::TstTpccProfiles)
#include "tst_tpcc_profiles.moc"
