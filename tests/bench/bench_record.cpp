// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What it costs to record: nanoseconds for one operation and one transaction, alone and with the two looks at the
//! clock that time an operation. One JSON line on standard output; times are CPU time of the recording thread, so that
//! a busy machine does not count, and medians of several rounds.
//!
//!     bench_record [THREADS]     threads that record at once, each in a shard of its own (default 1)
#include "base/clock.h"
#include "base/random.h"
#include "metrics/recorder.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <latch>
#include <thread>
#include <time.h>
#include <vector>

using namespace dyno;

namespace {

constexpr std::size_t kCalls = 1 << 20;
constexpr int kRounds = 7;
constexpr std::size_t kOperations = 9; // as oltp_read_write has

//! Latencies as a run sees them, log-normal-like over three octaves; drawn before, so that drawing costs nothing here.
std::vector<std::uint64_t> latencies()
{
    Random random(1);
    std::vector<std::uint64_t> values(4096);
    for (std::uint64_t& value : values)
        value = 20'000 + (random.next() >> 44) * (random.next() >> 62);
    return values;
}

std::int64_t cpuNs()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

//! Median over the rounds of the nanoseconds that one call takes.
template<class Call>
double nsPerCall(const Call& call)
{
    std::array<double, kRounds> rounds{};
    for (double& round : rounds) {
        const std::int64_t start = cpuNs();
        for (std::size_t i = 0; i < kCalls; ++i)
            call(i);
        round = double(cpuNs() - start) / double(kCalls);
    }
    std::sort(rounds.begin(), rounds.end());
    return rounds[kRounds / 2];
}

struct Figures
{
    double clock = 0, operation = 0, timedOperation = 0, transaction = 0, openLoopTransaction = 0;
};

Figures measure(RecorderShard& closed, RecorderShard& open)
{
    const std::vector<std::uint64_t> values = latencies();
    const auto value = [&values](std::size_t i) { return values[i & 4095]; };
    const auto op = [](std::size_t i) { return OpId(std::uint16_t(i % kOperations)); };
    std::int64_t sink = 0;
    Figures figures;
    figures.clock = nsPerCall([&](std::size_t) { sink += nowNs(); });
    figures.operation = nsPerCall([&](std::size_t i) { closed.recordOperation(op(i), value(i), true); });
    figures.timedOperation = nsPerCall([&](std::size_t i) {
        const std::int64_t start = nowNs();
        closed.recordOperation(op(i), value(i) + std::uint64_t(nowNs() - start), true);
    });
    figures.transaction = nsPerCall([&](std::size_t i) { closed.recordTransaction(value(i), value(i)); });
    figures.openLoopTransaction = nsPerCall([&](std::size_t i) { open.recordTransaction(value(i), value(i)); });
    if (sink == 0)
        std::puts(""); // keeps the clock's loop
    return figures;
}

} // namespace

int main(int argc, char** argv)
{
    const auto threads = std::size_t(std::clamp(argc > 1 ? std::atoi(argv[1]) : 1, 1, 1024));
    Recorder closed(threads, kOperations, false);
    Recorder open(threads, kOperations, true);
    std::vector<Figures> figures(threads);
    std::latch begin{std::ptrdiff_t(threads)};
    std::vector<std::thread> workers;
    for (std::size_t i = 0; i < threads; ++i) {
        workers.emplace_back([&closed, &open, &figures, &begin, i] {
            begin.arrive_and_wait();
            figures[i] = measure(closed.shard(i), open.shard(i));
        });
    }
    for (std::thread& worker : workers)
        worker.join();
    // the slowest thread: what nobody exceeds
    const auto worst = [&figures](double Figures::*figure) {
        double value = 0;
        for (const Figures& f : figures)
            value = std::max(value, f.*figure);
        return value;
    };
    fmt::print("{{\"bench\": \"record\", \"threads\": {}, \"clock_ns\": {:.1f}, \"operation_ns\": {:.1f}, "
               "\"timed_operation_ns\": {:.1f}, \"transaction_ns\": {:.1f}, \"open_loop_transaction_ns\": {:.1f}}}\n",
               threads, worst(&Figures::clock), worst(&Figures::operation), worst(&Figures::timedOperation),
               worst(&Figures::transaction), worst(&Figures::openLoopTransaction));
    return 0;
}
