// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/script_tables_card.h"

#include "format.h"
#include "parts/field.h"
#include "parts/plan_text.h"
#include "plan/plan_editor.h"
#include "theme.h"

#include <dyno/runner.h>
#include <dyno/visible_text.h>

#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPointer>
#include <QProgressBar>
#include <QStyledItemDelegate>
#include <QTreeWidget>

#include <utility>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

enum TablesTreeColumn { TreeNameColumn, TreeDetailColumn, TreeColumns };
constexpr int kWrittenRole = Qt::UserRole;
constexpr int kTreeIndent = 14, kTreeRow = 26;
constexpr qsizetype kMostTypeText = 16;

QTreeWidgetItem* treeItem(const std::string& name, const std::string& written, const QString& detail)
{
    auto* item = new QTreeWidgetItem({qtText(visibleText(name)), detail});
    item->setData(TreeNameColumn, kWrittenRole, qtText(written));
    item->setTextAlignment(TreeDetailColumn, Qt::AlignRight | Qt::AlignVCenter);
    return item;
}

//! Rows of one height, with room around their text.
class TableRowDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        return {QStyledItemDelegate::sizeHint(option, index).width(), kTreeRow};
    }
};

QString shownType(const ColumnInfo& column)
{
    QString text = qtText(visibleText(column.type));
    return text.size() > kMostTypeText ? text.left(kMostTypeText) + u'…' : text;
}

} // namespace

ScriptTablesCard::ScriptTablesCard(PlanEditor& editor, ScriptTryCard::Doors doors, QWidget* parent)
    : Card(tr("Tables and columns"), {}, parent)
    , m_editor(editor)
    , m_doors(std::move(doors))
    , m_look(this)
    , m_reading(this)
    , m_making(this)
    , m_filter(new QLineEdit)
    , m_tree(new QTreeWidget)
    , m_progress(new QProgressBar)
    , m_text(new WrapLabel({}, TextRole::Secondary))
    , m_button(makeButton(tr("Read tables"), "soft"))
    , m_room(new QWidget)
{
    setObjectName(u"scriptTables"_s);
    setAccessibleName(tr("Tables and columns"));
    describe(m_filter, u"scriptTablesFilter"_s, tr("Filter tables and columns"),
             tr("Show tables and columns whose name holds this text"));
    m_filter->setPlaceholderText(tr("Filter"));
    describe(m_tree, u"scriptTablesTree"_s, tr("Tables and columns"), tr("Double-click inserts the name"));
    setRole(m_tree, "plain");
    m_tree->setColumnCount(TreeColumns);
    m_tree->setHeaderHidden(true);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(TreeNameColumn, QHeaderView::Stretch);
    m_tree->header()->setSectionResizeMode(TreeDetailColumn, QHeaderView::ResizeToContents);
    m_tree->setIndentation(kTreeIndent);
    m_tree->setExpandsOnDoubleClick(false);
    m_tree->setUniformRowHeights(true);
    m_tree->setItemDelegate(new TableRowDelegate(m_tree));
    m_tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    describe(m_progress, u"scriptTablesBusy"_s, tr("Reading tables"));
    m_progress->setRange(0, 0);
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(space::grid);
    m_progress->hide();
    describe(m_text, u"scriptTablesText"_s, tr("What was read"));
    describe(m_button, u"scriptTablesRead"_s, tr("Read tables"),
             tr("Read tables and columns from the plan's first target; nothing is changed there"));
    body()->setSpacing(8);
    body()->addWidget(m_filter);
    body()->addWidget(m_tree, 1);
    body()->addWidget(m_progress);
    body()->addWidget(m_text);
    body()->addWidget(m_button);
    body()->addWidget(m_room, 1);

    connect(m_button, &QPushButton::clicked, this, [this] { m_busy ? stop() : read(); });
    connect(m_filter, &QLineEdit::textChanged, this, &ScriptTablesCard::filter);
    connect(m_tree, &QTreeWidget::itemActivated, this, [this](const QTreeWidgetItem* item) {
        emit nameChosen(item->data(TreeNameColumn, kWrittenRole).toString());
    });
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_tree, &QTreeWidget::customContextMenuRequested, this, &ScriptTablesCard::showMenu);
    connect(&m_editor, &PlanEditor::replaced, this, &ScriptTablesCard::forget);
    connect(&m_editor, &PlanEditor::changed, this, [this] {
        if ((m_known || m_busy) && m_editor.plan().target.uri != m_target)
            forget();
    });
    showTables();
}

