// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/run_plots.h"

#include "format.h"
#include "parts/choice_pill.h"
#include "plots/crosshair_group.h"
#include "plots/phase_band.h"
#include "qt_text.h"

#include <QMenu>

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

constexpr int kBaseline = 1;    //!< its series in the plot of the throughput
constexpr int kEndRoom = 116;   //!< for "baseline 128 400", pixels
constexpr int kMinXSeconds = 5; //!< an open-ended run shows at least this much

constexpr std::array kSmallColors{2, 4, 3, 1}; //!< of the lines of the small plots

} // namespace

RunPlots::RunPlots(const ShownRun& shown, const RunBaseline& baseline, QWidget* parent)
    : QWidget(parent)
    , m_shown(shown)
    , m_model(shown.model())
    , m_baseline(baseline)
    , m_crosshair(new CrosshairGroup(this))
{
    setObjectName(QStringLiteral("runPlots"));
    setAccessibleName(tr("Figures over time"));
    buildCards();
    layOut();
    m_stallCheck.setSingleShot(true);
    m_stallCheck.setInterval(0);
    connect(&m_stallCheck, &QTimer::timeout, this, &RunPlots::checkStalls);
    connect(&m_model, &LiveRunModel::runReset, this, &RunPlots::reset);
    connect(&m_model, &LiveRunModel::sampleAppended, this, &RunPlots::append);
    connect(&m_model, &LiveRunModel::eventAdded, this, &RunPlots::updateMarks);
    connect(&m_baseline, &RunBaseline::changed, this, &RunPlots::showBaseline);
}

void RunPlots::buildCards()
{
    m_throughput = new PlotCard(tr("Throughput"), tr("transactions/s"));
    m_throughput->setObjectName(QStringLiteral("throughputPlot"));
    m_throughput->addSeries(tr("throughput"), {.color = 0, .area = true, .labelIsValue = true});
    m_throughput->addSeries(tr("baseline"), {.color = 5, .width = 1.25, .behind = true});
    m_throughput->setEndLabel(kBaseline, {});
    m_throughput->setSeriesVisible(kBaseline, false);
    m_throughput->header()->addWidget(m_baseline.choice());
    m_latency = new LatencyPlot;
    m_latency->setObjectName(QStringLiteral("latencyPlot"));
    m_latency->addSeries(QStringLiteral("p50"), {.color = 0});
    m_latency->addSeries(QStringLiteral("p95"), {.color = 1});
    m_latency->addSeries(QStringLiteral("p99"), {.color = 2});
    m_latency->addSeries(QStringLiteral("p99.9"), {.color = 4, .width = 1.25});
    for (PlotCard* card : {m_throughput, static_cast<PlotCard*>(m_latency)})
        card->setEndLabelRoom(kEndRoom); // so that one time stands below the other, with a baseline and without
    for (std::size_t i = 0; i < m_small.size(); ++i)
        m_small[i] = new MeasurePlot(int(i) + 1, kSmallColors[i]);
    for (PlotCard* card : cards()) {
        card->setCrosshairGroup(m_crosshair);
        connect(card, &PlotCard::aboutToShowMenu, this, [this, card](QMenu* menu) {
            if (!card->isZoomed())
                return;
            const QCPRange range = card->plot().xAxis->range();
            menu->addAction(tr("What moved in this range"), this,
                            [this, range] { emit rangeChosen(range.lower, range.upper); })
                ->setObjectName(QStringLiteral("whatMoved"));
        });
    }
    connect(m_latency, &LatencyPlot::latencyChosen, this, [this] {
        for (int i = 0; i < m_latency->seriesCount(); ++i)
            m_latency->graph(i).data()->clear();
        appendLatencies(0);
        m_latency->markDirty();
    });
    for (MeasurePlot* plot : m_small) {
        connect(plot, &MeasurePlot::measureChosen, this, [this, plot] {
            plot->graph(0).data()->clear();
            appendSmall(*plot, 0);
            plot->markDirty();
        });
    }
}

