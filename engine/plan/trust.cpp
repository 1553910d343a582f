// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/trust.h>

#include "base/data_folder.h"
#include "driver/trust_words.h"
#include "plan/exporters.h"
#include "plan/load_groups.h"
#include "plan/machines.h"
#include "plan/plan_fields.h"
#include "server/knobs/knob_catalog.h"
#include "workload/script/data_files.h"

#include <dyno/agreements.h>
#include <dyno/catalog.h>
#include <dyno/path.h>
#include <dyno/runner.h>
#include <dyno/scripts.h>
#include <dyno/uri.h>
#include <dyno/uri_form.h>
#include <dyno/visible_text.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dyno {

namespace {

constexpr std::size_t kTablesNamed = 3;
constexpr const char* kProbeKey = "load.probe";

using Words = std::set<std::pair<std::string, std::string>>; //!< key and value

} // namespace

Words wordsOfPlan(const Plan& plan)
{
    Words words;
    const auto all = [&words](const Settings& settings) {
        for (const auto& [key, value] : settings) {
            words.emplace(key, toText(value));
            if (const auto path = groupPathOf(key); path && !path->parameter().empty())
                words.emplace(fmt::format("workload.{}", path->parameter()), toText(value));
        }
    };
    words.emplace(kTargetKey, plan.target.uri);
    if (!plan.target.path.empty() && plan.target.path != kDirectPath)
        words.emplace(kPathKey, plan.target.path);
    for (const auto& [name, value] : plan.workload.params)
        words.emplace("workload." + name, toText(value));
    if (plan.load.probe)
        words.emplace(kProbeKey, toText(Value(true)));
    if (plan.load.instruments != InstrumentsLevel::None)
        words.emplace(kInstrumentsKey, toText(plan.load.instruments));
    all(plan.set);
    for (const Axis& axis : plan.axes) {
        for (const Case& one : axis.cases)
            all(one.set);
    }
    for (const LoadGroup& group : plan.load.groups) {
        for (const auto& [name, value] : group.params)
            words.emplace("workload." + name, toText(value));
    }
    return words;
}

namespace {

//! True for a place of this user's where programs look for their settings or for what they are to start, such as the
//! hooks in .git of any project: a file there acts by being there.
bool isHiddenPlace(const std::filesystem::path& file)
{
    std::error_code ignored;
    const auto inside = [&ignored](const std::filesystem::path& path, const std::filesystem::path& folder) {
        const auto relative = path.lexically_relative(std::filesystem::weakly_canonical(folder, ignored));
        return relative.empty() || *relative.begin() == ".." ? std::filesystem::path() : relative;
    };
    const std::filesystem::path place =
        std::filesystem::weakly_canonical(std::filesystem::absolute(file, ignored), ignored);
    if (!inside(place, dataFolder()).empty())
        return false;
    const char* home = std::getenv("HOME");
    const std::filesystem::path below = home && *home == '/' ? inside(place, home) : std::filesystem::path();
    return std::ranges::any_of(below.empty() ? place : below, // a home folder with such a name is no hidden place
                               [](const std::filesystem::path& part) { return part.string().starts_with('.'); });
}

//! True for a setting of a connection that lets anybody on the way pose as the server; its value in small letters or as
//! in URIs.
bool weakensTls(std::string_view name, std::string_view value)
{
    if (name == "tls" || name == "ssl")
        return value == "off" || value == "required" || value == "false";
    return value == "true" &&
           (name == "tlsInsecure" || name == "tlsAllowInvalidCertificates" || name == "tlsAllowInvalidHostnames");
}

std::string weakTlsText(const TargetUri& target)
{
    return fmt::format(
        "reach {} without making sure whose server it is: somebody on the way could read and change everything",
        target.display());
}

//! Collects the risks of one plan.
class Collector
{
public:
    //! Of one target alone, as the plan has it, unless `only` is empty.
    explicit Collector(const Plan& plan, std::string_view only = {})
        : m_plan(plan)
        , m_only(only)
    {
        eachSettings([this](const Settings& settings) {
            if (const auto uri = settings.find("target.uri"); uri != settings.end())
                addTarget(toText(uri->second));
            if (const auto name = settings.find("workload.name"); name != settings.end())
                m_workloads.push_back(toText(name->second));
            for (const auto& [key, value] : settings) {
                if (const auto path = groupPathOf(key); path && path->field == "workload")
                    m_workloads.push_back(toText(value));
            }
        });
        if (!plan.target.uri.empty())
            addTarget(plan.target.uri);
        m_workloads.push_back(plan.workload.name);
        for (const LoadGroup& group : plan.load.groups)
            m_workloads.push_back(group.workload);
    }

