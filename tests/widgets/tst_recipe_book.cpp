// SPDX-License-Identifier: GPL-3.0-or-later
// Recipes of one's own as a person meets them: saved from the Plan page and from a session, on Start, deleted and
// brought back, a file of somebody else; and the three questions that lead to a recipe.
#include "bridge/app_context.h"
#include "bridge/library_undo.h"
#include "bridge/recipe_book.h"
#include "bridge/run_bridge.h"
#include "parts/labels.h"
#include "pictures.h"
#include "plan/plan_page.h"
#include "plan_page_fixture.h"
#include "sessions/sessions_page.h"
#include "start/guide_dialog.h"
#include "start/recipe_card.h"
#include "start/start_page.h"
#include "support/own_settings.h"
#include "support/patience.h"
#include "support/suite.h"
#include "theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <dyno/catalog.h>
#include <dyno/own_recipes.h>
#include <filesystem>
#include <fstream>
#include <memory>

namespace dyno::tst_recipe_book {
using namespace Qt::StringLiterals;

namespace {

template<class Fact>
bool becomes(const Fact& fact)
{
    return QTest::qWaitFor(fact, test::kPatienceMs);
}

} // namespace

class TstRecipeBook : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        test::ownSettings();
        Theme::instance().apply(*qApp);
    }
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        qputenv("XDG_DATA_HOME", m_dir->path().toUtf8());
        m_library = std::filesystem::path(m_dir->path().toStdString()) / "library.dynolib";
        m_context = std::make_unique<AppContext>(m_library);
    }
    void cleanup() { m_context.reset(); }

    void savedFromThePlanPage();
    void savedFromASession();
    void deletedAndBroughtBack();
    void renamedOnItsCard();
    void aFileOfSomebodyIsShownFirst();
    void aPlainPlanIsNoRecipe();
    void damagedOneSaysWhere();
    void theGuideStartsARecipe();
    void theGuideBeginsAPlan();
    void offersFitTheTime();

private:
    [[nodiscard]] std::filesystem::path folder() const { return recipesFolder(m_library); }
    std::string save(const char* name)
    {
        const auto id = saveRecipe(folder(), test::quickPlan(), {name, std::string("Question of ") + name, "Text"});
        return id ? *id : std::string();
    }
    void record()
    {
        RunnerOptions options;
        options.library = m_library;
        SessionRunner runner(test::quickPlan(), options, {});
        runner.start();
        runner.wait();
    }
    template<class T>
    static T* opened(const QWidget& page, const QString& name)
    {
        T* found = nullptr;
        becomes([&] {
            found = page.findChild<T*>(name);
            return found && found->isVisible();
        });
        return found;
    }
    static RecipeCard* card(const StartPage& page, const std::string& id)
    {
        RecipeCard* found = nullptr;
        becomes([&] {
            if (!page.complete())
                return false;
            for (auto* one : page.findChildren<RecipeCard*>(u"recipe."_s + QString::fromStdString(id))) {
                if (one->isVisible())
                    found = one;
            }
            return found != nullptr;
        });
        return found;
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::filesystem::path m_library;
    std::unique_ptr<AppContext> m_context;
};

void TstRecipeBook::savedFromThePlanPage()
{
    record();
    PlanPage page(*m_context);
    page.resize(1196, 760);
    page.show();
    m_context->editPlan(test::quickPlan());
    page.findChild<QAction*>(u"planRecipe"_s)->trigger();
    auto* dialog = opened<QDialog>(page, u"recipeDialog"_s);
    QVERIFY(dialog);
    auto* button = dialog->findChild<QPushButton*>(u"recipeSave"_s);
    QVERIFY(!button->isEnabled()); // it has no name yet
    QTest::keyClicks(dialog->findChild<QLineEdit*>(u"recipeName"_s), u"Night flush"_s);
    auto* by = dialog->findChild<QLineEdit*>(u"recipeBy"_s);
    QVERIFY(by && dialog->findChild<QCheckBox*>(u"recipeResult"_s)->isChecked()); // of the session of this plan
    by->setText(u"Ada"_s);
    test::keepPictures(*dialog, u"recipe-save"_s);
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(becomes([this] { return !ownRecipes(folder()).empty(); }));
    const OwnRecipe saved = ownRecipes(folder()).front();
    QVERIFY(saved.faults.empty());
    QCOMPARE(saved.info.id, std::string("own-night-flush"));
    QVERIFY(!saved.plan->published.empty());
    QVERIFY(saved.plan->published.front().source.find("Ada") != std::string::npos);
    StartPage start(*m_context);
    start.resize(1196, 760);
    start.show();
    RecipeCard* shown = card(start, saved.info.id);
    QVERIFY(shown && shown->available());
    QCOMPARE(shown->findChild<QLabel*>(u"chip.own-night-flush"_s)->text(), u"your recipe"_s);
    auto* pill = start.findChild<QPushButton*>(u"pill.own"_s);
    QVERIFY(pill->isVisible());
    test::keepPictures(start, u"start-own"_s);
    QTest::mouseClick(pill, Qt::LeftButton);
    int visible = 0;
    for (const auto* one : start.findChildren<RecipeCard*>())
        visible += one->isVisible() ? 1 : 0;
    QCOMPARE(visible, 1);
    QSignalSpy edited(m_context.get(), &AppContext::planEditRequested);
    QTest::keyClick(shown, Qt::Key_Return);
    QCOMPARE(edited.count(), 1);
}

