// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/run_page.h"

#include "bridge/app_context.h"
#include "format.h"
#include "parts/card.h"
#include "parts/choice_pill.h"
#include "parts/failure_text.h"
#include "run/note_editor.h"
#include "run/pair_view.h"
#include "run/replay_bar.h"
#include "run/run_side.h"
#include "run/warmup_mover.h"

#include <dyno/report.h>

#include <QInputDialog>
#include <QMenu>
#include <QScrollArea>
#include <QShortcut>

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

constexpr int kSideWidth = 300;
constexpr int kMinXSeconds = 5; //!< an open-ended run shows at least this much

} // namespace

RunPage::RunPage(AppContext& context, QWidget* parent)
    : Page(context, parent)
    , m_stack(new QStackedWidget)
    , m_empty(new EmptyState(QStringLiteral("run"), tr("Nothing is running"),
                             tr("Choose a question on the Start page or build a plan, then start it. "
                                "Stored sessions can be replayed from the Sessions page."),
                             tr("Choose what to run")))
    , m_content(new QWidget)
    , m_crosshair(new CrosshairGroup(this))
{
    setObjectName(QStringLiteral("runPage"));
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_stack);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_content);
    auto* page = new QVBoxLayout(m_content);
    page->setContentsMargins(space::pageMargin, 16, space::pageMargin, space::pageMargin - 4);
    page->setSpacing(space::cardGap);
    buildHead(*page);
    buildBanner(*page);
    buildFigures(*page);
    auto* columns = new QHBoxLayout;
    columns->setSpacing(space::cardGap);
    m_plots = new QWidget;
    auto* plots = new QVBoxLayout(m_plots);
    plots->setContentsMargins(0, 0, 0, 0);
    plots->setSpacing(space::cardGap);
    buildPlots(*plots);
    m_side = buildSide();
    m_nothing = new EmptyState(QStringLiteral("warning"), tr("Nothing was measured"), {});
    m_nothing->setObjectName(QStringLiteral("runNothing"));
    m_nothing->hide();
    columns->addWidget(m_plots, 1);
    columns->addWidget(m_nothing, 1);
    columns->addWidget(m_side);
    page->addLayout(columns, 1);
    connectModel();
    connectNotes();
    connect(m_empty, &EmptyState::buttonClicked, this,
            [this] { this->context().showPage(QStringLiteral("startPage")); });
    connect(&context, &AppContext::replayRequested, this, &RunPage::showReplay);
    connect(&context, &AppContext::pairRequested, this, &RunPage::showPair);
    connect(&context.run(), &RunBridge::activeChanged, this, [this](bool active) {
        if (active)
            showLive();
        updateButtons();
    });
    connect(&context.run(), &RunBridge::pausedChanged, this, &RunPage::updateButtons);
    m_model.attach(&context.run());
    updateHead();
    updateFigures();
    updateButtons();
}

