// SPDX-License-Identifier: GPL-3.0-or-later
#include "mongodb_options.h"

#include "base/text.h"
#include "driver/mongodb/mongodb_driver.h"
#include "mongodb_command.h"
#include "mongodb_timeouts.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mutex>
#include <optional>
#include <unistd.h>

namespace dyno::mongodb {

namespace {

OptionSpec choice(std::string name, std::string label, std::string help, std::vector<std::string> choices)
{
    OptionSpec option{.name = std::move(name), .label = std::move(label), .help = std::move(help)};
    option.type = OptionType::Choice;
    option.choices = std::move(choices);
    return option;
}

OptionSpec seconds(std::string name, std::string label, std::string help, double fallback, double minimum)
{
    OptionSpec option{.name = std::move(name), .label = std::move(label), .help = std::move(help)};
    option.type = OptionType::Duration;
    option.defaultValue = fallback;
    option.unit = "s";
    option.minimum = minimum;
    option.maximum = 3600;
    return option;
}

std::vector<std::string> builtCompressors()
{
    return
    {
#if MONGOC_ENABLE_COMPRESSION_ZSTD
        "zstd",
#endif
#if MONGOC_ENABLE_COMPRESSION_SNAPPY
            "snappy",
#endif
#if MONGOC_ENABLE_COMPRESSION_ZLIB
            "zlib",
#endif
    };
}

//! Reads one target's knobs; the first fault ends it.
class Reader
{
public:
    explicit Reader(const ConnectTarget& target)
        : m_target(target)
    {
    }
    Expected<ConnectOptions> read();

private:
    //! The knob, else the query under the knob's name, else under MongoDB's; "" when none is given.
    [[nodiscard]] std::string text(std::string_view knob, std::string_view query = {}) const;
    [[nodiscard]] std::string queried(std::string_view name) const;
    [[nodiscard]] Error bad(std::string_view name, std::string_view value, std::string_view right) const
    {
        return {ErrorKind::BadInput, fmt::format("{} cannot be \"{}\"", name, value), m_target.uri.display(),
                fmt::format("{} is {}", name, right)};
    }
    //! false = the knob is not given.
    Expected<bool> flag(std::string_view knob, std::string_view query, bool& value) const;
    Expected<void> milliseconds(std::string_view knob, std::string_view query, double fallback, int& result) const;
    [[nodiscard]] Expected<void> checkTexts() const;
    Expected<void> makeUri();
    Expected<void> readTls();
    Expected<void> checkMechanism();
    Expected<void> readCompressors();
    Expected<void> readReads();
    Expected<void> readWrites();
    Expected<void> readTopology();
    Expected<void> readTimeouts();
    void setText(const char* option, const std::string& value)
    {
        if (!value.empty())
            mongoc_uri_set_option_as_utf8(m_options.uri.get(), option, value.c_str());
    }

    const ConnectTarget& m_target;
    ConnectOptions m_options;
};

//! libmongoc sends a client's name as it is, before anything else: what is in it could be commands to another server.
Expected<void> Reader::checkTexts() const
{
    const auto refused = [this](std::string_view name) {
        return fail({ErrorKind::BadInput, fmt::format("{} holds a line break or another control character", name),
                     m_target.uri.display(), "write it as one line"});
    };
    for (const auto& [name, value] : m_target.connection) {
        if (hasControlByte(dyno::toText(value)))
            return refused(name);
    }
    for (const auto& [name, value] : m_target.uri.query) {
        if (hasControlByte(value))
            return refused(name);
    }
    return {};
}

std::string Reader::queried(std::string_view name) const
{
    const auto found = m_target.uri.query.find(name);
    return found == m_target.uri.query.end() ? std::string() : found->second;
}

std::string Reader::text(std::string_view knob, std::string_view query) const
{
    std::string value = textOf(m_target.connection, knob);
    if (value.empty())
        value = queried(knob);
    if (value.empty() && !query.empty())
        value = queried(query);
    return value;
}

Expected<bool> Reader::flag(std::string_view knob, std::string_view query, bool& value) const
{
    const std::string given = text(knob, query);
    if (given.empty())
        return false;
    if (given != "on" && given != "off" && given != "true" && given != "false")
        return fail(bad(knob, given, "on or off"));
    value = given == "on" || given == "true";
    return true;
}

Expected<void> Reader::milliseconds(std::string_view knob, std::string_view query, double fallback, int& result) const
{
    constexpr double kMost = 3600;
    double value = realOf(m_target.connection, knob, fallback);
    // A knob at its default leaves the word to the URI.
    if (const std::string given = queried(query); !given.empty() && value == fallback) {
        double ms = 0;
        const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), ms);
        if (error != std::errc() || end != given.data() + given.size() || ms < 1)
            return fail(bad(query, given, "a number of milliseconds from 1"));
        value = ms / 1000;
    }
    result = int(std::lround(std::clamp(value, 0.001, kMost) * 1000));
    return {};
}

