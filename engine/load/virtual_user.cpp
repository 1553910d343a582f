// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/virtual_user.h"

#include <fmt/format.h>

namespace dyno {

namespace {

//! A user that fails this often without one success in between will not recover: the run ends with the reason instead
//! of measuring how fast errors come.
constexpr int kHopeless = 1000;

Error failureOf(UserContext& user, Outcome outcome, std::int32_t code, std::string_view what)
{
    Error error;
    error.kind = ErrorKind::Failed;
    error.message = fmt::format("{}: {} (error {})", what, user.session().lastError(), code);
    if (outcome == Outcome::Disconnected)
        error.remedy = "see whether the server is still running and what its error log says; what was measured is kept";
    return error;
}

void noteError(UserContext& user, RunState& state, std::int32_t code)
{
    user.recorder().recordCode(code);
    if (state.errorTexts.wants(code))
        state.errorTexts.add(code, user.session().lastError());
}

} // namespace

Task<bool> connectUser(UserContext& user, const StatementSet& statements, RunState& state)
{
    const Request connect = Request::step(RequestKind::Connect);
    const Reply connected = co_await user.step(connect);
    if (connected.outcome != Outcome::Ok) {
        Error error = failureOf(user, Outcome::Ok, connected.code,
                                fmt::format("user {} of {} could not connect", indexOf(user.user()) + 1, user.users()));
        error.kind = ErrorKind::Unreachable;
        error.remedy = "see that the server is up and that max_connections and the limits on open files allow this many users";
        state.fail(std::move(error));
        co_return false;
    }
    for (std::size_t i = 0; i < statements.size(); ++i) {
        if (!statements[i].preparable)
            continue;
        const Request prepare = Request::prepare(StatementId(i));
        const Reply prepared = co_await user.step(prepare);
        if (prepared.outcome != Outcome::Ok) {
            state.fail(failureOf(user, prepared.outcome, prepared.code,
                                 fmt::format("cannot prepare \"{}\"", statements[i].text)));
            co_return false;
        }
    }
    state.noteConnected();
    co_return true;
}

Task<void> runUser(UserContext& user, const WorkloadInstance& workload, RunState& state)
{
    const Request rollback = Request::step(RequestKind::Rollback);
    std::uint64_t sequence = 0;
    int failuresInARow = 0;
    while (!state.stopping()) {
        if (!state.claim())
            break;
        // A transaction's random stream depends on (seed, user, sequence) only; a retry repeats the same requests.
        const std::int64_t intendedNs = nowNs();
        Outcome outcome = Outcome::Ok;
        for (;;) {
            user.beginTransaction(sequence);
            outcome = co_await workload.transaction(user);
            if (outcome == Outcome::Ok)
                break;
            const std::int32_t code = user.lastCode();
            if (state.stopping())
                break; // cut short by the end of the run: neither a success nor a failure of the server
            noteError(user, state, code);
            if (outcome == Outcome::Disconnected) {
                user.recorder().recordFailure();
                state.fail(failureOf(user, outcome, code, "lost the connection to the server"));
                break;
            }
            const std::string text = workload.fatal(outcome, code) ? user.session().lastError() : std::string();
            const Reply rolledBack = co_await user.step(rollback);
            if (rolledBack.outcome == Outcome::Disconnected) {
                state.fail(failureOf(user, rolledBack.outcome, rolledBack.code, "lost the connection to the server"));
                break;
            }
            if (!text.empty()) {
                user.recorder().recordFailure();
                state.fail({ErrorKind::Failed, fmt::format("{} (error {}; this profile ends the run at such an error)", text, code),
                            {}, "add the code to ignore_errors, or use the profile \"dynobench\""});
                break;
            }
            if (!workload.retryable(outcome, code)) {
                user.recorder().recordFailure();
                break;
            }
            user.recorder().recordRetry();
        }
        if (state.stopping() && outcome != Outcome::Ok)
            break;
        ++sequence;
        if (outcome == Outcome::Ok) {
            failuresInARow = 0;
            const auto elapsed = static_cast<std::uint64_t>(nowNs() - intendedNs);
            // Closed loop: the intended start is the actual start, so response time equals service time.
            user.recorder().recordTransaction(elapsed, elapsed);
        } else if (++failuresInARow == kHopeless) {
            const auto texts = state.errorTexts.take();
            const auto text = texts.find(user.lastCode());
            state.fail({ErrorKind::Failed,
                        fmt::format("{} transactions failed one after the other: {} (error {})", kHopeless,
                                    text == texts.end() ? std::string("unknown error") : text->second, user.lastCode()),
                        {}, "see the error; what was measured is kept"});
        }
    }
    if (!state.failure()) {
        const Outcome finished = co_await workload.finish(user);
        if (finished != Outcome::Ok)
            noteError(user, state, user.lastCode());
    }
}

} // namespace dyno
