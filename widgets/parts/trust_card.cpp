// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/trust_card.h"

#include "parts/field.h"
#include "parts/plan_text.h"
#include "qt_text.h"
#include "theme.h"

#include <dyno/visible_text.h>

#include <QFontMetrics>
#include <QPlainTextEdit>
#include <QTextOption>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kShortValue = 160; //!< characters that a label takes; more are wrapped at any place and scrolled
constexpr int kLinesShown = 8;   //!< of a value without scrolling

//! So that no line break of a stranger's stands for one of ours; whole.
QString riskText(const Risk& risk)
{
    return qtText(visibleText(risk.value, TextLayout::Quoted));
}

QString wantsText(const Risk& risk)
{
    return qtText(visibleText(risk.wants));
}

//! The whole value, however long it is.
QWidget* makeValue(const QString& text, const QString& name)
{
    if (text.size() <= kShortValue) {
        auto* label = new WrapLabel(text, TextRole::Secondary);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        return label;
    }
    auto* box = new QPlainTextEdit(text);
    box->setObjectName(u"trustValue"_s);
    box->setReadOnly(true);
    box->setTabChangesFocus(true);
    box->setFont(Theme::font(TextRole::Secondary));
    box->setLineWrapMode(QPlainTextEdit::WidgetWidth);
    box->setWordWrapMode(QTextOption::WrapAnywhere);
    box->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn); // so that one sees that there is more
    box->setFixedHeight(kLinesShown * QFontMetrics(box->font()).lineSpacing());
    box->setAccessibleName(name);
    return box;
}

} // namespace

TrustCard::TrustCard(QWidget* parent)
    : Card(tr("This plan wants to …"), {}, parent)
    , m_rows(new QVBoxLayout)
    , m_allow(makeButton(tr("Allow")))
{
    setObjectName(u"trustCard"_s);
    setAccessibleName(tr("What this plan needs your agreement for"));
    auto* chip = new Chip;
    chip->setText(tr("asks first"));
    setTone(chip, Tone::Warn);
    header()->addWidget(chip);
    m_rows->setSpacing(10);
    body()->addLayout(m_rows);
    auto* hint = new WrapLabel(
        tr("Allow this only if you trust the author of the plan. You are asked once, and again when it changes."),
        TextRole::Secondary);
    body()->addWidget(hint);
    describe(m_allow, u"trustAllow"_s, tr("Allow what this plan wants"),
             tr("Remembers that you agree to these settings on these targets; starts nothing"));
    body()->addWidget(m_allow, 0, Qt::AlignLeft);
    connect(m_allow, &QPushButton::clicked, this, &TrustCard::allowed);
    hide();
}

void TrustCard::setRisks(const std::vector<Risk>& risks)
{
    setVisible(!risks.empty());
    if (risks == m_risks)
        return;
    m_risks = risks;
    while (QLayoutItem* old = m_rows->takeAt(0)) {
        if (QWidget* widget = old->widget()) {
            widget->hide();
            widget->setObjectName({}); // gone for whoever looks for it
            widget->deleteLater();
        }
        delete old;
    }
    for (const Risk& risk : risks) {
        auto* row = new QWidget;
        row->setObjectName(u"trustRisk."_s + qtText(risk.key));
        row->setAccessibleName(wantsText(risk));
        auto* texts = new QVBoxLayout(row);
        texts->setContentsMargins(0, 0, 0, 0);
        texts->setSpacing(1);
        auto* wants = new WrapLabel(u"… "_s + wantsText(risk), TextRole::Secondary);
        wants->setStyleSheet(u"color: palette(text)"_s);
        wants->setTextFormat(Qt::PlainText);
        texts->addWidget(wants);
        const QString key = qtText(visibleText(risk.key));
        texts->addWidget(makeValue(key + u" = "_s + riskText(risk), tr("Value of %1").arg(key)));
        m_rows->addWidget(row);
        row->show(); // at once, not with the next layout
    }
}

QString risksBoxText(const std::vector<Risk>& risks)
{
    QStringList lines;
    for (const Risk& risk : risks)
        lines << TrustCard::tr("… %1:\n%2 = %3").arg(wantsText(risk), qtText(visibleText(risk.key)), riskText(risk));
    return lines.join(u"\n\n"_s);
}

} // namespace dyno
