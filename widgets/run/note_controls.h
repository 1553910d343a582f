// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How a person writes, changes and deletes notes of the run shown: at the plots, in the list of events, and in a
//! dialog. GUI thread.
#pragma once

#include "run/note_editor.h"

#include <QPointer>

class QMenu;

namespace dyno {

class EventList;
class PlotCard;
class RunPlots;
class ShownRun;

class NoteControls : public QObject
{
    Q_OBJECT
public:
    //! Listens to plots and list, and gives what was written to `shown`. All must outlive it; `page` has the dialogs.
    NoteControls(AppContext& context, ShownRun& shown, RunPlots& plots, EventList& list, QWidget* page);
    //! While a session runs: at this moment. Of a stored run: at the crosshair, else where the replay stands.
    void ask();

signals:
    void failed(const QString& text); //!< a note was not saved

private:
    void askWhileRunning();
    void askAt(double seconds, const Annotation* existing);
    void open(const QString& title, const QString& label, const QString& text,
              const std::function<void(const QString& entered)>& done);
    void remove(const Annotation& note);
    [[nodiscard]] const Annotation* noteOfRow(int row) const; //!< of the list of events
    void addActions(PlotCard* card, QMenu* menu);
    void showEventMenu(const QPoint& at);

    AppContext& m_context;
    ShownRun& m_shown;
    RunPlots& m_plots;
    EventList& m_list;
    QWidget* m_page;
    NoteEditor m_editor;
};

} // namespace dyno
