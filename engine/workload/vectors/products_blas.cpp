// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/vectors/products.h"

#include <cblas.h>

namespace dyno::vectors {

void multiply(VectorBlock queries, VectorBlock rows, std::size_t dimension, float* out)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, int(queries.count), int(rows.count), int(dimension), 1,
                queries.numbers, int(dimension), rows.numbers, int(dimension), 0, out, int(rows.count));
}

bool hasBlas()
{
    return true;
}

} // namespace dyno::vectors
