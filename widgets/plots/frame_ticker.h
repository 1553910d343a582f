// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Draws what is dirty and visible, at most 30 times a second; asleep while nothing is dirty. GUI thread.
#pragma once

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
    static FrameTicker& instance();
    void markDirty(PlotCard* card); //!< a card that is not visible stays dirty and is drawn when it is shown
    [[nodiscard]] bool idle() const { return m_dirty.empty(); }
    [[nodiscard]] int framesDrawn() const { return m_frames; } //!< plots drawn since the start

private:
    FrameTicker();
    void draw();
    QTimer m_timer;
    std::vector<QPointer<PlotCard>> m_dirty;
    int m_frames = 0;
};

} // namespace dyno
