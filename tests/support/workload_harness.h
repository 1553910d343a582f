// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Runs workload code in a test without an executor: on this thread, with any session.
#pragma once

#include "load/executor/wait_for_reply.h"
#include "metrics/recorder.h"
#include "workload/workload.h"

#include <memory>
#include <string>
#include <vector>

namespace dyno::test {

//! Runs `task` to its end on this thread; sessions that answer Pending are completed by poll().
template<class T>
T complete(Task<T> task, UserContext& user)
{
    task.start();
    while (const std::coroutine_handle<> waiter = user.takeWaiter()) {
        finishPending(user.session());
        coro::run(waiter);
    }
    return task.result();
}

[[nodiscard]] Task<Reply> stepOf(UserContext& user, Request request);

//! A request as a test can look at it: texts are copied.
struct Recorded
{
    RequestKind kind = RequestKind::Text;
    std::size_t statement = 0;
    std::vector<Param> params;      //!< of type Text: `text` is empty, see `texts`
    std::vector<std::string> texts; //!< one for each parameter
    std::string text;
    std::string value; //!< rows of a bulk request
    [[nodiscard]] std::int64_t number(std::size_t i) const { return params.at(i).integer; }
    [[nodiscard]] bool same(const Recorded& other) const;
};

//! Answers every request with Ok and keeps it. The request number `failAt` (1-based, 0 = none) gets `failure` instead.
class RecordingSession final : public Session
{
public:
    RecordingSession();
    ~RecordingSession() override;

    std::vector<Recorded> requests;
    bool keep = true; //!< false: only counts
    std::size_t seen = 0;
    std::size_t failAt = 0;
    Reply failure{Outcome::Retryable, 1213};
    Reply answer{.rows = 1};
    std::vector<std::vector<Param>> rows; //!< kept with each answer

    Progress start(const Request& request) override;
    [[nodiscard]] std::string lastError() const override { return "as the test wants it"; }
};

//! A user with all it needs.
struct TestUser
{
    TestUser(std::unique_ptr<Session> theSession, std::size_t operations, UserPlace place = {})
        : session(std::move(theSession))
        , recorder(1, operations, false)
        , context(*session, recorder.shard(0), place)
    {
    }
    Outcome run(const WorkloadInstance& workload, std::uint64_t sequence)
    {
        context.beginTransaction(sequence);
        return complete(workload.transaction(context), context);
    }

    std::unique_ptr<Session> session;
    Recorder recorder;
    UserContext context;
};

//! The workload's instance with defaults overlaid by `params`, for a driver without data that has one model.
[[nodiscard]] Expected<std::shared_ptr<const WorkloadInstance>>
tryBindModel(std::string_view workload, const Settings& params, DataModel model, const Settings& tableKnobs = {});

//! The workload's instance with defaults overlaid by `params`; throws with the fault's text.
[[nodiscard]] std::shared_ptr<const WorkloadInstance> bind(std::string_view workload, const Settings& params,
                                                           std::string_view driver, const Settings& tableKnobs = {});

} // namespace dyno::test
