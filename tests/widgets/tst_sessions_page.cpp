// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/app_context.h"
#include "bridge/run_bridge.h"
#include "plan_page_fixture.h"
#include "sessions/library_menu.h"
#include "sessions/session_digests.h"
#include "sessions/session_model.h"
#include "sessions/sessions_page.h"
#include "store/library/database.h"
#include "support/own_settings.h"
#include "support/patience.h"
#include "support/suite.h"
#include "theme.h"
#include "widgets/sample_library.h"

#include <QAction>
#include <QCheckBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTableView>

namespace dyno::tst_sessions_page {

namespace {

StoredSession lastOf(Library& library)
{
    return library.session(library.resolveId("last").value()).value();
}

//! A page on the screen over a real library, and what it asks of the others.
struct Fixture
{
    test::SampleLibrary library;
    AppContext context{library.file()};
    std::unique_ptr<SessionsPage> page;
    QStringList compared;
    QString replayed, message;
    std::function<void()> undo;
    std::optional<Plan> edited;

    Fixture()
    {
        QObject::connect(&context, &AppContext::compareRequested, [this](const QStringList& ids) { compared = ids; });
        QObject::connect(&context, &AppContext::replayRequested, [this](const QString& id) { replayed = id; });
        QObject::connect(&context, &AppContext::planEditRequested, [this](const Plan& plan) { edited = plan; });
        QObject::connect(&context, &AppContext::messageRequested,
                         [this](const QString& text, const QString&, std::function<void()> action) {
                             message = text;
                             undo = std::move(action);
                         });
    }
    void show()
    {
        page = std::make_unique<SessionsPage>(context);
        page->resize(1196, 720);
        page->show();
        QVERIFY(QTest::qWaitForWindowExposed(page.get()));
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
    QTableView* table() const { return find<QTableView>("sessionTable"); }
    QString cell(int row, int column) const { return table()->model()->index(row, column).data().toString(); }
    void clickRow(int row, Qt::KeyboardModifiers keys = {})
    {
        const QModelIndex at = table()->model()->index(row, SessionModel::When);
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, keys, table()->visualRect(at).center());
    }
    //! An entry of a menu that opens at a button.
    void choose(const char* menuName, const char* button, const char* entry)
    {
        click(button);
        auto* menu = find<QMenu>(menuName);
        QVERIFY(menu->isVisible());
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(find<QAction>(entry)).center());
    }
    void click(const char* button) { QTest::mouseClick(find<QPushButton>(button), Qt::LeftButton); }
};

} // namespace

