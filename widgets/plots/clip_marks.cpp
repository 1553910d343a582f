// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/clip_marks.h"

#include "theme.h"

#include <algorithm>

namespace dyno {

void ClipMarks::add(QCustomPlot& plot, int series, double key, double high)
{
    auto* arrow = new QCPItemText(&plot);
    arrow->setText(QStringLiteral("↑"));
    arrow->position->setTypeX(QCPItemPosition::ptPlotCoords);
    arrow->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    arrow->position->setCoords(key, 0);
    arrow->setPositionAlignment(Qt::AlignHCenter | Qt::AlignTop);
    arrow->setClipToAxisRect(false);
    arrow->setSelectable(false);
    arrow->setVisible(false);
    m_marks.push_back({arrow, series, high});
}

void ClipMarks::clear(QCustomPlot& plot)
{
    for (const Mark& mark : m_marks) {
        if (mark.arrow)
            plot.removeItem(mark.arrow);
    }
    m_marks.clear();
}

void ClipMarks::place(double upper, const std::function<bool(int)>& isShown)
{
    for (const Mark& mark : m_marks) {
        if (mark.arrow)
            mark.arrow->setVisible(isShown(mark.series) && mark.high > upper);
    }
}

int ClipMarks::shown() const
{
    return int(std::ranges::count_if(m_marks, [](const Mark& mark) { return mark.arrow && mark.arrow->visible(); }));
}

void ClipMarks::dress(const std::function<QColor(int)>& colorOf)
{
    for (const Mark& mark : m_marks) {
        mark.arrow->setColor(colorOf(mark.series));
        mark.arrow->setFont(Theme::font(TextRole::Label));
    }
}

} // namespace dyno