void TstRecipeBook::savedFromASession()
{
    record();
    SessionsPage page(*m_context);
    page.resize(1196, 760);
    page.show();
    auto* table = page.findChild<QTableView*>(u"sessionTable"_s);
    QVERIFY(becomes([table] { return table->model()->rowCount() == 1; }));
    table->selectRow(0);
    auto* action = page.findChild<QAction*>(u"sessionRecipe"_s);
    QVERIFY(becomes([action] { return action->isEnabled(); }));
    action->trigger();
    auto* dialog = opened<QDialog>(page, u"recipeDialog"_s);
    QVERIFY(dialog);
    QTest::keyClicks(dialog->findChild<QLineEdit*>(u"recipeName"_s), u"From a session"_s);
    QTest::mouseClick(dialog->findChild<QCheckBox*>(u"recipeResult"_s), Qt::LeftButton, {},
                      QPoint(8, dialog->findChild<QCheckBox*>(u"recipeResult"_s)->height() / 2));
    QTest::mouseClick(dialog->findChild<QPushButton*>(u"recipeSave"_s), Qt::LeftButton);
    QVERIFY(becomes([this] { return !ownRecipes(folder()).empty(); }));
    QVERIFY(ownRecipes(folder()).front().plan->published.empty()); // it was unticked
}

void TstRecipeBook::deletedAndBroughtBack()
{
    record();
    const std::string id = save("gone soon");
    StartPage page(*m_context);
    page.resize(1196, 760);
    page.show();
    RecipeCard* shown = card(page, id);
    QVERIFY(shown);
    const QString name = QString::fromStdString(id);
    QTest::mouseClick(shown->findChild<QPushButton*>(u"more."_s + name), Qt::LeftButton);
    auto* menu = shown->findChild<QMenu*>(u"menu."_s + name);
    QVERIFY(menu->isVisible());
    menu->findChild<QAction*>(u"remove."_s + name)->trigger();
    menu->close();
    QVERIFY(becomes([this] { return ownRecipes(folder()).empty(); }));
    QUndoStack& stack = LibraryUndo::of(*m_context).stack();
    QVERIFY(becomes([&stack] { return stack.canUndo(); }));
    stack.undo();
    QVERIFY(becomes([this] { return ownRecipes(folder()).size() == 1; }));
    QVERIFY(card(page, id));
}

void TstRecipeBook::renamedOnItsCard()
{
    record();
    const std::string id = save("old name");
    StartPage page(*m_context);
    page.resize(1196, 760);
    page.show();
    RecipeCard* shown = card(page, id);
    QVERIFY(shown);
    shown->findChild<QAction*>(u"rename."_s + QString::fromStdString(id))->trigger();
    auto* dialog = opened<QDialog>(page, u"recipeDialog"_s);
    QVERIFY(dialog);
    auto* question = dialog->findChild<QLineEdit*>(u"recipeQuestion"_s);
    QCOMPARE(question->text(), u"Question of old name"_s);
    question->setText(u"What else?"_s);
    QTest::mouseClick(dialog->findChild<QPushButton*>(u"recipeSave"_s), Qt::LeftButton);
    QVERIFY(becomes([&] {
        const RecipeCard* now = card(page, id);
        return now && now->accessibleName() == u"What else?"_s;
    }));
}

