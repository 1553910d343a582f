// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/add_series_dialog.h"

#include "bridge/app_context.h"
#include "bridge/library_worker.h"
#include "bridge/series_edits.h"
#include "format.h"
#include "parts/dialog.h"
#include "parts/field.h"
#include "parts/labels.h"
#include "parts/plan_text.h"
#include "qt_text.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHeaderView>
#include <QPointer>
#include <QProgressBar>
#include <QSettings>
#include <QStandardItemModel>
#include <QTableWidget>

#include <algorithm>
#include <set>
#include <utility>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr double kLongestStepSeconds = 86'400;
constexpr int kProgressSteps = 1000;
constexpr std::size_t kMostSeriesTold = 8, kMostSkippedTold = 3;
const QString kKeyOfAddress = u"prometheus/address"_s, kKeyOfQueries = u"prometheus/queries"_s;

QString runOf(const StoredSession& session, const StoredRun& run)
{
    const auto at = std::size_t(run.header.point);
    const QString point = at < session.header.points.size() ? qtText(session.header.points[at].label()) : QString();
    const QString number = AddSeriesDialog::tr("Run %1").arg(run.header.index + 1);
    return point.isEmpty() ? number : AddSeriesDialog::tr("%1: %2", "run, its point").arg(number, point);
}

//! "load1: 60 of 60 intervals"
QString lineOf(const AddedSeries& series)
{
    return AddSeriesDialog::tr("%1: %2 of %3 intervals", "series")
        .arg(qtText(series.counter.name), format::count(qint64(series.knownIntervals())),
             format::count(qint64(series.values.size())));
}

} // namespace

AddSeriesDialog::AddSeriesDialog(AppContext& context, const QString& session, int run, QWidget* parent)
    : QDialog(parent)
    , m_context(context)
    , m_id(session)
    , m_opening(this)
    , m_reading(this)
    , m_address(new QLineEdit)
    , m_token(new QLineEdit)
    , m_queries(new QTableWidget(0, ColumnCount))
    , m_runs(new QComboBox)
    , m_step(new QDoubleSpinBox)
    , m_result(new WrapLabel({}, TextRole::Secondary))
    , m_problem(new WrapLabel({}, TextRole::Secondary))
    , m_progress(new QProgressBar)
    , m_more(makeButton(tr("+ Query"), "link"))
    , m_fewer(makeButton(tr("Remove"), "link"))
    , m_try(makeButton(tr("Try")))
    , m_add(makeButton(tr("Add"), "primary"))
    , m_cancel(makeButton(tr("Cancel")))
{
    describeFields();
    layOut();
    restore();
    for (QLineEdit* line : {m_address, m_token})
        connect(line, &QLineEdit::textChanged, this, &AddSeriesDialog::changed);
    connect(m_queries, &QTableWidget::itemChanged, this, &AddSeriesDialog::changed);
    connect(m_queries, &QTableWidget::itemSelectionChanged, this, &AddSeriesDialog::refresh);
    connect(m_runs, &QComboBox::currentIndexChanged, this, &AddSeriesDialog::changed);
    connect(m_step, &QDoubleSpinBox::valueChanged, this, &AddSeriesDialog::changed);
    connect(m_more, &QPushButton::clicked, this, [this] {
        addQuery({});
        m_queries->setFocus();
        m_queries->setCurrentCell(m_queries->rowCount() - 1, QueryColumn);
        m_queries->editItem(m_queries->currentItem());
    });
    connect(m_fewer, &QPushButton::clicked, this, &AddSeriesDialog::removeQueries);
    connect(m_try, &QPushButton::clicked, this, [this] { read(false); });
    connect(m_add, &QPushButton::clicked, this, [this] { m_read ? store(m_read) : read(true); });
    connect(m_cancel, &QPushButton::clicked, this, &QDialog::reject);
    m_add->setDefault(true);
    refresh();
    readSession(run);
}

AddSeriesDialog::~AddSeriesDialog()
{
    if (m_stop)
        m_stop->store(true);
}

