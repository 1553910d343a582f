// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Pre-flight of a MongoDB-protocol server: what it says of itself against what a plan needs.
#include "driver/preflight_list.h"
#include "mongodb_admin.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <optional>
#include <thread>

namespace dyno::mongodb {

namespace {

using Level = PreflightLevel;

constexpr auto kWatch = std::chrono::milliseconds(500); //!< how long other load is watched
constexpr double kQuietRate = 20;                       //!< requests a second that a monitoring agent may make
constexpr std::uint64_t kWatchers = 2;                  //!< connections of libmongoc's own, for each pool and server
constexpr std::uint64_t kFilesOfCollection = 4;         //!< its own and those of its indexes
constexpr std::uint64_t kOwnFiles = 100;                //!< logs, journal and system collections of a server

class Check
{
public:
    Check(MongodbAdmin& admin, const PreflightNeeds& needs, PreflightReport& report)
        : m_admin(admin)
        , m_needs(needs)
        , m_list(report.items)
        , m_report(report)
    {
    }
    Expected<void> run();

private:
    //! A number of serverStatus; nullopt when the server does not tell.
    [[nodiscard]] std::optional<std::uint64_t> status(const char* path) const
    {
        return number(textAt(*m_status, path));
    }
    [[nodiscard]] static std::optional<std::uint64_t> number(const std::string& text);
    [[nodiscard]] std::string users() const { return counted(std::uint64_t(m_needs.users), "user", "users"); }
    [[nodiscard]] bool local() const;

    void product();
    void writeConcern();
    void transactions();
    void connections();
    void openFiles();
    void requestSize();
    void cache();
    void replicaSet();
    void cipher();
    void durability();
    void otherLoad();

