// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What can be done with the whole library: check, vacuum, copy, move, merge, and bringing deleted sessions back. GUI
//! thread; the work is done by the page's worker.
#pragma once

#include <dyno/library.h>

#include <QMenu>

#include <functional>

namespace dyno {

class AppContext;
class Banner;
class LibraryWorker;

class LibraryMenu : public QMenu
{
    Q_OBJECT
public:
    LibraryMenu(AppContext& context, LibraryWorker& worker, Banner& banner, QWidget* parent);

    //! Sessions that can be brought back; the page reads them with its list.
    void setRemoved(const std::vector<SessionInfo>& removed);

    void check();
    void vacuum();
    void backUp(const QString& file);
    void moveTo(const QString& folder);
    void merge(const QString& file);

signals:
    void restoreRequested(const QStringList& ids);

private:
    QAction* add(const char* name, const QString& text, const QString& tip, std::function<void()> run);
    void chooseBackUp();
    void chooseFolder();
    void chooseMerge();

    AppContext& m_context;
    LibraryWorker& m_worker;
    Banner& m_banner;
    QMenu* m_removed;
};

} // namespace dyno
