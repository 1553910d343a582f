// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/workload_form.h"

#include "format.h"
#include "parts/card.h"
#include "parts/plan_text.h"
#include "plan/option_form.h"
#include "plan/plan_editor.h"
#include "plan/script_editor.h"
#include "plan/workload_list.h"
#include "theme.h"

#include <dyno/catalog.h>
#include <dyno/lua_script.h>
#include <dyno/script_file.h>
#include <dyno/scripts.h>

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <map>
#include <set>
#include <variant>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kWorkloadListWidth = 400;

//! Parameters that the new workload has too are kept: comparing two workloads on the same tables is common. Of those of
//! the plan's sizes nothing is seen here, so what it does not have goes there as well.
void changeWorkload(Plan& plan, const std::string& name)
{
    plan.workload.name = name;
    const WorkloadInfo* info = findWorkload(name);
    if (!info)
        return;
    const auto has = [info](std::string_view param) {
        return std::ranges::find(info->options, param, &OptionSpec::name) != info->options.end();
    };
    std::erase_if(plan.workload.params, [&has](const auto& entry) { return !has(entry.first); });
    constexpr std::string_view kOfWorkload = "workload.";
    for (PlanSize& size : plan.sizes) {
        std::erase_if(size.fields, [&](const auto& field) {
            const std::string_view path = field.first;
            return path.starts_with(kOfWorkload) && !has(path.substr(kOfWorkload.size()));
        });
    }
}

//! What is said of the text of another script goes with it: of Lua all, else not how it is sent and what is loaded.
void putScript(Plan& plan, const std::string& workload, const Settings& params)
{
    changeWorkload(plan, workload);
    if (workload == kLuaWorkload)
        plan.workload.params.clear();
    for (const char* param : {kScriptsParam, kDefineParam, kFilesParam, "builtin"})
        plan.workload.params.erase(param);
    for (const auto& [param, value] : params)
        plan.workload.params[param] = value;
}

} // namespace

