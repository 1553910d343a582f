// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Servers as one list in three groups: installed programs, instances of Dynobench, servers of others. GUI thread.
#pragma once

#include "bridge/server_worker.h"
#include "parts/labels.h"

#include <QAbstractListModel>
#include <QString>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dyno {

//! What is known of a remote server from this window's last look at it.
struct RemoteState
{
    bool testing = false;
    std::optional<ServerFacts> facts;
    QString problem;      //!< of a test that failed
    bool refused = false; //!< the server answered then, and said no
};

class ServerListModel : public QAbstractListModel
{
    Q_OBJECT
public:
    enum class Kind { Group, Program, Instance, Remote, Hint };
    enum Role {
        KindRole = Qt::UserRole + 1,
        KeyRole,    //!< "program:URI", "instance:NAME", "remote:URI"; "" for groups and hints
        SecondRole, //!< second line
        RightRole,  //!< at the right end: a size, a mark
        ToneRole,   //!< Tone of the dot
        DotRole,    //!< whether there is a dot
    };

    using QAbstractListModel::QAbstractListModel;
    void setList(const ServerList& list);
    void setRemoteState(const std::string& uri, const RemoteState& state);
    [[nodiscard]] RemoteState remoteState(const std::string& uri) const;
    //! Says "starting", "stopping" in place of an instance's state; "" takes it back.
    void setActivity(const std::string& name, const QString& text);
    [[nodiscard]] QString activity(const std::string& name) const;

    //! The row with this key, −1 when there is none.
    [[nodiscard]] int rowOf(const QString& key) const;
    [[nodiscard]] const ServerProgram* program(const QString& key) const;
    [[nodiscard]] const ServerInstance* instance(const QString& key) const;
    [[nodiscard]] const RemoteServer* remote(const QString& key) const;
    [[nodiscard]] static QString keyOf(const ServerProgram& program);
    [[nodiscard]] static QString keyOf(const ServerInstance& instance);
    [[nodiscard]] static QString keyOf(const RemoteServer& remote);
    [[nodiscard]] const ServerList& list() const { return m_list; }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    struct Row
    {
        Kind kind = Kind::Group;
        int index = 0; //!< into the list of its kind
        QString text;  //!< of groups and hints
        QString key;
    };
    void changed(const QString& key);
    [[nodiscard]] QVariant programData(const ServerProgram& program, int role) const;
    [[nodiscard]] QVariant instanceData(const ServerInstance& instance, int role) const;
    [[nodiscard]] QVariant remoteData(const RemoteServer& remote, int role) const;

    ServerList m_list;
    std::vector<Row> m_rows;
    std::map<std::string, RemoteState> m_states;
    std::map<std::string, QString> m_activities;
};

//! "running", "stopped", "used by another Dynobench", "left by a crash", and how that looks.
[[nodiscard]] QString stateText(InstanceState state);
[[nodiscard]] Tone stateTone(InstanceState state);
//! "MariaDB 10.11.19": the name with the version's number, without what the distribution adds.
[[nodiscard]] QString productText(const std::string& product, const std::string& version);
//! The name of a remote server, or what of its URI names it ("db1:3306").
[[nodiscard]] QString remoteText(const RemoteServer& remote);

} // namespace dyno
