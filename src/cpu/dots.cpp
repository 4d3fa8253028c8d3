// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>

#include "cpu/grid.hpp"
#include "cpu/lanes.hpp"
#include "cpu/micro_kernel.hpp"
#include "cpu/simd.hpp"
#include "cpu/update.hpp"

/// Products with few columns, computed as dot products with vectors along K.
namespace rooftile::portable {
namespace {

/// Rows whose dot products are computed together: several streams of A share each vector of B. A power of two
/// whose accumulators fit three quarters of the registers; the rest is for operands.
constexpr int rows_together(int columns) {
  return std::min(
      4, static_cast<int>(std::bit_floor(static_cast<unsigned>(vector_registers * 3 / 4 / columns))));
}
static_assert(rows_of_dots % rows_together(1) == 0 && rows_of_dots % Simd<float>::lanes == 0);

template <class T>
constexpr int max_columns = static_cast<int>(max_dots(MicroTile<T>::cols));

/// The dot products of some rows with the columns of B, (mr,nc).
/// @pre A.col_stride == 1, B.row_stride == 1, and K is at least the length of a vector
template <int mr, int nc, class T>
void multiply_rows(const GemmArgs<T>& args) {
  using V = Simd<T>;
  const auto& [alpha, A, B, beta, C] = args;
  constexpr int chains = std::max(1, 8 / (mr * nc));  // enough independent chains to hide the latency
  typename V::Vector acc[chains][mr * nc];
  unrolled<chains, mr * nc>([&](auto u, auto e)
                                __attribute__((always_inline)) { acc[u][e] = typename V::Vector{}; });
  const auto add = [&](Index k, auto u, const auto& part) __attribute__((always_inline)) {
    unrolled<mr, nc>([&](auto i, auto j) __attribute__((always_inline)) {
      acc[u][i * nc + j] +=
          part(V::load(A.data + i * A.row_stride + k)) * part(V::load(B.data + j * B.col_stride + k));
    });
  };
  const auto whole = [](const auto& x) __attribute__((always_inline)) {
    return x;
  };
  constexpr std::integral_constant<int, 0> first;
  Index k = 0;
  for (; k + chains * V::lanes <= A.cols; k += chains * V::lanes) {
    unrolled<chains>([&](auto u) __attribute__((always_inline)) { add(k + u * V::lanes, u, whole); });
  }
  for (; k + V::lanes <= A.cols; k += V::lanes) add(k, first, whole);
  if (k < A.cols) {  // the last vector ends at K; its first elements are already added
    const Index begin = A.cols - V::lanes;
    add(
        begin,
        first, [&](const auto& x) __attribute__((always_inline)) { return from_lane<T>(k - begin, x); });
  }
  unrolled<chains - 1, mr * nc>([&](auto u, auto e)
                                    __attribute__((always_inline)) { acc[0][e] += acc[u + 1][e]; });
  T dots[mr * nc];
  sums<T, mr * nc>(acc[0], dots);
  unrolled<mr, nc>([&](auto i, auto j)
                       __attribute__((always_inline)) { update(C(i, j), alpha, dots[i * nc + j], beta); });
}

/// The dot products of one vector of rows with the only column of B; the results form a vector. For K so
/// short that summing lanes takes as long as all multiply-adds. @pre as for `multiply_rows`
template <class T>
void multiply_rows_of_vector(const GemmArgs<T>& args) {
  using V = Simd<T>;
  constexpr int mr = V::lanes;
  const auto& [alpha, A, B, beta, C] = args;
  typename V::Vector acc[mr];
  unrolled<mr>([&](auto i) __attribute__((always_inline)) { acc[i] = typename V::Vector{}; });
  RowsOfA<mr, T> a(A.data, A.row_stride);
  const auto add = [&](Index k, const auto& part) __attribute__((always_inline)) {
    const typename V::Vector b = part(V::load(B.data + k));
    unrolled<mr>([&](auto i) __attribute__((always_inline)) { acc[i] += part(V::load(a.row(i))) * b; });
  };
  Index k = 0;
  for (; k + mr <= A.cols; k += mr, a.step(mr)) {
    add(
        k, [](const auto& x) __attribute__((always_inline)) { return x; });
  }
  if (k < A.cols) {  // the last vector ends at K; its first elements are already added
    const Index begin = A.cols - mr;
    a.step(begin - k);
    add(
        begin, [&](const auto& x) __attribute__((always_inline)) { return from_lane<T>(k - begin, x); });
  }
  T dots[mr];
  sums<T, mr>(acc, dots);
  if (C.row_stride == 1) {
    typename V::Vector c = beta == T(0) ? typename V::Vector{} : V::load(C.data);
    update(c, alpha, V::load(dots), beta);
    V::store(C.data, c);
  } else {
    for (int i = 0; i < mr; ++i) update(C(i, 0), alpha, dots[i], beta);
  }
}

/// The kernels, by number of rows and of columns.
template <class T>
struct DotsOf {
  using Kernel = void (*)(const GemmArgs<T>&);

