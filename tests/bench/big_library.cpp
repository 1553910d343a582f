// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a library of the sizes that the window must cope with, through the real writer:
//   big_library FILE day              one run of 24 hours at 1 s, 12 operation kinds, 60 counters
//   big_library FILE hour [N]         one run of an hour at 1 s, 60 counters that are shown and N (340) hidden ones
//   big_library FILE pivot            700 runs: 10 cases × 10 numbers of users × 7 repeats, short ones
//   big_library FILE sessions [N]     N (5 000) sessions of 4 runs with 3 intervals each
// and prints how long that took, how much CPU, and how big the file is.
#include "base/random.h"
#include "store/session/session_writer.h"

#include <dyno/catalog.h>
#include <dyno/library.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <string>

using namespace dyno;

namespace {

struct Shape
{
    int cases = 1, repeats = 1, intervals = 1, operations = 1, counters = 0, hidden = 0;
    std::vector<int> users = {16};
    std::string title;
};

SessionHeader headerOf(const Shape& shape, int number)
{
    SessionHeader header;
    header.id = fmt::format("b19{:05x}-0000-4000-8000-000000000000", number);
    header.title = shape.title.empty() ? fmt::format("session {}", number) : shape.title;
    header.startedMs = 1763648000000 + std::int64_t(number) * 600'000;
    header.software = std::string("dynobench ") + softwareVersion();
    header.host = {.name = "bench1",
                   .os = "Debian GNU/Linux 12",
                   .kernel = "6.1.0",
                   .cpu = "a processor",
                   .cores = 16,
                   .memoryBytes = std::uint64_t(64) << 30};
    header.plan.title = header.title;
    header.plan.target.uri = "mysql://root@db1/test";
    header.plan.workload.name = "oltp_read_write";
    header.plan.load.users = shape.users;
    header.plan.load.repeats = shape.repeats;
    header.plan.load.order = RunOrder::Interleaved;
    for (int c = 0; c < shape.cases; ++c) {
        for (const int users : shape.users) {
            PointSpec point;
            point.cases = {{"case", fmt::format("case {}", c + 1)}, {"users", std::to_string(users)}};
            point.target = header.plan.target;
            point.workload = header.plan.workload;
            point.load.users = {users};
            header.points.push_back(std::move(point));
        }
    }
    for (int repeat = 1; repeat <= shape.repeats; ++repeat) {
        for (std::size_t p = 0; p < header.points.size(); ++p)
            header.runs.push_back({.point = int(p), .repeat = repeat});
    }
    return header;
}

//! About 80 different latencies, log-normal: what a second of a few thousand transactions looks like.
void fill(OpInterval& op, Random& random, std::uint64_t count, double meanNs)
{
    op.count = count;
    constexpr int kDraws = 80;
    for (int i = 0; i < kDraws; ++i) {
        const double normal = std::sqrt(-2 * std::log(1 - random.unit())) * std::cos(6.283185307179586 * random.unit());
        op.service.record(std::uint64_t(meanNs * std::exp(0.4 * normal)), count / kDraws + 1);
    }
}

Expected<void> feedRun(SessionWriter& sink, const SessionHeader& session, int index, const Shape& shape)
{
    RunHeader run;
    run.index = index;
    run.point = session.runs[std::size_t(index)].point;
    run.repeat = session.runs[std::size_t(index)].repeat;
    for (int o = 0; o < shape.operations; ++o)
        run.operations.push_back({fmt::format("operation_{}", o + 1), o % 2 == 0 ? OpClass::Read : OpClass::Write});
    for (int c = 0; c < shape.counters; ++c)
        run.counters.push_back({"server", fmt::format("Counter_{}", c + 1), "operations", c % 3 != 0});
    for (int c = 0; c < shape.hidden; ++c)
        run.counters.push_back({"server", fmt::format("Hidden_counter_{}", c + 1), "", c % 5 != 0, true});
    run.server.product = "MariaDB";
    run.server.version = "10.11.11";
    run.server.variables = {{"innodb_buffer_pool_size", std::string("134217728")}, {"sync_binlog", std::string("1")}};
    sink.onRunStarted(run);
    Random random = Random::forItem(11, std::uint64_t(index), 0);
    SummaryBuilder builder(run.operations, false, 16);
    const double users = session.points[std::size_t(run.point)].users();
    const double base = 900 * users / (1 + 0.03 * (users - 1) + 0.0004 * users * (users - 1)) * (1 + 0.1 * run.point);
    const double own = base * (0.98 + 0.04 * random.unit());
    for (int i = 0; i < shape.intervals; ++i) {
        IntervalSample sample;
        sample.tNs = std::int64_t(i) * 1'000'000'000;
        sample.lengthNs = 1'000'000'000;
        sample.phase = Phase::Measure;
        sample.users = int(users);
        const bool stall = i % 9973 == 5000; // a few in a day
        const auto count = std::uint64_t(own * (stall ? 0.02 : 0.97 + 0.06 * random.unit()));
        fill(sample.transaction, random, count, 1e9 * users / own);
        sample.ops.resize(run.operations.size());
        for (OpInterval& op : sample.ops)
            fill(op, random, count, 1e9 * users / own / double(shape.operations));
        sample.rows = count * 4;
        for (int c = 0; c < shape.counters; ++c)
            sample.counters.push_back(1000.0 * c + 100 * random.unit());
        // As a server under load tells them: two of five stand still, the others are rates of which no two are alike.
        for (int c = 0; c < shape.hidden; ++c)
            sample.counters.push_back(c % 5 < 2 ? c : std::round(3000 * random.unit()) / (1 + 1e-3 * random.unit()));
        sample.client = {.cpuSeconds = 0.6, .rssBytes = 31u << 20, .hostBusy = 0.4, .schedDelaySeconds = 0.001};
        builder.add(sample);
        sink.onSample(sample);
        // The writer's queue is of a live run: it is not made to hold a whole day.
        if (i % 500 == 499) {
            if (auto written = sink.flush(); !written)
                return written;
        }
    }
    RunSummary summary = builder.summary();
    summary.point = run.point;
    summary.repeat = run.repeat;
    summary.status = RunStatus::Done;
    sink.onRunFinished(summary);
    return sink.flush();
}

int make(const std::filesystem::path& file, const Shape& shape, int sessions)
{
    const auto begin = std::chrono::steady_clock::now();
    for (int number = 1; number <= sessions; ++number) {
        auto writer = SessionWriter::open(file);
        if (!writer) {
            fmt::print(stderr, "{}\n", writer.error().text());
            return 1;
        }
        const SessionHeader header = headerOf(shape, number);
        (*writer)->onSessionStarted(header);
        for (int i = 0; i < int(header.runs.size()); ++i) {
            if (auto written = feedRun(**writer, header, i, shape); !written) {
                fmt::print(stderr, "{}\n", written.error().text());
                return 1;
            }
        }
        SessionSummary end;
        end.finishedMs = header.startedMs + 60'000;
        (*writer)->onSessionFinished(end);
        if (auto written = (*writer)->flush(); !written) {
            fmt::print(stderr, "{}\n", written.error().text());
            return 1;
        }
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::error_code ignored;
    fmt::print("{} sessions in {:.1f} s, {:.1f} s of CPU, {:.1f} MB\n", sessions, took.count(),
               double(std::clock()) / CLOCKS_PER_SEC, double(std::filesystem::file_size(file, ignored)) / 1e6);
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    const std::string what = argc > 2 ? argv[2] : "";
    if (what == "day")
        return make(argv[1],
                    {.cases = 1,
                     .repeats = 1,
                     .intervals = 86400,
                     .operations = 12,
                     .counters = 60,
                     .users = {16},
                     .title = "A day"},
                    1);
    if (what == "hour")
        return make(argv[1],
                    {.cases = 1,
                     .repeats = 1,
                     .intervals = 3600,
                     .operations = 4,
                     .counters = 60,
                     .hidden = argc > 3 ? std::atoi(argv[3]) : 340,
                     .users = {16},
                     .title = "An hour"},
                    1);
    if (what == "pivot")
        return make(argv[1],
                    {.cases = 10,
                     .repeats = 7,
                     .intervals = 3,
                     .operations = 4,
                     .counters = 0,
                     .users = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512},
                     .title = "Seven hundred runs"},
                    1);
    if (what == "sessions")
        return make(
            argv[1],
            {.cases = 2, .repeats = 2, .intervals = 3, .operations = 2, .counters = 0, .users = {16}, .title = {}},
            argc > 3 ? std::atoi(argv[3]) : 5000);
    fmt::print(stderr, "big_library FILE day | hour [N] | pivot | sessions [N]\n");
    return 2;
}
