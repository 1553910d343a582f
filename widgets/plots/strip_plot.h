// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Every run of a comparison as a dot, with a box around the middle half where there are enough. GUI thread.
#pragma once

#include "plots/plot_card.h"

#include <dyno/report.h>

namespace dyno {

//! Draws what a Pivot holds: the figures of the runs, their median as a short line; outliers (outliersOf()) hollow.
class StripPlot : public PlotCard
{
    Q_OBJECT
public:
    explicit StripPlot(QWidget* parent = nullptr);

    void setPivot(const Pivot& pivot, const QString& facet = {});
    void setSharedHighest(double value) { m_shared = value; }  //!< of several facets; 0 = own scale
    [[nodiscard]] static double highestOf(const Pivot& pivot); //!< run of any facet
    [[nodiscard]] int dotCount() const { return m_dots; }
    [[nodiscard]] int boxCount() const { return int(m_boxes.size()); }
    static constexpr std::size_t kFewestForBox = 5; //!< quartiles of fewer runs say nothing

    void restyle(const ThemeColors& colors, ThemeMode mode) override;
    void updateRanges() override;
    [[nodiscard]] PlotTable table() const override;
    [[nodiscard]] QString valueText(double value) const override;
    [[nodiscard]] QString placeText(int series, double x) const override;
    [[nodiscard]] QString unit() const override;

private:
    void clearItems();
    void addCell(int series, double place, const PivotCell& cell);

    Pivot m_pivot;
    std::string m_facet;
    std::vector<std::pair<QPointer<QCPStatisticalBox>, int>> m_boxes; //!< with their series
    std::vector<std::pair<QPointer<QCPItemLine>, int>> m_medians;
    std::vector<std::pair<QPointer<QCPGraph>, int>> m_hollow; //!< outliers
    std::vector<QPointer<QCPItemText>> m_groups;
    std::vector<std::size_t> m_places; //!< of groups, along x: positions in Pivot::xs
    double m_highest = 0, m_shared = 0;
    int m_dots = 0;
};

} // namespace dyno
