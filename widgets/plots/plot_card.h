// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The plot of every page: a card with a title, a unit and a QCustomPlot in the theme's dress, with series, labels at
//! the lines' ends, bands, ticks, a crosshair and an export menu. GUI thread.
#pragma once

#include "parts/card.h"
#include "plots/plot_phase.h"
#include "plots/plot_table.h"
#include "plots/qcp.h"

#include <dyno/figures.h>

#include <QPointer>
#include <QStringList>

#include <memory>
#include <optional>
#include <vector>

namespace dyno {

struct SeriesStyle
{
    int color = 0;             //!< index of a series colour; from six on the dash varies
    double width = 1.75;       //!< pixels; print adds half a pixel
    bool area = false;         //!< fill under the line at 10 %
    bool markers = false;      //!< a dot at each value
    bool dots = false;         //!< no line: a small dot at each value
    double opacity = 1;        //!< of dots: translucent ones show where most are
    bool behind = false;       //!< drawn below the series that are not
    bool labelIsValue = false; //!< the end label is the latest value; while zoomed, the value where the line ends
};

//! What is written around an exported picture; "" for nothing.
struct ExportWords
{
    QString title, facts, verdict; //!< above it: the session, its workload and size, what was found
    QString caption;               //!< below it: where the figures come from (versions, hardware, repeats)
    [[nodiscard]] QString headText() const
    {
        QStringList lines{title, facts, verdict};
        lines.removeAll(QString());
        return lines.join(QLatin1Char('\n'));
    }
};

//! Starved: other programs had the cores.
enum class BandKind { Warmup, Stall, Starved, Neutral };
//! What the x axis holds.
enum class XKind { Clock, Number, Fraction, Logarithmic, Category }; // Number: ticks at whole ones only

class CrosshairGroup;
class EndLabels;
class Marks;
class BandNotes;
class PhaseBand;
class PlotInput;
class Readout;

class PlotCard : public Card
{
    Q_OBJECT
public:
    PlotCard(const QString& title, const QString& unit, QWidget* parent = nullptr);
    ~PlotCard() override;

    [[nodiscard]] QCustomPlot& plot() const { return *m_plot; }

    // Series: one QCPGraph each on the default axes. Give data through graph(i).
    int addSeries(const QString& name, SeriesStyle style = {});
    void clearSeries();
    [[nodiscard]] int seriesCount() const { return int(m_series.size()); }
    [[nodiscard]] QCPGraph& graph(int series) const;
    [[nodiscard]] QString seriesName(int series) const;
    void setSeriesName(int series, const QString& name); //!< its end label too
    void setSeriesVisible(int series, bool visible);
    [[nodiscard]] bool isSeriesVisible(int series) const;
    //! Text at the line's end; the series' name unless set.
    void setEndLabel(int series, const QString& text);
    void setEndLabelsShown(bool on);
    [[nodiscard]] QString endLabel(int series) const;
    [[nodiscard]] QColor seriesColor(int series) const; //!< in the colours now in force

    // Axes
    void setXKind(XKind kind);
    void setXLabel(const QString& text); //!< below the axis; "" for none
    //! Category axis: labels at 0, 1, 2 …
    void setCategories(const QStringList& labels);
    //! Axes of numbers: labels at these values, in rising order, as far as they have room; none: at round ones.
    void setXTicks(std::vector<double> ticks) { m_xTicks = std::move(ticks); }
    void setXRange(double lower, double upper); //!< the full range; a double click comes back to it
    void setLogY(bool on);                      //!< plain numbers at 1, 10, 100 …
    [[nodiscard]] bool isLogY() const { return m_logY; }
    //! The y axis is of bytes, and counts so many of them as one, see byteUnitOf(); on a logarithmic axis each label
    //! has its own unit. 0: it is not of bytes.
    void setByteUnit(double unit) { m_byteUnit = unit; }
    //! The y axis is of milliseconds and counts in this unit, see axisTimeUnit(); nothing: it is not of times.
    void setTimeUnit(std::optional<TimeUnit> unit);
    [[nodiscard]] QString timeUnitName() const;      //!< "µs"; "" where the axis is not of times
    void setYFromZero(bool on) { m_yFromZero = on; } //!< default; ignored on a logarithmic axis
    //! On a log axis: the lower end of y is at most this, and the ceiling counts too; 0 = by the data alone.
    void setYFloor(double value) { m_yFloor = value; }
    void setYCeiling(double value) { m_yCeiling = value; } //!< smallest upper end of y, 0 = by the data alone
    //! True while the user has zoomed or panned: new data then leaves the ranges alone.
    [[nodiscard]] bool isZoomed() const { return m_zoomed; }
    void resetZoom(bool drawNow = true);

