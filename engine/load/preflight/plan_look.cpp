// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What of a plan can be judged on this machine alone, while it is edited.
#include "driver/preflight_list.h"
#include "load/data/others_data.h"
#include "load/preflight/preflight_host.h"
#include "load/preflight/server_look.h"
#include "load/target/target.h"
#include "server/lifecycle/server_recipe.h"

#include <dyno/catalog.h>
#include <dyno/kept_data.h>
#include <dyno/machine_settings.h>
#include <dyno/uri_form.h>

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>

namespace dyno {

namespace {

constexpr std::string_view kEachOnDisk = "every commit is on disk"; //!< the safest of KnobInfo::means

//! Where a person changes what a finding is about.
std::string fieldOf(std::string_view id)
{
    struct Field
    {
        std::string_view id, where;
    };
    static constexpr std::array<Field, 5> kFields = {{{"data_size", "workload.params"},
                                                      {"data_memory", "workload.params"},
                                                      {"free_disk", "workload.params"},
                                                      {"data_in_memory", "target.uri"},
                                                      {"durability", "set"}}};
    const auto found = std::ranges::find(kFields, id, &Field::id);
    return std::string(found == kFields.end() ? "load.users" : found->where);
}

//! A fix of one variable. A case that sets it is what is to be changed; and nothing is offered that some target of the
//! plan does not take.
void addFix(PlanFinding& finding, const Plan& plan)
{
    const PreflightFix& fix = finding.item.fix;
    if (fix.name.empty())
        return;
    const std::string path = "server." + fix.name;
    for (std::size_t a = 0; a < plan.axes.size(); ++a) {
        for (std::size_t c = 0; c < plan.axes[a].cases.size(); ++c) {
            if (plan.axes[a].cases[c].set.contains(path)) {
                finding.where = fmt::format("axis[{}].cases[{}].set.{}", a, c, path);
                return;
            }
        }
    }
    Plan fixed = plan;
    const std::string value = toText(fix.value);
    if (setField(fixed, path, value) && checkPlan(fixed).empty())
        finding.changes = {{path, value}};
}

//! Removes the numbers of users that take the last core from the server; where none is left, one user less than
//! cores.
void addFewerUsers(PlanFinding& finding, const Plan& plan)
{
    const int cores = hostFacts().cores;
    if (finding.item.id != "shared_cores" || finding.item.level != PreflightLevel::Warning || cores < 2 ||
        !plan.load.groups.empty())
        return;
    std::vector<int> kept;
    std::ranges::copy_if(plan.load.users, std::back_inserter(kept), [cores](int users) { return users < cores; });
    if (kept.empty())
        kept = {cores - 1};
    Plan fixed = plan;
    const std::string value = fmt::format("{}", fmt::join(kept, ", "));
    if (!setField(fixed, "load.users", value) || !checkPlan(fixed).empty())
        return;
    const std::vector<PointSpec> points = expand(fixed).points; // a case may have users of its own
    if (std::ranges::all_of(points, [cores](const PointSpec& point) { return point.mostUsers() < cores; }))
        finding.changes = {{"load.users", value}};
}

void checkMemory(const TargetUri& uri, const TargetNeeds& target, PreflightList& list)
{
    const std::uint64_t memory = hostFacts().memoryBytes;
    if (target.needs.dataBytes == 0 || memory == 0 || workPlaceOf(uri) == WorkPlace::Elsewhere)
        return;
    std::string what = fmt::format("about {} of data; this machine has {} of memory", sizeText(target.needs.dataBytes),
                                   sizeText(memory));
    if (target.needs.dataBytes <= memory / 2)
        list.ok("data_memory", std::move(what));
    else
        list.add("data_memory", PreflightLevel::Warning, std::move(what),
                 "reads come from the disk: use less data, unless that is meant");
}

void checkCores(const TargetUri& uri, const TargetNeeds& target, PreflightList& list)
{
    const int cores = hostFacts().cores;
    if (cores < 1 || workPlaceOf(uri) != WorkPlace::OnThisMachine)
        return;
    std::string what =
        fmt::format("server and load generator share {}; up to {}", counted(std::uint64_t(cores), "core", "cores"),
                    counted(std::uint64_t(target.needs.users), "user", "users"));
    if (target.needs.users < cores)
        list.ok("shared_cores", std::move(what));
    else
        list.add("shared_cores", PreflightLevel::Warning, std::move(what),
                 "they take turns: use fewer users, or a server on another machine");
}

//! A disk that is memory makes durability free.
void checkFileSystem(const std::filesystem::path& folder, const TargetNeeds& target, PreflightList& list)
{
    struct statfs facts = {};
    if (!target.writes || ::statfs(folder.c_str(), &facts) != 0)
        return;
    constexpr long kRamfs = 0x858458f6; // statfs(2)
    if (facts.f_type == TMPFS_MAGIC || facts.f_type == kRamfs)
        list.add("data_in_memory", PreflightLevel::Warning,
                 fmt::format("the data will lie in memory: {} is a {}", folder.string(),
                             facts.f_type == TMPFS_MAGIC ? "tmpfs" : "ramfs"),
                 "a sync costs nothing there: choose a place on a disk");
}

//! The knob that decides whether a commit of this target waits for the disk, and what its value means.
struct Durability
{
    std::string product; //!< for people
    std::string meaning;
    bool set = false; //!< by the plan; else the default is in force
    std::string path; //!< "server.innodb_flush_log_at_trx_commit"
    KnobInfo knob;
};

//! Nothing where only a server knows: one that is not ours has the settings that its owner gave it.
std::optional<Durability> durabilityOf(const PointSpec& point, const std::vector<KnobInfo>& catalogue)
{
    const auto uri = parseUri(point.target.uri);
    if (!uri)
        return {};
    const std::string product = uri->product.empty() ? uri->scheme : uri->product;
    for (const KnobInfo& knob : catalogue) {
        const Settings* settings = knob.scope == "server"       ? &point.server
                                   : knob.scope == "connection" ? &point.connection
                                                                : nullptr;
        if (knob.driver != uri->driver || knob.meaning != kSyncAtCommit || !settings)
            continue;
        const auto edition = std::ranges::find(knob.editions, product, &KnobEdition::product);
        if (!knob.editions.empty() && edition == knob.editions.end())
            continue;
        const auto found = settings->find(knob.option.name);
        const bool set = found != settings->end();
        if (!set && knob.scope == "server" && uri->kind == TargetKind::Remote)
            return {};
        const Value fallback =
            edition != knob.editions.end() && edition->defaultValue ? *edition->defaultValue : knob.option.defaultValue;
        const auto meaning = meaningOf(knob, set ? found->second : fallback);
        if (!meaning)
            continue;
        return Durability{productName(product), *meaning, set, fmt::format("{}.{}", knob.scope, knob.option.name),
                          knob};
    }
    return {};
}

bool commitsChanges(const PointSpec& point)
{
    const WorkloadInfo* workload = findWorkload(point.workload.name);
    return (workload && writesData(*workload, point.load)) || groupsWrite(point);
}

std::vector<Durability> durabilitiesOf(const Plan& plan)
{
    const std::vector<KnobInfo> catalogue = knobs();
    std::vector<Durability> all;
    for (const PointSpec& point : expand(plan).points) {
        if (auto one = commitsChanges(point) ? durabilityOf(point, catalogue) : std::nullopt)
            all.push_back(std::move(*one));
    }
    return all;
}

//! By product: of all its points.
using Meanings = std::map<std::string, std::set<std::string>>;

Meanings meaningsOf(const std::vector<Durability>& all)
{
    Meanings meanings;
    for (const Durability& one : all)
        meanings[one.product].insert(one.meaning);
    return meanings;
}

bool areAlike(const Meanings& meanings)
{
    return std::ranges::all_of(meanings,
                               [&meanings](const auto& product) { return product.second == meanings.begin()->second; });
}

//! What gives this meaning to each commit: the value of a case that has one, else a setting of all runs. Empty where
//! some product cannot be given it, or does not take the setting of another.
std::vector<std::pair<std::string, std::string>> changesTo(const std::string& meaning, const Plan& plan,
                                                           const std::vector<Durability>& all)
{
    std::map<std::string, std::string> changes;
    for (const Durability& one : all) {
        if (one.meaning == meaning)
            continue;
        const auto value = valueMeaning(one.knob, meaning);
        if (!value)
            return {};
        bool inCase = false;
        for (const Axis& axis : plan.axes) {
            for (const Case& each : axis.cases) {
                if (!each.set.contains(one.path))
                    continue;
                changes[fmt::format("axis.{}[{}].{}", axis.name, each.label, one.path)] = toText(*value);
                inCase = true;
            }
        }
        if (!inCase)
            changes[one.path] = toText(*value);
    }
    Plan fixed = plan;
    for (const auto& [path, value] : changes) {
        if (!setField(fixed, path, value))
            return {};
    }
    if (!checkPlan(fixed).empty() || !areAlike(meaningsOf(durabilitiesOf(fixed))))
        return {};
    return {changes.begin(), changes.end()};
}

//! Servers that differ in what a commit means by default do not compare, unless the plan says that this is meant.
void checkDurability(const Plan& plan, PlanFindings& findings)
{
    const std::vector<Durability> all = durabilitiesOf(plan);
    const Meanings meanings = meaningsOf(all);
    if (meanings.size() < 2)
        return;
    std::string text;
    for (const auto& [product, values] : meanings)
        text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", product, fmt::join(values, " or "));
    PlanFinding finding{{"durability", PreflightLevel::Ok, std::move(text), {}, {}}, {}, fieldOf("durability")};
    const bool meant = std::ranges::all_of(all, &Durability::set);
    if (!areAlike(meanings) && !meant) {
        finding.item.level = PreflightLevel::Warning;
        finding.item.remedy = "a commit does not mean the same: set the same for all, unless that is meant";
        // A product with several meanings compares them: no one value is right for it.
        if (std::ranges::all_of(meanings, [](const auto& product) { return product.second.size() == 1; }))
            finding.changes = changesTo(std::string(kEachOnDisk), plan, all);
    }
    findings.push_back(std::move(finding));
}

//! Whether the plan's target is there already; then a run loads what is missing in it, and only a look into it could
//! say how much that is.
bool isThere(const TargetUri& uri, const std::filesystem::path& place)
{
    std::error_code ignored;
    return (isFile(uri) ? !uri.path.empty() : keepsData(uri)) && std::filesystem::exists(place, ignored);
}

} // namespace

PlanFindings lookAtPlan(const Plan& plan, const RunnerOptions& options)
{
    PlanFindings findings;
    const std::filesystem::path workDir = workDirOf(options);
    for (TargetNeeds& target : needsOf(plan, options.consent)) {
        const auto uri = parseUri(target.uri);
        if (!uri)
            continue;
        PreflightReport report;
        PreflightList list(report.items);
        target.place = placeOf(*uri, workDir);
        target.needs.creates = mayLoad(target.policy);
        target.threads = target.threads || uri->kind == TargetKind::Embedded;
        if (uri->kind == TargetKind::Managed) {
            if (const ServerRecipe* recipe = recipeFor(uri->product))
                recipe->preflight(nullptr, target.ofServer(), target.connection, list);
        }
        const bool ours = !isFile(*uri) || uri->path.empty() || isOfThisMachine(target.place);
        const bool stores = uri->kind != TargetKind::Embedded || isFile(*uri);
        if (stores)
            checkMemory(*uri, target, list);
        if (stores && ours && !target.place.empty()) {
            target.needs.creates = target.needs.creates && !isThere(*uri, target.place);
            std::error_code ignored;
            std::filesystem::path folder = existing(target.place);
            if (!std::filesystem::is_directory(folder, ignored))
                folder = folder.parent_path();
            checkDisk(folder, target, target.restores ? 2 : 1, report, "the copy that is put back");
            checkFileSystem(folder, target, list);
        }
        checkOpenFiles(target, report);
        checkCores(*uri, target, list);
        for (PreflightItem& item : report.items) {
            const auto same = [&item](const PlanFinding& one) {
                return one.item.id == item.id && one.item.what == item.what;
            };
            if (std::ranges::any_of(findings, same))
                continue;
            std::string where = fieldOf(item.id);
            findings.push_back({std::move(item), {}, std::move(where), uri->kind != TargetKind::Embedded});
            addFix(findings.back(), plan);
            addFewerUsers(findings.back(), plan);
        }
    }
    checkDurability(plan, findings);
    std::ranges::stable_sort(findings, std::ranges::greater(), [](const PlanFinding& one) { return one.item.level; });
    return findings;
}

} // namespace dyno
