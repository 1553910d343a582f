// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/script_page.h"

#include "format.h"
#include "parts/field.h"
#include "parts/plan_text.h"
#include "plan/plan_editor.h"
#include "plan/script_editor.h"
#include "theme.h"

#include <dyno/catalog.h>
#include <dyno/script_words.h>
#include <dyno/scripts.h>
#include <dyno/uri.h>
#include <dyno/visible_text.h>

#include <QApplication>
#include <QListWidget>
#include <QMenu>
#include <QResizeEvent>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>

#include <algorithm>
#include <limits>
#include <utility>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kLeftWidth = 260, kTryWidth = 330, kWeightWidth = 110;
constexpr int kLineRole = Qt::UserRole, kNameRole = Qt::UserRole + 1, kWeightRole = Qt::UserRole + 2; // of a section
constexpr int kListedSections = 6;    // without scrolling
constexpr qsizetype kMostInMenu = 40; // tables
constexpr int kFoldSections = 900;    // a page that is narrower has no room for transactions and tables

QString textIn(const Plan& plan, const char* param)
{
    const auto found = plan.workload.params.find(param);
    return found == plan.workload.params.end() ? QString() : qtText(toText(found->second));
}

} // namespace

ScriptPage::ScriptPage(PlanEditor& editor, ScriptTryCard::Doors doors, QWidget* parent)
    : QWidget(parent)
    , m_editor(editor)
    , m_header(new PageHeader(tr("Script")))
    , m_sections(new QListWidget)
    , m_weight(new QSpinBox)
    , m_weightField(new Field(tr("Weight"), m_weight, kWeightWidth))
    , m_sectionsCard(new Card(tr("Transactions")))
    , m_text(new ScriptEditor)
    , m_problem(new WrapLabel({}, TextRole::Secondary))
    , m_builtin(makeLink(tr("Begin with the built-in script")))
    , m_make(makeButton(tr("Make from a table…")))
    , m_saveOwn(makeButton(tr("Save as workload…")))
    , m_makeMenu(new QMenu(m_make))
    , m_tables(new ScriptTablesCard(editor, doors))
    , m_try(new ScriptTryCard(editor, std::move(doors)))
    , m_left(new QWidget)
{
    setObjectName(u"scriptPage"_s);
    auto* back = makeLink(u"‹ "_s + tr("Plan"));
    describe(back, u"scriptBack"_s, tr("Back to the plan"), tr("Back to the plan; what you typed is in it"));
    describe(m_sections, u"scriptSections"_s, tr("Transactions of the script"),
             tr("Go to a transaction; the share says how often a user picks it"));
    setRole(m_sections, "plain");
    m_sections->setFrameShape(QFrame::NoFrame);
    m_sections->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    static_cast<Card*>(m_sectionsCard)->body()->addWidget(m_sections);
    static_cast<Card*>(m_sectionsCard)->body()->addWidget(m_weightField);
    describe(m_weight, u"scriptWeight"_s, tr("Weight of the transaction"),
             tr("How often a user picks the chosen transaction, against the others; 0: never"));
    m_weight->setMaximum(std::numeric_limits<int>::max());
    m_weight->setKeyboardTracking(false);
    connect(m_weight, &QSpinBox::valueChanged, this, &ScriptPage::setWeight);
    connect(m_sections, &QListWidget::currentItemChanged, this, &ScriptPage::showWeight);
    describe(m_make, u"scriptMake"_s, tr("Make from a table"),
             tr("Add transactions that read, change, insert and delete rows of a table by its key"));
    m_makeTip = m_make->toolTip();
    m_makeMenu->setObjectName(u"scriptMakeMenu"_s);
    describe(m_saveOwn, u"scriptSaveOwn"_s, tr("Save as a workload of your own"),
             tr("Put the script into the list of workloads, for other plans"));
    auto* open = makeButton(tr("Open…"));
    describe(open, u"scriptOpen"_s, tr("Open a script"),
             tr("Put the text of a file here: a script for pgbench -f, or a .workload file"));
    connect(open, &QPushButton::clicked, this, &ScriptPage::openWanted);
    m_header->actions()->addWidget(m_make);
    m_header->actions()->addWidget(open);
    m_header->actions()->addWidget(m_saveOwn);
    connect(m_saveOwn, &QPushButton::clicked, this, &ScriptPage::saveWanted);
    m_left->setFixedWidth(kLeftWidth);
    m_sectionsCard->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    auto* left = new QVBoxLayout(m_left);
    left->setContentsMargins(0, 0, 0, 0);
    left->setSpacing(space::cardGap);
    left->addWidget(m_sectionsCard);
    left->addWidget(m_tables, 1);

    auto* side = new QScrollArea;
    side->setWidget(m_try);
    side->setWidgetResizable(true);
    side->setFrameShape(QFrame::NoFrame);
    side->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    side->setFocusPolicy(Qt::NoFocus);
    side->setFixedWidth(kTryWidth);
    auto* top = new QHBoxLayout;
    top->setSpacing(space::cardGap);
    top->addWidget(back, 0, Qt::AlignTop);
    top->addWidget(m_header, 1);
    auto* columns = new QHBoxLayout;
    columns->setSpacing(space::cardGap);
    columns->addWidget(m_left);
    columns->addWidget(makeEditorCard(), 1);
    columns->addWidget(side);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::pageMargin, 16, space::pageMargin, space::pageMargin);
    layout->setSpacing(space::cardGap);
    layout->addLayout(top);
    layout->addLayout(columns, 1);

    connect(back, &QPushButton::clicked, this, &ScriptPage::closed);
    connect(m_builtin, &QPushButton::clicked, this, &ScriptPage::beginWithBuiltin);
    connect(m_text, &ScriptEditor::edited, this, [this](const QString& text) {
        const bool adds = std::exchange(m_addsTables, false);
        m_editor.edit(
            adds ? tr("Add transactions of a table") : tr("Change the script"),
            [&text, adds](Plan& plan) {
                if (adds && !text.contains(u"pgbench_"_s))
                    plan.workload.params["schema"] = std::string("none"); // its table is there already
                if (text.trimmed().isEmpty())
                    plan.workload.params.erase(kScriptsParam);
                else
                    plan.workload.params[kScriptsParam] = text.toStdString();
            },
            adds ? QString() : u"workload.params."_s + QLatin1String(kScriptsParam));
    });
    connect(m_text, &ScriptEditor::checked, this, &ScriptPage::showSections);
    const auto go = [this](const QListWidgetItem* item) {
        m_text->goToLine(item->data(kLineRole).toInt());
        m_try->choose(item->data(kNameRole).toString());
    };
    connect(m_sections, &QListWidget::itemClicked, this, go);
    connect(m_sections, &QListWidget::itemActivated, this, go); // by the keyboard
    connect(m_try, &ScriptTryCard::lineMarked, m_text, &ScriptEditor::setMarkedLine);
    connect(m_try, &ScriptTryCard::lineChosen, m_text, &ScriptEditor::goToLine);
    connect(m_try, &ScriptTryCard::busyChanged, this, &ScriptPage::busyChanged);
    connect(m_tables, &ScriptTablesCard::busyChanged, this, &ScriptPage::busyChanged);
    connect(m_tables, &ScriptTablesCard::nameChosen, m_text, &ScriptEditor::insertName);
    connect(m_tables, &ScriptTablesCard::sectionsMade, this, &ScriptPage::addSections);
    connect(m_tables, &ScriptTablesCard::tablesRead, this, [this] { m_text->setTables(m_tables->tables()); });
    connect(m_make, &QPushButton::clicked, this, &ScriptPage::makeFromTable);
    connect(&m_editor, &PlanEditor::checked, this, &ScriptPage::showProblem);
    connect(&m_editor, &PlanEditor::changed, this, [this] {
        if (isVisible())
            sync();
    });
}

