// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/stall_words.h"

#include "format.h"

#include <QCoreApplication>

namespace dyno {

namespace {

struct StallWords
{
    Q_DECLARE_TR_FUNCTIONS(dyno::Stall)
};

QString lengthOf(const Stall& stall)
{
    return format::duration(double(stall.lengthNs) / 1e9);
}

} // namespace

QString stallWord(const Stall& stall)
{
    return stall.isSlow()  ? StallWords::tr("latency stall")
           : stall.stalled ? StallWords::tr("stall")
                           : StallWords::tr("dip");
}

QString stallNote(const Stall& stall)
{
    return StallWords::tr("%1, %2", "what, length")
        .arg(stall.isSlow() ? StallWords::tr("p99 %1", "times").arg(format::ratio(stall.timesSlower()))
                            : stallWord(stall),
             lengthOf(stall));
}

QString stallText(const Stall& stall)
{
    if (stall.isSlow())
        return StallWords::tr("%1, %2: p99 %3 where %4 is usual", "latency stall, length, highest, usual")
            .arg(stallWord(stall), lengthOf(stall), format::time(stall.highestMs), format::time(stall.usualMs));
    return StallWords::tr("%1, %2: down to %3 of %4 transactions/s", "stall, length, lowest, usual")
        .arg(stallWord(stall), lengthOf(stall), format::rate(stall.lowest), format::rate(stall.usual));
}

QString stallDepth(const Stall& stall)
{
    if (stall.isSlow())
        return StallWords::tr("p99 up to %1 from %2 (%3), while throughput holds", "highest, usual, times")
            .arg(format::time(stall.highestMs), format::time(stall.usualMs), format::ratio(stall.timesSlower()));
    return StallWords::tr("down to %1 from %2 transactions/s (−%3)", "lowest, usual, depth")
        .arg(format::rate(stall.lowest), format::rate(stall.usual), format::percent(stall.depth()));
}

} // namespace dyno
