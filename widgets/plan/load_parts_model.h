// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The phases of a plan's load, or its groups of users, as rows of a table: [[load.phase]] and [[load.group]]. What is
//! typed becomes a step of the plan that can be undone; what cannot be read stays in its cell with the reason.
//! GUI thread.
#pragma once

#include <dyno/plan.h>

#include <QAbstractTableModel>
#include <QMap>

#include <utility>
#include <vector>

namespace dyno {

class PlanEditor;

enum class LoadPart { Phase, Group };

class LoadPartsModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    LoadPartsModel(LoadPart part, PlanEditor& editor, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

    [[nodiscard]] LoadPart part() const { return m_part; }
    [[nodiscard]] int add(); //!< at the end; its row, −1 where a plan takes no more
    void remove(const QList<int>& rows);
    bool move(int row, int by); //!< false at the ends
    //! Of "users", "groups.scans.rate", "groups.scans" (its first one); −1 where there is no such column.
    [[nodiscard]] int columnOf(const QString& field) const;
    //! Why its text cannot be, or what the plan's check says of it; "": nothing.
    [[nodiscard]] QString problemOf(const QModelIndex& index) const;
    //! What the check says of a row and no column shows, such as of a group's parameters; "": nothing.
    [[nodiscard]] QString problemOfRow(int row) const;
    //! Of the first cell whose text no plan can have, with its place; "": none.
    [[nodiscard]] QString unreadable() const;

signals:
    void problemsChanged();

private:
    struct Column
    {
        std::string field;             //!< as a plan has it
        QString title, tip, otherwise; //!< `otherwise`: what holds where nothing is said
    };
    struct Pending
    {
        QString text, problem;
    };
    //! The one row of a plan that has nothing else, as setField() wants it.
    [[nodiscard]] Plan alone(int row) const;
    [[nodiscard]] QString nameOf(int row) const;
    [[nodiscard]] QString textOf(int row, const std::string& field) const;
    [[nodiscard]] QString change(Plan& row, const std::string& field, const QString& text) const;
    [[nodiscard]] std::vector<Column> columnsNow() const;
    [[nodiscard]] bool isTaken(const std::string& name, int exceptRow) const; //!< by a phase or a group
    [[nodiscard]] QString nameProblem(int row, const QString& name) const;    //!< "": the row can have it
    [[nodiscard]] QString problemIn(int row, int column) const;               //!< what the check says there
    [[nodiscard]] QString freeName() const;
    void sync();
    void forget();

    const LoadPart m_part;
    PlanEditor& m_editor;
    std::vector<Column> m_columns;
    std::vector<LoadPhase> m_phases;
    std::vector<LoadGroup> m_groups;
    QMap<std::pair<int, QString>, Pending> m_pending; //!< by row and field
};

} // namespace dyno
