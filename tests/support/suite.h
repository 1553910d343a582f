// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The entry of a test suite. One program runs all suites of a folder, each in a process of its own:
//! `tests_engine tst_uri [arguments of Qt Test]`. The suite's name is that of its file, and tests/*/CMakeLists.txt
//! lists it.
#pragma once

#include <QTest>

#ifdef QT_WIDGETS_LIB
#include <QApplication>
#else
#include <QCoreApplication>
#endif

namespace dyno::test {

//! Runs the suite of class `Test` under an application object of that class.
template<class Application, class Test>
int runSuite(int argc, char** argv)
{
    Application application(argc, argv);
    Test test;
    return QTest::qExec(&test, argc, argv);
}

} // namespace dyno::test

#define DYNO_SUITE_OF(name, Application, Test)                                                                         \
    int name(int argc, char** argv)                                                                                    \
    {                                                                                                                  \
        return dyno::test::runSuite<Application, Test>(argc, argv);                                                    \
    }

//! A suite without a window.
#define DYNO_SUITE(name, Test) DYNO_SUITE_OF(name, QCoreApplication, Test)
//! A suite with widgets.
#define DYNO_WIDGET_SUITE(name, Test) DYNO_SUITE_OF(name, QApplication, Test)
