// SPDX-License-Identifier: GPL-3.0-or-later
#include "start/start_reading.h"

#include "qt_text.h"

#include <dyno/catalog.h>
#include <dyno/missing_runs.h>
#include <dyno/own_recipes.h>
#include <dyno/report.h>
#include <dyno/stored_plan.h>

#include <algorithm>
#include <set>
#include <system_error>

namespace dyno {

std::optional<OpenPlan> openPlanOf(const LastPlan& last)
{
    if (last.editedMs == 0 || last.ran)
        return {};
    ParsedPlan parsed = parseStoredPlan(last.toml.toStdString(), "last plan");
    if (!parsed.plan)
        return {}; // an older version wrote it: the Plan page begins anew, too
    OpenPlan open;
    open.plan = std::move(*parsed.plan);
    open.plan.source = last.source.toStdString();
    open.editedMs = last.editedMs;
    open.changed = last.changed;
    open.faults = int(checkPlan(open.plan).size());
    if (open.faults == 0) {
        const Expansion expansion = expand(open.plan);
        open.runs = qint64(expansion.runs.size());
        open.minutes = expansion.estimatedSeconds / 60;
    }
    return open;
}

namespace {

//! What of a session is still to be run, and how long that takes.
void addMissing(LatestSession& latest, const StoredSession& session)
{
    if (wasImported(session.info) || session.info.status == RunStatus::Running)
        return;
    const RunCounts counts = countRuns(session);
    latest.missing = counts.missing();
    if (latest.missing <= 0 || counts.planned <= 0 || !checkPlan(session.header.plan).empty())
        return;
    latest.missingMinutes =
        expand(session.header.plan).estimatedSeconds / 60 * double(latest.missing) / double(counts.planned);
}

} // namespace

Expected<StartReading> readStart(const std::filesystem::path& file, const LastPlan& last, StartDepth depth)
{
    StartReading reading;
    reading.depth = depth;
    reading.plan = openPlanOf(last);
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored))
        return reading;
    const auto library = Library::open(file, Library::Mode::ReadOnly);
    if (!library)
        return fail(library.error());
    const auto sessions = (*library)->sessions();
    if (!sessions)
        return fail(sessions.error());
    reading.any = !sessions->empty();
    // One session a recipe is read, and none for what else a session of a stranger names as its source.
    std::set<std::string> open;
    if (depth == StartDepth::Digests) {
        for (const RecipeInfo& recipe : recipes())
            open.insert(recipe.id);
        for (const std::string& id : ownRecipeIds(recipesFolder(file)))
            open.insert(id);
    }
    for (const SessionInfo& info : *sessions) {
        const bool isLatest = reading.latest.size() < kContinueCards;
        const bool isOwn = !wasImported(info) && info.runsDone > 0 && open.erase(info.source) > 0;
        if (!isLatest && !isOwn)
            continue;
        auto session = (*library)->session(info.id);
        if (!session)
            continue; // the Sessions page says what is damaged
        LatestSession latest{info, {}, 0, 0};
        addMissing(latest, *session);
        const bool isLastPlan = reading.plan && dyno::isLastPlan(last, session->header.plan);
        if (depth == StartDepth::Digests) {
            if (auto digest = digestOf(**library, std::move(*session)))
                latest.digest = std::move(*digest);
        }
        if (isOwn && !latest.digest.chart.isEmpty()) {
            reading.own[qtText(info.source)] = {info.startedMs, info.runsDone, info.runsPlanned, latest.digest.measure,
                                                latest.digest.chart};
        }
        if (isLatest)
            reading.latest.push_back(std::move(latest));
        if (isLastPlan)
            reading.plan.reset(); // it has been run as it is: the session says more
    }
    if (reading.plan && reading.latest.size() >= kContinueCards)
        reading.latest.resize(kContinueCards - 1);
    return reading;
}

} // namespace dyno
