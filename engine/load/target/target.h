// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One target of a session, whichever its kind: an embedded engine (embedded_target.h), a server that Dynobench starts
//! (managed_target.h), a server of somebody else (remote_target.h). The session runner, the data jobs and the
//! pre-flight know no more than this.
#pragma once

#include "driver/driver.h"
#include "load/data/dataset.h"
#include "load/run_controller.h"
#include "server/knobs/knob_guard.h"

#include <dyno/runner.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dyno {

struct PreflightItem;
struct TargetNeeds;

//! Where managed servers and private files lie.
[[nodiscard]] std::filesystem::path workDirOf(const RunnerOptions& options);

//! Everything a run needs from its target.
struct ReadyTarget
{
    Driver* driver = nullptr;
    std::shared_ptr<const WorkloadInstance> workload;
    ConnectTargetPtr connect; //!< with the workload's statements
    ConnectTargetPtr users;   //!< the same by the point's path: where the users connect
    //! Of a mixed load: the groups that take part, with their statements. Their operations are operationsOf() the
    //! point.
    std::vector<RunGroup> groups;
    ServerFacts facts;
    Settings effective; //!< knobs with the values in force
    std::uint64_t dataBytes = 0;
    bool loaded = false;    //!< the data by this object, for this point or an earlier one
    std::string optionFile; //!< of a managed server, its text; then that of a proxy's configuration
    //! Those that were started for the users: a managed server, a proxy. Valid until the target is prepared again or
    //! goes.
    std::vector<ServingProcess> processes = {};
    std::string linkDevice = {};    //!< of a network link to a managed server: the users' end; "" without one
    std::vector<EarlyEvent> events; //!< what was done to get there
};

//! Ready for point after point: starts and configures what Dynobench owns, changes and restores what it does not. A new
//! one touches nothing. Control thread only. Call restore() and end() before it goes.
class Target
{
public:
    //! Writes down the old value of a setting of `target` (a remote server, this machine) before it is changed.
    using RecordChange = std::function<Expected<void>(const std::string& target, const KnobChange& change)>;
    //! Told that the changes of `target` are put back, but for those named in `except`.
    using RecordRestored = std::function<void(const std::string& target, const std::vector<std::string>& except)>;

    //! Removes what was this session's alone: the private file, the managed server.
    virtual ~Target() = default;

    //! Brings the target to the point's knobs and data. The first error wins; what was done so far stays restorable.
    [[nodiscard]] virtual Expected<ReadyTarget> prepare(const PointSpec& point,
                                                        const LoadProgressCallback& progress) = 0;
    //! What prepare() does, or did when it failed: "while starting the server".
    [[nodiscard]] virtual const std::string& doing() const = 0;
    //! What a prepare() that failed had done until then.
    [[nodiscard]] virtual std::vector<EarlyEvent> takeEvents() = 0;
    //! What the last prepare() sent again while it loaded: statements and transactions that the server had ended for a
    //! lock, by its error. None when it loaded nothing.
    [[nodiscard]] virtual std::optional<std::map<std::int32_t, std::uint64_t>> loadRetries() const = 0;
    //! How long the last prepare() made indexes after the rows, in seconds. None when it made none, or loaded but some
    //! of the tables.
    [[nodiscard]] virtual std::optional<double> indexSeconds() const = 0;
    //! What the last prepared run left behind; what the target does not tell any more is left out.
    [[nodiscard]] virtual RunAftermath aftermath(const PointSpec& point) = 0;
    //! The workload's conditions, asked of the data that lie there; none: the workload states none. See checkDataset().
    [[nodiscard]] virtual Expected<std::vector<ConditionResult>> checkData(const PointSpec& point,
                                                                           const std::function<bool()>& goOn) = 0;
    //! Puts the settings of a remote server and of this machine back; the first problem, but all are tried.
    [[nodiscard]] virtual Expected<void> restore(const RecordRestored& recordRestored) = 0;
    //! Another target is prepared, which may be the same server: what is on for this one's runs alone goes back. What
    //! there is to tell of it, also that it could not be done.
    [[nodiscard]] virtual std::vector<EarlyEvent> rest() = 0;
    //! Stops a managed server whose data is kept; the error says that it had to be killed. The destructor does it
    //! without a word.
    [[nodiscard]] virtual Expected<void> end() = 0;
    //! Drops the tables of a workload.
    [[nodiscard]] virtual Expected<void> dropTables(const PointSpec& point) = 0;
    //! The server waits for disk space, and would let whatever else it is asked to write wait too, dropping tables
    //! included.
    [[nodiscard]] virtual bool stuck() const = 0;

    //! Settings that are changed there outlive this program: what an earlier one left goes back before a session.
    [[nodiscard]] virtual bool outlivesUs() const = 0;
    //! Why a session must not load or change it; nothing when it may. Reads servers.toml.
    [[nodiscard]] virtual std::optional<Error> refusal() const = 0;
    //! An error when it cannot be asked anything now without being made or started for that.
    [[nodiscard]] virtual Expected<void> isThere() const = 0;
    //! The point for work on its data alone: without the settings that only a session puts back.
    [[nodiscard]] virtual PointSpec forData(PointSpec point) const = 0;

    //! The folder of this machine in which its data lies or will lie; "" where there is none: in memory, or a server of
    //! somebody else. Makes it where it is ours and not there.
    [[nodiscard]] virtual Expected<std::filesystem::path> dataFolder() = 0;

    //! What stands in the way of a plan; see dyno/preflight.h. Changes nothing. An error: it cannot be reached at all.
    [[nodiscard]] virtual Expected<PreflightReport> preflight(TargetNeeds& needs) = 0;
    //! Whether such an item is told before a start too, not by `dyno check` alone. `first`: the first run is here.
    [[nodiscard]] virtual bool toldBeforeStart(const PreflightItem& item, bool first) const = 0;
};

//! What a target is made of.
struct TargetSetup
{
    TargetUri uri; //!< with its password
    RunnerOptions options;
    Target::RecordChange recordChange = {};
    std::function<bool()> stopped = {}; //!< somebody wants the session to end
};

//! Of the kind that the URI says; here alone the kinds are told apart.
[[nodiscard]] std::unique_ptr<Target> makeTarget(TargetSetup setup);

} // namespace dyno
