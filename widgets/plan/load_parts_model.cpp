// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/load_parts_model.h"

#include "format.h"
#include "parts/labels.h"
#include "parts/plan_text.h"
#include "plan/axes_model.h"
#include "plan/plan_editor.h"
#include "theme.h"

#include <dyno/catalog.h>
#include <dyno/load_phases.h>
#include <dyno/plan_refs.h>

#include <algorithm>
#include <functional>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr const char* kNameField = "name";
constexpr const char* kAlone = "part"; // the name of the row in a plan of its own
constexpr double kFirstSeconds = 10;   // of a phase that is added

std::string pathOf(LoadPart part, std::string_view field)
{
    return std::string(part == LoadPart::Phase ? "load.phase." : "load.group.") + kAlone + '.' + std::string(field);
}

bool isTimeField(std::string_view field)
{
    return field == "time" || field == "ramp" || field == "think_time";
}

//! "groups.scans.users" → "scans" and "users"; "" and the field itself for one of the phase's own.
std::pair<std::string, std::string> groupAndField(const std::string& field)
{
    constexpr std::string_view kGroups = "groups.";
    if (!field.starts_with(kGroups))
        return {{}, field};
    const std::size_t dot = field.rfind('.');
    return {field.substr(kGroups.size(), dot - kGroups.size()), field.substr(dot + 1)};
}

QString plainNumber(double number)
{
    return QString::number(number, 'g', 10);
}

QString paceText(const PhasePace& pace, const std::string& field)
{
    if (field == "rate")
        return pace.rate ? plainNumber(*pace.rate) : QString();
    if (field == "weights")
        return qtText(weightsText(pace.weights));
    if (pace.percent)
        return plainNumber(*pace.percent) + u'%';
    return pace.users ? QString::number(*pace.users) : QString();
}

QString phaseCell(const LoadPhase& phase, const std::string& field)
{
    if (field == "time")
        return secondsText(phase.seconds);
    if (field == "ramp")
        return phase.rampSeconds > 0 ? secondsText(phase.rampSeconds) : QString();
    const auto [group, own] = groupAndField(field);
    if (group.empty())
        return paceText(phase.pace, own);
    const auto found = phase.groups.find(group);
    return found == phase.groups.end() ? QString() : paceText(found->second, own);
}

QString groupCell(const LoadGroup& group, const std::string& field)
{
    if (field == "workload")
        return qtText(group.workload);
    if (field == "users")
        return group.users ? QString::number(*group.users) : QString();
    if (field == "rate")
        return group.pace.rate > 0 ? plainNumber(group.pace.rate) : QString();
    return group.pace.thinkSeconds > 0 ? secondsText(group.pace.thinkSeconds) : QString();
}

void clearPhase(LoadPhase& phase, const std::string& field)
{
    const auto [group, own] = groupAndField(field);
    if (field == "ramp") {
        phase.rampSeconds = 0;
        return;
    }
    PhasePace& pace = group.empty() ? phase.pace : phase.groups[group];
    if (own == "rate") {
        pace.rate.reset();
    } else if (own == "weights") {
        pace.weights.clear();
    } else {
        pace.users.reset();
        pace.percent.reset();
    }
    if (!group.empty() && pace == PhasePace())
        phase.groups.erase(group);
}

void clearGroup(LoadGroup& group, const std::string& field)
{
    if (field == "workload") {
        group.workload.clear();
    } else if (field == "users") {
        group.users.reset();
    } else if (field == "rate") {
        group.pace.rate = 0;
        group.pace.model = ArrivalModel::Closed;
    } else {
        group.pace.thinkSeconds = 0;
    }
}

} // namespace

LoadPartsModel::LoadPartsModel(LoadPart part, PlanEditor& editor, QObject* parent)
    : QAbstractTableModel(parent)
    , m_part(part)
    , m_editor(editor)
{
    sync();
    connect(&editor, &PlanEditor::replaced, this,
            &LoadPartsModel::forget); // what was typed belongs to the plan that goes
    connect(&editor, &PlanEditor::changed, this, &LoadPartsModel::sync);
    connect(&editor, &PlanEditor::checked, this, [this] {
        if (rowCount() > 0)
            emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        emit problemsChanged();
    });
}