class TestSessionsPage : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true); // the theme keeps its choice in the settings
        test::ownSettings();
        Theme::instance().apply(*qApp); // widths and fonts as a person has them
    }
    //! Widths and hidden columns are as a person left them, also after a restart.
    void columnsSurviveARestart()
    {
        test::ownSettings();
        Fixture f;
        (void)f.library.addShort("a");
        f.show();
        const auto entry = [&f](const char* name) {
            auto* menu = f.find<QMenu>("sessionTableColumns");
            menu->popup(f.page->mapToGlobal(QPoint(10, 10)));
            auto* action = f.find<QAction>(name);
            menu->close();
            return action;
        };
        const int usual = f.table()->columnWidth(SessionModel::When);
        QVERIFY(!f.page->findChild<QAction*>(QStringLiteral("sessionTableColumns.title"))); // that one stays
        f.table()->horizontalHeader()->resizeSection(SessionModel::When, usual + 31);
        entry("sessionTableColumns.target")->trigger();
        QVERIFY(f.table()->isColumnHidden(SessionModel::Target));
        f.page.reset(); // the program ends
        f.show();       // another page, of the same settings
        QCOMPARE(f.table()->columnWidth(SessionModel::When), usual + 31);
        QVERIFY(f.table()->isColumnHidden(SessionModel::Target));
        QVERIFY(f.table()->isColumnHidden(
            SessionModel::Tags)); // no room for the tags beside the details: that is no choice
        QVERIFY(QSettings().value(QStringLiteral("columns/sessionTable/tags/hidden")).isNull());
        f.page->resize(1600, 720);
        QCoreApplication::processEvents();
        QVERIFY(!f.table()->isColumnHidden(SessionModel::Tags) && !f.table()->isColumnHidden(SessionModel::Workload));
        entry("sessionTableColumns.reset")->trigger();
        QVERIFY(!f.table()->isColumnHidden(SessionModel::Target));
        QCOMPARE(f.table()->columnWidth(SessionModel::When), usual);
        f.show();
        QVERIFY(!f.table()->isColumnHidden(SessionModel::Target));
        QCOMPARE(f.table()->columnWidth(SessionModel::When), usual);
    }
    //! What was being read when the library changed may be old.
    void oldDigestsAreDropped()
    {
        Fixture f;
        const QString id = f.library.addShort("Twice", 2);
        SessionDigests digests(f.library.file());
        QSignalSpy read(&digests, &SessionDigests::read);
        digests.want({id});
        digests.forget();
        QVERIFY(QTest::qWaitFor([&] { return !digests.busy(); }, test::kPatienceMs));
        QCOMPARE(read.count(), 0);
        digests.want({id});
        QVERIFY(QTest::qWaitFor([&] { return !digests.busy(); }, test::kPatienceMs));
        QCOMPARE(read.count(), 1);
    }
    //! Of a session that cannot be read nothing is told but that.
    void aDigestThatFailed()
    {
        Fixture f;
        (void)f.library.addShort("there");
        SessionDigests digests(f.library.file());
        QSignalSpy read(&digests, &SessionDigests::read), failed(&digests, &SessionDigests::failed);
        digests.want({QStringLiteral("not there")});
        QVERIFY(QTest::qWaitFor([&] { return !digests.busy(); }, test::kPatienceMs));
        QCOMPARE(read.count(), 0);
        QCOMPARE(failed.count(), 1);
        QCOMPARE(failed.front().front().toString(), QStringLiteral("not there"));
    }
    //! Reading would disturb what is measured; afterwards rows say what was found.
    void nothingIsReadWhileASessionRuns()
    {
        Fixture f;
        const QString id = f.library.addShort("waits");
        Plan plan = test::quickPlan();
        plan.load.timeSeconds = 600;
        RunnerOptions options;
        options.library = f.library.file();
        QVERIFY(f.context.run().start(plan, options));
        f.show();
        const auto* model = f.page->findChild<SessionModel*>();
        const auto wanted = [&] {
            const SessionInfo* session = model->find(id);
            return session && model->wantsDigest(*session);
        };
        f.page->activated();
        QVERIFY(QTest::qWaitFor([&] { return !f.page->busy() && model->find(id); }, test::kPatienceMs));
        QVERIFY(wanted());
        f.context.run().stop();
        QVERIFY(QTest::qWaitFor([&] { return !f.context.run().active() && !wanted(); }, test::kPatienceMs));
        QVERIFY(model->digest(id));
    }
    //! A moved end of the warm-up changes figures, not the row.
    void changedFiguresAreReadAgain()
    {
        Fixture f;
        const QString id = f.library.addShort("moved");
        f.show();
        const auto* model = f.page->findChild<SessionModel*>();
        QVERIFY(QTest::qWaitFor([&] { return !f.page->busy() && model->digest(id); }, test::kPatienceMs));
        QSignalSpy read(f.page->findChild<SessionDigests*>(), &SessionDigests::read);
        f.context.notifyLibraryChanged();
        QVERIFY(QTest::qWaitFor([&] { return !f.page->busy(); }, test::kPatienceMs));
        QCOMPARE(read.count(), 0);
        f.context.notifyFiguresChanged(id);
        QVERIFY(QTest::qWaitFor([&] { return !f.page->busy(); }, test::kPatienceMs));
        QCOMPARE(read.count(), 1);
    }
    //! Each row says what its session found, and draws it: read for the rows in view only.
    void rowsSayWhatWasFound()
    {
        Fixture f;
        const QString faster = f.library.addShort("Twice", 2);
        for (int i = 0; i < 40; ++i)
            (void)f.library.addShort("Filler");
        f.show();
        const auto* model = f.page->findChild<SessionModel*>();
        const auto read = [&] {
            return std::ranges::count_if(model->sessions(),
                                         [&](const SessionInfo& one) { return !model->wantsDigest(one); });
        };
        QVERIFY(QTest::qWaitFor([&] { return !f.page->busy() && read() > 0; }, test::kPatienceMs));
        QVERIFY2(read() < 41, "rows that nobody sees were read");
        f.find<QLineEdit>("sessionSearch")->setText(QStringLiteral("Twice"));
        QVERIFY(QTest::qWaitFor([&] { return !f.page->busy() && model->digest(faster); }, test::kPatienceMs));
        QCOMPARE(f.table()->model()->rowCount(), 1);
        const QModelIndex at = f.table()->model()->index(0, SessionModel::Title);
        // The sample has 14 200 transactions a second with OFF and 5 300 with FULL.
        const QString verdict = at.data(SessionModel::VerdictRole).toString();
        QVERIFY2(verdict.startsWith(QStringLiteral("Throughput is 2.67× ")), qPrintable(verdict));
        QVERIFY2(verdict.contains(QStringLiteral("lower with FULL than with OFF at 1 user")), qPrintable(verdict));
        QVERIFY(at.data(Qt::AccessibleTextRole).toString().contains(verdict));
        QVERIFY(at.data(Qt::ToolTipRole).toString().contains(verdict.toHtmlEscaped()));
        // The sparkline has the colours of its series.
        const QImage picture = f.table()->viewport()->grab(f.table()->visualRect(at)).toImage();
        bool drawn = false;
        for (int y = 0; y < picture.height() && !drawn; ++y)
            for (int x = 0; x < picture.width() && !drawn; ++x)
                drawn = picture.pixelColor(x, y) == Theme::instance().series(0);
        QVERIFY(drawn);
    }
    //! The stored verdict about the load generator stands beside the session, with its reason.
    void clientLimitIsShown()
    {
        Fixture f;
        (void)f.library.addShort("Quiet");
        sample::Options options;
        options.intervals = 6;
        options.clientReason = "one thread of the load generator was on a core 99 % of the time";
        (void)f.library.add(options, "Limited");
        f.show();
        f.clickRow(0);
        f.wait();
        auto* limit = f.find<QLabel>("sessionDetailsLimit");
        QTRY_VERIFY(limit->isVisible());
        QVERIFY2(limit->text().startsWith(QStringLiteral("Client-limited in 12 of 12 runs. Run 1, ")),
                 qPrintable(limit->text()));
        QVERIFY(limit->text().contains(QStringLiteral("99 % of the time")));
        QCOMPARE(limit->property("tone").toString(), QStringLiteral("bad"));
        QCOMPARE(limit->toolTip().count(QStringLiteral("Run ")), 12);
        f.clickRow(1);
        f.wait();
        QVERIFY(!limit->isVisible());
    }
    void guidesWhenThereIsNothing();
    void listsNewestFirst();
    void searches();
    void searchesByFields();
    void archivesAndBringsBack();
    void caresForTheLibrary();
    void careIsCancelled();
    void tellsWhatCannotBeTheSame();
    void exportsWithoutNames();
    void renamesInPlace();
    void deletesAndBringsBack();
    void comparesTwo();
    void opensWithReturn();
    void replays();
    void duplicatesThePlan();
    void keepsNotesAndTags();
    void savesNotesWhenAnotherSessionIsChosen();
    void exportsAndImports();
    void saysWhyAFileWasNotImported();
    void saysWhyTheLibraryCannotBeRead();
    void showsCutSessions();
    void namesEveryControl();
};

