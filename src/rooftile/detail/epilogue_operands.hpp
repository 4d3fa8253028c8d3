// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>

#include "rooftile/detail/memory.hpp"
#include "rooftile/error.hpp"
#include "rooftile/matrix_views.hpp"
#include "rooftile/types.hpp"
#include "rooftile/vector.hpp"

/// Operands of the predefined epilogues, and the checks that they do not overlap C.
namespace rooftile::detail {

/// The dimension of a View whose stride is 1 by its layout.
enum class Contiguous { none, rows, columns };
template <class X>
constexpr Contiguous contiguous = [] {
  if constexpr (requires { typename X::array_layout; }) {
    using Layout = typename X::array_layout;
    if (std::is_same_v<Layout, Kokkos::LayoutRight>) return Contiguous::rows;
    if (std::is_same_v<Layout, Kokkos::LayoutLeft>) return Contiguous::columns;
  }
  return Contiguous::none;
}();

/// The member type `memory_space` of a View; empty for other types.
template <class X>
struct SpaceOf {};
template <class X>
requires requires {
  typename X::memory_space;
}
struct SpaceOf<X> {
  using memory_space = typename X::memory_space;
};

/// The element type of a matrix or batch; double for other types, which are reported elsewhere.
template <class X>
struct Read {
  using element = double;
};
template <class X>
requires requires(const X& x) {
  matrix_ref(x);
}
struct Read<X> {
  using element = std::remove_cvref_t<decltype(*matrix_ref(std::declval<const X&>()).data)>;
};
template <class X>
requires requires(const X& x) {
  batch_ref(x);
}
struct Read<X> {
  using element = std::remove_cvref_t<decltype(*batch_ref(std::declval<const X&>()).first.data)>;
};
template <class X>
using ReadElement = typename Read<X>::element;
template <class X>
using FactorOf = Scalar<ReadElement<X>>;

/// @{
/// @throws Error if the memory is null or overlaps C
template <class U, class T>
void check_read(const char* name, const MatrixRef<const U>& X, const MatrixRef<T>& C) {
  check_epilogue_operand(name, X, C, std::is_same_v<U, T>);
}
template <class U, class T>
void check_read(const char* name, const BatchRef<const U>& X, const BatchRef<T>& C) {
  check_epilogue_operand(name, X, C, std::is_same_v<U, T>);
}
/// @}

/// @throws Error if the shape of a matrix differs from that of C
template <class U, class T>
void check_like(const char* name, const MatrixRef<const U>& X, const MatrixRef<T>& C) {
  if (X.rows == C.rows && X.cols == C.cols) return;
  throw Error(text("shapes do not conform (", name, ' ', X.rows, " x ", X.cols, ", C ", C.rows, " x ", C.cols,
                   "): give a ", name, " of C's shape"));
}

/// @throws Error if the number of epilogue operands differs from the number of entries
inline void check_count(const char* name, Index count, Index entries) {
  if (count == entries) return;
  throw Error(text("numbers of ", name, " and of products differ (", count, " and ", entries,
                   "): give the epilogue one for each product"));
}
/// @throws Error if a group entry has no epilogue operand
inline void check_number(const char* name, Index count, Index entry) {
  if (entry < count) return;
  throw Error(text("more products than ", name, " (", count, "): give the epilogue one for each product"));
}

/// Returns value·x in the type of `value`.
template <class V, class U>
ROOFTILE_FUNCTION V times(V value, U x) {
  if constexpr (is_complex<V> && !is_complex<U>) {
    const auto real = static_cast<Real<V>>(x);
    return {value.re * real, value.im * real};
  } else {
    return value * static_cast<V>(x);
  }
}

/// Returns value + x or value·x.
template <bool adds, class V, class T>
ROOFTILE_FUNCTION V joined(V value, T x) {
  if constexpr (adds) {
    return value + static_cast<V>(x);
  } else {
    return times(value, x);
  }
}

/// @throws Error if a vector does not have one element for each row, or column, of C
template <bool of_rows, class T, class U>
void check_length(const VectorRef<T>& x, const MatrixRef<U>& C) {
  if (x.size == (of_rows ? C.rows : C.cols)) return;
  throw Error(text("vector of another length (", x.size, ", C is ", C.rows, " x ", C.cols,
                   "): give a number for each ", of_rows ? "row" : "column"));
}

/// Returns a vector as a matrix with C's strides. With equal strides, the overlap check is exact for a vector
/// and C in one parent matrix.
template <class T, class U>
MatrixRef<const T> matrix_of(const VectorRef<T>& x, const MatrixRef<U>& C) {
  if (x.stride == C.row_stride) return {x.data, x.size, 1, x.stride, C.col_stride};
  return {x.data, 1, x.size, C.row_stride, x.stride};
}

/// Adds or multiplies by one number for each row, or column, of C.
template <class T, bool of_rows, bool adds, bool stride_is_1>
struct ByVector {
  VectorRef<T> vector;

