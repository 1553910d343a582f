// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Draws what is dirty and visible: for new data at most 30 times a second, while a person pans or zooms at most 60
//! times; asleep while nothing is dirty. GUI thread.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QTimer>

#include <vector>

namespace dyno {

class PlotCard;

class FrameTicker : public QObject
{
    Q_OBJECT
public:
    static constexpr int kFrameMs = 33;
    static constexpr int kHandFrameMs = 16;
    enum class Pace { Data, Hand };
    static FrameTicker& instance();
    //! A card that is not visible stays dirty and is drawn when it is shown, or scrolled into view.
    void markDirty(PlotCard* card, Pace pace = Pace::Data);
    [[nodiscard]] bool idle() const { return m_dirty.empty() && m_frame.empty(); }
    [[nodiscard]] int framesDrawn() const { return m_frames; } //!< plots drawn since the start

private:
    FrameTicker();
    void draw();
    void startTimer();
    QTimer m_timer;
    QElapsedTimer m_sinceFrame;              //!< since the last frame was begun
    Pace m_pace = Pace::Data;                //!< of the next frame
    std::vector<QPointer<PlotCard>> m_dirty; //!< for the next frame
    std::vector<QPointer<PlotCard>> m_frame; //!< what is still to be drawn of this one
    int m_frames = 0;
};

} // namespace dyno
