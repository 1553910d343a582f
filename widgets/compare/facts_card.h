// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A card of names and values. GUI thread.
#pragma once

#include "parts/card.h"

#include <utility>
#include <vector>

namespace dyno {

//! Rows of name and value; a name without a value is the heading of those that follow.
class FactsCard : public Card
{
    Q_OBJECT
public:
    using Rows = std::vector<std::pair<QString, QString>>;
    //! `stacked`: long values below their names instead of beside them.
    FactsCard(const QString& title, bool stacked, QWidget* parent = nullptr);
    void setRows(const Rows& rows, const QString& note = {});
    [[nodiscard]] int rowCount() const { return m_rows; }

private:
    QWidget* m_box;
    QLabel* m_note;
    bool m_stacked;
    int m_rows = 0;
};

} // namespace dyno
