// SPDX-License-Identifier: GPL-3.0-or-later
// The TPC-C-like workload: its random values against the specification, and its transactions over a session that
// records.
#include "support/allocation_count.h"
#include "support/recording_rig.h"
#include "support/suite.h"
#include "workload/tpcc/tpcc.h"

#include <QTest>

#include <cmath>
#include <map>
#include <set>

namespace dyno::tst_tpcc {
using namespace dyno::test;
using namespace dyno::tpcc;

namespace {

const Settings kSmall{{"customers", std::int64_t(60)}, {"items", std::int64_t(200)}};

Settings with(Settings settings, const Settings& more)
{
    for (const auto& [name, value] : more)
        settings[name] = value;
    return settings;
}

struct Rig : RecordingRig
{
    explicit Rig(const Settings& params = kSmall, UserPlace place = {})
        : RecordingRig("tpcc", params, place)
    {
    }
};

std::string nameOf(std::int64_t number)
{
    std::array<char, 16> text;
    return {text.data(), Values::lastName(text.data(), number)};
}

} // namespace

class TstTpcc : public QObject
{
    Q_OBJECT
private slots:
    void optionsExplainThemselves()
    {
        const WorkloadInfo& info = workloadFor("tpcc")->info();
        QCOMPARE(info.operations.size(), kKinds);
        for (const OptionSpec& option : info.options) {
            QVERIFY2(!option.label.empty() && !option.help.empty(), option.name.c_str());
            QVERIFY2(coerce(option, option.defaultValue), option.name.c_str());
        }
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, test::bind("tpcc", {}, "null", {{"partitions", std::int64_t(4)}}));
    }

    //! Clause 4.3.2.3.
    void lastNamesAreTheSpecifications()
    {
        QCOMPARE(nameOf(371), std::string("PRICALLYOUGHT"));
        QCOMPARE(nameOf(40), std::string("BARPRESBAR"));
        QCOMPARE(nameOf(0), std::string("BARBARBAR"));
        QCOMPARE(nameOf(999), std::string("EINGEINGEING"));
    }

    //! NURand(255, 0, 999) with the constant of the load and that of the run, against all 256 × 1000 pairs that it is
    //! made of.
    void namesAreSkewedAsDefined_data()
    {
        QTest::addColumn<int>("constant");
        QTest::newRow("load") << 123;
        QTest::newRow("run") << 223; // 65 to 119 away, not 96 or 112: clause 2.1.6.1
    }
    void namesAreSkewedAsDefined()
    {
        QFETCH(int, constant);
        std::vector<double> expected(1000, 0);
        for (int a = 0; a < 256; ++a) {
            for (int b = 0; b < 1000; ++b)
                expected[std::size_t(((a | b) + constant) % 1000)] += 1 / 256'000.0;
        }
        const Values values{Params{}};
        Random random(3);
        constexpr int kDraws = 2'000'000;
        std::vector<double> seen(1000, 0);
        for (int i = 0; i < kDraws; ++i)
            ++seen.at(std::size_t(constant == 123 ? values.loadedName(random) : values.name(random)));
        double chi = 0;
        double cells = 0;
        for (std::size_t i = 0; i < 1000; ++i) {
            const double wanted = expected[i] * kDraws;
            if (wanted < 5) {
                QVERIFY(seen[i] < 30);
                continue;
            }
            chi += (seen[i] - wanted) * (seen[i] - wanted) / wanted;
            ++cells;
        }
        QVERIFY2(std::abs(chi - cells) < 5 * std::sqrt(2 * cells), qPrintable(QString("%1 of %2").arg(chi).arg(cells)));
    }

