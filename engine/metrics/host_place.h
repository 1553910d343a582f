// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Where HostUsage finds the kernel's texts: in this machine's files, or in what another machine answered.
#pragma once

#include <dyno/error.h>

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! One thread at a time.
class HostPlace
{
public:
    virtual ~HostPlace() = default;
    //! Of a file below /proc or /sys; "" when there is none. Valid until the next call.
    [[nodiscard]] virtual std::string_view text(std::string_view file) = 0;
    [[nodiscard]] virtual bool hasDisk(const std::string& name) = 0;       //!< a whole one, no partition
    [[nodiscard]] virtual bool isDevice(const std::string& interface) = 0; //!< no bridge, bond or tunnel
    //! Names in a folder, sorted; none of another machine, whose answers have only what its script reads.
    [[nodiscard]] virtual std::vector<std::string> list(const std::string& folder) = 0;
    [[nodiscard]] virtual std::int64_t timeNs() = 0;   //!< when the texts were read, by its clock
    [[nodiscard]] virtual double ticksPerSecond() = 0; //!< of CPU times
};

//! This machine.
class LocalPlace final : public HostPlace
{
public:
    explicit LocalPlace(std::string root = "");
    std::string_view text(std::string_view file) override;
    bool hasDisk(const std::string& name) override;
    bool isDevice(const std::string& interface) override;
    std::vector<std::string> list(const std::string& folder) override;
    std::int64_t timeNs() override;
    double ticksPerSecond() override;

private:
    std::string m_root;
    std::vector<char> m_buffer;
};

//! A script of the POSIX shell for another machine: it greets with what stays, then answers each line of its input with
//! what HostUsage reads. Greeting and answers end with a line kHostEnd. Nothing of a plan is in it.
[[nodiscard]] const std::string& hostScript();
inline constexpr std::string_view kHostEnd = "dynobench-end";

//! What such a machine said. It is a stranger's: what is not of the form is an error or is skipped.
class AnsweredPlace final : public HostPlace
{
public:
    //! What stood before it, such as what a login shell writes, is skipped.
    [[nodiscard]] Expected<void> greet(std::string_view greeting);
    [[nodiscard]] Expected<void> answer(std::string_view answer);

    std::string_view text(std::string_view file) override;
    bool hasDisk(const std::string& name) override { return m_disks.contains(name); }
    bool isDevice(const std::string& interface) override { return m_devices.contains(interface); }
    std::vector<std::string> list(const std::string& /*folder*/) override { return {}; }
    std::int64_t timeNs() override { return m_timeNs; }
    double ticksPerSecond() override { return m_ticks; }

private:
    std::set<std::string, std::less<>> m_disks, m_devices;
    std::map<std::string, std::string, std::less<>> m_texts; //!< by file
    std::int64_t m_timeNs = 0;
    double m_ticks = 100;
};

} // namespace dyno
