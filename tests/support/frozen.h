// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A process that is stopped (SIGSTOP) for as long as this lives: a server that answers nothing and is not gone.
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/types.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

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
        for (auto it = fs::directory_iterator(tasks, error); !error && it != fs::directory_iterator();
             it.increment(error)) {
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

//! The same against SIGCONT: frozen again within a millisecond or so, for as long as this lives or it is killed.
class KeptFrozen
{
public:
    explicit KeptFrozen(pid_t process)
        : m_frozen(process)
        , m_thread([this, process] {
            while (!m_end && process > 1 && ::kill(process, SIGSTOP) == 0)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
        })
    {
    }
    ~KeptFrozen()
    {
        m_end = true;
        m_thread.join();
    }
    KeptFrozen(const KeptFrozen&) = delete;
    KeptFrozen& operator=(const KeptFrozen&) = delete;

private:
    Frozen m_frozen;
    std::atomic<bool> m_end = false;
    std::thread m_thread;
};

//! Ids of processes whose command line names `word`, but for this one.
inline std::vector<pid_t> processesNaming(const std::string& word)
{
    namespace fs = std::filesystem;
    std::vector<pid_t> found;
    std::error_code error;
    auto it = fs::directory_iterator("/proc", error);
    for (; !error && it != fs::directory_iterator(); it.increment(error)) {
        const std::string name = it->path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos)
            continue;
        std::ifstream file(it->path() / "cmdline", std::ios::binary);
        std::string words(8192, '\0');
        file.read(words.data(), std::streamsize(words.size())); // a process that ends meanwhile is no exception
        words.resize(std::size_t(file.gcount()));
        const auto process = static_cast<pid_t>(std::stol(name));
        if (process != ::getpid() && words.find(word) != std::string::npos)
            found.push_back(process);
    }
    return found;
}

} // namespace dyno::test
