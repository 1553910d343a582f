// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Declaring what may stand in a URI's query, for drivers.
#pragma once

#include <dyno/uri_form.h>

#include <utility>

namespace dyno {

//! One that forms show among their advanced fields.
[[nodiscard]] inline UriOption advancedOption(OptionSpec spec)
{
    spec.group = "advanced";
    return {.spec = std::move(spec)};
}

} // namespace dyno
