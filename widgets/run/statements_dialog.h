// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The statements of a run at length: its kinds of operations, the plan of the chosen one, the tables, and what the
//! server counted itself. GUI thread.
#pragma once

#include <dyno/observing.h>
#include <dyno/statements.h>

#include <QDialog>

#include <optional>
#include <vector>

class QLabel;
class QPlainTextEdit;
class QStandardItemModel;
class QTableView;

namespace dyno {

//! What is shown of a run.
struct ShownStatements
{
    std::vector<KindShare> kinds;
    std::optional<RunStatements> kept;      //!< none: nothing is kept with the run, or not yet
    std::optional<ObservingCost> observing; //!< likewise
};

class StatementsDialog : public QDialog
{
    Q_OBJECT
public:
    explicit StatementsDialog(QWidget* parent = nullptr);
    void setStatements(ShownStatements statements); //!< keeps the choice where the kind is there again
    void choose(const QString& operation);
    [[nodiscard]] QString chosen() const; //!< kind of operation, "" = none
    [[nodiscard]] QString planText() const;

signals:
    void overTimeWanted(const QString& operation); //!< the chosen one

private:
    void showKinds();
    void showPlan();
    void showDigest();
    void showObserving();
    [[nodiscard]] QTableView* addTable(QStandardItemModel* model, const QString& name, const QString& spoken);
    void fitColumns(QTableView* view, int words) const;

    ShownStatements m_shown;
    QStandardItemModel *m_kinds, *m_digest;
    QTableView *m_kindTable, *m_digestTable;
    QPlainTextEdit* m_plan;
    QLabel *m_cost, *m_digestNote, *m_observing;
};

} // namespace dyno
