// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The right side of the Servers page: one server with its facts and buttons, its variables against the defaults, what
//! its data folder holds, the end of its log. Shows what it is given and asks for the rest by signals. GUI thread.
#pragma once

#include "plan/server_list_model.h"
#include "servers/variables_model.h"

#include <QWidget>

#include <optional>

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace dyno {

class Chip;
class ElidedLabel;
class EmptyState;
class FlowLayout;
class PillButton;
class SizeBar;

class ServerDetails : public QWidget
{
    Q_OBJECT
public:
    enum class Action { StartOne, Start, Stop, Remove, Edit, Forget, Test, UseInPlan, AddRemote, Refresh };
    Q_ENUM(Action)

    explicit ServerDetails(QWidget* parent = nullptr);

    void showNothing(bool looking); //!< nothing is selected; `looking`: the list is being read
    void showProgram(const ServerProgram& program);
    void showInstance(const ServerInstance& instance, const QString& activity);
    void showRemote(const RemoteServer& remote, const RemoteState& state);

    void clear(); //!< another server was selected: nothing of the one before stays on the screen
    void setVariablesBusy();
    void setVariables(const Expected<VariableRows>& rows);
    void clearVariables(const QString& title, const QString& text, std::optional<Action> action = {});
    void setView(const InstanceView& view);
    void setViewProblem(const Error& error);

signals:
    void actionRequested(dyno::ServerDetails::Action action);

private:
    QPushButton* addButton(Action action, const QString& name, const QString& text, const QString& tip,
                           const char* role = "");
    QHBoxLayout* buildHead();
    void buildTabs();
    QWidget* buildVariables();
    QWidget* buildData();
    QWidget* buildLog();
    void showButtons(const std::vector<Action>& actions);
    void setHead(const QString& title, const QString& second, const QString& state, Tone tone, bool production);
    void setFacts(const std::vector<std::pair<QString, QString>>& facts);
    void showTabs(bool variables, bool folder);
    void updateCounts();

    QStackedWidget* m_stack;
    EmptyState* m_nothing;
    QLabel* m_title;
    Chip* m_state;
    Chip* m_production;
    ElidedLabel* m_second;
    std::vector<std::pair<Action, QPushButton*>> m_buttons;
    QHBoxLayout* m_buttonRow;
    QWidget* m_factsBox;
    FlowLayout* m_facts;
    QWidget* m_tabs;
    PillButton *m_variablesTab, *m_dataTab, *m_logTab;
    QStackedWidget* m_pages;
    EmptyState* m_hint; //!< of a program: what to do with it

    VariablesModel m_variables;
    VariablesFilter m_filter;
    PillButton* m_differs;
    QLineEdit* m_search;
    QLabel* m_count;
    QProgressBar* m_progress;
    QStackedWidget* m_variablesStack;
    QTableView* m_table;
    EmptyState* m_noVariables;
    std::optional<Action> m_noVariablesAction;

    DataPartsModel m_parts;
    SizeBar* m_sizes;
    QTableView* m_partsTable;
    QLabel* m_partsEmpty;
    QPlainTextEdit* m_log;
    QLabel* m_logCopied;
};

} // namespace dyno