    void theMixIsTheSpecifications_data()
    {
        QTest::addColumn<QString>("profile");
        QTest::addColumn<QList<double>>("shares");
        QTest::newRow("fixed") << "dynobench" << QList<double>{45, 43, 4, 4, 4};
        QTest::newRow("others") << "sysbench-tpcc"
                                << QList<double>{1000 / 23.0, 1000 / 23.0, 100 / 23.0, 100 / 23.0, 100 / 23.0};
    }
    void theMixIsTheSpecifications()
    {
        QFETCH(QString, profile);
        QFETCH(QList<double>, shares);
        Rig rig(with(kSmall, {{"profile", profile.toStdString()}}));
        rig.session.keep = false;
        constexpr int kTransactions = 20'000;
        for (int i = 0; i < kTransactions; ++i)
            rig.user.run(*rig.instance, std::uint64_t(i));
        const IntervalSample sample = IntervalSampler(rig.user.recorder).take();
        for (std::size_t i = 0; i < kKinds; ++i) {
            const double share = shares[qsizetype(i)] / 100;
            QVERIFY2(std::abs(double(sample.ops[i].count) - kTransactions * share) <
                         4.5 * std::sqrt(kTransactions * share * (1 - share)),
                     qPrintable(QString::number(sample.ops[i].count)));
        }
        // one new order in a hundred, counted as the profile says
        const double orders = double(sample.ops[0].count);
        const double rolledBack = profile == "dynobench" ? double(sample.rollbacks) : double(sample.ops[0].errors);
        QVERIFY2(std::abs(rolledBack - orders / 100) < 4.5 * std::sqrt(orders / 100),
                 qPrintable(QString::number(rolledBack)));
        QCOMPARE(sample.rollbacks == 0, profile != "dynobench");
    }

    //! Clause 5.2.5.7: keying is constant, thinking exponential and cut at ten means: its mean is then 1 − e⁻¹⁰ of
    //! theirs.
    void keyingAndThinkingAreTheSpecifications()
    {
        constexpr std::array<double, kKinds> kKeying{18, 3, 2, 2, 2}, kThinking{12, 12, 10, 5, 5};
        constexpr int kTransactions = 60'000;
        QVERIFY(!Rig().instance->paces());
        const Settings half = with(kSmall, {{"keying_time", 0.5}, {"think_time", 0.25}});
        Rig rig(half), plain;
        QVERIFY(rig.instance->paces());
        rig.session.keep = false;
        std::array<double, kKinds> count{}, thought{}, longerThanMean{};
        double seconds = 0;
        IntervalSampler sampler(rig.user.recorder);
        for (int i = 0; i < kTransactions; ++i) {
            rig.user.context.beginTransaction(std::uint64_t(i));
            const Pauses pauses = rig.instance->pauses(rig.user.context);
            rig.user.run(*rig.instance, std::uint64_t(i));
            const IntervalSample done = sampler.take();
            const auto kind = std::size_t(std::ranges::find_if(done.ops, [](const auto& op) { return op.count > 0; }) -
                                          done.ops.begin());
            QVERIFY(kind < kKinds);
            QCOMPARE(pauses.beforeNs, std::int64_t(kKeying[kind] * 0.5 * 1e9));
            const double think = double(pauses.afterNs) * 1e-9 / 0.25;
            QVERIFY(think >= 0 && think <= 10 * kThinking[kind] + 1e-6);
            ++count[kind];
            thought[kind] += think;
            longerThanMean[kind] += think > kThinking[kind] ? 1 : 0;
            seconds += kKeying[kind] + think;
        }
        QCOMPARE(count[std::size_t(Kind::Purge)], 0.0);
        for (std::size_t kind = 0; kind < std::size_t(Kind::Purge); ++kind) {
            const double mean = thought[kind] / count[kind] / kThinking[kind],
                         share = longerThanMean[kind] / count[kind];
            QVERIFY2(std::abs(mean - (1 - std::exp(-10.0))) < 4.5 / std::sqrt(count[kind]),
                     qPrintable(QString::number(mean)));
            QVERIFY2(std::abs(share - std::exp(-1.0)) < 4.5 * std::sqrt(std::exp(-1.0) / count[kind]),
                     qPrintable(QString::number(share)));
        }
        // Ten users without any response time: the specification's bound.
        const double perMinute = 10 * 60 * count[0] / seconds;
        QVERIFY2(std::abs(perMinute - 12.86) < 0.15, qPrintable(QString::number(perMinute)));
        // A transaction is the same whether its pauses were asked for or not.
        for (std::uint64_t i = 0; i < 20; ++i) {
            Rig paced(half);
            paced.user.context.beginTransaction(i);
            (void)paced.instance->pauses(paced.user.context);
            QVERIFY(std::ranges::equal(paced.run(i), plain.run(i), [](const Recorded& a, const Recorded& b) {
                return a.kind == b.kind && a.statement == b.statement && a.params.size() == b.params.size();
            }));
        }
    }