void RunPlots::layOut()
{
    auto* small = new QHBoxLayout;
    small->setSpacing(space::cardGap);
    for (MeasurePlot* card : m_small) {
        card->setCompact(true);
        card->setMaximumHeight(170);
        small->addWidget(card, 1);
    }
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::cardGap);
    column->addWidget(m_throughput, 16);
    column->addWidget(m_latency, 15);
    column->addLayout(small, 9);
}

std::array<PlotCard*, 6> RunPlots::cards() const
{
    return {m_throughput, m_latency, m_small[0], m_small[1], m_small[2], m_small[3]};
}

void RunPlots::markDirty()
{
    for (PlotCard* card : cards())
        card->markDirty();
}

void RunPlots::showMoment(double seconds)
{
    const QCPRange shown = m_throughput->plot().xAxis->range();
    const double x = std::max(0.0, seconds);
    if (m_throughput->isZoomed() && !shown.contains(x))
        m_crosshair->resetZoom();
    m_crosshair->moveTo(x);
}

void RunPlots::zoomTo(double from, double to)
{
    m_throughput->plot().xAxis->setRange(std::max(0.0, from), to);
    m_throughput->markDirty();
}

void RunPlots::reset()
{
    m_drawn = 0;
    m_stallsDrawn.clear();
    showMeasures();
    for (PlotCard* card : cards()) {
        for (int i = 0; i < card->seriesCount(); ++i)
            card->graph(i).data()->clear();
        card->setXRange(0, std::max<double>(kMinXSeconds, m_shown.plannedSeconds()));
    }
    m_throughput->setEndLabel(0, {});
    m_crosshair->resetZoomQuietly();
    updateMarks();
    append();
    showBaseline();
}

void RunPlots::appendLatencies(qsizetype from)
{
    const RunSeries& series = m_model.series();
    const RunSeries::Latency& latency = m_latency->showsService() ? series.service : series.response;
    for (qsizetype i = from; i < series.size(); ++i) {
        const double t = series.time[i];
        m_latency->graph(0).addData(t, latency.p50[i]);
        m_latency->graph(1).addData(t, latency.p95[i]);
        m_latency->graph(2).addData(t, latency.p99[i]);
        m_latency->graph(3).addData(t, latency.p999[i]);
    }
}

void RunPlots::appendSmall(MeasurePlot& plot, qsizetype from)
{
    const RunMeasure* measure = plot.measure();
    if (!measure)
        return;
    const RunSeries& series = m_model.series();
    const QVector<double>& values = measure->values(series);
    const qsizetype known = std::min(series.size(), values.size());
    for (qsizetype i = from; i < known; ++i) // what is not known is a gap in the line
        plot.graph(0).addData(series.time[i], values[i] * measure->scale);
}

//! What a person chose for a plot stays where the run has it; the others show the first measures that are left.
void RunPlots::showMeasures()
{
    const std::vector<RunMeasure> measures = m_model.measures();
    const auto isWanted = [this](const RunMeasure& measure) {
        return std::ranges::any_of(m_small, [&](const MeasurePlot* plot) { return plot->wanted() == measure.id; });
    };
    const auto offered = std::size_t(std::ranges::find(measures, true, &RunMeasure::hidden) - measures.begin());
    std::size_t next = 0;
    for (MeasurePlot* plot : m_small) {
        const bool kept = std::ranges::find(measures, plot->wanted(), &RunMeasure::id) != measures.end();
        while (!kept && next < offered && isWanted(measures[next]))
            ++next;
        plot->setMeasures(measures, next < offered ? int(next) : -1);
        next += kept ? 0 : 1;
    }
}

void RunPlots::append()
{
    const RunSeries& series = m_model.series();
    m_latency->setSeparate(m_model.separateResponse());
    appendLatencies(m_drawn);
    for (MeasurePlot* plot : m_small)
        appendSmall(*plot, m_drawn);
    for (; m_drawn < series.size(); ++m_drawn) {
        const double t = series.time[m_drawn];
        m_throughput->graph(0).addData(t, series.tps[m_drawn]);
    }
    m_stallCheck.start();
    const bool have = series.size() > 0;
    if (have)
        m_throughput->setEndLabel(0, format::rate(series.tps.last()));
    const double planned = m_shown.plannedSeconds();
    const double reached = have ? series.time.last() : 0;
    const double upper = planned > 0 ? std::max(planned, reached) : std::max<double>(kMinXSeconds, reached * 1.08);
    for (PlotCard* card : cards()) {
        card->setXRange(0, upper);
        card->markDirty();
    }
    if (have && m_model.last()->phase == Phase::Warmup)
        updateMarks();
}

