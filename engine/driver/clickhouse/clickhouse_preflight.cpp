// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Pre-flight of a ClickHouse server: what it says of itself against what a plan needs.
#include "clickhouse_admin.h"
#include "clickhouse_grants.h"
#include "clickhouse_statement.h"
#include "driver/preflight_list.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace dyno::clickhouse {

namespace {

using Level = PreflightLevel;

std::uint64_t settingOf(const ServerFacts& facts, std::string_view name)
{
    std::uint64_t number = 0;
    const std::string text = textOf(facts.variables, name);
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

bool writesRows(const PreflightNeeds& needs)
{
    return needs.creates || std::ranges::any_of(needs.rights, [](const auto& one) { return one != "SELECT"; });
}

void checkReadOnly(const ServerFacts& facts, const PreflightNeeds& needs, PreflightList& list)
{
    const std::uint64_t readOnly = settingOf(facts, "readonly");
    if (readOnly == 0 || !writesRows(needs))
        return;
    list.add(
        "read_only", Level::Blocker, fmt::format("this user may only read: readonly is {}", readOnly),
        "connect as a user whose profile has no readonly, or use a workload that only reads and data that is there");
}

//! Of a plan's rights those that this server tells apart, by its own names.
std::vector<std::string> rightsFor(const PreflightNeeds& needs)
{
    constexpr std::pair<std::string_view, const char*> kRights[] = {
        {"SELECT", "SELECT"}, {"INSERT", "INSERT"}, {"CREATE", "CREATE TABLE"}, {"DROP", "DROP TABLE"}};
    std::vector<std::string> rights;
    for (const auto& [right, own] : kRights) {
        if (std::ranges::find(needs.rights, right) != needs.rights.end())
            rights.emplace_back(own);
    }
    return rights;
}

//! Whether the user may do on `database` what the plan needs. Versions before 20.5 have no grants: readonly says who
//! may write, allow_ddl who may make tables, and of a database that is closed to the user the connection says so.
void checkRights(Admin& admin, const TargetUri& uri, const PreflightNeeds& needs, PreflightReport& report)
{
    PreflightList list(report.items);
    const std::vector<std::string> rights = rightsFor(needs);
    if (rights.empty())
        return;
    const std::string user = uri.user.empty() ? "default" : uri.user;
    const std::string allowed = fmt::format("the user {} may do what the plan needs", user);
    const auto miss = [&](const std::string& right) {
        report.missingRights.push_back(fmt::format("{} on {}.*", right, uri.database));
    };
    if (textOf(report.server.variables, "allow_ddl") == "0") {
        for (const std::string& right : rights) {
            if (right.ends_with(" TABLE"))
                miss(right);
        }
        if (!report.missingRights.empty())
            return list.add(
                "rights", Level::Blocker,
                fmt::format("the user {} has no {}: allow_ddl is 0", user, fmt::join(report.missingRights, ", no ")),
                "set allow_ddl to 1 in the user's profile, or use data that is there");
    }
    auto lines = admin.query("SHOW GRANTS FINAL"); // with those of roles, in newer versions
    const bool ofRoles = lines.has_value();
    if (!lines)
        lines = admin.query("SHOW GRANTS");
    if (!lines) {
        if (settingOf(report.server, "readonly") == 0)
            list.ok("rights", allowed);
        return;
    }
    Grants grants;
    for (const std::vector<std::string>& line : *lines)
        grants.add(line.empty() ? std::string_view() : std::string_view(line.front()));
    std::vector<std::string> missing;
    for (const std::string& right : rights) {
        if (!grants.has(right, uri.database))
            missing.push_back(right);
    }
    if (missing.empty())
        return list.ok("rights", allowed);
    if (grants.hasRoles() && !ofRoles)
        return list.add("rights", Level::Warning,
                        fmt::format("the user {} has {} from a role, or not at all", user, fmt::join(missing, ", ")),
                        "see SHOW GRANTS of the role");
    for (const std::string& right : missing)
        miss(right);
    list.add(
        "rights", Level::Blocker, fmt::format("the user {} has no {}", user, fmt::join(report.missingRights, ", no ")),
        fmt::format("GRANT {} ON {}.* TO {}", fmt::join(missing, ", "), nameQuoted(uri.database), nameQuoted(user)));
}

//! Of the server, since versions that list it; a query beyond it is refused.
void checkQueries(const ServerFacts& facts, const PreflightNeeds& needs, PreflightList& list)
{
    const std::uint64_t most = settingOf(facts, "max_concurrent_queries");
    if (most == 0)
        return;
    const auto users = std::uint64_t(needs.users);
    const std::string what =
        fmt::format("{} may run {} at once; max_concurrent_queries is {}", counted(users, "user", "users"),
                    counted(users, "query", "queries"), groupedNumber(most));
    if (users < most)
        return list.ok("max_concurrent_queries", what);
    list.add("max_concurrent_queries", Level::Blocker, what,
             "raise max_concurrent_queries in the server's files, or use fewer users");
}

void checkMemory(const ServerFacts& facts, PreflightList& list)
{
    const std::uint64_t most = settingOf(facts, "max_memory_usage");
    if (most == 0)
        return list.ok("query_memory", "max_memory_usage is 0: a query may take all of the server's memory");
    list.add("query_memory", Level::Note, fmt::format("a query may take {}: max_memory_usage", sizeText(most)),
             "one that needs more fails with MEMORY_LIMIT_EXCEEDED");
}

void checkCipher(const ServerFacts& facts, PreflightList& list)
{
    if (facts.unverified)
        return list.add("cipher", Level::Warning, kUnverifiedServer,
                        "use tls=verify, with tls_ca for an authority of your own");
    if (!facts.cipher.empty())
        return list.add("cipher", Level::Note, fmt::format("the connection is encrypted with {}", facts.cipher),
                        "encryption is part of the figures: name it beside the result");
    list.add("cipher", Level::Note, "the connection is not encrypted", "add tls=verify to the URI to measure with TLS");
}

} // namespace

Expected<PreflightReport> ClickhouseAdmin::preflight(const PreflightNeeds& needs)
{
    PreflightReport report;
    report.target = m_uri.display();
    auto facts = this->facts();
    if (!facts)
        return fail(std::move(facts.error()));
    report.server = std::move(*facts);
    report.roundTripMs = report.server.roundTripMs;
    PreflightList list(report.items);
    checkReadOnly(report.server, needs, list);
    checkRights(*this, m_uri, needs, report);
    checkQueries(report.server, needs, list);
    checkMemory(report.server, list);
    checkCipher(report.server, list);
    return report;
}

} // namespace dyno::clickhouse
