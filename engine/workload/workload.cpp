// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/workload.h"

namespace dyno {

std::vector<TableSpec> WorkloadInstance::tablesFor(int /*users*/) const
{
    return tables();
}

Task<Outcome> WorkloadInstance::finish(UserContext& /*user*/) const
{
    co_return Outcome::Ok;
}

bool WorkloadInstance::fatal(Outcome /*outcome*/, std::int32_t /*code*/) const
{
    return false;
}

bool WorkloadInstance::retryable(Outcome outcome, std::int32_t /*code*/) const
{
    return outcome == Outcome::Retryable;
}

} // namespace dyno
