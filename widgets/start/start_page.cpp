// SPDX-License-Identifier: GPL-3.0-or-later
#include "start/start_page.h"

#include "bridge/app_context.h"
#include "bridge/last_plan.h"
#include "bridge/library_undo.h"
#include "bridge/recipe_book.h"
#include "bridge/run_bridge.h"
#include "format.h"
#include "parts/card.h"
#include "parts/choice_pill.h"
#include "parts/commands.h"
#include "parts/field.h"
#include "parts/plan_text.h"
#include "parts/question.h"
#include "start/continue_row.h"
#include "start/guide_dialog.h"
#include "start/recipe_card.h"
#include "theme.h"

#include <dyno/catalog.h>
#include <dyno/report.h>

#include <QApplication>
#include <QButtonGroup>
#include <QGridLayout>
#include <QLineEdit>
#include <QResizeEvent>
#include <QScrollArea>

#include <algorithm>
#include <utility>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMaxColumns = 4;
constexpr int kLeastCardHeight = 232;
constexpr int kSearchWidth = 320, kLeastSearchWidth = 160, kKeyGap = 8;

//! By the width of the page: four from a window of 1280 on, three in all smaller ones that a screen shows.
int columnsFor(int width)
{
    constexpr int kFour = 1196, kThree = 800, kTwo = 560;
    return width >= kFour ? 4 : width >= kThree ? 3 : width >= kTwo ? 2 : 1;
}

void emptyOut(QLayout* layout)
{
    while (QLayoutItem* item = layout->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
}

QString searchScope()
{
    return StartPage::tr("Searches questions, products, workloads and settings");
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
    , m_continueHead(new QWidget)
    , m_continue(new ContinueRow(context))
    , m_heading(makeLabel({}, TextRole::PageTitle))
    , m_second(makeLabel(tr("Nothing has been measured yet. This benchmark needs no server and takes about a minute."),
                         TextRole::Body))
    , m_search(new QLineEdit)
    , m_searchKey(makeLabel({}, TextRole::Label))
    , m_filters(new QWidget)
    , m_subjects(new QButtonGroup(this))
    , m_count(makeLabel({}, TextRole::Secondary))
    , m_guide(makeLink(tr("Help me choose…")))
    , m_product(new ChoicePill(tr("Product"), u"startProduct"_s, tr("Only questions about one product")))
    , m_heroBox(new QWidget)
    , m_steps(makeSteps())
    , m_showAll(makeButton(tr("Show all benchmarks"), "link"))
    , m_gallery{new QWidget, new QGridLayout}
    , m_missing{new QWidget, new QGridLayout}
    , m_empty(new EmptyState(u"search"_s, tr("No matching question"), searchScope() + u'.', tr("Show all questions")))
    , m_missingHead(new QWidget)
    , m_recipeJob(this)
    , m_readJob(this)
    , m_againJob(this)
{
    setObjectName(u"startPage"_s);
    m_filter.setSourceModel(&m_recipes);
    buildHead();
    buildContent();
    connect(m_showAll, &QPushButton::clicked, this, [this] {
        m_allShown = true;
        rebuild();
        if (!m_gallery.cards.empty())
            m_gallery.cards.front()->setFocus();
    });
    connect(m_empty, &EmptyState::buttonClicked, this, &StartPage::clearFilters);
    connect(m_continue, &ContinueRow::againRequested, this, &StartPage::runAgain);
    connect(&context, &AppContext::libraryChanged, this, &StartPage::refresh); // also at the end of a session
    connect(&RecipeBook::of(context), &RecipeBook::changed, this, &StartPage::loadRecipes);
    LibraryUndo::of(context).addCommands(this); // of recipes that were deleted
    loadRecipes();
    loadSessions();
}

//! The lines between "Continue" and the cards: question, search, filters.
void StartPage::buildHead()
{
    m_heading->setObjectName(u"startHeading"_s);
    m_second->setObjectName(u"startSecond"_s);
    m_count->setObjectName(u"startCount"_s);
    describe(m_showAll, u"showAll"_s, tr("Show all benchmarks"), tr("Show all benchmarks"));
    const QAction* find = addCommand(this, {u"startFind"_s, tr("Find questions"), {QKeySequence::Find}}, [this] {
        m_search->setFocus(Qt::ShortcutFocusReason);
        m_search->selectAll();
    });
    describe(m_search, u"startSearch"_s, tr("Search questions"), tipWithKeys(searchScope(), find));
    describe(m_guide, u"startGuide"_s, tr("Help me choose"), tr("Three questions lead to a benchmark that fits"));
    connect(m_guide, &QPushButton::clicked, this, &StartPage::guide);
    m_search->setPlaceholderText(tr("Search, e.g. “fsync” or “TLS”"));
    m_search->addAction(Theme::instance().icon(u"search"_s), QLineEdit::LeadingPosition);
    m_search->setMinimumWidth(kLeastSearchWidth);
    m_search->setMaximumWidth(kSearchWidth);
    m_search->setClearButtonEnabled(true);
    setRole(m_searchKey, "key");
    m_searchKey->setAttribute(Qt::WA_TransparentForMouseEvents);
    auto* inside = new QHBoxLayout(m_search);
    inside->setContentsMargins(0, 0, 8, 0);
    inside->addStretch(1);
    inside->addWidget(m_searchKey, 0, Qt::AlignVCenter);
    m_searchKey->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_searchKey->setVisible(text.isEmpty());
        m_search->setTextMargins(0, 0, text.isEmpty() ? m_searchKey->sizeHint().width() + kKeyGap : 0, 0);
        m_filter.setSearch(text);
        showFiltered();
    });
    m_searchKey->setText(find->shortcut().toString(QKeySequence::NativeText));
    m_search->setTextMargins(0, 0, m_searchKey->sizeHint().width() + kKeyGap, 0);

    auto* pills = new QWidget;
    auto* flow = new FlowLayout(pills, 8);
    const auto add = [this, flow, pills](const QString& tag, const QString& label) {
        auto* pill = new PillButton(label, pills);
        pill->setChecked(tag.isEmpty());
        describe(pill, tag.isEmpty() ? u"pill.all"_s : QString(u"pill."_s + tag), label,
                 tag.isEmpty() ? tr("All questions") : tr("Only questions about “%1”").arg(label));
        m_subjects->addButton(pill);
        flow->addWidget(pill);
        connect(pill, &QPushButton::clicked, this, [this, tag] {
            m_filter.setSubject(tag);
            showFiltered();
        });
        return pill;
    };
    add({}, tr("All"));
    for (const char* subject : kSubjects)
        add(QLatin1String(subject), subjectText(QLatin1String(subject)));
    m_ownPill = add(QLatin1String(kOwnSubject), subjectText(QLatin1String(kOwnSubject)));
    flow->addWidget(m_guide); // wraps where the page is narrow
    m_product->setChoices({{{}, tr("all")}});
    connect(m_product, &ChoicePill::chosen, this, [this](const QString& name) {
        m_filter.setProduct(name);
        showFiltered();
    });
    auto* line = new QHBoxLayout(m_filters);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(space::cardGap);
    line->addWidget(pills, 1);
    line->addWidget(m_count, 0, Qt::AlignTop);
    m_count->setFixedHeight(30);
    line->addWidget(m_product, 0, Qt::AlignTop);
}

