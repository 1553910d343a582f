// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The Start page: the gallery of recipes by question, and the last sessions to go on with. On the first start, when
//! the library is empty, one card that works with nothing installed.
#pragma once

#include "bridge/job.h"
#include "parts/page.h"
#include "start/recipe_model.h"

#include <dyno/library.h>

#include <QStringList>

#include <vector>

class QButtonGroup;
class QGridLayout;
class QLabel;
class QPushButton;
class QScrollArea;

namespace dyno {

class Card;
class EmptyState;
class FlowLayout;
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

    //! True once recipes and sessions are on the screen.
    [[nodiscard]] bool loaded() const { return m_recipesLoaded && m_sessionsLoaded; }
    [[nodiscard]] bool firstStart() const { return m_firstStart; }

signals:
    void loadedChanged(); //!< each time a job's result has come on the screen

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildContent();
    void loadRecipes();
    void loadSessions();
    void showSessions(const Expected<std::vector<SessionInfo>>& sessions);
    void rebuild();
    void rebuildPills();
    void rebuildHero();
    void layOut();
    void placeCards(int columns);
    void setCardHeights(int width);
    void moveFocus(RecipeCard* from, int dx, int dy);
    void openRecipe(const QString& id, const QString& size);
    void startRecipe(const QString& id, const QString& size);
    void runAgain(const QString& sessionId);
    [[nodiscard]] RecipeCard* makeCard(const Recipe& recipe, bool large);

    RecipeModel m_recipes;
    RecipeFilter m_filter;
    QScrollArea* m_scroll;
    QWidget* m_content;
    QLabel* m_heading;
    QLabel* m_second;
    QWidget* m_pills;
    FlowLayout* m_pillFlow;
    QButtonGroup* m_pillGroup = nullptr;
    QWidget* m_heroBox;
    QWidget* m_steps;
    QPushButton* m_showAll;
    QWidget* m_gallery;
    QGridLayout* m_grid;
    std::vector<RecipeCard*> m_cards; //!< shown, in order
    EmptyState* m_empty;
    QLabel* m_continueTitle;
    Card* m_continue;
    Job<std::vector<Recipe>> m_recipeJob;
    Job<Expected<std::vector<SessionInfo>>> m_sessionJob;
    Job<Expected<StoredSession>> m_againJob;
    int m_columns = 0;
    bool m_recipesLoaded = false, m_sessionsLoaded = false;
    bool m_firstStart = false, m_allShown = false;
};

} // namespace dyno
