// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/axes_model.h"

#include "parts/plan_text.h"
#include "plan/case_labels.h"
#include "plan/plan_editor.h"

#include <dyno/observed_sources.h>
#include <dyno/plan_refs.h>

#include <QCoreApplication>

#include <algorithm>
#include <set>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

QString freeAxisName(const QString& wanted, const Plan& plan)
{
    std::set<QString> taken{u"users"_s, u"session"_s};
    for (const Axis& axis : plan.axes)
        taken.insert(qtText(axis.name));
    QString name = wanted;
    for (int n = 2; taken.contains(name); ++n)
        name = wanted + u'_' + QString::number(n);
    return name;
}

Value typedValue(const KnobChoice& choice, const QString& text)
{
    return choice.described ? valueFromText(choice.option, text) : valueFromText(text);
}

//! As valueText(); whole mebibytes as "512 MiB", since nobody reads 536870912.
QString shownValue(const KnobChoice& choice, const Value& value)
{
    const auto* bytes = std::get_if<std::int64_t>(&value);
    constexpr std::int64_t kMiB = 1 << 20;
    if (choice.described && choice.option.type == OptionType::Bytes && bytes && *bytes > 0 && *bytes % kMiB == 0)
        return QString::number(*bytes / kMiB) + u" MiB"_s;
    return valueText(value);
}

//! What a commit means in each case, "" where the catalogue does not know it; empty when it knows of none.
QStringList commitMeanings(const QString& driver, const std::vector<Case>& cases)
{
    QStringList meanings;
    const std::vector<KnobInfo> catalogue = knobs(driver.toStdString());
    for (const Case& one : cases) {
        QStringList found; // of each setting that decides it
        for (const auto& [path, value] : one.set) {
            const FieldPath field = splitPath(qtText(path));
            const auto knob = std::ranges::find_if(catalogue, [&field](const KnobInfo& each) {
                return each.meaning == kSyncAtCommit && qtText(each.scope) == field.scope &&
                       qtText(each.option.name) == field.name;
            });
            if (knob == catalogue.end())
                continue;
            if (const auto meaning = meaningOf(*knob, value))
                found << qtText(*meaning);
        }
        // Of two, which decides is for the server to say.
        meanings << (found.size() == 1 ? found.front() : QString());
    }
    const bool known = std::any_of(meanings.begin(), meanings.end(), [](const QString& one) { return !one.isEmpty(); });
    return known ? meanings : QStringList();
}

} // namespace

Value initialValue(const KnobChoice& choice)
{
    const Value& usual = choice.option.defaultValue;
    const auto* text = std::get_if<std::string>(&usual);
    if (!text || !text->empty())
        return usual;
    if (!choice.option.choices.empty())
        return choice.option.choices.front();
    return std::string();
}

Axis axisOf(const KnobChoice& choice, const Plan& plan)
{
    Axis axis;
    const FieldPath path = splitPath(choice.path);
    axis.name = freeAxisName(choice.path == u"target.uri"_s ? u"target"_s : path.name, plan).toStdString();
    const auto add = [&](const Value& value) {
        axis.cases.push_back({valueText(value).toStdString(), {{choice.path.toStdString(), value}}, 0});
    };
    if (!choice.values.isEmpty()) {
        for (const QString& text : choice.values)
            add(typedValue(choice, text));
    } else if (choice.option.type == OptionType::Choice) {
        for (const std::string& name : choice.option.choices)
            add(name);
    } else if (choice.option.type == OptionType::Bool) {
        add(false);
        add(true);
    } else if (choice.path == u"target.uri"_s) {
        add(plan.target.uri);
    } else if (choice.described) {
        add(initialValue(choice));
    } else {
        axis.cases.push_back({QCoreApplication::translate("PlanText", "case 1").toStdString(), {}, 0});
    }
    return axis;
}

// --- AxisModel ---

AxisModel::AxisModel(PlanEditor& editor, int axis, QObject* parent)
    : QAbstractTableModel(parent)
    , m_editor(editor)
    , m_index(axis)
{
    sync();
    connect(&editor, &PlanEditor::replaced, this, [this] {
        beginResetModel();
        m_columns.clear();
        m_cases.clear();
        m_meanings.clear();
        endResetModel();
    });
    connect(&editor, &PlanEditor::changed, this, &AxisModel::sync);
}

const Axis* AxisModel::current() const
{
    const auto& axes = m_editor.plan().axes;
    return m_index < int(axes.size()) ? &axes[std::size_t(m_index)] : nullptr;
}

int AxisModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_cases.size());
}

int AxisModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : 1 + int(m_columns.size()) + (m_meanings.isEmpty() ? 0 : 1);
}

