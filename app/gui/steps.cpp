// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/steps.h"

#include "plots/frame_ticker.h"

namespace dyno::gui {

namespace {

constexpr int kPollMs = 20;
//! Turns of the event loop without anything left to draw: layouts that follow layouts have settled by then.
constexpr int kCalmPolls = 6;

} // namespace

Steps::Steps(QObject* parent)
    : QObject(parent)
{
    m_timer.setInterval(kPollMs);
    connect(&m_timer, &QTimer::timeout, this, &Steps::poll);
}

void Steps::add(const QString& name, std::function<void()> act, std::function<bool()> ready, int timeoutMs)
{
    m_steps.push_back({name, std::move(act), std::move(ready), timeoutMs});
}

void Steps::start()
{
    m_acted = false;
    m_timer.start();
}

void Steps::poll()
{
    if (m_steps.empty()) {
        m_timer.stop();
        emit finished(true, {});
        return;
    }
    Step& step = m_steps.front();
    if (!m_acted) {
        m_acted = true;
        m_calmPolls = 0;
        m_clock.start();
        if (step.act)
            step.act();
        return;
    }
    if (m_clock.elapsed() > step.timeoutMs) {
        m_timer.stop();
        emit finished(false, step.name);
        return;
    }
    const bool calm = (!step.ready || step.ready()) && FrameTicker::instance().idle();
    m_calmPolls = calm ? m_calmPolls + 1 : 0;
    if (m_calmPolls >= kCalmPolls) {
        m_steps.pop_front();
        m_acted = false;
    }
}

} // namespace dyno::gui
