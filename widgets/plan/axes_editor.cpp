// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/axes_editor.h"

#include "parts/field.h"
#include "parts/labels.h"
#include "parts/plan_text.h"
#include "plan/axes_model.h"
#include "plan/knob_header.h"
#include "plan/knob_picker.h"
#include "plan/plan_editor.h"
#include "plan/value_delegate.h"
#include "theme.h"

#include <dyno/plan_refs.h>

#include <QDragEnterEvent>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPainter>
#include <QRegularExpression>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

KnobPicker* openPicker(const QString& title, const std::vector<KnobChoice>& choices, const QString& driver,
                       QWidget* parent)
{
    // One at a time, and not modal: its knobs can be dragged onto the axes.
    for (KnobPicker* other : parent->findChildren<KnobPicker*>())
        other->close();
    auto* picker = new KnobPicker(title, choices, freeScopes(driver), parent);
    picker->show();
    picker->activateWindow();
    return picker;
}

constexpr int kCellSides = 12; // pixels that a cell has more than its text

void setUpTable(FitTable* table, QAbstractItemModel* model)
{
    table->setModel(model);
    table->setItemDelegate(new ValueDelegate(table));
    table->setContextMenuPolicy(Qt::CustomContextMenu);
    QHeaderView* header = table->horizontalHeader();
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header->setStretchLastSection(true);
    header->setMinimumSectionSize(72);
}

} // namespace

// --- AxisBox ---

AxisBox::AxisBox(PlanEditor& editor, int axis, QWidget* parent)
    : QWidget(parent)
    , m_editor(editor)
    , m_model(new AxisModel(editor, axis, this))
    , m_name(new TitleEdit(false, this))
    , m_table(new FitTable(this))
    , m_header(new KnobHeader(m_table))
    , m_menu(new QMenu(this))
{
    const QString prefix = u"axis%1"_s.arg(axis);
    setObjectName(prefix);
    setAcceptDrops(true);
    describe(m_name, prefix + u".name", tr("Name of axis %1").arg(axis + 1),
             tr("Name of the axis, as charts and tables show it"));
    m_name->setMaximumWidth(260);
    describe(m_table, prefix + u".table", tr("Cases of axis %1").arg(axis + 1), u" "_s);
    m_table->setToolTip({});
    m_table->setHorizontalHeader(m_header);
    setUpTable(m_table, m_model);

    auto* addCaseButton = makeButton(tr("+ Case"), "link", {}, this);
    describe(addCaseButton, prefix + u".addCase", tr("Add a case"), tr("Add a row: a copy of the last case"));
    auto* addKnobButton = makeButton(tr("+ Knob"), "link", {}, this);
    describe(addKnobButton, prefix + u".addKnob", tr("Add a knob"),
             tr("Add a column: one more setting that the cases differ in"));
    auto* more = makeButton(u"⋯"_s, "link", {}, this);
    describe(more, prefix + u".menu", tr("More for this axis"), tr("Move and remove cases, knobs and the axis"));

    auto* top = new QHBoxLayout;
    top->setContentsMargins(0, 0, 0, 0);
    top->setSpacing(space::cardGap);
    top->addWidget(m_name);
    top->addStretch();
    top->addWidget(addKnobButton);
    top->addWidget(addCaseButton);
    top->addWidget(more);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::grid);
    layout->addLayout(top);
    layout->addWidget(m_table);

    connect(m_name, &QLineEdit::editingFinished, this, [this] {
        m_model->rename(m_name->text());
        m_name->setText(m_model->name());
    });
    connect(addCaseButton, &QPushButton::clicked, this, [this] {
        m_wantedRow = m_model->rowCount();
        m_wantedColumn = 0;
        m_model->addCase();
        m_table->setFocus();
        m_table->edit(m_table->currentIndex());
    });
    connect(addKnobButton, &QPushButton::clicked, this, &AxisBox::addKnob);
    connect(m_menu, &QMenu::aboutToShow, this, &AxisBox::fillMenu);
    connect(more, &QPushButton::clicked, this,
            [this, more] { m_menu->popup(more->mapToGlobal(more->rect().bottomLeft())); });
    connect(m_table, &QWidget::customContextMenuRequested, this,
            [this](const QPoint& at) { m_menu->popup(m_table->viewport()->mapToGlobal(at)); });
    connect(m_table, &FitTable::removeRequested, this, &AxisBox::removeSelected);
    connect(m_table, &FitTable::moveRequested, this, [this](int by) {
        const QModelIndex current = m_table->currentIndex();
        const int to = current.row() + by;
        if (!current.isValid() || to < 0 || to >= m_model->rowCount())
            return;
        m_model->moveCase(current.row(), by);
        m_table->setCurrentIndex(m_model->index(to, current.column()));
    });
    connect(m_model, &QAbstractItemModel::modelAboutToBeReset, this, [this] {
        if (m_wantedRow < 0) {
            m_wantedRow = m_table->currentIndex().row();
            m_wantedColumn = m_table->currentIndex().column();
        }
    });
    connect(m_model, &QAbstractItemModel::modelReset, this, &AxisBox::refresh);
    connect(m_model, &QAbstractItemModel::columnsInserted, this, &AxisBox::refresh);
    connect(m_model, &QAbstractItemModel::headerDataChanged, this, &AxisBox::refresh);
    connect(m_model, &QAbstractItemModel::columnsRemoved, this, &AxisBox::refresh);
    refresh();
}

