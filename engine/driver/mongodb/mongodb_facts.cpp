// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a server says of itself, and its parameters.
#include "mongodb_admin.h"
#include "mongodb_reply.h"

#include "base/clock.h"
#include "base/secret_names.h"
#include "driver/mongodb/mongod_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

namespace dyno::mongodb {

namespace {

constexpr std::int32_t kNotWhileItRuns = 20;
constexpr std::int32_t kCommandNotFound = 59;
constexpr std::int32_t kNotImplemented = 238;

//! {"net": {"port": 1}} → net.port. Passwords are left out.
void flatten(const bson_iter_t& parent, const std::string& prefix, Settings& settings)
{
    bson_iter_t at;
    if (!bson_iter_recurse(&parent, &at))
        return;
    while (bson_iter_next(&at)) {
        const std::string name = prefix + bson_iter_key(&at);
        if (namesSecret(name))
            continue;
        if (BSON_ITER_HOLDS_DOCUMENT(&at))
            flatten(at, name + ".", settings);
        else
            settings.emplace(name, valueText(at));
    }
}

//! Options that are knobs go by the knob's name, so that they are found where a plan sets them.
void addOptions(const bson_t& commandLine, Settings& settings)
{
    bson_iter_t at;
    Settings options;
    if (bson_iter_init_find(&at, &commandLine, "parsed"))
        flatten(at, {}, options);
    for (const MongodOption& known : kMongodOptions) {
        if (auto option = options.extract(std::string(known.path))) {
            option.key() = known.knob;
            options.insert(std::move(option));
        }
    }
    settings.merge(options);
}

bool isParameterName(std::string_view name)
{
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    });
}

void appendValue(bson_t& document, const char* name, const Value& value)
{
    if (const auto* flag = std::get_if<bool>(&value))
        bson_append_bool(&document, name, -1, *flag);
    else if (const auto* number = std::get_if<std::int64_t>(&value))
        bson_append_int64(&document, name, -1, *number);
    else if (const auto* real = std::get_if<double>(&value))
        bson_append_double(&document, name, -1, *real);
    else
        bson_append_utf8(&document, name, -1, std::get<std::string>(value).c_str(), -1);
}

} // namespace

Settings MongodbAdmin::variables()
{
    Settings settings;
    // A server without the command, or a user without the right, has fewer.
    if (const auto reply = run(R"({"getParameter": "*"})")) {
        bson_iter_t at;
        if (bson_iter_init(&at, &**reply)) {
            while (bson_iter_next(&at)) {
                const std::string name = bson_iter_key(&at);
                if (name == "ok" || name == "operationTime" || name.starts_with('$') || namesSecret(name))
                    continue;
                if (BSON_ITER_HOLDS_DOCUMENT(&at))
                    flatten(at, name + ".", settings);
                else
                    settings.emplace(name, valueText(at));
            }
        }
    }
    if (const auto reply = run(R"({"getCmdLineOpts": 1})"))
        addOptions(**reply, settings);
    if (const auto reply = run(R"({"buildInfo": 1})")) {
        for (const char* name :
             {"version", "gitVersion", "allocator", "javascriptEngine", "bits", "maxBsonObjectSize"}) {
            if (std::string value = textAt(**reply, name); !value.empty())
                settings.emplace(std::string("buildInfo.") + name, std::move(value));
        }
    }
    if (const auto reply = hello()) {
        for (const char* name :
             {"setName", "msg", "isWritablePrimary", "ismaster", "maxWireVersion", "maxWriteBatchSize",
              "maxMessageSizeBytes", "logicalSessionTimeoutMinutes", kProcessId}) {
            if (std::string value = textAt(**reply, name); !value.empty())
                settings.emplace(std::string("hello.") + name, std::move(value));
        }
    }
    return settings;
}

Expected<ServerFacts> MongodbAdmin::facts()
{
    auto product = this->product();
    if (!product)
        return fail(std::move(product.error()));
    ServerFacts facts;
    facts.product = product->name;
    facts.version = product->version.empty() ? product->claims : product->version;
    facts.transport = m_uri.host.starts_with('/') ? "Unix socket" : "TCP";
    // libmongoc does not tell which one was agreed on.
    facts.cipher = m_options.tls == ConnectOptions::Tls::Off ? "" : "TLS";
    facts.unverified = m_options.tls == ConnectOptions::Tls::Required && !isLocal(m_uri);
    facts.variables = variables();
    facts.variables.emplace("topology", product->topology);
    if (!product->engine.empty())
        facts.variables.emplace("storageEngine", product->engine);
    if (!product->claims.empty())
        facts.variables.emplace("claimed MongoDB version", product->claims);
    std::array<std::int64_t, 5> trips{};
    for (std::int64_t& trip : trips) {
        const std::int64_t begin = nowNs();
        if (auto reply = run(R"({"ping": 1})"); !reply)
            return fail(std::move(reply.error()));
        trip = nowNs() - begin;
    }
    std::sort(trips.begin(), trips.end());
    facts.roundTripMs = double(trips[trips.size() / 2]) / 1e6;
    return facts;
}

