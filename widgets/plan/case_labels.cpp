// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/case_labels.h"

#include "parts/plan_text.h"

#include <dyno/plan_refs.h>
#include <dyno/server_variables.h>

#include <QCoreApplication>

#include <algorithm>
#include <optional>
#include <set>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

struct AxesModelWords
{
    Q_DECLARE_TR_FUNCTIONS(AxesModel)
};

//! What tells knobs apart at a glance.
QString shortName(const std::string& path)
{
    return qtText(shortVariableName(splitPath(qtText(path)).name.toStdString()));
}

bool isOn(const Value& value, bool& on)
{
    if (const auto* flag = std::get_if<bool>(&value)) {
        on = *flag;
        return true;
    }
    const auto* text = std::get_if<std::string>(&value);
    const QString word = text ? qtText(*text).toUpper() : QString();
    on = word == u"ON";
    return on || word == u"OFF";
}

//! True when `label` is `made`, perhaps with a number to tell it from another.
bool isMade(const QString& label, const QString& made)
{
    if (made.isEmpty() || label == made)
        return !made.isEmpty();
    bool number = false;
    if (label.startsWith(made + u' '))
        (void)label.mid(made.size() + 1).toInt(&number);
    return number;
}

} // namespace

QString freeLabel(const QString& wanted, const std::vector<Case>& cases)
{
    std::set<QString> taken;
    for (const Case& one : cases)
        taken.insert(qtText(one.label));
    QString label = wanted;
    for (int n = 2; taken.contains(label); ++n)
        label = wanted + u' ' + QString::number(n);
    return label;
}

QStringList autoLabels(const Axis& axis)
{
    std::set<std::string> paths;
    for (const Case& one : axis.cases) {
        for (const auto& [path, value] : one.set)
            paths.insert(path);
    }
    // What all cases have in common tells none from another.
    std::set<std::string> varying;
    for (const std::string& path : paths) {
        const auto valueOf = [&path](const Case& one) {
            const auto found = one.set.find(path);
            return found == one.set.end() ? std::optional<Value>() : std::optional<Value>(found->second);
        };
        const bool same = std::all_of(axis.cases.begin(), axis.cases.end(),
                                      [&](const Case& one) { return valueOf(one) == valueOf(axis.cases.front()); });
        if (!same)
            varying.insert(path);
    }
    const std::set<std::string>& named = varying.empty() ? paths : varying;
    QStringList labels;
    for (const Case& one : axis.cases) {
        QStringList parts;
        for (const auto& [path, value] : one.set) {
            bool on = false;
            if (!named.contains(path))
                continue;
            if (named.size() == 1)
                parts << valueText(value);
            else if (isOn(value, on))
                parts << (on ? shortName(path) : AxesModelWords::tr("no %1").arg(shortName(path)));
            else
                parts << shortName(path) + u'=' + valueText(value);
        }
        labels << parts.join(u", "_s);
    }
    return labels;
}

void changeAxis(Axis& axis, const std::function<void(Axis&)>& how)
{
    const std::vector<Case> before = axis.cases;
    const QStringList madeBefore = autoLabels(axis);
    how(axis);
    if (axis.cases.size() != before.size())
        return;
    const QStringList made = autoLabels(axis);
    for (std::size_t row = 0; row < before.size(); ++row) {
        Case& one = axis.cases[row];
        const QString next = made[qsizetype(row)];
        const bool follows = one.label == before[row].label && isMade(qtText(one.label), madeBefore[qsizetype(row)]);
        if (!follows || next.isEmpty() || isMade(qtText(one.label), next))
            continue;
        std::vector<Case> others = axis.cases;
        others.erase(others.begin() + std::ptrdiff_t(row));
        one.label = freeLabel(next, others).toStdString();
    }
}

void followLabels(Plan& plan, const std::string& axis, const std::vector<Case>& before, const std::vector<Case>& after)
{
    const auto labels = [](const std::vector<Case>& cases) {
        std::multiset<std::string> all;
        for (const Case& one : cases)
            all.insert(one.label);
        return all;
    };
    if (before.size() != after.size() || labels(before) == labels(after))
        return; // cases came, went or changed places
    // By way of names that nobody has, so that two cases may swap theirs.
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i].label != after[i].label && !before[i].label.empty())
            renameInRefs(plan, axis, before[i].label, "\n" + std::to_string(i));
    }
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i].label != after[i].label)
            renameInRefs(plan, axis, "\n" + std::to_string(i), after[i].label);
    }
}

} // namespace dyno
