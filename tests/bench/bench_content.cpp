// SPDX-License-Identifier: GPL-3.0-or-later
// How fast workloads make the content of their rows: each loads its tables into a session that only counts the bytes
// that it is given (texts and bulk lines as they are, numbers as eight bytes). One thread; MB of it in a second of the
// thread's CPU. Content should never be what a load waits for: ends with 1 when one of the large tables gets less than
// 200 MB/s.
//
//   bench_content [SECONDS=0.5] [WORKLOAD…]
#include "support/workload_harness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <optional>

using namespace dyno;
using namespace dyno::test;

namespace {

class CountingSession final : public Session
{
public:
    std::uint64_t bytes = 0;
    Progress start(const Request& request) override
    {
        m_reply = {};
        bytes += request.text.size() + request.value.size();
        for (const Param& param : request.params)
            bytes += param.type == Param::Type::Text ? param.text.size() : 8;
        return Progress::Done;
    }
    [[nodiscard]] std::string lastError() const override { return {}; }
};

struct Bench
{
    const char* name;
    const char* workload;
    Settings params;
    bool bulk = false;
};

//! Of this thread, so that a busy machine does not count.
std::int64_t cpuNs()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

//! Tables of a smaller share of the largest one's rows are not what a load takes its time for.
constexpr double kLeastShare = 0.001;

//! Loads that table for so long, over and over; without a table, the workload's own first step.
double megabytesPerSecond(const Bench& bench, const WorkloadInstance& instance, std::optional<std::size_t> table,
                          double seconds)
{
    TestUser user(std::make_unique<CountingSession>(), workloadFor(bench.workload)->info().operations.size());
    auto& session = static_cast<CountingSession&>(*user.session);
    const std::int64_t startNs = cpuNs();
    std::int64_t now = startNs;
    if (!table) {
        user.run(instance, 0);
        now = cpuNs();
    } else {
        const TableSpec spec = instance.tables()[*table];
        const std::int64_t rows = bench.bulk ? spec.bulkRowsPerSlice : spec.rowsPerSlice;
        for (std::int64_t first = 1; double(now - startNs) < seconds * 1e9; now = cpuNs()) {
            const std::int64_t last = std::min(first + rows - 1, spec.rows);
            (void)complete(instance.load(user.context, {int(*table) + 1, first, last, bench.bulk}), user.context);
            first = last == spec.rows ? 1 : last + 1;
        }
    }
    return double(session.bytes) / double(now - startNs) * 1e3;
}

} // namespace

int main(int argc, char** argv)
{
    const double seconds = argc > 1 ? std::atof(argv[1]) : 0.5;
    const std::int64_t many = 1'000'000'000;
    const Bench benches[] = {
        {"oltp, statements", "oltp_read_write", {{"table_size", many}}},
        {"oltp, bulk", "oltp_read_write", {{"table_size", many}}, true},
        {"ycsb", "ycsb", {{"recordcount", many}}},
        {"iibench, mytools", "iibench", {{"initial_rows", many}}},
        {"iibench, mongodb", "iibench", {{"initial_rows", many}, {"form", std::string("mongodb")}}},
        {"linkbench", "linkbench", {{"nodes", std::int64_t(1'000'000)}}},
        {"tpcc", "tpcc", {{"warehouses", std::int64_t(1000)}}},
        {"fulltext, dir", "fulltext", {{"documents", std::int64_t(1'000'000)}}},
        {"fulltext, seo", "fulltext", {{"documents", std::int64_t(100'000)}, {"shape", std::string("seo")}}},
        {"fulltext, seo, a million words",
         "fulltext",
         {{"documents", std::int64_t(100'000)},
          {"shape", std::string("seo")},
          {"vocabulary", std::int64_t(1'000'000)}}},
        {"large_values", "large_values", {{"rows", many}}},
        {"large_values, all random", "large_values", {{"rows", many}, {"random_share", 100.0}}},
        {"sensordata", "sensordata", {{"initial_rows", many}}},
        {"sensordata, pareto", "sensordata", {{"initial_rows", many}, {"values", std::string("pareto")}}},
        {"brokerage", "brokerage", {{"customers", std::int64_t(1'000'000)}}},
        {"tpcb", "tpcb", {{"scale", std::int64_t(1000)}}},
    };
    constexpr double kAim = 200;
    bool reached = true;
    const auto tell = [&](const std::string& name, double made) {
        reached = reached && made >= kAim;
        fmt::print("{:40} {:8.0f} MB/s{}\n", name, made, made >= kAim ? "" : ", which is too slow");
    };
    for (const Bench& bench : benches) {
        if (argc > 2 && std::none_of(argv + 2, argv + argc,
                                     [&](const char* wanted) { return std::string_view(wanted) == bench.workload; }))
            continue;
        const auto instance = test::bind(bench.workload, bench.params, "null");
        if (!instance->steps().empty()) {
            tell(bench.name, megabytesPerSecond(bench, *instance, {}, seconds));
            continue;
        }
        const std::vector<TableSpec> tables = instance->tables();
        std::int64_t most = 0;
        for (const TableSpec& table : tables)
            most = std::max(most, table.rows);
        for (std::size_t i = 0; i < tables.size(); ++i) {
            if (double(tables[i].rows) >= kLeastShare * double(most))
                tell(tables.size() > 1 ? fmt::format("{}: {}", bench.name, tables[i].name) : bench.name,
                     megabytesPerSecond(bench, *instance, i, seconds));
        }
    }
    return reached ? 0 : 1;
}
