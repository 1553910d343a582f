// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The Run page: a session while it runs, or a stored one replayed, through the same view. GUI thread.
#pragma once

#include "bridge/app_context.h"
#include "parts/page.h"
#include "plots/counter_plot.h"
#include "plots/latency_plot.h"
#include "run/live_run_model.h"
#include "run/replay_source.h"

#include <QProgressBar>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTimer>

#include <array>
#include <functional>
#include <utility>
#include <vector>

namespace dyno {

class ChoicePill;
class EventList;
class EventListModel;
class NoteEditor;
class PairView;
class PointBars;
class ReplayBar;
class WarmupMover;
struct RunNotes;

class RunPage : public Page
{
    Q_OBJECT
public:
    explicit RunPage(AppContext& context, QWidget* parent = nullptr);
    [[nodiscard]] QString title() const override { return tr("Run"); }
    [[nodiscard]] QString iconName() const override { return QStringLiteral("run"); }
    void activated() override;

    [[nodiscard]] const LiveRunModel& model() const { return m_model; }
    [[nodiscard]] ReplaySource& replay() { return m_replay; }
    [[nodiscard]] PlotCard& throughputPlot() const { return *m_throughput; }
    [[nodiscard]] LatencyPlot& latencyPlot() const { return *m_latency; }
    [[nodiscard]] PlotCard& errorsPlot() const { return *m_errors; }
    [[nodiscard]] CounterPlot& counterPlot() const { return *m_counter; }
    [[nodiscard]] bool replaying() const { return m_replaying; }
    [[nodiscard]] PairView& pair(); //!< made when it is first asked for
    [[nodiscard]] bool showsPair() const;
    [[nodiscard]] bool showsEmptyState() const;
    [[nodiscard]] QString bannerText() const;

public slots:
    void showReplay(const QString& sessionId);
    void showPair(const dyno::ReplayPick& first, const dyno::ReplayPick& second);
    void showLive();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Figures
    {
        KeyFigure *throughput, *median, *p95, *p99, *errors, *client;
    };
    void buildHead(QVBoxLayout& page);
    void buildBanner(QVBoxLayout& page);
    void buildFigures(QVBoxLayout& page);
    void buildPlots(QVBoxLayout& column);
    [[nodiscard]] QWidget* buildSide();
    void connectModel();
    void showReplayFailure(const QString& text);
    void fillReplayed();
    void updateHead();
    void updateFigures();
    void updateMarks();
    void checkStalls();
    void addStalls(PlotCard& card) const;
    void appendSamples();
    void appendLatencies(qsizetype from);
    void appendCounter(qsizetype from);
    [[nodiscard]] std::array<PlotCard*, 6> cards() const; //!< all plots, which share the axis of time
    [[nodiscard]] const StoredRun* storedRun() const;
    [[nodiscard]] double plannedSeconds() const;
    void addWarmupActions(QMenu* menu);
    void resetPlots();
    void updatePoints();
    void fitPoints();
    void updateButtons();
    void updateFolding();
    [[nodiscard]] bool nothingMeasured() const;
    //! What can be done about what a banner says.
    struct BannerAction
    {
        QString text;
        std::function<void()> run;
    };
    void showBanner(Tone tone, const QString& text, const BannerAction& action = {}, const BannerAction& second = {});
    void showEnd(const SessionSummary& result);
    [[nodiscard]] QString failureText(const SessionSummary& result) const;
    [[nodiscard]] int missingRuns() const; //!< of the session shown, when it has ended and is in the library
    void runMissing();
    void hideBanner();
    void onFinished();
    void askNote();
    void connectNotes();
    [[nodiscard]] bool canAnnotate() const; //!< the run shown is in the library to its end
    [[nodiscard]] const Annotation* noteAt(double seconds, const QString& text = {}) const; //!< of the run shown
    [[nodiscard]] const Annotation* noteOfRow(int row) const;                               //!< of the list of events
    void askNoteAt(double seconds, const Annotation* existing);
    void removeNote(const Annotation& note);
    void addNoteActions(PlotCard* card, QMenu* menu);
    void showEventMenu(const QPoint& at);
    void takeNotes(const RunNotes& notes);
    void compareThis();

    LiveRunModel m_model;
    ReplaySource m_replay;
    bool m_replaying = false;
    qsizetype m_shown = 0; //!< entries of the model's series that the plots hold

    QStackedWidget* m_stack;
    EmptyState* m_empty;
    QWidget* m_content;
    PageHeader* m_head;
    QPushButton *m_note, *m_skipRun, *m_skip, *m_pause, *m_stop, *m_missing, *m_compare, *m_closeReplay, *m_fold;
    QWidget* m_progressRow;
    QProgressBar* m_progress;
    FigureLabel* m_progressText;
    ReplayBar* m_replayBar;
    ChoicePill* m_replayed = nullptr; //!< the whole session, or one run
    PairView* m_pair = nullptr;
    QFrame* m_banner;
    QLabel* m_bannerText;
    std::array<QPushButton*, 2> m_bannerButtons{};
    std::array<std::function<void()>, 2> m_bannerActions;
    Figures m_figures{};
    QLabel* m_limit = nullptr;
    WarmupMover* m_mover = nullptr;
    NoteEditor* m_keeper = nullptr;
    std::vector<Annotation> m_notes; //!< of a session that has just ended; of a replayed one the replay has them
    std::int64_t m_notesRun = 0;     //!< StoredRun::id that m_notes are asked for
    QTimer m_stallCheck;             //!< once for all samples that come at a time
    std::vector<std::pair<std::int64_t, std::int64_t>> m_stallsShown; //!< start and length, ns
    CrosshairGroup* m_crosshair;
    PlotCard* m_throughput = nullptr;
    LatencyPlot* m_latency = nullptr;
    PlotCard* m_errors = nullptr;
    PlotCard* m_client = nullptr;
    PlotCard* m_host = nullptr;
    CounterPlot* m_counter = nullptr;
    QWidget* m_plots = nullptr;
    EmptyState* m_nothing = nullptr; //!< instead of the plots, when a session ended without a measured value
    QWidget* m_side = nullptr;
    Card* m_pointsCard = nullptr;
    PointBars* m_bars = nullptr;
    QScrollArea* m_barsScroll = nullptr;
    EventListModel* m_events = nullptr;
    EventList* m_eventList = nullptr;
};

} // namespace dyno