void TestSessionsPage::guidesWhenThereIsNothing()
{
    Fixture f;
    QString shown;
    QObject::connect(&f.context, &AppContext::pageRequested, [&shown](const QString& name) { shown = name; });
    f.show();
    QWidget* empty = f.find<QWidget>("sessionsEmpty");
    QVERIFY(empty->isVisible());
    QVERIFY(!f.find<QLineEdit>("sessionSearch")->isVisible());
    const auto buttons = empty->findChildren<QPushButton*>();
    QCOMPARE(buttons.size(), 1);
    QTest::mouseClick(buttons.front(), Qt::LeftButton);
    QCOMPARE(shown, "startPage");
    QVERIFY(!std::filesystem::exists(f.library.file())); // looking made no file
}

void TestSessionsPage::listsNewestFirst()
{
    Fixture f;
    f.library.addShort("older");
    f.library.addShort("newer");
    f.show();
    QCOMPARE(f.table()->model()->rowCount(), 2);
    QCOMPARE(f.cell(0, SessionModel::Title), "newer");
    QCOMPARE(f.cell(0, SessionModel::Status), "done");
    QVERIFY(!f.cell(0, SessionModel::Workload).isEmpty());
    f.page->activated(); // as the rail does
    f.wait();
    QCOMPARE(f.find<QLabel>("sessionDetailsTitle")->text(), "newer");
}

