// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/common/vector.hpp"
#include "device/common/verbs.hpp"
#include "plan/operand_alignment.hpp"
#include "rooftile/detail/function.hpp"
#include "rooftile/matrix.hpp"

/// How a team of threads copies an operand, panel by panel along K, from global into shared memory. Panels
/// see an operand as X (K,X): A transposed, B as it is. `x` counts A's rows or B's columns.
namespace rooftile::detail {

/// The dimension along which a panel's elements are contiguous.
enum class Major { x, k };

/// A panel (BK,BX) in shared memory. `pad` free elements follow each line, or each group of `lines_` lines
/// along k.
template <class T, int BK_, int BX_, Major major_, int pad, int lines_ = 1>
struct Panel {
  static constexpr int BK = BK_, BX = BX_;
  static constexpr Major major = major_;
  static constexpr int lines = lines_;
  static constexpr int elements = major == Major::x ? BK * (BX + pad) : BX * BK + BX / lines * pad;
  static_assert(BX % lines == 0 && (major == Major::k || lines == 1), "lines lie evenly in the banks");

  T* data;

  /// Linear: offset(k1 + k2, x1 + x2) is offset(k1, x1) + offset(k2, x2) if x1 or x2 is a multiple of
  /// `lines`.
  ROOFTILE_FUNCTION static constexpr int offset(int k, int x) {
    return major == Major::x ? k * (BX + pad) + x : k + x * BK + x / lines * pad;
  }
  ROOFTILE_FUNCTION T* at(int k, int x) const { return data + offset(k, x); }
};

/// Returns how many rows of the first panel lie before k = 0, so that all later panels are whole.
template <int BK>
ROOFTILE_FUNCTION int rows_before_first_panel(Index K) {
  const int rest = static_cast<int>(K % BK);
  return rest == 0 ? 0 : BK - rest;
}

/// Calls `f.operator()<a, b>()` with the major orders of the panels of A and B, which are the orders of the
/// operands in global memory. Panels of int8 are always K-major, because no load transposes bytes.
template <class T, class F>
ROOFTILE_FUNCTION void with_majors(const MatrixRef<const T>& A, const MatrixRef<const T>& B, const F& f) {
  if constexpr (sizeof(T) == 1) {
    f.template operator()<Major::k, Major::k>();
  } else {
    const bool a_by_k = is_k_major(A.transposed()), b_by_k = is_k_major(B);
    if (a_by_k) {
      b_by_k ? f.template operator()<Major::k, Major::k>() : f.template operator()<Major::k, Major::x>();
    } else {
      b_by_k ? f.template operator()<Major::x, Major::k>() : f.template operator()<Major::x, Major::x>();
    }
  }
}

/// The order of neighbouring threads in a copy: along the contiguous dimension in global memory. Threads copy
/// vectors if that dimension is also contiguous in the panel. Complex numbers are always copied one at a
/// time.
enum class Lanes { k_major, mn_major, vectors };

/// A thread's share of every panel: `count` evenly spaced elements, or vectors of elements.
template <class T, class Panel, int threads>
struct PanelWalk {
  static constexpr int BK = Panel::BK, BX = Panel::BX;
  static constexpr int width = 16 / sizeof(T);     // elements of the widest copy
  static constexpr int count = BK * BX / threads;  // elements per thread
  static constexpr bool k_major = Panel::major == Major::k;
  static_assert(threads % BX == 0 && threads % (BK * Panel::lines) == 0 && count % width == 0,
                "threads divide a panel evenly");

  const T* source;  ///< the thread's first element in the next panel
  Index apart;      ///< elements from one of the thread's copies to its next
  Index step;       ///< elements from a panel to the next
  Lanes lanes;
  int k;             ///< k of the first copy in a panel
  int k_apart;       ///< from one copy to the next
  int target;        ///< where the first copy goes in a panel
  int target_apart;  ///< from one copy to the next
  unsigned inside;   ///< bit i: copy i lies inside X