Expected<void> Reader::makeUri()
{
    const TargetUri& uri = m_target.uri;
    const bool srv = uri.scheme == "mongodb+srv";
    TargetUri plain;
    plain.kind = TargetKind::Remote;
    plain.scheme = srv ? "mongodb+srv" : "mongodb";
    plain.driver = "mongodb";
    plain.host = uri.host.empty() ? "localhost" : uri.host;
    plain.port = uri.port;
    m_options.database = uri.database.empty() ? "test" : uri.database;
    bson_error_t error{};
    const std::string address = plain.display() + "/";
    m_options.uri.reset(mongoc_uri_new_with_error(address.c_str(), &error));
    if (!m_options.uri)
        return fail({ErrorKind::BadInput, fmt::format("libmongoc does not take this address: {}", error.message),
                     uri.display(), "write it as mongodb://host:port/database"});
    m_options.severalHosts = srv || plain.host.find(',') != std::string::npos;
    if (!mongoc_uri_set_database(m_options.uri.get(), m_options.database.c_str()) ||
        m_options.database.find_first_of("/\\. \"$") != std::string::npos)
        return fail({ErrorKind::BadInput, fmt::format("\"{}\" cannot be the name of a database", m_options.database),
                     uri.display(), "leave out / \\ . \" $ and blanks"});
    if (!uri.user.empty()) {
        mongoc_uri_set_username(m_options.uri.get(), uri.user.c_str());
        if (!uri.password.empty())
            mongoc_uri_set_password(m_options.uri.get(), uri.password.c_str());
        // As MongoDB's own URIs: the users of the database that is named, else of "admin".
        std::string source = text("auth_source", "authSource");
        const std::string mechanism = text("auth_mechanism", "authMechanism");
        if (source.empty() && (mechanism == "MONGODB-X509" || mechanism == "PLAIN"))
            source = "$external";
        if (source.empty())
            source = uri.database.empty() ? "admin" : uri.database;
        mongoc_uri_set_auth_source(m_options.uri.get(), source.c_str());
    }
    if (const std::string mechanism = text("auth_mechanism", "authMechanism"); !mechanism.empty()) {
        static const std::vector<std::string> kMechanisms = {"SCRAM-SHA-256", "SCRAM-SHA-1", "PLAIN", "MONGODB-X509"};
        // A ticket or a key of this machine would be shown to whatever server a plan names.
        if (mechanism == "GSSAPI" || mechanism.starts_with("MONGODB-AWS") || mechanism.starts_with("MONGODB-OIDC"))
            return fail({ErrorKind::BadInput,
                         fmt::format("auth_mechanism={} signs in with an identity of this machine, which is not done; "
                                     "nothing was sent",
                                     mechanism),
                         uri.display(), "use SCRAM-SHA-256 and a password, or MONGODB-X509 with tls_cert_key"});
        if (std::find(kMechanisms.begin(), kMechanisms.end(), mechanism) == kMechanisms.end())
            return fail(bad("auth_mechanism", mechanism, fmt::format("{}", fmt::join(kMechanisms, ", "))));
        mongoc_uri_set_auth_mechanism(m_options.uri.get(), mechanism.c_str());
    }
    return {};
}

