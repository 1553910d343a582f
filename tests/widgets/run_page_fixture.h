// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The Run page over a real library, made anew for each test function.
#pragma once

#include "bridge/app_context.h"
#include "feed_sink.h"
#include "parts/card.h"
#include "run/marker_slider.h"
#include "run/pair_replay.h"
#include "run/pair_view.h"
#include "run/replay_bar.h"
#include "run/run_page.h"
#include "run/run_side.h"
#include "sample_library.h"
#include "support/own_settings.h"

#include <QInputDialog>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>

#include <cmath>

namespace dyno::test {

class RunPageTest : public QObject
{
protected:
    SampleLibrary m_library;
    std::unique_ptr<AppContext> m_context;
    std::unique_ptr<RunPage> m_page;

    template<class T>
    T* find(const char* name) const
    {
        T* child = m_page->findChild<T*>(QString::fromLatin1(name));
        if (!child)
            qFatal("no %s", name);
        return child;
    }

    void openPage()
    {
        ownSettings(); // nobody has chosen any plots
        m_context = std::make_unique<AppContext>(m_library.file());
        m_page = std::make_unique<RunPage>(*m_context);
        m_page->resize(1356, 900);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
    }
    void closePage()
    {
        m_page.reset();
        m_context.reset();
    }
};

} // namespace dyno::test
