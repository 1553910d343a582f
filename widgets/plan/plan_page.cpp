// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/plan_page.h"

#include "bridge/app_context.h"
#include "bridge/last_plan.h"
#include "bridge/recipe_book.h"
#include "bridge/run_bridge.h"
#include "bridge/server_worker.h"
#include "bridge/workload_book.h"
#include "format.h"
#include "parts/banner.h"
#include "parts/commands.h"
#include "parts/dialog.h"
#include "parts/field.h"
#include "parts/file_dialog.h"
#include "parts/foreign_text.h"
#include "parts/plan_text.h"
#include "parts/question.h"
#include "parts/split_button.h"
#include "parts/trust_card.h"
#include "plan/about_form.h"
#include "plan/axes_editor.h"
#include "plan/check_list.h"
#include "plan/load_form.h"
#include "plan/observe_form.h"
#include "plan/plan_steps.h"
#include "plan/plan_summary.h"
#include "plan/preflight_card.h"
#include "plan/save_workload_dialog.h"
#include "plan/script_page.h"
#include "plan/target_form.h"
#include "plan/workload_form.h"
#include "preferences.h"
#include "theme.h"

#include <dyno/catalog.h>
#include <dyno/lua_script.h>
#include <dyno/own_recipes.h>
#include <dyno/plan_refs.h>
#include <dyno/scripts.h>
#include <dyno/stored_plan.h>
#include <dyno/uri_form.h>

#include <QDialog>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QResizeEvent>
#include <QSaveFile>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QStackedLayout>

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kSummaryWidth = 330;
constexpr int kBarGap = 2;       // between the cards and their scroll bar
constexpr int kTitlePadding = 8; // between the frame of the title and its text

//! A plan of nothing but defaults: a private file of SQLite, a usual workload, the throughput by users.
Plan newPlan()
{
    Plan plan;
    plan.title = PlanPage::tr("New plan").toStdString();
    plan.target.uri = fileTarget();
    plan.workload.name = "oltp_read_write";
    plan.load.intervalSeconds = Preferences::instance().get(Preferences::interval);
    plan.views.emplace_back();
    return plan;
}

Plan firstPlan()
{
    if (auto recipe = recipePlan("durability-sqlite"))
        return *recipe;
    return newPlan();
}

QString planFilter()
{
    return PlanPage::tr("Plans (*.toml);;All files (*)");
}

} // namespace

PlanPage::PlanPage(AppContext& context, QWidget* parent)
    : Page(context, parent)
    , m_title(new TitleEdit(true))
    , m_source(new ElidedLabel({}, TextRole::Secondary))
    , m_new(makeButton(tr("New")))
    , m_duplicate(makeButton(tr("Duplicate")))
    , m_open(makeButton(tr("Open…")))
    , m_save(new SplitButton)
    , m_start(makeButton(tr("Start"), "primary"))
    , m_foldedLine(makeButton({}, "link"))
    , m_reason(makeLabel({}, TextRole::Secondary))
    , m_scroll(new QScrollArea)
    , m_content(new QWidget)
    , m_cards(new QVBoxLayout(m_content))
    , m_columns(new QHBoxLayout)
    , m_sideScroll(new QScrollArea)
    , m_target(new TargetForm(m_editor, context.keyring()))
    , m_foreignKnobs(new Banner(u"foreignKnobs"_s))
    , m_workload(new WorkloadForm(m_editor))
    , m_axes(new AxesEditor(m_editor))
    , m_load(new LoadForm(m_editor))
    , m_observe(new ObserveForm(
          m_editor,
          [this](const std::vector<Risk>& risks, const std::function<void()>& then) {
              const Plan& plan = m_editor.plan();
              const auto open = this->context().agreements().unanswered(plan, risks);
              if (open.empty())
                  then();
              else
                  this->context().askForAgreement(plan, open, tr("Allow and read"), then);
          },
          context.library()))
    , m_steps(new PlanSteps(m_editor, {m_target, m_workload, m_axes, m_load, m_observe, new AboutForm(m_editor)}))
    , m_summary(new PlanSummary(m_editor))
    , m_trust(new TrustCard)
    , m_preflight(new PreflightCard(
          m_editor, [this] { return m_target->password(); },
          [this] { return this->context().agreements().consentTo(m_editor.plan(), m_editor.check().risks); }))
    , m_stack(new QStackedLayout(this))
    , m_script(new ScriptPage(m_editor, tryDoors(u"Ctrl+Enter"_s), this))
    , m_reader(this)
    , m_scriptReader(this)
    , m_writer(this)
{
    setObjectName(u"planPage"_s);
    auto* steps = new QWidget(this);
    auto* layout = new QVBoxLayout(steps);
    layout->setContentsMargins(space::pageMargin - kTitlePadding, 16, 0, 0);
    layout->setSpacing(space::cardGap);
    buildHeader(layout);
    layout->addLayout(m_columns, 1);
    buildCards();
    buildTrust();
    buildPreflight();
    m_stack->addWidget(steps);
    m_stack->addWidget(m_script);
    buildScript();
    buildShortcuts();

    connect(&context, &AppContext::libraryChanged, m_observe, &ObserveForm::forgetNames);
    connect(&context, &AppContext::planEditRequested, this,
            [this](const Plan& plan) { afterUnsaved([this, plan] { setDocument(plan, {}); }); });
    connect(m_target, &TargetForm::sideBySideRequested, this, &PlanPage::laySideBySide);
    connect(&context, &AppContext::targetRequested, this, [this](const QString& uri) {
        m_editor.edit(tr("Change target"), [&uri](Plan& plan) { plan.target.uri = uri.toStdString(); });
        m_scroll->ensureVisible(0, 0);
    });
    connect(&context.run(), &RunBridge::activeChanged, this, &PlanPage::updateStart);
    connect(&m_editor, &PlanEditor::changed, this, &PlanPage::updateHeader);
    connect(&m_editor, &PlanEditor::changed, this, &PlanPage::updateStart);
    connect(&m_editor, &PlanEditor::modifiedChanged, this, &PlanPage::updateHeader);
    connect(&m_editor, &PlanEditor::checked, this, &PlanPage::updateStart);
    connect(m_load, &LoadForm::problemChanged, this, [this] {
        m_summary->setFormProblem(m_load->problem());
        updateStart();
    });
    connect(m_summary, &PlanSummary::faultClicked, this, &PlanPage::goTo);
    restore();
    connect(&m_editor, &PlanEditor::changed, this, &PlanPage::remember);
    connect(&m_editor, &PlanEditor::modifiedChanged, this, &PlanPage::remember);
    m_start->setFocus();
}

