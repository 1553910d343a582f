// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Settings of the machine that a benchmark depends on: transparent huge pages, CPU governor, I/O scheduler of the
//! device that holds the data. Read always; written only when a plan says so and this process may.
#pragma once

#include "driver/driver.h"

#include <filesystem>
#include <string>
#include <vector>

namespace dyno {

//! An Admin of this machine, so that a KnobGuard changes and restores it like a server. Only variable() and
//! setVariable() mean something.
class HostKnobs final : public Admin
{
public:
    //! `data`: a file or folder on the device whose I/O scheduler is meant, "" = no scheduler. `root` takes the place
    //! of
    //! "/" for tests.
    explicit HostKnobs(std::filesystem::path data = {}, std::filesystem::path root = "/");

    //! Those that this machine has, by the catalogue's names: "transparent_hugepage" → "madvise". Several processors
    //! with different governors are one value, joined by commas.
    [[nodiscard]] Settings read() const;
    //! The name under which a change is written down: "io_scheduler" becomes "io_scheduler:sda", which means that
    //! device wherever the data are.
    [[nodiscard]] std::string fullName(std::string_view name) const;

    //! Whether this process may change it, without changing it; of several files the first that it may not write.
    [[nodiscard]] Expected<void> maySet(std::string_view name);

    Expected<std::string> variable(std::string_view name) override;
    Expected<void> setVariable(std::string_view name, const Value& value) override;
    Expected<void> execute(std::string_view command) override;
    Expected<TextRows> query(std::string_view command) override;
    Expected<std::vector<ColumnShape>> describe(std::string_view table) override;
    Expected<ServerFacts> facts() override;

private:
    //! Files below /sys that the knob is in: one, or one of each processor. Empty when this machine has none.
    [[nodiscard]] std::vector<std::filesystem::path> filesOf(std::string_view name) const;
    [[nodiscard]] std::filesystem::path schedulerFile() const;

    std::filesystem::path m_data, m_root;
};

//! Where changes of this machine are written down in a library: "host:NAME". Only that machine can put them back.
[[nodiscard]] std::string hostTarget();

} // namespace dyno
