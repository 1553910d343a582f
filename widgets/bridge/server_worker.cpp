// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/server_worker.h"

#include <dyno/kept_data.h>
#include <dyno/restore.h>
#include <dyno/uri_form.h>

#include <QMetaObject>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace dyno {

namespace {

constexpr int kQueriesAtOnce = 4;
constexpr int kLogLines = 200;

//! `driver`: whose knobs say more of the variables.
VariableRows describeVariables(std::vector<VariableState> states, const std::string& driver)
{
    std::map<std::string, const KnobInfo*> known;
    const std::vector<KnobInfo> catalogue = knobs(driver);
    for (const KnobInfo& knob : catalogue) {
        if (knob.scope == "server")
            known.emplace(knob.option.name, &knob);
        for (const KnobEdition& edition : knob.editions) {
            if (knob.scope == "server" && !edition.name.empty())
                known.emplace(edition.name, &knob);
        }
    }
    VariableRows rows;
    rows.reserve(states.size());
    for (VariableState& state : states) {
        VariableRow row;
        if (const auto found = known.find(state.name); found != known.end()) {
            row.label = QString::fromStdString(found->second->option.label);
            row.bytes = found->second->option.type == OptionType::Bytes;
            row.help = QString::fromStdString(found->second->option.help);
            row.safety = QString::fromStdString(found->second->safety);
        }
        row.state = std::move(state);
        rows.push_back(std::move(row));
    }
    return rows;
}

//! True when the plan puts load on this server, with its target or with one of an axis.
bool usesServer(const Plan& plan, const RemoteServer& server)
{
    if (isSameServer(plan.target.uri, server.uri))
        return true;
    return std::any_of(plan.axes.begin(), plan.axes.end(), [&server](const Axis& axis) {
        return std::any_of(axis.cases.begin(), axis.cases.end(), [&server](const Case& one) {
            return isSameServer(textOf(one.set, "target.uri"), server.uri);
        });
    });
}

Expected<std::vector<LeftChange>> readLeft(const std::filesystem::path& library)
{
    std::error_code ignored;
    if (!std::filesystem::exists(library, ignored))
        return std::vector<LeftChange>();
    return leftChanges(library);
}

} // namespace

struct ServerWorker::Home
{
    std::filesystem::path workDir;
    std::unique_ptr<ManagedInstances> keeper;
    std::vector<ServerProgram> programs;
    ManagedInstances& instances()
    {
        if (!keeper)
            keeper = std::make_unique<ManagedInstances>(workDir);
        return *keeper;
    }
};

const RemoteServer* ServerList::remote(const std::string& uri) const
{
    const auto found = std::find_if(remotes.servers.begin(), remotes.servers.end(),
                                    [&uri](const RemoteServer& one) { return isSameServer(one.uri, uri); });
    return found == remotes.servers.end() ? nullptr : &*found;
}

bool isSameServer(const std::string& one, const std::string& other)
{
    const auto a = parseUri(one), b = parseUri(other);
    if (!a || !b || a->kind != TargetKind::Remote || b->kind != TargetKind::Remote)
        return false;
    return sameServer(*a, *b);
}

bool LeftoverReport::open() const
{
    return problem || !production.empty() || std::any_of(knobs.begin(), knobs.end(), [](const RestoredKnob& knob) {
               return knob.outcome == RestoreOutcome::Failed || knob.outcome == RestoreOutcome::OthersValue;
           });
}

ServerWorker::ServerWorker(std::filesystem::path library, std::filesystem::path workDir, QObject* parent)
    : QObject(parent)
    , m_library(std::move(library))
    , m_workDir(std::move(workDir))
    , m_context(new QObject)
    , m_home(std::make_shared<Home>())
{
    qRegisterMetaType<LeftoverReport>();
    m_home->workDir = m_workDir;
    m_pool.setMaxThreadCount(kQueriesAtOnce);
    m_thread.setObjectName(QStringLiteral("servers"));
    m_context->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_context, &QObject::deleteLater);
    m_thread.start();
}

ServerWorker::~ServerWorker()
{
    stopLook();
    m_pool.waitForDone();
    QMetaObject::invokeMethod(
        m_context, [home = m_home] { home->keeper.reset(); }, Qt::BlockingQueuedConnection);
    m_thread.quit();
    m_thread.wait();
}

std::filesystem::path ServerWorker::remotesFile() const
{
    return m_workDir.empty() ? std::filesystem::path() : m_workDir / "servers.toml";
}

