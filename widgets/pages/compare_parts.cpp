// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/compare_parts.h"

#include "format.h"
#include "forms/table_columns.h"
#include "models/comparison.h"
#include "models/pivot_gaps.h"
#include "models/pivot_table_model.h"
#include "models/session_model.h"
#include "pages/session_delegates.h"

#include <QAction>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QSettings>
#include <QSortFilterProxyModel>
#include <QTableView>

#include <algorithm>

namespace dyno {

namespace {

void dressTable(QTableView* view)
{
    setRole(view, "plain");
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view->setShowGrid(false);
    view->setWordWrap(false);
    view->setTabKeyNavigation(false);
    view->setFrameShape(QFrame::NoFrame);
    view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->verticalHeader()->hide();
    view->verticalHeader()->setDefaultSectionSize(space::tableRow);
    view->horizontalHeader()->setHighlightSections(false);
    view->setSortingEnabled(true);
    QObject::connect(&Theme::instance(), &Theme::changed, view->viewport(), qOverload<>(&QWidget::update));
}

constexpr const char* kIntervalsHidden = "compare/intervalsHidden"; // in QSettings
constexpr int kHeaderRoom = 16; // around a header's text

} // namespace

//! Lets the card ask for the width of a column's cells.
class RatioTable::View : public QTableView
{
public:
    using QTableView::sizeHintForColumn;
};

VerdictCard::VerdictCard(QWidget* parent)
    : QFrame(parent)
    , m_text(makeLabel({}, TextRole::Section))
    , m_chipBox(new QWidget)
    , m_chips(new QHBoxLayout(m_chipBox))
{
    setObjectName(QStringLiteral("verdictCard"));
    setRole(this, "card");
    m_text->setObjectName(QStringLiteral("verdictText"));
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setToolTip(
        tr("The largest effect against the baseline, with its 95 % interval from repeated runs (of a ratio by "
           "Welch's t on logarithms, of pairs of interleaved runs by Student's t of the logarithms; of a mean "
           "by Student's t)"));
    m_chips->setContentsMargins(0, 0, 0, 0);
    m_chips->setSpacing(6);
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(space::cardPadding, 9, space::cardPadding, 9);
    line->setSpacing(16);
    line->addWidget(m_text, 1);
    line->addWidget(m_chipBox, 0, Qt::AlignVCenter);
}

void VerdictCard::setSentence(const QString& text)
{
    m_text->setText(text);
    m_text->setAccessibleName(tr("Verdict: %1").arg(text));
}

QString VerdictCard::sentence() const
{
    return m_text->text();
}

QStringList VerdictCard::chips() const
{
    QStringList texts;
    for (int i = 0; i < m_chips->count(); ++i) {
        if (auto* chip = qobject_cast<Chip*>(m_chips->itemAt(i)->widget()))
            texts += chip->text();
    }
    return texts;
}

void VerdictCard::addChip(const QString& text, Tone tone, const QString& toolTip)
{
    auto* chip = new Chip(text, tone);
    chip->setToolTip(toolTip);
    chip->setAccessibleName(text);
    chip->setAccessibleDescription(toolTip);
    m_chips->addWidget(chip);
}

void VerdictCard::setFacts(const RunFacts& facts)
{
    while (QLayoutItem* item = m_chips->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    if (facts.mostRepeats == 1) {
        addChip(tr("one run each"), Tone::Warn,
                tr("One run says nothing about noise, so no difference can be shown. Set three repeats or more."));
    } else if (facts.mostRepeats > 1) {
        addChip(facts.fewestRepeats == facts.mostRepeats
                    ? tr("%1 repeats").arg(format::count(facts.mostRepeats))
                    : tr("%1–%2 repeats").arg(format::count(facts.fewestRepeats), format::count(facts.mostRepeats)),
                Tone::Neutral, tr("Intervals are 95 % of the mean by Student's t, from repeated runs, never from the intervals of one run"));
    }
    if (facts.failed > 0) {
        addChip(facts.failed == 1 ? tr("1 run failed") : tr("%1 runs failed").arg(format::count(facts.failed)),
                Tone::Bad, tr("Failed runs are excluded from the figures"));
    }
    if (facts.skipped > 0) {
        addChip(facts.skipped == 1 ? tr("1 run skipped") : tr("%1 runs skipped").arg(format::count(facts.skipped)),
                Tone::Neutral, tr("Runs that were skipped or stopped are excluded from the figures"));
    }
    if (!facts.damage.isEmpty()) {
        addChip(tr("damaged"), Tone::Bad,
                tr("Damaged in the file and excluded: %1. Restore the file from a backup.")
                    .arg(facts.damage.join(QStringLiteral("; "))));
    }
    if (facts.cut) {
        addChip(tr("cut off"), Tone::Warn,
                tr("The program ended before the session could finish; everything up to the last interval is kept") %
                    (facts.cutReason.isEmpty() ? QString() : QStringLiteral(": ") % facts.cutReason));
    }
    if (facts.clientLimited) {
        addChip(tr("client was the limit"), Tone::Bad,
                tr("The load generator was at its limit, so the target may be faster than this") %
                    (facts.clientReason.isEmpty() ? QString() : QStringLiteral(". ") % facts.clientReason));
    } else if (facts.judged > 0) { // another tool's log does not say
        addChip(tr("client not the limit"), Tone::Good,
                facts.judged == facts.runs
                    ? tr("The load generator had time to spare in all runs")
                    : tr("The load generator had time to spare in all runs that Dynobench measured"));
    }
    m_chipBox->setVisible(m_chips->count() > 0);
}

void VerdictCard::addDrift(const Drift& drift)
{
    if (!drift.shown())
        return;
    addChip(tr("drifted by %1 %").arg(format::number(100 * drift.perSession, 1)), Tone::Warn,
            tr("Throughput moved in one direction while the session lasted: %1. Interleave the runs, or find out what "
               "changes on the machine.")
                .arg(QString::fromStdString(toText(drift))));
    m_chipBox->setVisible(true);
}

FactsCard::FactsCard(const QString& title, bool stacked, QWidget* parent)
    : Card(title, {}, parent)
    , m_box(new QWidget)
    , m_note(makeLabel({}, TextRole::Secondary))
    , m_stacked(stacked)
{
    m_note->setWordWrap(true);
    body()->addWidget(m_box);
    body()->addWidget(m_note);
    body()->addStretch(1);
}

void FactsCard::setRows(const Rows& rows, const QString& note)
{
    delete m_box->layout();
    qDeleteAll(m_box->findChildren<QWidget*>(Qt::FindDirectChildrenOnly));
    auto* grid = new QGridLayout(m_box);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(5);
    grid->setColumnStretch(m_stacked ? 1 : 0, 1);
    int line = 0, widest = 0;
    const QFontMetrics metrics(Theme::font(TextRole::Secondary));
    for (const auto& [name, text] : rows) {
        if (text.isEmpty()) { // the heading of a group
            QLabel* heading = makeLabel(name, TextRole::Label);
            heading->setObjectName(QStringLiteral("factGroup"));
            grid->addWidget(heading, line++, 0, 1, 2);
            continue;
        }
        auto* label = new ElidedLabel(name, TextRole::Secondary);
        widest = std::max(widest, metrics.horizontalAdvance(name) + 2);
        QLabel* value = makeLabel({}, TextRole::Secondary);
        setRole(value, "factValue");
        QFont font = Theme::font(TextRole::Secondary);
        font.setWeight(m_stacked ? QFont::Normal : QFont::DemiBold);
        value->setFont(font);
        QString shown = text; // places where a long value may be broken
        for (const QChar at : QStringLiteral("/_,?&="))
            shown.replace(at, QString(at) % QChar(0x200b));
        value->setText(shown);
        value->setTextFormat(Qt::PlainText);
        value->setWordWrap(true);
        value->setAlignment((m_stacked ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignTop);
        value->setAccessibleName(name % QStringLiteral(": ") % text);
        value->setToolTip(QStringLiteral("%1: %2").arg(name, text).toHtmlEscaped());
        grid->addWidget(label, line, 0, Qt::AlignTop);
        grid->addWidget(value, line, 1);
        ++line;
    }
    if (m_stacked)
        grid->setColumnMinimumWidth(0, 92);
    else // long values give way in lines, names cannot
        grid->setColumnMinimumWidth(0, std::min(widest, 190));
    m_rows = line;
    m_box->setVisible(line > 0);
    m_note->setText(note);
    m_note->setVisible(!note.isEmpty());
}

RatioTable::RatioTable(QWidget* parent)
    : Card({}, {}, parent)
    , m_model(new PivotTableModel(this))
    , m_proxy(new QSortFilterProxyModel(this))
    , m_view(new View)
{
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(PivotTableModel::SortRole);
    m_view->setObjectName(QStringLiteral("ratioTable"));
    m_view->setAccessibleName(tr("Ratios to the baseline"));
    m_view->setModel(m_proxy);
    dressTable(m_view);
    m_view->sortByColumn(-1, Qt::AscendingOrder); // the plan's order until a header is clicked
    m_view->setItemDelegate(new FigureDelegate(m_view));
    m_view->setItemDelegateForColumn(PivotTableModel::Case, new SeriesDelegate(m_view));
    m_view->setItemDelegateForColumn(PivotTableModel::VerdictText, new VerdictDelegate(m_view));
    m_view->horizontalHeader()->setMinimumSectionSize(44);
    m_columns = new TableColumns(m_view,
                                 {QStringLiteral("case"), QStringLiteral("facet"), QStringLiteral("x"),
                                  QStringLiteral("value"), QStringLiteral("ratio"), QStringLiteral("interval"),
                                  QStringLiteral("p95"), QStringLiteral("runs"), QStringLiteral("verdict")},
                                 {PivotTableModel::Case, PivotTableModel::X, PivotTableModel::Value,
                                  PivotTableModel::Interval}); // that one has its button
    connect(m_columns, &TableColumns::changed, this, &RatioTable::fitColumns);
    m_view->viewport()->installEventFilter(this);
    const auto addButton = [this](const QString& name, const QString& text, const QString& tip,
                                  void (RatioTable::*run)()) {
        QPushButton* button = makeButton(text, "link");
        button->setObjectName(name);
        button->setAccessibleName(tip);
        button->setToolTip(tip);
        connect(button, &QPushButton::clicked, this, run);
        header()->addWidget(button);
    };
    m_intervals = makeButton(tr("Intervals"), "link");
    m_intervals->setObjectName(QStringLiteral("intervalsButton"));
    m_intervals->setAccessibleName(tr("Show 95 % intervals"));
    m_intervals->setToolTip(tr("Shows or hides the 95 % intervals (mean: Student's t; ratio: Welch's t on logarithms, "
                               "of pairs Student's), here and in copies as Markdown, HTML or text. CSV always has "
                               "them. Copies also have the columns that are hidden here"));
    m_intervals->setCheckable(true);
    m_intervals->setChecked(true);
    connect(m_intervals, &QPushButton::toggled, this, &RatioTable::setIntervalsShown);
    header()->addWidget(m_intervals);
    header()->addWidget(makeLabel(tr("Copy:"), TextRole::Secondary));
    addButton(QStringLiteral("copyMarkdownButton"), tr("Markdown"), tr("Copy the table as Markdown (Ctrl+C)"),
              &RatioTable::copyMarkdown);
    addButton(QStringLiteral("copyCsvButton"), tr("CSV"), tr("Copy the table as CSV, with units in the header"),
              &RatioTable::copyCsv);
    addButton(QStringLiteral("copyHtmlButton"), tr("HTML"), tr("Copy the table as HTML, for word processors and mail too"),
              &RatioTable::copyHtml);
    addButton(QStringLiteral("copyTextButton"), tr("Text"), tr("Copy the table as a box of plain characters"),
              &RatioTable::copyText);
    setTitle(tr("Ratios"));
    auto* copy = new QAction(tr("Copy the table as Markdown"), m_view);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    connect(copy, &QAction::triggered, this, &RatioTable::copyMarkdown);
    auto* csv = new QAction(tr("Copy the table as CSV"), m_view);
    connect(csv, &QAction::triggered, this, &RatioTable::copyCsv);
    m_view->addActions({copy, csv, m_columns->menu()->menuAction()});
    m_view->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RatioTable::selectionChanged);
    connect(m_view, &QTableView::activated, this, &RatioTable::rowActivated);
    body()->addWidget(m_view, 1);
    if (QSettings().value(QLatin1String(kIntervalsHidden)).toBool())
        m_intervals->setChecked(false);
}

void RatioTable::setPivot(const Pivot& pivot)
{
    m_model->setPivot(pivot);
    m_columns->setAvailable(PivotTableModel::Facet, !pivot.request.facet.empty());
    const bool none = pivot.request.centre == Centre::Median; // of medians there is no interval
    // One series has nothing to be compared with, nor have kinds of operations: figures alone, unless they are shares of the best.
    m_ratios = pivot.ratios && (pivot.series.size() > 1 || pivot.request.relativeTo == RelativeTo::Best);
    const bool words = std::ranges::any_of(pivot.cells, [&pivot](const PivotCell& cell) {
        const Gap gap = gapOf(pivot, &cell);
        return gap != Gap::None && gap != Gap::NotDone;
    });
    setTitle(m_ratios ? tr("Ratios") : tr("Figures"));
    m_intervals->setVisible(!none && m_ratios);
    m_columns->setAvailable(PivotTableModel::X, !xIsElsewhere(pivot.request)); // it stands there already
    m_columns->setAvailable(PivotTableModel::Case, pivot.series.size() > 1 || pivot.xs.size() < 2);
    m_columns->setAvailable(PivotTableModel::RatioValue, m_ratios);
    m_columns->setAvailable(PivotTableModel::VerdictText, m_ratios || words);
    m_columns->setAvailable(PivotTableModel::Interval, !none && m_ratios && m_intervals->isChecked());
    QString second;
    if (const std::string hint = pivot.hint(); !hint.empty())
        second = QString::fromStdString(hint);
    else if (pivot.request.relativeTo == RelativeTo::Best)
        second = tr("in percent of the best of each chart");
    else if (m_ratios && !pivot.request.baseline.empty())
        second = tr("baseline: %1").arg(QString::fromStdString(pivot.request.baseline));
    setSecondary(second);
    const QFontMetrics metrics(m_view->horizontalHeader()->font());
    for (int column = 0; column < PivotTableModel::ColumnCount; ++column) {
        const QString head = m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        // Qt's own hint keeps room for a sort arrow in every header, which costs a column's width in all.
        const int width = std::max(m_view->sizeHintForColumn(column), metrics.size(0, head).width() + kHeaderRoom);
        if (column == PivotTableModel::Case)
            m_widths[std::size_t(column)] = std::min(width, 104); // names may lose their middle
        else
            m_widths[std::size_t(column)] = std::min(width, column == PivotTableModel::Value ? 280 : 200);
    }
    fitColumns();
}

void RatioTable::fitColumns()
{
    int needed = 0, shown = 0;
    for (int column = 0; column < PivotTableModel::ColumnCount; ++column) {
        if (m_view->isColumnHidden(column))
            continue;
        const std::optional<int> chosen = m_columns->width(column);
        needed += chosen.value_or(m_widths[std::size_t(column)]);
        shown += chosen ? 0 : 1;
    }
    // Figures get a little air from what is left, the names all the rest.
    constexpr int kMostAir = 36;
    const int spare = std::max(0, m_view->viewport()->width() - needed);
    const int air = std::min(kMostAir, spare / (2 * std::max(1, shown)));
    const int names = m_view->isColumnHidden(PivotTableModel::Case) ? PivotTableModel::X : PivotTableModel::Case;
    m_columns->fit([&] {
        for (int column = 0; column < PivotTableModel::ColumnCount; ++column) {
            const int more = column == names ? spare - air * std::max(0, shown - 1) : air;
            m_view->setColumnWidth(column, m_columns->width(column).value_or(m_widths[std::size_t(column)] + more));
        }
    });
}

bool RatioTable::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize && watched == m_view->viewport())
        fitColumns();
    return Card::eventFilter(watched, event);
}

