// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The sentence on top of a comparison, and how far it can be trusted. GUI thread.
#pragma once

#include "parts/card.h"
#include "plots/comparison.h"

#include <dyno/report.h>

namespace dyno {

//! The sentence a person may quote, and chips that say how far it can be trusted.
class VerdictCard : public QFrame
{
    Q_OBJECT
public:
    explicit VerdictCard(QWidget* parent = nullptr);
    void setSentence(const QString& text);
    void setFacts(const RunFacts& facts);
    void addDrift(const Drift& drift); //!< a chip when it is shown; after setFacts()
    //! Chips of what else differs, after setFacts(): of durability, and names of products that did not answer.
    void addDoubts(const std::vector<DurabilityGap>& gaps, const QStringList& misnamed);
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] QStringList chips() const;

private:
    void addChip(const QString& text, Tone tone, const QString& toolTip);
    QLabel* m_text;
    QWidget* m_chipBox;
    QHBoxLayout* m_chips;
};

} // namespace dyno
