// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/catalog.h>
#include <dyno/library.h>
#include <dyno/own_recipes.h>
#include <dyno/plan.h>
#include <dyno/report.h>
#include <dyno/runner.h>
#include <dyno/samples.h>
#include <dyno/uri.h>

namespace dyno {
DYNO_DEFINE_VALUE_TYPE(LoadGroup);
DYNO_DEFINE_VALUE_TYPE(LoadPhase);
DYNO_DEFINE_VALUE_TYPE(LoadProfile);
DYNO_DEFINE_VALUE_TYPE(WorkloadSpec);
DYNO_DEFINE_VALUE_TYPE(TargetSpec);
DYNO_DEFINE_VALUE_TYPE(View);
DYNO_DEFINE_VALUE_TYPE(Plan);
DYNO_DEFINE_VALUE_TYPE(PointSpec);
DYNO_DEFINE_VALUE_TYPE(Expansion);
DYNO_DEFINE_VALUE_TYPE(IntervalSample);
DYNO_DEFINE_VALUE_TYPE(RunSummary);
DYNO_DEFINE_VALUE_TYPE(SessionHeader);
DYNO_DEFINE_VALUE_TYPE(RunHeader);
DYNO_DEFINE_VALUE_TYPE(RunAftermath);
DYNO_DEFINE_VALUE_TYPE(StoredRun);
DYNO_DEFINE_VALUE_TYPE(StoredSession);
DYNO_DEFINE_VALUE_TYPE(IntervalColumns);
DYNO_DEFINE_VALUE_TYPE(SessionInfo);
DYNO_DEFINE_VALUE_TYPE(TargetUri);
DYNO_DEFINE_VALUE_TYPE(WorkloadInfo);
DYNO_DEFINE_VALUE_TYPE(RecipeInfo);
DYNO_DEFINE_VALUE_TYPE(OwnRecipe);
DYNO_DEFINE_VALUE_TYPE(Pivot);
} // namespace dyno
