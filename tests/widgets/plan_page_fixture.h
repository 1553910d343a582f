// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The Plan page as a person has it before them, for its tests.
#pragma once

#include "bridge/app_context.h"
#include "bridge/run_bridge.h"
#include "parts/field.h"
#include "parts/labels.h"
#include "parts/plan_text.h"
#include "plan/plan_page.h"
#include "plan/plan_summary.h"
#include "plan/step_card.h"
#include "plan/target_form.h"
#include "plan/workload_list.h"
#include "support/patience.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>

namespace dyno::test {

inline Plan quickPlan()
{
    Plan plan;
    plan.title = "quick";
    plan.target.uri = "null:";
    plan.workload.name = "oltp_point_select";
    plan.workload.params = {{"table_size", std::int64_t(100)}};
    plan.load.timeSeconds = 0.3;
    plan.load.intervalSeconds = 0.1;
    return plan;
}

class PlanPageFixture
{
public:
    explicit PlanPageFixture(const QString& dir)
        : context(std::filesystem::path(dir.toStdString()) / "library.dynolib")
        , page(context)
    {
        page.resize(1356, 900);
        page.show();
    }
    bool settle() // until the check of the current plan is on the screen
    {
        QSignalSpy checked(&page.editor(), &PlanEditor::checked);
        return !page.editor().checking() || checked.wait(kPatienceMs);
    }
    template<class T = QWidget>
    T* find(const char* name) const
    {
        return page.findChild<T*>(QLatin1String(name));
    }
    //! Opens the step that a widget is in, as a person does before they use it.
    static void reveal(const QWidget* widget)
    {
        for (; widget; widget = widget->parentWidget()) {
            const auto* step = qobject_cast<const StepCard*>(widget);
            if (step && !step->isOpen())
                QTest::mouseClick(&step->header(), Qt::LeftButton);
        }
    }
    //! As find(), in an open step.
    template<class T = QWidget>
    T* show(const char* name) const
    {
        T* widget = find<T>(name);
        reveal(widget);
        return widget;
    }
    void type(const char* name, const QString& text) const
    {
        auto* line = show<QLineEdit>(name);
        line->setFocus();
        line->selectAll();
        QTest::keyClicks(line, text);
    }
    void click(const char* name) const { QTest::mouseClick(show(name), Qt::LeftButton); }
    //! By a click into the list.
    void chooseWorkload(const QString& id) const
    {
        find<QLineEdit>("workloadSearch")->clear();
        auto* list = show<QListView>("workloadList");
        for (int row = 0; row < list->model()->rowCount(); ++row) {
            const QModelIndex index = list->model()->index(row, 0);
            if (index.data(WorkloadList::IdRole).toString() != id)
                continue;
            list->scrollTo(index);
            QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(index).center());
            return;
        }
        QFAIL(qPrintable(QStringLiteral("no such workload: ") + id));
    }
    QList<FaultRow*> faults() const
    {
        QList<FaultRow*> shown;
        for (auto* row : page.findChildren<FaultRow*>()) {
            if (row->isVisible())
                shown << row;
        }
        return shown;
    }
    const Plan& plan() { return page.editor().plan(); }

    AppContext context;
    PlanPage page;
};

} // namespace dyno::test
