// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/app_context.h"
#include "bridge/last_plan.h"
#include "bridge/run_bridge.h"
#include "parts/card.h"
#include "parts/choice_pill.h"
#include "parts/labels.h"
#include "plan_page_fixture.h"
#include "plots/session_digest.h"
#include "start/recipe_card.h"
#include "start/start_page.h"
#include "start/start_reading.h"
#include "support/own_settings.h"
#include "support/patience.h"
#include "support/suite.h"
#include "theme.h"
#include "widgets/pictures.h"
#include "widgets/sample_library.h"

#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThreadPool>

#include <algorithm>
#include <dyno/catalog.h>
#include <dyno/library.h>
#include <limits>
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
void recordSession(const std::filesystem::path& library, const char* title, const char* source = "")
{
    Plan plan = test::quickPlan();
    plan.title = title;
    plan.source = source;
    RunnerOptions options;
    options.library = library;
    SessionRunner runner(plan, options, {});
    runner.start();
    runner.wait();
}

//! Stops the session when this run begins.
class StopAtRun : public SampleSink
{
public:
    explicit StopAtRun(int index)
        : m_index(index)
    {
    }
    void onRunStarted(const RunHeader& run) override
    {
        if (run.index == m_index)
            runner->stop();
    }
    SessionRunner* runner = nullptr;

private:
    int m_index;
};

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
        while (!page.complete()) {
            if (!loaded.wait(test::kPatienceMs))
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
    void bringIntoView(QWidget* widget) { page.findChild<QScrollArea*>()->ensureWidgetVisible(widget); }
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
    void subjectsFilter();
    void searchAndProduct();
    void order();
    void ownResults();
    void theFirstReadingLists();
    void theListComesBeforeItsFindings();
    void nothingIsReadWhileASessionRuns();
    void oneFilledButton();
    void whatCannotRun();
    void cardOpensThePlan();
    void keyboard();
    void sizes();
    void continueRow();
    void continueWithThePlan();
    void continueWhatIsMissing();
    void continueColumns();
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
    test::ownSettings();
    Theme::instance().apply(*qApp); // widths and fonts as a person has them
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
    QVERIFY(!fixture.button(u"start.durability-sqlite"_s)); // that is the one in the gallery
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
    QVERIFY(finished.count() > 0 || finished.wait(test::kPatienceMs));
    // The session is listed, and the first start is over.
    QTRY_VERIFY_WITH_TIMEOUT(!fixture.page.firstStart(), test::kPatienceMs);
    QVERIFY(fixture.page.findChild<QWidget*>(u"continueCard"_s)->isVisible());
    QVERIFY(fixture.cards().size() > 2);
}

void TstStartPage::galleryShowsRecipes()
{
    Fixture fixture(m_filled);
    QVERIFY(fixture.load());
    QVERIFY(!fixture.page.firstStart());
    QCOMPARE(fixture.cards().size(), qsizetype(recipes().size()));
    int available = 0;
    for (RecipeCard* card : fixture.cards()) {
        QVERIFY(!card->accessibleName().isEmpty());
        QVERIFY(!card->toolTip().isEmpty());
        available += card->available() ? 1 : 0;
        QCOMPARE(card->startButton() != nullptr, card->available());
        if (!card->available()) {
            QVERIFY(card->accessibleDescription().startsWith(u"Not available"_s));
            continue;
        }
        // The button says how much and how long.
        QVERIFY2(card->startButton()->text().startsWith(u"Start · "_s) &&
                     (card->startButton()->text().contains(u"min"_s) || card->startButton()->text().contains(u" h"_s)),
                 qPrintable(card->startButton()->text()));
        QCOMPARE(card->startButton()->text().contains(u"quick"_s), card->size() == u"quick");
        QVERIFY(!card->findChild<FoundLabel*>()->text().isEmpty());
    }
    const auto* count = fixture.page.findChild<QLabel*>(u"startCount"_s);
    QCOMPARE(count->text(), u"%1 questions · %2 can run here"_s.arg(recipes().size()).arg(available));
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
        QVERIFY2(card, info.id.c_str());
        auto* departs = card->findChild<QLabel*>(u"departs."_s + id); // none on what cannot run here
        QCOMPARE(departs != nullptr, card->available());
        if (departs)
            QCOMPARE(departs->isVisibleTo(card), !info.departs.empty());
        if (info.departs.empty()) {
            ++faithful;
            continue;
        }
        ++departing;
        QVERIFY2(!departs || departs->text().startsWith(QString::number(info.departs.size()) + u' '), info.id.c_str());
        for (const std::string& one : info.departs) {
            QVERIFY2(card->toolTip().contains(QString::fromStdString(one)), one.c_str());
            QVERIFY2(card->accessibleDescription().contains(QString::fromStdString(one)), one.c_str());
        }
    }
    QVERIFY(departing > 0 && faithful > 0);
}

