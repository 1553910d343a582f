// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! For how long tests wait for what must come: a machine of CI may have busy cores and a slow disk.
#pragma once

namespace dyno::test {

constexpr int kPatienceMs = 30'000;

} // namespace dyno::test
