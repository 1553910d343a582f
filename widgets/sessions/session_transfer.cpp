// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/session_transfer.h"

#include "bridge/app_context.h"
#include "bridge/library_worker.h"
#include "parts/banner.h"
#include "parts/card.h"
#include "parts/dialog.h"
#include "parts/field.h"
#include "parts/file_dialog.h"
#include "qt_text.h"
#include "sessions/import_dialog.h"
#include "sessions/import_text.h"
#include <dyno/file_kind.h>

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QPointer>

namespace dyno {

namespace {

//! A library or a .dyno file, by its content, its name, or because reading it tells what is wrong.
bool isOurs(const QString& name)
{
    return name.endsWith(QStringLiteral(".dyno"), Qt::CaseInsensitive) || !QFileInfo(name).isReadable() ||
           isDynoFile(name.toStdString());
}

} // namespace

SessionTransfer::SessionTransfer(AppContext& context, LibraryWorker& worker, Banner& banner, QWidget* page)
    : QObject(page)
    , m_context(context)
    , m_worker(worker)
    , m_banner(banner)
    , m_page(page)
{
}

void SessionTransfer::chooseExport(const QString& id, const QString& title)
{
    auto* dialog = new QDialog(m_page);
    auto* layout = dressDialog(*dialog, QStringLiteral("exportOptions"), tr("Export the session"));
    QLabel* what = makeLabel(tr("One .dyno file with the plan, the settings, facts about servers and machine, and all "
                                "measurements. It never contains passwords."),
                             TextRole::Body);
    what->setWordWrap(true);
    what->setMinimumWidth(420);
    layout->addWidget(what);
    auto* anonymous = new QCheckBox(tr("Remove host names, user names and addresses"));
    describe(anonymous, QStringLiteral("exportAnonymous"), anonymous->text(),
             tr("Replaces them everywhere, including logs, notes and option files"));
    layout->addWidget(anonymous);
    auto* buttons = makeDialogButtons(*dialog, QStringLiteral("exportCancel"));
    QPushButton* choose = makeButton(tr("Choose a file…"), "primary");
    describe(choose, QStringLiteral("exportChoose"), tr("Choose a file"),
             tr("Ask where the file goes; it is written after that"));
    buttons->addButton(choose, QDialogButtonBox::AcceptRole);
    layout->addSpacing(6);
    layout->addWidget(buttons);
    connect(choose, &QPushButton::clicked, this, [this, dialog, anonymous, id, title] {
        dialog->accept();
        chooseExportFile(id, title,
                         anonymous->isChecked() ? Library::Privacy::Anonymous : Library::Privacy::AsRecorded);
    });
    choose->setDefault(true);
    dialog->open();
}

void SessionTransfer::chooseExportFile(const QString& id, const QString& title, Library::Privacy privacy)
{
    QString name = title.simplified();
    for (const QChar bad : QStringLiteral("/\\:*?\"<>|"))
        name.remove(bad);
    auto* dialog =
        makeFileDialog(m_page, QStringLiteral("sessionExportDialog"), tr("Export the session"), tr("Export"));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilter(tr("Dynobench sessions (*.dyno)"));
    dialog->setDefaultSuffix(QStringLiteral("dyno"));
    dialog->selectFile((name.isEmpty() ? QStringLiteral("session") : name) % QStringLiteral(".dyno"));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, id, privacy](const QString& file) { exportTo(id, file, privacy); });
    dialog->open();
}

void SessionTransfer::exportTo(const QString& id, const QString& file, Library::Privacy privacy)
{
    m_worker.run<void>(
        Library::Mode::ReadOnly,
        [id = id.toStdString(), file = file.toStdString(), privacy](Library& library) {
            return library.exportSession(id, file, privacy);
        },
        [this, file](Expected<void> result) {
            if (result)
                m_context.showMessage(tr("Exported to %1").arg(file));
            else
                m_banner.showError(tr("The session was not exported"), result.error());
        });
}

void SessionTransfer::chooseImport()
{
    auto* dialog = makeFileDialog(m_page, QStringLiteral("sessionImportDialog"), tr("Import sessions"), tr("Import"));
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setNameFilters({tr("All files (*)"), tr("Dynobench sessions (*.dyno)")});
    connect(dialog, &QFileDialog::filesSelected, this, &SessionTransfer::importFiles);
    dialog->open();
}

void SessionTransfer::importFiles(const QStringList& files)
{
    QStringList others;
    for (const QString& file : files) {
        if (isOurs(file))
            importOurs(file);
        else
            others += file;
    }
    if (!others.isEmpty())
        importOthers(others);
}

void SessionTransfer::importOthers(QStringList files)
{
    auto* dialog = new ImportDialog(m_worker.file(), files, m_page);
    connect(dialog, &ImportDialog::imported, this, [this](const QString& id, const QString& title) {
        m_context.notifyLibraryChanged();
        m_context.showMessage(tr("Imported %1").arg(title), tr("Open"), [context = QPointer(&m_context), id] {
            if (context)
                context->compareSessions({id});
        });
    });
    connect(dialog, &ImportDialog::filesLeft, this, &SessionTransfer::importOthers);
    dialog->open();
}

void SessionTransfer::importOurs(const QString& file)
{
    m_worker.run<ImportedSessions>(
        Library::Mode::ReadWrite, [file = file.toStdString()](Library& library) { return importInto(library, file); },
        [this, file](Expected<ImportedSessions> imported) {
            const QString name = QFileInfo(file).fileName();
            if (!imported) {
                m_banner.showError(tr("%1 was not imported").arg(name), imported.error());
                return;
            }
            QStringList list;
            for (const std::string& id : imported->ids)
                list += qtText(id);
            const QString left = leftText(*imported);
            QString message = list.isEmpty() ? tr("%1 holds no session").arg(name) : tr("Imported %1").arg(name);
            if (!left.isEmpty())
                message = imported->left.size() < imported->ids.size() ? message + QStringLiteral("; ") + left
                                                                       : name + QStringLiteral(": ") + left;
            if (const QString damage = damageText(*imported); !damage.isEmpty())
                message += QStringLiteral("; ") + damage;
            m_context.notifyLibraryChanged();
            m_context.showMessage(message, list.isEmpty() ? QString() : tr("Open"),
                                  [context = QPointer(&m_context), list] {
                                      if (context && !list.isEmpty())
                                          context->compareSessions(list);
                                  });
        });
}

QStringList SessionTransfer::filesOf(const QMimeData* data)
{
    QStringList files;
    for (const QUrl& url : data->urls()) {
        const QFileInfo info(url.toLocalFile());
        const QString suffix = info.suffix().toLower();
        static const QStringList pictures{QStringLiteral("png"), QStringLiteral("jpg"), QStringLiteral("svg"),
                                          QStringLiteral("pdf"), QStringLiteral("toml")};
        if (url.isLocalFile() && info.isFile() && !pictures.contains(suffix))
            files += info.absoluteFilePath();
    }
    return files;
}

} // namespace dyno
