// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Reads digests of the sessions that are in view, one after the other on a thread of its own: a large session holds up
//! neither the list nor what a person writes. GUI thread.
#pragma once

#include "bridge/library_worker.h"
#include "plots/session_digest.h"

#include <QObject>
#include <QStringList>

#include <filesystem>

namespace dyno {

class SessionDigests : public QObject
{
    Q_OBJECT
public:
    explicit SessionDigests(std::filesystem::path library, QObject* parent = nullptr);
    //! These are wanted, in this order; what was asked for before and has not begun is not any more.
    void want(const QStringList& ids);
    //! What is being read now may be old: it is not told, and can be wanted again.
    void forget() { ++m_generation; }
    [[nodiscard]] bool busy() const { return m_reading || !m_wanted.isEmpty(); }

signals:
    void read(const QString& id, const dyno::SessionDigest& digest);
    void failed(const QString& id); //!< the page of details says why

private:
    void next();

    LibraryWorker m_worker;
    QStringList m_wanted;
    bool m_reading = false;
    int m_generation = 0;
};

} // namespace dyno
