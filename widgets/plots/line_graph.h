// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The line of a series. Where there are more values than columns of pixels, it is drawn as what can be seen of it: in
//! each column one bar from the lowest to the highest point of the line, so that no spike disappears and a day draws as
//! fast as a minute. Pictures without pixels (SVG, PDF) get the whole line. GUI thread.
#pragma once

#include "plots/qcp.h"

#include <vector>

namespace dyno {

class LineGraph : public QCPGraph
{
public:
    LineGraph(QCPAxis* keyAxis, QCPAxis* valueAxis);

    //! What a line takes of one column of pixels; low > high: nothing.
    struct Column
    {
        double low, high; //!< values
    };
    //! The line through the points with lower <= key < upper and their neighbours, in `count` columns of equal width;
    //! NaN interrupts it. `log`: the keys stand on a logarithmic axis.
    [[nodiscard]] static std::vector<Column> columnsOf(const QCPGraphDataContainer& points, const QCPRange& keys,
                                                       int count, bool log);

protected:
    void draw(QCPPainter* painter) override;

private:
    void drawFirst(QCPPainter& painter) const;
    void drawColumns(QCPPainter& painter, const std::vector<Column>& columns, double scale) const;
};

} // namespace dyno
