// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

namespace dyno::import {

//! Writes '*' over what stands after "password", "pass" or "pwd" in `text` (options, properties, JSON, URIs): tools
//! print such things, and what is imported is shown and sent on. The length stays.
void hideSecrets(char* text, std::size_t size);

} // namespace dyno::import