QString PlanPage::title() const
{
    return tr("Plan");
}

QString PlanPage::iconName() const
{
    return u"plan"_s;
}

void PlanPage::activated()
{
    if (m_stack->currentWidget() == m_script)
        m_script->open();
    else
        m_start->setFocus(Qt::OtherFocusReason);
    ServerWorker& servers = context().servers();
    connect(
        &servers, &ServerWorker::listed, this, [this] { m_target->setServers(context().servers().list()); },
        Qt::SingleShotConnection);
    servers.refresh();
}

//! An axis of servers: the same plan runs on each of them.
void PlanPage::laySideBySide(const std::vector<KnownServer>& servers)
{
    m_editor.edit(tr("Compare servers side by side"), [&servers](Plan& plan) {
        Axis axis;
        axis.name = "server";
        for (int n = 2; std::any_of(plan.axes.begin(), plan.axes.end(),
                                    [&axis](const Axis& other) { return other.name == axis.name; });
             ++n)
            axis.name = "server_" + std::to_string(n);
        for (const KnownServer& server : servers)
            axis.cases.push_back({server.name.toStdString(), {{"target.uri", server.uri.toStdString()}}, 0});
        plan.target.uri = servers.front().uri.toStdString();
        if (!plan.views.empty() && plan.views.front().series.empty())
            plan.views.front().series = axis.name;
        plan.axes.insert(plan.axes.begin(), std::move(axis));
    });
    context().showMessage(tr("The servers are now the first axis: the plan runs on each of them"));
}

void PlanPage::buildHeader(QVBoxLayout* layout)
{
    describe(m_title, u"planTitle"_s, tr("Title of the plan"), tr("The question this plan answers; click to edit"));
    m_source->setObjectName(u"planSource"_s);
    describe(m_new, u"planNew"_s, tr("New plan"), tr("Begin a new plan (Ctrl+N)"));
    describe(m_duplicate, u"planDuplicate"_s, tr("Duplicate the plan"),
             tr("Continue with a copy that belongs to no file"));
    describe(m_open, u"planOpen"_s, tr("Open a plan"), tr("Open a plan file (Ctrl+O)"));
    describe(m_start, u"planStart"_s, tr("Start"), tr("Start measuring (Ctrl+Enter)"));
    describe(m_foldedLine, u"planFoldedLine"_s, tr("Summary of the plan"), tr("Show runs, faults and points"));
    m_reason->setObjectName(u"planReason"_s);
    m_reason->setAlignment(Qt::AlignRight);

    auto* titles = new QVBoxLayout;
    titles->setSpacing(0);
    titles->addWidget(m_title);
    auto* second = new QHBoxLayout;
    second->setContentsMargins(kTitlePadding, 0, 0, 0);
    second->addWidget(m_source, 1);
    titles->addLayout(second);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(10);
    buildSave();
    for (QWidget* button : std::initializer_list<QWidget*>{m_new, m_duplicate, m_open, m_save, m_start})
        buttons->addWidget(button);
    auto* right = new QVBoxLayout;
    right->setSpacing(2);
    right->addLayout(buttons);
    auto* state = new QHBoxLayout;
    state->addStretch();
    state->addWidget(m_reason);
    state->addWidget(m_foldedLine);
    right->addLayout(state);
    auto* header = new QHBoxLayout;
    header->setContentsMargins(0, 0, space::pageMargin, 0);
    header->addLayout(titles, 1);
    header->addLayout(right);
    layout->addLayout(header);

    connect(m_title, &QLineEdit::textEdited, this, [this](const QString& text) {
        m_editor.edit(
            tr("Change title"), [&text](Plan& plan) { plan.title = text.toStdString(); }, u"title"_s);
    });
    connect(m_new, &QPushButton::clicked, this, &PlanPage::startNew);
    connect(m_duplicate, &QPushButton::clicked, this, &PlanPage::duplicate);
    connect(m_open, &QPushButton::clicked, this, &PlanPage::open);
    connect(m_start, &QPushButton::clicked, this, &PlanPage::start);
    connect(&m_editor, &PlanEditor::checked, this, &PlanPage::startIfWanted);
    connect(&m_summary->checks(), &CheckList::looked, this, &PlanPage::startIfWanted);
    connect(&m_editor, &PlanEditor::replaced, this, [this] { // it was another plan's
        m_startWanted = false;
        m_scriptReader.cancel();
    });
    connect(m_foldedLine, &QPushButton::clicked, this, [this] { m_scroll->ensureWidgetVisible(m_summary, 0, 400); });
}

