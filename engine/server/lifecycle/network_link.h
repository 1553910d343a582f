// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A network between users and a managed server on one machine: the server runs in a network namespace of its own, at
//! the other end of a pair of virtual Ethernet devices, which the kernel's queues make as slow as a real link.
//! Source: ip-netns(8), veth(4), tc-tbf(8), tc-netem(8).
#pragma once

#include <dyno/path.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dyno {

//! Control thread only. Only root may make one; `ip` and `tc` (iproute2) do the work. Both ends have addresses of
//! 127.0.0.0/8, which no other machine reaches, so that what holds for 127.0.0.1 holds for them. Packets are those of a
//! real Ethernet, at most 1514 bytes: the processor cuts them (no TSO), so that their headers fill the link too.
class NetworkLink
{
public:
    //! Makes the namespace and both ends, without any limit. Removes those of processes that have ended without doing
    //! so. Errors say what is missing: rights, programs. `stopped`: somebody wants to stop.
    [[nodiscard]] static Expected<std::unique_ptr<NetworkLink>> make(const std::function<bool()>& stopped = {});
    //! Why make() would fail, as far as that can be told without making anything; nothing when it may work.
    [[nodiscard]] static std::optional<Error> missing();
    ~NetworkLink() { remove(); } //!< what runs in the namespace keeps it until it ends

    NetworkLink(const NetworkLink&) = delete;
    NetworkLink& operator=(const NetworkLink&) = delete;

    //! Both directions alike: the rate of each, half the delay of a round trip in each. Replaces what was told before;
    //! {} takes every limit off.
    [[nodiscard]] Expected<void> shape(const LinkShape& shape);
    [[nodiscard]] const std::string& usersDevice() const { return m_ourEnd; }          //!< their end, in /proc/net/dev
    [[nodiscard]] const std::string& usersAddress() const { return m_ourAddress; }     //!< where users come from
    [[nodiscard]] const std::string& serverAddress() const { return m_serverAddress; } //!< where the server listens
    [[nodiscard]] const std::filesystem::path& space() const { return m_space; } //!< file that stands for the namespace

private:
    NetworkLink() = default;
    [[nodiscard]] Expected<void> run(const std::vector<std::string>& command) const;
    [[nodiscard]] Expected<void> connectEnds() const;
    void remove();
    [[nodiscard]] static std::vector<std::string> rateQueue(double bitsPerSecond);
    [[nodiscard]] static Error refusal(const LinkShape& wanted, const std::string& said);

    std::function<bool()> m_stopped;
    std::string m_ip, m_tc;            //!< programs
    std::string m_name;                //!< of the namespace
    std::string m_ourEnd, m_serverEnd; //!< devices
    std::string m_ourAddress, m_serverAddress;
    std::filesystem::path m_space;
    bool m_hasSpace = false, m_hasEnds = false;
    std::optional<LinkShape> m_shape = LinkShape(); //!< in force; nothing when only one end may have it
};

} // namespace dyno
