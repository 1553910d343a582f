// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"
#include "metrics/recorder.h"
#include "support/suite.h"

#include <QTest>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

namespace dyno::tst_recorder {

namespace {

constexpr OpId kRead{0};
constexpr OpId kWrite{1};

//! Adds up intervals as a reader of the session would.
struct Sum
{
    Histogram transaction, response, read, write;
    std::uint64_t failures = 0, writeErrors = 0, retried = 0, reconnects = 0;
    std::uint64_t rows = 0, rollbacks = 0, lateStarts = 0;
    std::map<std::int32_t, std::uint64_t> errors;

    void add(const IntervalSample& sample)
    {
        QCOMPARE(sample.ops.size(), std::size_t(2));
        QCOMPARE(sample.transaction.count, sample.transaction.service.count());
        transaction.merge(sample.transaction.service);
        response.merge(sample.transaction.response);
        read.merge(sample.ops[0].service);
        write.merge(sample.ops[1].service);
        failures += sample.transaction.errors;
        writeErrors += sample.ops[1].errors;
        retried += sample.retried;
        reconnects += sample.reconnects;
        rows += sample.rows;
        rollbacks += sample.rollbacks;
        lateStarts += sample.client.lateStarts;
        for (const auto& [code, count] : sample.errors)
            errors[code] += count;
    }
};

} // namespace

class TstRecorder : public QObject
{
    Q_OBJECT

private slots:
    void intervalsAreDifferences()
    {
        Recorder recorder(2, 2, false);
        IntervalSampler sampler(recorder);
        recorder.shard(0).recordOperation(kRead, 1000, true, 100);
        recorder.shard(1).recordOperation(kRead, 3000, true, 7);
        recorder.shard(1).recordOperation(kWrite, 5000, false, 3); // it failed: nothing was changed
        recorder.shard(0).recordTransaction(4000, 9000);
        recorder.shard(0).recordCode(1213);
        const IntervalSample first = sampler.take();
        QCOMPARE(first.ops[0].count, std::uint64_t(2));
        QCOMPARE(first.ops[0].service.maxNs(), std::uint64_t(3000));
        QCOMPARE(first.ops[0].service.sumNs(), std::uint64_t(4000));
        QVERIFY(first.ops[0].rows == 107U);
        QCOMPARE(first.ops[1].count, std::uint64_t(0));
        QVERIFY(first.ops[1].rows == 0U);
        QVERIFY(!first.transaction.rows);
        QCOMPARE(first.ops[1].errors, std::uint64_t(1));
        QCOMPARE(first.transaction.count, std::uint64_t(1));
        QVERIFY(first.transaction.response.empty()); // closed loop
        QCOMPARE(first.errors, (std::map<std::int32_t, std::uint64_t>{{1213, 1}}));

        // the maximum belongs to its interval, not to the run so far
        recorder.shard(1).recordOperation(kRead, 2000, true);
        const IntervalSample second = sampler.take();
        QCOMPARE(second.ops[0].count, std::uint64_t(1));
        QCOMPARE(second.ops[0].service.maxNs(), std::uint64_t(2000));
        QCOMPARE(second.ops[1].errors, std::uint64_t(0));
        QVERIFY(second.ops[0].rows == 0U);
        QVERIFY(second.errors.empty());

        const IntervalSample third = sampler.take();
        QCOMPARE(third.ops[0].count, std::uint64_t(0));
        QCOMPARE(third.ops[0].service.maxNs(), std::uint64_t(0));
    }

    void responseIsKeptApart()
    {
        Recorder recorder(1, 0, true);
        IntervalSampler sampler(recorder);
        recorder.shard(0).recordTransaction(1000, 50000);
        const IntervalSample sample = sampler.take();
        QCOMPARE(sample.transaction.service.maxNs(), std::uint64_t(1000));
        QCOMPARE(sample.transaction.response.maxNs(), std::uint64_t(50000));
    }

    //! What is only counted belongs to the interval in which it was counted, summed over the shards.
    void countsBelongToTheirInterval()
    {
        Recorder recorder(2, 0, true);
        IntervalSampler sampler(recorder);
        recorder.shard(0).recordRows(7);
        recorder.shard(1).recordRows(5);
        recorder.shard(1).recordRollback();
        recorder.shard(0).recordLateStart();
        const IntervalSample first = sampler.take();
        QCOMPARE(first.rows, std::uint64_t(12));
        QCOMPARE(first.rollbacks, std::uint64_t(1));
        QCOMPARE(first.client.lateStarts, std::uint64_t(1));
        QCOMPARE(first.transaction.count, std::uint64_t(0));
        QVERIFY(first.errors.empty()); // a rollback that was asked for is no error
        recorder.shard(0).recordRows(1);
        const IntervalSample second = sampler.take();
        QCOMPARE(second.rows, std::uint64_t(1));
        QCOMPARE(second.rollbacks, std::uint64_t(0));
        QCOMPARE(second.client.lateStarts, std::uint64_t(0));
    }

    void saturatedValuesAreCounted()
    {
        Recorder recorder(1, 0, false);
        IntervalSampler sampler(recorder);
        recorder.shard(0).recordTransaction(hdr::kMaxValue + 1, 0);
        const IntervalSample sample = sampler.take();
        QCOMPARE(sample.transaction.count, std::uint64_t(1));
        QCOMPARE(sample.transaction.service.saturated(), std::uint64_t(1));
        QCOMPARE(sample.transaction.service.maxNs(), hdr::kMaxValue + 1);
        QCOMPARE(sampler.take().transaction.service.saturated(), std::uint64_t(0));
    }

