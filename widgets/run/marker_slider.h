// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The scrub bar of a replay: a slider with a tick for each marker below its groove, and a cut where a run begins. GUI
//! thread.
#pragma once

#include "run/replay_markers.h"

#include <QSlider>

#include <vector>

namespace dyno {

class MarkerSlider : public QSlider
{
    Q_OBJECT
public:
    explicit MarkerSlider(QWidget* parent = nullptr);

    void setAxis(double seconds, std::vector<ReplayMarker> markers);
    void setPosition(double seconds); //!< emits nothing
    [[nodiscard]] int markerCount() const { return int(m_markers.size()); }
    [[nodiscard]] double xOf(double seconds) const; //!< pixels
    //! The markers within a few pixels of `x` a line each, else the time there.
    [[nodiscard]] QString textAt(double x) const;

signals:
    void wanted(double seconds); //!< the person wants this position

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override; //!< keys are the replay bar's

private:
    [[nodiscard]] QRect part(QStyle::SubControl control) const;
    [[nodiscard]] double secondsAt(double x) const;
    [[nodiscard]] const ReplayMarker* markerAt(double x) const;

    std::vector<ReplayMarker> m_markers;
    double m_seconds = 0;
};

} // namespace dyno
