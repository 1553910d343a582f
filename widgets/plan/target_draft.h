// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A target as the fields of a form, and the URI that they make. Pure values; any thread.
#pragma once

#include <dyno/uri_form.h>

#include <QStringList>

#include <string_view>

namespace dyno {

struct TargetDraft
{
    enum class Kind { PrivateFile, File, Managed, Remote, Other };

    Kind kind = Kind::PrivateFile;
    QString path;                              //!< file of an embedded engine
    QString product;                           //!< managed server
    QString basedir;                           //!< folder of the managed server's programs, "" = look for them
    QString version;                           //!< that its program must have, "" = any
    QString transport;                         //!< how it is reached: "socket", "tcp", "" = the usual way
    QString name;                              //!< of a managed instance that is kept, "" = the session's own
    QString scheme;                            //!< running server: the first of its form's schemes
    QString host, user, database, socket, tls; //!< the host can be a list, with ports, where the form allows it
    QString authSource, replicaSet; //!< where the form has such options: database of the user, name of the set
    int port = 0;                   //!< 0 = the usual one
    QString other;                  //!< any other URI, as typed

    TargetDraft(); //!< of the usual product and scheme

    [[nodiscard]] QString uri() const;
    //! Reads a URI back into fields. What the fields cannot say (other schemes, more options, faults) is Other.
    [[nodiscard]] static TargetDraft fromUri(const QString& uri);
};

inline constexpr const char* kAuthSource = "auth_source";
inline constexpr const char* kReplicaSet = "replica_set";
//! Whether URIs of this scheme have this option.
[[nodiscard]] bool takesOption(const QString& scheme, std::string_view option);
//! "MySQL, MariaDB or MongoDB".
[[nodiscard]] QString orList(const QStringList& words);
//! What the schemes of a form are of: "MySQL or MariaDB".
[[nodiscard]] QString productsOf(const UriForm& form);
//! "mysql://user@host:port/database" of each form of remote servers.
[[nodiscard]] QStringList remoteExamples();

} // namespace dyno
