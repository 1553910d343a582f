// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Everything that an axis or the base settings of a plan may set: knobs of the target's driver and parameters of the
//! workload, as one searchable list. GUI thread (the functions: any thread).
#pragma once

#include <dyno/catalog.h>

#include <QAbstractListModel>
#include <QSortFilterProxyModel>
#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

class QMimeData;

namespace dyno {

//! One thing that can be set, by its field path.
struct KnobChoice
{
    QString path; //!< "server.sync_binlog", "workload.table_size", "target.uri"
    OptionSpec option;
    bool described = true; //!< false: a name typed by hand
    bool restart = false;
    bool initialisation = false;
    QString safety; //!< what it costs in safety, "" if nothing
    QString manual;
    QStringList values;                //!< worth trying: what an axis of it begins with
    std::vector<KnobEdition> editions; //!< where it exists and how it differs there; empty: everywhere alike
    QString replacement;               //!< knob to use where this one is gone
};

//! Knobs of `driver`, its connection options, parameters of `workload`, and the target itself; in this order.
[[nodiscard]] std::vector<KnobChoice> knobChoices(const QString& driver, const QString& workload);
//! The choice with this path, or one without description (text) when nothing describes it.
[[nodiscard]] KnobChoice knobChoice(const std::vector<KnobChoice>& choices, const QString& path);
//! Where it exists: "MariaDB from 10.5; MySQL before 8.0.30, there innodb_x, with a restart". "" when it is everywhere.
[[nodiscard]] QString editionsText(const KnobChoice& choice);
//! What a drag of a knob carries: its path.
inline constexpr const char* kKnobMimeType = "application/x-dynobench-knob";
[[nodiscard]] QString knobPathOf(const QMimeData* data); //!< "" when it carries none
//! Help, type, range, restart and safety as rich text.
[[nodiscard]] QString knobToolTip(const KnobChoice& choice);
//! Scopes that accept names which no catalogue knows, for this driver: session and server variables of MySQL.
[[nodiscard]] QStringList freeScopes(const QString& driver);

//! Searchable list for the knob picker.
class KnobModel : public QAbstractListModel
{
    Q_OBJECT
public:
    enum Role { PathRole = Qt::UserRole + 1, HelpRole, TypeRole, SafetyRole, SearchRole };

    using QAbstractListModel::QAbstractListModel;
    void setChoices(std::vector<KnobChoice> choices);
    [[nodiscard]] const std::vector<KnobChoice>& choices() const { return m_choices; }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    Qt::DropActions supportedDragActions() const override { return Qt::CopyAction; }

private:
    std::vector<KnobChoice> m_choices;
};

//! Keeps rows that hold all words of the search, in any order; names before help.
class KnobFilter : public QSortFilterProxyModel
{
    Q_OBJECT
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setSearch(const QString& text);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QStringList m_words;
};

} // namespace dyno

Q_DECLARE_METATYPE(dyno::KnobChoice)
