// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/fp64_int8/workspace.hpp"
#include "rooftile/device/residues/reconstruct.hpp"

/// From planes of residues to C, by the Chinese remainder theorem.
namespace rooftile::cuda_native::residues {

/// What a block computes of C; a thread has neighbours in a row, whose residues it reads together.
struct ReconstructTile {
  static constexpr int threads = 256, at_once = 4;
  static constexpr int rows = threads / 32, columns = 32 * at_once;
};

/// A thread's integers of C. @param from  its first residue
template <int s>
__device__ void integers_of(const std::int8_t* from, Index apart,
                            double (&integers)[ReconstructTile::at_once]) {
  char4 r[s];
#pragma unroll
  for (int i = 0; i < s; ++i) r[i] = *reinterpret_cast<const char4*>(from + i * apart);
  integers[0] = reconstruct<s>([&](int i) { return static_cast<double>(r[i].x); });
  integers[1] = reconstruct<s>([&](int i) { return static_cast<double>(r[i].y); });
  integers[2] = reconstruct<s>([&](int i) { return static_cast<double>(r[i].z); });
  integers[3] = reconstruct<s>([&](int i) { return static_cast<double>(r[i].w); });
}

/// C = alpha · product + beta · C with BLAS' rule for beta.
__global__ void __launch_bounds__(ReconstructTile::threads)
    reconstruct_result(MatrixRef<double> C, double alpha, double beta, Planes planes, const int* of_rows,
                       const int* of_columns, Guard guard, int* moduli) {
  using Tile = ReconstructTile;
  const int s = guard.moduli();
  if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0) *moduli = s;
  const Index row = Index{blockIdx.x} * Tile::rows + threadIdx.x / 32;
  const Index col = Index{blockIdx.y} * Tile::columns + threadIdx.x % 32 * Tile::at_once;
  if (s == 0 || row >= C.rows || col >= C.cols) return;
  const std::int8_t* const from = planes.data + row * planes.ld + col;
  double integers[Tile::at_once];
  const auto with = [&]<int... i>(std::integer_sequence<int, i...>) {
    ((s == min_moduli + i ? integers_of<min_moduli + i>(from, planes.apart(), integers) : void()), ...);
  };
  with(std::make_integer_sequence<int, max_moduli - min_moduli + 1>());
  const int exponent = of_rows[row];
#pragma unroll
  for (int j = 0; j < Tile::at_once; ++j) {
    if (col + j >= C.cols) return;
    const double sum = times_power(integers[j], -exponent - of_columns[col + j]);
    double& c = C(row, col + j);
    c = beta == 0 ? alpha * sum : fma(alpha, sum, beta * c);
  }
}

}  // namespace rooftile::cuda_native::residues
