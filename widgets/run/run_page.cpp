// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/run_page.h"

#include "bridge/add_series_dialog.h"
#include "bridge/library_undo.h"
#include "bridge/series_edits.h"
#include "parts/card.h"
#include "parts/choice_pill.h"
#include "parts/commands.h"
#include "qt_text.h"
#include "run/note_controls.h"
#include "run/pair_view.h"
#include "run/replay_bar.h"
#include "run/run_banner.h"
#include "run/run_head.h"
#include "run/run_key_figures.h"
#include "run/run_side.h"
#include "run/series_panel.h"
#include "run/snapshots_dialog.h"
#include "run/statements_card.h"
#include "run/warmup_mover.h"

#include <QKeyEvent>
#include <QMenu>
#include <QStackedWidget>

#include <algorithm>
#include <cmath>

namespace dyno {

RunPage::RunPage(AppContext& context, QWidget* parent)
    : Page(context, parent)
    , m_shown(context.run())
    , m_baseline(new RunBaseline(m_shown.model(), context.library(), this))
    , m_stack(new QStackedWidget)
    , m_empty(new EmptyState(QStringLiteral("run"), {}, {}))
    , m_content(new QWidget)
    , m_head(new RunHead(m_shown, context.run()))
    , m_replayBar(new ReplayBar(m_shown.replay().clock()))
    , m_replayed(new ChoicePill(tr("Replay"), QStringLiteral("replayRun"), tr("The whole session or one run")))
    , m_banner(new RunBanner)
    , m_plots(new RunPlots(m_shown, *m_baseline))
    , m_nothing(new EmptyState(QStringLiteral("warning"), tr("Nothing was measured"), {}))
    , m_side(new RunSide(m_shown.model(), *m_baseline))
    , m_series(new SeriesPanel(m_shown.model()))
    , m_statements(new StatementsCard(m_shown.model(), context.library()))
    , m_notes(new NoteControls(context, m_shown, *m_plots, m_side->events(), this))
{
    setObjectName(QStringLiteral("runPage"));
    layOut();
    connectHead();
    connectShown();
    connectChanges();
    connectSeries();
    LibraryUndo::of(context).addCommands(this);
    connect(m_empty, &EmptyState::buttonClicked, this,
            [this] { this->context().showPage(QStringLiteral("startPage")); });
    connect(&context, &AppContext::replayRequested, this, &RunPage::showReplay);
    connect(&context, &AppContext::pairRequested, this, &RunPage::showPair);
    connect(&context.run(), &RunBridge::activeChanged, this, [this](bool active) {
        if (active)
            showLive();
        updateButtons();
    });
    connect(&context, &AppContext::libraryChanged, m_baseline, &RunBaseline::refreshChoices);
    connect(m_baseline, &RunBaseline::failed, this, [this](const QString& text) {
        m_banner->showText(Tone::Bad, tr("The baseline cannot be read: %1").arg(text));
    });
    connect(&context.run(), &RunBridge::pausedChanged, this, &RunPage::updateButtons);
    showLive();
}

void RunPage::layOut()
{
    m_head->setFocusProxy(this);
    m_replayBar->addChoice(m_replayed);
    m_nothing->setObjectName(QStringLiteral("runNothing"));
    m_nothing->hide();
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_stack);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_content);
    auto* columns = new QHBoxLayout;
    columns->setSpacing(space::cardGap);
    columns->addWidget(m_plots, 1);
    columns->addWidget(m_nothing, 1);
    columns->addWidget(m_side);
    columns->addWidget(m_series);
    m_series->hide();
    auto* page = new QVBoxLayout(m_content);
    page->setContentsMargins(space::pageMargin, 16, space::pageMargin, space::pageMargin - 4);
    page->setSpacing(space::cardGap);
    page->addWidget(m_head);
    page->addWidget(m_replayBar);
    page->addWidget(m_banner);
    auto* figures = new RunKeyFigures(m_shown.model(), *m_baseline);
    connect(m_plots, &RunPlots::stallsChanged, figures, &RunKeyFigures::refresh);
    connect(m_plots, &RunPlots::stallsChanged, &m_side->moved(), &MovedCard::showStalls);
    connect(m_plots, &RunPlots::rangeChosen, &m_side->moved(), [this](double from, double to) {
        m_side->moved().showRange({from, to});
        showSide();
    });
    connect(&m_side->moved(), &MovedCard::zoomWanted, m_plots, &RunPlots::zoomAround);
    connect(m_plots, &RunPlots::stallZoomed, &m_side->moved(), [this](double seconds) {
        m_side->moved().showStall(seconds);
        if (width() >= space::foldWidth) // the zoomed plots stay
            showSide();
    });
    connect(m_plots, &RunPlots::correlationWanted, this, [this](const std::optional<TimeStretch>& stretch) {
        m_side->moved().showCorrelation(stretch);
        showSide();
    });
    addCommand(this, {QStringLiteral("runCorrelationCommand"), tr("Show what moves with throughput"), {}},
               [this] { m_plots->askCorrelation(); });
    connect(&m_side->moved(), &MovedCard::addWanted, &m_plots->stack(), [this](const QStringList& ids) {
        m_head->chooseSide(false);
        m_plots->stack().add(ids);
    });
    connect(&m_side->moved(), &MovedCard::momentWanted, m_plots, &RunPlots::showMoment);
    m_side->addCard(m_statements);
    connect(&m_plots->stack(), &PlotStack::seriesWanted, this, [this] { showSeries(!m_seriesOpen); });
    connect(m_series, &SeriesPanel::closeWanted, this, [this] { showSeries(false); });
    connect(m_series, &SeriesPanel::addWanted, &m_plots->stack(),
            [this](const QStringList& ids) { m_plots->stack().add(ids); });
    connect(m_statements, &StatementsCard::overTimeWanted, this, &RunPage::showOverTime);
    page->addWidget(figures);
    page->addLayout(columns, 1);
}