//! Nothing is written or opened before a button is pressed; Enter presses the one that does nothing.
void TstRecipeBook::aFileOfSomebodyIsShownFirst()
{
    Plan plan = test::quickPlan();
    plan.title = "<img src=x> question";
    if (!findDriver("mysql"))
        QSKIP("this build has no driver whose sessions run statements of a plan");
    plan.target.uri = "mysql://root@127.0.0.1:1/test";
    plan.set["connection.init_sql"] = std::string("DROP TABLE t");
    const std::filesystem::path other = m_dir->filePath(u"other.recipes"_s).toStdString();
    const auto id = saveRecipe(other, plan, {"gift", plan.title, "<b>bold</b>"});
    QVERIFY2(id, id ? "" : id.error().text().c_str());
    const QString file = QString::fromStdString((other / (*id + ".toml")).string());
    QWidget window;
    window.show();
    QSignalSpy edited(m_context.get(), &AppContext::planEditRequested);
    bool otherwise = false;
    const auto offer = [&] { RecipeBook::of(*m_context).offerFile(file, &window, [&otherwise] { otherwise = true; }); };
    offer();
    auto* dialog = opened<QDialog>(window, u"recipeFile"_s);
    QVERIFY(dialog && !otherwise);
    QCOMPARE(dialog->findChild<QLabel*>(u"recipeFileQuestion"_s)->textFormat(), Qt::PlainText);
    QVERIFY(dialog->findChild<QPlainTextEdit*>(u"recipeFileText"_s)->toPlainText().contains(u"DROP TABLE t"_s));
    QVERIFY(dialog->findChild<QLabel*>(u"recipeFileTrust"_s)->text().contains(u"connection.init_sql"_s));
    QTest::keyClick(dialog, Qt::Key_Return);
    QVERIFY(becomes([&] { return !window.findChild<QDialog*>(u"recipeFile"_s); }));
    QVERIFY(!std::filesystem::exists(folder()));
    QCOMPARE(edited.count(), 0);
    offer();
    dialog = opened<QDialog>(window, u"recipeFile"_s);
    QVERIFY(dialog);
    QTest::mouseClick(dialog->findChild<QPushButton*>(u"recipeFileAdd"_s), Qt::LeftButton);
    QVERIFY(becomes([this] { return ownRecipes(folder()).size() == 1; }));
    QCOMPARE(ownRecipes(folder()).front().info.id, std::string("added-gift"));
    QCOMPARE(edited.count(), 0);
    // And at its run it is asked about, as any stranger's plan.
    QSignalSpy asked(m_context.get(), &AppContext::consentRequested);
    StartPage page(*m_context);
    page.resize(1196, 760);
    page.show();
    QVERIFY(becomes([&page] { return page.complete(); }));
    if (page.firstStart())
        QTest::mouseClick(page.findChild<QPushButton*>(u"showAll"_s), Qt::LeftButton);
    RecipeCard* shown = card(page, "added-gift");
    QVERIFY(shown && shown->startButton());
    QCOMPARE(shown->findChild<QLabel*>(u"chip.added-gift"_s)->text(), u"added recipe"_s);
    shown->startButton()->click();
    QVERIFY(becomes([&asked] { return asked.count() == 1; }));
    QVERIFY(!m_context->run().active());
}

void TstRecipeBook::aPlainPlanIsNoRecipe()
{
    const QString file = m_dir->filePath(u"plan.toml"_s);
    std::ofstream(file.toStdString()) << writePlan(test::quickPlan());
    QWidget window;
    bool otherwise = false;
    RecipeBook::of(*m_context).offerFile(file, &window, [&otherwise] { otherwise = true; });
    QVERIFY(becomes([&otherwise] { return otherwise; }));
}

void TstRecipeBook::damagedOneSaysWhere()
{
    record();
    const std::string id = save("broken");
    QVERIFY(!id.empty());
    std::ofstream(folder() / (id + ".toml")) << "title = \"Broken\"\nworkload.name = 1\n";
    StartPage page(*m_context);
    page.resize(1196, 760);
    page.show();
    const RecipeCard* shown = card(page, id);
    QVERIFY(shown && !shown->available());
    const auto* reason = shown->findChild<QLabel*>(u"reason."_s + QString::fromStdString(id));
    QVERIFY(reason && reason->text().contains(u"Line "_s));
    QVERIFY(shown->findChild<QPushButton*>(u"more."_s + QString::fromStdString(id))); // it can be deleted
}