void AddSeriesDialog::describeFields()
{
    describe(m_address, u"seriesAddress"_s, tr("Address"),
             tr("Of the Prometheus server, before its /api/v1; asked only when you press Try or Add"));
    m_address->setPlaceholderText(u"http://127.0.0.1:9090"_s);
    describe(m_token, u"seriesToken"_s, tr("Token"),
             tr("Sent as a bearer token, over https or to this machine only; not stored. Empty: %1 of the environment")
                 .arg(qtText(kPrometheusTokenVariable)));
    m_token->setEchoMode(QLineEdit::Password);
    m_token->setPlaceholderText(qEnvironmentVariableIsEmpty(std::string(kPrometheusTokenVariable).c_str())
                                    ? tr("none")
                                    : tr("from %1").arg(qtText(kPrometheusTokenVariable)));
    describe(m_runs, u"seriesRuns"_s, tr("Runs"), tr("Runs that get the series: those whose start time is stored"));
    describe(m_step, u"seriesStep"_s, tr("Step"),
             tr("Time from one value to the next, 0.01 s to a day; else the run's interval"));
    m_step->setDecimals(2);
    m_step->setRange(0, kLongestStepSeconds);
    m_step->setSuffix(tr(" s"));
    m_step->setSpecialValueText(tr("the run's interval"));
    describe(m_queries, u"seriesQueries"_s, tr("Queries"), u" "_s);
    m_queries->setToolTip({});
    m_queries->setHorizontalHeaderLabels({tr("Query (PromQL)"), tr("Name, if not the metric's"), tr("Rate")});
    m_queries->horizontalHeaderItem(RateColumn)
        ->setToolTip(tr("The values are rates per second, as rate(…) gives them: the unit gets \"/s\""));
    m_queries->verticalHeader()->hide();
    m_queries->setShowGrid(false);
    m_queries->setTabKeyNavigation(false);
    m_queries->setSelectionBehavior(QAbstractItemView::SelectRows);
    QHeaderView* header = m_queries->horizontalHeader();
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header->setHighlightSections(false);
    header->setSectionResizeMode(QueryColumn, QHeaderView::Stretch);
    header->resizeSection(NameColumn, 180);
    header->setSectionResizeMode(RateColumn, QHeaderView::ResizeToContents);
    describe(m_more, u"seriesMore"_s, tr("Add a query"), tr("Another query"));
    describe(m_fewer, u"seriesFewer"_s, tr("Remove the selected queries"), tr("Remove the selected queries"));
    describe(m_try, u"seriesTry"_s, tr("Try"), tr("Asks the server and says what it answers; stores nothing"));
    describe(m_add, u"seriesAdd"_s, tr("Add"), tr("Stores the series beside the runs' own counters (can be undone)"));
    describe(m_cancel, u"seriesCancel"_s, tr("Cancel"), tr("Nothing is changed"));
    m_result->setObjectName(u"seriesResult"_s);
    m_problem->setObjectName(u"seriesProblem"_s);
    setTone(m_problem, Tone::Bad);
    m_progress->setObjectName(u"seriesProgress"_s);
    m_progress->setAccessibleName(tr("Progress"));
    m_progress->setRange(0, kProgressSteps);
    m_progress->setTextVisible(false);
}

void AddSeriesDialog::layOut()
{
    QVBoxLayout* layout = dressDialog(*this, u"addSeriesDialog"_s, tr("Add series from Prometheus"));
    keepSize(*this, {720, 480});
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(16);
    form->setVerticalSpacing(8);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->addRow(tr("Address"), m_address);
    form->addRow(tr("Token"), m_token);
    form->addRow(tr("Runs"), m_runs);
    form->addRow(tr("Step"), m_step);
    layout->addLayout(form);
    auto* top = new QHBoxLayout;
    top->addWidget(makeStrongLabel(tr("Queries")));
    top->addStretch();
    top->addWidget(m_fewer);
    top->addWidget(m_more);
    layout->addLayout(top);
    layout->addWidget(m_queries, 1);
    layout->addWidget(m_progress);
    layout->addWidget(m_result);
    layout->addWidget(m_problem);
    auto* bottom = new QHBoxLayout;
    bottom->addWidget(m_try);
    bottom->addStretch();
    bottom->addWidget(m_cancel);
    bottom->addWidget(m_add);
    layout->addLayout(bottom);
}

void AddSeriesDialog::readSession(int run)
{
    m_opening.start(
        [file = m_context.library(), id = m_id.toStdString()] {
            return LibraryWorker::opened<StoredSession>(file, Library::Mode::ReadOnly,
                                                        [&id](Library& library) { return library.session(id); });
        },
        [this, run](Expected<StoredSession> session) {
            if (!session)
                return showProblem(session.error());
            if (session->info.status == RunStatus::Running)
                return showProblem({ErrorKind::BadInput,
                                    tr("the session is still running").toStdString(),
                                    {},
                                    tr("add series when it has ended").toStdString()});
            fillRuns(*session, run);
            if (std::ranges::none_of(session->runs, [](const StoredRun& one) { return knowsTime(one.summary); }))
                return showProblem(
                    {ErrorKind::BadInput,
                     tr("no run of the session has a stored start time").toStdString(),
                     {},
                     tr("series are read back for runs that this version or a later one recorded").toStdString()});
            m_session = std::make_shared<const StoredSession>(std::move(*session));
            refresh();
        });
}