  /// @param rank     rank of the thread in its team
  /// @param vectors  whether lines are known to be whole vectors
  ROOFTILE_FUNCTION PanelWalk(const MatrixRef<const T>& X, Index x0, int rank, bool vectors = false)
      : step(BK * X.row_stride) {
    lanes = !is_complex<T> && (vectors || has_whole_vectors(k_major ? X.transposed() : X)) ? Lanes::vectors
            : k_major || is_k_major(X)                                                     ? Lanes::k_major
                                                                                           : Lanes::mn_major;
    const bool by_k = k_major || lanes == Lanes::k_major;
    const int n = lanes == Lanes::vectors ? width : 1;
    k = by_k ? rank % (BK / n) * n : rank / (BX / n);
    const int x = by_k ? rank / (BK / n) : rank % (BX / n) * n;
    k_apart = by_k ? 0 : threads * n / BX;
    const int x_apart = by_k ? threads * n / BK : 0;
    target = Panel::offset(k, x), target_apart = Panel::offset(k_apart, x_apart);
    inside = 0;
    for (int i = 0; i < count; ++i) inside |= (x0 + x + i * x_apart < X.cols ? 1u : 0u) << i;
    inside = unforeseen(inside);
    source = &X(k - rows_before_first_panel<BK>(X.rows), x0 + x);
    apart = unforeseen(x_apart * X.col_stride + k_apart * X.row_stride);
  }
};

/// Copies the thread's elements, n at a time. Elements with k < `skip` become 0. Elements outside x are not
/// read and may have any value, because they reach only elements outside C.
/// @param k_apart, apart  distance from one copy to the next along k and in the panel: run-time values or
///   constants
template <int n, bool first, bool same_x, class T, class Panel, int threads, class KApart, class Apart>
ROOFTILE_FUNCTION void begin_copies(const PanelWalk<T, Panel, threads>& walk, T* to, KApart k_apart,
                                    Apart apart, int skip) {
  constexpr int count = PanelWalk<T, Panel, threads>::count / n;
  constexpr int room = 64 / (n * sizeof(T));  // copies that registers hold at a time
  constexpr int batch = copies_are_asynchronous || count < room ? count : room;
  const T* from = walk.source;
  // Otherwise clang keeps a lane mask for every bit and every k, in more scalar registers than a wave has.
  const unsigned inside = unforeseen_by_clang(walk.inside);
  [[maybe_unused]] const int k = unforeseen_by_clang(walk.k);
  ROOFTILE_UNROLL_ALL
  for (int i0 = 0; i0 < count; i0 += batch) {
    [[maybe_unused]] Vector<T, n> value[std::size_t{batch}];
    ROOFTILE_UNROLL_ALL
    for (int i = i0; i < i0 + batch; ++i) {
      T* const element = to + i * apart;
      const bool here = inside >> (same_x ? 0 : i) & 1;
      const bool skipped = first && k + i * k_apart < skip;
      if constexpr (copies_are_asynchronous) {
        if (skipped) *reinterpret_cast<Vector<T, n>*>(element) = {};
        begin_copy<n>(element, from, here && !skipped);
      } else {
        ROOFTILE_UNROLL_ALL
        for (T& e : value[i - i0].value) e = T(0);
        if (here && !skipped) value[i - i0] = *reinterpret_cast<const Vector<T, n>*>(from);
      }
      from += walk.apart;
    }
    ROOFTILE_UNROLL_ALL
    for (int i = i0; i < i0 + batch && !copies_are_asynchronous; ++i) {
      *reinterpret_cast<Vector<T, n>*>(to + i * apart) = value[i - i0];
    }
  }
}

/// An integer known at compile time. Unlike `std::integral_constant`, it also converts to `int` in device
/// code.
template <int value>
struct Constant {
  ROOFTILE_FUNCTION constexpr operator int() const { return value; }
};

/// Begins to copy the thread's share of the walk's next panel. The first panel needs `begin_load`.
/// @tparam vectors  for real numbers: whether the walk copies vectors; for complex numbers: whether panel and
///   operand have equal major orders. If this is known at compile time, the copies have no branch, and the
///   compiler can place them between other instructions
template <bool vectors, class T, class Panel, int threads>
ROOFTILE_FUNCTION void begin_load_along(PanelWalk<T, Panel, threads>& walk, const Panel& panel) {
  constexpr int n = vectors && !is_complex<T> ? PanelWalk<T, Panel, threads>::width : 1;
  T* const to = panel.data + walk.target;
  if constexpr (Panel::major == Major::k) {
    begin_copies<n, false, false>(walk, to, Constant<0>{},
                                  Constant<Panel::offset(0, threads * n / Panel::BK)>{}, 0);
  } else if constexpr (vectors) {
    begin_copies<n, false, true>(walk, to, Constant<threads * n / Panel::BX>{},
                                 Constant<Panel::offset(threads * n / Panel::BX, 0)>{}, 0);
  } else {
    begin_copies<n, false, false>(walk, to, walk.k_apart, walk.target_apart, 0);
  }
  walk.source += walk.step;
}

/// Begins to copy the thread's share of the walk's next panel and selects the copy loop at run time. Elements
/// of the first panel with k < `skip` become 0.
template <bool first = false, class T, class Panel, int threads>
ROOFTILE_FUNCTION void begin_load(PanelWalk<T, Panel, threads>& walk, const Panel& panel, int skip = 0) {
  constexpr int n = PanelWalk<T, Panel, threads>::width, BK = Panel::BK, BX = Panel::BX;
  constexpr bool by_k = Panel::major == Major::k;
  constexpr int dk = by_k ? 0 : threads * n / BX, dx = by_k ? threads * n / BK : 0;
  T* const to = panel.data + walk.target;
  if (!is_complex<T> && walk.lanes == Lanes::vectors) {
    begin_copies<n, first, !by_k>(walk, to, Constant<dk>{}, Constant<Panel::offset(dk, dx)>{}, skip);
  } else if (walk.lanes == Lanes::mn_major) {
    begin_copies<1, first, true>(walk, to, Constant<threads / BX>{},
                                 Constant<Panel::offset(threads / BX, 0)>{}, skip);
  } else {
    begin_copies<1, first, false>(walk, to, Constant<0>{}, Constant<Panel::offset(0, threads / BK)>{}, skip);
  }
  walk.source += walk.step;
}

/// Calls `f.operator()<vectors>()` with whether the walk copies vectors.
template <class Walk, class F>
ROOFTILE_FUNCTION void with_lanes(const Walk& walk, const F& f) {
  walk.lanes == Lanes::vectors ? f.template operator()<true>() : f.template operator()<false>();
}

}  // namespace rooftile::detail
