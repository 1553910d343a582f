// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! QTRY_VERIFY and QTRY_COMPARE that wait longer than Qt's 5 s: kPatienceMs.
#pragma once

#include "support/patience_time.h"

#include <QTest>

#undef QTRY_VERIFY
#undef QTRY_VERIFY2
#undef QTRY_COMPARE
#define QTRY_VERIFY(condition) QTRY_VERIFY_WITH_TIMEOUT(condition, dyno::test::kPatienceMs)
#define QTRY_VERIFY2(condition, text) QTRY_VERIFY2_WITH_TIMEOUT(condition, text, dyno::test::kPatienceMs)
#define QTRY_COMPARE(one, other) QTRY_COMPARE_WITH_TIMEOUT(one, other, dyno::test::kPatienceMs)
