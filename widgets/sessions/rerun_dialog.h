// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! "Run again exactly": says first what of a stored session cannot be the same. GUI thread, but for rerunHere().
#pragma once

#include <dyno/library.h>
#include <dyno/rerun.h>

class QWidget;

namespace dyno {

class AppContext;

//! What this program on this machine makes of a stored session. Any thread.
[[nodiscard]] Expected<Rerun> rerunHere(const StoredSession& session);

//! Starts the plan once more; asks first, in a dialog over `parent`, when something of it cannot be reproduced.
void offerRerun(AppContext& context, const Rerun& again, QWidget* parent);

} // namespace dyno
