// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/ratio_table.h"

#include "parts/commands.h"
#include "parts/table_columns.h"
#include "plots/comparison.h"
#include "plots/pivot_gaps.h"
#include "sessions/session_delegates.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QMenu>
#include <QMimeData>
#include <QSettings>
#include <QSortFilterProxyModel>
#include <QTableView>

#include <algorithm>

namespace dyno {

namespace {

constexpr const char* kIntervalsHidden = "compare/intervalsHidden"; // in QSettings
constexpr int kHeaderRoom = 16;                                     // around a header's text

} // namespace

//! Lets the card ask for the width of a column's cells.
class RatioTable::View : public QTableView
{
public:
    using QTableView::sizeHintForColumn;
};

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
    dressRowTable(m_view);
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
    addButton(QStringLiteral("copyHtmlButton"), tr("HTML"),
              tr("Copy the table as HTML, for word processors and mail too"), &RatioTable::copyHtml);
    addButton(QStringLiteral("copyTextButton"), tr("Text"), tr("Copy the table as a box of plain characters"),
              &RatioTable::copyText);
    setTitle(tr("Ratios"));
    auto* copy = new QAction(tr("Copy the table as Markdown"), m_view);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    connect(copy, &QAction::triggered, this, &RatioTable::copyMarkdown);
    auto* csv = new QAction(tr("Copy the table as CSV"), m_view);
    connect(csv, &QAction::triggered, this, &RatioTable::copyCsv);
    copy->setObjectName(QStringLiteral("copyMarkdown"));
    csv->setObjectName(QStringLiteral("copyCsv"));
    makeCommand(copy);
    makeCommand(csv);
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
    // One series has nothing to be compared with, nor have kinds of operations: figures alone, unless they are shares
    // of the best.
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

} // namespace dyno
