// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/mysql/server/option_file.h"

#include "base/nearest.h"
#include "driver/mysql/server/compression.h"
#include "driver/mysql/server/engine_plugin.h"
#include "driver/mysql/server/mysql_recipes.h"
#include "driver/mysql/server/tcp_account.h"
#include "server/knobs/knob_catalog.h"
#include "server/knobs/knob_guard.h"
#include "server/knobs/knob_values.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <vector>

namespace dyno {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestShown = 100; //!< bytes of a name that is none

bool isName(std::string_view name)
{
    constexpr std::size_t kLongestName = 200;
    return !name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
}

//! A knob of ours, not a variable.
bool isOurs(std::string_view name)
{
    return name == kEncryptionKnob || name == kEnginePluginKnob;
}

//! A value as an option file needs it: quoted when it holds what the file's syntax uses.
std::string quotedValue(const std::string& text)
{
    if (text.find_first_of(" \t#\"'\\;") == std::string::npos)
        return text;
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        result += c;
    }
    return result + '"';
}

std::string valueText(std::string_view name, const Value& value)
{
    if (const KnobInfo* knob = findKnob("mysql", "server", name); knob && knob->option.type == OptionType::Bytes) {
        if (const auto bytes = parseBytes(toText(value)))
            return fmt::format("{}", *bytes);
    }
    if (const auto* flag = std::get_if<bool>(&value))
        return *flag ? "1" : "0"; // switches and words both take the number
    return quotedValue(toText(value));
}

//! Variables of MariaDB before 11.1 and MySQL before 8.0 whose options have another name.
std::string optionOf(std::string_view name)
{
    if (name == "tx_isolation" || name == "tx_read_only")
        return fmt::format("transaction{}", name.substr(2));
    return std::string(name);
}

std::string line(std::string_view name, const Value& value)
{
    if (name == "log_bin")
        return sameSetting(false, toText(value)) ? "skip-log-bin\n" : "log_bin=binlog\n";
    return fmt::format("{}={}\n", optionOf(name), valueText(name, value));
}

//! MariaDB reads [mariadbd] since 10.4; a group of its own keeps a program of another family out.
const char* groupOf(const ServerBinaries& server)
{
    return isMariadb(server) && server.atLeast({10, 4, 6}) ? "mariadbd" : "mysqld";
}

std::string path(const char* name, const std::filesystem::path& value)
{
    return value.empty() ? std::string() : fmt::format("{}={}\n", name, quotedValue(value.string()));
}

std::string places(const ServerBinaries& server, const OptionFileNeeds& needs)
{
    std::string text = path("datadir", needs.folder / "data");
    text += path("tmpdir", needs.folder / "tmp");
    text += path("socket", needs.socket);
    text += path("pid-file", needs.folder / "server.pid");
    text += path("basedir", server.basedir);
    text += path("lc-messages-dir", server.messages);
    text += path("plugin-dir", server.plugins);
    std::error_code ignored;
    if (const auto charsets = server.messages / "charsets"; !server.messages.empty() && exists(charsets, ignored))
        text += path("character-sets-dir", charsets);
    // Its default names a folder of the system, without which it does not start.
    if (isMysql(server) && server.atLeast({5, 7, 6}))
        text += "secure-file-priv=NULL\n";
    if (isMariadb(server))
        text += path("secure-file-priv", closedFolder(needs.folder)) +
                "symbolic-links=0\n"; // nor tables in other folders, by DATA DIRECTORY
    // Otherwise what SET PERSIST wrote into the data folder wins over this file.
    if (isMysql(server) && server.atLeast({8, 0, 0}))
        text += "persisted-globals-load=OFF\n";
    return text;
}

