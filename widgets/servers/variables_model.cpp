// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/variables_model.h"

#include "format.h"
#include "parts/plan_text.h"
#include "theme.h"

#include <QHash>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

std::string plain(const std::string& value)
{
    std::string lower = value;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    if (lower == "on" || lower == "yes" || lower == "true")
        return "1";
    if (lower == "off" || lower == "no" || lower == "false")
        return "0";
    return lower;
}

constexpr qsizetype kTipLength = 600; //!< some variables are lists of a thousand characters

} // namespace

QString variableText(const std::string& value, bool bytes)
{
    constexpr qulonglong kSizeFrom = 1024, kNoLimit = 1ULL << 60; // from there on it means "no limit"
    bool whole = false;
    const qulonglong number = qtText(value).toULongLong(&whole);
    if (bytes && whole && number >= kSizeFrom && number < kNoLimit)
        return format::bytes(double(number));
    return value.empty() ? u"–"_s : qtText(value);
}

bool sameValue(const std::string& a, const std::string& b)
{
    if (plain(a) == plain(b))
        return true;
    bool aNumber = false, bNumber = false;
    const double one = qtText(a).toDouble(&aNumber), other = qtText(b).toDouble(&bNumber);
    return aNumber && bNumber && one == other;
}

bool differs(const VariableState& state)
{
    return !state.defaultValue.empty() && !sameValue(state.value, state.defaultValue);
}

void VariablesModel::setRows(VariableRows rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int VariablesModel::differing() const
{
    return int(std::count_if(m_rows.begin(), m_rows.end(), [](const VariableRow& row) { return differs(row.state); }));
}

int VariablesModel::comparable() const
{
    return int(std::count_if(m_rows.begin(), m_rows.end(),
                             [](const VariableRow& row) { return !row.state.defaultValue.empty(); }));
}

int VariablesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int VariablesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(ColumnCount);
}

QVariant VariablesModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const VariableRow& row = m_rows[std::size_t(index.row())];
    const QString change = row.state.dynamic ? tr("at any time") : tr("↻ restart");
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case NameColumn:
            return qtText(row.state.name);
        case ValueColumn:
            return variableText(row.state.value, row.bytes);
        case DefaultColumn:
            return variableText(row.state.defaultValue, row.bytes);
        case LabelColumn:
            return row.label;
        case ChangeColumn:
            return change;
        default:
            return {};
        }
    case Qt::ToolTipRole: {
        QString text = u"<p><b>%1</b> = %2</p>"_s.arg(qtText(row.state.name).toHtmlEscaped(),
                                                      qtText(row.state.value).left(kTipLength).toHtmlEscaped());
        if (!row.state.defaultValue.empty())
            text += u"<p>%1</p>"_s.arg(
                tr("Default: %1").arg(qtText(row.state.defaultValue).left(kTipLength)).toHtmlEscaped());
        if (!row.help.isEmpty())
            text += u"<p>%1</p>"_s.arg(row.help.toHtmlEscaped());
        if (!row.safety.isEmpty())
            text += u"<p><b>%1</b> %2</p>"_s.arg(tr("Safety:").toHtmlEscaped(), row.safety.toHtmlEscaped());
        return text;
    }
    case Qt::ForegroundRole:
        if (index.column() == LabelColumn || index.column() == DefaultColumn || index.column() == ChangeColumn)
            return Theme::instance().colors().secondText;
        return {};
    case Qt::FontRole: {
        QFont font = Theme::font(TextRole::Body);
        if (index.column() == ValueColumn && differs(row.state))
            font.setWeight(QFont::DemiBold);
        return font;
    }
    case Qt::AccessibleTextRole:
        return tr("%1: %2").arg(headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString(),
                                data(index, Qt::DisplayRole).toString());
    case DiffersRole:
        return differs(row.state);
    case KnobRole:
        return row.state.knob;
    case SearchRole:
        return QString(qtText(row.state.name) + u' ' + row.label + u' ' + qtText(row.state.value));
    default:
        return {};
    }
}