QVariant AxisModel::meaningData(int row, int role) const
{
    const QString meaning = m_meanings.value(row);
    switch (role) {
    case Qt::DisplayRole:
        return meaning;
    case Qt::ToolTipRole:
        return meaning.isEmpty() ? tr("Not known for these settings") : meaning;
    case Qt::AccessibleTextRole:
        return tr("At a commit of %1: %2")
            .arg(qtText(m_cases[std::size_t(row)].label), meaning.isEmpty() ? tr("not known") : meaning);
    case UnsetRole: // nobody sets it
        return true;
    default:
        return {};
    }
}

QVariant AxisModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount() || index.column() >= columnCount())
        return {};
    const Case& one = m_cases[std::size_t(index.row())];
    if (index.column() == 0) {
        if (role == Qt::DisplayRole || role == Qt::EditRole)
            return qtText(one.label);
        if (role == Qt::ToolTipRole)
            return tr("Name of the case, as charts and tables show it");
        if (role == Qt::AccessibleTextRole)
            return tr("Case %1: %2").arg(index.row() + 1).arg(qtText(one.label));
        return {};
    }
    if (index.column() == meaningColumn())
        return meaningData(index.row(), role);
    const QString path = m_columns[index.column() - 1];
    const auto found = one.set.find(path.toStdString());
    const bool set = found != one.set.end();
    switch (role) {
    case Qt::DisplayRole:
        return set ? shownValue(knobChoice(m_choices, path), found->second) : u"–"_s;
    case Qt::EditRole:
        return set ? valueText(found->second) : QString();
    case Qt::ToolTipRole:
        return knobToolTip(knobChoice(m_choices, path));
    case Qt::AccessibleTextRole:
        return tr("%1 of %2: %3")
            .arg(splitPath(path).name, qtText(one.label), set ? valueText(found->second) : tr("not set"));
    case KnobRole:
        return QVariant::fromValue(knobChoice(m_choices, path));
    case UnsetRole:
        return !set;
    default:
        return {};
    }
}

QVariant AxisModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Vertical)
        return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
    if (section < 0 || section >= columnCount())
        return {};
    if (section == 0)
        return role == Qt::DisplayRole || role == PlanTitleRole ? QVariant(tr("Case")) : QVariant();
    if (section == meaningColumn()) {
        if (role == Qt::ToolTipRole)
            return tr("What a commit waits for with these settings, as the product's manual says");
        return role == PlanTitleRole     ? QVariant(tr("At a commit"))
               : role == Qt::DisplayRole ? QVariant(tr("follows from the knobs"))
                                         : QVariant();
    }
    const KnobChoice choice = knobChoice(m_choices, m_columns[section - 1]);
    switch (role) {
    case PlanTitleRole:
        if (!choice.described || choice.option.label.empty())
            return headerData(section, orientation, Qt::DisplayRole);
        return choice.restart ? QString(qtText(choice.option.label) + u" ↻"_s) : qtText(choice.option.label);
    case Qt::DisplayRole: {
        const QString label = choice.path == u"target.uri"_s ? tr("target") : splitPath(choice.path).name;
        return choice.restart ? QString(label + u" ↻"_s) : label;
    }
    case Qt::ToolTipRole:
        return knobToolTip(choice);
    default:
        return {};
    }
}

Qt::ItemFlags AxisModel::flags(const QModelIndex& index) const
{
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (!index.isValid())
        return flags;
    flags |= Qt::ItemNeverHasChildren;
    flags.setFlag(Qt::ItemIsEditable, index.column() != meaningColumn());
    return flags;
}

bool AxisModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::EditRole || !index.isValid() || index.row() >= rowCount() || index.column() >= columnCount() ||
        index.column() == meaningColumn())
        return false;
    const QString text = value.toString().trimmed();
    const auto row = std::size_t(index.row());
    if (index.column() == 0) {
        // Without a text of one's own it is named after what it sets.
        const QString made = text.isEmpty() ? autoLabels(*current()).value(qsizetype(row)) : text;
        if (made.isEmpty())
            return false;
        edit(tr("Rename case"), [&](Axis& axis) {
            std::vector<Case> others = axis.cases;
            others.erase(others.begin() + std::ptrdiff_t(row));
            axis.cases[row].label = (text.isEmpty() ? freeLabel(made, others) : made).toStdString();
        });
        return true;
    }
    const QString path = m_columns[index.column() - 1];
    if (text.isEmpty()) {
        edit(tr("Clear %1").arg(path), [&](Axis& axis) { axis.cases[row].set.erase(path.toStdString()); });
        return true;
    }
    const KnobChoice choice = knobChoice(m_choices, path);
    const Value next = typedValue(choice, text);
    edit(tr("Set %1").arg(path), [&](Axis& axis) { axis.cases[row].set[path.toStdString()] = next; });
    return true;
}