    std::vector<Risk> run()
    {
        for (const TargetUri& target : m_targets)
            lookAtTarget(target);
        if (m_plan.load.probe)
            lookAtProbe();
        lookAtInstruments(toText(m_plan.load.instruments));
        lookAtPath(m_plan.target.path);
        for (const auto& [name, value] : m_plan.workload.params)
            lookAtParameter(name, value);
        for (const LoadGroup& group : m_plan.load.groups) {
            for (const auto& [name, value] : group.params)
                lookAtParameter(name, value);
        }
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
        if (!m_only.empty() && text != m_only)
            return;
        if (auto uri = parseUri(text)) // one with faults is not run
            m_targets.push_back(std::move(*uri));
    }
    void add(std::string_view key, std::string value, std::string wants, bool atLook = false)
    {
        Risk risk{std::string(key), std::move(value), std::move(wants), atLook};
        if (std::find(m_risks.begin(), m_risks.end(), risk) == m_risks.end())
            m_risks.push_back(std::move(risk));
    }
    void addOption(const OptionSpec& option, std::string_view key, const Value& value, bool atLook = false)
    {
        // Empty text, like the default, asks for nothing.
        if (!option.risk.empty() && !toText(value).empty())
            add(key, toText(value), option.risk, atLook);
    }
    void lookAtTarget(const TargetUri& target);
    void lookAtQuery(const TargetUri& target);
    void lookAtProbe();
    void lookAtInstruments(const std::string& level);
    void lookAtPath(std::string_view text);
    void lookAtParameter(const std::string& name, const Value& value);
    void lookAtSetting(const std::string& key, const Value& value);

