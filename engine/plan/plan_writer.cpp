// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/load_groups.h"
#include "plan/load_phases.h"
#include "plan/plan_fields.h"
#include "plan/recipe_text.h"
#include "workload/script/data_files.h"
#include <dyno/agreements.h>
#include <dyno/load_fields.h>
#include <dyno/scripts.h>
#include <dyno/view_fields.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace dyno {

namespace {

//! True for a text of several lines that can stand between ''' as it is.
bool isReadableLines(std::string_view text)
{
    const auto plain = [](char c) {
        return static_cast<unsigned char>(c) >= 0x20 ? c != 0x7f : c == '\n' || c == '\t';
    };
    return text.find('\n') != std::string_view::npos && text.back() != '\'' &&
           text.find("'''") == std::string_view::npos && std::ranges::all_of(text, plain);
}

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
        return isReadableLines(*text) ? fmt::format("'''\n{}'''", *text) : quotedText(*text);
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

//! "1,4" → "1, 4"
std::string spaced(std::string_view list)
{
    std::string out;
    for (const char c : list)
        out += c == ',' ? std::string(", ") : std::string(1, c);
    return out;
}

//! "a,b" → ["a", "b"]
std::string listText(std::string_view list)
{
    std::string out;
    while (!list.empty()) {
        const std::string_view one = list.substr(0, list.find(','));
        out += (out.empty() ? "" : ", ") + quotedText(one);
        list.remove_prefix(std::min(list.size(), one.size() + 1));
    }
    return "[" + out + "]";
}

std::string loadText(const LoadField& field, const Value& value)
{
    const auto* real = std::get_if<double>(&value);
    const auto* text = std::get_if<std::string>(&value);
    if (field.kind == LoadFieldKind::Users)
        return !text->empty() && text->find(',') == std::string::npos ? *text : "[" + spaced(*text) + "]";
    if (field.kind == LoadFieldKind::Duration && real)
        return seconds(*real);
    if (field.kind == LoadFieldKind::List)
        return listText(*text);
    return real ? fmt::format("{}", *real) : valueText(value);
}

//! { read = 9, write = 1 }
std::string weightsTable(const SectionWeights& weights)
{
    return inlineTable({weights.begin(), weights.end()});
}

//! { writes = { rate = 500 }, scans = { users = 0 } }
std::string groupsTable(const LoadPhase& phase)
{
    std::string out;
    for (const auto& [group, pace] : phase.groups) {
        std::string fields;
        for (const std::string& name : phaseGroupFields()) {
            const Value value = phaseGroupField(pace, name);
            if (const auto* text = std::get_if<std::string>(&value); text && text->empty())
                continue;
            fields += fmt::format("{}{} = {}", fields.empty() ? "{ " : ", ", name,
                                  name == "weights" ? weightsTable(pace.weights) : valueText(value));
        }
        out +=
            fmt::format("{}{} = {}", out.empty() ? "{ " : ", ", keyText(group), fields.empty() ? "{}" : fields + " }");
    }
    return out + " }";
}

void writePhase(std::string& out, const LoadPhase& phase)
{
    out += fmt::format("\n[[load.phase]]\nname = {}\n", quotedText(phase.name));
    for (const std::string& name : phaseFields()) {
        const Value value = phaseField(phase, name);
        const auto* text = std::get_if<std::string>(&value);
        const auto* real = std::get_if<double>(&value);
        if (real && (name == "time" || name == "ramp"))
            out += fmt::format("{} = {}\n", name, seconds(*real));
        else if (!text || !text->empty())
            out +=
                fmt::format("{} = {}\n", name, name == "weights" ? weightsTable(phase.pace.weights) : valueText(value));
    }
    if (!phase.groups.empty())
        out += fmt::format("groups = {}\n", groupsTable(phase));
}

void writeLoad(std::string& out, const LoadProfile& load)
{
    const LoadProfile normal;
    out += "\n[load]\n";
    for (const LoadField& field : loadFields()) {
        const Value value = field.value(load);
        if (field.name == "time" && !load.phases.empty())
            continue; // their sum
        if (field.alwaysWritten || value != field.value(normal))
            out += fmt::format("{} = {}\n", field.name, loadText(field, value));
    }
    for (const LoadGroup& group : load.groups) {
        out += fmt::format("\n[[load.group]]\nname = {}\n", quotedText(group.name));
        for (const std::string& name : groupFields()) {
            const Value value = groupField(group, name);
            const auto* text = std::get_if<std::string>(&value);
            const auto* real = std::get_if<double>(&value);
            if (real && name == "think_time")
                out += fmt::format("{} = {}\n", name, seconds(*real));
            else if (!text || !text->empty())
                out += fmt::format("{} = {}\n", name, valueText(value));
        }
        if (!group.params.empty())
            out += fmt::format("params = {}\n", inlineTable(group.params));
    }
    for (const LoadPhase& phase : load.phases)
        writePhase(out, phase);
}

void writeField(std::string& out, const char* key, const std::string& value, bool always = false)
{
    if (always || !value.empty())
        out += fmt::format("{} = {}\n", key, quotedText(value));
}

void writeTarget(std::string& out, const TargetSpec& target)
{
    const TargetSpec normal;
    if (target.uri.empty() && target.path == normal.path && target.price == normal.price)
        return;
    out += "\n[target]\n";
    writeField(out, "uri", target.uri);
    if (target.path != normal.path)
        writeField(out, "path", target.path);
    if (target.price.costPerHour != normal.price.costPerHour)
        out += fmt::format("cost_per_hour = {}\n", valueText(target.price.costPerHour));
    if (target.price.watts != normal.price.watts)
        out += fmt::format("watts = {}\n", valueText(target.price.watts));
    if (target.price.currency != normal.price.currency)
        writeField(out, "currency", target.price.currency);
}

void writeTexts(std::string& out, const char* key, const std::vector<std::string>& texts)
{
    if (texts.empty())
        return;
    out += fmt::format("{} = [\n", key);
    for (const std::string& one : texts)
        out += fmt::format("  {},\n", quotedText(one));
    out += "]\n";
}

void writeRecipeTable(std::string& out, const RecipeInfo& about, const std::vector<std::string>& departs)
{
    std::string table;
    writeField(table, "id", about.id);
    writeField(table, "summary", about.summary);
    writeField(table, "needs", about.needs);
    if (about.minutes > 0)
        table += fmt::format("minutes = {:.1f}\n", about.minutes);
    writeTexts(table, "tags", about.tags);
    writeTexts(table, "departs", departs);
    if (!table.empty())
        out += "\n[recipe]\n" + table;
}

//! Those that the plan's settings still name.
void writeFiles(std::string& out, const Plan& plan)
{
    if (plan.files.empty())
        return;
    std::set<std::string> digits;
    for (const auto& [key, value] : wordsOfPlan(plan)) {
        if (key != std::string("workload.") + kFilesParam)
            continue;
        for (const script::FileEntry& one : script::readFileEntries(value).value_or(script::FileEntries()))
            digits.insert(one.path.empty() ? one.sha256 : std::string());
    }
    std::string table;
    for (const auto& [sha256, file] : plan.files) {
        if (digits.contains(sha256))
            table += fmt::format("{} = {}\n", sha256, valueText(file->text()));
    }
    if (!table.empty())
        out += "\n[files]\n" + table;
}

} // namespace

