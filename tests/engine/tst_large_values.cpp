// SPDX-License-Identifier: GPL-3.0-or-later
// Large values: how long they are, what they are made of and what is done with them, by χ² against closed forms that
// are worked out here, over rows that were loaded into SQLite and over the requests that a user sends.
#include "engine/sqlite_rig.h"
#include "support/chi_square.h"
#include "support/recording_rig.h"
#include "support/suite.h"

#include <QTest>

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace dyno::tst_large_values {
using namespace dyno::test;

namespace {

constexpr std::array<const char*, 6> kOps{"read",   "read_part",    "read_other",
                                          "update", "update_other", "insert"}; // by statement
constexpr std::size_t kReadPart = 1, kUpdate = 3, kInsert = 5;

QString told(const ChiSquare& result)
{
    return QString("χ² %1, limit %2, of %3 cells").arg(result.value).arg(result.limit).arg(result.cells);
}

//! Of the standard normal distribution, up to x.
double normal(double x)
{
    return std::erfc(-x / std::sqrt(2.0)) / 2;
}

//! P(size = least … most), one after the other: log-normal sizes are rounded, and what lies outside counts as the
//! limit.
std::vector<double> sharesOf(const QString& sizes, double size, double sigma, int least, int most)
{
    std::vector<double> shares;
    double before = 0;
    for (int value = least; value <= most; ++value) {
        const double next = value == most ? 1 : normal((std::log(value + 0.5) - std::log(size)) / sigma);
        shares.push_back(sizes == "uniform" ? 1.0 / (most - least + 1) : next - before);
        before = next;
    }
    return shares;
}

ChiSquare fit(const std::vector<double>& shares, const std::vector<double>& counts, double all)
{
    std::vector<double> expected;
    std::ranges::transform(shares, std::back_inserter(expected), [all](double share) { return share * all; });
    // The last cells expect too little to stand alone and would be left out: they go to the one before.
    std::vector<double> seen = counts;
    while (expected.back() < 5) {
        expected[expected.size() - 2] += expected.back();
        seen[seen.size() - 2] += seen.back();
        expected.pop_back();
        seen.pop_back();
    }
    return chiSquare(expected, seen);
}

//! Weights of the operations in the order of kOps.
Settings mixOf(const std::array<int, 6>& weights, Settings more = {})
{
    for (std::size_t i = 0; i < kOps.size(); ++i)
        more[kOps[i]] = std::int64_t(weights[i]);
    return more;
}

//! A user over a session that keeps what it sends.
struct Rig : RecordingRig
{
    explicit Rig(const Settings& params)
        : RecordingRig("large_values", params, {UserId(0), 1, 33})
    {
    }
    //! The one request of a transaction.
    const Recorded& run(std::uint64_t sequence)
    {
        if (RecordingRig::run(sequence).size() != 1 || outcome != Outcome::Ok)
            throw std::runtime_error("a transaction is one request");
        return session.requests.front();
    }
};

} // namespace

class TstLargeValues : public QObject
{
    Q_OBJECT
private slots:
    //! Several values of a row are of one length, differ, and are all replaced.
    void severalValuesOfARow()
    {
        const Settings three{{"values", std::int64_t(3)}, {"rows", std::int64_t(40)}, {"size", std::int64_t(300)}};
        const SqliteRig loaded("large_values", three, 5);
        QCOMPARE(loaded.rows("SELECT id FROM large_values").size(), std::size_t(40));
        QCOMPARE(loaded
                     .rows("SELECT id FROM large_values WHERE LENGTH(data) = size AND LENGTH(data2) = size AND "
                           "LENGTH(data3) = size AND data <> data2 AND data2 <> data3 AND data <> data3")
                     .size(),
                 std::size_t(40));
        Rig update(mixOf({0, 0, 0, 1, 0, 0}, three));
        const Recorded& change = update.run(0);
        QCOMPARE(update.text(change),
                 std::string("UPDATE large_values SET size=?, data=?, data2=?, data3=? WHERE id=?"));
        QCOMPARE(change.params.size(), std::size_t(5));
        for (std::size_t i = 1; i <= 3; ++i)
            QCOMPARE(std::int64_t(change.texts[i].size()), change.number(0));
        QVERIFY(change.texts[1] != change.texts[2] && change.texts[2] != change.texts[3]);
        Rig read(mixOf({1, 0, 0, 0, 0, 0}, three));
        QCOMPARE(read.text(read.run(0)), std::string("SELECT data, data2, data3 FROM large_values WHERE id=?"));
    }

    //! A table that begins empty takes inserts alone.
    void rowsThatOnlyInsertsMake()
    {
        const Settings empty{{"rows", std::int64_t(0)},
                             {"values", std::int64_t(20)},
                             {"size_distribution", std::string("constant")},
                             {"size", std::int64_t(10'240)}};
        Rig insert(mixOf({0, 0, 0, 0, 0, 1}, empty));
        const Recorded& row = insert.run(0);
        QCOMPARE(row.params.size(), std::size_t(21));
        QCOMPARE(row.number(0), std::int64_t(10'240));
        for (std::size_t i = 1; i <= 20; ++i)
            QCOMPARE(row.texts[i].size(), std::size_t(10'240));
        QCOMPARE(insert.instance->tables().at(0).rows, std::int64_t(0));
        QVERIFY_EXCEPTION_THROWN(Rig(mixOf({0, 0, 1, 0, 0, 1}, empty)), std::runtime_error);
        // A row that is too large is an answer, in the code of the driver's dialect; anything else is an error.
        for (const auto& [driver, tooLarge] : {std::pair("null", 1118), std::pair("sqlite", SQLITE_TOOBIG)}) {
            for (const std::int32_t code : {1118, SQLITE_TOOBIG, 1062}) {
                RecordingRig rig("large_values", test::bind("large_values", mixOf({0, 0, 0, 0, 0, 1}, empty), driver),
                                 {UserId(0), 1, 33});
                rig.session.failAt = 1;
                rig.session.failure = {Outcome::Rejected, code};
                const bool refused = code == tooLarge;
                QVERIFY(rig.user.run(*rig.instance, 0) == (refused ? Outcome::Ok : Outcome::Rejected));
                QVERIFY(rig.user.run(*rig.instance, 1) == Outcome::Ok);
                const IntervalSample sample = IntervalSampler(rig.user.recorder).take();
                QCOMPARE(sample.ops[kInsert].count, std::uint64_t(1));
                QCOMPARE(sample.ops[kInsert].errors, std::uint64_t(refused ? 0 : 1));
                QCOMPARE(sample.ops[kInsert + 1].count, std::uint64_t(refused ? 1 : 0));
            }
        }
    }

    //! SQLite's answer to a row of more than a billion bytes, which needs no memory for it.
    void sqliteSaysTooLarge()
    {
        const SqliteRig rig("large_values", {{"rows", std::int64_t(1)}}, 5);
        const auto user = rig.user(UserId(0), 1);
        const std::string text = "INSERT INTO large_values (version, size, data) VALUES (0, 1, zeroblob(1000000001))";
        const Reply reply = complete(stepOf(user->context, Request::sql(text)), user->context);
        QVERIFY(reply.outcome == Outcome::Rejected);
        QCOMPARE(driverFor("sqlite")->info().sql.rowTooLarge, std::vector<std::int32_t>{reply.code});
    }

    void sizesAreAsDefined_data()
    {
        QTest::addColumn<QString>("sizes");
        QTest::addColumn<double>("sigma");
        QTest::addColumn<int>("least");
        QTest::addColumn<int>("most");
        QTest::newRow("uniform") << "uniform" << 1.0 << 64 << 563;
        QTest::newRow("log-normal") << "lognormal" << 1.0 << 1 << 6000;
        QTest::newRow("log-normal, close together") << "lognormal" << 0.3 << 1 << 6000;
        QTest::newRow("log-normal, cut at both ends") << "lognormal" << 1.5 << 100 << 900;
    }
    //! Of loaded rows, of replaced values and of inserted ones.
    void sizesAreAsDefined()
    {
        QFETCH(QString, sizes);
        QFETCH(double, sigma);
        QFETCH(int, least);
        QFETCH(int, most);
        constexpr int kMedian = 400, kRows = 30'000;
        const Settings params{{"rows", std::int64_t(kRows)},     {"size_distribution", sizes.toStdString()},
                              {"size", std::int64_t(kMedian)},   {"sigma", sigma},
                              {"size_min", std::int64_t(least)}, {"size_max", std::int64_t(most)}};
        const std::vector<double> shares = sharesOf(sizes, kMedian, sigma, least, most);

        const SqliteRig loaded("large_values", params, 5);
        std::vector<double> counts(shares.size(), 0);
        for (const auto& row : loaded.rows("SELECT LENGTH(data), size, COUNT(*) FROM large_values GROUP BY 1, 2")) {
            QCOMPARE(row[0], row[1]);
            counts.at(std::size_t(std::stoll(row[0]) - least)) += std::stod(row[2]);
        }
        if (shares.front() * kRows > 30) // within the limits, and both of them are reached
            QVERIFY(counts.front() > 0 && counts.back() > 0);
        const ChiSquare ofLoad = fit(shares, counts, kRows);
        QVERIFY2(ofLoad.cells > 50 && ofLoad.fits(), qPrintable(told(ofLoad)));
        if (sizes == "lognormal") { // half of them lie above the median; five standard deviations
            double above = 0;
            for (int value = kMedian + 1; value <= most; ++value)
                above += counts[std::size_t(value - least)];
            const double atMedian = counts[std::size_t(kMedian - least)];
            QVERIFY2(std::abs(above + atMedian / 2 - kRows / 2.0) < 5 * std::sqrt(kRows) / 2,
                     qPrintable(QString::number(above)));
        }

        for (const std::size_t op : {kUpdate, kInsert}) {
            std::array<int, 6> only{};
            only[op] = 1;
            Rig rig(mixOf(only, params));
            std::ranges::fill(counts, 0);
            for (std::uint64_t i = 0; i < kRows; ++i) {
                const Recorded& sent = rig.run(i);
                QCOMPARE(sent.statement, op);
                QCOMPARE(sent.number(0), std::int64_t(sent.texts.at(1).size()));
                ++counts.at(sent.texts[1].size() - std::size_t(least));
            }
            const ChiSquare ofRun = fit(shares, counts, kRows);
            QVERIFY2(ofRun.cells > 50 && ofRun.fits(), qPrintable(told(ofRun)));
        }
    }

    //! Constant sizes, and log-normal ones without a spread.
    void sizesOfOneKind()
    {
        const Settings kinds[] = {
            {{"size_distribution", std::string("constant")}, {"size", std::int64_t(777)}},
            {{"size_distribution", std::string("lognormal")}, {"size", std::int64_t(777)}, {"sigma", 0.0}}};
        for (Settings params : kinds) {
            params["rows"] = std::int64_t(200);
            const SqliteRig rig("large_values", params, 5);
            const TextRows rows =
                rig.rows("SELECT LENGTH(data), size, COUNT(*), COUNT(DISTINCT data) FROM large_values GROUP BY 1, 2");
            QCOMPARE(rows.size(), std::size_t(1));
            QCOMPARE(rows[0], (std::vector<std::string>{"777", "777", "200", "200"}));
        }
    }

    //! Of each 256 bytes the first ones are other ones in each row, the rest is the same in all.
    void theRandomPartIsAsLargeAsAsked()
    {
        for (const double share : {0.0, 25.0, 50.0, 100.0}) {
            constexpr std::size_t kSize = 600, kRows = 400;
            const SqliteRig rig("large_values",
                                {{"rows", std::int64_t(kRows)},
                                 {"size_distribution", std::string("constant")},
                                 {"size", std::int64_t(kSize)},
                                 {"random_share", share}},
                                5);
            std::array<std::set<char>, kSize> seen;
            for (const auto& row : rig.rows("SELECT data FROM large_values")) {
                QCOMPARE(row[0].size(), kSize);
                for (std::size_t i = 0; i < kSize; ++i)
                    seen[i].insert(row[0][i]);
            }
            for (std::size_t i = 0; i < kSize; ++i)
                QVERIFY2((seen[i].size() > 1) == (double(i % 256) < share / 100 * 256),
                         qPrintable(QString("%1 at %2").arg(share).arg(i)));
        }
    }

    void theMixIsAsAsked_data()
    {
        QTest::addColumn<QList<int>>("weights");
        QTest::newRow("by default") << QList<int>{30, 30, 20, 10, 5, 5};
        QTest::newRow("as asked") << QList<int>{1, 2, 3, 5, 8, 13};
        QTest::newRow("without three") << QList<int>{0, 70, 0, 20, 0, 10};
    }
    //! χ² of the operations that are recorded and of the statements that are sent; each row of the load is alike.
    void theMixIsAsAsked()
    {
        QFETCH(QList<int>, weights);
        constexpr int kDone = 60'000, kRows = 300;
        Settings params{
            {"rows", std::int64_t(kRows)}, {"size_distribution", std::string("constant")}, {"size", std::int64_t(10)}};
        if (QTest::currentDataTag() != QByteArray("by default")) {
            std::array<int, 6> given{};
            std::ranges::copy(weights, given.begin());
            params = mixOf(given, params);
        }
        Rig rig(params);
        std::array<double, 6> sent{};
        std::vector<double> rows(kRows, 0);
        double chosen = 0;
        for (std::uint64_t i = 0; i < kDone; ++i) {
            const Recorded& request = rig.run(i);
            ++sent.at(request.statement);
            if (request.statement == kInsert)
                continue;
            ++chosen;
            ++rows.at(std::size_t(request.params.back().integer - 1)); // WHERE id=? comes last
        }
        const IntervalSample recorded = IntervalSampler(rig.user.recorder).take();
        double all = 0;
        for (const int weight : weights)
            all += weight;
        std::vector<double> expected, seen;
        for (std::size_t op = 0; op < kOps.size(); ++op) {
            QCOMPARE(double(recorded.ops[op].count), sent[op]);
            if (weights[qsizetype(op)] == 0) {
                QCOMPARE(sent[op], 0.0);
                continue;
            }
            expected.push_back(kDone * weights[qsizetype(op)] / all);
            seen.push_back(sent[op]);
        }
        const ChiSquare mix = chiSquare(expected, seen);
        QVERIFY2(mix.cells == int(expected.size()) && mix.fits(), qPrintable(told(mix)));
        const ChiSquare ofRows = chiSquare(std::vector<double>(kRows, chosen / kRows), rows);
        QVERIFY2(ofRows.fits(), qPrintable(told(ofRows)));
    }

    //! Places are alike from the value's start (0) to its end (1000 thousandths); the part lies within the value, and a
    //! shorter value comes whole.
    void partsLieWithinTheValue()
    {
        constexpr int kDone = 50'000, kPart = 100;
        Settings params{{"rows", std::int64_t(60)},
                        {"size_distribution", std::string("uniform")},
                        {"size_min", std::int64_t(50)},
                        {"size_max", std::int64_t(400)},
                        {"part", std::int64_t(kPart)}};
        params = mixOf({0, 1, 0, 0, 0, 0}, params);
        Rig rig(params);
        std::vector<double> places(1001, 0);
        for (std::uint64_t i = 0; i < kDone; ++i) {
            const Recorded& request = rig.run(i);
            QCOMPARE(request.statement, kReadPart);
            ++places.at(std::size_t(request.number(2)));
        }
        QVERIFY(places.front() > 0 && places.back() > 0);
        const ChiSquare result = chiSquare(std::vector<double>(1001, kDone / 1001.0), places);
        QVERIFY2(result.cells > 900 && result.fits(), qPrintable(told(result)));

        const SqliteRig loaded("large_values", params, 5);
        const std::string text = loaded.instance().statements().at(kReadPart).text;
        for (const auto& row : loaded.rows("SELECT id, data FROM large_values")) {
            for (const int place : {0, 500, 1000}) {
                std::string query;
                const std::string values[] = {std::to_string(kPart), std::to_string(kPart), std::to_string(place),
                                              std::to_string(kPart), row[0]};
                std::size_t next = 0;
                for (const char c : text)
                    query += c == '?' ? values[next++] : std::string(1, c);
                const std::size_t spare = row[1].size() > kPart ? row[1].size() - kPart : 0;
                QCOMPARE(loaded.rows(query).at(0).at(0), row[1].substr(spare * std::size_t(place) / 1000, kPart));
            }
        }
    }
};

} // namespace dyno::tst_large_values

DYNO_SUITE(tst_large_values, dyno::tst_large_values::TstLargeValues)
#include "tst_large_values.moc"
