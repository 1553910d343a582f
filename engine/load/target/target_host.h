// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One target of a session, ready for point after point: starts and configures what Dynobench owns, changes and
//! restores what it does not.
#pragma once

#include "driver/control_calls.h"
#include "load/data/dataset.h"
#include "load/run_controller.h"
#include "load/target/kept_server.h"
#include "server/host/host_knobs.h"
#include "server/lifecycle/managed_server.h"
#include "server/remote/remote_knobs.h"

#include <dyno/runner.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dyno {

//! Where managed servers and private files lie.
[[nodiscard]] std::filesystem::path workDirOf(const RunnerOptions& options);

//! Everything a run needs from its target.
struct ReadyTarget
{
    Driver* driver = nullptr;
    std::shared_ptr<const WorkloadInstance> workload;
    ConnectTargetPtr connect; //!< with the workload's statements
    ServerFacts facts;
    Settings effective; //!< knobs with the values in force
    std::uint64_t dataBytes = 0;
    bool loaded = false;    //!< the data by this host, for this point or an earlier one
    std::string optionFile; //!< of a managed server, its text
    int serverProcess = 0;  //!< id of a managed server's process, 0 for others
    //! Of a managed server: ManagedServer::endedBy(). Control thread; valid until the host is prepared again or goes.
    std::function<std::string(std::chrono::milliseconds)> endedBy = {};
    std::vector<EarlyEvent> events; //!< what was done to get there
};

class PrivateSqlite;

//! Control thread only.
class TargetHost
{
public:
    //! Writes down the old value of a setting of `target` (a remote server, this machine) before it is changed.
    using RecordChange = std::function<Expected<void>(const std::string& target, const KnobChange& change)>;
    //! Told that the changes of `target` are put back, but for those named in `except`.
    using RecordRestored = std::function<void(const std::string& target, const std::vector<std::string>& except)>;

    //! `stopped`: somebody wants the session to end; may be empty.
    TargetHost(TargetUri uri, const RunnerOptions& options, RecordChange recordChange,
               std::function<bool()> stopped = {});
    ~TargetHost(); //!< removes the private SQLite file, stops the managed server; call restore() first

