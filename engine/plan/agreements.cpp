// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/agreements.h>

#include "base/private_lines.h"
#include "base/sha256.h"
#include "base/text.h"
#include "plan/load_groups.h"
#include "plan/plan_fields.h"

#include <dyno/runner.h>
#include <dyno/scripts.h>

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string>
#include <sys/stat.h>

namespace dyno {

namespace {

constexpr std::size_t kMostAgreementBytes = 1 << 20; //!< 16 000 agreements: then it begins anew

std::set<std::string> targetUrisOf(const Plan& plan)
{
    std::set<std::string> targets;
    const auto add = [&targets](const std::string& text) {
        const auto uri = parseUri(text);
        targets.insert(uri ? riskTarget(*uri) : text);
    };
    const auto addOf = [&add](const Settings& settings) {
        if (const auto uri = settings.find("target.uri"); uri != settings.end())
            add(toText(uri->second));
    };
    if (!plan.target.uri.empty())
        add(plan.target.uri);
    addOf(plan.set);
    for (const Axis& axis : plan.axes) {
        for (const Case& one : axis.cases)
            addOf(one.set);
    }
    return targets;
}

//! True for what the users of a group do, which is no mere load.
bool isDeedOfGroup(std::string_view key)
{
    const auto path = groupPathOf(key);
    return path && (path->field == "workload" || !path->parameter().empty());
}

bool isNobody(const Value& users)
{
    const auto* number = std::get_if<std::int64_t>(&users);
    return number && *number == 0;
}

//! What the plan does with the data of its targets, whatever load it puts on them: each setting once.
std::set<std::string> deedOf(const Plan& plan)
{
    std::set<std::string> deed{fmt::format("workload.name={}", plan.workload.name),
                               fmt::format("workload.prepare={}", toText(plan.workload.prepare)),
                               fmt::format("workload.cleanup={}", plan.workload.cleanup)};
    for (const auto& [name, value] : plan.workload.params)
        deed.insert(fmt::format("workload.{}={}", name, toText(value)));
    for (const LoadGroup& group : plan.load.groups) {
        deed.insert(fmt::format("load.group.{}.workload={}", group.name, group.workload));
        for (const auto& [name, value] : group.params)
            deed.insert(fmt::format("load.group.{}.params.{}={}", group.name, name, toText(value)));
        if (group.users == 0)
            deed.insert(fmt::format("load.group.{} takes no part", group.name));
    }
    const auto addOf = [&deed](const Settings& settings) {
        for (const auto& [key, value] : settings) {
            if (key != kTargetKey && (splitScope(key).scope != "load" || isDeedOfGroup(key)))
                deed.insert(fmt::format("{}={}", key, toText(value)));
            // A group with users does what it does, with however many; one without does nothing.
            if (const auto path = groupPathOf(key); path && path->field == "users")
                deed.insert(fmt::format("{} {}", key, isNobody(value) ? "takes no part" : "takes part"));
        }
    };
    addOf(plan.set);
    for (const Axis& axis : plan.axes) {
        for (const Case& one : axis.cases)
            addOf(one.set);
    }
    return deed;
}

//! About data that lie at a target, which is an agreement to one deed there, not to whatever another plan would do.
bool isAboutData(const Risk& risk)
{
    return risk.key == kTargetKey && !risk.atLook;
}

//! What a workload's parameter names: a file that was changed or replaced since is another agreement. Nobody has
//! agreed to its being read yet, and the window asks here: the file is not opened.
std::string markOfFile(const std::string& name)
{
    struct stat facts = {};
    if (::stat(name.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode))
        return {};
    const auto time = [](const timespec& one) { return fmt::format("{}.{:09}", one.tv_sec, one.tv_nsec); };
    return fmt::format("{} {} {} {} {}", facts.st_dev, facts.st_ino, facts.st_size, time(facts.st_mtim),
                       time(facts.st_ctim));
}

//! The same of the lines of the parameter "files" that have no digits of what is in the file: a load compares those.
//! Nothing: they are more than anybody looks through.
std::optional<std::string> marksOfFiles(std::string_view lines)
{
    constexpr int kMostMarks = 1000;
    std::string marks;
    int count = 0;
    for (std::size_t begin = 0; begin < lines.size();) {
        const std::size_t end = std::min(lines.find('\n', begin), lines.size());
        const std::string_view line = lines.substr(begin, end - begin);
        begin = end + 1;
        const std::size_t equals = line.find('=');
        const std::string_view place =
            equals == std::string_view::npos ? std::string_view() : trimmed(line.substr(equals + 1));
        if (!place.starts_with('/'))
            continue;
        if (++count > kMostMarks)
            return {};
        marks += markOfFile(std::string(place)) + "\n";
    }
    return marks;
}

//! A line of the file: a SHA-256, so that the file tells nobody what was agreed to. "": it is asked about each time.
std::string lineOf(const Risk& risk, const Plan& plan)
{
    std::string text;
    const auto add = [&text](std::string_view part) { text += fmt::format("{}:{}", part.size(), part); };
    add(risk.key);
    add(risk.value);
    add(risk.wants);
    if (splitScope(risk.key).scope == "workload")
        add(markOfFile(risk.value));
    if (risk.key == std::string("workload.") + kFilesParam) {
        const auto marks = marksOfFiles(risk.value);
        if (!marks)
            return {};
        add(*marks);
    }
    for (const std::string& target : targetUrisOf(plan))
        add(target);
    for (const std::string& part : isAboutData(risk) ? deedOf(plan) : std::set<std::string>())
        add(part);
    return sha256Of(text);
}

std::filesystem::path fileOrOwn(const std::filesystem::path& file)
{
    return file.empty() ? agreementsFile() : file;
}

} // namespace

std::filesystem::path agreementsFile()
{
    return dataFolder() / "agreements";
}

void rememberAgreed(const Plan& plan, const std::vector<Risk>& risks, const std::filesystem::path& file)
{
    if (risks.empty())
        return;
    const auto known = privateLines(fileOrOwn(file));
    std::vector<std::string> lines;
    for (const Risk& risk : risks) {
        if (std::string line = lineOf(risk, plan); !line.empty() && !known.contains(line))
            lines.push_back(std::move(line));
    }
    addPrivateLines(fileOrOwn(file), lines, kMostAgreementBytes);
}

void recallAgreed(const Plan& plan, const std::vector<Risk>& risks, Consent& consent, const std::filesystem::path& file)
{
    if (risks.empty())
        return;
    const auto known = privateLines(fileOrOwn(file));
    for (const Risk& risk : risks) {
        if (const std::string line = lineOf(risk, plan); !line.empty() && known.contains(line))
            consent.allow(risk);
    }
}

} // namespace dyno
