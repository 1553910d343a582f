// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Pre-flight of a ClickHouse server: what it says of itself against what a plan needs.
#include "clickhouse_admin.h"
#include "driver/preflight_list.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

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
    checkQueries(report.server, needs, list);
    checkMemory(report.server, list);
    checkCipher(report.server, list);
    return report;
}

} // namespace dyno::clickhouse
