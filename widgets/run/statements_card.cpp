// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/statements_card.h"

#include "bridge/library_worker.h"
#include "format.h"
#include "parts/field.h"
#include "parts/table_columns.h"
#include "qt_text.h"
#include "run/live_run_model.h"

#include <dyno/visible_text.h>

#include <QHeaderView>
#include <QStandardItemModel>
#include <QTableView>

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

constexpr int kLookAgainMs = 500;
constexpr int kRowsShown = 5; //!< without scrolling
constexpr int kOverTimeColumn = 3;

} // namespace

StatementsCard::StatementsCard(const LiveRunModel& model, std::filesystem::path library, QWidget* parent)
    : Card(tr("Statements"), {}, parent)
    , m_model(model)
    , m_library(std::move(library))
    , m_items(new QStandardItemModel(this))
    , m_table(new QTableView)
    , m_job(this)
{
    setObjectName(QStringLiteral("statementsCard"));
    setAccessibleName(tr("Statements"));
    QPushButton* plans = makeButton(tr("Details…"), "link");
    describe(plans, QStringLiteral("statementsOpen"), tr("Plans and counts"),
             tr("Plans, tables, and what the server counted itself"));
    header()->addWidget(plans);
    connect(plans, &QPushButton::clicked, this, [this] { open({}); });
    m_table->setModel(m_items);
    describe(m_table, QStringLiteral("statementShares"), tr("Operations by their share of the time"),
             tr("Click an operation to see its plan, the chart icon to see it over time"));
    dressRowTable(m_table);
    m_table->setSortingEnabled(false);
    m_table->horizontalHeader()->hide();
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    const auto choose = [this](const QModelIndex& index) {
        if (!index.isValid())
            return;
        const QString operation = m_items->item(index.row())->text();
        if (index.column() == kOverTimeColumn)
            emit overTimeWanted(operation);
        else
            open(operation);
    };
    connect(m_table, &QTableView::clicked, this, choose);
    connect(m_table, &QTableView::activated, this, choose);
    body()->addWidget(m_table);
    m_again.setSingleShot(true);
    m_again.setInterval(kLookAgainMs);
    connect(&m_again, &QTimer::timeout, this, &StatementsCard::showKinds);
    connect(&m_model, &LiveRunModel::runReset, this, &StatementsCard::onRun);
    connect(&m_model, &LiveRunModel::finished, this, &StatementsCard::read);
    connect(&m_model, &LiveRunModel::sampleAppended, this, [this] {
        if (!m_stored && !m_again.isActive())
            m_again.start();
    });
    showKinds();
}

//! Moving through a replay resets the run that stands there too: what was read of it stays.
void StatementsCard::onRun()
{
    const std::string session = m_model.session() ? m_model.session()->id : std::string();
    const int run = m_model.run() ? m_model.run()->index : -1;
    if (session == m_session && run == m_run)
        return;
    m_session = session;
    m_run = run;
    m_shown = {};
    m_stored = false;
    showKinds();
    read();
}

void StatementsCard::read()
{
    m_job.cancel();
    if (m_session.empty() || m_run < 0)
        return;
    m_job.start(
        [file = m_library, id = m_session, run = m_run] {
            return LibraryWorker::opened<Read>(file, Library::Mode::ReadOnly,
                                               [&id, run](Library& library) -> Expected<Read> {
                                                   auto kept = runStatements(library, id, run);
                                                   if (!kept)
                                                       return fail(kept.error());
                                                   const auto session = library.session(id);
                                                   if (!session)
                                                       return fail(session.error());
                                                   Read read;
                                                   read.kept = std::move(*kept);
                                                   if (auto cost = observingCost(library, id, run))
                                                       read.observing = std::move(*cost);
                                                   for (const StoredRun& one : session->runs) {
                                                       if (one.header.index == run)
                                                           read.kinds = kindShares(one.summary);
                                                   }
                                                   return read;
                                               });
        },
        [this](Expected<Read> read) {
            if (!read || read->kinds.empty())
                return; // it is not stored, or goes on
            m_shown.kinds = std::move(read->kinds);
            m_shown.kept = std::move(read->kept);
            m_shown.observing = std::move(read->observing);
            m_stored = true;
            showKinds();
        });
}

void StatementsCard::showKinds()
{
    if (!m_stored)
        m_shown.kinds = m_model.run() ? kindShares(m_model.soFar()) : std::vector<KindShare>();
    m_items->clear();
    for (const KindShare& kind : m_shown.kinds) {
        QList<QStandardItem*> row{
            new QStandardItem(qtText(visibleText(kind.name))), new QStandardItem(format::percent(kind.share)),
            new QStandardItem(std::isfinite(kind.p99Ms) ? format::time(kind.p99Ms) : QStringLiteral("–"))};
        QString tip = tr("%1: %2 of the time, p99 %3").arg(row[0]->text(), row[1]->text(), row[2]->text());
        if (kind.rows)
            tip = *kind.rows == 1 ? tr("%1, 1 row", "of an operation: the figures before; returned or changed").arg(tip)
                                  : tr("%1, %2 rows", "of an operation: the figures before; rows returned or changed")
                                        .arg(tip, format::count(qint64(*kind.rows)));
        for (int i = 0; i < row.size(); ++i) {
            row[i]->setEditable(false);
            row[i]->setTextAlignment((i > 0 ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
            row[i]->setToolTip(tip);
        }
        auto* plot = new QStandardItem;
        plot->setEditable(false);
        plot->setIcon(Theme::instance().icon(QStringLiteral("chart-time")));
        plot->setToolTip(tr("Show %1 over time, as small plots").arg(row[0]->text()));
        plot->setData(tr("Show %1 over time").arg(row[0]->text()), Qt::AccessibleTextRole);
        row << plot;
        m_items->appendRow(row);
    }
    setVisible(m_items->rowCount() > 0);
    if (m_items->rowCount() > 0) {
        m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
        m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
        m_table->setFixedHeight(std::min(kRowsShown, m_items->rowCount()) * m_table->rowHeight(0) +
                                2 * m_table->frameWidth());
    }
    if (m_dialog)
        m_dialog->setStatements(m_shown);
}

void StatementsCard::open(const QString& operation)
{
    if (!m_dialog) {
        m_dialog = new StatementsDialog(window());
        m_dialog->setStatements(m_shown);
        connect(m_dialog, &StatementsDialog::overTimeWanted, this, &StatementsCard::overTimeWanted);
    }
    m_dialog->choose(operation);
    m_dialog->show();
    m_dialog->raise();
}

} // namespace dyno
