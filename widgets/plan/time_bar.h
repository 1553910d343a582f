// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Where the time of a plan goes: one bar of segments, and a legend with the time of each. GUI thread.
#pragma once

#include <dyno/plan_time.h>

#include <QString>
#include <QWidget>

#include <vector>

namespace dyno {

class FlowLayout;

class TimeBar : public QWidget
{
    Q_OBJECT
public:
    struct Part
    {
        QString name;   //!< "measuring"
        double seconds; //!< above 0
        int series;     //!< its colour
    };

    explicit TimeBar(QWidget* parent = nullptr);
    void setTime(const RunTime& time); //!< hides itself when it is 0
    [[nodiscard]] const std::vector<Part>& parts() const { return m_parts; }

protected:
    bool event(QEvent* event) override; //!< the tooltip of the segment under the mouse
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] std::vector<QRectF> segments() const; //!< of the parts, in order
    [[nodiscard]] QString textOf(const Part& part) const;

    std::vector<Part> m_parts;
    FlowLayout* m_legend;
};

} // namespace dyno
