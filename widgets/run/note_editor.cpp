// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/note_editor.h"

#include "bridge/run_bridge.h"
#include "format.h"

#include <QPointer>

#include <algorithm>
#include <cmath>

namespace dyno {

NoteEditor::NoteEditor(AppContext& context, QObject* parent)
    : QObject(parent)
    , m_context(context)
    , m_worker(context.library())
{
}

void NoteEditor::write(const QString& session, int run, Work work, std::function<void()> done,
                       std::function<bool()> refused)
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
                if (!refused || !refused())
                    emit failed(QString::fromStdString(notes.error().text()));
                return;
            }
            emit changed(*notes);
            if (done)
                done();
        });
}

void NoteEditor::add(const QString& session, int run, double seconds, const QString& text)
{
    write(
        session, run,
        [ns = std::llround(std::max(0.0, seconds) * 1e9),
         text = text.toStdString()](Library& library, const StoredRun& stored) -> Expected<void> {
            auto note = library.annotate(stored.id, ns, text);
            if (!note)
                return fail(note.error());
            return {};
        },
        {},
        [this, session, run, seconds, text] {
            if (!m_context.run().active())
                return false;
            connect(
                &m_context.run(), &RunBridge::activeChanged, this,
                [this, session, run, seconds, text] { add(session, run, seconds, text); }, Qt::SingleShotConnection);
            return true;
        });
}

void NoteEditor::change(const QString& session, int run, const Annotation& note, const QString& text)
{
    write(session, run,
          [session = session.toStdString(), note,
           text = text.toStdString()](Library& library, const StoredRun& stored) -> Expected<void> {
              auto other = library.annotate(stored.id, note.tNs, text); // first: what was written is never lost
              if (!other)
                  return fail(other.error());
              return library.removeAnnotation(session, note.id);
          },
          {});
}

void NoteEditor::remove(const QString& session, int run, const Annotation& note)
{
    const double seconds = double(note.tNs) / 1e9;
    const QString text = QString::fromStdString(note.text);
    write(
        session, run,
        [id = session.toStdString(), note](Library& library, const StoredRun&) {
            return library.removeAnnotation(id, note.id);
        },
        [this, session, run, seconds, text] {
            m_context.showMessage(tr("The note at %1 was deleted").arg(format::clock(seconds)), tr("Undo"),
                                  [self = QPointer(this), session, run, seconds, text] {
                                      if (self)
                                          self->add(session, run, seconds, text);
                                  });
        });
}

} // namespace dyno
