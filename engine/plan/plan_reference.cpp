// SPDX-License-Identifier: GPL-3.0-or-later
// The manual's page of all fields of a plan, from the tables that the reader follows.
#include <dyno/manual.h>

#include "plan/plan_keys.h"
#include <dyno/chart_kinds.h>
#include <dyno/load_fields.h>
#include <dyno/view_fields.h>

#include <fmt/format.h>

namespace dyno {

namespace {

//! `mark`: Markdown behind the help.
std::string referenceLine(std::string_view name, std::string_view range, std::string_view usual, std::string_view help,
                          std::string_view mark = {})
{
    return fmt::format("| `{}` | {} | {} | {}{} |\n", name, markdownCell(range), markdownCell(usual),
                       markdownCell(help), mark);
}

constexpr const char* kReferenceHead = "| key | takes | without it | meaning |\n|---|---|---|---|\n";

//! The help of a flag ends with what holds without it, in brackets: that has a column of its own here.
std::string_view withoutDefault(std::string_view help)
{
    const std::size_t open = help.rfind(" (");
    return help.ends_with(')') && open != std::string_view::npos ? help.substr(0, open) : help;
}

std::string usualOf(const LoadField& field)
{
    const Value value = field.value(LoadProfile());
    const double* real = std::get_if<double>(&value);
    const std::string text = real ? fmt::format("{}", *real) : toText(value);
    // Said in the help where it takes more than a value: "closed; poisson with --rate".
    if (const std::size_t open = field.help.rfind(" (");
        open != std::string::npos && field.help.find(';', open) != std::string::npos)
        return field.help.substr(open + 2, field.help.size() - open - 3);
    if (text.empty())
        return "none";
    if (text == "0" && !field.zero.empty())
        return field.zero;
    return field.kind == LoadFieldKind::Duration ? text + " s" : text;
}

std::string loadTable()
{
    std::string text = "## [load]\n\n"
                       "Cases and `--set` reach its keys as `load.KEY`; without a plan each is a flag, such as "
                       "`--think-time` for `think_time`. Times are seconds, or text such as `\"30s\"` and `\"2m\"`. A "
                       "key that is marked *whole plan* cannot vary between cases.\n\n";
    text += kReferenceHead;
    for (const LoadField& field : loadFields())
        text += referenceLine(field.name, field.range, usualOf(field), withoutDefault(field.help),
                              field.ofPlan ? "; *whole plan*" : "");
    return text;
}

std::string viewTable()
{
    std::string text = fmt::format("## [[view]]\n\nA size of a recipe, and `--set`, reach these as `view.NAME.KEY`:");
    std::string comma = " ";
    for (const ViewField& field : viewFields()) {
        if (field.ofSizes) {
            text += fmt::format("{}`{}`", comma, field.name);
            comma = ", ";
        }
    }
    text += ". [Charts](charts.md) says which chart is for what.\n\n";
    text += kReferenceHead;
    const View usual;
    for (const ViewField& field : viewFields()) {
        const std::string value = toText(field.value(usual));
        text += referenceLine(field.name, field.range.empty() ? "text" : field.range, value, field.help);
    }
    text += "\nThe charts:\n\n| `chart` | is called |\n|---|---|\n";
    for (const ChartKind& kind : chartKinds())
        text += fmt::format("| `{}` | {} |\n", kind.id, markdownCell(kind.label));
    return text;
}

} // namespace

std::string markdownCell(std::string_view text)
{
    std::string out;
    bool code = false;
    for (const char c : text) {
        if (c == '`')
            code = !code;
        else if (c == '|' || (!code && (c == '*' || c == '<' || c == '>' || c == '[' || c == ']')))
            out += '\\';
        out += c == '\n' ? ' ' : c;
    }
    return out;
}

std::string planReferenceMarkdown()
{
    std::string text =
        "# Plan reference\n\n"
        "Every key that a plan can have. [Plans](plans.md) explains how they work together. This page is generated: "
        "`dyno manual --generate DIR` writes it.\n\n"
        "`dyno check PLAN.toml` lists all faults of a plan with their lines. Any key can be given another value for "
        "one run: `dyno run PLAN.toml --set load.repeats=5`.\n\n";
    for (const PlanTable& table : planTables()) {
        text += fmt::format("## {}\n\n", table.id.empty() ? "Top of the file" : table.form);
        if (!table.help.empty())
            text += table.help + "\n\n";
        text += kReferenceHead;
        for (const PlanKey& key : table.keys)
            text += referenceLine(key.name, key.range, key.usual, key.help);
        text += "\n";
        if (table.id == "workload")
            text += loadTable() + "\n";
        if (table.id == "value")
            text += viewTable() + "\n";
    }
    text += "## [set]\n\n"
            "Settings that are the same for all points: `\"SCOPE.NAME\" = VALUE`, with a scope of `server`, "
            "`connection`, `table`, `host`, `target`, `workload` or `load`. `dyno knobs` lists what can be set.\n\n"
            "## [size.NAME]\n\n"
            "A size of the plan, such as `quick`, `laptop` or `published`: keys by their whole names, as `--set` takes "
            "them. `dyno run PLAN.toml --size NAME` chooses one.\n";
    return text;
}

} // namespace dyno
