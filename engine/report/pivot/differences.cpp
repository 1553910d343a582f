// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/path.h>
#include <dyno/report.h>

#include "report/format.h"
#include "report/pivot/labels.h"
#include "report/pivot/load_text.h"
#include "report/pivot/meanings.h"

#include <dyno/catalog.h>
#include <dyno/load_fields.h>
#include <dyno/load_phases.h>
#include <dyno/server_variables.h>
#include <dyno/topics.h>
#include <dyno/uri.h>

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace dyno {

namespace {

constexpr const char* kNotSet = "(not set)";

//! Values of one name over all places where it could be.
class Values
{
public:
    //! `same`: when two texts are one value.
    template<class Same>
    void add(const std::string& value, Same same)
    {
        ++m_places;
        if (std::ranges::none_of(m_distinct, [&](const std::string& other) { return same(other, value); }))
            m_distinct.push_back(value);
    }
    [[nodiscard]] std::size_t places() const { return m_places; }
    [[nodiscard]] const std::vector<std::string>& distinct() const { return m_distinct; }

private:
    std::vector<std::string> m_distinct;
    std::size_t m_places = 0;
};

//! Names in the order of their first appearance.
class Table
{
public:
    //! A fact: one that is written otherwise is another one.
    void add(const std::string& name, const std::string& value)
    {
        valuesOf(name).add(value, [](const std::string& a, const std::string& b) { return a == b; });
    }
    //! A setting: ON and 1 are one value, 128M and 134217728 are.
    void addSetting(const std::string& name, const std::string& value) { valuesOf(name).add(value, sameValue); }
    [[nodiscard]] const std::vector<std::string>& names() const { return m_order; }
    [[nodiscard]] const Values& of(const std::string& name) const { return m_values.at(name); }

private:
    Values& valuesOf(const std::string& name)
    {
        const auto [found, fresh] = m_values.try_emplace(name);
        if (fresh)
            m_order.push_back(name);
        return found->second;
    }

    std::map<std::string, Values> m_values;
    std::vector<std::string> m_order;
};

//! What the session's run of this point read back, if it has one.
const StoredRun* runOf(const StoredSession& session, std::size_t point)
{
    for (const StoredRun& run : session.runs) {
        if (run.header.point == static_cast<int>(point))
            return &run;
    }
    return nullptr;
}

void addParameters(Table& table, std::set<std::string>& knobNames, const WorkloadSpec& workload)
{
    for (const auto& [name, value] : workload.params) {
        table.addSetting("workload." + name, report::parameterText(workload.name, name, value).value_or(kNotSet));
        knobNames.insert(name);
    }
}

void addScope(Table& table, std::set<std::string>& knobNames, const char* scope, const Settings& settings,
              const StoredRun* run)
{
    for (const auto& [name, value] : settings) {
        std::string text = toText(value);
        const std::string qualified = fmt::format("{}.{}", scope, name);
        if (run) {
            for (const std::string& key : {name, qualified}) {
                if (const auto effective = run->header.effective.find(key); effective != run->header.effective.end())
                    text = toText(effective->second);
            }
        }
        table.addSetting(qualified, text);
        knobNames.insert(name);
    }
}

std::string secondsText(double seconds)
{
    return report::plain(seconds, 3) + " s";
}

std::string loadText(const LoadField& field, const Value& value)
{
    const auto* real = std::get_if<double>(&value);
    if (field.kind == LoadFieldKind::Duration && real)
        return secondsText(*real);
    std::string text = real ? fmt::format("{:g}", *real) : toText(value);
    if (field.kind == LoadFieldKind::Users && text.empty())
        return "1";
    if (text == "0" && !field.zero.empty())
        return field.zero;
    if (text.empty())
        return "none";
    return field.unit.empty() ? text : text + " " + field.unit;
}

//! What of a load figures may depend on. `plan`: of what holds for a plan as a whole.
void addLoad(Table& table, const LoadProfile& load, const LoadProfile& plan, const Settings& effective, bool imported)
{
    for (const LoadField& field : loadFields()) {
        if (field.compared && (field.ofImports || !imported)) // of another tool's run no more is known
            table.add("load." + field.name,
                      textOf(effective, "load." + field.name, // what came of it, where a run says so
                             loadText(field, field.value(field.ofPlan ? plan : load))));
    }
    for (const LoadGroup& group : load.groups) {
        const std::string name = fmt::format("load.group.{}.", group.name);
        table.add(name + "users", fmt::format("{}", group.users.value_or(load.users.empty() ? 1 : load.users.front())));
        table.add(name + "workload", group.workload);
        table.add(name + "arrival", report::arrivalText(group.pace));
        for (const auto& [parameter, value] : group.params)
            table.addSetting(name + "params." + parameter,
                             report::parameterText(group.workload, parameter, value).value_or(kNotSet));
    }
    for (const LoadPhase& phase : load.phases)
        table.add(fmt::format("load.phase.{}", phase.name),
                  fmt::format("{}{}: {}", secondsText(phase.seconds),
                              phase.rampSeconds > 0 ? fmt::format(" with a ramp of {}", secondsText(phase.rampSeconds))
                                                    : std::string(),
                              phaseText(load, phase)));
}

void addPoint(Table& table, std::set<std::string>& knobNames, const StoredSession& session, std::size_t index)
{
    const PointSpec& point = session.header.points[index];
    const StoredRun* run = runOf(session, index);
    table.add("target", redactUri(point.target.uri));
    if (!report::isImported(session))
        table.add("path of the users",
                  textOf(run ? run->header.effective : Settings(), kPathKey, pathName(point.target.path)));
    if (run && !run->header.server.product.empty()) {
        const ServerFacts& server = run->header.server;
        table.add("product", server.product + (server.version.empty() ? "" : " " + server.version));
        table.add("transport", server.transport);
        table.add("TLS cipher", server.cipher.empty() ? "none" : server.cipher);
    }
    table.add("workload", point.workload.name);
    addParameters(table, knobNames, point.workload);
    addScope(table, knobNames, "server", point.server, run);
    addScope(table, knobNames, "connection", point.connection, run);
    for (const auto& [name, value] : run ? run->header.effective : Settings()) {
        if (name.starts_with("connection.") && !point.connection.contains(name.substr(name.find('.') + 1)))
            table.addSetting(name, toText(value)); // the plan leaves it to the driver
    }
    addScope(table, knobNames, "table", point.table, run);
    addScope(table, knobNames, "host", point.host, run);
    addLoad(table, point.load, session.header.plan.load, run ? run->header.effective : Settings(),
            report::isImported(session));
    const HostFacts& host = session.header.host;
    table.add("client host", host.name);
    table.add("client CPU", fmt::format("{} × {}", host.cores, host.cpu));
    table.add("client memory", report::bytes(static_cast<double>(host.memoryBytes)));
    table.add("client kernel", host.kernel);
    table.add("software", session.header.software);
}

struct Variables
{
    Table table;
    std::size_t runs = 0;
    std::set<std::string> products; //!< with their versions
};

//! Folders that Dynobench or the server's installation chose: where a server's files lie is no setting of it.
class OwnFolders
{
public:
    OwnFolders(const StoredSession& session, const StoredRun& run)
    {
        for (const ServerVariables& one : serverVariables()) {
            add(run, one.dataFolder, "(data folder)");
            add(run, one.programFolder, "(program folder)");
        }
        const auto point = static_cast<std::size_t>(run.header.point);
        const auto uri = run.header.point >= 0 && point < session.header.points.size()
                             ? parseUri(session.header.points[point].target.uri)
                             : Expected<TargetUri>(fail(Error()));
        if (uri && uri->kind == TargetKind::Managed && !m_folders.empty()) {
            const std::string& data = m_folders.front().first;
            if (const std::size_t at = data.find_last_of('/'); at != std::string::npos && at > 0)
                m_folders.emplace_back(data.substr(0, at), "(server folder)");
        }
    }
    //! The value with such a folder at its beginning named instead.
    [[nodiscard]] std::string named(const std::string& value) const
    {
        for (const auto& [folder, name] : m_folders) {
            if (value.starts_with(folder) && (value.size() == folder.size() || value[folder.size()] == '/'))
                return name + value.substr(folder.size());
        }
        return value;
    }
    static bool isOwn(const std::string& value)
    {
        return value.empty() || value.starts_with("(data folder)") || value.starts_with("(program folder)") ||
               value.starts_with("(server folder)");
    }

private:
    void add(const StoredRun& run, const std::string& variable, const char* name)
    {
        std::string folder = textOf(run.header.server.variables, variable);
        while (folder.size() > 1 && folder.back() == '/')
            folder.pop_back();
        if (folder.size() > 1 && folder.front() == '/')
            m_folders.emplace_back(std::move(folder), name);
    }
    std::vector<std::pair<std::string, std::string>> m_folders;
};

Variables variablesOf(const std::vector<StoredSession>& sessions)
{
    Variables variables;
    for (const StoredSession& session : sessions) {
        for (const StoredRun& run : session.runs) {
            if (run.header.server.variables.empty())
                continue;
            ++variables.runs;
            variables.products.insert(run.header.server.product + " " + run.header.server.version);
            const OwnFolders folders(session, run);
            for (const auto& [name, value] : run.header.server.variables) {
                if (!isServerState(name))
                    variables.table.addSetting(name, folders.named(toText(value)));
            }
        }
    }
    return variables;
}

} // namespace

std::optional<std::string> report::parameterText(std::string_view workload, std::string_view name, const Value& value)
{
    const auto isMinusOne = [](const Value& one) {
        const auto* real = std::get_if<double>(&one);
        const auto* integer = std::get_if<std::int64_t>(&one);
        return real ? *real == -1 : integer && *integer == -1;
    };
    const WorkloadInfo* info = isMinusOne(value) ? findWorkload(workload) : nullptr;
    const bool none = info && std::ranges::any_of(info->options, [&](const OptionSpec& option) {
                          return option.name == name && option.minimum == -1.0 && isMinusOne(option.defaultValue);
                      });
    if (none)
        return {};
    return toText(value);
}

report::CommonParameters report::commonParameters(const StoredSession& session)
{
    const auto told = [](const WorkloadSpec& workload) {
        const WorkloadInfo* info = findWorkload(workload.name);
        Settings settings = workload.params;
        std::erase_if(settings, [&](const auto& one) {
            const bool usual = info && std::ranges::any_of(info->options, [&one](const OptionSpec& option) {
                                   return option.name == one.first && toText(option.defaultValue) == toText(one.second);
                               });
            return usual || !parameterText(workload.name, one.first, one.second);
        });
        return settings;
    };
    std::vector<Settings> all;
    for (const PointSpec& point : session.header.points)
        all.push_back(told(point.workload));
    if (all.empty())
        return {told(session.header.plan.workload), false};
    CommonParameters common{all.front(), false};
    for (const Settings& one : all) {
        std::erase_if(common.changed, [&one](const auto& item) {
            const auto found = one.find(item.first);
            return found == one.end() || found->second != item.second;
        });
    }
    common.differ =
        std::ranges::any_of(all, [&common](const Settings& one) { return one.size() != common.changed.size(); });
    return common;
}

namespace {

//! Durability, logging and memory explain most; what was measured comes before all settings.
int rankOf(const Difference& difference)
{
    if (difference.name == "product" || difference.name == "target")
        return 0;
    return 1 + int(topicPlace(difference.topic));
}

} // namespace

std::vector<Difference> differences(const std::vector<StoredSession>& sessions)
{
    Table table;
    std::set<std::string> knobNames;
    std::size_t points = 0;
    for (const StoredSession& session : sessions) {
        for (std::size_t i = 0; i < session.header.points.size(); ++i, ++points)
            addPoint(table, knobNames, session, i);
    }
    // What products call differently is compared by what it means, once.
    report::Meanings meanings = report::meaningsThatDiffer(sessions);
    std::vector<Difference> result = std::move(meanings.differences);
    const auto take = [&](Difference difference) {
        if (difference.values.size() < 2 || meanings.names.contains(difference.name))
            return;
        difference.topic = report::topicOf(difference.name);
        result.push_back(std::move(difference));
    };
    for (const std::string& name : table.names()) {
        Difference difference{name, table.of(name).distinct()};
        // Only knobs and parameters can be left out; facts of runs that never started, and how other tools made their
        // load, are just not known.
        const bool left =
            table.of(name).places() < points && name.find('.') != std::string::npos && !name.starts_with("load.");
        if (left && std::find(difference.values.begin(), difference.values.end(), kNotSet) == difference.values.end())
            difference.values.emplace_back(kNotSet);
        take(std::move(difference));
    }
    const Variables variables = variablesOf(sessions);
    for (const std::string& name : variables.table.names()) {
        if (knobNames.contains(name))
            continue;
        Difference difference{name, variables.table.of(name).distinct()};
        if (std::ranges::all_of(difference.values, OwnFolders::isOwn))
            continue;
        // Another product or version has other variables altogether; only those that both have are compared.
        if (variables.table.of(name).places() < variables.runs) {
            if (variables.products.size() > 1)
                continue;
            difference.values.emplace_back(kNotSet);
        }
        take(std::move(difference));
    }
    std::ranges::stable_sort(result, {}, rankOf);
    return result;
}

std::size_t oneSidedVariables(const std::vector<StoredSession>& sessions)
{
    const Variables variables = variablesOf(sessions);
    if (variables.products.size() < 2)
        return 0;
    return static_cast<std::size_t>(
        std::count_if(variables.table.names().begin(), variables.table.names().end(),
                      [&](const auto& name) { return variables.table.of(name).places() < variables.runs; }));
}

std::vector<Difference> changedDuringRuns(const std::vector<StoredSession>& sessions)
{
    std::vector<Difference> result;
    for (const StoredSession& session : sessions) {
        for (const StoredRun& run : session.runs) {
            if (!run.aftermath)
                continue;
            const Settings& after = run.aftermath->server.variables;
            for (const auto& [name, value] : run.header.server.variables) {
                const auto now = after.find(name);
                if (isServerState(name) || now == after.end() || toText(now->second) == toText(value))
                    continue;
                const Difference change{name, {toText(value), toText(now->second)}};
                const bool known = std::any_of(result.begin(), result.end(), [&](const Difference& other) {
                    return other.name == change.name && other.values == change.values;
                });
                if (!known)
                    result.push_back(change);
            }
        }
    }
    return result;
}

std::size_t equalVariables(const std::vector<StoredSession>& sessions)
{
    const Variables variables = variablesOf(sessions);
    return static_cast<std::size_t>(
        std::count_if(variables.table.names().begin(), variables.table.names().end(), [&variables](const auto& name) {
            const Values& values = variables.table.of(name);
            return values.places() == variables.runs && values.distinct().size() == 1;
        }));
}

} // namespace dyno