void RunPage::buildHead(QVBoxLayout& page)
{
    m_head = new PageHeader(tr("Run"));
    m_note = makeButton(tr("Note"));
    m_skipRun = makeButton(tr("Skip run"));
    m_skip = makeButton(tr("Skip point"));
    m_pause = makeButton(tr("Pause"));
    m_stop = makeButton(tr("Stop"));
    m_missing = makeButton(tr("Run what is missing"));
    m_compare = makeButton(tr("Compare"), "primary");
    m_closeReplay = makeButton(tr("Close replay"));
    m_fold = makeButton(tr("Points and events"));
    m_fold->setCheckable(true);
    const auto name = [](QPushButton* button, const char* objectName, const QKeySequence& keys, const QString& tip) {
        button->setObjectName(QString::fromLatin1(objectName));
        button->setShortcut(keys);
        button->setToolTip(keys.isEmpty() ? tip
                                          : tip + QStringLiteral(" (") + keys.toString(QKeySequence::NativeText) +
                                                QLatin1Char(')'));
    };
    name(m_note, "runNote", QKeySequence(Qt::CTRL | Qt::Key_M),
         tr("Add a note to the time axis; in a stored run, at the crosshair (N)"));
    name(m_skipRun, "runSkipRun", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_K),
         tr("End this run and start the next one"));
    name(m_skip, "runSkip", QKeySequence(Qt::CTRL | Qt::Key_K),
         tr("End this run and skip all other runs of its point"));
    name(m_pause, "runPause", QKeySequence(Qt::CTRL | Qt::Key_P), tr("Wait before the next run"));
    name(m_stop, "runStop", QKeySequence(Qt::SHIFT | Qt::Key_Escape), tr("End the session; what was measured is kept"));
    name(m_missing, "runMissing", {}, tr("Run what is not complete, into this session"));
    name(m_compare, "runCompare", {}, tr("Show this session on the Compare page"));
    name(m_closeReplay, "runCloseReplay", {}, tr("Back to the live view"));
    name(m_fold, "runFold", {}, tr("Show the points and the events instead of the plots"));
    for (QPushButton* button :
         {m_fold, m_note, m_pause, m_skipRun, m_skip, m_stop, m_closeReplay, m_missing, m_compare})
        m_head->actions()->addWidget(button);
    page.addWidget(m_head);

    m_progressRow = new QWidget;
    auto* row = new QHBoxLayout(m_progressRow);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(22);
    m_progress = new QProgressBar;
    m_progress->setObjectName(QStringLiteral("runProgress"));
    m_progress->setAccessibleName(tr("Progress of the session"));
    m_progress->setTextVisible(false);
    m_progress->setRange(0, 1000);
    m_progressText = new FigureLabel({}, TextRole::Secondary);
    m_progressText->setObjectName(QStringLiteral("runProgressText"));
    row->addWidget(m_progress, 1);
    row->addWidget(m_progressText);
    page.addWidget(m_progressRow);

    m_replayBar = new ReplayBar(m_replay.clock());
    m_replayed = new ChoicePill(tr("Replay"), QStringLiteral("replayRun"), tr("The whole session or one run"));
    connect(m_replayed, &ChoicePill::chosen, this,
            [this](const QString& id) { m_replay.playOnly(id.isEmpty() ? -1 : id.toInt()); });
    connect(&m_replay, &ReplaySource::ready, this, &RunPage::fillReplayed);
    m_replayBar->addChoice(m_replayed);
    m_replayBar->hide();
    page.addWidget(m_replayBar);

    connect(m_note, &QPushButton::clicked, this, &RunPage::askNote);
    // A Space that is typed by habit must not end anything: these buttons never keep the focus.
    const auto act = [this](QPushButton* button, auto action) {
        button->setFocusPolicy(Qt::TabFocus);
        connect(button, &QPushButton::clicked, this, [this, action] {
            setFocus(Qt::OtherFocusReason);
            action();
        });
    };
    act(m_skipRun, [this] { context().run().skipRun(); });
    act(m_skip, [this] { context().run().skipPoint(); });
    act(m_stop, [this] {
        m_stop->setEnabled(false);
        m_stop->setText(tr("Stopping…"));
        context().run().stop();
    });
    act(m_pause, [this] { context().run().setPaused(!context().run().paused()); });
    connect(m_missing, &QPushButton::clicked, this, &RunPage::runMissing);
    connect(m_compare, &QPushButton::clicked, this, &RunPage::compareThis);
    connect(m_closeReplay, &QPushButton::clicked, this, &RunPage::showLive);
    connect(m_fold, &QPushButton::toggled, this, &RunPage::updateFolding);
}

