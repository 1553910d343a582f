// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/executor/pacer.h"

#include "base/clock.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <iterator>
#include <utility>

namespace dyno {

namespace {
constexpr std::chrono::milliseconds kTurn{5};

std::uint64_t roomFor(std::uint64_t backlog, int users, double highestRate)
{
    const double ahead = std::min(highestRate * double(ArrivalQueue::kAheadNs) * 1e-9, 4e6);
    return std::bit_ceil(std::min<std::uint64_t>(backlog, 1u << 24) + std::uint64_t(users) + std::uint64_t(2 * ahead) +
                         1024);
}
} // namespace

ArrivalQueue::ArrivalQueue(std::uint64_t backlog, int users, double highestRate)
    : m_limit(std::min<std::uint64_t>(backlog, 1u << 24))
    , m_claimAhead(std::uint64_t(std::max(users, 1)))
    , m_slots(roomFor(backlog, users, highestRate))
    , m_dueNs(m_slots.size())
{
}

void ArrivalQueue::drawNext()
{
    if (m_left == 0) {
        m_nextNs = INT64_MAX;
        m_allMade.store(true, std::memory_order_release);
        return;
    }
    --m_left;
    const std::int64_t next = m_schedule->next();
    m_nextNs = next == INT64_MAX ? next : m_startNs + next;
    m_quiet.store(next == INT64_MAX, std::memory_order_release);
}

void ArrivalQueue::begin(Schedule schedule, std::int64_t startNs, bool emptyRoom, std::uint64_t most)
{
    passDue(startNs - 1);
    const std::uint64_t produced = m_produced.load(std::memory_order_relaxed);
    for (std::uint64_t number = m_head.load(std::memory_order_acquire); emptyRoom && number < m_due; ++number) {
        std::int64_t due = m_dueNs[at(number)];
        if (m_slots[at(number)].compare_exchange_strong(due, kGone, std::memory_order_relaxed))
            m_dropped.fetch_add(1, std::memory_order_relaxed);
    }
    // What is made but not due before the start is taken back; users that hold such an arrival see it by stands().
    m_cutNs.store(startNs, std::memory_order_relaxed);
    m_generationStart.store(produced, std::memory_order_release);
    for (; m_due < produced; ++m_due) {
        std::int64_t due = m_dueNs[at(m_due)];
        if (!m_slots[at(m_due)].compare_exchange_strong(due, kGone, std::memory_order_relaxed) && due == kTaken)
            ++m_takenBack;
    }
    m_startNs = startNs;
    m_schedule = std::move(schedule);
    m_left = most > 0 ? most : UINT64_MAX;
    m_allMade.store(false, std::memory_order_relaxed);
    drawNext();
}

//! Due and neither taken nor dropped.
std::uint64_t ArrivalQueue::waiting() const
{
    // Arrivals taken ahead of their time make the first figure the smaller one: then nobody waits.
    const std::uint64_t left = arrivals() - dropped() + m_takenBack;
    const std::uint64_t taken = m_taken.load(std::memory_order_relaxed);
    return left > taken ? left - taken : 0;
}

//! Makes the next arrival if it is wanted already.
bool ArrivalQueue::makeOne(std::int64_t nowNs)
{
    const std::uint64_t produced = m_produced.load(std::memory_order_relaxed);
    const std::uint64_t head = m_head.load(std::memory_order_acquire);
    // A free user needs an arrival to wait for, however far away it is.
    const bool wanted = m_nextNs <= nowNs + kAheadNs || produced < head + m_claimAhead;
    if (m_nextNs == INT64_MAX || !wanted)
        return false;
    if (produced - std::min(head, m_due) >= m_slots.size()) {
        // No room: overload far beyond the limit. Only what is due can be turned away.
        if (m_nextNs > nowNs)
            return false;
        m_arrivals.fetch_add(1, std::memory_order_relaxed);
        m_dropped.fetch_add(1, std::memory_order_relaxed);
    } else {
        m_dueNs[at(produced)] = m_nextNs;
        // Release: who reads the new time must also see that the head has moved on since the slot was last used.
        m_slots[at(produced)].store(m_nextNs, std::memory_order_release);
        m_produced.store(produced + 1, std::memory_order_release);
    }
    drawNext();
    return true;
}

//! Counts what has become due until `nowNs`, and turns away what finds the waiting room full.
void ArrivalQueue::passDue(std::int64_t nowNs)
{
    const std::uint64_t produced = m_produced.load(std::memory_order_relaxed);
    for (; m_due < produced && m_dueNs[at(m_due)] <= nowNs; ++m_due) {
        m_arrivals.fetch_add(1, std::memory_order_relaxed);
        std::int64_t due = m_dueNs[at(m_due)];
        if (waiting() > m_limit && m_slots[at(m_due)].compare_exchange_strong(due, kGone, std::memory_order_relaxed))
            m_dropped.fetch_add(1, std::memory_order_relaxed);
    }
}

void ArrivalQueue::advance(std::int64_t nowNs)
{
    do
        passDue(nowNs);
    while (makeOne(nowNs));
    m_backlog.store(waiting(), std::memory_order_relaxed);
}

bool ArrivalQueue::restsAt(int user, std::int64_t dueNs) const
{
    const std::int64_t fromNs = m_usersFromNs.load(std::memory_order_acquire);
    if (fromNs == INT64_MAX || dueNs < fromNs)
        return false;
    const auto after = std::ranges::upper_bound(m_users, dueNs - fromNs, {}, &UsersFrom::atNs);
    return after != m_users.begin() && user >= std::prev(after)->users;
}

std::optional<ClaimedArrival> ArrivalQueue::claim(Claimant* claimant)
{
    std::uint64_t head = m_head.load(std::memory_order_acquire);
    while (head < m_produced.load(std::memory_order_acquire)) {
        // The slot decides who gets it; the head only follows. Times grow: a slot that is used again meanwhile holds
        // another one, and the exchange fails.
        Slot& slot = m_slots[at(head)];
        std::int64_t due = slot.load(std::memory_order_acquire);
        if (const std::uint64_t now = m_head.load(std::memory_order_acquire); now != head) {
            head = now; // what was read may belong to a later arrival
            continue;
        }
        if (claimant && due > claimant->nowNs && restsAt(claimant->user, due)) {
            claimant->restsByThen = true; // times grow: all that follow are as far away
            return std::nullopt;
        }
        const bool mine =
            due != kGone && due != kTaken && slot.compare_exchange_strong(due, kTaken, std::memory_order_relaxed);
        if (mine)
            m_taken.fetch_add(1, std::memory_order_relaxed);
        const std::uint64_t number = head;
        const std::int64_t mineNs = due;
        if (m_head.compare_exchange_strong(head, head + 1, std::memory_order_acq_rel))
            ++head;
        if (mine)
            return ClaimedArrival{mineNs, number};
    }
    return std::nullopt;
}

Pacer::Pacer(RunState& state, std::uint64_t backlog, int users, double highestRate)
    : m_state(state)
    , m_queue(backlog, users, highestRate)
{
    m_thread = std::thread([this] { live(); });
}

Pacer::~Pacer()
{
    end();
    m_thread.join();
}

void Pacer::begin(Schedule schedule, std::int64_t startNs, bool emptyRoom, std::uint64_t most)
{
    {
        const std::lock_guard lock(m_mutex);
        m_queue.begin(std::move(schedule), startNs, emptyRoom, most);
        m_queue.advance(nowNs());
    }
    m_wake.notify_one();
    m_state.wakeUsers();
}

void Pacer::catchUp()
{
    const std::lock_guard lock(m_mutex);
    m_queue.advance(nowNs());
}

void Pacer::end()
{
    {
        const std::lock_guard lock(m_mutex);
        m_ended = true;
    }
    m_wake.notify_one();
}

void Pacer::live()
{
    std::unique_lock lock(m_mutex);
    while (!m_ended) {
        m_queue.advance(nowNs());
        m_wake.wait_for(lock, kTurn);
    }
}

} // namespace dyno
