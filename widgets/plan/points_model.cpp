// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/points_model.h"

#include "format.h"
#include "parts/plan_text.h"
#include "theme.h"

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

void PointsModel::setCheck(const PlanCheck& check)
{
    QStringList axes;
    if (!check.combinations.empty()) {
        for (const CaseRef& one : check.combinations.front().cases) {
            if (one.axis != "users")
                axes << qtText(one.axis);
        }
    }
    QStringList followers;
    for (const PlanCheck::Combination& one : check.combinations) {
        for (const auto& [path, value] : one.followers) {
            if (!followers.contains(qtText(path)))
                followers << qtText(path);
        }
    }
    m_total = check.allPoints;
    // A tick changes no row's place: the table keeps its scroll position and its current cell.
    const bool same = axes == m_axes && followers == m_followers && check.combinations.size() == m_rows.size();
    if (same) {
        m_rows = check.combinations;
        if (!m_rows.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        return;
    }
    beginResetModel();
    m_axes = axes;
    m_followers = followers;
    m_rows = check.combinations;
    endResetModel();
}

int PointsModel::skipped() const
{
    return int(
        std::count_if(m_rows.begin(), m_rows.end(), [](const PlanCheck::Combination& one) { return one.skipped; }));
}

int PointsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int PointsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_axes.size() + m_followers.size()) + 3;
}

QString PointsModel::markTip(const PlanCheck::Combination& one) const
{
    QStringList parts;
    if (one.skipped)
        parts << tr("skipped");
    if (one.restarts > 0)
        parts << tr("↻ the server is restarted before %1 of %2").arg(one.restarts).arg(runsText(one.runs));
    if (one.loads > 0)
        parts << tr("⤓ data is loaded before %1 of %2").arg(one.loads).arg(runsText(one.runs));
    return parts.join(u'\n');
}

QVariant PointsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const PlanCheck::Combination& one = m_rows[std::size_t(index.row())];
    const int users = columnCount() - 2, mark = columnCount() - 1;
    if (role == Qt::CheckStateRole && index.column() == 0)
        return one.skipped ? Qt::Unchecked : Qt::Checked;
    if (role == Qt::ForegroundRole && (one.skipped || index.column() == mark))
        return Theme::instance().colors().secondText;
    if (role == Qt::FontRole && one.skipped && index.column() > 0) {
        QFont font = Theme::font(TextRole::Body);
        font.setStrikeOut(true);
        return font;
    }
    if (role == Qt::TextAlignmentRole && index.column() > m_axes.size())
        return QVariant((index.column() == mark ? Qt::AlignHCenter : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && (index.column() == mark || index.column() == 0)) {
        const QString tip = markTip(one);
        return tip.isEmpty() && index.column() == 0 ? tr("Untick to skip this combination") : tip;
    }
    if (role == Qt::AccessibleTextRole && index.column() == 0)
        return one.skipped ? tr("Combination %1, skipped").arg(index.row() + 1)
                           : tr("Combination %1, measured").arg(index.row() + 1);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    if (index.column() == 0)
        return {};
    if (index.column() == users)
        return QString::number(one.users);
    if (index.column() == mark)
        return QString((one.restarts > 0 ? u"↻"_s : QString()) + (one.loads > 0 ? u"⤓"_s : QString()));
    return cell(one, index.column() - 1);
}

//! Of an axis its case, of a setting its value.
QString PointsModel::cell(const PlanCheck::Combination& one, int column) const
{
    if (column >= m_axes.size()) {
        const auto found = one.followers.find(m_followers.value(column - m_axes.size()).toStdString());
        if (found == one.followers.end())
            return u"–"_s;
        const auto* number = std::get_if<std::int64_t>(&found->second);
        return number ? format::count(*number) : valueText(found->second);
    }
    const std::string axis = m_axes.value(column).toStdString();
    const auto found =
        std::find_if(one.cases.begin(), one.cases.end(), [&axis](const CaseRef& ref) { return ref.axis == axis; });
    return found == one.cases.end() ? QString() : qtText(found->label);
}

QVariant PointsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    const int users = columnCount() - 2, mark = columnCount() - 1;
    if (role == Qt::TextAlignmentRole)
        return QVariant((section > m_axes.size() && section <= users ? Qt::AlignRight : Qt::AlignLeft) |
                        Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return section == 0      ? tr("Ticked combinations are measured, the others skipped")
               : section == mark ? tr("↻ the server is restarted before it, ⤓ data is loaded before it")
                                 : headerData(section, orientation, Qt::DisplayRole);
    if (role != Qt::DisplayRole || section == 0 || section == mark)
        return {};
    return section == users ? tr("users") : (m_axes + m_followers).value(section - 1);
}

Qt::ItemFlags PointsModel::flags(const QModelIndex& index) const
{
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (index.isValid() && index.column() == 0)
        flags |= Qt::ItemIsUserCheckable;
    return flags;
}

bool PointsModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::CheckStateRole || !index.isValid() || index.column() != 0 || index.row() >= rowCount())
        return false;
    const bool skip = value.toInt() == Qt::Unchecked;
    if (skip == m_rows[std::size_t(index.row())].skipped)
        return false;
    emit skipRequested(index.row(), skip);
    return true;
}

} // namespace dyno
