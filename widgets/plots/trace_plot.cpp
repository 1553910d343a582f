// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/trace_plot.h"

#include "format.h"
#include "plots/pivot_table_model.h"
#include "plots/plot_style.h"
#include "plots/series_labels.h"
#include "plots/stall_words.h"
#include "qt_text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace dyno {

namespace {

//! Latencies that stand as log10(ms) on a linear axis: plain numbers at decades, with 2 and 5 when the range is short.
class LogValueTicker : public QCPAxisTicker
{
public:
    explicit LogValueTicker(TimeUnit unit)
        : m_unit(unit)
    {
    }

protected:
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override
    {
        return PlainLogTicker::labelOf(std::pow(10, tick) / m_unit.ms);
    }
    QVector<double> createTickVector(double, const QCPRange& range) override
    {
        QVector<double> ticks;
        const bool fine = range.size() < 3;
        for (double decade = std::floor(range.lower); decade <= range.upper; ++decade) {
            for (const double step : {1.0, 2.0, 5.0}) {
                const double at = decade + std::log10(step);
                if ((step == 1 || fine) && at >= range.lower && at <= range.upper)
                    ticks << at;
            }
        }
        return ticks;
    }

private:
    TimeUnit m_unit;
};

//! The place of a percentile on the axis.
double placeOf(double percentile)
{
    return -std::log10(1 - percentile / 100);
}

//! Puts a trace together: look() at all intervals, then add() them.
class TraceBuilder
{
public:
    TraceBuilder(const QString& name, int color)
    {
        m_trace.name = name;
        m_trace.color = color;
    }
    void look(Phase phase, std::int64_t tNs, std::int64_t lengthNs)
    {
        if (phase == Phase::Measure && m_zero < 0)
            m_zero = tNs;
        m_end = tNs + lengthNs;
    }
    void add(Phase phase, std::int64_t tNs, std::int64_t lengthNs, std::uint64_t rows, std::uint64_t count,
             double p95Ms)
    {
        if ((phase != Phase::Warmup && phase != Phase::Measure) || lengthNs <= 0)
            return;
        const double start = double(tNs - zero()) / 1e9;
        const double length = double(lengthNs) / 1e9;
        m_trace.warmup = std::max(m_trace.warmup, -start);
        m_rows += phase == Phase::Measure ? double(rows) : 0;
        m_trace.seconds.push_back(start + length);
        m_trace.rows.push_back(m_rows);
        m_trace.tps.push_back(double(count) / length);
        m_trace.p95Ms.push_back(p95Ms);
    }
    RunTrace finish(std::vector<Stall> stalls)
    {
        m_trace.zero = double(std::max<std::int64_t>(0, zero())) / 1e9;
        m_trace.stalls = std::move(stalls);
        for (Stall& stall : m_trace.stalls)
            stall.tNs -= zero();
        return std::move(m_trace);
    }

private:
    //! The start of the measured time; the end of a run that was cut off while warming up.
    [[nodiscard]] std::int64_t zero() const { return m_zero < 0 ? m_end : m_zero; }
    RunTrace m_trace;
    std::int64_t m_zero = -1, m_end = 0;
    double m_rows = 0;
};

} // namespace

RunTrace traceOf(const std::vector<IntervalSample>& intervals, const QString& name, int color, TraceParts parts)
{
    TraceBuilder builder(name, color);
    for (const IntervalSample& sample : intervals)
        builder.look(sample.phase, sample.tNs, sample.lengthNs);
    for (const IntervalSample& sample : intervals) {
        const Histogram& times = parts.response ? sample.transaction.responseOrService() : sample.transaction.service;
        builder.add(sample.phase, sample.tNs, sample.lengthNs, sample.rows, sample.transaction.count,
                    times.empty() ? kNone : percentileMs(times, 95));
    }
    RunTrace trace = builder.finish(findStalls(intervals, parts.stalls));
    if (parts.percentiles)
        trace.latency = mergedOf(intervals, parts.response);
    if (parts.heat)
        trace.heat = heatMapOf(intervals, 400, parts.response);
    trace.response = parts.response;
    return trace;
}