//! The line of the same point in the baseline session, under that of this run.
void RunPlots::showBaseline()
{
    const BaselineRun* run = m_baseline.run();
    QCPGraph& line = m_throughput->graph(kBaseline);
    if (run)
        line.setData(run->time, run->rates, true);
    else
        line.data()->clear();
    m_throughput->setSeriesVisible(kBaseline, run != nullptr);
    m_throughput->setEndLabel(kBaseline, run ? tr("baseline %1").arg(format::rate(run->tps)) : QString());
    m_throughput->setSecondary(m_baseline.chosen() && m_model.run() && !run
                                   ? dotted({tr("transactions/s"), tr("this point is not in the baseline")})
                                   : tr("transactions/s"));
    m_throughput->markDirty();
}

void RunPlots::updateMarks()
{
    const StoredRun* stored = m_shown.stored();
    const double warmup = stored ? double(stored->warmupEndNs) / 1e9 : m_model.warmupSeconds();
    m_throughput->setMovableEdge(stored && stored->phasesDamage.empty() ? std::optional(warmup) : std::nullopt);
    // They stay where they were when the end of the warm-up moves; where that was may not be known.
    const bool known = m_model.load() && (!stored || stored->phasesDamage.empty());
    const double measuredFrom =
        stored ? double(stored->recordedWarmupEndNs.value_or(stored->warmupEndNs)) / 1e9 : warmup;
    const auto phases = known ? plotPhases(*m_model.load(), measuredFrom) : std::vector<PlotPhase>();
    for (PlotCard* card : cards()) {
        card->clearMarks();
        card->setPhases(phases);
        if (warmup > 0)
            card->addBand(0, warmup, BandKind::Warmup, tr("warm-up"));
        addStalls(*card);
        for (const EventRow& event : m_model.events()) {
            if (m_shown.noteOf(event))
                card->addNote(event.seconds, event.text);
            else if (event.kind != EventKind::Phase)
                card->addTick(event.seconds, QStringLiteral("%1  %2").arg(format::clock(event.seconds), event.text));
        }
        card->markDirty();
    }
}

void RunPlots::addStalls(PlotCard& card) const
{
    const std::vector<Stall>& stalls = m_model.stalls();
    constexpr std::size_t kMostNotes = 4; // more would cover each other
    const bool notes = &card == m_throughput && stalls.size() <= kMostNotes;
    for (const Stall& stall : stalls) {
        const double at = double(stall.tNs) / 1e9, length = double(stall.lengthNs) / 1e9;
        card.addBand(at, at + length, BandKind::Stall,
                     !notes          ? QString()
                     : stall.stalled ? tr("stall, %1").arg(format::duration(length))
                                     : tr("dip, %1").arg(format::duration(length)));
    }
    const auto starved = m_model.starved();
    for (const auto& [from, to] : starved) {
        card.addBand(from, to, BandKind::Starved,
                     &card == m_throughput && starved.size() <= kMostNotes
                         ? tr("no core free, %1").arg(format::duration(to - from))
                         : QString());
    }
}

//! Draws the bands again when there are others.
void RunPlots::checkStalls()
{
    std::vector<std::pair<std::int64_t, std::int64_t>> now;
    for (const Stall& stall : m_model.stalls())
        now.emplace_back(stall.tNs, stall.lengthNs);
    for (const auto& [from, to] : m_model.starved())
        now.emplace_back(-std::llround(from * 1e9) - 1, std::llround((to - from) * 1e9)); // apart from those of stalls
    if (now == m_stallsDrawn)
        return;
    m_stallsDrawn = std::move(now);
    updateMarks();
    emit stallsChanged();
}

} // namespace dyno
