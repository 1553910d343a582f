// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The points that a plan expands into, first ones only, as a table: number, a column an axis, users. GUI thread.
#pragma once

#include "models/plan_editor.h"

#include <QAbstractTableModel>
#include <QStringList>

namespace dyno {

class PointsModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;
    void setCheck(const PlanCheck& check); //!< no rows when it has faults
    //! Points that are not among the rows.
    [[nodiscard]] qint64 hiddenPoints() const { return m_total - qint64(m_rows.size()); }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QStringList m_axes;
    std::vector<QStringList> m_rows;
    qint64 m_total = 0;
};

//! The order of execution in few lines: neighbours that differ only in users share one, "flush=0 · 1, 4, 16 users".
[[nodiscard]] QStringList orderLines(const PlanCheck& check, int maxLines);

} // namespace dyno
