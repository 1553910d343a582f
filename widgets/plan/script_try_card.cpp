// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/script_try_card.h"

#include "format.h"
#include "parts/field.h"
#include "parts/plan_text.h"
#include "parts/question.h"
#include "plan/plan_editor.h"
#include "theme.h"

#include <dyno/lua_script.h>
#include <dyno/runner.h>
#include <dyno/scripts.h>
#include <dyno/visible_text.h>

#include <QComboBox>
#include <QHeaderView>
#include <QPointer>
#include <QProgressBar>
#include <QSignalBlocker>
#include <QStandardItemModel>

#include <algorithm>
#include <utility>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

enum TryColumn { NumberColumn, StatementColumn, RowsColumn, TimeColumn, TryColumns };
constexpr int kNumberWidth = 28, kRowsWidth = 48, kTryTimeWidth = 66;
constexpr int kListedRows = 9;         // of statements, without scrolling
constexpr std::size_t kNamedStays = 5; // statements in a question
constexpr qsizetype kShownText = 600;  // characters of a statement and of its values

//! A statement on one line, as its first words.
QString oneLine(const std::string& text)
{
    return qtText(visibleText(text, TextLayout::Keep)).simplified();
}

QString shortened(const QString& text)
{
    return text.size() <= kShownText ? text : QString(text.left(kShownText) + u'…');
}

bool isLua(const Plan& plan)
{
    return plan.workload.name == kLuaWorkload;
}

std::string scriptIn(const Plan& plan)
{
    const auto found = plan.workload.params.find(isLua(plan) ? kLuaScriptParam : kScriptsParam);
    return found == plan.workload.params.end() ? std::string() : toText(found->second);
}

//! Rows that a statement read or changed. With RETURNING a server counts each as both.
qint64 touchedRows(const TriedStatement& one)
{
    return std::max(one.rows, one.changed);
}

//! A rollback was sent, whatever came of it.
bool wasRolledBack(const ScriptTry& tried)
{
    return std::ranges::any_of(tried.statements,
                               [](const TriedStatement& one) { return one.sent && one.text == "ROLLBACK"; });
}

QStandardItem* tryCell(const QString& text, bool number = false)
{
    auto* item = new QStandardItem(text);
    item->setEditable(false);
    if (number)
        item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    return item;
}

} // namespace