void RunPage::connectHead()
{
    connect(m_head, &RunHead::noteWanted, m_notes, &NoteControls::ask);
    connect(m_head, &RunHead::missingWanted, this, &RunPage::runMissing);
    connect(m_head, &RunHead::compareWanted, this, &RunPage::compareThis);
    connect(m_head, &RunHead::liveWanted, this, &RunPage::showLive);
    connect(m_head, &RunHead::sideToggled, this, &RunPage::updateFolding);
}

void RunPage::connectShown()
{
    const LiveRunModel* model = &m_shown.model();
    connect(model, &LiveRunModel::sessionReset, this, [this] {
        showContent();
        m_banner->hide();
        updateButtons();
    });
    connect(model, &LiveRunModel::runReset, this, &RunPage::updateButtons);
    connect(model, &LiveRunModel::finished, this, &RunPage::onFinished);
    ReplaySource* replay = &m_shown.replay();
    connect(replay, &ReplaySource::ready, this, &RunPage::fillReplayed);
    connect(&m_side->events(), &EventList::eventChosen, this, &RunPage::goTo);
    connect(&m_side->events(), &EventList::eventEntered, this, &RunPage::zoomInto);
    connect(replay, &ReplaySource::failed, this, &RunPage::showReplayFailure);
    connect(m_replayed, &ChoicePill::chosen, this,
            [replay](const QString& id) { replay->playOnly(id.isEmpty() ? -1 : id.toInt()); });
}

//! What a person changes of a stored run.
void RunPage::connectChanges()
{
    auto* mover = new WarmupMover(context(), m_shown.replay(), this);
    connect(mover, &WarmupMover::failed, this, [this](const QString& text) {
        m_banner->showText(Tone::Bad, tr("The warm-up was not moved: %1").arg(text));
    });
    connect(&m_plots->throughput(), &PlotCard::edgeMoved, this, [this, mover](double x) {
        if (m_shown.model().run())
            mover->move(m_shown.model().run()->index, x);
    });
    connect(&m_plots->throughput(), &PlotCard::aboutToShowMenu, this, [this, mover](QMenu* menu) {
        if (const StoredRun* stored = m_shown.stored())
            mover->addActions(menu, *stored, m_plots->throughput().menuX());
    });
    connect(m_notes, &NoteControls::failed, this,
            [this](const QString& text) { m_banner->showText(Tone::Bad, tr("The note was not saved: %1").arg(text)); });
}

