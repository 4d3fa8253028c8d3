// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The device functions of fp64 from INT8 products: compiled, not run.
#include "numerics/guard.hpp"
#include "numerics/parts.hpp"
#include "numerics/reconstruct.hpp"
#include "numerics/residue.hpp"

namespace rooftile::residues {
namespace {

/// All steps that a thread performs on a row, its sums and their residues.
template <int s>
__device__ void every_step(const double* row, Index k, const std::int32_t* sums, std::int8_t* out,
                           double* c) {
  const RowScale scale = scale_of(k, [&](Index i) { return row[i]; });
  Spread spread;
  add_row(spread, scale, k);
  constexpr double limit = remainders<s>.squared_limit;
  const int e = scaling_exponent(scale, limit);
  [&]<int... i>(std::integer_sequence<int, i...>) {
    ((out[i] = residue<i>(split(integer_of(row[0], e)))), ...);
    ((out[s + i] = residue<i>(sums[i])), ...);
  }
  (std::make_integer_sequence<int, s>());
  c[0] = times_power(reconstruct<s>([&](int i) { return static_cast<double>(out[s + i]); }), -e);
  c[1] = moduli_for(spread, spread, k);
  const auto of_product = [&](int n) { return std::int32_t{out[n]}; };
  out[2] = static_cast<std::int8_t>(factor_of(2, out[0], out[1], modulus<1>.p));
  using Complex = complex<double>;
  const Complex z(residue_of_part<Complex>(0, modulus<1>.p, of_product),
                  residue_of_part<Complex>(1, modulus<1>.p, of_product));
  const Complex scaled = scaled_sum(z, times_power(z, e), z, [&] { return Complex(c[0], c[1]); });
  c[2] = scaled.re, c[3] = scaled.im;
}

}  // namespace

template <int s>
__global__ void residues_kernel(const double* row, Index k, const std::int32_t* sums, std::int8_t* out,
                                double* c) {
  every_step<s>(row, k, sums, out, c);
}
template __global__ void residues_kernel<13>(const double*, Index, const std::int32_t*, std::int8_t*,
                                             double*);
template __global__ void residues_kernel<16>(const double*, Index, const std::int32_t*, std::int8_t*,
                                             double*);

}  // namespace rooftile::residues
