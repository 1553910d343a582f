// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/last_plan.h"

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
    plan.editedMs = settings.value(QLatin1String(kLastPlanEditedKey)).toLongLong();
    return plan;
}

void rememberPlan(const LastPlan& plan)
{
    QSettings settings;
    const QString before = settings.value(QLatin1String(kLastPlanKey)).toString();
    if (!before.isEmpty() && before != plan.toml)
        settings.setValue(QLatin1String(kLastPlanEditedKey), QDateTime::currentMSecsSinceEpoch());
    settings.setValue(QLatin1String(kLastPlanKey), plan.toml);
    settings.setValue(QLatin1String(kLastPlanFileKey), plan.file);
    settings.setValue(QLatin1String(kLastPlanSourceKey), plan.source);
    settings.setValue(QLatin1String(kLastPlanModifiedKey), plan.modified);
}

} // namespace dyno