//! Series of a Prometheus server, for a stored session.
void RunPage::connectSeries()
{
    m_addSeries = addCommand(this, {QStringLiteral("runAddSeriesCommand"),
                                    tr("Add series from Prometheus…"),
                                    {},
                                    tr("What a Prometheus server stored while this session was measured")});
    m_removeSeries = addCommand(this, {QStringLiteral("runRemoveSeriesCommand"),
                                       tr("Remove added series"),
                                       {},
                                       tr("All series that were added to this session (can be undone)")});
    connect(m_addSeries, &QAction::triggered, this, [this] {
        const int only = m_shown.replay().onlyRun();
        const StoredRun* stored = only >= 0 ? m_shown.stored() : nullptr;
        auto* dialog =
            new AddSeriesDialog(context(), m_shown.sessionId(), stored ? stored->header.index + 1 : 0, window());
        dialog->open();
    });
    SeriesEdits* edits = &SeriesEdits::of(context());
    connect(m_removeSeries, &QAction::triggered, edits, [this, edits] { edits->remove(m_shown.sessionId()); });
    connect(edits, &SeriesEdits::changed, this, [this](const QString& session, const std::vector<CounterInfo>& added) {
        if (!replaying() || session != m_shown.sessionId())
            return;
        for (const CounterInfo& counter : added) {
            if (!m_added.contains(idOf(counter)))
                m_added << idOf(counter);
        }
        m_shown.replay().reload(context().library());
    });
    connect(&m_shown.replay(), &ReplaySource::reloaded, this, [this] {
        updateSeriesActions();
        QStringList added = std::exchange(m_added, {});
        added.removeIf([there = addedSeries()](const QString& id) { return !there.contains(id); }); // undone since
        if (!added.isEmpty())
            m_plots->stack().addForNow(added);
    });
    connect(&m_shown.replay(), &ReplaySource::reloadFailed, this, [this](const QString& text) {
        m_added.clear();
        m_banner->showText(Tone::Bad, tr("The changed series were not read: %1").arg(text));
    });
    connect(&m_shown.replay(), &ReplaySource::ready, this, &RunPage::updateSeriesActions);
    QMenu* menu = m_plots->stack().menu();
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { // the stack has filled it
        menu->addSeparator();
        menu->addActions({m_addSeries, m_removeSeries});
    });
    m_series->offer(buttonFor(m_addSeries, QStringLiteral("seriesFromPrometheus"), "link"));
    m_series->offer(buttonFor(m_removeSeries, QStringLiteral("seriesRemoveAdded"), "link"));
    updateSeriesActions();
}

QStringList RunPage::addedSeries()
{
    const ReplayData* shown = replaying() ? m_shown.replay().data() : nullptr;
    QStringList added;
    for (std::size_t i = 0; shown && i < shown->session.runs.size(); ++i) {
        for (const CounterInfo& counter : shown->session.runs[i].header.counters) {
            if (isAddedSource(counter.source))
                added << idOf(counter);
        }
    }
    return added;
}

void RunPage::updateSeriesActions()
{
    m_addSeries->setVisible(replaying() && m_shown.replay().data());
    const QStringList added = addedSeries();
    m_removeSeries->setVisible(!added.isEmpty());
    m_plots->stack().keepForNow(added);
}

void RunPage::activated()
{
    m_plots->markDirty();
}

bool RunPage::showsEmptyState() const
{
    return m_stack->currentWidget() == m_empty;
}

bool RunPage::showsPair() const
{
    return m_pair && m_stack->currentWidget() == m_pair;
}

QString RunPage::bannerText() const
{
    return m_banner->isVisibleTo(m_content) ? m_banner->text() : QString();
}

