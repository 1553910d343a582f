// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The header of an axis's table: the plain name of a knob over the name of its variable. GUI thread.
#pragma once

#include <QHeaderView>

namespace dyno {

//! Two lines a column: PlanTitleRole of the model over its DisplayRole; one where they are alike.
class KnobHeader : public QHeaderView
{
    Q_OBJECT
public:
    explicit KnobHeader(QWidget* parent = nullptr);
    [[nodiscard]] int wantedWidth(int column) const; //!< that shortens neither line

protected:
    [[nodiscard]] QSize sizeHint() const override;
    void paintSection(QPainter* painter, const QRect& rect, int logicalIndex) const override;

private:
    [[nodiscard]] QString title(int column) const;
    [[nodiscard]] QString variable(int column) const; //!< "" when the title says it
};

} // namespace dyno
