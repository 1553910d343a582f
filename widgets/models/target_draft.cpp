// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/target_draft.h"

#include "models/plan_text.h"

#include <dyno/uri.h>

#include <QCoreApplication>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(TargetDraft)
};

} // namespace

QString TargetDraft::uri() const
{
    TargetUri uri;
    switch (kind) {
    case Kind::PrivateFile:
        return u"sqlite:"_s;
    case Kind::File:
        uri.kind = TargetKind::Embedded;
        uri.scheme = "sqlite";
        uri.path = path.toStdString();
        break;
    case Kind::Managed:
        uri.kind = TargetKind::Managed;
        uri.scheme = "managed";
        uri.product = product.toStdString();
        if (!basedir.isEmpty())
            uri.query["basedir"] = basedir.toStdString();
        if (!name.isEmpty())
            uri.query["name"] = name.toStdString();
        break;
    case Kind::Remote:
        uri.kind = TargetKind::Remote;
        uri.scheme = "mysql";
        uri.user = user.toStdString();
        uri.host = host.isEmpty() && socket.isEmpty() ? "localhost" : host.toStdString();
        uri.port = port;
        uri.database = database.toStdString();
        if (!socket.isEmpty())
            uri.query["socket"] = socket.toStdString();
        if (!tls.isEmpty())
            uri.query["tls"] = tls.toStdString();
        break;
    case Kind::Other:
        return other;
    }
    return qtText(uri.display());
}

TargetDraft TargetDraft::fromUri(const QString& uri)
{
    TargetDraft draft;
    draft.kind = Kind::Other;
    draft.other = uri;
    const auto parsed = parseUri(uri.toStdString());
    if (!parsed)
        return draft;
    auto rest = parsed->query;
    const auto take = [&rest](const char* name) {
        const auto found = rest.find(name);
        if (found == rest.end())
            return QString();
        const QString value = qtText(found->second);
        rest.erase(found);
        return value;
    };
    if (parsed->scheme == "sqlite") {
        draft.path = qtText(parsed->path);
        draft.kind = draft.path.isEmpty() ? Kind::PrivateFile : Kind::File;
    } else if (parsed->scheme == "managed" && (parsed->product == "mariadb" || parsed->product == "mysql")) {
        draft.product = qtText(parsed->product);
        draft.basedir = take("basedir");
        draft.name = take("name");
        draft.kind = Kind::Managed;
    } else if (parsed->scheme == "mysql") {
        draft.user = qtText(parsed->user);
        draft.host = qtText(parsed->host);
        draft.port = parsed->port;
        draft.database = qtText(parsed->database);
        draft.socket = take("socket");
        draft.tls = take("tls");
        draft.kind = Kind::Remote;
    }
    if (!rest.empty())
        draft.kind = Kind::Other;
    return draft;
}

QString targetTitle(const QString& uri)
{
    const TargetDraft draft = TargetDraft::fromUri(uri);
    switch (draft.kind) {
    case TargetDraft::Kind::PrivateFile:
        return Words::tr("SQLite, private file");
    case TargetDraft::Kind::File:
        return Words::tr("SQLite, %1").arg(draft.path);
    case TargetDraft::Kind::Managed: {
        const QString what = draft.product == u"mysql"_s ? Words::tr("MySQL, managed") : Words::tr("MariaDB, managed");
        return draft.name.isEmpty() ? what : u"%1 (%2)"_s.arg(draft.name, what);
    }
    case TargetDraft::Kind::Remote:
    case TargetDraft::Kind::Other:
        break;
    }
    return qtText(redactUri(uri.toStdString()));
}

} // namespace dyno