WorkloadForm::WorkloadForm(PlanEditor& editor, QWidget* parent)
    : QWidget(parent)
    , m_editor(editor)
    , m_workload(new WorkloadList(this))
    , m_name(makeLabel({}, TextRole::Section, this))
    , m_prepare(new QComboBox(this))
    , m_cleanup(new QCheckBox(tr("drop afterwards"), this))
    , m_description(new WrapLabel({}, TextRole::Secondary, this))
    , m_size(new WrapLabel({}, TextRole::Secondary, this))
    , m_source(new WrapLabel({}, TextRole::Label, this))
    , m_script(makeButton(tr("Write and try the script…"), "soft", {}, this))
    , m_open(makeButton(tr("Open script…"), "soft", {}, this))
    , m_options(new OptionForm(u"workload"_s, this))
{
    m_name->setObjectName(u"workloadName"_s);
    m_name->setWordWrap(true);
    describe(m_prepare, u"workloadPrepare"_s, tr("Data"), tr("What happens to the tables before the first run"));
    m_prepare->addItem(tr("load what is missing"), int(PreparePolicy::Auto));
    m_prepare->addItem(tr("load nothing"), int(PreparePolicy::Never));
    m_prepare->addItem(tr("use as is"), int(PreparePolicy::Use));
    m_prepare->addItem(tr("drop and load"), int(PreparePolicy::Always));
    describe(m_cleanup, u"workloadCleanup"_s, tr("Drop the tables afterwards"),
             tr("Drop the tables after the last run"));
    m_cleanup->setFixedHeight(space::controlHeight);
    m_description->setObjectName(u"workloadDescription"_s);
    m_size->setObjectName(u"workloadSize"_s);
    m_size->hide();
    m_source->setObjectName(u"workloadSource"_s);

    describe(m_script, u"workloadScript"_s, tr("Write and try the script"),
             tr("Open the page with the editor, where one transaction can be tried"));
    describe(m_open, u"workloadOpen"_s, tr("Open a script"),
             tr("Take the text of a file: for pgbench -f, a .workload file, or Lua for sysbench"));
    m_workload->setFixedWidth(kWorkloadListWidth);
    auto* fields = new QWidget(this);
    auto* flow = new FlowLayout(fields, space::cardGap);
    flow->addWidget(new Field(tr("Data"), m_prepare, 180));
    flow->addWidget(new Field(tr("Afterwards"), m_cleanup, 150));
    auto* chosen = new QVBoxLayout;
    chosen->setSpacing(2);
    chosen->addWidget(m_name);
    chosen->addWidget(m_description);
    chosen->addWidget(m_size);
    chosen->addWidget(m_source);
    chosen->addSpacing(space::cardGap);
    chosen->addWidget(fields);
    chosen->addSpacing(space::cardGap);
    auto* doors = new QHBoxLayout;
    doors->addWidget(m_script);
    doors->addWidget(m_open);
    doors->addStretch(1);
    chosen->addLayout(doors);
    chosen->addStretch(1);
    auto* top = new QHBoxLayout;
    top->setSpacing(space::pageMargin);
    top->addWidget(m_workload, 0, Qt::AlignTop);
    top->addLayout(chosen, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::cardGap);
    layout->addLayout(top);
    layout->addWidget(m_options);

    connect(m_workload, &WorkloadList::picked, this, [this](const QString& id) { choose(id.toStdString()); });
    connect(m_workload, &WorkloadList::ownPicked, this, &WorkloadForm::chooseOwn);
    connect(m_workload, &WorkloadList::ownRemoveWanted, this, &WorkloadForm::ownRemoveWanted);
    connect(m_script, &QPushButton::clicked, this, &WorkloadForm::scriptWanted);
    connect(m_open, &QPushButton::clicked, this, &WorkloadForm::openWanted);
    connect(m_prepare, &QComboBox::activated, this, [this] {
        m_editor.edit(tr("Change data policy"),
                      [this](Plan& plan) { plan.workload.prepare = PreparePolicy(m_prepare->currentData().toInt()); });
    });
    connect(m_cleanup, &QCheckBox::clicked, this, [this](bool on) {
        m_editor.edit(tr("Change clean-up"), [on](Plan& plan) { plan.workload.cleanup = on; });
    });
    connect(m_options, &OptionForm::edited, this, [this](const QString& name, const std::optional<Value>& value) {
        const std::string key = name.toStdString();
        m_editor.edit(
            tr("Set %1").arg(name),
            [&](Plan& plan) {
                if (value)
                    plan.workload.params[key] = *value;
                else
                    plan.workload.params.erase(key);
            },
            u"workload.params."_s + name);
    });
    connect(&editor, &PlanEditor::changed, this, &WorkloadForm::sync);
    connect(&editor, &PlanEditor::checked, this, &WorkloadForm::showSize);
    sync();
}

void WorkloadForm::choose(const std::string& name)
{
    m_editor.edit(tr("Change workload"), [&name](Plan& plan) { changeWorkload(plan, name); });
}

void WorkloadForm::setOwn(const std::vector<OwnWorkload>& own)
{
    m_own = own;
    markOwn();
}

//! Its text comes from a file, which somebody else may have put there.
void WorkloadForm::chooseOwn(const QString& name)
{
    const auto own = std::ranges::find(m_own, name.toStdString(), &OwnWorkload::name);
    if (own == m_own.end() || own->params.empty())
        return;
    m_editor.insert(tr("Change workload"), [&](Plan& plan) { putScript(plan, kScriptWorkload, own->params); });
}

void WorkloadForm::take(const OpenedScript& opened)
{
    m_editor.insert(tr("Open a script"), [&](Plan& plan) { putScript(plan, opened.workload, opened.params); });
}

void WorkloadForm::addBelow(QWidget* widget)
{
    layout()->addWidget(widget);
}

void WorkloadForm::goToMistake()
{
    const QString script = QString::fromLatin1(kLuaScriptParam);
    m_options->focusOption(script);
    if (Field* field = m_options->field(script)) {
        if (auto* text = qobject_cast<ScriptEditor*>(field->control()))
            text->goToMistake();
    }
}

