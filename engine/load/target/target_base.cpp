// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/target/target_base.h"

#include "driver/preflight_list.h"
#include "load/preflight/server_features.h"
#include "plan/load_groups.h"
#include "plan/plan_order.h"
#include "server/knobs/knob_catalog.h"
#include <dyno/machine_settings.h>
#include <dyno/path.h>

#include <fmt/format.h>

#include <algorithm>

namespace dyno {

namespace {

std::vector<std::string> tablesOf(const WorkloadInstance& workload, const PointSpec& point)
{
    std::vector<std::string> names;
    for (TableSpec& table : workload.tablesFor(point.mostUsers()))
        names.push_back(std::move(table.name));
    return names;
}

//! With those that the workload makes while it runs.
std::vector<std::string> allTablesOf(const WorkloadInstance& workload, const PointSpec& point)
{
    std::vector<std::string> names = tablesOf(workload, point);
    for (const std::string& scratch : workload.scratchTables())
        names.push_back(scratch);
    return names;
}

//! Operations stand as operationsOf() has them: those of a group begin with its own. Variables of a session are the
//! group's own, not those of the plan's workload; what the plan sets for its connections stays.
std::vector<RunGroup> runGroupsOf(const PointSpec& point, std::vector<BoundGroup> bound, const ConnectTarget& connect,
                                  const Settings& variablesOfPlan)
{
    const std::vector<OperationInfo> operations = operationsOf(point);
    const std::vector<const LoadGroup*> active = activeGroups(point);
    std::vector<RunGroup> groups;
    for (std::size_t i = 0; i < bound.size(); ++i) {
        auto target = std::make_shared<ConnectTarget>(connect);
        target->statements = bound[i].workload->statements();
        for (const auto& [name, value] : variablesOfPlan) {
            if (!point.connection.contains(name))
                target->connectionExtra.erase(name);
        }
        target->connectionExtra.merge(bound[i].workload->sessionVariables());
        const auto own = std::ranges::find_if(operations, [&](const OperationInfo& one) {
            return one.opClass == OpClass::Group && one.name == bound[i].name;
        });
        const auto at = static_cast<std::uint16_t>(own - operations.begin());
        groups.push_back({std::move(bound[i].name), bound[i].users, std::move(target), std::move(bound[i].workload),
                          active[i]->pace, OpId(at), OpId(std::uint16_t(at + 1))});
    }
    return groups;
}

constexpr StopPatience kOfWaits{.connect = 1, .call = 2};
constexpr StopPatience kOfAftermath{.connect = 1, .call = 2}; //!< what a stopped run left behind need not be told

} // namespace

TargetBase::TargetBase(TargetSetup setup)
    : m_uri(std::move(setup.uri))
    , m_reachable(m_uri)
    , m_options(std::move(setup.options))
    , m_stoppedByUser(std::move(setup.stopped))
    , m_data(m_options.consent)
    , m_instruments([this](const KnobChange& change) {
        const std::string owner = instrumentsOwner();
        return owner.empty() ? Expected<void>() : record(owner, change);
    })
    , m_path(workDirOf(m_options), m_stoppedByUser)
    , m_recordChange(std::move(setup.recordChange))
    , m_machine(placeOf(m_uri, workDirOf(m_options)))
    , m_machineGuard(announcer(hostTarget()))
{
}

KnobGuard::Announce TargetBase::announcer(std::string target)
{
    return [this, target = std::move(target)](const KnobChange& change) -> Expected<void> {
        note(EventKind::Knob, fmt::format("{}: {} → {}", change.name, change.oldValue, change.newValue));
        return record(target, change);
    };
}

Expected<void> TargetBase::record(const std::string& target, const KnobChange& change)
{
    if (!m_recordChange)
        return {};
    m_recorded.insert(target);
    return m_recordChange(target, change);
}

PointSpec TargetBase::forData(PointSpec point) const
{
    point.host.clear();
    point.server.clear();
    point.load.instruments = InstrumentsLevel::None;
    point.target.path = kDirectPath; // only users go by another
    return point;
}

Expected<void> TargetBase::shapeLink(const LinkShape&)
{
    return fail({ErrorKind::BadInput, fmt::format("{} is not reached by a network link", m_uri.display()),
                 std::string(kPathKey), "use path = \"direct\""});
}

void TargetBase::note(EventKind kind, std::string text)
{
    m_events.push_back({nowNs(), kind, std::move(text)});
}

void TargetBase::noteSince(std::int64_t startNs, EventKind kind, std::string text)
{
    const std::int64_t length = nowNs() - startNs;
    m_events.push_back({startNs, kind, fmt::format("{} in {:.2f} s", text, double(length) / 1e9), length});
}

Expected<void> TargetBase::findDriver()
{
    m_driver = driverFor(m_uri.driver);
    if (!m_driver)
        return fail({ErrorKind::BadInput,
                     fmt::format("this build has no driver for {}", m_uri.display()),
                     {},
                     "see `dyno drivers`"});
    return find();
}

Expected<std::filesystem::path> TargetBase::dataFolder()
{
    if (auto found = findDriver(); !found)
        return tl::unexpected(found.error());
    return folderFound();
}

Expected<void> TargetBase::findAndReach(const PointSpec& point)
{
    if (auto found = findDriver(); !found)
        return found;
    return reach(point);
}

//! What is done before a run starts: the restart that the plan asks for, the data as it was loaded.
Expected<void> TargetBase::begin(const PointSpec& point, const std::string& wanted)
{
    const bool samePoint = m_lastPoint && *m_lastPoint == point.cases;
    const bool first = !m_lastPoint;
    m_lastPoint = point.cases;
    if (point.load.data == DataPolicy::Restore) {
        if (auto may = mayRestore(); !may)
            return may;
    }
    if (point.load.data == DataPolicy::Restore && m_data.wantsCopyBack(wanted)) {
        const std::int64_t startNs = nowNs();
        if (auto done = putBack(); !done)
            return done;
        m_data.copyIsBack(wanted);
        noteSince(startNs, EventKind::Server, "data put back as it was loaded");
    }
    const bool asked =
        point.load.restart == RestartPolicy::EachRun || (point.load.restart == RestartPolicy::EachPoint && !samePoint);
    return asked && !first ? stopForRestart() : Expected<void>();
}

//! Keeps a copy of what was loaded, unless there is one.
Expected<void> TargetBase::keepCopyOf(const DataWish& wish, ConnectTarget& target, std::unique_ptr<Admin>& admin)
{
    if (wish.point.load.data != DataPolicy::Restore || m_data.isCopied(wish.data) || !keepsCopies())
        return {};
    admin->checkpoint();
    admin.reset();
    m_data.setCopied({});
    const std::int64_t startNs = nowNs();
    auto kept = keepCopy();
    if (!kept)
        return tl::unexpected(kept.error());
    noteSince(startNs, EventKind::Server, std::move(*kept));
    m_data.setCopied(wish.data);
    if (auto reached = findAndReach(wish.point); !reached)
        return reached;
    target.uri = m_reachable;
    auto again = openAdmin(wish.point, target);
    if (!again)
        return tl::unexpected(again.error());
    admin = std::move(*again);
    return {};
}

Expected<ConnectTarget> TargetBase::connectTargetFor(const PointSpec& point)
{
    ConnectTarget target;
    target.uri = m_reachable;
    const DriverInfo info = m_driver->info();
    Settings known;
    for (const auto& [name, value] : point.connection) {
        const bool catalogued = std::any_of(info.connection.begin(), info.connection.end(),
                                            [&](const OptionSpec& option) { return option.name == name; });
        (catalogued ? known : target.connectionExtra).emplace(name, value);
    }
    if (auto completed = complete(known); !completed)
        return tl::unexpected(completed.error());
    Faults faults;
    target.connection = resolve(info.connection, known, "connection", faults);
    if (!faults.empty())
        return fail({ErrorKind::BadInput, faults.front().what, faults.front().where, faults.front().remedy});
    return target;
}

Expected<std::unique_ptr<Admin>> TargetBase::control(const ConnectTarget& target, StopPatience patience) const
{
    return controlAdmin(*m_driver, target, m_stoppedByUser, patience);
}

Expected<std::unique_ptr<Admin>> TargetBase::openAdmin(const PointSpec& /*point*/, ConnectTarget& target)
{
    return control(target);
}

Expected<void> TargetBase::mayWrite(const DataWish& wish, Admin& admin)
{
    return m_data.mayWrite(wish, m_uri, admin);
}

Expected<ReadyTarget> TargetBase::prepare(const PointSpec& point, const LoadProgressCallback& progress)
{
    m_events.clear();
    m_restFailed = false;
    m_data.forgetLoad();
    m_doing = "while looking for the target";
    if (auto found = findDriver(); !found)
        return tl::unexpected(found.error());
    m_doing = "while changing settings of this machine";
    if (auto applied = applyHost(point); !applied)
        return tl::unexpected(applied.error());
    m_doing = "while preparing the workload";
    auto workload = bindPoint(point);
    if (!workload)
        return tl::unexpected(workload.error());
    auto target = connectTargetFor(point);
    if (!target)
        return tl::unexpected(target.error());
    auto groups = bindGroups(point, *workload);
    if (!groups)
        return tl::unexpected(groups.error());
    m_doing = beginning();
    const DataWish wish{point, **workload, *target, *m_driver,
                        fingerprintOf(point, **workload, target->connection, m_driver->info())};
    // Each point finds the server as it is without us, before its settings are looked at or changed: what we switched
    // on must not be taken for a value of the owner's, nor for what the point sets.
    if (m_instruments.changed() &&
        (point.load.instruments != m_instruments.level() || point.server != m_switchedWith)) {
        if (auto back = putInstrumentsBack(); !back)
            return tl::unexpected(back.error());
    }
    if (auto begun = begin(point, wish.data); !begun)
        return tl::unexpected(begun.error());
    if (auto reached = findAndReach(point); !reached)
        return tl::unexpected(reached.error());
    target->uri = m_reachable;
    m_doing = "while connecting to the target";
    auto admin = openAdmin(point, *target);
    if (!admin)
        return tl::unexpected(admin.error());
    m_doing = "while looking at what the target can do";
    if (auto recreated = recreateIfNeeded(wish, *admin); !recreated)
        return tl::unexpected(recreated.error());

    ReadyTarget ready;
    ready.driver = m_driver;
    ready.workload = *workload;
    // Before anything is dropped or made; on data that are there as well: settings of the connection are among what is
    // asked.
    if (auto able = checkFeatures(**admin, probesOf(**workload, m_driver->info())); !able)
        return tl::unexpected(able.error());
    for (const BoundGroup& group : *groups) {
        if (auto able = checkFeatures(**admin, probesOf(*group.workload, m_driver->info())); !able)
            return tl::unexpected(able.error());
    }
    if (auto may = mayWrite(wish, **admin); !may)
        return tl::unexpected(may.error());
    if (!m_data.areThere(wish.data)) {
        if (auto checked = checkTableKnobs(point, **admin); !checked)
            return tl::unexpected(checked.error());
    }
    auto effective = applyKnobs(point, *target, *admin);
    if (!effective)
        return tl::unexpected(effective.error());
    ready.effective = std::move(*effective);

    if (auto leads = tryPath(wish, **admin); !leads)
        return tl::unexpected(leads.error());
    // What a load takes is the same whatever point came before it.
    if (m_instruments.changed() && !m_data.isReady(wish)) {
        if (auto back = putInstrumentsBack(**admin); !back)
            return tl::unexpected(back.error());
    }
    m_doing = "while loading the data";
    std::vector<std::string> notes;
    if (auto data = m_data.ensure(wish, **admin, progress, notes); !data)
        return tl::unexpected(data.error());
    for (std::string& text : notes)
        note(EventKind::Note, std::move(text));
    if (auto kept = keepCopyOf(wish, *target, *admin); !kept)
        return tl::unexpected(kept.error());
    if (auto switched = switchInstruments(wish, **admin, ready.effective); !switched)
        return tl::unexpected(switched.error());
    if (auto steady = quieten(wish, **admin); !steady)
        return tl::unexpected(steady.error());
    m_doing = "while reading the target's settings";
    target->statements = (*workload)->statements();
    target->connectionExtra.merge((*workload)->sessionVariables());
    target->bulk = (*workload)->bulkInRuns();
    if (auto told = tellFacts(point, *target, **admin, ready); !told)
        return tl::unexpected(told.error());
    ready.connect = std::make_shared<const ConnectTarget>(std::move(*target));
    if (auto opened = openPath(wish, ready); !opened)
        return tl::unexpected(opened.error());
    ready.groups = runGroupsOf(point, std::move(*groups), *ready.users, (*workload)->sessionVariables());
    ready.events = std::move(m_events);
    m_data.runFollows();
    return ready;
}

//! What the level changed is told with each run, and goes with its settings.
Expected<void> TargetBase::switchInstruments(const DataWish& wish, Admin& admin, Settings& effective)
{
    const PointSpec& point = wish.point;
    if (point.load.instruments == InstrumentsLevel::None && !m_instruments.changed())
        return {};
    m_doing = "while switching the server's instruments";
    m_switchedBy = std::make_shared<const ConnectTarget>(wish.target);
    m_switchedWith = point.server;
    if (auto applied = m_instruments.apply(admin, point.load.instruments, point.server); !applied)
        return applied;
    if (const std::string& told = m_instruments.told(); !told.empty()) {
        note(EventKind::Knob, "instruments " + told);
        effective.insert_or_assign(std::string(kInstrumentsKey), told);
    }
    return {};
}

Expected<void> TargetBase::putInstrumentsBack(Admin& admin)
{
    auto back = m_instruments.putBack(admin);
    for (std::string& text : m_instruments.takeLeft())
        note(EventKind::Note, std::move(text));
    return back;
}

Expected<void> TargetBase::putInstrumentsBack()
{
    m_doing = "while putting the server's instruments back";
    auto admin = control(*m_switchedBy);
    if (admin)
        return putInstrumentsBack(**admin);
    if (!instrumentsOwner().empty() || stoppedByUser())
        return fail(std::move(admin.error()));
    // They end with a server of ours, which is started again where it is needed.
    m_instruments.forget();
    return stopForRestart();
}

std::vector<EarlyEvent> TargetBase::rest()
{
    if (m_instruments.changed() && !m_restFailed) {
        if (auto back = putInstrumentsBack(); !back) {
            m_restFailed = true;
            note(EventKind::Note,
                 fmt::format("instruments of {} are still on: {}", m_uri.display(), back.error().message));
        }
    }
    return takeEvents();
}

Expected<UserPath::Way> TargetBase::bringUpPath(const DataWish& wish, ConnectTargetPtr direct, const ServerFacts& facts)
{
    m_doing = "while bringing up the users' path";
    const auto path = parsePath(wish.point.target.path);
    if (path && path->kind == TargetPath::Kind::Link) {
        if (auto shaped = shapeLink(path->link); !shaped)
            return tl::unexpected(shaped.error());
    }
    auto way = m_path.open(
        wish.point, *m_driver, std::move(direct), facts, !isLocal(m_uri),
        [this, &wish](const TargetUri& uri, Admin& admin) { return m_data.mayWriteElsewhere(wish, uri, admin); });
    if (way && way->started)
        m_events.push_back({way->startNs, EventKind::Server,
                            fmt::format("{} started in {:.2f} s", way->name, double(way->startLengthNs) / 1e9),
                            way->startLengthNs});
    return way;
}

Expected<void> TargetBase::tryPath(const DataWish& wish, Admin& admin)
{
    const auto path = parsePath(wish.point.target.path);
    const bool leads = path && path->kind != TargetPath::Kind::Direct && path->kind != TargetPath::Kind::Link;
    if (!leads || m_data.areThere(wish.data))
        return {};
    const auto facts = admin.facts();
    if (!facts)
        return tl::unexpected(facts.error());
    const auto way = bringUpPath(wish, std::make_shared<const ConnectTarget>(wish.target), *facts);
    return way ? Expected<void>() : tl::unexpected(way.error());
}

Expected<void> TargetBase::openPath(const DataWish& wish, ReadyTarget& ready)
{
    auto way = bringUpPath(wish, ready.connect, ready.facts);
    if (!way)
        return tl::unexpected(way.error());
    ready.users = std::move(way->users);
    if (way->name.empty())
        return {};
    ready.effective.insert_or_assign(std::string(kPathKey), way->name);
    note(EventKind::Note, way->note);
    if (!way->transport.empty())
        ready.facts.transport += "; users: " + way->transport;
    if (!way->warning.empty())
        ready.facts.transport += ", " + way->warning; // goes with the result wherever it goes
    ManagedProxy* proxy = m_path.proxy();
    if (!proxy || way->configuration.empty())
        return {};
    ready.optionFile +=
        fmt::format("{}# Configuration of {}\n{}", ready.optionFile.empty() ? "" : "\n", way->name, way->configuration);
    const std::string name = proxy->recipe().names().name;
    ready.processes.push_back({name, name, name + std::string(kOfProcess), proxy->process(),
                               [proxy](std::chrono::milliseconds patience) { return proxy->endedBy(patience); }});
    return {};
}

//! What the plan asks to be done between the load and the run.
Expected<void> TargetBase::quieten(const DataWish& wish, Admin& admin)
{
    const std::vector<std::string> tables = tablesOf(wish.workload, wish.point);
    // On a connection of its own, which is given up soon after a stop.
    const auto step = [&](const char* doing, const char* done, auto work) -> Expected<void> {
        m_doing = doing;
        const std::int64_t startNs = nowNs();
        auto apart = control(wish.target, kOfWaits);
        if (!apart)
            return tl::unexpected(apart.error());
        if (auto worked = work(**apart); !worked)
            return worked;
        noteSince(startNs, EventKind::Server, done);
        return {};
    };
    if (!wish.point.load.settle) {
        admin.checkpoint();
    } else if (auto settled = step("while waiting for the target to settle", "waited for the target to settle",
                                   [&tables](Admin& apart) { return apart.settle(tables); });
               !settled) {
        return settled;
    }
    if (!wish.point.load.prewarm)
        return {};
    return step("while reading the data into memory", "tables read once",
                [&tables](Admin& apart) { return apart.prewarm(tables); });
}

//! What the target says of itself once it is ready.
Expected<void> TargetBase::tellFacts(const PointSpec& point, const ConnectTarget& target, Admin& admin,
                                     ReadyTarget& ready)
{
    auto facts = admin.facts();
    if (!facts)
        return tl::unexpected(facts.error());
    ready.facts = std::move(*facts);
    if (ready.facts.unverified) {
        note(EventKind::Note, kUnverifiedServer);
        ready.facts.transport += ", server not verified"; // goes with the result wherever it goes
    } else if (ready.facts.cipher.empty() && !isLocal(m_uri)) {
        note(EventKind::Note, kOpenConnection);
        ready.facts.transport += ", not encrypted";
    }
    for (const Settings* knobs : {&point.server, &point.connection}) {
        for (auto& [name, value] : inForce(*knobs, ready.facts))
            ready.effective.insert_or_assign(name, value);
    }
    for (const auto& [name, value] : m_driver->inForce(target)) {
        ready.effective.erase(name); // as the plan has it
        ready.effective.insert_or_assign("connection." + name, value);
    }
    for (const auto& [name, value] : m_machine.read())
        ready.effective.insert_or_assign("host." + name, value);
    describe(ready);
    ready.dataBytes = admin.dataBytes(allTablesOf(*ready.workload, point));
    ready.loaded = m_data.loadedHere();
    return {};
}

//! Knobs with the values that the target says are in force.
Settings TargetBase::inForce(const Settings& knobs, const ServerFacts& facts) const
{
    Settings result;
    for (const auto& [name, value] : knobs) {
        const auto edition = serverEdition(m_uri.driver, "server", name, facts.product, facts.version);
        auto found = facts.variables.find(name);
        if (found == facts.variables.end() && edition)
            found = facts.variables.find(edition->name);
        result.emplace(name, found == facts.variables.end() ? value : found->second);
    }
    return result;
}

RunAftermath TargetBase::aftermath(const PointSpec& point)
{
    RunAftermath after;
    std::uint64_t dataBytes = 0;
    std::vector<std::string> tables;
    bool longValues = false;
    if (const auto workload = bindPoint(point)) {
        tables = allTablesOf(**workload, point);
        longValues = (*workload)->keepsLongValues();
    }
    if (auto target = connectTargetFor(point); target && m_driver) {
        if (auto admin = control(*target, kOfAftermath)) {
            if (auto facts = (*admin)->facts())
                after.server = std::move(*facts);
            // Sizes of others' tables are told as they are: nothing is written and locked for them.
            const bool own = m_data.ours() || m_data.loadedHere();
            longValues = longValues && own && tellsOffPage();
            after.dataParts = (*admin)->dataParts(own ? tables : std::vector<std::string>());
            dataBytes = (*admin)->dataBytes(tables);
            if (longValues)
                (void)(*admin)->settle(tables); // their files say what is outside the rows
        }
    }
    describe(after, dataBytes);
    // What another point has loaded counts there. "(full-text indexes)" and its like are files that do not tell their
    // table; an index is "collection.index".
    std::erase_if(after.dataParts, [&](const DataPart& part) {
        const bool ofTable = part.kind == "table" || part.kind == "collection" || part.kind == "index" ||
                             part.kind == "column" || part.kind == "before compression";
        return ofTable && !tables.empty() && !part.name.starts_with('(') &&
               std::ranges::none_of(tables, [&part](const std::string& table) {
                   return part.name == table || part.name.starts_with(table + ".");
               });
    });
    if (longValues && tellsOffPage())
        tellOffPage(after, tables);
    return after;
}

void TargetBase::describe(RunAftermath& after, std::uint64_t dataBytes)
{
    const auto isData = [](const DataPart& part) { return part.kind != "redo log"; };
    if (std::ranges::none_of(after.dataParts, isData) && dataBytes > 0)
        after.dataParts.push_back({"data", "", dataBytes});
}

//! Before the server starts: it takes its memory under these settings.
Expected<void> TargetBase::applyHost(const PointSpec& point)
{
    if (auto may = mayChangeMachine(point); !may)
        return may;
    Settings wanted;
    for (const auto& [name, value] : point.host)
        wanted.emplace(m_machine.fullName(name), value);
    auto applied = m_machineGuard.apply(m_machine, wanted);
    if (!applied)
        return tl::unexpected(applied.error());
    return {};
}

//! CREATE TABLE would say it too, but not what to use instead.
Expected<void> TargetBase::checkTableKnobs(const PointSpec& point, Admin& admin) const
{
    if (point.table.empty())
        return {};
    const auto facts = admin.facts();
    if (!facts)
        return tl::unexpected(facts.error());
    for (const auto& [name, value] : point.table) {
        // What is not asked for need not be there.
        if (toText(value).empty() || toText(value) == "false")
            continue;
        if (auto edition = serverEdition(m_uri.driver, "table", name, facts->product, facts->version); !edition)
            return tl::unexpected(edition.error());
    }
    return {};
}

Expected<void> TargetBase::restore(const RecordRestored& recordRestored)
{
    auto server = restoreKnobs(recordRestored);
    if (m_machineGuard.changes().empty()) {
        if (takeRecorded(hostTarget()))
            recordRestored(hostTarget(), m_machineGuard.notRestored());
        return server;
    }
    auto machine = m_machineGuard.restore(m_machine);
    recordRestored(hostTarget(), m_machineGuard.notRestored());
    return server ? machine : server;
}

Expected<TargetBase::Opened> TargetBase::openFor(const PointSpec& point)
{
    if (auto reached = findAndReach(point); !reached)
        return tl::unexpected(reached.error());
    auto workload = bindPoint(point);
    if (!workload)
        return tl::unexpected(workload.error());
    auto target = connectTargetFor(point);
    if (!target)
        return tl::unexpected(target.error());
    auto admin = control(*target);
    if (!admin)
        return tl::unexpected(admin.error());
    return Opened{std::move(*workload), std::move(*admin)};
}

Expected<std::vector<ConditionResult>> TargetBase::checkData(const PointSpec& point, const std::function<bool()>& goOn)
{
    auto opened = openFor(point);
    if (!opened)
        return tl::unexpected(opened.error());
    const auto checks = checksOf(point, opened->workload);
    if (!checks)
        return tl::unexpected(checks.error());
    return checkDataset(*opened->admin, *opened->workload, point.mostUsers(), *checks, goOn);
}

Expected<void> TargetBase::dropTables(const PointSpec& point)
{
    auto opened = openFor(point);
    if (!opened)
        return tl::unexpected(opened.error());
    m_data.forget();
    return dropDataset(*opened->admin, *opened->workload, point.mostUsers(), m_data.mayDrop());
}

} // namespace dyno
