// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "cpu/grid.hpp"
#include "cpu/micro_kernel.hpp"
#include "cpu/simd.hpp"
#include "cpu/update.hpp"

/// Products with few rows and a large B. Each element of B is used only once per row of A, so that B is
/// streamed in place. The small sums of C stay in the caches.
namespace rooftile::portable {
namespace {

/// Rows of B that are streamed together: as many streams as a CPU prefetches. Each vector of sums is loaded
/// and stored once for all of them.
constexpr int rows_together = 8;

/// sums (mr,vectors) += A (mr,steps) · B (steps,n). The last vector of B ends at the end of its row, to stay
/// in bounds. Some of its lanes are also in the previous vector.
template <int mr, int steps, class T>
void add_rows(const MatrixRef<const T>& A, const MatrixRef<const T>& B, T* sums, Index stride) {
  using V = Simd<T>;
  T a[steps][mr];
  unrolled<steps, mr>([&](auto k, auto i) __attribute__((always_inline)) { a[k][i] = A(i, k); });
  for (Index j = 0; j < B.cols; j += V::lanes) {
    const T* const b = B.data + std::min(j, B.cols - V::lanes);
    typename V::Vector acc[mr];
    unrolled<mr>([&](auto i) __attribute__((always_inline)) { acc[i] = V::load(sums + i * stride + j); });
    unrolled<steps>([&](auto k) __attribute__((always_inline)) {
      const typename V::Vector row = V::load(b + k * B.row_stride);
      unrolled<mr>([&](auto i) __attribute__((always_inline)) { acc[i] += a[k][i] * row; });
    });
    unrolled<mr>([&](auto i) __attribute__((always_inline)) { V::store(sums + i * stride + j, acc[i]); });
  }
}

template <class T>
using Kernel = void (*)(const MatrixRef<const T>&, const MatrixRef<const T>&, T*, Index);

/// The kernels for 1 to MR rows.
template <int steps, class T>
constexpr auto kernels = []<int... i>(std::integer_sequence<int, i...>) {
  return std::array<Kernel<T>, sizeof...(i)>{add_rows<i + 1, steps, T>...};
}
(std::make_integer_sequence<int, MicroTile<T>::rows>());

/// C = alpha·sums + beta·C
template <class T>
void store_sums(const MatrixRef<T>& C, const T* sums, Index stride, T alpha, T beta) {
  constexpr Index lanes = Simd<T>::lanes;
  const Index whole = C.cols / lanes * lanes;
  for (Index i = 0; i < C.rows; ++i, sums += stride) {
    T* const row = &C(i, 0);
    if (C.col_stride == 1) {
      for (Index j = 0; j < whole; ++j) update(row[j], alpha, sums[j], beta);
    } else {
      for (Index j = 0; j < whole; ++j) update(row[j * C.col_stride], alpha, sums[j], beta);
    }
    const T* const last = sums + whole + lanes - C.cols;  // the last vector overlaps, as in `add_rows`
    for (Index j = whole; j < C.cols; ++j) update(row[j * C.col_stride], alpha, last[j], beta);
  }
}

}  // namespace

template <class T>
void multiply_skinny_m(const GemmArgs<T>& args, Index columns, T* sums) {
  const auto& [alpha, A, B, beta, C] = args;
  const Index groups = ceil_div(C.rows, MicroTile<T>::rows), stride = skinny_m_stride(columns);
  for (Index j0 = 0; j0 < C.cols; j0 += columns) {
    const Index n = std::min(columns, C.cols - j0);
    std::fill_n(sums, C.rows * stride, T(0));
    for (Index k = 0, steps = 0; k < A.cols; k += steps) {
      steps = A.cols - k >= rows_together ? rows_together : 1;
      const auto& kernel = steps == 1 ? kernels<1, T> : kernels<rows_together, T>;
      const MatrixRef<const T> b{B.data + k * B.row_stride + j0, steps, n, B.row_stride, 1};
      for (Index group = 0; group < groups; ++group) {  // from the second group on, b is in the caches
        const auto [begin, end] = part(C.rows, 1, groups, group);
        kernel[static_cast<std::size_t>(end - begin - 1)](
            {&A(begin, k), end - begin, steps, A.row_stride, A.col_stride}, b, sums + begin * stride, stride);
      }
    }
    store_sums({C.data + j0 * C.col_stride, C.rows, n, C.row_stride, C.col_stride}, sums, stride, alpha,
               beta);
  }
}

template void multiply_skinny_m(const GemmArgs<float>&, Index, float*);
template void multiply_skinny_m(const GemmArgs<double>&, Index, double*);

}  // namespace rooftile::portable