Expected<std::string> MongodbAdmin::variable(std::string_view name)
{
    const std::string wanted(name);
    const Error unknown{ErrorKind::BadInput, fmt::format("the server has no parameter \"{}\"", name), m_uri.display(),
                        "correct the name, or leave it out for this server and version"};
    if (!isParameterName(name))
        return fail(unknown);
    Document command;
    bson_append_int32(command.get(), "getParameter", -1, 1);
    bson_append_int32(command.get(), wanted.c_str(), -1, 1);
    auto reply = run(*command);
    if (reply) {
        bson_iter_t at;
        if (bson_iter_init_find(&at, &**reply, wanted.c_str()))
            return valueText(at);
    } else {
        // Old servers give no code for it. Who may not ask for parameters may still be told options.
        const bool noSuch = m_lastCode == kInvalidOptions || m_lastCode == kCommandNotFound ||
                            m_lastCode == kNotImplemented ||
                            reply.error().message.find("no option found") != std::string::npos;
        if (!noSuch && !(m_lastCode == kUnauthorized && findMongodOption(name)))
            return fail(std::move(reply.error()));
    }
    // Start options: known ones by the knob's name or their path, others by their path.
    auto options = run(R"({"getCmdLineOpts": 1})");
    if (!options && m_lastCode == kUnauthorized)
        return fail(
            {ErrorKind::Refused,
             fmt::format("{} may be an option that the server was started with, which this user may not read", name),
             m_uri.display(), "grant the user the role clusterMonitor"});
    Settings all = variables();
    const auto* option = std::find_if(kMongodOptions.begin(), kMongodOptions.end(),
                                      [name](const MongodOption& one) { return one.path == name; });
    const auto found = all.find(option == kMongodOptions.end() ? name : option->knob);
    if (found != all.end())
        return toText(found->second);
    if (options && (findMongodOption(name) || option != kMongodOptions.end()))
        return fail({ErrorKind::BadInput,
                     fmt::format("the server was started without the option {}: its own default is in force", name),
                     m_uri.display(), "give it when the server is started"});
    return fail(unknown);
}

Expected<Document> MongodbAdmin::hello()
{
    auto reply = run(R"({"hello": 1})");
    // Servers before 4.4.2 know it by its old name only.
    return reply || m_lastCode != kCommandNotFound ? std::move(reply) : run(R"({"isMaster": 1})");
}

Expected<void> MongodbAdmin::setVariable(std::string_view name, const Value& value)
{
    const std::string wanted(name);
    if (!isParameterName(name))
        return fail({ErrorKind::BadInput, fmt::format("\"{}\" is not a name of a parameter", name), m_uri.display(),
                     "use letters, digits and _"});
    Document command;
    bson_append_int32(command.get(), "setParameter", -1, 1);
    appendValue(*command.get(), wanted.c_str(), value);
    auto reply = run(*command);
    if (reply)
        return {};
    const std::int32_t code = m_lastCode;
    Error error = std::move(reply.error());
    if (code == kCommandNotFound || code == kNotImplemented) {
        const auto product = this->product();
        return fail({ErrorKind::Refused,
                     fmt::format("{} has no parameters that can be set while it runs: {} stays as it is",
                                 product ? product->text() : std::string("this server"), name),
                     m_uri.display(), "leave server knobs out for this product"});
    }
    const bool unrecognized = error.message.find("unrecognized") != std::string::npos;
    const bool atStart = (unrecognized && findMongodOption(name)) ||
                         error.message.find("runtime") != std::string::npos ||
                         error.message.find("startup") != std::string::npos;
    if (code == kNotWhileItRuns || atStart)
        return fail({ErrorKind::Refused,
                     fmt::format("{} cannot be changed while the server runs; it needs a restart", name),
                     m_uri.display(), "set it in the server's option file and restart, or use a managed server"});
    if (unrecognized)
        return fail({ErrorKind::BadInput, fmt::format("the server has no parameter \"{}\"", name), m_uri.display(),
                     "correct the name, or leave it out for this server and version"});
    return fail({error.kind, fmt::format("{}={} was refused: {}", name, toText(value), error.message), m_uri.display(),
                 error.remedy});
}

} // namespace dyno::mongodb
