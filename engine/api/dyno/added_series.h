// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Series that are added to a stored run: read back from a Prometheus server that watched something while it was
//! measured.
#pragma once

#include "error.h"
#include "library.h"
#include "samples.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! One of them as the store has it.
struct AddedSeries
{
    CounterInfo counter;
    std::vector<double> values; //!< one for each of the run's intervals; not a number where not known
    [[nodiscard]] std::size_t knownIntervals() const;
};

//! Where series came from, and when.
struct SeriesOrigin
{
    std::string place;              //!< "db1:9090"
    std::int64_t readMs = 0;        //!< since 1970, UTC
    std::string query;              //!< as it was asked
    std::int64_t stepNs = 0;        //!< between two values
    std::vector<std::string> names; //!< CounterInfo::name of its series
    bool operator==(const SeriesOrigin&) const = default;
};

//! What one query gave; names of the origin are those of the series.
struct SeriesAddition
{
    SeriesOrigin origin;
    std::vector<AddedSeries> series;
};

//! CounterInfo::source of what was read back from there.
[[nodiscard]] std::string addedSource(std::string_view place);
[[nodiscard]] std::string placeOfAdded(std::string_view source); //!< back again: "db1:9090"
[[nodiscard]] bool isAddedSource(std::string_view source);
//! "read back 2026-11-28 21:40:05 UTC from Prometheus at db1:9090: up, every 1 s, 2 series"
[[nodiscard]] std::string toText(const SeriesOrigin& origin);

//! One query of a request.
struct SeriesQuery
{
    std::string text;  //!< PromQL
    std::string name;  //!< of its series; "": the metric's, or else the query
    bool rate = false; //!< its values are rates: "a second" stands behind its unit
};

//! What is asked of a Prometheus server.
struct SeriesRequest
{
    static constexpr std::size_t kMostSeries = 200; //!< of one query
    static constexpr std::size_t kMostQueries = 20;
    std::string url;   //!< "http://db1:9090", perhaps with a path before /api
    std::string token; //!< sent as a bearer token; "": none
    std::vector<SeriesQuery> queries;
    double stepSeconds = 0; //!< 0: the run's interval
};

//! Where a bearer token comes from. Children do not get it.
inline constexpr std::string_view kPrometheusTokenVariable = "DYNO_PROMETHEUS_TOKEN";

//! Words of remedies below, of which a front end may say more, such as the flag: "ask for fewer with a longer step".
inline constexpr std::string_view kLongerStep = "a longer step";
inline constexpr std::string_view kNameOfItsOwn = "a name of its own";
inline constexpr std::string_view kBearerToken = "a bearer token";

//! Whether it is stored when the run's intervals were by the clock of the wall: older versions did not store it, and
//! other tools' logs tell it by any clock.
[[nodiscard]] bool knowsTime(const RunSummary& run);
//! Whether it may be asked at all: the address, the token's way, the queries. Asks nobody.
[[nodiscard]] Expected<void> checkRequest(const SeriesRequest& request);
//! "db1:9090" of an address that checkRequest() takes.
[[nodiscard]] std::string placeOf(const SeriesRequest& request);

//! Asks for what `run` lasted by the clock of the wall, and brings the answers to its intervals: the last value in an
//! interval, a gap where there is none. `times`: those of the run (Library::columns()). Any thread; `goOn`, called with
//! the share that is done, ends it within about a second by returning false. Changes nothing.
[[nodiscard]] Expected<std::vector<SeriesAddition>> readBack(const SeriesRequest& request, const StoredRun& run,
                                                             const IntervalColumns& times,
                                                             const std::function<bool(double)>& goOn = {});

//! What was read back for the runs of a session, or added to them.
struct SessionAdditions
{
    struct Run
    {
        std::int64_t id = 0; //!< StoredRun::id
        int number = 0;      //!< from 1
        std::vector<SeriesAddition> additions;
    };
    std::vector<Run> runs;
    std::vector<std::string> skipped; //!< "run 3 is skipped: when it began is not stored"
    bool hasValues = true;            //!< else the names alone
    [[nodiscard]] std::size_t series() const;
    [[nodiscard]] std::size_t values() const; //!< of all series
};
//! Asks for one run by its number from 1, or with 0 for all runs that know their time and have intervals: everything is
//! asked for before anything is stored, 256 MB at most. An error when no run is left, and when no query gives a series.
//! Any thread.
[[nodiscard]] Expected<SessionAdditions> readBack(Library& library, const StoredSession& session,
                                                  const SeriesRequest& request, int run,
                                                  const std::function<bool(double)>& goOn = {});
//! All that was added to one run, or with 0 to any run; runs without added series are there without additions. With
//! more values than `mostValues` only their names.
[[nodiscard]] Expected<SessionAdditions> addedTo(Library& library, const StoredSession& session, int run,
                                                 std::size_t mostValues = SIZE_MAX);

//! Of one run: what goes, and what comes. Series of the same name keep their place.
struct SeriesChange
{
    std::int64_t run = 0; //!< StoredRun::id
    std::vector<SeriesAddition> from, to;
};
//! For Library::changeSeries().
struct SeriesChanges
{
    std::vector<SeriesChange> runs;
    bool hasValues = true;                    //!< of what goes: without them there is no way back
    [[nodiscard]] std::size_t values() const; //!< of all series
};
//! What puts these beside what the runs have; what was added earlier of the same source and name goes. `mostValues`:
//! of what goes, as with addedTo().
[[nodiscard]] Expected<SeriesChanges> changesToAdd(Library& library, const StoredSession& session,
                                                   const SessionAdditions& all, std::size_t mostValues);
//! What takes all away that was added to one run, or with 0 to any.
[[nodiscard]] Expected<SeriesChanges> changesToRemove(Library& library, const StoredSession& session, int run,
                                                      std::size_t mostValues);

} // namespace dyno