void RunPage::buildBanner(QVBoxLayout& page)
{
    m_banner = new QFrame;
    m_banner->setObjectName(QStringLiteral("runBanner"));
    setRole(m_banner, "banner");
    m_bannerText = makeLabel({}, TextRole::Body);
    m_bannerText->setWordWrap(true);
    m_bannerText->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* close = makeButton({}, "flat", QStringLiteral("close"));
    close->setAccessibleName(tr("Close the message"));
    auto* line = new QHBoxLayout(m_banner);
    line->setContentsMargins(space::cardPadding, 6, 8, 6);
    line->addWidget(m_bannerText, 1);
    for (std::size_t i = 0; i < m_bannerButtons.size(); ++i) {
        QPushButton*& button = m_bannerButtons[i];
        button = makeButton({}, "link");
        button->setObjectName(i == 0 ? QStringLiteral("runBannerButton") : QStringLiteral("runBannerSecond"));
        connect(button, &QPushButton::clicked, this, [this, i] {
            if (const auto action = m_bannerActions[i]) // a copy: it may show another banner
                action();
        });
        line->addWidget(button);
    }
    line->addWidget(close);
    m_banner->hide();
    page.addWidget(m_banner);
    connect(close, &QPushButton::clicked, this, &RunPage::hideBanner);
}

void RunPage::buildPlots(QVBoxLayout& column)
{
    m_throughput = new PlotCard(tr("Throughput"), tr("transactions/s"));
    m_throughput->setObjectName(QStringLiteral("throughputPlot"));
    m_throughput->addSeries(tr("throughput"), {.color = 0, .area = true, .labelIsValue = true});
    m_latency = new LatencyPlot;
    m_latency->setObjectName(QStringLiteral("latencyPlot"));
    m_latency->addSeries(QStringLiteral("p50"), {.color = 0});
    m_latency->addSeries(QStringLiteral("p95"), {.color = 1});
    m_latency->addSeries(QStringLiteral("p99"), {.color = 2});
    m_latency->addSeries(QStringLiteral("p99.9"), {.color = 4, .width = 1.25});
    m_errors = new PlotCard(tr("Errors"), tr("per second"));
    m_errors->setObjectName(QStringLiteral("errorsPlot"));
    m_errors->addSeries(tr("errors"), {.color = 1, .width = 1.5});
    m_errors->setYCeiling(4);
    m_client = new PlotCard(tr("Generator"), tr("% of a core"));
    m_client->setObjectName(QStringLiteral("clientPlot"));
    m_client->addSeries(tr("load generator"), {.color = 2, .width = 1.5});
    m_client->setYCeiling(10);
    m_host = new PlotCard(tr("Host CPU"), tr("% of all cores"));
    m_host->setObjectName(QStringLiteral("hostPlot"));
    m_host->addSeries(tr("host"), {.color = 3, .width = 1.5});
    m_host->setYCeiling(100);
    m_counter = new CounterPlot;
    m_counter->setObjectName(QStringLiteral("counterPlot"));
    for (PlotCard* card : cards())
        card->setCrosshairGroup(m_crosshair);
    connect(m_latency, &LatencyPlot::latencyChosen, this, [this] {
        for (int i = 0; i < m_latency->seriesCount(); ++i)
            m_latency->graph(i).data()->clear();
        appendLatencies(0);
        m_latency->markDirty();
    });
    connect(m_counter, &CounterPlot::counterChosen, this, [this] {
        m_counter->graph(0).data()->clear();
        appendCounter(0);
        m_counter->markDirty();
    });
    m_mover = new WarmupMover(context(), m_replay, this);
    connect(m_mover, &WarmupMover::failed, this,
            [this](const QString& text) { showBanner(Tone::Bad, tr("The warm-up was not moved: %1").arg(text)); });
    connect(m_throughput, &PlotCard::edgeMoved, this, [this](double x) {
        if (m_model.run())
            m_mover->move(m_model.run()->index, x);
    });
    connect(m_throughput, &PlotCard::aboutToShowMenu, this, &RunPage::addWarmupActions);
    auto* small = new QHBoxLayout;
    small->setSpacing(space::cardGap);
    for (PlotCard* card : {m_errors, m_client, m_host, static_cast<PlotCard*>(m_counter)}) {
        card->setCompact(true);
        card->setMaximumHeight(170);
        small->addWidget(card, card == m_counter ? 9 : card == m_errors ? 5 : 6); // names of counters are long
    }
    column.addWidget(m_throughput, 16);
    column.addWidget(m_latency, 15);
    column.addLayout(small, 9);
}

