// SPDX-License-Identifier: GPL-3.0-or-later
// What iiBench's rows and queries hold, by χ² against the closed forms of its original programs: over the statements
// that users send.
#include "support/chi_square.h"
#include "support/recording_rig.h"
#include "support/suite.h"

#include <QTest>

#include <array>
#include <cmath>
#include <map>

namespace dyno::tst_iibench_distribution {
using namespace dyno::test;

namespace {

constexpr std::int64_t kRegisters = 1000, kCustomers = 100'000, kProducts = 10'000, kPrices = 500;
constexpr int kRows = 200'000;

//! A row's values but for number, time and texts.
struct Row
{
    std::int64_t cashRegister = 0, customer = 0, product = 0;
    double price = 0;
    std::string text; //!< the first one
};

//! Of inserts, or of the load.
std::vector<Row> rowsOf(const std::string& form, bool load)
{
    const std::size_t texts = form == "purchases" ? 0 : 1, columns = 5 + texts + (load ? 1 : 0);
    Settings params{
        {"form", form}, {"rows_per_commit", std::int64_t(1000)}, {"initial_rows", std::int64_t(load ? kRows : 0)}};
    if (texts > 0) // the same share of random letters as by default, of fewer letters
        params.insert(
            {{"text_fields", std::int64_t(1)}, {"text_length", std::int64_t(10)}, {"text_random", std::int64_t(30)}});
    RecordingRig rig("iibench", params, {UserId(0), 1, 51});
    std::vector<Row> rows;
    const auto take = [&](const std::vector<Recorded>& requests) {
        for (const Recorded& request : requests) {
            if (request.params.size() % columns != 0)
                throw std::runtime_error("rows have other columns");
            for (std::size_t at = load ? 1 : 0; at < request.params.size(); at += columns) {
                const Param& price = request.params[at + 4];
                rows.push_back({request.number(at + 1), request.number(at + 2), request.number(at + 3),
                                price.type == Param::Type::Real ? price.real : double(price.integer),
                                texts > 0 ? request.texts[at + 5] : ""});
            }
        }
    };
    if (load) {
        for (std::int64_t first = 1; first <= kRows; first += 10'000)
            take(rig.load({1, first, first + 9999}));
    } else {
        for (std::uint64_t i = 0; i < kRows / 1000; ++i)
            take(rig.run(i));
    }
    return rows;
}

class Tally
{
public:
    void note(const char* what, std::int64_t cells, std::int64_t cell)
    {
        std::vector<double>& counts = m_all.try_emplace(what, std::size_t(cells), 0.0).first->second;
        ++counts.at(std::size_t(cell));
    }
    void verifyEven() const
    {
        for (const auto& [what, counts] : m_all) {
            const ChiSquare result = chiSquareUniform(counts);
            QVERIFY2(result.cells == int(counts.size()) && result.fits(),
                     qPrintable(QString::fromStdString(what) + ": " + result.text()));
        }
    }
    [[nodiscard]] const std::vector<double>& of(const char* what) const { return m_all.at(what); }

private:
    std::map<std::string, std::vector<double>> m_all;
};

} // namespace

class TstIibenchDistribution : public QObject
{
    Q_OBJECT

