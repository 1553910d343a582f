// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/compare_export.h"

#include "plots/export.h"
#include "plots/pivot_table_model.h"

#include <QDir>
#include <QFileDialog>
#include <QMenu>
#include <QSaveFile>

namespace dyno {

namespace {

QString safeName(QString name)
{
    for (const QChar bad : QStringLiteral("/\\:*?\"<>|"))
        name.remove(bad);
    name = name.simplified();
    return name.isEmpty() ? QStringLiteral("comparison") : name;
}

} // namespace

CompareExport::CompareExport(LibraryWorker& worker, const PivotTableModel& table, QWidget* parent)
    : QObject(parent)
    , m_worker(worker)
    , m_table(table)
    , m_window(parent)
{
}

void CompareExport::fillMenu(QMenu* menu)
{
    menu->setToolTipsVisible(true);
    const auto add = [this, menu](const QString& name, const QString& text, const QString& tip, auto&& run) {
        QAction* action = menu->addAction(text);
        action->setObjectName(name);
        action->setToolTip(tip);
        connect(action, &QAction::triggered, this, run);
    };
    add(QStringLiteral("exportPicture"), tr("Picture (PNG, SVG, PDF)…"), tr("The chart as it is on screen"),
        [this] { emit pictureWanted(); });
    menu->addSeparator();
    add(QStringLiteral("exportTableMarkdown"), tr("Table as Markdown…"), tr("The ratio table for a post or a README"),
        [this] {
            chooseFile(QStringLiteral("exportTableDialog"), tr("Table as Markdown"), tr("Markdown (*.md)"),
                       QStringLiteral("md"), &CompareExport::saveTable);
        });
    add(QStringLiteral("exportTableCsv"), tr("Table as CSV…"), tr("The ratio table for a spreadsheet"), [this] {
        chooseFile(QStringLiteral("exportTableDialog"), tr("Table as CSV"), tr("CSV (*.csv)"), QStringLiteral("csv"),
                   &CompareExport::saveTable);
    });
    add(QStringLiteral("exportReportHtml"), tr("Report as HTML…"),
        tr("One file: set-up, tables, and the charts on screen with values under the mouse"), [this] {
            chooseFile(QStringLiteral("exportReportHtmlDialog"), tr("Report as HTML"), tr("HTML (*.html *.htm)"),
                       QStringLiteral("html"), &CompareExport::saveReport);
        });
    add(QStringLiteral("exportReport"), tr("Report as Markdown…"), tr("Title, set-up, table and differences"), [this] {
        chooseFile(QStringLiteral("exportReportDialog"), tr("Report as Markdown"), tr("Markdown (*.md)"),
                   QStringLiteral("md"), &CompareExport::saveReport);
    });
    m_appendix = menu->addAction(tr("Reports with appendix"));
    m_appendix->setObjectName(QStringLiteral("exportAppendix"));
    m_appendix->setToolTip(tr("Adds the settings as read back, the plan and the option files to a report"));
    m_appendix->setCheckable(true);
    menu->addSeparator();
    add(QStringLiteral("exportData"), tr("Data as CSV…"), tr("All runs and all their intervals, into a folder"),
        [this] { chooseFolder(QStringLiteral("exportDataDialog"), tr("Data as CSV"), &CompareExport::saveData); });
    add(QStringLiteral("exportDyno"), tr("Session as .dyno…"), tr("Save the whole session as one file"), [this] {
        if (m_comparison && m_comparison->sessions.size() > 1) {
            chooseFolder(QStringLiteral("exportDynoDialog"), tr("Sessions as .dyno"), &CompareExport::saveSessions);
        } else {
            chooseFile(QStringLiteral("exportDynoDialog"), tr("Session as .dyno"), tr("Dynobench sessions (*.dyno)"),
                       QStringLiteral("dyno"), &CompareExport::saveSessions);
        }
    });
    menu->addSeparator();
    m_recipe = menu->addAction(tr("Save as recipe…"), this, &CompareExport::recipeWanted);
    m_recipe->setObjectName(QStringLiteral("exportRecipe"));
}

void CompareExport::setComparison(const ComparisonPtr& comparison)
{
    m_comparison = comparison;
    const bool one = comparison->sessions.size() == 1;
    const bool planned = one && !isImported(comparison->sessions.front());
    m_recipe->setEnabled(planned);
    m_recipe->setToolTip(planned ? tr("Put plan, result and this view among the cards of Start")
                         : one   ? tr("Another tool measured this session, so there is no plan to save")
                                 : tr("One session at a time can become a recipe"));
}

QString CompareExport::fileName() const
{
    if (!m_comparison || m_comparison->sessions.empty())
        return QStringLiteral("comparison");
    return safeName(QString::fromStdString(m_comparison->sessions.front().info.title));
}

void CompareExport::chooseFile(const QString& objectName, const QString& title, const QString& filter,
                               const QString& suffix, void (CompareExport::*save)(const QString&))
{
    if (!m_comparison)
        return;
    auto* dialog = new QFileDialog(m_window, title);
    dialog->setObjectName(objectName);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilter(filter);
    dialog->setDefaultSuffix(suffix);
    dialog->selectFile(fileName() % QLatin1Char('.') % suffix);
    connect(dialog, &QFileDialog::fileSelected, this, save);
    dialog->open();
}

void CompareExport::chooseFolder(const QString& objectName, const QString& title,
                                 void (CompareExport::*save)(const QString&))
{
    if (!m_comparison)
        return;
    auto* dialog = new QFileDialog(m_window, title);
    dialog->setObjectName(objectName);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, save);
    dialog->open();
}