QWidget* RunPage::buildSide()
{
    auto* side = new QWidget;
    side->setObjectName(QStringLiteral("runSide"));
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::cardGap);
    m_pointsCard = new Card(tr("Points so far"), {});
    auto* unit = makeLabel(tr("transactions/s"), TextRole::Label);
    m_pointsCard->header()->addWidget(unit);
    m_bars = new PointBars;
    m_barsScroll = new QScrollArea;
    m_barsScroll->setWidgetResizable(true);
    m_barsScroll->setFrameShape(QFrame::NoFrame);
    m_barsScroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* holder = new QWidget;
    auto* holderLayout = new QVBoxLayout(holder);
    holderLayout->setContentsMargins(0, 0, 0, 0);
    holderLayout->addWidget(m_bars);
    holderLayout->addStretch(1);
    m_barsScroll->setWidget(holder);
    m_pointsCard->body()->addWidget(m_barsScroll);
    auto* eventsCard = new Card(tr("Events"));
    m_events = new EventListModel(m_model, this);
    m_eventList = new EventList(m_events);
    eventsCard->body()->addWidget(m_eventList);
    column->addWidget(m_pointsCard);
    column->addWidget(eventsCard, 1);
    side->setFixedWidth(kSideWidth);
    return side;
}

void RunPage::connectModel()
{
    connect(&m_model, &LiveRunModel::sessionReset, this, [this] {
        m_stack->setCurrentWidget(m_model.session() ? m_content : static_cast<QWidget*>(m_empty));
        hideBanner();
        updateButtons();
    });
    connect(&m_model, &LiveRunModel::runReset, this, &RunPage::resetPlots);
    connect(&m_model, &LiveRunModel::sampleAppended, this, [this] {
        appendSamples();
        updateFigures();
    });
    connect(&m_model, &LiveRunModel::eventAdded, this, [this] {
        m_events->refresh();
        updateMarks();
        updateFigures();
    });
    m_stallCheck.setSingleShot(true);
    m_stallCheck.setInterval(0);
    connect(&m_stallCheck, &QTimer::timeout, this, &RunPage::checkStalls);
    connect(&m_model, &LiveRunModel::pointsChanged, this, &RunPage::updatePoints);
    connect(&m_model, &LiveRunModel::headChanged, this, &RunPage::updateHead);
    connect(&m_model, &LiveRunModel::finished, this, &RunPage::onFinished);
    connect(&m_model, &LiveRunModel::runReset, this, &RunPage::updateButtons);
    connect(&m_replay, &ReplaySource::failed, this, &RunPage::showReplayFailure);
}

void RunPage::activated()
{
    for (PlotCard* card : cards())
        card->markDirty();
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
    return m_banner->isVisibleTo(m_content) ? m_bannerText->text() : QString();
}

void RunPage::updateHead()
{
    m_head->setTitle(m_model.title());
    const QString state =
        m_replaying && m_model.state() == LiveRunModel::State::Running ? tr("replay") : m_model.stateText();
    m_head->setChip(state, m_model.stateTone());
    m_head->setSubtitle(m_model.subtitle());
    const bool complete = m_model.result() && m_model.counts().missing() == 0;
    m_progress->setValue(complete ? 1000 : int(m_model.progress().fraction * 1000));
    if (m_progressText->text() != m_model.progressText()) {
        m_progressText->setText(m_model.progressText());
        m_progressText->updateGeometry();
    }
}

