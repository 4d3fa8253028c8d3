// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>

#include "cpu/interleaved.hpp"
#include "cpu/micro_kernel.hpp"
#include "plan/batch_parts.hpp"

/// The micro-kernel for complex numbers. The products of B with the real parts and with the imaginary parts
/// of A have separate accumulators, which are combined at the end. A complex multiply-add is thus four real
/// ones.
namespace rooftile::portable {

/// A tile of C that is some vectors wide.
template <class R>
struct ComplexTile {
  using Number = complex<R>;

  const Number* a;
  Index a_row, a_step;
  const Number* b;
  Index b_step;
  Index k;
  Number* c;
  Index c_row, c_col;
  Number alpha, beta;
  bool conjugates_a, conjugates_b;
  Index skip = 0;         ///< numbers by which the last vector starts earlier, to stay in bounds
  Index missing = 0;      ///< numbers at the end of the last vector that belong to B, but not to C
  bool rewrites = false;  ///< whether skipped numbers may be written again: one thread writes all of C
};

/// C = alpha·sums + beta·C, with any strides. sums is (rows,nv,numbers), and holds conjugates if B is
/// conjugated.
template <class V, class R>
[[gnu::noinline]] void store_sums(const ComplexTile<R>& t, const complex<R>* sums, int rows, int nv) {
  using I = Interleaved<V, R>;
  const typename I::Factor alpha(t.alpha, t.conjugates_b);
  const complex<R> beta = t.beta;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < nv; ++j, sums += I::numbers) {
      const bool last = j == nv - 1;
      const Index begin = last ? t.skip : 0, end = I::numbers - (last ? t.missing : 0);
      complex<R>* const to = t.c + i * t.c_row + (j * I::numbers - begin) * t.c_col;
      const Index step = t.c_col;
      if (step == 1 && begin == 0 && end == I::numbers) {
        const auto c = beta == complex<R>(0) ? typename I::Vector{} : I::load(to);
        I::store(to, I::updated(I::load(sums), c, alpha, beta));
        continue;
      }
      complex<R> some[I::numbers] = {};
      for (Index l = begin; beta != complex<R>(0) && l < end; ++l) some[l] = to[l * step];
      I::store(some, I::updated(I::load(sums), I::load(some), alpha, beta));
      for (Index l = begin; l < end; ++l) to[l * step] = some[l];
    }
  }
}

