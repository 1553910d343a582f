// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The chart of a comparison: one measure by one axis, a series a colour, means with 95 % intervals. It draws what a
//! Pivot holds and computes nothing. Needs no window: PivotPlot plot; plot.setPivot(pivot); exportPlot(plot, …).
#pragma once

#include "plots/bar_legend.h"
#include "plots/bar_names.h"
#include "plots/clip_marks.h"
#include "plots/knee_marks.h"
#include "plots/limit_lines.h"
#include "plots/plot_card.h"
#include "plots/published_figures.h"
#include "plots/published_lane.h"

#include <dyno/report.h>

namespace dyno {

class PivotPlot : public PlotCard
{
    Q_OBJECT
public:
    //! Auto: bars for one or two x values and for x that is not a number, else lines.
    enum class Chart { Auto, Lines, Bars };

    explicit PivotPlot(QWidget* parent = nullptr);

    //! Shows one facet of `pivot` ("" when it has none). Title, unit, axes, series and error bars follow from it.
    void setPivot(const Pivot& pivot, const QString& facet = {});
    [[nodiscard]] const Pivot& pivot() const { return m_pivot; }
    void setChart(Chart chart);
    //! Logarithmic axes; x only where all its values are numbers above 0, and lines are drawn. Call it before
    //! setPivot().
    void setLogAxes(bool x, bool y);
    [[nodiscard]] Chart chart() const { return m_chart; } //!< as set
    [[nodiscard]] Chart effectiveChart() const;           //!< Lines or Bars
    //! "lines", "bars" as in a plan's view; anything else is Auto.
    [[nodiscard]] static Chart chartFromText(const std::string& text);
    //! False when there is no finished run to draw.
    [[nodiscard]] bool hasData() const;
    //! Published figures, by series and x as in the pivot, drawn dashed beside one's own; what has none is NaN. Empty:
    //! none. `source` is named below the title. Call it before setPivot().
    //! `aside`: by series, those whose place along x was not published, for the lane at the right edge.
    void setPublished(std::vector<std::vector<double>> values, const QString& source, std::vector<double> aside = {});
    [[nodiscard]] int publishedCount() const { return m_published.count(); } //!< figures drawn at their x
    [[nodiscard]] const PublishedLane& lane() const { return *m_lane; }
    [[nodiscard]] const LimitLines& limits() const { return *m_limits; }
    [[nodiscard]] const KneeMarks& knees() const { return *m_knees; }
    [[nodiscard]] int laneWidth() const override { return m_lane->width(); }
    //! Charts of several facets are read against each other: all get the highest value of any of them. 0 = own scale.
    void setSharedHighest(double value) { m_shared = value; }
    //! Of all facets: the highest figure, or the end of an interval; those far above all figures do not set the scale.
    [[nodiscard]] static double highestOf(const Pivot& pivot);
    [[nodiscard]] int errorBarCount() const; //!< values drawn with an interval
    [[nodiscard]] int clippedCount() const
    {
        return m_clipMarks.shown();
    } //!< those whose interval goes on above the chart, with an arrow there
    [[nodiscard]] int barCount() const { return int(m_bars.size()); }
    [[nodiscard]] QStringList gapTexts() const; //!< that stand where a bar of a group is missing

    void restyle(const ThemeColors& colors, ThemeMode mode) override;
    void updateRanges() override;
    [[nodiscard]] PlotTable table() const override;
    [[nodiscard]] QString valueText(double value) const override;
    [[nodiscard]] QString placeText(int series, double x) const override;
    [[nodiscard]] QString unit() const override;

private:
    struct Bar
    {
        QPointer<QCPBars> bars;
        QPointer<QCPErrorBars> error;
        QPointer<QCPItemText> text;
        int series;
        double top;
        bool beside = false; //!< the text stands beside the interval's line, which goes on above the chart
    };
    void rebuild();
    void clearItems();
    [[nodiscard]] QString seriesWords(std::size_t series) const;
    [[nodiscard]] QStringList seriesLabels() const;
    void buildLines();
    void buildBars();
    void fillLane();
    void markKnees();
    void addBar(int series, double slot, const PivotCell& cell, bool withText);
    void addGap(int series, double slot, const QString& text, bool upright);
    [[nodiscard]] std::vector<QCPAbstractPlottable*> onePerSeries() const; //!< for the legend
    void nameStranger(std::size_t series, const QString& name);
    [[nodiscard]] bool isStranger(std::size_t series) const;
    void fitTexts();
    void placeClipMarks();
    void onSeriesVisibility(int series, bool visible);
    void dressItems();
    [[nodiscard]] bool numbersOnX() const; //!< x values stand where they belong on a logarithmic axis
    [[nodiscard]] double keyOf(std::size_t x) const;
    [[nodiscard]] const PivotCell* cellAt(std::size_t x, std::size_t series) const;

    Pivot m_pivot;
    std::string m_facet;
    Chart m_chart = Chart::Auto;
    std::vector<QPointer<QCPErrorBars>> m_errors; //!< of lines: one a series
    std::vector<Bar> m_bars;
    PublishedFigures m_published;
    PublishedLane* m_lane; //!< belongs to the plot
    LimitLines* m_limits;  //!< likewise
    KneeMarks* m_knees;    //!< likewise
    std::vector<double> m_aside;
    QString m_source;
    std::vector<std::pair<QPointer<QCPItemText>, int>> m_gapTexts;      //!< why a bar is not there; with their series
    std::vector<std::pair<QPointer<QCPItemText>, int>> m_strangerNames; //!< of published figures without a line
    std::vector<QPointer<QCPItemText>> m_groupTexts;
    ClipMarks m_clipMarks;             //!< of long intervals
    std::vector<std::size_t> m_places; //!< what is drawn along x: positions in Pivot::xs
    BarNames m_names;
    BarLegend m_legend;
    double m_highest = 0, m_shared = 0;
    double m_lowest = 0; //!< above 0, of what is published as well
    QCPRange m_outside;  //!< of what is published; empty without
    double m_clip = 0;   //!< intervals set the scale, and carry their values, up to here
    bool m_logX = false;
};

} // namespace dyno