//! Eight subjects beside All; each question is about one of them at least.
void TstStartPage::subjectsFilter()
{
    for (const RecipeInfo& info : recipes()) {
        QVERIFY2(std::ranges::any_of(
                     kSubjects, [&](const char* one) { return std::ranges::find(info.tags, one) != info.tags.end(); }),
                 info.id.c_str());
    }
    Fixture fixture(m_filled);
    QVERIFY(fixture.load());
    QCOMPARE(fixture.page.findChildren<PillButton*>().size(), qsizetype(kSubjects.size()) + 2); // and "Yours",
    QVERIFY(!fixture.button(u"pill.own"_s)->isVisible());                                       // which are none
    const auto all = fixture.cards().size();
    for (const char* subject : kSubjects) {
        auto* pill = fixture.button(u"pill."_s + QLatin1String(subject));
        QTest::mouseClick(pill, Qt::LeftButton);
        QVERIFY(pill->isChecked());
        std::set<QString> wanted, shown;
        for (const RecipeInfo& info : recipes()) {
            if (std::ranges::find(info.tags, subject) != info.tags.end())
                wanted.insert(QString::fromStdString(info.id));
        }
        for (const RecipeCard* card : fixture.cards())
            shown.insert(card->recipeId());
        QVERIFY2(!wanted.empty(), subject);
        QVERIFY2(shown == wanted, subject);
    }
    QTest::mouseClick(fixture.button(u"pill.all"_s), Qt::LeftButton);
    QCOMPARE(fixture.cards().size(), all);
}

void TstStartPage::searchAndProduct()
{
    Fixture fixture(m_filled);
    QVERIFY(fixture.load());
    QVERIFY(QTest::qWaitForWindowActive(&fixture.page));
    const auto all = fixture.cards().size();
    auto* search = fixture.page.findChild<QLineEdit*>(u"startSearch"_s);
    fixture.cards().front()->setFocus();
    QTest::keyClick(fixture.cards().front(), Qt::Key_F, Qt::ControlModifier);
    QCOMPARE(fixture.page.focusWidget(), static_cast<QWidget*>(search));
    QTest::keyClicks(search, u"SYNCHRONOUS wal"_s); // names of settings, in any case; all words
    QVERIFY(fixture.cards().size() > 0 && fixture.cards().size() < all);
    QVERIFY(fixture.page.findChild<RecipeCard*>(u"recipe.durability-sqlite"_s)->isVisible());
    search->clear();
    QCOMPARE(fixture.cards().size(), all);
    auto* product = fixture.page.findChild<ChoicePill*>(u"startProduct"_s);
    QVERIFY(product->choices().size() > 2);
    product->setFocus();
    QTest::keyClick(product, Qt::Key_Down); // the first one after "all"
    QVERIFY(!product->current().isEmpty());
    const auto ofOne = fixture.cards().size();
    QVERIFY(ofOne > 0 && ofOne < all);
    QTest::keyClicks(search, u"nothing has these words"_s);
    QCOMPARE(fixture.cards().size(), 0);
    auto* empty = fixture.page.findChild<EmptyState*>();
    QVERIFY(empty->isVisible());
    QTest::mouseClick(empty->findChild<QPushButton*>(), Qt::LeftButton);
    QCOMPARE(fixture.cards().size(), all);
    QVERIFY(search->text().isEmpty() && product->current().isEmpty() && fixture.button(u"pill.all"_s)->isChecked());
}

