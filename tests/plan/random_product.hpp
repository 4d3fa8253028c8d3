// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "tests/support/multiply.hpp"

namespace rooftile::testing {

/// One product's operands and its result, each in its own memory, with rows padded by `pad` elements.
template <class T>
struct Product {
  GemmShape shape;
  std::vector<T> a, b, c, result;
  Scalar<T> alpha = 1, beta = 0;

  static constexpr Index pad = 2;

  /// @param value  generates the elements of A, B and C, in this order
  Product(const GemmShape& shape_, const std::function<T()>& value)
      : shape(shape_),
        a(count(shape.m, shape.k)),
        b(count(shape.k, shape.n)),
        c(count(shape.m, shape.n)),
        result(c.size(), std::numeric_limits<T>::quiet_NaN()) {
    for (auto* operand : {&a, &b, &c}) {
      for (T& x : *operand) x = value();
    }
  }

  GemmArgs<T> args() { return {alpha, A(), B(), beta, C()}; }
  MatrixRef<const T> A() const { return row_major(a.data(), shape.m, shape.k, shape.k + pad); }
  MatrixRef<const T> B() const { return row_major(b.data(), shape.k, shape.n, shape.n + pad); }
  MatrixRef<T> C() { return row_major(c.data(), shape.m, shape.n, shape.n + pad); }
  MatrixRef<T> R() { return row_major(result.data(), shape.m, shape.n, shape.n + pad); }

  /// Writes each element of the result by `element(i, j)`.
  template <class F>
  void fill(const F& element) {
    for (Index i = 0; i < shape.m; ++i) {
      for (Index j = 0; j < shape.n; ++j) R()(i, j) = static_cast<T>(element(i, j));
    }
  }

 private:
  static std::size_t count(Index rows, Index cols) { return static_cast<std::size_t>(rows * (cols + pad)); }
};

/// Uniform in [-1, 1).
template <class T>
std::function<T()> uniform(std::mt19937_64& bits) {
  return [&bits] { return std::uniform_real_distribution<T>(-1, 1)(bits); };
}

/// ±1 … ±4: sums are exact, and no product is zero, so that a missing or extra term is detected.
template <class T>
std::function<T()> nonzero_integers(std::mt19937_64& bits) {
  return [&bits] {
    const int x = std::uniform_int_distribution<int>(1, 4)(bits);
    return static_cast<T>(std::bernoulli_distribution(0.5)(bits) ? x : -x);
  };
}

/// Magnitudes across many binades.
template <class T>
std::function<T()> graded(std::mt19937_64& bits, int binades) {
  return [&bits, binades] {
    return std::ldexp(std::uniform_real_distribution<T>(-1, 1)(bits),
                      std::uniform_int_distribution<int>(-binades, binades)(bits));
  };
}

}  // namespace rooftile::testing
