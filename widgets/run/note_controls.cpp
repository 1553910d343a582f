// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/note_controls.h"

#include "format.h"
#include "run/run_plots.h"
#include "run/run_side.h"

#include <QInputDialog>
#include <QMenu>

#include <algorithm>

namespace dyno {

namespace {

QString shortened(const std::string& text)
{
    constexpr qsizetype kMost = 30;
    const QString whole = QString::fromStdString(text).simplified();
    return whole.size() <= kMost ? whole : whole.left(kMost - 1) + QStringLiteral("…");
}

} // namespace

NoteControls::NoteControls(AppContext& context, ShownRun& shown, RunPlots& plots, EventList& list, QWidget* page)
    : QObject(page)
    , m_context(context)
    , m_shown(shown)
    , m_plots(plots)
    , m_list(list)
    , m_page(page)
    , m_editor(context)
{
    connect(&m_editor, &NoteEditor::failed, this, &NoteControls::failed);
    connect(&m_editor, &NoteEditor::changed, this, [this](const RunNotes& notes) {
        m_context.notifyLibraryChanged();
        m_shown.takeNotes(notes);
    });
    const auto join = [this](PlotCard* card) {
        connect(card, &PlotCard::aboutToShowMenu, this, [this, card](QMenu* menu) { addActions(card, menu); });
        connect(card, &PlotCard::noteActivated, this, [this](double x) {
            if (const Annotation* note = m_shown.noteAt(x))
                askAt(x, note);
        });
    };
    std::ranges::for_each(m_plots.cards(), join);
    connect(&m_plots, &RunPlots::cardAdded, this, join);
    m_list.setContextMenuPolicy(Qt::CustomContextMenu);
    connect(&m_list, &QWidget::customContextMenuRequested, this, &NoteControls::showEventMenu);
    connect(&m_list, &QListView::doubleClicked, this, [this](const QModelIndex& index) {
        if (const Annotation* note = noteOfRow(index.row()))
            askAt(double(note->tNs) / 1e9, note);
    });
}

const Annotation* NoteControls::noteOfRow(int row) const
{
    const LoggedEvent* event = m_list.eventAt(row);
    const bool here = event && m_shown.canAnnotate() && m_shown.model().run()->index == event->run;
    return here ? m_shown.noteOf(event->event) : nullptr;
}

void NoteControls::ask()
{
    if (!m_shown.canAnnotate())
        return askWhileRunning();
    const LiveRunModel& model = m_shown.model();
    const double last = model.series().size() > 0 ? model.series().time.last() : 0;
    const PlotCard& plot = m_plots.throughput();
    const double here = plot.crosshairShown() ? plot.crosshairX()
                        : m_shown.replaying()
                            ? m_shown.replay().position() - m_shown.replay().runStart(model.run()->index)
                            : last;
    askAt(std::max(0.0, here), nullptr);
}

void NoteControls::askWhileRunning()
{
    // While it is being written the run goes on, or ends: the note stays where it was begun.
    const LiveRunModel& model = m_shown.model();
    const int run = model.run() ? model.run()->index : -1;
    const double seconds = model.series().size() > 0 ? model.series().time.last() : 0;
    const qint64 begunNs = run < 0 ? 0 : RunBridge::now(); // before the first run there is no axis yet
    open(tr("Note"), tr("What is happening? The note marks this moment."), {},
         [this, session = m_shown.sessionId(), run, seconds, begunNs](const QString& text) {
             RunBridge& live = m_context.run();
             if (text.isEmpty() || ((session.isEmpty() || live.sessionId() == session) && live.note(text, begunNs)))
                 return;
             if (run >= 0)
                 m_editor.add(session, run, seconds, text);
             else
                 emit failed(tr("the session ended before its first run"));
         });
}

void NoteControls::askAt(double seconds, const Annotation* existing)
{
    if (!m_shown.canAnnotate())
        return;
    open(existing ? tr("Change the note") : tr("Note"), tr("What happened at %1?").arg(format::clock(seconds)),
         existing ? QString::fromStdString(existing->text) : QString(),
         [this, session = m_shown.sessionId(), run = m_shown.model().run()->index, seconds,
          note = existing ? std::optional(*existing) : std::nullopt](const QString& text) {
             if (text.isEmpty() && note)
                 m_editor.remove(session, run, *note);
             else if (note && text != QString::fromStdString(note->text))
                 m_editor.change(session, run, *note, text);
             else if (!note && !text.isEmpty())
                 m_editor.add(session, run, seconds, text);
         });
}

void NoteControls::open(const QString& title, const QString& label, const QString& text,
                        const std::function<void(const QString& entered)>& done)
{
    auto* dialog = new QInputDialog(m_page);
    dialog->setObjectName(QStringLiteral("noteDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    dialog->setLabelText(label);
    dialog->setMinimumWidth(420);
    dialog->setTextValue(text);
    dialog->setOkButtonText(tr("Save"));
    connect(dialog, &QInputDialog::textValueSelected, this,
            [done](const QString& entered) { done(entered.trimmed()); });
    dialog->open();
}

void NoteControls::remove(const Annotation& note)
{
    if (m_shown.canAnnotate())
        m_editor.remove(m_shown.sessionId(), m_shown.model().run()->index, note);
}

void NoteControls::addActions(PlotCard* card, QMenu* menu)
{
    if (!m_shown.canAnnotate())
        return;
    menu->addSeparator();
    const double x = std::max(0.0, card->menuX());
    menu->addAction(tr("Note here (%1)…").arg(format::clock(x)), this, [this, x] { askAt(x, nullptr); })
        ->setObjectName(QStringLiteral("noteHere"));
    const auto near = card->noteNear(card->menuX());
    const Annotation* note = near ? m_shown.noteAt(*near) : nullptr;
    if (!note)
        return;
    menu->addAction(tr("Change “%1”…").arg(shortened(note->text)), this,
                    [this, copy = *note] { askAt(double(copy.tNs) / 1e9, &copy); })
        ->setObjectName(QStringLiteral("noteChange"));
    menu->addAction(tr("Delete “%1”").arg(shortened(note->text)), this, [this, copy = *note] { remove(copy); })
        ->setObjectName(QStringLiteral("noteDelete"));
}

void NoteControls::showEventMenu(const QPoint& at)
{
    const Annotation* note = noteOfRow(m_list.indexAt(at).row());
    if (!note)
        return;
    auto* menu = new QMenu(m_page);
    menu->setObjectName(QStringLiteral("eventMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Change the note…"), this, [this, copy = *note] { askAt(double(copy.tNs) / 1e9, &copy); });
    menu->addAction(tr("Delete the note"), this, [this, copy = *note] { remove(copy); });
    menu->popup(m_list.viewport()->mapToGlobal(at));
}

} // namespace dyno