ScriptTryCard::ScriptTryCard(PlanEditor& editor, Doors doors, QWidget* parent)
    : Card(tr("Try one transaction"), {}, parent)
    , m_editor(editor)
    , m_doors(std::move(doors))
    , m_look(this)
    , m_job(this)
    , m_section(new QComboBox)
    , m_button(makeButton(tr("Try"), "soft"))
    , m_again(makeLink(tr("New values")))
    , m_progress(new QProgressBar)
    , m_text(new WrapLabel({}, TextRole::Secondary))
    , m_figures(new WrapLabel({}, TextRole::Body))
    , m_kept(new WrapLabel({}, TextRole::Secondary))
    , m_changed(new WrapLabel(tr("The script has changed since this try"), TextRole::Secondary))
    , m_model(new QStandardItemModel(0, TryColumns, this))
    , m_table(new FitTable)
    , m_statement(new WrapLabel({}, TextRole::Body))
    , m_details(new WrapLabel({}, TextRole::Secondary))
    , m_wholeTables(new WrapLabel({}, TextRole::Secondary))
    , m_plan(new WrapLabel({}, TextRole::Secondary))
    , m_planFold(new Disclosure(tr("How the server runs it"), m_plan))
{
    setObjectName(u"scriptTry"_s);
    setAccessibleName(tr("Try one transaction"));
    describe(m_section, u"scriptTrySection"_s, tr("Transaction to try"), tr("The transaction that is tried"));
    describe(m_button, u"scriptTryButton"_s, tr("Try one transaction"),
             m_doors.keys.isEmpty()
                 ? tr("Send one transaction to the plan's first target and roll it back")
                 : tr("Send one transaction to the plan's first target and roll it back (%1)").arg(m_doors.keys));
    describe(m_again, u"scriptTryAgain"_s, tr("Try again with new values"),
             tr("The next try draws other random values"));
    describe(m_progress, u"scriptTryBusy"_s, tr("Trying"));
    m_progress->setRange(0, 0);
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(space::grid);
    describe(m_text, u"scriptTryText"_s, tr("Result of the try"));
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_kept->setObjectName(u"scriptTryKept"_s);
    m_changed->setObjectName(u"scriptTryChanged"_s);
    setTone(m_changed, Tone::Warn);
    m_figures->setObjectName(u"scriptTryFigures"_s);
    m_statement->setObjectName(u"scriptTryStatement"_s);
    m_statement->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_details->setObjectName(u"scriptTryDetails"_s);
    m_details->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_wholeTables->setObjectName(u"scriptTryWhole"_s);
    setTone(m_wholeTables, Tone::Warn);
    m_plan->setObjectName(u"scriptTryPlan"_s);
    m_plan->setTextInteractionFlags(Qt::TextSelectableByMouse);
    describe(
        m_planFold, u"scriptTryPlanFold"_s, tr("How the server runs the statement"),
        tr("The plan that EXPLAIN shows; the statement is not run again, but MySQL may call functions in subqueries"));
    m_model->setHorizontalHeaderLabels({QString(), tr("Statement"), tr("Rows"), tr("Time")});
    m_table->setModel(m_model);
    describe(m_table, u"scriptTryTable"_s, tr("Statements in the order of sending"));
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(space::tableRow);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    m_table->setMaximumHeight((kListedRows + 1) * space::tableRow);
    QHeaderView* header = m_table->horizontalHeader();
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header->setSectionResizeMode(QHeaderView::Fixed);
    header->setSectionResizeMode(StatementColumn, QHeaderView::Stretch);
    header->resizeSection(NumberColumn, kNumberWidth);
    header->resizeSection(RowsColumn, kRowsWidth);
    header->resizeSection(TimeColumn, kTryTimeWidth);
    for (const int column : {RowsColumn, TimeColumn}) {
        m_model->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        m_table->setItemDelegateForColumn(column, new FigureDelegate(m_table));
    }

    auto* line = new QHBoxLayout;
    line->setSpacing(8);
    line->addWidget(m_section, 1);
    line->addWidget(m_button);
    body()->addLayout(line);
    body()->addWidget(m_progress);
    auto* figures = new QHBoxLayout;
    figures->addWidget(m_figures, 1);
    figures->addWidget(m_again, 0, Qt::AlignTop);
    body()->addLayout(figures);
    body()->addWidget(m_changed);
    body()->addWidget(m_table);
    body()->addWidget(m_text);
    body()->addWidget(m_kept);
    body()->addWidget(m_statement);
    body()->addWidget(m_details);
    body()->addWidget(m_wholeTables);
    body()->addWidget(m_planFold);
    body()->addWidget(m_plan);
    body()->addStretch(1);

    connect(m_button, &QPushButton::clicked, this, [this] {
        if (!m_busy)
            return tryOnce();
        stop();
    });
    connect(m_again, &QPushButton::clicked, this, [this] {
        ++m_round;
        tryOnce();
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ScriptTryCard::showStatement);
    connect(&m_editor, &PlanEditor::replaced, this, &ScriptTryCard::forget);
    connect(&m_editor, &PlanEditor::changed, this, &ScriptTryCard::planChanged);
    connect(&Theme::instance(), &Theme::changed, this, &ScriptTryCard::colorRows);
    planChanged();
    show(ScriptTry());
}

ScriptTryCard::~ScriptTryCard()
{
    if (m_stop)
        *m_stop = true;
}

void ScriptTryCard::stop()
{
    if (!m_busy)
        return;
    *m_stop = true;
    m_text->setText(tr("Stopping…"));
}

//! A result, a try under way and open questions are about the plan that was here before.
void ScriptTryCard::forget()
{
    ++m_document;
    if (m_stop)
        *m_stop = true;
    m_job.cancel();
    m_look.cancel();
    m_round = 0;
    show(ScriptTry());
}

void ScriptTryCard::showWhetherChanged()
{
    m_changed->setVisible(!m_result.statements.empty() && scriptIn(m_editor.plan()) != m_script);
}

void ScriptTryCard::planChanged()
{
    showWhetherChanged();
    QStringList names;
    for (const ScriptSection& one :
         isLua(m_editor.plan()) ? std::vector<ScriptSection>() : scriptSections(scriptIn(m_editor.plan())))
        names << qtText(one.name);
    QStringList shown;
    for (int i = 0; i < m_section->count(); ++i)
        shown << m_section->itemData(i).toString();
    if (names == shown && m_section->count() > 0)
        return;
    const QString chosen = m_section->currentData().toString();
    const QSignalBlocker own(m_section);
    m_section->clear();
    for (const QString& name : std::as_const(names))
        m_section->addItem(name, name);
    if (names.isEmpty())
        m_section->addItem(tr("the whole script"), QString());
    m_section->setCurrentIndex(std::max(0, m_section->findData(chosen)));
    m_section->setEnabled(m_section->count() > 1);
}

void ScriptTryCard::choose(const QString& section)
{
    if (const int index = m_section->findData(section); index >= 0)
        m_section->setCurrentIndex(index);
}

void ScriptTryCard::setBusy(bool on)
{
    const bool was = std::exchange(m_busy, on);
    m_progress->setVisible(on);
    m_button->setText(on ? tr("Stop") : tr("Try"));
    if (was != on)
        emit busyChanged();
}

bool ScriptTryCard::refuses()
{
    const QString obstacle = m_doors.obstacle();
    if (obstacle.isEmpty())
        return false;
    setTone(m_text, Tone::Warn);
    m_text->setText(obstacle);
    m_text->show();
    return true;
}

//! Looks first at what the plan wants and what would stay; both read files, so off this thread.
void ScriptTryCard::tryOnce()
{
    if (m_busy || refuses())
        return;
    const Plan plan = m_editor.plan();
    const std::string section = m_section->currentData().toString().toStdString();
    m_look.start(
        [plan, section, document = m_document] {
            return Look{section, risksOf(plan), staysAfterTry(plan, section), document};
        },
        [this, plan](const Look& look) { begin(plan, look); });
}

void ScriptTryCard::begin(const Plan& plan, const Look& look)
{
    const std::vector<Risk> open = m_doors.unanswered(plan, look.risks);
    if (!open.empty())
        return m_doors.ask(plan, open, tr("Allow and try"), [this, plan, look] { askAboutWhatStays(plan, look); });
    askAboutWhatStays(plan, look);
}

void ScriptTryCard::askAboutWhatStays(const Plan& plan, const Look& look)
{
    if (look.document != m_document)
        return;
    if (look.stays.empty())
        return askAboutProduction(plan, look);
    QStringList lines;
    for (std::size_t i = 0; i < std::min(look.stays.size(), kNamedStays); ++i)
        lines << tr("Line %1: %2").arg(look.stays[i].line).arg(oneLine(look.stays[i].text).left(80));
    if (look.stays.size() > kNamedStays)
        lines << tr("and %1 more").arg(look.stays.size() - kNamedStays);
    auto* question =
        new Question(this, u"scriptTryStays"_s, tr("Try one transaction"), tr("Some changes may stay"),
                     tr("The server may keep what these statements and those behind them do, despite the rollback:") +
                         u"\n\n"_s + lines.join(u'\n'));
    question->addAct(u"scriptTryAnyway"_s, tr("Try anyway"), [this, plan, look] { askAboutProduction(plan, look); });
    question->ask(u"scriptTryCancel"_s);
}

void ScriptTryCard::askAboutProduction(const Plan& plan, const Look& look)
{
    m_doors.production(plan, [card = QPointer(this), plan, look](bool confirmed) {
        if (card)
            card->send(plan, look, confirmed);
    });
}

//! A session may have begun, or another plan come, while a question was open.
void ScriptTryCard::send(const Plan& plan, const Look& look, bool confirmed)
{
    if (m_busy || look.document != m_document || refuses())
        return;
    RunnerOptions options;
    options.confirmed = confirmed;
    options.password = m_doors.password().toStdString();
    options.consent = m_doors.consent(plan, look.risks);
    m_stop = std::make_shared<std::atomic<bool>>(false);
    options.stopped = [stop = m_stop] { return stop->load(); };
    const ScriptTryWish wish{look.section, m_round};
    setBusy(true);
    setTone(m_text, Tone::Neutral);
    m_text->show();
    m_text->setText(tr("Sending one transaction to the plan's first target…"));
    m_job.start([plan, options, wish] { return tryScript(plan, options, wish); },
                [this, script = scriptIn(plan)](const Expected<ScriptTry>& tried) {
                    m_script = script;
                    show(tried);
                    emit finished();
                });
}

void ScriptTryCard::show(const Expected<ScriptTry>& tried)
{
    setBusy(false);
    m_showing = true;
    m_result = tried ? *tried : ScriptTry();
    m_model->removeRows(0, m_model->rowCount());
    int sent = 0, wrong = -1;
    qint64 rows = 0;
    for (const TriedStatement& one : m_result.statements) {
        const int row = m_model->rowCount();
        if (!one.error.empty())
            wrong = row;
        if (one.sent && one.ofScript)
            ++sent;
        rows += touchedRows(one);
        const QString count = touchedRows(one) > 0 ? format::count(touchedRows(one)) : u"–"_s;
        m_model->appendRow({tryCell(one.line > 0 ? QString::number(one.line) : QString()),
                            tryCell(oneLine(one.text).left(kShownText)), tryCell(count, true),
                            tryCell(one.sent ? format::time(one.ms) : tr("not sent"), true)});
    }
    const bool any = !m_result.statements.empty();
    m_table->setVisible(any);
    m_again->setVisible(any);
    m_figures->setVisible(any);
    m_figures->setText(tr("%1 in all, %2, %3", "time, statements, rows")
                           .arg(format::time(m_result.ms), tr("%n statement(s)", nullptr, sent),
                                tr("%n row(s)", nullptr, int(std::min<qint64>(rows, INT_MAX)))));
    Tone tone = Tone::Neutral;
    QStringList lines;
    if (!tried) {
        lines << sentenceText(tried.error().message) << sentenceText(tried.error().remedy);
        tone = Tone::Bad;
    } else if (!any) {
        lines << tr(
            "Sends one transaction to the plan's first target and rolls it back. Pauses are skipped. A rollback "
            "does not undo sequences, files, tables without transactions, or functions that act outside the "
            "transaction. A target without transactions keeps what is written; "
            "you are asked first.");
    } else {
        if (m_result.interrupted)
            lines << tr("Stopped");
        else if (!m_result.problem.empty())
            lines << sentenceText(m_result.problem);
        tone = m_result.problem.empty() ? Tone::Neutral : Tone::Bad;
    }
    lines.removeAll(QString());
    setTone(m_text, tone);
    m_text->setText(lines.join(u'\n'));
    m_text->setVisible(!lines.isEmpty());
    m_kept->setVisible(any);
    m_kept->setText(m_result.mayKeep
                        ? tr("The server may have kept some changes: a rollback may not undo such statements")
                    : !wasRolledBack(m_result)
                        ? tr("Nothing was changed. No transaction was open, so there was nothing to roll back")
                    : m_result.rolledBack
                        ? tr("Rolled back, except sequences, files, tables without transactions, and functions that "
                             "act outside the transaction")
                        : tr("No answer to the rollback: the server rolls back what is open when the "
                             "connection ends"));
    colorRows();
    if (wrong >= 0)
        m_table->selectRow(wrong);
    showStatement();
    m_showing = false;
    showWhetherChanged();
}

//! What the script itself has sent in the text's colour.
void ScriptTryCard::colorRows()
{
    const ThemeColors& colors = Theme::instance().colors();
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const TriedStatement& one = m_result.statements[std::size_t(row)];
        m_model->item(row, StatementColumn)
            ->setForeground(!one.error.empty()         ? colors.bad
                            : one.sent && one.ofScript ? colors.text
                                                       : colors.secondText);
    }
}

