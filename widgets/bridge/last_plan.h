// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The plan that the Plan page had last, kept between two starts of the program. GUI thread.
#pragma once

#include <QString>

namespace dyno {

struct Plan;

//! The keys in QSettings: the plan as TOML, its file, the recipe it came from, whether it has changes that are in no
//! file, when it became another one and whether by a change, and whether a session of it was started since.
inline constexpr const char* kLastPlanKey = "plan/last";
inline constexpr const char* kLastPlanFileKey = "plan/lastFile";
inline constexpr const char* kLastPlanSourceKey = "plan/lastSource";
inline constexpr const char* kLastPlanModifiedKey = "plan/lastModified";
inline constexpr const char* kLastPlanEditedKey = "plan/lastEdited";
inline constexpr const char* kLastPlanChangedKey = "plan/lastChanged";
inline constexpr const char* kLastPlanRanKey = "plan/lastRan";

struct LastPlan
{
    QString toml;         //!< "" before the first start
    QString file, source; //!< "" for none
    bool modified = false;
    qint64 editedMs = 0;  //!< since 1970, UTC; 0: it is the one that the program began with
    bool ran = false;     //!< a session of it, as it is now, was started
    bool changed = false; //!< since it was opened or made, also where a file has the changes
};
[[nodiscard]] LastPlan lastPlan();
//! LastPlan::toml of a plan. Settings are written often: where the plan is saved (`file`, not modified), content of
//! more than 64 KiB is left to that file.
[[nodiscard]] QString lastPlanText(const Plan& plan, const QString& file, bool modified);
//! The last plan is this one, wherever the content of its files is kept.
[[nodiscard]] bool isLastPlan(const LastPlan& last, const Plan& plan);
//! `editedMs`, `ran` and `changed` are not taken. Where the plan is another one than the last they are now, false, and
//! whether it is modified; else they stay, but what is modified is changed.
void rememberPlan(const LastPlan& plan);
void storePlan(const LastPlan& plan); //!< as it is
//! A session of this plan was started: marks the last plan when it is this one.
void noteStarted(const Plan& plan);

} // namespace dyno
