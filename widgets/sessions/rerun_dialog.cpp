// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/rerun_dialog.h"

#include "bridge/app_context.h"
#include "parts/dialog.h"
#include "parts/field.h"
#include "parts/labels.h"
#include "theme.h"

#include <dyno/catalog.h>
#include <dyno/runner.h>

#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>

namespace dyno {

namespace {

struct RerunDialogWords
{
    Q_DECLARE_TR_FUNCTIONS(RerunDialog)
};

void ask(AppContext& context, const Rerun& again, QWidget* parent)
{
    auto* dialog = new QDialog(parent);
    auto* layout = dressDialog(*dialog, QStringLiteral("rerunDialog"), RerunDialogWords::tr("Run again"));
    layout->addWidget(makeLabel(RerunDialogWords::tr("Seeds, order, knobs and load are the same. These may differ:"),
                                TextRole::Body));
    QStringList lines;
    for (const std::string& note : again.notReproduced)
        lines += QStringLiteral("•  ") % QString::fromStdString(note);
    QLabel* list = makeLabel(lines.join(QLatin1Char('\n')), TextRole::Secondary);
    list->setObjectName(QStringLiteral("rerunList"));
    list->setWordWrap(true);
    list->setMinimumWidth(460);
    layout->addWidget(list);
    auto* buttons = makeDialogButtons(*dialog, QStringLiteral("rerunCancel"));
    QPushButton* run = makeButton(RerunDialogWords::tr("Run again"), "primary");
    describe(run, QStringLiteral("rerunYes"), run->text(), RerunDialogWords::tr("Start the same plan here and now"));
    QPushButton* change = makeButton(RerunDialogWords::tr("Change the plan…"));
    describe(change, QStringLiteral("rerunChange"), RerunDialogWords::tr("Change the plan"),
             RerunDialogWords::tr("Open a copy of the plan on the Plan page"));
    buttons->addButton(run, QDialogButtonBox::AcceptRole);
    buttons->addButton(change, QDialogButtonBox::ActionRole);
    layout->addSpacing(6);
    layout->addWidget(buttons);
    QObject::connect(run, &QPushButton::clicked, dialog, [&context, dialog, plan = again.plan] {
        dialog->accept();
        context.startPlan(plan);
    });
    QObject::connect(change, &QPushButton::clicked, dialog, [&context, dialog, plan = again.plan] {
        dialog->accept();
        context.editPlan(plan);
    });
    run->setDefault(true);
    dialog->open();
}

} // namespace

Expected<Rerun> rerunHere(const StoredSession& session)
{
    return rerunOf(session, hostFacts(), std::string("dynobench ") + softwareVersion());
}

void offerRerun(AppContext& context, const Rerun& again, QWidget* parent)
{
    if (again.notReproduced.empty())
        context.startPlan(again.plan);
    else
        ask(context, again, parent);
}

} // namespace dyno
