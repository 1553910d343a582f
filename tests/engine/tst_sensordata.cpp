// SPDX-License-Identifier: GPL-3.0-or-later
// The time series of sensors: values, sensors and times as the definition has them, by χ² against closed forms that are
// worked out here, over rows that were loaded and inserted into SQLite and over the requests that users send.
#include "engine/sqlite_rig.h"
#include "support/chi_square.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>

namespace dyno::tst_sensordata {
using namespace dyno::test;

namespace {

constexpr double kRange = 1e6; //!< of values
constexpr int kSensors = 50;
constexpr int kLoaded = 20'000, kInserts = 400, kPerInsert = 50;
constexpr std::int64_t kFirstTime = 1'356'998'400; //!< 2013-01-01 UTC

QString told(const ChiSquare& result)
{
    return QString("χ² %1, limit %2, of %3 cells").arg(result.value).arg(result.limit).arg(result.cells);
}

//! How many of `values` lie below each of `ends` and not below the one before; all lie below the last.
std::vector<double> countsBetween(const std::vector<double>& values, const std::vector<double>& ends)
{
    std::vector<double> counts(ends.size(), 0);
    for (const double value : values)
        ++counts.at(std::size_t(std::ranges::upper_bound(ends, value) - ends.begin()));
    return counts;
}

//! `share(x)`: P(value < x).
template<class Share>
std::vector<double> expectedBetween(const std::vector<double>& ends, double all, Share share)
{
    std::vector<double> expected;
    double before = 0;
    for (const double end : ends) {
        expected.push_back(all * (share(end) - before));
        before = share(end);
    }
    return expected;
}

ChiSquare uniformOver(const std::map<std::int64_t, double>& counts, std::int64_t low, std::int64_t high, double all)
{
    std::vector<double> seen;
    for (std::int64_t i = low; i <= high; ++i)
        seen.push_back(counts.contains(i) ? counts.at(i) : 0);
    return chiSquare(std::vector<double>(seen.size(), all / double(seen.size())), seen);
}

} // namespace

class TstSensordata : public QObject
{
    Q_OBJECT

    //! Loaded, with as many readings again that two users inserted in turn.
    static std::unique_ptr<SqliteRig> filled(const QString& key, const QString& values)
    {
        auto rig = std::make_unique<SqliteRig>("sensordata",
                                               Settings{{"key", key.toStdString()},
                                                        {"values", values.toStdString()},
                                                        {"sensors", std::int64_t(kSensors)},
                                                        {"initial_rows", std::int64_t(kLoaded)},
                                                        {"rows_per_insert", std::int64_t(kPerInsert)}},
                                               20);
        const auto first = rig->user(UserId(0), 2), second = rig->user(UserId(1), 2);
        for (std::uint64_t i = 0; i < kInserts / 2; ++i) {
            if (first->run(rig->instance(), i) != Outcome::Ok || second->run(rig->instance(), i) != Outcome::Ok)
                throw std::runtime_error("an insert failed");
        }
        return rig;
    }

private slots:
    //! Percona's table of 2013, where all columns but cnt are NOT NULL.
    void theTableIsAsPublished()
    {
        std::string values;
        for (const char* name : {"data1", "data2", "data3", "data4", "data5"})
            values += std::string(name) + " DOUBLE NOT NULL, ";
        const auto create = [](const char* driver, const char* key) {
            return QString::fromStdString(
                test::bind("sensordata", {{"key", std::string(key)}}, driver)->tables().front().create);
        };
        const QString columns = QString::fromStdString("(ts INT UNSIGNED NOT NULL, sensor_id INT UNSIGNED NOT NULL, " +
                                                       values + "cnt INT UNSIGNED, ");
        QVERIFY2(create("mysql", "sensor").contains(columns + "PRIMARY KEY (sensor_id, ts))"),
                 qPrintable(create("mysql", "sensor")));
        QVERIFY2(
            create("mysql", "time").contains(columns + "PRIMARY KEY (ts, sensor_id), KEY by_sensor (sensor_id, ts))"),
            qPrintable(create("mysql", "time")));
        QVERIFY(create("sqlite", "sensor").contains(", cnt INTEGER, PRIMARY KEY (sensor_id, ts))"));
    }