QString AxisModel::name() const
{
    const Axis* axis = current();
    return axis ? qtText(axis->name) : QString();
}

void AxisModel::setMeanings(const QStringList& meanings)
{
    if (meanings.isEmpty() == m_meanings.isEmpty()) {
        m_meanings = meanings;
        return;
    }
    const int column = 1 + int(m_columns.size());
    if (meanings.isEmpty())
        beginRemoveColumns({}, column, column);
    else
        beginInsertColumns({}, column, column);
    m_meanings = meanings;
    if (meanings.isEmpty())
        endRemoveColumns();
    else
        endInsertColumns();
}

void AxisModel::setChoices(const std::vector<KnobChoice>& choices)
{
    m_choices = choices;
    if (columnCount() > 1) {
        emit headerDataChanged(Qt::Horizontal, 1, columnCount() - 1);
        if (rowCount() > 0)
            emit dataChanged(index(0, 1), index(rowCount() - 1, columnCount() - 1));
    }
}

void AxisModel::edit(const QString& text, const std::function<void(Axis&)>& how)
{
    if (!current())
        return;
    m_editor.edit(text, [&](Plan& plan) {
        const Plan before = plan;
        Axis& axis = plan.axes[std::size_t(m_index)];
        changeAxis(axis, how);
        followLabels(plan, axis.name, before.axes[std::size_t(m_index)].cases, axis.cases);
        forgetLostCases(plan, before);
    });
}

void AxisModel::rename(const QString& name)
{
    const std::string next = name.trimmed().toStdString();
    const Axis* axis = current();
    if (!axis || next.empty() || next == axis->name)
        return;
    const std::string before = axis->name;
    m_editor.edit(tr("Rename axis"), [&](Plan& plan) {
        plan.axes[std::size_t(m_index)].name = next;
        renameInRefs(plan, before, {}, next);
    });
}

void AxisModel::addCase()
{
    edit(tr("Add case"), [](Axis& axis) {
        Case next = axis.cases.empty() ? Case() : axis.cases.back();
        next.line = 0;
        next.label = freeLabel(next.label.empty() ? tr("case") : qtText(next.label), axis.cases).toStdString();
        axis.cases.push_back(std::move(next));
    });
}

void AxisModel::removeCases(QList<int> rows)
{
    std::sort(rows.begin(), rows.end(), std::greater<>());
    edit(tr("Remove case"), [&rows](Axis& axis) {
        for (int row : rows) {
            if (row >= 0 && row < int(axis.cases.size()) && axis.cases.size() > 1)
                axis.cases.erase(axis.cases.begin() + row);
        }
    });
}

void AxisModel::moveCase(int row, int by)
{
    const int to = row + by;
    if (row < 0 || to < 0 || row >= rowCount() || to >= rowCount())
        return;
    edit(tr("Move case"), [&](Axis& axis) { std::swap(axis.cases[std::size_t(row)], axis.cases[std::size_t(to)]); });
}

void AxisModel::addKnob(const KnobChoice& choice)
{
    if (m_columns.contains(choice.path) || !current())
        return;
    const Value initial = initialValue(choice);
    if (initial == Value(std::string())) {
        // Nothing to start with: the column waits here until a cell is filled.
        const int column = 1 + int(m_columns.size());
        beginInsertColumns({}, column, column);
        m_columns << choice.path;
        endInsertColumns();
        return;
    }
    edit(tr("Add %1").arg(choice.path), [&](Axis& axis) {
        for (Case& one : axis.cases)
            one.set[choice.path.toStdString()] = initial;
    });
}

void AxisModel::removeKnob(const QString& path)
{
    const auto column = m_columns.indexOf(path);
    if (column < 0)
        return;
    // The column itself goes first: an emptied column is kept by sync() as long as it is listed.
    beginRemoveColumns({}, int(column) + 1, int(column) + 1);
    m_columns.removeAt(column);
    endRemoveColumns();
    edit(tr("Remove %1").arg(path), [&path](Axis& axis) {
        for (Case& one : axis.cases)
            one.set.erase(path.toStdString());
    });
}

