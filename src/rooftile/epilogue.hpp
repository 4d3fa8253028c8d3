// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>

#include "rooftile/detail/check.hpp"
#include "rooftile/matrix.hpp"
#include "rooftile/types.hpp"

namespace rooftile {

/// A vector that somebody else owns: element i is `data[i * stride]`.
template <class T>
struct VectorRef {
  const T* data = nullptr;  ///< the address of element 0
  Index size = 0;           ///< how many there are
  Index stride = 1;         ///< elements from one to the next
};

namespace detail {

/// Of a View's strides the one that its layout says is 1.
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

/// What `memory_space` says of a View.
template <class X>
struct SpaceOf {};
template <class X>
requires requires {
  typename X::memory_space;
}
struct SpaceOf<X> {
  using memory_space = typename X::memory_space;
};

/// The elements of a matrix, and what they are multiplied by; of what is none, any number.
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
using ReadElement = typename Read<X>::element;
template <class X>
using FactorOf = Scalar<ReadElement<X>>;

/// Whether a byte of a matrix is one of C's; of matrices of one type, of an element.
template <class U, class T>
bool shares(const MatrixRef<const U>& X, const MatrixRef<T>& C) {
  if (is_empty(X) || is_empty(C)) return false;
  if constexpr (std::is_same_v<U, T>) {
    return overlap<T>(X, C);
  } else {
    const auto bytes = [](const char* name, const auto& Y) -> MatrixRef<const char> {
      const OffsetRange range = offset_range(name, Y);
      const auto size = static_cast<Index>(sizeof(*Y.data));
      return {reinterpret_cast<const char*>(behind(Y.data, range.low)), 1,
              (range.high - range.low + 1) * size, 0, 1};
    };
    return overlap<char>(bytes("D", X), bytes("C", C));
  }
}

/// @throws Error where memory is missing, or is C's
template <class U, class T>
void check_read(const char* name, const MatrixRef<const U>& X, const MatrixRef<T>& C) {
  check_extents(name, X);
  check_memory(name, X, 1, 0);
  if (!shares(X, C)) return;
  throw Error(text("C overlaps ", name, " of an epilogue (", static_cast<const void*>(C.data), " and ",
                   static_cast<const void*>(X.data),
                   "): add C's own elements by beta, and read nothing else of it"));
}

/// value + factor·x, rounded as numbers of the value's type.
template <class V, class U>
ROOFTILE_FUNCTION V times(V value, U x) {
  if constexpr (is_complex<V> && !is_complex<U>) {
    const auto real = static_cast<Real<V>>(x);
    return {value.re * real, value.im * real};
  } else {
    return value * static_cast<V>(x);
  }
}

/// A number for each row of C, or for each column.
template <class T, bool of_rows, bool adds, bool stride_is_1>
struct ByVector {
  VectorRef<T> vector;

  template <class V>
  ROOFTILE_FUNCTION V operator()(Index i, Index j, V value) const {
    const Index at = of_rows ? i : j;
    const T x = vector.data[stride_is_1 ? at : at * vector.stride];
    if constexpr (adds) {
      return value + static_cast<V>(x);
    } else {
      return times(value, x);
    }
  }

  template <class U>
  void check(const MatrixRef<U>& C) const {
    const Index wanted = of_rows ? C.rows : C.cols;
    if (vector.size != wanted) {
      throw Error(text("vector of another length (", vector.size, ", C is ", C.rows, " x ", C.cols,
                       "): give a number for each ", of_rows ? "row" : "column"));
    }
    // With C's strides, by which a vector beside C in one parent is told apart.
    const MatrixRef<const T> column{vector.data, vector.size, 1, vector.stride, C.col_stride},
        row{vector.data, 1, vector.size, C.row_stride, vector.stride};
    check_read<T>("a vector", vector.stride == C.row_stride ? column : row, C);
  }
};

template <bool of_rows, bool adds, class T>
auto by_vector(const VectorRef<T>& x) {
  return ByVector<std::remove_const_t<T>, of_rows, adds, false>{{x.data, x.size, x.stride}};
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

}  // namespace detail

/// What can be done to each element of C when it is computed (`fused.hpp`). Made by the functions below,
/// which keep addresses, not Views: what these lead to must stay until the product is computed.
namespace epilogue {

/// value + beta·D(i,j).
template <class T, detail::Contiguous contiguous>
struct Plus {
  Scalar<T> beta;        ///< 0: D is not read
  MatrixRef<const T> D;  ///< (M,N)