RunTrace traceOf(const IntervalColumns& intervals, const QString& name, int color, bool response,
                 const StallRule& stalls)
{
    TraceBuilder builder(name, color);
    for (std::size_t i = 0; i < intervals.size(); ++i)
        builder.look(intervals.phase[i], intervals.tNs[i], intervals.lengthNs[i]);
    const IntervalColumns::Operation& transaction = intervals.transaction;
    const bool apart = response && !transaction.response.p95Ms.empty();
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        builder.add(intervals.phase[i], intervals.tNs[i], intervals.lengthNs[i], intervals.rows[i],
                    transaction.count[i], (apart ? transaction.response : transaction.service).p95Ms[i]);
    }
    RunTrace trace = builder.finish(findStalls(intervals, stalls));
    if (stalls.stretches.size() <= 1) // phases of the load are no unevenness of the target
        trace.evenness = evennessOf(intervals);
    return trace;
}

void addNotes(RunTrace& trace, const std::vector<Annotation>& notes, std::int64_t run)
{
    for (const Annotation& note : notes) {
        if (note.run == run)
            trace.notes.emplace_back(double(note.tNs) / 1e9 - trace.zero, QString::fromStdString(note.text));
    }
}

Expected<RunTrace> readTrace(Library& library, std::int64_t run, const QString& name, int color, TraceParts parts)
{
    if (!parts.percentiles && !parts.heat) {
        const auto columns = library.columns(run);
        if (!columns)
            return fail(columns.error());
        return traceOf(*columns, name, color, parts.response, parts.stalls);
    }
    const auto intervals = library.intervals(run, IntervalDetail::Transactions);
    if (!intervals)
        return fail(intervals.error());
    return traceOf(*intervals, name, color, parts);
}

// --- lines and dots -------------------------------------------------------------------------------------------------

TracePlot::TracePlot(TraceValue value, QWidget* parent)
    : PlotCard(valueTitle(value, false), value == TraceValue::Throughput ? tr("transactions/s") : QString(), parent)
    , m_value(value)
{
    setMinimumWidth(180);
    plot().setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Expanding);
}

//! Which of the two latencies.
static QString latencyUnit(bool response, const QString& unit)
{
    return (response ? TracePlot::tr("%1, response time", "unit of time")
                     : TracePlot::tr("%1, service time", "unit of time"))
        .arg(unit);
}

QString TracePlot::valueTitle(TraceValue value, bool overRows)
{
    if (value == TraceValue::Throughput)
        return overRows ? tr("Throughput over rows") : tr("Throughput over time");
    return overRows ? tr("95th percentile over rows") : tr("95th percentile over time");
}

//! What the lines have in common: all one kind of operation, or, of several kinds, what is measured of each.
static std::string measureOf(const std::vector<RunTrace>& traces, TraceValue value)
{
    const IntervalMeasures usual;
    const auto of = [value](const IntervalMeasures& m) {
        return value == TraceValue::Throughput ? m.amount : m.latency;
    };
    if (traces.empty())
        return of(usual);
    const std::string first = of(traces.front().measures);
    const bool same = std::ranges::all_of(traces, [&](const RunTrace& trace) { return of(trace.measures) == first; });
    return same ? first : splitMeasure(first).first;
}

QString TracePlot::valueTitle(const std::vector<RunTrace>& traces, TraceValue value, bool overRows)
{
    const std::string id = measureOf(traces, value);
    if (id == "rows" && value == TraceValue::Throughput) // a total in tables, a rate in its course
        return overRows ? tr("Row rate over rows") : tr("Row rate over time");
    const MeasureInfo* measure = findMeasure(id);
    const IntervalMeasures usual;
    if (!measure || id == usual.amount || id == usual.latency)
        return valueTitle(value, overRows);
    const QString label = PivotTableModel::measureLabel(*measure);
    return overRows ? tr("%1 over rows", "measure").arg(label) : tr("%1 over time", "measure").arg(label);
}

