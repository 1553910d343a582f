// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include <vector>

namespace dyno {

//! Values behind a plot, for CSV and the clipboard: what is drawn, hidden series left out.
struct PlotTable
{
    QStringList columns;
    std::vector<QStringList> rows;
    [[nodiscard]] QString toCsv() const;    //!< RFC 4180, decimal point, line feeds
    [[nodiscard]] QString toTabbed() const; //!< for spreadsheets
};

} // namespace dyno
