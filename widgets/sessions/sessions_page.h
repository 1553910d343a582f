// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The library as a list: search, open, compare, replay, run again, rename, tag, note, archive, delete with undo,
//! export, import, and the care for the library itself.
#pragma once

#include "bridge/library_worker.h"
#include "parts/page.h"

#include <dyno/library.h>
#include <dyno/rerun.h>

#include <QStringList>

#include <QTimer>

#include <functional>
#include <optional>

class QAction;
class QLabel;
class QLineEdit;
class QMenu;
class QStackedWidget;
class QTableView;

namespace dyno {

class Banner;
class EmptyState;
class LibraryMenu;
class PageHeader;
class SessionDetails;
class SessionFilter;
class SessionModel;
class TableColumns;

//! What a reading of the library gives.
struct SessionListing
{
    std::vector<SessionInfo> sessions, removed;
    int all = 0;                //!< without the search
    std::optional<Error> wrong; //!< of the search line; then there are no sessions
};

class SessionsPage : public Page
{
    Q_OBJECT
public:
    explicit SessionsPage(AppContext& context, QWidget* parent = nullptr);
    ~SessionsPage() override;

    [[nodiscard]] QString title() const override { return tr("Sessions"); }
    [[nodiscard]] QString iconName() const override { return QStringLiteral("sessions"); }
    void activated() override;

    [[nodiscard]] QStringList selectedIds() const;
    //! Copies `.dyno` files into the library; for results of other tools it shows the import dialog.
    void importFiles(const QStringList& files);
    //! Writes one session to `file`.
    void exportTo(const QString& id, const QString& file, Library::Privacy privacy = Library::Privacy::AsRecorded);
    [[nodiscard]] bool busy() const { return m_worker.busy(); } //!< something is being read or written

protected:
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void buildActions();
    void buildTable();
    QWidget* buildBar();
    void buildSearch();
    void reload();
    void search();        //!< after each key; while a list is being read, once after that
    void read(int known); //!< known: as `m_all`, 0 = to be counted anew
    void showState();
    void updateActions();
    void updateDetails();
    void open();
    void takeList(SessionListing list);
    void withRerun(const QString& what, std::function<void(const Rerun&)> use);
    void runAgain();
    void archiveSelected();
    void setArchived(const QStringList& ids, bool archived, bool undo);
    void removeSelected();
    void restore(const QStringList& ids);
    void chooseExport();
    void chooseExportFile(const QString& id, Library::Privacy privacy);
    void chooseImport();
    void importOurs(const QString& file);
    void importOthers(QStringList files);
    void rename(const QString& id, const QString& title);
    void setTags(const QString& id, const QStringList& tags);
    void setNotes(const QString& id, const QString& notes);
    void write(const QString& what, std::function<Expected<void>(Library&)> work, std::function<void()> done = {});
    void showMenu(const QPoint& at);
    QAction* addPageAction(const QString& objectName, const QString& text, const QString& tip, const QString& icon,
                           const QKeySequence& key, std::function<void()> run);

    LibraryWorker m_worker;
    SessionModel* m_model;
    SessionFilter* m_filter;
    PageHeader* m_header;
    Banner* m_banner;
    QLineEdit* m_search;
    QLabel* m_searchProblem; //!< what is wrong with the search line
    QTimer m_problemTimer;   //!< until that is shown
    QWidget* m_bar = nullptr;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    QTableView* m_table;
    TableColumns* m_columns = nullptr;
    SessionDetails* m_details;
    QMenu* m_more;
    LibraryMenu* m_library;
    QAction *m_archive, *m_showArchived;
    QAction *m_open, *m_replay, *m_again, *m_missing, *m_duplicate, *m_rename, *m_tag, *m_note, *m_export, *m_remove,
        *m_import;
    int m_all = 0;              //!< sessions without the search
    int m_reloads = 0;          //!< token: a late list never replaces a newer one
    bool m_searching = false;   //!< a list is being read
    bool m_searchAgain = false; //!< the search line has changed since
    bool m_loaded = false;
    bool m_failed = false;
    bool m_selectFirst = false;
    bool m_detailsWanted = false; //!< asked for although the page is too narrow for it
};

} // namespace dyno
