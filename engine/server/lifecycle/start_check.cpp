// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/lifecycle/start_check.h"

#include "server/lifecycle/free_port.h"
#include "server/lifecycle/server_recipe.h"

namespace dyno {

Expected<void> canStartWith(const ServerBinaries& server, const Settings& wanted, bool tcp)
{
    auto can = server.recipe->canStart(server, wanted, tcp);
    if (can && tcp && freeLocalPort() == 0)
        return fail({ErrorKind::Failed, "no port of 127.0.0.1 is free for the server", server.server.string(),
                     "close programs that listen on many ports, or remove transport=tcp"});
    return can;
}

Expected<void> canEncrypt(const ServerBinaries& server)
{
    return server.recipe->canEncrypt(server);
}

} // namespace dyno
