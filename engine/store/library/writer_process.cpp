// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/library/writer_process.h"

#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>
#include <unistd.h>

namespace dyno {

namespace {

//! Field 22 of /proc/PID/stat; 0 when there is no such process or it is dead and only waits to be collected.
std::int64_t startOf(std::int64_t pid)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    if (!std::getline(file, line))
        return 0;
    // The name (field 2) may hold spaces and parentheses: go on after the last one.
    const std::size_t end = line.rfind(')');
    if (end == std::string::npos)
        return 0;
    std::istringstream fields(line.substr(end + 1));
    std::string state, skipped;
    fields >> state;
    if (state == "Z" || state == "X")
        return 0;
    for (int field = 4; field < 22; ++field)
        fields >> skipped;
    std::int64_t start = 0;
    fields >> start;
    return start;
}

std::string bootOf()
{
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string boot;
    std::getline(file, boot);
    std::error_code error;
    const auto space = std::filesystem::read_symlink("/proc/self/ns/pid", error);
    return boot + " " + (error ? std::string() : space.string());
}

std::mutex g_mutex;
std::set<std::string>& givenUp()
{
    static std::set<std::string> sessions;
    return sessions;
}

} // namespace

void giveUpRecording(const std::string& session)
{
    const std::lock_guard lock(g_mutex);
    givenUp().insert(session);
}

void takeUpRecording(const std::string& session)
{
    const std::lock_guard lock(g_mutex);
    givenUp().erase(session);
}

bool gaveUpRecording(const std::string& session)
{
    const std::lock_guard lock(g_mutex);
    return givenUp().contains(session);
}

WriterProcess WriterProcess::self()
{
    const auto pid = static_cast<std::int64_t>(::getpid());
    return {pid, startOf(pid), bootOf()};
}

bool WriterProcess::alive() const
{
    return pid > 0 && boot == bootOf() && start != 0 && startOf(pid) == start;
}

} // namespace dyno
