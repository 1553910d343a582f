// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Writing a measure that is arithmetic with other figures. GUI thread.
#pragma once

#include <dyno/library.h>

#include <QDialog>
#include <QSet>

class QLabel;
class QLineEdit;
class QPushButton;

namespace dyno {

class ChoicePill;

//! Use with open().
class FormulaDialog : public QDialog
{
    Q_OBJECT
public:
    //! Offers the measures and the counters of these sessions. `formula`: what stands there at first.
    FormulaDialog(const std::vector<StoredSession>& sessions, const QString& formula, QWidget* parent = nullptr);

signals:
    void formulaChosen(const QString& formula); //!< one that Formula::parse() reads

private:
    void fillFigures(const std::vector<StoredSession>& sessions);
    void insertFigure(const QString& name);
    void check();

    QLineEdit* m_text;
    QLabel* m_problem;
    ChoicePill* m_figures;
    QPushButton* m_show;
    QSet<QString> m_known; //!< measures, those of counters with their prefix
};

} // namespace dyno
