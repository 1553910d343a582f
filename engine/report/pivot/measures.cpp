// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/report.h>

#include "base/none.h"
#include "report/export/row_rates.h"
#include "report/format.h"
#include "report/pivot/labels.h"
#include <dyno/formula.h>
#include <dyno/run_fields.h>
#include <dyno/uri.h>
#include <dyno/uri_form.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace dyno {

namespace {

//! Of "service_p95", or any other latency.
const RunField* latencyOf(std::string_view base)
{
    const RunField* field = findRunField(base);
    return field && field->latency ? field : nullptr;
}

bool isResponse(const RunField& latency)
{
    return latency.times == &RunSummary::response;
}

std::optional<MeasureInfo> partInfo(std::string_view id)
{
    const auto [base, part] = splitMeasure(id);
    if (part.empty())
        return {};
    const auto number = [&part] {
        long long value = 0;
        const auto read = std::from_chars(part.data(), part.data() + part.size(), value);
        return read.ec == std::errc() && read.ptr == part.data() + part.size() ? std::optional(value) : std::nullopt;
    };
    if (const RunField* latency = latencyOf(base))
        return MeasureInfo{std::string(id), fmt::format("{} of {}", latency->info.label, part), "ms", false};
    if (base == "tps")
        return MeasureInfo{std::string(id), fmt::format("Throughput of {}", part), "transactions/s", true};
    if (base == "qps")
        return MeasureInfo{std::string(id), fmt::format("Operations {}", part), "operations/s", true};
    if (base == "per_minute") {
        // Never tpmC. HammerDB's NOPM counts the new orders that are in the tables; tpcc rolls one in a hundred back.
        const char* const all = part == "new_order" ? ", with those rolled back" : "";
        return MeasureInfo{std::string(id), fmt::format("{} per minute{}", part, all), "operations/min", true};
    }
    if (base == "transactions")
        return MeasureInfo{std::string(id), fmt::format("Number of {}", part), "operations", true};
    if (base == kRowsReadPerSecond)
        return MeasureInfo{std::string(id), fmt::format("Rows read per second by {}", part), "rows/s", true};
    if (base == kBytesReadPerSecond)
        return MeasureInfo{std::string(id), fmt::format("Bytes read per second by {}", part), "bytes/s", true};
    if (base == "errors" && errorCode(part) != 0)
        return MeasureInfo{std::string(id), fmt::format("Errors {}", part), "errors", false};
    if (base == "errors_per_million" && errorCode(part) != 0)
        return MeasureInfo{std::string(id), fmt::format("Errors {} per million transactions", part), "errors/million",
                           false};
    if (base == "process_cpu")
        return MeasureInfo{
            std::string(id), fmt::format("CPU of the {}", part), "cores", false, PriceNeed::Nothing, false, false};
    if (base == "column_bytes")
        return MeasureInfo{std::string(id), fmt::format("{} on disk", part), "bytes", false};
    if (base == "column_ratio")
        return MeasureInfo{std::string(id), fmt::format("Compression ratio of {}", part), "times", true};
    if (base == "counter")
        return MeasureInfo{std::string(id), part, "", false, PriceNeed::Nothing, true, false};
    if (base == kFormulaMeasure) {
        const auto formula = Formula::parse(part);
        return formula ? std::optional(MeasureInfo{std::string(id), formula->label(), formula->unit(), false,
                                                   PriceNeed::Nothing, true, false})
                       : std::nullopt;
    }
    if (const auto rows = number(); base == "exit_rate" && rows && *rows > 0) {
        return MeasureInfo{std::string(id),    fmt::format("Exit velocity, last {} rows", report::human(double(*rows))),
                           "rows/s",           true,
                           PriceNeed::Nothing, true};
    }
    if (const auto rows = report::lastRowsOf(id)) {
        return MeasureInfo{
            std::string(id),    fmt::format("Row rate of the last {} rows", report::human(double(*rows))),
            "rows/s",           true,
            PriceNeed::Nothing, true};
    }
    return {};
}

constexpr std::string_view kColumn = "column", kPlain = "before compression"; // see DataPart::kind

//! What the summary tells of one phase of the load.
double phaseOf(const PhaseSummary& phase, std::string_view base)
{
    if (base == "transactions")
        return static_cast<double>(phase.transactions);
    if (base == "tps")
        return phase.seconds > 0 ? phase.tps() : kNone;
    const RunField* field = latencyOf(base);
    if (!field || (phase.transactions == 0 && (!isResponse(*field) || phase.times.response.empty())))
        return kNone;
    const double ms = (isResponse(*field) ? phase.response : phase.service).*field->latency->member;
    return ms > 0 ? ms : kNone;
}

//! What the summary tells of one operation kind, one phase of the load or one error code.
double partOf(const RunSummary& run, const RunSetting& setting, std::string_view base, std::string_view part)
{
    if (base == kRowsReadPerSecond || base == kBytesReadPerSecond)
        return readRate(run, setting, base == kRowsReadPerSecond ? &OperationReads::rows : &OperationReads::bytes,
                        part);
    if (base == "errors" || base == "errors_per_million") {
        const std::int32_t code = errorCode(part);
        if (code == 0)
            return kNone;
        const auto found = run.errors.find(code);
        if (found == run.errors.end() && !run.origin.empty()) // another tool's count has no codes
            return kNone;
        const double errors = found == run.errors.end() ? 0 : static_cast<double>(found->second);
        return base == "errors" ? errors : errorsPerMillion(errors, run.transactions);
    }
    if (base == "process_cpu") {
        const auto process = std::ranges::find(run.processes, part, &ProcessUse::name);
        return process == run.processes.end() ? kNone : process->cores;
    }
    if (const auto phase = std::ranges::find(run.phases, part, &PhaseSummary::name); phase != run.phases.end())
        return phaseOf(*phase, base);
    const auto operation = std::find_if(run.operations.begin(), run.operations.end(),
                                        [&part](const OperationSummary& one) { return one.name == part; });
    if (operation == run.operations.end())
        return kNone;
    if (base == "transactions")
        return static_cast<double>(operation->count);
    if (base == "tps" && operation->opClass != OpClass::Group)
        return kNone;
    if (base == "tps" || base == "qps" || base == "per_minute") {
        const double unit = base == "per_minute" ? kSecondsPerMinute : 1;
        return run.seconds > 0 ? static_cast<double>(operation->count) / run.seconds * unit : kNone;
    }
    const RunField* field = latencyOf(base);
    if (!field || (operation->count == 0 && (!isResponse(*field) || operation->times.response.empty())))
        return kNone;
    const double ms = (isResponse(*field) ? operation->response : operation->service).*field->latency->member;
    return ms > 0 ? ms : kNone;
}

//! A size that the server says of a column, "table.column", or how much larger it is before compression.
double columnOf(const RunSetting& setting, std::string_view base, std::string_view column)
{
    const auto bytesOf = [&](std::string_view kind) {
        const auto found = std::ranges::find_if(
            setting.columns, [&](const DataPart& part) { return part.kind == kind && part.name == column; });
        return found == setting.columns.end() || found->bytes == 0 ? kNone : static_cast<double>(found->bytes);
    };
    return base == "column_ratio" ? bytesOf(kPlain) / bytesOf(kColumn) : bytesOf(kColumn);
}

} // namespace

