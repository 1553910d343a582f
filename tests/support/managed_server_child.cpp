// SPDX-License-Identifier: GPL-3.0-or-later
// Starts a managed server below argv[1], prints its folder, and waits until somebody kills it. For the test that
// nothing is left running then.
#include "server/managed_server.h"

#include <cstdio>
#include <unistd.h>

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::fputs("usage: managed_server_child WORKDIR\n", stderr);
        return 2;
    }
    dyno::TargetUri uri;
    uri.kind = dyno::TargetKind::Managed;
    uri.product = "mariadb";
    auto server = dyno::ManagedServer::create(uri, argv[1]);
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
