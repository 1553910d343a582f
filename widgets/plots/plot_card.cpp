// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/plot_card.h"

#include "format.h"
#include "plots/crosshair_group.h"
#include "plots/export.h"
#include "plots/frame_ticker.h"
#include "plots/line_graph.h"
#include "plots/phase_band.h"
#include "plots/plot_input.h"
#include "plots/plot_items.h"
#include "plots/plot_style.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QScopedValueRollback>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace dyno {

namespace {

//! Room for "150 000" beside the axis: plots that stand one above the other keep their axes in line.
constexpr int kLeftMargin = 54;
constexpr double kNoteHeight = 22; //!< of a band's note with its margins, pixels

} // namespace

PlotCard::PlotCard(const QString& title, const QString& unit, QWidget* parent)
    : Card(title, unit, parent)
    , m_plot(new QCustomPlot)
    , m_colors(&Theme::instance().colors())
    , m_mode(Theme::instance().mode())
{
    buildPlot();
    body()->addWidget(m_plot, 1);
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        restyle(Theme::instance().colors(), Theme::instance().mode());
        refreshNow();
    });
    restyle(Theme::instance().colors(), Theme::instance().mode());
}

PlotCard::~PlotCard() = default;

void PlotCard::buildPlot()
{
    m_plot->setFocusPolicy(Qt::StrongFocus);
    m_plot->setMouseTracking(true);
    m_plot->setAccessibleName(title());
    m_plot->setMinimumHeight(96);
    m_plot->setBufferDevicePixelRatio(devicePixelRatioF());
    m_plot->addLayer(QStringLiteral("marks"), m_plot->layer(QStringLiteral("grid")), QCustomPlot::limBelow);
    m_plot->addLayer(QStringLiteral("behind"), m_plot->layer(QStringLiteral("main")), QCustomPlot::limBelow);
    m_plot->addLayer(QStringLiteral("labels"), m_plot->layer(QStringLiteral("overlay")), QCustomPlot::limBelow);
    m_plot->addLayer(QStringLiteral("crosshair"), m_plot->layer(QStringLiteral("overlay")), QCustomPlot::limAbove);
    // The crosshair follows the mouse without drawing the lines anew.
    m_plot->layer(QStringLiteral("crosshair"))->setMode(QCPLayer::lmBuffered);
    QCPAxisRect& rect = *m_plot->axisRect();
    rect.setAutoMargins(QCP::msLeft | QCP::msBottom);
    rect.setMinimumMargins(QMargins(kLeftMargin, 8, 0, 22));
    m_plot->plotLayout()->setAutoMargins(QCP::msNone);
    m_plot->plotLayout()->setMargins(QMargins(0, 0, 0, 0));
    m_marks = new Marks(*this);
    m_endLabels = new EndLabels(*this);
    new BandNotes(*this); // owned by the plot, as all items are
    m_readout = new Readout(*this);
    m_phaseBand = new PhaseBand(*this);
    m_input = new PlotInput(*this);
    connect(m_plot->xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, [this](const QCPRange& range) {
        if (m_updating)
            return;
        const QSignalBlocker block(m_plot->xAxis);
        const QCPRange bounded = range.bounded(m_xLower, m_xUpper);
        m_plot->xAxis->setRange(bounded);
        m_zoomed = std::fabs(bounded.lower - m_xLower) > 1e-9 || std::fabs(bounded.upper - m_xUpper) > 1e-9;
        if (m_group)
            m_group->shareXRange(this, bounded);
        FrameTicker::instance().markDirty(this, FrameTicker::Pace::Hand);
    });
    connect(m_plot->yAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, [this] {
        if (m_updating)
            return;
        m_yZoomed = true;
        FrameTicker::instance().markDirty(this, FrameTicker::Pace::Hand);
    });
}

int PlotCard::addSeries(const QString& name, SeriesStyle style)
{
    Series series;
    series.name = name;
    series.label = name;
    series.style = style;
    series.graph = new LineGraph(m_plot->xAxis, m_plot->yAxis); // owned by the plot
    series.graph->setName(name);
    if (style.behind)
        series.graph->setLayer(QStringLiteral("behind"));
    series.graph->setAdaptiveSampling(true);
    m_series.push_back(series);
    const int index = seriesCount() - 1;
    applySeriesStyle(index);
    return index;
}

void PlotCard::clearSeries()
{
    for (const Series& series : m_series)
        if (series.graph)
            m_plot->removeGraph(series.graph);
    m_series.clear();
}

