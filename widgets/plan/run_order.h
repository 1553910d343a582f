// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The order of execution of a plan in few lines, with the clock of the estimate; and the card that shows it. GUI
//! thread (orderLines(): any thread).
#pragma once

#include "parts/card.h"

#include <QString>

#include <vector>

namespace dyno {

struct PlanCheck;

struct OrderLine
{
    enum class Kind { Runs, Start, Restart, Load, Rest };
    Kind kind = Kind::Runs;
    double begins = 0; //!< seconds from the start; loading, whose time nobody knows beforehand, takes none
    QString text;      //!< "flush=0 · 1, 4, 16 users"
    QString amount;    //!< "3 runs", "3 s"; "" where it is not known
};

//! Neighbours that differ only in users share a line; a start of the server and a load of data have lines of their
//! own. After `maxLines` of runs one line says how many there are in all.
[[nodiscard]] std::vector<OrderLine> orderLines(const PlanCheck& check, int maxLines);

class RunOrderCard : public Card
{
    Q_OBJECT
public:
    explicit RunOrderCard(QWidget* parent = nullptr);
    void setCheck(const PlanCheck& check); //!< hides itself when there is nothing to show

private:
    QWidget* m_rows = nullptr;
};

} // namespace dyno
