// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/sessions_page.h"

#include "bridge/add_series_dialog.h"
#include "bridge/app_context.h"
#include "bridge/library_undo.h"
#include "bridge/recipe_book.h"
#include "bridge/run_bridge.h"
#include "bridge/series_edits.h"
#include "format.h"
#include "parts/banner.h"
#include "parts/card.h"
#include "parts/commands.h"
#include "parts/table_columns.h"
#include "qt_text.h"
#include "sessions/library_menu.h"
#include "sessions/rerun_dialog.h"
#include "sessions/session_actions.h"
#include "sessions/session_delegates.h"
#include "sessions/session_details.h"
#include "sessions/session_digests.h"
#include "sessions/session_edits.h"
#include "sessions/session_listing.h"
#include "sessions/session_model.h"
#include "sessions/session_search.h"
#include "sessions/session_transfer.h"

#include <QAction>
#include <QDragEnterEvent>
#include <QHeaderView>
#include <QItemSelection>
#include <QMenu>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTableView>

namespace dyno {

namespace {

constexpr int kDetailsWidth = 304;
//! Narrower, titles and verdicts would be cut first; both columns are in the panel, too.
constexpr int kTagsFrom = 1120, kWorkloadFrom = 980;
constexpr int kSessionRowHeight = 48; // two lines and a sparkline
constexpr int kDigestAfterMs = 60;    // rows that only fly by are not read

} // namespace

SessionsPage::SessionsPage(AppContext& context, QWidget* parent)
    : Page(context, parent)
    , m_worker(context.library())
    , m_digests(new SessionDigests(context.library(), this))
    , m_model(new SessionModel(this))
    , m_filter(new SessionFilter(this))
    , m_header(new PageHeader(tr("Sessions")))
    , m_banner(new Banner(QStringLiteral("sessionsBanner")))
    , m_search(new SessionSearch)
    , m_stack(new QStackedWidget)
    , m_empty(new EmptyState(QStringLiteral("sessions"), tr("Reading the library"), {}))
    , m_table(new QTableView)
    , m_details(new SessionDetails)
    , m_actions(new SessionActions(*m_table))
    , m_more(new QMenu(this))
    , m_edits(new SessionEdits(context, m_worker, *m_banner, this))
    , m_transfer(new SessionTransfer(context, m_worker, *m_banner, this))
    , m_library(new LibraryMenu(context, m_worker, *m_banner, this))
{
    setObjectName(QStringLiteral("sessionsPage"));
    setAcceptDrops(true);
    m_filter->setSourceModel(m_model);
    buildTable();
    connectActions();

    auto* import = SessionActions::buttonFor(m_actions->import, "", QStringLiteral("import"));
    QPushButton* care = makeButton(tr("Library"), "", QStringLiteral("database"));
    care->setObjectName(QStringLiteral("libraryButton"));
    care->setAccessibleName(tr("Library"));
    care->setToolTip(tr("Check, back up, move or merge the library; archived and deleted sessions"));
    connect(care, &QPushButton::clicked, this,
            [this, care] { m_library->popup(care->mapToGlobal(QPoint(0, care->height() + 2))); });
    connect(m_library, &LibraryMenu::restoreRequested, m_edits, &SessionEdits::restore);
    LibraryUndo::of(context).addCommands(this);
    m_header->actions()->addWidget(care);
    m_header->actions()->addWidget(import);

    auto* list = new Card;
    m_bar = buildBar();
    list->body()->addWidget(m_bar);
    list->body()->addWidget(m_search->problem());
    list->body()->addWidget(m_stack, 1);
    m_empty->setObjectName(QStringLiteral("sessionsEmpty"));
    m_stack->addWidget(m_table);
    m_stack->addWidget(m_empty);

    m_details->setFixedWidth(kDetailsWidth);
    auto* middle = new QHBoxLayout;
    middle->setSpacing(space::cardGap);
    middle->addWidget(list, 1);
    middle->addWidget(m_details);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::pageMargin, space::pageMargin, space::pageMargin, space::pageMargin);
    layout->setSpacing(space::cardGap);
    layout->addWidget(m_header);
    layout->addWidget(m_banner);
    layout->addLayout(middle, 1);

