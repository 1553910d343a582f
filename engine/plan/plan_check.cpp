// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/plan_check.h"

#include "base/text.h"
#include "plan/exporters.h"
#include "plan/followers.h"
#include "plan/load_groups.h"
#include "plan/load_phases.h"
#include "plan/machines.h"
#include "plan/plan_fields.h"
#include "server/knobs/knob_catalog.h"
#include "server/knobs/knob_guard.h"
#include "server/remote/remote_servers.h"
#include "workload/script/data_files.h"
#include <dyno/load_fields.h>
#include <dyno/path.h>
#include <dyno/scripts.h>
#include <dyno/uri_form.h>

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace dyno {

namespace {

constexpr std::string_view kInitSql = "init_sql"; //!< statements, which may have lines; asked about

//! Collects the faults of one plan; one member function a part of it.
class Checker
{
public:
    //! `carries`: the content of files that have no path has to be inside.
    explicit Checker(const Plan& plan, bool carries)
        : m_plan(plan)
        , m_carries(carries)
    {
    }
    Faults run();

private:
    void fault(std::string where, std::string what, std::string remedy)
    {
        m_faults.push_back({.where = std::move(where), .what = std::move(what), .remedy = std::move(remedy)});
    }
    //! What a setting is checked against: the targets and workloads it can meet.
    struct Context
    {
        std::vector<TargetUri> targets;
        std::vector<const WorkloadInfo*> workloads;
        const Settings* ofCase = nullptr; //!< what is set with it, which may choose a group's workload
        bool ofGroup = false;             //!< parameters are those of a group of users
    };

    void checkTarget();
    void checkWorkload();
    void checkLoad();
    void checkProbe();
    void checkSteps(const LoadProfile& load);
    void checkGroups();
    std::vector<const WorkloadInfo*> workloadsOf(const LoadGroup& group, const Context& context) const;
    void checkArrival(const LoadProfile& load);
    void checkSet();
    void checkAxes();
    void checkCase(const Axis& axis, const Case& one, const std::string& where);
    void checkOverlaps();
    void checkHostKnobs();
    void checkModels();
    void checkCombinations();
    void checkPaths(const std::vector<PointSpec>& points);
    void checkParts(const std::vector<PointSpec>& points);
    void checkSizes();
    void checkSetting(const std::string& key, const Value& value, const std::string& where, const Context& context);
    void checkKnob(std::string_view scope, std::string_view name, const Value& value, const std::string& where,
                   const TargetUri& target);
    void checkParameter(const std::string& name, const Value& value, const std::string& where, const Context& context);
    void checkFiles(std::string_view lines, const std::string& where);
    void noSuchKnob(std::string_view scope, std::string_view name, const std::string& where, const TargetUri& target);
    bool setByEveryCase(std::string_view key) const;
    void addTarget(const std::string& uri, const std::string& where, std::vector<TargetUri>& into);
    void addWorkload(const std::string& name, const std::string& where, std::vector<const WorkloadInfo*>& into);

    const Plan& m_plan;
    bool m_carries;
    Context m_base; //!< of everything that does not choose its own target or workload
    Faults m_faults;
};

//! Where some version takes it while it runs, the server decides before the first run.
bool needsRestartEverywhere(const KnobInfo& knob)
{
    return knob.restart && std::none_of(knob.editions.begin(), knob.editions.end(),
                                        [](const KnobEdition& edition) { return edition.restart == false; });
}

//! True when the owner of a remote server gave the commands for it. A file with faults is for the run to tell.
bool mayRestart(const TargetUri& target)
{
    const auto known = remoteServerOf(target);
    return !known || (*known && !(*known)->apply.empty() && !(*known)->restart.empty());
}

const std::string* textIn(const Settings& settings, std::string_view key)
{
    const auto found = settings.find(key);
    return found == settings.end() ? nullptr : std::get_if<std::string>(&found->second);
}

//! True if some axis chooses `key` in each of its cases, so that the plan itself need not.
bool Checker::setByEveryCase(std::string_view key) const
{
    if (m_plan.set.contains(key))
        return true;
    return std::any_of(m_plan.axes.begin(), m_plan.axes.end(), [&](const Axis& axis) {
        return !axis.cases.empty() && std::all_of(axis.cases.begin(), axis.cases.end(),
                                                  [&](const Case& one) { return one.set.contains(key); });
    });
}

void Checker::addTarget(const std::string& uri, const std::string& where, std::vector<TargetUri>& into)
{
    if (auto target = parseUri(uri))
        into.push_back(std::move(*target));
    else
        fault(where, target.error().message, target.error().remedy);
}

void Checker::addWorkload(const std::string& name, const std::string& where, std::vector<const WorkloadInfo*>& into)
{
    if (const WorkloadInfo* info = findWorkload(name)) {
        into.push_back(info);
        return;
    }
    std::vector<std::string> names;
    for (const WorkloadInfo& info : workloads())
        names.push_back(info.id);
    fault(where, fmt::format("there is no workload \"{}\"", name), suggestion(name, names));
}

void Checker::checkTarget()
{
    if (!m_plan.target.uri.empty())
        addTarget(m_plan.target.uri, "target.uri", m_base.targets);
    else if (!setByEveryCase("target.uri"))
        fault("target.uri", "the plan has no target", "add [target] with uri = \"sqlite:PATH\" or another target");
    TargetSpec scratch;
    for (const auto& [name, value] :
         {std::pair{"cost_per_hour", m_plan.target.price.costPerHour}, std::pair{"watts", m_plan.target.price.watts}}) {
        if (const auto set = setTargetField(scratch, name, value); !set)
            fault(fmt::format("target.{}", name), set.error().message, set.error().remedy);
    }
    if (const auto set = setTargetField(scratch, "path", m_plan.target.path); !set)
        fault(std::string(kPathKey), set.error().message, set.error().remedy);
    if (const auto set = setTargetField(scratch, "currency", m_plan.target.price.currency); !set)
        fault("target.currency", set.error().message, set.error().remedy);
    if (const std::string* uri = textIn(m_plan.set, "target.uri"))
        addTarget(*uri, "set.target.uri", m_base.targets);
    for (std::size_t a = 0; a < m_plan.axes.size(); ++a) {
        for (std::size_t c = 0; c < m_plan.axes[a].cases.size(); ++c) {
            if (const std::string* uri = textIn(m_plan.axes[a].cases[c].set, "target.uri"))
                addTarget(*uri, fmt::format("axis[{}].cases[{}].set.target.uri", a, c), m_base.targets);
        }
    }
}

void Checker::checkWorkload()
{
    if (!m_plan.workload.name.empty())
        addWorkload(m_plan.workload.name, "workload.name", m_base.workloads);
    else if (!setByEveryCase("workload.name"))
        fault("workload.name", "the plan has no workload", "add [workload] with name = \"oltp_read_write\" or another");
    if (const std::string* name = textIn(m_plan.set, "workload.name"))
        addWorkload(*name, "set.workload.name", m_base.workloads);
    for (std::size_t a = 0; a < m_plan.axes.size(); ++a) {
        for (std::size_t c = 0; c < m_plan.axes[a].cases.size(); ++c) {
            if (const std::string* name = textIn(m_plan.axes[a].cases[c].set, "workload.name"))
                addWorkload(*name, fmt::format("axis[{}].cases[{}].set.workload.name", a, c), m_base.workloads);
        }
    }
    for (const auto& [name, value] : m_plan.workload.params)
        checkParameter(name, value, "workload.params." + name, m_base);
}

//! Ranges again, for plans that were not read from TOML but made by a window or a flag.
void Checker::checkLoad()
{
    const LoadProfile& load = m_plan.load;
    LoadProfile scratch;
    for (const LoadField& field : loadFields()) {
        if (!field.checkedAgain)
            continue;
        if (const auto set = field.set(scratch, field.value(load)); !set)
            fault("load." + field.name, set.error().message, set.error().remedy);
    }
    if (load.users.empty())
        fault("load.users", "the list of users is empty", "give at least one number, such as [1, 4, 16]");
    for (std::size_t i = 0; i < load.users.size(); ++i) {
        const std::string where = load.users.size() > 1 ? fmt::format("load.users[{}]", i) : "load.users";
        if (const auto one = usersFrom(std::int64_t(load.users[i])); !one)
            fault(where, one.error().message, one.error().remedy);
        else if (std::find(load.users.begin(), load.users.begin() + std::ptrdiff_t(i), load.users[i]) !=
                 load.users.begin() + std::ptrdiff_t(i))
            fault(where, fmt::format("{} users are listed twice", load.users[i]),
                  "list each number once; load.repeats runs a point more than once");
    }
    checkArrival(load);
    const bool remote = std::any_of(m_base.targets.begin(), m_base.targets.end(),
                                    [](const TargetUri& target) { return target.kind == TargetKind::Remote; });
    if (load.data == DataPolicy::Restore && remote)
        fault("load.data", "the data of a server that somebody else runs cannot be copied and put back",
              "leave it out, or use a managed server");
    if (load.restart != RestartPolicy::WhenNeeded && remote)
        fault("load.restart", "a server that somebody else runs is not restarted between runs",
              "leave it out, or use a managed server");
    checkProbe();
    checkSteps(load);
    const bool endsByItself =
        !m_base.workloads.empty() && std::all_of(m_base.workloads.begin(), m_base.workloads.end(),
                                                 [](const WorkloadInfo* one) { return one->steps; });
    if (!endsByItself && load.timeSeconds == 0 && load.events == 0 && load.rows == 0 && load.stopAfterSteady == 0)
        fault("load.time", "the runs would never end: neither time nor events is limited",
              "give load.time, load.events or both");
    else if (load.timeSeconds > 0 && load.intervalSeconds > load.timeSeconds)
        fault("load.interval",
              fmt::format("an interval of {} s is longer than the run of {} s", load.intervalSeconds, load.timeSeconds),
              "give a shorter interval or a longer time");
}

//! A disk is measured where its folder is known.
void Checker::checkProbe()
{
    if (!m_plan.load.probe)
        return;
    for (const TargetUri& target : m_base.targets) {
        if (target.kind == TargetKind::Remote)
            return fault("load.probe",
                         fmt::format("the disk of {} cannot be measured: Dynobench does not know its data folder",
                                     target.display()),
                         "remove it, and run `dyno probe FOLDER` on the server's machine");
        if (target.kind == TargetKind::Embedded && !isFile(target))
            return fault("load.probe", fmt::format("{} has no data on a disk", target.display()),
                         "remove it, or use a target with a file");
    }
}

//! What a workload that is a list of steps has no use for: one user does it once, as it is.
void Checker::checkSteps(const LoadProfile& load)
{
    const auto list = std::find_if(m_base.workloads.begin(), m_base.workloads.end(),
                                   [](const WorkloadInfo* one) { return one->steps; });
    if (list == m_base.workloads.end())
        return;
    const auto useless = [&](const char* field, const char* remedy) {
        fault(fmt::format("load.{}", field), fmt::format("{} is a list of steps that one user does once", (*list)->id),
              remedy);
    };
    if (load.users != std::vector<int>{1})
        useless("users", "leave it out, or give 1");
    if (load.arrival.open())
        useless("arrival", "leave it out: nothing arrives");
    if (load.warms())
        useless("warmup", "leave it out, or give 0");
    if (load.search.what != Search::What::Nothing)
        useless("search", "leave it out");
    if (load.events > 0)
        useless("events", "leave it out: the run ends with the last step");
    if (load.rows > 0)
        useless("rows", "leave it out: the run ends with the last step");
    if (!load.phases.empty())
        useless("phase", "remove the phases: the run ends with the last step");
}

//! What contradicts itself about arrivals, search and warm-up.
void Checker::checkArrival(const LoadProfile& load)
{
    const Arrival& arrival = load.arrival;
    const bool searchesRate = load.search.what == Search::What::Rate;
    const bool inCases = setByEveryCase("load.rate") || setByEveryCase("load.steps");
    const bool inPhases = haveRates(load.phases, {});
    if (arrival.open() && arrival.rate <= 0 && arrival.steps.empty() && !searchesRate && !inCases && !inPhases)
        fault("load.rate", "an open loop needs a rate", "give load.rate in transactions a second, or load.steps");
    if (arrival.open() && arrival.thinkSeconds > 0)
        fault("load.think_time", "there is no think time in an open loop: arrivals come by themselves",
              "leave it out, or use arrival = \"closed\"");
    if (arrival.rateTo > 0 && !arrival.steps.empty())
        fault("load.rate_to", "a ramp and steps contradict each other", "give one of the two");
    if (load.search.what != Search::What::Nothing && !load.objective.given())
        fault("load.search", "a search needs to know what must hold", "give load.objective, such as \"p99 <= 20ms\"");
    if (searchesRate && !arrival.open())
        fault("load.arrival", "a closed loop has no rate to search for", "use arrival = \"poisson\" or \"fixed\"");
    if (load.search.what != Search::What::Nothing && load.events > 0)
        fault("load.events", "a search takes its time, not a number of transactions",
              "leave it out, and give load.time");
    if (arrival.rateTo > 0 && load.timeSeconds <= 0)
        fault("load.rate_to", "a ramp needs to know how long it takes", "give load.time");
    if (load.search.what == Search::What::Users && (arrival.open() || load.users.size() > 1))
        fault("load.search", "a search for a number of users has neither a rate nor a list of users",
              "leave out load.rate, and give one number for load.users or none");
    if (load.executor == ExecutorKind::Loops) {
        for (const TargetUri& target : m_base.targets) {
            const DriverInfo* driver = findDriver(target.driver);
            if (driver && !driver->eventLoop)
                fault("load.executor", fmt::format("{} cannot run on event loops", driver->name),
                      "use \"threads\" or \"auto\"");
        }
    }
    if (load.stopOnObjective && !load.objective.given())
        fault("load.stop_on_objective", "there is no objective that could fail", "give load.objective");
    if (load.warmupUntilSteady && load.steady.windowSeconds < 5 * load.intervalSeconds)
        fault("load.steady_window", "a window of less than five intervals says nothing about steadiness",
              "give a longer load.steady_window or a shorter load.interval");
}

//! The workloads that a group can have: the one that its case chooses, else all that some place does; where none is
//! chosen, the plan's.
std::vector<const WorkloadInfo*> Checker::workloadsOf(const LoadGroup& group, const Context& context) const
{
    const std::string key = fmt::format("load.group.{}.workload", group.name);
    std::vector<std::string> names;
    const auto add = [&names, &key](const Settings& settings) {
        if (const std::string* name = textIn(settings, key))
            names.push_back(*name);
    };
    if (context.ofCase)
        add(*context.ofCase);
    if (names.empty()) {
        names.push_back(group.workload);
        add(m_plan.set);
        for (const Axis& axis : m_plan.axes) {
            for (const Case& one : axis.cases)
                add(one.set);
        }
    }
    std::vector<const WorkloadInfo*> found;
    for (const std::string& name : names) {
        if (name.empty())
            found.insert(found.end(), context.workloads.begin(), context.workloads.end());
        else if (const WorkloadInfo* info = findWorkload(name)) // else a fault of its own
            found.push_back(info);
    }
    return found;
}

void Checker::checkGroups()
{
    for (Fault& one : groupFaults(m_plan))
        m_faults.push_back(std::move(one));
    for (Fault& one : phaseFaults(m_plan))
        m_faults.push_back(std::move(one));
    for (std::size_t i = 0; i < m_plan.load.groups.size(); ++i) {
        const LoadGroup& group = m_plan.load.groups[i];
        const std::string where = fmt::format("load.group[{}]", i);
        if (std::vector<const WorkloadInfo*> own; !group.workload.empty())
            addWorkload(group.workload, where + ".workload", own);
        Context context = m_base;
        context.workloads = workloadsOf(group, m_base);
        context.ofGroup = true;
        for (const auto& [name, value] : group.params)
            checkParameter(name, value, where + ".params." + name, context);
    }
}

void Checker::checkSet()
{
    const auto checkNumber = [this](std::string_view scope, const char* what, std::size_t most) {
        const auto count = std::ranges::count_if(
            m_plan.set, [scope](const auto& one) { return splitScope(one.first).scope == scope; });
        if (count > std::ptrdiff_t(most))
            fault("set", fmt::format("{} {} are too many", count, what), fmt::format("a plan has at most {}", most));
    };
    checkNumber(kExporterScope, "exporters", kMostExporters);
    checkNumber(kMachineScope, "machines", kMostMachines);
    for (const Machine& one : machinesOf(m_plan)) {
        if (m_plan.set.contains(fmt::format("{}.{}", kExporterScope, one.name)))
            fault(fmt::format("set.{}.{}", kMachineScope, one.name), "an exporter has this name, too",
                  "give one of them another name: series are told apart by it");
    }
    for (const auto& [key, value] : m_plan.set) {
        if (key == "load.users")
            fault("set." + key, "users belong to the load", "write users = … under [load]");
        else
            checkSetting(key, value, "set." + key, m_base);
    }
}

void Checker::checkCase(const Axis& axis, const Case& one, const std::string& where)
{
    if (one.label.empty())
        fault(where + ".label", "the case has no label", "give label = \"…\": charts and tables show it");
    if (one.set.empty() && axis.cases.size() > 1 &&
        std::count_if(axis.cases.begin(), axis.cases.end(), [](const Case& c) { return c.set.empty(); }) > 1)
        fault(where + ".set", "the case sets nothing, like another case of its axis", "set at least one field in it");
    static const std::vector<std::string> kExpected{kExpectReads, kExpectNoReads};
    if (!one.expect.empty() && std::ranges::find(kExpected, one.expect) == kExpected.end())
        fault(where + ".expect", fmt::format("\"{}\" is nothing to expect", one.expect),
              suggestion(one.expect, kExpected));
    Context context = m_base;
    context.ofCase = &one.set;
    // A case that chooses its own target or workload is checked against that one alone.
    Faults known;
    std::swap(known, m_faults); // these were reported by checkTarget() and checkWorkload()
    if (const std::string* uri = textIn(one.set, "target.uri")) {
        context.targets.clear();
        addTarget(*uri, {}, context.targets);
    }
    if (const std::string* name = textIn(one.set, "workload.name")) {
        context.workloads.clear();
        addWorkload(*name, {}, context.workloads);
    }
    std::swap(known, m_faults);
    for (const auto& [key, value] : one.set) {
        if (key == "load.users" && m_plan.load.users.size() > 1)
            fault(where + ".set." + key, "users is an axis already, by the list in load.users",
                  "give one number in load.users, or leave the cases without it");
        else
            checkSetting(key, value, where + ".set." + key, context);
    }
}

void Checker::checkAxes()
{
    std::vector<std::string> names;
    for (std::size_t a = 0; a < m_plan.axes.size(); ++a) {
        const Axis& axis = m_plan.axes[a];
        const std::string where = fmt::format("axis[{}]", a);
        if (axis.name.empty())
            fault(where + ".name", "the axis has no name", "give name = \"…\"");
        else if (axis.name == "users" || axis.name == "session")
            fault(where + ".name", fmt::format("the name \"{}\" is taken", axis.name),
                  axis.name == "users" ? "give the list in load.users, or choose another name" : "choose another name");
        else if (std::find(names.begin(), names.end(), axis.name) != names.end())
            fault(where + ".name", fmt::format("there are two axes called \"{}\"", axis.name), "choose another name");
        names.push_back(axis.name);
        if (axis.cases.empty())
            fault(where + ".cases", fmt::format("the axis \"{}\" has no cases", axis.name),
                  "add cases = [ { label = \"…\", set = { … } }, … ], or remove the axis");
        std::vector<std::string> labels;
        for (std::size_t c = 0; c < axis.cases.size(); ++c) {
            const Case& one = axis.cases[c];
            const std::string path = fmt::format("{}.cases[{}]", where, c);
            if (!one.label.empty() && std::find(labels.begin(), labels.end(), one.label) != labels.end())
                fault(path + ".label", fmt::format("the label \"{}\" is there twice", one.label),
                      "labels are how cases are told apart: change one");
            labels.push_back(one.label);
            checkCase(axis, one, path);
        }
    }
    checkOverlaps();
}

//! Two axes that set the same field: the later would win silently.
void Checker::checkOverlaps()
{
    std::map<std::string, std::size_t> owner;
    for (std::size_t a = 0; a < m_plan.axes.size(); ++a) {
        for (std::size_t c = 0; c < m_plan.axes[a].cases.size(); ++c) {
            for (const auto& [key, value] : m_plan.axes[a].cases[c].set) {
                const auto [found, isNew] = owner.emplace(key, a);
                if (!isNew && found->second != a) {
                    fault(fmt::format("axis[{}].cases[{}].set.{}", a, c, key),
                          fmt::format("{} is set by the axis \"{}\" too", key, m_plan.axes[found->second].name),
                          "let one axis set it");
                    found->second = a; // once for each axis is enough
                }
            }
        }
    }
}

void Checker::noSuchKnob(std::string_view scope, std::string_view name, const std::string& where,
                         const TargetUri& target)
{
    const auto names = knobNames(target.driver, scope);
    std::string remedy = suggestion(name, names);
    if (names.empty())
        remedy = fmt::format("{} has no knobs of the scope \"{}\"; `dyno knobs {}` lists what it has", target.driver,
                             scope, target.driver);
    fault(where, fmt::format("{} has no {} knob \"{}\"", target.driver, scope, name), std::move(remedy));
}

void Checker::checkKnob(std::string_view scope, std::string_view name, const Value& value, const std::string& where,
                        const TargetUri& target)
{
    if (const std::string owner = otherOwner(target.driver, scope, name); !owner.empty()) {
        // A server that takes any variable would only refuse it when the run begins.
        fault(where,
              fmt::format("{}.{} is a setting of {}; {} has none of that name", scope, name, owner, target.driver),
              "remove it");
        return;
    }
    if (scope == "server" && target.kind == TargetKind::Embedded) {
        const bool isConnection = knobOption(target.driver, "connection", name) != nullptr;
        fault(where, fmt::format("{} is embedded: there is no server to set {} on", target.driver, name),
              isConnection || knobNames(target.driver, "connection").empty()
                  ? fmt::format("use connection.{}", name)
                  : "use connection." + nearest(name, knobNames(target.driver, "connection")) +
                        (nearest(name, knobNames(target.driver, "connection")).empty()
                             ? "NAME, one of: " + joined(knobNames(target.driver, "connection"))
                             : ""));
        return;
    }
    if (scope == "server") {
        if (const auto reason = neverAllowed(target.driver, name, value)) {
            fault(where, fmt::format("server.{} cannot be set: {}", name, *reason),
                  target.kind == TargetKind::Managed ? "remove it from the plan"
                                                     : "remove it here; the server's own option file may have it");
            return;
        }
    }
    const OptionSpec* option = knobOption(target.driver, scope, name);
    if (!option) {
        if (!takesFreeVariables(target.driver, scope)) {
            noSuchKnob(scope, name, where, target);
        } else if (name.empty() ||
                   name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string_view::npos) {
            // The name becomes part of a statement and of an option file: nothing else may be in it.
            fault(where, fmt::format("\"{}\" is not the name of a variable", name),
                  "a variable's name has lower-case letters, digits and _ only");
        } else if (hasControlByte(toText(value))) {
            fault(where, fmt::format("{} holds a line break or another control character", name),
                  "a variable's value is one line of text");
        } else if (const auto reason = neverNamed(target.driver, name)) { // of a session
            fault(where, fmt::format("{}.{} cannot be set: {}", scope, name, *reason), "remove it from the plan");
        }
        return;
    }
    // Client libraries send some of these as they are: a line break would begin words of its own in another protocol.
    // Of a server's settings it would begin a line in its files.
    if ((scope == "server" || (scope == "connection" && name != kInitSql)) && hasControlByte(toText(value)))
        fault(where, fmt::format("{} holds a line break or another control character", name), "write it as one line");
    else if (const auto other = followedBy(*option, value)) {
        if (scope != "server")
            fault(where, fmt::format("{} cannot follow another setting", name), "write a value: only the server's can");
        else if (const auto can = canFollow(target.driver, *option, *other); !can)
            fault(where, can.error().message, can.error().remedy);
    } else if (const auto coerced = coerce(*option, value); !coerced)
        fault(where, coerced.error().message, coerced.error().remedy);
    if (scope != "server" || target.kind != TargetKind::Remote)
        return;
    const KnobInfo* knob = findKnob(target.driver, scope, name);
    if (!knob)
        return;
    if (knob->initialisation)
        fault(where,
              fmt::format("{} is fixed when a data folder is made, and {} has one already", name, target.display()),
              "use a managed: target, or leave it out here");
    else if (needsRestartEverywhere(*knob) && !mayRestart(target))
        fault(
            where, fmt::format("{} needs a restart, and {} is not started by Dynobench", name, target.display()),
            "use a managed: target, set it in the server's own option file and leave it out here, or give the commands "
            "that do so: dyno servers add URI --apply COMMAND --restart COMMAND");
}

//! Of those without a path.
void Checker::checkFiles(std::string_view lines, const std::string& where)
{
    const std::string key = std::string("workload.") + kFilesParam;
    if (!m_carries || (where == std::string("workload.params.") + kFilesParam && m_plan.set.contains(key)))
        return;
    std::string missing, all; // the setting has all files, so that the remedy names the others too
    for (const script::FileEntry& file : script::readFileEntries(lines).value_or(script::FileEntries())) {
        const bool lacks = file.path.empty() && !m_plan.files.contains(file.sha256);
        if (lacks)
            missing += (missing.empty() ? "" : ", ") + file.name;
        all += fmt::format("{}{} =", all.empty() ? "" : "\\n", file.name);
        if (file.records)
            all += fmt::format(" {} {}", *file.records, file.sha256);
        if (lacks || !file.path.empty())
            all += " " + (lacks ? "/PATH" : file.path);
    }
    if (!missing.empty())
        fault(where, fmt::format("the plan does not have the content of {}", missing),
              fmt::format("if you have it, say where: --set $'{}={}'", key, all));
}

void Checker::checkParameter(const std::string& name, const Value& value, const std::string& where,
                             const Context& context)
{
    bool known = context.workloads.empty();
    std::vector<std::string> names;
    for (const WorkloadInfo* workload : context.workloads) {
        for (const OptionSpec& option : workload->options) {
            names.push_back(option.name);
            if (option.name != name)
                continue;
            known = true;
            if (const auto multiple = dataMultipleIn(option, value); !multiple) {
                fault(where, multiple.error().message, multiple.error().remedy);
                return;
            } else if (*multiple) {
                if (context.ofGroup) {
                    fault(where, "a group cannot have data of another size than the plan",
                          "write the multiple in [workload]");
                    return;
                }
                continue; // a number, once the points are known
            }
            if (const auto coerced = coerce(option, value); !coerced) {
                fault(where, coerced.error().message, coerced.error().remedy);
                return;
            }
            if (workload->id == kScriptWorkload && name == kFilesParam)
                checkFiles(toText(value), where);
        }
    }
    if (!known)
        fault(where, fmt::format("{} has no parameter \"{}\"", context.workloads.front()->id, name),
              suggestion(name, names));
}

void Checker::checkSetting(const std::string& key, const Value& value, const std::string& where, const Context& context)
{
    const auto [scope, name] = splitScope(key);
    if (scope == kExporterScope) {
        if (!where.starts_with("set."))
            fault(where, "an exporter is asked in all runs", "write it under [set]");
        else if (const auto exporter = exporterFrom(name, value); !exporter)
            fault(where, exporter.error().message, exporter.error().remedy);
        return;
    }
    if (scope == kMachineScope) {
        if (!where.starts_with("set."))
            fault(where, "a machine is read in all runs", "write it under [set]");
        else if (const auto machine = machineFrom(name, value); !machine)
            fault(where, machine.error().message, machine.error().remedy);
        return;
    }
    if (isKnobScope(scope)) {
        const std::size_t before = m_faults.size();
        for (const TargetUri& target : context.targets) {
            checkKnob(scope, name, value, where, target);
            if (m_faults.size() > before)
                return; // once, not for each target
        }
        return;
    }
    if (scope == "workload" && name != "name") {
        checkParameter(std::string(name), value, where, context);
        return;
    }
    PointSpec scratch;
    scratch.load.groups = m_plan.load.groups;
    scratch.load.phases = m_plan.load.phases;
    if (const auto applied = applyToPoint(scratch, key, value); !applied) {
        fault(where, applied.error().message, applied.error().remedy);
        return;
    }
    if (const auto inPhase = phasePathOf(key)) {
        const auto phase = std::ranges::find(scratch.load.phases, inPhase->phase, &LoadPhase::name);
        for (const Fault& one : groupFaults(scratch.load.groups, *phase)) {
            if (inPhase->field.starts_with(one.where)) // else it is a fault of the plan itself
                fault(where, one.what, one.remedy);
        }
        return;
    }
    const auto path = groupPathOf(key);
    if (!path)
        return;
    const auto group = std::ranges::find(scratch.load.groups, path->group, &LoadGroup::name);
    if (std::vector<const WorkloadInfo*> chosen; path->field == "workload" && !group->workload.empty())
        addWorkload(group->workload, where, chosen);
    if (const std::string_view parameter = path->parameter(); !parameter.empty()) {
        Context own = context;
        own.workloads = workloadsOf(*group, context);
        own.ofGroup = true;
        checkParameter(std::string(parameter), value, where, own);
    }
}

//! Each target puts back what it changed of this machine by itself: with several, one would take another's value for
//! the machine's own.
void Checker::checkHostKnobs()
{
    std::vector<std::string> uris;
    for (const TargetUri& target : m_base.targets)
        uris.push_back(target.display());
    std::sort(uris.begin(), uris.end());
    if (std::unique(uris.begin(), uris.end()) - uris.begin() < 2)
        return;
    const auto check = [&](const Settings& settings, const std::string& where) {
        for (const auto& [key, value] : settings) {
            if (splitScope(key).scope == "host")
                fault(fmt::format("{}.{}", where, key), "settings of this machine are changed for one target only",
                      "leave the other targets out, or set it by hand for all of them");
        }
    };
    check(m_plan.set, "set");
    for (std::size_t a = 0; a < m_plan.axes.size(); ++a) {
        for (std::size_t i = 0; i < m_plan.axes[a].cases.size(); ++i)
            check(m_plan.axes[a].cases[i].set, fmt::format("axis[{}].cases[{}].set", a, i));
    }
}

void Checker::checkModels()
{
    // With an axis of both, every target meets every workload.
    for (const WorkloadInfo* workload : m_base.workloads) {
        for (const TargetUri& target : m_base.targets) {
            const DriverInfo* driver = findDriver(target.driver);
            if (!driver || commonModel(*workload, *driver))
                continue;
            fault("workload.name", fmt::format("{} does not run on {}", workload->id, target.driver),
                  fmt::format("it runs on: {}", joined(driversFor(*workload))));
            return;
        }
    }
}

//! How many runs there would be, and what only shows when everything is put together.
void Checker::checkCombinations()
{
    double runs = double(m_plan.load.users.size()) * m_plan.load.repeats;
    for (const Axis& axis : m_plan.axes)
        runs *= double(axis.cases.size());
    if (runs > double(kMaxRuns)) {
        fault("axis", fmt::format("the axes multiply to {:.0f} runs", runs),
              fmt::format("take cases, users or repeats away: at most {} runs make a session", kMaxRuns));
        return;
    }
    if (!m_faults.empty())
        return;
    const std::vector<PointSpec> points = expand(m_plan).points;
    checkPaths(points);
    checkParts(points);
    if (!m_plan.skips.empty() && points.empty())
        fault("skip", "every point is left out", "take some of the [[skip]] tables away");
    const Faults refused = bindFaults(m_plan);
    m_faults.insert(m_faults.end(), refused.begin(), refused.end());
}

//! The users of each target must be able to go by its path.
void Checker::checkPaths(const std::vector<PointSpec>& points)
{
    std::set<std::string> seen;
    for (const PointSpec& point : points) {
        const auto path = parsePath(point.target.path);
        const auto uri = parseUri(point.target.uri);
        if (!path || !uri || path->kind == TargetPath::Kind::Direct)
            continue;
        auto problem = pathProblem(*uri, *path);
        if (!problem)
            problem = usersProblem(*uri, *path, point.connection, point.mostUsers());
        if (problem && seen.insert(problem->message).second)
            fault(std::string(kPathKey), std::move(problem->message), std::move(problem->remedy));
    }
}

//! A variable's text and a knob that is an option in it may come from different tables of the plan.
void Checker::checkParts(const std::vector<PointSpec>& points)
{
    for (const PointSpec& point : points) {
        const auto uri = parseUri(point.target.uri);
        if (!uri)
            continue;
        if (auto joined = joinedParts(uri->driver, point.server); !joined) {
            fault(std::move(joined.error().where), std::move(joined.error().message), std::move(joined.error().remedy));
            return; // once, not for each point
        }
    }
}

//! Each field of a size must be one that setField() takes, and the plan of that size must be sound.
void Checker::checkSizes()
{
    if (!m_faults.empty())
        return;
    for (const PlanSize& size : m_plan.sizes) {
        Plan changed = m_plan;
        changed.sizes.clear();
        const std::size_t before = m_faults.size();
        for (const auto& [path, value] : size.fields) {
            if (const auto set = setField(changed, path, value); !set)
                fault(fmt::format("size.{}.{}", size.name, path), set.error().message, set.error().remedy);
        }
        if (m_faults.size() > before)
            continue;
        for (const Fault& one : Checker(changed, m_carries).run())
            fault("size." + size.name, fmt::format("at this size {}: {}", one.where, one.what), one.remedy);
    }
}

Faults Checker::run()
{
    checkTarget();
    checkWorkload();
    checkLoad();
    checkGroups();
    checkSet();
    checkAxes();
    checkHostKnobs();
    checkNames(m_plan, m_faults);
    checkModels();
    checkCombinations();
    checkSizes();
    return std::move(m_faults);
}

} // namespace

Faults checkPlan(const Plan& plan)
{
    return Checker(plan, true).run();
}

Faults checkStoredPlan(const Plan& plan)
{
    return Checker(plan, false).run();
}

} // namespace dyno
