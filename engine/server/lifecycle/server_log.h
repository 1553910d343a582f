// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Reads a server's error log: what it wrote since then, and why it ended. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace dyno {

class ServerRecipe;

[[nodiscard]] std::uint64_t sizeOfLog(const std::filesystem::path& log);
//! What was written behind `size`; of more than 256 KiB the first and the last half of that.
[[nodiscard]] std::string logFrom(const std::filesystem::path& log, std::uint64_t size);

//! "WHAT: the server's own error; its log ends with: …".
[[nodiscard]] std::string explainEnd(const ServerRecipe& recipe, const std::string& what, const std::string& log);
//! What to do about it.
[[nodiscard]] std::string remedyForEnd(std::string_view log);
//! True when it could not listen because somebody else does.
[[nodiscard]] bool saysPortTaken(std::string_view log);

} // namespace dyno
