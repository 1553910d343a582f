// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! An engine in this process: its file, where it has one.
#pragma once

#include "load/target/private_data.h"
#include "load/target/target_base.h"

namespace dyno {

//! See Target.
class EmbeddedTarget final : public TargetBase
{
public:
    explicit EmbeddedTarget(TargetSetup setup)
        : TargetBase(std::move(setup))
    {
    }
    ~EmbeddedTarget() override; //!< removes the private file and the copy

    std::optional<Error> refusal() const override; //!< a file that holds sessions
    Expected<void> isThere() const override;
    Expected<PreflightReport> preflight(TargetNeeds& needs) override;
    bool toldBeforeStart(const PreflightItem& item, bool first) const override;

protected:
    Expected<void> find() override;
    std::filesystem::path folderFound() const override;
    Expected<void> mayRestore() const override;
    Expected<void> putBack() override;
    void describe(ReadyTarget& ready) override;
    using TargetBase::describe;
    Expected<void> recreateIfNeeded(const DataWish& wish, std::unique_ptr<Admin>& admin) override;
    Expected<void> mayWrite(const DataWish& wish, Admin& admin) override;
    bool keepsCopies() const override { return !m_file.empty(); }
    Expected<std::string> keepCopy() override;

private:
    [[nodiscard]] Expected<void> recreate(const ConnectTarget& target, std::unique_ptr<Admin>& admin);

    //! m_file with all that belongs to it.
    void removeData() const;

    std::filesystem::path m_file;           //!< or folder; empty: this engine has none
    std::unique_ptr<PrivateData> m_private; //!< that m_file is, when it is of this session alone; removes it
    std::filesystem::path m_copy;           //!< of m_file as it was loaded; empty until there is one
    std::shared_ptr<void> m_open;           //!< keeps the database open from its preparation to the end of its run
};

} // namespace dyno
