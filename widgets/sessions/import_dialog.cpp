// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/import_dialog.h"

#include "format.h"
#include "parts/dialog.h"
#include "parts/labels.h"
#include "qt_text.h"
#include "theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QGridLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPointer>
#include <QProgressBar>
#include <QScrollArea>
#include <QSpinBox>
#include <QTableWidget>

#include <cmath>

namespace dyno {

namespace {

constexpr int kReadAfterMs = 250;
constexpr int kMostRuns = 200;
constexpr int kRowsSeen = 4; // of a table, its head among them
constexpr int kMostUsers = 10'000'000;

QString rateText(bool told, double value)
{
    return told && std::isfinite(value) ? format::rate(value) : QStringLiteral("–");
}

QTableWidget* makeTable(const QString& objectName, const QString& accessibleName)
{
    auto* table = new QTableWidget;
    table->setObjectName(objectName);
    table->setAccessibleName(accessibleName);
    setRole(table, "plain");
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionMode(QAbstractItemView::NoSelection);
    table->setFocusPolicy(Qt::NoFocus);
    table->setShowGrid(false);
    table->setFrameShape(QFrame::NoFrame);
    table->verticalHeader()->hide();
    table->horizontalHeader()->setHighlightSections(false);
    return table;
}

void setCell(QTableWidget* table, int row, int column, const QString& text, bool number)
{
    auto* item = new QTableWidgetItem(text);
    item->setTextAlignment((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    table->setItem(row, column, item);
}

} // namespace

ImportDialog::ImportDialog(std::filesystem::path library, QStringList files, QWidget* parent)
    : QDialog(parent)
    , m_library(std::move(library))
    , m_files(std::move(files))
    , m_reading(this)
    , m_writing(this)
    , m_format(new QComboBox)
    , m_reason(makeLabel({}, TextRole::Secondary))
    , m_title(new QLineEdit)
    , m_users(new QSpinBox)
    , m_together(new QCheckBox)
    , m_questions(new QWidget)
    , m_map(new QWidget)
    , m_head(makeTable(QStringLiteral("importHead"), tr("First rows of the table")))
    , m_runs(makeTable(QStringLiteral("importRuns"), tr("Runs that were understood")))
    , m_heading(makeLabel({}, TextRole::Section))
    , m_understood(makeLabel({}, TextRole::Secondary))
    , m_problem(makeLabel({}, TextRole::Body))
    , m_progress(new QProgressBar)
    , m_import(makeButton(tr("Import"), "primary"))
    , m_leave(makeButton(tr("Cancel")))
{
    auto* layout =
        dressDialog(*this, QStringLiteral("importDialog"), tr("Import %1").arg(QFileInfo(m_files.value(0)).fileName()));
    keepSize(*this, {840, 560});
    buildQuestions();
    layout->addWidget(m_questions);
    layout->addWidget(buildMap());
    m_problem->setObjectName(QStringLiteral("importProblem"));
    m_problem->setWordWrap(true);
    setTone(m_problem, Tone::Bad);
    m_problem->hide();
    layout->addWidget(m_problem);
    m_heading->setText(tr("Understood"));
    layout->addWidget(m_heading);
    m_runs->setMinimumHeight(kRowsSeen * space::tableRow);
    layout->addWidget(m_runs, 1);
    layout->addStretch(0); // below an error, where there is no table
    m_understood->setObjectName(QStringLiteral("importUnderstood"));
    m_understood->setWordWrap(true);
    layout->addWidget(m_understood);

    m_progress->setObjectName(QStringLiteral("importProgress"));
    m_progress->setAccessibleName(tr("Progress"));
    m_progress->setRange(0, 1000);
    m_progress->setFixedWidth(220);
    m_import->setObjectName(QStringLiteral("importAccept"));
    m_import->setToolTip(tr("Add it to the library as one session; the original is kept inside"));
    m_leave->setObjectName(QStringLiteral("importCancel"));
    m_leave->setToolTip(tr("Nothing is changed"));
    auto* bottom = new QHBoxLayout;
    bottom->addWidget(m_progress);
    bottom->addStretch(1);
    bottom->addWidget(m_leave);
    bottom->addWidget(m_import);
    layout->addLayout(bottom);
    connect(m_leave, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_import, &QPushButton::clicked, this, &ImportDialog::import);
    m_import->setDefault(true);

    m_readAgain.setSingleShot(true);
    m_readAgain.setInterval(kReadAfterMs);
    connect(&m_readAgain, &QTimer::timeout, this, &ImportDialog::read);
    read();
}

ImportDialog::~ImportDialog()
{
    if (m_cancel)
        *m_cancel = true;
}

void ImportDialog::buildQuestions()
{
    m_format->setObjectName(QStringLiteral("importFormat"));
    m_format->setAccessibleName(tr("Format"));
    m_format->setToolTip(tr("Format of the file; detected automatically"));
    m_format->addItem(tr("Detect automatically"), QString());
    for (const ImportFormat& one : importFormats()) {
        m_format->addItem(qtText(one.label), qtText(one.id));
        m_format->setItemData(m_format->count() - 1, qtText(one.what), Qt::ToolTipRole);
    }
    connect(m_format, &QComboBox::activated, this, [this] { read(); });
    m_reason->setObjectName(QStringLiteral("importReason"));
    m_reason->setWordWrap(true);
    m_title->setObjectName(QStringLiteral("importTitle"));
    m_title->setAccessibleName(tr("Title"));
    m_title->setToolTip(tr("Title of the session"));
    m_users->setObjectName(QStringLiteral("importUsers"));
    m_users->setAccessibleName(tr("Users"));
    m_users->setToolTip(tr("Concurrent users or threads, if the file does not record them"));
    m_users->setRange(0, kMostUsers);
    m_users->setSpecialValueText(tr("not known"));
    m_users->setEnabled(false);
    connect(m_users, &QSpinBox::valueChanged, &m_readAgain, qOverload<>(&QTimer::start));
    m_together->setObjectName(QStringLiteral("importTogether"));
    m_together->setText(
        m_files.size() == 2
            ? tr("The other file is a run of the same session")
            : tr("The other %1 files are runs of the same session").arg(format::count(m_files.size() - 1)));
    m_together->setToolTip(tr("Otherwise each file is imported by itself"));
    m_together->setVisible(m_files.size() > 1);
    connect(m_together, &QCheckBox::toggled, this, &ImportDialog::read);

    auto* form = new QFormLayout(m_questions);
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(16);
    form->setVerticalSpacing(8);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->addRow(tr("Format"), m_format);
    form->addRow(QString(), m_reason);
    form->addRow(tr("Title"), m_title);
    form->addRow(tr("Users"), m_users);
    if (m_files.size() > 1)
        form->addRow(QString(), m_together);
}

QWidget* ImportDialog::buildMap()
{
    m_map->setObjectName(QStringLiteral("importMap"));
    auto* layout = new QVBoxLayout(m_map);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(makeLabel(tr("Which column is what"), TextRole::Section));
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(6);
    int at = 0;
    constexpr int kAcross = 3;
    for (const ImportRole& role : importRoles()) {
        auto* box = new QComboBox;
        box->setObjectName(QStringLiteral("importRole-") + qtText(role.id));
        box->setAccessibleName(qtText(role.label));
        box->setToolTip(qtText(role.help.empty() ? role.label : role.help));
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(7);
        connect(box, &QComboBox::activated, this, [this] { m_readAgain.start(); });
        m_roles[role.id] = box;
        QLabel* name = makeLabel(qtText(role.label), TextRole::Secondary);
        name->setBuddy(box);
        grid->addWidget(name, at / kAcross, 2 * (at % kAcross));
        grid->addWidget(box, at / kAcross, 2 * (at % kAcross) + 1);
        ++at;
    }
    for (int column = 1; column < 2 * kAcross; column += 2)
        grid->setColumnStretch(column, 1);
    layout->addLayout(grid);
    m_head->setFixedHeight(kRowsSeen * space::tableRow);
    layout->addWidget(m_head);
    m_map->hide();
    return m_map;
}

ImportDialog::Files ImportDialog::chosen() const
{
    Files files;
    for (const QString& file : m_together->isChecked() ? m_files : m_files.mid(0, 1))
        files.emplace_back(file.toStdString());
    return files;
}

ImportOptions ImportDialog::options() const
{
    ImportOptions options;
    options.format = m_format->currentData().toString().toStdString();
    options.title = m_title->text().trimmed().toStdString();
    options.users = m_users->value();
    for (const auto& [role, box] : m_roles) {
        if (const QString value = box->currentData().toString(); !value.isEmpty())
            options.map[role] = value.toStdString();
    }
    return options;
}

ImportCallback ImportDialog::callback()
{
    if (m_cancel)
        *m_cancel = true;
    m_cancel = std::make_shared<std::atomic<bool>>(false);
    return [cancel = m_cancel, guard = QPointer(this), last = -1](const ImportProgress& progress) mutable {
        const int permille = progress.total > 0 ? int(1000 * progress.done / progress.total) : 0;
        if (permille != last && !*cancel) { // the dialog sets `cancel` before it goes away
            last = permille;
            QMetaObject::invokeMethod(qApp, [cancel, guard, permille] {
                if (guard && guard->m_cancel == cancel)
                    guard->m_progress->setValue(permille);
            });
        }
        return !*cancel;
    };
}

void ImportDialog::setBusy(bool busy, const QString& what)
{
    m_progress->setVisible(busy);
    m_progress->setFormat(what % QStringLiteral(" %p %"));
    m_progress->setValue(0);
    m_import->setEnabled(!busy);
    if (!busy)
        m_cancel.reset();
}

void ImportDialog::setWriting(bool writing)
{
    m_underWay = writing;
    m_questions->setEnabled(!writing);
    m_map->setEnabled(!writing);
}

void ImportDialog::read()
{
    m_readAgain.stop();
    if (m_underWay)
        return;
    const ImportCallback progress = callback();
    setBusy(true, tr("Reading"));
    m_reading.start(
        [files = chosen(), options = options(), progress] { return previewImport(files, options, progress); },
        [this](Expected<ImportPreview> preview) {
            setBusy(false);
            if (preview)
                showPreview(*preview);
            else
                showError(preview.error());
        });
}

void ImportDialog::import()
{
    m_readAgain.stop();
    m_reading.cancel();
    const ImportCallback progress = callback();
    setBusy(true, tr("Importing"));
    setWriting(true);
    m_writing.start([library = m_library, files = chosen(), options = options(),
                     progress] { return importResults(library, files, options, progress); },
                    [this](Expected<ImportResult> result) { written(std::move(result)); });
}

void ImportDialog::written(Expected<ImportResult> result)
{
    setBusy(false);
    setWriting(false);
    if (result) { // also when it was too late to cancel
        m_accepted = true;
        emit imported(qtText(result->session), qtText(result->preview.title));
        accept();
    } else if (m_leaving) {
        reject();
    } else {
        showError(result.error());
    }
}

void ImportDialog::done(int result)
{
    if (m_cancel)
        *m_cancel = true;
    if (m_underWay) { // its answer closes the dialog
        m_leaving = true;
        m_leave->setEnabled(false);
        m_progress->setFormat(tr("Cancelling"));
        return;
    }
    // After a refusal too: each file is a question of its own.
    const QStringList left = m_accepted && m_together->isChecked() ? QStringList() : m_files.mid(1);
    QDialog::done(result);
    if (!left.isEmpty() && !m_together->isChecked())
        emit filesLeft(left);
}

void ImportDialog::showError(const Error& error)
{
    QString text = qtText(error.message);
    if (!error.where.empty())
        text = tr("%1: %2", "where: what").arg(qtText(error.where), text);
    if (!error.remedy.empty())
        text += QLatin1Char('\n') % qtText(error.remedy);
    m_problem->setText(text);
    m_problem->show();
    m_runs->setRowCount(0);
    for (QWidget* one : {static_cast<QWidget*>(m_heading), static_cast<QWidget*>(m_runs),
                         static_cast<QWidget*>(m_understood), static_cast<QWidget*>(m_reason)})
        one->hide();
    m_import->setEnabled(false);
    const ImportFormat* format = findImportFormat(m_format->currentData().toString().toStdString());
    if (format && format->mapped && m_roles.begin()->second->count() == 0) {
        // The headings say nothing: columns by their numbers.
        constexpr int kColumns = 20;
        ImportPreview numbers;
        for (int i = 1; i <= kColumns; ++i)
            numbers.columns.push_back(std::to_string(i));
        showMap(numbers);
    }
    m_map->setVisible(format && format->mapped);
}

void ImportDialog::showPreview(const ImportPreview& preview)
{
    m_problem->hide();
    for (QWidget* one :
         {static_cast<QWidget*>(m_heading), static_cast<QWidget*>(m_runs), static_cast<QWidget*>(m_understood)})
        one->show();
    const ImportOrigin& origin = preview.origin;
    const ImportFormat* format = findImportFormat(origin.format);
    m_reason->setText(m_format->currentIndex() > 0
                          ? QString()
                          : tr("%1: %2", "format: reason")
                                .arg(qtText(format ? format->label : origin.format), qtText(origin.reason)));
    m_reason->setVisible(!m_reason->text().isEmpty());
    m_title->setPlaceholderText(qtText(preview.title));
    const bool untold =
        std::any_of(preview.runs.begin(), preview.runs.end(), [](const ImportedRun& run) { return run.users == 0; });
    m_users->setEnabled(untold || m_users->value() > 0);
    if (!m_users->isEnabled())
        m_users->setSpecialValueText(tr("from the file"));
    showMap(preview);
    showRuns(preview);

    QStringList lines;
    QString latency = tr("Latency: %1").arg(qtText(origin.latency));
    if (!origin.sample.empty())
        latency += tr(", of one %1").arg(qtText(origin.sample));
    if (!origin.precision.empty())
        latency += QStringLiteral("; ") % qtText(origin.precision);
    lines += latency % tr(". Warm-up: %1.").arg(origin.warmup.empty() ? tr("not known") : qtText(origin.warmup));
    if (origin.unknownLines == 0) {
        lines += tr("All lines were understood: %1.").arg(format::count(qint64(origin.lines)));
    } else {
        lines += tr("Lines that were not understood: %1 of %2; the original is kept.")
                     .arg(format::count(qint64(origin.unknownLines)), format::count(qint64(origin.lines)));
        if (!origin.unknown.empty()) {
            const UnknownLine& first = origin.unknown.front();
            lines += tr("The first is %1:%2: %3")
                         .arg(qtText(first.file), format::count(first.line), qtText(first.text).left(80));
        }
    }
    for (const std::string& note : origin.notes)
        lines += qtText(note).left(1).toUpper() % qtText(note).mid(1) % QLatin1Char('.');
    m_understood->setText(lines.join(QLatin1Char('\n')));
    QStringList unknown;
    for (const UnknownLine& line : origin.unknown)
        unknown += QStringLiteral("%1:%2: %3")
                       .arg(qtText(line.file), QString::number(line.line), qtText(line.text))
                       .toHtmlEscaped();
    m_understood->setToolTip(unknown.isEmpty() ? QString()
                                               : QStringLiteral("<pre>%1</pre>").arg(unknown.join(QLatin1Char('\n'))));
    m_import->setEnabled(!preview.runs.empty());
}

void ImportDialog::showRuns(const ImportPreview& preview)
{
    const QStringList headings{tr("Run"),          tr("Users"), tr("Seconds"), tr("Intervals"), tr("Transactions/s"),
                               tr("Operations/s"), tr("Mean"),  tr("p95"),     tr("p99"),       tr("Status")};
    m_runs->clear();
    m_runs->setColumnCount(int(headings.size()));
    m_runs->setHorizontalHeaderLabels(headings);
    m_runs->setRowCount(int(std::min<std::size_t>(preview.runs.size(), kMostRuns)));
    for (int row = 0; row < m_runs->rowCount(); ++row) {
        const ImportedRun& run = preview.runs[std::size_t(row)];
        const RunSummary& s = run.summary;
        const bool response = s.tells("response_mean") || s.tells("response_p95") || s.tells("response_max");
        const LatencySummary& latency = response ? s.response : s.service;
        const QStringList cells{
            run.label.empty() ? QStringLiteral("–") : qtText(run.label),
            run.users > 0 ? format::count(run.users) : QStringLiteral("–"),
            rateText(s.seconds > 0, s.seconds),
            run.folded > 1 ? tr("%1 (of %2 each)").arg(format::count(qint64(run.intervals)), format::count(run.folded))
                           : format::count(qint64(run.intervals)),
            rateText(s.tells("tps"), s.tps),
            rateText(s.tells("qps"), s.qps),
            format::time(latency.meanMs),
            format::time(latency.p95Ms),
            format::time(latency.p99Ms),
            QString::fromUtf8(toText(s.status))};
        for (int column = 0; column < cells.size(); ++column)
            setCell(m_runs, row, column, cells[column], column > 0 && column < cells.size() - 1);
    }
    m_runs->resizeColumnsToContents();
    for (int column = 0; column < m_runs->columnCount(); ++column)
        m_runs->horizontalHeaderItem(column)->setTextAlignment(
            (column > 0 && column < m_runs->columnCount() - 1 ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    m_runs->horizontalHeader()->setStretchLastSection(true);
}

void ImportDialog::showMap(const ImportPreview& preview)
{
    m_map->setVisible(!preview.columns.empty());
    resize(size().expandedTo({0, layout()->sizeHint().height()}));
    if (preview.columns.empty())
        return;
    for (const ImportRole& role : importRoles()) {
        QComboBox* box = m_roles.at(role.id);
        box->clear();
        box->addItem(QStringLiteral("–"), QString());
        for (const std::string& value : role.column ? preview.columns : role.choices)
            box->addItem(qtText(value), qtText(value));
        if (const auto given = preview.map.find(role.id); given != preview.map.end()) {
            int at = box->findData(qtText(given->second));
            if (at < 0) { // a number of a column
                box->addItem(qtText(given->second), qtText(given->second));
                at = box->count() - 1;
            }
            box->setCurrentIndex(at);
        }
    }
    m_head->clear();
    m_head->setColumnCount(int(preview.columns.size()));
    QStringList headings;
    for (const std::string& column : preview.columns)
        headings += qtText(column);
    m_head->setHorizontalHeaderLabels(headings);
    m_head->setRowCount(int(std::min<std::size_t>(preview.head.size(), 3)));
    for (int row = 0; row < m_head->rowCount(); ++row) {
        const auto& fields = preview.head[std::size_t(row)];
        for (int column = 0; column < m_head->columnCount() && std::size_t(column) < fields.size(); ++column)
            setCell(m_head, row, column, qtText(fields[std::size_t(column)]), false);
    }
    m_head->resizeColumnsToContents();
}

} // namespace dyno
