// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/target/managed_target.h"

#include "load/preflight/kind_preflight.h"

#include <dyno/kept_data.h>
#include <dyno/path.h>

#include <fmt/format.h>

#include <thread>

namespace dyno {

namespace {

constexpr double kRestartSeconds = 20; //!< how long a dying server may take to be gone

} // namespace

Expected<void> ManagedTarget::end()
{
    const bool isKept = keepsData(m_uri) || m_options.keepManagedData;
    return m_server && isKept ? m_server->stop() : Expected<void>();
}

Expected<void> ManagedTarget::isThere() const
{
    return fail({ErrorKind::BadInput,
                 fmt::format("{} is started for a session only", m_uri.display()),
                 {},
                 "name a server that runs"});
}

//! A server of ours is made with its settings.
PointSpec ManagedTarget::forData(PointSpec point) const
{
    point.host.clear();
    point.load.instruments = InstrumentsLevel::None;
    point.target.path = kDirectPath; // only users go by another
    return point;
}

Expected<PreflightReport> ManagedTarget::preflight(TargetNeeds& needs)
{
    return managedPreflight(m_uri, needs, m_options);
}

//! What only concerns how good the figures are is for `dyno check`, and what the first run finds at once is not told.
bool ManagedTarget::toldBeforeStart(const PreflightItem& item, bool first) const
{
    if (item.id == "tables" || (item.id == "server_program" && first))
        return false;
    return mayHoldData(m_uri) || item.level == PreflightLevel::Blocker;
}

Expected<void> ManagedTarget::find()
{
    if (m_server)
        return {};
    auto server = ManagedServer::create(m_uri, workDirOf(m_options));
    if (!server)
        return tl::unexpected(server.error());
    m_server = std::move(*server);
    m_server->setKeepData(m_options.keepManagedData);
    m_server->setStopped(m_stoppedByUser);
    m_data.setOurs(!m_server->wasThere()); // what a named server holds belongs to the user
    m_dataFolder = m_server->dataFolderNumber();
    return {};
}

std::filesystem::path ManagedTarget::folderFound() const
{
    return m_server->folder();
}

//! A server with certificates of our making: `tls` alone is all that a plan says.
Expected<void> ManagedTarget::complete(Settings& connection) const
{
    const std::string tls = textOf(connection, "tls");
    if (!m_server || tls.empty() || tls == "off")
        return {};
    const Settings defaults = m_server->connectionDefaults();
    if (defaults.empty())
        return fail({ErrorKind::BadInput, fmt::format("{} listens on its socket only, without TLS", m_uri.display()),
                     "connection.tls", fmt::format("write managed:{}?transport=tcp", m_uri.product)});
    for (const auto& [name, value] : defaults)
        connection.try_emplace(name, value);
    return {};
}

const char* ManagedTarget::beginning()
{
    m_logMark = m_server->logSize();
    return "while starting the server";
}

Expected<void> ManagedTarget::reach(const PointSpec& point)
{
    const int before = m_server->process();
    if (before == 0 && !m_stopped)
        m_data.forget(); // what a server that died has kept is looked at again
    const std::int64_t startNs = nowNs();
    if (auto may = mayChangeKept(point); !may)
        return may;
    const auto path = parsePath(point.target.path);
    if (auto placed = m_server->setLinked(path && path->kind == TargetPath::Kind::Link); !placed)
        return placed;
    if (auto ready = m_server->ensure(point.server); !ready)
        return ready;
    m_stopped = false;
    // Only users are slowed down: not the load, nor what is asked before the run.
    if (auto free = m_server->shapeLink({}); !free)
        return free;
    const std::string tls = textOf(point.connection, "tls");
    m_reachable = m_server->connectUri(!tls.empty() && tls != "off");
    if (m_server->dataFolderNumber() != m_dataFolder) { // a knob that the data folder is made with
        m_dataFolder = m_server->dataFolderNumber();
        m_data.startAnew();
    }
    if (m_server->process() != before) {
        m_instruments.forget();
        noteSince(startNs, EventKind::Server, before == 0 ? "server started" : "server restarted");
    }
    return {};
}

Expected<void> ManagedTarget::mayChangeKept(const PointSpec& point)
{
    if (!m_server->wasThere() || m_options.consent.covers("all"))
        return {};
    if (!m_kept) // as it was before this session
        m_kept = keptKnobs(m_server->folder());
    const KnobChanges changes = knobChanges(*m_kept, m_uri.driver, point.server);
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

Expected<void> ManagedTarget::putBack()
{
    if (auto done = m_server->putBack(); !done)
        return done;
    m_stopped = true;
    return {};
}

Expected<void> ManagedTarget::stopForRestart()
{
    if (!m_server->running())
        return {};
    const std::int64_t startNs = nowNs();
    if (auto stopped = m_server->stop(); !stopped)
        return stopped;
    m_stopped = true;
    noteSince(startNs, EventKind::Server, "server stopped, because the plan restarts it");
    return {};
}

//! A server that was killed answers no more before its process is gone: waits for that, then starts it again.
Expected<std::unique_ptr<Admin>> ManagedTarget::openAdmin(const PointSpec& point, ConnectTarget& target)
{
    auto admin = control(target);
    const std::int64_t deadline = nowNs() + std::int64_t(kRestartSeconds * 1e9);
    while (!admin && admin.error().kind == ErrorKind::Unreachable && nowNs() < deadline && !stoppedByUser()) {
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

Expected<std::string> ManagedTarget::keepCopy()
{
    if (auto kept = m_server->keepCopy(); !kept)
        return tl::unexpected(kept.error());
    m_stopped = true;
    return "server stopped and its data copied";
}

void ManagedTarget::describe(ReadyTarget& ready)
{
    ready.optionFile = m_server->optionFile();
    ready.linkDevice = m_server->linkDevice();
    if (m_server->process() > 0)
        ready.processes.push_back(
            {"the managed server", "the server", kProcessSource, m_server->process(),
             [server = m_server.get()](std::chrono::milliseconds patience) { return server->endedBy(patience); }});
}

//! Its files say more than the sum that it tells; of what both tell, such as the log, the files hold.
void ManagedTarget::describe(RunAftermath& after, std::uint64_t /*dataBytes*/)
{
    if (!m_server)
        return;
    const std::vector<DataPart> files = m_server->dataParts();
    std::erase_if(after.dataParts, [&files](const DataPart& part) {
        return std::ranges::find(files, part.kind, &DataPart::kind) != files.end();
    });
    after.dataParts.insert(after.dataParts.end(), files.begin(), files.end());
    after.errorLog = m_server->logSince(m_logMark);
}

void ManagedTarget::tellOffPage(RunAftermath& after, const std::vector<std::string>& tables)
{
    if (!m_server)
        return;
    const std::vector<DataPart> parts = m_server->offPageParts(tables);
    after.dataParts.insert(after.dataParts.end(), parts.begin(), parts.end());
}

} // namespace dyno
