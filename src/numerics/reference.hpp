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
/// A reference product in higher precision on the host, and the error bound of a kernel's result.

namespace rooftile {

/// The largest error of a result relative to its bound.
struct Verification {
  double ratio = 0;  ///< largest |Ĉ − C| / bound: at most 1 for a correct kernel; infinity for NaN
  Index row = -1;    ///< row of the largest error
  Index col = -1;    ///< column of the largest error

  /// Whether every element is within its bound.
  bool passed() const { return ratio <= 1; }
};

/// Returns γₙ = n·u / (1 − n·u), which bounds the relative error of n operations with unit roundoff u. It
/// holds in any order, with or without fused multiply-adds.
/// Source: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., lemma 3.1.
inline double gamma(Index n, double u) {
  const double nu = static_cast<double>(n) * u;
  return nu < 1 ? nu / (1 - nu) : std::numeric_limits<double>::infinity();
}

/// Returns γₙ with the unit roundoff of T.
template <class T>
double gamma(Index n) {
  return gamma(n, 0.5 * static_cast<double>(std::numeric_limits<T>::epsilon()));
}

/// Returns the error bound of alpha·A·B + beta·C before the last rounding, relative to the sum of magnitudes
/// |alpha|·|A|·|B| + |beta|·|C|. It counts k + 5 roundings: a product, k − 1 sums, alpha, beta·C and three of
/// the reference. A complex part is a sum of 2k real products. The table `modes` has the errors of each mode.
inline double error_bound(ComputeMode math, Index k) {
  const auto& [unit_roundoff, operands, factor] = mode_of(math).error;
  return factor * (operands + gamma(is_complex(type_of(math)) ? 2 * k + 8 : k + 5, unit_roundoff));
}

namespace detail {

/// Returns part p of a number: 0 is the real part.
template <class T>
Real<T> part_of(const T& x, int p) {
  if constexpr (is_complex<T>) {
    return p == 0 ? x.re : x.im;
  } else {
    return x;
  }
}

/// Clears the last 27 bits of the significand of x. The product of two truncated numbers is exact.
inline double leading_part(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~((std::uint64_t{1} << 27) - 1));
}

/// One block (1,width) of a row of A·B and of |A|·|B|, in twice the precision of T, float or double.
template <class T>
struct ReferenceRow {
  static constexpr Index width = 64;

  double sum[width];
  double rest[width];  // rounding errors of `sum`, for T = double
  double magnitude[width];

  /// Adds a·b[j] for each j. For double, each product and sum is split into a value and its error (Ogita,
  /// Rump, Oishi, 2005, algorithm 5.3). The factors are split into halves, since baseline processors have no
  /// fused multiply-add.
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

/// The reference alpha·A·B + beta·C₀ for some rows of C, in twice the precision of the accumulator. Each part
/// of an element has an error bound: `error_bound`, the rounding of the result, and underflow.
template <class T>
class Reference {
 public:
  /// @param args  operands in host memory; C holds C₀, which is not read if beta is 0
  /// @param rows  rows of C to compute
  Reference(const GemmArgs<T>& args, std::vector<Index> rows, ComputeMode math = own_mode<T>())
      : args_(args),
        rows_(std::move(rows)),
        math_(math),
        elements_(rows_.size() * static_cast<std::size_t>(parts * args.C.cols)) {
    // A work item is some rows of a block of columns.
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
  /// Computes the reference for all rows of C.
  explicit Reference(const GemmArgs<T>& args, ComputeMode math = own_mode<T>())
      : Reference(args, all_rows(args.C.rows), math) {}

  /// Returns the number of rows of C that are compared.
  std::size_t rows_checked() const { return rows_.size(); }

  /// Returns the worst element of a result (M,N) in host memory. @pre no exact element overflows C's type
  Verification compare(const MatrixRef<const Out<T>>& result) const {
    return worst_of(result, [](Part found, const Element& e) {
      const double error = std::abs(static_cast<double>(found) - e.exact);
      return error == 0 ? 0 : error / e.bound;
    });
  }

  /// Compares a result whose sums are exact, for example sums of small integers. An element that equals the
  /// rounded exact result has ratio 0, and any other element infinity.
  Verification compare_exact(const MatrixRef<const Out<T>>& result) const {
    return worst_of(result, [](Part found, const Element& e) {
      const auto rounded = [&] {
        if constexpr (std::is_integral_v<Wide>) {  // wraps around modulo 2³²
          return static_cast<Wide>(static_cast<std::int64_t>(e.exact));
        } else {
          return static_cast<Wide>(e.exact);
        }
      };
      return found == static_cast<Part>(rounded()) ? 0 : std::numeric_limits<double>::infinity();
    });
  }

 private:
  using Part = Real<Out<T>>;     // part of an element of C
  using Wide = Real<Scalar<T>>;  // part of an accumulator
  using Row = detail::ReferenceRow<Wide>;
  static constexpr int parts = detail::is_complex<Out<T>> ? 2 : 1;

  struct Element {  // one part of an element
    double exact;
    double bound;
  };

  /// @param ratio_of  returns the error of an element divided by its bound
  template <class F>
  Verification worst_of(const MatrixRef<const Out<T>>& result, const F& ratio_of) const {
    Verification worst;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      for (Index e = 0; e < parts * args_.C.cols; ++e) {
        const Index j = e / parts;
        const double ratio = ratio_of(detail::part_of(result.value(rows_[r], j), static_cast<int>(e % parts)),
                                      elements_[first_of_row(r) + static_cast<std::size_t>(e)]);
        // The negated comparison makes NaN the worst ratio.
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

  /// Returns the signed parts of x that multiply the parts of y in part p of the product x·y.
  static std::array<double, std::size_t{parts}> factors(const Scalar<T>& x, int p) {
    if constexpr (detail::is_complex<Scalar<T>>) {
      const double re = static_cast<double>(x.re), im = static_cast<double>(x.im);
      return p == 0 ? std::array{re, -im} : std::array{im, re};
    } else {
      return {static_cast<double>(x)};
    }
  }

  static constexpr double least_work = 1e5;          // multiply-adds that justify a thread
  static constexpr Index panel_rows = 512;           // rows of B that are packed at a time
  using Rows = std::array<Row, std::size_t{parts}>;  // one for each part of an element of A

  std::size_t block_count() const {
    return static_cast<std::size_t>((args_.C.cols + Row::width - 1) / Row::width);
  }

  /// Computes the listed rows [first,last) of the block of columns that begins at j0.
  void compute_block(Index j0, std::size_t first, std::size_t last) {
    const auto& [alpha, A, B, beta, C] = args_;
    const Index K = alpha == Scalar<T>(0) ? 0 : A.cols, count = std::min<Index>(Row::width, C.cols - j0);
    std::vector<Rows> rows(last - first);
    // (parts,depth,count), row-major: the inner loop reads contiguous elements for any strides of B.
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

  /// Sets `count` elements of a row from column j0 on.
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
    // Without products, alpha is ignored, even if it is infinite or NaN.
    const Scalar<T> by = K == 0 ? Scalar<T>(0) : alpha;
    // The absolute error of a product that underflows is less than the smallest subnormal number.
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
