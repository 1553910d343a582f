// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A server that Dynobench starts for a session, in a folder of its own; one with a name keeps its data.
#pragma once

#include "load/target/kept_server.h"
#include "load/target/target_base.h"
#include "server/lifecycle/managed_server.h"

namespace dyno {

//! See Target.
class ManagedTarget final : public TargetBase
{
public:
    explicit ManagedTarget(TargetSetup setup)
        : TargetBase(std::move(setup))
    {
    }

    Expected<void> end() override;
    std::optional<Error> refusal() const override { return {}; }
    Expected<void> isThere() const override;
    PointSpec forData(PointSpec point) const override;
    Expected<PreflightReport> preflight(TargetNeeds& needs) override;
    bool toldBeforeStart(const PreflightItem& item, bool first) const override;

protected:
    Expected<void> find() override;
    std::filesystem::path folderFound() const override;
    Expected<void> complete(Settings& connection) const override;
    const char* beginning() override;
    Expected<void> mayRestore() const override { return {}; }
    Expected<void> putBack() override;
    Expected<void> stopForRestart() override;
    Expected<void> shapeLink(const LinkShape& shape) override { return m_server->shapeLink(shape); }
    Expected<void> reach(const PointSpec& point) override;
    Expected<std::unique_ptr<Admin>> openAdmin(const PointSpec& point, ConnectTarget& target) override;
    bool keepsCopies() const override { return true; }
    Expected<std::string> keepCopy() override;
    void describe(ReadyTarget& ready) override;
    void describe(RunAftermath& after, std::uint64_t dataBytes) override;
    bool tellsOffPage() const override { return true; }
    void tellOffPage(RunAftermath& after, const std::vector<std::string>& tables) override;

private:
    //! Before a kept server is started with other settings than it was: refuses where others have tables on it and
    //! nobody agreed. Then it runs as it was last started.
    [[nodiscard]] Expected<void> mayChangeKept(const PointSpec& point);

    std::unique_ptr<ManagedServer> m_server;              //!< from find() on
    bool m_stopped = false;                               //!< it was stopped by us
    int m_dataFolder = 0;                                 //!< number of its data folder
    std::uint64_t m_logMark = 0;                          //!< size of its log when the run's preparation began
    std::optional<KeptKnobs> m_kept;                      //!< settings of a kept server before the session
    bool m_keptLooked = false;                            //!< m_keptOthers says what there is to know
    std::optional<std::vector<std::string>> m_keptOthers; //!< tables of others on a kept server
};

} // namespace dyno
