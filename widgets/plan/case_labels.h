// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Labels of an axis' cases: made from what the cases set, unless a person wrote one. Pure functions; any thread.
#pragma once

#include <dyno/plan.h>

#include <QString>
#include <QStringList>

#include <functional>
#include <vector>

namespace dyno {

//! `wanted`, or `wanted` with the first free number.
[[nodiscard]] QString freeLabel(const QString& wanted, const std::vector<Case>& cases);
//! A label for each case from what it sets: the value alone when the cases differ in one knob, else short names, a
//! switch that is on by its name alone: "trx_commit=1, log_bin, sync_binlog=1". "" for a case that sets nothing.
[[nodiscard]] QStringList autoLabels(const Axis& axis);
//! Applies `how`; labels that nobody has written follow what their cases set now.
void changeAxis(Axis& axis, const std::function<void(Axis&)>& how);
//! Skips and published figures speak of cases by their labels: they follow each case whose label changed.
void followLabels(Plan& plan, const std::string& axis, const std::vector<Case>& before, const std::vector<Case>& after);

} // namespace dyno
