// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/server_list_model.h"

#include "format.h"
#include "parts/plan_text.h"

#include <QRegularExpression>

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

QString stateText(InstanceState state)
{
    switch (state) {
    case InstanceState::Running:
        return ServerListModel::tr("running");
    case InstanceState::Busy:
        return ServerListModel::tr("used by another Dynobench");
    case InstanceState::Left:
        return ServerListModel::tr("left by a crash");
    case InstanceState::Stopped:
        break;
    }
    return ServerListModel::tr("stopped");
}

Tone stateTone(InstanceState state)
{
    switch (state) {
    case InstanceState::Running:
        return Tone::Good;
    case InstanceState::Busy:
        return Tone::Accent;
    case InstanceState::Left:
        return Tone::Warn;
    case InstanceState::Stopped:
        break;
    }
    return Tone::Neutral;
}

QString productText(const std::string& product, const std::string& version)
{
    const QString name = productName(qtText(product));
    static const QRegularExpression number(u"^\\d+(\\.\\d+)*"_s);
    const QString shown = number.match(qtText(version)).captured(0);
    return shown.isEmpty() ? name : QString(name + u' ' + shown);
}

QString remoteText(const RemoteServer& remote)
{
    if (!remote.name.empty())
        return qtText(remote.name);
    if (const auto uri = parseUri(remote.uri)) {
        if (const auto socket = uri->query.find("socket"); socket != uri->query.end())
            return qtText(socket->second);
        if (!uri->host.empty())
            return uri->port > 0 ? u"%1:%2"_s.arg(qtText(uri->host)).arg(uri->port) : qtText(uri->host);
    }
    return qtText(redactUri(remote.uri));
}

QString ServerListModel::keyOf(const ServerProgram& program)
{
    return u"program:"_s + qtText(program.uri) + u'|' + qtText(program.program.string());
}

QString ServerListModel::keyOf(const ServerInstance& instance)
{
    return u"instance:"_s + qtText(instance.name);
}

QString ServerListModel::keyOf(const RemoteServer& remote)
{
    return u"remote:"_s + qtText(remote.uri);
}

void ServerListModel::setList(const ServerList& list)
{
    std::vector<Row> rows;
    const auto group = [&rows](const QString& text, const auto& items, Kind kind, const QString& hint) {
        rows.push_back({Kind::Group, 0, text, {}});
        for (std::size_t i = 0; i < items.size(); ++i)
            rows.push_back({kind, int(i), {}, keyOf(items[i])});
        if (items.empty())
            rows.push_back({Kind::Hint, 0, hint, {}});
    };
    group(tr("Your instances"), list.instances, Kind::Instance,
          tr("None yet. Choose an installed program below and start one: it gets a folder of its own."));
    group(tr("Remote servers"), list.remotes.servers, Kind::Remote,
          tr("None yet. Add one to inspect it and to use it in plans by name."));
    group(tr("Installed programs"), list.programs, Kind::Program,
          tr("No server program was found. Install MariaDB, MySQL, PostgreSQL, MongoDB or FerretDB, or unpack one into "
             "the folder “servers” of Dynobench's data folder."));
    const auto isSame = [](const Row& a, const Row& b) {
        return a.kind == b.kind && a.key == b.key && a.text == b.text;
    };
    const bool same = std::equal(rows.begin(), rows.end(), m_rows.begin(), m_rows.end(), isSame);
    if (same) {
        m_list = list;
        m_rows = std::move(rows);
        emit dataChanged(index(0), index(rowCount() - 1));
        return;
    }
    beginResetModel();
    m_list = list;
    m_rows = std::move(rows);
    endResetModel();
}

void ServerListModel::setRemoteState(const std::string& uri, const RemoteState& state)
{
    m_states[uri] = state;
    changed(u"remote:"_s + qtText(uri));
}

void ServerListModel::setActivity(const std::string& name, const QString& text)
{
    if (text.isEmpty())
        m_activities.erase(name);
    else
        m_activities[name] = text;
    changed(u"instance:"_s + qtText(name));
}

RemoteState ServerListModel::remoteState(const std::string& uri) const
{
    const auto found = m_states.find(uri);
    return found == m_states.end() ? RemoteState() : found->second;
}

QString ServerListModel::activity(const std::string& name) const
{
    const auto found = m_activities.find(name);
    return found == m_activities.end() ? QString() : found->second;
}

void ServerListModel::changed(const QString& key)
{
    if (const int row = rowOf(key); row >= 0)
        emit dataChanged(index(row), index(row));
}

int ServerListModel::rowOf(const QString& key) const
{
    const auto found = std::find_if(m_rows.begin(), m_rows.end(),
                                    [&key](const Row& row) { return !row.key.isEmpty() && row.key == key; });
    return found == m_rows.end() ? -1 : int(found - m_rows.begin());
}

const ServerProgram* ServerListModel::program(const QString& key) const
{
    const int row = rowOf(key);
    return row >= 0 && m_rows[std::size_t(row)].kind == Kind::Program
               ? &m_list.programs[std::size_t(m_rows[std::size_t(row)].index)]
               : nullptr;
}

