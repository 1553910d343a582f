// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/series_labels.h"

#include "plots/pivot_table_model.h"
#include "plots/plot_style.h"
#include "qt_text.h"

#include <dyno/plan_refs.h>

#include <QStringBuilder>

#include <algorithm>
#include <set>
#include <vector>

namespace dyno {

namespace {

//! Positions such that any two different names differ at one of them: those where neighbours in alphabetical order do.
std::vector<qsizetype> placesOf(QStringList names)
{
    names.removeDuplicates();
    std::sort(names.begin(), names.end());
    std::set<qsizetype> places;
    for (qsizetype i = 1; i < names.size(); ++i) {
        const QString &one = names[i - 1], &next = names[i];
        places.insert(std::mismatch(one.begin(), one.end(), next.begin(), next.end()).first - one.begin());
    }
    return {places.begin(), places.end()};
}

//! The letters of a name around these places.
QString excerpts(const QString& name, const std::vector<qsizetype>& places)
{
    constexpr qsizetype kRoom = 20, kFewest = 6, kBefore = 2;
    const qsizetype width = std::max(kFewest, kRoom / std::max<qsizetype>(1, qsizetype(places.size())));
    QString label;
    qsizetype shown = 0; // up to here
    for (const qsizetype place : places) {
        if (place < shown || place > name.size())
            continue;
        const qsizetype from = std::max(shown, place - kBefore);
        const QString part = name.mid(from, width);
        label += (from > shown ? QStringLiteral("…") : QString()) % part;
        shown = from + part.size();
    }
    return shown < name.size() ? QString(label.trimmed() % QStringLiteral("…")) : label.trimmed();
}

} // namespace

QString shortLabel(const QString& name)
{
    constexpr qsizetype kMost = 26;
    if (name.size() <= kMost)
        return name;
    // Names of sessions and cases often differ at their end.
    return name.left(kMost / 2 - 3).trimmed() % QStringLiteral("…") % name.right(kMost / 2 + 2).trimmed();
}

QStringList shortLabels(const QStringList& names)
{
    QStringList labels;
    for (const QString& name : names)
        labels << shortLabel(name);
    std::set<qsizetype> alike; // names whose labels some other name has too
    while (true) {
        const std::size_t before = alike.size();
        for (qsizetype i = 0; i < names.size(); ++i) {
            for (qsizetype j = 0; j < names.size(); ++j) {
                if (labels[i] == labels[j] && names[i] != names[j])
                    alike.insert(i);
            }
        }
        if (alike.size() == before)
            return labels;
        QStringList those;
        for (const qsizetype i : alike)
            those << names[i];
        const std::vector<qsizetype> places = placesOf(those);
        for (const qsizetype i : alike)
            labels[i] = excerpts(names[i], places);
    }
}

QString caseWords(const QString& axis, const QString& label)
{
    bool number = false;
    const int users = label.toInt(&number);
    if (axis == QLatin1String("users") && number)
        return PivotTableModel::tr("%n user(s)", nullptr, users);
    return qtText(wordsOfCase({axis.toStdString(), label.toStdString()}));
}

QString casesWords(const QString& axes, const QString& labels)
{
    const QString comma = QStringLiteral(", ");
    const QStringList names = axes.split(QStringLiteral(" × "));
    QStringList parts = labels.split(comma);
    if (parts.size() == names.size()) {
        for (qsizetype i = 0; i < parts.size(); ++i)
            parts[i] = caseWords(names[i], parts[i]);
        return parts.join(comma);
    }
    // A label of some axis has a comma of its own: the ends are sure all the same, unless they are that label.
    if (names.size() > 1 && names.first() == QLatin1String("users"))
        parts.first() = caseWords(names.first(), parts.first());
    if (names.size() > 1 && names.last() == QLatin1String("users"))
        parts.last() = caseWords(names.last(), parts.last());
    return parts.join(comma);
}

QString pointWords(const PointSpec& point)
{
    QStringList parts;
    for (const CaseRef& one : point.cases) {
        const QString label = qtText(one.label), words = caseWords(qtText(one.axis), label);
        parts << (one.axis == "users" && words == label ? PivotTableModel::tr("users %1", "not told").arg(label)
                                                        : words);
    }
    return parts.join(QStringLiteral(", "));
}

int lineColor(const LinePlace& place, int next)
{
    const bool all = place.seriesCount <= kSeriesColors && place.facetCount <= kSeriesLooks;
    return all ? place.series + kSeriesColors * place.facet : next;
}

} // namespace dyno
