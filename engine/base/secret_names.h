// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Which settings of servers hold secrets, by their names.
#pragma once

#include <string_view>

namespace dyno {

//! True for "report_password", "net.tls.certificateKeyFilePassword", "wsrep_sst_auth": the value must not be stored,
//! shown or sent on. Not for rules about passwords ("default_password_lifetime", "validate_password_length"). Case does
//! not matter.
[[nodiscard]] bool namesSecret(std::string_view name);

} // namespace dyno