//! The minute that needs nothing comes first, what cannot run here last.
void TstStartPage::order()
{
    RecipeModel model;
    std::vector<Recipe> given;
    for (const char* id : {"missing", "plain", "newer", "older", "first"}) {
        Recipe& one = given.emplace_back();
        one.id = QLatin1String(id);
        if (one.id == u"first")
            one.tags << u"first"_s;
        if (one.id == u"missing")
            one.problem = u"no server"_s;
    }
    const auto ids = [&model] {
        QStringList list;
        for (int row = 0; row < model.rowCount(); ++row)
            list << model.recipe(row).id;
        return list;
    };
    model.setRecipes(given);
    QCOMPARE(ids(), (QStringList{u"first"_s, u"plain"_s, u"newer"_s, u"older"_s, u"missing"_s}));
    OwnResults own;
    own[u"older"_s].startedMs = 1000;
    own[u"newer"_s].startedMs = 2000;
    own[u"missing"_s].startedMs = 3000; // it ran once, and cannot now
    model.setOwnResults(own);
    QCOMPARE(ids(), (QStringList{u"first"_s, u"newer"_s, u"older"_s, u"plain"_s, u"missing"_s}));
}

//! The picture of a card is one's own last result where there is one, and says so; else an example.
void TstStartPage::ownResults()
{
    QTemporaryDir dir;
    Plan plan = *recipePlan("durability-sqlite");
    plan.load.timeSeconds = 0.2;
    plan.load.warmupSeconds = 0;
    plan.load.intervalSeconds = 0.1;
    plan.load.repeats = 1;
    plan.load.users = {1};
    plan.workload.params["table_size"] = std::int64_t(100);
    RunnerOptions options;
    options.library = libraryIn(dir);
    SessionRunner runner(plan, options, {});
    runner.start();
    runner.wait();
    Fixture fixture(libraryIn(dir));
    QVERIFY(fixture.load());
    const auto chip = [&fixture](const char* id) {
        return fixture.page.findChild<QLabel*>(u"chip."_s + QLatin1String(id));
    };
    QVERIFY2(chip("durability-sqlite")->text() == u"last result, today" ||
                 chip("durability-sqlite")->text() == u"last result, yesterday",
             qPrintable(chip("durability-sqlite")->text()));
    QCOMPARE(chip("readwrite-sqlite")->text(), u"example"_s);
    auto library = Library::open(libraryIn(dir), Library::Mode::ReadOnly);
    QVERIFY(library);
    auto session = (*library)->session((*library)->sessions()->front().id);
    QVERIFY(session);
    auto* card = fixture.page.findChild<RecipeCard*>(u"recipe.durability-sqlite"_s);
    const ChartPreview shown = card->findChild<RecipePicture*>()->preview();
    QVERIFY(shown.figures && shown.unit == u"transactions/s");
    // One run a case: a bar is what its run measured.
    QCOMPARE(shown.series.size(), session->runs.size());
    for (std::size_t i = 0; i < shown.series.size(); ++i) {
        const auto run =
            std::ranges::find(session->runs, int(i), [](const StoredRun& one) { return one.header.point; });
        QVERIFY(run != session->runs.end());
        const ChartPreview::Series& series = shown.series[i];
        QCOMPARE(series.label, (QStringList{u"FULL"_s, u"NORMAL"_s, u"OFF"_s}.value(qsizetype(i))));
        QCOMPARE(series.values, std::vector<double>{run->summary.tps});
    }
    QVERIFY(!fixture.page.findChild<RecipeCard*>(u"recipe.readwrite-sqlite"_s)
                 ->findChild<RecipePicture*>()
                 ->preview()
                 .figures);
}

