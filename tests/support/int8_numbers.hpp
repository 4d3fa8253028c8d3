// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include "rooftile/problem.hpp"

/// Test matrices for fp64 from int8 products.
namespace rooftile::testing {

/// A row-major matrix.
struct Numbers {
  Index rows, cols;
  std::vector<double> data;

  Numbers(Index m, Index n) : rows(m), cols(n), data(static_cast<std::size_t>(m * n)) {}
  double& operator()(Index i, Index j) { return data[static_cast<std::size_t>(i * cols + j)]; }
  MatrixRef<const double> ref() const { return row_major(data.data(), rows, cols); }
  MatrixRef<double> ref() { return row_major(data.data(), rows, cols); }
};

/// A (m,k) and B (k,n).
struct Operands {
  Numbers a, b;
};

using Random = std::mt19937_64;

/// Kinds of numbers. Each is generated differently.
inline constexpr std::string_view kinds[] = {
    "uniform",        "positive",   "normal",     "lognormal 0.5", "lognormal 1", "lognormal 2",
    "graded rows",    "graded k",   "zero rows",  "huge element",  "denormals",   "near overflow",
    "small integers", "orthogonal", "cancelling", "powers of two", "many zeros",  "all exponents"};

/// A number of a kind, for kinds that do not depend on the position.
inline double number_of(std::string_view kind, Random& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  const auto sign = [&] { return random() % 2 == 0 ? 1.0 : -1.0; };
  const auto lognormal = [&](double phi) { return (uniform(random) - 0.5) * std::exp(phi * normal(random)); };
  if (kind == "positive") return uniform(random) + 0x1p-10;
  if (kind == "normal") return normal(random);
  if (kind == "lognormal 0.5") return lognormal(0.5);
  if (kind == "lognormal 1") return lognormal(1);
  if (kind == "lognormal 2") return lognormal(2);
  if (kind == "denormals") return sign() * static_cast<double>(random() % 100000) * 0x1p-1074;
  if (kind == "near overflow") return sign() * (0.5 + uniform(random) / 2) * 0x1p505;
  if (kind == "small integers") return static_cast<double>(static_cast<int>(random() % 2001) - 1000);
  if (kind == "powers of two") return sign() * std::ldexp(1.0, static_cast<int>(random() % 6));
  if (kind == "many zeros") return random() % 3 == 0 ? 0 : normal(random);
  if (kind == "all exponents")
    return sign() * std::ldexp(1 + uniform(random), static_cast<int>(random() % 900) - 450);
  return 2 * uniform(random) - 1;
}

/// Two matrices of a kind.
inline Operands operands_of(std::string_view kind, const GemmShape& shape, Random& random) {
  Operands x{Numbers(shape.m, shape.k), Numbers(shape.k, shape.n)};
  for (double& a : x.a.data) a = number_of(kind, random);
  for (double& b : x.b.data) b = number_of(kind, random);
  const auto power = [](Index i, int step) { return std::ldexp(1.0, -static_cast<int>(i % 100) * step); };
  for (Index k = 0; k < shape.k; ++k) {
    for (Index i = 0; i < shape.m; ++i) {
      double& a = x.a(i, k);
      if (kind == "graded rows") a *= power(i, 7);
      if (kind == "graded k") a *= power(k, 1);
      if (kind == "zero rows" && i % 3 == 0) a = 0;
      if (kind == "huge element" && i == 0 && k == 0) a = 0x1p60;
      if (kind == "cancelling" && 2 * k >= shape.k && k > 0) a = -x.a(i, shape.k - 1 - k);
      // Rows of the cosine transform. B has its columns, so that most products vanish.
      const auto angle = [&](Index row, Index of) {
        return std::cos(3.14159265358979 * static_cast<double>((2 * of + 1) * row) /
                        (2 * static_cast<double>(shape.k)));
      };
      if (kind == "orthogonal") a = angle(i, k);
    }
    for (Index j = 0; j < shape.n; ++j) {
      double& b = x.b(k, j);
      if (kind == "graded rows") b *= power(j, 7);
      if (kind == "graded k") b *= power(shape.k - 1 - k, 1);
      if (kind == "zero rows" && j % 4 == 1) b = 0;
      if (kind == "cancelling" && 2 * k >= shape.k && k > 0)
        b = x.b(shape.k - 1 - k, j) * (1 + static_cast<double>(random() % 8) * 0x1p-45);
      if (kind == "orthogonal")
        b = std::cos(3.14159265358979 * static_cast<double>((2 * k + 1) * j) /
                     (2 * static_cast<double>(shape.k)));
    }
  }
  return x;
}

/// An element of A·B with twice the precision of fp64, and the scales of its error bounds.
struct Exact {
  double sum = 0, rest = 0;  ///< the element is their sum
  double magnitude = 0;      ///< (|A|·|B|)ij
  double norms = 0;          ///< ‖a_i‖·‖b_j‖

  /// |x - A·B|.
  double distance(double x) const { return std::abs((x - sum) - rest); }
  /// The additional error from rounding of subnormal numbers: in the sum, the products and x.
  static double underflow(Index k) {
    return static_cast<double>(k + 2) * std::numeric_limits<double>::denorm_min();
  }
};

/// @pre nothing overflows
inline Exact exact_element(const Operands& x, Index i, Index j) {
  Exact e;
  long double row = 0, column = 0;  // squares do not overflow
  for (Index k = 0; k < x.a.cols; ++k) {
    const double a = x.a.ref()(i, k), b = x.b.ref()(k, j), product = a * b;
    const double total = e.sum + product, shifted = total - e.sum;
    e.rest += std::fma(a, b, -product) + ((e.sum - (total - shifted)) + (product - shifted));
    e.sum = total;
    e.magnitude += std::abs(product);
    row += static_cast<long double>(a) * static_cast<long double>(a);
    column += static_cast<long double>(b) * static_cast<long double>(b);
  }
  e.norms = static_cast<double>(std::sqrt(row) * std::sqrt(column));
  return e;
}

}  // namespace rooftile::testing
