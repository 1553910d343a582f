// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How the users of a plan reach its target: directly, through a proxy that Dynobench starts, or through an address.
//! What is chosen or typed becomes a step of the plan that can be undone. GUI thread.
#pragma once

#include <dyno/catalog.h>

#include <QStringList>
#include <QWidget>

class QComboBox;

namespace dyno {

class Field;
class PlanEditor;

//! The path as a setting of a target: its name, label, help and default.
[[nodiscard]] OptionSpec userPathOption();
//! Paths to choose from: direct, and each proxy, also with its usual pool.
[[nodiscard]] QStringList userPathChoices();

class TargetPathField : public QWidget
{
    Q_OBJECT
public:
    explicit TargetPathField(PlanEditor& editor, QWidget* parent = nullptr);
    void fill(); //!< from the plan; what is being typed stays as it is. Hidden where the target has no way to choose

private:
    void typed(const QString& text);

    PlanEditor& m_editor;
    QComboBox* m_choice;
    Field* m_field;
};

} // namespace dyno