std::string counterPart(const CounterInfo& counter)
{
    return counter.source == "server" ? counter.name : counter.source + "/" + counter.name;
}

std::optional<std::size_t> indexOfCounter(const std::vector<CounterInfo>& counters, std::string_view part)
{
    const auto found =
        std::ranges::find_if(counters, [&part](const CounterInfo& one) { return counterPart(one) == part; });
    return found == counters.end() ? std::nullopt : std::optional(std::size_t(found - counters.begin()));
}

std::optional<report::LatencyFigure> report::latencyFigure(std::string_view base)
{
    const RunField* field = latencyOf(base);
    return field ? std::optional(LatencyFigure{field->latency->member, isResponse(*field)}) : std::nullopt;
}

bool report::isOfAll(std::string_view measure)
{
    return measure == "seconds" || measure == "exit_rate"; // exit_rate:N is of N rows, whatever the run did before
}

const std::vector<MeasureInfo>& measures()
{
    static const std::vector<MeasureInfo> infos = [] {
        std::vector<MeasureInfo> list;
        for (const RunField& field : runFields()) {
            if (!field.info.label.empty())
                list.push_back(field.info);
        }
        return list;
    }();
    return infos;
}

std::pair<std::string, std::string> splitMeasure(std::string_view id)
{
    const std::size_t colon = id.find(':');
    return {std::string(id.substr(0, colon)),
            colon == std::string_view::npos ? std::string() : std::string(id.substr(colon + 1))};
}

