// SPDX-License-Identifier: GPL-3.0-or-later
// The figures at the head of the Run page, the line that says when the load generator is the limit, and the stalls.
#include "format.h"
#include "parts/card.h"
#include "run/run_page.h"

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

QString limitText(const QString& reason)
{
    return RunPage::tr("client-limited: %1").arg(reason);
}

QString limitHelp(const QString& reason)
{
    return RunPage::
        tr("The load generator is the limit: %1.\nA faster server would show no more. Give the generator more cores, "
           "more loops or fewer users, or run it on another machine.")
            .arg(reason);
}

//! The generator's own figures: of the run so far, and of the last interval.
QString healthText(const IntervalSample& last, const RunSummary& soFar)
{
    const ClientHealth& client = last.client;
    const double seconds = double(last.lengthNs) / 1e9;
    QStringList lines;
    if (soFar.cpuUsPerOp > 0)
        lines << RunPage::tr("CPU time per operation: %1 µs").arg(format::rate(soFar.cpuUsPerOp));
    lines << RunPage::tr("memory: %1").arg(format::bytes(double(client.rssBytes)));
    lines << RunPage::tr("context switches per second: %1")
                 .arg(format::rate(seconds > 0 ? double(client.switches) / seconds : 0));
    lines << RunPage::tr("busiest thread: %1 of a core").arg(format::percent(client.busiestThread));
    if (client.loopLagMs > 0)
        lines << RunPage::tr("longest wait for the event loop: %1 ms").arg(format::milliseconds(client.loopLagMs));
    if (last.arrivals > 0) {
        lines << RunPage::tr("late starts: %1 of %2 arrivals, %3 waiting")
                     .arg(format::count(qint64(client.lateStarts)), format::count(qint64(last.arrivals)),
                          format::count(qint64(last.backlog)));
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace

void RunPage::buildFigures(QVBoxLayout& page)
{
    m_figures = {new KeyFigure(tr("Throughput")),      new KeyFigure(tr("Median response")),
                 new KeyFigure(tr("95th percentile")), new KeyFigure(tr("99th percentile")),
                 new KeyFigure(tr("Errors")),          new KeyFigure(tr("Load generator"))};
    auto* row = new QHBoxLayout;
    row->setSpacing(space::cardGap - 2);
    const std::array<std::pair<KeyFigure*, const char*>, 6> all = {{{m_figures.throughput, "figureThroughput"},
                                                                    {m_figures.median, "figureMedian"},
                                                                    {m_figures.p95, "figureP95"},
                                                                    {m_figures.p99, "figureP99"},
                                                                    {m_figures.errors, "figureErrors"},
                                                                    {m_figures.client, "figureClient"}}};
    for (const auto& [figure, objectName] : all) {
        figure->setObjectName(QString::fromLatin1(objectName));
        row->addWidget(figure, 1);
    }
    page.addLayout(row);
    m_limit = makeLabel({}, TextRole::Secondary);
    m_limit->setWordWrap(true);
    m_limit->setObjectName(QStringLiteral("clientLimit"));
    setTone(m_limit, Tone::Bad);
    m_limit->hide();
    page.addWidget(m_limit);
}

void RunPage::updateFigures()
{
    const RunSummary& soFar = m_model.soFar();
    const RunSeries& series = m_model.series();
    const bool have = series.size() > 0;
    const bool measured = soFar.seconds > 0;
    const bool known = have && (measured || !m_model.outlined()); // else they are being read
    const auto lastOf = [](const QVector<double>& values) { return values.isEmpty() ? 0.0 : values.last(); };
    const auto msText = [&](double value) { return have ? format::milliseconds(value) : QStringLiteral("–"); };
    // Response counts from the intended start; where arrivals are scheduled, service time is told beside it.
    const bool scheduled = m_model.separateResponse();
    const auto second = [&](double LatencySummary::*figure, const QVector<double>& service) {
        if (!measured)
            return known ? tr("warming up") : have ? tr("loading") : QString();
        return scheduled ? tr("service %1 ms").arg(msText(lastOf(service))) // of the same interval
                         : tr("this run %1 ms").arg(format::milliseconds(soFar.service.*figure));
    };
    m_figures.throughput->setValue(have ? format::rate(lastOf(series.tps)) : QStringLiteral("–"), tr("tps"));
    m_figures.throughput->setSecond(
        have && !m_model.outlined() ? tr("%1 statements/s").arg(format::rate(lastOf(series.qps))) : QString());
    m_figures.median->setValue(msText(lastOf(series.response.p50)), tr("ms"));
    m_figures.median->setSecond(second(&LatencySummary::p50Ms, series.service.p50));
    m_figures.p95->setValue(msText(lastOf(series.response.p95)), tr("ms"));
    m_figures.p95->setSecond(second(&LatencySummary::p95Ms, series.service.p95));
    m_figures.p99->setValue(msText(lastOf(series.response.p99)), tr("ms"));
    const std::vector<Stall>& slow = m_model.stalls();
    const auto stalls = int(std::count_if(slow.begin(), slow.end(), [](const Stall& one) { return one.stalled; }));
    if (stalls > 0)
        m_figures.p99->setSecond(tr("%n stall(s) in this run", nullptr, stalls), Tone::Warn);
    else if (!slow.empty())
        m_figures.p99->setSecond(tr("%n dip(s) in this run", nullptr, int(slow.size())), Tone::Warn);
    else
        m_figures.p99->setSecond(second(&LatencySummary::p99Ms, series.service.p99));
    m_figures.errors->setValue(known ? format::count(qint64(soFar.failed)) : QStringLiteral("–"));
    const QString retried = format::count(qint64(soFar.retried));
    const QString retries = soFar.lockWaits > 0 && soFar.dropped == 0
                                ? tr("%1 retried, %2 lock waits").arg(retried, format::count(qint64(soFar.lockWaits)))
                                : tr("%1 retried, %2 dropped").arg(retried, format::count(qint64(soFar.dropped)));
    m_figures.errors->setSecond(known ? retries : QString(),
                                soFar.failed + soFar.dropped > 0 ? Tone::Warn : Tone::Neutral);
    const bool client = have && !m_model.outlined();
    m_figures.client->setValue(client ? format::percent(lastOf(series.clientCpu)) : QStringLiteral("–"),
                               client ? tr("of a core") : QString());
    m_figures.client->setToolTip(client ? healthText(*m_model.last(), soFar) : QString());
    const QString limit = m_model.clientLimit();
    if (!client)
        m_figures.client->setSecond(QString());
    else if (!limit.isEmpty())
        m_figures.client->setSecond(tr("is the limit"), Tone::Bad);
    else if (m_model.embedded())
        m_figures.client->setSecond(tr("includes the engine"));
    else
        m_figures.client->setSecond(tr("not the limit"), Tone::Good);
    m_limit->setVisible(have && !limit.isEmpty());
    if (have && !limit.isEmpty() && m_limit->text() != limitText(limit)) {
        m_limit->setText(limitText(limit));
        m_limit->setToolTip(limitHelp(limit));
    }
}

void RunPage::addStalls(PlotCard& card) const
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

//! Draws the bands anew when there are others.
void RunPage::checkStalls()
{
    std::vector<std::pair<std::int64_t, std::int64_t>> now;
    for (const Stall& stall : m_model.stalls())
        now.emplace_back(stall.tNs, stall.lengthNs);
    for (const auto& [from, to] : m_model.starved())
        now.emplace_back(-std::llround(from * 1e9) - 1, std::llround((to - from) * 1e9)); // apart from those of stalls
    if (now == m_stallsShown)
        return;
    m_stallsShown = std::move(now);
    updateMarks();
    updateFigures();
}

} // namespace dyno
