// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "rooftile/problem.hpp"

/// @file
/// A product computed in higher precision on the host, and how far a kernel may be from it.

namespace rooftile {

/// How far a result is from the reference.
struct Verification {
  double ratio = 0;  ///< largest |Ĉ − C| over its bound: at most 1 for a right kernel; infinity for NaN
  Index row = -1;    ///< where it was
  Index col = -1;    ///< where it was

  /// Whether every element was within its bound.
  bool passed() const { return ratio <= 1; }
};

/// γₙ = n·u / (1 − n·u): the relative error of n operations with unit round-off u, in any order, with or
/// without fused multiply-adds. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., lemma 3.1.
inline double gamma(Index n, double u) {
  const double nu = static_cast<double>(n) * u;
  return nu < 1 ? nu / (1 - nu) : std::numeric_limits<double>::infinity();
}

/// The same with the unit round-off of T.
template <class T>
double gamma(Index n) {
  return gamma(n, 0.5 * static_cast<double>(std::numeric_limits<T>::epsilon()));
}

/// How far a kernel's alpha·A·B + beta·C may be from the exact one before it is rounded to the element type,
/// relative to |alpha|·|A|·|B| + |beta|·|C|: a product, k − 1 sums, alpha and the sum with beta·C; the
/// reference itself, for double, takes three roundings more.
///
/// What each mode's roundings are stands in `modes`.
inline double error_bound(Math math, Index k) {
  const auto& [unit_roundoff, operands, factor] = mode_of(math).error;
  return factor * (operands + gamma(k + 5, unit_roundoff));
}

namespace detail {

/// One block of a row of A·B and of |A|·|B|, in twice the precision of T, float or double.
template <class T>
struct ReferenceRow {
  static constexpr Index width = 64;

  double sum[width];
  double rest[width];  // what `sum` lost, for T = double
  double magnitude[width];

  /// Adds a·b[j] for each j. For float the products are exact in double; for double they and the sums are
  /// split into a value and its error (Ogita, Rump, Oishi: Accurate sum and dot product, 2005,
  /// algorithm 5.3).
  void add(double a, const T* b, Index count) {
    for (Index j = 0; j < count; ++j) {
      const double x = static_cast<double>(b[j]);
      const double product = a * x;
      magnitude[j] += std::abs(product);
      if constexpr (std::is_same_v<T, float>) {
        sum[j] += product;
      } else {
        const double product_error = std::fma(a, x, -product);
        const double total = sum[j] + product;
        const double shifted = total - sum[j];
        const double sum_error = (sum[j] - (total - shifted)) + (product - shifted);
        sum[j] = total;
        rest[j] += product_error + sum_error;
      }
    }
  }
};

}  // namespace detail

/// alpha·A·B + beta·C₀ on some rows of C, in twice the precision that it is summed in, with the bound that
/// every summation order meets: |Ĉ − C| ≤ error_bound·(|alpha|·|A|·|B| + |beta|·|C₀|), element by element,
/// plus the rounding of the result to 16 bits, plus what underflow can take from the smallest numbers.
template <class T>
class Reference {
 public:
  /// @param args  all in host memory; C holds what it held before, which is not read where beta is 0
  /// @param rows  the rows of C to compute
  /// @param math  what the kernels compute in
  Reference(const GemmArgs<T>& args, std::vector<Index> rows, Math math = own_math<T>())
      : args_(args),
        rows_(std::move(rows)),
        math_(math),
        elements_(rows_.size() * static_cast<std::size_t>(args.C.cols)) {
    const auto& B = args.B;
    // Row-major, so that the inner loop runs over neighbours whatever B's strides are.
    std::vector<Wide> packed(args.alpha == Wide(0) ? 0 : static_cast<std::size_t>(B.rows * B.cols));
    for (std::size_t e = 0; e < packed.size(); ++e) {
      packed[e] = B(static_cast<Index>(e) / B.cols, static_cast<Index>(e) % B.cols);
    }
    const std::size_t workers =
        std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, rows_.size() / 8 + 1);
    std::vector<std::jthread> threads;
    for (std::size_t w = 0; w < workers; ++w) {
      threads.emplace_back([this, &packed, w, workers] {
        for (std::size_t r = w; r < rows_.size(); r += workers) compute_row(r, packed.data());
      });
    }
  }
  /// The same of all rows.
  explicit Reference(const GemmArgs<T>& args, Math math = own_math<T>())
      : Reference(args, all_rows(args.C.rows), math) {}

