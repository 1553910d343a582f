// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/pivot/load_text.h"

#include "report/format.h"
#include "report/pivot/missed_work.h"

#include <dyno/catalog.h>
#include <dyno/load_phases.h>
#include <dyno/report.h>

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <optional>

namespace dyno {

namespace {

using report::reachedEvents, report::reachedRows, report::wantedEvents;

constexpr const char* kDiffers = "see what differs";

//! Smallest and largest of some figures.
struct Span
{
    double least = std::numeric_limits<double>::infinity(), most = -std::numeric_limits<double>::infinity();

    void add(double value)
    {
        least = std::min(least, value);
        most = std::max(most, value);
    }
    [[nodiscard]] bool any() const { return most >= least; }
    //! "4.1", "4.1 to 5.2".
    [[nodiscard]] std::string text(const std::function<std::string(double)>& one) const
    {
        const std::string from = one(least), to = one(most);
        return from == to ? from : fmt::format("{} to {}", from, to);
    }
};

//! The runs that are done, and the loads of the session's points.
struct Loads
{
    std::vector<const LoadProfile*> points;
    std::vector<const StoredRun*> runs;

    explicit Loads(const StoredSession& session)
    {
        for (const PointSpec& point : session.header.points)
            points.push_back(&point.load);
        for (const StoredRun& run : session.runs) {
            if (run.summary.status == RunStatus::Done)
                runs.push_back(&run);
        }
    }
    //! What all points have; none where they differ, or where there is none.
    template<class Get>
    [[nodiscard]] auto common(Get get) const -> std::optional<std::decay_t<decltype(get(*points.front()))>>
    {
        for (const LoadProfile* load : points) {
            if (!(get(*load) == get(*points.front())))
                return {};
        }
        return points.empty() ? std::nullopt : std::optional(get(*points.front()));
    }
    template<class Accept>
    [[nodiscard]] bool any(Accept accept) const
    {
        return std::ranges::any_of(points, [&](const LoadProfile* load) { return accept(*load); });
    }
};

double secondsOf(std::int64_t ns)
{
    return static_cast<double>(ns) * 1e-9;
}

//! The measured times of the runs; not any() without one.
Span measuredOf(const Loads& loads)
{
    Span span;
    for (const StoredRun* run : loads.runs) {
        if (run->summary.seconds > 0)
            span.add(run->summary.seconds);
    }
    return span;
}

//! True when the runs took the time that was asked for; a run's last interval ends a moment after it.
bool tookPlannedTime(const Span& span, double planned)
{
    constexpr double kLate = 1;
    return planned > 0 && span.least >= 0.99 * planned && span.most <= 1.02 * planned + kLate;
}

//! "30 s measured"; "4.1 to 5.2 s measured" when runs ended by something else than their time; "" without a run.
std::string lengthText(const Loads& loads)
{
    const Span span = measuredOf(loads);
    if (!span.any())
        return {};
    const double planned = loads.common([](const LoadProfile& load) { return load.timeSeconds; }).value_or(0);
    if (tookPlannedTime(span, planned))
        return fmt::format("{:g} s measured", planned);
    return span.text(report::seconds) + " s measured";
}

//! How many rows or transactions the runs did of those that are asked for.
struct Amount
{
    std::string text; //!< "4 000 000 rows", "1 200 000 to 4 000 000 of 4 000 000 rows" where runs fell short of them
    bool otherFirst = false; //!< no text: each run ended by its other number before
};

Amount amountOf(const StoredSession& session, const Loads& loads, bool rows)
{
    Span done, wanted;
    std::size_t notReached = 0, runs = 0, others = 0;
    for (const StoredRun* run : loads.runs) {
        const auto index = static_cast<std::size_t>(run->summary.point);
        if (run->summary.point < 0 || index >= loads.points.size())
            continue;
        const PointSpec& point = session.header.points[index];
        const RunSummary& summary = run->summary;
        const std::uint64_t asked = rows ? point.load.rows : wantedEvents(point.load);
        if (asked == 0)
            continue;
        const bool byRows = reachedRows(point.load, summary), byEvents = reachedEvents(point, summary);
        const bool reached = rows ? byRows : byEvents;
        ++runs;
        notReached += reached ? 0 : 1;
        others += !reached && (byRows || byEvents) ? 1 : 0;
        wanted.add(static_cast<double>(asked));
        done.add(static_cast<double>(reached ? asked : rows ? summary.rows : summary.transactions + summary.failed));
    }
    if (!wanted.any() || others == runs)
        return {{}, wanted.any()};
    const auto number = [](double value) { return report::count(static_cast<std::uint64_t>(value)); };
    const std::string what = fmt::format("{} {}", wanted.text(number), rows ? "rows" : "transactions");
    if (notReached == 0)
        return {what};
    if (wanted.least == wanted.most)
        return {fmt::format("{} of {}", done.text(number), what)};
    return {fmt::format("{}, which {} of {} did not reach", what, notReached,
                        report::counted(static_cast<long long>(runs), "run", "runs"))};
}

//! " (until steady)": what ended a warm-up that was no fixed time; "" for one that was.
std::string warmupRule(const LoadProfile& load)
{
    std::string text;
    const auto add = [&text](const std::string& part) { text += (text.empty() ? "until " : " or ") + part; };
    if (load.warmupUntilSteady)
        add(fmt::format("steady, at most {:g} s", load.warmupMaxSeconds));
    if (load.warmupEvents > 0)
        add(report::counted(static_cast<long long>(load.warmupEvents), "transaction", "transactions"));
    if (load.warmupEvents > 0 && load.warmupSeconds > 0 && !load.warmupUntilSteady)
        add(fmt::format("{:g} s", load.warmupSeconds));
    return text.empty() ? text : " (" + text + ")";
}

bool searches(const LoadProfile& load)
{
    return load.search.what != Search::What::Nothing;
}

//! " after 5 s of warm-up", as the runs had it; "" when none of them had any.
std::string warmupText(const Loads& loads)
{
    Span span;
    std::size_t moved = 0;
    for (const StoredRun* run : loads.runs) {
        if (run->knowsWarmupEnd())
            span.add(secondsOf(run->warmupEndNs));
        moved += run->warmupMoved() ? 1 : 0;
    }
    if (!span.any() && !loads.runs.empty())
        return ", warm-up not known: " + loads.runs.front()->phasesDamage;
    if (!span.any() || span.most <= 0)
        return {};
    // A fixed time ends with an interval: "5 s" where it was 5.003.
    const double planned = loads.common([](const LoadProfile& load) { return load.warmupSeconds; }).value_or(0);
    const bool fixed = !loads.any(
        [](const LoadProfile& load) { return load.warmupEvents > 0 || load.warmupUntilSteady || searches(load); });
    const bool asPlanned = fixed && moved == 0 && span.least >= 0.99 * planned && span.most <= 1.02 * planned + 0.1;
    const bool probes = std::ranges::all_of(loads.points, [](const LoadProfile* load) { return searches(*load); });
    std::string text =
        fmt::format(" after {} s of {}", asPlanned ? fmt::format("{:g}", planned) : span.text(report::seconds),
                    probes ? "probing" : "warm-up");
    if (!probes)
        text += loads.common(warmupRule).value_or("");
    if (moved == loads.runs.size())
        text += ", its end moved afterwards";
    else if (moved > 0)
        text += fmt::format(", its end moved afterwards in {} of {} runs", moved, loads.runs.size());
    return text;
}

//! What is asked for, when no run is done.
std::string plannedText(const Loads& loads)
{
    const auto seconds = loads.common([](const LoadProfile& load) { return load.timeSeconds; });
    std::string text = !seconds       ? std::string("time: ") + kDiffers
                       : *seconds > 0 ? fmt::format("{:g} s to be measured", *seconds)
                                      : "";
    if (const auto warmup = loads.common([](const LoadProfile& load) { return load.warmupSeconds; });
        warmup && *warmup > 0)
        text += fmt::format(" after {:g} s of warm-up", *warmup);
    return text;
}

//! What ends a run beside its time, one text each.
void addEnds(std::vector<std::string>& parts, const StoredSession& session, const Loads& loads)
{
    const auto amount = [&](bool rows) {
        const auto asked = loads.common([rows](const LoadProfile& load) { return rows ? load.rows : load.events; });
        if (asked && *asked == 0)
            return;
        std::string text = rows ? "until rows are changed: " : "until transactions are done: ";
        const Amount done = amountOf(session, loads, rows);
        text += !done.text.empty() ? done.text : asked ? report::count(*asked) : kDiffers;
        text += done.otherFirst ? " (another end came first)" : "";
        parts.push_back(text);
    };
    amount(false);
    amount(true);
    const auto steady = loads.common([](const LoadProfile& load) {
        return load.stopAfterSteady > 0
                   ? fmt::format("until steady for {} of {:g} s",
                                 report::counted(load.stopAfterSteady, "window", "windows"), load.steady.windowSeconds)
                   : std::string();
    });
    const auto objective = loads.common([](const LoadProfile& load) {
        return load.stopOnObjective && load.objective.given()
                   ? fmt::format("as long as {} holds", toText(load.objective))
                   : std::string();
    });
    const auto search = loads.common([](const LoadProfile& load) {
        return searches(load) ? fmt::format("at the highest {} from {:g} to {:g} at which {} holds",
                                            load.search.what == Search::What::Rate ? "rate" : "number of users",
                                            load.search.from, load.search.to, toText(load.objective))
                              : std::string();
    });
    for (const auto& part : {steady, objective, search}) {
        if (part && !part->empty())
            parts.push_back(*part);
    }
}

} // namespace

std::string report::arrivalText(const Arrival& arrival)
{
    if (!arrival.open()) {
        return arrival.thinkSeconds > 0 ? fmt::format("closed loop with {:g} s of think time", arrival.thinkSeconds)
                                        : std::string("closed loop");
    }
    const char* const model = arrival.model == ArrivalModel::Poisson ? "Poisson arrivals" : "evenly spaced arrivals";
    std::string rate;
    for (const RateStep& step : arrival.steps)
        rate += fmt::format(", {:g} a second for {:g} s", step.rate, step.seconds);
    if (rate.empty() && arrival.rateTo > 0)
        rate = fmt::format(", {:g} to {:g} a second", arrival.rate, arrival.rateTo);
    else if (rate.empty() && arrival.rate > 0)
        rate = fmt::format(", {:g} a second", arrival.rate);
    return fmt::format("open loop, {}{}", model, rate);
}

std::string report::groupsText(const LoadProfile& load)
{
    std::string text;
    for (const LoadGroup& group : load.groups) {
        const int users = group.users.value_or(load.users.empty() ? 1 : load.users.front());
        if (users > 0)
            text += fmt::format("{}{} {} ({}, {})", text.empty() ? "" : "; ", users, group.name, group.workload,
                                arrivalText(group.pace));
    }
    return text;
}

std::string report::phasesText(const LoadProfile& load)
{
    std::string text;
    for (const LoadPhase& phase : load.phases)
        text += fmt::format("{}{} ({:g} s, {})", text.empty() ? "" : ", ", phase.name, phase.seconds,
                            phaseText(load, phase));
    return text;
}

std::string report::measuredText(const StoredSession& session)
{
    const Loads loads(session);
    const std::string length = lengthText(loads);
    std::string text;
    for (const std::string& part :
         {amountOf(session, loads, false).text, amountOf(session, loads, true).text, length}) {
        if (!part.empty())
            text += (text.empty() ? "" : ", ") + part;
    }
    return length.empty() ? text : text + warmupText(loads);
}

std::string report::loadText(const StoredSession& session)
{
    const Loads loads(session);
    std::vector<std::string> parts;
    const WorkloadInfo* workload = findWorkload(session.header.plan.workload.name);
    if (workload && workload->steps)
        parts.emplace_back("as long as the steps take");
    std::string length = lengthText(loads);
    if (!length.empty()) {
        const auto asked = loads.common([](const LoadProfile& load) { return load.timeSeconds; });
        const bool moved = std::ranges::any_of(loads.runs, [](const StoredRun* run) { return run->warmupMoved(); });
        if (parts.empty() && !moved && asked && *asked > 0 && !tookPlannedTime(measuredOf(loads), *asked))
            length += fmt::format(" of at most {:g} s", *asked);
        const std::string warmup = warmupText(loads);
        parts.push_back(length + (warmup.empty() ? ", no warm-up" : warmup));
    } else if (const std::string planned = plannedText(loads); !planned.empty()) {
        parts.push_back(planned);
    }
    addEnds(parts, session, loads);
    const LoadProfile& plan = session.header.plan.load; // these hold for the whole plan
    parts.push_back(counted(plan.repeats, "repeat", "repeats"));
    parts.push_back(fmt::format("order {}", toText(plan.order)));
    const auto seed = loads.common([](const LoadProfile& load) { return load.seed; });
    parts.push_back(seed ? fmt::format("seed {}", *seed) : std::string("seed: ") + kDiffers);
    const auto arrival = loads.common([](const LoadProfile& load) {
        Arrival used = load.arrival;
        if (load.search.what == Search::What::Rate) // measured at the rate that was found
            used = {.model = used.model, .steps = {}};
        return arrivalText(used);
    });
    const auto groups = loads.common([](const LoadProfile& load) { return groupsText(load); });
    if (!groups)
        parts.push_back(std::string("groups of users: ") + kDiffers);
    else if (!groups->empty())
        parts.push_back("groups of users: " + *groups);
    else
        parts.push_back(arrival.value_or(std::string("arrivals: ") + kDiffers));
    const auto phases = loads.common([](const LoadProfile& load) { return phasesText(load); });
    if (!phases)
        parts.push_back(std::string("phases of the load: ") + kDiffers);
    else if (!phases->empty())
        parts.push_back("phases of the load: " + *phases);
    return fmt::format("{}", fmt::join(parts, ", "));
}

} // namespace dyno
