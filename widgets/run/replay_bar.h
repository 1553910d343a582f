// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Play, speed, scrub slider with markers and time of a replay, and its keys. GUI thread.
#pragma once

#include "parts/labels.h"
#include "run/replay_clock.h"

#include <QComboBox>

class QHBoxLayout;

namespace dyno {

class MarkerSlider;

class ReplayBar : public QWidget
{
    Q_OBJECT
public:
    explicit ReplayBar(ReplayClock& clock, QWidget* parent = nullptr);
    [[nodiscard]] MarkerSlider* slider() const { return m_slider; }
    [[nodiscard]] QComboBox* speed() const { return m_speed; }
    [[nodiscard]] QPushButton* playButton() const { return m_play; }
    void addChoice(QWidget* widget); //!< stands before the slider

    //! Space plays and pauses; Left and Right (Page Up and Down: ten times as far) step; with Ctrl they go to the
    //! neighbouring marker; + and − change the speed; Home and End. False for another key.
    bool handleKey(const QKeyEvent& event);

private:
    void updateAxis();
    void onPosition(double seconds);
    void onPlaying(bool playing);
    void stepSpeed(int by);

    ReplayClock& m_clock;
    QPushButton *m_back, *m_play, *m_next;
    QComboBox* m_speed;
    MarkerSlider* m_slider;
    FigureLabel* m_time;
    QHBoxLayout* m_line;
};

} // namespace dyno
