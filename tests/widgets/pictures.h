// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Pictures of what a test shows, for somebody who wants to look: DYNO_TEST_PICTURES=FOLDER keeps them.
#pragma once

#include "theme.h"

#include <QString>
#include <QTest>
#include <QWidget>

namespace dyno::test {

//! FOLDER/NAME-light.png and FOLDER/NAME-dark.png; nothing without the variable.
inline void keepPictures(QWidget& page, const QString& name)
{
    const QString folder = qEnvironmentVariable("DYNO_TEST_PICTURES");
    if (folder.isEmpty())
        return;
    for (const bool dark : {false, true}) {
        Theme::instance().setChoice(dark ? Theme::Choice::Dark : Theme::Choice::Light);
        QTest::qWait(50);
        QVERIFY(page.grab().save(QStringLiteral("%1/%2-%3.png").arg(folder, name, dark ? "dark" : "light")));
    }
    Theme::instance().setChoice(Theme::Choice::Light);
}

} // namespace dyno::test
