// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/library_undo.h"

#include "bridge/app_context.h"
#include "parts/commands.h"

#include <QUndoCommand>

#include <utility>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

class LibraryStep : public QUndoCommand
{
public:
    LibraryStep(const QString& text, std::function<void()> undo, std::function<void()> redo)
        : QUndoCommand(text)
        , m_undo(std::move(undo))
        , m_redo(std::move(redo))
    {
    }
    void undo() override { m_undo(); }
    void redo() override
    {
        if (!std::exchange(m_first, false)) // the stack calls this as the step is put there: it is done already
            m_redo();
    }

private:
    std::function<void()> m_undo, m_redo;
    bool m_first = true;
};

} // namespace

LibraryUndo::LibraryUndo(AppContext& context)
    : QObject(&context)
    , m_context(context)
{
}

LibraryUndo& LibraryUndo::of(AppContext& context)
{
    auto* undo = context.findChild<LibraryUndo*>();
    return undo ? *undo : *new LibraryUndo(context);
}

void LibraryUndo::done(const QString& text, std::function<void()> undo, std::function<void()> redo, bool tell)
{
    m_stack.push(new LibraryStep(text, std::move(undo), std::move(redo)));
    if (tell) {
        m_told = text;
        m_context.showMessage(text, tr("Undo"), [this] { m_stack.undo(); });
    } else if (!std::exchange(m_told, {}).isEmpty()) {
        m_context.showMessage({}); // its "Undo" would take back another thing now
    }
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
