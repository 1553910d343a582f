// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong with a script, and where.
#pragma once

#include "workload/script/script_parser.h"

#include <QTest>

namespace dyno::test {

//! The row's columns: the "text" of a script, and how the "mistake" that stands for it begins.
inline void checkScriptMistake()
{
    QFETCH(QString, text);
    QFETCH(QString, mistake);
    const auto parsed = script::parseScripts(text.toStdString());
    QVERIFY(!parsed);
    const std::string found = script::mistakeText(parsed.error());
    QVERIFY2(found.starts_with(mistake.toStdString()), found.c_str());
}

} // namespace dyno::test
