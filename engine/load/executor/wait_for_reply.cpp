// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/executor/wait_for_reply.h"

#include <poll.h>

namespace dyno {

void finishPending(Session& session)
{
    Progress progress = Progress::Pending;
    while (progress == Progress::Pending) {
        const IoWait wait = session.ioWait();
        pollfd descriptor{};
        descriptor.fd = wait.fd;
        descriptor.events = static_cast<short>((wait.read ? POLLIN : 0) | (wait.write ? POLLOUT : 0));
        const int ready = ::poll(&descriptor, 1, wait.timeoutMs);
        if (ready < 0)
            continue; // interrupted by a signal
        IoEvents events;
        events.timeout = ready == 0;
        // An error or a hang-up is delivered as readable, so that the library itself finds the reason.
        events.read = (descriptor.revents & (POLLIN | POLLHUP | POLLERR)) != 0 && wait.read;
        events.write = (descriptor.revents & (POLLOUT | POLLHUP | POLLERR)) != 0 && wait.write;
        progress = session.resume(events);
    }
}

} // namespace dyno
