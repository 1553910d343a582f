// SPDX-License-Identifier: GPL-3.0-or-later
// What the TPC-C-like workload's transactions draw, by χ² against the specification's closed forms: customers, items
// and names by NURand (2.1.6), everything else evenly. At the specification's own size, over a session that records.
#include "support/chi_square.h"
#include "support/recording_rig.h"
#include "support/suite.h"
#include "workload/tpcc/tpcc.h"

#include <QTest>

#include <array>
#include <bit>
#include <cmath>
#include <map>

namespace dyno::tst_tpcc_distribution {
using namespace dyno::test;
using namespace dyno::tpcc;

namespace {

constexpr std::int64_t kCustomers = 3000, kItems = 100'000, kNames = 1000;
constexpr std::int64_t kOfCustomers = 1023, kOfItems = 8191, kOfNames = 255; //!< NURand's A
//! NURand's C: any number from 0 to A, the same throughout a run; that of the names 65 to 119 from the load's.
constexpr std::int64_t kCustomerConstant = 389, kItemConstant = 5113, kNameConstant = 223;

//! The shares of x, x + 1 … y as ((random(0, a) | random(x, y)) + c) mod (y − x + 1) + x has them; `a` is a power of
//! two less 1, so that each bit of it that a number of x … y lacks is set or not, with even chances.
std::vector<double> nurand(std::int64_t a, std::int64_t x, std::int64_t y, std::int64_t c)
{
    const std::int64_t n = y - x + 1;
    std::vector<double> shares(std::size_t(n), 0);
    for (std::int64_t number = x; number <= y; ++number) {
        const std::int64_t open = a & ~number;
        const double each = 1 / double(n) / double(std::int64_t(1) << std::popcount(std::uint64_t(open)));
        for (std::int64_t set = open;; set = (set - 1) & open) {
            shares[std::size_t(((number | set) + c) % n)] += each;
            if (set == 0)
                break;
        }
    }
    return shares;
}

//! The same with a constant that is drawn from 0 … a at each call, as two other programs have it.
std::vector<double> redrawn(std::int64_t a, std::int64_t x, std::int64_t y)
{
    const std::vector<double> shares = nurand(a, x, y, 0);
    const auto n = std::int64_t(shares.size());
    std::vector<double> sums{0}; // up to each place, twice around
    for (std::int64_t i = 0; i < 2 * n; ++i)
        sums.push_back(sums.back() + shares[std::size_t(i % n)]);
    const double once = sums[std::size_t(n)];
    std::vector<double> result;
    for (std::int64_t i = 0; i < n; ++i) { // of the places i − a … i; a may go around several times
        const std::int64_t whole = (a + 1) / n, rest = (a + 1) % n;
        result.push_back((double(whole) * once + sums[std::size_t(i + n + 1)] - sums[std::size_t(i + n + 1 - rest)]) /
                         double(a + 1));
    }
    return result;
}

//! Clause 4.3.2.3.
std::map<std::string, std::size_t> numbersOfNames()
{
    constexpr std::array<const char*, 10> kSyllables{"BAR", "OUGHT", "ABLE",  "PRI",   "PRES",
                                                     "ESE", "ANTI",  "CALLY", "ATION", "EING"};
    std::map<std::string, std::size_t> numbers;
    for (std::size_t number = 0; number < std::size_t(kNames); ++number)
        numbers[std::string(kSyllables[number / 100]) + kSyllables[number / 10 % 10] + kSyllables[number % 10]] =
            number;
    return numbers;
}

ChiSquare fit(const std::vector<double>& shares, const std::vector<double>& counts)
{
    double all = 0;
    for (const double count : counts)
        all += count;
    std::vector<double> expected;
    for (const double share : shares)
        expected.push_back(share * all);
    return chiSquare(expected, counts);
}

//! How often each value was drawn, less the least one.
struct Draws
{
    std::vector<double> orderingCustomers = std::vector<double>(kCustomers, 0), otherCustomers = orderingCustomers;
    std::vector<double> items = std::vector<double>(kItems, 0), names = std::vector<double>(kNames, 0);
    std::map<std::string, std::vector<double>> even;

