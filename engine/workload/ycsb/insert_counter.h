// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Numbers of the records that a run inserts.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace dyno::ycsb {

//! Hands out numbers in order and knows up to which all are in the database. Any thread, no locks. A number that is
//! still under way when the one kWindow later is dealt with counts as dealt with too: nothing waits for it, and last()
//! never goes back.
class InsertCounter
{
public:
    static constexpr std::size_t kWindow = std::size_t(1) << 17;

    //! Numbers below `first` are there already.
    explicit InsertCounter(std::int64_t first)
        : m_next(first)
        , m_last(first - 1)
        , m_done(std::make_unique<std::atomic<std::int64_t>[]>(kWindow))
    {
        for (std::size_t i = 0; i < kWindow; ++i)
            m_done[i].store(-1, std::memory_order_relaxed);
    }

    [[nodiscard]] std::int64_t take() { return m_next.fetch_add(1); }
    //! `number`, which was taken, is dealt with; the last number moves on over all that are. All is sequentially
    //! consistent: a thread that finds the next number missing has set its own mark before, so whoever sets the missing
    //! one sees it and moves on over both.
    void acknowledge(std::int64_t number)
    {
        std::int64_t mark = at(number).load();
        while (mark < number && !at(number).compare_exchange_weak(mark, number)) {
        }
        std::int64_t last = m_last.load();
        for (;;) {
            std::int64_t next = last + 1;
            if (number - last >= std::int64_t(kWindow))
                next = number - std::int64_t(kWindow) + 1; // its mark may have been overwritten
            else if (at(next).load() != next)
                return;
            if (m_last.compare_exchange_weak(last, next))
                last = next;
        }
    }
    //! All numbers up to this one are dealt with.
    [[nodiscard]] std::int64_t last() const { return m_last.load(std::memory_order_acquire); }

private:
    std::atomic<std::int64_t>& at(std::int64_t number) { return m_done[std::size_t(number) % kWindow]; }

    alignas(64) std::atomic<std::int64_t> m_next;
    alignas(64) std::atomic<std::int64_t> m_last;
    std::unique_ptr<std::atomic<std::int64_t>[]> m_done; //!< the last number of each place that is dealt with
};

} // namespace dyno::ycsb
