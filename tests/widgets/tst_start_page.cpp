// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/app_context.h"
#include "bridge/run_bridge.h"
#include "start/recipe_card.h"
#include "start/start_page.h"
#include "support/patience.h"
#include "support/suite.h"

#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <dyno/catalog.h>
#include <dyno/library.h>
#include <map>
#include <set>

namespace dyno::tst_start_page {
using namespace Qt::StringLiterals;

namespace {

std::filesystem::path libraryIn(const QTemporaryDir& dir)
{
    return std::filesystem::path(dir.path().toStdString()) / "library.dynolib";
}

//! A real session of half a second in the library.
void recordSession(const std::filesystem::path& library, const char* title)
{
    Plan plan;
    plan.title = title;
    plan.target.uri = "null:";
    plan.workload.name = "oltp_point_select";
    plan.workload.params = {{"table_size", std::int64_t(100)}};
    plan.load.timeSeconds = 0.3;
    plan.load.intervalSeconds = 0.1;
    RunnerOptions options;
    options.library = library;
    SessionRunner runner(plan, options, {});
    runner.start();
    runner.wait();
}

} // namespace

class Fixture
{
public:
    explicit Fixture(const std::filesystem::path& library)
        : context(library)
        , page(context)
    {
        page.resize(1196, 760);
        page.show();
    }
    bool load()
    {
        QSignalSpy loaded(&page, &StartPage::loadedChanged);
        while (!page.loaded()) {
            if (!loaded.wait(20000))
                return false;
        }
        return true;
    }
    QList<RecipeCard*> cards() const
    {
        QList<RecipeCard*> shown;
        for (auto* card : page.findChildren<RecipeCard*>()) {
            if (card->isVisible())
                shown << card;
        }
        return shown;
    }
    QPushButton* button(const QString& name) const { return page.findChild<QPushButton*>(name); }

    AppContext context;
    StartPage page;
};

class TstStartPage : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void firstStartHasOneCard();
    void firstStartStarts();
    void galleryShowsRecipes();
    void cardsSayHowTheyDepart();
    void pillsFilter();
    void cardOpensThePlan();
    void keyboard();
    void sizes();
    void continueRow();
    void runAgain();
    void damagedLibrary();
    void textsHaveRoom_data();
    void textsHaveRoom();
    void narrow();

private:
    QTemporaryDir m_dir;
    std::filesystem::path m_filled;
};

void TstStartPage::initTestCase()
{
    QVERIFY(m_dir.isValid());
    qputenv("XDG_DATA_HOME", m_dir.path().toUtf8());
    m_filled = std::filesystem::path(m_dir.path().toStdString()) / "filled.dynolib";
    recordSession(m_filled, "first question");
    recordSession(m_filled, "second question");
}

void TstStartPage::firstStartHasOneCard()
{
    QTemporaryDir dir;
    Fixture fixture(libraryIn(dir));
    QVERIFY(fixture.load());
    QVERIFY(fixture.page.firstStart());
    QCOMPARE(fixture.cards().size(), 1);
    QCOMPARE(fixture.cards().front()->recipeId(), u"durability-sqlite"_s);
    auto* start = fixture.button(u"firstStart"_s);
    QVERIFY(start->isVisible());
    QVERIFY(start->isEnabled());
    QVERIFY(!start->accessibleName().isEmpty());
    QVERIFY(!fixture.page.findChild<QWidget*>(u"continueCard"_s)->isVisible());
    QVERIFY(!std::filesystem::exists(libraryIn(dir))); // looking at the page makes nothing
    QTest::mouseClick(fixture.button(u"showAll"_s), Qt::LeftButton);
    QVERIFY(fixture.cards().size() > 2);
}