    void note(const char* what, std::int64_t least, std::int64_t most, std::int64_t value)
    {
        std::vector<double>& counts = even.try_emplace(what, std::size_t(most - least + 1), 0.0).first->second;
        ++counts.at(std::size_t(value - least));
    }
};

//! Of so many transactions of a user of the third of five warehouses.
Draws drawsOf(const std::string& profile, int transactions)
{
    RecordingRig rig("tpcc",
                     {{"profile", profile}, {"warehouses", std::int64_t(5)}, {"warehouse", std::string("home")}},
                     {UserId(2), 10, 7});
    const std::map<std::string, std::size_t> numbers = numbersOfNames();
    if (profile != "dynobench") // a stock level asks for each item that it was told
        rig.session.rows = {std::vector<Param>(4, Param::of(std::int64_t(7)))};
    Draws draws;
    for (int i = 0; i < transactions; ++i) {
        bool byName = false;
        for (const Recorded& request : rig.run(std::uint64_t(i))) {
            if (request.kind != RequestKind::Execute)
                continue;
            switch (request.statement) {
            case kCustomerTax:
                ++draws.orderingCustomers.at(std::size_t(request.number(2) - 1));
                draws.note("district", 1, 10, request.number(1));
                break;
            case kAddOrder:
                draws.note("lines", 5, 15, request.number(5));
                break;
            case kItemPrice:
                if (request.number(0) >= 1 && request.number(0) <= kItems) // else the one that does not exist
                    ++draws.items.at(std::size_t(request.number(0) - 1));
                break;
            case kAddLine:
                draws.note("quantity", 1, 10, request.number(6));
                if (request.number(5) != 3)
                    draws.note("other supplier", 1, 4, request.number(5) - (request.number(5) > 3 ? 1 : 0));
                break;
            case kCustomersByName:
            case kStatusByName:
                byName = true;
                ++draws.names.at(numbers.at(request.texts.at(2)));
                break;
            case kCustomerForPayment:
            case kCustomerStatus:
                if (!byName)
                    ++draws.otherCustomers.at(std::size_t(request.number(2) - 1));
                break;
            case kAddHistory: {
                const bool other = request.number(1) != request.number(4);
                if (other)
                    draws.note("district of another's customer", 1, 10, request.number(0));
                draws.note("district that is paid to", 1, 10, request.number(3));
                const auto cents = std::int64_t(std::llround(request.params.at(6).real * 100));
                const bool whole = profile == "sysbench-tpcc"; // 1 to 5000, else 1.00 to 5000.00
                draws.note("amount", 0, 499, whole ? (cents / 100 - 1) / 10 : (cents - 100) * 500 / 499'901);
                break;
            }
            case kOrderCarrier:
                if (request.number(2) == 1) // of ten districts' one
                    draws.note("carrier", 1, 10, request.number(0));
                break;
            case kLowStock:
                draws.note("threshold", 10, 20, request.number(5));
                break;
            case kLowStockOf: // of each item; the answers have one
                draws.note("threshold", 10, 20, request.number(2));
                break;
            default:
                break;
            }
        }
    }
    return draws;
}

} // namespace

class TstTpccDistribution : public QObject
{
    Q_OBJECT
private slots:
    //! The closed form itself, against all pairs of a small one.
    void closedForm()
    {
        std::vector<double> pairs(300, 0), calls(300, 0);
        for (int a = 0; a < 64; ++a) {
            for (int b = 1; b <= 300; ++b) {
                pairs[std::size_t(((a | b) + 17) % 300)] += 1 / 19'200.0;
                for (int c = 0; c < 64; ++c)
                    calls[std::size_t(((a | b) + c) % 300)] += 1 / 19'200.0 / 64;
            }
        }
        const std::vector<double> form = nurand(63, 1, 300, 17), formOfCalls = redrawn(63, 1, 300);
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            QVERIFY(std::abs(form[i] - pairs[i]) < 1e-12);
            QVERIFY(std::abs(formOfCalls[i] - calls[i]) < 1e-12);
        }
    }

    void keysAreAsDefined_data()
    {
        QTest::addColumn<QString>("profile");
        for (const char* profile : {"dynobench", "sysbench-tpcc", "tpcc-mysql"})
            QTest::newRow(profile) << profile;
    }
    //! NURand(1023, 1, 3000), NURand(8191, 1, 100 000) and NURand(255, 0, 999) with the run's constants, or with one
    //! for each call; and what the draws must not be taken for.
    void keysAreAsDefined()
    {
        QFETCH(QString, profile);
        const Draws draws = drawsOf(profile.toStdString(), 100'000);
        struct Key
        {
            const char* name;
            const std::vector<double>& counts;
            std::int64_t a, x, y, c;
        };
        const Key keys[] = {
            {"customer of an order", draws.orderingCustomers, kOfCustomers, 1, kCustomers, kCustomerConstant},
            {"customer of another transaction", draws.otherCustomers, kOfCustomers, 1, kCustomers, kCustomerConstant},
            {"item", draws.items, kOfItems, 1, kItems, kItemConstant},
            {"name", draws.names, kOfNames, 0, kNames - 1, kNameConstant}};
        for (const Key& key : keys) {
            const bool ours = profile == "dynobench";
            const ChiSquare one = fit(nurand(key.a, key.x, key.y, key.c), key.counts),
                            calls = fit(redrawn(key.a, key.x, key.y), key.counts);
            const ChiSquare& right = ours ? one : calls;
            QVERIFY2(right.cells > 500 && right.fits(), qPrintable(QString("%1: %2").arg(key.name, right.text())));
            QVERIFY2(!(ours ? calls : one).fits(), key.name);
            if (!ours)
                continue;
            QVERIFY2(!fit(nurand(key.a, key.x, key.y, key.c + 1), key.counts).fits(), key.name);
            QVERIFY2(!fit(nurand(key.a / 2, key.x, key.y, key.c), key.counts).fits(), key.name);
            QVERIFY2(!fit(nurand(key.a * 2 + 1, key.x, key.y, key.c), key.counts).fits(), key.name);
            QVERIFY2(!chiSquareUniform(key.counts).fits(), key.name);
        }
    }

    void theRestIsEven_data() { keysAreAsDefined_data(); }
    void theRestIsEven()
    {
        QFETCH(QString, profile);
        const Draws draws = drawsOf(profile.toStdString(), 60'000);
        std::vector<std::string> wanted{"amount",
                                        "carrier",
                                        "district",
                                        "district of another's customer",
                                        "district that is paid to",
                                        "lines",
                                        "other supplier",
                                        "quantity",
                                        "threshold"};
        if (profile == "sysbench-tpcc") { // no other warehouses
            std::erase(wanted, "other supplier");
            std::erase(wanted, "district of another's customer");
        }
        std::vector<std::string> seen;
        for (const auto& [name, counts] : draws.even) {
            seen.push_back(name);
            const ChiSquare result = chiSquareUniform(counts);
            QVERIFY2(result.cells == int(counts.size()) && result.fits(),
                     qPrintable(QString::fromStdString(name) + ": " + result.text()));
        }
        QCOMPARE(seen, wanted);
    }
};

} // namespace dyno::tst_tpcc_distribution

DYNO_SUITE(tst_tpcc_distribution, dyno::tst_tpcc_distribution::TstTpccDistribution)
#include "tst_tpcc_distribution.moc"
