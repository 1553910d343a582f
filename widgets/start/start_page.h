// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The Start page: what one was at, then the gallery of recipes by question, then those that cannot run here. On the
//! first start, when the library is empty, one card that works with nothing installed.
#pragma once

#include "bridge/job.h"
#include "parts/page.h"
#include "start/recipe_model.h"
#include "start/start_reading.h"

#include <map>
#include <vector>

class QButtonGroup;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;

namespace dyno {

class ChoicePill;
class ContinueRow;
class EmptyState;
class RecipeCard;

class StartPage : public Page
{
    Q_OBJECT
public:
    explicit StartPage(AppContext& context, QWidget* parent = nullptr);
    [[nodiscard]] QString title() const override;
    [[nodiscard]] QString iconName() const override;
    [[nodiscard]] QString manualPage() const override { return QStringLiteral("window-start"); }
    void activated() override;

    //! Recipes and sessions are on the screen.
    [[nodiscard]] bool loaded() const { return m_recipesLoaded && m_sessionsLoaded; }
    //! Also what the sessions found.
    [[nodiscard]] bool complete() const { return m_recipesLoaded && m_digestsLoaded; }
    [[nodiscard]] bool firstStart() const { return m_firstStart; }

signals:
    void loadedChanged(); //!< each time a job's result has come on the screen

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    //! Cards in rows of one height.
    struct Gallery
    {
        QWidget* box;
        QGridLayout* grid;
        std::vector<RecipeCard*> cards = {}; //!< shown, in order
        std::vector<QWidget*> fillers = {};  //!< in the empty places of the first line
    };

    void buildHead();
    void buildContent();
    void loadRecipes();
    void loadSessions(); //!< after the reading under way, if there is one
    void refresh();      //!< unless nobody looks, or a session runs
    void takeReading(const Expected<StartReading>& reading);
    void rebuild(); //!< all cards anew
    void rebuildHero();
    void showFiltered();
    void clearFilters();
    void layOut();
    void placeCards(Gallery& gallery);
    void setCardHeights(const Gallery& gallery, int width);
    void moveFocus(RecipeCard* from, int dx, int dy);
    void openRecipe(const QString& id, const QString& size);
    void startRecipe(const QString& id, const QString& size);
    void guide(); //!< three questions that lead to a recipe
    void showHelp(const QString& id);
    void runAgain(const QString& sessionId);
    [[nodiscard]] RecipeCard* makeCard(const Recipe& recipe, bool first, QWidget* parent);

    RecipeModel m_recipes;
    RecipeFilter m_filter;
    QScrollArea* m_scroll;
    QWidget* m_content;
    QWidget* m_continueHead;
    ContinueRow* m_continue;
    QLabel* m_heading;
    QLabel* m_second;
    QLineEdit* m_search;
    QLabel* m_searchKey;
    QWidget* m_filters;
    QButtonGroup* m_subjects;
    QLabel* m_count;
    QPushButton* m_ownPill = nullptr; //!< while there are recipes of one's own
    QPushButton* m_guide;
    ChoicePill* m_product;
    QWidget* m_heroBox;
    QWidget* m_steps;
    QPushButton* m_showAll;
    std::map<QString, RecipeCard*> m_cards; //!< of all recipes, by id; empty while the first start shows one only
    Gallery m_gallery, m_missing;           //!< those that pass the filters
    EmptyState* m_empty;
    QWidget* m_missingHead;
    Job<std::vector<Recipe>> m_recipeJob;
    Job<Expected<StartReading>> m_readJob;
    Job<Expected<StoredSession>> m_againJob;
    int m_columns = 0;
    bool m_recipesLoaded = false, m_sessionsLoaded = false, m_digestsLoaded = false;
    bool m_firstStart = false, m_allShown = false;
    bool m_reading = false, m_readAgain = false; //!< one reading at a time; once more after it
};

} // namespace dyno
