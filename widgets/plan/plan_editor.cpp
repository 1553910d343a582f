// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/plan_editor.h"

#include "parts/plan_text.h"

#include <dyno/followers.h>
#include <dyno/uri_form.h>

#include <QUndoCommand>

#include <algorithm>
#include <ranges>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

//! As a plan file would say it: a field that is added there cannot be forgotten here. Lines, which only faults need, do
//! not count, and of files inside, which are large, the digits suffice.
bool samePlan(const Plan& a, const Plan& b)
{
    if (a.source != b.source || !std::ranges::equal(a.files | std::views::keys, b.files | std::views::keys))
        return false;
    Plan one = a, other = b;
    one.files.clear();
    other.files.clear();
    return writePlan(one) == writePlan(other);
}

//! The driver by the scheme alone, for forms that must still show something when the URI has a fault.
QString driverOf(const std::string& uri)
{
    const auto parsed = parseUri(uri);
    return qtText(parsed ? parsed->driver : driverNamedBy(uri));
}

} // namespace

namespace {

//! True when a point with `cases` has all cases of the skip.
bool covers(const Skip& skip, const std::vector<CaseRef>& cases)
{
    return !skip.cases.empty() && std::all_of(skip.cases.begin(), skip.cases.end(), [&cases](const CaseRef& one) {
        return std::find(cases.begin(), cases.end(), one) != cases.end();
    });
}

bool hasCase(const Plan& plan, const CaseRef& ref)
{
    if (ref.axis == "users") {
        return plan.load.users.size() > 1 &&
               std::any_of(plan.load.users.begin(), plan.load.users.end(),
                           [&ref](int users) { return std::to_string(users) == ref.label; });
    }
    return std::any_of(plan.axes.begin(), plan.axes.end(), [&ref](const Axis& axis) {
        return axis.name == ref.axis && std::any_of(axis.cases.begin(), axis.cases.end(),
                                                    [&ref](const Case& one) { return one.label == ref.label; });
    });
}

//! All combinations of the plan, with what the runs of `expansion` (which leaves some out) say of them.
void fillCombinations(PlanCheck& result, const Plan& plan, const Expansion& expansion)
{
    const auto add = [&result, &plan](const PointSpec& point) {
        if (result.combinations.size() < PlanCheck::kListedPoints)
            result.combinations.push_back(
                {point.cases, point.users(), isSkipped(plan, point.cases), 0, 0, 0, followersOf(plan, point)});
    };
    if (plan.skips.empty()) {
        std::for_each(expansion.points.begin(), expansion.points.end(), add);
        result.allPoints = qint64(expansion.points.size());
    } else {
        Plan whole = plan;
        whole.skips.clear();
        const Expansion all = expand(whole);
        std::for_each(all.points.begin(), all.points.end(), add);
        result.allPoints = qint64(all.points.size());
    }
    // Points that are measured have the order of all combinations.
    std::vector<PlanCheck::Combination*> measured;
    for (PlanCheck::Combination& one : result.combinations) {
        if (!one.skipped)
            measured.push_back(&one);
    }
    for (const RunSlot& slot : expansion.runs) {
        RunSlot run = slot;
        if (&slot == &expansion.runs.front())
            run.restart = run.loads = false; // every session begins with a start and the load of what is missing
        result.restarts += run.restart ? 1 : 0;
        result.loads += run.loads ? 1 : 0;
        if (run.point < 0 || std::size_t(run.point) >= measured.size())
            continue;
        PlanCheck::Combination& one = *measured[std::size_t(run.point)];
        ++one.runs;
        one.restarts += run.restart ? 1 : 0;
        one.loads += run.loads ? 1 : 0;
    }
}

} // namespace

bool isSkipped(const Plan& plan, const std::vector<CaseRef>& cases)
{
    return std::any_of(plan.skips.begin(), plan.skips.end(),
                       [&cases](const Skip& skip) { return covers(skip, cases); });
}

void setSkipped(Plan& plan, const std::vector<PlanCheck::Combination>& combinations, const std::vector<CaseRef>& cases,
                bool skipped)
{
    if (skipped == isSkipped(plan, cases))
        return;
    if (skipped) {
        plan.skips.push_back({cases, 0});
        return;
    }
    std::vector<Skip> kept;
    std::vector<Skip> divided;
    for (const Skip& skip : plan.skips)
        (covers(skip, cases) ? divided : kept).push_back(skip);
    plan.skips = std::move(kept);
    for (const PlanCheck::Combination& other : combinations) {
        const bool was = std::any_of(divided.begin(), divided.end(),
                                     [&other](const Skip& skip) { return covers(skip, other.cases); });
        if (was && other.cases != cases && !isSkipped(plan, other.cases))
            plan.skips.push_back({other.cases, 0});
    }
}

void pruneSkips(Plan& plan, const Plan& before)
{
    const auto known = [](const Plan& where, const Skip& skip) {
        return std::all_of(skip.cases.begin(), skip.cases.end(),
                           [&where](const CaseRef& ref) { return hasCase(where, ref); });
    };
    // A fault that a file came with stays to be seen.
    std::erase_if(plan.skips, [&](const Skip& skip) { return !known(plan, skip) && known(before, skip); });
}

