// SPDX-License-Identifier: GPL-3.0-or-later
// The brokerage workload over a session that records: its mix, its market, and what a transaction that fails leaves
// behind.
#include "support/recording_rig.h"
#include "support/suite.h"
#include "workload/brokerage/brokerage.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

namespace dyno::tst_brokerage {
using namespace dyno::test;
using namespace dyno::brokerage;

namespace {

struct Rig : RecordingRig
{
    Rig()
        : RecordingRig("brokerage", {{"customers", std::int64_t(200)}})
    {
        session.rows = {std::vector<Param>(9, Param::of(std::int64_t(1)))};
        session.answer = {.rows = 1, .affected = 1};
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
