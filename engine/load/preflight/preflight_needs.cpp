// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/preflight/preflight_needs.h"

#include "base/clock.h"
#include "base/text.h"
#include "load/data/others_data.h"
#include "load/preflight/server_features.h"
#include "metrics/process_event.h"
#include "metrics/recorder.h"
#include "plan/load_groups.h"
#include "plan/plan_order.h"
#include "workload/workload.h"

#include <dyno/path.h>
#include <dyno/uri.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <map>
#include <set>

namespace dyno {

namespace {

constexpr std::int64_t kLookNs = 20'000'000; //!< longest look at a workload that collects rows before it sends them
constexpr std::uint64_t kMixed = 64;         //!< transactions of a mix that are looked at for one that begins one
constexpr std::size_t kBinaryParam = 9;      //!< bytes of a bound number with its type

//! The first word of a statement in capitals.
std::string verbOf(std::string_view statement)
{
    std::string verb;
    for (const char c : statement) {
        if (std::isalpha(static_cast<unsigned char>(c)) == 0) {
            if (verb.empty())
                continue;
            break;
        }
        verb += char(std::toupper(static_cast<unsigned char>(c)));
    }
    return verb;
}

void addRight(std::vector<std::string>& rights, const std::string& right)
{
    if (std::find(rights.begin(), rights.end(), right) == rights.end())
        rights.push_back(right);
}

//! Rights on a database that a statement needs, as servers ask for them: ALTER alone for what ALTER TABLE does to
//! indexes and columns (tried in MariaDB 10.11 and MySQL 8.0), REPLACE deletes too, ANALYZE TABLE and its like write.
void addRightsOf(std::string_view statement, std::vector<std::string>& rights)
{
    static const std::map<std::string, std::vector<const char*>, std::less<>> kRights{
        {"SELECT", {"SELECT"}},
        {"INSERT", {"INSERT"}},
        {"UPDATE", {"UPDATE"}},
        {"DELETE", {"DELETE"}},
        {"ALTER", {"ALTER"}},
        {"REPLACE", {"INSERT", "DELETE"}},
        {"CALL", {"EXECUTE"}},
        {"TRUNCATE", {"DROP"}},
        {"CHECK", {"SELECT"}},
        {"ANALYZE", {"SELECT", "INSERT"}},
        {"OPTIMIZE", {"SELECT", "INSERT"}},
        {"REPAIR", {"SELECT", "INSERT"}}};
    const std::string verb = verbOf(statement);
    const auto has = [&statement](std::string_view word) { return statement.find(word) != std::string_view::npos; };
    if (const auto known = kRights.find(verb); known != kRights.end()) {
        for (const char* right : known->second)
            addRight(rights, right);
    }
    if (verb == "CREATE" || verb == "DROP") {
        const std::string_view head = statement.substr(0, statement.find('('));
        addRight(rights, head.find(" INDEX ") < head.find(" TABLE ") ? "INDEX" : verb);
    }
    if (verb == "INSERT" && has(" SELECT "))
        addRight(rights, "SELECT");
    if ((verb == "CREATE" || verb == "ALTER") && has(" REFERENCES "))
        addRight(rights, "REFERENCES");
}

//! Answers everything at once and remembers how long the longest request was.
class MeasuringSession final : public Session
{
public:
    explicit MeasuringSession(std::vector<std::string>& rights)
        : m_rights(rights)
    {
    }
    Progress start(const Request& request) override
    {
        m_reply = {};
        ++requests;
        std::size_t size = request.text.size();
        for (const Param& param : request.params)
            size += kBinaryParam + param.text.size();
        if (request.kind != RequestKind::Bulk) // is sent in pieces
            longest = std::max(longest, std::uint64_t(size));
        if (request.kind == RequestKind::Text)
            addRightsOf(request.text, m_rights);
        m_reply.rows = request.keep != Keep::Nothing ? 1 : 0; // what needs a row goes on
        begins = begins || request.kind == RequestKind::Begin;
        if (nowNs() > m_untilNs)
            m_reply.outcome = Outcome::Rejected; // a step may go on for hours
        return Progress::Done;
    }
    [[nodiscard]] std::string lastError() const override { return {}; }
    //! What is asked later is refused.
    void answerFor(std::int64_t ns) { m_untilNs = nowNs() + ns; }

