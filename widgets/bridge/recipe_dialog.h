// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a person says of a recipe of their own: name, question, description, and whose result goes along. GUI thread.
#pragma once

#include <dyno/own_recipes.h>

#include <QDialog>
#include <QString>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace dyno {

class RecipeDialog : public QDialog
{
    Q_OBJECT
public:
    enum class Act { Save, Rename };
    //! `result`: "“Night run”, 18 Nov" of a result that may go along, "" for none.
    RecipeDialog(Act act, const RecipeWords& words, const QString& result, QWidget* parent);

signals:
    //! `by`: whose the result is, "" = not told; without meaning when it does not go along.
    void chosen(const dyno::RecipeWords& words, bool withResult, const QString& by);

private:
    void check();
    [[nodiscard]] RecipeWords words() const;

    QLineEdit* m_name;
    QLineEdit* m_question;
    QPlainTextEdit* m_description;
    QCheckBox* m_result = nullptr;
    QLineEdit* m_by = nullptr;
    QLabel* m_problem;
    QPushButton* m_save;
};

} // namespace dyno
