// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/library_worker.h"

#include <QMetaObject>

namespace dyno {

LibraryWorker::LibraryWorker(std::filesystem::path file, QObject* parent)
    : QObject(parent)
    , m_file(std::move(file))
{
    // One thread keeps the order; the library allows one writer at a time anyway.
    m_pool.setMaxThreadCount(1);
}

LibraryWorker::~LibraryWorker()
{
    m_pool.waitForDone();
}

void LibraryWorker::enqueue(std::function<void()> task)
{
    ++m_pending;
    m_pool.start(std::move(task));
}

void LibraryWorker::deliver(std::function<void()> result)
{
    // Posted to this object: dropped by Qt when the worker is destroyed before it arrives.
    QMetaObject::invokeMethod(
        this,
        [this, result = std::move(result)] {
            --m_pending;
            result();
        },
        Qt::QueuedConnection);
}

} // namespace dyno
