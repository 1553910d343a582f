// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/run_plots.h"

#include "format.h"
#include "parts/choice_pill.h"
#include "plots/crosshair_group.h"
#include "plots/phase_band.h"
#include "plots/stall_words.h"
#include "qt_text.h"

#include <QMenu>

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

constexpr int kBaseline = 1;       //!< its series in the plot of the throughput
constexpr int kEndRoom = 116;      //!< for "baseline 128 400", pixels
constexpr double kLeastAround = 5; //!< seconds that are shown before and after what is zoomed to
constexpr int kMinXSeconds = 5;    //!< an open-ended run shows at least this much

} // namespace

QString RunPlots::tipOf(const Stall& stall)
{
    const QString what = stall.isSlow()  ? tr("Latency stall at %1")
                         : stall.stalled ? tr("Stall at %1")
                                         : tr("Dip at %1");
    return tr("%1 for %2: %3. Double-click to zoom to it", "stall, length, depth")
        .arg(what.arg(format::clock(double(stall.tNs) / 1e9)), format::duration(double(stall.lengthNs) / 1e9),
             stallDepth(stall));
}

RunPlots::RunPlots(const ShownRun& shown, const RunBaseline& baseline, QWidget* parent)
    : QWidget(parent)
    , m_shown(shown)
    , m_model(shown.model())
    , m_baseline(baseline)
    , m_crosshair(new CrosshairGroup(this))
    , m_whole(makeButton(tr("Whole run"), "link"))
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
    m_whole->setObjectName(QStringLiteral("runWhole"));
    m_whole->setAccessibleName(tr("Show the whole run"));
    m_whole->setToolTip(tr("Show all of the time again (Esc in a plot, or a double click)"));
    m_whole->setProperty("small", true);
    m_whole->hide();
    connect(m_whole, &QPushButton::clicked, this, &RunPlots::showWhole);
    connect(m_throughput->plot().xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this,
            [this] { m_whole->setVisible(m_throughput->isZoomed()); });
    m_throughput->header()->addWidget(m_whole);
    m_throughput->header()->addWidget(m_baseline.choice());
    m_latency = new LatencyPlot;
    m_latency->setObjectName(QStringLiteral("latencyPlot"));
    m_latency->addSeries(QStringLiteral("p50"), {.color = 0});
    m_latency->addSeries(QStringLiteral("p95"), {.color = 1});
    m_latency->addSeries(QStringLiteral("p99"), {.color = 2});
    m_latency->addSeries(QStringLiteral("p99.9"), {.color = 4, .width = 1.25});
    for (PlotCard* card : {m_throughput, static_cast<PlotCard*>(m_latency)})
        card->setEndLabelRoom(kEndRoom); // so that one time stands below the other, with a baseline and without
    m_stack = new PlotStack(m_model);
    for (PlotCard* card : cards())
        joinCard(card);
    connect(m_stack, &PlotStack::plotAdded, this, &RunPlots::joinSmall);
    connect(m_latency, &LatencyPlot::latencyChosen, this, [this] {
        for (int i = 0; i < m_latency->seriesCount(); ++i)
            m_latency->graph(i).data()->clear();
        appendLatencies(0);
        m_latency->markDirty();
    });
}

void RunPlots::joinCard(PlotCard* card)
{
    card->setCrosshairGroup(m_crosshair);
    connect(card, &PlotCard::aboutToShowMenu, this, [this, card](QMenu* menu) {
        menu->addAction(tr("What moves with throughput"), this, &RunPlots::askCorrelation)
            ->setObjectName(QStringLiteral("whatMovesWith"));
        if (!card->isZoomed())
            return;
        const QCPRange range = card->plot().xAxis->range();
        menu->addAction(tr("What moved in this range"), this,
                        [this, range] { emit rangeChosen(range.lower, range.upper); })
            ->setObjectName(QStringLiteral("whatMoved"));
    });
    connect(card, &PlotCard::stallActivated, this, [this](double from, double to) {
        zoomAround(from, to);
        emit stallZoomed((from + to) / 2);
    });
}

//! A plot that comes while there is a run shows what the others show.
void RunPlots::joinSmall(MeasurePlot* plot)
{
    joinCard(plot);
    plot->setXRange(0, m_end);
    markCard(*plot);
    if (m_throughput->isZoomed())
        plot->plot().xAxis->setRange(m_throughput->plot().xAxis->range());
    else
        plot->resetZoom(false);
    if (m_throughput->crosshairShown())
        plot->showCrosshair(m_throughput->crosshairX());
    emit cardAdded(plot);
}

