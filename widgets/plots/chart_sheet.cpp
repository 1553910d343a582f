// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/chart_sheet.h"

namespace dyno {

void ChartSheet::begin(Place place, const ExportWords& words)
{
    m_place = place;
    m_words = words;
    m_cards.clear();
    m_used = 0;
    m_layers = 1;
    if (place == Place::Fresh)
        m_widgets[std::size_t(place)].clear();
}

void ChartSheet::addCard(PlotCard& card)
{
    card.setExportWords(m_words);
    m_cards.push_back(&card);
}

void ChartSheet::end()
{
    m_widgets[std::size_t(m_place)].resize(m_used);
    if (m_place != Place::Fresh)
        return;
    for (std::size_t i = 1; i < m_used; ++i) {
        QWidget& widget = *m_widgets[std::size_t(m_place)][i];
        widget.setObjectName(widget.objectName() + QString::number(i + 1));
    }
}

std::vector<std::unique_ptr<QWidget>> ChartSheet::take()
{
    Widgets all;
    for (Widgets& list : m_widgets) {
        for (auto& widget : list)
            all.push_back(std::move(widget));
        list.clear();
    }
    m_cards.clear();
    return all;
}

} // namespace dyno