void AxisBox::refresh()
{
    if (!m_name->hasFocus() || !m_name->isModified())
        m_name->setText(m_model->name());
    if (m_model->columnCount() > 0) {
        m_table->setColumnWidth(0, std::clamp(m_table->sizeHintForColumn(0) + kCellSides, 120, 220));
        for (int column = 1; column < m_model->columnCount(); ++column) {
            const int wanted = std::max(m_header->wantedWidth(column), m_table->sizeHintForColumn(column)) + kCellSides;
            // The last one takes what is left; what does not fit there is in its tooltip.
            m_table->setColumnWidth(column, column == m_model->meaningColumn() ? 96 : std::clamp(wanted, 96, 320));
        }
    }
    if (m_wantedRow >= 0 && m_model->rowCount() > 0 && !m_table->currentIndex().isValid()) {
        const int row = std::min(m_wantedRow, m_model->rowCount() - 1);
        const int column = std::clamp(m_wantedColumn, 0, m_model->columnCount() - 1);
        m_table->setCurrentIndex(m_model->index(row, column));
    }
    m_wantedRow = -1;
    m_table->updateGeometry();
}

void AxisBox::setChoices(const std::vector<KnobChoice>& choices)
{
    m_choices = choices;
    m_model->setChoices(choices);
}

void AxisBox::addKnob()
{
    const QStringList there = m_model->knobPaths();
    std::vector<KnobChoice> choices;
    std::copy_if(m_choices.begin(), m_choices.end(), std::back_inserter(choices),
                 [&there](const KnobChoice& choice) { return !there.contains(choice.path); });
    auto* picker = openPicker(tr("Add a knob to “%1”").arg(m_model->name()), choices, m_editor.driver(), window());
    connect(picker, &KnobPicker::picked, this, &AxisBox::take);
}

void AxisBox::take(const KnobChoice& choice)
{
    m_model->addKnob(choice);
    const auto column = m_model->knobPaths().indexOf(choice.path) + 1;
    m_table->setFocus();
    m_table->setCurrentIndex(m_model->index(0, int(column)));
}

void AxisBox::dragEnterEvent(QDragEnterEvent* event)
{
    const QString path = knobPathOf(event->mimeData());
    if (path.isEmpty())
        return;
    // Also one that is a column here already: it must not fall through and become an axis as well.
    event->acceptProposedAction();
    m_dropHere = !m_model->knobPaths().contains(path);
    update();
}

void AxisBox::dragLeaveEvent(QDragLeaveEvent*)
{
    m_dropHere = false;
    update();
}

