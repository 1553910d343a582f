// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The words of View::chart for the Compare page's charts, and what to call them.
#pragma once

#include "pages/compare_page.h"

namespace dyno {

enum ChartPage { PivotPage, TimePage, CardPage, NoDataPage }; //!< of the Compare page's stack of charts

[[nodiscard]] ComparePage::ChartKind chartKindOf(const std::string& chart); //!< Lines for an unknown word
[[nodiscard]] std::string chartText(ComparePage::ChartKind kind);           //!< "lines", "heat"
[[nodiscard]] const std::vector<ComparePage::ChartKind>& chartKinds();      //!< in the order of the menu
[[nodiscard]] QString chartName(ComparePage::ChartKind kind);               //!< translated

//! publishedAt(), and where there is one x only also what was published as percent without a word about x.
[[nodiscard]] std::optional<double> publishedOf(const Pivot& pivot, const Published& published, const PivotCell& cell);

} // namespace dyno
