// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "rooftile/detail/call_epilogue.hpp"
#include "rooftile/detail/epilogue_operands.hpp"

namespace rooftile {

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
    detail::check_like("D", D, C);
    if (beta != Scalar<T>(0)) detail::check_read("D", D, C);
  }
  /// The same of all C of a batch.
  template <class U>
  void check(const BatchRef<U>& C) const {
    detail::check_like("D", D, C.first);
    if (beta != Scalar<T>(0)) detail::check_read("D", BatchRef<const T>{D, 0, C.count}, C);
  }
  /// Calls f(name, address) with what is read.
  template <class F>
  void arrays(const F& f) const {
    if (beta != Scalar<T>(0)) f("D of the epilogue", D.data);
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

/// value + beta·D_entry(i,j), of a D for each entry of a batch or group.
template <class T>
struct PlusEach {
  Scalar<T> beta;        ///< 0: no D is read
  BatchRef<const T> Ds;  ///< (count,M,N)

  /// Of an element.
  template <class V>
  ROOFTILE_FUNCTION V operator()(Index entry, Index i, Index j, V value) const {
    if (beta == Scalar<T>(0)) return value;
    const MatrixRef<const T>& D = Ds.first;
    const T* const own = Ds.pointers != nullptr ? Ds.pointers[entry] : D.data + entry * Ds.stride;
    return value +
           static_cast<V>(beta * static_cast<Scalar<T>>(D.read(own[i * D.row_stride + j * D.col_stride])));
  }

  /// @throws Error where they are not as many and of the same shape as C, or at equal distances, and overlap
  template <class U>
  void check(const BatchRef<U>& C) const {
    detail::check_count("matrices D", Ds.count, C.count);
    detail::check_like("D", Ds.first, C.first);
    if (beta != Scalar<T>(0)) detail::check_read("D", Ds, C);
  }
  /// The same of an entry of a group.
  template <class U>
  void check(Index entry, const MatrixRef<U>& C) const {
    detail::check_number("matrices D", Ds.count, entry);
    detail::check_like("D", Ds.first, C);
    if (beta == Scalar<T>(0) || Ds.pointers != nullptr) return;
    detail::check_read("D", Ds[entry], C);
  }
  /// Calls f(name, address) with what is read.
  template <class F>
  void arrays(const F& f) const {
    if (beta == Scalar<T>(0)) return;
    Ds.pointers != nullptr ? f("pointers of the epilogue", Ds.pointers)
                           : f("D of the epilogue", Ds.first.data);
  }

  /// On CPUs: brings a block of an entry's D into the caches.
  void prefetch(Index entry, Index row, Index col, Index rows, Index cols) const {
    Plus<T, detail::Contiguous::none>{beta, Ds[entry]}.prefetch(row, col, rows, cols);
  }
};

/// One after the other.
template <class First, class Second>
struct Chain {
  First first;    ///< gets the value
  Second second;  ///< gets what `first` returns

  /// Whether one of them wants to know the entry.
  template <class V>
  static constexpr bool takes_entry() {
    if constexpr (detail::takes_entry<First, V>) {
      return true;
    } else {
      return detail::takes_entry<Second, std::invoke_result_t<const First&, Index, Index, V>>;
    }
  }

  /// Of an element.
  template <class V>
  ROOFTILE_FUNCTION auto operator()(Index i, Index j, V value) const requires(!takes_entry<V>()) {
    return second(i, j, first(i, j, value));
  }
  /// Of an element of an entry.
  template <class V>
  ROOFTILE_FUNCTION auto operator()(Index entry, Index i, Index j, V value) const requires(takes_entry<V>()) {
    return detail::call_epilogue(second, entry, i, j, detail::call_epilogue(first, entry, i, j, value));
  }

  /// @{
  /// @throws Error as they do
  template <class U>
  void check(const MatrixRef<U>& C) const {
    detail::check_epilogue(first, C);
    detail::check_epilogue(second, C);
  }
  template <class U>
  void check(const BatchRef<U>& C) const {
    detail::check_epilogue(first, C);
    detail::check_epilogue(second, C);
  }
  template <class U>
  void check(Index entry, const MatrixRef<U>& C) const {
    detail::check_epilogue(first, entry, C);
    detail::check_epilogue(second, entry, C);
  }
  /// @}
  /// As they do.
  template <class F>
  void arrays(const F& f) const {
    detail::for_each_array(first, f);
    detail::for_each_array(second, f);
  }

  /// As they do.
  void prefetch(Index entry, Index row, Index col, Index rows, Index cols) const {
    detail::prefetch_for(first, entry, row, col, rows, cols);
    detail::prefetch_for(second, entry, row, col, rows, cols);
  }
};

/// value + beta·D(i,j): with it, C = alpha·A·B + beta·D. `beta == 0` does not read D.
/// @param D  (M,N): a View of any strided layout, an mdspan or a MatrixRef of C's element type or another,
///           apart from C: its own elements are added by the product's beta. Of a batch or group all entries
///           have it; or one each, if it is a View or mdspan (count,M,N) or a BatchRef
template <class X>
auto plus(detail::FactorOf<X> beta, const X& D) {
  using T = detail::ReadElement<X>;
  if constexpr (requires { batch_ref(D); }) {
    return detail::Named<PlusEach<T>, detail::SpaceOf<X>>{{beta, batch_ref(D)}, {}};
  } else {
    return detail::Named<Plus<T, detail::contiguous<X>>, detail::SpaceOf<X>>{{beta, matrix_ref(D)}, {}};
  }
}

/// @{
/// value·r(i), value·c(j), value + b(i) and value + b(j).
/// @param x  a View or mdspan of rank 1, or a VectorRef, with a number for each row of C, or for each column.
///           Of a batch or group all entries have it; or one each, if it is a View or mdspan of rank 2, whose
///           rows they are, or a VectorBatch
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
