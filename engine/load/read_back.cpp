// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/added_series.h>

#include "base/none.h"
#include "base/wall_clock.h"
#include "monitor/prometheus/exporter_client.h"
#include "monitor/prometheus/range_answer.h"
#include "plan/exporters.h"

#include <dyno/uri.h>
#include <dyno/visible_text.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <utility>

namespace dyno {

namespace {

constexpr std::int64_t kNsOfMs = 1'000'000;
constexpr std::int64_t kPiecePoints = 10'000; //!< Prometheus gives at most 11 000 of a series at a time
constexpr long kQueryPatienceMs = 20'000;     //!< for one piece: the server has to work it out
constexpr std::size_t kLongestQuery = 4096, kLongestAddress = 1024, kLongestToken = 8192;
constexpr std::size_t kMostAddedValues = 32'000'000; //!< of all queries and runs: 256 MB
constexpr std::size_t kMostReadPoints = 16'000'000;  //!< of one query, 256 MB
constexpr std::int64_t kMostGridPoints = 5'000'000;  //!< of one series: 500 requests
constexpr std::int64_t kLongestRunNs = 31LL * 86'400 * 1'000'000'000;
constexpr std::int64_t kLatestStartMs = 100'000'000'000'000; //!< in the year 5138
constexpr double kShortestReadStep = 0.01, kLongestReadStep = 86'400;
constexpr std::int64_t kSlackShare = 20;    //!< of an interval: ends of intervals are not to the millisecond
constexpr std::size_t kLongestSeries = 512; //!< bytes of a name, as with exporters
constexpr const char* kAggregate = "aggregate, such as sum by (instance) (…) or topk(20, …), or choose by labels";

tl::unexpected<Error> badRequest(std::string message, std::string remedy)
{
    return fail({ErrorKind::BadInput, std::move(message), {}, std::move(remedy)});
}

std::string_view schemeOf(std::string_view url)
{
    return url.substr(0, url.find("://"));
}

//! As a part of a URL.
std::string escaped(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           std::string_view("-_.~").find(c) != std::string_view::npos;
        out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

std::string secondsText(std::int64_t ms)
{
    return fmt::format("{}.{:03}", ms / 1000, ms % 1000);
}

//! A run's intervals by the clock of the wall, and when values are asked for.
struct Grid
{
    std::vector<std::int64_t> endsMs, lengthsMs;
    std::int64_t firstMs = 0, stepMs = 0, points = 0;
};

//! Intervals of 0.101 s, on a busy machine, are such of 0.1 s.
double evenSeconds(double seconds)
{
    constexpr double kUneven = 0.02;
    const double unit = std::pow(10, std::floor(std::log10(seconds)) - 1);
    const double even = std::round(seconds / unit) * unit;
    return std::abs(even - seconds) <= kUneven * seconds ? even : seconds;
}

//! A stranger's file has any numbers.
bool possibleTimes(const StoredRun& run, const IntervalColumns& times)
{
    if (run.summary.startedMs > kLatestStartMs)
        return false;
    for (std::size_t i = 0; i < times.size(); ++i) {
        const std::int64_t began = times.tNs[i], length = times.lengthNs[i];
        if (began < 0 || began > kLongestRunNs || length < 0 || length > kLongestRunNs ||
            (i > 0 && began < times.tNs[i - 1]))
            return false;
    }
    return true;
}

Expected<Grid> gridOf(const StoredRun& run, const IntervalColumns& times, double stepSeconds)
{
    if (!knowsTime(run.summary))
        return badRequest(fmt::format("when run {} began is not stored", run.header.index + 1),
                          "series are read back for runs that this version or a later one recorded");
    if (times.size() == 0)
        return badRequest(fmt::format("run {} has no intervals", run.header.index + 1), "choose another run");
    if (!possibleTimes(run, times))
        return badRequest(fmt::format("the intervals of run {} have impossible times, or last more than 31 days",
                                      run.header.index + 1),
                          "choose another run");
    const std::int64_t beganMs = run.summary.startedMs + std::max(run.summary.beganAfterMs, 0);
    Grid grid;
    std::vector<std::int64_t> lengths;
    for (std::size_t i = 0; i < times.size(); ++i) {
        grid.endsMs.push_back(beganMs + (times.tNs[i] + times.lengthNs[i]) / kNsOfMs);
        grid.lengthsMs.push_back(std::max<std::int64_t>(times.lengthNs[i] / kNsOfMs, 1));
    }
    lengths = grid.lengthsMs;
    std::ranges::nth_element(lengths, lengths.begin() + std::ptrdiff_t(lengths.size() / 2));
    const double usual = double(lengths[lengths.size() / 2]) / 1e3;
    const double step = stepSeconds > 0 ? stepSeconds : evenSeconds(usual);
    grid.stepMs = std::max<std::int64_t>(std::llround(step * 1e3), std::llround(kShortestReadStep * 1e3));
    grid.firstMs = grid.endsMs.front();
    grid.points = std::max<std::int64_t>((grid.endsMs.back() - grid.firstMs) / grid.stepMs + 1, 1);
    if (grid.points > kMostGridPoints)
        return badRequest(
            fmt::format("run {} is too long for values every {:g} s", run.header.index + 1, double(grid.stepMs) / 1e3),
            fmt::format("ask for fewer with {}", kLongerStep));
    return grid;
}

//! The points that each interval ends with; older ones than a step are none.
std::vector<double> alignedValues(const Grid& grid, const std::vector<RangeSeries::Point>& points)
{
    std::vector<double> values;
    values.reserve(grid.endsMs.size());
    std::size_t next = 0; // the first point behind the interval
    for (std::size_t i = 0; i < grid.endsMs.size(); ++i) {
        const std::int64_t length = grid.lengthsMs[i];
        const std::int64_t end = grid.endsMs[i] + std::min(length, grid.stepMs) / kSlackShare;
        while (next < points.size() && points[next].ms <= end)
            ++next;
        const bool fresh = next > 0 && end - points[next - 1].ms < std::max(length, grid.stepMs);
        values.push_back(fresh ? points[next - 1].value : kNone);
    }
    return values;
}

//! One query over a run.
class RangeReader
{
public:
    RangeReader(ExporterClient& client, const Grid& grid)
        : m_client(client)
        , m_grid(grid)
    {
    }

    //! `share` gets how much is done.
    Expected<std::vector<RangeSeries>> read(const std::string& query, double& share, double whole)
    {
        const double before = share;
        for (std::int64_t at = 0; at < m_grid.points;) {
            const std::int64_t count = std::min(m_piece, m_grid.points - at);
            auto answer = piece(query, m_grid.firstMs + at * m_grid.stepMs, count);
            if (!answer && m_client.tooLarge() && m_piece > 1) {
                m_piece = std::max<std::int64_t>(count / 4, 1);
                continue;
            }
            if (!answer)
                return tl::unexpected(m_client.tooLarge() ? tooMany().value() : answer.error());
            for (RangeSeries& one : *answer) {
                if (auto added = add(std::move(one)); !added)
                    return tl::unexpected(added.error());
            }
            at += count;
            share = before + whole * double(at) / double(m_grid.points);
        }
        return std::move(m_all);
    }

private:
    Expected<std::vector<RangeSeries>> piece(const std::string& query, std::int64_t fromMs, std::int64_t count)
    {
        const auto answer = m_client.get(
            fmt::format("/api/v1/query_range?query={}&start={}&end={}&step={}", escaped(query), secondsText(fromMs),
                        secondsText(fromMs + (count - 1) * m_grid.stepMs), secondsText(m_grid.stepMs)));
        if (!answer)
            return tl::unexpected(answer.error());
        constexpr long kFine = 200, kUnauthorized = 401, kForbidden = 403;
        const bool unknown = answer->status == kUnauthorized || answer->status == kForbidden;
        // A proxy before it answers in HTML, or in JSON of its own.
        if (unknown || (answer->status != kFine && !isRangeError(answer->text)))
            return fail({unknown ? ErrorKind::Refused : ErrorKind::Unreachable,
                         fmt::format("it answers {}", answer->status),
                         {},
                         unknown ? fmt::format("give {}", kBearerToken)
                                 : "check the address: it is that of the server, before /api/v1"});
        auto series = readRangeAnswer(answer->text);
        // Others of its kind move a range to whole steps.
        const std::int64_t first = fromMs - m_grid.stepMs, last = fromMs + count * m_grid.stepMs;
        for (std::size_t i = 0; series && i < series->size(); ++i) {
            const std::vector<RangeSeries::Point>& points = (*series)[i].points;
            if (!points.empty() && (points.front().ms < first || points.back().ms > last))
                return fail({ErrorKind::Failed,
                             "it answers with values of another time",
                             {},
                             "check the address: it is that of the server, before /api/v1"});
        }
        return series;
    }

    static std::optional<Error> tooMany()
    {
        return Error{ErrorKind::BadInput,
                     fmt::format("it gives more than {} series", SeriesRequest::kMostSeries),
                     {},
                     kAggregate};
    }

    Expected<void> add(RangeSeries&& one)
    {
        const auto key = std::make_pair(one.metric, one.labelText());
        const auto [place, isNew] = m_places.emplace(key, m_all.size());
        if (isNew && m_all.size() >= SeriesRequest::kMostSeries)
            return tl::unexpected(tooMany().value());
        m_points += one.points.size();
        if (m_points > kMostReadPoints)
            return badRequest("it gives more values than are taken", fmt::format("{}, or {}", kAggregate, kLongerStep));
        if (isNew) {
            m_all.push_back(std::move(one));
            return {};
        }
        std::vector<RangeSeries::Point>& points = m_all[place->second].points;
        const std::int64_t known = points.empty() ? INT64_MIN : points.back().ms;
        const auto later =
            std::ranges::find_if(one.points, [known](const RangeSeries::Point& point) { return point.ms > known; });
        points.insert(points.end(), later, one.points.end());
        return {};
    }

    ExporterClient& m_client;
    const Grid& m_grid;
    std::int64_t m_piece = kPiecePoints;
    std::size_t m_points = 0; //!< of all series
    std::vector<RangeSeries> m_all;
    std::map<std::pair<std::string, std::string>, std::size_t> m_places;
};

//! Like an exporter's: the metric with its labels. Where a person gave a name, labels tell several series apart.
CounterInfo counterFor(const SeriesQuery& query, const RangeSeries& series, std::size_t of, const std::string& source)
{
    const std::string labels = series.labelText();
    std::string name = series.metric.empty() ? query.text : series.metric;
    if (!query.name.empty())
        name = of > 1 ? query.name + labels : query.name;
    else
        name += labels;
    // A function of a metric has the metric's unit, a second, only where the person says that it is a rate.
    const std::string metric = !series.metric.empty() ? series.metric
                               : query.rate           ? metricOfQuery(query.text)
                                                      : std::string();
    return {source, visibleText(name), unitOfMetric(metric), query.rate};
}

//! `names` gets those of its series: no two of one request are called the same.
Expected<SeriesAddition> additionOf(const SeriesQuery& query, const Grid& grid, const std::vector<RangeSeries>& answer,
                                    const std::string& place, std::set<std::string>& names)
{
    if ((names.size() + answer.size()) * grid.endsMs.size() > kMostAddedValues)
        return badRequest("it gives more values than are taken", kAggregate);
    SeriesAddition addition;
    addition.origin = {place, nowMs(), query.text, grid.stepMs * kNsOfMs, {}};
    for (const RangeSeries& one : answer) {
        CounterInfo counter = counterFor(query, one, answer.size(), addedSource(place));
        if (counter.name.size() > kLongestSeries)
            return badRequest(fmt::format("a series has a name of more than {} bytes", kLongestSeries),
                              "take labels away, such as by sum by (instance) (…), or give the query a name");
        if (std::ranges::find(addition.origin.names, counter.name) != addition.origin.names.end())
            return badRequest(fmt::format("two of its series are called {}", counter.name), kAggregate);
        if (!names.insert(counter.name).second)
            return badRequest(fmt::format("another query gives a series called {} too", counter.name),
                              fmt::format("give each query {}", kNameOfItsOwn));
        addition.origin.names.push_back(counter.name);
        addition.series.push_back({std::move(counter), alignedValues(grid, one.points)});
    }
    return addition;
}

using AddedName = std::pair<std::string, std::string>; //!< with its source

std::size_t valuesOf(const std::vector<SeriesAddition>& additions)
{
    std::size_t count = 0;
    for (const SeriesAddition& addition : additions) {
        for (const AddedSeries& one : addition.series)
            count += one.values.size();
    }
    return count;
}

void forgetValues(std::vector<SeriesAddition>& additions)
{
    for (SeriesAddition& addition : additions) {
        for (AddedSeries& one : addition.series)
            one.values = {};
    }
}

//! What the run has of these, or of all.
Expected<std::vector<SeriesAddition>> addedOf(Library& library, const StoredRun& run, const std::set<AddedName>* only,
                                              bool values)
{
    std::vector<SeriesAddition> additions;
    ColumnParts parts{.counters = true};
    std::map<AddedName, std::size_t> places; // in `parts.only`
    for (std::size_t i = 0; i < run.header.counters.size(); ++i) {
        const CounterInfo& counter = run.header.counters[i];
        if (!isAddedSource(counter.source) || (only && !only->contains(AddedName(counter.source, counter.name))))
            continue;
        places.emplace(AddedName(counter.source, counter.name), parts.only.size());
        parts.only.push_back(i);
    }
    if (parts.only.empty())
        return additions;
    const auto origins = library.addedSeries(run.id);
    if (!origins)
        return tl::unexpected(origins.error());
    auto columns = values ? library.columns(run.id, parts) : Expected<IntervalColumns>(IntervalColumns());
    if (!columns)
        return tl::unexpected(columns.error());
    columns->counters.resize(parts.only.size());
    const auto take = [&](SeriesAddition& addition, const std::string& name) {
        const auto found = places.find(AddedName(addedSource(addition.origin.place), name));
        if (found == places.end())
            return;
        addition.origin.names.push_back(name);
        addition.series.push_back(
            {run.header.counters[parts.only[found->second]], std::move(columns->counters[found->second])});
        places.erase(found);
    };
    for (const SeriesOrigin& origin : *origins) {
        SeriesAddition addition{origin, {}};
        addition.origin.names.clear(); // those that are asked for
        for (const std::string& name : origin.names)
            take(addition, name);
        if (!addition.series.empty())
            additions.push_back(std::move(addition));
    }
    while (!places.empty()) { // a stranger's file may not say where it came from
        const auto [source, name] = places.begin()->first;
        SeriesAddition addition{{placeOfAdded(source), 0, {}, 0, {}}, {}};
        take(addition, name);
        if (addition.series.empty()) { // its source is not written as ours are
            places.erase(places.begin());
            continue;
        }
        additions.push_back(std::move(addition));
    }
    return additions;
}

//! "run 2 is skipped: …; run 3 is skipped: … and 95 more"
std::string fewOf(const std::vector<std::string>& lines)
{
    constexpr std::size_t kFew = 3;
    const std::string text =
        fmt::format("{}", fmt::join(lines.begin(), lines.begin() + std::ptrdiff_t(std::min(lines.size(), kFew)), "; "));
    return lines.size() > kFew ? fmt::format("{} and {} more", text, lines.size() - kFew) : text;
}

//! Which of the queries it is.
std::string queryPlace(const SeriesRequest& request, std::size_t index)
{
    const std::string text = visibleText(request.queries[index].text);
    return request.queries.size() == 1 ? fmt::format("query {}", text)
                                       : fmt::format("query {} of {}, {}", index + 1, request.queries.size(), text);
}

} // namespace

bool knowsTime(const RunSummary& run)
{
    return run.startedMs > 0 && run.beganAfterMs >= 0;
}

Expected<void> checkRequest(const SeriesRequest& request)
{
    constexpr HttpWords kWords{"a Prometheus server", "http://127.0.0.1:9090",
                               "remove what stands before the @, and give a bearer token"};
    const auto host = httpHostOf(request.url, kWords);
    if (!host)
        return tl::unexpected(host.error());
    if (request.url.find('?') != std::string::npos || request.url.size() > kLongestAddress)
        return badRequest("the address of a Prometheus server ends before its /api/v1", "write http://HOST:9090");
    if (request.token.size() > kLongestToken ||
        std::ranges::any_of(request.token, [](char c) { return c <= ' ' || c >= 0x7f; }))
        return badRequest("a token has no blanks or control characters, and at most 8192 bytes",
                          "check what was copied");
    if (!request.token.empty() && schemeOf(request.url) != "https" && !isLoopback(*host))
        return badRequest("a token is not sent in clear to another machine", "use https://, or a tunnel to loopback");
    if (request.stepSeconds != 0 &&
        !(request.stepSeconds >= kShortestReadStep && request.stepSeconds <= kLongestReadStep))
        return badRequest("the step is out of range", "use 0.01 s to a day, or none for the run's interval");
    if (request.queries.empty())
        return badRequest("there is no query", "such as 'rate(node_disk_writes_completed_total[30s])'");
    if (request.queries.size() > SeriesRequest::kMostQueries)
        return badRequest(fmt::format("more than {} queries at a time", SeriesRequest::kMostQueries),
                          "add them one after the other");
    for (std::size_t i = 0; i < request.queries.size(); ++i) {
        const SeriesQuery& one = request.queries[i];
        const bool blank = one.text.find_first_not_of(" \t\n\r") == std::string::npos;
        if (blank || one.text.size() > kLongestQuery)
            return badRequest(blank ? fmt::format("query {} is empty", i + 1)
                                    : fmt::format("query {} has more than {} bytes", i + 1, kLongestQuery),
                              "such as 'rate(node_disk_writes_completed_total[30s])'");
        if (one.name.size() > kLongestSeries)
            return badRequest("the name of a series is too long", "use a few words");
    }
    return {};
}

std::string placeOf(const SeriesRequest& request)
{
    const std::string scheme(schemeOf(request.url));
    std::string place = hostOfUrl(request.url).substr(scheme.size() + std::string_view("://").size());
    const std::size_t bracket = place.rfind(']');
    if (place.find(':', bracket == std::string::npos ? 0 : bracket) == std::string::npos)
        place += scheme == "https" ? ":443" : ":80";
    return place;
}

Expected<std::vector<SeriesAddition>> readBack(const SeriesRequest& request, const StoredRun& run,
                                               const IntervalColumns& times, const std::function<bool(double)>& goOn)
{
    if (const auto fine = checkRequest(request); !fine)
        return tl::unexpected(fine.error());
    const auto grid = gridOf(run, times, request.stepSeconds);
    if (!grid)
        return tl::unexpected(grid.error());
    std::string url = request.url;
    while (url.ends_with('/'))
        url.pop_back();
    double share = 0;
    bool ended = false;
    ExporterClient client(url, {[&] {
                                    ended = ended || (goOn && !goOn(share));
                                    return ended;
                                },
                                request.token, kQueryPatienceMs});
    std::vector<SeriesAddition> additions;
    std::set<std::string> names;
    for (std::size_t i = 0; i < request.queries.size(); ++i) {
        const double whole = 1 / double(request.queries.size());
        auto answer = RangeReader(client, *grid).read(request.queries[i].text, share, whole);
        auto addition = answer ? additionOf(request.queries[i], *grid, *answer, placeOf(request), names)
                               : Expected<SeriesAddition>(tl::unexpected(answer.error()));
        if (ended)
            return fail({ErrorKind::Interrupted, "reading the series back was cancelled", {}, "nothing was changed"});
        if (!addition) {
            Error error = addition.error();
            error.message = fmt::format("{}: {}", placeOf(request), error.message);
            error.where = queryPlace(request, i);
            return fail(std::move(error));
        }
        additions.push_back(std::move(*addition));
        if (goOn && !goOn(share))
            return fail({ErrorKind::Interrupted, "reading the series back was cancelled", {}, "nothing was changed"});
    }
    return additions;
}

std::size_t AddedSeries::knownIntervals() const
{
    return std::size_t(std::ranges::count_if(values, [](double value) { return !std::isnan(value); }));
}

std::size_t SessionAdditions::series() const
{
    std::size_t count = 0;
    for (const Run& run : runs) {
        for (const SeriesAddition& addition : run.additions)
            count += addition.series.size();
    }
    return count;
}

std::size_t SessionAdditions::values() const
{
    std::size_t count = 0;
    for (const Run& run : runs)
        count += valuesOf(run.additions);
    return count;
}

std::size_t SeriesChanges::values() const
{
    std::size_t count = 0;
    for (const SeriesChange& run : runs)
        count += valuesOf(run.from) + valuesOf(run.to);
    return count;
}

Expected<SessionAdditions> readBack(Library& library, const StoredSession& session, const SeriesRequest& request,
                                    int run, const std::function<bool(double)>& goOn)
{
    SessionAdditions all;
    std::size_t values = 0, done = 0;
    const auto asked = run != 0 ? 1 : std::ranges::count_if(session.runs, &knowsTime, &StoredRun::summary);
    for (const StoredRun& one : session.runs) {
        if (run != 0 && one.header.index + 1 != run)
            continue;
        const bool known = run != 0 || knowsTime(one.summary); // of one run readBack() says it
        auto times = known ? library.columns(one.id) : Expected<IntervalColumns>(IntervalColumns());
        if (!times && run != 0)
            return tl::unexpected(times.error());
        const std::string why = run != 0             ? std::string()
                                : !known             ? "when it began is not stored"
                                : !times             ? times.error().message
                                : times->size() == 0 ? "it has no intervals"
                                                     : std::string();
        if (!why.empty()) {
            all.skipped.push_back(fmt::format("run {} is skipped: {}", one.header.index + 1, why));
            continue;
        }
        const double before = double(done++) / double(asked);
        auto additions =
            readBack(request, one, *times, [&](double share) { return !goOn || goOn(before + share / double(asked)); });
        if (!additions)
            return tl::unexpected(additions.error());
        values += valuesOf(*additions);
        if (values > kMostAddedValues)
            return badRequest("the runs together have more values than are taken",
                              std::string(kAggregate) + ", or choose one run after the other");
        all.runs.push_back({one.id, one.header.index + 1, std::move(*additions)});
    }
    if (all.runs.empty() && run != 0)
        return badRequest(fmt::format("there is no run {}", run),
                          fmt::format("the session has runs 1 to {}", session.runs.size()));
    if (all.runs.empty())
        return fail({ErrorKind::BadInput, "no run of the session can be asked for", fewOf(all.skipped),
                     "series are read back for runs that this version or a later one recorded"});
    if (all.series() == 0)
        return fail({ErrorKind::BadInput, "the queries give no series in the time of these runs", fewOf(all.skipped),
                     "try them on the server's own page for that time; its clock and this machine's have to agree"});
    return all;
}

Expected<SessionAdditions> addedTo(Library& library, const StoredSession& session, int run, std::size_t mostValues)
{
    SessionAdditions all;
    all.hasValues = mostValues > 0;
    for (const StoredRun& one : session.runs) {
        if (run != 0 && one.header.index + 1 != run)
            continue;
        auto additions = addedOf(library, one, nullptr, all.hasValues);
        if (!additions)
            return tl::unexpected(additions.error());
        all.runs.push_back({one.id, one.header.index + 1, std::move(*additions)});
        if (all.values() > mostValues) {
            all.hasValues = false;
            for (SessionAdditions::Run& other : all.runs)
                forgetValues(other.additions);
        }
    }
    return all;
}

Expected<SeriesChanges> changesToAdd(Library& library, const StoredSession& session, const SessionAdditions& all,
                                     std::size_t mostValues)
{
    SeriesChanges changes;
    changes.hasValues = mostValues > 0;
    std::size_t values = 0; // of what goes
    for (const SessionAdditions::Run& run : all.runs) {
        const auto stored = std::ranges::find(session.runs, run.id, &StoredRun::id);
        if (stored == session.runs.end())
            return badRequest(fmt::format("run {} is not in the session any more", run.number), "read it again");
        std::set<AddedName> names;
        for (const SeriesAddition& addition : run.additions) {
            for (const AddedSeries& one : addition.series)
                names.emplace(one.counter.source, one.counter.name);
        }
        auto from = addedOf(library, *stored, &names, changes.hasValues);
        if (!from)
            return tl::unexpected(from.error());
        values += valuesOf(*from);
        changes.runs.push_back({run.id, std::move(*from), run.additions});
        if (values > mostValues) {
            changes.hasValues = false;
            for (SeriesChange& other : changes.runs)
                forgetValues(other.from);
        }
    }
    return changes;
}

Expected<SeriesChanges> changesToRemove(Library& library, const StoredSession& session, int run, std::size_t mostValues)
{
    auto added = addedTo(library, session, run, mostValues);
    if (!added)
        return tl::unexpected(added.error());
    SeriesChanges changes;
    changes.hasValues = added->hasValues;
    for (SessionAdditions::Run& one : added->runs) {
        if (!one.additions.empty())
            changes.runs.push_back({one.id, std::move(one.additions), {}});
    }
    return changes;
}

} // namespace dyno