void TestSessionsPage::searches()
{
    Fixture f;
    f.library.addShort("durability on nvme");
    f.library.addShort("scaling");
    f.show();
    QTest::keyClick(f.page.get(), Qt::Key_F, Qt::ControlModifier);
    auto* search = f.find<QLineEdit>("sessionSearch");
    QTest::keyClicks(search, QStringLiteral("nvme"));
    QTRY_COMPARE(f.table()->model()->rowCount(), 1);
    QTest::keyClicks(search, QStringLiteral(" nothing"));
    QTRY_COMPARE(f.table()->model()->rowCount(), 0);
    QWidget* empty = f.find<QWidget>("sessionsEmpty");
    QVERIFY(empty->isVisible());
    QVERIFY(search->isVisible()); // still there to change it
    QTest::mouseClick(empty->findChild<QPushButton*>(), Qt::LeftButton);
    QTRY_COMPARE(f.table()->model()->rowCount(), 2);
}

//! The library's query line: fields, exclusion, knobs; what is wrong with it stands below it.
void TestSessionsPage::searchesByFields()
{
    Fixture f;
    const QString a = f.library.addShort("alpha"), b = f.library.addShort("beta");
    QVERIFY(f.library.open()->setTags(a.toStdString(), {"nvme"}));
    f.show();
    auto* search = f.find<QLineEdit>("sessionSearch");
    auto* problem = f.find<QLabel>("sessionSearchProblem");
    const auto type = [&](const char* text) {
        search->clear();
        QTest::keyClicks(search, QString::fromLatin1(text));
    };
    type("tag:nvme");
    QTRY_COMPARE(f.table()->model()->rowCount(), 1);
    QCOMPARE(f.cell(0, SessionModel::Title), "alpha");
    type("!tag:nvme");
    QTRY_COMPARE(f.cell(0, SessionModel::Title), "beta");
    QVERIFY(!problem->isVisible());
    search->setText(QStringLiteral("date:gestern"));
    QTRY_VERIFY(problem->isVisible());
    QVERIFY2(problem->text().contains("gestern") || problem->text().contains("date"), qPrintable(problem->text()));
    QCOMPARE(f.table()->model()->rowCount(), 1); // as it was
    search->clear();
    QTRY_COMPARE(f.table()->model()->rowCount(), 2);
    QVERIFY(!problem->isVisible());
}