  template <int mr, int... j>
  static constexpr auto of_rows(std::integer_sequence<int, j...>) {
    constexpr auto kernel = []<int nc>() -> Kernel {
      if constexpr (mr <= rows_together(nc)) {
        return multiply_rows<mr, nc, T>;
      } else {
        return nullptr;
      }
    };
    return std::array<Kernel, sizeof...(j)>{kernel.template operator()<j + 1>()...};
  }
  static constexpr auto columns = std::make_integer_sequence<int, max_columns<T>>();
  static constexpr std::array kernels{of_rows<1>(columns), of_rows<2>(columns), of_rows<3>(columns),
                                      of_rows<4>(columns)};
};

/// Computes all rows. @pre B.row_stride == 1
template <class T>
void multiply_all_rows(GemmArgs<T> args) {
  constexpr Index lanes = Simd<T>::lanes, short_k = 256;
  const Index together = rows_together(static_cast<int>(args.C.cols));
  Index left = args.C.rows;
  const auto next = [&](Index rows) {
    args.A.data += rows * args.A.row_stride, args.C.data += rows * args.C.row_stride;
    left -= rows;
  };
  for (; args.C.cols == 1 && args.A.cols <= short_k && left >= lanes; next(lanes))
    multiply_rows_of_vector(args);
  while (left > 0) {
    const Index rows = std::min(left, together);
    DotsOf<T>::kernels[static_cast<std::size_t>(rows - 1)][static_cast<std::size_t>(args.C.cols - 1)](args);
    next(rows);
  }
}

}  // namespace

template <class T>
void multiply_dots(const GemmArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args;
  if (B.row_stride == 1) return multiply_all_rows(args);
  constexpr Index bytes = 8 * 1024, lanes = Simd<T>::lanes;
  const Index max_kc = bytes / Index{sizeof(T)} / C.cols / lanes * lanes;
  alignas(vector_bytes) T columns[bytes / sizeof(T)];  // (n,kc)
  const Index blocks = ceil_div(A.cols, max_kc);
  for (Index i = 0; i < blocks; ++i) {
    const auto [k0, k1] = part(A.cols, 1, blocks, i);
    const Index kc = k1 - k0;
    const MatrixRef<const T> rows{&B(k0, 0), kc, C.cols, B.row_stride, B.col_stride};
    copy_by_rows(rows.transposed(), columns, max_kc);
    multiply_all_rows<T>({alpha,
                          {A.data + k0, C.rows, kc, A.row_stride, 1},
                          column_major<const T>(columns, kc, C.cols, max_kc),
                          k0 == 0 ? beta : T(1),
                          C});
  }
}

template void multiply_dots(const GemmArgs<float>&);
template void multiply_dots(const GemmArgs<double>&);

}  // namespace rooftile::portable
