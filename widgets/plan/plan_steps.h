// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The steps of the Plan page, one below the other: at most one is open, the others are lines that say what they have
//! settled. Another plan shows all of them folded, but the first with something to fix. GUI thread.
#pragma once

#include "parts/plan_text.h"

#include <QWidget>

#include <vector>

class QVBoxLayout;

namespace dyno {

class AboutForm;
class AxesEditor;
class LoadForm;
class ObserveForm;
class PlanEditor;
class StepCard;
class TargetForm;
class WorkloadForm;

struct PlanForms
{
    TargetForm* target;
    WorkloadForm* workload;
    AxesEditor* axes;
    LoadForm* load;
    ObserveForm* observe;
    AboutForm* about;
};

class PlanSteps : public QWidget
{
    Q_OBJECT
public:
    PlanSteps(PlanEditor& editor, const PlanForms& forms, QWidget* parent = nullptr);
    //! Opens this step and folds the others. Sections without a step: folds all.
    void open(PlanSection section);
    void foldAll();
    [[nodiscard]] bool isOpen(PlanSection section) const;
    //! Opens the step that the field of a fault is in, and gives the field the focus.
    void goTo(const QString& where);
    //! Shows `notice` below this step, whether it is folded or open.
    void addNotice(PlanSection section, QWidget* notice);

signals:
    void opened(QWidget* step); //!< it should come into view

private:
    struct Step
    {
        PlanSection section;
        StepCard* card;
    };
    StepCard* addStep(PlanSection section, const QString& name, const QString& title, QWidget* form);
    void buildSteps();
    void addNextButtons();
    void openCard(StepCard* card); //!< nullptr folds all
    void showLines();
    void showFaults();
    void nameLoop();
    [[nodiscard]] StepCard* card(PlanSection section) const; //!< nullptr when it has none

    PlanEditor& m_editor;
    PlanForms m_forms;
    QVBoxLayout* m_column;
    std::vector<Step> m_steps;
    bool m_fresh = true; //!< another plan, whose faults are not known yet
};

} // namespace dyno