void TestSessionsPage::archivesAndBringsBack()
{
    Fixture f;
    f.library.addShort("keep");
    f.library.addShort("old");
    f.show();
    f.clickRow(0);
    f.choose("sessionMenu", "sessionMoreButton", "sessionArchive");
    QTRY_COMPARE(f.table()->model()->rowCount(), 1);
    QCOMPARE(f.library.titles(), QStringList{"keep"});
    f.choose("libraryMenu", "libraryButton", "libraryShowArchived");
    QTRY_COMPARE(f.table()->model()->rowCount(), 2);
    f.clickRow(0);
    QCOMPARE(f.find<QAction>("sessionArchive")->text(), QStringLiteral("Restore from archive"));
    QVERIFY(f.undo);
    f.undo();
    QTRY_COMPARE(f.library.titles(), (QStringList{"old", "keep"}));
}

//! Checked, copied, merged and tidied from the menu of the page.
void TestSessionsPage::caresForTheLibrary()
{
    Fixture f;
    f.library.addShort("one");
    f.library.addShort("two");
    f.show();
    f.choose("libraryMenu", "libraryButton", "libraryCheck");
    QTRY_VERIFY2(f.message.contains("No damage found: 2 sessions"), qPrintable(f.message));
    f.clickRow(0);
    f.click("sessionRemoveButton");
    QTRY_COMPARE(f.table()->model()->rowCount(), 1);
    auto* restore = f.find<QMenu>("libraryRemoved");
    QTRY_COMPARE(restore->actions().size(), 1);
    restore->actions().front()->trigger();
    QTRY_COMPARE(f.table()->model()->rowCount(), 2);
    auto* menu = f.find<LibraryMenu>("libraryMenu");
    const QString copy = f.library.path("copy.dynolib");
    menu->backUp(copy);
    QTRY_VERIFY(QFile::exists(copy) && f.message.contains("copy.dynolib"));
    f.clickRow(0);
    f.click("sessionRemoveButton");
    QTRY_COMPARE(f.table()->model()->rowCount(), 1);
    f.choose("libraryMenu", "libraryButton", "libraryVacuum");
    QTRY_VERIFY2(f.message.contains("one deleted session"), qPrintable(f.message));
    QCOMPARE(f.library.open()->removed().value().size(), std::size_t(1));
    menu->merge(copy);
    QTRY_COMPARE(f.table()->model()->rowCount(), 2);
    menu->moveTo(f.library.path("elsewhere"));
    QTRY_VERIFY2(f.message.contains("elsewhere"), qPrintable(f.message));
    f.wait();
    QTRY_COMPARE(f.table()->model()->rowCount(), 2); // found through the link
}

//! Care that takes long holds up nothing else, and is ended by Cancel.
void TestSessionsPage::careIsCancelled()
{
    Fixture f;
    f.library.addShort("one");
    f.library.addShort("two");
    f.show();
    auto* menu = f.find<LibraryMenu>("libraryMenu");
    QPointer<QDialog> dialog;
    {
        auto other = Database::open(f.library.file(), Database::Access::ReadWrite).value();
        const Transaction lock(*other); // another program writes
        menu->vacuum();
        QTRY_VERIFY(dialog = f.page->findChild<QDialog*>("careDialog"));
        QTRY_VERIFY(dialog->isVisible());
        QVERIFY(!f.find<QAction>("libraryMerge")->isEnabled());
        menu->check(); // one at a time
        QCOMPARE(f.page->findChildren<QDialog*>("careDialog").size(), 1);
        f.clickRow(0); // is read meanwhile
        QTest::mouseClick(f.find<QPushButton>("careCancel"), Qt::LeftButton);
        QVERIFY(dialog && dialog->isVisible());
        QVERIFY(!f.find<QPushButton>("careCancel")->isEnabled());
    }
    QTRY_VERIFY(!dialog);
    QVERIFY2(f.message.contains("cancelled"), qPrintable(f.message));
    QVERIFY(f.find<QAction>("libraryMerge")->isEnabled());
    QCOMPARE(f.library.titles().size(), 2);
}