void AxisModel::sync()
{
    const Axis* axis = current();
    const std::vector<Case> cases = axis ? axis->cases : std::vector<Case>();
    std::set<QString> used;
    for (const Case& one : cases) {
        for (const auto& [path, value] : one.set)
            used.insert(qtText(path));
    }
    // Columns keep their places. An emptied one stays while its cells were cleared by hand, so that they can be
    // filled again; it goes when rows come or go.
    QStringList columns;
    for (const QString& path : std::as_const(m_columns)) {
        if (used.contains(path) || (!cases.empty() && cases.size() == m_cases.size()))
            columns << path;
    }
    for (const QString& path : used) {
        if (!columns.contains(path))
            columns << path;
    }
    const QStringList meanings = commitMeanings(m_editor.driver(), cases);
    if (columns == m_columns && cases.size() == m_cases.size()) {
        m_cases = cases;
        setMeanings(meanings);
        emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
        if (!m_cases.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        return;
    }
    beginResetModel();
    m_cases = cases;
    m_columns = columns;
    m_meanings = meanings;
    endResetModel();
}

// --- SettingsModel ---

SettingsModel::SettingsModel(PlanEditor& editor, QObject* parent)
    : QAbstractTableModel(parent)
    , m_editor(editor)
{
    sync();
    connect(&editor, &PlanEditor::replaced, this, [this] { m_pending.clear(); });
    connect(&editor, &PlanEditor::changed, this, &SettingsModel::sync);
}

int SettingsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int SettingsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(ColumnCount);
}

QVariant SettingsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const auto& [settingPath, value] = m_rows[std::size_t(index.row())];
    const FieldPath field = splitPath(settingPath);
    if (role == Qt::ToolTipRole)
        return knobToolTip(knobChoice(m_choices, settingPath));
    switch (index.column()) {
    case NameColumn:
        return role == Qt::DisplayRole ? QVariant(field.name) : QVariant();
    case ValueColumn:
        if (role == Qt::EditRole)
            return valueText(value);
        if (role == Qt::DisplayRole)
            return m_pending.contains(settingPath) ? u"–"_s : shownValue(knobChoice(m_choices, settingPath), value);
        if (role == Qt::AccessibleTextRole)
            return tr("%1: %2").arg(field.name, m_pending.contains(settingPath) ? tr("not set") : valueText(value));
        if (role == KnobRole)
            return QVariant::fromValue(knobChoice(m_choices, settingPath));
        if (role == UnsetRole)
            return m_pending.contains(settingPath);
        return {};
    case ScopeColumn:
        return role == Qt::DisplayRole ? QVariant(scopeLabel(field.scope)) : QVariant();
    default:
        return {};
    }
}

QVariant SettingsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::DisplayRole)
        return {};
    if (orientation == Qt::Vertical)
        return section + 1;
    switch (section) {
    case NameColumn:
        return tr("Setting");
    case ValueColumn:
        return tr("Value");
    case ScopeColumn:
        return tr("Kind");
    default:
        return {};
    }
}

Qt::ItemFlags SettingsModel::flags(const QModelIndex& index) const
{
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (index.isValid() && index.column() == ValueColumn)
        flags |= Qt::ItemIsEditable;
    return flags;
}

bool SettingsModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    const QString text = value.toString().trimmed();
    if (role != Qt::EditRole || !index.isValid() || index.column() != ValueColumn || index.row() >= rowCount() ||
        text.isEmpty())
        return false;
    const QString key = path(index.row());
    const Value next = typedValue(knobChoice(m_choices, key), text);
    m_editor.edit(tr("Set %1").arg(key), [&](Plan& plan) { plan.set[key.toStdString()] = next; });
    return true;
}

QString SettingsModel::path(int row) const
{
    return row >= 0 && row < rowCount() ? m_rows[std::size_t(row)].first : QString();
}

void SettingsModel::setChoices(const std::vector<KnobChoice>& choices)
{
    m_choices = choices;
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void SettingsModel::add(const KnobChoice& choice)
{
    if (initialValue(choice) == Value(std::string())) {
        if (!m_pending.contains(choice.path))
            m_pending << choice.path;
        sync();
        return;
    }
    m_editor.edit(tr("Add %1").arg(choice.path),
                  [&](Plan& plan) { plan.set.try_emplace(choice.path.toStdString(), initialValue(choice)); });
}

void SettingsModel::remove(QList<int> rows)
{
    QStringList keys;
    for (int row : rows)
        keys << path(row);
    for (const QString& key : std::as_const(keys))
        m_pending.removeAll(key);
    m_editor.edit(tr("Remove setting"), [&](Plan& plan) {
        for (const QString& key : std::as_const(keys))
            plan.set.erase(key.toStdString());
    });
    sync();
}

void SettingsModel::sync()
{
    std::vector<std::pair<QString, Value>> rows;
    for (const auto& [key, value] : m_editor.plan().set) {
        if (!sourceOfSetting(key, value)) // they have a table of their own
            rows.emplace_back(qtText(key), value);
    }
    for (const auto& [key, value] : rows)
        m_pending.removeAll(key);
    for (const QString& key : std::as_const(m_pending))
        rows.emplace_back(key, std::string());
    const bool sameKeys = std::equal(rows.begin(), rows.end(), m_rows.begin(), m_rows.end(),
                                     [](const auto& a, const auto& b) { return a.first == b.first; });
    if (sameKeys) {
        m_rows = std::move(rows);
        if (!m_rows.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
        return;
    }
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

} // namespace dyno
