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

/// A product computed in higher precision on the host, and how far a kernel may be from it.
namespace rooftile {

/// How far a result is from the reference.
struct Verification {
  double ratio = 0;  ///< largest |Ĉ − C| over its bound: at most 1 for a right kernel; infinity for NaN
  Index row = -1;    ///< where it was
  Index col = -1;

  bool passed() const { return ratio <= 1; }
};

/// γₙ = n·u / (1 − n·u) with u the unit round-off of T: the relative error of n operations in T, in any
/// order, with or without fused multiply-adds. Higham, Accuracy and Stability of Numerical Algorithms, 2nd
/// ed., lemma 3.1.
template <class T>
double gamma(Index n) {
  const double nu = static_cast<double>(n) * 0.5 * static_cast<double>(std::numeric_limits<T>::epsilon());
  return nu < 1 ? nu / (1 - nu) : std::numeric_limits<double>::infinity();
}

namespace detail {

/// One block of a row of A·B and of |A|·|B|, in twice the precision of T.
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

/// alpha·A·B + beta·C₀ on some rows of C, in twice the precision of T, with the bound that every summation
/// order meets: |Ĉ − C| ≤ γ(k+5)·(|alpha|·|A|·|B| + |beta|·|C₀|), element by element, plus what underflow can
/// take from the smallest numbers.
template <class T>
class Reference {
 public:
  /// @param args  all in host memory; C holds what it held before, which is not read where beta is 0
  /// @param rows  the rows of C to compute
  Reference(const GemmArgs<T>& args, std::vector<Index> rows)
      : args_(args), rows_(std::move(rows)), elements_(rows_.size() * static_cast<std::size_t>(args.C.cols)) {
    const auto& B = args.B;
    // Row-major, so that the inner loop runs over neighbours whatever B's strides are.
    std::vector<T> packed(args.alpha == T(0) ? 0 : static_cast<std::size_t>(B.rows * B.cols));
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
  explicit Reference(const GemmArgs<T>& args) : Reference(args, all_rows(args.C.rows)) {}

  std::size_t rows_checked() const { return rows_.size(); }

  /// The worst element of a result (M,N) in host memory.
  Verification compare(const MatrixRef<const T>& result) const {
    Verification worst;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      for (Index j = 0; j < args_.C.cols; ++j) {
        const Element& e = element(r, j);
        const double error = std::abs(static_cast<double>(result(rows_[r], j)) - e.exact);
        const double ratio = error == 0 ? 0 : error / e.bound;
        // Written so that NaN, which compares false, counts as worst.
        if (!(ratio <= worst.ratio)) {
          worst = {std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio, rows_[r], j};
        }
      }
    }
    return worst;
  }

 private:
  struct Element {
    double exact;
    double bound;
  };

  static std::vector<Index> all_rows(Index count) {
    std::vector<Index> rows(static_cast<std::size_t>(count));
    std::iota(rows.begin(), rows.end(), Index{0});
    return rows;
  }

  const Element& element(std::size_t r, Index j) const {
    return elements_[r * static_cast<std::size_t>(args_.C.cols) + static_cast<std::size_t>(j)];
  }

  void compute_row(std::size_t r, const T* packed_b) {
    const auto& [alpha, A, B, beta, C] = args_;
    const Index K = alpha == T(0) ? 0 : A.cols, N = C.cols;
    // Without products, whatever alpha is counts for nothing.
    const double a = K == 0 ? 0 : static_cast<double>(alpha), b = static_cast<double>(beta);
    // A kernel rounds a product, K - 1 sums, alpha and the sum with beta·C; this, for double, three times
    // more.
    const double factor = gamma<T>(K + 5);
    // Where a product falls below the normal numbers, it is off by less than one subnormal one instead.
    const double underflow = (std::abs(a) * static_cast<double>(K) + 2) *
                             static_cast<double>(std::numeric_limits<T>::denorm_min());
    for (Index j0 = 0; j0 < N; j0 += detail::ReferenceRow<T>::width) {
      const Index count = std::min<Index>(detail::ReferenceRow<T>::width, N - j0);
      detail::ReferenceRow<T> row = {};
      for (Index k = 0; k < K; ++k) {
        row.add(static_cast<double>(A(rows_[r], k)), packed_b + k * N + j0, count);
      }
      for (Index j = 0; j < count; ++j) {
        const double before = beta == T(0) ? 0 : b * static_cast<double>(C(rows_[r], j0 + j));
        elements_[r * static_cast<std::size_t>(N) + static_cast<std::size_t>(j0 + j)] = {
            a * (row.sum[j] + row.rest[j]) + before,
            factor * (std::abs(a) * row.magnitude[j] + std::abs(before)) + underflow};
      }
    }
  }

  GemmArgs<T> args_;
  std::vector<Index> rows_;
  std::vector<Element> elements_;
};

}  // namespace rooftile
