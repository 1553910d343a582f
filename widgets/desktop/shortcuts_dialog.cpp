// SPDX-License-Identifier: GPL-3.0-or-later
#include "desktop/shortcuts_dialog.h"

#include "parts/commands.h"
#include "parts/field.h"
#include "parts/labels.h"
#include "parts/page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QTableWidget>
#include <QVBoxLayout>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kShortcutsWidth = 560, kShortcutsHeight = 640, kKeysWidth = 190;

//! "Ctrl+Y or Ctrl+Shift+Z", each once: the number pad's Enter is no other key to a person.
QString keysText(const QAction& action)
{
    QStringList texts;
    for (const QKeySequence& keys : action.shortcuts())
        texts << keys.toString(QKeySequence::NativeText).replace(u"Enter"_s, u"Return"_s);
    texts.removeDuplicates();
    return texts.join(ShortcutsDialog::tr(" or "));
}

} // namespace

ShortcutsDialog::ShortcutsDialog(const QWidget& window, QWidget* parent)
    : QDialog(parent)
{
    setObjectName(u"shortcutsDialog"_s);
    setWindowTitle(tr("Keyboard shortcuts"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(kShortcutsWidth, kShortcutsHeight);
    auto* table = new QTableWidget(0, 2);
    describe(table, u"shortcutsTable"_s, tr("Keyboard shortcuts"));
    table->setHorizontalHeaderLabels({tr("Command"), tr("Keys")});
    table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table->setColumnWidth(1, kKeysWidth);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(space::tableRow);
    table->setShowGrid(false);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setTabKeyNavigation(false);
    QString group;
    for (const Command& one : commandsOf(window)) {
        const QString keys = keysText(*one.action);
        if (keys.isEmpty())
            continue;
        if (const QString of = one.page ? one.page->title() : tr("Everywhere"); of != group) {
            group = of;
            const int row = table->rowCount();
            table->insertRow(row);
            auto* heading = new QTableWidgetItem(group);
            heading->setFont(Theme::font(TextRole::Section));
            heading->setFlags(Qt::ItemIsEnabled);
            table->setItem(row, 0, heading);
            table->setSpan(row, 0, 1, 2);
        }
        const int row = table->rowCount();
        table->insertRow(row);
        table->setItem(row, 0, new QTableWidgetItem(one.text));
        table->setItem(row, 1, new QTableWidgetItem(keys));
    }
    QPushButton* close = makeButton(tr("Close"));
    describe(close, u"shortcutsClose"_s, close->text());
    close->setDefault(true);
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    auto* foot = new QHBoxLayout;
    foot->addStretch(1);
    foot->addWidget(close);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::pageMargin, space::pageMargin, space::pageMargin, 16);
    layout->setSpacing(space::cardGap);
    layout->addWidget(table, 1);
    layout->addLayout(foot);
}

} // namespace dyno
