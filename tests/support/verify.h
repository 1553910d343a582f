// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Checks that say why where they fail.
#pragma once

#include <QTest>

#include <string>

//! Of an Expected: that it holds a value, else its error's text.
#define VERIFY_OK(expected)                                                                                            \
    do {                                                                                                               \
        const auto& checked = (expected);                                                                              \
        QVERIFY2(checked, checked ? "" : checked.error().text().c_str());                                              \
    } while (false)
//! An error whose text holds `part`.
#define VERIFY_SAYS(expected, part)                                                                                    \
    do {                                                                                                               \
        const auto& checked = (expected);                                                                              \
        QVERIFY(!checked);                                                                                             \
        const std::string said = checked.error().text();                                                               \
        QVERIFY2(said.find(part) != std::string::npos, said.c_str());                                                  \
    } while (false)
//! Of a Reply: that the session did it, else what the session says.
#define VERIFY_REPLY(reply, session)                                                                                   \
    QVERIFY2((reply).outcome == dyno::Outcome::Ok, qPrintable(QString::fromStdString((session).lastError())))
