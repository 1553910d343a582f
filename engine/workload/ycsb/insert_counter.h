// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Numbers of the records that a run inserts.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace dyno::ycsb {

//! Hands out numbers in order and knows up to which all are in the database. Any thread, no locks. At most kWindow
//! numbers may be under way at a time, that is users.
class InsertCounter
{
public:
    static constexpr std::size_t kWindow = std::size_t(1) << 17;

    //! Numbers below `first` are there already.
    explicit InsertCounter(std::int64_t first)
        : m_next(first)
        , m_last(first - 1)
        , m_done(std::make_unique<std::atomic<bool>[]>(kWindow))
    {
    }

    [[nodiscard]] std::int64_t take() { return m_next.fetch_add(1); }
    //! `number`, which was taken, is dealt with; the last number moves on over all that are. Of two threads that see the
    //! next one done, the one that takes its mark away moves on: all is sequentially consistent, so a mark that is set
    //! after this thread looked is seen by the thread that set it, together with the new last number.
    void acknowledge(std::int64_t number)
    {
        at(number).store(true);
        for (;;) {
            const std::int64_t last = m_last.load();
            if (!at(last + 1).exchange(false))
                return;
            m_last.store(last + 1);
        }
    }
    //! All numbers up to this one are dealt with.
    [[nodiscard]] std::int64_t last() const { return m_last.load(std::memory_order_acquire); }

private:
    std::atomic<bool>& at(std::int64_t number) { return m_done[std::size_t(number) % kWindow]; }

    alignas(64) std::atomic<std::int64_t> m_next;
    alignas(64) std::atomic<std::int64_t> m_last;
    std::unique_ptr<std::atomic<bool>[]> m_done;
};

} // namespace dyno::ycsb
