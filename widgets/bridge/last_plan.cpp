// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/last_plan.h"

#include "qt_text.h"

#include <dyno/plan.h>

#include <QDateTime>
#include <QSettings>

namespace dyno {

LastPlan lastPlan()
{
    const QSettings settings;
    LastPlan plan;
    plan.toml = settings.value(QLatin1String(kLastPlanKey)).toString();
    plan.file = settings.value(QLatin1String(kLastPlanFileKey)).toString();
    plan.source = settings.value(QLatin1String(kLastPlanSourceKey)).toString();
    plan.modified = settings.value(QLatin1String(kLastPlanModifiedKey)).toBool();
    plan.changed = settings.value(QLatin1String(kLastPlanChangedKey)).toBool();
    plan.ran = settings.value(QLatin1String(kLastPlanRanKey)).toBool();
    plan.editedMs = settings.value(QLatin1String(kLastPlanEditedKey)).toLongLong();
    return plan;
}

void rememberPlan(const LastPlan& plan)
{
    const LastPlan before = lastPlan();
    const bool edited = !before.toml.isEmpty() && before.toml != plan.toml;
    LastPlan now = plan;
    now.editedMs = edited ? QDateTime::currentMSecsSinceEpoch() : before.editedMs;
    now.ran = !edited && before.ran;
    now.changed = plan.modified || (!edited && before.changed);
    storePlan(now);
}

namespace {

constexpr std::size_t kMostContent = std::size_t(64) << 10;

std::size_t contentOf(const Plan& plan)
{
    std::size_t text = 0;
    for (const auto& [sha256, file] : plan.files)
        text += file->text().size();
    return text;
}

QString withoutContent(Plan plan)
{
    plan.files.clear();
    return qtText(writePlan(plan));
}

} // namespace

QString lastPlanText(const Plan& plan, const QString& file, bool modified)
{
    const bool inFile = !file.isEmpty() && !modified;
    return inFile && contentOf(plan) > kMostContent ? withoutContent(plan) : qtText(writePlan(plan));
}

bool isLastPlan(const LastPlan& last, const Plan& plan)
{
    return last.toml == qtText(writePlan(plan)) ||
           (contentOf(plan) > kMostContent && !last.file.isEmpty() && last.toml == withoutContent(plan));
}

void noteStarted(const Plan& plan)
{
    if (isLastPlan(lastPlan(), plan))
        QSettings().setValue(QLatin1String(kLastPlanRanKey), true);
}

void storePlan(const LastPlan& plan)
{
    QSettings settings;
    settings.setValue(QLatin1String(kLastPlanKey), plan.toml);
    settings.setValue(QLatin1String(kLastPlanFileKey), plan.file);
    settings.setValue(QLatin1String(kLastPlanSourceKey), plan.source);
    settings.setValue(QLatin1String(kLastPlanModifiedKey), plan.modified);
    settings.setValue(QLatin1String(kLastPlanEditedKey), plan.editedMs);
    settings.setValue(QLatin1String(kLastPlanChangedKey), plan.changed);
    settings.setValue(QLatin1String(kLastPlanRanKey), plan.ran);
}

} // namespace dyno