//! What sessions found comes with the second reading, of recipes of ours only: a file of a stranger names any source.
void TstStartPage::theFirstReadingLists()
{
    test::SampleLibrary library;
    (void)library.addShort("of a recipe");
    recordSession(library.file(), "of nothing", "no recipe of ours");
    const auto list = readStart(library.file(), {}, StartDepth::List);
    QVERIFY(list && list->any && list->own.empty());
    QCOMPARE(list->latest.size(), std::size_t(2));
    for (const LatestSession& latest : list->latest)
        QVERIFY(latest.digest.chart.isEmpty() && latest.digest.verdict.isEmpty());
    const auto all = readStart(library.file(), {}, StartDepth::Digests);
    QVERIFY(all);
    QCOMPARE(all->latest.size(), std::size_t(2));
    for (const LatestSession& latest : all->latest)
        QVERIFY2(!latest.digest.chart.isEmpty(), latest.info.title.c_str());
    QCOMPARE(all->own.size(), std::size_t(1));
    QCOMPARE(all->own.begin()->first, u"durability-sqlite"_s);
}

void TstStartPage::theListComesBeforeItsFindings()
{
    test::SampleLibrary library;
    const QString id = library.addShort("measured");
    Fixture fixture(library.file());
    QStringList verdicts; // of the session's card, each time something came on the screen
    connect(&fixture.page, &StartPage::loadedChanged, this, [&] {
        for (const auto* label : fixture.page.findChildren<QLabel*>(u"verdict."_s + id)) {
            if (label->isVisibleTo(&fixture.page))
                verdicts << label->accessibleName();
        }
    });
    QVERIFY(fixture.load());
    QVERIFY2(verdicts.size() >= 2 && verdicts.front().isEmpty(), qPrintable(verdicts.join(u'|')));
    QVERIFY2(verdicts.back().startsWith(u"Throughput is 2.67× "_s), qPrintable(verdicts.back())); // 14 200 and 5 300
    // What was found later makes cards anew; the person stays where they are.
    QVERIFY(QTest::qWaitForWindowActive(&fixture.page));
    const QString name = u"start.durability-sqlite"_s;
    const QPointer<QPushButton> before = fixture.button(name);
    before->setFocus();
    (void)library.addShort("measured again", 2);
    QSignalSpy loaded(&fixture.page, &StartPage::loadedChanged);
    fixture.context.notifyLibraryChanged();
    QVERIFY(loaded.wait(test::kPatienceMs));
    QVERIFY(QTest::qWaitFor([&] { return before.isNull(); }, test::kPatienceMs));
    auto* focused = qobject_cast<QPushButton*>(QApplication::focusWidget());
    QVERIFY(focused);
    QCOMPARE(focused->objectName(), name);
}

//! Reading would disturb what is measured: the session's end reads.
void TstStartPage::nothingIsReadWhileASessionRuns()
{
    QTemporaryDir dir;
    recordSession(libraryIn(dir), "before");
    Fixture fixture(libraryIn(dir));
    QVERIFY(fixture.load());
    Plan plan = test::quickPlan();
    plan.title = "running";
    plan.load.timeSeconds = 600;
    RunnerOptions options;
    options.library = libraryIn(dir);
    QSignalSpy loaded(&fixture.page, &StartPage::loadedChanged);
    QSignalSpy finished(&fixture.context.run(), &RunFeed::sessionFinished);
    QSignalSpy sampled(&fixture.context.run(), &RunFeed::sampled);
    QVERIFY(fixture.context.run().start(plan, options));
    QVERIFY(sampled.count() > 0 || sampled.wait(test::kPatienceMs)); // it is in the library
    fixture.context.notifyLibraryChanged();
    QVERIFY(QThreadPool::globalInstance()->waitForDone(test::kPatienceMs)); // a reading would be there
    fixture.context.run().stop();
    QVERIFY(finished.count() > 0 || finished.wait(test::kPatienceMs));
    const auto ended = [&fixture] { // not "running"
        return std::ranges::any_of(fixture.page.findChildren<Chip*>(),
                                   [](const Chip* chip) { return chip->text().startsWith(u"stopped"_s); });
    };
    QVERIFY(QTest::qWaitFor(ended, test::kPatienceMs));
    QCOMPARE(loaded.count(), 1);
}

