// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The time of a commit against the bytes of log that it brings to the disk, with the line N/R + K. GUI thread.
#pragma once

#include "plots/plot_card.h"

#include <dyno/analysis.h>

namespace dyno {

class SyncPlot : public PlotCard
{
    Q_OBJECT
public:
    explicit SyncPlot(QWidget* parent = nullptr);

    //! The series of one facet: a dot a run, and the line from no bytes (of a logarithmic axis: from the fewest) to the
    //! most.
    void setCosts(const SyncCosts& costs, const QString& facet = {});
    void setLogAxes(bool x, bool y);
    [[nodiscard]] int lineCount() const { return int(m_lines.size()); }

    void restyle(const ThemeColors& colors, ThemeMode mode) override;
    [[nodiscard]] QString valueText(double value) const override;
    //! A row a size: what was measured, the line, and what it leaves over.
    [[nodiscard]] PlotTable table() const override;

private:
    void rebuild();
    [[nodiscard]] QString linesInShort() const;
    [[nodiscard]] static QString constantText(const SyncCost& cost); //!< of one with a line
    std::vector<SyncCost> m_costs;
    std::vector<std::pair<QPointer<QCPGraph>, int>> m_lines; //!< with their series
    QString m_facet, m_what, m_bytes;
    bool m_logX = false;
};

} // namespace dyno