void RunPage::showContent()
{
    m_stack->setCurrentWidget(m_shown.model().session() ? m_content : static_cast<QWidget*>(m_empty));
}

void RunPage::showReplay(const QString& sessionId)
{
    m_goTo.reset();
    if (m_pair)
        m_pair->clear();
    m_shown.showReplay(context().library(), sessionId);
    m_replayBar->show();
    updateButtons();
}

void RunPage::showLive()
{
    m_goTo.reset();
    if (m_pair)
        m_pair->clear();
    m_replayBar->hide();
    m_empty->setIconName(QStringLiteral("run"));
    m_empty->setTexts(tr("Nothing is running"),
                      tr("Choose a question on the Start page or build a plan, then start it. "
                         "Stored sessions can be replayed from the Sessions page."),
                      tr("Choose what to run"));
    m_shown.showLive();
    showContent();
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
    m_goTo.reset();
    m_empty->setIconName(QStringLiteral("error"));
    m_empty->setTexts(tr("The session cannot be replayed"), text, tr("Show the sessions"));
    m_stack->setCurrentWidget(m_empty);
}

void RunPage::fillReplayed()
{
    std::vector<ChoicePill::Choice> choices{{QString(), tr("whole session")}};
    const StoredSession& session = m_shown.replay().data()->session;
    for (std::size_t i = 0; i < session.runs.size(); ++i)
        choices.push_back({QString::number(i), tr("run %1: %2").arg(i + 1).arg(runLabel(session, session.runs[i]))});
    const int only = m_shown.replay().onlyRun();
    m_replayed->setVisible(session.runs.size() > 1);
    m_replayed->setChoices(std::move(choices));
    m_replayed->setCurrent(only < 0 ? QString() : QString::number(only));
    if (m_goTo) // when it stands at its beginning
        QMetaObject::invokeMethod(this, &RunPage::goToWanted, Qt::QueuedConnection);
}

//! What the widget that has the keys did not take.
void RunPage::keyPressEvent(QKeyEvent* event)
{
    const bool two = showsPair();
    if (event->key() == Qt::Key_N && event->modifiers() == Qt::NoModifier && !two && m_head->offersNote())
        return m_notes->ask();
    const bool taken =
        two ? m_pair->handleKey(*event) : replaying() && m_shown.replay().loaded() && m_replayBar->handleKey(*event);
    if (!taken)
        Page::keyPressEvent(event);
}

void RunPage::updateButtons()
{
    m_head->updateButtons();
    updateSeriesActions();
    updateFolding();
}

void RunPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    updateFolding();
}

//! Where there is no room for both, the side stands instead of the plots when it is asked for.
void RunPage::updateFolding()
{
    const bool narrow = width() < space::foldWidth;
    const bool alone = narrow && m_head->sideChosen(), nothing = m_shown.nothingMeasured();
    m_head->setNarrow(narrow);
    m_series->setVisible(m_seriesOpen && !alone && !nothing);
    m_side->setVisible(alone || (!narrow && !m_series->isVisibleTo(m_content)));
    m_side->setAlone(alone);
    m_plots->setVisible(!alone && !nothing);
    m_nothing->setVisible(!alone && nothing);
}

//! The list stands in the place of the side: the plots keep their width.
void RunPage::showSeries(bool on)
{
    const bool had = m_series->isAncestorOf(QApplication::focusWidget());
    m_seriesOpen = on;
    updateFolding();
    if (on)
        m_series->begin();
    else if (had)
        setFocus(Qt::OtherFocusReason);
}

//! For what was asked for and stands there: the list of series takes its place, or the plots do in a narrow window.
void RunPage::showSide()
{
    showSeries(false);
    m_head->chooseSide(width() < space::foldWidth);
}

void RunPage::showOverTime(const QString& operation)
{
    QStringList ids{callsOf(operation)};
    for (const RunMeasure& measure : model().measures()) {
        const QVector<double>& values = measure.values(model().series());
        if (measure.id == timesOf(operation) &&
            std::ranges::any_of(values, [](double value) { return std::isfinite(value); }))
            ids << measure.id;
    }
    m_head->chooseSide(false);
    m_plots->stack().add(ids);
}