void TstStartPage::firstStartStarts()
{
    QTemporaryDir dir;
    Fixture fixture(libraryIn(dir));
    QVERIFY(fixture.load());
    QSignalSpy pages(&fixture.context, &AppContext::pageRequested);
    QTest::mouseClick(fixture.button(u"firstStart"_s), Qt::LeftButton);
    QVERIFY(fixture.context.run().active());
    QCOMPARE(pages.count(), 1);
    QCOMPARE(pages.front().front().toString(), u"runPage"_s);
    QSignalSpy finished(&fixture.context.run(), &RunFeed::sessionFinished);
    fixture.context.run().stop();
    QVERIFY(finished.count() > 0 || finished.wait(30000));
    // The session is listed, and the first start is over.
    QTRY_VERIFY_WITH_TIMEOUT(!fixture.page.firstStart(), 10000);
    QVERIFY(fixture.page.findChild<QWidget*>(u"continueCard"_s)->isVisible());
    QVERIFY(fixture.cards().size() > 2);
}

void TstStartPage::galleryShowsRecipes()
{
    Fixture fixture(m_filled);
    QVERIFY(fixture.load());
    QVERIFY(!fixture.page.firstStart());
    QCOMPARE(fixture.cards().size(), qsizetype(recipes().size()));
    for (RecipeCard* card : fixture.cards()) {
        QVERIFY(!card->accessibleName().isEmpty());
        QVERIFY(!card->toolTip().isEmpty());
        // What cannot run here says why and cannot be started.
        QCOMPARE(card->startButton()->isEnabled(), card->available());
        if (!card->available())
            QVERIFY(card->accessibleDescription().startsWith(u"Not available"_s));
    }
}

//! A card says that its recipe is not the published experiment, and its tool tip says how.
void TstStartPage::cardsSayHowTheyDepart()
{
    Fixture fixture(m_filled);
    QVERIFY(fixture.load());
    int departing = 0, faithful = 0;
    for (const RecipeInfo& info : recipes()) {
        const QString id = QString::fromStdString(info.id);
        auto* card = fixture.page.findChild<RecipeCard*>(u"recipe."_s + id);
        auto* departs = fixture.page.findChild<QLabel*>(u"departs."_s + id);
        QVERIFY2(card && departs, info.id.c_str());
        QCOMPARE(departs->isVisibleTo(card), !info.departs.empty());
        if (info.departs.empty()) {
            ++faithful;
            continue;
        }
        ++departing;
        QVERIFY2(departs->text().startsWith(QString::number(info.departs.size()) + u' '), qPrintable(departs->text()));
        for (const std::string& one : info.departs) {
            QVERIFY2(card->toolTip().contains(QString::fromStdString(one)), one.c_str());
            QVERIFY2(card->accessibleDescription().contains(QString::fromStdString(one)), one.c_str());
        }
    }
    QVERIFY(departing > 0 && faithful > 0);
}

void TstStartPage::pillsFilter()
{
    std::set<std::string> tagged;
    for (const RecipeInfo& info : recipes()) {
        if (std::find(info.tags.begin(), info.tags.end(), "durability") != info.tags.end())
            tagged.insert(info.id);
    }
    Fixture fixture(m_filled);
    QVERIFY(fixture.load());
    const auto all = fixture.cards().size();
    QTest::mouseClick(fixture.button(u"pill.durability"_s), Qt::LeftButton);
    QVERIFY(fixture.cards().size() < all);
    QVERIFY(fixture.cards().size() > 0);
    for (RecipeCard* card : fixture.cards())
        QVERIFY2(tagged.contains(card->recipeId().toStdString()), qPrintable(card->recipeId()));
    QVERIFY(fixture.button(u"pill.durability"_s)->isChecked());
    QTest::mouseClick(fixture.button(u"pill.all"_s), Qt::LeftButton);
    QCOMPARE(fixture.cards().size(), all);
}

