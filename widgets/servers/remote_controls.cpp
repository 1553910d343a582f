// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/remote_controls.h"

#include "bridge/app_context.h"
#include "bridge/keyring.h"
#include "bridge/server_worker.h"
#include "parts/banner.h"
#include "plan/server_list_model.h"
#include "qt_text.h"
#include "servers/server_dialogs.h"
#include <dyno/passwords.h>

#include <QPointer>

namespace dyno {

RemoteControls::RemoteControls(AppContext& context, ServerListModel& model, Banner& banner, QWidget* page)
    : QObject(page)
    , m_context(context)
    , m_model(model)
    , m_banner(banner)
    , m_page(page)
{
}

void RemoteControls::edit(const RemoteServer& server)
{
    auto* dialog = new RemoteServerDialog(server, m_context.keyring(), m_page->window());
    connect(dialog, &RemoteServerDialog::saveRequested, this,
            [this, server](const RemoteServer& next, const QString& typed) { save(server, next, typed); });
    dialog->open();
}

void RemoteControls::save(const RemoteServer& before, const RemoteServer& server, const QString& password)
{
    if (const auto uri = parseUri(server.uri))
        m_context.keyring().keep(*uri, password);
    const bool moved = !before.uri.empty() && before.uri != server.uri;
    m_context.servers().saveRemote(this, server, [this, before, server, moved](const Expected<void>& saved) {
        if (!saved)
            return m_banner.showError(tr("The server was not saved"), saved.error());
        emit this->saved(ServerListModel::keyOf(server));
        if (moved)
            m_context.servers().forgetRemote(this, before.uri,
                                             [this](const Expected<void>&) { m_context.servers().refresh(); });
        else
            m_context.servers().refresh();
    });
}

void RemoteControls::forget(const RemoteServer& server)
{
    m_context.servers().forgetRemote(this, server.uri, [this, server](const Expected<void>& forgotten) {
        m_context.servers().refresh();
        if (!forgotten)
            return m_banner.showError(tr("The server was not forgotten"), forgotten.error());
        const TargetUri account = parseUri(server.uri).value_or(TargetUri());
        const QString password = m_context.keyring().password(account);
        m_context.keyring().keep(account, {});
        const auto undo = [controls = QPointer(this), server, password] {
            if (controls)
                controls->save({}, server, password);
        };
        m_context.showMessage(tr("Forgot “%1”").arg(remoteText(server)), tr("Undo"), undo);
    });
}

void RemoteControls::test(const RemoteServer& server, std::function<void(const Expected<ServerFacts>&)> done)
{
    RemoteState state;
    state.testing = true;
    m_model.setRemoteState(server.uri, state);
    m_context.servers().inspect(this, target(server),
                                [this, server, done = std::move(done)](const Expected<ServerFacts>& facts) {
                                    RemoteState after;
                                    if (facts)
                                        after.facts = *facts;
                                    else
                                        after.problem = qtText(facts.error().message);
                                    after.refused = !facts && facts.error().kind == ErrorKind::Refused;
                                    m_model.setRemoteState(server.uri, after);
                                    done(facts);
                                });
}

TargetUri RemoteControls::target(const RemoteServer& server) const
{
    TargetUri target = parseUri(server.uri).value_or(TargetUri());
    const QString known = m_context.keyring().password(target);
    target.password = known.isEmpty() ? passwordFor(target, {}) : known.toStdString();
    return target;
}

} // namespace dyno
