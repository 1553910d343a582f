// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/target/target_host.h"

#include "driver/preflight_list.h"
#include "load/data/others_data.h"
#include "load/data/table_options.h"
#include "load/preflight/preflight_needs.h"
#include "load/preflight/server_features.h"
#include "load/target/private_sqlite.h"
#include "load/target/sqlite_file.h"
#include "plan/plan_order.h"
#include "server/knobs/knob_catalog.h"
#include "server/remote/remote_servers.h"

#include "server/lifecycle/private_folder.h"

#include <dyno/kept_data.h>
#include <dyno/uri_form.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>

namespace dyno {

namespace {

namespace fs = std::filesystem;

constexpr StopPatience kOfAftermath{.connect = 1, .call = 2}; //!< what a stopped run left behind need not be told
constexpr double kRestartSeconds = 20;                        //!< how long a dying managed server may take to be gone

//! How to reach a server again without the plan: `uri` with the TLS that the plan's knobs say.
TargetUri withTlsOf(const Settings& connection, TargetUri uri)
{
    for (const auto& [name, value] : connection) {
        if (const std::string text = toText(value); name.starts_with("tls") && !text.empty())
            uri.query.insert_or_assign(name, text);
    }
    return uri;
}

//! Equal fingerprints mean equal tables, indexes and rows.
std::string fingerprint(const PointSpec& point, const WorkloadInstance& workload, const Settings& connection,
                        const DriverInfo& driver)
{
    std::string text = fmt::format("seed={};{}", point.load.seed, dataKey(point, workload));
    for (const OptionSpec& option : driver.connection) {
        if (option.affectsData)
            text += fmt::format(";{}={}", option.name, textOf(connection, option.name));
    }
    return text;
}

} // namespace

std::filesystem::path workDirOf(const RunnerOptions& options)
{
    return options.workDir.empty() ? dataFolder() : options.workDir;
}

TargetHost::TargetHost(TargetUri uri, const RunnerOptions& options, RecordChange recordChange,
                       std::function<bool()> stopped)
    : m_uri(std::move(uri))
    , m_reachable(m_uri)
    , m_options(options)
    , m_recordChange(std::move(recordChange))
    , m_stoppedByUser(std::move(stopped))
    , m_machine(m_uri.path.empty() ? workDirOf(options) : fs::path(m_uri.path))
    , m_machineGuard(announcer(hostTarget()))
{
}

KnobGuard::Announce TargetHost::announcer(std::string target)
{
    return [this, target = std::move(target)](const KnobChange& change) -> Expected<void> {
        note(EventKind::Knob, fmt::format("{}: {} → {}", change.name, change.oldValue, change.newValue));
        if (!m_recordChange)
            return {};
        m_recorded.insert(target);
        return m_recordChange(target, change);
    };
}

TargetHost::~TargetHost()
{
    std::error_code ignored;
    if (!m_copy.empty())
        fs::remove(m_copy, ignored);
}

Expected<void> TargetHost::end()
{
    const bool isKept = keepsData(m_uri) || m_options.keepManagedData;
    return m_server && isKept ? m_server->stop() : Expected<void>();
}

void TargetHost::note(EventKind kind, std::string text)
{
    m_events.push_back({nowNs(), kind, std::move(text)});
}

void TargetHost::noteSince(std::int64_t startNs, EventKind kind, std::string text)
{
    const std::int64_t length = nowNs() - startNs;
    m_events.push_back({startNs, kind, fmt::format("{} in {:.2f} s", text, double(length) / 1e9), length});
}

//! The driver, and the managed server or file, without starting anything.
Expected<void> TargetHost::find()
{
    m_driver = driverFor(m_uri.driver);
    if (!m_driver)
        return fail({ErrorKind::BadInput,
                     fmt::format("this build has no driver for {}", m_uri.display()),
                     {},
                     "see `dyno drivers`"});
    if (m_uri.kind == TargetKind::Managed && !m_server) {
        auto server = ManagedServer::create(m_uri, workDirOf(m_options));
        if (!server)
            return tl::unexpected(server.error());
        m_server = std::move(*server);
        m_server->setKeepData(m_options.keepManagedData);
        m_server->setStopped(m_stoppedByUser);
        m_ours = !m_server->wasThere(); // what a named server holds belongs to the user
        m_dataFolder = m_server->dataFolderNumber();
    }
    if (!isFile(m_uri) || !m_file.empty())
        return {};
    std::error_code problem;
    if (m_uri.path.empty()) {
        // "sqlite:" without a path is a private file of this session.
        auto made = PrivateSqlite::create(workDirOf(m_options));
        if (!made)
            return tl::unexpected(made.error());
        m_private = std::make_unique<PrivateSqlite>(std::move(*made));
        m_file = m_private->file();
        m_reachable.path = m_file.string();
        m_ours = true;
        return {};
    }
    // Once more at the last moment: opening it would change its journal mode already.
    if (const auto risk = fileRisk(m_uri); risk && !m_options.consent.covers(*risk))
        return fail({ErrorKind::BadInput, "this plan wants to do what you have not allowed: " + toText(*risk),
                     std::string(kTargetKey), "use a file of its own, or allow it; nothing was changed there"});
    m_file = m_uri.path;
    m_ours = !fs::exists(m_file, problem); // a file that was there before belongs to the user
    return {};
}

Expected<void> TargetHost::reach(const PointSpec& point)
{
    if (auto found = find(); !found)
        return found;
    return m_server ? startServer(point) : Expected<void>();
}

Expected<void> TargetHost::startServer(const PointSpec& point)
{
    const int before = m_server->process();
    if (before == 0 && !m_stopped)
        m_dataset.clear(); // what a server that died has kept is looked at again
    const std::int64_t startNs = nowNs();
    if (auto may = mayChangeKept(point); !may)
        return may;
    if (auto ready = m_server->ensure(point.server); !ready)
        return ready;
    m_stopped = false;
    const std::string tls = textOf(point.connection, "tls");
    m_reachable = m_server->connectUri(!tls.empty() && tls != "off");
    if (m_server->dataFolderNumber() != m_dataFolder) { // a knob that the data folder is made with
        m_dataFolder = m_server->dataFolderNumber();
        m_dataset.clear();
        m_copyOf.clear();
        m_ours = true;
    }
    if (m_server->process() != before)
        noteSince(startNs, EventKind::Server, before == 0 ? "server started" : "server restarted");
    return {};
}

Expected<void> TargetHost::mayChangeKept(const PointSpec& point)
{
    if (!m_server->wasThere() || m_options.consent.covers("all"))
        return {};
    if (!m_kept) // as it was before this session
        m_kept = keptKnobs(m_server->folder());
    const KnobChanges changes = knobChanges(*m_kept, point.server);
    if (changes.empty())
        return {};
    std::string whyUnknown;
    if (!m_keptLooked) {
        auto others = othersOn(*m_server, m_uri, m_stoppedByUser);
        if (!others && others.error().kind == ErrorKind::Interrupted)
            return fail(std::move(others.error()));
        if (others)
            m_keptOthers = std::move(*others);
        else
            whyUnknown = others.error().text();
        m_keptLooked = others.has_value();
    }
    const std::vector<Risk> open = uncovered(keptRisks(m_uri, changes, m_keptOthers), m_options.consent);
    if (open.empty())
        return {};
    static_cast<void>(m_server->stop());
    return fail({ErrorKind::BadInput,
                 "this plan wants to do what you have not allowed: " + toText(open.front()) +
                     (whyUnknown.empty() ? std::string() : fmt::format(" ({})", whyUnknown)),
                 open.front().key, "use a server of its own, or allow it; nothing was changed there"});
}

//! Only what a session made may be replaced by a copy.
Expected<void> TargetHost::mayRestore() const
{
    if (m_uri.kind == TargetKind::Remote)
        return fail({ErrorKind::BadInput,
                     fmt::format("the data of {} cannot be put back before each run", m_uri.display()), "load.data",
                     "use a managed server or a private SQLite file, or load.data = \"keep\""});
    if (!m_file.empty() && !m_ours)
        return fail({ErrorKind::BadInput,
                     fmt::format("{} was there before and is not replaced by a copy", m_file.string()), "load.data",
                     "name a new file, use sqlite: alone, or load.data = \"keep\""});
    return {};
}

//! What is done before a run starts: the restart that the plan asks for, the data as it was loaded.
Expected<void> TargetHost::begin(const PointSpec& point, const std::string& wanted)
{
    m_logMark = m_server ? m_server->logSize() : 0;
    const bool samePoint = m_lastPoint && *m_lastPoint == point.cases;
    const bool first = !m_lastPoint;
    m_lastPoint = point.cases;
    if (point.load.data == DataPolicy::Restore) {
        if (auto may = mayRestore(); !may)
            return may;
    }
    const std::int64_t startNs = nowNs();
    const bool copied = !m_copyOf.empty() && wanted == m_copyOf;
    const bool putBack = point.load.data == DataPolicy::Restore && copied && !m_asLoaded;
    if (putBack && m_server) {
        if (auto done = m_server->putBack(); !done)
            return done;
        m_stopped = true;
    } else if (putBack) {
        removeSqliteFile(m_file);
        if (auto done = copyFile(m_copy, m_file); !done)
            return done;
    }
    if (putBack) {
        m_dataset = wanted;
        m_asLoaded = true;
        noteSince(startNs, EventKind::Server, "data put back as it was loaded");
    }
    const bool asked =
        point.load.restart == RestartPolicy::EachRun || (point.load.restart == RestartPolicy::EachPoint && !samePoint);
    if (!asked || first || !m_server || !m_server->running())
        return {};
    if (auto stopped = m_server->stop(); !stopped)
        return stopped;
    m_stopped = true;
    noteSince(startNs, EventKind::Server, "server stopped, because the plan restarts it");
    return {};
}

//! Beside the file, under a name that nobody had.
Expected<void> TargetHost::copyFileAside()
{
    if (m_copy.empty()) {
        auto made = newFileBeside(m_file);
        if (!made)
            return tl::unexpected(made.error());
        m_copy = std::move(*made);
    }
    return copyFile(m_file, m_copy);
}

//! Keeps a copy of what was loaded, unless there is one.
Expected<void> TargetHost::keepCopy(const PointSpec& point, ConnectTarget& target, std::unique_ptr<Admin>& admin,
                                    const std::string& wanted)
{
    if (point.load.data != DataPolicy::Restore || m_copyOf == wanted || (!m_server && m_file.empty()))
        return {};
    admin->settle();
    admin.reset();
    m_copyOf.clear();
    const std::int64_t startNs = nowNs();
    if (auto kept = m_server ? m_server->keepCopy() : copyFileAside(); !kept)
        return kept;
    noteSince(startNs, EventKind::Server, m_server ? "server stopped and its data copied" : "file copied");
    m_stopped = true;
    m_copyOf = wanted;
    if (auto reached = reach(point); !reached)
        return reached;
    target.uri = m_reachable;
    auto again = openAdmin(point, target);
    if (!again)
        return tl::unexpected(again.error());
    admin = std::move(*again);
    return {};
}

Expected<ConnectTarget> TargetHost::connectTargetFor(const PointSpec& point)
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
    // A server with certificates of our making: `tls` alone is all that a plan says.
    const std::string tls = textOf(known, "tls");
    if (m_server && !tls.empty() && tls != "off") {
        const Settings defaults = m_server->connectionDefaults();
        if (defaults.empty())
            return fail({ErrorKind::BadInput,
                         fmt::format("{} listens on its socket only, without TLS", m_uri.display()), "connection.tls",
                         fmt::format("write managed:{}?transport=tcp", m_uri.product)});
        for (const auto& [name, value] : defaults)
            known.try_emplace(name, value);
    }
    Faults faults;
    target.connection = resolve(info.connection, known, "connection", faults);
    if (!faults.empty())
        return fail({ErrorKind::BadInput, faults.front().what, faults.front().where, faults.front().remedy});
    return target;
}

