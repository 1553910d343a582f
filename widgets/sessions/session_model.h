// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The library's sessions as a table, and the filter of the search box. GUI thread.
#pragma once

#include "plots/session_digest.h"

#include <dyno/library.h>

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QStringList>

#include <map>
#include <set>
#include <vector>

namespace dyno {

//! One row a session. Title and tags can be edited: the model changes at once and asks by signal for the write; the
//! owner calls setSessions() again when the write failed.
class SessionModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Title, When, Target, Workload, Runs, Status, Tags, ColumnCount };
    enum Role {
        IdRole = Qt::UserRole + 1,
        SortRole,    //!< a value that sorts as the column should: times as numbers, the rest as text
        StatusRole,  //!< int of RunStatus
        TagsRole,    //!< QStringList
        VerdictRole, //!< what the session found, in one sentence; "" as long as it is not read, and without a run
    };

    explicit SessionModel(QObject* parent = nullptr);

    //! Replaces the list. Rows that stay keep their index, so selection and scroll position survive.
    void setSessions(std::vector<SessionInfo> sessions);
    [[nodiscard]] const std::vector<SessionInfo>& sessions() const { return m_sessions; }
    [[nodiscard]] const SessionInfo* find(const QString& id) const; //!< nullptr if there is none
    [[nodiscard]] int rowOf(const QString& id) const;               //!< −1 if there is none
    void setDigest(const QString& id, const SessionDigest& digest);
    [[nodiscard]] const SessionDigest* digest(const QString& id) const; //!< nullptr while it is not read
    //! There is none, or it may be old. Of a session that is being recorded none is wanted.
    [[nodiscard]] bool wantsDigest(const SessionInfo& session) const;
    //! It may be old; it is shown until a new one comes. setSessions() does so where runs or the status changed.
    void forgetDigest(const QString& id);
    //! It could not be read: what is shown stays, and the next setSessions() has it tried again.
    void keepDigest(const QString& id);
    void setNotes(const QString& id, const QString& notes); //!< what was just saved; no signal for a write

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

    //! "a, b" → {"a", "b"}: trimmed, without empty ones and doubles.
    [[nodiscard]] static QStringList splitTags(const QString& text);
    //! "18"; "12 of 18, 3 failed, 1 skipped" where some are not complete.
    [[nodiscard]] static QString runsText(const SessionInfo& session);

signals:
    void renameRequested(const QString& id, const QString& title);
    void tagsRequested(const QString& id, const QStringList& tags);

private:
    void forgetChanged(const std::vector<SessionInfo>& sessions);
    [[nodiscard]] QVariant text(const SessionInfo& session, int column) const;
    [[nodiscard]] QVariant sortKey(const SessionInfo& session, int column) const;
    [[nodiscard]] QString toolTip(const SessionInfo& session) const;

    std::vector<SessionInfo> m_sessions;
    std::map<QString, SessionDigest> m_digests; //!< by the session's id
    std::set<QString> m_current;                //!< sessions whose digest is not wanted
    std::set<QString> m_unread;                 //!< of these: it could not be read
};

//! Sorts by time, count or text as the column holds it.
class SessionFilter : public QSortFilterProxyModel
{
    Q_OBJECT
public:
    explicit SessionFilter(QObject* parent = nullptr);
};

} // namespace dyno
