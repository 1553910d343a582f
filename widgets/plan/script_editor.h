// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! An editor for the text of a script: line numbers, colours, the first mistake underlined and told below, as one
//! types. What the words mean is asked of dyno/script_text.h. GUI thread.
#pragma once

#include <dyno/script_text.h>

#include <QPlainTextEdit>
#include <QTimer>

#include <optional>
#include <string>

namespace dyno {

class ElidedLabel;

class ScriptEditor : public QPlainTextEdit
{
    Q_OBJECT
public:
    explicit ScriptEditor(QWidget* parent = nullptr);

    [[nodiscard]] int heightOf(int lines) const; //!< of the editor, so that as many are in view

    //! Variables that the script may read, as the workload's parameter "define" has them.
    void setDefinitions(const std::string& definitions);
    //! Shows another text without a signal; the text that is there stays as it is being typed.
    void showText(const QString& text);
    //! The first mistake, as it was found last: some 200 ms after the last change.
    [[nodiscard]] const std::optional<ScriptMistake>& mistake() const { return m_mistake; }
    void checkNow();
    void goToLine(int line);      //!< from 1; puts the cursor there and brings it into view
    void setMarkedLine(int line); //!< of what happened elsewhere, such as a statement that was tried; 0: none

signals:
    void edited(const QString& text); //!< by the person
    void checked();                   //!< mistake() is that of the text as it is now

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    friend class ScriptNumbers;
    void paintNumbers(QPaintEvent* event);
    [[nodiscard]] int numbersWidth() const;
    void arrange();
    void showMistake();
    void showMarks();

    QWidget* m_numbers;
    ElidedLabel* m_below;
    QString m_shown; //!< the text as it was seen last
    QTimer m_pause;  //!< since the last change
    std::string m_definitions;
    std::optional<ScriptMistake> m_mistake;
    int m_markedLine = 0;
};

} // namespace dyno
