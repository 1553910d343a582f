// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What can be done by a key or by its name. An action that is made here is a command: the command palette offers it,
//! and the list of shortcuts has its keys. The tree of widgets holds them, so a command goes with its page. GUI thread.
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QList>
#include <QPushButton>
#include <QString>

#include <functional>
#include <vector>

namespace dyno {

class Page;

struct CommandSpec
{
    QString name;             //!< object name
    QString text;             //!< a verb and what it is about: also the palette shows it
    QList<QKeySequence> keys; //!< the first one is shown
    QString tip = {};         //!< tooltip of its buttons; the keys are added
    QString icon = {};
    //! Where the keys count. With a page that is not shown, nowhere.
    Qt::ShortcutContext context = Qt::WidgetWithChildrenShortcut;
};

//! An action of `owner`, which is the window, a page or in a page.
QAction* addCommand(QWidget* owner, const CommandSpec& spec, std::function<void()> run = {});
//! Makes a command of an action that there is. `text`: what it is called where its page is not seen, if not its own.
void makeCommand(QAction* action, const QString& text = {});
//! "Wait before the next run (Ctrl+P)".
[[nodiscard]] QString tipWithKeys(const QString& tip, const QAction* action);
//! A button that follows an action: text, tooltip, enabled, visible. `role`: see setRole().
[[nodiscard]] QPushButton* buttonFor(QAction* action, const QString& objectName, const char* role = "",
                                     const QString& icon = {});

struct Command
{
    QAction* action;
    Page* page; //!< nullptr: of the whole window
    QString text;
};
//! All below `window`, the window's own first.
[[nodiscard]] std::vector<Command> commandsOf(const QWidget& window);

} // namespace dyno
