// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/facts_card.h"

#include <QGridLayout>

#include <algorithm>

namespace dyno {

FactsCard::FactsCard(const QString& title, bool stacked, QWidget* parent)
    : Card(title, {}, parent)
    , m_box(new QWidget)
    , m_note(makeLabel({}, TextRole::Secondary))
    , m_stacked(stacked)
{
    m_note->setWordWrap(true);
    body()->addWidget(m_box);
    body()->addWidget(m_note);
    body()->addStretch(1);
}

void FactsCard::setRows(const Rows& rows, const QString& note)
{
    delete m_box->layout();
    qDeleteAll(m_box->findChildren<QWidget*>(Qt::FindDirectChildrenOnly));
    auto* grid = new QGridLayout(m_box);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(5);
    grid->setColumnStretch(m_stacked ? 1 : 0, 1);
    int line = 0, widest = 0;
    const QFontMetrics metrics(Theme::font(TextRole::Secondary));
    for (const auto& [name, text] : rows) {
        if (text.isEmpty()) { // the heading of a group
            QLabel* heading = makeLabel(name, TextRole::Label);
            heading->setObjectName(QStringLiteral("factGroup"));
            grid->addWidget(heading, line++, 0, 1, 2);
            continue;
        }
        auto* label = new ElidedLabel(name, TextRole::Secondary);
        widest = std::max(widest, metrics.horizontalAdvance(name) + 2);
        QLabel* value = makeLabel({}, TextRole::Secondary);
        setRole(value, "factValue");
        QFont font = Theme::font(TextRole::Secondary);
        font.setWeight(m_stacked ? QFont::Normal : QFont::DemiBold);
        value->setFont(font);
        QString shown = text; // places where a long value may be broken
        for (const QChar at : QStringLiteral("/_,?&="))
            shown.replace(at, QString(at) % QChar(0x200b));
        value->setText(shown);
        value->setTextFormat(Qt::PlainText);
        value->setWordWrap(true);
        value->setAlignment((m_stacked ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignTop);
        value->setAccessibleName(name % QStringLiteral(": ") % text);
        value->setToolTip(QStringLiteral("%1: %2").arg(name, text).toHtmlEscaped());
        grid->addWidget(label, line, 0, Qt::AlignTop);
        grid->addWidget(value, line, 1);
        ++line;
    }
    if (m_stacked)
        grid->setColumnMinimumWidth(0, 92);
    else // long values give way in lines, names cannot
        grid->setColumnMinimumWidth(0, std::min(widest, 190));
    m_rows = line;
    m_box->setVisible(line > 0);
    m_note->setText(note);
    m_note->setVisible(!note.isEmpty());
}

} // namespace dyno
