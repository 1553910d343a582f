// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Play, speed, scrub slider and time of a replay. GUI thread.
#pragma once

#include "bridge/replay_source.h"
#include "forms/labels.h"

#include <QComboBox>
#include <QSlider>

namespace dyno {

class ReplayBar : public QWidget
{
    Q_OBJECT
public:
    explicit ReplayBar(ReplaySource& source, QWidget* parent = nullptr);
    [[nodiscard]] QSlider* slider() const { return m_slider; }
    [[nodiscard]] QComboBox* speed() const { return m_speed; }
    [[nodiscard]] QPushButton* playButton() const { return m_play; }

private:
    void onReady();
    void onPosition(double seconds);
    void onPlaying(bool playing);

    ReplaySource& m_source;
    QPushButton* m_play;
    QComboBox* m_speed;
    QSlider* m_slider;
    FigureLabel* m_time;
};

} // namespace dyno