void RunPage::resetPlots()
{
    m_shown = 0;
    m_notes.clear();
    m_stallsShown.clear();
    m_counter->setCounters(m_model.run() ? m_model.run()->counters : std::vector<CounterInfo>());
    for (PlotCard* card : cards()) {
        for (int i = 0; i < card->seriesCount(); ++i)
            card->graph(i).data()->clear();
        card->setXRange(0, std::max<double>(kMinXSeconds, plannedSeconds()));
    }
    m_throughput->setEndLabel(0, {});
    m_crosshair->resetZoomQuietly();
    m_events->refresh();
    updateMarks();
    appendSamples();
    updateFigures();
}

void RunPage::appendLatencies(qsizetype from)
{
    const RunSeries& series = m_model.series();
    const RunSeries::Latency& latency = m_latency->showsService() ? series.service : series.response;
    for (qsizetype i = from; i < series.size(); ++i) {
        const double t = series.time[i];
        m_latency->graph(0).addData(t, latency.p50[i]);
        m_latency->graph(1).addData(t, latency.p95[i]);
        m_latency->graph(2).addData(t, latency.p99[i]);
        m_latency->graph(3).addData(t, latency.p999[i]);
    }
}

void RunPage::appendCounter(qsizetype from)
{
    const RunSeries& series = m_model.series();
    const auto counter = std::size_t(m_counter->chosen());
    if (m_counter->chosen() < 0 || counter >= series.counters.size())
        return;
    for (qsizetype i = from; i < series.size(); ++i) // what is not known is a gap in the line
        m_counter->graph(0).addData(series.time[i], m_counter->scaled(series.counters[counter][i]));
}

std::array<PlotCard*, 6> RunPage::cards() const
{
    return {m_throughput, m_latency, m_errors, m_client, m_host, m_counter};
}

void RunPage::appendSamples()
{
    const RunSeries& series = m_model.series();
    m_latency->setSeparate(m_model.separateResponse());
    appendLatencies(m_shown);
    appendCounter(m_shown);
    for (; m_shown < series.size(); ++m_shown) {
        const double t = series.time[m_shown];
        m_throughput->graph(0).addData(t, series.tps[m_shown]);
        m_errors->graph(0).addData(t, series.errors[m_shown]);
        m_client->graph(0).addData(t, series.clientCpu[m_shown] * 100);
        m_host->graph(0).addData(t, series.hostBusy[m_shown] * 100);
    }
    m_stallCheck.start();
    const bool have = series.size() > 0;
    if (have)
        m_throughput->setEndLabel(0, format::rate(series.tps.last()));
    const double planned = plannedSeconds();
    const double reached = have ? series.time.last() : 0;
    const double upper = planned > 0 ? std::max(planned, reached) : std::max<double>(kMinXSeconds, reached * 1.08);
    for (PlotCard* card : cards()) {
        card->setXRange(0, upper);
        card->markDirty();
    }
    if (have && m_model.last()->phase == Phase::Warmup)
        updateMarks();
}

void RunPage::updateMarks()
{
    const StoredRun* stored = storedRun();
    const double warmup = stored ? double(stored->warmupEndNs) / 1e9 : m_model.warmupSeconds();
    m_throughput->setMovableEdge(stored && stored->phasesDamage.empty() ? std::optional(warmup) : std::nullopt);
    const std::vector<Annotation>& notes = m_replaying && m_replay.data() ? m_replay.data()->annotations : m_notes;
    const std::int64_t run = stored ? stored->id : m_notesRun;
    for (PlotCard* card : cards()) {
        card->clearMarks();
        if (warmup > 0)
            card->addBand(0, warmup, BandKind::Warmup, tr("warm-up"));
        addStalls(*card);
        for (const EventRow& event : m_model.events()) {
            if (event.kind == EventKind::Note && noteOf(notes, run, event.seconds, event.text))
                card->addNote(event.seconds, event.text);
            else if (event.kind != EventKind::Phase)
                card->addTick(event.seconds, QStringLiteral("%1  %2").arg(format::clock(event.seconds), event.text));
        }
        card->markDirty();
    }
}