//! Folded, but for what is remarkable about it.
void ScriptTryCard::showPlan(const TriedStatement* one)
{
    const bool any = one && !one->plan.empty();
    QStringList lines, whole;
    for (const PlanStep& step : any ? one->plan : std::vector<PlanStep>()) {
        QString line = qtText(visibleText(step.text));
        for (qsizetype i = 0; i < line.size() && line[i] == u' '; ++i)
            line[i] = QChar::Nbsp; // a label would take them away where it wraps
        lines << line;
        const QString table = qtText(visibleText(step.wholeTable));
        if (!table.isEmpty() && !whole.contains(table))
            whole << table;
    }
    if (!any && one && !one->noPlan.empty())
        lines << tr("No plan: %1").arg(qtText(visibleText(one->noPlan)));
    m_plan->setText(lines.join(u'\n'));
    m_planFold->setVisible(!lines.isEmpty());
    m_plan->setVisible(!lines.isEmpty() && m_planFold->isChecked());
    m_wholeTables->setVisible(!whole.isEmpty());
    m_wholeTables->setText(
        tr("Reads all of %1: normal for a small table, slow for a large one").arg(whole.join(u", "_s)));
}

void ScriptTryCard::showStatement()
{
    const int row = m_table->currentIndex().row();
    const bool any = row >= 0 && std::size_t(row) < m_result.statements.size();
    m_statement->setVisible(any);
    m_details->setVisible(any);
    showPlan(any ? &m_result.statements[std::size_t(row)] : nullptr);
    if (!any) {
        emit lineMarked(0);
        return;
    }
    const TriedStatement& one = m_result.statements[std::size_t(row)];
    m_statement->setText(shortened(qtText(visibleText(one.text, TextLayout::Keep))));
    QStringList lines;
    if (!one.sent && one.error.empty())
        lines << tr("Not sent: one transaction is open for the whole try, and is rolled back at its end");
    else if (one.line == 0)
        lines << tr("Added by the try");
    QStringList values;
    for (const std::string& value : one.parameters)
        values << qtText(visibleText(value));
    if (!values.isEmpty())
        lines << tr("Parameters: %1").arg(shortened(values.join(u", "_s)));
    if (one.rows > 0)
        lines << tr("%n row(s) read", nullptr, int(std::min<std::int64_t>(one.rows, INT_MAX)));
    if (one.changed > 0)
        lines << tr("%n row(s) changed", nullptr, int(std::min<std::int64_t>(one.changed, INT_MAX)));
    if (!one.lastRow.empty())
        lines << tr("Last row: %1").arg(shortened(qtText(visibleText(one.lastRow))));
    m_details->setText(lines.join(u'\n'));
    emit lineMarked(one.line);
    if (!m_showing && one.line > 0)
        emit lineChosen(one.line);
}

} // namespace dyno