const MeasureInfo* findMeasure(std::string_view id)
{
    for (const MeasureInfo& info : measures()) {
        if (info.id == id)
            return &info;
    }
    // Parts are made when they are first asked for and kept: callers hold pointers.
    static std::mutex mutex;
    static std::map<std::string, std::unique_ptr<MeasureInfo>, std::less<>> parts;
    const std::lock_guard lock(mutex);
    if (const auto found = parts.find(id); found != parts.end())
        return found->second.get();
    auto made = partInfo(id);
    return made ? parts.emplace(std::string(id), std::make_unique<MeasureInfo>(std::move(*made))).first->second.get()
                : nullptr;
}

//! Counters that are kept and not shown, behind those that are: most runs have the same ones.
static void addHiddenCounters(std::vector<std::string>& parts, const std::vector<StoredSession>& sessions)
{
    std::set<std::string, std::less<>> known(parts.begin(), parts.end());
    const std::vector<CounterInfo>* before = nullptr;
    for (const StoredSession& session : sessions) {
        for (const StoredRun& run : session.runs) {
            const std::vector<CounterInfo>& counters = run.header.counters;
            if (before && *before == counters)
                continue;
            before = &counters;
            for (const CounterInfo& counter : counters) {
                if (!counter.hidden || !hasMean(counter))
                    continue;
                if (std::string part = report::counterPart(counter); known.insert(part).second)
                    parts.push_back(std::move(part));
            }
        }
    }
}

std::vector<std::string> measureParts(std::string_view base, const std::vector<StoredSession>& sessions)
{
    std::vector<std::string> parts;
    const auto add = [&parts](std::string part) {
        if (std::find(parts.begin(), parts.end(), part) == parts.end())
            parts.push_back(std::move(part));
    };
    using Parts = RunField::Parts;
    const RunField* field = findRunField(base);
    const Parts kind = field ? field->parts : Parts::None;
    std::uint64_t rows = 0;
    for (const StoredSession& session : sessions) {
        for (const View& view : kind == Parts::Formula ? session.header.plan.views : std::vector<View>()) {
            if (auto [own, part] = splitMeasure(view.measure); own == base)
                add(std::move(part));
        }
        for (const StoredRun& run : session.runs) {
            for (const OperationSummary& operation : run.summary.operations) {
                if (kind == Parts::Operations && operation.count > 0 &&
                    (base != "tps" || operation.opClass == OpClass::Group))
                    add(operation.name);
            }
            for (const PhaseSummary& phase : run.summary.phases) {
                if (kind == Parts::Operations && (base == "tps" || base == "transactions" || latencyOf(base)))
                    add(phase.name);
            }
            for (const auto& [code, count] : run.summary.errors) {
                if (kind == Parts::ErrorCodes)
                    add(errorName(report::driverOf(session, run.summary), code));
            }
            for (const ProcessUse& process : run.summary.processes) {
                if (kind == Parts::Processes)
                    add(process.name);
            }
            for (const CounterInfo& counter : run.header.counters) {
                if (kind == Parts::Counters && hasMean(counter) && !counter.hidden)
                    add(report::counterPart(counter));
            }
            for (const DataPart& one : run.aftermath ? run.aftermath->dataParts : std::vector<DataPart>()) {
                if (kind == Parts::Columns && one.kind == kColumn)
                    add(one.name);
            }
            rows = std::max(rows, run.summary.rows);
        }
    }
    if (kind == Parts::Counters)
        addHiddenCounters(parts, sessions);
    for (std::uint64_t n = 1000; kind == Parts::Rows && n <= 1'000'000'000 && n < rows; n *= 10) {
        for (const std::uint64_t most : {n, 2 * n, 5 * n}) {
            if (most < rows)
                add(std::to_string(most));
        }
    }
    return parts;
}

