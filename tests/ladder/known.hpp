// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <tuple>
#include <vector>

#include "problem.hpp"
#include "rooftile/reference.hpp"

namespace rooftile::testing {

/// The elements that a problem multiplies, row by row without gaps, and what their product is. Where its
/// operands lie changes neither. What the product need not read is NaN.
template <class T>
class Known {
 public:
  Known(const Problem<T>& problem, Math math, std::uint64_t seed) : problem_(problem), math_(math) {
    const auto [m, n, k] = problem.shape;
    std::mt19937_64 bits(seed);
    using Part = Real<Scalar<T>>;
    const auto fill = [&](std::vector<T>& x, Index elements, bool is_read) {
      x.assign(static_cast<std::size_t>(elements), std::numeric_limits<T>::quiet_NaN());
      for (std::size_t e = 0; is_read && e < x.size(); ++e) {
        x[e] = detail::from_parts<T>([&] {
          return problem.integers ? static_cast<Part>(std::uniform_int_distribution<int>(-4, 4)(bits))
                                  : std::uniform_real_distribution<Part>(-1, 1)(bits);
        });
      }
    };
    fill(a_, m * k, problem.alpha != 0);
    fill(b_, k * n, problem.alpha != 0);
    fill(c_, m * n, problem.beta != 0);
    for (Index i = 0; problem.grade > 0 && i < k; ++i) {
      const int power = std::uniform_int_distribution<int>(-problem.grade, problem.grade)(bits);
      const auto scale = [](T& x, int by) {
        x = static_cast<T>(static_cast<Scalar<T>>(x) * Scalar<T>(std::ldexp(Part(1), by)));
      };
      for (Index row = 0; row < m; ++row) scale(a_[static_cast<std::size_t>(row * k + i)], power);
      for (Index col = 0; col < n; ++col) scale(b_[static_cast<std::size_t>(i * n + col)], -power);
    }
  }
  Known(const Known&) = delete;  // the reference reads the elements
  Known& operator=(const Known&) = delete;

  /// @{
  /// The elements of A, B and C as they lie in memory, whether or not they are read as their conjugates.
  MatrixRef<const T> a() const { return row_major(a_.data(), problem_.shape.m, problem_.shape.k); }
  MatrixRef<const T> b() const { return row_major(b_.data(), problem_.shape.k, problem_.shape.n); }
  MatrixRef<const T> c() const { return row_major(c_.data(), problem_.shape.m, problem_.shape.n); }
  /// @}

  /// Computed when it is asked for first.
  const Reference<T>& product() {
    if (!product_) {
      const auto read = [&](auto X, std::size_t operand) {
        return problem_.conjugated[operand] ? X.conjugated() : X;
      };
      const auto [m, n, k] = problem_.shape;
      product_.emplace(GemmArgs<T>{problem_.alpha, read(a(), 0), read(b(), 1), problem_.beta,
                                   read(row_major(c_.data(), m, n), 2)},
                       math_);
    }
    return *product_;
  }

 private:
  Problem<T> problem_;
  Math math_;
  std::vector<T> a_, b_, c_;
  std::optional<Reference<T>> product_;
};

/// Those of a problem, kept until another one is asked for: most tests vary where operands lie, and
/// references are what takes their time.
template <class T>
Known<T>& known(const Problem<T>& problem, Math math, std::uint64_t seed) {
  const auto key = [&](const Problem<T>& p) {
    return std::tuple(p.shape, p.alpha, p.beta, p.integers, p.grade, p.conjugated, math, seed);
  };
  static std::optional<decltype(key(problem))> kept_key;
  static std::optional<Known<T>> kept;
  if (!kept_key || *kept_key != key(problem)) {
    kept.emplace(problem, math, seed);
    kept_key = key(problem);
  }
  return *kept;
}

}  // namespace rooftile::testing