void AxisBox::dropEvent(QDropEvent* event)
{
    m_dropHere = false;
    update();
    event->acceptProposedAction();
    take(knobChoice(m_choices, knobPathOf(event->mimeData())));
}

void AxisBox::paintEvent(QPaintEvent* event)
{
    QWidget::paintEvent(event);
    if (!m_dropHere)
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(Theme::instance().colors().accent, 2));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), space::controlRadius, space::controlRadius);
}

void AxisBox::fillMenu()
{
    m_menu->clear();
    const QModelIndex current = m_table->currentIndex();
    const QList<int> rows = m_table->selectedRows();
    QAction* up = m_menu->addAction(tr("Move case up"), this, [this] { emit m_table->moveRequested(-1); });
    up->setShortcut(Qt::ALT | Qt::Key_Up);
    up->setEnabled(current.isValid() && current.row() > 0);
    QAction* down = m_menu->addAction(tr("Move case down"), this, [this] { emit m_table->moveRequested(1); });
    down->setShortcut(Qt::ALT | Qt::Key_Down);
    down->setEnabled(current.isValid() && current.row() + 1 < m_model->rowCount());
    QAction* remove =
        m_menu->addAction(rows.size() > 1 ? tr("Remove %n cases", nullptr, int(rows.size())) : tr("Remove case"), this,
                          [this, rows] { m_model->removeCases(rows); });
    remove->setObjectName(u"removeCases"_s);
    remove->setEnabled(!rows.isEmpty() && m_model->rowCount() > 1);
    m_menu->addSeparator();
    for (const QString& path : m_model->knobPaths()) {
        m_menu->addAction(tr("Remove knob “%1”").arg(splitPath(path).name), this,
                          [this, path] { m_model->removeKnob(path); });
    }
    m_menu->addSeparator();
    const int axis = m_model->axis();
    const auto count = int(m_editor.plan().axes.size());
    const auto swapWith = [this, axis](int other) {
        m_editor.edit(tr("Move axis"), [axis, other](Plan& plan) {
            std::swap(plan.axes[std::size_t(axis)], plan.axes[std::size_t(other)]);
        });
    };
    m_menu->addAction(tr("Move axis up"), this, [swapWith, axis] { swapWith(axis - 1); })->setEnabled(axis > 0);
    m_menu->addAction(tr("Move axis down"), this, [swapWith, axis] { swapWith(axis + 1); })
        ->setEnabled(axis + 1 < count);
    QAction* removeAxis = m_menu->addAction(tr("Remove axis “%1”").arg(m_model->name()), this, [this, axis] {
        // The box may go with its axis: nothing of it is touched after this.
        m_editor.edit(tr("Remove axis"), [axis](Plan& plan) {
            const Plan before = plan;
            const std::string name = plan.axes[std::size_t(axis)].name;
            plan.axes.erase(plan.axes.begin() + axis);
            forgetLostCases(plan, before);
            for (View& view : plan.views)
                leaveAxisOut(view, name);
        });
    });
    removeAxis->setObjectName(u"removeAxis"_s);
}

void AxisBox::removeSelected()
{
    const QModelIndexList selected = m_table->selectionModel()->selectedIndexes();
    QList<int> rows;
    QList<QPersistentModelIndex> cells;
    for (const QModelIndex& index : selected) {
        if (index.column() == 0)
            rows << index.row();
        else
            cells << index;
    }
    if (!rows.isEmpty()) {
        m_model->removeCases(rows);
        return;
    }
    for (const QPersistentModelIndex& cell : std::as_const(cells)) {
        if (cell.isValid())
            m_model->setData(cell, QString());
    }
}

void AxisBox::focusCell(int row, const QString& knob)
{
    const int column = knob.isEmpty() ? 0 : int(m_model->knobPaths().indexOf(knob)) + 1;
    m_table->setFocus(Qt::OtherFocusReason);
    m_table->setCurrentIndex(m_model->index(std::clamp(row, 0, std::max(0, m_model->rowCount() - 1)), column));
}

