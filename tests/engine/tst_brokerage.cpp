// SPDX-License-Identifier: GPL-3.0-or-later
// The brokerage workload over a session that records: its mix, its market, and what a transaction that fails leaves
// behind.
#include "support/recording_rig.h"
#include "support/suite.h"
#include "workload/brokerage/brokerage.h"

#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>

namespace dyno::tst_brokerage {
using namespace dyno::test;
using namespace dyno::brokerage;

namespace {

struct Rig : RecordingRig
{
    explicit Rig(Settings more = {})
        : RecordingRig("brokerage", with(std::move(more)))
    {
        session.rows = {std::vector<Param>(9, Param::of(std::int64_t(1)))};
        session.answer = {.rows = 1, .affected = 1};
    }
    static Settings with(Settings more)
    {
        more.emplace("customers", std::int64_t(200));
        return more;
    }
    std::vector<std::uint64_t> counts()
    {
        const IntervalSample sample = IntervalSampler(user.recorder).take();
        std::vector<std::uint64_t> counts;
        for (const OpInterval& op : sample.ops)
            counts.push_back(op.count);
        return counts;
    }
};

} // namespace

class TstBrokerage : public QObject
{
    Q_OBJECT
private slots:
    //! χ² against tpce-mysql's weights; results take what orders have given, so that one of them is missing at most.
    void mixIsAsPublished()
    {
        Rig rig;
        rig.session.keep = false;
        const int transactions = 50'000;
        for (std::uint64_t i = 0; i < transactions; ++i)
            QVERIFY(rig.user.run(*rig.instance, i) == Outcome::Ok);
        const std::vector<std::uint64_t> counts = rig.counts();
        const double weights[] = {190, 180, 140, 130, 101, 100, 80, 49, 20, 9, 1};
        double chi = 0;
        for (std::size_t i = 0; i < kKinds; ++i) {
            const double expected = transactions * weights[i] / 1000, off = double(counts[i]) - expected;
            if (i != std::size_t(Kind::TradeOrder) && i != std::size_t(Kind::TradeResult))
                chi += off * off / expected;
        }
        QVERIFY2(chi < 28, qPrintable(QString::number(chi))); // 8 degrees of freedom: exceeded once in 2000 times
        const double market = double(counts[4] + counts[5]), expected = transactions * 0.201;
        QVERIFY(std::abs(market - expected) < 5 * std::sqrt(expected));
        QVERIFY(counts[5] <= counts[4] && double(counts[5]) > transactions * 0.09);
    }