std::string network(const ServerBinaries& server, const OptionFileNeeds& needs)
{
    const bool mysql = isMysql(server);
    std::string text;
    if (needs.port > 0) {
        text += fmt::format("# Reachable by its socket and from this machine only.\nbind-address={}\nport={}\n"
                            "# root comes by the socket only.\nskip-name-resolve\n",
                            needs.address, needs.port);
        if (!tcpInitText(server).empty())
            text += path("init-file", tcpInitFile(needs.folder));
    } else {
        text += "# Reachable by its socket only, which lies in a folder of its owner; so without TLS.\n"
                "skip-networking\n";
    }
    if (mysql && server.atLeast({8, 0, 11}))
        text += "mysqlx=OFF\n"; // a second protocol, with a port of its own
    if (needs.tls) {
        text += path("ssl-ca", needs.folder / "tls/ca.pem");
        text += path("ssl-cert", needs.folder / "tls/server.pem");
        text += path("ssl-key", needs.folder / "tls/server.key");
        return text;
    }
    if (mysql && server.atLeast({8, 4, 0}))
        return text + "tls-version=\nauto-generate-certs=OFF\n"; // skip-ssl is gone
    text += "skip-ssl\n";
    if (mysql && server.atLeast({5, 7, 5}))
        text += "loose-auto-generate-certs=OFF\n";
    return text;
}

std::string encryption(const ServerBinaries& server, const OptionFileNeeds& needs)
{
    if (needs.encryption == Encryption::Off)
        return {};
    const bool all = needs.encryption == Encryption::All;
    if (isMysql(server)) {
        std::string text = "# Encryption at rest; the key comes from the component that data/mysqld.my names.\n"
                           "default-table-encryption=ON\n";
        if (all)
            text += "innodb-redo-log-encrypt=ON\ninnodb-undo-log-encrypt=ON\nbinlog-encryption=ON\n";
        return text;
    }
    std::string text = "# Encryption at rest.\nplugin-load-add=file_key_management\n";
    text += path("file-key-management-filename", needs.folder / "keys/keys.txt");
    text += all ? "innodb-encrypt-tables=FORCE\n" : "innodb-encrypt-tables=ON\n";
    if (all)
        // The thread encrypts what was made before there was a key: the system and undo tablespaces.
        text += "innodb-encrypt-log=ON\nencrypt-binlog=ON\nencrypt-tmp-files=ON\naria-encrypt-tables=ON\n"
                "innodb-encrypt-temporary-tables=ON\nencrypt-tmp-disk-tables=ON\ninnodb-encryption-threads=1\n";
    return text;
}

//! Where a server's own default would stand in the way of measuring; each only unless the plan says something else.
std::string ours(const ServerBinaries& server, const Settings& knobs)
{
    const bool mysql = isMysql(server);
    std::string text;
    if (!knobs.contains("max_connections"))
        text +=
            fmt::format("# Not the server's default (151): so many users can be measured without setting a knob. It "
                        "also raises\n# thread_cache_size and back_log, which follow it.\nmax_connections={}\n",
                        defaultMaxConnections());
    if (!knobs.contains("max_prepared_stmt_count"))
        text += "# Not the server's default (16382): each user prepares each statement once for each table.\n"
                "max_prepared_stmt_count=1048576\n";
    if (mysql && server.atLeast({8, 0, 0}) && !knobs.contains("local_infile"))
        text += "# Not the server's default: data is loaded with LOAD DATA LOCAL.\nlocal_infile=1\n";
    if (mysql && !server.atLeast({8, 0, 0}) && !knobs.contains("server_id"))
        text += "# It keeps no binary log without a number.\nserver_id=1\n";
    return text;
}

//! The first version of this product that has the variable, where it is newer than this server; "" otherwise.
std::string laterVersion(const ServerBinaries& server, std::string_view name)
{
    const KnobInfo* const knob = findKnob("mysql", "server", name);
    if (!knob)
        return {};
    for (const KnobEdition& edition : knob->editions) {
        if (edition.product == server.product() && serverVersionOf(edition.since) > serverVersionOf(server.version))
            return edition.since;
    }
    return {};
}