Expected<std::unique_ptr<Admin>> TargetHost::control(const ConnectTarget& target, StopPatience patience) const
{
    return controlAdmin(*m_driver, target, m_stoppedByUser, patience);
}

Expected<std::unique_ptr<Admin>> TargetHost::openAdmin(const PointSpec& point, ConnectTarget& target)
{
    auto admin = control(target);
    // A managed server that was killed answers no more before its process is gone: wait for that, then start it again.
    const std::int64_t deadline = nowNs() + std::int64_t(kRestartSeconds * 1e9);
    while (!admin && m_server && admin.error().kind == ErrorKind::Unreachable && nowNs() < deadline &&
           !(m_stoppedByUser && m_stoppedByUser())) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        if (!m_server->running()) {
            if (auto reached = reach(point); !reached)
                return tl::unexpected(reached.error());
            target.uri = m_reachable;
        }
        admin = control(target);
    }
    return admin;
}

//! Tables that are dropped leave free pages in their file: a run would insert into these, and its data would seem
//! larger. So a file of the session is made anew where other data, or newly loaded ones, follow.
bool TargetHost::loadsAnew(const PointSpec& point, const WorkloadInstance& workload, const std::string& data) const
{
    if (!m_ours || !mayLoad(point.workload.prepare))
        return false;
    const std::vector<TableSpec> tables = workload.tablesFor(point.mostUsers());
    return m_dataset != data || (!m_asLoaded && std::ranges::any_of(tables, &TableSpec::freshEachRun));
}

