// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/frame_ticker.h"

#include "plots/plot_card.h"

#include <algorithm>

namespace dyno {

FrameTicker& FrameTicker::instance()
{
    static FrameTicker ticker;
    return ticker;
}

FrameTicker::FrameTicker()
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(kFrameMs);
    connect(&m_timer, &QTimer::timeout, this, &FrameTicker::draw);
}

void FrameTicker::markDirty(PlotCard* card)
{
    if (std::find(m_dirty.begin(), m_dirty.end(), card) == m_dirty.end())
        m_dirty.emplace_back(card);
    if (!m_timer.isActive())
        m_timer.start();
}

void FrameTicker::draw()
{
    // One plot a turn of the event loop, so that no single event takes longer than one plot.
    while (!m_dirty.empty()) {
        const QPointer<PlotCard> card = m_dirty.front();
        m_dirty.erase(m_dirty.begin());
        // A hidden card refreshes itself in its show event.
        if (!card || !card->isVisible())
            continue;
        card->refreshNow();
        ++m_frames;
        break;
    }
    if (!m_dirty.empty())
        m_timer.start(1);
    else
        m_timer.setInterval(kFrameMs);
}

} // namespace dyno
