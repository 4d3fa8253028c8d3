// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "../machine.hpp"
#include "plan/check_scales.hpp"
#include "plan/prepare.hpp"
#include "rooftile/error.hpp"
#include "rooftile/log.hpp"

/// Memory layouts of a product's operands.
namespace rooftile::perf {

/// The layout of the three operands: `r` for row-major, `c` for column-major. A transposed row-major operand
/// is read as column-major.
struct Layout {
  std::string letters = "rrr";
  Index padding = 0;            ///< elements between consecutive rows (column-major: columns)
  Index offset = 0;             ///< elements between the aligned allocation and the first element
  std::string scales = "none";  ///< of 8-bit floats; one of `scale_names`
};

/// Elements share a scale in a matrix, in a row of A and a column of B, or in blocks of 1x128 elements of A
/// and 128x128 elements of B.
inline constexpr const char* scale_names[] = {"none", "one", "lines", "blocks"};

inline bool is_scale_name(const std::string& name) {
  return std::find(std::begin(scale_names), std::end(scale_names), name) != std::end(scale_names);
}

struct OperandLayout {
  Index rows = 0, cols = 0, row_stride = 0, col_stride = 0;
  bool conjugated = false;
  bool pointers = false;     ///< the device gets an array of pointers to the matrices
  Index every = 0;           ///< elements from one matrix to the next
  Index outer = 0;           ///< of a two-dimensional batch: elements between outer entries
  Index first = 0;           ///< elements of the buffer before element (0,0) of the first matrix
  std::size_t elements = 0;  ///< elements of the buffer
  Index alignment = 0;       ///< exact alignment of element (0,0) in bytes; 0: the allocation's
  Float8Format format = Float8Format::e4m3;  ///< of 8-bit floats
  Float8Scales scales{};                     ///< of 8-bit floats, without their address

  /// @param scale  address of the scales; null: the matrix has none
  template <class T>
  MatrixRef<T> matrix(T* memory, [[maybe_unused]] const float* scale = nullptr) const {
    MatrixRef<T> X{memory + first, rows, cols, row_stride, col_stride};
    if constexpr (detail::Float8<T>) {
      X.format = format;
      if (scales.rows > 0) X.scales = scales, X.scales.data = scale;
    }
    return conjugated ? X.conjugated() : X;
  }

  /// The number of scales of `count` matrices.
  std::size_t scale_count(Index count) const {
    if (scales.rows == 0) return 0;
    return static_cast<std::size_t>((scales.rows - 1) * scales.row_stride +
                                    (scales.cols - 1) * scales.col_stride +
                                    std::max<Index>(count - 1, 0) * scales.batch_stride + 1);
  }
};

/// The scales of A (M,K) or, transposed, of B. The layouts are those of cuBLASLt: scales of 1x128 elements
/// are contiguous along M, and scales of 128x128 elements along K, in lines of whole 16 bytes.
/// @param wide  blocks of 128x128 elements
inline Float8Scales dense_scales(const std::string& name, Index rows, Index k, bool wide) {
  const Index steps = detail::scale_blocks(k), blocks = detail::scale_blocks(rows);
  Float8Scales s;
  if (name == "one") s = {nullptr, 1, 1, 1, 1};
  if (name == "lines") s = {nullptr, rows, 1, 1, rows};
  if (name == "blocks")
    s = wide ? Float8Scales{nullptr, blocks, steps, (steps + 3) / 4 * 4, 1}
             : Float8Scales{nullptr, rows, steps, 1, rows};
  s.batch_stride = std::max(s.rows * s.row_stride, s.cols * s.col_stride);
  return s;
}

struct OperandLayouts {
  OperandLayout a, b, c;
};

/// Consecutive matrices without gaps. @throws Error if the number of elements overflows
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
  OperandLayouts places{place(0, shape.m, shape.k), place(1, shape.k, shape.n), place(2, shape.m, shape.n)};
  places.a.scales = dense_scales(layout.scales, shape.m, shape.k, false);
  places.b.scales = dense_scales(layout.scales, shape.n, shape.k, true).transposed();
  return places;
}

/// A value for a logged factor. The factor `x` becomes a number other than 0 and 1, whole if C has integers.
/// @param type  element type of C
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

/// The layouts of a logged call's operands. Matrices of pointer arrays are placed consecutively.
/// @throws Error if elements of C overlap, or if an operand's number of elements overflows
template <class T>
OperandLayouts operand_layouts_of(const LoggedProduct& product) {
  const auto place = [&]<class E>(std::type_identity<E>, const char* name, const LoggedOperand& x, Index rows,
                                  Index cols) {
    OperandLayout p{rows, cols, x.row_stride, x.col_stride, x.conjugated, x.pointers, x.every, x.outer};
    p.alignment = x.alignment, p.format = x.format, p.scales = x.scales;
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
  if (product.type == Type::fp8) {
    static constexpr float anywhere = 1;  // a log has no addresses
    const auto check = [&](const char* name, Float8Scales scales, Index rows) {
      if (scales.rows > 0) scales.data = &anywhere;
      detail::check_scales(name, scales, rows, product.shape.k, product.count);
    };
    check("A", product.a.scales, product.shape.m);
    check("B", product.b.scales.transposed(), product.shape.n);
  }
  const OperandLayouts places{place(in, "A", product.a, m, k), place(in, "B", product.b, k, n),
                              place(std::type_identity<Out<T>>(), "C", product.c, m, n)};
  if (places.c.elements > 0) {
    const MatrixRef<Out<T>> C{nullptr, m, n, product.c.row_stride, product.c.col_stride};
    detail::check_distinct(C);
    detail::check_products_distinct(C, steps_of(product, places.c));
  }
  return places;
}

/// Returns `places` if the host has memory for A, B and two copies of C. @throws OutOfMemory otherwise
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
