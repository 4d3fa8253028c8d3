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

  /// Where an element of a row is in shared memory, and how many places a row has: so that neither who reads
  /// along K, four elements each, nor who writes along the rows waits for a bank.
  static ROOFTILE_FUNCTION constexpr int place(int element) { return element + element / 16; }
  static constexpr int places = k + k / 16 + 1;
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
  __shared__ double tile[Tile::rows][Tile::places];
  __shared__ int exponents[Tile::rows];
  const MatrixRef<const double> X = of.matrix();
  const Index chunk_row0 = Index{blockIdx.x} * Tile::rows, row0 = first + chunk_row0;
  const Index k0 = Index{blockIdx.y} * Tile::k;
  const auto rows = static_cast<int>(min(of.planes.rows - chunk_row0, Index{Tile::rows}));
  if (threadIdx.x < rows) {
    const Index row = row0 + threadIdx.x;
    const int exponent = scaling_exponent(of.scales[row], squared_limit(s));
    exponents[threadIdx.x] = exponent;
    if (blockIdx.y == 0) of.exponents[row] = exponent;
  }
#pragma unroll 8
  for (int i = threadIdx.x; i < Tile::rows * Tile::k; i += Tile::threads) {
    const int row = contiguous ? i / Tile::k : i % Tile::rows, k = contiguous ? i % Tile::k : i / Tile::rows;
    tile[row][Tile::place(k)] =
        row < rows && k0 + k < X.cols
            ? X.data[(row0 + row) * X.row_stride + (k0 + k) * (contiguous ? 1 : X.col_stride)]
            : 0;
  }
  __syncthreads();
  const int k = threadIdx.x % 32 * Tile::at_once;
  for (int row = threadIdx.x / 32; row < rows; row += Tile::threads / 32) {
    Split x[Tile::at_once];
#pragma unroll
    for (int j = 0; j < Tile::at_once; ++j)
      x[j] = split(integer_of(tile[row][Tile::place(k + j)], exponents[row]));
    std::int8_t* const to = of.planes.data + (chunk_row0 + row) * of.planes.ld + k0 + k;
    [&]<int... i>(std::integer_sequence<int, i...>) {
      ((i < s ? write_residues<i>(x, to + i * of.planes.apart()) : void()), ...);
    }
    (std::make_integer_sequence<int, max_moduli>());
  }
}

}  // namespace rooftile::cuda_native::residues
