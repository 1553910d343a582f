// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/recipe_dialog.h"

#include "parts/dialog.h"
#include "parts/field.h"
#include "parts/labels.h"
#include "qt_text.h"
#include "theme.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {
constexpr int kRecipeDialogWidth = 520, kDescriptionLines = 5, kLongestWords = 120;
}

RecipeDialog::RecipeDialog(Act act, const RecipeWords& words, const QString& result, QWidget* parent)
    : QDialog(parent)
    , m_name(new QLineEdit(qtText(words.name)))
    , m_question(new QLineEdit(qtText(words.question)))
    , m_description(new QPlainTextEdit(qtText(words.description)))
    , m_problem(new WrapLabel({}, TextRole::Secondary))
    , m_save(makeButton(act == Act::Save ? tr("Save recipe") : tr("Rename"), "primary"))
{
    auto* layout =
        dressDialog(*this, u"recipeDialog"_s, act == Act::Save ? tr("Save as recipe") : tr("Rename the recipe"));
    setMinimumWidth(kRecipeDialogWidth);
    describe(m_name, u"recipeName"_s, tr("Name"), tr("One line below the question on the card"));
    describe(m_question, u"recipeQuestion"_s, tr("Question"), tr("What the recipe answers; the title of its plan"));
    describe(m_description, u"recipeDescription"_s, tr("Description"), tr("What is measured, and what to look at"));
    m_name->setMaxLength(kLongestWords);
    m_name->setPlaceholderText(tr("For example: Flush on our NVMe"));
    m_question->setMaxLength(kLongestWords);
    m_description->setTabChangesFocus(true);
    m_description->setFont(Theme::font(TextRole::Body));
    m_description->setFixedHeight(kDescriptionLines * QFontMetrics(m_description->font()).lineSpacing() + 14);
    m_problem->setObjectName(u"recipeProblem"_s);
    for (const auto& [label, control] : {std::pair<QString, QWidget*>(tr("Name"), m_name),
                                         {tr("Question"), m_question},
                                         {tr("Description"), m_description}}) {
        layout->addWidget(makeLabel(label, TextRole::Secondary));
        layout->addWidget(control);
    }
    if (!result.isEmpty()) {
        m_result = new QCheckBox(tr("Include this result as a reference"));
        m_result->setChecked(true);
        describe(m_result, u"recipeResult"_s, m_result->text(),
                 tr("Its figures, processor and server version stand in the file and beside later results"));
        m_by = new QLineEdit;
        m_by->setMaxLength(kLongestWords);
        describe(m_by, u"recipeBy"_s, tr("Whose result it is"), tr("Stands in the file; empty: not named"));
        layout->addWidget(m_result);
        layout->addWidget(makeLabel(result, TextRole::Secondary));
        layout->addWidget(makeLabel(tr("Whose result it is"), TextRole::Secondary));
        layout->addWidget(m_by);
        connect(m_result, &QCheckBox::toggled, m_by, &QWidget::setEnabled);
    }
    layout->addWidget(m_problem);
    auto* buttons = makeDialogButtons(*this, u"recipeCancel"_s);
    m_save->setObjectName(u"recipeSave"_s);
    buttons->addButton(m_save, QDialogButtonBox::AcceptRole);
    m_save->setDefault(true);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        accept();
        emit chosen(this->words(), m_result && m_result->isChecked(), m_by ? m_by->text().trimmed() : QString());
    });
    for (QLineEdit* line : {m_name, m_question})
        connect(line, &QLineEdit::textChanged, this, &RecipeDialog::check);
    check();
    m_name->setFocus();
}

RecipeWords RecipeDialog::words() const
{
    return {m_name->text().trimmed().toStdString(), m_question->text().trimmed().toStdString(),
            m_description->toPlainText().trimmed().toStdString()};
}

void RecipeDialog::check()
{
    const RecipeWords now = words();
    m_save->setEnabled(!now.name.empty() && !now.question.empty());
    m_problem->setText(now.name.empty()       ? tr("Enter a name")
                       : now.question.empty() ? tr("Enter the question it answers")
                                              : tr("A password is never saved in a recipe"));
}

} // namespace dyno