void RunPage::onFinished()
{
    if (model().result()) {
        const QString failure = failureOf(model());
        m_nothing->setTexts(model().counts().done > 0 ? tr("The last run measured nothing")
                                                      : tr("Nothing was measured"),
                            failure.isEmpty() ? tr("It ended before the first interval.") : failure);
    }
    updateButtons();
    if (!replaying())
        showEnd();
}

//! A live session that is complete ends on the Compare page.
void RunPage::showEnd()
{
    const SessionEnd end = endOf(model(), m_shown.missingRuns());
    const auto action = [this](SessionEnd::Offer offer) -> RunBanner::Action {
        switch (offer) {
        case SessionEnd::Offer::Compare:
            return {tr("Compare"), [this] { compareThis(); }};
        case SessionEnd::Offer::Missing:
            return {tr("Run what is missing"), [this] { runMissing(); }};
        case SessionEnd::Offer::Plan:
            return {tr("Show the plan"), [this] {
                        if (model().session())
                            context().editPlan(model().session()->plan);
                    }};
        case SessionEnd::Offer::Nothing:
            break;
        }
        return {};
    };
    m_banner->showText(end.tone, end.text, action(end.first), action(end.second));
    // activeChanged(false) follows this signal; the buttons are brought up to date then.
    if (isVisible()) {
        if (end.complete)
            compareThis();
    } else if (!end.kept) {
        context().showMessage(end.text);
    } else {
        context().showMessage(tr("%1: %2").arg(model().title(), model().stateText()),
                              end.complete ? tr("Compare") : tr("Show it"),
                              [this, end] { end.complete ? compareThis() : context().showPage(objectName()); });
    }
}

//! Shows an event in the plots. Those of an earlier run are had by a replay.
void RunPage::goTo(const LoggedEvent& event)
{
    // A person's note may begin so, too. Where a replay is loaded first, it is shown after that.
    const bool hasSnapshot =
        event.event.kind == EventKind::Server && event.event.text.startsWith(qtText(kSnapshotEvent));
    if (replaying() && m_shown.replay().loaded()) {
        m_shown.seekTo(event.run, event.event.seconds + event.event.lengthSeconds);
    } else if (!model().run() || model().run()->index != event.run) {
        if (m_shown.underWay())
            return context().showMessage(tr("Earlier runs can be looked at when the session has ended"));
        const QString session = m_shown.sessionId();
        showReplay(session);
        m_goTo = WantedEvent{session, event};
        return;
    }
    if (hasSnapshot)
        showSnapshots(event);
    m_plots->showMoment(event.event.seconds);
    if (event.event.kind == EventKind::Stall)
        m_side->moved().showStall(event.event.seconds);
}

void RunPage::showSnapshots(const LoggedEvent& event)
{
    if (!m_snapshots)
        m_snapshots = new SnapshotsDialog(context().library(), window());
    m_snapshots->showRun(m_shown.sessionId().toStdString(), event.run, event.event.seconds);
}

//! A stall of the run that is shown.
void RunPage::zoomInto(const LoggedEvent& event)
{
    if (event.event.kind == EventKind::Stall && model().run() && model().run()->index == event.run)
        m_plots->zoomAround(event.event.seconds, event.event.seconds + event.event.lengthSeconds);
}

//! What was asked for before its session was read, unless another one is shown by now.
void RunPage::goToWanted()
{
    const auto wanted = std::exchange(m_goTo, {});
    if (wanted && m_shown.replay().loaded() && wanted->session == m_shown.sessionId())
        goTo(wanted->event);
}

void RunPage::runMissing()
{
    if (model().session())
        context().runMissing(m_shown.sessionId());
}

void RunPage::compareThis()
{
    if (model().session())
        context().compareSessions({m_shown.sessionId()});
}

} // namespace dyno
