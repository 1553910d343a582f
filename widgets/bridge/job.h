// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Runs a function off the GUI thread and delivers its result on the owner's thread; the result of an older job is
//! dropped when a newer one was started or the owner is gone.
#pragma once

#include <QFutureWatcher>
#include <QObject>
#include <QtConcurrentRun>

#include <functional>
#include <utility>

namespace dyno {

template<class Result>
class Job
{
public:
    explicit Job(QObject* owner)
        : m_owner(owner)
    {
    }
    //! `work` runs in the global thread pool and must own all it uses; `done` runs on the owner's thread.
    void start(std::function<Result()> work, std::function<void(Result)> done)
    {
        const int token = ++m_token;
        auto* watcher = new QFutureWatcher<Result>(m_owner);
        QObject::connect(watcher, &QFutureWatcher<Result>::finished, m_owner,
                         [this, watcher, token, done = std::move(done)] {
                             watcher->deleteLater();
                             if (token == m_token)
                                 done(watcher->future().takeResult());
                         });
        watcher->setFuture(QtConcurrent::run(std::move(work)));
    }
    void cancel() { ++m_token; } //!< drops the result of the job under way

private:
    QObject* m_owner;
    int m_token = 0;
};

} // namespace dyno