void PlanPage::buildSave()
{
    QPushButton* save = m_save->button();
    m_save->setPlain();
    save->setText(tr("Save"));
    describe(save, u"planSave"_s, tr("Save the plan"), tr("Save the plan as TOML (Ctrl+S)"));
    connect(save, &QPushButton::clicked, this, &PlanPage::save);
    QMenu* menu = m_save->makeMenu();
    menu->setObjectName(u"planSaveMenu"_s);
    describe(m_save->arrow(), u"planSaveMore"_s, tr("Other ways to save"), tr("Save as another file or as a recipe"));
    const auto add = [menu](const QString& text, const QString& name) {
        QAction* action = menu->addAction(text);
        action->setObjectName(name);
        return action;
    };
    connect(add(tr("Save as…") + u"\tCtrl+Shift+S"_s, u"planSaveAs"_s), &QAction::triggered, this, &PlanPage::saveAs);
    connect(add(tr("Save as recipe…"), u"planRecipe"_s), &QAction::triggered, this,
            [this] { RecipeBook::of(context()).savePlan(m_editor.plan(), this); });
}

void PlanPage::buildCards()
{
    m_columns->addWidget(m_scroll, 1);
    m_columns->addWidget(m_sideScroll);
    m_steps->addNotice(PlanSection::Target, m_foreignKnobs);
    const QString action = u"foreignKnobsAction"_s;
    describe(
        m_foreignKnobs->findChild<QPushButton*>(action), action, tr("Remove them"),
        tr("Replace settings by what means the same on this target, and remove the others; Ctrl+Z brings them back"));
    connect(&m_editor, &PlanEditor::changed, this, &PlanPage::offerToReplaceForeignKnobs);
    connect(m_steps, &PlanSteps::opened, this, &PlanPage::bringIntoView);

    const auto scroll = [](QScrollArea* area, QWidget* content) {
        area->setWidget(content);
        area->setWidgetResizable(true);
        area->setFrameShape(QFrame::NoFrame);
        area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        area->setFocusPolicy(Qt::NoFocus);
    };
    scroll(m_scroll, m_content);
    m_cards->setContentsMargins(0, 0, kBarGap, space::pageMargin);
    m_cards->setSpacing(space::cardGap);
    m_cards->addWidget(m_steps);
    m_cards->addStretch(1);
    m_scroll->setObjectName(u"planScroll"_s);
    scroll(m_sideScroll, new QWidget);
    auto* side = new QVBoxLayout(m_sideScroll->widget());
    side->setContentsMargins(0, 0, space::pageMargin, space::pageMargin);
    side->addWidget(m_summary);
    m_sideScroll->setFixedWidth(kSummaryWidth + space::pageMargin);
    m_columns->setContentsMargins(kTitlePadding, 0, 0, 0); // in line with the title's text, not with its frame
    m_columns->setSpacing(space::cardGap - kBarGap);
    m_foldedLine->setVisible(false);
}

//! After the target was switched: what only the one before knows would fail each run.
void PlanPage::offerToReplaceForeignKnobs()
{
    const std::vector<std::string> knobs = knobsOfOtherDrivers(m_editor.plan());
    if (knobs.empty()) {
        m_foreignKnobs->hide();
        return;
    }
    const std::vector<KnobEquivalent> equivalents = knobsToCarryOver(m_editor.plan());
    QStringList names;
    for (const std::string& knob : knobs) {
        const auto other = std::ranges::find(equivalents, knob, &KnobEquivalent::from);
        names << qtText(knob) + (other == equivalents.end() ? QString() : u" → "_s + qtText(other->to));
    }
    const int carried = int(equivalents.size()), removed = int(knobs.size()) - carried;
    m_foreignKnobs->showText(knobs.size() == 1
                                 ? tr("This target does not have 1 setting of the plan")
                                 : tr("This target does not have %1 settings of the plan").arg(knobs.size()),
                             Tone::Warn, names.join(u", "_s));
    const QString text = carried == 0   ? (removed == 1 ? tr("Remove it") : tr("Remove them"))
                         : removed == 0 ? tr("Carry over %1").arg(carried)
                                        : tr("Carry over %1, remove %2").arg(carried).arg(removed);
    m_foreignKnobs->setAction(text, [this] {
        m_editor.edit(tr("Replace settings of another target"), [](Plan& plan) { replaceKnobsOfOtherDrivers(plan); });
        context().showMessage(tr("The settings fit the target now"), tr("Undo"),
                              [this] { m_editor.undoStack().undo(); });
    });
}

