// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Child processes that cannot outlive us: the kernel kills them when the thread that started them ends. Only commands
//! that must come to their end whatever becomes of us are let go.
#pragma once

#include <dyno/error.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace dyno {

enum class Bond {
    DiesWithUs, //!< in a process group of its own: the terminal's Ctrl-C reaches us alone
    OutlivesUs, //!< in a session of its own: neither our end nor the terminal's Ctrl-C ends it
};

//! Which of our environment variables a child gets.
enum class Inherit {
    Needed,     //!< PATH, HOME, the language, folders for temporary files and libraries; no secrets
    AllButOurs, //!< for a command that the user has typed: all but DYNO_PASSWORD
};

//! One running child. Its standard input is empty, its output goes to a file; no other file is inherited. The thread
//! that calls start() must live as long as the child.
class ChildProcess
{
public:
    ChildProcess() = default;
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;
    ~ChildProcess() { kill(); }

    //! Where later commands work, "" = where we do: relative names that such a program is given mean files there.
    //! Absolute.
    void workIn(std::filesystem::path folder) { m_workFolder = std::move(folder); }
    //! `command[0]` is a path. Output and errors are appended to `log`. `environment` ("NAME=VALUE") is added.
    //! Errors of exec itself are reported here.
    Expected<void> start(const std::vector<std::string>& command, const std::filesystem::path& log,
                         const std::vector<std::string>& environment = {}, Bond bond = Bond::DiesWithUs,
                         Inherit inherit = Inherit::Needed);
    [[nodiscard]] bool running(); //!< collects the child when it has ended
    //! Waits for its end; false when `patience` is over first.
    bool waitForEnd(std::chrono::milliseconds patience);
    void terminate(); //!< SIGTERM, for a stopped (SIGSTOP) child too
    void kill();      //!< SIGKILL, and waits; of a child that dies with us, what it has started itself is killed too
    [[nodiscard]] pid_t pid() const { return m_pid; }
    //! "exit code 1", "signal 9"; of the last child that ended.
    [[nodiscard]] std::string endText() const;
    [[nodiscard]] std::string howItEnded() const; //!< the same in words: "exited with code 1", "killed by signal 9"
    [[nodiscard]] bool succeeded() const { return m_status == 0; }

private:
    std::filesystem::path m_workFolder;
    pid_t m_pid = -1;
    Bond m_bond = Bond::DiesWithUs;
    int m_status = 0; //!< as waitpid gives it
};

//! Runs a command to its end and returns its output. The error holds the end of the output. `stopped`: whether somebody
//! wants to stop, asked while the command runs; then it is killed, and the error is Interrupted.
[[nodiscard]] Expected<std::string> runCommand(const std::vector<std::string>& command, std::chrono::seconds patience,
                                               const std::vector<std::string>& environment = {},
                                               Bond bond = Bond::DiesWithUs, Inherit inherit = Inherit::Needed,
                                               const std::function<bool()>& stopped = {});

//! The last `lines` lines of a file; "" when it cannot be read.
[[nodiscard]] std::string tailOf(const std::filesystem::path& file, int lines);

} // namespace dyno
