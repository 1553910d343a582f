// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The Compare page over a real library, for its tests.
#pragma once

#include "bridge/app_context.h"
#include "compare/compare_page.h"
#include "compare/facts_card.h"
#include "compare/ratio_table.h"
#include "compare/verdict_card.h"
#include "parts/choice_pill.h"
#include "plots/pivot_plot.h"
#include "plots/pivot_table_model.h"
#include "plots/scaling_plot.h"
#include "plots/strip_plot.h"
#include "plots/time_overlay_plot.h"
#include "support/own_settings.h"
#include "support/patience.h"
#include "theme.h"
#include "widgets/sample_library.h"

#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTableView>

namespace dyno::test {

struct ComparePageFixture
{
    SampleLibrary library;
    AppContext context{library.file()};
    std::unique_ptr<ComparePage> page;
    QString message, replayed;

    ComparePageFixture()
    {
        ownSettings();
        QObject::connect(&context, &AppContext::messageRequested,
                         [this](const QString& text, const QString&, const auto&) { message = text; });
        QObject::connect(&context, &AppContext::replayRequested, [this](const QString& id) { replayed = id; });
    }
    void show(const QStringList& ids, QSize size = {1196, 720})
    {
        page = std::make_unique<ComparePage>(context);
        page->resize(size);
        page->show();
        QVERIFY(QTest::qWaitForWindowExposed(page.get()));
        if (!ids.isEmpty())
            context.compareSessions(ids);
        else
            page->activated();
        wait();
    }
    void wait() { QTRY_VERIFY(!page->busy()); }
    template<class T>
    T* find(const char* name) const
    {
        T* found = page->findChild<T*>(QString::fromLatin1(name));
        if (!found)
            qFatal("no %s on the page", name);
        return found;
    }
    VerdictCard* verdict() const { return find<VerdictCard>("verdictCard"); }
    QTableView* table() const { return find<QTableView>("ratioTable"); }
    PivotPlot* plot() const { return find<PivotPlot>("pivotPlot"); }
    void click(const char* button) { QTest::mouseClick(find<QAbstractButton>(button), Qt::LeftButton); }
    //! Opens a pill's menu, or that of its entry behind "More", and clicks the entry that shows `label`.
    void choose(const char* pill, const QString& label)
    {
        auto* menu = find<QMenu>((QByteArray(pill) + "Menu").constData());
        QVERIFY2(find<ChoicePill>(pill)->isOffered(), pill);
        if (find<ChoicePill>(pill)->isVisible()) {
            click(pill);
        } else {
            click("morePill");
            auto* more = find<QMenu>("morePillMenu");
            QVERIFY(more->isVisible());
            more->setActiveAction(menu->menuAction());
        }
        QTRY_VERIFY2(menu->isVisible(), pill);
        for (QAction* action : menu->actions()) {
            if (action->text() == label) {
                QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
                wait();
                return;
            }
        }
        QStringList offered;
        for (const QAction* action : menu->actions())
            offered += action->text();
        QFAIL(qPrintable(QStringLiteral("no entry %1 of %2, only %3")
                             .arg(label, QString::fromLatin1(pill), offered.join(QStringLiteral(", ")))));
    }
    QString addLines()
    {
        sample::Options options;
        options.plan = linesPlan();
        options.intervals = 6;
        return library.add(options, "Scaling");
    }
};

} // namespace dyno::test
