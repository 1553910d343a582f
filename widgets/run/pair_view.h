// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Two stored runs replayed together: figures so far side by side, throughput and latency over the same time or the
//! same rows. GUI thread; the library is read in the background.
#pragma once

#include "bridge/library_worker.h"
#include "parts/page.h"
#include "run/pair_replay.h"
#include "run/replay_clock.h"

#include <array>

namespace dyno {

class ChoicePill;
class FigureLabel;
class ElidedLabel;
class PageHeader;
class PlotCard;
class ReplayBar;

class PairView : public QWidget
{
    Q_OBJECT
public:
    explicit PairView(AppContext& context, QWidget* parent = nullptr);
    ~PairView() override;

    void showRuns(const ReplayPick& first, const ReplayPick& second);
    void clear(); //!< forgets the runs
    [[nodiscard]] ReplayClock& clock() { return m_clock; }
    [[nodiscard]] const PairTimeline& timeline() const { return m_timeline; }
    [[nodiscard]] bool busy() const { return m_worker.busy(); }
    void setAxis(PairAxis axis); //!< remembered; of runs that changed no rows it is time
    [[nodiscard]] PlotCard& throughput() const { return *m_throughput; }
    [[nodiscard]] PlotCard& latency() const { return *m_latency; }
    bool handleKey(const QKeyEvent& event);
    //! Goes on with the next two runs where these two have ended while playing: both sessions as a whole.
    void setWhole(bool on);
    [[nodiscard]] bool whole() const { return m_whole; }

signals:
    void closeRequested();
    void ready();
    void failed(const QString& text);

private:
    struct Row
    {
        QLabel* swatch;
        ElidedLabel* name;
        ChoicePill* run;
        std::array<FigureLabel*, 7> figures;
    };
    void buildHead(QVBoxLayout& page);
    void buildFigures(QVBoxLayout& page);
    void buildPlots(QVBoxLayout& page);
    void read(const ReplayPick& first, const ReplayPick& second);
    void setSides(PairSidePtr first, PairSidePtr second);
    void showAxis(); //!< the timeline is another one
    void showNames();
    void showUpTo(double position);
    void showMarks();
    void showFigures(int index, std::size_t count);
    void colourSwatches();
    [[nodiscard]] const std::vector<double>& latencies(const PairSide& side) const;
    void refillLatency();
    void showPairs();
    void playNextPair();
    [[nodiscard]] int pairNow() const; //!< index into m_pairs, −1: the two runs are none of them

    AppContext& m_context;
    LibraryWorker m_worker;
    ReplayClock m_clock;
    PairTimeline m_timeline;
    std::array<PairSidePtr, 2> m_sides;
    std::array<std::size_t, 2> m_shown{};
    PairAxis m_axis = PairAxis::Time;
    std::vector<std::pair<std::int64_t, std::int64_t>> m_pairs; //!< see pairsOf()
    bool m_whole = false;
    bool m_played = false; //!< the position was reached by playing
    bool m_goOn = false;   //!< the runs that are being read follow others: they play at once
    int m_loads = 0;       //!< token: what an older request reads is dropped

    PageHeader* m_head;
    ReplayBar* m_bar;
    ChoicePill *m_along, *m_playedPill, *m_percentile;
    std::array<Row, 2> m_rows{};
    QLabel* m_ratio;
    PlotCard* m_throughput;
    PlotCard* m_latency;
};

} // namespace dyno
