// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Data files that are compiled in: knob catalogues, recipes, the list of published experiments, the
//! manual.
#pragma once

#include <span>
#include <string_view>

namespace dyno {

struct EmbeddedFile
{
    std::string_view path; //!< "recipes/durability-sqlite.toml"
    std::string_view text;
};
//! Sorted by path.
[[nodiscard]] std::span<const EmbeddedFile> embeddedFiles();

} // namespace dyno
