// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Plays a stored session, or one run of it, through the same signals as a live run, at ×1 … ×1000, with a position to
//! drag and markers to jump to. GUI thread; the library is read by a job in the background.
#pragma once

#include "bridge/job.h"
#include "bridge/run_bridge.h"
#include "run/replay_clock.h"
#include "run/session_log.h"

#include <dyno/library.h>

#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace dyno {

//! A whole session in memory, ready to play. Immutable.
struct ReplayData
{
    using Samples = std::vector<std::vector<SamplePtr>>;
    using Ptr = std::shared_ptr<const ReplayData>;

    //! Per run and operation: the 99th percentile of the service time in each interval, ms; NaN where nothing finished.
    using Times = std::vector<std::vector<std::vector<double>>>;
    struct Rest
    {
        Samples samples;
        Times times;
    };

    StoredSession session;
    Times times;     //!< with the samples; of a run none where they cannot be read
    Samples samples; //!< per run, without the histograms of operation kinds; empty until they are read, if `lines` are
                     //!< there
    std::vector<IntervalColumns>
        lines; //!< per run: what of a long session is read first; empty once the samples are there
    std::vector<std::vector<RunEvent>> events;   //!< per run
    std::vector<std::vector<Stall>> stalls;      //!< per run, times from the start of its first phase
    std::vector<std::vector<ErrorBurst>> bursts; //!< per run, likewise
    std::vector<Annotation> annotations;         //!< of the session; the events tell them too
    [[nodiscard]] bool whole() const { return lines.empty(); }
    [[nodiscard]] std::size_t intervals(std::size_t run) const
    {
        return whole() ? samples[run].size() : lines[run].size();
    }
    [[nodiscard]] double endOf(std::size_t run, std::size_t interval) const; //!< seconds from the run's start
    [[nodiscard]] double lengthOf(std::size_t run) const;                    //!< seconds
    [[nodiscard]] std::optional<std::size_t> placeOf(int run) const; //!< in session.runs, of that RunHeader::index
    //! Reads one session; any thread. Waits between runs are left out: runs follow each other without a gap. Of one
    //! with more intervals than `atOnce` only the lines.
    [[nodiscard]] static Expected<Ptr> read(const std::filesystem::path& library, const std::string& id,
                                            std::size_t atOnce = std::numeric_limits<std::size_t>::max());
    //! What is missing of data that are not whole; any thread.
    [[nodiscard]] static Expected<Rest> readRest(const std::filesystem::path& library, const StoredSession& session);
};

class ReplaySource : public RunFeed
{
    Q_OBJECT
public:
    explicit ReplaySource(QObject* parent = nullptr);

    //! Reads in the background, then emits ready() and stands at position 0; or failed(). A long session is ready when
    //! its lines are there; completed() comes later.
    void load(const std::filesystem::path& library, const QString& sessionId);
    //! The same session as the library has it now; the position stays. reloaded() follows, or reloadFailed(): then what
    //! was there stays.
    void reload(const std::filesystem::path& library);
    void setData(std::shared_ptr<const ReplayData> data); //!< what load() ends with; for tests and the tour
    void close();
    void setReadAtOnce(std::size_t intervals) { m_atOnce = intervals; } //!< a session with more of them is a long one

    [[nodiscard]] bool loaded() const { return m_data != nullptr; }
    [[nodiscard]] const ReplayData* data() const { return m_data.get(); }
    [[nodiscard]] ReplayClock& clock()
    {
        return m_clock;
    } //!< its axis holds all runs one after the other, or the only one
    [[nodiscard]] double length() const { return m_clock.length(); }     //!< seconds
    [[nodiscard]] double position() const { return m_clock.position(); } //!< seconds
    [[nodiscard]] bool playing() const { return m_clock.playing(); }
    [[nodiscard]] double speed() const { return m_clock.speed(); }
    [[nodiscard]] double runStart(int run) const;        //!< position where a run starts
    [[nodiscard]] int onlyRun() const { return m_only; } //!< index into StoredSession::runs, −1: all are played
    void advance(double seconds) { m_clock.advance(seconds); }

public slots:
    void play() { m_clock.play(); }
    void pause() { m_clock.pause(); }
    void setSpeed(double factor) { m_clock.setSpeed(factor); }
    void seek(double seconds) { m_clock.seek(seconds); } //!< rebuilds the state at that position
    void playOnly(int run);                              //!< one run, −1: all; stands at its beginning
    //! The same session with other notes: the events of a run, and the notes of the session. The position stays.
    void setEvents(std::size_t run, std::vector<RunEvent> events, std::vector<Annotation> annotations);

signals:
    void ready();
    //! All of a long session is there now, and the state at the position was told anew.
    void completed();
    void failed(const QString& text);
    void reloadFailed(const QString& text);
    void reloaded(); //!< after reload(): the state at the position was told with what there is now
    //! The events of all runs; before sessionStarted().
    void logged(const std::shared_ptr<const dyno::SessionLog>& log);
    //! After sampled(): times of its operations, by operation and interval (ReplayData::times).
    void timed(const dyno::SamplePtr& sample, const std::vector<std::vector<double>>& times, std::size_t interval);
    //! Instead of sampled() until then.
    void outlined(const dyno::IntervalColumns& lines, std::size_t interval);

private:
    struct Item
    {
        enum class Kind { RunStart, Event, Sample, RunEnd };
        double at;
        Kind kind;
        int run;
        std::size_t index;
    };
    void buildItems();
    void buildLog();
    void readRest(const std::filesystem::path& library);
    void complete(ReplayData::Rest rest);
    void change(ReplayData::Ptr data);
    void advanceTo(double seconds);
    void rebuildAt(double seconds);
    void emitItem(const Item& item);
    void emitProgress();
    void emitEnd();

    static constexpr std::size_t kReadAtOnce = 5000; //!< fractions of a second
    Job<Expected<ReplayData::Ptr>> m_job;
    Job<Expected<ReplayData::Rest>> m_rest;
    std::size_t m_atOnce = kReadAtOnce;
    std::shared_ptr<const ReplayData> m_data;
    SessionHeaderPtr m_header;
    std::shared_ptr<const SessionLog> m_log;
    std::vector<Item> m_items;
    std::vector<double> m_starts;
    std::map<std::string, double> m_left; //!< by session: where it was left, to go on from there
    int m_only = -1;
    std::string m_onlyOf; //!< session that m_only is about
    std::size_t m_next = 0;
    int m_run = 0;
    Phase m_phase = Phase::Connect;
    bool m_ended = false;
    ReplayClock m_clock;
};

} // namespace dyno
