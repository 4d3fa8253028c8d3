// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstring>
#include <vector>

#include "cuda_native/check.hpp"
#include "numerics/moduli.hpp"
#include "rooftile/cuda_native.hpp"
#include "tests/ladder/this_ladder.hpp"
#include "tests/support/int8_numbers.hpp"

/// Products that tests of `ComputeMode::fp64_int8` compute on Hopper, through `gemm`.
namespace rooftile::testing {

/// The layout of a matrix in memory.
struct Layout {
  bool column_major = false;
  Index pad = 0;     ///< elements between rows or columns
  Index step = 1;    ///< from one element of a row or column to the next
  Index offset = 0;  ///< of the first element

  template <class T>
  MatrixRef<T> of(T* data, Index rows, Index cols) const {
    const Index line = (column_major ? rows : cols) * step + pad;
    return {data + offset, rows, cols, column_major ? step : line, column_major ? line : step};
  }
  std::size_t elements(Index rows, Index cols) const {
    const Index lines = column_major ? cols : rows, length = column_major ? rows : cols;
    return static_cast<std::size_t>(offset + lines * (length * step + pad));
  }
};

inline constexpr double between_elements = 0x1p100;

/// A matrix in memory, with `between_elements` around its elements.
inline std::vector<double> laid_out(const Numbers& x, const Layout& layout) {
  std::vector<double> memory(layout.elements(x.rows, x.cols), between_elements);
  const MatrixRef<double> to = layout.of(memory.data(), x.rows, x.cols);
  for (Index i = 0; i < x.rows; ++i) {
    for (Index j = 0; j < x.cols; ++j) to(i, j) = x.ref()(i, j);
  }
  return memory;
}

/// Skips the test if the device does not run the kernel of the mode.
inline void need_int8() {
  device();
  if (!detail::computes(rung_of(Kernel::warpgroup_int8), cuda_native::target(ComputeMode::fp64_int8)))
    SKIP("the kernel is for compute capability 9.0");
}

/// Selects the kernel by name, so that the library does not compare its cost with that of fp64.
inline GemmOptions by_int8(int moduli = 0) {
  return {.kernel = Kernel::warpgroup_int8, .math = ComputeMode::fp64_int8, .moduli = moduli};
}

/// C = alpha·A·B + beta·C, with the matrices on the device.
class OnDevice {
 public:
  struct Layouts {
    Layout a, b, c;
  };

  OnDevice(const Operands& x, const Numbers& before, const Layouts& layouts, double alpha, double beta)
      : layouts_(layouts),
        shape_{x.a.rows, x.b.cols, x.a.cols},
        a_(filled(laid_out(x.a, layouts.a))),
        b_(filled(laid_out(x.b, layouts.b))),
        before_(laid_out(before, layouts.c)),
        c_(filled(before_)),
        alpha_(alpha),
        beta_(beta) {}

  GemmArgs<double> args() const {
    return {alpha_, layouts_.a.of<const double>(a_.data(), shape_.m, shape_.k),
            layouts_.b.of<const double>(b_.data(), shape_.k, shape_.n), beta_,
            layouts_.c.of(c_.data(), shape_.m, shape_.n)};
  }
  GemmPlan plan(const GemmOptions& options) const {
    return cuda_native::explain<double>(nullptr, {args(), {}}, options);
  }
  /// Returns the result of the guard on the device.
  Int8Guard guard() const { return cuda_native::int8_guard(nullptr, args().A, args().B); }

  /// Computes the product. Returns all memory of C, also between its elements.
  std::vector<double> computed(const GemmOptions& options) {
    c_.upload(before_);
    const auto [alpha, A, B, beta, C] = args();
    cuda_native::gemm(nullptr, alpha, A, B, beta, C, options);
    return downloaded();
  }
  /// Computes the product by an existing plan.
  std::vector<double> computed(const GemmPlan& plan) {
    c_.upload(before_);
    cuda_native::run<double>(plan, nullptr, {args(), {}});
    return downloaded();
  }
  /// Computes the product in fp64, with the fallback tile of the plan.
  std::vector<double> in_fp64(const GemmOptions& options) {
    return computed({.kernel = Kernel::tensor_core, .tile = plan(options).fallback});
  }

 private:
  std::vector<double> downloaded() const {
    cuda_native::check(cudaDeviceSynchronize(), "wait for a product");
    std::vector<double> found(before_.size());
    c_.download(found);
    return found;
  }
  static Buffer<double> filled(const std::vector<double>& from) {
    Buffer<double> to(device(), from.size());
    to.upload(from);
    return to;
  }

  Layouts layouts_;
  GemmShape shape_;
  Buffer<double> a_, b_;
  std::vector<double> before_;
  Buffer<double> c_;
  double alpha_, beta_;
};

/// Counts elements whose distance from alpha·A·B + beta·C exceeds E8 of docs/numerics.md plus the fp64
/// rounding of the rest, or exceeds Grade A if `guarded`. Also counts overwritten memory between elements.
/// @param moduli   number of moduli of the product
/// @param guarded  whether the guard passed
inline int count_wrong(const Operands& x, const Numbers& before, const Layout& layout, double alpha,
                       double beta, int moduli, bool guarded, std::vector<double> found) {
  constexpr double u = 0x1p-53;
  const GemmShape shape{x.a.rows, x.b.cols, x.a.cols};
  const MatrixRef<double> c = layout.of(found.data(), shape.m, shape.n);
  const auto k = static_cast<double>(shape.k);
  const double squared = 1 / residues::squared_limit(moduli);
  const double of_norms = (2 * std::sqrt(k * squared) + k * squared) * (1 + 0x1p-20);
  int wrong = 0;
  for (Index i = 0; i < shape.m; ++i) {
    for (Index j = 0; j < shape.n; ++j) {
      const Exact e = exact_element(x, i, j);
      const double rest = beta == 0 ? 0 : beta * before.data[static_cast<std::size_t>(i * shape.n + j)];
      const double roundings = 3 * u * (std::abs(alpha * e.sum) + std::abs(rest)) + Exact::underflow(shape.k);
      const double bound = std::abs(alpha) * (of_norms * e.norms + 3 * u * std::abs(e.sum)) + roundings;
      const double grade_a = std::abs(alpha) * (k + 4) * u * e.magnitude + roundings;
      const long double exact = static_cast<long double>(alpha) * e.sum +
                                static_cast<long double>(alpha) * e.rest + static_cast<long double>(rest);
      const auto distance = static_cast<double>(std::abs(static_cast<long double>(c(i, j)) - exact));
      wrong += !(distance <= bound) || (guarded && !(distance <= grade_a));
      c(i, j) = between_elements;
    }
  }
  for (const double left : found) wrong += left != between_elements;
  return wrong;
}

/// Returns whether all bits are equal, also those of NaN.
inline bool same_bits(const std::vector<double>& x, const std::vector<double>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
}

}  // namespace rooftile::testing
