// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/pivot_plot.h"

#include "format.h"
#include "plots/pivot_gaps.h"
#include "plots/pivot_table_model.h"
#include "plots/plot_style.h"
#include "plots/series_labels.h"
#include "qt_text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dyno {

namespace {

constexpr double kBarWidth = 0.78;     // of a slot
constexpr std::size_t kMostTexts = 16; // values over the bars: more of them run into each other
constexpr std::size_t kMostWords = 6;  // places that are wide enough for a word in them
constexpr std::size_t kMostNamed = 12; // bars with their own name below; more need a legend
constexpr int kLongestName = 14;
constexpr int kFacetLetters =
    34; // that stand beside each other below or above the chart of a facet, a third as wide as others

constexpr int kWhisker = 9, kBesideLine = 2 * space::grid; // pixels: of a bar's interval; from its line to a value

constexpr double kIntervalRoom = 1.5; // times the highest figure: what is left of longer intervals says enough

//! Up to where intervals set the scale: two noisy runs have one that would press all figures to the ground.
double clipOf(const Pivot& pivot)
{
    double highest = 0;
    for (const PivotCell& cell : pivot.cells) {
        if (const Figure figure = pivot.figure(cell); std::isfinite(figure.value))
            highest = std::max(highest, figure.value);
    }
    return highest > 0 ? kIntervalRoom * highest : std::numeric_limits<double>::infinity();
}

//! The least figure above 0 of all facets; 0 when there is none.
double lowestOf(const Pivot& pivot)
{
    double lowest = 0;
    for (const PivotCell& cell : pivot.cells) {
        if (const double value = pivot.figure(cell).value; value > 0 && std::isfinite(value))
            lowest = lowest > 0 ? std::min(lowest, value) : value;
    }
    return lowest;
}

//! Far outside of the chart, but not millions of pixels.
double drawnHigh(double high, double clip)
{
    constexpr double kFar = 100;
    return std::min(high, kFar * clip);
}

bool drawable(const Pivot& pivot, const PivotCell* cell)
{
    return cell && std::isfinite(pivot.figure(*cell).value);
}

} // namespace

PivotPlot::PivotPlot(QWidget* parent)
    : PlotCard({}, {}, parent)
    , m_lane(new PublishedLane(*this))
    , m_limits(new LimitLines(*this))
    , m_knees(new KneeMarks(*this))
    , m_legend(plot())
{
    setObjectName(QStringLiteral("pivotPlot"));
    // A wide legend must not widen the page: the plot takes what it gets.
    plot().setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Expanding);
    setMinimumWidth(200);
    connect(this, &PlotCard::seriesVisibilityChanged, this, &PivotPlot::onSeriesVisibility);
}

PivotPlot::Chart PivotPlot::chartFromText(const std::string& text)
{
    return text == "lines" ? Chart::Lines : text == "bars" ? Chart::Bars : Chart::Auto;
}

PivotPlot::Chart PivotPlot::effectiveChart() const
{
    if (m_chart != Chart::Auto)
        return m_chart;
    return m_pivot.numericX && m_pivot.xs.size() > 2 ? Chart::Lines : Chart::Bars;
}

void PivotPlot::setPivot(const Pivot& pivot, const QString& facet)
{
    m_pivot = pivot;
    m_facet = facet.toStdString();
    rebuild();
}

double PivotPlot::highestOf(const Pivot& pivot)
{
    const double clip = clipOf(pivot);
    double highest = 0;
    for (const PivotCell& cell : pivot.cells) {
        if (const Figure figure = pivot.figure(cell); std::isfinite(figure.value))
            highest = std::max({highest, figure.value, std::min(figure.high.value_or(0), clip)});
    }
    return highest;
}

void PivotPlot::placeClipMarks()
{
    m_clipMarks.place(plot().yAxis->range().upper, [this](int series) { return isSeriesVisible(series); });
}

void PivotPlot::setPublished(std::vector<std::vector<double>> values, const QString& source, std::vector<double> aside)
{
    m_published.setValues(std::move(values));
    m_aside = std::move(aside);
    m_source = source;
}

