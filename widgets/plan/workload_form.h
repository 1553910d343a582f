// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What is run: the workload, what it measures, its options as a generated form, and what happens to its data.
//! GUI thread.
#pragma once

#include <dyno/own_workloads.h>

#include <QWidget>

#include <string>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;

namespace dyno {

class OptionForm;
struct OpenedScript;
class PlanEditor;
class WorkloadList;

class WorkloadForm : public QWidget
{
    Q_OBJECT
public:
    explicit WorkloadForm(PlanEditor& editor, QWidget* parent = nullptr);
    void focusPath(const QString& where); //!< "workload.name", "workload.params.tables"
    [[nodiscard]] OptionForm& options() const { return *m_options; }

    //! The text of a file is the plan's. It may be somebody else's: choosing it is no word for what it does.
    void take(const OpenedScript& opened);
    void goToMistake();                               //!< in the text of the workload "lua", where there is one
    void addBelow(QWidget* widget);                   //!< the options
    void setOwn(const std::vector<OwnWorkload>& own); //!< the person's own workloads, for the list

signals:
    void ownRemoveWanted(const QString& name);
    void scriptWanted(); //!< the page to write the workload's script
    void openWanted();   //!< a file with a script

private:
    void choose(const std::string& name);
    void chooseOwn(const QString& name);
    void markOwn();
    void sync();
    void showSize();

    PlanEditor& m_editor;
    WorkloadList* m_workload;
    std::vector<OwnWorkload> m_own;
    QLabel* m_name; //!< of the chosen workload, whatever the search has left of the list
    QComboBox* m_prepare;
    QCheckBox* m_cleanup;
    QLabel* m_description;
    QLabel* m_size; //!< of the data, as far as it can be told beforehand
    QLabel* m_source;
    QPushButton* m_script; //!< leads to the page to write a script
    QPushButton* m_open;
    OptionForm* m_options;
};

} // namespace dyno
