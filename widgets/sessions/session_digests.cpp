// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/session_digests.h"

namespace dyno {

SessionDigests::SessionDigests(std::filesystem::path library, QObject* parent)
    : QObject(parent)
    , m_worker(std::move(library))
{
}

void SessionDigests::want(const QStringList& ids)
{
    m_wanted = ids;
    if (!m_reading)
        next();
}

void SessionDigests::next()
{
    if (m_wanted.isEmpty())
        return;
    m_reading = true;
    const QString id = m_wanted.takeFirst();
    m_worker.run<SessionDigest>(
        Library::Mode::ReadOnly,
        [key = id.toStdString()](Library& library) -> Expected<SessionDigest> {
            auto session = library.session(key);
            if (!session)
                return fail(session.error());
            return digestOf(library, std::move(*session));
        },
        [this, id, generation = m_generation](const Expected<SessionDigest>& digest) {
            m_reading = false;
            if (generation == m_generation)
                digest ? emit read(id, *digest) : emit failed(id);
            if (!m_reading) // a receiver may have asked for others
                next();
        });
}

} // namespace dyno
