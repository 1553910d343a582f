// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a plan and a URI say about connections, for libpq.
#pragma once

#include "postgresql_connection.h"

namespace dyno::postgresql {

//! The connection knobs, in the order of the form.
[[nodiscard]] OptionSpecs connectionOptions();
//! The URI's query gives TLS where the knobs are empty. Errors name the knob.
[[nodiscard]] Expected<ConnectOptions> readOptions(const ConnectTarget& target);

} // namespace dyno::postgresql
