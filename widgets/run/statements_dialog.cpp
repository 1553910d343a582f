// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/statements_dialog.h"

#include "format.h"
#include "parts/dialog.h"
#include "parts/field.h"
#include "parts/labels.h"
#include "parts/table_columns.h"
#include "qt_text.h"

#include <dyno/visible_text.h>

#include <QFontDatabase>
#include <QHeaderView>
#include <QPlainTextEdit>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

constexpr QSize kUsualSize{980, 760};
constexpr qsizetype kLongestTip = 1000; //!< characters
constexpr int kRowsColumn = 5;          //!< of operations
constexpr int kMostRowsShown = 6;       //!< of operations, without scrolling

QString foreignLine(const std::string& text)
{
    return qtText(visibleText(text));
}

QString figureOrNone(double ms)
{
    return std::isfinite(ms) ? format::time(ms) : QStringLiteral("–");
}

QString wholeOrNone(const std::optional<std::uint64_t>& number)
{
    return number ? format::count(qint64(*number)) : QStringLiteral("–");
}

QStandardItem* cellItem(const QString& text, bool number)
{
    auto* item = new QStandardItem(text);
    item->setEditable(false);
    item->setTextAlignment((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return item;
}

//! The first column holds words, the others figures.
void addCells(QStandardItemModel& model, const QStringList& cells, int words)
{
    QList<QStandardItem*> row;
    for (qsizetype i = 0; i < cells.size(); ++i)
        row << cellItem(cells[i], i != words);
    // Wrapped: a plain text would be one line, cut at the edge of the screen.
    row[words]->setToolTip(QStringLiteral("<p>%1</p>").arg(cells[words].left(kLongestTip).toHtmlEscaped()));
    model.appendRow(row);
}

} // namespace

StatementsDialog::StatementsDialog(QWidget* parent)
    : QDialog(parent)
    , m_kinds(new QStandardItemModel(this))
    , m_digest(new QStandardItemModel(this))
    , m_plan(new QPlainTextEdit)
    , m_cost(makeLabel({}, TextRole::Secondary))
    , m_digestNote(makeLabel({}, TextRole::Secondary))
    , m_observing(makeLabel({}, TextRole::Secondary))
{
    QVBoxLayout* layout = dressDialog(*this, QStringLiteral("statementsDialog"), tr("Statements of the run"));
    m_kindTable = addTable(m_kinds, QStringLiteral("statementKinds"), tr("Kinds of operations"));
    m_digestTable = addTable(m_digest, QStringLiteral("statementDigest"), tr("Statements as the server counted them"));
    m_plan->setReadOnly(true);
    m_plan->setTabChangesFocus(true);
    m_plan->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    describe(m_plan, QStringLiteral("statementPlan"), tr("Plan and tables"),
             tr("How the server would run the statements of the chosen operation, and how the tables are made"));
    m_cost->setObjectName(QStringLiteral("statementCost"));
    m_cost->setWordWrap(true);
    m_digestNote->setObjectName(QStringLiteral("digestNote"));
    m_digestNote->setWordWrap(true);
    layout->addWidget(makeLabel(tr("Operations, as the load generator measured them"), TextRole::Label));
    layout->addWidget(m_kindTable);
    QPushButton* overTime = makeLink(tr("Show the operation over time"));
    describe(overTime, QStringLiteral("statementOverTime"), tr("Show the operation over time"),
             tr("Small plots of its calls a second and of their 99th percentile, on the Run page"));
    connect(overTime, &QPushButton::clicked, this, [this] {
        if (!chosen().isEmpty())
            emit overTimeWanted(chosen());
    });
    layout->addWidget(overTime, 0, Qt::AlignLeft);
    layout->addWidget(makeLabel(tr("Plan and tables"), TextRole::Label));
    layout->addWidget(m_plan, 3);
    layout->addWidget(m_cost);
    layout->addWidget(makeLabel(tr("The server's own count in the measured time"), TextRole::Label));
    layout->addWidget(m_digestTable, 2);
    layout->addWidget(m_digestNote);
    m_observing->setObjectName(QStringLiteral("observingCost"));
    m_observing->setWordWrap(true);
    layout->addWidget(makeLabel(tr("What observing cost, warm-up included"), TextRole::Label));
    layout->addWidget(m_observing);
    connect(m_kindTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &StatementsDialog::showPlan);
    keepSize(*this, kUsualSize);
}

QTableView* StatementsDialog::addTable(QStandardItemModel* model, const QString& name, const QString& spoken)
{
    auto* view = new QTableView(this);
    view->setModel(model);
    describe(view, name, spoken, {});
    dressRowTable(view);
    view->setSortingEnabled(false); // by time, as they come
    return view;
}

//! The words take what the figures leave.
void StatementsDialog::fitColumns(QTableView* view, int words) const
{
    view->resizeColumnsToContents();
    view->horizontalHeader()->setSectionResizeMode(words, QHeaderView::Stretch);
    view->model()->setHeaderData(words, Qt::Horizontal, int(Qt::AlignLeft | Qt::AlignVCenter), Qt::TextAlignmentRole);
}

void StatementsDialog::setStatements(ShownStatements statements)
{
    const QString before = chosen();
    m_shown = std::move(statements);
    showKinds();
    showDigest();
    showObserving();
    choose(before);
}

void StatementsDialog::showKinds()
{
    m_kinds->clear();
    m_kinds->setHorizontalHeaderLabels(
        {tr("Operation"), tr("Time"), tr("Count"), tr("Mean"), tr("p99"), tr("Rows"), tr("Errors")});
    for (const KindShare& kind : m_shown.kinds)
        addCells(*m_kinds,
                 {foreignLine(kind.name), format::percent(kind.share), format::count(qint64(kind.count)),
                  figureOrNone(kind.meanMs), figureOrNone(kind.p99Ms), wholeOrNone(kind.rows),
                  format::count(qint64(kind.errors))},
                 0);
    m_kinds->horizontalHeaderItem(kRowsColumn)
        ->setToolTip(tr("Rows that the operations returned or changed; – where that is not known"));
    fitColumns(m_kindTable, 0);
    const int rows = std::clamp(m_kinds->rowCount(), 1, kMostRowsShown);
    m_kindTable->setFixedHeight(m_kindTable->horizontalHeader()->sizeHint().height() +
                                rows * m_kindTable->verticalHeader()->defaultSectionSize() + 2);
}

void StatementsDialog::choose(const QString& operation)
{
    int row = 0;
    for (int i = 0; i < m_kinds->rowCount(); ++i) {
        if (m_kinds->item(i)->text() == operation)
            row = i;
    }
    if (m_kinds->rowCount() > 0)
        m_kindTable->selectRow(row);
    showPlan();
}

QString StatementsDialog::chosen() const
{
    const QModelIndex index = m_kindTable->currentIndex();
    return index.isValid() ? m_kinds->item(index.row())->text() : QString();
}

QString StatementsDialog::planText() const
{
    return m_plan->toPlainText();
}

void StatementsDialog::showPlan()
{
    const QModelIndex index = m_kindTable->currentIndex();
    const std::string operation = index.isValid() && std::size_t(index.row()) < m_shown.kinds.size()
                                      ? m_shown.kinds[std::size_t(index.row())].name
                                      : std::string();
    m_cost->setVisible(m_shown.kept && m_shown.kept->describedIn >= 0);
    if (!m_shown.kept || m_shown.kept->describedIn < 0) {
        m_plan->setPlainText(tr("No plans are kept with this run"));
        return;
    }
    const RunStatements& kept = *m_shown.kept;
    m_cost->setText(tr("Asked before run %1, in %2; no statement of the workload was run for it")
                        .arg(kept.describedIn + 1)
                        .arg(format::time(kept.describeMs)));
    QStringList lines;
    const auto add = [&lines](const StatementPlan& plan) {
        lines << foreignLine(plan.text);
        QStringList values;
        for (const std::string& value : plan.parameters)
            values << foreignLine(value);
        if (!values.isEmpty())
            lines << tr("  explained with %1").arg(values.join(QStringLiteral(", ")));
        for (const PlanStep& step : plan.steps)
            lines << (step.wholeTable.empty() ? QStringLiteral("    %1").arg(foreignLine(step.text))
                                              : tr("    %1  (reads all of %2)", "step of a plan, table")
                                                    .arg(foreignLine(step.text), foreignLine(step.wholeTable)));
        if (!plan.noPlan.empty())
            lines << tr("    no plan: %1").arg(foreignLine(plan.noPlan));
        lines << QString();
    };
    for (const StatementPlan& plan : kept.plans) {
        if (plan.operation == operation)
            add(plan);
    }
    if (lines.isEmpty())
        lines << tr("No statement is known to belong to this operation alone") << QString();
    if (std::ranges::any_of(kept.plans, [](const StatementPlan& plan) { return plan.operation.empty(); })) {
        lines << tr("Statements whose operation is not known:") << QString();
        for (const StatementPlan& plan : kept.plans) {
            if (plan.operation.empty())
                add(plan);
        }
    }
    if (kept.morePlans > 0)
        lines << tr("Further statements: %1").arg(format::count(qint64(kept.morePlans))) << QString();
    for (const TableText& table : kept.tables)
        lines << (table.planned ? tr("Table %1, as the workload makes it:").arg(foreignLine(table.name))
                                : tr("Table %1:").arg(foreignLine(table.name)))
              << qtText(visibleText(table.text, TextLayout::Keep)) << QString();
    if (kept.moreTables > 0)
        lines << tr("Further tables: %1").arg(format::count(qint64(kept.moreTables)));
    m_plan->setPlainText(lines.join(QLatin1Char('\n')));
}

void StatementsDialog::showObserving()
{
    if (!m_shown.observing) {
        m_observing->setText(tr("Not known"));
        return;
    }
    const ObservingCost& cost = *m_shown.observing;
    QStringList parts{tr("%1 % of a core of the load generator").arg(format::number(cost.corePercent(), 2))};
    for (const ObservedSource& one : cost.sources) {
        QString part = tr("%1 (%2): %3 requests, %4 a second, mean %5, max %6", "source, what it is asked for")
                           .arg(foreignLine(one.source), foreignLine(one.what), format::count(qint64(one.requests)),
                                format::rate(cost.perSecond(one)), format::time(one.meanMs), format::time(one.maxMs));
        if (one.serverCpuMs && one.requests > 0)
            part =
                tr("%1, %2 of server CPU an answer").arg(part, format::time(*one.serverCpuMs / double(one.requests)));
        parts << part;
    }
    m_observing->setText(parts.join(QStringLiteral("; ")));
}

void StatementsDialog::showDigest()
{
    m_digest->clear();
    m_digest->setHorizontalHeaderLabels({tr("Statement"), tr("Time"), tr("Count"), tr("Mean"), tr("p99"),
                                         tr("Rows sent"), tr("Rows examined"), tr("Errors")});
    const bool any = m_shown.kept && m_shown.kept->noDigest.empty();
    m_digestTable->setVisible(any);
    if (!any) {
        m_digestNote->setText(m_shown.kept ? tr("None: %1").arg(foreignLine(m_shown.kept->noDigest))
                                           : tr("None is kept with this run"));
        return;
    }
    double all = m_shown.kept->moreSeconds;
    for (const DigestRow& row : m_shown.kept->digest)
        all += row.seconds;
    for (const DigestRow& row : m_shown.kept->digest)
        addCells(*m_digest,
                 {foreignLine(row.text), all > 0 ? format::percent(row.seconds / all) : QStringLiteral("–"),
                  format::count(qint64(row.count)), figureOrNone(row.meanMs()), figureOrNone(row.p99Ms.value_or(kNone)),
                  wholeOrNone(row.rowsSent), wholeOrNone(row.rowsExamined), format::count(qint64(row.errors))},
                 0);
    fitColumns(m_digestTable, 0);
    QStringList note{tr("All statements of the server, also those of other clients. The two readings took %1")
                         .arg(format::time(m_shown.kept->digestMs))};
    if (m_shown.kept->moreDigest > 0)
        note << tr("Further kinds: %1").arg(format::count(qint64(m_shown.kept->moreDigest)));
    if (!m_shown.kept->digestNote.empty())
        note << foreignLine(m_shown.kept->digestNote);
    m_digestNote->setText(note.join(QStringLiteral(". ")));
}

} // namespace dyno
