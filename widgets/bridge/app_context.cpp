// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/app_context.h"

#include "bridge/run_bridge.h"
#include "bridge/server_worker.h"
#include "models/plan_text.h"

#include <dyno/kept_data.h>
#include <dyno/preflight.h>

#include <algorithm>
#include <iterator>

namespace dyno {

AppContext::AppContext(std::filesystem::path library, QObject* parent)
    : QObject(parent)
    , m_library(std::move(library))
    , m_run(new RunBridge(this))
{
    // What was measured is in the library now.
    connect(m_run, &RunFeed::sessionFinished, this, &AppContext::notifyLibraryChanged);
}

AppContext::~AppContext() = default;

namespace {

//! True when the plan's target, or one of an axis, is such a one.
template<class Is>
bool anyTarget(const Plan& plan, const Is& is) // each is asked until one is
{
    const auto fits = [&is](const std::string& uri) {
        const auto parsed = parseUri(uri);
        return parsed && is(*parsed);
    };
    const auto fitsCase = [&fits](const Case& one) { return fits(textOf(one.set, "target.uri")); };
    return fits(plan.target.uri) || std::any_of(plan.axes.begin(), plan.axes.end(), [&fitsCase](const Axis& axis) {
               return std::any_of(axis.cases.begin(), axis.cases.end(), fitsCase);
           });
}

//! A server that somebody else runs.
bool needsServersOfOthers(const Plan& plan)
{
    return anyTarget(plan, [](const TargetUri& uri) { return uri.kind == TargetKind::Remote; });
}

//! Whether the plan's data may lie there already.
bool isLookedAt(const TargetUri& uri)
{
    return mayHoldData(uri) || keepsData(uri);
}

//! What would make the run fail.
std::vector<PreflightItem> blockersOf(const std::vector<PreflightReport>& reports)
{
    std::vector<PreflightItem> blockers;
    for (const PreflightReport& report : reports)
        std::ranges::copy_if(report.items, std::back_inserter(blockers),
                             [](const PreflightItem& item) { return item.level == PreflightLevel::Blocker; });
    return blockers;
}

//! Each with its remedy.
QString blockersText(const std::vector<PreflightItem>& blockers, bool remedies)
{
    QStringList lines;
    for (const PreflightItem& item : blockers) {
        lines << sentenceText(item.what).remove(QChar(0x200b)); // a box breaks lines at spaces
        if (remedies && !item.remedy.empty())
            lines << QStringLiteral("→ ") + QString::fromStdString(item.remedy);
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace

//! A session of another tool has no plan; says so.
bool AppContext::refusesImported(const Plan& plan)
{
    if (!QString::fromStdString(plan.target.uri).startsWith(QStringLiteral("imported:")))
        return false;
    showMessage(tr("This was measured by another tool: there is no plan of it that could run."));
    return true;
}

void AppContext::editPlan(const Plan& plan)
{
    if (refusesImported(plan))
        return;
    emit planEditRequested(plan);
    showPage(QStringLiteral("planPage"));
}

ServerWorker& AppContext::servers()
{
    if (!m_servers)
        m_servers = new ServerWorker(m_library, {}, this);
    return *m_servers;
}

void AppContext::startPlan(const Plan& plan)
{
    startPlanWith(plan, {});
}

void AppContext::startPlanWith(const Plan& plan, const QString& password)
{
    if (refusesImported(plan))
        return;
    if (m_run->active())
        return run(plan, password, false); // says so
    if (!anyTarget(plan, isLookedAt))
        return run(plan, password, false);
    if (m_looking) // pressed twice
        return;
    m_looking = true;
    const bool takesWhatIsThere = plan.workload.prepare == PreparePolicy::Use || plan.workload.prepare == PreparePolicy::Always;
    if (!takesWhatIsThere && anyTarget(plan, keepsData))
        showMessage(tr("Looking at what the server holds…"));
    servers().look(this, plan, password, [this, plan, password, takesWhatIsThere](const Expected<std::vector<PreflightReport>>& found) {
        m_looking = false;
        const std::vector<PreflightItem> blockers = found ? blockersOf(*found) : std::vector<PreflightItem>();
        if (blockers.empty())
            return askForProduction(plan, password);
        const bool onlyData = std::ranges::all_of(blockers, [](const PreflightItem& item) { return item.id == "data"; });
        if (onlyData && !takesWhatIsThere)
            return askForData(plan, password, blockersText(blockers, false));
        emit consentRequested(tr("The run would fail"), blockersText(blockers, true),
                              {{QStringLiteral("consentYes"), tr("Start all the same"),
                                [this, plan, password] { askForProduction(plan, password); }}});
    });
}

void AppContext::askForData(const Plan& plan, const QString& password, const QString& differences)
{
    const auto with = [this, plan, password](PreparePolicy policy) {
        return [this, plan, password, policy] {
            Plan changed = plan;
            changed.workload.prepare = policy;
            startPlanWith(changed, password);
        };
    };
    QStringList places; // of all data of the plan: the answer is for each of them
    anyTarget(plan, [&places](const TargetUri& uri) {
        const QString place = isLookedAt(uri) ? QString::fromStdString(uri.display()) : QString();
        if (!place.isEmpty() && !places.contains(place))
            places << place;
        return false;
    });
    emit consentRequested(tr("The tables that are there do not fit the plan"),
                          differences + QStringLiteral("\n\n") +
                              tr("Use them as they are, or drop all tables of the plan's workload and load them anew, also those that fit: "
                                 "on %1. What they hold is lost then.").arg(places.join(tr(", "))),
                          {{QStringLiteral("consentUse"), tr("Use them as they are"), with(PreparePolicy::Use)},
                           {QStringLiteral("consentRebuild"), tr("Drop and load anew"), with(PreparePolicy::Always), true}});
}

void AppContext::askForProduction(const Plan& plan, const QString& password)
{
    if (!needsServersOfOthers(plan))
        return run(plan, password, false);
    servers().productionOf(this, plan, [this, plan, password](const Expected<std::vector<RemoteServer>>& found) {
        if (!found || found->empty())
            return run(plan, password, false);
        QStringList names;
        for (const RemoteServer& server : *found)
            names << QString::fromStdString(server.name.empty() ? redactUri(server.uri) : server.name);
        emit consentRequested(tr("Put load on %1?").arg(names.join(tr(", "))),
                              tr("It is marked as production. The plan loads data into it, sends transactions and may "
                                 "change "
                                 "settings, which are put back afterwards."),
                              {{QStringLiteral("consentYes"), tr("Start"), [this, plan, password] { run(plan, password, true); }}});
    });
}

void AppContext::run(const Plan& plan, const QString& password, bool confirmed)
{
    RunnerOptions options;
    options.library = m_library;
    options.password = password.toStdString();
    options.confirmed = confirmed;
    if (!m_run->start(plan, options)) {
        showMessage(tr("A session is running. Stop it first, or wait for its end."), tr("Show it"),
                    [this] { showPage(QStringLiteral("runPage")); });
        return;
    }
    showPage(QStringLiteral("runPage"));
}

bool AppContext::refusesReplay()
{
    if (m_run->active())
        showMessage(tr("A session is running. Replay is possible when it has ended."));
    return m_run->active();
}

void AppContext::replayPair(const ReplayPick& first, const ReplayPick& second)
{
    if (refusesReplay())
        return;
    emit pairRequested(first, second);
    showPage(QStringLiteral("runPage"));
}

void AppContext::replaySession(const QString& sessionId)
{
    if (refusesReplay())
        return;
    emit replayRequested(sessionId);
    showPage(QStringLiteral("runPage"));
}

void AppContext::compareSessions(const QStringList& sessionIds)
{
    emit compareRequested(sessionIds);
    showPage(QStringLiteral("comparePage"));
}

void AppContext::useTarget(const QString& uri)
{
    emit targetRequested(uri);
    showPage(QStringLiteral("planPage"));
}

void AppContext::showPage(const QString& objectName)
{
    emit pageRequested(objectName);
}

void AppContext::notifyLibraryChanged()
{
    emit libraryChanged();
}

void AppContext::showMessage(const QString& text, const QString& actionText, std::function<void()> action)
{
    emit messageRequested(text, actionText, std::move(action));
}

} // namespace dyno
