// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! From the engine's control thread to the window: values arrive on the GUI thread as queued signals of immutable
//! copies. RunFeed is what a live run and a replay have in common; pages listen to a RunFeed and need not know which.
#pragma once

#include <dyno/runner.h>

#include <QObject>
#include <QString>

#include <memory>

Q_DECLARE_METATYPE(dyno::ProgressReport)
Q_DECLARE_METATYPE(dyno::RunEvent)

namespace dyno {

using SessionHeaderPtr = std::shared_ptr<const SessionHeader>;
using RunHeaderPtr = std::shared_ptr<const RunHeader>;
using SamplePtr = std::shared_ptr<const IntervalSample>;
using RunSummaryPtr = std::shared_ptr<const RunSummary>;
using SessionSummaryPtr = std::shared_ptr<const SessionSummary>;

//! Signals in the order of a session; GUI thread.
class RunFeed : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

signals:
    void sessionStarted(const dyno::SessionHeaderPtr& header);
    void progressed(const dyno::ProgressReport& report);
    void runStarted(const dyno::RunHeaderPtr& header);
    void sampled(const dyno::SamplePtr& sample);
    void eventHappened(const dyno::RunEvent& event);
    void runFinished(const dyno::RunSummaryPtr& summary);
    void sessionFinished(const dyno::SessionSummaryPtr& summary);
    //! Between these two many signals come at once: listeners may draw when the last one is there.
    void manyBegin();
    void manyEnd();
};

//! Owns the session that runs now. All members on the GUI thread.
class RunBridge : public RunFeed
{
    Q_OBJECT
public:
    explicit RunBridge(QObject* parent = nullptr);
    ~RunBridge() override; //!< stops a running session and waits until what was measured is stored

    //! Starts a session; false (and nothing happens) while one runs.
    bool start(Plan plan, RunnerOptions options);
    //! True from start() until sessionFinished() was emitted; everything is stored by then.
    [[nodiscard]] bool active() const { return m_active; }
    [[nodiscard]] QString sessionId() const { return m_sessionId; } //!< of the running or the last session
    [[nodiscard]] bool paused() const { return m_paused; }

public slots:
    void stop();
    void skipRun();
    void skipPoint();
    void setPaused(bool on);

public:
    //! Writes a note onto the time axis of the run under way, where it was at `begunNs` (now()); 0: where it is when it
    //! takes the note up. False when there is no run of that time any more: the note is not kept.
    bool note(const QString& text, qint64 begunNs = 0);
    //! Asks the server of the run under way what it does now; the answer is an event. False when there is no run.
    bool takeSnapshot();
    [[nodiscard]] static qint64 now(); //!< std::chrono::steady_clock, nanoseconds

signals:
    void activeChanged(bool active);
    void pausedChanged(bool paused);

private:
    class Sink;
    void deliverFinished(const SessionSummaryPtr& summary);
    std::unique_ptr<Sink> m_sink;
    std::shared_ptr<SessionRunner> m_runner;
    QString m_sessionId;
    bool m_active = false;
    bool m_paused = false;
};

} // namespace dyno
