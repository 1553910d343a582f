// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the machine of a plan's target costs and draws: only for figures per cost and per watt-hour, so that all three
//! fields may stay empty. What is typed becomes a step of the plan that can be undone. GUI thread.
#pragma once

#include <QHash>
#include <QWidget>

namespace dyno {

class Field;
class PlanEditor;

class TargetPrice : public QWidget
{
    Q_OBJECT
public:
    explicit TargetPrice(PlanEditor& editor, QWidget* parent = nullptr);
    void fill(); //!< from the plan; what is being typed stays as it is

private:
    void add(const QString& name, const QString& label, const QString& tip, const QString& placeholder, int width);
    void typed(const QString& name, const QString& text);

    PlanEditor& m_editor;
    QHash<QString, Field*> m_fields; //!< by the plan's name of the field
};

} // namespace dyno