void AddSeriesDialog::fillRuns(const StoredSession& session, int run)
{
    m_filling = true;
    m_runs->addItem(session.runs.size() == 1 ? tr("The only run") : tr("All runs"), 0);
    auto* items = qobject_cast<QStandardItemModel*>(m_runs->model());
    for (const StoredRun& one : session.runs) {
        const bool known = knowsTime(one.summary);
        const QString text = runOf(session, one);
        m_runs->addItem(known ? text : tr("%1 (start time not stored)", "run").arg(text), one.header.index + 1);
        items->item(m_runs->count() - 1)->setEnabled(known);
        if (known && one.header.index + 1 == run)
            m_runs->setCurrentIndex(m_runs->count() - 1);
    }
    m_filling = false;
}

void AddSeriesDialog::addQuery(const SeriesQuery& query)
{
    m_filling = true;
    const int row = m_queries->rowCount();
    m_queries->insertRow(row);
    m_queries->setItem(row, QueryColumn, new QTableWidgetItem(qtText(query.text)));
    m_queries->setItem(row, NameColumn, new QTableWidgetItem(qtText(query.name)));
    auto* rate = new QTableWidgetItem;
    rate->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    rate->setCheckState(query.rate ? Qt::Checked : Qt::Unchecked);
    rate->setData(Qt::AccessibleTextRole, tr("Rate"));
    m_queries->setItem(row, RateColumn, rate);
    m_filling = false;
    changed();
}

void AddSeriesDialog::removeQueries()
{
    QList<int> rows;
    for (const QModelIndex& one : m_queries->selectionModel()->selectedRows())
        rows << one.row();
    std::ranges::sort(rows, std::greater<>());
    for (const int row : rows)
        m_queries->removeRow(row);
    changed();
}

void AddSeriesDialog::restore()
{
    QSettings settings;
    m_address->setText(settings.value(kKeyOfAddress).toString());
    const int count = settings.beginReadArray(kKeyOfQueries);
    for (int i = 0; i < std::min(count, int(SeriesRequest::kMostQueries)); ++i) {
        settings.setArrayIndex(i);
        addQuery({settings.value(u"query"_s).toString().toStdString(),
                  settings.value(u"name"_s).toString().toStdString(), settings.value(u"rate"_s).toBool()});
    }
    settings.endArray();
    if (m_queries->rowCount() == 0)
        addQuery({});
}

void AddSeriesDialog::keep() const
{
    QSettings settings;
    const SeriesRequest asked = request();
    settings.setValue(kKeyOfAddress, qtText(asked.url));
    settings.beginWriteArray(kKeyOfQueries, int(asked.queries.size()));
    for (std::size_t i = 0; i < asked.queries.size(); ++i) {
        settings.setArrayIndex(int(i));
        settings.setValue(u"query"_s, qtText(asked.queries[i].text));
        settings.setValue(u"name"_s, qtText(asked.queries[i].name));
        settings.setValue(u"rate"_s, asked.queries[i].rate);
    }
    settings.endArray();
}

SeriesRequest AddSeriesDialog::request() const
{
    SeriesRequest request;
    request.url = m_address->text().trimmed().toStdString();
    request.token = m_token->text().isEmpty()
                        ? qEnvironmentVariable(std::string(kPrometheusTokenVariable).c_str()).toStdString()
                        : m_token->text().toStdString();
    request.stepSeconds = m_step->value();
    for (int row = 0; row < m_queries->rowCount(); ++row) {
        const QString text = m_queries->item(row, QueryColumn)->text().trimmed();
        if (!text.isEmpty())
            request.queries.push_back({text.toStdString(),
                                       m_queries->item(row, NameColumn)->text().trimmed().toStdString(),
                                       m_queries->item(row, RateColumn)->checkState() == Qt::Checked});
    }
    return request;
}

void AddSeriesDialog::changed()
{
    if (m_filling)
        return;
    m_read.reset();
    m_result->setText({});
    if (m_session)
        m_problem->setText({});
    refresh();
}

void AddSeriesDialog::refresh()
{
    const bool can = m_session && !busy();
    m_try->setEnabled(can);
    m_add->setEnabled(can);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_address, m_token, m_runs, m_step, m_queries, m_more})
        widget->setEnabled(!busy());
    m_fewer->setEnabled(!busy() && m_queries->selectionModel()->hasSelection());
    m_progress->setVisible(busy());
    m_result->setVisible(!m_result->text().isEmpty());
    m_problem->setVisible(!m_problem->text().isEmpty());
}

