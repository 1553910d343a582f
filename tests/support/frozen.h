// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A process that is stopped (SIGSTOP) for as long as this lives: a server that answers nothing and is not gone.
#pragma once

#include <csignal>
#include <sys/types.h>
#include <utility>

namespace dyno::test {

class Frozen
{
public:
    explicit Frozen(pid_t process)
        : m_process(process > 1 && ::kill(process, SIGSTOP) == 0 ? process : 0)
    {}
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
    pid_t m_process;
};

} // namespace dyno::test