QString TracePlot::valueUnit(const std::vector<RunTrace>& traces, TraceValue value, const QString& time)
{
    const std::string id = measureOf(traces, value);
    if (value == TraceValue::P95)
        return latencyUnit(id.starts_with("response_"), time);
    if (id == "rows")
        return tr("rows/s");
    if (isOfCounters(id))
        return traces.front().unit;
    const MeasureInfo* measure = findMeasure(id);
    const QString unit = measure ? QString::fromStdString(measure->unit) : QString();
    return splitMeasure(id).first == "transactions" ? tr("%1 in each interval", "transactions").arg(unit) : unit;
}

QString TracePlot::valueName(const std::vector<RunTrace>& traces, TraceValue value)
{
    const std::string id = measureOf(traces, value);
    const IntervalMeasures usual;
    if (id == usual.latency)
        return tr("p95");
    if (id == "rows" && value == TraceValue::Throughput)
        return tr("row rate");
    const MeasureInfo* measure = findMeasure(id);
    return measure && id != usual.amount ? PivotTableModel::measureLabel(*measure) : tr("throughput");
}

QString TracePlot::shortTitle(const std::vector<RunTrace>& traces, TraceValue value, const QString& time)
{
    const std::string id = measureOf(traces, value);
    const IntervalMeasures usual;
    if (id == usual.amount)
        return tr("tps", "transactions per second");
    const QString unit = valueUnit(traces, value, time);
    if (value == TraceValue::Throughput && (id == "rows" || splitMeasure(id).first == "transactions"))
        return unit; // says it all
    const QString name = valueName(traces, value);
    return QStringLiteral("%1, %2").arg(name, id == usual.latency ? unit : unit.section(QLatin1Char(','), 0, 0));
}

QString TracePlot::unit() const
{
    return m_unit.isEmpty() ? PlotCard::unit() : m_unit;
}

double TracePlot::topOf(const std::vector<RunTrace>& traces, TraceValue value)
{
    double top = 0;
    for (const RunTrace& trace : traces) {
        for (const double one : value == TraceValue::Throughput ? trace.tps : trace.p95Ms)
            top = std::isfinite(one) ? std::max(top, one) : top;
    }
    return top;
}

double TracePlot::bottomOf(const std::vector<RunTrace>& traces, TraceValue value)
{
    double bottom = 0;
    for (const RunTrace& trace : traces) {
        for (const double one : value == TraceValue::Throughput ? trace.tps : trace.p95Ms) {
            if (std::isfinite(one) && one > 0)
                bottom = bottom > 0 ? std::min(bottom, one) : one;
        }
    }
    return bottom;
}

namespace {

//! What is drawn of a trace.
struct Course
{
    QVector<double> keys, values;
};
//! How the values of two intervals become one of both.
enum class Joined { Rate, Count, First, Last };

//! The start of the measured time differs by microseconds between runs, and so do sums of times.
bool sameBands(const std::vector<PlotPhase>& one, const std::vector<PlotPhase>& other)
{
    constexpr double kSameSeconds = 1e-3;
    return std::ranges::equal(one, other, [](const PlotPhase& a, PlotPhase b) {
        if (std::abs(a.from - b.from) > kSameSeconds || std::abs(a.to - b.to) > kSameSeconds)
            return false;
        b.from = a.from;
        b.to = a.to;
        return a == b;
    });
}

//! What stands at the lines' ends; a single one needs no name there.
QStringList labelsOf(const std::vector<RunTrace>& traces)
{
    QStringList names;
    for (const RunTrace& trace : traces)
        names << trace.name;
    return names.size() == 1 ? QStringList{QStringLiteral(" ")} : shortLabels(names);
}

//! Over rows a value stands for the stretch up to its row: intervals that changed none belong to the next one that did,
//! so that the line has one value a row. A last interval that the end of the run cut short goes with the one before it:
//! what few users do in a few milliseconds is no rate. `whole`: without either.
Course courseOf(const RunTrace& trace, const std::vector<double>& values, bool overRows, bool whole, Joined joined)
{
    Course course;
    QVector<double> lengths;
    const auto join = [joined](double a, double lengthA, double b, double lengthB) {
        if (joined == Joined::First || std::isnan(b))
            return a;
        if (joined == Joined::Last || std::isnan(a))
            return b;
        return joined == Joined::Count ? a + b : (a * lengthA + b * lengthB) / (lengthA + lengthB);
    };
    double from = -trace.warmup, rows = 0, waiting = kNone, waited = 0;
    for (std::size_t i = 0; i < trace.seconds.size() && i < values.size(); ++i) {
        const double length = trace.seconds[i] - from;
        from = trace.seconds[i];
        if (overRows && trace.seconds[i] <= 1e-9)
            continue; // the warm-up has no place among the rows
        const double value = joined == Joined::First ? values[i] : join(waiting, waited, values[i], length);
        if (overRows && !(trace.rows[i] > rows)) {
            waiting = value;
            waited += length;
            continue;
        }
        rows = trace.rows[i];
        course.keys << (overRows ? rows : trace.seconds[i]);
        course.values << value;
        lengths << waited + length;
        waiting = kNone;
        waited = 0;
    }
    if (waited > 0 && !lengths.isEmpty()) { // nothing came any more
        course.values.last() = join(course.values.last(), lengths.last(), waiting, waited);
        lengths.last() += waited;
    }
    const qsizetype last = lengths.size() - 1;
    const bool measured = last >= 2 && (overRows || course.keys[last - 1] > 1e-9);
    if (!whole && measured && lengths[last] < 0.5 * lengths[last - 1]) {
        course.values[last - 1] = join(course.values[last - 1], lengths[last - 1], course.values[last], lengths[last]);
        course.keys[last - 1] = course.keys[last];
        course.keys.removeLast();
        course.values.removeLast();
    }
    return course;
}

} // namespace

