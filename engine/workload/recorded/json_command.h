// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Commands on documents, as logs hold them.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string_view>

namespace dyno::recorded {

using JsonDocument = nlohmann::ordered_json;

//! None: it is no document, or one that is nested more deeply than a server takes.
[[nodiscard]] std::optional<JsonDocument> documentOf(std::string_view text);

} // namespace dyno::recorded
