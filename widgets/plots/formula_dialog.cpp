// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/formula_dialog.h"

#include "parts/card.h"
#include "parts/choice_pill.h"
#include "parts/dialog.h"
#include "parts/field.h"
#include "plots/pivot_table_model.h"
#include "qt_text.h"
#include <dyno/formula.h>

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QVBoxLayout>

namespace dyno {

FormulaDialog::FormulaDialog(const FormulaFigures& figures, const QString& formula, QWidget* parent)
    : QDialog(parent)
    , m_figureProblem(figures.problem)
    , m_text(new QLineEdit(formula))
    , m_problem(makeLabel({}, TextRole::Secondary))
    , m_figures(new ChoicePill(tr("Insert"), QStringLiteral("formulaFigures"),
                               tr("Puts the name of a measure or of a counter where the cursor stands")))
{
    auto* layout = dressDialog(*this, QStringLiteral("formulaDialog"), tr("Formula"));
    keepSize(*this, {640, 220});
    QLabel* help = makeLabel(tr("Arithmetic with measures and counters of a run: + - * / and parentheses. A name and = "
                                "may stand before it, a unit in [ ] behind it."),
                             TextRole::Secondary);
    help->setWordWrap(true);
    m_text->setObjectName(QStringLiteral("formulaText"));
    m_text->setAccessibleName(tr("Formula"));
    m_text->setMaxLength(int(Formula::kMostCharacters));
    m_text->setPlaceholderText(QStringLiteral("Syncs per commit = Innodb_data_fsyncs / Com_commit [syncs/commit]"));
    m_problem->setObjectName(QStringLiteral("formulaProblem"));
    m_problem->setWordWrap(true);
    QDialogButtonBox* buttons = makeDialogButtons(*this, QStringLiteral("formulaCancel"));
    m_show = makeButton(tr("Show"), "primary");
    describe(m_show, QStringLiteral("formulaShow"), tr("Show the formula"), tr("Show what this formula gives"));
    buttons->addButton(m_show, QDialogButtonBox::AcceptRole);
    m_show->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(this, &QDialog::accepted, this, [this] { emit formulaChosen(m_text->text().trimmed()); });
    connect(m_text, &QLineEdit::textChanged, this, &FormulaDialog::check);
    connect(m_figures, &ChoicePill::chosen, this, &FormulaDialog::insertFigure);
    fillFigures(figures);
    auto* row = new QHBoxLayout;
    row->addWidget(m_figures);
    row->addStretch(1);
    layout->addWidget(help);
    layout->addWidget(m_text);
    layout->addLayout(row);
    layout->addWidget(m_problem);
    layout->addStretch(1);
    layout->addWidget(buttons);
    m_text->setFocus();
    check();
}

void FormulaDialog::fillFigures(const FormulaFigures& figures)
{
    std::vector<ChoicePill::Choice> choices{{QString(), tr("a figure…")}};
    for (const std::string& counter : figures.counters) {
        choices.push_back({qtText(counter), qtText(counter), tr("Counters")});
        m_known.insert(QStringLiteral("counter:") + qtText(counter));
    }
    for (const MeasureInfo& measure : figures.measures) {
        if (measure.id != kFormulaMeasure && measure.id != "counter") {
            choices.push_back({qtText(measure.id), PivotTableModel::measureLabel(measure), tr("Measures")});
            m_known.insert(qtText(measure.id));
        }
    }
    m_figures->setChoices(std::move(choices));
}

void FormulaDialog::insertFigure(const QString& name)
{
    m_figures->setCurrent({});
    if (name.isEmpty())
        return;
    // The one figure of a formula that says no more; a counter is not taken for a measure of its name.
    const auto plain = Formula::parse(name.toStdString());
    const bool asItIs = plain && plain->measures().size() == 1 && m_known.contains(qtText(plain->measures().front())) &&
                        plain->value([](const std::string&) { return 7.0; }) == 7.0 &&
                        !name.contains(QLatin1Char(' ')) && !name.contains(QLatin1Char('/'));
    m_text->insert(asItIs ? name : QLatin1Char('\'') + name + QLatin1Char('\''));
    m_text->setFocus();
}

void FormulaDialog::check()
{
    const QString text = m_text->text().trimmed();
    const auto formula = Formula::parse(text.toStdString());
    QStringList unknown;
    QString problem; // the first one
    for (const std::string& measure : formula ? formula->measures() : std::vector<std::string>()) {
        const auto [base, part] = splitMeasure(measure);
        if (const QString own = m_figureProblem ? m_figureProblem(measure) : QString(); !own.isEmpty())
            problem = problem.isEmpty() ? own : problem;
        else if (!m_known.contains(qtText(measure)) && !m_known.contains(qtText(base)))
            unknown += qtText(base == "counter" ? part : measure);
    }
    m_show->setEnabled(formula && problem.isEmpty());
    m_problem->setText(text.isEmpty()       ? QString()
                       : !formula           ? qtText(formula.error().message)
                       : !problem.isEmpty() ? problem
                       : !unknown.isEmpty()
                           ? tr("There is no figure of this name here: %1").arg(unknown.join(QStringLiteral(", ")))
                           : QString());
    setTone(m_problem, formula && problem.isEmpty() ? Tone::Warn : Tone::Bad);
}

} // namespace dyno
