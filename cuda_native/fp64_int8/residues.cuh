// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/fp64_int8/workspace.hpp"
#include "numerics/parts.hpp"
#include "numerics/residue.hpp"

/// Converts an fp64 operand to planes of residues that are contiguous along K, as int8 `wgmma` requires.
namespace rooftile::cuda_native::residues {

/// The part of an operand that a block converts. Complex operands have half as many rows.
template <class T>
struct ResidueTile {
  static constexpr int threads = 256, rows = 32 / part_count<T>, k = static_cast<int>(Planes::line);
  static constexpr int at_once = 4;  ///< elements of a row that a thread converts
  static_assert(k == 32 * at_once, "a warp takes a row");
};

/// Returns the residues of four neighbours in a row.
template <int i>
__device__ char4 residues_of(const Split (&x)[4]) {
  char4 r;
  r.x = residue<i>(x[0]);
  r.y = residue<i>(x[1]);
  r.z = residue<i>(x[2]);
  r.w = residue<i>(x[3]);
  return r;
}

/// Writes the residues of a thread's elements for modulus i. Complex elements also have residues of re + im.
/// @param apart  bytes from one plane to the next
template <int i, int parts>
__device__ void write_residues(const Split (&x)[parts][4], std::int8_t* to, Index apart) {
  if constexpr (parts == 1) {
    *reinterpret_cast<char4*>(to + i * apart) = residues_of<i>(x[0]);
  } else {
    constexpr int p = modulus<i>.p;
    const char4 re = residues_of<i>(x[0]), im = residues_of<i>(x[1]);
    const auto factor = [](int a, int b) { return static_cast<signed char>(factor_of(2, a, b, p)); };
    const char4 sum{factor(re.x, im.x), factor(re.y, im.y), factor(re.z, im.z), factor(re.w, im.w)};
    to += 3 * i * apart;
    *reinterpret_cast<char4*>(to) = re;
    *reinterpret_cast<char4*>(to + apart) = im;
    *reinterpret_cast<char4*>(to + 2 * apart) = sum;
  }
}

/// planes[i](row - first,k) = rint(2^e · X(row,k)) modulo modulus i; zeros beyond K. For complex numbers,
/// planes 3·i to 3·i + 2 contain re, im and re + im.
/// @param first  first row of the chunk
template <bool contiguous, class T>
__global__ void __launch_bounds__(ResidueTile<T>::threads)
    make_residues(Operand<T> of, Index first, Guard guard) {
  using Tile = ResidueTile<T>;
  constexpr int parts = part_count<T>;
  const int s = guard.moduli();
  if (s == 0) return;
  __shared__ double tile[parts][Tile::rows][Tile::k + 1];
  const MatrixRef<const T> X = of.matrix();
  const Index chunk_row0 = Index{blockIdx.x} * Tile::rows, row0 = first + chunk_row0;
  const Index k0 = Index{blockIdx.y} * Tile::k;
  const auto rows = static_cast<int>(min(of.planes.rows - chunk_row0, Index{Tile::rows}));
  for (int i = threadIdx.x; i < Tile::rows * Tile::k; i += Tile::threads) {
    const int row = contiguous ? i / Tile::k : i % Tile::rows, k = contiguous ? i % Tile::k : i / Tile::rows;
    const T x = row < rows && k0 + k < X.cols ? X.value(row0 + row, k0 + k) : T(0);
#pragma unroll
    for (int p = 0; p < parts; ++p) tile[p][row][k] = part_of(x, p);
  }
  __syncthreads();
  const int lane = threadIdx.x % 32, k = lane * Tile::at_once;
  for (int row = threadIdx.x / 32; row < rows; row += Tile::threads / 32) {
    const int exponent = scaling_exponent(of.scales[row0 + row], squared_limit(s));
    if (blockIdx.y == 0 && lane == 0) of.exponents[row0 + row] = exponent;
    Split x[parts][Tile::at_once];
#pragma unroll
    for (int p = 0; p < parts; ++p) {
#pragma unroll
      for (int j = 0; j < Tile::at_once; ++j) x[p][j] = split(integer_of(tile[p][row][k + j], exponent));
    }
    std::int8_t* const to = of.planes.data + (chunk_row0 + row) * of.planes.ld + k0 + k;
    [&]<int... i>(std::integer_sequence<int, i...>) {
      ((i < s ? write_residues<i>(x, to, of.planes.apart()) : void()), ...);
    }
    (std::make_integer_sequence<int, max_moduli>());
  }
}

}  // namespace rooftile::cuda_native::residues