QWidget* ScriptPage::makeEditorCard()
{
    auto* card = new Card;
    card->body()->setSpacing(8);
    describe(m_text, u"scriptText"_s, tr("Script"),
             tr("SQL statements and commands such as \\set, as for pgbench -f; Tab leaves the editor"));
    m_text->setPlaceholderText(u"\\set id random(1, 1000)\nSELECT * FROM orders WHERE id = :id;"_s);
    m_problem->setObjectName(u"scriptProblem"_s);
    setTone(m_problem, Tone::Bad);
    m_problem->hide();
    describe(m_builtin, u"scriptBuiltin"_s, tr("Begin with the built-in script"),
             tr("Put the built-in script here, to change it"));
    auto* insertButton = makeButton(tr("Insert"), "soft");
    describe(insertButton, u"scriptInsert"_s, tr("Insert"), tr("Insert a command at the cursor"));
    auto* menu = new QMenu(insertButton);
    menu->setObjectName(u"scriptInsertMenu"_s);
    const auto add = [this, menu](const QString& label, const QString& text) {
        connect(menu->addAction(label), &QAction::triggered, this, [this, text] { insert(text); });
    };
    add(tr("A transaction"), u"\\transaction name 1\n"_s);
    add(tr("A random number"), u"\\set id random(1, 1000)\n"_s);
    add(tr("A skewed random number"), u"\\set id random_zipfian(1, 1000, 1.2)\n"_s);
    add(tr("BEGIN and COMMIT"), u"BEGIN;\nCOMMIT;\n"_s);
    add(tr("A value from a row"), u"SELECT count(*) AS n FROM orders \\gset\n"_s);
    add(tr("A choice"), u"\\if :n < 10\n\\else\n\\endif\n"_s);
    add(tr("A pause"), u"\\sleep 10 ms\n"_s);
    insertButton->setMenu(menu);
    auto* bar = new QHBoxLayout;
    bar->addWidget(m_builtin);
    bar->addStretch(1);
    bar->addWidget(insertButton);
    card->body()->addLayout(bar);
    card->body()->addWidget(m_problem);
    card->body()->addWidget(m_text, 1);
    return card;
}

