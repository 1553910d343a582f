// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! "Try one transaction": a transaction of the plan's script is sent to the plan's first target and rolled back, and
//! each statement is listed with its values, rows and time. Works off the GUI thread, and only when somebody asks. GUI
//! thread.
#pragma once

#include "bridge/job.h"
#include "parts/card.h"

#include <dyno/plan.h>
#include <dyno/script_try.h>
#include <dyno/trust.h>

#include <QString>

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

class QComboBox;
class QProgressBar;
class QStandardItemModel;

namespace dyno {

class FitTable;
class PlanEditor;

class ScriptTryCard : public Card
{
    Q_OBJECT
public:
    //! What the card needs of the window. Passwords are asked for at each try and kept nowhere.
    struct Doors
    {
        std::function<QString()> password;
        std::function<Consent(const Plan&, const std::vector<Risk>&)> consent;
        //! Of these what nobody has agreed to.
        std::function<std::vector<Risk>(const Plan&, const std::vector<Risk>&)> unanswered;
        std::function<void(const Plan&, const std::vector<Risk>&, std::function<void()> then)> ask;
        std::function<QString()> obstacle; //!< why nothing can be tried now; "": it can
    };
    ScriptTryCard(PlanEditor& editor, Doors doors, QWidget* parent = nullptr);
    ~ScriptTryCard() override;

    void tryOnce();
    void choose(const QString& section);
    [[nodiscard]] bool busy() const { return m_busy; }
    //! What the last try gave.
    [[nodiscard]] const ScriptTry& result() const { return m_result; }

signals:
    void lineChosen(int line); //!< of the script, of the statement that is chosen; 0: of none
    void finished();           //!< a try has ended and its result is on the screen

private:
    //! What has to be known before anything is sent.
    struct Look
    {
        std::string section;
        std::vector<Risk> risks;
        std::vector<ScriptStatement> stays;
    };
    void planChanged();
    void setBusy(bool on);
    void begin(const Plan& plan, const Look& look);
    void askAboutWhatStays(const Plan& plan, const Look& look);
    void send(const Plan& plan, const Look& look);
    void show(const Expected<ScriptTry>& tried);
    void showStatement();
    void colorRows();

    PlanEditor& m_editor;
    Doors m_doors;
    Job<Look> m_look;
    Job<Expected<ScriptTry>> m_job;
    std::shared_ptr<std::atomic<bool>> m_stop; //!< of the try under way
    ScriptTry m_result;
    std::uint64_t m_round = 0;
    bool m_busy = false;
    QComboBox* m_section;
    QPushButton* m_button;
    QPushButton* m_again;
    QProgressBar* m_progress;
    QLabel* m_text;
    QLabel* m_figures;
    QLabel* m_kept; //!< whether something was
    QStandardItemModel* m_model;
    FitTable* m_table;
    QLabel* m_statement;
    QLabel* m_details;
};

} // namespace dyno