/// C (mr,nv vectors) = alpha · A (mr,k) · B (k,nv vectors) + beta·C.
/// @tparam packed  whether A is a packed micropanel, which has constant strides
template <class V, int mr, int nv, bool packed, class R>
void multiply_complex_tile(const ComplexTile<R>& t) {
  using I = Interleaved<V, R>;
  using Number = complex<R>;
  std::conditional_t<packed, const Number*, RowsOfA<mr, Number>> a = [&] {
    if constexpr (packed) {
      return t.a;
    } else {
      return RowsOfA<mr, Number>(t.a, t.a_row);
    }
  }();
  const auto number = [&](auto i) __attribute__((always_inline))->const Number& {
    if constexpr (packed) {
      return a[i];
    } else {
      return *a.row(i);
    }
  };
  Number* const c = t.c;
  const Index last = (nv - 1) * I::numbers - t.skip, a_step = t.a_step, b_step = t.b_step, c_row = t.c_row;
  const auto place = [&](auto j) __attribute__((always_inline)) {
    return j == nv - 1 ? last : j * I::numbers;
  };
  if (t.c_col == 1 && !t.rewrites) {  // prefetches C while the loop below computes
    unrolled<mr, nv>([&](auto i, auto j) __attribute__((always_inline)) {
      __builtin_prefetch(c + i * c_row + j * I::numbers, 1);
    });
  }
  typename V::Vector real[mr][nv], imaginary[mr][nv];
  unrolled<mr, nv>([&](auto i, auto j) __attribute__((always_inline)) {
    real[i][j] = imaginary[i][j] = typename V::Vector{};
  });
  const Number* b = t.b;
  for (Index k = t.k; k > 0; --k) {
    typename V::Vector row[nv];
    unrolled<nv>([&](auto j) __attribute__((always_inline)) { row[j] = I::load(b + place(j)); });
    if constexpr (packed) {  // B may then be read in place, from main memory
      unrolled<nv>([&](auto j) __attribute__((always_inline)) {
        __builtin_prefetch(b + micropanels_ahead * MicroTile<Number>::cols + j * I::numbers);
      });
    }
    unrolled<mr>([&](auto i) __attribute__((always_inline)) {
      const Number& z = number(i);
      unrolled<nv>([&](auto j) __attribute__((always_inline)) { real[i][j] += z.re * row[j]; });
      unrolled<nv>([&](auto j) __attribute__((always_inline)) { imaginary[i][j] += z.im * row[j]; });
    });
    if constexpr (packed) {
      a += MicroTile<Number>::rows;
    } else {
      a.step(a_step);
    }
    b += b_step;
  }
  // conj(A)·B = real - i·imaginary; A·conj(B) is the conjugate of conj(A)·B.
  const R turn = t.conjugates_a == t.conjugates_b ? R(1) : R(-1);
  const auto turned = I::alternating(-turn, turn);
  const auto sum = [&](auto i, auto j) __attribute__((always_inline)) {
    return real[i][j] + turned * I::swapped(imaginary[i][j]);
  };
  const typename I::Factor alpha(t.alpha, t.conjugates_b);
  const auto update_rows = [&](auto reads_c) __attribute__((always_inline)) {
    unrolled<mr>([&](auto i) __attribute__((always_inline)) {
      typename V::Vector x[nv];
      unrolled<nv>([&](auto j) __attribute__((always_inline)) {
        x[j] = I::sum(reads_c ? I::load(c + i * c_row + place(j)) : typename V::Vector{}, alpha, sum(i, j));
      });
      unrolled<nv>([&](auto j) __attribute__((always_inline)) { I::store(c + i * c_row + place(j), x[j]); });
    });
  };
  const bool reads_c = t.beta != Number(0);
  // The last of several vectors overlaps the previous one. `update_rows` loads both before it stores either.
  const bool vectors = t.c_col == 1 && t.missing == 0 && (t.skip == 0 || nv > 1 || (t.rewrites && !reads_c));
  if (vectors && !reads_c) {
    update_rows(std::false_type());
  } else if (vectors && t.beta == Number(1)) {
    update_rows(std::true_type());
  } else {
    Number sums[mr * nv * I::numbers];
    unrolled<mr, nv>([&](auto i, auto j) __attribute__((always_inline)) {
      I::store(sums + (i * nv + j) * I::numbers, sum(i, j));
    });
    store_sums<V>(t, sums, mr, nv);
  }
}

/// The number of adjacent vectors, a power of two, that leaves registers for a row of B and a part of A.
constexpr int max_complex_vectors(int rows) {
  return std::min(8, static_cast<int>(std::bit_floor(static_cast<unsigned>(vector_registers - 2) /
                                                     static_cast<unsigned>(2 * rows + 1))));
}

/// The micro-kernels for 1 to `all` rows and `nv` vectors. Null where the sums exceed the registers.
template <class V, int all, int nv, bool packed, class R>
constexpr auto complex_kernels = []<int... i>(std::integer_sequence<int, i...>) {
  constexpr auto kernel = []<int mr>() -> void (*)(const ComplexTile<R>&) {
    if constexpr (nv <= max_complex_vectors(mr)) {
      return multiply_complex_tile<V, mr, nv, packed, R>;
    } else {
      return nullptr;
    }
  };
  return std::array{kernel.template operator()<i + 1>()...};
}
(std::make_integer_sequence<int, all>());

}  // namespace rooftile::portable
