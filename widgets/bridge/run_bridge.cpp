// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/run_bridge.h"

#include <QMetaObject>
#include <QtConcurrentRun>

#include <chrono>

namespace dyno {

//! Lives on the control thread; copies each value and posts it to the GUI thread.
class RunBridge::Sink : public SampleSink
{
public:
    explicit Sink(RunBridge* bridge)
        : m_bridge(bridge)
    {
    }
    void onSessionStarted(const SessionHeader& value) override
    {
        post([bridge = m_bridge, copy = std::make_shared<const SessionHeader>(value)] {
            bridge->m_sessionId = QString::fromStdString(copy->id);
            emit bridge->sessionStarted(copy);
        });
    }
    void onProgress(const ProgressReport& value) override
    {
        post([bridge = m_bridge, value] { emit bridge->progressed(value); });
    }
    void onRunStarted(const RunHeader& value) override
    {
        post([bridge = m_bridge, copy = std::make_shared<const RunHeader>(value)] { emit bridge->runStarted(copy); });
    }
    void onSample(const IntervalSample& value) override
    {
        post([bridge = m_bridge, copy = std::make_shared<const IntervalSample>(value)] { emit bridge->sampled(copy); });
    }
    void onEvent(const RunEvent& value) override
    {
        post([bridge = m_bridge, value] { emit bridge->eventHappened(value); });
    }
    void onRunFinished(const RunSummary& value) override
    {
        post([bridge = m_bridge, copy = std::make_shared<const RunSummary>(value)] { emit bridge->runFinished(copy); });
    }
    void onSessionFinished(const SessionSummary& value) override
    {
        post([bridge = m_bridge, copy = std::make_shared<const SessionSummary>(value)] {
            bridge->deliverFinished(copy);
        });
    }

private:
    //! The bridge outlives the runner (see ~RunBridge), so the receiver is there whenever the control thread calls.
    template<class Function>
    void post(Function function)
    {
        QMetaObject::invokeMethod(m_bridge, std::move(function), Qt::QueuedConnection);
    }
    RunBridge* m_bridge;
};

RunBridge::RunBridge(QObject* parent)
    : RunFeed(parent)
    , m_sink(std::make_unique<Sink>(this))
{
}

RunBridge::~RunBridge()
{
    if (m_runner) {
        m_runner->stop();
        m_runner->wait();
    }
    m_runner.reset();
}

bool RunBridge::start(Plan plan, RunnerOptions options)
{
    if (m_active)
        return false;
    m_active = true;
    m_paused = false;
    m_runner =
        std::make_shared<SessionRunner>(std::move(plan), std::move(options), std::vector<SampleSink*>{m_sink.get()});
    m_sessionId = QString::fromStdString(m_runner->sessionId());
    emit activeChanged(true);
    m_runner->start();
    return true;
}

void RunBridge::stop()
{
    if (m_runner)
        m_runner->stop();
}

void RunBridge::skipRun()
{
    if (m_runner)
        m_runner->skipRun();
}

void RunBridge::skipPoint()
{
    if (m_runner)
        m_runner->skipPoint();
}

void RunBridge::setPaused(bool on)
{
    if (!m_runner || m_paused == on)
        return;
    m_paused = on;
    m_runner->setPaused(on);
    emit pausedChanged(on);
}

bool RunBridge::note(const QString& text, qint64 begunNs)
{
    return m_runner && m_runner->annotate(text.trimmed().toStdString(), begunNs);
}

bool RunBridge::takeSnapshot()
{
    return m_runner && m_runner->takeSnapshot();
}

qint64 RunBridge::now()
{
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

//! The last rows are stored after onSessionFinished(): wait for that off the GUI thread, then tell the window.
void RunBridge::deliverFinished(const SessionSummaryPtr& summary)
{
    QtConcurrent::run([runner = std::move(m_runner)] { runner->wait(); }).then(this, [this, summary] {
        m_active = false;
        m_paused = false;
        emit sessionFinished(summary);
        emit activeChanged(false);
    });
}

} // namespace dyno
