// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/target_draft.h"

#include "parts/plan_text.h"

#include <QCoreApplication>

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

struct TargetDraftWords
{
    Q_DECLARE_TR_FUNCTIONS(TargetDraft)
};

} // namespace

TargetDraft::TargetDraft()
    : product(qtText(managedProductNames().front().id))
    , scheme(qtText(uriFormOfDriver(driverNamedBy("managed:"))->schemes.front().name))
{
}

QString TargetDraft::uri() const
{
    TargetUri uri;
    switch (kind) {
    case Kind::PrivateFile:
        return qtText(fileTarget());
    case Kind::File:
        return qtText(fileTarget(path.toStdString()));
    case Kind::Managed:
        uri.kind = TargetKind::Managed;
        uri.scheme = "managed";
        uri.product = product.toStdString();
        for (const auto& [option, value] :
             {std::pair{"basedir", &basedir}, {"version", &version}, {"transport", &transport}, {"name", &name}}) {
            if (!value->isEmpty())
                uri.query[option] = value->toStdString();
        }
        break;
    case Kind::Remote:
        uri.kind = TargetKind::Remote;
        uri.scheme = scheme.toStdString();
        uri.driver = driverNamedBy(uri.scheme + ":");
        uri.user = user.toStdString();
        uri.host = host.isEmpty() && socket.isEmpty() ? "localhost" : host.toStdString();
        uri.port = port;
        uri.database = database.toStdString();
        if (!socket.isEmpty()) {
            setSocket(uri, socket.toStdString());
            if (uri.query.contains("socket") && !isLoopback(uri.host)) { // it is used instead of a host
                uri.host.clear();
                uri.port = 0;
            }
        }
        for (const auto& [option, value] : {std::pair{kAuthSource, &authSource}, {kReplicaSet, &replicaSet}}) {
            if (!value->isEmpty() && takesOption(scheme, option))
                uri.query[option] = value->toStdString();
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
    const UriForm* form = uriFormOf(parsed->scheme);
    if (isFile(*parsed) && parsed->display() != fileTarget(parsed->path))
        return draft; // of another engine: kept as it is written
    if (isFile(*parsed)) {
        draft.path = qtText(parsed->path);
        draft.kind = draft.path.isEmpty() ? Kind::PrivateFile : Kind::File;
    } else if (parsed->kind == TargetKind::Managed) {
        draft.product = qtText(parsed->product);
        draft.basedir = take("basedir");
        draft.version = take("version");
        draft.transport = take("transport");
        draft.name = take("name");
        draft.kind = Kind::Managed;
    } else if (parsed->kind == TargetKind::Remote && parsed->scheme == form->schemes.front().name) {
        draft.scheme = qtText(parsed->scheme);
        draft.user = qtText(parsed->user);
        draft.port = parsed->port;
        draft.database = qtText(parsed->database);
        (parsed->host.starts_with('/') ? draft.socket : draft.host) = qtText(parsed->host);
        if (draft.socket.isEmpty())
            draft.socket = take("socket");
        draft.tls = take("tls");
        draft.authSource = take(kAuthSource);
        draft.replicaSet = take(kReplicaSet);
        draft.kind = Kind::Remote;
    }
    if (!rest.empty())
        draft.kind = Kind::Other;
    return draft;
}

bool takesOption(const QString& scheme, std::string_view option)
{
    const UriForm* form = uriFormOf(scheme.toStdString());
    return form && form->option(option);
}

QString orList(const QStringList& words)
{
    if (words.size() < 2)
        return words.join(QString());
    return TargetDraftWords::tr("%1 or %2").arg(words.first(words.size() - 1).join(u", "_s), words.last());
}

QString productsOf(const UriForm& form)
{
    QStringList products;
    for (const UriScheme& scheme : form.schemes)
        products << qtText(scheme.product);
    products.removeDuplicates();
    return orList(products);
}

QStringList remoteExamples()
{
    QStringList examples;
    for (const UriForm* form : remoteForms())
        examples << qtText(form->schemes.front().example);
    return examples;
}

} // namespace dyno
