// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/target_host.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <thread>

namespace dyno {

namespace {

namespace fs = std::filesystem;

constexpr double kRestartSeconds = 20; //!< how long a dying managed server may take to be gone

fs::path workDirOf(const RunnerOptions& options)
{
    return options.workDir.empty() ? dataFolder() : options.workDir;
}

//! Equal fingerprints mean equal tables and rows.
std::string fingerprint(const std::vector<TableSpec>& tables, const LoadProfile& load, const Settings& connection,
                        const DriverInfo& driver)
{
    std::string text = fmt::format("seed={}", load.seed);
    for (const TableSpec& table : tables)
        text += fmt::format(";{}:{}:{}", table.name, table.create, table.rows);
    for (const OptionSpec& option : driver.connection) {
        if (option.affectsData)
            text += fmt::format(";{}={}", option.name, textOf(connection, option.name));
    }
    return text;
}

void removeSqliteFile(const fs::path& file)
{
    std::error_code ignored;
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
        fs::path part = file;
        part += suffix;
        fs::remove(part, ignored);
    }
}

std::string passwordOf(const RunnerOptions& options)
{
    if (!options.password.empty())
        return options.password;
    const char* fromEnvironment = std::getenv("DYNO_PASSWORD");
    return fromEnvironment ? fromEnvironment : "";
}

} // namespace

TargetHost::TargetHost(TargetUri uri, const RunnerOptions& options, KnobGuard::Announce recordChange)
    : m_uri(std::move(uri))
    , m_reachable(m_uri)
    , m_options(options)
    , m_guard([this, record = std::move(recordChange)](const KnobChange& change) -> Expected<void> {
        note(EventKind::Knob, fmt::format("{}: {} → {}", change.name, change.oldValue, change.newValue));
        return record ? record(change) : Expected<void>();
    })
{
}

TargetHost::~TargetHost()
{
    if (m_removeFile)
        removeSqliteFile(m_file);
}

void TargetHost::note(EventKind kind, std::string text)
{
    m_events.push_back({nowNs(), kind, std::move(text)});
}

Expected<void> TargetHost::reach(const PointSpec& point)
{
    m_driver = driverFor(m_uri.driver);
    if (!m_driver)
        return fail({ErrorKind::BadInput, fmt::format("this build has no driver for {}", m_uri.display()), {},
                     "see `dyno drivers`"});
    if (m_uri.kind == TargetKind::Managed) {
        if (!m_server) {
            auto server = ManagedServer::create(m_uri, workDirOf(m_options));
            if (!server)
                return tl::unexpected(server.error());
            m_server = std::move(*server);
            m_server->setKeepData(m_options.keepManagedData);
            m_ours = true;
        }
        const bool wasRunning = m_server->running();
        if (!wasRunning)
            m_dataset.clear(); // what a server that died has kept is looked at again
        if (auto ready = m_server->ensure(point.server); !ready)
            return ready;
        m_reachable = m_server->connectUri();
        if (!wasRunning)
            note(EventKind::Server, "server started");
        return {};
    }
    if (m_uri.scheme != "sqlite" || !m_file.empty())
        return {};
    std::error_code problem;
    if (m_uri.path.empty()) {
        // "sqlite:" without a path is a private file of this session.
        static std::atomic<int> s_counter {0};
        const fs::path folder = workDirOf(m_options) / "sqlite";
        fs::create_directories(folder, problem);
        m_file = folder / fmt::format("session-{}-{}.db", ::getpid(), ++s_counter);
        removeSqliteFile(m_file);
        m_reachable.path = m_file.string();
        m_ours = true;
        m_removeFile = true;
        return {};
    }
    m_file = m_uri.path;
    m_ours = !fs::exists(m_file, problem); // a file that was there before belongs to the user
    return {};
}

Expected<ConnectTarget> TargetHost::connectTargetFor(const PointSpec& point)
{
    ConnectTarget target;
    target.uri = m_reachable;
    if (m_uri.kind == TargetKind::Remote)
        target.uri.password = passwordOf(m_options);
    const DriverInfo info = m_driver->info();
    Settings known;
    for (const auto& [name, value] : point.connection) {
        const bool catalogued = std::any_of(info.connection.begin(), info.connection.end(),
                                            [&](const OptionSpec& option) { return option.name == name; });
        (catalogued ? known : target.connectionExtra).emplace(name, value);
    }
    Faults faults;
    target.connection = resolve(info.connection, known, "connection", faults);
    if (!faults.empty())
        return fail({ErrorKind::BadInput, faults.front().what, faults.front().where, faults.front().remedy});
    return target;
}

Expected<std::unique_ptr<Admin>> TargetHost::openAdmin(const PointSpec& point, ConnectTarget& target)
{
    auto admin = m_driver->admin(target);
    // A managed server that was killed answers no more before its process is gone: wait for that, then start it again.
    const std::int64_t deadline = nowNs() + std::int64_t(kRestartSeconds * 1e9);
    while (!admin && m_server && admin.error().kind == ErrorKind::Unreachable && nowNs() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        if (!m_server->running()) {
            if (auto reached = reach(point); !reached)
                return tl::unexpected(reached.error());
            target.uri = m_reachable;
        }
        admin = m_driver->admin(target);
    }
    return admin;
}