// --- AxesEditor ---

AxesEditor::AxesEditor(PlanEditor& editor, QWidget* parent)
    : QWidget(parent)
    , m_editor(editor)
    , m_column(new QVBoxLayout)
    , m_empty(new WrapLabel(tr("Only the users vary. Add an axis to compare settings, one case each."),
                            TextRole::Secondary, this))
    , m_dropHint(makeLabel(tr("+ Drop here for a new axis, or on a table for a new column"), TextRole::Secondary, this))
    , m_restartNote(
          new WrapLabel(tr("↻ needs a restart: done by Dynobench between cases. The value in force is read back "
                           "before measuring."),
                        TextRole::Label, this))
    , m_settings(new SettingsModel(editor, this))
    , m_settingsTable(new FitTable(this))
    , m_removeSetting(makeButton(tr("Remove"), "link", {}, this))
{
    m_empty->setObjectName(u"axesEmpty"_s);
    setAcceptDrops(true);
    m_dropHint->setObjectName(u"axesDropHint"_s);
    setTone(m_dropHint, Tone::Accent);
    m_dropHint->setVisible(false);
    setUpTable(m_settingsTable, m_settings);
    describe(m_settingsTable, u"settingsTable"_s, tr("Settings of all runs"), u" "_s);
    m_settingsTable->setToolTip({});
    describe(m_removeSetting, u"removeSetting"_s, tr("Remove the selected settings"));
    auto* add = makeButton(tr("+ Setting"), "link", {}, this);
    describe(add, u"addSetting"_s, tr("Add a setting"), tr("Set a knob to one value for all runs"));

    auto* settingsTop = new QHBoxLayout;
    settingsTop->setContentsMargins(0, 0, 0, 0);
    settingsTop->setSpacing(space::cardGap);
    settingsTop->addWidget(makeStrongLabel(tr("Settings of all runs"), this));
    settingsTop->addStretch();
    settingsTop->addWidget(m_removeSetting);
    settingsTop->addWidget(add);

    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(16);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::cardGap);
    layout->addWidget(m_empty);
    layout->addLayout(m_column);
    layout->addWidget(m_dropHint);
    layout->addLayout(settingsTop);
    layout->addWidget(m_settingsTable);
    layout->addWidget(m_restartNote);

    connect(add, &QPushButton::clicked, this, &AxesEditor::addSetting);
    const auto removeSettings = [this] { m_settings->remove(m_settingsTable->selectedRows()); };
    connect(m_removeSetting, &QPushButton::clicked, this, removeSettings);
    connect(m_settingsTable, &FitTable::removeRequested, this, removeSettings);
    connect(&editor, &PlanEditor::changed, this, &AxesEditor::sync);
    sync();
}

void AxesEditor::sync()
{
    updateChoices();
    const auto axes = m_editor.plan().axes.size();
    while (m_boxes.size() > axes) {
        // Later, since the box may be the sender of what removed its axis.
        m_boxes.back()->hide();
        m_boxes.back()->deleteLater();
        m_boxes.pop_back();
    }
    while (m_boxes.size() < axes) {
        auto* box = new AxisBox(m_editor, int(m_boxes.size()), this);
        box->setChoices(m_choices);
        m_column->addWidget(box);
        m_boxes.push_back(box);
    }
    m_empty->setVisible(axes == 0);
    const bool settings = m_settings->rowCount() > 0;
    m_settingsTable->setVisible(settings);
    m_removeSetting->setVisible(settings);
    m_settingsTable->setColumnWidth(SettingsModel::NameColumn, 220);
    m_settingsTable->setColumnWidth(SettingsModel::ValueColumn, 160);
    m_settingsTable->setColumnWidth(SettingsModel::ScopeColumn, 160);
    const auto& plan = m_editor.plan();
    const bool restart = std::any_of(m_choices.begin(), m_choices.end(), [&plan](const KnobChoice& choice) {
        const std::string path = choice.path.toStdString();
        const auto varies = [&path](const Axis& axis) {
            return std::any_of(axis.cases.begin(), axis.cases.end(),
                               [&path](const Case& one) { return one.set.contains(path); });
        };
        return choice.restart && std::any_of(plan.axes.begin(), plan.axes.end(), varies);
    });
    m_restartNote->setVisible(restart);
}

