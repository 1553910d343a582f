// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/choice_pill.h"

#include "parts/labels.h"

#include <QActionGroup>
#include <QKeyEvent>
#include <QMenu>

namespace dyno {

namespace {
constexpr int kLongestValue = 220; // pixels
}

ChoicePill::ChoicePill(const QString& name, const QString& objectName, const QString& toolTip, QWidget* parent)
    : QPushButton(parent)
    , m_name(name)
    , m_menu(new QMenu(this))
{
    setObjectName(objectName);
    setRole(this, "choice");
    setToolTip(toolTip);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    m_menu->setObjectName(objectName % QStringLiteral("Menu"));
    connect(m_menu, &QMenu::aboutToShow, this, &ChoicePill::fillMenu);
    // popup() returns at once; setMenu() would draw its own arrow.
    connect(this, &QPushButton::clicked, this, [this] { m_menu->popup(mapToGlobal(QPoint(0, height() + 2))); });
    updateText();
}

void ChoicePill::setChoices(std::vector<Choice> choices)
{
    const QString before = current();
    m_choices = std::move(choices);
    m_current = m_choices.empty() ? -1 : 0;
    setCurrent(before);
    setEnabled(m_choices.size() > 1);
    if (m_host && m_menu->isEmpty())
        fillMenu(); // an entry without choices would not open
    updateText();
}

void ChoicePill::moveInto(QMenu* host)
{
    QPushButton::setVisible(false);
    m_host = host;
    if (m_menu->isEmpty())
        fillMenu();
    host->addMenu(m_menu);
    updateText();
}

bool ChoicePill::isOffered() const
{
    return m_host ? m_menu->menuAction()->isVisible() : isVisible();
}

void ChoicePill::setVisible(bool visible)
{
    if (m_host)
        m_menu->menuAction()->setVisible(visible);
    else
        QPushButton::setVisible(visible);
}

void ChoicePill::setCurrent(const QString& id)
{
    for (std::size_t i = 0; i < m_choices.size(); ++i) {
        if (m_choices[i].id == id)
            m_current = int(i);
    }
    updateText();
}

QString ChoicePill::current() const
{
    return m_current < 0 ? QString() : m_choices[std::size_t(m_current)].id;
}

void ChoicePill::choose(int index)
{
    if (index < 0 || index >= int(m_choices.size()) || index == m_current)
        return;
    m_current = index;
    updateText();
    emit chosen(current());
}

void ChoicePill::fillMenu()
{
    m_menu->clear();
    auto* group = new QActionGroup(m_menu);
    for (std::size_t i = 0; i < m_choices.size(); ++i) {
        QString label = m_choices[i].label;
        QAction* action = m_menu->addAction(label.replace(QLatin1Char('&'), QStringLiteral("&&")));
        action->setCheckable(true);
        action->setChecked(int(i) == m_current);
        action->setData(m_choices[i].id);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, i] { choose(int(i)); });
    }
    if (m_current >= 0)
        m_menu->setActiveAction(m_menu->actions().at(m_current));
}

void ChoicePill::updateText()
{
    const QString value = m_current < 0 ? tr("none") : m_choices[std::size_t(m_current)].label;
    const QString shown = fontMetrics().elidedText(value, Qt::ElideRight, kLongestValue);
    QString text = QStringLiteral("%1: %2  ▾").arg(m_name, shown);
    setText(text.replace(QLatin1Char('&'), QStringLiteral("&&")));
    setAccessibleName(QStringLiteral("%1: %2").arg(m_name, value));
    m_menu->setTitle(QStringLiteral("%1: %2").arg(m_name, shown).replace(QLatin1Char('&'), QStringLiteral("&&")));
    m_menu->menuAction()->setToolTip(toolTip());
    updateGeometry();
}

QSize ChoicePill::sizeHint() const
{
    const QSize base = QPushButton::sizeHint();
    return {fontMetrics().horizontalAdvance(text()) + 24, base.height()};
}

void ChoicePill::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Down && event->modifiers().testFlag(Qt::AltModifier)) {
        click();
    } else if (event->key() == Qt::Key_Down || event->key() == Qt::Key_Right) {
        choose(m_current + 1);
    } else if (event->key() == Qt::Key_Up || event->key() == Qt::Key_Left) {
        choose(m_current - 1);
    } else if (event->key() == Qt::Key_Home) {
        choose(0);
    } else if (event->key() == Qt::Key_End) {
        choose(int(m_choices.size()) - 1);
    } else {
        QPushButton::keyPressEvent(event);
    }
}

} // namespace dyno
