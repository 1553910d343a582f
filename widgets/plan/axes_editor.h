// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The matrix of the Plan page: a table for each axis (rows are cases, columns are knobs), and a table of the settings
//! that are the same for all runs. GUI thread.
#pragma once

#include "plan/knob_model.h"

#include <QWidget>

#include <functional>
#include <vector>

class QLabel;
class QLineEdit;
class QMenu;
class QPushButton;
class QVBoxLayout;

namespace dyno {

class AxisModel;
class FitTable;
class KnobHeader;
class PlanEditor;
class SettingsModel;

//! One axis: its name, its table, its buttons.
class AxisBox : public QWidget
{
    Q_OBJECT
public:
    AxisBox(PlanEditor& editor, int axis, QWidget* parent = nullptr);
    void setChoices(const std::vector<KnobChoice>& choices);
    [[nodiscard]] AxisModel& model() const { return *m_model; }
    [[nodiscard]] FitTable& table() const { return *m_table; }
    void focusCell(int row, const QString& knob); //!< "" for the label

protected:
    // A knob from the picker that is dropped here becomes a column.
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void take(const KnobChoice& choice);
    void addKnob();
    void fillMenu();
    void removeSelected(); //!< clears cells; whole cases when labels are selected
    void refresh();

    PlanEditor& m_editor;
    AxisModel* m_model;
    std::vector<KnobChoice> m_choices;
    QLineEdit* m_name;
    FitTable* m_table;
    KnobHeader* m_header;
    QMenu* m_menu;
    bool m_dropHere = false;                   //!< a knob is being dragged over it
    int m_wantedRow = -1, m_wantedColumn = -1; //!< current cell to return to after a reset of the model
};

class AxesEditor : public QWidget
{
    Q_OBJECT
public:
    explicit AxesEditor(PlanEditor& editor, QWidget* parent = nullptr);
    //! Gives the focus to what a fault's path names: "axis[0].cases[2].set.server.sync_binlog", "set.server.x".
    void focusPath(const QString& where);
    void addAxis();    //!< opens the picker
    void addSetting(); //!< opens the picker
    //! An axis of this knob with the values that the catalogue recommends.
    void addAxisOf(const KnobChoice& choice);

protected:
    // A knob from the picker that is dropped beside the axes becomes an axis of its own.
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void showDrop(bool on);
    void sync();
    void updateChoices();

    PlanEditor& m_editor;
    std::vector<KnobChoice> m_choices;
    QString m_choicesFor;
    std::vector<AxisBox*> m_boxes;
    QVBoxLayout* m_column;
    QLabel* m_empty;
    QLabel* m_dropHint;
    QLabel* m_restartNote;
    SettingsModel* m_settings;
    FitTable* m_settingsTable;
    QPushButton* m_removeSetting;
};

} // namespace dyno