QTableView& RatioTable::view() const
{
    return *m_view;
}

std::vector<const PivotCell*> RatioTable::selectedCells() const
{
    std::vector<const PivotCell*> cells;
    for (const QModelIndex& row : m_view->selectionModel()->selectedRows()) {
        const auto text = [&row](int role) { return row.data(role).toString().toStdString(); };
        if (const PivotCell* cell = m_model->pivot().cell(
                text(PivotTableModel::XRole), text(PivotTableModel::SeriesNameRole), text(PivotTableModel::FacetRole)))
            cells.push_back(cell);
    }
    return cells;
}

void RatioTable::setIntervalsShown(bool on)
{
    m_intervals->setText(on ? tr("Intervals") : tr("Intervals hidden"));
    QSettings().setValue(QLatin1String(kIntervalsHidden), !on);
    m_columns->setAvailable(PivotTableModel::Interval,
                            on && m_ratios && m_model->pivot().request.centre != Centre::Median);
    fitColumns();
}

void RatioTable::copyMarkdown()
{
    QGuiApplication::clipboard()->setText(
        QString::fromStdString(ratioTable(m_model->pivot(), TableForm::Markdown, m_intervals->isChecked())));
    emit copied(tr("Copied the table as Markdown"));
}

void RatioTable::copyHtml()
{
    const QString html =
        QString::fromStdString(ratioTable(m_model->pivot(), TableForm::Html, m_intervals->isChecked()));
    auto* both = new QMimeData;
    both->setHtml(html);
    both->setText(html); // its source, for editors
    QGuiApplication::clipboard()->setMimeData(both);
    emit copied(tr("Copied the table as HTML"));
}

