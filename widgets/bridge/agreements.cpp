// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/agreements.h"

#include <dyno/agreements.h>
#include <dyno/catalog.h>
#include <dyno/uri.h>

#include <QCryptographicHash>

#include <algorithm>
#include <map>
#include <string_view>

namespace dyno {

namespace {

QByteArray digestOf(std::string_view value)
{
    return QCryptographicHash::hash(QByteArrayView(value.data(), qsizetype(value.size())), QCryptographicHash::Sha256);
}

//! The lines and statements of a text, without blanks around them and without words that stand alone, such as BEGIN and
//! \endif, which are in anybody's.
std::set<std::string_view> statementsOf(std::string_view text)
{
    constexpr std::string_view kBlanks = " \t\v\f";
    const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '\\'; };
    std::set<std::string_view> found;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(";\r\n"), text.size());
        std::string_view one = text.substr(0, end);
        one.remove_prefix(std::min(one.find_first_not_of(kBlanks), one.size()));
        one = one.substr(0, one.find_last_not_of(kBlanks) + 1);
        if (!std::ranges::all_of(one, isLetter))
            found.insert(one);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return found;
}

constexpr std::size_t kSeenAtOnce = 80; //!< letters of a line; a field may hide what stands behind them

//! Whoever types into it does not see all of it.
bool isMoreThanALine(std::string_view text)
{
    return text.size() > kSeenAtOnce || statementsOf(text).size() > 1;
}

//! Something of the first text stands in the second as it was.
bool keepsOf(std::string_view before, std::string_view after)
{
    const auto begin = std::size_t(std::ranges::mismatch(before, after).in1 - before.begin());
    const std::size_t shorter = std::min(before.size(), after.size());
    std::size_t end = 0;
    while (begin + end < shorter && before[before.size() - end - 1] == after[after.size() - end - 1])
        ++end;
    if (begin + end > kSeenAtOnce)
        return true;
    const std::set<std::string_view> now = statementsOf(after);
    return std::ranges::any_of(statementsOf(before), [&now](std::string_view one) { return now.contains(one); });
}

} // namespace

void Agreements::noteTyped(const Plan& before, const Plan& after)
{
    Digests known;
    std::map<std::string, std::vector<std::string>> ofOthers; // texts by key
    for (const auto& [key, value] : wordsOfPlan(before)) {
        const auto digest = std::pair(key, digestOf(value));
        if (m_ofOthers.contains(digest))
            ofOthers[key].push_back(value);
        known.insert(digest);
    }
    for (const auto& [key, text] : wordsOfPlan(after)) {
        const std::string& value = text;
        auto digest = std::pair(key, digestOf(value));
        if (known.contains(digest) || m_ofOthers.contains(digest))
            continue;
        const auto theirs = ofOthers.find(key);
        const auto isKept = [&value](const std::string& one) { return keepsOf(one, value); };
        if (theirs != ofOthers.end() && std::ranges::any_of(theirs->second, isKept))
            m_ofOthers.insert(std::move(digest));
        else
            m_typed.insert(std::move(digest));
    }
}

void Agreements::noteInserted(const Plan& before, const Plan& after)
{
    Digests known;
    for (const auto& [key, value] : wordsOfPlan(before))
        known.emplace(key, digestOf(value));
    for (const auto& [key, value] : wordsOfPlan(after)) {
        auto digest = std::pair(key, digestOf(value));
        if (!known.contains(digest) && !m_typed.contains(digest) && isMoreThanALine(value))
            m_ofOthers.insert(std::move(digest));
    }
}

void Agreements::planOpened(const Plan& plan)
{
    m_typed.clear();
    m_ofOthers.clear();
    m_ofRecipe.clear();
    for (const auto& [key, value] : wordsOfPlan(plan)) {
        if (isMoreThanALine(value))
            m_ofOthers.emplace(key, digestOf(value));
    }
    const auto ours = recipePlan(plan.source);
    if (!ours || ours->target.uri != plan.target.uri)
        return;
    for (const auto& [key, value] : wordsOfRecipe(*ours)) {
        if (key.starts_with("server."))
            m_ofRecipe.emplace_back(key, value);
    }
}

void Agreements::planChecked(const Plan& plan, const std::vector<Risk>& risks)
{
    if (m_ofOthers.empty())
        return;
    const Consent consent = consentTo(plan, risks);
    for (const Risk& risk : risks) {
        if (consent.covers(risk))
            m_ofOthers.erase({risk.key, digestOf(risk.value)});
    }
}

Consent Agreements::consentTo(const Plan& plan, const std::vector<Risk>& risks) const
{
    Consent consent;
    for (const auto& [key, value] : m_ofRecipe)
        consent.allow(Risk{key, value, {}});
    for (const auto& [key, value] : wordsOfPlan(plan)) { // whether or not it was looked for already
        if (!m_typed.contains({key, digestOf(value)}))
            continue;
        consent.allow(Risk{key, value, {}});
        if (key == kTargetKey) { // risks name it as it is written out
            if (const auto uri = parseUri(value))
                consent.allow(Risk{key, riskTarget(*uri), {}});
        }
    }
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
