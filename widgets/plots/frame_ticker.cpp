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
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &FrameTicker::draw);
}

void FrameTicker::markDirty(PlotCard* card, Pace pace)
{
    if (std::find(m_dirty.begin(), m_dirty.end(), card) == m_dirty.end())
        m_dirty.emplace_back(card);
    if (pace == Pace::Hand)
        m_pace = pace;
    if (m_frame.empty())
        startTimer();
}

void FrameTicker::startTimer()
{
    int wait = kFrameMs;
    if (m_pace == Pace::Hand)
        wait = m_sinceFrame.isValid() ? std::max(0, kHandFrameMs - int(m_sinceFrame.elapsed())) : 0;
    if (!m_timer.isActive() || m_timer.remainingTime() > wait)
        m_timer.start(wait);
}

void FrameTicker::draw()
{
    if (m_frame.empty()) {
        m_frame.swap(m_dirty);
        m_sinceFrame.start();
        m_pace = Pace::Data;
    }
    // One plot a turn of the event loop, so that no single event takes longer than one plot.
    while (!m_frame.empty()) {
        const QPointer<PlotCard> card = m_frame.front();
        m_frame.erase(m_frame.begin());
        // A hidden card refreshes itself in its show event.
        if (!card || !card->isVisible())
            continue;
        if (!card->isInView()) {
            card->setStale();
            continue;
        }
        card->refreshNow();
        ++m_frames;
        break;
    }
    if (!m_frame.empty())
        m_timer.start(0);
    else if (!m_dirty.empty())
        startTimer();
}

} // namespace dyno