ScriptTablesCard::~ScriptTablesCard()
{
    if (m_stop)
        *m_stop = true;
}

void ScriptTablesCard::stop()
{
    if (!m_busy)
        return;
    *m_stop = true;
    m_text->setText(tr("Stopping…"));
}

//! They are of the plan that was here before.
void ScriptTablesCard::forget()
{
    ++m_document;
    if (m_stop)
        *m_stop = true;
    m_look.cancel();
    m_reading.cancel();
    m_making.cancel();
    m_read = {};
    m_known = false;
    if (std::exchange(m_busy, false))
        emit busyChanged();
    showTables();
    emit tablesRead();
}

bool ScriptTablesCard::refuses()
{
    const QString obstacle = m_doors.obstacle();
    if (obstacle.isEmpty())
        return false;
    refuse(obstacle);
    return true;
}

void ScriptTablesCard::refuse(const QString& why)
{
    setTone(m_text, Tone::Warn);
    m_text->setText(why);
    m_text->setVisible(true);
}

//! Does `work` once everything is agreed to, as a try does.
void ScriptTablesCard::ask(const Work& work)
{
    if (m_busy || refuses())
        return;
    const Plan plan = m_editor.plan();
    m_look.start([plan] { return risksOf(plan); },
                 [this, plan, work, document = m_document](const std::vector<Risk>& risks) {
                     const auto go = [this, plan, risks, work, document] {
                         if (document == m_document)
                             begin(plan, risks, work);
                     };
                     const std::vector<Risk> open = m_doors.unanswered(plan, risks);
                     if (open.empty())
                         return go();
                     m_doors.ask(plan, open, tr("Allow and read"), go);
                 });
}

void ScriptTablesCard::begin(const Plan& plan, const std::vector<Risk>& risks, const Work& work)
{
    m_doors.production(plan, [card = QPointer(this), plan, risks, work, document = m_document](bool confirmed) {
        // Another target may have been chosen while the questions were open.
        if (!card || card->m_busy || card->m_document != document ||
            card->m_editor.plan().target.uri != plan.target.uri || card->refuses())
            return;
        RunnerOptions options;
        options.confirmed = confirmed;
        options.password = card->m_doors.password().toStdString();
        options.consent = card->m_doors.consent(plan, risks);
        card->m_target = plan.target.uri;
        card->m_stop = std::make_shared<std::atomic<bool>>(false);
        options.stopped = [stop = card->m_stop] { return stop->load(); };
        work(plan, options);
    });
}

void ScriptTablesCard::start(const QString& text)
{
    m_busy = true;
    m_progress->setVisible(true);
    setTone(m_text, Tone::Neutral);
    m_text->setText(text);
    m_text->setVisible(true);
    m_button->setText(tr("Stop"));
    emit busyChanged();
}

void ScriptTablesCard::end(const Error* problem)
{
    m_busy = false;
    showTables();
    if (problem) {
        setTone(m_text, Tone::Bad);
        QStringList lines{sentenceText(problem->message), sentenceText(problem->remedy)};
        lines.removeAll(QString());
        m_text->setText(lines.join(u'\n'));
    }
    emit busyChanged();
    emit finished();
}

void ScriptTablesCard::read(const std::function<void()>& then)
{
    ask([this, then](const Plan& plan, const RunnerOptions& options) {
        start(tr("Reading tables of the plan's first target…"));
        m_reading.start([plan, options] { return readTables(plan, options); },
                        [this, then](const Expected<TablesRead>& read) {
                            if (!read)
                                return end(&read.error());
                            m_read = *read;
                            m_known = true;
                            emit tablesRead();
                            end(nullptr);
                            if (then)
                                then();
                        });
    });
}