void TracePlot::setTraces(const std::vector<RunTrace>& traces, const QString& secondary, Look look)
{
    constexpr qsizetype kFewDots = 200; // on one chart: each of them counts
    constexpr double kFewDotsOpacity = 0.8, kManyDotsOpacity = 0.45;
    double from = look.overRows ? 0 : look.warmup, to = std::max(1.0, look.end);
    qsizetype dots = 0;
    for (const RunTrace& trace : traces) {
        dots += qsizetype(trace.seconds.size());
        if (!look.overRows)
            from = std::max(from, trace.warmup);
        const std::vector<double>& keys = look.overRows ? trace.rows : trace.seconds;
        if (!keys.empty())
            to = std::max(to, keys.back());
    }
    clearSeries();
    clearMarks();
    setXKind(look.overRows ? XKind::Number : XKind::Clock);
    setXLabel(look.overRows ? tr("rows changed") : QString());
    const QStringList labels = labelsOf(traces);
    for (const RunTrace& trace : traces) {
        SeriesStyle style;
        style.color = trace.color;
        style.width = 1.5;
        style.dots = look.dots;
        style.opacity = dots < kFewDots ? kFewDotsOpacity : kManyDotsOpacity;
        const int series = addSeries(trace.name, style);
        setEndLabel(series, labels[series]);
        const std::vector<double>& values = m_value == TraceValue::Throughput ? trace.tps : trace.p95Ms;
        const bool counts = splitMeasure(trace.measures.amount).first == "transactions";
        const bool lastRows = trace.measures.amount.starts_with("rows:"); // each value already is of several intervals
        const Joined joined = m_value == TraceValue::P95 ? Joined::First
                              : lastRows                 ? Joined::Last
                              : counts                   ? Joined::Count
                                                         : Joined::Rate;
        const Course course = courseOf(trace, values, look.overRows, look.dots, joined);
        graph(series).setData(course.keys, course.values, true);
        for (const auto& [at, text] : trace.notes) {
            if (!look.overRows)
                addNote(at, text, traces.size() > 1 ? trace.color : -1);
        }
    }
    // Whose stall it is can only be seen when there is one line.
    if (traces.size() == 1 && !look.overRows && m_value == TraceValue::Throughput) {
        constexpr std::size_t kMostNotes = 4;
        const auto& stalls = traces.front().stalls;
        for (const Stall& stall : stalls) {
            const double at = double(stall.tNs) / 1e9, length = double(stall.lengthNs) / 1e9;
            addBand(at, at + length, BandKind::Stall, stalls.size() > kMostNotes ? QString() : stallNote(stall));
        }
        const auto& starved = traces.front().starved;
        for (const auto& [at, end] : starved) {
            addBand(at, end, BandKind::Starved,
                    starved.size() > kMostNotes ? QString() : tr("no core free, %1").arg(format::duration(end - at)));
        }
    }
    if (from > 0)
        addBand(-from, 0, BandKind::Warmup, tr("warm-up"));
    // Runs of another load have another time: a band is of all lines, or of none.
    const bool alike = !look.overRows && !traces.empty() && std::ranges::all_of(traces, [&traces](const RunTrace& one) {
        return sameBands(one.phases, traces.front().phases);
    });
    setPhases(alike ? traces.front().phases : std::vector<PlotPhase>());
    setXRange(-from, to);
    setYCeiling(look.top);
    setYFloor(look.bottom);
    setTitle(valueTitle(traces, m_value, look.overRows));
    if (m_value == TraceValue::P95) {
        const double least = bottomOf(traces, m_value);
        setTimeUnit(axisTimeUnit(look.bottom > 0 ? std::min(look.bottom, least) : least,
                                 std::max(look.top, topOf(traces, m_value)), isLogY()));
    }
    const QString unit = valueUnit(traces, m_value, timeUnitName());
    m_unit = m_value == TraceValue::P95 ? QString() : unit.section(QLatin1Char(','), 0, 0);
    setSecondary(dotted({unit, secondary}));
    resetZoom();
    markDirty();
}

