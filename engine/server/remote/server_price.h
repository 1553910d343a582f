// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a known server's machine costs, as files have it: an entry of servers.toml, or the file "price" in the folder
//! of a named instance. Three lines of TOML, each optional: cost_per_hour, watts, currency.
#pragma once

#include <dyno/plan.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <toml++/toml.h>

namespace dyno {

//! A text in quotes, as TOML wants it.
[[nodiscard]] std::string tomlText(std::string_view text);

[[nodiscard]] bool isPriceKey(std::string_view key);
[[nodiscard]] std::string priceText(const Price& price); //!< its lines; what is not said is not there
//! Of a table that may hold more. What is wrong is added to `faults`, named `where`.cost_per_hour and so on.
[[nodiscard]] Price readPrice(const toml::table& table, const std::string& where, Faults& faults);
//! By the rules of a plan's target.
[[nodiscard]] Expected<void> checkPrice(const Price& price);
//! What `price` does not say from `other`.
[[nodiscard]] Price withKnown(Price price, const Price& other);

//! Of the instance in this folder; Price() when it has none, or a file that is not right.
[[nodiscard]] Price readInstancePrice(const std::filesystem::path& folder);
[[nodiscard]] Expected<void> writeInstancePrice(const std::filesystem::path& folder, const Price& price);

} // namespace dyno
