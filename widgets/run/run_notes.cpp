// SPDX-License-Identifier: GPL-3.0-or-later
// Notes on the time axis of the Run page: while a session runs, and of a run that is stored.
#include "bridge/app_context.h"
#include "format.h"
#include "run/note_editor.h"
#include "run/pair_view.h"
#include "run/run_page.h"
#include "run/run_side.h"

#include <QInputDialog>
#include <QMenu>

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

QString shortened(const std::string& text)
{
    constexpr qsizetype kMost = 30;
    const QString whole = QString::fromStdString(text).simplified();
    return whole.size() <= kMost ? whole : whole.left(kMost - 1) + QStringLiteral("…");
}

} // namespace

void RunPage::connectNotes()
{
    m_keeper = new NoteEditor(context(), this);
    connect(m_keeper, &NoteEditor::changed, this, &RunPage::takeNotes);
    connect(m_keeper, &NoteEditor::failed, this,
            [this](const QString& text) { showBanner(Tone::Bad, tr("The note was not saved: %1").arg(text)); });
    for (PlotCard* card : cards()) {
        connect(card, &PlotCard::aboutToShowMenu, this, [this, card](QMenu* menu) { addNoteActions(card, menu); });
        connect(card, &PlotCard::noteActivated, this, [this](double x) {
            if (const Annotation* note = noteAt(x))
                askNoteAt(x, note);
        });
    }
    m_eventList->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_eventList, &QWidget::customContextMenuRequested, this, &RunPage::showEventMenu);
    connect(m_eventList, &QListView::activated, this, [this](const QModelIndex& index) {
        if (const Annotation* note = noteOfRow(index.row()))
            askNoteAt(double(note->tNs) / 1e9, note);
    });
}

bool RunPage::canAnnotate() const
{
    if (!m_model.run() || !m_model.session() || showsPair())
        return false;
    return m_replaying ? m_replay.loaded() : m_model.state() == LiveRunModel::State::Finished;
}

const Annotation* RunPage::noteAt(double seconds, const QString& text) const
{
    const StoredRun* stored = storedRun();
    const std::int64_t run = stored ? stored->id : m_notesRun;
    const auto& notes = m_replaying && m_replay.data() ? m_replay.data()->annotations : m_notes;
    const auto found = std::ranges::find_if(notes, [&](const Annotation& note) {
        return note.run == run && std::fabs(double(note.tNs) / 1e9 - seconds) < 1e-3 &&
               (text.isNull() || QString::fromStdString(note.text) == text);
    });
    return found == notes.end() ? nullptr : &*found;
}

const Annotation* RunPage::noteOfRow(int row) const
{
    if (row < 0 || std::size_t(row) >= m_model.events().size() || !canAnnotate())
        return nullptr;
    const EventRow& event = m_model.events()[std::size_t(row)];
    return event.kind == EventKind::Note ? noteAt(event.seconds, event.text) : nullptr;
}

//! While a session runs: at this moment. Of a stored run: at the crosshair, else where the replay stands.
void RunPage::askNote()
{
    if (canAnnotate()) {
        const double last = m_model.series().size() > 0 ? m_model.series().time.last() : 0;
        const double here = m_throughput->crosshairShown() ? m_throughput->crosshairX()
                            : m_replaying ? m_replay.position() - m_replay.runStart(m_model.run()->index)
                                          : last;
        askNoteAt(std::max(0.0, here), nullptr);
        return;
    }
    auto* dialog = new QInputDialog(this);
    dialog->setObjectName(QStringLiteral("noteDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Note"));
    dialog->setLabelText(tr("What is happening? The note marks this moment."));
    dialog->setMinimumWidth(420);
    // While it is being written the run goes on, or ends: the note stays where it was begun.
    const QString session = m_model.session() ? QString::fromStdString(m_model.session()->id) : QString();
    const int run = m_model.run() ? m_model.run()->index : -1;
    const double seconds = m_model.series().size() > 0 ? m_model.series().time.last() : 0;
    const qint64 begunNs = run < 0 ? 0 : RunBridge::now(); // before the first run there is no axis yet
    const auto keep = [this, session, run, seconds, begunNs](const QString& entered) {
        const QString text = entered.trimmed();
        if (text.isEmpty())
            return;
        if ((session.isEmpty() || context().run().sessionId() == session) && context().run().note(text, begunNs))
            return;
        if (run >= 0)
            m_keeper->add(session, run, seconds, text);
        else
            showBanner(Tone::Bad, tr("The note was not saved: the session ended before its first run"));
    };
    connect(dialog, &QInputDialog::textValueSelected, this, keep);
    dialog->open();
}