// --- percentiles ----------------------------------------------------------------------------------------------------

SpectrumPlot::SpectrumPlot(QWidget* parent)
    : PlotCard(tr("Latency by percentile"), {}, parent)
{
    setObjectName(QStringLiteral("spectrumPlot"));
    setAccessibleName(tr("Latency of the chosen runs by percentile"));
    setLogY(true);
    plot().setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Expanding);
}

void SpectrumPlot::setTraces(const std::vector<RunTrace>& traces, const QString& secondary)
{
    clearSeries();
    m_curves.clear();
    m_names.clear();
    m_most = 2;
    double least = std::numeric_limits<double>::max(), longest = 0;
    const QStringList labels = labelsOf(traces);
    for (const RunTrace& trace : traces) {
        m_curves.push_back(spectrumOf(trace.latency));
        m_names << trace.name;
        // Each point says how many were as fast or faster: percentiles up to its own are its value, those from 0 the
        // first's.
        QVector<double> keys, values;
        if (!m_curves.back().empty()) {
            keys << 0;
            values << m_curves.back().front().ms;
        }
        for (const SpectrumPoint& point : m_curves.back()) {
            keys << placeOf(point.percentile);
            values << point.ms;
            least = std::min(least, point.ms > 0 ? point.ms : least);
            longest = std::max(longest, point.ms);
        }
        if (!keys.isEmpty())
            m_most = std::max(m_most, keys.back());
        SeriesStyle style;
        style.color = trace.color;
        const int series = addSeries(trace.name, style);
        setEndLabel(series, labels[series]);
        graph(series).setData(keys, values, true);
        graph(series).setLineStyle(QCPGraph::lsStepRight);
    }
    setXKind(XKind::Number);
    setXLabel(tr("transactions that were as fast or faster"));
    setXRange(0, m_most);
    m_response = std::ranges::any_of(traces, &RunTrace::response);
    setTimeUnit(axisTimeUnit(least, longest, isLogY() && longest > 0));
    setSecondary(dotted({latencyUnit(m_response, timeUnitName()), secondary}));
    resetZoom();
    markDirty();
}

QString SpectrumPlot::percentileText(double percentile, int digits)
{
    return tr("%1 %", "percentile").arg(percentile, 0, 'g', digits);
}

void SpectrumPlot::updateRanges()
{
    PlotCard::updateRanges();
    auto ticker = QSharedPointer<QCPAxisTickerText>::create(); // the card has set one for plain numbers
    for (const double percentile : {0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999, 99.9999, 99.99999}) {
        if (placeOf(percentile) <= m_most + 1e-9)
            ticker->addTick(placeOf(percentile), percentileText(percentile, 9));
    }
    plot().xAxis->setTicker(ticker);
}

