// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "../machine.hpp"
#include "rooftile/detail/batch_args.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {

/// How the three operands lie in memory: `r` for row-major, `c` for column-major, which is also how a
/// transposed row-major operand is read.
struct Layout {
  std::string letters = "rrr";
  Index padding = 0;  ///< elements between one row (column-major: column) and the next
  Index offset = 0;   ///< elements before the first one, which else is aligned as allocations are

  bool is_row_major(std::size_t operand) const { return letters[operand] == 'r'; }

  template <class T>
  MatrixRef<T> matrix(std::size_t operand, T* data, Index rows, Index cols) const {
    return is_row_major(operand) ? row_major(data + offset, rows, cols, cols + padding)
                                 : column_major(data + offset, rows, cols, rows + padding);
  }
};

/// What operands hold.
enum class Values {
  uniform,  ///< random in [-1, 1)
  integers,  ///< random ±1 … ±3, whose sums are exact in fp32 as long as K allows, and alpha and beta 0 or 1
};

/// How a device is told where the operands of products lie.
enum class Places { at_distances, by_pointers };

/// The operands of a product, or of `count` ones that lie one behind the other, on the host and on a device,
/// of which C is NaN where it must be overwritten. They hold nothing until `fill`.
template <class T>
class Operands {
 public:
  Operands(Device& device, const GemmShape& shape, const Layout& layout, Scalar<T> alpha, Scalar<T> beta,
           std::uint64_t seed, Index count = 1, Places places = Places::at_distances)
      : shape_(available(shape, layout, count)),
        batch_{count, size(layout, 0, shape.m, shape.k), size(layout, 1, shape.k, shape.n),
               size(layout, 2, shape.m, shape.n)},
        layout_(layout),
        alpha_(alpha),
        beta_(beta),
        seed_(seed),
        a_(all(batch_.stride_a)),
        b_(all(batch_.stride_b)),
        c_(all(batch_.stride_c), std::numeric_limits<T>::quiet_NaN()),
        device_a_(device, a_.size()),
        device_b_(device, b_.size()),
        device_c_(device, c_.size()) {
    if (places == Places::by_pointers) pointers_.emplace(device, args_on_device());
  }

  void fill(Values values) {
    values_ = values;
    std::mt19937_64 bits(seed_);
    fill(a_, bits);
    fill(b_, bits);
    if (beta_ != 0) fill(c_, bits);
    device_a_.upload(a_);
    device_b_.upload(b_);
    result_ = c_;
  }

  BatchArgs<T> on_host() { return args(a_.data(), b_.data(), c_.data()); }
  BatchArgs<T> on_device() { return pointers_ ? pointers_->followed(args_on_device()) : args_on_device(); }

  /// Puts C back to what it was before the product.
  void reset() { device_c_.upload(c_); }

  /// What C is now, in host memory.
  BatchRef<const T> result() {
    device_c_.download(result_);
    return {layout_.matrix<const T>(2, result_.data(), shape_.m, shape_.n), batch_.stride_c, batch_.count};
  }

 private:
  /// The addresses of an operand's matrices in a device's memory, and what they are multiples of.
  template <class U>
  struct Addresses {
    Buffer<U*> pointers;
    Index alignment = 256;  // no kernel asks for more

    Addresses(Device& device, U* first, Index stride, Index count)
        : pointers(device, static_cast<std::size_t>(count)) {
      std::vector<U*> each;
      for (Index i = 0; i < count; ++i) each.push_back(first + i * stride);
      pointers.upload(each);
      for (U* const x : each) {
        while (reinterpret_cast<std::uintptr_t>(x) % static_cast<std::uintptr_t>(alignment) != 0)
          alignment /= 2;
      }
    }

    BatchRef<U> batch(const MatrixRef<U>& layout, Index count) const {
      return pointer_batch(pointers.data(), layout, count, alignment);
    }
  };

  /// Those of all operands.
  struct Pointers {
    Addresses<const T> a, b;
    Addresses<T> c;

