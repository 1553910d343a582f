// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A workload of the OLTP family with a user whose session records, for the tests of the family.
#pragma once

#include "support/recording_rig.h"

#include <QRegularExpression>
#include <QString>

namespace dyno::test::oltp_rig {

struct Rig : RecordingRig
{
    explicit Rig(std::string_view workload, const Settings& params = {}, std::string_view dialect = "mysql",
                 UserPlace place = {})
        : RecordingRig(workload, bind(workload, params, dialect), place)
    {
    }
    //! "BEGIN", "COMMIT", or the statement's text with the table's number replaced by N.
    QString shape(const Recorded& request) const
    {
        switch (request.kind) {
        case RequestKind::Begin:
            return "BEGIN";
        case RequestKind::Commit:
            return "COMMIT";
        case RequestKind::Text:
            return QString::fromStdString(request.text);
        default: {
            QString text = QString::fromStdString(statements.at(request.statement).text);
            static const QRegularExpression table("sbtest\\d+");
            return text.replace(table, "sbtestN");
        }
        }
    }
    int table(const Recorded& request) const
    {
        static const QRegularExpression name("sbtest(\\d+)");
        return name.match(QString::fromStdString(statements.at(request.statement).text)).captured(1).toInt();
    }
};

inline const QString kPoint = "SELECT c FROM sbtestN WHERE id=?";
inline const QString kSimple = "SELECT c FROM sbtestN WHERE id BETWEEN ? AND ?";
inline const QString kSum = "SELECT SUM(k) FROM sbtestN WHERE id BETWEEN ? AND ?";
inline const QString kOrder = "SELECT c FROM sbtestN WHERE id BETWEEN ? AND ? ORDER BY c";
inline const QString kDistinct = "SELECT DISTINCT c FROM sbtestN WHERE id BETWEEN ? AND ? ORDER BY c";
inline const QString kIndexUpdate = "UPDATE sbtestN SET k=k+1 WHERE id=?";
inline const QString kNonIndexUpdate = "UPDATE sbtestN SET c=? WHERE id=?";
inline const QString kDelete = "DELETE FROM sbtestN WHERE id=?";
inline const QString kInsert = "INSERT INTO sbtestN (id, k, c, pad) VALUES (?, ?, ?, ?)";

inline bool looksLikeC(const std::string& text)
{
    static const QRegularExpression form("^[0-9]{11}(-[0-9]{11}){9}$");
    return form.match(QString::fromStdString(text)).hasMatch();
}
inline bool looksLikePad(const std::string& text)
{
    static const QRegularExpression form("^[0-9]{11}(-[0-9]{11}){4}$");
    return form.match(QString::fromStdString(text)).hasMatch();
}

} // namespace dyno::test::oltp_rig