    void valuesAreAsDefined_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("values");
        for (const char* key : {"sensor", "time"}) {
            for (const char* values : {"uniform", "pareto"})
                QTest::addRow("%s, key by %s", values, key) << key << values;
        }
    }
    //! Uniform over [0, 10^6). Pareto as sysbench has it: ⌊10^6·u^p⌋ with p = ln h / ln(1 − h) and h = 0.2, so that the
    //! share of values below a whole number x is (x / 10^6)^(1/p).
    void valuesAreAsDefined()
    {
        QFETCH(QString, key);
        QFETCH(QString, values);
        const bool pareto = values == "pareto";
        const auto rig = filled(key, values);
        constexpr double kAll = kLoaded + kInserts * kPerInsert;
        const double power = std::log(1 - 0.2) / std::log(0.2);
        const auto share = [=](double x) { return pareto ? std::pow(x / kRange, power) : x / kRange; };
        std::vector<double> ends;
        for (int i = 1; i <= 100; ++i) // each about as likely as the others
            ends.push_back(pareto ? std::ceil(kRange * std::pow(i / 100.0, 1 / power)) : kRange * i / 100);
        ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
        QVERIFY(ends.size() > 80 && ends.back() == kRange);
        const std::vector<double> expected = expectedBetween(ends, kAll, share);

        std::array<std::vector<double>, 5> columns;
        std::map<std::int64_t, double> counters;
        for (const auto& row : rig->rows("SELECT data1, data2, data3, data4, data5, cnt FROM sensordata")) {
            for (std::size_t i = 0; i < columns.size(); ++i)
                columns[i].push_back(std::stod(row[i]));
            ++counters[std::stoll(row[5])];
        }
        std::vector<double> together(ends.size(), 0); // a fit over all of them sees smaller faults
        double below = 0;
        for (const std::vector<double>& column : columns) {
            QCOMPARE(double(column.size()), kAll);
            QVERIFY(std::ranges::min(column) >= 0 && std::ranges::max(column) < kRange);
            const bool whole = std::ranges::all_of(column, [](double value) { return value == std::floor(value); });
            QCOMPARE(whole, pareto);
            const std::vector<double> counts = countsBetween(column, ends);
            const ChiSquare result = chiSquare(expected, counts);
            QVERIFY2(result.cells > 80 && result.fits(), qPrintable(told(result)));
            std::ranges::transform(together, counts, together.begin(), std::plus<>());
            below += double(std::ranges::count_if(column, [](double value) { return value < 0.2 * kRange; }));
        }
        const ChiSquare all = chiSquare(expectedBetween(ends, 5 * kAll, share), together);
        QVERIFY2(all.fits(), qPrintable(told(all)));
        // What h = 0.2 means: a fifth of the range has four fifths of the values; within five standard deviations.
        const double wanted = pareto ? 0.8 : 0.2;
        QVERIFY2(std::abs(below / (5 * kAll) - wanted) < 5 * std::sqrt(wanted * (1 - wanted) / (5 * kAll)),
                 qPrintable(QString::number(below)));
        const ChiSquare counter = uniformOver(counters, 0, 999, kAll);
        QVERIFY2(counters.size() == 1000 && counter.fits(), qPrintable(told(counter)));
    }