QVariant VariablesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    static const QString texts[] = {tr("Variable"), tr("In force"), tr("Default"), tr("Knob"), tr("Can change")};
    static const QString tips[] = {tr("As the server calls it"), tr("The value in force, as the server reports it"),
                                   tr("The server's default"), tr("The name in Dynobench's catalogue of knobs"),
                                   tr("At any time, or only with a restart")};
    if (section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::DisplayRole)
        return texts[section];
    if (role == Qt::ToolTipRole)
        return tips[section];
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    return {};
}

void VariablesFilter::setOnlyDiffering(bool on)
{
    if (m_onlyDiffering == on)
        return;
    m_onlyDiffering = on;
    invalidateFilter();
}

void VariablesFilter::setSearch(const QString& text)
{
    m_words = text.split(u' ', Qt::SkipEmptyParts);
    invalidateFilter();
}

bool VariablesFilter::filterAcceptsRow(int row, const QModelIndex& parent) const
{
    const QModelIndex index = sourceModel()->index(row, 0, parent);
    if (m_onlyDiffering && !index.data(VariablesModel::DiffersRole).toBool())
        return false;
    const QString text = index.data(VariablesModel::SearchRole).toString();
    return std::all_of(m_words.begin(), m_words.end(),
                       [&text](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

QString partKindText(const std::string& kind)
{
    static const QHash<QString, QString> texts{{u"table"_s, DataPartsModel::tr("tables")},
                                               {u"index"_s, DataPartsModel::tr("indexes")},
                                               {u"redo log"_s, DataPartsModel::tr("redo log")},
                                               {u"binlog"_s, DataPartsModel::tr("binary log")},
                                               {u"undo log"_s, DataPartsModel::tr("undo log")},
                                               {u"system"_s, DataPartsModel::tr("system")},
                                               {u"temporary"_s, DataPartsModel::tr("temporary files")},
                                               {u"other"_s, DataPartsModel::tr("other files")},
                                               {u"doublewrite"_s, DataPartsModel::tr("doublewrite buffer")}};
    return texts.value(qtText(kind), qtText(kind));
}

void DataPartsModel::setParts(std::vector<DataPart> parts)
{
    beginResetModel();
    m_parts = std::move(parts);
    std::stable_sort(m_parts.begin(), m_parts.end(),
                     [](const DataPart& a, const DataPart& b) { return a.bytes > b.bytes; });
    m_total = std::accumulate(m_parts.begin(), m_parts.end(), quint64(0),
                              [](quint64 sum, const DataPart& part) { return sum + part.bytes; });
    endResetModel();
}

int DataPartsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_parts.size());
}

int DataPartsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(ColumnCount);
}

QVariant DataPartsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const DataPart& part = m_parts[std::size_t(index.row())];
    if (role == Qt::TextAlignmentRole && index.column() >= SizeColumn)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ForegroundRole && (index.column() == KindColumn || index.column() == ShareColumn))
        return Theme::instance().colors().secondText;
    if (role == Qt::ToolTipRole && index.column() == SizeColumn)
        return tr("%1 bytes allocated on disk; holes do not count").arg(format::count(qint64(part.bytes)));
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case KindColumn:
        return partKindText(part.kind);
    case NameColumn:
        return part.name.empty() ? u"–"_s : qtText(part.name);
    case SizeColumn:
        return format::bytes(double(part.bytes));
    case ShareColumn:
        return m_total > 0 ? format::percent(double(part.bytes) / double(m_total)) : QString();
    default:
        return {};
    }
}

QVariant DataPartsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    static const QString texts[] = {tr("Kind"), tr("Table"), tr("On disk"), tr("Share")};
    if (role == Qt::DisplayRole)
        return texts[section];
    if (role == Qt::TextAlignmentRole)
        return QVariant((section >= SizeColumn ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

} // namespace dyno
