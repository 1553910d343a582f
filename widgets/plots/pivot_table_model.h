// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The ratio table of a comparison: one row a cell of the pivot. Shows what report.h says; computes nothing. GUI
//! thread.
#pragma once

#include <dyno/report.h>

#include <QAbstractTableModel>

#include <vector>

namespace dyno {

class PlotCard;

class PivotTableModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Case, Facet, X, Value, RatioValue, Interval, P95, Runs, VerdictText, ColumnCount };
    enum Role {
        SortRole = Qt::UserRole + 1, //!< numbers as numbers; x and case in the plan's order
        SeriesRole,                  //!< int: the colour of the row's series, see seriesColor()
        VerdictRole,                 //!< int of Verdict
        XRole,                       //!< QString: the row's x label
        SeriesNameRole,              //!< QString: the row's series label
        FacetRole,                   //!< QString: the row's facet label
        LimitedRole,                 //!< bool: the load generator was the limit, or runs failed
    };

    explicit PivotTableModel(QObject* parent = nullptr);

    void setPivot(const Pivot& pivot);
    [[nodiscard]] const Pivot& pivot() const { return m_pivot; }
    //! The table as CSV: header with units, '.' decimals, one line a row in the plan's order.
    [[nodiscard]] QString csv() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    [[nodiscard]] static QString verdictText(Verdict verdict);             //!< translated
    [[nodiscard]] static QString measureLabel(const MeasureInfo& measure); //!< translated where we know it
    [[nodiscard]] static QString measureLabel(const Pivot& pivot);         //!< with the currency
    //! The colour of a series: its position, but min, mean and max of one figure share theirs and go on from 6 and
    //! from 12.
    [[nodiscard]] static int seriesColor(const Pivot& pivot, int series);
    //! The same as figures are drawn: ", % of the best".
    [[nodiscard]] static QString shownLabel(const Pivot& pivot);
    //! A facet as it stands above its chart: "cached, 8" of `axes` "cache × users" is "cached, 8 users".
    [[nodiscard]] static QString facetLabel(const std::string& axes, const std::string& facet);
    //! The same without the part on the axis `without`, where that is sure: "cached" of "cached, 8" without users.
    [[nodiscard]] static QStringList facetParts(const std::string& axes, const std::string& facet,
                                                const std::string& without);

private:
    struct Row
    {
        const PivotCell* cell;
        int series, x, facet; //!< positions in the plan's order
    };
    [[nodiscard]] QVariant text(const Row& row, int column) const;
    [[nodiscard]] int alignmentOf(int column) const;
    [[nodiscard]] QString p95Tip() const;
    [[nodiscard]] static QString runsText(const PivotCell& cell);
    [[nodiscard]] double centreOf(const PivotCell& cell) const; //!< mean or median, as the request has it
    [[nodiscard]] QVariant sortKey(const Row& row, int column) const;
    [[nodiscard]] QString toolTip(const Row& row) const;

    Pivot m_pivot;
    std::vector<Row> m_rows;
};

//! A value of a measure in its own form: milliseconds, bytes, a rate.
[[nodiscard]] QString measureText(double value, const MeasureInfo* measure);
//! Sets the unit of the y axis for figures of this measure (`lowest`: above 0), and returns its name.
[[nodiscard]] QString setAxisUnit(PlotCard& card, const MeasureInfo& measure, double lowest, double highest);

} // namespace dyno
