// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! QTRY_VERIFY and QTRY_COMPARE that wait longer than Qt's 5 s: a machine of CI may have busy cores and a slow disk.
#pragma once

#include <QTest>

namespace dyno::test {

constexpr int kPatienceMs = 30'000;

} // namespace dyno::test

#undef QTRY_VERIFY
#undef QTRY_VERIFY2
#undef QTRY_COMPARE
#define QTRY_VERIFY(condition) QTRY_VERIFY_WITH_TIMEOUT(condition, dyno::test::kPatienceMs)
#define QTRY_VERIFY2(condition, text) QTRY_VERIFY2_WITH_TIMEOUT(condition, text, dyno::test::kPatienceMs)
#define QTRY_COMPARE(one, other) QTRY_COMPARE_WITH_TIMEOUT(one, other, dyno::test::kPatienceMs)
