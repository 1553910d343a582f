// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plots/qcp.h"

#include <utility>
#include <vector>

namespace dyno {

//! The names below bars or groups of bars: in one line where there is room, else in several, else upright. GUI thread.
class BarNames
{
public:
    void clear() { m_names.clear(); }
    void add(double at, const QString& name) { m_names.emplace_back(at, name); }
    //! `place`: pixels of a unit of the axis.
    void fit(QCPAxis& axis, double place);
    [[nodiscard]] int lines() const { return m_lines; } //!< that the names take

private:
    std::vector<std::pair<double, QString>> m_names;
    int m_lines = 1;
};

} // namespace dyno
