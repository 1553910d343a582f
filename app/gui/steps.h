// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A list of things to do in the window one after the other, each waited for by a fact. GUI thread.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include <deque>
#include <functional>

namespace dyno::gui {

class Steps : public QObject
{
    Q_OBJECT
public:
    explicit Steps(QObject* parent = nullptr);
    //! `act` runs once; the next step comes when `ready` is true and all plots are drawn. A step that is not ready
    //! after `timeoutMs` ends the list as failed.
    void add(const QString& name, std::function<void()> act, std::function<bool()> ready = {}, int timeoutMs = 120000);
    void start();

signals:
    void finished(bool ok, const QString& failedStep);

private:
    struct Step
    {
        QString name;
        std::function<void()> act;
        std::function<bool()> ready;
        int timeoutMs;
    };
    void poll();

    std::deque<Step> m_steps;
    QTimer m_timer;
    QElapsedTimer m_clock;
    int m_calmPolls = 0;
    bool m_acted = false;
};

} // namespace dyno::gui
