// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/features.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace dyno {

namespace {

//! sys_table_aliases in sql/handler.cc of MySQL and MariaDB.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"innobase", "InnoDB"}, {"heap", "MEMORY"}, {"merge", "MRG_MYISAM"}, {"ndb", "ndbcluster"}, {"maria", "Aria"}};

} // namespace

std::string_view engineNameOf(std::string_view name)
{
    const auto* found = std::ranges::find(kOtherNames, lowered(name), &std::pair<std::string_view, std::string_view>::first);
    return found == std::end(kOtherNames) ? name : found->second;
}

std::vector<FeatureProbe> probesOf(const WorkloadInstance& workload, const DriverInfo& driver)
{
    std::vector<FeatureProbe> probes = workload.probes();
    std::set<std::string> engines;
    for (const TableSpec& table : driver.id == "mysql" ? workload.tables() : std::vector<TableSpec>()) {
        constexpr std::string_view kEngine = " ENGINE=";
        const std::size_t at = table.create.rfind(kEngine);
        if (at == std::string::npos)
            continue;
        const std::size_t from = at + kEngine.size();
        engines.insert(table.create.substr(from, table.create.find(' ', from) - from)); // a word: bind() takes no other
    }
    for (const std::string& engine : engines)
        probes.push_back({fmt::format("SELECT 1 FROM information_schema.ENGINES WHERE ENGINE = '{}' AND SUPPORT IN ('YES', 'DEFAULT')", engineNameOf(engine)),
                          fmt::format("this server has no storage engine {}", engine), "name one that SHOW ENGINES lists, or install its plugin"});
    return probes;
}

Expected<void> checkFeatures(Admin& admin, const std::vector<FeatureProbe>& probes)
{
    for (const FeatureProbe& probe : probes) {
        const auto rows = admin.query(probe.query);
        if (!rows)
            return tl::unexpected(rows.error());
        if (rows->empty())
            return fail({ErrorKind::Refused, probe.missing, {}, probe.remedy});
    }
    return {};
}

} // namespace dyno
