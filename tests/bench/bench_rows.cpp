// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How fast a load makes its rows: MB/s on one core, as INSERT statements and as bulk lines, with a session that throws
//! them away. CPU time, so that a busy machine does not count; medians of several rounds. One JSON line.
#include "support/workload_harness.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <time.h>

using namespace dyno;

namespace {

constexpr std::int64_t kRows = 400'000;
constexpr int kRounds = 5;

//! Counts bytes.
class Sink final : public Session
{
public:
    std::size_t bytes = 0;
    Progress start(const Request& request) override
    {
        bytes += request.text.size() + request.value.size();
        return Progress::Done;
    }
    [[nodiscard]] std::string lastError() const override { return {}; }
};

double cpuSeconds()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

//! Bytes a second.
double speed(const WorkloadInstance& workload, bool bulk)
{
    auto owned = std::make_unique<Sink>();
    const Sink& sink = *owned;
    test::TestUser user(std::move(owned), 1);
    const TableSpec table = workload.tables().front();
    const std::int64_t step = bulk ? table.bulkRowsPerSlice : table.rowsPerSlice;
    const double start = cpuSeconds();
    for (std::int64_t first = 1; first <= table.rows; first += step) {
        const LoadSlice slice{1, first, std::min(table.rows, first + step - 1), bulk};
        static_cast<void>(test::complete(workload.load(user.context, slice), user.context));
    }
    return double(sink.bytes) / (cpuSeconds() - start);
}

double median(const WorkloadInstance& workload, bool bulk)
{
    std::array<double, kRounds> rounds{};
    for (double& round : rounds)
        round = speed(workload, bulk);
    std::sort(rounds.begin(), rounds.end());
    return rounds[kRounds / 2];
}

} // namespace

int main()
{
    const auto workload = test::bind("oltp_read_write", {{"table_size", kRows}}, "mysql");
    fmt::print("{{\"insert_MBps\": {:.0f}, \"bulk_MBps\": {:.0f}}}\n", median(*workload, false) / 1e6,
               median(*workload, true) / 1e6);
    return 0;
}