void AxesEditor::updateChoices()
{
    const QString now = m_editor.driver() + u'|' + qtText(m_editor.plan().workload.name);
    if (now == m_choicesFor)
        return;
    m_choicesFor = now;
    m_choices = knobChoices(m_editor.driver(), qtText(m_editor.plan().workload.name));
    m_settings->setChoices(m_choices);
    for (AxisBox* box : m_boxes)
        box->setChoices(m_choices);
}

void AxesEditor::addAxis()
{
    auto* picker = openPicker(tr("What should vary?"), m_choices, m_editor.driver(), window());
    connect(picker, &KnobPicker::picked, this, &AxesEditor::addAxisOf);
}

void AxesEditor::addAxisOf(const KnobChoice& choice)
{
    const Axis axis = axisOf(choice, m_editor.plan());
    m_editor.edit(tr("Add axis"), [&axis](Plan& plan) {
        plan.axes.push_back(axis);
        // The newest axis is what the person wants to see: first free place of the first chart.
        if (!plan.views.empty() && plan.views.front().series.empty() && plan.views.front().x != axis.name)
            plan.views.front().series = axis.name;
    });
    AxisBox* box = m_boxes.back();
    box->model().addKnob(choice);
    box->focusCell(0, choice.path);
}

void AxesEditor::showDrop(bool on)
{
    m_dropHint->setVisible(on);
}

void AxesEditor::dragEnterEvent(QDragEnterEvent* event)
{
    if (knobPathOf(event->mimeData()).isEmpty())
        return;
    event->acceptProposedAction();
    showDrop(true);
}

void AxesEditor::dragLeaveEvent(QDragLeaveEvent*)
{
    showDrop(false);
}

void AxesEditor::dropEvent(QDropEvent* event)
{
    showDrop(false);
    const QString path = knobPathOf(event->mimeData());
    if (path.isEmpty())
        return;
    event->acceptProposedAction();
    addAxisOf(knobChoice(m_choices, path));
}

void AxesEditor::addSetting()
{
    auto* picker = openPicker(tr("Set for all runs"), m_choices, m_editor.driver(), window());
    connect(picker, &KnobPicker::picked, this, [this](const KnobChoice& choice) {
        m_settings->add(choice);
        sync(); // a setting without a value yet is not in the plan
        for (int row = 0; row < m_settings->rowCount(); ++row) {
            if (m_settings->path(row) != choice.path)
                continue;
            const QModelIndex index = m_settings->index(row, SettingsModel::ValueColumn);
            m_settingsTable->setFocus();
            m_settingsTable->setCurrentIndex(index);
        }
    });
}

void AxesEditor::focusPath(const QString& where)
{
    static const QRegularExpression axisPath(u"^axis\\[(\\d+)\\](?:\\.cases\\[(\\d+)\\])?(?:\\.set\\.(.+))?"_s);
    const QRegularExpressionMatch match = axisPath.match(where);
    if (match.hasMatch()) {
        const auto axis = std::size_t(match.captured(1).toUInt());
        if (axis < m_boxes.size())
            m_boxes[axis]->focusCell(match.captured(2).toInt(), match.captured(3));
        return;
    }
    if (where == "set"_L1)
        m_settingsTable->setFocus(Qt::OtherFocusReason);
    if (where.startsWith("set."_L1)) {
        for (int row = 0; row < m_settings->rowCount(); ++row) {
            if (m_settings->path(row) == where.mid(4)) {
                m_settingsTable->setFocus(Qt::OtherFocusReason);
                m_settingsTable->setCurrentIndex(m_settings->index(row, SettingsModel::ValueColumn));
            }
        }
    }
}

} // namespace dyno
