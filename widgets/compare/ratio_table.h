// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The table of a comparison, and its copies. GUI thread.
#pragma once

#include "parts/card.h"
#include "plots/pivot_table_model.h"

#include <dyno/report.h>

#include <array>

class QPushButton;
class QSortFilterProxyModel;
class QTableView;

namespace dyno {

class TableColumns;

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

} // namespace dyno
