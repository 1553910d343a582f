// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The Plan page: five steps that edit one plan, and beside them what it amounts to.
#pragma once

#include "bridge/job.h"
#include "parts/page.h"
#include "plan/plan_editor.h"
#include "plan/script_try_card.h"

#include <dyno/script_file.h>
#include <dyno/trust.h>

#include <QString>

#include <functional>
#include <utility>
#include <vector>

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QStackedLayout;
class QVBoxLayout;

namespace dyno {

class AxesEditor;
class Banner;
class ElidedLabel;
class LoadForm;
class ObserveForm;
class PlanSteps;
class PlanSummary;
class PreflightCard;
class ScriptPage;
class SplitButton;
class TargetForm;
class TrustCard;
class WorkloadForm;
struct KnownServer;
struct LastPlan;

class PlanPage : public Page
{
    Q_OBJECT
public:
    explicit PlanPage(AppContext& context, QWidget* parent = nullptr);
    [[nodiscard]] QString title() const override;
    [[nodiscard]] QString iconName() const override;
    [[nodiscard]] QString manualPage() const override { return QStringLiteral("window-plan"); }
    void activated() override;

    [[nodiscard]] PlanEditor& editor() { return m_editor; }
    //! Reads a plan file in a job; a list of its faults is shown when it has any. Asks before it replaces unsaved
    //! changes.
    void openFile(const QString& file);
    //! A plan with the script of a file as its workload, which has its name; asks and reads as openFile() does. The
    //! text of a script with mistakes is shown with the first one.
    void openScript(const QString& file);
    //! Writes in a job, replacing the file only when the new one is complete.
    void saveFile(const QString& file);
    //! True while the page shows the summary below the steps instead of beside them.
    [[nodiscard]] bool folded() const { return m_folded; }

public slots:
    void start();
    void goTo(const QString& where); //!< brings the field of a fault into view

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void buildHeader(QVBoxLayout* layout);
    void buildSave();
    void buildCards();
    void buildTrust();
    void offerToReplaceForeignKnobs();
    void buildPreflight();
    void buildScript();
    [[nodiscard]] ScriptTryCard::Doors tryDoors(const QString& keys);
    void showLuaTry();
    [[nodiscard]] bool trying() const;
    void chooseScript();
    void readScript(const QString& file, const std::function<void(const OpenedScript&)>& then);
    void takeScript(const QString& file, const OpenedScript& opened);
    void saveWorkload();
    void buildShortcuts();
    void fold(bool on);
    void setDocument(const Plan& plan, const QString& file, bool modified = false);
    void startNew();
    void duplicate(); //!< a copy that belongs to no file
    void updateHeader();
    void updateStart();
    [[nodiscard]] LastPlan planNow() const;
    void remember();
    void restore();
    void open();
    void save();
    void saveAs();
    //! Saves, as a file that is asked for when there is none yet; then `next`, unless the plan could not be saved.
    void saveThen(std::function<void()> next);
    void saveAsThen(std::function<void()> next);
    void writeThen(const QString& file, std::function<void()> next);
    void readPlanFile(const QString& file);
    //! Runs `next` at once when there is nothing to lose, else after the person has saved or given up the changes.
    void afterUnsaved(std::function<void()> next);
    void showFaults(const QString& file, const Faults& faults);
    void startIfWanted();
    void startNow();
    [[nodiscard]] QStringList problemsNobodyNames() const;
    void askToStart(const QStringList& problems);
    void bringIntoView(const QWidget* step);
    void laySideBySide(const std::vector<KnownServer>& servers);

    PlanEditor m_editor;
    QLineEdit* m_title;
    ElidedLabel* m_source;
    QPushButton *m_new, *m_duplicate;
    QPushButton* m_open;
    SplitButton* m_save;
    QPushButton* m_start;
    QPushButton* m_foldedLine;
    QLabel* m_reason;
    QScrollArea* m_scroll;
    QWidget* m_content;
    QVBoxLayout* m_cards;
    QHBoxLayout* m_columns;
    QScrollArea* m_sideScroll;
    TargetForm* m_target;
    Banner* m_foreignKnobs; //!< settings that the target's driver does not have
    WorkloadForm* m_workload;
    AxesEditor* m_axes;
    LoadForm* m_load;
    ObserveForm* m_observe;
    PlanSteps* m_steps;
    PlanSummary* m_summary;
    TrustCard* m_trust;
    PreflightCard* m_preflight;
    QStackedLayout* m_stack; //!< the steps, or m_script
    ScriptPage* m_script;
    ScriptTryCard* m_luaTry = nullptr; //!< below the options of a script for sysbench, once there was one
    //! What a file holds: a plan, or a recipe with one.
    struct Opened
    {
        ParsedPlan plan;
        bool recipe = false;
    };
    Job<Opened> m_reader;
    Job<Expected<OpenedScript>> m_scriptReader;
    //! A plan that was written into a file, or why it was not.
    struct Written
    {
        QString problem;
        Plan plan;
        std::vector<Risk> risks;
    };
    Job<Written> m_writer;
    bool m_startWanted = false; //!< pressed while the plan was being checked
    bool m_folded = false;
};

} // namespace dyno
