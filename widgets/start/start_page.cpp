// SPDX-License-Identifier: GPL-3.0-or-later
#include "start/start_page.h"

#include "bridge/app_context.h"
#include "format.h"
#include "parts/card.h"
#include "parts/field.h"
#include "parts/plan_text.h"
#include "start/recipe_card.h"
#include "theme.h"

#include <dyno/catalog.h>
#include <dyno/report.h>

#include <QButtonGroup>
#include <QGridLayout>
#include <QRegularExpression>
#include <QResizeEvent>
#include <QScrollArea>

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kCardWidth = 262; // the narrowest on which the questions fit on two lines
constexpr int kMaxColumns = 4;
constexpr int kLeastCardHeight = 316;
constexpr std::size_t kSessionsShown = 3;
constexpr const char* kFirstRecipe = "durability-sqlite";

//! Workloads and products have names of their own; other tags are words. "first" only marks the first start's recipe.
QString tagLabel(const QString& tag)
{
    if (const WorkloadInfo* workload = findWorkload(tag.toStdString()))
        return qtText(workload->name);
    const QString product = productName(tag);
    return product != tag || tag.isEmpty() ? product : QString(tag.front().toUpper() + tag.mid(1));
}

QString sessionFacts(const SessionInfo& session)
{
    QStringList parts{format::when(session.startedMs),
                      session.runsDone == session.runsPlanned
                          ? runsText(session.runsDone)
                          : StartPage::tr("%1 of %2").arg(session.runsDone).arg(runsText(session.runsPlanned))};
    if (!session.product.empty())
        parts << qtText(session.product);
    if (session.status == RunStatus::Failed)
        parts << StartPage::tr("failed");
    else if (session.status == RunStatus::Cut)
        parts << StartPage::tr("cut off");
    else if (session.status == RunStatus::Stopped)
        parts << StartPage::tr("stopped");
    return parts.join(u" · "_s);
}

//! What happens after the button of the first start, in three short texts.
QWidget* makeSteps()
{
    auto* box = new QWidget;
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 4, 0, 4);
    row->setSpacing(space::cardGap);
    const std::pair<QString, QString> steps[] = {
        {StartPage::tr("Watch it run"), StartPage::tr("Throughput and latency as they happen, with the time left. Stop "
                                                      "whenever you like: what was measured is kept.")},
        {StartPage::tr("Compare"),
         StartPage::tr("A chart, a table of ratios with their intervals, and one sentence that sums them up.")},
        {StartPage::tr("Take it with you"),
         StartPage::tr(
             "Pictures, CSV and Markdown for a post, or the whole session as one file that others can open.")},
    };
    int number = 1;
    for (const auto& [title, text] : steps) {
        auto* card = new Card(title);
        card->setStep(QString::number(number++));
        auto* label = new WrapLabel(text, TextRole::Secondary);
        label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
        card->body()->addWidget(label);
        row->addWidget(card, 1);
    }
    return box;
}

} // namespace

StartPage::StartPage(AppContext& context, QWidget* parent)
    : Page(context, parent)
    , m_scroll(new QScrollArea(this))
    , m_content(new QWidget)
    , m_heading(makeLabel(tr("What do you want to know?"), TextRole::PageTitle))
    , m_second(makeLabel(tr("Nothing has been measured yet. This benchmark needs no server and takes about a minute."),
                         TextRole::Body))
    , m_pills(new QWidget)
    , m_pillFlow(new FlowLayout(m_pills, 8))
    , m_heroBox(new QWidget)
    , m_steps(makeSteps())
    , m_showAll(makeButton(tr("Show all benchmarks"), "link"))
    , m_gallery(new QWidget)
    , m_grid(new QGridLayout(m_gallery))
    , m_empty(new EmptyState(u"search"_s, tr("No benchmark has this tag"), tr("Choose another filter"), tr("Show all")))
    , m_continueTitle(makeLabel(tr("Continue"), TextRole::Section))
    , m_continue(new Card)
    , m_recipeJob(this)
    , m_sessionJob(this)
    , m_againJob(this)
{
    setObjectName(u"startPage"_s);
    m_heading->setObjectName(u"startHeading"_s);
    m_second->setObjectName(u"startSecond"_s);
    setTone(m_second, Tone::Neutral);
    m_gallery->setObjectName(u"gallery"_s);
    m_continue->setObjectName(u"continueCard"_s);
    describe(m_showAll, u"showAll"_s, tr("Show all benchmarks"), tr("Show all benchmarks"));
    m_filter.setSourceModel(&m_recipes);

    buildContent();
    connect(m_showAll, &QPushButton::clicked, this, [this] {
        m_allShown = true;
        rebuild();
        if (!m_cards.empty())
            m_cards.front()->setFocus();
    });
    connect(m_empty, &EmptyState::buttonClicked, this, [this] {
        m_filter.setTag({});
        rebuildPills();
        rebuild();
    });
    connect(&context, &AppContext::libraryChanged, this, &StartPage::loadSessions);
    loadRecipes();
    loadSessions();
}