Expected<void> TargetHost::recreateFileIfNeeded(const PointSpec& point, const ConnectTarget& target, bool anew,
                                                std::unique_ptr<Admin>& admin)
{
    if (m_file.empty())
        return {};
    const auto recreate = [&]() -> Expected<void> {
        admin.reset();
        removeSqliteFile(m_file);
        m_dataset.clear();
        auto fresh = control(target);
        if (!fresh)
            return tl::unexpected(fresh.error());
        admin = std::move(*fresh);
        return {};
    };
    if (anew)
        return recreate();
    auto facts = admin->facts();
    if (!facts)
        return tl::unexpected(facts.error());
    for (const OptionSpec& option : m_driver->info().connection) {
        if (!option.affectsData || !point.connection.contains(option.name))
            continue;
        const std::string wanted = textOf(target.connection, option.name);
        const std::string found = textOf(facts->variables, option.name);
        if (found.empty() || found == wanted)
            continue;
        if (!m_ours)
            return fail({ErrorKind::Refused,
                         fmt::format("{} has {} {}, the plan says {}", m_file.string(), option.name, found, wanted),
                         m_file.string(), "it cannot be changed in a file that is there already: name a new file"});
        return recreate();
    }
    return {};
}

Expected<void> TargetHost::mayWrite(const PointSpec& point, const WorkloadInstance& workload, Admin& admin,
                                    const std::string& wanted)
{
    const WorkloadInfo* kind = findWorkload(point.workload.name);
    DataUse use{.makes = mayLoad(point.workload.prepare),
                .drops = point.workload.prepare == PreparePolicy::Always,
                .writes = !kind || writesData(*kind)};
    const std::string key = fmt::format("{};{}{}{}", wanted, use.makes, use.drops, use.writes);
    // A file was looked at in find(), before it was opened; what a session made is its own.
    if (m_uri.kind == TargetKind::Embedded || m_ours || m_options.consent.covers(kTargetKey) ||
        m_mayWrite.contains(key))
        return {};
    for (TableSpec& table : workload.tablesFor(point.mostUsers()))
        use.tables.push_back(std::move(table.name));
    const auto risk = othersDataRisk(admin, m_uri, use);
    if (!risk)
        return tl::unexpected(risk.error());
    if (*risk && !m_options.consent.covers(**risk))
        return fail({ErrorKind::BadInput, "this plan wants to do what you have not allowed: " + toText(**risk),
                     std::string(kTargetKey), "use a database of its own, or allow it; nothing was changed there"});
    m_mayWrite.insert(key);
    return {};
}