    static void forms()
    {
        QTest::addColumn<QString>("form");
        for (const char* form : {"mytools", "mongodb", "purchases"})
            QTest::newRow(form) << form;
    }

private slots:
    void rowsAreAsDefined_data()
    {
        QTest::addColumn<QString>("form");
        QTest::addColumn<bool>("load");
        for (const char* form : {"mytools", "mongodb", "purchases"}) {
            QTest::addRow("%s, inserted", form) << form << false;
            QTest::addRow("%s, loaded", form) << form << true;
        }
    }
    //! Cash registers 0 … 999, customers 0 … 99 999, products 0 … 9999, each by itself; prices 0 … 499, or (500 u +
    //! customer) / 100 with u from 0 to 1, which the first form rounds to cents: 0 and 500 come half as often as the
    //! cents between.
    void rowsAreAsDefined()
    {
        QFETCH(QString, form);
        QFETCH(bool, load);
        const std::vector<Row> rows = rowsOf(form.toStdString(), load);
        QCOMPARE(rows.size(), std::size_t(kRows));
        const bool tuples = form != "mytools", cents = form == "purchases";
        Tally tally;
        std::vector<double> ownCents(kPrices + 1, 0);
        for (const Row& row : rows) {
            QVERIFY(row.cashRegister >= 0 && row.cashRegister < kRegisters && row.customer >= 0 &&
                    row.customer < kCustomers && row.product >= 0 && row.product < kProducts);
            tally.note("cash register", kRegisters, row.cashRegister);
            tally.note("customer, by tens", kCustomers / 10, row.customer / 10);
            tally.note("customer's last digits", 100, row.customer % 100);
            tally.note("product", kProducts, row.product);
            const double own = tuples ? row.price * 100 - double(row.customer) : row.price;
            QVERIFY(own > -1e-6 && own <= kPrices + (cents ? 1e-6 : 0));
            if (cents)
                ++ownCents.at(std::size_t(std::llround(own)));
            else
                tally.note("price", kPrices, std::int64_t(std::floor(own + 1e-9)));
            const std::array<std::int64_t, 4> tenths{row.cashRegister * 10 / kRegisters, row.customer * 10 / kCustomers,
                                                     row.product * 10 / kProducts,
                                                     std::min<std::int64_t>(9, std::int64_t(own * 10 / kPrices))};
            tally.note("register and customer", 100, tenths[0] * 10 + tenths[1]);
            tally.note("register and product", 100, tenths[0] * 10 + tenths[2]);
            tally.note("customer and product", 100, tenths[1] * 10 + tenths[2]);
            if (!cents) {
                tally.note("register and price", 100, tenths[0] * 10 + tenths[3]);
                tally.note("customer and price", 100, tenths[1] * 10 + tenths[3]);
                tally.note("product and price", 100, tenths[2] * 10 + tenths[3]);
            }
            if (row.text.empty())
                continue;
            // three random letters behind the piece that all rows have in mytools, before it in mongodb
            const std::size_t at = form == "mytools" ? 7 : 0;
            const std::string letters = row.text.substr(at, 3);
            QCOMPARE(std::string(row.text).erase(at, 3), std::string(rows.front().text).erase(at, 3));
            std::int64_t number = 0;
            for (const char letter : letters) {
                QVERIFY(letter >= 'a' && letter <= 'z');
                number = number * 26 + (letter - 'a');
            }
            tally.note("letters", 26 * 26 * 26, number);
        }
        tally.verifyEven();
        if (!cents)
            return;
        std::vector<double> wanted(kPrices + 1, double(kRows) / kPrices);
        wanted.front() = wanted.back() = wanted.front() / 2;
        const ChiSquare result = chiSquare(wanted, ownCents);
        QVERIFY2(result.cells == kPrices + 1 && result.fits(), qPrintable(result.text()));
    }

