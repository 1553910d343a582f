// SPDX-License-Identifier: GPL-3.0-or-later
// What the sessions on the Compare page lack: runs that are not complete, and runs of a later sitting.
#include "bridge/app_context.h"
#include "format.h"
#include "forms/banner.h"
#include "pages/compare_page.h"
#include "qt_text.h"

#include <dyno/missing_runs.h>
#include <dyno/report.h>

namespace dyno {

namespace {

//! Of the first run that failed: where, while doing what, and why.
QString firstFailure(const StoredSession& session)
{
    for (const MissingRun& one : missingRuns(session)) {
        if (!one.run || one.run->status != RunStatus::Failed)
            continue;
        const QString run = qtText(placeInPlan(session.header, one.slot));
        return one.run->place.empty()
                   ? ComparePage::tr("The run of %1 failed: %2", "point, reason").arg(run, qtText(one.run->reason))
                   : ComparePage::tr("The run of %1 failed %2: %3", "point, while doing what, reason")
                         .arg(run, qtText(one.run->place), qtText(one.run->reason));
    }
    return {};
}

} // namespace

void ComparePage::tellMissing()
{
    QStringList missing, second;
    QString id; // of the first session that lacks runs
    const bool several = m_comparison->sessions.size() > 1;
    for (const StoredSession& session : m_comparison->sessions) {
        if (isImported(session) || session.info.status == RunStatus::Running)
            continue;
        const QString of = several ? qtText(session.info.title) % QStringLiteral(": ") : QString();
        if (const RunCounts counts = countRuns(session); counts.missing() > 0) {
            missing << tr("%1%2 of %3 runs are complete: %4", "session, counts, what became of the others")
                           .arg(of, format::count(counts.done), format::count(counts.planned),
                                qtText(missingText(counts)));
            if (const QString failure = firstFailure(session); !failure.isEmpty())
                second << of + failure;
            id = id.isEmpty() ? qtText(session.info.id) : id;
        }
        if (const std::string sittings = sittingsText(session); !sittings.empty())
            (missing.isEmpty() ? missing : second) << of + qtText(sittings);
    }
    if (missing.isEmpty())
        return m_banner->hide();
    m_banner->showText(missing.join(QStringLiteral(" · ")), Tone::Warn, second.join(QLatin1Char('\n')));
    if (!id.isEmpty() && !several)
        m_banner->setAction(tr("Run what is missing"), [this, id] { context().runMissing(id); });
}

} // namespace dyno
