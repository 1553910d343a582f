// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Settings of this process alone: suites run beside each other.
#pragma once

#include <QSettings>
#include <QTemporaryDir>

namespace dyno::test {

//! In that folder.
inline void settingsIn(const QTemporaryDir& dir)
{
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, dir.path());
}

//! Empty ones.
inline void ownSettings()
{
    static const QTemporaryDir dir;
    settingsIn(dir);
    QSettings().clear();
}

//! Settings and the data folder of a person who starts Dynobench for the first time.
inline void ownHome(const QTemporaryDir& dir)
{
    settingsIn(dir);
    qputenv("XDG_DATA_HOME", dir.path().toLocal8Bit());
}

} // namespace dyno::test