void ScriptPage::open()
{
    sync();
    m_text->setFocus(Qt::OtherFocusReason);
}

void ScriptPage::goToMistake()
{
    m_text->goToMistake();
}

//! What is wrong with the script's other parameters, such as where the files of its head lie: the text is checked as it
//! is typed.
void ScriptPage::showProblem()
{
    constexpr std::string_view kOfWorkload = "workload.params.";
    QString problem;
    for (const Fault& fault : m_editor.check().faults) {
        const std::string_view where = fault.where;
        if (!problem.isEmpty() || !where.starts_with(kOfWorkload) || where.substr(kOfWorkload.size()) == kScriptsParam)
            continue;
        const QString what = sentenceText(fault.what);
        problem = fault.remedy.empty() ? what : tr("%1: %2").arg(what, qtText(fault.remedy));
    }
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    m_text->setProblemAbove(!problem.isEmpty());
}

void ScriptPage::sync()
{
    const Plan& plan = m_editor.plan();
    m_text->setDefinitions(textIn(plan, kDefineParam).toStdString());
    m_text->showText(textIn(plan, kScriptsParam));
    const auto uri = parseUri(plan.target.uri);
    m_header->setSubtitle(
        tr("part of the plan “%1” · on %2").arg(qtText(plan.title), qtText(uri ? uri->display() : std::string("?"))));
    showSections();
}

void ScriptPage::showSections()
{
    const std::vector<ScriptSection> sections = scriptSections(m_text->text().toStdString());
    double weights = 0;
    for (const ScriptSection& one : sections)
        weights += double(std::max<std::int64_t>(0, one.weight));
    const int row = m_sections->currentRow();
    const QSignalBlocker blocker(m_sections); // the weight follows at the end
    m_sections->clear();
    for (const ScriptSection& one : sections) {
        const QString share = weights > 0 ? format::percent(double(one.weight) / weights) : QString();
        auto* item = new QListWidgetItem(qtText(one.name) + u"  "_s + share, m_sections);
        item->setSizeHint({0, space::tableRow});
        item->setData(kLineRole, one.line);
        item->setData(kNameRole, qtText(one.name));
        item->setData(kWeightRole, qlonglong(one.weight));
    }
    if (sections.empty()) {
        auto* item = new QListWidgetItem(tr("the whole script"), m_sections);
        item->setData(kLineRole, 1);
        item->setSizeHint({0, space::tableRow});
    }
    m_sections->setFixedHeight(std::clamp(m_sections->count(), 1, kListedSections) * space::tableRow + 2);
    m_sections->setCurrentRow(std::clamp(row, 0, m_sections->count() - 1));
    showWeight();
    const bool runs = !m_text->document()->isEmpty() && !m_text->mistake();
    m_saveOwn->setEnabled(runs);
    m_saveOwn->setToolTip(runs ? tr("Put the script into the list of workloads, for other plans")
                               : tr("Only a script without mistakes can be saved as a workload"));
    m_builtin->setVisible(m_text->document()->isEmpty());
}

