// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/compare_missing.h"

#include "bridge/app_context.h"
#include "format.h"
#include "parts/banner.h"
#include "parts/failure_text.h"
#include "qt_text.h"

#include <dyno/missing_runs.h>
#include <dyno/report.h>

#include <QCoreApplication>

namespace dyno {

namespace {

struct MissingWords
{
    Q_DECLARE_TR_FUNCTIONS(dyno::ComparePage)
};

} // namespace

void tellMissing(const Comparison& comparison, AppContext& context, Banner& banner)
{
    QStringList missing, second;
    std::vector<Banner::Action> ways; // one a session that lacks runs
    const bool several = comparison.sessions.size() > 1;
    for (const StoredSession& session : comparison.sessions) {
        if (isImported(session) || session.info.status == RunStatus::Running)
            continue;
        const QString of = several ? qtText(session.info.title) % QStringLiteral(": ") : QString();
        const std::optional<Failure> failure = firstFailure(session);
        if (const RunCounts counts = countRuns(session); counts.missing() > 0) {
            missing << MissingWords::tr("%1%2 of %3 runs complete: %4", "session, counts, what became of the others")
                           .arg(of, format::count(counts.done), format::count(counts.planned),
                                qtText(missingText(counts)));
            if (failure)
                second << of + failureText(*failure);
            const QString title = qtText(session.info.title);
            ways.push_back({MissingWords::tr("%1: %n run(s)", "session, what it lacks", counts.missing()).arg(title),
                            [&context, id = qtText(session.info.id)] { context.runMissing(id); }});
        } else if (failure) {
            missing << of + failureText(*failure);
        }
        if (const std::string sittings = sittingsText(session); !sittings.empty())
            (missing.isEmpty() ? missing : second) << of + qtText(sittings);
    }
    if (missing.isEmpty())
        return banner.hide();
    banner.showText(missing.join(QStringLiteral(" · ")), Tone::Warn, second.join(QLatin1Char('\n')));
    if (ways.size() == 1)
        banner.setAction(MissingWords::tr("Run what is missing"), ways.front().run,
                         several ? ways.front().text : QString());
    else if (!ways.empty())
        banner.setActions(MissingWords::tr("Run what is missing"), std::move(ways));
}

} // namespace dyno