Expected<void> TargetHost::ensureData(const PointSpec& point, const ConnectTarget& target, Admin& admin,
                                      const WorkloadInstance& workload, const LoadProgressCallback& progress)
{
    const std::vector<TableSpec> tables = workload.tablesFor(point.mostUsers());
    std::string wanted = fingerprint(point, workload, target.connection, m_driver->info());
    const bool known = wanted == m_dataset;
    const bool fresh =
        std::any_of(tables.begin(), tables.end(), [](const TableSpec& table) { return table.freshEachRun; });
    if (known && (!fresh || m_asLoaded))
        return {};
    PreparePolicy policy = point.workload.prepare;
    if ((policy == PreparePolicy::Auto || policy == PreparePolicy::Always) && (m_loadedHere || (known && m_ours)))
        policy = PreparePolicy::Always; // data of our own making goes, whatever its number of rows is
    const DatasetJob job{*m_driver,
                         admin,
                         target,
                         workload,
                         policy,
                         point.mostUsers(),
                         m_ours,
                         point.load.loaders,
                         point.load.seed,
                         originOf(point),
                         m_loadedHere || m_ours || m_options.consent.covers(kReplaceTables),
                         &m_stuck};
    std::vector<std::string> warnings;
    m_dataset.clear();
    auto loaded = ensureDataset(job, progress, warnings);
    if (!loaded)
        return tl::unexpected(loaded.error());
    if (!*loaded) {
        if (auto same = checkTableOptions(admin, m_driver->info().sql, tables, point.table); !same)
            return same;
    }
    m_dataset = std::move(wanted);
    m_loadedHere = *loaded;
    m_asLoaded = true;
    if (known && fresh && !*loaded)
        note(EventKind::Note,
             "the tables were changed by the run before and are not loaded again: they are not this session's");
    for (std::string& warning : warnings)
        note(EventKind::Note, std::move(warning));
    return {};
}

