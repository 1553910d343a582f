// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/app_context.h"

#include "bridge/keyring.h"
#include "bridge/last_plan.h"
#include "bridge/run_bridge.h"
#include "bridge/server_worker.h"
#include "parts/plan_text.h"
#include "parts/trust_card.h"

#include <dyno/catalog.h>
#include <dyno/kept_data.h>
#include <dyno/missing_runs.h>
#include <dyno/passwords.h>
#include <dyno/preflight.h>
#include <dyno/report.h>

#include <algorithm>
#include <iterator>

namespace dyno {

AppContext::AppContext(std::filesystem::path library, QObject* parent)
    : QObject(parent)
    , m_library(std::move(library))
    , m_run(new RunBridge(this))
    , m_keyring(new Keyring(this))
    , m_risks(this)
    , m_missing(this)
{
    connect(m_run, &RunFeed::sessionStarted, this, [](const SessionHeaderPtr& header) { noteStarted(header->plan); });
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

//! What shows on the servers alone and needs an agreement.
std::vector<Risk> risksIn(const std::vector<PreflightReport>& reports)
{
    std::vector<Risk> risks;
    for (const PreflightReport& report : reports) {
        for (const std::vector<Risk>* some : {&report.risks, &report.agreed})
            risks.insert(risks.end(), some->begin(), some->end());
    }
    return risks;
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

QString namesOf(const std::vector<RemoteServer>& servers)
{
    QStringList names;
    for (const RemoteServer& server : servers)
        names << QString::fromStdString(server.name.empty() ? redactUri(server.uri) : server.name);
    return names.join(AppContext::tr(", "));
}

} // namespace

//! A session of another tool has no plan; says so.
bool AppContext::refusesImported(const Plan& plan)
{
    if (!wasImported(plan))
        return false;
    showMessage(tr("Another tool measured this session, so there is no plan to run."));
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
    const auto owner = passwordOwner(plan);
    startPlanWith(plan, owner ? keyring().password(*owner) : QString());
}

void AppContext::startPlanWith(const Plan& plan, const QString& password)
{
    if (!refusesImported(plan))
        begin({plan, password, {}, false, nullptr});
}

void AppContext::runMissing(const QString& sessionId)
{
    if (m_run->active())
        return run({}); // says so
    m_missing.start(
        [file = m_library, id = sessionId.toStdString()]() -> Expected<SessionHeader> {
            auto library = Library::open(file, Library::Mode::ReadOnly);
            if (!library)
                return fail(library.error());
            auto session = (*library)->session(id);
            if (!session)
                return fail(session.error());
            return continuationOf(*session, hostFacts(), std::string("dynobench ") + softwareVersion());
        },
        [this](const Expected<SessionHeader>& header) {
            if (!header)
                return showMessage(QString::fromStdString(header.error().text()));
            const auto owner = passwordOwner(header->plan);
            begin({header->plan,
                   owner ? keyring().password(*owner) : QString(),
                   {},
                   false,
                   std::make_shared<const SessionHeader>(*header)});
        });
}

//! The risks are looked for elsewhere where a file has to be opened for it.
void AppContext::begin(Start start)
{
    if (m_run->active())
        return run(start); // says so
    auto next = [this, start](const std::vector<Risk>& risks) mutable {
        m_looking = false;
        // What was answered on the way here holds, whatever a later answer changed in the plan.
        const std::vector<Risk> asking = uncovered(m_agreements.unanswered(start.plan, risks), start.consent);
        if (!asking.empty())
            return askForRisks(start, asking);
        m_agreements.remember(start.plan, risks);
        for (const Risk& risk : risks)
            start.consent.allow(risk);
        look(start);
    };
    if (!anyTarget(start.plan, [](const TargetUri& uri) { return !uri.path.empty(); }))
        return next(risksOf(start.plan));
    if (m_looking) // pressed twice
        return;
    m_looking = true;
    m_risks.start([plan = start.plan] { return risksOf(plan); }, next);
}

void AppContext::askForRisks(const Start& start, const std::vector<Risk>& risks)
{
    askForAgreement(start.plan, risks, tr("Allow and start"), [this, start] { begin(start); });
}

void AppContext::askForAgreement(const Plan& plan, const std::vector<Risk>& risks, const QString& allow,
                                 std::function<void()> then)
{
    emit consentRequested(
        tr("This plan wants to …"),
        risksBoxText(m_agreements.unanswered(plan, risks)) + QStringLiteral("\n\n") +
            tr("Allow this only if you trust the author of the plan. You are asked once, and again when it changes."),
        {{QStringLiteral("consentAllow"), allow, [this, plan, risks, then = std::move(then)] {
              m_agreements.remember(plan, risks);
              then();
          }}});
}

void AppContext::look(const Start& start)
{
    if (!anyTarget(start.plan, isLookedAtBeforeStart))
        return run(start);
    const bool keeps = anyTarget(start.plan, keepsData);
    const auto tellLook = [this] {
        showMessage(tr("Checking the data on the server…"), tr("Stop"), [this] { servers().stopLook(); });
    };
    if (m_looking) { // pressed twice
        if (keeps)
            tellLook();
        return;
    }
    m_looking = true;
    if (keeps)
        tellLook();
    servers().look(
        this, start.plan, start.password, start.consent,
        [this, start = start](const Expected<std::vector<PreflightReport>>& found) mutable {
            m_looking = false;
            if (!found && found.error().kind == ErrorKind::Interrupted)
                return showMessage(QString::fromStdString(found.error().message));
            const std::vector<Risk> risks = found ? risksIn(*found) : std::vector<Risk>();
            const std::vector<Risk> asking = m_agreements.unanswered(start.plan, uncovered(risks, start.consent));
            if (!asking.empty())
                return askForRisks(start, asking);
            m_agreements.remember(start.plan, risks);
            for (const Risk& risk : risks)
                start.consent.allow(risk);
            const std::vector<PreflightItem> blockers = found ? blockersOf(*found) : std::vector<PreflightItem>();
            if (blockers.empty())
                return askForProduction(start);
            const bool onlyData =
                std::ranges::all_of(blockers, [](const PreflightItem& item) { return item.id == "data"; });
            if (onlyData && start.plan.workload.prepare != PreparePolicy::Use)
                return askForData(start, blockersText(blockers, false));
            emit consentRequested(
                tr("The run would fail"), blockersText(blockers, true),
                {{QStringLiteral("consentYes"), tr("Start anyway"), [this, start] { askForProduction(start); }}});
        });
}

void AppContext::askForData(const Start& start, const QString& differences)
{
    const auto with = [this, start](PreparePolicy policy) {
        return [this, start, policy] {
            Start changed = start;
            changed.plan.workload.prepare = policy;
            if (policy == PreparePolicy::Always)
                changed.consent.allow(std::string(kReplaceTables));
            begin(changed);
        };
    };
    QStringList places; // of all data of the plan: the answer is for each of them
    anyTarget(start.plan, [&places](const TargetUri& uri) {
        const QString place = isLookedAt(uri) ? QString::fromStdString(uri.display()) : QString();
        if (!place.isEmpty() && !places.contains(place))
            places << place;
        return false;
    });
    emit consentRequested(
        tr("The existing tables do not fit the plan"),
        differences + QStringLiteral("\n\n") +
            tr("Use them as they are, or drop and reload all tables of the plan's workload on %1, including those that "
               "fit. Their data is then lost.")
                .arg(places.join(tr(", "))),
        {{QStringLiteral("consentUse"), tr("Use as is"), with(PreparePolicy::Use)},
         {QStringLiteral("consentRebuild"), tr("Drop and reload"), with(PreparePolicy::Always), true}});
}

void AppContext::askBeforeTry(const Plan& plan, std::function<void(bool confirmed)> then)
{
    if (!needsServersOfOthers(plan))
        return then(false);
    servers().productionOf(
        this, plan, [this, then = std::move(then)](const Expected<std::vector<RemoteServer>>& found) {
            if (!found || found->empty())
                return then(false);
            emit consentRequested(tr("Send a transaction to %1?").arg(namesOf(*found)),
                                  tr("It is marked as production. One transaction is sent and rolled back."),
                                  {{QStringLiteral("consentYes"), tr("Try"), [then] { then(true); }}});
        });
}

void AppContext::askForProduction(const Start& start)
{
    if (!needsServersOfOthers(start.plan))
        return run(start);
    servers().productionOf(this, start.plan, [this, start](const Expected<std::vector<RemoteServer>>& found) {
        if (!found || found->empty())
            return run(start);
        Start confirmed = start;
        confirmed.confirmed = true;
        emit consentRequested(tr("Put load on %1?").arg(namesOf(*found)),
                              tr("It is marked as production. The plan loads data into it, sends transactions and may "
                                 "change "
                                 "settings, which are put back afterwards."),
                              {{QStringLiteral("consentYes"), tr("Start"), [this, confirmed] { run(confirmed); }}});
    });
}

void AppContext::run(const Start& start)
{
    RunnerOptions options;
    options.library = m_library;
    options.password = start.password.toStdString();
    options.confirmed = start.confirmed;
    options.consent = start.consent;
    options.continues = start.continues;
    if (!m_run->start(start.plan, options)) {
        showMessage(tr("A session is running. Stop it first, or wait for its end."), tr("Show it"),
                    [this] { showPage(QStringLiteral("runPage")); });
        return;
    }
    showPage(QStringLiteral("runPage"));
}

bool AppContext::refusesReplay()
{
    if (m_run->active())
        showMessage(tr("A session is running. You can replay once it has ended."));
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

void AppContext::notifyFiguresChanged(const QString& sessionId)
{
    emit figuresChanged(sessionId);
    notifyLibraryChanged();
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
