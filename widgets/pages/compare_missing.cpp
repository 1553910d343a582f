// SPDX-License-Identifier: GPL-3.0-or-later
// What the sessions on the Compare page lack: runs that are not complete, and runs of a later sitting.
#include "bridge/app_context.h"
#include "format.h"
#include "forms/banner.h"
#include "models/failure_text.h"
#include "pages/compare_page.h"
#include "qt_text.h"

#include <dyno/missing_runs.h>
#include <dyno/report.h>

namespace dyno {

void ComparePage::tellMissing()
{
    QStringList missing, second;
    std::vector<Banner::Action> ways; // one a session that lacks runs
    const bool several = m_comparison->sessions.size() > 1;
    for (const StoredSession& session : m_comparison->sessions) {
        if (isImported(session) || session.info.status == RunStatus::Running)
            continue;
        const QString of = several ? qtText(session.info.title) % QStringLiteral(": ") : QString();
        const std::optional<Failure> failure = firstFailure(session);
        if (const RunCounts counts = countRuns(session); counts.missing() > 0) {
            missing << tr("%1%2 of %3 runs complete: %4", "session, counts, what became of the others")
                           .arg(of, format::count(counts.done), format::count(counts.planned),
                                qtText(missingText(counts)));
            if (failure)
                second << of + failureText(*failure);
            const QString title = qtText(session.info.title);
            ways.push_back({tr("%1: %n run(s)", "session, what it lacks", counts.missing()).arg(title),
                            [this, id = qtText(session.info.id)] { context().runMissing(id); }});
        } else if (failure) {
            missing << of + failureText(*failure);
        }
        if (const std::string sittings = sittingsText(session); !sittings.empty())
            (missing.isEmpty() ? missing : second) << of + qtText(sittings);
    }
    if (missing.isEmpty())
        return m_banner->hide();
    m_banner->showText(missing.join(QStringLiteral(" · ")), Tone::Warn, second.join(QLatin1Char('\n')));
    if (ways.size() == 1)
        m_banner->setAction(tr("Run what is missing"), ways.front().run, several ? ways.front().text : QString());
    else if (!ways.empty())
        m_banner->setActions(tr("Run what is missing"), std::move(ways));
}

} // namespace dyno
