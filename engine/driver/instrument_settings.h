// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a level of load.instruments means on one server.
#pragma once

#include <dyno/instruments.h>
#include <dyno/value.h>

#include <string>

namespace dyno {

//! A server's instruments as settings, so that they are written down, changed, read back and put back as its variables
//! are.
struct InstrumentSettings
{
    Settings wanted;  //!< by names that Admin::variable() and setVariable() know
    std::string what; //!< what of it is not so yet, for people: "performance_schema: 214 instruments"; "": nothing
};

} // namespace dyno
