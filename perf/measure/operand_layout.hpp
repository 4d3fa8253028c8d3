// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "../machine.hpp"
#include "plan/prepare.hpp"
#include "rooftile/error.hpp"
#include "rooftile/log.hpp"

/// How operands lie in memory of their own.
namespace rooftile::perf {

/// How the three operands lie in memory: `r` for row-major, `c` for column-major, which is also how a
/// transposed row-major operand is read.
struct Layout {
  std::string letters = "rrr";
  Index padding = 0;  ///< elements between one row (column-major: column) and the next
  Index offset = 0;   ///< elements before the first one, which else is aligned as allocations are
};

struct OperandLayout {
  Index rows = 0, cols = 0, row_stride = 0, col_stride = 0;
  bool conjugated = false;
  bool pointers = false;     ///< to its matrices is how a device is told where they lie
  Index every = 0;           ///< elements from matrix to matrix
  Index outer = 0;           ///< of two dimensions, from one of the outer one to the next
  Index first = 0;           ///< elements of the memory before element (0,0) of the first one
  std::size_t elements = 0;  ///< of the memory
  Index alignment = 0;  ///< bytes that element (0,0) is a multiple of, and of no more; 0: as memory comes

  template <class T>
  MatrixRef<T> matrix(T* memory) const {
    const MatrixRef<T> X{memory + first, rows, cols, row_stride, col_stride};
    return conjugated ? X.conjugated() : X;
  }
};

struct OperandLayouts {
  OperandLayout a, b, c;
};

/// Matrices one behind the other. @throws Error where there are more elements than addresses
template <class T>
OperandLayouts dense_places(const GemmShape& shape, const Layout& layout, Index count, bool pointers) {
  const auto place = [&](std::size_t operand, Index rows, Index cols) {
    const bool by_rows = layout.letters[operand] == 'r';
    const Index lines = by_rows ? rows : cols, line = (by_rows ? cols : rows) + layout.padding;
    Index size = 0;
    if (__builtin_mul_overflow(lines, line, &size) || __builtin_mul_overflow(size, count, &size) ||
        size > std::numeric_limits<Index>::max() / static_cast<Index>(sizeof(Out<T>)) - layout.offset) {
      throw Error(detail::text("matrix too large (", rows, " x ", cols, "): take a smaller product"));
    }
    OperandLayout p{rows, cols, by_rows ? line : 1, by_rows ? 1 : line};
    p.pointers = pointers;
    p.every = lines * line, p.first = layout.offset;
    p.elements = static_cast<std::size_t>(layout.offset + size);
    return p;
  };
  return {place(0, shape.m, shape.k), place(1, shape.k, shape.n), place(2, shape.m, shape.n)};
}

/// What stands for a factor: of `x` some number that is neither 0 nor 1, of integers a whole one.
/// @param type  of C
inline double number_of(Factor factor, Type type) {
  const double numbers[] = {0, 1, -1, type == Type::int32 ? 3 : 0.5};
  return numbers[static_cast<std::size_t>(factor)];
}
template <class T>
Scalar<T> number_of(Factor factor) {
  return static_cast<Scalar<T>>(static_cast<Real<Scalar<T>>>(number_of(factor, result_type_of<T>())));
}

inline detail::Steps steps_of(const LoggedProduct& product, const OperandLayout& place) {
  return detail::Steps::of(product.count, place.every, product.inner, place.outer);
}

/// Operands as of a call that was logged; matrices that pointers lead to lie one behind the other.
/// @throws Error where elements of C overlap, or an operand has more than addresses
template <class T>
OperandLayouts operand_layouts_of(const LoggedProduct& product) {
  const auto place = [&]<class E>(std::type_identity<E>, const char* name, const LoggedOperand& x, Index rows,
                                  Index cols) {
    OperandLayout p{rows, cols, x.row_stride, x.col_stride, x.conjugated, x.pointers, x.every, x.outer};
    p.alignment = x.alignment;
    if (rows == 0 || cols == 0 || product.count == 0) return p;
    const MatrixRef<const E> X{nullptr, rows, cols, x.row_stride, x.col_stride};
    if (x.pointers) {
      const auto one = detail::offset_range(name, X);
      const Index bytes = 2 * x.alignment, unit = std::max<Index>(1, bytes / static_cast<Index>(sizeof(E)));
      p.every = (one.high - one.low) / unit * unit + unit;
      p.outer = product.inner * p.every;
    }
    const auto all = detail::offset_range(name, X, steps_of(product, p));
    p.first = -all.low;
    p.elements = static_cast<std::size_t>(all.high - all.low) + 1;
    return p;
  };
  const auto [m, n, k] = product.shape;
  const std::type_identity<In<T>> in;
  const OperandLayouts places{place(in, "A", product.a, m, k), place(in, "B", product.b, k, n),
                              place(std::type_identity<Out<T>>(), "C", product.c, m, n)};
  if (places.c.elements > 0) {
    const MatrixRef<Out<T>> C{nullptr, m, n, product.c.row_stride, product.c.col_stride};
    detail::check_distinct(C);
    detail::check_products_distinct(C, steps_of(product, places.c));
  }
  return places;
}

/// The same, if the host has the memory for them: A, B, and C twice.
template <class T>
const OperandLayouts& available(const OperandLayouts& places) {
  const auto& [a, b, c] = places;
  require_host_memory(static_cast<double>(sizeof(In<T>)) *
                          (static_cast<double>(a.elements) + static_cast<double>(b.elements)) +
                      2 * static_cast<double>(sizeof(Out<T>)) * static_cast<double>(c.elements));
  return places;
}

template <class T>
class PlacedBuffer {
 public:
  PlacedBuffer(Device& device, const OperandLayout& place)
      : device_(&device),
        bytes_(place.elements * sizeof(T)),
        memory_(device, bytes_ + static_cast<std::size_t>(2 * place.alignment)) {
    if (place.alignment == 0) return;
    const auto twice = static_cast<std::uintptr_t>(2 * place.alignment);
    const auto at = reinterpret_cast<std::uintptr_t>(memory_.data()) +
                    static_cast<std::uintptr_t>(place.first) * sizeof(T);
    shift_ = (twice + static_cast<std::uintptr_t>(place.alignment) - at % twice) % twice;
  }

  T* data() const { return reinterpret_cast<T*>(memory_.data() + shift_); }
  void upload(std::span<const T> from) { device_->upload(data(), from.data(), bytes_); }
  void copy(const PlacedBuffer& from) { device_->copy(data(), from.data(), bytes_); }
  void download(std::span<T> to) const { device_->download(to.data(), data(), bytes_); }

 private:
  Device* device_;
  std::size_t bytes_;
  Buffer<char> memory_;
  std::size_t shift_ = 0;
};

}  // namespace rooftile::perf