Expected<void> Reader::readTls()
{
    std::string mode = text("tls", "ssl");
    bool weak = false;
    bool anyName = false;
    for (const char* name : {"tlsInsecure", "tlsAllowInvalidCertificates"})
        weak = weak || queried(name) == "true";
    anyName = weak || queried("tlsAllowInvalidHostnames") == "true";
    m_options.tlsCa = text("tls_ca", "tlsCAFile");
    m_options.tlsCertKey = text("tls_cert_key", "tlsCertificateKeyFile");
    if (mode == "true" || mode == "on") // as MongoDB means it: encrypted and checked
        mode = weak || anyName ? "required" : "verify";
    const auto said = mode.empty() ? usualTlsMode(isLocal(m_target.uri), !m_options.tlsCa.empty()) : tlsModeIn(mode);
    if (!said)
        return fail(bad("tls", mode, "off, required or verify"));
    m_options.tls = *said;
    for (const auto& [name, file] : {std::pair{"tls_ca", &m_options.tlsCa}, {"tls_cert_key", &m_options.tlsCertKey}}) {
        if (!file->empty() && ::access(file->c_str(), R_OK) != 0)
            return fail({ErrorKind::BadInput, fmt::format("{}: the file {} cannot be read", name, *file),
                         m_target.uri.display(), "name a PEM file that this user can read"});
    }
    const bool on = m_options.tls != ConnectOptions::Tls::Off;
    if (!on && !m_options.tlsCertKey.empty())
        return fail(
            {ErrorKind::BadInput, "tls_cert_key is given, but TLS is off", m_target.uri.display(), "add tls=verify"});
    mongoc_uri_t* uri = m_options.uri.get();
    mongoc_uri_set_option_as_bool(uri, MONGOC_URI_TLS, on);
    if (!on)
        return {};
    setText(MONGOC_URI_TLSCAFILE, m_options.tlsCa);
    setText(MONGOC_URI_TLSCERTIFICATEKEYFILE, m_options.tlsCertKey);
    const mongoc_ssl_opt_t ssl = m_options.sslOptions();
    if (ssl.weak_cert_validation)
        mongoc_uri_set_option_as_bool(uri, MONGOC_URI_TLSALLOWINVALIDCERTIFICATES, true);
    if (ssl.allow_invalid_hostname)
        mongoc_uri_set_option_as_bool(uri, MONGOC_URI_TLSALLOWINVALIDHOSTNAMES, true);
    return {};
}

//! A certificate is one that is named here. PLAIN sends the password itself; whoever answers on a port of this machine
//! may be another user's program.
Expected<void> Reader::checkMechanism()
{
    const bool onSocket = m_target.uri.host.starts_with('/');
    if (text("auth_mechanism", "authMechanism") == "MONGODB-X509" && m_options.tlsCertKey.empty())
        return fail({ErrorKind::BadInput, "auth_mechanism=MONGODB-X509 needs the certificate that signs in",
                     m_target.uri.display(), "name its PEM file in tls_cert_key, with tls=verify"});
    if (text("auth_mechanism", "authMechanism") != "PLAIN" || m_options.tls == ConnectOptions::Tls::Verify || onSocket)
        return {};
    return fail({ErrorKind::BadInput,
                 "auth_mechanism=PLAIN sends the password itself, and nothing tells who would get it; nothing was sent",
                 m_target.uri.display(), "add tls=verify, or use SCRAM-SHA-256"});
}

