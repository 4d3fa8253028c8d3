// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>
#include <string>

#include "fused_product.hpp"

/// Batches with an epilogue on CPUs, and their results by the definition.
namespace rooftile::testing {

enum class Place { apart, interleaved, pointers, nested, shared };

/// An operand of a batch, in memory of its own.
template <class T>
struct Operand {
  std::vector<T> memory;
  std::vector<T*> addresses;
  BatchRef<T> batch;

  Operand(std::mt19937_64& bits, Index rows, Index cols, Index count, Place place, T filling) {
    const Stored<T> one(rows, cols, static_cast<int>(bits() % 6), filling);
    const auto each = static_cast<Index>(one.memory.size());
    const Index first = one.matrix.data - one.memory.data();
    memory.assign(static_cast<std::size_t>(each * count), filling);
    batch = {one.matrix.at(memory.data() + first), each, count};
    if (place == Place::shared) batch.stride = 0;
    if (place == Place::nested && count % 2 == 0)
      batch = nested_batch(batch.first, count / 2, each, 2, count / 2 * each);
    if (place == Place::interleaved) {
      batch.stride = 1, batch.first.data = memory.data() + first * count;
      batch.first.row_stride *= count, batch.first.col_stride *= count;
    }
    if (place != Place::pointers) return;
    std::vector<Index> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), Index{0});
    std::shuffle(order.begin(), order.end(), bits);
    for (const Index i : order) addresses.push_back(memory.data() + i * each + first);
    batch = pointer_batch(addresses.data(), batch.first, count);
  }
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;

  template <class Draw>
  void fill(const Draw& draw) {
    for (Index e = 0; e < batch.count; ++e) {
      const MatrixRef<T> X = batch[e];
      for (Index i = 0; i < X.rows; ++i) {
        for (Index j = 0; j < X.cols; ++j) X(i, j) = draw();
      }
    }
  }
};

inline Place place_of(std::mt19937_64& bits, int kinds) {
  return static_cast<Place>(bits() % static_cast<unsigned>(kinds));
}

/// Products of one shape, of small whole numbers, so that all sums are exact.
template <class T>
struct Entries {
  using V = Scalar<T>;
  GemmShape shape;
  Operand<T> A, B, C;
  V alpha, beta;
  std::vector<T> before;
  std::string places;

  Entries(std::mt19937_64& bits, const GemmShape& s, Index count)
      : Entries(bits, s, count, place_of(bits, 5), place_of(bits, 5), place_of(bits, 4)) {}
  Entries(std::mt19937_64& bits, const GemmShape& s, Index count, Place a, Place b, Place c)
      : shape(s),
        A(bits, s.m, s.k, count, a, not_a_number<T>()),
        B(bits, s.k, s.n, count, b, not_a_number<T>()),
        C(bits, s.m, s.n, count, c, number<T>(77)) {
    const auto draw = [&](int most) { return static_cast<Index>(bits() % (2 * most + 1)) - most; };
    const auto element = [&] { return static_cast<T>(number<V>(draw(2), draw(2))); };
    A.fill(element), B.fill(element), C.fill(element);
    alpha = number<V>(draw(2), draw(1)), beta = number<V>(bits() % 2 == 0 ? 0 : draw(1), draw(1));
    if (alpha == V(0)) A.fill(not_a_number<T>), B.fill(not_a_number<T>);
    if (beta == V(0)) C.fill(not_a_number<T>);
    if constexpr (detail::is_complex<T>) {
      if (bits() % 2 == 0) A.batch = A.batch.conjugated();
      if (bits() % 2 == 0) B.batch = B.batch.conjugated();
      if (bits() % 4 == 0) C.batch = C.batch.conjugated();
    }
    before = C.memory;
    for (const Place place : {a, b, c}) places += detail::text(' ', static_cast<int>(place));
  }

  /// Calls gemm_batched_fused anew. @return C's memory
  template <class Epilogue>
  std::vector<T> result(const Kokkos::OpenMP& exec, const Epilogue& epilogue) {
    C.memory = before;
    gemm_batched_fused(exec, alpha, BatchRef<const T>(A.batch), BatchRef<const T>(B.batch), beta, C.batch,
                       epilogue);
    return C.memory;
  }
  /// What that is to be. @param f(entry, i, j, value)
  template <class F>
  std::vector<T> expected(const F& f) {
    C.memory = before;
    for (Index e = 0; e < C.batch.count; ++e) {
      const MatrixRef<T> c = C.batch[e];
      const std::vector<V> values = values_of<T>({alpha, A.batch[e], B.batch[e], beta, c});
      for (Index i = 0; i < shape.m; ++i) {
        for (Index j = 0; j < shape.n; ++j) {
          const V value = values[static_cast<std::size_t>(i * shape.n + j)];
          c(i, j) = detail::conjugated_if(detail::reads_conjugates(c), static_cast<T>(f(e, i, j, value)));
        }
      }
    }
    return C.memory;
  }
};

}  // namespace rooftile::testing