void StartPage::buildContent()
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(space::cardGap);
    new QVBoxLayout(m_heroBox);
    m_heroBox->layout()->setContentsMargins(0, 8, 0, 0);
    auto* column = new QVBoxLayout(m_content);
    column->setContentsMargins(28, 20, 28, 20);
    column->setSpacing(space::cardGap);
    column->addWidget(m_heading);
    column->addWidget(m_second);
    column->addWidget(m_heroBox);
    column->addWidget(m_steps);
    column->addWidget(m_showAll, 0, Qt::AlignLeft);
    column->addWidget(m_pills);
    column->addWidget(m_gallery);
    column->addWidget(m_empty);
    column->addSpacing(8);
    column->addWidget(m_continueTitle);
    column->addWidget(m_continue);
    column->addStretch(1);
    m_scroll->setWidget(m_content);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->viewport()->installEventFilter(this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_scroll);
    for (QWidget* later :
         {static_cast<QWidget*>(m_second), m_pills, m_heroBox, m_steps, static_cast<QWidget*>(m_showAll), m_gallery,
          static_cast<QWidget*>(m_empty), static_cast<QWidget*>(m_continueTitle), static_cast<QWidget*>(m_continue)})
        later->setVisible(false);
}

QString StartPage::title() const
{
    return tr("Start");
}

QString StartPage::iconName() const
{
    return u"start"_s;
}

void StartPage::activated()
{
    if (!m_cards.empty() && !isAncestorOf(focusWidget()))
        m_cards.front()->setFocus(Qt::OtherFocusReason);
}

void StartPage::loadRecipes()
{
    m_recipeJob.start([] { return dyno::loadRecipes(); },
                      [this](std::vector<Recipe> recipes) {
                          m_recipes.setRecipes(std::move(recipes));
                          m_recipesLoaded = true;
                          rebuildPills();
                          rebuild();
                          emit loadedChanged();
                      });
}

void StartPage::loadSessions()
{
    m_sessionJob.start(
        [file = context().library()]() -> Expected<std::vector<SessionInfo>> {
            std::error_code ignored;
            if (!std::filesystem::exists(file, ignored))
                return std::vector<SessionInfo>();
            auto library = Library::open(file, Library::Mode::ReadOnly);
            if (!library)
                return fail(library.error());
            return (*library)->sessions();
        },
        [this](const Expected<std::vector<SessionInfo>>& sessions) {
            m_sessionsLoaded = true;
            showSessions(sessions);
            rebuild();
            emit loadedChanged();
        });
}

