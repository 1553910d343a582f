// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Whether this process holds locks on a file, as another process sees it.
#pragma once

#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace dyno::test {

//! True when a lock of this process (or of another one) keeps a child from writing anywhere in the file.
inline bool isLocked(const std::string& file)
{
    const pid_t child = ::fork(); // has none of our locks
    if (child == 0) {
        const int fd = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
        struct flock asked
        {
        };
        asked.l_type = F_WRLCK;
        asked.l_whence = SEEK_SET; // from 0 to the end, wherever that will be
        const bool held = fd >= 0 && ::fcntl(fd, F_GETLK, &asked) == 0 && asked.l_type != F_UNLCK;
        ::_exit(held ? 1 : 0);
    }
    int status = 0;
    return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

} // namespace dyno::test
