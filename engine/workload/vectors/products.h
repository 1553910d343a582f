// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Products of vectors in blocks: by BLAS (products_blas.cpp) or, in builds without it, by a plain loop
//! (products_plain.cpp).
#pragma once

#include <cstddef>

namespace dyno::vectors {

//! Vectors one after the other.
struct VectorBlock
{
    const float* numbers = nullptr;
    std::size_t count = 0;
};
//! The product of each query with each row, to out[query · rows.count + row].
void multiply(VectorBlock queries, VectorBlock rows, std::size_t dimension, float* out);
[[nodiscard]] bool hasBlas();

} // namespace dyno::vectors