void ServerWorker::onThread(std::function<void()> task)
{
    ++m_pending;
    QMetaObject::invokeMethod(m_context, std::move(task), Qt::QueuedConnection);
}

void ServerWorker::inPool(std::function<void()> task)
{
    ++m_pending;
    m_pool.start(std::move(task));
}

void ServerWorker::deliver(std::function<void()> result)
{
    // Posted to this object: dropped by Qt when the worker is destroyed before it arrives.
    QMetaObject::invokeMethod(
        this,
        [this, result = std::move(result)] {
            --m_pending;
            result();
        },
        Qt::QueuedConnection);
}

template<class T>
void ServerWorker::finish(QPointer<QObject> owner, Done<T> done, Expected<T> result)
{
    auto shared = std::make_shared<Expected<T>>(std::move(result));
    deliver([owner, done = std::move(done), shared] {
        if (owner && done)
            done(std::move(*shared));
    });
}

void ServerWorker::setFixed(const ServerList& list)
{
    m_fixed = m_listed = true;
    m_list = list;
}

void ServerWorker::refresh(bool programs)
{
    if (m_fixed) {
        ++m_pending;
        deliver([this] { emit listed(); });
        return;
    }
    m_programsWanted = m_programsWanted || programs;
    if (m_refreshing) {
        m_again = true; // what is being read may be older than what the caller knows
        return;
    }
    m_refreshing = true;
    const bool look = std::exchange(m_programsWanted, false);
    onThread([this, home = m_home, look, file = remotesFile(), library = m_library, work = m_workDir] {
        auto list = std::make_shared<ServerList>();
        if (look)
            home->programs = installedServers();
        list->programs = home->programs;
        list->instances = home->instances().list();
        list->remotes = remoteServers(file);
        list->space = leftSpace(work);
        if (auto left = readLeft(library))
            list->left = std::move(*left);
        else
            list->problem = left.error();
        deliver([this, list] {
            m_list = std::move(*list);
            m_listed = true;
            m_refreshing = false;
            const bool again = std::exchange(m_again, false);
            emit listed();
            if (again)
                refresh();
        });
    });
}

void ServerWorker::start(QObject* owner, const TargetUri& uri, const Settings& knobs, Done<ServerInstance> done)
{
    onThread([this, home = m_home, owner = QPointer(owner), uri, knobs, done = std::move(done)] {
        finish<ServerInstance>(owner, done, home->instances().start(uri, knobs));
    });
}

void ServerWorker::stop(QObject* owner, const std::string& name, Done<void> done)
{
    onThread([this, home = m_home, owner = QPointer(owner), name, done = std::move(done)] {
        finish<void>(owner, done, home->instances().stop(name));
    });
}

void ServerWorker::remove(QObject* owner, const std::string& name, Done<void> done)
{
    onThread([this, home = m_home, owner = QPointer(owner), name, done = std::move(done)] {
        finish<void>(owner, done, home->instances().remove(name));
    });
}

void ServerWorker::setPrice(QObject* owner, const std::string& name, const Price& price, Done<void> done)
{
    onThread([this, home = m_home, owner = QPointer(owner), name, price, done = std::move(done)] {
        finish<void>(owner, done, home->instances().setPrice(name, price));
    });
}

void ServerWorker::view(QObject* owner, const std::string& name, Done<InstanceView> done)
{
    onThread([this, home = m_home, owner = QPointer(owner), name, done = std::move(done)] {
        const ManagedInstances& instances = home->instances();
        InstanceView view{instances.dataParts(name), QString::fromStdString(instances.logTail(name, kLogLines))};
        finish<InstanceView>(owner, done, std::move(view));
    });
}

void ServerWorker::saveRemote(QObject* owner, const RemoteServer& server, Done<void> done)
{
    onThread([this, owner = QPointer(owner), server, file = remotesFile(), done = std::move(done)] {
        finish<void>(owner, done, saveRemoteServer(server, file));
    });
}

void ServerWorker::forgetRemote(QObject* owner, const std::string& uri, Done<void> done)
{
    onThread([this, owner = QPointer(owner), uri, file = remotesFile(), done = std::move(done)] {
        finish<void>(owner, done, forgetRemoteServer(uri, file));
    });
}

void ServerWorker::productionOf(QObject* owner, const Plan& plan, Done<std::vector<RemoteServer>> done)
{
    inPool([this, owner = QPointer(owner), plan, file = remotesFile(), done = std::move(done)] {
        std::vector<RemoteServer> servers;
        for (const RemoteServer& server : remoteServers(file).servers) {
            if (server.production && usesServer(plan, server))
                servers.push_back(server);
        }
        finish<std::vector<RemoteServer>>(owner, done, std::move(servers));
    });
}