    connect(m_model, &SessionModel::renameRequested, m_edits, &SessionEdits::rename);
    connect(m_model, &SessionModel::tagsRequested, m_edits, &SessionEdits::setTags);
    connect(m_details, &SessionDetails::tagsChanged, m_edits, &SessionEdits::setTags);
    connect(m_details, &SessionDetails::notesChanged, this, [this](const QString& id, const QString& notes) {
        m_model->setNotes(id, notes);
        m_edits->setNotes(id, notes);
    });
    connect(m_edits, &SessionEdits::failed, this, &SessionsPage::reload);
    connect(m_details, &SessionDetails::compareRequested, this, &SessionsPage::open);
    connect(m_details, &SessionDetails::runMissingRequested, &context, &AppContext::runMissing);
    connect(&context, &AppContext::libraryChanged, this, [this] {
        m_digests->forget();
        reload();
    });
    connect(m_empty, &EmptyState::buttonClicked, this, [this] {
        if (m_failed)
            reload();
        else if (m_all > 0)
            m_search->clear();
        else
            this->context().showPage(QStringLiteral("startPage"));
    });
    connect(&Theme::instance(), &Theme::changed, m_table->viewport(), qOverload<>(&QWidget::update));
    showState();
    updateActions();
    reload();
}

SessionsPage::~SessionsPage()
{
    m_details->flush(); // the worker's destructor waits for this write
}

void SessionsPage::connectActions()
{
    const auto on = [this](QAction* action, auto run) { connect(action, &QAction::triggered, this, run); };
    const auto editColumn = [this](int column) {
        if (const QModelIndex at = m_table->currentIndex(); at.isValid())
            m_table->edit(at.siblingAtColumn(column));
    };
    on(m_actions->open, [this] { open(); });
    on(m_actions->replay, [this] {
        const QStringList ids = selectedIds();
        ids.size() == 2 ? context().replayPair({ids[0]}, {ids[1]}) : context().replaySession(ids.value(0));
    });
    on(m_actions->again, [this] {
        withRerun(tr("The session cannot be run again"),
                  [this](const Rerun& again) { offerRerun(context(), again, this); });
    });
    on(m_actions->missing, [this] { context().runMissing(selectedIds().value(0)); });
    on(m_actions->duplicate, [this] {
        withRerun(tr("There is no plan to copy"), [this](const Rerun& again) { context().editPlan(again.plan); });
    });
    on(m_actions->recipe, [this] {
        if (const QStringList ids = selectedIds(); ids.size() == 1)
            RecipeBook::of(context()).saveSession(ids.front(), this, [this](const Error& error) {
                m_banner->showError(tr("The recipe was not saved"), error);
            });
    });
    on(m_actions->rename, [editColumn] { editColumn(SessionModel::Title); });
    on(m_actions->tag, [editColumn] { editColumn(SessionModel::Tags); });
    on(m_actions->note, [this] {
        m_detailsWanted = true;
        showState();
        m_details->editNotes();
    });
    on(m_actions->exportFile, [this] {
        if (const QStringList ids = selectedIds(); ids.size() == 1)
            m_transfer->chooseExport(ids.front(), titleOf(ids.front()));
    });
    on(m_actions->addSeries, [this] {
        if (const QStringList ids = selectedIds(); ids.size() == 1)
            (new AddSeriesDialog(context(), ids.front(), 0, window()))->open();
    });
    on(m_actions->removeSeries, [this] {
        if (const QStringList ids = selectedIds(); ids.size() == 1)
            SeriesEdits::of(context()).remove(ids.front());
    });
    on(m_actions->archive, [this] {
        const QStringList ids = selectedIds();
        if (const SessionInfo* first = ids.isEmpty() ? nullptr : m_model->find(ids.front()))
            m_edits->setArchived(ids, !first->archived);
    });
    on(m_actions->remove, [this] {
        if (const QStringList ids = selectedIds(); !ids.isEmpty())
            m_edits->remove(ids, titleOf(ids.front()));
    });
    connect(m_actions->import, &QAction::triggered, m_transfer, &SessionTransfer::chooseImport);
    m_showArchived = new QAction(tr("Show archived sessions"), this);
    m_showArchived->setObjectName(QStringLiteral("libraryShowArchived"));
    m_showArchived->setCheckable(true);
    m_showArchived->setToolTip(tr("Includes archived sessions in the list"));
    connect(m_showArchived, &QAction::toggled, this, &SessionsPage::reload);
    m_library->insertAction(m_library->actions().value(0), m_showArchived);
}

