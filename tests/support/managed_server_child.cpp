// SPDX-License-Identifier: GPL-3.0-or-later
// Starts a managed server (argv[2], else managed:mariadb) below argv[1], prints its folder, and waits until somebody
// kills it. For the test that nothing is left running then.
#include "server/lifecycle/managed_server.h"

#include <cstdio>
#include <unistd.h>

int main(int argc, char** argv)
{
    if (argc != 2 && argc != 3) {
        std::fputs("usage: managed_server_child WORKDIR [URI]\n", stderr);
        return 2;
    }
    const auto uri = dyno::parseUri(argc == 3 ? argv[2] : "managed:mariadb");
    if (!uri) {
        std::fprintf(stderr, "%s\n", uri.error().text().c_str());
        return 2;
    }
    auto server = dyno::ManagedServer::create(*uri, argv[1]);
    if (!server) {
        std::fprintf(stderr, "%s\n", server.error().text().c_str());
        return 1;
    }
    if (const auto started = (*server)->ensure({}); !started) {
        std::fprintf(stderr, "%s\n", started.error().text().c_str());
        return 1;
    }
    std::printf("%s\n", (*server)->folder().c_str());
    std::fflush(stdout);
    while (true)
        ::pause();
}