//! On top of the summary's column: what the plan of somebody else wants. What is typed here needs no agreement.
void PlanPage::buildTrust()
{
    static_cast<QVBoxLayout*>(m_summary->layout())->insertWidget(0, m_trust);
    const auto show = [this] {
        context().agreements().planChecked(m_editor.plan(), m_editor.check().risks);
        m_trust->setRisks(context().agreements().unanswered(m_editor.plan(), m_editor.check().risks));
    };
    connect(&m_editor, &PlanEditor::typed, this,
            [this](const Plan& before, const Plan& after) { context().agreements().noteTyped(before, after); });
    connect(&m_editor, &PlanEditor::inserted, this,
            [this](const Plan& before, const Plan& after) { context().agreements().noteInserted(before, after); });
    connect(&m_editor, &PlanEditor::checked, this, show);
    connect(m_trust, &TrustCard::allowed, this, [this, show] {
        context().agreements().remember(m_editor.plan(), m_editor.check().risks);
        show();
    });
    connect(&context().run(), &RunBridge::activeChanged, this, show); // allowed by the question at a start
    m_target->setTestGate([this, show](const QString& uri) {
        Plan alone; // what the connection itself wants; a file is only looked at, which needs no agreement
        if (const auto target = parseUri(uri.toStdString()); target && target->path.empty())
            alone.target.uri = uri.toStdString();
        const Plan& plan = m_editor.plan();
        const std::vector<Risk> risks = context().agreements().unanswered(plan, risksOf(alone));
        if (risks.empty())
            return true;
        context().askForAgreement(plan, risks, tr("Allow and test"), [this, show, uri] {
            show();
            if (qtText(m_editor.plan().target.uri) == uri)
                m_target->testConnection();
        });
        return false;
    });
}

//! Below the faults, in the summary's column. A successful test of the connection looks at the plan's needs too.
void PlanPage::buildPreflight()
{
    constexpr int kBelowFaults = 3; // and the card before them
    static_cast<QVBoxLayout*>(m_summary->layout())->insertWidget(kBelowFaults, m_preflight);
    connect(m_target, &TargetForm::tested, this, [this](bool reached) {
        if (reached && hasRemoteTarget(m_editor.plan()))
            m_preflight->check();
    });
    connect(m_preflight, &PreflightCard::finished, this, [this](bool reached) {
        QStringList missing;
        for (const PreflightReport& report : m_preflight->reports()) {
            for (const std::string& right : report.missingRights)
                missing << qtText(right);
        }
        if (reached)
            m_target->showMissingRights(missing);
    });
}

ScriptTryCard::Doors PlanPage::tryDoors(const QString& keys)
{
    return {[this] { return m_target->password(); },
            [this](const Plan& plan, const std::vector<Risk>& risks) {
                return context().agreements().consentTo(plan, risks);
            },
            [this](const Plan& plan, const std::vector<Risk>& risks) {
                return context().agreements().unanswered(plan, risks);
            },
            [this](const Plan& plan, const std::vector<Risk>& risks, const QString& act,
                   const std::function<void()>& then) { context().askForAgreement(plan, risks, act, then); },
            [this] {
                return context().run().active() ? tr("A session is running; a try would disturb what it measures")
                                                : QString();
            },
            [this](const Plan& plan, const std::function<void(bool)>& then) { context().askBeforeTry(plan, then); },
            keys};
}

//! Where the workload is a script for sysbench.
void PlanPage::showLuaTry()
{
    const bool lua = m_editor.plan().workload.name == kLuaWorkload;
    if (lua && !m_luaTry) {
        m_luaTry = new ScriptTryCard(m_editor, tryDoors({}));
        m_luaTry->setObjectName(u"luaTry"_s);
        m_workload->addBelow(m_luaTry);
        connect(m_luaTry, &ScriptTryCard::busyChanged, this, &PlanPage::updateStart);
    }
    if (!m_luaTry)
        return;
    if (!lua)
        m_luaTry->stop();
    m_luaTry->setVisible(lua);
}

bool PlanPage::trying() const
{
    return m_script->busy() || (m_luaTry && m_luaTry->busy());
}

