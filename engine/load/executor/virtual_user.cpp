// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/executor/virtual_user.h"

#include "load/executor/executor.h"
#include "load/executor/pacer.h"

#include <dyno/uri_form.h>

#include <fmt/format.h>

#include <algorithm>

namespace dyno {

namespace {

//! A user that fails this often without one success in between will not recover: the run ends with the reason instead
//! of measuring how fast errors come.
constexpr int kHopeless = 1000;
//! On an event loop, a user whose requests complete at once lets the others have a turn after so many transactions.
constexpr int kTurns = 32;
constexpr std::int64_t kLateNs = 1'000'000;       //!< a free user that takes up an arrival later than this is late
constexpr std::int64_t kAskAgainNs = 1'000'000;   //!< when no arrival is made yet
constexpr std::int64_t kUntilWokenNs = INT64_MAX; //!< whoever ends such a pause wakes the users
constexpr std::int64_t kFirstPauseNs = 50'000'000, kLongestPauseNs = 1'000'000'000; //!< between attempts to reconnect

//! The run as a user sees it that pauses within a transaction.
class PauseSignalOf final : public PauseSignal
{
public:
    explicit PauseSignalOf(const RunState& state)
        : m_state(state)
    {
    }
    [[nodiscard]] std::uint32_t ticket() const override { return m_state.wake.ticket(); }
    [[nodiscard]] bool stopping() const override { return m_state.stopping(); }

private:
    const RunState& m_state;
};

//! The transaction that a user is about to do.
struct Turn
{
    std::int64_t intendedNs = 0;
    std::uint64_t sequence = 0;
    std::uint64_t stream = 0;       //!< of the arrivals (UserPart::arrivalStream), or of the user
    std::int64_t serviceFromNs = 0; //!< set by perform()
};

//! A user's part of the run's budget. What ends in the measured time is charged to it, wherever it began.
class Budget
{
public:
    Budget(std::uint64_t user, std::uint64_t users)
        : m_user(user)
        , m_users(users)
    {
    }
    [[nodiscard]] std::uint64_t left(const RunState& state)
    {
        if (const std::uint32_t round = state.budgetRound(); round != m_round) [[unlikely]] {
            m_round = round;
            m_left = state.budgetOf(m_user, m_users);
        }
        return m_left;
    }
    void charge(const RunState& state)
    {
        if (left(state) > 0)
            --m_left;
    }

private:
    std::uint64_t m_user, m_users;
    std::uint64_t m_left = UINT64_MAX;
    std::uint32_t m_round = 0;
};

Error failureOf(UserContext& user, const RunState& state, Outcome outcome, std::int32_t code, std::string_view what)
{
    Error error;
    error.kind = ErrorKind::Failed;
    error.message = fmt::format("{}: {} (error {})", what, user.session().lastError(), errorName(state.driver, code));
    if (outcome == Outcome::Disconnected)
        error.remedy = "see whether the server is still running and what its error log says; what was measured is kept";
    return error;
}

void noteError(UserContext& user, RunState& state, std::int32_t code)
{
    user.recorder().recordCode(code);
    if (state.errorTexts.wants(code))
        state.errorTexts.add(code, user.errorText());
}

Task<Reply> prepareAll(UserContext& user, const StatementSet& statements, std::size_t& failedAt)
{
    for (std::size_t i = 0; i < statements.size(); ++i) {
        if (!statements[i].preparable)
            continue;
        const Request prepare = Request::prepare(StatementId(i));
        const Reply prepared = co_await user.step(prepare);
        failedAt = i;
        if (prepared.outcome != Outcome::Ok)
            co_return prepared;
    }
    co_return Reply{};
}

//! A user that has no part in the run at the moment. Asked before each transaction: nothing but a relaxed load; who has
//! read a ticket of RunState::wake before asking misses no change.
bool rests(const UserContext& user, const std::atomic<int>& active)
{
    return int(indexOf(user.user())) >= active.load(std::memory_order_relaxed);
}

//! Weights of the phase in which a transaction begins: its retries keep them.
void takeWeights(UserContext& user, const UserPart& part, const RunState& state)
{
    if (!part.weights) [[likely]]
        return;
    const std::optional<SectionSums>& ofPhase = (*part.weights)[state.loadPhase()];
    user.setSectionSums(ofPhase ? &*ofPhase : nullptr);
}

//! Waits for the next arrival and its time; false when the run stops. A user that rests claims none.
Task<bool> awaitArrival(UserContext& user, RunState& state, const std::atomic<int>& active, ArrivalQueue& arrivals,
                        Turn& turn)
{
    for (;;) {
        std::uint32_t ticket = state.wake.ticket(); // read first: stop() may come between
        if (state.stopping())
            break;
        if (rests(user, active)) [[unlikely]] {
            co_await user.pause(kUntilWokenNs, ticket);
            continue;
        }
        // Asked first: then "none" means that there is none any more.
        const bool allMade = arrivals.allMade(), quiet = arrivals.quiet();
        std::int64_t now = nowNs();
        Claimant claimant{int(indexOf(user.user())), now};
        const std::optional<ClaimedArrival> arrival = arrivals.claim(&claimant);
        if (!arrival && allMade)
            break;
        if (!arrival) {
            const std::int64_t again = quiet || claimant.restsByThen ? kUntilWokenNs : now + kAskAgainNs;
            co_await user.pause(again, ticket);
            continue;
        }
        const bool early = now < arrival->dueNs;
        while (now < arrival->dueNs && !state.stopping() && arrivals.stands(*arrival)) {
            co_await user.pause(arrival->dueNs, ticket);
            ticket = state.wake.ticket();
            now = nowNs();
        }
        if (now < arrival->dueNs)
            continue; // stopped, or the schedule was changed
        if (early && now - arrival->dueNs > kLateNs)
            user.recorder().recordLateStart();
        turn.intendedNs = arrival->dueNs;
        turn.sequence = arrival->number;
        co_return true;
    }
    co_return false;
}

//! Closed loop: thinking until `thoughtNs`, then the keying of the next transaction, and a user that has no part in the
//! run at the moment; false when the run stops.
Task<bool> awaitTurn(UserContext& user, RunState& state, const std::atomic<int>& active, std::int64_t thoughtNs,
                     std::int64_t keyingNs)
{
    std::int64_t until = thoughtNs + keyingNs;
    for (;;) {
        const std::uint32_t ticket = state.wake.ticket(); // read first: stop() may come between
        if (state.stopping())
            break;
        const std::int64_t now = nowNs();
        const bool idle = rests(user, active);
        if (idle)
            until = 0; // once it takes part again, it begins with the keying
        else if (until == 0)
            until = now + keyingNs;
        if (!idle && now >= until)
            co_return true;
        const std::int64_t wakeAt = idle ? kUntilWokenNs : until;
        co_await user.pause(wakeAt, ticket);
    }
    co_return false;
}

//! One transaction with its retries. Disconnected: the session has to be connected again. `turn` lives in runUser().
Task<Outcome> perform(UserContext& user, const WorkloadInstance& workload, RunState& state, Turn& turn)
{
    const Request rollback = Request::step(RequestKind::Rollback);
    turn.serviceFromNs = nowNs();
    for (;;) {
        // The random stream depends on (seed, user, sequence) only; a retry repeats the same requests.
        user.beginArrival(turn.sequence, turn.stream);
        Outcome outcome = co_await workload.transaction(user);
        if (outcome == Outcome::Ok) {
            const Reply last = co_await user.flush();
            outcome = last.outcome;
        }
        if (outcome == Outcome::Ok || state.stopping())
            co_return outcome; // cut short by the end of the run: neither a success nor a failure of the server
        const std::int32_t code = user.lastCode();
        noteError(user, state, code);
        const bool fatal = workload.fatal(outcome, code);
        const std::string text = fatal ? user.errorText() : std::string();
        if (outcome != Outcome::Disconnected) {
            const Reply rolledBack = co_await user.step(rollback);
            if (rolledBack.outcome == Outcome::Disconnected && !fatal) {
                user.recordFailure();
                co_return Outcome::Disconnected;
            }
        }
        if (fatal) {
            user.recordFailure();
            if (outcome == Outcome::Rejected && code < 0) { // the workload's own judgement, with its remedy
                state.fail({ErrorKind::Failed, text, {}, {}});
                co_return outcome;
            }
            state.fail({ErrorKind::Failed,
                        fmt::format("{} (error {}; this profile ends the run at such an error)", text,
                                    errorName(state.driver, code)),
                        {},
                        "add the code to ignore_errors, or use the profile \"dynobench\""});
            co_return outcome;
        }
        if (outcome == Outcome::Disconnected || !workload.retryable(outcome, code)) {
            user.recordFailure();
            co_return outcome;
        }
        user.recorder().recordRetry();
        if (!workload.retriesInSample())
            turn.serviceFromNs = nowNs();
    }
}

//! Connects again, with pauses that double and differ between users; false when the run stops or has to fail.
Task<bool> reconnect(UserContext& user, const StatementSet& statements, RunState& state)
{
    const std::int64_t lostNs = nowNs();
    const Error lost =
        failureOf(user, state, Outcome::Disconnected, user.lastCode(), "lost the connection to the server");
    state.noteLostConnection();
    if (state.reconnectNs <= 0) {
        state.fail(lost);
        co_return false;
    }
    state.noteLost(lostNs, lost);
    Random spread = Random::forItem(user.seed(), user.number(), std::uint64_t(lostNs));
    std::int64_t pause = kFirstPauseNs;
    while (!state.stopping()) {
        const Request connect = Request::step(RequestKind::Connect);
        Reply reply = co_await user.step(connect);
        if (reply.outcome == Outcome::Ok) {
            std::size_t failedAt = 0;
            reply = co_await prepareAll(user, statements, failedAt);
        }
        const std::int64_t now = nowNs();
        if (reply.outcome == Outcome::Ok) {
            user.recorder().recordReconnect();
            state.outages.back(now);
            co_return true;
        }
        if (now - lostNs >= state.reconnectNs) {
            Error error = lost;
            error.message +=
                fmt::format("; connecting again failed for {:.1f} s: {} (error {})", double(now - lostNs) / 1e9,
                            user.session().lastError(), errorName(state.driver, reply.code));
            state.fail(std::move(error));
            break;
        }
        const std::int64_t until = now + pause / 2 + spread.uniform(0, pause / 2);
        pause = std::min(2 * pause, kLongestPauseNs);
        while (nowNs() < until && !state.stopping()) {
            const std::uint32_t ticket = state.wake.ticket();
            if (!state.stopping())
                co_await user.pause(until, ticket);
        }
    }
    co_return false;
}

//! The list of a workload that is one. What came of the last thing that it did.
Task<Outcome> runSteps(UserContext& user, const WorkloadInstance& workload, RunState& state)
{
    const std::vector<StepSpec>& steps = workload.steps();
    const int users = workload.stepsForAll() ? int(user.users()) : 1;
    Turn turn{0, 0, user.number() + 1, 0};
    Outcome outcome = Outcome::Ok;
    for (std::size_t number = 0; number < steps.size() && !state.stopping(); ++number) {
        StepMark mark{number, nowNs(), 0, false};
        state.noteStep(mark, users);
        const std::uint64_t after = turn.sequence + std::uint64_t(steps[number].times);
        outcome = Outcome::Ok;
        for (; turn.sequence < after && outcome == Outcome::Ok; ++turn.sequence) {
            if (state.stopping())
                co_return outcome; // the step is not done
            outcome = co_await perform(user, workload, state, turn);
            if (outcome != Outcome::Ok && state.stopping())
                co_return outcome;
            const auto service = std::uint64_t(nowNs() - turn.serviceFromNs);
            if (outcome == Outcome::Ok)
                user.recordTransaction(service, service);
        }
        turn.sequence = after;
        mark.endNs = nowNs();
        mark.failed = outcome != Outcome::Ok;
        if (mark.failed)
            state.fail({ErrorKind::Failed,
                        fmt::format("{} (error {})", user.errorText(), errorName(state.driver, user.lastCode())),
                        {},
                        "the steps before it are kept"});
        state.noteStep(mark, users);
    }
    co_return outcome;
}

//! What a list leaves behind goes, also where it was stopped or has failed; whoever waits for the users breaks the
//! connection where that takes too long.
Task<void> runAndTidy(UserContext& user, const WorkloadInstance& workload, RunState& state)
{
    const Outcome outcome = co_await runSteps(user, workload, state);
    if (outcome == Outcome::Disconnected)
        co_return;
    const Outcome finished = co_await workload.finish(user);
    if (finished != Outcome::Ok && finished != Outcome::Disconnected)
        noteError(user, state, user.lastCode());
}

} // namespace

UserPart partOf(const ExecutorJob& job, int user)
{
    int before = 0;
    for (const UserGroup& group : job.groups) {
        if (user - before < group.users) {
            const UserPlace place{.user = UserId(user - before),
                                  .users = group.users,
                                  .seed = job.seed,
                                  .before = before,
                                  .everyone = job.users,
                                  .firstOp = group.firstOp,
                                  .group = group.counts};
            return {group.target,  group.workload,      place,        true,         group.arrivals,
                    group.thinkNs, group.arrivalStream, group.active, group.weights};
        }
        before += group.users;
    }
    return {.target = job.target,
            .workload = &job.workload,
            .place = {UserId(user), job.users, job.seed},
            .weights = job.weights};
}

Task<bool> connectUser(UserContext& user, const StatementSet& statements, RunState& state)
{
    const Request connect = Request::step(RequestKind::Connect);
    const Reply connected = co_await user.step(connect);
    if (connected.outcome != Outcome::Ok) {
        Error error = failureOf(user, state, Outcome::Ok, connected.code,
                                fmt::format("user {} of {} could not connect", user.number() + 1, user.everyone()));
        error.kind = ErrorKind::Unreachable;
        error.remedy =
            "see that the server is up and that max_connections and the limits on open files allow this many users";
        state.fail(std::move(error));
        co_return false;
    }
    std::size_t failedAt = 0;
    const Reply prepared = co_await prepareAll(user, statements, failedAt);
    if (prepared.outcome != Outcome::Ok) {
        state.fail(failureOf(user, state, prepared.outcome, prepared.code,
                             fmt::format("cannot prepare \"{}\"", statements[failedAt].text)));
        co_return false;
    }
    state.noteConnected();
    co_return true;
}

Task<void> runUser(UserContext& user, const UserPart& part, RunState& state)
{
    const WorkloadInstance& workload = *part.workload;
    const StatementSet& statements = part.target->statements;
    ArrivalQueue* const arrivals = part.grouped ? part.arrivals : state.arrivals;
    const std::int64_t thinkNs = part.grouped ? part.thinkNs : state.thinkNs;
    const std::atomic<int>& active = part.active ? *part.active : state.activeUsers();
    const auto number = std::uint64_t(indexOf(user.user()));
    const PauseSignalOf pauseSignal(state);
    user.setPauseSignal(&pauseSignal);
    if (!workload.steps().empty()) {
        if (number == 0 || workload.stepsForAll())
            co_await runAndTidy(user, workload, state);
        co_return;
    }
    Turn turn{0, 0, arrivals ? part.arrivalStream : user.number() + 1, 0};
    std::uint64_t sequence = 0;
    Budget budget(number, std::uint64_t(user.users()));
    if (part.grouped && !arrivals && state.beginNs > 0) {
        const bool go = co_await awaitTurn(user, state, active, state.beginNs, 0);
        if (!go)
            co_return;
    }
    std::int64_t endNs = nowNs();
    const bool paces = workload.paces(), ends = workload.ends();
    Pauses pauses;
    int failuresInARow = 0;
    Outcome outcome = Outcome::Ok;
    while (!state.stopping()) {
        if (sequence % kTurns == kTurns - 1)
            co_await user.yield();
        if (arrivals) {
            const bool go = co_await awaitArrival(user, state, active, *arrivals, turn);
            if (!go)
                break;
        } else {
            if (budget.left(state) == 0)
                break;
            if (ends && workload.isOver(user)) {
                if (!workload.hasDueTimes()) // what was recorded has an end that everybody expects
                    state.noteLeft(nowNs());
                break;
            }
            std::int64_t thoughtNs = endNs + thinkNs + pauses.afterNs;
            if (paces) [[unlikely]] {
                takeWeights(user, part, state);
                user.beginArrival(sequence, turn.stream);
                pauses = workload.pauses(user);
                if (pauses.dueNs > 0)
                    thoughtNs = pauses.dueNs;
            }
            if (paces || thinkNs > 0 || rests(user, active)) {
                const bool go = co_await awaitTurn(user, state, active, thoughtNs, pauses.beforeNs);
                if (!go)
                    break;
            }
            turn.sequence = sequence;
            turn.intendedNs = pauses.dueNs;
        }
        if (arrivals || !paces) // else the section is drawn already: its pause is over
            takeWeights(user, part, state);
        outcome = co_await perform(user, workload, state, turn);
        if (outcome != Outcome::Ok && state.stopping()) {
            if (state.gaveUpWaiting()) [[unlikely]]
                state.noteUnanswered({nowNs() - (turn.intendedNs > 0 ? turn.intendedNs : turn.serviceFromNs),
                                      outcome == Outcome::Disconnected ? user.brokenOff() : std::nullopt,
                                      user.group()});
            break;
        }
        ++sequence;
        endNs = nowNs();
        budget.charge(state);
        if (outcome == Outcome::Ok) [[likely]] {
            failuresInARow = 0;
            const auto service = std::uint64_t(endNs - turn.serviceFromNs);
            // Closed loop: the intended start is the actual start, so response time equals service time, unless the
            // workload says when the transaction was due.
            const std::int64_t response = turn.intendedNs > 0 ? endNs - turn.intendedNs : 0;
            user.recordTransaction(service, std::max(service, std::uint64_t(std::max<std::int64_t>(response, 0))));
            continue;
        }
        if (outcome == Outcome::Disconnected) {
            const bool back = co_await reconnect(user, statements, state);
            if (!back)
                co_return;
            outcome = Outcome::Ok;
        }
        if (++failuresInARow == kHopeless) {
            const auto texts = state.errorTexts.take();
            const auto text = texts.find(user.lastCode());
            state.fail({ErrorKind::Failed,
                        fmt::format("{} transactions failed one after the other: {} (error {})", kHopeless,
                                    text == texts.end() ? std::string("unknown error") : text->second,
                                    errorName(state.driver, user.lastCode())),
                        {},
                        "see the error; what was measured is kept"});
        }
    }
    if (!state.failure() && outcome != Outcome::Disconnected) {
        const Outcome finished = co_await workload.finish(user);
        if (finished != Outcome::Ok)
            noteError(user, state, user.lastCode());
    }
}

} // namespace dyno