    void statementsFit()
    {
        for (const char* driver : {"null", "sqlite"}) {
            const std::vector<std::tuple<const char*, bool, std::size_t>> profiles{
                {"dynobench", false, std::size_t(kStockOfDistrict) + 10},
                {"sysbench-tpcc", false, std::size_t(kStatusByName) + 1},
                {"sysbench-tpcc", true, std::size_t(kPurgeHistory) + 1},
                {"tpcc-mysql", false, std::size_t(kLowStockOf) + 1}};
            for (const auto& [profile, purge, statements] : profiles) {
                const auto instance =
                    test::bind("tpcc", with(kSmall, {{"profile", std::string(profile)}, {"purge", purge}}), driver);
                const StatementSet all = instance->loaderStatements();
                QCOMPARE(instance->statements().size(), statements);
                for (const StatementSpec& spec : all) {
                    QCOMPARE(std::ranges::count(spec.text, '?'), std::ptrdiff_t(spec.parameters.size()));
                    QCOMPARE(spec.returnsRows, spec.text.starts_with("SELECT"));
                    QVERIFY(std::string(driver) == "null" || spec.text.find("FOR UPDATE") == std::string::npos);
                }
            }
        }
    }

    void foreignKeys_data()
    {
        QTest::addColumn<QString>("profile");
        QTest::addColumn<QString>("wanted");
        QTest::addColumn<QString>("driver");
        QTest::addColumn<QString>("engine");
        QTest::addColumn<int>("made");
        const auto row = [](const char* profile, const char* wanted, const char* driver, const char* engine, int made) {
            QTest::addRow("%s, %s on %s %s", profile, wanted, driver, engine)
                << profile << wanted << driver << engine << made;
        };
        for (const char* profile : {"dynobench", "sysbench-tpcc", "tpcc-mysql"}) {
            const bool sysbench = QString(profile) == "sysbench-tpcc"; // whose use_fk is 1
            row(profile, "default", "mysql", "", sysbench ? 10 : 0);
            row(profile, "default", "mysql", "InnoDB", sysbench ? 10 : 0);
            row(profile, "default", "mysql", "MyISAM", 0); // keeps none
            row(profile, "default", "sqlite", "", 0);
            for (const char* driver : {"mysql", "sqlite"}) {
                row(profile, "true", driver, "", 10);
                row(profile, "false", driver, "", 0);
            }
        }
    }
    void foreignKeys()
    {
        QFETCH(QString, profile);
        QFETCH(QString, wanted);
        QFETCH(QString, driver);
        QFETCH(QString, engine);
        QFETCH(int, made);
        Settings params = with(kSmall, {{"profile", profile.toStdString()}}), knobs;
        if (wanted != "default")
            params["foreign_keys"] = wanted == "true"; // as plans had it before there was a default
        if (!engine.isEmpty())
            knobs["engine"] = engine.toStdString();
        int inTables = 0, later = 0;
        for (const TableSpec& table : test::bind("tpcc", params, driver.toStdString(), knobs)->tables()) {
            inTables += int(QString::fromStdString(table.create).count(", CONSTRAINT fkey_tpcc_"));
            later += int(table.afterAll.size());
        }
        QCOMPARE(inTables, driver == "sqlite" ? made : 0);
        QCOMPARE(later, driver == "sqlite" ? 0 : made);
    }

    //! Indexes beside the primary keys: two of the specification's requests; those programs have two and four more.
    void indexes()
    {
        const auto count = [](const char* profile) {
            std::size_t indexes = 0;
            for (const TableSpec& table :
                 test::bind("tpcc", with(kSmall, {{"profile", std::string(profile)}}), "null")->tables())
                indexes += table.afterLoad.size();
            return indexes;
        };
        QCOMPARE(count("dynobench"), std::size_t(2));
        QCOMPARE(count("tpcc-mysql"), std::size_t(4));
        QCOMPARE(count("sysbench-tpcc"), std::size_t(6));
    }

