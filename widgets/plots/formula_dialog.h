// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Writing a formula: arithmetic with measures and counters. GUI thread.
#pragma once

#include <dyno/report.h>

#include <QDialog>
#include <QSet>

#include <functional>
#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;

namespace dyno {

class ChoicePill;

//! What a formula may name.
struct FormulaFigures
{
    std::vector<std::string> counters; //!< as a formula names them: "Com_commit", "host/vda reads"
    std::vector<MeasureInfo> measures; //!< and their parts
    //! Why a measure that a formula names (Formula::measures()) cannot be shown there, and what can; "": it can, or is
    //! nothing that is known. None: all can.
    std::function<QString(const std::string& measure)> problem = {};
};

//! Use with open().
class FormulaDialog : public QDialog
{
    Q_OBJECT
public:
    //! Offers these figures. `formula`: what stands there at first.
    FormulaDialog(const FormulaFigures& figures, const QString& formula, QWidget* parent = nullptr);

signals:
    void formulaChosen(const QString& formula); //!< one that Formula::parse() reads, without a problem

private:
    void fillFigures(const FormulaFigures& figures);
    void insertFigure(const QString& name);
    void check();

    std::function<QString(const std::string& measure)> m_figureProblem;
    QLineEdit* m_text;
    QLabel* m_problem;
    ChoicePill* m_figures;
    QPushButton* m_show;
    QSet<QString> m_known; //!< measures, those of counters with their prefix
};

} // namespace dyno