void ScriptPage::showWeight()
{
    const QListWidgetItem* item = m_sections->currentItem();
    const QVariant weight = item ? item->data(kWeightRole) : QVariant();
    m_weightField->setVisible(weight.isValid());
    const QSignalBlocker blocker(m_weight);
    m_weight->setValue(int(std::clamp<qlonglong>(weight.toLongLong(), 0, m_weight->maximum())));
}

void ScriptPage::setWeight(int weight)
{
    const QListWidgetItem* item = m_sections->currentItem();
    if (!item || !item->data(kWeightRole).isValid())
        return;
    const std::string name = item->data(kNameRole).toString().toStdString();
    QWidget* const focus = QApplication::focusWidget();
    m_text->changeTo(qtText(withWeight(m_text->text().toStdString(), name, weight)));
    if (focus)
        focus->setFocus();
    m_text->checkNow(); // the shares are shown with it
}

//! On a line of its own.
void ScriptPage::insert(const QString& text)
{
    QTextCursor cursor = m_text->textCursor();
    cursor.beginEditBlock();
    if (!cursor.atBlockStart()) {
        cursor.movePosition(QTextCursor::EndOfBlock);
        cursor.insertText(u"\n"_s);
    }
    cursor.insertText(text);
    cursor.endEditBlock();
    m_text->setTextCursor(cursor);
    m_text->setFocus(Qt::OtherFocusReason);
}

//! Reads the tables first, where they are not known.
void ScriptPage::makeFromTable()
{
    if (m_tables->busy())
        return;
    if (!m_tables->known())
        return m_tables->read([this] { makeFromTable(); });
    m_makeMenu->clear();
    for (const TableInfo& table : m_tables->tables()) {
        if (table.view)
            continue;
        if (m_makeMenu->actions().size() >= kMostInMenu) {
            m_makeMenu->addAction(tr("For more tables, right-click in the list"))->setEnabled(false);
            break;
        }
        connect(m_makeMenu->addAction(qtText(visibleText(table.name))), &QAction::triggered, this,
                [this, table] { m_tables->make(table); });
    }
    if (m_makeMenu->isEmpty())
        m_makeMenu->addAction(tr("There are no tables"))->setEnabled(false);
    m_makeMenu->popup(m_make->mapToGlobal(QPoint(0, m_make->height())));
}

void ScriptPage::addSections(const QString& script)
{
    const std::string before = m_text->text().toStdString(), after = withSections(before, script.toStdString());
    if (before == after)
        return m_tables->refuse(tr("Fix the head of the script first"));
    m_addsTables = true;
    m_text->changeTo(qtText(after));
    m_addsTables = false;
}

void ScriptPage::beginWithBuiltin()
{
    const WorkloadInfo* info = findWorkload(kScriptWorkload);
    if (!info)
        return;
    Faults ignored;
    const Settings params = resolve(info->options, m_editor.plan().workload.params, "workload", ignored);
    const auto name = params.find("builtin");
    if (name == params.end())
        return;
    if (const auto source = builtinScript(toText(name->second)))
        insert(qtText(source->text));
}

void ScriptPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const bool wide = event->size().width() >= kFoldSections;
    m_left->setVisible(wide);
    m_make->setEnabled(wide);
    m_make->setToolTip(wide ? m_makeTip : tr("Widen the window first: what is read is shown beside the script"));
}

} // namespace dyno
