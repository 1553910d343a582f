// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/banner.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

namespace dyno {

Banner::Banner(const QString& objectName, QWidget* parent)
    : QFrame(parent)
    , m_icon(new QLabel)
    , m_text(makeLabel({}, TextRole::Body))
    , m_second(makeLabel({}, TextRole::Secondary))
    , m_action(makeButton({}))
    , m_menu(new QMenu(this))
{
    setObjectName(objectName);
    setRole(this, "card");
    auto* close = new QToolButton;
    close->setObjectName(objectName % QStringLiteral("Close"));
    close->setAutoRaise(true);
    close->setIcon(Theme::instance().icon(QStringLiteral("close")));
    close->setAccessibleName(tr("Close this message"));
    close->setToolTip(tr("Close this message"));
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    connect(&Theme::instance(), &Theme::changed, close,
            [close] { close->setIcon(Theme::instance().icon(QStringLiteral("close"))); });
    for (QLabel* label : {m_text, m_second}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    auto* texts = new QVBoxLayout;
    texts->setSpacing(2);
    texts->addWidget(m_text);
    texts->addWidget(m_second);
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(space::cardPadding, 8, 8, 8);
    line->setSpacing(10);
    line->addWidget(m_icon, 0, Qt::AlignTop);
    line->addLayout(texts, 1);
    line->addWidget(m_action, 0, Qt::AlignVCenter);
    line->addWidget(close, 0, Qt::AlignTop);
    m_action->setObjectName(objectName % QStringLiteral("Action"));
    m_action->hide();
    m_menu->setObjectName(objectName % QStringLiteral("Menu"));
    connect(m_action, &QPushButton::clicked, this, [this] {
        if (const auto function = m_function)
            function();
    });
    hide();
}

void Banner::showError(const QString& what, const Error& error)
{
    QString text = what % QStringLiteral(": ") % QString::fromStdString(error.message);
    if (!error.where.empty())
        text += QStringLiteral(" (%1)").arg(QString::fromStdString(error.where));
    showText(text, Tone::Bad, QString::fromStdString(error.remedy));
}

void Banner::showText(const QString& text, Tone tone, const QString& second)
{
    m_icon->setPixmap(
        Theme::instance().icon(tone == Tone::Bad ? QStringLiteral("error") : QStringLiteral("info")).pixmap(20, 20));
    m_text->setText(text);
    setTone(m_text, tone);
    m_second->setText(second);
    m_second->setVisible(!second.isEmpty());
    setAccessibleName(text);
    setAction({}, {});
    show();
}

void Banner::setAction(const QString& text, std::function<void()> action, const QString& toolTip)
{
    m_action->setToolTip(toolTip);
    m_action->setAccessibleDescription(toolTip);
    m_action->setText(text);
    m_action->setAccessibleName(text);
    m_action->setVisible(!text.isEmpty());
    m_function = std::move(action);
}

void Banner::setActions(const QString& text, std::vector<Action> actions)
{
    m_menu->clear();
    for (Action& one : actions) {
        QAction* action = m_menu->addAction(one.text.replace(QLatin1Char('&'), QStringLiteral("&&")));
        connect(action, &QAction::triggered, this, std::move(one.run));
    }
    setAction(text % QStringLiteral("  ▾"),
              [this] { m_menu->popup(m_action->mapToGlobal(QPoint(0, m_action->height() + 2))); });
    m_action->setAccessibleName(text);
}

void Banner::setVisible(bool visible)
{
    QFrame::setVisible(visible);
    emit visibleChanged(visible);
}

QString Banner::text() const
{
    return m_second->text().isEmpty() ? m_text->text() : m_text->text() % QLatin1Char('\n') % m_second->text();
}

} // namespace dyno
