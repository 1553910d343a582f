// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/start_check.h"

#include "server/compression.h"
#include "server/encryption.h"
#include "server/free_port.h"
#include "server/knob_catalog.h"
#include "server/mongo_options.h"
#include "server/option_file.h"

namespace dyno {

namespace {

constexpr const char* kAnyFolder = "/managed"; //!< names in an option file that nobody reads

Expected<void> mysqlCanStart(const ServerBinaries& server, const Settings& wanted, bool tcp)
{
    auto knobs = serverNames("mysql", wanted, server.name, server.version);
    if (!knobs)
        return fail(std::move(knobs.error()));
    const auto encryption = encryptionOf(*knobs);
    if (!encryption)
        return fail(encryption.error());
    if (*encryption == Encryption::Off)
        knobs->erase("encryption");
    const ServerOptions none;
    const Expected<const ServerOptions*> listed = knobs->empty() ? &none : optionsOf(server);
    if (!listed)
        return fail(listed.error());
    const OptionFileNeeds needs{kAnyFolder, std::filesystem::path(kAnyFolder) / "s", tcp ? 1 : 0, tcp, *encryption};
    if (auto text = optionFileText(server, needs, *knobs, **listed); !text)
        return fail(std::move(text.error()));
    if (*encryption != Encryption::Off) {
        if (auto can = canEncrypt(server); !can)
            return can;
    }
    return canCompress(server, *knobs);
}

Expected<void> mongoCanStart(const ServerBinaries& server, const Settings& wanted)
{
    const auto knobs = serverNames("mongodb", wanted, server.name, server.version);
    if (!knobs)
        return fail(knobs.error());
    const MongoNeeds needs{kAnyFolder, std::filesystem::path(kAnyFolder) / "s", 0, 0};
    if (server.family == ServerFamily::Ferretdb) {
        auto arguments = ferretdbArguments(needs, *knobs);
        return arguments ? Expected<void>() : fail(std::move(arguments.error()));
    }
    auto text = mongodConfig(server, needs, *knobs);
    return text ? Expected<void>() : fail(std::move(text.error()));
}

} // namespace

Expected<void> canStartWith(const ServerBinaries& server, const Settings& wanted, bool tcp)
{
    const bool mysql = server.family == ServerFamily::Mariadb || server.family == ServerFamily::Mysql;
    auto can = mysql ? mysqlCanStart(server, wanted, tcp) : mongoCanStart(server, wanted);
    if (can && tcp && freeLocalPort() == 0)
        return fail({ErrorKind::Failed, "no port of 127.0.0.1 is free for the server", server.server.string(),
                     "close programs that listen on many ports, or leave transport=tcp out"});
    return can;
}

} // namespace dyno