//! In the place of the steps, until the person goes back or another plan or workload comes.
void PlanPage::buildScript()
{
    const auto back = [this] {
        if (m_stack->currentWidget() == m_script)
            m_stack->setCurrentIndex(0);
    };
    connect(m_workload, &WorkloadForm::scriptWanted, this, [this] {
        m_stack->setCurrentWidget(m_script);
        m_script->open();
    });
    WorkloadBook& book = WorkloadBook::of(context());
    const auto showOwn = [this, &book] { m_workload->setOwn(book.workloads()); };
    connect(&book, &WorkloadBook::changed, m_workload, showOwn);
    connect(m_workload, &WorkloadForm::ownRemoveWanted, &book, &WorkloadBook::remove);
    connect(m_script, &ScriptPage::saveWanted, this, &PlanPage::saveWorkload);
    connect(m_script, &ScriptPage::openWanted, this, &PlanPage::chooseScript);
    connect(m_workload, &WorkloadForm::openWanted, this, &PlanPage::chooseScript);
    showOwn();
    connect(m_script, &ScriptPage::closed, this, back);
    connect(m_script, &ScriptPage::busyChanged, this, &PlanPage::updateStart);
    connect(&context().run(), &RunBridge::activeChanged, m_script, [this](bool active) {
        if (!active)
            return;
        m_script->stopWork(); // begun on another page: it must not measure the try
        if (m_luaTry)
            m_luaTry->stop();
    });
    connect(&m_editor, &PlanEditor::changed, this, &PlanPage::showLuaTry);
    showLuaTry();
    connect(&m_editor, &PlanEditor::replaced, this, back);
    connect(&m_editor, &PlanEditor::changed, this, [this, back] {
        if (m_editor.plan().workload.name != kScriptWorkload)
            back();
    });
}

void PlanPage::chooseScript()
{
    auto* dialog = makeFileDialog(this, u"scriptFileDialog"_s, tr("Open a script"), tr("Open"));
    dialog->setFileMode(QFileDialog::ExistingFile);
    const QString lua = tr("Lua for sysbench (*.lua)"), text = tr("Scripts (*.workload *.sql)");
    const bool isLua = m_editor.plan().workload.name == kLuaWorkload;
    dialog->setNameFilters({isLua ? lua : text, isLua ? text : lua, tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        readScript(file, [this, file](const OpenedScript& opened) { takeScript(file, opened); });
    });
    dialog->open();
}

void PlanPage::openScript(const QString& file)
{
    readScript(file, [this, file](const OpenedScript& opened) {
        afterUnsaved([this, file, opened] {
            Plan plan = newPlan();
            plan.title = QFileInfo(file).completeBaseName().toStdString();
            m_reader.cancel(); // a plan that is read still came before
            setDocument(plan, {});
            m_steps->open(PlanSection::Target); // what it runs on is the question that is left
            takeScript(file, opened);
        });
    });
}

//! `then` is dropped where another plan comes first.
void PlanPage::readScript(const QString& file, const std::function<void(const OpenedScript&)>& then)
{
    m_scriptReader.start(
        [path = file.toStdString()] { return openScriptFile(path); },
        [this, file, then](const Expected<OpenedScript>& opened) {
            if (opened)
                return then(*opened);
            context().showMessage(
                tr("%1 was not opened: %2").arg(QFileInfo(file).fileName(), qtText(opened.error().text())));
        });
}

//! Into the plan that is here; what is wrong with it is shown at its line.
void PlanPage::takeScript(const QString& file, const OpenedScript& opened)
{
    const QString name = QFileInfo(file).fileName();
    m_workload->take(opened);
    if (!opened.mistake)
        return context().showMessage(tr("The plan has the script %1").arg(name));
    context().showMessage(tr("%1 cannot run yet: %2").arg(name, qtText(opened.mistake->text())));
    if (opened.workload == kScriptWorkload) {
        m_stack->setCurrentWidget(m_script);
        m_script->open();
        m_script->goToMistake();
    } else {
        goTo(u"workload.params."_s + QLatin1String(kLuaScriptParam));
        m_workload->goToMistake();
    }
}

//! The script with the values of its variables. What of it was typed or allowed is agreed to with saving.
void PlanPage::saveWorkload()
{
    WorkloadBook& book = WorkloadBook::of(context());
    QStringList taken;
    for (const OwnWorkload& own : book.workloads())
        taken << qtText(own.name);
    auto* dialog = new SaveWorkloadDialog(qtText(m_editor.plan().title), taken, this);
    connect(dialog, &SaveWorkloadDialog::chosen, this, [this, &book](const QString& name, bool replace) {
        const Plan plan = m_editor.plan();
        const auto text = [&plan](const char* param) {
            const auto found = plan.workload.params.find(param);
            return found == plan.workload.params.end() ? std::string() : toText(found->second);
        };
        std::vector<Risk> risks = m_editor.check().risks;
        std::erase_if(risks, [](const Risk& risk) { return !risk.key.starts_with("workload."); });
        const bool agreed = !m_editor.checking() && context().agreements().unanswered(plan, risks).empty();
        // Copying its files reads them.
        const std::string files = agreed ? text(kFilesParam) : std::string();
        book.save(
            name, text(kScriptsParam), text(kDefineParam), replace,
            [this, plan, risks, agreed](const OwnWorkload& saved) {
                const auto script = std::ranges::find(risks, std::string("workload.") + kScriptsParam, &Risk::key);
                if (!agreed || script == risks.end())
                    return;
                Risk ofFile = *script; // whose text has the values of the variables and ends with its line
                ofFile.value = saved.text;
                context().agreements().remember(plan, {ofFile});
            },
            files);
    });
    dialog->open();
}