void PivotPlot::markKnees()
{
    std::vector<KneeMarks::Mark> marks;
    for (const Knee& knee : effectiveChart() == Chart::Lines ? m_pivot.knees : std::vector<Knee>()) {
        const PivotCell* cell = m_pivot.cell(knee.x, knee.series, knee.facet);
        if (knee.facet != m_facet || !drawable(m_pivot, cell))
            continue;
        const auto x = std::size_t(std::ranges::find(m_pivot.xs, knee.x) - m_pivot.xs.begin());
        const auto series = int(std::ranges::find(m_pivot.series, knee.series) - m_pivot.series.begin());
        marks.push_back({series, {keyOf(x), m_pivot.figure(*cell).value}, tr("Knee: %1", "case").arg(qtText(knee.x))});
    }
    m_knees->setMarks(marks);
}

void PivotPlot::setChart(Chart chart)
{
    if (chart == m_chart)
        return;
    m_chart = chart;
    rebuild();
}

void PivotPlot::setLogAxes(bool x, bool y)
{
    m_logX = x;
    setLogY(y);
}

bool PivotPlot::numbersOnX() const
{
    return m_logX && m_pivot.numericX && effectiveChart() == Chart::Lines &&
           std::all_of(m_pivot.xs.begin(), m_pivot.xs.end(),
                       [](const std::string& x) { return qtText(x).toDouble() > 0; });
}

double PivotPlot::keyOf(std::size_t x) const
{
    return numbersOnX() ? qtText(m_pivot.xs[x]).toDouble() : double(x);
}

bool PivotPlot::hasData() const
{
    return std::any_of(m_pivot.cells.begin(), m_pivot.cells.end(),
                       [this](const PivotCell& cell) { return cell.facet == m_facet && drawable(m_pivot, &cell); });
}

int PivotPlot::errorBarCount() const
{
    int count = 0;
    for (const PivotCell& cell : m_pivot.cells) {
        const Figure figure = m_pivot.figure(cell);
        count += cell.facet == m_facet && std::isfinite(figure.value) && figure.low && figure.high ? 1 : 0;
    }
    return count;
}

const PivotCell* PivotPlot::cellAt(std::size_t x, std::size_t series) const
{
    const PivotCell* cell = m_pivot.cell(m_pivot.xs[x], m_pivot.series[series], m_facet);
    return drawable(m_pivot, cell) ? cell : nullptr;
}

void PivotPlot::clearItems()
{
    for (const auto& error : m_errors) {
        if (error)
            plot().removePlottable(error);
    }
    m_errors.clear();
    for (const Bar& bar : m_bars) {
        if (bar.error)
            plot().removePlottable(bar.error);
        if (bar.bars)
            plot().removePlottable(bar.bars);
        if (bar.text)
            plot().removeItem(bar.text);
    }
    m_bars.clear();
    for (const auto& [text, series] : m_gapTexts) {
        if (text)
            plot().removeItem(text);
    }
    m_gapTexts.clear();
    for (const auto& [text, series] : m_strangerNames) {
        if (text)
            plot().removeItem(text);
    }
    m_strangerNames.clear();
    m_clipMarks.clear(plot());
    for (const auto& text : m_groupTexts) {
        if (text)
            plot().removeItem(text);
    }
    m_groupTexts.clear();
    m_published.clear(plot());
    m_names.clear();
    clearSeries();
}

