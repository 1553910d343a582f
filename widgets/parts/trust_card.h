// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! "This plan wants to …": what a plan from somebody else asks for that this person has not agreed to. GUI thread.
#pragma once

#include "parts/card.h"

#include <dyno/trust.h>

class QPushButton;

namespace dyno {

class TrustCard : public Card
{
    Q_OBJECT
public:
    explicit TrustCard(QWidget* parent = nullptr); //!< hidden until there is something to agree to
    void setRisks(const std::vector<Risk>& risks);

signals:
    void allowed(); //!< all that are shown

private:
    QVBoxLayout* m_rows;
    QPushButton* m_allow;
    std::vector<Risk> m_risks;
};

//! The same as text for a box: one paragraph a risk.
[[nodiscard]] QString risksBoxText(const std::vector<Risk>& risks);

} // namespace dyno
