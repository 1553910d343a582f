// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a plan's sessions are looked at with: the server's counters and the charts. GUI thread.
#pragma once

#include "plan/sources_form.h"

#include <QString>
#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;

namespace dyno {

class PlanEditor;

//! What is read, and which charts belong to the plan: a row for each view.
class ObserveForm : public QWidget
{
    Q_OBJECT
public:
    //! `agree`: before an exporter or a machine is tried.
    ObserveForm(PlanEditor& editor, SourcesForm::Agree agree, QWidget* parent = nullptr);
    void addView();
    void focusPath(const QString& where); //!< "view[0].measure", "set.exporter.NAME"

private:
    void sync();
    void readObserved();

    PlanEditor& m_editor;
    QCheckBox* m_counters;    //!< load.counters
    QComboBox* m_snapshots;   //!< load.snapshots
    QComboBox* m_instruments; //!< load.instruments
    QLineEdit* m_observe;     //!< load.observe
    SourcesForm* m_sources;
    QWidget* m_rows = nullptr;
    QLabel* m_empty;
    QString m_shown; //!< what the rows were made for
};

} // namespace dyno
