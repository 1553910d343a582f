// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/session_actions.h"

#include "format.h"
#include "parts/commands.h"
#include "sessions/session_details.h"
#include "theme.h"

#include <dyno/report.h>

#include <QMenu>
#include <QPushButton>
#include <QTableView>

namespace dyno {

SessionActions::SessionActions(QTableView& table)
    : QObject(&table)
    , m_table(table)
{
    const auto id = [](const char* name) { return QStringLiteral("session%1").arg(QLatin1String(name)); };
    const auto icon = [](const char* name) { return QString::fromLatin1(name); };
    open = add(id("Open"), tr("Open"), tr("Show the charts and the ratio table"), icon("compare"));
    replay = add(id("Replay"), tr("Replay"), tr("Play it again as it ran"), icon("replay"),
                 QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P));
    again = add(id("Again"), tr("Run again"), tr("Run the stored plan again with the same seeds, order and knobs"),
                icon("run"), QKeySequence(Qt::CTRL | Qt::Key_R));
    missing = add(id("RunMissing"), tr("Run what is missing"), tr("Run what is not complete, into this session"),
                  icon("run"));
    duplicate = add(id("Duplicate"), tr("Duplicate plan"), tr("Open a copy of the stored plan on the Plan page"),
                    icon("duplicate"), QKeySequence(Qt::CTRL | Qt::Key_D));
    recipe =
        add(id("Recipe"), tr("Save as recipe…"), tr("Put its plan and result among the cards of Start"), icon("save"));
    rename = add(id("Rename"), tr("Rename"), tr("Change the title"), icon("edit"), QKeySequence(Qt::Key_F2));
    tag = add(id("Tag"), tr("Edit tags"), tr("Tags, separated by commas"), icon("tag"),
              QKeySequence(Qt::CTRL | Qt::Key_T));
    note = add(id("Note"), tr("Write notes"), tr("Describe the session"), icon("note"),
               QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_N));
    exportFile = add(id("Export"), tr("Export .dyno…"), tr("Save the whole session as one file"), icon("export"),
                     QKeySequence(Qt::CTRL | Qt::Key_E));
    archive = add(id("Archive"), tr("Archive"), tr("Hide it from the list; the Library menu shows archived sessions"),
                  icon("save"));
    remove = add(id("Remove"), tr("Delete"), tr("Delete the session (can be undone)"), icon("trash"),
                 QKeySequence(Qt::Key_Delete));
    import = add(id("Import"), tr("Import…"),
                 tr("Results of sysbench, pgbench, YCSB and other tools, CSV tables and .dyno files; dropping "
                    "them here works too"),
                 icon("import"));
    addSeries = add(id("AddSeries"), tr("Add series from Prometheus…"),
                    tr("What a Prometheus server stored while the session was measured"), icon("plus"));
    removeSeries = add(id("RemoveSeries"), tr("Remove added series"),
                       tr("All series that were added to the session (can be undone)"), icon("trash"));
}

QAction* SessionActions::add(const QString& objectName, const QString& text, const QString& tip, const QString& icon,
                             const QKeySequence& key)
{
    auto* action = new QAction(text, this);
    action->setObjectName(objectName);
    action->setIcon(Theme::instance().icon(icon));
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetShortcut); // of the table: Del and Return mean other things in a text box
    action->setToolTip(tipWithKeys(tip, action));
    connect(&Theme::instance(), &Theme::changed, action,
            [action, icon] { action->setIcon(Theme::instance().icon(icon)); });
    m_table.addAction(action);
    makeCommand(action);
    return action;
}

void SessionActions::fill(QMenu& menu) const
{
    menu.addActions({open, replay, again, missing, duplicate, recipe});
    menu.addSeparator();
    menu.addActions({rename, tag, note});
    menu.addSeparator();
    menu.addActions({addSeries, removeSeries});
    menu.addSeparator();
    menu.addActions({exportFile, archive, remove});
}

void SessionActions::update(int count, const SessionInfo* first)
{
    const bool one = count == 1, any = count > 0;
    open->setEnabled(any);
    open->setText(count > 1 ? tr("Compare %1").arg(format::count(count)) : tr("Open"));
    replay->setEnabled(one || count == 2);
    replay->setText(count == 2 ? tr("Replay side by side") : tr("Replay"));
    for (QAction* action : {again, duplicate, recipe, rename, tag, note, exportFile, addSeries, removeSeries})
        action->setEnabled(one);
    remove->setEnabled(any);
    archive->setEnabled(any);
    missing->setEnabled(one && first && SessionDetails::canRunMissing(*first));
    archive->setText(first && first->archived ? tr("Restore from archive") : tr("Archive"));
    const bool imported = one && first && wasImported(*first);
    const QString why = tr("Another tool measured this session, so there is no plan to run");
    for (const auto& [action, tip] :
         {std::pair(again, tr("Run the stored plan again with the same seeds, order and knobs")),
          std::pair(duplicate, tr("Open a copy of the stored plan on the Plan page")),
          std::pair(recipe, tr("Put its plan and result among the cards of Start"))}) {
        action->setEnabled(one && !imported);
        action->setToolTip(imported ? why : tip);
    }
}

QPushButton* SessionActions::buttonFor(QAction* action, const char* role, const QString& icon)
{
    return dyno::buttonFor(action, action->objectName() % QStringLiteral("Button"), role, icon);
}

} // namespace dyno