void RatioTable::copyText()
{
    QGuiApplication::clipboard()->setText(
        QString::fromStdString(ratioTable(m_model->pivot(), TableForm::Text, m_intervals->isChecked())));
    emit copied(tr("Copied the table as text"));
}

void RatioTable::copyCsv()
{
    QGuiApplication::clipboard()->setText(m_model->csv());
    emit copied(tr("Copied the table as CSV"));
}

AddSessionDialog::AddSessionDialog(std::vector<SessionInfo> sessions, QWidget* parent)
    : QDialog(parent)
    , m_model(new SessionModel(this))
    , m_filter(new SessionFilter(this))
    , m_view(new QTableView)
    , m_problem(makeLabel({}, TextRole::Secondary))
{
    setObjectName(QStringLiteral("addSessionDialog"));
    setWindowTitle(tr("Add sessions to the comparison"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(720, 460);
    m_filter->setSourceModel(m_model);
    m_model->setSessions(std::move(sessions));
    auto* search = new QLineEdit;
    search->setObjectName(QStringLiteral("addSessionSearch"));
    search->setAccessibleName(tr("Search sessions"));
    search->setToolTip(
        tr("Words, tag:nightly, version:8.0, workload:oltp, date:2026-11, innodb_buffer_pool_size>1G; !PART excludes"));
    search->setPlaceholderText(tr("Search: words, tag:, version:, date:, NAME=VALUE"));
    search->setClearButtonEnabled(true);
    m_problem->setObjectName(QStringLiteral("addSessionProblem"));
    m_problem->setWordWrap(true);
    setTone(m_problem, Tone::Bad);
    m_problem->hide();
    constexpr int kSearchAfterMs = 150; // after the last key
    m_timer.setSingleShot(true);
    m_timer.setInterval(kSearchAfterMs);
    connect(search, &QLineEdit::textChanged, &m_timer, qOverload<>(&QTimer::start));
    connect(&m_timer, &QTimer::timeout, this, [this, search] { emit searched(search->text().simplified()); });
    m_view->setObjectName(QStringLiteral("addSessionTable"));
    m_view->setAccessibleName(tr("Saved sessions"));
    m_view->setModel(m_filter);
    dressTable(m_view);
    m_view->setItemDelegateForColumn(SessionModel::Status, new StatusDelegate(m_view));
    m_view->setItemDelegateForColumn(SessionModel::Tags, new TagsDelegate(m_view));
    m_view->setColumnHidden(SessionModel::Runs, true);
    m_view->horizontalHeader()->setSectionResizeMode(SessionModel::Title, QHeaderView::Stretch);
    m_view->horizontalHeader()->resizeSection(SessionModel::When, 130);
    m_view->sortByColumn(SessionModel::When, Qt::DescendingOrder);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    QPushButton* add = buttons->button(QDialogButtonBox::Ok);
    add->setText(tr("Add"));
    add->setObjectName(QStringLiteral("addSessionAccept"));
    add->setToolTip(tr("Add the selected sessions to the comparison"));
    setRole(add, "primary");
    add->setEnabled(false);
    buttons->button(QDialogButtonBox::Cancel)->setText(tr("Cancel"));
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            [this, add] { add->setEnabled(m_view->selectionModel()->hasSelection()); });
    connect(m_view, &QTableView::activated, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(this, &QDialog::accepted, this, [this] {
        QStringList ids;
        for (const QModelIndex& row : m_view->selectionModel()->selectedRows())
            ids += row.data(SessionModel::IdRole).toString();
        if (!ids.isEmpty())
            emit sessionsChosen(ids);
    });
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::pageMargin, space::pageMargin, space::pageMargin, space::pageMargin);
    layout->setSpacing(space::cardGap);
    layout->addWidget(search);
    layout->addWidget(m_problem);
    layout->addWidget(m_view, 1);
    layout->addWidget(buttons);
}

void AddSessionDialog::setSessions(std::vector<SessionInfo> sessions)
{
    m_problem->hide();
    m_model->setSessions(std::move(sessions));
}

void AddSessionDialog::showProblem(const QString& text)
{
    m_problem->setText(text);
    m_problem->show();
}

} // namespace dyno