void SessionsPage::connectSearch()
{
    connect(m_search, &QLineEdit::textChanged, this, &SessionsPage::search);
    // The list is one key away from the search box.
    connect(m_search, &QLineEdit::returnPressed, this, [this] {
        if (m_filter->rowCount() > 0) {
            m_table->setFocus();
            m_table->selectRow(std::max(0, m_table->currentIndex().row()));
        }
    });
    addCommand(this, {QStringLiteral("sessionsFind"), tr("Find sessions"), {QKeySequence::Find}}, [this] {
        m_search->setFocus(Qt::ShortcutFocusReason);
        m_search->selectAll();
    });
}

QWidget* SessionsPage::buildBar()
{
    connectSearch();
    m_more->setObjectName(QStringLiteral("sessionMenu"));
    m_more->setToolTipsVisible(true);
    m_actions->fill(*m_more);
    m_more->addSeparator();
    m_more->addMenu(m_columns->menu());
    QPushButton* more = makeButton(QStringLiteral("⋯"));
    more->setObjectName(QStringLiteral("sessionMoreButton"));
    more->setAccessibleName(tr("More actions"));
    more->setToolTip(tr("More actions"));
    connect(more, &QPushButton::clicked, this,
            [this, more] { m_more->popup(more->mapToGlobal(QPoint(0, more->height() + 2))); });

    auto* bar = new QWidget;
    auto* line = new QHBoxLayout(bar);
    line->setContentsMargins(0, 2, 0, 2);
    line->setSpacing(8);
    line->addWidget(m_search, 1);
    line->addStretch(0);
    line->addWidget(SessionActions::buttonFor(m_actions->open, "primary", {}));
    line->addWidget(SessionActions::buttonFor(m_actions->replay, "", QStringLiteral("replay")));
    line->addWidget(SessionActions::buttonFor(m_actions->again, "", {}));
    line->addWidget(SessionActions::buttonFor(m_actions->remove, "", QStringLiteral("trash")));
    line->addWidget(more);
    return bar;
}

void SessionsPage::buildTable()
{
    m_table->setObjectName(QStringLiteral("sessionTable"));
    m_table->setAccessibleName(tr("Sessions"));
    m_table->setModel(m_filter);
    setRole(m_table, "plain");
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->setTabKeyNavigation(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->setItemDelegateForColumn(SessionModel::Title, new SessionDelegate(*m_model, m_table));
    m_table->setItemDelegateForColumn(SessionModel::Status, new StatusDelegate(m_table));
    m_table->setItemDelegateForColumn(SessionModel::Tags, new TagsDelegate(m_table));
    m_table->setItemDelegateForColumn(SessionModel::Runs, new FigureDelegate(m_table));
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(kSessionRowHeight);
    QHeaderView* header = m_table->horizontalHeader();
    header->setHighlightSections(false);
    header->setMinimumSectionSize(56);
    header->setSectionResizeMode(QHeaderView::Interactive);
    header->setSectionResizeMode(SessionModel::Title, QHeaderView::Stretch);
    const std::pair<int, int> widths[] = {{SessionModel::When, 148},     {SessionModel::Target, 118},
                                          {SessionModel::Workload, 164}, {SessionModel::Runs, 74},
                                          {SessionModel::Status, 82},    {SessionModel::Tags, 132}};
    for (const auto& [column, width] : widths)
        header->resizeSection(column, width);
    m_columns = new TableColumns(m_table,
                                 {QStringLiteral("title"), QStringLiteral("when"), QStringLiteral("target"),
                                  QStringLiteral("workload"), QStringLiteral("runs"), QStringLiteral("status"),
                                  QStringLiteral("tags")},
                                 {SessionModel::Title});
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(SessionModel::When, Qt::DescendingOrder);
    connect(m_table, &QTableView::activated, this, &SessionsPage::open);
    connect(m_table, &QTableView::customContextMenuRequested, this, &SessionsPage::showMenu);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        updateActions();
        updateDetails();
    });
    connect(m_model, &QAbstractItemModel::dataChanged, this,
            [this](const QModelIndex&, const QModelIndex&, const QList<int>& roles) {
                if (!roles.contains(SessionModel::VerdictRole)) // the panel has its own
                    updateDetails();
            });
    m_digestTimer.setSingleShot(true);
    m_digestTimer.setInterval(kDigestAfterMs);
    connect(&m_digestTimer, &QTimer::timeout, this, &SessionsPage::wantDigests);
    connect(m_digests, &SessionDigests::read, m_model, &SessionModel::setDigest);
    connect(m_digests, &SessionDigests::failed, m_model, &SessionModel::keepDigest);
    connect(&context().run(), &RunBridge::activeChanged, this, &SessionsPage::wantDigests);
    connect(&context(), &AppContext::figuresChanged, m_model, &SessionModel::forgetDigest);
    const auto soon = [this] { m_digestTimer.start(); };
    connect(m_table->verticalScrollBar(), &QScrollBar::valueChanged, this, soon);
    connect(m_table->verticalScrollBar(), &QScrollBar::rangeChanged, this, soon); // other rows, or another height
    connect(m_filter, &QAbstractItemModel::layoutChanged, this, soon);
}

