// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/report.h>

#include <algorithm>
#include <numeric>

namespace dyno {

namespace {

using Getter = double (*)(const RunSummary& run, const RunSetting& setting);

struct Measure
{
    MeasureInfo info;
    Getter get;
};

constexpr double kSecondsPerHour = 3600;

//! What an hour brings for what it costs, in money or in watt-hours; 0 when that is not known.
double per(double ratePerSecond, double perHour)
{
    return perHour > 0 ? ratePerSecond * kSecondsPerHour / perHour : 0;
}

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
        // Price::costPerHour is of an hour, and so many seconds are in one: E18's (ops/s × 3600) / price per hour.
        {{"tx_per_cost", "Transactions per unit of cost", "transactions/unit of cost", true, PriceNeed::CostPerHour},
         [](const RunSummary& r, const RunSetting& s) { return per(r.tps, s.price.costPerHour); }},
        {{"ops_per_cost", "Operations per unit of cost", "operations/unit of cost", true, PriceNeed::CostPerHour},
         [](const RunSummary& r, const RunSetting& s) { return per(r.qps, s.price.costPerHour); }},
        {{"tx_per_watt_hour", "Transactions per watt-hour", "transactions/Wh", true, PriceNeed::Watts},
         [](const RunSummary& r, const RunSetting& s) { return per(r.tps, s.price.watts); }},
        {{"ops_per_watt_hour", "Operations per watt-hour", "operations/Wh", true, PriceNeed::Watts},
         [](const RunSummary& r, const RunSetting& s) { return per(r.qps, s.price.watts); }},
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

bool hasPriceFor(const MeasureInfo& measure, const Price& price)
{
    switch (measure.needs) {
    case PriceNeed::CostPerHour:
        return price.costPerHour > 0;
    case PriceNeed::Watts:
        return price.watts > 0;
    case PriceNeed::Nothing:
        break;
    }
    return true;
}

bool hasPriceFor(const MeasureInfo& measure, const std::vector<StoredSession>& sessions)
{
    const auto inOne = [&measure](const PointSpec& point) { return hasPriceFor(measure, point.target.price); };
    return std::any_of(sessions.begin(), sessions.end(), [&inOne](const StoredSession& session) {
        return std::any_of(session.header.points.begin(), session.header.points.end(), inOne);
    });
}

std::vector<std::pair<std::string, double>> pricedMeasures(const RunSummary& run, const RunSetting& setting)
{
    std::vector<std::pair<std::string, double>> figures;
    for (const Measure& one : table()) {
        if (one.info.needs != PriceNeed::Nothing && hasPriceFor(one.info, setting.price))
            figures.emplace_back(one.info.id, one.get(run, setting));
    }
    return figures;
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
