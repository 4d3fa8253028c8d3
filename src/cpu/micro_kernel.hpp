// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "cpu/blocks.hpp"
#include "cpu/simd.hpp"
#include "cpu/update.hpp"

/// The innermost loop: MR×NR elements of C in registers, and one rank-1 update per step along K. Van Zee and
/// van de Geijn, BLIS: a framework for rapidly instantiating BLAS functionality, ACM TOMS 41 (2015), figure
/// 1.
namespace rooftile::portable {

/// The micro-tile, (MR,NR). Accumulators fill three quarters of the vector registers; the rest hold a row of
/// B and an element of A. Enough independent chains hide the latency of the multiply-adds (4 cycles × 2 units
/// = 8). Two vectors of B per element of A keep the number of loads below that of multiply-adds.
template <class T>
struct MicroTile {
  static constexpr int vectors = 2;
  static constexpr int rows = (vector_registers - 4) / vectors;
  static constexpr int cols = vectors * Simd<T>::lanes;
};

/// The micro-tile of complex numbers. It has half as many rows and columns, because each vector of C needs
/// two accumulators (`complex_tile.hpp`).
template <class R>
struct MicroTile<complex<R>> {
  static constexpr int vectors = MicroTile<R>::vectors;
  static constexpr int rows = (vector_registers - 4) / vectors / 2;
  static constexpr int cols = MicroTile<R>::cols / 2;
};

/// Columns of B whose kc steps take a quarter of L2. Consecutive rows of micro-tiles read them from L2, and
/// write a long part of each row of C at a time.
template <class T>
Index columns_in_l2(Index kc) {
  constexpr Index nr = MicroTile<T>::cols;
  static const Index quarter = [] {
    const TileShape blocks = cache_blocks<Real<T>>();  // A takes half of L2
    return Index{blocks.bm} * blocks.bk / 2 / (detail::is_complex<T> ? 2 : 1);
  }();
  return std::max(nr, quarter / std::max<Index>(kc, 1) / nr * nr);
}

/// mr rows of A, read in place. Groups of three rows share a pointer; addressing modes reach the second and
/// third row with one and two row strides. One pointer or offset per row would exceed the registers of the
/// CPU.
template <int mr, class T>
class RowsOfA {
 public:
  [[gnu::always_inline]] RowsOfA(const T* a, Index row) : row_(row) {
    unrolled<pointers>([&](auto p) __attribute__((always_inline)) { first_[p] = a + 3 * p * row; });
  }
  [[gnu::always_inline]] const T* row(int i) const { return first_[i / 3] + i % 3 * row_; }
  [[gnu::always_inline]] T operator[](int i) const { return *row(i); }
  [[gnu::always_inline]] void step(Index elements) {
    unrolled<pointers>([&](auto p) __attribute__((always_inline)) { first_[p] += elements; });
  }

