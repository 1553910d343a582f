// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One axis of the plan as a table: a row is a case, the first column its label, each further column a knob; where the
//! catalogue knows it, the last one says what a commit means in each case. And the base settings as a table of name and
//! value. Both show PlanEditor's plan and change it only through it. GUI thread.
#pragma once

#include "plan/knob_model.h"

#include <dyno/plan.h>

#include <QAbstractTableModel>
#include <QStringList>

#include <vector>

namespace dyno {

class PlanEditor;

//! Roles that the value delegate asks for, of both models.
enum PlanTableRole {
    KnobRole = Qt::UserRole + 1, //!< a KnobChoice; invalid for labels
    UnsetRole,                   //!< true when the case does not set the knob
    PlanTitleRole,               //!< of a column's header: what the knob is called in plain words
};

class AxisModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    //! `axis` is the index into Plan::axes; the model is empty while there is no such axis.
    AxisModel(PlanEditor& editor, int axis, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    //! An empty text takes the knob out of the case.
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

    [[nodiscard]] int axis() const { return m_index; }
    [[nodiscard]] QString name() const;
    //! The column of what a commit means, which nobody edits; −1 where it is known of no case.
    [[nodiscard]] int meaningColumn() const { return m_meanings.isEmpty() ? -1 : 1 + int(m_columns.size()); }
    [[nodiscard]] QStringList knobPaths() const { return m_columns; }
    void setChoices(const std::vector<KnobChoice>& choices); //!< what describes the columns

    void rename(const QString& name);
    void addCase();                         //!< a copy of the last one with a label of its own
    void removeCases(QList<int> rows);      //!< the last case stays
    void moveCase(int row, int by);         //!< by −1 or +1
    void addKnob(const KnobChoice& choice); //!< a column, set to the default in each case
    void removeKnob(const QString& path);
    void sync(); //!< takes over the editor's plan; called on each change

private:
    [[nodiscard]] const Axis* current() const;
    [[nodiscard]] QVariant meaningData(int row, int role) const;
    void edit(const QString& text, const std::function<void(Axis&)>& how);
    void setMeanings(const QStringList& meanings); //!< tells of the column when it comes or goes

    PlanEditor& m_editor;
    int m_index;
    std::vector<Case> m_cases; //!< as shown; follows the plan in sync()
    QStringList m_columns;     //!< knob paths
    QStringList m_meanings;    //!< of a commit, one a case, "" = not known; empty when of none
    std::vector<KnobChoice> m_choices;
};

//! The settings that are the same for all runs: name, value, where it belongs.
class SettingsModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { NameColumn, ValueColumn, ScopeColumn, ColumnCount };

    explicit SettingsModel(PlanEditor& editor, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

    [[nodiscard]] QString path(int row) const;
    void setChoices(const std::vector<KnobChoice>& choices);
    void add(const KnobChoice& choice);
    void remove(QList<int> rows);
    void sync();

private:
    PlanEditor& m_editor;
    std::vector<std::pair<QString, Value>> m_rows;
    QStringList m_pending; //!< added, without a value yet: not in the plan
    std::vector<KnobChoice> m_choices;
};

//! An axis made of one knob: a case for each value that the catalogue recommends, each choice, on and off, or only the
//! default.
[[nodiscard]] Axis axisOf(const KnobChoice& choice, const Plan& plan);
//! What a new column or setting starts with.
[[nodiscard]] Value initialValue(const KnobChoice& choice);

} // namespace dyno
