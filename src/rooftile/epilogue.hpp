// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "rooftile/detail/call_epilogue.hpp"
#include "rooftile/detail/epilogue_operands.hpp"

namespace rooftile {

/// Common epilogues of `gemm_fused`, made by `plus`, `row_scale`, `col_scale`, `row_bias`, `col_bias` and
/// `chain`. They keep addresses, not Views: their memory must exist until the product is computed.
namespace epilogue {

/// The epilogue value + beta·D(i,j), made by `plus`.
template <class T, detail::Contiguous contiguous>
struct Plus {
  Scalar<T> beta;        ///< 0: D is not read
  MatrixRef<const T> D;  ///< (M,N)

  /// Returns the new value of element (i,j).
  template <class V>
  ROOFTILE_FUNCTION V operator()(Index i, Index j, V value) const {
    if (beta == Scalar<T>(0)) return value;
    const Index row = contiguous == detail::Contiguous::columns ? i : i * D.row_stride;
    const Index col = contiguous == detail::Contiguous::rows ? j : j * D.col_stride;
    return value + static_cast<V>(beta * static_cast<Scalar<T>>(D.read(D.data[row + col])));
  }

  /// Checks D against C. @throws Error  if the shapes differ, or D overlaps C
  template <class U>
  void check(const MatrixRef<U>& C) const {
    detail::check_like("D", D, C);
    if (beta != Scalar<T>(0)) detail::check_read("D", D, C);
  }
  /// Checks D against all C of a batch. @throws Error  as above
  template <class U>
  void check(const BatchRef<U>& C) const {
    detail::check_like("D", D, C.first);
    if (beta != Scalar<T>(0)) detail::check_read("D", BatchRef<const T>{D, 0, C.count}, C);
  }
  /// Calls f(name, address) for the array that is read.
  template <class F>
  void arrays(const F& f) const {
    if (beta != Scalar<T>(0)) f("D of the epilogue", D.data);
  }

  /// Prefetches a block of D into the caches of a CPU.
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

/// The epilogue value + beta·D_entry(i,j), with one D for each entry of a batch or group.
template <class T>
struct PlusEach {
  Scalar<T> beta;        ///< 0: no D is read
  BatchRef<const T> Ds;  ///< (count,M,N)

  /// Returns the new value of element (i,j) of an entry.
  template <class V>
  ROOFTILE_FUNCTION V operator()(Index entry, Index i, Index j, V value) const {
    if (beta == Scalar<T>(0)) return value;
    const MatrixRef<const T>& D = Ds.first;
    const T* const own = Ds.pointers != nullptr ? Ds.pointers[entry] : D.data + entry * Ds.stride;
    return value +
           static_cast<V>(beta * static_cast<Scalar<T>>(D.read(own[i * D.row_stride + j * D.col_stride])));
  }

  /// Checks D against all C of a batch. @throws Error  if counts or shapes differ, or a strided D overlaps C
  template <class U>
  void check(const BatchRef<U>& C) const {
    detail::check_count("matrices D", Ds.count, C.count);
    detail::check_like("D", Ds.first, C.first);
    if (beta != Scalar<T>(0)) detail::check_read("D", Ds, C);
  }
  /// Checks the D of an entry of a group against C. @throws Error  as above
  template <class U>
  void check(Index entry, const MatrixRef<U>& C) const {
    detail::check_number("matrices D", Ds.count, entry);
    detail::check_like("D", Ds.first, C);
    if (beta == Scalar<T>(0) || Ds.pointers != nullptr) return;
    detail::check_read("D", Ds[entry], C);
  }
  /// Calls f(name, address) for the array, or the array of pointers, that is read.
  template <class F>
  void arrays(const F& f) const {
    if (beta == Scalar<T>(0)) return;
    Ds.pointers != nullptr ? f("pointers of the epilogue", Ds.pointers)
                           : f("D of the epilogue", Ds.first.data);
  }

  /// Prefetches a block of an entry's D into the caches of a CPU.
  void prefetch(Index entry, Index row, Index col, Index rows, Index cols) const {
    Plus<T, detail::Contiguous::none>{beta, Ds[entry]}.prefetch(row, col, rows, cols);
  }
};

/// The epilogue that applies two epilogues one after the other, made by `chain`.
template <class First, class Second>
struct Chain {
  First first;    ///< is applied to the value
  Second second;  ///< is applied to the result of `first`

  /// Whether `first` or `second` takes the number of the entry.
  template <class V>
  static constexpr bool takes_entry() {
    if constexpr (detail::takes_entry<First, V>) {
      return true;
    } else {
      return detail::takes_entry<Second, std::invoke_result_t<const First&, Index, Index, V>>;
    }
  }

  /// Returns the new value of element (i,j).
  template <class V>
  ROOFTILE_FUNCTION auto operator()(Index i, Index j, V value) const requires(!takes_entry<V>()) {
    return second(i, j, first(i, j, value));
  }
  /// Returns the new value of element (i,j) of an entry.
  template <class V>
  ROOFTILE_FUNCTION auto operator()(Index entry, Index i, Index j, V value) const requires(takes_entry<V>()) {
    return detail::call_epilogue(second, entry, i, j, detail::call_epilogue(first, entry, i, j, value));
  }

  /// @{
  /// Checks both epilogues against C. @throws Error  as they do
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
  /// Calls f(name, address) for the arrays of both epilogues.
  template <class F>
  void arrays(const F& f) const {
    detail::for_each_array(first, f);
    detail::for_each_array(second, f);
  }

  /// Prefetches blocks of both epilogues' operands.
  void prefetch(Index entry, Index row, Index col, Index rows, Index cols) const {
    detail::prefetch_for(first, entry, row, col, rows, cols);
    detail::prefetch_for(second, entry, row, col, rows, cols);
  }
};

/// Returns the epilogue value + beta·D(i,j), so that C = alpha·A·B + beta·D. `beta == 0` does not read D.
/// @param beta  a scalar of D's elements
/// @param D  (M,N), for all entries of a batch or group: a View, mdspan or MatrixRef with any strides.
///           (count,M,N), for one D per entry: a View, mdspan or BatchRef. D must not overlap C; its element
///           type may differ from C's.
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
/// Returns the epilogue value·r(i), value·c(j), value + b(i) or value + b(j).
/// @param x  a number for each row (`row_…`) or column (`col_…`) of C: a View or mdspan of rank 1, or a
///           VectorRef. For one vector per entry of a batch or group: a View or mdspan (count,M) or
///           (count,N), or a VectorBatch.
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
/// Returns the epilogue that applies the given ones in their order: `chain(row_scale(r), plus(beta, D))` is
/// value·r(i) + beta·D(i,j). Your own functors may be among them.
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
