// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! An editor for the text of a script: line numbers, colours, the first mistake underlined and told below, as one
//! types. What the words mean is asked of dyno/script_language.h. The text keeps its characters and line ends where
//! nobody edits it: a plan's SHA-256 is of them. GUI thread.
#pragma once

#include <dyno/script_language.h>

#include <QPlainTextEdit>
#include <QTimer>

#include <optional>
#include <string>
#include <vector>

class QLabel;

namespace dyno {

class ElidedLabel;
class ScriptCompletion;
struct TableInfo;

class ScriptEditor : public QPlainTextEdit
{
    Q_OBJECT
public:
    explicit ScriptEditor(ScriptLanguage language = ScriptLanguage::Script, QWidget* parent = nullptr);

    [[nodiscard]] int heightOf(int lines) const; //!< of the editor, so that as many are in view

    //! Variables that the script may read, as the workload's parameter "define" has them.
    void setDefinitions(const std::string& definitions);
    //! Shows another text without edited(); the text that is there stays as it is being typed.
    void showText(const QString& text);
    //! What was shown, with the person's edits. toPlainText() has other blanks and line ends.
    [[nodiscard]] const QString& text() const { return m_shown; }
    //! The first mistake, as it was found last: some 200 ms after the last change.
    [[nodiscard]] const std::optional<ScriptMistake>& mistake() const { return m_mistake; }
    //! Something beside the text is wrong, and is shown above the editor: the line below says so, too.
    void setProblemAbove(bool on);
    void checkNow();
    void goToMistake();      //!< checkNow(), and goToLine() where there is one
    void goToLine(int line); //!< from 1; puts the cursor there and brings it into view
    //! Of what happened elsewhere, such as a statement that was tried; 0: none. The cursor stays where it is.
    void setMarkedLine(int line);
    //! Whose names are offered while somebody types.
    void setTables(const std::vector<TableInfo>& tables);
    [[nodiscard]] ScriptCompletion& completion() { return *m_completion; }
    //! At the cursor, in the place of what is selected.
    void insertName(const QString& name);
    //! As one edit of the person's, which undo takes back; the cursor goes to the first line that is new.
    void changeTo(const QString& text);

signals:
    void edited(const QString& text); //!< by the person
    void checked();                   //!< mistake() is that of the text as it is now

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    friend class ScriptNumbers;
    void paintNumbers(QPaintEvent* event);
    [[nodiscard]] int numbersWidth() const;
    void arrange();
    void bringIntoView(int line);
    void showMistake();
    [[nodiscard]] QString mistakeText() const;
    [[nodiscard]] int belowHeight() const; //!< of the line that tells the mistake
    void showMarks();

    const ScriptLanguage m_language;
    QWidget* m_numbers;
    ElidedLabel* m_below;
    QLabel* m_hint;
    ScriptCompletion* m_completion;
    QString m_shown; //!< text()
    QTimer m_pause;  //!< since the last change
    std::string m_definitions;
    std::optional<ScriptMistake> m_mistake;
    bool m_problemAbove = false;
    int m_markedLine = 0;
};

} // namespace dyno