void RunPage::askNoteAt(double seconds, const Annotation* existing)
{
    if (!canAnnotate())
        return;
    auto* dialog = new QInputDialog(this);
    dialog->setObjectName(QStringLiteral("noteDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(existing ? tr("Change the note") : tr("Note"));
    dialog->setLabelText(tr("What happened at %1?").arg(format::clock(seconds)));
    dialog->setMinimumWidth(420);
    if (existing)
        dialog->setTextValue(QString::fromStdString(existing->text));
    const QString session = QString::fromStdString(m_model.session()->id);
    connect(dialog, &QInputDialog::textValueSelected, this,
            [this, session, run = m_model.run()->index, seconds,
             note = existing ? std::optional(*existing) : std::nullopt](const QString& entered) {
                const QString text = entered.trimmed();
                if (text.isEmpty() && note)
                    m_keeper->remove(session, run, *note);
                else if (note && text != QString::fromStdString(note->text))
                    m_keeper->change(session, run, *note, text);
                else if (!note && !text.isEmpty())
                    m_keeper->add(session, run, seconds, text);
            });
    dialog->open();
}

void RunPage::removeNote(const Annotation& note)
{
    if (canAnnotate())
        m_keeper->remove(QString::fromStdString(m_model.session()->id), m_model.run()->index, note);
}

void RunPage::addNoteActions(PlotCard* card, QMenu* menu)
{
    if (!canAnnotate())
        return;
    menu->addSeparator();
    const double x = std::max(0.0, card->menuX());
    menu->addAction(tr("Note here (%1)…").arg(format::clock(x)), this, [this, x] { askNoteAt(x, nullptr); })
        ->setObjectName(QStringLiteral("noteHere"));
    const auto near = card->noteNear(card->menuX());
    const Annotation* note = near ? noteAt(*near) : nullptr;
    if (!note)
        return;
    menu->addAction(tr("Change “%1”…").arg(shortened(note->text)), this,
                    [this, copy = *note] { askNoteAt(double(copy.tNs) / 1e9, &copy); })
        ->setObjectName(QStringLiteral("noteChange"));
    menu->addAction(tr("Delete “%1”").arg(shortened(note->text)), this, [this, copy = *note] { removeNote(copy); })
        ->setObjectName(QStringLiteral("noteDelete"));
}

void RunPage::showEventMenu(const QPoint& at)
{
    const Annotation* note = noteOfRow(m_eventList->indexAt(at).row());
    if (!note)
        return;
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("eventMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Change the note…"), this, [this, copy = *note] { askNoteAt(double(copy.tNs) / 1e9, &copy); });
    menu->addAction(tr("Delete the note"), this, [this, copy = *note] { removeNote(copy); });
    menu->popup(m_eventList->viewport()->mapToGlobal(at));
}

//! Unless another session is shown by now.
void RunPage::takeNotes(const RunNotes& notes)
{
    context().notifyLibraryChanged();
    if (!m_model.session() || QString::fromStdString(m_model.session()->id) != notes.session)
        return;
    if (m_replaying && m_replay.data()) {
        const auto& runs = m_replay.data()->session.runs;
        const auto run = std::ranges::find(runs, notes.run, [](const StoredRun& one) { return one.header.index; });
        if (run != runs.end())
            m_replay.setEvents(std::size_t(run - runs.begin()), notes.events, notes.annotations);
        return;
    }
    if (!m_model.run() || m_model.run()->index != notes.run)
        return;
    m_notes = notes.annotations;
    m_notesRun = notes.storedRun;
    m_model.setEvents(notes.events);
}

} // namespace dyno