void TstStartPage::cardOpensThePlan()
{
    Fixture fixture(m_filled);
    QVERIFY(fixture.load());
    std::string title;
    connect(&fixture.context, &AppContext::planEditRequested, this, [&title](const Plan& plan) { title = plan.title; });
    QSignalSpy pages(&fixture.context, &AppContext::pageRequested);
    auto* card = fixture.page.findChild<RecipeCard*>(u"recipe.durability-sqlite"_s);
    QVERIFY(card);
    QTest::mouseClick(card, Qt::LeftButton, {}, QPoint(30, 30));
    QCOMPARE(title, recipePlan("durability-sqlite")->title);
    QCOMPARE(pages.front().front().toString(), u"planPage"_s);
    QVERIFY(!fixture.context.run().active());
}

void TstStartPage::keyboard()
{
    Fixture fixture(m_filled);
    QVERIFY(fixture.load());
    QVERIFY(QTest::qWaitForWindowActive(&fixture.page));
    const QList<RecipeCard*> cards = fixture.cards();
    QVERIFY(cards.size() >= 2);
    cards[0]->setFocus();
    QTest::keyClick(cards[0], Qt::Key_Right);
    auto* focused = qobject_cast<RecipeCard*>(fixture.page.focusWidget());
    QVERIFY(focused && focused != cards[0]);
    QTest::keyClick(focused, Qt::Key_Left);
    QCOMPARE(fixture.page.focusWidget(), cards[0]);
    QTest::keyClick(cards[0], Qt::Key_Left); // the edge: stays
    QCOMPARE(fixture.page.focusWidget(), cards[0]);
    QTest::keyClick(cards[0], Qt::Key_Tab); // on to its own button
    QCOMPARE(fixture.page.focusWidget(), static_cast<QWidget*>(cards[0]->startButton()));
    QSignalSpy pages(&fixture.context, &AppContext::pageRequested);
    cards[0]->setFocus();
    QTest::keyClick(cards[0], Qt::Key_Return);
    QCOMPARE(pages.count(), 1);
}

void TstStartPage::sizes()
{
    Fixture fixture(m_filled);
    QVERIFY(fixture.load());
    Plan edited;
    connect(&fixture.context, &AppContext::planEditRequested, this, [&edited](const Plan& plan) { edited = plan; });
    RecipeCard* card = nullptr;
    for (RecipeCard* one : fixture.cards()) {
        if (one->available() && fixture.button(u"sizes."_s + one->recipeId()))
            card = one;
    }
    if (!card)
        QSKIP("no recipe that comes in sizes can run here");
    QCOMPARE(card->size(), u"laptop"_s);
    auto* button = fixture.button(u"sizes."_s + card->recipeId());
    QVERIFY(button->accessibleName().contains(u"laptop"_s));
    QTest::mouseClick(button, Qt::LeftButton);
    auto* menu = button->findChild<QMenu*>();
    QVERIFY(menu && menu->isVisible());
    QAction* quick = nullptr;
    for (QAction* action : menu->actions()) {
        if (action->objectName() == u"size.quick")
            quick = action;
    }
    QVERIFY(quick);
    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(quick).center());
    QCOMPARE(card->size(), u"quick"_s);
    QTest::mouseClick(card, Qt::LeftButton, {}, QPoint(20, 20));
    QVERIFY(edited.sizes.empty()); // one of them was applied
    Plan wanted = *recipePlan(card->recipeId().toStdString());
    QVERIFY(applySize(wanted, "quick"));
    QCOMPARE(writePlan(edited), writePlan(wanted));
}

void TstStartPage::continueRow()
{
    Fixture fixture(m_filled);
    QVERIFY(fixture.load());
    auto library = Library::open(m_filled, Library::Mode::ReadOnly);
    QVERIFY(library);
    const auto sessions = (*library)->sessions();
    QVERIFY(sessions);
    QCOMPARE(sessions->size(), std::size_t(2));
    const QString id = QString::fromStdString(sessions->front().id);
    QSignalSpy compared(&fixture.context, &AppContext::compareRequested);
    auto* open = fixture.button(u"open."_s + id);
    QVERIFY(open && open->isVisible());
    QVERIFY(open->accessibleName().contains(u"second question"_s)); // newest first
    QTest::mouseClick(open, Qt::LeftButton);
    QCOMPARE(compared.count(), 1);
    QCOMPARE(compared.front().front().toStringList(), QStringList{id});
}

