// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One command on another machine, over this person's own ssh, that answers a line for a line.
#pragma once

#include "server/host/ssh_destination.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace dyno {

//! Which ssh is called. No plan can say so: it is the system's, or what this person's environment names.
struct SshProgram
{
    std::string program; //!< "" = "ssh" of the path
    std::string config;  //!< file with its configuration, "" = its own files

    //! DYNO_SSH and DYNO_SSH_CONFIG.
    [[nodiscard]] static SshProgram ofEnvironment();
};

//! ssh never asks anybody anything: with no key, no agent or no known host key there is no connection. Its own
//! configuration counts, but for forwardings and commands. It ends when the link does, also when this process dies:
//! its input ends then. Any thread, one at a time by a lock.
class SshLink
{
public:
    static constexpr std::size_t kMostBytes = std::size_t(1) << 20; //!< of an answer
    struct Answer
    {
        std::string greeting; //!< of this connection: the first thing that the command said
        std::string text;
    };

    //! `script`: for /bin/sh, without single quotes; ends what it says with a line `mark`.
    SshLink(SshDestination to, std::string script, std::string mark, SshProgram program = SshProgram::ofEnvironment());
    ~SshLink();
    SshLink(const SshLink&) = delete;
    SshLink& operator=(const SshLink&) = delete;

    //! One answer, over the open connection or a new one; `patience` includes connecting. After a failure it waits
    //! before it connects again, each time longer, and until then gives the same error at once. `enough`, asked while
    //! it waits, ends it soon. What does not answer in time is disconnected; one that only connects goes on for some
    //! seconds, for the next call. `sent`: it is connected, and the question is on its way.
    [[nodiscard]] Expected<Answer> ask(std::chrono::milliseconds patience, const std::function<bool()>& enough,
                                       const std::function<void()>& sent = {});
    //! What it answers is of no use: disconnects, and waits as after a failure.
    void refuse(const Error& why);
    void close();
    [[nodiscard]] const SshDestination& to() const { return m_to; }
    [[nodiscard]] pid_t process() const; //!< of ssh; 0 = none runs
    //! CPU time of ssh up to the last answer, without a proxy that it started and that still runs. Waits for nobody.
    [[nodiscard]] std::int64_t cpuNs() const { return m_cpuNs; }

private:
    [[nodiscard]] std::string byHand() const;
    using Time = std::chrono::steady_clock::time_point;
    [[nodiscard]] std::vector<std::string> command() const;
    [[nodiscard]] std::optional<Error> begin();
    [[nodiscard]] Expected<void> connect(Time until, const std::function<bool()>& enough);
    [[nodiscard]] Expected<Answer> askConnected(Time until, const std::function<bool()>& enough,
                                                const std::function<void()>& sent);
    //! Up to the mark.
    [[nodiscard]] Expected<std::string> readAnswer(Time until, const std::function<bool()>& enough);
    void readErrors();
    [[nodiscard]] Error whyEnded();
    [[nodiscard]] tl::unexpected<Error> failed(Error error);
    void end();

    SshDestination m_to;
    std::string m_script, m_mark;
    SshProgram m_program;
    mutable std::mutex m_mutex; //!< for all below
    pid_t m_process = 0;
    int m_socket = -1, m_errorsFd = -1; //!< its input and output; its errors
    std::string m_read, m_errors, m_greeting;
    std::optional<Error> m_problem; //!< of the last try
    Time m_again{};                 //!< not before this is it tried again
    std::chrono::milliseconds m_pause{0};
    Time m_connectUntil{};
    bool m_late = false;           //!< the last answer was not there in time
    bool m_answered = false;       //!< and nobody has said yet that it is of no use
    bool m_older = false;          //!< it is older than 8.7 and lacks some options
    std::int64_t m_endedCpuNs = 0; //!< of those that ended
    std::atomic<std::int64_t> m_cpuNs = 0;
};

} // namespace dyno