 private:
  static constexpr int pointers = (mr + 2) / 3;
  const T* first_[pointers];
  Index row_;
};

/// Prefetch distance for a B that is read in place: 1 KiB along its rows with AVX-512. The prefetch makes Zen
/// 5 twice as fast, and has no effect on a packed B.
inline constexpr int micropanels_ahead = 8;

/// C (mr,cols) = alpha·acc + beta·C, only for the columns from `skip` on.
template <int mr, int nv, class T>
[[gnu::always_inline]] inline void store_tile(const typename Simd<T>::Vector (&acc)[mr][nv],
                                              const MatrixRef<T>& C, Index skip, T alpha, T beta) {
  using Vector = typename Simd<T>::Vector;
  constexpr int lanes = Simd<T>::lanes;
  if (C.col_stride == 1 && C.cols == nv * lanes && skip == 0) {
    unrolled<mr, nv>([&](auto i, auto j) __attribute__((always_inline)) {
      T* const to = C.data + i * C.row_stride + j * lanes;
      Vector c = beta == T(0) ? Vector{} : Simd<T>::load(to);
      update(c, alpha, acc[i][j], beta);
      Simd<T>::store(to, c);
    });
  } else {
    T tile[mr][nv * lanes];
    unrolled<mr, nv>([&](auto i, auto j)
                         __attribute__((always_inline)) { Simd<T>::store(&tile[i][j * lanes], acc[i][j]); });
    for (int i = 0; i < mr; ++i) {
      for (Index j = skip; j < C.cols; ++j) update(C(i, j), alpha, tile[i][j], beta);
    }
  }
}

/// One step along K for an element of A and a vector of B.
struct MultiplyAdd {
  template <class T, class Vector>
  [[gnu::always_inline]] static void add(Vector& acc, T a, const Vector& row) {
    acc += a * row;
  }
};

/// C (mr,cols) = alpha · A (mr,kc) · B (kc,nv vectors) + beta·C.
/// @tparam packed  whether A is a packed micropanel, which has constant strides
template <int mr, int nv, bool packed, class T, class Step>
void micro_kernel(const Micropanel<T>& A, const Micropanel<T>& B, Index kc, const MatrixRef<T>& C, Index skip,
                  T alpha, T beta) {
  using Vector = typename Simd<T>::Vector;
  constexpr int lanes = Simd<T>::lanes;
  std::conditional_t<packed, const T*, RowsOfA<mr, T>> a = [&] {
    if constexpr (packed) {
      return A.data;
    } else {
      return RowsOfA<mr, T>(A.data, A.stride);
    }
  }();
  const T* b = B.data;
  Vector acc[mr][nv];
  unrolled<mr, nv>([&](auto i, auto j) __attribute__((always_inline)) { acc[i][j] = Vector{}; });
  const auto step = [&]() __attribute__((always_inline)) {
    Vector row[nv];
    unrolled<nv>([&](auto j) __attribute__((always_inline)) { row[j] = Simd<T>::load(b + j * lanes); });
    if constexpr (packed) {  // B may then be read in place, from main memory
      unrolled<nv>([&](auto j) __attribute__((always_inline)) {
        __builtin_prefetch(b + micropanels_ahead * MicroTile<T>::cols + j * lanes);
      });
    }
    unrolled<mr, nv>([&](auto i, auto j)
                         __attribute__((always_inline)) { Step::add(acc[i][j], a[i], row[j]); });
    if constexpr (packed) {
      a += MicroTile<T>::rows;
    } else {
      a.step(A.step);
    }
    b += B.step;
  };
  Index k = 0;
  if (C.col_stride == 1) {  // spreads the prefetch of C over half of K, to not delay A and B
    // A short loop ends before its C arrives, so it prefetches the C of a later tile.
    constexpr Index steps_of_latency = 72;
    const Index ahead = steps_of_latency / std::max<Index>(kc, 1) * MicroTile<T>::cols;
    const Index every = std::max<Index>(1, kc / (2 * mr));
    Index next = 0;
    for (const T* c = C.data + ahead; k < std::min<Index>(mr * every, kc); c += C.row_stride) {
      for (int j = 0; j < nv; ++j) __builtin_prefetch(c + j * lanes, 1);
      next = std::min(next + every, kc);
#pragma GCC unroll 4
      for (; k < next; ++k) step();
    }
  }
#pragma GCC unroll 4
  for (; k < kc; ++k) step();
  store_tile<mr, nv>(acc, C, skip, alpha, beta);
}

/// The micro-kernels for 1 to MR rows and 1 to NR/lanes vectors, so that edge tiles compute no missing rows.
template <class T, bool packed, class Step = MultiplyAdd>
struct MicroKernels {
  using Kernel = void (*)(const Micropanel<T>&, const Micropanel<T>&, Index, const MatrixRef<T>&, Index, T,
                          T);
  using Table = std::array<Kernel, MicroTile<T>::rows>;

  template <int nv, int... i>
  static constexpr Table table(std::integer_sequence<int, i...>) {
    return {micro_kernel<i + 1, nv, packed, T, Step>...};
  }
  static constexpr auto all_rows = std::make_integer_sequence<int, MicroTile<T>::rows>();
  static constexpr Table narrow = table<1>(all_rows), wide = table<MicroTile<T>::vectors>(all_rows);

  static Kernel of(Index rows, Index cols) {
    return (cols > Simd<T>::lanes ? wide : narrow)[static_cast<std::size_t>(rows - 1)];
  }
};

}  // namespace rooftile::portable
