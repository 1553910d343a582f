// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plots/plot_items.h"

#include <QPointF>

#include <vector>

namespace dyno {

//! Where curves bend, as a dotted line down to x with a name beside the point. Drawn on the screen and in exported
//! pictures alike. GUI thread.
class KneeMarks : public CardItem
{
public:
    struct Mark
    {
        int series;
        QPointF at; //!< in the plot's coordinates
        QString text;
    };
    explicit KneeMarks(PlotCard& card);

    void setMarks(const std::vector<Mark>& marks) { m_marks = marks; }
    //! At the last drawing; of hidden series none.
    [[nodiscard]] const std::vector<Mark>& drawn() const { return m_drawn; }

protected:
    void draw(QCPPainter* painter) override;

private:
    std::vector<Mark> m_marks, m_drawn;
};

} // namespace dyno