QString SpectrumPlot::valueText(double value) const
{
    return format::time(value);
}

//! "99.68 %": two digits of what is missing to 100.
QString SpectrumPlot::xText(double x) const
{
    const double percentile = 100 * (1 - std::pow(10, -x));
    return percentileText(percentile, 1 + std::max(1, int(std::ceil(x - 1e-9))));
}

PlotTable SpectrumPlot::table() const
{
    PlotTable table;
    table.columns << QStringLiteral("run") << QStringLiteral("percentile")
                  << (m_response ? QStringLiteral("response time [ms]") : QStringLiteral("latency [ms]"));
    for (std::size_t i = 0; i < m_curves.size(); ++i) {
        if (!isSeriesVisible(int(i)))
            continue;
        for (const SpectrumPoint& point : m_curves[i])
            table.rows.push_back(
                {m_names[qsizetype(i)], QString::number(point.percentile, 'g', 12), QString::number(point.ms, 'g', 9)});
    }
    return table;
}

// --- heat map -------------------------------------------------------------------------------------------------------

HeatPlot::HeatPlot(QWidget* parent)
    : PlotCard(tr("Latency over time"), {}, parent)
    , m_map(new QCPColorMap(plot().xAxis, plot().yAxis))
{
    setObjectName(QStringLiteral("heatPlot"));
    setAccessibleName(tr("How many transactions took how long, over time"));
    m_map->setInterpolate(false);
    m_map->setTightBoundary(false);
    m_map->setSelectable(QCP::stNone);
    m_map->removeFromLegend();
    setYFromZero(false);
    setMinimumWidth(180);
    plot().setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Expanding);
}

void HeatPlot::setTrace(const RunTrace& trace, const QString& secondary, std::optional<QCPRange> span)
{
    m_heat = trace.heat;
    m_span = span.value_or(spanOf({trace}));
    clearSeries();
    clearMarks();
    const double bottom = std::log10(std::max(1e-9, m_heat.lowestMs)),
                 step = std::log10(std::max(1.0001, m_heat.rowFactor));
    const int columns = int(std::max<std::size_t>(1, m_heat.columns)),
              rows = int(std::max<std::size_t>(1, m_heat.rows));
    const double right = m_heat.fromSeconds + m_heat.columnSeconds * columns;
    m_map->data()->setSize(columns, rows);
    // Ranges of a colour map are of the cells' centres.
    m_map->data()->setRange(QCPRange(m_heat.fromSeconds + m_heat.columnSeconds / 2, right - m_heat.columnSeconds / 2),
                            QCPRange(bottom + step / 2, bottom + step * (rows - 0.5)));
    double most = 1;
    QVector<double> keys, medians, p99s;
    for (std::size_t c = 0; c < m_heat.columns; ++c) {
        double all = 0, below = 0, median = kNone, p99 = kNone;
        for (std::size_t r = 0; r < m_heat.rows; ++r) {
            const double count = m_heat.at(c, r);
            m_map->data()->setCell(int(c), int(r), count > 0 ? std::log1p(count) : kNone);
            most = std::max(most, std::log1p(count));
            all += count;
        }
        for (std::size_t r = 0; r < m_heat.rows; ++r) {
            below += m_heat.at(c, r);
            const double middle = bottom + step * (double(r) + 0.5);
            if (std::isnan(median) && all > 0 && below >= 0.5 * all)
                median = middle;
            if (std::isnan(p99) && all > 0 && below >= 0.99 * all)
                p99 = middle;
        }
        keys << m_heat.fromSeconds + m_heat.columnSeconds * (double(c) + 0.5);
        medians << median;
        p99s << p99;
    }
    m_map->setDataRange(QCPRange(0, most));
    if (!keys.isEmpty()) { // from edge to edge, as the map: labels stand beside it
        keys.prepend(m_heat.fromSeconds);
        keys.append(right);
        for (QVector<double>* values : {&medians, &p99s}) {
            values->prepend(values->first());
            values->append(values->last());
        }
    }
    const std::pair<QString, const QVector<double>*> lines[] = {{tr("median"), &medians},
                                                                {QStringLiteral("p99"), &p99s}};
    for (const auto& [name, values] : lines) {
        SeriesStyle style;
        style.color = values == &medians ? 1 : 3;
        style.width = 1.25;
        graph(addSeries(name, style)).setData(keys, *values, true);
    }
    setXKind(XKind::Clock);
    setXRange(m_heat.fromSeconds, std::max(right, m_heat.fromSeconds + 1e-3));
    if (m_heat.fromSeconds < 0)
        addBand(m_heat.fromSeconds, 0, BandKind::Warmup, tr("warm-up"));
    for (const auto& [at, text] : trace.notes)
        addNote(at, text);
    setPhases(trace.phases);
    setTitle(trace.name.isEmpty() ? tr("Latency over time") : tr("Latency: %1", "a run").arg(trace.name));
    m_response = trace.response;
    setTimeUnit(timeUnitOf(std::pow(10, m_span.center()))); // of the middle of a logarithmic axis
    setSecondary(dotted({latencyUnit(m_response, timeUnitName()), secondary}));
    restyle(plotColors(), plotMode());
    resetZoom();
    markDirty();
}