Expected<ReadyTarget> TargetHost::prepare(const PointSpec& point, const LoadProgressCallback& progress)
{
    m_events.clear();
    m_doing = "while looking for the target";
    if (auto found = find(); !found)
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
    m_doing = m_server ? "while starting the server" : "while putting the data back";
    const std::string wanted = fingerprint(point, **workload, target->connection, m_driver->info());
    if (auto begun = begin(point, wanted); !begun)
        return tl::unexpected(begun.error());
    if (auto reached = reach(point); !reached)
        return tl::unexpected(reached.error());
    target->uri = m_reachable;
    m_doing = "while connecting to the target";
    auto admin = openAdmin(point, *target);
    if (!admin)
        return tl::unexpected(admin.error());
    m_doing = "while looking at what the target can do";
    if (auto recreated = recreateFileIfNeeded(point, *target, loadsAnew(point, **workload, wanted), *admin); !recreated)
        return tl::unexpected(recreated.error());

    ReadyTarget ready;
    ready.driver = m_driver;
    ready.workload = *workload;
    // Before anything is dropped or made; on data that are there as well: settings of the connection are among what is
    // asked.
    if (auto able = checkFeatures(**admin, probesOf(**workload, m_driver->info())); !able)
        return tl::unexpected(able.error());
    if (auto may = mayWrite(point, **workload, **admin, wanted); !may)
        return tl::unexpected(may.error());
    if (wanted != m_dataset) {
        if (auto checked = checkTableKnobs(point, **admin); !checked)
            return tl::unexpected(checked.error());
    }
    if (m_uri.kind == TargetKind::Remote) {
        m_doing = "while changing the server's settings";
        auto effective = applyRemote(point, *target, *admin);
        if (!effective)
            return tl::unexpected(effective.error());
        ready.effective = std::move(*effective);
    }

    m_doing = "while loading the data";
    if (auto data = ensureData(point, *target, **admin, **workload, progress); !data)
        return tl::unexpected(data.error());
    if (auto kept = keepCopy(point, *target, *admin, wanted); !kept)
        return tl::unexpected(kept.error());
    (*admin)->settle();
    m_doing = "while reading the target's settings";
    auto facts = (*admin)->facts();
    if (!facts)
        return tl::unexpected(facts.error());
    ready.facts = std::move(*facts);
    if (ready.facts.unverified) {
        note(EventKind::Note, kUnverifiedServer);
        ready.facts.transport += ", server not verified"; // goes with the result wherever it goes
    } else if (m_uri.kind == TargetKind::Remote && ready.facts.cipher.empty() && !isLocal(m_uri)) {
        note(EventKind::Note, kOpenConnection);
        ready.facts.transport += ", not encrypted";
    }
    for (const Settings* knobs : {&point.server, &point.connection}) {
        for (auto& [name, value] : inForce(*knobs, ready.facts))
            ready.effective.insert_or_assign(name, value);
    }
    target->statements = (*workload)->statements();
    for (const auto& [name, value] : m_driver->inForce(*target)) {
        ready.effective.erase(name); // as the plan has it
        ready.effective.insert_or_assign("connection." + name, value);
    }
    for (const auto& [name, value] : m_machine.read())
        ready.effective.insert_or_assign("host." + name, value);
    if (m_server) {
        ready.optionFile = m_server->optionFile();
        ready.serverProcess = m_server->process();
        ready.endedBy = [server = m_server.get()](std::chrono::milliseconds patience) {
            return server->endedBy(patience);
        };
    }
    ready.dataBytes = (*admin)->dataBytes();
    ready.loaded = m_loadedHere;
    ready.connect = std::make_shared<const ConnectTarget>(std::move(*target));
    ready.events = std::move(m_events);
    m_asLoaded = false; // a run follows
    return ready;
}

//! Knobs with the values that the target says are in force.
Settings TargetHost::inForce(const Settings& knobs, const ServerFacts& facts) const
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