//! Why a knob cannot go into the option file; "" when it can.
std::string faultOf(const ServerBinaries& server, const OptionFileNeeds& needs, const std::string& name,
                    const Value& value, const ServerOptions& listed)
{
    if (!isName(name))
        return fmt::format("\"{}\" is not a name of a server variable", name.substr(0, kLongestShown));
    if (std::string unfit = unfitText("server." + name, toText(value)); !unfit.empty())
        return unfit;
    if (needs.tls && name == "skip_name_resolve") // decides who comes in by TCP
        return fmt::format("server.{} belongs to Dynobench on a managed server with transport=tcp", name);
    if (const auto reason = neverAllowed("mysql", name, value))
        return fmt::format("server.{} cannot be set: {}", name, *reason);
    if (isOurs(name) || listed.contains(optionOf(name)))
        return {};
    if (const std::string later = laterVersion(server, name); !later.empty())
        return fmt::format("{} {} has no variable {}: use {} {} or newer", server.name, server.version, name,
                           server.name, later);
    std::vector<std::string> names;
    for (const auto& [option, text] : listed) {
        if (!neverAllowed("mysql", option, value))
            names.push_back(option);
    }
    const std::string close = nearestName(name, names);
    return fmt::format("{} {} has no variable {}{}", server.name, server.version, name,
                       close.empty() ? "" : fmt::format(" (did you mean {}?)", close));
}

//! All faults of names and values at once.
Expected<void> checkKnobs(const ServerBinaries& server, const OptionFileNeeds& needs, const Settings& knobs,
                          const ServerOptions& listed)
{
    std::vector<std::string> faults;
    for (const auto& [name, value] : knobs) {
        if (std::string fault = faultOf(server, needs, name, value, listed); !fault.empty())
            faults.push_back(std::move(fault));
    }
    if (faults.empty())
        return {};
    return fail({ErrorKind::BadInput, fmt::format("{}", fmt::join(faults, "; ")), "server knobs",
                 "remove or correct these knobs"});
}

} // namespace

int defaultMaxConnections()
{
    constexpr int kWanted = 10000;
    // The server opens a file for each connection and two for each table of its cache (2000), and keeps some.
    constexpr long kOthers = 4500;
    constexpr long kServerDefault = 151;
    rlimit files{};
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_max == RLIM_INFINITY)
        return kWanted;
    const long fits = long(std::min<rlim_t>(files.rlim_max, 1000000)) - kOthers;
    return int(std::clamp(fits, kServerDefault, long(kWanted)));
}

Expected<Encryption> encryptionOf(const Settings& knobs)
{
    const auto it = knobs.find(kEncryptionKnob);
    const std::string word = it == knobs.end() ? std::string("off") : toText(it->second);
    if (word == "off" || word == "false" || word == "0")
        return Encryption::Off;
    if (word == "tables")
        return Encryption::Tables;
    if (word == "all")
        return Encryption::All;
    return fail({ErrorKind::BadInput, fmt::format("encryption cannot be \"{}\"", word), "server.encryption",
                 "write \"off\", \"tables\" or \"all\""});
}

Expected<std::string> optionFileText(const ServerBinaries& server, const OptionFileNeeds& needs, const Settings& knobs,
                                     const ServerOptions& listed)
{
    for (const fs::path& place : {needs.folder, needs.socket, server.basedir, server.messages, server.plugins}) {
        if (std::string unfit = unfitText("the path of a folder", place.string()); !unfit.empty())
            return fail({ErrorKind::BadInput, std::move(unfit), place.string().substr(0, kLongestShown),
                         "move the folder to a path without them"});
    }
    if (auto checked = checkKnobs(server, needs, knobs, listed); !checked)
        return fail(std::move(checked.error()));
    std::string text = fmt::format(
        "# Written by Dynobench for this private server; it is written again at each start.\n[{}]\n", groupOf(server));
    text += encryption(server, needs);
    if (const std::string provider = compressionProviderOf(server, knobs); !provider.empty())
        text += fmt::format("plugin-load-add={}\n", provider);
    if (const auto plugin = enginePluginOf(knobs); plugin && !plugin->empty())
        text += fmt::format("plugin-load-add={}\n", *plugin);
    text += ours(server, knobs);
    if (!knobs.empty())
        text += "# Knobs of the plan.\n";
    for (const auto& [name, value] : knobs) {
        if (!isOurs(name))
            text += line(name, value);
    }
    text += "# What keeps this server private. It comes last: it holds whatever stands above.\n";
    text += places(server, needs);
    text += network(server, needs);
    return text;
}

fs::path closedFolder(const fs::path& folder)
{
    return folder / "no-files";
}

} // namespace dyno
