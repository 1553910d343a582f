// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/split_button.h"

#include "parts/labels.h"

#include <QHBoxLayout>
#include <QMenu>

namespace dyno {

namespace {

//! The style sheet rounds only the outer corners of a half.
void setHalf(QPushButton* button, const char* half)
{
    button->setProperty("half", QString::fromLatin1(half));
}

} // namespace

SplitButton::SplitButton(QWidget* parent)
    : QWidget(parent)
    , m_button(makeButton({}, "soft", {}, this))
    , m_arrow(makeButton({}, "soft", {}, this))
{
    m_arrow->hide();
    m_arrow->setFixedWidth(22);
    m_arrow->setIconSize(QSize(14, 14));
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(0);
    line->addWidget(m_button);
    line->addWidget(m_arrow);
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    setPrimary(false);
}

QMenu* SplitButton::makeMenu()
{
    auto* menu = new QMenu(m_arrow);
    setHalf(m_button, "left");
    setHalf(m_arrow, "right");
    m_arrow->show();
    connect(m_arrow, &QPushButton::clicked, this,
            [this, menu] { menu->popup(m_arrow->mapToGlobal(QPoint(0, m_arrow->height() + 2))); });
    return menu;
}

void SplitButton::setPrimary(bool on)
{
    for (QPushButton* half : {m_button, m_arrow})
        setRole(half, on ? "primary" : "soft");
    m_arrow->setIcon(
        Theme::instance().icon(QStringLiteral("chevron-down"), on ? &ThemeColors::onAccent : &ThemeColors::accent));
}

void SplitButton::setPlain()
{
    for (QPushButton* half : {m_button, m_arrow})
        setRole(half, "");
    m_arrow->setIcon(Theme::instance().icon(QStringLiteral("chevron-down"), &ThemeColors::secondText));
}

} // namespace dyno