void ServerWorker::look(QObject* owner, const Plan& plan, const QString& password, const Consent& consent,
                        Done<std::vector<PreflightReport>> done)
{
    m_lookStops = std::make_shared<std::atomic<bool>>(false);
    inPool([this, owner = QPointer(owner), plan, password, consent, stops = m_lookStops, done = std::move(done)] {
        RunnerOptions options;
        options.consent = consent;
        options.password = password.toStdString();
        options.stopped = [stops] { return stops->load(); };
        std::vector<PreflightReport> found = lookBeforeStart(plan, options);
        std::ranges::move(lookAtKeptData(plan, options), std::back_inserter(found));
        if (!stops->load())
            return finish<std::vector<PreflightReport>>(owner, done, std::move(found));
        Error error{ErrorKind::Interrupted, "stopped before the start: nothing was run", {}, {}};
        for (const PreflightReport& report : found) {
            for (const PreflightItem& item : report.items) {
                if (item.id == "server")
                    error.message += "; " + report.target + ": " + item.what;
            }
        }
        finish<std::vector<PreflightReport>>(owner, done, fail(std::move(error)));
    });
}

void ServerWorker::stopLook()
{
    if (m_lookStops)
        *m_lookStops = true;
}

void ServerWorker::inspect(QObject* owner, const TargetUri& target, Done<ServerFacts> done)
{
    inPool([this, owner = QPointer(owner), target, done = std::move(done)] {
        finish<ServerFacts>(owner, done, inspectTarget(target));
    });
}

void ServerWorker::variables(QObject* owner, const TargetUri& target, Done<VariableRows> done)
{
    inPool([this, owner = QPointer(owner), target, done = std::move(done)] {
        auto states = serverVariables(target);
        finish<VariableRows>(owner, done,
                             states ? Expected<VariableRows>(describeVariables(std::move(*states), target.driver))
                                    : Expected<VariableRows>(fail(states.error())));
    });
}

void ServerWorker::restore(QObject* owner, const std::string& target, const std::string& password, bool overwrite,
                           Done<std::vector<RestoredKnob>> done)
{
    inPool([this, owner = QPointer(owner), target, password, overwrite, library = m_library, done = std::move(done)] {
        finish<std::vector<RestoredKnob>>(owner, done, restoreLeftChanges(library, target, password, overwrite));
    });
}

void ServerWorker::leaveAsIs(QObject* owner, const std::string& target, Done<void> done)
{
    inPool([this, owner = QPointer(owner), target, library = m_library, done = std::move(done)] {
        finish<void>(owner, done, forgetLeftChanges(library, target));
    });
}

void ServerWorker::freeSpace(QObject* owner, Done<LeftSpace> done)
{
    inPool([this, owner = QPointer(owner), work = m_workDir, done = std::move(done)] {
        finish<LeftSpace>(owner, done, removeLeftSpace(work));
    });
}

void ServerWorker::handleLeftovers()
{
    if (m_fixed)
        return;
    inPool([this, library = m_library, file = remotesFile()] {
        auto report = std::make_shared<LeftoverReport>();
        const auto left = readLeft(library);
        if (!left)
            report->problem = left.error();
        ServerList known;
        known.remotes = remoteServers(file);
        std::set<std::string> production;
        for (const LeftChange& change : left ? *left : std::vector<LeftChange>()) {
            const RemoteServer* server = known.remote(change.target);
            if (change.ownerAlive || !server || !server->production)
                continue;
            report->production.push_back(change);
            production.insert(change.target);
        }
        UnaskedRestore what;
        what.others = true;
        auto restored = left ? restoreUnasked(library, what) : Expected<std::vector<RestoredKnob>>();
        if (!restored)
            report->problem = restored.error();
        else
            std::copy_if(restored->begin(), restored->end(), std::back_inserter(report->knobs),
                         [&](const RestoredKnob& knob) { return !production.contains(knob.target); });
        deliver([this, report] { emit leftoversHandled(*report); });
    });
}

std::optional<TargetUri> instanceTarget(const ServerInstance& instance)
{
    if (instance.state != InstanceState::Running || instance.socket.empty())
        return std::nullopt;
    return socketTarget(instance.product, instance.socket);
}

} // namespace dyno
