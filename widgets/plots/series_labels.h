// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What tells the lines of a chart apart: short names, and a place among the colours. Pure functions; any thread.
#pragma once

#include <dyno/plan.h>

#include <QString>
#include <QStringList>

namespace dyno {

//! A series name as it stands at a line's end: long ones lose their middle. The read-out and the menu show all of it.
[[nodiscard]] QString shortLabel(const QString& name);
//! The same of lines in one chart: names that differ (by more than blanks at an end) have labels that do. Those that
//! are alike at both ends show the places where they differ, a few letters of each.
[[nodiscard]] QStringList shortLabels(const QStringList& names);

//! wordsOfCase() in the reader's language: a case as it stands without its axis beside it.
[[nodiscard]] QString caseWords(const QString& axis, const QString& label);
//! The same of a label on several axes joined by " × ", whose labels are joined by ", ": "READ COMMITTED, 2
//! warehouses".
[[nodiscard]] QString casesWords(const QString& axes, const QString& labels);

//! A point as PointSpec::label(), its cases in these words.
[[nodiscard]] QString pointWords(const PointSpec& point);

//! The place of a line among the colours of a chart: a colour a series, and for each facet another dash (or shape of
//! dots). Where there are more of them than looks, `next` instead: one look after the other.
struct LinePlace
{
    int series = 0, seriesCount = 1, facet = 0, facetCount = 1;
};
[[nodiscard]] int lineColor(const LinePlace& place, int next);

} // namespace dyno
