// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A server's variables in force against what it would have without being told, and the parts of a data folder. GUI
//! thread.
#pragma once

#include "bridge/server_worker.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QString>

#include <vector>

namespace dyno {

//! True when the two say the same: "ON", "1" and "YES" do, "16M" is not "16777216".
[[nodiscard]] bool sameValue(const std::string& a, const std::string& b);
//! True when the default is known and the value in force is another one.
[[nodiscard]] bool differs(const VariableState& state);

//! A value as a table shows it: sizes with their unit, a dash for nothing. `bytes`: the catalogue says that it is a
//! size; what it does not know may be a count.
[[nodiscard]] QString variableText(const std::string& value, bool bytes);

class VariablesModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { NameColumn, ValueColumn, DefaultColumn, LabelColumn, ChangeColumn, ColumnCount };
    enum Role { DiffersRole = Qt::UserRole + 1, SearchRole, KnobRole };

    using QAbstractTableModel::QAbstractTableModel;
    void setRows(VariableRows rows);
    [[nodiscard]] int differing() const;  //!< how many differ from their default
    [[nodiscard]] int comparable() const; //!< of how many the default is known

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    VariableRows m_rows;
};

//! Keeps rows that differ from their default (while asked for) and hold all words of the search.
class VariablesFilter : public QSortFilterProxyModel
{
    Q_OBJECT
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setOnlyDiffering(bool on);
    void setSearch(const QString& text);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    bool m_onlyDiffering = true;
    QStringList m_words;
};

//! The parts of a data folder, largest first: what, which table, size, share.
class DataPartsModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { KindColumn, NameColumn, SizeColumn, ShareColumn, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setParts(std::vector<DataPart> parts);
    [[nodiscard]] quint64 total() const { return m_total; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<DataPart> m_parts;
    quint64 m_total = 0;
};

//! "redo log" and so on in the user's language.
[[nodiscard]] QString partKindText(const std::string& kind);

} // namespace dyno