  template <class V>
  ROOFTILE_FUNCTION V operator()(Index i, Index j, V value) const {
    const Index at = of_rows ? i : j;
    return joined<adds>(value, vector.data[stride_is_1 ? at : at * vector.stride]);
  }

  template <class U>
  void check(const MatrixRef<U>& C) const {
    check_length<of_rows>(vector, C);
    check_read<T>("a vector", matrix_of(vector, C), C);
  }
  template <class U>
  void check(const BatchRef<U>& C) const {
    check_length<of_rows>(vector, C.first);
    check_read("a vector", BatchRef<const T>{matrix_of(vector, C.first), 0, C.count}, C);
  }
  template <class F>
  void arrays(const F& f) const {
    f("a vector of the epilogue", vector.data);
  }
};

/// Adds or multiplies by a vector for each batch or group entry.
template <class T, bool of_rows, bool adds>
struct ByVectors {
  VectorBatch<T> vectors;

  template <class V>
  ROOFTILE_FUNCTION V operator()(Index entry, Index i, Index j, V value) const {
    const VectorRef<T>& first = vectors.first;
    return joined<adds>(value, first.data[entry * vectors.stride + (of_rows ? i : j) * first.stride]);
  }

  template <class U>
  void check(const BatchRef<U>& C) const {
    check_count("vectors", vectors.count, C.count);
    check_length<of_rows>(vectors.first, C.first);
    check_read("a vector", BatchRef<const T>{matrix_of(vectors.first, C.first), vectors.stride, C.count}, C);
  }
  template <class U>
  void check(Index entry, const MatrixRef<U>& C) const {
    check_number("vectors", vectors.count, entry);
    check_length<of_rows>(vectors.first, C);
    VectorRef<T> own = vectors.first;
    own.data += entry * vectors.stride;
    check_read<T>("a vector", matrix_of(own, C), C);
  }
  template <class F>
  void arrays(const F& f) const {
    f("vectors of the epilogue", vectors.first.data);
  }
};

template <bool of_rows, bool adds, class T>
auto by_vector(const VectorRef<T>& x) {
  return ByVector<std::remove_const_t<T>, of_rows, adds, false>{{x.data, x.size, x.stride}};
}
template <bool of_rows, bool adds, class T>
auto by_vector(const VectorBatch<T>& x) {
  const auto& [first, stride, count] = x;
  return ByVectors<std::remove_const_t<T>, of_rows, adds>{
      {{first.data, first.size, first.stride}, stride, count}};
}
template <class Known, class Space>
struct Named : Known, Space {};
template <bool of_rows, bool adds, class X>
requires StridedArray<X, 1>
auto by_vector(const X& x) {
  using T = std::remove_const_t<DataOf<X>>;
  using Known = ByVector<T, of_rows, adds, contiguous<X> != Contiguous::none>;
  return Named<Known, SpaceOf<X>>{
      {{data_of(x), static_cast<Index>(x.extent(0)), static_cast<Index>(x.stride(0))}}, {}};
}
template <bool of_rows, bool adds, class X>
requires StridedArray<X, 2>
auto by_vector(const X& x) {
  using T = std::remove_const_t<DataOf<X>>;
  const VectorRef<T> first{data_of(x), static_cast<Index>(x.extent(1)), static_cast<Index>(x.stride(1))};
  const auto of = [](auto number) { return static_cast<Index>(number); };
  return Named<ByVectors<T, of_rows, adds>, SpaceOf<X>>{{{first, of(x.stride(0)), of(x.extent(0))}}, {}};
}

}  // namespace rooftile::detail
