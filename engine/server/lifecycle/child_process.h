// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Child processes that cannot outlive us: the kernel kills them when the thread that started them ends. Only commands
//! that must come to their end whatever becomes of us are let go.
#pragma once

#include <dyno/error.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <optional>
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
    AllButOurs, //!< for a command that the user has typed: all but our passwords and token
};

//! An account of the system without rights over others.
struct SystemUser
{
    uid_t id = 0;
    gid_t group = 0;
    std::string name;
};
//! For programs that refuse to run as root: the account `preferred` where the system has it, else "nobody". Nothing
//! when we are not root, or there is neither.
[[nodiscard]] std::optional<SystemUser> userInsteadOfRoot(const char* preferred);
//! Makes `user` the owner of `folder` and of all that is in it, links themselves and not what they lead to; without one
//! everything stays ours. Nobody else may then look into the folder.
[[nodiscard]] Expected<void> giveFolder(const std::filesystem::path& folder, const std::optional<SystemUser>& user);

//! How a program runs and ends, where that is not as usual.
struct ProcessManners
{
    std::optional<SystemUser> user = {}; //!< runs under this account; nothing else about it is this account's
    std::filesystem::path network = {};  //!< file that stands for the network namespace it runs in; "" = ours
    int stopSignal = SIGTERM;            //!< asks it to end orderly
    //! Ends it at once, when we die too. Another one than SIGKILL is given some seconds: for programs that leave
    //! something behind in the system when they are killed.
    int endSignal = SIGKILL;
};

//! Under this name a child has the folder that ChildProcess::handOver() gave it, and so have its own children: they get
//! into it although they may not go through the folders above it.
inline constexpr const char* kHandedFolder = "/proc/self/fd/4";

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
    //! The folder that later commands find under kHandedFolder, "" = none.
    void handOver(std::filesystem::path folder) { m_handedFolder = std::move(folder); }
    void setManners(ProcessManners manners) { m_manners = std::move(manners); }
    //! `command[0]` is a path. Output and errors are appended to `log`. `environment` ("NAME=VALUE") is added.
    //! Errors of exec itself are reported here.
    Expected<void> start(const std::vector<std::string>& command, const std::filesystem::path& log,
                         const std::vector<std::string>& environment = {}, Bond bond = Bond::DiesWithUs,
                         Inherit inherit = Inherit::Needed);
    [[nodiscard]] bool running(); //!< collects the child when it has ended
    //! Waits for its end; false when `patience` is over first.
    bool waitForEnd(std::chrono::milliseconds patience);
    void terminate(); //!< ProcessManners::stopSignal, for a stopped (SIGSTOP) child too
    //! ProcessManners::endSignal, and waits; of a child that dies with us, what it has started itself is killed too.
    void kill();
    [[nodiscard]] pid_t pid() const { return m_pid; }
    //! "exit code 1", "signal 9"; of the last child that ended.
    [[nodiscard]] std::string endText() const;
    [[nodiscard]] std::string howItEnded() const; //!< the same in words: "exited with code 1", "killed by signal 9"
    [[nodiscard]] bool succeeded() const { return m_status == 0; }

private:
    void signal(int number) const; //!< to its group, where it has one
    std::filesystem::path m_workFolder;
    std::filesystem::path m_handedFolder;
    ProcessManners m_manners;
    pid_t m_pid = -1;
    Bond m_bond = Bond::DiesWithUs;
    int m_status = 0; //!< as waitpid gives it
};

//! Runs a command to its end and returns its output. The error holds the end of the output. `stopped`: whether somebody
//! wants to stop, asked while the command runs; then it is killed, and the error is Interrupted. `handed`: the
//! folder under kHandedFolder; with one it works in "/".
[[nodiscard]] Expected<std::string> runCommand(const std::vector<std::string>& command, std::chrono::seconds patience,
                                               const std::vector<std::string>& environment = {},
                                               Bond bond = Bond::DiesWithUs, Inherit inherit = Inherit::Needed,
                                               const std::function<bool()>& stopped = {},
                                               const std::filesystem::path& handed = {},
                                               const ProcessManners& manners = {});

//! The last `lines` lines of a file; "" when it cannot be read.
[[nodiscard]] std::string tailOf(const std::filesystem::path& file, int lines);

} // namespace dyno