void PivotPlot::rebuild()
{
    clearItems();
    m_highest = 0;
    m_clip = clipOf(m_pivot);
    for (const PivotCell& cell : m_pivot.cells) {
        if (cell.facet != m_facet)
            continue;
        if (const Figure figure = m_pivot.figure(cell); std::isfinite(figure.value))
            m_highest = std::max({m_highest, figure.value, std::min(figure.high.value_or(0), m_clip)});
    }
    m_lowest = lowestOf(m_pivot);
    m_outside = {};
    const auto count = [this](double value) {
        m_highest = std::max(m_highest, value);
        m_lowest = m_lowest > 0 ? std::min(m_lowest, value) : value;
        m_outside = m_outside.size() > 0 ? QCPRange(std::min(m_outside.lower, value), std::max(m_outside.upper, value))
                                         : QCPRange(value, std::nextafter(value, 2 * value));
    };
    if (const auto span = m_published.span()) {
        count(span->first);
        count(span->second);
    }
    for (const double value : m_aside) {
        if (value > 0)
            count(value);
    }
    const double ofFigures = std::max(m_highest, m_shared);
    for (const DeviceLimit& limit : m_pivot.limits) {
        if (LimitLines::fits(limit.value, ofFigures))
            count(limit.value);
    }
    m_limits->setLimits(hasData() ? m_pivot.limits : std::vector<DeviceLimit>());
    markKnees();
    const bool bars = effectiveChart() == Chart::Bars;
    m_places.clear();
    QStringList left; // what one might look for in vain
    if (bars) {
        std::vector<std::size_t> kept; // a published figure has a place too
        for (std::size_t x = 0; x < m_pivot.xs.size(); ++x) {
            if (m_published.hasAny(x))
                kept.push_back(x);
        }
        const PivotPlaces places = placesOf(m_pivot, m_facet, kept);
        m_places = places.xs;
        left << places.leftOut;
    } else {
        for (std::size_t x = 0; x < m_pivot.xs.size(); ++x)
            m_places.push_back(x);
    }
    const std::vector<std::string> drawn = drawnFacets(m_pivot);
    if (!drawn.empty() && drawn.front() == m_facet)
        left << leftOutFacets(m_pivot);
    left.removeAll(QString());
    const MeasureInfo measure = m_pivot.shown();
    const QString by =
        tr("%1 by %2", "measure by axis").arg(PivotTableModel::shownLabel(m_pivot), qtText(m_pivot.request.x));
    // A chart of a facet is half or a third as wide as others: what tells the charts apart comes first.
    const QString facet = PivotTableModel::facetLabel(m_pivot.request.facet, m_facet);
    setTitle(m_facet.empty() ? by
             : drawn.size() < 2 && facet == qtText(m_facet)
                 ? tr("%1: %2", "axis, value").arg(qtText(m_pivot.request.facet), facet)
                 : facet);
    QStringList second;
    if (!m_facet.empty())
        second << (left.isEmpty() ? by : left.join(QStringLiteral(", ")) % QStringLiteral(" · ") % by);
    // "Number of operations"; not the s of "Making of the indexes".
    const bool said =
        QString(u' ' % qtText(measure.label)).endsWith(QString(u' ' % qtText(measure.unit)), Qt::CaseInsensitive);
    const QString unit = setAxisUnit(*this, measure, m_lowest, std::max(m_highest, m_shared));
    if (!unit.isEmpty() && !said && m_pivot.request.relativeTo == RelativeTo::Nothing)
        second += unit;
    if (const QString spread = spreadWords(spreadOf(m_pivot, m_facet)); !spread.isEmpty())
        second += spread;
    if (!m_published.empty())
        second += tr("hollow: published, %1", "source of figures").arg(m_source);
    if (m_facet.empty())
        second << left;
    setSecondary(second.join(QStringLiteral(", ")));
    if (bars)
        buildBars();
    else
        buildLines();
    fillLane();
    resetZoom();
    restyle(plotColors(), plotMode());
    markDirty();
}

void PivotPlot::fillLane()
{
    std::vector<PublishedLane::Figure> figures;
    for (std::size_t s = 0; s < m_aside.size() && s < m_pivot.series.size(); ++s) {
        if (std::isfinite(m_aside[s]))
            figures.push_back({int(s), m_aside[s], valueText(m_aside[s])});
    }
    m_lane->setFigures(std::move(figures));
}

//! The whole name of a series where its axis does not stand beside it.
QString PivotPlot::seriesWords(std::size_t series) const
{
    const std::string& label = m_pivot.series[series];
    return label.empty() ? tr("all runs") : casesWords(qtText(m_pivot.request.series), qtText(label));
}

//! Short names of the series, each another one.
QStringList PivotPlot::seriesLabels() const
{
    QStringList names;
    for (std::size_t s = 0; s < m_pivot.series.size(); ++s)
        names << seriesWords(s);
    return shortLabels(names);
}

