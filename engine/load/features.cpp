// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/features.h"

namespace dyno {

Expected<void> checkFeatures(Admin& admin, const WorkloadInstance& workload)
{
    for (const FeatureProbe& probe : workload.probes()) {
        const auto rows = admin.query(probe.query);
        if (!rows)
            return tl::unexpected(rows.error());
        if (rows->empty())
            return fail({ErrorKind::Refused, probe.missing, {}, probe.remedy});
    }
    return {};
}

} // namespace dyno
