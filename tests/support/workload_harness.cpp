// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/workload_harness.h"

#include <stdexcept>
#include <utility>

namespace dyno::test {

Task<Reply> stepOf(UserContext& user, Request request)
{
    const Reply reply = co_await user.step(request);
    co_return reply;
}

bool Recorded::same(const Recorded& other) const
{
    if (kind != other.kind || statement != other.statement || texts != other.texts || text != other.text ||
        value != other.value || params.size() != other.params.size())
        return false;
    for (std::size_t i = 0; i < params.size(); ++i) {
        if (params[i].type != other.params[i].type || params[i].integer != other.params[i].integer)
            return false;
    }
    return true;
}

RecordingSession::RecordingSession() = default;
RecordingSession::~RecordingSession() = default;

Progress RecordingSession::start(const Request& request)
{
    m_reply = ++seen == failAt ? failure : answer;
    m_kept.begin(Keep::All);
    for (const std::vector<Param>& row : rows) {
        m_kept.beginRow();
        for (const Param& value : row)
            m_kept.add(value);
    }
    if (!keep)
        return Progress::Done;
    Recorded recorded{request.kind, indexOf(request.statement), {},
                      {},           std::string(request.text),  std::string(request.value)};
    for (Param param : request.params) {
        recorded.texts.emplace_back(std::exchange(param.text, {}));
        recorded.params.push_back(param);
    }
    requests.push_back(std::move(recorded));
    return Progress::Done;
}

Expected<std::shared_ptr<const WorkloadInstance>> tryBindModel(std::string_view workload, const Settings& params,
                                                               DataModel model, const Settings& tableKnobs)
{
    const Workload* found = workloadFor(workload);
    Faults faults;
    const Settings complete = resolve(found->info().options, params, "workload", faults);
    if (!faults.empty())
        return fail({ErrorKind::BadInput, faults.front().what, faults.front().where, {}});
    DriverInfo driver = driverFor("null")->info();
    driver.models = {model};
    return found->bind(complete, driver, tableKnobs);
}

std::shared_ptr<const WorkloadInstance> bind(std::string_view workload, const Settings& params, std::string_view driver,
                                             const Settings& tableKnobs)
{
    const Workload* found = workloadFor(workload);
    if (!found)
        throw std::runtime_error("no such workload: " + std::string(workload));
    Faults faults;
    const Settings complete = resolve(found->info().options, params, "workload", faults);
    if (!faults.empty())
        throw std::runtime_error(faults.front().where + ": " + faults.front().what);
    auto bound = found->bind(complete, driverFor(driver)->info(), tableKnobs);
    if (!bound)
        throw std::runtime_error(bound.error().text());
    return *bound;
}

} // namespace dyno::test
