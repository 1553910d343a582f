// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the Run page shows, gathered from a RunFeed (live or replay): series of the current run, key figures, points so
//! far, events, progress. Values are appended, never rebuilt. GUI thread.
#pragma once

#include "bridge/run_bridge.h"
#include "parts/labels.h"
#include "run/run_measures.h"
#include "run/session_log.h"
#include <dyno/stall_watch.h>

#include <dyno/missing_runs.h>

#include <QPointer>
#include <QString>
#include <QTimer>
#include <QVector>

#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace dyno {

//! Series of one run; one entry an interval, all of the same length. Time in seconds from the start of the run's first
//! phase, at the middle of the interval. Rates per second, latencies in ms (NaN where nothing completed), shares 0…1.
struct RunSeries
{
    struct Latency
    {
        QVector<double> p50, p95, p99, p999;
    };
    struct Operation
    {
        QVector<double> calls; //!< a second
        QVector<double> p99;   //!< service time; NaN where nothing completed
    };
    QVector<double> time, tps, qps, errors, clientCpu, hostBusy;
    QVector<double> rows; //!< changed
    Latency response;     //!< from the intended start; the service times where those are not measured apart
    Latency service;      //!< from the actual start
    std::vector<QVector<double>> counters; //!< one for each of RunHeader::counters; NaN where it is not known
    std::vector<Operation> operations;     //!< one for each of RunHeader::operations
    [[nodiscard]] qsizetype size() const { return time.size(); }
};

struct PointProgress
{
    QString label;
    double tps = 0;  //!< mean of its runs; while its first run is under way: of that run so far
    int runs = 0;    //!< complete
    int failed = 0;  //!< failed or cut off
    int skipped = 0; //!< skipped or stopped
    bool current = false;
    double baseline = 0; //!< throughput of the same point in the baseline session, 0 = none
};

class LiveRunModel : public QObject
{
    Q_OBJECT
public:
    enum class State { Idle, Running, Finished };

    explicit LiveRunModel(QObject* parent = nullptr);

    //! Listens to `feed` from now on and forgets what came from another one.
    void attach(RunFeed* feed);
    void clear();
    //! Replaces the events of the current run, as the library has them now.
    void setEvents(const std::vector<RunEvent>& events);

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] const SessionHeader* session() const { return m_session.get(); }
    [[nodiscard]] const RunHeader* run() const { return m_run.get(); }
    [[nodiscard]] const SessionSummary* result() const { return m_result.get(); }
    [[nodiscard]] const ProgressReport& progress() const { return m_progress; }
    [[nodiscard]] Phase phase() const { return m_progress.phase; }

    [[nodiscard]] const RunSeries& series() const { return m_series; }
    [[nodiscard]] std::vector<RunMeasure> measures() const;  //!< of the current run, see measuresOf()
    [[nodiscard]] std::vector<MoveReading> readings() const; //!< of its driver, see moveReadings()
    [[nodiscard]] const std::string& driver() const
    {
        return m_driver;
    }                                              //!< of the current run's target, "" = not known
    [[nodiscard]] double warmupSeconds() const;    //!< where the warm-up ends (planned until it has ended), 0 = none
    [[nodiscard]] const LoadProfile* load() const; //!< of the current run; nullptr: not known
    [[nodiscard]] double plannedSeconds() const;   //!< warm-up and measured time, 0 = open end
    //! Measured part of the current run so far (the warm-up left out).
    [[nodiscard]] const RunSummary& soFar() const { return m_soFar; }
    [[nodiscard]] const IntervalSample* last() const { return m_last.get(); }
    //! Of a long stored session only the lines are here so far: statements, the generator, the host, counters and
    //! soFar() are being read.
    [[nodiscard]] bool outlined() const { return m_outlined; }
    [[nodiscard]] bool embedded() const { return m_embedded; }         //!< the work is done inside this process
    [[nodiscard]] bool separateResponse() const { return m_separate; } //!< response and service times differ
    //! Why the load generator is the limit: over the last few seconds of a run that goes on, of all the measured time
    //! of one that has ended; "" when it is not.
    [[nodiscard]] QString clientLimit() const;
    //! Of the current run so far, in order; tNs from its start.
    [[nodiscard]] const std::vector<Stall>& stalls() const { return m_stalls.stalls(); }
    //! Stretches in which other programs kept the load generator from the cores: from and to, in seconds.
    [[nodiscard]] std::vector<std::pair<double, double>> starved() const;
    [[nodiscard]] const std::vector<PointProgress>& points() const { return m_points; }
    //! Of the current run so far, newest first, at most SessionLog::kMostOfRun.
    [[nodiscard]] const std::deque<EventRow>& events() const { return m_events; }
    //! Events of the session: of all its runs so far while it runs, of all there are in a replay.
    [[nodiscard]] const SessionLog& log() const { return m_stored ? *m_stored : m_log; }
    //! log() of a replay, which does not change; nullptr of a live session.
    [[nodiscard]] const std::shared_ptr<const SessionLog>& storedLog() const { return m_stored; }
    //! Of the session so far, with its earlier sittings.
    [[nodiscard]] const RunCounts& counts() const { return m_counts; }
    [[nodiscard]] const std::vector<RunSummary>& ended() const { return m_ended; } //!< runs, in order; likewise

    // Texts of the page's head
    [[nodiscard]] QString title() const;
    [[nodiscard]] QString subtitle() const;  //!< target · workload · point k of n: label · users · repeat
    [[nodiscard]] QString stateText() const; //!< "measuring", "warm-up", "paused", "done"
    [[nodiscard]] Tone stateTone() const;
    [[nodiscard]] QString progressText() const; //!< "26 of 45 runs complete · 1 failed · 11 min left"