    //! Each column has draws of its own: of two of them all pairs of tenths are alike.
    void columnsAreIndependent()
    {
        const auto rig = filled("sensor", "uniform");
        constexpr double kAll = kLoaded + kInserts * kPerInsert;
        const TextRows rows = rig->rows("SELECT data1, data2, data3, data4, data5, cnt * 1000.0 FROM sensordata");
        for (std::size_t a = 0; a < 6; ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                std::vector<double> pairs(100, 0);
                for (const auto& row : rows)
                    ++pairs.at(std::size_t(std::stod(row[a]) / kRange * 10) * 10 +
                               std::size_t(std::stod(row[b]) / kRange * 10));
                const ChiSquare result = chiSquare(std::vector<double>(100, kAll / 100), pairs);
                QVERIFY2(result.fits(), qPrintable(told(result)));
            }
        }
    }

    void keysAndTimes_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("columns");
        QTest::newRow("sensor") << "sensor"
                                << "sensor_id ts";
        QTest::newRow("time") << "time"
                              << "ts sensor_id";
    }
    //! The columns of the primary key stand in its order; each sensor has one reading at each time, so that sensors are
    //! alike, and times rise as rows come.
    void keysAndTimes()
    {
        QFETCH(QString, key);
        QFETCH(QString, columns);
        const auto rig = filled(key, "uniform");
        QStringList ordered;
        for (const auto& row : rig->rows("SELECT name FROM pragma_table_info('sensordata') WHERE pk > 0 ORDER BY pk"))
            ordered << QString::fromStdString(row[0]);
        QCOMPARE(ordered.join(' '), columns);
        QStringList second;
        for (const auto& row : rig->rows("SELECT name FROM pragma_index_info('by_sensor') ORDER BY seqno"))
            second << QString::fromStdString(row[0]);
        QCOMPARE(second.join(' '), key == "time" ? "sensor_id ts" : "");

        constexpr int kAll = kLoaded + kInserts * kPerInsert, kTimes = kAll / kSensors;
        std::map<std::int64_t, double> sensors, times;
        std::int64_t newest = 0;
        for (const auto& row : rig->rows("SELECT sensor_id, ts FROM sensordata ORDER BY rowid")) {
            ++sensors[std::stoll(row[0])];
            ++times[std::stoll(row[1]) - kFirstTime];
            const std::int64_t time = std::stoll(row[1]);
            if (times.size() * kSensors > std::size_t(kLoaded)) { // several loaders work beside each other
                QVERIFY(time >= newest);
                newest = time;
            }
        }
        QCOMPARE(sensors.size(), std::size_t(kSensors));
        QCOMPARE(sensors.begin()->first, std::int64_t(1));
        QCOMPARE(sensors.rbegin()->first, std::int64_t(kSensors));
        QVERIFY(std::ranges::all_of(sensors, [](const auto& sensor) { return sensor.second == kTimes; }));
        QCOMPARE(times.size(), std::size_t(kTimes));
        QCOMPARE(times.begin()->first, std::int64_t(0));
        QCOMPARE(times.rbegin()->first, std::int64_t(kTimes - 1));
        QVERIFY(std::ranges::all_of(times, [](const auto& time) { return time.second == kSensors; }));
    }

    void aggregatesAskAllAlike_data()
    {
        QTest::addColumn<qlonglong>("retention");
        QTest::addColumn<qlonglong>("oldest");
        // 10 000 readings of 50 sensors are of the times 0 … 199; a span of 20 of them begins at 180 at the latest.
        QTest::newRow("all readings") << 0ll << 0ll;
        QTest::newRow("those that are kept") << 60ll << 139ll;
    }
    //! χ² of the sensors and of the first times that aggregates ask for, as they are sent.
    void aggregatesAskAllAlike()
    {
        QFETCH(qlonglong, retention);
        QFETCH(qlonglong, oldest);
        constexpr int kAsked = 50'000, kSpan = 20;
        const auto instance = test::bind("sensordata",
                                         {{"sensors", std::int64_t(kSensors)},
                                          {"initial_rows", std::int64_t(10'000)},
                                          {"query_users", std::int64_t(1)},
                                          {"range", std::int64_t(kSpan)},
                                          {"retention", std::int64_t(retention)}},
                                         "null");
        TestUser user(std::make_unique<RecordingSession>(), 3, {UserId(3), 4, 9});
        auto& session = static_cast<RecordingSession&>(*user.session);
        std::map<std::int64_t, double> sensors, from;
        for (std::uint64_t i = 0; i < kAsked; ++i) {
            session.requests.clear();
            QVERIFY(user.run(*instance, i) == Outcome::Ok);
            QCOMPARE(session.requests.size(), std::size_t(1));
            const Recorded& asked = session.requests.front();
            QCOMPARE(asked.statement, std::size_t(1));
            ++sensors[asked.number(0)];
            ++from[asked.number(1) - kFirstTime];
            QCOMPARE(asked.number(2), asked.number(1) + kSpan - 1);
        }
        QVERIFY(sensors.begin()->first == 1 && sensors.rbegin()->first == kSensors);
        const ChiSquare chosen = uniformOver(sensors, 1, kSensors, kAsked);
        QVERIFY2(chosen.fits(), qPrintable(told(chosen)));
        QCOMPARE(from.begin()->first, std::int64_t(oldest));
        QCOMPARE(from.rbegin()->first, std::int64_t(180));
        const ChiSquare begun = uniformOver(from, oldest, 180, kAsked);
        QVERIFY2(begun.fits(), qPrintable(told(begun)));
    }

    //! Of each sensor in turn, what is older than the newest reading by more than is kept.
    void oldReadingsGoInTurn()
    {
        constexpr int kKept = 30, kDone = 3 * kSensors;
        const auto instance = test::bind("sensordata",
                                         {{"sensors", std::int64_t(kSensors)},
                                          {"rows_per_insert", std::int64_t(kSensors)},
                                          {"retention", std::int64_t(kKept)}},
                                         "null");
        TestUser user(std::make_unique<RecordingSession>(), 3, {UserId(0), 1, 9});
        auto& session = static_cast<RecordingSession&>(*user.session);
        for (std::uint64_t i = 0; i < kDone; ++i) {
            session.requests.clear();
            QVERIFY(user.run(*instance, i) == Outcome::Ok);
            QCOMPARE(session.requests.size(), std::size_t(2));
            QCOMPARE(session.requests[0].statement, std::size_t(0));
            QCOMPARE(session.requests[0].number(0), kFirstTime + std::int64_t(i));
            QCOMPARE(session.requests[1].statement, std::size_t(2));
            QCOMPARE(session.requests[1].number(0), std::int64_t(1 + i % kSensors));
            QCOMPARE(session.requests[1].number(1), kFirstTime + std::int64_t(i) - kKept);
        }
    }
};

} // namespace dyno::tst_sensordata

DYNO_SUITE(tst_sensordata, dyno::tst_sensordata::TstSensordata)
#include "tst_sensordata.moc"
