// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a person has done to stored sessions and can take back, until the window closes. GUI thread.
#pragma once

#include <dyno/error.h>

#include <QObject>
#include <QString>
#include <QUndoStack>

#include <functional>

namespace dyno {

class AppContext;

//! Something that was done to stored sessions. `undo` takes it back, `redo` does it again: both write in the
//! background, say themselves what failed, and call `notDone` then, later.
struct LibraryStep
{
    using Act = std::function<void(std::function<void(const Error& error)> notDone)>;
    QString text; //!< a verb first, as after "Undo: "
    Act undo, redo;
    QString told;     //!< shown with "Undo" beside; "" = nothing is shown
    QString mergeKey; //!< steps with the same one in a row become one; "" = never
};

class LibraryUndo : public QObject
{
    Q_OBJECT
public:
    ~LibraryUndo() override { m_stack.disconnect(this); } // its end needs no message
    //! Of this window; made when it is first asked for.
    static LibraryUndo& of(AppContext& context);

    [[nodiscard]] QUndoStack& stack() { return m_stack; }
    void done(LibraryStep step);
    //! Ctrl+Z and Ctrl+Shift+Z on this page. A line of text that is being typed keeps its own.
    void addCommands(QWidget* page);

private:
    class Command;
    explicit LibraryUndo(AppContext& context);
    //! A step stays where it was if it can be tried again, and goes if what it changes is not there any more.
    void notDone(int number, bool undoing, const Error& error);

    AppContext& m_context;
    QUndoStack m_stack;
    bool m_told = false;  //!< the last message is of the step done last
    int m_made = 0;       //!< commands, which are numbered from 1
    bool m_quiet = false; //!< the stack moves, and nothing is written
    int m_dropped = 0;    //!< number of the command that goes as the stack moves over it
};

} // namespace dyno