    Pointers(Device& device, const BatchArgs<T>& at)
        : a(device, at.first.A.data, at.batch.stride_a, at.batch.count),
          b(device, at.first.B.data, at.batch.stride_b, at.batch.count),
          c(device, at.first.C.data, at.batch.stride_c, at.batch.count) {}

    /// The same products, by pointers.
    BatchArgs<T> followed(const BatchArgs<T>& at) const {
      const auto& [alpha, A, B, beta, C] = at.first;
      const Index count = at.batch.count;
      return rooftile::detail::batch_args<T>(alpha, a.batch(A, count), b.batch(B, count), beta,
                                             c.batch(C, count));
    }
  };

  BatchArgs<T> args_on_device() const { return args(device_a_.data(), device_b_.data(), device_c_.data()); }

  /// The shape itself, if the host has the memory for it: A, B, and C twice.
  static const GemmShape& available(const GemmShape& shape, const Layout& layout, Index count) {
    const auto [m, n, k] = shape;
    const auto a = static_cast<double>(size(layout, 0, m, k, count)),
               b = static_cast<double>(size(layout, 1, k, n, count)),
               c = static_cast<double>(size(layout, 2, m, n, count));
    require_host_memory(static_cast<double>(sizeof(T)) * (a + b + 2 * c));
    return shape;
  }

  /// Elements of `count` matrices of an operand.
  static Index size(const Layout& layout, std::size_t operand, Index rows, Index cols, Index count = 1) {
    const bool row_major = layout.is_row_major(operand);
    const Index lines = row_major ? rows : cols, line = (row_major ? cols : rows) + layout.padding;
    Index product = 0;
    if (__builtin_mul_overflow(lines, line, &product) || __builtin_mul_overflow(product, count, &product) ||
        product > std::numeric_limits<Index>::max() / static_cast<Index>(sizeof(T))) {
      throw Error(
          rooftile::detail::text("matrix too large (", rows, " x ", cols, "): take a smaller product"));
    }
    return product;
  }

  /// Elements of an operand of all products, each of so many.
  std::size_t all(Index of_one) const {
    return static_cast<std::size_t>(layout_.offset + batch_.count * of_one);
  }

  void fill(std::vector<T>& operand, std::mt19937_64& bits) const {
    if (values_ == Values::integers) {
      const std::uint64_t most = shape_.k < (Index{1} << 24) / (9 * 2) ? 3 : 1;
      const auto draw = [&] {
        const std::uint64_t word = bits();
        const auto size = static_cast<float>(1 + (word >> 1) % most);
        return word % 2 == 0 ? size : -size;
      };
      for (T& x : operand) x = rooftile::detail::from_parts<T>(draw);
    } else {
      std::uniform_real_distribution<Real<Scalar<T>>> uniform(-1, 1);
      for (T& x : operand) x = rooftile::detail::from_parts<T>([&] { return uniform(bits); });
    }
  }

  BatchArgs<T> args(const T* a, const T* b, T* c) const {
    const auto scalar = [this](Scalar<T> x) {
      return values_ == Values::integers && x != 0 ? Scalar<T>(1) : x;
    };
    return {
        {scalar(alpha_), layout_.matrix(0, a, shape_.m, shape_.k), layout_.matrix(1, b, shape_.k, shape_.n),
         scalar(beta_), layout_.matrix(2, c, shape_.m, shape_.n)},
        batch_};
  }

  GemmShape shape_;
  Batch batch_;
  Layout layout_;
  Scalar<T> alpha_;
  Scalar<T> beta_;
  std::uint64_t seed_;
  Values values_ = Values::uniform;
  std::vector<T> a_;
  std::vector<T> b_;
  std::vector<T> c_;
  std::vector<T> result_;
  Buffer<T> device_a_;
  Buffer<T> device_b_;
  Buffer<T> device_c_;
  std::optional<Pointers> pointers_;
};

}  // namespace rooftile::perf
