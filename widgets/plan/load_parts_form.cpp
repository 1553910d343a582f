// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/load_parts_form.h"

#include "parts/field.h"
#include "parts/labels.h"
#include "parts/plan_text.h"
#include "plan/option_form.h"
#include "plan/plan_editor.h"
#include "plan/value_delegate.h"
#include "plots/phase_band.h"
#include "theme.h"

#include <dyno/catalog.h>

#include <QHBoxLayout>
#include <QHeaderView>
#include <QHelpEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kLoadHeight = 36, kNamesHeight = 16, kNamesGap = 3; // pixels
constexpr double kLoadTint = 0.25;                                // of the accent below the line
constexpr int kLeastPartColumn = 84;

//! Parameters of the group's workload, with the plan's as what holds where the group says nothing. Those that change
//! the data are the plan's alone, but for `shownToo`.
OptionSpecs paramsOfGroup(const Plan& plan, const LoadGroup& group, const std::set<std::string>& shownToo)
{
    const WorkloadInfo* info = findWorkload(group.workload.empty() ? plan.workload.name : group.workload);
    OptionSpecs options;
    for (OptionSpec option : info ? info->options : OptionSpecs()) {
        if (option.affectsData && !shownToo.contains(option.name))
            continue;
        if (const auto own = plan.workload.params.find(option.name); own != plan.workload.params.end())
            option.defaultValue = own->second;
        options.push_back(std::move(option));
    }
    return options;
}

} // namespace

// --- PhasePicture ---

