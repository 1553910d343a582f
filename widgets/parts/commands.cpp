// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/commands.h"

#include "parts/labels.h"
#include "parts/page.h"
#include "theme.h"

#include <QStackedWidget>

#include <algorithm>

namespace dyno {

namespace {

constexpr const char* kCommandProperty = "dynoCommand"; //!< its text, "" for that of the action

Page* pageOf(const QObject* one)
{
    for (QObject* at = one->parent(); at; at = at->parent()) {
        if (auto* page = qobject_cast<Page*>(at))
            return page;
    }
    return nullptr;
}

} // namespace

QAction* addCommand(QWidget* owner, const CommandSpec& spec, std::function<void()> run)
{
    auto* action = new QAction(spec.text, owner);
    action->setObjectName(spec.name);
    action->setShortcuts(spec.keys);
    action->setShortcutContext(spec.context);
    action->setToolTip(tipWithKeys(spec.tip.isEmpty() ? spec.text : spec.tip, action));
    if (!spec.icon.isEmpty())
        action->setIcon(Theme::instance().icon(spec.icon));
    owner->addAction(action);
    if (run)
        QObject::connect(action, &QAction::triggered, owner, [run = std::move(run)] { run(); });
    makeCommand(action);
    return action;
}

void makeCommand(QAction* action, const QString& text)
{
    action->setProperty(kCommandProperty, text.isNull() ? QStringLiteral("") : text);
}

QString tipWithKeys(const QString& tip, const QAction* action)
{
    const QString keys = action->shortcut().toString(QKeySequence::NativeText);
    return keys.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, keys);
}

QPushButton* buttonFor(QAction* action, const QString& objectName, const char* role, const QString& icon)
{
    QPushButton* button = makeButton(action->text(), role, icon);
    button->setObjectName(objectName);
    const auto update = [button, action] {
        button->setText(action->text());
        button->setToolTip(action->toolTip());
        button->setAccessibleName(action->text());
        button->setEnabled(action->isEnabled());
        if (!action->isVisible())
            button->hide();
        else if (button->parentWidget()) // else it would be a window
            button->show();
    };
    QObject::connect(action, &QAction::changed, button, update);
    QObject::connect(button, &QPushButton::clicked, action, &QAction::trigger);
    update();
    return button;
}

std::vector<Command> commandsOf(const QWidget& window)
{
    std::vector<Command> commands;
    for (QAction* action : window.findChildren<QAction*>()) {
        const QVariant text = action->property(kCommandProperty);
        if (text.isValid())
            commands.push_back({action, pageOf(action), text.toString().isEmpty() ? action->text() : text.toString()});
    }
    // As the rail has the pages, not as they were shown last.
    std::ranges::stable_sort(commands, {}, [](const Command& one) {
        const auto* stack = one.page ? qobject_cast<const QStackedWidget*>(one.page->parentWidget()) : nullptr;
        return stack ? stack->indexOf(one.page) : -1;
    });
    return commands;
}

} // namespace dyno