void TstStartPage::runAgain()
{
    QTemporaryDir dir;
    recordSession(libraryIn(dir), "again");
    Fixture fixture(libraryIn(dir));
    QVERIFY(fixture.load());
    QPushButton* again = nullptr;
    for (auto* button : fixture.page.findChildren<QPushButton*>()) {
        if (button->objectName().startsWith(u"again."_s))
            again = button;
    }
    QVERIFY(again);
    QSignalSpy finished(&fixture.context.run(), &RunFeed::sessionFinished);
    QTest::mouseClick(again, Qt::LeftButton);
    QVERIFY(finished.wait(30000));
    auto library = Library::open(libraryIn(dir), Library::Mode::ReadOnly);
    QVERIFY(library);
    QCOMPARE((*library)->sessions()->size(), std::size_t(2));
}

void TstStartPage::damagedLibrary()
{
    QTemporaryDir dir;
    QFile file(QString::fromStdString(libraryIn(dir).string()));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("this is not a library");
    file.close();
    Fixture fixture(libraryIn(dir));
    QVERIFY(fixture.load());
    auto* problem = fixture.page.findChild<QLabel*>(u"continueProblem"_s);
    QVERIFY(problem);
    QVERIFY(problem->isVisible());
    QVERIFY(!problem->text().isEmpty());
    QVERIFY(!fixture.page.firstStart()); // an unreadable library is not an empty one
    QVERIFY(!fixture.cards().isEmpty());
}

void TstStartPage::textsHaveRoom_data()
{
    QTest::addColumn<int>("width");
    QTest::newRow("1280") << 1196;
    QTest::newRow("1440") << 1356;
    QTest::newRow("two columns") << 640;
    QTest::newRow("narrow") << 360;
}

//! Long questions and notes make cards higher: no text is cut or lies on the picture.
void TstStartPage::textsHaveRoom()
{
    QFETCH(int, width);
    Fixture fixture(m_filled);
    QVERIFY(fixture.load());
    fixture.page.resize(width, 760);
    QCoreApplication::processEvents();
    for (RecipeCard* card : fixture.cards()) {
        int bottom = card->findChild<RecipePicture*>()->geometry().bottom();
        QList<QLabel*> labels = card->findChildren<QLabel*>(Qt::FindDirectChildrenOnly);
        labels.removeIf([](const QLabel* label) { return !label->isVisible(); });
        QVERIFY(labels.size() >= 3);
        std::ranges::sort(labels, {}, &QLabel::y);
        for (const QLabel* label : labels) {
            QVERIFY2(label->y() > bottom, qPrintable(label->text()));
            QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
            bottom = label->geometry().bottom();
        }
        QVERIFY2(bottom < card->height(), qPrintable(card->accessibleName()));
    }
    // Cards of one row are alike.
    std::map<int, int> heights;
    for (const RecipeCard* card : fixture.cards())
        QCOMPARE(heights.emplace(card->y(), card->height()).first->second, card->height());
}

void TstStartPage::narrow()
{
    Fixture fixture(m_filled);
    QVERIFY(fixture.load());
    fixture.page.resize(500, 700);
    const QList<RecipeCard*> cards = fixture.cards();
    QVERIFY(cards.size() >= 2);
    for (RecipeCard* card : cards) {
        QTRY_VERIFY(card->mapTo(&fixture.page, QPoint(card->width(), 0)).x() <= fixture.page.width());
    }
    QTRY_VERIFY(cards[1]->y() > cards[0]->y()); // below each other
}

} // namespace dyno::tst_start_page

DYNO_WIDGET_SUITE(tst_start_page, dyno::tst_start_page::TstStartPage)
#include "tst_start_page.moc"