    //! Every transaction is BEGIN … COMMIT or ROLLBACK, and every value is bound as its statement says.
    void transactionsAreWhole()
    {
        Rig rig(with(kSmall, {{"warehouses", std::int64_t(7)}}), {UserId(9), 12, 4});
        std::size_t rollbacks = 0;
        for (std::uint64_t i = 0; i < 3000; ++i) {
            const auto& requests = rig.run(i);
            QVERIFY(rig.outcome == Outcome::Ok);
            QVERIFY(requests.front().kind == RequestKind::Begin);
            QVERIFY(requests.back().kind == RequestKind::Commit || requests.back().kind == RequestKind::Rollback);
            rollbacks += requests.back().kind == RequestKind::Rollback ? 1 : 0;
            for (const Recorded& request : requests) {
                if (request.kind != RequestKind::Execute)
                    continue;
                const StatementSpec& spec = rig.statements.at(request.statement);
                QCOMPARE(request.params.size(), spec.parameters.size());
                for (std::size_t p = 0; p < request.params.size(); ++p)
                    QVERIFY2(request.params[p].type == spec.parameters[p], spec.text.c_str());
                if (request.statement == kDistrictNext)
                    QCOMPARE(request.number(0), std::int64_t(9 % 7 + 1)); // its home warehouse
            }
        }
        QVERIFY(rollbacks > 0);
    }

    void aMissingRowIsAnError()
    {
        Rig rig;
        rig.session.answer.rows = 0;
        for (std::uint64_t i = 0; i < 20; ++i) {
            rig.run(i);
            // a delivery may find nothing to deliver
            QVERIFY(rig.outcome == Outcome::Rejected || rig.session.requests[1].statement == kOldestNewOrder);
        }
        QCOMPARE(rig.user.context.lastCode(), -404);
    }

    void rowsAreTheSameHoweverSliced()
    {
        const auto instance = Rig().instance;
        const auto tables = instance->tables();
        for (std::size_t table = 0; table < tables.size(); ++table) {
            const std::int64_t rows = std::min<std::int64_t>(tables[table].rows, 700);
            const auto values = [&](std::int64_t step) {
                Rig rig(kSmall, {UserId(0), 1, 3});
                for (std::int64_t first = 1; first <= rows; first += step) {
                    const LoadSlice slice{int(table) + 1, first, std::min(rows, first + step - 1)};
                    if (complete(rig.instance->load(rig.user.context, slice), rig.user.context) != Outcome::Ok)
                        return std::vector<std::string>();
                }
                std::vector<std::string> all;
                for (const Recorded& request : rig.session.requests) {
                    for (std::size_t i = 0; i < request.params.size(); ++i)
                        all.push_back(std::to_string(request.number(i)) + '|' + std::to_string(request.params[i].real) +
                                      request.texts[i]);
                }
                return all;
            };
            const auto once = values(rows);
            QCOMPARE(once.size(), std::size_t(rows) * tables[table].columns.size());
            QCOMPARE(values(37), once);
        }
    }

    //! Each customer of a district has one order, and orders have 5 to 15 lines, each number about as often.
    void ordersAreDealtOut()
    {
        Params params;
        const OrderPlan plan(params, 8, 3), other(params, 8, 4);
        std::set<std::int64_t> customers;
        std::map<std::int64_t, int> lines;
        bool differs = false;
        for (std::int64_t order = 1; order <= params.customers; ++order) {
            customers.insert(plan.customerOf(order));
            differs = differs || plan.customerOf(order) != other.customerOf(order);
            ++lines[OrderPlan::linesOf(params, order)];
        }
        QCOMPARE(customers.size(), std::size_t(3000));
        QVERIFY(*customers.begin() == 1 && *customers.rbegin() == 3000 && differs);
        QCOMPARE(lines.size(), std::size_t(11));
        QVERIFY(lines.begin()->first == 5 && lines.rbegin()->first == 15);
        for (const auto& [number, count] : lines)
            QVERIFY(count == 272 || count == 273);
        const auto specs = test::bind("tpcc", {}, "null")->tables();
        QCOMPARE(specs[kOrderLine].rows, std::int64_t(299'880));
        QCOMPARE(specs[kNewOrders].rows, std::int64_t(9000));
        QCOMPARE(specs[kStock].rows, std::int64_t(100'000));
    }

    void aTransactionAllocatesNothing()
    {
        Rig rig;
        rig.session.keep = false;
        std::uint64_t sequence = 0;
        for (; sequence < 500; ++sequence)
            rig.user.run(*rig.instance, sequence);
        const std::uint64_t before = allocations();
        for (; sequence < 3000; ++sequence)
            rig.user.run(*rig.instance, sequence);
        QCOMPARE(allocations() - before, std::uint64_t(0));
    }
};

} // namespace dyno::tst_tpcc

DYNO_SUITE(tst_tpcc, dyno::tst_tpcc::TstTpcc)
#include "tst_tpcc.moc"