void PlanPage::buildShortcuts()
{
    const auto add = [this](const QString& name, const QString& text, const QList<QKeySequence>& keys, auto slot) {
        return addCommand(this, {name, text, keys}, slot);
    };
    add(u"planCommandNew"_s, tr("New plan"), {QKeySequence::New}, [this] { startNew(); });
    add(u"planCommandDuplicate"_s, tr("Duplicate the plan"), {}, [this] { duplicate(); });
    add(u"planCommandOpen"_s, tr("Open a plan…"), {QKeySequence::Open}, [this] { open(); });
    add(u"planCommandSave"_s, tr("Save the plan"), {QKeySequence::Save}, [this] { save(); });
    add(u"planCommandSaveAs"_s, tr("Save the plan as…"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)},
        [this] { saveAs(); });
    QAction* begin = add(u"planCommandStart"_s, tr("Start the plan"),
                         {QKeySequence(Qt::CTRL | Qt::Key_Return), QKeySequence(Qt::CTRL | Qt::Key_Enter)}, [this] {
                             if (m_stack->currentWidget() == m_script)
                                 m_script->tryOnce(); // what the page is for
                             else
                                 start();
                         });
    connect(m_stack, &QStackedLayout::currentChanged, begin, [this, begin] {
        begin->setText(m_stack->currentWidget() == m_script ? tr("Try one transaction") : tr("Start the plan"));
        begin->setToolTip(tipWithKeys(begin->text(), begin));
    });
    QUndoStack& stack = m_editor.undoStack();
    // Always enabled: with nothing to undo, the key must not reach the text of one field.
    add(u"planCommandUndo"_s, tr("Undo the last change of the plan"), {QKeySequence::Undo}, [&stack] { stack.undo(); });
    add(u"planCommandRedo"_s, tr("Redo the change of the plan"),
        {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)},
        [&stack] { stack.redo(); });
}

void PlanPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    fold(event->size().width() + space::railWidth < space::foldWidth);
}

void PlanPage::fold(bool on)
{
    if (on == m_folded)
        return;
    m_folded = on;
    if (on)
        m_cards->insertWidget(m_cards->count() - 1, m_summary);
    else
        m_sideScroll->widget()->layout()->addWidget(m_summary);
    m_summary->show();
    m_sideScroll->setVisible(!on);
    m_cards->setContentsMargins(0, 0, on ? space::pageMargin : kBarGap, space::pageMargin);
    updateStart();
}

void PlanPage::setDocument(const Plan& plan, const QString& file, bool modified)
{
    context().agreements().planOpened(plan);
    m_editor.setPlan(plan, file, modified);
    m_scroll->ensureVisible(0, 0);
}

void PlanPage::startNew()
{
    afterUnsaved([this] {
        setDocument(newPlan(), {});
        m_steps->open(PlanSection::Target); // where a new question begins
        m_title->setFocus(Qt::OtherFocusReason);
        m_title->selectAll();
    });
}

void PlanPage::duplicate()
{
    afterUnsaved([this] {
        Plan copy = m_editor.plan();
        copy.title = tr("%1 (copy)", "a plan's title").arg(qtText(copy.title)).toStdString();
        copy.source.clear();
        m_editor.setPlan(copy, {}, true); // what was typed into the plan was typed into its copy
        m_scroll->ensureVisible(0, 0);
        m_title->setFocus(Qt::OtherFocusReason);
        m_title->selectAll();
    });
}

void PlanPage::updateHeader()
{
    const Plan& plan = m_editor.plan();
    const QString title = qtText(plan.title);
    if (m_title->text() != title) {
        m_title->setText(title);
        m_title->home(false);
    }
    QStringList parts{tr("Plan")};
    if (!m_editor.file().isEmpty())
        parts << tr("saved as %1").arg(QFileInfo(m_editor.file()).fileName());
    else if (!plan.source.empty())
        parts << tr("from the recipe “%1”").arg(qtText(plan.source));
    else
        parts << tr("not saved");
    if (m_editor.modified())
        parts << tr("changed");
    m_source->setText(parts.join(u"  ·  "_s));
    m_save->button()->setEnabled(m_editor.modified() || m_editor.file().isEmpty());
}

void PlanPage::updateStart()
{
    const bool running = context().run().active();
    const bool formFine = m_load->problem().isEmpty();
    const bool tries = trying();
    const bool ready = m_editor.startable() && formFine && !running && !tries;
    // While the check is under way the button keeps its state: no flicker at each key.
    if (!m_editor.checking() || running || tries || !formFine)
        m_start->setEnabled(ready);
    QString reason;
    if (running)
        reason = tr("A session is running");
    else if (tries)
        reason = tr("The script is being tried; stop that first, or wait for its end");
    else if (const int faults = m_summary->faultCount(); faults > 0)
        reason = tr("%1 to fix before it can start").arg(faultsText(faults));
    const PlanCheck& check = m_editor.check();
    if (!m_editor.checking())
        m_start->setText(check.runs > 0
                             ? tr("Start · %1, %2").arg(runsText(check.runs), format::duration(check.seconds))
                             : tr("Start"));
    m_reason->setText(reason);
    setTone(m_reason, running || tries ? Tone::Warn : Tone::Bad);
    m_start->setToolTip(reason.isEmpty() ? tr("Start measuring (Ctrl+Enter)") : reason);
    m_start->setAccessibleDescription(reason);
    m_foldedLine->setText(m_summary->oneLine());
    m_foldedLine->setVisible(m_folded && reason.isEmpty());
}