void PivotPlot::buildLines()
{
    m_legend.show({});
    setEndLabelsShown(true);
    setXKind(XKind::Category);
    QStringList categories;
    for (const std::string& x : m_pivot.xs)
        categories += qtText(x);
    setCategories(categories);
    setXLabel(qtText(m_pivot.request.x));
    setXRange(-0.25, double(std::max<std::size_t>(m_pivot.xs.size(), 1)) - 0.75);
    if (numbersOnX() && !m_pivot.xs.empty()) {
        setXKind(XKind::Logarithmic);
        std::vector<double> ticks;
        for (std::size_t x = 0; x < m_pivot.xs.size(); ++x)
            ticks.push_back(keyOf(x));
        setXTicks(std::move(ticks));
        setXRange(keyOf(0) * 0.93, keyOf(m_pivot.xs.size() - 1) * 1.07);
    }
    const QStringList labels = seriesLabels();
    for (std::size_t s = 0; s < m_pivot.series.size(); ++s) {
        SeriesStyle style;
        style.color = PivotTableModel::seriesColor(m_pivot, int(s));
        style.markers = true;
        const int series = addSeries(seriesWords(s), style);
        setEndLabel(series, m_pivot.series.size() == 1 ? QStringLiteral(" ") : labels[series]);
        QVector<double> keys, values, minus, plus;
        for (std::size_t x = 0; x < m_pivot.xs.size(); ++x) {
            const PivotCell* cell = cellAt(x, s);
            if (!cell)
                continue; // the line joins its neighbours; the marker is missing
            const Figure figure = m_pivot.figure(*cell);
            keys << keyOf(x);
            values << figure.value;
            minus << (figure.low ? figure.value - *figure.low : kNone);
            plus << (figure.high ? drawnHigh(*figure.high, m_clip) - figure.value : kNone);
            if (figure.high && *figure.high > m_clip)
                m_clipMarks.add(plot(), series, keyOf(x), *figure.high);
        }
        graph(series).setData(keys, values, true);
        auto* error = new QCPErrorBars(plot().xAxis, plot().yAxis);
        error->setDataPlottable(&graph(series));
        error->setData(minus, plus);
        error->setSelectable(QCP::stNone);
        error->removeFromLegend();
        m_errors.emplace_back(error);
        m_highest = std::max(m_highest, m_published.draw(
                                            plot(), s, m_places, [this](std::size_t x) { return keyOf(x); }, true));
        if (keys.isEmpty())
            nameStranger(s, labels[series]);
    }
}

//! A series that has published figures only has no line with a name at its end.
void PivotPlot::nameStranger(std::size_t series, const QString& name)
{
    const QCPGraph* figures = m_published.graph(series);
    if (!figures || m_pivot.series.size() == 1)
        return;
    const auto last = figures->data()->constEnd() - 1;
    auto* item = new QCPItemText(&plot());
    item->setText(name);
    item->position->setCoords(last->key, last->value);
    item->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    item->setPadding(QMargins(2 * space::grid, 0, 0, 0));
    item->setClipToAxisRect(false);
    item->setSelectable(false);
    m_strangerNames.emplace_back(item, int(series));
}

//! True of a series of which nothing was to be run: somebody else's figures are all there is.
bool PivotPlot::isStranger(std::size_t series) const
{
    return std::ranges::none_of(m_pivot.cells, [this, series](const PivotCell& cell) {
        return cell.series == m_pivot.series[series] && !cell.elsewhere;
    });
}

