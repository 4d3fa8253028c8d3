// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "cpu/lanes.hpp"
#include "cpu/micro_kernel.hpp"
#include "cpu/update.hpp"
#include "rooftile/matrix.hpp"

/// Micro-kernels for small products of any height and width.
namespace rooftile::portable::unpacked {

/// A tile of C that is some vectors wide. The last vector starts `skip` lanes earlier, to stay in bounds.
template <class T>
struct Tile {
  const T* a;
  Index a_row, a_step;
  const T* b;
  Index b_step;
  Index k;
  T* c;
  Index c_row, c_col;
  Index skip;
  T alpha, beta;
};

/// C = alpha·acc + beta·C, element by element: for a C without contiguous rows, or a last vector that
/// overlaps computed elements. acc is (rows,nv,lanes).
template <class T>
[[gnu::noinline]] void store_elements(const Tile<T>& t, const T* acc, int rows, int nv, int lanes) {
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < nv; ++j, acc += lanes) {
      const Index skip = j == nv - 1 ? t.skip : 0;
      T* const to = t.c + i * t.c_row + (j * lanes - skip) * t.c_col;
      for (Index l = skip; l < lanes; ++l) update(to[l * t.c_col], t.alpha, acc[l], t.beta);
    }
  }
}

template <class V, int mr, int nv, class T>
[[gnu::always_inline]] inline void store(const Tile<T>& t, const typename V::Vector (&acc)[mr][nv]) {
  constexpr int lanes = V::lanes;
  const T alpha = t.alpha, beta = t.beta;
  // Local copies, because the compiler must assume that a store to C changes the tile.
  T* const c_first = t.c;
  const Index c_row = t.c_row, last = (nv - 1) * lanes - t.skip;
  const auto place = [&](auto i, auto j) __attribute__((always_inline)) {
    return c_first + i * c_row + (j == nv - 1 ? last : j * lanes);
  };
  const auto update_all = [&](auto read_c) __attribute__((always_inline)) {
    unrolled<mr, nv>([&](auto i, auto j) __attribute__((always_inline)) {
      T* const to = place(i, j);
      typename V::Vector c = read_c ? V::load(to) : typename V::Vector{};
      update(c, alpha, acc[i][j], read_c ? beta : T(0));
      V::store(to, c);
    });
  };
  if (t.c_col == 1 && beta == T(0) && alpha == T(1)) {
    unrolled<mr, nv>([&](auto i, auto j)
                         __attribute__((always_inline)) { V::store(place(i, j), acc[i][j]); });
  } else if (t.c_col == 1 && beta == T(0)) {
    update_all(std::false_type());  // overlapping elements get equal values again
  } else if (t.c_col == 1 && t.skip == 0) {
    update_all(std::true_type());
  } else {
    T elements[mr * nv * lanes];
    unrolled<mr, nv>([&](auto i, auto j) __attribute__((always_inline)) {
      V::store(elements + (i * nv + j) * lanes, acc[i][j]);
    });
    store_elements(t, elements, mr, nv, lanes);
  }
}

template <class V, int mr, int nv, class T>
void multiply_tile(const Tile<T>& t) {
  typename V::Vector acc[mr][nv];
  unrolled<mr, nv>([&](auto i, auto j) __attribute__((always_inline)) { acc[i][j] = typename V::Vector{}; });
  RowsOfA<mr, T> a(t.a, t.a_row);
  const T* b = t.b;
  const Index last = (nv - 1) * V::lanes - t.skip;
  for (Index k = 0; k < t.k; ++k) {
    typename V::Vector row[nv];
    unrolled<nv>([&](auto j) __attribute__((always_inline)) {
      row[j] = V::load(b + (j == nv - 1 ? last : j * V::lanes));
    });
    unrolled<mr, nv>([&](auto i, auto j) __attribute__((always_inline)) { acc[i][j] += a[i] * row[j]; });
    a.step(t.a_step);
    b += t.b_step;
  }
  store<V, mr, nv>(t, acc);
}

/// Copies n elements: more than half a vector, and at most a full vector.
template <class V, class T>
[[gnu::always_inline]] inline void copy_nearly_all(const T* from, T* to, Index n) {
  using Half = Simd<T, V::lanes / 2>;
  const Index second = n - Half::lanes;
  const auto first = Half::load(from), last = Half::load(from + second);
  Half::store(to, first);
  Half::store(to + second, last);
}

/// Multiplies a tile whose rows of B and C have no gaps and fill more than half a vector. Each row of C but
/// the last is stored as a full vector. The store of the next row corrects the excess lanes.
/// @pre b_step == c_row, the width; c_col == 1, beta == 0, k > 0
template <class V, int mr, class T>
void multiply_gapless(const Tile<T>& t) {
  const Index n = t.b_step;
  T last[V::lanes] = {};
  copy_nearly_all<V>(t.b + (t.k - 1) * n, last, n);
  typename V::Vector acc[mr];
  unrolled<mr>([&](auto i) __attribute__((always_inline)) { acc[i] = typename V::Vector{}; });
  RowsOfA<mr, T> a(t.a, t.a_row);
  const auto add = [&](const T* b) __attribute__((always_inline)) {
    const typename V::Vector row = to_lane<V, T>(n, V::load(b));
    unrolled<mr>([&](auto i) __attribute__((always_inline)) { acc[i] += a[i] * row; });
    a.step(t.a_step);
  };
  for (const T* b = t.b; b != t.b + (t.k - 1) * n; b += n) add(b);
  add(last);
  T* const c = t.c;
  unrolled<mr>([&](auto i) __attribute__((always_inline)) {
    acc[i] *= t.alpha;
    V::store(i < mr - 1 ? c + i * n : last, acc[i]);
  });
  copy_nearly_all<V>(last, c + (mr - 1) * n, n);
}

}  // namespace rooftile::portable::unpacked
