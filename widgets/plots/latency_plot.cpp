// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/latency_plot.h"

#include "format.h"
#include "plots/plot_style.h"

#include <QButtonGroup>

namespace dyno {

LatencyPlot::LatencyPlot(QWidget* parent)
    : PlotCard(tr("Response time"), {}, parent)
    , m_response(makeButton(tr("Response"), "segment"))
    , m_service(makeButton(tr("Service"), "segment"))
    , m_linear(makeButton(tr("Linear"), "segment"))
    , m_log(makeButton(tr("Logarithmic"), "segment"))
{
    auto* times = new QButtonGroup(this);
    auto* scales = new QButtonGroup(this);
    for (QPushButton* button : {m_response, m_service, m_linear, m_log}) {
        button->setCheckable(true);
        (button == m_response || button == m_service ? times : scales)->addButton(button);
        header()->addWidget(button);
        if (button == m_service)
            header()->addSpacing(10);
    }
    header()->setSpacing(2);
    m_response->setObjectName(QStringLiteral("latencyResponse"));
    m_response->setToolTip(tr("From when the transaction was due: what a user waits"));
    m_service->setObjectName(QStringLiteral("latencyService"));
    m_service->setToolTip(tr("From when the transaction started: what the server takes"));
    m_linear->setObjectName(QStringLiteral("latencyLinear"));
    m_log->setObjectName(QStringLiteral("latencyLog"));
    connect(m_response, &QPushButton::clicked, this, [this] { setShowsService(false); });
    connect(m_service, &QPushButton::clicked, this, [this] { setShowsService(true); });
    connect(m_linear, &QPushButton::clicked, this, [this] { setLogarithmic(false); });
    connect(m_log, &QPushButton::clicked, this, [this] { setLogarithmic(true); });
    m_response->setChecked(true);
    m_response->hide();
    m_service->hide();
    setLogarithmic(true);
}

QString LatencyPlot::valueText(double value) const
{
    return format::time(value);
}

void LatencyPlot::setLogarithmic(bool on)
{
    (on ? m_log : m_linear)->setChecked(true);
    setLogY(on);
    followUnit();
}

void LatencyPlot::updateRanges()
{
    PlotCard::updateRanges();
    followUnit();
}

//! Times grow while a run goes on, and what fits them changes.
void LatencyPlot::followUnit()
{
    const QCPRange range = plot().yAxis->range();
    const bool any = graphsHaveData();
    const TimeUnit unit = any ? axisTimeUnit(range.lower, range.upper, isLogY()) : timeUnitOf(0);
    if (const QString name = QString::fromUtf8(unit.name); name != timeUnitName())
        setTimeUnit(unit);
    setSecondary(isLogY() ? tr("%1, logarithmic", "unit of time").arg(timeUnitName()) : timeUnitName());
}

bool LatencyPlot::graphsHaveData() const
{
    for (int i = 0; i < seriesCount(); ++i) {
        if (!graph(i).data()->isEmpty())
            return true;
    }
    return false;
}

void LatencyPlot::setSeparate(bool on)
{
    if (on == m_separate)
        return;
    m_separate = on;
    m_response->setVisible(on);
    m_service->setVisible(on);
    updateTitles();
    if (m_showsService)
        emit latencyChosen();
}

void LatencyPlot::setShowsService(bool on)
{
    (on ? m_service : m_response)->setChecked(true);
    if (on == m_showsService)
        return;
    m_showsService = on;
    updateTitles();
    emit latencyChosen();
}

void LatencyPlot::updateTitles()
{
    setTitle(showsService() ? tr("Service time") : tr("Response time"));
    plot().setAccessibleName(title());
}

} // namespace dyno