void PivotPlot::addBar(int series, double slot, const PivotCell& cell, bool withText)
{
    const Figure figure = m_pivot.figure(cell);
    Bar bar;
    bar.series = series;
    bar.top = std::max(figure.value, std::min(figure.high.value_or(0), m_clip));
    bar.bars = new QCPBars(plot().xAxis, plot().yAxis);
    bar.bars->setWidth(kBarWidth);
    bar.bars->addData(slot, figure.value);
    bar.bars->setSelectable(QCP::stNone);
    bar.bars->setName(seriesLabels().value(series)); // in the legend
    bar.bars->removeFromLegend();
    if (figure.low && figure.high) {
        bar.error = new QCPErrorBars(plot().xAxis, plot().yAxis);
        bar.error->setDataPlottable(bar.bars);
        bar.error->addData(figure.value - *figure.low, drawnHigh(*figure.high, m_clip) - figure.value);
        bar.error->setSelectable(QCP::stNone);
        bar.error->removeFromLegend();
        if (*figure.high > m_clip)
            m_clipMarks.add(plot(), series, slot, *figure.high);
    }
    if (withText) {
        bar.text = new QCPItemText(&plot());
        bar.text->setText(valueText(figure.value));
        bar.text->position->setCoords(slot, bar.top);
        bar.beside = figure.high && *figure.high > m_clip; // the interval's line goes on where the figure would stand
        bar.text->setPositionAlignment((bar.beside ? Qt::AlignLeft : Qt::AlignHCenter) | Qt::AlignBottom);
        bar.text->setPadding(QMargins(bar.beside ? kBesideLine : 0, 0, 0, space::grid));
        bar.text->setClipToAxisRect(false);
        bar.text->setSelectable(false);
    }
    m_bars.push_back(bar);
}

//! A word in the place of a bar, from the base line upwards where places are narrow.
void PivotPlot::addGap(int series, double slot, const QString& text, bool upright)
{
    auto* item = new QCPItemText(&plot());
    item->setText(text);
    item->position->setTypeX(QCPItemPosition::ptPlotCoords);
    item->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    item->position->setCoords(slot, 1);
    item->setRotation(upright ? -90 : 0);
    item->setPositionAlignment(upright ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignHCenter | Qt::AlignBottom);
    item->setPadding(upright ? QMargins(space::grid, 0, 0, 0) : QMargins(0, 0, 0, space::grid));
    item->setClipToAxisRect(false);
    item->setSelectable(false);
    m_gapTexts.emplace_back(item, series);
}

QStringList PivotPlot::gapTexts() const
{
    QStringList texts;
    for (const auto& [item, series] : m_gapTexts) {
        if (item)
            texts << item->text();
    }
    return texts;
}

