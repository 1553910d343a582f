// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Where a replay stands and how fast it goes: play, pause, ×1 … ×1000, seek, jump between markers. GUI thread.
#pragma once

#include "run/replay_markers.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <vector>

namespace dyno {

class ReplayClock : public QObject
{
    Q_OBJECT
public:
    static constexpr double kFastest = 1000;

    explicit ReplayClock(QObject* parent = nullptr);

    //! Another axis from 0 to `length` seconds; pauses and stands at 0 without telling.
    void setAxis(double length, std::vector<ReplayMarker> markers);
    [[nodiscard]] double length() const { return m_length; }     //!< seconds
    [[nodiscard]] double position() const { return m_position; } //!< seconds
    [[nodiscard]] bool playing() const { return m_timer.isActive(); }
    [[nodiscard]] double speed() const { return m_speed; }
    [[nodiscard]] const std::vector<ReplayMarker>& markers() const { return m_markers; } //!< in order of time

    //! Plays on by `seconds` of the axis; what the timer does.
    void advance(double seconds);

public slots:
    void play(); //!< from the beginning when it stands at the end
    void pause();
    void setSpeed(double factor); //!< 1 … kFastest
    void seek(double seconds);
    void jump(bool forward); //!< to the next marker, or the one before; to the end where there is none

signals:
    void axisChanged();
    void advanced(double seconds);        //!< played on to here
    void sought(double seconds);          //!< the state is another one: it is to be made anew
    void positionChanged(double seconds); //!< after either
    void ended();                         //!< the end was reached, playing or sought
    void playingChanged(bool playing);

private:
    QTimer m_timer;
    QElapsedTimer m_sinceTick;
    std::vector<ReplayMarker> m_markers;
    double m_length = 0, m_position = 0, m_speed = 10;
};

} // namespace dyno