void ScriptTablesCard::make(const TableInfo& table)
{
    ask([this, table](const Plan& plan, const RunnerOptions& options) {
        start(tr("Reading the keys of %1…").arg(qtText(visibleText(table.name))));
        m_making.start([plan, options, table] { return readTableScript(plan, options, table); },
                       [this](const Expected<std::string>& made) {
                           if (!made)
                               return end(&made.error());
                           const QString script = qtText(*made);
                           end(nullptr);
                           emit sectionsMade(script);
                       });
    });
}

void ScriptTablesCard::showTables()
{
    m_progress->setVisible(false);
    m_button->setText(m_known ? tr("Read again") : tr("Read tables"));
    m_tree->clear();
    QList<QTreeWidgetItem*> items;
    for (const TableInfo& table : m_read.tables) {
        const QString size = table.view        ? tr("view")
                             : table.rows >= 0 ? tr("%1 rows").arg(format::count(table.rows))
                                               : QString();
        auto* item = treeItem(table.name, table.written, size);
        QFont font = item->font(TreeNameColumn);
        font.setWeight(QFont::DemiBold);
        item->setFont(TreeNameColumn, font);
        for (const ColumnInfo& column : table.columns) {
            auto* below = treeItem(column.name, column.written, shownType(column));
            below->setToolTip(TreeDetailColumn, qtText(visibleText(column.type)));
            if (column.keyPlace > 0) {
                below->setIcon(TreeNameColumn, Theme::instance().icon(u"key"_s, &ThemeColors::warn));
                below->setToolTip(TreeNameColumn, tr("Part of the primary key"));
            }
            item->addChild(below);
        }
        items << item;
    }
    m_tree->addTopLevelItems(items);
    m_tree->setVisible(m_known);
    m_filter->setVisible(m_known);
    m_room->setVisible(!m_known);
    const ThemeColors& colors = Theme::instance().colors();
    for (QTreeWidgetItemIterator it(m_tree); *it; ++it)
        (*it)->setForeground(TreeDetailColumn, colors.secondText);
    setTone(m_text, Tone::Neutral);
    if (!m_known)
        m_text->setText(tr("Read the tables of the plan's first target to insert their names, complete them while "
                           "typing and make transactions for one of them"));
    else if (m_read.tables.empty())
        m_text->setText(tr("%1 has no tables").arg(qtText(m_read.target)));
    else if (m_read.more > 0)
        m_text->setText(tr("%1 more tables are not listed").arg(format::count(qint64(m_read.more))));
    else
        m_text->setText(tr("Double-click inserts a name; a right click makes transactions"));
    filter();
}

//! Of the table at a place, or the one whose column is there.
void ScriptTablesCard::showMenu(const QPoint& place)
{
    QTreeWidgetItem* item = m_tree->itemAt(place);
    if (item && item->parent())
        item = item->parent();
    const int row = m_tree->indexOfTopLevelItem(item);
    if (row < 0 || std::size_t(row) >= m_read.tables.size())
        return;
    const TableInfo table = m_read.tables[std::size_t(row)];
    auto* menu = new QMenu(m_tree);
    menu->setObjectName(u"scriptTableMenu"_s);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    QAction* const makes = menu->addAction(tr("Make transactions"));
    makes->setEnabled(!table.view && !m_busy);
    connect(makes, &QAction::triggered, this, [this, table] { make(table); });
    menu->popup(m_tree->viewport()->mapToGlobal(place));
}

void ScriptTablesCard::filter()
{
    const QString wanted = m_filter->text().trimmed();
    for (int i = 0; i < m_tree->topLevelItemCount(); ++i) {
        QTreeWidgetItem* table = m_tree->topLevelItem(i);
        const bool itself = table->text(TreeNameColumn).contains(wanted, Qt::CaseInsensitive);
        bool any = false;
        for (int k = 0; k < table->childCount(); ++k) {
            const bool fits = itself || table->child(k)->text(TreeNameColumn).contains(wanted, Qt::CaseInsensitive);
            table->child(k)->setHidden(!fits);
            any = any || fits;
        }
        table->setHidden(!itself && !any);
        if (!wanted.isEmpty() && any && !itself)
            table->setExpanded(true);
    }
}

} // namespace dyno
