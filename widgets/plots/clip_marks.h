// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plots/qcp.h"

#include <QPointer>

#include <functional>
#include <vector>

namespace dyno {

//! Arrows at the upper edge of a chart, where an interval goes on above it. GUI thread.
class ClipMarks
{
public:
    //! `high`: where the interval ends.
    void add(QCustomPlot& plot, int series, double key, double high);
    void clear(QCustomPlot& plot);
    //! Shows those that are needed up to `upper`, the end of the axis.
    void place(double upper, const std::function<bool(int series)>& isShown);
    [[nodiscard]] int shown() const;
    void dress(const std::function<QColor(int series)>& colorOf);

private:
    struct Mark
    {
        QPointer<QCPItemText> arrow;
        int series = 0;
        double high = 0;
    };
    std::vector<Mark> m_marks;
};

} // namespace dyno
