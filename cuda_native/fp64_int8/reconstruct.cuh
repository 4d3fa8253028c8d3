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
  unsigned r[s];
#pragma unroll
  for (int i = 0; i < s; ++i) r[i] = *reinterpret_cast<const unsigned*>(from + i * apart) ^ 0x80808080u;
#pragma unroll
  for (int j = 0; j < ReconstructTile::at_once; ++j) {
    // 2⁵² + 128 + the residue, without a conversion: those take four times as long as sums.
    integers[j] = reconstruct<s>([&](int i) {
      return __hiloint2double(0x43300000, static_cast<int>(r[i] >> 8 * j & 0xff)) - (0x1p52 + 128);
    });
  }
}

/// C = alpha · product + beta · C with BLAS' rule for beta, for a chunk of C.
/// @param C         of the chunk
/// @param pointer   to C's element (0,0), if nobody knows on the host where it lies; else null
/// @param distance  from there to the chunk's
__global__ void __launch_bounds__(ReconstructTile::threads)
    reconstruct_result(MatrixRef<double> C, double* const* pointer, Index distance, double alpha, double beta,
                       Planes planes, const int* of_rows, const int* of_columns, Guard guard) {
  using Tile = ReconstructTile;
  __shared__ double tile[Tile::rows][Tile::columns];
  const int s = guard.moduli(), lane = threadIdx.x % 32;
  const Index row = Index{blockIdx.x} * Tile::rows + threadIdx.x / 32;
  const Index col0 = Index{blockIdx.y} * Tile::columns;
  if (s == 0 || row >= C.rows) return;
  if (pointer != nullptr) C.data = *pointer + distance;
  const std::int8_t* const from = planes.data + row * planes.ld + col0 + lane * Tile::at_once;
  double integers[Tile::at_once];
  const auto with = [&]<int... i>(std::integer_sequence<int, i...>) {
    ((s == min_moduli + i ? integers_of<min_moduli + i>(from, planes.apart(), integers) : void()), ...);
  };
  with(std::make_integer_sequence<int, max_moduli - min_moduli + 1>());
  double* const line = tile[threadIdx.x / 32];  // through which neighbours of C come to neighbouring threads
#pragma unroll
  for (int j = 0; j < Tile::at_once; ++j) line[lane * Tile::at_once + j] = integers[j];
  __syncwarp();
  const int exponent = of_rows[row];
#pragma unroll
  for (int j = 0; j < Tile::at_once; ++j) {
    const Index col = col0 + lane + 32 * j;
    if (col >= C.cols) return;
    const double sum = times_power(line[lane + 32 * j], -exponent - of_columns[col]);
    double& c = C(row, col);
    c = beta == 0 ? alpha * sum : fma(alpha, sum, beta * c);
  }
}

}  // namespace rooftile::cuda_native::residues