Expected<void> TargetHost::recreateFileIfNeeded(const PointSpec& point, const ConnectTarget& target,
                                                std::unique_ptr<Admin>& admin)
{
    if (m_file.empty())
        return {};
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
        admin.reset();
        removeSqliteFile(m_file);
        m_dataset.clear();
        auto fresh = m_driver->admin(target);
        if (!fresh)
            return tl::unexpected(fresh.error());
        admin = std::move(*fresh);
        return {};
    }
    return {};
}

Expected<std::shared_ptr<const WorkloadInstance>> TargetHost::bind(const PointSpec& point) const
{
    const Workload* workload = workloadFor(point.workload.name);
    if (!workload)
        return fail({ErrorKind::BadInput, fmt::format("there is no workload \"{}\"", point.workload.name), {},
                     "see `dyno workloads`"});
    Faults faults;
    Settings params = resolve(workload->info().options, point.workload.params, "workload", faults);
    if (!faults.empty())
        return fail({ErrorKind::BadInput, faults.front().what, faults.front().where, faults.front().remedy});
    return workload->bind(params, m_driver->info().id, point.table);
}

Expected<void> TargetHost::ensureData(const PointSpec& point, const ConnectTarget& target, Admin& admin,
                                      const WorkloadInstance& workload, const LoadProgressCallback& progress)
{
    const std::vector<TableSpec> tables = workload.tablesFor(point.users());
    std::string wanted = fingerprint(tables, point.load, target.connection, m_driver->info());
    const bool known = wanted == m_dataset;
    const bool fresh = std::any_of(tables.begin(), tables.end(), [](const TableSpec& table) { return table.freshEachRun; });
    if (known && !fresh)
        return {};
    PreparePolicy policy = point.workload.prepare;
    if (policy != PreparePolicy::Never && (m_loadedHere || (known && m_ours)))
        policy = PreparePolicy::Always; // data of our own making goes, whatever its number of rows is
    const DatasetJob job {*m_driver, admin, target, workload, policy, point.users(), m_ours, point.load.loaders,
                          point.load.seed};
    std::vector<std::string> warnings;
    m_dataset.clear();
    auto loaded = ensureDataset(job, progress, warnings);
    if (!loaded)
        return tl::unexpected(loaded.error());
    m_dataset = std::move(wanted);
    m_loadedHere = *loaded;
    if (known && fresh && !*loaded)
        note(EventKind::Note, "the tables were changed by the run before and are not loaded again: they are not this session's");
    for (std::string& warning : warnings)
        note(EventKind::Note, std::move(warning));
    return {};
}

Expected<ReadyTarget> TargetHost::prepare(const PointSpec& point, const LoadProgressCallback& progress)
{
    m_events.clear();
    if (auto reached = reach(point); !reached)
        return tl::unexpected(reached.error());
    auto workload = bind(point);
    if (!workload)
        return tl::unexpected(workload.error());
    auto target = connectTargetFor(point);
    if (!target)
        return tl::unexpected(target.error());
    auto admin = openAdmin(point, *target);
    if (!admin)
        return tl::unexpected(admin.error());
    if (auto recreated = recreateFileIfNeeded(point, *target, *admin); !recreated)
        return tl::unexpected(recreated.error());

    ReadyTarget ready;
    ready.driver = m_driver;
    ready.workload = *workload;
    if (m_uri.kind == TargetKind::Remote) {
        auto effective = m_guard.apply(**admin, point.server);
        if (!effective)
            return tl::unexpected(effective.error());
        ready.effective = std::move(*effective);
    }

    if (auto data = ensureData(point, *target, **admin, **workload, progress); !data)
        return tl::unexpected(data.error());
    (*admin)->settle();
    auto facts = (*admin)->facts();
    if (!facts)
        return tl::unexpected(facts.error());
    ready.facts = std::move(*facts);
    const auto inForce = [&](const Settings& knobs) {
        for (const auto& [name, value] : knobs) {
            const auto found = ready.facts.variables.find(name);
            ready.effective.insert_or_assign(name, found == ready.facts.variables.end() ? value : found->second);
        }
    };
    inForce(point.server);
    inForce(point.connection);
    ready.dataBytes = (*admin)->dataBytes();
    target->statements = (*workload)->statements();
    ready.connect = std::make_shared<const ConnectTarget>(std::move(*target));
    ready.events = std::move(m_events);
    return ready;
}

Expected<void> TargetHost::restore()
{
    if (m_guard.changes().empty())
        return {};
    if (!m_driver)
        return fail({ErrorKind::Failed, fmt::format("settings of {} are still changed", m_uri.display()), {},
                     "they are put back when it is used again"});
    auto target = connectTargetFor(PointSpec());
    if (!target)
        return tl::unexpected(target.error());
    auto admin = m_driver->admin(*target);
    if (!admin)
        return tl::unexpected(admin.error());
    return m_guard.restore(**admin);
}

Expected<void> TargetHost::dropTables(const PointSpec& point)
{
    if (auto reached = reach(point); !reached)
        return reached;
    auto workload = bind(point);
    if (!workload)
        return tl::unexpected(workload.error());
    auto target = connectTargetFor(point);
    if (!target)
        return tl::unexpected(target.error());
    auto admin = m_driver->admin(*target);
    if (!admin)
        return tl::unexpected(admin.error());
    m_dataset.clear();
    return dropDataset(**admin, **workload, point.users());
}

} // namespace dyno
