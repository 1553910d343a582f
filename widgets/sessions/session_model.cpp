// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/session_model.h"

#include "format.h"
#include "parts/run_status_text.h"
#include "qt_text.h"

#include <QSet>

#include <algorithm>
#include <string_view>
#include <utility>

namespace dyno {

namespace {

QStringList tagsOf(const SessionInfo& session)
{
    QStringList tags;
    for (const std::string& tag : session.tags)
        tags += qtText(tag);
    return tags;
}

bool sameRow(const SessionInfo& a, const SessionInfo& b)
{
    return a.id == b.id && a.title == b.title && a.notes == b.notes && a.tags == b.tags && a.status == b.status &&
           a.reason == b.reason && a.runsDone == b.runsDone && a.runsPlanned == b.runsPlanned &&
           a.runsFailed == b.runsFailed && a.runsSkipped == b.runsSkipped && a.startedMs == b.startedMs &&
           a.finishedMs == b.finishedMs && a.product == b.product && a.target == b.target && a.workload == b.workload &&
           a.source == b.source && a.archived == b.archived;
}

} // namespace

SessionModel::SessionModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void SessionModel::forgetChanged(const std::vector<SessionInfo>& sessions)
{
    for (const QString& id : std::exchange(m_unread, {}))
        m_current.erase(id);
    std::map<std::string_view, const SessionInfo*> before;
    for (const SessionInfo& session : m_sessions)
        before[session.id] = &session;
    for (const SessionInfo& session : sessions) {
        const auto old = before.find(session.id);
        if (old != before.end() && (old->second->runsDone != session.runsDone || old->second->status != session.status))
            forgetDigest(qtText(session.id));
    }
}

void SessionModel::setSessions(std::vector<SessionInfo> sessions)
{
    // A list that is quite another one is made anew: row by row would take too long.
    constexpr std::size_t kMostChanges = 200;
    forgetChanged(sessions);
    QSet<QString> ids;
    for (const SessionInfo& session : sessions)
        ids.insert(qtText(session.id));
    const auto stay = std::size_t(std::count_if(m_sessions.begin(), m_sessions.end(),
                                                [&ids](const SessionInfo& s) { return ids.contains(qtText(s.id)); }));
    if (m_sessions.size() - stay + sessions.size() - stay > kMostChanges) {
        beginResetModel();
        m_sessions = std::move(sessions);
        endResetModel();
        return;
    }
    // Gone rows first, then walk both lists: what is missing is inserted, what changed is updated.
    for (int row = int(m_sessions.size()) - 1; row >= 0; --row) {
        if (!ids.contains(qtText(m_sessions[std::size_t(row)].id))) {
            beginRemoveRows({}, row, row);
            m_sessions.erase(m_sessions.begin() + row);
            endRemoveRows();
        }
    }
    for (std::size_t row = 0; row < sessions.size(); ++row) {
        const auto here = std::find_if(m_sessions.begin() + std::ptrdiff_t(row), m_sessions.end(),
                                       [&](const SessionInfo& s) { return s.id == sessions[row].id; });
        const auto at = m_sessions.begin() + std::ptrdiff_t(row);
        if (here == m_sessions.end()) {
            beginInsertRows({}, int(row), int(row));
            m_sessions.insert(at, sessions[row]);
            endInsertRows();
        } else {
            const int from = int(here - m_sessions.begin());
            if (from != int(row)) { // always from below: rows above `row` are settled
                beginMoveRows({}, from, from, {}, int(row));
                std::rotate(at, here, here + 1);
                endMoveRows();
            }
            SessionInfo& mine = m_sessions[row];
            if (!sameRow(mine, sessions[row])) {
                mine = sessions[row];
                emit dataChanged(index(int(row), 0), index(int(row), ColumnCount - 1));
            }
        }
    }
}

const SessionInfo* SessionModel::find(const QString& id) const
{
    const int row = rowOf(id);
    return row < 0 ? nullptr : &m_sessions[std::size_t(row)];
}

int SessionModel::rowOf(const QString& id) const
{
    const std::string key = id.toStdString();
    for (std::size_t row = 0; row < m_sessions.size(); ++row) {
        if (m_sessions[row].id == key)
            return int(row);
    }
    return -1;
}

void SessionModel::setNotes(const QString& id, const QString& notes)
{
    const int row = rowOf(id);
    if (row < 0)
        return;
    m_sessions[std::size_t(row)].notes = notes.toStdString();
    emit dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

void SessionModel::setDigest(const QString& id, const SessionDigest& digest)
{
    m_current.insert(id);
    SessionDigest& mine = m_digests[id];
    if (mine == digest)
        return;
    mine = digest;
    if (const int row = rowOf(id); row >= 0)
        emit dataChanged(index(row, Title), index(row, Title), {VerdictRole});
}

const SessionDigest* SessionModel::digest(const QString& id) const
{
    const auto found = m_digests.find(id);
    return found == m_digests.end() ? nullptr : &found->second;
}

bool SessionModel::wantsDigest(const SessionInfo& session) const
{
    return session.status != RunStatus::Running && !m_current.contains(qtText(session.id));
}

void SessionModel::forgetDigest(const QString& id)
{
    m_current.erase(id);
}

void SessionModel::keepDigest(const QString& id)
{
    m_current.insert(id);
    m_unread.insert(id);
}

int SessionModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_sessions.size());
}

int SessionModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(ColumnCount);
}