Expected<void> Reader::readCompressors()
{
    const std::string list = text("compressors");
    if (list.empty() || list == "none" || list == "off")
        return {};
    const std::vector<std::string> built = builtCompressors();
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t end = std::min(list.find(',', at), list.size());
        const std::string one = list.substr(at, end - at);
        if (std::find(built.begin(), built.end(), one) == built.end())
            return fail(bad("compressors", one, fmt::format("none, or a list of {}", fmt::join(built, ", "))));
        at = end + 1;
    }
    mongoc_uri_set_compressors(m_options.uri.get(), list.c_str());
    if (const std::string level = queried("zlibCompressionLevel"); !level.empty()) {
        int number = -2;
        std::from_chars(level.data(), level.data() + level.size(), number);
        if (number < -1 || number > 9)
            return fail(bad("zlibCompressionLevel", level, "a number from -1 to 9"));
        mongoc_uri_set_option_as_int32(m_options.uri.get(), MONGOC_URI_ZLIBCOMPRESSIONLEVEL, number);
    }
    return {};
}

Expected<void> Reader::readReads()
{
    const std::string mode = text("read_preference", "readPreference");
    static const std::vector<std::pair<std::string, mongoc_read_mode_t>> kModes = {
        {"primary", MONGOC_READ_PRIMARY},
        {"primarypreferred", MONGOC_READ_PRIMARY_PREFERRED},
        {"secondary", MONGOC_READ_SECONDARY},
        {"secondarypreferred", MONGOC_READ_SECONDARY_PREFERRED},
        {"nearest", MONGOC_READ_NEAREST}};
    m_options.readPreferenceText = mode.empty() ? "primary" : mode;
    const auto known =
        std::find_if(kModes.begin(), kModes.end(),
                     [name = lowered(m_options.readPreferenceText)](const auto& m) { return m.first == name; });
    if (known == kModes.end())
        return fail(
            bad("read_preference", mode, "primary, primaryPreferred, secondary, secondaryPreferred or nearest"));
    if (known->second != MONGOC_READ_PRIMARY)
        m_options.readPreference.reset(mongoc_read_prefs_new(known->second));
    const std::string level = text("read_concern", "readConcernLevel");
    if (level.empty())
        return {};
    static const std::vector<std::string> kLevels = {"local", "available", "majority", "linearizable", "snapshot"};
    if (std::find(kLevels.begin(), kLevels.end(), level) == kLevels.end())
        return fail(bad("read_concern", level, fmt::format("{}", fmt::join(kLevels, ", "))));
    m_options.readConcernText = level;
    bson_t document;
    bson_t concern;
    bson_init(&document);
    bson_append_document_begin(&document, "readConcern", -1, &concern);
    bson_append_utf8(&concern, "level", -1, level.c_str(), -1);
    bson_append_document_end(&document, &concern);
    m_options.readConcern = elementsOf(document);
    bson_destroy(&document);
    return {};
}

Expected<void> Reader::readWrites()
{
    const std::string w = text("write_concern", "w");
    bool journal = false;
    const auto journalGiven = flag("journal", "journal", journal);
    if (!journalGiven)
        return fail(journalGiven.error());
    double timeoutMs = realOf(m_target.connection, "write_timeout", 0) * 1000;
    if (const std::string given = queried("wTimeoutMS"); timeoutMs == 0 && !given.empty()) {
        const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), timeoutMs);
        if (error != std::errc() || end != given.data() + given.size() || timeoutMs < 0)
            return fail(bad("wTimeoutMS", given, "a number of milliseconds"));
    }
    if (w.empty() && !*journalGiven && timeoutMs <= 0)
        return {};
    std::int32_t number = 0;
    const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), number);
    const bool isNumber = !w.empty() && error == std::errc() && end == w.data() + w.size();
    if (isNumber && (number < 0 || number > 50))
        return fail(bad("write_concern", w, "majority, a tag, or a number from 0 to 50"));
    m_options.acknowledged = !(isNumber && number == 0);
    if (!m_options.acknowledged && journal)
        return fail({ErrorKind::BadInput, "write_concern=0 and journal=on exclude each other", m_target.uri.display(),
                     "nobody waits for a journal whose write is not acknowledged"});
    m_options.writes.reset(mongoc_write_concern_new());
    mongoc_write_concern_t* concern = m_options.writes.get();
    std::vector<std::string> parts;
    if (!w.empty())
        parts.push_back("w=" + w);
    if (isNumber)
        mongoc_write_concern_set_w(concern, number);
    else if (w == "majority")
        mongoc_write_concern_set_w(concern, MONGOC_WRITE_CONCERN_W_MAJORITY);
    else if (!w.empty())
        mongoc_write_concern_set_wtag(concern, w.c_str());
    if (*journalGiven) {
        mongoc_write_concern_set_journal(concern, journal);
        parts.push_back(journal ? "j=true" : "j=false");
    }
    if (timeoutMs > 0) {
        mongoc_write_concern_set_wtimeout_int64(concern, std::int64_t(timeoutMs));
        parts.push_back(fmt::format("wtimeout={} ms", std::int64_t(timeoutMs)));
    }
    bson_t document;
    bson_init(&document);
    mongoc_write_concern_append(concern, &document);
    m_options.writeConcern = elementsOf(document);
    bson_destroy(&document);
    m_options.journal = journal;
    m_options.writeConcernText = fmt::format("{}", fmt::join(parts, ", "));
    return {};
}

