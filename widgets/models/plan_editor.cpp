// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/plan_editor.h"

#include "models/plan_text.h"

#include <dyno/uri.h>

#include <QUndoCommand>

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

bool sameCase(const Case& a, const Case& b)
{
    return a.label == b.label && a.set == b.set;
}

bool sameAxis(const Axis& a, const Axis& b)
{
    return a.name == b.name && std::equal(a.cases.begin(), a.cases.end(), b.cases.begin(), b.cases.end(), sameCase);
}

bool sameView(const View& a, const View& b)
{
    return a.chart == b.chart && a.measure == b.measure && a.x == b.x && a.series == b.series && a.facet == b.facet &&
           a.baseline == b.baseline;
}

bool sameLoad(const LoadProfile& a, const LoadProfile& b)
{
    // As the plan file would say it: a field that is added there cannot be forgotten here.
    const auto text = [](const LoadProfile& load) {
        Plan plan;
        plan.load = load;
        return writePlan(plan);
    };
    return text(a) == text(b);
}

//! Everything but the lines, which only faults need.
bool samePlan(const Plan& a, const Plan& b)
{
    return a.title == b.title && a.description == b.description && a.target.uri == b.target.uri &&
           a.workload.name == b.workload.name && a.workload.params == b.workload.params &&
           a.workload.prepare == b.workload.prepare && a.workload.cleanup == b.workload.cleanup && a.set == b.set &&
           sameLoad(a.load, b.load) &&
           std::equal(a.axes.begin(), a.axes.end(), b.axes.begin(), b.axes.end(), sameAxis) &&
           std::equal(a.views.begin(), a.views.end(), b.views.begin(), b.views.end(), sameView) && a.source == b.source;
}

//! The driver by the scheme alone, for forms that must still show something when the URI has a fault.
QString driverOf(const std::string& uri)
{
    if (const auto parsed = parseUri(uri))
        return qtText(parsed->driver);
    const QString text = qtText(uri);
    if (text.startsWith("mysql:"_L1) || text.startsWith("mariadb:"_L1) || text.startsWith("managed:"_L1))
        return u"mysql"_s;
    if (text.startsWith("sqlite:"_L1))
        return u"sqlite"_s;
    return {};
}

} // namespace

//! One step of undo: the whole plan before and after. Plans are small, and nothing can be forgotten this way.
class PlanStep : public QUndoCommand
{
public:
    PlanStep(PlanEditor& editor, Plan before, Plan after, const QString& text, const QString& mergeKey)
        : QUndoCommand(text)
        , m_editor(editor)
        , m_before(std::move(before))
        , m_after(std::move(after))
        , m_mergeKey(mergeKey)
    {}
    void undo() override { m_editor.apply(m_before); }
    void redo() override { m_editor.apply(m_after); }
    int id() const override { return m_mergeKey.isEmpty() ? -1 : 1; }
    bool mergeWith(const QUndoCommand* other) override
    {
        const auto* step = static_cast<const PlanStep*>(other);
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
    Expansion expansion = expand(plan);
    result.points = qint64(expansion.points.size());
    result.runs = qint64(expansion.runs.size());
    result.seconds = expansion.estimatedSeconds;
    result.bytes = expansion.estimatedBytes;
    const std::size_t shown = std::min(expansion.runs.size(), PlanCheck::kShownRuns);
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

void PlanEditor::setPlan(const Plan& plan, const QString& file)
{
    m_undo.clear();
    m_file = file;
    emit replaced();
    apply(plan);
    emit modifiedChanged();
}

void PlanEditor::edit(const QString& text, const std::function<void(Plan&)>& change, const QString& mergeKey)
{
    Plan after = m_plan;
    change(after);
    if (!samePlan(m_plan, after))
        m_undo.push(new PlanStep(*this, m_plan, std::move(after), text, mergeKey));
}

void PlanEditor::markSaved(const QString& file)
{
    m_file = file;
    m_undo.setClean();
    emit modifiedChanged();
}

void PlanEditor::apply(const Plan& plan)
{
    m_plan = plan;
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
