// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/keyring.h"

#include "qt_text.h"

#include <dyno/servers.h>

#if DYNO_HAVE_KEYRING
#include <qt6keychain/keychain.h>
#endif

using namespace Qt::StringLiterals;

namespace dyno {

namespace {

QString keyOf(const TargetUri& account)
{
    return qtText(accountOf(account));
}

//! Without a session bus a keyring's library would start one, or wait for it.
bool haveKeyring()
{
    return DYNO_HAVE_KEYRING == 1 && !qEnvironmentVariableIsEmpty("DBUS_SESSION_BUS_ADDRESS");
}

} // namespace

Keyring::Keyring(QObject* parent)
    : QObject(parent)
    , m_lasts(haveKeyring())
{
}

QString Keyring::password(const TargetUri& account) const
{
    return m_known.value(keyOf(account));
}

void Keyring::refused()
{
    if (!m_lasts)
        return;
    m_lasts = false;
    emit lastsChanged();
}

void Keyring::find(const TargetUri& account)
{
    const QString key = keyOf(account);
    if (!m_lasts || m_known.contains(key) || m_asked.contains(key))
        return;
    m_asked.insert(key);
#if DYNO_HAVE_KEYRING
    auto* job = new QKeychain::ReadPasswordJob(u"dynobench"_s, this);
    job->setKey(key);
    connect(job, &QKeychain::Job::finished, this, [this, job, key] {
        if (job->error() == QKeychain::NoError && !m_known.contains(key)) {
            m_known.insert(key, job->textData());
            emit found(key);
        } else if (job->error() != QKeychain::NoError && job->error() != QKeychain::EntryNotFound) {
            refused();
        }
    });
    job->start();
#endif
}

void Keyring::keep(const TargetUri& account, const QString& password)
{
    const QString key = keyOf(account);
    if (m_known.value(key) == password)
        return;
    m_known.insert(key, password);
    if (!m_lasts)
        return;
#if DYNO_HAVE_KEYRING
    const auto check = [this](const QKeychain::Job* job) {
        if (job->error() != QKeychain::NoError && job->error() != QKeychain::EntryNotFound)
            refused();
    };
    if (password.isEmpty()) {
        auto* job = new QKeychain::DeletePasswordJob(u"dynobench"_s, this);
        job->setKey(key);
        connect(job, &QKeychain::Job::finished, this, check);
        job->start();
        return;
    }
    auto* job = new QKeychain::WritePasswordJob(u"dynobench"_s, this);
    job->setKey(key);
    job->setTextData(password);
    connect(job, &QKeychain::Job::finished, this, check);
    job->start();
#endif
}

QString Keyring::shortText() const
{
    return m_lasts ? tr("in the keyring") : tr("until you quit");
}

QString Keyring::text() const
{
    return m_lasts ? tr("Kept in the system's keyring, for this host, port and user only.")
                   : tr("No keyring here: kept until the program quits, for this host, port and user only.");
}

} // namespace dyno