    // Marks on the x axis
    void clearMarks();
    //! `tip`: its tooltip, "" for none.
    void addBand(double from, double to, BandKind kind, const QString& note = {}, const QString& tip = {});
    //! A thin tick at the axis with a tooltip; `color`: of a series, −1 = grey.
    void addTick(double x, const QString& tooltip, int color = -1);
    //! What a person wrote at `x`: a dotted line with the text at its head, as far as there is room.
    void addNote(double x, const QString& text, int color = -1);
    //! Phases of the load, a band between the plot and its axis; none: no band. clearMarks() keeps them.
    void setPhases(std::vector<PlotPhase> phases);
    [[nodiscard]] const std::vector<PlotPhase>& phases() const { return m_phases; }
    [[nodiscard]] const PhaseBand& phaseBand() const { return *m_phaseBand; }
    [[nodiscard]] int noteCount() const;
    [[nodiscard]] std::optional<double>
    noteNear(double x) const; //!< a note within a few pixels of `x`: where it stands
    [[nodiscard]] int bandCount(BandKind kind) const;
    [[nodiscard]] int tickCount() const;

    //! Lets a person drag the end of the warm-up, which stands at `x`; nothing: not any more. Set anew after
    //! edgeMoved().
    void setMovableEdge(std::optional<double> x);
    [[nodiscard]] std::optional<double> movableEdge() const;
    [[nodiscard]] double menuX() const; //!< where the menu was asked for, in units of x

    // Drawing
    void markDirty(); //!< drawn at the next frame if it can be seen
    //! False where it is scrolled out of view; then it is remembered as stale.
    [[nodiscard]] bool isInView() const;
    void setStale() { m_stale = true; } //!< it is drawn when it comes into view
    void refreshNow();                  //!< ranges, labels and drawing at once
    //! Ticks, margins and ranges for a plot of `size` pixels (exports); an empty size means the widget's own.
    void layOutFor(const QSize& size);
    //! Dresses the plot in `colors` (of another theme for exports). Overriders call the base and dress their own items.
    virtual void restyle(const ThemeColors& colors, ThemeMode mode);
    //! Ranges from the data; called before each drawing. y follows what can be seen of x, unless y itself was zoomed.
    virtual void updateRanges();
    //! The plot's values; x in the first column.
    [[nodiscard]] virtual PlotTable table() const;
    //! Text of a value in read-outs and end labels.
    [[nodiscard]] virtual QString valueText(double value) const;
    //! A place along x in read-outs: "00:30", a category, a number.
    [[nodiscard]] virtual QString xText(double x) const;
    //! Which value of `series` stands at `x`, for pictures that tell their values: "flush=1, 16".
    [[nodiscard]] virtual QString placeText(int series, double x) const;
    //! Of the values in data: "ms" of all times; else the secondary text up to its first comma or dot unless a plot
    //! knows better.
    [[nodiscard]] virtual QString unit() const;
    //! Room to the right of the labels at the lines' ends that a plot takes for itself, pixels.
    [[nodiscard]] virtual int laneWidth() const { return 0; }
    //! Least room for the labels at the ends of lines over time, in pixels: plots above each other keep in line by it.
    void setEndLabelRoom(int width) { m_endLabelRoom = width; }
    void setCompact(bool on); //!< a small plot: fewer ticks, no end labels

