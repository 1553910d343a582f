// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a plan's sessions are looked at with: the server's counters and the charts. GUI thread.
#pragma once

#include <QString>
#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;

namespace dyno {

class PlanEditor;

//! Which charts belong to the plan: a row for each view.
class ObserveForm : public QWidget
{
    Q_OBJECT
public:
    explicit ObserveForm(PlanEditor& editor, QWidget* parent = nullptr);
    void addView();
    void focusPath(const QString& where); //!< "view[0].measure"

private:
    void sync();
    void readObserved();

    PlanEditor& m_editor;
    QCheckBox* m_counters;  //!< load.counters
    QComboBox* m_snapshots; //!< load.snapshots
    QLineEdit* m_observe;   //!< load.observe
    QWidget* m_rows = nullptr;
    QLabel* m_empty;
    QString m_shown; //!< what the rows were made for
};

} // namespace dyno
