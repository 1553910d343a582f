// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/library_undo.h"

#include "bridge/app_context.h"
#include "parts/commands.h"

#include <QPointer>
#include <QScopedValueRollback>
#include <QUndoCommand>

#include <utility>

namespace dyno {

using namespace Qt::StringLiterals;

class LibraryUndo::Command : public QUndoCommand
{
public:
    Command(LibraryUndo& owner, LibraryStep step)
        : QUndoCommand(step.text)
        , m_owner(owner)
        , m_number(++owner.m_made)
        , m_step(std::move(step))
    {
    }
    [[nodiscard]] int number() const { return m_number; }
    void undo() override { act(m_step.undo, true); }
    void redo() override
    {
        if (!std::exchange(m_first, false)) // the stack calls this as the step is put there: it is done already
            act(m_step.redo, false);
    }
    int id() const override { return m_step.mergeKey.isEmpty() ? -1 : 1; }
    bool mergeWith(const QUndoCommand* other) override
    {
        const LibraryStep& later = static_cast<const Command*>(other)->m_step;
        if (later.mergeKey != m_step.mergeKey)
            return false;
        m_step.redo = later.redo;
        return true;
    }

private:
    void act(const LibraryStep::Act& write, bool undoing)
    {
        if (m_owner.m_quiet)
            return setObsolete(m_number == m_owner.m_dropped);
        write([owner = QPointer(&m_owner), number = m_number, undoing](const Error& error) {
            if (owner)
                owner->notDone(number, undoing, error);
        });
    }

    LibraryUndo& m_owner;
    const int m_number;
    LibraryStep m_step;
    bool m_first = true;
};

LibraryUndo::LibraryUndo(AppContext& context)
    : QObject(&context)
    , m_context(context)
{
    connect(&context, &AppContext::messageRequested, this, [this] { m_told = false; });
    connect(&m_stack, &QUndoStack::indexChanged, this, [this] {
        if (m_told)
            m_context.showMessage({}); // its "Undo" would take back another thing now
    });
}

LibraryUndo& LibraryUndo::of(AppContext& context)
{
    auto* undo = context.findChild<LibraryUndo*>();
    return undo ? *undo : *new LibraryUndo(context);
}

void LibraryUndo::done(LibraryStep step)
{
    const QString told = step.told;
    m_stack.push(new Command(*this, std::move(step)));
    if (told.isEmpty())
        return;
    m_context.showMessage(told, tr("Undo"), [this, index = m_stack.index()] {
        if (m_stack.index() == index)
            m_stack.undo();
    });
    m_told = true;
}

void LibraryUndo::notDone(int number, bool undoing, const Error& error)
{
    const auto numberAt = [this](int at) { return static_cast<const Command*>(m_stack.command(at))->number(); };
    int at = 0;
    while (at < m_stack.count() && numberAt(at) != number)
        ++at;
    if (at == m_stack.count())
        return; // something else was done instead
    const QScopedValueRollback quiet(m_quiet, true);
    const int index = m_stack.index();
    if (error.kind != ErrorKind::BadInput && at == (undoing ? index : index - 1))
        return m_stack.setIndex(undoing ? at + 1 : at);
    m_stack.setIndex(at + 1);
    m_dropped = number;
    m_stack.setIndex(at);
    m_stack.setIndex(at < index ? index - 1 : index);
}

void LibraryUndo::addCommands(QWidget* page)
{
    const auto add = [this, page](const QString& name, const QList<QKeySequence>& keys, void (QUndoStack::*act)(),
                                  auto enabledSignal, auto textSignal, const QString& pattern, const QString& plain) {
        QAction* action = addCommand(page, {name, plain, keys}, [this, act] { (m_stack.*act)(); });
        action->setEnabled(false);
        connect(&m_stack, enabledSignal, action, &QAction::setEnabled);
        connect(&m_stack, textSignal, action, [action, pattern, plain](const QString& text) {
            action->setText(text.isEmpty() ? plain : pattern.arg(text));
        });
    };
    add(u"libraryUndo"_s, {QKeySequence::Undo}, &QUndoStack::undo, &QUndoStack::canUndoChanged,
        &QUndoStack::undoTextChanged, tr("Undo: %1"), tr("Undo"));
    add(u"libraryRedo"_s, {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)},
        &QUndoStack::redo, &QUndoStack::canRedoChanged, &QUndoStack::redoTextChanged, tr("Redo: %1"), tr("Redo"));
}

} // namespace dyno
