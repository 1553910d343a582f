// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The page to write the plan's script, reached from step 2 of the Plan page: its transactions, the editor, and a try
//! of one transaction. What is typed goes into the plan at once. GUI thread.
#pragma once

#include "plan/script_try_card.h"

#include <QWidget>

class QListWidget;
class QPushButton;

namespace dyno {

class PageHeader;
class PlanEditor;
class ScriptEditor;

class ScriptPage : public QWidget
{
    Q_OBJECT
public:
    ScriptPage(PlanEditor& editor, ScriptTryCard::Doors doors, QWidget* parent = nullptr);
    void open(); //!< with the plan's script as it is now, the cursor in the editor
    void tryOnce() { m_try->tryOnce(); }

signals:
    void closed(); //!< the person goes back to the plan

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void sync();
    void showSections();
    void insert(const QString& text);
    void beginWithBuiltin();
    [[nodiscard]] QWidget* makeEditorCard();

    PlanEditor& m_editor;
    PageHeader* m_header;
    QListWidget* m_sections;
    QWidget* m_sectionsCard;
    ScriptEditor* m_text;
    QPushButton* m_builtin;
    ScriptTryCard* m_try;
};

} // namespace dyno
