// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Student's t distribution, for any real degrees of freedom above 0.
#pragma once

namespace dyno::report {

//! I_x(a, b), the regularised incomplete beta function: continued fraction by Lentz's method (DLMF 8.17.22).
[[nodiscard]] double incompleteBeta(double a, double b, double x);
//! P(T ≤ t) with `df` degrees of freedom.
[[nodiscard]] double studentCdf(double t, double df);
//! The t with P(T ≤ t) = p, 0 < p < 1; relative error below 1e−9.
[[nodiscard]] double studentQuantile(double p, double df);

} // namespace dyno::report