void RunPage::updatePoints()
{
    m_bars->setPoints(m_model.points());
    fitPoints();
    const QRect current = m_bars->currentRect();
    if (!current.isNull())
        m_barsScroll->ensureVisible(0, current.center().y(), 0, current.height());
}

//! The card is as high as its bars, up to half of the column; then it scrolls.
void RunPage::fitPoints()
{
    const int most = std::max(3 * 31, m_side->height() / 2);
    m_barsScroll->setFixedHeight(std::min(m_bars->sizeHint().height(), most));
}

void RunPage::updateButtons()
{
    const bool live = !m_replaying && context().run().active();
    const bool ended = m_model.state() == LiveRunModel::State::Finished;
    for (QPushButton* button : {m_skip, m_pause, m_stop})
        button->setVisible(live);
    const SessionHeader* session = m_model.session();
    m_skipRun->setVisible(live && session &&
                          std::ranges::any_of(session->runs, [](const RunSlot& slot) { return slot.repeat > 1; }));
    m_missing->setVisible(!live && missingRuns() > 0);
    m_note->setVisible(live || canAnnotate());
    if (live && !ended) {
        m_stop->setEnabled(true);
        m_stop->setText(tr("Stop"));
    }
    m_pause->setText(context().run().paused() ? tr("Resume") : tr("Pause"));
    m_pause->setToolTip(context().run().paused() ? tr("Continue with the next run (Ctrl+P)")
                                                 : tr("Wait before the next run (Ctrl+P)"));
    m_closeReplay->setVisible(m_replaying);
    m_compare->setVisible(m_replaying || (ended && !live && m_model.counts().done > 0));
    updateFolding();
}

void RunPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    updateFolding();
    fitPoints();
}

bool RunPage::nothingMeasured() const
{
    return !m_replaying && !context().run().active() && m_model.state() == LiveRunModel::State::Finished &&
           m_model.series().size() == 0;
}

void RunPage::updateFolding()
{
    const bool narrow = width() < space::foldWidth;
    m_fold->setVisible(narrow);
    m_side->setVisible(!narrow || m_fold->isChecked());
    const bool measures = !narrow || !m_fold->isChecked(), nothing = nothingMeasured();
    m_plots->setVisible(measures && !nothing);
    m_nothing->setVisible(measures && nothing);
    const bool alone = narrow && m_fold->isChecked();
    m_side->setMinimumWidth(alone ? 0 : kSideWidth);
    m_side->setMaximumWidth(alone ? QWIDGETSIZE_MAX : kSideWidth);
}

void RunPage::showBanner(Tone tone, const QString& text, const BannerAction& action, const BannerAction& second)
{
    setTone(m_banner, tone);
    m_bannerText->setText(text);
    const std::array<const BannerAction*, 2> actions{&action, &second};
    for (std::size_t i = 0; i < actions.size(); ++i) {
        m_bannerButtons[i]->setText(actions[i]->text);
        m_bannerButtons[i]->setAccessibleName(actions[i]->text);
        m_bannerButtons[i]->setVisible(!actions[i]->text.isEmpty());
        m_bannerActions[i] = actions[i]->run;
    }
    m_banner->show();
}

void RunPage::hideBanner()
{
    m_banner->hide();
}

int RunPage::missingRuns() const
{
    if (m_replaying) {
        const auto& shown = m_replay.data();
        const bool ours = shown && !isImported(shown->session);
        return ours && shown->session.info.status != RunStatus::Running ? countRuns(shown->session).missing() : 0;
    }
    const bool kept = m_model.result() && m_model.session() && m_model.result()->storageProblem.empty();
    return kept ? m_model.counts().missing() : 0;
}

void RunPage::runMissing()
{
    if (m_model.session())
        context().runMissing(QString::fromStdString(m_model.session()->id));
}

