// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The page to write the plan's script, reached from step 2 of the Plan page: its transactions, tables of the target,
//! the editor, and a try of one transaction. What is typed goes into the plan at once. GUI thread.
#pragma once

#include "plan/script_tables_card.h"
#include "plan/script_try_card.h"

#include <QWidget>

class QLabel;
class QListWidget;
class QMenu;
class QPushButton;
class QSpinBox;

namespace dyno {

class Field;
class PageHeader;
class PlanEditor;
class ScriptEditor;

class ScriptPage : public QWidget
{
    Q_OBJECT
public:
    ScriptPage(PlanEditor& editor, ScriptTryCard::Doors doors, QWidget* parent = nullptr);
    void open();        //!< with the plan's script as it is now, the cursor in the editor
    void goToMistake(); //!< where there is one
    void tryOnce() { m_try->tryOnce(); }
    //! The try or the look at tables that is under way.
    void stopWork()
    {
        m_try->stop();
        m_tables->stop();
    }
    [[nodiscard]] bool busy() const { return m_try->busy() || m_tables->busy(); } //!< with one of them

signals:
    void openWanted(); //!< a file in the place of the script
    void saveWanted(); //!< the script, as a workload of the person's own
    void closed();     //!< the person goes back to the plan
    void busyChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void sync();
    void showSections();
    void showProblem();
    void showWeight(); //!< of the current section
    void setWeight(int weight);
    void insert(const QString& text);
    void makeFromTable();
    void addSections(const QString& script);
    void beginWithBuiltin();
    [[nodiscard]] QWidget* makeEditorCard();

    PlanEditor& m_editor;
    PageHeader* m_header;
    QListWidget* m_sections;
    QSpinBox* m_weight; //!< of the current section
    Field* m_weightField;
    QWidget* m_sectionsCard;
    ScriptEditor* m_text;
    QLabel* m_problem;
    QPushButton* m_builtin;
    QPushButton* m_make;
    QPushButton* m_saveOwn;
    QMenu* m_makeMenu;
    ScriptTablesCard* m_tables;
    ScriptTryCard* m_try;
    QWidget* m_left;           //!< transactions and tables
    QString m_makeTip;         //!< of the button, where there is room for what it reads
    bool m_addsTables = false; //!< the edit at hand is of addSections()
};

} // namespace dyno
