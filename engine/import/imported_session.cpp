// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/imported_session.h"

#include "import/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

namespace dyno::import {

namespace {

std::string newId()
{
    std::random_device device;
    std::uint64_t high = (std::uint64_t(device()) << 32) | device();
    std::uint64_t low = (std::uint64_t(device()) << 32) | device();
    high = (high & ~std::uint64_t(0xf000)) | 0x4000;
    low = (low & ~(std::uint64_t(3) << 62)) | (std::uint64_t(2) << 62);
    return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff, high & 0xffff,
                       low >> 48, low & 0xffffffffffff);
}

bool tellsSomething(const Run& run)
{
    const auto known = [](double value) { return std::isfinite(value); };
    return !run.empty() || known(run.tps) || known(run.qps) || known(run.transactions) || known(run.queries) ||
           run.latency.any() || !run.total.empty() || !run.operations.empty() || run.status == RunStatus::Failed;
}

const char* clockText(const std::deque<Run>& runs)
{
    std::set<Clock> clocks;
    for (const Run& run : runs)
        clocks.insert(run.clock);
    if (clocks.contains(Clock::Service) && clocks.contains(Clock::Response))
        return "service, or response where there was a rate";
    return clocks.contains(Clock::Response) ? "response" : clocks.contains(Clock::Service) ? "service" : "not told";
}

std::string withArticle(const std::string& noun)
{
    return (std::string_view("aeiou").find(noun.front()) == std::string_view::npos ? "a " : "an ") + noun;
}

std::string notesOf(const ImportOrigin& origin, const Collector& collector)
{
    std::string text =
        fmt::format("Imported from {} ({}: {}). Measured by another tool: it cannot be run again from here.\n\n",
                    origin.software(), fmt::join(origin.files, ", "), origin.reason);
    if (origin.latency != "not told" || !origin.precision.empty()) {
        text += fmt::format("- Latency: {} time", origin.latency);
        if (!origin.sample.empty())
            text += fmt::format(", of {}", withArticle(origin.sample));
        if (!origin.precision.empty())
            text += fmt::format("; {}", origin.precision);
        text += "\n";
    }
    text += fmt::format("- Warm-up: {}\n", origin.warmup.empty() ? "not told" : origin.warmup);
    if (origin.unknownLines > 0) {
        text +=
            fmt::format("- lines not understood: {} of {}; the original is kept\n", origin.unknownLines, origin.lines);
    }
    for (const Run& run : collector.runs()) {
        if (run.size() > kMostIntervals / 2) {
            text += "- Very many intervals were put together: counts are sums, percentiles the highest of them\n";
            break;
        }
    }
    for (const std::string& note : origin.notes)
        text += fmt::format("- {}\n", note);
    std::size_t shownFigures = 0;
    constexpr std::size_t kMostFigures = 40;
    for (const Run& run : collector.runs()) {
        for (const ImportFigure& figure : run.figures) {
            if (++shownFigures <= kMostFigures)
                text += fmt::format("- {}: {}{}{}\n", figure.name, figure.value, figure.unit.empty() ? "" : " ",
                                    figure.unit);
        }
    }
    if (shownFigures > kMostFigures)
        text += fmt::format("- more figures in the kept original: {}\n", shownFigures - kMostFigures);
    return text;
}

//! Runs of the same cases and users are repeats; users are an axis when they vary.
PointSpec pointOf(const Run& run, int users, bool usersVary)
{
    PointSpec point;
    point.cases = run.cases;
    if (users == 0)
        point.cases.push_back({"users", "not told"});
    else if (usersVary)
        point.cases.push_back({"users", std::to_string(users)});
    point.workload.name = run.workload;
    point.workload.params = run.options;
    point.workload.prepare = PreparePolicy::Never;
    point.load.users = {users};
    point.load.timeSeconds = 0;
    point.load.counters = false;
    if (const auto rate = run.options.find("rate"); rate != run.options.end()) {
        point.load.arrival.model = run.clock == Clock::Response ? ArrivalModel::Poisson : ArrivalModel::Closed;
        point.load.arrival.rate = realOf(run.options, "rate");
    }
    return point;
}

} // namespace

