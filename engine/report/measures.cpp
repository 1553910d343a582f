// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/report.h>

#include <numeric>

namespace dyno {

namespace {

using Getter = double (*)(const RunSummary& run, const RunSetting& setting);

struct Measure
{
    MeasureInfo info;
    Getter get;
};

const std::vector<Measure>& table()
{
    static const std::vector<Measure> list = {
        {{"tps", "Throughput", "transactions/s", true}, [](const RunSummary& r, const RunSetting&) { return r.tps; }},
        {{"qps", "Operations", "operations/s", true}, [](const RunSummary& r, const RunSetting&) { return r.qps; }},
        {{"service_mean", "Mean service time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return r.service.meanMs; }},
        {{"service_p50", "Median service time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return r.service.p50Ms; }},
        {{"service_p90", "p90 service time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return r.service.p90Ms; }},
        {{"service_p95", "p95 service time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return r.service.p95Ms; }},
        {{"service_p99", "p99 service time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return r.service.p99Ms; }},
        {{"service_p999", "p99.9 service time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return r.service.p999Ms; }},
        {{"service_max", "Longest service time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return r.service.maxMs; }},
        {{"response_mean", "Mean response time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return r.response.meanMs; }},
        {{"response_p50", "Median response time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return r.response.p50Ms; }},
        {{"response_p90", "p90 response time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return r.response.p90Ms; }},
        {{"response_p95", "p95 response time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return r.response.p95Ms; }},
        {{"response_p99", "p99 response time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return r.response.p99Ms; }},
        {{"response_p999", "p99.9 response time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return r.response.p999Ms; }},
        {{"response_max", "Longest response time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return r.response.maxMs; }},
        {{"transactions", "Transactions", "transactions", true},
         [](const RunSummary& r, const RunSetting&) { return static_cast<double>(r.transactions); }},
        {{"errors", "Errors", "errors", false},
         [](const RunSummary& r, const RunSetting&) {
             return std::accumulate(r.errors.begin(), r.errors.end(), 0.0, [](double sum, const auto& error) {
                 return sum + static_cast<double>(error.second);
             });
         }},
        {{"failed", "Failed transactions", "transactions", false},
         [](const RunSummary& r, const RunSetting&) { return static_cast<double>(r.failed); }},
        {{"retried", "Retried transactions", "transactions", false},
         [](const RunSummary& r, const RunSetting&) { return static_cast<double>(r.retried); }},
        {{"dropped", "Dropped arrivals", "transactions", false},
         [](const RunSummary& r, const RunSetting&) { return static_cast<double>(r.dropped); }},
        {{"reconnects", "Reconnects", "reconnects", false},
         [](const RunSummary& r, const RunSetting&) { return static_cast<double>(r.reconnects); }},
        {{"lock_waits", "Lock waits in the client library", "waits", false},
         [](const RunSummary& r, const RunSetting&) { return static_cast<double>(r.lockWaits); }},
        {{"arrivals", "Arrivals", "transactions", true},
         [](const RunSummary& r, const RunSetting&) { return static_cast<double>(r.arrivals); }},
        {{"found", "Found by the search", "transactions/s or users", true},
         [](const RunSummary& r, const RunSetting&) { return r.found; }},
        {{"rows", "Changed rows", "rows", true},
         [](const RunSummary& r, const RunSetting&) { return static_cast<double>(r.rows); }},
        {{"rollbacks", "Rollbacks by definition", "transactions", true},
         [](const RunSummary& r, const RunSetting&) { return static_cast<double>(r.rollbacks); }},
        {{"late_starts", "Late starts of the generator", "transactions", false},
         [](const RunSummary& r, const RunSetting&) { return static_cast<double>(r.lateStarts); }},
        {{"cpu_us_per_op", "Generator CPU", "µs/operation", false},
         [](const RunSummary& r, const RunSetting&) { return r.cpuUsPerOp; }},
        {{"rss_bytes", "Generator memory", "bytes", false},
         [](const RunSummary& r, const RunSetting&) { return static_cast<double>(r.rssBytes); }},
        {{"data_bytes", "Data on disk", "bytes", false},
         [](const RunSummary&, const RunSetting& s) { return static_cast<double>(s.dataBytes); }},
    };
    return list;
}

} // namespace

const std::vector<MeasureInfo>& measures()
{
    static const std::vector<MeasureInfo> infos = [] {
        std::vector<MeasureInfo> list;
        for (const Measure& measure : table())
            list.push_back(measure.info);
        return list;
    }();
    return infos;
}

const MeasureInfo* findMeasure(std::string_view id)
{
    for (const MeasureInfo& info : measures()) {
        if (info.id == id)
            return &info;
    }
    return nullptr;
}

RunSetting settingOf(const StoredSession& session, const StoredRun& run)
{
    const auto point = static_cast<std::size_t>(run.summary.point);
    RunSetting setting{run.header.dataBytes, {}};
    if (run.summary.point >= 0 && point < session.header.points.size())
        setting.price = session.header.points[point].target.price;
    return setting;
}

double measureOf(const RunSummary& run, const RunSetting& setting, std::string_view measure)
{
    for (const Measure& candidate : table()) {
        if (candidate.info.id == measure)
            return candidate.get(run, setting);
    }
    return 0;
}

} // namespace dyno