void SessionsPage::wantDigests()
{
    if (context().run().active())
        return m_digests->want({}); // reading would disturb what is measured
    if (!isVisible())
        return;
    QStringList ids;
    const int first = std::max(0, m_table->rowAt(0));
    const int below = m_table->rowAt(m_table->viewport()->height() - 1);
    const int last = below < 0 ? m_filter->rowCount() - 1 : below;
    for (int row = first; row <= last; ++row) {
        const QString id = m_filter->index(row, 0).data(SessionModel::IdRole).toString();
        if (const SessionInfo* session = m_model->find(id); session && m_model->wantsDigest(*session))
            ids << id;
    }
    m_digests->want(ids);
}

bool SessionsPage::busy() const
{
    return m_worker.busy() || m_digests->busy() || m_digestTimer.isActive();
}

void SessionsPage::activated()
{
    m_selectFirst = selectedIds().isEmpty();
    reload();
    if (m_filter->rowCount() > 0)
        m_table->setFocus();
}

QStringList SessionsPage::selectedIds() const
{
    QStringList ids;
    for (const QModelIndex& row : m_table->selectionModel()->selectedRows())
        ids += row.data(SessionModel::IdRole).toString();
    return ids;
}

void SessionsPage::reload()
{
    read(0);
}

void SessionsPage::search()
{
    if (m_searching)
        m_searchAgain = true;
    else
        read(m_all);
}

void SessionsPage::read(int known)
{
    m_searching = true;
    m_searchAgain = false;
    const int token = ++m_reloads;
    m_worker.run<SessionListing>(
        Library::Mode::ReadOnly,
        [query = m_search->text().simplified().toStdString(), archived = m_showArchived->isChecked(),
         known](Library& library) { return readListing(library, query, archived, known); },
        [this, token](Expected<SessionListing> list) {
            if (token != m_reloads)
                return;
            m_searching = false;
            m_loaded = true;
            m_failed = !list;
            if (list) {
                takeList(std::move(*list));
            } else {
                takeList({});
                m_empty->setIconName(QStringLiteral("error"));
                QString text = qtText(list.error().message);
                if (!list.error().where.empty())
                    text += QLatin1Char('\n') % qtText(list.error().where);
                if (!list.error().remedy.empty())
                    text += QLatin1Char('\n') % qtText(list.error().remedy);
                m_empty->setTexts(tr("The library cannot be read"), text, tr("Try again"));
            }
            showState();
            if (m_selectFirst && m_filter->rowCount() > 0 && selectedIds().isEmpty())
                m_table->selectRow(0); // the newest: most visits are about it
            m_selectFirst = false;
            updateActions();
            updateDetails();
            m_digestTimer.start();
            if (m_searchAgain)
                read(m_all);
        },
        SessionListing{});
}

void SessionsPage::takeList(SessionListing list)
{
    m_search->showProblem(list.wrong);
    m_library->setRemoved(list.removed);
    m_all = list.all;
    if (list.wrong) // the list stays as it was
        return;
    const QStringList before = selectedIds();
    m_model->setSessions(std::move(list.sessions));
    if (before.isEmpty() || !selectedIds().isEmpty())
        return;
    QItemSelection again; // a long list is made anew
    for (const QString& id : before) {
        const QModelIndex at = m_filter->mapFromSource(m_model->index(m_model->rowOf(id), 0));
        if (at.isValid())
            again.select(at, at);
    }
    m_table->selectionModel()->select(again, QItemSelectionModel::Select | QItemSelectionModel::Rows);
}