//! The one whose text the plan has, unchanged.
void WorkloadForm::markOwn()
{
    const Plan& plan = m_editor.plan();
    const auto text = plan.workload.params.find(kScriptsParam);
    std::string chosen;
    if (plan.workload.name == kScriptWorkload && text != plan.workload.params.end()) {
        const std::string script = toText(text->second);
        const bool ends = script.ends_with('\n'); // a file always does
        for (const OwnWorkload& own : m_own) {
            if (own.text == script || (!ends && own.text == script + '\n'))
                chosen = own.name;
        }
    }
    m_workload->setOwn(m_own, qtText(chosen));
}

void WorkloadForm::sync()
{
    const Plan& plan = m_editor.plan();
    const QString name = qtText(plan.workload.name);
    m_workload->setChosen(m_editor.driver(), name);
    markOwn();
    const WorkloadInfo* info = findWorkload(plan.workload.name);
    m_name->setText(info ? qtText(info->name) : name);
    setTone(m_name, info ? Tone::Neutral : Tone::Bad);
    m_description->setText(info ? qtText(info->description)
                                : tr("There is no workload “%1”; choose one from the list").arg(name));
    m_source->setText(info && !info->source.empty() ? tr("Defined by %1").arg(qtText(info->source)) : QString());
    m_source->setVisible(!m_source->text().isEmpty());
    m_prepare->setCurrentIndex(m_prepare->findData(int(plan.workload.prepare)));
    m_cleanup->setChecked(plan.workload.cleanup);
    m_script->setVisible(plan.workload.name == kScriptWorkload);
    m_open->setVisible(plan.workload.name == kScriptWorkload || plan.workload.name == kLuaWorkload);
    m_options->setOptions(info ? info->options : OptionSpecs());
    m_options->setValues(plan.workload.params);
}

//! A description cannot tell the size of the data for every value of the parameters; the workload's own estimate does,
//! as PlanCheck::bytes adds it up.
void WorkloadForm::showSize()
{
    const quint64 bytes = m_editor.check().bytes;
    QStringList lines{
        bytes > 0
            ? tr("Data of all targets, including what the runs insert: about %1").arg(format::bytes(double(bytes)))
            : tr("Size of the data: not known in advance")};
    // What is written as "4 x cache" is a number for each point, the same or another.
    std::map<std::string, std::set<std::int64_t>> multiples;
    for (const PointSpec& point : m_editor.check().firstPoints) {
        for (const auto& [name, value] : multiplesOf(m_editor.plan(), point)) {
            if (const auto* number = std::get_if<std::int64_t>(&value))
                multiples[name].insert(*number);
        }
    }
    const WorkloadInfo* info = findWorkload(m_editor.plan().workload.name);
    for (const auto& [name, values] : multiples) {
        // By the name that its field has.
        const auto option =
            info ? std::ranges::find(info->options, name, &OptionSpec::name) : OptionSpecs::const_iterator();
        const QString label = qtText(info && option != info->options.end() ? option->label : name);
        const QString least = format::count(*values.begin()), most = format::count(*values.rbegin());
        lines << (values.size() == 1
                      ? tr("%1 with the caches of this plan: %2").arg(label, least)
                      : tr("%1 with the caches of this plan: %2 to %3, by point").arg(label, least, most));
    }
    m_size->setText(lines.join(u'\n'));
    m_size->setVisible(m_editor.check().faults.empty()); // else it is not known yet
}

void WorkloadForm::focusPath(const QString& where)
{
    const WorkloadInfo* workload = findWorkload(m_editor.plan().workload.name);
    const bool any = where == "workload.params"_L1 && workload && !workload->options.empty(); // the size comes first
    const QString name = any ? qtText(workload->options.front().name) : where.section(u'.', -1);
    if (!m_options->focusOption(name))
        m_workload->focusSearch();
}

} // namespace dyno
