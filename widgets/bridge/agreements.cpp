// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/agreements.h"

#include <dyno/catalog.h>
#include <dyno/uri.h>

#include <QCryptographicHash>
#include <QSettings>
#include <QStringList>

#include <algorithm>

namespace dyno {

namespace {

constexpr const char* kAllowed = "trust/allowed"; //!< digests, the newest last
constexpr int kMostRemembered = 500;

template<class Use>
void eachSetting(const Plan& plan, const Use& use)
{
    if (!plan.target.uri.empty())
        use("target.uri", plan.target.uri);
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

//! Of the risk with the targets it is meant for.
QString digestOf(const Plan& plan, const Risk& risk)
{
    std::set<std::string> targets;
    eachSetting(plan, [&targets](const std::string& key, const std::string& value) {
        if (key == "target.uri")
            targets.insert(value);
    });
    QCryptographicHash hash(QCryptographicHash::Sha256);
    const auto add = [&hash](const std::string& text) {
        hash.addData(QByteArray(QByteArray::number(qlonglong(text.size())) + ':'));
        hash.addData(QByteArray::fromStdString(text));
    };
    add(risk.key);
    add(risk.value);
    for (const std::string& target : targets)
        add(target);
    return QString::fromLatin1(hash.result().toHex());
}

} // namespace

void Agreements::noteTyped(const Plan& before, const Plan& after)
{
    std::set<std::pair<std::string, std::string>> known;
    eachSetting(before, [&known](const std::string& key, const std::string& value) { known.emplace(key, value); });
    eachSetting(after, [&](const std::string& key, const std::string& value) {
        if (known.contains({key, value}))
            return;
        m_typed.emplace(key, value);
        if (key == "target.uri") { // risks name it as it is written out
            if (const auto uri = parseUri(value))
                m_typed.emplace(key, uri->display());
        }
    });
}

void Agreements::planOpened(const Plan& plan)
{
    m_typed.clear();
    const auto ours = recipePlan(plan.source);
    if (!ours || ours->target.uri != plan.target.uri)
        return;
    eachSetting(*ours, [this](const std::string& key, const std::string& value) {
        if (key.starts_with("server."))
            m_typed.emplace(key, value);
    });
}

Consent Agreements::consentTo(const Plan& plan, const std::vector<Risk>& risks) const
{
    Consent consent;
    for (const auto& [key, value] : m_typed) // whether or not it was looked for already
        consent.allow(Risk{key, value, {}});
    if (risks.empty())
        return consent;
    const QStringList allowed = QSettings().value(QLatin1String(kAllowed)).toStringList();
    for (const Risk& risk : risks) {
        if (allowed.contains(digestOf(plan, risk)))
            consent.allow(risk);
    }
    return consent;
}

std::vector<Risk> Agreements::unanswered(const Plan& plan, const std::vector<Risk>& risks) const
{
    const Consent consent = consentTo(plan, risks);
    std::vector<Risk> left;
    std::ranges::copy_if(risks, std::back_inserter(left), [&consent](const Risk& risk) { return !consent.covers(risk); });
    return left;
}

void Agreements::remember(const Plan& plan, const std::vector<Risk>& risks)
{
    if (risks.empty())
        return;
    QSettings settings;
    QStringList allowed = settings.value(QLatin1String(kAllowed)).toStringList();
    for (const Risk& risk : risks) {
        const QString digest = digestOf(plan, risk);
        allowed.removeAll(digest);
        allowed << digest;
    }
    settings.setValue(QLatin1String(kAllowed), allowed.mid(std::max(qsizetype(0), allowed.size() - kMostRemembered)));
}

} // namespace dyno