QCPGraph& PlotCard::graph(int series) const
{
    return *m_series[std::size_t(series)].graph;
}

void PlotCard::setSeriesName(int series, const QString& name)
{
    Series& entry = m_series[std::size_t(series)];
    entry.name = entry.label = name;
    entry.graph->setName(name);
    markDirty();
}

QString PlotCard::seriesName(int series) const
{
    return m_series[std::size_t(series)].name;
}

void PlotCard::setSeriesVisible(int series, bool visible)
{
    Series& entry = m_series[std::size_t(series)];
    if (entry.visible == visible)
        return;
    entry.visible = visible;
    entry.graph->setVisible(visible);
    emit seriesVisibilityChanged(series, visible);
    markDirty();
}

bool PlotCard::isSeriesVisible(int series) const
{
    return m_series[std::size_t(series)].visible;
}

void PlotCard::setEndLabel(int series, const QString& text)
{
    m_series[std::size_t(series)].label = text;
}

void PlotCard::setEndLabelsShown(bool on)
{
    m_showEndLabels = on;
    markDirty();
}

QString PlotCard::endLabel(int series) const
{
    return m_series[std::size_t(series)].label;
}

QColor PlotCard::seriesColor(int series) const
{
    const int color = m_series[std::size_t(series)].style.color;
    return m_colors->series[std::size_t(color) % m_colors->series.size()];
}

void PlotCard::setXKind(XKind kind)
{
    m_xKind = kind;
    updateTickers();
}

void PlotCard::setXLabel(const QString& text)
{
    m_xLabel = text;
    m_plot->xAxis->setLabel(text);
}

void PlotCard::setCategories(const QStringList& labels)
{
    m_categories = labels;
    m_xKind = XKind::Category;
    updateTickers();
    setXRange(-0.5, std::max(0.5, double(labels.size()) - 0.5));
}

void PlotCard::setXRange(double lower, double upper)
{
    m_xLower = lower;
    m_xUpper = std::max(upper, lower + 1e-9);
}

