// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/mysql/server/encryption.h"

#include "driver/mysql/server/mysql_recipes.h"
#include "server/lifecycle/secrets.h"
#include "server/lifecycle/server_in_folder.h"

#include <chrono>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace dyno {

namespace {

namespace fs = std::filesystem;

constexpr const char* kMariadbPlugin = "file_key_management.so";
constexpr const char* kMysqlComponent = "component_keyring_file";

bool says(const fs::path& file, const char* word)
{
    std::ifstream in(file, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    return text.find(word) != std::string::npos;
}

Expected<void> writePrivately(const fs::path& file, const std::string& text)
{
    if (auto written = writeText(file, text); !written)
        return written;
    std::error_code ignored;
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write, ignored);
    return {};
}

std::string jsonText(const fs::path& path)
{
    std::string text;
    for (const char c : path.string()) {
        if (c == '"' || c == '\\')
            text += '\\';
        text += c;
    }
    return text;
}

Expected<void> canMariadb(const ServerBinaries& server)
{
    const fs::path plugins = server.pluginFolder();
    if (!isThere(plugins / kMariadbPlugin))
        return fail({ErrorKind::Refused,
                     fmt::format("this MariaDB has no {} in {}, which keeps the keys of encrypted tables",
                                 kMariadbPlugin, plugins.string()),
                     server.server.string(),
                     "install the package mariadb-server, which has it (mariadb-server-core has not), or take "
                     "encryption out of the plan"});
    return {};
}

//! MySQL reads which components it starts with from mysqld.my beside its program, which may point to the one in the
//! data folder; likewise the component's own settings.
Expected<void> canMysql(const ServerBinaries& server)
{
    const fs::path plugins = server.pluginFolder();
    const std::string file = fmt::format("{}.so", kMysqlComponent);
    if (!isThere(plugins / file))
        return fail({ErrorKind::Refused,
                     fmt::format("this {} {} has no {} in {}, which keeps the keys of encrypted tables", server.name,
                                 server.version, file, plugins.string()),
                     server.server.string(),
                     "use a complete MySQL of 8.0.24 or newer, or take encryption out of the plan"});
    fs::path manifest = server.server.parent_path() / "mysqld.my";
    for (const char* below : {"sbin", "bin", "libexec"}) {
        if (!isThere(manifest) && !server.basedir.empty() && isThere(server.basedir / below / "mysqld.my"))
            manifest = server.basedir / below / "mysqld.my";
    }
    const fs::path settings = plugins / fmt::format("{}.cnf", kMysqlComponent);
    const bool allowed = says(manifest, "read_local_manifest") && says(settings, "read_local_config");
    if (!allowed)
        return fail(
            {ErrorKind::Refused,
             fmt::format("this {} {} does not let an instance choose its keyring", server.name, server.version),
             server.server.string(),
             fmt::format("write {{\"read_local_manifest\": true}} to {} and {{\"read_local_config\": true}} to {}",
                         manifest.string(), settings.string())});
    return {};
}

Expected<void> writeManifests(const fs::path& folder)
{
    std::error_code error;
    fs::create_directories(folder / "keys", error);
    fs::permissions(folder / "keys", fs::perms::owner_all, error);
    if (error)
        return fail({ErrorKind::Storage,
                     fmt::format("cannot make the folder: {}", error.message()),
                     (folder / "keys").string(),
                     {}});
    auto written = writePrivately(folder / "data" / "mysqld.my",
                                  fmt::format("{{\"components\": \"file://{}\"}}\n", kMysqlComponent));
    if (written)
        written = writePrivately(
            folder / "data" / fmt::format("{}.cnf", kMysqlComponent),
            fmt::format("{{\"path\": \"{}\", \"read_only\": false}}\n", jsonText(folder / "keys" / "keyring")));
    return written;
}

//! Rows live in MariaDB's system and undo tablespaces too (undo log, change buffer), and these are made before there is
//! a key: a thread of the server encrypts them after its start. Waits for it, a minute at most.
Expected<void> waitForSystemTablespaces(const ServerBinaries& server, Admin& admin,
                                        const std::function<bool()>& stopped)
{
    constexpr auto kPatience = std::chrono::seconds(60);
    const auto until = std::chrono::steady_clock::now() + kPatience;
    do {
        const auto encrypted =
            admin.query("SELECT COALESCE(MIN(MIN_KEY_VERSION > 0 AND ROTATING_OR_FLUSHING = 0), 0) FROM "
                        "information_schema.INNODB_TABLESPACES_ENCRYPTION WHERE NAME LIKE 'innodb\\_%'");
        if (!encrypted)
            return fail(encrypted.error());
        if (encrypted->at(0).at(0) == "1")
            return {};
        if (stopped && stopped())
            return fail({ErrorKind::Interrupted, "the start was given up after the stop", server.server.string(), {}});
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    } while (std::chrono::steady_clock::now() < until);
    return fail({ErrorKind::Refused,
                 fmt::format("the server did not encrypt its system tablespace within {} s", kPatience.count()),
                 server.server.string(), "leave innodb_encryption_threads above 0, or encrypt tables only"});
}

} // namespace

Expected<void> canKeepKeys(const ServerBinaries& server)
{
    return isMariadb(server) ? canMariadb(server) : canMysql(server);
}

Expected<void> prepareEncryption(const ServerBinaries& server, const fs::path& folder)
{
    if (auto can = canKeepKeys(server); !can)
        return can;
    return isMariadb(server) ? makeKeyFile(folder / "keys" / "keys.txt") : writeManifests(folder);
}

Expected<void> verifyEncryption(const ServerBinaries& server, Encryption wanted, Admin& admin,
                                const std::function<bool()>& stopped)
{
    if (wanted == Encryption::Off)
        return {};
    const bool all = wanted == Encryption::All;
    const bool mariadb = isMariadb(server);
    std::vector<const char*> switches = {mariadb ? "innodb_encrypt_tables" : "default_table_encryption"};
    if (all && mariadb)
        switches.insert(switches.end(),
                        {"innodb_encrypt_log", "encrypt_binlog", "encrypt_tmp_files", "aria_encrypt_tables",
                         "innodb_encrypt_temporary_tables", "encrypt_tmp_disk_tables"});
    if (all && !mariadb)
        switches.insert(switches.end(), {"innodb_redo_log_encrypt", "innodb_undo_log_encrypt", "binlog_encryption"});
    for (const char* name : switches) {
        const auto value = admin.variable(name);
        if (!value)
            return fail(value.error());
        if (*value != "ON" && *value != "FORCE")
            return fail({ErrorKind::Refused,
                         fmt::format("encryption was asked for, but {}={} is in force", name, *value),
                         server.server.string(), "see the server's log"});
    }
    if (mariadb)
        return all ? waitForSystemTablespaces(server, admin, stopped) : Expected<void>();
    const auto status = admin.query("SELECT STATUS_VALUE FROM performance_schema.keyring_component_status "
                                    "WHERE STATUS_KEY = 'Component_status'");
    if (!status)
        return fail(status.error());
    if (status->empty() || status->front().front() != "Active")
        return fail({ErrorKind::Refused, "encryption was asked for, but the keyring component is not active",
                     server.server.string(), "see the server's log"});
    return {};
}

} // namespace dyno