    const Plan& m_plan;
    std::string_view m_only;
    std::vector<TargetUri> m_targets;
    std::vector<std::string> m_workloads;
    std::vector<Risk> m_risks;
};

void Collector::lookAtTarget(const TargetUri& target)
{
    if (const auto basedir = target.query.find("basedir"); basedir != target.query.end())
        add(kTargetKey, target.display(),
            fmt::format("start programs that it names itself, from {}: they can do whatever you may", basedir->second),
            true);
    if (target.kind == TargetKind::Remote)
        lookAtQuery(target);
    if (auto risk = fileRisk(target))
        add(risk->key, std::move(risk->value), std::move(risk->wants));
}

void Collector::lookAtQuery(const TargetUri& target)
{
    for (const auto& [name, value] : target.query) {
        if (value.empty())
            continue;
        const OptionSpec* option = knobOption(target.driver, "connection", name);
        std::string risk = option ? option->risk : std::string();
        if (name == "tlsCAFile") // words of URIs that are no options' names
            risk = kForeignAuthority;
        else if (name == "tlsCertificateKeyFile")
            risk = kForeignKey;
        if (!risk.empty())
            add(kTargetKey, target.display(), fmt::format("{} ({}={})", risk, name, value), true);
        if (weakensTls(name, value) && !isLocal(target))
            add(kTargetKey, target.display(), weakTlsText(target), true);
    }
}

//! Folders of ours are ours to write to.
void Collector::lookAtProbe()
{
    for (const TargetUri& target : m_targets) {
        if (target.kind != TargetKind::Embedded || !isFile(target) || target.path.empty())
            continue;
        add(kProbeKey, toText(Value(true)),
            fmt::format("write a file of {} MiB into {}, read it as fast as the disk can, and remove it",
                        DeviceProbeRequest().fileBytes >> 20, folderOfData(target).string()));
    }
}

//! They are settings of the server.
void Collector::lookAtInstruments(const std::string& level)
{
    if (level == toText(InstrumentsLevel::None))
        return;
    for (const TargetUri& target : m_targets) {
        if (target.kind == TargetKind::Remote)
            add(kInstrumentsKey, level,
                fmt::format("switch on instruments of {}, which costs everybody on that server until the run ends",
                            target.display()));
    }
}

//! No look goes by it before somebody has agreed.
void Collector::lookAtPath(std::string_view text)
{
    const auto path = parsePath(text);
    if (!path)
        return;
    const auto proxy = std::ranges::find(proxies(), path->proxy, &ProxyInfo::id);
    for (const TargetUri& target : m_targets) {
        if (target.kind == TargetKind::Remote && !isLocal(target) && proxy != proxies().end() && proxy->signsIn)
            add(kPathKey, std::string(text),
                fmt::format(
                    "write the password of {} into a file for {}, which is started on this machine and signs in "
                    "there for the users",
                    target.display(), proxy->name));
        if (target.kind == TargetKind::Remote && path->kind == TargetPath::Kind::Address)
            add(kPathKey, std::string(text),
                fmt::format("send all that the users of {} send, their sign-in included, to {}: whoever answers there "
                            "could read and change it",
                            target.display(), path->address.display()));
    }
}

//! Files that a plan carries inside open nothing here.
bool namesNoPath(const std::string& name, const Value& value)
{
    if (name != kFilesParam)
        return false;
    const auto files = script::readFileEntries(toText(value));
    return files && std::ranges::all_of(*files, &std::string::empty, &script::FileEntry::path);
}

void Collector::lookAtParameter(const std::string& name, const Value& value)
{
    for (const std::string& id : m_workloads) {
        const WorkloadInfo* workload = findWorkload(id);
        if (!workload)
            continue;
        for (const OptionSpec& option : workload->options) {
            if (option.name == name && value != option.defaultValue &&
                !(id == kScriptWorkload && namesNoPath(name, value)))
                addOption(option, "workload." + name, value);
        }
    }
}

void Collector::lookAtSetting(const std::string& key, const Value& value)
{
    const auto [scope, name] = splitScope(key);
    if (key == kPathKey) {
        lookAtPath(toText(value));
        return;
    }
    if (key == kInstrumentsKey) {
        lookAtInstruments(toText(value));
        return;
    }
    if (scope == kExporterScope) {
        if (const auto exporter = exporterFrom(name, value))
            add(key, toText(value),
                fmt::format("send a request to {} once an interval and store what it answers: it may be a place that "
                            "only you can reach, and it learns that you run this",
                            hostOfUrl(exporter->url)));
        return;
    }
    if (scope == kMachineScope) {
        if (const auto machine = machineFrom(name, value))
            add(key, toText(value),
                fmt::format("sign in to {} by your own ssh, with your keys, and run a fixed command there that reads "
                            "its /proc once an interval: it may be a machine that only you can reach, and it learns "
                            "that you run this",
                            machine->to.display()));
        return;
    }
    if (scope == "workload") {
        lookAtParameter(std::string(name), value);
        return;
    }
    if (const auto path = groupPathOf(key)) {
        if (path->field == "workload")
            return; // of a workload that asks, its parameters ask
        lookAtParameter(std::string(path->parameter()), value);
        return;
    }
    for (const TargetUri& target : m_targets) {
        const OptionSpec* option = knobOption(target.driver, scope, name);
        if (option)
            addOption(*option, key, value, scope == "connection" && !option->notAtLook);
        if (scope == "connection" && target.kind == TargetKind::Remote && weakensTls(name, toText(value)) &&
            !isLocal(target))
            add(key, toText(value), weakTlsText(target), true);
        if (scope == "connection" && !option && target.kind == TargetKind::Remote)
            add(key, toText(value),
                fmt::format("set a variable in each session on {} that Dynobench does not know: some keep changes from "
                            "replicas or from others of a cluster",
                            target.display()),
                true);
        if (scope == "server" && target.kind == TargetKind::Remote) // an empty value is one too
            add(key, toText(value),
                fmt::format("change {} of {}, for everybody on that server until the run ends",
                            option ? "a variable" : "a variable that Dynobench does not know", target.display()));
    }
}

} // namespace

std::filesystem::path folderOfData(const TargetUri& target)
{
    std::error_code ignored;
    std::filesystem::path place = std::filesystem::absolute(target.path, ignored).lexically_normal();
    return isFolder(target) && std::filesystem::is_directory(place, ignored) ? place : place.parent_path();
}

