// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What in a plan speaks of its axes and cases by name (skips, views, published figures), and stays right when they go.
//! Pure; any thread: the Plan page calls it on the window's.
#pragma once

#include "plan.h"

#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! The axis whose figures the values of `published` are percent of: it has the case Published::relativeTo, and each
//! value names it. "" when there is none.
[[nodiscard]] std::string relativeAxisOf(const Plan& plan, const Published& published);
//! Drops what names a case, or a number of users, that `before` had and `plan` has no more: skips; baselines of views;
//! published figures, but those of other numbers of users; all of a [[published]] that is percent of such a case or has
//! nothing left; and what a size changes or keeps of such cases. What named no case before stays, for checkPlan() to
//! tell of.
void forgetLostCases(Plan& plan, const Plan& before);
//! Makes what speaks of an axis, or of one of its cases (`label` not empty), follow it to another name: skips, views,
//! published figures, and what sizes change or keep.
void renameInRefs(Plan& plan, const std::string& axis, const std::string& label, const std::string& next);
//! Makes what speaks of a phase ("phase") or a group of users ("group") by its name follow it to the one that it has in
//! the plan now: settings of the plan, its cases and sizes, measures of views and published figures, and what phases
//! say of a group. Does nothing where another phase or group has one of the names: it may be meant.
void renameLoadPart(Plan& plan, std::string_view kind, const std::string& name, const std::string& next);
//! A case for people, where its axis does not stand beside it: a label that is a bare value says nothing by itself and
//! gets its axis ("flush=1", "log_bin=true", "2 warehouses", "4 users"); any other stands as it was written. For
//! display only: stored sessions, JSON and CSV name cases by their labels.
[[nodiscard]] std::string wordsOfCase(const CaseRef& one);
//! View::verdictAt: "users = 16; pool = IO-bound" → the cases; what is written otherwise is left out.
[[nodiscard]] std::vector<CaseRef> casesIn(std::string_view text);
//! Takes an axis that goes out of a view; x falls back to the users.
void leaveAxisOut(View& view, const std::string& axis);
//! Knobs ("connection.synchronous", each once, in alphabetic order) that no target which they meet has, because they
//! belong to another driver. For checkPlan() each is a fault.
[[nodiscard]] std::vector<std::string> knobsOfOtherDrivers(const Plan& plan);
//! One of them that the plan's target has under another name.
struct KnobEquivalent
{
    std::string from, to; //!< "connection.synchronous", "server.innodb_flush_log_at_trx_commit"
};
//! Those of knobsOfOtherDrivers() of which at least one value of the plan has an equivalent, by the catalogue's
//! meanings.
[[nodiscard]] std::vector<KnobEquivalent> knobsToCarryOver(const Plan& plan);
//! Replaces knobs of other drivers by their equivalents where the value has one, and removes the others: in [set], in
//! sizes and in cases. Cases of which nothing stayed are named after what they set now; of cases that set the same by
//! then, or nothing, one stays. An axis of nothing else goes, with what speaks of it.
void replaceKnobsOfOtherDrivers(Plan& plan);

} // namespace dyno
