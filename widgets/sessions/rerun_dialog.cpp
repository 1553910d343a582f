// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/rerun_dialog.h"

#include "bridge/app_context.h"
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
    dialog->setObjectName(QStringLiteral("rerunDialog"));
    dialog->setWindowTitle(RerunDialogWords::tr("Run again"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    auto* layout = new QVBoxLayout(dialog);
    layout->setContentsMargins(space::pageMargin, 16, space::pageMargin, 16);
    layout->setSpacing(10);
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
    auto* buttons = new QDialogButtonBox;
    QPushButton* run = makeButton(RerunDialogWords::tr("Run again"), "primary");
    run->setObjectName(QStringLiteral("rerunYes"));
    QPushButton* change = makeButton(RerunDialogWords::tr("Change the plan…"));
    change->setObjectName(QStringLiteral("rerunChange"));
    change->setToolTip(RerunDialogWords::tr("Open a copy of the plan on the Plan page"));
    buttons->addButton(run, QDialogButtonBox::AcceptRole);
    buttons->addButton(change, QDialogButtonBox::ActionRole);
    buttons->addButton(QDialogButtonBox::Cancel);
    layout->addSpacing(6);
    layout->addWidget(buttons);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
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
