// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "rooftile/fused.hpp"
#include "tests/backends/openmp/openmp_instance.hpp"

/// Products with an epilogue on CPUs, and their results by the definition.
namespace rooftile::testing {

inline constexpr std::uint64_t fused_seed = 20261124;

template <class V>
V number(Index re, Index im = 0) {
  if constexpr (detail::is_complex<V>) {
    return {static_cast<Real<V>>(re), static_cast<Real<V>>(im)};
  } else {
    return static_cast<V>(re);
  }
}
template <class T>
T not_a_number() {
  return static_cast<T>(std::numeric_limits<Scalar<T>>::quiet_NaN());
}

/// A matrix in its own memory, with unused elements around it that no kernel may write.
template <class T>
struct Stored {
  std::vector<T> memory;
  MatrixRef<T> matrix;

  /// @param layout  0: row-major, 1: column-major, 2 and 3: the same with padding, 4: two strides, 5: rows
  /// bottom up
  Stored(Index rows, Index cols, int layout, T filling) {
    Index row_stride = cols, col_stride = 1;
    if (layout == 1 || layout == 3) row_stride = 1, col_stride = layout == 3 ? rows + 5 : rows;
    if (layout == 2 || layout == 5) row_stride = cols + 3;
    if (layout == 4) row_stride = 2 * cols + 1, col_stride = 2;
    memory.assign(static_cast<std::size_t>(rows * std::abs(row_stride) + cols * std::abs(col_stride) + 8),
                  filling);
    T* first = memory.data() + 4;
    if (layout == 5 && rows > 0) first += (rows - 1) * row_stride, row_stride = -row_stride;
    matrix = {first, rows, cols, row_stride, col_stride};
  }
  template <class Draw>
  void fill(const Draw& draw) {
    for (Index i = 0; i < matrix.rows; ++i) {
      for (Index j = 0; j < matrix.cols; ++j) matrix(i, j) = draw();
    }
  }
};

/// Returns 2·value + 1000·i + j and counts each call.
template <class V>
struct Probe {
  std::atomic<int>* calls;  // (rows,cols)
  Index rows, cols;
  std::atomic<Index>* fetched;  // elements; negative after a prefetch outside C

  V operator()(Index i, Index j, V value) const {
    calls[i * cols + j].fetch_add(1, std::memory_order_relaxed);
    return value + value + number<V>(1000 * i + j);
  }
  void prefetch(Index row, Index col, Index height, Index width) const {
    const bool inside = row >= 0 && col >= 0 && row + height <= rows && col + width <= cols;
    fetched->fetch_add(inside ? height * width : -rows * cols);
  }
};

/// The values that an epilogue gets: alpha·A·B + beta·C, in the order of the definition. Shape (m,n).
template <class T>
std::vector<Scalar<T>> values_of(const GemmArgs<T>& args) {
  using V = Scalar<T>;
  const auto& [alpha, A, B, beta, C] = args;
  const auto [m, n, k] = args.shape();
  std::vector<V> values(static_cast<std::size_t>(m * n), V(0));
  std::vector<V> row(static_cast<std::size_t>(n)), b(static_cast<std::size_t>(k * n));
  for (Index l = 0; l < k; ++l) {
    for (Index j = 0; j < n; ++j) b[static_cast<std::size_t>(l * n + j)] = static_cast<V>(B.value(l, j));
  }
  for (Index i = 0; i < m; ++i) {
    std::fill(row.begin(), row.end(), V(0));
    for (Index l = 0; alpha != V(0) && l < k; ++l) {
      const V a = static_cast<V>(A.value(i, l));
      const V* const from = b.data() + l * n;
      for (Index j = 0; j < n; ++j) detail::multiply_add(row[static_cast<std::size_t>(j)], a, from[j]);
    }
    for (Index j = 0; j < n; ++j) {
      V& x = values[static_cast<std::size_t>(i * n + j)];
      if (alpha != V(0) && k > 0) x = alpha * row[static_cast<std::size_t>(j)];
      if (beta != V(0)) x = x + beta * static_cast<V>(C.value(i, j));
    }
  }
  return values;
}

/// A product of small integers, so that all sums are exact, and its result by the definition.
template <class T>
struct Product {
  using V = Scalar<T>;
  GemmShape shape;
  Stored<T> A, B, C;
  V alpha, beta;
  std::vector<V> values;  // (m,n) alpha·A·B + beta·C

  Product(std::mt19937_64& bits, const GemmShape& s, bool conjugates)
      : shape(s),
        A(s.m, s.k, layout(bits), not_a_number<T>()),
        B(s.k, s.n, layout(bits), not_a_number<T>()),
        C(s.m, s.n, layout(bits), number<T>(77)) {
    const auto draw = [&](int most) { return static_cast<Index>(bits() % (2 * most + 1)) - most; };
    const auto element = [&] { return static_cast<T>(number<V>(draw(2), draw(2))); };
    A.fill(element), B.fill(element), C.fill(element);
    alpha = number<V>(bits() % 6 == 0 ? 0 : draw(2), draw(1)), beta = number<V>(draw(1), draw(1));
    if (bits() % 6 == 0) alpha = number<V>(0);
    if (bits() % 2 == 0) beta = number<V>(0);
    if (alpha == V(0)) A.fill(not_a_number<T>), B.fill(not_a_number<T>);
    if (beta == V(0)) C.fill(not_a_number<T>);
    if (conjugates) {
      if (bits() % 2 == 0) A.matrix = A.matrix.conjugated();
      if (bits() % 2 == 0) B.matrix = B.matrix.conjugated();
      if (bits() % 4 == 0) C.matrix = C.matrix.conjugated();
    }
    define();
  }

  V value(Index i, Index j) const { return values[static_cast<std::size_t>(i * shape.n + j)]; }

  /// Calls gemm_fused on a copy of C.
  /// @return the memory of that copy
  template <class Epilogue>
  std::vector<T> result(const Kokkos::OpenMP& exec, const Epilogue& epilogue) const {
    std::vector<T> memory = C.memory;
    gemm_fused(exec, alpha, MatrixRef<const T>(A.matrix), MatrixRef<const T>(B.matrix), beta, in(memory),
               epilogue);
    return memory;
  }
  /// C in a copy of its memory.
  MatrixRef<T> in(std::vector<T>& memory) const {
    return C.matrix.at(memory.data() + (C.matrix.data - C.memory.data()));
  }
  /// @param f(i, j, value)  the epilogue
  /// @return the expected memory of C
  template <class F>
  std::vector<T> expected(const F& f) const {
    std::vector<T> memory = C.memory;
    const MatrixRef<T> c = in(memory);
    for (Index i = 0; i < shape.m; ++i) {
      for (Index j = 0; j < shape.n; ++j)
        c(i, j) = detail::conjugated_if(detail::reads_conjugates(c), static_cast<T>(f(i, j, value(i, j))));
    }
    return memory;
  }

 private:
  static int layout(std::mt19937_64& bits) { return static_cast<int>(bits() % 12) % 6; }

  void define() { values = values_of<T>({alpha, A.matrix, B.matrix, beta, C.matrix}); }
};

/// Whether all elements are equal bit for bit. All NaNs count as equal.
template <class T>
bool same(const std::vector<T>& x, const std::vector<T>& y) {
  const auto equal = [](const T& a, const T& b) {
    const auto p = static_cast<Scalar<T>>(a), q = static_cast<Scalar<T>>(b);
    return p == q || (!(p == p) && !(q == q));
  };
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), equal);
}

}  // namespace rooftile::testing
