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

class Disclosure;
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
        //! `act`: what the button that agrees says.
        std::function<void(const Plan&, const std::vector<Risk>&, const QString& act, std::function<void()> then)> ask;
        std::function<QString()> obstacle; //!< why nothing can be tried now; "": it can
        //! Asks where the plan uses a production server. `then` follows on "yes", and at once where it uses none;
        //! true: the person said so.
        std::function<void(const Plan&, std::function<void(bool confirmed)> then)> production;
        QString keys = {}; //!< that begin a try, for the button's tip; "": none do
    };
    ScriptTryCard(PlanEditor& editor, Doors doors, QWidget* parent = nullptr);
    ~ScriptTryCard() override;

    void tryOnce();
    void stop(); //!< the try under way
    void choose(const QString& section);
    [[nodiscard]] bool busy() const { return m_busy; }
    //! What the last try gave.
    [[nodiscard]] const ScriptTry& result() const { return m_result; }

signals:
    void lineMarked(int line); //!< of the script, of the statement that is chosen; 0: of none
    void lineChosen(int line); //!< as lineMarked(), and the person chose it
    void busyChanged();
    void finished(); //!< a try has ended and its result is on the screen

private:
    //! What has to be known before anything is sent.
    struct Look
    {
        std::string section;
        std::vector<Risk> risks;
        std::vector<ScriptStatement> stays;
        int document = 0; //!< m_document
    };
    void planChanged();
    void forget();
    void showWhetherChanged();
    void setBusy(bool on);
    void begin(const Plan& plan, const Look& look);
    void askAboutWhatStays(const Plan& plan, const Look& look);
    [[nodiscard]] bool refuses();
    void askAboutProduction(const Plan& plan, const Look& look);
    void send(const Plan& plan, const Look& look, bool confirmed);
    void show(const Expected<ScriptTry>& tried);
    void showStatement();
    void showPlan(const TriedStatement* one);
    void colorRows();

    PlanEditor& m_editor;
    Doors m_doors;
    Job<Look> m_look;
    Job<Expected<ScriptTry>> m_job;
    std::shared_ptr<std::atomic<bool>> m_stop; //!< of the try under way
    ScriptTry m_result;
    std::uint64_t m_round = 0;
    int m_document = 0;   //!< another one for another plan: answers to questions about the one before count no more
    std::string m_script; //!< that was tried
    bool m_busy = false;
    bool m_showing = false; //!< a result: what is chosen meanwhile no person chose
    QComboBox* m_section;
    QPushButton* m_button;
    QPushButton* m_again;
    QProgressBar* m_progress;
    QLabel* m_text;
    QLabel* m_figures;
    QLabel* m_kept;    //!< whether something was
    QLabel* m_changed; //!< the script, since the try
    QStandardItemModel* m_model;
    FitTable* m_table;
    QLabel* m_statement;
    QLabel* m_details;
    QLabel* m_wholeTables; //!< that the statement reads
    QLabel* m_plan;        //!< as the server told it
    Disclosure* m_planFold;
};

} // namespace dyno
