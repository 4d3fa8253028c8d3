// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/fp64_int8/workspace.hpp"
#include "numerics/parts.hpp"
#include "numerics/reconstruct.hpp"

/// Computes C from planes of residues by the Chinese remainder theorem.
namespace rooftile::cuda_native::residues {

/// The tile of C of a block. A thread computes neighbours in a row and reads their residues together.
struct ReconstructTile {
  static constexpr int threads = 256, at_once = 4;
  static constexpr int rows = threads / 32, columns = 32 * at_once;
};

/// Computes a thread's integers of C. @param from  the first residue of the thread
template <int s>
__device__ void integers_of(const std::int8_t* from, Index apart,
                            double (&integers)[ReconstructTile::at_once]) {
  unsigned r[s];
#pragma unroll
  for (int i = 0; i < s; ++i) r[i] = *reinterpret_cast<const unsigned*>(from + i * apart) ^ 0x80808080u;
#pragma unroll
  for (int j = 0; j < ReconstructTile::at_once; ++j) {
    // Builds 2⁵² + 128 + the residue from bits, because conversions take four times as long as additions.
    integers[j] = reconstruct<s>([&](int i) {
      return __hiloint2double(0x43300000, static_cast<int>(r[i] >> 8 * j & 0xff)) - (0x1p52 + 128);
    });
  }
}

/// Returns a residue as double, without a conversion instruction.
__device__ inline double number_of(int residue) {
  return __hiloint2double(0x43300000, residue + 128) - (0x1p52 + 128);
}

/// Computes a thread's complex integers of C, which have three residues per modulus.
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

/// C = alpha·product + beta·C for a chunk of C, by the rule of BLAS for beta.
/// @param C         the chunk
/// @param pointer   address of the pointer to element (0,0) of C, if only the device knows it; otherwise null
/// @param distance  elements from element (0,0) of C to the first element of the chunk
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
  T* const line = tile[threadIdx.x / 32];  // gives neighbours of C to neighbouring threads
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