    //! What was counted beside tpce-mysql in ten seconds: 4166 transactions with 46 272 SELECTs, 5214 UPDATEs, 385
    //! DELETEs and 3468 INSERTs. All of the full model's stand between BEGIN and COMMIT.
    void asManyStatementsAsCounted()
    {
        Rig rig({{"model", std::string("full")}, {"trades_per_day", std::int64_t(10)}});
        rig.session.rows = std::vector<std::vector<Param>>(20, std::vector<Param>(9, Param::of(std::int64_t(1))));
        std::map<std::string, double> sorts;
        double all = 0;
        constexpr int kTransactions = 30'000;
        for (std::uint64_t i = 0; i < kTransactions; ++i) {
            const auto& requests = rig.run(i);
            QVERIFY(rig.outcome == Outcome::Ok);
            QVERIFY(requests.front().kind == RequestKind::Begin && requests.back().kind == RequestKind::Commit);
            for (const Recorded& request : requests) {
                if (request.kind != RequestKind::Execute)
                    continue;
                ++sorts[rig.text(request).substr(0, 6)];
                ++all;
            }
        }
        const std::map<std::string, double> counted{
            {"SELECT", 46'272}, {"UPDATE", 5214}, {"DELETE", 385}, {"INSERT", 3468}};
        double wanted = 0;
        for (const auto& [sort, count] : counted) {
            const double each = count / 4166, found = sorts[sort] / kTransactions;
            wanted += each;
            QVERIFY2(std::abs(found - each) < each * 0.15,
                     qPrintable(QString("%1: %2, not %3").arg(sort.c_str()).arg(found).arg(each)));
        }
        QVERIFY2(std::abs(all / kTransactions - wanted) < wanted * 0.03,
                 qPrintable(QString::number(all / kTransactions)));
    }

    //! What an order that is filled does, one after the other.
    void aFilledOrderOfTheFullModel()
    {
        Rig rig({{"model", std::string("full")}});
        const std::vector<int> wanted{kTakeOrder,   kRequestOf, kOwnerOf,       kPriceOf, kAccountOf,  kHoldingOf,
                                      kFill,        kFees,      kHold,          kSettle,  kCommission, kTradedVolume,
                                      kDropRequest, kAddState,  kAddSettlement, kAddCash, kLogHolding};
        const std::vector<int> given{kOwnerOf, kAccountOf, kBrokerOf,  kSecurityOf, kCompanyOf, kRecentOf,
                                     kPriceOf, kHoldingOf, kGiveOrder, kAddRequest, kAddState,  kAddState};
        int filled = 0, orders = 0;
        for (std::uint64_t i = 0; i < 2000; ++i) {
            std::vector<int> statements;
            for (const Recorded& request : rig.run(i)) {
                if (request.kind == RequestKind::Execute)
                    statements.push_back(int(request.statement));
            }
            if (std::ranges::find(statements, int(kTakeOrder)) != statements.end()) {
                QCOMPARE(statements, wanted);
                QCOMPARE(rig.session.requests.at(14).texts.at(1), std::string("CMPT"));
                ++filled;
            }
            if (std::ranges::find(statements, int(kGiveOrder)) == statements.end())
                continue;
            QCOMPARE(statements, given);
            const Recorded& order = rig.session.requests.at(9);
            QCOMPARE(order.texts.at(7), std::string(order.number(3) == 1 ? "TMB" : "TMS"));
            QCOMPARE(rig.session.requests.at(11).texts.at(1) + rig.session.requests.at(12).texts.at(1),
                     std::string("PNDGSBMT"));
            ++orders;
        }
        QVERIFY(filled > 100 && orders > 100);
    }

    //! The rows of the full model have the reduced one's numbers, and columns of other types beside them.
    void rowsOfTheFullModel()
    {
        Rig reduced, full({{"model", std::string("full")}});
        const auto plain = reduced.instance->tables(), mixed = full.instance->tables();
        QCOMPARE(plain.size(), std::size_t(6));
        QCOMPARE(mixed.size(), std::size_t(14));
        std::set<std::string> types;
        static const QRegularExpression type(" (BIGINT|INT|SMALLINT|TINYINT|DECIMAL|DATE|DATETIME|CHAR|VARCHAR)\\b");
        for (std::size_t table = 0; table < mixed.size(); ++table) {
            auto matches = type.globalMatch(QString::fromStdString(mixed[table].create));
            while (matches.hasNext())
                types.insert(matches.next().captured(1).toStdString());
            const std::int64_t rows = std::min<std::int64_t>(40, mixed[table].rows);
            QCOMPARE(mixed[table].rows == 0, table >= std::size_t(kRequests)); // orders and logs come with the run
            if (rows == 0)
                continue;
            const LoadSlice slice{int(table) + 1, 1, rows};
            std::vector<Recorded> rowsOf = full.load(slice);
            std::erase_if(rowsOf, [](const Recorded& one) { return one.kind != RequestKind::Execute; });
            const std::size_t columns = mixed[table].columns.size();
            QCOMPARE(rowsOf.size(), std::size_t(rows));
            for (const Recorded& row : rowsOf) {
                QCOMPARE(row.params.size(), columns);
                for (std::size_t i = 0; i < columns; ++i) {
                    const QString create = QString::fromStdString(mixed[table].create);
                    const QRegularExpression of(
                        QString("%1 (\\w+)(?:\\((\\d+))?").arg(mixed[table].columns[i].c_str()));
                    const auto match = of.match(create);
                    const QString kind = match.captured(1);
                    if (kind.endsWith("INT"))
                        QVERIFY(row.params[i].type == Param::Type::Integer);
                    else if (kind == "DECIMAL")
                        QVERIFY(row.params[i].type == Param::Type::Real);
                    else if (kind.startsWith("DATE"))
                        QVERIFY2(QRegularExpression(kind == "DATE" ? "^\\d{4}-\\d\\d-\\d\\d$"
                                                                   : "^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$")
                                     .match(QString::fromStdString(row.texts[i]))
                                     .hasMatch(),
                                 row.texts[i].c_str());
                    else
                        QVERIFY2(!row.texts[i].empty() && int(row.texts[i].size()) <= match.captured(2).toInt(),
                                 row.texts[i].c_str());
                }
            }
            if (table >= plain.size())
                continue;
            std::vector<Recorded> numbers = reduced.load(slice);
            std::erase_if(numbers, [](const Recorded& one) { return one.kind != RequestKind::Execute; });
            for (std::size_t row = 0; row < numbers.size(); ++row) {
                for (std::size_t i = 0; i < plain[table].columns.size(); ++i) {
                    QCOMPARE(plain[table].columns[i], mixed[table].columns[i]);
                    QCOMPARE(rowsOf[row].number(i), numbers[row].number(i));
                }
            }
        }
        QCOMPARE(types.size(), std::size_t(9));
    }

    //! Prices move of what was traded, in the order of the trades, of each once; where fewer than ten wait the rest is
    //! drawn. A feed that fails leaves them to the next. There are more trades than feeds tell: of those that wait the
    //! last 1024 are remembered.
    void theMarketTellsOfTrades()
    {
        Rig rig;
        constexpr std::size_t kRemembered = 1024, kSecurities = 137; // 685 of a thousand customers
        std::deque<std::int64_t> waiting;
        std::size_t forgotten = 0;
        int feeds = 0, fed = 0, failed = 0;
        std::map<std::int64_t, int> drawn;
        for (std::uint64_t i = 0; i < 160'000; ++i) {
            const std::int64_t security = 1 + std::int64_t(i * 31 % kSecurities);
            rig.session.rows = {std::vector<Param>(9, Param::of(security))};
            rig.session.requests.clear();
            rig.session.failAt = i % 7 == 3 ? rig.session.seen + 5 : 0;
            const bool done = rig.user.run(*rig.instance, i) == Outcome::Ok;
            std::vector<std::int64_t> moved;
            for (const Recorded& request : rig.session.requests) {
                if (request.kind != RequestKind::Execute)
                    continue;
                if (request.statement == kMovePrice)
                    moved.push_back(request.number(2));
                if (request.statement == kCommission && done)
                    waiting.push_back(security);
            }
            for (; waiting.size() > kRemembered; ++forgotten)
                waiting.pop_front();
            if (moved.empty())
                continue;
            QVERIFY(std::ranges::is_sorted(moved));
            if (!done) {
                ++failed; // those it took wait behind the others now
                const std::size_t taken = std::min<std::size_t>(10, waiting.size());
                waiting.insert(waiting.end(), waiting.begin(), waiting.begin() + std::ptrdiff_t(taken));
                waiting.erase(waiting.begin(), waiting.begin() + std::ptrdiff_t(taken));
                continue;
            }
            ++feeds;
            QCOMPARE(moved.size(), std::size_t(10));
            for (int tick = 0; tick < 10 && !waiting.empty(); ++tick, ++fed) {
                const auto found = std::ranges::find(moved, waiting.front());
                QVERIFY2(found != moved.end(), qPrintable(QString("feed %1, tick %2").arg(feeds).arg(tick)));
                moved.erase(found);
                waiting.pop_front();
            }
            for (const std::int64_t one : moved) {
                QVERIFY(one >= 1 && one <= std::int64_t(kSecurities));
                ++drawn[one];
            }
        }
        QVERIFY2(feeds > 1000 && failed > 100 && fed > 9 * feeds && forgotten > 0,
                 qPrintable(QString("%1 feeds, %2 failed, %3 trades, %4 forgotten")
                                .arg(feeds)
                                .arg(failed)
                                .arg(fed)
                                .arg(forgotten)));
        QVERIFY(!drawn.empty());
    }

    //! Each order is filled once; one whose filling fails comes again.
    void ordersAreFilledOnce()
    {
        Rig rig;
        std::map<std::int64_t, int> given, filled;
        std::uint64_t failures = 0;
        for (std::uint64_t i = 0; i < 5000; ++i) {
            rig.session.requests.clear();
            rig.session.failAt = i % 10 == 3 ? rig.session.seen + 3 : 0;
            const bool done = rig.user.run(*rig.instance, i) == Outcome::Ok;
            failures += !done;
            for (const Recorded& request : rig.session.requests) {
                if (request.kind == RequestKind::Execute && request.statement == kGiveOrder && done)
                    ++given[request.number(0)];
                if (request.kind == RequestKind::Execute && request.statement == kFill && done)
                    ++filled[request.number(0)];
            }
        }
        QVERIFY(failures > 50 && filled.size() > 300);
        for (const auto& [order, times] : filled) {
            QCOMPARE(times, 1);
            QCOMPARE(given[order], 1);
        }
    }
};

} // namespace dyno::tst_brokerage

DYNO_SUITE(tst_brokerage, dyno::tst_brokerage::TstBrokerage)
#include "tst_brokerage.moc"