std::string writePlan(const Plan& plan)
{
    return writeRecipe(plan, {});
}

std::string writeRecipe(const Plan& plan, const RecipeInfo& about)
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
            out += fmt::format("  {{ label = {}, set = {}{}{} }},\n", quotedText(one.label), inlineTable(one.set),
                               one.expect.empty() ? std::string() : ", expect = " + quotedText(one.expect),
                               one.optional ? ", optional = true" : "");
        out += "]\n";
    }
    for (const Skip& skip : plan.skips)
        out += fmt::format("\n[[skip]]\ncases = {}\n", casesTable(skip.cases));
    const View usual;
    for (const View& view : plan.views) {
        out += "\n[[view]]\n";
        for (const ViewField& field : viewFields()) {
            const Value value = field.value(view);
            if (field.alwaysWritten || value != field.value(usual))
                out += fmt::format("{} = {}\n", field.name,
                                   field.type == ViewField::Type::Seconds ? seconds(std::get<double>(value))
                                                                          : valueText(value));
        }
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
    writeRecipeTable(out, about, plan.departs);
    for (const PlanSize& size : plan.sizes) {
        out += fmt::format("\n[size.{}]\n", keyText(size.name));
        for (const auto& [name, value] : size.fields)
            out += fmt::format("{} = {}\n", keyText(name), quotedText(value));
    }
    writeFiles(out, plan);
    return out;
}

} // namespace dyno