void StartPage::buildContent()
{
    const auto lineIn = [](QWidget* box) {
        auto* line = new QHBoxLayout(box);
        line->setContentsMargins(0, 0, 0, 0);
        line->setSpacing(8);
        return line;
    };
    auto* head = lineIn(m_continueHead);
    head->addWidget(makeLabel(tr("Continue"), TextRole::Section), 1);
    auto* sessions = makeLink(tr("All sessions"));
    describe(sessions, u"allSessions"_s, tr("All sessions"), tr("The list of all sessions"));
    connect(sessions, &QPushButton::clicked, this, [this] { context().showPage(u"sessionsPage"_s); });
    head->addWidget(sessions);
    auto* question = new QWidget;
    auto* questionLine = lineIn(question);
    questionLine->addWidget(m_heading);
    questionLine->addStretch(1);
    questionLine->addWidget(m_search, 2);
    auto* missingLine = lineIn(m_missingHead);
    missingLine->addWidget(makeLabel(tr("Cannot run here yet"), TextRole::Section));
    missingLine->addWidget(new ElidedLabel(tr("each says what is missing and how to get it"), TextRole::Secondary), 1);
    m_gallery.box->setObjectName(u"gallery"_s);
    m_missing.box->setObjectName(u"missingGallery"_s);
    for (Gallery* gallery : {&m_gallery, &m_missing}) {
        gallery->box->setLayout(gallery->grid);
        gallery->grid->setContentsMargins(0, 0, 0, 0);
        gallery->grid->setSpacing(space::cardGap);
    }
    new QVBoxLayout(m_heroBox);
    m_heroBox->layout()->setContentsMargins(0, 8, 0, 0);
    auto* column = new QVBoxLayout(m_content);
    column->setContentsMargins(space::pageMargin, space::pageMargin, space::pageMargin, space::pageMargin);
    column->setSpacing(space::cardGap);
    column->addWidget(m_continueHead);
    column->addWidget(m_continue);
    column->addWidget(question);
    column->addWidget(m_second);
    column->addWidget(m_heroBox);
    column->addWidget(m_steps);
    column->addWidget(m_showAll, 0, Qt::AlignLeft);
    column->addWidget(m_filters);
    column->addWidget(m_gallery.box);
    column->addWidget(m_empty);
    column->addWidget(m_missingHead);
    column->addWidget(m_missing.box);
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
         {m_continueHead, static_cast<QWidget*>(m_continue), static_cast<QWidget*>(m_second),
          static_cast<QWidget*>(m_search), m_filters, m_heroBox, m_steps, static_cast<QWidget*>(m_showAll),
          m_gallery.box, static_cast<QWidget*>(m_empty), m_missingHead, m_missing.box})
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
    if (!m_gallery.cards.empty() && !isAncestorOf(focusWidget()))
        m_gallery.cards.front()->setFocus(Qt::OtherFocusReason);
}

void StartPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    if (!event->spontaneous() && m_sessionsLoaded)
        refresh(); // the plan may be another one by now
}

void StartPage::loadRecipes()
{
    m_recipeJob.start([folder = RecipeBook::of(context()).folder()] { return dyno::loadRecipes(folder); },
                      [this](std::vector<Recipe> recipes) {
                          m_recipes.setRecipes(std::move(recipes));
                          std::vector<ChoicePill::Choice> products{{{}, tr("all")}};
                          for (const QString& name : m_recipes.products())
                              products.push_back({name, name});
                          m_product->setChoices(std::move(products));
                          const bool own = m_recipes.hasOwn();
                          m_ownPill->setVisible(own);
                          if (!own && m_filter.subject() == QLatin1String(kOwnSubject))
                              clearFilters();
                          m_recipesLoaded = true;
                          rebuild();
                          emit loadedChanged();
                      });
}

void StartPage::loadSessions()
{
    if (m_reading) {
        m_readAgain = true;
        return;
    }
    m_reading = true;
    // The first one shows the page. Later ones replace what is there, and come with everything: nothing flickers.
    const StartDepth depth = m_sessionsLoaded ? StartDepth::Digests : StartDepth::List;
    m_readJob.start([file = context().library(), last = lastPlan(), depth] { return readStart(file, last, depth); },
                    [this](const Expected<StartReading>& reading) {
                        m_reading = false;
                        takeReading(reading);
                        emit loadedChanged();
                        if (std::exchange(m_readAgain, false) || !m_digestsLoaded)
                            refresh();
                    });
}

void StartPage::refresh()
{
    if (isVisible() && !context().run().active())
        loadSessions();
}

void StartPage::takeReading(const Expected<StartReading>& reading)
{
    OwnResults own = reading ? reading->own : OwnResults();
    const bool firstStart = reading && !reading->any;
    const bool same = m_sessionsLoaded && firstStart == m_firstStart && own == m_recipes.ownResults();
    m_firstStart = firstStart;
    m_sessionsLoaded = true;
    m_digestsLoaded = !reading || reading->depth == StartDepth::Digests;
    const QWidget* focused = QApplication::focusWidget();
    const QString at = focused && isAncestorOf(focused) ? focused->objectName() : QString();
    m_continueHead->setVisible(!m_firstStart);
    m_continue->setVisible(!m_firstStart);
    m_continue->setReading(reading);
    if (!same) { // else the cards stay
        m_recipes.setOwnResults(std::move(own));
        rebuild();
    }
    // A card that was made anew has the focus as the old one had it.
    for (QWidget* widget : at.isEmpty() ? QList<QWidget*>() : findChildren<QWidget*>(at)) {
        if (widget->isVisible() && !focused->isVisible())
            widget->setFocus(Qt::OtherFocusReason);
    }
}

