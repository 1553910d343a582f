// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/session_end.h"

#include "format.h"
#include "parts/failure_text.h"

#include <dyno/report.h>

#include <QCoreApplication>

namespace dyno {

namespace {

struct EndText
{
    Q_DECLARE_TR_FUNCTIONS(dyno::SessionEnd)
};

QString stoppedText(const std::string& reason, const QString& kept)
{
    return reason.empty() || reason == "stopped"
               ? EndText::tr("Stopped. %1").arg(kept)
               : EndText::tr("Stopped: %1. %2").arg(QString::fromStdString(reason), kept);
}

//! The library could not take it: there is nothing in it to compare.
SessionEnd rescued(const SessionSummary& result, const QString& failure)
{
    QString text = EndText::tr("The library could not take the session: %1. All of it is in %2; import that file when "
                               "there is space.")
                       .arg(QString::fromStdString(result.storageProblem), QString::fromStdString(result.storedIn));
    if (!failure.isEmpty())
        text += u' ' + failure;
    return {.tone = result.status == RunStatus::Failed ? Tone::Bad : Tone::Warn, .text = text, .kept = false};
}

} // namespace

QString failureOf(const LiveRunModel& model)
{
    const SessionSummary* result = model.result();
    if (!result || result->status != RunStatus::Failed)
        return {};
    static const SessionHeader none;
    const auto failure = model.session() ? firstFailure(*model.session(), result->runs, result->status, result->reason)
                                         : firstFailure(none, {}, result->status, result->reason);
    return failure ? failureText(*failure) : QString();
}

SessionEnd endOf(const LiveRunModel& model, int missing)
{
    using Offer = SessionEnd::Offer;
    const SessionSummary& result = *model.result();
    const QString failure = failureOf(model);
    if (!result.storageProblem.empty() && !result.storedIn.empty())
        return rescued(result, failure);
    const RunCounts& counts = model.counts();
    const QString kept = result.storageProblem.empty()
                             ? EndText::tr("Runs complete: %1 of %2; everything measured is kept.")
                                   .arg(format::count(counts.done), format::count(counts.planned))
                             : EndText::tr("Nothing was stored.");
    SessionEnd end;
    end.complete = result.status == RunStatus::Done && counts.missing() == 0 && result.storageProblem.empty();
    const Offer again = missing > 0 ? Offer::Missing : Offer::Nothing;
    const Offer compare = counts.done > 0 ? Offer::Compare : Offer::Nothing;
    if (result.status == RunStatus::Failed) {
        const Offer other = counts.done > 0 ? Offer::Compare : Offer::Plan;
        end = {.tone = Tone::Bad, .text = failure + u' ' + kept, .first = missing > 0 ? again : other};
        end.second = missing > 0 ? other : Offer::Nothing;
    } else if (result.status == RunStatus::Stopped) {
        end = {.tone = Tone::Warn, .text = stoppedText(result.reason, kept), .first = again, .second = compare};
    } else if (counts.missing() > 0) {
        end = {.tone = Tone::Warn,
               .text = EndText::tr("The session ended. %1").arg(kept),
               .first = again,
               .second = compare};
    } else {
        end.text = EndText::tr("The session is complete. %1").arg(kept);
        end.first = Offer::Compare;
    }
    return end;
}

} // namespace dyno
