// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The charts that a view asks for, without a window: for pictures of a stored session. GUI thread.
#pragma once

#include "plots/plot_card.h"

#include <dyno/report.h>

#include <memory>
#include <vector>

namespace dyno {

struct ViewCharts
{
    std::vector<PlotCard*> cards; //!< in the order they are shown; belong to `owned`
    std::vector<std::unique_ptr<QWidget>> owned;
};
//! Reads what the view needs from the library that holds the session. Charts of the runs themselves show the first
//! repeat of each case at the most users. Charts of a view with a name bear it. None when the session has nothing to
//! draw for it.
[[nodiscard]] Expected<ViewCharts> viewChartsOf(const View& view, const StoredSession& session, Library& library);
//! The views of the session's plan, and those that a person kept with it; one of throughput when there are none.
[[nodiscard]] Expected<std::vector<View>> viewsOf(const StoredSession& session, Library& library);

} // namespace dyno