namespace {

//! What a run leaves on disk: its tables' files and those of indexes, what the server says of its collections and
//! indexes, or of all its data; what lay there before the run where nothing was read after it.
std::uint64_t dataBytesAfter(const StoredRun& run)
{
    if (!run.aftermath)
        return run.header.dataBytes;
    const auto sum = [&run](std::initializer_list<std::string_view> kinds) {
        std::uint64_t bytes = 0;
        for (const DataPart& part : run.aftermath->dataParts)
            bytes += std::ranges::find(kinds, part.kind) != kinds.end() ? part.bytes : 0;
        return bytes;
    };
    // Where the server says it of both, its tables' files have indexes in them.
    const std::uint64_t files = sum({"collection"}) > 0 ? sum({"table"}) : sum({"table", "index"});
    for (const std::uint64_t bytes : {files, sum({"collection", "index"}), sum({"data"})}) {
        if (bytes > 0)
            return bytes;
    }
    return run.header.dataBytes;
}

} // namespace

RunSetting settingOf(const StoredSession& session, const StoredRun& run)
{
    const auto point = static_cast<std::size_t>(run.summary.point);
    RunSetting setting{dataBytesAfter(run), {}, shortfallOf(session, run).has_value()};
    for (const DataPart& part : run.aftermath ? run.aftermath->dataParts : std::vector<DataPart>()) {
        if (part.kind == "off-page")
            setting.offPageBytes = setting.offPageBytes.value_or(0) + part.bytes;
        if (part.kind == "index")
            setting.indexBytes += part.bytes;
        if (part.kind == kColumn || part.kind == kPlain)
            setting.columns.push_back(part);
    }
    if (run.summary.point >= 0 && point < session.header.points.size()) {
        const PointSpec& spec = session.header.points[point];
        setting.price = spec.target.price;
        if (const auto uri = parseUri(spec.target.uri))
            setting.reads = operationReads(spec.workload.name, uri->driver, spec.workload.params);
    }
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
    for (const RunField& one : runFields()) {
        if (one.info.needs != PriceNeed::Nothing && hasPriceFor(one.info, setting.price))
            figures.emplace_back(one.info.id, one.figure(run, setting));
    }
    return figures;
}

std::optional<double> measureOf(const RunSummary& run, const RunSetting& setting, std::string_view measure)
{
    const auto [base, part] = splitMeasure(measure);
    // Another tool's file tells some measures only; a count that it does not tell is no 0.
    if (part.empty() && !run.tells(measure))
        return std::nullopt;
    const RunField* field = part.empty() ? findRunField(measure) : nullptr;
    const bool known = field && !field->info.label.empty();
    const bool ofColumn = base == "column_bytes" || base == "column_ratio";
    const double value = !part.empty() ? (ofColumn ? columnOf(setting, base, part) : partOf(run, setting, base, part))
                         : known       ? field->figure(run, setting)
                                       : kNone;
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

} // namespace dyno