    void codesBeyondTheTableAreCountedTogether()
    {
        Recorder recorder(1, 0, false);
        IntervalSampler sampler(recorder);
        for (std::int32_t code = 1; code <= 20; ++code) {
            for (std::int32_t i = 0; i < code; ++i)
                recorder.shard(0).recordCode(code);
        }
        const IntervalSample sample = sampler.take();
        QCOMPARE(sample.errors.size(), std::size_t(17));
        for (std::int32_t code = 1; code <= 16; ++code)
            QCOMPARE(sample.errors.at(code), std::uint64_t(code));
        QCOMPARE(sample.errors.at(-1), std::uint64_t(17 + 18 + 19 + 20));
    }

    void atLeastOneShard()
    {
        Recorder recorder(0, 1, false);
        QCOMPARE(recorder.shards(), std::size_t(1));
        recorder.shard(7).recordRetry(); // any index is taken
        IntervalSampler sampler(recorder);
        QCOMPARE(sampler.take().retried, std::uint64_t(1));
    }

    //! Workers share shards and record all the time while the sampler subtracts: the sum of the intervals is what was
    //! recorded, exactly, in every figure.
    void nothingIsLostWhileSampling()
    {
        constexpr std::size_t kWorkers = 4;
        constexpr int kRounds = 60000;
        Recorder recorder(2, 2, true);
        IntervalSampler sampler(recorder);
        std::vector<Histogram> transactions(kWorkers);
        std::vector<Histogram> responses(kWorkers);
        std::vector<Histogram> reads(kWorkers);
        std::vector<Histogram> writes(kWorkers);
        std::latch begin(kWorkers + 1);
        std::atomic<std::size_t> running{kWorkers};
        std::vector<std::thread> threads;
        for (std::size_t worker = 0; worker < kWorkers; ++worker) {
            threads.emplace_back([&, worker] {
                RecorderShard& shard = recorder.shard(worker);
                Random random(worker);
                begin.arrive_and_wait();
                for (int i = 0; i < kRounds; ++i) {
                    const std::uint64_t ns = random.next() >> random.uniform(24, 60);
                    shard.recordOperation(kRead, ns, true);
                    reads[worker].record(ns);
                    shard.recordOperation(kWrite, ns / 2, i % 10 != 0);
                    if (i % 10 != 0)
                        writes[worker].record(ns / 2);
                    shard.recordTransaction(ns, ns * 2);
                    transactions[worker].record(ns);
                    responses[worker].record(ns * 2);
                    if (i % 10 == 0) {
                        shard.recordFailure();
                        shard.recordCode(std::int32_t(1000 + i % 7));
                        shard.recordRetry();
                        shard.recordReconnect();
                        shard.recordRows(3);
                        shard.recordRollback();
                        shard.recordLateStart();
                    }
                }
                --running;
            });
        }
        Sum sum;
        begin.arrive_and_wait();
        do // at least once, however late this thread gets its turn
            sum.add(sampler.take());
        while (running.load() > 0);
        for (std::thread& thread : threads)
            thread.join();
        sum.add(sampler.take());

        Sum expected;
        for (std::size_t worker = 0; worker < kWorkers; ++worker) {
            expected.transaction.merge(transactions[worker]);
            expected.response.merge(responses[worker]);
            expected.read.merge(reads[worker]);
            expected.write.merge(writes[worker]);
        }
        QCOMPARE(sum.transaction, expected.transaction);
        QCOMPARE(sum.response, expected.response);
        QCOMPARE(sum.read, expected.read);
        QCOMPARE(sum.write, expected.write);
        constexpr std::uint64_t kTenth = kWorkers * kRounds / 10;
        QCOMPARE(sum.failures, kTenth);
        QCOMPARE(sum.writeErrors, kTenth);
        QCOMPARE(sum.retried, kTenth);
        QCOMPARE(sum.reconnects, kTenth);
        QCOMPARE(sum.rows, 3 * kTenth);
        QCOMPARE(sum.rollbacks, kTenth);
        QCOMPARE(sum.lateStarts, kTenth);
        std::uint64_t codes = 0;
        for (const auto& [code, count] : sum.errors) {
            QVERIFY(code >= 1000 && code < 1007);
            codes += count;
        }
        QCOMPARE(codes, kTenth);
    }

    //! The table of codes is filled by all workers at once: no code gets two places, none is lost.
    void codesRace()
    {
        for (int round = 0; round < 200; ++round) {
            Recorder recorder(1, 0, false);
            std::latch begin(4);
            std::vector<std::thread> threads;
            for (int worker = 0; worker < 4; ++worker) {
                threads.emplace_back([&recorder, &begin, worker] {
                    begin.arrive_and_wait();
                    for (std::int32_t code = 0; code < 16; ++code)
                        recorder.shard(0).recordCode((code + worker * 5) % 16);
                });
            }
            for (std::thread& thread : threads)
                thread.join();
            IntervalSampler sampler(recorder);
            const IntervalSample sample = sampler.take();
            QCOMPARE(sample.errors.size(), std::size_t(16));
            for (const auto& [code, count] : sample.errors)
                QCOMPARE(count, std::uint64_t(4));
        }
    }
};

} // namespace dyno::tst_recorder

DYNO_SUITE(tst_recorder, dyno::tst_recorder::TstRecorder)
#include "tst_recorder.moc"
