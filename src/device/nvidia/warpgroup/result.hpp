// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "device/common/vector.hpp"
#include "rooftile/complex.hpp"
#include "rooftile/detail/epilogue.hpp"
#include "rooftile/matrix.hpp"

/// How the sums of a tile become elements of C.
namespace rooftile::detail::hopper {

/// A warp's part of shared memory: two boxes of 16 rows of 128 bytes for TMA, or (16,32) sums. The pitch puts
/// the pairs that the warp's lanes write into different banks.
struct StoreStaging {
  static constexpr int rows = 16;
  static constexpr int cols = 32;
  static constexpr int pitch = 40;
  static constexpr int column_pitch = 20;  ///< pitch of a chunk that is stored by columns
  static constexpr int boxes = 2;          ///< one is written while TMA reads the other
  static constexpr int box_bytes = rows * 128;
  static constexpr int bytes = boxes * box_bytes;
  static_assert(rows * pitch * 4 <= bytes && cols * column_pitch * 4 <= bytes);
};

/// How threads store C.
enum class StoreBy {
  boxes,     ///< by TMA: as `rows`, if C is not read; not for permuted rows
  elements,  ///< one element per thread: any strides
  rows,      ///< 16 bytes of a row per thread: rows are contiguous and 16-byte aligned
  columns,   ///< 16 bytes of a column per thread, likewise; only for permuted rows
};

/// The type of the accumulators of C: int32 or fp32.
template <class Out>
using AccumulatorOf = std::conditional_t<std::is_same_v<Out, std::int32_t>, Out, float>;

/// The type of alpha and beta: the type of the accumulators, or complex numbers.
template <class Out>
using ScaleOf = std::conditional_t<is_complex<Out>, Out, AccumulatorOf<Out>>;

/// The accumulators per element of C: two for a complex number, otherwise one.
template <class Out>
inline constexpr int sums_of = is_complex<Out> ? 2 : 1;

/// C = alpha · product + beta · C. Each plane of the work has its own C, `plane_stride` elements after the
/// previous C.
template <class Out>
struct WarpgroupResult {
  MatrixRef<Out> C;  // (M,N)
  Index plane_stride;
  ScaleOf<Out> alpha;
  ScaleOf<Out> beta;
  StoreBy by;
};

/// The elements that a thread stores at once, 16 bytes.
template <class Out>
struct alignas(16) StoreVector {
  static constexpr int size = 16 / static_cast<int>(sizeof(Out));
  Out x[size];
};

/// Returns alpha · the product whose accumulators are at `sums`. Integers wrap around.
template <class Out>
__device__ Arithmetic<ScaleOf<Out>> times_alpha(ScaleOf<Out> alpha, const AccumulatorOf<Out>* sums) {
  if constexpr (is_complex<Out>) {
    return alpha * Out(sums[0], sums[1]);
  } else {
    using U = Arithmetic<ScaleOf<Out>>;
    return static_cast<U>(alpha) * static_cast<U>(*sums);
  }
}

template <bool reads_c, class Out>
__device__ void store_element(Out& c, const AccumulatorOf<Out>* sums, const WarpgroupResult<Out>& result) {
  using U = Arithmetic<ScaleOf<Out>>;
  const U product = times_alpha<Out>(result.alpha, sums);
  const auto added = [&] { return scaled(static_cast<U>(result.beta), static_cast<U>(ScaleOf<Out>(c))); };
  c = static_cast<Out>(reads_c ? product + added() : product);
}

/// `store_element` for 16 bytes.
template <bool reads_c, class Out>
__device__ void store_vector(Out* c, const AccumulatorOf<Out>* sums, const WarpgroupResult<Out>& result) {
  using Vector = StoreVector<Out>;
  using Four = detail::Vector<AccumulatorOf<Out>, 4>;
  constexpr int width = Vector::size * sums_of<Out>;
  AccumulatorOf<Out> x[width];
#pragma unroll
  for (int i = 0; i < width; i += 4) {
    *reinterpret_cast<Four*>(x + i) = *reinterpret_cast<const Four*>(sums + i);
  }
  Vector v;
  if constexpr (reads_c) v = *reinterpret_cast<const Vector*>(c);
#pragma unroll
  for (int e = 0; e < Vector::size; ++e) store_element<reads_c>(v.x[e], x + e * sums_of<Out>, result);
  *reinterpret_cast<Vector*>(c) = v;
}

/// `store_element` for the elements of 16 bytes, but at most `left` elements.
template <bool reads_c, class Out>
__device__ void store_some(Out* c, const AccumulatorOf<Out>* sums, int left,
                           const WarpgroupResult<Out>& result) {
  if (left >= StoreVector<Out>::size) {
    store_vector<reads_c>(c, sums, result);
  } else {
    for (int e = 0; e < left; ++e) store_element<reads_c>(c[e], sums + e * sums_of<Out>, result);
  }
}

}  // namespace rooftile::detail::hopper
