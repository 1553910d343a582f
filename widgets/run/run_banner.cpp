// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/run_banner.h"

#include "theme.h"

#include <QHBoxLayout>

namespace dyno {

RunBanner::RunBanner(QWidget* parent)
    : QFrame(parent)
    , m_text(makeLabel({}, TextRole::Body))
{
    setObjectName(QStringLiteral("runBanner"));
    setRole(this, "banner");
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* close = makeButton({}, "flat", QStringLiteral("close"));
    close->setAccessibleName(tr("Close the message"));
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(space::cardPadding, 6, 8, 6);
    line->addWidget(m_text, 1);
    for (std::size_t i = 0; i < m_buttons.size(); ++i) {
        QPushButton*& button = m_buttons[i];
        button = makeButton({}, "link");
        button->setObjectName(i == 0 ? QStringLiteral("runBannerButton") : QStringLiteral("runBannerSecond"));
        connect(button, &QPushButton::clicked, this, [this, i] {
            if (const auto action = m_actions[i]) // a copy: it may show another text
                action();
        });
        line->addWidget(button);
    }
    line->addWidget(close);
    connect(close, &QPushButton::clicked, this, &QWidget::hide);
    hide();
}

void RunBanner::showText(Tone tone, const QString& text, const Action& first, const Action& second)
{
    setTone(this, tone);
    m_text->setText(text);
    const std::array<const Action*, 2> actions{&first, &second};
    for (std::size_t i = 0; i < actions.size(); ++i) {
        m_buttons[i]->setText(actions[i]->text);
        m_buttons[i]->setAccessibleName(actions[i]->text);
        m_buttons[i]->setVisible(!actions[i]->text.isEmpty());
        m_actions[i] = actions[i]->run;
    }
    show();
}

QString RunBanner::text() const
{
    return m_text->text();
}

} // namespace dyno