//! One step of undo: the whole plan before and after. Plans are small, and nothing can be forgotten this way.
class PlanEdit : public QUndoCommand
{
public:
    PlanEdit(PlanEditor& editor, Plan before, Plan after, const QString& text, const QString& mergeKey)
        : QUndoCommand(text)
        , m_editor(editor)
        , m_before(std::move(before))
        , m_after(std::move(after))
        , m_mergeKey(mergeKey)
    {
    }
    void undo() override { m_editor.apply(m_before); }
    void redo() override { m_editor.apply(m_after); }
    int id() const override { return m_mergeKey.isEmpty() ? -1 : 1; }
    bool mergeWith(const QUndoCommand* other) override
    {
        const auto* step = static_cast<const PlanEdit*>(other);
        if (step->m_mergeKey != m_mergeKey)
            return false;
        m_after = step->m_after;
        if (samePlan(m_before, m_after))
            setObsolete(true);
        return true;
    }

private:
    PlanEditor& m_editor;
    Plan m_before, m_after;
    QString m_mergeKey;
};

PlanCheck checkOf(const Plan& plan)
{
    PlanCheck result;
    result.faults = checkPlan(plan);
    if (!result.faults.empty())
        return result;
    result.risks = risksOf(plan);
    Expansion expansion = expand(plan);
    result.points = qint64(expansion.points.size());
    result.runs = qint64(expansion.runs.size());
    result.seconds = expansion.estimatedSeconds;
    for (const RunSlot& run : expansion.runs)
        result.spent += timeOf(expansion.points[std::size_t(run.point)], run);
    result.bytes = expansion.estimatedBytes;
    const std::size_t shown = std::min(expansion.runs.size(), PlanCheck::kShownRuns);
    fillCombinations(result, plan, expansion);
    result.firstRuns.assign(expansion.runs.begin(), expansion.runs.begin() + std::ptrdiff_t(shown));
    expansion.points.resize(std::min(expansion.points.size(), PlanCheck::kShownPoints));
    result.firstPoints = std::move(expansion.points);
    return result;
}

PlanEditor::PlanEditor(QObject* parent)
    : QObject(parent)
    , m_undo(this)
    , m_debounce(this)
    , m_job(this)
{
    m_debounce.setSingleShot(true);
    m_debounce.setInterval(120);
    connect(&m_debounce, &QTimer::timeout, this, &PlanEditor::runCheck);
    connect(&m_undo, &QUndoStack::cleanChanged, this, &PlanEditor::modifiedChanged);
}

void PlanEditor::setPlan(const Plan& plan, const QString& file, bool modified)
{
    m_undo.clear();
    if (modified)
        m_undo.resetClean();
    m_file = file;
    m_added.clear();
    m_check = {}; // what was said of the plan before is no word about this one
    emit replaced();
    apply(plan);
    emit modifiedChanged();
}

void PlanEditor::edit(const QString& text, const std::function<void(Plan&)>& change, const QString& mergeKey)
{
    if (auto after = changedBy(change)) {
        emit typed(m_plan, *after);
        m_undo.push(new PlanEdit(*this, m_plan, std::move(*after), text, mergeKey));
    }
}

void PlanEditor::insert(const QString& text, const std::function<void(Plan&)>& change)
{
    if (auto after = changedBy(change)) {
        emit inserted(m_plan, *after);
        m_undo.push(new PlanEdit(*this, m_plan, std::move(*after), text, {}));
    }
}

std::optional<Plan> PlanEditor::changedBy(const std::function<void(Plan&)>& change) const
{
    Plan after = m_plan;
    change(after);
    pruneSkips(after, m_plan);
    if (samePlan(m_plan, after))
        return {};
    return after;
}

void PlanEditor::markSaved(const QString& file)
{
    m_file = file;
    m_undo.setClean();
    emit modifiedChanged();
}

void PlanEditor::markModified()
{
    m_undo.resetClean();
    emit modifiedChanged();
}

void PlanEditor::addFiles(const PlanFiles& files)
{
    m_added.insert(files.begin(), files.end());
    const std::size_t before = m_plan.files.size();
    m_plan.files.insert(files.begin(), files.end());
    if (m_plan.files.size() == before)
        return;
    scheduleCheck();
    emit changed();
}

void PlanEditor::apply(const Plan& plan)
{
    m_plan = plan;
    m_plan.files.insert(m_added.begin(), m_added.end());
    m_driver = driverOf(plan.target.uri);
    scheduleCheck();
    emit changed();
}

void PlanEditor::scheduleCheck()
{
    m_job.cancel();
    m_checking = true;
    m_debounce.start();
}

void PlanEditor::runCheck()
{
    m_job.start([plan = m_plan] { return checkOf(plan); },
                [this](PlanCheck check) {
                    m_check = std::move(check);
                    m_checking = false;
                    emit checked();
                });
}

} // namespace dyno
