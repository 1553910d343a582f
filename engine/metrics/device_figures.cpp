// SPDX-License-Identifier: GPL-3.0-or-later
// What was measured of a disk as JSON, and which of it a chart can show as a line.
#include <dyno/device_limits.h>

#include "base/text.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace dyno {

namespace {

using DeviceJson = nlohmann::ordered_json;

//! One row a figure of a kind of work: names in the JSON.
constexpr std::pair<const char*, double LatencySummary::*> kWorkTimes[] = {{"mean", &LatencySummary::meanMs},
                                                                           {"p50", &LatencySummary::p50Ms},
                                                                           {"p99", &LatencySummary::p99Ms},
                                                                           {"max", &LatencySummary::maxMs}};
constexpr std::pair<const char*, DeviceWork DeviceFigures::*> kWorks[] = {{"random_read", &DeviceFigures::read},
                                                                          {"random_reads", &DeviceFigures::reads},
                                                                          {"write_with_sync", &DeviceFigures::sync}};
constexpr const char* kWrittenInOrder = "sequential_write_bytes_per_second";

DeviceJson jsonOfWork(const DeviceWork& work)
{
    DeviceJson json{{"per_second", work.perSecond}, {"ms", DeviceJson::object()}};
    for (const auto& [name, member] : kWorkTimes)
        json["ms"][name] = work.times.*member;
    return json;
}

//! 0 for what is no number, or none that is measured.
double measuredAt(const DeviceJson& json, const char* name)
{
    const auto found = json.is_object() ? json.find(name) : json.end();
    if (!json.is_object() || found == json.end() || !found->is_number())
        return 0;
    const double value = found->get<double>();
    return std::isfinite(value) && value > 0 ? value : 0;
}

//! A size or a number of readers; 0 for one beyond what a probe takes.
template<class Whole>
Whole wholeAt(const DeviceJson& json, const char* name)
{
    constexpr double kMost = 1e15;
    const double value = measuredAt(json, name);
    return value <= std::min(kMost, double(std::numeric_limits<Whole>::max())) ? static_cast<Whole>(value) : Whole();
}

DeviceWork workAt(const DeviceJson& json, const char* name)
{
    DeviceWork work;
    const auto found = json.find(name);
    if (found == json.end() || !found->is_object())
        return work;
    work.perSecond = measuredAt(*found, "per_second");
    if (const auto times = found->find("ms"); times != found->end()) {
        for (const auto& [time, member] : kWorkTimes)
            work.times.*member = measuredAt(*times, time);
    }
    return work;
}

std::string textAt(const DeviceJson& json, const char* name)
{
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

} // namespace

std::string toJson(const DeviceFigures& figures, int indent)
{
    DeviceJson json{{"folder", figures.folder},          {"file_system", figures.fileSystem},
                    {"device", figures.source},          {"tool", figures.tool.empty() ? "dynobench" : figures.tool},
                    {"direct", figures.direct},          {"file_bytes", figures.fileBytes},
                    {"block_bytes", figures.blockBytes}, {"readers", figures.readers}};
    json[kWrittenInOrder] = figures.bytesPerSecond;
    for (const auto& [name, member] : kWorks)
        json[name] = jsonOfWork(figures.*member);
    return json.dump(indent, ' ', false, DeviceJson::error_handler_t::replace);
}

std::optional<DeviceFigures> deviceFromJson(std::string_view text)
{
    const DeviceJson json = DeviceJson::parse(text, nullptr, false);
    if (!json.is_object() || json.find("random_reads") == json.end())
        return std::nullopt;
    DeviceFigures figures;
    figures.folder = textAt(json, "folder");
    figures.fileSystem = textAt(json, "file_system");
    figures.source = textAt(json, "device");
    figures.tool = textAt(json, "tool");
    if (figures.tool == "dynobench")
        figures.tool.clear();
    const auto direct = json.find("direct");
    figures.direct = direct != json.end() && direct->is_boolean() && direct->get<bool>();
    figures.fileBytes = wholeAt<std::uint64_t>(json, "file_bytes");
    figures.blockBytes = wholeAt<std::size_t>(json, "block_bytes");
    figures.readers = wholeAt<int>(json, "readers");
    figures.bytesPerSecond = measuredAt(json, kWrittenInOrder);
    for (const auto& [name, member] : kWorks)
        figures.*member = workAt(json, name);
    return figures;
}

namespace {

//! Of times, sizes and physics: an amount of them a second is no number of reads.
constexpr std::string_view kNoNumbers =
    " s ms us µs μs ns second seconds milliseconds microseconds nanoseconds min minutes h hours days"
    " B byte kB KB MB GB TB KiB MiB GiB TiB bit bits kbit Mbit Gbit"
    " ratio % percent J joules W watts V volts A amperes celsius °C m meters g grams Hz hertz ";

//! 0 where reads may have come from memory: they are no limit of the disk.
double readsOfDisk(const DeviceFigures& figures, const DeviceWork& reads)
{
    return figures.direct ? reads.perSecond : 0;
}

} // namespace

const std::vector<DeviceLimitInfo>& deviceLimits()
{
    static const std::vector<DeviceLimitInfo> limits{
        {"disk reads", "random reads of a block a second, several at once", false,
         [](const DeviceFigures& figures) { return readsOfDisk(figures, figures.reads); }},
        {"disk reads, one at a time", "random reads of a block a second, one after the other", false,
         [](const DeviceFigures& figures) { return readsOfDisk(figures, figures.read); }},
        {"disk syncs", "writes of 4 KiB a second, each with a sync", false,
         [](const DeviceFigures& figures) { return figures.sync.perSecond; }},
        {"disk write bytes", "bytes a second, written in order", true,
         [](const DeviceFigures& figures) { return figures.bytesPerSecond; }},
    };
    return limits;
}

const DeviceLimitInfo* findDeviceLimit(std::string_view name)
{
    const auto found = std::ranges::find(deviceLimits(), name, &DeviceLimitInfo::name);
    return found == deviceLimits().end() ? nullptr : &*found;
}

std::vector<std::string> limitNames(std::string_view text)
{
    std::vector<std::string> names;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(';'), text.size());
        const std::string_view name = trimmed(text.substr(0, end));
        if (!name.empty() && std::ranges::find(names, name) == names.end())
            names.emplace_back(name);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return names;
}

bool hasUnitOf(const DeviceLimitInfo& limit, std::string_view unit)
{
    constexpr std::string_view kASecond = "/s";
    if (!unit.ends_with(kASecond))
        return false;
    unit.remove_suffix(kASecond.size());
    if (unit == "bytes")
        return limit.bytes;
    return !limit.bytes && kNoNumbers.find(" " + std::string(unit) + " ") == std::string_view::npos;
}

} // namespace dyno