void StartPage::showSessions(const Expected<std::vector<SessionInfo>>& sessions)
{
    while (QLayoutItem* item = m_continue->body()->takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            widget->hide();
            widget->deleteLater();
        }
        delete item;
    }
    m_firstStart = sessions && sessions->empty();
    m_continueTitle->setVisible(!m_firstStart);
    m_continue->setVisible(!m_firstStart);
    if (!sessions) {
        auto* problem = new WrapLabel(qtText(sessions.error().text()), TextRole::Secondary);
        problem->setObjectName(u"continueProblem"_s);
        setTone(problem, Tone::Bad);
        m_continue->body()->addWidget(problem);
        return;
    }
    for (std::size_t i = 0; i < std::min(sessions->size(), kSessionsShown); ++i) {
        const SessionInfo& session = (*sessions)[i];
        const QString id = qtText(session.id);
        const QString name = qtText(session.title);
        auto* row = new QWidget;
        auto* line = new QHBoxLayout(row);
        line->setContentsMargins(0, 0, 0, 0);
        line->setSpacing(16);
        line->addWidget(new ElidedLabel(name, TextRole::Section));
        line->addWidget(new ElidedLabel(sessionFacts(session), TextRole::Secondary), 1);
        auto* open = makeButton(tr("Open"), "link");
        describe(open, u"open."_s + id, tr("Open “%1”").arg(name), tr("Charts and table of this session"));
        auto* again = makeButton(tr("Run again"), "link");
        describe(again, u"again."_s + id, tr("Run “%1” again").arg(name), tr("Start the same plan at once"));
        if (wasImported(session)) {
            again->setEnabled(false);
            again->setToolTip(tr("Another tool measured this session, so there is no plan to run"));
        }
        line->addWidget(open);
        line->addWidget(again);
        m_continue->body()->addWidget(row);
        connect(open, &QPushButton::clicked, this, [this, id] { context().compareSessions({id}); });
        connect(again, &QPushButton::clicked, this, [this, id] { runAgain(id); });
    }
}

void StartPage::rebuildPills()
{
    while (QLayoutItem* item = m_pillFlow->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    delete m_pillGroup;
    m_pillGroup = new QButtonGroup(this);
    const auto add = [this](const QString& tag, const QString& label) {
        auto* pill = new PillButton(label, m_pills);
        pill->setChecked(tag == m_filter.tag());
        describe(pill, tag.isEmpty() ? u"pill.all"_s : QString(u"pill."_s + tag), label,
                 tag.isEmpty() ? tr("All benchmarks") : tr("Only benchmarks about “%1”").arg(label));
        m_pillGroup->addButton(pill);
        m_pillFlow->addWidget(pill);
        connect(pill, &QPushButton::clicked, this, [this, tag] {
            m_filter.setTag(tag);
            rebuild();
        });
    };
    add({}, tr("All"));
    // "E21" and its like number experiments for the command line; they are no subject.
    static const QRegularExpression number(u"^[eE]\\d+$"_s);
    for (const QString& tag : m_recipes.tags()) {
        if (tag != u"first" && !number.match(tag).hasMatch())
            add(tag, tagLabel(tag));
    }
}

RecipeCard* StartPage::makeCard(const Recipe& recipe, bool large)
{
    auto* card = new RecipeCard(recipe, large, large ? m_heroBox : m_gallery);
    const QString id = recipe.id;
    connect(card, &QAbstractButton::clicked, this, [this, card, id] { openRecipe(id, card->size()); });
    connect(card, &RecipeCard::startClicked, this, [this, card, id] { startRecipe(id, card->size()); });
    connect(card, &RecipeCard::arrowPressed, this, [this, card](int dx, int dy) { moveFocus(card, dx, dy); });
    return card;
}

void StartPage::rebuildHero()
{
    while (QLayoutItem* item = m_heroBox->layout()->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    const Recipe* first = m_recipes.find(QLatin1String(kFirstRecipe));
    if (!m_firstStart || !first)
        return;
    auto* card = makeCard(*first, true);
    card->setObjectName(u"firstCard"_s);
    card->startButton()->setObjectName(u"firstStart"_s);
    card->setFixedHeight(300);
    m_heroBox->layout()->addWidget(card);
    if (isVisible())
        card->startButton()->setFocus(Qt::OtherFocusReason);
}

void StartPage::rebuild()
{
    if (!loaded())
        return;
    for (RecipeCard* card : m_cards) {
        m_grid->removeWidget(card);
        card->hide();
        card->deleteLater();
    }
    m_cards.clear();
    rebuildHero();
    const bool hero = m_firstStart && m_heroBox->layout()->count() > 0;
    const bool gallery = !hero || m_allShown;
    m_heading->setText(hero ? tr("Welcome to Dynobench") : tr("What do you want to know?"));
    m_second->setVisible(hero);
    m_heroBox->setVisible(hero);
    m_steps->setVisible(hero && !m_allShown);
    m_showAll->setVisible(hero && !m_allShown);
    m_pills->setVisible(gallery && m_recipes.rowCount() > 0);
    if (gallery) {
        for (int row = 0; row < m_filter.rowCount(); ++row)
            m_cards.push_back(makeCard(m_recipes.recipe(m_filter.mapToSource(m_filter.index(row, 0)).row()), false));
    }
    m_gallery->setVisible(!m_cards.empty());
    m_empty->setVisible(gallery && m_cards.empty());
    m_columns = 0;
    layOut();
}

void StartPage::layOut()
{
    const int width = m_scroll->viewport()->width() - 56;
    const int columns = std::clamp((width + space::cardGap) / (kCardWidth + space::cardGap), 1, kMaxColumns);
    if (m_cards.empty())
        return;
    if (columns != m_columns)
        placeCards(columns);
    setCardHeights((width - (columns - 1) * space::cardGap) / columns);
}

void StartPage::placeCards(int columns)
{
    for (int column = 0; column < kMaxColumns; ++column)
        m_grid->setColumnStretch(column, column < columns ? 1 : 0);
    m_columns = columns;
    for (RecipeCard* card : m_cards)
        m_grid->removeWidget(card);
    for (std::size_t i = 0; i < m_cards.size(); ++i) {
        m_grid->addWidget(m_cards[i], int(i) / columns, int(i) % columns);
        m_cards[i]->show();
    }
}

//! Cards of a row are as high as the longest texts among them need.
void StartPage::setCardHeights(int width)
{
    const auto columns = std::size_t(m_columns);
    for (std::size_t first = 0; first < m_cards.size(); first += columns) {
        const std::size_t end = std::min(first + columns, m_cards.size());
        int height = kLeastCardHeight;
        for (std::size_t i = first; i < end; ++i)
            height = std::max(height, m_cards[i]->layout()->heightForWidth(width));
        for (std::size_t i = first; i < end; ++i)
            m_cards[i]->setFixedHeight(height);
    }
}

//! The room for the cards changes with the window, and when a scroll bar comes or goes.
bool StartPage::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_scroll->viewport() && event->type() == QEvent::Resize)
        layOut();
    return Page::eventFilter(watched, event);
}