RunAftermath TargetHost::aftermath(const PointSpec& point)
{
    RunAftermath after;
    if (auto target = connectTargetFor(point); target && m_driver) {
        if (auto admin = control(*target, kOfAftermath)) {
            if (auto facts = (*admin)->facts())
                after.server = std::move(*facts);
            after.dataParts = (*admin)->dataParts();
            if (const std::uint64_t all = (*admin)->dataBytes(); after.dataParts.empty() && !m_server && all > 0)
                after.dataParts.push_back({"data", "", all});
        }
    }
    if (m_server) {
        const std::vector<DataPart> files = m_server->dataParts();
        after.dataParts.insert(after.dataParts.end(), files.begin(), files.end());
        after.errorLog = m_server->logSince(m_logMark);
    }
    return after;
}

Expected<Settings> TargetHost::applyRemote(const PointSpec& point, const ConnectTarget& target,
                                           std::unique_ptr<Admin>& admin)
{
    if (!m_remote) {
        auto known = remoteServerOf(m_uri);
        if (!known)
            return tl::unexpected(known.error());
        RemoteDoor door;
        door.driver = m_uri.driver;
        door.shown = m_uri.display();
        door.known = known->value_or(RemoteServer());
        door.secret = m_uri.password;
        door.stopped = m_stoppedByUser;
        door.connect = [driver = m_driver, target, stopped = m_stoppedByUser] {
            return controlAdmin(*driver, target, stopped);
        };
        m_recordedAs = withTlsOf(target.connection, m_uri).display();
        m_remote = std::make_unique<RemoteKnobs>(std::move(door), announcer(m_recordedAs));
    }
    auto applied = m_remote->apply(admin, point.server);
    for (const std::string& sentence : m_remote->stayed())
        note(EventKind::Note, sentence);
    return applied;
}

//! Before the server starts: it takes its memory under these settings.
Expected<void> TargetHost::applyHost(const PointSpec& point)
{
    if (m_uri.kind == TargetKind::Remote && !point.host.empty())
        return fail({ErrorKind::BadInput,
                     fmt::format("host.{} is a setting of this machine, and {} may run on another one",
                                 point.host.begin()->first, m_uri.display()),
                     "host." + point.host.begin()->first, "use a managed: or embedded target, or leave it out"});
    Settings wanted;
    for (const auto& [name, value] : point.host)
        wanted.emplace(m_machine.fullName(name), value);
    auto applied = m_machineGuard.apply(m_machine, wanted);
    if (!applied)
        return tl::unexpected(applied.error());
    return {};
}

//! CREATE TABLE would say it too, but not what to use instead.
Expected<void> TargetHost::checkTableKnobs(const PointSpec& point, Admin& admin) const
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

Expected<void> TargetHost::restoreRemote(const RecordRestored& recordRestored)
{
    if (!m_remote || !m_remote->changed()) {
        // A point that failed half way put its changes back itself.
        if (m_recorded.erase(m_recordedAs) > 0)
            recordRestored(m_recordedAs, m_remote ? m_remote->notRestored() : std::vector<std::string>());
        return {};
    }
    auto admin = m_remote->reach();
    if (!admin)
        return fail({admin.error().kind,
                     fmt::format("the settings of {} are still changed: {}", m_uri.display(), admin.error().message),
                     m_uri.display(), fmt::format("dyno servers restore \"{}\" puts them back", m_uri.display())});
    auto restored = m_remote->restore(*admin);
    recordRestored(m_recordedAs, m_remote->notRestored());
    return restored;
}

Expected<void> TargetHost::restore(const RecordRestored& recordRestored)
{
    auto remote = restoreRemote(recordRestored);
    if (m_machineGuard.changes().empty()) {
        if (m_recorded.erase(hostTarget()) > 0)
            recordRestored(hostTarget(), m_machineGuard.notRestored());
        return remote;
    }
    auto machine = m_machineGuard.restore(m_machine);
    recordRestored(hostTarget(), m_machineGuard.notRestored());
    return remote ? machine : remote;
}

Expected<TargetHost::Opened> TargetHost::openFor(const PointSpec& point)
{
    if (auto reached = reach(point); !reached)
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

Expected<std::vector<ConditionResult>> TargetHost::checkData(const PointSpec& point, const std::function<bool()>& goOn)
{
    auto opened = openFor(point);
    if (!opened)
        return tl::unexpected(opened.error());
    return checkDataset(*opened->admin, *opened->workload, point.mostUsers(), goOn);
}

Expected<void> TargetHost::dropTables(const PointSpec& point)
{
    auto opened = openFor(point);
    if (!opened)
        return tl::unexpected(opened.error());
    m_dataset.clear();
    return dropDataset(*opened->admin, *opened->workload, point.mostUsers(),
                       m_loadedHere || m_ours || m_options.consent.covers(kDropTables));
}

} // namespace dyno
