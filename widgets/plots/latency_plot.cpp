// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/latency_plot.h"

#include "format.h"

namespace dyno {

LatencyPlot::LatencyPlot(QWidget* parent)
    : PlotCard(tr("Response time"), tr("ms, logarithmic"), parent)
    , m_linear(makeButton(tr("Linear"), "segment"))
    , m_log(makeButton(tr("Logarithmic"), "segment"))
{
    for (QPushButton* button : {m_linear, m_log}) {
        button->setCheckable(true);
        button->setAutoExclusive(true);
        header()->addWidget(button);
    }
    header()->setSpacing(2);
    m_linear->setObjectName(QStringLiteral("latencyLinear"));
    m_log->setObjectName(QStringLiteral("latencyLog"));
    connect(m_linear, &QPushButton::clicked, this, [this] { setLogarithmic(false); });
    connect(m_log, &QPushButton::clicked, this, [this] { setLogarithmic(true); });
    setLogarithmic(true);
}

QString LatencyPlot::valueText(double value) const
{
    return format::milliseconds(value) + QStringLiteral(" ms");
}

void LatencyPlot::setLogarithmic(bool on)
{
    (on ? m_log : m_linear)->setChecked(true);
    setSecondary(on ? tr("ms, logarithmic") : tr("ms"));
    setLogY(on);
}

} // namespace dyno
