// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "machine.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {

/// How the three operands lie in memory: `r` for row-major, `c` for column-major, which is also how a
/// transposed row-major operand is read.
struct Layout {
  std::string letters = "rrr";

  template <class T>
  MatrixRef<T> matrix(std::size_t operand, T* data, Index rows, Index cols) const {
    return letters[operand] == 'r' ? row_major(data, rows, cols) : column_major(data, rows, cols);
  }
};

/// A product's operands on the host and on a device: A and B uniform in [-1, 1), C the same where beta reads
/// it and NaN where it must be overwritten.
template <class T>
class Operands {
 public:
  Operands(Device& device, const GemmShape& shape, const Layout& layout, T alpha, T beta, std::uint64_t seed)
      : shape_(available(shape)),
        layout_(layout),
        alpha_(alpha),
        beta_(beta),
        a_(count(shape.m, shape.k)),
        b_(count(shape.k, shape.n)),
        c_(count(shape.m, shape.n), std::numeric_limits<T>::quiet_NaN()),
        device_a_(device, a_.size()),
        device_b_(device, b_.size()),
        device_c_(device, c_.size()) {
    std::mt19937_64 bits(seed);
    std::uniform_real_distribution<T> uniform(-1, 1);
    for (auto* operand : {&a_, &b_}) {
      for (T& x : *operand) x = uniform(bits);
    }
    if (beta != T(0)) {
      for (T& x : c_) x = uniform(bits);
    }
    device_a_.upload(a_);
    device_b_.upload(b_);
    result_ = c_;
  }

  GemmArgs<T> on_host() { return args(a_.data(), b_.data(), c_.data()); }
  GemmArgs<T> on_device() { return args(device_a_.data(), device_b_.data(), device_c_.data()); }

  /// Puts C back to what it was before the product.
  void reset() { device_c_.upload(c_); }

  /// What C is now, in host memory.
  MatrixRef<const T> result() {
    device_c_.download(result_);
    return layout_.matrix<const T>(2, result_.data(), shape_.m, shape_.n);
  }

 private:
  /// The shape itself, if the host has the memory for it: A, B, and C twice.
  static const GemmShape& available(const GemmShape& shape) {
    const std::size_t a = count(shape.m, shape.k), b = count(shape.k, shape.n), c = count(shape.m, shape.n);
    require_host_memory(static_cast<double>(sizeof(T)) *
                        (static_cast<double>(a) + static_cast<double>(b) + 2 * static_cast<double>(c)));
    return shape;
  }

  static std::size_t count(Index rows, Index cols) {
    Index product = 0;
    if (__builtin_mul_overflow(rows, cols, &product) ||
        product > std::numeric_limits<Index>::max() / static_cast<Index>(sizeof(T))) {
      throw Error(
          rooftile::detail::text("matrix too large (", rows, " x ", cols, "): take a smaller product"));
    }
    return static_cast<std::size_t>(product);
  }

  GemmArgs<T> args(const T* a, const T* b, T* c) const {
    return {alpha_, layout_.matrix(0, a, shape_.m, shape_.k), layout_.matrix(1, b, shape_.k, shape_.n), beta_,
            layout_.matrix(2, c, shape_.m, shape_.n)};
  }

  GemmShape shape_;
  Layout layout_;
  T alpha_;
  T beta_;
  std::vector<T> a_;
  std::vector<T> b_;
  std::vector<T> c_;
  std::vector<T> result_;
  Buffer<T> device_a_;
  Buffer<T> device_b_;
  Buffer<T> device_c_;
};

}  // namespace rooftile::perf
