// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The pieces of the Compare page: verdict, facts, ratio table, the choice of another session. GUI thread.
#pragma once

#include "forms/card.h"
#include "models/comparison.h"
#include "models/pivot_table_model.h"

#include <dyno/report.h>

#include <QDialog>
#include <QTimer>

#include <array>

class QGridLayout;
class QPushButton;
class QSortFilterProxyModel;
class QTableView;

namespace dyno {

class SessionFilter;
class SessionModel;
class TableColumns;

//! The sentence a person may quote, and chips that say how far it can be trusted.
class VerdictCard : public QFrame
{
    Q_OBJECT
public:
    explicit VerdictCard(QWidget* parent = nullptr);
    void setSentence(const QString& text);
    void setFacts(const RunFacts& facts);
    void addDrift(const Drift& drift); //!< a chip when it is shown; after setFacts()
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] QStringList chips() const;

private:
    void addChip(const QString& text, Tone tone, const QString& toolTip);
    QLabel* m_text;
    QWidget* m_chipBox;
    QHBoxLayout* m_chips;
};

//! Rows of name and value; a name without a value is the heading of those that follow.
class FactsCard : public Card
{
    Q_OBJECT
public:
    using Rows = std::vector<std::pair<QString, QString>>;
    //! `stacked`: long values below their names instead of beside them.
    FactsCard(const QString& title, bool stacked, QWidget* parent = nullptr);
    void setRows(const Rows& rows, const QString& note = {});
    [[nodiscard]] int rowCount() const { return m_rows; }

private:
    QWidget* m_box;
    QLabel* m_note;
    bool m_stacked;
    int m_rows = 0;
};

//! The ratio table with its copy buttons.
class RatioTable : public Card
{
    Q_OBJECT
public:
    explicit RatioTable(QWidget* parent = nullptr);
    void setPivot(const Pivot& pivot);
    [[nodiscard]] PivotTableModel& model() const { return *m_model; }
    [[nodiscard]] QTableView& view() const;
    //! The cells of the selected rows, in the order of the table; pointers into model().pivot().
    [[nodiscard]] std::vector<const PivotCell*> selectedCells() const;

signals:
    void selectionChanged();
    void copied(const QString& what);
    void rowActivated(); //!< double click or Return

public slots:
    void copyMarkdown();
    void copyCsv();
    void copyHtml(); //!< as a table for word processors and mail, and as its source
    void copyText(); //!< a box of plain characters
    void setIntervalsShown(bool on);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    class View;
    void fitColumns();
    std::array<int, PivotTableModel::ColumnCount> m_widths{}; //!< that the columns need
    PivotTableModel* m_model;
    QSortFilterProxyModel* m_proxy;
    View* m_view;
    TableColumns* m_columns = nullptr;
    QPushButton* m_intervals;
    bool m_ratios = true; //!< there is something to compare with
};

//! Chooses saved sessions to lay over those shown. Use with open().
class AddSessionDialog : public QDialog
{
    Q_OBJECT
public:
    AddSessionDialog(std::vector<SessionInfo> sessions, QWidget* parent = nullptr);
    void setSessions(std::vector<SessionInfo> sessions); //!< what searched() found
    void showProblem(const QString& text);               //!< of the search line; the list stays

signals:
    void searched(const QString& query); //!< Library::search() knows the words; "" = all
    void sessionsChosen(const QStringList& ids);

private:
    SessionModel* m_model;
    SessionFilter* m_filter;
    QTableView* m_view;
    QLabel* m_problem;
    QTimer m_timer;
};

} // namespace dyno