//! Before it runs once more, what cannot be the same is listed.
void TestSessionsPage::tellsWhatCannotBeTheSame()
{
    Fixture f;
    f.library.addShort("a");
    f.show();
    f.clickRow(0);
    f.click("sessionAgainButton");
    QTRY_VERIFY(f.page->findChild<QDialog*>("rerunDialog"));
    const QString list = f.find<QLabel>("rerunList")->text();
    QVERIFY2(list.contains("it was made with") || list.contains("machine"), qPrintable(list));
    QTest::mouseClick(f.find<QPushButton>("rerunChange"), Qt::LeftButton);
    QVERIFY(f.edited);
    QCOMPARE(f.edited->workload.name, "oltp_update_non_index");
}

void TestSessionsPage::exportsWithoutNames()
{
    Fixture f;
    f.library.addShort("secret");
    f.show();
    f.clickRow(0);
    f.choose("sessionMenu", "sessionMoreButton", "sessionExport");
    auto* box = f.find<QCheckBox>("exportAnonymous");
    QVERIFY(!box->isChecked());
    QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(8, box->height() / 2));
    QVERIFY(box->isChecked());
    QTest::mouseClick(f.find<QPushButton>("exportChoose"), Qt::LeftButton);
    auto* files = f.find<QFileDialog>("sessionExportDialog");
    const QString file = f.library.path("anonymous.dyno");
    emit files->fileSelected(file);
    files->close();
    QTRY_VERIFY(f.message.contains("anonymous.dyno"));
    const auto there = Library::open(file.toStdString(), Library::Mode::ReadOnly);
    QVERIFY(there);
    const std::string host = lastOf(*f.library.open()).header.host.name;
    QVERIFY(!host.empty());
    QVERIFY(lastOf(**there).header.host.name != host);
}

void TestSessionsPage::renamesInPlace()
{
    Fixture f;
    f.library.addShort("before");
    f.show();
    f.clickRow(0);
    QTest::keyClick(f.table(), Qt::Key_F2);
    auto* editor = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    QVERIFY(editor);
    editor->selectAll();
    QTest::keyClicks(editor, QStringLiteral("after"));
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_COMPARE(f.library.titles(), QStringList{"after"});
    f.wait();
    QCOMPARE(f.cell(0, SessionModel::Title), "after");
}

void TestSessionsPage::deletesAndBringsBack()
{
    Fixture f;
    f.library.addShort("keep");
    f.library.addShort("goes");
    f.show();
    f.clickRow(0);
    QTest::keyClick(f.table(), Qt::Key_Delete);
    QTRY_COMPARE(f.library.titles(), QStringList{"keep"});
    QTRY_COMPARE(f.table()->model()->rowCount(), 1);
    QVERIFY(f.message.contains("goes"));
    QVERIFY(f.undo);
    f.undo();
    QTRY_COMPARE(f.table()->model()->rowCount(), 2);
    QCOMPARE(f.library.titles(), (QStringList{"goes", "keep"}));
}

void TestSessionsPage::comparesTwo()
{
    Fixture f;
    const QString a = f.library.addShort("a"), b = f.library.addShort("b");
    f.library.addShort("c");
    f.show();
    QVERIFY(!f.find<QPushButton>("sessionOpenButton")->isEnabled());
    f.clickRow(1);
    f.clickRow(2, Qt::ControlModifier);
    QVERIFY(f.find<QPushButton>("sessionOpenButton")->text().contains("2"));
    auto* replay = f.find<QPushButton>("sessionReplayButton");
    QCOMPARE(replay->text(), QStringLiteral("Replay side by side"));
    QSignalSpy pairs(&f.context, &AppContext::pairRequested);
    f.click("sessionReplayButton");
    QCOMPARE(pairs.size(), 1);
    QStringList played{pairs.first().at(0).value<ReplayPick>().session,
                       pairs.first().at(1).value<ReplayPick>().session};
    played.sort();
    QCOMPARE(played, (QStringList{std::min(a, b), std::max(a, b)}));
    f.clickRow(0, Qt::ControlModifier);
    QVERIFY(!replay->isEnabled()); // three are too many
    f.clickRow(0, Qt::ControlModifier);
    f.click("sessionOpenButton");
    QStringList got = f.compared;
    got.sort();
    QStringList expected{a, b};
    expected.sort();
    QCOMPARE(got, expected);
}