void StartPage::moveFocus(RecipeCard* from, int dx, int dy)
{
    const auto found = std::find(m_cards.begin(), m_cards.end(), from);
    if (found == m_cards.end())
        return;
    const auto to = (found - m_cards.begin()) + dx + dy * m_columns;
    if (to < 0 || to >= std::ptrdiff_t(m_cards.size()))
        return;
    RecipeCard* card = m_cards[std::size_t(to)];
    card->setFocus(Qt::OtherFocusReason);
    m_scroll->ensureWidgetVisible(card);
}

void StartPage::openRecipe(const QString& id, const QString& size)
{
    const Recipe* recipe = m_recipes.find(id);
    if (!recipe)
        return;
    if (recipe->plan.workload.name.empty())
        context().showMessage(tr("This recipe cannot be opened here: %1").arg(recipe->problem));
    else if (const auto plan = planOf(*recipe, size))
        context().editPlan(*plan);
    else
        context().showMessage(qtText(plan.error().text()));
}

void StartPage::startRecipe(const QString& id, const QString& size)
{
    const Recipe* recipe = m_recipes.find(id);
    if (!recipe || !recipe->problem.isEmpty())
        return;
    if (const auto plan = planOf(*recipe, size))
        context().startPlan(*plan);
    else
        context().showMessage(qtText(plan.error().text()));
}

void StartPage::runAgain(const QString& sessionId)
{
    m_againJob.start(
        [file = context().library(), id = sessionId.toStdString()]() -> Expected<StoredSession> {
            auto library = Library::open(file, Library::Mode::ReadOnly);
            if (!library)
                return fail(library.error());
            return (*library)->session(id);
        },
        [this](const Expected<StoredSession>& session) {
            if (session)
                context().startPlan(session->header.plan);
            else
                context().showMessage(qtText(session.error().text()));
        });
}

} // namespace dyno