std::vector<LoadPartsModel::Column> LoadPartsModel::columnsNow() const
{
    std::vector<Column> columns{
        {kNameField, tr("Name"), tr("Letters, digits, _ and -; measures are named after it, such as tps:NAME"), {}}};
    if (m_part == LoadPart::Group) {
        columns.push_back({"workload", tr("Workload"),
                           tr("What its users do, on the tables that the plan's workload loads; empty: that workload"),
                           tr("as the plan")});
        columns.push_back(
            {"users", tr("Users"), tr("How many; 0: it takes no part; empty: as many as under Users"), tr("as above")});
        columns.push_back({"rate", tr("Transactions/s"),
                           tr("Transactions per second that arrive for this group; empty: as many as its users can do"),
                           tr("no limit")});
        columns.push_back({"think_time", tr("Think time"),
                           tr("Pause of a user between two transactions, where there is no rate; empty: none"),
                           tr("none")});
        return columns;
    }
    const LoadProfile& load = m_editor.plan().load;
    columns.push_back({"time", tr("Time"), tr("How long it lasts; s, min or h"), {}});
    columns.push_back({"ramp", tr("Ramp"),
                       tr("Time in which users and rate come from the phase before; empty: at once"), tr("at once")});
    const auto hasRate = [](const LoadPhase& one) { return one.pace.rate.has_value(); };
    columns.push_back({"users", tr("Users"),
                       load.groups.empty() ? tr("How many take part: a number, or a share such as 25%; empty: all")
                                           : tr("The share of each group that takes part, such as 25%; empty: all"),
                       tr("all")});
    if ((load.groups.empty() && load.arrival.open()) || std::ranges::any_of(load.phases, hasRate))
        columns.push_back({"rate", tr("Arrivals/s"),
                           tr("Transactions that arrive per second; empty: as under Arrivals/s"), tr("as above")});
    if (load.phases.empty()) // nothing is shown, and looking for sections reads a script
        return columns;
    const Plan& plan = m_editor.plan();
    const auto hasSections = [](const std::string& workload, const Settings& params) {
        return sectionsOf(workload, params).size() > 1;
    };
    const auto hasWeights = [&load](const std::string& group) {
        return std::ranges::any_of(load.phases, [&group](const LoadPhase& one) {
            const auto found = one.groups.find(group);
            return found != one.groups.end() && !found->second.weights.empty();
        });
    };
    if ((load.groups.empty() && hasSections(plan.workload.name, plan.workload.params)) ||
        std::ranges::any_of(load.phases, [](const LoadPhase& one) { return !one.pace.weights.empty(); }))
        columns.push_back({"weights", tr("Weights"),
                           tr("How often each section of the workload is chosen, such as read=9, write=1; one that is "
                              "not named is not chosen; empty: as the workload has them"),
                           tr("as the workload")});
    std::vector<std::string> groups;
    for (const LoadGroup& group : load.groups)
        groups.push_back(group.name);
    for (const LoadPhase& phase : load.phases) { // also of one that is no group any more, to be seen and removed
        for (const auto& entry : phase.groups) {
            if (std::ranges::find(groups, entry.first) == groups.end())
                groups.push_back(entry.first);
        }
    }
    for (const std::string& name : groups) {
        const QString shown = qtText(name);
        columns.push_back(
            {"groups." + name + ".users", tr("%1: users").arg(shown),
             tr("How many of “%1” take part: a number, or a share such as 25%; empty: as under Users").arg(shown),
             tr("as the phase")});
        columns.push_back(
            {"groups." + name + ".rate", tr("%1: arrivals/s").arg(shown),
             tr("Transactions per second that arrive for “%1”, which needs a rate of its own; empty: that "
                "rate")
                 .arg(shown),
             tr("its own")});
        const auto group = std::ranges::find(load.groups, name, &LoadGroup::name);
        const bool own = group != load.groups.end() && !group->workload.empty();
        Settings params = own ? Settings() : plan.workload.params;
        if (group != load.groups.end()) {
            for (const auto& [param, value] : group->params)
                params.insert_or_assign(param, value);
        }
        if (hasWeights(name) || hasSections(own ? group->workload : plan.workload.name, params))
            columns.push_back({"groups." + name + ".weights", tr("%1: weights").arg(shown),
                               tr("How often each section of the workload of “%1” is chosen, such as read=9, write=1; "
                                  "one that is not named is not chosen; empty: as the workload has them")
                                   .arg(shown),
                               tr("as the workload")});
    }
    return columns;
}

int LoadPartsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_part == LoadPart::Phase ? m_phases.size() : m_groups.size());
}

int LoadPartsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_columns.size());
}

QString LoadPartsModel::nameOf(int row) const
{
    return qtText(m_part == LoadPart::Phase ? m_phases[std::size_t(row)].name : m_groups[std::size_t(row)].name);
}

QString LoadPartsModel::textOf(int row, const std::string& field) const
{
    if (field == kNameField)
        return nameOf(row);
    return m_part == LoadPart::Phase ? phaseCell(m_phases[std::size_t(row)], field)
                                     : groupCell(m_groups[std::size_t(row)], field);
}

QVariant LoadPartsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount() || index.column() >= columnCount())
        return {};
    const Column& column = m_columns[std::size_t(index.column())];
    const auto pending = m_pending.constFind({index.row(), qtText(column.field)});
    const QString text = pending != m_pending.constEnd() ? pending->text : textOf(index.row(), column.field);
    switch (role) {
    case Qt::EditRole:
        return text;
    case Qt::DisplayRole:
        return text.isEmpty() ? column.otherwise : text;
    case Qt::ForegroundRole:
        if (!problemOf(index).isEmpty())
            return colorOf(Tone::Bad, Theme::instance().colors().text);
        return text.isEmpty() ? QVariant(Theme::instance().colors().secondText) : QVariant();
    case Qt::ToolTipRole: {
        const QString problem = problemOf(index);
        return problem.isEmpty() ? column.tip : problem;
    }
    case Qt::AccessibleTextRole:
        return tr("%1 of %2: %3", "column, row, text")
            .arg(column.title, nameOf(index.row()), text.isEmpty() ? column.otherwise : text);
    case KnobRole: {
        KnobChoice choice; // what the cell's editor is called, and offers
        choice.path = tr("%1 of %2", "column, row").arg(column.title, nameOf(index.row()));
        choice.described = false;
        if (column.field == "workload") {
            for (const WorkloadInfo& one : workloads())
                choice.option.choices.push_back(one.id);
        }
        return QVariant::fromValue(choice);
    }
    default:
        return {};
    }
}

QVariant LoadPartsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Vertical)
        return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
    const Column& column = m_columns[std::size_t(section)];
    return role == Qt::DisplayRole   ? QVariant(column.title)
           : role == Qt::ToolTipRole ? QVariant(column.tip)
                                     : QVariant();
}

Qt::ItemFlags LoadPartsModel::flags(const QModelIndex& index) const
{
    return QAbstractTableModel::flags(index) | (index.isValid() ? Qt::ItemIsEditable : Qt::NoItemFlags);
}

Plan LoadPartsModel::alone(int row) const
{
    Plan plan;
    if (m_part == LoadPart::Phase) {
        plan.load.phases = {m_phases[std::size_t(row)]};
        plan.load.phases.front().name = kAlone;
    } else {
        plan.load.groups = {m_groups[std::size_t(row)]};
        plan.load.groups.front().name = kAlone;
    }
    return plan;
}

//! "" or what is wrong with the text.
QString LoadPartsModel::change(Plan& row, const std::string& field, const QString& text) const
{
    if (text.isEmpty() && field == "time")
        return tr("Enter how long the phase lasts, such as 10 s");
    if (text.isEmpty()) {
        if (m_part == LoadPart::Phase)
            clearPhase(row.load.phases.front(), field);
        else
            clearGroup(row.load.groups.front(), field);
        return {};
    }
    QString plain = text;
    plain.remove(QChar(0x2009)).remove(QChar(0x202f)).remove(QChar(0xa0)).remove(u' ');
    if (isTimeField(field)) {
        const auto seconds = secondsFromText(text);
        if (!seconds)
            return tr("“%1” is no time; enter one such as 10 s or 2 min").arg(text);
        plain = QString::number(*seconds, 'g', 17) + u's';
    }
    const auto set = setField(row, pathOf(m_part, field), plain.toStdString());
    if (set)
        return {};
    const QString what = sentenceText(set.error().message);
    return set.error().remedy.empty() ? what : tr("%1: %2").arg(what, qtText(set.error().remedy));
}

