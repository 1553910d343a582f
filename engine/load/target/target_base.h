// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What all kinds of targets share: the steps of a preparation in their order, the data, the settings of this machine.
#pragma once

#include "driver/control_calls.h"
#include "load/target/instrument_switch.h"
#include "load/target/target.h"
#include "load/target/target_data.h"
#include "load/target/user_path.h"
#include "server/host/host_knobs.h"

#include <optional>
#include <set>
#include <utility>

namespace dyno {

//! A target without what its kind decides: each of the protected functions is one step that a kind may have.
class TargetBase : public Target
{
public:
    Expected<ReadyTarget> prepare(const PointSpec& point, const LoadProgressCallback& progress) final;
    const std::string& doing() const final { return m_doing; }
    std::vector<EarlyEvent> takeEvents() final { return std::exchange(m_events, {}); }
    RunAftermath aftermath(const PointSpec& point) final;
    Expected<std::vector<ConditionResult>> checkData(const PointSpec& point, const std::function<bool()>& goOn) final;
    Expected<void> restore(const RecordRestored& recordRestored) final;
    std::vector<EarlyEvent> rest() final;
    Expected<void> end() override { return {}; }
    Expected<void> dropTables(const PointSpec& point) final;
    bool stuck() const final { return m_data.stuck(); }
    std::optional<std::map<std::int32_t, std::uint64_t>> loadRetries() const final { return m_data.loadRetries(); }
    std::optional<double> indexSeconds() const final { return m_data.indexSeconds(); }

    Expected<std::filesystem::path> dataFolder() final;
    bool outlivesUs() const override { return false; }
    PointSpec forData(PointSpec point) const override;

protected:
    explicit TargetBase(TargetSetup setup);

    //! The file or the server, without starting anything; again where it is known already.
    [[nodiscard]] virtual Expected<void> find() { return {}; }
    //! See dataFolder(); after find().
    [[nodiscard]] virtual std::filesystem::path folderFound() const { return {}; }
    //! Before anything else of this machine is touched.
    [[nodiscard]] virtual Expected<void> mayChangeMachine(const PointSpec& /*point*/) const { return {}; }
    //! Connection knobs that the target settles where the plan says nothing.
    [[nodiscard]] virtual Expected<void> complete(Settings& /*connection*/) const { return {}; }
    //! A run's own preparation begins; says what its first step is about.
    [[nodiscard]] virtual const char* beginning() { return "while putting the data back"; }
    //! Only what a session made may be replaced by a copy.
    [[nodiscard]] virtual Expected<void> mayRestore() const = 0;
    [[nodiscard]] virtual Expected<void> putBack() { return {}; }
    //! The restart that the plan asks for: reach() starts it again.
    [[nodiscard]] virtual Expected<void> stopForRestart() { return {}; }
    //! Limits the network link that users come by; {} takes the limits off. Error of targets without one.
    [[nodiscard]] virtual Expected<void> shapeLink(const LinkShape& shape);
    //! Starts what is to be started, with the point's settings.
    [[nodiscard]] virtual Expected<void> reach(const PointSpec& /*point*/) { return {}; }
    [[nodiscard]] virtual Expected<std::unique_ptr<Admin>> openAdmin(const PointSpec& point, ConnectTarget& target);
    //! Makes anew what cannot be changed while it is there.
    [[nodiscard]] virtual Expected<void> recreateIfNeeded(const DataWish& /*wish*/, std::unique_ptr<Admin>& /*admin*/)
    {
        return {};
    }
    [[nodiscard]] virtual Expected<void> mayWrite(const DataWish& wish, Admin& admin);
    //! Changes the server's settings; what they are then.
    [[nodiscard]] virtual Expected<Settings> applyKnobs(const PointSpec& /*point*/, const ConnectTarget& /*target*/,
                                                        std::unique_ptr<Admin>& /*admin*/)
    {
        return Settings();
    }
    [[nodiscard]] virtual bool keepsCopies() const { return false; }
    //! Copies the loaded data, for putBack(). What was done, for the run's events.
    [[nodiscard]] virtual Expected<std::string> keepCopy() { return std::string(); }
    virtual void describe(ReadyTarget& /*ready*/) {}
    //! `dataBytes`: of the point's tables as the server says, 0 = unknown.
    virtual void describe(RunAftermath& after, std::uint64_t dataBytes);
    //! What of these tables' values lies outside the rows; nothing where that cannot be told.
    [[nodiscard]] virtual bool tellsOffPage() const { return false; }
    virtual void tellOffPage(RunAftermath& /*after*/, const std::vector<std::string>& /*tables*/) {}
    //! Where changed instruments are written down; "": nowhere, since they end with the server.
    [[nodiscard]] virtual std::string instrumentsOwner() const { return {}; }
    [[nodiscard]] virtual Expected<void> restoreKnobs(const RecordRestored& /*recordRestored*/) { return {}; }

