// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Long suites have a short form, which proves the point, and a long one.
#pragma once

#include "config.h"

#include <QtGlobal>

namespace dyno::test {

//! True with DYNO_TEST_LONG=1, as tests/campaign sets it.
[[nodiscard]] inline bool longForm()
{
    return qEnvironmentVariableIntValue("DYNO_TEST_LONG") != 0;
}

//! One of so many inputs of the same kind is tried. All of them, but in a build with a sanitizer, where each takes ten
//! times as long: what is right is shown by the other builds, and whether memory is used well by every fourth. The long
//! form tries all there too.
[[nodiscard]] inline int everyOf()
{
    return DYNO_SANITIZED && !longForm() ? 4 : 1;
}

} // namespace dyno::test
