// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/crosshair_group.h"

#include "plots/plot_card.h"

namespace dyno {

void CrosshairGroup::add(PlotCard* card)
{
    std::erase_if(m_cards, [](const QPointer<PlotCard>& one) { return !one; });
    m_cards.emplace_back(card);
}

void CrosshairGroup::moveTo(double x)
{
    for (const auto& card : m_cards)
        if (card)
            card->showCrosshair(x);
}

void CrosshairGroup::hide()
{
    for (const auto& card : m_cards)
        if (card)
            card->hideCrosshair();
}

void CrosshairGroup::shareXRange(const PlotCard* from, const QCPRange& range)
{
    if (m_busy)
        return;
    m_busy = true;
    for (const auto& card : m_cards)
        if (card && card != from)
            card->plot().xAxis->setRange(range);
    m_busy = false;
}

void CrosshairGroup::resetZoomQuietly()
{
    for (const auto& card : m_cards)
        if (card)
            card->resetZoom(false);
}

void CrosshairGroup::resetZoom()
{
    for (const auto& card : m_cards)
        if (card)
            card->resetZoom();
}

} // namespace dyno
