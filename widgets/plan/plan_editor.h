// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The one owner of the plan that the Plan page edits. Every change goes through edit(), so that it can be undone and
//! is checked. GUI thread.
#pragma once

#include "bridge/job.h"

#include <dyno/plan.h>
#include <dyno/plan_time.h>
#include <dyno/trust.h>

#include <QObject>
#include <QString>
#include <QTimer>
#include <QUndoStack>

#include <functional>
#include <optional>
#include <vector>

namespace dyno {

//! What is known of a plan without a server.
struct PlanCheck
{
    Faults faults;
    std::vector<Risk> risks; //!< what it wants that needs an agreement, whether there is one or not
    qint64 points = 0, runs = 0;
    double seconds = 0;                 //!< without loading
    RunTime spent;                      //!< what the seconds are
    quint64 bytes = 0;                  //!< 0 = unknown
    std::vector<PointSpec> firstPoints; //!< the first kShownPoints, without those that are left out
    std::vector<RunSlot> firstRuns;     //!< the first kShownRuns
    int restarts = 0, loads = 0;        //!< runs but the first that a restart or a load of data comes before
    //! Each combination of cases, also those that are left out, the first kListedPoints.
    struct Combination
    {
        std::vector<CaseRef> cases;
        int users = 1;
        bool skipped = false;
        int runs = 0, restarts = 0, loads = 0; //!< of this point's runs; without those that begin the session
        Settings followers = {};               //!< followersOf()
    };
    std::vector<Combination> combinations;
    qint64 allPoints = 0; //!< how many combinations there are
    static constexpr std::size_t kListedPoints = 2000;
    static constexpr std::size_t kShownPoints = 200;
    static constexpr std::size_t kShownRuns = 200;
};
//! True when a skip of the plan leaves out a point with these cases.
[[nodiscard]] bool isSkipped(const Plan& plan, const std::vector<CaseRef>& cases);
//! Takes one combination out of the plan or back in. A skip that left out others too is divided into single ones.
void setSkipped(Plan& plan, const std::vector<PlanCheck::Combination>& combinations, const std::vector<CaseRef>& cases,
                bool skipped);
//! Drops skips that speak of axes or cases which `before` had and the plan has no more.
void pruneSkips(Plan& plan, const Plan& before);
//! Pure; any thread. Expands only when there are no faults.
[[nodiscard]] PlanCheck checkOf(const Plan& plan);

class PlanEditor : public QObject
{
    Q_OBJECT
public:
    explicit PlanEditor(QObject* parent = nullptr);
    ~PlanEditor() override { m_undo.disconnect(this); } // its end is no change of the plan

    [[nodiscard]] const Plan& plan() const { return m_plan; }
    //! Another document: forgets what could be undone. `file` is where it came from, "" for none. `modified`: it has
    //! something that is in no file yet.
    void setPlan(const Plan& plan, const QString& file = {}, bool modified = false);
    //! Applies `change` as one step that can be undone. Steps with the same non-empty `mergeKey` in a row become one
    //! (typing into a field). Does nothing when the plan stays the same.
    void edit(const QString& text, const std::function<void(Plan&)>& change, const QString& mergeKey = {});

    //! The same with something that comes from a file: it is no word of this person for what stands in it.
    void insert(const QString& text, const std::function<void(Plan&)>& change);

    [[nodiscard]] QUndoStack& undoStack() { return m_undo; }
    [[nodiscard]] QString file() const { return m_file; }
    [[nodiscard]] bool modified() const { return !m_undo.isClean(); }
    void markSaved(const QString& file);
    void markModified(); //!< there is something that is in no file
    //! Content of files that the plan names and did not have, such as what is read later. No step of its own: what is
    //! undone keeps it.
    void addFiles(const PlanFiles& files);

    //! The driver that the target needs, "" when its URI cannot be read; also of one driver that this build lacks.
    [[nodiscard]] QString driver() const { return m_driver; }
    //! The last finished check; older than the plan while checking() is true.
    [[nodiscard]] const PlanCheck& check() const { return m_check; }
    [[nodiscard]] bool checking() const { return m_checking; }
    [[nodiscard]] bool startable() const { return !m_checking && m_check.faults.empty(); }

signals:
    void changed();                                                   //!< the plan is another one now
    void replaced();                                                  //!< setPlan() was called; changed() follows
    void typed(const dyno::Plan& before, const dyno::Plan& after);    //!< by this person; changed() follows
    void inserted(const dyno::Plan& before, const dyno::Plan& after); //!< from a file; changed() follows
    void checked();                                                   //!< check() is about the current plan
    void modifiedChanged();

private:
    friend class PlanEdit;
    void apply(const Plan& plan);
    //! The plan after `change`; nothing when it stays the same.
    [[nodiscard]] std::optional<Plan> changedBy(const std::function<void(Plan&)>& change) const;
    void scheduleCheck();
    void runCheck();

    Plan m_plan;
    PlanFiles m_added; //!< addFiles()
    QString m_file;
    QString m_driver;
    QUndoStack m_undo;
    QTimer m_debounce;
    Job<PlanCheck> m_job;
    PlanCheck m_check;
    bool m_checking = true;
};

} // namespace dyno
