// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/session/added_series.h"

#include "base/none.h"
#include "base/text.h"
#include "store/codec/session_codec.h"
#include "store/library/library_private.h"
#include "store/session/artefacts.h"
#include "store/session/interval_blocks.h"
#include "store/session/interval_reader.h"
#include "store/session/seals.h"
#include <dyno/visible_text.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

namespace dyno {

namespace {

using OriginsJson = nlohmann::ordered_json;

constexpr std::string_view kAddedFrom = "Prometheus ";
constexpr std::string_view kAddedOf = "added series of run ", kAddedEnd = ".json";
constexpr std::size_t kMostOrigins = 1000, kMostOriginBytes = std::size_t(4) << 20;
constexpr std::size_t kLongestOriginText = 4096;

//! Of a run: what was added, with its values.
struct AddedState
{
    SealedRun place;
    std::size_t own = 0; //!< counters before it
    std::vector<SeriesOrigin> origins;
    std::vector<AddedSeries> series;
};

constexpr std::array kSealsOfAdded{SealPart::Series, SealPart::Rows, SealPart::Counters, SealPart::Times,
                                   SealPart::Values};

std::string originsText(Database& database, std::int64_t session, int run)
{
    std::string json;
    const auto infos = readArtefacts(database, session);
    if (std::ranges::find(infos, addedSeriesFile(run), &ArtefactInfo::name) == infos.end())
        return json;
    const auto read = readArtefact(database, session, addedSeriesFile(run), [&json](std::string_view piece) {
        json += piece;
        return json.size() <= kMostOriginBytes;
    });
    return read ? json : std::string();
}

//! Only what is whole may be changed: new seals would hide the damage.
Expected<AddedState> addedState(Database& database, const StoredRun& run)
{
    AddedState state;
    state.place = SealedRun::of(database, run.id);
    Seals seals(database, state.place.session);
    for (const SealPart part : kSealsOfAdded) {
        if (!seals.holds(part, state.place.index, run.id))
            return fail(damageError(Seals::damageOf(part, state.place.index), database.file()));
    }
    const std::vector<CounterInfo>& counters = run.header.counters;
    const auto isAdded = [](const CounterInfo& one) { return isAddedSource(one.source); };
    state.own = std::size_t(std::ranges::find_if(counters, isAdded) - counters.begin());
    std::vector<std::size_t> places;
    for (std::size_t i = state.own; i < counters.size(); ++i) {
        if (!isAdded(counters[i])) // no version of ours leaves that
            return fail(damageError(Seals::damageOf(SealPart::Series, state.place.index), database.file()));
        places.push_back(i);
        state.series.push_back({counters[i], {}});
    }
    if (!places.empty()) {
        Reading reading = Reading::Whole;
        IntervalColumns columns = readColumns(database, run.id, {.counters = true, .only = places}, &reading);
        if (reading != Reading::Whole)
            return fail(damageError("the intervals of the run are damaged", database.file()));
        for (std::size_t i = 0; i < places.size(); ++i)
            state.series[i].values = std::move(columns.counters[i]);
    }
    state.origins = readOrigins(originsText(database, state.place.session, int(state.place.index)));
    if (auto read = database.result(); !read)
        return fail(read.error());
    return state;
}

void eraseArtefact(Database& database, Seals& seals, std::int64_t session, const std::string& name)
{
    std::vector<std::int64_t> places;
    {
        Statement select(database, "DELETE FROM artefact WHERE session = ? AND name = ? RETURNING idx");
        select << session << name;
        while (select.row())
            places.push_back(select.integer(0));
    }
    for (const std::int64_t place : places)
        seals.forget(SealPart::File, place);
}

Expected<void> writeAdded(Database& database, const AddedState& state)
{
    const std::int64_t run = state.place.key;
    IntervalShape shape = IntervalShape::of(database, run);
    shape.counters = state.own + state.series.size();
    if (!shape.possible() || RunBlocks(database, run, shape.operations + shape.counters).tooLarge())
        return fail({ErrorKind::BadInput,
                     fmt::format("run {} would have more series than are read at a time", state.place.index + 1),
                     {},
                     "add fewer series, or remove those that were added"});
    Seals seals(database, state.place.session);
    {
        Statement erase(database, "DELETE FROM counter WHERE run = ?1 AND key NOT IN"
                                  " (SELECT key FROM counter WHERE run = ?1 ORDER BY key LIMIT ?2)");
        erase << run << std::int64_t(state.own);
        erase.run();
    }
    std::vector<std::int64_t> keys;
    std::vector<std::span<const double>> values;
    for (const AddedSeries& one : state.series) {
        Statement insert(database, "INSERT INTO counter(run, source, name, unit, hidden) VALUES(?, ?, ?, ?, 0)");
        insert << run << one.counter.source << one.counter.name << codec::unitText(one.counter);
        insert.run();
        keys.push_back(database.lastInsertId());
        values.emplace_back(one.values);
    }
    writeCounters(database, state.place, state.own, keys, values);
    for (const SealPart part : {SealPart::Series, SealPart::Counters, SealPart::Values})
        seals.set(part, state.place.index, run);
    const std::string name = addedSeriesFile(int(state.place.index));
    eraseArtefact(database, seals, state.place.session, name);
    if (!state.origins.empty())
        writeArtefact(database, state.place.session, name, kGzip, packed(originsJson(state.origins)));
    return database.result();
}

using SeriesName = std::pair<std::string, std::string>; //!< with its source

SeriesName nameOf(const AddedSeries& one)
{
    return {one.counter.source, one.counter.name};
}

//! The same reading of a server, whichever series are left of it.
bool sameReading(const SeriesOrigin& a, const SeriesOrigin& b)
{
    return a.place == b.place && a.readMs == b.readMs && a.query == b.query && a.stepNs == b.stepNs;
}

//! Whether the series came from there. Of a stranger's file nothing may be known.
bool hasOrigin(const std::vector<SeriesOrigin>& origins, const SeriesOrigin& wanted, const std::string& name)
{
    const auto found = std::ranges::find_if(origins, [&](const SeriesOrigin& one) {
        return one.place == wanted.place && std::ranges::find(one.names, name) != one.names.end();
    });
    return found == origins.end() ? wanted.readMs == 0 : sameReading(*found, wanted);
}

void addOrigin(std::vector<SeriesOrigin>& origins, const SeriesOrigin& added)
{
    const auto same =
        std::ranges::find_if(origins, [&added](const SeriesOrigin& one) { return sameReading(one, added); });
    if (same == origins.end())
        origins.push_back(added);
    else
        same->names.insert(same->names.end(), added.names.begin(), added.names.end());
}

Error changedSince(const StoredRun& run, const AddedSeries& one)
{
    return {ErrorKind::BadInput,
            fmt::format("the series {} of run {} was added or removed by somebody else meanwhile",
                        visibleText(one.counter.name), run.header.index + 1),
            {},
            "nothing was changed; look at what the session has now"};
}

std::string wordOfOrigin(const OriginsJson& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>().substr(0, kLongestOriginText)
                                                     : std::string();
}

std::int64_t countOfOrigin(const OriginsJson& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_number_integer() ? std::max<std::int64_t>(found->get<std::int64_t>(), 0)
                                                             : 0;
}

} // namespace

std::string addedSource(std::string_view place)
{
    return fmt::format("{}{}", kAddedFrom, place);
}

std::string placeOfAdded(std::string_view source)
{
    return std::string(isAddedSource(source) ? source.substr(kAddedFrom.size()) : std::string_view());
}

//! Names of a plan's own sources have no colon.
bool isAddedSource(std::string_view source)
{
    return source.starts_with(kAddedFrom) && source.find(':') != std::string_view::npos;
}

std::string toText(const SeriesOrigin& origin)
{
    const auto at = static_cast<std::time_t>(origin.readMs / 1000);
    std::tm day{};
    gmtime_r(&at, &day);
    return fmt::format("read back {:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC from Prometheus at {}: {}, every {:g} s, {}"
                       " series",
                       day.tm_year + 1900, day.tm_mon + 1, day.tm_mday, day.tm_hour, day.tm_min, day.tm_sec,
                       visibleText(origin.place), visibleText(origin.query), double(origin.stepNs) * 1e-9,
                       origin.names.size());
}

std::string addedSeriesFile(int run)
{
    return fmt::format("{}{}{}", kAddedOf, run + 1, kAddedEnd);
}

bool isAddedSeriesFile(std::string_view name)
{
    if (!name.starts_with(kAddedOf) || !name.ends_with(kAddedEnd) || name.size() <= kAddedOf.size() + kAddedEnd.size())
        return false;
    name.remove_prefix(kAddedOf.size());
    name.remove_suffix(kAddedEnd.size());
    return name.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string originsJson(const std::vector<SeriesOrigin>& origins)
{
    OriginsJson json = OriginsJson::array();
    for (const SeriesOrigin& one : origins)
        json.push_back({{"place", one.place},
                        {"read_ms", one.readMs},
                        {"query", one.query},
                        {"step_ns", one.stepNs},
                        {"series", one.names}});
    return json.dump(-1, ' ', false, OriginsJson::error_handler_t::replace);
}

std::vector<SeriesOrigin> readOrigins(std::string_view text)
{
    std::vector<SeriesOrigin> origins;
    const OriginsJson json = OriginsJson::parse(text, nullptr, false);
    if (!json.is_array())
        return origins;
    for (std::size_t i = 0; i < std::min(json.size(), kMostOrigins); ++i) {
        const OriginsJson& one = json[i];
        if (!one.is_object())
            continue;
        SeriesOrigin origin{wordOfOrigin(one, "place"),
                            countOfOrigin(one, "read_ms"),
                            wordOfOrigin(one, "query"),
                            countOfOrigin(one, "step_ns"),
                            {}};
        const auto names = one.find("series");
        for (std::size_t k = 0; names != one.end() && names->is_array() && k < names->size(); ++k) {
            if ((*names)[k].is_string() && k < SeriesRequest::kMostSeries)
                origin.names.push_back((*names)[k].get<std::string>().substr(0, kLongestOriginText));
        }
        origins.push_back(std::move(origin));
    }
    return origins;
}

Expected<void> changeSeries(Database& database, const StoredRun& run, const std::vector<SeriesAddition>& from,
                            const std::vector<SeriesAddition>& to)
{
    auto state = addedState(database, run);
    if (!state)
        return fail(state.error());
    std::map<SeriesName, std::size_t> places;
    for (std::size_t i = 0; i < state->series.size(); ++i)
        places.emplace(nameOf(state->series[i]), i);
    std::set<SeriesName> gone;
    for (const SeriesAddition& addition : from) {
        for (const AddedSeries& one : addition.series) {
            if (!places.contains(nameOf(one)) || !hasOrigin(state->origins, addition.origin, one.counter.name))
                return fail(changedSince(run, one));
            gone.insert(nameOf(one));
        }
    }
    for (SeriesOrigin& origin : state->origins)
        std::erase_if(origin.names, [&gone, source = addedSource(origin.place)](const std::string& name) {
            return gone.contains(SeriesName(source, name));
        });
    const std::size_t intervals = to.empty() ? 0 : readColumns(database, run.id, {}).size();
    std::set<SeriesName> come;
    for (const SeriesAddition& addition : to) {
        for (const AddedSeries& one : addition.series) {
            if (!isAddedSource(one.counter.source) || one.values.size() != intervals)
                return fail({ErrorKind::BadInput, "the series are not of this run's intervals", {}, "read them again"});
            if (!come.insert(nameOf(one)).second)
                return fail({ErrorKind::BadInput,
                             fmt::format("two of the series are called {}", one.counter.name),
                             {},
                             fmt::format("give each query {}", kNameOfItsOwn)});
            const auto [same, isNew] = places.emplace(nameOf(one), state->series.size());
            if (!isNew && !gone.contains(nameOf(one)))
                return fail(changedSince(run, one));
            if (isNew)
                state->series.push_back(one);
            else
                state->series[same->second] = one; // it keeps its place
        }
        if (!addition.series.empty())
            addOrigin(state->origins, addition.origin);
    }
    std::erase_if(state->series,
                  [&](const AddedSeries& one) { return gone.contains(nameOf(one)) && !come.contains(nameOf(one)); });
    std::erase_if(state->origins, [](const SeriesOrigin& one) { return one.names.empty(); });
    for (AddedSeries& one : state->series)
        one.counter.hidden = false;
    return writeAdded(database, *state);
}

Expected<void> Library::changeSeries(const std::vector<SeriesChange>& changes, bool back)
{
    if (changes.empty())
        return {};
    const auto changed = d->changeSession(changes.front().run, [&](const StoredSession& session) -> Expected<void> {
        for (const SeriesChange& one : changes) {
            const auto run = std::ranges::find(session.runs, one.run, &StoredRun::id);
            if (run == session.runs.end())
                return fail({ErrorKind::BadInput, "the runs are not of one session", d->file.string(),
                             "change one session at a time"});
            if (auto done = dyno::changeSeries(*d->database, *run, back ? one.to : one.from, back ? one.from : one.to);
                !done)
                return done;
        }
        return {};
    });
    if (!changed)
        return fail(changed.error());
    return {};
}

Expected<std::vector<SeriesOrigin>> Library::addedSeries(std::int64_t run)
{
    Transaction snapshot(*d->database, Transaction::Kind::Read);
    const SealedRun place = SealedRun::of(*d->database, run);
    auto origins = readOrigins(originsText(*d->database, place.session, int(place.index)));
    if (auto read = snapshot.commit(); !read)
        return fail(read.error());
    return origins;
}

} // namespace dyno