void PlotCard::setLogY(bool on)
{
    m_logY = on;
    m_yZoomed = false;
    {
        const QScopedValueRollback<bool> own(m_updating, true);
        m_plot->yAxis->setScaleType(on ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    }
    updateTickers();
    markDirty();
}

void PlotCard::setTimeUnit(std::optional<TimeUnit> unit)
{
    m_timeUnit = unit;
    updateTickers();
}

QString PlotCard::timeUnitName() const
{
    return m_timeUnit ? QString::fromUtf8(m_timeUnit->name) : QString();
}

void PlotCard::resetZoom(bool drawNow)
{
    m_zoomed = m_yZoomed = false;
    if (drawNow)
        refreshNow();
    else
        markDirty();
}

void PlotCard::clearMarks()
{
    m_bands.clear();
    m_ticks.clear();
}

void PlotCard::addBand(double from, double to, BandKind kind, const QString& note, const QString& tip)
{
    m_bands.push_back({from, to, kind, note, tip});
}

void PlotCard::addTick(double x, const QString& tooltip, int color)
{
    m_ticks.push_back({x, tooltip, color, false});
}

void PlotCard::addNote(double x, const QString& text, int color)
{
    m_ticks.push_back({x, text, color, true});
}

void PlotCard::setPhases(std::vector<PlotPhase> phases)
{
    m_phases = std::move(phases);
    m_plot->xAxis->setOffset(m_phaseBand->height());
    markDirty();
}

int PlotCard::noteCount() const
{
    return int(std::ranges::count_if(m_ticks, &Tick::note));
}

int PlotCard::bandCount(BandKind kind) const
{
    return int(std::count_if(m_bands.begin(), m_bands.end(), [kind](const Band& band) { return band.kind == kind; }));
}

int PlotCard::tickCount() const
{
    return int(m_ticks.size());
}

std::optional<double> PlotCard::noteNear(double x) const
{
    const double wanted = m_plot->xAxis->coordToPixel(x);
    std::optional<double> found;
    double best = 6; // pixels
    for (const Tick& tick : m_ticks) {
        const double distance = std::fabs(m_plot->xAxis->coordToPixel(tick.x) - wanted);
        if (tick.note && distance < best) {
            best = distance;
            found = tick.x;
        }
    }
    return found;
}

void PlotCard::setMovableEdge(std::optional<double> x)
{
    m_input->setMovableEdge(x);
}

std::optional<double> PlotCard::movableEdge() const
{
    return m_input->edge();
}

double PlotCard::menuX() const
{
    return m_input->menuX();
}

void PlotCard::markDirty()
{
    FrameTicker::instance().markDirty(this);
}

bool PlotCard::isInView() const
{
    return !visibleRegion().isEmpty();
}

void PlotCard::drawCrosshair()
{
    if (!isVisible())
        return;
    if (isInView())
        m_plot->layer(QStringLiteral("crosshair"))->replot();
    else
        setStale();
}

void PlotCard::refreshNow()
{
    m_stale = false;
    layOutFor({});
    m_plot->replot(QCustomPlot::rpImmediateRefresh);
}

void PlotCard::layOutFor(const QSize& size)
{
    m_layoutSize = size;
    updateTickers();
    updateRightMargin();
    const QScopedValueRollback<bool> own(m_updating, true);
    if (!m_zoomed)
        m_plot->xAxis->setRange(m_xLower, m_xUpper);
    if (!m_yZoomed)
        updateRanges();
    if (std::ranges::any_of(m_series, [](const Series& series) { return series.style.dots; }))
        makeRoomForDots();
}

//! So that a dot at the edge is drawn whole.
void PlotCard::makeRoomForDots()
{
    constexpr double kRoom = 4; // pixels
    const double width =
        std::max(80, (m_layoutSize.isEmpty() ? m_plot->width() : m_layoutSize.width()) - kLeftMargin - m_endLabelRoom);
    if (!m_zoomed && m_xKind != XKind::Logarithmic) {
        const double room = (m_xUpper - m_xLower) * kRoom / width;
        m_plot->xAxis->setRange(m_xLower - room, m_xUpper + room);
    }
    if (!m_yZoomed && !m_logY) {
        const QCPRange range = m_plot->yAxis->range();
        m_plot->yAxis->setRange(range.lower - range.size() * kRoom / plotHeight(), range.upper);
    }
}

void PlotCard::updateRanges()
{
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -lowest;
    const QCPRange keys = m_plot->xAxis->range();
    for (const Series& series : m_series) {
        if (!series.visible || !series.graph)
            continue;
        bool found = false;
        const QCPRange values = series.graph->data()->valueRange(found, m_logY ? QCP::sdPositive : QCP::sdBoth, keys);
        if (!found)
            continue;
        lowest = std::min(lowest, values.lower);
        highest = std::max(highest, values.upper);
    }
    const bool have = std::isfinite(lowest) && std::isfinite(highest);
    // Notes of bands stand at the top: the lines stay below them.
    const bool notes =
        !m_compact && (noteCount() > 0 || std::any_of(m_bands.begin(), m_bands.end(),
                                                      [](const Band& band) { return !band.note.isEmpty(); }));
    const double noteShare = notes ? kNoteHeight / std::max(kNoteHeight * 3, plotHeight() - kNoteHeight) : 0.0;
    if (m_logY) {
        if (!have) {
            m_plot->yAxis->setRange(0.1, 100);
            return;
        }
        if (m_yFloor > 0) {
            lowest = std::min(lowest, m_yFloor);
            highest = std::max(highest, m_yCeiling);
        }
        const double bottom = lowest / 1.6;
        const double top = std::max(highest * 1.6, bottom * 10);
        m_plot->yAxis->setRange(bottom, std::max(top, highest * std::pow(highest / bottom, noteShare) * 1.1));
        return;
    }
    double upper = have ? std::max(highest, m_yCeiling) : (m_yCeiling > 0 ? m_yCeiling : 1);
    double lower = m_yFromZero || !have ? std::min(0.0, have ? lowest : 0.0) : lowest;
    if (upper - lower < 1e-12)
        upper = lower + 1;
    const double air = (upper - lower) * std::max(0.08, noteShare);
    m_plot->yAxis->setRange(m_yFromZero ? lower : lower - air, upper + air);
}

QSize PlotCard::drawnSize() const
{
    return m_layoutSize.isEmpty() ? m_plot->size() : m_layoutSize;
}

double PlotCard::plotHeight() const
{
    return std::max(40, (m_layoutSize.isEmpty() ? m_plot->height() : m_layoutSize.height()) - 36);
}

QString PlotCard::valueText(double value) const
{
    return m_timeUnit ? format::time(value) : format::rate(value);
}

QString PlotCard::xText(double x) const
{
    constexpr int kFractionDecimals = 3;
    return m_xKind == XKind::Clock      ? format::clock(x)
           : m_xKind == XKind::Category ? m_categories.value(int(std::lround(x)))
           : m_xKind == XKind::Fraction ? format::number(x, kFractionDecimals)
                                        : format::number(x, std::fabs(x - std::round(x)) < 1e-9 ? 0 : 2);
}

QString PlotCard::placeText(int series, double x) const
{
    const QString name = seriesName(series), at = xText(x);
    if (name.isEmpty() || at.isEmpty() || name == at)
        return name.isEmpty() ? at : name;
    return name + QStringLiteral(", ") + at;
}

void PlotCard::setCompact(bool on)
{
    m_compact = on;
    m_plot->axisRect()->setMinimumMargins(QMargins(on ? 34 : kLeftMargin, 6, 0, 20));
    m_plot->setMinimumHeight(on ? 72 : 96);
    m_plot->xAxis->setOffset(m_phaseBand->height());
    updateTickers();
}

void PlotCard::updateTickers()
{
    const QScopedValueRollback<bool> own(m_updating, true);
    const QSize size = drawnSize();
    const int width = std::max(80, size.width() - 60);
    const int height = std::max(40, size.height() - 40);
    QSharedPointer<QCPAxisTicker> x;
    switch (m_xKind) {
    case XKind::Clock:
        x.reset(new ClockTicker);
        break;
    case XKind::Number:
        x.reset(new PlainTicker(true));
        break;
    case XKind::Fraction:
        x.reset(new PlainTicker);
        break;
    case XKind::Logarithmic:
        x.reset(new PlainLogTicker);
        break;
    case XKind::Category: {
        auto text = QSharedPointer<QCPAxisTickerText>::create();
        for (int i = 0; i < int(m_categories.size()); ++i)
            text->addTick(i, m_categories[i]);
        x = text;
        break;
    }
    }
    if (!m_xTicks.empty() && (m_xKind == XKind::Number || m_xKind == XKind::Logarithmic)) {
        const int right = std::max(0, m_plot->axisRect()->margins().right() - 14);
        const QCPRange range = m_zoomed ? m_plot->xAxis->range() : QCPRange(m_xLower, m_xUpper);
        const bool logarithmic = m_xKind == XKind::Logarithmic;
        const auto fitting = fittingTicks(m_xTicks, range, logarithmic, std::max(80, width - right));
        if (fitting.size() >= std::min<std::size_t>(2, m_xTicks.size()))
            x.reset(new MeasuredTicker(fitting));
        else if (logarithmic && range.upper < 10 * range.lower)
            x.reset(new PlainTicker(true)); // 1, 2 and 5 of a decade may all lie outside
    }
    x->setTickCount(std::clamp(width / (m_compact ? 70 : 90), 2, 10));
    m_plot->xAxis->setTicker(x);
    m_plot->xAxis->setScaleType(m_xKind == XKind::Logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    QSharedPointer<QCPAxisTicker> y;
    if (m_logY && m_byteUnit > 0)
        y.reset(new ByteLogTicker);
    else if (m_logY)
        y.reset(new PlainLogTicker(m_timeUnit ? m_timeUnit->ms : 1));
    else if (m_timeUnit)
        y.reset(new UnitTicker(m_timeUnit->ms));
    else if (m_byteUnit > 1)
        y.reset(new UnitTicker(m_byteUnit));
    else
        y.reset(new PlainTicker);
    y->setTickCount(m_logY      ? std::clamp(height / 26, 3, 8)
                    : m_compact ? std::clamp(height / 20, 2, 3)
                                : std::clamp(height / 32, 3, 6));
    m_plot->yAxis->setTicker(y);
}

void PlotCard::updateRightMargin()
{
    int right = std::max(m_compact ? 6 : 14, m_endLabels->neededWidth());
    if (m_xKind == XKind::Clock && !m_compact && m_endLabels->neededWidth() > 0)
        right = std::max(right, m_endLabelRoom);
    QMargins margins = m_plot->axisRect()->margins();
    margins.setTop(m_compact ? 6 : 8);
    margins.setRight(right + laneWidth());
    m_plot->axisRect()->setMargins(margins);
}

void PlotCard::applySeriesStyle(int index)
{
    const Series& series = m_series[std::size_t(index)];
    if (!series.graph)
        return;
    series.graph->setPen(seriesPen(series.style.color, series.style.width, *m_colors, m_mode));
    series.graph->setBrush(series.style.area ? QBrush(QColor(seriesColor(index).red(), seriesColor(index).green(),
                                                             seriesColor(index).blue(), 26))
                                             : QBrush(Qt::NoBrush));
    if (series.style.dots) {
        series.graph->setLineStyle(QCPGraph::lsNone);
        series.graph->setScatterStyle(seriesDots(series.style.color, seriesColor(index), 5, series.style.opacity));
    } else if (series.style.markers) {
        series.graph->setScatterStyle(seriesDots(series.style.color, seriesColor(index), 6));
    } else if (needsDots(series.style.color)) {
        constexpr int kDotsOnLine = 12; // enough to see which it is, few enough to see the line
        series.graph->setScatterStyle(seriesDots(series.style.color, seriesColor(index), 7));
        series.graph->setScatterSkip(std::max(0, series.graph->dataCount() / kDotsOnLine - 1));
    } else {
        series.graph->setScatterStyle(QCPScatterStyle::ssNone);
    }
}

void PlotCard::restyle(const ThemeColors& colors, ThemeMode mode)
{
    m_colors = &colors;
    m_mode = mode;
    m_plot->setBackground(QBrush(colors.surface));
    for (QCPAxisRect* rect : m_plot->axisRects())
        styleAxisRect(*rect, colors);
    for (int i = 0; i < seriesCount(); ++i)
        applySeriesStyle(i);
}

PlotTable PlotCard::table() const
{
    PlotTable table;
    table.columns << (m_xKind == XKind::Clock ? QStringLiteral("time_s")
                      : m_xLabel.isEmpty()    ? QStringLiteral("x")
                                              : m_xLabel);
    std::map<double, QStringList> rows;
    int column = 0;
    for (const Series& series : m_series) {
        if (!series.visible || !series.graph)
            continue;
        table.columns << (unit().isEmpty() ? series.name : QStringLiteral("%1 (%2)").arg(series.name, unit()));
        for (const QCPGraphData& point : *series.graph->data()) {
            QStringList& row = rows[point.key];
            while (row.size() < column)
                row << QString();
            row << (std::isfinite(point.value) ? QString::number(point.value, 'g', 9) : QString());
        }
        ++column;
    }
    for (auto& [key, values] : rows) {
        while (values.size() < column)
            values << QString();
        const QString x =
            m_xKind == XKind::Category ? m_categories.value(int(std::lround(key))) : QString::number(key, 'g', 12);
        table.rows.push_back(QStringList{x} + values);
    }
    return table;
}

void PlotCard::setCrosshairGroup(CrosshairGroup* group)
{
    m_group = group;
    if (group)
        group->add(this);
}

void PlotCard::showCrosshair(double x)
{
    m_crosshairShown = true;
    m_crosshairX = x;
    drawCrosshair();
    emit crosshairMoved();
}

std::optional<double> PlotCard::crosshairValue(int series) const
{
    const QCPGraph* line = m_crosshairShown ? m_series[std::size_t(series)].graph.data() : nullptr;
    const auto point = line ? Readout::nearest(*line, m_crosshairX) : std::nullopt;
    return point ? std::optional(point->y()) : std::nullopt;
}

void PlotCard::hideCrosshair()
{
    if (!m_crosshairShown)
        return;
    m_crosshairShown = false;
    drawCrosshair();
    emit crosshairMoved();
}

QString PlotCard::unit() const
{
    if (m_timeUnit)
        return QStringLiteral("ms");
    return secondary().section(QStringLiteral(" · "), 0, 0).section(QLatin1Char(','), 0, 0);
}

QString PlotCard::exportTitle() const
{
    return m_exportSubject.isEmpty() ? title() : QStringLiteral("%1, %2").arg(title(), m_exportSubject);
}

void PlotCard::showEvent(QShowEvent* event)
{
    Card::showEvent(event);
    markDirty();
}

void PlotCard::copyPicture()
{
    ExportOptions options;
    options.size = size();
    options.theme = Theme::instance().mode();
    QGuiApplication::clipboard()->setImage(renderPlot(*this, options));
}

void PlotCard::copyData()
{
    QGuiApplication::clipboard()->setText(table().toTabbed());
}

void PlotCard::exportDialog()
{
    auto* dialog = new ExportDialog(*this, window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

QString PlotCard::exportName() const
{
    QString name;
    for (const QChar c : exportTitle().toLower()) {
        if ((c >= u'a' && c <= u'z') || (c >= u'0' && c <= u'9'))
            name += c;
        else if (!name.isEmpty() && !name.endsWith(QLatin1Char('-')))
            name += QLatin1Char('-');
    }
    while (name.endsWith(QLatin1Char('-')))
        name.chop(1);
    return name.isEmpty() ? QStringLiteral("plot") : name;
}

} // namespace dyno
