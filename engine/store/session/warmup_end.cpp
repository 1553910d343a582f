// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/session/warmup_end.h"

#include "base/wall_clock.h"
#include "store/codec/session_codec.h"
#include "store/session/interval_reader.h"
#include "store/session/seals.h"

#include <cstdlib>
#include <fmt/format.h>

namespace dyno {

namespace {

bool counts(const IntervalSample& sample)
{
    return sample.phase == Phase::Warmup || sample.phase == Phase::Measure;
}

double secondsOf(std::int64_t ns)
{
    return static_cast<double>(ns) * 1e-9;
}

constexpr SealPart kSealed[] = {SealPart::Result, SealPart::Warmup};

//! Only what is whole may be changed: a new seal would hide the damage.
Expected<SealedRun> wholeRun(Database& database, std::int64_t run)
{
    SealedRun place = SealedRun::of(database, run);
    Seals seals(database, place.session);
    for (const SealPart part : kSealed) {
        if (!seals.holds(part, place.index, run))
            return fail(damageError(Seals::damageOf(part, place.index), database.file()));
    }
    return place;
}

void sealChange(Database& database, const SealedRun& place)
{
    Seals seals(database, place.session);
    for (const SealPart part : kSealed)
        seals.set(part, place.index, place.key);
}

} // namespace

Expected<void> moveWarmupEnd(Database& database, const StoredSession& session, const StoredRun& run, std::int64_t endNs)
{
    const std::string where = fmt::format("run {} of {}", run.header.index + 1, session.info.title);
    if (!run.summary.origin.empty()) {
        return fail({ErrorKind::BadInput,
                     "the figures of this run are stated by another tool and cannot be computed anew", where,
                     "let that tool leave its warm-up out, and import the result"});
    }
    if (!run.phasesDamage.empty()) // where it would go back to is not known
        return fail(damageError(run.phasesDamage, database.file()));
    const auto place = wholeRun(database, run.id);
    if (!place)
        return fail(place.error());
    Reading reading = Reading::Whole;
    std::vector<IntervalSample> samples = readIntervals(database, run.id, IntervalDetail::Everything, &reading);
    if (auto read = database.result(); !read)
        return read;
    if (reading == Reading::TooLarge)
        return fail({ErrorKind::Storage, "the run has more histograms than are read at a time", where,
                     "leave its warm-up as it is"});
    if (reading == Reading::Damaged) // a summary of what is left would be wrong
        return fail(damageError("the intervals of the run are damaged", where));
    std::int64_t nearest = -1;
    std::int64_t last = 0;
    for (const IntervalSample& sample : samples) {
        if (!counts(sample))
            continue;
        if (nearest < 0 || std::abs(sample.tNs - endNs) < std::abs(nearest - endNs))
            nearest = sample.tNs;
        last = sample.tNs + sample.lengthNs;
    }
    if (nearest < 0)
        return fail({ErrorKind::BadInput, "nothing was measured in this run", where, "choose another run"});
    if (endNs < 0 || endNs >= last) {
        return fail(
            {ErrorKind::BadInput,
             fmt::format("{:.1f} s is not within the run, which is {:.1f} s long", secondsOf(endNs), secondsOf(last)),
             where, "choose a time between its beginning and its end"});
    }
    if (nearest == run.recordedWarmupEndNs.value_or(run.warmupEndNs))
        return restoreWarmupEnd(database, run.id);

    for (IntervalSample& sample : samples) {
        if (counts(sample))
            sample.phase = sample.tNs < nearest ? Phase::Warmup : Phase::Measure;
    }
    Statement update(database, "UPDATE run SET warmup_end_ns = ?, warmup_moved_ms = ?,"
                               " recorded_summary = coalesce(recorded_summary, summary),"
                               " summary = iif(summary IS NULL, NULL, ?) WHERE key = ?"); // none: the run was cut off
    update << nearest << nowMs() << codec::write(summaryOf(run, session.header, samples)) << run.id;
    update.run();
    sealChange(database, *place);
    return database.result();
}

Expected<void> restoreWarmupEnd(Database& database, std::int64_t run)
{
    const auto place = wholeRun(database, run);
    if (!place)
        return fail(place.error());
    Statement update(database, "UPDATE run SET warmup_end_ns = NULL, warmup_moved_ms = NULL,"
                               " summary = coalesce(recorded_summary, summary), recorded_summary = NULL WHERE key = ?");
    update << run;
    update.run();
    sealChange(database, *place);
    return database.result();
}

} // namespace dyno
