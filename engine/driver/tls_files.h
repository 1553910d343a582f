// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The files that a TLS connection needs, for drivers.
#pragma once

#include "driver/driver.h"

namespace dyno {

//! The PEM file that this connection knob, else the URI's query, names; "" when none is named. An error when it cannot
//! be read or is not PEM.
[[nodiscard]] Expected<std::string> pemFile(const ConnectTarget& target, std::string_view name);

//! Where a system keeps the authorities that it trusts; one of the two.
struct Authorities
{
    std::string file, folder;
};
//! verify without a CA means these. A folder of hashed names costs one look-up a connection; the bundle, which the
//! library would load, 23 ms and 0.9 MB (measured with Connector/C 3.3.20, 140 authorities). An error when there is no
//! list. `mayBeFolder`: the library takes a folder too.
[[nodiscard]] Expected<Authorities> systemAuthorities(const ConnectTarget& target, bool mayBeFolder = true);

} // namespace dyno
