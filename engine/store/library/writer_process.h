// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Tells whether the process that records a session is still there.
#pragma once

#include <cstdint>
#include <string>

namespace dyno {

//! One process of one boot of one machine: a process id alone is given out again.
struct WriterProcess
{
    std::int64_t pid = 0;   //!< 0 = nobody
    std::int64_t start = 0; //!< clock ticks since boot, from /proc/PID/stat
    std::string boot;       //!< boot id and namespace of process ids
    [[nodiscard]] static WriterProcess self();
    [[nodiscard]] bool alive() const; //!< false also when it cannot be known from here
};

//! This process records a session no longer, and could not write that down (a full disk). Any thread.
void giveUpRecording(const std::string& session);
void takeUpRecording(const std::string& session); //!< it is written again: a further sitting
[[nodiscard]] bool gaveUpRecording(const std::string& session);

} // namespace dyno
