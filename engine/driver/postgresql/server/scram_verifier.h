// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What PostgreSQL keeps of a password (SCRAM-SHA-256, RFC 5803). Any thread.
#pragma once

#include <dyno/error.h>

#include <string>
#include <string_view>

namespace dyno {

//! May stand instead of `password` (ASCII) in ALTER ROLE … PASSWORD: nobody who reads it can sign in with it. Each call
//! takes other salt.
[[nodiscard]] Expected<std::string> scramVerifier(std::string_view password);

} // namespace dyno
