// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/plan_steps.h"

#include "parts/field.h"
#include "parts/labels.h"
#include "plan/about_form.h"
#include "plan/axes_editor.h"
#include "plan/load_form.h"
#include "plan/observe_form.h"
#include "plan/plan_editor.h"
#include "plan/step_card.h"
#include "plan/step_lines.h"
#include "plan/target_form.h"
#include "plan/workload_form.h"
#include "theme.h"

#include <QVBoxLayout>

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kStepGap = 8;

} // namespace

PlanSteps::PlanSteps(PlanEditor& editor, const PlanForms& forms, QWidget* parent)
    : QWidget(parent)
    , m_editor(editor)
    , m_forms(forms)
    , m_column(new QVBoxLayout(this))
{
    setObjectName(u"planSteps"_s);
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(kStepGap);
    buildSteps();
    addNextButtons();
    int widest = 0;
    for (const Step& step : m_steps)
        widest = std::max(widest, step.card->header().nameWidth());
    for (const Step& step : m_steps) {
        step.card->header().setNameWidth(widest);
        connect(step.card, &StepCard::toggled, this,
                [this, card = step.card] { openCard(card->isOpen() ? nullptr : card); });
    }
    connect(&m_editor, &PlanEditor::replaced, this, [this] {
        m_fresh = true;
        foldAll();
    });
    connect(&m_editor, &PlanEditor::changed, this, &PlanSteps::showLines);
    connect(&m_editor, &PlanEditor::checked, this, [this] {
        showLines();
        showFaults();
    });
    connect(m_forms.load, &LoadForm::problemChanged, this, &PlanSteps::showFaults);
    showLines();
}

StepCard* PlanSteps::addStep(PlanSection section, const QString& name, const QString& title, QWidget* form)
{
    const bool numbered = section != PlanSection::About;
    auto* card = new StepCard(name, numbered ? QString::number(m_steps.size() + 1) : QString(), title, form);
    m_column->addWidget(card);
    m_steps.push_back({section, card});
    return card;
}

void PlanSteps::buildSteps()
{
    const auto link = [](StepCard* card, const QString& text, const QString& name, const QString& tip) {
        auto* button = makeButton(text, "link");
        describe(button, name, tip, tip);
        card->addAction(button);
        return button;
    };
    addStep(PlanSection::Target, u"targetCard"_s, tr("Target"), m_forms.target)->setHint(tr("where the load goes"));
    addStep(PlanSection::Workload, u"workloadCard"_s, tr("Workload"), m_forms.workload)
        ->setHint(tr("what each transaction does"));
    StepCard* axes = addStep(PlanSection::Axes, u"axesCard"_s, tr("Knobs and axes"), m_forms.axes);
    axes->setHint(tr("a row is a case, a column is a knob"));
    connect(link(axes, tr("+ Axis"), u"addAxis"_s, tr("Add an axis: something that varies between runs")),
            &QPushButton::clicked, m_forms.axes, &AxesEditor::addAxis);
    addStep(PlanSection::Load, u"loadCard"_s, tr("Load"), m_forms.load);
    StepCard* observe = addStep(PlanSection::Observe, u"observeCard"_s, tr("Observe"), m_forms.observe);
    observe->setHint(tr("server counters, and the charts of this plan"));
    connect(link(observe, tr("+ Chart"), u"addView"_s, tr("Add a chart")), &QPushButton::clicked, m_forms.observe,
            &ObserveForm::addView);
    addStep(PlanSection::About, u"aboutCard"_s, tr("About this plan"), m_forms.about)
        ->setHint(tr("its description, and the sizes it comes in"));
}

//! Each numbered step leads to the next one; the last of them folds.
void PlanSteps::addNextButtons()
{
    for (std::size_t i = 0; i < m_steps.size(); ++i) {
        StepCard* card = m_steps[i].card;
        StepCard* next = i + 1 < m_steps.size() ? m_steps[i + 1].card : nullptr;
        const bool last = !next || m_steps[i + 1].section == PlanSection::About;
        card->setNext(last ? tr("Done") : tr("Done, on to %1").arg(next->accessibleName()),
                      last ? tr("Fold this step") : tr("Fold this step and open the next one"));
        connect(card, &StepCard::nextClicked, this, [this, card, next, last] {
            openCard(last ? nullptr : next);
            (last ? card : next)->header().setFocus(Qt::OtherFocusReason);
        });
    }
}

