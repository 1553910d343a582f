// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/phase_band.h"

#include "format.h"
#include "plots/plot_style.h"
#include "qt_text.h"

#include <dyno/load_phases.h>

#include <algorithm>
#include <map>

namespace dyno {

namespace {

constexpr int kBandHeight = 16, kBandGap = 3;              //!< pixels; below the plot
constexpr int kCompactBandHeight = 4, kCompactBandGap = 2; //!< without names
constexpr double kNameInset = 5;
constexpr double kLeastTint = 0.10, kMostTint = 0.34; //!< of the second text's colour

struct PhaseWords
{
    Q_DECLARE_TR_FUNCTIONS(dyno::PhaseBand)
};

QString secondsWords(double seconds)
{
    return PhaseWords::tr("%1 s").arg(QString::number(seconds, 'g', 10));
}

QString shareWords(const PhaseShare& share)
{
    QString text = (share.of == 1 ? PhaseWords::tr("%1 of %2 user", "one") : PhaseWords::tr("%1 of %2 users"))
                       .arg(format::count(share.users), format::count(share.of));
    if (share.open)
        text = PhaseWords::tr("%1, %2 arrivals/s", "users").arg(text, format::rate(share.rate));
    if (!share.weights.empty())
        text = PhaseWords::tr("%1, %2", "users, weights of sections").arg(text, qtText(weightsText(share.weights)));
    return share.group.empty() ? text : PhaseWords::tr("%1: %2", "group, its load").arg(qtText(share.group), text);
}

} // namespace

std::vector<PlotPhase> plotPhases(const LoadProfile& load, double measuredFrom)
{
    std::map<std::string, double> highest; // rates, by group
    for (const LoadPhase& phase : load.phases) {
        for (const PhaseShare& share : sharesIn(load, phase))
            highest[share.group] = std::max(highest[share.group], share.rate);
    }
    std::vector<PlotPhase> phases;
    double from = measuredFrom;
    for (const LoadPhase& phase : load.phases) {
        PlotPhase one;
        one.from = from;
        one.to = from += phase.seconds;
        one.name = qtText(phase.name);
        one.tooltip = PhaseWords::tr("%1: %2", "phase, how long").arg(one.name, secondsWords(phase.seconds));
        if (phase.rampSeconds > 0)
            one.tooltip = PhaseWords::tr("%1 with a ramp of %2").arg(one.tooltip, secondsWords(phase.rampSeconds));
        const std::vector<PhaseShare> shares = sharesIn(load, phase);
        one.level = 0;
        for (const PhaseShare& share : shares) {
            one.tooltip += QLatin1Char('\n') + shareWords(share);
            const double most = share.open ? highest[share.group] : double(share.of);
            one.level += most > 0 ? (share.open ? share.rate : double(share.users)) / most / double(shares.size()) : 0;
        }
        phases.push_back(std::move(one));
    }
    return phases;
}

std::vector<PlotPhase> plotPhasesOf(const StoredSession& session, const StoredRun& run)
{
    const auto point = static_cast<std::size_t>(run.header.point);
    if (run.header.point < 0 || point >= session.header.points.size() || !run.phasesDamage.empty())
        return {};
    // They stay where they were when the end of the warm-up moves.
    return plotPhases(session.header.points[point].load,
                      double(run.recordedWarmupEndNs.value_or(run.warmupEndNs)) * 1e-9);
}

PhaseBand::PhaseBand(PlotCard& card)
    : CardItem(card, QStringLiteral("labels"))
{
}

int PhaseBand::height() const
{
    if (card().m_phases.empty())
        return 0;
    return card().m_compact ? kCompactBandHeight + kCompactBandGap : kBandHeight + kBandGap;
}

QRectF PhaseBand::rectOf(const PlotPhase& phase) const
{
    const QRectF area = rect().rect();
    const QCPAxis& axis = *parentPlot()->xAxis;
    const double left = std::max(area.left(), axis.coordToPixel(phase.from));
    const double right = std::min(area.right() + 1, axis.coordToPixel(phase.to)) - 1; // a gap to the next one
    if (right - left < 1)
        return {};
    const bool compact = card().m_compact;
    return {left, area.bottom() + (compact ? kCompactBandGap : kBandGap), right - left,
            double(compact ? kCompactBandHeight : kBandHeight - 1)};
}

QString PhaseBand::tooltipAt(const QPointF& pos) const
{
    for (const PlotPhase& phase : card().m_phases) {
        if (rectOf(phase).adjusted(0, -2, 1, 2).contains(pos))
            return phase.tooltip;
    }
    return {};
}

QString drawPhase(QPainter& painter, const QRectF& box, const PlotPhase& phase, const ThemeColors& colors, bool named)
{
    const double tint = kLeastTint + (kMostTint - kLeastTint) * std::clamp(phase.level, 0.0, 1.0);
    painter.setPen(Qt::NoPen);
    painter.setBrush(blend(colors.secondText, colors.surface, tint));
    painter.drawRoundedRect(box, 2, 2);
    painter.setBrush(Qt::NoBrush);
    if (!named)
        return {};
    painter.setFont(Theme::font(TextRole::Label));
    const QFontMetricsF metrics(painter.font());
    const double room = box.width() - 2 * kNameInset;
    QString name = metrics.elidedText(phase.name, Qt::ElideRight, room);
    if (room < metrics.horizontalAdvance(QStringLiteral("m…")) && name != phase.name)
        name.clear(); // an ellipsis alone says nothing
    painter.setPen(colors.text);
    painter.drawText(box.adjusted(kNameInset, 0, -kNameInset, 0), Qt::AlignLeft | Qt::AlignVCenter, name);
    return name;
}

void PhaseBand::draw(QCPPainter* painter)
{
    m_drawn.clear();
    for (const PlotPhase& phase : card().m_phases) {
        const QRectF box = rectOf(phase);
        if (box.isEmpty())
            continue;
        const QString name = drawPhase(*painter, box, phase, *card().m_colors, !card().m_compact);
        if (!card().m_compact)
            m_drawn << name;
    }
}

} // namespace dyno