void RunPlots::layOut()
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::cardGap);
    column->addWidget(m_throughput, 16);
    column->addWidget(m_latency, 15);
    column->addWidget(m_stack);
    const auto share = [this, column] {
        constexpr int kOneRow = 12, kSeveralRows = 20;
        column->setStretchFactor(m_stack, m_stack->rows() > 1 ? kSeveralRows : kOneRow);
    };
    connect(m_stack, &PlotStack::rowsChanged, this, share);
    share();
}

std::vector<PlotCard*> RunPlots::cards() const
{
    std::vector<PlotCard*> all{m_throughput, m_latency};
    all.insert(all.end(), m_stack->plots().begin(), m_stack->plots().end());
    return all;
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

void RunPlots::zoomAround(double from, double to)
{
    const double around = std::max(kLeastAround, to - from);
    m_throughput->plot().xAxis->setRange(std::max(0.0, from - around), to + around);
    m_throughput->markDirty();
}

void RunPlots::askCorrelation()
{
    const QCPRange range = m_throughput->plot().xAxis->range();
    if (m_throughput->isZoomed())
        emit correlationWanted(TimeStretch{range.lower, range.upper});
    else
        emit correlationWanted({});
}

void RunPlots::showWhole()
{
    m_crosshair->resetZoom();
}

void RunPlots::reset()
{
    m_drawn = 0;
    m_stallsDrawn.clear();
    m_end = std::max<double>(kMinXSeconds, m_shown.plannedSeconds());
    m_stack->beginRun();
    for (PlotCard* card : {m_throughput, static_cast<PlotCard*>(m_latency)}) {
        for (int i = 0; i < card->seriesCount(); ++i)
            card->graph(i).data()->clear();
    }
    for (PlotCard* card : cards())
        card->setXRange(0, m_end);
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

void RunPlots::append()
{
    const RunSeries& series = m_model.series();
    m_latency->setSeparate(m_model.separateResponse());
    appendLatencies(m_drawn);
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
    m_end = planned > 0 ? std::max(planned, reached) : std::max<double>(kMinXSeconds, reached * 1.08);
    for (PlotCard* card : cards())
        card->setXRange(0, m_end);
    m_throughput->markDirty();
    m_latency->markDirty();
    m_stack->append();
    if (m_model.warmupSeconds() != m_warmupDrawn)
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
    m_warmupDrawn = m_model.warmupSeconds();
    m_throughput->setMovableEdge(stored && stored->phasesDamage.empty() ? std::optional(warmup) : std::nullopt);
    for (PlotCard* card : cards())
        markCard(*card);
}

void RunPlots::markCard(PlotCard& card) const
{
    const StoredRun* stored = m_shown.stored();
    const double warmup = stored ? double(stored->warmupEndNs) / 1e9 : m_model.warmupSeconds();
    // They stay where they were when the end of the warm-up moves; where that was may not be known.
    const bool known = m_model.load() && (!stored || stored->phasesDamage.empty());
    const double measuredFrom =
        stored ? double(stored->recordedWarmupEndNs.value_or(stored->warmupEndNs)) / 1e9 : warmup;
    card.clearMarks();
    card.setPhases(known ? plotPhases(*m_model.load(), measuredFrom) : std::vector<PlotPhase>());
    if (warmup > 0)
        card.addBand(0, warmup, BandKind::Warmup, tr("warm-up"));
    addStalls(card);
    for (const EventRow& event : m_model.events()) {
        if (m_shown.noteOf(event))
            card.addNote(event.seconds, event.text);
        else if (event.kind != EventKind::Phase)
            card.addTick(event.seconds, QStringLiteral("%1  %2").arg(format::clock(event.seconds), event.text));
    }
    card.markDirty();
}

void RunPlots::addStalls(PlotCard& card) const
{
    const std::vector<Stall>& stalls = m_model.stalls();
    constexpr std::size_t kMostNotes = 4; // more would cover each other
    const bool notes = &card == m_throughput && stalls.size() <= kMostNotes;
    for (const Stall& stall : stalls) {
        const double at = double(stall.tNs) / 1e9, length = double(stall.lengthNs) / 1e9;
        card.addBand(at, at + length, BandKind::Stall, notes ? stallNote(stall) : QString(), tipOf(stall));
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
