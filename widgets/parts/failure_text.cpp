// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/failure_text.h"

#include "qt_text.h"

#include <QCoreApplication>

namespace dyno {

namespace {

struct FailureWords
{
    Q_DECLARE_TR_FUNCTIONS(dyno::Failure)
};

} // namespace

QString failureText(const Failure& failure)
{
    QString why = qtText(failure.why).trimmed();
    while (why.endsWith(u'.')) // texts of servers have one already
        why.chop(1);
    const QString run = qtText(failure.where);
    QString text =
        run.isEmpty() ? FailureWords::tr("The session failed")
        : failure.doing.empty()
            ? FailureWords::tr("The run of %1 failed", "point").arg(run)
            : FailureWords::tr("The run of %1 failed %2", "point, while doing what").arg(run, qtText(failure.doing));
    text = why.isEmpty() ? text + u'.' : FailureWords::tr("%1: %2.", "what failed, why").arg(text, why);
    if (failure.more > 0)
        text += u' ' + FailureWords::tr("%n more run(s) failed.", nullptr, failure.more);
    return text;
}

} // namespace dyno