QString SessionsPage::titleOf(const QString& id) const
{
    const SessionInfo* session = m_model->find(id);
    return session ? qtText(session->title) : QString();
}

void SessionsPage::showState()
{
    const int shown = m_filter->rowCount(), all = std::max(m_all, shown);
    if (!m_loaded) {
        m_empty->setTexts(tr("Reading the library"), qtText(m_worker.file().string()));
    } else if (!m_failed && all == 0) {
        m_empty->setIconName(QStringLiteral("sessions"));
        m_empty->setTexts(
            tr("No sessions yet"),
            tr("Every benchmark is kept here with its plan, its settings and all measurements.\n"
               "Start with a question on the Start page, or drop a .dyno file or a log of another tool here."),
            tr("Go to Start"));
    } else if (!m_failed && shown == 0) {
        m_empty->setIconName(QStringLiteral("search"));
        m_empty->setTexts(
            tr("Nothing matches “%1”").arg(m_search->text()),
            tr("The search covers title, tags, notes, workload and target. Narrow it with tag:, version:, date: and\n"
               "NAME=VALUE; is:any includes archived sessions."),
            tr("Clear the search"));
    }
    const bool list = m_loaded && !m_failed && all > 0;
    m_bar->setVisible(list); // stays when the search hides everything
    m_stack->setCurrentIndex(list && shown > 0 ? 0 : 1);
    const bool details = list && (width() >= space::foldWidth || m_detailsWanted);
    m_details->setVisible(details);
    const int room = width() - (details ? kDetailsWidth : 0);
    m_columns->setAvailable(SessionModel::Tags, room >= kTagsFrom);
    m_columns->setAvailable(SessionModel::Workload, room >= kWorkloadFrom);
    m_header->setSubtitle(!list          ? QString()
                          : shown == all ? (all == 1 ? tr("1 session") : tr("%1 sessions").arg(format::count(all)))
                                         : tr("%1 of %n session(s)", nullptr, int(all)).arg(format::count(shown)));
}

void SessionsPage::updateActions()
{
    const QStringList ids = selectedIds();
    m_actions->update(int(ids.size()), ids.isEmpty() ? nullptr : m_model->find(ids.front()));
}

void SessionsPage::updateDetails()
{
    const QStringList ids = selectedIds();
    const SessionInfo* session = ids.size() == 1 ? m_model->find(ids.front()) : nullptr;
    if (!session)
        return m_details->showCount(int(ids.size()));
    m_details->showSession(SessionInfo(*session)); // a copy: saving the previous notes changes the model
    m_details->readVerdict(m_worker);
}

void SessionsPage::open()
{
    const QStringList ids = selectedIds();
    if (!ids.isEmpty())
        context().compareSessions(ids);
}

void SessionsPage::withRerun(const QString& what, std::function<void(const Rerun&)> use)
{
    const QStringList ids = selectedIds();
    if (ids.size() != 1)
        return;
    m_worker.run<Rerun>(
        Library::Mode::ReadOnly,
        [id = ids.front().toStdString()](Library& library) -> Expected<Rerun> {
            auto session = library.session(id);
            if (!session)
                return fail(session.error());
            return rerunHere(*session);
        },
        [this, what, use = std::move(use)](Expected<Rerun> again) {
            if (again)
                use(*again);
            else
                m_banner->showError(what, again.error());
        });
}

void SessionsPage::importFiles(const QStringList& files)
{
    m_transfer->importFiles(files);
}

void SessionsPage::exportTo(const QString& id, const QString& file, Library::Privacy privacy)
{
    m_transfer->exportTo(id, file, privacy);
}

void SessionsPage::dragEnterEvent(QDragEnterEvent* event)
{
    if (!SessionTransfer::filesOf(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void SessionsPage::dropEvent(QDropEvent* event)
{
    const QStringList files = SessionTransfer::filesOf(event->mimeData());
    if (files.isEmpty())
        return;
    event->acceptProposedAction();
    m_transfer->importFiles(files);
}

void SessionsPage::showMenu(const QPoint& at)
{
    if (m_table->indexAt(at).isValid())
        m_more->popup(m_table->viewport()->mapToGlobal(at));
}

void SessionsPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    m_detailsWanted = false;
    showState();
}

} // namespace dyno
