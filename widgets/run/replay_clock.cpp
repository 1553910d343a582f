// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/replay_clock.h"

#include <algorithm>

namespace dyno {

namespace {

constexpr int kTickMs = 33;

} // namespace

ReplayClock::ReplayClock(QObject* parent)
    : QObject(parent)
{
    m_timer.setInterval(kTickMs);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, [this] { advance(double(m_sinceTick.restart()) / 1000 * m_speed); });
}

void ReplayClock::setAxis(double length, std::vector<ReplayMarker> markers)
{
    pause();
    m_length = length;
    m_position = 0;
    m_markers = std::move(markers);
    emit axisChanged();
}

void ReplayClock::play()
{
    if (m_length <= 0 || playing())
        return;
    if (m_position >= m_length)
        seek(0);
    m_sinceTick.start();
    m_timer.start();
    emit playingChanged(true);
}

void ReplayClock::pause()
{
    if (!playing())
        return;
    m_timer.stop();
    emit playingChanged(false);
}

void ReplayClock::setSpeed(double factor)
{
    m_speed = std::clamp(factor, 1.0, kFastest);
}

void ReplayClock::advance(double seconds)
{
    m_position = std::min(m_length, m_position + seconds);
    emit advanced(m_position);
    emit positionChanged(m_position);
    if (m_position >= m_length) {
        pause();
        emit ended();
    }
}

void ReplayClock::seek(double seconds)
{
    m_position = std::clamp(seconds, 0.0, m_length);
    emit sought(m_position);
    emit positionChanged(m_position);
    if (m_position >= m_length)
        emit ended();
}

void ReplayClock::jump(bool forward)
{
    const ReplayMarker* marker = nextMarker(m_markers, m_position, forward);
    seek(marker ? marker->at : forward ? m_length : 0);
}

} // namespace dyno
