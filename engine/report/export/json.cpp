// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/analysis.h>
#include <dyno/chart_kinds.h>
#include <dyno/load_phases.h>
#include <dyno/missing_runs.h>
#include <dyno/observing.h>
#include <dyno/path.h>
#include <dyno/run_fields.h>
#include <dyno/uri_form.h>

#include "report/format.h"
#include "report/pivot/labels.h"
#include "store/session/observing_file.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dyno {

namespace {

using Json = nlohmann::ordered_json; // keys in the order of the contract
using report::rounded;               // null for what is not a number

Json toJson(const LatencySummary& l)
{
    Json document = Json::object();
    for (const LatencyField& field : latencyFields())
        document[field.id] = rounded(l.*field.member, 6); // nanoseconds
    return document;
}

//! Of what was never done there is no time: all keys are there, and null. (Another tool's file may tell times without a
//! count.)
Json latencyJson(const LatencySummary& latencies, bool any)
{
    Json document = toJson(latencies);
    for (Json& value : document)
        value = any ? std::move(value) : Json(nullptr);
    return document;
}

//! What has not ended is cut as far as this document goes.
const char* statusOf(RunStatus status)
{
    return status == RunStatus::Pending || status == RunStatus::Running ? toText(RunStatus::Cut) : toText(status);
}

Json numberOrNull(std::optional<double> value)
{
    return value && std::isfinite(*value) ? Json(rounded(*value, 6)) : Json(nullptr);
}

//! A moment from the start of the measured time.
Json secondsInto(const StoredRun& run, std::int64_t tNs)
{
    return run.knowsWarmupEnd() ? Json(rounded(double(tNs - run.warmupEndNs) * 1e-9, 3)) : Json(nullptr);
}

Json toJson(const Stall& stall, const StoredRun& run)
{
    if (stall.isSlow())
        return {{"at_s", secondsInto(run, stall.tNs)},
                {"seconds", rounded(double(stall.lengthNs) * 1e-9, 3)},
                {"usual_p99_ms", rounded(stall.usualMs, 3)},
                {"highest_p99_ms", rounded(stall.highestMs, 3)}};
    return {{"at_s", secondsInto(run, stall.tNs)},
            {"seconds", rounded(double(stall.lengthNs) * 1e-9, 3)},
            {"kind", stall.word()},
            {"usual_tps", rounded(stall.usual, 3)},
            {"lowest_tps", rounded(stall.lowest, 3)},
            {"missing", rounded(stall.missing, 1)}};
}

//! Of an open loop of our own: due, neither dropped nor answered.
std::uint64_t notServed(const RunSummary& run)
{
    return run.arrivals > 0 ? run.backlog + run.unanswered : 0;
}

//! What to know before a figure of the run is believed.
Json warningsOf(const StoredSession& session, const StoredRun& stored, const std::vector<Stall>& stalls)
{
    const RunSummary& run = stored.summary;
    Json list = Json::array();
    const auto warn = [&list](const char* kind, std::string text) {
        list.push_back({{"kind", kind}, {"text", std::move(text)}});
    };
    if (run.unanswered > 0)
        warn("unanswered",
             fmt::format("calls that never came back: {}; their age at the end counts as their response time",
                         run.unanswered));
    if (const std::uint64_t missing = notServed(run); missing > 0)
        warn("not_served", fmt::format("{} of {} not served by the end", missing,
                                       report::counted(static_cast<long long>(run.arrivals), "arrival", "arrivals")));
    if (const std::string connection = connectionWarning(stored.header.server); !connection.empty())
        warn("connection", connection);
    if (run.dropped > 0 && run.origin.empty())
        warn("dropped", fmt::format("{} of {} dropped: too many waited already", run.dropped,
                                    report::counted(static_cast<long long>(run.arrivals), "arrival", "arrivals")));
    for (const bool stalled : {true, false}) {
        const char* const kind = stalled ? "stall" : "dip";
        const Stall* worst = nullptr;
        std::size_t count = 0;
        for (const Stall& stall : stalls) {
            if (stall.stalled != stalled || stall.isSlow())
                continue;
            ++count;
            worst = !worst || stall.missing > worst->missing ? &stall : worst;
        }
        if (worst)
            warn(kind,
                 count == 1 ? toText(*worst) : fmt::format("{}s: {}; the worst is a {}", kind, count, toText(*worst)));
    }
    if (run.clientLimited)
        warn("client_limited", "the load generator was the limit: " + run.clientReason);
    if (run.starvation.intervals > 0) {
        warn("starved", toText(run.starvation));
        Json at = Json::array();
        for (const std::int64_t start : run.starvation.startsNs)
            at.push_back(secondsInto(stored, start));
        list.back()["at_s"] = at;
    }
    if (run.objective && !run.objective->met)
        warn("objective", fmt::format("the objective {} is broken: {}", run.objective->text, run.objective->why));
    if (!stored.knowsWarmupEnd())
        warn("phases", stored.phasesDamage + ": where its warm-up ended is not known");
    if (const auto shortfall = shortfallOf(session, stored))
        warn("shortfall", toText(*shortfall));
    if (std::string missed = missedExpectation(session, stored); !missed.empty())
        warn("expectation", std::move(missed));
    return list;
}

Json timesJson(const OperationSummary& operation, const char* count)
{
    const bool any = operation.count > 0 || !operation.times.response.empty(); // some may have come back late only
    return {{count, operation.count},
            {"service_ms", latencyJson(operation.service, operation.count > 0)},
            {"response_ms", latencyJson(operation.response, any)}};
}

Json operationsJson(const RunSummary& run)
{
    Json operations = Json::object();
    for (const OperationSummary& operation : run.operations) {
        if (operation.opClass == OpClass::Group)
            continue;
        Json& one = operations[operation.name] = timesJson(operation, "count");
        if (operation.rows)
            one["rows"] = *operation.rows;
    }
    return operations;
}

//! Of groups of users beside each other; empty where there are none.
Json groupsJson(const RunSummary& run)
{
    Json groups = Json::object();
    for (const OperationSummary& group : run.operations) {
        if (group.opClass != OpClass::Group)
            continue;
        Json& one = groups[group.name] = timesJson(group, "transactions");
        one["tps"] = run.seconds > 0 ? Json(rounded(double(group.count) / run.seconds, 3)) : Json(nullptr);
        one["failed"] = group.errors;
    }
    return groups;
}

//! Of phases of the load; empty where there are none.
Json phasesJson(const StoredRun& stored)
{
    Json phases = Json::array();
    for (const PhaseSummary& phase : stored.summary.phases) {
        const bool any = phase.transactions > 0;
        phases.push_back({{"name", phase.name},
                          {"from_s", secondsInto(stored, phase.fromNs)},
                          {"seconds", rounded(phase.seconds, 3)},
                          {"ramp_s", rounded(double(phase.rampNs) * 1e-9, 3)},
                          {"transactions", phase.transactions},
                          {"tps", phase.seconds > 0 ? Json(rounded(phase.tps(), 3)) : Json(nullptr)},
                          {"service_ms", latencyJson(phase.service, any)},
                          {"response_ms", latencyJson(phase.response, any || !phase.times.response.empty())},
                          {"errors", phase.failed}});
    }
    return phases;
}

//! What kept the generator from more: either way a faster target could not have shown more.
std::string limitsOf(const RunSummary& run)
{
    std::string limits = run.clientReason;
    if (const std::string starved = toText(run.starvation);
        !starved.empty() && limits.find(starved) == std::string::npos)
        limits += (limits.empty() ? "" : "; ") + starved;
    return limits;
}

Json countsJson(const std::map<std::int32_t, std::uint64_t>& byCode, std::string_view driver)
{
    Json counts = Json::object();
    for (const auto& [code, count] : byCode)
        counts[errorName(driver, code)] = count;
    return counts;
}

//! After the run, by DataPart::kind: files of a managed server, or what the server itself tells.
Json dataBytesJson(const StoredRun& stored)
{
    Json bytes = Json::object();
    if (stored.aftermath) {
        for (const DataPart& part : stored.aftermath->dataParts)
            bytes[part.kind] = bytes.value(part.kind, std::uint64_t(0)) + part.bytes;
    }
    return bytes;
}

Json toJson(const StoredSession& session, const StoredRun& stored,
            const Expected<std::optional<std::vector<Stall>>>& found)
{
    const RunSetting setting = settingOf(session, stored);
    const RunSummary& run = stored.summary;
    const std::optional<std::vector<Stall>> stalls = found ? *found : std::nullopt;
    // Null for what another tool's file does not tell.
    const auto told = [&run](std::string_view measure, Json value) {
        return run.tells(measure) ? std::move(value) : Json(nullptr);
    };
    const bool ours = run.origin.empty();
    const std::string driver = report::driverOf(session, run);
    Json document = {{"repeat", run.repeat},
                     {"status", statusOf(run.status)},
                     {"reason", run.status == RunStatus::Running ? std::string("still running") : run.reason},
                     {"place", run.place},
                     {"remedy", run.remedy},
                     {"sitting", run.sitting},
                     {"seconds", run.origin.empty() || run.seconds > 0 ? Json(rounded(run.seconds, 3)) : Json(nullptr)},
                     {"warmup_s", stored.knowsWarmupEnd() && (ours || stored.warmupEndNs > 0)
                                      ? Json(rounded(double(stored.warmupEndNs) * 1e-9, 3))
                                      : Json(nullptr)},
                     {"warmup_moved", stored.warmupMoved()},
                     {"transactions", told("transactions", run.transactions)},
                     {"tps", told("tps", rounded(run.tps, 3))},
                     {"queries", told("queries", run.queries)},
                     {"qps", told("qps", rounded(run.qps, 3))},
                     {"errors", told("errors", countsJson(run.errors, driver))}};
    for (const RunField& field : runFields()) {
        if (field.inDocument)
            document[field.info.id] = told(field.info.id, run.*field.count);
        if (field.count == &RunSummary::dropped)
            document["not_served"] = ours ? Json(notServed(run)) : Json(nullptr);
    }
    document["load_retries"] =
        told("load_retries", run.loadRetries ? countsJson(*run.loadRetries, driver) : Json(nullptr));
    if (run.recall)
        document["recall"] = rounded(*run.recall, 6);
    if (run.indexSeconds)
        document["index_seconds"] = rounded(*run.indexSeconds, 3);
    document["found"] = told("found", rounded(run.found, 3));
    document["service_ms"] = latencyJson(run.service, !ours || run.transactions > 0);
    document["response_ms"] =
        latencyJson(run.response, !ours || run.transactions > 0 || run.unanswered > 0 || !run.times.response.empty());
    document["operations"] = operationsJson(run);
    if (Json groups = groupsJson(run); !groups.empty())
        document["groups"] = std::move(groups);
    if (Json phases = phasesJson(stored); !phases.empty())
        document["phases"] = std::move(phases);
    document["data_bytes"] = dataBytesJson(stored);
    document["client"] = {{"cpu_us_per_op", told("cpu_us_per_op", rounded(run.cpuUsPerOp, 3))},
                          {"rss_bytes", told("rss_bytes", run.rssBytes)},
                          {"late_starts", told("late_starts", run.lateStarts)},
                          {"limited", ours ? Json(run.clientLimited) : Json(nullptr)},
                          {"reason", limitsOf(run)}};
    if (!run.origin.empty())
        document["measured_by"] = run.origin;            // of another tool's run: which, and what its latencies are
    if (run.serverCpuUsPerOp || run.serverSwitchesPerOp) // of the server's process, where it is known
        document["server"] = {{"cpu_us_per_op", numberOrNull(run.serverCpuUsPerOp)},
                              {"switches_per_op", numberOrNull(run.serverSwitchesPerOp)}};
    for (const ProcessUse& process : run.processes) // likewise
        document["processes"].push_back({{"name", process.name}, {"cores", rounded(process.cores, 3)}});
    document["stalls"] = document["latency_stalls"] = nullptr; // not looked for
    if (stalls) {
        document["stalls"] = document["latency_stalls"] = Json::array();
        for (const Stall& stall : *stalls)
            document[stall.isSlow() ? "latency_stalls" : "stalls"].push_back(toJson(stall, stored));
    }
    document["warnings"] = warningsOf(session, stored, stalls.value_or(std::vector<Stall>()));
    if (!found)
        document["warnings"].push_back({{"kind", "unreadable"}, {"text", found.error().message}});
    if (run.objective) {
        document["objective"] = {{"text", run.objective->text},
                                 {"met", run.objective->met},
                                 {"value", numberOrNull(run.objective->valueMs)}};
    }
    for (const auto& [name, value] : stored.header.effective)
        document["in_force"][name] = toText(value);
    if (stored.header.device)
        document["disk"] = Json::parse(dyno::toJson(*stored.header.device), nullptr, false);
    for (const auto& [measure, value] : pricedMeasures(run, setting))
        document[measure] = rounded(value, 3);
    return document;
}

Json toJson(const Price& price)
{
    Json document = Json::object(); // what was not said is not there
    if (price.costPerHour > 0) {
        document["cost_per_hour"] = price.costPerHour;
        document["currency"] = price.currency;
    }
    if (price.watts > 0)
        document["watts"] = price.watts;
    return document;
}

//! A view of the plan with the figures as its chart shows them.
Json toJson(const Pivot& table)
{
    const MeasureInfo shown = table.shown();
    Json cells = Json::array();
    for (const PivotCell& cell : table.cells) {
        const Figure figure = table.figure(cell);
        cells.push_back({{"x", cell.x},
                         {"series", cell.series},
                         {"facet", cell.facet},
                         {"value", numberOrNull(figure.value)},
                         {"low", numberOrNull(figure.low)},
                         {"high", numberOrNull(figure.high)},
                         {"runs", cell.estimate.runs.size()}});
    }
    return {{"measure", table.request.measure},
            {"unit", shown.unit},
            {"centre", toText(table.request.centre)},
            {"relative_to", toText(table.request.relativeTo)},
            {"x", table.request.x},
            {"series", table.request.series},
            {"facet", table.request.facet},
            {"baseline", table.request.relativeTo == RelativeTo::Best ? std::string() : table.request.baseline},
            {"hint", table.hint()},
            {"cells", cells}};
}

//! Every series with a law, and what a single user waits beside what is missing to linear scaling.
Json scalingJson(const StoredSession& session)
{
    Json list = Json::array();
    for (const Scaling& one : scalingOf({session}, {})) {
        if (!one.fit)
            continue;
        const UslFit& fit = *one.fit;
        list.push_back({{"series", one.series},
                        {"facet", one.facet},
                        {"lambda", numberOrNull(fit.lambda)},
                        {"sigma", rounded(fit.sigma, 9)},
                        {"kappa", rounded(fit.kappa, 12)},
                        {"n_star", numberOrNull(fit.bestUsers())},
                        {"peak_tps", numberOrNull(fit.peak())},
                        {"peak_measured", fit.peakWasMeasured()},
                        {"r_squared", numberOrNull(fit.rSquared)},
                        {"runs", fit.runs},
                        {"single_user_response_ms", numberOrNull(one.singleUserMs)},
                        {"users", one.mostUsers},
                        {"gap_to_linear", numberOrNull(one.gapToLinear)}});
    }
    return list;
}

using ObservingOf = std::function<Json(const StoredRun&)>;

std::string sessionDocument(const StoredSession& session, const StallsOf& stallsOf, const ObservingOf& observingOf)
{
    Json points = Json::array();
    for (std::size_t i = 0; i < session.header.points.size(); ++i) {
        const PointSpec& point = session.header.points[i];
        Json cases = Json::object();
        for (const CaseRef& reference : point.cases) {
            if (reference.axis != "users") // has a key of its own
                cases[reference.axis] = reference.label;
        }
        Json runs = Json::array();
        for (const StoredRun& run : session.runs) {
            if (run.summary.point == static_cast<int>(i))
                runs.push_back(toJson(session, run, stallsOf ? stallsOf(run) : std::nullopt));
            if (run.summary.point == static_cast<int>(i) && observingOf)
                runs.back()["observing"] = observingOf(run);
        }
        Json document = {{"cases", cases},
                         {"target", redactUri(point.target.uri)},
                         {"users", point.users() > 0 ? Json(point.users()) : Json(nullptr)}};
        if (point.target.path != kDirectPath)
            document["path"] = point.target.path;
        if (const Json price = toJson(point.target.price); !price.empty())
            document["price"] = price;
        if (!point.load.groups.empty())
            document["all_users"] = point.allUsers();
        for (const LoadGroup& group : point.load.groups) {
            Json one = {
                {"name", group.name}, {"users", group.users.value_or(point.users())}, {"workload", group.workload}};
            if (group.pace.open())
                one["rate"] = group.pace.rate;
            document["groups"].push_back(std::move(one));
        }
        for (const LoadPhase& phase : point.load.phases)
            document["phases"].push_back({{"name", phase.name},
                                          {"seconds", phase.seconds},
                                          {"ramp_s", phase.rampSeconds},
                                          {"load", phaseText(point.load, phase)}});
        document["runs"] = runs;
        points.push_back(std::move(document));
    }
    const std::string& software = session.header.software;
    const std::size_t space = software.find(' ');
    Json document = {{"session", session.info.id},
                     {"software",
                      {{"name", software.substr(0, space)},
                       {"version", space == std::string::npos ? std::string() : software.substr(space + 1)}}},
                     {"sealed", session.sealed},
                     {"damaged", session.damage},
                     {"points", points}};
    const RunCounts counts = countRuns(session);
    document["run_counts"] = {{"planned", counts.planned}, {"done", counts.done},       {"failed", counts.failed},
                              {"skipped", counts.skipped}, {"stopped", counts.stopped}, {"cut", counts.cut},
                              {"damaged", counts.damaged}, {"not_run", counts.notRun}};
    if (const std::string sittings = sittingsText(session); !sittings.empty())
        document["sittings"] = sittings;
    Json views = Json::array(), limits = Json::array(), knees = Json::array();
    for (const View& view : session.header.plan.views) {
        if (!hasChart(view.chart, &ChartKind::summary))
            continue;
        const Pivot figures = pivot({session}, requestOf(view));
        for (const DeviceLimit& limit : figures.limits) // lines of its chart
            limits.push_back({{"measure", view.measure},
                              {"name", limit.name},
                              {"value", rounded(limit.value, 1)},
                              {"unit", limit.bytes ? "bytes/s" : "1/s"}});
        for (const Knee& knee : figures.knees)
            knees.push_back({{"measure", view.measure}, {"x", knee.x}, {"series", knee.series}, {"facet", knee.facet}});
        const bool ofParts = std::ranges::any_of(
            figures.cells, [](const PivotCell& cell) { return !cell.operation.empty() || !cell.spread.empty(); });
        if (ofParts || view.relativeTo != RelativeTo::Nothing || view.centre != Centre::Mean)
            views.push_back(toJson(figures));
    }
    if (!views.empty())
        document["views"] = views;
    if (!limits.empty())
        document["limits"] = limits;
    if (!knees.empty())
        document["knees"] = knees;
    if (const Json scaling = scalingJson(session); !scaling.empty())
        document["scaling"] = scaling;
    if (const Drift drift = driftOf(session, "tps"); drift.tested())
        document["drift"] = {{"test", "seasonal Kendall"}, {"measure", "tps"},
                             {"runs", drift.runs},         {"score", drift.score},
                             {"p", numberOrNull(drift.p)}, {"change", numberOrNull(drift.perSession)},
                             {"shown", drift.shown()}};
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

std::string sessionJson(const StoredSession& session)
{
    return sessionDocument(session, {}, {});
}

std::string sessionJson(const StoredSession& session, const StallsOf& stallsOf)
{
    return sessionDocument(session, stallsOf, {});
}

std::string sessionJson(const StoredSession& session, const StallsOf& stallsOf, Library& library)
{
    const auto costOf = observingCosts(library, session.info.id);
    return sessionDocument(session, stallsOf, [&costOf](const StoredRun& run) {
        const auto cost = costOf(run.header.index);
        return cost ? Json::parse(observingJson(*cost), nullptr, false) : Json{{"error", cost.error().message}};
    });
}

} // namespace dyno
