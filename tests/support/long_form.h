// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Long suites have a short form, which proves the point, and a long one.
#pragma once

#include <QtGlobal>

namespace dyno::test {

//! True with DYNO_TEST_LONG=1, as tests/campaign sets it.
[[nodiscard]] inline bool longForm()
{
    return qEnvironmentVariableIntValue("DYNO_TEST_LONG") != 0;
}

} // namespace dyno::test
