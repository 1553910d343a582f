// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Tests that change one place of a sound plan and look for the fault that this makes.
#pragma once

#include <dyno/plan.h>

#include <QTest>

#include <algorithm>

namespace dyno::test {

//! A line for each fault.
inline QString told(const Faults& faults)
{
    QString text;
    for (const Fault& fault : faults)
        text += QString("%1:%2 %3: %4 (%5)\n")
                    .arg(fault.line)
                    .arg(fault.column)
                    .arg(fault.where.c_str(), fault.what.c_str(), fault.remedy.c_str());
    return text;
}

//! `from` replaced by `to` makes a fault in `line`, at `where`, that says `says`.
inline void addFaultColumns()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("where");
    QTest::addColumn<QString>("says");
}

inline void addFault(const char* name, const char* from, const char* to, int line, const char* where, const char* says)
{
    QTest::newRow(name) << from << to << line << where << says;
}

//! Checks the current row with the plan `sound`; `alone`: it makes no other fault.
inline void checkFault(const QString& sound, bool alone)
{
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(int, line);
    QFETCH(QString, where);
    QFETCH(QString, says);
    QVERIFY(sound.contains(from));
    QString text = sound;
    text.replace(sound.indexOf(from), from.size(), to);
    const ParsedPlan result = parsePlan(text.toStdString(), "bad.toml");
    const QString all = told(result.faults);
    QVERIFY(!result.plan);
    QVERIFY2(!alone || result.faults.size() == 1, qPrintable(all));
    const auto found = std::ranges::find(result.faults, where.toStdString(), &Fault::where);
    QVERIFY2(found != result.faults.end(), qPrintable(all));
    QVERIFY2(found->line == line, qPrintable(all));
    QVERIFY2(QString::fromStdString(found->what + " " + found->remedy).contains(says), qPrintable(all));
    QVERIFY2(!found->remedy.empty(), qPrintable(all));
}

} // namespace dyno::test
