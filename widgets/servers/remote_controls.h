// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <dyno/servers.h>

#include <QObject>

#include <functional>

class QWidget;

namespace dyno {

class AppContext;
class Banner;
class ServerListModel;

//! Adds, changes, forgets and tests remote servers, with their passwords in the keyring. GUI thread.
class RemoteControls : public QObject
{
    Q_OBJECT
public:
    //! Dialogs belong to `page`'s window.
    RemoteControls(AppContext& context, ServerListModel& model, Banner& banner, QWidget* page);

    void edit(const RemoteServer& server); //!< an empty one: adds one
    void forget(const RemoteServer& server);
    //! `done`: what the server says of itself, or why it does not.
    void test(const RemoteServer& server, std::function<void(const Expected<ServerFacts>&)> done);
    [[nodiscard]] TargetUri target(const RemoteServer& server) const; //!< with its password

signals:
    void saved(const QString& key);

private:
    void save(const RemoteServer& before, const RemoteServer& server, const QString& password);

    AppContext& m_context;
    ServerListModel& m_model;
    Banner& m_banner;
    QWidget* m_page;
};

} // namespace dyno