RecipeCard* StartPage::makeCard(const Recipe& recipe, bool first, QWidget* parent)
{
    auto* card = new RecipeCard(recipe, first ? nullptr : m_recipes.ownResult(recipe.id),
                                first ? RecipeCard::Look::FirstStart : RecipeCard::Look::Gallery, parent);
    const QString id = recipe.id;
    connect(card, &QAbstractButton::clicked, this, [this, card, id] { openRecipe(id, card->size()); });
    connect(card, &RecipeCard::startClicked, this, [this, card, id] { startRecipe(id, card->size()); });
    connect(card, &RecipeCard::helpClicked, this, [this, id] { showHelp(id); });
    RecipeBook& book = RecipeBook::of(context());
    connect(card, &RecipeCard::renameClicked, this, [this, &book, id] { book.rename(id, this); });
    connect(card, &RecipeCard::exportClicked, this, [this, &book, id] { book.exportFile(id, this); });
    connect(card, &RecipeCard::removeClicked, this, [&book, id, title = recipe.title] { book.remove(id, title); });
    connect(card, &RecipeCard::arrowPressed, this, [this, card](int dx, int dy) { moveFocus(card, dx, dy); });
    return card;
}

void StartPage::rebuildHero()
{
    emptyOut(m_heroBox->layout());
    const Recipe* first = m_recipes.first();
    if (!m_firstStart || !first || !first->problem.isEmpty())
        return;
    RecipeCard* card = makeCard(*first, true, m_heroBox);
    card->setObjectName(u"firstCard"_s);
    card->setFixedHeight(300);
    m_heroBox->layout()->addWidget(card);
    card->show();
    if (isVisible())
        card->startButton()->setFocus(Qt::OtherFocusReason);
}

void StartPage::rebuild()
{
    if (!loaded())
        return;
    for (const auto& [id, card] : m_cards) {
        card->hide();
        card->deleteLater();
    }
    m_cards.clear();
    rebuildHero();
    const bool hero = m_firstStart && m_heroBox->layout()->count() > 0;
    const bool questions = !hero || m_allShown;
    m_heading->setText(hero ? tr("Welcome to Dynobench") : tr("Which question do you have?"));
    m_second->setVisible(hero);
    m_heroBox->setVisible(hero);
    m_steps->setVisible(hero && !m_allShown);
    m_showAll->setVisible(hero && !m_allShown);
    m_search->setVisible(questions);
    m_filters->setVisible(questions);
    for (int row = 0; questions && row < m_recipes.rowCount(); ++row) {
        const Recipe& recipe = m_recipes.recipe(row);
        RecipeCard* card = makeCard(recipe, false, recipe.problem.isEmpty() ? m_gallery.box : m_missing.box);
        // One filled button on the page: the minute that needs nothing, unless the first start offers it already.
        if (!hero && RecipeModel::isFirst(recipe))
            card->setPrimary();
        m_cards[recipe.id] = card;
    }
    showFiltered();
}

//! The cards that pass the filters, in the order of the model.
void StartPage::showFiltered()
{
    for (const auto& [id, card] : m_cards)
        card->hide();
    m_gallery.cards.clear();
    m_missing.cards.clear();
    for (int row = 0; row < m_filter.rowCount(); ++row) {
        const auto card = m_cards.find(m_filter.index(row, 0).data(RecipeModel::IdRole).toString());
        if (card != m_cards.end())
            (card->second->available() ? m_gallery : m_missing).cards.push_back(card->second);
    }
    const auto all = int(m_gallery.cards.size() + m_missing.cards.size());
    m_count->setText(tr("%n question(s)", nullptr, all) + u" · "_s +
                     tr("%1 can run here").arg(format::count(qint64(m_gallery.cards.size()))));
    m_gallery.box->setVisible(!m_gallery.cards.empty());
    m_empty->setVisible(!m_cards.empty() && all == 0);
    m_missingHead->setVisible(!m_missing.cards.empty());
    m_missing.box->setVisible(!m_missing.cards.empty());
    m_columns = 0;
    layOut();
}

void StartPage::clearFilters()
{
    m_filter.clear();
    m_product->setCurrent({});
    m_subjects->buttons().constFirst()->setChecked(true);
    m_search->clear();
    showFiltered();
}

void StartPage::layOut()
{
    const int columns = columnsFor(width());
    m_continue->setColumns(columns == 3 ? 2 : columns);
    const int room = m_scroll->viewport()->width() - 2 * space::pageMargin;
    if (columns != m_columns) {
        m_columns = columns;
        placeCards(m_gallery);
        placeCards(m_missing);
    }
    const int card = (room - (columns - 1) * space::cardGap) / columns;
    setCardHeights(m_gallery, card);
    setCardHeights(m_missing, card);
}

