// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The Run page: a session while it runs, or a stored one replayed, through the same view. GUI thread.
#pragma once

#include "bridge/app_context.h"
#include "parts/page.h"
#include "run/event_list.h"
#include "run/run_plots.h"
#include "run/session_end.h"
#include "run/shown_run.h"

class QAction;
class QStackedWidget;

namespace dyno {

class ChoicePill;
class EmptyState;
class NoteControls;
class SnapshotsDialog;
class PairView;
class ReplayBar;
class RunBanner;
class RunHead;
class RunSide;
class SeriesPanel;
class StatementsCard;

//! Its parts show the run and listen to its model themselves; the page says which of them are on the screen, and what
//! can be done after the end.
class RunPage : public Page
{
    Q_OBJECT
public:
    explicit RunPage(AppContext& context, QWidget* parent = nullptr);
    [[nodiscard]] QString title() const override { return tr("Run"); }
    [[nodiscard]] QString iconName() const override { return QStringLiteral("run"); }
    [[nodiscard]] QString manualPage() const override { return QStringLiteral("window-run"); }
    void activated() override;

    [[nodiscard]] const LiveRunModel& model() const { return m_shown.model(); }
    [[nodiscard]] ReplaySource& replay() { return m_shown.replay(); }
    [[nodiscard]] PlotCard& throughputPlot() const { return m_plots->throughput(); }
    [[nodiscard]] LatencyPlot& latencyPlot() const { return m_plots->latency(); }
    [[nodiscard]] MeasurePlot& smallPlot(std::size_t place) const { return m_plots->small(place); }
    [[nodiscard]] PlotStack& smallPlots() const { return m_plots->stack(); }
    [[nodiscard]] SeriesPanel& seriesPanel() const { return *m_series; }
    [[nodiscard]] StatementsCard& statements() const { return *m_statements; }
    [[nodiscard]] bool replaying() const { return m_shown.replaying(); }
    [[nodiscard]] PairView& pair(); //!< made when it is first asked for
    [[nodiscard]] bool showsPair() const;
    [[nodiscard]] bool showsEmptyState() const;
    [[nodiscard]] QString bannerText() const; //!< "" when none is shown

public slots:
    void showReplay(const QString& sessionId);
    void showPair(const dyno::ReplayPick& first, const dyno::ReplayPick& second);
    void showLive();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct WantedEvent
    {
        QString session;
        LoggedEvent event;
    };
    void layOut();
    void connectHead();
    void connectShown();
    void connectChanges();
    void connectSeries();
    void updateSeriesActions();
    [[nodiscard]] QStringList addedSeries(); //!< ids of what the shown session got from Prometheus
    void showContent();
    void showReplayFailure(const QString& text);
    void fillReplayed();
    void updateButtons();
    void updateFolding();
    void showSide();
    void showSeries(bool on);
    void showOverTime(const QString& operation);
    void onFinished();
    void showEnd();
    void goTo(const LoggedEvent& event);
    void goToWanted();
    void showSnapshots(const LoggedEvent& event);
    void zoomInto(const LoggedEvent& event);
    void runMissing();
    void compareThis();

    ShownRun m_shown;
    RunBaseline* m_baseline;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    QWidget* m_content;
    RunHead* m_head;
    ReplayBar* m_replayBar;
    ChoicePill* m_replayed; //!< the whole session, or one run
    RunBanner* m_banner;
    RunPlots* m_plots;
    EmptyState* m_nothing; //!< instead of the plots, when a session ended without a measured value
    RunSide* m_side;
    SeriesPanel* m_series; //!< in the place of the side while it is open
    bool m_seriesOpen = false;
    StatementsCard* m_statements;
    NoteControls* m_notes;
    QPointer<SnapshotsDialog> m_snapshots;
    PairView* m_pair = nullptr;
    QAction *m_addSeries = nullptr, *m_removeSeries = nullptr;
    QStringList m_added;               //!< series that get plots when the session was read again
    std::optional<WantedEvent> m_goTo; //!< when the session that is being read is there
};

} // namespace dyno
