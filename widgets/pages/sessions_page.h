// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The library as a list: search, open, compare, replay, run again, rename, tag, note, delete with undo, export,
//! import.
#pragma once

#include "bridge/library_worker.h"
#include "pages/page.h"

#include <dyno/library.h>

#include <QStringList>

#include <functional>

class QAction;
class QLineEdit;
class QMenu;
class QStackedWidget;
class QTableView;

namespace dyno {

class Banner;
class EmptyState;
class PageHeader;
class SessionDetails;
class SessionFilter;
class SessionModel;

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
    //! Copies `.dyno` files into the library.
    void importFiles(const QStringList& files);
    //! Writes one session to `file`.
    void exportTo(const QString& id, const QString& file);
    [[nodiscard]] bool busy() const { return m_worker.busy(); } //!< something is being read or written

protected:
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void buildActions();
    void buildTable();
    QWidget* buildBar();
    void reload();
    void showState();
    void updateActions();
    void updateDetails();
    void open();
    void withPlan(const QString& what, void (AppContext::*use)(const Plan&));
    void removeSelected();
    void restore(const QStringList& ids);
    void chooseExport();
    void chooseImport();
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
    QWidget* m_bar = nullptr;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    QTableView* m_table;
    SessionDetails* m_details;
    QMenu* m_more;
    QAction *m_open, *m_replay, *m_again, *m_duplicate, *m_rename, *m_tag, *m_note, *m_export, *m_remove, *m_import;
    int m_reloads = 0; //!< token: a late list never replaces a newer one
    bool m_loaded = false;
    bool m_failed = false;
    bool m_selectFirst = false;
    bool m_detailsWanted = false; //!< asked for although the page is too narrow for it
};

} // namespace dyno