void TestSessionsPage::opensWithReturn()
{
    Fixture f;
    const QString id = f.library.addShort("a");
    f.show();
    f.clickRow(0);
    QTest::keyClick(f.table(), Qt::Key_Return);
    QCOMPARE(f.compared, QStringList{id});
}

void TestSessionsPage::replays()
{
    Fixture f;
    const QString id = f.library.addShort("a");
    f.show();
    f.clickRow(0);
    f.click("sessionReplayButton");
    QCOMPARE(f.replayed, id);
}

void TestSessionsPage::duplicatesThePlan()
{
    Fixture f;
    f.library.addShort("a");
    f.show();
    f.clickRow(0);
    f.click("sessionMoreButton");
    auto* menu = f.find<QMenu>("sessionMenu");
    QVERIFY(menu->isVisible());
    auto* action = f.find<QAction>("sessionDuplicate");
    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
    QTRY_VERIFY(f.edited);
    QCOMPARE(f.edited->workload.name, "oltp_update_non_index");
    QCOMPARE(f.edited->axes.size(), std::size_t(1));
}

void TestSessionsPage::keepsNotesAndTags()
{
    Fixture f;
    const QString id = f.library.addShort("a");
    f.show();
    f.clickRow(0);
    auto* notes = f.find<QPlainTextEdit>("sessionNotes");
    QTest::mouseClick(notes->viewport(), Qt::LeftButton);
    QTest::keyClicks(notes, QStringLiteral("cold cache"));
    QTRY_COMPARE(f.library.session(id).info.notes, std::string("cold cache")); // without leaving the box
    auto* tags = f.find<QLineEdit>("sessionTags");
    QTest::mouseClick(tags, Qt::LeftButton);
    QTest::keyClicks(tags, QStringLiteral("nvme, wal"));
    QTest::keyClick(tags, Qt::Key_Return);
    QTRY_COMPARE(f.library.session(id).info.tags, (std::vector<std::string>{"nvme", "wal"}));
    QTRY_COMPARE(f.cell(0, SessionModel::Tags), "nvme, wal");
    QTest::keyClicks(f.find<QLineEdit>("sessionSearch"), QStringLiteral("cold wal"));
    QTRY_COMPARE(f.table()->model()->rowCount(), 1);
}

void TestSessionsPage::savesNotesWhenAnotherSessionIsChosen()
{
    Fixture f;
    f.library.addShort("a");
    const QString b = f.library.addShort("b");
    f.show();
    f.clickRow(0);
    auto* notes = f.find<QPlainTextEdit>("sessionNotes");
    QTest::keyClicks(notes, QStringLiteral("of b"));
    f.clickRow(1);
    QVERIFY(notes->toPlainText().isEmpty());
    QTRY_COMPARE(f.library.session(b).info.notes, std::string("of b"));
    // and when the window is closed before the moment is over
    QTest::keyClicks(notes, QStringLiteral("of a"));
    f.page.reset();
    QCOMPARE(f.library.session(b).info.notes, std::string("of b"));
    bool found = false;
    for (const SessionInfo& info : f.library.open()->sessions().value())
        found = found || (info.title == "a" && info.notes == "of a");
    QVERIFY(found);
}

