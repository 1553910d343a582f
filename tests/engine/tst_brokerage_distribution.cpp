// SPDX-License-Identifier: GPL-3.0-or-later
// What the brokerage workload draws, by χ²: everything evenly, over as many accounts, securities, customers and brokers
// as its size says.
#include "support/chi_square.h"
#include "support/recording_rig.h"
#include "support/suite.h"
#include "workload/brokerage/brokerage.h"

#include <QTest>

#include <map>

namespace dyno::tst_brokerage_distribution {
using namespace dyno::test;
using namespace dyno::brokerage;

namespace {

constexpr std::int64_t kCustomers = 400, kAccounts = 5 * kCustomers, kSecurities = 274,
                       kBrokers = 4; // 685 of a thousand, one of a hundred

//! How often each value was drawn, from the least to the greatest that may come.
class Tally
{
public:
    void note(const char* what, std::int64_t least, std::int64_t most, std::int64_t value)
    {
        std::vector<double>& counts = m_all.try_emplace(what, std::size_t(most - least + 1), 0.0).first->second;
        ++counts.at(std::size_t(value - least));
    }
    [[nodiscard]] const std::map<std::string, std::vector<double>>& all() const { return m_all; }

private:
    std::map<std::string, std::vector<double>> m_all;
};

} // namespace

class TstBrokerageDistribution : public QObject
{
    Q_OBJECT

    static void verifyEven(const Tally& tally, std::size_t kinds)
    {
        QCOMPARE(tally.all().size(), kinds);
        for (const auto& [what, counts] : tally.all()) {
            const ChiSquare result = chiSquareUniform(counts);
            QVERIFY2(result.cells == int(counts.size()) && result.fits(),
                     qPrintable(QString::fromStdString(what) + ": " + result.text()));
        }
    }

private slots:
    void drawsOfTransactions()
    {
        RecordingRig rig("brokerage", {{"customers", kCustomers}}, {UserId(0), 1, 12});
        rig.session.rows = {std::vector<Param>(9, Param::of(std::int64_t(1)))};
        rig.session.rows[0][1] = Param::of(std::int64_t(0)); // of an order: no security, so that the market draws all
        rig.session.answer = {.rows = 1, .affected = 1};
        Tally tally;
        for (std::uint64_t i = 0; i < 200'000; ++i) {
            const auto& requests = rig.run(i);
            QVERIFY(rig.outcome == Outcome::Ok);
            bool fills = false;
            for (const Recorded& request : requests) {
                if (request.kind != RequestKind::Execute)
                    continue;
                const auto number = [&request](std::size_t place) { return request.number(place); };
                switch (request.statement) {
                case kStatusOf:
                    tally.note("account of a status", 1, kAccounts, number(0));
                    break;
                case kWatch:
                    tally.note("first security that is watched", 1, kSecurities, number(0));
                    QCOMPARE(number(1), number(0) + 19);
                    break;
                case kSecurityOf:
                    tally.note("security that is looked at", 1, kSecurities, number(0));
                    break;
                case kPositionOf:
                    tally.note("customer", 1, kCustomers, number(0));
                    break;
                case kTakeOrder:
                    fills = true;
                    break;
                case kAccountOf:
                    if (!fills)
                        tally.note("account that orders", 1, kAccounts, number(0));
                    break;
                case kPriceOf:
                    tally.note("security that is ordered", 1, kSecurities, number(0));
                    break;
                case kGiveOrder:
                    tally.note("account and side of an order", 0, 19, (number(1) - 1) * 10 / kAccounts * 2 + number(3));
                    QVERIFY(number(4) % 100 == 0);
                    tally.note("quantity of an order", 1, 8, number(4) / 100);
                    break;
                case kLookUp:
                    tally.note("account that is looked up", 1, kAccounts, number(0));
                    break;
                case kVolumeOf:
                    tally.note("broker", 1, kBrokers, number(0));
                    break;
                case kNewest:
                    tally.note("account that notes, by tens", 0, kAccounts / 10 - 1, (number(0) - 1) / 10);
                    break;
                case kMovePrice:
                    tally.note("price that is moved", 2000, 3000, number(0));
                    QVERIFY(number(1) % 100 == 0);
                    tally.note("volume that is moved", 1, 50, number(1) / 100);
                    tally.note("security that is moved", 1, kSecurities, number(2));
                    break;
                case kMaintain:
                    tally.note("tier that is set", 1, 3, number(0));
                    tally.note("customer that is changed, by tenths", 0, 9, (number(1) - 1) * 10 / kCustomers);
                    break;
                default:
                    break;
                }
            }
        }
        verifyEven(tally, 16);
    }

