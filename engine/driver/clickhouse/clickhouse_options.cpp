// SPDX-License-Identifier: GPL-3.0-or-later
#include "clickhouse_options.h"

#include "base/text.h"
#include "driver/clickhouse/clickhouse_driver.h"
#include "driver/connection_knobs.h"
#include "driver/host_address.h"
#include "driver/tls_options.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <mutex>
#include <utility>
#include <vector>

namespace dyno::clickhouse {

namespace {

constexpr int kDefaultPort = 8123, kDefaultTlsPort = 8443;

int portOf(const ConnectTarget& target, TlsMode mode)
{
    return target.uri.port > 0 ? target.uri.port : mode == TlsMode::Off ? kDefaultPort : kDefaultTlsPort;
}

std::string hostOf(const ConnectTarget& target)
{
    return target.uri.host.empty() ? "localhost" : target.uri.host;
}

//! As a URL has it: whatever steers one is written as %XX.
std::string urlPart(std::string_view text)
{
    std::string part;
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                           c == '_' || c == '.' || c == '~';
        part += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return part;
}

bool isSettingName(std::string_view name)
{
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
}

//! What the HTTP interface itself takes beside settings: a plan sets none of them behind the driver's back.
constexpr std::string_view kReserved[] = {"query",          "database",   "user",     "password",
                                          "default_format", "session_id", "query_id", "quota_key",
                                          "compress",       "decompress", "role",     "param"};

Expected<std::string> urlOf(const ConnectTarget& target, TlsMode mode, bool compress, bool forSessions)
{
    std::string host = hostOf(target);
    if (host.find(':') != std::string::npos) // an IPv6 address; what else has one was refused with the URI
        host = "[" + host + "]";
    std::string url = fmt::format("{}://{}:{}/?default_format=TabSeparatedWithNamesAndTypes",
                                  mode == TlsMode::Off ? "http" : "https", host, portOf(target, mode));
    if (!target.uri.database.empty())
        url += "&database=" + urlPart(target.uri.database);
    if (compress)
        url += "&enable_http_compression=1";
    if (!forSessions)
        return url;
    for (const auto& [name, value] : target.connectionExtra) {
        if (!isSettingName(name) || std::ranges::find(kReserved, name) != std::end(kReserved) ||
            name.starts_with("param_"))
            return fail({ErrorKind::BadInput, fmt::format("\"{}\" is not a name of a setting", name),
                         "connection." + name, "use a name that system.settings lists"});
        const auto* flag = std::get_if<bool>(&value);
        url += fmt::format("&{}={}", name, flag ? (*flag ? "1" : "0") : urlPart(toText(value)));
    }
    return url;
}

Expected<void> readTls(const ConnectTarget& target, TlsMode mode, ConnectOptions& options)
{
    auto tls = readTlsOptions(target, mode);
    if (!tls)
        return fail(std::move(tls.error()));
    options.tls = mode != TlsMode::Off;
    options.verify = mode == TlsMode::Verify;
    options.tlsByDefault = tls->byDefault;
    options.caFile = std::move(tls->ca);
    options.caFolder = std::move(tls->caFolder);
    options.certFile = std::move(tls->cert);
    options.keyFile = std::move(tls->key);
    options.minTlsVersion = std::move(tls->oldest);
    return {};
}

//! The HTTP interface takes the password itself: it goes only to a server that is known, or to one of this machine.
Expected<void> guardPassword(const ConnectTarget& target, const ConnectOptions& options)
{
    if (options.password.empty())
        return {};
    if (hasControlByte(options.password) || trimmed(options.password).size() != options.password.size())
        return fail({ErrorKind::BadInput,
                     "the HTTP interface takes no password that begins or ends with a blank or has a control character",
                     target.uri.display(), "give the user another password"});
    if (options.verify || isLocal(target))
        return {};
    if (options.tls)
        return fail({ErrorKind::BadInput,
                     "the password itself would go to a server of another machine that nobody has verified",
                     target.uri.display(), "use tls=verify, with tls_ca where the server has an authority of its own"});
    return fail({ErrorKind::BadInput,
                 "the password would go to another machine over a connection that is not encrypted",
                 target.uri.display(), "use tls=verify"});
}

//! What was read for the targets in use.
struct SharedConnectOptions
{
    std::weak_ptr<const ConnectTarget> target;
    std::shared_ptr<const ConnectOptions> options;
};

} // namespace

OptionSpecs connectionOptions()
{
    OptionSpecs options;
    OptionSpec timeout{.name = "connect_timeout",
                       .label = "Connect timeout",
                       .help = "How long to wait for a connection, in seconds."};
    timeout.type = OptionType::Duration;
    timeout.defaultValue = 10.0;
    timeout.unit = "s";
    timeout.minimum = 1;
    timeout.maximum = 600;
    timeout.group = "advanced";
    options.push_back(std::move(timeout));
    for (const UriOption& shared : clickhouseUriForm().options)
        options.push_back(shared.spec);
    OptionSpec bulk = choiceOption("bulk_load", "Bulk loading",
                                   "auto loads data as tab-separated text; off with INSERTs of values, which the "
                                   "server parses more slowly. The rows are the same.",
                                   "auto", {"auto", "off"});
    bulk.group = "advanced";
    options.push_back(std::move(bulk));
    return options;
}

Expected<ConnectOptions> readOptions(const ConnectTarget& target, bool forSessions)
{
    const auto mode = tlsModeOf(target);
    if (!mode)
        return fail(mode.error());
    ConnectOptions options;
    options.user = target.uri.user;
    options.password = target.uri.password;
    if (auto read = readTls(target, *mode, options); !read)
        return fail(std::move(read.error()));
    if (auto guarded = guardPassword(target, options); !guarded)
        return fail(std::move(guarded.error()));
    const std::string compression = knobOrQuery(target, "compression");
    if (!compression.empty() && compression != "off" && compression != "gzip")
        return fail(badOption(target, "compression", compression, "off or gzip"));
    options.compress = compression == "gzip";
    auto url = urlOf(target, *mode, options.compress, forSessions);
    if (!url)
        return fail(std::move(url.error()));
    options.url = std::move(*url);
    const double timeout = realOf(target.connection, "connect_timeout", 10);
    options.connectTimeoutSeconds = int(std::clamp(std::ceil(timeout), 1.0, 600.0));
    options.bulk = (target.loader || target.bulk) && textOf(target.connection, "bulk_load", "auto") != "off";
    return options;
}

Expected<std::shared_ptr<const ConnectOptions>> sharedOptions(const ConnectTargetPtr& target)
{
    static std::mutex mutex;
    static std::vector<SharedConnectOptions> known;
    const std::lock_guard lock(mutex);
    std::erase_if(known, [](const SharedConnectOptions& one) { return one.target.expired(); });
    for (const SharedConnectOptions& one : known) {
        // Ownership tells targets apart: an address may be given to another one later.
        if (!one.target.owner_before(target) && !target.owner_before(one.target))
            return one.options;
    }
    auto options = readOptions(*target, true);
    if (!options)
        return fail(std::move(options.error()));
    if (const std::string host = hostOf(*target); !isAddress(host)) {
        // A certificate is still checked against the name.
        const int port = portOf(*target, options->tls ? TlsMode::Required : TlsMode::Off);
        if (std::string address = addressOf(host, port, options->connectTimeoutSeconds); address != host)
            options->resolve = fmt::format("{}:{}:{}", host, port,
                                           address.find(':') == std::string::npos ? address : "[" + address + "]");
    }
    auto shared = std::make_shared<const ConnectOptions>(std::move(*options));
    known.push_back({target, shared});
    return shared;
}

} // namespace dyno::clickhouse
