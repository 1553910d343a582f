// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How throughput grows with users: the measured points with the Universal Scalability Law and the linear line, and
//! latency against throughput. GUI thread.
#pragma once

#include "plots/plot_card.h"

#include <dyno/analysis.h>

namespace dyno {

class ScalingPlot : public PlotCard
{
    Q_OBJECT
public:
    explicit ScalingPlot(QWidget* parent = nullptr);

    //! The series of one facet. A series' linear line is that of its single user (or, without one, of its fit's λ);
    //! curves end at what was measured, or at N* when that lies not further than twice as far.
    void setScaling(const std::vector<Scaling>& scaling, const QString& facet = {});
    void setLogAxes(bool x, bool y);
    [[nodiscard]] int curveCount() const { return int(m_curves.size()); }

    void restyle(const ThemeColors& colors, ThemeMode mode) override;
    void updateRanges() override;
    [[nodiscard]] PlotTable table() const override;

private:
    void rebuild();
    void addLinear(int series, double fewest, double most);
    std::vector<Scaling> m_scaling;
    std::vector<std::pair<QPointer<QCPGraph>, int>> m_curves; //!< with their series
    std::vector<std::pair<QPointer<QCPGraph>, int>> m_linear; //!< with the series it belongs to
    QString m_facet;
    bool m_logX = false;
    double m_highest = 0;
};

//! One point of a LoadCurve.
struct LoadPoint
{
    QString users; //!< or the case, with a share
    double throughput = 0;
    double value = 0; //!< latency in milliseconds, or a share from 0 to 1
};
//! One series: its points by users.
struct LoadCurve
{
    QString name;
    std::vector<LoadPoint> points;
};
//! From two pivots with the same axes: throughput and a latency. Points without one of the two are left out.
[[nodiscard]] std::vector<LoadCurve> loadCurvesOf(const Pivot& throughput, const Pivot& latency,
                                                  const std::string& facet);

//! Latency against throughput, the points joined in the order of users: past saturation the curve bends up and back. Or
//! throughput against a share, such as a recall, joined in the order of what is along x: further up and to the right is
//! better, as ann-benchmarks draws it.
class LoadCurvePlot : public PlotCard
{
    Q_OBJECT
public:
    enum class Shows { Time, Share };
    explicit LoadCurvePlot(QWidget* parent = nullptr);
    //! `measure`: what stands against throughput.
    void setCurves(std::vector<LoadCurve> curves, const QString& measure, const QString& facet = {},
                   Shows shows = Shows::Time);
    void restyle(const ThemeColors& colors, ThemeMode mode) override;
    void updateRanges() override;
    [[nodiscard]] PlotTable table() const override;

private:
    //! Where a point stands: throughput is along x beside a latency, and along y beside a share.
    [[nodiscard]] QPointF placeOf(const LoadPoint& point) const;
    Shows m_shows = Shows::Time;
    std::vector<LoadCurve> m_data;
    std::vector<std::pair<QPointer<QCPCurve>, int>> m_lines;
    std::vector<QPointer<QCPItemText>> m_users; //!< of all points, in their order
    QString m_measure;
};

} // namespace dyno