void TestSessionsPage::exportsAndImports()
{
    Fixture f;
    const QString id = f.library.addShort("travels");
    f.show();
    const QString file = f.library.path("travels.dyno");
    f.page->exportTo(id, file);
    f.wait();
    QVERIFY(QFile::exists(file));
    QVERIFY(f.message.contains("travels.dyno"));
    QVERIFY(f.library.open()->remove(id.toStdString()));
    QVERIFY(f.library.open()->purgeRemoved());
    // dropped on the page
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(file)});
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(f.page.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(f.page.get(), &drop);
    QTRY_COMPARE(f.table()->model()->rowCount(), 1);
    QCOMPARE(f.cell(0, SessionModel::Title), "travels");
    QTRY_COMPARE(f.message, "Imported travels.dyno"); // the row may still be that of the one removed
    f.page->importFiles({file});                      // once more
    f.wait();
    QCOMPARE(f.message, "travels.dyno: 1 session was in the library already and was left as it is");
    QMimeData other;
    other.setUrls({QUrl::fromLocalFile(QStringLiteral("/tmp/picture.png"))});
    QDragEnterEvent refused(QPoint(50, 50), Qt::CopyAction, &other, Qt::LeftButton, Qt::NoModifier);
    refused.ignore();
    QApplication::sendEvent(f.page.get(), &refused);
    QVERIFY(!refused.isAccepted());
}

void TestSessionsPage::saysWhyAFileWasNotImported()
{
    Fixture f;
    const QString id = f.library.addShort("a");
    f.show();
    const QString whole = f.library.path("whole.dyno"), half = f.library.path("half.dyno");
    f.page->exportTo(id, whole);
    f.wait();
    QFile in(whole), out(half);
    QVERIFY(in.open(QIODevice::ReadOnly) && out.open(QIODevice::WriteOnly));
    out.write(in.read(in.size() / 2));
    out.close();
    f.page->importFiles({half});
    f.wait();
    QWidget* banner = f.find<QWidget>("sessionsBanner");
    QVERIFY(banner->isVisible());
    QVERIFY(banner->accessibleName().contains("half.dyno"));
    QCOMPARE(f.library.titles(), QStringList{"a"});
}

void TestSessionsPage::saysWhyTheLibraryCannotBeRead()
{
    Fixture f;
    QFile file(QString::fromStdString(f.library.file().string()));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("this is no library at all, only text that is long enough to be looked at as a header of one hundred");
    file.close();
    f.show();
    QWidget* empty = f.find<QWidget>("sessionsEmpty");
    QVERIFY(empty->isVisible());
    auto* again = empty->findChild<QPushButton*>();
    QVERIFY(again->isVisible());
    // and after it was put right, the button shows the list
    QVERIFY(file.remove());
    f.library.addShort("back");
    QTest::mouseClick(again, Qt::LeftButton);
    QTRY_COMPARE(f.table()->model()->rowCount(), 1);
    QVERIFY(f.table()->isVisible());
}

void TestSessionsPage::showsCutSessions()
{
    Fixture f;
    sample::Options options;
    options.intervals = 6;
    options.stopAfterRun = 1;
    options.finish = false;
    f.library.add(options, "cut");
    f.show();
    QCOMPARE(f.cell(0, SessionModel::Status), "cut off");
    f.clickRow(0);
    QVERIFY(f.find<QLabel>("sessionDetailsReason")->text().contains("Cut off"));
}

void TestSessionsPage::namesEveryControl()
{
    Fixture f;
    f.library.addShort("a");
    f.show();
    for (const QWidget* widget : f.page->findChildren<QWidget*>()) {
        const bool control = qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QLineEdit*>(widget) ||
                             qobject_cast<const QPlainTextEdit*>(widget);
        if (!control || !widget->isVisible() || widget->objectName().startsWith("qt_"))
            continue;
        if (qobject_cast<const QLineEdit*>(widget->parentWidget()) || widget->inherits("QTableCornerButton"))
            continue; // the clear button inside a search box
        QVERIFY2(!widget->objectName().isEmpty(), qPrintable(widget->metaObject()->className()));
        QVERIFY2(!widget->accessibleName().isEmpty(), qPrintable(widget->objectName()));
        QVERIFY2(!widget->toolTip().isEmpty(), qPrintable(widget->objectName()));
    }
}

} // namespace dyno::tst_sessions_page

DYNO_WIDGET_SUITE(tst_sessions_page, dyno::tst_sessions_page::TestSessionsPage)
#include "tst_sessions_page.moc"
