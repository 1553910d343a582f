// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/sessions_page.h"

#include "bridge/app_context.h"
#include "format.h"
#include "parts/banner.h"
#include "parts/card.h"
#include "parts/table_columns.h"
#include "qt_text.h"
#include "sessions/library_menu.h"
#include "sessions/session_delegates.h"
#include "sessions/session_details.h"
#include "sessions/session_model.h"

#include <dyno/report.h>

#include <QAction>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPointer>
#include <QStackedWidget>
#include <QTableView>

namespace dyno {

namespace {

constexpr int kDetailsWidth = 304;
constexpr int kTagsFrom = 940; // narrower, the titles would be cut first

//! A button that follows an action: text, tooltip, enabled.
QPushButton* buttonFor(QAction* action, const char* role, const QString& icon)
{
    QPushButton* button = makeButton(action->text(), role, icon);
    button->setObjectName(action->objectName() % QStringLiteral("Button"));
    const auto update = [button, action] {
        button->setText(action->text());
        button->setToolTip(action->toolTip());
        button->setAccessibleName(action->text());
        button->setEnabled(action->isEnabled());
    };
    QObject::connect(action, &QAction::changed, button, update);
    QObject::connect(button, &QPushButton::clicked, action, &QAction::trigger);
    update();
    return button;
}

} // namespace

SessionsPage::SessionsPage(AppContext& context, QWidget* parent)
    : Page(context, parent)
    , m_worker(context.library())
    , m_model(new SessionModel(this))
    , m_filter(new SessionFilter(this))
    , m_header(new PageHeader(tr("Sessions")))
    , m_banner(new Banner(QStringLiteral("sessionsBanner")))
    , m_search(new QLineEdit)
    , m_searchProblem(makeLabel({}, TextRole::Secondary))
    , m_stack(new QStackedWidget)
    , m_empty(new EmptyState(QStringLiteral("sessions"), tr("Reading the library"), {}))
    , m_table(new QTableView)
    , m_details(new SessionDetails)
    , m_more(new QMenu(this))
    , m_library(new LibraryMenu(context, m_worker, *m_banner, this))
{
    setObjectName(QStringLiteral("sessionsPage"));
    setAcceptDrops(true);
    m_filter->setSourceModel(m_model);
    buildActions();
    buildTable();

    auto* import = buttonFor(m_import, "", QStringLiteral("import"));
    QPushButton* care = makeButton(tr("Library"), "", QStringLiteral("database"));
    care->setObjectName(QStringLiteral("libraryButton"));
    care->setAccessibleName(tr("Library"));
    care->setToolTip(tr("Check, back up, move or merge the library; archived and deleted sessions"));
    connect(care, &QPushButton::clicked, this,
            [this, care] { m_library->popup(care->mapToGlobal(QPoint(0, care->height() + 2))); });
    connect(m_library, &LibraryMenu::restoreRequested, this, &SessionsPage::restore);
    m_header->actions()->addWidget(care);
    m_header->actions()->addWidget(import);

    auto* list = new Card;
    m_bar = buildBar();
    list->body()->addWidget(m_bar);
    list->body()->addWidget(m_searchProblem);
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

    connect(m_model, &SessionModel::renameRequested, this, &SessionsPage::rename);
    connect(m_model, &SessionModel::tagsRequested, this, &SessionsPage::setTags);
    connect(m_details, &SessionDetails::tagsChanged, this, &SessionsPage::setTags);
    connect(m_details, &SessionDetails::notesChanged, this, &SessionsPage::setNotes);
    connect(m_details, &SessionDetails::compareRequested, this, &SessionsPage::open);
    connect(m_details, &SessionDetails::runMissingRequested, &context, &AppContext::runMissing);
    connect(&context, &AppContext::libraryChanged, this, &SessionsPage::reload);
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

QAction* SessionsPage::addPageAction(const QString& objectName, const QString& text, const QString& tip,
                                     const QString& icon, const QKeySequence& key, std::function<void()> run)
{
    auto* action = new QAction(text, this);
    action->setObjectName(objectName);
    action->setIcon(Theme::instance().icon(icon));
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetShortcut); // of the table: Del and Return mean other things in a text box
    action->setToolTip(key.isEmpty() ? tip : tip % QStringLiteral(" (%1)").arg(key.toString(QKeySequence::NativeText)));
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    connect(&Theme::instance(), &Theme::changed, action,
            [action, icon] { action->setIcon(Theme::instance().icon(icon)); });
    m_table->addAction(action);
    return action;
}

void SessionsPage::buildActions()
{
    m_open = addPageAction(QStringLiteral("sessionOpen"), tr("Open"), tr("Show the charts and the ratio table"),
                           QStringLiteral("compare"), {}, [this] { open(); });
    m_replay = addPageAction(QStringLiteral("sessionReplay"), tr("Replay"), tr("Play it again as it ran"),
                             QStringLiteral("replay"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P), [this] {
                                 const QStringList ids = selectedIds();
                                 ids.size() == 2 ? context().replayPair({ids[0]}, {ids[1]})
                                                 : context().replaySession(ids.value(0));
                             });
    m_again = addPageAction(QStringLiteral("sessionAgain"), tr("Run again"),
                            tr("Run the stored plan again with the same seeds, order and knobs"), QStringLiteral("run"),
                            QKeySequence(Qt::CTRL | Qt::Key_R), [this] { runAgain(); });
    m_missing = addPageAction(QStringLiteral("sessionRunMissing"), tr("Run what is missing"),
                              tr("Run what is not complete, into this session"), QStringLiteral("run"), {},
                              [this] { context().runMissing(selectedIds().value(0)); });
    m_duplicate = addPageAction(QStringLiteral("sessionDuplicate"), tr("Duplicate plan"),
                                tr("Open a copy of the stored plan on the Plan page"), QStringLiteral("duplicate"),
                                QKeySequence(Qt::CTRL | Qt::Key_D), [this] {
                                    withRerun(tr("There is no plan to copy"),
                                              [this](const Rerun& again) { this->context().editPlan(again.plan); });
                                });
    m_rename = addPageAction(QStringLiteral("sessionRename"), tr("Rename"), tr("Change the title"),
                             QStringLiteral("edit"), QKeySequence(Qt::Key_F2), [this] {
                                 const QModelIndex at = m_table->currentIndex();
                                 if (at.isValid())
                                     m_table->edit(at.siblingAtColumn(SessionModel::Title));
                             });
    m_tag = addPageAction(QStringLiteral("sessionTag"), tr("Edit tags"), tr("Tags, separated by commas"),
                          QStringLiteral("tag"), QKeySequence(Qt::CTRL | Qt::Key_T), [this] {
                              const QModelIndex at = m_table->currentIndex();
                              if (at.isValid())
                                  m_table->edit(at.siblingAtColumn(SessionModel::Tags));
                          });
    m_note = addPageAction(QStringLiteral("sessionNote"), tr("Write notes"), tr("Describe the session"),
                           QStringLiteral("note"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_N), [this] {
                               m_detailsWanted = true;
                               showState();
                               m_details->editNotes();
                           });
    m_export =
        addPageAction(QStringLiteral("sessionExport"), tr("Export .dyno…"), tr("Save the whole session as one file"),
                      QStringLiteral("export"), QKeySequence(Qt::CTRL | Qt::Key_E), [this] { chooseExport(); });
    m_archive = addPageAction(QStringLiteral("sessionArchive"), tr("Archive"),
                              tr("Hide it from the list; the Library menu shows archived sessions"),
                              QStringLiteral("save"), {}, [this] { archiveSelected(); });
    m_showArchived = new QAction(tr("Show archived sessions"), this);
    m_showArchived->setObjectName(QStringLiteral("libraryShowArchived"));
    m_showArchived->setCheckable(true);
    m_showArchived->setToolTip(tr("Includes archived sessions in the list"));
    connect(m_showArchived, &QAction::toggled, this, &SessionsPage::reload);
    m_library->insertAction(m_library->actions().value(0), m_showArchived);
    m_remove = addPageAction(QStringLiteral("sessionRemove"), tr("Delete"), tr("Delete the session (can be undone)"),
                             QStringLiteral("trash"), QKeySequence(Qt::Key_Delete), [this] { removeSelected(); });
    m_import =
        addPageAction(QStringLiteral("sessionImport"), tr("Import…"),
                      tr("Results of sysbench, pgbench, YCSB and other tools, CSV tables and .dyno files; dropping "
                         "them here works too"),
                      QStringLiteral("import"), {}, [this] { chooseImport(); });
}

QWidget* SessionsPage::buildBar()
{
    buildSearch();
    m_more->setObjectName(QStringLiteral("sessionMenu"));
    m_more->setToolTipsVisible(true);
    m_more->addActions({m_open, m_replay, m_again, m_missing, m_duplicate});
    m_more->addSeparator();
    m_more->addActions({m_rename, m_tag, m_note});
    m_more->addSeparator();
    m_more->addActions({m_export, m_archive, m_remove});
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
    line->addWidget(buttonFor(m_open, "primary", {}));
    line->addWidget(buttonFor(m_replay, "", QStringLiteral("replay")));
    line->addWidget(buttonFor(m_again, "", {}));
    line->addWidget(buttonFor(m_remove, "", QStringLiteral("trash")));
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
    m_table->setItemDelegateForColumn(SessionModel::Status, new StatusDelegate(m_table));
    m_table->setItemDelegateForColumn(SessionModel::Tags, new TagsDelegate(m_table));
    m_table->setItemDelegateForColumn(SessionModel::Runs, new FigureDelegate(m_table));
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(space::tableRow + 4);
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
    connect(m_model, &QAbstractItemModel::dataChanged, this, &SessionsPage::updateDetails);
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
    // The title keeps its room; the tags are in the panel too.
    m_columns->setAvailable(SessionModel::Tags, width() - (details ? kDetailsWidth : 0) >= kTagsFrom);
    m_header->setSubtitle(!list          ? QString()
                          : shown == all ? (all == 1 ? tr("1 session") : tr("%1 sessions").arg(format::count(all)))
                                         : tr("%1 of %n session(s)", nullptr, int(all)).arg(format::count(shown)));
}

void SessionsPage::updateActions()
{
    const QStringList ids = selectedIds();
    const bool one = ids.size() == 1, any = !ids.isEmpty();
    m_open->setEnabled(any);
    m_open->setText(ids.size() > 1 ? tr("Compare %1").arg(format::count(ids.size())) : tr("Open"));
    m_replay->setEnabled(one || ids.size() == 2);
    m_replay->setText(ids.size() == 2 ? tr("Replay side by side") : tr("Replay"));
    for (QAction* action : {m_again, m_duplicate, m_rename, m_tag, m_note, m_export})
        action->setEnabled(one);
    m_remove->setEnabled(any);
    m_archive->setEnabled(any);
    const SessionInfo* first = any ? m_model->find(ids.front()) : nullptr;
    m_missing->setEnabled(one && first && SessionDetails::canRunMissing(*first));
    m_archive->setText(first && first->archived ? tr("Restore from archive") : tr("Archive"));
    const bool imported = one && first && wasImported(*first);
    const QString why = tr("Another tool measured this session, so there is no plan to run");
    for (const auto& [action, tip] :
         {std::pair(m_again, tr("Run the stored plan again with the same seeds, order and knobs")),
          std::pair(m_duplicate, tr("Open a copy of the stored plan on the Plan page"))}) {
        action->setEnabled(one && !imported);
        action->setToolTip(imported ? why : tip);
    }
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

void SessionsPage::write(const QString& what, std::function<Expected<void>(Library&)> work, std::function<void()> done)
{
    m_worker.run<void>(Library::Mode::ReadWrite, std::move(work),
                       [this, what, done = std::move(done)](Expected<void> result) {
                           if (!result) {
                               m_banner->showError(what, result.error());
                               reload(); // shows again what is really stored
                           } else if (done) {
                               done();
                           }
                       });
}

void SessionsPage::rename(const QString& id, const QString& title)
{
    write(
        tr("The session was not renamed"),
        [id = id.toStdString(), title = title.toStdString()](Library& library) { return library.rename(id, title); },
        [this] { context().notifyLibraryChanged(); });
}

void SessionsPage::setTags(const QString& id, const QStringList& tags)
{
    std::vector<std::string> list;
    for (const QString& tag : tags)
        list.push_back(tag.toStdString());
    write(
        tr("The tags were not saved"),
        [id = id.toStdString(), list = std::move(list)](Library& library) { return library.setTags(id, list); },
        [this] { context().notifyLibraryChanged(); });
}

void SessionsPage::setNotes(const QString& id, const QString& notes)
{
    m_model->setNotes(id, notes);
    write(tr("The notes were not saved"), [id = id.toStdString(), notes = notes.toStdString()](Library& library) {
        return library.setNotes(id, notes);
    });
}

void SessionsPage::archiveSelected()
{
    const QStringList ids = selectedIds();
    const SessionInfo* first = ids.isEmpty() ? nullptr : m_model->find(ids.front());
    if (first)
        setArchived(ids, !first->archived, true);
}

void SessionsPage::setArchived(const QStringList& ids, bool archived, bool undo)
{
    write(
        tr("The archive was not changed"),
        [ids, archived](Library& library) -> Expected<void> {
            for (const QString& id : ids) {
                if (auto result = library.setArchived(id.toStdString(), archived); !result)
                    return result;
            }
            return {};
        },
        [this, ids, archived, undo] {
            context().notifyLibraryChanged();
            if (!undo)
                return;
            const QString count = format::count(ids.size());
            const QString text = ids.size() == 1
                                     ? (archived ? tr("Archived one session") : tr("Restored one session"))
                                     : (archived ? tr("Archived %1 sessions") : tr("Restored %1 sessions")).arg(count);
            context().showMessage(text, tr("Undo"), [page = QPointer(this), ids, archived] {
                if (page)
                    page->setArchived(ids, !archived, false);
            });
        });
}

void SessionsPage::removeSelected()
{
    const QStringList ids = selectedIds();
    if (ids.isEmpty())
        return;
    const SessionInfo* first = m_model->find(ids.front());
    const QString text = ids.size() == 1 ? tr("Deleted “%1”").arg(first ? qtText(first->title) : QString())
                                         : tr("Deleted %1 sessions").arg(format::count(ids.size()));
    write(
        tr("The session was not deleted"),
        [ids](Library& library) -> Expected<void> {
            for (const QString& id : ids) {
                if (auto result = library.remove(id.toStdString()); !result)
                    return result;
            }
            return {};
        },
        [this, text, ids] {
            context().notifyLibraryChanged();
            context().showMessage(text, tr("Undo"), [page = QPointer(this), ids] {
                if (page)
                    page->restore(ids);
            });
        });
}

void SessionsPage::restore(const QStringList& ids)
{
    write(
        tr("The session was not restored"),
        [ids](Library& library) -> Expected<void> {
            for (const QString& id : ids) {
                if (auto result = library.restore(id.toStdString()); !result)
                    return result;
            }
            return {};
        },
        [this] { context().notifyLibraryChanged(); });
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
