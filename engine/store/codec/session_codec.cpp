// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/codec/session_codec.h"

#include "plan/plan_fields.h"

#include <dyno/load_fields.h>
#include <dyno/path.h>
#include <dyno/run_fields.h>
#include <dyno/stored_plan.h>

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace dyno::codec {

using Json = nlohmann::json;

namespace {

std::string dump(const Json& json)
{
    // Server variables may hold any bytes; they are stored readable rather than not at all.
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

//! An object, whatever the text is. Copies and texts of JSON are made level by level on the stack, and a stranger's
//! file may have any number of levels: what is deeper than any of ours is not read.
Json parse(std::string_view text)
{
    constexpr int kMostLevels = 64;
    Json json = Json::parse(
        text, [](int level, Json::parse_event_t, const Json&) { return level <= kMostLevels; }, false);
    return json.is_object() ? std::move(json) : Json::object();
}

Json jsonOf(const std::optional<double>& value)
{
    return value ? Json(*value) : Json(nullptr);
}

template<class T>
void get(const Json& json, const char* key, T& value)
{
    const auto found = json.find(key);
    if (found == json.end())
        return;
    if constexpr (std::is_same_v<T, bool>) {
        if (found->is_boolean())
            value = found->template get<bool>();
    } else if constexpr (std::is_same_v<T, std::string>) {
        if (found->is_string())
            value = found->template get<std::string>();
    } else if constexpr (std::is_same_v<T, std::optional<double>>) {
        if (found->is_number())
            value = found->template get<double>();
    } else if constexpr (std::is_same_v<T, std::optional<std::uint64_t>>) {
        if (found->is_number_unsigned())
            value = found->template get<std::uint64_t>();
    } else {
        if (found->is_number())
            value = found->template get<T>();
    }
}

//! As get(); null, which is how what is not a number is written, is not a number again.
void getOrNone(const Json& json, const char* key, double& value)
{
    const auto found = json.find(key);
    if (found != json.end() && found->is_null())
        value = std::numeric_limits<double>::quiet_NaN();
    else
        get(json, key, value);
}

Json object(const Json& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_object() ? *found : Json::object();
}

Json toJson(const Settings& settings)
{
    Json json = Json::object();
    for (const auto& [name, value] : settings)
        std::visit([&json, &name = name](const auto& v) { json[name] = v; }, value);
    return json;
}

Settings settingsOf(const Json& json)
{
    Settings settings;
    for (const auto& [name, value] : json.items()) {
        if (value.is_boolean())
            settings[name] = value.get<bool>();
        else if (value.is_number_integer())
            settings[name] = value.get<std::int64_t>();
        else if (value.is_number_float())
            settings[name] = value.get<double>();
        else if (value.is_string())
            settings[name] = value.get<std::string>();
    }
    return settings;
}

Json toJson(const LatencySummary& l)
{
    Json json = Json::object();
    for (const LatencyField& field : latencyFields())
        json[field.id] = l.*field.member;
    return json;
}

LatencySummary latencyOf(const Json& json)
{
    LatencySummary l;
    for (const LatencyField& field : latencyFields())
        getOrNone(json, field.id, l.*field.member);
    return l;
}

//! "SUM MAX SATURATED STEP COUNT STEP COUNT …": the buckets in order, each by its distance from the one before.
std::string textOf(const Histogram& times)
{
    if (times.empty())
        return {};
    std::string text = fmt::format("{} {} {}", times.sumNs(), times.maxNs(), times.saturated());
    std::uint32_t before = 0;
    for (const Histogram::Bucket& bucket : times.buckets()) {
        text += fmt::format(" {} {}", bucket.index - before, bucket.count);
        before = bucket.index;
    }
    return text;
}

//! Empty when the text is none.
Histogram histogramOf(std::string_view text)
{
    std::vector<std::uint64_t> numbers;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        std::uint64_t number = 0;
        const auto read = std::from_chars(at, end, number);
        if (read.ec != std::errc() || (read.ptr != end && *read.ptr != ' '))
            return {};
        numbers.push_back(number);
        at = read.ptr == end ? end : read.ptr + 1;
    }
    if (numbers.size() < 5 || numbers.size() % 2 == 0)
        return {};
    std::vector<Histogram::Bucket> buckets;
    std::uint64_t index = 0, all = 0;
    for (std::size_t i = 3; i < numbers.size(); i += 2) {
        const bool falls = i > 3 && numbers[i] == 0;
        if (falls || numbers[i] >= hdr::kBuckets || (index += numbers[i]) >= hdr::kBuckets || numbers[i + 1] == 0 ||
            numbers[i + 1] > std::numeric_limits<std::uint64_t>::max() - all)
            return {};
        all += numbers[i + 1];
        buckets.push_back({static_cast<std::uint32_t>(index), numbers[i + 1]});
    }
    return Histogram::fromBuckets(std::move(buckets), numbers[0], numbers[1], numbers[2]);
}

void put(Json& json, const LatencyTimes& times)
{
    if (!times.service.empty())
        json["service_times"] = textOf(times.service);
    if (!times.response.empty())
        json["response_times"] = textOf(times.response);
}

LatencyTimes timesOf(const Json& json)
{
    std::string service, response;
    get(json, "service_times", service);
    get(json, "response_times", response);
    return {histogramOf(service), histogramOf(response)};
}

template<class T>
Json byCode(const std::map<std::int32_t, T>& values)
{
    Json json = Json::object();
    for (const auto& [code, value] : values)
        json[std::to_string(code)] = value;
    return json;
}

template<class T>
std::map<std::int32_t, T> codesOf(const Json& json)
{
    std::map<std::int32_t, T> values;
    for (const auto& [key, value] : json.items()) {
        std::int32_t code = 0;
        std::from_chars(key.data(), key.data() + key.size(), code);
        if constexpr (std::is_same_v<T, std::string>) {
            if (value.is_string())
                values[code] = value.template get<std::string>();
        } else {
            if (value.is_number())
                values[code] = value.template get<T>();
        }
    }
    return values;
}

std::optional<Value> numberOf(const Json& json)
{
    if (json.is_boolean())
        return json.get<bool>();
    if (json.is_number_integer())
        return json.get<std::int64_t>();
    if (json.is_number_float())
        return json.get<double>();
    return {};
}

Json toJson(const PhasePace& pace)
{
    Json json = Json::object(); // what is not said is not there
    if (pace.users)
        json["users"] = *pace.users;
    if (pace.percent)
        json["percent"] = *pace.percent;
    if (pace.rate)
        json["rate"] = *pace.rate;
    for (const auto& [section, weight] : pace.weights)
        json["weights"][section] = weight;
    return json;
}

//! The fields that are lists stand beside those of the table.
Json toJson(const LoadProfile& load)
{
    Json json = {{"users", load.users}};
    for (const LoadField& field : loadFields()) {
        for (const LoadField::Stored& stored : field.stored) {
            Json& place = json[Json::json_pointer(stored.path)];
            std::visit([&place](const auto& value) { place = value; }, stored.get(load));
        }
    }
    Json steps = Json::array();
    for (const RateStep& step : load.arrival.steps)
        steps.push_back({{"rate", step.rate}, {"seconds", step.seconds}});
    json["arrival"]["steps"] = std::move(steps);
    if (!load.observe.empty())
        json["observe"] = load.observe;
    for (const LoadGroup& group : load.groups) {
        Json one = {{"name", group.name},
                    {"workload", group.workload},
                    {"params", toJson(group.params)},
                    {"arrival", static_cast<int>(group.pace.model)},
                    {"rate", group.pace.rate},
                    {"think_s", group.pace.thinkSeconds}};
        if (group.users)
            one["users"] = *group.users;
        json["groups"].push_back(std::move(one));
    }
    for (const LoadPhase& phase : load.phases) {
        Json one = toJson(phase.pace);
        one["name"] = phase.name;
        one["time_s"] = phase.seconds;
        one["ramp_s"] = phase.rampSeconds;
        for (const auto& [group, pace] : phase.groups)
            one["groups"][group] = toJson(pace);
        json["phases"].push_back(std::move(one));
    }
    return json;
}

constexpr std::size_t kMostWeights = 128; //!< of a file

PhasePace paceOf(const Json& json)
{
    PhasePace pace;
    const auto users = json.find("users"), percent = json.find("percent"), rate = json.find("rate");
    if (users != json.end() && users->is_number_integer())
        pace.users = std::clamp<int>(users->get<int>(), 0, std::numeric_limits<int>::max());
    if (percent != json.end() && percent->is_number())
        pace.percent = std::clamp(percent->get<double>(), 0.0, 100.0);
    if (rate != json.end() && rate->is_number())
        pace.rate = rate->get<double>();
    const Json weights = object(json, "weights");
    for (const auto& [section, weight] : weights.items()) {
        if (weight.is_number_integer() && pace.weights.size() < kMostWeights)
            pace.weights.emplace(section, std::clamp<std::int64_t>(weight.get<std::int64_t>(), 0, kMaxSectionWeight));
    }
    return pace;
}

LoadPhase phaseOf(const Json& json)
{
    LoadPhase phase;
    get(json, "name", phase.name);
    get(json, "time_s", phase.seconds);
    get(json, "ramp_s", phase.rampSeconds);
    // A file may hold any number, and these become nanoseconds.
    phase.seconds = std::clamp(phase.seconds, 0.0, kMaxSeconds);
    phase.rampSeconds = std::clamp(phase.rampSeconds, 0.0, phase.seconds);
    phase.pace = paceOf(json);
    const Json groups = object(json, "groups");
    for (const auto& [group, pace] : groups.items()) {
        if (pace.is_object() && phase.groups.size() < kMostGroups)
            phase.groups.insert_or_assign(group, paceOf(pace));
    }
    return phase;
}

LoadGroup groupOf(const Json& json)
{
    LoadGroup group;
    get(json, "name", group.name);
    get(json, "workload", group.workload);
    group.params = settingsOf(object(json, "params"));
    int model = 0;
    get(json, "arrival", model);
    group.pace.model = static_cast<ArrivalModel>(std::clamp(model, 0, static_cast<int>(ArrivalModel::Poisson)));
    get(json, "rate", group.pace.rate);
    get(json, "think_s", group.pace.thinkSeconds);
    const auto users = json.find("users");
    if (users != json.end() && users->is_number_integer())
        group.users = std::clamp<int>(users->get<int>(), 0, std::numeric_limits<int>::max());
    return group;
}

LoadProfile loadOf(const Json& json)
{
    LoadProfile load;
    const auto users = json.find("users");
    if (users != json.end() && users->is_array()) {
        load.users.clear();
        for (const Json& count : *users) {
            if (count.is_number_integer())
                load.users.push_back(count.get<int>());
        }
    }
    for (const LoadField& field : loadFields()) {
        for (const LoadField::Stored& stored : field.stored) {
            const Json::json_pointer path(stored.path);
            const std::optional<Value> value = json.contains(path) ? numberOf(json.at(path)) : std::nullopt;
            if (value)
                stored.set(load, *value);
        }
    }
    const Json arrival = object(json, "arrival");
    const auto steps = arrival.find("steps");
    if (steps != arrival.end() && steps->is_array()) {
        for (const Json& item : *steps) {
            RateStep step;
            get(item, "rate", step.rate);
            get(item, "seconds", step.seconds);
            load.arrival.steps.push_back(step);
        }
    }
    const auto observe = json.find("observe");
    if (observe != json.end() && observe->is_array()) {
        std::string names;
        for (const Json& name : *observe) {
            if (name.is_string())
                names += (names.empty() ? "" : ",") + name.get<std::string>();
        }
        (void)findLoadField("observe")->set(load, names); // what no plan could say is not taken
    }
    const auto groups = json.find("groups");
    if (groups != json.end() && groups->is_array()) {
        for (const Json& item : *groups) {
            if (item.is_object() && load.groups.size() < kMostGroups)
                load.groups.push_back(groupOf(item));
        }
    }
    const auto phases = json.find("phases");
    if (phases != json.end() && phases->is_array()) {
        for (const Json& item : *phases) {
            if (item.is_object() && load.phases.size() < kMostPhases)
                load.phases.push_back(phaseOf(item));
        }
    }
    return load;
}

} // namespace

std::string write(const Settings& settings)
{
    return dump(toJson(settings));
}

Settings readSettings(std::string_view json)
{
    return settingsOf(parse(json));
}

constexpr const char* kDevice = "device"; // an object: no setting has one for its value

std::string write(const Settings& inForce, const std::optional<DeviceFigures>& device)
{
    Json json = toJson(inForce);
    if (device)
        json[kDevice] = parse(dyno::toJson(*device));
    return dump(json);
}

std::optional<DeviceFigures> readDevice(std::string_view text)
{
    if (text.find(kDevice) == std::string_view::npos)
        return std::nullopt;
    const Json device = object(parse(text), kDevice);
    return device.empty() ? std::nullopt : deviceFromJson(dump(device));
}

std::string write(const HostFacts& host)
{
    return dump({{"name", host.name},
                 {"os", host.os},
                 {"kernel", host.kernel},
                 {"cpu", host.cpu},
                 {"cores", host.cores},
                 {"memory_bytes", host.memoryBytes}});
}

HostFacts readHost(std::string_view text)
{
    const Json json = parse(text);
    HostFacts host;
    get(json, "name", host.name);
    get(json, "os", host.os);
    get(json, "kernel", host.kernel);
    get(json, "cpu", host.cpu);
    get(json, "cores", host.cores);
    get(json, "memory_bytes", host.memoryBytes);
    return host;
}

std::string write(const PointSpec& point)
{
    Json cases = Json::array();
    for (const CaseRef& reference : point.cases)
        cases.push_back({{"axis", reference.axis}, {"label", reference.label}});
    const Price& price = point.target.price;
    Json json = {
        {"cases", cases},
        {"target", point.target.uri},
        {"price", {{"cost_per_hour", price.costPerHour}, {"watts", price.watts}, {"currency", price.currency}}},
        {"workload",
         {{"name", point.workload.name},
          {"params", toJson(point.workload.params)},
          {"prepare", static_cast<int>(point.workload.prepare)},
          {"cleanup", point.workload.cleanup}}},
        {"server", toJson(point.server)},
        {"connection", toJson(point.connection)},
        {"table", toJson(point.table)},
        {"host", toJson(point.host)},
        {"load", toJson(point.load)}};
    if (point.target.path != kDirectPath)
        json["path"] = point.target.path;
    return dump(json);
}

PointSpec readPoint(std::string_view text)
{
    const Json json = parse(text);
    PointSpec point;
    const auto cases = json.find("cases");
    if (cases != json.end() && cases->is_array()) {
        for (const Json& item : *cases) {
            CaseRef reference;
            get(item, "axis", reference.axis);
            get(item, "label", reference.label);
            point.cases.push_back(std::move(reference));
        }
    }
    get(json, "target", point.target.uri);
    get(json, "path", point.target.path);
    const Json price = object(json, "price");
    get(price, "cost_per_hour", point.target.price.costPerHour);
    get(price, "watts", point.target.price.watts);
    get(price, "currency", point.target.price.currency);
    const Json workload = object(json, "workload");
    get(workload, "name", point.workload.name);
    point.workload.params = settingsOf(object(workload, "params"));
    int prepare = 0;
    get(workload, "prepare", prepare);
    point.workload.prepare = static_cast<PreparePolicy>(std::clamp(prepare, 0, static_cast<int>(PreparePolicy::Use)));
    get(workload, "cleanup", point.workload.cleanup);
    point.server = settingsOf(object(json, "server"));
    point.connection = settingsOf(object(json, "connection"));
    point.table = settingsOf(object(json, "table"));
    point.host = settingsOf(object(json, "host"));
    point.load = loadOf(object(json, "load"));
    return point;
}

std::string write(const RunSummary& s)
{
    Json operations = Json::array();
    for (const OperationSummary& op : s.operations) {
        operations.push_back({{"name", op.name},
                              {"class", toText(op.opClass)},
                              {"count", op.count},
                              {"errors", op.errors},
                              {"service_ms", toJson(op.service)},
                              {"response_ms", toJson(op.response)}});
        if (op.rows)
            operations.back()["rows"] = *op.rows;
        put(operations.back(), op.times);
    }
    Json json = {{"point", s.point},
                 {"repeat", s.repeat},
                 {"status", dyno::toText(s.status)},
                 {"reason", s.reason},
                 {"errors", byCode(s.errors)},
                 {"error_texts", byCode(s.errorTexts)},
                 {"service_ms", toJson(s.service)},
                 {"response_ms", toJson(s.response)},
                 {"operations", operations},
                 {"client_limited", s.clientLimited},
                 {"client_reason", s.clientReason}};
    for (const RunField& field : runFields()) {
        if (field.count && (s.*field.count > 0 || !field.storedWhereThere))
            json[field.info.id] = s.*field.count;
        else if (field.real)
            json[field.info.id] = s.*field.real;
        else if (field.maybe)
            json[field.info.id] = jsonOf(s.*field.maybe);
    }
    put(json, s.times);
    for (const PhaseSummary& phase : s.phases) {
        json["phases"].push_back({{"name", phase.name},
                                  {"from_ns", phase.fromNs},
                                  {"ramp_ns", phase.rampNs},
                                  {"seconds", phase.seconds},
                                  {"transactions", phase.transactions},
                                  {"failed", phase.failed},
                                  {"service_ms", toJson(phase.service)},
                                  {"response_ms", toJson(phase.response)}});
        put(json["phases"].back(), phase.times);
    }
    if (s.loadRetries)
        json["load_retries"] = byCode(*s.loadRetries);
    for (const ProcessUse& process : s.processes)
        json["processes"].push_back({{"name", process.name}, {"cores", process.cores}});
    if (!s.place.empty())
        json["place"] = s.place;
    if (!s.remedy.empty())
        json["remedy"] = s.remedy;
    if (s.startedMs > 0)
        json["started_ms"] = s.startedMs;
    if (s.beganAfterMs >= 0)
        json["began_after_ms"] = s.beganAfterMs;
    if (s.sitting > 1)
        json["sitting"] = s.sitting;
    if (s.starvation.intervals > 0) {
        json["starvation"] = {{"intervals", s.starvation.intervals},    {"of", s.starvation.of},
                              {"seconds", s.starvation.seconds},        {"of_seconds", s.starvation.ofSeconds},
                              {"waited_s", s.starvation.waitedSeconds}, {"starts_ns", s.starvation.startsNs}};
    }
    if (s.objective) {
        json["objective"] = {{"text", s.objective->text},
                             {"met", s.objective->met},
                             {"value", jsonOf(s.objective->valueMs)},
                             {"why", s.objective->why}};
    }
    if (!s.origin.empty()) {
        json["origin"] = s.origin;
        json["told"] = s.told;
    }
    return dump(json);
}

RunSummary readSummary(std::string_view text)
{
    const Json json = parse(text);
    RunSummary s;
    get(json, "point", s.point);
    get(json, "repeat", s.repeat);
    std::string status;
    get(json, "status", status);
    s.status = runStatusFromText(status);
    get(json, "reason", s.reason);
    for (const RunField& field : runFields()) {
        const char* const key = field.info.id.c_str();
        if (field.count)
            get(json, key, s.*field.count);
        else if (field.real)
            getOrNone(json, key, s.*field.real);
        else if (field.maybe)
            get(json, key, s.*field.maybe);
    }
    s.errors = codesOf<std::uint64_t>(object(json, "errors"));
    s.errorTexts = codesOf<std::string>(object(json, "error_texts"));
    if (json.contains("load_retries"))
        s.loadRetries = codesOf<std::uint64_t>(object(json, "load_retries"));
    s.service = latencyOf(object(json, "service_ms"));
    s.response = latencyOf(object(json, "response_ms"));
    s.times = timesOf(json);
    get(json, "place", s.place);
    get(json, "remedy", s.remedy);
    get(json, "started_ms", s.startedMs);
    get(json, "began_after_ms", s.beganAfterMs);
    get(json, "sitting", s.sitting);
    s.sitting = std::max(s.sitting, 1);
    const auto operations = json.find("operations");
    if (operations != json.end() && operations->is_array()) {
        for (const Json& item : *operations) {
            OperationSummary op;
            std::string opClass;
            get(item, "name", op.name);
            get(item, "class", opClass);
            op.opClass = opClassFromText(opClass);
            get(item, "count", op.count);
            get(item, "errors", op.errors);
            get(item, "rows", op.rows);
            op.service = latencyOf(object(item, "service_ms"));
            op.response = latencyOf(object(item, "response_ms"));
            op.times = timesOf(item);
            s.operations.push_back(std::move(op));
        }
    }
    if (const auto phases = json.find("phases"); phases != json.end() && phases->is_array()) {
        for (const Json& item : *phases) {
            if (!item.is_object() || s.phases.size() >= kMostPhases)
                continue;
            PhaseSummary& phase = s.phases.emplace_back();
            get(item, "name", phase.name);
            get(item, "from_ns", phase.fromNs);
            get(item, "ramp_ns", phase.rampNs);
            get(item, "seconds", phase.seconds);
            // A file may hold any number, and the sums of these are nanoseconds.
            constexpr auto kMostNs = std::int64_t(kMaxSeconds * 1e9);
            phase.fromNs = std::clamp<std::int64_t>(phase.fromNs, 0, 2 * kMostNs);
            phase.rampNs = std::clamp<std::int64_t>(phase.rampNs, 0, kMostNs);
            phase.seconds = phase.seconds >= 0 ? std::min(phase.seconds, kMaxSeconds) : 0;
            get(item, "transactions", phase.transactions);
            get(item, "failed", phase.failed);
            phase.service = latencyOf(object(item, "service_ms"));
            phase.response = latencyOf(object(item, "response_ms"));
            phase.times = timesOf(item);
        }
    }
    if (const auto processes = json.find("processes"); processes != json.end() && processes->is_array()) {
        for (const Json& item : *processes) {
            ProcessUse& process = s.processes.emplace_back();
            get(item, "name", process.name);
            get(item, "cores", process.cores);
        }
    }
    get(json, "client_limited", s.clientLimited);
    get(json, "client_reason", s.clientReason);
    if (const Json starvation = object(json, "starvation"); !starvation.empty()) {
        get(starvation, "intervals", s.starvation.intervals);
        get(starvation, "of", s.starvation.of);
        get(starvation, "seconds", s.starvation.seconds);
        get(starvation, "of_seconds", s.starvation.ofSeconds);
        get(starvation, "waited_s", s.starvation.waitedSeconds);
        if (const auto starts = starvation.find("starts_ns"); starts != starvation.end() && starts->is_array()) {
            for (const Json& start : *starts) {
                if (start.is_number_integer() && s.starvation.startsNs.size() < Starvation::kMostStarts)
                    s.starvation.startsNs.push_back(start.get<std::int64_t>());
            }
        }
    }
    if (const Json objective = object(json, "objective"); !objective.empty()) {
        s.objective.emplace();
        get(objective, "text", s.objective->text);
        get(objective, "met", s.objective->met);
        get(objective, "value", s.objective->valueMs);
        get(objective, "why", s.objective->why);
    }
    get(json, "origin", s.origin);
    if (const auto told = json.find("told"); told != json.end() && told->is_array()) {
        for (const Json& measure : *told) {
            if (measure.is_string())
                s.told.push_back(measure.get<std::string>());
        }
    }
    return s;
}

std::string write(const std::map<std::int32_t, std::uint64_t>& counts)
{
    return counts.empty() ? std::string() : dump(byCode(counts));
}

std::map<std::int32_t, std::uint64_t> readCounts(std::string_view json)
{
    return codesOf<std::uint64_t>(parse(json));
}

const char* toText(OpClass opClass)
{
    switch (opClass) {
    case OpClass::Read:
        return "read";
    case OpClass::Write:
        return "write";
    case OpClass::Group:
        return "group";
    case OpClass::Other:
        break;
    }
    return "other";
}

namespace {

//! The last one for an unknown text.
template<class Enum>
Enum fromText(std::string_view text, Enum last)
{
    int one = 0;
    while (one < static_cast<int>(last) && text != toText(static_cast<Enum>(one)))
        ++one;
    return static_cast<Enum>(one);
}

} // namespace

OpClass opClassFromText(std::string_view text)
{
    return text == toText(OpClass::Group) ? OpClass::Group : fromText(text, OpClass::Other);
}

Phase phaseFromText(std::string_view text)
{
    return fromText(text, Phase::Done);
}

EventKind eventKindFromText(std::string_view text)
{
    return fromText(text, EventKind::Note);
}

constexpr std::string_view kPerSecond = "/s";

std::string unitText(const CounterInfo& counter)
{
    return counter.rate ? counter.unit + std::string(kPerSecond) : counter.unit;
}

CounterInfo counterOf(std::string source, std::string name, std::string_view unitText)
{
    const bool rate = unitText.ends_with(kPerSecond);
    if (rate)
        unitText.remove_suffix(kPerSecond.size());
    return {std::move(source), std::move(name), std::string(unitText), rate};
}

Plan readPlanOf(std::string_view toml, std::string_view title, const std::vector<PointSpec>& points,
                const std::vector<RunSlot>& runs)
{
    ParsedPlan parsed = parseStoredPlan(toml, title);
    if (parsed.plan)
        return std::move(*parsed.plan);
    Plan plan;
    plan.title = title;
    if (points.empty())
        return plan;
    plan.target = points.front().target;
    plan.workload = points.front().workload;
    plan.load = points.front().load;
    for (const PointSpec& point : points) {
        if (std::ranges::find(plan.load.users, point.users()) == plan.load.users.end())
            plan.load.users.push_back(point.users());
        for (const CaseRef& reference : point.cases) {
            if (reference.axis == "users")
                continue;
            auto axis = std::ranges::find(plan.axes, reference.axis, &Axis::name);
            if (axis == plan.axes.end())
                axis = plan.axes.insert(axis, Axis{reference.axis, {}, 0});
            if (std::ranges::find(axis->cases, reference.label, &Case::label) == axis->cases.end())
                axis->cases.push_back({reference.label, {}, 0});
        }
    }
    for (const RunSlot& run : runs)
        plan.load.repeats = std::max(plan.load.repeats, run.repeat);
    return plan;
}

} // namespace dyno::codec
