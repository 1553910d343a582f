// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/agreements.h"

#include <dyno/agreements.h>
#include <dyno/catalog.h>
#include <dyno/path.h>
#include <dyno/uri.h>

namespace dyno {

namespace {

template<class Use>
void eachSetting(const Plan& plan, const Use& use)
{
    if (!plan.target.uri.empty())
        use("target.uri", plan.target.uri);
    use(std::string(kPathKey), plan.target.path);
    for (const auto& [name, value] : plan.workload.params)
        use("workload." + name, toText(value));
    const auto all = [&use](const Settings& settings) {
        for (const auto& [key, value] : settings)
            use(key, toText(value));
    };
    all(plan.set);
    for (const Axis& axis : plan.axes) {
        for (const Case& one : axis.cases)
            all(one.set);
    }
}

} // namespace

void Agreements::noteTyped(const Plan& before, const Plan& after)
{
    std::set<std::pair<std::string, std::string>> known;
    bool hasLines = false;
    eachSetting(before, [&](const std::string& key, const std::string& value) {
        known.emplace(key, value);
        hasLines = hasLines || value.find('\n') != std::string::npos;
    });
    std::set<std::string> ofOthers;
    for (const Risk& risk : hasLines ? unanswered(before, risksOf(before)) : std::vector<Risk>()) {
        if (risk.value.find('\n') != std::string::npos)
            ofOthers.insert(risk.key);
    }
    eachSetting(after, [&](const std::string& key, const std::string& value) {
        if (known.contains({key, value}) || ofOthers.contains(key))
            return;
        m_typed.emplace(key, value);
        if (key == "target.uri") { // risks name it as it is written out
            if (const auto uri = parseUri(value))
                m_typed.emplace(key, riskTarget(*uri));
        }
    });
}

void Agreements::planOpened(const Plan& plan)
{
    m_typed.clear();
    const auto ours = recipePlan(plan.source);
    if (!ours || ours->target.uri != plan.target.uri)
        return;
    for (const auto& [key, value] : wordsOfRecipe(*ours)) {
        if (key.starts_with("server."))
            m_typed.emplace(key, value);
    }
}

Consent Agreements::consentTo(const Plan& plan, const std::vector<Risk>& risks) const
{
    Consent consent;
    for (const auto& [key, value] : m_typed) // whether or not it was looked for already
        consent.allow(Risk{key, value, {}});
    recallAgreed(plan, risks, consent);
    return consent;
}

std::vector<Risk> Agreements::unanswered(const Plan& plan, const std::vector<Risk>& risks) const
{
    return uncovered(risks, consentTo(plan, risks));
}

void Agreements::remember(const Plan& plan, const std::vector<Risk>& risks)
{
    rememberAgreed(plan, risks);
}

void Agreements::planSaved(const Plan& plan, const std::vector<Risk>& risks)
{
    const Consent consent = consentTo(plan, risks);
    std::vector<Risk> agreed = risks;
    std::erase_if(agreed, [&consent](const Risk& risk) { return !consent.covers(risk); });
    remember(plan, agreed);
}

} // namespace dyno
