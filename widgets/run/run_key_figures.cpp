// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/run_key_figures.h"

#include "format.h"
#include "parts/card.h"
#include "run/live_run_model.h"
#include "run/run_baseline.h"

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

QString limitText(const QString& reason)
{
    return RunKeyFigures::tr("client-limited: %1").arg(reason);
}

QString limitHelp(const QString& reason)
{
    return RunKeyFigures::
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
        lines << RunKeyFigures::tr("CPU time per operation: %1 µs").arg(format::rate(soFar.cpuUsPerOp));
    lines << RunKeyFigures::tr("memory: %1").arg(format::bytes(double(client.rssBytes)));
    lines << RunKeyFigures::tr("context switches per second: %1")
                 .arg(format::rate(seconds > 0 ? double(client.switches) / seconds : 0));
    lines << RunKeyFigures::tr("busiest thread: %1 of a core").arg(format::percent(client.busiestThread));
    if (client.loopLagMs > 0)
        lines << RunKeyFigures::tr("longest wait for the event loop: %1").arg(format::time(client.loopLagMs));
    if (last.arrivals > 0) {
        lines << RunKeyFigures::tr("late starts: %1 of %2 arrivals, %3 waiting")
                     .arg(format::count(qint64(client.lateStarts)), format::count(qint64(last.arrivals)),
                          format::count(qint64(last.backlog)));
    }
    return lines.join(QLatin1Char('\n'));
}

QString orDash(bool have, const QString& text)
{
    return have ? text : QStringLiteral("–");
}

double lastOf(const QVector<double>& values)
{
    return values.isEmpty() ? 0.0 : values.last();
}

} // namespace

RunKeyFigures::RunKeyFigures(const LiveRunModel& model, const RunBaseline& baseline, QWidget* parent)
    : QWidget(parent)
    , m_model(model)
    , m_baseline(baseline)
    , m_throughput(new KeyFigure(tr("Throughput")))
    , m_median(new KeyFigure(tr("Median response")))
    , m_p95(new KeyFigure(tr("95th percentile")))
    , m_p99(new KeyFigure(tr("99th percentile")))
    , m_errors(new KeyFigure(tr("Errors")))
    , m_client(new KeyFigure(tr("Load generator")))
    , m_limit(makeLabel({}, TextRole::Secondary))
{
    setObjectName(QStringLiteral("runKeyFigures"));
    setAccessibleName(tr("Figures of this run"));
    auto* row = new QHBoxLayout;
    row->setSpacing(space::cardGap - 2);
    const std::pair<KeyFigure*, const char*> all[] = {
        {m_throughput, "figureThroughput"}, {m_median, "figureMedian"}, {m_p95, "figureP95"}, {m_p99, "figureP99"},
        {m_errors, "figureErrors"},         {m_client, "figureClient"}};
    for (const auto& [figure, objectName] : all) {
        figure->setObjectName(QString::fromLatin1(objectName));
        row->addWidget(figure, 1);
    }
    m_limit->setWordWrap(true);
    m_limit->setObjectName(QStringLiteral("clientLimit"));
    setTone(m_limit, Tone::Bad);
    m_limit->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::cardGap);
    column->addLayout(row);
    column->addWidget(m_limit);
    for (const auto signal : {&LiveRunModel::runReset, &LiveRunModel::sampleAppended, &LiveRunModel::eventAdded})
        connect(&m_model, signal, this, &RunKeyFigures::refresh);
    connect(&m_baseline, &RunBaseline::changed, this, &RunKeyFigures::refresh);
    refresh();
}

void RunKeyFigures::refresh()
{
    const RunSeries& series = m_model.series();
    const bool have = series.size() > 0;
    const bool whole = have && !m_model.outlined(); // else statements and the generator's health are being read
    m_throughput->setValue(orDash(have, format::rate(lastOf(series.tps))), tr("tps"));
    updateThroughput(whole);
    updateLatencies();
    updateErrors(have && (m_model.soFar().seconds > 0 || !m_model.outlined()));
    updateClient(whole);
    const QString limit = m_model.clientLimit();
    m_limit->setVisible(have && !limit.isEmpty());
    if (have && !limit.isEmpty() && m_limit->text() != limitText(limit)) {
        m_limit->setText(limitText(limit));
        m_limit->setToolTip(limitHelp(limit));
    }
}

