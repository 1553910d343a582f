// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/export.h>

#include "report/export/csv_writer.h"
#include "report/format.h"
#include "report/pivot/labels.h"
#include <dyno/run_fields.h>
#include <dyno/uri_form.h>

#include <functional>

namespace dyno {

namespace {

using report::CsvWriter;
using report::plain;

//! What stands before the figure in each line of a run.
class LongWriter
{
public:
    LongWriter(CsvWriter& csv, std::function<void()> prefix)
        : m_csv(csv)
        , m_prefix(std::move(prefix))
    {
    }
    void add(std::string_view operation, std::string_view measure, std::string_view unit, const std::string& value)
    {
        if (value.empty())
            return; // what is not known has no line
        m_prefix();
        m_csv << operation << measure << unit << std::string_view(value);
        m_csv.endRow();
    }
    void add(std::string_view operation, std::string_view measure, std::uint64_t count)
    {
        add(operation, measure, "1", std::to_string(count));
    }
    void latencies(std::string_view operation, std::string_view kind, const LatencySummary& l)
    {
        const std::string name(kind);
        for (const LatencyField& field : latencyFields()) {
            if (*field.heading != '\0')
                add(operation, name + " " + field.heading, "ms", plain(l.*field.member, 6));
        }
    }

private:
    CsvWriter& m_csv;
    std::function<void()> m_prefix;
};

void addRun(LongWriter& out, const StoredRun& run, std::string_view driver, std::uint64_t dataBytes)
{
    constexpr std::string_view kWhole = "transaction";
    const RunSummary& s = run.summary;
    const auto told = [&s](std::string_view measure) { return s.tells(measure); };
    if (s.origin.empty() || s.seconds > 0)
        out.add(kWhole, "measured", "s", plain(s.seconds, 3));
    const auto count = [&](std::string_view operation, std::string_view measure, std::string_view id,
                           std::uint64_t value) {
        if (told(id))
            out.add(operation, measure, value);
    };
    count(kWhole, "count", "transactions", s.transactions);
    if (told("tps"))
        out.add(kWhole, "throughput", "1/s", plain(s.tps, 3));
    count("all operations", "count", "queries", s.queries);
    if (told("qps"))
        out.add("all operations", "throughput", "1/s", plain(s.qps, 3));
    for (const RunField& field : runFields()) {
        if (*field.longName != '\0')
            count(kWhole, field.longName, field.info.id, s.*field.count);
    }
    for (const auto& [code, times] : s.errors)
        out.add("all operations", "errors of code " + errorName(driver, code), times);
    if (s.transactions > 0 || !s.origin.empty())
        out.latencies(kWhole, "service", s.service);
    if (s.transactions > 0 || !s.origin.empty() || s.unanswered > 0 || !s.times.response.empty())
        out.latencies(kWhole, "response", s.response);
    for (const OperationSummary& operation : s.operations) {
        out.add(operation.name, "count", operation.count);
        if (s.origin.empty() || operation.errors > 0) // another tool may not tell any
            out.add(operation.name, "failed", operation.errors);
        if (operation.rows)
            out.add(operation.name, "rows", *operation.rows);
        if (operation.count > 0)
            out.latencies(operation.name, "service", operation.service);
        if (operation.count > 0 || !operation.times.response.empty()) // calls may have come back late only
            out.latencies(operation.name, "response", operation.response);
    }
    for (const PhaseSummary& phase : s.phases) {
        const std::string name = "phase " + phase.name;
        out.add(name, "measured", "s", plain(phase.seconds, 3));
        out.add(name, "count", phase.transactions);
        out.add(name, "failed", phase.failed);
        out.add(name, "throughput", "1/s", plain(phase.tps(), 3));
        if (phase.transactions > 0)
            out.latencies(name, "service", phase.service);
        if (phase.transactions > 0 || !phase.times.response.empty())
            out.latencies(name, "response", phase.response);
    }
    out.add("load generator", "CPU an operation", "µs", plain(s.cpuUsPerOp, 3));
    if (told("rss_bytes"))
        out.add("load generator", "memory", "bytes", std::to_string(s.rssBytes));
    if (dataBytes > 0)
        out.add("data", "size", "bytes", std::to_string(dataBytes));
}

} // namespace

std::string runsLongCsv(const StoredSession& session)
{
    const std::vector<std::string> axes = axesOf({session});
    CsvWriter csv;
    csv << "session"
        << "run"
        << "point";
    for (const std::string& axis : axes)
        csv << axis;
    csv << "repeat"
        << "product"
        << "version"
        << "status"
        << "operation"
        << "measure"
        << "unit"
        << "value (in unit)";
    csv.endRow();
    for (const StoredRun& run : session.runs) {
        const auto index = static_cast<std::size_t>(run.header.point);
        const PointSpec point = index < session.header.points.size() ? session.header.points[index] : PointSpec();
        LongWriter out(csv, [&] {
            csv << session.info.id << run.header.index + 1 << run.header.point + 1;
            for (const std::string& axis : axes)
                csv << report::caseLabel(point, axis);
            csv << run.header.repeat << run.header.server.product << run.header.server.version
                << toText(run.summary.status);
        });
        addRun(out, run, driverNamedBy(point.target.uri), settingOf(session, run).dataBytes);
    }
    return csv.take();
}

} // namespace dyno