    void setCrosshairGroup(CrosshairGroup* group);
    void showCrosshair(double x);
    void hideCrosshair();
    [[nodiscard]] bool crosshairShown() const { return m_crosshairShown; }
    [[nodiscard]] double crosshairX() const { return m_crosshairX; }
    //! The value of `series` under the crosshair; nothing where none is shown, or it has no value near.
    [[nodiscard]] std::optional<double> crosshairValue(int series) const;

    //! What tells the exported picture from that of another card with the same title: "p95"; "" for nothing.
    void setExportSubject(const QString& text) { m_exportSubject = text; }
    //! What an exported picture is called, for readers that cannot see it: the title, and the subject if there is one.
    [[nodiscard]] QString exportTitle() const;
    [[nodiscard]] QString exportName() const; //!< a file name without suffix: "throughput"
    void setExportWords(const ExportWords& words) { m_exportWords = words; }
    [[nodiscard]] const ExportWords& exportWords() const { return m_exportWords; }

signals:
    void seriesVisibilityChanged(int series, bool visible);
    void aboutToShowMenu(QMenu* menu);           //!< to add own actions
    void edgeMoved(double x);                    //!< the movable edge was dragged and let go there
    void noteActivated(double x);                //!< a note was double-clicked
    void stallActivated(double from, double to); //!< the band of a stall was double-clicked
    void crosshairMoved();                       //!< or hidden

public slots:
    void copyPicture();
    void copyData();
    void exportDialog();

protected:
    void showEvent(QShowEvent* event) override;
    [[nodiscard]] QSize drawnSize() const; //!< of the plot, or of the export under way
    [[nodiscard]] const ThemeColors& plotColors() const { return *m_colors; }
    [[nodiscard]] ThemeMode plotMode() const { return m_mode; }

private:
    static constexpr int kEndLabelRoom = 64;
    friend class CardItem;
    friend class EndLabels;
    friend class Marks;
    friend class BandNotes;
    friend class PhaseBand;
    friend class PlotInput;
    friend class Readout;
    struct Series
    {
        QString name, label;
        SeriesStyle style;
        QPointer<QCPGraph> graph;
        bool visible = true;
    };
    struct Band
    {
        double from, to;
        BandKind kind;
        QString note, tip;
    };
    struct Tick
    {
        double x;
        QString text;
        int color;
        bool note;
    };
    void buildPlot();
    void applySeriesStyle(int series);
    void updateTickers();
    void updateRightMargin();
    void makeRoomForDots();
    void drawCrosshair();
    [[nodiscard]] double plotHeight() const; //!< of the axis rect, pixels, roughly

    QCustomPlot* m_plot;
    std::vector<Series> m_series;
    std::vector<Band> m_bands;
    std::vector<Tick> m_ticks;
    std::vector<PlotPhase> m_phases;
    QStringList m_categories;
    std::vector<double> m_xTicks;
    QSize m_layoutSize; //!< of an export under way, else empty
    EndLabels* m_endLabels = nullptr;
    Marks* m_marks = nullptr;
    PhaseBand* m_phaseBand = nullptr;
    Readout* m_readout = nullptr;
    PlotInput* m_input = nullptr;
    QPointer<CrosshairGroup> m_group;
    const ThemeColors* m_colors;
    ThemeMode m_mode;
    XKind m_xKind = XKind::Clock;
    std::optional<TimeUnit> m_timeUnit;
    QString m_xLabel, m_exportSubject;
    ExportWords m_exportWords;
    double m_xLower = 0, m_xUpper = 1, m_yCeiling = 0, m_yFloor = 0, m_crosshairX = 0, m_byteUnit = 0;
    bool m_logY = false, m_yFromZero = true, m_zoomed = false, m_compact = false, m_crosshairShown = false;
    bool m_showEndLabels = true;
    int m_endLabelRoom = kEndLabelRoom;
    bool m_stale = false;    //!< was not drawn because it was out of view
    bool m_yZoomed = false;  //!< with Shift: by the wheel, or by Up and Down
    bool m_updating = false; //!< ranges change by us, not by the user
};

} // namespace dyno