PhasePicture::PhasePicture(QWidget* parent)
    : QWidget(parent)
{
    setFixedHeight(kLoadHeight + kNamesGap + kNamesHeight);
    describe(this, u"phasePicture"_s, tr("The phases of a run"));
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void PhasePicture::setLoad(const LoadProfile& load)
{
    m_phases = plotPhases(load, 0);
    m_ramps.clear();
    for (const LoadPhase& phase : load.phases)
        m_ramps.push_back(std::min(phase.rampSeconds, phase.seconds));
    QStringList told;
    for (const PlotPhase& phase : m_phases)
        told << phase.tooltip;
    setAccessibleDescription(told.join(u'\n'));
    setVisible(!m_phases.empty());
    update();
}

double PhasePicture::placeOf(double seconds) const
{
    return m_phases.empty() || m_phases.back().to <= 0 ? 0 : seconds / m_phases.back().to * width();
}

void PhasePicture::paintEvent(QPaintEvent* /*event*/)
{
    if (m_phases.empty())
        return;
    const ThemeColors& colors = Theme::instance().colors();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const auto heightOf = [](double level) { return 1 + (kLoadHeight - 2) * (1 - std::clamp(level, 0.0, 1.0)); };
    QPolygonF line;
    double before = 0;
    for (std::size_t i = 0; i < m_phases.size(); ++i) {
        const PlotPhase& phase = m_phases[i];
        line << QPointF(placeOf(phase.from), heightOf(before))
             << QPointF(placeOf(phase.from + m_ramps[i]), heightOf(phase.level))
             << QPointF(placeOf(phase.to), heightOf(phase.level));
        before = phase.level;
    }
    QPolygonF area = line;
    area << QPointF(width(), kLoadHeight) << QPointF(0, kLoadHeight);
    QColor fill = colors.accent;
    fill.setAlphaF(float(kLoadTint));
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawPolygon(area);
    painter.setPen(QPen(colors.accent, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(line);
    for (const PlotPhase& phase : m_phases) {
        const double left = placeOf(phase.from), right = placeOf(phase.to) - 1; // a gap to the next one
        drawPhase(painter, {left, double(kLoadHeight + kNamesGap), std::max(1.0, right - left), double(kNamesHeight)},
                  phase, colors, true);
    }
}

bool PhasePicture::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    for (const PlotPhase& phase : m_phases) {
        if (help->pos().x() >= placeOf(phase.from) && help->pos().x() < placeOf(phase.to))
            QToolTip::showText(help->globalPos(), phase.tooltip, this);
    }
    return true;
}

// --- LoadPartsForm ---

LoadPartsForm::LoadPartsForm(LoadPart part, PlanEditor& editor, QWidget* parent)
    : QWidget(parent)
    , m_editor(editor)
    , m_model(new LoadPartsModel(part, editor, this))
    , m_table(new FitTable(this))
    , m_remove(makeButton(tr("Remove"), "link", {}, this))
    , m_up(makeButton(tr("Up"), "link", {}, this))
    , m_down(makeButton(tr("Down"), "link", {}, this))
    , m_add(makeButton(part == LoadPart::Phase ? tr("+ Phase") : tr("+ Group"), "link", {}, this))
    , m_empty(new WrapLabel(part == LoadPart::Phase ? tr("None: the load is the same from start to end.")
                                                    : tr("None: all users do the same."),
                            TextRole::Secondary, this))
    , m_problem(new WrapLabel({}, TextRole::Secondary, this))
{
    const bool phases = part == LoadPart::Phase;
    const QString prefix = phases ? u"phases"_s : u"groups"_s;
    setObjectName(prefix + u"Form"_s);
    m_empty->setObjectName(prefix + u"Empty"_s);
    m_problem->setObjectName(prefix + u"Problem"_s);
    setTone(m_problem, Tone::Bad);
    describe(m_table, prefix + u"Table"_s, phases ? tr("Phases of the load") : tr("Groups of users"), u" "_s);
    m_table->setToolTip({});
    m_table->setModel(m_model);
    m_table->setItemDelegate(new ValueDelegate(m_table));
    QHeaderView* header = m_table->horizontalHeader();
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header->setMinimumSectionSize(kLeastPartColumn);
    header->setSectionResizeMode(QHeaderView::Stretch);
    describe(m_add, prefix + u"Add"_s, phases ? tr("Add a phase") : tr("Add a group"),
             phases ? tr("A stretch of the measured time with users and a rate of its own")
                    : tr("Users with a workload, parameters and a pace of their own, beside the others"));
    describe(m_remove, prefix + u"Remove"_s, tr("Remove the selected rows"), tr("Remove the selected rows (Delete)"));
    describe(m_up, prefix + u"Up"_s, tr("Move the row up"), tr("Move the row up (Alt+Up)"));
    describe(m_down, prefix + u"Down"_s, tr("Move the row down"), tr("Move the row down (Alt+Down)"));

    auto* top = new QHBoxLayout;
    top->setContentsMargins(0, 0, 0, 0);
    top->setSpacing(space::cardGap);
    top->addWidget(makeStrongLabel(phases ? tr("Phases, one after the other") : tr("Groups, all at once"), this));
    top->addStretch();
    for (QPushButton* button : {m_up, m_down, m_remove, m_add})
        top->addWidget(button);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::grid);
    layout->addLayout(top);
    layout->addWidget(m_empty);
    layout->addWidget(m_table);
    layout->addWidget(m_problem);
    if (phases) {
        m_picture = new PhasePicture(this);
        layout->addWidget(m_picture);
    } else {
        m_paramsOf = new WrapLabel({}, TextRole::Secondary, this);
        m_paramsOf->setObjectName(u"groupParamsOf"_s);
        m_params = new OptionForm(u"group"_s, this);
        layout->addWidget(m_paramsOf);
        layout->addWidget(m_params);
        connect(m_params, &OptionForm::edited, this, [this](const QString& name, const std::optional<Value>& value) {
            const auto row = std::size_t(m_row);
            m_editor.edit(
                tr("Set %1").arg(name),
                [&](Plan& plan) {
                    Settings& params = plan.load.groups[row].params;
                    if (value)
                        params[name.toStdString()] = *value;
                    else
                        params.erase(name.toStdString());
                },
                u"load.group.%1.params.%2"_s.arg(row).arg(name));
        });
    }

    connect(m_add, &QPushButton::clicked, this, &LoadPartsForm::add);
    connect(m_remove, &QPushButton::clicked, this, &LoadPartsForm::removeSelected);
    connect(m_up, &QPushButton::clicked, this, [this] { move(-1); });
    connect(m_down, &QPushButton::clicked, this, [this] { move(1); });
    connect(m_table, &FitTable::removeRequested, this, &LoadPartsForm::removeSelected);
    connect(m_table, &FitTable::moveRequested, this, &LoadPartsForm::move);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& now) {
        if (!now.isValid())
            return; // the rows are about to change
        m_row = now.row();
        m_column = now.column();
        refresh();
    });
    connect(m_model, &LoadPartsModel::problemsChanged, this, [this] {
        refresh();
        emit problemChanged();
    });
    connect(&editor, &PlanEditor::replaced, this, [this] { m_shownOf.clear(); });
    connect(&editor, &PlanEditor::changed, this, &LoadPartsForm::refresh); // the model has heard of it before
    refresh();
}

