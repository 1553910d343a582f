// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plots/qcp.h"
#include "theme.h"

#include <QPointer>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace dyno {

//! Figures that somebody published, drawn dashed beside one's own. GUI thread.
class PublishedFigures
{
public:
    //! By series and x; what has none is NaN.
    void setValues(std::vector<std::vector<double>> values) { m_values = std::move(values); }
    //! The least above 0 and the highest of them; nothing when there is none.
    [[nodiscard]] std::optional<std::pair<double, double>> span() const;
    [[nodiscard]] bool empty() const { return m_values.empty(); }
    [[nodiscard]] bool has(std::size_t series, std::size_t x) const;
    [[nodiscard]] bool hasAny(std::size_t x) const;

    //! Draws those of a series at `xs`, each where `keyOf` says. Returns the highest, 0 for none.
    double draw(QCustomPlot& plot, std::size_t series, const std::vector<std::size_t>& xs,
                const std::function<double(std::size_t place)>& keyOf, bool joined);
    void clear(QCustomPlot& plot);   //!< what is drawn
    [[nodiscard]] int count() const; //!< figures drawn
    //! What is drawn of a series; nullptr for nothing.
    [[nodiscard]] QCPGraph* graph(std::size_t series) const;
    void setVisible(int series, bool visible);
    void dress(const std::function<QColor(int series)>& colorOf, const QColor& surface, double width);

private:
    std::vector<std::vector<double>> m_values;
    std::vector<std::pair<QPointer<QCPGraph>, int>> m_graphs; //!< with their series
};

} // namespace dyno
