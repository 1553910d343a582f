// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/run_status_text.h"

#include "format.h"

#include <QCoreApplication>

namespace dyno {

namespace {

struct RunStatusWords
{
    Q_DECLARE_TR_FUNCTIONS(RunStatus)
};

} // namespace

QString statusText(RunStatus status)
{
    switch (status) {
    case RunStatus::Pending:
        return RunStatusWords::tr("pending");
    case RunStatus::Running:
        return RunStatusWords::tr("running");
    case RunStatus::Done:
        return RunStatusWords::tr("done");
    case RunStatus::Failed:
        return RunStatusWords::tr("failed");
    case RunStatus::Stopped:
        return RunStatusWords::tr("stopped");
    case RunStatus::Cut:
        return RunStatusWords::tr("cut off");
    case RunStatus::Skipped:
        return RunStatusWords::tr("skipped");
    case RunStatus::Damaged:
        return RunStatusWords::tr("damaged");
    }
    return {};
}

QString countsText(qint64 done, qint64 planned)
{
    return done == planned ? format::count(done)
                           : RunStatusWords::tr("%1 of %2", "runs complete of runs planned")
                                 .arg(format::count(done), format::count(planned));
}

QString endingText(RunStatus status, qint64 done, qint64 planned)
{
    return RunStatusWords::tr("%1, %2 runs", "state of a session, counts: stopped, 8 of 18")
        .arg(statusText(status), countsText(done, planned));
}

Tone statusTone(RunStatus status)
{
    switch (status) {
    case RunStatus::Done:
        return Tone::Good;
    case RunStatus::Failed:
    case RunStatus::Damaged:
        return Tone::Bad;
    case RunStatus::Stopped:
    case RunStatus::Cut:
    case RunStatus::Skipped:
        return Tone::Warn;
    case RunStatus::Running:
        return Tone::Accent;
    case RunStatus::Pending:
        break;
    }
    return Tone::Neutral;
}

} // namespace dyno
