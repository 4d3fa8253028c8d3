// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/matrix.hpp"

/// What becomes of the sums of a tile.
namespace rooftile::detail::hopper {

/// A warp's part of shared memory: two boxes of 16 rows of 128 bytes for TMA, or (16,32) sums; with their
/// pitch, the pairs that its lanes write fall into different banks.
struct StoreStaging {
  static constexpr int rows = 16;
  static constexpr int cols = 32;
  static constexpr int pitch = 40;
  static constexpr int column_pitch = 20;  ///< where the chunk lies by columns
  static constexpr int boxes = 2;          ///< one is written while TMA reads the other
  static constexpr int box_bytes = rows * 128;
  static constexpr int bytes = boxes * box_bytes;
  static_assert(rows * pitch * 4 <= bytes && cols * column_pitch * 4 <= bytes);
};

/// How C is stored.
enum class StoreBy {
  boxes,     ///< by TMA: as `rows`, where C need not be read; not of permuted rows
  elements,  ///< one element a thread: any strides
  rows,      ///< 16 bytes of a row a thread: rows are contiguous and start at multiples of that
  columns,   ///< 16 bytes of a column a thread, likewise; only of permuted rows
};

/// C = alpha · product + beta · C; each plane of the work has a C of its own, `plane_stride` elements from
/// the last.
template <class Out>
struct WarpgroupResult {
  MatrixRef<Out> C;  // (M,N)
  Index plane_stride;
  float alpha;
  float beta;
  StoreBy by;
};

/// Elements that a thread stores at once.
template <class Out>
struct alignas(16) StoreVector {
  static constexpr int size = 16 / static_cast<int>(sizeof(Out));
  Out x[size];
};

template <bool reads_c, class Out>
__device__ void store_element(Out& c, float product, const WarpgroupResult<Out>& result) {
  const float scaled = result.alpha * product;
  c = static_cast<Out>(reads_c ? scaled + result.beta * static_cast<float>(c) : scaled);
}

/// The same for 16 bytes.
template <bool reads_c, class Out>
__device__ void store_vector(Out* c, const float* products, const WarpgroupResult<Out>& result) {
  using Vector = StoreVector<Out>;
  float x[Vector::size];
#pragma unroll
  for (int e = 0; e < Vector::size; e += 4) {
    *reinterpret_cast<float4*>(x + e) = *reinterpret_cast<const float4*>(products + e);
  }
#pragma unroll
  for (float& product : x) product *= result.alpha;
  if constexpr (reads_c) {
    const Vector old = *reinterpret_cast<const Vector*>(c);
#pragma unroll
    for (int e = 0; e < Vector::size; ++e) x[e] += result.beta * static_cast<float>(old.x[e]);
  }
  Vector v;
#pragma unroll
  for (int e = 0; e < Vector::size; ++e) v.x[e] = static_cast<Out>(x[e]);
  *reinterpret_cast<Vector*>(c) = v;
}

/// The same for as many of 16 bytes' elements as are left.
template <bool reads_c, class Out>
__device__ void store_some(Out* c, const float* products, int left, const WarpgroupResult<Out>& result) {
  if (left >= StoreVector<Out>::size) {
    store_vector<reads_c>(c, products, result);
  } else {
    for (int e = 0; e < left; ++e) store_element<reads_c>(c[e], products[e], result);
  }
}

}  // namespace rooftile::detail::hopper
