// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! All combinations of a plan's cases as a table: a tick (without one the combination is left out), a column an axis
//! and each setting that follows another, users, and what has to happen before its runs. GUI thread.
#pragma once

#include "plan/plan_editor.h"

#include <QAbstractTableModel>
#include <QStringList>

namespace dyno {

class PointsModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;
    void setCheck(const PlanCheck& check); //!< no rows when it has faults
    //! Combinations that are not among the rows.
    [[nodiscard]] qint64 hiddenPoints() const { return m_total - qint64(m_rows.size()); }
    [[nodiscard]] int skipped() const; //!< rows that are left out
    [[nodiscard]] const PlanCheck::Combination& combination(int row) const { return m_rows[std::size_t(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    //! A tick only asks: the plan answers with another check.
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

signals:
    void skipRequested(int row, bool skipped);

private:
    [[nodiscard]] QString markTip(const PlanCheck::Combination& one) const;
    [[nodiscard]] QString cell(const PlanCheck::Combination& one, int column) const;
    QStringList m_axes;
    QStringList m_followers; //!< paths of settings that follow others; a column each, with what they became
    std::vector<PlanCheck::Combination> m_rows;
    qint64 m_total = 0;
};

} // namespace dyno
