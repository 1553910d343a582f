// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/workload.h"

namespace dyno {

std::vector<TableSpec> WorkloadInstance::tablesFor(int /*users*/) const
{
    return tables();
}

bool WorkloadInstance::makeReady(Use /*use*/, const std::function<bool()>& /*goOn*/, std::uint64_t /*seed*/) const
{
    return true;
}

Task<Outcome> WorkloadInstance::finish(UserContext& /*user*/) const
{
    co_return Outcome::Ok;
}

Pauses WorkloadInstance::pauses(UserContext& /*user*/) const
{
    return {};
}

bool WorkloadInstance::isOver(UserContext& /*user*/) const
{
    return false;
}

const std::vector<StepSpec>& WorkloadInstance::steps() const
{
    static const std::vector<StepSpec> none;
    return none;
}

Task<Outcome> StepsInstance::transaction(UserContext& user) const
{
    std::uint64_t round = user.sequence();
    std::size_t step = 0;
    while (step < m_steps.size() && round >= std::uint64_t(m_steps[step].times))
        round -= std::uint64_t(m_steps[step++].times);
    if (step == m_steps.size())
        co_return Outcome::Ok; // the list is done
    const std::int64_t startNs = nowNs();
    const Outcome outcome = co_await runStep(user, step, int(round));
    user.recordOperation(m_steps[step].op, std::uint64_t(nowNs() - startNs), outcome == Outcome::Ok);
    co_return outcome;
}

std::vector<OperationInfo> Workload::operations(const Settings& /*params*/) const
{
    return info().operations;
}

void Workload::joinTables(Settings& /*own*/, const Settings& /*said*/, const Workload& /*loader*/,
                          const Settings& /*params*/) const
{
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