signals:
    void sessionReset(); //!< another session
    void runReset();     //!< another run: the series start anew
    void sampleAppended();
    void eventAdded(); //!< or another list of them
    void pointsChanged();
    void headChanged(); //!< title, state, progress
    void finished();

private:
    void onSession(const SessionHeaderPtr& header);
    void onProgress(const ProgressReport& report);
    void onRun(const RunHeaderPtr& header);
    void onSample(const SamplePtr& sample);
    void onTimes(const SamplePtr& sample, const std::vector<std::vector<double>>& times, std::size_t interval);
    void beginMeasuring(std::int64_t tNs);
    void onOutline(const IntervalColumns& lines, std::size_t interval);
    void appendThroughput(const SamplePtr& sample);
    void appendOperations(const IntervalSample& sample);
    void onEvent(const RunEvent& event);
    void timeRun(std::int64_t ns);
    void logFound();
    void onRunFinished(const RunSummaryPtr& summary);
    void count(const RunSummary& summary);
    void onFinished(const SessionSummaryPtr& summary);
    void clearRun();
    void remember(const SamplePtr& sample);
    void judgeClient();
    void tellSamples();
    void endMany();
    [[nodiscard]] const PointSpec* point() const;

    QPointer<RunFeed> m_feed;
    State m_state = State::Idle;
    SessionHeaderPtr m_session;
    RunHeaderPtr m_run;
    SamplePtr m_last;
    SessionSummaryPtr m_result;
    ProgressReport m_progress;
    RunSeries m_series;
    std::optional<SummaryBuilder> m_builder;
    RunSummary m_soFar;
    double m_warmupEnd = 0;
    std::deque<SamplePtr> m_recent; //!< of the last seconds, for the live verdict
    QString m_limit;
    std::string m_driver; //!< of the current run's target, "" = not known
    WorkPlace m_place = WorkPlace::OnThisMachine;
    bool m_measuring = false, m_embedded = false, m_separate = false, m_outlined = false;
    bool m_many = false;                            //!< samples and events are told when all of a batch are here
    bool m_pending = false, m_pendingEvent = false; //!< something is to be told
    mutable StallWatch m_stalls;                    //!< judges when it is asked
    RunCounts m_counts;
    std::vector<RunSummary> m_ended;
    std::vector<PointProgress> m_points;
    std::vector<std::vector<double>> m_pointRates; //!< per point: tps of its finished runs
    std::deque<EventRow> m_events;
    SessionLog m_log;
    std::shared_ptr<const SessionLog> m_stored; //!< of a replay
    IntervalColumns m_failures;                 //!< of the run: what findErrorBursts() looks at
    QTimer m_foundCheck;                        //!< once for all samples that come at a time
};

} // namespace dyno