void TstStartPage::oneFilledButton()
{
    const auto filled = [](const Fixture& fixture) {
        QStringList names;
        for (const auto* button : fixture.page.findChildren<QPushButton*>()) {
            if (button->isVisible() && button->property("role").toString() == u"primary" &&
                !button->objectName().startsWith(u"sizes."_s)) // the other half of one
                names << button->objectName();
        }
        return names;
    };
    Fixture fixture(m_filled);
    QVERIFY(fixture.load());
    QCOMPARE(fixture.cards().front()->recipeId(), u"durability-sqlite"_s);
    QCOMPARE(filled(fixture), QStringList{u"start.durability-sqlite"_s});
    QTemporaryDir dir;
    Fixture first(libraryIn(dir));
    QVERIFY(first.load());
    QCOMPARE(filled(first), QStringList{u"firstStart"_s});
    QTest::mouseClick(first.button(u"showAll"_s), Qt::LeftButton);
    QCOMPARE(filled(first), QStringList{u"firstStart"_s});
}

//! Reason in words, a link to what helps, no button; below all that can run.
void TstStartPage::whatCannotRun()
{
    Recipe server;
    server.id = u"a"_s;
    server.title = u"Which one?"_s;
    server.problem = u"no program of that version in /usr/sbin"_s;
    server.reason = u"Thing 9 was not found"_s;
    server.remedy = u"install it"_s;
    server.help = RecipeHelp::AddServer;
    RecipeCard card(server, nullptr, RecipeCard::Look::Gallery);
    QVERIFY(!card.available() && !card.startButton());
    QCOMPARE(card.findChild<QLabel*>(u"reason.a"_s)->text(), u"Thing 9 was not found"_s);
    QVERIFY(card.toolTip().contains(server.problem) && card.toolTip().contains(server.remedy));
    auto* link = card.findChild<QPushButton*>(u"help.a"_s);
    QCOMPARE(link->text(), u"Add a server…"_s);
    QSignalSpy help(&card, &RecipeCard::helpClicked);
    QSignalSpy opened(&card, &RecipeCard::clicked);
    QTest::mouseClick(link, Qt::LeftButton);
    QCOMPARE(help.count(), 1);
    QCOMPARE(opened.count(), 0);

    Fixture fixture(m_filled);
    QVERIFY(fixture.load());
    fixture.page.resize(1356, 4000);
    test::keepPictures(fixture.page, u"start-whole"_s);
    // Below all that can run, once everything has its place.
    const auto areLast = [&fixture] {
        int lowest = 0, highest = std::numeric_limits<int>::max();
        for (const RecipeCard* one : fixture.cards()) {
            const int top = one->mapTo(&fixture.page, QPoint()).y();
            if (one->available())
                lowest = std::max(lowest, top + one->height());
            else
                highest = std::min(highest, top);
        }
        return highest >= lowest;
    };
    QVERIFY(QTest::qWaitFor(areLast, test::kPatienceMs));
    for (RecipeCard* one : fixture.cards()) {
        if (one->available())
            continue;
        auto* what = fixture.button(u"help."_s + one->recipeId());
        QVERIFY(what && what->isVisible());
        fixture.bringIntoView(what);
        QSignalSpy pages(&fixture.context, &AppContext::pageRequested);
        QTest::mouseClick(what, Qt::LeftButton);
        auto* box = fixture.page.findChild<QMessageBox*>(u"helpBox"_s);
        QVERIFY2((pages.count() == 1 && pages.front().front().toString() == u"serversPage") ||
                     (box && box->isVisible()),
                 qPrintable(one->recipeId()));
        QVERIFY(!box || !(box->text() + box->informativeText()).contains(QChar(0x200b))); // can be copied
        delete box;
    }
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
    fixture.bringIntoView(card);
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
    QCOMPARE(card->size(), u"quick"_s); // the shortest that says something
    auto* button = fixture.button(u"sizes."_s + card->recipeId());
    QVERIFY(button->accessibleName().contains(u"quick"_s));
    fixture.bringIntoView(card);
    QTest::mouseClick(button, Qt::LeftButton);
    auto* menu = button->findChild<QMenu*>();
    QVERIFY(menu && menu->isVisible());
    QAction* laptop = nullptr;
    for (QAction* action : menu->actions()) {
        if (action->objectName() == u"size.laptop")
            laptop = action;
    }
    QVERIFY(laptop);
    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(laptop).center());
    QCOMPARE(card->size(), u"laptop"_s);
    QVERIFY(card->startButton()->text().contains(u"laptop"_s));
    QTest::mouseClick(card, Qt::LeftButton, {}, QPoint(20, 20));
    QVERIFY(edited.sizes.empty()); // one of them was applied
    Plan wanted = *recipePlan(card->recipeId().toStdString());
    QVERIFY(applySize(wanted, "laptop"));
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
    // Read again, nothing is new: the cards stay.
    const QPointer<QPushButton> before = open;
    QSignalSpy loaded(&fixture.page, &StartPage::loadedChanged);
    fixture.context.notifyLibraryChanged();
    QVERIFY(loaded.wait(test::kPatienceMs));
    QVERIFY(before && before->isVisible());
}

