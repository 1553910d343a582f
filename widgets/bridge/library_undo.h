// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a person has done to stored sessions and can take back, until the window closes. GUI thread.
#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>

#include <functional>

namespace dyno {

class AppContext;

class LibraryUndo : public QObject
{
    Q_OBJECT
public:
    //! Of this window; made when it is first asked for.
    static LibraryUndo& of(AppContext& context);

    [[nodiscard]] QUndoStack& stack() { return m_stack; }
    //! Something was done: `undo` takes it back, `redo` does it again. Both write in the background and say themselves
    //! what failed. `text`: what was done; `tell` also shows it with "Undo" beside.
    void done(const QString& text, std::function<void()> undo, std::function<void()> redo, bool tell);
    //! Ctrl+Z and Ctrl+Shift+Z on this page. A line of text that is being typed keeps its own.
    void addCommands(QWidget* page);

private:
    explicit LibraryUndo(AppContext& context);

    AppContext& m_context;
    QUndoStack m_stack;
    QString m_told; //!< the last message with "Undo"
};

} // namespace dyno
