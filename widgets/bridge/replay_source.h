// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Plays a stored session through the same signals as a live run, at ×1 … ×100, with a position to drag. GUI thread;
//! the library is read by a job in the background.
#pragma once

#include "bridge/job.h"
#include "bridge/run_bridge.h"

#include <dyno/library.h>

#include <QElapsedTimer>
#include <QTimer>

#include <filesystem>
#include <memory>
#include <vector>

namespace dyno {

//! A whole session in memory, ready to play. Immutable.
struct ReplayData
{
    StoredSession session;
    std::vector<std::vector<SamplePtr>> samples; //!< per run
    std::vector<std::vector<RunEvent>> events;   //!< per run
    //! Reads one session; any thread. Waits between runs are left out: runs follow each other without a gap.
    [[nodiscard]] static Expected<std::shared_ptr<const ReplayData>> read(const std::filesystem::path& library,
                                                                          const std::string& id);
};

class ReplaySource : public RunFeed
{
    Q_OBJECT
public:
    explicit ReplaySource(QObject* parent = nullptr);

    //! Reads in the background, then emits ready() and stands at position 0; or failed().
    void load(const std::filesystem::path& library, const QString& sessionId);
    void setData(std::shared_ptr<const ReplayData> data); //!< what load() ends with; for tests and the tour
    void close();

    [[nodiscard]] bool loaded() const { return m_data != nullptr; }
    [[nodiscard]] const ReplayData* data() const { return m_data.get(); }
    [[nodiscard]] double length() const { return m_length; }     //!< seconds of all runs
    [[nodiscard]] double position() const { return m_position; } //!< seconds
    [[nodiscard]] bool playing() const { return m_timer.isActive(); }
    [[nodiscard]] double speed() const { return m_speed; }
    [[nodiscard]] double runStart(int run) const; //!< position where a run starts

    //! Plays on by `seconds` of the session; what the timer does.
    void advance(double seconds);

public slots:
    void play(); //!< from the beginning when it stands at the end
    void pause();
    void setSpeed(double factor); //!< 1 … 100
    void seek(double seconds);    //!< rebuilds the state at that position

signals:
    void ready();
    void failed(const QString& text);
    void positionChanged(double seconds);
    void playingChanged(bool playing);

private:
    struct Item
    {
        enum class Kind { RunStart, Event, Sample, RunEnd };
        double at;
        Kind kind;
        int run;
        std::size_t index;
    };
    void emitItem(const Item& item);
    void emitProgress();
    void emitEnd();

    Job<Expected<std::shared_ptr<const ReplayData>>> m_job;
    std::shared_ptr<const ReplayData> m_data;
    SessionHeaderPtr m_header;
    std::vector<Item> m_items;
    std::vector<double> m_starts;
    std::size_t m_next = 0;
    double m_length = 0, m_position = 0, m_speed = 10;
    int m_run = 0;
    Phase m_phase = Phase::Connect;
    bool m_ended = false;
    QTimer m_timer;
    QElapsedTimer m_clock;
};

} // namespace dyno