void CompareExport::writeFile(const QString& file, std::function<std::string()> text)
{
    m_worker.submit<void>(
        [file, text = std::move(text)]() -> Expected<void> {
            const std::string bytes = text();
            QSaveFile out(file); // an older file stays whole when the disk is full
            if (!out.open(QIODevice::WriteOnly) || out.write(bytes.data(), qint64(bytes.size())) < 0 || !out.flush() ||
                !out.commit()) {
                return fail(Error{ErrorKind::Storage, out.errorString().toStdString(), file.toStdString(),
                                  tr("Choose another folder, or free disk space").toStdString()});
            }
            return {};
        },
        [this, file](Expected<void> result) {
            if (result)
                emit done(tr("Saved %1").arg(QDir::toNativeSeparators(file)));
            else
                emit failed(result.error());
        });
}

void CompareExport::saveTable(const QString& file)
{
    if (file.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive))
        writeFile(file, [text = m_table.csv().toStdString()] { return text; });
    else
        writeFile(file, [pivot = m_table.pivot()] { return markdownTable(pivot); });
}

void CompareExport::saveReport(const QString& file)
{
    if (!m_comparison)
        return;
    const Appendix appendix = m_appendix && m_appendix->isChecked() ? Appendix::Yes : Appendix::No;
    if (file.endsWith(QStringLiteral(".html"), Qt::CaseInsensitive) ||
        file.endsWith(QStringLiteral(".htm"), Qt::CaseInsensitive)) {
        std::vector<ReportPicture> pictures;
        for (PlotCard* card : m_cards ? m_cards() : std::vector<PlotCard*>()) {
            auto picture = reportPicture(*card, {}, QStringLiteral("chart-%1").arg(pictures.size() + 1));
            if (!picture)
                return emit failed(picture.error());
            pictures.push_back(std::move(*picture));
        }
        writeFile(file, [comparison = m_comparison, request = m_table.pivot().request, pictures = std::move(pictures),
                         appendix] { return htmlPost(comparison->sessions, request, pictures, {}, {}, appendix); });
    } else {
        writeFile(file, [comparison = m_comparison, request = m_table.pivot().request, appendix] {
            return markdownReport(comparison->sessions, request) +
                   (appendix == Appendix::Yes ? appendixOf(comparison->sessions) : std::string());
        });
    }
}

void CompareExport::saveData(const QString& dir)
{
    if (!m_comparison)
        return;
    const std::filesystem::path folder = dir.toStdString();
    m_worker.run<void>(
        Library::Mode::ReadOnly,
        [comparison = m_comparison, folder](Library& library) -> Expected<void> {
            const bool several = comparison->sessions.size() > 1;
            for (const StoredSession& session : comparison->sessions) {
                // Several sessions have runs of the same number: a folder each.
                auto files = exportCsv(library, session, several ? folder / session.info.id : folder);
                if (!files)
                    return fail(files.error());
            }
            return {};
        },
        [this, dir](Expected<void> result) {
            if (result)
                emit done(tr("Saved the data in %1").arg(QDir::toNativeSeparators(dir)));
            else
                emit failed(result.error());
        });
}

void CompareExport::saveSessions(const QString& fileOrDir)
{
    if (!m_comparison)
        return;
    const bool several = m_comparison->sessions.size() > 1;
    m_worker.run<void>(
        Library::Mode::ReadOnly,
        [comparison = m_comparison, fileOrDir, several](Library& library) -> Expected<void> {
            for (const StoredSession& session : comparison->sessions) {
                QString file = fileOrDir;
                if (several) {
                    const QString name = safeName(QString::fromStdString(session.info.title)) % QLatin1Char(' ') %
                                         QString::fromStdString(session.info.id).left(8) % QStringLiteral(".dyno");
                    file = QDir(fileOrDir).filePath(name);
                }
                if (auto result = library.exportSession(session.info.id, file.toStdString()); !result)
                    return result;
            }
            return {};
        },
        [this, fileOrDir](Expected<void> result) {
            if (result)
                emit done(tr("Saved %1").arg(QDir::toNativeSeparators(fileOrDir)));
            else
                emit failed(result.error());
        });
}

} // namespace dyno
