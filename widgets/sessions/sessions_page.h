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

class QAction;
class QMenu;
class QStackedWidget;
class QTableView;

namespace dyno {

class Banner;
class EmptyState;
class LibraryMenu;
class PageHeader;
class SessionActions;
class SessionDetails;
class SessionDigests;
class SessionEdits;
class SessionFilter;
class SessionModel;
class SessionSearch;
class SessionTransfer;
class TableColumns;
struct SessionListing;

//! The list of sessions and what is shown of the selected one; its parts do what can be done with them.
class SessionsPage : public Page
{
    Q_OBJECT
public:
    explicit SessionsPage(AppContext& context, QWidget* parent = nullptr);
    ~SessionsPage() override;

    [[nodiscard]] QString title() const override { return tr("Sessions"); }
    [[nodiscard]] QString iconName() const override { return QStringLiteral("sessions"); }
    [[nodiscard]] QString manualPage() const override { return QStringLiteral("window-sessions"); }
    void activated() override;

    [[nodiscard]] QStringList selectedIds() const;
    // See SessionTransfer.
    void importFiles(const QStringList& files);
    void exportTo(const QString& id, const QString& file, Library::Privacy privacy = Library::Privacy::AsRecorded);
    [[nodiscard]] bool busy() const; //!< something is being read or written

protected:
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void connectActions();
    void connectSearch();
    void buildTable();
    QWidget* buildBar();
    void reload();
    void search();        //!< after each key; while a list is being read, once after that
    void read(int known); //!< known: as `m_all`, 0 = to be counted anew
    void showState();
    void updateActions();
    void updateDetails();
    void wantDigests(); //!< of the rows in view
    void open();
    void takeList(SessionListing list);
    [[nodiscard]] QString titleOf(const QString& id) const;
    //! Calls `use` with the selected session's plan; `what`: not possible, for the banner.
    void withRerun(const QString& what, std::function<void(const Rerun&)> use);
    void showMenu(const QPoint& at);

    LibraryWorker m_worker;
    SessionDigests* m_digests;
    SessionModel* m_model;
    SessionFilter* m_filter;
    PageHeader* m_header;
    Banner* m_banner;
    SessionSearch* m_search;
    QWidget* m_bar = nullptr;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    QTableView* m_table;
    TableColumns* m_columns = nullptr;
    SessionDetails* m_details;
    SessionActions* m_actions;
    QMenu* m_more;
    SessionEdits* m_edits;
    SessionTransfer* m_transfer;
    LibraryMenu* m_library;
    QAction* m_showArchived = nullptr;
    QTimer m_digestTimer;       //!< while rows move
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