//! The plan that was last worked on comes first, as long as it has not been run as it is.
void TstStartPage::continueWithThePlan()
{
    test::ownSettings();
    Plan plan = test::quickPlan();
    plan.title = "worked on";
    plan.load.users = {1, 2};
    rememberPlan({u"title = \"before\""_s, {}, {}, false});
    {
        Fixture fixture(m_filled);
        QVERIFY(fixture.load());
        QVERIFY(!fixture.page.findChild<QWidget*>(u"continuePlan"_s)); // what the program began with
    }
    const QString toml = QString::fromStdString(writePlan(plan));
    rememberPlan({toml, {}, {}, false});
    {
        Fixture fixture(m_filled);
        QVERIFY(fixture.load());
        const QString state = fixture.page.findChild<QLabel*>(u"continuePlanState"_s)->text();
        QVERIFY2(state.startsWith(u"plan, not run yet · opened "_s), qPrintable(state));
    }
    rememberPlan({toml, {}, {}, true});
    rememberPlan({toml, u"saved.toml"_s, {}, false}); // it is changed also when a file has it
    QVERIFY(lastPlan().changed);
    Fixture fixture(m_filled);
    QVERIFY(fixture.load());
    const QString state = fixture.page.findChild<QLabel*>(u"continuePlanState"_s)->text();
    QVERIFY2(state.startsWith(u"plan, not run yet · changed "_s), qPrintable(state));
    const auto* card = fixture.page.findChild<QWidget*>(u"continuePlan"_s);
    QVERIFY(card && card->isVisible());
    fixture.page.resize(1356, 900);
    test::keepPictures(fixture.page, u"start-1440"_s);
    fixture.page.resize(1196, 800);
    test::keepPictures(fixture.page, u"start-1280"_s);
    for (auto* open : fixture.page.findChildren<QPushButton*>()) {
        if (open->objectName().startsWith(u"open."_s))
            QVERIFY(open->mapTo(&fixture.page, QPoint()).x() > card->mapTo(&fixture.page, QPoint()).x());
    }
    QSignalSpy pages(&fixture.context, &AppContext::pageRequested);
    QTest::mouseClick(fixture.button(u"continuePlanOpen"_s), Qt::LeftButton);
    QCOMPARE(pages.takeFirst().front().toString(), u"planPage"_s);
    auto* start = fixture.button(u"continuePlanStart"_s);
    QCOMPARE(start->text(), u"Start · 2 runs, 1\u00a0min"_s);
    QSignalSpy finished(&fixture.context.run(), &RunFeed::sessionFinished);
    QTest::mouseClick(start, Qt::LeftButton);
    QVERIFY(finished.count() > 0 || finished.wait(test::kPatienceMs));
    // Now it has been run: its session stands there.
    QVERIFY(QTest::qWaitFor(
        [&fixture] {
            const auto* left = fixture.page.findChild<QWidget*>(u"continuePlan"_s);
            return !left || !left->isVisible();
        },
        test::kPatienceMs));
    QVERIFY(lastPlan().ran);
    rememberPlan({QString::fromStdString(writePlan(plan)), {}, {}, true});
    QVERIFY(lastPlan().ran); // the same
    plan.load.users = {1, 4};
    rememberPlan({QString::fromStdString(writePlan(plan)), {}, {}, true});
    QVERIFY(!lastPlan().ran);
    test::ownSettings();
}

