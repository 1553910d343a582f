// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What it costs to ask the load generator for its own health once: milliseconds of CPU time of the asking thread by
//! the number of threads in the process, which is what it depends on. One JSON line for each on standard output.
//!
//!     bench_self_health [THREADS…]     default: 1 64 512 1024 4096
#include "metrics/self_health.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fmt/format.h>
#include <system_error>
#include <thread>
#include <time.h>
#include <vector>

using namespace dyno;

namespace {

constexpr int kRounds = 15;

double cpuMs()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e3 + double(time.tv_nsec) * 1e-6;
}

void measure(std::size_t count)
{
    std::atomic<bool> over{false};
    std::vector<std::thread> threads;
    try {
        while (threads.size() + 1 < count)
            threads.emplace_back([&over] { over.wait(false); });
    } catch (const std::system_error&) {
        fmt::print(stderr, "only {} threads can be started here\n", threads.size() + 1);
    }
    {
        SelfHealth health;
        std::vector<double> rounds;
        for (int i = 0; i < kRounds; ++i) {
            const double start = cpuMs();
            (void)health.take();
            rounds.push_back(cpuMs() - start);
        }
        std::sort(rounds.begin(), rounds.end());
        fmt::print("{{\"bench\": \"self_health\", \"threads\": {}, \"call_ms\": {:.3f}}}\n", threads.size() + 1,
                   rounds[rounds.size() / 2]);
    }
    over = true;
    over.notify_all();
    for (std::thread& thread : threads)
        thread.join();
}

} // namespace

int main(int argc, char** argv)
{
    std::vector<std::size_t> counts;
    for (int i = 1; i < argc; ++i)
        counts.push_back(std::size_t(std::clamp(std::atoi(argv[i]), 1, 30000)));
    if (counts.empty())
        counts = {1, 64, 512, 1024, 4096};
    for (const std::size_t count : counts)
        measure(count);
    return 0;
}
