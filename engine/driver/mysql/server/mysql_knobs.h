// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What MariaDB and MySQL say of their variables. Control thread.
#pragma once

#include "server/knobs/knob_source.h"

namespace dyno {

[[nodiscard]] const KnobSource& mysqlKnobs();
//! KnobSource::readOnly() of a MariaDB.
[[nodiscard]] std::optional<bool> mariadbReadOnly(Admin& admin, std::string_view name);

} // namespace dyno
