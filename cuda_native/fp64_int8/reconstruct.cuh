// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/fp64_int8/workspace.hpp"
#include "numerics/parts.hpp"
#include "numerics/reconstruct.hpp"

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

/// A residue as double, without a conversion.
__device__ inline double number_of(int residue) {
  return __hiloint2double(0x43300000, residue + 128) - (0x1p52 + 128);
}

/// The same of complex integers, each of which has three residues modulo each number.
template <int s>
__device__ void integers_of(const std::int8_t* from, Index apart,
                            complex<double> (&integers)[ReconstructTile::at_once]) {
  unsigned r[3 * s];
#pragma unroll
  for (int i = 0; i < 3 * s; ++i) r[i] = *reinterpret_cast<const unsigned*>(from + i * apart);
#pragma unroll
  for (int j = 0; j < ReconstructTile::at_once; ++j) {
    const auto part = [&](int p) {
      int of_part[s];
      [&]<int... i>(std::integer_sequence<int, i...>) {
        ((of_part[i] = residue_of_part<complex<double>>(
              p, modulus<i>.p,
              [&](int n) { return static_cast<int>(static_cast<signed char>(r[3 * i + n] >> 8 * j)); })),
         ...);
      }
      (std::make_integer_sequence<int, s>());
      return reconstruct<s>([&](int i) { return number_of(of_part[i]); });
    };
    integers[j] = {part(0), part(1)};
  }
}

/// C = alpha · product + beta · C with BLAS' rule for beta, for a chunk of C.
/// @param C         of the chunk
/// @param pointer   to C's element (0,0), if nobody knows on the host where it lies; else null
/// @param distance  from there to the chunk's
template <class T>
__global__ void __launch_bounds__(ReconstructTile::threads)
    reconstruct_result(MatrixRef<T> C, T* const* pointer, Index distance, T alpha, T beta, Planes planes,
                       const int* of_rows, const int* of_columns, Guard guard) {
  using Tile = ReconstructTile;
  __shared__ T tile[Tile::rows][Tile::columns];
  const int s = guard.moduli(), lane = threadIdx.x % 32;
  const Index row = Index{blockIdx.x} * Tile::rows + threadIdx.x / 32;
  const Index col0 = Index{blockIdx.y} * Tile::columns;
  if (s == 0 || row >= C.rows) return;
  if (pointer != nullptr) C.data = *pointer + distance;
  const std::int8_t* const from = planes.data + row * planes.ld + col0 + lane * Tile::at_once;
  T integers[Tile::at_once];
  const auto with = [&]<int... i>(std::integer_sequence<int, i...>) {
    ((s == min_moduli + i ? integers_of<min_moduli + i>(from, planes.apart(), integers) : void()), ...);
  };
  with(std::make_integer_sequence<int, max_moduli - min_moduli + 1>());
  T* const line = tile[threadIdx.x / 32];  // through which neighbours of C come to neighbouring threads
#pragma unroll
  for (int j = 0; j < Tile::at_once; ++j) line[lane * Tile::at_once + j] = integers[j];
  __syncwarp();
  const int exponent = of_rows[row];
#pragma unroll
  for (int j = 0; j < Tile::at_once; ++j) {
    const Index col = col0 + lane + 32 * j;
    if (col >= C.cols) return;
    const T sum = times_power(line[lane + 32 * j], -exponent - of_columns[col]);
    T& c = C(row, col);
    c = scaled_sum(alpha, sum, beta, [&] { return c; });
  }
}

}  // namespace rooftile::cuda_native::residues