Expected<void> Reader::readTopology()
{
    mongoc_uri_t* uri = m_options.uri.get();
    const std::string set = text("replica_set", "replicaSet");
    setText(MONGOC_URI_REPLICASET, set);
    m_options.severalHosts = m_options.severalHosts || !set.empty();
    bool direct = false;
    const auto given = flag("direct_connection", "directConnection", direct);
    if (!given)
        return fail(given.error());
    if (*given && direct && m_options.severalHosts && set.empty())
        return fail({ErrorKind::BadInput, "direct_connection=on takes one host", m_target.uri.display(),
                     "name one host, or leave direct_connection out"});
    if (*given)
        mongoc_uri_set_option_as_bool(uri, MONGOC_URI_DIRECTCONNECTION, direct);
    if (!m_target.look) // which writes no file
        m_options.commandLog = text("command_log");
    std::string name = text("app_name", "appName");
    if (name.empty())
        name = "dynobench";
    if (!mongoc_uri_set_appname(uri, name.c_str()))
        return fail(bad("app_name", name, "a text of up to 128 bytes"));
    for (const auto& [knob, query, value] : {std::tuple{"retry_reads", "retryReads", &m_options.retryReads},
                                             {"retry_writes", "retryWrites", &m_options.retryWrites}}) {
        if (const auto read = flag(knob, query, *value); !read)
            return fail(read.error());
    }
    mongoc_uri_set_option_as_bool(uri, MONGOC_URI_RETRYREADS, m_options.retryReads);
    mongoc_uri_set_option_as_bool(uri, MONGOC_URI_RETRYWRITES, m_options.retryWrites);
    return {};
}

Expected<void> Reader::readTimeouts()
{
    struct One
    {
        const char* knob;
        const char* query;
        double fallback;
        int& result;
    };
    for (const One& one :
         {One{"connect_timeout", "connectTimeoutMS", kDefaultConnectTimeout, m_options.connectTimeoutMs},
          One{"socket_timeout", "socketTimeoutMS", kDefaultSocketTimeout, m_options.socketTimeoutMs},
          One{"server_selection_timeout", "serverSelectionTimeoutMS", kDefaultSelectionTimeout,
              m_options.selectionTimeoutMs}}) {
        if (auto done = milliseconds(one.knob, one.query, one.fallback, one.result); !done)
            return done;
    }
    mongoc_uri_t* uri = m_options.uri.get();
    mongoc_uri_set_option_as_int32(uri, MONGOC_URI_CONNECTTIMEOUTMS, m_options.connectTimeoutMs);
    mongoc_uri_set_option_as_int32(uri, MONGOC_URI_SOCKETTIMEOUTMS, m_options.socketTimeoutMs);
    mongoc_uri_set_option_as_int32(uri, MONGOC_URI_SERVERSELECTIONTIMEOUTMS, m_options.selectionTimeoutMs);
    return {};
}