    MongodbAdmin& m_admin;
    const PreflightNeeds& m_needs;
    PreflightList m_list;
    PreflightReport& m_report;
    Product m_product;
    Document m_status, m_hello;
};

std::optional<std::uint64_t> Check::number(const std::string& text)
{
    double value = 0; // some servers write counts as 1e+07
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || value < 0)
        return std::nullopt;
    return std::uint64_t(value);
}

bool Check::local() const
{
    const std::string& host = m_admin.uri().host;
    return host.empty() || host.starts_with('/') || host == "localhost" || host == "::1" || host.starts_with("127.");
}

void Check::product()
{
    const std::string where = m_product.topology + (m_product.engine.empty() ? "" : ", " + m_product.engine);
    if (m_product.claims.empty())
        return m_list.ok("product", fmt::format("{}, {}", m_product.text(), where));
    m_list.add("product", Level::Warning,
               fmt::format("behind MongoDB's protocol answers {}, {}", m_product.text(), where),
               fmt::format("name {} beside the result: it says nothing about MongoDB", m_product.name));
}

void Check::writeConcern()
{
    const ConnectOptions& options = m_admin.options();
    if (!options.acknowledged && !m_product.honoursUnacknowledged)
        return m_list.add("write_concern", Level::Blocker,
                          fmt::format("write_concern is 0, and {} answers such writes all the same: every later answer "
                                      "would belong to another request",
                                      m_product.text()),
                          "use write_concern=1 or majority");
    if (!options.acknowledged)
        return m_list.add("write_concern", Level::Warning,
                          "write_concern is 0: the server acknowledges no write, and errors stay unknown",
                          "throughput is then that of sending; use write_concern=1 to measure writes that took place");
    std::string inForce = options.writeConcernText;
    if (inForce.empty()) {
        if (const auto reply = m_admin.run(R"({"getDefaultRWConcern": 1})"))
            inForce = textAt(**reply, "defaultWriteConcern.w");
        inForce = inForce.empty() ? "the server's default" : "w=" + inForce + " (the server's default)";
    }
    std::string what =
        fmt::format("write concern in force: {}; read preference {}{}", inForce, options.readPreferenceText,
                    options.readConcernText.empty() ? "" : ", read concern " + options.readConcernText);
    const bool asksForMore = options.journal || options.writeConcernText.find("majority") != std::string::npos;
    if (!m_product.claims.empty() && asksForMore)
        return m_list.add(
            "write_concern", Level::Warning, std::move(what),
            fmt::format("{} accepts this and may do nothing about it: do not compare its durability", m_product.name));
    m_list.add("write_concern", Level::Note, std::move(what), "name it beside the result");
}

void Check::transactions()
{
    if (m_product.noTransactions.empty())
        return m_list.ok("transactions", fmt::format("{} has transactions", m_product.topology));
    const std::string why = m_product.claims.empty()
                                ? m_product.noTransactions
                                : fmt::format("{}: {}", m_product.text(), m_product.noTransactions);
    if (m_needs.transactions)
        return m_list.add("transactions", Level::Blocker, fmt::format("the workload begins transactions; {}", why),
                          "use a replica set of MongoDB 4.0 or newer, or workload parameters that begin none");
    m_list.add("transactions", Level::Note, why, "a workload that begins one is refused with this reason");
}

void Check::connections()
{
    const auto available = status("connections.available");
    const auto current = status("connections.current");
    if (!available || !current)
        return;
    const std::uint64_t needed = std::uint64_t(m_needs.users) + kWatchers;
    std::string what = fmt::format("{} need{} {}, with those that watch the server; it has room for {} more, {} in use",
                                   users(), m_needs.users == 1 ? "s" : "", counted(needed, "connection", "connections"),
                                   groupedNumber(*available), groupedNumber(*current));
    if (needed > *available)
        m_list.add("connections", Level::Blocker, std::move(what),
                   fmt::format("start the server with net.maxIncomingConnections of at least {} and a limit of open "
                               "files above that, or use fewer users",
                               roundedUp(needed + *current + 10, 50)));
    else
        m_list.ok("connections", std::move(what));
}

void Check::openFiles()
{
    const auto pid = status("pid");
    if (!pid || !local())
        return; // only the server's own machine tells
    std::ifstream limits(fmt::format("/proc/{}/limits", *pid));
    std::optional<std::uint64_t> limit;
    for (std::string line; !limit && std::getline(limits, line);) {
        constexpr std::string_view kName = "Max open files";
        if (line.starts_with(kName))
            limit = number(line.substr(std::min(line.find_first_of("0123456789"), line.size())));
    }
    if (!limit)
        return;
    const std::uint64_t needed =
        std::uint64_t(m_needs.users) + std::uint64_t(std::max(m_needs.tables, 0)) * kFilesOfCollection + kOwnFiles;
    std::string what = fmt::format("{} and {} need about {} on the server; its limit is {}", users(),
                                   counted(std::uint64_t(m_needs.tables), "collection", "collections"),
                                   counted(needed, "file", "files"), groupedNumber(*limit));
    if (needed <= *limit)
        return m_list.ok("open_files", std::move(what));
    m_list.add("open_files", Level::Blocker, std::move(what),
               fmt::format("start the server with a limit of {} open files (ulimit -n, LimitNOFILE of its service)",
                           roundedUp(needed * 2, 1024)));
}

void Check::requestSize()
{
    const auto document = number(textAt(*m_hello, "maxBsonObjectSize"));
    const auto message = number(textAt(*m_hello, "maxMessageSizeBytes"));
    // A command is one document; servers other than MongoDB look at the whole message only.
    const auto limit = m_product.claims.empty() ? document : message;
    if (!limit || m_needs.largestRequest == 0)
        return;
    std::string what = fmt::format("the longest command has {}; the server takes {}", sizeText(m_needs.largestRequest),
                                   sizeText(*limit));
    if (m_needs.largestRequest <= *limit)
        return m_list.ok("request_size", std::move(what));
    m_list.add("request_size", Level::Blocker, std::move(what), "insert fewer or smaller documents at a time");
}

void Check::cache()
{
    const auto cache = status("wiredTiger.cache.maximum bytes configured");
    const std::uint64_t data = m_needs.creates ? m_needs.dataBytes : std::max(m_needs.dataBytes, m_admin.dataBytes({}));
    if (!cache || data == 0)
        return;
    std::string what = fmt::format("about {} of data; WiredTiger's cache has {}", sizeText(data), sizeText(*cache));
    if (data <= *cache)
        return m_list.ok("data_size", std::move(what));
    m_list.add(
        "data_size", Level::Warning, std::move(what),
        fmt::format("the disk is measured too: start the server with storage.wiredTiger.engineConfig.cacheSizeGB "
                    "of {} or more, or use less data, unless that is meant",
                    data / (std::uint64_t(1) << 30) + 1));
}

void Check::replicaSet()
{
    if (m_product.topology != "replica set")
        return;
    std::string primary = textAt(*m_hello, "isWritablePrimary");
    if (primary.empty())
        primary = textAt(*m_hello, "ismaster");
    const std::string set = textAt(*m_hello, "setName");
    std::vector<std::string> members;
    bool healthy = true;
    bool hasPrimary = primary == "true";
    if (const auto reply = m_admin.run(R"({"replSetGetStatus": 1})")) {
        bson_iter_t at;
        bson_iter_t member;
        if (bson_iter_init_find(&at, &**reply, "members") && bson_iter_recurse(&at, &member)) {
            while (bson_iter_next(&member)) {
                std::uint32_t size = 0;
                const std::uint8_t* data = nullptr;
                bson_t one;
                if (!BSON_ITER_HOLDS_DOCUMENT(&member))
                    continue;
                bson_iter_document(&member, &size, &data);
                if (!bson_init_static(&one, data, size))
                    continue;
                const std::string state = textAt(one, "stateStr");
                members.push_back(fmt::format("{} {}", textAt(one, "name"), state));
                hasPrimary = hasPrimary || state == "PRIMARY";
                healthy = healthy && (state == "PRIMARY" || state == "SECONDARY" || state == "ARBITER");
            }
        }
    }
    std::string what = fmt::format(
        "replica set {}: {}", set,
        members.empty() ? std::string(hasPrimary ? "this member is the primary" : "this member is not the primary")
                        : fmt::format("{}", fmt::join(members, ", ")));
    if (!hasPrimary)
        m_list.add("replica_set", Level::Blocker, std::move(what),
                   "wait until a primary is elected, or look why none is");
    else if (!healthy)
        m_list.add("replica_set", Level::Warning, std::move(what), "measure when all members are well again");
    else if (primary != "true" && !m_admin.options().readPreference)
        m_list.add("replica_set", Level::Warning, std::move(what),
                   "the URI leads to a secondary: name the set with replica_set, so that the primary is found");
    else
        m_list.ok("replica_set", std::move(what));
}

void Check::cipher()
{
    if (m_report.server.unverified)
        return m_list.add("cipher", Level::Warning, kUnverifiedServer,
                          "use tls=verify, with tls_ca for an authority of your own");
    if (!m_report.server.cipher.empty())
        return m_list.add("cipher", Level::Note, "the connection is encrypted with TLS",
                          "encryption is part of the figures: name it beside the result");
    if (m_report.server.transport == "TCP")
        return m_list.add("cipher", Level::Note, "the connection is not encrypted",
                          "add tls=verify to the URI to measure with TLS");
    m_list.ok("cipher", fmt::format("the connection is not encrypted: {}", m_report.server.transport));
}

void Check::durability()
{
    std::vector<std::pair<std::string, std::string>> now;
    for (const char* name : {"journal", "journalCommitInterval", "syncdelay", "syncPeriodSecs", "journalCompressor",
                             "blockCompressor", "enableEncryption"}) {
        if (const auto found = m_report.server.variables.find(name); found != m_report.server.variables.end())
            now.emplace_back(name, toText(found->second));
    }
    std::string text = durabilityText(now, m_needs.planned);
    if (const auto writes = status("wiredTiger.log.log bytes written")) {
        const char* const journal = *writes > 0 ? "the journal is on" : "nothing was journalled since the start";
        text = text.empty() ? std::string(journal) : fmt::format("{}, {}", journal, text);
    }
    if (text.empty())
        return;
    m_list.add("durability", Level::Note, fmt::format("durability in force: {}", text),
               "name these settings beside the result");
}

void Check::otherLoad()
{
    const auto before = status("network.numRequests");
    if (!before)
        return;
    const auto start = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(kWatch); // a rate needs a time; nothing tells when others have asked enough
    auto later = m_admin.run(R"({"serverStatus": 1})");
    if (!later)
        return;
    const auto after = number(textAt(**later, "network.numRequests"));
    if (!after)
        return;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::uint64_t ours = 20; // at most, of the checks between the figures
    const double rate = double(*after - std::min(*after, *before + ours)) / seconds;
    std::string what = fmt::format("other clients send {} requests/s", groupedNumber(std::uint64_t(rate)));
    if (rate <= kQuietRate)
        return m_list.ok("other_load", std::move(what));
    m_list.add("other_load", Level::Warning, std::move(what),
               "measure when nobody else uses the server: the command currentOp tells who does");
}

Expected<void> Check::run()
{
    auto facts = m_admin.facts();
    if (!facts)
        return fail(std::move(facts.error()));
    m_report.server = std::move(*facts);
    m_report.roundTripMs = m_report.server.roundTripMs;
    auto answers = m_admin.product();
    if (!answers)
        return fail(std::move(answers.error()));
    m_product = std::move(*answers);
    // What a server does not tell is not checked.
    if (auto now = m_admin.run(R"({"serverStatus": 1})"))
        m_status = std::move(*now);
    if (auto hello = m_admin.hello())
        m_hello = std::move(*hello);
    product();
    writeConcern();
    transactions();
    connections();
    openFiles();
    requestSize();
    cache();
    replicaSet();
    cipher();
    durability();
    otherLoad();
    return {};
}

} // namespace

Expected<PreflightReport> MongodbAdmin::preflight(const PreflightNeeds& needs)
{
    PreflightReport report;
    report.target = m_uri.display();
    Check check(*this, needs, report);
    if (auto done = check.run(); !done)
        return fail(std::move(done.error()));
    return report;
}

} // namespace dyno::mongodb
