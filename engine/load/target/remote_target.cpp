// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/target/remote_target.h"

#include "load/preflight/kind_preflight.h"
#include "server/remote/remote_servers.h"

#include <fmt/format.h>

namespace dyno {

namespace {

//! How to reach a server again without the plan: `uri` with the TLS that the plan's knobs say.
TargetUri withTlsOf(const Settings& connection, TargetUri uri)
{
    for (const auto& [name, value] : connection) {
        if (const std::string text = toText(value); name.starts_with("tls") && !text.empty())
            uri.query.insert_or_assign(name, text);
    }
    return uri;
}

} // namespace

std::optional<Error> RemoteTarget::refusal() const
{
    if (m_options.confirmed)
        return {};
    const auto known = remoteServerOf(m_uri);
    if (!known)
        return known.error();
    if (!*known || !(*known)->production)
        return {};
    const std::string name = (*known)->name.empty() ? m_uri.display() : (*known)->name;
    return Error{ErrorKind::Refused,
                 fmt::format("{} is marked as a production server: nothing but reading is done without asking", name),
                 m_uri.display(), "add --yes-production if this load and these changes are meant for it"};
}

Expected<PreflightReport> RemoteTarget::preflight(TargetNeeds& needs)
{
    return remotePreflight(m_uri, needs, m_options);
}

bool RemoteTarget::toldBeforeStart(const PreflightItem& item, bool /*first*/) const
{
    return item.id != "tables";
}

Expected<void> RemoteTarget::mayChangeMachine(const PointSpec& point) const
{
    if (point.host.empty())
        return {};
    return fail({ErrorKind::BadInput,
                 fmt::format("host.{} is a setting of this machine, and {} may run on another one",
                             point.host.begin()->first, m_uri.display()),
                 "host." + point.host.begin()->first, "use a managed: or embedded target, or leave it out"});
}

Expected<void> RemoteTarget::mayRestore() const
{
    return fail({ErrorKind::BadInput, fmt::format("the data of {} cannot be put back before each run", m_uri.display()),
                 "load.data", "use a managed server or a private SQLite file, or load.data = \"keep\""});
}

Expected<Settings> RemoteTarget::applyKnobs(const PointSpec& point, const ConnectTarget& target,
                                            std::unique_ptr<Admin>& admin)
{
    setDoing("while changing the server's settings");
    if (!m_knobs) {
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
        m_knobs = std::make_unique<RemoteKnobs>(std::move(door), announcer(m_recordedAs));
    }
    auto applied = m_knobs->apply(admin, point.server);
    for (const std::string& sentence : m_knobs->stayed())
        note(EventKind::Note, sentence);
    return applied;
}

Expected<void> RemoteTarget::restoreKnobs(const RecordRestored& recordRestored)
{
    if (!m_knobs || (!m_knobs->changed() && !m_instruments.changed())) {
        // A point that failed half way put its changes back itself.
        if (takeRecorded(m_recordedAs))
            recordRestored(m_recordedAs, notRestored());
        return {};
    }
    auto admin = m_knobs->reach();
    if (!admin)
        return fail({admin.error().kind,
                     fmt::format("the settings of {} are still changed: {}", m_uri.display(), admin.error().message),
                     m_uri.display(), fmt::format("dyno servers restore \"{}\" puts them back", m_uri.display())});
    auto switched = m_instruments.restore(**admin); // they were last
    auto restored = m_knobs->restore(*admin);
    recordRestored(m_recordedAs, notRestored());
    return switched ? restored : switched;
}

//! Names of settings that this session changed and could not put back.
std::vector<std::string> RemoteTarget::notRestored() const
{
    std::vector<std::string> names = m_knobs ? m_knobs->notRestored() : std::vector<std::string>();
    for (std::string& name : m_instruments.notRestored())
        names.push_back(std::move(name));
    return names;
}

} // namespace dyno
