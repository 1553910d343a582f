// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What can be done with the whole library: check, vacuum, copy, move, merge, and bringing deleted sessions back. GUI
//! thread; such work takes long, so it has a thread of its own, and a dialog that tells how far it is.
#pragma once

#include <dyno/library.h>

#include <QMenu>

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

namespace dyno {

class AppContext;
class Banner;
class LibraryWorker;

class LibraryMenu : public QMenu
{
    Q_OBJECT
public:
    LibraryMenu(AppContext& context, LibraryWorker& worker, Banner& banner, QWidget* parent);
    ~LibraryMenu() override; //!< ends what is under way

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
    //! `command`: what it is called outside of this menu, if not `text`.
    QAction* add(const char* name, const QString& text, const QString& command, const QString& tip,
                 std::function<void()> run);
    void chooseBackUp();
    void chooseFolder();
    void chooseMerge();
    //! Does `work` away from the GUI thread; one at a time, the others cannot be chosen meanwhile.
    template<class T>
    void care(const QString& what, std::function<Expected<T>()> work, std::function<void(Expected<T>)> done);
    template<class T>
    void care(const QString& what, Library::Mode mode, std::function<Expected<T>(Library&)> work,
              std::function<void(Expected<T>)> done);
    void report(const QString& what, const Error& error); //!< also that it was cancelled

    AppContext& m_context;
    LibraryWorker& m_worker;
    Banner& m_banner;
    QMenu* m_removed;
    std::vector<QAction*> m_actions;
    std::shared_ptr<std::atomic<bool>> m_going; //!< of what is under way
};

} // namespace dyno