void PivotPlot::buildBars()
{
    setEndLabelsShown(false);
    setXKind(XKind::Category);
    const std::size_t series = m_pivot.series.size(), groups = m_places.size(), places = series * groups;
    int longest = 0;
    for (std::size_t s = 0; s < m_pivot.series.size(); ++s)
        longest = std::max(longest, int(seriesWords(s).size()));
    // Each bar has its name below it where there is room; else only the group has, and a legend names the colours.
    const bool alone = groups == 1 || series == 1;
    const bool roomy = m_facet.empty() || int(places) * (longest + 1) <= kFacetLetters;
    const bool named = alone || (places <= kMostNamed && longest <= kLongestName && roomy);
    // Places are whole numbers (an empty one between groups), so that the read-out finds each bar by its category.
    const std::size_t step = series + (series > 1 ? 1 : 0);
    QStringList labels;
    std::vector<QVector<double>> keys(series), values(series);
    for (std::size_t s = 0; s < series; ++s) {
        SeriesStyle style;
        style.color = PivotTableModel::seriesColor(m_pivot, int(s));
        style.width = 0;
        addSeries(seriesWords(s), style);
    }
    for (std::size_t group = 0; group < groups; ++group) {
        const std::size_t x = m_places[group];
        const double first = double(group * step);
        while (std::size_t(labels.size()) < group * step)
            labels += QString();
        for (std::size_t s = 0; s < series; ++s) {
            const double slot = first + double(s);
            // Of one group the axis below says whose values they are.
            const QString name = series == 1   ? qtText(m_pivot.xs[x])
                                 : groups == 1 ? qtText(m_pivot.series[s])
                                               : seriesName(int(s));
            if (named && alone)
                m_names.add(slot, name);
            labels += named ? name : tr("%1, %2", "x value, series").arg(qtText(m_pivot.xs[x]), name);
            if (const PivotCell* cell = cellAt(x, s)) {
                addBar(int(s), slot, *cell, places <= kMostTexts);
                keys[s] << slot;
                values[s] << m_pivot.figure(*cell).value;
            } else if (!m_published.has(s, x) && !isStranger(s)) {
                addGap(int(s), slot, gapText(gapOf(m_pivot, m_pivot.cell(m_pivot.xs[x], m_pivot.series[s], m_facet))),
                       places > kMostWords || !m_facet.empty());
            }
        }
        if (!named)
            m_names.add(first + double(series - 1) / 2, qtText(m_pivot.xs[x]));
        if (named && !alone) {
            auto* text = new QCPItemText(&plot());
            text->setText(PivotTableModel::facetLabel(m_pivot.request.x, m_pivot.xs[x]));
            text->position->setTypeX(QCPItemPosition::ptPlotCoords);
            text->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
            text->position->setCoords(first + double(series - 1) / 2, 1);
            text->setPositionAlignment(Qt::AlignHCenter | Qt::AlignTop);
            text->setPadding(QMargins(0, 7 * space::grid, 0, 0)); // below the bars' own names
            text->setClipToAxisRect(false);
            text->setSelectable(false);
            m_groupTexts.emplace_back(text);
        }
    }
    for (std::size_t s = 0; s < series; ++s) {
        const auto slotOf = [step, s](std::size_t group) { return double(group * step + s); };
        m_highest = std::max(m_highest, m_published.draw(plot(), s, m_places, slotOf, false));
    }
    for (std::size_t s = 0; s < series; ++s)
        graph(int(s)).setData(keys[s], values[s], true); // not drawn: for the read-out and the series' menu
    setCategories(labels);
    if (!m_groupTexts.empty())
        setXLabel(QStringLiteral(" ")); // keeps the room that the groups' names stand in
    else if (groups == 1 && series > 1)
        setXLabel(
            tr("%1 at %2 = %3", "series axis, x axis, its value")
                .arg(qtText(m_pivot.request.series), qtText(m_pivot.request.x), qtText(m_pivot.xs[m_places.front()])));
    else // the second line of a chart of a facet says it, and its height is dear
        setXLabel(m_facet.empty() ? qtText(m_pivot.request.x) : QString());
    setXRange(-0.75, double(labels.size()) - 0.25);
    m_legend.show(named ? std::vector<QCPAbstractPlottable*>() : onePerSeries());
}

//! In the order of the series: bars, or published figures where there are no bars.
std::vector<QCPAbstractPlottable*> PivotPlot::onePerSeries() const
{
    std::vector<QCPAbstractPlottable*> all;
    for (std::size_t s = 0; s < m_pivot.series.size(); ++s) {
        const auto bar = std::ranges::find(m_bars, int(s), &Bar::series);
        if (bar != m_bars.end())
            all.push_back(bar->bars);
        else if (QCPGraph* figures = m_published.graph(s)) {
            figures->setName(seriesLabels().value(int(s)));
            all.push_back(figures);
        }
    }
    return all;
}

//! Values over the bars only where they have room beside each other.
void PivotPlot::fitTexts()
{
    if (effectiveChart() != Chart::Bars)
        return;
    constexpr double kAxis = 64, kBarAir = 3; // labels of the y axis, between two texts
    const double width = std::max(80.0, drawnSize().width() - kAxis - laneWidth());
    const double place = width / std::max(1.0, plot().xAxis->range().size());
    const QFontMetrics metrics(Theme::font(TextRole::Label));
    const auto widthOf = [&](const Bar& bar) {
        return bar.text ? metrics.horizontalAdvance(bar.text->text()) + kBarAir : 0.0;
    };
    double widest = 0; // of those in the middle of their place
    for (const Bar& bar : m_bars)
        widest = std::max(widest, bar.beside ? 0 : widthOf(bar));
    const bool room = std::ranges::all_of(m_bars, [&](const Bar& bar) {
        // One beside its interval's line ends before the text, or the line, of the next place.
        return bar.beside ? kBesideLine + widthOf(bar) + std::max(widest / 2, kWhisker / 2.0) <= place
                          : widthOf(bar) <= place;
    });
    for (const Bar& bar : m_bars) {
        if (bar.text)
            bar.text->setVisible(room && isSeriesVisible(bar.series));
    }
    m_legend.layOut(drawnSize().width() - 14);
    m_names.fit(*plot().xAxis, place);
}

