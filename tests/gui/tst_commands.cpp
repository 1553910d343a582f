// SPDX-License-Identifier: GPL-3.0-or-later
// The command palette and the list of shortcuts, by the keyboard alone.
#include "bridge/run_bridge.h"
#include "compare/compare_page.h"
#include "desktop/command_palette.h"
#include "desktop/fuzzy.h"
#include "desktop/shortcuts_dialog.h"
#include "manual/manual_window.h"
#include "own_window.h"
#include "parts/commands.h"
#include "parts/page.h"
#include "plan/plan_page.h"
#include "support/patience.h"
#include "support/suite.h"
#include "widgets/pictures.h"

#include <dyno/catalog.h>

#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QSet>
#include <QSettings>
#include <QShortcut>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

namespace dyno::tst_commands {
using namespace Qt::StringLiterals;

class TestCommands : public QObject, protected test::OwnWindow
{
    Q_OBJECT
    QString m_session;

    [[nodiscard]] CommandPalette* palette() const { return m_window->findChild<CommandPalette*>(); }
    [[nodiscard]] QLineEdit* line() const { return palette()->findChild<QLineEdit*>(u"paletteSearch"_s); }
    [[nodiscard]] QListView* list() const { return palette()->findChild<QListView*>(u"paletteList"_s); }
    [[nodiscard]] QStringList found() const
    {
        QStringList texts;
        for (int row = 0; row < list()->model()->rowCount(); ++row)
            texts << list()->model()->index(row, 0).data().toString();
        return texts;
    }
    [[nodiscard]] bool closed() const
    {
        return QTest::qWaitFor([this] { return !palette(); }, test::kPatienceMs);
    }
    [[nodiscard]] bool openPalette(QWidget* from = nullptr) const
    {
        QTest::keyClick(from ? from : m_window.get(), Qt::Key_K, Qt::ControlModifier);
        return palette() && palette()->isVisible() &&
               QTest::qWaitFor([this] { return !palette()->loading(); }, test::kPatienceMs);
    }
    //! Types, and does the first thing that is found.
    [[nodiscard]] bool doIt(const QString& typed) const
    {
        if (!openPalette())
            return false;
        QTest::keyClicks(line(), typed);
        QTest::keyClick(line(), Qt::Key_Return);
        return closed();
    }
    [[nodiscard]] QString current() const { return m_window->currentPage()->objectName(); }

private slots:
    void initTestCase() { ownAll(); }
    void init()
    {
        startAnew();
        m_session = m_library->addShort("Nightly on the old disk");
        QVERIFY(open());
    }
    void cleanup() { shut(); }