  /// Of an element.
  template <class V>
  ROOFTILE_FUNCTION V operator()(Index i, Index j, V value) const {
    if (beta == Scalar<T>(0)) return value;
    const Index row = contiguous == detail::Contiguous::columns ? i : i * D.row_stride;
    const Index col = contiguous == detail::Contiguous::rows ? j : j * D.col_stride;
    return value + static_cast<V>(beta * static_cast<Scalar<T>>(D.read(D.data[row + col])));
  }

  /// @throws Error where D is no matrix of C's shape, or overlaps C
  template <class U>
  void check(const MatrixRef<U>& C) const {
    if (D.rows != C.rows || D.cols != C.cols) {
      throw Error(detail::text("shapes do not conform (D ", D.rows, " x ", D.cols, ", C ", C.rows, " x ",
                               C.cols, "): give a D of C's shape"));
    }
    if (beta != Scalar<T>(0)) detail::check_read("D", D, C);
  }

  /// On CPUs: brings a block of D into the caches.
  void prefetch(Index row, Index col, Index rows, Index cols) const {
    if (beta == Scalar<T>(0)) return;
    const bool by_rows = D.col_stride == 1;
    if (!by_rows && D.row_stride != 1) return;
    const MatrixRef<const T> block = D.block(row, col, rows, cols),
                             lines = by_rows ? block : block.transposed();
    constexpr Index together = 64 / sizeof(T);  // of a cache line
    for (Index i = 0; i < lines.rows; ++i) {
      for (Index j = 0; j < lines.cols; j += together) __builtin_prefetch(&lines(i, j), 0, 2);
    }
  }
};

/// One after the other.
template <class First, class Second>
struct Chain {
  First first;    ///< gets the value
  Second second;  ///< gets what `first` returns

  /// Of an element.
  template <class V>
  ROOFTILE_FUNCTION auto operator()(Index i, Index j, V value) const {
    return second(i, j, first(i, j, value));
  }

  /// @throws Error as they do
  template <class U>
  void check(const MatrixRef<U>& C) const {
    if constexpr (requires { first.check(C); }) first.check(C);
    if constexpr (requires { second.check(C); }) second.check(C);
  }

  /// As they do.
  void prefetch(Index row, Index col, Index rows, Index cols) const {
    if constexpr (requires { first.prefetch(row, col, rows, cols); }) first.prefetch(row, col, rows, cols);
    if constexpr (requires { second.prefetch(row, col, rows, cols); }) second.prefetch(row, col, rows, cols);
  }
};

/// value + beta·D(i,j): with it, C = alpha·A·B + beta·D. `beta == 0` does not read D.
/// @param D  (M,N): a View of any strided layout, an mdspan or a MatrixRef of C's element type or another,
///           apart from C: its own elements are added by the product's beta
template <class X>
auto plus(detail::FactorOf<X> beta, const X& D) {
  using T = detail::ReadElement<X>;
  return detail::Named<Plus<T, detail::contiguous<X>>, detail::SpaceOf<X>>{{beta, matrix_ref(D)}, {}};
}

/// @{
/// value·r(i), value·c(j), value + b(i) and value + b(j).
/// @param x  a View or mdspan of rank 1, or a VectorRef, with a number for each row of C, or for each column
template <class X>
auto row_scale(const X& x) {
  return detail::by_vector<true, false>(x);
}
template <class X>
auto col_scale(const X& x) {
  return detail::by_vector<false, false>(x);
}
template <class X>
auto row_bias(const X& x) {
  return detail::by_vector<true, true>(x);
}
template <class X>
auto col_bias(const X& x) {
  return detail::by_vector<false, true>(x);
}
/// @}

/// @{
/// Several, of which each gets what the one before returns: `chain(row_scale(r), plus(beta, D))` is
/// value·r(i) + beta·D(i,j). A functor of one's own may be among them.
template <class Only>
Only chain(const Only& only) {
  return only;
}
template <class First, class... Others>
auto chain(const First& first, const Others&... others) requires(sizeof...(Others) > 0) {
  return Chain<First, decltype(chain(others...))>{first, chain(others...)};
}
/// @}

}  // namespace epilogue
}  // namespace rooftile