//! Beside a baseline, how this run so far stands to it; else statements.
void RunKeyFigures::updateThroughput(bool whole)
{
    const BaselineRun* baseline = m_baseline.run();
    const RunSummary& soFar = m_model.soFar();
    if (baseline && baseline->tps > 0 && soFar.seconds > 0) {
        const double change = soFar.tps / baseline->tps - 1;
        m_throughput->setSecond(tr("%1%2 vs. baseline %3", "sign, percent, throughput")
                                    .arg(change < 0 ? QChar(0x2212) : QLatin1Char('+'),
                                         format::percent(std::fabs(change)), format::rate(baseline->tps)));
    } else {
        m_throughput->setSecond(whole ? tr("%1 statements/s").arg(format::rate(lastOf(m_model.series().qps)))
                                      : QString());
    }
}

void RunKeyFigures::updateLatencies()
{
    const RunSummary& soFar = m_model.soFar();
    const RunSeries& series = m_model.series();
    const bool have = series.size() > 0;
    const auto show = [&](KeyFigure* figure, const QVector<double>& values) {
        const QString text = have ? format::time(lastOf(values)) : QString(); // "9.40 µs"
        const qsizetype unit = text.lastIndexOf(QChar(0x00A0));
        figure->setValue(orDash(unit > 0, text.left(unit)), unit > 0 ? text.mid(unit + 1) : tr("ms"));
    };
    // Response counts from the intended start; where arrivals are scheduled, service time is told beside it.
    const auto second = [&](double LatencySummary::*figure, const QVector<double>& service) {
        if (soFar.seconds <= 0)
            return !have ? QString() : m_model.outlined() ? tr("loading") : tr("warming up");
        return m_model.separateResponse()
                   ? tr("service %1").arg(orDash(have, format::time(lastOf(service)))) // of the same interval
                   : tr("this run %1").arg(format::time(soFar.service.*figure));
    };
    show(m_median, series.response.p50);
    m_median->setSecond(second(&LatencySummary::p50Ms, series.service.p50));
    show(m_p95, series.response.p95);
    m_p95->setSecond(second(&LatencySummary::p95Ms, series.service.p95));
    show(m_p99, series.response.p99);
    const std::vector<Stall>& slow = m_model.stalls();
    const auto stalls = int(std::ranges::count_if(slow, &Stall::stalled));
    const auto times = int(std::ranges::count_if(slow, &Stall::isSlow));
    const int dips = int(slow.size()) - stalls - times;
    // The worst of them, and that there is another kind.
    if (stalls > 0)
        m_p99->setSecond(tr("%n stall(s) in this run", nullptr, stalls), Tone::Warn);
    else if (dips > 0 && times > 0)
        m_p99->setSecond(tr("%1, %2", "dips, latency stalls")
                             .arg(tr("%n dip(s)", nullptr, dips), tr("%n latency stall(s)", nullptr, times)),
                         Tone::Warn);
    else if (times > 0)
        m_p99->setSecond(tr("%n latency stall(s) in this run", nullptr, times), Tone::Warn);
    else if (dips > 0)
        m_p99->setSecond(tr("%n dip(s) in this run", nullptr, dips), Tone::Warn);
    else
        m_p99->setSecond(second(&LatencySummary::p99Ms, series.service.p99));
}

void RunKeyFigures::updateErrors(bool known)
{
    const RunSummary& soFar = m_model.soFar();
    m_errors->setValue(orDash(known, format::count(qint64(soFar.failed))));
    const QString retried = format::count(qint64(soFar.retried));
    const QString retries = soFar.lockWaits > 0 && soFar.dropped == 0
                                ? tr("%1 retried, %2 lock waits").arg(retried, format::count(qint64(soFar.lockWaits)))
                                : tr("%1 retried, %2 dropped").arg(retried, format::count(qint64(soFar.dropped)));
    m_errors->setSecond(known ? retries : QString(), soFar.failed + soFar.dropped > 0 ? Tone::Warn : Tone::Neutral);
}

void RunKeyFigures::updateClient(bool have)
{
    m_client->setValue(orDash(have, format::percent(lastOf(m_model.series().clientCpu))),
                       have ? tr("of a core") : QString());
    m_client->setToolTip(have ? healthText(*m_model.last(), m_model.soFar()) : QString());
    if (!have)
        m_client->setSecond(QString());
    else if (!m_model.clientLimit().isEmpty())
        m_client->setSecond(tr("is the limit"), Tone::Bad);
    else if (m_model.embedded())
        m_client->setSecond(tr("includes the engine"));
    else
        m_client->setSecond(tr("not the limit"), Tone::Good);
}

} // namespace dyno