bool LoadPartsModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::EditRole || !index.isValid() || index.row() >= rowCount())
        return false;
    const int row = index.row();
    const std::string field = m_columns[std::size_t(index.column())].field;
    const QString text = value.toString().trimmed();
    if (text == data(index, Qt::EditRole).toString())
        return true; // what is shown may be rounded
    const std::string before = nameOf(row).toStdString();
    const bool isName = field == kNameField;
    Plan changed = alone(row);
    const QString problem = isName ? nameProblem(row, text) : change(changed, field, text);
    if (problem.isEmpty())
        m_pending.remove({row, qtText(field)});
    else
        m_pending.insert({row, qtText(field)}, {text, problem});
    if (problem.isEmpty()) {
        const std::string name = isName ? text.toStdString() : before;
        const QString told = m_part == LoadPart::Phase ? tr("Change the phase %1") : tr("Change the group %1");
        const auto pending = m_pending; // of other cells: it stays under another name
        m_editor.edit(told.arg(qtText(before)), [&](Plan& plan) {
            if (m_part == LoadPart::Phase) {
                changed.load.phases.front().name = name;
                plan.load.phases[std::size_t(row)] = changed.load.phases.front();
                takePhaseTimes(plan.load);
            } else {
                changed.load.groups.front().name = name;
                plan.load.groups[std::size_t(row)] = changed.load.groups.front();
            }
            if (name != before)
                renameLoadPart(plan, m_part == LoadPart::Phase ? "phase" : "group", before, name);
        });
        m_pending = pending;
    }
    emit dataChanged(index, index);
    emit problemsChanged();
    return problem.isEmpty();
}

bool LoadPartsModel::isTaken(const std::string& name, int exceptRow) const
{
    const LoadProfile& load = m_editor.plan().load;
    const auto among = [&](const auto& parts, bool own) {
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (parts[i].name == name && !(own && int(i) == exceptRow))
                return true;
        }
        return false;
    };
    return among(load.phases, m_part == LoadPart::Phase) || among(load.groups, m_part == LoadPart::Group);
}

//! A plan has no such name even for a moment: what speaks of the other one by it would follow this one from then on.
QString LoadPartsModel::nameProblem(int row, const QString& name) const
{
    if (name.isEmpty())
        return tr("Enter a name");
    return isTaken(name.toStdString(), row) ? tr("“%1” is another phase or group; choose another name").arg(name)
                                            : QString();
}

QString LoadPartsModel::freeName() const
{
    const QString stem = m_part == LoadPart::Phase ? u"phase"_s : u"group"_s;
    int number = rowCount() + 1;
    while (isTaken(u"%1_%2"_s.arg(stem).arg(number).toStdString(), -1))
        ++number;
    return u"%1_%2"_s.arg(stem).arg(number);
}

int LoadPartsModel::add()
{
    if (rowCount() >= (m_part == LoadPart::Phase ? int(kMostPhases) : int(kMostGroups)))
        return -1;
    const std::string name = freeName().toStdString();
    m_editor.edit(m_part == LoadPart::Phase ? tr("Add a phase") : tr("Add a group"), [&](Plan& plan) {
        LoadProfile& load = plan.load;
        if (m_part == LoadPart::Group) {
            LoadGroup group;
            group.name = name;
            load.groups.push_back(group);
            return;
        }
        LoadPhase phase;
        phase.name = name;
        phase.seconds = !load.phases.empty()   ? load.phases.back().seconds
                        : load.timeSeconds > 0 ? load.timeSeconds
                                               : kFirstSeconds;
        load.phases.push_back(phase);
        takePhaseTimes(load);
    });
    return rowCount() - 1;
}

void LoadPartsModel::remove(const QList<int>& rows)
{
    forget();
    m_editor.edit(m_part == LoadPart::Phase ? tr("Remove phases") : tr("Remove groups"), [&](Plan& plan) {
        QList<int> last = rows;
        std::ranges::sort(last, std::greater());
        for (const int row : last) {
            if (row < 0 || row >= rowCount())
                continue;
            if (m_part == LoadPart::Phase) {
                plan.load.phases.erase(plan.load.phases.begin() + row);
            } else {
                const std::string gone = plan.load.groups[std::size_t(row)].name;
                plan.load.groups.erase(plan.load.groups.begin() + row);
                for (LoadPhase& phase : plan.load.phases)
                    phase.groups.erase(gone);
            }
        }
        takePhaseTimes(plan.load);
    });
}

