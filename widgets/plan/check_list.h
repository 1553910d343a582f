// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What lookAtPlan() says of the plan that is edited: to fix, to look at, fine; a button puts the remedy into the plan
//! or leads to the field. Looks off the GUI thread after each check of the plan. GUI thread.
#pragma once

#include "bridge/job.h"

#include <dyno/preflight.h>

#include <QWidget>

class QVBoxLayout;

namespace dyno {

class PlanEditor;

class CheckList : public QWidget
{
    Q_OBJECT
public:
    explicit CheckList(PlanEditor& editor, QWidget* parent = nullptr);
    //! Of the plan as it is now; empty while nothing is known of it.
    [[nodiscard]] const PlanFindings& findings() const { return m_findings; }
    [[nodiscard]] int count(PreflightLevel level) const;
    [[nodiscard]] bool looking() const { return m_looking; }

signals:
    void looked(); //!< findings() is about the current plan, and on the screen
    void fieldWanted(const QString& where);

private:
    void look();
    void show(PlanFindings findings);
    void apply(const PlanFinding& finding);

    PlanEditor& m_editor;
    Job<PlanFindings> m_job;
    PlanFindings m_findings;
    QVBoxLayout* m_rows;
    bool m_looking = false;
};

} // namespace dyno