void PivotPlot::updateRanges()
{
    PlotCard::updateRanges();
    fitTexts();
    // A legend and names in several lines leave less height than the card counts with.
    const int labels = std::max(1, m_names.lines()) * 15 + (plot().xAxis->label().isEmpty() ? 8 : 26);
    const int height = drawnSize().height() - labels - m_legend.height();
    if (effectiveChart() == Chart::Bars)
        plot().yAxis->ticker()->setTickCount(isLogY() ? std::clamp(height / 26, 2, 8) : std::clamp(height / 32, 2, 6));
    const double highest = std::max(m_highest, m_shared);
    // The share of the height that a value above the highest interval takes.
    constexpr double kAir = 2;
    const double texts =
        std::ranges::any_of(m_bars, [](const Bar& bar) { return bar.text && bar.text->visible(); })
            ? std::min(0.4, (QFontMetricsF(Theme::font(TextRole::Label)).height() + space::grid + kAir) /
                                std::max(40, height))
            : 0;
    if (isLogY() && m_lowest > 0) {
        const QCPRange own = plot().yAxis->range();
        if (m_outside.lower > 0) // published figures may lie outside of one's own
            plot().yAxis->setRange(std::min(own.lower, m_outside.lower / 1.6),
                                   std::max(own.upper, m_outside.upper * 1.6));
        const double lower = plot().yAxis->range().lower;
        const double needed = lower * std::pow(std::max(1.0, m_highest / lower), 1 / (1 - texts));
        if (plot().yAxis->range().upper < needed)
            plot().yAxis->setRangeUpper(needed);
    }
    if (isLogY() || highest <= 0)
        return placeClipMarks();
    // Room for the intervals' upper ends, and for the values over the bars.
    const double needed = highest * std::max(1 / (1 - texts), effectiveChart() == Chart::Bars ? 1.12 : 1.06);
    if (plot().yAxis->range().upper < needed)
        plot().yAxis->setRangeUpper(needed);
    placeClipMarks();
}

void PivotPlot::onSeriesVisibility(int series, bool visible)
{
    if (std::size_t(series) < m_errors.size() && m_errors[std::size_t(series)])
        m_errors[std::size_t(series)]->setVisible(visible);
    m_published.setVisible(series, visible);
    for (const Bar& bar : m_bars) {
        if (bar.series != series)
            continue;
        bar.bars->setVisible(visible);
        if (bar.error)
            bar.error->setVisible(visible);
        if (bar.text)
            bar.text->setVisible(visible);
    }
    for (const auto* texts : {&m_gapTexts, &m_strangerNames}) {
        for (const auto& [text, of] : *texts) {
            if (of == series && text)
                text->setVisible(visible);
        }
    }
    placeClipMarks();
}

void PivotPlot::restyle(const ThemeColors& colors, ThemeMode mode)
{
    PlotCard::restyle(colors, mode);
    m_lane->dress(colors);
    m_limits->dress(colors);
    dressItems();
}

