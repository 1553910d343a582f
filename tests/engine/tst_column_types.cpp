// SPDX-License-Identifier: GPL-3.0-or-later
// The column types: rows as the definition has them, by χ² against closed forms that are worked out here; answers as
// SQLite adds up the loaded rows; and wrong answers, each of which fails.
#include "engine/sqlite_rig.h"
#include "support/chi_square.h"
#include "support/recording_rig.h"
#include "support/suite.h"
#include "workload/columntypes/column_types.h"

#include <QTest>

#include <map>
#include <set>

namespace dyno::tst_column_types {
using namespace dyno::test;
using namespace dyno::columntypes;

namespace {

constexpr std::uint64_t kSeed = 11;
constexpr std::int64_t kFirstPeriod = 1'546'300'800; //!< 2019-01-01 UTC

bool always()
{
    return true;
}

Settings settingsOf(const Settings& settings)
{
    Settings all;
    for (const OptionSpec& option : options())
        all.emplace(option.name, option.defaultValue);
    for (const auto& [name, value] : settings)
        all[name] = value;
    return all;
}

Params paramsOf(const Settings& settings)
{
    return parse(settingsOf(settings));
}

ChiSquare uniform(const std::map<std::int64_t, double>& counts, std::int64_t most)
{
    std::vector<double> seen;
    for (std::int64_t i = 1; i <= most; ++i)
        seen.push_back(counts.contains(i) ? counts.at(i) : 0);
    return chiSquareUniform(seen);
}

Settings small(const char* values, const char* type)
{
    return {{"rows", std::int64_t(1500)},
            {"periods", std::int64_t(40)},
            {"rounds", std::int64_t(2)},
            {"values", std::string(values)},
            {"type", std::string(type)}};
}

} // namespace

class TstColumnTypes : public QObject
{
    Q_OBJECT
private slots:
    //! Each value of a row is as likely as another, and the periods have as many rows each.
    void rowsAreUniform()
    {
        const Params params = paramsOf({{"rows", std::int64_t(60'000)},
                                        {"periods", std::int64_t(600)},
                                        {"months", std::int64_t(2)},
                                        {"values", std::string("somewhat")}});
        std::map<std::int64_t, double> numbers, servers, users, schemas, hosts, periods;
        std::map<std::string, double> digests;
        for (std::int64_t i = 1; i <= params.rows; ++i) {
            const Row row = rowOf(params, kSeed, i);
            ++numbers[row.number];
            ++servers[row.server];
            ++users[row.user];
            ++schemas[row.schema];
            ++hosts[row.host];
            ++periods[row.period];
            ++digests[std::string(row.digest.data(), row.digest.size())];
        }
        for (const auto& [counts, most] : {std::pair(&numbers, 1000), std::pair(&servers, 20), std::pair(&users, 10),
                                           std::pair(&schemas, 50), std::pair(&hosts, 200)}) {
            QCOMPARE(counts->begin()->first, 1);
            QCOMPARE(counts->rbegin()->first, most);
            const ChiSquare test = uniform(*counts, most);
            QVERIFY2(test.fits(), qPrintable(test.text()));
        }
        std::vector<double> ofDigests;
        for (const auto& [digest, count] : digests)
            ofDigests.push_back(count);
        QCOMPARE(ofDigests.size(), std::size_t(1000));
        QVERIFY(chiSquareUniform(ofDigests).fits());
        QCOMPARE(periods.size(), std::size_t(600));
        for (const auto& [period, count] : periods) {
            QCOMPARE(count, 100.0);
            QCOMPARE((period - kFirstPeriod) % (2 * 30 * 86400 / 600), 0);
        }
        QCOMPARE(periods.begin()->first, kFirstPeriod);
        QVERIFY(periods.rbegin()->first < kFirstPeriod + 2 * 30 * 86400);
    }

    //! A period has at least a second, and all of them lie within the months.
    void periodsFitIntoTheMonths()
    {
        const std::int64_t month = 30 * 86400;
        const auto bound = [](std::int64_t periods, std::int64_t months) {
            return workloadFor("column_types")
                ->bind(settingsOf({{"rows", std::int64_t(10'000'000)}, {"periods", periods}, {"months", months}}),
                       driverFor("sqlite")->info(), {});
        };
        QVERIFY(bound(month, 1));
        QVERIFY(bound(month + 1, 2));
        const auto tooMany = bound(month + 1, 1);
        QVERIFY(!tooMany);
        QCOMPARE(tooMany.error().kind, ErrorKind::BadInput);
        QVERIFY2(tooMany.error().remedy.find("2592000") != std::string::npos, tooMany.error().text().c_str());
        const Params params = paramsOf({{"rows", month}, {"periods", month}});
        QCOMPARE(rowOf(params, kSeed, month).period, kFirstPeriod + month - 1);
    }

    void compressibilityIsTheRangeOfNumbers_data()
    {
        QTest::addColumn<QString>("values");
        QTest::addColumn<double>("largest");
        QTest::newRow("very") << "very" << 1.0;
        QTest::newRow("somewhat") << "somewhat" << 1000.0;
        QTest::newRow("poorly") << "poorly" << 1e6;
    }
    //! The sum is that of uniform numbers: rows × (largest + 1) / 2, within five standard deviations.
    void compressibilityIsTheRangeOfNumbers()
    {
        QFETCH(QString, values);
        QFETCH(double, largest);
        const double rows = 100'000;
        const Params params = paramsOf({{"rows", std::int64_t(rows)}, {"values", values.toStdString()}});
        const auto answers = answersOf(params, kSeed, always);
        QVERIFY(answers);
        const double deviation = std::sqrt(rows * (largest * largest - 1) / 12);
        QVERIFY(std::abs(answers->sum - rows * (largest + 1) / 2) <= 5 * deviation);
        QCOMPARE(answers->byPeriod.size(), std::size_t(10'000));
        QCOMPARE(answers->greatest.size(), std::size_t(10));
        if (largest == 1) {
            QCOMPARE(answers->sum, rows);
            QCOMPARE(answers->greatest.back(), 10.0); // rows of each period
        }
    }

    void answersEndWhenTheyAreNotWanted()
    {
        QVERIFY(!answersOf(paramsOf({}), kSeed, [] { return false; }));
    }

    void fewRowsHaveAPeriodEach()
    {
        const auto answers =
            answersOf(paramsOf({{"rows", std::int64_t(4)}, {"values", std::string("poorly")}}), kSeed, always);
        QVERIFY(answers);
        QCOMPARE(answers->byPeriod.size(), std::size_t(4));
        QCOMPARE(answers->greatest.size(), std::size_t(4));
    }

    void answersAreThoseOfTheRows_data()
    {
        QTest::addColumn<QString>("values");
        QTest::addColumn<QString>("type");
        for (const char* values : {"very", "somewhat", "poorly"}) {
            for (const char* type : {"uint32", "uint64", "float32", "float64"})
                QTest::addRow("%s, %s", values, type) << values << type;
        }
    }
    //! All steps succeed over loaded rows, each query as often as it says and once more; over others' rows they fail.
    void answersAreThoseOfTheRows()
    {
        QFETCH(QString, values);
        QFETCH(QString, type);
        const Settings settings = small(values.toUtf8(), type.toUtf8());
        const SqliteRig loaded("column_types", settings, kSeed);
        const auto answers = answersOf(paramsOf(settings), kSeed, always);
        QVERIFY(answers);
        QCOMPARE(loaded.rows("SELECT SUM(nq_" + type.toStdString() + ") = " + std::to_string(answers->sum) +
                             ", COUNT(DISTINCT period_start) FROM column_types"),
                 (TextRows{{"1", "40"}}));
        for (const DataCheck& check : loaded.instance().checks())
            QCOMPARE(loaded.rows(check.query), (TextRows{{"0"}}));
        const auto user = loaded.user(UserId(0), 1);
        QVERIFY(loaded.instance().makeReady(WorkloadInstance::Use::Run, always, kSeed));
        for (std::uint64_t step = 0; step < 6; ++step)
            QVERIFY2(user->run(loaded.instance(), step) == Outcome::Ok, user->context.errorText().c_str());
        const IntervalSample sample = IntervalSampler(user->recorder).take();
        QCOMPARE(sample.ops.size(), std::size_t(4));
        for (const auto& [op, count] :
             {std::pair(Op::FirstSum, 1), std::pair(Op::Sum, 2), std::pair(Op::FirstTop, 1), std::pair(Op::Top, 2)})
            QCOMPARE(sample.ops[std::size_t(op)].count, std::uint64_t(count));
        if (values == "very") // all rows are alike
            return;
        QVERIFY(loaded.instance().makeReady(WorkloadInstance::Use::Run, always, kSeed + 1));
        QCOMPARE(user->run(loaded.instance(), 0), Outcome::Rejected);
        QCOMPARE(user->context.lastCode(), -1);
        QCOMPARE(user->run(loaded.instance(), 3), Outcome::Rejected);
        QCOMPARE(user->context.lastCode(), -2);
    }

    //! The queries read one column, and the period.
    void queriesReadOneColumn()
    {
        const auto instance = test::bind("column_types", {{"type", std::string("float64")}}, "sqlite");
        QCOMPARE(instance->statements().at(0).text, std::string("SELECT SUM(nq_float64) FROM column_types"));
        QCOMPARE(instance->statements().at(1).text,
                 std::string("SELECT period_start, SUM(nq_float64) AS total FROM column_types GROUP BY period_start "
                             "ORDER BY total DESC LIMIT 10"));
    }

    void wrongAnswersFail()
    {
        const Settings settings = small("somewhat", "uint32");
        const Params params = paramsOf(settings);
        const auto answers = answersOf(params, kSeed, always);
        QVERIFY(answers);
        std::map<double, std::int64_t> starts; // of the greatest sums, none of which is there twice
        for (std::size_t i = 0; i < answers->byPeriod.size(); ++i)
            starts[answers->byPeriod[i]] = kFirstPeriod + std::int64_t(i) * (30 * 86400 / 40);
        std::vector<std::vector<Param>> top;
        for (const double sum : answers->greatest)
            top.push_back({Param::of(starts.at(sum)), Param::of(sum)});
        RecordingRig rig("column_types", settings, {UserId(0), 1, kSeed});
        const auto run = [&rig](std::uint64_t step, std::vector<std::vector<Param>> rows) {
            rig.session.rows = std::move(rows);
            rig.session.answer = {.rows = std::int64_t(rig.session.rows.size())};
            (void)rig.run(step);
            return rig.outcome == Outcome::Ok ? 0 : int(rig.user.context.lastCode());
        };
        // Before the answers are known nothing can be right.
        QCOMPARE(run(0, {{Param::of(answers->sum)}}), -1);
        QVERIFY(rig.instance->makeReady(WorkloadInstance::Use::Run, always, kSeed));
        QCOMPARE(run(0, {{Param::of(answers->sum)}}), 0);
        QCOMPARE(run(0, {{Param::of(answers->sum + 1)}}), -1);
        QCOMPARE(run(1, {}), -1);
        QCOMPARE(run(3, top), 0);
        QCOMPARE(run(4, top), 0);
        auto other = top;
        std::swap(other[0], other[1]); // the greatest comes first
        QCOMPARE(run(3, other), -2);
        other = top;
        other.pop_back();
        QCOMPARE(run(3, other), -2);
        other = top;
        other[2][0] = Param::of(starts.begin()->second); // another period's sum
        QCOMPARE(run(3, other), -2);
        other = top;
        other[9][0] = Param::of(kFirstPeriod - 1);
        QCOMPARE(run(3, other), -2);
        other = top;
        other[1] = other[0]; // the same twice
        QCOMPARE(run(3, other), -2);
        QCOMPARE(run(3, {}), -2);
    }
};

} // namespace dyno::tst_column_types

DYNO_SUITE(tst_column_types, dyno::tst_column_types::TstColumnTypes)
#include "tst_column_types.moc"