bool LoadPartsModel::move(int row, int by)
{
    const int to = row + by;
    if (row < 0 || row >= rowCount() || to < 0 || to >= rowCount())
        return false;
    forget();
    m_editor.edit(m_part == LoadPart::Phase ? tr("Move a phase") : tr("Move a group"), [&](Plan& plan) {
        if (m_part == LoadPart::Phase)
            std::swap(plan.load.phases[std::size_t(row)], plan.load.phases[std::size_t(to)]);
        else
            std::swap(plan.load.groups[std::size_t(row)], plan.load.groups[std::size_t(to)]);
    });
    return true;
}

int LoadPartsModel::columnOf(const QString& field) const
{
    const std::string name = field.toStdString();
    const auto found = std::ranges::find_if(m_columns, [&name](const Column& one) {
        return one.field == name || (name.starts_with("groups.") && one.field == name + ".users") ||
               (one.field.ends_with("weights") && name.starts_with(one.field + '.'));
    });
    return found == m_columns.end() ? -1 : int(found - m_columns.begin());
}

QString LoadPartsModel::problemIn(int row, int column) const
{
    const QString place = u"load.%1[%2]."_s.arg(m_part == LoadPart::Phase ? u"phase"_s : u"group"_s).arg(row);
    for (const Fault& fault : m_editor.check().faults) {
        const QString where = qtText(fault.where);
        if (!where.startsWith(place) || columnOf(where.mid(place.size())) != column)
            continue;
        const QString what = sentenceText(fault.what);
        return fault.remedy.empty() ? what : tr("%1: %2").arg(what, qtText(fault.remedy));
    }
    return {};
}

QString LoadPartsModel::problemOfRow(int row) const
{
    return problemIn(row, -1);
}

QString LoadPartsModel::problemOf(const QModelIndex& index) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const QString field = qtText(m_columns[std::size_t(index.column())].field);
    if (const auto pending = m_pending.constFind({index.row(), field}); pending != m_pending.constEnd())
        return pending->problem;
    return problemIn(index.row(), index.column());
}

QString LoadPartsModel::unreadable() const
{
    for (auto it = m_pending.cbegin(); it != m_pending.cend(); ++it) {
        const int column = columnOf(it.key().second);
        if (it.key().first < rowCount() && column >= 0)
            return tr("%1 of %2: %3", "column, row, what is wrong")
                .arg(m_columns[std::size_t(column)].title, nameOf(it.key().first), it->problem);
    }
    return {};
}

void LoadPartsModel::forget()
{
    if (m_pending.isEmpty())
        return;
    m_pending.clear();
    emit problemsChanged();
}

void LoadPartsModel::sync()
{
    const LoadProfile& load = m_editor.plan().load;
    const bool sameRows =
        m_part == LoadPart::Phase ? load.phases.size() == m_phases.size() : load.groups.size() == m_groups.size();
    std::vector<Column> columns = columnsNow();
    const bool same = sameRows && std::ranges::equal(columns, m_columns, {}, &Column::field, &Column::field);
    // What was typed belongs to the row of its name and to its column.
    const auto hasSameName = [](const auto& now, const auto& before, std::size_t row) {
        return row < now.size() && row < before.size() && now[row].name == before[row].name;
    };
    const qsizetype forgotten = m_pending.removeIf([&](const auto& one) {
        const auto row = std::size_t(one.key().first);
        const bool hasRow = m_part == LoadPart::Phase ? hasSameName(load.phases, m_phases, row)
                                                      : hasSameName(load.groups, m_groups, row);
        return !hasRow || std::ranges::find(columns, one.key().second.toStdString(), &Column::field) == columns.end();
    });
    // Cells keep their editor where as many are there.
    if (!same)
        beginResetModel();
    m_columns = std::move(columns);
    m_phases = load.phases;
    m_groups = load.groups;
    if (!same)
        endResetModel();
    else if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    if (forgotten > 0)
        emit problemsChanged();
}

} // namespace dyno
