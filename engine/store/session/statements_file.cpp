// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/session/statements_file.h"

#include "base/utf8.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dyno {

namespace {

using StatementsJson = nlohmann::json;

constexpr std::string_view kStatementsOf = "statements of run ";
constexpr std::size_t kMostFile = std::size_t(16) << 20; //!< bytes that are read of one

std::string textIn(const StatementsJson& json, const char* key, std::size_t most = kKeptText)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? keptText(found->get_ref<const std::string&>(), most)
                                                     : std::string();
}

std::optional<double> realIn(const StatementsJson& json, const char* key)
{
    const auto found = json.find(key);
    if (found == json.end() || !found->is_number())
        return {};
    const auto value = found->get<double>();
    return std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> wholeIn(const StatementsJson& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_number_unsigned() ? std::optional(found->get<std::uint64_t>())
                                                              : std::nullopt;
}

template<class Call>
void eachIn(const StatementsJson& json, const char* key, std::size_t most, const Call& call)
{
    const auto found = json.find(key);
    if (found == json.end() || !found->is_array())
        return;
    for (std::size_t i = 0; i < std::min(found->size(), most); ++i)
        call((*found)[i]);
}

StatementsJson jsonOf(const StatementPlan& plan)
{
    StatementsJson json{{"operation", plan.operation}, {"text", plan.text}};
    if (!plan.parameters.empty())
        json["parameters"] = plan.parameters;
    if (!plan.noPlan.empty())
        json["no_plan"] = plan.noPlan;
    for (const PlanStep& step : plan.steps) {
        StatementsJson one{{"text", step.text}};
        if (!step.wholeTable.empty())
            one["whole_table"] = step.wholeTable;
        json["steps"].push_back(std::move(one));
    }
    return json;
}

StatementPlan planIn(const StatementsJson& json)
{
    StatementPlan plan;
    plan.operation = textIn(json, "operation");
    plan.text = textIn(json, "text");
    plan.noPlan = textIn(json, "no_plan");
    eachIn(json, "parameters", kKeptParameters, [&plan](const StatementsJson& one) {
        plan.parameters.push_back(one.is_string() ? keptText(one.get_ref<const std::string&>()) : std::string());
    });
    eachIn(json, "steps", kKeptSteps, [&plan](const StatementsJson& one) {
        if (one.is_object())
            plan.steps.push_back({textIn(one, "text"), textIn(one, "whole_table")});
    });
    return plan;
}

StatementsJson jsonOf(const DigestRow& row)
{
    StatementsJson json{{"schema", row.schema}, {"text", row.text}, {"count", row.count}, {"seconds", row.seconds}};
    if (row.errors > 0)
        json["errors"] = row.errors;
    if (row.rowsSent)
        json["rows_sent"] = *row.rowsSent;
    if (row.rowsExamined)
        json["rows_examined"] = *row.rowsExamined;
    if (row.p99Ms)
        json["p99_ms"] = *row.p99Ms;
    return json;
}

DigestRow digestIn(const StatementsJson& json)
{
    DigestRow row;
    row.schema = textIn(json, "schema");
    row.text = textIn(json, "text");
    row.count = wholeIn(json, "count").value_or(0);
    row.errors = wholeIn(json, "errors").value_or(0);
    row.seconds = realIn(json, "seconds").value_or(0);
    row.rowsSent = wholeIn(json, "rows_sent");
    row.rowsExamined = wholeIn(json, "rows_examined");
    row.p99Ms = realIn(json, "p99_ms");
    return row;
}

Expected<std::optional<RunStatements>> fileOf(Library& library, std::string_view session, int run,
                                              const std::vector<ArtefactInfo>& files)
{
    const std::string name = statementsFile(run);
    if (std::ranges::none_of(files, [&name](const ArtefactInfo& file) { return file.name == name; }))
        return std::optional<RunStatements>();
    std::string json;
    const auto read = library.artefact(session, name, [&json](std::string_view piece) {
        json += piece;
        return json.size() <= kMostFile;
    });
    if (!read)
        return fail(read.error());
    return readStatements(json);
}

} // namespace

std::string keptText(std::string_view text, std::size_t most)
{
    const std::string_view kept = wholeCharacters(text, most);
    return std::string(kept) + (kept.size() < text.size() ? "…" : "");
}

std::string statementsFile(int run)
{
    return fmt::format("{}{}.json", kStatementsOf, run + 1);
}