void PivotPlot::dressItems()
{
    const bool bars = effectiveChart() == Chart::Bars;
    const double width = plotMode() == ThemeMode::Print ? 1.5 : 1;
    for (int s = 0; s < seriesCount(); ++s) {
        if (bars) {
            graph(s).setLineStyle(QCPGraph::lsNone);
            graph(s).setScatterStyle(QCPScatterStyle::ssNone);
        }
        if (std::size_t(s) < m_errors.size() && m_errors[std::size_t(s)]) {
            m_errors[std::size_t(s)]->setPen(QPen(seriesColor(s), width));
            m_errors[std::size_t(s)]->setWhiskerWidth(7);
            m_errors[std::size_t(s)]->setSymbolGap(8);
        }
    }
    const auto colorOf = [this, bars](int series) { return bars ? plotColors().text : seriesColor(series); };
    const auto publishedColor = [this, colorOf](int series) { // over its own bar it would not be seen in its colour
        return isStranger(std::size_t(series)) ? seriesColor(series) : colorOf(series);
    };
    m_published.dress(publishedColor, plotColors().surface, width);
    m_clipMarks.dress(colorOf);
    m_legend.dress(plotColors().secondText);
    for (const Bar& bar : m_bars) {
        const QColor color = seriesColor(bar.series);
        bar.bars->setPen(Qt::NoPen);
        const int look = PivotTableModel::seriesColor(m_pivot, bar.series), round = look / kSeriesColors;
        bar.bars->setBrush(seriesFill(look, color));
        if (!m_pivot.ratios && round > 0) // the shortest and the longest beside the mean
            bar.bars->setBrush(blend(color, plotColors().surface, round == 1 ? 0.4 : 0.7));
        if (bar.error) {
            bar.error->setPen(QPen(plotColors().text, width));
            bar.error->setWhiskerWidth(kWhisker);
            bar.error->setSymbolGap(0);
        }
        if (bar.text) {
            bar.text->setColor(plotColors().text);
            bar.text->setFont(Theme::font(TextRole::Label));
        }
    }
    for (const auto& [text, series] : m_gapTexts) {
        text->setColor(plotColors().secondText);
        text->setFont(Theme::font(TextRole::Label));
    }
    for (const auto& [text, series] : m_strangerNames) {
        text->setColor(seriesColor(series));
        text->setFont(Theme::font(TextRole::Label));
    }
    for (const auto& text : m_groupTexts) {
        text->setColor(plotColors().secondText);
        text->setFont(Theme::font(TextRole::Label));
    }
}

QString PivotPlot::placeText(int series, double x) const
{
    for (std::size_t place = 0; place < m_places.size(); ++place) {
        const std::size_t count = m_pivot.series.size();
        const double at = effectiveChart() == Chart::Bars
                              ? double(place * (count + (count > 1 ? 1 : 0))) + series // as in buildBars()
                              : keyOf(m_places[place]);
        if (std::fabs(x - at) < 1e-9 * std::max(1.0, std::fabs(at)))
            return placeWords(m_pivot, std::size_t(series), m_places[place]);
    }
    return PlotCard::placeText(series, x);
}

QString PivotPlot::unit() const
{
    return qtText(m_pivot.shown().unit);
}

QString PivotPlot::valueText(double value) const
{
    if (m_pivot.request.relativeTo != RelativeTo::Nothing)
        return tr("%1 %").arg(format::number(value, value < 9.95 ? 1 : 0));
    const MeasureInfo info = m_pivot.measure(); // a counter has a unit of its own
    return measureText(value, &info);
}

PlotTable PivotPlot::table() const
{
    const MeasureInfo measure = m_pivot.shown();
    const QString unit = !measure.unit.empty() ? QStringLiteral(" [%1]").arg(qtText(measure.unit)) : QString();
    PlotTable table;
    table.columns << qtText(m_pivot.request.x);
    for (std::size_t s = 0; s < m_pivot.series.size(); ++s) {
        if (!isSeriesVisible(int(s)))
            continue;
        // Data for programs: the label as the plan has it.
        const QString name = m_pivot.series[s].empty() ? seriesName(int(s)) : qtText(m_pivot.series[s]);
        table.columns << name % unit << name % QStringLiteral(" low") % unit << name % QStringLiteral(" high") % unit;
    }
    for (const DeviceLimit& limit : m_pivot.limits)
        table.columns << qtText(limit.name) % unit;
    const auto number = [](std::optional<double> value) {
        return value ? QString::number(*value, 'g', 10) : QString();
    };
    for (const std::size_t x : m_places) {
        QStringList row{qtText(m_pivot.xs[x])};
        for (std::size_t s = 0; s < m_pivot.series.size(); ++s) {
            if (!isSeriesVisible(int(s)))
                continue;
            const PivotCell* cell = cellAt(x, s);
            const Figure figure = cell ? m_pivot.figure(*cell) : Figure();
            row << (cell ? number(figure.value) : QString()) << number(figure.low) << number(figure.high);
        }
        for (const DeviceLimit& limit : m_pivot.limits)
            row << number(limit.value);
        table.rows.push_back(row);
    }
    return table;
}

} // namespace dyno
