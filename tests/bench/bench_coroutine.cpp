// SPDX-License-Identifier: GPL-3.0-or-later
// What the coroutines cost: the same requests to a session that answers at once, called directly, and awaited one by
// one in transactions (a coroutine within a coroutine, as the engine runs them). Nanoseconds, median of rounds.
#include "base/clock.h"
#include "coro/task.h"
#include "workload/user_context.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

using namespace dyno;

namespace {

class AtOnce final : public Session
{
public:
    __attribute__((noinline)) Progress start(const Request& request) override
    {
        m_sum += indexOf(request.statement);
        m_reply.rows = std::int64_t(m_sum);
        return Progress::Done;
    }
    [[nodiscard]] std::string lastError() const override { return {}; }

private:
    std::size_t m_sum = 0;
};

constexpr int kTransactions = 400'000;

Task<Outcome> transaction(UserContext& user, int operations)
{
    for (int i = 0; i < operations; ++i) {
        const Request request = Request::execute(StatementId(std::size_t(i)), {});
        const Reply reply = co_await user.step(request);
        if (reply.outcome != Outcome::Ok)
            co_return reply.outcome;
    }
    co_return Outcome::Ok;
}

Task<void> life(UserContext& user, int operations)
{
    for (int i = 0; i < kTransactions; ++i) {
        const Outcome outcome = co_await transaction(user, operations);
        if (outcome != Outcome::Ok)
            co_return;
    }
}

double direct(AtOnce& session, int operations)
{
    const std::int64_t start = nowNs();
    for (int t = 0; t < kTransactions; ++t) {
        for (int i = 0; i < operations; ++i) {
            const Request request = Request::execute(StatementId(std::size_t(i)), {});
            if (static_cast<Session&>(session).start(request) != Progress::Done ||
                session.reply().outcome != Outcome::Ok)
                return 0;
        }
    }
    return double(nowNs() - start) / kTransactions / operations;
}

double awaited(UserContext& user, int operations)
{
    const std::int64_t start = nowNs();
    Task<void> task = life(user, operations);
    task.start();
    task.result();
    return double(nowNs() - start) / kTransactions / operations;
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

} // namespace

int main()
{
    AtOnce session;
    Recorder recorder(1, 1, false);
    UserContext user(session, recorder.shard(0), {});
    fmt::print(
        "| operations a transaction | called, ns | awaited, ns | coroutines, ns an operation |\n|---|---|---|---|\n");
    for (const int operations : {1, 16}) {
        std::vector<double> called, waited, cost;
        for (int round = 0; round < 9; ++round) {
            called.push_back(direct(session, operations));
            waited.push_back(awaited(user, operations));
            cost.push_back(waited.back() - called.back());
        }
        fmt::print("| {} | {:.1f} | {:.1f} | {:.1f} |\n", operations, median(called), median(waited), median(cost));
    }
}
