// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a session found, small enough for a card or a row: its verdict and its first chart. Reads the library: for a
//! job, never on the GUI thread.
#pragma once

#include "plots/chart_preview.h"

#include <dyno/library.h>
#include <dyno/report.h>

#include <QString>

namespace dyno {

struct SessionDigest
{
    QString verdict; //!< as on the Compare page, "" as long as no run is complete
    QString measure; //!< what the chart is of: "transactions/s by users"
    ChartPreview chart;
    bool operator==(const SessionDigest&) const = default;
};

//! Of the plan's first view, as the Compare page opens. The error is the library's.
[[nodiscard]] Expected<SessionDigest> digestOf(Library& library, StoredSession session);

//! What a preview is of: "transactions/s over time" of a course, "transactions/s by users", "transactions/s" where
//! there is one place only (`by` empty).
[[nodiscard]] QString previewMeasure(const MeasureInfo& measure, ChartSketch sketch, const QString& by);

//! The verdict for a narrow place, as rich text: the factor in bold, without "one of 6 comparisons" at its end.
[[nodiscard]] QString verdictHtml(const QString& verdict);

} // namespace dyno