Expected<ConnectOptions> Reader::read()
{
    if (auto checked = checkTexts(); !checked)
        return fail(std::move(checked.error()));
    useLibrary();
    for (const auto step : {&Reader::makeUri, &Reader::readTls, &Reader::checkMechanism, &Reader::readCompressors,
                            &Reader::readReads, &Reader::readWrites, &Reader::readTopology, &Reader::readTimeouts}) {
        if (auto done = (this->*step)(); !done)
            return fail(std::move(done.error()));
    }
    if (!m_target.connectionExtra.empty())
        return fail({ErrorKind::BadInput,
                     fmt::format("there is no connection option \"{}\"", m_target.connectionExtra.begin()->first),
                     m_target.uri.display(), "MongoDB has no session variables; leave it out"});
    return std::move(m_options);
}

} // namespace

void useLibrary()
{
    static std::once_flag once;
    std::call_once(once, [] {
        mongoc_init();
        // Everything that matters is in an error's text; the library's own lines would go to standard error.
        mongoc_log_set_handler(nullptr, nullptr);
        mongoc_handshake_data_append("dynobench", nullptr, nullptr);
    });
}

OptionSpecs connectionOptions()
{
    OptionSpecs options;
    const UriForm form = mongodbUriForm();
    for (const char* name :
         {"write_concern", "journal", "read_concern", "read_preference", "tls", "tls_ca", "tls_cert_key", "compressors",
          "auth_mechanism", "auth_source", "replica_set", "direct_connection"}) {
        OptionSpec& option = options.emplace_back(form.option(name)->spec);
        if (option.name == "compressors") {
            option.choices = builtCompressors();
            option.choices.insert(option.choices.begin(), {"", "none"});
        }
    }
    const auto advanced = [&options](OptionSpec option) {
        option.group = "advanced";
        options.push_back(std::move(option));
    };
    advanced(
        choice("retry_reads", "Repeat reads",
               "on lets libmongoc repeat a read once after a network error. The retry is hidden in the latency and "
               "no error is counted. Empty is off.",
               {"", "on", "off"}));
    advanced(choice("retry_writes", "Repeat writes",
                    "on lets libmongoc repeat a findAndModify once after a network error, hidden in the latency. Other "
                    "writes are sent as they are and never repeated. Empty is off.",
                    {"", "on", "off"}));
    advanced(seconds("write_timeout", "Write concern timeout",
                     "wtimeout: how long the server waits for the write concern, in seconds; 0 is for ever.", 0, 0));
    advanced(seconds("connect_timeout", "Connect timeout", "How long to wait for a connection, in seconds.",
                     kDefaultConnectTimeout, 0.1));
    advanced(seconds("socket_timeout", "Answer timeout",
                     "How long to wait for an answer before the connection is given up, in seconds.",
                     kDefaultSocketTimeout, 0.1));
    advanced(seconds("server_selection_timeout", "Server selection timeout",
                     "How long to look for a server that fits, such as a primary, in seconds.",
                     kDefaultSelectionTimeout, 0.1));
    advanced(
        {.name = "command_log",
         .label = "Command log",
         .help = "File to which libmongoc's command monitoring appends a line for each command: its name, its duration "
                 "in microseconds and what became of it. It costs time on every operation; empty installs nothing.",
         .risk = "write into a file that it names, a line for each command: it can spoil a file of yours or fill the "
                 "disk",
         .notAtLook = true});
    advanced({.name = "app_name",
              .label = "Application name",
              .help = "What the server's log calls this client. Empty is dynobench."});
    return options;
}

mongoc_ssl_opt_t ConnectOptions::sslOptions() const
{
    mongoc_ssl_opt_t ssl{};
    ssl.ca_file = tlsCa.empty() ? nullptr : tlsCa.c_str();
    ssl.pem_file = tlsCertKey.empty() ? nullptr : tlsCertKey.c_str();
    ssl.weak_cert_validation = tls == Tls::Required && tlsCa.empty();
    ssl.allow_invalid_hostname = tls == Tls::Required;
    return ssl;
}

Expected<ConnectOptions> readOptions(const ConnectTarget& target)
{
    return Reader(target).read();
}

} // namespace dyno::mongodb
