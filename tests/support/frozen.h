// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A process that is stopped (SIGSTOP) for as long as this lives: a server that answers nothing and is not gone.
#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/types.h>
#include <thread>
#include <utility>

namespace dyno::test {

class Frozen
{
public:
    //! Returns when all threads of the process have stopped: those on other cores go on for a moment after the signal.
    explicit Frozen(pid_t process)
        : m_process(process > 1 && ::kill(process, SIGSTOP) == 0 ? process : 0)
    {
        const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (holds() && !stopped() && std::chrono::steady_clock::now() < limit)
            std::this_thread::yield();
    }
    ~Frozen() { thaw(); }
    Frozen(const Frozen&) = delete;
    Frozen& operator=(const Frozen&) = delete;

    [[nodiscard]] bool holds() const { return m_process > 1; }
    void thaw()
    {
        if (const pid_t process = std::exchange(m_process, 0); process > 1)
            ::kill(process, SIGCONT);
    }

private:
    [[nodiscard]] bool stopped() const
    {
        namespace fs = std::filesystem;
        std::error_code error;
        const fs::path tasks = fs::path("/proc") / std::to_string(m_process) / "task";
        for (auto it = fs::directory_iterator(tasks, error); !error && it != fs::directory_iterator(); it.increment(error)) {
            std::ifstream file(it->path() / "stat");
            std::string line;
            std::getline(file, line);
            const std::size_t end = line.rfind(") "); // of the name; the state follows
            if (end != std::string::npos && end + 2 < line.size() && line[end + 2] != 'T')
                return false;
        }
        return true;
    }

    pid_t m_process;
};

} // namespace dyno::test
