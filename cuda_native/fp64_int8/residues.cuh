// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/fp64_int8/workspace.hpp"
#include "rooftile/device/residues/residue.hpp"

/// From an operand in fp64 to planes of residues, contiguous along K, as `wgmma` of int8 wants them.
namespace rooftile::cuda_native::residues {

/// What a block takes of an operand.
struct ResidueTile {
  static constexpr int threads = 256, rows = 32, k = static_cast<int>(Planes::line);
  static constexpr int at_once = 4;  ///< elements of a row that a thread makes residues of
  static_assert(k == 32 * at_once, "a warp takes a row");
};

/// Writes the residues of a thread's elements modulo modulus i.
template <int i>
__device__ void write_residues(const Split (&x)[ResidueTile::at_once], std::int8_t* to) {
  char4 r;
  r.x = residue<i>(x[0]);
  r.y = residue<i>(x[1]);
  r.z = residue<i>(x[2]);
  r.w = residue<i>(x[3]);
  *reinterpret_cast<char4*>(to) = r;
}

/// planes[i](row - first,k) = rint(2^e · X(row,k)) modulo modulus i; zeros beyond K.
/// @param first  of the chunk's rows
template <bool contiguous>
__global__ void __launch_bounds__(ResidueTile::threads) make_residues(Operand of, Index first, Guard guard) {
  using Tile = ResidueTile;
  const int s = guard.moduli();
  if (s == 0) return;
  __shared__ double tile[Tile::rows][Tile::k + 1];
  const MatrixRef<const double> X = of.matrix();
  const Index chunk_row0 = Index{blockIdx.x} * Tile::rows, row0 = first + chunk_row0;
  const Index k0 = Index{blockIdx.y} * Tile::k;
  const auto rows = static_cast<int>(min(of.planes.rows - chunk_row0, Index{Tile::rows}));
  for (int i = threadIdx.x; i < Tile::rows * Tile::k; i += Tile::threads) {
    const int row = contiguous ? i / Tile::k : i % Tile::rows, k = contiguous ? i % Tile::k : i / Tile::rows;
    tile[row][k] = row < rows && k0 + k < X.cols ? X(row0 + row, k0 + k) : 0;
  }
  __syncthreads();
  const int lane = threadIdx.x % 32, k = lane * Tile::at_once;
  for (int row = threadIdx.x / 32; row < rows; row += Tile::threads / 32) {
    const int exponent = scaling_exponent(of.scales[row0 + row], squared_limit(s));
    if (blockIdx.y == 0 && lane == 0) of.exponents[row0 + row] = exponent;
    Split x[Tile::at_once];
#pragma unroll
    for (int j = 0; j < Tile::at_once; ++j) x[j] = split(integer_of(tile[row][k + j], exponent));
    std::int8_t* const to = of.planes.data + (chunk_row0 + row) * of.planes.ld + k0 + k;
    [&]<int... i>(std::integer_sequence<int, i...>) {
      ((i < s ? write_residues<i>(x, to + i * of.planes.apart()) : void()), ...);
    }
    (std::make_integer_sequence<int, max_moduli>());
  }
}

}  // namespace rooftile::cuda_native::residues
