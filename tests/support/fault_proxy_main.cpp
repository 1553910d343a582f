// SPDX-License-Identifier: GPL-3.0-or-later
// dyno_fault_proxy: the fault proxy as a program, for benchmarks. Runs until it is told to end (SIGTERM, SIGINT).
//   dyno_fault_proxy --server SOCKET|PORT --listen SOCKET [--freeze-every MS --freeze MS] [--delay MS]
#include "fault_proxy.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

int main(int argc, char** argv)
{
    dyno::test::ServerPlace server;
    std::string listen;
    std::int64_t everyMs = 0, freezeMs = 0, delayMs = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view name = argv[i];
        const std::string value = argv[i + 1];
        if (name == "--server" && value.starts_with('/'))
            server.socket = value;
        else if (name == "--server")
            server.port = std::atoi(value.c_str());
        else if (name == "--listen")
            listen = value;
        else if (name == "--freeze-every")
            everyMs = std::atoll(value.c_str());
        else if (name == "--freeze")
            freezeMs = std::atoll(value.c_str());
        else if (name == "--delay")
            delayMs = std::atoll(value.c_str());
        else
            listen.clear(), argc = 0;
    }
    if (listen.empty() || (server.socket.empty() && server.port == 0)) {
        std::fputs(
            "dyno_fault_proxy --server SOCKET|PORT --listen SOCKET [--freeze-every MS --freeze MS] [--delay MS]\n",
            stderr);
        return 2;
    }
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    sigprocmask(SIG_BLOCK, &ends, nullptr); // before the proxy's thread, which takes the mask over
    dyno::test::FaultProxy proxy;
    if (const auto started = proxy.start(server, listen); !started) {
        std::fprintf(stderr, "%s\n", started.error().text().c_str());
        return 1;
    }
    proxy.setFreezes(everyMs * 1'000'000, freezeMs * 1'000'000);
    proxy.setDelay(dyno::test::FaultProxy::Direction::ToClient, delayMs * 1'000'000);
    std::printf("port %d\n", proxy.port());
    std::fflush(stdout);
    int signal = 0;
    sigwait(&ends, &signal);
    return 0;
}