void LoadPartsForm::refresh()
{
    const int rows = m_model->rowCount();
    if (rows > 0 && !m_table->currentIndex().isValid()) {
        m_row = std::clamp(m_row, 0, rows - 1);
        m_column = std::clamp(m_column, 0, m_model->columnCount() - 1);
        m_table->setCurrentIndex(m_model->index(m_row, m_column));
    }
    m_empty->setVisible(rows == 0);
    m_table->setVisible(rows > 0);
    for (QPushButton* button : {m_remove, m_up, m_down})
        button->setVisible(rows > 0);
    m_up->setEnabled(m_row > 0);
    m_down->setEnabled(m_row + 1 < rows);
    // Of the current cell, else the first one.
    QString problem = m_model->problemOf(m_table->currentIndex());
    for (int row = 0; row < rows && problem.isEmpty(); ++row) {
        for (int column = 0; column < m_model->columnCount() && problem.isEmpty(); ++column)
            problem = m_model->problemOf(m_model->index(row, column));
    }
    for (int row = 0; row < rows && problem.isEmpty(); ++row)
        problem = m_model->problemOfRow(row);
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    if (m_picture)
        m_picture->setLoad(m_editor.plan().load);
    else
        showParams();
}

//! Of the current group.
void LoadPartsForm::showParams()
{
    const Plan& plan = m_editor.plan();
    const bool any = m_row >= 0 && std::size_t(m_row) < plan.load.groups.size();
    m_paramsOf->setVisible(any);
    m_params->setVisible(any);
    if (!any)
        return;
    const LoadGroup& group = plan.load.groups[std::size_t(m_row)];
    const QString shown = qtText(group.name) + u'\n' + qtText(group.workload);
    if (std::exchange(m_shownOf, shown) != shown)
        m_shownToo.clear();
    for (const auto& entry : group.params) // a field stays where it is emptied
        m_shownToo.insert(entry.first);
    m_paramsOf->setText(tr("Parameters of “%1”; what is empty is as in the plan’s workload").arg(qtText(group.name)));
    m_params->setOptions(paramsOfGroup(plan, group, m_shownToo));
    m_params->setValues(group.params);
}

void LoadPartsForm::add()
{
    const int row = m_model->add();
    if (row < 0) {
        m_problem->setText(m_model->part() == LoadPart::Phase ? tr("A plan has at most %1 phases").arg(kMostPhases)
                                                              : tr("A plan has at most %1 groups").arg(kMostGroups));
        m_problem->show();
        return;
    }
    focusField(row, u"name"_s);
    m_table->edit(m_table->currentIndex());
}

void LoadPartsForm::removeSelected()
{
    m_model->remove(m_table->selectedRows());
}

void LoadPartsForm::move(int by)
{
    const int row = m_row, column = m_column;
    if (m_model->move(row, by))
        m_table->setCurrentIndex(m_model->index(row + by, column));
}

void LoadPartsForm::focusField(int row, const QString& field)
{
    m_table->setFocus(Qt::OtherFocusReason);
    if (row >= 0 && row < m_model->rowCount())
        m_table->setCurrentIndex(m_model->index(row, std::max(0, m_model->columnOf(field))));
    else if (m_model->rowCount() == 0)
        m_add->setFocus(Qt::OtherFocusReason);
    constexpr QLatin1StringView kParams("params.");
    if (m_params && field.startsWith(kParams))
        m_params->focusOption(field.mid(kParams.size()));
}

} // namespace dyno
