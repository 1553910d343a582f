// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! "Did you mean …?" for names that a person typed.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dyno {

//! Number of characters to insert, delete or replace to get from `a` to `b` (Levenshtein); case and the difference
//! between - and _ do not count.
[[nodiscard]] std::size_t editDistance(std::string_view a, std::string_view b);
//! The candidate nearest to `name`; "" when none is near enough to be meant (more than a third of it differs).
[[nodiscard]] std::string nearestName(std::string_view name, std::span<const std::string> candidates);

} // namespace dyno
