// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Where values stand in a picture, for pages that show them under the mouse. GUI thread.
#pragma once

#include <dyno/export.h>

#include <QPointF>

#include <vector>

namespace dyno {

class PlotCard;

//! Of what is seen now: bars, single values, or of many values strips that tell those of all series. `origin`: of the
//! plot in the picture.
[[nodiscard]] std::vector<PictureSpot> spotsOf(const PlotCard& card, const QPointF& origin);

} // namespace dyno
