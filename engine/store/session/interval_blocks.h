// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Intervals of a run in the table `block`, and how plain rows get there. A run's intervals are those of its blocks,
//! and behind them those that still lie in plain rows: what is being measured, so that a killed process loses nothing.
#pragma once

#include "store/codec/block_codec.h"
#include "store/library/database.h"
#include "store/session/seals.h"
#include <dyno/library.h>

#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace dyno {

//! `block.part`. `block.series` is an operation (−1: whole transactions) or a counter (in the order of their keys), 0
//! for Times.
enum class BlockPart { Times, Figures, Histograms, Counter };

//! The blocks of one run, in order. Errors stick to the database.
class RunBlocks
{
public:
    struct Block
    {
        std::int64_t first = 0; //!< index of its first interval
        std::size_t intervals = 0;
        std::size_t at = 0; //!< intervals in the blocks before it, of those that are looked at
    };
    static constexpr std::size_t kMostBuckets = std::size_t(256)
                                                << 20; //!< of all histograms that are held at a time, 4 GiB
    //! `perInterval`: values that will be kept of each interval; more than memory holds are refused.
    RunBlocks(Database& database, std::int64_t run, std::size_t perInterval, std::size_t mostBuckets = kMostBuckets);

    [[nodiscard]] std::size_t count() const { return m_blocks.size(); } //!< blocks
    //! From now on size() and what is read is of this block alone, so that not all need be held.
    void lookAt(std::size_t block);

    [[nodiscard]] std::size_t size() const { return m_size; } //!< intervals
    [[nodiscard]] std::int64_t end() const
    {
        return m_blocks.empty() ? 0 : m_blocks.back().first + std::int64_t(m_blocks.back().intervals);
    }
    [[nodiscard]] bool damaged() const { return m_damaged; }   //!< or too large
    [[nodiscard]] bool tooLarge() const { return m_tooLarge; } //!< there is more than is read at a time

    //! Gives the bytes of each block of a series; `take` tells whether they are whole.
    void each(BlockPart part, std::int64_t series, const std::function<bool(const Block&, std::string_view)>& take);
    [[nodiscard]] std::vector<block::Figures> figures(std::int64_t series); //!< size() of them
    //! Fills the histograms of size() intervals.
    void histograms(std::int64_t series, std::span<const block::Figures> figures, std::span<OpInterval* const> values);
    [[nodiscard]] std::vector<double> counter(std::int64_t series); //!< size() of them, NaN where not known

    void forgetBuckets() { m_buckets = 0; } //!< the histograms read so far are held no longer

private:
    [[nodiscard]] bool areAllThere(BlockPart part); //!< no block of the kind is lost or was put here

    Database& m_database;
    std::int64_t m_run;
    std::vector<Block> m_blocks;
    std::optional<Block> m_only; //!< the one that is looked at; none: all
    std::int64_t m_from = std::numeric_limits<std::int64_t>::min(), m_to = std::numeric_limits<std::int64_t>::max();
    std::size_t m_size = 0, m_buckets = 0, m_mostBuckets;
    bool m_damaged = false, m_tooLarge = false;
    SealedRun m_place;
    std::array<bool, 4> m_looked{}; //!< which kinds are known to be there
};

//! Packs plain rows of a run into blocks of block::kIntervals, the oldest first, at most `most` blocks. `rest`: also
//! what is left behind them, unless it is short. Rows that do not follow each other, that cannot be read or whose seals
//! are broken stay as they are. Inside a transaction of the caller; errors stick to the database.
void packIntervals(Database& database, std::int64_t run, bool rest, int most);
//! All runs of ended sessions, or of one session, each in a transaction of its own unless one is open.
void packSession(Database& database, std::int64_t session);

//! Replaces the values of the run's counters from the one at `first` on: of those with these `keys`, an interval each.
//! Seals of the blocks are set, those of the run are the caller's. Inside a transaction of the caller; errors stick to
//! the database.
void writeCounters(Database& database, const SealedRun& place, std::size_t first, const std::vector<std::int64_t>& keys,
                   const std::vector<std::span<const double>>& values);

//! A problem of blocks that cannot be read, as of those that do not fit their seals.
constexpr const char* kDamagedBlock = "a block of intervals is damaged";
//! What is wrong with the blocks of one run; "" when nothing is.
[[nodiscard]] std::string blockProblem(Database& database, std::int64_t run);

} // namespace dyno
