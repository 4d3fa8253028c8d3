// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "numerics/reference.hpp"
#include "tests/bindings/blas/blas.hpp"
#include "tests/support/random_values.hpp"

namespace rooftile::testing {

constexpr GemmShape square(Index size) {
  return {size, size, size};
}

/// Computes C = Aᵀ·B by the BLAS, repeatedly.
template <class T>
class Product {
 public:
  explicit Product(const GemmShape& shape)
      : shape_(shape), a_(random<T>(shape.k * shape.m, 1)), b_(random<T>(shape.k * shape.n, 2)) {}

  /// Computes C.
  std::vector<T> operator()() const {
    const auto& [m, n, k] = shape_;
    std::vector<T> c(static_cast<std::size_t>(m * n));
    Call<T> x{by_columns, 'T', 'N', m, n, k, T(1), a_.data(), k, b_.data(), k};
    x.c = c.data(), x.ldc = m;
    call(Interface::fortran, x);
    return c;
  }

  /// Whether c is the expected C.
  bool is(std::vector<T> c) const {
    const auto& [m, n, k] = shape_;
    const auto a = column_major(a_.data(), k, m), b = column_major(b_.data(), k, n);
    const auto found = column_major(c.data(), m, n);
    return Reference<T>(GemmArgs<T>{T(1), a.transposed(), b, T(0), found}).compare(found).passed();
  }

 private:
  GemmShape shape_;
  std::vector<T> a_, b_;
};

}  // namespace rooftile::testing
