// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/add_session_dialog.h"

#include "parts/dialog.h"
#include "parts/field.h"
#include "parts/table_columns.h"
#include "sessions/session_delegates.h"
#include "sessions/session_model.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QTableView>

namespace dyno {

AddSessionDialog::AddSessionDialog(std::vector<SessionInfo> sessions, QWidget* parent)
    : QDialog(parent)
    , m_model(new SessionModel(this))
    , m_filter(new SessionFilter(this))
    , m_view(new QTableView)
    , m_problem(makeLabel({}, TextRole::Secondary))
{
    auto* layout = dressDialog(*this, QStringLiteral("addSessionDialog"), tr("Add sessions to the comparison"));
    keepSize(*this, {780, 460});
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
    dressRowTable(m_view);
    m_view->setItemDelegateForColumn(SessionModel::Status, new StatusDelegate(m_view));
    m_view->setItemDelegateForColumn(SessionModel::Tags, new TagsDelegate(m_view));
    m_view->setColumnHidden(SessionModel::Runs, true);
    m_view->horizontalHeader()->setSectionResizeMode(SessionModel::Title, QHeaderView::Stretch);
    m_view->horizontalHeader()->resizeSection(SessionModel::When, 150);
    m_view->sortByColumn(SessionModel::When, Qt::DescendingOrder);
    QDialogButtonBox* buttons = makeDialogButtons(*this, QStringLiteral("addSessionCancel"));
    QPushButton* add = makeButton(tr("Add"), "primary");
    describe(add, QStringLiteral("addSessionAccept"), tr("Add the selected sessions"),
             tr("Add the selected sessions to the comparison"));
    buttons->addButton(add, QDialogButtonBox::AcceptRole);
    add->setDefault(true);
    add->setEnabled(false);
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            [this, add] { add->setEnabled(m_view->selectionModel()->hasSelection()); });
    connect(m_view, &QTableView::activated, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(this, &QDialog::accepted, this, [this] {
        QStringList ids;
        for (const QModelIndex& row : m_view->selectionModel()->selectedRows())
            ids += row.data(SessionModel::IdRole).toString();
        if (!ids.isEmpty())
            emit sessionsChosen(ids);
    });
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
