// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/preflight/server_features.h"

#include <fmt/format.h>

#include <iterator>

namespace dyno {

std::vector<FeatureProbe> probesOf(const WorkloadInstance& workload, const DriverInfo& driver)
{
    std::vector<FeatureProbe> probes;
    for (const std::string& engine :
         driver.sql.storageEngines ? enginesOf(workload.tables()) : std::vector<std::string>())
        probes.push_back(
            {fmt::format(
                 "SELECT 1 FROM information_schema.ENGINES WHERE ENGINE = '{}' AND SUPPORT IN ('YES', 'DEFAULT')",
                 engineNameOf(engine)),
             fmt::format("this server has no storage engine {}", engine),
             "name one that SHOW ENGINES lists, or install its plugin"});
    std::vector<FeatureProbe> own = workload.probes();
    probes.insert(probes.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
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
