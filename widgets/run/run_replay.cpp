// SPDX-License-Identifier: GPL-3.0-or-later
// The replay side of the Run page: one session, two runs in step, the keys, and what can be changed of a stored run.
#include "bridge/app_context.h"
#include "format.h"
#include "parts/card.h"
#include "parts/choice_pill.h"
#include "run/pair_replay.h"
#include "run/pair_view.h"
#include "run/replay_bar.h"
#include "run/run_page.h"
#include "run/warmup_mover.h"

#include <QKeyEvent>
#include <QMenu>

namespace dyno {

void RunPage::showReplay(const QString& sessionId)
{
    m_replaying = true;
    if (m_pair)
        m_pair->clear();
    m_model.attach(&m_replay);
    m_replayBar->show();
    m_progressRow->hide();
    m_replay.load(context().library(), sessionId);
    updateButtons();
}

void RunPage::showLive()
{
    m_replaying = false;
    m_replay.close();
    if (m_pair)
        m_pair->clear();
    m_replayBar->hide();
    m_progressRow->show();
    m_empty->setIconName(QStringLiteral("run"));
    m_empty->setTexts(tr("Nothing is running"),
                      tr("Choose a question on the Start page or build a plan, then start it. "
                         "Stored sessions can be replayed from the Sessions page."),
                      tr("Choose what to run"));
    m_model.attach(&context().run());
    m_stack->setCurrentWidget(m_model.session() ? m_content : static_cast<QWidget*>(m_empty));
    updateButtons();
}

//! Two runs together have a view of their own.
void RunPage::showPair(const ReplayPick& first, const ReplayPick& second)
{
    showLive(); // what was replayed alone is over
    m_empty->setIconName(QStringLiteral("clock"));
    m_empty->setTexts(tr("Reading the runs"), {});
    m_stack->setCurrentWidget(m_empty);
    pair().showRuns(first, second);
}

PairView& RunPage::pair()
{
    if (!m_pair) {
        m_pair = new PairView(context());
        m_stack->addWidget(m_pair);
        connect(m_pair, &PairView::failed, this, &RunPage::showReplayFailure);
        connect(m_pair, &PairView::ready, this, [this] { m_stack->setCurrentWidget(m_pair); });
        connect(m_pair, &PairView::closeRequested, this, &RunPage::showLive);
    }
    return *m_pair;
}

void RunPage::showReplayFailure(const QString& text)
{
    m_empty->setIconName(QStringLiteral("error"));
    m_empty->setTexts(tr("The session cannot be replayed"), text, tr("Show the sessions"));
    m_stack->setCurrentWidget(m_empty);
}

void RunPage::fillReplayed()
{
    std::vector<ChoicePill::Choice> choices{{QString(), tr("whole session")}};
    const StoredSession& session = m_replay.data()->session;
    for (std::size_t i = 0; i < session.runs.size(); ++i)
        choices.push_back({QString::number(i), tr("run %1: %2").arg(i + 1).arg(runLabel(session, session.runs[i]))});
    m_replayed->setVisible(session.runs.size() > 1);
    m_replayed->setChoices(std::move(choices));
    m_replayed->setCurrent(m_replay.onlyRun() < 0 ? QString() : QString::number(m_replay.onlyRun()));
}

//! What the widget that has the keys did not take.
void RunPage::keyPressEvent(QKeyEvent* event)
{
    const bool two = showsPair();
    if (event->key() == Qt::Key_N && event->modifiers() == Qt::NoModifier && !two && !m_note->isHidden())
        return askNote();
    const bool taken =
        two ? m_pair->handleKey(*event) : m_replaying && m_replay.loaded() && m_replayBar->handleKey(*event);
    if (!taken)
        Page::keyPressEvent(event);
}

//! The run whose warm-up can be moved: one that is stored and replayed.
const StoredRun* RunPage::storedRun() const
{
    return m_replaying && m_model.run() ? m_mover->run(m_model.run()->index) : nullptr;
}

//! Where the axis of time ends, as far as it is known beforehand.
double RunPage::plannedSeconds() const
{
    const StoredRun* stored = storedRun();
    if (!stored)
        return m_model.plannedSeconds();
    return m_replay.data()->lengthOf(std::size_t(stored - m_replay.data()->session.runs.data()));
}

void RunPage::addWarmupActions(QMenu* menu)
{
    const StoredRun* stored = storedRun();
    if (!stored)
        return;
    const int index = stored->header.index;
    menu->addSeparator();
    QAction* here = menu->addAction(tr("Warm-up ends here (%1)").arg(format::clock(m_throughput->menuX())), this,
                                    [this, index, x = m_throughput->menuX()] { m_mover->move(index, x); });
    here->setObjectName(QStringLiteral("warmupEndsHere"));
    if (stored->recordedWarmupEndNs) {
        const QString at = format::clock(double(*stored->recordedWarmupEndNs) / 1e9);
        QAction* back =
            menu->addAction(tr("Warm-up as recorded (%1)").arg(at), this, [this, index] { m_mover->restore(index); });
        back->setObjectName(QStringLiteral("warmupAsRecorded"));
    }
}

} // namespace dyno
