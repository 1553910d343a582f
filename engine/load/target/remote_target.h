// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A server of somebody else: its settings are changed one by one, written down before, and put back.
#pragma once

#include "load/target/target_base.h"
#include "server/remote/remote_knobs.h"

namespace dyno {

//! See Target.
class RemoteTarget final : public TargetBase
{
public:
    explicit RemoteTarget(TargetSetup setup)
        : TargetBase(std::move(setup))
    {
    }

    bool outlivesUs() const override { return true; }
    std::optional<Error> refusal() const override; //!< a production server
    Expected<void> isThere() const override { return {}; }
    Expected<PreflightReport> preflight(TargetNeeds& needs) override;
    bool toldBeforeStart(const PreflightItem& item, bool first) const override;

protected:
    Expected<void> mayChangeMachine(const PointSpec& point) const override;
    Expected<void> mayRestore() const override;
    Expected<Settings> applyKnobs(const PointSpec& point, const ConnectTarget& target,
                                  std::unique_ptr<Admin>& admin) override;
    std::string instrumentsOwner() const override { return m_recordedAs; }
    Expected<void> restoreKnobs(const RecordRestored& recordRestored) override;

private:
    [[nodiscard]] std::vector<std::string> notRestored() const;

    std::unique_ptr<RemoteKnobs> m_knobs; //!< from the first applyKnobs() on
    std::string m_recordedAs;             //!< its URI where changes are written down, with the plan's TLS
};

} // namespace dyno
