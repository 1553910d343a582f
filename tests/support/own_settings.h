// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Settings of this process alone: suites run beside each other.
#pragma once

#include <QSettings>
#include <QTemporaryDir>

namespace dyno::test {

//! Empty ones.
inline void ownSettings()
{
    static const QTemporaryDir dir;
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, dir.path());
    QSettings().clear();
}

} // namespace dyno::test