QString RunPage::failureText(const SessionSummary& result) const
{
    static const SessionHeader none;
    const SessionHeader& session = m_model.session() ? *m_model.session() : none;
    const auto failure = firstFailure(session, m_model.session() ? result.runs : std::vector<RunSummary>(),
                                      result.status, result.reason);
    return failure ? dyno::failureText(*failure) : QString();
}

//! Says what happened, what was kept and what to do; a live session that is complete ends on the Compare page.
void RunPage::onFinished()
{
    if (m_model.result()) {
        const SessionSummary& end = *m_model.result();
        m_nothing->setTexts(
            m_model.counts().done > 0 ? tr("The last run measured nothing") : tr("Nothing was measured"),
            end.status == RunStatus::Failed ? failureText(end) : tr("It ended before the first interval."));
    }
    updateButtons();
    if (!m_replaying)
        showEnd(*m_model.result());
}

void RunPage::showEnd(const SessionSummary& result)
{
    const bool rescued = !result.storageProblem.empty() && !result.storedIn.empty();
    const bool failed = result.status == RunStatus::Failed;
    if (rescued) { // there is nothing in the library to compare
        QString text =
            tr("The library could not take the session: %1. All of it is in %2; import that file when there is space.")
                .arg(QString::fromStdString(result.storageProblem), QString::fromStdString(result.storedIn));
        if (failed)
            text += u' ' + failureText(result);
        showBanner(failed ? Tone::Bad : Tone::Warn, text);
        if (!isVisible())
            context().showMessage(m_bannerText->text());
        return;
    }
    const RunCounts& counts = m_model.counts();
    const QString kept = result.storageProblem.empty()
                             ? tr("Runs complete: %1 of %2; everything measured is kept.")
                                   .arg(format::count(counts.done), format::count(counts.planned))
                             : tr("Nothing was stored.");
    const QString reason = QString::fromStdString(result.reason);
    const BannerAction compare{tr("Compare"), [this] { compareThis(); }};
    const BannerAction missing{tr("Run what is missing"), [this] { runMissing(); }};
    const BannerAction plan{tr("Show the plan"), [this] {
                                if (m_model.session())
                                    context().editPlan(m_model.session()->plan);
                            }};
    const BannerAction& other = counts.done > 0 ? compare : plan;
    if (failed) {
        showBanner(Tone::Bad, failureText(result) + u' ' + kept, missingRuns() > 0 ? missing : other,
                   missingRuns() > 0 ? other : BannerAction());
    } else if (result.status == RunStatus::Stopped) {
        showBanner(Tone::Warn,
                   reason.isEmpty() || reason == QLatin1String("stopped") ? tr("Stopped. %1").arg(kept)
                                                                          : tr("Stopped: %1. %2").arg(reason, kept),
                   missingRuns() > 0 ? missing : BannerAction(), counts.done > 0 ? compare : BannerAction());
    } else if (counts.missing() > 0) {
        showBanner(Tone::Warn, tr("The session ended. %1").arg(kept), missingRuns() > 0 ? missing : BannerAction(),
                   counts.done > 0 ? compare : BannerAction());
    } else {
        showBanner(Tone::Good, tr("The session is complete. %1").arg(kept), compare);
    }
    // activeChanged(false) follows this signal; the buttons are brought up to date then.
    const bool complete = result.status == RunStatus::Done && counts.missing() == 0;
    if (complete && isVisible() && result.storageProblem.empty())
        compareThis();
    else if (!isVisible())
        context().showMessage(tr("%1: %2").arg(m_model.title(), m_model.stateText()),
                              complete ? tr("Compare") : tr("Show it"),
                              [this, complete] { complete ? compareThis() : context().showPage(objectName()); });
}

void RunPage::compareThis()
{
    if (m_model.session())
        context().compareSessions({QString::fromStdString(m_model.session()->id)});
}

} // namespace dyno
