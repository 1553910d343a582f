// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/run_plots.h"

#include "format.h"
#include "parts/choice_pill.h"
#include "plots/crosshair_group.h"
#include "qt_text.h"

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

constexpr int kBaseline = 1;    //!< its series in the plot of the throughput
constexpr int kEndRoom = 116;   //!< for "baseline 128 400", pixels
constexpr int kMinXSeconds = 5; //!< an open-ended run shows at least this much

//! A card with one line, for what matters less.
PlotCard* makeLine(const QString& title, const QString& unit, const char* objectName, const QString& series, int color)
{
    auto* card = new PlotCard(title, unit);
    card->setObjectName(QString::fromLatin1(objectName));
    card->addSeries(series, {.color = color, .width = 1.5});
    return card;
}

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
    m_errors = makeLine(tr("Errors"), tr("per second"), "errorsPlot", tr("errors"), 1);
    m_errors->setYCeiling(4);
    m_client = makeLine(tr("Generator"), tr("% of a core"), "clientPlot", tr("load generator"), 2);
    m_client->setYCeiling(10);
    m_host = makeLine(tr("Host CPU"), tr("% of all cores"), "hostPlot", tr("host"), 3);
    m_host->setYCeiling(100);
    m_counter = new CounterPlot;
    m_counter->setObjectName(QStringLiteral("counterPlot"));
    for (PlotCard* card : cards())
        card->setCrosshairGroup(m_crosshair);
    connect(m_latency, &LatencyPlot::latencyChosen, this, [this] {
        for (int i = 0; i < m_latency->seriesCount(); ++i)
            m_latency->graph(i).data()->clear();
        appendLatencies(0);
        m_latency->markDirty();
    });
    connect(m_counter, &CounterPlot::counterChosen, this, [this] {
        m_counter->graph(0).data()->clear();
        appendCounter(0);
        m_counter->markDirty();
    });
}

void RunPlots::layOut()
{
    auto* small = new QHBoxLayout;
    small->setSpacing(space::cardGap);
    for (PlotCard* card : {m_errors, m_client, m_host, static_cast<PlotCard*>(m_counter)}) {
        card->setCompact(true);
        card->setMaximumHeight(170);
        small->addWidget(card, card == m_counter ? 9 : card == m_errors ? 5 : 6); // names of counters are long
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
    return {m_throughput, m_latency, m_errors, m_client, m_host, m_counter};
}

void RunPlots::markDirty()
{
    for (PlotCard* card : cards())
        card->markDirty();
}

void RunPlots::reset()
{
    m_drawn = 0;
    m_stallsDrawn.clear();
    m_counter->setCounters(m_model.run() ? m_model.run()->counters : std::vector<CounterInfo>());
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

void RunPlots::appendCounter(qsizetype from)
{
    const RunSeries& series = m_model.series();
    const auto counter = std::size_t(m_counter->chosen());
    if (m_counter->chosen() < 0 || counter >= series.counters.size())
        return;
    for (qsizetype i = from; i < series.size(); ++i) // what is not known is a gap in the line
        m_counter->graph(0).addData(series.time[i], m_counter->scaled(series.counters[counter][i]));
}

void RunPlots::append()
{
    const RunSeries& series = m_model.series();
    m_latency->setSeparate(m_model.separateResponse());
    appendLatencies(m_drawn);
    appendCounter(m_drawn);
    for (; m_drawn < series.size(); ++m_drawn) {
        const double t = series.time[m_drawn];
        m_throughput->graph(0).addData(t, series.tps[m_drawn]);
        m_errors->graph(0).addData(t, series.errors[m_drawn]);
        m_client->graph(0).addData(t, series.clientCpu[m_drawn] * 100);
        m_host->graph(0).addData(t, series.hostBusy[m_drawn] * 100);
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
    for (PlotCard* card : cards()) {
        card->clearMarks();
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
