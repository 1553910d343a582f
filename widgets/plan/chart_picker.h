// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The kinds of charts as small pictures to choose one from. GUI thread.
#pragma once

#include <QWidget>

class QButtonGroup;

namespace dyno {

class ChartPicker : public QWidget
{
    Q_OBJECT
public:
    //! `name`: of this widget; its buttons are NAME.KIND. `chosen`: View::chart, also of a kind that there is not.
    ChartPicker(const QString& name, const QString& chosen, QWidget* parent = nullptr);
    //! Of the kind: resources/icons/chart-KIND.svg.
    [[nodiscard]] static QString iconOf(const QString& kind);

signals:
    void picked(const QString& kind);

private:
    QButtonGroup* m_buttons;
};

} // namespace dyno