  /// How many rows of C are compared.
  std::size_t rows_checked() const { return rows_.size(); }

  /// The worst element of a result (M,N) in host memory. @pre no exact element is beyond T's largest number
  Verification compare(const MatrixRef<const T>& result) const {
    return worst_of(result, [](T found, const Element& e) {
      const double error = std::abs(static_cast<double>(found) - e.exact);
      return error == 0 ? 0 : error / e.bound;
    });
  }

  /// The same where every sum is exact, as of small integers: what the exact result rounds to has ratio 0,
  /// all else infinity.
  Verification compare_exact(const MatrixRef<const T>& result) const {
    return worst_of(result, [](T found, const Element& e) {
      return found == static_cast<T>(static_cast<Wide>(e.exact)) ? 0
                                                                 : std::numeric_limits<double>::infinity();
    });
  }

 private:
  using Wide = Scalar<T>;
  using Row = detail::ReferenceRow<Wide>;

  struct Element {
    double exact;
    double bound;
  };

  /// @param ratio_of  an element's error over its bound
  template <class F>
  Verification worst_of(const MatrixRef<const T>& result, const F& ratio_of) const {
    Verification worst;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      for (Index j = 0; j < args_.C.cols; ++j) {
        const double ratio = ratio_of(result(rows_[r], j), element(r, j));
        // Written so that NaN, which compares false, counts as worst.
        if (!(ratio <= worst.ratio)) {
          worst = {std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio, rows_[r], j};
        }
      }
    }
    return worst;
  }

  static std::vector<Index> all_rows(Index count) {
    std::vector<Index> rows(static_cast<std::size_t>(count));
    std::iota(rows.begin(), rows.end(), Index{0});
    return rows;
  }

  const Element& element(std::size_t r, Index j) const {
    return elements_[r * static_cast<std::size_t>(args_.C.cols) + static_cast<std::size_t>(j)];
  }

  void compute_row(std::size_t r, const Wide* packed_b) {
    const auto& [alpha, A, B, beta, C] = args_;
    const Index K = alpha == Wide(0) ? 0 : A.cols, N = C.cols;
    // Without products, whatever alpha is counts for nothing.
    const double a = K == 0 ? 0 : static_cast<double>(alpha), b = static_cast<double>(beta);
    const double factor = error_bound(math_, K);
    constexpr bool narrow = !std::is_same_v<T, Wide>;
    const double rounding = narrow ? 0.5 * static_cast<double>(std::numeric_limits<T>::epsilon()) : 0;
    // Where a product falls below the normal numbers, it is off by less than one subnormal one instead.
    const double underflow = (std::abs(a) * static_cast<double>(K) + 2) *
                                 static_cast<double>(std::numeric_limits<Wide>::denorm_min()) +
                             (narrow ? static_cast<double>(std::numeric_limits<T>::denorm_min()) : 0);
    for (Index j0 = 0; j0 < N; j0 += Row::width) {
      const Index count = std::min<Index>(Row::width, N - j0);
      Row row = {};
      for (Index k = 0; k < K; ++k) {
        row.add(static_cast<double>(A(rows_[r], k)), packed_b + k * N + j0, count);
      }
      for (Index j = 0; j < count; ++j) {
        const double before = beta == Wide(0) ? 0 : b * static_cast<double>(C(rows_[r], j0 + j));
        const double exact = a * (row.sum[j] + row.rest[j]) + before;
        const double sum_error = factor * (std::abs(a) * row.magnitude[j] + std::abs(before)) + underflow;
        elements_[r * static_cast<std::size_t>(N) + static_cast<std::size_t>(j0 + j)] = {
            exact, sum_error + rounding * (std::abs(exact) + sum_error)};
      }
    }
  }

  GemmArgs<T> args_;
  std::vector<Index> rows_;
  Math math_;
  std::vector<Element> elements_;
};

}  // namespace rooftile