    std::uint64_t longest = 0;
    std::uint64_t requests = 0;
    bool begins = false; //!< a transaction

private:
    std::vector<std::string>& m_rights;
    std::int64_t m_untilNs = std::numeric_limits<std::int64_t>::max();
};

Outcome complete(Task<Outcome> task, UserContext& user)
{
    task.start();
    while (const std::coroutine_handle<> waiter = user.takeWaiter())
        coro::run(waiter);
    return task.result();
}

//! The longest request of a load slice and of a transaction; `rights` of its statements, and whether it `begins` a
//! transaction.
std::uint64_t longestRequest(const WorkloadInstance& workload, const Workload& kind,
                             const std::vector<TableSpec>& tables, const PointSpec& point,
                             std::vector<std::string>& rights, bool& begins)
{
    MeasuringSession session(rights);
    Recorder recorder(1, std::max<std::size_t>(1, kind.operations(point.workload.params).size()), false);
    UserContext user(session, recorder.shard(0), {UserId(0), 1, point.load.seed});
    if (mayLoad(point.workload.prepare) && !tables.empty() && tables.front().rows > 0) {
        LoadSlice slice;
        slice.lastRow = std::min(tables.front().rows, std::max<std::int64_t>(1, tables.front().rowsPerSlice));
        std::vector<std::string> loadRights; // come with creating
        MeasuringSession loading(loadRights);
        UserContext loader(loading, recorder.shard(0), {UserId(0), 1, point.load.seed});
        static_cast<void>(complete(workload.load(loader, slice), loader));
        session.longest = loading.longest;
    }
    std::uint64_t firstOfStep = 0;
    for (const StepSpec& step : workload.steps()) { // each once
        session.answerFor(kLookNs);
        user.beginTransaction(firstOfStep);
        static_cast<void>(complete(workload.transaction(user), user));
        firstOfStep += std::uint64_t(step.times);
    }
    if (!workload.steps().empty())
        return session.longest;
    // A bulk insert sends nothing before its buffer is full.
    const std::int64_t until = nowNs() + kLookNs;
    for (std::uint64_t sequence = 0; nowNs() < until; ++sequence) {
        if (session.requests > 0 && (session.begins || sequence >= kMixed))
            break;
        user.beginTransaction(sequence);
        if (complete(workload.transaction(user), user) != Outcome::Ok && session.requests == 0)
            break;
    }
    begins = session.begins;
    return session.longest;
}

//! Keeps what every point sets, with the smallest number.
class CommonSettings
{
public:
    void add(const Settings& settings)
    {
        ++m_points;
        for (const auto& [name, value] : settings) {
            Seen& seen = m_seen[name];
            ++seen.count;
            const auto number = parseBytes(toText(value));
            const auto kept = parseBytes(toText(seen.value));
            if (seen.count == 1 || (number && kept && *number < *kept))
                seen.value = value;
            if (const std::string text = toText(value); std::ranges::find(seen.values, text) == seen.values.end())
                seen.values.push_back(text);
        }
    }
    //! All the values of each, whichever points set it.
    [[nodiscard]] std::map<std::string, std::vector<std::string>> all() const
    {
        std::map<std::string, std::vector<std::string>> values;
        for (const auto& [name, seen] : m_seen)
            values.emplace(name, seen.values);
        return values;
    }
    [[nodiscard]] Settings result() const
    {
        Settings settings;
        for (const auto& [name, seen] : m_seen) {
            if (seen.count == m_points)
                settings.emplace(name, seen.value);
        }
        return settings;
    }

private:
    struct Seen
    {
        Value value;
        std::vector<std::string> values;
        int count = 0;
    };
    std::map<std::string, Seen> m_seen;
    int m_points = 0;
};

//! Engines that have no transactions in any MariaDB or MySQL.
bool neverTransacts(std::string_view engine)
{
    static constexpr std::array<std::string_view, 5> kEngines{"myisam", "aria", "memory", "csv", "archive"};
    return std::ranges::find(kEngines, lowered(engineNameOf(engine))) != kEngines.end();
}

void addProbes(std::vector<FeatureProbe> probes, std::vector<FeatureProbe>& all)
{
    for (FeatureProbe& probe : probes) {
        if (std::ranges::find(all, probe.query, &FeatureProbe::query) == all.end())
            all.push_back(std::move(probe));
    }
}

//! Whether the person agreed to what the workload is told to run.
bool mayTry(const WorkloadInfo& workload, const Settings& params, const Consent& consent)
{
    return std::ranges::all_of(workload.options, [&](const OptionSpec& option) {
        const auto given = params.find(option.name);
        return option.risk.empty() || given == params.end() || given->second == option.defaultValue ||
               toText(given->second).empty() ||
               consent.covers(Risk{"workload." + option.name, toText(given->second), option.risk});
    });
}

void addWorkload(const PointSpec& point, int users, bool first, const Consent& consent, TargetNeeds& target)
{
    const auto uri = parseUri(point.target.uri);
    const Workload* kind = workloadFor(point.workload.name);
    const DriverInfo* driver = uri ? findDriver(uri->driver) : nullptr;
    if (!driver || !kind)
        return;
    target.writes = target.writes || writesData(kind->info(), point.load);
    Faults faults;
    const Settings params = resolve(kind->info().options, point.workload.params, "workload", faults);
    const auto workload = faults.empty() ? kind->bind(params, *driver, point.table)
                                         : Expected<std::shared_ptr<const WorkloadInstance>>(fail(Error()));
    if (!workload)
        return;
    addProbes(probesOf(**workload, *driver), target.probes);
    const std::vector<TableSpec> tables = (*workload)->tablesFor(users);
    const std::vector<std::string> engines =
        driver->sql.storageEngines ? enginesOf(tables) : std::vector<std::string>();
    const std::vector<FeatureProbe> asked = transactionProbes(tables, driver->sql, {}); // one for each
    for (std::size_t i = 0; i < engines.size(); ++i) {
        if (neverTransacts(engines[i]))
            target.answeredByName.insert(asked[i].query);
    }
    PreflightNeeds& needs = target.needs;
    needs.tables = std::max(needs.tables, int(tables.size()));
    for (const TableSpec& table : tables) {
        if (std::find(target.tables.begin(), target.tables.end(), table.name) == target.tables.end())
            target.tables.push_back(table.name);
        if (first)
            target.data.push_back({table, originOf(point)});
        addRightsOf(table.create, target.loadRights);
        for (const std::vector<std::string>& after : {table.afterCreate, table.afterLoad, table.afterAll}) {
            for (const std::string& command : after)
                addRightsOf(command, target.loadRights);
        }
    }
    if (!first)
        return;
    needs.dataBytes = std::max(needs.dataBytes, estimatedBytes(**workload, point.load));
    target.scratchBytes = std::max(target.scratchBytes, (*workload)->scratchBytes());
    if (!mayTry(kind->info(), point.workload.params, consent))
        return;
    int prepared = 0;
    for (const StatementSpec& statement : (*workload)->statements()) {
        prepared += statement.preparable ? 1 : 0;
        addRightsOf(statement.text, needs.rights);
        needs.largestRequest = std::max(needs.largestRequest, std::uint64_t(statement.text.size()));
    }
    needs.statementsPerUser = std::max(needs.statementsPerUser, prepared);
    bool begins = false;
    needs.largestRequest =
        std::max(needs.largestRequest, longestRequest(**workload, *kind, tables, point, needs.rights, begins));
    needs.transactions = needs.transactions || begins;
    if (begins)
        addProbes(transactionProbes(tables, driver->sql,
                                    ", and the workload begins some: each of its statements would stand alone",
                                    ", or use workload parameters that begin none, unless that is meant"),
                  target.transactionProbes);
}

} // namespace

bool mayLoad(PreparePolicy policy)
{
    return policy == PreparePolicy::Auto || policy == PreparePolicy::Always;
}

std::vector<const ProcessorSeries*> wantedOfProcessor(const Plan& plan)
{
    std::vector<const ProcessorSeries*> wanted;
    for (const ProcessorSeries& series : processorSeries()) {
        if (std::ranges::any_of(plan.views, [&series](const View& view) { return series.tells(view.measure); }))
            wanted.push_back(&series);
    }
    return wanted;
}

std::vector<TargetNeeds> needsOf(const Plan& plan, const Consent& consent)
{
    std::vector<TargetNeeds> targets;
    std::vector<CommonSettings> common;
    std::vector<std::set<std::string>> seen;
    for (const PointSpec& point : expand(plan).points) {
        auto found = std::find_if(targets.begin(), targets.end(),
                                  [&](const TargetNeeds& target) { return target.uri == point.target.uri; });
        if (found == targets.end()) {
            TargetNeeds fresh;
            fresh.uri = point.target.uri;
            fresh.policy = point.workload.prepare;
            fresh.needs.users = 0;
            fresh.needs.tables = 0;
            fresh.needs.prepared = false;
            if (const auto uri = parseUri(fresh.uri); uri && !worksInProcess(*uri)) // else there is no such process
                fresh.processor = wantedOfProcessor(plan);
            targets.push_back(std::move(fresh));
            common.emplace_back();
            seen.emplace_back();
            found = targets.end() - 1;
        }
        const auto index = std::size_t(found - targets.begin());
        const int users = point.mostUsers();
        if (users > found->needs.users) {
            found->needs.users = users;
            found->connection = point.connection;
        }
        TargetNeeds::Path& way = found->paths[point.target.path];
        way.others.insert(point.connection);
        if (users > way.users) {
            way.users = users;
            way.connection = point.connection;
        }
        const auto path = parsePath(point.target.path);
        found->connections = std::max(found->connections, path ? connectionsOf(*path, users) : users);
        found->needs.changesGlobals = found->needs.changesGlobals || !point.server.empty();
        const std::string protocol = textOf(point.connection, "protocol", "prepared");
        found->needs.prepared = found->needs.prepared || protocol == "prepared";
        found->threads = found->threads || point.load.executor == ExecutorKind::Threads;
        found->observes = found->observes || point.load.counters;
        found->cleanup = found->cleanup || point.workload.cleanup;
        found->encrypts = found->encrypts || textOf(point.server, "encryption", "off") != "off";
        found->restores = found->restores || point.load.data == DataPolicy::Restore;
        for (const auto& [name, value] : point.host)
            found->machine.emplace(name, toText(value));
        if (point.workload.prepare == PreparePolicy::Always || !mayLoad(found->policy))
            found->policy = point.workload.prepare;
        const auto same = [&point](const TargetNeeds::KnobSet& set) {
            return set.server == point.server && set.table == point.table;
        };
        if (std::ranges::none_of(found->knobSets, same))
            found->knobSets.push_back({point.server, point.table, point.label()});
        common[index].add(point.server);
        addWorkload(point, users, seen[index].insert(bindKey(point)).second, consent, *found);
        for (const LoadGroup* group : activeGroups(point)) {
            const PointSpec own = pointOfGroup(point, *group);
            addWorkload(own, users, seen[index].insert(bindKey(own)).second, consent, *found);
        }
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
        targets[i].needs.server = common[i].result();
        targets[i].needs.planned = common[i].all();
        if (targets[i].cleanup)
            addRight(targets[i].needs.rights, "DROP");
    }
    return targets;
}

void addLoadRights(TargetNeeds& target)
{
    // DELETE and SELECT for the note of tables whose load has begun, see Admin::setUnfinishedLoads().
    for (const char* right : {"CREATE", "DROP", "INSERT", "SELECT", "DELETE"})
        addRight(target.needs.rights, right);
    for (const std::string& right : target.loadRights)
        addRight(target.needs.rights, right);
}

const char* toText(PreflightLevel level)
{
    switch (level) {
    case PreflightLevel::Ok:
        return "ok";
    case PreflightLevel::Note:
        return "note";
    case PreflightLevel::Warning:
        return "warning";
    case PreflightLevel::Blocker:
        break;
    }
    return "blocker";
}

} // namespace dyno
