// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/trust.h>

#include "base/sqlite_file.h"
#include "plan/plan_fields.h"

#include <dyno/catalog.h>
#include <dyno/uri.h>

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace dyno {

namespace {

constexpr std::size_t kLongestValue = 200; //!< characters of a value in a message
constexpr std::size_t kTablesNamed = 3;

//! Collects the risks of one plan.
class Collector
{
public:
    explicit Collector(const Plan& plan)
        : m_plan(plan)
    {
        eachSettings([this](const Settings& settings) {
            if (const auto uri = settings.find("target.uri"); uri != settings.end())
                addTarget(toText(uri->second));
            if (const auto name = settings.find("workload.name"); name != settings.end())
                m_workloads.push_back(toText(name->second));
        });
        if (!plan.target.uri.empty())
            addTarget(plan.target.uri);
        m_workloads.push_back(plan.workload.name);
    }

    std::vector<Risk> run()
    {
        for (const TargetUri& target : m_targets)
            lookAtTarget(target);
        for (const auto& [name, value] : m_plan.workload.params)
            lookAtParameter(name, value);
        eachSettings([this](const Settings& settings) {
            for (const auto& [key, value] : settings)
                lookAtSetting(key, value);
        });
        return std::move(m_risks);
    }

private:
    template<class Use>
    void eachSettings(const Use& use) const
    {
        use(m_plan.set);
        for (const Axis& axis : m_plan.axes) {
            for (const Case& one : axis.cases)
                use(one.set);
        }
    }
    void addTarget(const std::string& text)
    {
        if (auto uri = parseUri(text)) // one with faults is not run
            m_targets.push_back(std::move(*uri));
    }
    void add(std::string key, std::string value, std::string wants)
    {
        Risk risk {std::move(key), std::move(value), std::move(wants)};
        if (std::find(m_risks.begin(), m_risks.end(), risk) == m_risks.end())
            m_risks.push_back(std::move(risk));
    }
    void addOption(const OptionSpec& option, std::string key, const Value& value)
    {
        // Empty text, like the default, asks for nothing.
        if (!option.risk.empty() && !toText(value).empty())
            add(std::move(key), toText(value), option.risk);
    }
    void lookAtTarget(const TargetUri& target);
    void lookAtParameter(const std::string& name, const Value& value);
    void lookAtSetting(const std::string& key, const Value& value);

    const Plan& m_plan;
    std::vector<TargetUri> m_targets;
    std::vector<std::string> m_workloads;
    std::vector<Risk> m_risks;
};

void Collector::lookAtTarget(const TargetUri& target)
{
    if (const auto basedir = target.query.find("basedir"); basedir != target.query.end())
        add("target.uri", target.display(),
            fmt::format("start programs that it names itself, from {}: they can do whatever you may", basedir->second));
    if (target.kind != TargetKind::Embedded || target.path.empty())
        return;
    std::vector<std::string> others = tablesOfOthers(target.path);
    if (others.empty())
        return;
    const std::size_t more = others.size() - std::min(others.size(), kTablesNamed);
    others.resize(others.size() - more);
    std::error_code ignored;
    TargetUri named = target;
    named.path = std::filesystem::absolute(target.path, ignored).lexically_normal().string();
    add("target.uri", named.display(),
        fmt::format("write into a file that holds tables which Dynobench did not make ({}{}), and change its journal mode",
                    fmt::join(others, ", "), more > 0 ? fmt::format(" and {} more", more) : std::string()));
}

void Collector::lookAtParameter(const std::string& name, const Value& value)
{
    for (const std::string& id : m_workloads) {
        const WorkloadInfo* workload = findWorkload(id);
        if (!workload)
            continue;
        for (const OptionSpec& option : workload->options) {
            if (option.name == name)
                addOption(option, "workload." + name, value);
        }
    }
}

void Collector::lookAtSetting(const std::string& key, const Value& value)
{
    const auto [scope, name] = splitScope(key);
    if (scope == "workload") {
        lookAtParameter(std::string(name), value);
        return;
    }
    for (const TargetUri& target : m_targets) {
        if (const OptionSpec* option = knobOption(target.driver, scope, name))
            addOption(*option, key, value);
        else if (scope == "server" && target.kind == TargetKind::Remote)
            add(key, toText(value),
                fmt::format("change a variable of {} that Dynobench does not know, for everybody on that server until the run ends",
                            target.display()));
    }
}

} // namespace

std::vector<Risk> risksOf(const Plan& plan)
{
    return Collector(plan).run();
}

std::vector<Risk> unanswered(const Plan& plan, const Consent& consent)
{
    if (consent.covers("all"))
        return {};
    std::vector<Risk> risks = risksOf(plan);
    std::erase_if(risks, [&](const Risk& risk) { return consent.covers(risk); });
    return risks;
}

std::string toText(const Risk& risk)
{
    std::string value = risk.value.substr(0, kLongestValue);
    std::replace_if(value.begin(), value.end(), [](char c) { return c >= 0 && (c < ' ' || c == 0x7f); }, ' ');
    if (risk.value.size() > kLongestValue)
        value += " …";
    return fmt::format("{} = \"{}\": {}", risk.key, value, risk.wants);
}

std::optional<Error> refusalOf(const Plan& plan, const Consent& consent)
{
    const std::vector<Risk> risks = unanswered(plan, consent);
    if (risks.empty())
        return {};
    std::string text = "this plan wants to do what you have not allowed: ";
    for (const Risk& risk : risks)
        text += (&risk == risks.data() ? "" : "; ") + toText(risk);
    return Error {ErrorKind::BadInput, std::move(text), risks.front().key,
                  "if you trust whoever wrote it, allow it; nothing was started, sent or changed"};
}

} // namespace dyno
