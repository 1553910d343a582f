// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The head of the Run page: title, state and progress, and the buttons that steer what runs. GUI thread.
#pragma once

#include "run/shown_run.h"

#include <QWidget>

class QAction;
class QProgressBar;
class QPushButton;

namespace dyno {

class FigureLabel;
class PageHeader;

//! Skipping, pausing and stopping it does itself. Gives the focus of these buttons to its focus proxy.
class RunHead : public QWidget
{
    Q_OBJECT
public:
    RunHead(const ShownRun& shown, RunBridge& run, QWidget* parent = nullptr); //!< both must outlive it
    void updateButtons();                  //!< another session, or it began, paused or ended
    void setNarrow(bool narrow);           //!< offers to show the side instead of the plots
    void chooseSide(bool on);              //!< emits sideToggled() if that is new
    [[nodiscard]] bool sideChosen() const; //!< it was taken up
    [[nodiscard]] bool offersNote() const;

signals:
    void noteWanted();
    void missingWanted();
    void compareWanted();
    void liveWanted();
    void sideToggled();

private:
    QAction* addButton(const char* objectName, const QString& text, const QKeySequence& keys, const QString& tip,
                       Qt::FocusPolicy focus = Qt::StrongFocus, const char* role = "");
    void addButtons();
    void addProgress();
    void connectButtons();
    void updateTexts();

    const ShownRun& m_shown;
    const LiveRunModel& m_model;
    RunBridge& m_run;
    PageHeader* m_header;
    QPushButton* m_fold;
    QAction *m_note, *m_snapshot, *m_pause, *m_skipRun, *m_skip, *m_stop, *m_closeReplay, *m_missing, *m_compare;
    QWidget* m_progressRow;
    QProgressBar* m_progress;
    FigureLabel* m_progressText;
};

} // namespace dyno
