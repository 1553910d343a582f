// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/library_menu.h"

#include "bridge/app_context.h"
#include "bridge/library_worker.h"
#include "format.h"
#include "parts/banner.h"
#include "parts/commands.h"
#include "parts/file_dialog.h"
#include "qt_text.h"
#include "sessions/care_dialog.h"
#include "sessions/import_text.h"

#include <dyno/library_watch.h>

#include <QApplication>
#include <QDir>
#include <QFileDialog>
#include <QFutureWatcher>
#include <QPointer>
#include <QTimer>
#include <QtConcurrentRun>

namespace dyno {

namespace {

constexpr int kShowAfterMs = 300;        //!< what is done by then needs no dialog
constexpr std::size_t kMostRemoved = 15; //!< the newest; the command line knows all

std::int64_t sizeOf(const std::filesystem::path& file)
{
    std::error_code ignored;
    const auto size = std::filesystem::file_size(file, ignored);
    return ignored ? 0 : std::int64_t(size);
}

} // namespace

LibraryMenu::LibraryMenu(AppContext& context, LibraryWorker& worker, Banner& banner, QWidget* parent)
    : QMenu(parent)
    , m_context(context)
    , m_worker(worker)
    , m_banner(banner)
    , m_removed(new QMenu(tr("Restore a deleted session"), this))
{
    setObjectName(QStringLiteral("libraryMenu"));
    setToolTipsVisible(true);
    m_removed->setObjectName(QStringLiteral("libraryRemoved"));
    m_removed->menuAction()->setToolTip(tr("Deleted sessions are kept for 30 days"));
    addMenu(m_removed);
    addSeparator();
    add("libraryCheck", tr("Check the library"), {}, tr("Reads everything and reports damage"), [this] { check(); });
    add("libraryVacuum", tr("Compact the library"), {},
        tr("Shrinks the file; sessions deleted in the last 30 days can still be restored"), [this] { vacuum(); });
    addSeparator();
    add("libraryBackUp", tr("Back up…"), tr("Back up the library…"), tr("Copies the whole library to a new file"),
        [this] { chooseBackUp(); });
    add("libraryMove", tr("Move to another folder…"), tr("Move the library to another folder…"),
        tr("Leaves a link in the old folder, so that dyno finds the library"), [this] { chooseFolder(); });
    add("libraryMerge", tr("Merge another library…"), {}, tr("Adds all sessions that are not here yet"),
        [this] { chooseMerge(); });
    setRemoved({});
}

QAction* LibraryMenu::add(const char* name, const QString& text, const QString& command, const QString& tip,
                          std::function<void()> run)
{
    QAction* action = addAction(text);
    action->setObjectName(QString::fromLatin1(name));
    action->setToolTip(tip);
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    makeCommand(action, command);
    m_actions.push_back(action);
    return action;
}

void LibraryMenu::setRemoved(const std::vector<SessionInfo>& removed)
{
    m_removed->clear();
    m_removed->menuAction()->setEnabled(!removed.empty());
    for (std::size_t i = 0; i < std::min(removed.size(), kMostRemoved); ++i) {
        const SessionInfo& one = removed[i];
        QString text = tr("%1, %2", "title, when").arg(qtText(one.title), format::when(one.startedMs));
        QAction* action = m_removed->addAction(text.replace(QLatin1Char('&'), QStringLiteral("&&")));
        action->setObjectName(QStringLiteral("restore-") + qtText(one.id));
        connect(action, &QAction::triggered, this, [this, id = qtText(one.id)] { emit restoreRequested({id}); });
    }
}

LibraryMenu::~LibraryMenu()
{
    if (m_going)
        *m_going = false;
}

template<class T>
void LibraryMenu::care(const QString& what, std::function<Expected<T>()> work, std::function<void(Expected<T>)> done)
{
    if (m_going)
        return;
    m_going = std::make_shared<std::atomic<bool>>(true);
    for (QAction* action : m_actions)
        action->setEnabled(false);
    QPointer<CareDialog> dialog = new CareDialog(what, parentWidget());
    connect(dialog, &CareDialog::cancelled, this, [going = m_going] { *going = false; });
    QTimer::singleShot(kShowAfterMs, dialog.data(), [dialog] { dialog->show(); });
    auto* watcher = new QFutureWatcher<Expected<T>>(this);
    connect(watcher, &QFutureWatcher<Expected<T>>::finished, this, [this, watcher, dialog, done = std::move(done)] {
        watcher->deleteLater();
        m_going.reset();
        for (QAction* action : m_actions)
            action->setEnabled(true);
        if (dialog)
            dialog->end();
        done(watcher->future().takeResult());
    });
    watcher->setFuture(QtConcurrent::run([going = m_going, dialog, work = std::move(work)] {
        const LibraryWatch watch([&going, &dialog](double share) {
            QMetaObject::invokeMethod(qApp, [dialog, share] {
                if (dialog)
                    dialog->setShare(share);
            });
            return going->load();
        });
        return work();
    }));
}

template<class T>
void LibraryMenu::care(const QString& what, Library::Mode mode, std::function<Expected<T>(Library&)> work,
                       std::function<void(Expected<T>)> done)
{
    care<T>(
        what,
        [file = m_worker.file(), mode, work = std::move(work)] { return LibraryWorker::opened<T>(file, mode, work); },
        std::move(done));
}

void LibraryMenu::report(const QString& what, const Error& error)
{
    if (error.kind == ErrorKind::Interrupted)
        m_context.showMessage(tr("%1: %2", "what: why").arg(what, qtText(error.message)));
    else
        m_banner.showError(what, error);
}

void LibraryMenu::check()
{
    care<LibraryCheck>(
        tr("Checking the library"), Library::Mode::ReadOnly, [](Library& library) { return library.check(); },
        [this](Expected<LibraryCheck> check) {
            if (!check) {
                report(tr("The library was not checked"), check.error());
            } else if (check->problems.empty()) {
                m_context.showMessage(tr("No damage found: %1, %2, %3", "sessions, runs, bytes")
                                          .arg(tr("%n session(s)", nullptr, int(check->sessions)),
                                               tr("%n run(s)", nullptr, int(check->runs)),
                                               format::bytes(double(check->bytes))));
            } else {
                QString found = qtText(check->problems.front());
                if (check->problems.size() > 1)
                    found += tr(", and %1 more").arg(format::count(qint64(check->problems.size()) - 1));
                m_banner.showError(tr("The library is damaged"),
                                   Error{ErrorKind::Storage, found.toStdString(), m_worker.file().string(),
                                         tr("restore a backup, or export the sessions that are intact").toStdString()});
            }
        });
}

void LibraryMenu::vacuum()
{
    const std::int64_t before = sizeOf(m_worker.file());
    using Removed = std::vector<SessionInfo>;
    care<Removed>(
        tr("Compacting the library"), Library::Mode::ReadWrite,
        [](Library& library) -> Expected<Removed> {
            if (auto done = library.vacuum(); !done)
                return fail(done.error());
            return library.removed();
        },
        [this, before](Expected<Removed> removed) {
            if (!removed)
                return report(tr("The library was not compacted"), removed.error());
            QString text = tr("Library size: %1 before, %2 now")
                               .arg(format::bytes(double(before)), format::bytes(double(sizeOf(m_worker.file()))));
            if (!removed->empty())
                text +=
                    removed->size() == 1
                        ? tr("; one deleted session can still be restored")
                        : tr("; %1 deleted sessions can still be restored").arg(format::count(qint64(removed->size())));
            m_context.showMessage(text);
            m_context.notifyLibraryChanged();
        });
}

void LibraryMenu::backUp(const QString& file)
{
    care<void>(
        tr("Backing up the library"), Library::Mode::ReadOnly,
        [file = file.toStdString()](Library& library) { return library.backUp(file); },
        [this, file](Expected<void> done) {
            if (done)
                m_context.showMessage(tr("Backed up to %1").arg(QDir::toNativeSeparators(file)));
            else
                report(tr("The library was not backed up"), done.error());
        });
}

void LibraryMenu::moveTo(const QString& folder)
{
    using Path = std::filesystem::path;
    care<Path>(
        tr("Moving the library"), [from = m_worker.file(), to = folder.toStdString()] { return moveLibrary(from, to); },
        [this](Expected<Path> moved) {
            if (!moved)
                return report(tr("The library was not moved"), moved.error());
            m_context.showMessage(tr("The library is now %1").arg(qtText(moved->string())));
            m_context.notifyLibraryChanged();
        });
}

void LibraryMenu::merge(const QString& file)
{
    care<ImportedSessions>(
        tr("Merging another library"), Library::Mode::ReadWrite,
        [file = file.toStdString()](Library& library) { return importInto(library, file); },
        [this](Expected<ImportedSessions> imported) {
            if (!imported) {
                m_context.notifyLibraryChanged(); // a part of it may be here
                return report(tr("The library was not merged"), imported.error());
            }
            QString message =
                tr("Merged: %n session(s) of that library, all here now", nullptr, int(imported->ids.size()));
            if (const QString left = leftText(*imported); !left.isEmpty())
                message += QStringLiteral("; ") + left;
            if (const QString damage = damageText(*imported); !damage.isEmpty())
                message += QStringLiteral("; ") + damage;
            m_context.showMessage(message);
            m_context.notifyLibraryChanged();
        });
}

void LibraryMenu::chooseBackUp()
{
    auto* dialog =
        makeFileDialog(parentWidget(), QStringLiteral("libraryBackUpDialog"), tr("Back up the library"), tr("Back up"));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilter(tr("Dynobench libraries (*.dynolib)"));
    dialog->setDefaultSuffix(QStringLiteral("dynolib"));
    dialog->selectFile(QStringLiteral("library-%1.dynolib").arg(QDate::currentDate().toString(Qt::ISODate)));
    connect(dialog, &QFileDialog::fileSelected, this, &LibraryMenu::backUp);
    dialog->open();
}

void LibraryMenu::chooseFolder()
{
    auto* dialog =
        makeFileDialog(parentWidget(), QStringLiteral("libraryMoveDialog"), tr("Move the library to"), tr("Move"));
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, &LibraryMenu::moveTo);
    dialog->open();
}

void LibraryMenu::chooseMerge()
{
    auto* dialog =
        makeFileDialog(parentWidget(), QStringLiteral("libraryMergeDialog"), tr("Merge another library"), tr("Merge"));
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Dynobench libraries (*.dynolib *.dyno)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, &LibraryMenu::merge);
    dialog->open();
}

} // namespace dyno
