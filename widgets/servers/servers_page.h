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

class QLabel;
class QPushButton;

namespace dyno {

class Banner;
class LeftChangesCard;
class PageHeader;
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
    [[nodiscard]] QWidget* makeSpaceRow();
    void showSpace(const LeftSpace& space);
    void freeSpace();
    void takeList();
    void nameLeft(const ServerList& list);
    void selectionChanged();
    void showSelected();
    void readSelected(); //!< variables, sizes, log of what is selected
    void act(ServerDetails::Action action);
    void startOne(const ServerProgram& program);
    void startInstance(const TargetUri& uri, const Settings& knobs, const std::string& name, const Price& price = {});
    void editPrice(const ServerInstance& instance);
    void savePrice(const std::string& name, const Price& price);
    void stopInstance(const std::string& name);
    void askRemove(const ServerInstance& instance);
    void removeInstance(const std::string& name);
    void editRemote(const RemoteServer& server);
    void saveRemote(const RemoteServer& before, const RemoteServer& server, const QString& password);
    void forgetRemote(const RemoteServer& server);
    void testRemote(const RemoteServer& server);
    void askRestore(bool overwrite);
    void restore(bool overwrite);
    void leaveAsIs();
    void useInPlan(const std::string& uri);
    void readVariables(const TargetUri& target, const QString& key);
    [[nodiscard]] TargetUri remoteTarget(const RemoteServer& server) const;

    ServerListModel m_model;
    PageHeader* m_header;
    Banner* m_banner;
    LeftChangesCard* m_left;
    QWidget* m_spaceRow; //!< what ended sessions left; hidden when there is nothing
    QLabel* m_spaceText;
    QPushButton* m_spaceFree;
    ServerListView* m_list;
    ServerDetails* m_details;
    QTimer m_poll;        //!< states change without us: other processes, sessions
    QString m_asked;      //!< key to select when it appears
    QString m_kept;       //!< key that was selected before the list was made anew
    QString m_shown;      //!< key and process that the variables belong to
    int m_restores = 0;   //!< targets being restored
    bool m_fixed = false; //!< shows a snapshot
};

} // namespace dyno