void PlanPage::start()
{
    // Pressed right after the last key: start as soon as the plan is known to be right, and what is to fix is known.
    m_startWanted = m_editor.checking() || m_summary->checks().looking();
    if (m_startWanted || !m_editor.startable() || !m_load->problem().isEmpty() || trying())
        return;
    if (const QStringList problems = problemsNobodyNames(); !problems.isEmpty())
        askToStart(problems);
    else
        startNow();
}

void PlanPage::startIfWanted()
{
    if (m_startWanted)
        start();
}

void PlanPage::startNow()
{
    // Only this page knows the password, and only the runner may learn it.
    context().startPlanWith(m_editor.plan(), m_target->password());
}

//! What is to fix and no server's: that, the look before each start names.
QStringList PlanPage::problemsNobodyNames() const
{
    QStringList problems;
    for (const PlanFinding& one : m_summary->checks().findings()) {
        if (one.item.level == PreflightLevel::Blocker && !one.atServer)
            problems << sentenceText(one.item.what);
    }
    return problems;
}

void PlanPage::askToStart(const QStringList& problems)
{
    auto* question = new Question(this, u"startBox"_s, tr("Start the plan"), problems.join(u'\n'),
                                  tr("Runs are likely to fail. What is measured until then is kept."));
    question->addAct(u"startAnyway"_s, tr("Start anyway"), [this] { startNow(); });
    question->ask(u"startNot"_s);
}

//! As much of a step as fits, its line first.
void PlanPage::bringIntoView(const QWidget* step)
{
    for (QWidget* outer = m_steps; outer && outer != m_scroll; outer = outer->parentWidget()) {
        if (outer->layout())
            outer->layout()->activate(); // where it stands now
    }
    QScrollBar* bar = m_scroll->verticalScrollBar();
    const int top = step->mapTo(m_content, QPoint()).y();
    const int bottom = top + step->sizeHint().height();
    const int wanted = std::max(bar->value(), bottom + space::cardGap - m_scroll->viewport()->height());
    bar->setValue(std::min(top, wanted));
}

void PlanPage::goTo(const QString& where)
{
    if (sectionOf(where) == PlanSection::Title)
        m_title->setFocus(Qt::OtherFocusReason);
    else
        m_steps->goTo(where);
    if (QWidget* focus = focusWidget(); focus && m_content->isAncestorOf(focus))
        m_scroll->ensureWidgetVisible(focus, 20, 80);
}

LastPlan PlanPage::planNow() const
{
    const QString file = m_editor.file();
    const bool modified = m_editor.modified();
    return {lastPlanText(m_editor.plan(), file, modified), file, qtText(m_editor.plan().source), modified};
}

void PlanPage::remember()
{
    rememberPlan(planNow());
}

void PlanPage::restore()
{
    const LastPlan last = lastPlan();
    ParsedPlan parsed = last.toml.isEmpty() ? ParsedPlan() : parseStoredPlan(last.toml.toStdString(), "last plan");
    if (!parsed.plan) {
        setDocument(firstPlan(), {});
        storePlan(planNow());
        return;
    }
    const QString file = last.file;
    parsed.plan->source = last.source.toStdString();
    setDocument(*parsed.plan, file, last.modified);
    LastPlan same = planNow(); // nobody edited it, even where this version writes it in other words
    same.editedMs = last.editedMs;
    same.ran = last.ran;
    same.changed = last.changed;
    storePlan(same);
    if (file.isEmpty())
        return;
    // It may hold content that was too large to be remembered, and somebody may have changed or removed it since.
    m_reader.start([file]() -> Opened { return {readPlan(file.toStdString())}; },
                   [this, file](const Opened& result) {
                       const auto& there = result.plan.plan;
                       if (m_editor.file() != file)
                           return;
                       if (there)
                           m_editor.addFiles(there->files);
                       if (!there || !isLastPlan(planNow(), *there))
                           m_editor.markModified();
                   });
}

void PlanPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    WorkloadBook::of(context()).read(); // `dyno workloads --add` may have put one there
}

void PlanPage::open()
{
    afterUnsaved([this] {
        auto* dialog = new QFileDialog(this, tr("Open a plan"), QFileInfo(m_editor.file()).path(), planFilter());
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::ExistingFile);
        connect(dialog, &QFileDialog::fileSelected, this, &PlanPage::readPlanFile);
        dialog->open();
    });
}

void PlanPage::openFile(const QString& file)
{
    afterUnsaved([this, file] { readPlanFile(file); });
}

void PlanPage::readPlanFile(const QString& file)
{
    m_scriptReader.cancel(); // something else is wanted by now
    m_reader.start(
        [file]() -> Opened {
            OwnRecipe recipe = readRecipe(file.toStdString());
            if (!recipe.described)
                return {readPlan(file.toStdString())};
            Opened opened;
            opened.plan = {std::move(recipe.plan), std::move(recipe.faults)};
            opened.recipe = true;
            return opened;
        },
        [this, file](const Opened& result) {
            if (!result.plan.plan)
                return showFaults(file, result.plan.faults);
            setDocument(*result.plan.plan, result.recipe ? QString() : file); // saving does not write over a recipe
            if (result.recipe)
                context().showMessage(tr("%1 is a recipe: opened as a new plan, with its charts and published figures")
                                          .arg(QFileInfo(file).fileName()));
        });
}

