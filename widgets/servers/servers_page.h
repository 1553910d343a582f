// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The Servers page: instances of Dynobench, servers of others, installed programs; start, stop, look at, put settings
//! back. All work is done by the context's ServerWorker.
#pragma once

#include "bridge/server_worker.h"
#include "parts/page.h"
#include "plan/server_list_model.h"
#include "servers/server_details.h"

#include <QTimer>

#include <map>
#include <string>

namespace dyno {

class Banner;
class InstanceControls;
class LeftChangesCard;
class LeftChangesControls;
class LeftSpaceRow;
class PageHeader;
class RemoteControls;
class ServerListView;

//! A state of the page without any server behind it: for pictures.
struct ServerSnapshot
{
    ServerList list;
    std::map<std::string, RemoteState> remotes;
    QString selected; //!< key of the row
    VariableRows variables;
    InstanceView view;
};

class ServersPage : public Page
{
    Q_OBJECT
public:
    explicit ServersPage(AppContext& context, QWidget* parent = nullptr);
    ~ServersPage() override;

    [[nodiscard]] QString title() const override { return tr("Servers"); }
    [[nodiscard]] QString iconName() const override { return QStringLiteral("servers"); }
    [[nodiscard]] QString manualPage() const override { return QStringLiteral("window-servers"); }
    void activated() override;

    //! Shows this and asks no server any more.
    void showSnapshot(const ServerSnapshot& snapshot);
    void select(const QString& key); //!< ServerListModel's; kept until a row with it appears
    [[nodiscard]] QString selectedKey() const;
    [[nodiscard]] bool busy() const; //!< something is being read or done

public slots:
    void showLeftovers(const dyno::LeftoverReport& report);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void buildList(QLayout* layout);
    [[nodiscard]] ServerWorker& worker() const;
    void takeList();
    void selectionChanged();
    void showSelected();
    void readSelected(); //!< variables, sizes, log of what is selected
    void readVariables(const TargetUri& target, const QString& key);
    void showTested(const RemoteServer& server, const Expected<ServerFacts>& facts);
    void act(ServerDetails::Action action);

    ServerListModel m_model;
    PageHeader* m_header;
    Banner* m_banner;
    LeftChangesCard* m_left;
    LeftSpaceRow* m_space;
    ServerListView* m_list;
    ServerDetails* m_details;
    InstanceControls* m_instances;
    RemoteControls* m_remotes;
    LeftChangesControls* m_leftControls;
    QTimer m_poll;        //!< states change without us: other processes, sessions
    QString m_asked;      //!< key to select when it appears
    QString m_kept;       //!< key that was selected before the list was made anew
    QString m_shown;      //!< key and process that the variables belong to
    bool m_fixed = false; //!< shows a snapshot
};

} // namespace dyno
