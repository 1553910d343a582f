// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/start_check.h"

#include "server/free_port.h"
#include "server/server_in_folder.h"

namespace dyno {

Expected<void> canStartWith(const ServerBinaries& server, const Settings& wanted, bool tcp)
{
    const bool mysql = server.family == ServerFamily::Mariadb || server.family == ServerFamily::Mysql;
    auto can = mysql ? mysqlCanStart(server, wanted, tcp) : mongoCanStart(server, wanted);
    if (can && tcp && freeLocalPort() == 0)
        return fail({ErrorKind::Failed, "no port of 127.0.0.1 is free for the server", server.server.string(),
                     "close programs that listen on many ports, or remove transport=tcp"});
    return can;
}

} // namespace dyno
