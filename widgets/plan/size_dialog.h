// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Name and settings of one of the sizes a plan comes in. GUI thread.
#pragma once

#include <dyno/plan.h>

#include <QDialog>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace dyno {

class SizeDialog : public QDialog
{
    Q_OBJECT
public:
    //! Edits the size of this name; "" adds one. `plan` says what can be set.
    SizeDialog(Plan plan, std::string name, QWidget* parent);

signals:
    void chosen(const dyno::PlanSize& size); //!< its settings are such as the plan takes

private:
    void check();
    [[nodiscard]] QString problemOf(PlanSize& size) const; //!< fills `size`; "" when it is sound

    Plan m_plan;
    std::string m_was;
    QLineEdit* m_name;
    QPlainTextEdit* m_fields;
    QLabel* m_problem;
    QPushButton* m_save;
};

} // namespace dyno
