// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/points_model.h"

#include "models/plan_text.h"

namespace dyno {

using namespace Qt::StringLiterals;

void PointsModel::setCheck(const PlanCheck& check)
{
    beginResetModel();
    m_axes.clear();
    m_rows.clear();
    m_total = check.points;
    if (!check.firstPoints.empty()) {
        for (const CaseRef& one : check.firstPoints.front().cases) {
            if (one.axis != "users")
                m_axes << qtText(one.axis);
        }
    }
    for (const PointSpec& point : check.firstPoints) {
        QStringList row{QString::number(m_rows.size() + 1)};
        for (const CaseRef& one : point.cases) {
            if (one.axis != "users")
                row << qtText(one.label);
        }
        row << QString::number(point.users());
        m_rows.push_back(row);
    }
    endResetModel();
}

int PointsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int PointsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_axes.size()) + 2;
}

QVariant PointsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const bool figure = index.column() == 0 || index.column() == columnCount() - 1;
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole)
        return m_rows[std::size_t(index.row())].value(index.column());
    if (role == Qt::TextAlignmentRole && figure)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

QVariant PointsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    const bool figure = section == 0 || section == columnCount() - 1;
    if (role == Qt::TextAlignmentRole)
        return QVariant((figure ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    if (section == 0)
        return tr("#");
    return section == columnCount() - 1 ? tr("users") : m_axes.value(section - 1);
}

QStringList orderLines(const PlanCheck& check, int maxLines)
{
    struct Line
    {
        QString cases;
        QStringList users, repeats;
    };
    std::vector<Line> lines;
    bool cut = false;
    for (const RunSlot& run : check.firstRuns) {
        if (run.point >= int(check.firstPoints.size())) {
            cut = true;
            break;
        }
        const PointSpec& point = check.firstPoints[std::size_t(run.point)];
        QStringList cases;
        for (const CaseRef& one : point.cases) {
            if (one.axis != "users")
                cases << qtText(one.label);
        }
        const QString label = cases.join(u", "_s);
        const QString users = QString::number(point.users());
        const QString repeat = QString::number(run.repeat);
        // A plan without axes has one label: there each repeat is a line.
        const bool same = !lines.empty() && lines.back().cases == label &&
                          (!label.isEmpty() || lines.back().repeats.back() == repeat);
        if (!same) {
            if (int(lines.size()) == maxLines) {
                cut = true;
                break;
            }
            lines.push_back({label, {}, {}});
        }
        if (!lines.back().users.contains(users))
            lines.back().users << users;
        if (!lines.back().repeats.contains(repeat))
            lines.back().repeats << repeat;
    }
    QStringList texts;
    QString repeat = u"1"_s;
    for (const Line& line : lines) {
        QStringList parts;
        if (!line.cases.isEmpty())
            parts << line.cases;
        parts << (line.users == QStringList{u"1"_s} ? PointsModel::tr("1 user")
                                                    : PointsModel::tr("%1 users").arg(line.users.join(u", "_s)));
        if (line.repeats.size() > 1)
            parts << PointsModel::tr("%1 times each").arg(line.repeats.size());
        else if (line.repeats.front() != repeat)
            parts << PointsModel::tr("repeat %1").arg(line.repeats.front());
        repeat = line.repeats.back();
        texts << parts.join(u" · "_s);
    }
    if (cut || check.runs > qint64(check.firstRuns.size()))
        texts << PointsModel::tr("… and so on, %1 in all").arg(runsText(check.runs));
    return texts;
}

} // namespace dyno