    void queriesAreAsDefined_data() { forms(); }
    //! Which of the three comes is drawn in mytools and purchases, and mongodb takes them in turn; their values are of
    //! the same kind as the rows'. Tuples begin with all their fields, and name the first ones again for the
    //! alternatives.
    void queriesAreAsDefined()
    {
        QFETCH(QString, form);
        const bool tuples = form != "mytools", cents = form == "purchases";
        constexpr int kQueries = 60'000;
        RecordingRig rig("iibench", {{"form", form.toStdString()}, {"query_users", std::int64_t(1)}},
                         {UserId(0), 1, 52});
        Tally tally;
        std::array<double, 3> kinds{};
        for (std::uint64_t i = 0; i < kQueries; ++i) {
            const Recorded& request = rig.run(i).at(0);
            const std::size_t kind = request.statement - 1; // after the insert: market, register, pdc
            ++kinds.at(kind);
            const auto price = [&](std::size_t place, std::int64_t customer) {
                const double own = request.params.at(place).real * 100 - double(customer);
                if (!cents)
                    tally.note("price of a tuple", kPrices, std::int64_t(std::floor(own + 1e-9)));
                else if (const std::int64_t whole = std::llround(own); whole > 0 && whole < kPrices)
                    tally.note("price of a tuple", kPrices - 1, whole - 1);
            };
            if (!tuples) {
                constexpr std::array<std::int64_t, 3> kCells{kProducts / 10, kRegisters, kPrices};
                constexpr std::array<const char*, 3> kNames{"product", "register", "price"};
                tally.note(kNames[kind], kCells[kind], kind == 0 ? request.number(0) / 10 : request.number(0));
            } else if (kind == 0) {
                tally.note("customer of a price", 1000, request.number(1) * 1000 / kCustomers);
                price(0, request.number(1));
            } else if (kind == 1) {
                tally.note("register of a tuple", kRegisters, request.number(0));
                tally.note("customer of a register", 1000, request.number(2) * 1000 / kCustomers);
                price(1, request.number(2));
            } else {
                tally.note("customer of a time", 1000, request.number(2) * 1000 / kCustomers);
                price(0, request.number(2));
            }
        }
        tally.verifyEven();
        const ChiSquare ofKinds = chiSquareUniform({kinds.begin(), kinds.end()});
        QVERIFY2(form == "mongodb" ? ofKinds.value == 0 : ofKinds.value > 0 && ofKinds.fits(),
                 qPrintable(ofKinds.text()));
    }

    void keysAreEven()
    {
        constexpr int kKnown = 1000, kAsked = 10;
        RecordingRig rig("iibench",
                         {{"query_users", std::int64_t(1)},
                          {"query_primary_key", true},
                          {"initial_rows", std::int64_t(kKnown)},
                          {"query_limit", std::int64_t(kAsked)}},
                         {UserId(0), 1, 53});
        Tally tally;
        for (std::uint64_t i = 0; i < 10'000; ++i) {
            const Recorded& request = rig.run(i).at(0);
            QCOMPARE(request.params.size(), std::size_t(kAsked));
            for (std::size_t k = 0; k < kAsked; ++k) {
                QVERIFY(request.number(k) >= 1 && request.number(k) <= kKnown);
                tally.note("number", kKnown, request.number(k) - 1);
            }
            tally.note("two numbers of one query", 100,
                       (request.number(0) - 1) / 100 * 10 + (request.number(1) - 1) / 100);
        }
        tally.verifyEven();
    }

    //! Loaded rows are a thousand a second from 2020 on, as text in mytools and purchases.
    void loadedTimesRise()
    {
        for (const char* form : {"mytools", "mongodb", "purchases"}) {
            RecordingRig rig("iibench", {{"form", std::string(form)}, {"initial_rows", std::int64_t(5000)}},
                             {UserId(0), 1, 54});
            const std::size_t columns = rig.instance->tables().at(0).columns.size();
            std::int64_t row = 0;
            for (const Recorded& request : rig.load({1, 1, 5000})) {
                for (std::size_t at = 0; at < request.params.size(); at += columns) {
                    ++row;
                    QCOMPARE(request.number(at), row);
                    const std::int64_t seconds = row / 1000; // milliseconds of the number itself
                    if (std::string(form) == "mongodb")
                        QCOMPARE(request.number(at + 1), 1'577'836'800'000 + row);
                    else
                        QCOMPARE(request.texts[at + 1], "2020-01-01 00:00:0" + std::to_string(seconds));
                }
            }
            QCOMPARE(row, std::int64_t(5000));
        }
    }
};

} // namespace dyno::tst_iibench_distribution

DYNO_SUITE(tst_iibench_distribution, dyno::tst_iibench_distribution::TstIibenchDistribution)
#include "tst_iibench_distribution.moc"
