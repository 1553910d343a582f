// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/plan_fields.h"

#include <cmath>
#include <fmt/format.h>

namespace dyno {

namespace {

std::string quotedText(std::string_view text)
{
    std::string out = "\"";
    for (const char c : text) {
        switch (c) {
        case '"':
            out += "\\\"";
            break;
        case '\\':
            out += "\\\\";
            break;
        case '\n':
            out += "\\n";
            break;
        case '\t':
            out += "\\t";
            break;
        case '\r':
            out += "\\r";
            break;
        default:
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
                out += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
            else
                out += c;
        }
    }
    return out + "\"";
}

//! A key as TOML takes it: bare where it can be, else quoted.
std::string keyText(std::string_view key)
{
    const bool bare =
        !key.empty() && key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
                            std::string_view::npos;
    return bare ? std::string(key) : quotedText(key);
}

std::string valueText(const Value& value)
{
    if (const auto* text = std::get_if<std::string>(&value))
        return quotedText(*text);
    if (const auto* real = std::get_if<double>(&value); real && !std::isfinite(*real))
        return std::isnan(*real) ? "nan" : (*real > 0 ? "inf" : "-inf");
    return toText(value);
}

std::string inlineTable(const Settings& settings)
{
    if (settings.empty())
        return "{}";
    std::string out;
    for (const auto& [name, value] : settings)
        out += fmt::format("{}{} = {}", out.empty() ? "{ " : ", ", keyText(name), valueText(value));
    return out + " }";
}

//! { durability = "flush=0", users = "16" }
std::string casesTable(const std::vector<CaseRef>& cases)
{
    Settings settings;
    for (const CaseRef& one : cases)
        settings.insert_or_assign(one.axis, one.label);
    return inlineTable(settings);
}

std::string seconds(double value)
{
    return quotedText(fmt::format("{}s", value));
}

void writeLoad(std::string& out, const LoadProfile& load)
{
    const LoadProfile normal;
    out += "\n[load]\n";
    if (load.users.size() == 1)
        out += fmt::format("users = {}\n", load.users.front());
    else
        out += fmt::format("users = [{}]\n", fmt::join(load.users, ", "));
    out += fmt::format("time = {}\n", seconds(load.timeSeconds));
    if (load.events != normal.events)
        out += fmt::format("events = {}\n", load.events);
    const auto text = [&](const char* name, const std::string& value, const std::string& usual) {
        if (value != usual)
            out += fmt::format("{} = {}\n", name, quotedText(value));
    };
    const auto number = [&](const char* name, auto value, auto usual) {
        if (value != usual)
            out += fmt::format("{} = {}\n", name, value);
    };
    const auto duration = [&](const char* name, double value, double usual) {
        if (value != usual)
            out += fmt::format("{} = {}\n", name, seconds(value));
    };
    number("rows", load.rows, normal.rows);
    if (load.warmupUntilSteady)
        out += "warmup = \"steady\"\n";
    else
        duration("warmup", load.warmupSeconds, normal.warmupSeconds);
    number("warmup_events", load.warmupEvents, normal.warmupEvents);
    duration("warmup_max", load.warmupMaxSeconds, normal.warmupMaxSeconds);
    if (load.intervalSeconds != normal.intervalSeconds)
        out += fmt::format("interval = {}\n", seconds(load.intervalSeconds));
    out += fmt::format("repeats = {}\n", load.repeats);
    out += fmt::format("order = \"{}\"\n", toText(load.order));
    if (load.seed != normal.seed)
        out += fmt::format("seed = {}\n", load.seed);
    if (load.executor != normal.executor)
        out += fmt::format("executor = \"{}\"\n", toText(load.executor));
    number("loaders", load.loaders, normal.loaders);
    number("loops", load.loops, normal.loops);
    const Arrival& arrival = load.arrival;
    text("arrival", toText(arrival.model), toText(normal.arrival.model));
    number("rate", arrival.rate, normal.arrival.rate);
    number("rate_to", arrival.rateTo, normal.arrival.rateTo);
    text("steps", toText(arrival.steps), {});
    duration("think_time", arrival.thinkSeconds, normal.arrival.thinkSeconds);
    number("backlog", arrival.backlog, normal.arrival.backlog);
    text("objective", toText(load.objective), {});
    text("search", toText(load.search), {});
    duration("search_time", load.search.probeSeconds, normal.search.probeSeconds);
    number("search_precision", load.search.precision, normal.search.precision);
    number("search_confirm", load.search.confirm, normal.search.confirm);
    duration("steady_window", load.steady.windowSeconds, normal.steady.windowSeconds);
    number("steady_slope", load.steady.slope, normal.steady.slope);
    number("steady_deviation", load.steady.deviation, normal.steady.deviation);
    number("stop_when_steady", load.stopAfterSteady, normal.stopAfterSteady);
    if (load.stopOnObjective)
        out += "stop_on_objective = true\n";
    text("restart", toText(load.restart), toText(normal.restart));
    text("data", toText(load.data), toText(normal.data));
    duration("reconnect", load.reconnectSeconds, normal.reconnectSeconds);
    if (!load.counters)
        out += "counters = false\n";
}

void writeField(std::string& out, const char* key, const std::string& value, bool always = false)
{
    if (always || !value.empty())
        out += fmt::format("{} = {}\n", key, quotedText(value));
}

void writeTarget(std::string& out, const TargetSpec& target)
{
    const TargetSpec normal;
    if (target.uri.empty() && target.price == normal.price)
        return;
    out += "\n[target]\n";
    writeField(out, "uri", target.uri);
    if (target.price.costPerHour != normal.price.costPerHour)
        out += fmt::format("cost_per_hour = {}\n", valueText(target.price.costPerHour));
    if (target.price.watts != normal.price.watts)
        out += fmt::format("watts = {}\n", valueText(target.price.watts));
    if (target.price.currency != normal.price.currency)
        writeField(out, "currency", target.price.currency);
}

} // namespace

std::string writePlan(const Plan& plan)
{
    std::string out;
    writeField(out, "title", plan.title, true);
    writeField(out, "description", plan.description);
    writeTarget(out, plan.target);
    out += "\n[workload]\n";
    writeField(out, "name", plan.workload.name, !plan.workload.params.empty());
    if (!plan.workload.params.empty())
        out += fmt::format("params = {}\n", inlineTable(plan.workload.params));
    if (plan.workload.prepare != PreparePolicy::Auto)
        out += fmt::format("prepare = \"{}\"\n", toText(plan.workload.prepare));
    if (plan.workload.cleanup)
        out += "cleanup = true\n";
    writeLoad(out, plan.load);
    if (!plan.set.empty()) {
        out += "\n[set]\n";
        for (const auto& [name, value] : plan.set)
            out += fmt::format("{} = {}\n", keyText(name), valueText(value));
    }
    for (const Axis& axis : plan.axes) {
        out += fmt::format("\n[[axis]]\nname = {}\ncases = [\n", quotedText(axis.name));
        for (const Case& one : axis.cases)
            out += fmt::format("  {{ label = {}, set = {} }},\n", quotedText(one.label), inlineTable(one.set));
        out += "]\n";
    }
    for (const Skip& skip : plan.skips)
        out += fmt::format("\n[[skip]]\ncases = {}\n", casesTable(skip.cases));
    for (const View& view : plan.views) {
        out += "\n[[view]]\n";
        writeField(out, "name", view.name);
        writeField(out, "chart", view.chart, true);
        writeField(out, "measure", view.measure, true);
        writeField(out, "x", view.x, true);
        writeField(out, "series", view.series);
        writeField(out, "facet", view.facet);
        writeField(out, "baseline", view.baseline);
        if (view.centre != Centre::Mean)
            writeField(out, "centre", toText(view.centre));
        writeField(out, "relative_to", toText(view.relativeTo));
        writeField(out, "log", view.log);
        writeField(out, "over", view.over);
        if (view.from > 0)
            out += fmt::format("from = {}\n", seconds(view.from));
        if (view.to > 0)
            out += fmt::format("to = {}\n", seconds(view.to));
    }
    for (const Published& published : plan.published) {
        out += "\n[[published]]\n";
        writeField(out, "source", published.source, true);
        writeField(out, "date", published.date);
        writeField(out, "hardware", published.hardware);
        writeField(out, "measure", published.measure, true);
        writeField(out, "relative_to", published.relativeTo);
        out += "values = [\n";
        for (const PublishedValue& one : published.values)
            out += fmt::format("  {{ cases = {}, value = {} }},\n", casesTable(one.cases), valueText(one.value));
        out += "]\n";
    }
    for (const PlanSize& size : plan.sizes) {
        out += fmt::format("\n[size.{}]\n", keyText(size.name));
        for (const auto& [name, value] : size.fields)
            out += fmt::format("{} = {}\n", keyText(name), quotedText(value));
    }
    return out;
}

} // namespace dyno