void AddSeriesDialog::showProblem(const Error& error)
{
    QString text = sentenceText(error.message);
    for (const std::string& more : {error.where, error.remedy}) {
        if (!more.empty())
            text += u'\n' + sentenceText(more);
    }
    m_problem->setText(text);
    refresh();
}

void AddSeriesDialog::read(bool add)
{
    const SeriesRequest asked = request();
    if (const auto fine = checkRequest(asked); !fine)
        return showProblem(fine.error());
    keep();
    changed();
    m_progress->setValue(0);
    m_stop = std::make_shared<std::atomic<bool>>(false);
    const auto goOn = [stop = m_stop, dialog = QPointer(this), last = -1](double share) mutable {
        const int now = int(kProgressSteps * share);
        if (now != std::exchange(last, now) && !*stop) { // set before the dialog goes
            QMetaObject::invokeMethod(qApp, [stop, dialog, now] {
                if (dialog && dialog->m_stop == stop)
                    dialog->m_progress->setValue(now);
            });
        }
        return !stop->load();
    };
    refresh();
    m_cancel->setFocus();
    m_reading.start(
        [file = m_context.library(), session = m_session, asked, run = m_runs->currentData().toInt(), goOn] {
            return LibraryWorker::opened<Read>(file, Library::Mode::ReadOnly, [&](Library& library) -> Expected<Read> {
                auto all = readBack(library, *session, asked, run, goOn);
                if (!all)
                    return fail(all.error());
                return std::make_shared<const SessionAdditions>(std::move(*all));
            });
        },
        [this, add](Expected<Read> all) {
            m_stop.reset();
            if (!all) {
                showProblem(all.error());
                return m_address->setFocus();
            }
            m_read = *all;
            show(*m_read);
            m_add->setFocus(); // Enter goes on
            if (add)
                store(m_read);
        });
}

void AddSeriesDialog::show(const SessionAdditions& all)
{
    std::set<std::string> names; // whatever the number of runs that have them
    for (const SessionAdditions::Run& run : all.runs) {
        for (const SeriesAddition& addition : run.additions)
            names.insert(addition.origin.names.begin(), addition.origin.names.end());
    }
    const int count = int(names.size());
    const QString runs = format::count(qint64(all.runs.size()));
    QStringList lines{all.runs.size() == 1 ? tr("%n series", nullptr, count)
                                           : tr("%n series in %1 runs", nullptr, count).arg(runs)};
    std::size_t told = 0;
    for (const SessionAdditions::Run& run : all.runs) {
        for (const SeriesAddition& addition : run.additions) {
            if (addition.series.empty())
                lines << tr("Run %1: the query gives no series: %2").arg(run.number).arg(qtText(addition.origin.query));
            for (const AddedSeries& one : addition.series) {
                if (told++ < kMostSeriesTold)
                    lines << (all.runs.size() == 1 ? lineOf(one) : tr("Run %1, %2").arg(run.number).arg(lineOf(one)));
            }
        }
    }
    if (told > kMostSeriesTold)
        lines << tr("and %1 more").arg(format::count(qint64(told - kMostSeriesTold)));
    for (std::size_t i = 0; i < std::min(kMostSkippedTold, all.skipped.size()); ++i)
        lines << sentenceText(all.skipped[i]);
    if (all.skipped.size() > kMostSkippedTold)
        lines << tr("and %1 more").arg(format::count(qint64(all.skipped.size() - kMostSkippedTold)));
    m_result->setText(lines.join(u'\n'));
    refresh();
}

void AddSeriesDialog::store(const Read& all)
{
    m_storing = true;
    m_problem->setText({});
    m_cancel->setEnabled(false);
    refresh();
    SeriesEdits::of(m_context).add(m_id, all, [dialog = QPointer(this)](const Expected<void>& result) {
        if (!dialog)
            return;
        dialog->m_storing = false;
        dialog->m_cancel->setEnabled(true);
        if (result)
            dialog->accept();
        else
            dialog->showProblem(result.error());
    });
}

void AddSeriesDialog::done(int result)
{
    if (m_storing)
        return; // its answer closes the dialog
    if (m_stop) {
        m_stop->store(true);
        m_stop.reset();
        m_reading.cancel();
        if (result == Rejected) { // what is typed stays; a second time it closes
            m_result->setText(tr("Cancelled; nothing was changed"));
            refresh();
            return m_address->setFocus();
        }
    }
    QDialog::done(result);
}

} // namespace dyno