const ServerInstance* ServerListModel::instance(const QString& key) const
{
    const int row = rowOf(key);
    return row >= 0 && m_rows[std::size_t(row)].kind == Kind::Instance
               ? &m_list.instances[std::size_t(m_rows[std::size_t(row)].index)]
               : nullptr;
}

const RemoteServer* ServerListModel::remote(const QString& key) const
{
    const int row = rowOf(key);
    return row >= 0 && m_rows[std::size_t(row)].kind == Kind::Remote
               ? &m_list.remotes.servers[std::size_t(m_rows[std::size_t(row)].index)]
               : nullptr;
}

int ServerListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

Qt::ItemFlags ServerListModel::flags(const QModelIndex& index) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return Qt::NoItemFlags;
    const Kind kind = m_rows[std::size_t(index.row())].kind;
    return kind == Kind::Group || kind == Kind::Hint ? Qt::ItemNeverHasChildren
                                                     : QAbstractListModel::flags(index) | Qt::ItemNeverHasChildren;
}

QVariant ServerListModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const Row& row = m_rows[std::size_t(index.row())];
    if (role == KindRole)
        return int(row.kind);
    if (role == KeyRole)
        return row.key;
    switch (row.kind) {
    case Kind::Group:
    case Kind::Hint:
        return role == Qt::DisplayRole ? QVariant(row.text) : QVariant();
    case Kind::Program:
        return programData(m_list.programs[std::size_t(row.index)], role);
    case Kind::Instance:
        return instanceData(m_list.instances[std::size_t(row.index)], role);
    case Kind::Remote:
        return remoteData(m_list.remotes.servers[std::size_t(row.index)], role);
    }
    return {};
}

QVariant ServerListModel::programData(const ServerProgram& program, int role) const
{
    const QString place = program.basedir.empty() ? tr("installed with the system") : qtText(program.basedir.string());
    switch (role) {
    case Qt::DisplayRole:
        return productText(program.name, program.version);
    case SecondRole:
        return place;
    case Qt::AccessibleTextRole:
        return tr("Program %1, %2").arg(productText(program.name, program.version), place);
    case Qt::ToolTipRole:
        return QString(qtText(program.version) + u'\n' + qtText(program.program.string()));
    case DotRole:
        return false;
    default:
        return {};
    }
}

QVariant ServerListModel::instanceData(const ServerInstance& instance, int role) const
{
    const QString doing = activity(instance.name);
    const QString state = doing.isEmpty() ? stateText(instance.state) : doing;
    const QString product = productText(instance.product, instance.version);
    const QString name = instance.named ? qtText(instance.name) : tr("of a session (%1)").arg(qtText(instance.name));
    const QString size = instance.bytes > 0 ? format::bytes(double(instance.bytes)) : QString();
    switch (role) {
    case Qt::DisplayRole:
        return name;
    case SecondRole:
        return QString(state + u" · " + product);
    case RightRole:
        return size;
    case Qt::AccessibleTextRole:
        return tr("Instance %1, %2, %3, %4").arg(name, product, state, size);
    case Qt::ToolTipRole:
        return tr("%1\n%2, %3 on disk").arg(qtText(instance.folder.string()), state, size.isEmpty() ? u"–"_s : size);
    case ToneRole:
        return int(doing.isEmpty() ? stateTone(instance.state) : Tone::Accent);
    case DotRole:
        return true;
    default:
        return {};
    }
}

QVariant ServerListModel::remoteData(const RemoteServer& remote, int role) const
{
    const RemoteState state = remoteState(remote.uri);
    const auto left = std::count_if(m_list.left.begin(), m_list.left.end(), [&remote](const LeftChange& change) {
        return !change.ownerAlive && isSameServer(change.target, remote.uri);
    });
    QString second = tr("not checked yet");
    Tone tone = Tone::Neutral;
    if (state.testing) {
        second = tr("connecting…");
        tone = Tone::Accent;
    } else if (state.facts) {
        second = tr("answers · %1").arg(productText(state.facts->product, state.facts->version));
        tone = Tone::Good;
    } else if (!state.problem.isEmpty()) {
        second = state.problem;
        tone = Tone::Bad;
    }
    if (left > 0 && !state.testing)
        second = tr("%1 left changed · %2").arg(left).arg(second);
    switch (role) {
    case Qt::DisplayRole:
        return remoteText(remote);
    case SecondRole:
        return second;
    case RightRole:
        return remote.production ? tr("production") : QString();
    case Qt::AccessibleTextRole:
        return tr("Server %1, %2")
            .arg(remoteText(remote), remote.production ? tr("production, %1").arg(second) : second);
    case Qt::ToolTipRole:
        return QString(qtText(redactUri(remote.uri)) + u'\n' + second);
    case ToneRole:
        return int(left > 0 && tone != Tone::Bad ? Tone::Warn : tone);
    case DotRole:
        return true;
    default:
        return {};
    }
}

} // namespace dyno
