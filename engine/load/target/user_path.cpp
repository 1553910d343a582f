// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/target/user_path.h"

#include "base/clock.h"
#include "driver/control_calls.h"
#include "driver/preflight_list.h"

#include <dyno/path.h>
#include <dyno/uri_form.h>

#include <chrono>
#include <fmt/format.h>
#include <thread>

namespace dyno {

namespace {

constexpr int kListenTries = 80; //!< two seconds

} // namespace

Error throughPath(Error error, const std::string& name, const std::string& path)
{
    error.message = fmt::format("through {}: {}", name, error.message);
    if (!error.remedy.empty())
        error.remedy = fmt::format("{} = \"{}\": {}", kPathKey, path, error.remedy);
    return error;
}

Expected<void> UserPath::startProxy(const TargetPath& path, const PointSpec& point, const ConnectTarget& direct,
                                    bool& started)
{
    const ProxyRecipe* recipe = proxyRecipeFor(path.proxy);
    const auto server = endpointOf(direct.uri);
    if (!recipe || !server)
        return fail({ErrorKind::BadInput,
                     fmt::format("{} needs to know where the server listens", pathName(path.proxy)),
                     direct.uri.display(), "write the port or the socket of the server in the URI"});
    if (auto problem = poolProblem(*recipe, path.pool, point.mostUsers()))
        return fail(std::move(*problem));
    if (auto problem = recipe->problem(direct.uri, server)) // with the password, which a plan does not have
        return fail(std::move(*problem));
    if (!m_proxy || &m_proxy->recipe() != recipe) {
        m_proxy.reset();
        auto made = ManagedProxy::create(*recipe, m_workDir);
        if (!made)
            return fail(std::move(made.error()));
        m_proxy = std::move(*made);
    }
    if (auto problem = recipe->usersProblem(direct, path.pool, m_proxy->program().version))
        return fail(std::move(*problem));
    auto fresh = m_proxy->ensure(direct, *server, point.mostUsers(), path.pool, m_stopped);
    if (!fresh)
        return fail(std::move(fresh.error()));
    started = *fresh;
    return {};
}

Expected<UserPath::Way> UserPath::open(const PointSpec& point, Driver& driver, ConnectTargetPtr direct,
                                       const ServerFacts& facts, bool distant, const MayWrite& mayWriteThere)
{
    const auto path = parsePath(point.target.path);
    if (!path)
        return fail(path.error());
    Way way;
    if (path->kind != TargetPath::Kind::Proxy && m_proxy)
        m_proxy->stop(); // its folder stays: with another, each run would have another configuration
    if (path->kind == TargetPath::Kind::Direct) {
        way.users = std::move(direct);
        return way;
    }
    auto users = std::make_shared<ConnectTarget>(*direct);
    if (path->kind == TargetPath::Kind::Proxy) {
        const std::int64_t startNs = nowNs();
        if (auto started = startProxy(*path, point, *direct, way.started); !started)
            return fail(std::move(started.error()));
        way.startNs = startNs;
        way.startLengthNs = nowNs() - startNs;
        m_proxy->lead(*users);
        way.name =
            fmt::format("{} {}{}", m_proxy->recipe().names().name, m_proxy->program().version, poolName(path->pool));
        way.configuration = m_proxy->configuration();
    } else if (path->kind == TargetPath::Kind::Link) { // which is where everything goes, made slow for the users
        way.name = linkName(path->link);
    } else {
        setEndpoint(users->uri, path->address);
        way.name = path->address.display();
    }
    users->distant = distant;
    auto look = *users;
    look.statements = {};
    auto admin = controlAdmin(driver, look, m_stopped);
    // A socket may be there a moment before somebody listens on it.
    for (int i = 0; way.started && !admin && admin.error().kind == ErrorKind::Unreachable && i < kListenTries; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(25));
        admin = controlAdmin(driver, look, m_stopped);
    }
    if (!admin)
        return fail(throughPath(std::move(admin.error()), way.name, point.target.path));
    auto there = (*admin)->facts();
    if (!there)
        return fail(throughPath(std::move(there.error()), way.name, point.target.path));
    way.note = fmt::format("users go through {}: a round trip takes {:.3f} ms, {:.3f} ms directly", way.name,
                           there->roundTripMs, facts.roundTripMs);
    const std::string identity = driver.serverIdentity(facts.variables);
    const std::string reached = driver.serverIdentity(there->variables);
    if (!identity.empty() && !reached.empty() && identity != reached) {
        way.note += "; it leads to another server than the direct connection";
        if (auto may = mayWriteThere(users->uri, **admin); !may)
            return fail(throughPath(std::move(may.error()), way.name, point.target.path));
    }
    if (there->transport != facts.transport || there->cipher != facts.cipher)
        way.transport = there->transport + (there->cipher.empty() ? "" : ", " + there->cipher);
    if (there->unverified)
        way.warning = "users' connections to a server that is not verified";
    else if (there->cipher.empty() && !isLocal(*users))
        way.warning = "users' connections not encrypted";
    way.users = std::move(users);
    return way;
}

} // namespace dyno
