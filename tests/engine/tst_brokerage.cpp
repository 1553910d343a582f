// SPDX-License-Identifier: GPL-3.0-or-later
// The brokerage workload over a session that records: its mix, its market, and what a transaction that fails leaves behind.
#include "support/recording_rig.h"
#include "workload/brokerage/brokerage.h"

#include <QTest>

#include <cmath>
#include <map>

using namespace dyno;
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

QTEST_GUILESS_MAIN(TstBrokerage)
#include "tst_brokerage.moc"
