// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Finds a text by a few of its letters. Pure; any thread.
#pragma once

#include <QString>

namespace dyno {

//! How well `text` answers to `pattern`: 0 not at all, more is better. Each word of the pattern must be there: at the
//! beginning, at a word's beginning, inside a word, or letter by letter in this order with others between. Neither the
//! case nor the order of the words counts. An empty pattern fits everything.
[[nodiscard]] int fuzzyScore(const QString& pattern, const QString& text);

} // namespace dyno
