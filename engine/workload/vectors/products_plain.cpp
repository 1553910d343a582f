// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/vectors/products.h"

namespace dyno::vectors {

void multiply(VectorBlock queries, VectorBlock rows, std::size_t dimension, float* out)
{
    for (std::size_t q = 0; q < queries.count; ++q) {
        for (std::size_t r = 0; r < rows.count; ++r) {
            const float *a = queries.numbers + q * dimension, *b = rows.numbers + r * dimension;
            float sum = 0;
            for (std::size_t i = 0; i < dimension; ++i)
                sum += a[i] * b[i];
            *out++ = sum;
        }
    }
}

bool hasBlas()
{
    return false;
}

} // namespace dyno::vectors
