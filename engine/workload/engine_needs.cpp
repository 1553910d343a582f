// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/engine_needs.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace dyno {

namespace {

//! sys_table_aliases in sql/handler.cc of MySQL and MariaDB.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"innobase", "InnoDB"}, {"heap", "MEMORY"}, {"merge", "MRG_MYISAM"}, {"ndb", "ndbcluster"}, {"maria", "Aria"}};

constexpr std::array<std::string_view, 2> kWithForeignKeys{"innodb", "ndbcluster"};

} // namespace

std::string_view engineNameOf(std::string_view name)
{
    const auto* found =
        std::ranges::find(kOtherNames, lowered(name), &std::pair<std::string_view, std::string_view>::first);
    return found == std::end(kOtherNames) ? name : found->second;
}

std::vector<std::string> enginesOf(const std::vector<TableSpec>& tables)
{
    std::vector<std::string> engines;
    for (const TableSpec& table : tables) {
        constexpr std::string_view kEngine = " ENGINE=";
        const std::size_t at = table.create.rfind(kEngine);
        if (at == std::string::npos)
            continue;
        const std::size_t from = at + kEngine.size();
        std::string engine =
            table.create.substr(from, table.create.find(' ', from) - from); // a word: bind() takes no other
        if (std::ranges::find(engines, engine) == engines.end())
            engines.push_back(std::move(engine));
    }
    return engines;
}

bool keepsForeignKeys(std::string_view engine)
{
    return std::ranges::find(kWithForeignKeys, lowered(engineNameOf(engine))) != kWithForeignKeys.end();
}

std::vector<FeatureProbe> transactionProbes(const std::vector<TableSpec>& tables, const SqlDialect& sql,
                                            std::string_view why, std::string_view remedy)
{
    std::vector<FeatureProbe> probes;
    // An engine that is not there is told as such.
    for (const std::string& engine : sql.storageEngines ? enginesOf(tables) : std::vector<std::string>())
        probes.push_back({fmt::format("SELECT 1 FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM information_schema.ENGINES "
                                      "WHERE ENGINE = '{}' AND "
                                      "SUPPORT IN ('YES', 'DEFAULT') AND COALESCE(TRANSACTIONS, 'NO') <> 'YES')",
                                      engineNameOf(engine)),
                          fmt::format("the storage engine {} has no transactions{}", engine, why),
                          fmt::format("set table.engine to one that has them, such as InnoDB{}", remedy)});
    return probes;
}

std::vector<FeatureProbe> transactionProbes(const std::vector<TableSpec>& tables, const SqlDialect& sql)
{
    return transactionProbes(tables, sql, ", which this workload needs: what is rolled back would stay");
}

} // namespace dyno
