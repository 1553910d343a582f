// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The exact nearest neighbours of vectors: what an index finds is judged by them.
#pragma once

#include "workload/vectors/vector_source.h"
#include <dyno/catalog.h>

#include <filesystem>
#include <optional>

namespace dyno::vectors {

struct Neighbour
{
    std::int32_t row = 0; //!< number of a vector, from 0
    float distance = 0;
    bool operator==(const Neighbour&) const = default;
};

//! Of each query the k nearest rows, and those that are as near as the k-th but for rounding: a server that counts in
//! numbers of 4 bytes may give these instead. Immutable; any thread.
class Neighbours
{
public:
    Neighbours(std::int64_t k, std::vector<std::uint64_t> ends, std::vector<Neighbour> all)
        : m_k(k)
        , m_ends(std::move(ends))
        , m_all(std::move(all))
    {
    }
    [[nodiscard]] std::int64_t k() const { return m_k; }
    [[nodiscard]] std::int64_t queries() const { return std::int64_t(m_ends.size()); }
    //! In the order of the rows' numbers; fewer than k where there are fewer rows.
    [[nodiscard]] std::span<const Neighbour> of(std::int64_t query) const
    {
        const auto at = std::size_t(query);
        const std::size_t begin = at == 0 ? 0 : m_ends[at - 1];
        return std::span(m_all).subspan(begin, m_ends[at] - begin);
    }
    //! The same with this row; nullptr: it is none of them.
    [[nodiscard]] const Neighbour* find(std::int64_t query, std::int64_t row) const;
    //! In a file of our own. Read: none when it is not there, damaged, or of something else than `key`.
    [[nodiscard]] bool write(const std::filesystem::path& file, std::string_view key) const;
    [[nodiscard]] static std::optional<Neighbours> read(const std::filesystem::path& file, std::string_view key);

private:
    std::int64_t m_k;
    std::vector<std::uint64_t> m_ends;
    std::vector<Neighbour> m_all;
};

//! What the neighbours of vectors depend on, beside the vectors.
struct NeighbourWish
{
    std::int64_t k = 10;
    VectorMetric metric = VectorMetric::Euclidean;
};

//! Compares every query with every row. The products are made in blocks (products.h), in
//! numbers of 4 bytes; whatever may be a neighbour within their error is compared again in 8 bytes, so the answer is
//! the same without BLAS. None: goOn() said no, or a source cannot be read any more.
[[nodiscard]] std::optional<Neighbours> exactNeighbours(const VectorSets& sets, const NeighbourWish& wish,
                                                        const std::function<bool()>& goOn);

//! The same, from a file in `folder` where they were found before for vectors with the same numbers. Kept there when
//! they took longer than `worthKeeping` seconds.
[[nodiscard]] std::optional<Neighbours> knownNeighbours(const VectorSets& sets, const NeighbourWish& wish,
                                                        const std::filesystem::path& folder, double worthKeeping,
                                                        const std::function<bool()>& goOn);

} // namespace dyno::vectors
