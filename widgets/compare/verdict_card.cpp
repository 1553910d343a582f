// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/verdict_card.h"

#include "format.h"
#include "qt_text.h"

namespace dyno {

VerdictCard::VerdictCard(QWidget* parent)
    : QFrame(parent)
    , m_text(makeLabel({}, TextRole::Section))
    , m_chipBox(new QWidget)
    , m_chips(new QHBoxLayout(m_chipBox))
{
    setObjectName(QStringLiteral("verdictCard"));
    setRole(this, "card");
    m_text->setObjectName(QStringLiteral("verdictText"));
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setToolTip(
        tr("The largest effect against the baseline, with its 95 % interval from repeated runs (of a ratio by "
           "Welch's t on logarithms, of pairs of interleaved runs by Student's t of the logarithms; of a mean "
           "by Student's t)"));
    m_chips->setContentsMargins(0, 0, 0, 0);
    m_chips->setSpacing(6);
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(space::cardPadding, 9, space::cardPadding, 9);
    line->setSpacing(16);
    line->addWidget(m_text, 1);
    line->addWidget(m_chipBox, 0, Qt::AlignVCenter);
}

void VerdictCard::setSentence(const QString& text)
{
    m_text->setText(text);
    m_text->setAccessibleName(tr("Verdict: %1").arg(text));
}

QString VerdictCard::sentence() const
{
    return m_text->text();
}

QStringList VerdictCard::chips() const
{
    QStringList texts;
    for (int i = 0; i < m_chips->count(); ++i) {
        if (auto* chip = qobject_cast<Chip*>(m_chips->itemAt(i)->widget()))
            texts += chip->text();
    }
    return texts;
}

void VerdictCard::addChip(const QString& text, Tone tone, const QString& toolTip)
{
    auto* chip = new Chip(text, tone);
    chip->setToolTip(toolTip);
    chip->setAccessibleName(text);
    chip->setAccessibleDescription(toolTip);
    m_chips->addWidget(chip);
}

void VerdictCard::setFacts(const RunFacts& facts)
{
    while (QLayoutItem* item = m_chips->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    if (facts.mostRepeats == 1) {
        addChip(tr("one run each"), Tone::Warn,
                tr("One run says nothing about noise, so no difference can be shown. Set three repeats or more."));
    } else if (facts.mostRepeats > 1) {
        addChip(facts.fewestRepeats == facts.mostRepeats
                    ? tr("%1 repeats").arg(format::count(facts.mostRepeats))
                    : tr("%1–%2 repeats").arg(format::count(facts.fewestRepeats), format::count(facts.mostRepeats)),
                Tone::Neutral,
                tr("Intervals are 95 % of the mean by Student's t, from repeated runs, never from the intervals of one "
                   "run"));
    }
    if (facts.failed > 0) {
        addChip(facts.failed == 1 ? tr("1 run failed") : tr("%1 runs failed").arg(format::count(facts.failed)),
                Tone::Bad, tr("Failed runs are excluded from the figures"));
    }
    if (facts.skipped > 0) {
        addChip(facts.skipped == 1 ? tr("1 run skipped") : tr("%1 runs skipped").arg(format::count(facts.skipped)),
                Tone::Neutral, tr("Runs that were skipped or stopped are excluded from the figures"));
    }
    if (!facts.damage.isEmpty()) {
        addChip(tr("damaged"), Tone::Bad,
                tr("Damaged in the file and excluded: %1. Restore the file from a backup.")
                    .arg(facts.damage.join(QStringLiteral("; "))));
    }
    if (facts.cut) {
        addChip(tr("cut off"), Tone::Warn,
                tr("The program ended before the session could finish; everything up to the last interval is kept") %
                    (facts.cutReason.isEmpty() ? QString() : QStringLiteral(": ") % facts.cutReason));
    }
    if (!facts.notAsPlanned.isEmpty()) {
        addChip(tr("not as planned"), Tone::Warn,
                tr("By the server's own counters: %1. Change the size of the data or of its cache.")
                    .arg(facts.notAsPlanned));
    }
    if (facts.clientLimited) {
        addChip(tr("client was the limit"), Tone::Bad,
                tr("The load generator was at its limit, so the target may be faster than this") %
                    (facts.clientReason.isEmpty() ? QString() : QStringLiteral(". ") % facts.clientReason));
    } else if (facts.judged > 0) { // another tool's log does not say
        addChip(tr("client not the limit"), Tone::Good,
                facts.judged == facts.runs
                    ? tr("The load generator had time to spare in all runs")
                    : tr("The load generator had time to spare in all runs that Dynobench measured"));
    }
    m_chipBox->setVisible(m_chips->count() > 0);
}

void VerdictCard::addDrift(const Drift& drift)
{
    if (!drift.shown())
        return;
    addChip(tr("drifted by %1 %").arg(format::number(100 * drift.perSession, 1)), Tone::Warn,
            tr("Throughput moved in one direction while the session lasted: %1. Interleave the runs, or find out what "
               "changes on the machine.")
                .arg(QString::fromStdString(toText(drift))));
    m_chipBox->setVisible(true);
}

void VerdictCard::addDoubts(const std::vector<DurabilityGap>& gaps, const QStringList& misnamed)
{
    QStringList decide, others;
    for (const DurabilityGap& gap : gaps)
        (gap.decides ? decide : others) << qtText(gap.text);
    if (!decide.isEmpty())
        addChip(tr("not equally durable"), Tone::Bad,
                tr("The runs change data, and the servers wait for the disk differently: %1. Set them alike, or say "
                   "so beside the figures.")
                    .arg(decide.join(QStringLiteral("; "))));
    else if (!others.isEmpty())
        addChip(tr("durability differs"), Tone::Neutral,
                tr("Durability settings differ, but no write in these runs waits for them: %1")
                    .arg(others.join(QStringLiteral("; "))));
    if (!misnamed.isEmpty())
        addChip(tr("misnamed"), Tone::Bad,
                tr("%1. Correct the title or the label.").arg(misnamed.join(QStringLiteral("; "))));
    m_chipBox->setVisible(m_chips->count() > 0);
}

} // namespace dyno
