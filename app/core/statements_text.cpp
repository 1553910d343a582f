// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/statements_text.h"

#include "core/text_table.h"

#include <dyno/visible_text.h>

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dyno {

namespace {

constexpr std::size_t kShownStatement = 100; //!< characters of one in a table

std::string toldFigure(double value)
{
    return std::isfinite(value) ? figure(value) : "-";
}

std::string wholeOrNone(const std::optional<std::uint64_t>& count)
{
    return count ? fmt::format("{}", *count) : std::string("-");
}

std::string kindTable(const StoredRun& run)
{
    TextTable table({"operation", ">share", ">count", ">mean ms", ">p99 ms", ">rows", ">errors"});
    for (const KindShare& kind : kindShares(run.summary))
        table.add({kind.name, fmt::format("{:.1f} %", kind.share * 100), fmt::format("{}", kind.count),
                   toldFigure(kind.meanMs), toldFigure(kind.p99Ms), wholeOrNone(kind.rows),
                   fmt::format("{}", kind.errors)});
    return table.empty() ? std::string("no operation was measured\n") : table.text();
}

std::string planText(const StatementPlan& plan)
{
    std::string text = fmt::format("{}\n  {}\n", plan.operation.empty() ? "(operation not known)" : plan.operation,
                                   visibleText(plan.text));
    if (!plan.parameters.empty())
        text += fmt::format("  explained with {}\n", visibleText(fmt::format("{}", fmt::join(plan.parameters, ", "))));
    for (const PlanStep& step : plan.steps)
        text += fmt::format("    {}{}\n", visibleText(step.text),
                            step.wholeTable.empty() ? std::string()
                                                    : fmt::format("  (reads all of {})", visibleText(step.wholeTable)));
    if (!plan.noPlan.empty())
        text += fmt::format("    no plan: {}\n", visibleText(plan.noPlan));
    return text;
}

std::string digestText(const RunStatements& statements)
{
    if (!statements.noDigest.empty())
        return fmt::format("\nNo statement counts of the server: {}\n", visibleText(statements.noDigest));
    std::string text = fmt::format("\nthe server's own count of its statements in the measured time (read in {} ms):\n",
                                   figure(statements.digestMs));
    TextTable table({">share", ">count", ">mean ms", ">p99 ms", ">rows sent", ">rows examined", ">errors", "database",
                     "statement"});
    double all = statements.moreSeconds;
    for (const DigestRow& row : statements.digest)
        all += row.seconds;
    for (const DigestRow& row : statements.digest)
        table.add({all > 0 ? fmt::format("{:.1f} %", row.seconds / all * 100) : "-", fmt::format("{}", row.count),
                   toldFigure(row.meanMs()), row.p99Ms ? toldFigure(*row.p99Ms) : "-", wholeOrNone(row.rowsSent),
                   wholeOrNone(row.rowsExamined), fmt::format("{}", row.errors), visibleText(row.schema),
                   shortened(visibleText(row.text), kShownStatement)});
    if (!statements.digestNote.empty())
        text += visibleText(statements.digestNote) + "\n";
    if (table.empty())
        return text + "none\n";
    text += table.text();
    if (statements.moreDigest > 0)
        text += fmt::format("and {} more\n", countedText(statements.moreDigest, "kind", "kinds"));
    return text;
}

} // namespace

std::string statementsText(const StoredRun& run, const std::optional<RunStatements>& statements)
{
    std::string text =
        fmt::format("run {}: kinds of operations by their share of the time\n{}", run.header.index + 1, kindTable(run));
    if (!statements)
        return text + "\nno plans, tables or counts of the server are kept with this run\n";
    if (statements->describedIn >= 0)
        text += fmt::format("\nhow the server would run them (asked before run {}, in {} ms):\n",
                            statements->describedIn + 1, figure(statements->describeMs));
    for (const StatementPlan& plan : statements->plans)
        text += planText(plan);
    if (statements->morePlans > 0)
        text += fmt::format("and {} more\n", countedText(statements->morePlans, "statement", "statements"));
    for (const TableText& table : statements->tables)
        text +=
            fmt::format("\ntable {}{}\n{}\n", visibleText(table.name),
                        table.planned ? ", as the workload makes it" : "", visibleText(table.text, TextLayout::Quoted));
    if (statements->moreTables > 0)
        text += fmt::format("and {} more\n", countedText(statements->moreTables, "table", "tables"));
    return text + digestText(*statements);
}

} // namespace dyno