    void lettersFindTexts_data()
    {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("better");
        QTest::addColumn<QString>("worse"); // "" = must not be found
        QTest::newRow("the beginning") << u"ser"_s << u"Servers"_s << u"Add a server"_s;
        QTest::newRow("a word's beginning") << u"ser"_s << u"Add a server"_s << u"Insert rows"_s;
        QTest::newRow("inside a word") << u"ser"_s << u"Insert rows"_s << u"Skip every run"_s;
        QTest::newRow("the shorter one") << u"save"_s << u"Save the plan"_s << u"Save the plan as another file"_s;
        QTest::newRow("initials") << u"sp"_s << u"Skip point"_s << u"Results"_s;
        QTest::newRow("words in any order") << u"plan new"_s << u"New plan"_s << u"New server"_s;
        QTest::newRow("all words") << u"new plan"_s << u"New plan"_s << u""_s;
        QTest::newRow("case") << u"SESS"_s << u"Sessions"_s << u""_s;
    }
    void lettersFindTexts()
    {
        QFETCH(QString, pattern);
        QFETCH(QString, better);
        QFETCH(QString, worse);
        QVERIFY(fuzzyScore(pattern, better) > 0);
        QVERIFY2(fuzzyScore(pattern, better) > fuzzyScore(pattern, worse), qPrintable(better));
        QCOMPARE(fuzzyScore(u"xqz"_s, better), 0);
        QVERIFY(fuzzyScore(QString(), better) > 0);
    }
    void pagesAndCommands()
    {
        QVERIFY(doIt(u"sessions"_s));
        QCOMPARE(current(), u"sessionsPage"_s);
        // A command of a page that is not shown: first the page.
        auto* plan = qobject_cast<PlanPage*>(m_window->page(u"planPage"_s));
        QVERIFY(plan->editor().plan().title != "New plan");
        QVERIFY(doIt(u"new plan"_s));
        QCOMPARE(current(), u"planPage"_s);
        QTRY_VERIFY(plan->editor().plan().title == "New plan");
    }
    //! Ctrl+K means something to a line of text too: cut to its end.
    void opensFromALineOfText()
    {
        m_window->showPage(u"planPage"_s);
        auto* title = m_window->page(u"planPage"_s)->findChild<QLineEdit*>(u"planTitle"_s);
        QVERIFY(title);
        title->setFocus();
        const QString before = title->text();
        title->home(false);
        QVERIFY(openPalette(title));
        QCOMPARE(title->text(), before);
        QTest::keyClick(line(), Qt::Key_Escape);
        QVERIFY(closed());
        QCOMPARE(current(), u"planPage"_s);
    }
    void recipesSessionsAndTheManual()
    {
        QVERIFY(doIt(u"old disk"_s));
        QCOMPARE(current(), u"comparePage"_s);
        auto* compare = qobject_cast<ComparePage*>(m_window->currentPage());
        QTRY_COMPARE(compare->sessionIds(), QStringList{m_session});
        const RecipeInfo recipe = recipes().back();
        QVERIFY(doIt(QString::fromStdString(recipe.title)));
        QCOMPARE(current(), u"planPage"_s);
        auto* plan = qobject_cast<PlanPage*>(m_window->currentPage());
        QTRY_VERIFY(plan->editor().plan().title == recipe.title);
        QVERIFY(doIt(u"manual exit codes"_s));
        QVERIFY(m_window->manual() && m_window->manual()->isVisible());
        QCOMPARE(m_window->manual()->page(), u"exit-codes"_s);
    }
    void arrowsChooseAndNothingIsSaid()
    {
        QVERIFY(openPalette());
        const QAbstractItemModelTester tester(list()->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(list()->currentIndex().row(), 0);
        test::keepPictures(*palette(), u"palette"_s);
        QTest::keyClick(line(), Qt::Key_Down);
        QTest::keyClick(line(), Qt::Key_Down);
        QTest::keyClick(line(), Qt::Key_Up);
        QCOMPARE(list()->currentIndex().row(), 1);
        QTest::keyClick(line(), Qt::Key_Up);
        QTest::keyClick(line(), Qt::Key_Up);
        QCOMPARE(list()->currentIndex().row(), 0);
        QTest::keyClicks(line(), u"xqzw"_s);
        QVERIFY(found().isEmpty());
        QVERIFY(palette()->findChild<QWidget*>(u"paletteNothing"_s)->isVisible());
        QTest::keyClick(line(), Qt::Key_Return); // does nothing
        QVERIFY(palette()->isVisible());
        line()->clear();
        QVERIFY(!found().isEmpty() && list()->isVisible());
    }
    //! Recipes and sessions come while one chooses.
    void whatIsChosenStaysWhenMoreComes()
    {
        QTest::keyClick(m_window.get(), Qt::Key_K, Qt::ControlModifier);
        QVERIFY(palette());
        QTest::keyClick(line(), Qt::Key_Down);
        const QString chosen = list()->currentIndex().data().toString();
        QTRY_VERIFY(!palette()->loading());
        QCOMPARE(list()->currentIndex().data().toString(), chosen);
        QCOMPARE(list()->currentIndex().row(), 1);
        QTest::keyClicks(line(), u"s"_s);
        QCOMPARE(list()->currentIndex().row(), 0);
    }
    //! What cannot be done now is not offered.
    void onlyWhatCanBeDone()
    {
        QVERIFY(openPalette());
        QTest::keyClicks(line(), u"skip point"_s); // nothing runs
        QVERIFY2(!found().contains(u"Skip point"_s), qPrintable(found().join(u'|')));
        line()->clear();
        QVERIFY(found().contains(u"Full screen"_s));
    }
    void everyKeyIsInTheListOfShortcuts()
    {
        QTest::keyClick(m_window.get(), Qt::Key_F1, Qt::ShiftModifier);
        auto* dialog = m_window->findChild<ShortcutsDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        auto* table = dialog->findChild<QTableWidget*>(u"shortcutsTable"_s);
        QStringList groups; // in the rail's order
        QSet<QString> listed;
        for (int row = 0; row < table->rowCount(); ++row) {
            if (!table->item(row, 1)) {
                groups << table->item(row, 0)->text();
                continue;
            }
            for (const QString& keys : table->item(row, 1)->text().split(u" or "_s))
                listed << groups.value(groups.size() - 1) + u'|' + keys;
        }
        QVERIFY(listed.size() > 25);
        QCOMPARE(groups, (QStringList{u"Everywhere"_s, u"Start"_s, u"Plan"_s, u"Run"_s, u"Sessions"_s, u"Compare"_s,
                                      u"Servers"_s}));
        // Keys that are no command's: Escape goes back, and menus that are made when they open.
        for (const QShortcut* shortcut : m_window->findChildren<QShortcut*>())
            QCOMPARE(shortcut->key(), QKeySequence(Qt::Key_Escape));
        for (const QAbstractButton* button : m_window->findChildren<QAbstractButton*>())
            QVERIFY2(button->shortcut().isEmpty(), qPrintable(button->objectName()));
        for (const QAction* action : m_window->findChildren<QAction*>()) {
            if (action->shortcut().isEmpty() || qobject_cast<QMenu*>(action->parent()) ||
                qobject_cast<QLineEdit*>(action->parent()))
                continue;
            QString group = groups.first();
            for (const QObject* at = action->parent(); at; at = at->parent()) {
                if (const auto* page = qobject_cast<const Page*>(at)) {
                    group = page->title();
                    break;
                }
            }
            const QString keys = action->shortcut().toString(QKeySequence::NativeText).replace(u"Enter"_s, u"Return"_s);
            QVERIFY2(listed.contains(group + u'|' + keys), qPrintable(group + u": "_s + action->text() + u' ' + keys));
        }
        test::keepPictures(*dialog, u"shortcuts"_s);
        QTest::keyClick(dialog, Qt::Key_Escape);
        QTRY_VERIFY(!m_window->findChild<ShortcutsDialog*>());
    }
    void commandsHaveNamesOfTheirOwn()
    {
        QStringList names;
        for (const Command& one : commandsOf(*m_window)) {
            QVERIFY2(!one.text.isEmpty(), qPrintable(one.action->objectName()));
            QVERIFY2(!one.action->objectName().isEmpty(), qPrintable(one.text));
            names << one.text + u'|' + (one.page ? one.page->objectName() : QString());
        }
        QVERIFY(names.size() > 40);
        QCOMPARE(names.removeDuplicates(), 0);
    }
};

} // namespace dyno::tst_commands

DYNO_WIDGET_SUITE(tst_commands, dyno::tst_commands::TestCommands)
#include "tst_commands.moc"
