// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
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

/// How far alpha·A·B + beta·C may be from the exact one before it is rounded, relative to the same of
/// magnitudes: a product, k − 1 sums, alpha and beta·C, and three roundings of the reference itself. Of
/// complex numbers, each part is a sum of 2k products of parts. `modes` has each mode's roundings.
inline double error_bound(ComputeMode math, Index k) {
  const auto& [unit_roundoff, operands, factor] = mode_of(math).error;
  return factor * (operands + gamma(is_complex(type_of(math)) ? 2 * k + 8 : k + 5, unit_roundoff));
}

namespace detail {

/// Part p of a number: 0 is the real one.
template <class T>
Real<T> part_of(const T& x, int p) {
  if constexpr (is_complex<T>) {
    return p == 0 ? x.re : x.im;
  } else {
    return x;
  }
}

/// x without the last 27 bits of its significand: a product of two such numbers is exact.
inline double leading_part(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~((std::uint64_t{1} << 27) - 1));
}

/// One block of a row of A·B and of |A|·|B|, in twice the precision of T, float or double.
template <class T>
struct ReferenceRow {
  static constexpr Index width = 64;

  double sum[width];
  double rest[width];  // what `sum` lost, for T = double
  double magnitude[width];

  /// Adds a·b[j] for each j. For double, products and sums are split into a value and its error (Ogita,
  /// Rump, Oishi, 2005, algorithm 5.3), by parts of factors: baseline processors have no std::fma.
  void add(double a, const T* b, Index count) {
    const double a_high = leading_part(a), a_low = a - a_high;
    for (Index j = 0; j < count; ++j) {
      const double x = static_cast<double>(b[j]);
      const double product = a * x;
      magnitude[j] += std::abs(product);
      if constexpr (std::is_same_v<T, float>) {
        sum[j] += product;
      } else {
        const double high = leading_part(x), low = x - high;
        const double product_error = ((a_high * high - product) + a_high * low + a_low * high) + a_low * low;
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

/// alpha·A·B + beta·C₀ on some rows of C, in twice the precision that it is summed in, and how far each part
/// of an element may be from it: by `error_bound`, rounding of the result and underflow.
template <class T>
class Reference {
 public:
  /// @param args  in host memory; C holds what it held before, which is not read where beta is 0
  /// @param rows  the rows of C to compute
  Reference(const GemmArgs<T>& args, std::vector<Index> rows, ComputeMode math = own_mode<T>())
      : args_(args),
        rows_(std::move(rows)),
        math_(math),
        elements_(rows_.size() * static_cast<std::size_t>(parts * args.C.cols)) {
    // A worker takes some rows of a block of columns at a time.
    const std::size_t count = rows_.size(), blocks = block_count();
    const double work =
        static_cast<double>(count) * static_cast<double>(args.C.cols) * static_cast<double>(args.A.cols);
    const std::size_t workers = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1,
                                                        static_cast<std::size_t>(work / least_work) + 1);
    const std::size_t groups =
        std::clamp<std::size_t>(workers / std::max<std::size_t>(blocks, 1), 1, count / 8 + 1);
    std::vector<std::jthread> threads;
    for (std::size_t w = 0; w < workers; ++w) {
      threads.emplace_back([=, this] {
        for (std::size_t i = w; i < blocks * groups; i += workers) {
          const std::size_t group = i / blocks;
          compute_block(static_cast<Index>(i % blocks) * Row::width, group * count / groups,
                        (group + 1) * count / groups);
        }
      });
    }
  }
  /// The same of all rows.
  explicit Reference(const GemmArgs<T>& args, ComputeMode math = own_mode<T>())
      : Reference(args, all_rows(args.C.rows), math) {}

  /// How many rows of C are compared.
  std::size_t rows_checked() const { return rows_.size(); }

  /// The worst element of a result (M,N) in host memory. @pre no exact element is beyond T's largest number
  Verification compare(const MatrixRef<const Out<T>>& result) const {
    return worst_of(result, [](Part found, const Element& e) {
      const double error = std::abs(static_cast<double>(found) - e.exact);
      return error == 0 ? 0 : error / e.bound;
    });
  }

  /// The same where every sum is exact, as of small integers: what the exact result rounds to has ratio 0,
  /// all else infinity.
  Verification compare_exact(const MatrixRef<const Out<T>>& result) const {
    return worst_of(result, [](Part found, const Element& e) {
      const auto rounded = [&] {
        if constexpr (std::is_integral_v<Wide>) {  // modulo 2³², as it wraps around
          return static_cast<Wide>(static_cast<std::int64_t>(e.exact));
        } else {
          return static_cast<Wide>(e.exact);
        }
      };
      return found == static_cast<Part>(rounded()) ? 0 : std::numeric_limits<double>::infinity();
    });
  }

 private:
  using Part = Real<Out<T>>;     // of an element
  using Wide = Real<Scalar<T>>;  // of a sum
  using Row = detail::ReferenceRow<Wide>;
  static constexpr int parts = detail::is_complex<Out<T>> ? 2 : 1;

  struct Element {  // a part of one
    double exact;
    double bound;
  };

  /// @param ratio_of  an element's error over its bound
  template <class F>
  Verification worst_of(const MatrixRef<const Out<T>>& result, const F& ratio_of) const {
    Verification worst;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      for (Index e = 0; e < parts * args_.C.cols; ++e) {
        const Index j = e / parts;
        const double ratio = ratio_of(detail::part_of(result.value(rows_[r], j), static_cast<int>(e % parts)),
                                      elements_[first_of_row(r) + static_cast<std::size_t>(e)]);
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

  std::size_t first_of_row(std::size_t r) const { return r * static_cast<std::size_t>(parts * args_.C.cols); }

  /// Of x·y, which has a part of x for each part of y: those of x, with their signs, that part p sums up.
  static std::array<double, std::size_t{parts}> factors(const Scalar<T>& x, int p) {
    if constexpr (detail::is_complex<Scalar<T>>) {
      const double re = static_cast<double>(x.re), im = static_cast<double>(x.im);
      return p == 0 ? std::array{re, -im} : std::array{im, re};
    } else {
      return {static_cast<double>(x)};
    }
  }

  static constexpr double least_work = 1e5;          // multiply-adds that pay for a thread
  static constexpr Index panel_rows = 512;           // of B, packed at a time
  using Rows = std::array<Row, std::size_t{parts}>;  // of each part of A's element

  std::size_t block_count() const {
    return static_cast<std::size_t>((args_.C.cols + Row::width - 1) / Row::width);
  }

  /// Rows `first` to `last` of the block of columns that begins at j0.
  void compute_block(Index j0, std::size_t first, std::size_t last) {
    const auto& [alpha, A, B, beta, C] = args_;
    const Index K = alpha == Scalar<T>(0) ? 0 : A.cols, count = std::min<Index>(Row::width, C.cols - j0);
    std::vector<Rows> rows(last - first);
    // Row-major, and parts apart, so that the inner loop runs over neighbours whatever B's strides are.
    std::vector<Wide> panel(static_cast<std::size_t>(parts * std::min(panel_rows, K) * count));
    for (Index k0 = 0; k0 < K; k0 += panel_rows) {
      const Index depth = std::min(panel_rows, K - k0);
      for (Index k = 0; k < depth; ++k) {
        for (Index j = 0; j < count; ++j) {
          const Scalar<T> b(B.value(k0 + k, j0 + j));
          for (int p = 0; p < parts; ++p)
            panel[static_cast<std::size_t>((p * depth + k) * count + j)] = detail::part_of(b, p);
        }
      }
      for (std::size_t r = first; r < last; ++r) {
        for (Index k = 0; k < depth; ++k) {
          const Scalar<T> a(A.value(rows_[r], k0 + k));
          for (int p = 0; p < parts; ++p) {
            const std::array<double, std::size_t{parts}> of_a = factors(a, p);
            for (int q = 0; q < parts; ++q)
              rows[r - first][static_cast<std::size_t>(p)].add(of_a[static_cast<std::size_t>(q)],
                                                               panel.data() + (q * depth + k) * count, count);
          }
        }
      }
    }
    for (std::size_t r = first; r < last; ++r) finish(r, j0, count, rows[r - first]);
  }

  /// Sets the elements of a row, `count` of them from column j0 on.
  void finish(std::size_t r, Index j0, Index count, const Rows& rows) {
    const auto& [alpha, A, B, beta, C] = args_;
    const Index K = alpha == Scalar<T>(0) ? 0 : A.cols;
    const double factor = error_bound(math_, K);
    constexpr bool narrow = !std::is_same_v<Part, Wide>;
    const double rounding = narrow ? 0.5 * static_cast<double>(std::numeric_limits<Part>::epsilon()) : 0;
    const auto magnitude_of = [](const Scalar<T>& x) {
      double sum = 0;
      for (const double part : factors(x, 0)) sum += std::abs(part);
      return sum;
    };
    // Without products, whatever alpha is counts for nothing.
    const Scalar<T> by = K == 0 ? Scalar<T>(0) : alpha;
    // Where a product falls below the normal numbers, it is off by less than one subnormal one instead.
    const double underflow = parts * (magnitude_of(by) * static_cast<double>(K) + 2) *
                                 static_cast<double>(std::numeric_limits<Wide>::denorm_min()) +
                             (narrow ? static_cast<double>(std::numeric_limits<Part>::denorm_min()) : 0);
    for (Index j = 0; j < count; ++j) {
      const Scalar<T> before = beta == Scalar<T>(0) ? Scalar<T>(0) : Scalar<T>(C.value(rows_[r], j0 + j));
      for (int p = 0; p < parts; ++p) {
        double exact = 0, magnitude = 0;
        for (int q = 0; q < parts; ++q) {
          const double by_product = factors(by, p)[static_cast<std::size_t>(q)];
          const double by_before = factors(beta, p)[static_cast<std::size_t>(q)];
          const double part = static_cast<double>(detail::part_of(before, q));
          const Row& row = rows[static_cast<std::size_t>(q)];
          exact += by_product * (row.sum[j] + row.rest[j]) + by_before * part;
          magnitude += std::abs(by_product) * row.magnitude[j] + std::abs(by_before * part);
        }
        const double sum_error = factor * magnitude + underflow;
        elements_[first_of_row(r) + static_cast<std::size_t>(parts * (j0 + j) + p)] = {
            exact, sum_error + rounding * (std::abs(exact) + sum_error)};
      }
    }
  }

  GemmArgs<T> args_;
  std::vector<Index> rows_;
  ComputeMode math_;
  std::vector<Element> elements_;
};

}  // namespace rooftile