    //! Rows of the load; those of a size that makes a hundred thousand trades.
    void drawsOfTheLoad()
    {
        RecordingRig rig("brokerage", {{"customers", kCustomers}, {"trades_per_day", std::int64_t(80)}},
                         {UserId(0), 1, 13});
        const std::vector<TableSpec> tables = rig.instance->tables();
        Tally tally;
        std::map<std::int64_t, std::vector<double>> held;
        for (std::size_t table = 0; table < tables.size(); ++table) {
            const std::size_t columns = tables[table].columns.size();
            const std::int64_t rows = tables[table].rows;
            std::int64_t row = 0;
            for (const Recorded& request : rig.load({int(table) + 1, 1, rows})) {
                for (std::size_t at = 0; at < request.params.size(); at += columns) {
                    const auto number = [&request, at](std::size_t column) { return request.number(at + column); };
                    ++row;
                    if (table != kHolding)
                        QCOMPARE(number(0), row);
                    switch (table) {
                    case kCustomer:
                        tally.note("tier", 1, 3, number(1));
                        break;
                    case kAccount:
                        QCOMPARE(number(1), (row - 1) / 5 + 1);
                        tally.note("broker of an account", 1, kBrokers, number(2));
                        tally.note("balance by tenths", 0, 9, (number(3) - 100'000) * 10 / 9'900'001);
                        QCOMPARE(number(4), number(3));
                        break;
                    case kSecurity:
                        tally.note("exchange", 1, 4, number(1));
                        tally.note("price by tenths", 0, 9, (number(2) - 2000) * 10 / 1001);
                        break;
                    case kTrade:
                        tally.note("account of a trade", 1, kAccounts, number(1));
                        tally.note("security of a trade", 1, kSecurities, number(2));
                        tally.note("side of a trade", 0, 1, number(3));
                        tally.note("quantity of a trade", 1, 8, number(4) / 100);
                        tally.note("price of a trade", 2000, 3000, number(5));
                        QCOMPARE((number(7) - 1'104'537'600) / 86'400,
                                 (row - 1) * 300 / rows); // 2005, one day after the other
                        tally.note("minute of a trade", 0, 479, (number(7) - 1'104'537'600) % 86'400 / 60);
                        break;
                    case kHolding:
                        QCOMPARE(number(0), (row - 1) / 4 + 1);
                        QVERIFY(number(1) >= 1 && number(1) <= kSecurities);
                        tally.note("quantity of a holding", 1, 8, number(2) / 100);
                        break;
                    default:
                        break;
                    }
                }
            }
            QCOMPARE(row, rows);
        }
        verifyEven(tally, 12);
    }

    void theCountsAreOfTheSize()
    {
        const std::map<std::string, std::int64_t> wanted{{"be_customer", kCustomers},   {"be_broker", kBrokers},
                                                         {"be_account", kAccounts},     {"be_security", kSecurities},
                                                         {"be_holding", 4 * kAccounts}, {"be_trade", 1200}};
        std::map<std::string, std::int64_t> made;
        for (const TableSpec& table : RecordingRig("brokerage", {{"customers", kCustomers}}).instance->tables())
            made[table.name] = table.rows;
        QCOMPARE(made, wanted);
    }
};

} // namespace dyno::tst_brokerage_distribution

DYNO_SUITE(tst_brokerage_distribution, dyno::tst_brokerage_distribution::TstBrokerageDistribution)
#include "tst_brokerage_distribution.moc"