void PlanPage::save()
{
    saveThen({});
}

void PlanPage::saveAs()
{
    saveAsThen({});
}

void PlanPage::saveFile(const QString& file)
{
    writeThen(file, {});
}

void PlanPage::saveThen(std::function<void()> next)
{
    if (m_editor.file().isEmpty())
        saveAsThen(std::move(next));
    else
        writeThen(m_editor.file(), std::move(next));
}

void PlanPage::saveAsThen(std::function<void()> next)
{
    auto* dialog = new QFileDialog(this, tr("Save the plan"), m_editor.file(), planFilter());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(u"toml"_s);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, next = std::move(next)](const QString& file) { writeThen(file, next); });
    dialog->open();
}

void PlanPage::writeThen(const QString& file, std::function<void()> next)
{
    const QByteArray text = QByteArray::fromStdString(writePlan(m_editor.plan()));
    const int step = m_editor.undoStack().index();
    m_writer.start(
        [file, text, plan = m_editor.plan()]() -> Written {
            QSaveFile out(file);
            const bool written =
                out.open(QIODevice::WriteOnly) && out.write(text) == text.size() && out.flush() && out.commit();
            return written ? Written{{}, plan, risksOf(plan)} : Written{out.errorString(), {}, {}};
        },
        [this, file, step, next = std::move(next)](const Written& written) {
            if (!written.problem.isEmpty()) {
                context().showMessage(tr("The plan was not saved as %1: %2").arg(file, written.problem));
                return;
            }
            context().agreements().planSaved(written.plan, written.risks);
            if (m_editor.undoStack().index() == step)
                m_editor.markSaved(file);
            context().showMessage(tr("Saved as %1").arg(QFileInfo(file).fileName()));
            if (next)
                afterUnsaved(next); // what was changed since is unsaved again
        });
}

void PlanPage::afterUnsaved(std::function<void()> next)
{
    if (!m_editor.modified()) {
        next();
        return;
    }
    if (auto* earlier = findChild<QMessageBox*>(u"unsavedBox"_s)) { // something else is wanted by now
        earlier->setObjectName({});
        earlier->close();
    }
    auto* box = new QMessageBox(QMessageBox::NoIcon, tr("Unsaved changes"),
                                tr("Save the changes to the plan “%1”?").arg(qtText(m_editor.plan().title)),
                                QMessageBox::NoButton, this);
    box->setObjectName(u"unsavedBox"_s);
    showPlainly(*box);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText); // a title may come from somebody else
    box->setInformativeText(tr("Another plan is about to replace it. Unsaved changes would be lost."));
    QPushButton* save = box->addButton(tr("Save"), QMessageBox::AcceptRole);
    save->setObjectName(u"unsavedSave"_s);
    QPushButton* discard = box->addButton(tr("Don’t save"), QMessageBox::DestructiveRole);
    discard->setObjectName(u"unsavedDiscard"_s);
    QPushButton* cancel = box->addButton(QMessageBox::Cancel);
    cancel->setObjectName(u"unsavedCancel"_s);
    box->setDefaultButton(save); // loses nothing
    box->setEscapeButton(cancel);
    connect(save, &QPushButton::clicked, this, [this, next] { saveThen(next); });
    connect(discard, &QPushButton::clicked, this, [next] { next(); });
    box->open();
    save->setFocus(Qt::OtherFocusReason);
}

void PlanPage::showFaults(const QString& file, const Faults& faults)
{
    auto* dialog = new QDialog(this);
    auto* layout = dressDialog(*dialog, u"planFaults"_s, tr("This plan cannot be opened"));
    keepSize(*dialog, {620, 360});
    auto* text = makeLabel(tr("%1 has %2. The plan on the page is unchanged.")
                               .arg(QFileInfo(file).fileName(), faultsText(int(faults.size()))),
                           TextRole::Body, dialog);
    text->setWordWrap(true);
    layout->addWidget(text);
    auto* list = new QListWidget(dialog);
    describe(list, u"planFaultList"_s, tr("Faults of the plan file"), u" "_s);
    list->setWordWrap(true);
    for (const Fault& fault : faults) {
        QString line = fault.line > 0 ? tr("Line %1: %2").arg(fault.line).arg(qtText(fault.what)) : qtText(fault.what);
        if (!fault.remedy.empty())
            line += u"\n"_s + qtText(fault.remedy);
        list->addItem(line);
    }
    layout->addWidget(list, 1);
    auto* close = makeButton(tr("Close"), "primary", {}, dialog);
    describe(close, u"planFaultsClose"_s, tr("Close"));
    close->setDefault(true);
    layout->addWidget(close, 0, Qt::AlignRight);
    connect(close, &QPushButton::clicked, dialog, &QDialog::accept);
    dialog->open();
}

} // namespace dyno
