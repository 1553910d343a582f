// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/run_head.h"

#include "parts/card.h"
#include "parts/commands.h"
#include "qt_text.h"

#include <QProgressBar>

#include <algorithm>

namespace dyno {

RunHead::RunHead(const ShownRun& shown, RunBridge& run, QWidget* parent)
    : QWidget(parent)
    , m_shown(shown)
    , m_model(shown.model())
    , m_run(run)
    , m_header(new PageHeader(tr("Run")))
    , m_progressRow(new QWidget)
    , m_progress(new QProgressBar)
    , m_progressText(new FigureLabel({}, TextRole::Secondary))
{
    setObjectName(QStringLiteral("runHead"));
    setAccessibleName(tr("What runs, and how far it is"));
    addButtons();
    addProgress();
    connectButtons();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::cardGap);
    column->addWidget(m_header);
    column->addWidget(m_progressRow);
    connect(&m_model, &LiveRunModel::headChanged, this, &RunHead::updateTexts);
    updateTexts();
}

//! A command, and its button of that name.
QAction* RunHead::addButton(const char* objectName, const QString& text, const QKeySequence& keys, const QString& tip,
                            Qt::FocusPolicy focus, const char* role)
{
    const QString name = QString::fromLatin1(objectName);
    QAction* action = addCommand(this, {name + QStringLiteral("Command"), text, {keys}, tip, {}, Qt::WindowShortcut});
    QPushButton* button = buttonFor(action, name, role);
    button->setFocusPolicy(focus);
    m_header->actions()->addWidget(button);
    return action;
}

void RunHead::addButtons()
{
    m_fold = makeButton(tr("Points and events"));
    m_fold->setObjectName(QStringLiteral("runFold"));
    m_fold->setToolTip(tr("Show the points and the events instead of the plots"));
    m_fold->setCheckable(true);
    m_header->actions()->addWidget(m_fold);
    m_note = addButton("runNote", tr("Note"), QKeySequence(Qt::CTRL | Qt::Key_M),
                       tr("Add a note to the time axis; in a stored run, at the crosshair (N)"));
    m_snapshot =
        addButton("runSnapshot", tr("Snapshot"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_M),
                  tr("Ask the server what runs and what waits now; the answer is kept as an event"), Qt::TabFocus);
    m_pause = addButton("runPause", tr("Pause"), QKeySequence(Qt::CTRL | Qt::Key_P), tr("Wait before the next run"),
                        Qt::TabFocus);
    m_skipRun = addButton("runSkipRun", tr("Skip run"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_K),
                          tr("End this run and start the next one"), Qt::TabFocus);
    m_skip = addButton("runSkip", tr("Skip point"), QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_K),
                       tr("End this run and skip all other runs of its point"), Qt::TabFocus);
    m_stop = addButton("runStop", tr("Stop"), QKeySequence(Qt::SHIFT | Qt::Key_Escape),
                       tr("End the session; what was measured is kept"), Qt::TabFocus);
    m_closeReplay = addButton("runCloseReplay", tr("Close replay"), {}, tr("Back to the live view"));
    m_missing =
        addButton("runMissing", tr("Run what is missing"), {}, tr("Run what is not complete, into this session"));
    m_compare = addButton("runCompare", tr("Compare"), {}, tr("Show this session on the Compare page"), Qt::StrongFocus,
                          "primary");
}

void RunHead::addProgress()
{
    auto* row = new QHBoxLayout(m_progressRow);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(22);
    m_progress->setObjectName(QStringLiteral("runProgress"));
    m_progress->setAccessibleName(tr("Progress of the session"));
    m_progress->setTextVisible(false);
    m_progress->setRange(0, 1000);
    m_progressText->setObjectName(QStringLiteral("runProgressText"));
    row->addWidget(m_progress, 1);
    row->addWidget(m_progressText);
}

void RunHead::connectButtons()
{
    connect(m_note, &QAction::triggered, this, &RunHead::noteWanted);
    connect(m_missing, &QAction::triggered, this, &RunHead::missingWanted);
    connect(m_compare, &QAction::triggered, this, &RunHead::compareWanted);
    connect(m_closeReplay, &QAction::triggered, this, &RunHead::liveWanted);
    connect(m_fold, &QPushButton::toggled, this, &RunHead::sideToggled);
    // A Space that is typed by habit must not end anything: these buttons never keep the focus of a click.
    const auto act = [this](QAction* command, auto action) {
        connect(command, &QAction::triggered, this, [this, action] {
            setFocus(Qt::OtherFocusReason);
            action();
        });
    };
    act(m_snapshot, [this] { m_run.takeSnapshot(); });
    act(m_skipRun, [this] { m_run.skipRun(); });
    act(m_skip, [this] { m_run.skipPoint(); });
    act(m_stop, [this] {
        m_stop->setEnabled(false);
        m_stop->setText(tr("Stopping…"));
        m_run.stop();
    });
    act(m_pause, [this] { m_run.setPaused(!m_run.paused()); });
}

void RunHead::updateTexts()
{
    m_header->setTitle(m_model.title());
    const bool replayed = m_shown.replaying() && m_model.state() == LiveRunModel::State::Running;
    m_header->setChip(replayed ? tr("replay") : m_model.stateText(), m_model.stateTone());
    m_header->setSubtitle(m_model.subtitle());
    const bool complete = m_model.result() && m_model.counts().missing() == 0;
    m_progress->setValue(complete ? 1000 : int(m_model.progress().fraction * 1000));
    if (m_progressText->text() != m_model.progressText()) {
        m_progressText->setText(m_model.progressText());
        m_progressText->updateGeometry();
    }
    m_progressText->setToolTip(qtText(m_model.progress().waitsFor));
}

void RunHead::updateButtons()
{
    const bool live = m_shown.underWay();
    for (QAction* command : {m_snapshot, m_skip, m_pause, m_stop})
        command->setVisible(live);
    const SessionHeader* session = m_model.session();
    m_skipRun->setVisible(live && session &&
                          std::ranges::any_of(session->runs, [](const RunSlot& slot) { return slot.repeat > 1; }));
    m_missing->setVisible(!live && m_shown.missingRuns() > 0);
    m_note->setVisible(live || m_shown.canAnnotate());
    if (live && !m_shown.ended()) {
        m_stop->setEnabled(true);
        m_stop->setText(tr("Stop"));
    }
    m_pause->setText(m_run.paused() ? tr("Resume") : tr("Pause"));
    m_pause->setToolTip(
        tipWithKeys(m_run.paused() ? tr("Continue with the next run") : tr("Wait before the next run"), m_pause));
    m_closeReplay->setVisible(m_shown.replaying());
    m_compare->setVisible(m_shown.replaying() || (m_shown.ended() && !live && m_model.counts().done > 0));
    m_progressRow->setVisible(!m_shown.replaying());
}

void RunHead::setNarrow(bool narrow)
{
    m_fold->setVisible(narrow);
}

void RunHead::chooseSide(bool on)
{
    m_fold->setChecked(on);
}

bool RunHead::sideChosen() const
{
    return m_fold->isChecked();
}

bool RunHead::offersNote() const
{
    return m_note->isVisible();
}

} // namespace dyno