std::optional<Risk> fileRisk(const TargetUri& target)
{
    if (target.kind != TargetKind::Embedded || target.path.empty())
        return {};
    const bool folder = isFolder(target);
    FileLook look = folder ? FileLook{lookAtDataFolder(target.path), {}} : lookAtFile(target.path);
    const char* what = nounOf(folder);
    std::string wants;
    std::error_code ignored;
    switch (look.state) {
    case FileLook::State::Known:
        return {};
    case FileLook::State::Missing:
        if (!isHiddenPlace(target.path))
            return {};
        wants = fmt::format("make a new {} in a hidden place, where programs look for their configuration", what);
        break;
    case FileLook::State::Empty:
        wants = "write into a file that is there already, empty: it may be somebody's mark";
        break;
    case FileLook::State::Unknown:
        wants = folder && std::filesystem::exists(target.path, ignored) &&
                        !std::filesystem::is_directory(target.path, ignored)
                    ? "make a folder where a file is"
                    : fmt::format("write into a {} that cannot be read; it may hold other data", what);
        break;
    case FileLook::State::Others: {
        if (folder) {
            wants = "write into a folder that holds data which Dynobench did not make";
            break;
        }
        const std::size_t more = look.tables.size() - std::min(look.tables.size(), kTablesNamed);
        look.tables.resize(look.tables.size() - more);
        wants = fmt::format(
            "write into a file that holds tables which Dynobench did not make ({}{}), and change its journal mode",
            fmt::join(look.tables, ", "), more > 0 ? fmt::format(" and {} more", more) : std::string());
        break;
    }
    }
    return Risk{std::string(kTargetKey), riskTarget(target), std::move(wants)};
}

std::vector<Risk> risksOf(const Plan& plan)
{
    return Collector(plan).run();
}

std::vector<Risk> risksOf(const Plan& plan, std::string_view target)
{
    return Collector(plan, target).run();
}

std::string riskTarget(const TargetUri& target)
{
    TargetUri named = target;
    std::error_code ignored;
    if (target.kind == TargetKind::Embedded && !target.path.empty())
        named.path = std::filesystem::absolute(target.path, ignored).lexically_normal().string();
    return named.display();
}

std::vector<Risk> uncovered(std::vector<Risk> risks, const Consent& consent)
{
    std::erase_if(risks, [&](const Risk& risk) { return consent.covers(risk); });
    return risks;
}

std::vector<Risk> unanswered(const Plan& plan, const Consent& consent)
{
    return consent.covers("all") ? std::vector<Risk>() : uncovered(risksOf(plan), consent);
}

Consent typedIn(const Plan& asFile, const Plan& asRun)
{
    const Words fromFile = wordsOfPlan(asFile);
    std::vector<Risk> typed;
    std::vector<Risk> others;
    for (const auto& [key, value] : wordsOfPlan(asRun)) {
        if (key.starts_with("server.") && !fromFile.contains({key, value})) // may show on a kept server only
            typed.push_back({key, value, {}});
        if (key != kTargetKey)
            continue;
        if (const auto uri = parseUri(value); uri && !fromFile.contains({key, value}))
            typed.push_back({key, riskTarget(*uri), {}});
        Plan alone;
        alone.target.uri = value;
        for (Risk& risk : risksOf(alone))
            (fromFile.contains({key, value}) ? others : typed).push_back(std::move(risk));
    }
    for (Risk& risk : risksOf(asRun)) {
        if (risk.key != kTargetKey)
            (fromFile.contains({risk.key, risk.value}) ? others : typed).push_back(std::move(risk));
    }
    Consent consent;
    for (const Risk& risk : typed) {
        const auto same = [&risk](const Risk& one) { return one.key == risk.key && one.value == risk.value; };
        if (std::none_of(others.begin(), others.end(), same))
            consent.allow({risk.key, risk.value, {}});
    }
    return consent;
}

std::set<std::pair<std::string, std::string>> wordsOfRecipe(const Plan& recipe)
{
    Words words = wordsOfPlan(recipe);
    for (const PlanSize& size : recipe.sizes) {
        Plan sized = recipe;
        if (applySize(sized, size.name))
            words.merge(wordsOfPlan(sized));
    }
    return words;
}

std::optional<std::string> whyNever(std::string_view driver, std::string_view name)
{
    return neverNamed(driver, name);
}

std::string toText(const Risk& risk)
{
    return fmt::format("{} = \"{}\": {}", visibleText(risk.key), visibleText(risk.value), visibleText(risk.wants));
}

std::optional<Error> refusalOf(const Plan& plan, const Consent& consent)
{
    const std::vector<Risk> risks = unanswered(plan, consent);
    if (risks.empty())
        return {};
    std::string text = "this plan wants to do what you have not allowed: ";
    for (const Risk& risk : risks)
        text += (&risk == risks.data() ? "" : "; ") + toText(risk);
    return Error{ErrorKind::BadInput, std::move(text), risks.front().key,
                 "if you trust whoever wrote it, allow it; nothing was started, sent or changed"};
}

} // namespace dyno