QVariant SessionModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= int(m_sessions.size()))
        return {};
    const SessionInfo& session = m_sessions[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return text(session, index.column());
    case Qt::EditRole:
        return index.column() == Tags ? QVariant(tagsOf(session).join(QStringLiteral(", ")))
                                      : text(session, index.column());
    case Qt::ToolTipRole:
        return toolTip(session);
    case Qt::TextAlignmentRole:
        return index.column() == Runs ? QVariant(int(Qt::AlignRight | Qt::AlignVCenter))
                                      : QVariant(int(Qt::AlignLeft | Qt::AlignVCenter));
    case Qt::AccessibleTextRole:
        if (const QString verdict = data(index, VerdictRole).toString(); index.column() == Title && !verdict.isEmpty())
            return tr("Title: %1. %2").arg(text(session, Title).toString(), verdict);
        return QString(headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString() % QStringLiteral(": ") %
                       text(session, index.column()).toString());
    case IdRole:
        return qtText(session.id);
    case SortRole:
        return sortKey(session, index.column());
    case StatusRole:
        return int(session.status);
    case TagsRole:
        return tagsOf(session);
    case VerdictRole: {
        const SessionDigest* found = digest(qtText(session.id));
        return found ? found->verdict : QString();
    }
    default:
        return {};
    }
}

QVariant SessionModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Runs ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Title:
        return tr("Title");
    case When:
        return tr("When");
    case Target:
        return tr("Target");
    case Workload:
        return tr("Workload");
    case Runs:
        return tr("Runs");
    case Status:
        return tr("Status");
    case Tags:
        return tr("Tags");
    default:
        return {};
    }
}

Qt::ItemFlags SessionModel::flags(const QModelIndex& index) const
{
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (!index.isValid())
        return flags;
    if (index.column() == Title || index.column() == Tags)
        flags |= Qt::ItemIsEditable;
    return flags;
}

bool SessionModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid() || role != Qt::EditRole || index.row() >= int(m_sessions.size()))
        return false;
    SessionInfo& session = m_sessions[std::size_t(index.row())];
    if (index.column() == Title) {
        const QString title = value.toString().simplified();
        if (title.isEmpty() || title == qtText(session.title))
            return false;
        session.title = title.toStdString();
        emit dataChanged(index, index);
        emit renameRequested(qtText(session.id), title);
        return true;
    }
    if (index.column() == Tags) {
        const QStringList tags = splitTags(value.toString());
        if (tags == tagsOf(session))
            return false;
        session.tags.clear();
        for (const QString& tag : tags)
            session.tags.push_back(tag.toStdString());
        emit dataChanged(index, index);
        emit tagsRequested(qtText(session.id), tags);
        return true;
    }
    return false;
}

QStringList SessionModel::splitTags(const QString& text)
{
    QStringList tags;
    for (const QString& part : text.split(QLatin1Char(','))) {
        const QString tag = part.simplified();
        if (!tag.isEmpty() && !tags.contains(tag, Qt::CaseInsensitive))
            tags += tag;
    }
    return tags;
}

QString SessionModel::runsText(const SessionInfo& session)
{
    QStringList parts{countsText(session.runsDone, session.runsPlanned)};
    if (session.runsDone == session.runsPlanned)
        return parts.front();
    if (session.runsFailed > 0)
        parts << tr("%1 failed", "runs").arg(format::count(session.runsFailed));
    if (session.runsSkipped > 0)
        parts << tr("%1 skipped", "runs").arg(format::count(session.runsSkipped));
    return parts.join(QStringLiteral(", "));
}

QVariant SessionModel::text(const SessionInfo& session, int column) const
{
    switch (column) {
    case Title:
        return session.title.empty() ? tr("Untitled") : qtText(session.title);
    case When:
        return format::when(session.startedMs);
    case Target:
        return session.product.empty() ? qtText(session.target) : qtText(session.product);
    case Workload:
        return qtText(session.workload);
    case Runs:
        return countsText(session.runsDone, session.runsPlanned);
    case Status:
        return statusText(session.status);
    case Tags:
        return tagsOf(session).join(QStringLiteral(", "));
    default:
        return {};
    }
}

QVariant SessionModel::sortKey(const SessionInfo& session, int column) const
{
    switch (column) {
    case When:
        return qlonglong(session.startedMs);
    case Runs:
        return session.runsDone;
    default:
        return text(session, column).toString().toLower();
    }
}

QString SessionModel::toolTip(const SessionInfo& session) const
{
    QStringList lines{qtText(session.title).toHtmlEscaped()};
    if (!session.target.empty())
        lines += tr("Target: %1").arg(qtText(session.target).toHtmlEscaped());
    if (const SessionDigest* found = digest(qtText(session.id)); found && !found->verdict.isEmpty())
        lines += found->verdict.toHtmlEscaped();
    if (session.archived)
        lines += tr("Archived");
    if (session.runsDone < session.runsPlanned)
        lines += tr("Runs complete: %1").arg(runsText(session));
    if (session.status == RunStatus::Cut) {
        lines += tr("Cut off: Dynobench ended before the session finished. "
                    "Everything up to the last interval is kept.");
    }
    if (!session.reason.empty())
        lines += qtText(session.reason).toHtmlEscaped();
    if (!session.notes.empty())
        lines += QStringLiteral("<i>%1</i>").arg(qtText(session.notes).left(200).toHtmlEscaped());
    return QStringLiteral("<p>%1</p>").arg(lines.join(QStringLiteral("<br>")));
}

SessionFilter::SessionFilter(QObject* parent)
    : QSortFilterProxyModel(parent)
{
    setSortRole(SessionModel::SortRole);
    setSortLocaleAware(true);
}

} // namespace dyno
