// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A window with a library and settings of its own: what suites of the whole window derive from. GUI thread.
#pragma once

#include "bridge/app_context.h"
#include "main_window.h"
#include "support/own_settings.h"
#include "theme.h"
#include "widgets/sample_library.h"

#include <QApplication>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include <functional>
#include <memory>

namespace dyno::test {

class OwnWindow
{
protected:
    //! Once a suite.
    void ownAll()
    {
        ownHome(m_home);
        Theme::instance().apply(*qApp);
    }
    //! Once a test: settings as at the first start, and an empty library.
    void startAnew()
    {
        QSettings().clear();
        m_library = std::make_unique<SampleLibrary>();
    }
    //! Shows it; false when it did not become active. `room`: see MainWindow::setRoom().
    [[nodiscard]] bool open(const std::function<QRect()>& room = {})
    {
        m_context = std::make_unique<AppContext>(m_library->file());
        m_window = std::make_unique<MainWindow>(*m_context);
        m_window->setRoom(room);
        m_window->show();
        return QTest::qWaitForWindowActive(m_window.get());
    }
    void shut()
    {
        m_window.reset();
        m_context.reset();
    }

    QTemporaryDir m_home;
    std::unique_ptr<SampleLibrary> m_library;
    std::unique_ptr<AppContext> m_context;
    std::unique_ptr<MainWindow> m_window;
};

} // namespace dyno::test