void StartPage::placeCards(Gallery& gallery)
{
    for (int column = 0; column < kMaxColumns; ++column)
        gallery.grid->setColumnStretch(column, column < m_columns ? 1 : 0);
    while (QLayoutItem* item = gallery.grid->takeAt(0)) // also those that are not shown now
        delete item;
    for (std::size_t i = 0; i < gallery.cards.size(); ++i) {
        gallery.grid->addWidget(gallery.cards[i], int(i) / m_columns, int(i) % m_columns);
        gallery.cards[i]->show();
    }
    // Empty places are as wide as cards: the columns are those of the other cards.
    for (QWidget* filler : gallery.fillers)
        delete filler;
    gallery.fillers.clear();
    for (int column = int(gallery.cards.size()); column < m_columns; ++column) {
        gallery.fillers.push_back(new QWidget);
        gallery.grid->addWidget(gallery.fillers.back(), 0, column);
    }
}

//! Cards of a row are as high as the longest texts among them need.
void StartPage::setCardHeights(const Gallery& gallery, int width)
{
    const auto columns = std::size_t(m_columns);
    for (std::size_t first = 0; first < gallery.cards.size(); first += columns) {
        const std::size_t end = std::min(first + columns, gallery.cards.size());
        int height = gallery.cards[first]->available() ? kLeastCardHeight : 0;
        for (std::size_t i = first; i < end; ++i)
            height = std::max(height, gallery.cards[i]->layout()->heightForWidth(width));
        for (std::size_t i = first; i < end; ++i)
            gallery.cards[i]->setFixedHeight(height);
    }
}

//! The room for the cards changes with the window, and when a scroll bar comes or goes.
bool StartPage::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_scroll->viewport() && event->type() == QEvent::Resize)
        layOut();
    return Page::eventFilter(watched, event);
}

//! Arrows go through the rows of both galleries as they stand below each other.
void StartPage::moveFocus(RecipeCard* from, int dx, int dy)
{
    const auto go = [this](RecipeCard* card) {
        card->setFocus(Qt::OtherFocusReason);
        m_scroll->ensureWidgetVisible(card);
    };
    Gallery& here = from->available() ? m_gallery : m_missing;
    const auto found = std::ranges::find(here.cards, from);
    if (found == here.cards.end())
        return;
    const auto at = found - here.cards.begin();
    const auto to = at + dx + dy * m_columns;
    if (to >= 0 && to < std::ptrdiff_t(here.cards.size()))
        return go(here.cards[std::size_t(to)]);
    const bool down = &here == &m_gallery;
    Gallery& other = down ? m_missing : m_gallery;
    if (other.cards.empty() || (down ? to < 0 : to >= 0))
        return;
    if (dx != 0)
        return go(down ? other.cards.front() : other.cards.back());
    const auto column = std::size_t(at % m_columns);
    const std::size_t row = down ? 0 : (other.cards.size() - 1) / std::size_t(m_columns) * std::size_t(m_columns);
    go(other.cards[std::min(row + column, other.cards.size() - 1)]);
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

void StartPage::guide()
{
    auto* dialog = new GuideDialog(m_recipes, this);
    connect(dialog, &GuideDialog::startWanted, this, &StartPage::startRecipe);
    connect(dialog, &GuideDialog::editWanted, this, &StartPage::openRecipe);
    connect(dialog, &GuideDialog::planWanted, this, [this](const Plan& plan) { context().editPlan(plan); });
    dialog->open();
}

//! Of a server: where servers are added. Of anything else: in words that can be copied.
void StartPage::showHelp(const QString& id)
{
    const Recipe* recipe = m_recipes.find(id);
    if (!recipe)
        return;
    if (recipe->help == RecipeHelp::AddServer)
        return context().showPage(u"serversPage"_s);
    const auto copyable = [](const QString& text) { // without the places where a line may break
        return sentenceText(text.toStdString()).remove(QChar(0x200b));
    };
    auto* box =
        new Question(this, u"helpBox"_s, recipe->title, copyable(recipe->problem), copyable(recipe->remedy), u"info"_s);
    box->setTextInteractionFlags(Qt::TextSelectableByMouse);
    box->ask(u"helpBoxClose"_s, tr("Close"));
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
