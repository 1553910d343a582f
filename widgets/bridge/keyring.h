// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Passwords that a person typed in the window, each for one account of a server: in the system's keyring (service
//! "dynobench", key "mysql://user@host:port"), or in memory until the program quits where there is none. GUI thread.
#pragma once

#include <dyno/uri.h>

#include <QHash>
#include <QObject>
#include <QSet>
#include <QString>

namespace dyno {

class Keyring : public QObject
{
    Q_OBJECT
public:
    explicit Keyring(QObject* parent = nullptr);

    //! What is known by now; "" = none, or the keyring was not asked yet.
    [[nodiscard]] QString password(const TargetUri& account) const;
    //! Asks the keyring, once for each account; found() follows when it has one. It may ask the person to unlock it.
    void find(const TargetUri& account);
    //! Known from now on, and kept in the keyring. "" takes it away.
    void keep(const TargetUri& account, const QString& password);
    //! False without a keyring, and once it refused.
    [[nodiscard]] bool lasts() const { return m_lasts; }
    //! Where a password stays that is typed now, in a few words and in a sentence.
    [[nodiscard]] QString shortText() const;
    [[nodiscard]] QString text() const;

signals:
    void found(const QString& account); //!< accountOf() it
    void lastsChanged();

private:
    void refused();

    QHash<QString, QString> m_known; //!< by account
    QSet<QString> m_asked;
    bool m_lasts;
};

} // namespace dyno
