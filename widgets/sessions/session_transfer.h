// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <dyno/library.h>

#include <QObject>
#include <QStringList>

class QMimeData;
class QWidget;

namespace dyno {

class AppContext;
class Banner;
class LibraryWorker;

//! What leaves and enters the library: a session as a `.dyno` file, and such files and results of other tools. GUI
//! thread.
class SessionTransfer : public QObject
{
    Q_OBJECT
public:
    //! Dialogs belong to `page`.
    SessionTransfer(AppContext& context, LibraryWorker& worker, Banner& banner, QWidget* page);

    void chooseExport(const QString& id, const QString& title); //!< asks how, then where
    //! Writes one session to `file`.
    void exportTo(const QString& id, const QString& file, Library::Privacy privacy);
    void chooseImport();
    //! Copies `.dyno` files into the library; for results of other tools it shows the import dialog.
    void importFiles(const QStringList& files);
    //! Files that could be imported; plans are opened by the window.
    [[nodiscard]] static QStringList filesOf(const QMimeData* data);

private:
    void chooseExportFile(const QString& id, const QString& title, Library::Privacy privacy);
    void importOurs(const QString& file);
    void importOthers(QStringList files);

    AppContext& m_context;
    LibraryWorker& m_worker;
    Banner& m_banner;
    QWidget* m_page;
};

} // namespace dyno
