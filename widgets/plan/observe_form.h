// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a plan's sessions are looked at with: the server's counters and the charts. GUI thread.
#pragma once

#include "bridge/job.h"
#include "plan/sources_form.h"

#include <QStringList>
#include <QWidget>

#include <filesystem>
#include <string>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;

namespace dyno {

class NamesCompleter;
class PlanEditor;

//! What is read, and which charts belong to the plan: a row for each view.
class ObserveForm : public QWidget
{
    Q_OBJECT
public:
    //! `agree`: before an exporter or a machine is tried. `library`: whose sessions have names of counters.
    ObserveForm(PlanEditor& editor, SourcesForm::Agree agree, std::filesystem::path library, QWidget* parent = nullptr);
    void addView();
    void focusPath(const QString& where); //!< "view[0].measure", "set.exporter.NAME"
    void forgetNames();                   //!< sessions have changed: names are read again when they are wanted

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void sync();
    void readObserved();
    void readNames(); //!< for the completer, off the GUI thread

    PlanEditor& m_editor;
    QCheckBox* m_counters;    //!< load.counters
    QComboBox* m_snapshots;   //!< load.snapshots
    QComboBox* m_instruments; //!< load.instruments
    QLineEdit* m_observe;     //!< load.observe
    SourcesForm* m_sources;
    QWidget* m_rows = nullptr;
    QLabel* m_empty;
    QString m_shown; //!< what the rows were made for
    std::filesystem::path m_library;
    NamesCompleter* m_completer; //!< of m_observe
    std::string m_driver;        //!< whose names it has
    Job<QStringList> m_names;
};

} // namespace dyno
