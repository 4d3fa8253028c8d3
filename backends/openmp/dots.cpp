// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "backends/openmp/blocks.hpp"
#include "backends/openmp/simd.hpp"
#include "rooftile/detail/epilogue.hpp"

/// Products with one to three columns, whose elements are dot products: vectors along K.
namespace rooftile::portable {
namespace {

/// Rows whose dot products are computed together: several streams of A, and an element of B read once for
/// them.
constexpr int rows_together = 4;

/// The sum of a vector's elements, halves first.
template <class T, int d = Simd<T>::lanes / 2>
[[gnu::always_inline]] inline T sum(typename Simd<T>::Vector x) {
  if constexpr (d == 0) {
    return x[0];
  } else {
    [&]<int... l>(std::integer_sequence<int, l...>) __attribute__((always_inline)) {
      x += __builtin_shufflevector(x, x, (l ^ d)...);
    }
    (typename Simd<T>::Lanes());
    return sum<T, d / 2>(x);
  }
}

template <class T>
[[gnu::noinline]] T dot(const T* a, const T* b, Index count) {
  T sum = 0;
  for (Index k = 0; k < count; ++k) sum += a[k] * b[k];
  return sum;
}

/// The rows' dot products with the columns of B, (mr,nc). @pre A.col_stride == 1, B.row_stride == 1
template <int mr, int nc, class T>
void multiply_rows(const GemmArgs<T>& args) {
  using V = Simd<T>;
  const auto& [alpha, A, B, beta, C] = args;
  constexpr int chains = std::max(1, 8 / (mr * nc));  // as many in all as hide the latency
  typename V::Vector acc[chains][mr * nc];
  unrolled<chains, mr * nc>([&](auto u, auto e) __attribute__((always_inline)) { acc[u][e] = typename V::Vector{}; });
  const auto add = [&](Index k, auto u) __attribute__((always_inline)) {
    unrolled<mr, nc>([&](auto i, auto j) __attribute__((always_inline)) {
      acc[u][i * nc + j] += V::load(A.data + i * A.row_stride + k) * V::load(B.data + j * B.col_stride + k);
    });
  };
  Index k = 0;
  for (; k + chains * V::lanes <= A.cols; k += chains * V::lanes) {
    unrolled<chains>([&](auto u) __attribute__((always_inline)) { add(k + u * V::lanes, u); });
  }
  for (; k + V::lanes <= A.cols; k += V::lanes) add(k, std::integral_constant<int, 0>());
  unrolled<mr, nc>([&](auto i, auto j) __attribute__((always_inline)) {
    auto all = acc[0][i * nc + j];
    for (int u = 1; u < chains; ++u) all += acc[u][i * nc + j];
    const T rest = dot(&A(i, k), &B(k, j), A.cols - k);
    detail::update(C(i, j), alpha, sum<T>(all) + rest, beta);
  });
}

template <class T, int mr, int... j>
constexpr auto kernels_of(std::integer_sequence<int, j...>) {
  return std::array{&multiply_rows<mr, j + 1, T>...};
}

/// All rows, for B's columns along memory.
template <class T>
void multiply_all_rows(GemmArgs<T> args) {
  constexpr auto columns = std::make_integer_sequence<int, most_dots>();
  constexpr std::array kernels{kernels_of<T, 1>(columns), kernels_of<T, 2>(columns), kernels_of<T, 3>(columns),
                               kernels_of<T, rows_together>(columns)};
  for (Index left = args.C.rows; left > 0;) {
    const Index rows = std::min<Index>(left, rows_together);
    kernels[static_cast<std::size_t>(rows - 1)][static_cast<std::size_t>(args.C.cols - 1)](args);
    args.A.data += rows * args.A.row_stride, args.C.data += rows * args.C.row_stride;
    left -= rows;
  }
}

}  // namespace

template <class T>
void multiply_dots(const GemmArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args;
  if (B.row_stride == 1) return multiply_all_rows(args);
  constexpr Index most = 32 * 1024 / sizeof(T) / (most_dots + 1);
  T columns[most_dots * most];  // (n,kc)
  for (Index k0 = 0; k0 < A.cols; k0 += most) {
    const Index kc = std::min(most, A.cols - k0);
    for (Index k = 0; k < kc; ++k) {
      for (Index j = 0; j < C.cols; ++j) columns[j * most + k] = B(k0 + k, j);
    }
    multiply_all_rows<T>({alpha,
                          {A.data + k0, C.rows, kc, A.row_stride, 1},
                          column_major<const T>(columns, kc, C.cols, most),
                          k0 == 0 ? beta : T(1),
                          C});
  }
}

template void multiply_dots(const GemmArgs<float>&);
template void multiply_dots(const GemmArgs<double>&);

}  // namespace rooftile::portable
