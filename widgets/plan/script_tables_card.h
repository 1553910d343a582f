// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! "Tables": the tables of the plan's first target with their columns, read when somebody asks, and transactions made
//! for one of them. Works off the GUI thread. GUI thread.
#pragma once

#include "plan/script_try_card.h"

#include <dyno/table_script.h>

class QLineEdit;
class QTreeWidget;

namespace dyno {

class ScriptTablesCard : public Card
{
    Q_OBJECT
public:
    ScriptTablesCard(PlanEditor& editor, ScriptTryCard::Doors doors, QWidget* parent = nullptr);
    ~ScriptTablesCard() override;

    //! Asks first what has to be asked; `then` is called once the tables are there.
    void read(const std::function<void()>& then = {});
    void make(const TableInfo& table); //!< transactions; sectionsMade() tells them
    void stop();                       //!< what is under way
    void refuse(const QString& why);   //!< said in the card
    [[nodiscard]] bool busy() const { return m_busy; }
    [[nodiscard]] bool known() const { return m_known; } //!< the tables have been read
    [[nodiscard]] const std::vector<TableInfo>& tables() const { return m_read.tables; }

signals:
    void tablesRead();                        //!< or forgotten
    void nameChosen(const QString& written);  //!< to be put into the script
    void sectionsMade(const QString& script); //!< by make()
    void busyChanged();
    void finished(); //!< what was under way has ended and its result is on the screen

private:
    using Work = std::function<void(const Plan&, const RunnerOptions&)>;
    void ask(const Work& work);
    void begin(const Plan& plan, const std::vector<Risk>& risks, const Work& work);
    [[nodiscard]] bool refuses();
    void start(const QString& text);
    void end(const Error* problem);
    void forget();
    void showTables();
    void showMenu(const QPoint& place);
    void filter();

    PlanEditor& m_editor;
    ScriptTryCard::Doors m_doors;
    Job<std::vector<Risk>> m_look;
    Job<Expected<TablesRead>> m_reading;
    Job<Expected<std::string>> m_making;
    std::shared_ptr<std::atomic<bool>> m_stop; //!< of what is under way
    TablesRead m_read;
    std::string m_target; //!< the plan's, that they are read from, or were
    int m_document = 0;   //!< as in ScriptTryCard
    bool m_busy = false, m_known = false;
    QLineEdit* m_filter;
    QTreeWidget* m_tree;
    QProgressBar* m_progress;
    QLabel* m_text;
    QPushButton* m_button;
    QWidget* m_room; //!< below the button, while there is no list
};

} // namespace dyno
