// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A target as the fields of a form, and the URI that they make. Pure values; any thread.
#pragma once

#include <QString>

namespace dyno {

struct TargetDraft
{
    enum class Kind { PrivateFile, File, Managed, Remote, Other };

    Kind kind = Kind::PrivateFile;
    QString path;                                //!< SQLite file
    QString product = QStringLiteral("mariadb"); //!< managed server
    QString basedir;                             //!< folder of the managed server's programs, "" = look for them
    QString version;                             //!< that its program must have, "" = any
    QString transport;                           //!< how it is reached: "socket", "tcp", "" = the usual way
    QString name;                                //!< of a managed instance that is kept, "" = the session's own
    QString scheme = QStringLiteral("mysql");    //!< running server: "mysql", "mongodb"
    QString host, user, database, socket, tls;   //!< MongoDB: the host can be a list, with ports
    QString authSource, replicaSet;              //!< MongoDB: database of the user, name of the set
    int port = 0;  //!< 0 = the usual one
    QString other; //!< any other URI, as typed

    [[nodiscard]] QString uri() const;
    //! Reads a URI back into fields. What the fields cannot say (other schemes, more options, faults) is Other.
    [[nodiscard]] static TargetDraft fromUri(const QString& uri);
};

//! Names a target for a person: "SQLite, private file", "shop (MariaDB, managed)", "db1:3306/sbtest".
[[nodiscard]] QString targetTitle(const QString& uri);

} // namespace dyno