void TstRecipeBook::theGuideStartsARecipe()
{
    record();
    StartPage page(*m_context);
    page.resize(1196, 760);
    page.show();
    QVERIFY(becomes([&page] { return page.complete(); }));
    QTest::mouseClick(page.findChild<QPushButton*>(u"startGuide"_s), Qt::LeftButton);
    auto* dialog = opened<QDialog>(page, u"guideDialog"_s);
    QVERIFY(dialog);
    auto* subject = dialog->findChild<QComboBox*>(u"guideSubject"_s);
    subject->setCurrentIndex(subject->findData(u"durability"_s));
    QVERIFY(subject->currentIndex() >= 0);
    auto* product = dialog->findChild<QComboBox*>(u"guideProduct"_s);
    product->setCurrentIndex(product->findData(u"SQLite"_s));
    auto* time = dialog->findChild<QComboBox*>(u"guideTime"_s);
    time->setCurrentIndex(0);
    auto* list = dialog->findChild<QListWidget*>(u"guideOffers"_s);
    QVERIFY(list->count() > 0);
    test::keepPictures(*dialog, u"guide"_s);
    QSignalSpy edited(m_context.get(), &AppContext::planEditRequested);
    QTest::mouseClick(dialog->findChild<QPushButton*>(u"guideStart"_s), Qt::LeftButton);
    QVERIFY(becomes([this] { return m_context->run().active(); }));
    QSignalSpy finished(&m_context->run(), &RunFeed::sessionFinished);
    m_context->run().stop();
    QVERIFY(finished.count() > 0 || finished.wait(test::kPatienceMs));
    QCOMPARE(edited.count(), 0);
}

void TstRecipeBook::theGuideBeginsAPlan()
{
    RecipeModel none;
    GuideDialog dialog(none, nullptr);
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    dialog.show();
    auto* start = dialog.findChild<QPushButton*>(u"guideStart"_s);
    QVERIFY(!start->isEnabled());
    auto* begin = dialog.findChild<QPushButton*>(u"guideEdit"_s);
    QCOMPARE(begin->text(), u"Begin a plan"_s);
    Plan plan;
    connect(&dialog, &GuideDialog::planWanted, this, [&plan](const Plan& one) { plan = one; });
    QTest::mouseClick(begin, Qt::LeftButton);
    QCOMPARE(plan.workload.name, std::string("oltp_read_write"));
    plan.target.uri = "sqlite:";
    QVERIFY(checkPlan(plan).empty());
    const double minutes = expand(plan).estimatedSeconds / 60;
    QVERIFY2(minutes > 12 && minutes < 16, qPrintable(QString::number(minutes))); // "up to 15 min"
}

void TstRecipeBook::offersFitTheTime()
{
    RecipeModel model;
    std::vector<Recipe> given(3);
    given[0].id = u"small"_s;
    given[0].tags = {u"load"_s};
    given[0].sizes = {{u"quick"_s, 1}, {u"laptop"_s, 14}, {u"published"_s, 300}};
    given[1].id = u"long"_s;
    given[1].minutes = 100;
    given[2].id = u"cannot"_s;
    given[2].problem = u"no server"_s;
    model.setRecipes(given);
    const auto sizes = [&model](const GuideAnswers& answers) {
        QStringList all;
        for (const GuideOffer& offer : offersFor(model, answers))
            all << offer.id + u' ' + offer.size;
        return all;
    };
    QCOMPARE(sizes({{}, {}, 15}), QStringList{u"small laptop"_s});
    QCOMPARE(sizes({{}, {}, 2}), QStringList{u"small quick"_s});
    QCOMPARE(sizes({{}, {}, 0}), (QStringList{u"small published"_s, u"long "_s}));
    QCOMPARE(sizes({u"load"_s, {}, 0}), QStringList{u"small published"_s});
    QCOMPARE(sizes({u"memory"_s, {}, 0}), QStringList());
}

} // namespace dyno::tst_recipe_book

DYNO_WIDGET_SUITE(tst_recipe_book, dyno::tst_recipe_book::TstRecipeBook)
#include "tst_recipe_book.moc"