void HeatPlot::restyle(const ThemeColors& colors, ThemeMode mode)
{
    PlotCard::restyle(colors, mode);
    if (!m_map)
        return; // while the card is being built
    QCPColorGradient gradient;
    gradient.clearColorStops();
    gradient.setColorInterpolation(QCPColorGradient::ciRGB);
    gradient.setColorStopAt(0, blend(colors.series[0], colors.surface, 0.10));
    gradient.setColorStopAt(1, colors.series[0]);
    gradient.setNanHandling(QCPColorGradient::nhTransparent);
    m_map->setGradient(gradient);
}

QCPRange HeatPlot::spanOf(const std::vector<RunTrace>& traces)
{
    std::optional<QCPRange> span;
    for (const RunTrace& trace : traces) {
        const HeatMap& heat = trace.heat;
        const double bottom = std::log10(std::max(1e-9, heat.lowestMs));
        const double step = std::log10(std::max(1.0001, heat.rowFactor));
        const QCPRange own(bottom, bottom + step * double(std::max<std::size_t>(1, heat.rows)));
        span = span ? span->expanded(own) : own;
    }
    return span.value_or(QCPRange(-2, 2));
}

void HeatPlot::updateRanges()
{
    const double step = std::log10(std::max(1.0001, m_heat.rowFactor));
    const double bottom = m_span.lower, top = m_span.upper;
    plot().yAxis->setRange(bottom - step, top + std::max(step, 0.12 * (top - bottom))); // room for notes of bands
    auto ticker = QSharedPointer<LogValueTicker>::create(
        timeUnitOf(std::pow(10, m_span.center()))); // the card has set one for plain numbers
    plot().yAxis->setTicker(ticker);
}

QString HeatPlot::valueText(double value) const
{
    return format::time(std::pow(10, value));
}

PlotTable HeatPlot::table() const
{
    PlotTable table;
    const QString what = m_response ? QStringLiteral("response time") : QStringLiteral("latency");
    table.columns << QStringLiteral("time [s]") << what % QStringLiteral(" from [ms]")
                  << what % QStringLiteral(" to [ms]") << QStringLiteral("transactions");
    for (std::size_t c = 0; c < m_heat.columns; ++c) {
        for (std::size_t r = 0; r < m_heat.rows; ++r) {
            if (m_heat.at(c, r) <= 0)
                continue;
            const double low = m_heat.lowestMs * std::pow(m_heat.rowFactor, double(r));
            table.rows.push_back({QString::number(m_heat.fromSeconds + m_heat.columnSeconds * double(c), 'g', 9),
                                  QString::number(low, 'g', 6), QString::number(low * m_heat.rowFactor, 'g', 6),
                                  QString::number(m_heat.at(c, r), 'g', 12)});
        }
    }
    return table;
}

} // namespace dyno