void dropEmptyRuns(Collector& collector)
{
    std::erase_if(collector.runs(), [](const Run& run) { return !tellsSomething(run); });
}

ImportedSession sessionOf(const Collector& collector, std::int64_t otherwiseStartedMs)
{
    ImportedSession session;
    SessionHeader& header = session.header;
    ImportOrigin origin = collector.origin;
    origin.latency = clockText(collector.runs());
    const std::deque<Run>& runs = collector.runs();
    const auto usersOf = [&collector](const Run& run) { return run.users > 0 ? run.users : collector.options().users; };
    std::set<int> levels;
    for (const Run& run : runs)
        levels.insert(usersOf(run));

    std::string files = origin.files.empty() ? std::string() : origin.files.front();
    if (origin.files.size() > 1)
        files += fmt::format(" and {} more", origin.files.size() - 1);
    header.id = newId();
    header.title =
        collector.options().title.empty() ? fmt::format("{}: {}", origin.software(), files) : collector.options().title;
    header.software = origin.software();
    header.startedMs = otherwiseStartedMs;
    for (const Run& run : runs) {
        if (run.startedMs > 0) {
            header.startedMs = run.startedMs;
            break;
        }
    }
    std::vector<int> repeats;
    for (const Run& run : runs) {
        const int users = usersOf(run);
        PointSpec point = pointOf(run, users, levels.size() > 1);
        if (point.workload.name.empty())
            point.workload.name = origin.tool;
        point.target.uri = fmt::format("imported:{}", run.target.empty() ? files : run.target);
        const auto same = std::ranges::find_if(header.points, [&](const PointSpec& one) {
            return one.cases == point.cases && one.load.users == point.load.users &&
                   one.workload.name == point.workload.name;
        });
        const auto index = static_cast<std::size_t>(same - header.points.begin());
        if (same == header.points.end()) {
            header.points.push_back(std::move(point));
            repeats.push_back(0);
        }
        header.runs.push_back({static_cast<int>(index), ++repeats[index], false, false});
        const std::string latency =
            run.clock == Clock::NotTold
                ? std::string()
                : fmt::format("{} time of {}", run.clock == Clock::Response ? "response" : "service",
                              withArticle(origin.sample.empty() ? "call" : origin.sample));
        ImportedRun one = run.summarized(fmt::format("{}{}{}{}{}", origin.software(), latency.empty() ? "" : ", ",
                                                     latency, origin.precision.empty() ? "" : ", ", origin.precision),
                                         static_cast<int>(index), repeats[index]);
        one.users = users;
        one.label = header.points[index].label();
        session.runs.push_back(std::move(one));
        session.sources.push_back(&run);
    }
    Plan& plan = header.plan;
    plan.title = header.title;
    plan.source = fmt::format("imported: {}", files);
    if (!header.points.empty()) {
        plan.target = header.points.front().target;
        plan.workload.name = header.points.front().workload.name;
        plan.load.users.assign(levels.begin(), levels.end());
    }
    session.notes = notesOf(origin, collector);
    return session;
}

namespace {

using Json = nlohmann::ordered_json;

} // namespace

std::string toJson(const ImportOrigin& origin)
{
    Json unknown = Json::array();
    for (const UnknownLine& one : origin.unknown)
        unknown.push_back({{"file", one.file}, {"line", one.line}, {"text", one.text}});
    const Json json = {{"format", origin.format},
                       {"reason", origin.reason},
                       {"tool", origin.tool},
                       {"version", origin.version},
                       {"files", origin.files},
                       {"sample", origin.sample},
                       {"latency", origin.latency},
                       {"precision", origin.precision},
                       {"warmup", origin.warmup},
                       {"lines", origin.lines},
                       {"unknown_lines", origin.unknownLines},
                       {"unknown", unknown},
                       {"notes", origin.notes},
                       {"parser", 1}};
    return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

} // namespace dyno::import