StepCard* PlanSteps::card(PlanSection section) const
{
    const auto found = std::ranges::find(m_steps, section, &Step::section);
    return found == m_steps.end() ? nullptr : found->card;
}

bool PlanSteps::isOpen(PlanSection section) const
{
    const StepCard* step = card(section);
    return step && step->isOpen();
}

void PlanSteps::open(PlanSection section)
{
    openCard(card(section));
}

void PlanSteps::foldAll()
{
    openCard(nullptr);
}

void PlanSteps::openCard(StepCard* card)
{
    for (const Step& step : m_steps) {
        if (step.card != card)
            step.card->setOpen(false);
    }
    if (!card)
        return;
    m_fresh = false; // a person has chosen
    card->setOpen(true);
    emit opened(card);
}

void PlanSteps::goTo(const QString& where)
{
    const PlanSection section = sectionOf(where);
    if (!isOpen(section))
        open(section);
    switch (section) {
    case PlanSection::Title:
        break;
    case PlanSection::Target:
        m_forms.target->focusUri();
        break;
    case PlanSection::Workload:
        m_forms.workload->focusPath(where);
        break;
    case PlanSection::Axes:
        m_forms.axes->focusPath(where);
        break;
    case PlanSection::Load:
        m_forms.load->focusPath(where);
        break;
    case PlanSection::Observe:
        m_forms.observe->focusPath(where);
        break;
    case PlanSection::About:
        m_forms.about->focusPath(where);
        break;
    }
}

void PlanSteps::addNotice(PlanSection section, QWidget* notice)
{
    if (StepCard* step = card(section))
        m_column->insertWidget(m_column->indexOf(step) + 1, notice);
}

void PlanSteps::showLines()
{
    const Plan& plan = m_editor.plan();
    const auto bytes = m_editor.checking() ? 0 : m_editor.check().bytes;
    for (const Step& step : m_steps) {
        switch (step.section) {
        case PlanSection::Target:
            step.card->setLine(targetLine(plan));
            break;
        case PlanSection::Workload:
            step.card->setLine(workloadLine(plan, bytes));
            break;
        case PlanSection::Axes:
            step.card->setLine(axesLine(plan));
            break;
        case PlanSection::Load:
            step.card->setLine(loadLine(plan));
            break;
        case PlanSection::Observe:
            step.card->setLine(observeLine(plan));
            break;
        case PlanSection::About:
            step.card->setLine(aboutLine(plan));
            break;
        case PlanSection::Title:
            break;
        }
    }
    nameLoop();
}

void PlanSteps::nameLoop()
{
    const LoadProfile& load = m_editor.plan().load;
    card(PlanSection::Load)
        ->setHint(!load.phases.empty()   ? tr("users and rates change from phase to phase")
                  : !load.groups.empty() ? tr("mixed load: groups of users, each with a pace of its own")
                  : load.arrival.open()  ? tr("open loop: transactions arrive whatever the server does")
                                         : tr("closed loop: each user waits for its answer"));
}

void PlanSteps::showFaults()
{
    StepCard* first = nullptr;
    for (const Step& step : m_steps) {
        QString fault;
        int others = -1;
        for (const Fault& one : m_editor.check().faults) {
            if (sectionOf(qtText(one.where)) != step.section)
                continue;
            ++others;
            if (fault.isEmpty())
                fault = sentenceText(one.what);
        }
        if (step.section == PlanSection::Load && !m_forms.load->problem().isEmpty()) {
            fault = m_forms.load->problem();
            ++others;
        }
        if (others > 0)
            fault = tr("%1, and %2 more").arg(fault).arg(others);
        step.card->setFault(fault);
        if (!first && !fault.isEmpty())
            first = step.card;
    }
    if (m_fresh && !m_editor.checking()) {
        m_fresh = false;
        if (first)
            openCard(first);
    }
}

} // namespace dyno
