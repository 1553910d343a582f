// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/note_editor.h"

#include "bridge/library_undo.h"
#include "bridge/run_bridge.h"
#include "format.h"

#include <QPointer>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace dyno {

NoteEditor::NoteEditor(AppContext& context, QObject* parent)
    : QObject(parent)
    , m_context(context)
    , m_worker(context.library())
{
}

void NoteEditor::write(const QString& session, int run, Work work, std::function<void()> done,
                       std::function<bool(const Error& error)> refused)
{
    m_worker.run<RunNotes>(
        Library::Mode::ReadWrite,
        [session, run, work = std::move(work)](Library& library) -> Expected<RunNotes> {
            const std::string id = session.toStdString();
            const auto stored = library.session(id);
            if (!stored)
                return fail(stored.error());
            const auto found =
                std::ranges::find(stored->runs, run, [](const StoredRun& one) { return one.header.index; });
            if (found == stored->runs.end())
                return fail(Error{ErrorKind::BadInput, "The run is not in the library", {}, "Open the session again"});
            if (auto written = work(library, *found); !written)
                return fail(written.error());
            auto events = library.events(found->id);
            if (!events)
                return fail(events.error());
            auto notes = library.annotations(id);
            if (!notes)
                return fail(notes.error());
            return RunNotes{session, run, found->id, std::move(*events), std::move(*notes)};
        },
        [this, done = std::move(done), refused = std::move(refused)](Expected<RunNotes> notes) {
            if (!notes) {
                if (!refused(notes.error()))
                    emit failed(QString::fromStdString(notes.error().text()));
                return;
            }
            emit changed(*notes);
            if (done)
                done();
        });
}

void NoteEditor::make(const Change& change, std::function<void()> done, NotDone notDone)
{
    write(
        change.session, change.run,
        [change](Library& library, const StoredRun& stored) -> Expected<void> {
            const std::string id = change.session.toStdString(), before = change.before.toStdString();
            const auto notes = library.annotations(id);
            if (!notes)
                return fail(notes.error());
            // The nearest with this text: the store may have moved it to the run's end, and numbers it anew.
            const Annotation* old = nullptr;
            const auto distance = [&change](const Annotation& one) { return std::abs(one.tNs - change.ns); };
            for (const Annotation& one : *notes) {
                if (one.run == stored.id && one.text == before && (!old || distance(one) < distance(*old)))
                    old = &one;
            }
            if (!before.empty() && !old)
                return fail(Error{ErrorKind::BadInput, "The note is not there any more", {}, "Open the session again"});
            if (!change.after.isEmpty()) { // before the old one goes: what was written is never lost
                auto added = library.annotate(stored.id, change.ns, change.after.toStdString());
                if (!added)
                    return fail(added.error());
            }
            return before.empty() ? Expected<void>() : library.removeAnnotation(id, old->id);
        },
        done,
        [this, change, done, notDone](const Error& error) {
            // A note of the run under way: the library has it when the session has ended.
            if (change.before.isEmpty() && m_context.run().active()) {
                connect(
                    &m_context.run(), &RunBridge::activeChanged, this,
                    [this, change, done, notDone] { make(change, done, notDone); }, Qt::SingleShotConnection);
                return true;
            }
            if (notDone)
                notDone(error);
            return false;
        });
}

void NoteEditor::makeUndoable(const Change& change, const QString& text, const QString& told)
{
    make(change, [this, change, text, told] {
        Change back = change;
        std::swap(back.before, back.after);
        const auto again = [self = QPointer(this)](const Change& one) {
            return [self, one](NotDone notDone) {
                if (self)
                    self->make(one, {}, std::move(notDone));
            };
        };
        LibraryUndo::of(m_context).done({text, again(back), again(change), told, {}});
    });
}

void NoteEditor::add(const QString& session, int run, double seconds, const QString& text)
{
    makeUndoable({session, run, std::llround(std::max(0.0, seconds) * 1e9), {}, text},
                 tr("add note at %1").arg(format::clock(seconds)));
}

void NoteEditor::change(const QString& session, int run, const Annotation& note, const QString& text)
{
    makeUndoable({session, run, note.tNs, QString::fromStdString(note.text), text},
                 tr("change note at %1").arg(format::clock(double(note.tNs) / 1e9)));
}

void NoteEditor::remove(const QString& session, int run, const Annotation& note)
{
    const QString at = format::clock(double(note.tNs) / 1e9);
    makeUndoable({session, run, note.tNs, QString::fromStdString(note.text), {}}, tr("delete note at %1").arg(at),
                 tr("Deleted the note at %1").arg(at));
}

} // namespace dyno
