// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a chart is drawn on: makes the cards, uses those of the last drawing again, and owns them. GUI thread.
#pragma once

#include "plots/plot_card.h"

#include <array>
#include <memory>
#include <type_traits>
#include <vector>

namespace dyno {

class ChartSheet
{
public:
    enum class Place {
        Kept,  //!< cards in a grid that stay from drawing to drawing, with what a person did to them (zoom, hidden
               //!< series)
        Whole, //!< one widget that takes all the room, and stays too
        Fresh  //!< cards in a grid, new for each drawing
    };

    //! `words`: PlotCard::exportWords() of the cards that follow. Cards of the last drawing at this place are used
    //! again or deleted, those at other places stay.
    void begin(Place place, const ExportWords& words);
    //! The next widget; one of the last drawing if it has the same type and stays.
    template<class Widget, class... Args>
    Widget& add(Args&&... args)
    {
        Widgets& list = m_widgets[std::size_t(m_place)];
        if (m_used == list.size() || !dynamic_cast<Widget*>(list[m_used].get())) {
            auto made = std::make_unique<Widget>(std::forward<Args>(args)...);
            if (m_used == list.size())
                list.push_back(std::move(made));
            else
                list[m_used] = std::move(made);
        }
        auto& widget = static_cast<Widget&>(*list[m_used++]);
        if constexpr (std::is_base_of_v<PlotCard, Widget>)
            addCard(widget);
        return widget;
    }
    //! Of a widget that holds several.
    void addCard(PlotCard& card);
    //! The cards are `layers` lists of the same length, one after the other, each of the same things in another
    //! measure: those of one thing stand below each other.
    void setLayers(int layers) { m_layers = layers; }
    [[nodiscard]] int layers() const { return m_layers; }
    void end(); //!< deletes what was not used again

    [[nodiscard]] Place place() const { return m_place; } //!< of the last drawing
    //! In the order they are shown.
    [[nodiscard]] const std::vector<PlotCard*>& cards() const { return m_cards; }
    [[nodiscard]] const std::vector<std::unique_ptr<QWidget>>& widgets() const
    {
        return m_widgets[std::size_t(m_place)];
    }
    //! The widgets without the sheet; it is empty then.
    [[nodiscard]] std::vector<std::unique_ptr<QWidget>> take();

private:
    using Widgets = std::vector<std::unique_ptr<QWidget>>;
    std::array<Widgets, 3> m_widgets; //!< by place
    std::vector<PlotCard*> m_cards;
    ExportWords m_words;
    Place m_place = Place::Kept;
    std::size_t m_used = 0;
    int m_layers = 1;
};

} // namespace dyno