bool isStatementsFile(std::string_view name)
{
    if (!name.starts_with(kStatementsOf) || !name.ends_with(".json"))
        return false;
    name.remove_prefix(kStatementsOf.size());
    name.remove_suffix(std::string_view(".json").size());
    return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string writeStatements(const RunStatements& statements)
{
    StatementsJson json{{"described_in", statements.describedIn}};
    for (const TableText& table : statements.tables)
        json["tables"].push_back({{"name", table.name}, {"text", table.text}, {"planned", table.planned}});
    for (const StatementPlan& plan : statements.plans)
        json["plans"].push_back(jsonOf(plan));
    for (const DigestRow& row : statements.digest)
        json["digest"].push_back(jsonOf(row));
    json["more_tables"] = statements.moreTables;
    json["more_plans"] = statements.morePlans;
    json["describe_ms"] = statements.describeMs;
    json["more_digest"] = statements.moreDigest;
    json["more_seconds"] = statements.moreSeconds;
    json["no_digest"] = statements.noDigest;
    if (!statements.digestNote.empty())
        json["digest_note"] = statements.digestNote;
    json["digest_ms"] = statements.digestMs;
    // Servers may tell any bytes.
    return json.dump(-1, ' ', false, StatementsJson::error_handler_t::replace);
}

RunStatements readStatements(std::string_view text)
{
    RunStatements statements;
    const StatementsJson json = StatementsJson::parse(text, nullptr, false);
    if (!json.is_object())
        return statements;
    if (const auto found = json.find("described_in"); found != json.end() && found->is_number_integer())
        statements.describedIn = int(std::clamp<std::int64_t>(found->get<std::int64_t>(), -1, INT32_MAX - 1));
    eachIn(json, "tables", kKeptTables, [&statements](const StatementsJson& one) {
        if (!one.is_object())
            return;
        const auto planned = one.find("planned");
        statements.tables.push_back({textIn(one, "name"), textIn(one, "text", kKeptTableText),
                                     planned != one.end() && planned->is_boolean() && planned->get<bool>()});
    });
    eachIn(json, "plans", kKeptPlans, [&statements](const StatementsJson& one) {
        if (one.is_object())
            statements.plans.push_back(planIn(one));
    });
    eachIn(json, "digest", kKeptDigest, [&statements](const StatementsJson& one) {
        if (one.is_object())
            statements.digest.push_back(digestIn(one));
    });
    statements.moreTables = wholeIn(json, "more_tables").value_or(0);
    statements.morePlans = wholeIn(json, "more_plans").value_or(0);
    statements.describeMs = realIn(json, "describe_ms").value_or(0);
    statements.moreDigest = wholeIn(json, "more_digest").value_or(0);
    statements.moreSeconds = realIn(json, "more_seconds").value_or(0);
    statements.noDigest = textIn(json, "no_digest");
    statements.digestNote = textIn(json, "digest_note");
    statements.digestMs = realIn(json, "digest_ms").value_or(0);
    return statements;
}

Expected<std::optional<RunStatements>> runStatements(Library& library, std::string_view session, int run)
{
    const auto files = library.artefacts(session);
    if (!files)
        return fail(files.error());
    auto own = fileOf(library, session, run, *files);
    if (!own || !*own)
        return own;
    if ((*own)->describedIn > run) // an earlier one or none, whatever the file says
        (*own)->describedIn = -1;
    if ((*own)->describedIn < 0 || (*own)->describedIn == run)
        return own;
    auto described = fileOf(library, session, (*own)->describedIn, *files);
    if (!described)
        return described;
    if (*described) {
        (*own)->tables = std::move((*described)->tables);
        (*own)->plans = std::move((*described)->plans);
        (*own)->moreTables = (*described)->moreTables;
        (*own)->morePlans = (*described)->morePlans;
        (*own)->describeMs = (*described)->describeMs;
    }
    return own;
}

std::vector<KindShare> kindShares(const RunSummary& run)
{
    std::vector<KindShare> kinds;
    double all = 0;
    for (const OperationSummary& one : run.operations) {
        if (!isSummed(one.opClass) || one.count + one.errors == 0)
            continue;
        const double time =
            one.count > 0 && std::isfinite(one.service.meanMs) ? one.service.meanMs * double(one.count) : 0;
        all += time;
        kinds.push_back(
            {one.name, one.opClass, one.count, one.errors, time, one.service.meanMs, one.service.p99Ms, one.rows});
    }
    for (KindShare& kind : kinds)
        kind.share = all > 0 ? kind.share / all : 0;
    std::ranges::stable_sort(kinds, [](const KindShare& a, const KindShare& b) { return a.share > b.share; });
    return kinds;
}

} // namespace dyno
