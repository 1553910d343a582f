// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The plan that the Plan page had last, kept between two starts of the program. GUI thread.
#pragma once

#include <QString>

namespace dyno {

//! The keys in QSettings: the plan as TOML, its file, the recipe it came from, whether it has changes that are in no
//! file, and when it became another one.
inline constexpr const char* kLastPlanKey = "plan/last";
inline constexpr const char* kLastPlanFileKey = "plan/lastFile";
inline constexpr const char* kLastPlanSourceKey = "plan/lastSource";
inline constexpr const char* kLastPlanModifiedKey = "plan/lastModified";
inline constexpr const char* kLastPlanEditedKey = "plan/lastEdited";

struct LastPlan
{
    QString toml;         //!< "" before the first start
    QString file, source; //!< "" for none
    bool modified = false;
    qint64 editedMs = 0; //!< since 1970, UTC; 0: it is the one that the program began with
};
[[nodiscard]] LastPlan lastPlan();
//! `editedMs` is not taken: it is now where the plan is another one than the last, else it stays.
void rememberPlan(const LastPlan& plan);

} // namespace dyno
