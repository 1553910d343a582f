// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Lists of vectors, and those that are made by seed; vector_file.h has those of files.
#pragma once

#include <dyno/error.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::vectors {

//! A list of vectors with the same number of dimensions. Immutable; any thread.
class VectorSource
{
public:
    virtual ~VectorSource() = default;
    [[nodiscard]] virtual int dimension() const = 0;
    [[nodiscard]] virtual std::int64_t size() const = 0;
    //! Fills `out`, whose length is a multiple of dimension(), with the vectors from number `first` on; the first
    //! vector has number 0. False: the file cannot be read any more.
    [[nodiscard]] virtual bool read(std::int64_t first, std::span<float> out) const = 0;
};
using VectorSourcePtr = std::shared_ptr<const VectorSource>;

//! The vectors that a table holds, and those that are searched for.
struct VectorSets
{
    VectorSourcePtr rows, queries;
};

//! Shape of made vectors.
struct ClusterShape
{
    int dimension = 128;
    int clusters = 10;
    std::int64_t rows = 0, queries = 0;
};
//! Vectors around centres, with whole numbers from 0 to 255 like the pixels of a small picture. Around its centre a
//! vector varies in a few directions only, as pictures and embeddings do, and a little in each dimension. A vector is a
//! function of (seed, number); queries are vectors of the same kind that are no rows. Machines of one
//! kind make the same vectors; others may differ in the rounding of a number.
[[nodiscard]] VectorSets clusteredVectors(const ClusterShape& shape, std::uint64_t seed);

//! `size` vectors of a list from number `first` on.
[[nodiscard]] VectorSourcePtr partOf(VectorSourcePtr whole, std::int64_t first, std::int64_t size);

//! Appends a vector as text, "[1,2.5,3]": each number with as few digits as tell it apart from all others.
void appendVector(std::string& out, std::span<const float> vector);

} // namespace dyno::vectors