    //! find() with the driver, then reach().
    [[nodiscard]] Expected<void> findAndReach(const PointSpec& point);
    //! A connection of the control plane that ends early when somebody wants to stop.
    [[nodiscard]] Expected<std::unique_ptr<Admin>> control(const ConnectTarget& target,
                                                           StopPatience patience = {}) const;
    [[nodiscard]] KnobGuard::Announce announcer(std::string target);
    //! Whether changes of `target` are written down as not put back; forgets it.
    [[nodiscard]] bool takeRecorded(const std::string& target) { return m_recorded.erase(target) > 0; }
    [[nodiscard]] bool stoppedByUser() const { return m_stoppedByUser && m_stoppedByUser(); }
    void setDoing(std::string what) { m_doing = std::move(what); }
    void note(EventKind kind, std::string text);
    void noteSince(std::int64_t startNs, EventKind kind, std::string text);

    TargetUri m_uri;       //!< as the plan has it
    TargetUri m_reachable; //!< what the driver connects to
    RunnerOptions m_options;
    std::function<bool()> m_stoppedByUser;
    Driver* m_driver = nullptr; //!< not before find()
    TargetData m_data;
    InstrumentSwitch m_instruments;

private:
    struct Opened
    {
        std::shared_ptr<const WorkloadInstance> workload;
        std::unique_ptr<Admin> admin;
    };
    //! The point's target as it is, without loading or changing it.
    [[nodiscard]] Expected<Opened> openFor(const PointSpec& point);
    [[nodiscard]] Expected<void> findDriver();
    [[nodiscard]] Expected<void> begin(const PointSpec& point, const std::string& wanted);
    [[nodiscard]] Expected<void> keepCopyOf(const DataWish& wish, ConnectTarget& target, std::unique_ptr<Admin>& admin);
    [[nodiscard]] Expected<ConnectTarget> connectTargetFor(const PointSpec& point);
    [[nodiscard]] Expected<void> applyHost(const PointSpec& point);
    [[nodiscard]] Expected<void> checkTableKnobs(const PointSpec& point, Admin& admin) const;
    [[nodiscard]] Settings inForce(const Settings& knobs, const ServerFacts& facts) const;
    //! Brings up the point's path for the users, and tells of a proxy that was started for it.
    [[nodiscard]] Expected<UserPath::Way> bringUpPath(const DataWish& wish, ConnectTargetPtr direct,
                                                      const ServerFacts& facts);
    //! The same before data are loaded, which would be for nothing if it led nowhere.
    [[nodiscard]] Expected<void> tryPath(const DataWish& wish, Admin& admin);
    //! Where the users go; to be called when the target is ready by itself.
    [[nodiscard]] Expected<void> openPath(const DataWish& wish, ReadyTarget& ready);
    [[nodiscard]] Expected<void> switchInstruments(const DataWish& wish, Admin& admin, Settings& effective);
    [[nodiscard]] Expected<void> putInstrumentsBack(Admin& admin);
    //! The same before the server is touched, by the way that they were switched on.
    [[nodiscard]] Expected<void> putInstrumentsBack();
    [[nodiscard]] Expected<void> record(const std::string& target, const KnobChange& change);
    [[nodiscard]] Expected<void> quieten(const DataWish& wish, Admin& admin);
    [[nodiscard]] Expected<void> tellFacts(const PointSpec& point, const ConnectTarget& target, Admin& admin,
                                           ReadyTarget& ready);

    UserPath m_path;
    RecordChange m_recordChange;
    std::set<std::string> m_recorded; //!< targets of which changes are written down as not put back
    HostKnobs m_machine;
    KnobGuard m_machineGuard;
    std::optional<std::vector<CaseRef>> m_lastPoint;
    ConnectTargetPtr m_switchedBy; //!< how the server was reached when its instruments were switched on
    Settings m_switchedWith;       //!< the point's settings of the server then
    bool m_restFailed = false;     //!< since the last prepare(): it is not tried before each run of another target
    std::vector<EarlyEvent> m_events;
    std::string m_doing;
};

} // namespace dyno
