// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/target_draft.h"

#include "models/plan_text.h"

#include <dyno/uri.h>

#include <QCoreApplication>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

struct TargetDraftWords
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
        for (const auto& [option, value] : {std::pair{"basedir", &basedir}, {"version", &version},
                                            {"transport", &transport}, {"name", &name}}) {
            if (!value->isEmpty())
                uri.query[option] = value->toStdString();
        }
        break;
    case Kind::Remote:
        uri.kind = TargetKind::Remote;
        uri.scheme = scheme.toStdString();
        uri.driver = uri.scheme;
        uri.user = user.toStdString();
        uri.host = host.isEmpty() && socket.isEmpty() ? "localhost" : host.toStdString();
        uri.port = port;
        uri.database = database.toStdString();
        if (scheme == u"mongodb"_s) {
            if (!socket.isEmpty()) { // it stands in the place of the host
                uri.host = socket.toStdString();
                uri.port = 0;
            }
            if (!authSource.isEmpty())
                uri.query["auth_source"] = authSource.toStdString();
            if (!replicaSet.isEmpty())
                uri.query["replica_set"] = replicaSet.toStdString();
        } else if (!socket.isEmpty()) {
            uri.query["socket"] = socket.toStdString();
            if (!isLoopback(uri.host)) { // it is used instead of a host
                uri.host.clear();
                uri.port = 0;
            }
        }
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
    } else if (parsed->scheme == "managed") {
        draft.product = qtText(parsed->product);
        draft.basedir = take("basedir");
        draft.version = take("version");
        draft.transport = take("transport");
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
    } else if (parsed->scheme == "mongodb") {
        draft.scheme = u"mongodb"_s;
        draft.user = qtText(parsed->user);
        draft.port = parsed->port;
        draft.database = qtText(parsed->database);
        (parsed->host.starts_with('/') ? draft.socket : draft.host) = qtText(parsed->host);
        draft.tls = take("tls");
        draft.authSource = take("auth_source");
        draft.replicaSet = take("replica_set");
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
        return TargetDraftWords::tr("SQLite, private file");
    case TargetDraft::Kind::File:
        return TargetDraftWords::tr("SQLite, %1").arg(draft.path);
    case TargetDraft::Kind::Managed: {
        const QString product = productName(draft.product);
        const QString what = TargetDraftWords::tr("%1, managed")
                                 .arg(draft.version.isEmpty() ? product : QString(product + u' ' + draft.version));
        return draft.name.isEmpty() ? what : u"%1 (%2)"_s.arg(draft.name, what);
    }
    case TargetDraft::Kind::Remote:
    case TargetDraft::Kind::Other:
        break;
    }
    return qtText(redactUri(uri.toStdString()));
}

} // namespace dyno