    //! Brings the target to the point's knobs and data. The first error wins; what was done so far stays restorable.
    [[nodiscard]] Expected<ReadyTarget> prepare(const PointSpec& point, const LoadProgressCallback& progress);
    //! What prepare() does, or did when it failed: "while starting the server".
    [[nodiscard]] const std::string& doing() const { return m_doing; }
    //! What a prepare() that failed had done until then.
    [[nodiscard]] std::vector<EarlyEvent> takeEvents() { return std::exchange(m_events, {}); }
    //! What the last prepared run left behind; what the target does not tell any more is left out.
    [[nodiscard]] RunAftermath aftermath(const PointSpec& point);
    //! The workload's conditions, asked of the data that lie there; none: the workload states none. See checkDataset().
    [[nodiscard]] Expected<std::vector<ConditionResult>> checkData(const PointSpec& point,
                                                                   const std::function<bool()>& goOn);
    //! Puts the settings of a remote server and of this machine back; the first problem, but all are tried.
    [[nodiscard]] Expected<void> restore(const RecordRestored& recordRestored);
    //! Stops a managed server whose data is kept; the error says that it had to be killed. The destructor does it
    //! without a word.
    [[nodiscard]] Expected<void> end();
    //! Drops the tables of a workload.
    [[nodiscard]] Expected<void> dropTables(const PointSpec& point);
    //! The server waits for disk space, and would let whatever else it is asked to write wait too, dropping tables
    //! included.
    [[nodiscard]] bool stuck() const { return m_stuck; }

private:
    struct Opened
    {
        std::shared_ptr<const WorkloadInstance> workload;
        std::unique_ptr<Admin> admin;
    };
    //! The point's target as it is, without loading or changing it.
    [[nodiscard]] Expected<Opened> openFor(const PointSpec& point);
    [[nodiscard]] Expected<void> find();
    [[nodiscard]] Expected<void> reach(const PointSpec& point);
    [[nodiscard]] Expected<void> startServer(const PointSpec& point);
    [[nodiscard]] Expected<void> begin(const PointSpec& point, const std::string& wanted);
    [[nodiscard]] Expected<void> copyFileAside();
    [[nodiscard]] Expected<void> keepCopy(const PointSpec& point, ConnectTarget& target, std::unique_ptr<Admin>& admin,
                                          const std::string& wanted);
    [[nodiscard]] Expected<void> mayRestore() const;
    [[nodiscard]] Expected<ConnectTarget> connectTargetFor(const PointSpec& point);
    //! A connection of the control plane that ends early when somebody wants to stop.
    [[nodiscard]] Expected<std::unique_ptr<Admin>> control(const ConnectTarget& target,
                                                           StopPatience patience = {}) const;
    [[nodiscard]] Expected<std::unique_ptr<Admin>> openAdmin(const PointSpec& point, ConnectTarget& target);
    [[nodiscard]] Expected<void> recreateFileIfNeeded(const PointSpec& point, const ConnectTarget& target, bool anew,
                                                      std::unique_ptr<Admin>& admin);
    [[nodiscard]] bool loadsAnew(const PointSpec& point, const WorkloadInstance& workload,
                                 const std::string& data) const;
    [[nodiscard]] Expected<void> ensureData(const PointSpec& point, const ConnectTarget& target, Admin& admin,
                                            const WorkloadInstance& workload, const LoadProgressCallback& progress);
    [[nodiscard]] KnobGuard::Announce announcer(std::string target);
    [[nodiscard]] Expected<Settings> applyRemote(const PointSpec& point, const ConnectTarget& target,
                                                 std::unique_ptr<Admin>& admin);
    [[nodiscard]] Expected<void> restoreRemote(const RecordRestored& recordRestored);
    [[nodiscard]] Expected<void> applyHost(const PointSpec& point);
    [[nodiscard]] Expected<void> checkTableKnobs(const PointSpec& point, Admin& admin) const;
    [[nodiscard]] Settings inForce(const Settings& knobs, const ServerFacts& facts) const;
    //! Before a kept server is started with other settings than it was: refuses where others have tables on it and
    //! nobody agreed. Then it runs as it was last started.
    [[nodiscard]] Expected<void> mayChangeKept(const PointSpec& point);
    //! Refuses to change anything where others have their data and nobody agreed (load/data/others_data.h).
    [[nodiscard]] Expected<void> mayWrite(const PointSpec& point, const WorkloadInstance& workload, Admin& admin,
                                          const std::string& wanted);
    void note(EventKind kind, std::string text);
    void noteSince(std::int64_t startNs, EventKind kind, std::string text);

    TargetUri m_uri;       //!< as the plan has it
    TargetUri m_reachable; //!< what the driver connects to
    RunnerOptions m_options;
    Driver* m_driver = nullptr;
    RecordChange m_recordChange;
    std::function<bool()> m_stoppedByUser;
    std::string m_recordedAs;              //!< a remote server's URI in them, with the plan's TLS
    std::set<std::string> m_recorded;      //!< targets of which changes are written down as not put back
    std::unique_ptr<RemoteKnobs> m_remote; //!< of a remote target
    HostKnobs m_machine;
    KnobGuard m_machineGuard;
    std::unique_ptr<ManagedServer> m_server;
    std::filesystem::path m_file;             //!< SQLite file of an embedded target
    bool m_ours = false;                      //!< data may be replaced without asking
    std::unique_ptr<PrivateSqlite> m_private; //!< that m_file is, when it is of this session alone; removes it
    std::string m_dataset;                    //!< fingerprint of the data that is known to be there
    std::set<std::string> m_mayWrite;         //!< uses of data that mayWrite() had nothing against
    bool m_loadedHere = false;                //!< that data was loaded by this object
    std::filesystem::path m_copy;             //!< of m_file as it was loaded; empty until there is one
    std::string m_copyOf;                     //!< fingerprint of the data that a copy is kept of, "" = none
    bool m_stuck = false;
    bool m_asLoaded = false;         //!< no run has touched the data since it was loaded or put back
    bool m_stopped = false;          //!< the managed server was stopped by us
    std::optional<KeptKnobs> m_kept; //!< settings of a kept server before the session
    bool m_keptLooked = false;       //!< m_keptOthers says what there is to know
    std::optional<std::vector<std::string>> m_keptOthers; //!< tables of others on a kept server
    int m_dataFolder = 0;                                 //!< number of the managed server's data folder
    std::uint64_t m_logMark = 0; //!< size of the managed server's log when the run's preparation began
    std::optional<std::vector<CaseRef>> m_lastPoint;
    std::vector<EarlyEvent> m_events;
    std::string m_doing;
};

} // namespace dyno