//! A session that was stopped says how far it came, and completing it is what comes next.
void TstStartPage::continueWhatIsMissing()
{
    QTemporaryDir dir;
    Plan plan = test::quickPlan();
    plan.title = "stopped early";
    plan.load.repeats = 3;
    RunnerOptions options;
    options.library = libraryIn(dir);
    StopAtRun stop(2); // of three, counted from 0
    std::string id;
    {
        SessionRunner runner(plan, options, {&stop});
        stop.runner = &runner;
        runner.start();
        runner.wait();
        id = runner.sessionId();
    }
    Fixture fixture(libraryIn(dir));
    QVERIFY(fixture.load());
    auto* missing = fixture.button(u"missing."_s + QString::fromStdString(id));
    QVERIFY(missing && missing->isVisible());
    QVERIFY2(missing->text().startsWith(u"Run the missing 1"_s), qPrintable(missing->text()));
    QVERIFY(std::ranges::any_of(fixture.page.findChildren<Chip*>(),
                                [](const Chip* chip) { return chip->text() == u"stopped, 2 of 3 runs"; }));
    QVERIFY(!fixture.button(u"again."_s + QString::fromStdString(id)));
    test::keepPictures(fixture.page, u"start-missing"_s);
    QSignalSpy finished(&fixture.context.run(), &RunFeed::sessionFinished);
    QTest::mouseClick(missing, Qt::LeftButton);
    QVERIFY(finished.count() > 0 || finished.wait(test::kPatienceMs));
    auto library = Library::open(libraryIn(dir), Library::Mode::ReadOnly);
    QVERIFY(library);
    const auto sessions = (*library)->sessions();
    QCOMPARE(sessions->size(), std::size_t(1)); // into the same one
    QCOMPARE(sessions->front().runsDone, 3);
}

//! Four side by side; two by two where the window is narrower than 1280, and three cards of questions.
void TstStartPage::continueColumns()
{
    QTemporaryDir dir;
    for (const char* title : {"one", "two", "three", "four", "five"})
        recordSession(libraryIn(dir), title);
    Fixture fixture(libraryIn(dir));
    QVERIFY(fixture.load());
    const auto row = [&fixture](const QString& prefix) {
        std::set<int> lefts;
        for (const auto* widget : fixture.page.findChildren<QWidget*>()) {
            if (widget->isVisible() && widget->objectName().startsWith(prefix))
                lefts.insert(widget->mapTo(&fixture.page, QPoint()).x());
        }
        return lefts.size();
    };
    fixture.page.resize(1196, 760); // of a window of 1280
    QVERIFY(QTest::qWaitFor([&] { return row(u"continue."_s) == 4 && row(u"recipe."_s) == 4; }, test::kPatienceMs));
    fixture.page.resize(1100, 760);
    QVERIFY(QTest::qWaitFor([&] { return row(u"continue."_s) == 2 && row(u"recipe."_s) == 3; }, test::kPatienceMs));
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
    QVERIFY(finished.wait(test::kPatienceMs));
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
        // Below the picture of a card, beside the glyph of one that cannot run.
        int bottom = card->available() ? card->findChild<RecipePicture*>()->geometry().bottom() : 0;
        QList<QLabel*> labels = card->findChildren<QLabel*>(Qt::FindDirectChildrenOnly);
        labels.removeIf([](const QLabel* label) {
            return !label->isVisible() || label->objectName().startsWith(u"departs."_s) ||
                   label->inherits("dyno::Chip");
        });
        if (card->available()) // without what the picture is of
            labels.removeIf([bottom](const QLabel* label) { return label->y() < bottom && label->height() < 20; });
        QVERIFY(labels.size() >= 2);
        std::ranges::sort(labels, {}, &QLabel::y);
        for (const QLabel* label : labels) {
            QVERIFY2(label->y() >= bottom, qPrintable(label->text()));
            QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
            bottom = label->geometry().bottom();
        }
        QVERIFY2(bottom < card->height(), qPrintable(card->accessibleName()));
    }
    // Cards of one row are alike.
    std::map<int, int> heights;
    for (const RecipeCard* card : fixture.cards())
        QCOMPARE(heights.emplace(card->mapTo(&fixture.page, QPoint()).y(), card->height()).first->second,
                 card->height());
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
