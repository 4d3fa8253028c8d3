// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

#include "tests/support/int8_numbers.hpp"

/// The matrices of int8_numbers.hpp as complex numbers. Their products are compared with products of real
/// numbers.
namespace rooftile::testing {

using Complex = complex<double>;

/// A row-major matrix, initially NaN.
struct ComplexNumbers {
  Index rows, cols;
  std::vector<Complex> data;

  ComplexNumbers(Index m, Index n)
      : rows(m),
        cols(n),
        data(static_cast<std::size_t>(m * n), Complex(std::numeric_limits<double>::quiet_NaN())) {}
  /// Combines real and imaginary parts.
  ComplexNumbers(const Numbers& re, const Numbers& im) : ComplexNumbers(re.rows, re.cols) {
    for (std::size_t e = 0; e < data.size(); ++e) data[e] = {re.data[e], im.data[e]};
  }
  MatrixRef<const Complex> ref() const { return row_major(data.data(), rows, cols); }
  MatrixRef<Complex> ref() { return row_major(data.data(), rows, cols); }

  /// (2·rows,cols): each row's real parts, then its imaginary ones.
  Numbers parts() const {
    Numbers all(2 * rows, cols);
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j) all(2 * i, j) = ref()(i, j).re, all(2 * i + 1, j) = ref()(i, j).im;
    }
    return all;
  }
};

/// A (m,k) and B (k,n).
struct ComplexOperands {
  ComplexNumbers a, b;

  /// Real matrices whose product is the `parts` of A·B. The rows of A become (real, -imaginary) and
  /// (imaginary, real).
  Operands real() const {
    Operands x{Numbers(2 * a.rows, 2 * a.cols), Numbers(2 * b.rows, b.cols)};
    for (Index k = 0; k < a.cols; ++k) {
      for (Index i = 0; i < a.rows; ++i) {
        const Complex z = a.ref()(i, k);
        x.a(2 * i, 2 * k) = z.re, x.a(2 * i, 2 * k + 1) = -z.im;
        x.a(2 * i + 1, 2 * k) = z.im, x.a(2 * i + 1, 2 * k + 1) = z.re;
      }
      for (Index j = 0; j < b.cols; ++j)
        x.b(2 * k, j) = b.ref()(k, j).re, x.b(2 * k + 1, j) = b.ref()(k, j).im;
    }
    return x;
  }
};

/// Two matrices whose real and imaginary parts are of a kind.
inline ComplexOperands complex_operands(std::string_view kind, const GemmShape& shape, Random& random) {
  const Operands re = operands_of(kind, shape, random), im = operands_of(kind, shape, random);
  return {{re.a, im.a}, {re.b, im.b}};
}

}  // namespace rooftile::testing
