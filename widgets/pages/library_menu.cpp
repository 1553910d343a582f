// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/library_menu.h"

#include "bridge/app_context.h"
#include "bridge/library_worker.h"
#include "format.h"
#include "forms/banner.h"

#include <QDir>
#include <QFileDialog>
#include <QPointer>

namespace dyno {

namespace {

constexpr std::size_t kMostRemoved = 15; //!< the newest; the command line knows all

QString qs(const std::string& text)
{
    return QString::fromStdString(text);
}

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
    , m_removed(new QMenu(tr("Bring back a deleted session"), this))
{
    setObjectName(QStringLiteral("libraryMenu"));
    setToolTipsVisible(true);
    m_removed->setObjectName(QStringLiteral("libraryRemoved"));
    addMenu(m_removed);
    addSeparator();
    add("libraryCheck", tr("Check the library"), tr("Reads everything and says what is damaged"), [this] { check(); });
    add("libraryVacuum", tr("Give unused room back"),
        tr("Deletes for good what was deleted, and makes the file as small as it can be"), [this] { vacuum(); });
    addSeparator();
    add("libraryBackUp", tr("Back up…"), tr("A copy of the whole library in a new file"), [this] { chooseBackUp(); });
    add("libraryMove", tr("Move to another folder…"), tr("A link stays at the old place, so that dyno finds it too"),
        [this] { chooseFolder(); });
    add("libraryMerge", tr("Merge another library…"), tr("Copies in all sessions that are not here yet"),
        [this] { chooseMerge(); });
    setRemoved({});
}

QAction* LibraryMenu::add(const char* name, const QString& text, const QString& tip, std::function<void()> run)
{
    QAction* action = addAction(text);
    action->setObjectName(QString::fromLatin1(name));
    action->setToolTip(tip);
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    return action;
}

void LibraryMenu::setRemoved(const std::vector<SessionInfo>& removed)
{
    m_removed->clear();
    m_removed->menuAction()->setEnabled(!removed.empty());
    for (std::size_t i = 0; i < std::min(removed.size(), kMostRemoved); ++i) {
        const SessionInfo& one = removed[i];
        QString text = tr("%1, %2", "title, when").arg(qs(one.title), format::when(one.startedMs));
        QAction* action = m_removed->addAction(text.replace(QLatin1Char('&'), QStringLiteral("&&")));
        action->setObjectName(QStringLiteral("restore-") + qs(one.id));
        connect(action, &QAction::triggered, this, [this, id = qs(one.id)] { emit restoreRequested({id}); });
    }
}

void LibraryMenu::check()
{
    m_worker.run<LibraryCheck>(
        Library::Mode::ReadOnly, [](Library& library) { return library.check(); },
        [this](Expected<LibraryCheck> check) {
            if (!check) {
                m_banner.showError(tr("The library was not checked"), check.error());
            } else if (check->problems.empty()) {
                m_context.showMessage(tr("Nothing is wrong: %1 sessions, %2 runs, %3")
                                          .arg(format::count(check->sessions), format::count(check->runs),
                                               format::bytes(double(check->bytes))));
            } else {
                QString found = qs(check->problems.front());
                if (check->problems.size() > 1)
                    found += tr(", and %1 more").arg(format::count(qint64(check->problems.size()) - 1));
                m_banner.showError(tr("The library is damaged"),
                                   Error{ErrorKind::Storage, found.toStdString(), m_worker.file().string(),
                                         tr("go back to a copy, or export the sessions that are whole").toStdString()});
            }
        });
}

void LibraryMenu::vacuum()
{
    const std::int64_t before = sizeOf(m_worker.file());
    m_worker.run<void>(
        Library::Mode::ReadWrite, [](Library& library) { return library.vacuum(); },
        [this, before](Expected<void> done) {
            if (!done)
                return m_banner.showError(tr("No room was given back"), done.error());
            m_context.showMessage(tr("The library had %1 and has %2 now")
                                      .arg(format::bytes(double(before)), format::bytes(double(sizeOf(m_worker.file())))));
            m_context.notifyLibraryChanged();
        });
}

void LibraryMenu::backUp(const QString& file)
{
    m_worker.run<void>(
        Library::Mode::ReadOnly, [file = file.toStdString()](Library& library) { return library.backUp(file); },
        [this, file](Expected<void> done) {
            if (done)
                m_context.showMessage(tr("Backed up to %1").arg(QDir::toNativeSeparators(file)));
            else
                m_banner.showError(tr("Not backed up"), done.error());
        });
}

void LibraryMenu::moveTo(const QString& folder)
{
    using Path = std::filesystem::path;
    m_worker.submit<Path>([from = m_worker.file(), to = folder.toStdString()] { return moveLibrary(from, to); },
                          [this](Expected<Path> moved) {
                              if (!moved)
                                  return m_banner.showError(tr("The library was not moved"), moved.error());
                              m_context.showMessage(tr("The library is now %1").arg(qs(moved->string())));
                              m_context.notifyLibraryChanged();
                          });
}

void LibraryMenu::merge(const QString& file)
{
    using Ids = std::vector<std::string>;
    m_worker.run<Ids>(
        Library::Mode::ReadWrite, [file = file.toStdString()](Library& library) { return library.importFile(file); },
        [this](Expected<Ids> ids) {
            if (!ids)
                return m_banner.showError(tr("The library was not merged"), ids.error());
            m_context.showMessage(tr("All %1 sessions of it are here now").arg(format::count(qint64(ids->size()))));
            m_context.notifyLibraryChanged();
        });
}

void LibraryMenu::chooseBackUp()
{
    auto* dialog = new QFileDialog(parentWidget(), tr("Back up the library"));
    dialog->setObjectName(QStringLiteral("libraryBackUpDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilter(tr("Dynobench libraries (*.dynolib)"));
    dialog->setDefaultSuffix(QStringLiteral("dynolib"));
    dialog->selectFile(QStringLiteral("library-%1.dynolib").arg(QDate::currentDate().toString(Qt::ISODate)));
    connect(dialog, &QFileDialog::fileSelected, this, &LibraryMenu::backUp);
    dialog->open();
}

void LibraryMenu::chooseFolder()
{
    auto* dialog = new QFileDialog(parentWidget(), tr("Move the library to"));
    dialog->setObjectName(QStringLiteral("libraryMoveDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, &LibraryMenu::moveTo);
    dialog->open();
}

void LibraryMenu::chooseMerge()
{
    auto* dialog = new QFileDialog(parentWidget(), tr("Merge another library"));
    dialog->setObjectName(QStringLiteral("libraryMergeDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Dynobench libraries (*.dynolib *.dyno)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, &LibraryMenu::merge);
    dialog->open();
}

} // namespace dyno
